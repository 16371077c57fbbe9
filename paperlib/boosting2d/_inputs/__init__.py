"""Validation of points, labels and weights, and the scores of classifiers."""
