"""Active learning: what is asked, and what is guaranteed."""

import itertools
import math
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from paperlib.coresets import ActiveCoresetSVC, theory
from paperlib.coresets._active import outliers
from paperlib.coresets._active.learner import Learner, Pool, Stream
from paperlib.coresets._solver.working_set import WorkingSet
from tests.paperlib.coresets.helpers import best_margin, pool


def answered(clf, y, **options):
    """What it asks for is told, to the end."""
    while len(rows := clf.ask(**options)):
        clf.tell(rows, y[rows])
    return clf


# With a pool


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("eps", [0.02, 0.3])
def test_what_is_promised_with_probability_one_minus_delta(seed, eps):
    X, y = pool(600, 3, 0.2, seed)
    clf = ActiveCoresetSVC(eps, 0.1, 1e-3, random_state=seed).fit(X, y)
    best = best_margin(y[:, None] * X)
    margins = y * (X @ clf.coef_[0])
    assert (margins < (1 - eps) * best * (1 - 1e-9)).mean() <= 0.1
    assert clf.margin_upper_bound_ >= best * (1 - 1e-9)
    assert np.isclose(np.linalg.norm(clf.coef_), 1)
    ratio = np.linalg.norm(X, axis=1).max() / best
    assert len(clf.coreset_indices_) <= theory.corollary_3_2(ratio, 1.0, eps)
    assert clf.n_queries_ <= theory.lemma_4_2(ratio, eps, 0.1, 1e-3)
    wrong = margins < 0
    if not wrong.any():
        assert math.isclose(clf.margin_, margins.min())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eps", [1e-9, 0.1, 0.5])
def test_without_verification_it_ends_when_no_point_is_near(seed, eps):
    X, y = pool(400, 4, 0.2, seed)
    clf = ActiveCoresetSVC(eps, delta=None, random_state=seed).fit(X, y)
    assert clf.halted_ == "unverified" and clf.n_drawn_ == clf.n_verifications_ == 0
    assert clf.n_nearest_ == clf.n_queries_ == len(clf.queried_indices_)
    others = np.delete(np.arange(400), clf.queried_indices_)
    near = (1 - eps) * clf.margin_upper_bound_
    assert np.abs(X @ clf.coef_[0])[others].min() >= near * (1 - 1e-8)
    predicted = clf.predict(X)
    predicted[clf.queried_indices_] = y[clf.queried_indices_]
    assert math.isclose(clf.margin_, (predicted * (X @ clf.coef_[0])).min()) and clf.margin_ >= near * (
        1 - 1e-8
    )
    verified = ActiveCoresetSVC(eps, random_state=seed).fit(X, y)
    assert verified.queried_indices_[: clf.n_queries_].tolist() == clf.queried_indices_.tolist()


def test_labels_told_without_verification_are_taken_in():
    X, y = pool(200, 3, 0.2, 0)
    clf = ActiveCoresetSVC(0.5, delta=None, random_state=0).fit(X, y)
    rest = np.delete(np.arange(200), clf.queried_indices_)
    known = clf.queried_indices_, clf.queried_labels_
    more = ActiveCoresetSVC(0.5, delta=None, random_state=0).start(X, known=known)
    answered(more, y).tell(rest, y[rest])
    assert not len(more.ask()) and more.n_queries_ == len(rest) and (more.predict(X) == y).all()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_state_in_every_form(make):
    X, y = pool(300, 3, 0.1, 0)
    first, second = (ActiveCoresetSVC(random_state=make(0)).fit(X, y).queried_indices_ for _ in range(2))
    assert first.tolist() == second.tolist()


def test_every_question_is_asked_once_and_counted():
    X, y = pool(500, 4, 0.1, 0)
    asked = []

    def oracle(i):
        asked.append(i)
        return "b" if y[i] > 0 else "a"

    clf = ActiveCoresetSVC(random_state=1).fit(X, oracle)
    assert clf.queried_indices_.tolist() == asked
    assert len(set(asked)) == clf.n_queries_ == clf.n_nearest_ + clf.n_drawn_
    assert set(clf.coreset_indices_) <= set(asked)
    assert clf.classes_.tolist() == ["a", "b"]
    assert (clf.predict(X) == np.where(y > 0, "b", "a")).mean() > 0.95
    again = ActiveCoresetSVC(random_state=1).fit(X, np.where(y > 0, "b", "a"))
    assert again.queried_indices_.tolist() == asked
    assert (again.coef_ == clf.coef_).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_tiny_error_asks_until_nothing_is_left_to_chance(seed):
    X, y = pool(60, 3, 0.05, seed)
    clf = ActiveCoresetSVC(0.05, 1e-6, random_state=seed).fit(X, y)
    assert clf.halted_ == "labelled" and clf.n_queries_ == 60
    assert (y * (X @ clf.coef_[0])).min() >= 0.95 * best_margin(y[:, None] * X) * (1 - 1e-9)
    assert math.isclose(clf.margin_, (y * (X @ clf.coef_[0])).min())


