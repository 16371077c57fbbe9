"""Verdicts: pure functions from a claim and a measured value to a word.

A measured value with its standard error stands for an interval, `Z` standard errors to either side. Where
the error itself comes from few runs, Student's t takes the place of `Z`, with the same chance of missing.

========  ===========================================================================================
kind      the statement allows
========  ===========================================================================================
value     ``paper - allowance ... paper + allowance``, with ``allowance = tolerance + Z paper_stderr``
exact     ``paper - tolerance ... paper + tolerance``
identity  the same: arithmetic that holds whatever the code does
bound     up to ``paper + tolerance`` ("at most"), or from ``paper - tolerance`` on ("at least")
order     more than 0: a gap in the direction that the paper states
trend     the same, for a gap that is a slope or a change
========  ===========================================================================================

The statement is reproduced where the whole interval is allowed, it differs where nothing of the interval is,
and the measurement is inconclusive where the interval crosses an edge, or holds the rival value `refutes`.

Only the standard library may be imported here, and scipy where it is needed: the driver loads this file, too.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paperlib.experiments.ledger import Claim, Statement

# At most one wrong word in 40 among 400 honest rows: 400 times the tails of 4 standard errors, 6.3e-5.
# It is fixed, not computed from the number of rows: a new row must not change the verdict on another.
Z = 4.0

REPRODUCED = "reproduced"
CORRECTED = "corrected"
DIFFERS = "differs"
INCONCLUSIVE = "inconclusive"
VACUOUS = "vacuous"
IDENTITY = "identity"
NOT_RUN = "not run"
NOT_CHECKABLE = "not checkable"
ALL = (REPRODUCED, CORRECTED, DIFFERS, INCONCLUSIVE, VACUOUS, IDENTITY, NOT_RUN, NOT_CHECKABLE)
WORST_FIRST = (DIFFERS, VACUOUS, INCONCLUSIVE, CORRECTED, REPRODUCED, IDENTITY, NOT_CHECKABLE, NOT_RUN)

INTERVAL = (
    "A measured value stands for an interval of 4 standard errors to either side "
    "(Student's t where runs are few)."
)
MEANING = {
    REPRODUCED: "the whole interval lies inside what the statement allows, and the statement does not hold "
    "for the trivial value: what a method that knows nothing gets, or the most there can be",
    CORRECTED: "the statement as printed fails, and the corrected one beside it holds",
    DIFFERS: "the whole interval lies outside, for the reason given",
    INCONCLUSIVE: "the interval crosses the edge of what is allowed; more trials would decide",
    VACUOUS: "the statement also holds for the trivial value, so it says nothing about the method",
    IDENTITY: "arithmetic that holds whatever the code does; counted apart",
    NOT_RUN: "nothing was measured for it here",
    NOT_CHECKABLE: "no run can check it; listed so that the count is honest",
}


def verdict(claim: "Claim", measures: Mapping[str, tuple[Any, ...]]) -> str:
    """Return the verdict on one claim.

    Parameters
    ----------
    claim : Claim
    measures : dict
        `{id: (value, stderr, degrees of freedom, cases, resolution)}`; all but the value may be left out.

    Returns
    -------
    str
        One of `ALL`.

    Examples
    --------
    >>> from paperlib.experiments.ledger import Claim, Statement
    >>> claim = Claim("lemma-1", "Lemma 1", Statement("no more than 2", "bound", 2.0), trivial=3.0)
    >>> verdict(claim, {"lemma-1": (1.5, 0.1)}), verdict(claim, {"lemma-1": (1.5, 0.2)}), verdict(claim, {})
    ('reproduced', 'inconclusive', 'not run')
    """
    if not claim.checkable:
        return NOT_CHECKABLE
    if claim.id not in measures:
        return NOT_RUN
    statement = claim.statement
    if claim.trivial is not None and judged(statement, claim.trivial) == REPRODUCED:
        return VACUOUS
    found = judged(statement, *measures[claim.id])
    if found == DIFFERS and claim.corrected and claim.corrected_id in measures:
        corrected = judged(claim.corrected, *measures[claim.corrected_id])
        # Where the corrected statement does not hold either, its verdict is that of the row.
        return {REPRODUCED: CORRECTED}.get(corrected, corrected)
    return IDENTITY if statement.kind == "identity" and found == REPRODUCED else found


def judged(
    statement: "Statement",
    measured: float,
    stderr: float = 0.0,
    dof: float | None = None,
    cases: int | None = None,
    _resolution: float | None = None,
) -> str:
    """Return REPRODUCED, DIFFERS or INCONCLUSIVE for a measured value; one that is not finite differs."""
    if cases == 0:
        return INCONCLUSIVE
    if not (math.isfinite(measured) and math.isfinite(stderr)):
        return DIFFERS
    reach = width(dof) * stderr
    low, high = allowed(statement)
    # A margin for the last digits of a double: 0.455 is within 0.005 of 0.45.
    slack = 1e-12 * max(1.0, abs(statement.paper or 0.0))
    above = measured - reach - low
    below = high - measured - reach
    if statement.kind in ("order", "trend"):  # no gap at all is not one in the right direction
        inside, outside = above > 0, measured + reach <= 0
    else:
        inside = above >= -slack and below >= -slack
        outside = measured + reach < low - slack or measured - reach > high + slack
    if outside:
        return DIFFERS
    rival = statement.refutes
    if not inside or (rival is not None and abs(measured - rival) <= reach):
        return INCONCLUSIVE
    return REPRODUCED


def allowed(statement: "Statement") -> tuple[float, float]:
    """Return the smallest and the largest value that a statement allows."""
    if statement.kind in ("order", "trend"):
        return 0.0, math.inf
    printed = math.nan if statement.paper is None else statement.paper
    if statement.kind == "bound":
        if statement.sense == "at most":
            return -math.inf, printed + statement.tolerance
        return printed - statement.tolerance, math.inf
    allowance = statement.tolerance
    if statement.kind == "value":
        allowance += Z * statement.paper_stderr
    return printed - allowance, printed + allowance


def width(dof: float | None = None) -> float:
    """Return the number of standard errors to either side, given their degrees of freedom.

    >>> width(), round(width(9), 2)
    (4.0, 7.0)
    """
    if dof is None:
        return Z
    from scipy.special import stdtrit

    # The chance that a normal variable is more than Z standard deviations above its mean.
    tail = math.erfc(Z / math.sqrt(2)) / 2
    return -float(stdtrit(dof, tail))


def as_found(
    statement: "Statement",
    found: tuple[float, float],
    measured: float,
    stderr: float = 0.0,
    dof: float | None = None,
    _cases: int | None = None,
    _resolution: float | None = None,
) -> bool:
    """Return whether a measured value is what was found before, each with its standard error."""
    value, its_stderr = found
    # The error of a difference of two independent measurements.
    close = max(statement.tolerance, width(dof) * math.hypot(stderr, its_stderr))
    return abs(measured - value) <= close + 1e-12 * max(1.0, abs(statement.paper or 0.0))
