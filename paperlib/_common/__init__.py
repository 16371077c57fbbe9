"""What two or more of the five subpackages share; it knows nothing about any paper."""
