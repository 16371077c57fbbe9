"""The adversary: his knapsack, the perceptron that plays against him, and checks of what he may spend."""
