"""The mean classifier judged by the examples that it is trained on, each left out in its turn."""
