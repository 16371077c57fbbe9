"""Data larger than memory: memory maps, dask arrays and streams give the same within the certificate."""

import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import CoresetSVC
from paperlib.coresets._search import inputs
from tests.paperlib.coresets.helpers import SELECTIONS, mapped, sample


def cut(X, y, size):
    def chunks():
        for start in range(0, len(X), size):
            yield X[start : start + size], y[start : start + size]

    return chunks


@pytest.fixture(scope="module")
def data():
    return sample(30_000, 6)


def check(clf, X, y, reference):
    signs = np.where(y == clf.classes_[1], 1.0, -1.0)
    assert np.isclose((signs * (X @ clf.coef_[0])).min(), clf.margin_, rtol=1e-12)
    assert clf.margin_ >= (1 - clf.eps) * clf.margin_upper_bound_
    assert clf.margin_ <= reference.margin_upper_bound_ * (1 + 1e-12)
    assert reference.margin_ <= clf.margin_upper_bound_ * (1 + 1e-12)
    z = signs[clf.coreset_indices_, None] * X[clf.coreset_indices_]
    assert np.isclose(np.linalg.norm(clf.hull_weights_ @ z), clf.margin_upper_bound_, rtol=1e-9)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_form_gives_the_same_within_the_certificate(data, selection, tmp_path):
    X, y = data
    clf, reference = CoresetSVC(0.01, selection=selection), CoresetSVC(0.001).fit(X, y)
    labels = np.where(y > 0, "b", "a")
    check(clf.fit(mapped(X, tmp_path), y), X, y, reference)
    array = clf.fit(X, y)
    for chunks in ((7000, -1), (30_000, 2)):
        dasked = CoresetSVC(0.01, selection=selection).fit(da.from_array(X, chunks=chunks), da.from_array(y))
        check(dasked, X, y, reference)
        if selection != "batch":  # the rows come in the same order
            assert dasked.coreset_indices_.tolist() == array.coreset_indices_.tolist()
            assert dasked.n_passes_ == array.n_passes_  # none of them only for its checks
    part, few = X[:2000], labels[:2000]
    for size in (1 if selection == "first" else 99, 999, 10**6):
        check(clf.fit_stream(cut(part, few, size)), part, few, CoresetSVC(0.001).fit(part, few))
    check(clf.fit_stream(cut(X, y, 5000)), X, y, reference)
    assert clf.n_features_in_ == 6 and clf.n_passes_ >= 1


def test_a_width_by_its_name_in_every_form(data):
    X, y = data[0][:1000], data[1][:1000]
    clf = CoresetSVC(0.1, kernel="rbf", gamma="scale", selection="first")
    reference = clf.fit(X, y).decision_function(X)
    assert np.allclose(clf.fit(da.from_array(X, chunks=(300, -1)), y).decision_function(X), reference)
    in_memory = clf.n_passes_
    assert np.allclose(clf.fit_stream(cut(X, y, 99)).decision_function(X), reference)
    assert clf.n_passes_ == in_memory + 1  # the one for the variance


def test_the_scheduler_does_not_matter(data):
    X, y = data
    found = []
    for scheduler in ("threads", "synchronous"):
        with dask.config.set(scheduler=scheduler):
            found.append(CoresetSVC(0.05, random_state=0).fit(da.from_array(X, chunks=(4000, -1)), y).coef_)
    assert (found[0] == found[1]).all()


def test_weights_labels_and_checks_of_dask_arrays(data):
    X, y = data
    weights = np.ones(len(X))
    weights[::7] = 0
    wrong = np.where(weights == 0, -y, y)
    clf = CoresetSVC(0.01).fit(da.from_array(X, chunks=(4000, -1)), wrong, weights)
    kept = weights > 0
    assert np.isclose((y[kept] * (X[kept] @ clf.coef_[0])).min(), clf.margin_)
    bad = X.copy()
    bad[20_000, 1] = np.nan
    for selection in SELECTIONS:
        with pytest.raises(ValueError, match="X contains NaN"):
            CoresetSVC(selection=selection).fit(da.from_array(bad, chunks=(4000, -1)), y)
    with pytest.raises(ValueError, match=r"y must have shape \(30000,\)"):
        CoresetSVC().fit(da.from_array(X, chunks=(4000, -1)), y[:-1])
    bad = [
        (da.ones(30), 30, "two dimensions"),
        (da.ones((30, 2)).astype(complex), 30, "X must hold real numbers, got dtype complex128"),
        (da.ones((0, 2)), 0, r"1 row and 1 column at least, got shape \(0, 2\)"),
        (da.ones((30, 0)), 30, r"1 row and 1 column at least, got shape \(30, 0\)"),
        (da.from_array(X * 1e160, chunks=(4000, -1)), 30_000, "too large in size"),
        (da.from_array(X * 1e-160, chunks=(4000, -1)), 30_000, "too small in size"),
    ]
    for rows, n, words in bad:
        with pytest.raises(ValueError, match=words):
            CoresetSVC().fit(rows, y[:n])


