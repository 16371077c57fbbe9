"""Dual coordinate steps for linear hyperplanes of many dimensions, dense or sparse, certified from the data."""
