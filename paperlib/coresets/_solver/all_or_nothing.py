"""A fit that fails leaves its estimator as it was."""

from contextlib import contextmanager


@contextmanager
def all_or_nothing(estimator):
    """Undo what the block set in `estimator`, if it raises anything.

    >>> class Estimator:
    ...     pass
    >>> clf = Estimator()
    >>> try:
    ...     with all_or_nothing(clf):
    ...         clf.coef_ = 1.0
    ...         raise ValueError
    ... except ValueError:
    ...     vars(clf)
    {}
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise
