"""Publication of results: replaced in one step, with their provenance, and read again."""
