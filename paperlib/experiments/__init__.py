"""The experiments that the notebooks run, a subpackage for each paper, and what all of them share.

It needs the packages of the extra ``companion``; the rest of paperlib never imports it.
"""
