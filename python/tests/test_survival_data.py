"""Survival times of real studies, as scikit-survival distributes them."""

import numpy as np
import pytest

from basrelief import MultiSURF, SurvivalRelief, residuals

datasets = pytest.importorskip("sksurv.datasets", reason="scikit-survival is not installed")


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
    expected = np.where(events, 1 - (before + after) / 2, 1 - after / 2)
    np.testing.assert_allclose(residuals(y, covariates), expected, atol=1e-8)


def test_quantiles_given_a_covariate_do_not_depend_on_it():
    X, _, y, _, _ = study("veterans_lung_cancer")
    score = X[["Karnofsky_score"]].astype(float)
    quantiles = residuals(y, score)
    low = (score <= score.median()).to_numpy().ravel()
    for half in (low, ~low):
        assert abs(quantiles[half].mean() - 0.5) < 0.06
