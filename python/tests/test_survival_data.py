"""Survival times of real studies, as scikit-survival and lifelines distribute them."""

import importlib.util

import numpy as np
import pytest

from basrelief import SURF, MultiSURF, SurvivalRelief, permutation_test, residuals

datasets = pytest.importorskip("sksurv.datasets", reason="scikit-survival is not installed")
needs_lifelines = pytest.mark.skipif(
    importlib.util.find_spec("lifelines") is None,
    reason="lifelines is not installed (requirements-lifelines.txt)",
)


def study(name):
    """Read a study: the features, which of them are categories, times and events."""
    X, y = getattr(datasets, f"load_{name}")()
    events, times = (y[field] for field in y.dtype.names)
    categories = [column for column in X if X[column].dtype.kind not in "if"]
    return X, categories, y, times, events


@pytest.mark.parametrize(
    ("name", "known"),
    [
        # Nodes (and hormone receptors) in the German breast cancer study, heart failure and age in
        # the Worcester heart attack study, the Karnofsky score and the cell type in the lung cancer
        # trial of the Veterans' Administration, the estrogen receptor in GSE7390.
        ("gbsg2", {"pnodes"}),
        ("whas500", {"chf", "age"}),
        ("veterans_lung_cancer", {"Karnofsky_score", "Celltype"}),
        ("breast_cancer", {"er"}),
    ],
)
@pytest.mark.parametrize("method", [SurvivalRelief, MultiSURF])
def test_known_factors_come_first(name, known, method):
    X, categories, y, _, _ = study(name)
    selector = method(categorical_features=categories).fit(X, y)
    best = np.argsort(selector.ranking_, kind="stable")[: len(known)]
    assert set(X.columns[best]) == known
    assert (selector.weights_[best] > 0).all()


@pytest.mark.parametrize("name", ["gbsg2", "whas500", "veterans_lung_cancer"])
def test_residuals_use_the_coefficients_of_scikit_survival(name):
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    X, categories, y, times, events = study(name)
    covariates = X[[column for column in X if column not in categories]].astype(float)
    model = CoxPHSurvivalAnalysis(ties="efron", tol=1e-13, n_iter=200)
    hazards = np.exp(model.fit(covariates.to_numpy(), y).predict(covariates.to_numpy()))
    expected = quantiles(hazards, times, events)
    np.testing.assert_allclose(residuals(y, covariates), expected, atol=1e-8)


def quantiles(hazards, times, events):
    """Compute the mean quantiles of survival times, with Efron's estimate of the hazard."""
    steps = np.unique(times[events])
    cumulative = [0.0]
    for step in steps:
        own = (times == step) & events
        gone = np.arange(own.sum()) / own.sum() * hazards[own].sum()
        cumulative.append((1 / (hazards[times >= step].sum() - gone)).sum())
    cumulative = np.cumsum(cumulative)
    before, after = (
        np.exp(-cumulative[np.searchsorted(steps, times, side=side)] * hazards)
        for side in ("left", "right")
    )
    return np.where(events, 1 - (before + after) / 2, 1 - after / 2)


def test_quantiles_given_a_covariate_do_not_depend_on_it():
    X, _, y, _, _ = study("veterans_lung_cancer")
    score = X[["Karnofsky_score"]].astype(float)
    quantiles = residuals(y, score)
    low = (score <= score.median()).to_numpy().ravel()
    for half in (low, ~low):
        assert abs(quantiles[half].mean() - 0.5) < 0.06


def table_of_lifelines(name):
    """Read the features and the target of a table, and the names of its times and events."""
    from lifelines import datasets as tables

    time, event, ids = {"rossi": ("week", "arrest", []), "lung": ("time", "status", ["inst"])}[name]
    table = getattr(tables, f"load_{name}")().drop(columns=ids)
    y = np.zeros(len(table), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = table[event], table[time]
    X = table.drop(columns=[time, event])
    if name == "rossi":
        # Convictions are 0 to 18, and half of the people have at most 2.
        X["prio"] = np.log1p(X["prio"])
    return X, y, (time, event)


@needs_lifelines
@pytest.mark.parametrize("name", ["rossi", "lung"])
def test_residuals_use_the_coefficients_of_lifelines(name):
    from lifelines import CoxPHFitter

    X, y, (time, event) = table_of_lifelines(name)
    covariates = X if name == "rossi" else X[["age", "sex", "ph.ecog"]]
    known = covariates.notna().all(axis=1).to_numpy()
    covariates, y = covariates[known].astype(float), y[known]
    frame = covariates.assign(**{time: y["time"], event: y["event"]})
    fitted = CoxPHFitter().fit(
        frame, time, event, fit_options={"precision": 1e-14, "r_precision": 1e-14}
    )
    hazards = np.exp((covariates - covariates.mean()) @ fitted.params_).to_numpy()
    expected = quantiles(hazards, y["time"], y["event"])
    np.testing.assert_allclose(residuals(y, covariates), expected, atol=1e-8)


@needs_lifelines
@pytest.mark.parametrize(
    "selector", [SurvivalRelief(), SURF(), MultiSURF()], ids=lambda own: type(own).__name__
)
def test_features_that_cox_finds_significant_come_first_in_rossi(selector):
    from lifelines import CoxPHFitter

    X, y, (time, event) = table_of_lifelines("rossi")

    # The model of the data's documentation, which contains the number of convictions.
    frame = X.assign(**{"prio": np.expm1(X["prio"]), time: y["time"], event: y["event"]})
    p_values = CoxPHFitter().fit(frame, time, event).summary["p"]
    significant = {"fin", "age", "prio"}
    assert set(p_values.index[p_values < 0.05]) == significant
    found = permutation_test(selector, X, y, n_permutations=39)
    best = np.argsort(-found.weights_)
    # Experience at work is significant alone; race, marriage and parole are not.
    assert set(X.columns[best[:4]]) == significant | {"wexp"}
    assert (found.pvalues_[best[4:]] > 0.3).all()


@needs_lifelines
def test_scores_of_physicians_come_first_in_lung():
    X, y, _ = table_of_lifelines("lung")
    assert X.isna().to_numpy().sum() == 66
    found = permutation_test(SurvivalRelief(), X, y, n_permutations=99)
    best = list(X.columns[np.argsort(-found.weights_)])
    assert {"ph.karno", "ph.ecog"} < set(best[:3])
    p_values = dict(zip(X.columns, found.pvalues_, strict=True))
    assert p_values["ph.karno"] < 0.05 < p_values["age"]
    assert p_values["ph.ecog"] < 0.15
    # The codes 1 and 2 of the sex are categories or numbers with the same differences.
    as_categories = SurvivalRelief(categorical_features=["sex"]).fit(X, y)
    np.testing.assert_allclose(as_categories.weights_, found.weights_, atol=1e-12)
    complete = X.notna().all(axis=1).to_numpy()
    ranking = SurvivalRelief().fit(X[complete], y[complete]).ranking_
    assert set(X.columns[ranking <= 2]) == {"ph.ecog", "ph.karno"}
