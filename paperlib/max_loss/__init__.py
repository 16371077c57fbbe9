"""Minimizing the Maximal Loss: How and Why (Shalev-Shwartz, Wexler)."""

from paperlib.max_loss import baselines, theory
from paperlib.max_loss.estimators import FOLClassifier
from paperlib.max_loss.focused import FocusedRun, average, focused_online_learning, majority
from paperlib.max_loss.learners import LogisticSGD, PartialFitLearner, PassiveAggressive, Perceptron
from paperlib.max_loss.reservoir import Reservoir
from paperlib.max_loss.weights import SumTree

__all__ = [
    "FOLClassifier",
    "FocusedRun",
    "LogisticSGD",
    "PartialFitLearner",
    "PassiveAggressive",
    "Perceptron",
    "Reservoir",
    "SumTree",
    "average",
    "baselines",
    "focused_online_learning",
    "majority",
    "theory",
]
