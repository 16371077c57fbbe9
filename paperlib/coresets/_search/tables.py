"""Chunks of a stream that are tables with named columns: of Arrow, or of what hands its columns to Arrow."""

import numpy as np

EXPORTS = ("__arrow_c_array__", "__arrow_c_stream__")  # of pyarrow, polars, pandas, duckdb and others


def is_table(chunk):
    """Whether `chunk` is an Arrow record batch or table, or a data frame that gives its columns as one."""
    return any(hasattr(chunk, name) for name in EXPORTS) and hasattr(chunk, "columns")


def rows_and_labels(chunk, label):
    """Return the rows of a table (m, d), float64, its labels (m,), and the names of the features.

    `label` is the name of the column of the labels; all others are features.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError("a stream of data frames needs pyarrow: pip install pyarrow") from None

    table = chunk if isinstance(chunk, pyarrow.Table | pyarrow.RecordBatch) else pyarrow.table(chunk)
    names = list(table.schema.names)
    if names.count(label) != 1:
        raise ValueError(f"y must be the name of one column of the tables, {', '.join(names)}; got {label!r}")
    columns = dict(enumerate(table.columns))  # two features may have one name
    y = columns.pop(names.index(label))
    if pyarrow.types.is_dictionary(y.type):
        y = y.cast(y.type.value_type)
    if y.null_count:
        raise ValueError(f"y must be a column without nulls, got {y.null_count} in one chunk of {label!r}")
    X = np.empty((table.num_rows, len(columns)))
    for k, (at, column) in enumerate(columns.items()):
        X[:, k] = _numbers(pyarrow.types, column, names[at])
    return X, np.asarray(y), [names[at] for at in columns]


def _numbers(types, column, name):
    """Return a column (m,) of numbers, NaN where there is none."""
    if types.is_boolean(column.type):
        column = column.cast("int8")
    elif not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise ValueError(
            f"X must hold real numbers, got column {name!r} of type {column.type}; leave it out of the "
            "tables, or name it as y"
        )
    return np.asarray(column)
