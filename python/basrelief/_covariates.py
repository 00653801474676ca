"""Covariates: variables of the rows that are not features."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

from sklearn.utils import check_consistent_length

from basrelief import _native
from basrelief._advice import advising, parameters_of
from basrelief._base import (
    _seed,
    warn_caller,
)
from basrelief._validation import read_beside, read_known, read_target

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["residuals"]

# A method for both types of target, whose rules are used to read the target.
_ANY = "multisurf"


def residuals(
    y: ArrayLike,
    covariates: ArrayLike,
    *,
    kind: Literal["quantile", "deviance"] = "quantile",
    target_type: Literal["auto", "classes", "real"] = "auto",
    random_state: int | np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Compute the residuals of a target after adjustment for covariates.

    A numeric target is adjusted by least squares, a target of two classes by logistic regression.
    The result is a target for :class:`RReliefF` and the SURF family.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two classes, or a numeric target.
    covariates : array-like or data frame of shape (n_samples, n_covariates)
        The covariates: numbers, texts or categories, without missing values.
    kind : {"quantile", "deviance"}, default="quantile"
        Type of the residuals of classes. ``"quantile"``: randomized quantile residuals in [0, 1],
        which are uniform for all values of the covariates if the model is correct (Dunn & Smyth
        1996). ``"deviance"``: signed deviance residuals. Their spread still depends on the
        covariates, and so do the differences between rows that Relief uses; a permutation test of
        them is not valid.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers for ``"quantile"``.

    Returns
    -------
    residuals : ndarray of shape (n_samples,)
        One residual per row.

    Warns
    -----
    ReliefWarning
        The residuals are random (another `random_state` gives another ranking), or the covariates
        predict the class of some rows with certainty.

    Examples
    --------
    >>> from basrelief import residuals
    >>> residuals([1.0, 2.0, 6.0], [[0.0], [1.0], [2.0]], target_type="real").round(6)
    array([ 0.5, -1. ,  0.5])
    """
    features = read_beside(covariates)
    y = read_known(y)
    check_consistent_length(y, covariates)
    seed = _seed(random_state)
    table = (features.values, features.names, features.kinds)
    with advising(parameters_of([], own=signature(residuals).parameters)):
        target, _, _ = read_target(y, _ANY, target_type)
        found, told = _native.residuals(target, *table, kind, seed)
    warn_caller(told)
    return found
