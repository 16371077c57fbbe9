"""Fitted attributes of an active learner's estimator, set from its session."""

import numpy as np

_CERTIFICATE = ("margin_", "margin_upper_bound_", "coreset_indices_", "outlier_indices_")
_OF_THE_DATA = ("n_features_in_", "feature_names_in_")


def forget(estimator):
    """Remove what an earlier run left."""
    for name in [name for name in vars(estimator) if name.endswith("_") and name not in _OF_THE_DATA]:
        delattr(estimator, name)
    estimator.halted_ = None


def publish_labels(estimator, session):
    """Set the labels and their number, which are known however a step ends."""
    labels = session.labels
    estimator.queried_indices_ = np.array(labels.rows, dtype=np.int64)
    estimator.queried_labels_ = np.array(labels.answers)
    estimator.n_known_ = session.n_known
    estimator.n_queries_ = len(labels.rows) - session.n_known


def publish_hyperplane(estimator, session):
    """Set the hyperplane as it is, and its certificate if no more labels are wanted."""
    learner, space = session.learner, session.space
    estimator.n_seen_, estimator.halted_ = learner.points.n_seen, learner.halted
    estimator.n_drawn_, estimator.n_nearest_ = learner.n_drawn, estimator.n_queries_ - learner.n_drawn
    estimator.n_verifications_ = learner.n_verifications
    for name in _CERTIFICATE:
        estimator.__dict__.pop(name, None)
    if not learner.rows:
        return
    estimator.classes_, sign = session.labels.classes()
    hull = None if space is None else learner.hull(sign)
    estimator._set_hyperplane(sign * learner.normal, space, hull)
    if learner.halted is not None:
        estimator.coreset_indices_ = np.array(learner.rows, dtype=np.int64)[learner.kept]
        estimator.outlier_indices_ = learner.outliers()
        scores = None if space is None else sign * space.scores(estimator._plane)
        estimator.margin_ = learner.points.margin(learner, scores)
        # Other outliers might leave a larger margin; without any, rounding may have put the two out of order.
        bound = learner.work.margin if space is None else space.bound(learner.work.margin)
        bound = bound if not len(estimator.outlier_indices_) else np.inf
        estimator.margin_upper_bound_ = max(bound, estimator.margin_)
