"""What rows of the ledger measure on Sections 5 and 6, as in `claims`."""

import numpy as np
import pandas as pd

from paperlib.experiments.kernel_mean.claims import _of, _ratio, _squared
from paperlib.experiments.verbs import Measured, count, difference, exponent, largest, mean


def _mean_exponent(errors):
    """Mean over draws of the power of the size that the error falls with."""
    return mean([exponent(each["size"], each.error).value for _, each in errors.groupby("draw")])


# Section 5: how the error falls


def section_5_random(random_draws):
    """Exponent of the number of random draws in their error."""
    return _mean_exponent(random_draws)


def section_5_greedy_points(best_points):
    """Geometric mean of greedy points' error over herding's."""
    return _mean_ratio(best_points, "greedy", "herding")


def section_5_moved_points(best_points):
    """Geometric mean of moved points' error over that of k-means centres."""
    return _mean_ratio(best_points, "moved", "k-means")


def _mean_ratio(curves, method, peer):
    errors = curves.pivot(index=["data", "size"], columns="method", values="error").clip(lower=1e-6)
    ratio = np.exp(np.log(errors[method] / errors[peer]).mean())
    return largest([ratio])._replace(cases=len(errors))


def theorem_20(theorem_20_errors):
    """Largest distance of the plain mean's error from the bound."""
    return largest(abs(theorem_20_errors.plain - theorem_20_errors.bound), resolution=1e-9)


def theorem_20_least(theorem_20_errors):
    """Largest advantage of random weights over the bound."""
    ahead = largest(theorem_20_errors.bound - theorem_20_errors.least, resolution=1e-9)
    return ahead._replace(cases=int(theorem_20_errors.weightings.sum()))


# Algorithms 1 and 2


def theorem_21(bounds_of_sparse_means, exact_bounds):
    """Largest ratio of an error to Theorem 21's bound."""
    return _ratio("theorem-21", bounds_of_sparse_means, exact_bounds)


def theorem_21_squared(bounds_of_sparse_means):
    """Mean squared error over its closed form."""
    return _squared(bounds_of_sparse_means, "theorem-21")


def theorem_21_sparsity(largest_supports):
    """Most points kept over 2m."""
    return _kept(largest_supports, "while |S| < m")


def algorithm_1_printed_sparsity(largest_supports):
    """The same with the printed loop."""
    return _kept(largest_supports, "while |S| <= m")


def _kept(supports, loop):
    rows = supports[supports.loop == loop]
    return largest(rows.points / rows.allowed)


def algorithm_1_parts(part_counts):
    """Parts less m, with the printed loop."""
    return _parts_less_m(part_counts, "while |S| <= m")


def algorithm_1_parts_corrected(part_counts):
    """Parts less m, of ours."""
    return _parts_less_m(part_counts, "while |S| < m")


def _parts_less_m(counts, loop):
    rows = counts[counts.loop == loop]
    return largest(rows.parts - rows.m)


def algorithm_1_result(bounds_of_sparse_means, exact_bounds, best_partitions):
    """Largest ratio of an error to Algorithm 1's guarantee."""
    small = best_partitions["algorithm-1.result"]
    of_small = pd.DataFrame(
        {"statement": "algorithm-1.result", "ratio": small, "draws": best_partitions.draws}
    )
    return _ratio("algorithm-1.result", bounds_of_sparse_means, exact_bounds, of_small)


def algorithm_2(bounds_of_sparse_means, exact_bounds):
    """Largest ratio of an error to the tolerance."""
    return _ratio("algorithm-2", bounds_of_sparse_means, exact_bounds)


def algorithm_2_printed(pseudo_code):
    """Names that are read before they are set, with the printed inputs."""
    return _unset(pseudo_code, "printed")


def algorithm_2_printed_corrected(pseudo_code):
    """The same with the inputs that are meant."""
    return _unset(pseudo_code, "meant")


def _unset(pseudo_code, inputs):
    return largest(pseudo_code.unset[pseudo_code.inputs == inputs])._replace(cases=None)


def section_5_2_greedy(best_partitions):
    """Largest ratio of the greedy diameter to twice the best."""
    return largest(best_partitions["section-5.2.greedy"])


def section_5_2_order_mn(kernel_values):
    """Most kernel values over m n that Algorithm 1 asks for."""
    rows = kernel_values[kernel_values.method == "farthest_first"]
    return largest(rows["values"] / (rows.m * rows.n))


def section_5_3(bounds_of_sparse_means, exact_bounds):
    """Largest ratio of an error to the bound, weights of any sign."""
    return _ratio("section-5.3", bounds_of_sparse_means, exact_bounds)


def section_5_3_squared(bounds_of_sparse_means):
    """Mean squared error over its closed form."""
    return _squared(bounds_of_sparse_means, "section-5.3")


def lemma_22(parallel_means):
    """Largest ratio of a chunk's error, or of the sum's, to what is allowed."""
    return largest(parallel_means[["chunks", "total"]].max(axis=1))


