"""Learners from rows and their classes or chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import check_random_state

import basrelief
from basrelief._validation import option_error
from basrelief.metric_learn._base import (
    MetricLearner,
    known_classes,
    require_word,
    warn_unused,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = ["LFDA", "LMNN", "NCA", "RCA", "Covariance", "PointsLearner", "RCA_Supervised"]

_STARTS = ("auto", "identity", "pca", "lda")


class PointsLearner(TransformerMixin, MetricLearner):
    """Shared half of the learners from rows and their classes."""

    def _method(self):
        """Make the transformer of this package that learns the metric."""
        raise NotImplementedError

    def fit(self, X, y):
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or what stands for them.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._keep(self._method()._fit_to(self._points(X, reset=True), y, are_classes=True))


# Learners are compared and shown as scikit-learn does.
@dataclass(eq=False, repr=False)
class LMNN(PointsLearner):
    """Large-margin nearest neighbors: :class:`basrelief.LMNN` with metric-learn's parameters.

    Parameters
    ----------
    init : {"auto", "identity", "pca", "lda"}, default="auto"
        Where the search starts.
    n_neighbors : int, default=3
        Target neighbors of a row.
    min_iter, learn_rate
        No effect: the steps are those of L-BFGS. A :class:`basrelief.ReliefWarning` says so where
        one is given.
    max_iter : int, default=1000
        Most iterations.
    regularization : float, default=0.5
        Weight of the target neighbors' distances; that of the margins is 1 less it.
    convergence_tol : float or None, default=None
        Share of the objective that may be left open at the end, `tol` of :class:`basrelief.LMNN`;
        None: its default.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.
    n_components : int or None, default=None
        Components of the map; None: all.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix.
    n_iter_ : int
        Iterations done.
    estimator_ : basrelief.LMNN
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    init: str = "auto"
    n_neighbors: int = 3
    min_iter: int = 50
    max_iter: int = 1000
    learn_rate: float = 1e-7
    regularization: float = 0.5
    convergence_tol: float | None = None
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    n_components: int | None = None
    random_state: int | np.random.RandomState | None = None

    def _method(self):
        require_word("init", self.init, _STARTS)
        for option, default in (("min_iter", 50), ("learn_rate", 1e-7)):
            warn_unused(option, getattr(self, option), default, "the steps are those of L-BFGS")
        return basrelief.LMNN(
            self.n_components,
            n_neighbors=self.n_neighbors,
            mu=1 - self.regularization,
            init=self.init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **_given(tol=self.convergence_tol),
        )


@dataclass(eq=False, repr=False)
class NCA(PointsLearner):
    """Neighborhood components: :class:`basrelief.NCA` with metric-learn's parameters.

    Parameters
    ----------
    init : {"auto", "identity", "pca", "lda"}, default="auto"
        Where the search starts.
    n_components : int or None, default=None
        Components of the map; None: all.
    max_iter : int, default=100
        Most iterations.
    tol : float or None, default=None
        Where to stop, as of :class:`basrelief.NCA`; None: its default.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix.
    n_iter_ : int
        Iterations done.
    estimator_ : basrelief.NCA
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    init: str = "auto"
    n_components: int | None = None
    max_iter: int = 100
    tol: float | None = None
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def _method(self):
        require_word("init", self.init, _STARTS)
        return basrelief.NCA(
            self.n_components,
            init=self.init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **_given(tol=self.tol),
        )


@dataclass(eq=False, repr=False)
class LFDA(PointsLearner):
    """Local Fisher analysis: :class:`basrelief.LFDA` with metric-learn's parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Components of the map; None: all.
    k : int or None, default=None
        The neighbor whose distance is a row's scale, in classes with more rows than that; None: 7.
    embedding_type : {"weighted", "orthonormalized", "plain"}, default="weighted"
        What is done with the eigenvectors.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix.
    estimator_ : basrelief.LFDA
        The fitted transformer.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    n_components: int | None = None
    k: int | None = None
    embedding_type: Literal["weighted", "orthonormalized", "plain"] = "weighted"
    preprocessor: ArrayLike | Callable | None = None

    def _method(self):
        embeddings = {"weighted": "weighted", "orthonormalized": "orthonormal", "plain": "plain"}
        require_word("embedding_type", self.embedding_type, embeddings)
        return basrelief.LFDA(
            self.n_components,
            embedding=embeddings[self.embedding_type],
            **_given(n_neighbors=self.k),
        )


