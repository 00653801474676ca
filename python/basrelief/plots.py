"""Figures of fitted estimators, drawn with matplotlib.

Matplotlib is imported only for drawing. Install it with ``pip install basrelief[plot]``.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from basrelief._base import BaseReliefSelector
from basrelief._maps import MapMixin
from basrelief._significance import PermutationTestResult
from basrelief._tables import feature_names, shortened
from basrelief._validation import option_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["plot_map", "plot_ranking"]

# The colors of Okabe and Ito, which people with color vision deficiency can distinguish.
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
QUIET = "#999999"

# Maximum length of a name in characters.
MOST_CHARACTERS = 30


def plot_ranking(
    estimator: BaseReliefSelector | PermutationTestResult,
    *,
    ax: Axes | None = None,
    top: int = 20,
) -> Axes:
    """Draw the weights of the best features as bars, the best on top.

    After a permutation test, significant features are highlighted, and a line marks the null
    threshold: the weight that the largest weight exceeds in a fraction `alpha` of the permutations.
    After a fit with ``intervals=True``, whiskers mark the 95 % intervals of the weights.

    Parameters
    ----------
    estimator : fitted selector or PermutationTestResult
        The object with the weights.
    ax : matplotlib Axes or None, default=None
        The axes to draw on; None creates a figure.
    top : int, default=20
        Maximum number of features, at least 1.

    Returns
    -------
    ax : matplotlib Axes
        The axes of the figure.

    Raises
    ------
    ImportError
        Matplotlib is not installed.
    TypeError
        `estimator` has no weights.
    ValueError
        `top` is not a whole number of at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import ReliefF
    >>> from basrelief.plots import plot_ranking
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> ax = plot_ranking(ReliefF().fit(X, X[:, 2] > 0))
    """
    if not isinstance(top, Integral) or isinstance(top, (bool, np.bool_)) or top < 1:
        raise option_error("top", f"`{top}` is not a number of features", "use at least 1")
    selected, chance = None, None
    if isinstance(estimator, PermutationTestResult):
        selected, chance = estimator.selected_, estimator.chance_weight_
    elif isinstance(estimator, BaseReliefSelector):
        check_is_fitted(estimator)
        found = estimator._past_fit.outcome.test
        if found is not None:
            selected, chance = found["selected"], found["chance_weight"]
    else:
        raise TypeError(
            f"option estimator: `{type(estimator).__name__}` has no weights; use a fitted "
            "selector such as ReliefF(), or the result of permutation_test"
        )
    weights = estimator.weights_
    best = np.argsort(-weights, kind="stable")[:top]
    names = feature_names(estimator, len(weights))
    labels = [shortened(names[place], MOST_CHARACTERS) for place in best]
    ax = _axes(ax)
    colors = COLORS[0] if selected is None else np.where(selected[best], COLORS[0], QUIET)
    intervals = getattr(estimator, "weight_intervals_", None)
    whiskers = {}
    if intervals is not None:
        sizes = np.abs(intervals[best] - weights[best, np.newaxis]).T
        whiskers = {"xerr": sizes, "ecolor": "black", "capsize": 3}
    ax.barh(np.arange(len(best)), weights[best], color=colors, **whiskers)
    # Names may contain dollar signs, which are not formulas.
    ax.set_yticks(np.arange(len(best)), labels=labels, parse_math=False)
    ax.invert_yaxis()
    ax.set_xlabel("weight")
    if chance is not None:
        line = ax.axvline(chance, color=COLORS[5], linestyle="--")
        ax.legend([line], ["null threshold"])
    few = len(best) < len(weights)
    ax.set_title(f"The best {len(best)} of {len(weights)} features" if few else "All features")
    return ax


def plot_map(
    estimator: MapMixin, X: ArrayLike, y: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw rows in the first two components of a map.

    With a single component, the vertical axis separates the classes.

    Parameters
    ----------
    estimator : fitted transformer
        The map, such as ``LFE()`` or a kernel map.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows with the columns of the fit.
    y : array-like of shape (n_samples,) or None, default=None
        Class labels or a numeric target for the colors; None draws all rows in one color.
    ax : matplotlib Axes or None, default=None
        The axes to draw on; None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes of the figure.

    Raises
    ------
    ImportError
        Matplotlib is not installed.
    TypeError
        `estimator` is not a map.
    ValueError
        `X` cannot be mapped, or `y` has another number of rows.
    """
    if not isinstance(estimator, MapMixin):
        raise TypeError(
            f"option estimator: `{type(estimator).__name__}` is not a map; use a fitted "
            "transformer such as LFE()"
        )
    check_is_fitted(estimator)
    rows = np.asarray(estimator.transform(X))
    values = np.zeros(len(rows)) if y is None else column_or_1d(y)
    check_consistent_length(rows, values)
    is_number = y is not None and type_of_target(values) == "continuous"
    classes, codes = np.unique(np.zeros(len(rows)) if is_number else values, return_inverse=True)
    has_two = rows.shape[1] > 1
    heights = rows[:, 1] if has_two else codes.astype(float)
    ax = _axes(ax)
    if is_number:
        points = ax.scatter(rows[:, 0], heights, c=values, cmap="cividis", s=12)
        ax.figure.colorbar(points, ax=ax, label="target")
    else:
        points = [
            ax.scatter(
                rows[codes == code, 0],
                heights[codes == code],
                color=COLORS[code % len(COLORS)],
                # The first 64 classes have distinct combinations of color and shape.
                marker=MARKERS[(code + code // len(COLORS)) % len(MARKERS)],
                s=12,
            )
            for code in range(len(classes))
        ]
        if y is not None:
            labels = [shortened(str(label), MOST_CHARACTERS) for label in classes]
            for text in ax.legend(points, labels).get_texts():
                text.set_parse_math(False)
    ax.set_xlabel("first component")
    if has_two:
        ax.set_ylabel("second component")
    else:
        ax.set_yticks([])
    return ax


def _axes(ax):
    """Return the axes to draw on; imports matplotlib."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "figures are drawn with matplotlib, which is not installed; "
            'install it with `pip install "basrelief[plot]"`'
        ) from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax
