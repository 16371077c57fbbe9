"""Run the library's quick tests with the oldest or the newest packages: `python -m tests.versions oldest`.

In an environment of its own, `build/versions/oldest` or `newest`. The oldest are the lower bounds that
pyproject.toml states for the library; what the experiments and the tests need besides is what pip finds.
"""

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(which):
    folder = ROOT / "build" / "versions" / which
    venv.create(folder, clear=True, with_pip=True)
    python = folder / "bin" / "python"
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(oldest() if which == "oldest" else []) + "\n")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    extras = f"{ROOT}[companion,arrow,dev]"
    editable = ["--editable", extras, "--config-settings", "editable_mode=compat"]
    if code := subprocess.run([*install, "--constraint", constraints, *editable]).returncode:
        return code
    kernels = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    tests = [python, "-m", "pytest", "-n", "logical", "--dist", "loadfile", "tests/paperlib", "paperlib"]
    return subprocess.run(tests, cwd=ROOT, env=kernels).returncode


def oldest():
    """Return pins of the lower bounds, each with its last bug-fix release."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return [re.sub(r">=(\S+)", r"==\1.*", each) for each in needed]


if __name__ == "__main__":
    if sys.argv[1:] not in (["oldest"], ["newest"]):
        sys.exit("python -m tests.versions oldest|newest")
    sys.exit(main(sys.argv[1]))
