"""Copies of notebooks to play with, and what stays of them."""

import json


def edit(project, old, new):
    project.write("notebooks/alpha.ipynb", project.read("notebooks/alpha.ipynb").replace(old, new))


def source(project, cell, text=None):
    path = project.root / "build" / "lab" / "alpha.ipynb"
    content = json.loads(path.read_text())
    if text is not None:
        content["cells"][cell]["source"] = text
        path.write_text(json.dumps(content))
    return "".join(content["cells"][cell]["source"])


def test_copies_are_made_once_and_follow_the_notebook(project):
    assert "build/lab" in project.call("lab").out
    copy = project.root / "build" / "lab" / "alpha.ipynb"
    assert copy.read_bytes() == (project.root / "notebooks" / "alpha.ipynb").read_bytes()
    ran = json.loads(copy.read_text())
    ran["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "shown"}]
    copy.write_text(json.dumps(ran))
    project.call("lab")
    assert "shown" in copy.read_text()  # what it has shown stays
    edit(project, "repetitions", "repeats")
    project.call("lab")
    assert "shown" in copy.read_text()  # a comment is no reason
    edit(project, "n_trials = 3", "n_trials = 4")
    project.call("lab")
    assert "n_trials = 4" in copy.read_text()


def test_what_a_reader_has_changed_stays(project):
    project.call("lab")
    cell = next(i for i in range(4) if "n_trials = 3" in source(project, i))
    source(project, cell, source(project, cell).replace("n_trials = 3", "n_trials = 9"))
    said = project.call("lab").out
    assert "alpha.ipynb: kept, as you have changed it; --fresh replaces it" in said
    assert "n_trials = 9" in source(project, cell)
    (project.root / "build" / "lab" / "lab.json").write_text("nonsense")
    assert "kept" in project.call("lab").out
    project.call("lab", "--fresh")
    assert "n_trials = 3" in source(project, cell)


def test_a_copy_that_is_no_notebook_is_kept_too(project):
    project.call("lab")
    copy = project.root / "build" / "lab" / "alpha.ipynb"
    copy.write_text("{")
    assert "kept" in project.call("lab").out and copy.read_text() == "{"


def test_a_profile_is_a_cell_of_its_own(project):
    project.call("lab", "--profile", "smoke")
    content = json.loads((project.root / "build" / "lab" / "alpha.ipynb").read_text())
    [cell] = [each for each in content["cells"] if "injected-parameters" in each["metadata"].get("tags", [])]
    assert "n_trials = 1" in "".join(cell["source"])
    project.call("lab", "--profile", "smoke")
    project.call("lab")
    assert "injected" not in (project.root / "build" / "lab" / "alpha.ipynb").read_text()
