"""The ledgers of a project, `reproduce/claims/PAPER.toml`; `paperlib.experiments.ledger` has their form."""

from functools import lru_cache

from reproduce import reading
from reproduce.errors import InvalidLedger
from reproduce.library import ledger

Claim, Statement, known_ids = ledger.Claim, ledger.Statement, ledger.known_ids


def load_all(project):
    """Read every ledger, as `{paper: [Claim]}`."""
    return {path.stem: load_ledger(path) for path in sorted(project.claims.glob("*.toml"))}


def load_ledger(path):
    """Read the claims of one ledger, in its order; every problem names the file and the row."""
    try:
        return list(_claims(reading.toml_source(path), path.name))
    except (OSError, ValueError) as error:
        raise InvalidLedger(f"{path.name}: {error}") from None


@lru_cache(64)  # a command asks for the same ledger a dozen times
def _claims(source, name):
    content = reading.toml_text(source)
    try:
        return ledger.read(content, name)
    except ledger.InvalidLedger as error:
        raise InvalidLedger(str(error)) from None
