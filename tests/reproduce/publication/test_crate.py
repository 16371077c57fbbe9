"""Published results as an RO-Crate."""

import json

import pytest

pytest.importorskip("rocrate")


@pytest.fixture(scope="module")
def crate(run_once, tmp_path_factory):
    """A crate of two papers' results: its folder, and its entities by their ids."""
    folder = tmp_path_factory.mktemp("crates") / "one"
    done = run_once.call("crate", folder)
    assert (done.code, done.err) == (0, ""), done
    assert done.out.endswith(f"RO-Crate: {folder} (18 files, 2 runs)\n"), done.out
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    return folder, {each["@id"]: each for each in graph}


def test_every_file_is_there_and_described(crate, run_once):
    folder, entities = crate
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    files.remove("ro-crate-metadata.json")
    assert {f"figures/{name}" for name in run_once.published()} <= files
    assert {part["@id"] for part in entities["./"]["hasPart"]} == files
    for name in files:
        assert (folder / name).read_bytes() == (run_once.root / name).read_bytes()
        assert entities[name]["contentSize"] == str((folder / name).stat().st_size)
    assert entities["figures/alpha/table-1.csv"]["encodingFormat"] == "text/csv"


def test_a_run_has_its_notebook_its_values_and_what_it_left(crate):
    _, entities = crate
    run = entities["#alpha-bundled"]
    assert run["@type"] == "CreateAction" and {"@id": run["@id"]} in entities["./"]["mentions"]
    notebook = entities[run["instrument"]["@id"]]
    assert notebook["@id"] == "notebooks/alpha.ipynb" and "SoftwareSourceCode" in notebook["@type"]
    left = {part["@id"] for part in run["result"]}
    assert {"figures/alpha/figure-1.svg", "figures/alpha/results.json"} <= left
    assert not any("beta" in name for name in left)
    given = {entities[part["@id"]]["name"]: entities[part["@id"]]["value"] for part in run["object"]}
    assert given["n_trials"] == 3 and given["noise"] == 0.1 and given["data"] == "bundled"
    versions = {entities[part["@id"]]["name"] for part in notebook["softwareRequirements"]}
    assert {"Python", "numpy"} <= versions


def test_the_same_results_make_the_same_bytes(crate, run_once, tmp_path):
    assert run_once.call("crate", tmp_path).code == 0  # an empty folder will do
    name = "ro-crate-metadata.json"
    assert (tmp_path / name).read_bytes() == (crate[0] / name).read_bytes()
    assert not list(tmp_path.parent.glob(".*.part"))


def test_a_folder_that_has_something_in_it_is_left_alone(crate, run_once, tmp_path):
    (tmp_path / "mine").write_text("x")
    for folder in (tmp_path, tmp_path / "mine"):
        done = run_once.call("crate", folder)
        assert (done.code, done.err) == (2, f"reproduce: {folder} must be a new or an empty folder\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_nothing_to_put_into_it(project, tmp_path):
    done = project.call("crate", tmp_path / "new")
    assert done.code == 2 and "`python -m reproduce run` comes first" in done.err
    assert not (tmp_path / "new").exists()
