"""
A first ranking: weights, their significance, and an honest test
================================================================

Which chemical measurements separate three kinds of wine, and how many of them does a classifier
need? The data are scikit-learn's wine table: 178 wines, 13 numeric features, three classes.
"""

# %%
# Rank the features
# -----------------
# ``basrelief.ReliefF`` compares each row with its nearest rows of the same class (hits) and of each
# other class (misses). The weight of a feature is its mean difference to the misses minus its mean
# difference to the hits. Differences are divided by the range of the feature, so the units of the
# columns do not matter.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from basrelief import KNeighborsClassifier, ReliefF, permutation_test
from basrelief.plots import plot_ranking

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
ranking = ReliefF(n_neighbors=10).fit(X, y)
print(ranking.to_frame().head(5).to_string(index=False))

# %%
# Which weights are larger than expected by chance?
# -------------------------------------------------
# Some feature is always ranked first, also among features without any association. A permutation
# test exchanges the classes of the rows at random and computes all weights again. The null
# threshold is the weight that the largest weight of a permutation exceeds in 5 % of the
# permutations. We add a shuffled copy of each feature. The copies have no association with the
# class, so they show how the test treats such features.


def compare_with_copies(table, target):
    """Test the features of a table and a copy of each with its values in random order."""
    rng = np.random.default_rng(0)
    copies = {f"shuffled {name}": rng.permutation(table[name]) for name in table}
    both = table.assign(**copies)
    return permutation_test(ReliefF(), both, target, n_permutations=99, random_state=0)


test = compare_with_copies(X, y)
is_copy = np.array([name.startswith("shuffled") for name in test.feature_names_in_])
print(f"null threshold: {test.chance_weight_:.4f}")
found = test.selected_
print(f"significant: {found[~is_copy].sum()} features, {found[is_copy].sum()} shuffled copies")

assert found[~is_copy].all()
assert not found[is_copy].any()

figure, axes = plt.subplots(figsize=(6.4, 5.6), layout="constrained")
plot_ranking(test, top=26, ax=axes)
axes.set(xlabel="weight (in ranges of the feature)", title="Wine features and shuffled copies")
plt.show()

# %%
# Blue bars are significant for all features together (adjusted p-value, max-T); gray bars are not.
# The figure does not show how much a feature adds to the others: features that measure the same
# property have similar weights.
#
# The copies are a check that is worth two lines of code, because it can fail. In scikit-learn's
# breast cancer table, many features have strong effects. They change which rows are neighbors, so
# that even some copies have weights above the null threshold. The test then shows that the table is
# associated with the class, but not which features are: compare the weights with those of copies.

cancer, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
failed = compare_with_copies(cancer, diagnosis).selected_[30:]
print(f"breast cancer: {failed.sum()} of {len(failed)} shuffled copies are significant")
assert failed.sum() > 1

# %%
# Select and classify: the selection is a part of the model
# ---------------------------------------------------------
# A selection uses the classes, so it must not see the test rows. In a pipeline, each fold selects
# its features from its training rows only. The same folds test k-nearest neighbors with different
# numbers of features.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
accuracy = {}
for count in [1, 3, 5, 13]:
    model = make_pipeline(
        ReliefF(n_features_to_select=count), StandardScaler(), KNeighborsClassifier(9)
    )
    accuracy[f"{count} best"] = cross_val_score(model, X, y, cv=folds)
print({name: f"{scores.mean():.3f}" for name, scores in accuracy.items()})
assert accuracy["5 best"].mean() > accuracy["1 best"].mean() + 0.1

# %%
# To select with all rows first and to cross-validate afterwards looks harmless. Noise shows that it
# is not: here are 60 rows of 2000 random features, and classes that do not depend on them.

rng = np.random.default_rng(0)
noise, classes = rng.normal(size=(60, 2000)), np.repeat([0, 1], 30)
selector, knn = ReliefF(n_features_to_select=20), KNeighborsClassifier(9)
before = cross_val_score(knn, selector.fit_transform(noise, classes), classes, cv=folds)
inside = cross_val_score(make_pipeline(selector, knn), noise, classes, cv=folds)
print(f"noise: selected before the folds {before.mean():.2f}, inside {inside.mean():.2f}")
assert before.mean() > 0.75
assert abs(inside.mean() - 0.5) < 0.15

figure, panels = plt.subplots(1, 2, figsize=(6.4, 3.2), layout="constrained", sharey=True)
on_noise = {"before the folds": before, "inside the folds": inside}
for axes, results in zip(panels, [accuracy, on_noise], strict=True):
    for place, scores in enumerate(results.values()):
        color = "#D55E00" if scores is before else "#0072B2"
        axes.plot(np.full(5, place), scores, "o", color=color, alpha=0.5)
        axes.hlines(scores.mean(), place - 0.25, place + 0.25, color=color, linewidth=2)
    axes.set_xticks(range(len(results)), labels=results)
    axes.set_xlim(-0.6, len(results) - 0.4)
panels[0].set(title="wine", ylabel="accuracy in the test folds", xlabel="features")
panels[1].set(title="noise", xlabel="when 20 of 2000 features are selected")
panels[1].axhline(0.5, color="#999999", linestyle="--", zorder=0)
plt.show()

# %%
# Points are folds, bars are their means, and the dashed line is the accuracy of guessing. The
# selection before the folds (orange) reports an accuracy that does not exist. The left panel does
# not show which number of features is best: the ranges of the folds overlap, and a choice by this
# figure would again be a selection on test rows.
