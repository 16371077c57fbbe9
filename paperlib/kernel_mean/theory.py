"""The paper's bounds as plain functions, named after the statement."""

import math


def theorem_5(n, delta):
    """Distance of the sample mean to the true one, ``2/sqrt(n) + sqrt(2 log(1/delta) / n)``.

    Holds with probability at least ``1 - delta`` over `n` draws when ``||phi(x)|| <= 1``.

    >>> round(theorem_5(800, 0.05), 3)
    0.157
    """
    return 2.0 / math.sqrt(n) + math.sqrt(2.0 * math.log(1.0 / delta) / n)


def lemma_9(n, delta, noise):
    """Theorem 5 under symmetric label noise: larger by ``1 / (1 - 2 noise)``, for noise in [0, 1/2).

    >>> round(lemma_9(800, 0.05, 0.25) / theorem_5(800, 0.05), 3)
    2.0
    """
    return theorem_5(n, delta) / (1.0 - 2.0 * noise)


def theorem_21(diameter, m, delta):
    """Error of clustered sub-sampling, ``D (1/sqrt(m) + sqrt(log(1/delta) / m))``.

    `diameter` is that of the partition into `m` parts, in the units of the feature space. Holds with
    probability at least ``1 - delta`` over the draws. With ``diameter = 2 D*(S, m)`` it is the guarantee of
    Algorithm 1.

    >>> round(theorem_21(0.5, 16, 0.05), 3)
    0.341
    """
    return diameter * (1.0 + math.sqrt(math.log(1.0 / delta))) / math.sqrt(m)
