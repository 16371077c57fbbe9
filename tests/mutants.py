"""Mutants of the kernels: small errors, drawn at random, that the tests of their subpackage must notice.

    python -m tests.mutants --number 200 --seed 0 --jobs 2

The table figures/evidence/mutants.csv is written after each, and a second call goes on from it. Mutants of
a subpackage whose sources have changed are tried again, and so is what survived, unless tests/survivors.toml
says why no test can notice it; for any other a test is to be written.
"""

import argparse
import ast
import copy
import csv
import hashlib
import importlib.abc
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, TESTS = ROOT / "paperlib", ROOT / "tests" / "paperlib"
PARTS = ("_common", *PAPERS)
KEPT = ROOT / "build" / "mutants"
SURVIVORS = ROOT / "tests" / "survivors.toml"
TABLE = ROOT / "figures" / "evidence" / "mutants.csv"
MUTANT = "PAPERLIB_MUTANT"  # the environment variable that has a test session run with a mutant
DOES_NOT_COMPILE = b"numba.core.errors."  # a change of a type, which no test need notice
SECONDS = 180  # a test that takes longer does not end; the slowest takes a fifth of it
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="mutants in all (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    drawn = {key(mutant): mutant for mutant in draw(args.number, args.seed)}
    endings = {each: ending for each, ending in read().items() if each in drawn}
    if len(endings) < len(drawn):
        compile_sound(args.jobs)
    with ThreadPoolExecutor(args.jobs) as pool:
        left = {pool.submit(tried, mutant): each for each, mutant in drawn.items() if each not in endings}
        for future in as_completed(left):
            endings[left[future]] = future.result()
            write(drawn, endings)
    noticed = list(endings.values()).count("noticed")
    survived = [which(mutant) for each, mutant in drawn.items() if endings[each] == "survived"]
    reasons = explained().keys()
    print(f"{noticed + len(survived)} mutants compile, {noticed} were noticed, {len(survived)} were not;")
    print(f"{sum(each in reasons for each in survived)} of those have a reason in tests/survivors.toml")


def draw(number, seed):
    """Return mutants, as many of each subpackage as of the others, as far as they have them."""
    rng, found = random.Random(seed), []
    for i, part in enumerate(PARTS):
        every = [mutant for path in sorted((LIBRARY / part).rglob("*.py")) for mutant in mutants(path, part)]
        wanted = number * (i + 1) // len(PARTS) - number * i // len(PARTS)
        found += rng.sample(every, min(wanted, len(every)))
    return found


def mutants(path, part):
    """Return all mutants of the kernels of a file."""
    text = path.read_text(encoding="utf-8")
    tree, lines, found = ast.parse(text), text.splitlines(), []
    for kernel in (node for node in ast.walk(tree) if is_kernel(node)):
        for place, node in enumerate(ast.walk(kernel)):
            for kind, changed in changes(node):
                before = ast.unparse(node)
                found.append(
                    {
                        "part": part,
                        "file": path.relative_to(ROOT).as_posix(),
                        "kernel": kernel.name,
                        "line": node.lineno,
                        "code": lines[node.lineno - 1].strip(),
                        "place": place,
                        "kind": kind,
                        "before": before,
                        "after": ast.unparse(changed),
                    }
                )
    return found


def is_kernel(node):
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(
        getattr(each.func if isinstance(each, ast.Call) else each, "id", "") == "jit"
        for each in node.decorator_list
    )


def changes(node):
    """Yield what a node may be changed to, with a name for the kind of change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield "comparison", with_field(node, ops=[COMPARED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
        yield "arithmetic", with_field(node, op=COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield "logic", with_field(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "sign", node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", with_field(node, value=not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        more = node.value + 1 if isinstance(node.value, int) else 2.0 * node.value + 1.0
        yield "constant", with_field(node, value=more)
    elif isinstance(node, ast.Break):
        yield "jump", ast.copy_location(ast.Continue(), node)
    elif isinstance(node, ast.Continue):
        yield "jump", ast.copy_location(ast.Pass(), node)


def with_field(node, **fields):
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def mutated(mutant):
    """Return the text of the mutant's module; lines keep their numbers, by which numba finds kernels."""
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    kernels = [
        node for node in ast.walk(ast.parse(text)) if is_kernel(node) and node.name == mutant["kernel"]
    ]
    [node] = [list(ast.walk(kernel))[mutant["place"]] for kernel in kernels]
    after, more = mutant["after"], "\n" * (node.end_lineno - node.lineno)
    if isinstance(node, ast.expr):
        after = f"({after}{more})"
    else:
        after += more
    lines = text.splitlines(keepends=True)
    first, last = lines[node.lineno - 1].encode(), lines[node.end_lineno - 1].encode()
    middle = first[: node.col_offset] + after.encode() + last[node.end_col_offset :]
    return "".join([*lines[: node.lineno - 1], middle.decode(), *lines[node.end_lineno :]])


