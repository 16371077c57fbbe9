"""What the rows of Sections 1 to 3 measure, from the published tables: a function a row, named by its id.

An argument is the table of that name, as it is read from its CSV file. `claims_section_4` has the experiments
of Section 4.
"""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import Measured, count, difference, exponent, largest, mean, share

SMALL_PROGRAMMES = 1e-6  # what two solvers of Theorem 1 may differ by
MANY = 100  # features from which on Section 2.4's rate is looked at: the statement is about many

# Section 1


def section_1_size(equation_4_size):
    """Largest exponent with which variables, constraints or entries grow as m or n doubles."""
    found = []
    for grown, rows in equation_4_size.groupby("grows"):
        for counted in ("variables", "constraints", "entries"):
            for k in range(len(rows) - 1):
                pair = rows.iloc[k : k + 2]
                found.append(exponent(pair[grown], pair[counted]).value)
    return largest(found)


def section_1_efficiency(passes):
    """Programmes that were solved with fewer than ten times the perceptron's multiplications."""
    return count(~passes.ten)


def section_1_dense_lp(density):
    """How many times as many features the programme's weights are spread over as the SVM's, a logarithm."""
    return _denser(density, "LP", "SVM")


def section_1_dense_perceptron(density):
    """The same of the perceptron."""
    return _denser(density, "perceptron", "SVM")


def section_1_dense_cube(density):
    """The same of the programme and of itself with a cube a hundred times as large."""
    return _denser(density, "LP", "LP, no cube")


def section_1_dense_perceptron_cube(density):
    """The same of the perceptron and of itself with a cube a hundred times as large."""
    return _denser(density, "perceptron", "perceptron, no cube")


def section_1_sparse(density):
    """Error after deletions of the L1 SVM less that of the L2 SVM, mean of both data sets."""
    after = _by_learner(density, "after")
    return difference(after["L1 SVM"], after["SVM"], by=after.index.get_level_values("data"))


def _denser(density, learner, other):
    # A logarithm, as one data set has fourteen times the features of the other and would decide alone.
    features = np.log(_by_learner(density, "features"))
    return difference(features[learner], features[other], by=features.index.get_level_values("data"))


def _by_learner(density, column):
    return density.pivot_table(index=["data", "run"], columns="learner", values=column)


# Section 2.1 to 2.3


def section_2_1_slack(equation_4_slacks):
    """Largest share of gamma in the slack of an example that some deletion turns."""
    turned = equation_4_slacks[equation_4_slacks.mistake]
    return largest((turned.margin / turned.slack.clip(lower=1e-9)).round(6))


def lemma_1_a(lemma_1):
    """Largest excess of the relaxed value over the least of all sets."""
    return largest(lemma_1.relaxed - lemma_1.least, resolution=1e-9)


def lemma_1_b(lemma_1):
    """Largest distance of the two where values are 0 or 1 and N is an integer."""
    whole = lemma_1[lemma_1.whole]
    return largest((whole.relaxed - whole.least).abs(), resolution=1e-9)


def lemma_1_c(lemma_1):
    """Cases where what is computed is no minimiser, or has more than one entry strictly between 0 and 1."""
    minimal = lemma_1.feasible & ((lemma_1.value - lemma_1.programme).abs() < 1e-7)
    return count(~minimal | (lemma_1.between > 1))


def theorem_1_feasible(equation_4_slacks):
    """Largest violation of a constraint of Equation (3)."""
    return largest(equation_4_slacks.violated.clip(lower=0.0), resolution=1e-9)


def theorem_1_exact(theorem_1):
    """Largest difference of the two optima for values of 0 and 1, whatever N."""
    binary = theorem_1[theorem_1.kind.isin(["0 or 1, N whole", "0 or 1, any N"])]
    return largest(binary.difference.abs(), resolution=1e-8)


def theorem_1_exact_corrected(theorem_1):
    """The same for an integer N."""
    whole = theorem_1[theorem_1.kind == "0 or 1, N whole"]
    return largest(whole.difference.abs(), resolution=1e-8)


def theorem_1_difference(theorem_1):
    """Largest share of the bound that the two optima differ by, values not all 0 or 1."""
    others = theorem_1[theorem_1.kind.isin(["any", "tight"])]
    return largest((others.difference / others.allowed.clip(lower=SMALL_PROGRAMMES)).round(6))


def theorem_2(theorem_2):
    """Largest share of what the bound adds to the loss in training that the risk comes to."""
    added = theorem_2.bound - theorem_2.loss
    return largest((theorem_2.risk - theorem_2.loss) / added)


def theorem_2_weaker(theorem_2):
    """Runs where the weaker form is below the bound."""
    return count(theorem_2.bound > theorem_2.weaker + 1e-9)


# Section 2.4


def theorem_3(theorem_3):
    """Largest rate of mistakes, less the loss and eps, with the printed constant."""
    return _beyond_eps(theorem_3[theorem_3.constant == "printed"])


def theorem_3_corrected(theorem_3):
    """The same with the corrected one."""
    return _beyond_eps(theorem_3[theorem_3.constant == "corrected"])


def _beyond_eps(coins):
    worst = coins.loc[(coins.turned / coins.draws - coins.loss).idxmax()]
    rate = share(np.arange(worst.draws) < worst.turned)._replace(dof=None)
    return rate - float(worst.loss) - float(worst.eps)


def section_2_4_limit(corruption_limit):
    """Share of predictions that differ with the fewest features less that with the most."""
    shares = _changed(corruption_limit)
    return difference(shares[shares.columns.min()], shares[shares.columns.max()])


def section_2_4_rate(corruption_limit):
    """Exponent in n of that share, from 100 features on, mean over parts of the perceptrons."""
    shares = _changed(corruption_limit)
    # Fives, so that no share is so small that its logarithm is mostly chance.
    parts = shares.groupby(np.arange(len(shares)) // 5).mean()
    many = [n for n in parts.columns if n >= MANY]
    many = many if len(many) > 1 else list(parts.columns)
    if not (parts[many] > 0).all(axis=None):
        return Measured(0.0, cases=len(corruption_limit))  # where nothing changes nothing falls either
    powers = [exponent(many, part[many]).value for _, part in parts.iterrows()]
    return mean(powers)._replace(cases=len(corruption_limit))


def _changed(corruption_limit):
    return corruption_limit.pivot_table(index="perceptron", columns="n", values="changed")


# Section 3


def section_3_1_tau(steps):
    """Largest relative distance of the perceptron's step from the best, and of its bound from Theorem 4's."""
    return largest(
        pd.concat([(steps.tau / steps.best - 1).abs(), (steps.bound / steps.allowed - 1).abs()]),
        resolution=1e-6,
    )


def theorem_4(theorem_4):
    """Largest excess of the online loss over that of a fixed hypothesis, as a share of what is allowed."""
    return largest((theorem_4.online - theorem_4.fixed) / theorem_4.allowed)


def corollary_1(corollary_1):
    """Largest excess of the average hypothesis, as a share of what is allowed."""
    return largest(corollary_1.excess / corollary_1.allowed)


def corollary_1_risk(corollary_1):
    """Largest risk over the expected hinge loss, gamma = 1."""
    return largest(corollary_1.risk / corollary_1.loss)
