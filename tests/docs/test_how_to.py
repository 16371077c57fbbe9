"""The how-to pages run from top to bottom, each in a process and a folder of its own."""

import importlib.util
import re

import pytest

from tests.programs import ROOT, printed

PAGES = sorted((ROOT / "docs" / "how_to").glob("*.md"))
OPTIONAL = ("dask", "pyarrow", "torch")
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.M | re.S)
SECONDS = 30  # that a page may take, on an idle machine; here others run beside it


def cells(page):
    return CELL.findall(page.read_text(encoding="utf-8"))


def test_there_are_pages():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_a_notebook_in_the_form_of_myst(page):
    text = page.read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)\n---\n", text, re.S)
    assert front and "kernelspec:" in front[1] and "  name: python3" in front[1]
    assert len(cells(page)) == text.count("```{code-cell}") > 0
    assert re.search(r"^# ", text, re.M)
    for number, cell in enumerate(cells(page)):
        compile(cell, f"{page.name}, cell {number}", "exec")


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    for name in OPTIONAL:
        if re.search(rf"^\s*(import|from) {name}\b", text, re.M) and not importlib.util.find_spec(name):
            pytest.skip(f"{page.name} needs {name}")
    script = tmp_path / f"{page.stem}.py"
    script.write_text("\n\n".join(cells(page)), encoding="utf-8")
    printed(script, cwd=tmp_path, timeout=4 * SECONDS)
