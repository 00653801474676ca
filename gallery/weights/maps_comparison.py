"""
All maps on six kinds of data
=============================

Which maps help the nearest neighbors of a row to have the same class? Every map of the package
learns new coordinates of six small tables, two bundled with scikit-learn and four simulated ones.
k-nearest neighbors are then tested on rows that the map has not seen.
"""

# %%
# Six small tables
# ----------------
# The simulated tables have known difficulties: directions that are not features, clusters, rings,
# and a factor that is common to all features but unrelated to the class.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_wine, make_circles
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import basrelief

ROWS = 160
rng = np.random.default_rng(0)
digits = load_digits()
rows = np.flatnonzero(np.isin(digits.target, [3, 5, 8]))[:ROWS]
pixels = digits.images[rows].reshape(ROWS, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(ROWS, 16)
tables = {"wine": load_wine(return_X_y=True), "digits 3, 5, 8": (pixels, digits.target[rows])}
# Random rotations, so that no feature is relevant by itself.
turns = [np.linalg.qr(rng.normal(size=(count, count)))[0] for count in (15, 10)]
Z = rng.normal(size=(ROWS, 15))
tables["one direction"] = Z @ turns[0], Z[:, 0] + 0.3 * rng.normal(size=ROWS) > 0
cluster = rng.integers(0, 4, size=ROWS)
apart = rng.normal(size=(ROWS, 10)) + np.outer(4 * cluster, np.arange(10) == 0)
tables["four clusters"] = apart @ turns[1], cluster % 2
rings, ring = make_circles(ROWS, noise=0.1, factor=0.4, random_state=0)
tables["two rings"] = np.hstack([rings, rng.normal(size=(ROWS, 4))]), ring
Z = rng.normal(size=(ROWS, 10))
tables["common factor"] = 0.6 * Z + 2 * rng.normal(size=(ROWS, 1)), Z[:, :3].sum(axis=1) > 0

# %%
# The maps come from the registry
# -------------------------------
# ``basrelief.map_methods()`` lists the maps. ``MLKR`` needs a numeric target and is left out.
# ``basrelief.Kernelized`` puts any method into a kernel space. Options have their defaults, except
# the scale of the features, and the number of directions of ``SCML``, which is smaller to save
# time.

names = [entry["class_name"] for entry in basrelief.map_methods() if entry["task"] != "regression"]
options = {"scale": "standard", "random_state": 0}
maps = {name: getattr(basrelief, name)(**options) for name in names if name.isidentifier()}
maps["SCML"].set_params(n_directions=20)
for name in ["PCA", "LFE", "LDA"]:
    maps[f"Kernelized({name})"] = basrelief.Kernelized(getattr(basrelief, name)(**options))
maps["Kernelized(LDA)"].set_params(estimator__ridge=1e-3)

# %%
# Test each map on rows that it has not seen
# ------------------------------------------
# Each half of the rows tests the map, and the five nearest neighbors, of the other half.
# ``Euclidean`` only scales the features: it is plain k-NN. Warnings of iterative methods that stop
# early are ignored here, because the page compares defaults.

folds = StratifiedKFold(2, shuffle=True, random_state=0)
knn = basrelief.KNeighborsClassifier(5)


def error(learner, X, y):
    """Learn a map and k-NN from each half of the rows, and test them on the other half."""
    wrong = 0
    for train, test in folds.split(X, y):
        knn.fit(learner.fit(X[train], y[train]).transform(X[train]), y[train])
        wrong += np.sum(knn.predict(learner.transform(X[test])) != y[test])
    return wrong / len(y)


errors = pd.DataFrame(index=maps, columns=tables, dtype=float)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", basrelief.ReliefWarning)
    for table, (X, y) in tables.items():
        errors[table] = [error(learner, X, y) for learner in maps.values()]
gains = errors - errors.loc["Euclidean"]

figure, axes = plt.subplots(figsize=(6.4, 7), layout="constrained")
mesh = axes.pcolormesh(gains, cmap="RdBu_r", vmin=-0.3, vmax=0.3)
for (row, column), value in np.ndenumerate(errors.to_numpy()):
    style = {"color": "white" if abs(gains.iat[row, column]) > 0.2 else "black", "fontsize": 8}
    axes.text(column + 0.5, row + 0.5, f"{value:.2f}", ha="center", va="center", **style)
axes.set_xticks(np.arange(6) + 0.5, labels=[name.replace(" ", "\n", 1) for name in tables])
axes.set_yticks(np.arange(len(errors)) + 0.5, labels=errors.index)
axes.tick_params(length=0, labelsize=9, labeltop=True, labelbottom=False)
axes.invert_yaxis()
legend = "error minus the error of Euclidean (blue: the map is better)"
figure.colorbar(mesh, ax=axes, location="bottom", shrink=0.7, aspect=40, label=legend)
plt.show()

# %%
# Each number is an error, and its color compares it with plain k-NN on the same table.
#
# * ``PCA`` with all components only rotates the rows, and ``Kernelized(PCA)`` keeps the order of
#   the distances. Both have the errors of plain k-NN.
# * ``LDA`` moves the means of the classes apart. It helps against a common factor, and fails where
#   a class has several clusters or encloses the other.
# * ``LFE``, ``LMNN`` and ``NCA`` compare near rows, and help with clusters and rings.
# * Where plain k-NN makes few errors (wine), no map has much to gain.
#
# Differences of a few hundredths are not evidence: the tables are small. The figure does not show
# how the maps compare with more rows or other options.

assert gains.loc[["PCA", "Kernelized(PCA)"]].eq(0).all(axis=None)
assert gains.at["LDA", "common factor"] < -0.1
assert (gains.loc["LDA", ["four clusters", "two rings"]] > 0.1).all()
assert (gains.loc[["LFE", "LMNN", "NCA"], ["four clusters", "two rings"]] < -0.04).all(axis=None)
assert gains["wine"].abs().max() < 0.05

# %%
# The tempting wrong test is to learn a map from all rows and to cross-validate k-NN afterwards. The
# map has then seen the test rows. For classes in random order, an honest error is about one half.

X, y = tables["one direction"]
y = rng.permutation(y)
wrong = np.mean(cross_val_predict(knn, maps["NCA"].fit_transform(X, y), y, cv=folds) != y)
right = error(maps["NCA"], X, y)
print(f"random classes: map of all rows {wrong:.2f}, map of the training rows {right:.2f}")
assert wrong < right - 0.1
assert abs(right - 0.5) < 0.1
