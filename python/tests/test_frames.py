"""Data frames of pandas and polars."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from basrelief import ReliefF, _native

pytestmark = pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")

ROWS = 60


@pytest.fixture
def columns():
    rng = np.random.default_rng(5)
    return {
        "age": rng.normal(50, 10, size=ROWS),
        "color": rng.choice(["red", "green", "blue"], size=ROWS),
        "smokes": rng.integers(0, 2, size=ROWS).astype(bool),
        "visits": rng.integers(0, 9, size=ROWS),
        "grade": rng.choice(["low", "mid", "high"], size=ROWS),
    }


@pytest.fixture
def y(columns):
    return np.where((columns["color"] == "red") == columns["smokes"], "ill", "well")


def gaps():
    return np.random.default_rng(6).uniform(size=ROWS) < 0.15


def as_matrix(columns, missing=()):
    """The same data as floats: category codes in columns 1, 2 and 4."""
    out = np.column_stack(
        [np.unique(values, return_inverse=True)[1] if values.dtype.kind in "Ub" else values
         for values in columns.values()]
    ).astype(float)  # fmt: skip
    for name in missing:
        out[gaps(), list(columns).index(name)] = np.nan
    return out


def expected(columns, y, missing=()):
    selector = ReliefF(5, categorical_features=[1, 2, 4])
    return selector.fit(as_matrix(columns, missing), y).weights_


def test_pandas(columns, y):
    frame = pd.DataFrame(columns).astype({"grade": "category"})
    selector = ReliefF(5).fit(frame, y)
    np.testing.assert_allclose(selector.weights_, expected(columns, y), atol=1e-14)
    assert list(selector.feature_names_in_) == list(columns)


def test_polars(columns, y):
    frame = pl.DataFrame(columns).with_columns(pl.col("grade").cast(pl.Categorical))
    selector = ReliefF(5).fit(frame, pl.Series(y))
    np.testing.assert_allclose(selector.weights_, expected(columns, y), atol=1e-14)
    assert list(selector.feature_names_in_) == list(columns)


@pytest.mark.parametrize("boolean", ["boolean", "object"])
def test_missing_values_of_pandas(columns, y, boolean):
    hole = gaps()
    frame = pd.DataFrame(columns).astype({"visits": "Int64", "smokes": boolean})
    frame["grade"] = frame["grade"].astype("category")
    for name, value in [("age", np.nan), ("visits", pd.NA), ("grade", None), ("smokes", None)]:
        frame.loc[hole, name] = value
    frame["color"] = frame["color"].astype(object).where(~hole, None)
    weights = ReliefF(5).fit(frame, y).weights_
    np.testing.assert_allclose(weights, expected(columns, y, list(columns)), atol=1e-14)


def test_missing_values_of_polars(columns, y):
    frame = pl.DataFrame(columns).with_columns(pl.col("grade").cast(pl.Categorical))
    frame = frame.select(
        pl.when(pl.Series(gaps())).then(None).otherwise(pl.col(name)).alias(name)
        for name in columns
    )
    weights = ReliefF(5).fit(frame, y).weights_
    np.testing.assert_allclose(weights, expected(columns, y, list(columns)), atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_frames(dtype):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 4)).astype(dtype)
    y = rng.integers(0, 2, size=50)
    names = list("abcd")
    weights = ReliefF(5).fit(X, y).weights_
    for frame in (
        pd.DataFrame(X, columns=names),
        pd.DataFrame({name: X[:, j] for j, name in enumerate(names)}),
        pl.DataFrame(X, schema=names),
    ):
        np.testing.assert_array_equal(ReliefF(5).fit(frame, y).weights_, weights)


def test_polars_enum_and_small_integers(columns, y):
    frame = pl.DataFrame(columns).with_columns(
        pl.col("grade").cast(pl.Enum(["low", "mid", "high", "never"])),
        pl.col("visits").cast(pl.Int8),
    )
    weights = ReliefF(5).fit(frame, y).weights_
    np.testing.assert_allclose(weights, expected(columns, y), atol=1e-14)


@pytest.mark.parametrize("wanted", [["color", "smokes", "grade"], [1, 2, 4], [0, 1, 1, 0, 1]])
def test_lists_of_categories(columns, y, wanted):
    if 0 in wanted:
        wanted = np.array(wanted, dtype=bool)
    codes = pd.DataFrame(as_matrix(columns), columns=list(columns))
    weights = ReliefF(5, categorical_features=wanted).fit(codes, y).weights_
    np.testing.assert_allclose(weights, expected(columns, y), atol=1e-14)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_output_keeps_types(columns, y, container):
    if container == "pandas":
        frame = pd.DataFrame(columns).astype({"grade": "category"})
    else:
        frame = pl.DataFrame(columns).with_columns(pl.col("grade").cast(pl.Categorical))
    selector = ReliefF(5, n_features_to_select=3).set_output(transform=container)
    out = selector.fit_transform(frame, y)
    kept = list(selector.get_feature_names_out())
    assert len(kept) == 3
    assert type(out) is type(frame)
    assert list(out.columns) == kept
    assert list(out.dtypes) == list(frame[kept].dtypes)
    out = selector.fit(as_matrix(columns), y).transform(as_matrix(columns))
    assert list(out.columns) == list(selector.get_feature_names_out())


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
def test_default_output_is_an_array(columns, y, container):
    frame = container(columns)
    out = ReliefF(5, n_features_to_select=2).fit(frame, y).transform(frame)
    assert isinstance(out, np.ndarray)
    assert out.shape == (ROWS, 2)


def test_arrays_of_objects_and_texts(columns, y):
    texts = np.column_stack([columns["color"], columns["grade"]])
    frame = pd.DataFrame({"color": columns["color"], "grade": columns["grade"]})
    weights = ReliefF(5).fit(frame, y).weights_
    np.testing.assert_array_equal(ReliefF(5).fit(texts, y).weights_, weights)
    mixed = np.empty((ROWS, len(columns)), dtype=object)
    for j, values in enumerate(columns.values()):
        mixed[:, j] = values.tolist()
    mixed[0, 0], mixed[1, 1] = None, np.nan
    holes = as_matrix(columns)
    holes[0, 0] = holes[1, 1] = np.nan
    same = ReliefF(5, categorical_features=[1, 2, 4]).fit(holes, y).weights_
    np.testing.assert_allclose(ReliefF(5).fit(mixed, y).weights_, same, atol=1e-14)


def test_targets_of_frames(columns, y):
    frame = pd.DataFrame(columns)
    weights = ReliefF(5).fit(frame, y).weights_
    for target in (pd.Series(y), pd.Series(y, dtype="category"), pl.Series(y), list(y)):
        np.testing.assert_array_equal(ReliefF(5).fit(frame, target).weights_, weights)


def wide(types, missing):
    """Whole numbers in more columns than are read together, and the type of each, by turns."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, size=(ROWS, 300)).astype(float)
    names = [f"g{place}" for place in range(X.shape[1])]
    of_column = {name: types[place % len(types)] for place, name in enumerate(names)}
    for place, dtype in enumerate(of_column.values()):
        if dtype in missing:
            X[rng.uniform(size=ROWS) < 0.1, place] = np.nan
    return X, names, of_column


