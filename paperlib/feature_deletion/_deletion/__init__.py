"""The adversary's knapsack problem, the perceptron that plays against it, and input validation."""
