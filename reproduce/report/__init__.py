"""Report: one HTML page that loads no other file."""
