"""What must hold before anything is played: checks of input, and that PyTorch is there where it is needed."""
