"""The leave-one-out error: the counts of Section 3, and training anew without each point."""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.boosting2d._leave_out.fat_side import fat_side
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.experiments.boosting2d.line_classes import line_classes, misclassified
from paperlib.experiments.boosting2d.samples import FIVE, clouds
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample
from paperlib.experiments.boosting2d.subsets import subsets
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step


def occurrences(sample, i):
    """Votes of the occurrences of optimal sets without point i, as Section 3 defines them.

    An occurrence is a pair of a central point and a class of lines through it. The paper's counters look at
    the lines through points of the class of i, so the centres are these.

    Returns
    -------
    wrong, total : int
        N_e, and N_e + N_c.
    """
    rows, own = np.arange(sample.n) != i, bool(sample.positive[i])
    X, positive, weights = sample.X[rows], sample.positive[rows], sample.weights[rows]
    best, _ = subsets(X, positive, weights)
    votes = []
    for a in np.flatnonzero(positive == own):
        for removed in misclassified(line_classes(X, a), positive, own):
            if removed @ weights == best:
                kept = rows.copy()
                kept[rows] = ~removed
                votes.append(sample.is_wrong(kept, i))
    return sum(votes), len(votes)


def printed_counters(sample, i):
    """The counters C_i and N_c(x_i) of the algorithm after Lemma 3.9, for a point of type I or III.

    Returns
    -------
    labels, right : int
    """
    sets, weights = sample.lines_that_misclassify(i)
    same = sets[weights == sample.best + sample.weights[i]]
    return len(same), sum(not sample.is_wrong(~removed, i) for removed in same)


def repaired_counters(sample, i):
    """The counters C_i and N_c(x_i) with what the printed ones leave out, from the lines of the whole sample.

    For a point of type I or III. A line that is optimal without x_i counts whether it has x_i right or
    wrong; and the classes of lines through a centre that x_i alone tells apart count as one.

    Returns
    -------
    labels, right : int
    """
    rows = np.arange(sample.n) != i
    labels, right = 0, 0
    for a in np.flatnonzero((sample.positive == sample.positive[i]) & rows):
        # The two orientations take turns; one after the other they are a whole turn of the line.
        sides, removed, weights = (np.concatenate([each[::2], each[1::2]]) for each in sample.lines[a])
        without = weights - sample.weights[i] * removed[:, i]
        first = (sides != np.roll(sides, 1, axis=0))[:, rows].any(axis=1)
        if not first.any():  # the other points are all at the centre
            first[[0, len(first) // 2]] = True
        for each in removed[first & (without == sample.best)]:
            labels += 1
            right += fat_vote(sample, rows & ~each, i)
    return labels, right


def fat_vote(sample, kept, i):
    """Return whether the fat line of the points `kept` classifies point i correctly, by the library."""
    positive = sample.positive
    side = fat_side(sample.X[kept & positive], sample.X[kept & ~positive], sample.X[i])
    return side == (1 if positive[i] else -1)


def counters(sample, rng, corrected=False):
    """Theorem 3.1: the counters give the share of occurrences that misclassify a point of type III.

    Corrected, with `repaired_counters`, for the points that are of type III once the lines that predict
    everything alike mark, too. Points without an occurrence are left out.
    """
    count = repaired_counters if corrected else printed_counters
    for i in range(sample.n):
        _, weights = sample.lines_that_misclassify(i, all_alike=corrected)
        if weights.min(initial=np.inf) != sample.best + sample.weights[i]:
            continue
        wrong, total = occurrences(sample, i)
        if total:
            labels, right = count(sample, i)
            yield labels > 0 and (labels - right) * total == wrong * labels


@step
def counters_table():
    """Four ways to count the optimal sets without a point, on a sample of five points.

    Returns
    -------
    DataFrame with a row per point and way: point, counted, wrong, total, error
        Ways: distinct optimal sets, their occurrences as Section 3 defines them, the counters that it prints,
        and these repaired. Of the points that the marking leaves for the counters.
    """
    sample = Sample(*FIVE)
    rows = []
    for i in range(2):
        wrong = sample.without[i][1]
        labels, right = printed_counters(sample, i)
        occurring_wrong, occurring = occurrences(sample, i)
        rows.append((i + 1, "distinct sets", int(wrong.sum()), len(wrong)))
        rows.append((i + 1, "occurrences", int(occurring_wrong), int(occurring)))
        rows.append((i + 1, "printed counters", int(labels - right), int(labels)))
        labels, right = repaired_counters(sample, i)
        rows.append((i + 1, "repaired counters", int(labels - right), int(labels)))
    table = pd.DataFrame(rows, columns=["point", "counted", "wrong", "total"])
    return table.assign(error=table.wrong / table.total)


@step
def printed_against_exact(n, n_samples, *, seed):
    """Compare the leave-one-out error by the printed marking and counters with the exact one.

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
        Of `samples.clouds`.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: sample, training, exact, printed
    """
    rows = []
    for k, rng in enumerate(progress(stream(seed, "printed counters").spawn(n_samples), "samples")):
        X, y = clouds(n, random_state=rng)
        X = np.round(X * 2.0**20) / 2.0**20  # all products are integers of 64 bits
        sample = Sample(X, y > 0, np.ones(n))
        printed = np.mean([_printed_share(sample, i) for i in range(n)])
        rows.append((k, sample.best / n, leave_one_out(X, y).error, printed))
    return pd.DataFrame(rows, columns=["sample", "training", "exact", "printed"])


def _printed_share(sample, i):
    """Return what a point adds by the printed algorithm, over its weight."""
    sets, weights = sample.lines_that_misclassify(i)
    limit = sample.best + sample.weights[i]
    if weights.min(initial=np.inf) != limit:
        return float(weights.min(initial=np.inf) < limit)
    return np.mean([not fat_vote(sample, ~removed, i) for removed in sets[weights == limit]])


def retrained_contributions(X, positive, weights):
    """Leave out each point and train anew, by listing all lines: the definition of the leave-one-out error.

    Parameters
    ----------
    X : ndarray of shape (n, 2), n >= 2
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers.

    Returns
    -------
    ndarray of shape (n,)
        The point's weight, times the share of the optimal sets without it whose fat line misclassifies it.
    """
    return weights * Sample(X, positive, weights).shares


@step
def retraining(n, n_samples, *, seed):
    """Compare `leave_one_out` with n trainings, on samples of `samples.clouds`, every other one weighted.

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per point: sample, point, weight, found, retrained
        What the point contributes to the error, by `leave_one_out` and by n trainings.
    """
    n, tables = check_number(n, "n", low=2, integer=True), []
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    for k, rng in enumerate(progress(stream(seed, "retraining").spawn(n_samples), "samples")):
        X, y = clouds(n, random_state=rng)
        X = np.round(X * 2.0**20) / 2.0**20  # all products are integers of 64 bits
        weights = np.ones(n) if k % 2 == 0 else rng.integers(1, 4, size=n).astype(float)
        found = {
            "weight": weights,
            "found": leave_one_out(X, y, weights).contribution,
            "retrained": retrained_contributions(X, y > 0, weights),
        }
        tables.append(pd.DataFrame({"sample": k, "point": np.arange(n)} | found))
    return pd.concat(tables, ignore_index=True)
