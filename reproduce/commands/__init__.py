"""The commands, a small file each, and what the command line and the progress report share."""
