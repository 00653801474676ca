"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Written by a test from the library's registry; ``UPDATE_STUBS=1 pytest python/tests/test_stubs.py``
writes it anew.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basrelief._base import (
    BaseReliefSelector,
    Correction,
    MethodSelector,
    ReliefWarning,
    Sided,
)
from basrelief._covariates import residuals
from basrelief._genotypes import GenotypeMatrix
from basrelief._kernels import Kernelized
from basrelief._maps import BaseMap
from basrelief._native import __version__, map_methods, methods, wrappers
from basrelief._neighbors import KNeighborsClassifier, KNeighborsRegressor
from basrelief._pairs import InteractingPairs, interacting_pairs
from basrelief._plink import PlinkCohort, read_plink, read_vcf
from basrelief._progress import FitCancelled
from basrelief._samples import SampleTable, read_table
from basrelief._significance import PermutationTestResult, permutation_test
from basrelief._stable import Stable
from basrelief._wrappers import BaseWrapper

__all__ = [
    "DANN",
    "DLMNN",
    "ITML",
    "LDA",
    "LDM",
    "LFDA",
    "LFE",
    "LMNN",
    "LSML",
    "MDM",
    "MFA",
    "MLKR",
    "MMC",
    "NCA",
    "PCA",
    "RCA",
    "SCML",
    "SDML",
    "SURF",
    "SWRF",
    "VLS",
    "DReliefF",
    "Euclidean",
    "FitCancelled",
    "FrobMetric",
    "GIRelief",
    "GenotypeMatrix",
    "IRelief",
    "InteractingPairs",
    "Iter",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Kernelized",
    "Lmba",
    "Logo",
    "MuRelief",
    "MultiSURF",
    "MultiSURFStar",
    "MultiSWRF",
    "MultiSWRFDB",
    "MultiSWRFDBStar",
    "MultiSWRFStar",
    "MyopicReliefF",
    "ORelief",
    "PDReliefF",
    "PermutationTestResult",
    "PlinkCohort",
    "RReliefF",
    "Relief",
    "ReliefE",
    "ReliefF",
    "ReliefMargin",
    "ReliefWarning",
    "SURFStar",
    "SWRFStar",
    "SampleTable",
    "Simba",
    "Stable",
    "SurvivalRelief",
    "TuRF",
    "__version__",
    "interacting_pairs",
    "map_methods",
    "methods",
    "permutation_test",
    "read_plink",
    "read_table",
    "read_vcf",
    "residuals",
    "wrappers",
]

class DANN(BaseMap):
    """Discriminant adaptive nearest neighbors: directions in which classes differ locally.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int or "auto", default="auto"
        Rows in a neighborhood, including the row itself; auto: a fifth of the rows, at least 50.
    sphering : {"within", "none"}, default="within"
        Sphere the rows by the within-class covariance first, or use them unchanged.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    References
    ----------
    T. Hastie and R. Tibshirani. Discriminant adaptive nearest neighbor classification. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 18(6), 607-616, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import DANN
    >>> X, y = load_wine(return_X_y=True)
    >>> DANN(2).fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int | Literal["auto"]
    sphering: Literal["within", "none"]
    ridge: float | Literal["auto"]
    classes_: NDArray[Any]
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int | Literal["auto"] = "auto",
        sphering: Literal["within", "none"] = "within",
        ridge: float | Literal["auto"] = "auto",
    ) -> None: ...

class DLMNN(MethodSelector):
    """Large-margin nearest neighbors with a diagonal metric (D-LMNN).

    Every row pulls its nearest rows of the same class and keeps rows of other classes a margin
    farther away. The weights solve a linear program over all such triples, and the optimum is
    proven. The distance between two rows is ``sqrt(sum(weights_ * difference**2))``, where each
    difference is divided by the range of its column. Missing values are an error.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    mu : float, default=0.5
        Weight of the violated margins, from 0 to 1; the pull of the target neighbors has the weight
        ``1 - mu``.
    max_iter : int, default=10000
        Maximum number of passes; if it is reached, a warning reports the distance to the optimum.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], scaled so that the largest is 1.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations: passes over all triples.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    See Also
    --------
    MDM : Does not depend on the scale of the columns.
    Lmba : Finds the nearest rows in the space of its weights, and accepts missing values.

    References
    ----------
    K. Q. Weinberger and L. K. Saul. Distance metric learning for large margin nearest neighbor
    classification. Journal of Machine Learning Research 10, 207-244, 2009.

    J. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. International
    Conference on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import DLMNN
    >>> X, y = load_wine(return_X_y=True)
    >>> DLMNN(n_features_to_select=5).fit(X, y).relative_gap_ < 1e-9
    True
    """

    n_neighbors: int
    mu: float
    max_iter: int
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        mu: float = 0.5,
        max_iter: int = 10000,
    ) -> None: ...

class DReliefF(MethodSelector):
    """Double ReliefF: distances are weighted by the estimates so far.

    Rows are visited one by one in an order drawn by `random_state`. The distances of each row
    weight the features by the estimates from the rows before, so that irrelevant features disturb
    the neighbor search less. The result depends on the order of the visits.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    neighbor_weights : str, default="uniform"
        Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between rows: the sum of the weighted differences of the features, or the square
        root of the weighted sum of their squares.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    PDReliefF : Gives the estimates influence gradually; more stable with few rows.

    References
    ----------
    G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical report,
    Technical University of Catalonia, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import DReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> DReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape
    (178, 5)
    """

    n_neighbors: int
    n_samples: int | Literal["all"]
    neighbor_weights: str
    metric: Literal["manhattan", "euclidean"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        neighbor_weights: str = "uniform",
        metric: Literal["manhattan", "euclidean"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class Euclidean(BaseMap):
    """The identity map of the features: the baseline for every learned metric.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import Euclidean
    >>> X, y = load_wine(return_X_y=True)
    >>> Euclidean(scale="range").fit_transform(X).shape
    (178, 13)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...

