"""One of two processes that train together, on this machine: `python two_processes.py RANK FOLDER`.

Each case returns what it found, which is written to FOLDER as JSON. `test_sampler_processes.py` starts both.
"""

import hashlib
import itertools
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

M, SIZE = 400, 16


def loss_of(i, step):
    """Some loss that only depends on what and when, as it does where all models are equal."""
    return float((i * 7 + step) % 5) / 4.0 if i % 3 == 0 else 0.0


def skips(rank, step):
    """Whether this rank skips this step; not both skip the same ones."""
    return (step + 3 * rank) % 7 == 0


def digest(sampler):
    """Hash of all that a sampler draws from."""
    found = hashlib.sha256()
    for array in sampler._tree.state:
        found.update(array.tobytes())
    return found.hexdigest()


def play(sampler, batches, rank, start=0):
    """Tell of the losses of each batch that is not skipped; return the batches."""
    drawn = []
    for step, batch in enumerate(batches, start):
        drawn.append(batch)
        if not skips(rank, step):
            sampler.update(batch[::-1], [loss_of(i, step) for i in batch[::-1]])
    return drawn


def sampler_of(**options):
    from paperlib.max_loss import FocusedSampler

    return FocusedSampler(M, **{"n_draws": 30 * SIZE, "batch_size": SIZE, "random_state": 0} | options)


def trained(rank):
    """Two epochs; the second process has a random_state of its own, which does not count."""
    sampler = sampler_of(random_state=rank)
    drawn = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        drawn.append(play(sampler, sampler, rank))
    return {
        "place": [sampler.rank, sampler.num_replicas, len(sampler)],
        "drawn": drawn,
        "weights": digest(sampler),
    }


def resumed(rank):
    """The same, stopped in the middle of the first epoch, after a batch that one of both has skipped."""
    import torch

    whole = sampler_of()
    batches = iter(whole)
    start = 8
    play(whole, itertools.islice(batches, start), rank)
    torch.save(whole.state_dict(), f"state-{rank}.pt")
    expected = play(whole, batches, rank, start)
    again = sampler_of(random_state=5)
    again.load_state_dict(torch.load(f"state-{rank}.pt"))
    again.set_epoch(0)
    return {
        "same draws": play(again, again, rank, start) == expected,
        "same weights": digest(again) == digest(whole),
        "batches": len(expected),
    }


def prefetched(rank):
    """Workers of a loader draw ahead, one index after another; each process skips other steps."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    sampler = sampler_of(batch_size=None)
    loader = DataLoader(
        TensorDataset(torch.arange(M)), batch_size=SIZE, sampler=sampler, num_workers=2, drop_last=True
    )
    for _ in range(2):
        drawn = play(sampler, (batch.tolist() for (batch,) in loader), rank)
    left = sampler.state_dict()["updates"].shape[0]
    next(iter(sampler))
    return {"batches": len(drawn), "weights": digest(sampler), "leaves": sampler.tree.n_leaves, "left": left}


def message(call):
    try:
        call()
    except ValueError as error:
        return str(error)
    return "no error"


def disagree(rank):
    """What each is told where the two do not fit; neither hangs."""
    found = {"eta": message(lambda: list(sampler_of(eta=0.1 * (rank + 1))))}
    sampler = sampler_of()
    sampler.set_epoch(rank)
    found["epoch"] = message(lambda: list(sampler))
    found["rank"] = message(lambda: sampler.load_state_dict(sampler.state_dict() | {"rank": 1 - rank}))
    found["replicas"] = message(lambda: sampler_of(num_replicas=3, rank=0))
    return found


def left(rank):
    """One process leaves the loop and enters it again, the other goes on in it."""
    sampler = sampler_of()
    batches = iter(sampler)
    for _ in range(5):
        next(batches)
    return {"says": message(lambda: list(sampler if rank else batches))}


def weights_differ(rank):
    sampler = sampler_of()
    if rank:
        sampler.tree.update(0, 2.0)
    return {"says": message(lambda: list(sampler))}


def alone(rank):
    """One process of its own, among the two."""
    sampler = sampler_of(num_replicas=1)
    return {"drawn": list(sampler), "length": len(sampler)}


CASES = (trained, resumed, prefetched, disagree, left, weights_differ, alone)


def main():
    rank, folder = int(sys.argv[1]), Path(sys.argv[2])
    os.chdir(folder)
    import torch

    torch.set_num_threads(1)
    early = sampler_of()
    torch.distributed.init_process_group(
        "gloo", f"file://{folder}/meeting", world_size=2, rank=rank, timeout=timedelta(seconds=60)
    )
    found = {"early": {"says": message(lambda: list(early))}}
    for case in CASES:
        found[case.__name__] = case(rank)
    Path(f"found-{rank}.json").write_text(json.dumps(found))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
