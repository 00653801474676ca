"""The wrappers: TURF, VLS and Iter around a method, or around each other."""

from __future__ import annotations

import copy
import math
import random

import numpy as np

from basrelief._validation import option_error
from basrelief.skrebate._base import Ranked

__all__ = ["TURF", "VLS", "Iter"]


class _Wrapper(Ranked):
    """Base class of the wrappers."""

    @property
    def rank_absolute(self):
        """Whether features are ranked by the absolute values of their scores."""
        return self.relief_object.rank_absolute

    @property
    def n_features_to_select(self):
        """Number of features that `transform` returns: that of the wrapped method."""
        return self.relief_object.n_features_to_select

    def _scores(self, X, y, weights=None):
        """Return the scores of a copy of the wrapped method."""
        fitted = copy.deepcopy(self.relief_object)
        fitted = fitted.fit(X, y) if weights is None else fitted.fit(X, y, weights=weights)
        return fitted.feature_importances_


class TURF(_Wrapper):
    """TuRF as in scikit-rebate: drops the worst features, and scores the remaining ones again.

    The scores of remaining features are those of the last fit. Features that were dropped in the
    last round have the smallest of these scores minus 1 % of their range; features that were
    dropped a round earlier have 1 % less again.

    Parameters
    ----------
    relief_object : object
        A method of this module, or a wrapper.
    pct : float, default=0.5
        Fraction of the features that every round drops. The number of rounds is at most 1 / pct.
    num_scores_to_return : int, default=100
        Rounds end when at most this number of features remain.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Scores of the features.
    top_features_ : ndarray of shape (n_features,)
        Indices of the features from best to worst.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief.skrebate import TURF, MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> TURF(MultiSURF(n_features_to_select=3), num_scores_to_return=4).fit(X, y).transform(X).shape
    (178, 3)
    """

    def __init__(self, relief_object, pct=0.5, num_scores_to_return=100):
        self.relief_object = relief_object
        self.pct = pct
        self.num_scores_to_return = num_scores_to_return

    def fit(self, X, y):
        """Compute the scores of the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            `pct` is not a fraction below 1 or an integer above it; the errors of the method.
        """
        if not (0 < self.pct < 1 or (self.pct > 1 and float(self.pct).is_integer())):
            raise option_error(
                "pct", f"{self.pct!r} is not a fraction of the features", "use 0.5, for example"
            )
        if self.num_scores_to_return < 0:
            raise option_error(
                "num_scores_to_return", f"{self.num_scores_to_return} is negative", "use 100"
            )
        X = np.asarray(X, dtype=np.float64)
        left, dropped = np.arange(X.shape[1]), []
        # An integer `pct` means no rounds, as in scikit-rebate.
        for _ in range(int(1 / self.pct)):
            scores = self._scores(X[:, left], y)
            keep = math.ceil(len(left) * (1 - self.pct))
            kept = np.sort(np.argsort(scores)[::-1][:keep])
            dropped.append(np.delete(left, kept))
            left = left[kept]
            if len(left) <= min(self.num_scores_to_return, X.shape[1]):
                break
        scores = self._scores(X[:, left], y)
        least, spread = scores.min(), scores.max() - scores.min()
        step = 0.01 * (spread if spread != 0 else 1.0)
        everything = np.zeros(X.shape[1])
        everything[left] = scores
        for tier, features in enumerate(reversed(dropped), start=1):
            everything[features] = least - step * tier
        return self._rank(everything, absolute=self.rank_absolute)

    def fit_transform(self, X, y):
        """Fit, and reduce the rows to the best features; see :meth:`fit` and :meth:`transform`."""
        return self.fit(X, y).transform(X)


