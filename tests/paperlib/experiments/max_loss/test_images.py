"""Images of Section 5: what is trained on and tested on, and sheets of them."""

import numpy as np
import pytest

from paperlib.experiments import datasets
from paperlib.experiments.max_loss.images import (
    SIDE,
    WINDOW,
    contact_sheet,
    crops,
    digit_task,
    face_task,
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

    [crop] = crops(photograph, 1, Fixed())
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

    assert np.allclose(vary(image, 1, Still(False)), image)
    assert np.allclose(vary(image, 1, Still(True)), image[:, :, ::-1])


def test_a_task_of_digits():
    task = digit_task(digit=3, n_train=400, n_test=300, random_state=0)
    assert task.X.shape == (400, SIDE, SIDE) and 0 < task.y.mean() < 0.3
    flat = {row.tobytes() for row in task.X}
    assert not flat & {row.tobytes() for row in task.X_test}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: face_task(0), "n_faces must be"),
        (lambda: face_task(n_test=1.5), "n_test must be"),
        (lambda: digit_task(digit=10), "digit must be"),
        (lambda: digit_task(n_train=5000), "n_train must be"),
        (lambda: digit_task("all"), "data must be"),
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
