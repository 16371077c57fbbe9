"""Minimizing the Maximal Loss: How and Why (Shalev-Shwartz, Wexler)."""

from paperlib.max_loss import theory
from paperlib.max_loss.focused import FocusedRun, average, focused_online_learning, majority
from paperlib.max_loss.fol_classifier import FOLClassifier
from paperlib.max_loss.learners import LogisticSGD, PartialFitLearner, PassiveAggressive, Perceptron
from paperlib.max_loss.reservoir import Reservoir
from paperlib.max_loss.sum_tree import SumTree
from paperlib.max_loss.torch_learner import TorchLearner

__all__ = [
    "FOLClassifier",
    "FocusedRun",
    "FocusedSampler",
    "LogisticSGD",
    "PartialFitLearner",
    "PassiveAggressive",
    "Perceptron",
    "Reservoir",
    "SumTree",
    "TorchLearner",
    "average",
    "focused_online_learning",
    "majority",
    "theory",
]


def __getattr__(name):
    """Import what is a subclass of torch's own only when it is asked for."""
    if name == "FocusedSampler":
        from paperlib.max_loss.focused_sampler import FocusedSampler

        return FocusedSampler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
