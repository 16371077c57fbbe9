import base64
import io
import json
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from PIL import Image

from reproduce.planning.notebook import parse
from reproduce.publication import notebook


def picture(colours):
    """Return a PNG of that many colours, as a notebook holds it."""
    image = Image.new("RGBA", (colours, 2))
    image.putdata([(i % 256, i // 256, 7, 255) for i in range(colours)] * 2)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def executed(minute=0, folder="/tmp/a", outputs=()):
    """Return an executed notebook as papermill leaves it."""
    times = {"papermill": {"start_time": f"12:{minute:02}"}, "execution": {"iopub": f"12:{minute:02}"}}
    injected = f'seed = 1\nout_dir = "{folder}"\n'
    return {
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": times, "source": ["# One\n", "two"]},
            {
                "cell_type": "code",
                "id": folder[-1],
                "metadata": times | {"tags": ["injected-parameters"]},
                "source": injected,
                "outputs": [],
                "execution_count": 1,
            },
            {
                "cell_type": "code",
                "id": "c",
                "metadata": times,
                "source": "show()",
                "outputs": list(outputs),
                "execution_count": 2,
            },
        ],
        "metadata": {"papermill": {"out_dir": folder}, "widgets": {}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def published(tmp_path, content):
    (tmp_path / "executed.ipynb").write_text(json.dumps(content))
    notebook.publish(tmp_path / "executed.ipynb", tmp_path)
    return (tmp_path / "notebook.ipynb").read_bytes()


def test_two_runs_give_the_same_bytes(tmp_path):
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["a: 1\n"]}]
    one = published(tmp_path, executed(0, "/tmp/a", outputs))
    assert one == published(tmp_path, executed(1, "/home/b", outputs))
    assert one != published(tmp_path, executed(0, "/tmp/a"))
    assert b"/tmp" not in one and b"12:00" not in one


def test_printed_lines_may_come_in_any_parts(tmp_path):
    def stream(*lines):
        return {"output_type": "stream", "name": "stdout", "text": list(lines)}

    image = {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}}
    warning = {"output_type": "stream", "name": "stderr", "text": "w"}
    one = [stream("a\n", "b\n", "c\n"), image, stream("d\n")]
    other = [stream("a\n", "b"), warning, stream("\nc\n"), image, stream("d\n")]
    assert published(tmp_path, executed(outputs=one)) == published(tmp_path, executed(outputs=other))
    text = published(tmp_path, executed(outputs=one)).decode()
    assert text.index('"b\\n"') < text.index('"x"') < text.index('"d\\n"')


def test_styled_tables_have_numbers(tmp_path):
    def styled(*frames):
        tables = [pd.DataFrame({"a": [1]}).style.set_table_styles([]) for _ in frames]
        data = [{"text/html": each.to_html(), "text/plain": object.__repr__(each)} for each in tables]
        return [{"output_type": "display_data", "data": each, "metadata": {}} for each in data]

    kept = styled(1, 2)  # so that the others lie elsewhere
    one = published(tmp_path, executed(outputs=kept))
    assert one == published(tmp_path, executed(outputs=styled(1, 2)))
    assert b"T_1_level0" in one and b"T_2_level0" in one and b"T_3" not in one


def test_it_is_a_notebook_with_what_was_shown(tmp_path):
    shown = {"text/html": "<table></table>", "text/plain": "x"}
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["a: 1\n"]},
        {"output_type": "stream", "name": "stderr", "text": ["/tmp/a.py:1: Warning"]},
        {"output_type": "display_data", "data": {notebook.WIDGET: {}, "text/plain": "w"}, "metadata": {}},
        {"output_type": "display_data", "data": shown, "metadata": {}},
        {
            "output_type": "display_data",
            "data": {"image/png": picture(3), "text/plain": "<Image at 0x7f>"},
            "metadata": {"image/png": {"width": 80}},
        },
    ]
    text = published(tmp_path, executed(outputs=outputs)).decode()
    content = nbformat.reads(text, 4)
    nbformat.validate(content)
    assert [cell.source for cell in content.cells] == ["# One\ntwo", "seed = 1\n", "show()"]
    assert [cell.get("execution_count") for cell in content.cells] == [None, 1, 2]
    stream, table, image = content.cells[2].outputs
    assert (stream.text, table.data) == ("a: 1\n", shown)
    assert image.metadata == {"image/png": {"width": 80}} and "0x7f" not in text


def test_pictures_of_few_colours_are_the_same_and_others_smaller(tmp_path):
    for colours in (3, 200, 5000):
        was = picture(colours)
        now = notebook._fewer_colours(was)
        one, other = (
            np.array(Image.open(io.BytesIO(base64.b64decode(p))).convert("RGB"), dtype=int)
            for p in (was, now)
        )
        assert one.shape == other.shape
        if colours <= 200:
            assert np.array_equal(one, other)
        else:
            assert len(np.unique(other.reshape(-1, 3), axis=0)) <= 256
            assert np.abs(one - other).max() < 32


