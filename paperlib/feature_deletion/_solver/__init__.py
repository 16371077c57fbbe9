"""Solvers of Equation (4): an interior point, a sparse programme for HiGHS, and their certificate."""
