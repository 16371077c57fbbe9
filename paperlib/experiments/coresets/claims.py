"""What each row of the ledger measures, from the published tables: a function a row, named by its id.

An argument is the table of that name, as it is read from its CSV file.
"""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import (
    count,
    difference,
    exponent,
    largest,
    least,
    mean,
    share,
    worst_share,
)

# Section 3: what is achieved, and what each step takes


def definition_2_2(runs, uneven):
    """Largest share of eps by which a run misses the optimal margin."""
    return largest(pd.concat([runs.missed, uneven.missed]))


def section_3_certificate(runs, uneven):
    """Largest share of eps by which the margin on the data is below the one on the coreset."""
    return largest(pd.concat([runs.uncertified, uneven.uncertified]))


def section_3_told(uneven):
    """Largest difference of a margin that a run says it has from the one found from the data."""
    return largest(uneven.told, resolution=1e-9)


def equation_1(decreases):
    """Least decrease of a step over the one that Equation (1) promises."""
    return _least_decrease(decreases, "equation-1")


def corollary_3_2_step(decreases):
    """Least decrease of a step over the one that Corollary 3.2 promises."""
    return _least_decrease(decreases, "corollary-3.2")


def _least_decrease(decreases, promise):
    promised = decreases[(decreases.promise == promise) & (decreases.steps > 0)]
    return least(promised.least)._replace(cases=int(promised.steps.sum()))


# Section 3: how large a coreset is


def lemma_3_1_steps(runs):
    """Largest share of the steps to 1 + eps of the optimum that are allowed, where the worst one joins."""
    return _largest_share(runs[runs.selection == "worst"], "above", "allowed")


def lemma_3_1_second(runs):
    """Largest share of the steps from there to the end that are allowed, where the worst one joins."""
    worst = runs[runs.selection == "worst"]
    return _largest_share(worst.assign(steps=worst["size"] - worst.above), "steps", "rest")


def lemma_3_1_size(runs, slowest_sizes):
    """Largest share of the points that are allowed, where the worst violator joins."""
    tried = pd.concat([runs, slowest_sizes])
    return _largest_share(tried[tried.selection == "worst"], "size", "bound")


def corollary_3_2_size(runs, slowest_sizes):
    """Largest share of the points that are allowed, where any violator joins."""
    tried = pd.concat([runs, slowest_sizes])
    return _largest_share(tried[tried.selection == "first"], "size", "bound")


def _largest_share(runs, measured, bound):
    biting = runs[runs[bound] < runs.n]  # beyond the number of points a bound says nothing
    return largest(biting[measured] / biting[bound])


def lemma_3_1_eps(slowest_sizes):
    """Power of 1 / eps that the size grows with, where the worst violator of a staircase joins."""
    stairs = _stairs(slowest_sizes, "eps")
    return exponent(1 / stairs.eps, stairs["size"])


def lemma_3_1_ratio(slowest_sizes):
    """Power of (R / rho*)^2 - 1 that the size grows with, where the worst violator of a staircase joins."""
    stairs = _stairs(slowest_sizes, "ratio")
    return exponent(stairs.excess, stairs["size"])


def _stairs(sizes, varied):
    return sizes[(sizes["sample"] == "staircase") & (sizes.selection == "worst") & (sizes.varied == varied)]


def corollary_3_2_larger(orders):
    """Mean of the size where any violator joins less that where the worst one does."""
    return difference(orders["first"], orders.worst, by=orders["sample"])


# Sections 1 and 3: balls, and what it costs


def section_1_balls(ball_sizes):
    """Largest power of 1 / eps in the ratio of sizes, ball over coreset, of any star.

    A power is what remains as eps falls: on a star of ratio r a ball takes about ``(r^2 - 1) / eps + 1``
    points and a coreset ``(r^2 - 1) (1 / eps - 1)``, which differ by a constant that is nearly all of them
    where eps is large. So only the two smallest values of eps count.
    """
    stars = ball_sizes[ball_sizes["sample"].str.startswith("star")]
    smallest = (star.nsmallest(2, "eps") for _, star in stars.groupby("sample"))
    powers = [exponent(1 / star.eps, star.ball / star.coreset) for star in smallest]
    return largest([power.value for power in powers if power.cases])


def section_1_support(support):
    """Share of a star's points that its exact hyperplane rests on."""
    return largest(support.supporting / support.n)._replace(cases=int(support.n.sum()))


def lemma_3_1_time(points_handed_out):
    """Largest share of n |C| points handed out, or of |C| hyperplanes found, by the paper's two rules."""
    counted = points_handed_out[
        points_handed_out.selection.isin(["worst", "first"]) & (points_handed_out["sample"] == 0)
    ]
    reads = counted.handed_out / (counted.n * counted["size"])
    return largest(pd.concat([reads, counted.solved / counted["size"]]))


