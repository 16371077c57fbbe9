"""What ends a search before its certificate, and the lines about it meanwhile."""

from paperlib._common.deadline import Deadline
from paperlib._common.progress import Progress
from paperlib._common.validation import check_number


class Limits:
    """Iterations and seconds that a search may take, from now on.

    Parameters
    ----------
    max_iter : int >= 1
    time_limit : float > 0, or None
    verbose : bool or int >= 0
    name : str
        Of the estimator.
    unit : str
        Of `max_iter`.

    Attributes
    ----------
    deadline : Deadline
    tell, end : callables
        Print what a function returns, `tell` about once a second at most.
    why : str
        The limit that was reached.
    """

    def __init__(self, max_iter, time_limit, verbose, name, unit="iterations"):
        self.max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
        self.deadline = Deadline(time_limit)
        progress = Progress(verbose, name)
        self.tell, self.end = progress.tell, progress.end
        self.why = ""
        self._words = f"max_iter={max_iter} {unit}", f"time_limit={time_limit} seconds"

    def reached(self, n_iter):
        """Return whether a limit is reached after so many iterations."""
        if n_iter >= self.max_iter:
            self.why = self._words[0]
        elif self.deadline.is_over():
            self.why = self._words[1]
        return bool(self.why)
