"""Images of Section 5: faces against anything else, digits, and sheets of them as in Figure 1.

The paper's 32,000 faces and 250,000 crops were never published. Here are 100 faces and 100 non-faces of
"Labeled Faces in the Wild", each shown moved, enlarged and mirrored, and crops of scikit-image's photographs.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import map_coordinates

from paperlib._common.validation import check_number
from paperlib.experiments import datasets

SIDE = 28  # pixels, of what the network sees
FACE_SIDE = 25
WINDOW = (300, 450)  # rows and columns of a photograph
TRAIN_COLUMNS = 300  # crops to train on lie in the columns before, crops to test on in those from here on
TRAIN_FACES = 80  # of the 100 faces and of the 100 non-faces
CELL = 50  # pixels: crops whose centres lie in one square of so many look alike
SMALLEST, LARGEST = 28, 140  # side of a crop before it is made smaller
SHIFT, ENLARGED = 2.0, (0.85, 1.15)  # of a face: pixels, and factors


class ImageTask(NamedTuple):
    """Images of two classes, to train and to test on.

    Attributes
    ----------
    X, X_test : ndarray, float32
        Faces (m, 28, 28) with 0 black and 1 white, or digits (m, 196), white on black.
    y, y_test : ndarray of shape (m,), int64
        1 for a face (or the digit), 0 for anything else.
    source : ndarray of shape (m,), int64, or None
        Of X, from which picture each was made: the same person, or the same part of a photograph.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    source: np.ndarray | None = None


