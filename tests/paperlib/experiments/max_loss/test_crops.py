"""Real crops, varied, and the races on them; at the paper's size by PyTorch, here small."""

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments import datasets
from paperlib.experiments.max_loss import crops, papers_size, section_5_crops
from paperlib.experiments.max_loss.network import activations as activations_of
from paperlib.experiments.max_loss.network import images_for, initial_weights


@pytest.fixture
def made_up_crops(monkeypatch):
    """Crops that show a bright square, or none, each with its number in one pixel; the last comes twice."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(400) % 8 == 0, 1, -1)
    X = rng.integers(0, 80, size=(400, 19, 19)).astype(np.uint8)
    X[y > 0, 5:14, 5:14] += 150
    X[-1] = X[-2]
    y[-1] = y[-2]
    data = datasets.Dataset("cbcl_faces", X.reshape(400, -1), y, "made up", "")
    monkeypatch.setattr(crops, "load_crops", lambda: data)
    return data


def test_one_image_in_ten_is_a_face_and_no_source_is_in_both_parts(made_up_crops):
    task = crops.crop_task(900, random_state=1)
    assert task.X.shape == (900, 28, 28) and task.X.dtype == np.float32 and len(task.y_test) == 100
    assert task.y.sum() == 90 and task.y_test.sum() == 10
    assert task.X.min() >= 0.0 and task.X.max() <= 1.0
    # Bright squares in the middle are the faces.
    middle = task.X[:, 10:18, 10:18].mean(axis=(1, 2))
    assert middle[task.y == 1].min() > middle[task.y == 0].max()
    again = crops.crop_task(900, random_state=1)
    assert np.array_equal(task.X, again.X) and np.array_equal(task.source, again.source)
    assert len(np.unique(task.source)) > 200 and task.source.max() < 399


def test_what_is_not_moved_is_only_enlarged(monkeypatch):
    for name, value in (
        ("SHIFT", 0.0),
        ("TURN", 0.0),
        ("SCALE", (1.0, 1.0)),
        ("GAIN", (1.0, 1.0)),
        ("OFFSET", 0.0),
    ):
        monkeypatch.setattr(crops, name, value)
    ramp = np.tile(np.arange(0, 190, 10, dtype=np.uint8), (19, 1))[None]
    shown = crops.varied(ramp, np.zeros(30, dtype=int), np.random.default_rng(0))
    steps = (np.arange(28) - 13.5) * 19 / 28 + 9
    expected = np.clip(steps, 0, 18) * 10 / 255
    mirrored = shown[:, 0, 0] > shown[:, 0, -1]
    assert mirrored.any() and not mirrored.all()
    assert np.allclose(shown[~mirrored], expected, atol=1e-6)
    assert np.allclose(shown[mirrored], expected[::-1], atol=1e-6)


def test_what_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PAPERLIB_DATA", str(tmp_path))
    with pytest.raises(datasets.DataUnavailableError, match="cbcl_faces"):
        crops.load_crops()


def test_races_on_crops(made_up_crops):
    found = section_5_crops.crop_races([(0.03, 180)], 2, 2, 3, seed=0)
    assert found.groupby(["run", "rule"]).method.apply(list).map(len).tolist() == [3, 2, 3, 2]
    assert (found.epochs <= 3).all() and (found.m <= 180).all() and found.test_end.between(0, 1).all()
    alone = section_5_crops.crop_races([(0.03, 180)], 1, 2, 3, seed=0)
    pd.testing.assert_frame_equal(alone, found[found.run == 0].reset_index(drop=True))


def test_the_module_is_the_papers_network():
    torch = pytest.importorskip("torch")
    X = np.random.default_rng(0).random((5, 28, 28)).astype(np.float32)
    weights = initial_weights(0.1, 3, seed=4)
    expected = activations_of(weights, images_for(weights, X)).scores.T
    centred = ((torch.as_tensor(X) - 0.5) * 4)[:, None].expand(-1, 3, -1, -1)
    found = papers_size.network(0.1, 4)(centred).detach().numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert sum(p.numel() for p in papers_size.network(1.0, 0).parameters()) == 710_642


def test_the_samplers_law_is_that_of_the_librarys():
    torch = pytest.importorskip("torch")
    from paperlib.max_loss import FocusedSampler

    m, rng = 40, np.random.default_rng(0)
    ours = papers_size.DeviceSampler(m, 0.5, torch.Generator().manual_seed(0))
    theirs = FocusedSampler(m, batch_size=16, random_state=0)
    batches = iter(theirs)
    for batch, _ in zip(batches, range(2)):
        losses = (rng.random(len(batch)) < 0.4).astype(float)
        indices = torch.as_tensor(batch)
        p = 0.5 / m + 0.5 * torch.softmax(ours.logs, 0)[indices]
        ours.update(indices, p, torch.as_tensor(losses))
        theirs.update(batch, losses)
    q = theirs.tree.probabilities()
    np.testing.assert_allclose(torch.softmax(ours.logs, 0).numpy(), q, rtol=1e-9)
    drawn, p = ours.draw(200_000)
    expected = 0.5 / m + 0.5 * q
    np.testing.assert_allclose(p.numpy(), expected[drawn.numpy()], rtol=1e-9)
    counts = np.bincount(drawn.numpy(), minlength=m)
    assert abs((counts - 200_000 * expected) / np.sqrt(200_000 * expected)).max() < 5


@pytest.mark.slow
def test_a_try_on_a_cpu(made_up_crops, tmp_path, capsys):
    pytest.importorskip("torch")
    out = tmp_path / "size.csv"
    sizes = [
        "--crops",
        "180",
        "--width",
        "0.05",
        "--seeds",
        "1",
        "--epochs",
        "4",
        "--vanilla",
        "2",
        "--device",
        "cpu",
    ]
    with pytest.raises(ValueError, match="after 2 epochs of plain SGD"):
        papers_size.main([str(out), *sizes])
    sizes[sizes.index("--vanilla") + 1] = "120"
    assert papers_size.main([str(out), *sizes]) == 0
    found = pd.read_csv(out)
    assert found.columns[0] == "epoch"
    assert set(found.method) == {"FOL", "SGD", "AdaBoost"} and set(found.device) == {"CPU"}
    assert (found.epoch[found.method == "AdaBoost"] % 2 == 0).all() and found.epoch.max() == 4
    assert "AdaBoost" in capsys.readouterr().out
