"""The selectors, one class per method of the library's registry."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from sklearn.utils import ClassifierTags

from basrelief._base import MethodSelector
from basrelief._documentation import selector

if TYPE_CHECKING:
    from typing import Literal

__all__ = [
    "DLMNN",
    "MDM",
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

# What the docstrings say of the weights' range and of `classes_`, and what an iteration reports.
_FAR = ", in [-2, 2]"
_FOR_CLASSES = "; not for a real target"
_ITERATION = ("n_iter_", "converged_", "objective_")


@selector()
class _Differences(MethodSelector):
    """How two rows differ."""

    missing: Literal["expected", "ignore", "pessimistic"] = "expected"
    ramp: tuple[float, float] | None = None
    genotype_diff: Literal["additive", "categorical"] = "additive"


@selector()
class _Rows(_Differences):
    """Neighbours in the space of all features, of some rows or all."""

    n_samples: int | Literal["all"] = "all"
    metric: Literal["manhattan", "euclidean"] = "manhattan"


@selector()
class _RowsWithinRadius(_Rows):
    """All rows within a radius."""

    compat: Literal["skrebate"] | None = None


@selector()
class _NearestRows(_Rows):
    """The nearest row."""

    ties: Literal["share", "first"] = "share"


@selector()
class _SeveralRows(_NearestRows):
    """Several nearest rows."""

    n_neighbors: int = field(default=10, kw_only=False)


@selector()
class _RankedRows(_SeveralRows):
    """Several nearest rows that may count by their rank."""

    neighbor_weights: str = "uniform"


@selector()
class Relief(_NearestRows):
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
    _reports = ("neighbor_search_",)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # No classifier, but like one that takes two classes only.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


@selector()
class ReliefE(_NearestRows):
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
    _reports = ("neighbor_search_",)


@selector()
class ReliefF(_RankedRows):
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
    _reports = ("neighbor_search_",)


@selector()
class RReliefF(_RankedRows):
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
    _reports = ("neighbor_search_",)

    neighbor_weights: str = "rank"


@selector()
class MyopicReliefF(MethodSelector):
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

    n_bins: int = field(default=10, kw_only=False)


@selector(range=", non-negative, of Euclidean length 1")
class ReliefMargin(_SeveralRows):
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
    _reports = ("neighbor_search_",)

    n_neighbors: int = field(default=1, kw_only=False)


@selector(only=_FOR_CLASSES)
class SURF(_RowsWithinRadius):
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


@selector(range=_FAR, only=_FOR_CLASSES)
class SURFStar(_RowsWithinRadius):
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


@selector(only=_FOR_CLASSES)
class MultiSURF(_RowsWithinRadius):
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


@selector(range=_FAR, only=_FOR_CLASSES)
class MultiSURFStar(_RowsWithinRadius):
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


@selector(range=_FAR, only=_FOR_CLASSES)
class SWRFStar(_RowsWithinRadius):
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


@selector()
class DReliefF(_RankedRows):
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


@selector()
class PDReliefF(_RankedRows):
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

    exponent: float = 2.0
    area_share: float = 1 / 3


@selector(range=", in [0, 1], of unit Euclidean norm")
class IRelief(_Differences):
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
    _reports = _ITERATION

    sigma: float = 1.0
    max_iter: int = 100
    tol: float = 1e-6
    mode: Literal["batch", "online"] = "batch"
    outliers: bool = True
    squared: bool = False


@selector(range=", in [0, 1], the greatest 1")
class Simba(_Differences):
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
    _reports = _ITERATION

    utility: str = "linear"
    steps: int | Literal["all"] = "all"
    restarts: int = 5


@selector(range=", in [0, 1], the greatest 1")
class Lmba(_Differences):
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
    _reports = _ITERATION

    C: float = 1.0
    max_iter: int = 100
    tol: float = 1e-6


@selector(range=", in [0, 1], the greatest 1", iterations=": passes over all triples")
class DLMNN(MethodSelector):
    """Large-margin nearest neighbours with a diagonal metric (D-LMNN).

    Every row pulls its nearest rows of the same class and keeps rows of other classes a margin
    farther away than these. The weights solve a linear program over all such triples, and its
    optimum is proven. Distances under the weights are ``sqrt(sum(weights_ * difference**2))`` with
    every difference over its column's range. Missing values are an error.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    MDM : Does not depend on the columns' scales.
    Lmba : Looks at the nearest rows in the space of its weights, and takes missing values.

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

    _method = "d-lmnn"
    _reports = (*_ITERATION, "relative_gap_")

    n_neighbors: int = field(default=3, kw_only=False)
    mu: float = 0.5
    max_iter: int = 10_000


@selector(
    range=", in [0, 1], the greatest 1",
    iterations=": rounds, or passes over all pairs where violations are paid for",
)
class MDM(MethodSelector):
    """Maximum Distance Minimization: a metric that holds classes together and apart.

    The weights make the greatest squared distance within a class as small as it can be against
    the smallest between classes, so that they do not depend on the columns' scales. They solve a
    linear program over all pairs of rows, and its optimum is proven. Distances under the weights
    are ``sqrt(sum(weights_ * difference**2))`` with every difference over its column's range.
    Missing values are an error.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    Lmba : Looks at nearest rows instead of the extreme ones.

    Notes
    -----
    Strong duality makes the default `slack` harmless: the multipliers of the pairs of different
    classes sum to the objective, so that none reaches a price above it and no pair pays.

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

    _method = "mdm"
    _reports = (*_ITERATION, "n_constraints_", "relative_gap_")

    slack: float | None = 1000.0
