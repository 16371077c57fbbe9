"""Names that papermill gives to a notebook."""

import pytest

from paperlib.experiments.given import check_names

DEFAULTS = "seed: int = 0  # of draws; integer in [0, 9]\nout_dir = None\ndata = 'bundled'\nnoise = 0.1"


def given(text):
    return ["", DEFAULTS, f"# Parameters\n{text}\n", "import numpy"]


@pytest.mark.parametrize("text", ["", "noise = 0.3", "noise = float('nan')\nseed = 3"])
def test_the_notebooks_own_parameters_pass(text):
    check_names(given(text))


def test_each_other_name_is_a_line_with_the_closest_one():
    with pytest.raises(ValueError) as caught:
        check_names(given("noize = 0.3\nseed = 1\nzzz = 2"))
    first, second = str(caught.value).splitlines()
    assert first == "unknown parameter 'noize', did you mean 'noise'?"
    assert second == "unknown parameter 'zzz' (known: seed, out_dir, data, noise)"


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [DEFAULTS, "noize = 0.3"],  # a reader's own cell
        ["x = 1", "# Parameters\nnoize = 0.3"],  # of something else
        [DEFAULTS, "import numpy", "# Parameters\nnoize = 0.3"],
        [DEFAULTS, "# Parameters of my own\nnoize = 0.3"],
    ],
)
def test_a_readers_own_cells_are_theirs(cells):
    check_names(cells)
