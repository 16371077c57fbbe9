"""Sweeps: the grid of points, its runs, and their table and plots."""
