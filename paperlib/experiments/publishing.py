"""How numbers are published: with seven digits, in the tables and in results.json.

Processors differ in the last bits of a sum, and more where many steps follow each other. So what misses a
bound by less than half of the seventh digit is published as keeping it.
"""

import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paperlib.experiments.statistics import to_resolution

DIGITS = 7
ROUNDING = 1e-12  # of a value: a standard error below it is that of numbers that are all the same
_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def measure_row(
    claim: str,
    value: float,
    stderr: float | None = None,
    cases: int | None = None,
    dof: float | None = None,
    resolution: float | None = None,
    **context: Any,
) -> dict[str, Any]:
    """Return what results.json holds of a measured claim.

    Parameters
    ----------
    claim : str
        The claim's id in the ledger.
    value : number or bool
        A bool is recorded as 1 or 0.
    stderr : number, optional
        Standard error of `value`, in its units.
    cases : int >= 0, optional
        The number of cases that were tried; with 0 the claim is inconclusive. If none of them fails, the
        share that fails is at most ``3 / cases``, at 95 % confidence.
    dof : number >= 1, optional
        Degrees of freedom of `stderr`, where the runs it comes from are few: their number less one.
    resolution : number > 0, optional
        For a difference that would be zero but for rounding or a solver's tolerance: `value` is recorded
        in whole multiples of it. What is smaller is recorded as 0 and read as "below" it.
    **context
        Further values for a reader of results.json: numbers, text, lists and dicts of these.

    Raises
    ------
    ValueError
        For a name, a number or a context that cannot be published.

    Examples
    --------
    >>> row = measure_row("lemma-1", 1 / 3, cases=9, resolution=1e-9)
    >>> row["claim"], row["value"], row["stderr"], row["cases"]
    ('lemma-1', 0.3333333, None, 9)
    """
    row = {
        "claim": checked_name(claim, "claim"),
        "value": _number(value, f"value of {claim!r}"),
        "stderr": None if stderr is None else _number(stderr, f"stderr of {claim!r}"),
        "resolution": None if resolution is None else _number(resolution, f"resolution of {claim!r}"),
        "cases": None if cases is None else _number(cases, f"cases of {claim!r}"),
        "dof": None if dof is None else _number(dof, f"dof of {claim!r}"),
        "context": {key: _jsonable(item, f"{key} of {claim!r}") for key, item in context.items()},
    }
    if row["stderr"] is not None and row["stderr"] < 0:
        raise ValueError(f"stderr of {claim!r} must be >= 0, got {stderr!r}")
    for name, given, least in (("cases", cases, 0), ("dof", dof, 1)):
        if given is not None and given < least:
            raise ValueError(f"{name} of {claim!r} must be >= {least}, got {given!r}")
    if resolution is not None:
        row["value"] = plain(to_resolution(row["value"], resolution))
    if row["stderr"] is not None and row["stderr"] < ROUNDING * abs(row["value"]):
        row["stderr"] = 0.0
    return row


def in_words(row: Mapping[str, Any]) -> str:
    """Return the value of a row of results.json with its error, or below what it is.

    >>> in_words(measure_row("lemma-1", 0.25, 0.0125)), in_words(measure_row("lemma-1", 0.0, resolution=1e-9))
    ('0.25 ± 0.013', 'below 1e-09')
    """
    if row["resolution"] is not None and row["value"] == 0.0:
        return f"below {row['resolution']:g}"
    spread = "" if row["stderr"] is None else f" ± {row['stderr']:.2g}"
    return f"{row['value']:.4g}{spread}"


def table_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index.

    >>> table_text(pd.DataFrame({"share": [1 / 3], "cases": [123456789]}))
    'share,cases\\n0.3333333,123456789\\n'
    """
    # to_csv applies float_format to float columns only, not to floats among objects or in the header.
    cells = frame.astype(object).map(plain).rename(columns=plain)
    return cells.to_csv(index=False, lineterminator="\n", float_format=_digits)


def read_table(source: str | Path) -> pd.DataFrame:
    """Return a published table, from its text or its file.

    Only an empty field is missing: a learner may be called "None".

    >>> read_table("learner,error\\nNone,0.3\\nNA,\\n").to_dict("list")
    {'learner': ['None', 'NA'], 'error': [0.3, nan]}
    """
    file = source if isinstance(source, Path) else io.StringIO(source)
    return pd.read_csv(file, keep_default_na=False, na_values=[""])


def json_text(item: object, indent: int | None = None) -> str:
    """Return JSON, the same text for the same content."""
    return json.dumps(item, indent=indent, sort_keys=True, ensure_ascii=False, allow_nan=False)


def plain(item: Any) -> Any:
    """Return `item` in the types of JSON, with floats rounded to `DIGITS` significant digits."""
    if isinstance(item, np.ndarray | np.generic):
        item = item.tolist()
    if isinstance(item, list | tuple):
        return [plain(part) for part in item]
    if isinstance(item, dict):
        return {str(key): plain(part) for key, part in item.items()}
    return float(_digits(item)) if isinstance(item, float) else item


def checked_name(name: str, what: str) -> str:
    """Return `name` if it can be that of a file and a claim; ValueError otherwise."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{what} must be lower-case letters and digits joined by '-', '_' or '.', got {name!r}"
        )
    return name


def _number(value, what):
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{what} must be a finite number, got {value!r}")
    return int(value) if isinstance(value, bool) else plain(value)


def _jsonable(item, what):
    item_in_json = plain(item)
    try:
        json_text(item_in_json)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be finite numbers and text, got {item!r}") from error
    return item_in_json


def _digits(number):
    # From 2**53 on not every whole number is a double.
    if abs(number) < 2**53 and abs(number - round(number)) <= 1e-12 * abs(number):
        return str(round(number))  # a count has all its digits
    return format(number, f".{DIGITS}g")
