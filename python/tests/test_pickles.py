"""Pickles of earlier versions are read, and those of other versions are refused in words."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

from basrelief import ReliefF, Stable, _native

OLD = sorted((Path(__file__).parent / "pickles").glob("*.pickle"))


@pytest.fixture(scope="module", params=OLD, ids=lambda file: file.stem)
def old(request):
    with warnings.catch_warnings():
        # scikit-learn warns of its own versions.
        warnings.simplefilter("ignore")
        return pickle.loads(request.param.read_bytes())


def test_there_are_old_pickles():
    assert [file.stem for file in OLD] == ["0.1.0"]


def test_old_pickles_transform_as_before(old):
    for name, (fitted, expected) in old["fitted"].items():
        assert np.array_equal(fitted.transform(old["X"]), expected), name


def test_old_pickles_have_no_page_and_say_so(old):
    for fitted, _ in old["fitted"].values():
        with pytest.raises(ValueError, match=r"pickled by an earlier version .* fit it again"):
            fitted.to_html(old["X"], old["y"])


@pytest.fixture(scope="module")
def outcomes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] > 0
    selector = ReliefF(n_features_to_select="max-t", n_permutations=99, random_state=0)
    stable = Stable(n_resamples=5, random_state=0)
    return [estimator.fit(X, y)._past_fit.outcome for estimator in (selector, stable)]


def test_outcomes_pickle_with_all_bits(outcomes):
    for outcome in outcomes:
        again = pickle.loads(pickle.dumps(outcome))
        assert again.__reduce__() == outcome.__reduce__()
    weights, resamples = (pickle.loads(pickle.dumps(outcome)) for outcome in outcomes)
    assert np.array_equal(weights.weights, outcomes[0].weights)
    assert np.array_equal(weights.test["p_values"], outcomes[0].test["p_values"])
    assert np.array_equal(resamples.frequencies, outcomes[1].frequencies)


def test_what_is_no_outcome_is_refused(outcomes):
    kind, (stored,) = outcomes[0].__reduce__()
    other = bytearray(stored)
    # The version follows the first eight bytes.
    other[8] += 1
    with pytest.raises(ValueError, match=r"with format 8, but this is .*; fit again"):
        kind(bytes(other))
    for damaged in (stored[:-1], stored[:100], b"", stored[:200] + b"x" + stored[201:]):
        with pytest.raises(ValueError, match="damaged"):
            kind(damaged)
    with pytest.raises(ValueError, match="is a ranking and not a stability"):
        _native.Resamples(stored)