def face_task(n_faces=1000, n_others=3000, n_test=500, *, random_state=None):
    """Draw faces and non-faces; no person and no pixel is among both those to train and those to test on.

    A tenth of the non-faces are those of the face data, the others crops of photographs.

    Parameters
    ----------
    n_faces, n_others : int >= 1
        To train on, of each class.
    n_test : int >= 1
        To test on, of each class.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ImageTask
        In random order.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> task = face_task(20, 60, 10, random_state=0)
    >>> task.X.shape, task.y.sum(), task.X_test.shape
    ((80, 28, 28), np.int64(20), (20, 28, 28))
    """
    sizes = {"n_faces": n_faces, "n_others": n_others, "n_test": n_test}
    n_faces, n_others, n_test = (check_number(n, name, low=1, integer=True) for name, n in sizes.items())
    rng = np.random.default_rng(random_state)
    images = datasets.load("faces").X.reshape(2, -1, FACE_SIDE, FACE_SIDE)
    photographs = datasets.load("photographs").X.reshape(-1, *WINDOW) / 255.0
    parts = []
    for part, (n, others) in enumerate([(n_faces, n_others), (n_test, n_test)]):
        own = images[:, TRAIN_FACES:] if part else images[:, :TRAIN_FACES]
        ground = photographs[:, :, TRAIN_COLUMNS:] if part else photographs[:, :, :TRAIN_COLUMNS]
        made = [
            vary(own[0], n, rng),
            vary(own[1], others // 10, rng),
            crops(ground, others - others // 10, rng),
        ]
        X, sources = (np.concatenate(each) for each in zip(*made))
        sources += np.repeat([0, 10_000, 20_000], [n, others // 10, others - others // 10])
        y, order = np.repeat([1, 0], [n, others]), rng.permutation(n + others)
        parts += [X[order].astype(np.float32), y[order], sources[order]]
    X, y, source, X_test, y_test, _ = parts
    return ImageTask(X, y, X_test, y_test, source)


def digits(data="bundled", digit=8, n_digits=None, *, random_state=None):
    """Return MNIST's images with each two by two pixels averaged, and which of them are of one digit.

    Parameters
    ----------
    data : {"bundled", "full"}
        As in `paperlib.experiments.datasets.load`: 5,000 images, or all 70,000.
    digit : int in [0, 9]
    n_digits : int >= 2, optional
        A random choice of so many, or all if there are no more.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, 196), float32
        In [0, 1].
    y : ndarray of shape (n,)
        1 for the digit, 0 for the others.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> X, y = digits(n_digits=100, random_state=0)
    >>> X.shape, bool(X.max() <= 1), set(y.tolist())
    ((100, 196), True, {0, 1})
    """
    mnist = datasets.load("mnist", data)
    digit = check_number(digit, "digit", low=0, high=9, integer=True)
    n = len(mnist.X) if n_digits is None else check_number(n_digits, "n_digits", low=2, integer=True)
    chosen = np.random.default_rng(random_state).permutation(len(mnist.X))[:n]
    return half_size(mnist.X[chosen]), (mnist.y[chosen] == digit).astype(np.int64)


def half_size(X):
    """Average each two by two pixels of images (n, 784) with values up to 255: float32 (n, 196) in [0, 1]."""
    squares = X.reshape(-1, SIDE // 2, 2, SIDE // 2, 2)
    return (squares.mean(axis=(2, 4)) / 255.0).astype(np.float32).reshape(len(X), -1)


def split(X, y, *, random_state=None):
    """Mix images and split them 9 : 1 into those to train and those to test on, as in Section 5.

    Parameters
    ----------
    X : ndarray of shape (n, ...)
    y : ndarray of shape (n,)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ImageTask

    Examples
    --------
    >>> task = split(np.eye(20), np.arange(20) % 2, random_state=0)
    >>> len(task.X), len(task.X_test)
    (18, 2)
    """
    mixed = np.random.default_rng(random_state).permutation(len(y))
    n_test = max(1, round(len(y) / 10))
    train, test = mixed[n_test:], mixed[:n_test]
    return ImageTask(X[train], y[train], X[test], y[test])


def share_to_train(task):
    """Return the share of a task's images that are to train and not to test on, compared by their pixels.

    Parameters
    ----------
    task : ImageTask

    Returns
    -------
    float in [0, 1]
        Images of one part that are equal count once.

    Examples
    --------
    >>> y = np.zeros(3, dtype=int)
    >>> share_to_train(ImageTask(np.array([[1.0], [2.0], [3.0]]), y, np.array([[3.0]]), y[:1]))
    0.5
    """
    train, test = ({row.tobytes() for row in X} for X in (task.X, task.X_test))
    return len(train - test) / (len(train) + len(test))


def vary(images, n, rng):
    """Show random ones of `images` (k, s, s), moved, enlarged and mirrored: (n, 28, 28), and which they are.

    What lies beyond an image's border is as the border.
    """
    side = images.shape[1]
    which, mirrored = rng.integers(len(images), size=n), rng.random(n) < 0.5
    enlarged = _log_uniform(*ENLARGED, n, rng)
    centres = (side - 1) / 2 + rng.uniform(-SHIFT, SHIFT, size=(2, n))
    steps = (np.arange(SIDE) - (SIDE - 1) / 2) * side / SIDE / enlarged[:, None]
    rows, columns = centres[0][:, None] + steps, centres[1][:, None] + steps
    columns[mirrored] = columns[mirrored, ::-1]
    at = np.broadcast_arrays(which[:, None, None], rows[:, :, None], columns[:, None, :])
    inside = [at[0], *(np.clip(each, 0, side - 1) for each in at[1:])]
    return map_coordinates(images, inside, order=1), which


def crops(photographs, n, rng):
    """Cut random squares from `photographs` (k, h, w) and average them down: (n, 28, 28), and where they lie.

    Sides are as often between 28 and 56 pixels as between 56 and 112.
    """
    k, h, w = photographs.shape
    # Sums of all pixels above and to the left, between which an average is linear in all four borders.
    sums = np.zeros((k, h + 1, w + 1))
    sums[:, 1:, 1:] = photographs.cumsum(axis=1).cumsum(axis=2)
    which = rng.integers(k, size=n)
    sides = _log_uniform(SMALLEST, LARGEST, n, rng)
    top, left = rng.random(n) * (h - sides), rng.random(n) * (w - sides)
    borders = np.arange(SIDE + 1) / SIDE * sides[:, None]
    rows, columns = top[:, None] + borders, left[:, None] + borders
    at = np.broadcast_arrays(which[:, None, None], rows[:, :, None], columns[:, None, :])
    corners = map_coordinates(sums, np.stack(at), order=1)
    means = np.diff(np.diff(corners, axis=1), axis=2) / (sides / SIDE)[:, None, None] ** 2
    cells = [((each + sides / 2) // CELL).astype(int) for each in (top, left)]
    return means.clip(0.0, 1.0), 100 * which + 10 * cells[0] + cells[1]


def _log_uniform(low, high, n, rng):
    """Draw sizes that are uniform on a logarithmic scale, in single precision.

    The last bits of a logarithm and an exponential differ between processors. In a pixel they would be enough
    to lead a network elsewhere after some hundred steps.
    """
    drawn = np.exp(rng.uniform(np.log(low), np.log(high), size=n))
    return drawn.astype(np.float32).astype(float)


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
