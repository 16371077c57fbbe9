"""Maximum Margin Coresets for Active and Noise Tolerant Learning (Har-Peled, Roth, Zimak)."""

from paperlib.coresets import baselines, mixed_integer, theory, theory_active
from paperlib.coresets.active import ActiveCoresetSVC
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.decoders import ChainDecoder, MulticlassDecoder
from paperlib.coresets.multiclass import MulticlassCoresetSVC
from paperlib.coresets.nightmares import Adversary, figure_3, figure_3_margin
from paperlib.coresets.outliers import OutlierCoresetSVC
from paperlib.coresets.sequences import digit_sequences
from paperlib.coresets.structured import StructuredCoresetSVM

__all__ = [
    "ActiveCoresetSVC",
    "Adversary",
    "ChainDecoder",
    "CoresetSVC",
    "MulticlassCoresetSVC",
    "MulticlassDecoder",
    "OutlierCoresetSVC",
    "StructuredCoresetSVM",
    "baselines",
    "digit_sequences",
    "figure_3",
    "figure_3_margin",
    "mixed_integer",
    "theory",
    "theory_active",
]