class FrobMetric(BaseMap):
    """A large-margin metric from relative comparisons of distances.

    The metric minimizes the mean hinge loss of the comparisons plus the squared Frobenius norm of
    its matrix. The problem is convex, its solution is unique, and the optimum is proven.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=3
        Number of nearest neighbors per class: larger is more stable, smaller is more local.
    regularization : float, default=0.01
        Weight of the metric's squared norm; the larger it is, the closer the metric is to the
        average of all comparisons.
    max_iter : int, default=5000
        Maximum number of steps; reaching it causes a warning.
    tol : float, default=1e-6
        Relative duality gap at which to stop, a proven bound.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    References
    ----------
    C. Shen, J. Kim, F. Liu, L. Wang and A. van den Hengel. Efficient dual approach to distance
    metric learning. IEEE Transactions on Neural Networks and Learning Systems 25, 394-406, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import FrobMetric
    >>> X, y = load_wine(return_X_y=True)
    >>> FrobMetric(2, scale="standard").fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    regularization: float
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 3,
        regularization: float = 0.01,
        max_iter: int = 5000,
        tol: float = 1e-06,
    ) -> None: ...

class GIRelief(BaseMap):
    """Generalized I-RELIEF: alternates between a metric and the neighbors under it.

    Neighbors are soft and found in the space of the map itself. The map consists of the directions
    in which misses are farther away than hits.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    form : {"auto", "direct", "accelerated", "linearised"}, default="auto"
        Space of the neighbors: all components (direct), the requested ones (accelerated) or the
        span of the rows (linearised); auto: direct, in the span for many features.
    sigma_neighbors : int, default=7
        The kernel width is the mean squared distance to the neighbor of this rank.
    sigma_offset : float, default=0.0
        Added to the kernel width; a larger offset includes more neighbors.
    init : {"auto", "identity", "whiten"}, default="auto"
        Initial map: the identity, or whitening of the within-class covariance; auto: whiten if the
        variances of the features differ by more than a factor of ten.
    max_iter : int, default=30
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-4
        Relative change of the metric below which the iteration has converged.
    ridge : float, default=1e-6
        Added to the diagonal of a singular matrix, as a fraction of its mean diagonal entry.
    keep_best : bool, default=True
        Return the iterate with the best leave-one-out nearest-neighbor accuracy, or the last one.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations, each of which visits all pairs of rows.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    See Also
    --------
    LFE : Neighbors in the original space, with a closed-form solution.

    References
    ----------
    C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. Pattern
    Recognition 43(8), 2971-2981, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import GIRelief
    >>> X, y = load_wine(return_X_y=True)
    >>> GIRelief(2, scale="range").fit_transform(X, y).shape
    (178, 2)
    """

    form: Literal["auto", "direct", "accelerated", "linearised"]
    sigma_neighbors: int
    sigma_offset: float
    init: Literal["auto", "identity", "whiten"]
    max_iter: int
    tol: float
    ridge: float
    keep_best: bool
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        form: Literal["auto", "direct", "accelerated", "linearised"] = "auto",
        sigma_neighbors: int = 7,
        sigma_offset: float = 0.0,
        init: Literal["auto", "identity", "whiten"] = "auto",
        max_iter: int = 30,
        tol: float = 0.0001,
        ridge: float = 1e-06,
        keep_best: bool = True,
    ) -> None: ...

class IRelief(MethodSelector):
    """Iterative Relief: probabilistic neighbors in the weighted space.

    The weights determine distances, the distances determine the probability of each row to be the
    nearest hit or miss, and the expected margins determine the next weights. The iteration ends
    when the weights no longer change.

    Parameters
    ----------
    sigma : float, default=1.0
        Kernel width over distances, above 0; if it is small, only the nearest rows have influence.
    max_iter : int, default=100
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        The iteration has converged when the weights change by less than this, above 0.
    mode : {"batch", "online"}, default="batch"
        All rows at once, or one after the other in an order drawn by `random_state`.
    outliers : bool, default=True
        Whether to weight rows by the probability that they are not outliers, or all equally.
    squared : bool, default=False
        Whether to use the squares of the features' differences.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], of unit Euclidean norm.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    See Also
    --------
    ReliefMargin : A single step, with the nearest rows instead of probabilities.

    References
    ----------
    Y. Sun. Iterative RELIEF for feature weighting: algorithms, theories, and applications. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 29(6), 1035-1051, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import IRelief
    >>> X, y = load_wine(return_X_y=True)
    >>> IRelief(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    sigma: float
    max_iter: int
    tol: float
    mode: Literal["batch", "online"]
    outliers: bool
    squared: bool
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        sigma: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-06,
        mode: Literal["batch", "online"] = "batch",
        outliers: bool = True,
        squared: bool = False,
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class ITML(BaseMap):
    """Information-theoretic metric learning: close to a prior, with pairs near or far.

    Among all metrics under which pairs of rows of the same class are near and pairs of different
    classes are far, up to slack, this is the one with the smallest LogDet divergence from a prior
    metric.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    gamma : float, default=1.0
        Weight of bound violations: the larger, the less slack.
    bounds : tuple (near, far) or "auto", default="auto"
        Upper bound of the squared distance of near pairs, and lower bound of that of far pairs;
        auto: the 5th and the 95th percentile.
    prior : {"identity", "covariance"}, default="identity"
        Metric to which the learned one stays close: Euclidean, or the inverse covariance of the
        rows.
    n_constraints : int or "auto" or "all", default="auto"
        Number of pairs of rows of the same class, and of different classes, drawn by the seed;
        auto: 20 times the squared number of classes.
    max_iter : int, default=1000
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        Relative duality gap at which to stop, a proven bound.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    References
    ----------
    J. V. Davis, B. Kulis, P. Jain, S. Sra and I. S. Dhillon. Information-theoretic metric learning.
    International Conference on Machine Learning, 209-216, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ITML
    >>> X, y = load_wine(return_X_y=True)
    >>> ITML(scale="standard").fit_transform(X, y).shape
    (178, 13)
    """

    gamma: float
    bounds: tuple[float, float] | Literal["auto"]
    prior: Literal["identity", "covariance"]
    n_constraints: int | Literal["auto", "all"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        gamma: float = 1.0,
        bounds: tuple[float, float] | Literal["auto"] = "auto",
        prior: Literal["identity", "covariance"] = "identity",
        n_constraints: int | Literal["auto", "all"] = "auto",
        max_iter: int = 1000,
        tol: float = 1e-06,
    ) -> None: ...

class Iter(BaseWrapper):
    """Iterative Relief: repeats a method with distances weighted by its weights.

    In the first round, all features count equally in distances. In the following rounds, the
    difference of a feature is multiplied by a factor that follows its weight in the rounds before,
    so that neighbors are nearer in the relevant features. The wrapped selector must be a method
    with a single neighbor search, such as ReliefF or MultiSURF.

    Parameters
    ----------
    estimator : selector or None, default=None
        The wrapped selector, which can be another wrapper; None is :class:`ReliefF`. It is not
        fitted itself: its parameters specify the method and its options, and which columns are
        categorical, ordinal or genotypes. For `n_jobs`, `random_state` and `verbose` the outermost
        value that is set applies. The outermost selector determines which features are selected.
    max_iter : int, default=10
        Maximum number of rounds; reaching it gives a warning.
    tol : float, default=1e-4
        The iteration has converged when the weights change by less than this, above 0.
    rate : float, default=0.1
        Fraction by which the factors of the features approach their weights in a round.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features of the last round.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations: rounds.

    See Also
    --------
    TuRF : Drops the worst features round by round.

    References
    ----------
    B. Draper, C. Kaito and J. Bins. Iterative Relief. CVPR Workshop, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import Iter, MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = Iter(MultiSURF(), max_iter=3, tol=0.05, n_features_to_select=5)
    >>> selector.fit_transform(X, y).shape
    (178, 5)
    """

    max_iter: int
    tol: float
    rate: float
    classes_: NDArray[Any]
    n_iter_: int
    def __init__(
        self,
        estimator: BaseReliefSelector | None = None,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        max_iter: int = 10,
        tol: float = 0.0001,
        rate: float = 0.1,
    ) -> None: ...

class LDA(BaseMap):
    """Linear discriminant analysis: the directions that best separate the class means.

    The pooled within-class covariance becomes the identity. The number of components is at most the
    number of classes minus one.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LDA().fit_transform(X, y).shape
    (178, 2)
    """

    ridge: float | Literal["auto"]
    classes_: NDArray[Any]
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        ridge: float | Literal["auto"] = "auto",
    ) -> None: ...

