"""The static site: notebooks as they ran, claims with their evidence, how-tos, the library's reference."""
