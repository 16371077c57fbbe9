"""Learning to Classify with Missing and Corrupted Features (Dekel, Shamir)."""

from paperlib.feature_deletion.adversary import robust_score, worst_case_deletion

__all__ = ["robust_score", "worst_case_deletion"]
