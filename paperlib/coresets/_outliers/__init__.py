"""Searches for the hyperplane of largest margin on all points but k (Section 5, Figure 4)."""
