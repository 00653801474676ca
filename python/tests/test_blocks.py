"""Blocks of features, which count as one feature each in distances: `blocks` and `block_scale`."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import MultiSURF, ReliefF, RReliefF, Stable, TuRF, permutation_test


@pytest.fixture(scope="module")
def data():
    """Three colors, which affect the class, and four numbers."""
    rng = np.random.default_rng(2)
    color = rng.integers(0, 3, size=150)
    y = np.where(rng.uniform(size=150) < 0.1, 1 - (color == 0), color == 0).astype(int)
    numbers = pd.DataFrame(rng.uniform(size=(150, 4)), columns=["age", "n_a", "n_b", "n_c"])
    whole = numbers.assign(color=pd.Categorical(np.array(["red", "green", "blue"])[color]))
    split = pd.concat([numbers, pd.get_dummies(whole[["color"]], dtype=float)], axis=1)
    return split, whole, y


COLORS = ["color_blue", "color_green", "color_red"]


@pytest.mark.parametrize("cls", [ReliefF, MultiSURF, RReliefF])
def test_indicators_equal_the_categorical_column(data, cls):
    split, whole, y = data
    target = y + 0.1 * whole["age"].to_numpy() if cls is RReliefF else y
    expected = cls().fit(whole, target).weights_
    for blocks in ({"color": COLORS}, {"color": [4, 5, -1]}):
        selector = cls(blocks=blocks, block_scale="max").fit(split, target)
        np.testing.assert_allclose(selector.weights_[:4], expected[:4], rtol=0, atol=1e-12)
        assert selector.block_names_ == ["color"]
        np.testing.assert_allclose(selector.block_weights_, expected[4:], rtol=0, atol=1e-12)
        assert not hasattr(selector, "block_p_values_")
    # By default the block counts as the mean of its features.
    mean = cls(blocks={"color": COLORS}).fit(split, target)
    np.testing.assert_allclose(mean.block_weights_, [mean.weights_[4:].mean()], rtol=1e-12)
    assert np.abs(mean.weights_ - selector.weights_).max() > 1e-4


def test_prefixes_define_blocks(data):
    split, _, y = data
    by_prefix = ReliefF(blocks="prefix:_").fit(split, y)
    named = ReliefF(blocks={"n": ["n_a", "n_b", "n_c"], "color": COLORS}).fit(split, y)
    assert by_prefix.block_names_ == ["n", "color"]
    np.testing.assert_array_equal(by_prefix.weights_, named.weights_)
    np.testing.assert_array_equal(by_prefix.block_weights_, named.block_weights_)


def test_blocks_are_tested_by_their_largest_weight(data):
    split, _, y = data
    selector = ReliefF(
        blocks="prefix:_", n_features_to_select="max-t", n_permutations=99, random_state=0
    )
    selector.fit(split, y)
    assert selector.block_p_values_[1] == selector.block_adjusted_p_values_[1] == 0.01
    assert selector.block_p_values_[0] > 0.01
    assert (selector.block_adjusted_p_values_ >= selector.block_p_values_).all()
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.block_p_values_, selector.block_p_values_)
    page = selector.to_html(split, y)
    assert "Blocks of features" in page
    # A fit without blocks has none of the attributes.
    selector.set_params(blocks=None).fit(split, y)
    assert not any(name.startswith("block_") and name.endswith("_") for name in vars(selector))
    # The weights that a test permutes are those of distances with blocks.
    tested = permutation_test(ReliefF(blocks="prefix:_"), split, y, n_permutations=99)
    assert tested.pvalues_[4:].min() == 0.01


def test_blocks_work_with_the_tools_of_scikit_learn(data):
    split, _, y = data
    selector = ReliefF(blocks={"color": [4, 5, 6]}, n_features_to_select=2, target_type="classes")
    assert clone(selector).blocks == {"color": [4, 5, 6]}
    pipeline = make_pipeline(selector, KNeighborsClassifier(5))
    assert cross_val_score(pipeline, split.to_numpy(), y, cv=3).mean() > 0.7
    one = clone(selector).set_params(n_jobs=1).fit(split, y)
    three = clone(selector).set_params(n_jobs=3).fit(split, y)
    np.testing.assert_array_equal(one.weights_, three.weights_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"blocks": {}}, "there is no block"),
        ({"blocks": {"a": []}}, "block `a` is empty"),
        ({"blocks": {"a": ["age"], "b": ["n_a", "age"]}}, "column `age` is in two blocks"),
        ({"blocks": {"a": ["agee"]}}, "not a feature of the table; did you mean `age`"),
        ({"blocks": {"a": [7]}}, "block `a` has column 7, but X has 7 columns"),
        ({"blocks": "_"}, "`_` does not define blocks"),
        ({"blocks": ["age"]}, "does not define blocks"),
        ({"blocks": "prefix:="}, "ends before `=`"),
        ({"blocks": "prefix:_", "block_scale": "sum"}, "option block_scale: `sum` is unknown"),
        ({"block_scale": "max"}, "there are no blocks of features"),
        ({"blocks": "prefix:_", "block_scale": 2}, "`2` is not a text"),
        ({"blocks": "prefix:_", "metric": "euclidean"}, "are not sums of differences"),
        (
            {
                "blocks": "prefix:_",
                "n_features_to_select": "fdr",
                "n_permutations": "adaptive",
            },
            "an adaptive test stops",
        ),
    ],
)
def test_wrong_blocks_are_refused(data, parameters, message):
    split, _, y = data
    with pytest.raises(ValueError, match=r"option (block|n_permutations)") as caught:
        ReliefF(**parameters).fit(split, y)
    assert message in str(caught.value)


def test_what_does_not_support_blocks_is_refused(data):
    split, _, y = data
    blocks = ReliefF(blocks="prefix:_")
    with pytest.raises(ValueError, match="`turf` computes weights from some of the features"):
        TuRF(blocks).fit(split, y)
    with pytest.raises(ValueError, match="intervals of weights with blocks"):
        ReliefF(blocks="prefix:_").fit(split, y, intervals=True)
    with pytest.raises(ValueError, match="permuted copies of the features are in no block"):
        Stable(blocks).fit(split, y)
    kept = Stable(blocks, n_resamples=10, cutoff=0.5).fit(split, y)
    assert kept.get_support()[4:].any()
