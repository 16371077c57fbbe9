"""Every number that says how good a result is, held against a computation of another kind, over all settings.

`TABLE` is all that the library promises of this kind. A public attribute whose name looks like it, and that
is not in the table, fails `test_none_is_forgotten`.
"""

import importlib
import inspect
import re

import numpy as np
import pytest

from tests.paperlib.certificates import of_boosting, of_coresets, of_deletion, of_maximal_loss, of_means
from tests.paperlib.certificates.promises import Promise, holds
from tests.papers import PAPERS

MARGINS = {"margin_", "margin_upper_bound_"}
PATHS = {"margin_path_", "added_margin_path_", "hull_weights_"}
SOFT = {"objective_", "dual_objective_", "gap_", "gap_path_", "dual_coef_", "hull_weights_"}
LINE = {"weight", "margin", "lower_bound", "n_optimal"}
TABLE = {
    "CoresetSVC": [
        Promise(MARGINS | PATHS, of_coresets.coreset_svc),
        Promise(MARGINS | PATHS, of_coresets.near_the_origin),
        Promise(MARGINS | PATHS, of_coresets.streamed),
        Promise(MARGINS | SOFT, of_coresets.soft),
    ],
    "OutlierCoresetSVC": [Promise(MARGINS | {"dual_coef_"}, of_coresets.outliers)],
    "MulticlassCoresetSVC": [Promise(MARGINS, of_coresets.multiclass)],
    "StructuredCoresetSVM": [Promise(MARGINS, of_coresets.structured)],
    "ActiveCoresetSVC": [Promise(MARGINS | {"dual_coef_"}, of_coresets.active)],
    "OptimalSeparator": [Promise(LINE, of_boosting.separators)],
    "OptimalPlane": [Promise(LINE, of_boosting.planes)],
    "OptimalHyperplane": [Promise({"weight", "lower_bound"}, of_boosting.hyperplanes)],
    "FatLine": [Promise({"margin"}, of_boosting.fat_lines)],
    "LeaveOneOut": [Promise({"error", "contribution"}, of_boosting.left_outs)],
    "PairBoostingClassifier": [Promise({"loo_error_"}, of_boosting.pairs_of_classifiers)],
    "LikelihoodWeights": [Promise({"weights"}, of_boosting.likelihoods)],
    "FeatureDeletionLP": [
        Promise({"objective_", "gap_", "dual_gap_"}, of_deletion.programmes),
        Promise({"objective_", "gap_", "dual_gap_"}, of_deletion.warm_starts),
    ],
    "FeatureDeletionPerceptron": [Promise({"mean_loss_"}, of_deletion.perceptrons)],
    "numbers": [Promise({"worst_case_deletion", "robust_score", "robustness_curve"}, of_deletion.accuracies)],
    "KernelMeanClassifier": [Promise({"norm_", "dual_coef_"}, of_means.means)],
    "KernelSelection": [Promise({"norms", "errors"}, of_means.selections)],
    "SparseExpansion": [Promise({"error", "diameter", "weights"}, of_means.sparse_means)],
    "FOLClassifier": [
        Promise({"training_error_", "slack_"}, of_maximal_loss.classifiers),
        Promise({"n_mistakes_", "slack_"}, of_maximal_loss.played_by_hand),
    ],
    "FocusedRun": [Promise({"losses", "slack"}, of_maximal_loss.runs)],
    "PassiveAggressive": [Promise({"mistake_bound"}, of_maximal_loss.aggressive)],
    "SumTree": [Promise({"total"}, of_maximal_loss.trees)],
}
# What a public function returns; those that are fitted, or say it in their own name, are in the table.
RETURNED = {
    "optimal_separator": "OptimalSeparator",
    "optimal_plane": "OptimalPlane",
    "optimal_hyperplane": "OptimalHyperplane",
    "max_margin_line": "FatLine",
    "leave_one_out": "LeaveOneOut",
    "likelihood_weights": "LikelihoodWeights",
    "select_kernel": "KernelSelection",
    "sparsify": "SparseExpansion",
    "focused_online_learning": "FocusedRun",
    **dict.fromkeys(["worst_case_deletion", "robust_score", "robustness_curve"], "numbers"),
}
# Nothing is claimed of how good it is: values that are asked for, as the functions of `theory` are.
NO_CLAIM = {"average", "flip_labels", "majority", "mutual_information_values", "sparsify_classifier"}
NO_CLAIM |= {
    "gaussian_sums"
}  # its error is what was asked for: tests/paperlib/kernel_mean/test_gaussian_sums.py
LOOKS_LIKE_ONE = re.compile(
    r"bound|gap|margin|error|objective|weight|norm(?!al)|loss|diameter|n_optimal|slack|contribution|mistake|dual"
    r"|total|radius|ratio|distance|width"
)
PROMISES = [(name, promise) for name, promises in TABLE.items() for promise in promises]
promised = pytest.mark.parametrize(
    "name, promise", PROMISES, ids=[f"{name}-{promise.cases.__name__}" for name, promise in PROMISES]
)


