"""What the rows of Sections 3 and 4 measure: the gap, rare examples, outliers."""

import numpy as np

from paperlib.experiments.max_loss import powers
from paperlib.experiments.verbs import Measured, count, difference, largest, least, mean, share, worst_share

# Section 3.1: the gap


def lemma_1(lemma_1):
    """Largest rate of samples that leave one undecided, or on which FOL's hypothesis errs, at any eps."""
    return _undecided_or_wrong(lemma_1)


def lemma_1_corrected(lemma_1):
    """The same where z_2 is the rarer one."""
    return _undecided_or_wrong(_rare(lemma_1))


def _undecided_or_wrong(samples):
    rates = [_rate(samples.missing, samples.trials), _rate(samples.wrong, samples.learned)]
    # The one that is more surely above delta, as the second has few trials.
    surest = max(rates, key=lambda rate: rate.value - 4 * (rate.stderr or 0.0))
    return surest._replace(cases=int(samples.trials.sum()))


def lemma_1_points(lemma_1):
    """Largest rate of samples without one of the four points, at any eps."""
    return _rate(lemma_1.missing_four, lemma_1.trials)._replace(cases=int(lemma_1.trials.sum()))


def lemma_1_points_corrected(lemma_1):
    """The same where z_2 is the rarer one."""
    return lemma_1_points(_rare(lemma_1))


def lemma_3_size(lemma_1):
    """Largest rate of samples of Lemma 1's size that leave one undecided, where z_2 is the rarer one."""
    rare = _rare(lemma_1)
    return _rate(rare.missing, rare.trials)._replace(cases=int(rare.trials.sum()))


def _rare(lemma_1):
    return lemma_1[lemma_1.eps <= 0.5]


def _rate(failures, trials):
    """Share of failures in the row where it is largest."""
    failed = [np.arange(n) < k for k, n in zip(failures, trials)]
    return worst_share(np.concatenate(failed), by=np.repeat(np.arange(len(failed)), trials))


def _solved(lemma_2, allowed):
    """Largest rate of solved runs over what is allowed."""
    worst = lemma_2.loc[(lemma_2.solved / allowed).idxmax()]
    found = share(np.arange(worst.runs) < worst.solved) / float(allowed[worst.name])
    return found._replace(dof=None, cases=int(lemma_2.runs.sum()))


def lemma_2_probability(lemma_2):
    """Largest rate of runs that have solved it in time, over eps."""
    return _solved(lemma_2, lemma_2.eps)


def lemma_2_probability_corrected(lemma_2):
    """The same over ``eps + exp(-T eps / 3)``."""
    return _solved(lemma_2, lemma_2.allowed)


def lemma_2_alpha(gap_hinge):
    """Power of 1 / alpha in the rounds of SGD with the hinge loss."""
    return mean(powers.of_runs(gap_hinge, "alpha", ["eps"]))._replace(cases=len(gap_hinge))


def lemma_2_eps(gap_hinge):
    """Power of 1 / eps in them."""
    return mean(powers.of_runs(gap_hinge, "eps", ["alpha"]))._replace(cases=len(gap_hinge))


def lemma_3(gap_fol):
    """Power of 1 / eps in FOL's rounds over log 1/eps, along the three smallest alpha = eps."""
    smallest = gap_fol[gap_fol.alpha.isin(sorted(gap_fol.alpha.unique())[:3])]
    return mean(powers.of_runs(smallest, log=1))._replace(cases=len(smallest))


def lemma_3_steep(gap_steep):
    """Power of 1 / eps in FOL's rounds, along alpha = eps^2."""
    return mean(powers.of_runs(gap_steep))._replace(cases=len(gap_steep))


def lemma_3_mistakes(gap_grid):
    """Largest number of mistakes beyond the Perceptron's bound."""
    perceptrons = gap_grid[gap_grid.learner != "SGD, hinge"]
    return largest(perceptrons.mistakes - perceptrons.mistake_bound)


def lemma_3_product(turn):
    """<w, z_1> over k where z_2 is right for the first time."""
    return largest(turn["product"])


def lemma_3_product_corrected(turn):
    """The same."""
    return largest(turn["product"])


def section_3_1_gap(gap_rounds):
    """SGD's power of 1 / eps along alpha = eps, less FOL's, on the same samples."""
    sgd, fol = (powers.of_runs(gap_rounds[gap_rounds.learner == each]) for each in ("SGD, hinge", "FOL"))
    return difference(sgd, fol)


def section_3_1_samples(gap_hinge, lemma_1):
    """Mean draws of SGD with the hinge loss over Lemma 1's examples, least over alpha = eps <= 0.01."""
    small = gap_hinge[(gap_hinge.alpha == gap_hinge.eps) & (gap_hinge.eps <= 0.01)]
    draws = small.groupby("eps").rounds.mean()
    # Lemma 1's size is a number over eps, rounded up.
    return least(draws * draws.index / (lemma_1.m * lemma_1.eps).max())._replace(cases=len(small))


# Section 3.2: typical and rare


def theorem_2(theorem_2_samples, theorem_2_terms):
    """Rate of samples of Theorem 2's size on which a consistent hypothesis errs too much."""
    granted = theorem_2_samples.m == theorem_2_terms["size"].iloc[0]
    return share(theorem_2_samples.failed[granted])


def theorem_2_c(theorem_2_terms):
    """Least error on rare examples above eps."""
    return least(theorem_2_terms.c)


def theorem_2_maximum(conjunctions, theorem_2_terms):
    """Hypotheses of H_{1,eps} with a rare error in (eps, c]."""
    left, terms = _left(conjunctions, theorem_2_terms)
    return count((left > terms.eps) & (left <= terms.c))


