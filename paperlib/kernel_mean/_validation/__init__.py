"""What several modules take: checks of noise rates, scores and lengths, rows to keep."""
