"""The notebook's experiments: samples, the statements as checks, counted work, real pairs."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from paperlib.boosting2d import experiments, optimal_separator, real_pairs, samples, statements, subsets, work
from paperlib.boosting2d import left_out_statements as left_out
from paperlib.boosting2d.baselines import COMBINERS, as_line
from paperlib.boosting2d.line_classes import dichotomies, line_classes, misclassified
from paperlib.boosting2d.subsets import _lightest, separable
from paperlib.experiments import datasets
from paperlib.experiments.statistics import mean_and_stderr

# Samples


def test_errors_of_a_line_on_the_clouds_are_those_of_a_large_sample():
    X, y = samples.clouds(200_000, random_state=0)
    normal, offset = np.array([0.6, 0.8]), 0.3
    share = (y * (X @ normal + offset) <= 0).mean()
    assert samples.clouds_error(normal, offset) == pytest.approx(share, abs=4 * np.sqrt(0.2 / 200_000))
    turned = [
        samples.clouds_error(np.array([np.cos(a), np.sin(a)]), b) for a in (0, 0.4, 0.6) for b in (0, 0.1)
    ]
    assert min(turned) > samples.bayes_error()


def test_the_introductions_classifiers_err_only_with_noise():
    X, y = samples.introduction(random_state=0)
    assert (y[:, None] * X > 0).all()
    X, y = samples.introduction(noise=0.3, random_state=0)
    assert ((y[:, None] * X > 0).mean(axis=0) < 0.9).all()


def test_figure_2_has_two_optimal_sets():
    X, y = samples.two_optimal_sets()
    best, sets = subsets(X, y > 0, np.ones(len(y)))
    assert best == 2
    assert {tuple(np.flatnonzero(row)) for row in sets} == {(6, 7), (14, 15)}


@pytest.mark.parametrize(
    "share, confidence, weight", [(0.0, 3.0, 1), (0.2, 4.0, 1), (0.3, 1.0, 3), (1.0, 0.0, 2)]
)
def test_the_error_on_overconfident_scores_is_that_of_many_points(share, confidence, weight):
    X, y = samples.overconfident(100_000, share, confidence, random_state=0)
    weights = np.where(y > 0, weight, 1)
    for normal, offset in ((np.array([0.8, 0.6]), 0.0), (np.array([-0.28, 0.96]), 0.5)):
        wrong = y * (X @ normal + offset) <= 0
        exact = samples.overconfident_error(normal, offset, share, confidence, weight)
        assert exact == pytest.approx(weights[wrong].sum() / weights.sum(), abs=4 * np.sqrt(0.25 / 100_000))
    everything_positive = samples.overconfident_error(normal, np.inf, share, confidence, weight)
    assert everything_positive == pytest.approx(1 / (1 + weight))


def test_more_overconfident_scores_begin_with_fewer_and_differ_where_they_should():
    X, y = samples.overconfident(50, 0.3, 2.0, random_state=1)
    more, _ = samples.overconfident(80, 0.3, 2.0, random_state=1)
    assert np.array_equal(more[:50], X)
    farther, same = samples.overconfident(50, 0.3, 6.0, random_state=1)
    moved = farther[:, 0] != X[:, 0]
    assert np.array_equal(same, y)
    assert np.array_equal(farther[:, 1], X[:, 1])
    assert 0.1 < moved.mean() < 0.5
    assert (farther[:, 0] - X[:, 0])[moved] == pytest.approx(-4.0 * y[moved])


def test_a_constant_is_a_line_at_infinity():
    normal, offset = as_line(lambda scores: np.full(len(scores), -2.0))
    assert offset == -np.inf
    assert (np.ones((3, 2)) @ normal + offset < 0).all()


def test_small_samples_have_all_that_is_nasty():
    rng = np.random.default_rng(0)
    drawn = [samples.small_sample(rng) for _ in range(200)]
    assert {len(X) for X, *_ in drawn} == set(range(2, 8))
    assert any(len(np.unique(X, axis=0)) < len(X) for X, *_ in drawn)
    assert any(len(set(positive.tolist())) == 1 for _, positive, _ in drawn)
    assert all((weights == weights.round()).all() and weights.min() >= 1 for *_, weights in drawn)


# Lines, by definition


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_points_in_general_position_are_divided_in_as_many_ways_as_there_are(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    assert len(line_classes(X, 0)) == 4 * n - 2
    assert len(dichotomies(X)) == n * (n - 1) + 2


def test_points_on_a_line_through_the_centre_are_on_it():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [-2.0, -2.0], [0.0, 0.0], [1.0, 0.0]])
    on_it = {tuple(np.flatnonzero(row == 0).tolist()) for row in line_classes(X, 0)}
    assert on_it == {(0, 3), (0, 3, 4), (0, 1, 2, 3)}


def test_who_is_spared_on_the_line():
    sides, positive = np.array([0, 0, 1, -1]), np.array([True, False, False, True])
    assert misclassified(sides, positive).tolist() == [True, True, True, True]
    assert misclassified(sides, positive, True).tolist() == [False, True, True, True]
    assert misclassified(sides, positive, False).tolist() == [True, False, True, True]


# Statements


@pytest.mark.parametrize(
    "sample, check",
    [
        (samples.LONELY, statements.lemma_2_5),
        (samples.COINCIDING, statements.lemma_2_5),
        (samples.LONELY, left_out.lemma_3_5),
        ((samples.LONELY[0], ~samples.LONELY[1], samples.LONELY[2]), left_out.lemma_3_7),
        (samples.LONELY, left_out.marking),
        (samples.UNLABELLED, left_out.lemma_3_9),
        (samples.WEIGHTED, left_out.error_of_members),
        (samples.FIVE, left_out.manifest),
    ],
)
def test_a_counterexample_fails_the_printed_statement_and_holds_the_corrected_one(sample, check):
    sample, rng = statements.Sample(*sample), np.random.default_rng(0)
    assert not all(check(sample, rng))
    assert all(check(sample, rng, corrected=True))


def test_the_lonely_point_is_given_up():
    sample = statements.Sample(*samples.LONELY)
    assert sample.sets.tolist() == [[True, False, False, False, False]]
    assert sample.shares[0] == 1.0


def test_three_ways_to_count():
    table = experiments.counters_table()
    assert table.wrong.tolist() == [2, 6, 6, 3, 11, 7]
    assert table.total.tolist() == [4, 12, 6, 4, 12, 7]


def test_nothing_fails_that_should_hold():
    found = experiments.check_statements(25, random_state=3).set_index("claim")
    assert (found.cases > 0).all()
    corrected = found.corrected_cases.notna()
    assert (found.failures[~corrected] == 0).all()
    assert (found.failures[corrected] > 0).all()
    assert (found.corrected_failures[corrected] == 0).all()


SABOTAGE = [
    (
        "optimal_separator",
        statements,
        ["section-1.likelihood", "theorem-2.3.optimal", "theorem-2.13.fattest"],
    ),
    ("sweep", statements, ["lemma-2.6"]),
    ("n_line_classes", statements, ["lemma-2.7"]),
    ("leave_one_out", left_out, ["corollary-3.3", "corollary-3.3.bound", "theorem-3.1.exact"]),
]


@pytest.mark.parametrize("name, room, claims", SABOTAGE, ids=[name for name, *_ in SABOTAGE])
def test_a_check_sees_what_is_wrong(monkeypatch, name, room, claims):
    right = getattr(room, name)

    def wrong(X, *args, **kwargs):
        if name == "n_line_classes":
            return right(X) - 1
        found = right(X, *args, **kwargs)
        if name == "sweep":
            return found + 1
        if name == "leave_one_out":
            return found._replace(error=-1.0, contribution=found.contribution + 0.5)
        return found._replace(misclassified=~found.misclassified, margin=found.margin / 2)

    monkeypatch.setattr(room, name, wrong)
    found = experiments.check_statements(10, random_state=0).set_index("claim")
    assert (found.failures[claims] > 0).all()


# Leave-one-out


def test_retraining_is_the_definition():
    sample = statements.Sample(*samples.small_sample(np.random.default_rng(4)))
    found = experiments.retrained_contributions(sample.X, sample.positive, sample.weights)
    np.testing.assert_allclose(found, sample.shares * sample.weights, rtol=1e-15)
    assert experiments.leave_one_out_against_retraining(25, 2, random_state=0) < 1e-12


def test_bias_is_within_its_error():
    bias = experiments.leave_one_out_bias(12, 150, random_state=0)
    mean, stderr = mean_and_stderr(bias.leave_one_out - bias.true)
    assert abs(mean) < 4 * stderr
    assert (bias.training <= bias.leave_one_out + 1e-12).all()
    assert bias.true.between(samples.bayes_error(), 1).all()


def test_growth_is_exact():
    grown = experiments.growth([20, 60, 200], random_state=0)
    X, y = samples.clouds(20, random_state=np.random.default_rng(0))
    assert grown.errors[0] == optimal_separator(X, y, method="pairs").weight
    assert (grown.true >= samples.bayes_error()).all()


# Figure 1, planes


def test_mirrored_radial():
    X = np.array([[2.0, 0.0], [-3.0, 0.0], [0.0, -1.0], [1.0, 1.0]]) + 5.0
    projection, angle = experiments.mirrored_radial(X, np.array([5.0, 5.0]))
    np.testing.assert_allclose(angle, np.pi * np.array([0, 0, 0.5, 0.25]))
    np.testing.assert_allclose(projection[:3] - 5.0, [[1, 0], [1, 0], [0, 1]], atol=1e-15)
    assert experiments.order_failures(50, 3, random_state=0) == 0


def test_planes():
    assert experiments.planes_against_every_subset(8, random_state=0) == (8, 0)
    cube = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
    assert not experiments._separable(cube, np.array([True, True, False, False]))
    assert experiments._separable(cube[:3], np.array([True, True, False]))


# Work


def cloud(n):
    X, y = samples.clouds(n, random_state=1)
    return X, y, min((y > 0).sum(), (y < 0).sum())


@pytest.mark.parametrize("n", [10, 37])
def test_work_of_pairs_and_sweep_is_what_can_be_written_down(n):
    X, y, m = cloud(n)
    least = optimal_separator(X, y).weight
    assert work.points_judged(X, y, "pairs") == (n * n * (n - 1), least)
    assert work.points_judged(X, y, "sweep") == (2 * m * (n - 1), least)


@pytest.mark.parametrize("n", [6, 9, 12])
def test_work_of_the_subset_search_is_counted_as_if_it_were_run(n):
    X, y, _ = cloud(n)
    tried = []

    def counted(x, y, positive, removed):
        tried.append(n - int(removed).bit_count())
        return separable(x, y, positive, removed)

    totals = np.array([float(mask.bit_count()) for mask in range(1 << n)])
    order = np.argsort(totals, kind="stable")
    x, y_ = np.ascontiguousarray(X.T)
    work._counting(_lightest, separable=counted)(x, y_, y > 0, order, totals, 0.0)
    assert work.points_judged(X, y, "subsets")[0] == sum(tried)


@pytest.mark.parametrize("n", [10, 100, 3000])
def test_counting_does_not_change_what_branch_and_bound_finds(n):
    X, y, _ = cloud(n)
    judged, least = work.points_judged(X, y, "branch")
    assert least == optimal_separator(X, y).weight
    assert judged > n
    assert judged == work.points_judged(X, y, "branch")[0]


def test_work_of_leave_one_out_is_at_least_two_sweeps():
    X, y, m = cloud(40)
    assert work.points_judged(X, y, "leave-one-out")[0] >= 4 * m * 39 + 40


def test_tables_of_work_and_seconds():
    table = work.work_table({"pairs": [8, 12], "sweep": [8]}, n_samples=2, random_state=0)
    assert table.method.tolist() == ["pairs", "pairs", "sweep"]
    assert table.work[:2].tolist() == pytest.approx([448, 1584])
    seconds = work.seconds({"subsets": [5, 6], "sweep": [9]}, random_state=0)
    assert seconds.n.tolist() == [5, 6, 9]
    assert (seconds.seconds > 0).all()


def test_a_slope_and_its_error():
    rng, x = np.random.default_rng(0), np.arange(400.0)
    slope, stderr = work.fitted_slope(x, 0.5 * x + rng.normal(size=400))
    assert abs(slope - 0.5) < 4 * stderr
    assert stderr == pytest.approx(1 / np.sqrt(400 * x.var()), rel=0.1)


# Real pairs


@pytest.mark.parametrize("weak", real_pairs.WEAK)
def test_no_other_line_has_fewer_training_errors(weak):
    tasks = real_pairs.tasks({name: datasets.load(name) for name in ("breast_cancer", "digits")})
    assert list(tasks) == ["breast cancer", "digits 1, 8", "digits 3, 8", "digits 3, 9"]
    trials = real_pairs.pair_trials(
        *tasks["breast cancer"], real_pairs.WEAK[weak], n_splits=2, max_train=100, random_state=0
    )
    assert trials.combiner.unique().tolist() == list(COMBINERS)
    for _, each in trials.groupby("split"):
        assert each.training.min() == each.training[each.combiner == "optimal line"].item()
    again = real_pairs.pair_trials(
        *tasks["breast cancer"], real_pairs.WEAK[weak], n_splits=2, max_train=100, random_state=0
    )
    assert trials.equals(again)


def test_spambase_is_split_into_words_and_the_rest():
    spam = SimpleNamespace(X=np.zeros((4, 57)), y=np.array([-1, 1, -1, 1]))
    [(_, _, first, second)] = real_pairs.tasks({"spambase": spam}).values()
    assert sorted([*first, *second]) == list(range(57))


def test_scores_of_one_split_are_of_the_training_rows_classifiers():
    X, y, first, second = real_pairs.tasks({"breast_cancer": datasets.load("breast_cancer")})["breast cancer"]
    scores, train = real_pairs.one_split(X, y, first, second, LogisticRegression(), 50, 0)
    assert (len(train), scores.shape) == (50, (569, 2))
    expected = LogisticRegression().fit(X[train][:, first], y[train]).decision_function(X[:, first])
    np.testing.assert_allclose(scores[:, 0], expected)


def test_every_combiner_is_a_line():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, -1, 1)
    for name, combiner in COMBINERS.items():
        combined = combiner(scores, y)
        a, b = rng.normal(size=(2, 5, 2))
        np.testing.assert_allclose(combined((a + b) / 2), (combined(a) + combined(b)) / 2, err_msg=name)
        normal, offset = as_line(combined)
        assert np.hypot(*normal) == pytest.approx(1.0)
        both = np.column_stack([combined(a), a @ normal + offset])
        assert np.linalg.matrix_rank(both, tol=1e-9) == 1, name
        np.testing.assert_array_equal(*np.sign(both.T), err_msg=name)


def test_four_quarters():
    digits = datasets.load("digits")
    rows = np.isin(digits.y, (3, 8))
    y = np.where(digits.y[rows] == 8, 1, -1)
    found = real_pairs.quarter_trials(digits.X[rows], y, n_splits=2, random_state=0)
    error = found.groupby("combiner").training.mean()
    assert error["greedy"] <= error["optimal, upper two"]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: samples.clouds(0), "n must be an integer >= 1, got 0"),
        (lambda: samples.introduction(noise=2), "noise must be a finite number >= 0 and <= 1, got 2"),
        (lambda: experiments.check_statements(0), "n_samples must be an integer >= 1, got 0"),
        (lambda: experiments.check_statements(1, largest=13), "largest must be .* got 13"),
        (lambda: experiments.leave_one_out_bias(2, 5), "n must be an integer >= 3, got 2"),
        (lambda: experiments.leave_one_out_bias(5, 0), "n_trials must be an integer >= 1, got 0"),
        (lambda: experiments.planes_against_every_subset(0), "n_samples must be"),
        (lambda: work.fitted_slope([1, 2], [1, 2]), "at least 3 points, got 2"),
        (lambda: work.points_judged([[0, 0]], [1], "best"), "method must be one of"),
        (lambda: real_pairs.pair_trials(*[None] * 5, n_splits=0), "n_splits must be an integer >= 1, got 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
