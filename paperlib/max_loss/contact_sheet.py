"""Small pictures side by side, as in Figure 1."""

import numpy as np


def contact_sheet(images, n_columns, n_rows, *, gap=1):
    """Arrange grey images in rows, with white between them and where there are none left.

    Parameters
    ----------
    images : ndarray of shape (k, h, w)
        Grey values, 1 is white; those past ``n_columns * n_rows`` are left out.
    n_columns, n_rows : int >= 1
    gap : int >= 0
        Pixels around each.

    Returns
    -------
    ndarray of shape (n_rows * (h + 2 gap), n_columns * (w + 2 gap))

    Examples
    --------
    >>> contact_sheet(np.zeros((1, 1, 1)), 2, 1).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    k, h, w = images.shape
    sheet = np.ones((n_rows * n_columns, h + 2 * gap, w + 2 * gap))
    n = min(k, len(sheet))
    sheet[:n, gap : gap + h, gap : gap + w] = images[:n]
    return (
        sheet.reshape(n_rows, n_columns, *sheet.shape[1:]).swapaxes(1, 2).reshape(n_rows * (h + 2 * gap), -1)
    )
