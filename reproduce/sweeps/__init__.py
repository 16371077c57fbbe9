"""Sweeps: a grid of points, a run for each, and a table and plots of the results."""
