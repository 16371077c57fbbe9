"""What the rows of Section 4 measure: the sanity check, Figures 1 and 2, and other methods."""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import difference, mean

# The sanity check


def sanity_svm_removed_1(sanity_trials):
    """Error of the SVM with one copy of the label removed."""
    return mean(_removed(sanity_trials, 1).SVM)


def sanity_lp_removed_1(sanity_trials):
    """The same of the programme."""
    return mean(_removed(sanity_trials, 1).LP)


def sanity_order(sanity_trials):
    """Error of the SVM with both removed less that of the programme."""
    trials = _removed(sanity_trials, 2)
    return difference(trials.SVM, trials.LP)


def sanity_weights(sanity_trials):
    """Share of the copies in the SVM's absolute weights."""
    return mean(_removed(sanity_trials, 2).copies)


def _removed(trials, copies):
    return trials[trials.removed == copies]


def sanity_without_margin(sanity_readings):
    """Error of the programme on 1,000 examples without a margin, mean over distributions, less 0.22."""
    found = _of_margin(sanity_readings, 0.0)
    return mean(found.LP, by=found.kind) - 0.22


def sanity_margin(sanity_readings):
    """The same less that with a margin of 0.2."""
    # Different samples: of the same number each, so that pairs of them have the error of the difference.
    without, fits = (
        _of_margin(sanity_readings, margin).sort_values(["kind", "run"]) for margin in (0.0, 0.2)
    )
    return difference(without.LP.to_numpy(), fits.LP.to_numpy(), by=without.kind)


def _of_margin(readings, margin):
    usual = (readings["size"] == 1000) & (readings.strength == 1) & (readings["scale"] == 1)
    return readings[usual & (readings.margin == margin)]


# Figure 1


def _lead(errors, behind, ahead, by="run", above=-1):
    """Mean over the budgets above that of what one learner errs more than another, a case a run."""
    of_run = _means(errors, by, above)
    return difference(of_run[behind], of_run[ahead])


def _means(errors, by="run", above=-1):
    """Mean errors over the budgets above that, by run and learner."""
    return errors[errors.budget > above].pivot_table(index=by, columns="learner", values="error")


def figure_1_left_fdrop(figure_1_spam):
    """Error of FDROP less the programme's, over the paper's axis."""
    return _lead(figure_1_spam, "FDROP", "LP")


def figure_1_left_centred(figure_1_centred):
    """The same with centred counts."""
    return _lead(figure_1_centred, "FDROP", "LP")


def figure_1_left_svm(figure_1_spam):
    """Error of the SVM less the programme's."""
    return _lead(figure_1_spam, "SVM", "LP")


def figure_1_right_fdrop(figure_1_mnist):
    """Error of FDROP less the programme's, of all images."""
    return _lead(figure_1_mnist, "FDROP", "LP")


def figure_1_right_svm(figure_1_mnist):
    """Error of the SVM less the programme's, of all images."""
    return _lead(figure_1_mnist, "SVM", "LP")


def figure_1_perceptron_errors(figure_1_spam, figure_1_mnist):
    """Error of the programme less the perceptron's, mean of both panels."""
    both = _panels(figure_1_spam, figure_1_mnist)
    return difference(both.LP, both.perceptron, by=both.index.get_level_values(0))


def section_1_considerably_better(figure_1_spam, figure_1_mnist):
    """Error of FDROP less that of programme and perceptron, mean of both panels."""
    both = _panels(figure_1_spam, figure_1_mnist)
    return difference(both.FDROP, (both.LP + both.perceptron) / 2, by=both.index.get_level_values(0))


def _panels(spam, images):
    """Mean errors by panel and split."""
    return pd.concat([_means(spam), _means(images)], keys=[0, 1])


# Figure 2


def _chunks(errors):
    """The name of the programme on the largest chunks there are."""
    names = [name for name in errors.learner.unique() if name.startswith("LP, chunks of ")]
    return max(names, key=lambda name: int(name.rpartition(" ")[2]))


def _ahead(errors, learner, met="harm", behind="SVM"):
    """Mean over the budgets above 0 of what the SVM errs more than a learner, a case a fold."""
    return _lead(errors[errors.met == met], behind, learner, by="fold", above=0)


def figure_2_left_lp(figure_2_spam_ones):
    """Error of the SVM less that of the programme in chunks, values one."""
    return _ahead(figure_2_spam_ones, _chunks(figure_2_spam_ones))


def figure_2_left_whole(figure_2_spam_ones):
    """The same of the programme on all examples at once."""
    return _ahead(figure_2_spam_ones, "LP")


def figure_2_left_perceptron(figure_2_spam_ones):
    """The same of the perceptron."""
    return _ahead(figure_2_spam_ones, "perceptron")


def figure_2_center_lp(figure_2_spam_informative):
    """Error of the SVM less that of the programme in chunks, values by mutual information."""
    return _ahead(figure_2_spam_informative, _chunks(figure_2_spam_informative))


def figure_2_center_whole(figure_2_spam_informative):
    """The same of the programme on all examples at once."""
    return _ahead(figure_2_spam_informative, "LP")


def figure_2_center_perceptron(figure_2_spam_informative):
    """The same of the perceptron."""
    return _ahead(figure_2_spam_informative, "perceptron")


