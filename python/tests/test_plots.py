"""Figures by matplotlib."""

import sys

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from basrelief import LDA, LFE, PCA, Kernelized, ReliefF, permutation_test
from basrelief.plots import COLORS, QUIET, plot_map, plot_ranking


@pytest.fixture(autouse=True)
def _figures():
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).normal(size=(90, 5))
    return X, np.where(X[:, 3] > 0.5, "high", np.where(X[:, 3] > -0.5, "middle", "low"))


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_bars_are_the_weights_best_on_top(data):
    selector = ReliefF().fit(*data)
    ax = plot_ranking(selector, top=3)
    order = np.argsort(-selector.weights_)[:3]
    assert names_of(ax) == [f"x{place}" for place in order]
    assert [bar.get_width() for bar in ax.patches] == list(selector.weights_[order])
    # On the screen the first is the highest.
    assert ax.yaxis_inverted()
    assert ax.get_title() == "The best 3 of 5 features"
    assert ax.get_legend() is None
    assert len(plot_ranking(selector).patches) == 5


def test_significant_bars_and_chance_are_marked(data):
    X, y = data
    selector = ReliefF(n_features_to_select="max-t", n_permutations=99, random_state=0).fit(X, y)
    result = permutation_test(ReliefF(), X, y, n_permutations=99, random_state=0)
    for found in (selector, result):
        ax = plot_ranking(found)
        assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [
            COLORS[0].lower(),
            *[QUIET] * 4,
        ]
        (line,) = ax.lines
        assert line.get_xdata()[0] == result.chance_weight_


def test_the_axes_given_are_drawn_on(data):
    _, ax = pyplot.subplots()
    assert plot_ranking(ReliefF().fit(*data), ax=ax) is ax
    _, ax = pyplot.subplots()
    assert plot_map(LFE(2).fit(*data), *data, ax=ax) is ax


def test_names_are_no_formulas(data):
    X, y = data
    result = permutation_test(ReliefF(), X, y, n_permutations=19)
    names = np.array(["$\\frac{$", "n" * 1000, "a\nb", "<b>", "_"], dtype=object)
    object.__setattr__(result, "feature_names_in_", names)
    ax = plot_ranking(result)
    ax.figure.canvas.draw()
    assert set(names_of(ax)) == {"$\\frac{$", "n" * 29 + "…", "a b", "<b>", "_"}
    ax = plot_map(LFE(2).fit(X, y), X, np.where(y == "low", "$\\frac{$", "_"))
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$\\frac{$", "_"]


def test_points_are_the_mapped_rows_by_class(data):
    X, y = data
    for transformer in (LFE(2), Kernelized(LFE(2))):
        mapped = transformer.fit_transform(X, y)
        ax = plot_map(transformer, X, y)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert labels == ["high", "low", "middle"]
        for points, label in zip(ax.collections, ["high", "low", "middle"], strict=True):
            np.testing.assert_array_equal(points.get_offsets(), mapped[y == label, :2])
    colors = {to_hex(points.get_facecolor()[0]) for points in ax.collections}
    assert len(colors) == 3


def test_many_classes_differ_in_color_and_shape():
    X = np.random.default_rng(0).normal(size=(64, 3))
    ax = plot_map(PCA(2).fit(X), X, np.arange(64))
    looks = {
        (to_hex(points.get_facecolor()[0]), points.get_paths()[0].vertices.tobytes())
        for points in ax.collections
    }
    assert len(looks) == 64
    assert len({shape for _, shape in looks}) == 8


def test_points_without_classes_of_numbers_and_of_one_component(data):
    X, y = data
    transformer = PCA(2).fit(X)
    ax = plot_map(transformer, X)
    assert ax.get_legend() is None
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), transformer.transform(X)[:, :2])
    ax = plot_map(transformer, X, X[:, 3])
    np.testing.assert_array_equal(ax.collections[0].get_array(), X[:, 3])
    # Two classes have one discriminant.
    two = np.where(y == "low", 0, 1)
    ax = plot_map(LDA().fit(X, two), X, two)
    assert [set(points.get_offsets()[:, 1]) for points in ax.collections] == [{0.0}, {1.0}]


@pytest.mark.parametrize("top", [0, -1, 2.5, True, "all"])
def test_top_is_a_number_of_features(data, top):
    with pytest.raises(ValueError, match="option top"):
        plot_ranking(ReliefF().fit(*data), top=top)


def test_what_cannot_be_drawn_is_refused(data):
    X, y = data
    with pytest.raises(TypeError, match=r"`LFE` has no weights; use a fitted selector"):
        plot_ranking(LFE(2).fit(X, y))
    with pytest.raises(TypeError, match=r"`ReliefF` is not a map; use a fitted transformer"):
        plot_map(ReliefF().fit(X, y), X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot_map(LFE(2).fit(X, y), X, y[:5])


def test_a_missing_matplotlib_is_named(data, monkeypatch):
    selector = ReliefF().fit(*data)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "basrelief\[plot\]"'):
        plot_ranking(selector)


def test_intervals_are_whiskers():
    X = np.random.default_rng(0).normal(size=(160, 5))
    y = X[:, 3] > 0
    selector = ReliefF().fit(X, y, intervals=True)
    ax = plot_ranking(selector)
    (whiskers,) = [one for one in ax.collections if len(one.get_segments()) == X.shape[1]]
    best = np.argsort(-selector.weights_, kind="stable")
    ends = np.array([segment[:, 0] for segment in whiskers.get_segments()])
    np.testing.assert_allclose(ends, selector.weight_intervals_[best])
