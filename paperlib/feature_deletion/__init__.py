"""Learning to Classify with Missing and Corrupted Features (Dekel, Shamir)."""

from paperlib.feature_deletion import theory
from paperlib.feature_deletion.adversary import robust_score, robustness_curve, worst_case_deletion
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.feature_values import mutual_information_values
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron

__all__ = [
    "FeatureDeletionLP",
    "FeatureDeletionPerceptron",
    "mutual_information_values",
    "robust_score",
    "robustness_curve",
    "theory",
    "worst_case_deletion",
]
