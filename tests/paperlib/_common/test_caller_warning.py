"""A warning points at the user's line, from any depth."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import paperlib
from paperlib._common.caller_warning import warn_caller
from paperlib.coresets import CoresetSVC, MulticlassCoresetSVC, OutlierCoresetSVC, StructuredCoresetSVM
from paperlib.coresets.decoders import MulticlassDecoder
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.kernel_mean import TLogisticRegression
from paperlib.max_loss import FOLClassifier

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2
STOPPED = [
    CoresetSVC(on_nonseparable="warn"),
    CoresetSVC(on_nonseparable="warn", kernel="rbf", gamma=1e-9),
    CoresetSVC(C=1e6, eps=1e-6, max_iter=1),
    MulticlassCoresetSVC(on_nonseparable="warn"),
    OutlierCoresetSVC(n_outliers=1, on_nonseparable="warn", random_state=0),
    StructuredCoresetSVM(MulticlassDecoder(2), on_nonseparable="warn"),
    FeatureDeletionLP(n_deleted=1, max_iter=1),
    FOLClassifier(max_iter=1, random_state=0),
    TLogisticRegression(max_iter=1),
]


@pytest.mark.parametrize("estimator", STOPPED, ids=lambda estimator: type(estimator).__name__)
def test_it_points_at_the_call_of_fit(estimator):
    with pytest.warns(ConvergenceWarning) as given:
        clone(estimator).fit(X, Y)
    assert {warning.filename for warning in given} == {__file__}


def test_in_a_pipeline_it_points_at_the_pipeline():
    with pytest.warns(ConvergenceWarning) as given:
        make_pipeline(StandardScaler(), TLogisticRegression(max_iter=1)).fit(X, Y)
    assert given[0].filename.endswith("pipeline.py")


def test_where_all_code_is_of_the_package(monkeypatch):
    """A function of the package run as a program: the outermost line is all that is left."""
    folder = Path(paperlib.__file__).parent
    monkeypatch.setattr("paperlib._common.caller_warning._PACKAGE", "")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        warn_caller("so")
    assert [str(each.message) for each in given] == ["so"]
    assert not Path(given[0].filename).is_relative_to(folder)
