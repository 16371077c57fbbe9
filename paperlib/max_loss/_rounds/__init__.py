"""Rounds of FOL in one compiled loop, and what they are made of: steps of linear learners, and slack."""
