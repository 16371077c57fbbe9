"""CORESET SVM (Figure 1): passes over data of any form, and the violators that join the coreset."""
