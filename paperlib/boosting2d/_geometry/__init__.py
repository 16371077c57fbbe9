"""Exact predicates, locations, orders, hulls and the gaps between them, and lines in doubles."""