SHOWN = {"text/html": "<td>\u2028 \u00e4 & 1e-05</td>\n<td>\ttwo</td>\n", "text/plain": 'one "line"'}


def executed_with_claims():
    """Return an executed notebook, in the lines of a saved one, that shows claims twice and other things."""
    content = executed(folder="/tmp/b")
    metadata = {"reproduce": {"show": ["lemma-1", "table-1"]}}
    claims = {"output_type": "display_data", "data": SHOWN, "metadata": metadata}
    table = {
        "output_type": "execute_result",
        "data": {"text/plain": "2"},
        "metadata": {},
        "execution_count": 1,
    }
    content["cells"][2]["outputs"] = [
        table,
        claims,
        claims | {"metadata": {"reproduce": {"show": ["other"]}}},
    ]
    content["cells"][1].update(outputs=[claims], source="x = 1e-05, 1e22")
    content["cells"][1]["metadata"] = {}
    return json.loads(nbformat.writes(nbformat.from_dict(content)))


def test_claims_that_are_shown_again_give_the_same_bytes(tmp_path):
    before = published(tmp_path, executed_with_claims())
    path = tmp_path / "notebook.ipynb"
    stamp = path.stat().st_mtime_ns
    notebook.show_again(tmp_path, [[["lemma-1", "table-1"], SHOWN], [["other"], SHOWN]])
    assert path.read_bytes() == before and path.stat().st_mtime_ns == stamp


def test_claims_that_came_out_otherwise_are_shown_where_they_were(tmp_path):
    before = json.loads(published(tmp_path, executed_with_claims()))
    data = {"text/html": "<td>\n</td>", "text/plain": "now"}
    notebook.show_again(tmp_path, [[["lemma-1", "table-1"], data], [["not there"], SHOWN]])
    after = json.loads((tmp_path / "notebook.ipynb").read_text())
    lines = {"text/html": ["<td>\n", "</td>"], "text/plain": ["now"]}
    for cell, number in ((1, 0), (2, 1)):
        assert before["cells"][cell]["outputs"][number]["data"] != lines
        before["cells"][cell]["outputs"][number]["data"] = lines
    assert after == before


def source(*cells):
    """A notebook as it is written, the parameters first."""
    parameters = 'seed: int = 0\nout_dir: "str | None" = None\ndata: str = "bundled"'
    first = ("code", parameters)
    made = [
        {"cell_type": kind, "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for kind, text in [first, *cells]
    ]
    made[0]["metadata"] = {"tags": ["parameters"]}
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return parse(Path("notebooks/alpha.ipynb"), json.dumps(content).encode())


def ran(notebook):
    """What papermill leaves of it: a cell of parameters more, and an output with many colours."""
    first, *others = [dict(cell) for cell in notebook.cells]
    injected = {"metadata": {"tags": ["injected-parameters"]}, "source": "seed = 1"}
    others[-1]["outputs"] = [{"output_type": "display_data", "data": {"image/png": picture(300)}}]
    return executed() | {"cells": [first, first | injected, *others]}


def test_prose_and_comments_that_were_edited_are_published_without_a_run(tmp_path):
    before = source(("markdown", "# One"), ("code", "x = 1  # one"), ("markdown", "two"), ("code", "show(x)"))
    now = source(
        ("markdown", "# 1\nmore"),
        ("code", "# first\nx = 1"),
        ("markdown", "2"),
        ("markdown", "3"),
        ("code", "show(x)"),
    )
    wanted = published(tmp_path, ran(now))
    assert published(tmp_path, ran(before)) != wanted
    notebook.explain_again(tmp_path, now)
    assert (tmp_path / "notebook.ipynb").read_bytes() == wanted


def test_of_other_code_nothing_is_published_without_a_run(tmp_path):
    was = published(tmp_path, ran(source(("markdown", "# One"), ("code", "show(1)"))))
    for other in [("code", "show(2)")], [("code", "show(1)"), ("code", "x = 2")], []:
        notebook.explain_again(tmp_path, source(("markdown", "# Two"), *other))
        assert (tmp_path / "notebook.ipynb").read_bytes() == was


def test_without_a_notebook_or_claims_nothing_is_written(tmp_path):
    notebook.show_again(tmp_path, [[["other"], SHOWN]])
    notebook.explain_again(tmp_path, source(("code", "show(1)")))
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "notebook.ipynb"
    path.write_text("not even a notebook")
    notebook.show_again(tmp_path, [])
    assert path.read_text() == "not even a notebook"
