"""Bad input: the exception's kind and the library's own words."""

import re
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from basrelief import (
    LFE,
    VLS,
    KNeighborsRegressor,
    MyopicReliefF,
    Relief,
    ReliefF,
    ReliefWarning,
    RReliefF,
    Stable,
    TuRF,
    permutation_test,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    return rng.normal(size=(30, 3)), np.arange(30) % 2


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            ReliefF(n_neighbors=0),
            "option n_neighbors: 0 is less than 1; it takes a whole number of at least 1, or a "
            "list of them (default 10)",
        ),
        (ReliefF(n_neighbors=1.5), "option n_neighbors: `1.5` is not a whole number"),
        (ReliefF(n_samples=0), "option n_samples: 0 is less than 1; it takes `all` or"),
        (
            ReliefF(n_samples=31),
            "option n_samples: 31 rows cannot be sampled from 30; give at most 30, or `all`",
        ),
        (ReliefF(n_samples="most"), "option n_samples: `most` is not a whole number"),
        (
            ReliefF(metric="manhatan"),
            "option metric: `manhatan` is not one of its values, did you mean `manhattan`?",
        ),
        (ReliefF(ties="last"), "option ties: `last` is not one of its values"),
        (ReliefF(missing="drop"), "option missing: `drop` is not one of its values"),
        (ReliefF(neighbor_weights="rank:0"), "the SIGMA of `rank:0` is not a number above 0"),
        (ReliefF(ramp=(0.5, 0.1)), "option ramp: `0.5:0.1` is not `none` or two shares"),
        (ReliefF(genotype_diff="dominant"), "option genotype_diff: `dominant` is not one of"),
        (MyopicReliefF(n_bins=1), "option n_bins: 1 is less than 2"),
        (
            ReliefF(n_jobs=0),
            "option n_jobs: 0 threads cannot do any work; give 1 or more, or omit the option "
            "to use every core",
        ),
        (ReliefF(random_state=-1), "option random_state: `-1` is not a seed; use a whole number"),
        (ReliefF(random_state=2**64), "option random_state: `18446744073709551616` is not a seed"),
        (
            ReliefF(n_features_to_select=4),
            "option n_features_to_select: `4` cannot be selected from 3 features",
        ),
        (ReliefF(n_features_to_select=0), "`0` cannot be selected from 3 features"),
        (ReliefF(n_features_to_select=1.5), "`1.5` cannot be selected from 3 features"),
        (ReliefF(threshold="high"), "option threshold: `high` is not a finite number"),
        (ReliefF(categorical_features="some"), "option categorical_features: `some` is not one"),
        (ReliefF(categorical_features=[3]), "option categorical_features: there is no column 3"),
        (ReliefF(categorical_features=[True]), "its mask has 1 entries for 3 columns"),
        (ReliefF(genotype_features=["x4"]), "column `x4`: there is no such column"),
        (
            ReliefF(categorical_features=[1], genotype_features=[1]),
            "column `x1`: it is declared both categorical and genotype",
        ),
        (ReliefF(genotype_features=[0]), "row 1, column `x0`: not a genotype (found `"),
    ],
    ids=repr,
)
def test_options(data, estimator, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        estimator.fit(*data)


def test_types_of_options(data):
    with pytest.raises(TypeError, match="option n_jobs: `two` is not a whole number"):
        ReliefF(n_jobs="two").fit(*data)
    with pytest.raises(TypeError, match=r"option categorical_features: 1\.5 is neither a name"):
        ReliefF(categorical_features=[1.5]).fit(*data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lists", [{}, {"categorical_features": "all"}])
def test_infinite_values(data, dtype, lists):
    X = data[0].astype(dtype)
    X[3, 2] = -np.inf
    message = r"row 4, column `x2`: infinite value \(found `-inf`\); replace it by a number"
    with pytest.raises(ValueError, match=message):
        ReliefF(**lists).fit(X, data[1])
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    with pytest.raises(ValueError, match=r"row 4, column `weight`: infinite value"):
        ReliefF(**lists).fit(frame, data[1])


def test_targets(data):
    X, y = data
    with pytest.raises(ValueError, match="every row has the same class, `7`; weights compare"):
        ReliefF().fit(X, np.full(30, 7))
    message = (
        "the target is numeric, but relieff needs classes; use RReliefF for a numeric "
        'target, or use target_type="classes" if its numbers are classes'
    )
    with pytest.raises(ValueError, match=message):
        ReliefF().fit(X, X[:, 0])
    message = "the target has 2 classes, but rrelieff needs a numeric target; use ReliefF for "
    with pytest.raises(ValueError, match=message):
        RReliefF().fit(X, np.where(y, "a", "b"))
    with pytest.raises(ValueError, match="the target has 3 classes, but relief requires two"):
        Relief().fit(X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="the target is 2 in every row"):
        RReliefF().fit(X, np.full(30, 2.0))


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_target_that_misses_a_value_names_the_row(data, as_frame):
    X = pd.DataFrame(data[0], columns=["a", "b", "c"]) if as_frame else data[0]
    labels = pd.Series(["a", "b"] * 15, dtype=object)
    labels[4] = None
    numbers = pd.Series([0, 1] * 15, dtype="Int64")
    numbers[4] = pd.NA
    targets = [
        labels,
        labels.fillna(np.nan).to_numpy(dtype=object),
        labels.astype("string"),
        labels.astype("category"),
        numbers,
        numbers.astype("boolean"),
        numbers.to_numpy(dtype=float, na_value=np.nan),
        pl.Series([None if value is pd.NA else value for value in numbers]),
        pl.Series(labels.tolist()),
    ]
    for target in targets:
        message = r"Input y contains NaN \(row 5\); leave out rows whose target is unknown"
        with pytest.raises(ValueError, match=message):
            ReliefF().fit(X, target)
    with pytest.raises(ValueError, match=r"Input y contains infinity \(row 1\)"):
        RReliefF().fit(X, np.where(np.arange(30) == 0, np.inf, 1.0))


def test_text_in_a_column_declared_numeric(data):
    frame = pd.DataFrame({"dose": data[0][:, 0], "note": ["1.5", "high", "2"] * 10})
    message = r"row 2, column `note`: text in a column declared numeric \(found `high`\); correct"
    with pytest.raises(ValueError, match=message):
        ReliefF(categorical_features=[]).fit(frame, data[1])
    with pytest.raises(ValueError, match="text in a column declared genotype"):
        ReliefF(genotype_features=["note"]).fit(frame, data[1])
    with pytest.raises(ValueError, match=r"there is no such column; did you mean `note`\?"):
        ReliefF(categorical_features=["notes"]).fit(frame, data[1])


def test_an_empty_column_weighs_nothing_and_is_reported(data):
    X, y = data
    X[:, 1] = np.nan
    with pytest.warns(ReliefWarning, match="only missing values and gets weight 0: x1"):
        selector = ReliefF().fit(X, y)
    assert selector.weights_[1] == 0.0
    assert np.isfinite(selector.weights_).all()


def test_small_classes_are_reported(data):
    X, _ = data
    y = np.repeat([0, 1, 2], [19, 10, 1])
    with pytest.warns(ReliefWarning) as caught:
        ReliefF(n_neighbors=12).fit(X, y)
    text = " ".join(str(warning.message) for warning in caught)
    assert "1 (10)" in text
    assert "2 (1)" in text


def test_duplicate_names(data):
    frame = pd.DataFrame(data[0], columns=["a", "b", "a"])
    message = "column `a`: columns 1 and 3 have this name; rename one of them"
    with pytest.raises(ValueError, match=message):
        ReliefF().fit(frame, data[1])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"day": pd.date_range("2020-01-01", periods=30)}),
        pl.DataFrame({"day": [[1, 2]] * 30}),
    ],
    ids=["pandas", "polars"],
)
def test_types_without_a_difference(frame, data):
    with pytest.raises(TypeError, match="column `day`: values of type"):
        ReliefF().fit(frame, data[1])


