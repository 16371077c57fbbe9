"""The paper's statements as plain functions, with the constants that its O(.) and Omega(.) leave out.

Where a statement or its proof has a slip, the function gives what holds and says what was printed. Sizes and
lengths are positive, eps, delta and shares lie in (0, 1); anything else is a ``ValueError``.
"""

import math

from scipy.stats import binom

from paperlib._common.validation import check_number


def perceptron_mistakes(norm: float, radius: float) -> float:
    """Example 1: the Perceptron errs at most ``||w*||^2 max ||x||^2`` times, w* having a margin of 1.

    >>> perceptron_mistakes(3.0, 2.0)
    36.0
    """
    _check_positive(norm=norm, radius=radius)
    return float(norm**2 * radius**2)


def theorem_1_loss(m: float, mistakes: float, rounds: float, delta: float) -> float:
    """Bound on every example's mean loss over all iterates, with probability 1 - delta, at eta = 1 / (2 m).

    ``8 mistakes / T + 4 m (log m + log(m / delta)) / T``: Lemma 5 bounds the importance-weighted losses of an
    example by ``4 C + 2 m log m``. For these, X_t, of conditional mean mu_t, ``E X_t^2 <= 2 m mu_t``, so that
    ``exp(sum mu_t / (4 m) - X_t / (2 m))`` is a supermartingale, and ``sum mu_t <= 2 sum X_t + 4 m log(m /
    delta)`` for all examples together. The paper bounds ``E X_t^2`` by 2 m, which costs it a factor 1 / eps.

    >>> round(theorem_1_loss(100, 50.0, 100_000, 0.05), 4)
    0.0528
    """
    _check_positive(m=m, rounds=rounds)
    _check_share(delta=delta)
    check_number(mistakes, "mistakes", low=0)
    return (8.0 * mistakes + 4.0 * m * (math.log(m) + math.log(m / delta))) / rounds


def theorem_1_rounds(m: float, mistakes: float, eps: float, delta: float) -> int:
    """Rounds T after which every example's mean loss is at most 3 eps / 4, with probability 1 - delta / 2.

    Of order ``(C + m log(m / delta)) / eps``, as Theorem 1 states it; for its proof see
    `theorem_1_proof_rounds`.

    >>> theorem_1_rounds(100, 50.0, 0.49, 0.05)
    15129
    """
    _check_share(eps=eps)
    return math.ceil(theorem_1_loss(m, mistakes, 1.0, delta / 2.0) / (0.75 * eps))


def theorem_1_proof_rounds(m: float, mistakes: float, eps: float, delta: float) -> int:
    """Rounds that the proof in Appendix A asks for: ``6 m log(m / delta) / (eps / 8)^2`` among others.

    It grows as ``1 / eps^2``, where the theorem states ``1 / eps``. The proof's concentration and its draw of
    k iterates fail with probability delta each, so that what it shows holds with probability 1 - 2 delta.

    >>> theorem_1_proof_rounds(100, 50.0, 0.49, 0.05)
    1215638
    """
    _check_positive(m=m)
    _check_share(eps=eps, delta=delta)
    check_number(mistakes, "mistakes", low=0)
    concentration = 6.0 * m * math.log(m / delta) / (eps / 8.0) ** 2
    return math.ceil(max(8.0 * mistakes / eps, 16.0 * m * math.log(m) / eps, concentration))


def theorem_1_voters(m: float, eps: float, delta: float) -> int:
    """Iterates k whose mean loss is at most eps on all m examples, if that of all is at most 3 eps / 4.

    By Bernstein, ``80 log(2 m / delta) / (3 eps)``, with probability 1 - delta / 2.

    >>> theorem_1_voters(100, 0.49, 0.05)
    452
    """
    _check_positive(m=m)
    _check_share(eps=eps, delta=delta)
    return math.ceil(80.0 / (3.0 * eps) * math.log(2.0 * m / delta))


