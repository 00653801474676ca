"""The methods: ReliefF, MuRelief, and those with a radius."""

from __future__ import annotations

import time

import numpy as np

from basrelief import _native
from basrelief._validation import option_error
from basrelief.skrebate._base import Ranked

__all__ = [
    "SURF",
    "SWRF",
    "MuRelief",
    "MultiSURF",
    "MultiSURFstar",
    "MultiSWRF",
    "MultiSWRFDB",
    "MultiSWRFDBstar",
    "MultiSWRFstar",
    "ReliefF",
    "SURFstar",
    "SWRFstar",
]


class _Method(Ranked):
    """Base class of the methods; a subclass states the class of scikit-rebate that it follows."""

    _rule = ""

    def fit(self, X, y, weights=None):
        """Compute the scores of the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Classes or numbers; see `label_type`.
        weights : array-like of shape (n_features,) or None, default=None
            Factors of the differences of the features in distances. Features must be of one kind.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            Fewer than two different labels, an unknown `label_type`, arrays of other shapes, a
            numeric feature that does not vary, or weights for features of both kinds.
        """
        start = time.perf_counter()
        X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"X: it has {X.ndim} dimensions; provide rows of features")
        y = np.asarray(y).ravel()
        rows, width = X.shape
        if len(y) != rows:
            raise ValueError(f"y: {len(y)} labels for {rows} rows; provide one label per row")
        if weights is not None:
            weights = np.ascontiguousarray(weights, dtype=np.float64)
            if weights.shape != (width,):
                raise ValueError(
                    f"weights: the shape is {weights.shape}; provide one weight for each of the "
                    f"{width} features"
                )
        self.n_features_in_ = width
        self._is_categorical = self._kinds(X)
        labels = self._labels(y)
        scores = _native.skrebate_scores(
            self._rule,
            X,
            self._is_categorical,
            labels,
            neighbors=self._neighbors(rows),
            factors=weights,
            threads=self._threads(),
        )
        if weights is not None and self.weight_final_scores:
            scores = scores * weights
        if self.verbose:
            print(f"{type(self).__name__}: scores after {time.perf_counter() - start:.3f} s")
        return self._rank(scores, absolute=self.rank_absolute)

    def fit_transform(self, X, y, weights=None):
        """Fit, and reduce the rows to the best features.

        Parameters
        ----------
        X, y, weights
            As for :meth:`fit`.

        Returns
        -------
        X_selected : ndarray of shape (n_samples, n_features_to_select)
            The columns of the best features, best first.
        """
        return self.fit(X, y, weights).transform(X)

    def summary(self, sort=True, feature_name=None, show_feature_type=False):
        """Print the scores and ranks of the features.

        Parameters
        ----------
        sort : bool, default=True
            Whether the best features come first; otherwise the order is that of the columns.
        feature_name : sequence of str or None, default=None
            Names of the features; None for their indices.
        show_feature_type : bool, default=False
            Whether to print the kinds of the features.
        """
        width = self.n_features_in_
        names = [str(index) for index in range(width)] if feature_name is None else feature_name
        longest = max(len(name) for name in names)
        names = [name if len(name) <= 40 else f"{name[:37]}..." for name in names]
        column = 41 if longest > 40 else max(longest + 1, 15)
        ranks = np.empty(width, dtype=int)
        ranks[self.top_features_] = np.arange(1, width + 1)
        kinds = ["categorical" if own else "continuous" for own in self._is_categorical]
        header = f"{'Feature name':<{column}}{'Feature importances':<23}{'Feature rank':<15}"
        print(header + (f"{'Feature type':<15}" if show_feature_type else ""))
        for index in self.top_features_ if sort else range(width):
            score, rank = self.feature_importances_[index], ranks[index]
            line = f"{names[index]:<{column}}{score:<23.8f}{rank:<15}"
            print(line + (f"{kinds[index]:<15}" if show_feature_type else ""))

    def _kinds(self, X):
        """Return for every feature whether it is categorical."""
        if self.categorical_features is not None:
            chosen = set(self.categorical_features)
            return [index in chosen for index in range(X.shape[1])]
        # Some rows suffice for most numeric features. NaN is sorted last, and increases nothing.
        some = np.sort(X[: max(64, 2 * self.categorical_threshold + 2)], axis=0)
        counts = 1 + np.sum(some[1:] > some[:-1], axis=0)
        is_categorical = counts <= self.categorical_threshold
        for index in np.flatnonzero(is_categorical):
            column = X[:, index]
            values = np.unique(column[~np.isnan(column)])
            is_categorical[index] = len(values) <= self.categorical_threshold
        return is_categorical.tolist()

    def _labels(self, y):
        """Return the labels as class codes, or as numbers with the difference of hits."""
        values, codes = np.unique(y, return_inverse=True)
        count = len(values)
        if count < 2:
            raise ValueError("y: all labels are equal; provide rows with at least two labels")
        kind = self.label_type
        if kind is None:
            kind = "continuous"
            if count == 2:
                kind = "binary"
            elif count <= self.multiclass_threshold:
                kind = "multiclass"
        if kind not in ("binary", "multiclass", "continuous"):
            raise option_error(
                "label_type",
                f"{kind!r} is not a kind of label",
                "use 'binary', 'multiclass', 'continuous' or None",
            )
        if kind == "binary" and count != 2:
            raise option_error(
                "label_type", f"there are {count} labels, not two", "use 'multiclass' or None"
            )
        if kind == "continuous":
            numbers = np.ascontiguousarray(y, dtype=np.float64)
            # scikit-rebate computes no deviation for few labels, so that no row is a hit.
            many = count > self.categorical_threshold
            return numbers, float(np.std(numbers, ddof=1)) if many else 0.0
        codes = np.ascontiguousarray(codes, dtype=np.uint32)
        return codes, None if kind == "binary" else count

    def _neighbors(self, rows):
        """Return the number of neighbors per group; a float is a fraction of the rows."""
        count = getattr(self, "n_neighbors", 1)
        return int(count * rows * 0.5) if isinstance(count, float) else int(count)

    def _threads(self):
        """Return the number of threads; None for one per core."""
        if self.n_jobs is None:
            return 1
        return None if self.n_jobs < 0 else int(self.n_jobs)


