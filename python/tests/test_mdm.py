"""MDM: what its report and its refusals say; the optimum itself is tested in Rust."""

import numpy as np
import pandas as pd
import pytest

from basrelief import MDM, ReliefWarning


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4))
    X[:, 1] += 3 * y
    return X, y


def test_the_weights_are_the_proven_optimum(data):
    X, y = data
    mdm = MDM(slack=None).fit(X, y)
    scaled = np.sqrt(mdm.weights_) * X / np.ptp(X, axis=0)
    squares = ((scaled[:, None] - scaled) ** 2).sum(axis=2)
    same = y[:, None] == y
    ratio = squares[same].max() / squares[~same].min()
    assert mdm.objective_ == pytest.approx(ratio, rel=1e-9)
    assert mdm.relative_gap_ <= 1e-9
    assert mdm.converged_
    assert mdm.n_iter_ >= 1
    assert 0 < mdm.n_constraints_ < 60 * 59 / 2
    assert mdm.weights_.max() == 1.0
    # The default price is above the objective, so that nobody pays it.
    assert mdm.objective_ < MDM().slack
    np.testing.assert_allclose(MDM().fit(X, y).weights_, mdm.weights_, atol=1e-9)


def test_identical_rows_of_different_classes(data):
    X, y = data
    X[7] = X[4]
    message = r"1 pair of rows of different classes is identical in every feature, .* rows 5 and 8;"
    with pytest.raises(ValueError, match=message):
        MDM(slack=None).fit(X, y)
    with pytest.warns(ReliefWarning, match=r"rows 5 and 8 \(each adds 1000 to the objective\)"):
        mdm = MDM().fit(X, y)
    assert mdm.objective_ > 1000
    # The pair pays whatever the weights are, which are those of all other pairs.
    squares = (X[:, None] - X) ** 2 / np.ptp(X, axis=0) ** 2 @ mdm.weights_
    same = y[:, None] == y
    apart = ~same
    apart[4, 7] = apart[7, 4] = False
    assert mdm.objective_ - 1000 == pytest.approx(squares[same].max() / squares[apart].min())


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_missing_values_are_refused(data, container):
    X, y = data
    X[3, 2] = np.nan
    X = container(X)
    name = "2" if isinstance(X, pd.DataFrame) else "x2"
    with pytest.raises(ValueError, match=rf"values are missing \(NaN\) in: {name}; fill them in"):
        MDM().fit(X, y)


@pytest.mark.parametrize("slack", [0, -1.0, "much", np.nan])
def test_prices(data, slack):
    with pytest.raises(ValueError, match="option slack: "):
        MDM(slack=slack).fit(*data)
