"""How a kernel expansion is made sparse: traversal, sub-sampling, projection, and the error left."""
