"""Table of a sweep's results: a row for each point and measured quantity."""

import csv
import io
import json
from importlib.util import find_spec

from reproduce.errors import InvalidResults
from reproduce.publication import record, results

MEASURED = ("measure", "value", "stderr")


def measured(sweep, done):
    """Return header and rows of the runs in `done`, in the grid's order.

    None stands for a value that is not a finite number, or a standard error that was not estimated.
    """
    table = []
    for run, values in _points(sweep, done):
        content = results.read(run.destination.folder)
        if content is None:
            raise InvalidResults(f"{run.name}: its results were removed meanwhile: call again")
        table += [[*values, row["claim"], row["value"], row.get("stderr")] for row in content["measures"]]
    return [*_columns(sweep), *MEASURED], table


def seconds(project, sweep, done):
    """Return header and rows of the time that each run took.

    Times are kept out of the table of results, which is the same on every machine.
    """
    table = [[*values, record.seconds(project, run)] for run, values in _points(sweep, done)]
    return [*_columns(sweep), "seconds"], table


def failed(sweep, failures):
    """Return header and rows of the points that failed, each with the printed report."""
    reports = {finished.run.name: "\n".join(finished.lines) for finished in failures}
    table = [[*values, reports[run.name]] for run, values in _points(sweep, [f.run for f in failures])]
    return [*_columns(sweep), "error"], table


def as_csv(header, table):
    """Return the table as CSV: numbers with all digits, lists as JSON, an empty cell for None."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in table)
    return buffer.getvalue()


def parquet_engine():
    """Return the name of an installed package that writes Parquet, or None."""
    return next((name for name in ("pyarrow", "fastparquet") if find_spec(name)), None)


def as_parquet(header, table, engine):
    """Return the table as Parquet; a column of lists, or of values of several types, is stored as text."""
    import pandas as pd

    frame = pd.DataFrame(table, columns=header, dtype=object)
    for name in header:
        kinds = {type(value) for value in frame[name]} - {type(None)}
        if name in MEASURED[1:]:
            frame[name] = frame[name].astype("float64")
        elif len(kinds) == 1 and kinds <= {bool, int, float} and frame[name].notna().all():
            frame[name] = frame[name].astype(kinds.pop())
        else:
            frame[name] = [_cell(value) for value in frame[name]]
    buffer = _Kept()
    frame.to_parquet(buffer, engine=engine, index=False)
    return buffer.content or buffer.getvalue()


class _Kept(io.BytesIO):
    """Buffer that keeps its content when it is closed: fastparquet closes what it writes to."""

    content = b""

    def close(self):
        self.content = self.content or self.getvalue()
        super().close()


def _points(sweep, chosen):
    names = {run.name for run in chosen}
    return ((r, values) for r, values in zip(sweep.runs, sweep.grid.points) if r.name in names)


def _columns(sweep):
    """Return the parameters' names, with a prefix where another column has the same name."""
    taken = {*MEASURED, "seconds", "error"}
    return [f"parameter {name}" if name in taken else name for name in sweep.grid.names]


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
