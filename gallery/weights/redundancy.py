"""
Select features without copies
==============================

An expression array often has several probes per gene, so the best features of a ranking can be
copies of a few genes. How does a selection represent each gene once? The data are simulated: six
genes with an effect, four probes of each, and 40 probes without an effect.
"""

# %%
# Genes and their probes
# ----------------------
# The expression of genes A to F differs between two groups of 150 samples. The probes of A, B and C
# measure their gene almost exactly. Those of D, E and F are noisier.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from basrelief import MultiSURF

rng = np.random.default_rng(1)
group = np.repeat(["healthy", "sick"], 150)
effects = pd.Series([1.3, 1.2, 1.1, 1.2, 1.1, 1.0], index=list("ABCDEF"))
genes = rng.normal(size=(300, 6)) + np.outer(group == "sick", effects)
X = pd.DataFrame(
    {
        f"{gene}{probe}": genes[:, place] + (0.1 if gene in "ABC" else 0.35) * rng.normal(size=300)
        for place, gene in enumerate(effects.index)
        for probe in range(1, 5)
    }
).join(pd.DataFrame(rng.normal(size=(300, 40))).add_prefix("other"))
for gene in effects.index:
    print(f"correlation of two probes of {gene}: {X[f'{gene}1'].corr(X[f'{gene}2']):.2f}")

# %%
# Four selections of six features
# -------------------------------
# The rules do not change the weights. ``"correlation:0.95"`` excludes features that are correlated
# by more than 0.95 with a feature selected before. ``"relief"`` needs no limit: it discounts the
# weight of a feature by the correlation of its *differences* between near rows with those of the
# selected features. ``represented_`` lists, for each selected feature, those that were passed over
# because of it.

rules = ["none", "correlation:0.95", "correlation:0.8", "relief"]
selections = {}
for rule in rules:
    selector = MultiSURF(n_features_to_select=6, redundancy=rule, random_state=0).fit(X, group)
    represented = getattr(selector, "represented_", {})
    selections[rule] = {
        X.columns[feature]: {X.columns[other]: r for other, r in represented.get(feature, [])}
        for feature in np.flatnonzero(selector.get_support())
    }
    print(f"{rule}: {', '.join(selections[rule])}")

# %%
# Each panel is a selection, each line a gene, and each cell a probe.

colors = {
    "selected": "#0072B2",
    "represented (and its redundancy)": "#A6D3EE",
    "neither": "#EEEEEE",
}
figure, panels = plt.subplots(1, 4, figsize=(6.4, 3.6), layout="constrained", sharey=True)
for axes, (rule, selected) in zip(panels, selections.items(), strict=True):
    redundancies = {other: r for others in selected.values() for other, r in others.items()}
    probes = np.array(X.columns[:24]).reshape(6, 4)
    kinds = np.where(np.isin(probes, list(redundancies)), 1, 2)
    kinds[np.isin(probes, list(selected))] = 0
    axes.imshow(kinds, cmap=ListedColormap(colors.values()), vmin=0, vmax=2, aspect="auto")
    for (row, column), name in np.ndenumerate(probes):
        if name in redundancies:
            axes.text(
                column, row, f"{redundancies[name]:.2f}", ha="center", va="center", fontsize=7
            )
    axes.set_title(rule, fontsize=10)
    axes.set_xlabel("probe")
    axes.set_xticks(range(4), labels=range(1, 5))
    axes.set_xticks(np.arange(5) - 0.5, minor=True)
    axes.set_yticks(np.arange(7) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=3)
    axes.tick_params(which="both", length=0)
panels[0].set_yticks(range(6), labels=effects.index)
panels[0].set_ylabel("gene")
handles = [Patch(color=color, label=kind) for kind, color in colors.items()]
figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# * Without a rule, six features are probes of few genes.
# * ``"correlation:0.95"`` works for A, B and C only. The probes of D, E and F are correlated by
#   less than 0.95, so that their copies are selected.
# * With the limit 0.8, and with ``"relief"``, each gene is selected once. ``"relief"`` has no limit
#   to choose. Its redundancies (numbers) are smaller, because noise weighs more in the differences
#   of near rows than in the values of all rows.
#
# The last selected feature represents none, because no feature was passed over after it. The figure
# does not show which probe is the best one of a gene: the weights of copies differ by chance.

distinct = {rule: {name[0] for name in selected} for rule, selected in selections.items()}
assert len(distinct["none"]) < 4
assert len(distinct["none"]) < len(distinct["correlation:0.95"]) < 6
assert distinct["correlation:0.8"] == distinct["relief"] == set("ABCDEF")
for selected in selections.values():
    assert all(name[0] == other[0] for name, others in selected.items() for other in others)

# %%
# Partners of an interaction are not copies
# -----------------------------------------
# Two features that matter only together are not redundant: their differences are not correlated.
# Here, the group is the sign of the product of two features, each with a copy.

pair = pd.DataFrame(rng.normal(size=(300, 20))).add_prefix("x")
for name in ["x0", "x1"]:
    pair[f"copy of {name}"] = pair[name] + 0.05 * rng.normal(size=300)
selector = MultiSURF(n_features_to_select=2, redundancy="relief", random_state=0)
chosen = selector.fit(pair, pair["x0"] * pair["x1"] > 0).get_feature_names_out()
print("interaction:", ", ".join(chosen))
assert sorted(name[-2:] for name in chosen) == ["x0", "x1"]
