"""A fit that fails, or is interrupted, leaves its estimator as it was."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import numpy as np

Method = TypeVar("Method", bound=Callable[..., Any])


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Undo what the block set in `estimator`, if it raises anything; random generators go back, too.

    Arrays that were there before must not be written to in the block.

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
    states = [(each, each.bit_generator.state) for each in _generators(before.values())]
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        for generator, state in states:
            generator.bit_generator.state = state
        raise


def whole(method: Method) -> Method:
    """Have a method be `all_or_nothing`. It is one more call between a warning's place and the user's."""

    @wraps(method)
    def undone(self: Any, *args: Any, **kwargs: Any) -> Any:
        with all_or_nothing(self):
            return method(self, *args, **kwargs)

    return undone  # type: ignore[return-value]


def _generators(values: Iterable[Any]) -> Iterator[np.random.Generator]:
    for each in values:
        if isinstance(each, np.random.Generator):
            yield each
        elif isinstance(each, tuple):
            yield from _generators(each)
