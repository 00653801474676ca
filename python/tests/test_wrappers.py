"""TuRF and VLS around any estimator, and around each other."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from basrelief import MDM, VLS, MultiSURF, Relief, ReliefF, ReliefWarning, RReliefF, TuRF


@pytest.fixture
def data():
    """The class is whether the first two of thirty columns agree."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(150, 30)).astype(float)
    return X, X[:, 0] == X[:, 1]


def test_turf_is_the_estimator_on_what_is_left(data):
    X, y = data
    turf = TuRF(ReliefF(5), drop=0.3, keep=7).fit(X, y)
    left = np.arange(30)
    # 30, then 9, 6, 4, 3 and 1 are dropped.
    for count in (9, 6, 4, 3, 1):
        weights = ReliefF(5).fit(X[:, left], y).weights_
        left = np.sort(left[np.argsort(-weights, kind="stable")[:-count]])
    np.testing.assert_array_equal(turf.weights_[left], ReliefF(5).fit(X[:, left], y).weights_)
    others = np.setdiff1d(np.arange(30), left)
    assert turf.weights_[others].max() < turf.weights_[left].min()
    assert turf.n_iter_ == 5
    np.testing.assert_array_equal(
        np.flatnonzero(turf.set_params(n_features_to_select=7).get_support()), left
    )


def test_vls_takes_the_best_or_the_mean_of_random_subsets(data):
    X, y = data
    plain = MultiSURF().fit(X, y).weights_
    np.testing.assert_array_equal(VLS(MultiSURF(), size=30, rounds=1).fit(X, y).weights_, plain)
    vls = VLS(MultiSURF(), size=10, rounds=8, random_state=1).fit(X, y)
    mean = clone(vls).set_params(take="mean").fit(X, y)
    assert (vls.weights_ > mean.weights_).all()
    assert vls.n_iter_ == 8
    other = clone(vls).set_params(random_state=2).fit(X, y)
    assert (vls.weights_ != other.weights_).any()


def test_the_default_is_relieff(data):
    X, y = data
    for wrapper in (TuRF(keep=5), VLS(size=10, random_state=0)):
        expected = clone(wrapper).set_params(estimator=ReliefF()).fit(X, y).weights_
        np.testing.assert_array_equal(wrapper.fit(X, y).weights_, expected)


def test_the_outermost_that_says_something_counts(data, capsys):
    X, y = data
    expected = VLS(ReliefF(), size=10, random_state=3).fit(X, y).weights_
    for inner, outer in [(3, None), (8, 3)]:
        vls = VLS(ReliefF(random_state=inner), size=10, random_state=outer)
        np.testing.assert_array_equal(vls.fit(X, y).weights_, expected)
        wrapped = TuRF(vls, keep=30).fit(X, y)
        np.testing.assert_array_equal(wrapped.weights_, expected)
    with pytest.raises(ValueError, match="0 threads cannot do any work"):
        TuRF(VLS(ReliefF(n_jobs=0))).fit(X, y)
    capsys.readouterr()
    TuRF(ReliefF(verbose=1)).fit(X, y)
    assert "relieff: done in" in capsys.readouterr().err
    # The selection is the outermost's.
    assert (
        TuRF(ReliefF(n_features_to_select=3), n_features_to_select=2).fit(X, y).get_support().sum()
        == 2
    )


def test_columns_are_what_the_estimator_inside_says(data):
    X, y = data
    frame = pd.DataFrame(X).add_prefix("snp")
    inner = ReliefF(genotype_diff="categorical", genotype_features=[])
    numbers = TuRF(inner, keep=10).fit(frame, y)
    assert list(numbers.feature_names_in_[:2]) == ["snp0", "snp1"]
    assert numbers.n_features_in_ == 30
    assert list(numbers.classes_) == [False, True]
    categories = TuRF(ReliefF(categorical_features="all"), keep=10).fit(frame, y)
    assert (numbers.weights_ != categories.weights_).any()
    genotypes = TuRF(ReliefF(genotype_diff="categorical"), keep=10).fit(frame, y)
    np.testing.assert_allclose(genotypes.weights_, categories.weights_, atol=1e-13)
    genotypes.set_params(estimator=RReliefF(), n_features_to_select=1)
    turf = genotypes.fit(frame, frame["snp4"] * 2.5)
    assert list(turf.get_feature_names_out()) == ["snp4"]
    assert not hasattr(turf, "classes_")


