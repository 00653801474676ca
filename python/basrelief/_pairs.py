"""Which features act together."""

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
)
from basrelief._estimators import CLASSES
from basrelief._tables import TableMixin, feature_names
from basrelief._validation import option_error, read_groups, read_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray

__all__ = ["InteractingPairs", "interacting_pairs"]


@dataclass(frozen=True, repr=False)
class InteractingPairs(TableMixin):
    """The strongest of all pairs of some features, the strongest first.

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        Indices of both features.
    statistics_ : ndarray of shape (n_pairs,)
        Likelihood ratios, or F of the product terms where the target is real.
    degrees_of_freedom_ : ndarray of shape (n_pairs,)
        Degrees of freedom of the statistics.
    residual_degrees_of_freedom_ : ndarray of shape (n_pairs,) or None
        Those of the residuals; None of likelihood ratios.
    pvalues_ : ndarray of shape (n_pairs,)
        How probable such a statistic is where the features do not act together.
    log10_pvalues_ : ndarray of shape (n_pairs,)
        Their decimal logarithms, also where a p-value is too small for a number and is 0.
    qvalues_ : ndarray of shape (n_pairs,)
        False discovery rates by Benjamini and Hochberg among all tested pairs. Those above
        `q_exact_up_to_` are upper bounds.
    adjusted_pvalues_ : ndarray of shape (n_pairs,) or None
        P-values by max-T, which keep the family-wise error rate; None without permutations.
    interaction_information_ : ndarray of shape (n_pairs,) or None
        In bits, without correction for chance; None where the target is real.
    n_samples_ : ndarray of shape (n_pairs,)
        Rows in which both features are known.
    q_exact_up_to_ : float
        Up to here q-values are exact: of very many pairs only the strongest are kept.
    n_tested_ : int
        Pairs that were tested.
    n_untested_ : int
        Pairs that cannot be tested, as a feature has one value among the rows where both are known.
    feature_names_in_ : ndarray of shape (n_features,) or None
        Names of the features; None if `X` has none that are all strings.
    """

    pairs_: NDArray[np.int64]
    statistics_: NDArray[np.float64]
    degrees_of_freedom_: NDArray[np.int64]
    residual_degrees_of_freedom_: NDArray[np.int64] | None
    pvalues_: NDArray[np.float64]
    log10_pvalues_: NDArray[np.float64]
    qvalues_: NDArray[np.float64]
    adjusted_pvalues_: NDArray[np.float64] | None
    interaction_information_: NDArray[np.float64] | None
    n_samples_: NDArray[np.int64]
    q_exact_up_to_: float
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
    groups: ArrayLike | None = None,
    categorical_features: Literal["all"] | Sequence[str] | Sequence[int] | None = None,
    ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
    genotype_features: Literal["all"] | Sequence[str] | Sequence[int] | None = None,
    target_type: Literal["auto", "classes", "real"] = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> InteractingPairs:
    """Test every two of some features, and list the pairs that act together most strongly.

    Of classes by the likelihood ratio of BOOST: both features and the class together, against the
    logistic model in which each feature has its own effect and none depends on the other. Of a
    real target by F of the product of both features.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features, as for an estimator's `fit`.
    y : array-like of shape (n_samples,)
        Class labels, or real numbers.
    features : array-like of int or bool, or None, default=None
        Indices of the features to pair, or a mask such as a selector's ``get_support()``; None is
        all of them.
    n_pairs : int, default=20
        How many pairs to list.
    n_permutations : int or None, default=None
        Permutations of the target for adjusted p-values by max-T; None is no test of that kind.
    groups : array-like of shape (n_samples,) or None, default=None
        Strata such as batches or centers: the target is permuted inside of them only.
    categorical_features : "all", array-like of str or int, or None, default=None
        Columns to take as categories, as of an estimator.
    ordinal_features : "all", array-like, dict or None, default=None
        Columns to take as levels in an order, as of an estimator.
    genotype_features : "all", array-like of str or int, or None, default=None
        Columns to take as genotypes (0, 1, 2), as of an estimator.
    target_type : {"auto", "classes", "real"}, default="auto"
        How to read the target.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations.
    n_jobs : int or None, default=None
        Threads; None is all. The result does not depend on it.

    Returns
    -------
    pairs : InteractingPairs
        The pairs with statistics and p-values.

    Notes
    -----
    Where the same rows chose the features, p-values are too small: choose by other rows, or test
    all features. The command ``basrelief pairs --permute-all`` corrects that by permutations of
    the choice too.

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
    for option, value in [("n_pairs", n_pairs), ("n_permutations", n_permutations)]:
        if value is not None or option != "n_permutations":
            read_whole(option, value, "give 1 or more")
    # Reads data as estimators do; any of those that take both kinds of target would do.
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
            groups=None if groups is None else read_groups(groups, y),
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
    """List the indices of the features to pair."""
    if features is None:
        return list(range(width))
    features = np.asarray(features)
    if features.ndim == 1 and features.dtype == bool:
        if len(features) != width:
            raise option_error(
                "features",
                f"its mask has {len(features)} entries for {width} columns",
                "give one entry per column",
            )
        return np.flatnonzero(features).tolist()
    if features.ndim != 1 or (len(features) and features.dtype.kind not in "iu"):
        raise TypeError("option features: it takes None, a list of indices, or a mask")
    for entry in features:
        if not 0 <= entry < width:
            raise option_error(
                "features", f"there is no column {entry}", f"the {width} columns count from 0"
            )
    return [int(entry) for entry in features]
