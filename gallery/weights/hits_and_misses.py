"""
How Relief works: hits and misses
=================================

Where does the weight of a feature come from? A picture of two features that separate two classes
only together (exclusive or), with the neighbors that Relief compares. The data are simulated.
"""

# %%
# A table that no single feature explains
# ---------------------------------------
# The class is 1 where exactly one of ``x1`` and ``x2`` is above one half. Each feature alone has
# almost the same distribution in both classes. The third feature is noise.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ks_2samp

from basrelief import KNeighborsClassifier, ReliefF

rng = np.random.default_rng(9)
X = rng.uniform(size=(160, 3))
y = ((X[:, 0] > 0.5) != (X[:, 1] > 0.5)).astype(int)
names = ["x1", "x2", "noise"]

alone = [ks_2samp(X[y == 0, column], X[y == 1, column]).pvalue for column in range(3)]
print("p-values of each feature alone:", np.round(alone, 2))
assert min(alone) > 0.05

# %%
# Find hits and misses
# --------------------
# The distance of two rows is the sum of their differences in all features. A difference is divided
# by the range of the feature. The *hits* of a query row are its nearest rows of the same class, its
# *misses* are the nearest rows of the other class. ``basrelief.KNeighborsClassifier`` searches
# both. The contribution of a row to a feature is its mean difference to the misses minus its mean
# difference to the hits.


def hits_and_misses(X, y, n_neighbors):
    """Find the hits and the misses of each row, and its contributions to the weights."""
    Z = X / np.ptp(X, axis=0)
    neighbors = np.empty((2, len(X), n_neighbors), dtype=int)
    for label in [0, 1]:
        same, other = np.flatnonzero(y == label), np.flatnonzero(y != label)
        search = KNeighborsClassifier(n_neighbors, metric="manhattan")
        # Without query rows, the rows of the fit are queried, and a row is not its own neighbor.
        hits = search.fit(Z[same], y[same]).kneighbors(return_distance=False)
        misses = search.fit(Z[other], y[other]).kneighbors(Z[same], return_distance=False)
        neighbors[:, same] = same[hits], other[misses]
    to_hits, to_misses = np.abs(Z[:, np.newaxis] - Z[neighbors]).mean(axis=2)
    return neighbors, to_misses - to_hits


# %%
# Two query rows
# --------------
# First with ``x1`` and ``x2`` only, so that the picture shows the whole distance. The nearest
# border of the classes is on the right of row A, and below row B.

pair = X[:, :2]
(hits, misses), contributions = hits_and_misses(pair, y, n_neighbors=3)
places = {"A": (0.28, 0.12), "B": (0.85, 0.72)}
queries = {name: np.abs(pair - place).sum(axis=1).argmin() for name, place in places.items()}

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#999999"
figure, (left, right) = plt.subplots(
    1, 2, figsize=(6.4, 3.9), layout="constrained", width_ratios=[3, 2]
)
for label, marker in enumerate("o^"):
    left.scatter(*pair[y == label].T, s=20, marker=marker, color=GRAY, label=f"class {label}")
for kind, found, style, color in [("hits", hits, "-", GREEN), ("misses", misses, ":", ORANGE)]:
    for query in queries.values():
        ends = [(pair[query], pair[neighbor]) for neighbor in found[query]]
        left.plot(*np.transpose(ends), style, color=color, linewidth=2.5)
    left.plot([], [], style, color=color, linewidth=2.5, label=kind)
for name, query in queries.items():
    left.plot(*pair[query], "o", color="black", markersize=8)
    left.annotate(name, pair[query], (7, 4), textcoords="offset points", weight="bold", fontsize=13)
left.set(xlabel="x1", ylabel="x2", aspect="equal")
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2, frameon=False)

groups = [contributions[query] for query in queries.values()] + [contributions.mean(axis=0)]
for column, color in [(0, BLUE), (1, "#56B4E9")]:
    heights = [group[column] for group in groups]
    right.bar(np.arange(3) + 0.4 * column - 0.2, heights, 0.38, color=color, label=names[column])
right.axhline(0, color="black", linewidth=0.8)
right.set_xticks(range(3), labels=["row A", "row B", "mean of\nall rows"])
right.set_ylabel("difference to misses\nminus difference to hits")
right.legend(frameon=False, loc="upper right", bbox_to_anchor=(1.04, 1))
plt.show()

# %%
# The misses of row A are beyond the border on its right, so that they differ from A mainly in
# ``x1``. Its hits are near in both features. Row A therefore contributes to ``x1``, and row B to
# ``x2``. Rows of both kinds exist, so that the mean over all rows is positive for both features. A
# method that examines one feature at a time cannot see this: a hit and a miss are chosen by all
# features.

a, b = (contributions[query] for query in queries.values())
assert a[0] > 0.1 > a[1]
assert b[1] > 0.1 > b[0]
assert (contributions.mean(axis=0) > 0.05).all()

# %%
# The mean contribution is the weight
# -----------------------------------
# With all three features, the mean over the rows equals the weights of ``basrelief.ReliefF``.

_, contributions = hits_and_misses(X, y, n_neighbors=5)
weights = ReliefF(n_neighbors=5).fit(X, y).weights_
print("weights:", dict(zip(names, weights.round(4).tolist(), strict=True)))
assert np.abs(contributions.mean(axis=0) - weights).max() < 1e-12
assert (contributions[:, :2] < 0).any()
assert min(weights[:2]) > 5 * abs(weights[2])

figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
jitter = rng.uniform(-0.3, 0.3, size=len(X))
for column in range(3):
    axes.scatter(contributions[:, column], column + jitter, s=9, color=GRAY)
    axes.plot(weights[column], column, "D", color=BLUE, markersize=9)
axes.plot([], [], "D", color=BLUE, label="weight: the mean of the rows")
axes.axvline(0, color="black", linewidth=0.8)
axes.set_yticks(range(3), labels=names)
axes.invert_yaxis()
axes.set_xlabel("contribution of a row (in ranges of the feature)")
axes.legend(loc="lower right")
plt.show()

# %%
# Each gray point is a row. Some rows have negative contributions to relevant features: a weight is
# a mean, not a rule for each row. The figure does not show whether a weight is larger than expected
# by chance; ``basrelief.permutation_test`` answers that.
