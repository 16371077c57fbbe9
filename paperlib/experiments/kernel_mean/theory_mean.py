"""Section 3 as functions: linear loss and the mean, and its relatives.

An equality, or an inequality between two risks, returns both of its sides, each computed on its own. Where
the statement as printed fails, the function says so and how it holds. The bounds are the library's own, in
`paperlib.kernel_mean.theory`.

===========  ==============================================================================================
statement    function
===========  ==============================================================================================
Lemma 3      `lemma_3`: both regrets; fails as printed where a score is zero
Lemma 4      `lemma_4`: both sides; that nothing in the ball does better is the tests' search
Section 3.1  `section_3_1`: hinge and linear loss in the unit ball
Section 3.2  `section_3_2`: MMD and the length of the balanced mean
Section 3.3  `section_3_3`: kernel density rule and Equation (1); needs equal normalisers
===========  ==============================================================================================
"""

import math
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_choice, check_number, check_sample_weight
from paperlib.kernel_mean import KernelMeanClassifier, losses

Side = TypeVar("Side")


class Sides(NamedTuple, Generic[Side]):
    """Two sides of an equality or an inequality, each computed on its own.

    Attributes
    ----------
    left, right : float or ndarray

    Examples
    --------
    >>> from paperlib.experiments.kernel_mean.theory_noise import lemma_10
    >>> left, right = lemma_10([[1.0, 0.9], [0.9, 1.0]], [1, -1], 0.3, [3.0, 1.0])
    >>> left == right
    True
    """

    left: Side
    right: Side


