"""Efficient Optimal Linear Boosting of a Pair of Classifiers (Boyarshinov, Magdon-Ismail)."""

from paperlib.boosting2d import theory
from paperlib.boosting2d.boosted_classifier import BoostingStep
from paperlib.boosting2d.heuristics import GreedyPairBoosting, HierarchicalPairBoosting
from paperlib.boosting2d.leave_one_out import LeaveOneOut, leave_one_out
from paperlib.boosting2d.likelihood import LikelihoodWeights, likelihood_weights
from paperlib.boosting2d.max_margin_line import FatLine, max_margin_line
from paperlib.boosting2d.optimal_hyperplane import OptimalHyperplane, optimal_hyperplane
from paperlib.boosting2d.optimal_plane import OptimalPlane, optimal_plane
from paperlib.boosting2d.optimal_separator import OptimalSeparator, optimal_separator
from paperlib.boosting2d.pair_boosting import PairBoostingClassifier

__all__ = [
    "BoostingStep",
    "FatLine",
    "GreedyPairBoosting",
    "HierarchicalPairBoosting",
    "LeaveOneOut",
    "LikelihoodWeights",
    "OptimalHyperplane",
    "OptimalPlane",
    "OptimalSeparator",
    "PairBoostingClassifier",
    "leave_one_out",
    "likelihood_weights",
    "max_margin_line",
    "optimal_hyperplane",
    "optimal_plane",
    "optimal_separator",
    "theory",
]
