"""
Features that change the time to an event
=========================================

Which features are associated with a censored survival time, alone or in combination? The data are a
trial of 137 patients with lung cancer, which scikit-survival contains, and simulated biomarkers of
which two change the hazard only in combination.
"""

# %%
# A ranking with a permutation test
# ---------------------------------
# The target is a structured array with the event (death) and the time, as in scikit-survival.
# ``basrelief.SurvivalRelief`` compares similar patients: a relevant feature differs where their
# survival times differ. A permutation exchanges times and events together. The default of 100
# neighbors comprises most of these patients, so that the weights mainly show effects of single
# features.

import matplotlib.pyplot as plt
import numpy as np
from sksurv.compare import compare_survival
from sksurv.datasets import load_veterans_lung_cancer
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.util import Surv

from basrelief import SurvivalRelief, permutation_test
from basrelief.plots import plot_ranking

X, y = load_veterans_lung_cancer()
X.columns = X.columns.str.replace("_", " ")
test = permutation_test(SurvivalRelief(), X, y, n_permutations=199, random_state=0)
print(test.to_frame()[["feature", "weight", "p-value", "adjusted"]].round(4).to_string(index=False))
best = X.columns[np.argmax(test.weights_)]
assert best == "Karnofsky score"
assert test.selected_[np.argmax(test.weights_)]

# %%
# Kaplan-Meier curves by the best feature
# ---------------------------------------
# The ranking does not show the direction or the size of an effect. Kaplan-Meier curves do. The
# Karnofsky score describes how well a patient copes with daily life. The groups are its standard
# ranges, and not cut-offs chosen by the curves.

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#999999"


def draw_curves(ax, y, groups):
    """Draw Kaplan-Meier curves with pointwise 95 % intervals, by the label of each group."""
    event, time = (y[name] for name in y.dtype.names)
    for (label, rows), color in zip(groups.items(), [BLUE, ORANGE, GREEN], strict=False):
        times, survival, (low, high) = kaplan_meier_estimator(
            event[rows], time[rows], conf_type="log-log"
        )
        ax.step(times, survival, where="post", color=color, label=f"{label} (n = {rows.sum()})")
        ax.fill_between(times, low, high, step="post", color=color, alpha=0.15, linewidth=0)
    ax.set(ylabel="survival probability", ylim=(0, 1.02), xlim=(0, None))
    ax.legend(frameon=False, fontsize=9)


score = X[best].to_numpy()
groups = {"80 to 99": score >= 80, "50 to 75": (score >= 50) & (score < 80), "10 to 40": score < 50}
figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.4), layout="constrained")
plot_ranking(test, ax=left)
left.set_title("")
left.legend(left.get_lines(), ["null threshold"], loc="lower right", fontsize=8, handlelength=1.5)
draw_curves(right, y, groups)
right.set_xlabel("days")
right.legend(title=best, frameon=False, fontsize=9)
plt.show()

# %%
# An interaction that univariate tests miss
# -----------------------------------------
# In these simulated data, the hazard is three times as high if exactly one of the biomarkers ``A``
# and ``B`` is present. The other 18 biomarkers have no effect. The log-rank test of one biomarker
# is the score test of a Cox model with that biomarker.

rng = np.random.default_rng(0)
names = np.array(["A", "B", *(f"N{number}" for number in range(1, 19))])
markers = rng.binomial(1, [0.5, 0.5, *rng.uniform(0.3, 0.5, size=18)], size=(400, 20))
exactly_one = markers[:, 0] != markers[:, 1]
death = rng.exponential(np.where(exactly_one, 5 / 3, 5))
censored = rng.exponential(10, size=400)
outcome = Surv.from_arrays(death <= censored, np.minimum(death, censored))
print(f"{100 * outcome['event'].mean():.0f} % of the patients died")

log_rank = np.array([compare_survival(outcome, marker)[1] for marker in markers.T])
test = permutation_test(SurvivalRelief(), markers, outcome, n_permutations=199, random_state=0)
print("log-rank p-values of A and B:", log_rank[:2].round(2))
print("adjusted p-values of their weights:", test.adjusted_pvalues_[:2])
assert log_rank.min() * len(names) > 0.05
assert set(names[test.selected_]) == {"A", "B"}

# %%
# The weights lead to the right plot
# ----------------------------------

figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.4), layout="constrained")
left.plot(-np.log10(log_rank[2:]), test.weights_[2:], "o", color=GRAY, label="no effect")
left.plot(-np.log10(log_rank[:2]), test.weights_[:2], "D", color=ORANGE, label="A and B")
left.axhline(test.chance_weight_, color=BLUE, linestyle="--", label="5 % level")
left.axvline(-np.log10(0.05 / len(names)), color=BLUE, linestyle="--")
left.set(
    xlabel="$-\\log_{10}$ p (log-rank)", ylabel="weight (SurvivalRelief)", ylim=(-0.009, 0.014)
)
left.legend(loc="lower right", fontsize=8, framealpha=1)
draw_curves(right, outcome, {"both or neither": ~exactly_one, "exactly one": exactly_one})
right.set_xlabel("years")
right.legend(title="biomarkers A and B", frameon=False, fontsize=9)
plt.show()

# %%
# On the left, no biomarker is beyond the vertical line of the log-rank test, and only ``A`` and
# ``B`` are above the horizontal line of the weights. A Cox model with a product term tests an
# interaction, too, but only of a pair that somebody proposes. The weights propose a pair, and the
# curves on the right show its effect. Confirm it in other patients: in those who proposed the pair,
# an effect looks larger on average than it is. The test requires that censoring does not depend on
# the features.
