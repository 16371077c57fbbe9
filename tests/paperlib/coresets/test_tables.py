"""Streams of Arrow tables and of data frames: what the same rows as arrays give."""

import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from paperlib.coresets import CoresetSVC

pa = pytest.importorskip("pyarrow", reason="Arrow tables need pyarrow")
from pyarrow import dataset, parquet  # noqa: E402

NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3)).astype(np.float32)
    X[:, 2] = rng.integers(-3, 4, size=3000)
    y = np.where(X @ [1.0, -1.0, 0.5] > 0, "yes", "no")
    X[:, 0] += np.where(y == "yes", 0.3, -0.3)
    columns = {"a": X[:, 0], "b": X[:, 1].astype(float), "label": y, "c": X[:, 2].astype(np.int16)}
    return pa.table(columns), X.astype(float), y


def pairs(X, y, size):
    return lambda: ((X[at : at + size], y[at : at + size]) for at in range(0, len(X), size))


def same(clf, other):
    assert (clf.coef_ == other.coef_).all() and clf.margin_ == other.margin_
    assert clf.coreset_indices_.tolist() == other.coreset_indices_.tolist()
    assert clf.classes_.tolist() == other.classes_.tolist() == ["no", "yes"]
    assert clf.feature_names_in_.tolist() == NAMES and not hasattr(other, "feature_names_in_")


def test_every_way_to_read_a_parquet_file(table, tmp_path):
    rows, X, y = table
    parquet.write_table(rows, tmp_path / "rows.parquet", row_group_size=1000)
    arrays = CoresetSVC(0.01).fit_stream(pairs(X, y, 500))
    file, folder = tmp_path / "rows.parquet", dataset.dataset(tmp_path)
    for chunks in (
        lambda: parquet.ParquetFile(file).iter_batches(batch_size=500),
        lambda: folder.to_batches(batch_size=500),
        folder.scanner(batch_size=500).to_batches,
        lambda: rows.to_batches(max_chunksize=500),
        lambda: (rows.slice(at, 500) for at in range(0, 3000, 500)),
        lambda: (rows.slice(at, 500).to_pandas() for at in range(0, 3000, 500)),
        lambda: (pl.from_arrow(rows.slice(at, 500)) for at in range(0, 3000, 500)),
    ):
        same(CoresetSVC(0.01).fit_stream(chunks, y="label"), arrays)
    whole = CoresetSVC(0.01).fit_stream(dataset.dataset(tmp_path).to_batches, y="label")
    assert whole.margin_ >= 0.99 * whole.margin_upper_bound_ > 0


def test_labels_in_a_dictionary_and_features_that_are_booleans(table):
    rows, X, y = table
    label = rows["label"].combine_chunks().dictionary_encode()
    coded = rows.set_column(2, "label", label)
    same(
        CoresetSVC(0.01).fit_stream(lambda: [coded], "label"),
        CoresetSVC(0.01).fit_stream(pairs(X, y, 3000)),
    )
    flags = pa.table({"on": [True, False, True], "label": [1, 0, 1], "off": [False, True, False]})
    assert CoresetSVC().fit_stream(lambda: [flags], "label").coef_.round(3).tolist() == [[0.707, -0.707]]


def test_predictions_for_tables_and_frames(table):
    rows, X, y = table
    clf = CoresetSVC(0.01).fit_stream(lambda: rows.to_batches(max_chunksize=700), y="label")
    features = rows.drop_columns("label")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (features.to_pandas(), pl.from_arrow(features)):
            assert (clf.predict(given) == y).all()
    assert (clf.predict(features.to_batches()[0].to_pandas()) == y).all()
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(pd.DataFrame(X, columns=["b", "a", "c"]))
    assert not hasattr(clf.fit(X, y), "feature_names_in_")


T = pa.table({"a": [1.0, -1.0], "label": [1, 0]})
BAD = [
    ([T], None, "y must be the name of one column of the tables, a, label; got None"),
    ([T], "b", "y must be the name of one column of the tables, a, label; got 'b'"),
    ([T], 1, "y must be the name of the tables' column of labels, got 1"),
    ([T, T.rename_columns(["b", "label"])], "label", r"columns \['a'\] in every chunk, got \['b'\]"),
    ([(np.ones((1, 1)), [1])], "label", "chunks.. must give tables where y names a column, got tuple"),
    ([pa.table({"a": ["x", "z"], "label": [1, 0]})], "label", "got column 'a' of type string"),
    ([pa.table({"a": [1.0, None], "label": [1, 0]})], "label", "X contains NaN"),
    ([pa.table({"a": [1, None], "label": [1, 0]})], "label", "X contains NaN"),
    ([pa.table({"a": [1.0, 2.0], "label": [1, None]})], "label", "without nulls, got 1 in one chunk"),
    ([pa.table({"label": [1, 0]})], "label", "0 feature"),
]


@pytest.mark.parametrize("chunks, y, words", BAD)
def test_bad_tables_are_named(chunks, y, words):
    with pytest.raises(ValueError, match=words):
        CoresetSVC().fit_stream(lambda: chunks, y)


def test_a_frame_without_pyarrow_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        CoresetSVC().fit_stream(lambda: [pd.DataFrame({"a": [1.0, -1.0], "label": [1, 0]})], "label")
    assert CoresetSVC().fit_stream(lambda: [(np.array([[1.0], [-1.0]]), [1, 0])]).margin_ == 1.0
