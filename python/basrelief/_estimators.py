"""The selectors, one class per method of the library's registry."""

from __future__ import annotations

from sklearn.utils import ClassifierTags

from basrelief._base import BaseReliefSelector

__all__ = [
    "SURF",
    "DReliefF",
    "IRelief",
    "Lmba",
    "MultiSURF",
    "MultiSURFStar",
    "MyopicReliefF",
    "PDReliefF",
    "RReliefF",
    "Relief",
    "ReliefE",
    "ReliefF",
    "ReliefMargin",
    "SURFStar",
    "SWRFStar",
    "Simba",
]

# Blocks of documentation that several classes share; `_documented` puts them in.
_PARAMETERS = {
    "n_neighbors": """
    n_neighbors : int, default={n_neighbors}
        Nearest neighbours taken from each class (from all rows for a real target), at least 1.
        More are steadier, fewer are more local. A class with fewer rows gives all it has, with a
        warning.
""",
    "n_samples": """
    n_samples : int or "all", default="all"
        Rows whose neighbours are looked at, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
""",
    "neighbor_weights": """
    neighbor_weights : str, default="{neighbor_weights}"
        Weight of the neighbours: ``"uniform"``, or falling with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
""",
    "metric": """
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between rows: sum of the features' differences, or root of the sum of their
        squares.
""",
    "ties": """
    ties : {"share", "first"}, default="share"
        Rows equally far at the last place: all share it, which is the mean over all orders of the
        rows, or the first rows of the table win.
""",
    "missing": """
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: its expectation given the row's class, the feature left out
        of the pair, or the largest that the known value allows.
""",
    "ramp": """
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count 0, from `t_different` on 1, linear
        between; ``0 <= t_equal < t_different <= 1``.
""",
    "genotype_diff": """
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the number of allele copies that differ, or 0 and 1.
""",
    "compat": """
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, to compare with it: SURF's radius counts
        every row's distance 0 to itself, misses of all classes weigh the same, missing values are
        left out, numbers among categories count 1 beyond their standard deviation, and a real
        target counts as hit or miss. Its mistakes are not repeated. It needs ``missing="ignore"``
        where values are missing and ``genotype_diff="categorical"`` where columns are genotypes.
""",
    "exponent": """
    exponent : float, default=2.0
        How late the estimates come to count in the distance, above 0; greater is later.
""",
    "area_share": """
    area_share : float, default=1/3
        Share of plain distances over all visits: 0 is :class:`DReliefF`, 1 is :class:`ReliefF`.
""",
    "sigma": """
    sigma : float, default=1.0
        Width of the kernel over distances, above 0: small looks at the nearest rows only.
""",
    "max_iter": """
    max_iter : int, default=100
        Iterations at most; reaching it is a warning.
""",
    "tol": """
    tol : float, default=1e-6
        Change of the weights below which the iteration has converged, above 0.
""",
    "mode": """
    mode : {"batch", "online"}, default="batch"
        All rows at once, or one after the other in an order drawn by `random_state`.
""",
    "outliers": """
    outliers : bool, default=True
        Whether rows count by the probability that they are no outliers, or all alike.
""",
    "squared": """
    squared : bool, default=False
        Whether the features' differences are squared.
""",
    "utility": """
    utility : str, default="linear"
        What a margin is worth: itself, or with ``"sigmoid:BETA"`` 1 / (1 + exp(-BETA margin)).
""",
    "steps": """
    steps : int or "all", default="all"
        Steps of the ascent, a row each; ``"all"`` is as many as there are rows.
""",
    "restarts": """
    restarts : int, default=5
        Orders of the rows that are tried; the greatest margin wins.
""",
    "C": """
    C : float, default=1.0
        Weight of the margins against the pull of the nearest hits, from 1e-9 to 1e9.
""",
    "n_bins": """
    n_bins : int, default=10
        Equal-frequency bins that a numeric column is cut into, at least 2.
""",
}

_COMMON_PARAMETERS = """
    n_features_to_select : int, float or None, default=None
        How many features `transform` keeps: a number, a share in (0, 1], or with None all whose
        weight is above `threshold`.
    threshold : float, default=0.0
        Weight above which a feature is kept while `n_features_to_select` is None.
    categorical_features : None, "all" or array-like, default=None
        Which columns are categories, whose difference is 0 or 1: names, indices or a boolean mask.
        With None it is those of categorical, string or boolean type.
    genotype_features : None, "all" or array-like, default=None
        Which columns are genotypes of 0, 1 or 2 copies of an allele. With None it is those whose
        known values are exactly 0, 1 and 2; their additive difference equals the numeric one.
    n_jobs : int or None, default=None
        Threads; None means 1 (unless in a joblib context) and -1 all cores. The weights do not
        depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the sampled rows; a number gives the rows that the command line's ``--seed`` gives.
    verbose : int, default=0
        Whether to write progress to standard error.
"""

