"""What Figures 2 and 3 say: epochs to no training error, error at equal epochs, useful draws."""

import numpy as np
import pandas as pd

BATCH = 64
LOW = 0.01  # training error from which on draws are counted: the paper's example has 0.4 % and less


def epochs_to_zero(curves):
    """Return how many epochs each run took to no training error.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.

    Returns
    -------
    DataFrame with a row per method and run
        method, run, epochs (until the first without a training error; of those that were allowed, where there
        was none), reached, train_error and test_error (then).

    Examples
    --------
    >>> curves = pd.DataFrame({"method": ["FOL"] * 3, "run": [0] * 3, "epoch": [1, 2, 3]})
    >>> curves = curves.assign(train_errors=[3, 0, 1], train_error=[0.3, 0, 0.1], test_error=[0.2, 0.1, 0.1])
    >>> epochs_to_zero(curves)[["method", "epochs", "reached", "test_error"]]
      method  epochs  reached  test_error
    0    FOL       2     True         0.1
    """
    solved = curves.assign(reached=curves.train_errors == 0)
    # The first that is solved, or else the last there is.
    solved["order"] = np.where(solved.reached, -1.0 / (1.0 + solved.epoch), 1.0 / (1.0 + solved.epoch))
    rows = solved.loc[solved.groupby(["method", "run"], sort=False).order.idxmin()]
    rows = rows.rename(columns={"epoch": "epochs"}).reset_index(drop=True)
    return rows[["method", "run", "epochs", "reached", "train_error", "test_error"]]


def last_over_vote(curves, votes="vote_errors", method="FOL"):
    """Return each run's epochs to a last network without a training error, over those to such a majority.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.
    votes : {"vote_errors", "drawn_errors"}
    method : str

    Returns
    -------
    Series indexed by run
        Of what was run, where there was none; so it is a limit from above where the last network got there
        and the majority did not.

    Examples
    --------
    >>> curves = pd.DataFrame({"method": ["FOL"] * 4, "run": [0] * 4, "epoch": [0, 1, 2, 3]})
    >>> last_over_vote(curves.assign(train_errors=[9, 3, 0, 1], vote_errors=[9, 3, 1, 0])).tolist()
    [0.6666666666666666]
    """
    ratios = {}
    for run, own in curves[curves.method == method].groupby("run"):
        taken = [
            own.epoch[own[name] == 0].min() if (own[name] == 0).any() else own.epoch.max()
            for name in ("train_errors", votes)
        ]
        ratios[run] = max(taken[0], 1) / max(taken[1], 1)
    return pd.Series(ratios)


def median_curves(curves):
    """Return the medians over runs at each epoch; a run that has ended stays as it is.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.

    Returns
    -------
    DataFrame with a row per method and epoch
        method, epoch, train_error, test_error.
    """
    parts = []
    for method, group in curves.groupby("method", sort=False):
        columns = {
            name: group.pivot(index="epoch", columns="run", values=name).ffill().median(axis=1)
            for name in ("train_error", "test_error")
        }
        parts.append(pd.DataFrame(columns).reset_index().assign(method=method))
    return pd.concat(parts, ignore_index=True)[["method", "epoch", "train_error", "test_error"]]


def test_error_at(curves, method, epochs):
    """Return the test error of one method after other epochs in each run, or of its last if it ended before.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.
    method : str
    epochs : Series
        Indexed by run.

    Returns
    -------
    Series indexed by run
    """
    own = curves[curves.method == method].set_index("run")
    return own[own.epoch <= epochs.reindex(own.index)].groupby(level=0).test_error.last()


def falls(curves, method, mean_of):
    """Return by how much the logarithm of each run's training error falls an epoch, early and late.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.
    method : str
    mean_of : int >= 1
        Epochs before and at a time, whose mean is the error then.

    Returns
    -------
    DataFrame indexed by run
        fall_early (from a quarter of the run to its middle), fall_late (from there to its end). An error of
        zero counts as one in a million.

    Examples
    --------
    >>> curves = pd.DataFrame({"method": ["SGD"] * 9, "run": [0] * 9, "epoch": range(9)})
    >>> curves["train_error"] = np.exp(-np.arange(9.0))
    >>> falls(curves, "SGD", 1).round(6).to_numpy().tolist()
    [[1.0, 1.0]]
    """
    rows = {}
    for run, own in curves[(curves.method == method) & (curves.epoch > 0)].groupby("run"):
        times = [max(1, own.epoch.max() // part) for part in (4, 2, 1)]
        errors = [own.train_error[(own.epoch <= t) & (own.epoch > t - mean_of)].mean() for t in times]
        fall = -np.diff(np.log(np.maximum(errors, 1e-6))) / np.maximum(1, np.diff(times))
        rows[run] = dict(zip(("fall_early", "fall_late"), fall))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("run")


def useful_draws(curves):
    """Return how many draws of a batch are useful, that is wrong, while a training error is low and not zero.

    Counted are the epochs up to the first without a training error in which it is at most 1 % on the mean of
    begin and end, and the last of them if none is so low.

    Parameters
    ----------
    curves : DataFrame
        Of `section_5_networks.race`.

    Returns
    -------
    DataFrame with a row per method and run
        method, run, useful (mistakes among 64 draws), uniform (as many as uniform draws would show the same
        networks: 64 times the training error), gain (their quotient; 1 where neither shows any).

    Examples
    --------
    >>> curves = pd.DataFrame({"method": ["FOL"] * 2, "run": [0, 0], "epoch": [0, 1]})
    >>> curves = curves.assign(train_errors=[1, 0], train_error=[0.01, 0.0], useful=[np.nan, 0.96])
    >>> useful_draws(curves).gain.round(3).tolist()
    [3.0]
    """
    rows = []
    for (method, run), each in curves.dropna(subset="useful").groupby(["method", "run"], sort=False):
        own = curves[(curves.method == method) & (curves.run == run)]
        begun = own.set_index("epoch").train_error.reindex(each.epoch - 1).to_numpy()
        between = (begun + each.train_error.to_numpy()) / 2
        counted = np.cumsum(begun == 0.0) == 0
        counted[0] = True  # of a network that has all right before its first step
        low = counted & (between <= LOW)
        chosen = low if low.any() else counted & (np.arange(len(each)) == counted.sum() - 1)
        useful, uniform = each.useful[chosen].mean(), BATCH * between[chosen].mean()
        rows.append((method, run, useful, uniform, useful / uniform if uniform else 1.0))
    return pd.DataFrame(rows, columns=["method", "run", "useful", "uniform", "gain"])
