"""Learners from rows with classes or chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import (
    assert_all_finite,
    check_consistent_length,
    check_random_state,
    column_or_1d,
)

import basrelief
from basrelief._validation import option_error
from basrelief.metric_learn._base import (
    MetricLearner,
    known_classes,
    require_word,
    warn_unused,
)
from basrelief.metric_learn._starts import check_components, first_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = ["LFDA", "LMNN", "MLKR", "NCA", "RCA", "Covariance", "PointsLearner", "RCA_Supervised"]


class PointsLearner(TransformerMixin, MetricLearner):
    """Base class of the learners from rows and classes."""

    def _method(self, X, y):
        """Return the transformer of this package that learns the metric, and a start or None."""
        raise NotImplementedError

    def _start(self, X, y):
        """Return the option `init` of the transformer, and a start or None."""
        n_classes = len(np.unique(np.asarray(y)))
        return first_map(self.init, self.n_components, X, n_classes, self.random_state)

    def fit(self, X, y):
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        method, start = self._method(X, y)
        count = check_components(self.n_components, X.shape[1])
        return self._keep(method._fit_to(X, y, are_classes=True, start=start), count)


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(eq=False, repr=False)
class LMNN(PointsLearner):
    """Large-margin nearest neighbors: :class:`basrelief.LMNN` with metric-learn's parameters.

    Parameters
    ----------
    init : {"auto", "identity", "pca", "lda", "random"} or array-like, default="auto"
        Start of the search; a matrix has the shape (n_components, n_features). ``"auto"`` is
        ``"lda"`` if there are fewer components than classes, otherwise ``"pca"`` if there are fewer
        than features and rows, otherwise ``"identity"``.
    n_neighbors : int, default=3
        Number of target neighbors per row.
    min_iter, learn_rate
        No effect, because the steps are those of L-BFGS; setting one causes a
        :class:`basrelief.ReliefWarning`.
    max_iter : int, default=1000
        Maximum number of iterations.
    regularization : float, default=0.5
        Weight of the distances of the target neighbors; the weight of the margins is 1 minus it.
    convergence_tol : float or None, default=None
        Relative tolerance of the objective: `tol` of :class:`basrelief.LMNN`; None: its default.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    n_components : int or None, default=None
        Number of components of the map; None: all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.LMNN
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    init: str | ArrayLike = "auto"
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

    def _method(self, X, y):
        init, start = self._start(X, y)
        for option, default in (("min_iter", 50), ("learn_rate", 1e-7)):
            warn_unused(option, getattr(self, option), default, "the steps are those of L-BFGS")
        method = basrelief.LMNN(
            self.n_components,
            n_neighbors=self.n_neighbors,
            mu=1 - self.regularization,
            init=init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **_given(tol=self.convergence_tol),
        )
        return method, start


@dataclass(eq=False, repr=False)
class NCA(PointsLearner):
    """Neighborhood components: :class:`basrelief.NCA` with metric-learn's parameters.

    Parameters
    ----------
    init : {"auto", "identity", "pca", "lda", "random"} or array-like, default="auto"
        Start of the search; a matrix has the shape (n_components, n_features). ``"auto"`` is
        ``"lda"`` if there are fewer components than classes, otherwise ``"pca"`` if there are fewer
        than features and rows, otherwise ``"identity"``.
    n_components : int or None, default=None
        Number of components of the map; None: all.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float or None, default=None
        Relative change of the objective at which to stop, as in :class:`basrelief.NCA`; None: its
        default.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.NCA
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    init: str | ArrayLike = "auto"
    n_components: int | None = None
    max_iter: int = 100
    tol: float | None = None
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def _method(self, X, y):
        init, start = self._start(X, y)
        method = basrelief.NCA(
            self.n_components,
            init=init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **_given(tol=self.tol),
        )
        return method, start


@dataclass(eq=False, repr=False)
class MLKR(PointsLearner):
    """Kernel regression: :class:`basrelief.MLKR` with metric-learn's parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map; None: all.
    init : {"auto", "identity", "pca", "random"} or array-like, default="auto"
        Start of the search; a matrix has the shape (n_components, n_features). ``"auto"`` is
        ``"pca"`` if there are fewer components than features and rows, otherwise ``"identity"``.
    tol : float or None, default=None
        Relative change of the objective at which to stop, as in :class:`basrelief.MLKR`; None: its
        default.
    max_iter : int, default=1000
        Maximum number of iterations.
    verbose : bool, default=False
        Whether to write progress to standard error.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.MLKR
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    n_components: int | None = None
    init: str | ArrayLike = "auto"
    tol: float | None = None
    max_iter: int = 1000
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Numbers to predict.

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        y = column_or_1d(y, dtype=np.float64, warn=True)
        check_consistent_length(X, y)
        assert_all_finite(y, input_name="y")
        count = check_components(self.n_components, X.shape[1])
        init, start = first_map(self.init, self.n_components, X, None, self.random_state)
        method = basrelief.MLKR(
            self.n_components,
            init=init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **_given(tol=self.tol),
        )
        return self._keep(method._fit_to(X, y, start=start), count)


