"""The words for a fit that ended without a hyperplane, or without its certificate."""

from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib.coresets._search.search import BUDGET, ORIGIN, STALLED


def not_separable(size, margin, radius, row):
    """Return the message for data that no hyperplane separates; a combination of `size` points proves it."""
    return (
        f"the data are not separable by a hyperplane with a positive margin: a convex combination of "
        f"{size} signed points y_i x_i has the norm {margin:.3g}, beside a largest "
        f"norm of {radius:.3g} (row {row} weighs most). fit_intercept=True or a kernel may separate them; "
        "C gives a soft margin; OutlierCoresetSVC leaves points out"
    )


def say(clf, search, stop):
    """Raise or warn, where a search did not end with a certificate; find what its hyperplane achieves."""
    coreset, words = search.coreset, ""
    if stop == ORIGIN:
        largest = coreset.indices[int(coreset.dual.argmax())]
        words = not_separable(len(coreset.support()), coreset.margin, coreset.radius, largest)
        if clf.on_nonseparable == "raise":
            raise ValueError(words)
    if search.plane is None:
        search.look_at_the_data()
    if words:
        warn_caller(words, ConvergenceWarning)
    if stop in (BUDGET, STALLED):
        what = f"margin {search.margin:.6g} and upper bound {coreset.margin:.6g}"
        warn_of_no_certificate(stop, search.limits, what, clf.eps)


def warn_of_no_certificate(stop, limits, what, eps, helps=""):
    """Warn that rounding or a limit ended the search; `what` names the numbers that differ."""
    why = limits.why if stop == BUDGET else "rounding"
    words = f"no certificate, because of {why}: {what} differ by more than eps={eps}{helps}"
    warn_caller(words, ConvergenceWarning)
