"""Pages of fitted selectors, and what notebooks show of them."""

import pickle
import re
import subprocess
import sys
from html import unescape

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import basrelief
from basrelief import (
    LDA,
    LFE,
    NCA,
    PCA,
    IRelief,
    Kernelized,
    ReliefF,
    RReliefF,
    Stable,
    TuRF,
)

HOSTILE = "</script><img src=x onerror=\"alert('taken')\">"


@pytest.fixture(scope="module")
def data():
    """Features of which `first` and `second` matter together only, and `kind` is a category."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(120, 6)), columns=["first", "second", *"abcd"])
    X["kind"] = random.choice(["red", "green"], 120)
    y = pd.Series(np.where(X["first"] * X["second"] > 0, "same", "opposite"), name="signs")
    return X, y


@pytest.fixture(scope="module")
def fitted(data):
    return ReliefF(n_neighbors=7, random_state=3).fit(*data)


def text(html):
    """Give what stands on a page, without its markup."""
    html = re.sub(r"(?s)<(style|script).*?</\1>", "", html)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", html)))


def shown_weights(html):
    """Read the table of all features: name and weight, best first."""
    table = html[html.index('<div id="features"') :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")])
    cells = [[text(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows[1:]]
    return [(name, float(weight.replace("\u2212", "-"))) for _, name, _, weight, _ in cells]


def best_first(names, weights):
    order = np.argsort(-weights, kind="stable")
    return [(names[place], pytest.approx(weights[place], abs=1e-5)) for place in order]


def test_a_page_shows_the_weights_of_the_fit(data, fitted):
    html = fitted.to_html(*data)
    assert html.startswith("<!DOCTYPE html>")
    shown = text(html)
    assert shown_weights(html) == best_first(data[0].columns, fitted.weights_)
    assert "120" in shown
    assert "signs" in shown
    assert "relieff (neighbors = 7, seed = 3" in shown
    assert "ReliefF(n_neighbors=7, random_state=3).fit(X, y)" in shown
    assert 'use n_features_to_select="max-t"' in shown


def test_a_page_shows_the_outcome_of_the_fit_and_does_not_fit_again(data, fitted, monkeypatch):
    monkeypatch.setattr(basrelief._native, "fit", None)
    other = pickle.loads(pickle.dumps(fitted))
    # What happens to an attribute is not what the fit found.
    other.weights_ = np.arange(7.0)
    assert shown_weights(other.to_html(*data)) == best_first(data[0].columns, fitted.weights_)


def test_a_page_is_the_same_for_the_same_fit(data, fitted):
    again = clone(fitted).set_params(n_jobs=2).fit(*data)
    command = "ReliefF(n_jobs=2, n_neighbors=7, random_state=3)"
    assert command in text(again.to_html(*data))
    html = again.to_html(*data).replace("n_jobs=2, ", "")
    assert html == fitted.to_html(*data)


def test_a_page_tells_the_options_of_the_fit(data, fitted):
    changed = clone(fitted).fit(*data).set_params(n_neighbors=2, random_state=99)
    assert changed.to_html(*data) == fitted.to_html(*data)


def test_a_pickled_selector_has_the_same_page(data, fitted):
    assert pickle.loads(pickle.dumps(fitted)).to_html(*data) == fitted.to_html(*data)


def test_frames_of_polars_and_stated_kinds_have_pages(data):
    X, y = data
    frame = pl.DataFrame({name: X[name].to_list() for name in X.columns})
    target = pl.Series("signs", y.to_list())
    options = {"n_neighbors": 7, "random_state": 3}
    page = ReliefF(**options).fit(frame, target).to_html(frame, target)
    assert page == ReliefF(**options).fit(X, y).to_html(X, y)
    genotypes = np.random.default_rng(0).integers(0, 3, (80, 3)).astype(np.int8)
    selector = ReliefF(genotype_features="all").fit(genotypes, genotypes[:, 1] > 0)
    assert "3 genotype" in text(selector.to_html(genotypes, genotypes[:, 1] > 0))


def test_a_page_names_the_seed_that_was_drawn(data):
    X, y = data
    shown = text(ReliefF(random_state=np.random.RandomState(1)).fit(X, y).to_html(X, y))
    seed = int(np.random.RandomState(1).randint(np.iinfo(np.int32).max))
    assert f"ReliefF(random_state={seed}).fit(X, y)" in shown
    wrapper = TuRF(ReliefF(random_state=5), keep=3).fit(X, y)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    shown = text(wrapper.to_html(X, y))
    assert "seed = 5" in shown
    # A page draws nothing.
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_a_page_shows_the_test(data):
    X, y = data
    selector = ReliefF(n_features_to_select="max-t", n_permutations=99, random_state=0)
    selector.fit(X, y)
    shown = text(selector.to_html(X, y))
    assert selector.get_support().sum() == 2
    assert "2 of 7 features are significantly associated with signs" in shown
    assert "99 permutations of the target; adjusted p (max-T) ≤ 0.05" in shown


@pytest.mark.parametrize(
    ("options", "selector", "wanted"),
    [
        (
            "--neighbors 7 --permutations 99",
            ReliefF(n_neighbors=7, n_features_to_select="max-t", n_permutations=99, random_state=3),
            "99 permutations",
        ),
        (
            "--wrap turf:drop=0.3,keep=2",
            TuRF(ReliefF(), drop=0.3, keep=2, random_state=3),
            "turf scored the features 5 times",
        ),
        ("--method irelief", IRelief(random_state=3), "change of the weights in every iteration"),
    ],
)
def test_a_page_is_that_of_the_command_line(data, tmp_path, options, selector, wanted):
    X, y = data
    X.assign(signs=y).to_csv(tmp_path / "signs.csv", index=False)
    options = f"--target signs --seed 3 {options} --no-time --quiet"
    command = f"rank signs.csv {options} --report page.html"
    subprocess.run(
        [sys.executable, "-m", "basrelief", *command.split()],
        cwd=tmp_path,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    page = clone(selector).fit(X, y).to_html(X, y, data_name="signs.csv")
    assert wanted in text(page)
    # Only what repeats it is another.
    repeats = re.compile(r'(?s)(<pre id="command"[^>]*>).*?</pre>')
    theirs = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert repeats.search(theirs)[0] != repeats.search(page)[0]
    # Nor do both speak of options alike.
    page = page.replace("n_features_to_select=&#34;max-t&#34;", "--permutations 1000")
    assert repeats.sub("", theirs) == repeats.sub("", page)


def test_wrappers_and_real_targets_have_pages(data):
    X, _ = data
    y = X["first"] + 0.1 * X["second"]
    shown = text(TuRF(RReliefF(), keep=2).fit(X, y).to_html(X, y, data_name="rows of mine"))
    assert "turf" in shown
    assert "rows of mine" in shown
    # Arrays and lists have no names.
    numbers = X.drop(columns="kind").to_numpy()
    shown = text(RReliefF().fit(numbers, y.to_numpy()).to_html(numbers, y.to_numpy()))
    assert "x0" in shown
    assert "Target: y" in shown
    shown = text(RReliefF().fit(numbers, y.tolist()).to_html(numbers.tolist(), y.tolist()))
    assert "Target: y" in shown


def test_the_page_of_stable_says_what_is_kept_and_how_often(data):
    X, y = data
    stable = Stable(ReliefF(), n_resamples=40, random_state=1).fit(X, y)
    html = stable.to_html(X, y, data_name="signs")
    shown = text(html)
    first, second = X.columns[np.argsort(stable.ranking_)][:2]
    cutoff, fdp = (f"{100 * share:.1f}" for share in (stable.cutoff_, stable.fdp_))
    assert (
        f"2 of 7 features are selected in at least {cutoff} % of the resamples: {first}, {second}. "
        f"An estimated {fdp} % of those kept are false. The stability of the selections is "
        f"{stable.stability_:.3f} "
    ) in shown
    assert "40 of 60 rows, each selects 2 features" in shown
    assert "a permuted copy of every feature" in shown
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", html)
    assert len(rows) == 7
    for row, place in zip(rows, np.argsort(stable.ranking_), strict=True):
        assert f"{100 * stable.frequencies_[place]:.1f} %" in text(row)
        assert text(row).endswith("yes" if stable.get_support()[place] else "no")
    # Nothing is drawn or ranked again.
    assert html == pickle.loads(pickle.dumps(stable)).to_html(X, y, data_name="signs")
    with pytest.raises(ValueError, match="there are 60 rows"):
        stable.to_html(X[:60], y[:60])


def test_the_page_of_stable_says_where_nothing_is_kept(data, tmp_path):
    X, _ = data
    y = np.random.default_rng(5).integers(0, 2, len(X))
    with pytest.warns(basrelief.ReliefWarning, match="no feature is kept"):
        stable = Stable(n_resamples=20, random_state=0).fit(X, y)
    stable.report(X, y, tmp_path / "page.html")
    shown = text((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "None of 7 features is selected often enough." in shown
    assert "no feature is kept: " in shown


def test_hostile_names_are_text(data):
    X, y = data
    X = X.rename(columns={"first": HOSTILE})
    selector = ReliefF().fit(X, y)
    html = selector.to_html(X, y, data_name=HOSTILE)
    assert "<img" not in html
    assert "<img" not in selector._repr_mimebundle_()["text/html"]
    assert HOSTILE[:30] in unescape(selector._repr_mimebundle_()["text/html"])


def test_a_report_is_the_page(data, fitted, tmp_path):
    file = tmp_path / "page.html"
    assert fitted.report(*data, file) is None
    assert file.read_text(encoding="utf-8") == fitted.to_html(*data)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_report_replaces_a_file_with_force_only(data, fitted, tmp_path):
    file = tmp_path / "page.html"
    file.write_text("mine")
    with pytest.raises(ValueError, match=r"page\.html.*exists.*force=True"):
        fitted.report(*data, file)
    assert file.read_text() == "mine"
    fitted.report(*data, str(file), force=True)
    assert file.read_text(encoding="utf-8") == fitted.to_html(*data)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("page.pdf", r"page\.pdf.*\.html"),
        ("page", r"page.*\.html"),
        ("missing/page.html", r"missing"),
    ],
)
def test_a_report_needs_a_fit_file(data, fitted, tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        fitted.report(*data, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_other_data_are_refused(data, fitted, tmp_path):
    X, y = data
    with pytest.raises(ValueError, match="there are 60 rows, but the estimator was fitted to 120"):
        fitted.report(X[:60], y[:60], tmp_path / "page.html")
    with pytest.raises(ValueError, match="6 columns, but the estimator was fitted to 7"):
        fitted.to_html(X.drop(columns="a"), y)
    with pytest.raises(ValueError, match="columns differ in name or order"):
        fitted.to_html(X[X.columns[::-1]], y)
    assert not list(tmp_path.iterdir())
    assert fitted.n_features_in_ == 7


def test_an_unfitted_selector_has_no_page(data):
    with pytest.raises(NotFittedError):
        ReliefF().to_html(*data)


def table_rows(html):
    """Give the texts of the cells of the last table's body."""
    body = html[html.rindex("<tbody>") :]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr.*?</tr>", body)]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in cells]


