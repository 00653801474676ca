"""k-nearest neighbors, exact: a classifier and a regressor with scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief import _native
from basrelief._base import _threads
from basrelief._validation import contiguous, option_error, plain, readable, shown

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor"]

_METRICS = ("euclidean", "manhattan", "canberra", "chebyshev")
_WEIGHTS = ("uniform", "distance")


class _Neighbors(BaseEstimator):
    """Shared half of the two: their parameters, and the search."""

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Literal["euclidean", "manhattan", "canberra", "chebyshev"] = "euclidean",
        n_jobs: int | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.n_jobs = n_jobs

    def _remember(self, X, target):
        _count(self.n_neighbors)
        for name, values in [("metric", _METRICS), ("weights", _WEIGHTS)]:
            if getattr(self, name) not in values:
                raise option_error(
                    name,
                    f"`{shown(getattr(self, name))}` is not one of its values",
                    f"it takes {' or '.join(map(repr, values))}",
                )
        self._known = contiguous(X)
        self._target = target
        self.n_samples_fit_ = X.shape[0]
        return self

    def _rows(self, X):
        check_is_fitted(self)
        with readable("X"):
            X = validate_data(self, plain(X), reset=False, dtype=np.float64, order="C")
            return contiguous(X)

    def _ask(self, question, X):
        X = self._rows(X)
        count = _count(self.n_neighbors, self.n_samples_fit_)
        threads = _threads(self.n_jobs)
        return question(self._known, self._target, X, count, self.metric, self.weights, threads)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the nearest rows of the fit.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None, default=None
            Rows; None for the rows of the fit, none of which is then its own neighbor.
        n_neighbors : int or None, default=None
            How many; None for those of the constructor.
        return_distance : bool, default=True
            Whether the distances are returned too.

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors)
            The nearest first; only if `return_distance`.
        indices : array of shape (n_queries, n_neighbors)
            Row numbers in the rows of the fit; of rows at one distance the first comes first.
        """
        check_is_fitted(self)
        if X is not None:
            X = self._rows(X)
        available = self.n_samples_fit_ - (X is None)
        count = _count(self.n_neighbors if n_neighbors is None else n_neighbors, available)
        threads = _threads(self.n_jobs)
        rows, distances = _native.nearest_rows(self._known, X, count, self.metric, threads)
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Find the nearest rows of the fit as a sparse matrix.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None, default=None
            As of :meth:`kneighbors`.
        n_neighbors : int or None, default=None
            As of :meth:`kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            What stands at the neighbors' places: 1, or the distance.

        Returns
        -------
        graph : sparse matrix of shape (n_queries, n_samples_fit), in CSR format
        """
        if mode not in ("connectivity", "distance"):
            raise option_error(
                "mode", f"`{mode}` is not one of its values", "it takes connectivity or distance"
            )
        distances, rows = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        starts = np.arange(rows.shape[0] + 1) * rows.shape[1]
        shape = (rows.shape[0], self.n_samples_fit_)
        return csr_matrix((values.ravel(), rows.ravel(), starts), shape=shape)


class KNeighborsClassifier(ClassifierMixin, _Neighbors):
    """The class that most of the nearest rows have, searched exactly and in blocks.

    The interface is that of scikit-learn's class of the same name. Ties are decided by distance,
    where scikit-learn decides by the order of the classes or of its search: of classes with
    equal votes the one whose neighbors have the smaller summed distance wins, then the first in
    `classes_`; of rows at one distance those that come first in the fit are the nearer. Numbers of
    threads change nothing.

    Parameters
    ----------
    n_neighbors : int, default=5
        Rows that vote, from 1 to the rows of the fit.
    weights : {"uniform", "distance"}, default="uniform"
        Every row has one vote, or one over its distance; where rows are at distance 0, only these
        vote, and alike.
    metric : {"euclidean", "manhattan", "canberra", "chebyshev"}, default="euclidean"
        The distance: root of the sum of squared differences, sum of differences, sum of
        ``|a - b| / (|a| + |b|)``, or the largest difference.
    n_jobs : int or None, default=None
        Threads: None for 1, -1 for all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    n_samples_fit_ : int
        Rows of the fit.
    n_features_in_ : int
        Features of the fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the features, where `X` had names that are all strings.

    References
    ----------
    T. Cover and P. Hart. Nearest neighbor pattern classification. IEEE Transactions on Information
    Theory 13(1), 21-27, 1967.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from basrelief import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KNeighborsClassifier(3).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def fit(self, X, y):
        """Remember rows and their classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with readable("X or y"):
            X, y = validate_data(self, plain(X), y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        names = [str(label) for label in self.classes_]
        return self._remember(X, (codes.astype(np.uint32), names))

    def predict(self, X):
        """Tell the class of rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.

        Returns
        -------
        y : array of shape (n_queries,)
            Labels.
        """
        codes = self._ask(_native.nearest_classes, X)
        return self.classes_[codes]

    def predict_proba(self, X):
        """Tell the share of every class in the votes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.

        Returns
        -------
        shares : array of shape (n_queries, n_classes)
            In the order of `classes_`; every row sums to 1. Of equal greatest shares that of the
            class predicted is the next greater number.
        """
        return self._ask(_native.nearest_answers, X)


class KNeighborsRegressor(RegressorMixin, _Neighbors):
    """The mean of the nearest rows' values, searched exactly and in blocks.

    The interface is that of scikit-learn's class of the same name; of rows at one distance those
    that come first in the fit are the nearer, where scikit-learn's search decides. Numbers of
    threads change nothing.

    Parameters
    ----------
    n_neighbors : int, default=5
        Rows in the mean, from 1 to the rows of the fit.
    weights : {"uniform", "distance"}, default="uniform"
        Every row counts alike, or by one over its distance; where rows are at distance 0, only
        these count, and alike.
    metric : {"euclidean", "manhattan", "canberra", "chebyshev"}, default="euclidean"
        The distance: root of the sum of squared differences, sum of differences, sum of
        ``|a - b| / (|a| + |b|)``, or the largest difference.
    n_jobs : int or None, default=None
        Threads: None for 1, -1 for all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Rows of the fit.
    n_features_in_ : int
        Features of the fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the features, where `X` had names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from basrelief import KNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> KNeighborsRegressor(20).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    def fit(self, X, y):
        """Remember rows and their values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            A number per row.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        options = {"dtype": np.float64, "order": "C", "y_numeric": True}
        with readable("X or y"):
            X, y = validate_data(self, plain(X), y, **options)
        return self._remember(X, contiguous(y, dtype=np.float64))

    def predict(self, X):
        """Tell the mean of the nearest rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.

        Returns
        -------
        y : array of shape (n_queries,)
            Means.
        """
        return self._ask(_native.nearest_answers, X)[:, 0]


def _count(wanted, available=None):
    """Check a number of neighbors, against the rows there are where these are known."""
    if isinstance(wanted, Integral) and not isinstance(wanted, (bool, np.bool_)) and wanted > 0:
        if available is None or wanted <= available:
            return int(wanted)
        raise option_error(
            "n_neighbors",
            f"{shown(wanted)} neighbors of n_samples = {available} rows to choose from",
            "give at most as many as there are",
        )
    raise option_error(
        "n_neighbors", f"`{shown(wanted)}` is no number of neighbors", "give a whole number from 1"
    )
