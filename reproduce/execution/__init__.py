"""Runs executed: the driver, its workers, and one kernel per notebook."""
