"""What a user of any estimator counts on: data frames, feature names, sparse X refused in words, copies."""

import importlib
import inspect
import pickle
import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import paperlib
from paperlib.boosting2d.boosted_classifier import BoostedClassifier  # what these three share
from paperlib.coresets import ActiveCoresetSVC, MulticlassDecoder, StructuredCoresetSVM
from paperlib.experiments.feature_deletion.adversarial_training import SubgradientClassifier
from paperlib.experiments.feature_deletion.baselines import FDROP
from paperlib.experiments.feature_deletion.tied_solutions import LeastNormLP, TiedLP, VertexLP
from tests.docs.test_estimators_page import ESTIMATORS as LISTED
from tests.docs.test_estimators_page import OTHERS, X, Y

NAMES = ["height", "width", "depth"]
# Of the experiments, and on no page.
UNLISTED = [FDROP(random_state=0), SubgradientClassifier(random_state=0)]
# A base class, and FeatureDeletionLP with a second stage, which takes the arrays of an experiment only.
NOT_ALONE = {BoostedClassifier, TiedLP, LeastNormLP, VertexLP}
ESTIMATORS = sorted([*LISTED.values(), *UNLISTED], key=repr)
estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def all_estimators():
    for module in pkgutil.walk_packages(paperlib.__path__, "paperlib."):
        for thing in vars(importlib.import_module(module.name)).values():
            own = inspect.isclass(thing) and thing.__module__ == module.name
            if own and issubclass(thing, BaseEstimator) and thing not in NOT_ALONE:
                yield thing


def test_none_is_forgotten():
    assert {type(each) for each in [*ESTIMATORS, *OTHERS.values()]} == set(all_estimators())


@pytest.mark.parametrize("name", sorted({type(estimator).__name__ for estimator in ESTIMATORS}))
def test_scikit_learns_own_suite_is_run_on_it(name):
    suites = [path.read_text() for path in Path(__file__).parent.rglob("test_*.py")]
    suites = [text for text in suites if "@parametrize_with_checks" in text]
    assert any(f"{name}(" in text for text in suites)


def scores(estimator, rows):
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(rows)
    return estimator.predict(rows)


@estimators
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_data_frame_is_its_array_with_names(estimator, frame):
    data = frame(X, columns=NAMES) if frame is pd.DataFrame else frame(X, schema=NAMES)
    from_array, from_frame = clone(estimator).fit(X, Y), clone(estimator).fit(data, Y)
    assert from_frame.feature_names_in_.tolist() == NAMES
    assert not hasattr(from_array, "feature_names_in_")
    # A frame lies in memory by columns, which adds up in another order.
    np.testing.assert_allclose(scores(from_frame, data), scores(from_array, X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="feature names should match"):
        from_frame.predict(data[NAMES[::-1]])


@estimators
@pytest.mark.parametrize("labels", [pd.Series, pl.Series], ids=["pandas", "polars"])
def test_labels_come_as_a_column(estimator, labels):
    words = np.array(["no", "yes"])[Y]
    fitted = clone(estimator).fit(X, labels(words.tolist()))
    np.testing.assert_array_equal(fitted.predict(X), clone(estimator).fit(X, words).predict(X))
    assert set(fitted.predict(X)) <= {"no", "yes"}


@estimators
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.coo_array], ids=["csr_matrix", "coo_array"])
def test_sparse_data_are_refused_in_words_or_taken(estimator, form):
    if get_tags(estimator).input_tags.sparse:
        fitted = clone(estimator).fit(form(X), Y)
        assert fitted.score(form(X), Y) == fitted.score(X, Y) > 0.9
        return
    with pytest.raises(TypeError, match=r"(?i)sparse.*dense data is required"):
        clone(estimator).fit(form(X), Y)
    with pytest.raises(TypeError, match=r"(?i)sparse.*dense data is required"):
        clone(estimator).fit(X, Y).predict(form(X))


@estimators
def test_copies_are_what_they_copy(estimator):
    fitted = clone(estimator).fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(scores(again, X), scores(fitted, X))
    assert repr(clone(fitted)) == repr(estimator)
    assert not [name for name in vars(clone(fitted)) if name.endswith("_") and not name.startswith("_")]


@estimators
def test_it_takes_its_place_in_a_pipeline_of_data_frames(estimator):
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), clone(estimator))
    pipeline.fit(pd.DataFrame(X, columns=NAMES), Y)
    assert pipeline.score(pd.DataFrame(X, columns=NAMES), Y) > 0.9
    assert pipeline[-1].feature_names_in_.tolist() == NAMES


# Those that are fitted from something else


def test_the_active_learner_takes_a_frame_and_refuses_what_is_sparse():
    learner = ActiveCoresetSVC(random_state=0)

    def oracle(rows):
        return np.where(Y[rows] > 0, "yes", "no")

    fitted = clone(learner).fit(X, oracle)
    for frame in (pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)):
        again = clone(learner).fit(frame, oracle)
        assert again.feature_names_in_.tolist() == NAMES
        np.testing.assert_array_equal(again.coef_, fitted.coef_)
    with pytest.raises(TypeError, match=r"(?i)sparse.*dense data is required"):
        clone(learner).fit(sparse.csr_matrix(X), oracle)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


def test_a_structured_model_is_pickled_with_its_decoder():
    fitted = StructuredCoresetSVM(MulticlassDecoder(2)).fit(list(X), list(Y))
    assert pickle.loads(pickle.dumps(fitted)).predict(list(X)) == fitted.predict(list(X))
