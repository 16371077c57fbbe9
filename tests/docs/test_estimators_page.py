"""`docs/estimators.md` says what each estimator takes; each word of its table was tried.

``python -m tests.docs.test_estimators_page`` writes the page.
"""

import importlib
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from paperlib.boosting2d import GreedyPairBoosting, HierarchicalPairBoosting, PairBoostingClassifier
from paperlib.coresets import (
    ActiveCoresetSVC,
    CoresetSVC,
    MulticlassCoresetSVC,
    MulticlassDecoder,
    OutlierCoresetSVC,
    StructuredCoresetSVM,
)
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron
from paperlib.kernel_mean import KernelMeanClassifier, SparseKernelClassifier, TLogisticRegression
from paperlib.max_loss import FOLClassifier
from tests import memory
from tests.papers import PAPERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "estimators.md"
COMMAND = "python -m tests.docs.test_estimators_page"
X, Y = make_blobs(60, 3, centers=[[-2, -2, -2], [2, 2, 2]], cluster_std=0.7, random_state=0)
THREE = np.eye(3)[np.arange(60) % 3] * 6.0 + X / 10.0, np.arange(60) % 3
TREES = [("tree", DecisionTreeClassifier(max_depth=1)), ("bayes", GaussianNB())]
ESTIMATORS = {
    "PairBoostingClassifier": PairBoostingClassifier(TREES),
    "GreedyPairBoosting": GreedyPairBoosting([*TREES, ("logistic", LogisticRegression())]),
    "HierarchicalPairBoosting": HierarchicalPairBoosting([*TREES, ("logistic", LogisticRegression())]),
    "CoresetSVC": CoresetSVC(),
    "CoresetSVC(C=1.0)": CoresetSVC(C=1.0, random_state=0),
    'CoresetSVC(kernel="rbf")': CoresetSVC(kernel="rbf", gamma=0.5),
    "MulticlassCoresetSVC": MulticlassCoresetSVC(),
    "OutlierCoresetSVC": OutlierCoresetSVC(random_state=0),
    "FeatureDeletionLP": FeatureDeletionLP(),
    "FeatureDeletionPerceptron": FeatureDeletionPerceptron(random_state=0),
    "KernelMeanClassifier": KernelMeanClassifier(gamma=0.5),
    'KernelMeanClassifier("linear")': KernelMeanClassifier("linear"),
    "TLogisticRegression": TLogisticRegression(),
    "FOLClassifier": FOLClassifier(random_state=0),
}
# Fitted from something else than X and y: what they are is said below the table.
OTHERS = {
    "ActiveCoresetSVC": ActiveCoresetSVC(random_state=0),
    # Without the expansion that `sparsify_classifier` finds: every worker of the tests imports this.
    "SparseKernelClassifier": SparseKernelClassifier(np.unique(Y), None, 0.0, X.shape[1]),
    "StructuredCoresetSVM": StructuredCoresetSVM(MulticlassDecoder(2)),
}
# In the 100 dimensions where memory is measured, the width of above would leave every row on the margin.
LESS_NARROW = {
    name: clone(ESTIMATORS[name]).set_params(gamma=None)
    for name in ('CoresetSVC(kernel="rbf")', "KernelMeanClassifier")
}
PARAMETERS = ("class_weight", "kernel", "time_limit", "n_jobs", "warm_start")


def works(estimator, data, labels, rows, **weights):
    """Whether it is fitted and has a finite score, or label, for every row."""
    try:
        fitted = clone(estimator).fit(data, labels, **weights)
        scores = (
            fitted.decision_function(rows) if hasattr(fitted, "decision_function") else fitted.predict(rows)
        )
    except (ValueError, TypeError):
        return False
    return bool(np.isfinite(scores).all())


def weighs(estimator):
    """Whether `fit` takes weights."""
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        return False
    return works(estimator, X, Y, X, sample_weight=np.arange(60) % 3 + 1.0)


def classes(estimator):
    if get_tags(estimator).classifier_tags.multi_class:
        return "yes" if works(estimator, *THREE, THREE[0]) else "no"
    return "by `OneVsRestClassifier`" if works(OneVsRestClassifier(estimator), *THREE, THREE[0]) else "no"


