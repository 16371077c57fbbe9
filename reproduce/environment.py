"""Make `.venv` and install every pinned version: `python3 -m reproduce.environment [--torch 0|1]`.

Only the standard library is imported: nothing else is installed yet. The file `.venv/installed` names
what was installed. It is written last, so the next call repeats an installation that was interrupted.
"""

import argparse
import errno
import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
WORKS, MISSING, BROKEN = "works", "missing", "broken"
HASHED = "requirements-hashed.lock"  # made of requirements.lock by tests/pins.py
PATIENCE = 60  # seconds for an environment's Python to start
NO_PIP = 3
PROBE = f"""
import sys
try:
    import pip
except ImportError:
    sys.exit({NO_PIP})
"""


def main(argv=None):
    """Install, and return the exit code: 2 after a message that says what failed, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduce.environment",
        description="Make .venv and install every package that requirements.lock pins.",
    )
    parser.add_argument(
        "--torch",
        choices=["0", "1"],
        help="1 with PyTorch, 0 without (default: as last time, at first 0)",
    )
    args = parser.parse_args(argv)
    if sys.version_info < OLDEST:
        return _fail(
            f"Python {'.'.join(map(str, OLDEST))} or newer is needed, {sys.executable} is "
            f"{sys.version.split()[0]}: name a newer one, as in `make setup PYTHON=python3.12`"
        )
    try:
        return install(ROOT, args.torch)
    except KeyboardInterrupt:
        return _fail("interrupted: call again to go on", code=130)
    except OSError as error:
        return _fail(f"cannot write the environment: {error}")


def install(root, torch=None):
    """Install `requirements.lock` into `root/.venv`; do nothing, silently, when that is done already."""
    from reproduce.publication.lock import held  # not above: a Python that is too old cannot parse it

    if _is_done(root, torch):
        return 0
    with held(root / "build" / "setup.lock", _say_that_it_waits):
        # Asked again under the lock: the call that held it may have installed the same.
        if _is_done(root, torch):
            return 0
        code = _ready(root / ".venv")
        return code or _install(root, _wanted(root, torch), without_torch=torch == "0")


def _is_done(root, torch):
    return _installed(root) == _wanted(root, torch) and _state(root / ".venv") == WORKS


def _wanted(root, torch):
    installed = _installed(root)
    return [_fingerprint(root), torch or (installed[1] if len(installed) == 2 else "0")]


def _installed(root):
    stamp = root / ".venv" / "installed"
    return stamp.read_text(errors="replace").split() if stamp.exists() else []


def _ready(venv):
    """Have `venv` be an environment that works. One that does not is put aside, whatever else is in it."""
    state = _state(venv)
    if state not in (WORKS, MISSING, BROKEN):
        return _fail(f"whether .venv works cannot be told: {state}\nTry again, or move it away yourself.")
    if state == BROKEN:
        names = (venv.with_name(f"{venv.name}.broken-{number}") for number in itertools.count(1))
        aside = next(name for name in names if not os.path.lexists(name))
        venv.rename(aside)
        print(f".venv does not run any more: it is now {aside.name}, and a new one is made", flush=True)
    return 0 if state == WORKS else _make_venv(venv)


def _install(root, wanted, without_torch):
    from reproduce.library import write_whole

    venv, torch = root / ".venv", wanted[1]
    python, stamp = venv / "bin" / "python", venv / "installed"
    stamp.unlink(missing_ok=True)

    pins = [line for line in (root / "requirements.lock").read_text().splitlines() if "==" in line]
    torch_only = [line.split()[0] for line in pins if line.endswith("# torch only")]
    if without_torch and _has(python, "torch"):
        _pip(python, "uninstall", "--yes", "torch")
    count = len(pins) - (0 if torch == "1" else len(torch_only))
    print(f"Installing {count} pinned packages into .venv (a minute or two) ...", flush=True)
    start = time.monotonic()
    # Nothing is built, because what a build takes is pinned by nobody.
    hashed = ["--require-hashes", "--only-binary", ":all:", "--requirement", str(root / HASHED)]
    code = _pip(python, "install", *hashed)
    if torch == "1":
        # By their versions only: a build for the processor or for CUDA comes from where pip is told to look.
        code = code or _pip(python, "install", *torch_only)
    # "compat" puts the checkout itself on the path, and so `reproduce`, which is in no wheel.
    editable = ["--editable", str(root), "--config-settings", "editable_mode=compat"]
    code = code or _pip(python, "install", "--no-deps", "--no-build-isolation", *editable)
    if code:
        return _fail("pip could not install requirements.lock: see its message above")
    write_whole(stamp, "\n".join(wanted) + "\n")
    print(f"Installed in {time.monotonic() - start:.0f} s.", flush=True)
    return 0


def _fingerprint(root):
    digest = hashlib.sha256(sys.version.encode())
    for name in ("requirements.lock", HASHED, "pyproject.toml"):
        digest.update((root / name).read_bytes())
    digest.update(str(root).encode())  # an editable install and the scripts in bin/ name this folder
    return digest.hexdigest()


def _make_venv(venv):
    venv.mkdir()  # so that what is removed below is what was made here
    try:
        made = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True)
    except BaseException:
        shutil.rmtree(venv, ignore_errors=True)
        raise
    if made.returncode == 0:
        return 0
    shutil.rmtree(venv, ignore_errors=True)
    said = (made.stdout + made.stderr).strip()[-400:]
    advice = (
        "\nOn Debian and Ubuntu: apt-get install python3-venv" if "ensurepip is not available" in said else ""
    )
    return _fail(f"{sys.executable} -m venv failed: {said}{advice}")


def _state(venv):
    """Return WORKS, MISSING or BROKEN, or why none of these is certain."""
    if not os.path.lexists(venv):
        return MISSING
    try:
        probed = subprocess.run(
            [venv / "bin" / "python", "-c", PROBE], capture_output=True, text=True, timeout=PATIENCE
        )
    except (FileNotFoundError, NotADirectoryError):
        return BROKEN
    except OSError as error:
        return BROKEN if error.errno == errno.ENOEXEC else str(error)
    except subprocess.TimeoutExpired:
        return f"its Python did not answer in {PATIENCE} s"
    if probed.returncode == 0:
        return WORKS
    said = probed.stderr.strip()
    if probed.returncode == NO_PIP or said.startswith("Fatal Python error: init"):
        return BROKEN
    last = said.splitlines()[-1] if said else "it said nothing"
    return f"its Python ended with {probed.returncode}: {last}"


def _has(python, package):
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return subprocess.run([python, "-c", probe]).returncode == 0


def _pip(python, *args):
    return subprocess.run([python, "-m", "pip", *args, "--quiet", "--disable-pip-version-check"]).returncode


def _say_that_it_waits():
    print("Another `make setup` of this checkout is at work: waiting for it ...", flush=True)


def _fail(message, code=2):
    print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
