"""The hull of a coreset in the space of a kernel: steps along its coordinates, and rows that are kept."""
