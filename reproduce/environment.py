"""Make `.venv` and install every pinned version: `python3 -m reproduce.environment [--torch 0|1]`.

Only the standard library is imported: nothing else is installed yet. The file `.venv/installed` names
what was installed. It is written last, so the next call repeats an installation that was interrupted.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def main(argv=None):
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
    from reproduce.library import write_whole  # not above: a Python that is too old cannot parse it

    venv = root / ".venv"
    python = venv / "bin" / "python"
    stamp = venv / "installed"
    installed = stamp.read_text().split() if stamp.exists() and _runs(python) else []
    torch = torch or (installed[1] if len(installed) == 2 else "0")
    wanted = [_fingerprint(root), torch]
    if installed == wanted:
        return 0
    if not _runs(python):
        if venv.exists():
            print(".venv does not run any more: it is made again", flush=True)
            shutil.rmtree(venv)
        code = _make_venv(venv)
        if code:
            return code
    stamp.unlink(missing_ok=True)

    requirements = venv / "requirements.txt"
    pins = (root / "requirements.lock").read_text().splitlines()
    kept = [line for line in pins if torch == "1" or not line.endswith("# torch only")]
    requirements.write_text("\n".join(kept) + "\n")
    if torch == "0" and _has(python, "torch"):
        _pip(python, "uninstall", "--yes", "torch")
    count = sum("==" in line for line in kept)
    print(f"Installing {count} pinned packages into .venv (a minute or two) ...", flush=True)
    start = time.monotonic()
    code = _pip(python, "install", "--requirement", str(requirements))
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
    for name in ("requirements.lock", "pyproject.toml"):
        digest.update((root / name).read_bytes())
    digest.update(str(root).encode())  # an editable install and the scripts in bin/ name this folder
    return digest.hexdigest()


def _make_venv(venv):
    made = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(venv, ignore_errors=True)
        return _fail(
            f"{sys.executable} -m venv failed: {(made.stdout + made.stderr).strip()[-400:]}\n"
            "On Debian and Ubuntu: apt-get install python3-venv"
        )
    return 0


def _runs(python):
    if not python.exists():
        return False
    try:
        return subprocess.run([python, "-c", "import pip"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _has(python, package):
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return subprocess.run([python, "-c", probe]).returncode == 0


def _pip(python, *args):
    return subprocess.run([python, "-m", "pip", *args, "--quiet", "--disable-pip-version-check"]).returncode


def _fail(message, code=2):
    print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