def test_one_point_and_one_label():
    clf = ActiveCoresetSVC().fit([[0.0, 2.0]], lambda i: "only")
    assert clf.classes_.tolist() == ["only"]
    assert clf.predict([[0.0, -1.0]]).tolist() == ["only"]
    assert (clf.halted_, clf.n_queries_, clf.margin_) == ("labelled", 1, 2.0)
    named = ActiveCoresetSVC().fit([[0.0, 2.0]], lambda i: "only", classes=["only", "never"])
    assert named.classes_.tolist() == ["never", "only"]
    assert named.predict([[0.0, -1.0], [0.0, 3.0]]).tolist() == ["never", "only"]


def test_the_labels_that_were_not_asked_for_are_not_looked_at():
    X, y = pool(400, 3, 0.3, 3)
    clf = ActiveCoresetSVC(random_state=0).fit(X, y)
    hidden = y.copy()
    hidden[np.setdiff1d(np.arange(400), clf.queried_indices_)] = 77
    assert (ActiveCoresetSVC(random_state=0).fit(X, hidden).coef_ == clf.coef_).all()


def test_an_intercept_is_a_constant_feature():
    X, y = pool(400, 3, 0.2, 1)
    X[:, 0] += 3.0
    clf = ActiveCoresetSVC(fit_intercept=True, random_state=0).fit(X, y)
    plain = ActiveCoresetSVC(random_state=0).fit(np.column_stack([X, np.ones(400)]), y)
    assert (np.append(clf.coef_[0], clf.intercept_) == plain.coef_[0]).all() and clf.coef_.shape == (1, 3)
    assert clf.queried_indices_.tolist() == plain.queried_indices_.tolist()
    assert clf.margin_ == plain.margin_ and clf.n_features_in_ == 3
    assert (clf.predict(X) != y).mean() <= 0.05
    blocks = np.array_split(np.tile(X, (20, 1)), 9)
    streamed = ActiveCoresetSVC(fit_intercept=True).fit_stream(blocks, np.tile(y, 20))
    assert (streamed.predict(X) != y).mean() <= 0.05


# Verification


def hypergeometric_draws(delta, n_unknown, mistakes):
    """Find the least m by counting subsets."""
    for m in range(n_unknown + 1):
        if math.comb(n_unknown - mistakes, m) <= delta * math.comb(n_unknown, m) * (1 + 1e-9):
            return m
    raise AssertionError


