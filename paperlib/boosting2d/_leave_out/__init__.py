"""The optimal separator sets of a sample without one of its points, from those of the whole."""
