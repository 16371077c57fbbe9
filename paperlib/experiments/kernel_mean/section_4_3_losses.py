"""Section 4.3: tables of what noise does to losses, made by the searches in `section_4_3_orders`."""

import numpy as np
import pandas as pd

from paperlib.experiments.kernel_mean import section_4_3_orders as orders
from paperlib.experiments.kernel_mean import theory_noise
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step
from paperlib.kernel_mean import losses

NOISE_RATES = (0.05, 0.2, 0.45)
WITH_ZERO = np.append(orders.SCORES, 0.0)
GRID = np.linspace(-2.0, 2.0, 41)  # of scores


@step
def order_table():
    """Return `section_4_3_orders.order_table` at three noise rates, with a column for the rate."""
    tables = [orders.order_table(sigma).assign(noise=sigma) for sigma in NOISE_RATES]
    return pd.concat(tables, ignore_index=True)


@step
def reordered(n_pairs, *, seed):
    """Look for pairs of distributions over (label, score) that noise reorders (Definition 12).

    Returns
    -------
    DataFrame with a row per search: loss, search ("all" by a linear programme, or "random"), noise, pairs
        (that were looked at, 1 for all at once), reordered
    """
    draws = [("linear", losses.linear, WITH_ZERO), ("t-logistic", losses.t_logistic, orders.SCORES)]
    found = orders.order_table(0.2, WITH_ZERO, {"linear": losses.linear})
    rows = [("linear", "all", 0.2, 1, int((~found.keeps_order).sum()))]
    for name, loss, scores in draws:
        rng = stream(seed, f"orders of {name} loss")
        changes = orders.order_changes(loss, 0.4, n_pairs, scores, random_state=rng)
        rows.append((name, "random", 0.4, n_pairs, changes))
    return pd.DataFrame(rows, columns=["loss", "search", "noise", "pairs", "reordered"])


@step
def hinge_reversals():
    """Return `section_4_3_orders.reversals` of the hinge loss under noise of 0.2."""
    return orders.reversals(losses.hinge, 0.2)


@step
def proposition_26(n_pairs, *, seed):
    """Return `section_4_3_orders.proposition_26_pairs`, from a stream of their own."""
    return orders.proposition_26_pairs(n_pairs, stream(seed, "proposition 26"))


@step
def random_losses(n_losses, *, seed):
    """Judge random losses as `section_4_3_orders.order_table` does, from the numbers that they are.

    Every other one has a constant sum of its values for the two labels.

    Returns
    -------
    DataFrame with a row per loss: noise, keeps_order, equivalent, constant_sum
    """
    rng, rows = stream(seed, "random losses"), []
    for number in range(n_losses):
        noise, positive = rng.choice(NOISE_RATES), rng.uniform(0.0, 2.0, len(orders.SCORES))
        negative = rng.uniform(0.0, 2.0, len(positive)) if number % 2 else rng.uniform(2.0, 3.0) - positive
        own, other = np.concatenate([positive, negative]), np.concatenate([negative, positive])
        corrected = ((1.0 - noise) * own - noise * other) / (1.0 - 2.0 * noise)
        kept = orders.ordered_otherwise(own, (1.0 - noise) * own + noise * other) is None
        fit = theory_noise.affine_fit(own, corrected)
        same = np.ptp(positive + negative) < 1e-9
        rows.append((noise, kept, orders.equivalent_in_order(fit, corrected.max()), bool(same)))
    return pd.DataFrame(rows, columns=["noise", "keeps_order", "equivalent", "constant_sum"])


@step
def two_labels():
    """Return the two losses that the paper applies Theorem 15 to, for either label.

    Returns
    -------
    DataFrame with a row per loss and score: loss, score, negative, positive
    """
    rows = [
        (name, score, float(loss(-1, score)), float(loss(1, score)))
        for name, loss in (("linear", losses.linear), ("0-1", losses.zero_one))
        for score in GRID
    ]
    return pd.DataFrame(rows, columns=["loss", "score", "negative", "positive"])


@step
def convex_robust_losses():
    """Return the largest bend of any convex loss with a constant sum (Theorem 16), on `GRID`.

    Returns
    -------
    DataFrame with one row: scores (how many), bend
    """
    bend = to_resolution(abs(orders.convex_robust_bend(GRID)), 1e-9)
    return pd.DataFrame({"scores": [len(GRID)], "bend": [bend]})


@step
def calibration():
    """Return the largest 0-1 regret of a minimiser of ``lambda y v``, a score of zero counting half.

    Returns
    -------
    DataFrame with a row per lambda and distribution: slope, eta, regret
    """
    slopes, etas = [-2.0, -0.1, 0.0, 0.1, 2.0], [0.05, 0.3, 0.49, 0.5, 0.51, 0.7, 0.95]
    rows = [orders.calibration_errors(slopes, [eta]).assign(eta=eta) for eta in etas]
    return pd.concat(rows, ignore_index=True)[["slope", "eta", "regret"]]


@step
def sums_under_conditional_noise():
    """Return ``sigma_+ l(-1, v) + sigma_- l(1, v)`` of the linear loss for rates of 0.3 and 0.1 (Theorem 17).

    Returns
    -------
    DataFrame with a row per score: score, sum
    """
    sums = 0.3 * losses.linear(-1, GRID) + 0.1 * losses.linear(1, GRID)
    return pd.DataFrame({"score": GRID, "sum": sums})
