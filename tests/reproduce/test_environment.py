"""`make setup`: what is installed when, and the files that it installs from."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from reproduce import environment

REPOSITORY = Path(__file__).resolve().parents[2]
LOCK = "# every version\nnumpy==2.0\nmpmath==1.3  # torch only\ntorch==2.13  # torch only\nzict==3.0\n"


class Machine:
    """A project's folder, with a pip and a venv that only note what they are asked for."""

    def __init__(self, root, monkeypatch):
        self.root, self.calls = root, []
        self.state, self.installed, self.pip_code, self.venv_code = None, set(), 0, 0
        self.during_pip = lambda: None
        root.mkdir()
        (root / "requirements.lock").write_text(LOCK)
        (root / environment.HASHED).write_text("# of every file\n")
        (root / "pyproject.toml").write_text("[project]\nname = 'mini'\n")
        for name in ("_pip", "_make_venv", "_state", "_has"):
            monkeypatch.setattr(environment, name, getattr(self, name))
        monkeypatch.setattr(environment, "ROOT", root)

    @property
    def venv(self):
        return self.root / ".venv"

    @property
    def stamp(self):
        return self.venv / "installed"

    def _make_venv(self, venv):
        self.calls.append("venv")
        if not self.venv_code:
            (venv / "bin").mkdir(parents=True)
            (venv / "bin" / "python").write_text("")
            self.state = None
        return self.venv_code

    def _state(self, venv):
        return self.state or (environment.WORKS if venv.exists() else environment.MISSING)

    def _has(self, python, package):
        return package in self.installed

    def _pip(self, python, *args):
        self.calls.append(" ".join(["pip", *args]).replace(str(self.root), "ROOT"))
        assert python == self.venv / "bin" / "python"
        assert not self.stamp.exists(), "an installation is going on and the stamp says it is done"
        self.during_pip()
        return self.pip_code

    def setup(self, *args):
        """The exit status, and what was called."""
        self.calls = []
        return environment.main(list(args)), self.calls


@pytest.fixture
def machine(tmp_path, monkeypatch):
    return Machine(tmp_path / "a project", monkeypatch)


HASHED = "pip install --require-hashes --only-binary :all: --requirement ROOT/requirements-hashed.lock"
INSTALL = [
    HASHED,
    "pip install --no-deps --no-build-isolation --editable ROOT --config-settings editable_mode=compat",
]
WITH_TORCH = [INSTALL[0], "pip install mpmath==1.3 torch==2.13", INSTALL[1]]


def test_a_fresh_clone_gets_everything_but_torch(machine, capsys):
    assert machine.setup() == (0, ["venv", *INSTALL])
    out = capsys.readouterr().out
    assert "Installing 2 pinned packages into .venv" in out
    assert "Installed in " in out


def test_what_is_up_to_date_is_left_alone_in_silence(machine, capsys):
    machine.setup()
    before = machine.stamp.read_bytes()
    capsys.readouterr()
    assert machine.setup() == (0, [])
    assert machine.stamp.read_bytes() == before
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-hashed.lock", "pyproject.toml"])
def test_a_changed_pin_or_project_is_installed_into_the_same_venv(machine, name):
    machine.setup()
    path = machine.root / name
    path.write_text(path.read_text() + "# changed\n")
    assert machine.setup() == (0, INSTALL)
    assert machine.setup() == (0, [])


def test_another_python_installs_anew(machine, monkeypatch):
    machine.setup()
    monkeypatch.setattr(environment.sys, "version", "3.99.0 (another)")
    assert machine.setup() == (0, INSTALL)


def test_a_project_that_was_moved_installs_anew(machine, monkeypatch):
    machine.setup()
    moved = machine.root.rename(machine.root.with_name("moved"))
    machine.root = moved
    monkeypatch.setattr(environment, "ROOT", moved)
    assert machine.setup() == (0, INSTALL)


@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupted_installation_is_taken_up_again(machine, capsys, at):
    machine.setup()
    (machine.root / "requirements.lock").write_text(LOCK + "zipp==4.0\n")

    def interrupt():
        if len(machine.calls) == at:
            raise KeyboardInterrupt

    machine.during_pip = interrupt
    assert machine.setup() == (130, INSTALL[:at])
    assert capsys.readouterr().err == "interrupted: call again to go on\n"
    assert not machine.stamp.exists()

    machine.during_pip = lambda: None
    assert machine.setup() == (0, INSTALL)
    assert machine.setup() == (0, [])


