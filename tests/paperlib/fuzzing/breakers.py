"""Ways to break a good argument, for each kind of argument, and what may come of it.

A breaker is ``(name, change, outcome)``. `change` makes the broken argument of the good one. `outcome` is

``"refuse"``
    only an error will do;
``"same"``
    an error, or the answer that the argument's equivalent gives: `change` returns ``(broken, equivalent)``;
``"equal"``
    as ``"same"``, but it has to be taken;
``"either"``
    an error, or an answer that is finite and of the right shape.
"""

import numpy as np
import pandas as pd
from scipy import sparse

HUGE = 10**400  # beyond the floats


def with_entry(value, dtype=None):
    """Put `value` into the first entry."""

    def change(good):
        broken = np.array(good, dtype=dtype or float)
        broken.flat[0] = value
        return broken

    return change


def of_type(dtype):
    """The array in another type, beside that array's own values as floats."""

    def change(good):
        other = np.round(np.asarray(good, dtype=float) * 4).astype(dtype)
        return other, other.astype(np.float64)

    return change


def single(good):
    other = np.asarray(good, dtype=np.float32)
    return other, other.astype(np.float64)


def read_only(good):
    other = np.array(good, dtype=float)
    other.flags.writeable = False
    return other, good


def near_largest(good):
    """Numbers up to the end of the floats, of both signs, whose sums pass it."""
    good = np.asarray(good, dtype=float)
    return good / np.abs(good).max() * np.finfo(float).max


def alternating(good):
    """Numbers near the end of the floats, by turns of either sign: a sum may meet infinities of both."""
    flat = np.where(np.arange(np.size(good)) % 2, -1.7e308, 1.7e308)
    return flat.reshape(np.shape(good))


def strided(good):
    return np.repeat(np.asarray(good, dtype=float), 2, axis=0)[::2], good


def unsorted_csr(good):
    """Entries in no order, and the first one in two halves."""
    rows = np.asarray(good, dtype=float)
    m, n = rows.shape
    indices = np.tile(np.arange(n)[::-1], (m, 1))
    data = rows[:, ::-1]
    data = np.concatenate([[rows[0, -1] / 2], data.ravel()])
    data[1] /= 2
    indices = np.concatenate([[n - 1], indices.ravel()])
    indptr = np.r_[0, np.arange(1, m + 1) * n + 1]
    return sparse.csr_matrix((data, indices, indptr), shape=(m, n)), good


def holding(value):
    """An array of objects, one of which is `value`."""
    return with_entry(value, object)


