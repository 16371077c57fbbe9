"""The experiments of the notebook on deleted features.

- `density`: over how many features weights are spread, and what that is worth (Section 1)
- `equation_4_in_full`: how large Equation (4) is, what its solutions stand for, and what it takes
- `lemma_1_and_theorem_1`: how far Equation (4) is from Equation (3); `theory_lemma_1` is the lemma itself
- `section_2_4_corruption`: Theorem 3, and how corruption approaches deletion
- `theorems_2_and_4`: Theorems 2 and 4 and Corollary 1, by the `losses` of Equation (4)
- `section_4_sanity`: the sanity check of Section 4
- `figure_1`, `figure_2`: random deletion and the greedy adversary, by `deletion_curves` and `tuning`
- `attacked_digits`: classifiers of images, and what the worst deletions make of them
- `methods_compared`: what else one would try, with `adversarial_training`
- `data_sets`, `samples`: real data by name, and what is drawn
- `pictures`: one look for each learner in all figures
- `baselines`: FDROP, solved by `block_frank_wolfe`, and the SVM that the paper compares with
- `claims`, `claims_section_4`: what each row of the ledger measures, from the published tables
"""
