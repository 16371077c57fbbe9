"""Checks of what several modules take: noise rates, scores, lengths."""
