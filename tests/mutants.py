"""Mutants of the library: small errors, drawn at random, that the tests of their subpackage must notice.

    python -m tests.mutants --number 200 --seed 0 --jobs 2 --of kernels

A mutant is an edit of one function, as those of `reproduce/faults/`. What came of it is kept in
figures/evidence/mutants.csv for as long as the sources of its subpackage are the same, and a second call goes
on from there. What survived is tried again, unless tests/survivors.toml says why no test can notice it; for
any other a test is to be written.
"""

import argparse
import ast
import csv
import hashlib
import io
import json
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from itertools import islice
from pathlib import Path

from reproduce.execution.edited_modules import EditedModules
from reproduce.library import definitions, write_whole
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, TESTS = ROOT / "paperlib", ROOT / "tests" / "paperlib"
PARTS = ("_common", *PAPERS)
KEPT = ROOT / "build" / "mutants"
SURVIVORS = ROOT / "tests" / "survivors.toml"
TABLE = ROOT / "figures" / "evidence" / "mutants.csv"
EDITS = "PAPERLIB_MUTANT"  # the environment variable with the edits that a test session is run with
DOES_NOT_COMPILE = b"numba.core.errors."  # a change of a type, which no test need notice
SECONDS = 180  # a test that takes longer does not end; the slowest takes a fifth of it
KINDS = {
    "kernels": (True,),
    "functions": (False,),
    "all": (True, False),
}  # whether @jit stands above or within
CHANGES = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or", "or": "and", "not": "",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "|", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "//=": "*=", "%=": "*=", "<<=": ">>=",
    ">>=": "<<=", "&=": "|=", "|=": "&=", "^=": "|=", "True": "False", "False": "True", "break": "continue",
    "continue": "pass",
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="mutants in all (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--of", choices=KINDS, default="kernels", help="which functions (default: kernels)")
    args = parser.parse_args()
    drawn = draw(args.number, args.seed, args.of)
    endings = read()
    left = [mutant for mutant in drawn if mutant not in endings]
    if left:
        compile_sound(args.jobs)
    with ThreadPoolExecutor(args.jobs) as pool:
        tries = {pool.submit(tried, mutant): mutant for mutant in left}
        for future in as_completed(tries):
            endings[tries[future]] = future.result()
            write(endings)
    noticed = sum(endings[mutant] == "noticed" for mutant in drawn)
    survived = [mutant for mutant in drawn if endings[mutant] == "survived"]
    print(f"{noticed + len(survived)} mutants compile, {noticed} were noticed, {len(survived)} were not;")
    print(f"{sum(each in explained() for each in survived)} of those have a reason in tests/survivors.toml")


def draw(number, seed, of="kernels"):
    """Return mutants, as many of each subpackage as of the others, as far as they have them."""
    rng, found = random.Random(seed), []
    for i, part in enumerate(PARTS):
        every = [each for path in sorted((LIBRARY / part).rglob("*.py")) for each in mutants(path, of)]
        wanted = number * (i + 1) // len(PARTS) - number * i // len(PARTS)
        found += islice(filter(is_python, rng.sample(every, len(every))), wanted)
    return found


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
    return any(getattr(getattr(each, "func", each), "id", "") == "jit" for each in decorators)


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


def is_python(mutant):
    try:
        return bool(ast.parse(mutated(mutant)))
    except SyntaxError:
        return False


def place_of(mutant):
    """Return the subpackage, the module and the file of a mutant."""
    module = mutant[0].partition(":")[0]
    parts = module.split(".")
    return parts[1], module, ROOT.joinpath(*parts).with_suffix(".py")


def mutated(mutant):
    """Return the text of the mutant's module; lines keep their numbers, by which numba finds kernels."""
    _, module, file = place_of(mutant)
    return definitions.edited(file.read_text(encoding="utf-8"), module, [mutant])


@cache
def sources(*parts):
    """Return a digest of the sources of some subpackages."""
    digest = hashlib.sha256()
    for path in sorted(path for part in parts for path in (LIBRARY / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources_of(mutant):
    return sources("_common", place_of(mutant)[0])


@cache
def explained():
    """Return `{mutant: why no test notices it}`."""
    rows = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["survivor"]
    reasons = {(row["at"], row["old"], row["new"]): row["why"] for row in rows}
    assert len(reasons) == len(rows), "a mutant stands there twice"
    return reasons


def files_of_tests(mutant):
    """Return the test files in the order in which they are run: the nearest to the mutant first."""
    part, module, _ = place_of(mutant)
    name = f"test_{module.rpartition('.')[2].strip('_')}"
    own = sorted((TESTS / part).glob("test_*.py"))
    own.sort(key=lambda path: (path.stem != name, module not in path.read_text(encoding="utf-8")))
    if part == "_common":  # its kernels are held against slow twins by those who call them
        own += [path for other in PARTS[1:] for path in sorted((TESTS / other).glob("test_*.py"))]
    return own


def sound():
    return KEPT / "kernels" / sources(*PARTS)


def compile_sound(jobs):
    """Run the tests as they are, so that the kernels are compiled once."""
    folder = sound()
    if (folder / "done").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    workers = ["-n", str(jobs), "--dist", "loadfile"]
    code, _ = session([*workers, *(TESTS / part for part in PARTS)], {"NUMBA_CACHE_DIR": str(folder)})
    if code != 0:
        raise SystemExit(f"the tests fail without a mutant (exit {code})")
    (folder / "done").touch()


def tried(mutant):
    """Return the mutant's ending: "noticed", "survived" or "does not compile"."""
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        # Links: what is compiled from other code gets a file of its own, which goes with the folder.
        shutil.copytree(sound(), folder, copy_function=os.link, dirs_exist_ok=True)
        variables = {EDITS: json.dumps([mutant]), "NUMBA_CACHE_DIR": folder}
        code, printed = session(files_of_tests(mutant), variables)
    ending = "survived" if code == 0 else "does not compile" if DOES_NOT_COMPILE in printed else "noticed"
    print(f"{mutant[0]}\n  - {mutant[1]}\n  + {mutant[2]}\n  {ending}", flush=True)
    return ending


def session(arguments, variables):
    """Run tests up to the first that fails, and return the exit code and what was printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.mutants", "-p", "no:cacheprovider"]
    if EDITS in variables:
        command += ["--timeout", str(SECONDS), "--timeout-method", "thread"]  # it ends compiled loops, too
    env = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    done = subprocess.run([*command, *map(str, arguments)], cwd=ROOT, env=env, stdout=subprocess.PIPE)
    return done.returncode, done.stdout


def read():
    """Return the endings in the table, but for other sources, and for what survived without a reason."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as table:
        rows = {(row["at"], row["old"], row["new"]): row for row in csv.DictReader(table)}
    return {
        mutant: row["ending"]
        for mutant, row in rows.items()
        if row["sources"] == sources_of(mutant) and (row["ending"] != "survived" or mutant in explained())
    }


def write(endings):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["at", "old", "new", "ending", "sources"])
    table.writerows([*mutant, ending, sources_of(mutant)] for mutant, ending in sorted(endings.items()))
    write_whole(TABLE, text.getvalue())


if EDITS in os.environ:  # this file is a plugin of pytest then
    sys.meta_path.insert(0, EditedModules(json.loads(os.environ[EDITS])))

if __name__ == "__main__":
    main()
