"""Section 5's own kind of data: crops of photographs, one face in ten, varied until they are as many.

The 31,021 crops of the MIT CBCL face database (19 x 19 pixels; 2,901 faces) are enlarged to 28 x 28. Each is
a source, and no source is both in training and in test.
"""

import os
from pathlib import Path

import numpy as np
from scipy.ndimage import map_coordinates

from paperlib._common.validation import check_number
from paperlib.experiments import datasets
from paperlib.experiments.max_loss.images import SIDE, ImageTask, _log_uniform

# Here and not among the data sets that all papers share: an edit there makes the results of all of them old.
SHA256 = "4b20707f1ec89d9f1dde8ee0df499f45dd91cdc75d298319edd37a50c224ee73"
FILE = "faces/cbcl_faces.npz"
CROP_SIDE = 19
OF_TEN = 9  # of ten images, those that are no faces; as many of ten are to train on
SHIFT, TURN, SCALE = 1.5, 10.0, (0.9, 1.1)  # pixels of a crop, degrees, factors
GAIN, OFFSET = (0.8, 1.2), 0.1  # of the light
CHUNK = 5000  # images that are varied at a time


def are_there():
    """Return whether ``PAPERLIB_DATA`` names a folder that has the crops."""
    return (Path(os.environ.get(datasets.FOLDER) or "nowhere") / FILE).is_file()


def load_crops():
    """Load the crops, (31021, 361), +1 a face, from the folder that ``PAPERLIB_DATA`` names.

    Returns
    -------
    datasets.Dataset

    Raises
    ------
    DataUnavailableError
        If they are not there: their licence lets nobody pass them on.
    """
    return datasets._load_full("cbcl_faces", datasets._Entry(SHA256, _read, files=(FILE,)))


def _read(folder):
    with np.load(folder / FILE, allow_pickle=False) as file:
        X = np.concatenate([file["X_train"], file["X_test"]])
        y = np.concatenate([file["y_train"], file["y_test"]])
    return X.reshape(len(X), -1), np.where(y == 1, 1, -1)


def crop_task(n, *, random_state=None):
    """Draw n images to train on, a tenth of them faces, and a ninth as many to test on.

    Parameters
    ----------
    n : int >= 90
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ImageTask
        In random order.

    Raises
    ------
    DataUnavailableError
        Without the crops in the folder ``PAPERLIB_DATA``.
    """
    n = check_number(n, "n", low=90, integer=True)
    crops = load_crops()
    # Some crops come twice: they are one source.
    _, source = np.unique(crops.X, axis=0, return_inverse=True)
    rng = np.random.default_rng(random_state)
    is_test = rng.permutation(source.max() + 1)[source] % (OF_TEN + 1) == 0
    pictures = crops.X.reshape(-1, CROP_SIDE, CROP_SIDE)
    parts = []
    for size, own in ((n, ~is_test), (n // OF_TEN, is_test)):
        y = np.repeat([1, 0], [size // (OF_TEN + 1), size - size // (OF_TEN + 1)])
        rng.shuffle(y)
        which = np.empty(size, dtype=np.int64)
        for label in (0, 1):
            pool = np.flatnonzero(own & (crops.y == 2 * label - 1))
            which[y == label] = rng.choice(pool, (y == label).sum())
        parts.append((varied(pictures, which, rng), y, source[which]))
    (X, y, made_of, *_), (X_test, y_test, _) = parts
    return ImageTask(X, y, X_test, y_test, made_of)


def varied(pictures, which, rng):
    """Show pictures enlarged, moved, turned, scaled, mirrored, and in another light.

    Parameters
    ----------
    pictures : uint8 ndarray of shape (k, s, s)
    which : ndarray of shape (n,)
        Rows of `pictures`.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n, 28, 28), float32
        In [0, 1]. What lies beyond a picture's border is as the border.
    """
    n, side = len(which), pictures.shape[1]
    shifts = rng.uniform(-SHIFT, SHIFT, size=(2, n))
    # Single precision: the last bits of a cosine differ between processors.
    turns = np.deg2rad(rng.uniform(-TURN, TURN, size=n))
    cosine, sine = (each(turns).astype(np.float32).astype(float) for each in (np.cos, np.sin))
    steps = side / SIDE / _log_uniform(*SCALE, n, rng)
    mirrored = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    gain, offset = rng.uniform(*GAIN, size=n), rng.uniform(-OFFSET, OFFSET, size=n)
    at = np.arange(SIDE) - (SIDE - 1) / 2
    shown = np.empty((n, SIDE, SIDE), dtype=np.float32)
    for start in range(0, n, CHUNK):
        own = slice(start, start + CHUNK)
        down, across = (
            steps[own, None, None] * each for each in (at[:, None], mirrored[own, None, None] * at)
        )
        c, s = cosine[own, None, None], sine[own, None, None]
        rows = (side - 1) / 2 + shifts[0, own, None, None] + c * down - s * across
        columns = (side - 1) / 2 + shifts[1, own, None, None] + s * down + c * across
        where = np.broadcast_arrays(which[own, None, None], rows.clip(0, side - 1), columns.clip(0, side - 1))
        light = map_coordinates(pictures, where, order=1, output=float) / 255.0
        shown[own] = (0.5 + gain[own, None, None] * (light - 0.5) + offset[own, None, None]).clip(0.0, 1.0)
    return shown