def test_nested_parameters_in_a_grid_search(data):
    X, y = data
    wrapper = TuRF(VLS(ReliefF(), size=15, rounds=3, random_state=0), keep=10)
    wrapper.set_params(estimator__estimator__n_neighbors=4, estimator__rounds=2)
    assert wrapper.estimator.estimator.n_neighbors == 4
    pipeline = make_pipeline(
        TuRF(ReliefF(), keep=5, n_features_to_select=2), KNeighborsClassifier()
    )
    grid = {"turf__estimator__n_neighbors": [5, 20], "turf__drop": [0.1, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert ReliefF().n_neighbors == 10


def test_the_estimator_inside_stays_as_it_is(data):
    inner = ReliefF(5)
    TuRF(inner, keep=5).fit(*data)
    assert not hasattr(inner, "weights_")


def test_tags_are_those_of_the_method_inside():
    assert get_tags(TuRF(VLS())).input_tags.allow_nan
    assert not get_tags(TuRF(VLS(MDM()))).input_tags.allow_nan
    assert not get_tags(VLS(Relief())).classifier_tags.multi_class


def test_warnings_say_how_many_fits_gave_them(data):
    X, y = data[0][:15, :12], data[1][:15]
    with pytest.warns(ReliefWarning, match="^10 neighbors were requested") as caught:
        vls = VLS(size=6, rounds=2).fit(X, y)
    assert [str(warning.message) for warning in caught] == vls.warnings_
    assert len([message for message in vls.warnings_ if "10 neighbors" in message]) == 1


@pytest.mark.parametrize(
    ("wrapper", "message"),
    [
        (TuRF(drop=2), "option drop of TuRF: 2 is not between 0 and 0.99"),
        (TuRF(keep=0), "option keep of TuRF: 0 is less than 1"),
        (TuRF(keep=None), "option keep of TuRF: `none` is not a whole number"),
        (VLS(size=1), "option size of VLS: 1 is less than 2"),
        (VLS(take="worst"), "option take of VLS: `worst` is not one of its values"),
        (TuRF(VLS(ReliefF(0))), "option n_neighbors: 0 is less than 1"),
        (TuRF(n_features_to_select=31), "`31` cannot be selected from 30 features"),
    ],
    ids=repr,
)
def test_options(data, wrapper, message):
    with pytest.raises(ValueError, match=message):
        wrapper.fit(*data)


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), ReliefF, "relieff"])
def test_only_selectors_of_this_package_can_be_wrapped(data, estimator):
    with pytest.raises(TypeError, match=r"option estimator: .* is not a selector of basrelief"):
        VLS(estimator).fit(*data)


def test_turf_selects_the_features_of_its_last_round():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 22))
    y = X[:, 3] * X[:, 7] + 0.3 * X[:, 1] > 0
    for keep in (1, 5, 22):
        turf = TuRF(MultiSURF(), keep=keep).fit(X, y)
        assert turf.get_support().sum() == keep
        # Dropped features are ranked behind those of the last round.
        assert turf.get_support()[np.argsort(turf.ranking_, kind="stable")[:keep]].all()
    turf = TuRF(MultiSURF(), keep=5, n_features_to_select=8).fit(X, y)
    assert turf.get_support().sum() == 8
    around = TuRF(VLS(MultiSURF(), size=15, rounds=3, random_state=0), keep=4).fit(X, y)
    assert around.get_support().sum() == 4
