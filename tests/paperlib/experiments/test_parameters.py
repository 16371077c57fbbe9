import pytest

from paperlib.experiments.parameters import check_parameters


@pytest.mark.parametrize(
    "given, words",
    [
        ({"eps": (1.0, 0, 1)}, "eps must be a finite number > 0 and < 1, got 1.0"),
        ({"n_runs": (1.5, 2)}, "n_runs must be an integer >= 2, got 1.5"),
        ({"n_runs": (0, 2)}, "n_runs must be an integer >= 2, got 0"),
        ({"scale": (float("nan"), 0.0)}, "scale must be a finite number"),
        ({"epsilons": ([0.2, 0.1], 0, 1)}, "epsilons must be at least 2 numbers in ascending order"),
        ({"sizes": ([10], 1)}, "sizes must be at least 2 numbers in ascending order"),
        ({"sizes": ([10, 10], 1)}, "ascending order"),
        ({"sizes": ([10, 20], 1), "shortest": 3}, "sizes must be at least 3 numbers"),
        ({"sizes": ([1, 20], 5)}, "sizes must be an integer >= 5, got 1"),
        ({"sizes": (["a", "b"], 1)}, "sizes must be"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(given, words):
    with pytest.raises(ValueError, match=words):
        check_parameters(**given)


def test_what_makes_sense_passes():
    check_parameters(eps=(0.1, 0, 1), n_runs=(2, 2), scale=(0.5, 0.0), sizes=([10, 20], 1))
