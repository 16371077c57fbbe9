"""Searches that are interrupted, handed over to the sweep, or stopped by a time limit."""

import importlib

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search import optimal_sets
from paperlib.boosting2d._search.optimal_sets import Branch, branch
from tests.paperlib.boosting2d.helpers import AfterLooks, rarer_first, sets_up_to


def turns(n):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def near_pairs(rng, n, apart):
    half, direction = rng.normal(size=(n // 2, 2)), turns(n // 2)
    return np.concatenate([half, half + apart * direction])


def clouds(rng, n, positive):
    return rng.normal(size=(n, 2)) + 0.5 * positive[:, None]


def grid(n):
    side = int(np.sqrt(n))
    return np.column_stack([np.arange(n) // side, np.arange(n) % side]).astype(float)


# Points and labels. On those with a star branch and bound alone needs 2 to 200 times the sweep's time.
KINDS = {
    "clouds": lambda rng, n, noise: (clouds(rng, n, noise), noise),
    "noise": lambda rng, n, noise: (rng.normal(size=(n, 2)), noise),
    "noise in a square": lambda rng, n, noise: (rng.random((n, 2)), noise),
    "noise on a circle": lambda rng, n, noise: (turns(n), noise),
    "alternating on a circle *": lambda rng, n, noise: (turns(n), np.arange(n) % 2 == 0),
    "alternating on a parabola *": lambda rng, n, noise: (
        np.arange(n)[:, None] ** [1, 2] / n,
        np.arange(n) % 2 == 0,
    ),
    "a spiral *": lambda rng, n, noise: (turns(n) * np.arange(n)[:, None], np.arange(n) % 2 == 0),
    "pairs 1e-3 apart *": lambda rng, n, noise: (near_pairs(rng, n, 1e-3), np.arange(n) < n // 2),
    "pairs 1e-6 apart *": lambda rng, n, noise: (near_pairs(rng, n, 1e-6), np.arange(n) < n // 2),
    "pairs 1e-12 apart *": lambda rng, n, noise: (near_pairs(rng, n, 1e-12), np.arange(n) < n // 2),
    "parity of a grid": lambda rng, n, noise: (grid(n), grid(n).sum(axis=1) % 2 == 0),
    "noise on a grid": lambda rng, n, noise: (grid(n), noise),
    "noise on few places": lambda rng, n, noise: (rng.integers(0, 20, (n, 2)).astype(float), noise),
    "noise on a line": lambda rng, n, noise: (np.arange(n)[:, None] * [1.0, 2.0], noise),
    "noise next to a line": lambda rng, n, noise: (rng.normal(size=(n, 2)) * [1, 1e-9], noise),
    "noise in two clusters": lambda rng, n, noise: (grid(n) * 1e-3 + 9.0 * (rng.random((n, 1)) < 0.5), noise),
    "Cauchy noise": lambda rng, n, noise: (rng.standard_cauchy((n, 2)), noise),
    "noise over many scales": lambda rng, n, noise: (np.exp(5 * rng.normal(size=(n, 2))), noise),
    "four quadrants": lambda rng, n, noise: ((X := rng.normal(size=(n, 2))), X.prod(axis=1) > 0),
    "a ring": lambda rng, n, noise: ((X := rng.normal(size=(n, 2))), np.linalg.norm(X, axis=1) > 1.2),
    "stripes": lambda rng, n, noise: ((X := rng.normal(size=(n, 2))), np.floor(5 * X[:, 0]) % 2 == 0),
    "few of one class": lambda rng, n, noise: (rng.normal(size=(n, 2)), rng.random(n) < 0.03),
}
WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 4, n).astype(float),
    "heavy tails": lambda rng, n: np.ceil(rng.pareto(1, n) + 1),
}


def problem(kind, n, seed, weights="ones"):
    """Distinct locations with the rarer class in front, as the methods take them."""
    rng = np.random.default_rng(seed)
    X, positive = KINDS[kind](rng, n, rng.random(n) < 0.5)
    return rarer_first(merge(X, positive, WEIGHTS[weights](rng, n)))


def sets_of(listed, x, y, wp, wn, slack=0.0):
    """The distinct sets that have lines, of those of at most the least weight plus slack."""
    return sets_up_to(listed.weight + slack, x, y, wp, wn, listed.witnesses)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([60, 200, 330]),
    weights=st.sampled_from(list(WEIGHTS)),
    slack=st.sampled_from([0.0, 0.0, 1.0]),
    share=st.sampled_from([0.01, 0.05, 0.15, 0.5]),
)
def test_a_search_that_is_handed_over_finds_what_the_sweep_does(kind, seed, n, weights, slack, share):
    args = problem(kind, n, seed, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_sets, "SHARE", share)
        patch.setattr(optimal_sets, "SET_UP", 0)
        patch.setattr(optimal_sets, "MANY", 10**9)
        ours = optimal_sets.by_auto(*args, slack)
    theirs = optimal_sets.by_sweep(*args, slack)
    assert ours.finished and ours.complete
    assert ours.weight == ours.lower_bound == theirs.weight
    # Of the sets that are no optimum the sweep lists those of lines through the rarer class alone.
    assert sets_of(theirs, *args, slack) <= sets_of(ours, *args, slack)
    assert sets_of(theirs, *args) == sets_of(ours, *args)


@pytest.mark.parametrize("kind", ["clouds", "noise", "four quadrants", "stripes", "noise on few places"])
@pytest.mark.parametrize("seed", range(4))
def test_whenever_it_is_handed_over(kind, seed):
    """Also near the end, when few boxes are left and some optimal sets were met in finished ones."""
    args = problem(kind, 200, seed)
    whole = Branch(*args, 0.0, 2_000_000)
    whole.go_on()
    expected = optimal_sets.by_sweep(*args, 0.0)
    cost = optimal_sets.PER_POINT_PASSED * np.count_nonzero(args[2]) * len(args[0])
    for share in (0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(optimal_sets, "SHARE", share * whole.cost / cost)
            patch.setattr(optimal_sets, "SET_UP", 0)
            found = optimal_sets.by_auto(*args, 0.0)
        assert found.weight == expected.weight
        assert sets_of(found, *args) == sets_of(expected, *args)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_handed_over_in_time(kind):
    """The cost of both together, in the units in which they were measured, is below 1.2 times the sweep's."""
    x, y, wp, wn = problem(kind, 2_000, 0)
    sweep = optimal_sets.PER_POINT_PASSED * np.count_nonzero(wp) * len(x)
    spent = []

    class Watched(Branch):
        def go_on(self, until):
            super().go_on(until)
            spent.append(self.cost)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_sets, "Branch", Watched)
        found = optimal_sets.by_auto(x, y, wp, wn, 0.0)
    assert found.finished
    assert not spent or spent[-1] < 0.2 * sweep
    assert kind != "clouds" or spent[-1] < 0.1 * sweep


@pytest.mark.parametrize("kind", ["noise", "noise on few places", "pairs 1e-3 apart *", "Cauchy noise"])
def test_interruptions_change_nothing(kind):
    args = problem(kind, 240, 1)
    best, witnesses, judged = branch(*args, 0.0)
    search = Branch(*args, 0.0, 2_000_000)
    bounds = []
    while not search.done:
        search.go_on(search.cost + 20_000)
        bounds.append((search.lower_bound(), search.best))
    assert len(bounds) > 10
    assert (search.best, search.judged) == (best, judged)
    assert np.array_equal(search.witnesses(best)[0], witnesses)
    lower, upper = np.array(bounds).T
    assert (lower <= best).all() and (upper >= best).all()
    assert lower[0] < lower[-2] <= best  # it rises on the way, not at the end alone
    assert (np.diff(upper) <= 0).all()


@pytest.mark.parametrize("kind", ["noise", "alternating on a circle *", "few of one class"])
@pytest.mark.parametrize("method", ["auto", "branch", "sweep"])
@pytest.mark.parametrize("looks", [0, 1, 3])
def test_what_is_known_when_the_time_is_up(kind, method, looks):
    x, y, wp, wn = problem(kind, 300, 2)
    optimum = optimal_sets.by_sweep(x, y, wp, wn, 0.0).weight
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_sets, "PART", 300_000)
        patch.setattr(optimal_sets, "PART_OF_SWEEP", 300_000)
        found = optimal_sets.METHODS[method](x, y, wp, wn, 0.0, AfterLooks(looks))
    assert found.lower_bound <= optimum <= found.weight
    assert found.finished == (found.lower_bound == found.weight) or found.weight == optimum
    assert not (looks == 0 and found.finished) or kind == "few of one class"  # which is one part
    if found.side is not None:
        assert np.where(found.side, wn, wp).sum() == pytest.approx(found.weight)


def test_a_time_limit_of_next_to_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3_000, 2)), rng.random(3_000) < 0.5
    whole = optimal_separator(X, y, time_limit=3600.0)
    assert whole.status == "optimal" and whole.lower_bound == whole.weight
    for method in ("branch", "sweep", "auto"):
        line = optimal_separator(X, y, method=method, time_limit=1e-9)
        assert line.status == "time limit"
        assert line.lower_bound <= whole.weight <= line.weight == line.misclassified.sum()
        wrong = np.where(y, 1, -1) * (X @ line.normal + line.offset) <= 0
        assert np.array_equal(wrong, line.misclassified)


@pytest.mark.parametrize("most", [1, 5, 50])
def test_what_was_lost_for_lack_of_room_is_told(most):
    """Alternating labels on a circle: the first lines that are met weigh more, very many tie in the end."""
    args = problem("alternating on a circle *", 100, 0)
    search = Branch(*args, 0.0, most)
    search.go_on()
    witnesses, fits = search.witnesses(search.best)
    everything = optimal_sets.by_branch(*args, 0.0)
    assert everything.complete and len(everything.witnesses) > most
    assert not fits and len(witnesses) <= most


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    most=st.sampled_from([2, 4, 8, 16, 1_000]),
    beyond=st.sampled_from([0.0, 1.0]),
)
@example(seed=82, most=8, beyond=1.0)  # six lines, and none is kept: others had the room
def test_what_is_called_complete_is(seed, most, beyond):
    """The first, heavier lines take the room of others: of heavy ones, which is no loss, or of their like."""
    args = problem("noise", 60, seed)
    everything = optimal_sets.by_branch(*args, beyond)
    some = optimal_sets.by_branch(*args, beyond, most=most)
    assert some.weight == everything.weight
    if some.complete:
        assert sets_of(some, *args, beyond) == sets_of(everything, *args, beyond)
    assert some.complete or most < 1_000


