"""Learners from triplets and quadruplets of rows, which are given or made from classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

import basrelief
from basrelief import _native
from basrelief._base import warn_caller
from basrelief._validation import option_error
from basrelief.metric_learn._base import MetricLearner, known_rows, warn_unused
from basrelief.metric_learn._pairs import draw_pairs
from basrelief.metric_learn._starts import prior_map
from basrelief.metric_learn._tuples import QuadrupletsClassifier, TripletsClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = ["LSML", "SCML", "LSML_Supervised", "SCML_Supervised"]


class _OfLSML(MetricLearner):
    def _learn(self, quadruplets, weights):
        """Learn from quadruplets of rows with weights, or with equal weights."""
        rows = np.unique(np.vstack(quadruplets), axis=0)
        start = prior_map(self.prior, rows, self.random_state)
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            if weights.shape != (len(quadruplets),):
                raise option_error(
                    "weights",
                    f"its shape is {weights.shape}",
                    f"provide a weight for each of the {len(quadruplets)} quadruplets",
                )
            # Quadruplets without a weight have no effect.
            quadruplets, weights = quadruplets[weights != 0], weights[weights != 0].tolist()
        method = basrelief.LSML(
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **({} if self.tol is None else {"tol": self.tol}),
        )
        return self._keep(method._fit_quadruplets(quadruplets, start, weights))


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(eq=False, repr=False)
class LSML(_OfLSML, QuadrupletsClassifier):
    """Least squared residuals: :class:`basrelief.LSML` with metric-learn's parameters.

    Parameters
    ----------
    tol : float or None, default=None
        Relative duality gap at which to stop, as in :class:`basrelief.LSML`; None: its default.
    max_iter : int, default=1000
        Maximum number of iterations.
    prior : {"identity", "covariance", "random"} or array-like, default="identity"
        Metric to which the learned one stays close: Euclidean, the inverse covariance of the rows,
        a random one, or a positive definite matrix of shape (n_features, n_features).
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        Matrix of the map.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.LSML
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    tol: float | None = None
    max_iter: int = 1000
    prior: str | ArrayLike = "identity"
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, quadruplets, weights=None):
        """Learn the metric.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features), or (n_quadruplets, 4)
            Quadruplets, in which the first two rows should be nearer to each other than the last
            two; with a preprocessor, indicators of rows.
        weights : array-like of shape (n_quadruplets,) or None, default=None
            Weights, at least 0, which are divided by their sum; None: equal weights.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._learn(self._tuples(quadruplets, 4, "quadruplets", reset=True), weights)


@dataclass(eq=False, repr=False)
class LSML_Supervised(TransformerMixin, _OfLSML):
    """Least squared residuals of quadruplets made from classes.

    A quadruplet consists of two rows of one class and two rows of different classes.

    Parameters
    ----------
    tol, max_iter, prior, verbose, preprocessor
        As in :class:`LSML`.
    n_constraints, random_state
        As in :class:`ITML_Supervised`; the number of quadruplets.
    weights : array-like of shape (n_constraints,) or None, default=None
        Weights of the quadruplets; None: equal weights.

    Attributes
    ----------
    components_, n_iter_, estimator_, n_features_in_
        As in :class:`LSML`.
    """

    tol: float | None = None
    max_iter: int = 1000
    prior: str | ArrayLike = "identity"
    n_constraints: int | None = None
    weights: ArrayLike | None = None
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Draw quadruplets from the classes, and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers mark rows of unknown class.

        Returns
        -------
        self : object
            The fitted learner.
        """
        X, y = known_rows(self, X, y)
        random = check_random_state(self.random_state)
        places, near = draw_pairs(y, self.n_constraints, random)
        # Pairs are drawn in the order of their rows.
        near, far = random.permutation(places[near]), random.permutation(places[~near])
        quadruplets = X[np.hstack([near[: len(far)], far[: len(near)]])]
        differ = np.any(quadruplets[:, 2] != quadruplets[:, 3], axis=1)
        weights = self.weights
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            weights = weights[differ] if weights.shape == differ.shape else weights
        return self._learn(quadruplets[differ], weights)


