"""Names of columns: a table that meets another, or what was fitted to one, must have the same in order."""

from typing import Any

from sklearn.utils.validation import _check_feature_names, _get_feature_names


def names_of(table: Any) -> list[str] | None:
    """Return the names of the columns of `table`, or None where it has none that are all strings.

    Of a vector those of its entries, as of the row of a data frame; of an estimator those it was fitted with.

    >>> import pandas as pd
    >>> frame = pd.DataFrame([[1.0, 2.0]], columns=["a", "b"])
    >>> names_of(frame), names_of(frame.iloc[0]), names_of([[1.0, 2.0]])
    (['a', 'b'], ['a', 'b'], None)
    """
    if _is_row(table):
        return list(table.index) if all(isinstance(name, str) for name in table.index) else None
    names = getattr(table, "feature_names_in_", None)
    if names is None and hasattr(table, "columns"):  # scikit-learn looks for long
        names = _get_feature_names(table)
    return None if names is None else list(names)


def as_table(row: Any) -> Any:
    """Return the row of a data frame as one with this row only; anything else as it is."""
    return row.to_frame().T if _is_row(row) else row


def _is_row(values):
    return hasattr(values, "to_frame") and hasattr(values, "index") and len(values) > 0


def check_same_names(**tables: Any) -> None:
    """Raise ``ValueError`` for two tables, or vectors, that have other names, or in another order.

    >>> import pandas as pd
    >>> X = pd.DataFrame([[1.0, 2.0]], columns=["a", "b"])
    >>> check_same_names(X=X, w=[3.0, 4.0])
    >>> check_same_names(X=X, w=pd.Series({"b": 4.0, "a": 3.0}))
    Traceback (most recent call last):
    ...
    ValueError: w must have the names of X in their order, got 'b' where X has 'a', at position 0
    """
    named = {name: names for name, table in tables.items() if (names := names_of(table)) is not None}
    first = next(iter(named), "")
    for other, others in named.items():
        for at, (mine, found) in enumerate(zip(named[first], others)):
            if found != mine:
                raise ValueError(
                    f"{other} must have the names of {first} in their order, got {found!r} where {first} has "
                    f"{mine!r}, at position {at}"
                )


def check_names(fitted: Any, table: Any, *, reset: bool = False) -> None:
    """Check the names of `table` as scikit-learn does by ``fitted.feature_names_in_``; `reset` sets these.

    Others are a ``ValueError``; where only one of the two has names, a warning.
    """
    _check_feature_names(fitted, as_table(table), reset=reset)
