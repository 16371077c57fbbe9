"""Maximum Margin Coresets for Active and Noise Tolerant Learning (Har-Peled, Roth, Zimak)."""

from paperlib.coresets import theory, theory_active
from paperlib.coresets.active import ActiveCoresetSVC
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.nightmares import Adversary, figure_3, figure_3_margin
from paperlib.coresets.outliers import OutlierCoresetSVC

__all__ = [
    "ActiveCoresetSVC",
    "Adversary",
    "CoresetSVC",
    "OutlierCoresetSVC",
    "figure_3",
    "figure_3_margin",
    "theory",
    "theory_active",
]
