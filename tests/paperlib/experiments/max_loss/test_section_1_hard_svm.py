"""The hard SVM, and what its rivals' largest losses are."""

import numpy as np
from sklearn.svm import SVC

from paperlib.experiments.max_loss import section_1_hard_svm as hard


def test_the_shortest_vector_is_that_of_another_solver():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.standard_normal((9, 3))
        Z = X * np.sign(X @ rng.standard_normal(3))[:, None]
        w = hard.hard_svm(Z)
        assert (Z @ w).min() > 1 - 1e-9
        # Points and their mirror images: no intercept.
        both = SVC(kernel="linear", C=1e8, tol=1e-8).fit(np.vstack([Z, -Z]), np.repeat([1, -1], 9))
        np.testing.assert_allclose(w, both.coef_[0], rtol=1e-3, atol=1e-4)


def test_the_largest_loss_sees_one_point_below_the_margin():
    Z = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert hard.largest_loss(np.array([1.0, 0.5]), Z, 0.4) == 0.5
    assert hard.largest_loss(np.array([1.0, 0.4]), Z, 0.0) == 1.0


def test_nobody_is_better_until_the_penalty_outweighs_an_error():
    found = hard.hard_svm_rivals(10, 20, [0.5, 0.99, 1.5], seed=0)
    better = found.groupby("strength").better.sum()
    assert better[0.5] == better[0.99] == 0 and better[1.5] >= 10  # w = 0 at least
    assert (found.rivals > 80).all()
    again = hard.hard_svm_rivals(10, 20, [0.5, 0.99, 1.5], seed=0)
    assert found.equals(again)
