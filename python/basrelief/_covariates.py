"""Covariates: variables of the rows that are not features."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

from sklearn.utils import check_consistent_length

from basrelief import _native
from basrelief._advice import advising, parameters_of
from basrelief._base import ANY_TARGET, warn_caller
from basrelief._validation import option_error, read_beside, read_known, read_target

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["residuals"]


def residuals(
    y: ArrayLike,
    covariates: ArrayLike,
    *,
    target_type: Literal["auto", "classes", "real"] = "auto",
) -> NDArray[np.float64]:
    """Compute the residuals of a numeric target or of survival times, given covariates.

    Those of numbers are the residuals of least squares, a target for :class:`RReliefF` and the SURF
    family. Those of survival times are the expected quantiles in the distribution that a
    proportional hazards model (with Efron's likelihood of tied events) gives rows with the same
    covariates. For classes, use the parameter
    ``residuals`` of a selector's ``fit`` and of :func:`permutation_test`: a fit uses the expected
    differences between their residuals.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        A numeric target, or a structured array of events and times.
    covariates : array-like or data frame of shape (n_samples, n_covariates)
        The covariates: numbers, texts or categories, without missing values.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target; classes are refused.

    Returns
    -------
    residuals : ndarray of shape (n_samples,)
        One residual per row, in the units of `y`; of survival times, one quantile from 0 to 1.

    Examples
    --------
    >>> from basrelief import residuals
    >>> residuals([1.0, 2.0, 6.0], [[0.0], [1.0], [2.0]], target_type="real").round(6)
    array([ 0.5, -1. ,  0.5])
    """
    features = read_beside(covariates)
    if getattr(getattr(y, "dtype", None), "names", None) is None:
        y = read_known(y)
    check_consistent_length(y, covariates)
    table = (features.values, features.names, features.kinds)
    with advising(parameters_of([], own=signature(residuals).parameters)):
        target, classes, _ = read_target(y, ANY_TARGET, target_type)
        if classes is not None:
            raise option_error(
                "y",
                "it contains classes",
                "fit a selector with covariates=... and residuals=True, or, if these are numbers, "
                'set target_type="real"',
            )
        found, told = _native.residuals(target, *table)
    warn_caller(told)
    return found
