"""Curves with bands, in one look for each learner."""

import numpy as np
import pandas as pd

from paperlib.experiments import plotting
from paperlib.experiments.feature_deletion import pictures

ROWS = pd.DataFrame(
    [(run, learner, budget, 0.1 * run + (0.2 if learner == "SVM" else 0.1) * budget)
     for run in range(2) for learner in ("LP", "SVM") for budget in (0, 1)],
    columns=["run", "learner", "budget", "error"],
)  # fmt: skip


def test_means_are_drawn_and_who_is_missing_is_left_out():
    _, axis = plotting.figure()
    pictures.draw_errors(axis, ROWS, ["LP", "SVM", "FDROP"])
    assert [line.get_label() for line in axis.lines] == ["LP", "SVM"]
    assert np.allclose(axis.lines[1].get_ydata(), [0.05, 0.25])


def test_leads_are_of_the_same_cases():
    _, axis = plotting.figure()
    pictures.draw_leads(axis, ROWS, ["LP"], over="SVM", by="run")
    zero, lead = axis.lines
    assert zero.get_label() == "SVM" and np.allclose(lead.get_ydata(), [0.0, 0.1])
    # The runs differ, and their differences do not.
    band = axis.collections[0].get_paths()[0].vertices[:, 1]
    assert np.allclose(np.unique(band.round(9)), [0.0, 0.1])


def test_the_constant_errs_on_the_smaller_class():
    _, axis = plotting.figure()
    pictures.draw_constant(axis, np.array([1, 1, 1, -1]))
    assert np.allclose(axis.lines[0].get_ydata(), 0.25)