def module_of(mutant):
    return mutant["file"].removesuffix(".py").replace("/", ".")


def sources(*parts):
    """Return a digest of the sources of some subpackages."""
    digest = hashlib.sha256()
    for path in sorted(path for part in parts for path in (LIBRARY / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def key(mutant):
    text = sources("_common", mutant["part"]) + json.dumps(mutant)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def which(mutant):
    return tuple(mutant[name] for name in ("file", "kernel", "code", "before", "after"))


def explained():
    """Return `{which mutant: why no test notices it}`."""
    rows = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["survivor"]
    reasons = {which(row): row["why"] for row in rows}
    assert len(reasons) == len(rows), "a mutant stands there twice"
    return reasons


def files_of_tests(mutant):
    """Return lists of test files in the order in which they are run: the nearest to the mutant first."""
    module = module_of(mutant)
    stem = module.rpartition(".")[2].strip("_")
    own = sorted((TESTS / mutant["part"]).glob("test_*.py"))
    named = [path for path in own if path.stem == f"test_{stem}"]
    near = [path for path in own if path not in named and module in path.read_text(encoding="utf-8")]
    stages = [named, near, [path for path in own if path not in named + near]]
    if mutant["part"] == "_common":  # its kernels are held against slow twins by those who call them
        stages += [sorted((TESTS / part).glob("test_*.py")) for part in PARTS if part != "_common"]
    return [stage for stage in stages if stage]


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
    from reproduce.paths import Project
    from reproduce.power import kernels
    from reproduce.power.faults import Fault

    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    fault = Fault("mutant", "", "algorithm", ((module_of(mutant), text, mutated(mutant)),))
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        cache = Path(folder, "kernels")
        kernels.copied(sound(), cache, kernels.affected(Project(ROOT), fault))
        described = Path(folder, "mutant.json")
        described.write_text(json.dumps({"module": module_of(mutant), "text": fault.edits[0][2]}))
        variables = {MUTANT: str(described), "NUMBA_CACHE_DIR": str(cache)}
        ending = "survived"
        for files in files_of_tests(mutant):
            code, printed = session(files, variables)
            if code != 0:
                ending = "does not compile" if DOES_NOT_COMPILE in printed else "noticed"
                break
    print(
        f"{mutant['file']}:{mutant['line']} {mutant['before']!r} -> {mutant['after']!r}: {ending}", flush=True
    )
    return ending


def session(arguments, variables):
    """Run tests up to the first that fails, and return the exit code and what was printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.mutants", "-p", "no:cacheprovider"]
    if MUTANT in variables:
        command += ["--timeout", str(SECONDS), "--timeout-method", "thread"]  # it ends compiled loops, too
    env = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    done = subprocess.run([*command, *map(str, arguments)], cwd=ROOT, env=env, stdout=subprocess.PIPE)
    return done.returncode, done.stdout


def read():
    """Return the endings in the table, by key, but for what survived without a reason: try those again."""
    if not TABLE.exists():
        return {}
    reasons = explained()
    with TABLE.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["ending"] != "survived" or which(row) in reasons]
    return {row["key"]: row["ending"] for row in rows}


def write(drawn, endings):
    """Write the table of those that have ended, in the order of the draw."""
    from paperlib.experiments.files import write_whole  # not above: a session imports this before its mutant

    text = io.StringIO()
    names = ("file", "line", "kernel", "code", "kind", "before", "after", "ending", "key")
    table = csv.DictWriter(text, names, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(
        mutant | {"ending": endings[each], "key": each} for each, mutant in drawn.items() if each in endings
    )
    write_whole(TABLE, text.getvalue())


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives a module the text of the mutant; numba finds it at the file's own place."""

    def __init__(self, module, text):
        self.module, self.text = module, text
        self.path = str(ROOT.joinpath(*module.split(".")).with_suffix(".py"))

    def find_spec(self, name, path=None, target=None):
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.text, self.path, "exec"), module.__dict__)

    def get_filename(self, name):
        return self.path


if MUTANT in os.environ:  # this file is a plugin of pytest then
    described = json.loads(Path(os.environ[MUTANT]).read_text())
    sys.meta_path.insert(0, _Finder(described["module"], described["text"]))

if __name__ == "__main__":
    main()
