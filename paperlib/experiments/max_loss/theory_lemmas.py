"""The lemmas as plain functions, and what Theorems 1 and 2 are compared with.

Where a statement or its proof has a slip, the function gives what holds and says what was printed. Sizes and
lengths are positive, eps, delta and shares lie in (0, 1); anything else is a ``ValueError``.
"""

import math

from paperlib._common.validation import check_number
from paperlib.max_loss._checks.inputs import check_positive, check_share


def theorem_1_proof_rounds(m: float, mistakes: float, eps: float, delta: float) -> int:
    """Rounds that the proof in Appendix A asks for: ``6 m log(m / delta) / (eps / 8)^2`` among others.

    It grows as ``1 / eps^2``, where the theorem states ``1 / eps``. The proof's concentration and its draw of
    k iterates fail with probability delta each, so that what it shows holds with probability 1 - 2 delta.

    >>> theorem_1_proof_rounds(100, 50.0, 0.49, 0.05)
    1215638
    """
    check_positive(m=m)
    check_share(eps=eps, delta=delta)
    check_number(mistakes, "mistakes", low=0)
    concentration = 6.0 * m * math.log(m / delta) / (eps / 8.0) ** 2
    return math.ceil(max(8.0 * mistakes / eps, 16.0 * m * math.log(m) / eps, concentration))


def concentration_limit(told, m, delta):
    """Limit on the sum of an example's losses, by what was told of it: ``1.22 told + 6.1 m log(m / delta)``.

    A round tells X = loss / p of the example that it draws, at most 2 m, and mu in the mean: ``E exp(-c X /
    (2 m)) <= exp(-mu (1 - exp(-c)) / (2 m))``. So with probability 1 - delta the limit ``(c told + 2 m log(m
    / delta)) / (1 - exp(-c))``, here at c = 0.4, holds for all m examples and all rounds at once. It takes
    the place of the proof's concentration, which bounds the variance by 2 m alone and comes to ``1 / eps^2``.
    `told` is a number or an array.

    >>> round(concentration_limit(10.0, 100, 0.05), 1)
    4648.8
    """
    check_positive(m=m)
    check_share(delta=delta)
    return 1.22 * told + 6.1 * m * math.log(m / delta)


def lemma_1_size(eps: float, delta: float) -> int:
    """Sample size of Lemma 1, ``2 log(4 / delta) / eps``.

    >>> lemma_1_size(0.01, 0.05)
    877
    """
    check_share(eps=eps, delta=delta)
    return math.ceil(2.0 * math.log(4.0 / delta) / eps)


def lemma_1_failure(m: float, eps: float) -> float:
    """Probability that a sample of the gap distribution does not show both kinds of points.

    The paper bounds the probability of not seeing all four points, by ``4 (1 - eps / 2)^m``; a halfspace that
    has ``y z`` right for one label has it right for the other.

    >>> lemma_1_failure(1, 0.25)
    1.0
    """
    check_number(m, "m", low=1)
    check_share(eps=eps)
    return min(1.0, (1.0 - eps) ** m + eps**m)


def lemma_2_rounds(alpha: float, eps: float) -> float:
    """Rounds that SGD on the hinge loss needs, ``(2 - alpha) / (10 alpha eps)``.

    More than ``k (2 - alpha) / (5 alpha)`` steps on z_2 are needed after k on z_1, and no more than 2 eps T
    of T draws are z_2, but for a probability of `lemma_2_failure`.

    >>> round(lemma_2_rounds(0.1, 0.01), 6)
    190.0
    """
    check_positive(alpha=alpha)
    check_share(eps=eps)
    return (2.0 - alpha) / (10.0 * alpha * eps)


def lemma_2_failure(rounds: float, eps: float) -> float:
    """Probability that Lemma 2 grants itself: ``eps + exp(-T eps / 3)``.

    The first example is z_2 with probability eps. The printed Chernoff bound ``exp(-eps / 3)`` lacks the
    number of rounds; at about ``1 - eps / 3`` it would leave nothing of the lemma.

    >>> round(lemma_2_failure(190, 0.01), 4)
    0.5408
    """
    check_positive(rounds=rounds)
    check_share(eps=eps)
    return eps + math.exp(-rounds * eps / 3.0)