def lemma_1_size(eps: float, delta: float) -> int:
    """Sample size of Lemma 1, ``2 log(4 / delta) / eps``.

    >>> lemma_1_size(0.01, 0.05)
    877
    """
    _check_share(eps=eps, delta=delta)
    return math.ceil(2.0 * math.log(4.0 / delta) / eps)


def lemma_1_failure(m: float, eps: float) -> float:
    """Probability that a sample of the gap distribution does not show both kinds of points.

    The paper bounds the probability of not seeing all four points, by ``4 (1 - eps / 2)^m``; a halfspace that
    has ``y z`` right for one label has it right for the other.

    >>> lemma_1_failure(1, 0.25)
    1.0
    """
    check_number(m, "m", low=1)
    _check_share(eps=eps)
    return min(1.0, (1.0 - eps) ** m + eps**m)


def lemma_2_rounds(alpha: float, eps: float) -> float:
    """Rounds that SGD on the hinge loss needs, ``(2 - alpha) / (10 alpha eps)``.

    More than ``k (2 - alpha) / (5 alpha)`` steps on z_2 are needed after k on z_1, and no more than 2 eps T
    of T draws are z_2, but for a probability of `lemma_2_failure`.

    >>> round(lemma_2_rounds(0.1, 0.01), 6)
    190.0
    """
    _check_positive(alpha=alpha)
    _check_share(eps=eps)
    return (2.0 - alpha) / (10.0 * alpha * eps)


def lemma_2_failure(rounds: float, eps: float) -> float:
    """Probability that Lemma 2 grants itself: ``eps + exp(-T eps / 3)``.

    The first example is z_2 with probability eps. The printed Chernoff bound ``exp(-eps / 3)`` lacks the
    number of rounds; at about ``1 - eps / 3`` it would leave nothing of the lemma.

    >>> round(lemma_2_failure(190, 0.01), 4)
    0.5408
    """
    _check_positive(rounds=rounds)
    _check_share(eps=eps)
    return eps + math.exp(-rounds * eps / 3.0)


def lemma_3_product(alpha: float, k: float = 1.0) -> float:
    """``<w, z_1>`` when ``w = k z_1 + r z_2`` first has ``<w, z_2> >= 0``.

    That is at ``r = k (2 - alpha) / (5 alpha)``. About ``k / 5``, where the paper prints ``4 k / 5``;
    above zero, which is all that is used.

    >>> round(lemma_3_product(1e-6), 4)
    0.2
    """
    _check_positive(alpha=alpha, k=k)
    r = k * (2.0 - alpha) / (5.0 * alpha)
    return (k + r) * alpha**2 + k - 2.0 * r * alpha


def lemma_3_mistakes(alpha: float, k: int = 1) -> int:
    """Mistakes of the Perceptron on the gap example after which it errs no more, if k are on z_1.

    >>> lemma_3_mistakes(0.1), lemma_3_mistakes(0.001)
    (5, 401)
    """
    _check_positive(alpha=alpha, k=k)
    return k + math.floor(k * (2.0 - alpha) / (5.0 * alpha) * (1.0 + 1e-12)) + 1


def lemma_4_tail(rounds: float, alpha: float, variance: float, bound: float) -> float:
    """Bernstein's inequality for martingales: P(mean >= alpha) is at most this.

    >>> round(lemma_4_tail(100, 0.5, 1.0, 1.0), 6)
    2.2e-05
    """
    _check_positive(rounds=rounds, alpha=alpha, variance=variance, bound=bound)
    return math.exp(-rounds * (alpha**2 / 2.0) / (variance + alpha * bound / 3.0))


def lemma_4_rounds(alpha: float, variance: float, bound: float, delta: float) -> int:
    """Rounds after which the mean is at most alpha with probability 1 - delta.

    >>> lemma_4_rounds(0.5, 1.0, 1.0, 0.05)
    28
    """
    _check_positive(alpha=alpha, variance=variance, bound=bound)
    _check_share(delta=delta)
    return math.ceil(2.0 * (variance + alpha * bound / 3.0) * math.log(1.0 / delta) / alpha**2)


