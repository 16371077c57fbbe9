"""Ways in which NumPy, SciPy and dask hold the same numbers: byte orders, types, strides, memory maps.

A layout takes a native array and gives ``(other, equivalent)``: what is tried, and the native array whose
answer it must give. Of another type this holds the same numbers as float64, or int64 where they are integers.
"""

import tempfile

import numpy as np
from scipy import sparse

TYPES = ["f2", "f4", "longdouble", "?", "i1", "u1", "i2", "u2", "i4", "u4", "u8"]
SWAPPED = ["f8", "f4", "f2", "longdouble", "i8", "i4", "i2", "u4", "u8"]


def rounded(good, dtype):
    """The array in a type that may hold fewer numbers, its own ones shifted and rounded before."""
    good, kind = np.asarray(good), np.dtype(dtype).kind
    if kind == "b":
        good = good > 0
    elif kind in "iu" and good.dtype.kind == "f":
        good = np.round(4.0 * good)
    return (good - good.min() if kind == "u" else good).astype(dtype)


def of_type(dtype):
    def layout(good):
        other = rounded(good, dtype)
        return other, other.astype(np.float64 if np.asarray(good).dtype.kind == "f" else np.int64)

    return layout


def swapped(dtype):
    """In the byte order of other machines."""

    def layout(good):
        native = rounded(good, dtype)
        return native.astype(native.dtype.newbyteorder()), native

    return layout


def mapped(dtype):
    def layout(good):
        native = np.ascontiguousarray(good if dtype is None else rounded(good, dtype))
        other = native if dtype is None else native.astype(native.dtype.newbyteorder())
        with tempfile.TemporaryFile() as file:
            file.write(other.tobytes())
            file.flush()
            return np.memmap(file, dtype=other.dtype, mode="r", shape=other.shape), native

    return layout


def unaligned(good):
    """A field of packed records, as of a binary file with a header in each row."""
    records = np.zeros(np.shape(good), dtype=[("head", "i1"), ("body", np.asarray(good).dtype)])
    records["body"] = good
    return records["body"]


def every_second(good):
    good = np.asarray(good)
    wide = np.zeros([2 * length for length in good.shape], dtype=good.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in good.shape)]
    view[...] = good
    return view


def backwards(good):
    return np.flip(np.ascontiguousarray(np.flip(good)))


def one_row(good):
    """Rows that are one place of memory."""
    other = np.broadcast_to(np.asarray(good)[:1], np.shape(good))
    return other, np.array(other)


def csr(change):
    """A CSR matrix with `change` done to its arrays, where SciPy lets them be so."""

    def layout(good):
        plain = sparse.csr_matrix(good)
        parts = change(plain.data), change(plain.indices), change(plain.indptr)
        return sparse.csr_array((parts[0], parts[1], parts[2]), shape=plain.shape, copy=False), plain

    return layout


def chunked(dtype):
    """A dask array of a type, with chunks along both sides."""

    def layout(good):
        import dask.array

        other = np.asarray(good).astype(dtype)
        return tuple(
            dask.array.from_array(each, chunks=(5, 2)[: each.ndim]) for each in (other, other.astype(float))
        )

    return layout


def read_only(good):
    return np.broadcast_to(good, np.shape(good))


def big(values):
    return values.astype(values.dtype.newbyteorder())


def plainly(view):
    """A layout of a view that holds the same numbers."""
    return lambda good: (view(good), good)


LAYOUTS = {
    **{f"swapped_{dtype}": swapped(dtype) for dtype in SWAPPED},
    **{f"type_{dtype}": of_type(dtype) for dtype in TYPES},
    "mapped": mapped(None),
    **{f"mapped_swapped_{dtype}": mapped(dtype) for dtype in ("f8", "f4", "i2")},
    "one_row": one_row,
    **{f.__name__: plainly(f) for f in (unaligned, every_second, backwards, read_only, np.asfortranarray)},
}
OF_MATRICES = {
    "csr_big": csr(lambda values: big(values) if values.dtype.kind == "f" else values),
    "csr_long": csr(lambda values: values if values.dtype.kind == "f" else values.astype(np.int64)),
    **{f"csr_{f.__name__}": csr(f) for f in (unaligned, every_second, backwards, read_only)},
    "dask_big": chunked(">f8"),
    "dask_single": chunked("f4"),
    "dask_longdouble": chunked("longdouble"),
}


def of_all(value, layout):
    """``(other, equivalent)`` of an argument: of an array, of those in a list, an object, or a call's answer.

    None where there is no array in it.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim:
        return layout(value)
    if isinstance(value, tuple | list):
        pairs = [of_all(each, layout) for each in value]
        if not any(pairs):
            return None
        return tuple(
            type(value)(each if pair is None else pair[k] for each, pair in zip(value, pairs)) for k in (0, 1)
        )
    return None
