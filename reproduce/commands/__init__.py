"""Commands of the driver, one module each, with their shared options and the progress report."""
