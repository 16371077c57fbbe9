"""Branch and bound over hyperplanes: the least misclassified weight in any number of dimensions."""
