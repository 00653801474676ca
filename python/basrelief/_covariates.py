"""Covariates: what is known of the rows beside their features."""

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

# A method that takes classes and numbers, by whose rules a target is read.
_ANY = "multisurf"


def residuals(
    y: ArrayLike,
    covariates: ArrayLike,
    *,
    kind: Literal["quantile", "deviance"] = "quantile",
    target_type: Literal["auto", "classes", "real"] = "auto",
    random_state: int | np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Compute what covariates leave of a target.

    A number less its fit by least squares; of two classes the residuals of logistic regression. The
    result is a target for :class:`RReliefF` and the SURF family.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two classes, or real numbers.
    covariates : array-like or data frame of shape (n_samples, n_covariates)
        What is known of the rows: numbers, or texts and categories. None is missing.
    kind : {"quantile", "deviance"}, default="quantile"
        Residuals of classes. ``"quantile"``: random numbers in [0, 1] that are uniform whatever the
        covariates are, if the model is right (Dunn & Smyth 1996). ``"deviance"``: signed deviance
        residuals, whose spread still tells of the covariates; differences between rows, which are
        what Relief looks at, do so too.
    target_type : {"auto", "classes", "real"}, default="auto"
        How numbers in `y` are read.
    random_state : int, RandomState or None, default=None
        For what is random of ``"quantile"``.

    Returns
    -------
    residuals : ndarray of shape (n_samples,)
        A number per row.

    Warns
    -----
    ReliefWarning
        The residuals are random numbers (those of another `random_state` give another ranking), or
        the covariates predict the class of some rows with certainty.

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