def lemma_3_1_n(points_handed_out):
    """Mean of the power of n that the size grows with, where the worst violator joins."""
    worst = points_handed_out[points_handed_out.selection == "worst"]
    powers = [exponent(each.n, each["size"]).value for _, each in worst.groupby("sample")]
    return mean(powers)._replace(cases=len(worst))


def lemma_3_1_d(sizes_in_d):
    """Power of d that the size of a star's coreset grows with, where it has more points than are allowed."""
    stars = sizes_in_d[(sizes_in_d["sample"] == "star") & (sizes_in_d.n > sizes_in_d.bound)]
    return exponent(stars.d, stars["size"])


# Section 3.1: the relatives


def section_3_1_perceptron(perceptron):
    """Largest share of Novikoff's bound that the perceptron's updates are."""
    return largest(perceptron.used)


def section_3_1_kowalczyk(relatives):
    """Largest share of eps that Kowalczyk's rule misses."""
    return _missed(relatives, "Kowalczyk")


def section_3_1_kowalczyk_updates(relatives, kowalczyk):
    """Largest share that the rule takes of the updates which the proof of Lemma 3.1 allows."""
    return largest(pd.concat([relatives.used[relatives.learner == "Kowalczyk"], kowalczyk.used]))


def section_3_1_romma(relatives):
    """Largest share of eps that ROMMA misses."""
    return _missed(relatives, "ROMMA")


def section_3_1_alma(relatives):
    """Largest share of eps that ALMA misses."""
    return _missed(relatives, "ALMA")


def _missed(relatives, learner):
    return largest(relatives.missed[relatives.learner == learner])


def section_3_1_alma_updates(relatives):
    """Largest share of its authors' bound that ALMA's updates are."""
    return largest(relatives.used[relatives.learner == "ALMA"])


def section_3_1_similar(similar):
    """Mean error of ALMA less that of ROMMA, on new points, over the latter."""
    return difference(similar.alma, similar.romma, by=similar["sample"]) / similar.romma.mean()


def section_3_1_cutting_plane(planes_of_one):
    """Planes of one example each that are not the example which joins a coreset as that many-th."""
    return count(planes_of_one.example != planes_of_one.coreset)


def section_3_1_svm_perf_fast(planes_in_n):
    """Power of n that the number of means grows with, the mean over draws."""
    powers = [exponent(draw.n, draw["means"]).value for _, draw in planes_in_n.groupby("draw")]
    return mean(powers)._replace(cases=len(planes_in_n))


# Sections 4 to 6: labels, outliers, many outputs


def section_4_2_either_label(either_label):
    """Least decrease of the margin over the one that Corollary 3.2 promises, with either label."""
    return least(either_label.multiple)


def section_4_fewer_labels(label_errors):
    """Error of random labels less that of as many that were asked for: mean over pools, each of its runs."""
    # A run is one case: the errors at its fractions of the labels are not independent.
    runs = label_errors.pivot_table(index=["pool", "repeat"], columns="learner", values="error")
    return difference(runs.passive, runs.active, by=runs.index.get_level_values("pool"))


def section_4_3_halving(version_space):
    """Largest share of the version space that a label leaves, in any pool."""
    return largest(version_space.left)


def section_4_3_halving_in_practice(version_space):
    """Share of pools beside a slab where one of the first labels leaves more than three quarters of it."""
    labels = version_space[version_space["sample"] == "slab"]
    return share((labels.left > 0.75).groupby(labels["pool"]).any())


def section_4_3_centre(centres):
    """Largest angle between the hyperplane of largest margin and the centre of the largest ball."""
    return largest(centres.angle[centres.lengths == "one"], resolution=1e-9)


def section_4_3_footnote(centres):
    """The same where points are of different lengths, the least."""
    return least(centres.angle[centres.lengths == "uneven"])


def lemma_4_1(conservative_learners):
    """Largest rate at which a learner hands out a hypothesis that is too wrong, less delta."""
    worst = conservative_learners.loc[conservative_learners.rate.idxmax()]
    return share(np.arange(worst.runs) < worst.failures)._replace(dof=None) - worst.delta


def section_4_1_unverified(unverified):
    """Largest share of a pool that is misclassified where no point is near, and nothing was verified."""
    return largest(unverified.error)


def _rate_above_delta(trials, failed):
    """Largest failure rate of any pool, less delta."""
    return worst_share(trials[failed], by=trials["pool"]) - trials.delta.iloc[0]


def lemma_4_2_error(confidence):
    """Share of runs with more than a fraction e of errors, less delta, in the pool where it is largest."""
    return _rate_above_delta(confidence, "failed")


def section_4_1_stream(confidence_stream):
    """The same of a stream."""
    return _rate_above_delta(confidence_stream, "failed")