def section_5_4_dense(two_rounds):
    """Elements without a second round."""
    return largest(two_rounds.points[~two_rounds.second_round])._replace(cases=None)


def section_5_4_second_round(two_rounds):
    """Elements and error after a second round."""
    after = two_rounds[two_rounds.second_round]
    return largest(after.points + after.error)._replace(cases=None)


# Section 5.5: others' methods


def section_5_5_1(best_partitions):
    """Largest ratio of the best of 50 draws to the bound."""
    return largest(best_partitions["section-5.5.1"])


def section_5_5_1_algorithm_1(bounds_of_sparse_means, exact_bounds, best_partitions):
    """Largest ratio of an error to Algorithm 1's guarantee, m = k / 2."""
    return algorithm_1_result(bounds_of_sparse_means, exact_bounds, best_partitions)


def section_5_5_2(best_partitions):
    """Largest ratio of herding's error to that of random draws."""
    return largest(best_partitions["section-5.5.2"])


def section_5_5_2_complexity(kernel_values):
    """Exponent of n in herding's kernel values less that of Algorithm 1's, 16 points kept."""
    of = {name: each[each.m == 16] for name, each in kernel_values.groupby("method")}
    herding, ours = (exponent(of[name].n, of[name]["values"]) for name in ("herding", "farthest_first"))
    return herding._replace(cases=len(kernel_values[kernel_values.m == 16])) - ours.value


def section_5_5_2_complexity_corrected(kernel_values):
    """The same, of what herding asks for beyond the inner products with the expansion."""
    known = kernel_values["values"].where(kernel_values.method != "herding", 0)
    beyond = kernel_values["values"] - kernel_values.n**2
    return section_5_5_2_complexity(kernel_values.assign(values=known + beyond.where(known == 0, 0)))


def section_5_5_2_herding_rate(inside):
    """Exponent of k in herding's error where the mean is inside the hull."""
    return _mean_exponent(inside[(inside.method == "herding") & (inside["size"] >= 8)])


def section_5_5_2_rates(inside):
    """Exponent of k in the error of line-search Frank-Wolfe there, before it is rounding."""
    return _mean_exponent(inside[(inside.method == "Frank-Wolfe") & (inside["size"] <= 16)])


def section_5_5_2_in_reality(rates):
    """Exponent of k in an error less that of clustered sub-sampling, where it is least.

    Of herding and Frank-Wolfe, and of all data. Only Algorithm 1 draws.
    """
    powers = pd.DataFrame(
        {"data": data, "method": method, "power": exponent(each["size"], each.error).value}
        for (data, method, _), each in rates.groupby(["data", "method", "draw"], sort=False)
    )
    clustered = powers[powers.method == "clustered"].groupby("data").power
    fastest = powers[powers.method != "clustered"].groupby("data").power.min()
    return min((mean(fastest[data] - drawn) for data, drawn in clustered), key=lambda each: each.value)


def section_5_5_2_d(boundary):
    """Largest excess over 1 of d times the root of n, of kernel expansions."""
    ours = boundary[boundary.kernel == "Gaussian"]
    return largest((ours.d * np.sqrt(ours.n) - 1.0).clip(lower=0.0))


def section_5_5_4(statements):
    """Most points that linear loss with a squared norm leaves out."""
    return _of(statements, "section-5.5.4")


def section_5_5_3(best_partitions):
    """Largest ratio of the projection's error to its bound."""
    return largest(best_partitions["section-5.5.3"])


# Section 6


def corollary_23(bounds_of_sparse_means):
    """Largest ratio of the printed distance to the bound."""
    return _ratio("corollary-23", bounds_of_sparse_means)


def corollary_23_corrected(bounds_of_sparse_means, exact_bounds):
    """Largest ratio of the distance, divided by 1 - 2 sigma, to the bound."""
    return _ratio("corollary-23.corrected", bounds_of_sparse_means, exact_bounds)


def section_6_budget(tradeoff, worst_moves):
    """Largest share of draws, or of points, that are lost within the margin."""
    of_draws = tradeoff.broken.groupby([tradeoff.parts, tradeoff.sigma]).mean()
    lost: Measured = largest(np.concatenate([of_draws, worst_moves.lost]))
    return lost._replace(cases=len(tradeoff) + len(worst_moves))


def section_6_diameter(widened):
    """Lower bound on D* with noise less an upper bound without."""
    return difference(widened.noisy, widened.clean)


def section_6_small(widened):
    """Upper bound on D*(S, m) without noise."""
    return largest(widened.clean)


def section_6_signed(best_partitions):
    """Samples whose D* is above that of the sample and its mirror image."""
    return count(best_partitions["section-6.signed"])


def section_6_immune(best_partitions):
    """Largest change of D*(+-S, m) by flipped labels."""
    return largest(best_partitions["section-6.immune"])
