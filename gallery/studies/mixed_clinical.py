"""
A clinical table of mixed columns
=================================

How do numbers, categories, ordered groups and missing values enter one ranking, and what happens to
a malformed cell? The data are measurements of free light chains (proteins in the blood) of 7874
persons and their survival, which scikit-survival contains (``flchain``).
"""

# %%
# Target and features
# -------------------
# The classes are death within five years, and survival for more than five years. The class of
# persons who were censored before five years is not known, and they are excluded. A random 400 of
# each class keep the page quick. ``chapter``, the cause of death, is not a feature: it contains the
# outcome. The year of the blood sample (``sample.yr``) belongs to the design of the study.

import io
import subprocess
import sys
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sksurv.datasets import load_flchain

from basrelief import ReliefF

table, outcome = load_flchain()
years = outcome["futime"] / 365.25
died, alive = outcome["death"] & (years <= 5), years > 5
print(f"died: {died.sum()}, alive: {alive.sum()}, excluded: {(~died & ~alive).sum()}")
assert table["chapter"][died].notna().all()
table["outcome"] = np.where(died, "died", "alive")
table = table[died | alive].drop(columns=["chapter", "sample.yr"])
table = table.groupby("outcome").sample(400, random_state=0).reset_index(drop=True)
X, y = table.drop(columns="outcome"), table["outcome"]

# %%
# The kind of each column
# -----------------------
# The command line reports the kind of every column. In a CSV file, texts are categories, and the
# deciles of the light chains (``flc.grp``, 1 to 10) are numbers. In the data frame, the deciles
# are categories without an order, by their type. It is better to declare their order.

command = [sys.executable, "-m", "basrelief", "rank", "-", "--input-format", "csv"]
command += ["--target", "outcome", "--format", "csv", "--quiet"]
csv = table.to_csv(index=False)
ranking = subprocess.run(command, input=csv, stdout=subprocess.PIPE, text=True, check=True).stdout
kinds = pd.read_csv(io.StringIO(ranking), index_col="feature")["kind"]
print(pd.DataFrame({"type in the frame": X.dtypes, "kind from CSV": kinds}).loc[X.columns])
assert kinds["flc.grp"] == "numeric"

deciles = [str(number) for number in range(1, 11)]
unordered = ReliefF(30).fit(X, y, intervals=True)
ordered = ReliefF(30, ordinal_features={"flc.grp": deciles}).fit(X, y, intervals=True)

# %%
# Weights with intervals
# ----------------------
# The difference of two categories is 0 or 1. The difference of two numbers is divided by the range
# of the column, and that of two ordered levels is their number of steps, divided by 9 here.
# ``intervals=True`` computes 95 % intervals of the expected weights.

order = np.argsort(-ordered.weights_, kind="stable")
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for selector, shift, color, marker, label in [
    (unordered, -0.15, "#D55E00", "s", "flc.grp as categories"),
    (ordered, 0.15, "#0072B2", "o", "flc.grp in its order"),
]:
    weights = selector.weights_[order]
    whiskers = np.abs(selector.weight_intervals_[order].T - weights)
    places = np.arange(len(order)) + shift
    ax.errorbar(weights, places, xerr=whiskers, fmt=marker, color=color, capsize=3, label=label)
ax.axvline(0, color="black", linewidth=0.8)
labels = {**kinds, "flc.grp": "see legend"}
ax.set_yticks(range(len(order)), [f"{name} ({labels[name]})" for name in X.columns[order]])
ax.invert_yaxis()
ax.set(xlabel="weight (ReliefF) with 95 % interval")
ax.legend(frameon=False, loc="lower right")
plt.show()
assert [X.columns[s.weights_.argmax()] for s in (unordered, ordered)] == ["flc.grp", "age"]

# %%
# The kind of one column changes the ranking. As categories, the first and the second decile differ
# as much as the first and the last, so that most pairs of rows have the largest possible difference
# in ``flc.grp``. The distances change, too: ``sex`` has another weight because other rows are
# neighbors. Weights of numbers and of categories have different scales, and an interval is not a
# test; ``basrelief.permutation_test`` compares each weight with permuted data.
#
# Missing values
# --------------
# Creatinine is missing more often in persons who lived on, so that an analysis of complete rows
# would exclude more of them. By default (``missing="expected"``), the difference to a missing value
# is the expected difference given the class, and all rows count. Here the weights hardly change.

missing = X["creatinine"].isna()
print("share of missing creatinine:", missing.groupby(y).mean().round(3).to_dict())
complete = clone(ordered).fit(X[~missing], y[~missing])
weights = {"all rows": ordered.weights_, "complete rows": complete.weights_}
print(pd.DataFrame(weights, index=X.columns).round(4))
assert np.allclose(*weights.values(), atol=0.005)
assert missing[y == "alive"].mean() > 2 * missing[y == "died"].mean()

# %%
# A malformed cell
# ----------------
# Suppose that one value of creatinine was exported with its unit. The column is then refused, and
# not read as categories. The error names the column, the cell and its row (counted from 1).

malformed = X.astype({"creatinine": object})
malformed.loc[17, "creatinine"] = "1.1 mg/dl"
try:
    ordered.fit(malformed, y)
except ValueError as error:
    message = str(error)
print(textwrap.fill(message, 90))
assert {"`creatinine`:", "(row"} < set(message.split())
