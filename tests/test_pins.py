"""What is installed is what was looked at: files of known hashes, actions and an image of known digests."""

import os
import re
import stat
import subprocess

import pytest
from packaging.markers import Marker
from packaging.utils import canonicalize_name

from tests import pins

WORKFLOWS = sorted((pins.ROOT / ".github" / "workflows").glob("*.yml"))
LOCK = (pins.ROOT / "requirements.lock").read_text().splitlines()
PIN = re.compile(r"([\w.-]+)==([\w.]+)(?: ; (.+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def hashed(name):
    """`{name: (version, marker)}` of a file that pins hashes, and nothing else."""
    text = (pins.ROOT / name).read_text().removeprefix(pins.HEADER)
    assert PIN.sub("", text) == ""
    found = [(canonicalize_name(name), (version, marker)) for name, version, marker, _ in PIN.findall(text)]
    assert len(found) == len(dict(found))
    return dict(found)


def test_every_version_of_the_lock_has_its_hashes():
    lock = [line.split("#")[0].split("==") for line in LOCK if "==" in line and "# torch only" not in line]
    wanted = {canonicalize_name(name): version.strip() for name, version in lock}
    found = hashed(pins.HASHED)
    assert {name: version for name, (version, marker) in found.items() if not marker} == wanted
    for _, marker in (found[name] for name in found.keys() - wanted.keys()):  # of other systems
        assert not Marker(marker).evaluate({"sys_platform": "linux", "os_name": "posix"})


def test_the_audit_is_pinned():
    assert "pip-audit" in hashed(pins.AUDIT)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_known_commits_of_actions_and_nothing_newest(path):
    text = path.read_text()
    uses = re.findall(r"uses: .*", text)
    assert uses and [line for line in uses if not pins.USES.fullmatch(line)] == []
    assert not re.search(r"-latest|pipx|pip3? install (?!--require-hashes)", text)


def test_the_image_is_made_of_a_known_one_and_of_known_files():
    text = (pins.ROOT / "Dockerfile").read_text()
    assert len(pins.FROM.findall(text)) == len(re.findall("^FROM", text, re.MULTILINE)) == 1
    assert re.findall(r"pip install[^&]*", text, re.DOTALL)[0].count("--require-hashes") == 1


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project beside a git and a docker that know one release and one image."""
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    old = "0" * 40
    (tmp_path / ".github/workflows/ci.yml").write_text(f"- uses: actions/checkout@{old}  # v4.1.0\n")
    (tmp_path / "Dockerfile").write_text(
        f"# FROM x\nFROM debian:bookworm-slim@sha256:{old}{old[:24]}\nRUN a\n"
    )
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(f'#!/bin/sh\ntest "$4" = debian:bookworm-slim && echo sha256:{"ab" * 32}\n')
    docker.chmod(docker.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{docker.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(pins, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def commits(root, monkeypatch):
    """The commits of the releases v4.2.0, v4.10.1 (a tag of its own) and v5.0.0 of actions/checkout."""
    git = ["git", "-C", str(root / "actions" / "checkout"), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "--quiet", root / "actions" / "checkout"], check=True)
    found = {}
    for tag, more in {"v4.2.0": [], "v4.10.1": ["-m", "annotated"], "v5.0.0": [], "v4": []}.items():
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", tag], check=True)
        subprocess.run([*git, "tag", *more, tag], check=True)
        found[tag] = pins.output(*git, "rev-parse", f"{tag}^{{commit}}").strip()
    for name, value in {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{root}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
    }.items():
        monkeypatch.setenv(name, value)
    return found


def test_actions_and_image_are_renewed(root, commits):
    assert pins.main(["actions", "image"]) == ""
    line = f"- uses: actions/checkout@{commits['v4.10.1']}  # v4.10.1\n"
    assert (root / ".github/workflows/ci.yml").read_text() == line
    digest = "sha256:" + "ab" * 32
    assert (root / "Dockerfile").read_text() == f"# FROM x\nFROM debian:bookworm-slim@{digest}\nRUN a\n"


def test_what_cannot_be_asked_stays_as_it_is(root, commits):
    before = (root / "Dockerfile").read_text()
    (root / "bin" / "docker").write_text("#!/bin/sh\necho no such image\n")
    said = pins.main(["image", "actions"])
    assert said == "image not renewed: docker says no digest of debian:bookworm-slim: 'no such image\\n'"
    assert (root / "Dockerfile").read_text() == before
    assert commits["v4.10.1"] in (root / ".github/workflows/ci.yml").read_text()