def lemma_5_regret(m: float, eta: float, moment: float) -> float:
    """Regret of the exponentiated gradient: ``log(m) / eta + eta moment``, of ``sum_t sum_i q_i z_i^2``.

    >>> round(lemma_5_regret(10, 0.5, 2.0), 3)
    5.605
    """
    _check_positive(m=m, eta=eta)
    check_number(moment, "moment", low=0)
    return math.log(m) / eta + eta * moment


def theorem_2_size(
    vc: float, vc_typical: float, eps: float, c: float, rare: float, delta: float, constant: float = 1.0
) -> float:
    """Sample size of Theorem 2, up to its universal constant.

    `vc` is the dimension of all hypotheses, `vc_typical` of those with an error of at most eps on the typical
    distribution, c the error on the rare one above which one of those is if it is above eps, and `rare` the
    share of the rare distribution.

    >>> round(theorem_2_size(8, 4, 0.01, 0.125, 0.005, 0.05))
    22085
    """
    _check_positive(vc=vc, vc_typical=vc_typical, constant=constant)
    _check_share(eps=eps, c=c, rare=rare, delta=delta)
    typical = (vc * math.log(1.0 / eps) + math.log(1.0 / delta)) / eps
    return constant * (typical + (vc_typical * math.log(1.0 / c) + math.log(1.0 / delta)) / (c * rare))


def theorem_2_naive_size(vc: float, eps: float, rare: float, delta: float, constant: float = 1.0) -> float:
    """The same with as many rare examples as a rare distribution alone would need.

    >>> round(theorem_2_naive_size(8, 0.01, 0.005, 0.05))
    796742
    """
    _check_positive(vc=vc, constant=constant)
    _check_share(eps=eps, rare=rare, delta=delta)
    return constant * (vc * math.log(1.0 / eps) + math.log(1.0 / delta)) / (rare * eps)


def theorem_3_bound(n: float, m: float, outliers: float, rare: float) -> float:
    """Bound on the probability that a sub-sample holds an outlier or too few rare examples.

    >>> round(theorem_3_bound(1000, 100_000, 1, 4606), 4)
    0.0299
    """
    _check_positive(n=n, m=m)
    _check_counts(m, outliers, rare)
    return 0.01 + 0.99 * outliers * n / m + math.exp(-0.1 * n * rare / m)


def theorem_3_probability(
    n: float, m: float, outliers: float, rare: float, least: float | None = None
) -> float:
    """The probability itself, of n draws with repetition out of m examples.

    `least` is the number of rare examples wanted: half of the expected ones, ``n rare / (2 m)``, by default.
    The paper prints ``rare / 2``, which a sub-sample of less than m / 2 has hardly ever.

    >>> round(theorem_3_probability(1000, 100_000, 1, 4606), 4)
    0.01
    >>> round(theorem_3_probability(1000, 100_000, 1, 4606, least=2303), 4)
    1.0
    """
    _check_positive(n=n, m=m)
    _check_counts(m, outliers, rare)
    least = n * rare / (2.0 * m) if least is None else least
    enough = binom.sf(math.ceil(least) - 1, n, rare / (m - outliers))
    return float(1.0 - (1.0 - outliers / m) ** n * enough)


def _check_positive(**numbers):
    for name, number in numbers.items():
        check_number(number, name, low=0, open_low=True)


def _check_share(**numbers):
    for name, number in numbers.items():
        check_number(number, name, low=0, high=1, open_low=True, open_high=True)


def _check_counts(m, outliers, rare):
    """Outliers are none of the rare examples."""
    check_number(outliers, "outliers", low=0, high=m, open_high=True)
    check_number(rare, "rare", low=0, high=m - outliers)
