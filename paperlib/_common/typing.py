"""What the type hints of every wing name alike."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]
# What `numpy.random.default_rng` makes a generator of.
RandomState: TypeAlias = int | np.random.Generator | None
