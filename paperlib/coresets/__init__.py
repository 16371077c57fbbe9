"""Maximum Margin Coresets for Active and Noise Tolerant Learning (Har-Peled, Roth, Zimak)."""

from paperlib.coresets import theory
from paperlib.coresets.coreset_svc import CoresetSVC

__all__ = ["CoresetSVC", "theory"]
