"""Section 5 at the paper's own size, on a GPU, by PyTorch: 252,000 crops, the network of 710,642 weights.

Run it from the folder of the checkout, with the crops where ``PAPERLIB_DATA`` says::

    python -m paperlib.experiments.max_loss.papers_size papers-size.csv --seeds 5 --epochs 100

It writes a row per seed, rule, method and epoch, and the name of the device. ``--crops 2500 --width 0.05
--vanilla 20 --seeds 1`` is a try of it on a CPU. Rounding differs from device to device, so that no run gives
the same bytes on another.
"""

import argparse
import math
import sys

import pandas as pd

from paperlib.experiments.max_loss.crops import crop_task
from paperlib.experiments.max_loss.network import initial_weights
from paperlib.max_loss._checks.pytorch import pytorch
from paperlib.max_loss.torch_learner import paper_optimizer

BATCH, EVALUATED = 64, 4096
RULES = {"as in the paper": 5e-4, "without ℓ2": 0.0}
METHODS = ("FOL", "SGD", "AdaBoost")


def network(width, seed):
    """Return the paper's network as a torch module, with the weights of `initial_weights`."""
    torch = pytorch()
    weights = initial_weights(width, 3, seed=seed)
    a, b, c = (len(each) for each in (weights.first, weights.second, weights.third))
    nn = torch.nn
    module = nn.Sequential(
        *(nn.Conv2d(3, a, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(a, b, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(b, c, 7, bias=False), nn.ReLU(), nn.Flatten(), nn.Linear(c, 2)),
    )
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), weights, strict=True):
            parameter.copy_(torch.as_tensor(value))
    return module


class DeviceSampler:
    """The p player on the device where the network is: draws from ``u / m + (1 - u) q``, as `FocusedSampler`.

    Parameters
    ----------
    m : int
    uniform_share : float in [0, 1]
    generator : torch.Generator
        On the device.
    eta : float, optional
        ``1 / (2 m)`` by default.
    """

    def __init__(self, m, uniform_share, generator, eta=None):
        torch = pytorch()
        self.m, self.uniform_share, self.eta = m, uniform_share, eta or 0.5 / m
        self.generator, self.device = generator, generator.device
        self.logs = torch.zeros(m, dtype=torch.float64, device=self.device)

    def draw(self, n):
        """Return n indices, and the probabilities that they were drawn with."""
        torch = pytorch()
        q = torch.softmax(self.logs, dim=0)
        sums = torch.cumsum(q, dim=0)
        u, v = torch.rand(2, n, dtype=torch.float64, device=self.device, generator=self.generator)
        focused = torch.searchsorted(sums, v * sums[-1]).clamp(max=self.m - 1)
        uniform = (v * self.m).long().clamp(max=self.m - 1)
        indices = torch.where(u < self.uniform_share, uniform, focused)
        return indices, self.uniform_share / self.m + (1.0 - self.uniform_share) * q[indices]

    def update(self, indices, p, losses):
        """Multiply the weights by ``exp(eta loss / p)``, once for each draw."""
        self.logs.index_add_(0, indices, self.eta * losses.double() / p)


class Trainer:
    """One network on a device, its images and its optimiser.

    Parameters
    ----------
    task : ImageTask
    width : float
    seed : int
    l2 : float
    device : str
    """

    def __init__(self, task, width, seed, l2, device):
        torch = pytorch()
        self.module = network(width, seed).to(device)
        self.optimizer, self.schedule = paper_optimizer(self.module, weight_decay=l2)
        self.parts = [
            (torch.as_tensor(X).to(device), torch.as_tensor(y).to(device))
            for X, y in ((task.X, task.y), (task.X_test, task.y_test))
        ]
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def scores(self, X):
        """Return the outputs for grey images (n, 28, 28)."""
        return self.module(((X - 0.5) * 4.0)[:, None].expand(-1, 3, -1, -1))

    def step(self, indices):
        """Return which of these examples are wrong, as floats, and learn from them."""
        torch = pytorch()
        X, y = self.parts[0]
        labels = y[indices]
        scores = self.scores(X[indices])
        self.optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(scores, labels).backward()
        self.optimizer.step()
        self.schedule.step()
        return (scores.argmax(dim=1) != labels).float()

    def signs(self, part):
        """Return +1 where the network is right and -1 where not, on images to train (0) or to test on (1)."""
        torch = pytorch()
        X, y = self.parts[part]
        with torch.no_grad():
            classes = torch.cat([self.scores(each).argmax(dim=1) for each in X.split(EVALUATED)])
        return torch.where(classes == y, 1.0, -1.0).double()


