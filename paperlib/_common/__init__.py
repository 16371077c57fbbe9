"""Shared modules of the five subpackages; they depend on no paper."""
