"""Verdicts over seeds: how often each is the same, and whether stated standard errors are right."""

from reproduce.stability.evidence import for_judging, read_stability

__all__ = ["for_judging", "read_stability"]