@pytest.mark.parametrize("n, error", [(20, 0.1), (60, 0.05), (351, 0.02), (1000, 0.3), (29, 0.29 / 29 * 10)])
@pytest.mark.parametrize("i", [1, 2, 7])
def test_draws_from_a_pool_are_the_least_that_are_enough(n, error, i):
    mistakes = math.floor(error * n * (1 + 1e-12)) + 1
    for n_unknown in sorted({0, mistakes - 1, mistakes, mistakes + 1, n // 2, n - 1, n}):
        found = theory.draws_from_pool(i, n_unknown, 0, n, error, 0.1)
        if n_unknown < mistakes:
            assert found == 0
        else:
            assert found == hypergeometric_draws(0.1 / (i * (i + 1)), n_unknown, mistakes)
            assert found <= theory.draws_of_round(i, error, 0.1)


def test_where_no_mistake_is_allowed_all_labels_are_wanted():
    assert theory.draws_from_pool(1, 40, 0, 60, 1 / 61, 0.05) == 40
    assert theory.draws_from_pool(1, 40, 0, 60, 1 / 60, 0.05) < 40
    for n_wrong in (5, 6, 9):
        assert theory.draws_from_pool(1, 40, n_wrong, 100, 0.05, 0.05) == 40
    found = theory.draws_from_pool(1, 60, 3, 100, 0.05, 0.1)
    assert found == hypergeometric_draws(
        0.05, 60, 3
    )  # a bad one has six mistakes or more, three more than that


def cornered(n, mistakes):
    """Make a pool in which only draws can find the mistakes: they sit together, far from the hyperplane."""
    X = np.column_stack([np.full(n, 10.0), np.zeros(n)])
    X[:mistakes] = [12.0, -20.0]
    X[:, 1] += np.linspace(0.0, 1e-3, n)
    return X, np.where(np.arange(n) < mistakes, -1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("n, error, delta", [(60, 0.1, 0.3), (300, 0.05, 0.2)])
def test_verification_fails_as_often_as_it_may_and_no_more(n, error, delta):
    mistakes = math.floor(error * n) + 1
    X, y = cornered(n, mistakes)
    runs, failed = 1500, 0
    for seed in range(runs):
        clf = ActiveCoresetSVC(0.1, error, delta, random_state=seed).fit(X, y)
        failed += (clf.predict(X) != y).mean() > error
    # The mistakes sit together, so only the first round can fail, with probability delta / 2 or, as draws are
    # whole, a little less; and it cannot where the first point of all is one of them.
    expected = (1 - error) * delta / 2
    assert 0.7 * expected <= failed / runs + 4 * math.sqrt(expected / runs)
    assert failed / runs <= delta / 2 + 4 * math.sqrt(expected / runs)


# Ask and tell


def words(y):
    return np.where(y > 0, "yes", "no")


def test_ask_and_tell_are_fit_one_label_at_a_time_and_can_be_pickled_anywhere():
    X, y = pool(400, 3, 0.1, 2)
    whole = ActiveCoresetSVC(random_state=4).fit(X, words(y))
    clf, told = ActiveCoresetSVC(random_state=4).start(X), []
    while len(rows := clf.ask()):
        assert clf.ask().tolist() == rows.tolist() and len(rows) == 1 and clf.halted_ is None
        told += rows.tolist()
        clf = pickle.loads(pickle.dumps(clf)).tell(rows, words(y)[rows])
        assert clf.queried_indices_.tolist() == told == list(dict.fromkeys(told))
        assert clf.queried_labels_.tolist() == words(y)[told].tolist()
        assert np.isclose(np.linalg.norm(clf.coef_), 1.0) and clf.predict(X).shape == (400,)
    for name in ("queried_indices_", "coef_", "coreset_indices_", "margin_", "classes_"):
        np.testing.assert_array_equal(getattr(clf, name), getattr(whole, name))
    for name in ("n_queries_", "n_drawn_", "n_nearest_", "n_verifications_", "halted_", "n_seen_"):
        assert getattr(clf, name) == getattr(whole, name)
    assert whole.ask().tolist() == []
    assert len(pickle.dumps(whole)) < X.nbytes / 2  # X is not kept


@pytest.mark.parametrize("seed", range(5))
def test_draws_in_batches(seed):
    X, y = pool(500, 4, 0.1, seed)
    clf = ActiveCoresetSVC(0.1, 0.05, 0.05, random_state=seed).start(X)
    while len(rows := clf.ask(max_rows=10)):
        assert len(set(rows)) == len(rows) <= 10 and not set(rows) & set(clf.queried_indices_)
        clf.tell(rows[::-1], y[rows[::-1]])
    assert clf.halted_ in ("verified", "labelled") and (clf.predict(X) != y).mean() <= 0.05
    assert clf.n_drawn_ + clf.n_nearest_ == clf.n_queries_ == len(set(clf.queried_indices_))
    assert (y[clf.queried_indices_] == clf.predict(X[clf.queried_indices_])).all()
    margins = y * (X @ clf.coef_[0])
    known = clf.queried_indices_
    assert margins[known].min() >= 0.9 * clf.margin_upper_bound_ * (1 - 1e-9)


def test_draws_may_be_told_in_parts_and_in_any_order():
    X, y = pool(500, 4, 0.3, 0)
    whole = ActiveCoresetSVC(random_state=2).fit(X, y)
    assert whole.n_verifications_ == 1
    clf = ActiveCoresetSVC(random_state=2).start(X)
    while len(rows := clf.ask(max_rows=10)) == 1:
        clf.tell(rows, y[rows])
    near = clf.n_queries_
    clf.tell(rows[4:7], y[rows[4:7]])
    assert (clf.n_drawn_, clf.n_nearest_) == (3, near) and not set(rows[4:7]) & set(clf.ask(max_rows=10))
    assert clf.ask(max_rows=7)[:4].tolist() == rows[:4].tolist()
    answered(clf, y, max_rows=10)
    assert set(clf.queried_indices_) == set(whole.queried_indices_) and clf.n_drawn_ == whole.n_drawn_
    assert clf.coreset_indices_.tolist() == whole.coreset_indices_.tolist() and clf.n_verifications_ == 1


def test_labels_nobody_asked_for_are_used():
    X, y = pool(300, 3, 0.2, 0)
    told = np.arange(0, 300, 3)
    clf = ActiveCoresetSVC(random_state=0).start(X).tell(told, y[told])
    while len(rows := clf.ask()):
        assert rows[0] not in told
        clf.tell(rows, y[rows])
    assert (clf.predict(X[told]) == y[told]).all() and clf.n_queries_ == len(clf.queried_indices_)
    # One that is told after the end and violates goes on from there.
    X, y = cornered(200, 2)
    clf = answered(ActiveCoresetSVC(0.1, 0.05, random_state=1).start(X), y)
    assert clf.halted_ == "verified" and (clf.predict(X) != y).sum() == 2
    clf.tell([0], y[:1])
    assert clf.halted_ is None and len(clf.ask()) == 1 and not hasattr(clf, "margin_")
    assert (answered(clf, y).predict(X) == y).all()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("at", [0, 1, 30])
def test_an_oracle_that_fails_loses_no_label_and_none_is_paid_twice(error, at):
    X, y = pool(400, 3, 0.1, 0)
    asked = []

    def oracle(i):
        if len(asked) == at and not failed:
            failed.append(i)
            raise error("away")
        asked.append(i)
        return y[i]

    failed = []
    clf = ActiveCoresetSVC(random_state=0)
    with pytest.raises(error) as caught:
        clf.fit(X, oracle)
    assert f"{at} labels told are kept in queried_indices_ and queried_labels_" in caught.value.__notes__[0]
    assert clf.queried_indices_.tolist() == asked and clf.queried_labels_.tolist() == y[asked].tolist()
    assert clf.ask().tolist() == failed  # where it stood
    first = pickle.loads(pickle.dumps(clf))
    clf.fit(X, oracle, known=(clf.queried_indices_, clf.queried_labels_))
    assert len(set(asked)) == len(asked) and clf.queried_indices_.tolist() == asked
    assert (clf.n_known_, clf.n_queries_) == (at, len(asked) - at) and clf.halted_ == "verified"
    assert (clf.predict(X) != y).mean() <= 0.05
    whole = ActiveCoresetSVC(random_state=0).fit(X, y)
    assert answered(first, y).queried_indices_.tolist() == whole.queried_indices_.tolist()


def test_an_interrupt_between_two_questions_loses_no_label(monkeypatch):
    X, y = pool(300, 3, 0.1, 0)
    clf = ActiveCoresetSVC(random_state=0).start(X)
    for _ in range(5):
        clf.tell(rows := clf.ask(), y[rows])
    rows = clf.ask()

    def interrupted(self, learner):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Pool, "look", interrupted)
        with pytest.raises(KeyboardInterrupt):
            clf.tell(rows, y[rows])
    assert clf.n_queries_ == 6 and clf.queried_indices_[-1] == rows[0]
    with pytest.raises(ValueError, match=r"broken off; the 6 labels told are kept"):
        clf.ask()
    clf.start(X, known=(clf.queried_indices_, clf.queried_labels_))
    assert clf.n_known_ == 6 and len(clf.ask()) == 1


def test_what_is_no_label_is_refused_and_the_others_of_the_call_are_kept():
    clf = ActiveCoresetSVC(random_state=0).start([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 3.0]])
    with pytest.raises(ValueError, match=r"a third: 'c' for row 2, after 'a' and 'b'; the 3 labels told are"):
        clf.tell([0, 1, 2, 3], ["a", "b", "c", "b"])
    assert clf.queried_indices_.tolist() == [0, 1, 3] and clf.ask().tolist() == [2]
    with pytest.raises(ValueError, match=r"must not change its answers, got 'b' for row 0, after 'a'"):
        clf.tell([0], ["b"])
    assert clf.tell([0], ["a"]).n_queries_ == 3  # the same again is no harm
    with pytest.raises(ValueError, match=r"labels of one type, got 'a' and 1"):
        ActiveCoresetSVC(random_state=0).start([[1.0], [-1.0]]).tell([0, 1], ["a", 1])


BAD_TOLD = [
    (lambda clf: clf.tell([50], [1]), "rows must be row numbers from 0 to 49, got 50"),
    (lambda clf: clf.tell([-1], [1]), "rows must be row numbers from 0 to 49, got -1"),
    (lambda clf: clf.tell([0.5], [1]), r"rows must be row numbers, of shape \(m,\), got \[0.5\]"),
    (lambda clf: clf.tell([0, 1], [1]), "labels must be as many as rows, got 1 for 2"),
    (lambda clf: clf.ask(max_rows=0), "max_rows must be an integer >= 1, got 0"),
    (lambda clf: clf.start([[1.0]], known=[0]), r"known must be a pair \(rows, labels\), got 1 entries"),
    (
        lambda clf: clf.start([[1.0]], known=([3], [1])),
        "rows of known must be row numbers from 0 to 0, got 3",
    ),
    (lambda clf: clf.start([[1.0]], known=([0, 0], [1, 2])), "must not change its answers, got 2 for row 0"),
]


@pytest.mark.parametrize("call, message", BAD_TOLD)
def test_bad_calls_of_ask_and_tell(call, message):
    clf = ActiveCoresetSVC(random_state=0).start(pool(50, 2, 0.5, 0)[0])
    rows = clf.ask()
    with pytest.raises(ValueError, match=message):
        call(clf)
    assert clf.ask().tolist() == rows.tolist()


def test_ask_and_tell_before_start():
    clf = ActiveCoresetSVC()
    for call in (clf.ask, lambda: clf.tell([0], [1])):
        with pytest.raises(ValueError, match=r"start\(X\) must be called before"):
            call()
    with pytest.raises(NotFittedError):
        clf.start([[1.0], [2.0]]).predict([[1.0]])


def test_nothing_is_left_of_an_earlier_run():
    X, y = pool(100, 2, 0.5, 0)
    clf = ActiveCoresetSVC(random_state=0).fit(X, y).start(X)
    assert clf.queried_indices_.tolist() == [] and not hasattr(clf, "coef_") and clf.halted_ is None
    assert not hasattr(clone(clf), "queried_indices_")


# Labels that nothing separates


def circle(n=5):
    angles = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angles), np.sin(angles)])


