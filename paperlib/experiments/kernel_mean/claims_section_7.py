"""What rows of the ledger measure on Section 7, and on Section 3.4 with real data, as in `claims`."""

import numpy as np

from paperlib.experiments.verbs import Measured, count, difference, largest, least, mean

# Table 1 as it is printed: mean and standard deviation of 125 trials.
TRIALS = 125
NOISE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.49)
PRINTED = {
    "Hinge": [(0, 0), (0.15, 0.27), (0.21, 0.30), (0.38, 0.37), (0.42, 0.36), (0.47, 0.38)],
    "t-logistic": [(0, 0), (0, 0), (0, 0), (0.22, 0.08), (0.22, 0.08), (0.39, 0.23)],
    "Linear": [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0.34, 0.48)],
}

# Figures 1 and 2


def figure_1_clusters(board):
    """Clusters of the sample."""
    return largest([board.cluster.nunique()])._replace(cases=None)


def figure_1_labels_apart(board):
    """Least distance of two points of different labels."""
    return least(board.apart)._replace(cases=None)


def figure_1_mean_error(board):
    """Points that the mean gets wrong."""
    return count(board.label * board.score <= 0)


def _by(draws, method):
    return draws[draws.method == method].set_index("board")


def figure_2_zero_one(figure_2_draws):
    """Most points of a board that the sparse classifier gets wrong."""
    return largest(_by(figure_2_draws, "clustered").wrong)


def figure_2_sparsity(figure_2_draws):
    """Points kept."""
    return mean(_by(figure_2_draws, "clustered").points)


def figure_2_random_misses(random_misses):
    """Rate at which random subsets miss a cluster, less one half."""
    return _of_subsets(mean(random_misses.missed), random_misses) - 0.5


def figure_2_random_rate(random_misses):
    """That rate less the exact probability."""
    return _of_subsets(difference(random_misses.missed, random_misses.chance), random_misses)


def _of_subsets(measured, boards):
    return measured._replace(cases=int(boards.draws.sum()))


def figure_2_random_is_worse(figure_2_draws):
    """0-1 risk of random subsets less that of clustered ones."""
    random, clustered = (_by(figure_2_draws, name).zero_one for name in ("random", "clustered"))
    return difference(random, clustered.reindex(random.index))


# Figure 3


def _risk(lines, line):
    return largest(lines.risk[lines.line == line])._replace(cases=None)


def figure_3_hinge_clean(figure_3_lines):
    """0-1 risk of the hinge minimiser without noise."""
    return _risk(figure_3_lines, "hinge, clean")


def figure_3_hinge_noisy(figure_3_lines):
    """0-1 risk of the hinge minimiser with noise."""
    return _risk(figure_3_lines, "hinge, noisy")


def figure_3_mean(figure_3_risks):
    """Largest 0-1 risk of the mean."""
    return largest(figure_3_risks.risk[figure_3_risks.loss == "Linear"])


def figure_3_scale(breaking_noise):
    """Least breaking noise over that of scale 1."""
    return _relative(breaking_noise, "scale", 1)


def figure_3_scale_corrected(breaking_noise):
    """Least breaking noise over that of the far point at 30."""
    return _relative(breaking_noise, "far point", 30)


def _relative(breaking, change, to):
    rows = breaking[breaking.change == change]
    return least(rows.noise / rows.noise[rows.to == to].item())._replace(cases=None)


def section_4_3_long_servedio(broken_potentials):
    """Least 0-1 risk of a potential's minimiser."""
    return least(broken_potentials.risk)


# Table 1


def _risks(table, learner, noise):
    """0-1 risk of each trial of a cell; none where the noise rate is not in the table."""
    rows = table[(table.learner == learner) & (table.noise == noise)]
    return np.repeat(rows.risk.to_numpy(), rows.trials)


def _std(values: np.ndarray) -> Measured:
    """Standard deviation, with its standard error from the fourth moment."""
    if len(values) < 2:
        return Measured(0.0, cases=0)
    squares = (values - values.mean()) ** 2
    if not squares.any():
        return Measured(0.0, 0.0, len(values))
    stderr = np.sqrt(squares.var() / len(values)) / (2.0 * np.sqrt(squares.mean()))
    return Measured(float(values.std(ddof=1)), float(stderr), len(values))


def _cell(table, learner, noise):
    found = mean(_risks(table, learner, noise))
    return found._replace(dof=None)


