"""Search for the lightest separator sets: branch and bound, sweeps, pairs, and the sets that they find."""