# Weights


@pytest.mark.parametrize("call", [optimal_separator, leave_one_out])
def test_a_point_that_would_be_lost_in_the_sums_is_refused(call):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    with pytest.raises(ValueError, match=r"sample_weight must be above 2e-12 of its sum"):
        call(X, y, np.r_[1e12, np.full(11, 0.6)])
    call(X, y, np.r_[1e9, np.full(11, 0.6)])
    call(X, y, np.r_[2.0**50, np.ones(11)])  # sums are exact


@pytest.mark.parametrize("seed", range(5))
def test_weights_next_to_what_is_refused_are_right(seed):
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(60, 2)), rng.random(60) < 0.5, np.r_[1e10, np.full(59, 0.6)]
    line = optimal_separator(X, y, weights)
    whole = np.r_[1e11, np.full(59, 6.0)]  # ten times as heavy, and exact
    assert line.weight == pytest.approx(optimal_separator(X, y, whole).weight / 10, rel=1e-9)


@pytest.mark.parametrize("n", [100, 250])
@pytest.mark.parametrize("tail", [0.7, 1.0, 2.0])
def test_leave_one_out_of_heavy_tails_is_that_of_each_point_alone(n, tail):
    """However many points are left to the search for the sets that matter."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 2)), rng.random(n) < 0.5
    weights = np.ceil(rng.pareto(tail, n) + 1)
    results = []
    for few in (0, 100, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(importlib.import_module("paperlib.boosting2d.leave_one_out"), "FEW", few)
            results.append(leave_one_out(X, y, weights))
    for other in results[1:]:
        assert np.array_equal(results[0].contribution, other.contribution)
        assert np.array_equal(results[0].kind, other.kind)
