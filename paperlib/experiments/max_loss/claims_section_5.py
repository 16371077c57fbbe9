"""What the rows of Section 5 measure: faces and digits, the paper's rule on the gap, rare digits."""

import numpy as np

from paperlib.experiments.verbs import Measured, difference, largest, least, mean

FACES, DIGITS, NO_L2 = "faces", "8 against the rest", "8, without ℓ2"

# The network, the races


def section_5_weights(network):
    """Weights of the network."""
    return least(network.weights)


def section_5_split(digit_splits):
    """Share of a run's digits that are to train on, mean."""
    return mean(digit_splits.share)


def experiment_1_same_weights(network_ends):
    """Largest difference of the errors that methods start a run with."""
    starts = network_ends.groupby(["task", "run"]).start_errors
    return largest(starts.max() - starts.min())


def _by_method(network_ends, task, column):
    return network_ends[network_ends.task == task].pivot(index="run", columns="method", values=column)


def _quicker(network_ends, task, quicker, slower):
    """Epochs of the slower less the quicker one's, over their sum, mean of the runs.

    Not the ratio: some runs of SGD are stopped before their end, and one of these would outweigh the rest.
    """
    epochs = _by_method(network_ends, task, "epochs")
    return mean((epochs[slower] - epochs[quicker]) / (epochs[slower] + epochs[quicker]))


def experiment_1_faster(network_ends):
    """How much quicker FOL is than SGD on faces."""
    return _quicker(network_ends, FACES, "FOL", "SGD")


def experiment_1_faster_digits(network_ends):
    """The same on digits."""
    return _quicker(network_ends, DIGITS, "FOL", "SGD")


def experiment_2_adaboost(network_ends):
    """How much quicker AdaBoost is than FOL on faces."""
    return _quicker(network_ends, FACES, "AdaBoost", "FOL")


def experiment_2_adaboost_digits(network_ends):
    """The same on digits."""
    return _quicker(network_ends, DIGITS, "AdaBoost", "FOL")


def experiment_1_crops(crop_ends):
    """How much quicker FOL is than SGD on crops, mean of the runs of all sizes."""
    epochs = _on_crops(crop_ends, "epochs")
    return mean((epochs["SGD"] - epochs["FOL"]) / (epochs["SGD"] + epochs["FOL"]))


def experiment_1_crops_more(crop_ends):
    """SGD's epochs over FOL's on the most crops less that on the fewest, least of the widths with both."""
    epochs = _on_crops(crop_ends, "epochs")
    factors = (epochs["SGD"] / epochs["FOL"]).groupby(["width", "n"]).mean().unstack("n")
    more = factors[factors.columns.max()] - factors[factors.columns.min()]
    return least(more.dropna())._replace(cases=len(epochs))


def _on_crops(crop_ends, column):
    of_rule = crop_ends[crop_ends.rule == "as in the paper"]
    return of_rule.pivot(index=["width", "n", "run"], columns="method", values=column)


def experiment_1_fol_epochs(crop_ends):
    """Most epochs of FOL on crops."""
    return largest(_on_crops(crop_ends, "epochs")["FOL"])


def experiment_2_adaboost_crops(crop_ends):
    """How much quicker AdaBoost is than FOL on crops, mean of the runs of all sizes."""
    epochs = _on_crops(crop_ends, "epochs")
    return mean((epochs["FOL"] - epochs["AdaBoost"]) / (epochs["FOL"] + epochs["AdaBoost"]))


def experiment_1_test_crops(crop_ends):
    """SGD's test error at its end less FOL's, on crops, mean of the runs of all sizes."""
    errors = _on_crops(crop_ends, "test_end")
    return difference(errors["SGD"], errors["FOL"])


def experiment_1_papers_size(papers_size):
    """Least ratio of SGD's epochs to FOL's, at the paper's own size."""
    ended = papers_size[papers_size.train_errors == 0].groupby(["seed", "rule", "method"]).epoch.min()
    run = papers_size.groupby(["seed", "rule", "method"]).epoch.max()
    epochs = ended.reindex(run.index).fillna(run).xs("as in the paper", level="rule").unstack()
    return least(epochs["SGD"] / epochs["FOL"])


def experiment_1_l2(all_of_mnist):
    """Training error that SGD ends with on digits, less that without the penalty."""
    with_it, without = (_by_method(all_of_mnist, task, "train_end")["SGD"] for task in (DIGITS, NO_L2))
    return difference(with_it, without)


def _median(values):
    return Measured(float(np.median(values)), cases=len(values)) if len(values) else Measured(0.0, cases=0)


