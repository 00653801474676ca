"""Kinds of columns and targets are inferred by the rule of the command line."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from basrelief import LFE, ReliefF, ReliefWarning, RReliefF

N = 60


@pytest.fixture
def numbers():
    row = np.arange(N)
    return pd.DataFrame({"a": row % 2 * 4.5 + row * 7 % 20 / 4, "b": row * 13 % 17 + 0.5})


@pytest.fixture
def y():
    return np.arange(N) % 2


def told(X, y, estimator=None):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (ReliefF(5) if estimator is None else estimator).fit(X, y)
    return " ".join(str(warning.message) for warning in caught)


def as_numpy_texts(frame):
    return frame.to_numpy().astype(str)


@pytest.mark.parametrize(
    "write",
    [
        lambda frame: frame.astype(str),
        lambda frame: frame.astype(str).astype(object),
        lambda frame: frame.astype("string"),
        lambda frame: pl.DataFrame(frame.astype(str).to_dict("list")),
        as_numpy_texts,
        lambda frame: as_numpy_texts(frame).astype(object),
        lambda frame: as_numpy_texts(frame).astype("S"),
    ],
)
def test_texts_that_are_numbers_are_numbers(numbers, y, write):
    """Whether one cell is missing or not."""
    expected = ReliefF(5).fit(numbers, y).weights_
    np.testing.assert_array_equal(ReliefF(5).fit(write(numbers), y).weights_, expected)
    gap = numbers.copy()
    gap.loc[3, "a"] = np.nan
    expected = ReliefF(5).fit(gap, y).weights_
    texts = numbers.astype(str)
    texts.loc[3, "a"] = "NA"
    np.testing.assert_array_equal(ReliefF(5).fit(texts, y).weights_, expected)


def test_declared_categories_stay_categories(numbers, y):
    codes = (numbers["b"] * 2).astype(int)
    expected = ReliefF(5, categorical_features=["b"]).fit(numbers.assign(b=codes), y).weights_
    declared = numbers.assign(b=pd.Categorical(codes.astype(str)))
    np.testing.assert_allclose(ReliefF(5).fit(declared, y).weights_, expected, rtol=1e-12)
    frame = pl.DataFrame({"a": numbers["a"].tolist(), "b": codes.astype(str).tolist()})
    frame = frame.with_columns(pl.col("b").cast(pl.Categorical))
    np.testing.assert_allclose(ReliefF(5).fit(frame, y).weights_, expected, rtol=1e-12)


GRADES = ["low", "mid", "high", "top"]


def graded(numbers, **declared):
    """Add levels of which the last does not occur."""
    return numbers.assign(b=pd.Categorical.from_codes(np.arange(N) % 3, GRADES, **declared))


def test_ordered_categories_are_ordinal_and_one_warning_says_so(numbers, y):
    ordered = graded(numbers, ordered=True)
    message = told(ordered, y)
    assert message.count("ordinal") == 1
    assert 'to treat them as unordered categories, use categorical_features=["b"]' in message
    # Gower: a step of three, where the range of the codes is two.
    steps = numbers.assign(b=np.arange(N) % 3)
    expected = ReliefF(25, ordinal_features={"b": range(4)}).fit(steps, y).weights_
    with pytest.warns(ReliefWarning, match="ordered categories are ordinal"):
        np.testing.assert_array_equal(ReliefF(25).fit(ordered, y).weights_, expected)
    without = ReliefF(25).fit(graded(numbers), y).weights_
    assert not np.allclose(without, expected)
    for back in [{"categorical_features": ["b"]}, {"ordinal_features": []}]:
        assert "order" not in told(ordered, y, ReliefF(25, **back))
        np.testing.assert_array_equal(ReliefF(25, **back).fit(ordered, y).weights_, without)
    message = told(numbers.assign(b=np.array(GRADES)[np.arange(N) % 3]), y)
    assert "`b` (low < mid < high)" in message
    assert 'ordinal_features={"b": ["low", "mid", "high"]}' in message


def test_every_way_to_state_an_order(numbers, y):
    texts = numbers.assign(b=np.array(GRADES)[np.arange(N) % 3])
    expected = ReliefF(25, ordinal_features={"b": GRADES}).fit(texts, y).weights_
    array = texts.to_numpy(dtype=object)
    place = list(texts.columns).index("b")
    enum = pl.DataFrame({name: texts[name].tolist() for name in texts.columns})
    enum = enum.with_columns(pl.col("b").cast(pl.Enum(GRADES)))
    codes = numbers.assign(b=np.arange(N) % 3).to_numpy()
    for X, stated in [
        (array, {place: GRADES}),
        (graded(numbers), {"b": GRADES}),
        (enum, ["b"]),
        (enum, {"b": None}),
        (codes, {place: [0, 1, 2, 3]}),
        (codes.astype(np.float32), {place: ["0", "1.0", 2, 3]}),
        (np.asfortranarray(codes), {place - codes.shape[1]: [0, 1, 2, 3]}),
    ]:
        found = ReliefF(25, ordinal_features=stated).fit(X, y).weights_
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    # polars' Enum is a category otherwise, and numbers are in their own order.
    assert not np.allclose(ReliefF(25).fit(enum, y).weights_, expected)
    three = ReliefF(25, ordinal_features={place: [0, 1, 2]}).fit(codes, y).weights_
    for wanted in [[place], np.arange(codes.shape[1]) == place]:
        found = ReliefF(25, ordinal_features=wanted).fit(codes, y).weights_
        np.testing.assert_array_equal(found, three)


def test_wrong_orders_are_refused(numbers, y):
    texts = numbers.assign(b=np.array(GRADES)[np.arange(N) % 3])
    for stated, message in [
        ({"b": ["low", "mit", "high"]}, r"row 2, column `b`: not in the order low < mit < high"),
        ({"b": ["low", "mid", "low"]}, "option ordinal_features: `low` occurs twice"),
        ({"b": []}, "option ordinal_features: the list of levels of `b` is empty"),
        ({"c": GRADES}, "`c`"),
        (["b"], "an ordinal column without an order contains a text"),
    ]:
        with pytest.raises(ValueError, match=message):
            ReliefF(25, ordinal_features=stated).fit(texts, y)
    for other in ["categorical_features", "genotype_features"]:
        with pytest.raises(ValueError, match="column `b`: it is declared both"):
            ReliefF(25, ordinal_features={"b": GRADES}, **{other: ["b"]}).fit(texts, y)


def test_maps_keep_orders_in_pickles(numbers, y):
    texts = numbers.assign(b=np.array(GRADES)[np.arange(N) % 3])
    fitted = LFE(1, ordinal_features={"b": GRADES}).fit(texts, y)
    assert list(fitted.encoded_names_) == list(texts.columns)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(texts), fitted.transform(texts))
    coded = LFE(1).fit(numbers.assign(b=(np.arange(N) % 3) / 3), y)
    np.testing.assert_allclose(
        np.abs(fitted.transform(texts)),
        np.abs(coded.transform(numbers.assign(b=(np.arange(N) % 3) / 3))),
        rtol=1e-9,
    )
    other = texts.assign(b=pd.Categorical(texts["b"], categories=["top", "mid", "low", "high"]))
    np.testing.assert_array_equal(again.transform(other), fitted.transform(texts))
    texts.loc[4, "b"] = "best"
    with pytest.raises(ValueError, match="row 5, column `b`: not in the order"):
        again.transform(texts)
    selector = ReliefF(25, ordinal_features={"b": GRADES})
    assert clone(selector).ordinal_features == {"b": GRADES}


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("{} kg", "a unit"),
        ("{}%", "a percent sign"),
        ("${}", "a currency"),
        ("{},5", "decimal comma"),
        ("\u2212{}", "a minus sign"),
        ("2024-01-{:02d}", "dates or times"),
    ],
)
def test_decorated_numbers_and_dates_are_refused(numbers, y, cell, what):
    values = [cell.format(row % 28 + 1) for row in range(N)]
    X = numbers.assign(a=values)
    with pytest.raises(ValueError, match=re.escape(f"`{values[0]}` (row 1)")) as refused:
        ReliefF(5).fit(X, y)
    assert what in str(refused.value)
    with pytest.raises(ValueError, match=what):
        LFE(1).fit(X, y)
    with pytest.raises(ValueError, match=what):
        RReliefF(5).fit(numbers, np.array(values))
    assert ReliefF(5, categorical_features=["a"]).fit(X, y).weights_.shape == (2,)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "object"])
def test_whole_numbers_that_would_be_rounded_are_refused(numbers, y, dtype):
    big = [2**53 + 1 + row for row in range(N)]
    X = numbers.assign(a=pd.Series(big, dtype=dtype))
    with pytest.raises(ValueError, match=re.escape("beyond 2^53")) as refused:
        ReliefF(5).fit(X, y)
    assert "`9007199254740993` (row 1)" in str(refused.value)
    with pytest.raises(ValueError, match=re.escape("beyond 2^53")):
        ReliefF(5).fit(pl.DataFrame({"a": big, "b": numbers["b"].tolist()}), y)
    with pytest.raises(ValueError, match=re.escape("column `x0`: whole numbers beyond 2^53")):
        ReliefF(5).fit(np.array([big, range(N)]).T, y)
    with pytest.raises(ValueError, match=re.escape("column `y`: whole numbers beyond 2^53")):
        RReliefF(5).fit(numbers, np.array(big))
    exact = numbers.assign(a=pd.Series([2**53 + 2 * row for row in range(N)], dtype=dtype))
    assert np.isfinite(ReliefF(5).fit(exact, y).weights_).all()


def test_row_numbers_and_codes_of_missing_values_are_reported(numbers, y):
    message = told(numbers.assign(a=np.arange(N)).rename(columns={"a": "Unnamed: 0"}), y)
    assert "column `Unnamed: 0` counts upward" in message
    assert "counts upward" in told(np.column_stack([np.arange(N), numbers["b"]]), y)
    message = told(numbers.assign(a=np.where(np.arange(N) % 6, np.arange(N) % 3, 9)), y)
    assert "9 lies far from all other values" in message
    assert "counts upward" in told(numbers.assign(a=np.arange(N)), y, LFE(1))


@pytest.mark.parametrize("text", ["NA", "", "nan", "None", "?"])
@pytest.mark.parametrize("dtype", [object, str])
def test_texts_of_missing_values_are_no_classes(numbers, text, dtype):
    labels = np.array(["case", "control"] * (N // 2), dtype=dtype if dtype is object else "<U7")
    labels[4] = text
    with pytest.raises(ValueError, match=r"\(row 5\), which is a missing value code"):
        ReliefF(5).fit(numbers, labels)
    with pytest.raises(ValueError, match=r"\(row 5\), which is a missing value code"):
        LFE(1).fit(numbers, labels)


def test_texts_of_missing_values_are_no_categories(numbers, y):
    texts = np.array(["red", "blue", "NA"], dtype=object)[np.arange(N) % 3]
    gaps = np.where(texts == "NA", None, texts)
    expected = ReliefF(5).fit(numbers.assign(b=gaps), y).weights_
    np.testing.assert_array_equal(ReliefF(5).fit(numbers.assign(b=texts), y).weights_, expected)
    # A declared category is a category, whatever its name is.
    named = ReliefF(5).fit(numbers.assign(b=pd.Categorical(texts)), y).weights_
    other = ReliefF(5).fit(numbers.assign(b=np.where(texts == "NA", "green", texts)), y).weights_
    np.testing.assert_allclose(named, other, rtol=1e-12)


def test_a_target_of_texts_is_read_as_one_of_numbers(numbers):
    whole = np.arange(N) % 2
    expected = ReliefF(5).fit(numbers, whole)
    fitted = ReliefF(5).fit(numbers, whole.astype(str))
    np.testing.assert_array_equal(fitted.weights_, expected.weights_)
    assert list(fitted.classes_) == ["0", "1"]
    real = np.arange(N) * 7 % 20 + 0.5
    with pytest.raises(ValueError, match="the target is numeric"):
        ReliefF(5).fit(numbers, real.astype(str))
    np.testing.assert_array_equal(
        RReliefF(5).fit(numbers, real.astype(str)).weights_, RReliefF(5).fit(numbers, real).weights_
    )


def test_a_target_without_two_rows_of_a_class_is_refused(numbers):
    names = np.array([f"sample{row}" for row in range(N)])
    for estimator in (ReliefF(5), LFE(1)):
        with pytest.raises(ValueError, match="no class of the target has two rows"):
            estimator.fit(numbers, names)
    labels = np.array(["Case", "case", "control"])[np.arange(N) % 3]
    assert "differ only in capitals or spaces" in told(numbers, labels)
