"""
A report for colleagues
=======================

How do you give a ranking to colleagues who do not use Python? Every fitted estimator writes a
self-contained HTML page. The data are a simulated clinical table, in which four features affect
the outcome.
"""

# %%
# The command line generates the table, which has numbers, categories and an ordinal feature. The
# stage and troponin affect the outcome by themselves. The drug and the variant affect it together.
# Two columns are not features here: ``study`` is constant, and ``glucose_copy`` is a copy.

import html
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import basrelief
from basrelief.plots import plot_map, plot_ranking

folder = tempfile.TemporaryDirectory()
file = Path(folder.name, "clinic.csv")
command = [sys.executable, "-m", "basrelief", "synth", "mixed", "--rows", "400", "--missing", "0"]
subprocess.run([*command, "--output", file, "--quiet"], check=True)
table = pd.read_csv(file)
X, y = table.drop(columns=["outcome", "study", "glucose_copy"]), table["outcome"]
print(X.head(3).T)

# %%
# The selector tests the features by permutations, so that the report states which of them are
# significant. The stage has an order, which ``ordinal_features`` declares.

selector = basrelief.ReliefF(
    n_neighbors=20,
    n_features_to_select="max-t",
    n_permutations=999,
    ordinal_features={"stage": ["I", "II", "III"]},
    random_state=0,
).fit(X, y)
print(selector.to_frame().round(4).to_string(index=False))
assert set(selector.get_feature_names_out()) == {"drug", "variant", "stage", "troponin"}

# %%
# ``report`` writes the page. It fits nothing again, and therefore needs the data of the fit. An
# existing file is replaced with ``force=True`` only. The page contains style, script and figures,
# and makes no request to any host. It contains no time, so that equal fits give equal bytes.

page = Path(folder.name, "report.html")
selector.report(X, y, page, data_name="clinic.csv")
print(f"{page.stat().st_size / 1000:.0f} kB")
assert page.read_text(encoding="utf-8") == selector.to_html(X, y, data_name="clinic.csv")

# %%
# A browser opens the file. A notebook, or a web page such as this one, embeds it in an ``iframe``,
# so that its style does not affect the page around it. Links inside an embedded page start with
# ``about:srcdoc``.


class Embedded:
    """A page inside another page."""

    def __init__(self, document):
        self.document = document.replace('href="#', 'href="about:srcdoc#')

    def _repr_html_(self):
        return (
            f'<iframe srcdoc="{html.escape(self.document)}" title="Ranking of clinic.csv" '
            'style="width: 100%; height: 640px; border: 1px solid #999999"></iframe>'
        )


Embedded(page.read_text(encoding="utf-8"))

# %%
# The first sentence of the page is the answer. In the ranking, the shaded band ends at the null
# threshold. The section of interactions names the drug and the variant, and a table shows their
# effect: carriers of the variant recover better with drug A, and the others with drug B. In the
# whole sample, the drugs have nearly the same share of patients who are worse.

is_worse = y == "worse"
shares = is_worse.groupby([X["drug"], X["variant"]]).mean().unstack()
print(shares.round(2), is_worse.groupby(X["drug"]).mean().round(2), sep="\n\n")
assert shares.loc["A", "carrier"] < shares.loc["B", "carrier"]
assert shares.loc["A", "non-carrier"] > shares.loc["B", "non-carrier"]
assert abs(is_worse.groupby(X["drug"]).mean().diff().iloc[-1]) < 0.1

# %%
# Do not read more into the page than it contains. The weights of the best features are biased
# upwards (winner's curse), and the page has no prediction error. Its map shows the rows from which
# the map was learned. ``basrelief.plots`` draws figures with matplotlib, for example for a paper.
# Here the map is learned from one half of the rows, and the figure shows the other half.

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
plot_ranking(selector, ax=left)
lfe = basrelief.LFE(2, scale="standard", ordinal_features=selector.ordinal_features)
plot_map(lfe.fit(X[:200], y[:200]), X[200:], y[200:], ax=right)
right.set_title("Held-out rows (LFE)")
plt.show()

first = pd.Series(lfe.transform(X[200:])[:, 0], index=X.index[200:])
assert first.corr(X["troponin"][200:]) > 0.8
assert first[is_worse[200:]].mean() > first[~is_worse[200:]].mean()

# %%
# Significant features have bars in full color, beyond the null threshold. In the map, patients with
# much troponin are on the right, and more of them are worse. The classes still overlap: LFE is a
# linear map, and no linear combination of the drug and the variant separates the classes. A map
# that overlaps is therefore not evidence against an interaction.
