"""Validation of input, and the import of PyTorch where it is needed."""
