"""How a notebook hands over its results: figures, tables and measured values, in one folder.

The folder's `results.json` lists them; it is rewritten whole after every addition, and holds neither times
nor dates, so the same notebook with the same versions leaves the same bytes.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
from IPython.display import display

from paperlib import plotting
from paperlib._atomic import write_whole

# Processors differ in the last bits of a sum; ten digits are more than any claim is held to.
DIGITS = 10
_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class Recorder:
    """Collect the results of one paper's notebook.

    Parameters
    ----------
    paper : str
        The notebook's name, such as ``"kernel_mean"``.
    out_dir : path or None, default=None
        Where results are written; made if missing. With ``None``, for a reader in JupyterLab, nothing is
        written and everything is only shown.

    Raises
    ------
    ValueError
        For a name that is not made of lower-case letters, digits, ``-``, ``_`` and ``.``, a name or claim
        given twice, or a measured value that is not a number.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> record = Recorder("kernel_mean", folder)
    >>> record.measure("table-1.linear.sigma-0.4", 0.0, stderr=0.0, trials=125)
    >>> json.loads((folder / "results.json").read_text())["measures"][0]["value"]
    0.0
    """

    def __init__(self, paper, out_dir=None):
        self.paper = _checked_name(paper, "paper")
        self.out_dir = None if out_dir is None else Path(out_dir)
        self._results = {"paper": self.paper, "data": [], "figures": [], "tables": [], "measures": []}
        if self.out_dir is not None:
            self.out_dir.mkdir(parents=True, exist_ok=True)
        plotting.use_style()
        self._save()

    def figure(self, name, fig):
        """Write a matplotlib figure as ``name.svg`` and ``name.png``; the notebook itself shows it."""
        self._add("figures", name)
        if self.out_dir is not None:
            plotting.save(fig, self.out_dir / name)
        self._save()

    def table(self, name, frame, *, shown=None):
        """Write a DataFrame as ``name.csv`` and show it.

        `shown` is displayed in its stead, where a reader wants another layout than a program.
        """
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"table {name!r} must be a pandas DataFrame, got {type(frame).__name__}")
        self._add("tables", name)
        if self.out_dir is not None:
            text = frame.to_csv(index=False, lineterminator="\n", float_format=_digits)
            write_whole(self.out_dir / f"{name}.csv", text)
        self._save()
        display(frame if shown is None else shown)

    def measure(self, claim, value, stderr=None, **context):
        """Record what was measured for a claim of the ledger.

        Parameters
        ----------
        claim : str
            The claim's id.
        value : number or bool
        stderr : number, optional
            Standard error of `value`, in its units.
        **context
            What else a reader of the result needs, as JSON values.
        """
        if any(row["claim"] == claim for row in self._results["measures"]):
            raise ValueError(f"claim {claim!r} has been measured already")
        row = {
            "claim": _checked_name(claim, "claim"),
            "value": _checked_number(value, f"value of {claim!r}"),
            "stderr": None if stderr is None else _checked_number(stderr, f"stderr of {claim!r}"),
            "context": {key: _plain(item) for key, item in context.items()},
        }
        if row["stderr"] is not None and row["stderr"] < 0:
            raise ValueError(f"stderr of {claim!r} must be >= 0, got {stderr!r}")
        self._results["measures"].append(row)
        self._save()

    def dataset(self, data):
        """Record that results rest on this `paperlib.datasets.Dataset`, and return it."""
        self._results["data"].append(
            {"name": data.name, "source": data.source, "sha256": data.sha256, "shape": list(data.X.shape)}
        )
        self._save()
        return data

    def _add(self, kind, name):
        _checked_name(name, f"name among the {kind}")
        if name in self._results["figures"] + self._results["tables"]:
            raise ValueError(f"{name!r} has been recorded already")
        self._results[kind].append(name)

    def _save(self):
        if self.out_dir is not None:
            text = json.dumps(self._results, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
            write_whole(self.out_dir / "results.json", text + "\n")


def _checked_name(name, what):
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{what} must be lower-case letters and digits joined by '-', '_' or '.', got {name!r}"
        )
    return name


def _checked_number(value, what):
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        raise ValueError(f"{what} must be a finite number, got {value!r}")
    return _plain(value)


def _plain(item):
    """As JSON has it, floats rounded to `DIGITS` significant digits."""
    if isinstance(item, np.ndarray | np.generic):
        item = item.tolist()
    if isinstance(item, list | tuple):
        return [_plain(part) for part in item]
    if isinstance(item, dict):
        return {str(key): _plain(part) for key, part in item.items()}
    return float(_digits(item)) if isinstance(item, float) else item


def _digits(number):
    # Adding zero turns -0.0, a matter of rounding, into 0.0.
    return format(number + 0.0, f".{DIGITS}g")
