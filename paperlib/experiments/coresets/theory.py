"""Formulas as the paper has them, where the library's own constants are others."""

import math


def lemma_3_1_steps(ratio: float, eps: float) -> float:
    """Steps until the coreset's margin is within ``1 + eps`` of the optimum: ``64 (R / rho*)^2 / eps``.

    Our reading of a fraction that is garbled in print; with Equation (1) an eighth of it is enough.

    >>> lemma_3_1_steps(2.0, 0.5)
    512.0
    """
    return 64.0 * ratio**2 / eps


def lemma_4_1(n_mistakes: int, error: float, delta: float) -> int:
    """Labels after which a learner of mistake bound M may stop: ``M / error (ln M + ln 1 / delta)``.

    As Section 4.2 brackets it; the lemma itself is printed without the brackets.

    >>> lemma_4_1(1, 0.05, 0.1)
    47
    """
    return math.ceil(n_mistakes / error * (math.log(n_mistakes) + math.log(1.0 / delta)))
