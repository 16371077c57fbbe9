"""The drawings of these pages, each from a small run of the library.

``python docs/how_it_works/drawings.py`` draws all of them again, beside this file; a test holds that
they are as the library draws them now. Each is narrow enough to stand on a phone at its own size.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

from paperlib.boosting2d import optimal_separator
from paperlib.coresets import CoresetSVC
from paperlib.experiments import plotting
from paperlib.experiments.coresets.samples import half_spaces
from paperlib.experiments.max_loss.samples import mostly_easy_sample
from paperlib.feature_deletion import FeatureDeletionLP, worst_case_deletion
from paperlib.kernel_mean import KernelMeanClassifier, flip_labels, sparsify
from paperlib.max_loss import Perceptron, focused_online_learning

FOLDER = Path(__file__).resolve().parent
WIDTH, HEIGHT = 3.5, 3.3  # inches
BLUE, ORANGE, GREEN = plotting.NEGATIVE, plotting.POSITIVE, plotting.COLOURS[3]
GREY = "#767676"


def panel(title, **options):
    fig, axis = plotting.figure(width=WIDTH, height=HEIGHT)
    axis.set(title=title, **options)
    return fig, axis


def boosting2d():
    """A line turns about one point of the positive class, and the number of its errors goes up and down."""
    rng = np.random.default_rng(8)
    y = np.repeat([1, -1], 14)
    X = y[:, None] * (0.5, 0.4) + rng.normal(0, 0.95, (28, 2))
    best = optimal_separator(X, y)
    angles, counts = np.linspace(0, 360, 721), {}
    normals = np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))])
    for pivot in np.flatnonzero(y > 0):
        # The pivot itself lies on the line and counts as right; no other point is on it at these angles.
        side = y * ((X - X[pivot]) @ normals.T).T
        counts[pivot] = (np.delete(side, pivot, axis=1) <= 0).sum(axis=1)
    lightest = min(counts, key=lambda p: counts[p].min())
    assert counts[lightest].min() == best.weight
    middle = np.flatnonzero(counts[lightest] == best.weight)
    normal = normals[middle[len(middle) // 2]]

    fig, plane = panel("1. A line turns about a point", xlabel="score of $g_1$", ylabel="score of $g_2$")
    plotting.scatter_classes(plane, X, y, size=30)
    for turn in (-50, -25, 25, 50):
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        turned = np.array([c * normal[0] - s * normal[1], s * normal[0] + c * normal[1]])
        plane.axline(
            X[lightest], X[lightest] + [-turned[1], turned[0]], color=GREY, lw=0.8, ls=":", marker=""
        )
    plane.axline(X[lightest], X[lightest] + [-normal[1], normal[0]], color="black", ls="-", marker="")
    wrong = y * ((X - X[lightest]) @ normal) < -1e-9
    plane.scatter(*X[wrong].T, s=110, fc="none", ec="black", linewidths=0.9, label="on the wrong side")
    plane.scatter(*X[lightest], s=60, marker="s", fc=ORANGE, ec="black", label="the point it turns about")
    plane.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
    fig.legend(loc="outside lower center", ncols=2, columnspacing=1)
    yield fig

    fig, curve = panel(
        "2. Its errors, angle by angle", xlabel="angle, degrees", ylabel="points on the wrong side"
    )
    other = next(p for p in counts if p != lightest and counts[p].min() > best.weight)
    curve.step(
        angles, counts[other], where="mid", color=GREY, lw=1, ls="--", marker="", label="another point"
    )
    curve.step(angles, counts[lightest], where="mid", color=BLUE, ls="-", marker="", label="this point")
    curve.axhline(best.weight, color="black", ls=":", lw=1, marker="", label=f"fewest: {best.weight:.0f}")
    curve.set(xticks=[0, 90, 180, 270, 360], ylim=(0, 28))
    fig.legend(loc="outside lower center", ncols=3, columnspacing=1)
    yield fig


def coresets():
    """The points that join, in order, and the two margins that close in on the best one."""
    rng = np.random.default_rng(1)
    X, y = half_spaces(200, 2, 0.25, random_state=rng)
    X = X * rng.uniform(0.8, 2.2, size=(200, 1))
    fit = CoresetSVC(0.1, selection="worst").fit(X, y)
    normal = fit.coef_[0]

    fig, plane = panel("1. The points that join, in order", xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    plotting.scatter_classes(plane, X, y, size=12, alpha=0.6)
    for shift, style in ((0, "-"), (-fit.margin_, ":"), (fit.margin_, ":")):
        start = shift * normal
        plane.axline(
            start, start + np.array([-normal[1], normal[0]]), color="black", ls=style, marker="", lw=1.2
        )
    members = X[fit.coreset_indices_]
    plane.scatter(*members.T, s=80, fc="none", ec="black", linewidths=1.1, label="in the coreset")
    for i, point in enumerate(members, start=1):
        plane.annotate(str(i), point, xytext=(6, 4), textcoords="offset points", fontsize=11)
    fig.legend(loc="outside lower center", ncols=3, columnspacing=1, handletextpad=0.2)
    yield fig

    rounds = np.arange(1, fit.n_iter_ + 1)
    fig, curve = panel("2. Two margins close in on the best", xlabel="points in the coreset", ylabel="margin")
    curve.plot(rounds, fit.margin_path_, color=BLUE, ls="-", label="of the coreset alone")
    curve.plot(
        rounds, 0.9 * fit.margin_path_, color=GREY, ls=":", marker="", label="nine tenths of it: enough"
    )
    curve.plot(
        rounds, np.append(fit.added_margin_path_, fit.margin_), color=ORANGE, ls="--", label="of all points"
    )
    curve.set(xticks=rounds)
    fig.legend(loc="outside lower center", ncols=2, columnspacing=1)
    yield fig


def feature_deletion():
    """What each feature adds to one example's score, and the two that an adversary deletes."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], 400)
    strength = np.array([1.8, 1.5, *[0.3] * 10])
    X = y[:, None] * strength + rng.normal(0, 0.6, (400, 12))
    learners = {
        "1. SVM: it leans on two features": LinearSVC(C=10.0, max_iter=100_000).fit(X, y),
        "2. The programme, for two deletions": FeatureDeletionLP(n_deleted=2).fit(X, y),
    }
    # The example whose score after deletions differs most between the two.
    left = [worst_case_deletion(c.coef_[0], c.intercept_[0], X, y, 2)[0] for c in learners.values()]
    i = int(np.argmax(np.sign(left[1]) - np.sign(left[0]) + 1e-3 * left[1]))
    for title, learner in learners.items():
        w, b = learner.coef_[0], learner.intercept_[0]
        adds = y[i] * w * X[i]
        margins, masks = worst_case_deletion(w, b, X, y, 2)
        scale, rest = adds.sum() + y[i] * b, margins[i]  # only the sign of a score counts
        fig, bars = panel(title, xlabel="feature", ylabel="share of the score")
        at, deleted = np.arange(1, 13), masks[i]
        bars.bar(at[~deleted], adds[~deleted] / scale, color=BLUE, label="left")
        bars.bar(at[deleted], adds[deleted] / scale, fc="none", ec=ORANGE, hatch="////", label="deleted")
        bars.axhline(0, color="black", lw=0.8, marker="", ls="-")
        text = f"what is left: {rest / scale:+.2f}, {'right' if rest > 0 else 'wrong'}\n"
        text += f"of all 400 then wrong: {np.mean(margins <= 0):.1%}"
        place = {"transform": bars.transAxes, "ha": "right", "va": "top"}
        bars.text(0.98, 0.96, text.replace("-", "\N{MINUS SIGN}"), **place)
        bars.set(xticks=at, ylim=(-0.25, 0.85))
        bars.grid(False, axis="x")
        fig.legend(loc="outside lower center", ncols=2)
        yield fig