@pytest.mark.parametrize("type_", [np.int64, np.uint8, float, "U3", bool])
def test_labels_of_a_dask_array_keep_their_type(data, type_):
    X, y = data
    labels = np.where(y > 0, 200, 3).astype(type_) if type_ is not bool else y > 0
    unknown = da.from_array(labels, chunks=700)
    unknown = unknown[da.from_array(np.ones(len(y), dtype=bool), chunks=700)]  # of chunks of unknown length
    for given in (da.from_array(labels, chunks=7000), unknown, labels):
        clf = CoresetSVC(0.01, random_state=0).fit(da.from_array(X, chunks=(8000, -1)), given)
        assert clf.classes_.dtype == labels.dtype and (clf.predict(X) == labels).all()
    with pytest.raises(ValueError, match=r"y must have shape \(30000,\).*got \(29000,\)"):
        CoresetSVC().fit(da.from_array(X, chunks=(8000, -1)), unknown[1000:])


def test_labels_are_met_in_blocks_and_weights_leave_rows_out(monkeypatch):
    """The slow twin: all labels sorted."""
    monkeypatch.setattr(inputs, "ROWS", 7)
    rng = np.random.default_rng(0)
    for values in ([0, 5], [-1.0, 1.0], ["a", "bcd"], [False, True], [2**62, -3]):
        for n in (2, 7, 8, 100):
            y = np.sort(np.append(rng.choice(values, size=n - 2), values))
            y = y if n % 2 else y[::-1]
            weights = np.append(rng.integers(0, 2, size=n - 1), 1.0)
            weights[0] = 1.0
            classes, signs = inputs.labels(y, None)
            assert signs.dtype == np.int8 and classes.tolist() == np.unique(y).tolist()
            assert (classes[(signs > 0).astype(int)] == y).all()
            assert (inputs.labels(y, weights)[1] == signs * (weights > 0)).all()
            with pytest.raises(ValueError, match="got one class only"):
                inputs.labels(y, (signs > 0).astype(float))


