"""
The number of neighbors: main effects against interactions
==========================================================

How many neighbors should ReliefF use? One simulated table with two main effects, an interaction of
two features and 36 features without an effect shows what the choice changes, and what
``basrelief.MultiSURF`` does instead.
"""

# %%
# The table
# ---------
# ``main1`` and ``main2`` shift the log odds of the class. ``pair1`` and ``pair2`` determine it by
# the sign of their product, so that neither has an effect alone.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from basrelief import MultiSURF, ReliefF, permutation_test

rng = np.random.default_rng(1)
relevant = ["main1", "main2", "pair1", "pair2"]
X = pd.DataFrame(rng.normal(size=(600, 40)), columns=relevant + [f"other{i}" for i in range(1, 37)])
signal = 0.8 * X["main1"] + 0.8 * X["main2"] + 1.5 * np.sign(X["pair1"] * X["pair2"])
y = np.where(signal + 0.6 * rng.logistic(size=600) > 0, "case", "control")

# %%
# Many numbers of neighbors, one search
# -------------------------------------
# A tuple of numbers computes the weights for each of them from one search of neighbors. They equal
# those of separate fits. The largest number is nearly the size of a class.

counts = (1, 2, 3, 5, 10, 20, 50, 100, 150, 200, 250)
profile = ReliefF(n_neighbors=counts).fit(X, y).weights_by_neighbors_
weights = pd.DataFrame(profile, index=X.columns)
ranks = weights.rank(ascending=False).loc[relevant].astype(int)
print("ranks of the relevant features, by the number of neighbors:")
print(ranks.to_string())

separate = ReliefF(n_neighbors=10).fit(X, y).weights_
assert np.abs(profile[10] - separate).max() < 1e-12

# %%
# What MultiSURF does instead
# ---------------------------
# MultiSURF has no number of neighbors. Each row has a radius, its mean distance to the other rows
# minus half of the standard deviation, and all rows within the radius are neighbors. We count them;
# about one half are of each class.

multisurf = pd.Series(MultiSURF().fit(X, y).weights_, index=X.columns)
scaled = X / np.ptp(X.to_numpy(), axis=0)
distances = cdist(scaled, scaled, metric="cityblock")
others = distances[~np.eye(len(X), dtype=bool)].reshape(len(X), -1)
radius = others.mean(axis=1) - others.std(axis=1) / 2
near = (others < radius[:, np.newaxis]).sum(axis=1) / 2
print(f"MultiSURF's neighbors per class: {near.min():.0f} to {near.max():.0f}")

# %%
# The figure shows all weights against the number of neighbors.

colors = {"main1": "#0072B2", "main2": "#56B4E9", "pair1": "#D55E00", "pair2": "#E69F00"}
noise = weights.drop(index=relevant)
figure, axes = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
axes.fill_between(counts, noise.min(), noise.max(), color="#CCCCCC", label="36 other features")
for name, color in colors.items():
    style = "-" if name.startswith("main") else "--"
    axes.plot(counts, weights.loc[name], style, color=color, marker="o", markersize=4, label=name)
    axes.plot(np.median(near), multisurf[name], "D", color=color, markeredgecolor="k", markersize=8)
axes.plot([], [], "D", color="white", markeredgecolor="k", label="MultiSURF")
axes.axhline(0, color="black", linewidth=0.8)
axes.set(xscale="log", xlabel="number of neighbors per class", ylabel="weight")
axes.set_xticks([1, 2, 5, 10, 20, 50, 100, 250], labels=[1, 2, 5, 10, 20, 50, 100, 250])
axes.minorticks_off()
axes.legend(ncols=2)
plt.show()

# %%
# * One neighbor is too few: weights vary widely by chance (gray band), and those of the main
#   effects are inside the band.
# * Main effects (solid lines) do not need near neighbors. Their weights remain large up to the
#   largest number.
# * An interaction (dashed lines) is visible among near rows only. Its weights decrease with the
#   number of neighbors, and at the right end they are hardly larger than those of other features.
# * The weights of MultiSURF (diamonds, at the median number of its neighbors) are near those of
#   ReliefF with as many neighbors. Both ends are avoided without a choice, but the interaction has
#   a smaller weight than with ten neighbors.
#
# So a ranking with very many neighbors is a ranking of main effects, and the slope of a line shows
# how a feature matters. The best number depends on the numbers of rows and features and on the
# effects: it is not a constant to copy from this page.

main, pair = weights.loc[["main1", "main2"]], weights.loc[["pair1", "pair2"]]
assert noise[1].max() > main[1].max()
assert (main[250] > 0.5 * main[10]).all()
assert (pair[250] < 0.2 * pair[10]).all()
assert (multisurf[pair.index] < pair[10]).all()
assert set(multisurf.nlargest(4).index) == set(relevant)

# %%
# Do not choose the number by the largest weight
# ----------------------------------------------
# To try several numbers and to report the largest weight is a selection. With a tuple, ``weights_``
# is the largest weight of each feature, and a permutation test takes the largest in each
# permutation, too. Its p-values are therefore valid.

search = ReliefF(n_neighbors=(10, 30))
test = permutation_test(search, X, y, n_permutations=99, random_state=0)
print("significant:", ", ".join(X.columns[test.selected_]))
assert set(X.columns[test.selected_]) == set(relevant)
