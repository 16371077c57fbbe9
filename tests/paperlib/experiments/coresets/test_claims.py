"""Measures of the claims of Sections 1 to 3.1, on small tables whose answers are known."""

import pandas as pd
import pytest

from paperlib.experiments.coresets import claims

RUNS = pd.DataFrame(
    {
        "sample": ["a", "a", "b", "b"],
        "selection": ["worst", "first"] * 2,
        "eps": 0.1,
        "n": [100, 100, 50, 50],
        "size": [10, 30, 20, 40],
        "above": [6, 9, 49, 9],
        "allowed": [12, 10, 50, 10],
        "bound": [40, 60, 60, 50],
        "missed": [0.2, 0.7, 0.3, 0.0],
        "uncertified": [0.5, 1.0, 0.3, 0.0],
    }
)


def test_what_is_missed_is_the_most_of_runs_and_of_uneven_samples():
    uneven = pd.DataFrame({"missed": [0.9, 0.1], "uncertified": [0.4, 0.1], "told": [0.0, 3e-9]})
    assert claims.definition_2_2(RUNS, uneven)[:3] == (0.9, None, 6)
    assert claims.section_3_certificate(RUNS, uneven)[:3] == (1.0, None, 6)
    assert claims.section_3_told(uneven) == (3e-9, None, 2, None, 1e-9)


def test_the_least_decrease_is_of_all_steps_of_a_promise():
    columns = ["promise", "steps", "least"]
    rows = [
        ("equation-1", 7, 3.0),
        ("corollary-3.2", 5, 2.0),
        ("equation-1", 2, 1.5),
        ("equation-1", 0, None),
    ]
    decreases = pd.DataFrame(rows, columns=columns)
    assert claims.equation_1(decreases)[:3] == (1.5, None, 9)
    assert claims.corollary_3_2_step(decreases)[:3] == (2.0, None, 5)


def test_bounds_beyond_the_number_of_points_do_not_count():
    assert claims.lemma_3_1_steps(RUNS)[:3] == (0.5, None, 1)
    slowest = pd.DataFrame({"selection": ["worst", "first"], "n": 100, "size": [12, 80], "bound": [20, 80]})
    assert claims.lemma_3_1_size(RUNS, slowest)[:3] == (0.6, None, 2)
    assert claims.corollary_3_2_size(RUNS, slowest)[:3] == (1.0, None, 2)
    assert claims.lemma_3_1_second(RUNS.assign(above=2, rest=8))[:2] == ((20 - 2) / 8, None)
    none = RUNS.assign(n=10)
    assert claims.lemma_3_1_steps(none).cases == claims.lemma_3_1_size(none, none).cases == 0


def test_sizes_grow_as_on_staircases_of_worst_violators():
    stairs = pd.DataFrame(
        {
            "varied": ["eps"] * 3 + ["ratio"] * 2,
            "eps": [0.1, 0.2, 0.4, 0.1, 0.1],
            "excess": [3, 3, 3, 1, 4],
            "size": [16, 8, 4, 3, 48],
        }
    ).assign(sample="staircase", selection="worst")
    others = pd.concat([stairs.assign(sample="star"), stairs.assign(selection="first")]).assign(size=7)
    sizes = pd.concat([others, stairs])
    assert claims.lemma_3_1_eps(sizes) == (pytest.approx(1.0), None, 3, None, None)
    assert claims.lemma_3_1_ratio(sizes) == (pytest.approx(2.0), None, 2, None, None)
    assert claims.lemma_3_1_ratio(others).cases == 0


def test_the_gap_is_the_mean_over_samples():
    orders = pd.DataFrame({"sample": [*"aabb"], "worst": [10, 10, 20, 20], "first": [14, 16, 29, 29]})
    # Sample b has no error, so that its degrees of freedom do not count.
    assert claims.corollary_3_2_larger(orders) == (7.0, 0.5, 4, 1, None)


def test_the_power_of_balls_is_that_of_the_two_smallest_eps():
    eps = [0.4, 0.1, 0.2, 0.2, 0.1, 0.2]
    names = ["star, 2"] * 3 + ["star, 3"] + ["slab"] * 2
    sizes = pd.DataFrame({"sample": names, "eps": eps, "coreset": 1, "ball": [77, 10, 5, 3, 90, 9]})
    assert claims.section_1_balls(sizes) == (pytest.approx(1.0), None, 1, None, None)  # of one star alone
    assert claims.section_1_balls(sizes[:0]).cases == 0


