"""The weights themselves: known answers, invariances, agreement with the textbook."""

import contextlib
import inspect
import re

import numpy as np
import pytest

import basrelief
import naive
from basrelief import (
    MyopicReliefF,
    Relief,
    ReliefE,
    ReliefF,
    ReliefMargin,
    RReliefF,
)

pytestmark = pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")


def test_hand_computed_relief():
    # Ranges are 1 and 2. Rows 0 and 1 are each other's hits, rows 2 and 3 too; the nearest misses
    # are 0-2 and 1-3. Feature x0 differs by 0.1 (hits) and 1.0 and 0.8 (misses), x1 by 1 (hits)
    # and by 0.05 (misses).
    X = np.array([[0.0, 3.0], [0.1, 1.0], [1.0, 2.9], [0.9, 1.1]])
    weights = Relief().fit(X, [0, 0, 1, 1]).weights_
    np.testing.assert_allclose(weights, [0.9 - 0.1, 0.05 - 0.95], atol=1e-15)


def test_hand_computed_relieff_of_three_classes():
    # One feature, classes at 0, 1 and 4 (range 5), two rows each, one apart at the last class.
    X = np.array([[0.0], [0.0], [1.0], [1.0], [4.0], [5.0]])
    y = ["a", "a", "b", "b", "c", "c"]
    hits = np.array([0, 0, 0, 0, 1, 1]) / 5
    misses = np.array([1 + 4, 1 + 4, 1 + 3, 1 + 3, 4 + 3, 5 + 4]) / 5 / 2
    weights = ReliefF(n_neighbors=1).fit(X, y).weights_
    np.testing.assert_allclose(weights, [np.mean(misses - hits)], atol=1e-15)


def test_shared_ties_are_the_mean_over_row_orders():
    # Row 0 has two misses at the same distance, which differ from it in different features.
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    weights = ReliefF(n_neighbors=1).fit(X, [0, 0, 1, 1]).weights_
    # Rows 0 and 1: hit 0, miss half of each. Rows 2 and 3: hit 1 in both, miss 1 in their own.
    np.testing.assert_allclose(weights, [(0.5 + 0.5 + 1 + 0 - 1 - 1) / 4] * 2, atol=1e-15)


def test_margin_weights_are_the_positive_part_of_unit_length():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5))
    y = (X[:, 1] > 0).astype(int)
    statistic = ReliefE().fit(X, y).weights_
    positive = np.maximum(statistic, 0)
    expected = positive / np.linalg.norm(positive)
    np.testing.assert_allclose(ReliefMargin().fit(X, y).weights_, expected, atol=1e-12)


def test_the_search_is_told():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1000, 2))
    y = (X[:, 0] > 0).astype(int)
    assert ReliefF().fit(X, y).neighbor_search_ == "kd-tree"
    assert RReliefF().fit(X[:100], X[:100, 0]).neighbor_search_ == "all pairs"


