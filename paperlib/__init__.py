"""Algorithms of five machine-learning papers, as a library.

Each wing is imported by name, so that using one never pays for another:

>>> from paperlib import kernel_mean
>>> kernel_mean.KernelMeanClassifier().kernel
'rbf'
"""
