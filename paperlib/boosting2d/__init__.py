"""Efficient Optimal Linear Boosting of a Pair of Classifiers (Boyarshinov, Magdon-Ismail)."""

from paperlib.boosting2d.fat_line import FatLine, max_margin_line
from paperlib.boosting2d.leave_one_out import LeaveOneOut, leave_one_out
from paperlib.boosting2d.likelihood import LikelihoodWeights, likelihood_weights
from paperlib.boosting2d.optimal_separator import OptimalSeparator, optimal_separator
from paperlib.boosting2d.subsets import subsets

__all__ = [
    "FatLine",
    "LeaveOneOut",
    "LikelihoodWeights",
    "OptimalSeparator",
    "leave_one_out",
    "likelihood_weights",
    "max_margin_line",
    "optimal_separator",
    "subsets",
]
