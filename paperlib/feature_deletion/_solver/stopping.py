"""When a solver is to stop, and what it says until then."""

from paperlib._common.deadline import Deadline
from paperlib._common.progress import Progress


class Stopping:
    """Limits of a run, whose time begins now.

    Parameters
    ----------
    tol : float > 0
        Stop once value and bound differ by at most `tol` times the value, or `tol` thousandths of the value
        at zero where that is more.
    max_iter : int >= 1
    time_limit : float > 0, or None
        In seconds, after which the iteration that is under way is the last one.
    verbose : bool or int >= 0
    """

    def __init__(
        self, tol: float, max_iter: int, time_limit: float | None = None, verbose: bool | int = False
    ) -> None:
        self.tol, self.max_iter, self.time_limit, self.verbose = tol, max_iter, time_limit, verbose
        self.deadline, self._progress = Deadline(time_limit), Progress(verbose, "FeatureDeletionLP")

    def is_over(self) -> bool:
        """Return whether the time is up."""
        return self.deadline.is_over()

    def tell(self, n_iter: int, value: float, gap: float) -> None:
        """Print how far the run has come, unless it did so a moment ago."""
        self._progress.tell(lambda: f"iteration {n_iter}, gap {gap / max(value, 1e-300):.2g} of the value")
