"""PyTorch, which is optional: asked for where it is needed, and not before."""

from contextlib import contextmanager


def pytorch():
    """Return the module torch, or raise an ``ImportError`` that says how to get it."""
    try:
        import torch
    except ImportError:
        raise ImportError(
            "this part of paperlib.max_loss needs PyTorch, which is optional: `make setup TORCH=1`, or `pip "
            "install torch`"
        ) from None
    return torch


@contextmanager
def reproducible(seed):
    """Use one thread and a random state of its own, and put both back: small networks gain from the first."""
    torch = pytorch()
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
