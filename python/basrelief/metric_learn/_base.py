"""The base class of all learners: the lookup of rows, and the methods of a learned metric."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief._base import warn_caller
from basrelief._validation import is_pandas, is_polars, option_error, plain, readable
from basrelief.metric_learn.exceptions import PreprocessorError

__all__ = ["MetricLearner", "known_classes", "known_rows", "require_word", "warn_unused"]


class MetricLearner(BaseEstimator):
    """Base class of all learners: the metric is defined by `components_`, without a mean."""

    def _keep(self, estimator, n_components=None, scale=1.0):
        """Store the metric of a fitted transformer of this package, in units of 1 / `scale`.

        The rows may span fewer dimensions than there are components: the other components are 0.
        """
        self.estimator_ = estimator
        found = estimator.components_
        wanted = found.shape[1] if n_components is None else n_components
        self.components_ = np.zeros((wanted, found.shape[1]))
        self.components_[: len(found)] = scale * found
        if getattr(estimator, "n_iter_", None) is not None:
            self.n_iter_ = estimator.n_iter_
        return self

    def _points(self, X, reset=False):
        """Check rows, or look them up if `X` is one-dimensional, and return an array of numbers."""
        # Sparse matrices are refused by scikit-learn, with a reason.
        if not (is_pandas(X) or is_polars(X) or hasattr(X, "toarray")):
            X = _rectangular(X, "X")
            X = self._looked_up(X, "X") if X.ndim == 1 else X
        with readable("X"):
            return validate_data(self, plain(X), reset=reset, dtype=np.float64, order="C")

    def _tuples(self, tuples, size, what, reset=False):
        """Check tuples of rows, or look up their rows, and return a three-dimensional array."""
        tuples = _rectangular(tuples, what)
        if tuples.ndim == 2:
            sides = [self._looked_up(side, what) for side in tuples.T]
            tuples = np.stack(sides, axis=1) if sides else tuples
        sizes = size if isinstance(size, tuple) else (size,)
        if tuples.ndim != 3 or tuples.shape[1] not in sizes:
            wanted = " or ".join(map(str, sizes))
            raise ValueError(
                f"{what}: the shape is {tuples.shape}, but must be (n_{what}, {wanted}, "
                f"n_features), or (n_{what}, {wanted}) with a preprocessor"
            )
        count, rows, _ = tuples.shape
        flat = tuples.reshape(count * rows, -1)
        with readable("the tuples"):
            flat = validate_data(self, flat, reset=reset, dtype=np.float64, order="C")
        return flat.reshape(count, rows, -1)

    def _looked_up(self, places, what):
        """Return the rows of the preprocessor for indices or other indicators."""
        preprocessor = self.preprocessor
        if preprocessor is None:
            raise ValueError(
                f"{what}: it contains indicators instead of rows; provide rows of numbers, or a "
                "preprocessor that returns the rows"
            )
        if callable(preprocessor):
            try:
                rows = np.asarray(preprocessor(places))
            except Exception as error:
                raise PreprocessorError(
                    f"option preprocessor: it raised {type(error).__name__} ({error})"
                ) from error
            if rows.ndim != 2 or len(rows) != len(places):
                raise option_error(
                    "preprocessor",
                    f"for {len(places)} indicators it returned an array of shape {rows.shape}",
                    "it must return an array of shape (n_indicators, n_features)",
                )
            return rows
        known = _rectangular(preprocessor, "preprocessor")
        if known.ndim != 2:
            raise option_error(
                "preprocessor",
                f"its shape is {known.shape}",
                "use a function, or an array of shape (n_samples, n_features)",
            )
        wrong = [place for place in places.tolist() if not _is_index(place, len(known))]
        if wrong:
            raise ValueError(
                f"{what}: {wrong[0]!r} is not an index of the {len(known)} rows of the "
                f"preprocessor; use whole numbers from 0 to {len(known) - 1}"
            )
        return known[places.astype(np.intp)]

    def transform(self, X):
        """Map rows to the space in which Euclidean distances are the learned metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples,) with a preprocessor
            Rows, or their indicators.

        Returns
        -------
        X_mapped : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``; unlike in the transformers of this package, the mean is not
            subtracted.
        """
        check_is_fitted(self)
        return self._points(X) @ self.components_.T

    def pair_distance(self, pairs):
        """Compute the learned distances of pairs of rows.

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
        """Score pairs by similarity: the negated distances.

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
        """Compute distances: the deprecated name of :meth:`pair_distance`.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or (n_pairs, 2) with a preprocessor
            Pairs of rows.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        warnings.warn(
            "score_pairs returns distances, and will be removed in metric-learn 0.8; use "
            "pair_distance, or pair_score for negated distances",
            FutureWarning,
            stacklevel=2,
        )
        return self.pair_distance(pairs)

    def get_metric(self):
        """Return the learned distance as a function for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            A function that returns the distance of two rows, or with ``squared=True`` its square.
            Axes of length 1 of the rows have no effect.
        """
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()

        def distance(a, b, squared=False):
            a, b = _vector(a, components.shape[1]), _vector(b, components.shape[1])
            mapped = components @ (a - b)
            square = mapped @ mapped
            return float(square if squared else np.sqrt(square))

        return distance

    def get_mahalanobis_matrix(self):
        """Compute the matrix of the Mahalanobis metric.

        Returns
        -------
        M : ndarray of shape (n_features, n_features)
            ``components_.T @ components_``.
        """
        check_is_fitted(self)
        return self.components_.T @ self.components_


def _rectangular(values, what):
    """Return an array; lists of different lengths are an error that names the input."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{what}: its lists have different lengths, or contain other objects than numbers and "
            f"texts ({error}); provide a rectangular array"
        ) from error


def _vector(row, width):
    """Return a row as a vector of `width` numbers; axes of length 1 are removed."""
    vector = np.atleast_1d(np.squeeze(np.asarray(row, dtype=np.float64)))
    if vector.shape != (width,):
        raise ValueError(
            f"the metric compares two rows of {width} features; found an array of shape "
            f"{np.shape(row)}"
        )
    return vector


def _is_index(place, count):
    return not isinstance(place, (bool, str)) and place in range(count)


def known_classes(y):
    """Mask of rows with a known class: all except negative numbers, as in metric-learn."""
    return ~(y < 0) if y.dtype.kind in "if" else np.ones(len(y), dtype=bool)


def known_rows(learner, X, y):
    """Check rows and classes, and return the rows of known classes with their classes.

    Negative numbers are unknown classes, as in metric-learn.
    """
    X, y = learner._points(X, reset=True), np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(
            f"y: its shape is {y.shape}; provide a class for each of the {len(X)} rows"
        )
    known = known_classes(y)
    return X[known], y[known]


def require_word(option, value, words):
    """Refuse a value that is not one of some words, such as a matrix.

    Raises
    ------
    ValueError
        `value` is not one of the words.
    """
    if not isinstance(value, str) or value not in words:
        shown = f"`{value}`" if isinstance(value, str) else f"an object of {type(value).__name__}"
        raise option_error(
            option, f"{shown} is not one of its values", f"use one of {', '.join(words)}"
        )


def warn_unused(option, value, default, reason):
    """Warn if an option without effect was set."""
    if value != default:
        warn_caller([f"option {option}: it has no effect here: {reason}"])
