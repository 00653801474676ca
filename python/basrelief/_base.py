"""What all selectors share."""

from __future__ import annotations

import sys
import time
import warnings
from numbers import Integral, Real

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief import _native
from basrelief._validation import (
    is_polars,
    is_real_target,
    option_error,
    read_classes,
    read_features,
    read_real_target,
)

__all__ = ["BaseReliefSelector", "ReliefWarning"]


class ReliefWarning(UserWarning):
    """Something to know about weights that were computed all the same."""


class BaseReliefSelector(SelectorMixin, BaseEstimator):
    """Shared half of all selectors; a subclass names its method and lists its parameters."""

    _method: str
    _options: tuple[str, ...]
    # Whether the method iterates, so that it has `n_iter_`, `converged_` and `objective_`.
    _iterates = False

    def fit(self, X, y):
        """Weigh the features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features. NaN, None, ``pandas.NA`` and polars nulls are missing values. Float arrays
            contiguous in C or Fortran order are not copied.
        y : array-like of shape (n_samples,)
            Class labels, or real numbers for a regression method.

        Returns
        -------
        self : object
            The fitted selector.
        """
        description = _describe(self._method)
        features, y = read_features(self, X, y, self.categorical_features, self.genotype_features)
        classes = None
        task = description["task"]
        if task == "regression" or (task == "classes or regression" and is_real_target(y)):
            target = read_real_target(y)
        else:
            target, classes = read_classes(y)
        self._check_selection(len(features.names))
        result = _native.fit(
            self._method,
            features.values,
            features.names,
            features.kinds,
            target,
            [
                (option["name"], _option_text(getattr(self, option["name"])))
                for option in description["options"]
            ],
            seed=_seed(self.random_state),
            threads=_threads(self.n_jobs),
            progress=_Printer(self._method) if self.verbose else None,
        )
        self.weights_ = result["weights"]
        self.feature_importances_ = self.weights_
        self.ranking_ = result["ranks"]
        if self._iterates:
            self.n_iter_ = result["iterations"]
            self.converged_ = result["converged"]
            self.objective_ = result["objective"]
        if classes is not None:
            self.classes_ = classes
        self.warnings_ = [message for _, message in result["warnings"]]
        if self.verbose:
            print(f"{self._method}: done in {result['seconds']:.2f} s", file=sys.stderr)
        for message in self.warnings_:
            warnings.warn(message, ReliefWarning, stacklevel=2)
        return self

    def transform(self, X):
        """Keep the selected features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        X_selected : array or data frame of shape (n_samples, n_selected_features)
            The selected columns, in their order in `X`.
        """
        check_is_fitted(self)
        if is_polars(X) and self._output_container() == "polars":
            # Selecting from the frame itself keeps every column's own type.
            X = validate_data(self, X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(self.get_support()).tolist()]
        return super().transform(X)

    def _output_container(self):
        configured = getattr(self, "_sklearn_output_config", {})
        return configured.get("transform") or get_config()["transform_output"]

    def _get_support_mask(self):
        check_is_fitted(self)
        wanted = self._check_selection(self.weights_.shape[0])
        if wanted is None:
            return self.weights_ > self.threshold
        # A stable sort: of equal weights the first columns are kept.
        best = np.argsort(-self.weights_, kind="stable")[:wanted]
        mask = np.zeros(self.weights_.shape[0], dtype=bool)
        mask[best] = True
        return mask

    def _check_selection(self, n_features):
        """Resolve `n_features_to_select` to a number, or None where `threshold` decides."""
        if not isinstance(self.threshold, Real) or np.isnan(self.threshold):
            raise option_error(
                "threshold", f"`{self.threshold}` is not a number", "give the least weight to keep"
            )
        wanted = self.n_features_to_select
        if wanted is None:
            return None
        if isinstance(wanted, Integral) and not isinstance(wanted, (bool, np.bool_)):
            if 1 <= wanted <= n_features:
                return int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < wanted <= 1:
            return max(1, int(n_features * wanted))
        raise option_error(
            "n_features_to_select",
            f"`{wanted}` cannot be selected from {n_features} features",
            f"it takes a whole number from 1 to {n_features}, a share above 0 and up to 1.0, or "
            "None for all weights above `threshold`",
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _describe(name):
    return next(method for method in _native.methods() if method["name"] == name)


def _option_text(value):
    """Write an option as on the command line, where its values are checked."""
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ":".join(str(part) for part in value)
    return str(value)


def _seed(random_state):
    # A number is the seed itself, so that it gives the rows that the command line's --seed does.
    if isinstance(random_state, Integral):
        if 0 <= random_state < 2**64:
            return int(random_state)
        raise option_error(
            "random_state",
            f"`{random_state}` is no seed",
            "it takes a whole number from 0 to 2**64 - 1, a RandomState instance or None",
        )
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _threads(n_jobs):
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool)):
        raise TypeError(
            f"option n_jobs: `{n_jobs}` is not a whole number; it takes None for 1 thread, -1 for "
            "all cores, or a number of threads"
        )
    # 0 goes through: the library refuses it in its own words.
    if n_jobs == 0:
        return 0
    return effective_n_jobs(n_jobs)


class _Printer:
    """Writes progress to standard error, at most once a second."""

    def __init__(self, method):
        self._method = method
        self._last = time.monotonic()

    def __call__(self, stage, done, total):
        now = time.monotonic()
        if now - self._last >= 1.0:
            self._last = now
            share = f" {100 * done // total} %" if total else ""
            print(f"{self._method}: {stage}{share}", file=sys.stderr, flush=True)