def probabilities(estimator):
    if hasattr(estimator, "predict_proba"):
        return "yes"
    try:
        made = CalibratedClassifierCV(clone(estimator), cv=3).fit(X, Y).predict_proba(X)
    except (ValueError, TypeError):
        return "no"
    return "by `CalibratedClassifierCV`" if np.isfinite(made).all() else "no"


def frames(estimator):
    both = pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc"))
    return all(clone(estimator).fit(each, Y).feature_names_in_.tolist() == list("abc") for each in both)


def row(estimator):
    """What it takes: ``{column: yes, nothing, or how}``."""
    params = estimator.get_params(deep=False)
    found = {
        "`sample_weight`": weighs(estimator),
        "CSR": works(estimator, sparse.csr_matrix(X), Y, sparse.csr_matrix(X)),
        "data frames": frames(estimator),
        "`partial_fit`": hasattr(estimator, "partial_fit"),
        "`decision_function`": hasattr(estimator, "decision_function"),
        "three classes": classes(estimator),
        "probabilities": probabilities(estimator),
        **{f"`{name}`": name in params for name in PARAMETERS},
    }
    return {column: {True: "yes", False: "", "no": ""}.get(value, value) for column, value in found.items()}


def page(sizes):
    """The whole page, in MyST, with the memory that was measured: ``{estimator: [multiple of the rows]}``."""
    rows = {name: row(estimator) for name, estimator in ESTIMATORS.items()}
    columns = list(next(iter(rows.values())))
    lines = ["| estimator | " + " | ".join(columns) + " |", "|---|" + ":-:|" * len(columns)]
    lines += [f"| `{name}` | " + " | ".join(each.values()) + " |" for name, each in rows.items()]
    held = [f"| `{name}` | " + " | ".join(map(in_words, sizes[name])) + " |" for name in ESTIMATORS]
    return HEAD + "\n".join(lines) + "\n" + FOOT + MEMORY + "\n".join(held) + "\n" + LIMITS


def in_words(size):
    return "< 0.5" if size < 0.5 else f"{size:.0f}"


def written():
    """The numbers of the page."""
    rows = re.findall(r"^\| `(.*)` \| (< 0.5|\d+) \| (< 0.5|\d+) \| (< 0.5|\d+) \|$", PAGE.read_text(), re.M)
    return {name: [0.0 if word == "< 0.5" else float(word) for word in words] for name, *words in rows}


