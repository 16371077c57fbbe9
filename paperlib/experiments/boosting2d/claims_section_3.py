"""What the rows of Section 3 measure, on the leave-one-out error."""

from paperlib.experiments.boosting2d.claims import _failures
from paperlib.experiments.verbs import difference, largest


def theorem_1_5_intervals(statements):
    """Points of which the tree of intervals finds another contribution."""
    return _failures(statements, "theorem-1.5.intervals")


def theorem_3_1_exact(statements):
    """Points of which `leave_one_out` finds another contribution."""
    return _failures(statements, "theorem-3.1.exact")


def theorem_3_1_smaller_class(statements):
    """Points of which lines through the smaller class find another contribution."""
    return _failures(statements, "theorem-3.1.smaller-class")


def lemma_3_2(statements):
    """Parts of optimal sets that take along another weight, or are not misclassified without it."""
    return _failures(statements, "lemma-3.2")


def corollary_3_3(statements):
    """Optimal sets whose weight and other points add up to another error."""
    return _failures(statements, "corollary-3.3")


def corollary_3_3_bound(statements):
    """Samples whose error is below the bound."""
    return _failures(statements, "corollary-3.3.bound")


def corollary_3_3_text(statements):
    """Points of an optimal set whose error is not one."""
    return _failures(statements, "corollary-3.3.text")


def corollary_3_3_text_corrected(statements):
    """Those whose error is not their weight."""
    return _failures(statements, "corollary-3.3.text", "corrected")


def lemma_3_4(statements):
    """Separator sets that are none once the point is back."""
    return _failures(statements, "lemma-3.4")


def lemma_3_5(statements):
    """Sets that leave both classes for which there is no such line through another positive point."""
    return _failures(statements, "lemma-3.5")


def lemma_3_6(statements):
    """Points that such a line misclassifies and a fat line does not."""
    return _failures(statements, "lemma-3.6")


def lemma_3_7(statements):
    """The same of negative points."""
    return _failures(statements, "lemma-3.7")


def lemma_3_8(statements):
    """Points that such a line misclassifies and a fat line does not."""
    return _failures(statements, "lemma-3.8")


def section_3_marking(statements):
    """Points of another type than they are marked as, by Lemma 3.2 and the fat lines that there are."""
    return _failures(statements, "section-3.marking")


def section_3_marking_corrected(statements):
    """The same of all points, with the lines that predict everything alike."""
    return _failures(statements, "section-3.marking", "corrected")


def section_3_angles(statements):
    """Points whose lightest interval is another one than the lightest line."""
    return _failures(statements, "section-3.angles")


def section_3_angles_corrected(statements):
    """The same with intervals of both orientations."""
    return _failures(statements, "section-3.angles", "corrected")


def lemma_3_9(statements):
    """Lines that label a point and do not show its type."""
    return _failures(statements, "lemma-3.9")


def lemma_3_9_corrected(statements):
    """The same with the lines that predict everything alike."""
    return _failures(statements, "lemma-3.9", "corrected")


def section_3_manifest(statements):
    """Optimal sets without a point that no line shows."""
    return _failures(statements, "section-3.manifest")


def section_3_manifest_corrected(statements):
    """The same with the optimal sets of the whole sample."""
    return _failures(statements, "section-3.manifest", "corrected")


def section_3_counters(statements):
    """Points of type III whose share by the counters is another one."""
    return _failures(statements, "section-3.counters")


def section_3_counters_corrected(statements):
    """The same with the repaired counters."""
    return _failures(statements, "section-3.counters", "corrected")


def lemma_3_10(statements):
    """Lines of which the fat line classifies other points correctly than may be."""
    return _failures(statements, "lemma-3.10")


def theorem_3_1_retraining(retraining):
    """Largest difference of a contribution from that of n trainings."""
    return largest((retraining.found - retraining.retrained).abs(), resolution=1e-12)


def section_3_counters_cost(printed_counters):
    """Leave-one-out error by the printed counters less the exact one."""
    return difference(printed_counters.printed, printed_counters.exact)
