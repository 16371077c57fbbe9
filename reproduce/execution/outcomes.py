"""Outcomes of a notebook: a success, or a failure with its report."""

import re
from dataclasses import dataclass
from pathlib import Path

COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
POSITION = re.compile(r"In\[(\d+)\], line (\d+)")


@dataclass(frozen=True)
class Success:
    """Results of a notebook that ran to its end."""

    seconds: float
    out: Path
    attempt: int


class Failure:
    """Base class of failures, which end one notebook; the others go on."""

    def report(self, name, paper=None):
        """Return the lines that tell a reader what happened; the first names the notebook."""
        raise NotImplementedError


@dataclass(frozen=True)
class CellFailure(Failure):
    """Error that a cell raised."""

    cell: int
    execution_count: int | None
    line: tuple | None  # (number, text)
    error: str
    message: str

    def report(self, name, paper=None):
        """Return the cell, its failing line and the error, without the traceback's colours."""
        where = f"cell {self.cell + 1} (In [{self.execution_count}]) of notebooks/{paper or name}.ipynb"
        source = [f"line {self.line[0]}: {self.line[1]}"] if self.line else []
        error = COLOURS.sub("", f"{self.error}: {self.message}" if self.message else self.error)
        return [f"{name}: failed in {where}", *source, *error.splitlines()]


@dataclass(frozen=True)
class KernelFailure(Failure):
    """Failure outside a cell's code, such as a kernel that died."""

    message: str
    cell: int | None = None
    last_words: tuple = ()

    def report(self, name, paper=None):
        where = "" if self.cell is None else f" in cell {self.cell + 1} of notebooks/{paper or name}.ipynb"
        return [f"{name}: {self.message}{where}", *self.last_words]


def failing_line(source, traceback, execution_count):
    """Return number and text of the innermost line of the cell in the traceback, else of its first line.

    None where the cell has no such line.
    """
    lines = source.splitlines()
    number = 1
    for count, line in POSITION.findall(COLOURS.sub("", "\n".join(traceback))):
        if int(count) == execution_count:
            number = int(line)
    if not 1 <= number <= len(lines):
        return None
    return number, lines[number - 1].strip()
