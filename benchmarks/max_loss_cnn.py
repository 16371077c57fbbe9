"""Epochs to zero training error of small networks, MNIST 8 against the rest: counted, not timed."""

from benchmarks.side_by_side import Comparison
from paperlib.experiments.max_loss.images import digits
from paperlib.experiments.max_loss.section_5_curves import epochs_to_zero
from paperlib.experiments.max_loss.section_5_networks import one_hidden_layer, race, realisable_split

EPOCHS, RUNS = 200, 5


def run():
    X, y = digits()
    tasks = [realisable_split(X, y, one_hidden_layer, 20, random_state=seed) for seed in range(RUNS)]
    for factor in (1.0, 4.0):
        curves = race(tasks, one_hidden_layer, EPOCHS, methods=("FOL", "SGD"), eta_factor=factor).curves
        epochs = epochs_to_zero(curves).groupby("method").epochs.median()
        yield Comparison(
            f"epochs to zero training error, network, eta = {factor:g} / (2m)",
            float(epochs["FOL"]),
            float(epochs["SGD"]),
            "SGD",
            target=3,
            note=f"medians of {RUNS} seeds, m = {len(tasks[0].y)}, 196-48-2 units",
            unit="epochs",
        )
