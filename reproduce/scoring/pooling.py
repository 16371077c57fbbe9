"""Rows judged by all seeds together, since seeds are trials.

Of a row that has another value with another seed, the one run of the committed results is one trial of many.
Where the runs state a standard error, the row is judged by the mean over seeds with the error that their
spread says. An extreme or a count over cases has no such error: each seed adds cases, so the row is judged by
the worst value of all seeds. A value that is the same with every seed stays that of the one run, with
whatever error it states.
"""

import math
from dataclasses import dataclass

from reproduce.library import verdicts
from reproduce.publication.results import Measure


@dataclass(frozen=True)
class OtherSeeds:
    """What the runs with other seeds than the committed one measured for a row.

    Attributes
    ----------
    mean, spread : float
        Of the values, where all are finite; `spread` is their standard deviation, 0 of a single one.
    stderr : float or None
        The mean of the errors that were stated, where some were.
    least, largest : float
        The extremes of all values.
    cases : int or None
        Of all these runs together.
    counted : int
        The number of runs that had a case.
    """

    mean: float
    spread: float
    stderr: float | None
    least: float
    largest: float
    cases: int | None
    counted: int


def of_all_seeds(statement, own, others):
    """Return what all seeds together measured for a statement, or None where the one run decides.

    Parameters
    ----------
    statement : Statement
    own : Measure
        Of the committed results.
    others : OtherSeeds

    Examples
    --------
    >>> from reproduce.scoring.ledger import Statement
    >>> bound = Statement("no more than 1", "bound", 1.0)
    >>> of_all_seeds(bound, Measure(0.5, cases=10), OtherSeeds(0.7, 0.1, None, 0.6, 0.8, 20, 2))
    Measure(value=0.8, stderr=0.0, dof=None, cases=30, resolution=None)
    >>> of_all_seeds(bound, Measure(0.5, 0.1), OtherSeeds(0.5, 0.0, 0.1, 0.5, 0.5, None, 2)) is None
    True
    """
    if own.cases == 0 or not others.counted:
        return None
    cases = None if None in (own.cases, others.cases) else own.cases + others.cases
    least, largest = min(own.value, others.least), max(own.value, others.largest)
    if not all(map(math.isfinite, (own.value, others.least, others.largest))):
        return Measure(math.nan, cases=cases)  # no number with some seed, so none at all
    if least == largest:
        return None
    if own.stderr or others.stderr:
        try:
            return _mean(own, others)._replace(cases=cases)
        except OverflowError:  # of the square of a number near the largest there is
            return Measure(math.nan, cases=cases)
    return Measure(_worst(statement, least, largest), cases=cases, resolution=own.resolution)


def of_claim(claim, measures, others):
    """Return `{id: Measure}` of what all seeds together measured, for a claim and its corrected statement.

    There is none for a claim that is not to be pooled.

    Parameters
    ----------
    measures : dict
        `{id: Measure}` of the committed results.
    others : dict
        `{id: OtherSeeds}`.
    """
    statements = {claim.id: claim.statement, claim.corrected_id: claim.corrected}
    found = {
        name: of_all_seeds(statement, Measure(*measures[name]), others[name])
        for name, statement in statements.items()
        if claim.pooled and statement and name in measures and name in others
    }
    return {name: measure for name, measure in found.items() if measure}


def _mean(own, others):
    n = others.counted + 1
    mean = (others.counted * others.mean + own.value) / n
    # The squared deviations of all n values from their common mean, without the values: those of the others
    # from their own mean, and what their distance and that of the one run from the common mean adds.
    within = (others.counted - 1) * others.spread**2
    squares = within + others.counted * (others.mean - mean) ** 2 + (own.value - mean) ** 2
    return Measure(mean, math.sqrt(squares / (n - 1) / n), n - 1)


def _worst(statement, least, largest):
    """Return the extreme that is nearer to an edge of what is allowed, or farther beyond it."""
    low, high = verdicts.allowed(statement)
    worst = min(least, largest, key=lambda value: min(value - low, high - value))
    rival = statement.refutes
    has_none_between = rival is None or not least <= rival <= largest
    if has_none_between or verdicts.judged(statement, worst) == verdicts.DIFFERS:
        return worst
    return rival  # which values on both sides of it do not exclude
