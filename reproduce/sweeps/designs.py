"""Points of a sweep that are no grid: the rows of a file, or points drawn in a box."""

import csv
import math

from reproduce import reading
from reproduce.errors import InvalidGrid, UsageError, shown
from reproduce.planning.parameters import check_value, find, parse
from reproduce.sweeps.values import Values

FILE, LATIN, RANDOM = "design", "latin", "random"


def of_file(notebook, paper, path):
    """Return the columns of a CSV file, one for each parameter that its header names.

    Returns
    -------
    list of Values
        As many of each as the file has rows.
    """
    try:
        text = reading.text(path).removeprefix("\ufeff")  # which Excel writes
        header, *rows = [row for row in csv.reader(text.splitlines(), strict=True) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidGrid(f"--design {path}: cannot be read: {reason}") from None
    except ValueError:
        raise InvalidGrid(f"--design {path}: the first row must name parameters, and it is empty") from None
    if len(header) == 1 and ";" in header[0]:
        raise InvalidGrid(f"--design {path}: commas must be between the cells, not semicolons")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InvalidGrid(f"--design {path}, row {number}: {len(row)} cells for {len(header)} names")
    if not rows:
        raise InvalidGrid(f"--design {path}: there must be a row for each point, below the names")
    found = [find(notebook, name.strip(), paper) for name in header]
    columns = [[] for _ in header]
    for number, row in enumerate(rows, 2):
        try:
            for column, parameter, cell in zip(columns, found, row):
                column.append((parse(parameter, cell),))
        except UsageError as error:
            raise InvalidGrid(f"--design {path}, row {number}: {error}") from None
    return [Values(parameter, tuple(column)) for parameter, column in zip(found, columns)]


def drawn(notebook, paper, how, count, between, seed):
    """Return `count` points that are drawn in a box, by one of scipy's designs.

    Parameters
    ----------
    how : str
        `LATIN` for a Latin hypercube: one point in each of `count` equal parts of every range.
        `RANDOM` for independent points.
    between : sequence of str
        `name=low:high`, or `name=low:high:log` for points that are spread evenly on a logarithmic scale.
    seed : int

    Returns
    -------
    list of Values
        Integers are rounded, and so may repeat.
    """
    import numpy as np
    from scipy.stats import qmc

    if not between:
        raise InvalidGrid(f"--{how} needs the range of each parameter: give --between name=low:high")
    ranges = [_range(notebook, paper, text) for text in between]
    if how == LATIN:
        shares = qmc.LatinHypercube(len(ranges), rng=seed).random(count)
    else:
        shares = np.random.default_rng(seed).random((count, len(ranges)))
    found = []
    for (parameter, low, high, is_log), column in zip(ranges, shares.T.tolist()):
        values = [_at(share, low, high, is_log) for share in column]
        if type(parameter.default) is int:
            values = [round(value) for value in values]
        found.append(Values(parameter, tuple((check_value(parameter, value),) for value in values)))
    return found


def _range(notebook, paper, text):
    name, equals, given = text.partition("=")
    low, colon, high = given.partition(":")
    high, _, scale = high.partition(":")
    if not (equals and colon) or scale not in ("", "log"):
        raise InvalidGrid(f"--between takes name=low:high or name=low:high:log, not {shown(text)}")
    parameter = find(notebook, name.strip(), paper)
    ends = [parse(parameter, end) for end in (low, high)]
    if not all(type(end) in (int, float) for end in ends):
        raise InvalidGrid(f"--between {shown(text)}: {parameter.name} takes no numbers")
    if not ends[0] < ends[1]:
        raise InvalidGrid(f"--between {shown(text)}: the first number must be below the second")
    if scale and ends[0] <= 0:
        raise InvalidGrid(f"--between {shown(text)}: a logarithmic range must be of numbers above zero")
    return parameter, *ends, bool(scale)


def _at(share, low, high, is_log):
    """Return the number at a share of a range, to twelve digits: a name has all of them."""
    value = low * (high / low) ** share if is_log else low + share * (high - low)
    return min(max(float(f"{value:.12g}"), low), high) if math.isfinite(value) else value
