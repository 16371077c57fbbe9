"""PyTorch, which is optional: asked for where it is needed, and not before."""


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
