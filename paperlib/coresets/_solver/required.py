"""What a margin must come to, on every processor the same."""

from paperlib._common.rounding import TIED


def required(margin, eps):
    """Return the margin that is within ``1 - eps`` of `margin`, less what rounding may take."""
    return (1.0 - TIED) * (1.0 - eps) * margin
