"""From the command line to runs: everything is checked here, before anything is executed."""