MATRIX = [
    ("nan", with_entry(np.nan), "refuse"),
    ("inf", with_entry(np.inf), "refuse"),
    ("minus_inf", with_entry(-np.inf), "refuse"),
    ("complex", lambda good: np.asarray(good) + 1j, "refuse"),
    ("strings", lambda good: np.full(np.shape(good), "a"), "refuse"),
    ("object_string", holding("a"), "refuse"),
    ("object_none", holding(None), "refuse"),
    ("object_list", holding([1.0]), "refuse"),
    ("none", lambda good: None, "refuse"),
    ("a_number", lambda good: 3.0, "refuse"),
    ("a_string", lambda good: "abc", "refuse"),
    ("an_object", lambda good: object(), "refuse"),
    ("0d", lambda good: np.array(1.0), "refuse"),
    ("1d", lambda good: np.asarray(good)[:, 0], "refuse"),
    ("3d", lambda good: np.asarray(good)[:, :, None], "refuse"),
    ("empty", lambda good: np.empty((0, np.shape(good)[1])), "refuse"),
    ("no_columns", lambda good: np.empty((len(good), 0)), "refuse"),
    ("empty_list", lambda good: [], "refuse"),
    ("ragged", lambda good: [list(row) for row in good[:-1]] + [[1.0]], "refuse"),
    ("huge", lambda good: np.asarray(good) * 1e200, "either"),
    ("largest", lambda good: np.sign(good) * 1e308, "either"),
    ("near_largest", near_largest, "either"),
    ("alternating", alternating, "either"),
    ("one_huge", with_entry(1e300), "either"),
    ("tiny", lambda good: np.asarray(good) * 1e-300, "either"),
    ("denormal", lambda good: np.sign(good) * 5e-324, "either"),
    ("zeros", lambda good: np.zeros(np.shape(good)), "either"),
    ("constant_columns", lambda good: np.ones(np.shape(good)), "either"),
    ("duplicates", lambda good: np.repeat(np.asarray(good)[::2], 2, axis=0)[: len(good)], "either"),
    ("one_constant_column", lambda good: np.column_stack([good[:, :-1], np.ones(len(good))]), "either"),
    ("int64", of_type(np.int64), "equal"),
    ("int8", of_type(np.int8), "equal"),
    ("float32", single, "equal"),
    ("big_endian", lambda good: (np.asarray(good).astype(">f8"), good), "equal"),
    ("fortran", lambda good: (np.asfortranarray(good), good), "equal"),
    ("read_only", read_only, "equal"),
    ("strided", strided, "equal"),
    ("lists", lambda good: (np.asarray(good).tolist(), good), "equal"),
    ("objects", lambda good: (np.asarray(good).astype(object), good), "same"),
    ("bool", lambda good: (np.asarray(good) > 0, (np.asarray(good) > 0).astype(float)), "same"),
    ("frame", lambda good: (pd.DataFrame(good), good), "same"),
    ("csr", lambda good: (sparse.csr_matrix(good), good), "same"),
    ("csc", lambda good: (sparse.csc_matrix(good), good), "same"),
    ("unsorted_csr", unsorted_csr, "same"),
    ("csr_nan", lambda good: sparse.csr_matrix(with_entry(np.nan)(good)), "refuse"),
]
TRAINING = [*MATRIX, ("one_row_less", lambda good: np.asarray(good)[1:], "refuse")]
ROWS = [
    *MATRIX,
    ("wider", lambda good: np.column_stack([good, good]), "refuse"),
    ("narrower", lambda good: np.asarray(good)[:, 1:], "refuse"),
]

LABELS = [
    ("none", lambda good: None, "refuse"),
    ("a_string", lambda good: "abc", "refuse"),
    ("0d", lambda good: np.array(1), "refuse"),
    ("3d", lambda good: np.asarray(good)[:, None, None], "refuse"),
    ("two_columns", lambda good: np.column_stack([good, good]), "refuse"),
    ("empty", lambda good: np.empty(0), "refuse"),
    ("one_less", lambda good: np.asarray(good)[1:], "refuse"),
    ("one_more", lambda good: np.append(good, good[0]), "refuse"),
    ("nan", with_entry(np.nan), "refuse"),
    ("inf", with_entry(np.inf), "refuse"),
    ("complex", lambda good: np.asarray(good) + 1j, "refuse"),
    ("mixed_types", holding("a"), "refuse"),
    ("with_none", holding(None), "refuse"),
    ("with_list", holding([1]), "refuse"),
    ("continuous", lambda good: np.linspace(0.1, 0.9, len(good)), "refuse"),
    ("one_class", lambda good: np.full(len(good), np.asarray(good)[0]), "one_class"),
    ("three_classes", lambda good: np.arange(len(good)) % 3, "three_classes"),
    ("huge", lambda good: np.where(np.asarray(good) > 0, 1e300, -1e300), "either"),
    ("floats", lambda good: (np.asarray(good, dtype=float), good), "equal"),
    ("int8", lambda good: (np.asarray(good, dtype=np.int8), good), "equal"),
    ("lists", lambda good: (np.asarray(good).tolist(), good), "equal"),
    ("series", lambda good: (pd.Series(good), good), "equal"),
    ("read_only", lambda good: (read_only(good)[0].astype(int), good), "equal"),
]
# Where labels of any two values are taken.
NAMED_LABELS = [
    *LABELS,
    ("bool", lambda good: (np.asarray(good) > 0, good), "equal"),
    ("strings", lambda good: (np.where(np.asarray(good) > 0, "yes", "no"), good), "equal"),
    (
        "object_strings",
        lambda good: (np.where(np.asarray(good) > 0, "yes", "no").astype(object), good),
        "equal",
    ),
]