class LDM(BaseMap):
    """Local distance metric: principal axes weighted by how well they keep classes together.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    max_iter : int, default=100
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        The search ends when the relative change of the objective is smaller than this.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    References
    ----------
    L. Yang, R. Jin, R. Sukthankar and Y. Liu. An efficient algorithm for local distance metric
    learning. AAAI Conference on Artificial Intelligence, 543-548, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LDM
    >>> X, y = load_wine(return_X_y=True)
    >>> LDM(2, scale="standard").fit_transform(X, y).shape
    (178, 2)
    """

    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        max_iter: int = 100,
        tol: float = 1e-06,
    ) -> None: ...

class LFDA(BaseMap):
    """Local Fisher discriminant analysis: for classes of several clusters.

    Like :class:`LDA`, but distant rows of a class need not be mapped close to each other.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=7
        Rank of the neighbor of the same class whose distance sets the scale of the affinities.
    embedding : {"weighted", "plain", "orthonormal"}, default="weighted"
        Scaling of the components: by the square roots of their eigenvalues, to a local within-class
        scatter of 1, or to an orthonormal basis.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    References
    ----------
    M. Sugiyama. Dimensionality reduction of multimodal labeled data by local Fisher discriminant
    analysis. Journal of Machine Learning Research 8, 1027-1061, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LFDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LFDA(2).fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    embedding: Literal["weighted", "plain", "orthonormal"]
    ridge: float | Literal["auto"]
    classes_: NDArray[Any]
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 7,
        embedding: Literal["weighted", "plain", "orthonormal"] = "weighted",
        ridge: float | Literal["auto"] = "auto",
    ) -> None: ...

class LFE(BaseMap):
    """Local feature extraction: directions of large nearest-neighbor margins.

    Relief for linear combinations of features: the directions in which rows are farther from their
    nearest rows of other classes than from their nearest rows of the same class. It is fast with
    more features than rows.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=1
        Number of nearest neighbors per class: larger is more stable, smaller is more local.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="euclidean"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, or the first rows of the table are
        used.
    form : {"auto", "direct", "fast"}, default="auto"
        Compute over the features or in the span of the rows; the map is the same.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    discriminant_power_ : float
        Square root of the sum of squares of all positive eigenvalues, including those of excluded
        components.

    References
    ----------
    Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International Conference on
    Data Mining, 188-195, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LFE
    >>> X, y = load_wine(return_X_y=True)
    >>> LFE(2, scale="range").fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    form: Literal["auto", "direct", "fast"]
    classes_: NDArray[Any]
    discriminant_power_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 1,
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "euclidean",
        ties: Literal["share", "first"] = "share",
        form: Literal["auto", "direct", "fast"] = "auto",
    ) -> None: ...

