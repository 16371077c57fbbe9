"""The paper's numbered statements as plain functions, named after them.

A bound returns the number that bounds; an equality, or an inequality between two risks, returns both of its
sides, each computed on its own. Where the statement as printed fails, the function says so and how it holds.

=================  ========================================================================================
statement          function, or why there is none
=================  ========================================================================================
Lemma 3            `lemma_3`: both regrets; fails as printed where a score is zero
Lemma 4            `lemma_4`: both sides; that nothing in the ball does better is the tests' search
Theorem 5          `theorem_5`
Section 3.1        `section_3_1`: hinge and linear loss in the unit ball
Section 3.2        `section_3_2`: MMD and the length of the balanced mean
Section 3.3        `section_3_3`: kernel density rule and Equation (1); needs equal normalisers
Theorem 6          `theorem_6`; the choice itself is `select_kernel`
Theorem 7          `theorem_7`: both risks; Gamma is `noise.margin_for_error`
Corollary 8        `corollary_8`; an inequality, not the equality that is printed
Lemma 9            `lemma_9`
Lemma 10           `lemma_10`: both risks
Proposition 11     `proposition_11`: both Bayes classifiers
Definitions 12-13  `noise.order_violation` searches for what they exclude
Theorem 14         `theorem_14`: deviation of the corrected loss from an affine function of the loss
Theorem 15         `theorem_15`: range of ``l(1, v) + l(-1, v)``; its condition is too strong as printed
Theorem 16         `theorem_16`: the fit of ``lambda y v + g(y)``; fails for losses that ignore the
                   label. That no other convex loss is robust cannot be run: it is about all losses
Theorem 17         `theorem_17`: both sides
Theorem 18         `theorem_18`: both sides; `auc_under_contamination` beside it
Lemma 19           `lemma_19`; needs a loss that is not negative
Theorem 20         `theorem_20`
Theorem 21         `theorem_21`
Lemma 22           `lemma_22`
Section 5.5        `section_5_5_1`, `section_5_5_3`; the rates of herding (5.5.2) have no stated constants
Corollary 23       `corollary_23`; the sparse mean has to be divided by ``1 - 2 sigma``
=================  ========================================================================================
"""

from paperlib.kernel_mean.theory_mean import (
    Sides,
    lemma_3,
    lemma_4,
    section_3_1,
    section_3_2,
    section_3_3,
    theorem_5,
    theorem_6,
)
from paperlib.kernel_mean.theory_noise import (
    AffineFit,
    auc_under_contamination,
    corollary_8,
    lemma_9,
    lemma_10,
    lemma_19,
    proposition_11,
    theorem_7,
    theorem_14,
    theorem_15,
    theorem_16,
    theorem_17,
    theorem_18,
)
from paperlib.kernel_mean.theory_sparse import (
    corollary_23,
    lemma_22,
    section_5_5_1,
    section_5_5_3,
    theorem_20,
    theorem_21,
)

__all__ = [
    "AffineFit",
    "Sides",
    "auc_under_contamination",
    "corollary_8",
    "corollary_23",
    "lemma_3",
    "lemma_4",
    "lemma_9",
    "lemma_10",
    "lemma_19",
    "lemma_22",
    "proposition_11",
    "section_3_1",
    "section_3_2",
    "section_3_3",
    "section_5_5_1",
    "section_5_5_3",
    "theorem_5",
    "theorem_6",
    "theorem_7",
    "theorem_14",
    "theorem_15",
    "theorem_16",
    "theorem_17",
    "theorem_18",
    "theorem_20",
    "theorem_21",
]