def test_the_support_is_a_share_of_all_points():
    support = pd.DataFrame({"n": [200], "supporting": [150], "coreset": [27]})
    assert claims.section_1_support(support)[:3] == (0.75, None, 200)


def test_what_is_read_or_solved_twice_is_seen():
    growth = pd.DataFrame(
        {
            "n": 100,
            "sample": [0, 1, 0, 0],
            "selection": ["worst", "worst", "first", "batch"],
            "size": 5,
            "handed_out": [1000, None, 500, 9000],
            "solved": [5, None, 10, 90],
        }
    )
    assert claims.lemma_3_1_time(growth)[:3] == (2.0, None, 4)
    assert claims.lemma_3_1_time(growth.assign(handed_out=500))[:3] == (2.0, None, 4)
    assert claims.lemma_3_1_time(growth.assign(solved=5, handed_out=500))[:3] == (1.0, None, 4)


def test_the_power_of_n_is_a_mean_over_samples():
    growth = pd.DataFrame({"n": [1, 10] * 2, "sample": [0, 0, 1, 1], "size": [1, 10, 3, 3]})
    growth = pd.concat([growth.assign(selection="worst"), growth.assign(selection="first", size=9)])
    assert claims.lemma_3_1_n(growth) == (pytest.approx(0.5), pytest.approx(0.5), 4, 1, None)


def test_the_power_of_d_is_that_of_stars_beyond_the_bound():
    star = pd.DataFrame({"d": [10, 100, 1000], "n": [9, 99, 999], "size": [9, 20, 20], "bound": 50})
    in_d = pd.concat([star.assign(sample="star"), star.assign(sample="slab of 0.5", size=[1, 10, 100])])
    assert claims.lemma_3_1_d(in_d) == (pytest.approx(0.0, abs=1e-12), None, 2, None, None)
    exact = in_d.assign(size=in_d.n)  # as if eps were zero
    assert claims.lemma_3_1_d(exact).value > 0.9


def test_each_relative_has_its_own_rows():
    relatives = pd.DataFrame(
        {
            "learner": ["perceptron", "Kowalczyk", "ROMMA", "ALMA", "Kowalczyk", "ROMMA", "ALMA"],
            "missed": [9.0, 0.1, 0.2, 0.3, 0.7, 0.6, 0.1],
            "used": [0.1, 0.01, None, 0.8, 0.02, None, 0.9],
        }
    )
    assert claims.section_3_1_kowalczyk(relatives)[:3] == (0.7, None, 2)
    stars = pd.DataFrame({"used": [0.3, 0.2]})
    assert claims.section_3_1_kowalczyk_updates(relatives, stars)[:3] == (0.3, None, 4)
    assert claims.section_3_1_romma(relatives)[:3] == (0.6, None, 2)
    assert claims.section_3_1_alma(relatives)[:3] == (0.3, None, 2)
    assert claims.section_3_1_alma_updates(relatives)[:3] == (0.9, None, 2)
    assert claims.section_3_1_perceptron(pd.DataFrame({"used": [1.0, 0.5]}))[:3] == (1.0, None, 2)


def test_similar_errors_are_compared_within_each_sample():
    similar = pd.DataFrame({"sample": [*"aabbb"], "romma": 0.25, "alma": [0.25, 0.75, 0.25, 0.25, 0.25]})
    found = claims.section_3_1_similar(similar)
    assert found == pytest.approx((0.5, 0.5, 5, 1, None))  # over 0.25


def test_the_power_of_n_of_planes_is_a_mean_over_draws():
    planes = pd.DataFrame({"n": [10, 1000] * 2, "draw": [0, 0, 1, 1], "means": [3, 3, 2, 20]})
    assert claims.section_3_1_svm_perf_fast(planes) == pytest.approx((0.25, 0.25, 4, 1, None))


def test_planes_that_are_another_example():
    planes = pd.DataFrame({"example": [0, 3, 5], "coreset": [0, 3, -1]})
    assert claims.section_3_1_cutting_plane(planes)[:3] == (1, None, 3)
