"""Statements of the paper as plain functions."""

from paperlib._common.validation import check_number


def leave_one_out_lower_bound(weight: float, n: int) -> float:
    """Return the least leave-one-out error that an optimal weight allows: that weight over n (Corollary 3.3).

    Each point of an optimal separator set is misclassified once it is left out (Lemma 3.2), and contributes
    its weight. The paper's text before the corollary says e_i = 1, which is right for unit weights only; the
    corollary itself is right with e_i = w_i.

    Parameters
    ----------
    weight : float >= 0
        Of an optimal separator set.
    n : int >= 1
        Number of points.

    Returns
    -------
    float
        In the units of the weights.

    Raises
    ------
    ValueError
        For a weight or a number of points that is out of its range.

    Examples
    --------
    >>> leave_one_out_lower_bound(3.0, 12)
    0.25
    """
    return check_number(weight, "weight", low=0) / check_number(n, "n", low=1, integer=True)


def n_line_classes(n: int) -> int:
    """Return Lemma 2.7's bound on the classes of oriented lines through one of n points: 4 n - 2.

    Lines of a class have the same positive separator set. Around a point the n - 1 others give at most n - 1
    directions and n open intervals beside them, each for two orientations. The first and the last interval
    are one class, turned over, so that 4 n - 4 are different.

    Parameters
    ----------
    n : int >= 1
        Number of points.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For a number of points below one.

    Examples
    --------
    >>> n_line_classes(5)
    18
    """
    return 4 * check_number(n, "n", low=1, integer=True) - 2
