"""Images of Section 5: what is trained on and tested on, and sheets of them."""

import numpy as np
import pytest

from paperlib.experiments import datasets
from paperlib.experiments.max_loss.images import (
    SIDE,
    WINDOW,
    ImageTask,
    contact_sheet,
    crops,
    digits,
    face_task,
    share_to_train,
    split,
    vary,
)


def test_a_task_of_faces():
    task = face_task(30, 100, 20, random_state=0)
    assert task.X.shape == (130, SIDE, SIDE) and task.X_test.shape == (40, SIDE, SIDE)
    assert task.X.dtype == np.float32 and task.X.min() >= 0 and task.X.max() <= 1
    assert (task.y.sum(), task.y_test.sum()) == (30, 20)
    again = face_task(30, 100, 20, random_state=0)
    assert all(np.array_equal(a, b) for a, b in zip(task, again))


def test_what_is_tested_on_was_never_trained_on(monkeypatch):
    """Train images are made white and test images black: nothing in between may come out."""
    real = datasets.load

    def painted(name, data="bundled"):
        found = real(name, data)
        X = found.X.copy()
        if name == "faces":
            X = X.reshape(2, 100, -1)
            X[:, :80], X[:, 80:] = 1.0, 0.0
        else:
            X = X.reshape(-1, *WINDOW)
            X[:, :, :300], X[:, :, 300:] = 255, 0
        return found.__class__(name, X.reshape(len(found.X), -1), found.y, found.source, found.sha256)

    monkeypatch.setattr(datasets, "load", painted)
    task = face_task(50, 200, 50, random_state=1)
    assert np.allclose(task.X, 1.0, atol=1e-6) and np.allclose(task.X_test, 0.0, atol=1e-6)


def test_crops_are_averages(monkeypatch):
    rng = np.random.default_rng(0)
    photograph = rng.random((1, 60, 70))

    class Fixed:
        """Draws that put a crop of 56 pixels at (2, 5)."""

        def integers(self, k, size):
            return np.zeros(size, dtype=int)

        def uniform(self, low, high, size):
            return np.full(size, np.log(56.0))

        def random(self, n):
            self.calls = getattr(self, "calls", 0) + 1
            return np.full(n, 2 / 4 if self.calls == 1 else 5 / 14)

    [crop] = crops(photograph, 1, Fixed())[0]
    expected = photograph[0, 2:58, 5:61].reshape(28, 2, 28, 2).mean(axis=(1, 3))
    assert np.allclose(crop, expected)


def test_a_face_that_is_not_moved_stays_and_a_mirrored_one_is_mirrored():
    image = np.random.default_rng(0).random((1, SIDE, SIDE))

    class Still:
        def __init__(self, mirrored):
            self.mirrored = mirrored

        def integers(self, k, size):
            return np.zeros(size, dtype=int)

        def random(self, n):
            return np.full(n, 0.0 if self.mirrored else 1.0)

        def uniform(self, low, high, size):
            return np.zeros(size)

    assert np.allclose(vary(image, 1, Still(False))[0], image)
    assert np.allclose(vary(image, 1, Still(True))[0], image[:, :, ::-1])


def test_faces_do_not_depend_on_the_last_bits_of_an_exponential(monkeypatch):
    """Processors differ in these; a network that trains on the images would tell after some hundred steps."""
    once = face_task(50, 150, 10, random_state=2)
    for function in ("exp", "log"):
        exact = getattr(np, function)
        monkeypatch.setattr(np, function, lambda x, exact=exact: np.nextafter(exact(x), np.inf))
    again = face_task(50, 150, 10, random_state=2)
    np.testing.assert_array_equal(again.X, once.X)
    np.testing.assert_array_equal(again.X_test, once.X_test)


def test_digits_are_averages_of_two_by_two_pixels():
    X, y = digits(digit=3, n_digits=40, random_state=0)
    mnist = datasets.load("mnist")
    chosen = np.random.default_rng(0).permutation(len(mnist.X))[:40]
    for row, label, i in zip(X, y, chosen, strict=True):
        image = mnist.X[i].reshape(28, 28).astype(float)
        twin = [
            [image[2 * r : 2 * r + 2, 2 * c : 2 * c + 2].mean() / 255 for c in range(14)] for r in range(14)
        ]
        assert np.allclose(row.reshape(14, 14), twin, atol=1e-6)
        assert label == (mnist.y[i] == 3)
    assert X.dtype == np.float32 and y.dtype == np.int64


def test_all_digits_where_there_are_no_more():
    X, y = digits()
    assert len(digits(n_digits=10**6)[0]) == len(X) == 5000 and y.sum() == 500


@pytest.mark.parametrize("n", [2, 3, 20, 101])
def test_a_split_loses_no_image_and_shows_none_twice(n):
    X, y = np.arange(n)[:, None], np.arange(n) % 2
    task = split(X, y, random_state=1)
    assert len(task.X_test) == max(1, round(n / 10))
    assert sorted(np.concatenate([task.X, task.X_test]).ravel()) == list(range(n))
    assert (task.y == task.X[:, 0] % 2).all() and (task.y_test == task.X_test[:, 0] % 2).all()
    again, other = split(X, y, random_state=1), split(X, y, random_state=2)
    assert all(map(np.array_equal, task, again))
    assert n < 20 or not np.array_equal(task.X, other.X)


def test_the_share_to_train_notices_a_leak_either_way():
    task = split(np.arange(100.0)[:, None], np.zeros(100))
    assert share_to_train(task) == 0.9
    everything = np.concatenate([task.X, task.X_test])
    assert share_to_train(task._replace(X=everything)) < 0.85
    assert share_to_train(task._replace(X_test=everything)) == 0
    assert share_to_train(ImageTask(task.X[:1], task.y[:1], task.X[:0], task.y[:0])) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: face_task(0), "n_faces must be"),
        (lambda: face_task(n_test=1.5), "n_test must be"),
        (lambda: digits(digit=10), "digit must be"),
        (lambda: digits(n_digits=1), "n_digits must be"),
        (lambda: digits("all"), "data must be"),
    ],
)
def test_bad_numbers(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_contact_sheet():
    images = np.arange(3.0)[:, None, None] * np.ones((3, 2, 2))
    sheet = contact_sheet(images, 2, 2, gap=0)
    assert sheet.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 1, 1], [2, 2, 1, 1]]
    assert contact_sheet(images, 1, 1).shape == (4, 4)
    assert (contact_sheet(images[:0], 2, 1) == 1.0).all()
