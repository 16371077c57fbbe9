"""The table of all statements of Sections 1 to 3 on many samples."""

import inspect
import math
from collections.abc import Callable, Iterator

import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments.boosting2d import section_3, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.samples import (
    COUNTEREXAMPLES,
    larger_sample,
    nearly_in_line,
    small_sample,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

# What a claim's id is measured from.
CHECKS: dict[str, Callable[..., Iterator[bool]]] = {
    "section-1.likelihood": sections_1_and_2.likelihood,
    "section-1.similarly": sections_1_and_2.both_separable,
    "theorem-2.3.optimal": sections_1_and_2.optimal,
    "section-2.pairs": sections_1_and_2.through_pairs,
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
    "theorem-3.1.smaller-class": section_3.smaller_class_is_exact,
    "section-1.flip": section_3.flipped,
}
# What is behind the statements that fail as printed.
SLIPS = {
    "no positive point to shift to": [
        "theorem-2.3.optimal",
        "theorem-2.13.fattest",
        "lemma-2.5",
        "section-3.marking",
        "lemma-3.9",
    ],
    "both points are on the line": ["section-2.pairs"],
    "lines that have the point right are not counted": ["section-3.manifest", "section-3.counters"],
    "half of the lines": ["section-3.angles"],
    "points on the line": ["section-1.similarly"],
    "a weight is not one": ["corollary-3.3.text"],
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
    "theorem-3.1.smaller-class",
)
# Tried on points that are in line but for rounding, too: no line in doubles need part them.
NARROW = ("lemma-2.6", "lemma-2.7")


@step
def statements(n_samples, *, largest=7, seed):
    """Hold the statements of Sections 1 to 3 against exhaustive search on many samples.

    Parameters
    ----------
    n_samples : int >= 1
        Small ones, with ties, points in line and points that coincide. On top come the counterexamples, one
        sample of 30 to 50 points for each twenty, and as many of points nearly in line, for some statements.
    largest : int in [2, 12]
        Points of a small sample, at most.
    seed : int

    Returns
    -------
    DataFrame with a row per statement, form, kind of samples and smaller class
        statement, form ("printed" or "corrected", where a correction was needed), samples ("small",
        "counterexample", "larger", "nearly in line"), smaller (points of the smaller class: 0, 1, or 2 for
        two and more), cases, failures.
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    largest = check_number(largest, "largest", low=2, high=12, integer=True)
    tried = _samples(n_samples, largest, stream(seed, "samples of statements"))
    rows = []
    for statement, check in progress(list(CHECKS.items()), "statements"):
        of_kind = {**tried, "larger": tried["larger"] * (statement in LARGER)}
        of_kind["nearly in line"] = tried["nearly in line"] * (statement in NARROW)
        forms = (
            ["printed", "corrected"] if "corrected" in inspect.signature(check).parameters else ["printed"]
        )
        for form in forms:
            rng = stream(seed, f"statement {statement}, {form}")
            more = {"corrected": True} if form == "corrected" else {}
            for kind, samples in of_kind.items():
                for sample in samples:
                    held = [bool(holds) for holds in check(sample, rng, **more)]
                    fewer = min(2, int(min(sample.positive.sum(), sample.n - sample.positive.sum())))
                    rows.append((statement, form, kind, fewer, len(held), held.count(False)))
    keys = ["statement", "form", "samples", "smaller"]
    table = pd.DataFrame(rows, columns=[*keys, "cases", "failures"])
    return table.groupby(keys, sort=False).sum().query("cases > 0").reset_index()


def _samples(n_samples, largest, rng):
    """Draw the samples of each kind, as `Sample`."""
    few = math.ceil(n_samples / 20)
    drawn = {
        "small": [small_sample(rng, largest) for _ in range(n_samples)],
        "counterexample": COUNTEREXAMPLES,
        "larger": [larger_sample(rng) for _ in range(few)],
        "nearly in line": [nearly_in_line(rng) for _ in range(few)],
    }
    return {kind: [sections_1_and_2.Sample(*each) for each in samples] for kind, samples in drawn.items()}


def by_slip(found):
    """Return failures and cases of the statements that fail as printed, by slip and points of a class.

    "none" and "one point" are of the smaller class.
    """
    printed = found[found.form == "printed"]
    sums = printed.groupby(["statement", "smaller"])[["failures", "cases"]].sum()
    text = (sums.failures.map(str) + " of " + sums.cases.map(str)).unstack("smaller", fill_value="")
    rows = [(slip, statement) for slip, each in SLIPS.items() for statement in each]
    table = text[[0, 1, 2]].loc[[statement for _, statement in rows]]
    table.index = pd.MultiIndex.from_tuples(rows, names=["slip", "statement"])
    return table.set_axis(["none", "one point", "more"], axis=1)


def in_words(found):
    """Return cases and failures of each statement, as printed, and as corrected where that was needed."""
    sums = found.groupby(["statement", "form"], sort=False)[["cases", "failures"]].sum()
    table = sums.unstack("form").swaplevel(axis=1)[["printed", "corrected"]].loc[list(CHECKS)]
    return table.astype("Int64").astype(object).where(table.notna(), "")
