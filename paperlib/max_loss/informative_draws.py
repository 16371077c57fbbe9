"""How many draws of a batch teach anything: what Section 5 says of 32 in 64."""

import math

from paperlib.max_loss.cnn import cnn, images_for
from paperlib.max_loss.cnn_experiments import BATCH, SMALL
from paperlib.max_loss.focused import focused_online_learning
from paperlib.max_loss.pytorch import reproducible
from paperlib.max_loss.torch_learner import TorchLearner


def informative_draws(task, n_epochs, gammas=(1.0, 0.5), size=SMALL, *, random_state=0):
    """Count the mistakes among the 64 draws of a batch, in the last epoch before there is no training error.

    Parameters
    ----------
    task : ImageTask
    n_epochs : int >= 1
        At most.
    gammas : sequence of float in [0, 1]
        Share of uniform sampling; 1 is stochastic gradient descent.
    size : NetworkSize
    random_state : int

    Returns
    -------
    dict of float to float
        For each gamma, the mean number of mistakes in a batch.
    """
    m, found = len(task.y), {}
    rounds = math.ceil(m / BATCH)
    for gamma in gammas:
        with reproducible(random_state):
            network = cnn(size.width, size.n_channels, seed=random_state)
            learner = TorchLearner(network, images_for(network, task.X), task.y)

            def solved(t, learner=learner):
                return t % rounds == 0 and learner.errors() == 0

            run = focused_online_learning(
                learner,
                m,
                n_epochs * rounds,
                gamma=gamma,
                batch_size=BATCH,
                callback=solved,
                random_state=random_state,
            )
        found[gamma] = float(BATCH * run.losses[-rounds:].mean())
    return found
