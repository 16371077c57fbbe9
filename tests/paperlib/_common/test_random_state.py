import numpy as np
import pytest

from paperlib._common.random_state import check_random_state


def draws(random_state):
    return check_random_state(random_state).integers(2**40, size=4).tolist()


@pytest.mark.parametrize("seed", [0, 7, np.int32(7), np.uint64(2**63)])
def test_an_integer_seeds_the_same_generator_as_numpy(seed):
    assert draws(seed) == np.random.default_rng(int(seed)).integers(2**40, size=4).tolist()
    assert draws(seed) == draws(seed)


def test_a_generator_is_used_and_moves_on():
    rng = np.random.default_rng(0)
    assert check_random_state(rng) is rng
    assert draws(rng) != draws(rng)


def test_a_random_state_gives_a_seed_and_moves_on():
    one, two = np.random.RandomState(3), np.random.RandomState(3)
    assert draws(one) == draws(two)
    assert draws(one) == draws(two) != draws(np.random.RandomState(3))


def test_none_is_another_one_each_time():
    assert draws(None) != draws(None)


@pytest.mark.parametrize("bad", [-1, 1.0, "0", True, [1, 2], np.random])
def test_anything_else_is_refused_in_words(bad):
    with pytest.raises(ValueError, match=r"random_state must be an integer >= 0, .*, got"):
        check_random_state(bad)
