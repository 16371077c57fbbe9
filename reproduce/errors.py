"""Errors of the driver: the command line prints the message, which names the remedy, and exits."""

from reproduce.library import ledger

# How a message quotes a value, and which known name it suggests.
shown, hint = ledger.shown, ledger.hint


class ReproduceError(Exception):
    """Base class of all errors; `exit_code` is the exit code of the process."""

    exit_code = 1


class UsageError(ReproduceError):
    """Mistake in the command line or in a file that it relies on."""

    exit_code = 2


class UnknownName(UsageError):
    """Name that is not among the known ones; the message suggests the closest."""

    def __init__(self, what, name, known):
        super().__init__(f"unknown {what} {shown(name)}{hint(name, known)}")


class InvalidNotebook(UsageError):
    """Notebook that the driver cannot run: unreadable, or without its parameters."""


class InvalidParameter(UsageError):
    """Value that a parameter cannot take."""


class InvalidGrid(UsageError):
    """Grid of a sweep that cannot be read, is too large, or holds a point twice."""


class InvalidProfiles(UsageError):
    """Mistake in profiles.toml."""


class InvalidLedger(UsageError):
    """Mistake in a ledger of claims."""


class InvalidMeasures(ReproduceError):
    """Measures that cannot be computed from the published tables."""


class InvalidFaults(UsageError):
    """Mistake in a file of faults."""


class InvalidResults(ReproduceError):
    """Results of a notebook that are missing or malformed."""


class DiskError(ReproduceError):
    """File or folder that cannot be written."""

    @classmethod
    def of(cls, error):
        """Return a DiskError for an OSError met while writing."""
        where = f"{error.filename}: " if error.filename else ""
        return cls(
            f"cannot write: {where}{error.strerror or error}; figures/ holds complete results only. "
            "Free some space or give write permission, and run again"
        )


class SiteError(ReproduceError):
    """Site that Sphinx has something to complain about, which is then not published."""

    def __init__(self, lines, count):
        more = [f"and {count - len(lines)} more lines"] if count > len(lines) else []
        super().__init__("\n".join(["the site was not published, for Sphinx says:", *lines, *more]))


class PageError(ReproduceError):
    """Page of the site whose code fails, makes what there is no room for, or quotes what was not measured."""


class EngineError(ReproduceError):
    """Workers that cannot be started or reached, or that differ from this checkout."""


class SourcesChanged(ReproduceError):
    """Modules that have changed since the runs were planned."""

    def __init__(self, name):
        super().__init__(f"{name}: its modules changed during the run: call again to run what that affects")
