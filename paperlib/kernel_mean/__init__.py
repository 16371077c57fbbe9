"""Sparse Robust Classification via the Kernel Mean (van Rooyen, Menon, Williamson)."""

from paperlib.kernel_mean import losses, noise, theory
from paperlib.kernel_mean.kernel_mean_classifier import KernelMeanClassifier
from paperlib.kernel_mean.kernel_selection import KernelSelection, select_kernel
from paperlib.kernel_mean.kernel_sums import gaussian_sums
from paperlib.kernel_mean.noise import flip_labels
from paperlib.kernel_mean.sparse_classifier import SparseKernelClassifier, sparsify_classifier
from paperlib.kernel_mean.sparse_expansion import SparseExpansion, sparsify
from paperlib.kernel_mean.t_logistic_regression import TLogisticRegression

__all__ = [
    "KernelMeanClassifier",
    "KernelSelection",
    "SparseExpansion",
    "SparseKernelClassifier",
    "TLogisticRegression",
    "flip_labels",
    "gaussian_sums",
    "losses",
    "noise",
    "select_kernel",
    "sparsify",
    "sparsify_classifier",
    "theory",
]