def test_labels_survive_a_contradiction_and_an_intercept_goes_on_with_them():
    clf = ActiveCoresetSVC(random_state=0)
    words = r"contradict each other.*agrees with those for the rows \[\d.*; the \d labels told are kept"
    with pytest.raises(ValueError, match=words) as caught:
        clf.fit(circle(), [1] * 5)
    assert not hasattr(caught.value, "__notes__")  # said once
    bought = clf.n_queries_
    assert bought == len(clf.queried_labels_) >= 3 and clf.halted_ == "not separable"
    clf.set_params(fit_intercept=True).fit(
        circle(), [1] * 5, known=(clf.queried_indices_, clf.queried_labels_)
    )
    assert clf.n_known_ == bought and clf.n_queries_ == 5 - bought and clf.classes_.tolist() == [1]


def test_labels_told_after_a_contradiction_are_kept():
    clf = ActiveCoresetSVC(random_state=0).start([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]])
    with pytest.raises(ValueError, match="are the same point"):
        clf.tell([0, 1], ["a", "b"])
    with pytest.raises(ValueError, match=r"are the same point.*the 3 labels"):
        clf.tell([2], ["a"])
    assert clf.queried_labels_.tolist() == ["a", "b", "a"] and clf.ask().tolist() == []


def test_warn_gives_the_last_hyperplane_that_agreed_with_its_coreset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 0, "up", "down")
    with pytest.raises(ValueError, match="contradict"):
        ActiveCoresetSVC(random_state=0).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="contradict each other"):
        clf = ActiveCoresetSVC(on_nonseparable="warn", random_state=0).fit(X, y)
    assert clf.halted_ == "not separable" and clf.margin_ <= 0.0 == clf.margin_upper_bound_
    signs = np.where(y == "up", 1.0, -1.0)
    scores = X @ clf.coef_[0]
    known = clf.queried_indices_
    assert math.isclose(clf.margin_, (signs * scores)[known].min()) and clf.score(X, y) > 0.6
    agreed = clf.coreset_indices_[:-1]
    assert (signs[agreed] * scores[agreed]).min() > 0.0 > (signs * scores)[clf.coreset_indices_[-1]]
    rows = np.tile(circle(), (99, 1))
    with pytest.raises(ValueError, match="its answers contradict"):
        ActiveCoresetSVC().fit_stream(rows, [1] * 495)
    with pytest.warns(ConvergenceWarning, match="contradict each other"):
        streamed = ActiveCoresetSVC(on_nonseparable="warn").fit_stream(rows, [1] * 495)
    assert streamed.halted_ == "not separable" and streamed.margin_ <= 0.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_takes_its_place_in_a_search_and_beside_other_classes():
    X, y = load_iris(return_X_y=True)
    clf = ActiveCoresetSVC(fit_intercept=True, on_nonseparable="warn", random_state=0)
    scores = cross_val_score(OneVsRestClassifier(clf), X, y, error_score="raise")
    assert scores.mean() > 0.6
    search = GridSearchCV(clf, {"eps": [0.1, 0.5], "fit_intercept": [False, True]}, error_score="raise")
    search.fit(X[50:], words(y[50:] - 1.5))
    assert search.best_score_ > 0.6 and np.isfinite(search.cv_results_["mean_test_score"]).all()


