"""The exact optimum of the outlier problem (Definition 5.1), by mixed-integer programming."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.utils import check_array

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.experiments.coresets.measures import best_hyperplane


class TrimmedOptimum(NamedTuple):
    """The best hyperplane there is for all points but k.

    Attributes
    ----------
    margin : float
        Its (k+1)-th smallest margin; zero where k removals leave nothing that can be separated.
    normal : ndarray of shape (d,)
        Of length one; zero where the margin is.
    outliers : ndarray of shape (k,)
        The points of smallest margin, ascending; none where the margin is zero.
    n_programmes : int
        Mixed-integer programmes that were solved.

    Examples
    --------
    >>> best = trimmed_optimum([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.0]], 1)
    >>> best.outliers.tolist(), round(best.margin, 6), best.normal.tolist()
    ([2], 1.0, [1.0, 0.0])
    """

    margin: float
    normal: Floats
    outliers: Integers
    n_programmes: int


def trimmed_optimum(points: ArrayLike, n_outliers: int) -> TrimmedOptimum:
    """Find the largest margin on all points but k, as the reference for `OutlierCoresetSVC`.

    With ``t_i = 1`` for a point that is left out, it is the programme

        maximise rho subject to <w, z_i> >= rho - M_i t_i, sum_i t_i <= k, ||w|| <= 1,

    where ``M_i = ||z_i|| + B`` and B, the (k+1)-th smallest norm, is a bound on rho. The norm is what makes
    it more than linear. It is replaced by ``<w, u> <= 1`` for a growing set of unit vectors u: the linear
    programme's outliers are removed, and the normal u of largest margin to the rest, found exactly, joins.
    With that u no w gives these outliers more than their true margin, so no set of outliers comes up twice
    unless it is the best, and the end is reached after finitely many programmes; mostly two or three are
    enough. The solver's tolerance, about 1e-6 of the largest norm, says how much another set may be better
    without being found; the margin of the set that is returned has no error but rounding.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Signed points ``y_i x_i``. Meant for n up to a few hundred and k of a few: the time is exponential in
        the worst case.
    n_outliers : int, 0 <= n_outliers < n

    Returns
    -------
    TrimmedOptimum

    Raises
    ------
    ValueError
        For points that are no finite matrix, or `n_outliers` out of its range.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, Definition 5.1; M. Duran, I. Grossmann, Mathematical Programming 36, 1986, for outer approximation.

    Examples
    --------
    >>> best = trimmed_optimum([[2.0, 0.0], [2.0, 1.0], [2.0, -0.5], [-3.0, 0.0]], 1)
    >>> round(best.margin, 6), best.outliers.tolist()
    (2.0, [3])
    """
    signed: Floats = check_array(points, dtype=np.float64, order="C", input_name="points")
    n, d = signed.shape
    k = check_number(n_outliers, "n_outliers", low=0, high=n - 1, integer=True)
    norms = np.linalg.norm(signed, axis=1)
    scale = norms.max()
    if scale == 0.0:
        return TrimmedOptimum(0.0, np.zeros(d), np.zeros(0, dtype=int), 0)
    scaled, bound = signed / scale, np.sort(norms)[k] / scale
    programme = _programme(scaled, k, bound, norms / scale)

    margin, normal, seen = 0.0, np.zeros(d), set()
    cuts: list[Floats] = []
    while True:
        upper, outliers = _solve(programme, cuts, n, d)
        known = outliers.tobytes() in seen
        seen.add(outliers.tobytes())
        best = best_hyperplane(scaled[~outliers])
        if best.margin > margin:
            margin, normal = best
        if known or best.margin == 0.0 or upper <= margin:
            break
        cuts.append(best.normal)
    left_out = np.sort(np.argsort(signed @ normal, kind="stable")[:k]) if margin > 0.0 else np.zeros(0, int)
    return TrimmedOptimum(float(margin * scale), normal, left_out, len(seen) + known)


def _programme(scaled, k, bound, norms):
    """The programme in ``(w, rho, t)`` without the norm, as keywords for `milp`."""
    n, d = scaled.shape
    margins = np.hstack([scaled, -np.ones((n, 1)), np.diag(norms + bound)])
    left_out = np.append(np.zeros(d + 1), np.ones(n))
    return {
        "c": -np.eye(d + 1 + n)[d],
        "integrality": left_out,
        "bounds": Bounds(np.append(-np.ones(d), np.zeros(n + 1)), np.r_[np.ones(d), bound, np.ones(n)]),
        "constraints": [LinearConstraint(margins, 0.0, np.inf), LinearConstraint(left_out[None], 0.0, k)],
    }


def _solve(programme, cuts, n, d):
    """The optimal rho under the cuts so far, and which points it leaves out."""
    constraints = list(programme["constraints"])
    if cuts:
        constraints.append(LinearConstraint(np.pad(np.array(cuts), ((0, 0), (0, n + 1))), -np.inf, 1.0))
    found = milp(**programme | {"constraints": constraints}, options={"mip_rel_gap": 0.0})
    if not found.success:  # w = 0, rho = 0 always satisfies the programme, and everything is bounded
        raise RuntimeError(f"the mixed-integer solver gave up: {found.message}")
    return -found.fun, found.x[d + 1 :] > 0.5