_ATTRIBUTES = """
    weights_ : ndarray of shape (n_features,)
        Weights of the features{range}.
    feature_importances_ : ndarray of shape (n_features,)
        The same, under the name that scikit-learn's tools look for.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature; 1 is the greatest weight, equal weights share a rank.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        What to know about the result; also raised as :class:`basrelief.ReliefWarning`.
"""

_ITERATES = """
    n_iter_ : int
        Iterations done.
    converged_ : bool or None
        Whether the iteration converged; None where the method has no such test.
    objective_ : float or None
        Final value of the objective.
"""

_CLASSES = """
    classes_ : ndarray of shape (n_classes,)
        The class labels{only}.
"""


def _documented(**defaults):
    """Replace `{parameters}` and `{attributes}` in a class's docstring by the shared blocks."""

    def decorate(cls):
        values = {
            "n_neighbors": "10",
            "neighbor_weights": "uniform",
            "range": ", in [-1, 1]",
            "only": "",
        }
        values.update(defaults)

        def fill(block):
            for name, value in values.items():
                block = block.replace("{" + name + "}", value)
            return block.strip("\n")

        own = [fill(_PARAMETERS[name]) for name in cls._options]
        parameters = "\n".join([*own, fill(_COMMON_PARAMETERS)])
        blocks = _ATTRIBUTES + ("" if cls._method == "rrelieff" else _CLASSES[1:])
        attributes = fill(blocks + (_ITERATES[1:] if cls._iterates else ""))
        # Python run with -OO has no docstrings.
        if cls.__doc__ is not None:
            cls.__doc__ = cls.__doc__.replace("    {parameters}", parameters).replace(
                "    {attributes}", attributes
            )
        return cls

    return decorate


