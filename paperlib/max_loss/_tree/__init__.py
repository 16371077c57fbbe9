"""The sum tree that FOL draws from: its state, its updates and its draws."""
