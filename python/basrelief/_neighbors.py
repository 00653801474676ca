"""Exact k-nearest neighbors: a classifier and a regressor with scikit-learn's interface."""

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
    """Base class of the classifier and the regressor: their parameters, and the search."""

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
                    f"use {' or '.join(map(repr, values))}",
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
        """Find the nearest rows of the training data.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None, default=None
            Query rows; None queries the rows of the fit, which are then not their own neighbors.
        n_neighbors : int or None, default=None
            Number of neighbors; None uses the value of the constructor.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors)
            Distances in ascending order; only if `return_distance`.
        indices : array of shape (n_queries, n_neighbors)
            Row indices in the data of the fit; ties are in the order of the rows.
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
        """Find the nearest rows of the training data as a sparse matrix.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None, default=None
            As in :meth:`kneighbors`.
        n_neighbors : int or None, default=None
            As in :meth:`kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Values of the neighbors' entries: 1, or the distance.

        Returns
        -------
        graph : sparse matrix of shape (n_queries, n_samples_fit), in CSR format
        """
        if mode not in ("connectivity", "distance"):
            raise option_error(
                "mode", f"`{mode}` is not one of its values", "use connectivity or distance"
            )
        distances, rows = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        starts = np.arange(rows.shape[0] + 1) * rows.shape[1]
        shape = (rows.shape[0], self.n_samples_fit_)
        return csr_matrix((values.ravel(), rows.ravel(), starts), shape=shape)


class KNeighborsClassifier(ClassifierMixin, _Neighbors):
    """Classifier by majority vote of the k nearest rows, found by an exact blocked search.

    The interface is that of scikit-learn's class of the same name. Ties are broken by distance,
    unlike in scikit-learn, where the order of the classes or of the search decides. Among classes
    with equal votes, the class with the smaller sum of distances wins, then the first in
    `classes_`. Among rows at equal distance, the first ones of the fit are the neighbors. The
    result does not depend on the number of threads.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of rows that vote, from 1 to the number of rows of the fit.
    weights : {"uniform", "distance"}, default="uniform"
        Weight of the votes: 1, or the inverse distance. With inverse distances, if there are rows
        at distance 0, only they vote, with equal weights.
    metric : {"euclidean", "manhattan", "canberra", "chebyshev"}, default="euclidean"
        The distance: the square root of the sum of squared differences, the sum of absolute
        differences, the sum of ``|a - b| / (|a| + |b|)``, or the largest absolute difference.
    n_jobs : int or None, default=None
        Number of threads; None means 1 and -1 all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    n_samples_fit_ : int
        Number of rows of the fit.
    n_features_in_ : int
        Number of features of the fit.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Names of the features; only if `X` has names that are all strings.

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
        """Store the rows and their classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers without missing values.
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
        """Predict the classes of rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query rows.

        Returns
        -------
        y : array of shape (n_queries,)
            Predicted labels.
        """
        codes = self._ask(_native.nearest_classes, X)
        return self.classes_[codes]

    def predict_proba(self, X):
        """Predict the fraction of the votes for every class.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query rows.

        Returns
        -------
        shares : array of shape (n_queries, n_classes)
            Fractions in the order of `classes_`; every row sums to 1. If several classes share the
            largest fraction, that of the predicted class is increased to the next larger number.
        """
        return self._ask(_native.nearest_answers, X)


class KNeighborsRegressor(RegressorMixin, _Neighbors):
    """Regressor by the mean of the k nearest rows, found by an exact blocked search.

    The interface is that of scikit-learn's class of the same name. Among rows at equal distance,
    the first ones of the fit are the neighbors; in scikit-learn the search decides. The result does
    not depend on the number of threads.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of rows in the mean, from 1 to the number of rows of the fit.
    weights : {"uniform", "distance"}, default="uniform"
        Weights in the mean: equal, or the inverse distance. With inverse distances, if there are
        rows at distance 0, only they are averaged, with equal weights.
    metric : {"euclidean", "manhattan", "canberra", "chebyshev"}, default="euclidean"
        The distance: the square root of the sum of squared differences, the sum of absolute
        differences, the sum of ``|a - b| / (|a| + |b|)``, or the largest absolute difference.
    n_jobs : int or None, default=None
        Number of threads; None means 1 and -1 all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of rows of the fit.
    n_features_in_ : int
        Number of features of the fit.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Names of the features; only if `X` has names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from basrelief import KNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> KNeighborsRegressor(20).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    def fit(self, X, y):
        """Store the rows and their values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers without missing values.
        y : array-like of shape (n_samples,)
            One number per row.

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
        """Predict the means of the nearest rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query rows.

        Returns
        -------
        y : array of shape (n_queries,)
            Predicted means.
        """
        return self._ask(_native.nearest_answers, X)[:, 0]


def _count(wanted, available=None):
    """Check a number of neighbors, also against the number of available rows if it is known."""
    if isinstance(wanted, Integral) and not isinstance(wanted, (bool, np.bool_)) and wanted > 0:
        if available is None or wanted <= available:
            return int(wanted)
        raise option_error(
            "n_neighbors",
            f"{shown(wanted)} neighbors were requested, but there are n_samples = {available} rows",
            "use at most the number of rows",
        )
    raise option_error(
        "n_neighbors", f"`{shown(wanted)}` is not a number of neighbors", "use 1 or more"
    )