HEAD = f"""# What each estimator takes

Each word of the table was tried on a small sample, by `{COMMAND}`; a test keeps the page as it is.
An empty place means no: there is no such argument, or such data are refused by a message that says so.

"""
FOOT = """
- *`sample_weight`*: of `fit`. The boosted pairs take weights if all of their classifiers do. An integer is
  as many equal rows side by side, for every setting but these. `KernelMeanClassifier` with
  `threshold="error"` or `threshold="balanced_error"` leaves out each row with all of its weight: copies that
  stayed would vouch for the one that is left out, and the threshold would change with the scale of weights.
  So does `loo_error_` of the boosted pairs, whose `cv` splits rows, too. Where a fit warns that nothing
  separates the classes, or that it ended early, another hyperplane may have been met. A sample of rows drawn
  at random is another one, which changes which of the certified hyperplanes is found.
- *CSR*: `fit` and `predict` of a sparse matrix. Others refuse one with a `TypeError`.
- *Data frames*: pandas and polars, whose column names are kept and checked.
- *Three classes*: by the estimator itself, or by scikit-learn's `OneVsRestClassifier` around it.
- *Probabilities*: none has `predict_proba`; scikit-learn's `CalibratedClassifierCV` makes them of scores.
- *`class_weight`*, *`kernel`*, *`time_limit`*, *`n_jobs`*, *`warm_start`*: the parameter is there.
  What each means is the same everywhere: see the [glossary](glossary.md).

Three have another input, and no row: `ActiveCoresetSVC` (data, and an oracle for their labels),
`StructuredCoresetSVM` (lists of inputs and outputs, and a decoder) and `SparseKernelClassifier` (made from a
fitted classifier by `sparsify_classifier`).

No estimator supports the Array API: `get_tags(estimator).array_api_support` is `False`. Arrays are converted
to NumPy's, and results are NumPy's.
"""
FEW, MANY = memory.ROWS
MEMORY = f"""
## Memory

What a call takes at most beside its rows, in multiples of their size: of `fit` for {FEW:,} and
{MANY:,} rows of {memory.COLUMNS} columns, whose 64-bit floats are 4 and 8 MB, and of `predict` for the
latter. Where the multiple stays the same, memory grows as the rows do. Measured, by the same command, as the
peak of a process that has called both before; a test measures again. On other data it may be another multiple
where a coreset decides.

| estimator | `fit`, {FEW:,} rows | `fit`, {MANY:,} rows | `predict` |
|---|:-:|:-:|:-:|
"""
LIMITS = """
- `FeatureDeletionLP` takes so much in any number of dimensions: about 18 times the rows for dense data, 13
  times the entries that are not zero for sparse data, and 360 times the rows with `solver="highs"`.
- `CoresetSVC` with a kernel keeps the Gram matrix of its coreset, and works with three more: 32 bytes
  for each pair of its points, of which a narrow kernel makes as many as there are rows.
- With a kernel, `OutlierCoresetSVC` and `ActiveCoresetSVC` take 4,000 distinct rows at most, whose Gram
  matrix has 128 MB. `StructuredCoresetSVM` keeps a vector of features for each pair of its coreset, and
  `SparseKernelClassifier` the rows that it was thinned to.
- The pairs that are boosted, and `OneVsRestClassifier`, take what their classifiers take besides.

The first two ask how much the machine, or the control group of the process, has left, and raise a
`MemoryError` that says what to do before they begin to take more than that; the system would end the process.
"""


def test_the_page_says_what_is_so():
    assert PAGE.read_text() == page(written()), (
        f"docs/estimators.md is out of date: write it again by `{COMMAND}`"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is reset by Linux alone")
@pytest.mark.slow
def test_the_page_says_how_much_memory(sampled):
    for name in sampled(list(ESTIMATORS)):
        for number, now in zip(written()[name], memory.measured(name), strict=True):
            # Less where the system gives pages late, as on a busy machine; never much more.
            assert 0.4 * number - 0.8 <= now <= 1.25 * number + 0.8, (name, number, now)


def things():
    """``(name, class or function)`` of the five subpackages, torch's own apart."""
    for paper in PAPERS:
        module = importlib.import_module(f"paperlib.{paper}")
        for name in set(module.__all__) - {"FocusedSampler"}:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield name, thing


def test_every_estimator_is_on_the_page():
    public = {name for name, thing in things() if inspect.isclass(thing) and issubclass(thing, BaseEstimator)}
    assert {name.split("(")[0] for name in ESTIMATORS} | set(OTHERS) == public
    text = PAGE.read_text()
    assert all(f"`{name}`" in text for name in [*ESTIMATORS, *OTHERS])


@pytest.mark.parametrize("estimator", [*ESTIMATORS.values(), *OTHERS.values()], ids=[*ESTIMATORS, *OTHERS])
def test_none_claims_the_array_api(estimator):
    assert get_tags(estimator).array_api_support is False


@pytest.mark.parametrize("name", [*ESTIMATORS, *OTHERS])
def test_a_notebook_shows_it(name):
    """Jupyter's picture of an estimator, before and after it is fitted."""
    estimator = (ESTIMATORS | OTHERS)[name]
    shown = estimator._repr_html_()
    assert type(estimator).__name__ in shown and "sk-estimator" in shown
    assert all(each in shown for each in estimator.get_params(deep=False))
    if name in ESTIMATORS:
        assert "fitted" in clone(estimator).fit(X, Y)._repr_html_()


if __name__ == "__main__":
    PAGE.write_text(page({name: memory.measured(name) for name in ESTIMATORS}))
    print(f"wrote {PAGE}")
