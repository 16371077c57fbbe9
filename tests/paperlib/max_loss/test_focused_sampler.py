"""The sampler for training loops: which draws losses belong to, whatever a loop and a loader do."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.max_loss import SumTree

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Sampler, TensorDataset  # noqa: E402

from paperlib.max_loss import FocusedSampler  # noqa: E402
from paperlib.max_loss._sampling import waiting  # noqa: E402


class Twin:
    """The slow twin: every draw is remembered with its p, and updates are made one by one, in their order."""

    def __init__(self, sampler, uniform_share, eta):
        self.tree, self.uniform_share, self.eta = SumTree(len(sampler.tree)), uniform_share, eta
        key = np.array([sampler._seed, 0], dtype=np.uint64)
        self.rng = np.random.Generator(np.random.Philox(key=key))
        self.drawn, self.pending = [], []

    def draw(self, size):
        for _, i, x in sorted(self.pending):
            self.tree.update_log(i, x)
        self.pending = []
        batch = [self.tree.sample(self.rng, self.uniform_share) for _ in range(size)]
        self.drawn.append(batch)
        return [i for i, _ in batch]

    def tell(self, k, losses):
        for j, ((i, p), loss) in enumerate(zip(self.drawn[k], losses)):
            self.pending.append(((k, j), i, self.eta * loss / p))


def weights(sampler):
    return sampler.tree.probabilities()


def same(one, other):
    """Whether two samplers have the same weights and will draw the same, to the last bit."""
    return all(np.array_equal(a, b) for a, b in zip(one.tree.state, other.tree.state))


def told_all(sampler, wrong):
    for batch in sampler:
        sampler.update(batch, np.isin(batch, wrong))


# Draws and weights


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_draws_and_weights_are_the_slow_twins(data):
    m, size = data.draw(st.integers(500, 3000)), data.draw(st.integers(3, 9))
    share = data.draw(st.sampled_from([0.1, 0.5, 0.9, 1.0]))
    sampler = FocusedSampler(m, n_draws=40 * size, uniform_share=share, batch_size=size, random_state=0)
    twin, batches, untold = Twin(sampler, share, 1.0 / (2.0 * m)), iter(sampler), []
    for k in range(40):
        batch = next(batches)
        assert batch == twin.draw(size)
        untold.append((k, batch))
        # Batches wait as if workers held them, are told of in any order, each in any order, or never.
        while untold and data.draw(st.booleans()):
            k, batch = untold.pop(data.draw(st.integers(0, len(untold) - 1)))
            losses = np.array(data.draw(st.lists(st.floats(0.0, 1.0), min_size=size, max_size=size)))
            order = data.draw(st.permutations(range(size)))
            sampler.update(np.array(batch)[order], losses[order])
            twin.tell(k, losses)
    assert next(batches, None) is None
    twin.draw(1)
    # Of equal indices in a batch either may have the other's loss: p is the same, the order is not.
    np.testing.assert_allclose(weights(sampler), twin.tree.probabilities(), rtol=1e-12)


def test_one_after_another_every_draw_is_from_the_weights_of_now():
    m, rng = 30, np.random.default_rng(0)
    sampler = FocusedSampler(m, n_draws=500, uniform_share=0.3, random_state=1)
    twin = Twin(sampler, 0.3, 1.0 / (2.0 * m))
    for k, i in enumerate(sampler):
        assert [i] == twin.draw(1)
        if rng.random() < 0.7:
            loss = rng.random()
            sampler.update(i, loss)
            twin.tell(k, [loss])
    twin.draw(1)
    assert all(np.array_equal(a, b) for a, b in zip(sampler.tree.state, twin.tree.state))


@pytest.mark.parametrize("batch_size", [None, 50])
@pytest.mark.parametrize("uniform_share", [0.0, 0.25, 1.0])
def test_frequencies_are_the_probabilities(batch_size, uniform_share):
    m, n = 20, 100_000
    sampler = FocusedSampler(m, n_draws=n, uniform_share=uniform_share, batch_size=batch_size, random_state=3)
    sampler.tree.update(np.arange(10), np.arange(1.0, 11.0))
    drawn = np.concatenate([np.atleast_1d(each) for each in sampler])
    expected = sampler.tree.probabilities(uniform_share)
    assert (abs(np.bincount(drawn, minlength=m) - n * expected) < 5.0 * np.sqrt(n * expected)).all()


def test_the_first_update_is_theorem_1s():
    m = 40
    sampler = FocusedSampler(m, n_draws=1, random_state=0)
    [i] = sampler
    sampler.update(i, 1.0)
    # eta = 1 / (2 m) over p = 1 / m
    assert weights(sampler)[i] == pytest.approx(np.exp(0.5) / (np.exp(0.5) + m - 1), rel=1e-12)


def test_a_draw_keeps_the_probability_that_it_was_made_with():
    sampler = FocusedSampler(1000, eta=0.01, batch_size=3, random_state=0)
    batches = iter(sampler)
    first, held = next(batches), next(batches)
    for _ in range(300):
        sampler.update(next(batches), np.ones(3))
    before = weights(sampler)
    sampler.update(held, np.ones(3))
    ratio = weights(sampler)[held] / before[held] / (weights(sampler)[first[0]] / before[first[0]])
    assert ratio == pytest.approx(np.exp(10.0), rel=1e-9)  # 0.01 / (1 / 1000)


@settings(deadline=None, max_examples=60)
@given(st.permutations(range(12)))
def test_the_order_never_matters(order):
    told, plain = (FocusedSampler(500, batch_size=12, random_state=0) for _ in range(2))
    losses = np.linspace(0.1, 1.0, 12)
    for sampler, at in ((told, np.array(order)), (plain, np.arange(12))):
        batches = iter(sampler)
        batch = np.array(next(batches))
        for part in np.array_split(at, 3):
            sampler.update(batch[part], losses[part])
        sampler.after = next(batches)
    assert told.after == plain.after and same(told, plain)


# Loops that skip, and loaders


def loader_of(sampler, size=16, **options):
    dataset = TensorDataset(torch.arange(len(sampler.tree)))
    if sampler.batch_size:
        return DataLoader(dataset, batch_sampler=sampler, **options)
    return DataLoader(dataset, batch_size=size, sampler=sampler, **options)


LOADERS = [
    {},
    {"drop_last": True},
    {"num_workers": 2},
    {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 3},
]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("batch_size", [None, 16])
@pytest.mark.parametrize("options", LOADERS, ids=lambda options: "-".join(options) or "plain")
def test_skipped_batches_send_no_weight_astray(options, batch_size):
    m = 200
    sampler = FocusedSampler(m, n_draws=1000, batch_size=batch_size, random_state=0)
    assert isinstance(sampler, Sampler) and len(sampler) == (63 if batch_size else 1000)
    if batch_size:  # torch leaves that to a batch sampler
        options = {name: each for name, each in options.items() if name != "drop_last"}
    loader, step, told = loader_of(sampler, **options), 0, []
    for _ in range(4):
        for (indices,) in loader:
            step += 1
            if step % 10 == 0 or len(indices) < 8:  # an overflow, and too small a batch
                continue
            if step % 60 == 35:
                break
            sampler.update(indices, indices < 5)
            told += indices.tolist()
    p = weights(sampler)
    assert p[:5].min() > 3 * p[5:].max()
    # None that was never wrong has any weight of its own.
    assert sorted(sampler.tree.state.order[: sampler.tree.n_leaves]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("batch_size", [None, 8])
def test_a_shard_of_every_other_batch(batch_size):
    sampler = FocusedSampler(100, n_draws=800, batch_size=batch_size, random_state=0)
    for batch in itertools.islice(loader_of(sampler, 8), 0, None, 2):
        sampler.update(batch[0], batch[0] < 5)
    leaves = sampler.tree.state.order[: sampler.tree.n_leaves]
    assert set(leaves.tolist()) <= set(range(5)) and len(leaves) > 2


@pytest.mark.parametrize("options", LOADERS[2:], ids=["workers", "persistent"])
def test_workers_hold_batches_and_the_weights_are_still_the_twins(options):
    """A loader that draws p batches ahead is a twin that is told p batches later."""
    m, size = 2000, 8
    ahead = options["num_workers"] * options.get("prefetch_factor", 2)
    sampler = FocusedSampler(m, n_draws=25 * size, batch_size=size, random_state=0)
    twin, rng = Twin(sampler, 0.5, 0.5 / m), np.random.default_rng(0)
    expected = [twin.draw(size) for _ in range(ahead)]
    for k, (indices,) in enumerate(loader_of(sampler, **options)):
        if len(expected) < 25:  # the loader draws one more before it hands this one out
            expected.append(twin.draw(size))
        assert indices.tolist() == expected[k]
        losses = rng.random(size)
        if k % 4 != 2:
            sampler.update(indices, torch.as_tensor(losses))
            twin.tell(k, losses)
    twin.draw(1)
    np.testing.assert_array_equal(weights(sampler), twin.tree.probabilities())


@pytest.mark.parametrize("batch_size", [None, 4])
def test_break_and_entry_again(batch_size):
    sampler = FocusedSampler(1000, n_draws=40, batch_size=batch_size, random_state=0)
    loader, seen = loader_of(sampler, 4), []
    for _ in range(3):
        for k, (indices,) in enumerate(loader):
            seen.append(indices.tolist())
            sampler.update(indices, torch.ones(len(indices)))
            if k == 2:
                break
    assert len(seen) == 9 and len({tuple(batch) for batch in seen}) == 9
    assert len(list(loader)) == 10
    assert sampler.state_dict()["epoch"] == 3


def test_an_iterator_that_was_left_goes_on_beside_the_next():
    sampler = FocusedSampler(1000, batch_size=5, random_state=0)
    left = iter(sampler)
    first = next(left)
    current = iter(sampler)
    second, third = next(current), next(left)
    for batch in (third, first, second):
        sampler.update(batch, np.ones(5))
    assert sampler.tree.n_leaves == len({*first, *second, *third})
    with pytest.raises(ValueError, match="each of its draws has had its loss"):
        sampler.update(third, np.ones(5))


# What cannot be matched


def test_an_index_that_was_not_drawn_is_an_error_and_nothing_changes():
    sampler = FocusedSampler(1000, batch_size=4, random_state=0)
    batch = next(iter(sampler))
    other = next(i for i in range(1000) if i not in batch)
    with pytest.raises(ValueError, match=rf"wait for a loss, got {other}: it was not drawn"):
        sampler.update([*batch[:3], other], np.ones(4))
    assert sampler.tree.n_leaves == 0
    sampler.update(batch, np.ones(4))  # all four still wait


def test_an_index_that_is_drawn_next_but_did_not_come_out_is_unknown():
    sampler = FocusedSampler(3, random_state=0)
    i = next(iter(sampler))
    for other in {0, 1, 2} - {i}:
        with pytest.raises(ValueError, match="was not drawn"):
            sampler.update(other, 1.0)


def test_an_example_that_was_drawn_twice_has_two_losses_and_no_third():
    sampler, once = (FocusedSampler(2, n_draws=5, eta=0.1, batch_size=5, random_state=0) for _ in range(2))
    [batch], _ = list(sampler), list(once)
    n = batch.count(0)
    assert n > 1
    for _ in range(n):
        sampler.update(0, 1.0)
    once.update(np.zeros(n, dtype=int), np.ones(n))
    np.testing.assert_allclose(weights(sampler), weights(once), rtol=1e-12)
    assert weights(sampler)[0] == pytest.approx(1.0 / (1.0 + np.exp(-0.2 * n)))
    with pytest.raises(ValueError, match=r"got 0: .* has had its loss"):
        sampler.update([0], [1.0])


def test_late_losses_count_with_the_probability_of_their_draw():
    sampler = FocusedSampler(1000, n_draws=40, eta=0.001, batch_size=4, random_state=0)
    late = next(iter(sampler))
    told_all(sampler, [])
    told_all(sampler, [])
    sampler.update(late, np.ones(4))
    assert sampler.tree.n_leaves == len(set(late))
    assert weights(sampler)[late[0]] / weights(sampler)[late[0] - 1] == pytest.approx(np.e)


def test_two_batches_told_of_at_once_and_halves_of_a_batch():
    one, other = (FocusedSampler(1000, n_draws=24, batch_size=4, random_state=0) for _ in range(2))
    for first, second in zip(*[iter(one)] * 2):
        one.update([*second, *first], np.ones(8))
    for first, second in zip(*[iter(other)] * 2):
        for part in (first[2:], second[:3], first[:2], second[3:]):
            other.update(part, np.ones(len(part)))
    assert same(one, other) and one.tree.n_leaves > 12


def test_more_losses_than_draws_over_several_batches():
    sampler = FocusedSampler(2, n_draws=9, batch_size=3, random_state=0)
    drawn = list(itertools.chain(*sampler))
    with pytest.raises(ValueError, match=r"got 0: .* has had its loss"):
        sampler.update(np.zeros(drawn.count(0) + 1, dtype=int), np.ones(drawn.count(0) + 1))
    sampler.update(np.zeros(drawn.count(0), dtype=int), np.ones(drawn.count(0)))
    sampler.update(np.ones(drawn.count(1), dtype=int), np.ones(drawn.count(1)))
    assert not list(sampler._waiting)


def test_draws_that_are_never_told_of_are_forgotten_some_time(monkeypatch):
    monkeypatch.setattr(waiting, "KEPT", 40)
    sampler = FocusedSampler(10_000, n_draws=400, batch_size=4, random_state=0)
    drawn = list(sampler)
    assert sum(len(block) for block in sampler._waiting) == 40
    sampler.update(drawn[-10], np.ones(4))
    with pytest.raises(ValueError, match="wait for a loss"):
        sampler.update(drawn[0], np.ones(4))
    sampler = FocusedSampler(10_000, n_draws=400, batch_size=100, random_state=0)
    for batch in sampler:  # at least the last batch can be told of
        sampler.update(batch, np.ones(100))


@pytest.mark.parametrize(
    ("indices", "losses", "says"),
    [
        ([0, 1], [0.0, 2.0], r"losses must be in \[0, 1\], got 2.0 for index 1"),
        ([0], [np.nan], r"losses must be in \[0, 1\], got nan for index 0; to skip a step"),
        ([0, 1], [0.0], r"indices and losses must have one shape, \(k,\), got \(2,\) and \(1,\)"),
        ([[0, 1]], [[0.0, 1.0]], r"must have one shape, \(k,\), got \(1, 2\)"),
        ([3], [0.0], r"indices must be in \[0, 3\), got 3"),
        ([-1], [0.0], r"indices must be in \[0, 3\), got -1"),
        ([0.0], [0.0], "indices must be integers, got dtype float64"),
        ([0], ["a"], "losses must be numbers in"),
        ([0, [1]], [0.0, 1.0], "indices must be numbers, of shape"),
    ],
)
def test_updates_that_cannot_be(indices, losses, says):
    sampler = FocusedSampler(3, n_draws=30, batch_size=30, random_state=0)
    list(sampler)
    with pytest.raises(ValueError, match=says):
        sampler.update(indices, losses)
    assert sampler.tree.n_leaves == 0
    assert sum(block.n_waiting for block in sampler._waiting) == 30
    sampler.update([], [])


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "float16"])
def test_tensors_of_any_type(dtype):
    sampler, plain = (FocusedSampler(100, batch_size=3, random_state=0) for _ in range(2))
    [batch], _ = itertools.islice(sampler, 1), next(iter(plain))
    losses = torch.tensor([1, 0, 1]).to(getattr(torch, dtype))
    sampler.update(torch.tensor(batch, dtype=torch.int32), losses)
    plain.update(batch, [1.0, 0.0, 1.0])
    assert same(sampler, plain)


@pytest.mark.parametrize(
    "wrong",
    [
        {"eta": 0},
        {"uniform_share": 1.1},
        {"n_draws": 0},
        {"m": 0},
        {"random_state": "x"},
        {"batch_size": 0},
        {"num_replicas": 0},
        {"rank": 1},
        {"rank": 2, "num_replicas": 2},
    ],
)
def test_parameters_of_a_sampler(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        FocusedSampler(**{"m": 3} | wrong)


def test_several_processes_must_be_started():
    sampler = FocusedSampler(30, num_replicas=2, rank=0)
    assert len(sampler) == 15
    with pytest.raises(ValueError, match=r"call torch\.distributed\.init_process_group"):
        next(iter(sampler))


def test_a_sampler_takes_a_random_state_of_numpy():
    one, other = (list(FocusedSampler(50, random_state=np.random.RandomState(0))) for _ in range(2))
    assert one == other


# States and epochs


def test_a_copy_draws_the_same():
    sampler = FocusedSampler(100, n_draws=60, batch_size=6, random_state=0)
    told_all(sampler, range(50))
    copies = [copy.deepcopy(sampler), pickle.loads(pickle.dumps(sampler))]
    told_all(sampler, range(50))
    for each in copies:
        told_all(each, range(50))
        assert same(each, sampler)


def test_asking_for_an_iterator_begins_no_epoch():
    sampler, plain = (FocusedSampler(1000, n_draws=20, random_state=0) for _ in range(2))
    iter(sampler), iter(sampler)
    assert list(sampler) == list(plain) and sampler.state_dict()["epoch"] == 0


def through_a_file(state, tmp_path):
    torch.save(state, tmp_path / "state.pt")
    return torch.load(tmp_path / "state.pt")


def steps(sampler, loader, n_epochs):
    """A loop that skips some steps; yield its batches."""
    for _ in range(n_epochs):
        for (indices,) in loader:
            seen = indices.tolist()
            if sum(seen) % 5:
                sampler.update(indices, indices % 7 == 0)
            yield seen


@pytest.mark.drawn(3)
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("batch_size", [None, 8])
@pytest.mark.parametrize("stop", [1, 9, 19, 20, 33])
def test_a_resumed_run_is_the_uninterrupted_one(stop, batch_size, workers, tmp_path):
    def fresh(seed):
        sampler = FocusedSampler(300, n_draws=150, batch_size=batch_size, random_state=seed)
        return sampler, loader_of(sampler, 8, num_workers=workers)

    whole, loader = fresh(0)
    expected = []
    for batch in steps(whole, loader, 3):
        expected.append(batch)
        if len(expected) == stop:
            state = through_a_file(whole.state_dict(), tmp_path)
    assert len(expected) == 57

    resumed, loader = fresh(1)
    resumed.load_state_dict(state)
    again = resumed.state_dict()
    assert again.keys() == state.keys()
    for name in state:
        assert torch.equal(torch.as_tensor(again[name]), torch.as_tensor(state[name])), name
    for _ in range(2):  # loading twice is as loading once
        resumed.load_state_dict(state)
    rest = list(steps(resumed, loader, 3 - stop // 19))
    assert rest == expected[stop:]
    assert same(resumed, whole)


def test_a_loop_that_tells_nothing_is_resumed_too():
    for batch_size, at in ((5, 4), (None, 23)):
        sampler, resumed = (
            FocusedSampler(300, batch_size=batch_size, random_state=seed) for seed in (0, None)
        )
        batches = iter(sampler)
        for _ in range(at):
            next(batches)
        resumed.load_state_dict(sampler.state_dict())
        assert list(resumed) == list(batches)
        assert list(resumed) == list(sampler)


def test_a_state_shares_no_memory():
    sampler = FocusedSampler(100, batch_size=10, random_state=0)
    batches = iter(sampler)
    sampler.update(next(batches), np.ones(10))
    held = next(batches)
    state = sampler.state_dict()
    before = {name: torch.as_tensor(each).clone() for name, each in state.items()}
    other = FocusedSampler(100, batch_size=10)
    other.load_state_dict(state)
    for each in (sampler, other):
        each.update(held, np.ones(10))
        told_all(each, range(100))
    assert all(torch.equal(before[name], torch.as_tensor(state[name])) for name in state)


def test_a_loaded_sampler_takes_losses_of_batches_that_were_out():
    sampler = FocusedSampler(1000, n_draws=50, batch_size=5, random_state=0)
    batches = iter(sampler)
    batch = [next(batches) for _ in range(3)][1]
    other = FocusedSampler(1000, n_draws=50, batch_size=5)
    other.load_state_dict(sampler.state_dict())
    for each in (sampler, other):
        each.update(batch, np.ones(5))
    assert same(sampler, other) and sampler.tree.n_leaves == 5


@pytest.mark.parametrize("change", ["m", "n_draws", "eta", "uniform_share", "batch_size", "rank"])
def test_a_state_of_another_sampler(change):
    sampler = FocusedSampler(100, batch_size=5, random_state=0)
    other = {"m": 100, "batch_size": 5} | {change: 1 if change == "rank" else 0.75}
    if change in ("m", "n_draws", "batch_size"):
        other[change] = 7
    if change == "rank":
        other["num_replicas"] = 2
    with pytest.raises(
        ValueError, match=rf"state must be of a sampler with {'num_' if change == 'rank' else change}"
    ):
        FocusedSampler(**other).load_state_dict(sampler.state_dict())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("version", 7),
        ("epoch", -1),
        ("drawn", 1000),
        ("held", 2000),
        ("seed", 0.5),
        ("leaves", torch.tensor([3, 3])),
        ("leaves", torch.tensor([3, 100])),
        ("logs", torch.tensor([np.nan] * 5, dtype=torch.float64)),
        ("logs", torch.zeros(3, dtype=torch.float64)),
        ("scales", torch.zeros(3, dtype=torch.float64)),
        ("blocks", torch.zeros(1, 3, dtype=torch.int64)),
        ("drawn_indices", torch.full((5,), 100)),
        ("drawn_p", torch.zeros(5, dtype=torch.float64)),
        ("drawn_waits", torch.ones(5)),
        ("updates", torch.full((1, 4), np.inf, dtype=torch.float64)),
        ("updates", "nothing"),
        ("leaves", None),
    ],
)
def test_a_damaged_state_changes_nothing(name, value):
    sampler = FocusedSampler(100, batch_size=5, random_state=0)
    batches = iter(sampler)
    sampler.update(next(batches), np.ones(5))
    next(batches)
    state = sampler.state_dict()
    other = FocusedSampler(100, batch_size=5, random_state=1)
    before = other.state_dict()
    with pytest.raises(ValueError, match="state"):
        other.load_state_dict(state | {name: value})
    with pytest.raises(ValueError, match="state"):
        other.load_state_dict({each: state[each] for each in state if each != name})
    with pytest.raises(ValueError, match="state must be the dict"):
        other.load_state_dict(None)
    after = other.state_dict()
    assert all(torch.equal(torch.as_tensor(before[n]), torch.as_tensor(after[n])) for n in before)


def test_epochs_differ_and_a_number_gives_the_same_draws_again():
    sampler, plain = (FocusedSampler(1000, n_draws=20, random_state=0) for _ in range(2))
    drawn = []
    for epoch in (0, 1, 5, 1, 1):
        sampler.set_epoch(epoch)
        drawn.append(list(sampler))
    assert drawn[1] == drawn[3] == drawn[4]
    assert len({tuple(each) for each in drawn}) == 3
    assert [list(plain), list(plain)] == drawn[:2]
    assert list(FocusedSampler(1000, n_draws=20, random_state=1)) != drawn[0]


def test_the_same_epoch_is_not_begun_anew():
    sampler = FocusedSampler(1000, n_draws=40, batch_size=4, random_state=0)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        sampler.set_epoch(epoch)
        batches = iter(sampler)
        for _ in range(4):
            sampler.update(next(batches), np.ones(4))
    sampler.set_epoch(1)  # it runs
    state = sampler.state_dict()
    rest = list(batches)
    assert len(rest) == 6
    for call in (lambda s: None, lambda s: s.set_epoch(1)):
        resumed = FocusedSampler(1000, n_draws=40, batch_size=4)
        resumed.load_state_dict(state)
        call(resumed)
        assert list(resumed) == rest
    resumed.load_state_dict(state)
    resumed.set_epoch(2)
    assert len(list(resumed)) == 10 and resumed.state_dict()["epoch"] == 2


def test_a_state_of_an_epochs_end():
    sampler, resumed = (FocusedSampler(1000, n_draws=20, batch_size=4, random_state=0) for _ in range(2))
    told_all(sampler, range(1000))
    state = sampler.state_dict()
    following = list(sampler)
    resumed.load_state_dict(state)
    assert list(resumed) == following  # no epoch without a batch
    resumed.load_state_dict(state)
    resumed.set_epoch(0)  # but nothing is left of the one that was asked for
    assert list(resumed) == [] and list(resumed) == following
    sampler.set_epoch(9)
    assert sampler.state_dict()["epoch"] == 9


@pytest.mark.parametrize("epoch", [-1, 2**32, 0.5, None])
def test_epochs_that_cannot_be(epoch):
    with pytest.raises(ValueError, match="epoch must be an integer >= 0"):
        FocusedSampler(3).set_epoch(epoch)
