"""SVM(C): the hyperplane of largest margin of a coreset's points, by Wolfe's algorithm."""
