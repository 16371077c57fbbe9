"""`new`: write a companion for another paper, or add a paper to a project, by `reproduce/template/`."""

import importlib.util
import keyword
import re
from pathlib import Path

from reproduce.errors import UsageError, shown
from reproduce.library import DISTRIBUTION, IN_CHECKOUT, RUNTIME, write_whole
from reproduce.paths import HOME, LIBRARY

HELP = "write a companion for your own paper: a notebook, its steps and claims, an error, a test, a Makefile"
TEMPLATE = Path(__file__).resolve().parent.parent / "template"
NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = {"build", "docs", "evidence", "figures", "full", "notebooks", "reproduce", "test", "tests"}
COMPANION = {  # a template -> the file of a new project
    "Makefile": "Makefile",
    "pyproject.toml.txt": "pyproject.toml",
    "gitignore": ".gitignore",
    "profiles.toml": "reproduce/profiles.toml",
}
PAPER = {  # a template -> the file of a new paper; `code` and `experiments` are the folders of its packages
    "notebook.ipynb.txt": "notebooks/{paper}.ipynb",
    "experiments.py.txt": "{experiments}/__init__.py",
    "package.py.txt": "{code}/__init__.py",  # in the place of the one before, where both are one package
    "fair_coin.py.txt": "{code}/fair_coin.py",
    "steps.py.txt": "{experiments}/steps.py",
    "claims.py.txt": "{experiments}/claims.py",
    "claims.toml": "reproduce/claims/{paper}.toml",
    "faults.toml": "reproduce/faults/{paper}.toml",
    "test.py.txt": "{tests}.py",
}


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the companion's folder, which is made"
    )
    parser.add_argument(
        "--paper",
        metavar="NAME",
        help="what the notebook and its package are called (default: as the folder); without a FOLDER, they "
        "are added to the project",
    )


def main(project, args):
    """Make a companion, or add a paper to the project, and return the exit code."""
    if args.folder is None and args.paper is None:
        raise UsageError(
            "new takes the folder of a companion, or --paper NAME to add a paper to this project"
        )
    if args.folder is None:
        return _add(project, args.paper)
    folder = args.folder.absolute()
    paper = _checked(folder.name if args.paper is None else args.paper)
    try:
        problem = "is not empty" if folder.is_dir() and any(folder.iterdir()) else None
        problem = "is a file" if folder.exists() and not folder.is_dir() else problem
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    if problem:
        raise UsageError(f"{args.folder} {problem}: name a folder that is not there yet")
    texts = _texts("companion", COMPANION, paper=paper, distribution=DISTRIBUTION)
    _write(folder, texts | _paper(paper, paper, paper, f"tests/test_{paper}", "reproduce"))
    print(f"A companion with one notebook and three claims: {args.folder}")
    if IN_CHECKOUT:
        print(f"Its driver is a distribution of its own: pip install {HOME / 'companion'}")
    print(f"Now: cd {args.folder}, then python -m reproduce run")
    return 0


def _add(project, name):
    if not project.notebooks.is_dir():
        raise UsageError(
            f"no notebooks in {project.root}: name the FOLDER of a companion, which new then makes"
        )
    paper = _checked(name)
    code, experiments = paper, project.experiments(paper)
    tests = f"tests/test_{paper}"
    if LIBRARY in project.packages:
        code, tests = f"{LIBRARY}.{paper}", f"tests/{LIBRARY}/{paper}/test_fair_coin"
    texts = _paper(paper, code, experiments, tests, RUNTIME)
    for file in texts:
        if (project.root / file).exists():
            raise UsageError(f"{file} is there already: choose another name for the paper")
    _write(project.root, texts)
    print(*texts, f"Now: python -m reproduce run {paper}", sep="\n")
    return 0


def _checked(name):
    """Return the name of a paper, which is that of a package, too."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        remedy = (
            "give one of lower-case letters, digits and _ that begins with a letter, as in --paper my_paper"
        )
        raise UsageError(f"{shown(name)} is no name of a package: {remedy}")
    spec = None if name in TAKEN else importlib.util.find_spec(name)
    if name in TAKEN or (spec and spec.origin):
        raise UsageError(
            f"{shown(name)} is the name of something else that Python imports, or of a folder of "
            "the project: give another one, as in --paper my_paper"
        )
    return name


def _paper(paper, code, experiments, tests, runtime):
    folders = {
        name: dotted.replace(".", "/") for name, dotted in (("code", code), ("experiments", experiments))
    }
    targets = {each: target.format(paper=paper, tests=tests, **folders) for each, target in PAPER.items()}
    return _texts("paper", targets, paper=paper, code=code, experiments=experiments, runtime=runtime)


def _texts(folder, targets, **names):
    """Return `{file: text}` with `@name@` replaced."""
    texts = {}
    for template, target in targets.items():
        text = (TEMPLATE / folder / template).read_text(encoding="utf-8")
        for name, value in names.items():
            text = text.replace(f"@{name}@", value)
        texts[target] = text
    return texts


def _write(root, texts):
    try:
        for file, text in texts.items():
            write_whole(root / file, text)
    except OSError as error:
        raise UsageError(f"{error.filename or root}: cannot be written: {error.strerror or error}") from None
