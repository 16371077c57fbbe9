"""The how-to pages run from top to bottom, and show what their cells show.

`python -m tests.docs.test_how_to` writes anew what stands below the cells. There are times among it: do it
on an otherwise idle machine.
"""

import math
import re

import pytest

from reproduce.paths import Project
from reproduce.site import how_to
from tests.programs import ROOT

PAGES = how_to.pages(Project(ROOT))
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```\n", re.M | re.S)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
MEASURES = " ms", " kB"  # behind numbers that another machine has otherwise


def with_outputs(text, content):
    """A page with what its cells show below them."""
    cells = (cell for cell in content["cells"] if cell["cell_type"] == "code")
    return CELL.sub(lambda found: found[0] + shown(next(cells)), how_to.OUTPUT.sub("", text))


def shown(cell):
    outputs = [output for output in cell["outputs"] if output.get("name") != "stderr"]
    texts = [output["text"] if "text" in output else output["data"]["text/plain"] for output in outputs]
    lines = "\n".join("".join(text).rstrip("\n") for text in texts).splitlines()
    return "".join(["\n```output\n", *(f"{line.rstrip()}\n" for line in lines), "```\n"]) if lines else ""


def words(text):
    """The words of a page, but for times: numbers below "seconds", to its right edge, or before a measure."""
    found, ends = [], set()
    for line in text.splitlines():
        ends = set() if line.startswith("```") else ends | {m.end() for m in re.finditer("seconds", line)}
        found += NUMBER.sub(
            lambda m, ends=ends, line=line: (
                "#" if m.end() in ends or line.startswith(MEASURES, m.end()) else m[0]
            ),
            line,
        ).split()
    return found


def alike(word, other):
    """Whether two words are the same, or numbers that differ by no more than processors do."""
    if word == other:
        return True
    a, b = (re.split(f"({NUMBER.pattern})", each.replace(",", "")) for each in (word, other))
    return a[::2] == b[::2] and all(
        math.isclose(float(x), float(y), rel_tol=0.05, abs_tol=0.01)
        for x, y in zip(a[1::2], b[1::2], strict=True)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_a_notebook_in_the_form_of_myst(page):
    text = page.read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)\n---\n", text, re.S)
    assert front and "kernelspec:" in front[1] and "  name: python3" in front[1]
    cells = CELL.findall(text)
    assert len(cells) == text.count("```{code-cell}") > 0
    assert len(how_to.OUTPUT.findall(text)) == text.count("```output") > 0
    assert re.search(r"^# ", text, re.M)
    for number, cell in enumerate(cells):
        compile(cell, f"{page.name}, cell {number}", "exec")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_and_shows_what_its_cells_show(page):
    text = page.read_text(encoding="utf-8")
    if absent := how_to._absent(text):
        pytest.skip(f"{page.name} needs {', '.join(absent)}")
    expected = words(with_outputs(text, how_to.executed(Project(ROOT), page)))
    found = words(text)
    wrong = [pair for pair in zip(found, expected, strict=False) if not alike(*pair)]
    assert len(found) == len(expected) and not wrong, f"{wrong[:5]}: python -m tests.docs.test_how_to"


def test_times_and_last_digits_may_be_others():
    page = "```output\n   seconds  right\na     0.10   0.97\n8.1 ms for 3 of 4,000\n```\n"
    for old, new in [("0.10", "0.13"), ("8.1", "9.9"), ("0.97", "0.98"), ("4,000", "4,001")]:
        assert all(map(alike, words(page), words(page.replace(old, new)))), old
    for old, new in [("0.97", "0.89"), ("right", "wrong"), ("3 of", "4 of"), ("4,000", "4,900")]:
        assert not all(map(alike, words(page), words(page.replace(old, new)))), old


if __name__ == "__main__":
    for page in PAGES:
        content = how_to.executed(Project(ROOT), page)
        if not how_to._absent(page.read_text(encoding="utf-8")):
            page.write_text(with_outputs(page.read_text(encoding="utf-8"), content), encoding="utf-8")
