"""What the rows of Section 2 and Appendix A measure: update, tree, Theorem 1, the other players."""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import Measured, count, exponent, largest, least, mean, share

# The update, the tree


def section_1_hard_svm(hard_svm):
    """Rivals of the hard SVM with a smaller largest loss, where its penalty is below the loss of an error."""
    tried = hard_svm[hard_svm.strength < 1.0]
    return largest([tried.better.sum()])._replace(cases=int(tried.rivals.sum()))


def _share_of(signs, form):
    return least(signs.share[signs.form == form])


def section_2_sign(signs):
    """Share of q of the example that always errs, in units of 1/m, by Section 2's text."""
    return _share_of(signs, "printed")


def section_2_sign_corrected(signs):
    """The same by the pseudo-code."""
    return _share_of(signs, "corrected")


def _p_value(tests, name):
    test = tests[tests.test == name].iloc[0]
    return least([test.p_value])._replace(cases=int(test.cases))


def section_2_3_draws(chi_square_tests):
    """P-value of the draws."""
    return _p_value(chi_square_tests, "draws")


def section_2_3_output(chi_square_tests):
    """P-value of the rounds that FOL gives out."""
    return _p_value(chi_square_tests, "output")


def section_2_3_returned(draws):
    """Largest relative error of the probability that comes with a draw."""
    return largest(draws.returned, resolution=1e-9)._replace(cases=int(draws.drawn.sum()))


def section_2_3_rounds(nodes_visited):
    """Largest number of nodes or numbers that a round reads or writes, over log2 m."""
    return largest(nodes_visited[["printed", "ours"]].max(axis=1) / nodes_visited.log2_m)


def section_2_3_tree(exact_tree):
    """What is wrong in the printed tree when it calculates with fractions."""
    return count(exact_tree.wrong)


def section_2_3_floats(contradiction):
    """Rounds over m until the printed root is beyond the floats."""
    printed = contradiction[contradiction.tree == "printed"]
    return least(printed.finite_rounds / printed.m)


def section_2_3_logarithms(drift, contradiction):
    """Runs of ours in which a weight is wrong or infinite."""
    ours = contradiction[contradiction.tree == "ours"]
    infinite = ours.finite_rounds < ours.n_rounds
    return count(pd.concat([drift.error[drift.tree == "ours"] > 1e-9, infinite]))


# Theorem 1, its corollaries and its proof


def example_1(theorem_1_runs, orthonormal):
    """Largest share of the mistake bound, on Gaussian points and on orthonormal examples."""
    tried = pd.concat([theorem_1_runs, orthonormal])
    return largest(tried.mistakes / tried.mistake_bound)


def theorem_1(theorem_1_games):
    """Rate of games of FOL in which an example's mean loss is above eps."""
    focused = theorem_1_games[theorem_1_games.method == "FOL"]
    return share(focused.drawn_iterates > focused.eps)


def corollary_1(theorem_1_games):
    """Rate of games of FOL whose majority makes a mistake."""
    return share(theorem_1_games.majority_errors[theorem_1_games.method == "FOL"] > 0)


def _late(first_met, method):
    its = first_met[first_met.method == method]
    return share(its.rounds > its.granted)


def theorem_1_uniform(theorem_1_first_met):
    """Rate of samples on which uniform sampling does not keep the bound."""
    return _late(theorem_1_first_met, "uniform")


def theorem_1_reversed(theorem_1_first_met):
    """The same of the p player with Section 2's sign."""
    return _late(theorem_1_first_met, "reversed")


def theorem_1_constants(theorem_1_first_met):
    """Largest share of Theorem 1's rounds that FOL takes."""
    focused = theorem_1_first_met[theorem_1_first_met.method == "FOL"]
    return largest(focused.rounds / focused.granted)


def theorem_1_rounds(theorem_1_proof):
    """Power of 1 / eps in the rounds of the printed proof."""
    return exponent(1 / theorem_1_proof.eps, theorem_1_proof.rounds)


def theorem_1_rounds_corrected(concentration):
    """Rate of games in which the inequality fails."""
    return share(concentration.exceeded)


def appendix_a_martingale(concentration):
    """Mean of the printed difference."""
    return mean(concentration.printed)


def appendix_a_martingale_corrected(concentration):
    """Mean of the corrected difference."""
    return mean(concentration.corrected)


def _variances(concentration, said):
    square = mean(concentration.square)
    return square / float(concentration[said].mean())


def appendix_a_variance(concentration):
    """Mean square of what a draw tells, over what is printed for its expectation."""
    return _variances(concentration, "variance_printed")


def appendix_a_variance_corrected(concentration):
    """The same over loss / p of the example itself."""
    return _variances(concentration, "variance")


def corollary_2(corollary_2_runs):
    """Rate of runs in which the loss of the mean is above eps."""
    return share(corollary_2_runs.loss_of_mean > corollary_2_runs.eps)