@dataclass(eq=False, repr=False)
class RCA(PointsLearner):
    """Relevant components of chunks: :class:`basrelief.RCA` with metric-learn's parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Components of the map; None: all.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix.
    estimator_ : basrelief.RCA
        The fitted transformer.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    n_components: int | None = None
    preprocessor: ArrayLike | Callable | None = None

    def fit(self, X, chunks):
        """Learn the metric from chunks of rows that are known to be alike.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or what stands for them.
        chunks : array-like of shape (n_samples,)
            Whole numbers: that of every row's chunk, or -1 for rows of none.

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        return self._keep(basrelief.RCA(self.n_components).fit_chunks(X, chunks))


@dataclass(eq=False, repr=False)
class RCA_Supervised(RCA):
    """Relevant components of chunks that are drawn from classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Components of the map; None: all.
    n_chunks : int, default=100
        Chunks that are drawn.
    chunk_size : int, default=2
        Rows of a chunk; no row is in two.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the drawing.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix.
    estimator_ : basrelief.RCA
        The fitted transformer.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    # In the order of metric-learn's constructor.
    n_components: int | None = None
    n_chunks: int = 100
    chunk_size: int = 2
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Draw chunks from the classes, and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or what stands for them.
        y : array-like of shape (n_samples,)
            Class labels; numbers below 0 are rows whose class is not known.

        Returns
        -------
        self : object
            The fitted learner.
        """
        chunks = _drawn_chunks(
            np.asarray(y), self.n_chunks, self.chunk_size, check_random_state(self.random_state)
        )
        return super().fit(X, chunks)


@dataclass(eq=False, repr=False)
class Covariance(PointsLearner):
    """Mahalanobis distances: the metric is the inverse of the covariance of the rows.

    Parameters
    ----------
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Rows by their indices, or a function of what stands for rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map's matrix.
    n_features_in_ : int
        Number of features seen during `fit`.

    References
    ----------
    P. C. Mahalanobis. On the generalised distance in statistics. Proceedings of the National
    Institute of Sciences of India 2, 49-55, 1936.
    """

    preprocessor: ArrayLike | Callable | None = None

    def fit(self, X, y=None):
        """Invert the covariance of the rows, over n - 1; of one that is singular, its range.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or what stands for them.
        y : ignored

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(X, rowvar=False)))
        # Those of rounding alone have no inverse.
        least = variances[-1] * len(variances) * np.finfo(float).eps
        roots = np.sqrt(np.where(variances > least, variances, np.inf))
        self.components_ = axes.T / roots[:, None]
        return self


def _given(**options):
    """Leave out the options that are None."""
    return {name: value for name, value in options.items() if value is not None}


def _drawn_chunks(y, n_chunks, chunk_size, random):
    """Draw chunks of rows of one class each: the number of every row's chunk, or -1."""
    for option, value in (("n_chunks", n_chunks), ("chunk_size", chunk_size)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise option_error(option, f"`{value}` is no whole number from 1", "give one")
    found = []
    for label in np.unique(y[known_classes(y)]):
        rows = random.permutation(np.flatnonzero(y == label))
        whole = len(rows) // chunk_size * chunk_size
        found.extend(rows[:whole].reshape(-1, chunk_size))
    if len(found) < n_chunks:
        raise option_error(
            "n_chunks",
            f"{n_chunks} chunks of {chunk_size} rows of one class, where there are {len(found)}",
            "give at most as many as there are, or a smaller chunk_size",
        )
    chunks = np.full(len(y), -1)
    for chunk, place in enumerate(random.permutation(len(found))[:n_chunks]):
        chunks[found[place]] = chunk
    return chunks
