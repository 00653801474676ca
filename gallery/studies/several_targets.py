"""
Several targets at once
=======================

Does one ranking for all targets of a study find better features than a separate ranking for each
target? The data are generated, so that the relevant features are known.
"""

# %%
# Four numeric targets depend weakly on the features ``all1`` and ``all2``. The first target also
# depends on ``one``, with a larger effect. The other twelve features have no effect. The target of
# ``basrelief.RReliefF`` is then a matrix with one column per target.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import hamming_loss
from sklearn.neighbors import KNeighborsClassifier

import basrelief

NAMES = ["all1", "all2", "one", *(f"none{i}" for i in range(1, 13))]


def draw(seed, n=250):
    """Draw 15 features and four targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 15))
    y = 0.35 * X[:, [0]] + 0.35 * X[:, [1]] + rng.normal(size=(n, 4))
    y[:, 0] += 0.7 * X[:, 2]
    return X, y


X, y = draw(0)
selector = basrelief.RReliefF()
joint = selector.fit(X, y).weights_.copy()
separate = np.array([selector.fit(X, target).weights_ for target in y.T])

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
colors = ["#D55E00", "#0072B2", "#009E73", "#CC79A7"]
for number, (color, marker) in enumerate(zip(colors, "os^v", strict=True)):
    style = {"color": color, "fillstyle": "none", "label": f"target {number + 1} alone"}
    ax.plot(separate[number], NAMES, marker, **style)
ax.plot(joint, NAMES, "k|", markersize=12, markeredgewidth=3, label="all four targets")
ax.axvline(0, color="#999999", linewidth=0.8)
ax.set(xlabel="weight (RReliefF)", ylim=(14.6, -0.6))
ax.legend(loc="lower right")
plt.show()
assert np.corrcoef(joint, separate.mean(axis=0))[0, 1] > 0.95

# %%
# The black bar of a feature is near the mean of its four symbols: a joint ranking averages over the
# targets. The weight of ``one`` is therefore much smaller than for target 1 alone. The bar does not
# show *which* target a feature matters for, and the figure has no intervals of the weights.
#
# A permutation test of the joint ranking exchanges complete rows of targets, and has one p-value
# per feature. To be fair, each of the four separate tests has a quarter of the error rate.

counts = np.zeros((2, 4), dtype=int)
options = {"n_permutations": 199, "random_state": 0}
for seed in range(5):
    X, y = draw(seed)
    joint = basrelief.permutation_test(selector, X, y, **options).selected_
    separate = np.zeros(X.shape[1], dtype=bool)
    for target in y.T:
        test = basrelief.permutation_test(selector, X, target, alpha=0.05 / 4, **options)
        separate |= test.selected_
    found = np.array([joint, separate])
    counts += np.column_stack([found[:, :3], found[:, 3:].sum(axis=1)])
print("significant in 5 data sets")
print(pd.DataFrame(counts, ["joint test", "separate tests"], ["all1", "all2", "one", "others"]))
assert counts[0, :2].sum() > counts[1, :2].sum()
assert counts[1, 2] > counts[0, 2]

# %%
# Neither is better in general. The joint test finds more of the weak effects that all targets
# share, and separate tests find more of the effect on a single target.
#
# Labels are an indicator matrix, and ``target_distance`` states how two rows are compared:
# ``"mean"`` counts the labels that differ, and ``"jaccard"`` divides them by the labels that either
# row has. Here five labels depend on 20 features, among 60 permuted copies without an effect. Each
# ranking selects ten features with half of the rows, and k-NN predicts the labels of the others.

RANKINGS = {
    "one RReliefF,\nmean": selector,
    "five RReliefF,\naveraged": selector,
    "one RReliefF,\nJaccard": basrelief.RReliefF(target_distance="jaccard"),
    "five ReliefF,\naveraged": basrelief.ReliefF(),
}
losses = np.empty((6, len(RANKINGS)))
for seed in range(len(losses)):
    X, y = make_multilabel_classification(600, 20, n_classes=5, length=50, random_state=seed)
    rng = np.random.default_rng(seed)
    X = np.hstack([X, *(rng.permuted(X, axis=0) for _ in range(3))])
    for column, (name, method) in enumerate(RANKINGS.items()):
        targets = y[:300].T if name.startswith("five") else [y[:300]]
        weights = np.mean([method.fit(X[:300], target).weights_ for target in targets], axis=0)
        best = np.argsort(-weights)[:10]
        knn = KNeighborsClassifier(10, algorithm="kd_tree").fit(X[:300, best], y[:300])
        losses[seed, column] = hamming_loss(y[300:], knn.predict(X[300:, best]))

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(losses.T, "o-", color="#999999", markersize=4, linewidth=1)
ax.plot(losses.mean(axis=0), "D", color="#D55E00", markersize=9, label="mean of the data sets")
ax.set_xticks(range(len(RANKINGS)), list(RANKINGS))
ax.set(xlim=(-0.4, 3.4), ylabel="Hamming loss of k-NN (held-out rows)")
ax.legend()
plt.show()

means = losses.mean(axis=0)
print(pd.Series(means.round(3), [name.replace("\n", " ") for name in RANKINGS]).to_string())
assert max(abs(means[0] - means[1]), abs(means[2] - means[3])) < means[0] - means[2]
assert 0 < (losses[:, 2] < losses[:, 3]).mean() < 1

# %%
# A gray line is one data set, and smaller losses are better. The distance and the method matter
# more than the choice between one ranking and five: the two rankings on the left have similar
# losses, and so do the two on the right, each of which is better in some of the data sets. These
# six data sets are of one kind with strong effects, and other data may have another order.
