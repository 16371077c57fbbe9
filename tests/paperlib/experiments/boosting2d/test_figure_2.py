"""Figure 2: both of its sets are optimal, and the wider street is taken."""

from paperlib.experiments.boosting2d import figure_2


def test_the_wider_street_is_without_the_discs(monkeypatch):
    found = figure_2.figure_2_sets().set_index("given_up")
    assert found.weight.tolist() == [2.0, 2.0]
    assert found.margin["discs"] > 1.9 * found.margin["crosses"]
    assert found.chosen.to_dict() == {"discs": True, "crosses": False}
    right = figure_2.optimal_separator
    monkeypatch.setattr(figure_2, "optimal_separator", lambda X, y: right(X[:, ::-1], y, tie_break="first"))
    assert not figure_2.figure_2_sets().chosen.any()