VECTOR = [
    ("nan", with_entry(np.nan), "refuse"),
    ("inf", with_entry(np.inf), "refuse"),
    ("complex", lambda good: np.asarray(good) + 1j, "refuse"),
    ("strings", lambda good: np.full(len(good), "a"), "refuse"),
    ("object_string", holding("a"), "refuse"),
    ("object_none", holding(None), "refuse"),
    ("a_string", lambda good: "abc", "refuse"),
    ("0d", lambda good: np.array(1.0), "refuse"),
    ("2d", lambda good: np.tile(np.asarray(good)[:, None], 2), "refuse"),
    ("empty", lambda good: [], "refuse"),
    ("one_less", lambda good: np.asarray(good)[1:], "refuse"),
    ("huge", lambda good: np.asarray(good) * 1e300, "either"),
    ("near_largest", near_largest, "either"),
    ("tiny", lambda good: np.asarray(good) * 1e-300, "either"),
    ("float32", single, "equal"),
    ("int64", of_type(np.int64), "equal"),
    ("lists", lambda good: (np.asarray(good).tolist(), good), "equal"),
    ("strided", strided, "equal"),
]
WEIGHTS = [
    *VECTOR,
    ("negative", with_entry(-1.0), "refuse"),
    ("all_zero", lambda good: np.zeros(len(good)), "refuse"),
    ("one_zero", with_entry(0.0), "either"),
    ("sum_overflows", lambda good: np.full(len(good), 1e308), "refuse"),
]

NUMBER = [
    ("string", lambda good: "1", "refuse"),
    ("nan", lambda good: np.nan, "refuse"),
    ("complex", lambda good: 1j, "refuse"),
    ("list", lambda good: [0.1], "refuse"),
    ("object", lambda good: object(), "refuse"),
    ("none", lambda good: None, "refuse"),
    ("inf", lambda good: np.inf, "either"),
    ("minus_inf", lambda good: -np.inf, "either"),
    ("negative", lambda good: -0.1, "either"),
    ("zero", lambda good: 0, "either"),
    ("huge", lambda good: 1e308, "either"),
    ("huge_int", lambda good: HUGE, "either"),
    ("tiny", lambda good: 1e-300, "either"),
    ("float32", lambda good: np.float32(0.25), "either"),
    # numba compiles for the type that it is given, where nothing has made it a float before.
    ("one", lambda good: (1, 1.0), "same"),
    ("whole", lambda good: (300, 300.0), "same"),
    ("int8", lambda good: (np.int8(100), 100.0), "same"),
]
POSITIVE = [
    *(each for each in NUMBER if each[0] not in ("negative", "zero", "minus_inf")),
    ("negative", lambda good: -0.1, "refuse"),
    ("minus_inf", lambda good: -np.inf, "refuse"),
]
INTEGER = [
    ("string", lambda good: "1", "refuse"),
    ("nan", lambda good: np.nan, "refuse"),
    ("inf", lambda good: np.inf, "refuse"),
    ("complex", lambda good: 1j, "refuse"),
    ("list", lambda good: [1], "refuse"),
    ("object", lambda good: object(), "refuse"),
    ("none", lambda good: None, "refuse"),
    ("fraction", lambda good: 1.5, "refuse"),
    ("negative", lambda good: -3, "refuse"),
    ("zero", lambda good: 0, "either"),
    ("huge", lambda good: HUGE, "either"),
    ("int64", lambda good: (np.int64(good or 2), int(good or 2)), "equal"),
]
CHOICE = [
    ("unknown", lambda good: "nonsense", "refuse"),
    ("none", lambda good: None, "refuse"),
    ("number", lambda good: 3, "refuse"),
    ("bytes", lambda good: b"auto", "refuse"),
    ("list", lambda good: [good], "refuse"),
]
FLAG = [
    ("string", lambda good: "no", "refuse"),
    ("two", lambda good: 2, "refuse"),
    ("nan", lambda good: np.nan, "refuse"),
    ("none", lambda good: None, "refuse"),
    ("array", lambda good: np.array([True, False]), "refuse"),
]
SEED = [
    ("string", lambda good: "0", "refuse"),
    ("negative", lambda good: -1, "refuse"),
    ("fraction", lambda good: 1.5, "refuse"),
    ("nan", lambda good: np.nan, "refuse"),
    ("list", lambda good: [0], "refuse"),
    ("huge", lambda good: HUGE, "either"),
    ("generator", lambda good: np.random.default_rng(0), "either"),
    ("legacy", lambda good: np.random.RandomState(0), "either"),
]
RNG = [
    ("none", lambda good: None, "either"),
    ("int", lambda good: 0, "either"),
    ("string", lambda good: "0", "refuse"),
    ("object", lambda good: object(), "refuse"),
]
OBJECT = [
    ("none", lambda good: None, "refuse"),
    ("number", lambda good: 3, "refuse"),
    ("string", lambda good: "abc", "refuse"),
    ("object", lambda good: object(), "refuse"),
    ("empty", lambda good: [], "refuse"),
]
CALLABLE = [each for each in OBJECT if each[0] != "empty"]
CLASS_WEIGHT = [
    ("unknown", lambda good: "nonsense", "refuse"),
    ("number", lambda good: 3, "refuse"),
    ("negative", lambda good: {1: -1.0, -1: 1.0}, "refuse"),
    ("nan", lambda good: {1: np.nan, -1: 1.0}, "refuse"),
    ("text", lambda good: {1: "a", -1: 1.0}, "refuse"),
    ("other_class", lambda good: {7: 1.0}, "refuse"),
    ("balanced", lambda good: "balanced", "either"),
]
GAMMA = [
    *(each for each in POSITIVE if each[0] not in ("none", "string")),
    ("unknown", lambda good: "nonsense", "refuse"),
    ("scale", lambda good: "scale", "either"),
    ("auto", lambda good: "auto", "either"),
]
KERNEL = [each for each in CHOICE if each[0] != "list"] + [("list", lambda good: [good], "refuse")]
INDEX = [
    ("string", lambda good: "1", "refuse"),
    ("nan", lambda good: np.nan, "refuse"),
    ("fraction", lambda good: 0.5, "refuse"),
    ("none", lambda good: None, "refuse"),
    ("object", lambda good: object(), "refuse"),
    ("beyond", lambda good: 10**6, "refuse"),
    ("huge", lambda good: HUGE, "refuse"),
    ("before", lambda good: -(10**6), "refuse"),
]
# Elementwise: an array comes back, and NaN is a value.
SCORES = [
    ("strings", lambda good: np.full(len(good), "a"), "refuse"),
    ("object", lambda good: object(), "refuse"),
    ("none", lambda good: None, "refuse"),
    ("complex", lambda good: np.asarray(good) + 1j, "refuse"),
    ("one_less", lambda good: np.asarray(good)[1:], "refuse"),
    ("huge", lambda good: np.asarray(good) * 1e300, "either"),
    ("tiny", lambda good: np.asarray(good) * 1e-300, "either"),
    ("float32", single, "same"),
    ("lists", lambda good: (np.asarray(good).tolist(), good), "equal"),
]

