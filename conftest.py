"""What holds for every test and every example."""

import importlib.util
import os
import platform

import pytest
from hypothesis import settings

# Tests run one beside the other on every core: more threads in one would only wait for another's.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A suite that passed passes again: examples are drawn, but the same ones each time. To search among new ones:
# make test ARGS="--hypothesis-profile=default".
settings.register_profile("same", derandomize=True)
settings.load_profile("same")

# Examples that need PyTorch, which is optional, are left out where there is none.
NEED_TORCH = [
    "paperlib/experiments/max_loss/network.py",
    "paperlib/max_loss/focused_sampler.py",
    "paperlib/max_loss/torch_learner.py",
]
collect_ignore = [] if importlib.util.find_spec("torch") else NEED_TORCH


def pytest_collection_modifyitems(items):
    """Skip byte comparisons where other processors round otherwise; there only verdicts are promised."""
    if platform.machine() in ("x86_64", "AMD64"):
        return
    for item in items:
        if item.get_closest_marker("x86_64"):
            item.add_marker(pytest.mark.skip(reason="the same bytes are promised on x86-64 only"))
