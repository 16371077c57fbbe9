"""Minimizing the Maximal Loss: How and Why (Shalev-Shwartz, Wexler)."""

from paperlib.max_loss.weights import SumTree

__all__ = ["SumTree"]