def check_wide(X, frame, y):
    fitted = ReliefF().fit(frame, y)
    assert np.array_equal(fitted.weights_, ReliefF(genotype_features=[]).fit(X, y).weights_)
    # Each column is at its place.
    order = np.argsort(fitted.weights_)[-5:]
    assert np.array_equal(
        fitted.set_params(n_features_to_select=5).transform(frame),
        X[:, np.sort(order)],
        equal_nan=True,
    )


@pytest.mark.parametrize(
    "types",
    [
        ["int64"],
        ["int16"],
        ["float16"],
        ["Int64"],
        ["float64", "uint8", "Float64", "int64", "float32"],
    ],
)
def test_pandas_of_many_columns(y, types):
    X, names, of_column = wide(types, ("float64", "float32", "float16", "Int64", "Float64"))
    frame = pd.DataFrame(X, columns=names).astype(of_column)
    check_wide(X, frame, y)


@pytest.mark.parametrize(
    "types", [[pl.Int64], [pl.UInt8], [pl.Float32], [pl.Float64, pl.Int8, pl.Float32, pl.Int64]]
)
def test_polars_of_many_columns(y, types):
    X, names, of_column = wide(types, types)
    frame = pl.DataFrame(X, schema=names).fill_nan(None).cast(of_column)
    check_wide(X, frame, y)


def test_types_are_read_once(y, monkeypatch):
    """Not once per column, which would take minutes with 100,000 columns."""
    read, dtypes = [], pd.DataFrame.dtypes
    monkeypatch.setattr(
        pd.DataFrame, "dtypes", property(lambda frame: read.append(0) or dtypes.fget(frame))
    )
    X, names, _ = wide(["float64"], ())
    ReliefF().fit(pd.DataFrame(X, columns=names), y)
    assert 0 < len(read) < 20


def test_listed_columns_are_found_together(y, monkeypatch):
    """Not by a search for each name, which would take minutes for 20,000 names."""
    X, names, _ = wide(["float64"], ())
    frame = pd.DataFrame(X, columns=names)
    by_index = ReliefF(categorical_features=range(100), ordinal_features=range(100, 300))
    wanted = by_index.fit(frame, y).weights_
    monkeypatch.setattr(_native, "column_index", None)
    by_name = ReliefF(
        categorical_features=names[:100],
        ordinal_features={name: list("012345678") for name in names[100:]},
    )
    assert np.array_equal(by_name.fit(frame, y).weights_, wanted)


@pytest.mark.parametrize("share", [0, 0.1, 1])
def test_texts_and_truth_values_of_all_containers(y, share):
    rng = np.random.default_rng(11)
    gaps = rng.uniform(size=ROWS) < share
    gaps[0] = False
    columns = {
        "base": rng.choice(["A", "NA", "C", "T"], size=ROWS),
        "number": rng.choice(["1", "2", "0.5"], size=ROWS),
        "is": rng.choice([True, False], size=ROWS),
        "only": np.full(ROWS, True),
        "other": rng.normal(size=ROWS),
    }
    objects = np.column_stack([values.astype(object) for values in columns.values()])
    objects[gaps, :4] = None
    frame = pd.DataFrame(dict(zip(columns, objects.T, strict=True)))
    frame["other"] = columns["other"]
    texts = frame.astype({"base": "str", "number": "str"})
    if not gaps.any():
        texts = texts.astype({"is": bool, "only": bool})
    shared = pl.DataFrame(dict(zip(columns, objects.T.tolist(), strict=True)))
    wanted = ReliefF(5).fit(objects, y).weights_
    assert (wanted[0] != 0) == (share < 1)
    assert wanted[3] == 0
    for X in (frame, texts, shared):
        assert np.array_equal(ReliefF(5).fit(X, y).weights_, wanted)
    if not gaps.any():
        truths = np.column_stack([columns["is"], columns["only"]])
        found = ReliefF(5).fit(truths, y).weights_
        assert np.array_equal(found, ReliefF(5).fit(truths.astype(object), y).weights_)
