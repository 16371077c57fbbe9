"""ACTIVE CORESET SVM (Figure 2): which label to ask for next, and the oracle that is asked."""