def corollary_2_jensen(corollary_2_runs):
    """Largest loss of a mean less the mean of the losses."""
    return largest(corollary_2_runs.above.clip(lower=0), resolution=1e-12)


def lemma_4(martingales, martingales_of_fol):
    """Largest frequency over Lemma 4's bound on it, of all that the printed definition lets in."""
    tails = pd.concat([martingales, martingales_of_fol], ignore_index=True)
    worst = tails.loc[(tails.reached / tails.trials / tails.bound).idxmax()]
    found = share(np.arange(worst.trials) < worst.reached) / worst.bound
    return found._replace(dof=None, cases=int(tails.groupby("martingale").trials.max().sum()))


def lemma_4_corrected(martingales, martingales_of_fol):
    """The same of sequences whose past is known from B_1, ..., B_t."""
    return lemma_4(martingales[martingales.martingale != "not adapted"], martingales_of_fol)


def lemma_5(regrets):
    """Largest share of Lemma 5's bound that the regret is."""
    return largest(regrets.regret / regrets.bound)


def lemma_5_weights(regrets):
    """Largest relative error of a weight."""
    return largest(regrets.weight_error, resolution=1e-9)


# Section 2.4 and Example 2: the others


def _over_bound(runs):
    """Mean rounds over ``(m + C) log m``, of each sample."""
    means = runs.groupby(runs["sample"])[["rounds", "m", "mistake_bound"]].mean()
    return means.rounds / ((means.m + means.mistake_bound) * np.log(means.m))


def example_2_rounds(players_runs, players_gap, crossing_runs):
    """Largest share of ``(m + C) log m`` that FOL's mean rounds are."""
    of_gap = players_gap[players_gap.learner == "FOL"].assign(sample="gap")
    gaussian = players_runs[players_runs.method == "FOL"]
    crossing = crossing_runs.assign(sample=crossing_runs.spread, rounds=crossing_runs.FOL)
    return largest(pd.concat([_over_bound(each) for each in (gaussian, of_gap, crossing)]))


def section_2_4_sublinear(players_runs):
    """Samples on the side that has fewer."""
    work = players_runs.groupby(["sample", "method"]).work.mean().unstack()
    ahead = int((work["FOL"] < work["sublinear"]).sum())
    return least([ahead, len(work) - ahead])._replace(cases=len(work))


def section_2_4_adaboost(players_work):
    """Power of m + C in the numbers that AdaBoost reads, of m or C alone: the one farther from 1."""
    boosted = players_work[players_work.learner == "AdaBoost"]
    found = [mean(_powers_of_the_sum(each)) for _, each in boosted.groupby("varied")]
    farther = max(found, key=lambda power: abs(power.value - 1.0), default=Measured(0.0, cases=0))
    return farther._replace(cases=len(boosted) if farther.cases else 0)


def _powers_of_the_sum(runs):
    return [exponent(each.m + each.mistake_bound, each.rounds).value for _, each in runs.groupby("run")]


def _geometric_mean(values, margins, largest_one):
    """Geometric mean at the margin where it is largest or least."""
    means = {margin: mean(np.log(each)) for margin, each in values.groupby(margins)}
    if not means:
        return Measured(0.0, cases=0)
    logs = (max if largest_one else min)(means.values(), key=lambda found: found.value)
    value = float(np.exp(logs.value))
    return logs._replace(value=value, stderr=logs.stderr and value * logs.stderr, cases=len(values))


def _over_product(runs):
    return runs.uniform / (runs.m * runs.mistake_bound)


def example_2_uniform(crossing_runs):
    """Rounds of uniform sampling over m C on its worst sample, at the spread where it is least."""
    return _geometric_mean(_over_product(crossing_runs), crossing_runs.spread, largest_one=False)


def example_2_uniform_gaussian(margins_runs):
    """The same on Gaussian points, at the margin where it is largest."""
    return _geometric_mean(_over_product(margins_runs), margins_runs.margin, largest_one=True)


def example_2_majority(majorities):
    """Rate of games of FOL of the most rounds whose majority makes a mistake."""
    games = majorities[(majorities.method == "FOL") & (majorities.factor == majorities.factor.max())]
    return share(games.majority_errors > 0)


def section_2_half(uniform_shares):
    """Largest ratio of the mean rounds with a half of uniform draws to those with another share."""
    means = uniform_shares.groupby(["eps", "share"]).rounds.mean().unstack()
    return largest(means[0.5] / means.min(axis=1))._replace(cases=len(uniform_shares))


def _uniform_over_fol(runs, largest_one):
    return _geometric_mean(runs.uniform / runs.FOL, runs.margin, largest_one)


def example_2_narrow(margins_runs):
    """Rounds of uniform sampling over FOL's, at the narrow margin where it is least."""
    return _uniform_over_fol(margins_runs[margins_runs.margin <= 0.03], largest_one=False)


def example_2_wide(margins_runs):
    """The same at the wide margin where it is largest."""
    return _uniform_over_fol(margins_runs[margins_runs.margin >= 0.1], largest_one=True)
