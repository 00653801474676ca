"""
Two SNPs that matter only together
==================================

Can a study find two SNPs that affect a disease only in combination, among hundreds of others? The
data are a generated case-control cohort with a known pair. Half of the people are for discovery,
the other half for confirmation.
"""

# %%
# A cohort with a known pair
# --------------------------
# ``basrelief synth cohort`` writes a PLINK fileset, and ``read_plink`` reads it like that of a real
# study. Two SNPs interact, and neither has a marginal effect: the risk does not depend on one of
# them alone. The pair explains 40 % of the variance of the liability, a strong effect that keeps
# this page quick. SNPs are independent of each other, as after pruning.

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2_contingency
from sklearn.model_selection import train_test_split

from basrelief import MultiSURF, interacting_pairs, permutation_test, read_plink

options = "--rows 3000 --variants 400 --block 1 --frequencies 0.1:0.5 --heritability 0.4 --main 0"
options += " --main-heritability 0 --output cohort.bed --truth truth.json --quiet"
command = [sys.executable, "-m", "basrelief", "synth", "cohort", *options.split()]
folder = tempfile.TemporaryDirectory()
subprocess.run(command, cwd=folder.name, check=True)
planted = json.loads(Path(folder.name, "truth.json").read_text())["interacting"][0]

cohort = read_plink(Path(folder.name, "cohort.bed"))
names, y = np.asarray(cohort.variants["ID"]), np.asarray(cohort.y)
rows, others = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
print(f"{len(rows)} people for discovery, {len(others)} for confirmation; the pair: {planted}")

# %%
# The usual scan: one SNP at a time
# ---------------------------------
# The chi-squared test of each SNP and the status finds nothing. A filter that passes the tenth of
# the SNPs with the smallest p-values would exclude the pair. A larger study would not help, because
# neither SNP has a marginal effect.

genotypes, is_case = cohort.X.to_numpy(), y == "case"
cells = 3 * is_case[rows, np.newaxis] + genotypes[rows]
tables = [np.bincount(column, minlength=6).reshape(2, 3) for column in cells.T]
pvalues = np.array([chi2_contingency(table).pvalue for table in tables])
pair = np.flatnonzero(np.isin(names, planted))
print("p-values of the pair:", pvalues[pair].round(2))
assert len(names) * pvalues.min() > 0.05
assert (pvalues[pair] > np.quantile(pvalues, 0.1)).all()

# %%
# Discovery: distances by all SNPs
# --------------------------------
# ``basrelief.MultiSURF`` compares people with similar genotypes. If one of them is a case and the
# other a control, they often differ in a SNP of the pair, and both SNPs get large weights.
# ``genotype_diff="categorical"`` counts genotypes as equal or different, because an interaction
# need not grow with the number of alleles. The adjusted p-value (max-T) compares a weight with the
# largest of all weights in permuted data.

selector = MultiSURF(genotype_diff="categorical")
test = permutation_test(selector, cohort.X[rows], y[rows], n_permutations=199, random_state=0)
found = np.flatnonzero(test.selected_)
print("significant:", *names[found], "adjusted p:", *test.adjusted_pvalues_[found])
assert set(names[found]) == set(planted)

GRAY, ORANGE, BLUE = "#999999", "#D55E00", "#0072B2"
figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.0), layout="constrained", sharex=True)
for ax, values, threshold, label in [
    (axes[0], -np.log10(pvalues), -np.log10(0.05 / len(names)), "$-\\log_{10}$ p (chi-squared)"),
    (axes[1], test.weights_, test.chance_weight_, "weight (MultiSURF)"),
]:
    ax.plot(values, ".", color=GRAY, markersize=4, label="other SNPs")
    ax.plot(pair, values[pair], "D", color=ORANGE, label="interacting pair")
    ax.axhline(threshold, color=BLUE, linestyle="--", label="5 % family-wise error")
    ax.set(xlabel="SNP (order of the file)", ylabel=label)
figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
plt.show()

# %%
# Confirmation: the interaction itself
# ------------------------------------
# A weight does not show which SNPs interact. ``interacting_pairs`` compares two models of the
# status, with and without an interaction of the genotypes, by their likelihood ratio. In the
# discovery half its p-value would be too small, because the pair was selected there.

result = interacting_pairs(cohort.X[others], y[others], features=found)
print(f"{result.n_tested_} pair tested, log10 of its p-value: {result.log10_pvalues_[0]:.0f}")
assert result.pvalues_[0] < 0.05
first, second = genotypes[np.ix_(others, result.pairs_[0])].T
counts = np.zeros((2, 4, 4), dtype=int)
for row, column in [(first, second), (first, 3), (3, second), (3, 3)]:
    np.add.at(counts, (is_case[others].astype(int), row, column), 1)
risk = 100 * counts[1] / counts.sum(axis=0)

figure, ax = plt.subplots(figsize=(5.4, 4.4), layout="constrained")
figure.colorbar(ax.imshow(risk, cmap="PuOr_r", vmin=0, vmax=100), label="cases (%)")
for place in np.ndindex(4, 4):
    text = f"{risk[place]:.0f} %\nof {counts.sum(axis=0)[place]}"
    shade = "white" if risk[place] < 20 else "black"
    ax.text(*place[::-1], text, ha="center", va="center", color=shade)
ax.plot([2.5, 2.5, np.nan, -0.5, 3.5], [-0.5, 3.5, np.nan, 2.5, 2.5], color="black")
for axis, snp in zip([ax.yaxis, ax.xaxis], result.pairs_[0], strict=True):
    axis.set_ticks(range(4), ["0", "1", "2", "all"])
    axis.set_label_text(f"copies of {cohort.variants['A1'][snp]} at {names[snp]}")
plt.show()
assert np.ptp(risk[:3, :3]) > 40 > 10 > max(np.ptp(risk[3]), np.ptp(risk[:, 3]))
folder.cleanup()

# %%
# The last row and the last column are what a test of one SNP sees: the share of cases hardly
# changes. The cells inside differ. In a case-control study, these shares are not the risks in the
# population, and both SNPs may only mark the variants that have the effect.
