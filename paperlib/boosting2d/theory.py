"""Statements of the paper as plain functions."""


def leave_one_out_lower_bound(weight: float, n: int) -> float:
    """Corollary 3.3: the leave-one-out error is at least the optimal weight over n.

    Each point of an optimal separator set is misclassified once it is left out (Lemma 3.2), and contributes
    its weight. The paper's text before the corollary says e_i = 1, which is right for unit weights only; the
    corollary itself is right with e_i = w_i.

    Parameters
    ----------
    weight : float
        Of an optimal separator set.
    n : int
        Number of points, >= 1.

    Returns
    -------
    float
        In the units of the weights.

    Examples
    --------
    >>> leave_one_out_lower_bound(3.0, 12)
    0.25
    """
    return weight / n


def n_line_classes(n: int) -> int:
    """Lemma 2.7: the greatest number of classes of oriented lines through one of n points.

    Lines of a class have the same positive separator set. Around a point the n - 1 others give at most n - 1
    directions and n open intervals beside them, each for two orientations.

    Parameters
    ----------
    n : int
        Number of points, >= 1.

    Returns
    -------
    int

    Examples
    --------
    >>> n_line_classes(5)
    18
    """
    return 4 * n - 2
