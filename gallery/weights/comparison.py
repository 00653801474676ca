"""
All weightings on six kinds of data
===================================

Which methods find which kinds of effects? Every weighting of the package ranks the features of six
kinds of simulated tables, with its default options. The relevant features are known.
"""

# %%
# Six kinds of tables
# -------------------
# The tables are small and noisy on purpose: with more rows, most methods find more.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

import basrelief

ROWS = 100


def tables(seed):
    """Generate the six tables: the name, the features, the target and the relevant columns."""
    rng = np.random.default_rng(seed)

    def classes(signal):
        return np.where(signal + 0.5 * rng.logistic(size=ROWS) > 0, "case", "control")

    X = rng.normal(size=(ROWS, 30))
    yield "main effects", X, classes(X[:, :4].sum(axis=1)), range(4)
    yield "XOR pair", X[:, :20], classes(2 * np.sign(X[:, 0] * X[:, 1])), range(2)
    bits = rng.integers(0, 2, size=(ROWS, 12))
    yield "parity of 3", bits, classes(4 * (bits[:, :3].sum(axis=1) % 2) - 2), range(3)
    target = 2 * X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=ROWS)
    yield "numeric target", X[:, :20], target, range(3)
    # 20 irrelevant features are nearly copies of each other, and one class is rare.
    copies = np.hstack([X[:, :10], 0.3 * X[:, 10:] + rng.normal(size=(ROWS, 1))])
    yield "copies, rare", copies, classes(X[:, :4].sum(axis=1) - 3), range(4)
    # Categories and numbers, with an interaction of both, and missing values.
    levels = rng.choice(list("abc"), size=(ROWS, 6))
    signal = 1.5 * (levels[:, 0] == "a") - 1.5 * (levels[:, 1] == "b")
    signal += 2 * np.where(levels[:, 2] == "c", 1, -1) * X[:, 0]
    numbers = pd.DataFrame(X[:, :12]).add_prefix("number")
    mixed = pd.DataFrame(levels).add_prefix("category").join(numbers)
    yield (
        "mixed, missing",
        mixed.mask(rng.random(mixed.shape) < 0.05),
        classes(signal),
        [0, 1, 2, 6],
    )


# %%
# The methods come from the registry
# ----------------------------------
# ``basrelief.methods()`` describes every weighting: its class, its type of target, and whether it
# accepts missing values. ``SurvivalRelief`` needs censored survival times and is left out. The
# wrappers, such as ``basrelief.TuRF``, are applied to ``MultiSURF``, with sizes for small tables.

facts = {entry["class_name"]: entry for entry in basrelief.methods()}
del facts["SurvivalRelief"]
estimators = {name: getattr(basrelief, name)(random_state=0) for name in facts}
sizes = {"TuRF": {"keep": 5}, "VLS": {"size": 10, "random_state": 0}}
for name in [entry["class_name"] for entry in basrelief.wrappers()]:
    wrapper = getattr(basrelief, name)
    estimators[f"{name}(MultiSURF)"] = wrapper(basrelief.MultiSURF(), **sizes.get(name, {}))
    facts[f"{name}(MultiSURF)"] = facts["MultiSURF"]


def misfit(method, table):
    """Return why a method cannot rank a table, or an empty text."""
    if table == "numeric target":
        return "" if "regression" in facts[method]["task"] else "classes\nonly"
    if "classes" not in facts[method]["task"]:
        return "numbers\nonly"
    return "" if facts[method]["missing"] or table != "mixed, missing" else "complete\nonly"


# %%
# Score every ranking
# -------------------
# The average precision is 1 if all relevant features are ranked above all others. Each cell is the
# mean of three tables. Some methods warn, for example that they stopped before they converged, or
# that a class has few rows. We compare default options, so these warnings are ignored here.

scores = {}
for seed in range(3):
    for table, X, y, columns in tables(seed):
        relevant = np.isin(np.arange(X.shape[1]), columns)
        for method in [method for method in estimators if not misfit(method, table)]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", basrelief.ReliefWarning)
                weights = estimators[method].fit(X, y).weights_
            scores[seed, table, method] = average_precision_score(relevant, weights)
mean = pd.Series(scores).groupby(level=[2, 1], sort=False).mean().unstack(sort=False)
mean = mean.reindex(estimators)

figure, axes = plt.subplots(figsize=(6.4, 8.2), layout="constrained")
axes.set_facecolor("#DDDDDD")
axes.pcolormesh(mean.to_numpy(), cmap="cividis", vmin=0, vmax=1)
for (row, column), score in np.ndenumerate(mean.to_numpy()):
    text = misfit(mean.index[row], mean.columns[column]) or f"{score:.2f}"
    style = {"color": "white" if score < 0.5 else "black", "fontsize": 7 if np.isnan(score) else 8}
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", **style)
axes.set_xticks(np.arange(6) + 0.5, labels=[name.replace(" ", "\n", 1) for name in mean.columns])
axes.set_yticks(np.arange(len(mean)) + 0.5, labels=mean.index)
axes.tick_params(length=0, labelsize=9, labeltop=True, labelbottom=False)
axes.invert_yaxis()
axes.set_title("average precision (1: all relevant features are ranked first)", fontsize=10)
plt.show()

# %%
# * No method has the best number in every column: choose by the effects that you expect.
# * Methods named ``Star`` use far rows with the opposite sign. They rank the pair first, where
#   others do not always, and lose main effects.
# * ``MyopicReliefF`` scores each feature separately and cannot find the pair. ``MuRelief`` does not
#   find it either.
# * ``Relief`` uses one neighbor, too few for weak main effects. But the rare class has fewer rows
#   than the ten neighbors of ``ReliefF``, and there ``Relief`` is better.
# * ``MDM``, ``DLMNN``, ``Simba`` and ``Lmba`` learn distances for k-NN, which is not a ranking.
#
# Small differences are not evidence: each cell is a mean of three tables. The figure does not show
# what other options can do, such as more neighbors or iterations.

is_star = mean.index.str.endswith("Star")
assert (mean.loc[is_star, "XOR pair"] > mean.loc["MultiSURF", "XOR pair"]).all()
assert (mean.loc[is_star, "main effects"] < 0.3).all()
assert (mean.loc[["MyopicReliefF", "MuRelief"], "XOR pair"] < 0.3).all()
assert mean.loc["Relief", "main effects"] < mean.loc["ReliefF", "main effects"] - 0.1
assert mean.loc["Relief", "copies, rare"] > mean.loc["ReliefF", "copies, rare"] + 0.1
assert not mean.eq(mean.max()).all(axis=1).any()
