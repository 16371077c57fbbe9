"""The results of a sweep as one tidy table: a row per point and measured quantity."""

import csv
import io
import json
from importlib.util import find_spec

from reproduce import record, results
from reproduce.errors import InvalidResults

MEASURED = ("measure", "value", "stderr")


def measured(sweep, done):
    """Header and rows of the runs in `done`, in the grid's order.

    None stands for a value that is not a finite number, or an error that was not estimated.
    """
    table = []
    for run, values in _points(sweep, done):
        content = results.read(run.destination.folder)
        if content is None:
            raise InvalidResults(f"{run.name}: its results were removed meanwhile, call again")
        table += [[*values, row["claim"], row["value"], row.get("stderr")] for row in content["measures"]]
    return [*_columns(sweep), *MEASURED], table


def seconds(project, sweep, done):
    """How long each took when it was run; apart from the results, which are the same on every machine."""
    table = [[*values, record.seconds(project, run)] for run, values in _points(sweep, done)]
    return [*_columns(sweep), "seconds"], table


def failed(sweep, failures):
    """What was told of the points that failed."""
    told = {finished.run.name: "\n".join(finished.lines) for finished in failures}
    table = [[*values, told[run.name]] for run, values in _points(sweep, [f.run for f in failures])]
    return [*_columns(sweep), "error"], table


def as_csv(header, table):
    """Floats with every digit, lists as JSON, nothing for None: the same bytes for the same table."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in table)
    return buffer.getvalue()


def parquet_engine():
    """What writes Parquet here; None where nothing does."""
    return next((name for name in ("pyarrow", "fastparquet") if find_spec(name)), None)


def as_parquet(header, table, engine):
    """The same table; a column whose values differ in type, or are lists, holds them as text."""
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
    """Some engine closes what it wrote to."""

    content = b""

    def close(self):
        self.content = self.content or self.getvalue()
        super().close()


def _points(sweep, chosen):
    names = {run.name for run in chosen}
    return ((r, values) for r, values in zip(sweep.runs, sweep.grid.points) if r.name in names)


def _columns(sweep):
    """A parameter that is called like another column gets out of its way."""
    taken = {*MEASURED, "seconds", "error"}
    return [f"parameter {name}" if name in taken else name for name in sweep.grid.names]


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
