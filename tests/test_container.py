"""The Dockerfile by Binder's rules, which are read here since no test has Docker."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [
    re.sub(r"\\\n\s*", "", step).split(None, 1)
    for step in re.findall(r"^[A-Z]+ (?:.*\\\n)*.*$", TEXT, re.MULTILINE)
]


def place(*step):
    return STEPS.index(list(step))


def test_binder_takes_the_dockerfile_and_nothing_before_it():
    assert not (ROOT / "binder").exists() and not (ROOT / ".binder").exists()


def test_the_user_is_the_one_that_binder_names():
    """Binder gives both as arguments of the build, and starts the image as that user."""
    made = next(i for i, (_, text) in enumerate(STEPS) if "useradd" in text)
    assert place("ARG", "NB_USER=reader") < made and place("ARG", "NB_UID=1000") < made
    assert "--uid ${NB_UID} ${NB_USER}" in STEPS[made][1] and "--create-home" in STEPS[made][1]
    assert made < place("ENV", "HOME=/home/${NB_USER}")
    assert [text for name, text in STEPS if name == "USER"] == ["${NB_USER}"]
    copies = [text for name, text in STEPS[place("USER", "${NB_USER}") :] if name in ("COPY", "ADD")]
    assert copies and all(text.startswith("--chown=${NB_UID} ") for text in copies)


def test_its_own_command_takes_the_place_of_ours():
    """It runs `jupyter-lab` of the first folder in PATH, with options by their older names."""
    assert [name for name, _ in STEPS].count("CMD") == 1 and "ENTRYPOINT" not in dict(STEPS)
    [path] = [text for name, text in STEPS if name == "ENV" and text.startswith("PATH=")]
    assert path == "PATH=${HOME}/five-papers/.venv/bin:${PATH}"
    assert dict(STEPS)["WORKDIR"] == "${HOME}/five-papers"
    lock = (ROOT / "requirements-hashed.lock").read_text(encoding="utf-8")
    assert {"jupyterlab", "notebook-shim"} <= set(re.findall(r"^([\w-]+)==", lock, re.MULTILINE))


def test_what_is_copied_is_there():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for text in (text for name, text in STEPS if name == "COPY"):
        for source in text.split()[1:-1]:
            assert (ROOT / source).exists() and source not in ignored
