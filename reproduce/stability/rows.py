"""A paper's claims judged with each seed, and their measured values beside the errors stated for them."""

import math
import statistics
from dataclasses import dataclass, field

from reproduce.paths import Family
from reproduce.scoring import judgement

FITS = (0.5, 2.0)  # the spread over seeds, in units of the mean stated standard error


@dataclass(frozen=True)
class Row:
    """One claim, or the corrected statement of one, over all seeds.

    Attributes
    ----------
    verdicts : dict
        verdict -> its seeds, the most frequent first; empty for a corrected statement, whose verdict is its
        claim's.
    mean, spread : float or None
        Of the measured values that are finite numbers; `spread` is their standard deviation over seeds.
    stderr : float or None
        The mean of the standard errors that were stated.
    constant : bool
        Whether the value is the same to the last digit with every seed.
    least, largest : float or None
        Of all measured values; NaN where one is no number.
    cases : int or None
        Of all seeds together, where they are counted.
    counted : int
        The number of seeds that had a case. A value of no case stands for nothing and is left out everywhere
        but from the verdicts.
    """

    id: str
    verdicts: dict = field(default_factory=dict)
    mean: float | None = None
    spread: float | None = None
    stderr: float | None = None
    constant: bool = False
    least: float | None = None
    largest: float | None = None
    cases: int | None = None
    counted: int = 0

    @property
    def ratio(self):
        """The spread in units of the stated error: near 1 where that is right; None where none is stated."""
        return None if self.spread is None or not self.stderr else self.spread / self.stderr

    @property
    def fits(self):
        """True where the stated error is about as large as the spread, where there are both."""
        return self.ratio is None or FITS[0] <= self.ratio <= FITS[1]


@dataclass(frozen=True)
class Stability:
    """All rows of a paper that were measured with any seed, and the seeds with which the check fails."""

    rows: list
    failing: dict  # seed -> what fails, a few words each


def stability_of_rows(paper, claims, measured, data="bundled"):
    """Judge a paper's claims with each seed.

    Parameters
    ----------
    measured : dict
        `{seed: {claim id: Measure}}`.
    """
    verdicts = {claim.id: {} for claim in claims}
    failing = {}
    for seed, measures in measured.items():
        judged = judgement.of_claims(claims, {data: measures})
        for j in judged:
            verdicts[j.claim.id].setdefault(j.by_data[data], []).append(seed)
        strangers = judgement.unknown_measures(paper, claims, {data: measures})
        if judgement.Judgement(Family("paper", data), {paper: judged}, strangers).failed:
            failing[seed] = [j.claim.id for j in judged if j.unexplained] + strangers
    rows = []
    for claim in claims:
        for name in (claim.id, claim.corrected_id):
            found = [measures[name] for measures in measured.values() if name in measures]
            if found:
                rows.append(_row(name, verdicts.get(name, {}), found))
    return Stability(rows, failing)


def _row(name, verdicts, found):
    found = [m for m in found if m.cases != 0]
    values = [float(m.value) for m in found]
    finite = [value for value in values if math.isfinite(value)]
    errors = [m.stderr for m in found if m.stderr and math.isfinite(m.stderr)]
    least, largest = _extremes(values)
    return Row(
        name,
        dict(sorted(verdicts.items(), key=lambda item: (-len(item[1]), item[0]))),
        math.fsum(finite) / len(finite) if finite else None,
        statistics.stdev(finite) if len(finite) > 1 else None,
        math.fsum(errors) / len(errors) if errors else None,
        # By repr, in which NaN is the same as NaN.
        len({repr(value) for value in values}) <= 1,
        least,
        largest,
        None if any(m.cases is None for m in found) else sum(m.cases for m in found),
        len(found),
    )


def _extremes(values):
    if any(map(math.isnan, values)):
        return math.nan, math.nan
    return min(values, default=None), max(values, default=None)
