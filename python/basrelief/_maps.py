"""The transformers, one class per method of the library's registry that learns a map."""

from __future__ import annotations

import sys
import warnings
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief import _native
from basrelief._base import ReliefWarning, _option_text, _Printer, _seed, _threads
from basrelief._documentation import transformer
from basrelief._validation import plain, read_classes, read_features

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

__all__ = [
    "DANN",
    "LDA",
    "LDM",
    "LFDA",
    "LFE",
    "LMNN",
    "MFA",
    "NCA",
    "PCA",
    "RCA",
    "Euclidean",
    "GIRelief",
    "ORelief",
]

# Attributes that some methods have after a fit, and what the library's report calls them.
_REPORTED = {
    "n_iter_": "iterations",
    "converged_": "converged",
    "objective_": "objective",
    "relative_gap_": "relative_gap",
    "ridge_": "ridge",
    "discriminant_power_": "discriminant_power",
}


class MapMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What linear and kernel maps share: the fit, and what is told of it."""

    # What of the fit's report becomes an attribute: keys of `_REPORTED`.
    _reports: ClassVar[tuple[str, ...]] = ()

    def _method_estimator(self):
        """Give the estimator whose parameters say what is learned."""
        return self

    def _uses_classes(self):
        """Whether classes are of use to a method that does not need them."""
        return False

    def fit(self, X, y=None):
        """Learn the map.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Complete numeric features.
        y : array-like of shape (n_samples,)
            Class labels; methods without classes ignore them.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        method = self._method_estimator()
        name = method._method
        supervised = _is_supervised(method) or (y is not None and self._uses_classes())
        features, y = read_features(self, X, y if supervised else None, None, None)
        target, classes = read_classes(y) if supervised else (None, None)
        result = _native.fit_map(
            name,
            features.values,
            features.names,
            features.kinds,
            target,
            self._option_texts(),
            seed=_seed(method.random_state),
            threads=_threads(method.n_jobs),
            progress=_Printer(name) if method.verbose else None,
        )
        self._keep(result)
        self.n_components_ = len(self.components_)
        self.eigenvalues_ = result["eigenvalues"] if len(result["eigenvalues"]) else None
        self.rank_ = result["rank"]
        for attribute in self._reports:
            setattr(self, attribute, result[_REPORTED[attribute]])
        # A fit before this one may have been to classes.
        vars(self).pop("classes_", None)
        if supervised:
            self.classes_ = classes
        self.warnings_ = [message for _, message in result["warnings"]]
        if method.verbose:
            print(f"{name}: done in {result['seconds']:.2f} s", file=sys.stderr)
        for message in self.warnings_:
            warnings.warn(message, ReliefWarning, stacklevel=2)
        return self

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = _is_supervised(self._method_estimator())
        return tags

    def _numbers(self, X):
        """Check rows to be mapped against those of the fit."""
        check_is_fitted(self)
        return validate_data(self, plain(X), reset=False, dtype=np.float64, order="C")


@transformer()
class BaseMap(MapMixin, BaseEstimator):
    """Shared half of all transformers that learn a linear map."""

    # Name in the library's registry.
    _method: ClassVar[str]

    n_components: int | None = field(default=None, kw_only=False)
    scale: Literal["none", "standard", "range"] = "none"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    @classmethod
    def _entry(cls):
        """Look the method up in the library's registry (see :func:`basrelief.map_methods`)."""
        return _map_methods()[cls._method]

    def _keep(self, result):
        self.mean_ = result["mean"]
        self.components_ = result["components"]

    def transform(self, X):
        """Map rows to the components.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Complete numeric features, the columns of the fit.

        Returns
        -------
        X_mapped : array of shape (n_samples, n_components)
            The coordinates; Euclidean distances between them are the learned metric.
        """
        rows = self._numbers(X)
        # Arrays of their own, as users may have put others there.
        return _native.linear_transform(
            np.ascontiguousarray(self.mean_, dtype=np.float64),
            np.ascontiguousarray(self.components_, dtype=np.float64),
            rows,
            _threads(self.n_jobs),
        )

    def get_mahalanobis_matrix(self):
        """Compute the metric's matrix.

        Returns
        -------
        M : ndarray of shape (n_features, n_features)
            ``components_.T @ components_``: the squared distance of two rows is
            ``(a - b) @ M @ (a - b)``.
        """
        check_is_fitted(self)
        return self.components_.T @ self.components_

    def get_metric(self) -> Callable[[np.ndarray, np.ndarray], float]:
        """Give the learned distance as a function, for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            Takes two rows and returns their distance.
        """
        check_is_fitted(self)
        components = self.components_

        def distance(a, b):
            return float(np.linalg.norm(components @ (np.asarray(a) - np.asarray(b))))

        return distance

    def _option_texts(self):
        """Pairs of option and value, written as on the command line, where values are checked."""
        names = [option["name"] for option in self._entry()["options"]]
        given = [(name, getattr(self, name)) for name in names if hasattr(self, name)]
        return [
            (name, "all" if name == "n_components" and value is None else _option_text(value))
            for name, value in given
        ]


def _is_supervised(method):
    """Whether a method needs classes; weighting methods do."""
    return method._entry().get("supervised", True)


