"""The workers' own messages."""

import logging

import pytest

from reproduce.execution import pool


@pytest.mark.parametrize(
    "name",
    ["distributed.scheduler", "distributed.client", "asyncio", "tornado.application"],
)
def test_dask_says_nothing(name):
    # The scheduler calls it critical that an interruption closed its connection to the client.
    pool._dask()
    assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL)
