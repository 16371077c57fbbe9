"""Recording of a notebook's results: figures, tables and measured values, in one folder.

The file `results.json` lists them. It is rewritten after every addition, and holds no times or dates, so the
same notebook with the same versions writes the same bytes.
"""

import os
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import Image, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from paperlib.experiments import claim_table, claims, plotting, publishing, remote, run_trace, steps, tracing
from paperlib.experiments.datasets import Dataset
from paperlib.experiments.files import write_whole
from paperlib.experiments.given import check_given
from paperlib.experiments.publishing import checked_name


class Recorder:
    """Recorder of the results of one paper's notebook.

    Parameters
    ----------
    paper : str
        The notebook's name, such as ``"kernel_mean"``.
    out_dir : path or None, default=None
        Folder that results are written to; made if missing. At an address such as ``"s3://bucket/run"`` they
        are after each cell. With ``None``, for a reader in JupyterLab, results are only shown, and a cell may
        be run again.

    Raises
    ------
    ValueError
        For a name that is not made of lower-case letters, digits, ``-``, ``_`` and ``.``, a name
        that has been recorded already, a measured value that is not a finite number, an `out_dir` that is not
        a folder, or a parameter that the notebook was given and does not have or allow.
    OSError
        If a result cannot be written; ``results.json`` is then as before.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from paperlib.experiments import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     digits = Recorder("tiny", folder).dataset(datasets.load("digits"))
    ...     json.loads(pathlib.Path(folder, "results.json").read_text())["data"][0]["name"]
    'digits'
    """

    def __init__(self, paper: str, out_dir: str | os.PathLike[str] | None = None) -> None:
        check_given()  # before there is a folder, and before the trace begins: no result depends on it
        self.paper = checked_name(paper, "paper")
        self._measures = claims.of(self.paper)
        self._tables: dict[str, pd.DataFrame] = {}  # as they are published
        self._calls: dict[str, steps.Call] = {}  # of each table
        copies = remote.Copies(str(out_dir)) if remote.is_address(out_dir) else None
        self.out_dir = None if out_dir is None else copies.folder if copies else Path(out_dir)
        self._results: dict[str, Any] = {
            "paper": self.paper,
            **{kind: [] for kind in ("data", "figures", "tables", "measures")},
        }
        if self.out_dir is not None:
            if self.out_dir.exists() and not self.out_dir.is_dir():
                raise ValueError(f"out_dir must be a folder, got the file {str(self.out_dir)!r}")
            self.out_dir.mkdir(parents=True, exist_ok=True)
            run_trace.begin_if_wanted()
        plotting.use_style()
        self._save()
        if copies:
            copies.send()  # so that an address that cannot be written to is known before the first hour

    def figure(self, name: str, fig: Figure) -> None:
        """Write a matplotlib figure as ``name.svg`` and ``name.png``, and show the PNG.

        Without an ``out_dir``, the notebook itself shows the figure at the end of its cell.
        """
        if not isinstance(fig, Figure):
            raise ValueError(f"figure {name!r} must be a matplotlib Figure, got {type(fig).__name__}")
        self._check_new(name, "figure")
        if self.out_dir is not None:
            plotting.save(fig, self.out_dir / name)
        self._change(figures=[*self._results["figures"], name])
        if self.out_dir is not None:
            plt.close(fig)  # else the cell shows it a second time
            display(Image(self.out_dir / f"{name}.png", width=plotting.shown_width(fig)))

    def table(self, name: str, frame: pd.DataFrame, *, shown: Any = None) -> None:
        """Write a DataFrame as ``name.csv`` and show it.

        `shown`, if given, is displayed instead: a layout for readers of what is written for programs.

        Where the paper has `paperlib.experiments.claims`, each claim is measured as soon as all tables that
        it reads are here, from the numbers as they are published.
        """
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"table {name!r} must be a pandas DataFrame, got {type(frame).__name__}")
        if frame.index.names != [None]:
            raise ValueError(
                f"table {name!r} has the index {frame.index.names}, which CSV would lose: reset_index() first"
            )
        self._check_new(name, "table")
        text = publishing.table_text(frame)
        tables, rows = self._tables, self._results["measures"]
        if self._measures:
            self._calls[name] = self._made_by(name, frame)
            tables = tables | {name: publishing.read_table(text)}
            with tracing.untraced():  # measures are made of the tables, and no table of them
                rows = self._measures.updated(rows, name, tables)
        if self.out_dir is not None:
            write_whole(self.out_dir / f"{name}.csv", text)
        self._change(tables=[*self._results["tables"], name], measures=rows)
        self._tables = tables
        display(frame if shown is None else shown)

    def show(self, *names: str) -> None:
        """Show claims: what the paper says, what is printed there, what came out here, and the verdict.

        Parameters
        ----------
        *names : str
            Of figures, tables or statements: a claim belongs to one by the ledger's `shown`, or if its id is
            that name or goes on from it with ``.``, ``-`` or ``_`` and a letter.

        Raises
        ------
        ValueError
            If no claim belongs to a name, or a table that one of them is measured from has not been recorded
            yet.

        Notes
        -----
        The verdict is on this run alone; the scoreboard's is on both kinds of data, and on other seeds, too.
        """
        if self._measures is None:
            raise ValueError(
                f"the claims of {self.paper} are not measured from tables: there is none to show"
            )
        with tracing.untraced():
            self._show(self._measures, names)

    def _show(self, of_paper: claims.Measures, names: tuple[str, ...]) -> None:
        found = claim_table.belonging(of_paper.claims, names)
        measures = {row["claim"]: row for row in self._results["measures"]}
        for claim in found:
            for each in (claim.id, claim.corrected_id):
                lacking = of_paper.lacking(each, self._tables)
                if lacking and not claim.needs:
                    tables = " and ".join(lacking)
                    raise ValueError(f"claim {each!r} is measured from the table {tables}: record that first")
        display(claim_table.ClaimTable(found, measures, names))

    def dataset(self, data: Dataset) -> Dataset:
        """Record that results depend on this `paperlib.experiments.datasets.Dataset`, and return it.

        Its source is not recorded: data from a folder and from OpenML give the same bytes.
        """
        row = {"name": data.name, "sha256": data.sha256, "shape": list(data.X.shape)}
        if row not in self._results["data"]:
            self._change(data=[*self._results["data"], row])
        return data

    def _made_by(self, name: str, frame: pd.DataFrame) -> steps.Call:
        """Return the call of a step that made a table; nobody could say what any other depends on."""
        call = steps.made_by(frame)
        if call is None:
            raise ValueError(
                f"table {name!r} must be what a step returned, unchanged: change it in the step, or give the "
                "changed one as `shown`"
            )
        return call

    def _check_new(self, name, what):
        checked_name(name, f"name of a {what}")
        if self.out_dir is not None and name in self._results["figures"] + self._results["tables"]:
            raise ValueError(f"{name!r} has been recorded already")

    def _change(self, **lists: list[Any]) -> None:
        """Change lists of results.json; if that fails, they are as before, and it can be tried again."""
        before = self._results
        self._results = before | lists
        try:
            self._save()
        except BaseException:
            self._results = before
            raise

    def _save(self):
        if self.out_dir is not None:
            # results.json comes last, behind the files that it names.
            if trace := run_trace.text(self._calls):
                write_whole(self.out_dir / run_trace.NAME, trace)
            write_whole(self.out_dir / "results.json", publishing.json_text(self._results, indent=2) + "\n")
