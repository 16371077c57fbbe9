"""The tree against a plain list of logarithms, on weights from nothing to beyond the floats."""

import copy
import math
import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.max_loss import SumTree
from paperlib.max_loss._tree import sumtree
from reproduce.processors.emulation import environments
from tests.programs import printed


class PlainWeights:
    """The slow twin: a list of logarithms, summed anew whenever it is asked."""

    def __init__(self, m):
        self.logs = [0.0] * m

    def update_log(self, i, x):
        self.logs[i] += x

    def q(self):
        top = max(self.logs)
        weights = [math.exp(log - top) for log in self.logs]
        return np.array(weights) / math.fsum(weights)


def tree_of(m, most):
    """A tree that gives all items a leaf once more than `most` have one."""
    tree = SumTree(m)
    tree._tree = sumtree.allocate(m, most)
    return tree


def assert_sound(tree):
    values = [tree.value(i) for i in range(len(tree))]
    assert all(math.isfinite(value) and value >= 0.0 for value in values)
    assert math.isfinite(tree.total) and tree.total > 0.0
    assert tree.total == pytest.approx(math.fsum(values), rel=1e-12)


def assert_same(tree, plain):
    assert_sound(tree)
    # A share that was below the doubles' range once stays zero until it is above 1e-45 or so: none draws it.
    np.testing.assert_allclose(tree.probabilities(), plain.q(), rtol=1e-9, atol=1e-40)


steps = st.one_of(
    st.floats(-3.0, 3.0), st.floats(-2000.0, 2000.0), st.sampled_from([0.0, 700.0, -700.0, 1e6, -1e6])
)


@settings(deadline=None, max_examples=300)
@given(st.integers(1, 90), st.data())
def test_the_tree_is_the_plain_list(m, data):
    tree, plain = tree_of(m, data.draw(st.integers(0, m))), PlainWeights(m)
    for i, x in data.draw(st.lists(st.tuples(st.integers(0, m - 1), steps), max_size=60)):
        tree.update_log(i, x)
        plain.update_log(i, x)
    assert_same(tree, plain)
    us = data.draw(st.lists(st.floats(0.0, 1.0, exclude_max=True), max_size=20))
    for u in us:
        assert plain.logs[sumtree.draw(u, 0.0, tree.state)] > max(plain.logs) - 800.0


@pytest.mark.parametrize("m", [1, 8, 9, 64, 65, 513, 5000])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_many_updates_at_every_height(m, scale):
    rng = np.random.default_rng(m)
    tree, plain = SumTree(m), PlainWeights(m)
    for i, x in zip(rng.integers(m, size=3 * m), rng.normal(scale=scale, size=3 * m)):
        tree.update_log(i, x)
        plain.update_log(i, x)
    assert_same(tree, plain)
    assert tree.n_leaves == sum(log != 0.0 for log in plain.logs)


@pytest.mark.parametrize("m", [1, 2, 8, 9, 65, 600, 5000])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_all_items_get_a_leaf_in_the_middle_of_a_batch(m, share):
    rng, most = np.random.default_rng(m), int(share * m)
    tree, plain = tree_of(m, most), PlainWeights(m)
    order, x = rng.permutation(m), rng.normal(scale=200.0, size=m)
    for part in np.array_split(np.arange(m), 3):
        tree.update_log(order[part], x[part])
        for at in part:
            plain.update_log(order[at], x[at])
        assert_same(tree, plain)
        done = part[-1] + 1 if len(part) else m
        assert tree.n_leaves == (done if done <= most else m)
    for array in (tree.state.order, tree.state.place):
        np.testing.assert_array_equal(array, np.arange(m))
    np.testing.assert_array_equal(tree.state.logs, plain.logs)


def test_the_new_layout_has_the_old_ones_probabilities():
    rng, m = np.random.default_rng(0), 700
    trees = [tree_of(m, most) for most in (0, 200, m)]
    for n_updates in (200, 1, 500):
        indices, x = rng.integers(m, size=n_updates), rng.normal(scale=3.0, size=n_updates)
        for tree in trees:
            tree.update_log(indices, x)
        for tree in trees[1:]:
            np.testing.assert_allclose(tree.probabilities(0.2), trees[0].probabilities(0.2), rtol=1e-13)


