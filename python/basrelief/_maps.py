"""The transformers, one class per method of the library's registry that learns a map."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from basrelief import _native
from basrelief._base import ReliefWarning, _Printer, _seed, _threads, option_text
from basrelief._classes import make_classes
from basrelief._documentation import MAPS, REPORTS, Family
from basrelief._genotypes import GenotypeMatrix, require_variants_of_fit
from basrelief._pages import PageMixin, PastFit, require_same_data, told_of_fit
from basrelief._validation import plain, read_classes, read_features

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from basrelief._native import Description

__all__ = ["CLASSES", "BaseMap", "MapMixin"]


# What of a fit's result a page shows: the map, and how it was found.
_TOLD = (
    "mean",
    "components",
    "diagonal",
    "eigenvalues",
    "discriminant_power",
    "kernel",
    "units",
    "basis",
    "offset",
    "iterations",
    "converged",
    "objective",
    "rank",
    "ridge",
)


@dataclass(frozen=True)
class MapProblem:
    """What a map is learned from, as the compiled half takes it."""

    name: str
    """The method's."""
    n_samples: int
    n_features: int
    arguments: tuple
    settings: dict
    classes: np.ndarray | None


class MapMixin(PageMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What linear and kernel maps share: the fit, and what is told of it."""

    # What of the fit's report becomes an attribute: keys of `REPORTS`.
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
        supervised = _is_supervised(method) or (y is not None and self._uses_classes())
        problem = self._read(X, y if supervised else None)
        result = _native.fit_map(*problem.arguments, **problem.settings)
        self._keep(result)
        self.eigenvalues_ = result["eigenvalues"] if len(result["eigenvalues"]) else None
        self.rank_ = result["rank"]
        for attribute in self._reports:
            setattr(self, attribute, result[REPORTS[attribute].field])
        # A fit before this one may have been to classes.
        vars(self).pop("classes_", None)
        if supervised:
            self.classes_ = problem.classes
        self.warnings_ = [message for _, message in result["warnings"]]
        self._past_fit = PastFit(
            clone(self),
            seed=problem.settings["seed"],
            n_samples=problem.n_samples,
            told={key: result.get(key) for key in _TOLD},
        )
        if method.verbose:
            print(f"{problem.name}: done in {result['seconds']:.2f} s", file=sys.stderr)
        for message in self.warnings_:
            warnings.warn(message, ReliefWarning, stacklevel=2)
        return self

    def _read(self, X, y):
        """Read the data as for a fit, which sets the attributes that tell of them."""
        method = self._method_estimator()
        name = method._entry["name"]
        features, y = read_features(self, X, y, None, None)
        target, classes = (None, None) if y is None else read_classes(y)
        return MapProblem(
            name=name,
            n_samples=features.n_samples,
            n_features=len(features.names),
            arguments=(
                name,
                features.values,
                features.names,
                features.kinds,
                target,
                self._option_texts(),
            ),
            settings={
                "seed": _seed(method.random_state),
                "threads": _threads(method.n_jobs),
                "progress": _Printer(name) if method.verbose else None,
            },
            classes=classes,
        )

    def _seeded(self, seed):
        """Give an unfitted copy that draws by this seed."""
        return clone(self).set_params(random_state=seed)

    def _page(self, X, y, data_name, file, force):
        """Make the page of ``basrelief fit --report``, and write it where there is a file."""
        check_is_fitted(self)
        past = self._past_fit
        again = past.estimator._seeded(past.seed)
        # Classes color the rows of methods, too, that do not need them.
        problem = again._read(X, y)
        require_same_data(self, again, problem.n_samples, problem.n_features)
        known = told_of_fit(self, again, y, data_name)
        return _native.map_page(
            *problem.arguments, known=known, file=file, force=force, **problem.settings
        )

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
        if isinstance(X, GenotypeMatrix):
            # scikit-learn does not know its names.
            require_variants_of_fit(self, X)
            return check_array(np.asarray(X), dtype=np.float64, order="C")
        return validate_data(self, plain(X), reset=False, dtype=np.float64, order="C")


# Estimators are compared and shown as scikit-learn does.
@dataclass(kw_only=True, eq=False, repr=False)
class BaseMap(MapMixin, BaseEstimator):
    """Shared half of all transformers that learn a linear map."""

    # The registry's entry; a subclass has one.
    _entry: ClassVar[Description]
    _family: ClassVar[Family] = MAPS

    n_components: int | None = field(default=None, kw_only=False)
    scale: Literal["none", "standard", "range"] = "none"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def _keep(self, result):
        self.mean_ = result["mean"]
        # That of the fit before, of which either there is one or none.
        for name in ("components_", "_diagonal"):
            vars(self).pop(name, None)
        if "diagonal" in result:
            self._diagonal = result["diagonal"]
            self.n_components_ = len(self._diagonal)
        else:
            self.components_ = result["components"]
            self.n_components_ = len(self.components_)

    def __getattr__(self, name):
        # A diagonal map's matrix of thousands of columns is gigabytes of zeros: made for who asks.
        if name == "components_" and "_diagonal" in vars(self):
            components = np.zeros((len(self._diagonal), len(self.mean_)))
            np.fill_diagonal(components, self._diagonal)
            return components
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

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
        if "components_" not in vars(self):
            kept = len(self._diagonal)
            return (rows[:, :kept] - self.mean_[:kept]) * self._diagonal
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
        if "components_" not in vars(self):
            squares = np.zeros(len(self.mean_))
            squares[: len(self._diagonal)] = self._diagonal**2
            return np.diag(squares)
        return self.components_.T @ self.components_

    def get_metric(self) -> Callable[[np.ndarray, np.ndarray], float]:
        """Give the learned distance as a function, for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            Takes two rows and returns their distance.
        """
        check_is_fitted(self)
        if "components_" not in vars(self):
            diagonal = self._diagonal
            kept = len(diagonal)

            def scaled_distance(a, b):
                difference = np.asarray(a)[:kept] - np.asarray(b)[:kept]
                return float(np.linalg.norm(diagonal * difference))

            return scaled_distance
        components = self.components_

        def distance(a, b):
            return float(np.linalg.norm(components @ (np.asarray(a) - np.asarray(b))))

        return distance

    def _option_texts(self):
        """Pairs of option and value, written as on the command line, where values are checked."""
        names = [option["name"] for option in self._entry["options"]]
        given = [(name, getattr(self, name)) for name in names if hasattr(self, name)]
        return [
            (name, "all" if name == "n_components" and value is None else option_text(value))
            for name, value in given
        ]


def _is_supervised(method):
    """Whether a method needs classes; weighting methods do."""
    return method._entry.get("supervised", True)


# Options of the space that maps are learned in are parameters of `Kernelized`.
CLASSES = make_classes(
    BaseMap,
    _native.map_methods(),
    __name__,
    without=("kernel", "basis", "max_rank", "rank_tolerance"),
)
globals().update(CLASSES)
