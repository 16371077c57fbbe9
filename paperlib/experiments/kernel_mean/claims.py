"""What rows of the ledger measure on Sections 3 and 4: a function a row, named by its id.

An argument is the table of that name, as it is read from its CSV file. Those of the other sections are in
`claims_...` beside this module.
"""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import count, largest, mean


def _of(statements, statement):
    """Largest value of a statement's cases."""
    rows = statements[statements.statement == statement]
    return largest(rows.value, resolution=rows.resolution.iloc[0])


def _example(counterexamples, statement):
    """Value of the printed statement in its counterexample."""
    return largest(counterexamples.value[counterexamples.statement == statement])._replace(cases=None)


def _ratio(statement, *tables):
    """Largest ratio of what is exceeded with probability delta to the bound, over all settings."""
    rows = [table[table.statement == statement] for table in tables]
    ratios = np.concatenate([each.ratio for each in rows])
    draws = sum(each.draws.sum() if "draws" in each else len(each) for each in rows)
    return largest(ratios)._replace(cases=int(draws))


def _squared(bounds, statement):
    """Mean over settings of the mean squared error over the expected one."""
    rows = bounds[bounds.statement == statement].dropna(subset="squared")
    stderr = float(np.sqrt((rows.squared_stderr**2).sum()) / len(rows))
    return mean(rows.squared)._replace(stderr=stderr, cases=int(rows.draws.sum()), dof=None)


# Sections 2 and 3


def section_2_zero(counterexamples):
    """Statements, of five, that a score of zero breaks as it is counted in the paper."""
    broken = counterexamples[counterexamples.statement.str.startswith("section-2.zero")]
    return count(broken.value > 0)


def section_2_zero_corrected(statements, calibration, orders, two_labels):
    """The same where zero counts half, or scores are not zero."""
    left = [
        definition_1(statements),
        lemma_3(statements),
        theorem_16_calibrated(calibration),
        section_4_3_3_zero_one(orders),
        theorem_15_condition(two_labels),
    ]
    return count([each.value > 1e-9 for each in left])


def definition_1(statements):
    """Largest 0-1 regret of a convex potential, where a score of zero counts half."""
    return _of(statements, "definition-1")


def consistency(counterexamples):
    """0-1 regret of the mean of an infinite sample."""
    return _example(counterexamples, "consistency")


def consistency_corrected(bounds_of_means, exact_bounds):
    """Largest ratio of the worst member's excess linear risk to Theorem 5's bound."""
    return theorem_5_uniform(bounds_of_means, exact_bounds)


def section_3_below(two_labels):
    """Largest excess of the 0-1 loss over the linear one, scores in [-1, 1]."""
    rows = two_labels[two_labels.score.abs() <= 1.0].set_index(["loss", "score"])
    zero_one, linear = (rows.loc[name, ["negative", "positive"]] for name in ("0-1", "linear"))
    return largest((zero_one - linear).to_numpy().ravel())


def lemma_3(statements):
    """Largest excess of the 0-1 regret over the linear one, where a score of zero counts half."""
    return _of(statements, "lemma-3")


def lemma_4(statements):
    """Largest distance of the learned mean's linear loss from 1 - ||Phi||."""
    return _of(statements, "lemma-4")


def lemma_4_minimum(statements):
    """Largest distance of the learned mean's linear loss from the least that a solver finds."""
    return _of(statements, "lemma-4.minimum")


def theorem_5(bounds_of_means, exact_bounds):
    """Largest ratio of an error to Theorem 5's bound."""
    return _ratio("theorem-5", bounds_of_means, exact_bounds)


def theorem_5_uniform(bounds_of_means, exact_bounds):
    """Largest ratio of the worst member's excess to Theorem 5's bound."""
    return _ratio("theorem-5.uniform", bounds_of_means, exact_bounds)


def theorem_5_squared(bounds_of_means):
    """Mean squared error over its closed form."""
    return _squared(bounds_of_means, "theorem-5")


def section_3_1(statements):
    """Largest distance of the SVM over the unit ball from the learned mean."""
    return _of(statements, "section-3.1")


