"""The maximum of the dual along one coordinate.

The dual of ``min ||w||^2 / 2 + sum_i C_i xi_i`` under ``<w, z_i> >= 1 - xi_i`` is to maximise
``sum_i a_i - ||sum_i a_i z_i||^2 / 2`` over ``0 <= a_i <= C_i``; a hard margin has ``C_i`` infinite. The
steps are those of C.-J. Hsieh et al., "A Dual Coordinate Descent Method for Large-scale Linear
SVM", ICML 2008.
"""

from paperlib._common.jit import jit
from paperlib._common.rounding import TIED


@jit
def along(a, margin, squared, box):
    """Return the best weight of one point, from weight `a`; its squared length is `squared`.

    A margin that is 1 but for rounding leaves it as it is, so that a point that lies there without any weight
    gets none on every processor.
    """
    slope = margin - 1.0
    if abs(slope) <= TIED:
        return a
    if squared > 0.0:
        return min(box, max(0.0, a - slope / squared))
    return box if slope < 0.0 else 0.0
