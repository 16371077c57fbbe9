"""What the rows of Section 4 and those beside the paper measure: planes, hyperplanes, practice."""

import numpy as np

from paperlib.experiments.boosting2d.claims import _over_tasks
from paperlib.experiments.verbs import count, difference, largest


def theorem_4_1_optimal(planes):
    """Planes of another weight than the least, or that are not fat."""
    return count((planes.weight != planes.least) | ~planes.is_fat)


def hyperplane_optimal(hyperplanes_tried):
    """Hyperplanes of another weight than the least, or with a lower bound above it."""
    tried = hyperplanes_tried
    return count((tried.weight != tried.least) | (tried.lower_bound > tried.least))


def hyperplane_heuristics(hyperplanes_training):
    """Training errors of logistic regression beyond the optimum, in four dimensions."""
    four = hyperplanes_training[hyperplanes_training.d == 4]
    return difference(four["logistic regression"], four["optimum"])


def voice_optimum(voice):
    """Points that the optimal line misclassifies."""
    return largest(voice.errors)._replace(cases=None)


def practice_costs(costs):
    """Cost of the optimal line less that of weighted stacking, mean over tasks."""
    return _over_tasks(costs, "optimal line", "stacking, weighted")


def _lost(situations, situation):
    """Weight of the errors of each combiner on new points, a row a trial."""
    its = situations[situations.situation == situation]
    return its.pivot(index="trial", columns="combiner", values="test").reset_index(drop=True)


def _stacking_less_line(situations, situation):
    lost = _lost(situations, situation)
    return difference(lost["stacking, weighted"], lost["optimal line"])


def practice_heavy_tails(situations):
    """Weight of errors of stacking less that of the line, with heavy tails."""
    return _stacking_less_line(situations, "heavy tails")


def practice_confident(situations):
    """The same with a classifier that is wrong with confidence."""
    return _stacking_less_line(situations, "confident errors")


def practice_alone(situations):
    """Weight of errors of the better classifier alone less that of the line, mean over both situations."""
    lost = {name: _lost(situations, name) for name in ("heavy tails", "confident errors")}
    better, line = (
        np.concatenate([each[column] for each in lost.values()])
        for column in ("better of the two", "optimal line")
    )
    return difference(better, line, by=np.repeat(list(lost), [len(each) for each in lost.values()]))


def practice_shared(situations):
    """Weight of errors of the rival that has least in the mean, less that of the line."""
    lost = _lost(situations, "shared heavy tails")
    rivals = lost.drop(columns="optimal line")
    return difference(rivals[rivals.mean().idxmin()], lost["optimal line"])


def practice_few_points(situations):
    """Weight of errors of the line less that of stacking, on forty points."""
    return _stacking_less_line(situations, "near clouds, few points") * -1