def theorem_2_maximum_corrected(conjunctions, theorem_2_terms):
    """Those with one in (eps, c)."""
    left, terms = _left(conjunctions, theorem_2_terms)
    return count((left > terms.eps) & (left < terms.c))


def _left(conjunctions, theorem_2_terms):
    terms = theorem_2_terms.iloc[0]
    return conjunctions.rare[conjunctions.typical <= terms.eps], terms


def section_3_2_average(theorem_2_samples, theorem_2_terms):
    """Least error on rare examples of the worst hypothesis of small average loss, less eps."""
    return least(theorem_2_samples.average_rare_error - theorem_2_terms.eps.iloc[0])


def section_3_2_few(rare_needed, theorem_2_terms):
    """Rare examples for failures of at most delta beside typical ones, over VC / eps."""
    terms = theorem_2_terms.iloc[0]
    return _needed(rare_needed, "rare", terms) / (terms.vc / terms.eps)


def section_3_2_hope(rare_needed, theorem_2_terms):
    """The same over the typical examples for failures of at most delta on the typical distribution."""
    terms = theorem_2_terms.iloc[0]
    return _needed(rare_needed, "rare", terms) / _needed(rare_needed, "typical", terms).value


def _needed(rare_needed, kind, terms):
    its = rare_needed[rare_needed.kind == kind]
    its = its[its.typical == its.typical.max()]
    needed = its.needed.where(its.enough, np.inf).quantile(1 - terms.delta, interpolation="higher")
    return largest([needed])._replace(cases=len(its))


def section_3_2_alone(rare_needed):
    """Runs in which rare examples were enough without typical ones."""
    return count(rare_needed.enough[(rare_needed.kind == "rare") & (rare_needed.typical == 0)])


# Section 4: outliers


def _bad(theorem_3, bad, over):
    worst = theorem_3.loc[(theorem_3[bad] / over).idxmax()]
    found = share(np.arange(worst.trials) < worst[bad])._replace(dof=None)
    return found / float(over[worst.name])


def theorem_3(theorem_3):
    """Largest rate of bad sub-samples over the bound, as printed."""
    return _bad(theorem_3, "bad_as_printed", theorem_3.bound)._replace(cases=int(theorem_3.trials.sum()))


def theorem_3_corrected(theorem_3):
    """The same with half of the expected rare examples."""
    return _bad(theorem_3, "bad", theorem_3.bound)._replace(cases=int(theorem_3.trials.sum()))


def _of_the_example(theorem_3, bad):
    example = theorem_3[theorem_3.n * theorem_3.outliers * 100 == theorem_3.m]
    if example.empty:
        return Measured(0.0, cases=0)
    return _bad(example, bad, 0 * example.bound + 1)._replace(cases=int(example.trials.sum()))


def theorem_3_example(theorem_3):
    """Largest rate of bad ones where n = m/(100k), as printed."""
    return _of_the_example(theorem_3, "bad_as_printed")


def theorem_3_example_corrected(theorem_3):
    """The same with half of the expected rare examples."""
    return _of_the_example(theorem_3, "bad")


def appendix_d(appendix_d):
    """Least difference of the two sides, as printed."""
    return least(appendix_d.printed)


def appendix_d_corrected(appendix_d):
    """The same by Bernoulli's inequality."""
    return least(appendix_d.right, resolution=1e-12)


def _test_errors(robustness_runs):
    return robustness_runs.pivot(index="run", columns="method", values="test_error")


def _more_errors(robustness_runs, method, other):
    errors = _test_errors(robustness_runs)
    return difference(errors[method], errors[other])


def section_4_outliers(robustness_runs):
    """Clean test error of FOL's majority less that of uniform sampling's."""
    return _more_errors(robustness_runs, "FOL, majority", "uniform, majority")


def section_4_single(least_maxima):
    """Share of samples with one wrong label on which w = 0 minimises the largest hinge loss."""
    return share(least_maxima.trivial)


def section_4_single_fol(robustness_single):
    """Clean test error of the mean of FOL's iterates less uniform sampling's, with one wrong label."""
    return section_4_mean(robustness_single)


def section_4_mean(robustness_runs):
    """Clean test error of the mean of FOL's iterates less that of uniform sampling's."""
    return _more_errors(robustness_runs, "FOL, average", "uniform, average")


def _on_all_less_sub_sample(sub_samples, column):
    errors = sub_samples.pivot(index="run", columns="n", values=column)
    return difference(errors[sub_samples.m.iloc[0]], errors[1000])


def section_4_1(sub_samples):
    """Clean test error of FOL on all less that on a thousand of them, each the mean of its iterates."""
    return _on_all_less_sub_sample(sub_samples, "average_error")


def section_4_1_last(sub_samples):
    """The same of the last iterates."""
    return _on_all_less_sub_sample(sub_samples, "last_error")


def section_4_2_l1(robustness_runs):
    """Clean test error of FOL without slack less that with it in the l1 ball."""
    return _more_errors(robustness_runs, "FOL, average", "FOL, slack l1, average")


def section_4_2_l2(robustness_runs):
    """The same in the l2 ball."""
    return _more_errors(robustness_runs, "FOL, average", "FOL, slack l2, average")


def section_4_uniform(robustness_runs):
    """Clean test error of uniform sampling less that of the best remedy."""
    remedies = ["FOL, slack l1, average", "FOL, slack l2, average"]
    best = _test_errors(robustness_runs)[remedies].mean().idxmin()
    return _more_errors(robustness_runs, "uniform, average", best)


def section_4_average(robustness_runs):
    """Clean test error of the last iterate less that of the mean, with slack in the l1 ball."""
    return _more_errors(robustness_runs, "FOL, slack l1", "FOL, slack l1, average")
