"""Checks of scikit-learn for data whose sums pass the end of the floats: it looks for NaN by a sum.

It means to be silent about that, and NumPy warns of a sum with infinities of both signs.
"""

import numpy as np
import sklearn.utils
import sklearn.utils.validation

_silent = np.errstate(over="ignore", invalid="ignore")

assert_all_finite = _silent(sklearn.utils.assert_all_finite)
check_array = _silent(sklearn.utils.check_array)
check_X_y = _silent(sklearn.utils.check_X_y)
validate_data = _silent(sklearn.utils.validation.validate_data)
