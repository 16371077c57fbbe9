"""Experiments that the notebooks run: a subpackage for each paper, and modules that all of them use.

They need the packages of the extra ``companion`` and are in a checkout only: a wheel is built without them.
The rest of paperlib does not import them.
"""