class LMNN(BaseMap):
    """Large-margin nearest neighbors: rows of other classes are a margin farther away.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=3
        Number of nearest neighbors per class: larger is more stable, smaller is more local.
    mu : float, default=0.5
        Weight of the violated margins; the pull of the target neighbors has the weight 1 - mu.
    init : {"auto", "identity", "pca", "lda"}, default="auto"
        Start of the search; auto: lda for fewer components than classes, pca for fewer than
        dimensions, otherwise identity.
    solver : {"low-rank", "convex"}, default="low-rank"
        Learn a matrix with the requested components, or the best metric of any rank with a proof.
    max_iter : int, default=1000
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-5
        Relative tolerance of the objective: for the smoothing, or (convex solver) for the proven
        gap.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    See Also
    --------
    DLMNN : The same objective with one weight per feature; the optimum is proven.

    References
    ----------
    K. Q. Weinberger and L. K. Saul. Distance metric learning for large margin nearest neighbor
    classification. Journal of Machine Learning Research 10, 207-244, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LMNN
    >>> X, y = load_wine(return_X_y=True)
    >>> LMNN(2, scale="standard").fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    mu: float
    init: Literal["auto", "identity", "pca", "lda"]
    solver: Literal["low-rank", "convex"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 3,
        mu: float = 0.5,
        init: Literal["auto", "identity", "pca", "lda"] = "auto",
        solver: Literal["low-rank", "convex"] = "low-rank",
        max_iter: int = 1000,
        tol: float = 1e-05,
    ) -> None: ...

class LSML(BaseMap):
    """Least squared-residual metric learning: close to a prior, with comparisons of distances.

    Among all metrics, the one that minimizes the LogDet divergence from a prior plus the mean
    squared violation of the comparisons. `fit_triplets` and `fit_quadruplets` learn from
    comparisons instead of classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    prior : {"identity", "covariance"}, default="identity"
        Metric to which the learned one stays close: Euclidean, or the inverse covariance of the
        rows.
    n_constraints : int or "auto" or "all", default="auto"
        Number of pairs of rows of the same class, and of different classes, drawn by the seed;
        auto: 20 times the squared number of classes.
    max_iter : int, default=1000
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        Relative duality gap at which to stop, a proven bound.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    References
    ----------
    E. Y. Liu, Z. Guo, X. Zhang, V. Jojic and W. Wang. Metric learning from relative comparisons by
    minimizing squared residual. IEEE International Conference on Data Mining, 978-983, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LSML
    >>> X, y = load_wine(return_X_y=True)
    >>> LSML(scale="standard").fit(X, y).get_mahalanobis_matrix().shape
    (13, 13)
    """

    prior: Literal["identity", "covariance"]
    n_constraints: int | Literal["auto", "all"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        prior: Literal["identity", "covariance"] = "identity",
        n_constraints: int | Literal["auto", "all"] = "auto",
        max_iter: int = 1000,
        tol: float = 1e-06,
    ) -> None: ...

class Lmba(MethodSelector):
    """Lmba: pulls the nearest hit close and keeps the nearest miss a margin away.

    Gradient steps on the hinge loss of the nearest hit and miss of every row, found in the weighted
    space.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the margins relative to the pull of the nearest hits, from 1e-9 to 1e9.
    max_iter : int, default=100
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        The iteration has converged when the weights change by less than this, above 0.
    missing : {"expected", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], scaled so that the largest is 1.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    See Also
    --------
    ReliefMargin : Finds the nearest rows only once, in closed form.

    References
    ----------
    Y. Li and B.-L. Lu. Feature selection based on loss-margin of nearest neighbor classification.
    Pattern Recognition 42(9), 1914-1921, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import Lmba
    >>> X, y = load_wine(return_X_y=True)
    >>> Lmba(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    C: float
    max_iter: int
    tol: float
    missing: Literal["expected", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        C: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-06,
        missing: Literal["expected", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class Logo(MethodSelector):
    """LOGO: local learning with an l1 penalty, for few relevant among very many features.

    The weights determine the probability of each row to be the nearest hit or miss, and the next
    weights minimize the logistic loss of the expected margins with an l1 penalty. Most weights are
    0.

    Parameters
    ----------
    sigma : float or "cv", default=2.0
        Kernel width over distances, above 0; if it is small, only the nearest rows have influence.
    penalty : float or "cv", default=0.3
        The penalty of the sum of the weights: the larger it is, the fewer features have a weight;
        cv: by cross-validation.
    max_iter : int, default=10
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=0.01
        The iteration has converged when the weights change by less than this, above 0.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, inf], not negative.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    See Also
    --------
    IRelief : The same margins, without a penalty.

    References
    ----------
    Y. Sun, S. Todorovic and S. Goodison. Local-learning-based feature selection for
    high-dimensional data analysis. IEEE Transactions on Pattern Analysis and Machine Intelligence
    32(9), 1610-1626, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import Logo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 50))
    >>> y = (X[:, 3] > 0.5) ^ (X[:, 7] > 0.5)
    >>> selector = Logo(sigma=0.5).fit(X, y)
    >>> np.flatnonzero(selector.weights_ > 0.2 * selector.weights_.max())
    array([3, 7])
    """

    sigma: float | Literal["cv"]
    penalty: float | Literal["cv"]
    max_iter: int
    tol: float
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        sigma: float | Literal["cv"] = 2.0,
        penalty: float | Literal["cv"] = 0.3,
        max_iter: int = 10,
        tol: float = 0.01,
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MDM(MethodSelector):
    """Maximum Distance Minimization: a metric with compact, well-separated classes.

    The weights minimize the ratio of the largest squared distance within a class to the smallest
    between classes, and do not depend on the scales of the columns. They solve a linear program
    over all pairs of rows, and the optimum is proven. The distance between two rows is
    ``sqrt(sum(weights_ * difference**2))``, where each difference is divided by the range of its
    column. Missing values are an error.

    Parameters
    ----------
    slack : float or None, default=1000.0
        Price of rows of different classes that are nearer than 1, above 0, times their shortfall.
        None forbids them, as in the paper: identical rows of different classes are then an error.
        The default gives the same weights unless the objective is above it, and accepts such rows
        with a warning.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], scaled so that the largest is 1.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations: rounds, or passes over all pairs if violations have a price.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    n_constraints_ : int
        Number of pairs of rows whose constraints were used; the solution satisfies those of all
        pairs.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    See Also
    --------
    Lmba : Uses the nearest rows instead of the most extreme pairs.

    Notes
    -----
    By strong duality the default `slack` has no effect unless the objective exceeds it: the
    multipliers of the pairs of different classes sum to the objective, so that none reaches a
    larger price and no pair pays it.

    References
    ----------
    J. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. International
    Conference on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MDM
    >>> X, y = load_wine(return_X_y=True)
    >>> mdm = MDM(n_features_to_select=5).fit(X, y)
    >>> mdm.relative_gap_ < 1e-9
    True
    """

    slack: float | None
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    n_constraints_: int
    relative_gap_: float
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        slack: float | None = 1000.0,
    ) -> None: ...

class MFA(BaseMap):
    """Marginal Fisher analysis: separates the rows at the borders of the classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=5
        Nearest rows of the same class that a row is kept close to.
    n_pairs : int, default=20
        Closest pairs of a row inside and a row outside each class, which are pushed apart.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    References
    ----------
    S. Yan, D. Xu, B. Zhang, H.-J. Zhang, Q. Yang and S. Lin. Graph embedding and extensions: a
    general framework for dimensionality reduction. IEEE Transactions on Pattern Analysis and
    Machine Intelligence 29(1), 40-51, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MFA
    >>> X, y = load_wine(return_X_y=True)
    >>> MFA(2).fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    n_pairs: int
    ridge: float | Literal["auto"]
    classes_: NDArray[Any]
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 5,
        n_pairs: int = 20,
        ridge: float | Literal["auto"] = "auto",
    ) -> None: ...

class MLKR(BaseMap):
    """Metric learning for kernel regression: predicts a numeric target from near rows.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    init : {"auto", "identity", "pca"}, default="auto"
        Start of the search; auto: pca for fewer components than dimensions, otherwise identity.
    max_iter : int, default=1000
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        The search ends when the relative change of the objective is smaller than this.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    References
    ----------
    K. Q. Weinberger and G. Tesauro. Metric learning for kernel regression. International Conference
    on Artificial Intelligence and Statistics, 612-619, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from basrelief import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> MLKR(2, scale="standard").fit_transform(X, y).shape
    (442, 2)
    """

    init: Literal["auto", "identity", "pca"]
    max_iter: int
    tol: float
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        init: Literal["auto", "identity", "pca"] = "auto",
        max_iter: int = 1000,
        tol: float = 1e-06,
    ) -> None: ...

class MMC(BaseMap):
    """Mahalanobis metric for clustering: far pairs as far as possible, near pairs at distance 1.

    The metric maximizes the sum of the distances of the far pairs, while the mean squared distance
    of the near pairs is 1. `fit_pairs` learns from pairs instead of classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    entries : {"all", "diagonal"}, default="all"
        Entries of the metric that are learned: all, or those of a diagonal matrix, one weight per
        feature.
    n_constraints : int or "auto" or "all", default="auto"
        Number of pairs of rows of the same class, and of different classes, drawn by the seed;
        auto: 20 times the squared number of classes.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    max_iter : int, default=1000
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-4
        Distance to the optimum at which to stop, relative to the objective, a proven bound.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    References
    ----------
    E. P. Xing, A. Y. Ng, M. I. Jordan and S. Russell. Distance metric learning, with application to
    clustering with side-information. Advances in Neural Information Processing Systems 15, 521-528,
    2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MMC
    >>> X, y = load_wine(return_X_y=True)
    >>> MMC(scale="standard").fit(X, y).get_mahalanobis_matrix().shape
    (13, 13)
    """

    entries: Literal["all", "diagonal"]
    n_constraints: int | Literal["auto", "all"]
    ridge: float | Literal["auto"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        entries: Literal["all", "diagonal"] = "all",
        n_constraints: int | Literal["auto", "all"] = "auto",
        ridge: float | Literal["auto"] = "auto",
        max_iter: int = 1000,
        tol: float = 0.0001,
    ) -> None: ...

class MuRelief(MethodSelector):
    """Mu-Relief: ReliefF with the rows whose distances deviate most from the mean.

    The neighbors of a row in a class are the `n_neighbors` rows whose distances deviate most from
    the mean distance of the row to that class, in either direction. The weight is that of ReliefF,
    or of RReliefF for a numeric target, with these neighbors.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefF : The nearest rows.
    MultiSWRFDB : All rows within a radius, by their distances.

    References
    ----------
    N. Aggarwal, U. Shukla, G. J. Saxena et al. Mean based relief: an improved feature selection
    method based on ReliefF. Applied Intelligence 53:23004, 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MuRelief
    >>> X, y = load_wine(return_X_y=True)
    >>> MuRelief(n_neighbors=20, n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_neighbors: int
    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MultiSURF(MethodSelector):
    """MultiSURF: neighbors within a separate radius for each row.

    The neighbors of a row are all rows nearer than its mean distance minus half its standard
    deviation. There is nothing to tune. The method detects both main effects and interactions, and
    accepts classes and numeric targets.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, for comparison: the radius of SURF
        includes the distance 0 of every row to itself, the misses of all classes have equal weight,
        missing values are excluded, numeric columns of mixed data count as 1 beyond their standard
        deviation, and rows are hits or misses also for a numeric target. Its errors are not
        reproduced. Missing values require ``missing="ignore"``, and genotype columns
        ``genotype_diff="categorical"``.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefF : A fixed number of neighbors; faster and more local.

    References
    ----------
    R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker and J. H. Moore. Benchmarking Relief-based
    feature selection methods for bioinformatics data mining. Journal of Biomedical Informatics 85,
    168-188, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSURF(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    compat: Literal["skrebate"] | None
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
        compat: Literal["skrebate"] | None = None,
    ) -> None: ...

class MultiSURFStar(MethodSelector):
    """MultiSURF*: MultiSURF with far rows scored by their similarity.

    Rows farther than a row's mean distance plus half its standard deviation add their similarity (1
    minus the difference) if they are misses and subtract it if they are hits.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, for comparison: the radius of SURF
        includes the distance 0 of every row to itself, the misses of all classes have equal weight,
        missing values are excluded, numeric columns of mixed data count as 1 beyond their standard
        deviation, and rows are hits or misses also for a numeric target. Its errors are not
        reproduced. Missing values require ``missing="ignore"``, and genotype columns
        ``genotype_diff="categorical"``.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-2, 2].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSURF : No far rows; also detects main effects.

    References
    ----------
    D. Granizo-Mackenzie and J. H. Moore. Multiple threshold spatially uniform ReliefF for the
    genetic analysis of complex human diseases. EvoBIO, 1-10, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSURFStar
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSURFStar(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    compat: Literal["skrebate"] | None
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
        compat: Literal["skrebate"] | None = None,
    ) -> None: ...

class MultiSWRF(MethodSelector):
    """MultiSWRF: SWRF with a mean distance per row.

    Rows nearer than a row's own mean distance are its neighbors. The weight of a neighbor is a
    sigmoid of its distance: 0 at the mean and near 1 for very near rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSWRFDB : Excludes rows near the mean distance.

    References
    ----------
    K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, 2026.
    Implementation: scikit-rebate 0.8.

    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSWRF
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSWRF(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MultiSWRFDB(MethodSelector):
    """MultiSWRFDB: MultiSURF with a smooth distance weight.

    Rows nearer than a row's mean distance minus half its standard deviation are its neighbors. The
    weight of a neighbor is a sigmoid of its distance: 0 at this bound and near 1 for very near
    rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSURF : All neighbors count equally.

    References
    ----------
    K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, 2026.
    Implementation: scikit-rebate 0.8.

    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSWRFDB
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSWRFDB(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MultiSWRFDBStar(MethodSelector):
    """MultiSWRFDB*: MultiSWRFDB with far rows.

    Rows within half a standard deviation of a row's mean distance do not count. The weight of the
    others is a sigmoid of their distance from this band: near 1 for very near and near -1 for very
    far rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-2, 2].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSWRFDB : No far rows; also detects main effects.

    References
    ----------
    K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, 2026.
    Implementation: scikit-rebate 0.8.

    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSWRFDBStar
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSWRFDBStar(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MultiSWRFStar(MethodSelector):
    """MultiSWRF*: MultiSWRF with far rows.

    The weight of a row is a sigmoid of its distance, centered at the row's own mean distance: 0 at
    the mean, near 1 for very near and near -1 for very far rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-2, 2].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSWRF : No far rows; also detects main effects.

    References
    ----------
    K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, 2026.
    Implementation: scikit-rebate 0.8.

    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSWRFStar
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSWRFStar(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class MyopicReliefF(MethodSelector):
    """Myopic ReliefF: the limit of ReliefF when every row is a neighbor, in closed form.

    A variant of the Gini gain that scores each feature separately and does not detect interactions.
    Numeric columns are first divided into equal-frequency bins.

    Parameters
    ----------
    n_bins : int, default=10
        Equal-frequency bins per numeric column, at least 2.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    ReliefF : Compares only near rows, and therefore detects interactions.

    References
    ----------
    G. Prat Masramon and L. A. Belanche Munoz. Toward better feature weighting algorithms: a focus
    on Relief. arXiv, 2006.

    Examples
    --------
    >>> from basrelief import MyopicReliefF
    >>> X = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]]
    >>> import numpy as np
    >>> MyopicReliefF().fit(np.array(X), [0, 0, 1, 1]).ranking_
    array([1, 2])
    """

    n_bins: int
    classes_: NDArray[Any]
    def __init__(
        self,
        n_bins: int = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
    ) -> None: ...

class NCA(BaseMap):
    """Neighborhood components analysis: maximizes the probability of a neighbor of the same class.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    objective : {"sum", "log"}, default="sum"
        Maximize the sum over rows of the probability of a neighbor of the same class, or of its
        logarithm.
    init : {"auto", "identity", "pca", "lda"}, default="auto"
        Start of the search; auto: lda for fewer components than classes, pca for fewer than
        dimensions, otherwise identity.
    max_iter : int, default=50
        Maximum number of iterations; reaching it gives a warning.
    tol : float, default=1e-6
        The search ends when the relative change of the objective is smaller than this.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov. Neighbourhood components analysis.
    Advances in Neural Information Processing Systems 17, 513-520, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import NCA
    >>> X, y = load_wine(return_X_y=True)
    >>> NCA(2, scale="standard").fit(X, y).objective_ > 177
    True
    """

    objective: Literal["sum", "log"]
    init: Literal["auto", "identity", "pca", "lda"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        objective: Literal["sum", "log"] = "sum",
        init: Literal["auto", "identity", "pca", "lda"] = "auto",
        max_iter: int = 50,
        tol: float = 1e-06,
    ) -> None: ...

class ORelief(BaseMap):
    """O-RELIEF: Relief weights of the principal axes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=1
        Number of nearest neighbors per class: larger is more stable, smaller is more local.
    metric : {"manhattan", "euclidean", "chebyshev"}, default="euclidean"
        Distance between rows: the sum of the differences of the coordinates, the square root of the
        sum of their squares, or the largest difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, or the first rows of the table are
        used.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    C.-C. Chang. Generalized iterative RELIEF for supervised distance metric learning. Pattern
    Recognition 43(8), 2971-2981, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ORelief
    >>> X, y = load_wine(return_X_y=True)
    >>> ORelief(2, scale="range").fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    metric: Literal["manhattan", "euclidean", "chebyshev"]
    ties: Literal["share", "first"]
    classes_: NDArray[Any]
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 1,
        metric: Literal["manhattan", "euclidean", "chebyshev"] = "euclidean",
        ties: Literal["share", "first"] = "share",
    ) -> None: ...

class PCA(BaseMap):
    """Principal component analysis: the directions of largest variance.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import PCA
    >>> X, y = load_wine(return_X_y=True)
    >>> PCA(2, scale="standard").fit_transform(X).shape
    (178, 2)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None: ...

class PDReliefF(MethodSelector):
    """Progressive double ReliefF: the estimates influence the distances gradually.

    Starts as :class:`ReliefF` and approaches :class:`DReliefF`; `area_share` is the mean share of
    the unweighted distance over all visits.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    neighbor_weights : str, default="uniform"
        Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
    exponent : float, default=2.0
        How late the estimates influence the distance, above 0; larger is later.
    area_share : float, default=1/3
        Mean share of the unweighted distance over all visits: 0 is :class:`DReliefF`, 1 is
        :class:`ReliefF`.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between rows: the sum of the weighted differences of the features, or the square
        root of the weighted sum of their squares.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    DReliefF : Gives the estimates full influence from the first row on.

    References
    ----------
    G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical report,
    Technical University of Catalonia, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import PDReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> PDReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape
    (178, 5)
    """

    n_neighbors: int
    n_samples: int | Literal["all"]
    neighbor_weights: str
    exponent: float
    area_share: float
    metric: Literal["manhattan", "euclidean"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        neighbor_weights: str = "uniform",
        exponent: float = 2.0,
        area_share: float = 0.3333333333333333,
        metric: Literal["manhattan", "euclidean"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class RCA(BaseMap):
    """Relevant component analysis: down-weights directions in which rows of a class vary.

    The metric is the inverse of the mean within-class covariance.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    ridge : float or "auto", default="auto"
        Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
        entry; auto: 1e-6 if the matrix is singular, otherwise 0.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    ridge_ : float
        Value added to the diagonal of the inverted matrix; 0.0 means none.

    References
    ----------
    A. Bar-Hillel, T. Hertz, N. Shental and D. Weinshall. Learning a Mahalanobis metric from
    equivalence constraints. Journal of Machine Learning Research 6, 937-965, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import RCA
    >>> X, y = load_wine(return_X_y=True)
    >>> RCA(2).fit_transform(X, y).shape
    (178, 2)
    """

    ridge: float | Literal["auto"]
    classes_: NDArray[Any]
    ridge_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        ridge: float | Literal["auto"] = "auto",
    ) -> None: ...

class RReliefF(MethodSelector):
    """RReliefF: features that differ where a numeric target differs, among near rows.

    For every row, the method finds the `n_neighbors` nearest rows. The weight compares the
    probability that a feature differs between neighbors whose targets differ with the probability
    that it differs between neighbors with similar targets.

    Parameters
    ----------
    n_neighbors : int or tuple of int, default=10
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    neighbor_weights : str, default="rank"
        Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
    target_distance : str, default="mean"
        Compare several targets by their mean difference, by the share that differs, or as sets of
        labels.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefF : For classes.

    References
    ----------
    M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF.
    Machine Learning 53, 23-69, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import RReliefF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 5))
    >>> selector = RReliefF().fit(X, 3 * X[:, 1] + X[:, 4])
    >>> selector.ranking_[[1, 4]]
    array([1, 2])
    """

    n_neighbors: int | tuple[int, ...]
    n_samples: int | Literal["all"]
    neighbor_weights: str
    target_distance: str
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        n_neighbors: int | tuple[int, ...] = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        neighbor_weights: str = "rank",
        target_distance: str = "mean",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class Relief(MethodSelector):
    """Relief for two classes, with one nearest hit and one nearest miss per row.

    A feature's weight is the mean difference between a row and its nearest row of the other class
    (*miss*), minus the mean difference to its nearest row of the same class (*hit*). Differences
    are scaled to [0, 1] by the feature's range.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefF : Several neighbors and classes; more stable, the usual choice.
    ReliefE : One neighbor, several classes.

    References
    ----------
    K. Kira and L. A. Rendell. A practical approach to feature selection. Proceedings of the 9th
    International Workshop on Machine Learning, 249-256, 1992.

    Examples
    --------
    >>> from basrelief import Relief
    >>> X = [[0.0, 3.0], [0.1, 1.0], [1.0, 2.9], [0.9, 1.1]]
    >>> Relief().fit(X, ["a", "a", "b", "b"]).ranking_
    array([1, 2])
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class ReliefE(MethodSelector):
    """Relief for several classes: the nearest miss is the nearest row of any other class.

    Also known as Relief-E. Except for the misses, it is :class:`Relief`.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefF : Neighbors from every other class, weighted by the class priors.

    References
    ----------
    I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European Conference on
    Machine Learning, 171-182, 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ReliefE
    >>> X, y = load_wine(return_X_y=True)
    >>> ReliefE(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class ReliefF(MethodSelector):
    """ReliefF: features that separate near rows of different classes.

    For every row, the method finds the `n_neighbors` nearest rows of the same class (*hits*) and of
    each other class (*misses*). A feature's weight is the mean difference to the misses, weighted
    by the class priors, minus the mean difference to the hits. Differences are scaled to [0, 1] by
    the feature's range. Because distances use all features, features that matter only through
    interactions are found too.

    Parameters
    ----------
    n_neighbors : int or tuple of int, default=10
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    neighbor_weights : str, default="uniform"
        Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    RReliefF : For a numeric target.
    MyopicReliefF : Without neighbors; detects no interactions.

    Notes
    -----
    The time is proportional to rows ** 2 * n_features, or to n_samples * rows * n_features if
    `n_samples` is given; the memory in addition to the input is proportional to rows * n_neighbors
    * n_classes.

    References
    ----------
    I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European Conference on
    Machine Learning, 171-182, 1994.

    M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF.
    Machine Learning 53, 23-69, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import ReliefF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> y = np.where(X[:, 0] * X[:, 3] > 0, "same", "opposite")
    >>> selector = ReliefF(n_neighbors=10, n_features_to_select=2).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['x0', 'x3'], dtype=object)
    """

    n_neighbors: int | tuple[int, ...]
    n_samples: int | Literal["all"]
    neighbor_weights: str
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        n_neighbors: int | tuple[int, ...] = 10,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        neighbor_weights: str = "uniform",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class ReliefMargin(MethodSelector):
    """Relief as the solution of a margin problem: non-negative weights of unit length.

    The mean difference to the nearest misses (of any other class) minus that to the nearest hits is
    truncated at 0 and scaled to Euclidean length 1. If no feature has a positive mean, all weights
    are 0, with a warning.

    Parameters
    ----------
    n_neighbors : int, default=1
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], of unit Euclidean norm.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    ReliefE : The unscaled statistic, including negative values.

    References
    ----------
    Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International Conference on
    Data Mining, 188-195, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ReliefMargin
    >>> X, y = load_wine(return_X_y=True)
    >>> weights = ReliefMargin().fit(X, y).weights_
    >>> round(float((weights**2).sum()), 12)
    1.0
    """

    n_neighbors: int
    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class SCML(BaseMap):
    """Sparse compositional metric learning: few directions, from comparisons of distances.

    The metric is a sum of directions with nonnegative weights. The weights minimize the mean hinge
    loss of the comparisons plus a penalty on their sum; `objective_` is the proven optimum for
    these directions. `fit_triplets` and `fit_quadruplets` learn from comparisons instead of
    classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    n_neighbors : int, default=3
        Number of nearest neighbors per class: larger is more stable, smaller is more local.
    n_directions : int or "auto", default="auto"
        Number of directions drawn from the comparisons, of which the metric uses a few; auto: 20
        per feature, at most 100.
    regularization : float, default=1e-5
        Penalty on the sum of the weights of the directions: the larger, the fewer directions are
        used.
    max_iter : int, default=10000
        Maximum number of passes; if it is reached, a warning reports the distance to the optimum.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterationsan iteration is a pass over all comparisons.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    References
    ----------
    Y. Shi, A. Bellet and F. Sha. Sparse compositional metric learning. AAAI Conference on
    Artificial Intelligence, 2078-2084, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SCML
    >>> X, y = load_wine(return_X_y=True)
    >>> SCML(2, scale="standard").fit_transform(X, y).shape
    (178, 2)
    """

    n_neighbors: int
    n_directions: int | Literal["auto"]
    regularization: float
    max_iter: int
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        n_neighbors: int = 3,
        n_directions: int | Literal["auto"] = "auto",
        regularization: float = 1e-05,
        max_iter: int = 10000,
    ) -> None: ...

class SDML(BaseMap):
    """Sparse distance metric learning: the metric relates few pairs of features.

    The metric minimizes the LogDet divergence from a prior, plus a loss over pairs of rows that
    should be near or far apart, and a penalty on every entry between two features.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
    balance : float or "auto", default="auto"
        Weight of the mean over the pairs relative to the prior; auto: 0.5, or less if the problem
        would have no solution.
    sparsity : float, default=0.01
        Penalty on the metric's entries between features; larger values set more of them to 0.
    prior : {"identity", "covariance"}, default="identity"
        Metric to which the learned one stays close: Euclidean, or the inverse covariance of the
        rows.
    n_constraints : int or "auto" or "all", default="auto"
        Number of pairs of rows of the same class, and of different classes, drawn by the seed;
        auto: 20 times the squared number of classes.
    max_iter : int, default=1000
        Maximum number of steps; reaching it causes a warning.
    tol : float, default=1e-6
        Duality gap per feature at which to stop; it bounds the distance from the optimum.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.
    relative_gap_ : float
        Relative duality gap: a proven upper bound of the relative distance to the optimum.

    References
    ----------
    G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua and H.-J. Zhang. An efficient sparse metric learning in
    high-dimensional space via l1-penalized log-determinant regularization. International Conference
    on Machine Learning, 841-848, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SDML
    >>> X, y = load_wine(return_X_y=True)
    >>> SDML(scale="standard").fit_transform(X, y).shape
    (178, 13)
    """

    balance: float | Literal["auto"]
    sparsity: float
    prior: Literal["identity", "covariance"]
    n_constraints: int | Literal["auto", "all"]
    max_iter: int
    tol: float
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    relative_gap_: float
    def __init__(
        self,
        n_components: int | None = None,
        *,
        scale: Literal["none", "standard", "range"] = "none",
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        unlabeled: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        balance: float | Literal["auto"] = "auto",
        sparsity: float = 0.01,
        prior: Literal["identity", "covariance"] = "identity",
        n_constraints: int | Literal["auto", "all"] = "auto",
        max_iter: int = 1000,
        tol: float = 1e-06,
    ) -> None: ...

class SURF(MethodSelector):
    """SURF: ReliefF with all rows nearer than the mean distance as neighbors.

    There is no number of neighbors to choose. Classes and numeric targets are supported: for a
    numeric (continuous) `y`, the weights are those of :class:`RReliefF` over the near rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, for comparison: the radius of SURF
        includes the distance 0 of every row to itself, the misses of all classes have equal weight,
        missing values are excluded, numeric columns of mixed data count as 1 beyond their standard
        deviation, and rows are hits or misses also for a numeric target. Its errors are not
        reproduced. Missing values require ``missing="ignore"``, and genotype columns
        ``genotype_diff="categorical"``.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSURF : A radius for every row; usually better.

    References
    ----------
    C. S. Greene, N. M. Penrod, J. Kiralis and J. H. Moore. Spatially uniform ReliefF (SURF) for
    computationally-efficient filtering of gene-gene interactions. BioData Mining 2:5, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SURF
    >>> X, y = load_wine(return_X_y=True)
    >>> SURF(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    compat: Literal["skrebate"] | None
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
        compat: Literal["skrebate"] | None = None,
    ) -> None: ...

class SURFStar(MethodSelector):
    """SURF*: SURF in which far rows count with the opposite sign.

    Far rows are those farther than the mean distance of all pairs. They improve the detection of
    pure interactions of two features and weaken main effects.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, for comparison: the radius of SURF
        includes the distance 0 of every row to itself, the misses of all classes have equal weight,
        missing values are excluded, numeric columns of mixed data count as 1 beyond their standard
        deviation, and rows are hits or misses also for a numeric target. Its errors are not
        reproduced. Missing values require ``missing="ignore"``, and genotype columns
        ``genotype_diff="categorical"``.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-2, 2].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSURF : No far rows; detects main effects too.

    References
    ----------
    C. S. Greene, D. S. Himmelstein, J. Kiralis and J. H. Moore. The informative extremes: using
    both nearest and farthest individuals can improve Relief algorithms in the domain of human
    genetics. EvoBIO, 182-193, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SURFStar
    >>> X, y = load_wine(return_X_y=True)
    >>> SURFStar(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    compat: Literal["skrebate"] | None
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
        compat: Literal["skrebate"] | None = None,
    ) -> None: ...

class SWRF(MethodSelector):
    """SWRF: SURF with a smooth distance weight.

    Rows nearer than the mean distance of all pairs are neighbors. The weight of a neighbor is a
    sigmoid of its distance: 0 at the mean and near 1 for very near rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    SWRFStar : Also uses far rows.

    References
    ----------
    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SWRF
    >>> X, y = load_wine(return_X_y=True)
    >>> SWRF(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class SWRFStar(MethodSelector):
    """SWRF*: SURF* with a smooth distance weight.

    The weight of a row is a sigmoid of its distance, centered at the mean distance of all pairs: 0
    at the mean, near 1 for very near and near -1 for very far rows.

    Parameters
    ----------
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-2, 2].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    SURFStar : With a sharp radius instead.

    References
    ----------
    M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
    ranking genetic predictors of disease. BioData Mining 5:20, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import SWRFStar
    >>> X, y = load_wine(return_X_y=True)
    >>> SWRFStar(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    n_samples: int | Literal["all"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    plan_: dict
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class Simba(MethodSelector):
    """Simba: gradient ascent on the margin under the current weights.

    A stochastic gradient ascent with one row per step, repeated for several orders of the rows. The
    order with the largest mean utility of the margins is used.

    Parameters
    ----------
    utility : str, default="linear"
        Utility of a margin: the margin itself, or 1 / (1 + exp(-BETA margin)) with
        ``"sigmoid:BETA"``.
    steps : int or "all", default="all"
        Steps of the ascent, one row per step; ``"all"`` is the number of rows.
    restarts : int, default=5
        Number of row orders that are tried; the one with the largest mean utility is used.
    missing : {"expected", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [0, 1], scaled so that the largest is 1.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations.
    converged_ : bool or None
        Whether the iteration converged; None if the method has no convergence test.
    objective_ : float or None
        Final value of the objective.

    See Also
    --------
    IRelief : All rows at once, with probabilities instead of nearest rows.

    References
    ----------
    R. Gilad-Bachrach, A. Navot and N. Tishby. Margin based feature selection - theory and
    algorithms. International Conference on Machine Learning, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import Simba
    >>> X, y = load_wine(return_X_y=True)
    >>> Simba(n_features_to_select=5, random_state=0).fit_transform(X, y).shape
    (178, 5)
    """

    utility: str
    steps: int | Literal["all"]
    restarts: int
    missing: Literal["expected", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    classes_: NDArray[Any]
    n_iter_: int
    converged_: bool | None
    objective_: float | None
    def __init__(
        self,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        utility: str = "linear",
        steps: int | Literal["all"] = "all",
        restarts: int = 5,
        missing: Literal["expected", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class SurvivalRelief(MethodSelector):
    """RReliefF for survival times: features that differ where the times to an event differ.

    The target is the time to an event, or the time at which a row was censored: `y` is a structured
    array with a boolean field (whether the event occurred) and a field of times, as in
    scikit-survival, or an array of two columns, times and events (1 or 0).

    Two rows are compared by the product of their expected quantiles in the Kaplan-Meier estimate,
    centered.

    Parameters
    ----------
    n_neighbors : int or tuple of int, default=100
        Number of nearest neighbors per class (among all rows for a numeric target), at least 1:
        larger is more stable, smaller is more local. In a class with fewer rows, all rows are used,
        with a warning.
    n_samples : int or "all", default="all"
        Number of rows whose neighbors are used, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
    neighbor_weights : str, default="uniform"
        Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
    target_difference : {"quantiles", "times"}, default="quantiles"
        Compare two rows by the product of their centered quantiles, or by the absolute difference
        of their times.
    metric : {"manhattan", "euclidean", "canberra", "chebyshev"}, default="manhattan"
        Distance between rows: the sum of the differences of the features, the square root of the
        sum of their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest
        difference.
    ties : {"share", "first"}, default="share"
        Rows tied at the largest distance: all get tie weights, which is the mean over all orders of
        the rows, or the first rows of the table are used.
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: expected given the class, excluded, or the worst case.
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, and
        linearly in between; ``0 <= t_equal < t_different <= 1``.
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not).
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features, in [-1, 1].
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    neighbor_search_ : str
        How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result is
        the same.
    plan_ : dict
        How neighbors were found and differences summed, as shown by `basrelief rank --explain`: the
        `route`; descriptions of the `search`, of the treatment of `missing` values and of the
        `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and the
        reasons; the `fallback` from an abandoned route.

    See Also
    --------
    MultiSURF : Neighbors within a separate radius for each row; it accepts survival times too.

    References
    ----------
    M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF.
    Machine Learning 53, 23-69, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import SurvivalRelief
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 5))
    >>> times = rng.exponential(np.exp(-3 * X[:, 1]))
    >>> censored = rng.exponential(0.5, size=300)
    >>> y = np.zeros(300, dtype=[("event", bool), ("time", float)])
    >>> y["event"], y["time"] = times <= censored, np.minimum(times, censored)
    >>> int(SurvivalRelief().fit(X, y).ranking_.argmin())
    1
    """

    n_neighbors: int | tuple[int, ...]
    n_samples: int | Literal["all"]
    neighbor_weights: str
    target_difference: Literal["quantiles", "times"]
    metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"]
    ties: Literal["share", "first"]
    missing: Literal["expected", "ignore", "pessimistic"]
    ramp: tuple[float, float] | None
    genotype_diff: Literal["additive", "categorical"]
    neighbor_search_: str
    plan_: dict
    def __init__(
        self,
        n_neighbors: int | tuple[int, ...] = 100,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        categorical_features: ArrayLike | Literal["all"] | None = None,
        ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None,
        genotype_features: ArrayLike | Literal["all"] | None = None,
        blocks: dict[str, Any] | str | None = None,
        block_scale: Literal["size", "variance", "max"] = "size",
        target_type: Literal["auto", "classes", "real"] = "auto",
        target_tree: dict[Any, Any] | None = None,
        unlabeled: Any = None,
        n_samples: int | Literal["all"] = "all",
        neighbor_weights: str = "uniform",
        target_difference: Literal["quantiles", "times"] = "quantiles",
        metric: Literal["manhattan", "euclidean", "canberra", "chebyshev"] = "manhattan",
        ties: Literal["share", "first"] = "share",
        missing: Literal["expected", "ignore", "pessimistic"] = "expected",
        ramp: tuple[float, float] | None = None,
        genotype_diff: Literal["additive", "categorical"] = "additive",
    ) -> None: ...

class TuRF(BaseWrapper):
    """TuRF: repeatedly drops the worst features and scores the rest again.

    Among thousands of features, the neighbors are nearly random; with fewer noise features, they
    are nearer in the relevant ones. For hundreds to thousands of features.

    The weights are those of the last round. Dropped features are below them in the order of their
    rounds, in steps of 1 % of the last round's spread. These weights are ranks, not measurements;
    use `n_features_to_select` to select features.

    Parameters
    ----------
    estimator : selector or None, default=None
        The wrapped selector, which can be another wrapper; None is :class:`ReliefF`. It is not
        fitted itself: its parameters specify the method and its options, and which columns are
        categorical, ordinal or genotypes. For `n_jobs`, `random_state` and `verbose` the outermost
        value that is set applies. The outermost selector determines which features are selected.
    drop : float, default=0.1
        Fraction of the remaining features that each round drops, from 0 to 0.99, at least one
        feature.
    keep : int, default=50
        Number of features at which to stop, at least 1.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations: rounds in which features were dropped.

    See Also
    --------
    VLS : Random subsets of the features.

    References
    ----------
    J. H. Moore and B. C. White. Tuning ReliefF for genome-wide genetic analysis. EvoBIO, 166-175,
    2007.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import MultiSURF, TuRF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(400, 200)).astype(float)
    >>> y = X[:, 3] == X[:, 50]
    >>> turf = TuRF(MultiSURF(genotype_diff="categorical"), keep=20, n_features_to_select=2)
    >>> turf.fit(X, y).get_feature_names_out()
    array(['x3', 'x50'], dtype=object)
    """

    drop: float
    keep: int
    classes_: NDArray[Any]
    n_iter_: int
    def __init__(
        self,
        estimator: BaseReliefSelector | None = None,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        drop: float = 0.1,
        keep: int = 50,
    ) -> None: ...

class VLS(BaseWrapper):
    """VLS: repeatedly scores random subsets of the features.

    Each round divides the features at random into subsets of `size`, and scores every subset
    separately. A feature's weight is its largest or its mean weight over the rounds. Features that
    matter only through interactions must be in the same subset, which requires many rounds if
    subsets are small. For thousands of features and more.

    Parameters
    ----------
    estimator : selector or None, default=None
        The wrapped selector, which can be another wrapper; None is :class:`ReliefF`. It is not
        fitted itself: its parameters specify the method and its options, and which columns are
        categorical, ordinal or genotypes. For `n_jobs`, `random_state` and `verbose` the outermost
        value that is set applies. The outermost selector determines which features are selected.
    size : int, default=500
        Number of features in a random subset, at least 2.
    rounds : int, default=20
        How often the features are divided into random subsets; a pair of `p` features shares a
        subset in about ``rounds * size / p`` rounds.
    take : {"best", "mean"}, default="best"
        How to combine a feature's weights over the rounds: the largest, or the mean.
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weights of the features over the rounds.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Number of iterations: rounds of dividing the features into subsets.

    See Also
    --------
    TuRF : Drops the worst features round by round.

    References
    ----------
    M. J. Eppstein and P. Haake. Very large scale ReliefF for genome-wide association analysis. IEEE
    Symposium on Computational Intelligence in Bioinformatics and Computational Biology, 112-119,
    2008.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import VLS, ReliefF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(400, 200)).astype(float)
    >>> y = X[:, 3] == X[:, 50]
    >>> vls = VLS(ReliefF(genotype_diff="categorical"), size=50, rounds=30, random_state=0)
    >>> vls.set_params(n_features_to_select=2).fit(X, y).get_feature_names_out()
    array(['x3', 'x50'], dtype=object)
    """

    size: int
    rounds: int
    take: Literal["best", "mean"]
    classes_: NDArray[Any]
    n_iter_: int
    def __init__(
        self,
        estimator: BaseReliefSelector | None = None,
        *,
        n_features_to_select: float | Correction | None = None,
        threshold: float = 0.0,
        redundancy: str = "none",
        rank_by: Literal["weight", "absolute"] = "weight",
        n_permutations: int | str = 1000,
        alpha: float = 0.05,
        sided: Sided = "one",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        size: int = 500,
        rounds: int = 20,
        take: Literal["best", "mean"] = "best",
    ) -> None: ...
