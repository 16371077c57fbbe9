"""Section 5 on real crops, at a share of the paper's size: how it moves with width and number of images."""

import pandas as pd

from paperlib.experiments.max_loss.crops import crop_task
from paperlib.experiments.max_loss.network import initial_weights, n_weights
from paperlib.experiments.max_loss.section_5_curves import epochs_to_zero
from paperlib.experiments.max_loss.section_5_networks import AFTER, convolutional, race, realisable_task
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

# Width of the network, and images to train on: 25 minutes of two cores, two runs of each.
SIZES = [
    (0.05, 2500),
    (0.05, 10_000),
    (0.05, 25_000),
    (0.1, 2500),
    (0.1, 10_000),
    (0.1, 25_000),
    (0.25, 10_000),
]
RULES = {"as in the paper": {}, "without ℓ2": {"l2": 0.0, "methods": ("FOL", "SGD")}}


@step
def crop_races(sizes, n_runs, n_vanilla, n_epochs, *, seed):
    """Race on crops with networks of several widths, on several numbers of images.

    Parameters
    ----------
    sizes : list of (width, n)
        Share of the paper's channels, and images to train on.
    n_runs : int >= 1
        Of each, on images and with weights of their own.
    n_vanilla, n_epochs : int
        Of plain SGD, whose errors are left out; and of each method, at most.
    seed : int

    Returns
    -------
    DataFrame with a row per width, n, run, rule and method
        width, weights (of the network), n, run, m (images that plain SGD left), rule, method, epochs (to the
        first without a training error; those that were run, where there was none), reached, train_end and
        test_end (means of the last twenty epochs; AdaBoost's last).
    """
    parts = []
    for width, n in sizes:
        seeds = stream(seed, f"crops, {width:g}, {n}").integers(2**63, size=(n_runs, 2)).tolist()
        for run, (sample, draws) in enumerate(progress(seeds, f"width {width:g}, {n:,} crops")):
            parts.append(crop_run(width, n, sample, draws, n_vanilla, n_epochs).assign(run=run))
    return pd.concat(parts, ignore_index=True)


@step
def crop_run(width, n, sample, draws, n_vanilla, n_epochs):
    """One run of `crop_races`, which is kept by itself; `sample` and `draws` are seeds."""
    start = convolutional(width)
    task = realisable_task(crop_task(n, random_state=sample), start, n_vanilla, random_state=draws)
    parts = []
    for name, rule in RULES.items():
        curves = race([task], start, n_epochs, random_state=draws, **rule).curves
        ends = epochs_to_zero(curves).set_index("method")[["epochs", "reached"]]
        last = pd.concat(
            each.sort_values("epoch").tail(AFTER if method != "AdaBoost" else 1).assign(method=method)
            for method, each in curves.groupby("method", sort=False)
        )
        means = last.groupby("method")[["train_error", "test_error"]].mean()
        means.columns = ["train_end", "test_end"]
        parts.append(ends.join(means).reset_index().assign(rule=name))
    found = pd.concat(parts, ignore_index=True)
    known = {
        "width": width,
        "weights": n_weights(initial_weights(width, 1)),
        "n": n,
        "run": 0,
        "m": len(task.y),
    }
    for at, (name, value) in enumerate(known.items()):
        found.insert(at, name, value)
    return found[[*known, "rule", "method", "epochs", "reached", "train_end", "test_end"]]