class _OfSCML(MetricLearner):
    def _check(self):
        """Refuse parameters of the wrong type, and warn of those without effect."""
        for option in ("max_iter", "output_iter", "batch_size"):
            _require_count(option, getattr(self, option))
        if self.output_iter > self.max_iter:
            raise option_error(
                "output_iter",
                f"`{self.output_iter}` exceeds max_iter, which is {self.max_iter}",
                "use at most max_iter",
            )
        for option, default in (("gamma", 5e-3), ("output_iter", 500), ("batch_size", 10)):
            reason = "the optimum is found without stochastic steps"
            warn_unused(option, getattr(self, option), default, reason)

    def _given_basis(self, n_features, words):
        """Return the basis given as an array, or None for a word."""
        if isinstance(self.basis, str):
            if self.basis not in words:
                raise option_error(
                    "basis",
                    f"`{self.basis}` is not one of its values",
                    f"use one of {', '.join(words)}, or an array of shape (n_basis, n_features)",
                )
            return None
        basis = np.asarray(self.basis, dtype=np.float64)
        if basis.ndim != 2 or basis.shape[1] != n_features:
            raise option_error(
                "basis",
                f"its shape is {basis.shape}",
                f"provide an array of shape (n_basis, {n_features})",
            )
        return np.ascontiguousarray(basis)

    def _learn(self, triplets, basis):
        """Learn from triplets of rows, with a basis or with one from the triplets."""
        n_triplets, _, n_features = triplets.shape
        n_basis = min(20 * n_features, 100) if self.n_basis is None else self.n_basis
        _require_count("n_basis", n_basis)
        if basis is None and n_features > n_triplets:
            raise ValueError(
                f"triplets: {n_triplets} are too few for a basis of {n_features} features; provide "
                f"at least {n_features}, or an array as basis"
            )
        if basis is None:
            basis = _directions_of(triplets, n_basis, check_random_state(self.random_state))
        method = basrelief.SCML(
            regularization=self.beta,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
        )
        # Triplets of equal far rows have the same loss under every metric.
        differ = np.any(triplets[:, 0] != triplets[:, 2], axis=1)
        self._keep(method._fit_triplets(triplets[differ], basis))
        rank = len(method.components_)
        if rank < n_features:
            warn_caller(
                [
                    f"the metric has {rank} dimensions, fewer than the {n_features} features; the "
                    "other components are 0"
                ]
            )
        return self


@dataclass(eq=False, repr=False)
class SCML(_OfSCML, TripletsClassifier):
    """Sparse compositional metrics: :class:`basrelief.SCML` with metric-learn's parameters.

    Parameters
    ----------
    beta : float, default=1e-5
        Penalty on the sum of the weights of the basis.
    basis : "triplet_diffs" or array-like of shape (n_basis, n_features), default="triplet_diffs"
        The directions of which the metric is composed: a quarter of them from the triplets and the
        others random, or given.
    n_basis : int or None, default=None
        Number of directions to draw; None: 20 per feature, at most 100.
    gamma, output_iter, batch_size
        No effect, because the optimum is found without stochastic steps; setting one causes a
        :class:`basrelief.ReliefWarning`.
    max_iter : int, default=10000
        Maximum number of passes over the triplets.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the drawn directions.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        Matrix of the map.
    n_iter_ : int
        Number of passes.
    estimator_ : basrelief.SCML
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    beta: float = 1e-5
    basis: str | ArrayLike = "triplet_diffs"
    n_basis: int | None = None
    gamma: float = 5e-3
    max_iter: int = 10000
    output_iter: int = 500
    batch_size: int = 10
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, triplets):
        """Learn the metric.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features), or (n_triplets, 3)
            Triplets, in which the first row should be nearer to the second than to the third; with
            a preprocessor, indicators of rows.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._check()
        triplets = self._tuples(triplets, 3, "triplets", reset=True)
        return self._learn(triplets, self._given_basis(triplets.shape[2], ["triplet_diffs"]))


