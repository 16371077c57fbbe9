"""Dual coordinate steps for linear hyperplanes, in many dimensions or with slack, certified from the data."""
