"""Results as data frames, and as tables in notebooks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from basrelief import (
    LDA,
    LFE,
    Euclidean,
    Kernelized,
    ReliefF,
    Stable,
    interacting_pairs,
    permutation_test,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 5)), columns=["age", "dose", "<b>", "noise", "more"])
    return X, np.where(X["age"] * X["dose"] > 0, "ill", "well")


def test_a_selector_is_a_frame_in_the_order_of_its_ranking(data):
    selector = ReliefF(n_features_to_select=2).fit(*data)
    frame = selector.to_frame()
    assert list(frame) == ["rank", "feature", "weight", "selected"]
    assert list(frame["rank"]) == sorted(selector.ranking_)
    assert set(frame["feature"][:2]) == {"age", "dose"}
    assert list(frame["selected"]) == [True, True, False, False, False]
    by_name = dict(zip(frame["feature"], frame["weight"], strict=True))
    assert [by_name[name] for name in data[0]] == list(selector.weights_)
    with pytest.raises(NotFittedError):
        ReliefF().to_frame()
    # Without the test that the parameter asks for, nothing is selected.
    assert "selected" not in selector.set_params(n_features_to_select="max-t").to_frame()


def test_a_permutation_test_is_a_frame_and_a_table(data):
    found = permutation_test(ReliefF(), *data, n_permutations=99, random_state=0)
    frame = found.to_frame()
    assert list(frame)[:3] == ["feature", "weight", "p-value"]
    assert frame["weight"].is_monotonic_decreasing
    assert frame["selected"].sum() == found.selected_.sum()
    assert repr(found) == (
        f"PermutationTestResult: {found.selected_.sum()} of 5 features are significant"
    )
    html = found._repr_html_()
    assert "The best 5 of 5 features" in html
    assert "&lt;b&gt;" in html
    assert "<bdi><b>" not in html
    adaptive = permutation_test(ReliefF(), *data, n_permutations="adaptive:200", random_state=0)
    assert "adjusted" not in adaptive.to_frame()


def test_pairs_are_named(data):
    found = interacting_pairs(*data, n_pairs=3)
    frame = found.to_frame()
    assert {frame["first feature"][0], frame["second feature"][0]} == {"age", "dose"}
    assert "The strongest 3 of 10 tested pairs" in found._repr_html_()
    assert repr(found) == "InteractingPairs: the strongest 3 of 10 pairs"
    unnamed = interacting_pairs(data[0].to_numpy(), data[1], n_pairs=3)
    assert {unnamed.to_frame().iloc[0, 0], unnamed.to_frame().iloc[0, 1]} == {"x0", "x1"}


def test_stability_selection_is_a_frame(data):
    stable = Stable(ReliefF(), n_resamples=10, cutoff=0.5, random_state=0).fit(*data)
    frame = stable.to_frame()
    assert list(frame) == ["rank", "feature", "frequency", "selected"]
    assert frame["selected"].sum() == stable.get_support().sum()


def test_maps_are_frames_of_components(data):
    X, y = data
    frame = LFE(2).fit(X, y).to_frame()
    assert list(frame) == ["component", "eigenvalue", *X]
    assert frame.shape[0] == 2
    # A feature that is called as a column of every frame replaces none.
    named = LFE(2).fit(X.rename(columns={"age": "component"}), y).to_frame()
    assert list(named)[:3] == ["component", "eigenvalue", "component (feature)"]
    diagonal = Euclidean().fit(X).to_frame()
    assert list(diagonal["feature"]) == list(X)
    kernel = Kernelized(LDA(ridge=1e-3), "rbf:rho=1").fit(X, y)
    assert list(kernel.to_frame()) == ["component", "eigenvalue"]
    for fitted in (LFE(2).fit(X, y), Euclidean().fit(X), kernel):
        assert "<caption>The first" in fitted._repr_html_()
    assert "<caption>" not in LFE(2)._repr_html_()
    wide = np.random.default_rng(1).normal(size=(20, 300))
    html = LFE(1).fit(wide, wide[:, 0] > 0)._repr_html_()
    assert "largest entries" in html
    assert html[html.rindex("<tbody") :].count("<td") == 3