def kernel_mean():
    """Wrong labels make the mean shorter and turn it hardly; a few points stand for all."""
    rng = np.random.default_rng(2)
    y = np.repeat([-1, 1], 200)
    X = y[:, None] * (1.3, 0.8) + rng.normal(0, 0.6, (400, 2))
    fig, plane = panel("1. Wrong labels shorten the mean", xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    noisy = flip_labels(y, 0.3, random_state=rng)
    wrong = noisy != y
    plotting.scatter_classes(plane, X[~wrong], y[~wrong], size=8, alpha=0.4)
    plane.scatter(*X[wrong].T, s=9, marker="D", fc="none", ec=GREY, linewidths=0.7, label="label is wrong")
    for labels, colour, style, name in (
        (y, "black", "-", "mean, right labels"),
        (noisy, GREEN, "--", "mean, 3 in 10 wrong"),
    ):
        mean = X.T @ KernelMeanClassifier("linear").fit(X, labels).dual_coef_
        plane.plot([0, mean[0]], [0, mean[1]], color=colour, ls="-", lw=3.2, marker="", label=name)
        plane.plot(*mean, color=colour, marker="o", ms=7)
        plane.axline((0, 0), (-mean[1], mean[0]), color=colour, ls=style, lw=1.3, marker="")
    plane.set(xlim=(-2.7, 2.7), ylim=(-2.7, 2.7))
    fig.legend(loc="outside lower center", ncols=2, columnspacing=1, fontsize=8.5)
    yield fig

    centres = np.array([(-2, 1), (-1, -1.6), (0, 1.8), (1.6, -1.2), (2.1, 1.2), (0.3, 0)])
    side = np.array([1, -1, -1, 1, -1, 1])
    member = rng.integers(0, 6, 300)
    X, y = centres[member] + rng.normal(0, 0.22, (300, 2)), side[member]
    weights = KernelMeanClassifier("rbf", gamma=1.0).fit(X, y).dual_coef_
    sparse = sparsify(X, weights, 6, method="farthest_first", gamma=1.0, random_state=3)
    fig, plane = panel(
        f"2. {len(sparse.support)} points stand for 300", xlabel="$x_1$", ylabel="$x_2$", aspect="equal"
    )
    plotting.scatter_classes(plane, X, y, size=9, alpha=0.5)
    plane.scatter(
        *sparse.points.T, s=2000 * np.abs(sparse.weights), fc="none", ec="black", linewidths=1.3,
        label="kept; area is its weight",
    )  # fmt: skip
    plane.set(xlim=(-3, 3.1), ylim=(-2.6, 2.8))  # room for the rings
    fig.legend(loc="outside lower center", ncols=2, columnspacing=1)
    yield fig


def max_loss():
    """The weight runs to what is still wrong, and that is got right sooner."""
    X, y = mostly_easy_sample(300, 3, random_state=0)
    paths, weights, line = {}, None, None
    for name, share in (("drawn evenly", 1.0), ("drawn with focus", 0.5)):
        learner, path = Perceptron(X, y), []
        run = focused_online_learning(
            learner, 300, 10_000, uniform_share=share, random_state=0,
            callback=lambda t, learner=learner, path=path: path.append(learner.errors()) and None,
        )  # fmt: skip
        paths[name] = np.array(path)
        if share < 1:
            weights, line = 2 * run.tree.probabilities() - 1 / 300, learner.w
    fig, plane = panel("1. Weight runs to what is wrong", xlabel="$x_1$", ylabel="$x_2$")
    plotting.scatter_classes(plane, X, y, size=12, alpha=0.6)
    heavy = weights > 2 / 300
    plane.scatter(*X[heavy].T, s=2500 * weights[heavy], fc="none", ec="black", label="area: weight")
    plane.axline((0, 0), (-line[1], line[0]), color="black", ls="-", marker="", lw=1.2)
    plane.set(xlim=(-0.05, 0.05), ylim=(-1.8, 1.8), xticks=[-0.04, 0, 0.04])
    fig.legend(loc="outside lower center", ncols=3, columnspacing=1, handletextpad=0.2)
    yield fig

    fig, curve = panel(
        "2. Mistakes on the 300 examples", xlabel="rounds", ylabel="mistakes, mean of 100 rounds"
    )
    for (name, path), colour, style in zip(paths.items(), (GREY, BLUE), ("--", "-")):
        mean = np.convolve(path, np.ones(100) / 100, "valid")
        curve.semilogx(np.arange(100, len(path) + 1), mean, color=colour, ls=style, marker="", label=name)
    fig.legend(loc="outside lower center", ncols=2)
    yield fig


PAPERS = (boosting2d, coresets, feature_deletion, kernel_mean, max_loss)


def drawn(paper):
    """Return `{file name: bytes}` of a paper's drawings."""
    found = {}
    for i, fig in enumerate(paper(), start=1):
        fig.draw_without_rendering()
        found[f"{paper.__name__}-{i}.svg"] = plotting.rendered(fig, "svg")
        plt.close(fig)
    return found


if __name__ == "__main__":
    for paper in PAPERS:
        if paper.__name__ in sys.argv[1:] or len(sys.argv) == 1:
            for name, raw in drawn(paper).items():
                (FOLDER / name).write_bytes(raw)
