"""Recording of a notebook's results: figures, tables and measured values, in one folder.

The file `results.json` lists them. It is rewritten after every addition, and holds no times or dates, so the
same notebook with the same versions writes the same bytes.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import Image, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from paperlib.experiments import plotting
from paperlib.experiments.datasets import Dataset
from paperlib.experiments.files import write_whole
from paperlib.experiments.statistics import to_resolution

# Processors differ in the last bits of a sum, and more where many steps follow each other. So what misses a
# bound by less than half of the seventh digit is recorded as keeping it.
DIGITS = 7
ROUNDING = 1e-12  # of a value: a standard error below it is that of numbers that are all the same
_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class Recorder:
    """Recorder of the results of one paper's notebook.

    Parameters
    ----------
    paper : str
        The notebook's name, such as ``"kernel_mean"``.
    out_dir : path or None, default=None
        Folder that results are written to; made if missing. With ``None``, for a reader in JupyterLab,
        results are only shown, and a cell may be run again.

    Raises
    ------
    ValueError
        For a name that is not made of lower-case letters, digits, ``-``, ``_`` and ``.``, a name or claim
        that has been recorded already, a measured value that is not a finite number, or an `out_dir` that is
        not a folder.
    OSError
        If a result cannot be written; ``results.json`` is then as before.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = Recorder("kernel_mean", folder)
    ...     record.measure("table-1.linear.sigma-0.4", 0.0, stderr=0.0, trials=125)
    ...     json.loads(pathlib.Path(folder, "results.json").read_text())["measures"][0]["value"]
    table-1.linear.sigma-0.4: 0 ± 0
    0.0
    """

    def __init__(self, paper: str, out_dir: str | os.PathLike[str] | None = None) -> None:
        self.paper = _checked_name(paper, "paper")
        self.out_dir = None if out_dir is None else Path(out_dir)
        self._results: dict[str, Any] = {
            "paper": self.paper,
            **{kind: [] for kind in ("data", "figures", "tables", "measures")},
        }
        if self.out_dir is not None:
            if self.out_dir.exists() and not self.out_dir.is_dir():
                raise ValueError(f"out_dir must be a folder, got the file {str(self.out_dir)!r}")
            self.out_dir.mkdir(parents=True, exist_ok=True)
        plotting.use_style()
        self._save()

    def figure(self, name: str, fig: Figure) -> None:
        """Write a matplotlib figure as ``name.svg`` and ``name.png``, and show the PNG.

        Without an ``out_dir``, the notebook itself shows the figure at the end of its cell.
        """
        if not isinstance(fig, Figure):
            raise ValueError(f"figure {name!r} must be a matplotlib Figure, got {type(fig).__name__}")
        self._check_new(name, "figure")
        if self.out_dir is not None:
            plotting.save(fig, self.out_dir / name)
        self._add("figures", name)
        if self.out_dir is not None:
            plt.close(fig)  # else the cell shows it a second time
            display(Image(self.out_dir / f"{name}.png", width=plotting.shown_width(fig)))

    def table(self, name: str, frame: pd.DataFrame, *, shown: Any = None) -> None:
        """Write a DataFrame as ``name.csv`` and show it.

        `shown`, if given, is displayed instead: a layout for readers of what is written for programs.
        """
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"table {name!r} must be a pandas DataFrame, got {type(frame).__name__}")
        if frame.index.names != [None]:
            raise ValueError(
                f"table {name!r} has the index {frame.index.names}, which CSV would lose: reset_index() first"
            )
        self._check_new(name, "table")
        if self.out_dir is not None:
            # to_csv applies float_format to float columns only, not to floats among objects or in the header.
            cells = frame.astype(object).map(_plain).rename(columns=_plain)
            text = cells.to_csv(index=False, lineterminator="\n", float_format=_digits)
            write_whole(self.out_dir / f"{name}.csv", text)
        self._add("tables", name)
        display(frame if shown is None else shown)

    def measure(
        self,
        claim: str,
        value: float,
        stderr: float | None = None,
        *,
        cases: int | None = None,
        dof: float | None = None,
        resolution: float | None = None,
        **context: Any,
    ) -> None:
        """Record what was measured for a claim of the ledger, and print it.

        Parameters
        ----------
        claim : str
            The claim's id in the ledger.
        value : number or bool
            A bool is recorded as 1 or 0.
        stderr : number, optional
            Standard error of `value`, in its units.
        cases : int >= 0, optional
            The number of cases that were tried; with 0 the claim is inconclusive. If none of them fails, the
            share that fails is at most ``3 / cases``, at 95 % confidence.
        dof : number >= 1, optional
            Degrees of freedom of `stderr`, where the runs it comes from are few: their number less one.
        resolution : number > 0, optional
            For a difference that would be zero but for rounding or a solver's tolerance: `value` is recorded
            in whole multiples of it. What is smaller is recorded as 0 and read as "below" it.
        **context
            Further values for a reader of results.json: numbers, text, lists and dicts of these.
        """
        if self.out_dir is not None and any(row["claim"] == claim for row in self._results["measures"]):
            raise ValueError(f"claim {claim!r} has been measured already")
        row = {
            "claim": _checked_name(claim, "claim"),
            "value": _checked_number(value, f"value of {claim!r}"),
            "stderr": None if stderr is None else _checked_number(stderr, f"stderr of {claim!r}"),
            "resolution": None
            if resolution is None
            else _checked_number(resolution, f"resolution of {claim!r}"),
            "cases": None if cases is None else _checked_number(cases, f"cases of {claim!r}"),
            "dof": None if dof is None else _checked_number(dof, f"dof of {claim!r}"),
            "context": {key: _checked_json(item, f"{key} of {claim!r}") for key, item in context.items()},
        }
        if row["stderr"] is not None and row["stderr"] < 0:
            raise ValueError(f"stderr of {claim!r} must be >= 0, got {stderr!r}")
        for name, given, least in (("cases", cases, 0), ("dof", dof, 1)):
            if given is not None and given < least:
                raise ValueError(f"{name} of {claim!r} must be >= {least}, got {given!r}")
        if resolution is not None:
            row["value"] = _plain(to_resolution(row["value"], resolution))
        if row["stderr"] is not None and row["stderr"] < ROUNDING * abs(row["value"]):
            row["stderr"] = 0.0
        self._add("measures", row)
        if resolution is not None and row["value"] == 0.0:
            print(f"{claim}: below {resolution:g}")
            return
        spread = "" if row["stderr"] is None else f" ± {row['stderr']:.2g}"
        print(f"{claim}: {row['value']:.4g}{spread}")

    def dataset(self, data: Dataset) -> Dataset:
        """Record that results depend on this `paperlib.experiments.datasets.Dataset`, and return it.

        Its source is not recorded: data from a folder and from OpenML give the same bytes.
        """
        row = {"name": data.name, "sha256": data.sha256, "shape": list(data.X.shape)}
        if row not in self._results["data"]:
            self._add("data", row)
        return data

    def _check_new(self, name, what):
        _checked_name(name, f"name of a {what}")
        if self.out_dir is not None and name in self._results["figures"] + self._results["tables"]:
            raise ValueError(f"{name!r} has been recorded already")

    def _add(self, kind, entry):
        """Add an entry to results.json; if that fails, forget the entry, so that it can be added again."""
        self._results[kind].append(entry)
        try:
            self._save()
        except BaseException:
            self._results[kind].pop()
            raise

    def _save(self):
        if self.out_dir is not None:
            write_whole(self.out_dir / "results.json", _json(self._results, indent=2) + "\n")


def _checked_name(name, what):
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{what} must be lower-case letters and digits joined by '-', '_' or '.', got {name!r}"
        )
    return name


def _checked_number(value, what):
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{what} must be a finite number, got {value!r}")
    return int(value) if isinstance(value, bool) else _plain(value)


def _checked_json(item, what):
    plain = _plain(item)
    try:
        _json(plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be finite numbers and text, got {item!r}") from error
    return plain


def _json(item, indent=None):
    return json.dumps(item, indent=indent, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _plain(item):
    """Return `item` in the types of JSON, with floats rounded to `DIGITS` significant digits."""
    if isinstance(item, np.ndarray | np.generic):
        item = item.tolist()
    if isinstance(item, list | tuple):
        return [_plain(part) for part in item]
    if isinstance(item, dict):
        return {str(key): _plain(part) for key, part in item.items()}
    return float(_digits(item)) if isinstance(item, float) else item


def _digits(number):
    if abs(number) < 2**53 and abs(number - round(number)) <= 1e-12 * abs(number):
        return str(round(number))  # a count has all its digits
    return format(number, f".{DIGITS}g")
