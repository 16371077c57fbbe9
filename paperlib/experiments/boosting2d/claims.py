"""What the rows of Sections 1 and 2 measure: a function a row, named by its id.

An argument is the table of that name, as it is read from its CSV file. The other rows are in `claims_...`
beside this module.
"""

import numpy as np

from paperlib.experiments.verbs import Measured, count, difference, largest, mean


def _failures(statements, statement, form="printed"):
    """How many cases of a statement fail, of all that were tried."""
    its = statements[(statements.statement == statement) & (statements.form == form)]
    return Measured(int(its.failures.sum()), cases=int(its.cases.sum()))


# Section 1


def introduction_a(pictures):
    """Most errors of the optimal line where both classifiers are always right."""
    return largest(pictures.line[pictures.noise == 0])


def introduction_b(pictures):
    """Errors of the better classifier less those of the line, where both err."""
    noisy = pictures[pictures.noise > 0]
    return difference(noisy[["first", "second"]].min(axis=1), noisy.line)


def section_1_similarly(statements):
    """Lines after which what they misclassify is not separable."""
    return _failures(statements, "section-1.similarly")


def section_1_similarly_corrected(statements):
    """The same of lines that no point is on."""
    return _failures(statements, "section-1.similarly", "corrected")


def section_1_likelihood(statements):
    """Samples where the lightest line is not the most likely."""
    return _failures(statements, "section-1.likelihood")


def section_1_flip(statements):
    """Points and lemmas that do not hold where misclassified points are flipped."""
    return _failures(statements, "section-1.flip")


def section_1_training(real_pairs_errors):
    """Combinations that have fewer training errors than the optimal line."""
    wide = _of_splits(real_pairs_errors, "training")
    rivals = wide.drop(columns=["optimal line", "better of the two"])  # the better one is there twice
    return count(rivals.lt(wide["optimal line"] - 1e-12, axis=0).to_numpy().ravel())


def section_1_stronger(real_pairs_errors):
    """Test error of the better of the two classifiers less that of the optimal line, mean over tasks."""
    return _over_tasks(real_pairs_errors, "better of the two", "optimal line")


def _over_tasks(errors, one, other):
    """Mean over tasks of the test error of one combiner less that of another.

    Training sets of different splits overlap, and so do test sets: the variance of the mean of J splits is
    taken to be 1/J + n_test / n_train of theirs, and not 1/J of it (Nadeau and Bengio, 2003).
    """
    test = errors.pivot_table(index=["task", "split"], columns="combiner", values="test", sort=False)
    tasks, splits = ([row[k] for row in test.index] for k in (0, 1))
    found = difference(test[one], test[other], by=tasks)
    overlap = (errors.n_test / errors.n_train).max() * len(set(splits))
    return found._replace(stderr=found.stderr * float(np.sqrt(1 + overlap)))  # type: ignore[operator]


def _of_splits(real_pairs_errors, column):
    return real_pairs_errors.pivot(index=["task", "weak", "split"], columns="combiner", values=column)


def section_1_unbiased(bias):
    """Leave-one-out error less the true error of training on all points, three of them."""
    three = bias[bias.n == 3]
    return difference(three.leave_one_out, three.resulting)


def section_1_unbiased_corrected(bias):
    """Leave-one-out error less the true error of training on all points but one, two of three points."""
    three = bias[bias.n == 3]
    return difference(three.leave_one_out, three.true)


def section_1_variance(bias):
    """Variance of the error on one point left out less that of their mean over all points, of many points."""
    more = bias[bias.n == bias.n.max()]
    one, every = ((each - each.mean()) ** 2 for each in (more.one_left_out, more.leave_one_out))
    return difference(one, every)


def section_1_consistent(growth_errors):
    """True error of the optimal line of the largest samples, less the least there is."""
    largest_ones = growth_errors[growth_errors.n == growth_errors.n.max()]
    return mean(largest_ones.true - largest_ones.bayes)


def section_1_intersection(intersections):
    """Pairs of objects for which fewer points would do, or that still meet."""
    return count((intersections.given_up != intersections.least) | intersections.meet)


# Section 2


def lemma_2_2(statements):
    """Lines that do not misclassify just the optimal set."""
    return _failures(statements, "lemma-2.2")


def theorem_2_3_optimal(statements):
    """Samples where no line through a point of the smaller class is optimal."""
    return _failures(statements, "theorem-2.3.optimal")


def theorem_2_3_optimal_corrected(statements):
    """Wrong lines and lists of optimal sets, with the lines that predict everything alike."""
    return _failures(statements, "theorem-2.3.optimal", "corrected")


def section_2_pairs(statements):
    """Samples where no line through two points is optimal."""
    return _failures(statements, "section-2.pairs")


def section_2_pairs_corrected(statements):
    """The same with each line turned or shifted a little."""
    return _failures(statements, "section-2.pairs", "corrected")


def lemma_2_5(statements):
    """Optimal sets that no line through positive points has."""
    return _failures(statements, "lemma-2.5")


def lemma_2_5_corrected(statements):
    """The same of sets that leave a positive point, coinciding points being one."""
    return _failures(statements, "lemma-2.5", "corrected")


def lemma_2_6(statements):
    """Centres about which the lightest line is not found."""
    return _failures(statements, "lemma-2.6")


def lemma_2_7(statements):
    """Centres with more classes of lines, and lines that are in none."""
    return _failures(statements, "lemma-2.7")


def lemma_2_8(statements):
    """Positive separator sets that are no separator sets, and sweeps below the optimum."""
    return _failures(statements, "lemma-2.8")


def theorem_2_13_fattest(statements):
    """Samples where the fattest of the optimal sets is not found."""
    return _failures(statements, "theorem-2.13.fattest")


def theorem_2_13_fattest_corrected(statements):
    """The same with the lines that predict everything alike."""
    return _failures(statements, "theorem-2.13.fattest", "corrected")


def lemma_2_14_fattest(statements):
    """Centres about which the largest margin is not found."""
    return _failures(statements, "lemma-2.14.fattest")


def section_2_1_flip(statements):
    """Optimal sets of another margin, and lines that are not the fattest, where points are flipped."""
    return _failures(statements, "section-2.1.flip")


def theorem_2_3_divided(divided_samples):
    """Lines, and lists of all optimal sets, that are wrong."""
    return count(np.concatenate([divided_samples.wrong_line, divided_samples.wrong_list]))


def figure_1_order(orders):
    """Points that the algorithm has elsewhere."""
    return Measured(int(orders.misplaced.sum()), cases=int(orders.points.sum()))


def _figure_2(figure_2_sets, column):
    rows = figure_2_sets.set_index("given_up")[column]
    return rows[["discs"]], rows[["crosses"]]


def figure_2_weights(figure_2_sets):
    """Weight of the discs less that of the crosses."""
    return difference(*_figure_2(figure_2_sets, "weight"))


def figure_2_margins(figure_2_sets):
    """Whether the margin without the discs is larger."""
    discs, crosses = _figure_2(figure_2_sets, "margin")
    return count(discs.to_numpy() > crosses.to_numpy())


def figure_2_chosen(figure_2_sets):
    """Whether the discs are given up."""
    return count(_figure_2(figure_2_sets, "chosen")[0])