def check_gram(K: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Return ``(K, y, shares)``: a kernel matrix with its labels and their probabilities as floats."""
    K, signs = np.asarray(K, dtype=float), check_binary_signs(y)
    n = signs.size
    if K.shape != (n, n) or not np.isfinite(K).all():
        raise ValueError(f"K must be a finite kernel matrix over the {n} labels, got shape {K.shape}")
    p = check_sample_weight(weights, n)
    return K, signs, p / p.sum()


def lemma_3(
    eta: ArrayLike,
    f: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    zeros: Literal["error", "half"] = "error",
) -> Sides[float]:
    """0-1 and linear regret of a classifier on a finite distribution; the first is not above the second.

    Parameters
    ----------
    eta : array-like of shape (k,)
        ``P(Y = 1 | x)`` at each of k instances.
    f : array-like of shape (k,), in [-1, 1]
    weights : array-like of shape (k,), optional
        Their probabilities, up to a factor.
    zeros : {"error", "half"}, default="error"
        What a score of zero costs. The paper's ``[[y v <= 0]]`` makes it an error for either label, and then
        the lemma fails: at ``eta = 1/2``, ``f = 0`` it has 0-1 regret 1/2 and linear regret 0. It holds for
        scores that are not zero, or when zero counts half.

    Returns
    -------
    Sides
        0-1 regret and linear regret.

    Examples
    --------
    >>> lemma_3([0.75], [0.5])
    Sides(left=0.0, right=0.25)
    >>> lemma_3([0.5], [0.0])
    Sides(left=0.5, right=0.0)
    """
    eta, f = (np.asarray(each, dtype=float) for each in (eta, f))
    if eta.ndim != 1 or eta.shape != f.shape or eta.size == 0:
        raise ValueError(f"eta and f must be vectors of one length, got shapes {eta.shape} and {f.shape}")
    if not ((eta >= 0) & (eta <= 1)).all():
        raise ValueError("eta must be probabilities in [0, 1]")
    if not (np.abs(f) <= 1).all():
        raise ValueError("f must be in [-1, 1]")
    check_choice(zeros, "zeros", ("error", "half"))
    p = check_sample_weight(weights, eta.size)

    def cost(y):
        error = losses.zero_one(y, f)
        # Not an error for the other label is the other half, where neither sign is right.
        return error if zeros == "error" else (error + 1.0 - losses.zero_one(-y, f)) / 2

    zero_one = eta * cost(1) + (1 - eta) * cost(-1)
    linear = eta * losses.linear(1, f) + (1 - eta) * losses.linear(-1, f)
    regrets = zero_one - np.minimum(eta, 1 - eta), linear - 1 + np.abs(1 - 2 * eta)
    return Sides(*(float(p @ regret / p.sum()) for regret in regrets))


def lemma_4(K: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Sides[float]:
    """Linear loss of the normalised mean, and ``1 - ||Phi(S)||``: equal, and the least in the unit ball.

    The scores are those of `KernelMeanClassifier`, their length comes from the matrix alone.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix of the sample.
    y : array-like of shape (n,), of -1 and +1
    weights : array-like of shape (n,), optional

    Returns
    -------
    Sides

    Examples
    --------
    >>> [round(side, 12) for side in lemma_4([[1.0, 0.0], [0.0, 1.0]], [1, -1])]
    [0.292893218813, 0.292893218813]
    """
    K, y, shares = check_gram(K, y, weights)
    norm = math.sqrt(max(float((shares * y) @ K @ (shares * y)), 0.0))
    if norm == 0:
        raise ValueError("the mean vector must not be zero: it has no direction")
    scores = KernelMeanClassifier("precomputed").fit(K, y, shares).decision_function(K)
    return Sides(float(shares @ losses.linear(y, scores / norm)), 1.0 - norm)


def section_3_1(y: ArrayLike, scores: ArrayLike, r: float = 1.0) -> Sides[float]:
    """Mean hinge and mean linear loss of a vector in the ball of radius `r`: equal for ``r <= 1``.

    With ``||phi(x)|| <= 1`` scores are in ``[-r, r]``, where ``1 - y v`` is not negative. So the SVM over the
    unit ball is the mean classifier (Section 3.1).

    >>> section_3_1([1, -1], [0.5, 1.0])
    Sides(left=1.25, right=1.25)
    """
    signs, scores = check_binary_signs(y), np.asarray(scores, dtype=float)
    r = check_number(r, "r", low=0, open_low=True)
    if scores.shape != signs.shape or not (np.abs(scores) <= r).all():
        raise ValueError(f"scores must hold one for each label, within [-{r}, {r}], got {scores!r}")
    return Sides(float(losses.hinge(signs, scores).mean()), float(losses.linear(signs, scores).mean()))


def theorem_24(differences: ArrayLike, delta: float) -> float:
    """McDiarmid's bound on how far a function is above its mean, with probability ``1 - delta``.

    Parameters
    ----------
    differences : array-like of shape (n,)
        The most by which each argument can change it.
    delta : float in (0, 1)

    Examples
    --------
    >>> round(theorem_24([1.0, 1.0], 0.5), 6) == round(math.sqrt(math.log(2)), 6)
    True
    """
    squares = float((np.asarray(differences, dtype=float) ** 2).sum())
    return math.sqrt(math.log(1.0 / delta) * squares / 2.0)


def variational_divergence(p: ArrayLike, q: ArrayLike) -> float:
    """``V(P, Q)``: half of the most by which a function into [-1, 1] tells the two apart (Section 3.2).

    Parameters
    ----------
    p, q : array-like of shape (k,)
        Probabilities of the same k instances.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> variational_divergence([1.0, 0.0], [0.5, 0.5])
    0.5
    """
    return 0.5 * float(np.abs(np.asarray(p) - np.asarray(q)).sum())


def section_3_2(K: ArrayLike, y: ArrayLike) -> Sides[float]:
    """``MMD(P+, P-) = 1/2 ||Phi(P+) - Phi(P-)||``, and ``||Phi(P)||`` with both classes equally likely.

    Parameters
    ----------
    K : array-like of shape (n, n)
    y : array-like of shape (n,), of -1 and +1, both of them

    Returns
    -------
    Sides
        Equal: the normalised mean is the witness of the discrepancy.

    Examples
    --------
    >>> [round(side, 12) for side in section_3_2([[1.0, 0.0], [0.0, 1.0]], [1, -1])]
    [0.707106781187, 0.707106781187]
    """
    K, y, _ = check_gram(K, y, None)
    p, q = (y > 0) / max((y > 0).sum(), 1), (y < 0) / max((y < 0).sum(), 1)
    if not (p.any() and q.any()):
        raise ValueError("y must hold both labels")
    mmd = 0.5 * math.sqrt(max(p @ K @ p - 2 * p @ K @ q + q @ K @ q, 0.0))
    balanced = KernelMeanClassifier("precomputed").fit(K, y, p + q).dual_coef_
    return Sides(mmd, math.sqrt(max(balanced @ K @ balanced, 0.0)))


def section_3_3(K: ArrayLike, y: ArrayLike, masses: ArrayLike | None = None) -> Sides[Floats]:
    """Scores of the rule that is Bayes optimal for kernel density estimates, and those of Equation (1).

    Parameters
    ----------
    K : array-like of shape (m, n)
        Non-negative kernel values of m instances with the sample.
    y : array-like of shape (n,), of -1 and +1
    masses : array-like of shape (n,), optional
        ``integral of K(x_i, x) dx`` for each example, which normalises the class densities; ones by default.

    Returns
    -------
    Sides of arrays (m,)
        ``P~(x, 1) - P~(x, -1)`` and ``(1/n) sum_i y_i K(x_i, x)``: proportional where all masses are equal,
        as for a Gaussian. A bounded integral alone, which the paper asks for, is not enough: the normalisers
        of the two classes may differ.

    Examples
    --------
    >>> section_3_3([[0.5, 0.25]], [1, -1]).left.tolist()
    [0.125]
    """
    K, signs = np.asarray(K, dtype=float), check_binary_signs(y)
    if K.ndim != 2 or K.shape[1] != signs.size or not (K >= 0).all():
        raise ValueError(f"K must be (m, {signs.size}) kernel values >= 0, got shape {K.shape}")
    integrals = check_sample_weight(masses, signs.size)
    generative = np.zeros(len(K))
    for label in (1, -1):
        own = signs == label
        if own.any():
            density = K[:, own].sum(axis=1) / integrals[own].sum()
            generative += label * own.mean() * density
    return Sides(generative, K @ signs / signs.size)
