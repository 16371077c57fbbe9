"""Ours beside what a user would pick instead: one process, alternating, medians, as a ratio."""
