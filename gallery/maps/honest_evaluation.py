"""
Selection and maps belong inside the folds
==========================================

Which error do new rows have after features were selected or a map was learned? Both steps use the
classes, so that they belong inside the cross-validation. The data are pure noise, and then 76 genes
of patients with breast cancer.
"""

# %%
# The wrong way and the right way
# -------------------------------
# The wrong way fits the step to all rows, and then tests k-NN by cross-validation. Every test row
# has then taken part in the selection, or in the map. The right way puts the step and k-NN into a
# pipeline, which ``cross_val_score`` fits to the training rows of each fold.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.datasets import load_breast_cancer

import basrelief


def errors(step, X, y, seed):
    """Return the errors of 5-NN, with the step outside and inside the folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    step = make_pipeline(StandardScaler(), clone(step))
    knn = basrelief.KNeighborsClassifier(5)
    outside = cross_val_score(knn, step.fit(X, y).transform(X), y, cv=folds)
    inside = cross_val_score(make_pipeline(step, knn), X, y, cv=folds)
    return 1 - outside.mean(), 1 - inside.mean()


# %%
# Noise, and genes
# ----------------
# In the first data, 80 rows of noise have classes unrelated to the features. ReliefF selects 20 of
# 2000 features, and NCA maps 40 features to two components. Every honest error is near 50 %.

nca = basrelief.NCA(2, max_iter=200)
select = basrelief.ReliefF(n_features_to_select=20)
y = np.repeat([0, 1], 40)
noise = []
for seed in range(8):
    X = np.random.default_rng(seed).normal(size=(80, 2000))
    noise.append([errors(select, X, y, seed), errors(nca, X[:, :40], y, seed)])

# %%
# The second data are the expression of 76 genes of 198 patients. The class is the estrogen receptor
# of the tumor: positive or negative. ReliefF selects 5 genes, and NCA maps all genes. The folds are
# drawn four times from the same patients.

table, _ = load_breast_cancer()
X, y = table.select_dtypes("number").drop(columns=["age", "size"]), table["er"] == "positive"
select = basrelief.ReliefF(n_features_to_select=5)
genes = [[errors(select, X, y, seed), errors(nca, X, y, seed)] for seed in range(4)]

figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
guesses = [("noise: 8 data sets", noise, 0.5), ("genes: folds drawn 4 times", genes, 1 - y.mean())]
for ax, (title, losses, guess) in zip(axes, guesses, strict=True):
    for place, losses_of_step in enumerate(np.swapaxes(losses, 0, 1)):
        x = np.array([place - 0.15, place + 0.15])
        ax.plot(x, losses_of_step.T, color="#bbbbbb", linewidth=1, zorder=0)
        for column, (color, marker) in enumerate([("#D55E00", "X"), ("#0072B2", "o")]):
            label = ["wrong: outside the folds", "right: inside the folds"][column]
            values = losses_of_step[:, column]
            ax.scatter(np.full(len(values), x[column]), values, c=color, marker=marker, label=label)
    ax.axhline(guess, color="black", linestyle="--", linewidth=1, label="always the larger class")
    ax.set(title=title, xlim=(-0.5, 1.5), ylim=(0, 0.75))
    ax.set_xticks([0, 1], ["ReliefF selection", "NCA map"])
axes[0].set_ylabel("cross-validated error of 5-NN")
handles, labels = axes[0].get_legend_handles_labels()
axes[1].legend(handles[-3:], labels[-3:], loc="upper left")
plt.show()

# %%
# A line joins the two errors of one data set, or of one draw of the folds. In noise, the wrong way
# reports few errors, although there is nothing to learn. The right way reports errors around 50 %,
# and a single one of them can be far from it, because the data sets are small.

columns = pd.MultiIndex.from_product([["ReliefF selection", "NCA map"], ["wrong", "right"]])
means = np.array([np.mean(losses, axis=0).ravel() for losses in (noise, genes)])
print(pd.DataFrame(means, ["noise", "genes"], columns).round(2))
assert (means[0, [0, 2]] < 0.25).all()
assert (np.abs(means[0, [1, 3]] - 0.5) < 0.1).all()
assert means[1, 2] < 0.1 < 0.2 < means[1, 3] < 1 - y.mean()
assert abs(means[1, 0] - means[1, 1]) < 0.05

# %%
# With the genes, k-NN after the map seems almost free of errors in the wrong way. The honest error
# is several times as large, and not much smaller than that of always predicting the larger class.
# The selection of 5 of 76 genes shows no such difference: it has little freedom to fit the rows.
# Nobody knows beforehand which case applies, so that the step always belongs inside the folds.
#
# The figure does not show the errors of other studies: the four draws use the same patients, and
# their points are therefore closer together than those of independent data sets. Options, such as
# the number of genes, belong inside too. Choose them by ``GridSearchCV`` on the training rows, or
# use ``basrelief evaluate`` on the command line, which nests the choice and tests against chance
# with ``--permutations``.