def lemma_3_product(alpha: float, k: float = 1.0) -> float:
    """``<w, z_1>`` when ``w = k z_1 + r z_2`` first has ``<w, z_2> >= 0``.

    That is at ``r = k (2 - alpha) / (5 alpha)``. About ``k / 5``, where the paper prints ``4 k / 5``;
    above zero, which is all that is used.

    >>> round(lemma_3_product(1e-6), 4)
    0.2
    """
    check_positive(alpha=alpha, k=k)
    r = k * (2.0 - alpha) / (5.0 * alpha)
    return (k + r) * alpha**2 + k - 2.0 * r * alpha


def lemma_3_mistakes(alpha: float, k: int = 1) -> int:
    """Mistakes of the Perceptron on the gap example after which it errs no more, if k are on z_1.

    >>> lemma_3_mistakes(0.1), lemma_3_mistakes(0.001)
    (5, 401)
    """
    check_positive(alpha=alpha, k=k)
    return k + math.floor(k * (2.0 - alpha) / (5.0 * alpha) * (1.0 + 1e-12)) + 1


def lemma_4_tail(rounds: float, alpha: float, variance: float, bound: float) -> float:
    """Bernstein's inequality for martingales: P(mean >= alpha) is at most this.

    >>> round(lemma_4_tail(100, 0.5, 1.0, 1.0), 6)
    2.2e-05
    """
    check_positive(rounds=rounds, alpha=alpha, variance=variance, bound=bound)
    return math.exp(-rounds * (alpha**2 / 2.0) / (variance + alpha * bound / 3.0))


def lemma_4_rounds(alpha: float, variance: float, bound: float, delta: float) -> int:
    """Rounds after which the mean is at most alpha with probability 1 - delta.

    >>> lemma_4_rounds(0.5, 1.0, 1.0, 0.05)
    28
    """
    check_positive(alpha=alpha, variance=variance, bound=bound)
    check_share(delta=delta)
    return math.ceil(2.0 * (variance + alpha * bound / 3.0) * math.log(1.0 / delta) / alpha**2)


def lemma_5_regret(m: float, eta: float, moment: float) -> float:
    """Regret of the exponentiated gradient: ``log(m) / eta + eta moment``, of ``sum_t sum_i q_i z_i^2``.

    >>> round(lemma_5_regret(10, 0.5, 2.0), 3)
    5.605
    """
    check_positive(m=m, eta=eta)
    check_number(moment, "moment", low=0)
    return math.log(m) / eta + eta * moment


def appendix_d_margins(share: float, n: int) -> tuple[float, float]:
    """Return ``(1 - share)^n`` less ``0.99 exp(-share n)``, and less ``1 - share n``.

    The first is what Appendix D prints for ``share = k / m <= 1 / 10``, and it may be negative; the second is
    Bernoulli's inequality.

    >>> [round(margin, 4) for margin in appendix_d_margins(0.1, 5)]
    [-0.01, 0.0905]
    """
    check_share(share=share)
    check_positive(n=n)
    missed = (1.0 - share) ** n
    return missed - 0.99 * math.exp(-share * n), missed - (1.0 - share * n)


def rounds_per_useful_draw(error: float, batch_size: int) -> float:
    """Iterations of SGD for each draw of an example that it has wrong, if a share `error` of all is wrong.

    >>> round(rounds_per_useful_draw(0.0013, 64), 1)
    12.0
    """
    check_share(error=error)
    check_positive(batch_size=batch_size)
    return 1.0 / (batch_size * error)


def theorem_2_naive_size(vc: float, eps: float, rare: float, delta: float, constant: float = 1.0) -> float:
    """Sample size of Theorem 2 with as many rare examples as a rare distribution alone would need.

    >>> round(theorem_2_naive_size(8, 0.01, 0.005, 0.05))
    796742
    """
    check_positive(vc=vc, constant=constant)
    check_share(eps=eps, rare=rare, delta=delta)
    return constant * (vc * math.log(1.0 / eps) + math.log(1.0 / delta)) / (rare * eps)
