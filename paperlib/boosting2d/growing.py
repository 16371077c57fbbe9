"""Arrays that grow, where nobody knows beforehand how much there will be."""

import numpy as np

from paperlib._common.jit import jit


@jit
def grown(array, used, needed):
    """The same array with room for `needed` entries; `used` of them are kept."""
    if len(array) >= needed:
        return array
    larger = np.empty((2 * needed, *array.shape[1:]), dtype=array.dtype)
    larger[:used] = array[:used]
    return larger
