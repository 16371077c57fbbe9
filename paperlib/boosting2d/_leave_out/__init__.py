"""What a sample says of itself without one of its points."""