@_documented()
class Relief(BaseReliefSelector):
    """Relief for two classes, with one nearest hit and one nearest miss per row.

    A feature's weight is the mean difference between a row and its nearest row of the other
    class (*miss*), less the mean difference to its nearest row of the same class (*hit*).
    Differences are scaled to [0, 1] by the feature's range.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefF : Several neighbours and classes; steadier, the usual choice.
    ReliefE : One neighbour, several classes.

    References
    ----------
    K. Kira and L. A. Rendell. A practical approach to feature selection. Proceedings of the
    9th International Workshop on Machine Learning, 249-256, 1992.

    Examples
    --------
    >>> from basrelief import Relief
    >>> X = [[0.0, 3.0], [0.1, 1.0], [1.0, 2.9], [0.9, 1.1]]
    >>> Relief().fit(X, ["a", "a", "b", "b"]).ranking_
    array([1, 2])
    """

    _method = "relief"
    _options = (
        "n_samples",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        *,
        n_samples="all",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_samples = n_samples
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # No classifier, but like one that takes two classes only.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


@_documented()
class ReliefE(BaseReliefSelector):
    """Relief for several classes: the nearest miss is the nearest row of any other class.

    Known as Relief-E. Otherwise as :class:`Relief`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefF : Neighbours from every other class, weighted by the classes' shares.

    References
    ----------
    I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European Conference
    on Machine Learning, 171-182, 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ReliefE
    >>> X, y = load_wine(return_X_y=True)
    >>> ReliefE(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    _method = "relief-e"
    _options = (
        "n_samples",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        *,
        n_samples="all",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_samples = n_samples
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented()
class ReliefF(BaseReliefSelector):
    """ReliefF: features that tell near rows of different classes apart.

    For every row, the `n_neighbors` nearest rows of its own class (*hits*) and of each other
    class (*misses*) are sought. A feature's weight is the mean difference to the misses, weighted
    by the classes' shares, less the mean difference to the hits. Differences are scaled to [0, 1]
    by the feature's range. Because neighbours are sought with all features, a feature that
    matters only together with others is found too.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    RReliefF : For a real target.
    MyopicReliefF : Without neighbours; sees no interactions.

    Notes
    -----
    Takes time in proportion to n_samples * rows * n_features; memory beside the input is in
    proportion to rows * n_neighbors * n_classes.

    References
    ----------
    I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European Conference
    on Machine Learning, 171-182, 1994.

    M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and
    RReliefF. Machine Learning 53, 23-69, 2003.

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

    _method = "relieff"
    _options = (
        "n_neighbors",
        "n_samples",
        "neighbor_weights",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        n_neighbors=10,
        *,
        n_samples="all",
        neighbor_weights="uniform",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.neighbor_weights = neighbor_weights
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(neighbor_weights="rank")
class RReliefF(BaseReliefSelector):
    """RReliefF: features that differ where a real target differs, between near rows.

    For every row, the `n_neighbors` nearest rows are sought. The weight compares the probability
    that a feature differs between neighbours whose targets differ with the probability that it
    differs between neighbours whose targets are alike.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefF : For classes.

    References
    ----------
    M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and
    RReliefF. Machine Learning 53, 23-69, 2003.

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

    _method = "rrelieff"
    _options = (
        "n_neighbors",
        "n_samples",
        "neighbor_weights",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        n_neighbors=10,
        *,
        n_samples="all",
        neighbor_weights="rank",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.neighbor_weights = neighbor_weights
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented()
class MyopicReliefF(BaseReliefSelector):
    """Myopic ReliefF: the limit of ReliefF when every row is a neighbour, in closed form.

    A variant of the Gini gain; needs one look at each feature and sees no interactions. Numeric
    columns are first cut into bins of equal frequency.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefF : Looks at near rows only, and so sees interactions.

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

    _method = "myopic"
    _options = ("n_bins",)

    def __init__(
        self,
        n_bins=10,
        *,
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(n_neighbors="1", range=", non-negative, of Euclidean length 1")
class ReliefMargin(BaseReliefSelector):
    """Relief as the solution of a margin problem: non-negative weights of unit length.

    The mean difference to the nearest misses (of any other class) less that to the nearest hits
    is cut at 0 and scaled to Euclidean length 1. If no feature has a positive mean, all weights
    are 0, with a warning.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefE : The same statistic as it is, negative values included.

    References
    ----------
    Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International Conference
    on Data Mining, 188-195, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import ReliefMargin
    >>> X, y = load_wine(return_X_y=True)
    >>> weights = ReliefMargin().fit(X, y).weights_
    >>> round(float((weights**2).sum()), 12)
    1.0
    """

    _method = "relief-margin"
    _options = (
        "n_neighbors",
        "n_samples",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        n_neighbors=1,
        *,
        n_samples="all",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class _RadiusSelector(BaseReliefSelector):
    """The parameters of all methods whose neighbours are chosen by distance."""

    _options = ("n_samples", "metric", "missing", "ramp", "genotype_diff", "compat")

    def __init__(
        self,
        *,
        n_samples="all",
        metric="manhattan",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        compat=None,
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_samples = n_samples
        self.metric = metric
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.compat = compat
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


_NEAR = ", in [-1, 1]"
_NEAR_AND_FAR = ", in [-2, 2]"
_FOR_CLASSES = "; not for a real target"


@_documented(range=_NEAR, only=_FOR_CLASSES)
class SURF(_RadiusSelector):
    """SURF: as ReliefF, with all rows nearer than the mean distance as neighbours.

    There is no number of neighbours to choose. Classes and real targets are both taken: for a
    real (continuous) `y` the weights are those of :class:`RReliefF` over the near rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "surf"


@_documented(range=_NEAR_AND_FAR, only=_FOR_CLASSES)
class SURFStar(_RadiusSelector):
    """SURF*: SURF, with rows farther than the mean distance counting the other way.

    Sharpens pure interactions of two features; blurs what a feature tells by itself.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    MultiSURF : No far rows; sees main effects too.

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

    _method = "surf*"


@_documented(range=_NEAR, only=_FOR_CLASSES)
class MultiSURF(_RadiusSelector):
    """MultiSURF: neighbours within a radius of each row's own.

    The neighbours of a row are all rows nearer than its mean distance less half its standard
    deviation. Nothing to tune, and good on main effects and interactions alike. Classes and real
    targets are both taken.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefF : A fixed number of neighbours; faster, more local.

    References
    ----------
    R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker and J. H. Moore. Benchmarking
    Relief-based feature selection methods for bioinformatics data mining. Journal of Biomedical
    Informatics 85, 168-188, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import MultiSURF
    >>> X, y = load_wine(return_X_y=True)
    >>> MultiSURF(n_features_to_select=5).fit_transform(X, y).shape
    (178, 5)
    """

    _method = "multisurf"


@_documented(range=_NEAR_AND_FAR, only=_FOR_CLASSES)
class MultiSURFStar(_RadiusSelector):
    """MultiSURF*: MultiSURF, with far rows counting by their similarity.

    Rows farther than a row's mean distance plus half its standard deviation add their similarity
    (one less the difference) if they are misses and subtract it if they are hits.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    MultiSURF : No far rows; sees main effects too.

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

    _method = "multisurf*"


@_documented(range=_NEAR_AND_FAR, only=_FOR_CLASSES)
class SWRFStar(_RadiusSelector):
    """SWRF*: SURF*, with a smooth weight by distance.

    A row counts by a sigmoid of its distance, steep at the mean distance of all pairs: nothing
    there, fully when very near and, the other way, when very far.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    SURFStar : The same with a sharp radius.

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

    _method = "swrf*"


@_documented(range=", in [-1, 1]")
class DReliefF(BaseReliefSelector):
    """Double ReliefF: neighbours are sought with the weights found so far.

    Rows are visited one by one in an order drawn by `random_state`; each one's neighbours are
    those where features count by their weights from the rows before. Many irrelevant features
    disturb the neighbours less. The result depends on the order.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    PDReliefF : Trusts the estimates little by little; steadier on few rows.

    References
    ----------
    G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical
    report, Technical University of Catalonia, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import DReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> DReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape
    (178, 5)
    """

    _method = "drelieff"
    _options = (
        "n_neighbors",
        "n_samples",
        "neighbor_weights",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        *,
        n_neighbors=10,
        n_samples="all",
        neighbor_weights="uniform",
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.neighbor_weights = neighbor_weights
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(range=", in [-1, 1]")
class PDReliefF(BaseReliefSelector):
    """Progressive double ReliefF: the weights found so far come to count little by little.

    Starts as :class:`ReliefF` and ends as :class:`DReliefF`; `area_share` says how much of the
    way is plain.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DReliefF : Trusts the estimates from the first row on.

    References
    ----------
    G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical
    report, Technical University of Catalonia, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import PDReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> PDReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape
    (178, 5)
    """

    _method = "pdrelieff"
    _options = (
        "n_neighbors",
        "n_samples",
        "neighbor_weights",
        "exponent",
        "area_share",
        "metric",
        "ties",
        "missing",
        "ramp",
        "genotype_diff",
    )

    def __init__(
        self,
        *,
        n_neighbors=10,
        n_samples="all",
        neighbor_weights="uniform",
        exponent=2.0,
        area_share=1 / 3,
        metric="manhattan",
        ties="share",
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.neighbor_weights = neighbor_weights
        self.exponent = exponent
        self.area_share = area_share
        self.metric = metric
        self.ties = ties
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(range=", in [0, 1], of unit Euclidean norm")
class IRelief(BaseReliefSelector):
    """Iterative Relief: every row is a neighbour by its probability in the weighted space.

    Weights give distances, distances give probabilities of being the nearest hit or miss, these
    give margins, and the positive margins give weights, until they no longer change.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefMargin : One step of it, with the nearest rows themselves.

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

    _method = "irelief"
    _options = (
        "sigma",
        "max_iter",
        "tol",
        "mode",
        "outliers",
        "squared",
        "missing",
        "ramp",
        "genotype_diff",
    )
    _iterates = True

    def __init__(
        self,
        *,
        sigma=1.0,
        max_iter=100,
        tol=1e-6,
        mode="batch",
        outliers=True,
        squared=False,
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol
        self.mode = mode
        self.outliers = outliers
        self.squared = squared
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(range=", in [0, 1], the greatest 1")
class Simba(BaseReliefSelector):
    """Simba: climbs the margin of the nearest neighbours under its own weights.

    A stochastic gradient ascent, one row a step, from several orders of the rows; the order with
    the greatest mean margin wins.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    IRelief : All rows at once, with probabilities in place of nearest rows.

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

    _method = "simba"
    _options = (
        "utility",
        "steps",
        "restarts",
        "missing",
        "ramp",
        "genotype_diff",
    )
    _iterates = True

    def __init__(
        self,
        *,
        utility="linear",
        steps="all",
        restarts=5,
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.utility = utility
        self.steps = steps
        self.restarts = restarts
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


@_documented(range=", in [0, 1], the greatest 1")
class Lmba(BaseReliefSelector):
    """Lmba: pulls the nearest hit near and keeps the nearest miss a margin away.

    Gradient steps on the hinge loss of every row's nearest hit and miss, sought in the weighted
    space.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    ReliefMargin : One look at the nearest rows, in closed form.

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

    _method = "lmba"
    _options = (
        "C",
        "max_iter",
        "tol",
        "missing",
        "ramp",
        "genotype_diff",
    )
    _iterates = True

    def __init__(
        self,
        *,
        C=1.0,
        max_iter=100,
        tol=1e-6,
        missing="expected",
        ramp=None,
        genotype_diff="additive",
        n_features_to_select=None,
        threshold=0.0,
        categorical_features=None,
        genotype_features=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.missing = missing
        self.ramp = ramp
        self.genotype_diff = genotype_diff
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.genotype_features = genotype_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
