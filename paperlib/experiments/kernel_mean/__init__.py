"""Experiments of the notebook `kernel_mean`; sections, figures and statements are numbered as in the paper.

Makes:

``statements``
    The statements of Sections 2 to 5 that hold on random finite distributions: the checks are in
    `sections_3_and_4` and `statements_of_losses`.
``counterexamples``
    The table of statements that fail as printed.
``section_3_4_widths``
    The width of the kernel chosen from noisy labels, on real data.
``section_4_3_losses``
    Which losses keep the order under noise (Definition 12, Theorems 14 to 16), by `section_4_3_orders`.
``section_5_sparse_means``
    The error against the size, what it costs, Lemma 22, Section 5.4.
``section_5_5_2_herding``
    Rates of herding and Frank-Wolfe, and the distance d that they hang on.
``section_5_best_partitions``, ``section_5_best_points``
    What Section 5 says of the best partition, and better points than the paper's.
``section_6_tradeoff``
    What a sample, noise and sparsity spend of the margin.
``section_6_bounds``
    Every bound that may fail with a probability, by `bound_failures` and `tight_bounds`.
``section_7_1_checkerboard``
    Figures 1 and 2.
``figure_3_and_table_1``, ``table_1_explained``
    Three points in the plane, as a distribution and from samples; other solvers, other samples.
``real_data``
    The errors on real data under label noise.
``claims``, ``claims_sections_5_and_6``, ``claims_section_7``
    What each row of the ledger measures.

Holds:

``theory_mean``, ``theory_noise``
    The statements of Sections 3 and 4 as functions that return both sides.
``samples``, ``populations``, ``expansions``
    Synthetic samples, distributions whose means are exact sums, and the expansions of Section 5.
``risk_minimizers``, ``solvers_as_they_come``
    What Table 1 compares.
``method_styles``
    One colour a method.
"""
