"""Mutants: small errors in the sources, drawn at random, that the tests must notice.

    python -m tests.mutants --number 60 --seed 0 --parts reproduce experiments

A mutant is an edit of one function, as those of `reproduce/faults/`. It is tried in a copy of the checkout:
first on the tests of `make test` that enter what it changes, by the traces of `make test CHANGED=1`, then on
those that only `make test-all` runs. What came of it is kept in figures/evidence/mutants.csv for as long as
the function it changes is the same; a call tries what is drawn, and what of the table was edited since. What
survived is tried again, unless tests/survivors.toml says why no test can notice it; for any other a test
is to be written.
"""

import argparse
import ast
import csv
import io
import keyword
import os
import random
import shutil
import subprocess
import sys
import tempfile
import token
import tokenize
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path

from reproduce.library import code_reach, definitions, write_whole
from tests import tracing_plugin
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ("_common", *PAPERS)
PARTS = (*LIBRARY, "experiments", "reproduce")
KEPT = ROOT / "build" / "mutants"
SURVIVORS = ROOT / "tests" / "survivors.toml"
TABLE = ROOT / "figures" / "evidence" / "mutants.csv"
LEFT_OUT = {".git", ".venv", "build", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
DOES_NOT_COMPILE = "numba.core.errors."  # a change of a type, which no test need notice
SECONDS = 180  # a test that takes longer does not end; the slowest takes a fifth of it
QUICK, ALL, SURVIVED = "noticed by make test", "noticed by make test-all", "survived"
KINDS = {
    "kernels": (True,),
    "functions": (False,),
    "all": (True, False),
}  # whether @jit stands above or within
JIT = {"jit", "counted", "uncounted"}  # the latter two are max_loss's
CHANGES = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or", "or": "and", "not": "",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "|", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "//=": "*=", "%=": "*=", "<<=": ">>=",
    ">>=": "<<=", "&=": "|=", "|=": "&=", "^=": "|=", "True": "False", "False": "True", "break": "continue",
    "continue": "pass",
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=0, help="mutants to draw (default: none)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--of", choices=KINDS, default="all", help="which functions (default: all)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=LIBRARY, help="default: the library's")
    args = parser.parse_args()
    if not tracing_plugin.known(ROOT):
        raise SystemExit("it is not known which tests enter what: make test CHANGED=1")
    drawn = draw(args.number, args.seed, args.of, args.parts)
    endings = {mutant: row for mutant, row in read().items() if is_possible(mutant)}
    left = [
        mutant for mutant in dict.fromkeys([*endings, *drawn]) if not is_current(mutant, endings.get(mutant))
    ]
    KEPT.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        tries = {pool.submit(tried, mutant): mutant for mutant in left}
        for future in as_completed(tries):
            mutant = tries[future]
            endings[mutant] = future.result(), sources().digest(definition_of(mutant))
            write(endings)
    count = Counter(ending for ending, _ in endings.values())
    print(", ".join(f"{count[ending]} {ending}" for ending in sorted(count)))
    reasons = sum(ending == SURVIVED and mutant in explained() for mutant, (ending, _) in endings.items())
    print(f"{reasons} of those that survived have a reason in tests/survivors.toml")


def draw(number, seed, of="all", parts=LIBRARY):
    """Return mutants, as many of each part as of the others, as far as they have them.

    Of each part, functions take turns: else kernels, which are long, would have most of them.
    """
    rng, found = random.Random(seed), []
    for i, part in enumerate(parts):
        every = [each for path in sorted(folder_of(part).rglob("*.py")) for each in mutants(path, of)]
        wanted = number * (i + 1) // len(parts) - number * i // len(parts)
        found += islice(filter(is_possible, in_turn(every, rng)), wanted)
    return found


def in_turn(every, rng):
    """Yield mutants in a random order, one of each function, then another of each that has more."""
    of_function = {}
    for mutant in rng.sample(every, len(every)):
        of_function.setdefault(mutant[0], []).append(mutant)
    functions = rng.sample(list(of_function.values()), len(of_function))
    for turn in zip_longest(*functions):
        yield from filter(None, turn)


def folder_of(part):
    return ROOT / part if part == "reproduce" else ROOT / "paperlib" / part


def mutants(path, of="all"):
    """Return all mutants of a file as edits ``(at, old, new)``; a few are no Python."""
    text, found = path.read_text(encoding="utf-8"), []
    lines, changed = text.split("\n"), list(changes(text))
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for name, node in definitions.definitions(ast.parse(text)):
        if not isinstance(node, ast.ClassDef) and has_kernel(node) in KINDS[of]:
            body = range(node.body[0].lineno - 1, node.end_lineno)
            own = [text[start:end] for start, end in definitions.spans(text)[name]]
            found += [
                (f"{module}:{name}", *edit)
                for row, start, end, new in changed
                if row in body and (edit := in_context(lines, own, row, start, end, new))
            ]
    return found


def has_kernel(function):
    decorators = [each for node in ast.walk(function) for each in getattr(node, "decorator_list", [])]
    return any(getattr(getattr(each, "func", each), "id", "") in JIT for each in decorators)


def changes(text):
    """Yield `(row, start, end, new)` of each change of a word, from column `start` to `end` of a line."""
    before, within = None, 0  # f-strings, which are one word before Python 3.12
    for word in tokenize.generate_tokens(io.StringIO(text).readline):
        within += word.type == getattr(token, "FSTRING_START", None)
        within -= word.type == getattr(token, "FSTRING_END", None)
        new = CHANGES.get(word.string) if word.type in (token.OP, token.NAME) else None
        if word.type == token.NUMBER:
            value = ast.literal_eval(word.string)
            new = str(value + 1) if isinstance(value, int) else str(2.0 * value + 1.0)
        elif word.string == "-" and not is_operand(before):
            new = ""
        if new is not None and not within:
            (row, start), (_, end) = word.start, word.end
            yield row - 1, start, end + (new == "" and word.line[end] == " "), new
        before = word


def is_operand(word):
    """Return whether a minus behind a word takes a difference, and is no sign."""
    is_name = word.type == token.NAME and not keyword.iskeyword(word.string)
    return is_name or word.type == token.NUMBER or word.string in (")", "]", "}")


def in_context(lines, own, row, start, end, new):
    """Return `(old, new)` of a change in whole lines, as few as make it the only one in its definition."""
    changed = lines[row][:start] + new + lines[row][end:]
    for first in range(row, -1, -1):
        above = "".join(f"{line}\n" for line in lines[first:row]).lstrip()
        old = (above + lines[row]).strip()
        if (times := sum(text.count(old) for text in own)) < 2:
            return (old, (above + changed).strip()) if times else None
    return None


def is_possible(mutant):
    """Return whether a mutant can still be made, and is Python."""
    try:
        return bool(ast.parse(mutated(mutant)))
    except (SyntaxError, ValueError, OSError):
        return False


def place_of(mutant):
    """Return the module and the file of a mutant."""
    module = mutant[0].partition(":")[0]
    path = ROOT.joinpath(*module.split("."))
    return module, path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def mutated(mutant):
    """Return the text of the mutant's module; lines keep their numbers, by which numba finds kernels."""
    module, file = place_of(mutant)
    return definitions.edited(file.read_text(encoding="utf-8"), module, [mutant])


@cache
def sources():
    return code_reach.Sources({package: ROOT / package for package in ("paperlib", "reproduce")})


def definition_of(mutant):
    """Return the item, as `code_reach` has it, that a mutant changes; of nested functions, the outer one."""
    module, _, name = mutant[0].partition(":")
    text = sources().text(module)
    while name not in text.definitions and "." in name:
        name = name.rpartition(".")[0]
    return f"{module}:{name}"


@cache
def explained():
    """Return `{mutant: why no test notices it}`."""
    rows = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["survivor"]
    reasons = {(row["at"], row["old"], row["new"]): row["why"] for row in rows}
    assert len(reasons) == len(rows), "a mutant stands there twice"
    return reasons


@cache
def entering():
    """Return `{item: [(number of items of the test, test), ...]}` of the tests that were traced."""
    found = {}
    for test, noted in tracing_plugin.known(ROOT).items():
        if not is_there(test):
            continue
        items = tracing_plugin.items_of(noted)
        for item in items:
            found.setdefault(item, []).append((len(items), test))
    return found


@cache
def text_of(file):
    return (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""


def is_there(test):
    """Return whether a test that was traced is still there; of an example, whether its file is."""
    file, _, name = test.partition("::")
    return f"def {name.rpartition('::')[2]}(" in text_of(file) or bool("test_" not in name and text_of(file))


def tests_of(mutant):
    """Return the tests that enter what a mutant changes, those first that enter little else."""
    found = sorted(entering().get(definition_of(mutant), ()))
    return sorted((test for _, test in found), key=lambda test: own_file(mutant) not in test)


def own_file(mutant):
    """Return the name of the file of tests that is named after the mutant's module."""
    return f"test_{place_of(mutant)[0].rpartition('.')[2].strip('_')}.py"


def files_of_tests(mutant):
    """Return the files of these tests, and those beside the module's: in processes nothing is traced."""
    module, _ = place_of(mutant)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests_of(mutant)))
    parts = [part for part in module.split(".")[:-1] if not part.startswith("_") or part == "_common"]
    mirror = ROOT.joinpath("tests", *parts)
    own = [path for path in sorted(mirror.glob("test_*.py")) if str(path.relative_to(ROOT)) not in files]
    own.sort(key=lambda path: path.name != own_file(mutant))
    return [*files, *(str(path.relative_to(ROOT)) for path in own)]


