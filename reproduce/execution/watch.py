"""What the cells of a notebook change, for later runs that leave some of them out.

Objects are compared by what they pickle to, so a generator that was drawn from and a list that has grown are
seen. A dict with names for keys, such as one random stream an experiment, is watched entry by entry.
"""

import hashlib
import json
import pickle
import types

# They are what their text says, and a fault's edit is looked for there.
_FIXED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
# Every cell adds to it, and no cell reads what another has added.
_RECORDER = "paperlib.experiments.recording"


class Watch:
    """Compare a namespace with what it was at the last call.

    Examples
    --------
    >>> watch = Watch()
    >>> watch.written({"a": 1, "d": {"x": 2, "y": 3}})
    [['a', None], ['d', 'x'], ['d', 'y'], ['d', None]]
    >>> watch.written({"a": 1, "d": {"x": 2, "y": 4}})
    [['d', 'y']]
    """

    def __init__(self):
        self._before = {}

    def written(self, namespace):
        """Return `[name, key or None]` of what is new or other; what cannot be compared is always other."""
        now = {item: _digest(value) for item, value in _items(namespace)}
        changed = [item for item, digest in now.items() if digest is None or self._before.get(item) != digest]
        self._before = now
        return sorted(map(list, changed), key=str)


def measured(path):
    """Return the claims in results.json, in order, and none where there is no such file yet."""
    try:
        return [row["claim"] for row in json.loads(path.read_text())["measures"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _items(namespace):
    for name, value in namespace.items():
        if name.startswith("__"):
            continue
        if isinstance(value, dict) and all(isinstance(each, str) for each in value):
            yield (name, None), tuple(value)
            for each, part in value.items():
                yield (name, each), part
        else:
            yield (name, None), value


def _digest(value):
    if isinstance(value, _FIXED) or type(value).__module__ == _RECORDER:
        return str(id(value))
    try:
        return hashlib.blake2b(pickle.dumps(value, protocol=5), digest_size=16).hexdigest()
    except Exception:  # whatever pickling an object runs into
        return None
