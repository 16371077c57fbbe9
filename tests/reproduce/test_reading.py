"""Files that nest too deeply or are too large: one clear error, whichever file it is."""

import json
import tomllib

import pytest

from reproduce import reading

DEEP = {
    "arrays": "a = " + "[" * 100_000,
    "tables": "a = " + "{b = " * 100_000,
    "keys": "[a" + ".b" * 1_000_000 + "]",  # tomllib would read it, after half an hour
    "a key in a table": "a = {b" + ' . "c"' * 100_000 + " = 1}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_toml(tmp_path, text):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match="nested too deeply: at most 100 levels"):
        reading.toml(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 150 + "]" * 150])
def test_deep_json(tmp_path, text):
    path = tmp_path / "deep.json"
    path.write_text(text)
    for read, given in ((reading.json_file, path), (reading.json_text, text)):
        with pytest.raises(ValueError, match="nested too deeply: at most 100 levels"):
            read(given)


def test_keys_as_deep_as_is_allowed(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("a" + ".b" * 99 + " = 1\ntext = 'one. two. three, 1.2.3'\n")
    assert reading.toml(path) == tomllib.loads(path.read_text())
    path.write_text("a" + ".b" * 100 + " = 1")
    with pytest.raises(ValueError, match="nested"):
        reading.toml(path)


@pytest.mark.parametrize("line", [',"', ",'", "a.", '["a".', "a = [" + '"', "[ a ."])
def test_a_line_of_four_megabytes_takes_no_time(tmp_path, line):
    path = tmp_path / "long.toml"
    path.write_text(line * (4_000_000 // len(line)))
    with pytest.raises(ValueError, match=r"nested|Invalid|Expected|Unclosed|Cannot"):
        reading.toml(path)


def test_as_deep_as_is_allowed():
    text = "[" * 100 + "]" * 100
    assert reading.json_text(text) == json.loads(text)
    with pytest.raises(ValueError, match="nested"):
        reading.json_text(f"[{text}]")


def test_what_is_no_toml_or_json(tmp_path):
    path = tmp_path / "file"
    path.write_text("a = = 1")
    with pytest.raises(tomllib.TOMLDecodeError):
        reading.toml(path)
    with pytest.raises(json.JSONDecodeError):
        reading.json_file(path)
    with pytest.raises(OSError, match="absent"):
        reading.toml(tmp_path / "absent")


@pytest.mark.parametrize(("read", "kind"), [(reading.toml, "TOML"), (reading.json_file, "JSON")])
def test_a_huge_file_is_not_even_read(tmp_path, read, kind):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(10 << 30)  # takes no room on the disk
    with pytest.raises(ValueError, match=f"10240 MiB are no {kind} file of ours: at most"):
        read(path)


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("reproduce/profiles.toml", ["run"], 2),
        ("reproduce/claims/alpha.toml", ["check"], 2),
        ("reproduce/faults/alpha.toml", ["power", "alpha"], 2),
        ("notebooks/alpha.ipynb", ["run"], 2),
        ("pyproject.toml", ["run"], 2),
    ],
)
@pytest.mark.parametrize("size", ["deep", "huge"])
def test_commands_say_so_in_one_line(project, name, args, code, size):
    if size == "huge":
        project.write(name, "#" * (5 << 20))
    else:
        project.write(name, "[" * 100_000 if name.endswith("ipynb") else DEEP["keys"])
    done = project.call(*args)
    assert done.code == code, done
    assert done.err.count("\n") == 1 and len(done.err) < 400, done
    assert name.rpartition("/")[2] in done.err, done
