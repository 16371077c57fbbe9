"""What the rows of Section 4 and those beside the paper measure: planes, hyperplanes, practice."""

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
    """Weight of the errors of weighted stacking, and of the optimal line, on new points."""
    wide = situations[situations.situation == situation].pivot(
        index="trial", columns="combiner", values="test"
    )
    return wide["stacking, weighted"], wide["optimal line"]


def practice_heavy_tails(situations):
    """Weight of errors of stacking less that of the line, with heavy tails."""
    return difference(*_lost(situations, "heavy tails"))


def practice_confident(situations):
    """The same with a classifier that is wrong with confidence."""
    return difference(*_lost(situations, "confident errors"))


def practice_few_points(situations):
    """Weight of errors of the line less that of stacking, on forty points."""
    stacking, line = _lost(situations, "near clouds, few points")
    return difference(line, stacking)