def section_4_2_approximation(confidence, confidence_stream):
    """Share of runs that leave a point rightly classified and without its margin, less delta, at most."""
    trials = _pools_and_streams(confidence, confidence_stream)
    short = trials.near > trials.error  # points on the wrong side are in both fractions
    return _rate_above_delta(trials.assign(short=short), "short")


def section_4_2_approximation_corrected(confidence, confidence_stream):
    """Share of runs that leave more than a fraction e of all points without their margin, likewise."""
    return _rate_above_delta(_pools_and_streams(confidence, confidence_stream), "too_few")


def _pools_and_streams(confidence, confidence_stream):
    return pd.concat([confidence, confidence_stream.assign(pool=confidence_stream["pool"] + ", a stream")])


def lemma_4_2_queries(label_counts):
    """Largest share of the labels that may be asked for, where that is less than the number of points."""
    biting = label_counts[label_counts.labels_bound < label_counts.n]
    return largest(biting.labels / biting.labels_bound)


def lemma_4_2_time(label_counts):
    """Largest share of the points that may be read, of pools and streams, and of the runs of the SVM."""
    return _time_share(label_counts, 0)


def lemma_4_2_time_corrected(label_counts):
    """The same where all points of a pool may be read on top of it for each that joins."""
    return _time_share(label_counts, (label_counts.kind == "pool") * label_counts.n * label_counts["size"])


def _time_share(counts, of_pool):
    """Largest share of the points that may be read, and of the runs of the SVM, one for each that joins."""
    read = counts.reads / (counts.reads_bound + of_pool)
    return largest(pd.concat([read, counts.solved / counts["size"]]))


def lemma_4_2_size(stream_sizes):
    """Largest share of the points that Corollary 3.2 allows with nothing rounded up."""
    return largest(stream_sizes["size"] / stream_sizes.bound)


def figure_3_separable(needles):
    """Positions of the needle on a circle in the plane that no line through the origin separates."""
    return count(~needles.separated[~needles.lifted])


def figure_3_separable_corrected(needles):
    """The same of hyperplanes, the circle lifted off the origin."""
    return count(~needles.separated[needles.lifted])


def _never_wrong(nightmare, part):
    """Learners that stop before the last label of the circle, and are right wherever the needle may be."""
    stopped = nightmare[(nightmare.part == part) & (nightmare.asked < nightmare.n)]
    return count(stopped.wrong == 0)


def section_4_3_a(nightmare):
    """Learners of part (a) that stop before the last label, and are right wherever the needle may be."""
    return _never_wrong(nightmare, "a")


def section_4_3_b(nightmare):
    """The same of part (b)."""
    return _never_wrong(nightmare, "b")


def lemma_5_2(figure_4):
    """Largest share of eps that the loops of Figure 4 miss on all points but the best k to leave out."""
    return largest(figure_4.missed_rest)


def lemma_5_2_corrected(figure_4):
    """Largest share of eps that they miss on all points but some k."""
    return largest(figure_4.missed)


def figure_4_rule(figure_4):
    """Runs of Figure 4 that its rule does not end before the subsets are all points."""
    return count(~figure_4.halted)


def _missed_by(outliers_trials, *methods):
    """Largest share of eps that searches miss, against the true optimum."""
    return largest(outliers_trials.missed[outliers_trials.method.isin(methods)])


def section_5_subsets(outliers_trials):
    """Largest share of eps that the two searches of all subsets miss."""
    return _missed_by(outliers_trials, "exhaustive", "doubling")


def section_5_branch(outliers_trials):
    """Largest share of eps that branching misses."""
    return _missed_by(outliers_trials, "branch")


def section_5_auto(outliers_trials):
    """Largest share of eps that the default search misses."""
    return _missed_by(outliers_trials, "auto")


def section_5_told(outliers_trials):
    """Largest difference of the margin that a search tells from the one found, over the optimum."""
    return largest(outliers_trials.told, resolution=1e-9)


def section_5_bound(outliers_trials, outliers_bounds):
    """Largest share of the optimum by which a search's bound is below it."""
    return largest(pd.concat([outliers_trials.short, outliers_bounds.short]), resolution=1e-9)


def section_5_rule(outliers_rule):
    """Runs that the library's form of the rule does not end, or that miss more than eps."""
    return count(~(outliers_rule.halted & outliers_rule.reached))


def section_5_halts(outliers_halting):
    """Samples that one removal does not make separable on which a search does not end, or does not say so."""
    return count(~(outliers_halting.exhaustive & outliers_halting.doubling))


def section_5_outliers(outliers_planted):
    """Share of the planted outliers that is not found, mean over samples."""
    missed = mean(outliers_planted.missed / outliers_planted.planted)
    return missed._replace(cases=int(outliers_planted.planted.sum()))


def abstract_multiclass(multiclass):
    """Largest share of eps that the classifier of all digits misses."""
    return largest(multiclass.missed)


def section_6_struct(chains):
    """Largest share of eps that the labellings of chains miss."""
    return largest(chains.missed)
