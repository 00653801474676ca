"""
Ten digits in two components
============================

How well do two components separate ten classes, and do the labels help? The data are handwritten
digits of 8 x 8 pixels. Maps are learned from 600 of them, and judged by 600 others.
"""

# %%
# Gray values from 0 to 16 become values from 0 to 1, because the probabilities of NCA depend on the
# unit of the features. Pixels that are blank in nearly all training rows are excluded. The held-out
# rows take no part in this choice.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import basrelief

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, train_size=600, test_size=600, stratify=y, random_state=0
)
varies = X_train.std(axis=0) > 0.03
X_train, X_test = X_train[:, varies], X_test[:, varies]
print(f"{varies.sum()} of {len(varies)} pixels, {len(X_train)} training rows, {len(X_test)} others")


def error(train, test):
    """Return the share of held-out digits that their 5 nearest training digits misclassify."""
    knn = basrelief.KNeighborsClassifier(5).fit(train, y_train)
    return 1 - knn.score(test, y_test)


# %%
# PCA does not use the labels: its components have the largest variance. The other maps use them.
# LFE finds the directions in which the nearest rows of other classes are farther away than those of
# the same class. NCA maximizes the probability that a random neighbor has the same class. LMNN
# moves three rows of the same class near to each row, and rows of other classes away.
#
# The figure shows held-out rows only. Each symbol is one of them, and shows its true digit.

MAPS = {
    "PCA (without labels)": basrelief.PCA(2),
    "LFE": basrelief.LFE(2),
    "NCA": basrelief.NCA(2, max_iter=200),
    "LMNN": basrelief.LMNN(2),
}
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"]
COLORS += ["#56B4E9", "#B58900", "#7F3C8D", "#8C510A", "#777777"]
figure, axes = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
for ax, (name, own) in zip(axes.flat, MAPS.items(), strict=True):
    rows = own.fit(X_train, y_train).transform(X_test)
    loss = error(own.transform(X_train), rows)
    for digit, color in enumerate(COLORS):
        ax.scatter(*rows[y_test == digit].T, marker=f"${digit}$", color=color, s=24, linewidths=0.3)
    ax.set(title=f"{name}: error {loss:.0%}", xticks=[], yticks=[])
figure.supxlabel("first component")
figure.supylabel("second component")
plt.show()

# %%
# In two components, NCA and LMNN have smaller errors than PCA, and LFE has a larger one. LFE adds
# the margins of all rows, and its first components separate the digits with the largest margins,
# while the other digits overlap. A map that uses labels is therefore not always better than PCA.
#
# A tempting conclusion from the pictures is that a good map has a small error. Compare with the
# error without a map, and with more components:

COUNTS = [2, 3, 5, 10, 20]
curves = {}
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, own), color, marker in zip(MAPS.items(), COLORS, "os^D", strict=False):
    curves[name] = []
    for count in COUNTS:
        own.set_params(n_components=count).fit(X_train, y_train)
        curves[name].append(error(own.transform(X_train), own.transform(X_test)))
    ax.plot(COUNTS, curves[name], marker=marker, color=color, label=name)
pixels = error(X_train, X_test)
ax.axhline(pixels, color="#666666", linestyle="--", label="all pixels, no map")
ax.set(xscale="log", ylim=(0, None), xlabel="components", ylabel="error of 5 nearest neighbors")
ax.set_xticks(COUNTS, COUNTS)
ax.minorticks_off()
ax.legend(title="held-out rows")
plt.show()

for name, curve in curves.items():
    print(f"{name:20}", *(f"{loss:6.1%}" for loss in curve))
print(f"{'all pixels, no map':20} {pixels:6.1%}")
pca, lfe, nca, lmnn = curves.values()
assert max(nca[0], lmnn[0]) < pca[0] < lfe[0]
assert pixels < min(curve[-1] for curve in curves.values())
assert max(curve[-1] for curve in curves.values()) < pixels + 0.02

# %%
# With 20 components, the errors of all maps are nearly that of the pixels, and none is below it. A
# map of these data is useful for a picture, or to compare rows by few numbers, but it does not
# improve the prediction. The figure shows one split of the rows, in which a difference of a few
# rows is not evidence. The options of the maps are not tuned either.