@pytest.mark.parametrize("way", ["_repr_html_", "_repr_mimebundle_"])
def test_notebooks_show_the_ten_best(data, way):
    def shown(selector):
        found = getattr(selector, way)()
        return found["text/html"] if way == "_repr_mimebundle_" else found

    random = np.random.default_rng(0)
    X = random.normal(size=(60, 12))
    y = X[:, 4] > 0
    assert "<caption>" not in shown(ReliefF())
    selector = ReliefF().fit(X, y)
    html = shown(selector)
    # scikit-learn's own stands first.
    assert html.index("sk-top-container") < html.index("<caption>The best 10 of 12 features")
    rows = table_rows(html)
    order = np.argsort(-selector.weights_)[:10]
    assert [name for _, name, *_ in rows] == [f"x{place}" for place in order]
    assert rows[0] == ["1", "x4", f"{selector.weights_[4]:.4f}", "yes"]
    # Rows that are selected are bold.
    assert html.count("font-weight:bold") == min(selector.get_support().sum(), 10)
    with config_context(display="text"):
        assert not hasattr(selector, "_repr_html_")


def test_notebooks_show_the_frequencies_of_stability_selection():
    X = np.random.default_rng(0).normal(size=(60, 5))
    selector = Stable(ReliefF(), n_resamples=10, cutoff=0.6, random_state=0)
    assert "<caption>" not in selector._repr_html_()
    html = selector.fit(X, X[:, 3] > 0)._repr_html_()
    row = ["1", "x3", f"{selector.frequencies_[3]:.4f}", "yes"]
    assert table_rows(html)[0] == row
    assert table_rows(selector._repr_mimebundle_()["text/html"])[0] == row


