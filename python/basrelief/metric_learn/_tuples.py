"""Learners from pairs, triplets and quadruplets as classifiers of such tuples."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils.validation import check_is_fitted

import basrelief
from basrelief._validation import option_error
from basrelief.metric_learn._base import MetricLearner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

__all__ = [
    "ComparisonsClassifier",
    "FrobMetric",
    "PairsClassifier",
    "QuadrupletsClassifier",
    "TripletsClassifier",
    "check_calibration",
    "signs",
]


class PairsClassifier(ClassifierMixin, MetricLearner):
    """Base class of the learners from pairs, which classify pairs by a distance threshold.

    `fit` sets `threshold_` with :meth:`calibrate_threshold` on the pairs of the fit.
    """

    classes_ = np.array([-1, 1])

    def decision_function(self, pairs):
        """Score pairs by similarity, like :meth:`pair_score`.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            The negated distances.
        """
        return self.pair_score(pairs)

    def predict(self, pairs):
        """Predict which pairs are near.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        y : ndarray of shape (n_pairs,)
            1 if the distance is at most `threshold_`, otherwise -1.
        """
        distances = self.pair_distance(pairs)
        return np.where(distances <= self.threshold_, 1, -1)

    def score(self, pairs, y):
        """Compute the area under the ROC curve, independent of the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.
        y : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.

        Returns
        -------
        area : float
        """
        return roc_auc_score(y, self.decision_function(pairs))

    def set_threshold(self, threshold):
        """Set the maximum distance of near pairs.

        Parameters
        ----------
        threshold : float
            The maximum distance.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        if not isinstance(threshold, Real) or np.isnan(threshold):
            raise option_error("threshold", f"`{threshold}` is not a number", "use a distance")
        self.threshold_ = float(threshold)
        return self

    def calibrate_threshold(
        self, pairs_valid, y_valid, strategy="accuracy", min_rate=None, beta=1.0
    ):
        """Set the threshold to the best one for validation pairs.

        Parameters
        ----------
        pairs_valid : array-like of shape (n_pairs, 2, n_features)
            Pairs of rows, or of their indicators: (n_pairs, 2) with a preprocessor.
        y_valid : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            Criterion to maximize: the accuracy, the F-score, the true positive rate (near pairs)
            with a true negative rate of at least `min_rate`, or vice versa.
        min_rate : float or None, default=None
            Minimum of the other rate, from 0 to 1.
        beta : float, default=1.0
            Weight of the recall in the F-score.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        check_calibration(strategy, min_rate, beta)
        distances = self.pair_distance(pairs_valid)
        near = signs(y_valid, len(distances)) == 1
        self.threshold_ = _best_threshold(distances, near, strategy, min_rate, beta)
        return self


def check_calibration(strategy="accuracy", min_rate=None, beta=1.0):
    strategies = ("accuracy", "f_beta", "max_tpr", "max_tnr")
    if strategy not in strategies:
        raise option_error(
            "strategy",
            f"`{strategy}` is not one of its values",
            f"use one of {', '.join(strategies)}",
        )
    if strategy.startswith("max") and not (isinstance(min_rate, Real) and 0 <= min_rate <= 1):
        raise option_error("min_rate", f"`{min_rate}` is not a rate", "use a number from 0 to 1")
    if strategy == "f_beta" and not isinstance(beta, Real):
        raise option_error("beta", f"`{beta}` is not a number", "specify the weight of the recall")


def signs(y, count):
    """Read the labels 1 and -1 of pairs."""
    y = np.asarray(y)
    if y.shape != (count,) or not np.isin(y, (-1, 1)).all():
        raise ValueError(f"y: provide 1 or -1 for each of the {count} pairs")
    return y


def _best_threshold(distances, near, strategy, min_rate, beta):
    """Find the best threshold among the distances and one value below all of them."""
    order = np.argsort(distances, kind="stable")
    ordered = distances[order]
    # The last of equal distances; 0 stands for no accepted pair.
    ends = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
    hits = np.append(0, np.cumsum(near[order])[ends])
    accepted = np.append(0, ends + 1)
    n_near = near.sum()
    n_far = len(near) - n_near
    rejected = n_far - (accepted - hits)
    found = hits / max(n_near, 1)
    left = rejected / max(n_far, 1)
    # The criterion to maximize, and a second one for ties.
    if strategy == "accuracy":
        worth, second = (hits + rejected) / len(near), -accepted
    elif strategy == "f_beta":
        # (1 + b²) P R / (b² P + R), in counts.
        worth = (1 + beta**2) * hits / np.maximum(beta**2 * n_near + accepted, 1e-300)
        second = accepted
    elif strategy == "max_tpr":
        worth, second = np.where(left >= min_rate, found, -1), left
    else:
        worth, second = np.where(found >= min_rate, left, -1), found
    best = np.lexsort((second, worth))[-1]
    return float(ordered[0] - 1 if best == 0 else ordered[ends[best - 1]])


class ComparisonsClassifier(ClassifierMixin, MetricLearner):
    """Base class of the learners from triplets and quadruplets, which classify these tuples."""

    classes_ = np.array([-1, 1])

    # The allowed numbers of rows of a tuple.
    _sizes: ClassVar[tuple[int, ...]]

    def decision_function(self, tuples):
        """Compute the margins of tuples.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, 3 or 4, n_features), or (n_tuples, 3 or 4)
            As in `fit`.

        Returns
        -------
        differences : ndarray of shape (n_tuples,)
            The distance of the far rows minus the distance of the near rows.
        """
        check_is_fitted(self)
        tuples = self._tuples(tuples, self._sizes, "tuples")
        far = tuples[:, [0, 2]] if tuples.shape[1] == 3 else tuples[:, 2:]
        return self.pair_distance(far) - self.pair_distance(tuples[:, :2])

    def predict(self, tuples):
        """Predict which tuples have a positive margin.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, 3 or 4, n_features), or (n_tuples, 3 or 4)
            As in `fit`.

        Returns
        -------
        y : ndarray of shape (n_tuples,)
            1 if the near rows are nearer than the far rows, otherwise -1.
        """
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples, y=None):
        """Compute the fraction of tuples with a positive margin.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, 3 or 4, n_features), or (n_tuples, 3 or 4)
            As in `fit`.
        y : ignored

        Returns
        -------
        share : float
        """
        return float(np.mean(self.predict(tuples) == 1))


class TripletsClassifier(ComparisonsClassifier):
    """Base class of the learners from triplets."""

    _sizes = (3,)


class QuadrupletsClassifier(ComparisonsClassifier):
    """Base class of the learners from quadruplets."""

    _sizes = (4,)


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(eq=False, repr=False)
class FrobMetric(ComparisonsClassifier):
    """A large-margin metric from triplets or quadruplets: :class:`basrelief.FrobMetric`.

    metric-learn does not have this learner. It accepts the tuples of :class:`SCML` and
    :class:`LSML`.

    Parameters
    ----------
    regularization : float, default=0.01
        Weight of the metric's squared norm; the larger it is, the closer the metric is to the
        average of all comparisons.
    max_iter : int, default=5000
        Maximum number of iterations.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
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
    estimator_ : basrelief.FrobMetric
        The fitted transformer, with `objective_` and `converged_`.
    n_features_in_ : int
        Number of features seen during `fit`.
    """

    regularization: float = 0.01
    max_iter: int = 5000
    tol: float = 1e-6
    verbose: bool = False
    preprocessor: ArrayLike | Callable | None = None
    random_state: int | np.random.RandomState | None = None

    _sizes: ClassVar[tuple[int, ...]] = (3, 4)

    def fit(self, tuples, y=None):
        """Learn the metric.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, 3 or 4, n_features), or (n_tuples, 3 or 4)
            Triplets, in which the first row should be nearer to the second than to the third, or
            quadruplets, in which the first two rows should be nearer to each other than the last
            two; with a preprocessor, indicators of rows.
        y : ignored

        Returns
        -------
        self : object
            The fitted learner.
        """
        tuples = self._tuples(tuples, self._sizes, "tuples", reset=True)
        method = basrelief.FrobMetric(
            regularization=self.regularization,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
            verbose=self.verbose,
        )
        fit = method.fit_triplets if tuples.shape[1] == 3 else method.fit_quadruplets
        return self._keep(fit(tuples))