_PARAMETERS = """
    Parameters
    ----------
    n_features_to_select : int, default=10
        Number of best features that `transform` returns.{neighbors}
    categorical_features : list of int or None, default=None
        Indices of the categorical features; all others are numeric. None: those with at most
        `categorical_threshold` different values.
    categorical_threshold : int, default=10
        The largest number of different values of a categorical feature. Numeric labels with at
        most this many different values have no hits.
    multiclass_threshold : int, default=10
        The largest number of different labels that are classes; more are numbers.
    verbose : bool, default=False
        Whether to print the elapsed time.
    n_jobs : int, default=1
        Number of threads; -1: one per core. Scores do not depend on it.
    weight_final_scores : bool, default=False
        Whether the `weights` of `fit` multiply the scores, too.
    rank_absolute : bool, default=False
        Whether features are ranked by the absolute values of their scores.
    label_type : {{'binary', 'multiclass', 'continuous'}} or None, default=None
        How labels are read; None: by the number of different labels.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Scores of the features.
    top_features_ : ndarray of shape (n_features,)
        Indices of the features from best to worst.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief.skrebate import {name}
    >>> X, y = load_wine(return_X_y=True)
    >>> {name}({example}).fit(X, y).transform(X).shape
    (178, 10)
"""
_NEIGHBORS = """
    n_neighbors : int or float, default=100
        Number of neighbors per group; a float is a fraction of the rows, half of which are hits."""


def _documented(kind):
    """Append the parameters to the docstring of a class."""
    has_neighbors = issubclass(kind, ReliefF) if kind.__name__ != "ReliefF" else True
    kind.__doc__ = (
        kind.__doc__.rstrip()
        + "\n"
        + _PARAMETERS.format(
            neighbors=_NEIGHBORS if has_neighbors else "",
            name=kind.__name__,
            example="n_neighbors=20" if has_neighbors else "",
        )
    )
    return kind


@_documented
class ReliefF(_Method):
    """ReliefF as in scikit-rebate: the nearest hits and misses of every row.

    Rows at equal distance are in the order of the table.
    """

    _rule = "ReliefF"

    def __init__(
        self,
        n_features_to_select=10,
        n_neighbors=100,
        categorical_features=None,
        categorical_threshold=10,
        multiclass_threshold=10,
        verbose=False,
        n_jobs=1,
        weight_final_scores=False,
        rank_absolute=False,
        label_type=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.categorical_features = categorical_features
        self.categorical_threshold = categorical_threshold
        self.multiclass_threshold = multiclass_threshold
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.weight_final_scores = weight_final_scores
        self.rank_absolute = rank_absolute
        self.label_type = label_type


@_documented
class MuRelief(ReliefF):
    """Mu-Relief as in scikit-rebate: the rows whose distances deviate most from the mean."""

    _rule = "MuRelief"


@_documented
class SURF(_Method):
    """SURF as in scikit-rebate: all rows nearer than the mean of the distance matrix."""

    _rule = "SURF"

    def __init__(
        self,
        n_features_to_select=10,
        categorical_features=None,
        categorical_threshold=10,
        multiclass_threshold=10,
        verbose=False,
        n_jobs=1,
        weight_final_scores=False,
        rank_absolute=False,
        label_type=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.categorical_features = categorical_features
        self.categorical_threshold = categorical_threshold
        self.multiclass_threshold = multiclass_threshold
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.weight_final_scores = weight_final_scores
        self.rank_absolute = rank_absolute
        self.label_type = label_type


@_documented
class SURFstar(SURF):
    """SURF* as in scikit-rebate: SURF, and far rows with the opposite sign."""

    _rule = "SURFstar"


@_documented
class MultiSURF(SURF):
    """MultiSURF as in scikit-rebate: a radius per row, with a dead band."""

    _rule = "MultiSURF"


@_documented
class MultiSURFstar(SURF):
    """MultiSURF* as in scikit-rebate: MultiSURF, and far rows by their similarities."""

    _rule = "MultiSURFstar"


@_documented
class SWRF(ReliefF):
    """SWRF as in scikit-rebate: SURF with weights that depend on distances.

    `n_neighbors` is accepted as in scikit-rebate, and has no effect.
    """

    _rule = "SWRF"


@_documented
class SWRFstar(SWRF):
    """SWRF* as in scikit-rebate: SWRF with far rows. `n_neighbors` has no effect."""

    _rule = "SWRFstar"


@_documented
class MultiSWRF(SWRF):
    """MultiSWRF as in scikit-rebate: SWRF with a radius per row. `n_neighbors` has no effect."""

    _rule = "MultiSWRF"


@_documented
class MultiSWRFstar(SWRF):
    """MultiSWRF* as in scikit-rebate: MultiSWRF with far rows. `n_neighbors` has no effect."""

    _rule = "MultiSWRFstar"


@_documented
class MultiSWRFDB(SWRF):
    """MultiSWRFDB as in scikit-rebate: MultiSURF with weights. `n_neighbors` has no effect."""

    _rule = "MultiSWRFDB"


@_documented
class MultiSWRFDBstar(SWRF):
    """MultiSWRFDB* as in scikit-rebate, with far rows. `n_neighbors` has no effect."""

    _rule = "MultiSWRFDBstar"
