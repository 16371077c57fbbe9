"""What needs PyTorch; without it only the first test runs."""

import subprocess
import sys

import numpy as np
import pytest

from paperlib import max_loss
from paperlib.max_loss import focused_online_learning

WITHOUT = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NoTorch())
import paperlib.max_loss as max_loss
from paperlib.experiments.max_loss import section_5_networks
try:
    max_loss.FocusedSampler(3)
except ImportError as error:
    assert "needs PyTorch, which is optional: `make setup TORCH=1`" in str(error), error
else:
    raise AssertionError("it needs torch")
"""


def test_without_torch_all_but_what_needs_it_is_there():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'FocusedSamplers'"):
        _ = max_loss.FocusedSamplers


torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Sampler, TensorDataset  # noqa: E402

from paperlib.max_loss import FocusedSampler, TorchLearner  # noqa: E402
from paperlib.max_loss.torch_learner import paper_optimizer  # noqa: E402


def plane(m=200, seed=0):
    X = torch.randn(m, 2, generator=torch.Generator().manual_seed(seed))
    X[:, 0] += 0.2 * X[:, 0].sign()
    return X, (X[:, 0] > 0).long()


def linear(X, y, **more):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = torch.nn.Linear(2, 2)
    return TorchLearner(module, X, y, torch.optim.SGD(module.parameters(), lr=0.5), **more)


def test_a_learner_tells_the_losses_before_its_step():
    X, y = plane()
    learner = linear(X, y)
    wrong = learner.predict(X) != y.numpy()
    indices = np.arange(len(X))
    assert np.array_equal(learner.step(indices), wrong)
    assert not np.array_equal(learner.step(indices), wrong)
    assert learner.loss(3) == learner.step(3)


def test_the_gradient_is_that_of_the_plain_mean():
    X, y = plane(6)
    learner = linear(X, y)
    module = torch.nn.Linear(2, 2)
    module.load_state_dict(learner.snapshot())
    loss = torch.nn.functional.cross_entropy(module(X[[1, 1, 4]]), y[[1, 1, 4]])
    loss.backward()
    expected = module.weight - 0.5 * module.weight.grad
    learner.step(np.array([1, 1, 4]))
    assert torch.allclose(learner.module.weight, expected)


def test_focus_trains_any_module_until_it_is_right():
    X, y = plane()
    learner = linear(X, y)
    run = focused_online_learning(
        learner,
        len(X),
        400,
        batch_size=20,
        n_voters=2,
        callback=lambda t: learner.errors() == 0,
        random_state=0,
    )
    assert learner.errors() == 0 and run.n_iter < 400
    learner.restore(run.iterates[0])
    assert learner.errors() >= 0


def test_labels_of_another_length():
    with pytest.raises(ValueError, match=r"y must hold 6 labels, one for each row of X, got \(5,\)"):
        TorchLearner(torch.nn.Linear(2, 2), plane(6)[0], np.zeros(5))


def test_the_papers_optimizer():
    optimizer, schedule = paper_optimizer(torch.nn.Linear(2, 2))
    [group] = optimizer.param_groups
    assert (group["momentum"], group["nesterov"], group["weight_decay"]) == (0.9, True, 0.0005)
    for _ in range(100):
        optimizer.step()
        schedule.step()
    assert np.isclose(schedule.get_last_lr()[0], 0.01 * (1 + 0.0001 * 100) ** -0.75)


# FocusedSampler


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gets_what_was_drawn_and_losses_find_their_way(workers):
    m = 50
    sampler = FocusedSampler(m, n_draws=120, eta=0.01, random_state=0)
    assert isinstance(sampler, Sampler) and len(sampler) == 120
    loader = DataLoader(TensorDataset(torch.arange(m)), batch_size=16, sampler=sampler, num_workers=workers)
    for _ in range(3):
        for (indices,) in loader:
            sampler.update(indices < 5)  # the first five are always wrong
    p = sampler.tree.probabilities()
    assert p[:5].min() > 3 * p[5:].max()


def test_the_weights_are_those_of_the_probabilities_drawn_with():
    sampler = FocusedSampler(10, eta=0.1, random_state=0)
    drawn = iter(sampler)
    i = next(drawn)
    sampler.update([1.0])
    assert np.isclose(sampler.tree.value(i) / sampler.tree.total, np.e / (np.e + 9))  # exp(0.1 / (1 / 10))
    j = next(drawn)
    before = sampler.tree.probabilities()
    sampler.update(torch.tensor([0.0]))
    assert np.array_equal(sampler.tree.probabilities(), before) and 0 <= j < 10


@pytest.mark.parametrize(
    ("losses", "says"),
    [
        ([0.0, 2.0], r"losses must be in \[0, 1\], got 2.0 for index"),
        ([np.nan], r"losses must be in \[0, 1\], got nan for index"),
        ([0.0] * 4, "at most 3 examples that were drawn"),
        ([[0.0], [0.0]], "got shape"),
    ],
)
def test_losses_that_cannot_be(losses, says):
    sampler = FocusedSampler(10, n_draws=3, random_state=0)
    list(sampler)
    with pytest.raises(ValueError, match=says):
        sampler.update(losses)
    assert sampler.tree.n_leaves == 0
    sampler.update([1.0, 1.0, 1.0])  # all three still wait


@pytest.mark.parametrize(
    "wrong", [{"eta": 0}, {"uniform_share": 1.1}, {"n_draws": 0}, {"m": 0}, {"random_state": "x"}]
)
def test_parameters_of_a_sampler(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        FocusedSampler(**{"m": 3} | wrong)


def test_a_sampler_takes_a_random_state_of_numpy():
    one, same = (list(FocusedSampler(50, random_state=np.random.RandomState(0))) for _ in range(2))
    assert one == same


def test_an_epoch_that_was_left_takes_no_losses_of_the_next():
    sampler = FocusedSampler(10, random_state=0)
    left = iter(sampler)
    next(left)
    current = iter(sampler)
    drawn = [next(current) for _ in range(2)]
    next(left)
    sampler.update([1.0, 1.0])
    assert [i for i in range(10) if sampler.tree.value(i) > 1.0] == sorted(set(drawn))
    assert not sampler._drawn


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16"])
def test_losses_of_any_type(dtype):
    sampler, plain = (FocusedSampler(10, random_state=0) for _ in range(2))
    for each in (sampler, plain):
        draws = iter(each)
        for _ in range(3):
            next(draws)
    sampler.update(torch.tensor([1, 0, 1]).to(getattr(torch, dtype)))
    plain.update([1.0, 0.0, 1.0])
    np.testing.assert_array_equal(sampler.tree.probabilities(), plain.tree.probabilities())


@pytest.mark.parametrize("y", [[0.5, 1.0], [-1, 1], ["a", "b"]])
def test_labels_that_are_no_classes(y):
    with pytest.raises(ValueError, match=r"y must hold the classes 0, 1, \.\.\., got"):
        TorchLearner(torch.nn.Linear(2, 2), torch.zeros(2, 2), y)


def test_a_torch_learner_refuses_an_index_out_of_range():
    learner = TorchLearner(torch.nn.Linear(2, 2), torch.zeros(2, 2), [0, 1])
    for call in (learner.step, learner.loss):
        with pytest.raises(IndexError, match=r"i must be in \[0, 2\), got 2"):
            call(2)
