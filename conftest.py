"""What holds for every test and every example."""

import importlib.util
import os

# Tests run one beside the other on every core: more threads in one would only wait for another's.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Examples that need PyTorch, which is optional, are left out where there is none.
NEED_TORCH = ["cnn.py", "focused_sampler.py", "torch_learner.py"]
collect_ignore = (
    [] if importlib.util.find_spec("torch") else [f"paperlib/max_loss/{name}" for name in NEED_TORCH]
)