def test_a_large_tree_gives_all_items_a_leaf_after_a_third():
    m = sumtree.CACHED + 1
    tree = SumTree(m)
    last = np.arange(m)[-(m // 3) :]
    tree.update_log(last, np.full(m // 3, 0.5))
    tree.update_log(0, 0.0)  # makes no leaf
    assert tree.n_leaves == m // 3
    np.testing.assert_array_equal(tree.state.order[: m // 3], last)
    tree.update_log(0, -0.5)
    assert tree.n_leaves == m
    assert tree.value(0) / tree.value(m - 1) == pytest.approx(math.exp(-1.0))
    assert tree.value(1) / tree.value(m - 1) == pytest.approx(math.exp(-0.5))


def test_a_small_tree_keeps_the_order_of_change():
    order = np.arange(sumtree.CACHED)[::-1]
    tree = SumTree(len(order))
    tree.update_log(order, np.ones(len(order)))
    np.testing.assert_array_equal(tree.state.order, order)


@pytest.mark.parametrize("m", [1, 9, 100])
def test_total_is_the_sum_of_the_leaves_after_a_million_updates(m):
    rng = np.random.default_rng(0)
    tree = SumTree(m)
    tree.update_log(rng.integers(m, size=10**6), rng.normal(size=10**6))
    tree.update_log(rng.integers(m, size=10**6), rng.exponential(size=10**6))  # as the p player's
    assert_sound(tree)


def test_a_leaf_below_the_smallest_float_comes_back():
    tree = SumTree(3)
    for _ in range(100):
        tree.update(0, 1e-300)
    assert tree.value(0) == 0.0
    for _ in range(100):
        tree.update(0, 1e300)
    assert tree.value(0) == pytest.approx(tree.value(1), rel=1e-9)


def test_all_leaves_fall_together():
    tree = SumTree(4)
    for i in range(4):
        tree.update_log(i, -5000.0 - i)
    assert_sound(tree)
    assert tree.value(0) / tree.value(2) == pytest.approx(math.exp(2.0))


def test_items_that_were_never_updated_come_back():
    tree = SumTree(10)
    tree.update_log(3, 2000.0)
    assert tree.value(0) == 0.0
    tree.update_log(3, -2000.0)
    np.testing.assert_allclose(tree.probabilities(), 0.1)


def test_the_largest_floats_are_met():
    tree = SumTree(3)
    for x in (1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.7e308):
        for i in (0, 1):
            tree.update_log(i, x)
            assert_sound(tree)
    assert tree.probabilities()[2] == 1.0


def twin_draws(us, uniform_share, tree):
    """Search the cumulative sums: items with leaves in their order, then all others."""
    m = len(tree)
    order = tree.state.order
    sums = np.cumsum([tree.value(i) for i in order])
    for u in us:
        if u < uniform_share:
            yield int(u / uniform_share * m)
        else:
            at = np.searchsorted(sums / sums[-1], (u - uniform_share) / (1.0 - uniform_share), side="right")
            yield order[min(at, m - 1)]


@pytest.mark.parametrize("m", [1, 8, 9, 600])
@pytest.mark.parametrize("most", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("uniform_share", [0.0, 0.5, 1.0])
def test_draws_are_a_search_in_the_cumulative_sums(m, most, uniform_share):
    rng = np.random.default_rng(m)
    tree = tree_of(m, int(most * m))
    for touched in (0, m // 3, m):
        tree.update_log(rng.integers(m, size=touched), rng.normal(scale=3.0, size=touched))
        us = rng.random(2000)
        drawn = [sumtree.draw(u, uniform_share, tree.state) for u in us]
        assert drawn == list(twin_draws(us, uniform_share, tree))


@pytest.mark.parametrize("u", [0.0, 0.25, np.nextafter(1.0, 0.0)])
@pytest.mark.parametrize("most", [0, 100])
def test_an_item_of_weight_zero_is_never_drawn_from_q(u, most):
    for m, kept in ((20, 7), (20, 19), (20, 0), (9, 8), (1, 0)):
        tree = tree_of(m, most)
        for i in range(m):
            tree.update_log(i, 0.1 if i == kept else -1e4)
        assert sumtree.draw(u, 0.0, tree.state) == kept


@pytest.mark.parametrize("uniform_share", [0.0, 0.3, 1.0])
def test_frequencies_are_the_probabilities(uniform_share):
    m, n = 40, 200_000
    rng = np.random.default_rng(5)
    tree = SumTree(m)
    tree.update_log(np.arange(0, m, 2), rng.normal(scale=1.5, size=m // 2))
    indices, p = tree.sample(rng, uniform_share, size=n)
    expected = tree.probabilities(uniform_share)
    np.testing.assert_allclose(p, expected[indices], rtol=1e-12)
    counts = np.bincount(indices, minlength=m)
    assert (abs(counts - n * expected) < 5.0 * np.sqrt(n * expected)).all()
    assert expected.sum() == pytest.approx(1.0)


def test_sampling_leaves_the_tree_and_a_batch_is_as_many_draws(monkeypatch):
    monkeypatch.setattr("paperlib.max_loss.sum_tree.AT_ONCE", 7)
    tree = SumTree(30)
    tree.update([1, 5, 5], [4.0, 2.0, 3.0])
    assert tree.value(5) == pytest.approx(6.0)
    before = [array.copy() for array in tree.state]
    indices, p = tree.sample(np.random.default_rng(1), size=50)
    rng = np.random.default_rng(1)
    assert [tree.sample(rng) for _ in range(50)] == list(zip(indices.tolist(), p.tolist()))
    for array, old in zip(tree.state, before):
        np.testing.assert_array_equal(array, old)
    assert [len(array) for array in tree.sample(rng, size=0)] == [0, 0]


@pytest.mark.parametrize("kind", [list, np.array, np.int32, lambda i: np.repeat(i, 2)[::2], tuple])
def test_every_form_of_an_update_is_the_same(kind):
    tree, one = SumTree(9), SumTree(9)
    i, x = [3, 0, 3], [0.5, -1.0, 2.0]
    tree.update_log(kind(i), np.array(x))
    tree.update(kind([1, 1]), 2.0)
    for each, by in zip([*i, 1, 1], [*x, math.log(2.0), math.log(2.0)]):
        one.update_log(each, by)
    np.testing.assert_array_equal(tree.probabilities(), one.probabilities())


def test_a_batch_with_one_bad_entry_changes_nothing():
    tree = SumTree(4)
    with pytest.raises(IndexError, match=r"\[0, 4\), got 4"):
        tree.update_log(np.array([1, 4]), np.array([1.0, 1.0]))
    with pytest.raises(ValueError, match="got nan"):
        tree.update_log(np.array([1, 2]), np.array([1.0, math.nan]))
    assert tree.n_leaves == 0 and tree.total == 4.0


def test_an_update_by_nothing_makes_no_leaf():
    tree = SumTree(5)
    tree.update(3, 1.0)
    assert tree.n_leaves == 0
    assert tree.value(3) == 1.0 and tree.total == 5.0


def test_pickle_and_copy():
    tree = SumTree(12)
    tree.update_log(np.arange(6), np.arange(6.0))
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        np.testing.assert_array_equal(other.probabilities(), tree.probabilities())
        other.update(0, 5.0)
        assert other.total != tree.total


@settings(deadline=None, max_examples=300)
@given(st.floats(-760.0, sumtree.REACH))
def test_the_trees_exponential_is_the_exponential(x):
    tree = SumTree(1)
    tree.state.logs[0], tree.state.counts[0] = x, 1
    sumtree.add_up(tree.state)
    # Both ends of the rounding of x; below the smallest normal float the tree has zero.
    assert tree.value(0) == pytest.approx(math.exp(x), rel=4e-16 + abs(x) * 2.3e-16, abs=2.3e-308)


BITS = """
import hashlib
import numpy as np
from paperlib.max_loss import SumTree
tree, rng = SumTree(1000), np.random.Generator(np.random.Philox(0))
drawn = []
for _ in range(300):
    indices, p = tree.sample(rng, 0.25, size=64)
    tree.update_log(indices, 0.003 / p)
    drawn.append(indices)
print(hashlib.sha256(np.array(drawn).tobytes() + tree.state.nodes.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.x86_64
def test_weights_and_draws_are_the_same_bits_on_older_processors():
    found = {name: printed("-c", BITS, **env) for name, env in environments().items()}
    assert len(found) == 3 and len(set(found.values())) == 1, found


@pytest.mark.parametrize("m", [1, 8, 9, 65, 700])
@pytest.mark.parametrize("touched", [0, 1, 8, 9, 64, 65, 2000])
@pytest.mark.parametrize("scale", [1.0, 400.0])
def test_a_tree_is_restored_from_its_leaves_to_the_last_bit(m, touched, scale):
    rng = np.random.default_rng(touched)
    tree, restored = SumTree(m), SumTree(m)
    tree.update_log(rng.integers(m, size=touched), rng.normal(scale=scale, size=touched))
    tree.update_log([0, 0], [1.0, -1.0])  # a leaf of weight 1
    n = tree.n_leaves
    sumtree.restore(tree.state.order[:n], tree.state.logs[:n], tree.state.scales, restored.state)
    for again in range(2):
        for mine, other in zip(tree.state, restored.state):
            np.testing.assert_array_equal(mine, other)
        for each in (tree, restored):
            each.update_log(np.arange(0, m, 3), np.full(len(range(0, m, 3)), 0.1 * again))


def test_a_tree_that_gave_all_items_a_leaf_is_restored_too():
    m = sumtree.CACHED + 5
    tree, restored = SumTree(m), SumTree(m)
    tree.update_log(np.arange(0, m, 2), np.random.default_rng(0).normal(size=len(range(0, m, 2))))
    assert tree.n_leaves == m
    state = tree.state
    sumtree.restore(state.order, state.logs, state.scales, restored.state)
    for each in (tree, restored):
        each.update_log(np.arange(0, m, 3), np.full(len(range(0, m, 3)), 0.1))
    for mine, other in zip(tree.state, restored.state):
        np.testing.assert_array_equal(mine, other)


def test_the_children_of_a_node_share_a_cache_line():
    nodes = sumtree.allocate(1000).nodes
    assert nodes.ctypes.data % 64 == 0


@pytest.mark.parametrize("m", [0, 2.5, 2**31])
def test_bad_m(m):
    with pytest.raises(ValueError, match="m must be an integer >= 1"):
        SumTree(m)


@pytest.mark.parametrize("factor", [0.0, math.inf, [1.0, 0.0]])
def test_bad_factor(factor):
    tree = SumTree(3)
    with pytest.raises(ValueError, match="factor must be a finite number > 0, got"):
        tree.update([0, 1], factor)
    assert tree.n_leaves == 0


@pytest.mark.parametrize("x", [math.nan, -math.inf])
def test_bad_logarithm(x):
    with pytest.raises(ValueError, match="x must be a finite number, got"):
        SumTree(3).update_log(0, x)


@pytest.mark.parametrize("i", [-1, 3, 1.0, [0, 3]])
def test_bad_index(i):
    tree = SumTree(3)
    with pytest.raises(IndexError, match="i must be"):
        tree.update(i, 2.0)
    with pytest.raises(IndexError, match="i must be"):
        tree.update_log(i, 2.0)
    assert tree.n_leaves == 0
    if not isinstance(i, list):
        with pytest.raises(IndexError, match="i must be"):
            tree.value(i)


@pytest.mark.parametrize("uniform_share", [-0.1, 1.1])
def test_bad_uniform_share(uniform_share):
    with pytest.raises(ValueError, match="uniform_share must be a finite number >= 0 and <= 1"):
        SumTree(3).sample(np.random.default_rng(0), uniform_share)


@pytest.mark.parametrize("most", [5, 100])
def test_kernels_without_reference_counts_leave_the_counts(most):
    tree, rng = tree_of(100, most), np.random.default_rng(0)
    counts = [sys.getrefcount(array) for array in tree.state]
    for _ in range(50):
        i, p = tree.sample(rng, 0.5)
        tree.update_log(i, 0.1 / p)
        indices, p = tree.sample(rng, 0.5, size=8)
        tree.update_log(indices, 0.1 / p)
        sumtree.rebuild(tree.state)
    assert [sys.getrefcount(array) for array in tree.state] == counts


WITHOUT = """
from numba.core.options import DefaultOptions
del DefaultOptions._nrt
import numpy as np
from paperlib.max_loss import SumTree
from paperlib.max_loss._tree import sumtree
assert "_nrt" not in sumtree.uncounted.keywords
tree, rng = SumTree(100), np.random.default_rng(0)
for _ in range(50):
    i, p = tree.sample(rng, 0.5)
    tree.update_log(i, 0.1 / p)
print(tree.probabilities().tobytes().hex())
"""


@pytest.mark.slow
def test_the_option_of_numbas_own_changes_nothing(tmp_path):
    with_it = "\n".join(WITHOUT.replace("not in", "in").splitlines()[3:])
    without, beside = (
        printed("-c", script, NUMBA_CACHE_DIR=str(tmp_path / name))
        for name, script in (("without", WITHOUT), ("with", with_it))
    )
    assert len(without) > 1000 and without == beside
