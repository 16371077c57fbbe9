"""The state of an estimator that is told one label after the other."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib._common.progress import check_verbose
from paperlib._common.random_state import check_random_state
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.validation import check_choice, check_flag, check_number
from paperlib.coresets._active.attributes import forget, publish_hyperplane, publish_labels
from paperlib.coresets._active.labels import Labels
from paperlib.coresets._active.learner import Learner, Pool
from paperlib.coresets._active.points import prepared
from paperlib.coresets._active.session import Session, known_labels
from paperlib.coresets._search.inputs import check_size
from paperlib.coresets._solver.feature_space import FeatureSpaceClassifier
from paperlib.coresets.theory import draws_from_pool


class SessionClassifier(FeatureSpaceClassifier):
    """What `ActiveCoresetSVC` does between two calls of its user: check, begin, go on and publish."""

    eps: float
    error: float
    delta: float | None
    n_outliers: int
    on_nonseparable: str
    random_state: Any
    verbose: bool | int
    halted_: str | None

    def _check_parameters(self):
        for name in ("eps", "error", *(() if self.delta is None else ("delta",))):
            check_number(getattr(self, name), name, low=0, high=1, open_low=True, open_high=True)
        check_number(self.n_outliers, "n_outliers", low=0, integer=True)
        check_flag(self.fit_intercept, "fit_intercept")
        check_verbose(self.verbose)
        check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
        return check_random_state(self.random_state)

    def _checked(self, X):
        """Return the rows of a pool."""
        self._check_parameters()
        return check_size(validate_data(self, X, dtype=np.float64))

    def _check_stream(self) -> float:
        """Return `delta`, which a stream must have; what needs a pool is refused."""
        self._check_parameters()
        if self.delta is None:
            raise ValueError("delta must be in (0, 1) for a stream, got None: nothing else would end it")
        if not self._is_linear():
            raise ValueError(f"kernel must be 'linear' for a stream, got {self.kernel!r}")
        return self.delta

    def _begin(self, X, classes, known):
        """Set out on a pool: nothing of an earlier run is left."""
        n = len(X)
        labels = Labels(classes) if known is None else known_labels(classes, known, n)
        enough = None
        if self.delta is not None:
            enough = partial(draws_from_pool, n=n, error=self.error, delta=self.delta)
        space = self._feature_space(X)
        points = prepared(X, self.fit_intercept) if space is None else prepared(space.rows, constant=False)
        pool = Pool(points, check_random_state(self.random_state), enough, space)
        least = 0.0 if space is None else space.least
        learner = Learner(pool, self.eps, None, self.n_outliers, least)
        return self._new_session(Session(learner, labels, space))

    def _new_session(self, session):
        forget(self)
        self._session = session
        publish_labels(self, session)
        return session

    def _running(self):
        session = self.__dict__.get("_session")
        if session is None:
            raise ValueError("start(X) must be called before ask and tell")
        return session

    def _advance(self, session, told=()):
        """Go on until a label is wanted, or none, and publish what was found."""
        session.advance(told)
        before = self.halted_
        publish_hyperplane(self, session)
        why = session.contradiction(bool(self.fit_intercept))
        if why is not None and self.on_nonseparable == "raise":
            raise ValueError(why + session.kept())
        if why is not None and before is None:
            warn_caller(why, ConvergenceWarning)