@cache
def _map_methods():
    """List the registry's map methods by name, once."""
    return {method["name"]: method for method in _native.map_methods()}


@transformer()
class Euclidean(BaseMap):
    """The features as they are: what every learned metric is compared with.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import Euclidean
    >>> X, y = load_wine(return_X_y=True)
    >>> Euclidean(scale="range").fit_transform(X).shape
    (178, 13)
    """

    _method = "euclidean"


@transformer()
class PCA(BaseMap):
    """Principal component analysis: the directions of greatest variance.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import PCA
    >>> X, y = load_wine(return_X_y=True)
    >>> PCA(2, scale="standard").fit_transform(X).shape
    (178, 2)
    """

    _method = "pca"


@transformer()
class LDA(BaseMap):
    """Linear discriminant analysis: the directions that part the class means best.

    The pooled covariance within the classes becomes the identity. There are at most as many
    components as classes less one.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LDA().fit_transform(X, y).shape
    (178, 2)
    """

    _method = "lda"
    _reports = ("ridge_",)

    ridge: float | Literal["auto"] = "auto"


@transformer()
class RCA(BaseMap):
    """Relevant component analysis: discounts directions in which rows of a class differ.

    The metric is the inverse of the mean covariance within the classes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "rca"
    _reports = ("ridge_",)

    ridge: float | Literal["auto"] = "auto"


@transformer()
class DANN(BaseMap):
    """Discriminant adaptive nearest neighbours: where classes differ within neighbourhoods.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "dann"
    _reports = ("ridge_",)

    n_neighbors: int | Literal["auto"] = "auto"
    sphering: Literal["within", "none"] = "within"
    ridge: float | Literal["auto"] = "auto"


@transformer()
class LFDA(BaseMap):
    """Local Fisher discriminant analysis: for classes of several clusters.

    As :class:`LDA`, but rows of a class that are far from each other need not come near.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "lfda"
    _reports = ("ridge_",)

    n_neighbors: int = 7
    embedding: Literal["weighted", "plain", "orthonormal"] = "weighted"
    ridge: float | Literal["auto"] = "auto"


@transformer()
class MFA(BaseMap):
    """Marginal Fisher analysis: parts the rows at the borders of the classes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "mfa"
    _reports = ("ridge_",)

    n_neighbors: int = 5
    n_pairs: int = 20
    ridge: float | Literal["auto"] = "auto"


@transformer()
class LFE(BaseMap):
    """Local feature extraction: directions of large nearest-neighbour margins.

    Relief for rotated features: the directions in which rows are farther from their nearest rows
    of other classes than from those of their own class. More features than rows cost little.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International Conference
    on Data Mining, 188-195, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from basrelief import LFE
    >>> X, y = load_wine(return_X_y=True)
    >>> LFE(2, scale="range").fit_transform(X, y).shape
    (178, 2)
    """

    _method = "lfe"
    _reports = ("discriminant_power_",)

    n_neighbors: int = 1
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    ties: Literal["share", "first"] = "share"
    form: Literal["auto", "direct", "fast"] = "auto"


@transformer()
class ORelief(BaseMap):
    """O-RELIEF: Relief weights of the principal axes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "o-relief"

    n_neighbors: int = 1
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    ties: Literal["share", "first"] = "share"


@transformer(iterations=", each one look at all pairs of rows")
class GIRelief(BaseMap):
    """Generalised I-RELIEF: a metric and the neighbours in it, found in turn.

    Neighbours are soft and sought in the space of the map itself; the map consists of the
    directions in which misses lie farther than hits.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    LFE : Neighbours in the original space, in closed form.

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

    _method = "gi-relief"
    _reports = ("n_iter_", "converged_", "objective_", "ridge_")

    form: Literal["auto", "direct", "accelerated", "linearised"] = "auto"
    sigma_neighbors: int = 7
    sigma_offset: float = 0.0
    init: Literal["auto", "identity", "whiten"] = "auto"
    max_iter: int = 30
    tol: float = 1e-4
    ridge: float = 1e-6
    keep_best: bool = True


@transformer()
class NCA(BaseMap):
    """Neighbourhood components analysis: the probability of a neighbour of the right class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "nca"
    _reports = ("n_iter_", "converged_", "objective_")

    objective: Literal["sum", "log"] = "sum"
    init: Literal["auto", "pca", "lda", "identity"] = "auto"
    max_iter: int = 50
    tol: float = 1e-6


@transformer()
class LDM(BaseMap):
    """Local distance metric: principal axes weighted by how well they hold classes together.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    _method = "ldm"
    _reports = ("n_iter_", "converged_", "objective_")

    max_iter: int = 100
    tol: float = 1e-6


@transformer()
class LMNN(BaseMap):
    """Large-margin nearest neighbours: rows of other classes a margin farther than near rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DLMNN : The same with a weight per feature, its optimum proven.

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

    _method = "lmnn"
    _reports = ("n_iter_", "converged_", "objective_", "relative_gap_")

    n_neighbors: int = 3
    mu: float = 0.5
    init: Literal["auto", "identity", "pca", "lda"] = "auto"
    solver: Literal["low-rank", "convex"] = "low-rank"
    max_iter: int = 1000
    tol: float = 1e-5
