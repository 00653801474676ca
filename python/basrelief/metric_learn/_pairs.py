"""Learners from near and far pairs of rows, which are given or drawn from classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.base import TransformerMixin

import basrelief
from basrelief import _native
from basrelief._base import _seed
from basrelief._validation import option_error
from basrelief.metric_learn._base import MetricLearner, known_rows, warn_unused
from basrelief.metric_learn._starts import first_metric, prior_map, warn_singular
from basrelief.metric_learn._tuples import PairsClassifier, check_calibration, signs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = [
    "ITML",
    "MMC",
    "SDML",
    "ITML_Supervised",
    "MMC_Supervised",
    "SDML_Supervised",
    "draw_pairs",
]


def _read_pairs(learner, pairs, y, calibration_params):
    """Check the arguments of a fit to pairs; return the pairs, their labels and the calibration."""
    calibration = calibration_params or {}
    check_calibration(**calibration)
    rows = learner._tuples(pairs, 2, "pairs", reset=True)
    return rows, signs(y, len(rows)), calibration


def _fit_pairs(learner, pairs, y, make, calibration_params):
    """Learn from pairs with the transformer for their number, and set the threshold."""
    rows, y, calibration = _read_pairs(learner, pairs, y, calibration_params)
    # Pairs of equal rows have no effect.
    count = np.any(rows[:, 0] != rows[:, 1], axis=1).sum()
    start = prior_map(learner.prior, np.unique(np.vstack(rows), axis=0), learner.random_state)
    learner._keep(make(count)._fit_pairs(rows, y, start))
    return learner.calibrate_threshold(rows, y, **calibration)


def _fit_classes(learner, X, y, make):
    """Learn from rows and classes; negative numbers are unknown classes."""
    X, y = known_rows(learner, X, y)
    estimator = make(_drawn(y, learner.n_constraints))
    start = prior_map(learner.prior, X, learner.random_state)
    return learner._keep(estimator._fit_to(X, y, are_classes=True, start=start))


def draw_pairs(y, n_constraints, random_state):
    """Draw pairs of rows from classes.

    Returns
    -------
    places : ndarray of shape (n_pairs, 2)
        Indices of the rows.
    near : ndarray of bool of shape (n_pairs,)
        Whether the rows have the same class.
    """
    names, codes = np.unique(y, return_inverse=True)
    drawn = _native.draw_pairs(
        codes.astype(np.uint32), [str(name) for name in names], n_constraints, _seed(random_state)
    )
    places = np.array([pair[:2] for pair in drawn]).reshape(-1, 2)
    return places, np.array([pair[2] for pair in drawn], dtype=bool)


def _drawn(y, n_constraints):
    """Count the pairs drawn from classes: `n_constraints` of each kind, or all available ones."""
    counts = np.unique(y, return_counts=True)[1]
    wanted = 20 * len(counts) ** 2 if n_constraints is None else n_constraints
    alike = int(np.sum(counts * (counts - 1) // 2))
    return min(wanted, alike) + min(wanted, len(y) * (len(y) - 1) // 2 - alike)


class _OfITML(MetricLearner):
    def _make(self, bounds, **options):
        if bounds is not None:
            bounds = np.asarray(bounds, dtype=np.float64).ravel()
            if len(bounds) != 2:
                raise option_error(
                    "bounds", f"there are {len(bounds)} numbers", "use two, the near one first"
                )
            options["bounds"] = tuple(bounds.tolist())
        if self.tol is not None:
            options["tol"] = self.tol
        return basrelief.ITML(
            gamma=self.gamma,
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **options,
        )


class _OfSDML(MetricLearner):
    def _make(self, n_pairs, **options):
        balance = self.balance_param
        if not isinstance(balance, str):
            # basrelief uses the mean over the pairs, metric-learn the sum.
            balance = balance * n_pairs
        return basrelief.SDML(
            balance=balance,
            sparsity=self.sparsity_param,
            random_state=self.random_state,
            verbose=self.verbose,
            **options,
        )


class _OfMMC(MetricLearner):
    def _learn(self, pairs, near):
        """Learn from pairs of rows, of which some are near."""
        warn_unused("max_proj", self.max_proj, 10000, "the steps are those of L-BFGS")
        rows = np.unique(np.vstack(pairs), axis=0)
        first, is_definite = first_metric("init", self.init, rows, self.random_state)
        if isinstance(self.init, str) and not is_definite:
            warn_singular("init")
        method = basrelief.MMC(
            entries="diagonal" if self.diagonal else "all",
            max_iter=self.max_iter,
            random_state=self.random_state,
            verbose=self.verbose,
            **({} if self.tol is None else {"tol": self.tol}),
        )
        method._fit_pairs(pairs, np.where(near, 1, -1))
        differences = pairs[near, 0] - pairs[near, 1]
        found = np.sum((differences @ method.components_.T) ** 2)
        if self.diagonal:
            # The optimum of the objective with this weight.
            bound = self.diagonal_c / 2
        else:
            bound = np.sum((differences @ first) * differences) / 100
        return self._keep(method, scale=np.sqrt(bound / found))


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(eq=False, repr=False)
class ITML(_OfITML, PairsClassifier):
    """Information-theoretic metrics: :class:`basrelief.ITML` with metric-learn's parameters.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of bound violations: the larger, the less slack.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float or None, default=None
        Relative duality gap at which to stop, as in :class:`basrelief.ITML`; None: its default.
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
    threshold_ : float
        Maximum distance of near pairs.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.ITML
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    gamma: float = 1.0
    max_iter: int = 1000
    tol: float | None = None
    prior: str | ArrayLike = "identity"
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, pairs, y, bounds=None, calibration_params=None):
        """Learn the metric, and set the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.
        y : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.
        bounds : array-like of two numbers or None, default=None
            Upper bound of the squared distance of near pairs, and lower bound of that of far pairs;
            None: the 5th and the 95th percentile over all rows.
        calibration_params : dict or None, default=None
            Arguments of :meth:`calibrate_threshold`.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return _fit_pairs(self, pairs, y, lambda _: self._make(bounds), calibration_params)


@dataclass(eq=False, repr=False)
class ITML_Supervised(TransformerMixin, _OfITML):
    """Information-theoretic metrics from pairs drawn from classes.

    Parameters
    ----------
    gamma, max_iter, tol, prior, verbose, preprocessor
        As in :class:`ITML`.
    n_constraints : int or None, default=None
        Number of pairs of rows of the same class, and of different classes; None: 20 times the
        squared number of classes. If fewer pairs exist, all are used.
    random_state : int, RandomState instance or None, default=None
        Seed of the drawn pairs.

    Attributes
    ----------
    components_, n_iter_, estimator_, n_features_in_
        As in :class:`ITML`.
    """

    gamma: float = 1.0
    max_iter: int = 1000
    tol: float | None = None
    n_constraints: int | None = None
    prior: str | ArrayLike = "identity"
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y, bounds=None):
        """Draw pairs from the classes, and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows of numbers, or their indicators.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers mark rows of unknown class.
        bounds : array-like of two numbers or None, default=None
            As in :meth:`ITML.fit`.

        Returns
        -------
        self : object
            The fitted learner.
        """
        constraints = "auto" if self.n_constraints is None else self.n_constraints
        return _fit_classes(self, X, y, lambda _: self._make(bounds, n_constraints=constraints))


@dataclass(eq=False, repr=False)
class SDML(_OfSDML, PairsClassifier):
    """Sparse metrics: :class:`basrelief.SDML` with metric-learn's parameters.

    Parameters
    ----------
    balance_param : float or "auto", default="auto"
        Weight of the sum over the pairs relative to the prior. With ``"auto"``, the weight of the
        mean is 0.5, or less if the problem would have no solution. A number that is too large is an
        error, because the problem then has no solution.
    sparsity_param : float, default=0.01
        Penalty on the metric's entries between features; larger values set more of them to 0.
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
    threshold_ : float
        Maximum distance of near pairs.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.SDML
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    balance_param: float | Literal["auto"] = "auto"
    sparsity_param: float = 0.01
    prior: str | ArrayLike = "identity"
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, pairs, y, calibration_params=None):
        """Learn the metric, and set the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.
        y : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.
        calibration_params : dict or None, default=None
            Arguments of :meth:`calibrate_threshold`.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return _fit_pairs(self, pairs, y, self._make, calibration_params)


@dataclass(eq=False, repr=False)
class SDML_Supervised(TransformerMixin, _OfSDML):
    """Sparse metrics from pairs drawn from classes.

    Parameters
    ----------
    balance_param, sparsity_param, prior, verbose, preprocessor
        As in :class:`SDML`.
    n_constraints, random_state
        As in :class:`ITML_Supervised`.

    Attributes
    ----------
    components_, n_iter_, estimator_, n_features_in_
        As in :class:`SDML`.
    """

    balance_param: float | Literal["auto"] = "auto"
    sparsity_param: float = 0.01
    prior: str | ArrayLike = "identity"
    n_constraints: int | None = None
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Draw pairs from the classes, and learn the metric from them.

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
        constraints = "auto" if self.n_constraints is None else self.n_constraints
        return _fit_classes(self, X, y, lambda n: self._make(n, n_constraints=constraints))


@dataclass(eq=False, repr=False)
class MMC(_OfMMC, PairsClassifier):
    """Mahalanobis metric for clustering: :class:`basrelief.MMC` with metric-learn's parameters.

    Parameters
    ----------
    max_iter : int, default=1000
        Maximum number of iterations.
    max_proj
        No effect, because the steps are those of L-BFGS; setting it causes a
        :class:`basrelief.ReliefWarning`.
    tol : float or None, default=None
        Distance of the objective to the optimum at which to stop, as in :class:`basrelief.MMC`;
        None: its default.
    init : {"identity", "covariance", "random"} or array-like, default="identity"
        The metric that sets the unit of distances: the sum of the squared distances of the near
        pairs is a hundredth of that under `init`. It has no other effect, and none if `diagonal`.
    diagonal : bool, default=False
        Whether the metric is diagonal: one weight per feature.
    diagonal_c : float, default=1.0
        Weight of the far pairs if `diagonal`; the sum of the squared distances of the near pairs is
        half of it.
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
    threshold_ : float
        Maximum distance of near pairs.
    n_iter_ : int
        Number of iterations.
    estimator_ : basrelief.MMC
        The fitted transformer, with `objective_` and `converged_`, in another unit of distances.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    max_iter: int = 1000
    max_proj: int = 10000
    tol: float | None = None
    init: str | ArrayLike = "identity"
    diagonal: bool = False
    diagonal_c: float = 1.0
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, pairs, y, calibration_params=None):
        """Learn the metric, and set the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.
        y : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.
        calibration_params : dict or None, default=None
            Arguments of :meth:`calibrate_threshold`.

        Returns
        -------
        self : object
            The fitted learner.
        """
        rows, y, calibration = _read_pairs(self, pairs, y, calibration_params)
        self._learn(rows, y == 1)
        return self.calibrate_threshold(rows, y, **calibration)


@dataclass(eq=False, repr=False)
class MMC_Supervised(TransformerMixin, _OfMMC):
    """Mahalanobis metric for clustering, from pairs drawn from classes.

    Parameters
    ----------
    max_iter, max_proj, tol, init, diagonal, diagonal_c, verbose, preprocessor
        As in :class:`MMC`.
    n_constraints, random_state
        As in :class:`ITML_Supervised`.

    Attributes
    ----------
    components_, n_iter_, estimator_, n_features_in_
        As in :class:`MMC`.
    """

    max_iter: int = 1000
    max_proj: int = 10000
    tol: float | None = None
    n_constraints: int | None = None
    init: str | ArrayLike = "identity"
    diagonal: bool = False
    diagonal_c: float = 1.0
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y):
        """Draw pairs from the classes, and learn the metric from them.

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
        places, near = draw_pairs(y, self.n_constraints, self.random_state)
        return self._learn(X[places], near)
