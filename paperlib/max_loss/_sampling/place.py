"""Where in its epochs a sampler is."""

from dataclasses import dataclass


@dataclass(slots=True)
class Place:
    """Where in an epoch this process is, in its own draws.

    A loader with workers asks for draws long before it hands them out. How many it holds is seen when the
    loop tells of losses: as many as were made after those that it tells of.

    Attributes
    ----------
    epoch : int
    drawn : int
        Draws that were made.
    told : int
        Draws up to the last one that was told of.
    held : int
        Draws that the loader held when that was told.
    begun : bool
        Whether an iterator has begun here; the next one then begins another epoch.
    """

    epoch: int
    drawn: int = 0
    told: int = 0
    held: int = 0
    begun: bool = False

    @property
    def taken(self) -> int:
        """Draws that came out of the loader."""
        return self.drawn - self.held

    def tell(self, told: int) -> None:
        """Note that the losses of draws up to `told` are known."""
        if told >= self.told:
            self.told, self.held = told, self.drawn - told
