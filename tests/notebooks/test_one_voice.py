"""Whoever has read one notebook finds the way in the other four."""

import re
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
ENDING = ["## What reproduces, and what does not", "## Next door"]


@pytest.fixture(params=NAMES)
def notebook(request):
    return nbformat.read(FOLDER / f"{request.param}.ipynb", as_version=4)


def prose(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def headings(notebook):
    return [line for text in prose(notebook) for line in text.splitlines() if line.startswith("#")]


def test_it_opens_with_the_paper_the_problem_in_one_formula_and_the_way(notebook):
    assert notebook.cells[0].cell_type == "markdown"
    title, *_ = opening = notebook.cells[0].source.splitlines()
    assert re.fullmatch(r"# [A-Z].*", title)
    assert opening[2].startswith("*A companion to the paper by ")
    assert "$$" in notebook.cells[0].source
    assert re.search(r"\(Sections? 1\b", notebook.cells[0].source)


def test_sections_are_numbered_and_it_ends_alike(notebook):
    sections = [heading for heading in headings(notebook) if heading.startswith("## ")]
    assert sections[-2:] == ENDING
    numbers = [re.match(r"## (\d+)\. [A-Z]", heading) for heading in sections[:-2]]
    assert [int(number[1]) for number in numbers] == list(range(1, len(numbers) + 1))


def test_one_figure_is_to_play_with(notebook):
    assert headings(notebook).count("### Try it") == 1
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert len(re.findall(r"^play = explore\(\s*record,\s*\"try-it\",", code, re.M)) == 1


def test_its_neighbours_are_there(notebook):
    links = set(re.findall(r"\[\w+\]\((\w+)\.ipynb\)", prose(notebook)[-1]))
    assert len(links) >= 2
    assert links < set(NAMES)


def test_it_is_read_in_a_quarter_of_an_hour(notebook):
    lines = [line for text in prose(notebook) for line in text.splitlines() if not line.startswith("|")]
    words = sum(len(line.split()) for line in lines)
    assert 1500 <= words <= 240 * 15