def test_notebooks_show_p_values_and_short_names():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 2)), columns=["n" * 10_000, "b\u202e\n"])
    selector = ReliefF(n_features_to_select="max-t", n_permutations=19).fit(X, X.iloc[:, 0] > 0)
    html = selector._repr_html_()
    table = html[html.rindex("<table") :]
    assert f"{selector.pvalues_[0]:.4f}" in table
    assert "adjusted" in table
    assert "n" * 39 + "…" in table
    assert "n" * 41 not in table
    assert "\u202e" not in table


@pytest.mark.parametrize(
    ("options", "transformer"),
    [
        ("--method lfe --scale standard --components 2", LFE(2, scale="standard", random_state=0)),
        ("--method pca --components 2", PCA(2, random_state=0)),
        ("--method nca --components 2 --max-iter 5", NCA(2, max_iter=5, random_state=0)),
        (
            "--method lda --kernel rbf:rho=2 --ridge 0.001",
            Kernelized(LDA(ridge=1e-3, random_state=0), "rbf:rho=2"),
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
def test_the_page_of_a_map_is_that_of_the_command_line(data, tmp_path, options, transformer):
    X, y = data
    X = X.drop(columns="kind")
    X.assign(signs=y).to_csv(tmp_path / "signs.csv", index=False)
    options = f"--target signs {options} --no-time --quiet --model signs.basrelief"
    command = f"fit signs.csv {options} --report page.html"
    subprocess.run(
        [sys.executable, "-m", "basrelief", *command.split()],
        cwd=tmp_path,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    fitted = clone(transformer).fit(X, y)
    page = fitted.to_html(X, y, data_name="signs.csv")
    repeats = re.compile(r'(?s)(<pre id="command"[^>]*>).*?</pre>')
    theirs = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ".fit(X, y)" in repeats.search(page)[0]
    page = page.replace("cross-validation measures", "basrelief evaluate measures")
    # Options are spelled as the reader gives them.
    theirs = theirs.replace("--max-iter", "max_iter").replace("--tol", "tol")
    assert repeats.sub("", theirs) == repeats.sub("", page)
    # A fit that was stored has the same page.
    again = pickle.loads(pickle.dumps(fitted)).to_html(X, y, data_name="signs.csv")
    assert again.replace("cross-validation measures", "basrelief evaluate measures") == page


def test_the_page_of_a_map_needs_no_target_where_the_map_needs_none(data, tmp_path):
    X = data[0].drop(columns="kind")
    fitted = PCA(2).fit(X)
    fitted.report(X, None, tmp_path / "page.html")
    shown = text((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "pca maps 6 features to 2 components." in shown
    assert "Target" not in shown
    with pytest.raises(ValueError, match="there are 60 rows, but the estimator was fitted to 120"):
        fitted.to_html(X[:60], None)
    with pytest.raises(NotFittedError):
        PCA(2).to_html(X, None)


def test_every_estimator_has_a_page():
    names = [entry["class_name"] for entry in basrelief.methods()]
    maps = [name for name in basrelief.__all__ if hasattr(getattr(basrelief, name), "get_metric")]
    assert "LFE" in maps
    for name in [*names, *maps, "TuRF", "VLS", "Stable", "Kernelized"]:
        estimator = getattr(basrelief, name)
        assert callable(estimator.report)
        assert callable(estimator.to_html)
