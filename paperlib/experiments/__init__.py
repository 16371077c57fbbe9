"""Experiments that the notebooks run: a subpackage for each paper, and modules that all of them use.

They need the packages of the extra ``companion``; the rest of paperlib does not import them.
"""
