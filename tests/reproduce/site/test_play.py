"""Figures with controls: what is drawn beforehand, and what a page makes of it."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

import ipywidgets as widgets
import pytest
from PIL import Image, ImageChops, ImageStat

from reproduce.errors import PageError, UsageError
from reproduce.paths import Project
from reproduce.site import play, sources, states

REPOSITORY = Path(__file__).resolve().parents[3]
PROJECT = Project(REPOSITORY)
CHOICES = tomllib.loads((REPOSITORY / "docs" / play.CHOICES).read_text(encoding="utf-8"))


@pytest.mark.parametrize("paper", PROJECT.papers)
def test_each_paper_has_a_figure_whose_controls_are_chosen(paper):
    cells, exploration, figure = play._as_far_as_the_figure(
        paper, play.read_notebook(PROJECT.notebook(paper))
    )
    source = "".join(cells[-1]["source"])
    assert (exploration, figure) == ("play", "try-it")
    assert all(f"{name}=" in source or f'"{name}": ' in source for name in CHOICES[paper])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[alpha", "docs/try_it.toml: Expected"),
        ("alpha = 3", "alpha: must be a table of lists of values, such as noise = [0, 0.2]"),
        ("[alpha]\nnoise = 3", "alpha: must be a table of lists"),
        ("[alpha]", "alpha: must be a table of lists"),
        ("[gamma]\nnoise = [3]", "unknown paper 'gamma'"),
        ("[alpha]\nnoise = [3]", "no cell of the notebook is `play = explore(record, ...)`"),
    ],
)
def test_what_is_wrong_is_named(project, text, words):
    project.write("docs/try_it.toml", text)
    with pytest.raises(UsageError) as caught:
        play.load_play(Project(project.root))
    assert words in str(caught.value)


@pytest.fixture
def exploration():
    controls = {
        "n": widgets.IntSlider(3, min=0, max=9, description="points"),
        "rule": widgets.Dropdown(
            options=[("the best", "b"), ("the first", "f")], value="f", description="rule"
        ),
        "size": widgets.FloatSlider(0.5, min=0, max=1, step=0.25, description="size"),
    }
    return SimpleNamespace(controls=controls)


def test_a_control_is_described_as_a_reader_sees_it(exploration):
    assert states._control(exploration, "n", [0, 3, 9]) == ("points", ["0", "3", "9"], 1)
    assert states._control(exploration, "rule", ["b", "f"]) == ("rule", ["the best", "the first"], 1)
    assert states._control(exploration, "size", [0.5, 0.75]) == ("size", ["0.5", "0.75"], 0)
    assert [c.value for c in exploration.controls.values()] == [3, "f", 0.5]  # as before


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("m", [1], "there is no control 'm': choose among n, rule, size"),
        ("n", [0, 9], r"its initial value, 3, must be among \[0, 9\]"),
        ("n", [3, 12], "n cannot be 12: it becomes 9"),
    ],
)
def test_values_that_a_control_does_not_take_are_refused(exploration, name, values, words):
    with pytest.raises(ValueError, match=words):
        states._control(exploration, name, values)


def test_a_form_says_what_each_place_means():
    form = play.Play("try-it", [["points & more", ["1", "2"], 1], ["rule", ["a"], 0]], Path()).form("../x")
    assert 'data-pictures="../x"' in form and "<span>points &amp; more</span>" in form
    assert 'min="0" max="1" value="1" data-labels="[&quot;1&quot;, &quot;2&quot;]"' in form
    assert form.count("<input") == form.count("<output") == 2


@pytest.mark.parametrize(("plays", "says"), [({}, True), ({"alpha": None}, False)])
def test_a_page_says_that_a_figure_stands_still_where_it_does(tmp_path, plays, says):
    cell = {"cell_type": "markdown", "source": "Turn it. Without a kernel the figure stands still."}
    notebook = SimpleNamespace(content={"cells": [cell]}, file=REPOSITORY / "README.md")
    papers = {"alpha": SimpleNamespace(notebook=notebook)}
    sources._notebooks(tmp_path, SimpleNamespace(papers=papers, plays=plays, how_tos={}))
    assert ("stands still" in (tmp_path / "alpha.ipynb").read_text()) == says


def test_the_notebooks_say_it_in_these_words():
    texts = [PROJECT.notebook(paper).read_text(encoding="utf-8") for paper in PROJECT.papers]
    said = [text for text in texts if "ithout a kernel" in text]
    assert said and not any("ithout a kernel" in play.STILL.sub("", text) for text in said)


@pytest.mark.slow
def test_each_state_has_its_picture(real_site):
    folder = real_site.folder / "play" / "coresets"
    pictures = {path.name: Image.open(path).convert("L") for path in folder.iterdir()}
    assert sorted(pictures) == [f"{i}-{j}.webp" for i in range(3) for j in range(2)]
    assert {picture.size for picture in pictures.values()} == {(770, 484)}
    names = sorted(pictures)
    for i, name in enumerate(names):
        for other in names[i + 1 :]:
            difference = ImageChops.difference(pictures[name], pictures[other])
            assert ImageStat.Stat(difference).mean[0] > 0.5, (name, other)
    # The initial state is the published figure.
    shown = Image.open(REPOSITORY / "figures" / "coresets" / "try-it.png").convert("L").resize((770, 484))
    apart = {n: ImageStat.Stat(ImageChops.difference(shown, p)).mean[0] for n, p in pictures.items()}
    assert min(apart, key=apart.get) == "0-1.webp"


@pytest.mark.slow
def test_pictures_are_drawn_once_and_may_not_be_too_large(real_site, monkeypatch):
    project = Project(real_site.folder.parents[1])
    said = []
    assert set(play.load_play(project, lambda *words, **_: said.append(words))) == {"coresets"}
    assert said == []
    kept = project.build / "executed" / "play" / "coresets" / "play.json"
    whole = kept.read_text(encoding="utf-8")
    kept.write_text(json.dumps(json.loads(whole) | {"key": "another"}))
    monkeypatch.setattr(play, "LARGEST", 1000)
    with pytest.raises(
        PageError, match=r"6 pictures have 0\.\d\d MB, and may have 0\.001: choose fewer values"
    ):
        play.load_play(project, lambda *words, **_: said.append(words))
    assert said == [("[1/1]", "notebooks/coresets.ipynb: drawing try-it")]
    assert not kept.exists()  # and so the next site draws again
