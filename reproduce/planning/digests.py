"""Digests of plain content."""

import hashlib
import json


def digest(content):
    """Return the sha256 of plain content, whatever the order of its dictionaries."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
