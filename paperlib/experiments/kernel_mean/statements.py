"""Every statement of Sections 3 and 4 that holds, on random finite distributions: a row a case."""

import pandas as pd

from paperlib.experiments.kernel_mean import sections_3_and_4, statements_of_losses
from paperlib.experiments.kernel_mean.checks import check_cases
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

# The groups are one in both modules; each adds its own checks to them.
CHECKS = sections_3_and_4.EQUALITIES | sections_3_and_4.AVERAGES | statements_of_losses.INEQUALITIES


@step
def statement_cases(n_cases, *, seed):
    """Try each check of `CHECKS` on `n_cases` random distributions of its own.

    Returns
    -------
    DataFrame with a row per statement and case: statement, case, value, resolution
        How far the statement is from holding, in multiples of `resolution`, as its `Check` says.
    """
    return pd.concat([cases_of(name, n_cases, seed=seed) for name in CHECKS], ignore_index=True)


@step
def cases_of(statement, n_cases, *, seed):
    """Return the rows of one statement of `statement_cases`."""
    check = CHECKS[statement]
    values = check_cases(check, n_cases, stream(seed, f"statement {statement}"))
    rows = {"statement": statement, "case": range(n_cases), "value": values, "resolution": check.resolution}
    return pd.DataFrame(rows)


def in_words(cases):
    """Return a row per statement: statement, says, cases, mean, largest."""
    summary = cases.groupby("statement", sort=False).value.agg(["size", "mean", "max"]).reset_index()
    summary.insert(1, "says", [CHECKS[name].says for name in summary.statement])
    return summary.rename(columns={"size": "cases", "max": "largest"})
