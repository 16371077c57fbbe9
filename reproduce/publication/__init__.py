"""Published results: put in place in one step, with their provenance, and read again."""
