"""`lab`: put copies of the notebooks where a reader may change and save them."""

import json

from reproduce import reading
from reproduce.commands import options
from reproduce.library import write_whole
from reproduce.planning import profiles
from reproduce.planning.notebook import Notebook, read_notebook
from reproduce.publication.notebook import INJECTED

HELP = "put copies of the notebooks into build/lab/, to open in JupyterLab and to change as you like"
COPIED = "lab.json"  # {file: digest of the code that was copied}


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="papers to copy (default: all)")
    parser.add_argument("--profile", default="paper", help=options.PROFILES)
    parser.add_argument("--fresh", action="store_true", help="replace copies that you have changed, too")


def main(project, args):
    """Copy what is not there, or of another version; what somebody has changed stays, and is named."""
    folder, table, kept = project.build / "lab", profiles.load_profiles(project), []
    copied = _copied(folder / COPIED)
    for paper in project.choose(args.papers):
        notebook = read_notebook(project.notebook(paper))
        raw = _with_values(notebook, profiles.overrides(table, args.profile, paper, notebook))
        path, digest = folder / notebook.path.name, _digest(notebook.path, raw)
        found = _code(path)
        if found == digest and not args.fresh:
            continue  # with what it has shown
        if found not in (None, copied.get(path.name)) and not args.fresh:
            kept.append(project.shown(path))
            continue
        write_whole(path, raw)
        copied[path.name] = digest
    write_whole(folder / COPIED, json.dumps(copied, indent=1) + "\n")
    for path in kept:
        print(f"{path}: kept, as you have changed it; --fresh replaces it")
    print(f"Notebooks to change as you like: {project.shown(folder)}")
    return 0


def _copied(path):
    try:
        return reading.json_file(path, {str: str})
    except (OSError, ValueError):
        return {}


def _code(path):
    """Return the digest of a copy's code; None without one, and "" where it is no notebook any more."""
    try:
        return _digest(path, path.read_bytes())
    except OSError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _digest(path, raw):
    """Return the digest of what is executed, of a notebook that the driver need not understand."""
    return Notebook(path, raw, tuple(reading.json_text(raw)["cells"]), 0, {}).digest()


def _with_values(notebook, values):
    """Return the bytes of a notebook with a cell that gives parameters other values."""
    if not values:
        return notebook.raw
    content = json.loads(notebook.raw)
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "values",
        "metadata": {"tags": [INJECTED]},
        "outputs": [],
        "source": "".join(f"{name} = {value!r}\n" for name, value in values.items()).rstrip("\n"),
    }
    content["cells"].insert(notebook.parameters_cell + 1, cell)
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
