"""Learning to Classify with Missing and Corrupted Features (Dekel, Shamir)."""

from paperlib.feature_deletion.adversary import robust_score, worst_case_deletion
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron

__all__ = ["FeatureDeletionLP", "FeatureDeletionPerceptron", "robust_score", "worst_case_deletion"]
