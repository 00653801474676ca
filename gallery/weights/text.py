"""
Words and one-hot codes next to a few numbers
=============================================

A table has a few clinical numbers and a column for each word of a short note. Do the words hide the
numbers? The data are simulated: 400 patients, five numbers, and notes of 15 words.
"""

# %%
# Notes as word columns
# ---------------------
# The notes have five topics, which are unrelated to the outcome. The outcome depends on the sign of
# the product of ``age`` and ``dose`` (an interaction; neither has an effect alone) and on the word
# "relapse".

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

from basrelief import MultiSURF

rng = np.random.default_rng(0)
numbers = pd.DataFrame(rng.normal(size=(400, 5)), columns=["age", "dose", "crp", "bmi", "pulse"])
vocabulary = [f"word{number}" for number in range(150)]
topics = rng.dirichlet(np.full(150, 0.3), size=5)
relapse = rng.binomial(1, 0.3, size=400)
notes = [
    " ".join(rng.choice(vocabulary, size=15, p=topics[rng.integers(5)])) + " relapse" * count
    for count in relapse
]
signal = 2 * np.sign(numbers["age"] * numbers["dose"]) + 1.5 * (relapse - 0.3)
outcome = np.where(signal + 0.7 * rng.logistic(size=400) > 0, "bad", "good")

vectorizer = CountVectorizer(binary=True)
present = vectorizer.fit_transform(notes).toarray()
words = vectorizer.get_feature_names_out()
X = numbers.join(pd.DataFrame(present, columns=words))
print(f"{len(numbers.columns)} numbers and {len(words)} words")

# %%
# With and without blocks
# -----------------------
# The distance of two patients is a sum over all columns, so that it is mainly a distance of words.
# Patients who are near by their words are random in ``age`` and ``dose``, and the interaction of
# these two is lost. With ``blocks``, all words together count as one feature in the distance: with
# the scale ``"size"`` as the mean difference of the words, with ``"max"`` as their sum, divided by
# its largest value. Each word still has its separate weight.

relevant = ["age", "dose", "relapse"]
selectors = {
    "no blocks": MultiSURF(),
    'blocks,\nscale "size"': MultiSURF(blocks={"words": words}),
    'blocks,\nscale "max"': MultiSURF(blocks={"words": words}, block_scale="max"),
}
ranks = pd.DataFrame(
    {name: selector.fit(X, outcome).ranking_ for name, selector in selectors.items()},
    index=X.columns,
)
print(ranks.loc[numbers.columns.union(relevant)].to_string(header=["none", "size", "max"]))

assert ranks["no blocks"]["relapse"] == 1
assert ranks["no blocks"][["age", "dose"]].min() > 20
for name in list(selectors)[1:]:
    assert set(ranks[name].nsmallest(3).index) == set(relevant)

# %%
# The figure shows the rank of each feature in the three rankings.

figure, axes = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
axes.plot(ranks.drop(index=relevant).T.to_numpy(), color="#DDDDDD", linewidth=0.8)
for name, color, marker in zip(relevant, ["#0072B2", "#E69F00", "#009E73"], "os^", strict=True):
    axes.plot(ranks.loc[name].to_numpy(), color=color, marker=marker, linewidth=2.5)
    axes.text(2.06, ranks.loc[name].iloc[-1], name, color=color, weight="bold", va="center")
axes.text(2.06, 30, "other\nfeatures", color="#777777")
axes.set(yscale="log", ylabel="rank (1: largest weight)")
axes.set_yticks([1, 2, 3, 5, 10, 20, 50, 100], labels=[1, 2, 3, 5, 10, 20, 50, 100])
axes.minorticks_off()
axes.invert_yaxis()
axes.set_xticks(range(3), labels=selectors)
axes.set_xlim(-0.1, 2.45)
plt.show()

# %%
# Without blocks, the word with an effect is found, because it does not need the right neighbors,
# and the two numbers are lost among the words. With a block, all three are ranked first. The figure
# does not show which ranks are larger than expected by chance. The permutation test does, for
# features and for blocks: here the block of all words is not significant, although one of its words
# is.

test = MultiSURF(
    blocks={"words": words}, n_features_to_select="max-t", n_permutations=99, random_state=0
).fit(X, outcome)
print("significant features:", ", ".join(test.get_feature_names_out()))
print("p-value of the block of words:", test.block_p_values_[0])
assert set(test.get_feature_names_out()) == set(relevant)
assert test.block_p_values_[0] > 0.05

# %%
# One-hot codes of a category
# ---------------------------
# Two patients from different sites differ in two of the columns ``site_A`` to ``site_D``, so that
# the site counts twice in the distance. Here, the interaction of ``age`` and ``dose`` is then not
# ranked first. ``blocks="prefix:_"`` makes a block of all columns with the same text before the
# first ``_``, and the scale ``"max"`` gives the distance of the categorical column. If the table
# still has the category itself, no block is needed.

site = pd.Series(rng.choice(list("ABCD"), size=400), name="site")
indicators = pd.get_dummies(site, prefix="site", dtype=float)
category = MultiSURF().fit(numbers.join(site), outcome)
plain = MultiSURF().fit(numbers.join(indicators), outcome)
block = MultiSURF(blocks="prefix:_", block_scale="max").fit(numbers.join(indicators), outcome)
fits = {"category": category, "one-hot": plain, "block": block}
print("ranks of age and dose:", {name: fit.ranking_[:2].tolist() for name, fit in fits.items()})

assert np.abs(block.weights_[:5] - category.weights_[:5]).max() < 1e-12
assert np.abs(block.block_weights_[0] - category.weights_[5]) < 1e-12
assert sorted(category.ranking_[:2]) == [1, 2]
assert min(plain.ranking_[:2]) > 2