@dataclass(eq=False, repr=False)
class LFDA(PointsLearner):
    """Local Fisher analysis: :class:`basrelief.LFDA` with metric-learn's parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map; None: all.
    k : int or None, default=None
        Rank of the neighbor of the same class whose distance sets the scale of the affinities;
        None: 7. In classes with at most `k` rows, the farthest row.
    embedding_type : {"weighted", "orthonormalized", "plain"}, default="weighted"
        Scaling of the eigenvectors.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
    estimator_ : basrelief.LFDA
        The fitted transformer.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    n_components: int | None = None
    k: int | None = None
    embedding_type: Literal["weighted", "orthonormalized", "plain"] = "weighted"
    preprocessor: ArrayLike | Callable | None = None

    def _method(self, X, y):
        embeddings = {"weighted": "weighted", "orthonormalized": "orthonormal", "plain": "plain"}
        require_word("embedding_type", self.embedding_type, embeddings)
        method = basrelief.LFDA(
            self.n_components,
            embedding=embeddings[self.embedding_type],
            **_given(n_neighbors=self.k),
        )
        return method, None


@dataclass(eq=False, repr=False)
class RCA(PointsLearner):
    """Relevant components of chunks: :class:`basrelief.RCA` with metric-learn's parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map; None: all.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
    estimator_ : basrelief.RCA
        The fitted transformer.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    n_components: int | None = None
    preprocessor: ArrayLike | Callable | None = None

    def fit(self, X, chunks):
        """Learn the metric from chunks of rows known to be similar.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        chunks : array-like of shape (n_samples,)
            Whole numbers: the number of the chunk of every row, or -1 for rows of no chunk.

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        count = check_components(self.n_components, X.shape[1])
        return self._keep(basrelief.RCA(self.n_components).fit_chunks(X, chunks), count)


@dataclass(eq=False, repr=False)
class RCA_Supervised(RCA):
    """Relevant components of chunks drawn from classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map; None: all.
    n_chunks : int, default=100
        Number of chunks.
    chunk_size : int, default=2
        Number of rows per chunk; the chunks are disjoint.
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the drawn chunks.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Matrix of the map.
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
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers mark rows of unknown class.

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
    """Mahalanobis distance with the inverse covariance of the rows.

    Parameters
    ----------
    preprocessor : array-like of shape (n_rows, n_features), callable or None, default=None
        Array of rows for indices, or a function from indicators to rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        Matrix of the map.
    n_features_in_ : int
        Number of features seen during `fit`.

    References
    ----------
    P. C. Mahalanobis. On the generalised distance in statistics. Proceedings of the National
    Institute of Sciences of India 2, 49-55, 1936.
    """

    preprocessor: ArrayLike | Callable | None = None

    def fit(self, X, y=None):
        """Compute the (pseudo-)inverse of the covariance of the rows, with the divisor n - 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : ignored

        Returns
        -------
        self : object
            The fitted learner.
        """
        X = self._points(X, reset=True)
        variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(X, rowvar=False)))
        # Variances at the level of rounding errors are treated as zero.
        least = variances[-1] * len(variances) * np.finfo(float).eps
        roots = np.sqrt(np.where(variances > least, variances, np.inf))
        self.components_ = axes.T / roots[:, None]
        return self


def _given(**options):
    """Remove options that are None."""
    return {name: value for name, value in options.items() if value is not None}


def _drawn_chunks(y, n_chunks, chunk_size, random):
    """Draw chunks within classes, and return the chunk number of every row, or -1."""
    for option, value in (("n_chunks", n_chunks), ("chunk_size", chunk_size)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise option_error(option, f"`{value}` is not a positive whole number", "use 1 or more")
    found = []
    for label in np.unique(y[known_classes(y)]):
        rows = random.permutation(np.flatnonzero(y == label))
        whole = len(rows) // chunk_size * chunk_size
        found.extend(rows[:whole].reshape(-1, chunk_size))
    if len(found) < n_chunks:
        raise option_error(
            "n_chunks",
            f"the classes contain {len(found)} chunks of {chunk_size} rows, but {n_chunks} were "
            "requested",
            "reduce n_chunks or chunk_size",
        )
    chunks = np.full(len(y), -1)
    for chunk, place in enumerate(random.permutation(len(found))[:n_chunks]):
        chunks[found[place]] = chunk
    return chunks