def train(trainer, method, n_epochs, after=5):
    """Train by one method, and return ``(epoch, training errors, test error)`` of each epoch.

    It ends `after` epochs after the first without a training error. An iteration of AdaBoost counts two.
    """
    m = len(trainer.parts[0][1])
    rounds, rows, first = math.ceil(m / BATCH), [], None
    sampler = DeviceSampler(m, {"FOL": 0.5, "SGD": 1.0, "AdaBoost": 0.0}[method], trainer.generator)
    votes, per_iteration = [0.0, 0.0], 2 if method == "AdaBoost" else 1
    for epoch in range(per_iteration, n_epochs + 1, per_iteration):
        for _ in range(rounds):
            indices, p = sampler.draw(BATCH)
            losses = trainer.step(indices)
            if method == "FOL":
                sampler.update(indices, p, losses)
        signs = [trainer.signs(part) for part in (0, 1)]
        if method == "AdaBoost":
            q = sampler.logs.softmax(dim=0)
            error = float(q[signs[0] < 0].sum().clamp(1e-12, 1.0 - 1e-12))
            alpha = 0.5 * math.log(1.0 / error - 1.0)
            sampler.logs -= alpha * signs[0]
            votes = [vote + alpha * sign for vote, sign in zip(votes, signs)]
            signs = votes
        wrong = [int((each <= 0.0).sum()) for each in signs]
        rows.append((epoch, wrong[0], wrong[1] / len(trainer.parts[1][1])))
        first = epoch if first is None and wrong[0] == 0 else first
        if first is not None and epoch >= first + (0 if method == "AdaBoost" else after):
            break
    return rows


def filtered(task, width, seed, n_vanilla, device):
    """Return the task without what a network gets wrong after some epochs of plain SGD.

    Raises
    ------
    ValueError
        If images of one class are all wrong then, as they are after a few steps.
    """
    trainer = Trainer(task, width, seed, RULES["as in the paper"], device)
    train(trainer, "SGD", n_vanilla, after=n_vanilla)
    right = [trainer.signs(part).cpu().numpy() > 0 for part in (0, 1)]
    if len(set(task.y[right[0]])) < 2:
        raise ValueError(
            f"after {n_vanilla} epochs of plain SGD all images of one class are wrong: more crops or epochs "
            "are needed, as in --vanilla 20"
        )
    return task._replace(
        X=task.X[right[0]], y=task.y[right[0]], X_test=task.X_test[right[1]], y_test=task.y_test[right[1]]
    )


def races(n, width, seeds, n_epochs, n_vanilla, device):
    """Yield a table for each seed, rule and method, with a row per epoch."""
    for seed in seeds:
        task = filtered(crop_task(n, random_state=seed), width, seed + 1000, n_vanilla, device)
        for rule, l2 in RULES.items():
            for method in METHODS:
                rows = train(Trainer(task, width, seed, l2, device), method, n_epochs)
                found = pd.DataFrame(rows, columns=["epoch", "train_errors", "test_error"])
                yield found.assign(seed=seed, rule=rule, method=method, m=len(task.y), width=width)


def main(arguments):
    """Run the races, and write the table after each of them; return the exit code."""
    torch = pytorch()
    parser = argparse.ArgumentParser(prog="papers_size", description=__doc__.partition("\n")[0])
    parser.add_argument("out", help="CSV file to write")
    parser.add_argument("--crops", type=int, default=252_000, help="images to train on, before the filter")
    parser.add_argument("--width", type=float, default=1.0, help="share of the paper's channels")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100, help="of each method, at most")
    parser.add_argument("--vanilla", type=int, default=6, help="epochs of plain SGD for the filter")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args(arguments)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    name = torch.cuda.get_device_name(given.device) if given.device.startswith("cuda") else "CPU"
    parts: list[pd.DataFrame] = []
    sizes = given.crops, given.width, range(given.seeds), given.epochs, given.vanilla
    for part in races(*sizes, given.device):
        parts.append(part.assign(device=name))
        pd.concat(parts, ignore_index=True).to_csv(given.out, index=False)
        end = part.iloc[-1]
        print(f"seed {end.seed}, {end.rule}, {end.method}: {end.train_errors} wrong after {end.epoch} epochs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
