"""Formulas that the library has in another form: as the paper prints them, or with nothing rounded up.

A bound that is twenty times what any run needs cannot be told from one that is wrong by ten. So sizes are
held against what one step takes with nothing rounded up: the margin falls from ``rho`` to at most ``rho
sqrt(1 - alpha^2 / (R^2 - rho^2 + 2 rho alpha))`` where a point joins that is ``alpha`` below (see
`paperlib.coresets.theory.equation_1_sharp`), a formula that rises with ``rho`` and falls with ``alpha``.
What follows from it by induction is less than the bounds of `paperlib.coresets.theory`, and so than the
paper's.
"""

import math

_ROUNDING = 1e-9  # relative: what it may take from a margin


def lemma_3_1_sharp(ratio: float, eps: float, *, start: float | None = None, above: float = 1.0) -> int:
    """Points that join at most, the worst each time, while the coreset's margin is above a multiple of rho*.

    The worst point is at least ``rho_i - rho*`` below, as no hyperplane has more than rho* on all, and at
    least ``eps rho_i``, or it would not join. That takes somewhat less than ``4 (R / rho*)^2 / eps`` points,
    half of them to ``above = 1 + eps``.

    Parameters
    ----------
    ratio : float
        ``R / rho*``, at least 1.
    eps : float in (0, 1)
    start : float, >= 1, optional
        The margin over rho* that it begins with, that of the first point if none is given.
    above : float, >= 1

    Returns
    -------
    int

    Examples
    --------
    >>> lemma_3_1_sharp(2.0, 0.1), lemma_3_1_sharp(2.0, 0.1, above=1.1), lemma_3_1_sharp(2.0, 0.1, start=1.1)
    (96, 42, 54)
    """
    least = above * (1.0 - _ROUNDING)
    margin, points = start or ratio, 1  # in units of rho*: the first point's is R at most
    while True:
        alpha = max(margin - 1.0, eps * margin)
        margin *= math.sqrt(1.0 - alpha**2 / (ratio**2 - margin**2 + 2.0 * margin * alpha))
        if margin < least:
            return points
        points += 1


def corollary_3_2_sharp(ratio: float, eps: float) -> int:
    """Points that join at most when any violator may: at most ``1 + ((R / rho*)^2 - 1) / eps^2``.

    With ``q = (R / rho_i)^2`` a step takes q to at least ``q + eps^2 q / (q - (1 - eps)^2)``, and q begins
    at 1 or above and ends at ``(R / rho*)^2`` or below. `samples.staircase` needs as many.

    Parameters
    ----------
    ratio : float
        ``R / rho*``, at least 1.
    eps : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> corollary_3_2_sharp(2.0, 0.1), corollary_3_2_sharp(2.0, 0.5)
    (187, 11)
    """
    most = ratio**2 * (1.0 + _ROUNDING)
    q, points = 1.0, 1
    while True:
        q += eps**2 * q / (q - (1.0 - eps) ** 2)
        if q > most:
            return points
        points += 1


def lemma_4_2_labels(size: int, error: float, delta: float) -> int:
    """Labels that an active learner asks for at most whose coreset has `size` points.

    The lemma's ``|C| / e (ln |C| + ln 1 / delta)``, with ``|C|`` the coreset that there is and the constant
    of its logarithm: nobody knows beforehand how many verifications there will be, so the i-th one may fail
    with probability ``delta / (i (i + 1))``, and ``ln i (i + 1)`` is below ``2 ln (|C| + 1)``. Two more for
    each point: its own label, and what a number of draws is rounded up by. It is written out here, and does
    not ask the library how many it draws.

    >>> lemma_4_2_labels(2, 0.05, 0.1)
    183
    """
    return math.floor(2 * size + size / error * (2.0 * math.log(size + 1) + math.log(1.0 / delta)))


def lemma_4_2_reads(size: int, error: float, delta: float) -> int:
    """Points of a stream that are read at most, by a learner whose coreset has `size` points.

    As `lemma_4_2_labels`, but that a run of points which are not near goes before each verification.

    >>> lemma_4_2_reads(2, 0.05, 0.1)
    366
    """
    return 2 * lemma_4_2_labels(size, error, delta)


def lemma_5_2_ratio(size: int, eps: float) -> float:
    """Largest ``R / rho`` for which `size` points are enough by `lemma_3_1_sharp`, by bisection up to 8.

    >>> round(lemma_5_2_ratio(8, 0.2), 2), lemma_3_1_sharp(1.27, 0.2), lemma_3_1_sharp(1.29, 0.2)
    (1.29, 8, 9)
    """
    low, high = 1.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if lemma_3_1_sharp(middle, eps) <= size else (low, middle)
    return low


def lemma_4_1_draws(n_mistakes: int, error: float, delta: float) -> int:
    """Draws that a hypothesis of error above `error` survives with probability ``delta / M`` at most.

    ``(ln M + ln 1 / delta) / error``. M times as many are the lemma's formula, as Section 4.2 brackets it;
    our text of the lemma, which has lost other brackets, has none.

    >>> lemma_4_1_draws(1, 0.05, 0.1)
    47
    """
    return math.ceil((math.log(n_mistakes) + math.log(1.0 / delta)) / error)
