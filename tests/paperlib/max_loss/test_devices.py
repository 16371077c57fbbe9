"""What needs PyTorch, on each device that the machine has: examples, losses and modules may be on a GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from paperlib.max_loss import FocusedSampler, focused_online_learning  # noqa: E402
from tests.paperlib.max_loss.test_torch import linear, plane  # noqa: E402

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.mark.parametrize("of_module", DEVICES)
@pytest.mark.parametrize("of_examples", DEVICES)
def test_a_learner_moves_batches_to_its_module(of_module, of_examples):
    X, y = plane()
    learner, twin = linear(X.to(of_examples), y.to(of_examples)), linear(X, y)
    learner.module.to(of_module)
    before = learner.snapshot()
    for indices in (np.arange(200), np.array([3, 3, 7]), 5):
        assert np.array_equal(learner.step(indices), twin.step(indices))
    assert torch.allclose(learner.module.weight.cpu(), twin.module.weight, atol=1e-5)
    assert learner.errors() == twin.errors() == learner.errors(X.to(of_examples), y.to(of_examples))
    assert learner.loss(11) == twin.loss(11)
    assert np.array_equal(learner.predict(X.to(of_examples)), twin.predict(X))
    run = focused_online_learning(learner, 200, 100, batch_size=20, random_state=0)
    assert isinstance(run.losses, np.ndarray) and learner.errors() < 5
    learner.restore(before)
    assert next(learner.module.parameters()).device.type == of_module
    assert torch.equal(learner.module.weight.cpu(), linear(X, y).module.weight)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_loop_in_mixed_precision(device, workers):
    X, y = plane()
    learner, told = linear(X, y), []
    module, optimizer = learner.module.to(device), learner.optimizer
    scaler = torch.amp.GradScaler(device)
    sampler, twin = (FocusedSampler(200, eta=0.1, batch_size=20, random_state=0) for _ in range(2))
    options = {"num_workers": workers, "pin_memory": device == "cuda", "persistent_workers": workers > 0}
    loader = DataLoader(TensorDataset(torch.arange(200), X, y), batch_sampler=sampler, **options)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for indices, inputs, labels in loader:
            indices, inputs, labels = (
                each.to(device, non_blocking=True) for each in (indices, inputs, labels)
            )
            with torch.autocast(device, dtype=torch.bfloat16):
                scores = module(inputs)
                loss = torch.nn.functional.cross_entropy(scores, labels)
            losses = torch.softmax(scores, 1)[torch.arange(20), 1 - labels]  # half a float each
            assert losses.dtype == torch.bfloat16 and losses.device.type == device
            sampler.update(indices, losses)
            told.append((indices.tolist(), losses.double().tolist()))
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    # A loop that is told the same on the CPU is at the same weights.
    if workers == 0:
        for epoch in range(5):
            twin.set_epoch(epoch)
            for k, indices in enumerate(twin):
                assert indices == told[10 * epoch + k][0]
                twin.update(*told[10 * epoch + k])
        assert [twin.tree.value(i) for i in range(200)] == [sampler.tree.value(i) for i in range(200)]
    wrong = (module(X.to(device)).argmax(dim=1) != y.to(device)).sum()
    assert wrong < 5 and sampler.tree.total > 200 * 1.01