# Answers that are left out


def fewest_left_out(signed, n_outliers):
    """Try all sets: the smallest size of one that leaves a margin, and the largest margin of that size."""
    for size in range(n_outliers + 1):
        sets = itertools.combinations(range(len(signed)), size)
        margin = max(best_margin(np.delete(signed, left_out, axis=0)) for left_out in sets)
        if margin > 0.0:
            return size, margin
    return None


@pytest.mark.parametrize("seed", range(40))
def test_outliers_are_the_fewest_with_the_largest_margin(seed):
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    signed = rng.normal(size=(k, d)) + rng.choice([0.0, 1.0])
    signed[-1] = -signed[0]  # a contradiction that is exact
    if seed % 3 == 0:
        signed[1], signed[2] = signed[0], 2.0 * signed[-1]
    work = WorkingSet.of(signed)
    found = outliers.without_outliers(signed, work.core(), 2)
    expected = fewest_left_out(signed, 2)
    if expected is None:
        assert found is None
    else:
        assert k - len(found[1]) == expected[0]
        assert math.isclose(found[0].margin, expected[1], rel_tol=1e-7)
        assert math.isclose(best_margin(signed[found[1]]), expected[1], rel_tol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_wrong_answers_are_tolerated_up_to_their_number(seed):
    X, y = pool(400, 2, 0.3, seed)
    rng = np.random.default_rng(seed)
    wrong = rng.choice(400, 3, replace=False)
    answers = y.copy()
    answers[wrong] *= -1
    clf = ActiveCoresetSVC(0.1, 0.05, 1e-3, n_outliers=3, random_state=seed).start(X)
    answered(clf.tell(wrong, answers[wrong]), answers, max_rows=5)
    assert set(clf.outlier_indices_) <= set(wrong) and clf.halted_ == "verified"
    margins = answers * (X @ clf.coef_[0])
    assert (margins < 0).mean() <= 0.05
    others = np.setdiff1d(clf.queried_indices_, clf.outlier_indices_)
    coreset = clf.coreset_indices_
    assert not set(coreset) & set(clf.outlier_indices_)
    assert margins[others].min() >= 0.9 * best_margin(answers[coreset, None] * X[coreset]) * (1 - 1e-9) > 0
    sure = np.abs(X @ clf.coef_[0])
    sure[others] = margins[others]
    assert math.isclose(clf.margin_, np.delete(sure, clf.outlier_indices_).min())
    assert clf.margin_upper_bound_ == (np.inf if len(clf.outlier_indices_) else margins[coreset].min())
    with pytest.raises(ValueError, match=r"contradict each other.* labels told are kept"):
        ActiveCoresetSVC(n_outliers=1, random_state=seed).fit(
            X, answers, known=(clf.queried_indices_, clf.queried_labels_)
        )


def test_what_is_left_out_counts_as_a_mistake_in_verification():
    X, y = pool(300, 2, 0.5, 0)
    X[1] = X[0]
    y[1] = -y[0]
    clf = answered(ActiveCoresetSVC(n_outliers=1, random_state=0).start(X).tell([0, 1], y[:2]), y)
    assert clf.outlier_indices_.tolist() in ([0], [1]) and clf.n_verifications_ == 1
    assert clf.n_drawn_ == theory.draws_from_pool(
        1, 300 - (clf.n_queries_ - clf.n_drawn_), 1, 300, 0.05, 0.05
    )


def test_one_more_contradiction_than_may_be_left_out():
    clf = ActiveCoresetSVC(n_outliers=1, random_state=0).start(
        [[1.0, 2.0], [1.0, 2.0], [3.0, 1.0], [3.0, 1.0]]
    )
    clf.tell([0, 1, 2], ["a", "b", "a"])
    with pytest.raises(
        ValueError, match=r"rows (2 and 3|3 and 2) are the same point.* the 4 labels told are kept"
    ):
        clf.tell([3], ["b"])


def test_a_wrong_answer_in_a_stream():
    X, y = pool(20_000, 3, 0.3, 0)
    y[0] *= -1
    with pytest.raises(ValueError, match="contradict each other"):
        ActiveCoresetSVC(0.1, 0.1, 0.01).fit_stream([X], y)
    clf = ActiveCoresetSVC(0.1, 0.1, 0.01, n_outliers=1).fit_stream([X], y)
    assert clf.outlier_indices_.tolist() == [0] and clf.halted_ == "verified" and clf.margin_ > 0.0
    assert (clf.predict(X) != y).mean() <= 0.1


def test_a_search_for_outliers_gives_up(monkeypatch):
    signed = np.array([[1.0, 0.0], [-1.0, 0.1], [-1.0, -0.1], [0.5, 1.0]])
    bearers = WorkingSet.of(signed).core()
    assert outliers.without_outliers(signed, bearers, 2)[0].margin > 0.0
    monkeypatch.setattr(outliers, "MOST_TRIED", 0)
    assert outliers.without_outliers(signed, bearers, 2) is None


# With a stream


def test_a_stream_that_is_broken_off_loses_no_label():
    X, y = pool(3000, 3, 0.2, 0)
    asked = []

    def oracle(i):
        if len(asked) == 20:
            raise RuntimeError("away")
        asked.append(i)
        return y[i]

    clf = ActiveCoresetSVC()
    with pytest.raises(RuntimeError) as caught:
        clf.fit_stream(X, oracle)
    assert "20 labels told are kept" in caught.value.__notes__[0]
    assert clf.queried_indices_.tolist() == asked and clf.queried_labels_.tolist() == y[asked].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_is_verified_for_its_distribution(seed):
    X, y = pool(20_000, 3, 0.2, seed)
    blocks = itertools.chain([X[0]], [X[1:500]], X[500:])
    clf = ActiveCoresetSVC(0.1, 0.1, 1e-3).fit_stream(blocks, lambda i: y[i])
    assert clf.halted_ == "verified" and clf.n_seen_ < 20_000
    fresh, labels = pool(20_000, 3, 0.2, seed + 100)
    margins = labels * (fresh @ clf.coef_[0])
    assert (margins < 0.9 * clf.margin_upper_bound_).mean() <= 0.11
    assert clf.n_queries_ == len(set(clf.queried_indices_)) <= clf.n_seen_
    assert clf.n_drawn_ >= theory.draws_of_round(1, 0.1, 1e-3)


def test_a_stream_that_ends_too_early_says_so():
    X, y = pool(30, 2, 0.5, 0)
    with pytest.warns(ConvergenceWarning, match="ended after 30 points"):
        clf = ActiveCoresetSVC().fit_stream(X, y)
    assert clf.halted_ == "stream ended" and clf.n_seen_ == 30


def test_a_stream_may_be_endless():
    rng = np.random.default_rng(0)
    seen = []

    def points():
        while True:
            seen.append(rng.normal(size=2) + [2.0, 0.0] * rng.choice([-1, 1], 2))
            yield seen[-1] + np.sign(seen[-1][0]) * np.array([0.5, 0.0])

    clf = ActiveCoresetSVC(0.2, 0.2, 0.2).fit_stream(points(), lambda i: seen[i][0] > 0)
    assert clf.halted_ == "verified" and clf.classes_.tolist() == [False, True]


# One question at a time


@pytest.mark.parametrize("form", ["pool", "stream"])
def test_a_question_is_asked_again_until_it_is_answered(form):
    X, y = pool(3000, 3, 0.2, 5)

    def learner():
        points = Pool(X, np.random.default_rng(0)) if form == "pool" else Stream(iter(X))
        return Learner(points, 0.1, lambda i: theory.draws_of_round(i, 0.05, 0.05))

    def learn(learner, times):
        while (question := learner.ask()) is not None:
            for _ in range(times):
                assert learner.ask() is question
            learner.tell(float(y[question.row]))
        return learner

    once, again = learn(learner(), 0), learn(learner(), 2)
    assert once.halted == again.halted == "verified" and once.n_verifications == again.n_verifications
    assert once.rows == again.rows and once.n_drawn == again.n_drawn >= theory.draws_of_round(1, 0.05, 0.05)
    assert (once.work.normal == again.work.normal).all()


# Bad input


def test_a_third_label():
    X, _ = pool(50, 2, 0.5, 0)
    with pytest.raises(ValueError, match="oracle must answer with two labels only, got a third: "):
        ActiveCoresetSVC(random_state=0).fit(X, lambda i: i)
    with pytest.raises(ValueError, match="got a third: 'c' for row 0, after 'a' and 'b'"):
        ActiveCoresetSVC().fit(X[:1], lambda i: "c", classes=["a", "b"])


def test_the_same_point_with_two_labels():
    with pytest.raises(ValueError, match=r"answers contradict each other: rows \d and \d are the same point"):
        ActiveCoresetSVC().fit([[1.0, 2.0], [1.0, 2.0]], [0, 1])


def test_an_intercept_leaves_the_origin_out_of_the_words():
    rows = [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    for kernel in ("linear", "rbf"):
        clf = ActiveCoresetSVC(fit_intercept=True, kernel=kernel, random_state=0)
        with pytest.raises(ValueError, match=r"rows \d and \d are the same point;") as caught:
            clf.fit([[1.0, 2.0], [1.0, 2.0]], [0, 1])
        words = [str(caught.value)]
        if kernel == "linear":
            with pytest.raises(ValueError, match=r"a hyperplane separates.*no hyperplane agrees") as caught:
                clf.fit(rows, [0, 1, 0])
            words.append(str(caught.value))
        assert not any(each in text for text in words for each in ("origin", "opposite", "fit_intercept"))
    with pytest.raises(ValueError, match=r"through the origin agrees.*\(fit_intercept=True has others\)"):
        ActiveCoresetSVC(random_state=0).fit([[-1.0, 2.0], [0.0, -1.0], [1.0, 2.0]], [1, 1, 1])


BAD = [
    ({"eps": 0}, [[1.0]], [1], "eps must be a finite number > 0 and < 1, got 0"),
    ({"eps": 1.0}, [[1.0]], [1], "eps must be"),
    ({"error": 1.5}, [[1.0]], [1], "error must be .* got 1.5"),
    ({"n_outliers": -1}, [[1.0]], [1], "n_outliers must be an integer >= 0, got -1"),
    ({"on_nonseparable": "x"}, [[1.0]], [1], "on_nonseparable must be one of"),
    ({"fit_intercept": 2}, [[1.0]], [1], "fit_intercept must be True or False, got 2"),
    ({"delta": "x"}, [[1.0]], [1], "delta must be"),
    ({"random_state": "x"}, [[1.0]], [1], "random_state must be .*RandomState or None, got 'x'"),
    ({}, [[1.0], [0.0]], [1, 1], "no point at the origin, got one in row 1"),
    ({}, [[1.0], [2.0]], [1], r"oracle must be a callable .* of shape \(2,\), got shape \(1,\)"),
    ({}, [[1.0]], 3, "oracle must be a callable"),
    ({}, [[1.0]], [np.nan], "oracle must answer with one label, got nan for row 0"),
    ({}, [[1.0]], lambda i: [1, 2], r"oracle must answer with one label, got \[1, 2\]"),
    ({}, [[1.0]], lambda i: None, "oracle must answer with one label, got None"),
    ({}, [[1.0], [-1.0]], lambda i: ["a", 2][i], "labels of one type"),
    ({}, [[np.nan]], [1], "X contains NaN"),
    ({}, np.zeros((0, 2)), [], "0 sample"),
]


@pytest.mark.parametrize("parameters, X, oracle, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, oracle, words):
    with pytest.raises(ValueError, match=words):
        ActiveCoresetSVC(**parameters).fit(X, oracle)


def test_bad_streams():
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\) for a stream, got None"):
        ActiveCoresetSVC(delta=None).fit_stream(iter([[1.0]]), [1])
    with pytest.raises(ValueError, match="stream must have at least one point"):
        ActiveCoresetSVC().fit_stream([], [])
    with pytest.raises(ValueError, match="X has 3 features"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ActiveCoresetSVC().fit_stream([[1.0, 2.0], [1.0, 2.0, 3.0]], [1, 1])
    with pytest.raises(ValueError, match="origin, got one in row 1"):
        ActiveCoresetSVC().fit_stream([[1.0], [0.0]], [1, 1])


def test_an_array_of_labels_that_is_shorter_than_the_stream():
    with pytest.raises(ValueError, match="oracle must know the label of every row, got 1 labels for row 1"):
        ActiveCoresetSVC(random_state=0).fit_stream([np.array([[1.0, 0.0], [0.0, 1.0]])], [1])