def _ratio(network_ends, task):
    epochs = _by_method(network_ends, task, "epochs")
    return _median(epochs["SGD"] / epochs["FOL"])


def experiment_1_ratio(network_ends):
    """SGD's epochs over FOL's on faces, median."""
    return _ratio(network_ends, FACES)


def experiment_1_ratio_no_l2(network_ends):
    """The same on digits, without the penalty."""
    return _ratio(network_ends, NO_L2)


def _of(network_ends, task, method, column):
    its = network_ends[(network_ends.task == task) & (network_ends.method == method)]
    return its.set_index("run")[column]


def experiment_1_improving(all_of_mnist):
    """Fall of the logarithm of SGD's training error an epoch, in the second half of a run on digits."""
    return mean(_of(all_of_mnist, DIGITS, "SGD", "fall_late"))


def experiment_1_plateau(all_of_mnist):
    """The same in the second quarter, less that."""
    early, late = (_of(all_of_mnist, DIGITS, "SGD", column) for column in ("fall_early", "fall_late"))
    return difference(early, late)


def experiment_1_train_error(all_of_mnist):
    """Training error that SGD ends with on digits, mean; zero where it ended without."""
    left, reached = (_of(all_of_mnist, DIGITS, "SGD", column) for column in ("train_end", "reached"))
    return mean(left.where(~reached, 0.0))


def _lead(network_ends, task):
    """SGD's test error less FOL's, each the mean of the last twenty epochs."""
    errors = _by_method(network_ends, task, "test_end")
    return errors["SGD"] - errors["FOL"]


def experiment_1_test(network_ends):
    """SGD's test error at its end less FOL's, on faces."""
    return mean(_lead(network_ends, FACES))


def experiment_1_test_digits(all_of_mnist):
    """The same on digits."""
    return mean(_lead(all_of_mnist, DIGITS))


def experiment_1_test_no_l2(all_of_mnist):
    """The same less twice that of the same digits without the penalty."""
    return mean(_lead(all_of_mnist, DIGITS) - 2 * _lead(all_of_mnist, NO_L2))


def experiment_1_test_then(network_ends):
    """SGD's test error less FOL's, where FOL has no training error for the first time."""
    then = _by_method(network_ends, DIGITS, "at_fol")
    return difference(then["SGD"], then["FOL"])


def experiment_2_test(all_of_mnist):
    """FOL's test error less AdaBoost's, where AdaBoost gets to no training error."""
    then = _by_method(all_of_mnist, DIGITS, "at_adaboost")
    return difference(then["FOL"], then["AdaBoost"])


def _either_way(ratios):
    """Median of ratios, each taken so that it is at least one."""
    return _median(np.maximum(ratios, 1 / ratios))


def section_5_last(network_ends):
    """Factor between the epochs to a last network without a training error and to such a vote of all."""
    return _either_way(_of(network_ends, FACES, "FOL", "over_vote"))


def section_5_last_drawn(network_ends):
    """The same, of a vote of about log m that are drawn."""
    return _either_way(_of(network_ends, FACES, "FOL", "over_drawn"))


def experiment_2_slower(network_ends):
    """Networks in AdaBoost's vote, median on digits."""
    return _median(_of(network_ends, DIGITS, "AdaBoost", "epochs") / 2)


def experiment_1_informative(network_ends):
    """Mistakes among FOL's 64 draws, median on digits."""
    return _median(_of(network_ends, DIGITS, "FOL", "useful"))


def experiment_1_informative_more(network_ends):
    """The same over those that uniform draws would show, median on digits."""
    useful, uniform = (_of(network_ends, DIGITS, "FOL", column) for column in ("useful", "uniform"))
    return _median((useful / uniform).where(uniform > 0, 1.0))


def experiment_1_informative_eta(focus_by_eta):
    """Most useful draws that any rate of the p player gives, median of the runs."""
    return largest(focus_by_eta.groupby("factor").useful.median())._replace(cases=len(focus_by_eta))


def experiment_1_every_fifteen(useful_draws):
    """Iterations for one useful draw, at the error for which it is nearer to fifteen."""
    nearer = (useful_draws.rounds - 15).abs().idxmin()
    return least([useful_draws.rounds[nearer]])


def experiment_1_every_fifteen_corrected(useful_draws):
    """Larger difference from four and twelve."""
    often, rarely = useful_draws.rounds.sort_values()
    return largest([abs(often - 4), abs(rarely - 12)])


def _examples_of(useful_draws, the_lesser):
    its = useful_draws.informative
    return least([its.min() if the_lesser else its.max()]) if len(its) else Measured(0.0, cases=0)


def experiment_1_informative_examples(useful_draws):
    """Informative examples at the error that SGD ends with."""
    return _examples_of(useful_draws, True)


