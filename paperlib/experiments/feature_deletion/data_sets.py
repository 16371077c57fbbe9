"""The data of the figures and of the comparison, by name, and how the features of each are scaled."""

from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice
from paperlib.experiments import datasets
from paperlib.experiments.feature_deletion.tuning import Kind

IMAGES = ("MNIST", "digits, 8 x 8")
# Name in the tables, name among the data sets, and scaling.
TABLES: dict[str, tuple[str, Kind]] = {
    "spam": ("spambase", "counts"),
    "spam, raw counts": ("spambase", "raw counts"),
    "spam, centred": ("spambase", "measurements"),
    "breast cancer": ("breast_cancer", "measurements"),
    "ionosphere": ("ionosphere", "measurements"),
    "sonar": ("sonar", "measurements"),
    "German credits": ("german", "measurements"),
}
COMPARED = {
    "bundled": ("breast cancer", *IMAGES),
    "full": ("breast cancer", "spam", "ionosphere", "sonar", "German credits", *IMAGES),
}


class Examples(NamedTuple):
    """Features, labels of -1 and 1, and how `tuning.scaled` has to scale the former."""

    X: Floats
    y: np.ndarray
    kind: Kind


def load(name: str, data: str) -> Examples:
    """Load examples of two classes; of images those of 4 and 7, as in the paper.

    Parameters
    ----------
    name : str
        One of `TABLES` or `IMAGES`.
    data : {"bundled", "full"}

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> load("MNIST", "bundled").X.shape, load("breast cancer", "bundled").kind
    ((1000, 784), 'measurements')
    """
    check_choice(name, "name", (*TABLES, *IMAGES))
    if name in TABLES:
        source, kind = TABLES[name]
        table = datasets.load(source, data)
        return Examples(table.X, table.y, kind)
    images = datasets.load("mnist" if name == "MNIST" else "digits", data)
    wanted = np.isin(images.y, (4, 7))
    # The small digits are of 0 to 16, where MNIST's are of 0 to 255.
    pixels = images.X[wanted] * (1.0 if name == "MNIST" else 255 / 16)
    return Examples(pixels, np.where(images.y[wanted] == 7, 1, -1), "images")
