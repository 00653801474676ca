"""Tests for interactions between pairs of features."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np

from basrelief import _native
from basrelief._advice import advising, parameters_of
from basrelief._base import (
    read_problem,
    warn_caller,
    warn_of_groups,
)
from basrelief._estimators import CLASSES
from basrelief._tables import TableMixin, feature_names
from basrelief._validation import (
    option_error,
    read_covariates_of_models,
    read_groups,
    read_strata,
    read_whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray

__all__ = ["InteractingPairs", "interacting_pairs"]


@dataclass(frozen=True, repr=False)
class InteractingPairs(TableMixin):
    """The pairs of features with the strongest interactions, strongest first.

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        Indices of both features.
    statistics_ : ndarray of shape (n_pairs,)
        Likelihood ratio statistics, or F statistics of the product terms for a numeric target.
    degrees_of_freedom_ : ndarray of shape (n_pairs,)
        Degrees of freedom of the statistics.
    residual_degrees_of_freedom_ : ndarray of shape (n_pairs,) or None
        Residual degrees of freedom; None for likelihood ratios.
    pvalues_ : ndarray of shape (n_pairs,) or None
        P-values under the null hypothesis that the features do not interact. None with groups or
        strata, because the distribution of the statistic assumes independent, comparable rows.
    log10_pvalues_ : ndarray of shape (n_pairs,) or None
        Decimal logarithms of the p-values, finite also if a p-value underflows to 0. None with
        groups or strata.
    qvalues_ : ndarray of shape (n_pairs,) or None
        Benjamini-Hochberg q-values over all tested pairs. Values above `q_exact_up_to_` are upper
        bounds. None with groups or strata.
    adjusted_pvalues_ : ndarray of shape (n_pairs,) or None
        P-values adjusted by max-T, which control the family-wise error rate; None without
        permutations.
    interaction_information_ : ndarray of shape (n_pairs,) or None
        Interaction information in bits of the table of both features and the class, not corrected
        for bias and not adjusted for covariates; None for a numeric target.
    n_samples_ : ndarray of shape (n_pairs,)
        Number of rows in which neither feature is missing.
    q_exact_up_to_ : float or None
        Largest value up to which q-values are exact. If there are very many pairs, only the
        strongest ones are stored. None with groups or strata.
    n_tested_ : int
        Number of tested pairs.
    n_untested_ : int
        Number of pairs that cannot be tested, because a feature is constant in the rows in which
        neither is missing.
    feature_names_in_ : ndarray of shape (n_features,) or None
        Names of the features; None if `X` has none that are all strings.
    """

    pairs_: NDArray[np.int64]
    statistics_: NDArray[np.float64]
    degrees_of_freedom_: NDArray[np.int64]
    residual_degrees_of_freedom_: NDArray[np.int64] | None
    pvalues_: NDArray[np.float64] | None
    log10_pvalues_: NDArray[np.float64] | None
    qvalues_: NDArray[np.float64] | None
    adjusted_pvalues_: NDArray[np.float64] | None
    interaction_information_: NDArray[np.float64] | None
    n_samples_: NDArray[np.int64]
    q_exact_up_to_: float | None
    n_tested_: int
    n_untested_: int
    feature_names_in_: NDArray[np.object_] | None

    def _table(self):
        width = int(self.pairs_.max(initial=-1)) + 1
        names = np.array(feature_names(self, width), dtype=object)
        columns = {
            "first feature": names[self.pairs_[:, 0]],
            "second feature": names[self.pairs_[:, 1]],
            "statistic": self.statistics_,
            "degrees of freedom": self.degrees_of_freedom_,
            "p-value": self.pvalues_,
            "log10 p": self.log10_pvalues_,
            "q-value": self.qvalues_,
            "adjusted": self.adjusted_pvalues_,
            "interaction information": self.interaction_information_,
            "rows": self.n_samples_,
        }
        known = {heading: values for heading, values in columns.items() if values is not None}
        return f"The strongest {{shown}} of {self.n_tested_} tested pairs", known

    def __repr__(self):
        return f"InteractingPairs: the strongest {len(self.pairs_)} of {self.n_tested_} pairs"


def interacting_pairs(
    X: ArrayLike,
    y: ArrayLike,
    *,
    features: ArrayLike | None = None,
    n_pairs: int = 20,
    n_permutations: int | None = None,
    strata: ArrayLike | None = None,
    covariates: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    categorical_features: Literal["all"] | Sequence[str] | Sequence[int] | None = None,
    ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
    genotype_features: Literal["all"] | Sequence[str] | Sequence[int] | None = None,
    target_type: Literal["auto", "classes", "real"] = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> InteractingPairs:
    """Test all pairs of features for interaction, and list the strongest pairs.

    For classes, the test is the likelihood ratio of BOOST: the saturated model of both features and
    the class against the logistic model with main effects only. For a numeric target, it is the F
    test of the product term. Covariates are in both models of each test.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features, as for an estimator's `fit`.
    y : array-like of shape (n_samples,)
        Class labels, or a numeric target.
    features : array-like of int or bool, or None, default=None
        Indices of the features to test, or a mask such as a selector's ``get_support()``; None
        tests all features.
    n_pairs : int, default=20
        Number of pairs to list.
    n_permutations : int or None, default=None
        Number of permutations of the target for p-values adjusted by max-T; None computes none.
    strata : array-like of shape (n_samples,) or None, default=None
        Strata such as batches or centers: the target is permuted only within strata. The
        distributions of the statistics assume that rows of all strata are comparable, so that
        strata require `n_permutations`, as groups do; or name the stratum as a covariate.
    covariates : array-like or data frame of shape (n_samples, n_covariates) or None, default=None
        Properties of the rows such as ancestry, age or sex, without missing values: numbers, or
        texts and categories, which enter as an indicator per category except the first. They
        require two classes or a numeric target.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that are not independent, such as the rows of one subject. The p-values of
        the statistics assume independent rows, so that groups require `n_permutations`, and only
        the p-values adjusted by max-T are computed. Whole groups are permuted where the target is
        constant within groups, and rows within groups where it varies. In earlier versions, this
        parameter was `strata`; a warning reports it.
    categorical_features : "all", array-like of str or int, or None, default=None
        Categorical columns, as in the estimators.
    ordinal_features : "all", array-like, dict or None, default=None
        Ordinal columns, as in the estimators.
    genotype_features : "all", array-like of str or int, or None, default=None
        Genotype columns (0, 1, 2), as in the estimators.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The result
        does not depend on it.

    Returns
    -------
    pairs : InteractingPairs
        The pairs with statistics and p-values.

    Notes
    -----
    If the features were selected on the same rows, the p-values are too small: select on other
    rows, or test all features. The command ``basrelief pairs --permute-all`` corrects for the
    selection by repeating it in every permutation.

    With covariates, the test of two classes is the likelihood ratio of two logistic regressions on
    the covariates: one has a constant for every combination of levels, the other one for every
    level of each feature. The degrees of freedom are those of the test without covariates, also if
    a combination does not occur. Permutations exchange the classes, or the residuals of a numeric
    target after a linear regression on the covariates. With groups, they exchange the target with
    the odds of a regression of the target on the covariates.

    References
    ----------
    Wan, Yang, Yang, Xue, Fan, Tang & Yu (2010), American Journal of Human Genetics 87(3), 325-340.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import interacting_pairs
    >>> X = np.random.default_rng(0).integers(0, 3, size=(400, 30))
    >>> y = (X[:, 4] > 0) ^ (X[:, 7] > 0)
    >>> found = interacting_pairs(X, y, genotype_features="all")
    >>> found.pairs_[0]
    array([4, 7])
    >>> found.n_tested_
    435
    """
    if groups is not None:
        warn_of_groups("interacting_pairs")
    for option, value in [("n_pairs", n_pairs), ("n_permutations", n_permutations)]:
        if value is not None or option != "n_permutations":
            read_whole(option, value, "use 1 or more")
    # Reads the data; any estimator for both types of target works.
    reader = CLASSES["MultiSURF"](
        categorical_features=categorical_features,
        ordinal_features=ordinal_features,
        genotype_features=genotype_features,
        target_type=target_type,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    with advising(parameters_of([], own=signature(interacting_pairs).parameters)):
        problem = read_problem(reader, [reader], X, y)
        found = _native.find_pairs(
            problem.study,
            chosen=_chosen(features, problem.n_features),
            pairs=int(n_pairs),
            permutations=None if n_permutations is None else int(n_permutations),
            strata=None if strata is None else read_strata(strata, y),
            covariates=read_covariates_of_models(covariates, problem.n_samples),
            groups=read_groups(groups, y, "group"),
        )
    warn_caller(problem.doubts + found["warnings"])
    return InteractingPairs(
        pairs_=np.column_stack([found["first"], found["second"]]),
        statistics_=found["statistics"],
        degrees_of_freedom_=found["degrees"],
        residual_degrees_of_freedom_=found["residual"],
        pvalues_=found["p_values"],
        log10_pvalues_=found["log10_p"],
        qvalues_=found["q_values"],
        adjusted_pvalues_=found["adjusted"],
        interaction_information_=found["information"],
        n_samples_=found["rows"],
        q_exact_up_to_=found["exact_q"],
        n_tested_=found["tested"],
        n_untested_=found["untested"],
        feature_names_in_=getattr(reader, "feature_names_in_", None),
    )


def _chosen(features, width):
    """List the indices of the features to test."""
    if features is None:
        return list(range(width))
    features = np.asarray(features)
    if features.ndim == 1 and features.dtype == bool:
        if len(features) != width:
            raise option_error(
                "features",
                f"its mask has {len(features)} entries for {width} columns",
                "provide one entry per column",
            )
        return np.flatnonzero(features).tolist()
    if features.ndim != 1 or (len(features) and features.dtype.kind not in "iu"):
        raise TypeError("option features: use None, a list of indices, or a boolean mask")
    for entry in features:
        if not 0 <= entry < width:
            raise option_error(
                "features",
                f"there is no column {entry}",
                f"there are {width} columns, numbered from 0",
            )
    return [int(entry) for entry in features]
