"""The sanity check of Section 4: its data, its order, and what a solver's tolerance leaves."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import samples, section_4_sanity
from paperlib.experiments.feature_deletion.figures_1_and_2 import summarise


def test_the_sanity_check_has_its_data_and_its_order():
    X, y = samples.sanity_sample(4000, np.random.default_rng(0))
    assert X.shape == (4000, 22) and (X[:, 20:] == y[:, None]).all() and np.abs(X).max() == 1
    assert samples.sanity_values().sum() == 40
    # A hyperplane through the origin explains all labels but the flipped fifth.
    direction = np.linalg.lstsq(X[:, :20], y, rcond=None)[0]
    assert abs(np.mean(y * (X[:, :20] @ direction) > 0) - 0.8) < 0.03
    rows = section_4_sanity.sanity_check(600, 2, random_state=0)
    assert rows.equals(section_4_sanity.sanity_check(600, 2, random_state=0))
    chosen = section_4_sanity.tuned(rows)
    assert len(chosen) == 2 * 2 * 3
    assert (
        chosen.held_out.to_numpy() == rows.groupby(["run", "learner", "removed"], sort=False).held_out.min()
    ).all()
    means = summarise(chosen, ["learner", "removed"]).error
    assert means["LP", 1] < 0.02 and means["LP", 2] < 0.4


def test_what_an_svm_leaves_for_other_features_is_its_tolerance():
    loose, tight = (section_4_sanity.residual_weights(400, tol, n_trials=2) for tol in (1e-2, 1e-4))
    assert tight["largest"] < 0.1 * loose["largest"] < 0.01


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_samples must be an integer >= 40"):
        section_4_sanity.sanity_check(10, 2)
