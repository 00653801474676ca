"""
Which correction finds what
===========================

Which weights are larger than expected by chance, and which correction for multiple testing finds
rare variants? The data are generated: three rare and three common variants affect the class, and
34 others do not.
"""

# %%
# Rare variants have frequencies of at most 10 %, common ones of at least 35 %, and the others from
# 5 % to 50 %. The effect per allele is larger for rare variants, but few people carry the allele.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import basrelief

NAMES = [f"rare{i}" for i in (1, 2, 3)] + [f"common{i}" for i in (1, 2, 3)]
NAMES += [f"none{i}" for i in range(1, 35)]
SETS = {"rare": slice(0, 3), "common": slice(3, 6), "no effect": slice(6, 40)}


def draw(seed, n=250):
    """Draw 40 variants, of which the first six affect the class."""
    rng = np.random.default_rng(seed)
    frequency = np.concatenate([[0.06, 0.08, 0.10, 0.35, 0.40, 0.45], rng.uniform(0.05, 0.5, 34)])
    X = rng.binomial(2, frequency, size=(n, 40))
    effect = (X[:, :6] - 2 * frequency[:6]) @ np.repeat([2.0, 1.0], 3)
    is_case = rng.uniform(size=n) < 1 / (1 + np.exp(-effect))
    return pd.DataFrame(X.astype(np.int8), columns=NAMES), np.where(is_case, "case", "control")


X, y = draw(0)
selector = basrelief.ReliefF(n_neighbors=20, genotype_features="all")

# %%
# Each permutation exchanges the classes of the people, and all weights are computed again. A
# p-value compares a feature with its own weights in the permutations. P-values alone are the
# tempting wrong answer: about 5 % of the features without an effect have p <= 0.05. Max-T compares
# every weight with the *largest* weight of each permutation. Studentized max-T first subtracts from
# every weight its mean over the permutations, and divides by the standard deviation. The false
# discovery rate (FDR) allows some false features in a list.


def findings(X, y):
    """Return which variants are significant under each correction."""
    options = {"n_permutations": 399, "random_state": 0}
    max_t = basrelief.permutation_test(selector, X, y, correction="max-t", **options)
    studentized = basrelief.permutation_test(selector, X, y, correction="studentized", **options)
    return {
        "p <= 0.05": max_t.pvalues_ <= 0.05,
        "max-T": max_t.selected_,
        "studentized max-T": studentized.selected_,
        "FDR": max_t.qvalues_ <= 0.05,
    }


found = findings(X, y)
for name, selected in found.items():
    print(f"{name:18} {', '.join(X.columns[selected])}")

# %%
# The test reports the null threshold, but not the weights of its permutations. To draw them,
# permute by hand. The bars show the largest weight of each permutation, and the symbols below them
# the observed weights: unchanged for max-T (top), and studentized (bottom).

rng = np.random.default_rng(0)
observed = selector.fit(X, y).weights_.copy()
null = np.array([selector.fit(X, rng.permutation(y)).weights_ for _ in range(149)])
center, spread = null.mean(axis=0), null.std(axis=0)
STYLES = {"rare": ("#D55E00", "D"), "common": ("#0072B2", "o"), "no effect": ("#666666", "|")}
figure, axes = plt.subplots(2, figsize=(7, 6), layout="constrained")
labels = ["weight", "studentized weight (standard deviations)"]
for ax, label, shift, scale in zip(axes, labels, (0, center), (1, spread), strict=True):
    largest = ((null - shift) / scale).max(axis=1)
    height = ax.hist(largest, bins=20, color="#bbbbbb", label="largest of a permutation")[0].max()
    line = {"color": "black", "linestyle": "--", "label": "null threshold (95 %)"}
    ax.axvline(np.quantile(largest, 0.95), **line)
    for row, (name, (color, marker)) in enumerate(STYLES.items(), start=1):
        values = ((observed - shift) / scale)[SETS[name]]
        place = np.full(len(values), -0.12 * row * height)
        ax.scatter(values, place, color=color, marker=marker, label=f"observed: {name}")
    ax.axhline(0, color="black", linewidth=0.8)
    ticks = range(0, int(height), 5)
    ax.set(xlabel=label, ylabel="permutations", ylim=(-0.48 * height, None), yticks=ticks)
axes[0].legend(loc="upper left", fontsize=9)
plt.show()
assert spread[SETS["common"]].min() > spread[SETS["rare"]].max()

# %%
# A symbol to the right of the dashed line is significant. The weights of a common variant vary more
# by chance than those of a rare variant, because more pairs of people differ in it. A rare variant
# has to exceed the largest weight of all, which is often that of a common variant. Studentized
# weights have one scale. The figure shows one data set: here are the findings in four.

total = pd.DataFrame(0, index=list(found), columns=list(SETS))
for seed in range(4):
    for name, selected in findings(*draw(seed)).items():
        total.loc[name] += [selected[columns].sum() for columns in SETS.values()]
print(total)
assert total.loc["studentized max-T", "rare"] > total.loc["max-T", "rare"]
assert total.loc["studentized max-T", "common"] < total.loc["max-T", "common"]
assert total.loc["FDR"].sum() > total.loc[["max-T", "studentized max-T"]].sum(axis=1).max()
assert total.loc["p <= 0.05", "no effect"] > total.loc["FDR", "no effect"] > 0

# %%
# Studentized max-T finds more rare variants than max-T, and fewer common ones. FDR finds the most
# variants of the three, and a few of them have no effect. P-values alone find still more of these.
#
# You may test on the rows of the ranking, because each permutation is treated alike. But the
# *weights* of the selected features are biased upwards (winner's curse): a feature is also selected
# because of chance. Compare the three best of 20 data sets with their weights in fresh rows.

weights = np.array([selector.fit(*draw(seed)).weights_ for seed in range(100, 140)])
best = np.argsort(-weights[:20], axis=1)[:, :3]
same, fresh = (np.take_along_axis(own, best, 1).mean() for own in (weights[:20], weights[20:]))
print(f"mean weight of the three best: {same:.3f}; in fresh rows: {fresh:.3f}")
assert fresh < same
