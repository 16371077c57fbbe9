"""Exact predicates, locations, hulls, gaps between them, and lines in doubles."""
