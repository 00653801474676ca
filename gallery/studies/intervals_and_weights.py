"""
Intervals of weights, and prevalences as priors
===============================================

How exactly is a weight estimated, and which markers matter in a population in which the disease is
rare? The data are a generated case-control study. Half of its people are cases, but only one in 50
people of the population has the disease.
"""

# %%
# Four markers differ between cases and controls. ``shift`` is higher in all cases, and ``subtype``
# in 40 % of them. ``wide_cases`` and ``wide_controls`` vary more in one of the classes. Four others
# have no effect.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import basrelief

NAMES = ["shift", "subtype", "wide_cases", "wide_controls", "none1", "none2", "none3", "none4"]
PRIORS = {"case": 0.02, "control": 0.98}


def study(seed, n=600):
    """Draw a case-control study with equally many cases and controls."""
    rng = np.random.default_rng(seed)
    is_case = np.arange(n) % 2 == 0
    X = rng.normal(size=(n, len(NAMES)))
    X[is_case, 0] += 1
    X[is_case & (rng.uniform(size=n) < 0.4), 1] += 2.5
    X[is_case, 2] *= 2.5
    X[~is_case, 3] *= 2.5
    return pd.DataFrame(X, columns=NAMES), np.where(is_case, "case", "control")


X, y = study(0)
selector = basrelief.ReliefF(n_neighbors=10)

# %%
# ``intervals=True`` computes 95 % intervals by the infinitesimal jackknife. An interval covers the
# expected weight: the mean weight of many studies of this size. It holds for a marker that was
# chosen before the ranking. Weights of studies of different sizes are not comparable.

selector.fit(X, y, intervals=True)
weights, limits = selector.weights_.copy(), selector.weight_intervals_.copy()
table = pd.DataFrame({"weight": weights, "lower": limits[:, 0], "upper": limits[:, 1]}, NAMES)
print(table.round(4))

# %%
# Without priors, cases and controls count equally, as in the study. With ``priors=``, a weight is
# the mean over people with the proportions of the population, most of whom are controls. Intervals
# are not available with priors. A delete-a-group jackknife is a simple substitute: exclude one of
# 20 parts of the study at a time. Its standard errors are too large on average, so that its
# intervals are too wide. The expected weights are estimated by 30 other studies.

with_priors = selector.fit(X, y, priors=PRIORS).weights_.copy()
remaining = [np.arange(len(y)) // 2 % 20 != part for part in range(20)]
partial = [selector.fit(X[rows], y[rows], priors=PRIORS).weights_ for rows in remaining]
errors = np.std(partial, axis=0) * np.sqrt(20 - 1)

others = [study(seed) for seed in range(1, 31)]
expected = np.mean([selector.fit(*other).weights_ for other in others], axis=0)
repeated = np.array([selector.fit(*other, priors=PRIORS).weights_ for other in others])
assert ((limits[:, 0] < expected) & (expected < limits[:, 1])).all()
assert np.mean(errors / repeated.std(axis=0)) > 1

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
rows = np.arange(len(NAMES))
series = [
    ("proportions of the study", "#0072B2", "o", weights, limits[:, 1] - weights, expected),
    ("prevalences as priors", "#D55E00", "D", with_priors, 1.96 * errors, repeated.mean(axis=0)),
]
for shift, (label, color, marker, values, sizes, means) in zip((-0.15, 0.15), series, strict=True):
    style = {"fmt": marker, "color": color, "capsize": 3, "label": label}
    ax.errorbar(values, rows + shift, xerr=sizes, **style)
    ax.plot(means, rows + shift, "kx", label="mean of 30 other studies" if shift > 0 else None)
ax.axvline(0, color="#999999", linewidth=0.8)
ax.set_yticks(rows, NAMES)
ax.invert_yaxis()
ax.set_xlabel("weight (ReliefF), with 95 % intervals")
ax.legend(loc="lower right")
plt.show()

# %%
# A whisker that excludes its cross is a miss, as one of 20 intervals of 95 % is expected to be. The
# order of the markers depends on the question. ``subtype`` separates some of the cases, of which
# the population has few, and its weight is much smaller with priors. Markers without an effect have
# positive weights on average with priors, because the cases next to a control are farther away than
# the controls next to it. In a permutation no marker has an effect, and this difference is absent.
# Therefore test with the proportions of the study, and describe with priors:

few = {"n_permutations": 99, "random_state": 0}
false = pd.Series(0, ["proportions of the study", "prevalences as priors"])
for X_other, y_other in others[:10]:
    for name, priors in zip(false.index, ["data", PRIORS], strict=True):
        test = basrelief.permutation_test(selector, X_other, y_other, priors=priors, **few)
        false[name] += (test.pvalues_[4:] <= 0.05).sum()
print(f"p <= 0.05 of {4 * 10} markers without an effect:\n{false.to_string()}")
assert with_priors[1] < weights[1]
assert repeated.mean(axis=0)[4:].min() > 0
assert false.iloc[1] > false.iloc[0]

# %%
# Row weights are another wrong answer: 0.04 for each case and 1.96 for each control. A row of
# weight w takes w of the k places among the neighbors, so that ten places take the 250 nearest of
# the 300 cases, and every marker seems to matter. Use ``sample_weight=`` where the sampling depends
# on other properties, such as the region. A test refuses row weights that are those of the classes:

row_weights = np.where(y == "case", 0.04, 1.96)
wrong = selector.fit(X, y, sample_weight=row_weights).weights_
print(pd.Series(wrong, NAMES).round(3).to_string())
assert wrong[4:].min() > weights[4:].max()
try:
    basrelief.permutation_test(selector, X, y, sample_weight=row_weights, **few)
except ValueError as error:
    print(error)
