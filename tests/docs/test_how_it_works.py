"""The pages on how the algorithms work: their drawings are the library's, and they name what is there."""

import importlib.util
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "how_it_works"
PAGES = sorted(FOLDER.glob("*.md"))
PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+\.svg)\)")


@pytest.fixture(scope="module")
def drawings():
    spec = importlib.util.spec_from_file_location("drawings", FOLDER / "drawings.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_paper_has_a_page_with_its_drawing(drawings):
    papers = [paper.__name__ for paper in drawings.PAPERS]
    assert [page.stem for page in PAGES] == papers == sorted(papers)
    for page in PAGES:
        text = page.read_text()
        assert 40 <= len(text.splitlines()) <= 80, page.stem
        assert [name for _, name in PICTURE.findall(text)] == [f"{page.stem}-1.svg", f"{page.stem}-2.svg"]
        assert all(len(alt) > 60 for alt, _ in PICTURE.findall(text))


@pytest.mark.x86_64
@pytest.mark.slow
@pytest.mark.parametrize("paper", [page.stem for page in PAGES])
def test_a_drawing_is_what_the_library_draws_now(drawings, paper):
    drawn = drawings.drawn(getattr(drawings, paper))
    assert sorted(drawn) == sorted(path.name for path in FOLDER.glob(f"{paper}-*.svg"))
    for name, raw in drawn.items():
        assert (FOLDER / name).read_bytes() == raw, f"{name}: run docs/how_it_works/drawings.py {paper}"


def test_numbers_in_the_text_are_those_of_the_drawing():
    """A drawing has its words as comments beside the outlines of their letters."""
    for number in ("9.5%", "5.0%"):
        assert number.replace("%", " %") in (FOLDER / "feature_deletion.md").read_text()
        assert any(number in path.read_text() for path in FOLDER.glob("feature_deletion-*.svg"))
    assert "fewest: 5" in (FOLDER / "boosting2d-2.svg").read_text()
    assert "the five points that it has wrong" in (FOLDER / "boosting2d.md").read_text()
    assert "8 points stand for 300" in (FOLDER / "kernel_mean-2.svg").read_text()
    assert "eight points that stand for 300" in (FOLDER / "kernel_mean.md").read_text()


def test_a_drawing_has_no_text_below_eleven_pixels_on_a_phone():
    for path in FOLDER.glob("*.svg"):
        width = float(re.search(r'<svg .*?width="([\d.]+)pt"', path.read_text(), re.S)[1])
        assert width * 96 / 72 <= 358, path.name  # a phone of 390 pixels less its margins