def section_3_1_potentials(counterexamples):
    """Least distance of a potential's minimiser from the mean, over the radius."""
    return _example(counterexamples, "section-3.1.potentials")


def section_3_1_potentials_corrected(statements):
    """Exponent of the radius in that distance."""
    return mean(statements.value[statements.statement == "section-3.1.potentials.corrected"])


def section_3_2(statements):
    """Largest difference of the discrepancy and the length of the balanced mean."""
    return _of(statements, "section-3.2")


def section_3_2_variational(statements):
    """Largest excess of the discrepancy over the variational divergence."""
    return _of(statements, "section-3.2.variational")


def section_3_3(counterexamples):
    """Instances that the density estimates and the mean label otherwise."""
    return _example(counterexamples, "section-3.3")


def section_3_3_corrected(statements):
    """Largest difference of the two scores under a Gaussian kernel."""
    return _of(statements, "section-3.3.corrected")


def section_3_4(statements):
    """Largest difference of the chosen kernel's linear loss from the least."""
    return _of(statements, "section-3.4")


def section_3_4_hull(statements):
    """Largest advantage of a member of the convex hull over the chosen kernel."""
    return _of(statements, "section-3.4.hull")


def section_3_4_dense(statements):
    """One tenth less the distance of labels from the functions of the unit ball, at most."""
    return _of(statements, "section-3.4.dense")


def theorem_6(bounds_of_means, exact_bounds):
    """Largest ratio of an excess to Theorem 6's bound."""
    return _ratio("theorem-6", bounds_of_means, exact_bounds)


# Section 4: margins, contamination, symmetric noise


def theorem_7(statements):
    """Largest excess of an approximation's risk over the margin risk."""
    return _of(statements, "theorem-7")


def section_4_1(statements):
    """Largest excess of the worst approximation's risk within the margin for error."""
    return _of(statements, "section-4.1")


def section_4_2(statements):
    """Largest difference of the two sides."""
    return _of(statements, "section-4.2")


def corollary_8(counterexamples):
    """Difference of the two risks in the example."""
    return _example(counterexamples, "corollary-8")


def corollary_8_corrected(statements):
    """Largest excess of the contaminated risk."""
    return _of(statements, "corollary-8.corrected")


def section_4_2_immune(statements):
    """Largest excess of the risk with a share just below that of the worst example."""
    return _of(statements, "section-4.2.immune")


def section_4_3_1(statements):
    """Largest distance of the noisy mean from (1 - 2 sigma) times the clean one."""
    return _of(statements, "section-4.3.1")


def lemma_9(bounds_of_means, exact_bounds):
    """Largest ratio of an error to Lemma 9's bound."""
    return _ratio("lemma-9", bounds_of_means, exact_bounds)


def lemma_9_uniform(bounds_of_means, exact_bounds):
    """Largest ratio of the worst member's excess to Lemma 9's bound."""
    return _ratio("lemma-9.uniform", bounds_of_means, exact_bounds)


def lemma_9_squared(bounds_of_means):
    """Mean squared error over its closed form."""
    return _squared(bounds_of_means, "lemma-9")


def lemma_10(statements):
    """Largest difference of the two 0-1 risks."""
    return _of(statements, "lemma-10")


def proposition_11(statements):
    """Most labels in which two Bayes classifiers differ."""
    return _of(statements, "proposition-11")


# Section 4.3: losses


def section_4_3_2_nonconvex(reordered):
    """Random pairs of distributions that t-logistic loss reorders."""
    return _reordered(reordered, "t-logistic")


def section_4_3_2_rich(statements):
    """Most labels that other losses get otherwise than linear loss, over all functions."""
    return _of(statements, "section-4.3.2.rich")


def definition_12(reordered):
    """Most pairs of distributions that a search finds reordered by the linear loss."""
    return _reordered(reordered, "linear")


def _reordered(reordered, loss):
    rows = reordered[reordered.loss == loss]
    return largest(rows.reordered)._replace(cases=int(rows.pairs.sum()))


