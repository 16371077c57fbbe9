"""Experiments of the notebook `kernel_mean`; sections, figures and statements are numbered as in the paper.

Makes:

``sections_3_and_4``
    The table of statements: equalities and inequalities on random finite distributions.
``counterexamples``
    The table of statements that fail as printed.
``section_4_3_orders``
    Which losses keep the order under noise: Definition 12, Theorems 14 to 16.
``section_5_sparse_means``
    Draws of Figure 2, the error against the size, Lemma 22, Section 5.4.
``section_5_best_partitions``
    Theorem 20, and what Section 5 says of the best partition.
``section_6_tradeoff``
    Robustness against sparsity, and Corollary 23.
``bound_failures``
    The table of bounds: Theorems 5, 6 and 21, Lemma 9, Algorithm 2.
``tight_bounds``
    The same bounds on coins and on pairs of points, where they bite.
``figure_3_and_table_1``
    Three points in the plane, as a distribution and from samples.
``real_data``
    The errors on real data under label noise.
``section_3_4_widths``
    There, the width of the kernel chosen from noisy labels.

Holds:

``theory_mean``, ``theory_noise``
    The statements of Sections 3 and 4 as functions that return both sides.
``samples``, ``populations``
    Synthetic samples, and distributions whose means are exact sums.
``risk_minimizers``
    What Table 1 compares: exact minimisers, and plain subgradient descent.
"""
