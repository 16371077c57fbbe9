"""Large margins for structured outputs, by a coreset of pairs (example, wrong output)."""

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from paperlib._common.all_or_nothing import all_or_nothing
from paperlib._common.rounding import TIED
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_number, check_sample_weight
from paperlib.coresets._outputs.inputs import as_sequence, check_columns
from paperlib.coresets._outputs.pairs import report
from paperlib.coresets._search.inputs import check_size
from paperlib.coresets._search.search import Limits
from paperlib.coresets._solver.coresets import required
from paperlib.coresets._solver.working_set import WorkingSet


class StructuredCoresetSVM(BaseEstimator):
    """Predict ``argmax_y <w, Phi(x, y)>`` with the largest margin over wrong outputs, up to ``1 - eps``.

    Each pair of an example and a wrong output y' is a point ``Phi(x, y) - Phi(x, y')``; there are far too
    many to write down, and a decoder finds the most violated one of each example. The paper's abstract
    promises this case ("we can view SVM-struct as a coreset algorithm"); the printed text lacks Section 6.

    Parameters
    ----------
    decoder : object
        Such as `ChainDecoder` or `MulticlassDecoder`: has ``features(x, y)``, ``argmax(w, x, y)`` and
        ``decode(w, x)``, and may have ``check(X, Y)`` and ``check_inputs(X, w)``, as
        `paperlib.coresets.decoders` says.
    eps : float in (0, 1), default=0.1
        `margin_` is at least ``1 - eps`` times the optimum.
    selection : {"worst", "first", "mean"}, default="worst"
        Rule for what joins the coreset. ``"worst"``: the most violated pair of all, one a pass (Figure 1).
        ``"first"``: every violated pair, as soon as the pass comes to it (Corollary 3.2): the order of
        SVM-struct. ``"mean"``: the mean of the violated pairs of a pass, the plain cutting plane of SVM-Perf.
        All three have the same guarantee.
    on_nonseparable : {"raise", "warn"}, default="raise"
        For data on which no w is right everywhere: a ``ValueError``, or a ``ConvergenceWarning`` and the best
        w met.
    max_iter : int >= 1, default=10000
        Passes over the data; a ``ConvergenceWarning`` if they are used up.
    time_limit : float > 0 or None, default=None
        Seconds, looked at after each pass; a ``ConvergenceWarning`` if they are used up.
    verbose : bool or int >= 0, default=0
        Whether to print the margin and its bound about once a second.

    Attributes
    ----------
    coef_ : ndarray of shape (D,)
        Of length one.
    coreset_indices_ : ndarray of shape (k,)
        Examples of the pairs in the coreset; -1 for a mean of several.
    coreset_outputs_ : list of length k
        The wrong outputs they are paired with; None for a mean.
    margin_ : float
        Smallest ``<w, Phi(x, y) - Phi(x, y')>`` over all examples and wrong outputs, achieved.
    margin_upper_bound_ : float
        The coreset's own margin, which no w of length one exceeds.
    n_iter_, n_decoded_ : int
        Passes over the data, and calls of ``decoder.argmax``.
    feature_names_in_ : ndarray of shape (n_features,)
        Only where `X` is a data frame, or holds such, or rows of one.

    Raises
    ------
    ValueError
        If an argument is out of its range, for a decoder without a method, for lengths that differ, for
        non-separable data, and, in `predict`, for inputs that the decoder's ``check_inputs`` refuses.

    Notes
    -----
    On 100 sequences of 6 digits (`paperlib.experiments.coresets.samples.digit_sequences` with noise 0.1) at
    ``eps=0.1``, ``"worst"`` takes 231 passes for 230 pairs, ``"first"`` 10 passes for 319, ``"mean"`` 102
    passes for 101 means. The smallest coreset of pairs is the paper's; where decoding is what costs,
    ``"first"`` is the one to take.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, introduction, Section 3.1; I. Tsochantaridis et al., ICML 2004; T. Joachims, KDD 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.coresets import ChainDecoder, StructuredCoresetSVM
    >>> X = [np.array([[1.0], [-2.0], [1.5]]), np.array([[-1.0], [-1.0]])]
    >>> Y = [[1, 0, 1], [0, 0]]
    >>> svm = StructuredCoresetSVM(ChainDecoder(2), eps=0.01).fit(X, Y)
    >>> [y.tolist() for y in svm.predict([np.array([[3.0], [3.0], [-3.0]])])]
    [[1, 1, 0]]
    """

    def __init__(
        self,
        decoder: Any,
        eps: float = 0.1,
        *,
        selection: Literal["worst", "first", "mean"] = "worst",
        on_nonseparable: Literal["raise", "warn"] = "raise",
        max_iter: int = 10_000,
        time_limit: float | None = None,
        verbose: bool | int = 0,
    ) -> None:
        self.decoder = decoder
        self.eps = eps
        self.selection = selection
        self.on_nonseparable = on_nonseparable
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Sequence[Any], Y: Sequence[Any], sample_weight: ArrayLike | None = None) -> Self:
        """Find w. An error, or an interrupt, leaves the estimator as it was.

        Parameters
        ----------
        X, Y : sequences of length n
            Inputs and right outputs, as the decoder takes them. Of a data frame the entries are its rows.
        sample_weight : array-like of shape (n,), optional
            Non-negative. An example of weight zero is left out. Other weights do not change a margin; with
            ``selection="mean"`` they are those of the means.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            eps, limits = self._check_parameters()
            given, X, Y = X, as_sequence(X, "X"), as_sequence(Y, "Y")
            if len(X) != len(Y) or len(X) == 0:
                raise ValueError(
                    "X and Y must be of the same length, at least 1, "
                    f"got {len(X)} inputs and {len(Y)} outputs"
                )
            check_columns(self, given, reset=True)
            weights = check_sample_weight(sample_weight, len(X))
            self._rows = np.flatnonzero(weights)
            X, Y = list(X), list(Y)
            X, Y = [X[i] for i in self._rows], [Y[i] for i in self._rows]
            self._weights = weights[self._rows]
            if hasattr(self.decoder, "check"):
                self.decoder.check(X, Y)

            first = self.decoder.features(X[0], Y[0])
            check_size(np.asarray(first, dtype=np.float64)[None])
            size = len(first)
            self._work = WorkingSet(size)
            self._members: list[int] = []
            self._outputs: list[Any] = []
            self.n_decoded_, best, coef, halted = 0, -np.inf, np.zeros(size), None
            for passes in itertools.count(1):
                before, normal = len(self._work), self._work.normal
                lowest, worst, violated = self._pass(X, Y, eps)
                if len(self._work) == before:  # every example was looked at with the same w
                    if before and lowest > best:
                        best, coef = lowest, normal
                    if not violated:
                        halted = "certified"
                        break
                    if self.selection == "mean" and before:
                        self._join(self._sum / violated, -1, None)
                    else:
                        self._join(*worst)
                if self._work.margin == 0.0:
                    halted = "not separable"
                    break
                if limits.reached(passes):
                    halted = limits.why
                    break
                limits.tell(partial(self._describe, passes, best))
            if best == -np.inf:
                best, coef = self._margin_of(X, Y, normal), normal
            limits.end(partial(self._describe, passes, best))
            work, held = self._work, self._rows
            del self._work, self._sum, self._rows, self._weights
            if halted != "certified":
                report(self, halted, "X")

            self.coef_, self.margin_ = coef, float(best)
            self.margin_upper_bound_ = max(work.margin, self.margin_ * (halted == "certified"))
            self.n_iter_ = passes
            members = np.array(self._members)
            self.coreset_indices_ = np.where(members < 0, -1, held[members])
            self.coreset_outputs_ = self._outputs
            return self

    def _pass(self, X, Y, eps):
        """Return the smallest margin, its (point, example, output), and the weight of violated examples."""
        work, lowest, worst, violated = self._work, np.inf, None, 0.0
        self._sum = np.zeros(len(work.normal))
        for i, (x, y) in enumerate(zip(X, Y)):
            point, output = self._most_violated(work.normal, x, y, i)
            margin = float(point @ work.normal)
            # Of tied ones the first, whichever of them is rounded down.
            if worst is None or margin < lowest - TIED * abs(lowest):
                worst = point, i, output
            lowest = min(lowest, margin)
            if len(work) == 0 or margin < required(work.margin, eps):
                violated += self._weights[i]
                # The next examples meet another w: `fit` has no use for `lowest` where points joined.
                if self.selection == "first":
                    self._join(point, i, output)
                    if work.margin == 0.0:
                        break
                elif self.selection == "mean":
                    self._sum += self._weights[i] * point
        return lowest, worst, violated

    def _most_violated(self, normal, x, y, i):
        output, point = self._rival(normal, x, y, self._rows[i])
        self.n_decoded_ += 1
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(point @ point) if point.shape == normal.shape else False
        if not finite:
            raise ValueError(
                f"decoder must give finite features of shape {normal.shape}, small enough to be squared, for "
                f"all examples, got shape {point.shape} or a value that is too large at position "
                f"{self._rows[i]}"
            )
        return point, output

    def _rival(self, w, x, y, i):
        """Return the best output other than y, and how the features of y differ from its; i is a position."""
        output = self.decoder.argmax(w, x, y)
        point = None if output is None else self.decoder.features(x, y) - self.decoder.features(x, output)
        if point is None or (not np.any(point) and np.array_equal(output, y)):
            raise ValueError(
                f"decoder.argmax must return an output other than y, got {output!r} for y={y!r} at position "
                f"{i}: an input that has one output only has no rival to be told from, and must be left out"
            )
        return output, point

    def _margin_of(self, X, Y, normal):
        return min(self._most_violated(normal, *pair)[0] @ normal for pair in zip(X, Y, range(len(X))))

    def _join(self, point, i, output):
        self._work.add(point)
        self._work.solve()
        self._members.append(i)
        self._outputs.append(output)

    def _check_parameters(self):
        eps = check_number(self.eps, "eps", low=0, high=1, open_low=True, open_high=True)
        check_choice(self.selection, "selection", ("worst", "first", "mean"))
        check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
        if isinstance(self.decoder, type):
            raise ValueError(f"decoder must be an object, got the class {self.decoder.__name__}")
        for method in ("features", "argmax", "decode"):
            if not callable(getattr(self.decoder, method, None)):
                raise ValueError(
                    f"decoder must have the methods features, argmax and decode, got {self.decoder!r} "
                    f"without {method}"
                )
        return eps, Limits(self.max_iter, self.time_limit, self.verbose, "StructuredCoresetSVM", "passes")

    def _describe(self, passes, best):
        margins = f"margin {best:.6g}, upper bound {self._work.margin:.6g}"
        return f"pass {passes}, {len(self._work)} pairs, {margins}"

    def predict(self, X: Sequence[Any]) -> list[Any]:
        """Return the list of outputs of largest score for a sequence of inputs, one at least."""
        X = self._checked(X)
        return [self.decoder.decode(self.coef_, x) for x in X]

    def decision_function(self, X: Sequence[Any]) -> Floats:
        """Return by how much the output that is predicted beats the next one, for each input.

        Parameters
        ----------
        X : sequence of length m

        Returns
        -------
        ndarray of shape (m,)
            ``<w, Phi(x, y) - Phi(x, y')>``, at least 0 but for rounding: how sure the prediction is, in the
            units of `margin_`.
        """
        X = self._checked(X)
        w, outputs = self.coef_, [self.decoder.decode(self.coef_, x) for x in X]
        apart = (self._rival(w, x, y, i)[1] for i, (x, y) in enumerate(zip(X, outputs)))
        return np.array([float(point @ w) for point in apart])

    def score(self, X: Sequence[Any], Y: Sequence[Any], sample_weight: ArrayLike | None = None) -> float:
        """Return the fraction of inputs, or of their weight, whose output is right as a whole."""
        X, Y = self._checked(X), as_sequence(Y, "Y")
        if len(X) != len(Y):
            raise ValueError(f"X and Y must be of the same length, got {len(X)} inputs and {len(Y)} outputs")
        if hasattr(self.decoder, "check"):
            self.decoder.check(X, Y)
        outputs = [self.decoder.decode(self.coef_, x) for x in X]
        right = [np.array_equal(a, b) for a, b in zip(outputs, Y)]
        return float(np.average(right, weights=check_sample_weight(sample_weight, len(right))))

    def _checked(self, X):
        """Return inputs that the decoder takes, one at least."""
        check_is_fitted(self, "coef_")
        given, X = X, as_sequence(X, "X")
        if len(X) == 0:
            raise ValueError("X must have one input at least, got none")
        check_columns(self, given)
        if hasattr(self.decoder, "check_inputs"):
            self.decoder.check_inputs(X, self.coef_)
        return X
