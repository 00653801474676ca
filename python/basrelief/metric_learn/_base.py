"""What all learners share: how rows are looked up, and what is asked of a learned metric."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief._base import (
    warn_caller,
)
from basrelief._validation import is_pandas, is_polars, option_error, plain, readable

__all__ = ["MetricLearner", "known_classes", "require_word", "warn_unused"]


class MetricLearner(BaseEstimator):
    """Shared half of all learners: a metric is its `components_`, around no center."""

    def _keep(self, estimator):
        """Take the metric from a fitted transformer of this package."""
        self.estimator_ = estimator
        self.components_ = estimator.components_
        if getattr(estimator, "n_iter_", None) is not None:
            self.n_iter_ = estimator.n_iter_
        return self

    def _points(self, X, reset=False):
        """Check rows, or look them up where `X` is one-dimensional, as an array of numbers."""
        if not (is_pandas(X) or is_polars(X)):
            X = np.asarray(X)
            X = self._looked_up(X, "X") if X.ndim == 1 else X
        with readable("X"):
            return validate_data(self, plain(X), reset=reset, dtype=np.float64, order="C")

    def _tuples(self, tuples, size, what, reset=False):
        """Check tuples of rows, or look up their rows, as an array of three dimensions."""
        tuples = np.asarray(tuples)
        if tuples.ndim == 2:
            sides = [self._looked_up(side, what) for side in tuples.T]
            tuples = np.stack(sides, axis=1) if sides else tuples
        sizes = size if isinstance(size, tuple) else (size,)
        if tuples.ndim != 3 or tuples.shape[1] not in sizes:
            wanted = " or ".join(map(str, sizes))
            raise ValueError(
                f"{what}: they have the shape {tuples.shape}; give (n_{what}, {wanted}, "
                f"n_features), or with a preprocessor (n_{what}, {wanted})"
            )
        count, rows, _ = tuples.shape
        flat = tuples.reshape(count * rows, -1)
        with readable("the tuples"):
            flat = validate_data(self, flat, reset=reset, dtype=np.float64, order="C")
        return flat.reshape(count, rows, -1)

    def _looked_up(self, places, what):
        """Give the rows that the preprocessor has for indices, or for what else stands for them."""
        preprocessor = self.preprocessor
        if preprocessor is None:
            raise ValueError(
                f"{what}: there are no rows in it; give rows of numbers, or a preprocessor that "
                "has them"
            )
        if callable(preprocessor):
            rows = np.asarray(preprocessor(places))
            if rows.ndim != 2 or len(rows) != len(places):
                raise option_error(
                    "preprocessor",
                    f"of {len(places)} indicators it made an array of the shape {rows.shape}",
                    "let it give (n_indicators, n_features)",
                )
            return rows
        known = np.asarray(preprocessor)
        if known.ndim != 2:
            raise option_error(
                "preprocessor",
                f"it has the shape {known.shape}",
                "give a function, or rows of the shape (n_samples, n_features)",
            )
        wrong = [place for place in places.tolist() if not _is_index(place, len(known))]
        if wrong:
            raise ValueError(
                f"{what}: {wrong[0]!r} is none of the {len(known)} rows of the preprocessor; give "
                f"whole numbers from 0 to {len(known) - 1}"
            )
        return known[places.astype(np.intp)]

    def transform(self, X):
        """Map rows to the space where Euclidean distances are the learned metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows, or what stands for them.

        Returns
        -------
        X_mapped : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``: unlike the transformers of this package, the mean is not taken
            to the origin.
        """
        check_is_fitted(self)
        return self._points(X) @ self.components_.T

    def pair_distance(self, pairs):
        """Compute the learned distance of the rows of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        pairs = self._tuples(pairs, 2, "pairs")
        return np.linalg.norm((pairs[:, 1] - pairs[:, 0]) @ self.components_.T, axis=1)

    def pair_score(self, pairs):
        """Score pairs by how alike their rows are: the negated distances.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
        """
        return -self.pair_distance(pairs)

    def score_pairs(self, pairs):
        """Compute distances, under the old name of :meth:`pair_distance`, with a warning.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        warnings.warn(
            "score_pairs gives distances, and goes with metric-learn 0.8; call pair_distance, or "
            "pair_score for their negatives",
            FutureWarning,
            stacklevel=2,
        )
        return self.pair_distance(pairs)

    def get_metric(self):
        """Give the learned distance as a function, for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            Takes two rows and returns their distance, or with ``squared=True`` its square.
        """
        check_is_fitted(self)
        components = self.components_.copy()

        def distance(a, b, squared=False):
            mapped = components @ (np.asarray(a) - np.asarray(b))
            square = mapped @ mapped
            return float(square if squared else np.sqrt(square))

        return distance

    def get_mahalanobis_matrix(self):
        """Compute the metric's matrix.

        Returns
        -------
        M : ndarray of shape (n_features, n_features)
            ``components_.T @ components_``.
        """
        check_is_fitted(self)
        return self.components_.T @ self.components_


def _is_index(place, count):
    return not isinstance(place, (bool, str)) and place in range(count)


def known_classes(y):
    """Tell of which rows the class is known: all but numbers below 0, as in metric-learn."""
    return ~(y < 0) if y.dtype.kind in "if" else np.ones(len(y), dtype=bool)


def require_word(option, value, words):
    """Refuse a value that is none of some words, such as a matrix.

    Raises
    ------
    ValueError
        Naming the option and the words.
    """
    if not isinstance(value, str) or value not in words:
        shown = f"`{value}`" if isinstance(value, str) else f"an object of {type(value).__name__}"
        raise option_error(
            option, f"{shown} is not one of its values", f"it takes {', '.join(words)}"
        )


def warn_unused(option, value, default, reason):
    """Tell of an option that changes nothing here, where it was given."""
    if value != default:
        warn_caller([f"option {option}: no effect here: {reason}"])
