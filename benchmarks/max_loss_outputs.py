"""Test errors of the outputs of `FOLClassifier`, on data sets scaled and as they are."""

import statistics
import warnings

from sklearn.datasets import load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.side_by_side import Comparison
from paperlib.experiments.datasets import DataUnavailableError, load
from paperlib.experiments.max_loss.samples import conjunction_sample, flip_labels, separable_sample
from paperlib.max_loss import FOLClassifier

SEEDS = range(5)
OURS, PEERS = "average", ("last", "majority")


def with_flips(share, m=1000):
    X, y, _ = separable_sample(m, 20, 0.05, random_state=0)
    return X, flip_labels(y, int(share * m), random_state=0)[0]


def samples():
    """Yield ``(name, X, y)``; the papers' own data only where they are."""
    for name, data in (
        ("breast_cancer", "bundled"),
        ("digits", "bundled"),
        ("spambase", "full"),
        ("ionosphere", "full"),
        ("sonar", "full"),
        ("german", "full"),
    ):
        try:
            found = load(name, data)
        except DataUnavailableError as error:
            print(f"no comparison on {name}: {error}")
        else:
            yield name, found.X, found.y
    yield "wine", *load_wine(return_X_y=True)
    yield "separable, a conjunction", *conjunction_sample(1000, 0.01, random_state=0)[:2]
    yield "5 % of labels flipped", *with_flips(0.05)
    yield "20 % of labels flipped", *with_flips(0.2)
    yield (
        "four classes that overlap",
        *make_classification(1000, 20, n_informative=8, n_classes=4, random_state=0),
    )


def test_error(X, y, scaled, output, seed):
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    if scaled:
        scale = StandardScaler().fit(X)
        X, X_test = scale.transform(X), scale.transform(X_test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return 1.0 - FOLClassifier(output=output, random_state=seed).fit(X, y).score(X_test, y_test)


def run():
    for name, X, y in samples():
        for scaled in (True, False):
            errors = {
                output: [test_error(X, y, scaled, output, seed) for seed in SEEDS]
                for output in (OURS, *PEERS)
            }
            ours = errors[OURS]
            for peer in PEERS:
                yield Comparison(
                    f"test error, {name}, {'scaled' if scaled else 'as it is'}",
                    statistics.mean(ours),
                    statistics.mean(errors[peer]),
                    f"output={peer!r}",
                    note=f"{len(SEEDS)} seeds: {min(ours):.3f} to {max(ours):.3f} against "
                    f"{min(errors[peer]):.3f} to {max(errors[peer]):.3f}",
                    unit="",
                )
