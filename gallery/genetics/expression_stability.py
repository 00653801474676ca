"""
Which genes would be selected again?
====================================

A single selection of genes is one list from one sample of patients. Which of these genes would a
study of other patients select, too? The data are the expression of 76 genes in breast tumors of 198
patients (GSE7390), which scikit-survival contains.
"""

# %%
# Early metastasis as a class
# ---------------------------
# A patient belongs to the class "early" if a distant metastasis was found within five years, and to
# "late" if she was free of metastases for longer than that. The class of patients who were censored
# before five years is not known, and they are excluded. Such an exclusion is acceptable only for
# few patients. ``basrelief.SurvivalRelief`` ranks by the times themselves and needs no exclusion.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sksurv.datasets import load_breast_cancer

from basrelief import ReliefF, Stable

table, outcome = load_breast_cancer()
genes = table.filter(regex="_at$").rename(columns=lambda name: name.removeprefix("X"))
years = outcome["t.tdm"] / 365.25
early, late = outcome["e.tdm"] & (years <= 5), years > 5
is_known = early | late
X, y = genes[is_known], np.where(early, "early", "late")[is_known]
print(
    f"{X.shape[1]} genes; early: {early.sum()}, late: {late.sum()}, excluded: {(~is_known).sum()}"
)

# %%
# One selection, and two halves
# -----------------------------
# ``basrelief.ReliefF`` selects ten genes by all patients. If the patients are divided into two
# random halves, the two selections usually share less than half of their genes.

selector = ReliefF(n_features_to_select=10)
single = selector.fit(X, y).get_feature_names_out()
common = []
for seed in range(10):
    halves = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    first, second = (
        set(selector.fit(X.iloc[rows], y[rows]).get_feature_names_out()) for rows in halves
    )
    common.append(len(first & second))
print("genes selected in both halves, of 10:", common)
assert np.median(common) < 5

# %%
# Stability selection
# -------------------
# ``basrelief.Stable`` repeats the selection on 100 random halves of the patients, and retains the
# genes that are selected often. What is often? Each gene is ranked together with a permuted copy,
# which has the same values in a random order. Copies are selected by chance only, and their
# frequencies determine the cut-off. ``fdp_`` is the estimated proportion of false genes among those
# retained.

stable = Stable(selector, random_state=0).fit(X, y)
retained = stable.get_feature_names_out()
print(f"cut-off {stable.cutoff_:.2f}, estimated false proportion {stable.fdp_:.2f}")
print(f"stability of the selections {stable.stability_:.2f} (1: identical, 0: random)")
print("retained:", ", ".join(retained))
print("selected once, not retained:", ", ".join(sorted(set(single) - set(retained))))
assert set(retained) < set(single)

# %%
# Frequencies of the genes and of the copies
# ------------------------------------------

best = np.argsort(stable.ranking_, kind="stable")[:18]
names, frequencies, places = X.columns[best], 100 * stable.frequencies_[best], np.arange(18)
is_single = np.isin(names, single)
copies = 100 * stable.copy_frequencies_

figure, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
for mask, color, label in [
    (is_single, "#0072B2", "gene of the single selection"),
    (~is_single, "#999999", "other gene"),
]:
    ax.barh(places[mask], frequencies[mask], color=color, label=label)
style = {"color": "#D55E00", "markersize": 11, "linestyle": "none"}
ax.plot(copies, np.full(len(copies), 18), marker="|", label="permuted copy", **style)
ax.axvline(100 * stable.cutoff_, color="black", linestyle="--", label="cut-off")
ax.set_yticks(range(19), [*names, f"{len(copies)} copies"])
ax.invert_yaxis()
ax.set(xlabel="resamples that select the gene (%)", ylabel="probe set", xlim=(0, 100))
ax.legend(loc="lower right", bbox_to_anchor=(1, 0.1), framealpha=1)
plt.show()

# %%
# Several genes of the single selection are below the cut-off, and some permuted copies are selected
# more often than the last of these genes. A gene below the cut-off can nevertheless be relevant.
# Two genes with nearly the same expression compete for a place, so that each of them is selected
# less often:

correlations = X[single].corr().where(np.triu(np.ones((10, 10), dtype=bool), 1))
one, other = correlations.stack().idxmax()
print(f"{one} and {other}: r = {correlations.loc[one, other]:.2f}")
assert copies.max() > frequencies[is_single].min()
assert (one in retained) != (other in retained)

# %%
# The copies are random. With few patients, the cut-off and the genes near it therefore also depend
# on ``random_state``. Several seeds show which genes do not depend on the copies.

seeds = range(1, 6)
supports = [Stable(selector, random_state=seed).fit(X, y).get_support() for seed in seeds]
always = X.columns[np.all(supports, axis=0)]
print("retained with every seed:", ", ".join(always))
assert 0 < len(always) < len(retained)
assert set(always) < set(retained)

# %%
# The frequencies do not show whether a gene has an effect: a batch that differs between the classes
# would be found in every resample. They also do not show how well the genes predict metastasis; a
# test of predictions requires patients who took no part in the selection.
