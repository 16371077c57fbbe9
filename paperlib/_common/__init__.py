"""Shared modules of the five subpackages; they depend on no paper."""

from paperlib._common import forks as forks