@dataclass(eq=False, repr=False)
class SCML_Supervised(TransformerMixin, _OfSCML):
    """Sparse compositional metrics of triplets made from classes.

    Every row is compared with its `k_genuine` nearest rows of the same class and its `k_impostor`
    nearest rows of other classes.

    Parameters
    ----------
    k_genuine : int, default=3
        Number of nearest rows of the same class.
    k_impostor : int, default=10
        Number of nearest rows of other classes.
    basis : {"lda", "triplet_diffs"} or array-like of shape (n_basis, n_features), default="lda"
        The directions of which the metric is composed: discriminant directions of the regions
        around cluster centers, directions drawn from the triplets, or given ones.
    n_basis : int or None, default=None
        Number of directions; None: 20 per feature, at most 100.
    beta, gamma, max_iter, output_iter, batch_size, verbose, preprocessor, random_state
        As in :class:`SCML`.

    Attributes
    ----------
    components_, n_iter_, estimator_, n_features_in_
        As in :class:`SCML`.
    """

    # In the order of metric-learn's constructor.
    k_genuine: int = 3
    k_impostor: int = 10
    beta: float = 1e-5
    basis: str | ArrayLike = "lda"
    n_basis: int | None = None
    gamma: float = 5e-3
    max_iter: int = 10000
    output_iter: int = 500
    batch_size: int = 10
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Make triplets from the classes, and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers mark rows of unknown class.

        Returns
        -------
        self : object
            The fitted learner.
        """
        self._check()
        for option in ("k_genuine", "k_impostor"):
            _require_count(option, getattr(self, option))
        X, y = known_rows(self, X, y)
        basis = self._given_basis(X.shape[1], ["lda", "triplet_diffs"])
        if isinstance(self.basis, str) and self.basis == "lda":
            basis = _local_directions(X, y, self.n_basis, self.random_state)
        return self._learn(X[_triplets(X, y, self.k_genuine, self.k_impostor)], basis)


def _directions_of(triplets, n_basis, random):
    """Draw directions in which far rows are farther apart than near rows, and three times as many.

    The former are the eigenvectors with positive eigenvalues of the scatter of the far rows minus
    that of the near rows, over as many triplets as there are features. They are similar if the
    features have different units; the others are random and cover all directions.
    """
    n_triplets, _, n_features = triplets.shape
    near, far = triplets[:, 0] - triplets[:, 1], triplets[:, 0] - triplets[:, 2]
    found = []
    while len(found) < n_basis:
        drawn = random.choice(n_triplets, n_features, replace=False)
        scatter = far[drawn].T @ far[drawn] - near[drawn].T @ near[drawn]
        values, axes = np.linalg.eigh(scatter)
        others = random.standard_normal((3 * max(1, np.sum(values > 0)), n_features))
        found.extend(axes.T[values > 0])
        found.extend(others / np.linalg.norm(others, axis=1, keepdims=True))
    return np.array(found[:n_basis])


def _require_count(option, value):
    """Refuse a value that is not a positive whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise option_error(option, f"`{value}` is not a positive whole number", "use 1 or more")


def _triplets(X, y, k_genuine, k_impostor):
    """Make triplets of indices: every row with its nearest rows of its class and of others."""
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2 or counts.max() < 2:
        raise ValueError(
            "y: triplets consist of two rows of one class and a row of another; provide at least "
            "two classes, one of them with two rows"
        )
    found = []
    for label in labels:
        own, others = np.flatnonzero(y == label), np.flatnonzero(y != label)
        if len(own) < 2:
            continue
        hits = own[_native.nearest_rows(X[own], None, min(k_genuine, len(own) - 1), *_EUCLIDEAN)[0]]
        count = min(k_impostor, len(others))
        misses = others[_native.nearest_rows(X[others], X[own], count, *_EUCLIDEAN)[0]]
        each = (len(own), hits.shape[1], count)
        anchors = np.broadcast_to(own[:, None, None], each)
        parts = [anchors, hits[:, :, None], misses[:, None, :]]
        found.append(np.stack([np.broadcast_to(part, each) for part in parts], axis=-1))
    return np.concatenate([part.reshape(-1, 3) for part in found])


# The metric and the number of threads of a search.
_EUCLIDEAN = ("euclidean", None)


def _local_directions(X, y, n_basis, random_state):
    """Compute discriminant directions of the regions around cluster centers, at two scales."""
    n_samples, n_features = X.shape
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        raise ValueError("y: every row has the same class; provide rows of at least two classes")
    each = min(len(labels) - 1, n_features)
    most = 2 * each * n_samples - 1
    if n_basis is None:
        n_basis = min(20 * n_features, 100, most)
    _require_count("n_basis", n_basis)
    if n_basis > most:
        raise option_error(
            "n_basis",
            f"`{n_basis}` directions of {n_samples} rows",
            f"use at most {most}, or another basis",
        )
    n_regions = -(-n_basis // (2 * each))
    clusters = KMeans(n_regions, n_init=10, random_state=random_state).fit(X)
    centers = np.ascontiguousarray(clusters.cluster_centers_)
    found = []
    for scale in (10, 20) if n_features <= 50 else (20, 50):
        members = []
        for label, count in zip(labels, counts, strict=True):
            own = np.flatnonzero(y == label)
            near = _native.nearest_rows(X[own], centers, min(scale, int(count)), *_EUCLIDEAN)[0]
            members.append(own[near])
        for rows in np.hstack(members):
            with warnings.catch_warnings():
                # Few rows: a ridge, or fewer directions.
                warnings.simplefilter("ignore", basrelief.ReliefWarning)
                lda = basrelief.LDA(each)._fit_to(X[rows], y[rows], are_classes=True)
            found.append(lda.components_)
    basis = np.concatenate(found)[:n_basis]
    return np.ascontiguousarray(basis / np.linalg.norm(basis, axis=1, keepdims=True))
