"""Execution of runs: the driver, its workers, and one kernel for each notebook."""
