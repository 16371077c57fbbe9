"""Samplers of two processes, over gloo on this machine's own network."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch.distributed")

from tests.paperlib.max_loss.two_processes import SIZE, M, digest, loss_of, skips

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What both processes found, by rank."""
    folder = tmp_path_factory.mktemp("processes")
    env = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "two_processes.py")]
    running = [
        subprocess.Popen(
            [*command, str(rank), str(folder)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        said = [each.communicate(timeout=300)[0] for each in running]
    finally:
        for each in running:
            each.kill()
    assert [each.returncode for each in running] == [0, 0], "\n".join(said)
    return [json.loads((folder / f"found-{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.slow
def test_two_processes_end_with_the_weights_of_one(found):
    from paperlib.max_loss import FocusedSampler

    both = [each["trained"] for each in found]
    assert [each["place"] for each in both] == [[0, 2, 15], [1, 2, 15]]
    one = FocusedSampler(M, n_draws=30 * SIZE, batch_size=2 * SIZE, random_state=0)
    for epoch in range(2):
        for step, batch in enumerate(one):
            halves = [batch[:SIZE], batch[SIZE:]]
            assert halves == [each["drawn"][epoch][step] for each in both]
            for rank, half in enumerate(halves):
                if not skips(rank, step):
                    one.update(half, [loss_of(i, step) for i in half])
    assert one.tree.n_leaves > 90
    assert both[0]["weights"] == both[1]["weights"] == digest(one)


@pytest.mark.slow
def test_a_resumed_run_is_the_uninterrupted_one(found):
    for each in found:
        assert each["resumed"] == {"same draws": True, "same weights": True, "batches": 7}


@pytest.mark.slow
def test_workers_draw_ahead_and_steps_are_skipped_without_a_deadlock(found):
    first, second = (each["prefetched"] for each in found)
    assert first["batches"] == second["batches"] == 15
    assert first["weights"] == second["weights"] and first["leaves"] > 50
    assert first["left"] > 0  # told after the last draw, and exchanged before the next


def test_processes_that_differ_are_told_so_each_of_them(found):
    first, second = (each["disagree"] for each in found)
    assert first["eta"] == second["eta"] == "all processes must have the same eta, got [0.1, 0.2] by rank"
    assert (
        first["epoch"] == second["epoch"] == "all processes must have the same epoch, got [0.0, 1.0] by rank"
    )
    both = "all processes must have the same epoch, got [0.0, 1.0] by rank"
    assert [each["left"]["says"] for each in found] == [both, both]
    assert "got 1; each process loads the state that it saved" in first["rank"]
    assert first["replicas"].startswith(
        "num_replicas and rank must be those of torch.distributed, 2 and 0, got 3"
    )
    for each in found:
        assert "same sum of weights (has each loaded its state?)" in each["weights_differ"]["says"]


def test_a_sampler_that_was_made_too_early(found):
    for each in found:
        assert each["early"]["says"].startswith(
            "torch.distributed must have its 2 processes before the sampler"
        )


def test_one_process_on_its_own_among_several(found):
    first, second = (each["alone"] for each in found)
    assert first == second and first["length"] == 30
    assert len(np.unique(np.concatenate(first["drawn"]))) > 200