@pytest.mark.parametrize("fit", [ReliefF().fit, LFE().fit])
def test_dates_are_refused(fit, data):
    days = np.datetime64("2020-01-01") + np.arange(60).reshape(30, 2)
    message = r"values of type datetime64\[D\] are not supported; convert the column"
    for X in [days, [list(row) for row in days]]:
        with pytest.raises(TypeError, match=message):
            fit(X, data[1])
    with pytest.raises(TypeError, match="values of type timedelta64"):
        fit(days - days[0], data[1])
    with pytest.raises(TypeError, match="column `y`: values of type datetime64"):
        ReliefF().fit(data[0], days[:, 0])
    with pytest.raises(TypeError, match="column `x1`: values of type date are not"):
        ReliefF().fit(np.array([[1.5, day] for day in days[:, 0].tolist()], dtype=object), data[1])


def test_masked_values_are_missing(data):
    X, y = data
    mask = np.random.default_rng(4).random(X.shape) < 0.2
    junk = np.where(mask, 1e6, X)
    expected = ReliefF().fit(np.where(mask, np.nan, X), y).weights_
    np.testing.assert_array_equal(ReliefF().fit(np.ma.array(junk, mask=mask), y).weights_, expected)
    whole = np.ma.array(np.arange(90).reshape(30, 3), mask=mask)
    expected = ReliefF().fit(whole.astype(float).filled(np.nan), y).weights_
    np.testing.assert_array_equal(ReliefF().fit(whole, y).weights_, expected)
    texts = np.ma.array(np.where(X > 0, "a", "b"), mask=mask)
    expected = ReliefF().fit(np.where(mask, None, texts.data.astype(object)), y).weights_
    np.testing.assert_array_equal(ReliefF().fit(texts, y).weights_, expected)
    fitted = LFE().fit(X, y)
    with pytest.warns(ReliefWarning, match="values are missing in columns that were complete"):
        mapped = fitted.transform(np.ma.array(junk, mask=mask))
    np.testing.assert_allclose(mapped, fitted.transform(np.where(mask, fitted.mean_, X)))
    with pytest.raises(ValueError, match=r"Input y is masked \(row 2\)"):
        ReliefF().fit(X, np.ma.array(y, mask=np.arange(30) == 1))


