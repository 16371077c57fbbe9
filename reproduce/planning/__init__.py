"""Planning of runs from the command line: everything is checked here, before anything is executed."""
