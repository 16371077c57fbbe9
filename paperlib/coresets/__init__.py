"""Maximum Margin Coresets for Active and Noise Tolerant Learning (Har-Peled, Roth, Zimak)."""

from paperlib.coresets import theory
from paperlib.coresets.active import ActiveCoresetSVC
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.decoders import ChainDecoder, MulticlassDecoder
from paperlib.coresets.multiclass import MulticlassCoresetSVC
from paperlib.coresets.outliers import OutlierCoresetSVC
from paperlib.coresets.structured import StructuredCoresetSVM

__all__ = [
    "ActiveCoresetSVC",
    "ChainDecoder",
    "CoresetSVC",
    "MulticlassCoresetSVC",
    "MulticlassDecoder",
    "OutlierCoresetSVC",
    "StructuredCoresetSVM",
    "theory",
]
