"""Careless input: a right result or one clear error, and nothing half changed."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from paperlib.experiments.feature_deletion.baselines import FDROP
from paperlib.feature_deletion import (
    FeatureDeletionLP,
    FeatureDeletionPerceptron,
    mutual_information_values,
    robust_score,
    robustness_curve,
    theory,
    worst_case_deletion,
)
from paperlib.feature_deletion._solver.certificate import lower_bound, objective
from paperlib.feature_deletion._solver.pairs import make_pairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
S = np.where(X[:, 0] + 0.3 * RNG.normal(size=40) > 0.0, 1, -1)
Y = np.where(S > 0, "b", "a")


# The programme


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1e-310, 1e-150, 1.0, 1e9, 1e150, 1e300])
def test_the_programme_at_every_scale(factor):
    clf = FeatureDeletionLP().fit(X * factor, Y)
    assert np.isfinite(clf.coef_).all() and clf.dual_gap_ <= 1e-6 * clf.objective_
    values, price = np.ones(4), 1 / 3
    pairs = make_pairs(X * factor, S.astype(float), values, 1.0, price)
    assert objective(pairs, clf.coef_[0], clf.intercept_[0]) / 40 == pytest.approx(clf.objective_)
    # Nothing is to be had from weights that are bounded by nothing, and from none nothing more than from b.
    plain = {1e-310: 1e-30, 1e-150: 1e-30, 1.0: 1.0, 1e9: 1e6, 1e150: 1e6, 1e300: 1e6}[factor]
    assert clf.objective_ == pytest.approx(FeatureDeletionLP(C=plain).fit(X, Y).objective_, rel=3e-6)


@pytest.mark.filterwarnings("error")
def test_columns_of_every_scale():
    scales = np.array([1e150, 1e-150, 1.0, 1e-3])
    clf = FeatureDeletionLP().fit(X * scales, Y)
    assert clf.dual_gap_ <= 1e-6 * clf.objective_ and (np.abs(clf.coef_) <= 1.0).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-320, 1e-150, 1e150, 1e300])
def test_only_ratios_of_values_matter(unit):
    values = np.array([1.0, 2.0, 0.0, 4.0])
    plain = FeatureDeletionLP(3.0, feature_values=values).fit(X, Y)
    scaled = FeatureDeletionLP(3.0 * unit, feature_values=values * unit).fit(X, Y)
    # 1e-320 has three digits.
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-3 if unit == 1e-320 else 3e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_deleted", [1e-320, 1e-13, 1e-12, 1e-9])
def test_a_budget_of_next_to_nothing(n_deleted):
    clf = FeatureDeletionLP(n_deleted).fit(X, Y)
    assert clf.objective_ == pytest.approx(FeatureDeletionLP(0).fit(X, Y).objective_, rel=3e-6)


@pytest.mark.parametrize("tol", [1e-320, 1e-15])
@pytest.mark.parametrize("seed", range(6))
def test_a_tolerance_beyond_rounding_is_said(tol, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 12)), np.arange(30) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = FeatureDeletionLP(1, tol=tol).fit(X, y)
    assert {each.category for each in caught} <= {ConvergenceWarning}, caught[0].message
    assert clf.dual_gap_ <= 1e-9 * clf.objective_


@pytest.mark.parametrize("C", [1e5, 1e8, 1e100])
def test_wide_data_in_a_wide_box(C):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(16, 28)) * 10.0 ** rng.integers(-3, 4, 28), np.arange(16) % 2
    clf = FeatureDeletionLP(1e-6, C=C).fit(X, y)
    assert clf.objective_ <= 1e-6 and clf.score(X, y) == 1.0


def test_the_bound_is_one_for_anything():
    values = np.array([0.0, 1.0, 2.0, 0.5])
    pairs = make_pairs(X, S.astype(float), values, 1.2, 1 / (values.sum() - 1.2))
    least = 40 * FeatureDeletionLP(1.2, C=0.7, feature_values=values).fit(X, Y).objective_
    rng = np.random.default_rng(2)
    for bad in (np.nan, np.inf, -np.inf, 1e308):
        for _ in range(20):
            alpha, e = rng.uniform(-1, 2, 40), rng.uniform(-1, 2, pairs.g.size)
            alpha[rng.integers(40)] = e[rng.integers(e.size)] = bad
            assert lower_bound(pairs, np.full(4, 0.7), alpha, e) <= least
    assert lower_bound(pairs, np.full(4, 0.7), np.full(40, np.nan), np.zeros(pairs.g.size)) == 0.0
    assert np.isnan(objective(pairs, np.full(4, np.nan), 0.0))


@pytest.mark.parametrize("C", [1e-320, 1e308])
def test_sizes_whose_products_are_no_floats(C):
    with pytest.raises(ValueError, match=r"C must be between 1e-100 and 1e\+100, got"):
        FeatureDeletionLP(C=C).fit(X, Y)


def test_values_that_are_too_far_apart():
    with pytest.raises(ValueError, match=r"at least 1e-100 of the largest one, got 1e-300 beside 1e\+300"):
        FeatureDeletionLP(feature_values=[1e-300, 1.0, 0.0, 1e300]).fit(X, Y)


def test_a_flag_is_a_flag():
    with pytest.raises(ValueError, match="warm_start must be True or False, got"):
        FeatureDeletionLP(warm_start="no").fit(X, Y)
    with pytest.raises(ValueError, match="shuffle must be True or False, got"):
        FeatureDeletionPerceptron(shuffle="no").fit(X, Y)


# The perceptron, in parts


BAD_PARTS = [
    ({"margin": -1}, (X, Y), {}),
    ({"feature_values": [1.0, 2.0]}, (X, Y), {}),
    ({"shuffle": "no"}, (X, Y), {}),
    ({}, (X, np.where(S > 0, "b", "z")), {"classes": ["a", "b"]}),
    ({}, (X, S.astype(str)), {"classes": [-1, 1]}),
    ({}, (X, Y), {"classes": ["a", "b", "c"]}),
    ({}, (X, Y), {"classes": np.array(["a", 1], dtype=object)}),
    ({}, (X, Y), {"classes": [np.nan, 1.0]}),
    ({"tau": 1e100, "C": 1e100}, (X * 1e300, Y), {}),
]


@pytest.mark.parametrize("parameters, data, options", BAD_PARTS)
def test_a_part_that_fails_leaves_everything_as_it_was(parameters, data, options):
    begun, plain = (FeatureDeletionPerceptron(random_state=0).partial_fit(X, Y) for _ in range(2))
    good = begun.get_params()
    fresh = FeatureDeletionPerceptron(random_state=0, shuffle=False)
    for clf in (begun, fresh):
        with pytest.raises(ValueError):
            clf.set_params(**parameters).partial_fit(*data, **options)
    assert not hasattr(fresh, "coef_") and not hasattr(fresh, "classes_")
    fresh.set_params(**good).partial_fit(X, Y)
    np.testing.assert_array_equal(fresh.coef_, plain.coef_)
    np.testing.assert_array_equal(begun.coef_, plain.coef_)
    assert begun.n_seen_ == 40 and begun.set_params(**good).partial_fit(X, Y).n_seen_ == 80


# The adversary


def test_a_search_that_has_no_end_says_by_how_much_it_may_be_off():
    w = np.random.default_rng(4).uniform(1, 2, 60)
    with pytest.warns(ConvergenceWarning, match="margins may be up to .* too high"):
        margins, masks = worst_case_deletion(w, 0.0, np.ones((1, 60)), [1], w.sum() / 2, w)
    assert masks @ w <= w.sum() / 2 * (1 + 1e-12)
    assert margins[0] == pytest.approx(w.sum() / 2, rel=1e-5)  # the least there could be


@pytest.mark.parametrize(
    "call, says",
    [
        (
            lambda: worst_case_deletion(np.full(4, 1e308), 0, X * 10, S, 1),
            "so small that all margins are finite",
        ),
        (lambda: worst_case_deletion(np.ones(4), 0, X, S[:, None], 1), r"have shape \(m,\), got shape"),
        (lambda: robust_score(LogisticRegression().fit(X, S), X, S.astype(str), 1), r"\[-1, 1\], got '"),
        (lambda: robust_score(LogisticRegression().fit(X, Y), X, Y[:, None], 1), "got shape"),
        (lambda: theory.margin_loss(np.ones(4), X, 2 * S, 1), "y must hold the labels -1 and"),
        (lambda: theory.theorem_1(1, feature_values=3.0), r"feature_values must have shape"),
        (lambda: theory.divergence(2.0, 0.5), "p must be a finite number >= 0 and <= 1"),
    ],
)
def test_nonsense_is_one_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()


MIXED = np.array([1, "a"] * 20, dtype=object)
NONES = np.array([1, None] * 20, dtype=object)
LINEAR = LogisticRegression().fit(X, S)
FITS = [FeatureDeletionLP().fit, FeatureDeletionPerceptron().fit, FeatureDeletionPerceptron().partial_fit]


@pytest.mark.parametrize(
    "y, says",
    [
        (MIXED, "got 'a'"),
        (NONES, "got None"),
        (sparse.csr_array(S[:, None]), "be dense and have shape"),
        (1, r"got shape \(\)"),
        (None, r"got shape \(\)"),
    ],
)
def test_labels_that_are_none(y, says):
    for call in (
        lambda: worst_case_deletion(np.ones(4), 0, X, y, 1),
        lambda: robust_score(LINEAR, X, y, 1),
        lambda: robust_score(LINEAR, X, y, 1, "random"),
        lambda: robustness_curve(LINEAR, X, y, [0, 1]),
        lambda: theory.margin_loss(np.ones(4), X, y, 1),
    ):
        with pytest.raises(ValueError, match=rf"^y must .*{says}"):
            call()


@pytest.mark.parametrize("y", [MIXED, NONES], ids=["mixed", "none"])
def test_labels_of_several_types_are_no_classes(y):
    calls = [lambda fit=fit: fit(X, y) for fit in FITS]
    calls.append(lambda: mutual_information_values(X, y))
    calls.append(lambda: FeatureDeletionPerceptron().partial_fit(X, S, classes=y))
    for call in calls:
        with pytest.raises(ValueError, match=r"y must hold labels of one type, got .*int"):
            call()


@pytest.mark.parametrize(
    "attributes",
    [
        {"intercept_": np.zeros(2)},
        {"intercept_": []},
        {"intercept_": np.array([np.nan])},
        {"intercept_": None},
        {"intercept_": "zero"},
        {"classes_": 2},
        {"classes_": np.array([0, 1, 2])},
        {"coef_": np.ones(3)},
        {"coef_": np.ones((2, 4))},
        {"coef_": np.full((1, 4), np.inf)},
        {"coef_": None},
    ],
    ids=repr,
)
def test_classifiers_that_are_not_linear(attributes):
    clf = LogisticRegression().fit(X, S)
    vars(clf).update(attributes)
    for call in (
        lambda: robust_score(clf, X, S, 1),
        lambda: robustness_curve(clf, X, S, [1]),
    ):
        with pytest.raises(ValueError, match=r"^(estimator|coef_|intercept_) must "):
            call()


def test_classifiers_that_are_linear_in_another_form():
    forms = {"coef_": sparse.csr_array(LINEAR.coef_), "classes_": [-1, 1], "intercept_": LINEAR.intercept_[0]}
    clf = LogisticRegression().fit(X, S)
    vars(clf).update(forms)
    assert robust_score(clf, X, S, 1) == robust_score(LINEAR, X, S, 1)
    clf.coef_ = LINEAR.coef_[0]
    assert robust_score(clf, X, S, 1) == robust_score(LINEAR, X, S, 1)
    ridge = RidgeClassifier().fit(X, S)  # whose coef_ has had either shape
    assert robustness_curve(ridge, X, S, [0]) == ridge.score(X, S)


def test_a_linear_classifier_may_be_any_object():
    plain = SimpleNamespace(coef_=LINEAR.coef_, intercept_=LINEAR.intercept_, classes_=LINEAR.classes_)
    assert robust_score(plain, X, S, 1) == robust_score(LINEAR, X, S, 1)
    assert robustness_curve(plain, X, S, [0, 2]).tolist() == robustness_curve(LINEAR, X, S, [0, 2]).tolist()
    for other in (None, 3, SimpleNamespace(coef_=LINEAR.coef_), SimpleNamespace()):
        with pytest.raises(ValueError, match="estimator must be a binary linear classifier"):
            robust_score(other, X, S, 1)
    with pytest.raises(NotFittedError):
        robust_score(LogisticRegression(), X, S, 1)


@pytest.mark.parametrize("name", ["C", "margin"])
def test_sizes_are_within_the_range_that_the_docstrings_say(name):
    for cls in (FeatureDeletionLP, FeatureDeletionPerceptron):
        assert f"{name} : float in [1e-100, 1e100]" in cls.__doc__
        for size in (1e-100, 1e100):
            cls(**{name: size}).fit(X, Y)
        for size in (9e-101, 2e100):
            with pytest.raises(
                ValueError, match=rf"{name} must be between .* got {size}".replace("+", "[+]")
            ):
                cls(**{name: size}).fit(X, Y)


@pytest.mark.parametrize(
    "budgets, says",
    [
        ([0, "1"], "budgets must be real numbers, got dtype"),
        ([0, [1, 2]], "budgets must be real numbers, got lists of several lengths"),
        (None, "budgets must be real numbers"),
        ([0, -1], "each of the budgets must be a finite number >= 0, got -1"),
        ([np.nan], "each of the budgets must be a finite number >= 0, got nan"),
        ([], "budgets must be a list of numbers"),
        ([[1]], "budgets must be a list of numbers"),
        (1, "budgets must be a list of numbers"),
    ],
)
def test_budgets_that_are_none(budgets, says):
    with pytest.raises(ValueError, match=says):
        robustness_curve(LINEAR, X, S, budgets)


@pytest.mark.parametrize("values", [[[1], 1, 1, 1], ["a"] * 4, [None] * 4, [1j] * 4, {0: 1}])
def test_values_and_weights_that_are_no_numbers(values):
    for call in (
        lambda: worst_case_deletion(np.ones(4), 0, X, S, 1, values),
        lambda: FeatureDeletionLP(feature_values=values).fit(X, S),
        lambda: FeatureDeletionPerceptron(feature_values=values).fit(X, S),
        lambda: theory.theorem_1(1, feature_values=values),
    ):
        with pytest.raises(ValueError, match="feature_values must be real numbers"):
            call()
    with pytest.raises(ValueError, match="w must be real numbers"):
        worst_case_deletion(values, 0, X, S, 1)


@pytest.mark.parametrize("solver", ["auto", "highs", "first_order"])
@pytest.mark.parametrize(
    "parameters, says",
    [
        ({"time_limit": 0}, "time_limit must be a finite number > 0, got 0"),
        ({"time_limit": "1"}, "time_limit must be a finite number > 0, got '1'"),
        ({"time_limit": np.nan}, "time_limit must be a finite number > 0, got nan"),
        ({"verbose": -1}, "verbose must be an integer >= 0, got -1"),
        ({"verbose": "yes"}, "verbose must be an integer >= 0, got 'yes'"),
    ],
)
def test_limits_that_are_none(solver, parameters, says):
    with pytest.raises(ValueError, match=says):
        FeatureDeletionLP(solver=solver, **parameters).fit(X, S)


def test_medians_near_the_largest_float():
    signs = np.where(RNG.random((40, 3)) < 0.5, 1.0, -1.0)
    np.testing.assert_array_equal(
        mutual_information_values(signs * 1.7e308, Y), mutual_information_values(signs, Y)
    )


def test_nothing_is_claimed_of_a_classifier_that_is_none():
    assert FDROP(n_deleted=0, random_state=0).fit(X * 0.0, Y).dual_gap_ >= 0.0
