"""What needs PyTorch; without it only the first test runs."""

import numpy as np
import pytest

from paperlib import max_loss
from paperlib.max_loss import focused_online_learning
from tests.programs import printed

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


@pytest.mark.slow
def test_without_torch_all_but_what_needs_it_is_there():
    printed("-c", WITHOUT)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'FocusedSamplers'"):
        _ = max_loss.FocusedSamplers


torch = pytest.importorskip("torch")

from paperlib.max_loss import TorchLearner  # noqa: E402
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
    with torch.no_grad():  # a signal that ends another's `no_grad` half-way leaves gradients off
        learner.step(np.array([1, 1, 4]))
    assert torch.allclose(learner.module.weight, expected)


def test_predictions_leave_a_module_as_it_was():
    X, y = plane()
    module = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5), torch.nn.Linear(2, 2))
    learner = TorchLearner(module, X, y)
    learner.step(np.arange(len(X)))
    before = learner.snapshot()
    assert len({learner.errors() for _ in range(5)}) == 1
    assert module.training and all(torch.equal(before[k], v) for k, v in module.state_dict().items())
    module[1].eval()  # a part that its user froze
    learner.predict(X)
    assert not module[1].training


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


@pytest.mark.parametrize("y", [[0.5, 1.0], [-1, 1], ["a", "b"]])
def test_labels_that_are_no_classes(y):
    with pytest.raises(ValueError, match=r"y must hold the classes 0, 1, \.\.\., got"):
        TorchLearner(torch.nn.Linear(2, 2), torch.zeros(2, 2), y)


def test_a_torch_learner_refuses_an_index_out_of_range():
    learner = TorchLearner(torch.nn.Linear(2, 2), torch.zeros(2, 2), [0, 1])
    for call in (learner.step, learner.loss):
        with pytest.raises(IndexError, match=r"i must be in \[0, 2\), got 2"):
            call(2)