def test_myopic_of_a_perfect_and_a_useless_feature():
    X = np.array([["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]])
    weights = MyopicReliefF().fit(X, [0, 0, 1, 1]).weights_
    # P_samecl = 1/2, P_eqval = 1/2, gain of the first feature 1 - 1/2, of the second 0.
    np.testing.assert_allclose(weights, [0.5 * 0.5 / (0.5 * 0.5), 0.0], atol=1e-15)


def mixed_data(seed, rows=45, classes=3, missing=0.1):
    """A frame-like dict of numeric, categorical and genotype columns with gaps, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, size=rows)
    y[: classes * 2] = np.repeat(np.arange(classes), 2)
    columns = []
    for index in range(7):
        kind = ("numeric", "categorical", "genotype")[index % 3]
        if kind == "numeric":
            values = rng.normal(size=rows) + y * (index == 0)
        else:
            values = rng.integers(0, 3 if kind == "genotype" else 4, size=rows).astype(float)
        values[rng.uniform(size=rows) < missing] = np.nan
        columns.append(naive.Column(values, kind))
    X = np.column_stack([column.values for column in columns])
    lists = {
        f"{kind}_features": [j for j, column in enumerate(columns) if column.kind == kind]
        for kind in ("categorical", "genotype")
    }
    return X, y, columns, lists


CHOICES = [
    {},
    {"missing": "ignore"},
    {"missing": "pessimistic"},
    {"metric": "euclidean"},
    {"metric": "euclidean", "missing": "ignore"},
    {"ties": "first"},
    {"neighbor_weights": "rank:2.5"},
]


def naive_choices(options):
    return {("rule" if key == "neighbor_weights" else key): v for key, v in options.items()}


@pytest.mark.parametrize("options", CHOICES, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_relieff_agrees_with_the_textbook(options, missing):
    X, y, columns, lists = mixed_data(11, missing=missing)
    weights = ReliefF(4, **options, **lists).fit(X, y).weights_
    expected = naive.hit_miss(columns, y, 4, **naive_choices(options))
    np.testing.assert_allclose(weights, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("options", CHOICES[:-1], ids=str)
def test_relief_e_agrees_with_the_textbook(options):
    X, y, columns, lists = mixed_data(12)
    weights = ReliefE(**options, **lists).fit(X, y).weights_
    expected = naive.hit_miss(columns, y, 1, per_class=False, **naive_choices(options))
    np.testing.assert_allclose(weights, expected, atol=1e-12, rtol=0)


def test_relief_agrees_with_the_textbook():
    X, y, columns, lists = mixed_data(13, classes=2)
    weights = Relief(**lists).fit(X, y).weights_
    np.testing.assert_allclose(weights, naive.hit_miss(columns, y, 1), atol=1e-12, rtol=0)


@pytest.mark.parametrize("options", [o for o in CHOICES if o.get("missing") != "ignore"], ids=str)
def test_rrelieff_agrees_with_the_textbook(options):
    X, _, columns, lists = mixed_data(14)
    y = np.random.default_rng(14).normal(size=len(X)) + np.nan_to_num(X[:, 0])
    weights = RReliefF(5, **options, **lists).fit(X, y).weights_
    expected = naive.rrelieff(columns, y, 5, **naive_choices(options))
    np.testing.assert_allclose(weights, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("estimator", [ReliefF(5), ReliefE(), ReliefMargin(), MyopicReliefF()])
def test_order_of_rows_and_columns_does_not_matter(estimator):
    X, y, _, _ = mixed_data(21, rows=60)
    rng = np.random.default_rng(21)
    rows, columns = rng.permutation(60), rng.permutation(X.shape[1])
    weights = estimator.fit(X, y).weights_
    shuffled = estimator.fit(X[rows][:, columns], y[rows]).weights_
    np.testing.assert_allclose(shuffled, weights[columns], atol=1e-13, rtol=0)


@pytest.mark.parametrize("estimator", [ReliefF(5), RReliefF(5), ReliefE()])
def test_scale_of_a_numeric_column_does_not_matter(estimator):
    rng = np.random.default_rng(22)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] > 0).astype(float)
    weights = estimator.fit(X, y).weights_
    scaled = estimator.fit(X * [1e-6, 1.0, 3.7, 1e9] + [5, 0, 1, 2], y).weights_
    np.testing.assert_allclose(scaled, weights, atol=1e-9, rtol=0)


def test_a_constant_column_weighs_exactly_nothing_and_changes_nothing():
    rng = np.random.default_rng(23)
    X = rng.normal(size=(50, 3))
    y = (X[:, 0] > 0).astype(int)
    weights = ReliefF(5).fit(X, y).weights_
    more = ReliefF(5).fit(np.column_stack([X, np.full(50, 3.14)]), y)
    np.testing.assert_allclose(more.weights_[:3], weights, atol=1e-13, rtol=0)
    assert more.weights_[3] == 0.0
    assert any("x3" in message for message in more.warnings_)


def test_memory_order_and_precision():
    rng = np.random.default_rng(24)
    X = rng.normal(size=(60, 8)).astype(np.float32)
    y = rng.integers(0, 2, size=60)
    weights = ReliefF(5).fit(X.astype(np.float64), y).weights_
    wide = np.zeros((120, 16), dtype=np.float64)
    wide[::2, ::2] = X
    for same in (np.asfortranarray(X.astype(np.float64)), wide[::2, ::2], X.astype(object)):
        np.testing.assert_array_equal(ReliefF(5).fit(same, y).weights_, weights)
    for single in (X, np.asfortranarray(X)):
        np.testing.assert_allclose(ReliefF(5).fit(single, y).weights_, weights, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_bytes_weigh_as_doubles_do(dtype, order):
    rng = np.random.default_rng(31)
    # Genotypes, two of their values, small numbers, and the ends of what a byte holds.
    ends = np.iinfo(dtype)
    X = np.column_stack(
        [
            rng.integers(0, 3, size=(80, 9)),
            rng.integers(0, 2, size=(80, 3)),
            rng.integers(0, 5, size=(80, 9)),
            rng.integers(ends.min, ends.max + 1, size=(80, 9)),
        ]
    )
    y = (X[:, 0] + X[:, 1]) % 3 > 0
    small = np.asarray(X, dtype=dtype, order=order)
    for options in (
        {},
        {"genotype_features": []},
        {"genotype_features": [0, 4]},
        {"categorical_features": [0, 9, 12, 25]},
        {"ordinal_features": [0, 9, 12, 25]},
    ):
        for method in (ReliefF(5, **options), basrelief.MultiSURF(**options)):
            same = method.fit(X.astype(np.float64), y)
            weights, messages = same.weights_, same.warnings_
            again = method.fit(small, y)
            np.testing.assert_array_equal(again.weights_, weights)
            assert again.warnings_ == messages
    with pytest.raises(ValueError, match="x12") as of_bytes:
        ReliefF(5, genotype_features=[12]).fit(np.full_like(small, 3), y)
    with pytest.raises(ValueError, match="x12") as of_doubles:
        ReliefF(5, genotype_features=[12]).fit(np.full(X.shape, 3.0), y)
    assert str(of_bytes.value) == str(of_doubles.value)


def test_the_seed_draws_the_rows():
    rng = np.random.default_rng(25)
    X = rng.normal(size=(100, 4))
    y = rng.integers(0, 2, size=100)
    first, again, other = (
        ReliefF(5, n_samples=20, random_state=seed).fit(X, y).weights_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0
    # All rows drawn without replacement are all rows.
    every = ReliefF(5, n_samples=100, random_state=7).fit(X, y).weights_
    np.testing.assert_allclose(every, ReliefF(5).fit(X, y).weights_, atol=1e-14)


def test_genotypes_are_found_by_their_values():
    rng = np.random.default_rng(26)
    X = rng.integers(0, 3, size=(90, 6)).astype(float)
    y = rng.integers(0, 2, size=90)
    found = ReliefF(5, genotype_diff="categorical").fit(X, y).weights_
    stated = ReliefF(5, genotype_diff="categorical", genotype_features="all").fit(X, y).weights_
    categories = ReliefF(5, categorical_features="all").fit(X, y).weights_
    numbers = ReliefF(5, genotype_diff="categorical", genotype_features=[]).fit(X, y).weights_
    np.testing.assert_array_equal(found, stated)
    np.testing.assert_allclose(found, categories, atol=1e-13)
    np.testing.assert_allclose(numbers, ReliefF(5).fit(X, y).weights_, atol=1e-13)


def test_the_ramp():
    rng = np.random.default_rng(27)
    X = rng.normal(size=(60, 4))
    y = rng.integers(0, 2, size=60)
    plain = ReliefF(5).fit(X, y).weights_
    np.testing.assert_allclose(ReliefF(5, ramp=(0.0, 1.0)).fit(X, y).weights_, plain, atol=1e-12)
    assert np.abs(ReliefF(5, ramp=(0.04, 0.1)).fit(X, y).weights_ - plain).max() > 1e-3


PUBLIC = [getattr(basrelief, name) for name in basrelief.__all__]
ESTIMATORS = {cls._entry["name"]: cls for cls in PUBLIC if hasattr(cls, "_entry")}
REGISTRY = [*basrelief.methods(), *basrelief.wrappers()]
# What selectors take that is no option of a method or wrapper.
SHARED = {
    "estimator",
    "n_features_to_select",
    "n_permutations",
    "alpha",
    "sided",
    "threshold",
    "redundancy",
    "rank_by",
    "categorical_features",
    "ordinal_features",
    "genotype_features",
    "blocks",
    "block_scale",
    "target_type",
    "target_tree",
    "unlabeled",
    "n_jobs",
    "random_state",
    "verbose",
}


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda entry: entry["name"])
def test_signatures_follow_the_registry(entry):
    cls = ESTIMATORS[entry["name"]]
    signature = inspect.signature(cls)
    options = {option["name"] for option in entry["options"]}
    assert set(signature.parameters) - SHARED == options
    # Every parameter and its default are in the docstring.
    for name, parameter in signature.parameters.items():
        default = f'"{parameter.default}"' if isinstance(parameter.default, str) else None
        documented = re.search(rf"^    {name} : .*default=(.*)$", cls.__doc__, re.MULTILINE)
        assert documented is not None, name
        shown = documented.group(1)
        assert shown == default or eval(shown) == parameter.default, name
    assert "{" not in re.sub(r"{[^{}]*[\",][^{}]*}", "", cls.__doc__)
    for option in entry["options"]:
        default = signature.parameters[option["name"]].default
        text = "none" if default is None else str(default)
        if isinstance(default, bool):
            text = "yes" if default else "no"
        same_number = False
        with contextlib.suppress(ValueError):
            same_number = float(text) == float(option["default"])
        assert same_number or text == option["default"]


def test_warnings_point_to_the_line_of_the_caller():
    X = np.zeros((12, 2))
    X[:, 0] = np.arange(12)
    y = np.arange(12) % 2
    for fit in (lambda: ReliefF(n_neighbors=3).fit(X, y), lambda: basrelief.LFE(1).fit(X, y)):
        with pytest.warns(basrelief.ReliefWarning) as caught:
            fit()
        assert {warning.filename for warning in caught} == {__file__}


def test_a_list_of_neighbors_gives_the_largest_weights():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = ReliefF(n_neighbors=(20, 5)).fit(X, y)
    assert list(found.weights_by_neighbors_) == [5, 20]
    for k, weights in found.weights_by_neighbors_.items():
        alone = ReliefF(n_neighbors=k).fit(X, y).weights_
        np.testing.assert_allclose(alone, weights, rtol=0, atol=1e-14)
    largest = np.max(list(found.weights_by_neighbors_.values()), axis=0)
    np.testing.assert_array_equal(found.weights_, largest)
    assert not hasattr(found.set_params(n_neighbors=5).fit(X, y), "weights_by_neighbors_")
    with pytest.raises(ValueError, match="option n_neighbors: 5 is listed twice"):
        ReliefF(n_neighbors=[5, 5]).fit(X, y)
