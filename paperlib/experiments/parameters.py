"""A notebook's parameters, looked at before anything runs."""

from typing import Any

from paperlib._common.validation import check_number


def check_parameters(*, shortest: int = 2, **numbers: Any) -> None:
    """Raise one ``ValueError`` for the first of a notebook's parameters that makes no sense.

    Parameters
    ----------
    shortest : int, default=2
        How many numbers a list must hold.
    **numbers
        A value with its least sensible one, ``n_runs=(400, 2)``, or with the open interval that it lies in,
        ``eps=(0.1, 0, 1)``. Integers where that is one and no interval. A list is in ascending order.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        Which names the parameter, its value and what would be right.

    Examples
    --------
    >>> check_parameters(eps=(1.5, 0, 1))
    Traceback (most recent call last):
    ...
    ValueError: eps must be a finite number > 0 and < 1, got 1.5
    """
    for name, (value, low, *high) in numbers.items():
        values = value if isinstance(value, list) else [value]
        for each in values:
            if high:
                check_number(each, name, low=low, high=high[0], open_low=True, open_high=True)
            else:
                check_number(each, name, low=low, integer=isinstance(low, int))
        if isinstance(value, list) and (len(value) < shortest or sorted(set(value)) != value):
            raise ValueError(f"{name} must be at least {shortest} numbers in ascending order, got {value}")
