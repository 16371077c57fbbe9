"""The paper's statements as plain functions, with the constants that its O(.) and Omega(.) leave out.

Where a statement or its proof has a slip, the function gives what holds and says what was printed. Sizes and
lengths are positive, eps, delta and shares lie in (0, 1); anything else is a ``ValueError``.
"""

import math

from scipy.stats import binom

from paperlib._common.validation import check_number
from paperlib.max_loss._checks.inputs import check_positive, check_share

MOST_DRAWS = 2**53  # whole numbers up to it are floats


def perceptron_mistakes(norm: float, radius: float) -> float:
    """Example 1: the Perceptron errs at most ``||w*||^2 max ||x||^2`` times, w* having a margin of 1.

    >>> perceptron_mistakes(3.0, 2.0)
    36.0
    """
    check_positive(norm=norm, radius=radius)
    product = float(norm) * float(radius)
    return product * product


def theorem_1_loss(m: float, mistakes: float, rounds: float, delta: float) -> float:
    """Bound on every example's mean loss over all iterates, with probability 1 - delta, at eta = 1 / (2 m).

    ``8 mistakes / T + 4 m (log m + log(m / delta)) / T``: Lemma 5 bounds the importance-weighted losses of an
    example by ``4 C + 2 m log m``. For these, X_t, of conditional mean mu_t, ``E X_t^2 <= 2 m mu_t``, so that
    ``exp(sum mu_t / (4 m) - X_t / (2 m))`` is a supermartingale, and ``sum mu_t <= 2 sum X_t + 4 m log(m /
    delta)`` for all examples together. The paper bounds ``E X_t^2`` by 2 m, which costs it a factor 1 / eps.

    >>> round(theorem_1_loss(100, 50.0, 100_000, 0.05), 4)
    0.0528
    """
    check_positive(m=m, rounds=rounds)
    check_share(delta=delta)
    mistakes = check_number(mistakes, "mistakes", low=0)
    return (8.0 * mistakes + 4.0 * m * (math.log(m) + math.log(m / delta))) / rounds


def theorem_1_rounds(m: float, mistakes: float, eps: float, delta: float) -> int:
    """Rounds T after which every example's mean loss is at most 3 eps / 4, with probability 1 - delta / 2.

    Of order ``(C + m log(m / delta)) / eps``, as Theorem 1 states it; the proof in Appendix A asks for
    ``1 / eps^2``.

    >>> theorem_1_rounds(100, 50.0, 0.49, 0.05)
    15129
    """
    check_share(eps=eps, delta=delta)
    rounds = theorem_1_loss(m, mistakes, 1.0, delta / 2.0) / (0.75 * eps)
    if rounds == math.inf:
        raise ValueError(
            f"m and mistakes must be small enough for a number of rounds within the floats, got {m} and "
            f"{mistakes}, with an eps of {eps}"
        )
    return math.ceil(rounds)


def theorem_1_voters(m: float, eps: float, delta: float) -> int:
    """Iterates k whose mean loss is at most eps on all m examples, if that of all is at most 3 eps / 4.

    By Bernstein, ``80 log(2 m / delta) / (3 eps)``, with probability 1 - delta / 2.

    >>> theorem_1_voters(100, 0.49, 0.05)
    452
    """
    check_positive(m=m)
    check_share(eps=eps, delta=delta)
    # The logarithms one by one: their arguments' quotient may be beyond the floats.
    return math.ceil(80.0 / (3.0 * eps) * (math.log(2.0) + math.log(m) - math.log(delta)))


def theorem_2_size(
    vc: float, vc_typical: float, eps: float, c: float, rare: float, delta: float, constant: float = 1.0
) -> float:
    """Sample size of Theorem 2, up to its universal constant.

    `vc` is the dimension of all hypotheses, `vc_typical` of those with an error of at most eps on the typical
    distribution. Each of these that has an error of more than eps has one of more than `c` on the rare
    distribution, whose share is `rare`.

    >>> round(theorem_2_size(8, 4, 0.01, 0.125, 0.005, 0.05))
    22085
    """
    check_positive(vc=vc, vc_typical=vc_typical, constant=constant)
    check_share(eps=eps, c=c, rare=rare, delta=delta)
    typical = (vc * math.log(1.0 / eps) + math.log(1.0 / delta)) / eps
    return constant * (typical + (vc_typical * math.log(1.0 / c) + math.log(1.0 / delta)) / (c * rare))


def theorem_3_bound(n: float, m: float, outliers: float, rare: float) -> float:
    """Bound on the probability that a sub-sample holds an outlier or too few rare examples.

    >>> round(theorem_3_bound(1000, 100_000, 1, 4606), 4)
    0.0299
    """
    check_positive(n=n, m=m)
    outliers, rare = _checked_counts(m, outliers, rare)
    return 0.01 + 0.99 * outliers * n / m + math.exp(-0.1 * n * rare / m)


def theorem_3_probability(
    n: int, m: float, outliers: float, rare: float, least: float | None = None
) -> float:
    """The probability itself, of n draws with repetition out of m examples; n is an integer >= 1.

    `least` >= 0 is the number of rare examples wanted: half of the expected ones, ``n rare / (2 m)``, by
    default. The paper prints ``rare / 2``, which a sub-sample of less than m / 2 has hardly ever.

    >>> round(theorem_3_probability(1000, 100_000, 1, 4606), 4)
    0.01
    >>> round(theorem_3_probability(1000, 100_000, 1, 4606, least=2303), 4)
    1.0
    """
    n = check_number(n, "n", low=1, high=MOST_DRAWS, integer=True)
    check_positive(m=m)
    outliers, rare = _checked_counts(m, outliers, rare)
    least = n * rare / (2.0 * m) if least is None else check_number(least, "least", low=0)
    # Given that no draw is an outlier, each is a rare example with probability rare / (m - outliers).
    enough = binom.sf(math.ceil(min(least, n + 1)) - 1, n, rare / (m - outliers))
    return float(1.0 - (1.0 - outliers / m) ** n * enough)


def _checked_counts(m, outliers, rare):
    """Return the two numbers as floats: none overflows its type. Outliers are none of the rare examples."""
    outliers = check_number(outliers, "outliers", low=0, high=m, open_high=True)
    return outliers, check_number(rare, "rare", low=0, high=m - outliers)
