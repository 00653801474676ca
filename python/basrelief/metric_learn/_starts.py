"""The matrices from which learners start, and the metrics to which they stay close."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_spd_matrix
from sklearn.utils import check_random_state

from basrelief._base import warn_caller
from basrelief._validation import option_error
from basrelief.metric_learn.exceptions import NonPSDError

__all__ = ["check_components", "first_map", "first_metric", "prior_map"]

_METRICS = "identity, covariance, random, or a matrix of shape (n_features, n_features)"


def check_components(n_components, n_features):
    """Return the number of components; None means one per feature.

    Raises
    ------
    ValueError
        The number is not from 1 to `n_features`.
    """
    if n_components is None:
        return n_features
    if not 0 < n_components <= n_features:
        raise option_error(
            "n_components",
            f"`{n_components}` components of {n_features} features",
            f"use a number from 1 to {n_features}",
        )
    return n_components


def first_map(init, n_components, X, n_classes, random_state):
    """Choose the start of the search for a map.

    Parameters
    ----------
    init : str or array-like of shape (n_components, n_features)
        The parameter of the learner.
    n_components : int or None
        Number of components.
    X : ndarray of shape (n_samples, n_features)
        The rows.
    n_classes : int or None
        Number of classes; None for a numeric target, which does not allow ``"lda"``.
    random_state : int, RandomState instance or None
        Seed of a random start.

    Returns
    -------
    word : str
        The option `init` of the transformer.
    start : ndarray of shape (n_components, n_features), or None
        The start, if no word describes it.
    """
    n_samples, n_features = X.shape
    n_components = check_components(n_components, n_features)
    if _is_word(init):
        words = ["auto", "identity", "pca", "random", *(["lda"] if n_classes is not None else [])]
        if init not in words:
            raise option_error(
                "init",
                f"`{init}` is not one of its values",
                f"use one of {', '.join(words)}, or a matrix of shape (n_components, n_features)",
            )
        if init == "random":
            random = check_random_state(random_state)
            return "identity", random.standard_normal((n_components, n_features))
        if init == "auto":
            if n_classes is not None and n_components <= min(n_features, n_classes - 1):
                return "lda", None
            return ("pca" if n_components < min(n_features, n_samples) else "identity"), None
        return init, None
    matrix = _matrix("init", init, "(n_components, n_features)")
    if matrix.shape[1] != n_features or len(matrix) > n_features:
        raise option_error(
            "init",
            f"its shape is {matrix.shape}",
            f"provide a matrix with {n_features} columns, one per feature, and no more rows",
        )
    if len(matrix) != n_components:
        raise option_error(
            "init",
            f"it has {len(matrix)} rows, but there are {n_components} components",
            "provide one row per component, or set n_components",
        )
    return "identity", matrix


def prior_map(prior, rows, random_state):
    """Choose a map whose Euclidean distances are those of the prior metric.

    Parameters
    ----------
    prior : str or array-like of shape (n_features, n_features)
        The parameter of the learner.
    rows : ndarray of shape (n_rows, n_features)
        The rows, whose covariance may be the inverse of the prior.
    random_state : int, RandomState instance or None
        Seed of a random prior.

    Returns
    -------
    start : ndarray of shape (n_features, n_features), or None
        The map; None for the Euclidean metric.

    Raises
    ------
    numpy.linalg.LinAlgError
        The prior is singular, or has a negative eigenvalue.
    """
    if _is_word(prior) and prior == "identity":
        return None
    metric, is_definite = first_metric("prior", prior, rows, random_state)
    if not is_definite:
        cause = "the covariance of the rows" if _is_word(prior) else "the matrix"
        raise np.linalg.LinAlgError(
            f"option prior: {cause} is singular; remove linearly dependent features, or use "
            "another prior"
        )
    return np.linalg.cholesky(metric).T


def first_metric(option, value, rows, random_state):
    """Choose a metric: the inverse covariance of the rows, a random one, or a given one.

    Returns
    -------
    metric : ndarray of shape (n_features, n_features)
        The matrix of the metric; the pseudo-inverse of a singular covariance.
    is_definite : bool
        Whether the given matrix, or the covariance, is positive definite.
    """
    n_features = rows.shape[1]
    if not _is_word(value):
        matrix = _matrix(option, value, "(n_features, n_features)")
        if matrix.shape != (n_features, n_features):
            raise option_error(
                option,
                f"its shape is {matrix.shape}",
                f"provide a matrix of shape ({n_features}, {n_features})",
            )
        if not np.allclose(matrix, matrix.T):
            raise option_error(option, "the matrix is not symmetric", "provide a symmetric matrix")
        lengths = np.linalg.eigvalsh(matrix)
        least = np.abs(lengths).max() * n_features * np.finfo(float).eps
        if lengths[0] < -least:
            raise NonPSDError(
                f"option {option}: its smallest eigenvalue is {lengths[0]:.6g}; provide a positive "
                "definite matrix"
            )
        return matrix, lengths[0] >= least
    if value == "identity":
        return np.eye(n_features), True
    if value == "random":
        return make_spd_matrix(n_features, random_state=check_random_state(random_state)), True
    if value != "covariance":
        raise option_error(option, f"`{value}` is not one of its values", f"use {_METRICS}")
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    lengths, axes = np.linalg.eigh(covariance)
    least = max(lengths[-1], 0) * n_features * np.finfo(float).eps
    kept = lengths > least
    inverse = (axes[:, kept] / lengths[kept]) @ axes[:, kept].T
    return (inverse + inverse.T) / 2, bool(kept.all())


def warn_singular(option):
    """Warn that the covariance of the rows is singular."""
    warn_caller(
        [
            f"option {option}: the covariance of the rows is singular, and its pseudo-inverse is "
            "used; remove linearly dependent features for an inverse"
        ]
    )


def _is_word(value):
    return isinstance(value, str)


def _matrix(option, value, shape):
    """Read a matrix of finite numbers."""
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        shown = f"`{value}`" if np.isscalar(value) else f"an object of {type(value).__name__}"
        raise option_error(
            option,
            f"{shown} is not a matrix of finite numbers",
            f"use one of its words, or a matrix of shape {shape}",
        )
    return matrix
