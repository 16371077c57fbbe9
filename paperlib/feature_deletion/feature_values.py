"""Feature values from the training data: the heuristic of Figure 2."""

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_number
from paperlib.feature_deletion._deletion.validation import check_labels, check_matrix


def mutual_information_values(X: ArrayLike, y: ArrayLike, *, floor: float = 0.01) -> Floats:
    """Value of each feature by what it tells about the label, with sum n.

    The paper sets the values "with a mutual information heuristic" and gives no recipe. This one: each
    feature is cut at its median over the given examples, below or above the median itself, whichever halves
    them more evenly (below, if it is the same), so that a binary feature is cut in two; its mutual
    information with the label is computed from the four counts; what is below the share `floor` of the
    largest one is raised to that, so that no feature is free to delete; and all are scaled to the sum n of
    values of one. Where no feature tells anything all values are one. Compute it on the training fold only.

    Parameters
    ----------
    X : array-like of shape (m, n)
    y : array-like of shape (m,)
        Two distinct labels, of any type but fractions.
    floor : float in (0, 1], default=0.01
        Of the largest mutual information.

    Returns
    -------
    ndarray of shape (n,)
        Positive, with sum n.

    Raises
    ------
    ValueError
        For numbers that are not finite, lengths that differ, `y` without exactly two classes, or a `floor`
        out of range.

    References
    ----------
    O. Dekel, O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008, Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.feature_deletion import mutual_information_values
    >>> X = np.array([[0.0, 0.0], [0.1, 1.0], [0.9, 0.0], [1.0, 1.0]])
    >>> mutual_information_values(X, [0, 0, 1, 1], floor=0.25).round(12).tolist()
    [1.6, 0.4]
    """
    y = check_labels(y)
    X = check_matrix(X, y)
    floor = check_number(floor, "floor", low=0, high=1, open_low=True)
    _, signs = check_binary_labels(y, np.ones(len(X)))
    if np.abs(X).max() > np.finfo(np.float64).max / 4:
        X = X / 4  # a median of two is their sum, halved
    median = np.array([np.median(column) for column in X.T])  # one by one, to hear Ctrl-C between them
    at_least, above = median <= X, median < X
    # In whole numbers: 14 of 29 is as far from the half as 15 of 29, and rounded shares are not.
    uneven = [np.abs(2 * np.count_nonzero(side, axis=0) - len(X)) for side in (at_least, above)]
    above = np.where(uneven[0] <= uneven[1], at_least, above)
    information = np.zeros(X.shape[1])
    for side in (above, ~above):
        for label in (signs > 0, signs < 0):
            joint = (side & label[:, None]).mean(axis=0)
            apart = side.mean(axis=0) * label.mean()
            ratio = np.divide(joint, apart, out=np.ones_like(joint), where=joint > 0)
            information += joint * np.log(ratio)
    # Mutual information is not negative, but rounding is; and the last digits of a logarithm differ between
    # processors, on which no budget should depend.
    information = np.maximum(np.round(information, 12), 0.0)
    if not information.any():
        return np.ones(X.shape[1])
    values = np.maximum(information, floor * information.max())
    return values * (len(values) / values.sum())