CV = [
    ("string", lambda good: "abc", "refuse"),
    ("one", lambda good: 1, "refuse"),
    ("object", lambda good: object(), "refuse"),
]


def but(breakers, **outcomes):
    """The same with other outcomes; None leaves one out."""
    changed = [(name, change, outcomes.get(name, outcome)) for name, change, outcome in breakers]
    return [each for each in changed if each[2] is not None]


BREAKERS = {
    "callable": CALLABLE,
    "choice": CHOICE,
    "class_weight": CLASS_WEIGHT,
    "cv": CV,
    "flag": FLAG,
    "gamma": GAMMA,
    "index": INDEX,
    "integer": INTEGER,
    "kernel": KERNEL,
    "labels": NAMED_LABELS,
    "number": NUMBER,
    "object": OBJECT,
    "positive": POSITIVE,
    "rng": RNG,
    "rows": ROWS,
    "rows_or_none": but(ROWS, empty="either"),
    "scores": SCORES,
    "seed": SEED,
    "set": but(
        MATRIX, empty="either", no_columns="either", empty_list="either"
    ),  # of points, as many as there are, or none
    "signs": LABELS,
    "alone": but(VECTOR, one_less="either", empty="either"),  # of any length
    "codes": but(LABELS, floats="same"),  # 0, 1, ...
    "jobs": but(INTEGER, negative="either"),
    "level": but(FLAG, two="either"),
    "lengths": but(WEIGHTS, all_zero="either", sum_overflows="either"),
    "pool": MATRIX,
    "signs_alone": but(LABELS, one_less="either", one_more="either", empty="either"),
    "training": TRAINING,
    "vector": VECTOR,
    "weights": WEIGHTS,
}
