"""FOLClassifier: scikit-learn's own suite, and beyond it."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.experiments.max_loss.samples import flip_labels, separable_sample
from paperlib.max_loss import FOLClassifier, Perceptron, Reservoir, SumTree

ESTIMATORS = [
    FOLClassifier(random_state=0),
    FOLClassifier(output="last", random_state=0),
    FOLClassifier(output="majority", max_iter=20_000, fit_intercept=False, random_state=0),
    FOLClassifier(
        output="average",
        uniform_share=0.3,
        slack_budget=2.0,
        slack_norm="l2",
        max_iter=20_000,
        random_state=0,
    ),
]


def expected_failures(estimator):
    reason = (
        "the rows come in another order, so other examples are drawn; in one order they are the same bits"
    )
    kinds = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "output, uniform_share", [("last", 0.5), ("average", 0.5), ("majority", 0.5), ("majority", 1.0)]
)
def test_it_is_consistent_on_separable_data(output, uniform_share):
    X, y, _ = separable_sample(300, 4, 0.1, random_state=0)
    clf = FOLClassifier(output=output, uniform_share=uniform_share, random_state=0).fit(X, y)
    assert clf.score(X, y) == 1.0 and clf.training_error_ == 0.0
    assert 0 < clf.n_mistakes_ <= clf.n_iter_
    assert len(clf.voters_) == (0 if output == "last" else 13)
    assert ((clf.decision_function(X) > 0) == (clf.predict(X) == clf.classes_[1])).all()


@pytest.mark.parametrize("output", ["last", "majority"])
def test_ten_digits(output):
    X, y = load_digits(return_X_y=True)
    names = np.array(list("abcdefghij"))[y]
    clf = FOLClassifier(output=output, n_voters=9, random_state=0).fit(X, names)
    assert clf.score(X, names) == 1.0
    assert clf.coef_.shape == (10, 64) and clf.decision_function(X).shape == (1797, 10)


def test_the_mean_of_the_voters_is_the_average():
    X, y, _ = separable_sample(200, 3, 0.1, random_state=0)
    clf = FOLClassifier(output="average", n_voters=7, random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.coef_, clf.voters_[:, :, :-1].mean(axis=0))
    np.testing.assert_allclose(clf.intercept_, clf.voters_[:, :, -1].mean(axis=0))


def test_a_majority_counts_votes():
    X, y, _ = separable_sample(200, 3, 0.1, random_state=0)
    clf = FOLClassifier(output="majority", n_voters=5, random_state=0).fit(X, y)
    votes = np.sign(X @ clf.voters_[:, 0, :-1].T + clf.voters_[:, 0, -1])
    np.testing.assert_allclose(clf.decision_function(X), np.where(votes > 0, 1, -1).mean(axis=1))


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_scales_near_the_ends_of_the_floats(factor):
    X, y, _ = separable_sample(100, 3, 0.3, random_state=0)
    clf = FOLClassifier(fit_intercept=False, random_state=0)
    one = clone(clf).fit(X, y)
    assert one.score(X, y) == clf.fit(X * factor, y).score(X * factor, y) == 1.0
    FOLClassifier(random_state=0).fit(X * factor, y)


def test_powers_of_two_change_nothing():
    X, y, _ = separable_sample(100, 3, 0.3, random_state=0)
    one = FOLClassifier(fit_intercept=False, random_state=0).fit(X, y)
    for factor in (2.0**-300, 2.0**50, 2.0**300):
        other = FOLClassifier(fit_intercept=False, random_state=0).fit(X * factor, y)
        assert (one.n_iter_, one.n_mistakes_) == (other.n_iter_, other.n_mistakes_)
        direction = (
            other.coef_ / np.linalg.norm(other.coef_ / abs(other.coef_).max()) / abs(other.coef_).max()
        )
        np.testing.assert_allclose(direction, one.coef_ / np.linalg.norm(one.coef_), rtol=1e-12)


def plain_partial_fits(parts, eta, uniform_share, n_voters, seed):
    """The slow twin: a tree for each part and one Perceptron and one reservoir for all, round by round."""
    rng = np.random.default_rng(seed)
    reservoir, w, t, mistakes = Reservoir(n_voters, rng.spawn(1)[0]), None, 0, 0
    for X, y in parts:
        learner, tree = Perceptron(X, y, fit_intercept=True), SumTree(len(X))
        learner.w = learner.w if w is None else w
        w = learner.w
        for _ in range(len(X)):
            t += 1
            reservoir.offer(t, learner.snapshot)
            i, p = tree.sample(rng, uniform_share)
            if learner.step(i):
                mistakes += 1
                tree.update_log(i, (0.5 / len(X) if eta is None else eta) / p)
    return w, reservoir.items, mistakes


@pytest.mark.parametrize("eta, uniform_share", [(None, 0.5), (0.05, 0.2)])
@pytest.mark.parametrize("output", ["last", "average", "majority"])
def test_partial_fits_are_rounds_on_the_parts(output, eta, uniform_share):
    X, y, _ = separable_sample(160, 3, 0.02, random_state=0)
    parts = [(X[at], y[at]) for at in np.split(np.arange(160), [70, 71])]
    clf = FOLClassifier(output=output, eta=eta, uniform_share=uniform_share, n_voters=5, random_state=3)
    for X_part, y_part in parts:
        clf.partial_fit(X_part, y_part, classes=[-1.0, 1.0])
    w, voters, mistakes = plain_partial_fits(parts, eta, uniform_share, 0 if output == "last" else 5, 3)
    assert (clf.n_iter_, clf.n_mistakes_) == (160, mistakes)
    np.testing.assert_array_equal(clf.voters_[:, 0], np.reshape(voters, (-1, 4)))
    expected = np.mean(voters, axis=0) if output == "average" else w
    np.testing.assert_array_equal(np.append(clf.coef_, clf.intercept_), expected)
    assert clf.training_error_ == pytest.approx((clf.predict(X_part) != y_part).mean())


def test_one_partial_fit_is_as_many_rounds_of_a_fit():
    X, y, _ = separable_sample(300, 4, 0.001, random_state=1)
    part = FOLClassifier(random_state=0).partial_fit(X, y)
    with pytest.warns(ConvergenceWarning):
        whole = FOLClassifier(max_iter=300, random_state=0).fit(X, y)
    np.testing.assert_array_equal(part.voters_, whole.voters_)
    assert part.n_mistakes_ == whole.n_mistakes_


def test_partial_fit_goes_on_from_a_fit_and_a_fit_starts_anew():
    X, y, _ = separable_sample(200, 3, 0.05, random_state=0)
    clf = FOLClassifier(random_state=0).fit(X, y)
    first, rounds = clf.coef_, clf.n_iter_
    other = pickle.loads(pickle.dumps(clf))
    clf.partial_fit(X, y), other.partial_fit(X, y)
    assert clf.n_iter_ == rounds + 200
    np.testing.assert_array_equal(clf.voters_, other.voters_)  # all of the state is in the pickle
    np.testing.assert_array_equal(clf.fit(X, y).coef_, first)
    assert clf.n_iter_ == rounds


def test_partial_fits_learn_ten_digits_by_name():
    X, y = load_digits(return_X_y=True)
    names = np.array(list("abcdefghij"))[y]
    clf = FOLClassifier(random_state=0)
    for part in np.array_split(np.argsort(y % 5, kind="stable"), 4):  # no part has all of them
        assert len(set(names[part])) < 10
        clf.partial_fit(X[part], names[part], classes=list("jihgfedcba"))
    assert clf.classes_.tolist() == list("abcdefghij") and clf.coef_.shape == (10, 64)
    for _ in range(10):
        clf.partial_fit(X, names)
    assert clf.score(X, names) > 0.95


def test_slack_of_a_partial_fit_is_of_its_examples():
    X, y, _ = separable_sample(90, 3, 0.05, random_state=0)
    clf = FOLClassifier(slack_budget=2.0, slack_rate=0.5, random_state=0)
    clf.partial_fit(X[:60], -y[:60]).partial_fit(X[60:], y[60:])
    assert clf.slack_.shape == (30,) and 0.0 < clf.slack_.sum() <= 2.0 + 1e-9


@pytest.mark.parametrize(
    "X, y, classes, message",
    [
        ([[1.0], [2.0]], [0, 2], None, r"y must hold the classes \[0, 1\] only, got 2"),
        ([[1.0], [2.0]], ["0", "1"], None, r"y must hold the classes \[0, 1\] only, got '0'"),
        ([[1.0], [2.0]], [0, 1], [0, 1, 2], r"classes must stay \[0, 1\], got \[0, 1, 2\]"),
        ([[1.0, 2.0]], [0], None, "X has 2 features, but FOLClassifier is expecting 1"),
        ([[1e300]], [0], None, "X must have its largest entry in .* after the first call, got 1e[+]300"),
        ([[1e-300]], [0], None, "X must have its largest entry in .* after the first call, got 1e-300"),
    ],
)
def test_a_bad_later_part(X, y, classes, message):
    clf = FOLClassifier(random_state=0).partial_fit([[0.0], [1.0]], [0, 1])
    before = clf.coef_.copy()
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(X, y, classes)
    np.testing.assert_array_equal(clf.coef_, before)
    assert clf.partial_fit([[0.0]], [0]).n_iter_ == 3


def test_a_bad_first_part():
    with pytest.raises(ValueError, match="classes or more in the first call, or classes must name them, got"):
        FOLClassifier().partial_fit([[0.0], [1.0]], [0, 0])
    with pytest.raises(ValueError, match=r"y must hold the classes \[1, 2\] only, got 0"):
        FOLClassifier().partial_fit([[0.0], [1.0]], [0, 0], classes=[1, 2])
    clf = FOLClassifier(output="last").partial_fit([[0.0], [1.0]], [0, 1]).set_params(output="average")
    with pytest.raises(ValueError, match="output must stay 'last': no iterates were kept for 'average'"):
        clf.partial_fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "factor, fold", [(1.0, None), (9.0, None), (11.0, "11"), (1e200, r"1e\+200"), (1e-310, "inf")]
)
def test_what_the_warning_advises(factor, fold):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [1.0, 1.0]]) * [0.5, factor]
    X = np.column_stack([X, np.full(4, 0.1)])  # a constant feature has no scale
    advice = "" if fold is None else f"scale the features, whose ranges differ {fold}-fold, "
    with pytest.warns(ConvergenceWarning, match=f"raise max_iter, {advice}or set slack_budget if some"):
        FOLClassifier(500, random_state=0).fit(X, [0, 1, 0, 0])


@pytest.mark.parametrize("output", ["last", "average", "majority"])
def test_data_that_no_line_separates(output):
    X = np.array([[0.0], [1.0], [2.0], [1.0]])
    clf = FOLClassifier(3000, output=output, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after 3000 rounds the output still errs on 0.[257]"):
        clf.fit(X, [0, 1, 0, 0])
    assert clf.n_iter_ == 3000
    assert clf.training_error_ == 1.0 - clf.score(X, [0, 1, 0, 0]) > 0.0


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_slack_brings_the_clean_error_back(norm):
    X, y, _ = separable_sample(1500, 10, 0.2, random_state=0)
    given, flipped = flip_labels(y[:1000], 3, random_state=0)
    errors = {}
    for name, parameters in {"plain": {}, "slack": {"slack_budget": 3.0, "slack_norm": norm}}.items():
        clf = FOLClassifier(100_000, output="average", fit_intercept=False, random_state=0, **parameters)
        with pytest.warns(ConvergenceWarning):
            clf.fit(X[:1000], given)
        errors[name] = 1.0 - clf.score(X[1000:], y[1000:])
    assert errors["slack"] < 0.02 < errors["plain"]
    share = clf.slack_[flipped] if norm == "l1" else clf.slack_[flipped] ** 2
    assert share.sum() > 0.5
    assert (clf.slack_.sum() if norm == "l1" else (clf.slack_**2).sum()) <= 3.0 + 1e-9


def test_the_seed_decides_everything():
    X, y, _ = separable_sample(200, 3, 0.05, random_state=0)
    one, same, other = (FOLClassifier(output="majority", random_state=s).fit(X, y) for s in (0, 0, 1))
    np.testing.assert_array_equal(one.voters_, same.voters_)
    assert not np.array_equal(one.voters_, other.voters_)


def test_a_random_state_of_numpy_decides_everything():
    X, y, _ = separable_sample(200, 3, 0.05, random_state=0)
    clf = FOLClassifier(random_state=np.random.RandomState(0))
    first, again = clf.fit(X, y).coef_, clf.fit(X, y).coef_
    same = FOLClassifier(random_state=np.random.RandomState(0)).fit(X, y)
    np.testing.assert_array_equal(first, same.coef_)
    assert not np.array_equal(first, again)  # it moves on


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"max_iter": 0}, "max_iter must be an integer >= 1 and <= 4611686018427387904, got 0"),
        ({"eta": -1.0}, "eta must be a finite number > 0, got -1.0"),
        ({"uniform_share": 2.0}, "uniform_share must be a finite number >= 0 and <= 1, got 2.0"),
        ({"output": "first"}, "output must be one of 'last', 'average', 'majority', got 'first'"),
        ({"n_voters": 0}, "n_voters must be an integer >= 1 and <= 1000000, got 0"),
        ({"slack_budget": -2.0}, "slack_budget must be a finite number >= 0, got -2.0"),
        ({"slack_norm": "l0"}, "slack_norm must be one of"),
        ({"random_state": "x"}, "random_state must be an integer >= 0, .* got 'x'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        FOLClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_one_class():
    with pytest.raises(ValueError, match="y must have two classes or more, got one class only: 'a'"):
        FOLClassifier().fit([[0.0], [1.0]], ["a", "a"])


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
@pytest.mark.parametrize("offset, far", [(0.9, False), (30.0, True), (-30.0, True), (1.7e9, True)])
def test_a_feature_that_is_far_from_zero_is_to_be_centred(form, offset, far):
    """Where the labels are wrong as well, so that no number of rounds is enough."""
    X = np.array([[0.5, 0.0], [1.0, 1.0], [2.0, 0.5], [1.0, 1.0]])
    X = np.column_stack([X, np.full(4, offset)])
    with pytest.warns(ConvergenceWarning, match="after 500 rounds") as said:
        FOLClassifier(500, random_state=0).fit(form(X), [0, 1, 0, 0])
    words = f"centre the features, or leave out feature 2, which is about {offset:.2g} throughout, "
    assert (words in str(said[0].message)) == far == ("centre" in str(said[0].message))
