"""The size of Equation 4 as it is built, and its slacks beside a programme written out by hand."""

import numpy as np

from paperlib.experiments.feature_deletion import equation_4_in_full
from paperlib.experiments.feature_deletion.claims import section_1_size
from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.experiments.random_streams import stream
from tests.paperlib.feature_deletion.helpers import kept_sets


def test_the_counts_are_those_of_the_paper_s_form():
    counts = equation_4_in_full.sizes()
    m, n = counts.m, counts.n
    # w and b; xi and lam of each example; alpha of each pair.
    assert (counts.variables == n + 1 + 2 * m + m * n).all()
    assert (counts.constraints == m + m * n).all()
    # A first constraint has lam, all alpha, b and xi; one of the others w_j, lam and its alpha.
    assert (counts.entries == m * (n + 3) + 3 * m * n).all()
    assert section_1_size(counts).value == 1.0


def test_the_perceptron_is_the_cheaper_one():
    found = equation_4_in_full.passes(seed=0)
    assert found.ten.all() and set(found.solver) == {"auto", "first_order"} and len(found) == 8


def test_the_slacks_are_the_losses_and_satisfy_equation_3(monkeypatch):
    solutions, solve = [], equation_4_in_full.linprog
    monkeypatch.setattr(
        equation_4_in_full, "linprog", lambda *a, **k: solutions.append(solve(*a, **k)) or solutions[-1]
    )
    found = equation_4_in_full.solutions.__wrapped__(2, seed=3)
    assert len(found) == 2 * 41 and (found.violated < 1e-7).all()
    wrong = found[found.mistake]
    assert (wrong.margin <= wrong.slack + 1e-7).all() and (wrong.margin > 0.6 * wrong.slack).any()
    rng = stream(3, "Equation 4 in full")
    for programme, solution in enumerate(solutions):
        X, y = redundant_sample(41, 5, rng, flips=0.3)
        values = rng.choice([0.5, 1.0, 1.7, 3.0], size=5)
        budget, margin = rng.uniform(0.1, 0.6) * values.sum(), rng.uniform(0.1, 2.0)
        w, b = solution.x[:5], solution.x[5]
        losses = relaxed_losses(w, b, X, y, budget, margin, values)
        sets = np.array(kept_sets(values, budget))
        wrong = [(y[i] * (b + sets @ (w * X[i])) <= 0).any() for i in range(41)]
        mine = found[found.programme == programme]
        assert np.allclose(mine.slack, losses, atol=1e-6) and np.allclose(mine.margin, margin)
        assert mine.mistake.tolist() == wrong
    assert programme == 1 and 0 < sum(wrong) < 41


def test_a_slack_that_is_too_small_violates_equation_3(monkeypatch):
    solve = equation_4_in_full.linprog

    def lowered(*args, **options):
        found = solve(*args, **options)
        found.x[6 : 6 + 41] -= 0.01  # behind w and b
        return found

    monkeypatch.setattr(equation_4_in_full, "linprog", lowered)
    violated = equation_4_in_full.solutions.__wrapped__(1, seed=3).violated
    assert np.isclose(violated.max(), 0.01)
