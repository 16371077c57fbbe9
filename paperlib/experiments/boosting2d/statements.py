"""The table of all statements of Sections 1 to 3 on many samples."""

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments.boosting2d import section_3, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.samples import (
    COUNTEREXAMPLES,
    larger_sample,
    nearly_in_line,
    small_sample,
)

# What a claim's id is measured from.
CHECKS: dict[str, Callable[..., Iterator[bool]]] = {
    "section-1.likelihood": sections_1_and_2.likelihood,
    "section-1.similarly": sections_1_and_2.both_separable,
    "theorem-2.3.optimal": sections_1_and_2.optimal,
    "lemma-2.2": sections_1_and_2.lemma_2_2,
    "lemma-2.5": sections_1_and_2.lemma_2_5,
    "lemma-2.6": sections_1_and_2.lemma_2_6,
    "lemma-2.7": sections_1_and_2.lemma_2_7,
    "lemma-2.8": sections_1_and_2.lemma_2_8,
    "theorem-2.13.fattest": sections_1_and_2.fattest,
    "lemma-2.14.fattest": sections_1_and_2.lemma_2_14,
    "section-2.1.flip": sections_1_and_2.fattest_flipped,
    "lemma-3.2": section_3.lemma_3_2,
    "corollary-3.3": section_3.corollary_3_3,
    "corollary-3.3.bound": section_3.lower_bound,
    "corollary-3.3.text": section_3.error_of_members,
    "lemma-3.4": section_3.lemma_3_4,
    "lemma-3.5": section_3.lemma_3_5,
    "lemma-3.6": section_3.lemma_3_6,
    "lemma-3.7": section_3.lemma_3_7,
    "lemma-3.8": section_3.lemma_3_8,
    "lemma-3.9": section_3.lemma_3_9,
    "lemma-3.10": section_3.lemma_3_10,
    "section-3.manifest": section_3.manifest,
    "section-3.marking": section_3.marking,
    "section-3.angles": section_3.opening_angles,
    "section-3.counters": section_3_error.counters,
    "theorem-3.1.exact": section_3.leave_one_out_is_exact,
    "theorem-1.5.intervals": section_3.intervals_are_exact,
    "section-1.flip": section_3.flipped,
}
# Tried on samples that branch and bound must divide, too: what can be known of these by listing all lines.
LARGER = (
    "section-1.likelihood",
    "theorem-2.3.optimal",
    "lemma-2.2",
    "lemma-2.6",
    "theorem-2.13.fattest",
    "lemma-2.14.fattest",
    "section-2.1.flip",
    "corollary-3.3",
    "corollary-3.3.bound",
    "theorem-3.1.exact",
    "theorem-1.5.intervals",
)
# Tried on points that are in line but for rounding, too: no line in doubles need part them.
NARROW = ("lemma-2.6", "lemma-2.7")


def check_statements(n_samples, *, largest=7, random_state=None):
    """Hold the statements of Sections 1 to 3 against exhaustive search on many samples.

    Parameters
    ----------
    n_samples : int >= 1
        Small ones, with ties, points in line and points that coincide. On top come the counterexamples, one
        sample of 30 to 50 points for each twenty, and as many of points nearly in line, for some statements.
    largest : int in [2, 12]
        Points of a small sample, at most.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per statement: claim, cases, failures, corrected_cases, corrected_failures
        The last two are missing where nothing had to be corrected.
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    largest = check_number(largest, "largest", low=2, high=12, integer=True)
    rng = np.random.default_rng(random_state)
    tried = [small_sample(rng, largest) for _ in range(n_samples)]
    tried = [sections_1_and_2.Sample(*each) for each in [*tried, *COUNTEREXAMPLES]]
    larger, narrow = (
        [sections_1_and_2.Sample(*draw(rng)) for _ in range(math.ceil(n_samples / 20))]
        for draw in (larger_sample, nearly_in_line)
    )
    rows = []
    for claim, check in CHECKS.items():
        row: dict[str, Any] = {"claim": claim, "cases": 0, "failures": 0}
        these = tried + larger * (claim in LARGER) + narrow * (claim in NARROW)
        held = [bool(holds) for sample in these for holds in check(sample, rng)]
        row |= {"cases": len(held), "failures": held.count(False)}
        if "corrected" in inspect.signature(check).parameters:
            held = [bool(holds) for sample in these for holds in check(sample, rng, corrected=True)]
            row |= {"corrected_cases": len(held), "corrected_failures": held.count(False)}
        rows.append(row)
    return pd.DataFrame(rows).astype({"corrected_cases": "Int64", "corrected_failures": "Int64"})