def table_1_hinge_sigma_0(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Hinge", 0.0)


def table_1_hinge_sigma_0_1(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Hinge", 0.1)


def table_1_hinge_sigma_0_2(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Hinge", 0.2)


def table_1_t_logistic_sigma_0(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.0)


def table_1_t_logistic_sigma_0_1(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.1)


def table_1_t_logistic_sigma_0_2(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.2)


def table_1_t_logistic_sigma_0_3(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.3)


def table_1_t_logistic_sigma_0_4(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.4)


def table_1_t_logistic_sigma_0_49(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "t-logistic", 0.49)


def table_1_linear_sigma_0(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Linear", 0.0)


def table_1_linear_sigma_0_1(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Linear", 0.1)


def table_1_linear_sigma_0_2(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Linear", 0.2)


def table_1_linear_sigma_0_3(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Linear", 0.3)


def table_1_linear_sigma_0_4(table_1):
    """Mean 0-1 risk."""
    return _cell(table_1, "Linear", 0.4)


def table_1_hinge_reason(table_1):
    """Largest share of trials that are wrong, and not on (1, -1) alone."""
    rows = table_1[(table_1.learner == "Hinge") & table_1.noise.isin([0.1, 0.2])]
    others = rows.trials.where(~rows.wrong.isin(["none", "south"]), 0).groupby(rows.noise).sum()
    shares = others / rows.trials.groupby(rows.noise).sum()
    return largest(shares)._replace(cases=int(rows.trials.sum()))


def table_1_linear_ahead(table_1):
    """Least risk of another learner less the mean's, where the table prints an error up to sigma 0.4."""
    leads = []
    for learner in ("Hinge", "t-logistic"):
        for noise, (printed, _) in zip(NOISE[:5], PRINTED[learner]):
            other, own = _cell(table_1, learner, noise), _cell(table_1, "Linear", noise)
            if printed > 0 and other.cases:
                leads.append((other - own.value)._replace(stderr=np.hypot(other.stderr, own.stderr)))
    return min(leads, key=lambda each: each.value) if leads else Measured(0.0, cases=0)


def _off_by(table, learner, printed, statistic):
    """Largest distance of a statistic from what is printed, over half a digit and four standard errors."""
    found = []
    for noise, cell in zip(NOISE, PRINTED[printed]):
        risks, (target, share) = (
            _risks(table, learner, noise),
            ((cell[0], 1), (cell[1], 2))[statistic is _std],
        )
        if cell[1] > 0 and len(risks) > 1:
            allowed = 0.005 + 4.0 * cell[1] / np.sqrt(share * TRIALS)
            measured = statistic(risks)
            found.append(measured._replace(value=abs(measured.value - target)) / allowed)
    return max(found, key=lambda each: each.value) if found else Measured(0.0, cases=0)


def table_1_hinge_spread(table_1):
    """Standard deviations of the hinge column."""
    return _off_by(table_1, "Hinge", "Hinge", _std)


def table_1_t_logistic_spread(table_1):
    """Standard deviations of the t-logistic column."""
    return _off_by(table_1, "t-logistic", "t-logistic", _std)


def table_1_solvers_hinge(table_1_solvers):
    """Means of LIBLINEAR."""
    return _off_by(table_1_solvers, "LIBLINEAR, hinge", "Hinge", mean)


# Real data


def section_7_real_data(real_data_errors):
    """Growth of the linear SVM's risk from no noise to the most, less that of the linear mean."""
    of = _by_classifier(real_data_errors)
    noise = of.index.get_level_values("noise")
    growth = [of[noise == each].droplevel("noise") for each in (noise.max(), noise.min())]
    gap = growth[0] - growth[1]
    return difference(gap["SVM, linear"], gap["mean, linear"], by=gap.index.get_level_values("data"))


def section_7_svm_ahead(german_credit):
    """Risk of the linear mean less that of the linear SVM on German credit."""
    of = _by_classifier(german_credit)
    return mean((of["mean, linear"] - of["SVM, linear"]).groupby("split").mean())


def _by_classifier(errors):
    return errors.pivot_table(index=["data", "split", "noise"], columns="classifier", values="zero_one")


def section_3_4_leave_one_out(width_errors):
    """Risk of the width of least leave-one-out error less that of the best, on data held back."""
    rows = width_errors[width_errors.held_back]
    return _excess(rows, "leave one out", "best width (oracle)")


def section_3_4_max_norm(width_errors):
    """Risk of the longest mean, equal classes, less that of the width of least leave-one-out error."""
    return _excess(width_errors, "longest mean, equal classes", "leave one out")


def section_3_4_equal_classes(width_errors):
    """Risk of the longest mean less that with equal classes, where classes are unequal."""
    return _excess(width_errors[width_errors.unequal], "longest mean", "longest mean, equal classes")


def _excess(rows, learner, over):
    """Mean over problems of a learner's risk less another's, noise up to 0.3.

    Splits of one problem are independent of each other, its noise rates are not.
    """
    moderate = rows[rows.noise <= 0.3]
    pairs = moderate.pivot_table(index=["data", "split", "noise"], columns="learner", values="zero_one")
    gap = (pairs[learner] - pairs[over]).groupby(["data", "split"]).mean()
    return mean(gap, by=gap.index.get_level_values("data"))