def tried(mutant):
    """Return the mutant's ending."""
    quick = tests_of(mutant) or files_of_tests(mutant)
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        copy = Path(folder, "copy")
        # Links, but for the one file: compiled code and caches are replaced, never changed in place.
        shutil.copytree(ROOT, copy, copy_function=os.link, ignore=_left_out, symlinks=True)
        file = copy / place_of(mutant)[1].relative_to(ROOT)
        file.unlink()
        file.write_text(mutated(mutant), encoding="utf-8")
        ending = SURVIVED
        for tier, tests, noticed in (("quick", quick, QUICK), ("rest", files_of_tests(mutant), ALL)):
            code, printed = session(copy, tier, tests)
            if code == 4:
                raise SystemExit(f"pytest could not begin with {mutant}:\n{printed}")
            if code not in (0, 5):  # 5: no test of this tier
                ending = "does not compile" if DOES_NOT_COMPILE in printed else noticed
                break
    print(f"{mutant[0]}\n  - {mutant[1]}\n  + {mutant[2]}\n  {ending}", flush=True)
    return ending


def _left_out(folder, names):
    return LEFT_OUT & set(names) if Path(folder) == ROOT else ()


def session(folder, tier, tests):
    """Run tests of a checkout up to the first that fails, and return the exit code and what was printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tier", tier, "-p", "no:cacheprovider"]
    # A module of examples that is collected first hides the function of its name from files of tests.
    tests = sorted(tests, key=lambda test: not test.startswith("tests/"))
    command += ["--timeout", str(SECONDS), "--timeout-method", "thread"]  # it ends compiled loops, too
    env = os.environ | {"PYTHONPATH": str(folder), "PAPERLIB_TEST_SEED": "0"}
    done = subprocess.run([*command, *tests], cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout


def read():
    """Return `{mutant: (ending, digest of the definition that it changes)}` of the table."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table)
        return {(row["at"], row["old"], row["new"]): (row["ending"], row.get("definition")) for row in rows}


def is_current(mutant, row):
    """Return whether a mutant need not be tried again."""
    if row is None or row[1] != sources().digest(definition_of(mutant)):
        return False
    return row[0] != SURVIVED or mutant in explained()


def write(endings):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["at", "old", "new", "ending", "definition"])
    table.writerows([*mutant, *row] for mutant, row in sorted(endings.items()))
    write_whole(TABLE, text.getvalue())


if __name__ == "__main__":
    main()