def test_a_memory_map_of_integers_is_not_copied(data, tmp_path):
    X, y = np.round(10 * data[0]).astype(np.int16), data[1]
    rows = mapped(X, tmp_path)
    wanted = CoresetSVC(0.01, random_state=0).fit(X.astype(float), y)
    tracemalloc.start()
    clf = CoresetSVC(0.01, random_state=0).fit(rows, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.allclose(clf.coef_, wanted.coef_, rtol=1e-12) and np.isclose(clf.margin_, wanted.margin_)
    assert clf.margin_ > 0 and peak < 8 * X.size  # what a copy in float64 would take alone
    assert CoresetSVC(0.1, C=1.0).fit(rows, y).score(X, y) > 0.99


def test_a_stream_in_another_order_of_labels(data):
    X, y = data
    order = np.argsort(-y, kind="stable")  # the larger label comes first, alone in many chunks
    clf = CoresetSVC(0.01).fit_stream(cut(X[order], y[order], 500))
    assert clf.classes_.tolist() == [-1, 1] and (clf.predict(X) == y).all()
    clf = CoresetSVC(0.01).fit_stream(cut(X[order[::-1]], y[order[::-1]], 500))
    assert clf.classes_.tolist() == [-1, 1] and (clf.predict(X) == y).all()
    clf = CoresetSVC(0.01, kernel="rbf", gamma=0.1).fit_stream(cut(X[order[::50]], y[order[::50]], 100))
    assert (clf.predict(X[order[::50]]) == y[order[::50]]).all()


def test_a_stream_that_is_not_separable(data):
    X, y = data
    y = y.copy()
    y[12_345] *= -1
    for selection in SELECTIONS:
        with pytest.raises(ValueError, match=r"not separable.*OutlierCoresetSVC"):
            CoresetSVC(selection=selection).fit_stream(cut(X, y, 1000))
        with pytest.warns(ConvergenceWarning):
            clf = CoresetSVC(selection=selection, on_nonseparable="warn").fit_stream(cut(X, y, 1000))
        assert clf.margin_ < 0 and np.isclose((y * (X @ clf.coef_[0])).min(), clf.margin_)


def test_fit_names_what_takes_the_function_that_makes_the_chunks(data):
    X, y = data
    chunks = cut(X, y, 7_000)
    for given, name in ((chunks, "function"), (chunks(), "generator")):
        with pytest.raises(ValueError, match=f"X must be an array, got {name}; fit_stream takes a function"):
            CoresetSVC().fit(given, y)
        with pytest.raises(ValueError, match=f"X must be an array, got {name}; fit_stream takes a function"):
            CoresetSVC().fit(given, None)


def test_memory_does_not_grow_with_the_stream():
    def chunks_of(count):
        def chunks():
            for i in range(count):
                yield sample_of(i)

        return chunks

    w = np.ones(20) / np.sqrt(20)

    def sample_of(i):
        X = np.random.default_rng(i).normal(size=(2000, 20))
        y = np.where(X @ w > 0, 1, -1)
        return X + y[:, None] * w, y

    peaks = []
    CoresetSVC(0.1).fit_stream(chunks_of(2))
    for count in (5, 60):
        tracemalloc.start()
        CoresetSVC(0.1).fit_stream(chunks_of(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 4 * 2000 * 20 * 8 < 60 * 2000 * 20 * 8


X2, Y2 = np.array([[1.0], [-1.0]]), np.array([1, 0])
BAD = [
    (iter([(X2, Y2)]), "chunks must be a function"),
    (lambda: iter([]), "0 sample"),
    (lambda: iter([(X2, Y2), (np.ones((1, 2)), [1])]), "X must have 1 columns in every chunk, got 2"),
    (lambda: iter([(X2, Y2[:1])]), "inconsistent numbers of samples"),
    (lambda: iter([(np.ones((2, 1)), [1, 1])]), "one class only: 1"),
    (lambda: iter([(X2, Y2), (X2, [2, 3])]), "two classes, got"),
    (lambda: iter([(X2 * np.nan, Y2)]), "X contains NaN"),
    (lambda: iter([(X2, [[1], [0]])]), "one dimension"),
    (lambda: iter([(X2, [0.5, 0.7])]), "Unknown label type"),
    (lambda: iter([X2]), r"chunks\(\) must give pairs \(X, y\), got ndarray"),
    (lambda: iter([(X2, np.array(["a", None], dtype=object))]), "y must hold labels of one type"),
    (lambda: iter([(X2[:1], ["a"]), (X2[1:], [1])]), r"y must hold labels of one type, got \['a', 1\]"),
    (lambda: iter([(X2 * 1e160, Y2)]), "too large in size"),
    (lambda: iter([(X2 * 1e-160, Y2)]), "too small in size"),
]


@pytest.mark.parametrize("chunks, words", BAD)
def test_bad_streams_are_named(chunks, words):
    for selection in SELECTIONS:
        with pytest.raises(ValueError, match=words):
            CoresetSVC(selection=selection).fit_stream(chunks)


def test_a_stream_that_can_be_read_once_only(data):
    X, y = data
    once = cut(X, y, 1000)()
    with pytest.raises(ValueError, match=r"same rows at each call"):
        CoresetSVC().fit_stream(lambda: once)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("size", [5, 20, 200])
@pytest.mark.parametrize("rows", [[200, 20], [20, 200], [200, 200, 20], [200, 200, 200, 20]])
def test_calls_that_give_different_numbers_of_rows(selection, size, rows):
    X, y = sample(200, 2)
    calls = []

    def chunks():
        calls.append(rows[min(len(calls), len(rows) - 1)])
        return cut(X[: calls[-1]], y[: calls[-1]], size)()

    clf = CoresetSVC(0.01, selection=selection)
    try:
        clf.fit_stream(chunks)
    except ValueError as error:
        assert "chunks() must give the same rows at each call" in str(error) and len(set(calls)) == 2
        return
    assert set(calls) == {200}  # the others were not asked for
    assert np.isclose((y * (X @ clf.coef_[0])).min(), clf.margin_, rtol=1e-12)


@pytest.mark.parametrize("selection", ["batch", "first"])
def test_a_pass_that_was_broken_off_counts_with_what_it_met(selection):
    rows = iter([4, 2, 2, 2, 2])
    X, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.array([1, 1, 0, 0])  # which nothing separates
    clf = CoresetSVC(selection=selection, on_nonseparable="warn", max_iter=1)
    with pytest.raises(ValueError, match=r"same rows at each call, got 2 at one and 4 at another"):
        clf.fit_stream(lambda: iter([(X[:n], y[:n]) for n in [next(rows)]]))


@pytest.mark.parametrize("selection", SELECTIONS)
def test_one_class_is_named_though_a_search_ends_before_the_stream(selection):
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array(["b", "b", "b"])  # no hyperplane is beside all
    for on_nonseparable in ("raise", "warn"):
        with pytest.raises(ValueError, match="y must have two classes, got one class only: 'b'"):
            CoresetSVC(selection=selection, on_nonseparable=on_nonseparable).fit_stream(cut(X, y, 1))
    y[2] = "a"
    with pytest.raises(ValueError, match="not separable"):
        CoresetSVC(selection=selection).fit_stream(cut(X, y, 1))
    with pytest.warns(ConvergenceWarning, match="not separable"):
        clf = CoresetSVC(selection=selection, on_nonseparable="warn").fit_stream(cut(X, y, 1))
    assert clf.classes_.tolist() == ["a", "b"] and len(clf.predict(X)) == 3
