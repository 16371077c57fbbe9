"""Figure 3: point sets on which every question has to be asked."""

import math

import numpy as np
import pytest
from matplotlib import pyplot as plt

from paperlib.coresets import ActiveCoresetSVC
from paperlib.experiments import plotting
from paperlib.experiments.coresets import drawings
from paperlib.experiments.coresets.figure_3 import (
    Adversary,
    asked_on_the_circle,
    drawn,
    figure_3,
    figure_3_margin,
    needles,
    nightmare_labels,
)
from tests.paperlib.coresets.helpers import best_margin


@pytest.mark.parametrize("part", ["a", "b"])
@pytest.mark.parametrize("n", [3, 4, 7, 50])
def test_figure_3_is_separable_with_the_stated_margin(part, n):
    X, y = figure_3(part, n, needle=n // 2)
    if (part, n) != ("b", 3):
        assert math.isclose(best_margin(y[:, None] * X), figure_3_margin(n), rel_tol=1e-9)
    assert best_margin(y[:, None] * X) > 0


def test_figure_3_a_as_drawn_has_no_hyperplane_through_the_origin():
    X, y = figure_3("a", 12, lifted=False)
    assert X.shape == (12, 2) and best_margin(y[:, None] * X) == 0


@pytest.mark.parametrize("part", ["a", "b"])
def test_the_adversary_forces_every_question_for_zero_error(part):
    X, _ = figure_3(part, 40)
    oracle = Adversary(40)
    clf = ActiveCoresetSVC(0.1, 1e-6, random_state=0).fit(X, oracle)
    assert oracle.n_asked == 40 and clf.n_queries_ == len(X)
    truth = [oracle(i) for i in range(len(X))]
    assert (clf.predict(X) == truth).all() and truth[:40].count(-1) == 1


def test_the_needle_is_missed_where_an_error_is_allowed():
    X, y = figure_3("b", 400, needle=123)
    clf = ActiveCoresetSVC(0.1, 0.05, random_state=0).fit(X, y)
    assert clf.halted_ == "verified" and clf.n_queries_ < 200
    assert (clf.predict(X) != y).nonzero()[0].tolist() == [123]


@pytest.mark.parametrize(
    "call", [lambda: figure_3("c"), lambda: figure_3("a", 2), lambda: figure_3("a", 5, needle=5)]
)
def test_figure_3_refuses(call):
    with pytest.raises(ValueError, match="must be"):
        call()


def test_nightmares():
    found = nightmare_labels([5, 40], [0.3, 0.01], 0.1, seed=0)
    stopped = found[found.asked < found.n]
    assert not stopped.right.any() and stopped.places.sum() > 100
    assert (stopped.wrong == stopped.places).all() and (stopped.asked + stopped.places == stopped.n).all()
    told = found[found.asked == found.n]
    assert (told.places == 1).all() and (told.right == 1).all() and (told.wrong == 0).all()
    active = found[found.learner == "active"]
    assert (active.asked == active.n)[active.error == 0.01].all()  # below 1 / n
    assert (active.asked < active.n)[(active.error == 0.3) & (active.n == 40)].all()


def test_a_needle_that_shows_is_seen(monkeypatch):
    def low(part, n):
        X, y = figure_3(part, n)
        X[:n, 2] = 0.2
        return X, y

    monkeypatch.setattr("paperlib.experiments.coresets.figure_3.figure_3", low)
    found = nightmare_labels([16], [0.3], 0.1, seed=0)
    assert (found.groupby("part").right.sum() > 0).all()


def test_an_adversary_that_has_chosen_before_is_seen(monkeypatch):
    def chosen(self, n):
        sound(self, n)
        self._needle = 0

    sound = Adversary.__init__
    monkeypatch.setattr(Adversary, "__init__", chosen)
    found = nightmare_labels([8, 16], [0.3], 0.1, seed=0)
    stopped = found[found.asked < found.n]
    assert (stopped.groupby("part").wrong.min() == 0).all()


def test_needles():
    found = needles([4, 6])
    assert found.groupby(["part", "lifted"]).size().to_dict() == {
        ("a", False): 10,
        ("a", True): 10,
        ("b", True): 10,
    }
    assert (found.separated == found.lifted).all()


def test_the_figure_that_is_drawn():
    for part in "ab":
        assert all((one == other).all() for one, other in zip(drawn(part, 12), figure_3(part, 12)))


def test_what_is_drawn_of_each_label():
    asked = asked_on_the_circle(8, 3, 0.1, seed=0)
    for k in (1, 2, len(asked.rows)):
        fig, axes = plotting.figure(2)
        near = int(asked.rows[k]) if k < len(asked.rows) else 8
        drawings.draw_circle(axes[0], asked, k, near)
        drawings.draw_space(axes[1], asked, k, near)
        cuts = near < 8 and abs(asked.X[near] @ asked.normals[k - 1]) < 0.9 * asked.margins[k - 1]
        why = "none" if near == 8 else "near" if cuts else "drawn to verify"
        assert axes[0].get_title(loc="left") == f"{k} labels of 8, next: {why}"
        (ball,) = (line for line in axes[1].lines if line.get_label() == "largest ball")
        radius = np.hypot(*ball.get_data()).max()
        expected = np.tan(np.arcsin(asked.margins[k - 1] / np.sqrt(2)))  # of half of the sphere, infinite
        assert radius > 1e3 if k == 1 else radius == pytest.approx(expected, rel=1e-6)
        plt.close(fig)
