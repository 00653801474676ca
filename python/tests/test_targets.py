"""How a target of numbers is read: by the command line's rule."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from basrelief import SURF, MultiSURF, MultiSWRFDB, ReliefF, ReliefWarning, RReliefF, SWRFStar, TuRF


@pytest.mark.parametrize("method", [SURF, MultiSURF, SWRFStar, MultiSWRFDB])
def test_whole_numbers_of_many_values_are_a_real_target(method):
    X, y = load_diabetes(return_X_y=True)
    assert len(np.unique(y)) == 214
    expected = method().fit(X, y + 1e-6)
    for target in [y, y.astype(int)]:
        fitted = method().fit(X, target)
        assert not hasattr(fitted, "classes_")
        assert fitted.warnings_ == []
        np.testing.assert_allclose(fitted.weights_, expected.weights_, atol=1e-9)
    as_classes = method(target_type="classes").fit(X, y)
    assert len(as_classes.classes_) == 214


def test_whole_numbers_of_few_values_are_classes():
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = np.arange(200) % 7
    for target in [y, y.astype(float), y.astype(np.uint8)]:
        fitted = MultiSURF().fit(X, target)
        np.testing.assert_array_equal(fitted.classes_, range(7))
        assert fitted.warnings_ == []
    assert not hasattr(MultiSURF(target_type="real").fit(X, y), "classes_")
    np.testing.assert_array_equal(
        MultiSURF(target_type="real").fit(X, y).weights_, MultiSURF().fit(X, y + 1e-12).weights_
    )


def test_a_guess_near_the_line_is_pointed_out():
    X = np.random.default_rng(0).normal(size=(400, 4))
    faces = np.repeat(np.arange(1, 41), 10)
    message = "the target has 40 different whole numbers and is read as a number; if it is classes"
    with pytest.warns(ReliefWarning, match=message) as caught:
        fitted = MultiSURF().fit(X, faces)
    assert 'use target_type="classes"' in str(caught[0].message)
    assert len(fitted.warnings_) == 1
    with pytest.warns(ReliefWarning, match="15 different whole numbers and is read as classes"):
        TuRF(MultiSURF(), keep=2).fit(X, np.arange(400) % 15)
    with pytest.raises(ValueError, match="relieff needs classes") as refused:
        ReliefF().fit(X, faces)
    assert 'target_type="classes"' in str(refused.value)
    assert len(ReliefF(5, target_type="classes").fit(X, faces).classes_) == 40


def test_a_regression_method_takes_numbers():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % 2
    np.testing.assert_array_equal(
        RReliefF().fit(X, y).weights_, RReliefF(target_type="real").fit(X, y).weights_
    )
    with pytest.raises(ValueError, match="needs a numeric target"):
        RReliefF(target_type="classes").fit(X, y)


def test_texts_and_booleans():
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert len(MultiSURF().fit(X, np.arange(60) % 2 == 0).classes_) == 2
    assert list(MultiSURF().fit(X, np.where(X[:, 0] > 0, "10", "2")).classes_) == ["10", "2"]
    numbers = np.arange(60).astype(str)
    np.testing.assert_array_equal(
        MultiSURF(target_type="real").fit(X, numbers).weights_,
        MultiSURF(target_type="real").fit(X, np.arange(60)).weights_,
    )
    with pytest.raises(ValueError, match="option target_type: `number` is not one of its values"):
        MultiSURF(target_type="number").fit(X, numbers)
