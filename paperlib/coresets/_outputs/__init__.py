"""Pairs of an example and a wrong output: of many classes, and of chains."""
