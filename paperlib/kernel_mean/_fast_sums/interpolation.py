"""The Gaussian between two boxes as a polynomial in both points, with a proven bound on its error.

Along one coordinate, in units of ``1 / sqrt(gamma)``, the kernel is ``f(x - y) = exp(-(x - y)^2)``, with x
and y each in an interval of half length h. It is interpolated at p Chebyshev nodes in y, and then in x.

The interpolant of a function g at these nodes is off by at most ``h^p / (2^(p - 1) p!) max |g^(p)|``. The
derivatives of the Gaussian are ``|f^(p)(t)| = |H_p(t)| exp(-t^2)``, with Hermite's polynomials, and Cramer's
inequality, ``|H_p(t)| exp(-t^2 / 2) <= k sqrt(2^p p!)`` with k < 1.0865 (Abramowitz and Stegun, 22.14.17),
gives, whatever the distance of the intervals,

    ``e_p = 2 k (h / sqrt(2))^p / sqrt(p!)``.

Bernstein's ellipse gives the same rate by ``max |f| <= exp(b^2)`` on an ellipse of the least half axis b,
with a factor ``4 / (rho - 1)`` besides: derivatives lose nothing, and no rho has to be chosen.
The error of the first interpolation goes through the second, which makes it at most ``L_p`` times as large,
with Lebesgue's constant ``L_p <= 1 + (2 / pi) log p`` of these nodes. So both together are off by at most
``e = (1 + L_p) e_p``.

The kernel in d coordinates is a product of d such factors. Each is at most 1, so that the product of their
interpolants is off by at most ``(1 + e)^d - 1``.
"""

import math

import numpy as np

CRAMER = 1.0865  # the constant of Cramer's inequality, rounded up
# A quotient rounded to the next integer puts a point outside its box by at most 2^-22 of the half side, where
# no polynomial of degree 100 is larger than within by a factor of 1.003 (the value of T_100 there): one such
# factor for the nodes' polynomial, one for the second interpolation.
OUTSIDE = 1.01
MOST = 100  # nodes; a box that needs more is too large


def node_count(half, d, tol):
    """Return the fewest nodes along each coordinate by which a kernel value is off by at most `tol`.

    Parameters
    ----------
    half : float
        Half the side of a box, times ``sqrt(gamma)``.
    d : int
        Number of coordinates.
    tol : float in (0, 1)

    Returns
    -------
    int, or None where it would be more than `MOST`

    Examples
    --------
    >>> node_count(math.sqrt(0.5), 2, 1e-9), node_count(math.sqrt(0.5), 2, 1e-3)
    (15, 8)
    """
    for p in range(1, MOST + 1):
        if (1.0 + one_dimension(half, p)) ** d - 1.0 <= tol:
            return p
    return None


def one_dimension(half, p):
    """Return the bound on the error of `p` nodes in each of the two points, along one coordinate.

    >>> round(one_dimension(1.0, 1), 2)
    3.1
    """
    lebesgue = 1.0 + 2.0 / math.pi * math.log(p)
    # By logarithms, as the factorial of a large p overflows.
    single = (
        math.log(2.0 * CRAMER * OUTSIDE) + p * math.log(half / math.sqrt(2.0)) - 0.5 * math.lgamma(p + 1.0)
    )
    return (1.0 + lebesgue) * math.exp(min(single, 50.0))


def reach_in_boxes(half, tol):
    """Return how many boxes away the kernel may still be above `tol`, along a coordinate.

    Between boxes that are k apart there are ``k - 1`` whole ones.

    >>> reach_in_boxes(math.sqrt(0.5), 1e-9), reach_in_boxes(100.0, 1e-9)
    (4, 1)
    """
    # Points may stand outside of their boxes by a little, as above.
    width = 2.0 * half * (1.0 - 2.0**-20)
    return max(1, math.ceil(math.sqrt(math.log(1.0 / tol)) / width))


def box_matrices(half, p, reach):
    """Return the matrices that take moments of sources to Chebyshev coefficients around targets.

    Parameters
    ----------
    half, p, reach
        As above.

    Returns
    -------
    ndarray of shape (p, (2 reach + 1) p)
        Beside each other for the boxes of sources ``-reach, ..., reach`` away, along one coordinate. Moment l
        is the sum of weights times ``T_l`` of the source's place in its box, which is [-1, 1].
    """
    angles = (np.arange(p) + 0.5) * (np.pi / p)
    nodes = np.cos(angles)
    # From values at the nodes to coefficients: the discrete cosine transform.
    transform = np.cos(np.arange(p)[:, None] * angles) * (2.0 / p)
    transform[0] *= 0.5
    blocks = []
    for k in range(-reach, reach + 1):
        values = np.exp(-((half * (nodes[:, None] - nodes - 2.0 * k)) ** 2))
        blocks.append(transform @ values @ transform.T)
    return np.hstack(blocks)


def all_boxes(moments, shape, p, matrices, reach):
    """Return the coefficients around the targets of every box of a grid, from the moments of its sources.

    One coordinate after the other, which costs the sum of the neighbours along each, not their product.

    Parameters
    ----------
    moments : ndarray of shape (shape[0] p * shape[1] p * ...,)
        Box and moment of the first coordinate, then those of the next.
    shape : tuple of int
        Boxes along each coordinate.
    p, matrices, reach
        As above.

    Returns
    -------
    ndarray of the shape of `moments`
    """
    for axis, count in enumerate(shape):
        before = math.prod(shape[:axis]) * p**axis
        stack = moments.reshape(before, count * p, -1)
        result = np.empty_like(stack)
        for box in range(count):
            first, last = max(0, box - reach), min(count, box + reach + 1)
            part = matrices[:, (first - box + reach) * p : (last - box + reach) * p]
            here, near = slice(box * p, (box + 1) * p), slice(first * p, last * p)
            if stack.shape[2] == 1:  # the last coordinate: one product, not one for each row before it
                result[:, here, 0] = stack[:, near, 0] @ part.T
            else:
                result[:, here] = part @ stack[:, near]
        moments = result.ravel()
    return moments
