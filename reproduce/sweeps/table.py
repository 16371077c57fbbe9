"""Tables of a sweep: a row for each point and measured quantity, and the notebook's own, of all points."""

import csv
import io
import json
from importlib.util import find_spec

from reproduce import reading
from reproduce.errors import InvalidResults
from reproduce.library import verdicts
from reproduce.publication import record, results

MEASURED = ("measure", "value", "stderr", "cases", "verdict", "statement", "folder")
KINDS = {"value": float, "stderr": float, "cases": int}  # of these columns, even where all are missing
DTYPES = {bool: "boolean", int: "Int64", float: "float64"}  # pandas' own that know what is missing


def contents(done):
    """Return `{run's name: results.json}` of runs that were made."""
    found = {run.name: results.read_results(run.destination.folder) for run in done}
    for name, content in found.items():
        if content is None:
            raise InvalidResults(f"{name}: its results were removed meanwhile: call again")
    return found


def measured(sweep, found, claims):
    """Return header and rows of the runs of which `found` has the `contents`, in the grid's order.

    None stands for a value that is not a finite number, or a standard error or a number of cases that was not
    given; a measure that no claim stands for has no verdict and no statement.

    Parameters
    ----------
    claims : list of Claim
        The paper's ledger.
    """
    table, links = [], sweep.links()
    printed, stated = {claim.id: claim for claim in claims}, statements(claims)
    for run, values in _points(sweep, found):
        measures = results.measures(found[run.name])
        for row in found[run.name]["measures"]:
            name, said = row["claim"], (None, None)
            numbers = row["value"], row.get("stderr"), row.get("cases")
            if name in printed:
                said = verdicts.verdict(printed[name], measures), stated[name].says
            elif name in stated:
                said = verdicts.judged(stated[name], *measures[name]), stated[name].says
            table.append([*values, name, *numbers, *said, links[run.name]])
    return [*_columns(sweep), *MEASURED], table


def statements(claims):
    """Return `{id: Statement}` of a ledger, with those that are corrected."""
    corrected = {claim.corrected_id: claim.corrected for claim in claims if claim.corrected}
    return {claim.id: claim.statement for claim in claims} | corrected


def of_notebook(sweep, found):
    """Yield each table of the notebook: name, header, and the rows of all points, parameters in front."""
    for name in dict.fromkeys(name for content in found.values() for name in content["tables"]):
        columns, rows = {}, []
        for run, values in _points(sweep, found):
            if name in found[run.name]["tables"]:
                try:
                    own = reading.csv_rows(run.destination.folder / f"{name}.csv", ())
                except ValueError as error:
                    raise InvalidResults(f"{run.name}: {name}.csv: {error}") from None
                columns |= dict.fromkeys(key for row in own for key in row)
                rows += [(values, row) for row in own]
        front = [f"parameter {key}" if key in columns else key for key in sweep.grid.names]
        yield (
            name,
            [*front, *columns],
            [[*values, *(row.get(key) for key in columns)] for values, row in rows],
        )


def seconds(project, sweep, found):
    """Return header and rows of the time that each run took.

    Times are kept out of the table of results, which is the same on every machine.
    """
    table = [[*values, record.seconds(project, run)] for run, values in _points(sweep, found)]
    return [*_columns(sweep), "seconds"], table


def failed(sweep, failures):
    """Return header and rows of the points that failed, each with the printed report."""
    reports = {finished.run.name: "\n".join(finished.lines) for finished in failures}
    table = [[*values, reports[run.name]] for run, values in _points(sweep, reports)]
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
    """Return the table as Parquet; a column of lists, or of values of several types, is stored as text.

    A number or a truth that is missing is missing there, too, and its column stays one of numbers or truths.
    """
    import pandas as pd

    frame = pd.DataFrame(table, columns=header, dtype=object)
    for name in header:
        kinds = {type(value) for value in frame[name]} - {type(None)} or {KINDS.get(name, str)}
        if kinds <= {int, float} and name in KINDS:
            kinds = {max(kinds, key=[int, float].index)}
        if len(kinds) == 1 and kinds <= DTYPES.keys():
            frame[name] = frame[name].astype(DTYPES[kinds.pop()])
        elif name in MEASURED:
            frame[name] = frame[name].astype("string")
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


def _points(sweep, names):
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
