"""The experiments of the notebook on deleted features.

- `section_2_4_corruption`: Theorem 3, and how corruption approaches deletion.
- `section_4_sanity`: the sanity check of Section 4.
- `figures_1_and_2`: the errors of Figures 1 and 2, from `deletion_curves` and `tuning`.
- `equation_4_in_full`: how large Equation (4) is, and what its solutions stand for.
- `lemma_1_and_theorem_1`: how far Equation (4) is from Equation (3); `theory_lemma_1` is the lemma itself.
- `theorems_2_and_4`: Theorems 2 and 4 and Corollary 1, by the `losses` of Equation (4).
- `samples`: the samples of the sanity check and of the theorems.
- `baselines`: FDROP, solved by `block_frank_wolfe`, and the SVM that the paper compares with.
"""
