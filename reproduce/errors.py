"""Errors, each with its remedy in the message; the command line prints one line and exits."""

import difflib


class ReproduceError(Exception):
    """Base of all: `exit_code` is what the process returns."""

    exit_code = 1


class UsageError(ReproduceError):
    """The command line asks for something that does not exist."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that is not among the known ones."""

    def __init__(self, what, name, known):
        super().__init__(f"unknown {what} {shown(name)}{hint(name, known)}")


class InvalidNotebook(UsageError):
    """A notebook that does not keep its side of the contract."""


class InvalidParameter(UsageError):
    """A value that a parameter cannot take."""


class InvalidGrid(UsageError):
    """A sweep that cannot be made out."""


class InvalidProfiles(UsageError):
    """profiles.toml cannot be used."""


class InvalidLedger(UsageError):
    """A ledger of claims cannot be used."""


class InvalidFaults(UsageError):
    """The committed faults of a paper cannot be used."""


class InvalidResults(ReproduceError):
    """A notebook handed over no results, or malformed ones."""


class DiskError(ReproduceError):
    """A place that cannot be written."""

    @classmethod
    def of(cls, error):
        """Return the one line for an OSError met while writing."""
        where = f"{error.filename}: " if error.filename else ""
        return cls(
            f"cannot write: {where}{error.strerror or error}; nothing half-done was left in figures/, "
            "make room or permission there and run again"
        )


class EngineError(ReproduceError):
    """The workers could not be started or reached, or are not fit for the work."""


class SourcesChanged(ReproduceError):
    """The library has changed since the runs were planned."""

    def __init__(self, name):
        super().__init__(f"{name}: paperlib changed during the run; call again for what that touches")


def shown(value, limit=60):
    """Return `value` as it is quoted in a message, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 4]}...{text[-1]}"


def hint(name, known):
    """Return the end of a message: the name that the user may have meant, or all that are known."""
    known = sorted(known)
    close = difflib.get_close_matches(str(name)[:200], known, n=1)
    if close:
        return f": did you mean {close[0]}?"
    if not known:
        return ": there is none at all"
    return f": known are {', '.join(known)}" if len(known) <= 12 else ""
