"""Section 3's statements as plain functions, with the constants that its O(.) leave out.

All follow from one step. Let ``x`` be the nearest point of the coreset's hull to the origin, ``||x|| = rho``,
and ``z`` a signed point that joins, of norm at most `R`, whose margin is ``alpha`` below ``rho``. The new
hull holds the segment from ``x`` to ``z``, and the foot of the perpendicular on it has a squared distance of
``rho^2 - (rho alpha)^2 / ||x - z||^2`` from the origin, where ``||x - z|| <= 2 R``. (When the foot lies
beyond ``z``, then ``||z||^2 <= rho^2 - rho alpha``, which is less still.) More points at a time only help.
"""

import math
from typing import TypeVar

from paperlib._common.typing import Floats

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)


def equation_1(margin: FloatOrFloats, violation: FloatOrFloats, radius: float) -> FloatOrFloats:
    """Largest margin that the coreset can have after a point joined, ``(1 - alpha^2 / (8 R^2)) rho``.

    `violation` is ``alpha = rho - rho(h, x)``, how far the margin of that point was below the coreset's;
    `radius` is ``R``, the largest norm of a point, and `margin` the coreset's before.

    >>> equation_1(1.0, 1.0, 2.0)
    0.96875
    """
    return (1.0 - violation**2 / (8.0 * radius**2)) * margin


def equation_1_sharp(margin: float, violation: float, radius: float) -> float:
    """The same with nothing rounded up: ``rho sqrt(1 - alpha^2 / (R^2 - rho^2 + 2 rho alpha))``.

    ``||x - z||^2 = ||z||^2 - rho^2 + 2 rho alpha``; at most `equation_1`. When the foot may lie beyond ``z``
    the norm of ``z`` bounds the margin instead.

    >>> round(equation_1_sharp(1.0, 1.0, 2.0), 3)
    0.894
    """
    apart = radius**2 - margin**2 + 2.0 * margin * violation
    on_segment = margin**2 * (1.0 - violation**2 / apart) if violation > 0 else margin**2
    beyond = margin**2 - margin * violation
    return math.sqrt(max(on_segment, beyond, 0.0))


def lemma_3_1(radius: float, margin: float, eps: float) -> int:
    """Points that a coreset has at most when the worst violator joins: ``1 + 2 ceil(8 (R / rho*)^2 / eps)``.

    The paper states ``O((R / rho*)^2 / eps)``. With ``D = rho_i - rho*`` a step leaves at most
    ``D - rho* D^2 / (8 R^2)``, as the worst point is at least `D` below: so ``D <= eps rho*`` after ``8 R^2 /
    (eps rho*^2)`` of them. From there every step that is not the last has ``alpha > eps rho*`` and takes
    ``eps^2 rho*^3 / (8 R^2)`` from `D`, which lasts for as many again.

    >>> lemma_3_1(2.0, 1.0, 0.1)
    641
    """
    return 1 + 2 * math.ceil(8.0 * (radius / margin) ** 2 / eps * (1.0 - 1e-12))


def corollary_3_2(radius: float, margin: float, eps: float) -> int:
    """Points that a coreset has at most when any violator joins: ``1 + floor(4 ((R/rho*)^2 - 1) / eps^2)``.

    The paper states ``O((R / rho*)^2 / eps^2)``. As ``alpha >= eps rho_i``, each step adds at least ``eps^2 /
    4`` to ``(R / rho_i)^2``, which begins at 1 or above and never passes ``(R / rho*)^2``.

    >>> corollary_3_2(2.0, 1.0, 0.1), corollary_3_2(2.0, 1.0, 0.5)
    (1201, 49)
    """
    return 1 + math.floor(4.0 * max(0.0, (radius / margin) ** 2 - 1.0) / eps**2 * (1.0 + 1e-12))
