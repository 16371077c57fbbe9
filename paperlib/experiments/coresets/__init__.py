"""Experiments of the notebook of coresets.

`figure_1`
    The algorithm at work in the plane, step by step.
`section_3_sizes`, `lemma_3_1_time`
    Sizes of coresets, what each step takes and what a search does: Equation (1), Lemma 3.1, Corollary 3.2.
`section_3_1_relatives`
    The table of online learners beside a coreset; `baselines` has them, `online_updates` their kernels.
`working_sets`
    Coresets of enclosing balls, and the means of SVM-Perf, beside a coreset.
`section_4_labels`
    Errors against labels, and the failure rates of Lemmas 4.1 and 4.2.
`version_space`
    What a label leaves of all hyperplanes that agree with those before (Section 4.3).
`figure_3`
    The circle with a needle, the adversary, and learners that stop before they have the last label.
`section_5_outliers`
    Outliers against the true optimum (Lemma 5.2), which `mixed_integer` finds, planted ones, and Figure 4
    where nothing separates.
`section_6_outputs`
    Digits of all classes, and sequences of them.
`samples`, `data_sets`, `measures`, `theory`
    Point sets, those that several steps run on, measures of several sections, and bounds with nothing rounded
    up.
`claims`
    What each row of the ledger measures, from the published tables.
"""
