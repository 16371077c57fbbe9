"""Verdicts over seeds: how often each is the same, and whether stated standard errors are right."""

from reproduce.stability.evidence import read

__all__ = ["read"]
