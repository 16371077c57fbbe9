"""The network of Section 5, a variant of LeNet."""

from contextlib import contextmanager

from paperlib._common.validation import check_number
from paperlib.max_loss._checks.pytorch import pytorch

CHANNELS = (40, 80, 160)  # of the three convolutions at full width


def cnn(width=1.0, n_channels=3, *, seed=0):
    """Build the network with random weights.

    The paper's 710,642 weights come out with three input channels, a padding of 2 in the first two
    convolutions, no bias in the third, and two outputs; it states none of these four.

    Parameters
    ----------
    width : float > 0, default=1.0
        Factor on the channels of each layer, at least one of which is left.
    n_channels : int >= 1, default=3
        Of the images.
    seed : int
        Of the weights.

    Returns
    -------
    torch.nn.Sequential
        For input of shape (n, n_channels, 28, 28); returns scores of shape (n, 2).

    Raises
    ------
    ImportError
        Without PyTorch.

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Section 5.

    Examples
    --------
    >>> n_weights(cnn())
    710642
    """
    torch = pytorch()
    nn = torch.nn
    width = check_number(width, "width", low=0, open_low=True)
    n_channels = check_number(n_channels, "n_channels", low=1, integer=True)
    a, b, c = (max(1, round(width * each)) for each in CHANNELS)
    with reproducible(seed):
        network = nn.Sequential(
            nn.Conv2d(n_channels, a, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(a, b, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(b, c, 7, bias=False),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(c, 2),
        )
    return network.to(memory_format=torch.channels_last)  # of small convolutions the fastest on a CPU


def n_weights(network):
    """Return the number of weights of a network."""
    return sum(weights.numel() for weights in network.parameters())


def images_for(network, X):
    """Return grey images `X` (m, 28, 28) as the network wants them: centred, a copy for each channel."""
    torch = pytorch()
    n_channels = network[0].in_channels
    images = torch.as_tensor(X)[:, None].expand(-1, n_channels, -1, -1)
    return ((images - 0.5) / 0.25).contiguous(memory_format=torch.channels_last)


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
