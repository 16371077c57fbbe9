"""What the rows on running times measure: powers of n in counted work."""

from paperlib.experiments.boosting2d import powers
from paperlib.experiments.verbs import largest, mean


def _beyond(power, other):
    """By how much a power is larger than another one, mean over the samples that both are of."""
    return _mean((power - other).dropna())


def _mean(power):
    """Mean over samples; what is the same for all of them, as counts may be, is one case."""
    return largest(power[:1]) if power.round(9).nunique() == 1 else mean(power)


def section_1_exponential(noise_subsets):
    """Power of n in the subsets tested for many points, less that for few."""
    return mean(powers.rises(noise_subsets))


def section_1_cubic(work_counts):
    """Power of n in the points that are held against lines through two; the same for all samples."""
    return largest(powers.of_samples(work_counts, "pairs")[:1])


def theorem_1_4_growth(work_counts):
    """Power of n in the sweep's work beyond that of m n, where it is largest."""
    beyond = powers.of_samples(work_counts, "sweep") - 2
    few = powers.of_samples(work_counts, "sweep, few") - 1
    clusters = powers.of_samples(work_counts, "sweep, far clusters", log=1) - 2
    return _mean(beyond.combine(few, max).combine(clusters, max))


def lemma_2_6_growth(work_counts):
    """Power of n in the sweep's work about one centre, by the samples where it is larger."""
    clouds = powers.of_samples(work_counts, "sweep, one centre")
    clusters = powers.of_samples(work_counts, "sweep, one centre, far clusters", log=1)
    return _mean(clouds.combine(clusters, max))


def theorem_2_13_growth(work_of_margins):
    """Power of n in the work of comparing margins beyond that of m n, where it is largest."""
    beyond = powers.of_samples(work_of_margins, "fattest") - 2
    return mean(beyond.combine(powers.of_samples(work_of_margins, "fattest, few") - 1, max))


def theorem_2_13_runtime(work_of_margins):
    """Power of n in it, where the classes are equal."""
    return mean(powers.of_samples(work_of_margins, "fattest"))


def theorem_2_13_runtime_corrected(work_of_margins):
    """The same."""
    return mean(powers.of_samples(work_of_margins, "fattest"))


def lemma_2_14_growth(work_of_margins):
    """Power of n in it, about one centre."""
    return mean(powers.of_samples(work_of_margins, "one centre"))


def _marking(work):
    """Power of n in the work of the marking, log n divided out, by the weights where it is largest."""
    unit, heavy = (
        powers.of_samples(work, method, log=1) for method in ("leave-one-out", "leave-one-out, heavy tails")
    )
    return unit.combine(heavy, max)


def theorem_1_5_growth(work_of_leave_one_out):
    """Power of n in the marking's work, which is the theorem's but for the votes."""
    return mean(_marking(work_of_leave_one_out))


def _of_smaller_class(work, few="", log=2):
    """Power of n in the work from the smaller class, log n squared divided out, where it is largest."""
    spread, circle = (
        powers.of_samples(work, f"smaller class{kind}{few}", log=log) for kind in ("", ", circle")
    )
    return spread.combine(circle, max)


def theorem_1_5_counts(work_of_leave_one_out):
    """Power of n in the work of leave-one-out, votes and all, log n squared divided out."""
    return mean(_of_smaller_class(work_of_leave_one_out))


def theorem_3_1_time(work_of_leave_one_out):
    """Power of n in the work of the marking, where the smaller class does not grow."""
    return mean(powers.of_samples(work_of_leave_one_out, "leave-one-out, few", log=1))


def theorem_3_1_time_corrected(work_of_leave_one_out):
    """The same of the smaller class's algorithm, votes and all."""
    return mean(_of_smaller_class(work_of_leave_one_out, ", few"))


def section_1_complexity(work_of_leave_one_out, work_counts):
    """Power of n in the work of leave-one-out, votes and all, less that in the sweep, equal classes."""
    return _beyond(_of_smaller_class(work_of_leave_one_out, log=0), powers.of_samples(work_counts, "sweep"))


def section_1_complexity_corrected(work_of_leave_one_out, work_counts):
    """The same with log n squared divided out of the work of leave-one-out."""
    return _beyond(_of_smaller_class(work_of_leave_one_out), powers.of_samples(work_counts, "sweep"))


def section_3_brute_force(work_of_leave_one_out, work_counts):
    """Power of n in n sweeps, one without each point, beyond that of the sweep."""
    sweeps = powers.of_samples(work_of_leave_one_out, "leave-one-out, brute force")
    return _beyond(sweeps, powers.of_samples(work_counts, "sweep"))


def section_4_speed_up(work_counts):
    """Power of n in the work of all pairs less that of the sweep."""
    return _beyond(powers.of_samples(work_counts, "pairs"), powers.of_samples(work_counts, "sweep"))


def theorem_4_1_growth(work_of_planes):
    """Power of n in the comparisons of the planes' sweep beyond that of m n^2, log n divided out."""
    beyond = powers.of_samples(work_of_planes, "planes", log=1) - 3
    return mean(beyond.combine(powers.of_samples(work_of_planes, "planes, few", log=1) - 2, max))
