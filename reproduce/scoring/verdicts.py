"""Verdicts: pure functions from a claim and a measured value to a word.

========  ===========================================================================================
kind      holds when
========  ===========================================================================================
value     ``|measured - paper| <= max(tolerance, 2 sqrt(stderr^2 + paper_stderr^2))``
exact     ``|measured - paper| <= tolerance``
bound     ``measured - 2 stderr <= paper + tolerance`` ("at most"), or
          ``measured + 2 stderr >= paper - tolerance`` ("at least")
order     the gap in the direction that the paper states is more than ``2 stderr``
trend     the same, for a gap that is a slope or a change
========  ===========================================================================================

A measured value or standard error that is not finite never holds.
"""

import math

from reproduce.scoring.ledger import Claim, Statement

REPRODUCED = "reproduced"
CORRECTED = "corrected"
DIFFERS = "differs"
NOT_RUN = "not run"
NOT_CHECKABLE = "not checkable"
ALL = (REPRODUCED, CORRECTED, DIFFERS, NOT_RUN, NOT_CHECKABLE)
WORST_FIRST = (DIFFERS, CORRECTED, REPRODUCED, NOT_CHECKABLE, NOT_RUN)

LEGEND = """\
- **reproduced**: the statement holds for what was measured here. *value*: within the stated tolerance or
  twice the combined standard error, whichever is larger; *exact*: within the printed rounding; *bound*: not
  beyond the bound by more than twice the standard error; *order*, *trend*: the gap in the stated direction
  is larger than twice its standard error.
- **corrected**: the statement as printed fails, and the corrected one beside it holds.
- **differs**: it fails, for the reason given.
- **not run**: nothing was measured for it here.
- **not checkable**: no run can check it; listed so that the count is honest."""


def verdict(claim: Claim, measures):
    """Return the verdict on one claim.

    Parameters
    ----------
    claim : Claim
    measures : dict
        `{id: (value, stderr)}`.
    """
    if not claim.checkable:
        return NOT_CHECKABLE
    if claim.id not in measures:
        return NOT_RUN
    if holds(claim.statement, *measures[claim.id]):
        return REPRODUCED
    measured = measures.get(claim.corrected_id)
    return CORRECTED if claim.corrected and measured and holds(claim.corrected, *measured) else DIFFERS


def holds(statement: Statement, measured, stderr=0.0):
    """Return whether a statement holds for a measured value with its standard error."""
    if not (math.isfinite(measured) and math.isfinite(stderr)):
        return False
    if statement.kind in ("order", "trend"):
        return measured > 2 * stderr
    if statement.kind == "bound":
        beyond = measured - statement.paper if statement.sense == "at most" else statement.paper - measured
        return _at_most(beyond, statement.tolerance + 2 * stderr, statement)
    allowed = statement.tolerance
    if statement.kind == "value":
        allowed = max(allowed, 2 * math.hypot(stderr, statement.paper_stderr))
    return _at_most(abs(measured - statement.paper), allowed, statement)


def as_found(statement: Statement, found, measured, stderr=0.0):
    """Return whether a measured value is what was found before, each with its standard error."""
    value, its_stderr = found
    allowed = max(statement.tolerance, 2 * math.hypot(stderr, its_stderr))
    return _at_most(abs(measured - value), allowed, statement)


def _at_most(difference, allowed, statement):
    """Compare with a margin for the last digits of a double: 0.455 is within 0.005 of 0.45."""
    return difference <= allowed + 1e-12 * max(1.0, abs(statement.paper or 0.0))
