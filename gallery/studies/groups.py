"""
Several visits of each patient
==============================

What happens to a significance test if every patient has several rows in the table? Simulated
visits, with and without an effect, show how many false findings occur if the visits count as
independent rows, and how to avoid them.
"""

# %%
# Simulate visits
# ---------------
# Each of 40 patients has four visits, at which eight quantities are measured. The visits of a
# patient resemble each other: the standard deviation is 1 between patients, and 0.5 between the
# visits of a patient. Half of the patients are cases. With ``effect``, the mean of the first
# quantity is higher in cases.

import matplotlib.pyplot as plt
import numpy as np

from basrelief import MultiSURF

PATIENTS, VISITS, FEATURES, STUDIES = 40, 4, 8, 40


def simulate(rng, effect):
    """Return features, classes and patients of the visits of one study."""
    patient = np.repeat(np.arange(PATIENTS), VISITS)
    y = rng.permutation(np.arange(PATIENTS) % 2)[patient]
    levels = rng.normal(size=(PATIENTS, FEATURES))
    X = levels[patient] + rng.normal(scale=0.5, size=(len(y), FEATURES))
    X[:, 0] += effect * y
    return X, y, patient


# %%
# Three analyses
# --------------
# - *Rows*: the visits count as independent rows. A visit is then compared with other visits of the
#   same patient, and the permutations separate the visits of a patient, which the study never does.
# - *Groups*: with ``groups=patient``, visits of a patient are never neighbors, and permutations
#   exchange whole patients.
# - *Means*: one row per patient, the mean of the visits. The rows are independent.
#
# A selector with ``n_features_to_select="max-t"`` tests its weights when it is fitted.


def analyze(effect, seed):
    """Return the p-values and significant features of all studies, by the name of the analysis."""
    rng = np.random.default_rng(seed)
    selector = MultiSURF(n_features_to_select="max-t", n_permutations=99, random_state=0)
    results = {"rows": [], "groups": [], "means": []}
    for _ in range(STUDIES):
        X, y, patient = simulate(rng, effect)
        means = X.reshape(PATIENTS, VISITS, FEATURES).mean(axis=1)
        designs = [(X, y, None), (X, y, patient), (means, y[::VISITS], None)]
        for result, (features, classes, groups) in zip(results.values(), designs, strict=True):
            selector.fit(features, classes, groups=groups)
            result.append([selector.pvalues_, selector.adjusted_pvalues_ <= 0.05])
    return {name: np.array(result) for name, result in results.items()}


# %%
# Without an effect
# -----------------
# If no feature has an effect, p-values are uniform: one of twenty is at most 0.05. At most 5 % of
# the studies should have a significant feature by max-T.

null = analyze(effect=0, seed=1)
for name, result in null.items():
    small, found = result[:, 0] <= 0.05, result[:, 1].any(axis=1)
    print(f"{name:>6}: {100 * small.mean():2.0f} % of p-values at most 0.05", end=", ")
    print(f"a false finding in {found.sum()} of {STUDIES} studies")
assert null["rows"][:, 1].any(axis=1).mean() > 0.9
for name in ["groups", "means"]:
    assert null[name][:, 1].any(axis=1).sum() <= 6
    assert (null[name][:, 0] <= 0.05).mean() < 0.1

figure, axes = plt.subplots(1, 3, figsize=(6.4, 2.8), layout="constrained", sharey=True)
colors = ["#D55E00", "#0072B2", "#0072B2"]
titles = {"rows": "rows (not valid)", "groups": "groups", "means": "means"}
for ax, (name, result), color in zip(axes, null.items(), colors, strict=True):
    pvalues = result[:, 0].ravel()
    share = np.full(len(pvalues), 100 / len(pvalues))
    ax.hist(pvalues, bins=np.linspace(0.005, 1.005, 21), weights=share, color=color)
    ax.axhline(5, color="black", linestyle="--", linewidth=1)
    ax.set(title=titles[name], xlabel="p-value", xlim=(0, 1.01))
axes[0].set_ylabel("share of p-values (%)")
axes[1].text(0.98, 9, "expected: uniform", ha="right")
plt.show()

# %%
# The bars have a width of 0.05, so that each should have the height of the dashed line. With rows,
# about half of the p-values are in the first bar. The histograms of groups and means are flat,
# except for random variation. Visits add rows to a study, but no independent patients.

# %%
# With an effect
# --------------
# Now the first feature is relevant. Groups and means find it in many studies, and hardly ever
# report another feature. With rows it is found more often, but its significance has no meaning,
# because other features are significant, too.

alternative = analyze(effect=1.2, seed=2)
counts = {}
for name, result in alternative.items():
    found = result[:, 1].astype(bool)
    counts[name] = found[:, 0].sum(), found[:, 1:].any(axis=1).sum()
    print(f"{name:>6}: the relevant feature in {counts[name][0]}", end=", ")
    print(f"another feature in {counts[name][1]} of {STUDIES} studies")
assert counts["rows"][1] > STUDIES / 2
for name in ["groups", "means"]:
    assert STUDIES / 3 < counts[name][0] < counts["rows"][0]
    assert counts[name][1] < STUDIES / 10

# %%
# Here every patient is either a case or a control. If the class varies within patients, for example
# before and after a treatment, ``groups`` permutes the rows of each patient instead. Means would
# lose this comparison. Cross-validation needs groups, too: with ``GroupKFold``, visits of one
# patient are never in the training rows and in the test rows at the same time.