def definition_12_hinge(hinge_reversals):
    """Pairs of a label and a score each that noise turns round."""
    return count(hinge_reversals.noisy > hinge_reversals.noisy_other)._replace(cases=None)


def section_4_3_3_argmin(statements):
    """Largest difference in linear risk of the clean and the noisy minimiser."""
    return _of(statements, "section-4.3.3.argmin")


def section_4_3_3_corrected_loss(statements):
    """Largest difference of the corrected noisy and the clean risk."""
    return _of(statements, "section-4.3.3.corrected-loss")


def section_4_3_3_zero_one(orders):
    """Noise rates at which a pair is found among scores that are not zero."""
    return count(~orders.keeps_order[orders.loss == "0-1"])


def theorem_14(orders, random_losses):
    """Losses and noise rates where one holds without the other."""
    both = pd.concat([orders, random_losses])
    return count(both.keeps_order != both.equivalent)


def proposition_26(proposition_26):
    """Pairs that the search and the condition do not judge alike."""
    return count(proposition_26.alike != proposition_26.affine)


def theorem_15(orders, random_losses):
    """Losses and noise rates where search, sum and what is known do not agree."""
    both = pd.concat([orders, random_losses.assign(known=random_losses.constant_sum)])
    return count((both.keeps_order != both.known) | (both.constant_sum != both.known))


def theorem_15_condition(two_labels):
    """Those that are the same for both labels at all scores."""
    same = (two_labels.negative == two_labels.positive).groupby(two_labels.loss).all()
    return count(same)


def theorem_16(counterexamples):
    """Second difference of a loss that ignores the label."""
    return _example(counterexamples, "theorem-16")


def theorem_16_corrected(convex_robust_losses):
    """Largest bend of a convex loss with a constant sum."""
    return largest(convex_robust_losses.bend, resolution=1e-9)


def theorem_16_calibrated(calibration):
    """Values of lambda and distributions where no regret and a negative lambda do not go together."""
    regret = calibration.groupby("slope").regret.max()
    return count((regret < 1e-9) != (regret.index < 0))._replace(cases=len(calibration))


def theorem_17(statements):
    """Largest relative difference of the two sides."""
    return _of(statements, "theorem-17")


def section_4_3_4_linear(conditional_sums):
    """Slope of the sum of Theorem 17 for the linear loss."""
    slopes = np.diff(conditional_sums["sum"]) / np.diff(conditional_sums.score)
    return largest(slopes)


def section_4_3_4_conditional(statements):
    """Ways and losses of label and score that stay in order under two noises."""
    return _of(statements, "section-4.3.4.conditional")


def section_4_3_4_rates(statements):
    """Largest difference of noise rates and shares of contamination, each from the other."""
    return _of(statements, "section-4.3.4.rates")


def theorem_18(counterexamples):
    """Difference of the two sides for a loss that ignores the label, with the best constant."""
    return _example(counterexamples, "theorem-18")


def theorem_18_corrected(statements):
    """Largest difference of the two balanced errors."""
    return _of(statements, "theorem-18.corrected")


def section_4_3_4_auc(statements):
    """Mean difference of the area under the curve from what it should be."""
    return mean(statements.value[statements.statement == "section-4.3.4.auc"])


def lemma_19(counterexamples):
    """Excess for a loss that is negative."""
    return _example(counterexamples, "lemma-19")


def lemma_19_corrected(statements):
    """Largest excess for losses that are not negative."""
    return _of(statements, "lemma-19.corrected")


def lemma_19_zero(counterexamples):
    """Clean risk of the minimiser under noise for a loss that is negative."""
    return _example(counterexamples, "lemma-19.zero")


def lemma_19_zero_corrected(statements):
    """Largest clean risk for losses that are not negative."""
    return _of(statements, "lemma-19.zero.corrected")


def theorem_24(exact_bounds):
    """Largest ratio of a coin's error to McDiarmid's bound."""
    return _ratio("theorem-24", exact_bounds)


def lemma_25(statements):
    """Largest v less epsilon where a score within epsilon of v is below zero."""
    return _of(statements, "lemma-25")
