"""Gaussian sums to within a certified share of the total weight, in few dimensions."""
