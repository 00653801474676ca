"""Permutation tests of a selector's weights."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from basrelief._advice import parameters_of
from basrelief._base import BaseReliefSelector
from basrelief._tables import TableMixin, feature_names
from basrelief._validation import read_groups, read_test

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray

__all__ = ["PermutationTestResult", "permutation_test"]


@dataclass(frozen=True, repr=False)
class PermutationTestResult(TableMixin):
    """What a permutation test found, by feature.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features.
    pvalues_ : ndarray of shape (n_features,)
        One-sided p-values: ``(1 + b) / (1 + B)``, where ``b`` of ``B`` permutations give a weight
        as great; 10 over the permutations drawn where an adaptive test ended early.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values that keep the family-wise error rate, by max-T, or by min-P where that is the
        correction; None of an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        False discovery rates by Benjamini and Hochberg, or by Storey where that is the correction.
    selected_ : ndarray of shape (n_features,)
        Whether a feature is significant by the correction and the level.
    chance_weight_ : float or None
        The weight that the largest of all features exceeds by chance in a share `alpha` of the
        permutations; None of an adaptive test.
    n_permutations_ : ndarray of shape (n_features,)
        Permutations drawn.
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
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
    correction: Literal["max-t", "min-p", "fdr", "storey", "none"] | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test which weights are greater than chance gives.

    The target is permuted, the features are weighed again, and so on. Neighbors that do not depend
    on the target are found once; methods whose neighbors do, and wrappers, are fitted again for
    every permutation.

    Parameters
    ----------
    selector : selector
        What weighs: an estimator such as :class:`ReliefF`, or a wrapper. It is not fitted itself,
        and what it would select does not matter.
    X : array-like or data frame of shape (n_samples, n_features)
        Features, as for the selector's `fit`.
    y : array-like of shape (n_samples,)
        Class labels, or real numbers.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        How many permutations. Adaptive: for every feature until 10 weights are as great, and at
        most 1000000; there are no adjusted p-values then, which need all permutations.
    groups : array-like of shape (n_samples,) or None, default=None
        Strata such as batches or centers: the target is permuted inside of them only. Numbers with
        many different values are refused; texts are groups in any case.
    alpha : float, default=0.05
        Error rate that is kept, above 0 and below 1.
    correction : {"max-t", "min-p", "fdr", "storey", "none"} or None, default=None
        What the error rate is of: any false feature (``"max-t"``, ``"min-p"``), the share of false
        features (``"fdr"``, ``"storey"``), or each feature by itself. None is ``"max-t"``, and
        ``"fdr"`` for an adaptive test.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of what the selector draws; None is that of the selector.
    n_jobs : int or None, default=None
        Threads; None is as many as the selector has. The result does not depend on it.

    Returns
    -------
    result : PermutationTestResult
        P-values, adjusted p-values, q-values and what is selected.

    Notes
    -----
    A p-value is about the association of a feature given all other features' distances; correlated
    features share what they tell. Testing the rows that were selected on is allowed here, but the
    weights of what is selected are too great.

    References
    ----------
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
            f"option selector: {selector!r} is no selector of basrelief; it takes one, for example "
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
        groups = read_groups(groups, y)
    own = signature(permutation_test).parameters
    advice = parameters_of(selector._layers(), "permutation_test({}, X, y)", own)
    found = selector._weigh(
        X, y, read_test(n_permutations, correction, alpha, groups), advice=advice
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
