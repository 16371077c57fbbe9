"""The words for a fit that ended without a hyperplane, or without its certificate."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets._search.search import BUDGET


def not_separable(size, margin, radius, row):
    """Return the message for data that no hyperplane separates; a combination of `size` points proves it."""
    return (
        f"the data are not separable by a hyperplane with a positive margin: a convex combination of "
        f"{size} signed points y_i x_i has the norm {margin:.3g}, beside a largest "
        f"norm of {radius:.3g} (row {row} weighs most). fit_intercept=True or a kernel may separate them; "
        "C gives a soft margin; OutlierCoresetSVC leaves points out"
    )


def warn_of_no_certificate(stop, max_iter, what, eps):
    """Warn that rounding or the budget ended the search; `what` names the numbers that differ."""
    why = f"max_iter={max_iter} iterations" if stop == BUDGET else "rounding"
    words = f"no certificate, because of {why}: {what} differ by more than eps={eps}"
    warnings.warn(words, ConvergenceWarning, stacklevel=4)