def test_an_installation_that_fails_is_no_success_and_is_tried_again(machine, capsys):
    machine.pip_code = 1
    assert machine.setup() == (2, ["venv", INSTALL[0]])
    assert capsys.readouterr().err.startswith("pip could not install requirements.lock")
    assert not machine.stamp.exists()
    machine.pip_code = 0
    assert machine.setup() == (0, INSTALL)


def test_torch_0_leaves_out_every_line_that_says_so_and_is_remembered(machine, capsys):
    assert machine.setup("--torch", "0") == (0, ["venv", *INSTALL])
    assert "Installing 2 pinned packages" in capsys.readouterr().out
    assert machine.setup() == (0, [])
    assert machine.setup("--torch", "0") == (0, [])

    (machine.root / "requirements.lock").write_text(LOCK + "zipp==4.0\n")
    assert machine.setup() == (0, INSTALL)
    assert "Installing 3 pinned packages" in capsys.readouterr().out


def test_torch_1_brings_it_back_and_torch_0_takes_it_away(machine):
    machine.setup("--torch", "0")
    assert machine.setup("--torch", "1") == (0, WITH_TORCH)
    machine.installed = {"torch"}
    assert machine.setup("--torch", "0") == (0, ["pip uninstall --yes torch", *INSTALL])


def test_torch_is_0_or_1(machine, capsys):
    with pytest.raises(SystemExit) as caught:
        machine.setup("--torch", "yes")
    assert caught.value.code == 2
    assert re.search("choose from '?0'?, '?1'?", capsys.readouterr().err)
    assert machine.calls == []


def test_a_venv_that_does_not_run_is_put_aside_and_made_anew(machine, capsys):
    machine.setup()
    for number in (1, 2):
        (machine.venv / "own").write_text(f"notes {number}")
        machine.state = environment.BROKEN
        assert machine.setup() == (0, ["venv", *INSTALL])
        said = f".venv does not run any more: it is now .venv.broken-{number}, and a new one is made"
        assert said in capsys.readouterr().out
        assert not (machine.venv / "own").exists()
    aside = [machine.root / f".venv.broken-{number}" / "own" for number in (1, 2)]
    assert [own.read_text() for own in aside] == ["notes 1", "notes 2"]


def test_a_venv_that_cannot_be_judged_is_left_as_it_is(machine, capsys):
    machine.setup()
    capsys.readouterr()
    before = sorted(machine.root.rglob("*"))
    machine.state = "[Errno 12] Cannot allocate memory"
    assert machine.setup() == (2, [])
    assert capsys.readouterr().err == (
        "whether .venv works cannot be told: [Errno 12] Cannot allocate memory\n"
        "Try again, or move it away yourself.\n"
    )
    assert sorted(machine.root.rglob("*")) == before


def test_torch_that_is_there_goes_only_when_that_is_asked_for(machine):
    machine.installed = {"torch"}  # in an environment that the user made
    machine.venv.mkdir()
    assert machine.setup() == (0, INSTALL)


@pytest.mark.parametrize("text", ["", "one-word", "three words here", "\n"])
def test_a_stamp_that_is_damaged_counts_as_none(machine, text):
    machine.setup()
    machine.stamp.write_text(text)
    assert machine.setup() == (0, INSTALL)
    assert machine.setup() == (0, [])


def test_no_venv_no_installation(machine):
    machine.venv_code = 2
    assert machine.setup() == (2, ["venv"])
    assert not machine.venv.exists()


def test_a_folder_that_cannot_be_written_is_one_line(machine, capsys):
    def full():
        raise OSError(28, "No space left on device")

    machine.during_pip = full
    assert machine.setup() == (2, ["venv", INSTALL[0]])
    err = capsys.readouterr().err
    assert err == "cannot write the environment: [Errno 28] No space left on device\n"
    assert not machine.stamp.exists()


@pytest.mark.parametrize("version", [(3, 8, 20), (3, 10, 14)])
def test_a_python_that_is_too_old_is_told_what_to_do(machine, monkeypatch, capsys, version):
    monkeypatch.setattr(environment.sys, "version_info", version)
    monkeypatch.setattr(environment.sys, "version", ".".join(map(str, version)) + " (main)")
    assert machine.setup() == (2, [])
    assert capsys.readouterr().err == (
        f"Python 3.11 or newer is needed, {sys.executable} is {'.'.join(map(str, version))}: name a newer "
        "one, as in `make setup PYTHON=python3.12`\n"
    )


