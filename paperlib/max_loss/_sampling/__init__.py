"""What `FocusedSampler` is made of: random numbers, draws that wait for losses, processes, saved states."""