@pytest.mark.drawn(2)
@promised
def test_what_is_promised_is_so(name, promise, sampled):
    """And each of the table's attributes is looked at, by a case that a wrong number would fail."""
    met, noticed = set(), set()
    for seed in sampled(range(12), 3):
        for case in promise.cases(seed):
            for attribute, (least, largest) in case.promised.items():
                found = getattr(case.found, attribute)
                words = f"seed {seed}, {case.label}: {attribute} is {found}, not in [{least}, {largest}]"
                assert holds(found, least, largest, promise.rounding), words
                met.add(attribute)
                if not all(holds(wrong, least, largest, promise.rounding) for wrong in changed(found)):
                    noticed.add(attribute)
    assert met == noticed == promise.attributes


def changed(found):
    """Numbers that are a little too small or too large; of an array, the largest one or the last."""
    values = np.array(found, dtype=float)
    size = np.nan_to_num(np.abs(values), posinf=0.0)
    for at in {int(size.argmax()), values.size - 1} if values.size else ():
        for factor in (0.9, 1.1):
            wrong = values.copy()
            wrong.flat[at] = values.flat[at] * factor + (1e-3 if factor > 1.0 else -1e-3)
            yield wrong


def public():
    """``(name, class or function)`` of all subpackages."""
    for paper in PAPERS:
        module = importlib.import_module(f"paperlib.{paper}")
        for name in module.__all__:
            thing = getattr(module, name, None)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield name, thing


def attributes(thing):
    """The attributes that a docstring lists, and properties."""
    section = re.search(r"^Attributes\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", inspect.getdoc(thing), re.S | re.M)
    heads = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section.group(1), re.M) if section else []
    named = {name.strip() for head in heads for name in head.split(",")}
    return named | {name for name, each in vars(thing).items() if isinstance(each, property)}


@pytest.mark.parametrize("name, thing", [each for each in public() if inspect.isclass(each[1])])
def test_none_is_forgotten(name, thing):
    looks = {each for each in attributes(thing) if LOOKS_LIKE_ONE.search(each) and not each.startswith("_")}
    listed = set().union(*(promise.attributes for promise in TABLE.get(name, [])))
    assert looks <= listed, f"{name} says {looks - listed}, of which no promise is in the table"


def test_every_function_is_in_the_table():
    functions = {name for name, thing in public() if inspect.isfunction(thing)}
    assert functions == set(RETURNED) | NO_CLAIM
    assert set(RETURNED.values()) <= set(TABLE)


@promised
def test_what_a_fit_leaves_beside_its_docstring(name, promise):
    """Attributes of the instance that no docstring lists look like none, either."""
    found = next(iter(promise.cases(0))).found
    public = (
        {each for each in vars(found) if not each.startswith("_")} if hasattr(found, "__dict__") else set()
    )
    params = set(found.get_params()) if hasattr(found, "get_params") else set()
    fitted = {each for each in public - params if LOOKS_LIKE_ONE.search(each)}
    listed = set().union(*(each.attributes for each in TABLE[name]))
    assert not params or fitted <= listed