def test_an_old_python_can_read_the_message_at_all():
    text = Path(environment.__file__).read_text()
    tree = ast.parse(text, feature_version=(3, 7))
    modules = {
        alias.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    }
    modules |= {n.module.split(".")[0] for n in tree.body if isinstance(n, ast.ImportFrom)}
    assert modules <= sys.stdlib_module_names


def test_a_bare_python_has_all_that_is_imported(tmp_path):
    code = f"""
import sys
sys.path[:0] = [{str(REPOSITORY)!r}]
from reproduce import environment
from reproduce.library import write_whole
write_whole({str(tmp_path / "stamp")!r}, "whole")
print(*sorted({{name.split(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names)))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "__main__ reproduce\n"), done.stderr
    assert (tmp_path / "stamp").read_text() == "whole"


def test_a_venv_module_that_is_missing_names_the_package(tmp_path, monkeypatch, capsys):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho ensurepip is not available\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(environment.sys, "executable", str(broken))
    assert environment._make_venv(tmp_path / ".venv") == 2
    err = capsys.readouterr().err
    assert "ensurepip is not available" in err
    assert "apt-get install python3-venv" in err
    assert not (tmp_path / ".venv").exists()
    broken.write_text("#!/bin/sh\necho No space left on device\nexit 1\n")
    assert environment._make_venv(tmp_path / ".venv") == 2
    assert "apt-get" not in capsys.readouterr().err
    (tmp_path / ".venv").mkdir()
    with pytest.raises(FileExistsError):  # and is not removed: someone else made it
        environment._make_venv(tmp_path / ".venv")


@pytest.fixture
def venv(tmp_path):
    """A function that makes an environment of one file, its Python."""
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)

    def make(text, mode=0o755):
        (folder / "bin" / "python").write_text(text)
        (folder / "bin" / "python").chmod(mode)
        return folder

    return make


def test_an_environment_works_or_is_missing(tmp_path):
    assert environment._state(Path(sys.prefix)) == environment.WORKS
    assert environment._state(tmp_path / "missing") == environment.MISSING


@pytest.mark.parametrize(
    "text",
    [
        "",  # nothing that a system can run
        "#!/no/such/interpreter\n",
        f"#!/bin/sh\nexit {environment.NO_PIP}\n",
        "#!/bin/sh\necho 'Fatal Python error: init_fs_encoding: no codec' >&2; exit 1\n",
    ],
)
def test_what_does_not_run_is_broken(venv, text):
    assert environment._state(venv(text)) == environment.BROKEN


def test_a_folder_without_a_python_and_a_link_to_nothing_are_broken(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("empty", "file", "link"):
        assert environment._state(tmp_path / name) == environment.BROKEN


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("#!/bin/sh\nsleep 30\n", 0o755, "its Python did not answer in 0.5 s"),
        ("#!/bin/sh\nkill -9 $$\n", 0o755, "its Python ended with -9: it said nothing"),  # no memory left
        ("#!/bin/sh\necho MemoryError >&2; exit 1\n", 0o755, "its Python ended with 1: MemoryError"),
        ("#!/bin/sh\n", 0o644, "Permission denied"),
    ],
)
def test_what_may_yet_work_is_neither(venv, monkeypatch, text, mode, why):
    monkeypatch.setattr(environment, "PATIENCE", 0.5)
    assert why in environment._state(venv(text, mode))


def test_two_first_calls_wait_for_each_other(tmp_path):
    """With a venv and a pip that take a second, and that would not bear another beside them."""
    for name in ("requirements.lock", environment.HASHED, "pyproject.toml"):
        (tmp_path / name).write_text("")
    maker = tmp_path / "python"
    maker.write_text(
        '#!/bin/sh\nmkdir -p "$3" && mkdir "$3/bin" && sleep 0.5 && cp /bin/true "$3/bin/python"\n'
    )
    maker.chmod(0o755)
    code = f"""
import pathlib, sys, time
from reproduce import environment
def pip(python, *args):
    with open({str(tmp_path / "pips")!r}, "a") as log:
        print(args[0], file=log)
    time.sleep(0.25)
    return 0