def figure_2_center_values(figure_2_spam_informative):
    """Error of the programme that is not told the values less that of the one that is."""
    return _ahead(figure_2_spam_informative, "LP", behind="LP, values one")


def figure_2_center_by_value(figure_2_spam_informative):
    """Error of the SVM less the programme's, where the dearest features go first."""
    return _ahead(figure_2_spam_informative, "LP", "value")


def breast_cancer_figure_2_left_lp(figure_2_breast_cancer_ones):
    """Error of the SVM less the programme's, values one."""
    return _ahead(figure_2_breast_cancer_ones, "LP")


def breast_cancer_figure_2_left_perceptron(figure_2_breast_cancer_ones):
    """The same of the perceptron."""
    return _ahead(figure_2_breast_cancer_ones, "perceptron")


def breast_cancer_figure_2_center_lp(figure_2_breast_cancer_informative):
    """Error of the SVM less the programme's, values by mutual information."""
    return _ahead(figure_2_breast_cancer_informative, "LP")


def breast_cancer_figure_2_center_perceptron(figure_2_breast_cancer_informative):
    """The same of the perceptron."""
    return _ahead(figure_2_breast_cancer_informative, "perceptron")


def figure_2_right_lp(figure_2_mnist):
    """Error of the SVM less that of the programme in chunks, on images."""
    return _ahead(figure_2_mnist, _chunks(figure_2_mnist))


def figure_2_right_whole(figure_2_mnist):
    """The same of the programme on all images at once."""
    return _ahead(figure_2_mnist, "LP")


def figure_2_right_perceptron(figure_2_mnist):
    """The same of the perceptron."""
    return _ahead(figure_2_mnist, "perceptron")


def figure_2_center_fdrop(figure_2_spam_informative):
    """Error of FDROP less the programme's, values by mutual information."""
    return _ahead(figure_2_spam_informative, "LP", behind="FDROP")


def figure_2_right_fdrop(figure_2_mnist):
    """The same on images."""
    return _ahead(figure_2_mnist, "LP", behind="FDROP")


def figure_2_right_by_value(figure_2_mnist):
    """Error of the SVM less the programme's, where the dearest features go first."""
    return _ahead(figure_2_mnist, "LP", "value")


def figure_2_left_chunks(figure_2_spam_ones):
    """Error of the chunks less that of the programme on all mails at once, values one."""
    return _ahead(figure_2_spam_ones, "LP", behind=_chunks(figure_2_spam_ones))


def figure_2_center_chunks(figure_2_spam_informative):
    """The same with values by mutual information."""
    return _ahead(figure_2_spam_informative, "LP", behind=_chunks(figure_2_spam_informative))


def figure_2_right_chunks(figure_2_mnist):
    """The same on images."""
    return _ahead(figure_2_mnist, "LP", behind=_chunks(figure_2_mnist))


def section_1_price(figure_2_spam_ones, figure_2_spam_informative, figure_2_mnist):
    """Error of the perceptron less that of the programme in chunks, mean of spam, both panels, and images."""
    # The folds of both panels are the same, of which one has more: a fold of spam that both have is one case.
    panels = [_price(figure_2_spam_ones), _price(figure_2_spam_informative)]
    of_spam = pd.concat(panels, axis=1, join="inner").mean(axis=1)
    data_sets = of_spam, _price(figure_2_mnist)
    return mean(pd.concat(data_sets), by=np.repeat([0, 1], [len(each) for each in data_sets]))


def section_1_price_on_images(figure_2_mnist):
    """The same on images."""
    return mean(_price(figure_2_mnist))


def section_1_price_on_spam(figure_2_spam_ones, figure_2_spam_informative):
    """The same on spam, mean of both panels."""
    panels = [_price(figure_2_spam_ones), _price(figure_2_spam_informative)]
    return mean(pd.concat(panels), by=np.repeat([0, 1], [len(each) for each in panels]))


def _price(panel):
    """By fold, error of the perceptron less that of the programme in chunks, mean over N > 0."""
    of_fold = _means(panel[panel.met == "harm"], by="fold", above=0)
    return of_fold.perceptron - of_fold[_chunks(panel)]


def section_2_4_programme(figure_2_spam_ones):
    """Error of the SVM less the programme's, where noise takes the place of what is deleted."""
    return _ahead(figure_2_spam_ones, "LP", "noise")


# Other methods


def _methods(methods, behind, ahead, deleted=True):
    """Error of one method less that of another, mean of all data sets, each of its splits."""
    rows = methods[(methods.deleted > 0) == deleted]
    of_split = rows.pivot_table(index=["data", "run"], columns="learner", values="error")
    return difference(of_split[behind], of_split[ahead], by=of_split.index.get_level_values("data"))


def methods_svm(methods):
    """Error of the SVM less the programme's, after deletions."""
    return _methods(methods, "SVM", "LP")


def methods_fdrop(methods):
    """The same of FDROP."""
    return _methods(methods, "FDROP", "LP")


def methods_adversarial_training(methods):
    """The same of adversarial training."""
    return _methods(methods, "adversarial training", "LP")


def methods_price(methods):
    """Error of the programme less the SVM's, before deletions."""
    return _methods(methods, "LP", "SVM", deleted=False)
