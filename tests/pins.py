"""Renew what is pinned by digest: `python -m tests.pins`, or parts: `python -m tests.pins hashes audit`.

- hashes: requirements-hashed.lock, from requirements.lock: the same versions with the SHA-256 of every file
  of theirs on the package index, and what other systems need besides. Call it after each edit of that file.
- audit: .github/pip-audit.lock, the newest pip-audit and what it needs.
- actions: in .github/workflows, the commit of the newest release of each action with the same major version.
- image: in the Dockerfile, the present digest of the base image's tag.

It needs the package index, git and docker. Look at the difference before you commit it.
"""

import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = "uv==0.13.9"  # pip-compile knows one system only, that on which it runs
HASHED, AUDIT = "requirements-hashed.lock", ".github/pip-audit.lock"
HEADER = "# Written by `python -m tests.pins`.\n"
USES = re.compile(r"(uses: )(\S+)@[0-9a-f]{40}  # v(\d+)\S*")
FROM = re.compile(r"^(FROM )(\S+)@sha256:[0-9a-f]{64}", re.MULTILINE)


def hashes(root):
    """Write the hashes of all that `make setup` installs; PyTorch comes from where pip finds its build."""
    lock = (root / "requirements.lock").read_text().splitlines(True)
    (root / HASHED).write_text(compiled(root, "".join(x for x in lock if "# torch only" not in x)))


def audit(root):
    (root / AUDIT).write_text(compiled(root, "pip-audit"))


def actions(root):
    for path in sorted((root / ".github" / "workflows").glob("*.yml")):
        path.write_text(USES.sub(newest, path.read_text()))


def newest(found):
    """Return the line of an action with the commit of its newest release."""
    before, action, major = found.groups()
    lines = output("git", "ls-remote", "--tags", f"https://github.com/{action}").splitlines()
    tags = dict(reversed(line.split("\t")) for line in lines)
    releases = [tag for tag in tags if re.fullmatch(rf"refs/tags/v{major}(\.\d+)+", tag)]
    tag = max(releases, key=lambda tag: [int(part) for part in tag.split("/v")[1].split(".")])
    commit = tags.get(tag + "^{}", tags[tag])  # of a tag that is an object of its own
    return f"{before}{action}@{commit}  # {tag.removeprefix('refs/tags/')}"


def image(root):
    path = root / "Dockerfile"
    path.write_text(FROM.sub(lambda found: f"{found[1]}{found[2]}@{present(found[2])}", path.read_text()))


def present(tag):
    digest = output("docker", "buildx", "imagetools", "inspect", tag, "--format", "{{.Manifest.Digest}}")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest.strip()):
        raise ValueError(f"docker says no digest of {tag}: {digest!r}")
    return digest.strip()


def compiled(root, requirements):
    """Return pins with hashes, for Python 3.11 and newer on any system."""
    folder = root / "build" / "pins"
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", UV], check=True)
    options = "--quiet --generate-hashes --universal --python-version 3.11 --only-binary :all: --no-annotate"
    command = [folder / "bin" / "uv", "pip", "compile", *options.split(), "--no-header", "-"]
    return HEADER + output(*command, input=requirements)


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


PARTS = {part.__name__: part for part in (hashes, audit, actions, image)}


def main(names):
    failed = []
    for name in names or PARTS:
        try:
            PARTS[name](ROOT)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            failed.append(f"{name} not renewed: {error}")
    return "\n".join(failed)


if __name__ == "__main__":
    if not set(sys.argv[1:]) <= set(PARTS):
        sys.exit(f"python -m tests.pins [{' '.join(PARTS)}]")
    sys.exit(main(sys.argv[1:]) or 0)
