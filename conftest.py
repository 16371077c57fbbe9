"""Examples that need PyTorch, which is optional, are left out where there is none."""

import importlib.util

NEED_TORCH = ["cnn.py", "focused_sampler.py", "torch_learner.py"]
collect_ignore = (
    [] if importlib.util.find_spec("torch") else [f"paperlib/max_loss/{name}" for name in NEED_TORCH]
)
