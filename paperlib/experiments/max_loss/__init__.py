"""Experiments of the notebook of `max_loss`, and the statements that only its claims need.

- `section_1_hard_svm`: the hard SVM as the minimiser of a largest loss
- `section_2_3_focus`: where the weight goes, the sign of the update, "Try it"
- `section_2_3_tree`, `section_2_3_time`: draws, costs and rounding of the sum tree and of the printed one
- `theorem_1`: Theorem 1, Corollaries 1 and 2, Example 1, Lemmas 4 and 5
- `section_2_4_players`: FOL against the others (Example 2)
- `section_3_1_gap`: rounds to a consistent hypothesis (Lemmas 1 to 3)
- `section_3_2_rare`: typical and rare examples (Theorem 2)
- `section_4_outliers`: sub-samples (Theorem 3) and slack
- `section_5_races`: Experiments 1 and 2 (Figures 2 and 3), of which `section_5_networks` has one race, and
  `section_5_curves` what its curves say
- `section_5_crops`: the same races on real `crops`; `papers_size`: at the paper's own size, on a GPU
- `section_5_gap`: the same learning rule where it is known which examples are rare
- `images`: the images of Section 5, and sheets of images (Figure 1)
- `gradient_learner`, `network`, `hidden_layer`, `hidden_layer_learner`: networks as the w player
- `samples`, `theory_lemmas`: data and formulas of several sections
- `method_colours`: one look for each method in all figures
- `claims`: what each row of the ledger measures, from the published tables
- `baselines`, `exponential_weights`: players to compare with, and their kernels
- `watched_rounds`: kernels that look at every iterate of FOL
"""