class VLS(_Wrapper):
    """VLS as in scikit-rebate: the largest score of every feature in random subsets.

    Parameters
    ----------
    relief_object : object
        A method of this module, or a wrapper.
    num_feature_subset : int, default=40
        Number of subsets.
    size_feature_subset : int, default=5
        Number of features in a subset.
    random_state : int or None, default=None
        Seed of the subsets, which are those of scikit-rebate with the same seed. The generator of
        Python's module `random` is not changed.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Scores of the features.
    top_features_ : ndarray of shape (n_features,)
        Indices of the features from best to worst.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief.skrebate import VLS, MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> VLS(MultiSURF(n_features_to_select=3), random_state=0).fit(X, y).transform(X).shape
    (178, 3)
    """

    def __init__(
        self, relief_object, num_feature_subset=40, size_feature_subset=5, random_state=None
    ):
        self.relief_object = relief_object
        self.num_feature_subset = num_feature_subset
        self.size_feature_subset = size_feature_subset
        self.random_state = random_state

    def fit(self, X, y, weights=None):
        """Compute the scores of the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        weights : array-like of shape (n_features,) or None, default=None
            Factors of the differences of the features in distances.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            The subsets are too few or too small to contain all features; the errors of the method.
        """
        X = np.asarray(X, dtype=np.float64)
        width = X.shape[1]
        scores = np.full((0, width), 0.0)
        missing = 0.0 if self.rank_absolute else -np.inf
        for subset in self._subsets(width):
            of_subset = None if weights is None else np.asarray(weights, dtype=np.float64)[subset]
            own = np.full(width, missing)
            own[subset] = self._scores(X[:, subset], y, of_subset)
            scores = np.vstack([scores, own])
        if self.rank_absolute:
            largest, smallest = scores.max(axis=0), scores.min(axis=0)
            best = np.where(largest >= -smallest, largest, smallest)
        else:
            best = scores.max(axis=0)
        return self._rank(best, absolute=self.rank_absolute)

    def fit_transform(self, X, y, weights=None):
        """Fit, and reduce the rows to the best features; see :meth:`fit` and :meth:`transform`."""
        return self.fit(X, y, weights).transform(X)

    def _subsets(self, width):
        """Draw the subsets of features, which cover all features."""
        size, count = min(self.size_feature_subset, width), self.num_feature_subset
        if size < 1 or count * size < width:
            raise option_error(
                "num_feature_subset",
                f"{count} subsets of {size} do not cover {width} features",
                "use more or larger subsets",
            )
        draw = random.Random(self.random_state)
        order = list(range(width))
        draw.shuffle(order)
        subsets = [order[first : first + size] for first in range(0, width, size)]
        while len(subsets[-1]) < size:
            other = draw.choice(order)
            if other not in subsets[-1]:
                subsets[-1].append(other)
        subsets.extend(draw.sample(order, size) for _ in range(count - len(subsets)))
        return subsets


class Iter(_Wrapper):
    """Iterative Relief as in scikit-rebate: distances are weighted by the scores so far.

    Parameters
    ----------
    relief_object : object
        A method of this module, or `VLS`.
    max_iter : int, default=10
        Maximum number of fits.
    convergence_threshold : float, default=0.0001
        Fits end when no score differs from its value before by this much. As in scikit-rebate, the
        value before is the weight in distances unless `rank_absolute` is set.
    beta : float, default=0.1
        Fraction by which weights in distances approach the scores.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Scores of the features in the last fit.
    top_features_ : ndarray of shape (n_features,)
        Indices of the features from best to worst.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief.skrebate import Iter, MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> Iter(MultiSURF(n_features_to_select=3), max_iter=3).fit(X, y).transform(X).shape
    (178, 3)
    """

    def __init__(self, relief_object, max_iter=10, convergence_threshold=0.0001, beta=0.1):
        self.relief_object = relief_object
        self.max_iter = max_iter
        self.convergence_threshold = convergence_threshold
        self.beta = beta

    def fit(self, X, y):
        """Compute the scores of the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            `max_iter` is not positive; the errors of the method.
        """
        if self.max_iter < 1:
            raise option_error("max_iter", f"{self.max_iter} is less than 1", "use 10, for example")
        scores, weights = self._scores(X, y), None
        for _ in range(1, self.max_iter):
            if self.rank_absolute:
                wanted = np.abs(scores) / np.abs(scores).max()
                before = scores
            else:
                largest = scores.max()
                wanted = np.maximum(scores, 0.0)
                before = wanted = wanted / largest if largest > 0 else wanted
            weights = wanted if weights is None else weights + self.beta * (wanted - weights)
            scores = self._scores(X, y, weights)
            if (np.abs(before - scores) < self.convergence_threshold).all():
                break
        return self._rank(scores, absolute=self.rank_absolute)

    def fit_transform(self, X, y):
        """Fit, and reduce the rows to the best features; see :meth:`fit` and :meth:`transform`."""
        return self.fit(X, y).transform(X)
