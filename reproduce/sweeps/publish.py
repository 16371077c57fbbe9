"""Publication of a sweep: its tables, its plots and the points that failed, in one step."""

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from reproduce.planning import key
from reproduce.publication import lock, record
from reproduce.publication.stage import Stage
from reproduce.scoring import ledger
from reproduce.sweeps import table
from reproduce.sweeps.points import FOLDER

TABLES = "tables"  # the folder of the notebook's own tables, of all points
LISTED = 20  # failures printed again at the end, at most; failed.csv lists them all


@dataclass(frozen=True)
class Table:
    """Sweep's table in the form of a run, for `record`: up to date while its components are the same."""

    destination: object
    components: dict
    key: str


def publish(project, sweep, done, failed=()):
    """Publish `build/sweeps/<paper>/<names>-<digest>/`.

    Parameters
    ----------
    done : list of Run
        The points that have results, in the grid's order.
    failed : list of driver.Finished

    Returns
    -------
    list of str
        Lines to print.
    """
    place = {run.name: i for i, run in enumerate(sweep.runs)}
    failed = sorted(
        failed, key=lambda finished: place[finished.run.name]
    )  # from the order of time into the grid's
    path = project.claims / f"{sweep.paper}.toml"
    claims = ledger.load_ledger(path) if path.exists() else []
    found = table.contents(done)
    header, rows = table.measured(sweep, found, claims)
    texts = {
        "results.csv": table.as_csv(header, rows),
        "seconds.csv": table.as_csv(*table.seconds(project, sweep, found)),
        "failed.csv": table.as_csv(*table.failed(sweep, failed)) if failed else "",
    }
    for name, *own in table.of_notebook(sweep, found):
        texts[f"{TABLES}/{name}.csv"] = table.as_csv(*own)
    shown = project.shown(sweep.destination.folder)
    lines = ["", *_repeated(failed, len(sweep.runs), shown)]
    if not rows:
        return [*lines, "No point has results, so there is no table"]
    with lock.held(project.lock(sweep.destination)):
        notes = _write(project, sweep, done, header, rows, texts, claims)
    of_all = "" if len(done) == len(sweep.runs) else f" of {len(sweep.runs):,}"
    size = f"{len(done):,}{of_all} {'point' if len(sweep.runs) == 1 else 'points'}, {len(rows):,} rows"
    lines += [f"Table: {shown}/results.csv ({size}; times in seconds.csv)"]
    if any(name.startswith(TABLES) for name in texts):
        lines.append(
            f"The notebook's tables, of all points: {shown}/{TABLES}; points by name: {shown}/{FOLDER}"
        )
    return [*lines, *notes]


def _write(project, sweep, done, header, rows, texts, claims):
    from reproduce.sweeps import drawing, plots

    statements = table.statements(claims)
    # What the plots depend on besides the tables: the code that draws them, and what they say of claims.
    sources = [Path(module.__file__).read_bytes() for module in (plots, drawing)]
    sources += [metadata.version("matplotlib").encode(), repr(statements).encode()]
    components = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    components["plots"] = hashlib.sha256(b"\0".join(sources)).hexdigest()
    components["parquet"] = table.parquet_engine()
    its = Table(sweep.destination, components, key.combine(components))
    drawn = plots.plan(sweep, rows)
    if record.stale_because(project, its):
        stage = Stage(project, sweep.destination)
        try:
            for name, text in texts.items():
                if text:
                    (stage.out / name).parent.mkdir(exist_ok=True)
                    (stage.out / name).write_text(text)
            _link_points(stage.out, sweep, done)
            if components["parquet"]:
                (stage.out / "results.parquet").write_bytes(
                    table.as_parquet(header, rows, components["parquet"])
                )
            for figure in drawn.figures:
                drawing.draw(figure, statements, stage.out)
            stage.publish()
            record.write_record(project, its, 0.0)
        finally:
            stage.discard()
    parquet = (
        "" if components["parquet"] else "No results.parquet: `pip install pyarrow` to have one written, too"
    )
    return [line for line in (*_about_plots(project, sweep, drawn), parquet) if line]


def _link_points(folder, sweep, done):
    """Make a link to each point: they lie under their keys, for all sweeps together."""
    (folder / FOLDER).mkdir()
    links = sweep.links()
    for run in done:
        # From where the folder will be published; in the stage the link leads nowhere.
        (folder / links[run.name]).symlink_to(Path("..", "..", run.destination.folder.name))


def _about_plots(project, sweep, drawn):
    if drawn.figures:
        names = ", ".join(f"{figure.name}.svg" for figure in drawn.figures)
        yield f"Plots: {names} and .png, in {project.shown(sweep.destination.folder)}"
    else:
        yield "No plots: no number is swept over two values, or no measure varies"
    if drawn.figures and drawn.constant:
        yield f"Not plotted, the same at every point: {_some(drawn.constant)}"
    if drawn.figures and drawn.too_many:
        yield f"Not plotted, too many for one picture: {_some(drawn.too_many)}"


def _repeated(failed, total, shown):
    if not failed:
        return []
    lines = [f"{len(failed)} of {total} points failed; the same command runs them again:"]
    for finished in failed[:LISTED]:
        lines += [f"  {line}" for line in finished.lines]
    if len(failed) > LISTED:
        lines.append(f"  and {len(failed) - LISTED} more, in {shown}/failed.csv")
    return [*lines, ""]


def _some(names, limit=6):
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