def experiment_1_informative_examples_corrected(useful_draws):
    """The same at the error of Figure 2's left side."""
    return _examples_of(useful_draws, False)


# The paper's rule on the gap's distribution


def _rule(schedule_runs, rule, column):
    its = schedule_runs[schedule_runs.rule == rule]
    return its.pivot(index="run", columns="method", values=column)


def rule_fol(schedule_runs):
    """Most epochs of FOL."""
    return largest(_rule(schedule_runs, "as in the paper", "epochs")["FOL"])


def _least_ratio(schedule_runs, rule):
    epochs = _rule(schedule_runs, rule, "epochs")
    return least(epochs["SGD"] / epochs["FOL"])


def rule_ratio(schedule_runs):
    """Least ratio of SGD's epochs to FOL's."""
    return _least_ratio(schedule_runs, "as in the paper")


def rule_tuned(schedule_runs):
    """The same with a constant rate and no penalty."""
    return _least_ratio(schedule_runs, "rate 1, without ℓ2")


def rule_map(schedule_map):
    """Largest difference of FOL's epochs from SGD's, of the means over runs, for any alpha, eps and rule."""
    epochs = schedule_map.groupby(["alpha", "eps", "rule", "method"]).epochs.mean().unstack()
    return largest(epochs["FOL"] - epochs["SGD"])._replace(cases=len(schedule_map) // 2)


def rule_spread(schedule_map):
    """Largest over least ratio, of the paper's rule alone."""
    its = schedule_map[schedule_map.rule == "as in the paper"]
    epochs = its.groupby(["alpha", "eps", "method"]).epochs.mean().unstack()
    ratios = epochs["SGD"] / epochs["FOL"]
    return largest([ratios.max() / ratios.min()])._replace(cases=len(its) // 2)


def rule_test(schedule_runs):
    """Least difference of SGD's test error from FOL's."""
    errors = _rule(schedule_runs, "as in the paper", "test_error")
    return least(errors["SGD"] - errors["FOL"])


def rule_optimum(schedule_optimum):
    """Least share of the rare examples that are wrong where the average loss is least."""
    return least(schedule_optimum.wrong_rare)


# Typical and rare digits


def _confused(runs):
    return _early(runs, "confused")


def _early(runs, column):
    """Errors by method and run, the means of the two looks."""
    early = runs[runs.epoch <= 16]  # SGD goes on for longer
    return early.groupby(["share", "method", "run"])[column].mean().unstack("method")


def _lead_on_rare(runs, nth):
    """SGD's error on rare images less FOL's, at the nth smallest share."""
    errors = _early(runs, "rare_error")
    own = errors.loc[sorted(errors.index.get_level_values("share").unique())[nth]]
    return difference(own["SGD"], own["FOL"])


def rare_digits_typical(rare_digits_runs):
    """SGD's error on typical images less FOL's, mean over the shares and runs."""
    ended = rare_digits_runs[rare_digits_runs.epoch == 16]
    errors = ended.groupby(["method", "run"]).typical_error.mean().unstack("method")
    return difference(errors["SGD"], errors["FOL"])


def rare_digits_fewest(rare_digits_runs):
    """SGD's error on rare images less FOL's at the smallest share."""
    return _lead_on_rare(rare_digits_runs, 0)


def rare_digits_rarer(rare_digits_runs):
    """The same at the one above it."""
    return _lead_on_rare(rare_digits_runs, 1)


def rare_digits_share(rare_digits_runs):
    """FOL's error at the smallest share less that at the largest, least of any run."""
    by_share = _confused(rare_digits_runs)["FOL"].unstack("share")
    return least(by_share[by_share.columns.min()] - by_share[by_share.columns.max()])


def rare_digits_learned(rare_digits_repeats):
    """Share of the rare training images that FOL has wrong."""
    ended = rare_digits_repeats[(rare_digits_repeats.epoch == 16) & (rare_digits_repeats.method == "FOL")]
    return mean(ended.rare_train_errors / ended.n_rare)


def rare_digits_rare(rare_digits_repeats):
    """SGD's error on rare images less FOL's, on images and with weights of their own."""
    return _lead_on_rare(rare_digits_repeats, 0)


def rare_digits_missed(rare_digits_repeats):
    """The share of 3s that SGD misses less FOL's."""
    errors = _early(rare_digits_repeats, "missed")
    return difference(errors["SGD"], errors["FOL"])


def rare_digits_mining(rare_digits_repeats):
    """FOL's error less that of hard-example mining."""
    errors = _confused(rare_digits_repeats)
    return difference(errors["FOL"], errors["hard examples"])
