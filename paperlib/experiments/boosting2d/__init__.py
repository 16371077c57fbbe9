"""The experiments of the notebook `boosting2d`.

- `samples`: the pictures' points, counterexamples, random points
- `section_1_errors`: the figure "growth", and the bias of the leave-one-out error
- `figure_1`: mirrored-radial coordinates
- `statements`: the table of the statements that `sections_1_and_2` and `section_3` check, by the definitions
  in `line_classes`, the exponential search in `subsets` and the geometry of both in `exact`
- `work`: the figure "work", and seconds
- `divided_samples`: samples that a search must divide, and objects that overlap
- `interval_tree`: the paper's own algorithm for leave-one-out
- `smaller_class`: a shorter one, of `windows` and `smaller_class_votes` with their `range_hulls`
- `section_3_error`: the table "counters", and leave-one-out against training anew
- `real_pairs`: the figure "real-pairs", with the rivals in `baselines`
- `section_4`: optimal planes, and the table "heuristics"
"""
