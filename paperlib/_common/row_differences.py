"""Squared distances of sparse rows, entry by entry."""

from paperlib._common.jit import jit


@jit
def add_up(starts, columns, values, others_starts, others_columns, others, lost, gamma, exponents):
    """Fill `exponents` (a, b) with ``gamma ||a - b||^2`` for the pairs that are `lost` (a, b).

    Columns rise along each row. `at` and `to` are the next entries of the two rows of a pair.
    """
    for i in range(lost.shape[0]):
        for j in range(lost.shape[1]):
            if not lost[i, j]:
                continue
            at, to, end, last = starts[i], others_starts[j], starts[i + 1], others_starts[j + 1]
            total = 0.0
            while at < end or to < last:
                # Whether the one row, and the other, has an entry in the smaller of the two next columns.
                own = at < end and (to == last or columns[at] <= others_columns[to])
                both = to < last and (at == end or others_columns[to] <= columns[at])
                apart = (values[at] if own else 0.0) - (others[to] if both else 0.0)
                total += apart * apart
                at += own
                to += both
            exponents[i, j] = gamma * total