environment.ROOT, environment._pip = pathlib.Path({str(tmp_path)!r}), pip
sys.executable = {str(maker)!r}
sys.exit(environment.main([]))
"""
    calls = []
    for _ in range(2):
        calls.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=REPOSITORY))
        time.sleep(0.2)
    outs = [call.communicate(timeout=60)[0].decode() for call in calls]
    assert [call.returncode for call in calls] == [0, 0]
    assert (tmp_path / "pips").read_text().split() == ["install", "install"]
    waits = [out for out in outs if "Another `make setup` of this checkout is at work" in out]
    assert len(waits) <= 1, outs  # none, if the second had not begun before the first was done
    assert [path.name for path in tmp_path.glob(".venv*")] == [".venv"]


def test_what_is_installed_is_found():
    python = Path(sys.executable)
    assert environment._has(python, "numpy")
    assert not environment._has(python, "no_such_package_anywhere")


def test_pip_is_that_of_the_venv(monkeypatch):
    commands = []
    monkeypatch.setattr(
        environment.subprocess,
        "run",
        lambda command: commands.append(command) or subprocess.CompletedProcess(command, 3),
    )
    assert environment._pip("venv/bin/python", "install", "x") == 3
    assert commands[0][:5] == ["venv/bin/python", "-m", "pip", "install", "x"]


# requirements.lock, pyproject.toml and environment.yml

LINES = [
    line for line in (REPOSITORY / "requirements.lock").read_text().splitlines() if not line.startswith("#")
]
PINS = {canonicalize_name(line.split("==")[0]): line.split("==")[1].split()[0] for line in LINES}
TORCH_ONLY = {canonicalize_name(line.split("==")[0]) for line in LINES if line.endswith("# torch only")}
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
DIRECT = [
    Requirement(text)
    for texts in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for text in texts
]


def has_torch():
    return any(canonicalize_name(d.name) == "torch" for d in importlib.metadata.distributions())


def test_every_line_of_the_lock_pins_one_version_and_names_no_address():
    pin = r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][0-9a-z.]*(  # (torch only|no result depends on it))?"
    for line in LINES:
        assert re.fullmatch(pin, line), line
    assert "://" not in (REPOSITORY / "requirements.lock").read_text()


def test_the_lock_is_sorted_and_names_nothing_twice():
    names = [canonicalize_name(line.split("==")[0]) for line in LINES]
    assert names == sorted(set(names))


def test_the_lock_holds_every_direct_dependency_in_range_and_as_installed():
    for requirement in DIRECT:
        name = canonicalize_name(requirement.name)
        assert name in PINS, name
        assert PINS[name] in requirement.specifier, name
        if name in TORCH_ONLY and not has_torch():
            continue  # set up with TORCH=0
        installed = Version(importlib.metadata.version(name))
        # A build such as 2.13.0+cpu is that version.
        assert Version(installed.public) == Version(PINS[name]), name


def test_the_lock_holds_what_its_packages_need():
    missing = []
    for name in sorted(PINS.keys() - TORCH_ONLY):
        extras = {e for r in DIRECT if canonicalize_name(r.name) == name for e in r.extras} | {""}
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            applies = not needed.marker or any(needed.marker.evaluate({"extra": e}) for e in extras)
            if applies and PINS.get(canonicalize_name(needed.name), "") not in needed.specifier:
                missing.append(f"{name}: {text}")
    assert missing == []


@pytest.mark.parametrize("python", ["3.11.0", "3.12.0", "3.13.0"])
def test_the_lock_can_be_installed_with_each_python(python):
    # Debian 12 has 3.11.2, which is older than the 3.11 that one happens to have.
    refuse = [
        f"{name}: {needs}"
        for name in sorted(PINS.keys() - TORCH_ONLY)
        if (needs := importlib.metadata.metadata(name).get("Requires-Python"))
        and Version(python) not in SpecifierSet(needs)
    ]
    assert refuse == []


def test_the_build_backend_is_pinned_too():
    build = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["build-system"]
    for requirement in map(Requirement, build["requires"]):
        assert PINS[canonicalize_name(requirement.name)] in requirement.specifier


def test_torch_is_left_out_with_what_only_it_needs():
    assert "torch" in TORCH_ONLY
    assert not TORCH_ONLY & {canonicalize_name(r.name) for r in DIRECT if r.name != "torch"}


def test_conda_users_get_the_same_versions():
    content = yaml.safe_load((REPOSITORY / "environment.yml").read_text())
    pip = next(entry["pip"] for entry in content["dependencies"] if isinstance(entry, dict))
    assert pip == ["-r requirements.lock", "--editable ."]
    python = next(e for e in content["dependencies"] if isinstance(e, str) and e.startswith("python="))
    assert Version(python.split("=")[1]) in Requirement(f"python{PROJECT['requires-python']}").specifier
    assert "pip" in content["dependencies"]


def test_the_oldest_python_is_that_of_the_project():
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, environment.OLDEST))}"
