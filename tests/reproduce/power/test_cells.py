"""Tests of the choice of cells that a fault can reach."""

import ast
import json

import pytest

from reproduce.execution.watch import Watch, measured
from reproduce.power import cells, kernels

SETUP = "from paperlib.alpha import work\nimport numpy as np"


def notebook(*sources):
    code = [{"cell_type": "code", "metadata": {}, "source": text} for text in (SETUP, *sources)]
    return {"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# A paper"}, *code]}


def ran(book):
    """What a notebook's cells write, seen as they are executed in a namespace with a toy library."""
    watch, namespace, found = Watch(), {}, []
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            text = cell["source"].replace("from paperlib.alpha import work", "import types as work")
            exec(text, namespace)
            found.append({"cell": number, "written": watch.written(namespace), "measured": []})
    return found


def needed(*sources, changed=("paperlib.alpha.work", "f")):
    book = notebook(*sources)
    known = cells.of(book, json.loads(json.dumps(ran(book))))
    return [number - 2 for number in cells.needed(known, frozenset([changed])) if number > 1]


def test_a_cell_that_mentions_what_is_changed_is_run_alone():
    assert needed("a = 1", "g = lambda: work.f", "b = 2") == [1]
    assert needed("a = 1", "g = lambda: work.g", "b = 2") == []


def test_a_value_that_is_written_again_has_two_writers():
    assert needed("n = 0", "a = n", "n = 0 * len(str(work.f) if False else '')", "b = n") == [0, 2, 3]


def test_what_it_reads_is_run_and_what_reads_it():
    assert needed("a = 1", "b = 5", "c = a, lambda: work.f", "d = [c]", "e = b") == [0, 2, 3]


def test_a_generator_that_was_drawn_from_is_written():
    draws = "streams = {'a': np.random.default_rng(0), 'b': np.random.default_rng(1)}"
    first, second = "x = streams['a'].random()", "y = streams['b'].random()"
    assert needed(draws, first, second, "z = streams['a'].random(), lambda: work.f") == [0, 1, 3]


def test_a_list_that_grows_and_an_entry_that_is_set_are_written():
    assert needed("t = []", "t.append(1)", "u = 0", "v = len(t), lambda: work.f") == [0, 1, 3]
    assert needed("t = {}", "t['a'] = 1", "t['b'] = 1", "v = t['b'], lambda: work.f") == [0, 1, 2, 3]


def test_a_name_that_is_given_a_new_value_first_is_not_read():
    assert needed("for row in [1, 2]: pass", "row = 3; s = row, lambda: work.f") == [1]
    assert needed("row = 1", "s = [row for row in (1, 2)], lambda: work.f") == [1]
    assert needed("row = 1", "row += 1; s = lambda: work.f") == [0, 1]
    assert needed("row = 1", "if False:\n    row = 3\ns = row, lambda: work.f") == [0, 1]


def test_a_function_of_the_notebook_reads_what_its_body_reads():
    define = "def h(x):\n    y = x + a\n    return y"
    assert needed("a = 1", define, "b = 2", "s = h(1), lambda: work.f") == [0, 1, 3]
    assert needed("a = 1", "def h(x):\n    return work.f", "s = 1", "def g(): return h(1)\nt = g") == [1, 3]


def test_what_cannot_be_compared_is_written_by_all_that_have_it():
    """A generator function's iterator cannot be pickled: whether a cell has moved it on is not known."""
    assert needed("i = iter(x for x in range(9))", "next(i)", "s = next(i), lambda: work.f") == [0, 1, 2]


def test_claims_are_read_from_the_results(tmp_path):
    path = tmp_path / "results.json"
    assert measured(path) == []
    path.write_text('{"measures": [{"claim": "b"}, {"claim": "a"}]}')
    assert measured(path) == ["b", "a"]
    path.write_text('{"measures": [')
    assert measured(path) == []


@pytest.fixture
def library(tmp_path):
    def write(**modules):
        for name, text in modules.items():
            path = tmp_path / "paperlib" / "alpha" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_a_function_in_a_table_changes_the_table(library):
    root = library(
        table="TABLE = {}\ndef rule(table):\n    return table.setdefault\n",
        rules="from paperlib.alpha.table import TABLE, rule\n\n@rule(TABLE)\ndef one():\n    return 1\n",
        more="from paperlib.alpha.table import TABLE\n\ndef two():\n    return 2\n\nTABLE.update(two=two)\n",
    )
    users = kernels._users(root)
    assert ("paperlib.alpha.table", "TABLE") in users["paperlib.alpha.rules", "one"]
    assert ("paperlib.alpha.table", "TABLE") in users["paperlib.alpha.more", "two"]


def test_names_are_read_in_the_order_of_evaluation():
    text = "a = b + a\nfor c in d[e]:\n    f(c, key=lambda g: g + h)\nwith i as j: k = j\n"
    assert {name for name, _ in cells._Names.of(ast.parse(text))} == {"a", "b", "d", "e", "f", "h", "i"}
    assert cells._Names.of(ast.parse("x['k'] + y[z]")) == {("x", "k"), ("y", None), ("z", None)}
