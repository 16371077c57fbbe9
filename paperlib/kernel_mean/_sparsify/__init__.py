"""Sparse approximation of a kernel expansion: traversal, sub-sampling, projection, and the error left."""