@pytest.mark.parametrize("container", [pd.Series, pl.Series])
def test_a_series_is_no_table(container, data):
    with pytest.raises(ValueError, match=r"Expected (a )?2"):
        ReliefF().fit(container(data[0][:, 0]), data[1])


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_too_little_data(container, data):
    X, y = data
    with pytest.raises(ValueError, match="0 sample"):
        ReliefF().fit(container(X[:0]), y[:0])
    with pytest.raises(ValueError, match="1 sample"):
        ReliefF().fit(container(X[:1]), y[:1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ReliefF().fit(container(X), y[:5])
    with pytest.raises(ValueError, match="requires y to be passed"):
        ReliefF().fit(container(X), None)


def test_the_input_is_left_as_it_is():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    before = X.copy()
    ReliefF(5).fit(X, rng.integers(0, 2, size=30))
    np.testing.assert_array_equal(X, before)


def test_text_among_numbers_is_refused_by_row_and_usual_spellings_are_missing(data):
    X, y = data
    texts = pd.DataFrame(X, columns=["a", "b", "c"])
    texts["a"] = texts["a"].astype(str)
    texts.loc[3, "a"] = "12 kg"
    message = (
        "column `a`: 1 of 30 non-missing cells is not a number: `12 kg` (row 4); correct them, "
        'treat them as missing values with pandas.to_numeric(column, errors="coerce")'
    )
    for frame in [texts, texts.astype(object), pl.DataFrame(texts.to_dict("list"))]:
        with pytest.raises(ValueError, match=re.escape(message)):
            ReliefF().fit(frame, y)
    mixed = np.array(X, dtype=object)
    mixed[3, 0] = "12 kg"
    with pytest.raises(
        ValueError, match=re.escape("column `x0`: 1 of 30 non-missing cells is not a num")
    ):
        ReliefF().fit(mixed, y)
    assert ReliefF(categorical_features=["a"]).fit(texts, y).weights_.shape == (3,)
    expected = ReliefF().fit(np.where(np.arange(90).reshape(30, 3) == 9, np.nan, X), y).weights_
    for spelling in ["n/a", "-", "null", None]:
        mixed[3, 0] = spelling
        np.testing.assert_array_equal(ReliefF().fit(mixed, y).weights_, expected)


def misaligned(array):
    """Copy an array to a place in memory that is not a multiple of its values' size."""
    memory = np.empty(array.nbytes + 1, dtype=np.uint8)
    copy = memory[1:].view(np.uint8)[: array.nbytes]
    copy = np.frombuffer(copy.data, dtype=array.dtype).reshape(array.shape)
    copy.flags.writeable = True
    copy[...] = array
    assert not copy.flags.aligned
    return copy


LAYOUTS = {
    "misaligned": misaligned,
    "misaligned columns": lambda array: misaligned(array.T.copy()).T,
    "other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "read only": lambda array: np.lib.stride_tricks.as_strided(array, writeable=False),
    "reversed": lambda array: array[::-1].copy()[::-1],
    "columns": np.asfortranarray,
    "every second": lambda array: np.repeat(array, 2, axis=0)[::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_arrays_of_every_layout_are_read(data, layout, dtype):
    X, y = data
    X, change = (10 * X).astype(dtype), LAYOUTS[layout]
    real = (X[:, 0] + 0.5).astype(np.float64)
    assert (ReliefF(5).fit(change(X), y).weights_ == ReliefF(5).fit(X, y).weights_).all()
    found, wanted = RReliefF(5).fit(X, change(real)), RReliefF(5).fit(X, real)
    assert (found.weights_ == wanted.weights_).all()
    assert (found.transform(change(X)) == wanted.transform(X)).all()
    labels = change(y.astype(np.int64))
    assert (ReliefF(5).fit(X, labels).weights_ == ReliefF(5).fit(X, y).weights_).all()
    mapped = LFE(n_components=2).fit(change(X), y).transform(change(X))
    wanted = LFE(n_components=2).fit(X, y).transform(X)
    np.testing.assert_allclose(mapped, wanted, rtol=1e-12, atol=1e-12)
    nearest = KNeighborsRegressor(3).fit(change(X), change(real)).predict(change(X))
    assert (nearest == KNeighborsRegressor(3).fit(X, real).predict(X)).all()
    beside = {"covariates": change(X[:, :1].astype(np.float64)), "caliper": 5.0}
    usual = {"covariates": X[:, :1].astype(np.float64), "caliper": 5.0}
    found, wanted = (ReliefF(5).fit(X[:, 1:], y, **given) for given in (beside, usual))
    assert (found.weights_ == wanted.weights_).all()


def itself():
    """Make a list that contains itself."""
    endless = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    "number", [10**400, -(10**400), 10**5000], ids=["large", "negative", "longest"]
)
def test_numbers_that_no_float_holds_are_refused(data, number):
    X, y = data
    table = np.array(X, dtype=object)
    table[3, 1] = number
    for given in (table, table.tolist(), pd.DataFrame(table)):
        for estimator in (ReliefF(), LFE(n_components=1)):
            with pytest.raises(ValueError, match="X contains a whole number that is too large"):
                estimator.fit(given, y)
        with pytest.raises(ValueError, match="X contains a whole number that is too large"):
            LFE(n_components=1).fit(X, y).transform(given)
        with pytest.raises(ValueError, match="X or y contains a whole number that is too large"):
            KNeighborsRegressor().fit(given, X[:, 0])
    target = X[:, 0].astype(object)
    target[2] = number
    with pytest.raises(ValueError, match="y contains a whole number that is too large"):
        RReliefF().fit(X, target)


@pytest.mark.parametrize("place", ["X", "y", "strata"])
def test_lists_that_contain_themselves_are_refused(data, place):
    X, y = data
    given = {"X": X, "y": y, "strata": None, place: itself()}
    with pytest.raises((ValueError, TypeError)) as caught:
        permutation_test(ReliefF(), **given)
    assert "recursion" not in str(caught.value)
    if place != "strata":
        with pytest.raises((ValueError, TypeError)):
            LFE(n_components=1).fit(given["X"], given["y"])


@pytest.mark.parametrize("n_jobs", [10**29, -(10**29), 2**31, 10**5000], ids="abcd")
def test_numbers_of_threads_that_no_machine_has_are_refused(data, n_jobs):
    for estimator in (ReliefF(n_jobs=n_jobs), LFE(n_components=1, n_jobs=n_jobs)):
        with pytest.raises(ValueError, match=r"option n_jobs: .* is more threads than any"):
            estimator.fit(*data)


# Values that no option takes, or that few do.
ODD_VALUES = [
    10**400,
    -(10**400),
    10**5000,
    10**29,
    -1,
    float("nan"),
    float("inf"),
    True,
    "5",
    np.int64(3),
    np.bool_(True),
    1j,
    b"a",
    "\ud800",
    itself(),
    object(),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [ReliefF(), RReliefF(), LFE(), Stable(ReliefF()), TuRF(), VLS(), KNeighborsRegressor()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_odd_values_of_options_are_taken_or_refused(data, estimator):
    """Python's own errors never come through: of numbers too large, or of endless lists."""
    X, y = data
    for name in estimator.get_params(deep=False):
        for value in ODD_VALUES:
            changed = clone(estimator).set_params(**{name: value})
            with suppress(ValueError, TypeError, AttributeError):
                changed.fit(X, X[:, 0] if isinstance(estimator, RReliefF) else y)
    for value in (10**5000, "\ud800"):
        with pytest.raises(ValueError, match=r"option n_neighbors: .* is not a whole number"):
            ReliefF(n_neighbors=value).fit(X, y)
