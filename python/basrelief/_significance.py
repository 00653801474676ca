"""Permutation tests of the weights of a selector."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from basrelief._advice import parameters_of
from basrelief._base import BaseReliefSelector, warn_of_groups
from basrelief._tables import TableMixin, feature_names
from basrelief._validation import RowRoles, read_strata, read_test

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray

__all__ = ["PermutationTestResult", "permutation_test"]


@dataclass(frozen=True, repr=False)
class PermutationTestResult(TableMixin):
    """The result of a permutation test, per feature.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features.
    pvalues_ : ndarray of shape (n_features,)
        P-values: ``(1 + b) / (1 + B)``, where ``b`` of ``B`` permutations give a weight at least as
        large, or an absolute weight in a two-sided test. If an adaptive test ended early, 10
        divided by the number of permutations.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted by max-T, or by studentized max-T or min-P if that is the correction,
        which control the family-wise error rate; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values by Benjamini and Hochberg, or by Storey if that is the correction.
    selected_ : ndarray of shape (n_features,)
        Whether each feature is significant under the correction at the level `alpha`.
    chance_weight_ : float or None
        The null threshold: the weight that the largest weight of all features, or the largest
        absolute weight in a two-sided test, exceeds in a fraction `alpha` of the permutations; None
        for an adaptive test.
    n_permutations_ : ndarray of shape (n_features,)
        Number of permutations.
    feature_names_in_ : ndarray of shape (n_features,) or None
        Names of the features; None if `X` has none that are all strings.
    """

    weights_: NDArray[np.float64]
    pvalues_: NDArray[np.float64]
    adjusted_pvalues_: NDArray[np.float64] | None
    qvalues_: NDArray[np.float64]
    selected_: NDArray[np.bool_]
    chance_weight_: float | None
    n_permutations_: NDArray[np.int64]
    feature_names_in_: NDArray[np.object_] | None

    def _table(self):
        best = np.argsort(-self.weights_, kind="stable")
        columns = {
            "feature": np.array(feature_names(self, len(best)), dtype=object),
            "weight": self.weights_,
            "p-value": self.pvalues_,
            "adjusted": self.adjusted_pvalues_,
            "q-value": self.qvalues_,
            "permutations": self.n_permutations_,
            "selected": self.selected_,
        }
        known = {heading: values for heading, values in columns.items() if values is not None}
        columns = {heading: values[best] for heading, values in known.items()}
        return "The best {shown} of {all} features", columns

    def __repr__(self):
        selected, all_of_them = self.selected_.sum(), len(self.weights_)
        return f"PermutationTestResult: {selected} of {all_of_them} features are significant"


def permutation_test(
    selector: BaseReliefSelector,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_permutations: int | str = 1000,
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: Literal["group", "rows"] = "group",
    sample_weight: ArrayLike | None = None,
    priors: str | Mapping[Any, float] = "data",
    covariates: ArrayLike | None = None,
    caliper: float | None = None,
    covariate_distance: bool = False,
    residuals: bool = False,
    alpha: float = 0.05,
    correction: Literal["max-t", "studentized", "min-p", "fdr", "storey", "none"] | None = None,
    sided: Literal["one", "two"] = "one",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test which weights are larger than expected by chance.

    The weights are recomputed for permutations of the target. Neighbors that do not depend on the
    target are found only once. Methods whose neighbors depend on it, and wrappers, are fitted again
    for every permutation. So is every method if values are missing, the target has classes and
    ``missing="expected"``, because the expected differences depend on the classes.

    Parameters
    ----------
    selector : selector
        An estimator such as :class:`ReliefF`, or a wrapper. It is not fitted itself, and its
        selection has no effect.
    X : array-like or data frame of shape (n_samples, n_features)
        Features, as for the selector's `fit`.
    y : array-like of shape (n_samples,)
        Class labels, a numeric target, or survival times: a structured array of events and times,
        as for :class:`SurvivalRelief`.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations. An adaptive test continues for every feature until 10 permutations
        give a weight at least as large, for at most 1000000 permutations. It has no adjusted
        p-values, which need all permutations.
    strata : array-like of shape (n_samples,) or None, default=None
        Strata such as batches or centers: the target is permuted only within strata. Numbers with
        many distinct values are refused; texts are always strata.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that are not independent, such as the rows of a subject: as for the
        selector's `fit`. Whole groups are permuted if the target is constant within every group,
        and otherwise rows within the groups in which it varies. In earlier versions, this
        parameter was `strata`; a warning reports the change.
    group_weight : {"group", "rows"}, default="group"
        Whether all groups count equally, or all rows.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows, as for the selector's `fit`. A permutation is then as probable as the
        target given the weights, by a linear or logistic regression on them.
    priors : "data", "uniform" or dict, default="data"
        Prior probabilities of the classes, as for the selector's `fit`.
    covariates : array-like or data frame of shape (n_samples, n_covariates), default=None
        Covariates, as for the selector's `fit`, with `caliper`, `covariate_distance` or
        `residuals`. A permutation is then as probable as the target given the covariates, by a
        linear or logistic regression: if a covariate affects both the target and the features, it
        does so in every permutation too.
    caliper : float or None, default=None
        Maximum difference between neighbors in every numeric covariate, in standard deviations.
    covariate_distance : bool, default=False
        Whether the covariates contribute to the distances.
    residuals : bool, default=False
        Whether the target is adjusted for the covariates.
    alpha : float, default=0.05
        Error rate to control, above 0 and below 1.
    correction : {"max-t", "studentized", "min-p", "fdr", "storey", "none"} or None, default=None
        The error rate: family-wise (``"max-t"``, ``"studentized"``, ``"min-p"``), false discovery
        rate (``"fdr"``, ``"storey"``), or of each feature alone (``"none"``). None is ``"max-t"``,
        or ``"fdr"`` for an adaptive test.
    sided : {"one", "two"}, default="one"
        Which weights are evidence of an effect: large ones, or large and small ones. A two-sided
        test compares absolute weights, and absolute studentized weights if `correction` is
        ``"studentized"``.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of the selector; None uses that of the selector.
    n_jobs : int or None, default=None
        Number of threads; None uses that of the selector. The result does not depend on it.

    Returns
    -------
    result : PermutationTestResult
        P-values, adjusted p-values, q-values and the significant features.

    Notes
    -----
    A p-value tests the association of a feature given the distances by all features. Correlated
    features share the same signal, and so each gets less weight. You may test on the rows used for
    selection, but the weights of selected features are biased upwards (winner's curse).

    References
    ----------
    Berrett, Wang, Barber & Samworth (2020), Journal of the Royal Statistical Society B 82(1),
    175-197: permutations given covariates.

    Besag & Clifford (1991), Biometrika 78(2), 301-304: adaptive tests.

    Westfall & Young (1993), Resampling-Based Multiple Testing: max-T and min-P.

    Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1):
    p-values are never zero.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import ReliefF, permutation_test
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "opposite")
    >>> test = permutation_test(ReliefF(), X, y, n_permutations=199, random_state=0)
    >>> test.selected_
    array([ True,  True, False, False, False, False])
    >>> float(test.pvalues_[0])
    0.005
    """
    if not isinstance(selector, BaseReliefSelector):
        raise TypeError(
            f"option selector: {selector!r} is not a selector of basrelief; use a selector such as "
            "ReliefF(), or a wrapper around one"
        )
    selector = clone(selector).set_params(n_features_to_select=None)
    if random_state is not None:
        selector.set_params(random_state=random_state)
    if n_jobs is not None:
        selector.set_params(n_jobs=n_jobs)
    if correction is None:
        is_adaptive = isinstance(n_permutations, str) and n_permutations.startswith("adaptive")
        correction = "fdr" if is_adaptive else "max-t"
    if groups is not None:
        warn_of_groups("permutation_test")
    roles = RowRoles(groups, group_weight, sample_weight, priors)
    roles, X, y, strata, covariates = roles.without_weight_0(X, y, strata, covariates)
    if strata is not None:
        strata = read_strata(strata, y)
    own = signature(permutation_test).parameters
    advice = parameters_of(selector._layers(), "permutation_test({}, X, y)", own)
    found = selector._weigh(
        X,
        y,
        read_test(n_permutations, correction, alpha, strata, sided),
        (covariates, caliper, covariate_distance, residuals),
        roles,
        advice,
    )
    return PermutationTestResult(
        weights_=selector.weights_,
        pvalues_=found["p_values"],
        adjusted_pvalues_=found["adjusted"],
        qvalues_=found["q_values"],
        selected_=found["selected"],
        chance_weight_=found["chance_weight"],
        n_permutations_=found["draws"],
        feature_names_in_=getattr(selector, "feature_names_in_", None),
    )
