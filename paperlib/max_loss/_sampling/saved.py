"""The state of a sampler as numbers and tensors, which `torch.load` takes at its safe default."""

from typing import Any, NamedTuple

import numpy as np

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.max_loss._checks.pytorch import pytorch
from paperlib.max_loss._sampling.place import Place
from paperlib.max_loss._sampling.waiting import LEFT, Block, Waiting
from paperlib.max_loss._tree import sumtree
from paperlib.max_loss.sum_tree import SumTree

VERSION = 1
NUMBERS = ("epoch", "drawn", "told", "held")
# Name, type and number of dimensions of each array.
ARRAYS = {
    "leaves": ("i", 1),
    "logs": ("f", 1),
    "scales": ("f", 1),
    "blocks": ("i", 2),
    "drawn_indices": ("i", 1),
    "drawn_p": ("f", 1),
    "drawn_waits": ("b", 1),
    "updates": ("f", 2),
}


class Saved(NamedTuple):
    """What a state holds: the tree, the place, the draws that wait, and updates that the tree has not had."""

    tree: SumTree
    place: Place
    waiting: Waiting
    updates: Floats


def pack(saved: Saved) -> dict[str, Any]:
    """Return a state as a dict of numbers and tensors; it shares no memory with what it was made from."""
    torch = pytorch()
    tree, place = saved.tree.state, saved.place
    n = saved.tree.n_leaves
    blocks = [_handed_out(block, place) for block in saved.waiting if block.n_out]
    waits = [np.ones(len(block), bool) if block.waits is None else block.waits for block in blocks]
    arrays = {
        "leaves": tree.order[:n].astype(np.int64),
        "logs": tree.logs[:n].copy(),
        "scales": tree.scales.copy(),
        "blocks": np.array(
            [(each.epoch, each.position, each.number, len(each)) for each in blocks], dtype=np.int64
        ).reshape(-1, 4),
        "drawn_indices": _joined([block.indices for block in blocks], np.int64),
        "drawn_p": _joined([block.p for block in blocks], np.float64),
        "drawn_waits": _joined(waits, bool),
        "updates": saved.updates.copy(),
    }
    numbers = {name: getattr(place, name) for name in NUMBERS}
    return {"version": VERSION, **numbers, **{name: torch.from_numpy(a) for name, a in arrays.items()}}


def unpack(state: dict[str, Any], m: int) -> Saved:
    """Return what `pack` made `state` of, for a tree of `m` items, else raise ``ValueError``."""
    missing = [name for name in ("version", *NUMBERS, *ARRAYS) if name not in state]
    if missing:
        raise ValueError(f"state must be what state_dict returned, but {missing[0]!r} is missing")
    if state["version"] != VERSION:
        raise ValueError(f"state must be of version {VERSION}, got {state['version']!r}")
    numbers = {name: check_number(state[name], f"state[{name!r}]", low=0, integer=True) for name in NUMBERS}
    arrays = {name: _array(state[name], name, *form) for name, form in ARRAYS.items()}
    _require(arrays, m)
    tree = SumTree(m)
    sumtree.restore(arrays["leaves"], arrays["logs"], arrays["scales"], tree.state)
    waiting, start = Waiting(), 0
    for epoch, position, number, length in arrays["blocks"].tolist():
        own = slice(start, start + length)
        indices, p, waits = (arrays[name][own] for name in ("drawn_indices", "drawn_p", "drawn_waits"))
        waiting.add(Block(epoch, position, number, indices, p, length, waits))
        start += length
    place = Place(**numbers)
    if place.told > place.taken or sum(map(len, waiting.since(place.taken))) != place.held:
        raise ValueError(f"state['held'] must be the number of draws that are saved, got {place.held}")
    return Saved(tree, place, waiting, arrays["updates"])


def _handed_out(block, place):
    """Return a block without draws that nobody has asked for, which will be made again."""
    here = block.epoch == place.epoch and block.position != LEFT
    n = block.n_out
    return Block(
        block.epoch,
        block.position if here else LEFT,
        block.number,
        block.indices[:n],
        block.p[:n],
        n,
        None if block.waits is None else block.waits[:n],
    )


def _joined(arrays, dtype):
    return np.concatenate([np.zeros(0, dtype), *arrays])


def _array(tensor, name, kind, ndim):
    torch = pytorch()
    array = tensor.detach().cpu().numpy().copy() if isinstance(tensor, torch.Tensor) else np.array(tensor)
    if array.dtype.kind != kind or array.ndim != ndim:
        raise ValueError(
            f"state[{name!r}] must be the tensor that state_dict returned, got {array.dtype} of shape "
            f"{array.shape}"
        )
    return array.astype({"i": np.int64, "f": np.float64, "b": bool}[kind], copy=False)


def _require(a, m):
    """Raise ``ValueError`` for arrays that do not fit each other or `m`: kernels do not look."""
    leaves, blocks, indices, updates = a["leaves"], a["blocks"], a["drawn_indices"], a["updates"]
    fitting = {
        "leaves": _within(leaves, m) and len(np.unique(leaves)) == len(leaves),
        "logs": a["logs"].shape == leaves.shape and np.isfinite(a["logs"]).all(),
        "scales": a["scales"].shape == (2,) and np.isfinite(a["scales"]).all(),
        "blocks": blocks.shape[1] == 4 and (blocks[:, 3] > 0).all() and blocks[:, 3].sum() == len(indices),
        "drawn_indices": _within(indices, m),
        "drawn_p": a["drawn_p"].shape == indices.shape and ((a["drawn_p"] > 0) & (a["drawn_p"] <= 1)).all(),
        "drawn_waits": a["drawn_waits"].shape == indices.shape,
        "updates": updates.shape[1] == 4 and np.isfinite(updates).all() and _within(updates[:, 2], m),
    }
    for name, fits in fitting.items():
        if not fits:
            raise ValueError(f"state[{name!r}] must be as state_dict returned it, for {m} examples")


def _within(indices, m):
    return bool(((indices >= 0) & (indices < m)).all())
