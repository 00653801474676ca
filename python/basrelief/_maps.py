"""The transformers, one class per method of the library's registry that learns a map."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from basrelief import _native
from basrelief._advice import MAP_WORDS, advising, parameters_of
from basrelief._base import (
    Problem,
    Study,
    _Printer,
    _seed,
    _threads,
    option_text,
    warn_caller,
)
from basrelief._classes import make_classes
from basrelief._documentation import MAPS, REPORTS, Family
from basrelief._genotypes import GenotypeMatrix, require_variants_of_fit
from basrelief._pages import PageMixin, PastFit, page_request, require_same_data
from basrelief._tables import MOST_SHOWN, EstimatorTableMixin, shortened
from basrelief._validation import (
    contiguous,
    copied,
    is_missing,
    is_pandas,
    is_polars,
    plain,
    read_classes,
    read_features,
    read_map_target,
    readable,
    target_among_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from numpy.typing import ArrayLike

    from basrelief._native import Description

__all__ = ["CLASSES", "BaseMap", "MapMixin"]


# Entries of a component that a notebook shows.
MOST_ENTRIES = 3


@dataclass(frozen=True)
class MapParts:
    """A map as the compiled half reads it; all arrays are contiguous in C order."""

    names: list[str]
    """The names of the columns of numbers."""
    mean: np.ndarray
    components: np.ndarray
    """A matrix, or the entries of a diagonal one."""
    kernel: tuple | None = None
    """The kernel, the units, the basis and the offset of a kernel map."""
    encoding: tuple | None = None
    """How columns become numbers; None where all are complete numbers."""
    eigenvalues: np.ndarray | None = None
    discriminant_power: float | None = None


class MapMixin(EstimatorTableMixin, PageMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
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
            Features: numbers and categories; NaN, None, ``pandas.NA`` and polars nulls are missing
            values. `encoding_` says what becomes of the latter two.
        y : array-like of shape (n_samples,)
            Class labels; methods without classes ignore them. Whole numbers of more than 20
            different values are a quantity, which methods for classes refuse: convert labels to
            texts (``numpy.asarray(y).astype(str)``).

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit_to(X, y)

    def _fit_to(self, X, y, are_classes=False):
        """Learn from a target, whose numbers are classes if `are_classes`, however many."""
        method = self._method_estimator()
        supervised = _is_supervised(method) or (y is not None and self._uses_classes())
        with self._advising():
            problem = self._read(X, y if supervised else None, are_classes=are_classes)
            outcome = _native.fit_map(problem.study)
            return self._keep_fit(problem, outcome, supervised)

    def _advising(self):
        """Let messages advise the parameters of the map, and of the method inside."""
        method = self._method_estimator()
        layers = [self] if method is self else [self, method]
        return advising(parameters_of(layers), MAP_WORDS)

    def _keep_fit(self, problem, outcome, supervised, call="fit(X, y)"):
        """Set what a fit gives; `call` is the method that was called, with its arguments."""
        report = outcome.report
        self._keep(outcome)
        self.encoding_ = outcome.encoding
        encoded = None if self.encoding_ is None else _native.encoded_names(self.encoding_)
        self.encoded_names_ = np.array(encoded or problem.study.names, dtype=object)
        self.eigenvalues_ = outcome.eigenvalues if len(outcome.eigenvalues) else None
        self.rank_ = report.rank
        for attribute in self._reports:
            setattr(self, attribute, getattr(report, REPORTS[attribute].field))
        problem.tell(self, report.warnings, report.seconds)
        # Chunks are no classes.
        if not supervised:
            vars(self).pop("classes_", None)
        self._past_fit = PastFit(
            copied(self),
            seed=problem.study.seed,
            n_samples=problem.n_samples,
            outcome=report,
            call=call,
        )
        warn_caller(self.warnings_)
        return self

    def _read(self, X, y, has_target=True, are_classes=False):
        """Read the data as for a fit, which sets the attributes that tell of them."""
        method = self._method_estimator()
        name = method._entry["name"]
        _require_rows(method, X)
        doubt = None if y is None else target_among_features(X, y)
        features, y = read_features(
            self,
            X,
            y,
            method.categorical_features,
            None,
            method.ordinal_features,
            has_target=has_target,
        )
        target, classes = None, None
        if y is not None:
            if are_classes:
                target, classes = read_classes(y)
            else:
                target, classes, _ = read_map_target(y, name)
        return Problem(
            Study(
                name,
                self._option_texts(),
                features.values,
                features.names,
                features.kinds,
                target,
                seed=_seed(method.random_state),
                threads=_threads(method.n_jobs),
                progress=_Printer(name) if method.verbose else None,
            ),
            n_samples=features.n_samples,
            classes=classes,
            doubts=[*features.notes, *([] if doubt is None else [doubt])],
        )

    def _seeded(self, seed):
        """Give an unfitted copy that draws by this seed."""
        return copied(self).set_params(random_state=seed)

    def _page(self, X, y, data_name, file, force):
        """Make the page of ``basrelief fit --report``, and write it where there is a file."""
        check_is_fitted(self)
        past = self._past_fit
        again = past.estimator._seeded(past.seed)
        # Classes color the rows of methods, too, that do not need them.
        X, y = _ROWS_OF[past.call](X, y)
        with self._advising():
            problem = again._read(X, y, past.call in (_CLASSES, _CHUNKS), past.call == _CHUNKS)
            require_same_data(self, again, problem.n_samples, problem.n_features)
            request = page_request(self, again, y, data_name, file, force)
            return _native.map_page(problem.study, past.outcome, self._parts(), request)

    def _table(self):
        caption, columns = self._components()
        loadings = self._loadings()
        # A feature can be called as a column is.
        named = {
            f"{name} (feature)" if name in columns else name: loadings[name] for name in loadings
        }
        return caption, {**columns, **named}

    def _shown_table(self):
        caption, columns = self._components()
        return caption, {**columns, **self._shown_loadings()}

    def _components(self):
        """Give a caption, and the columns of every table of the components."""
        check_is_fitted(self)
        columns = {"component": np.arange(1, self.n_components_ + 1)}
        if self.eigenvalues_ is not None:
            columns["eigenvalue"] = self.eigenvalues_
        return "The first {shown} of {all} components", columns

    def _loadings(self):
        """Give the entries of all components by the feature; none of maps of a kernel's space."""
        return {}

    def _shown_loadings(self):
        """Give what a notebook shows of the entries."""
        return {}

    def _map(self):
        """Give the components, and what else a kernel map has, as :class:`MapParts` takes them."""
        raise NotImplementedError

    def _parts(self):
        """Give the map with all that is known of it."""
        eigenvalues = self.eigenvalues_
        return replace(
            self._map(),
            encoding=self.encoding_,
            eigenvalues=None if eigenvalues is None else contiguous(eigenvalues, dtype=np.float64),
            discriminant_power=self._past_fit.outcome.discriminant_power,
        )

    def transform(self, X):
        """Map rows to the components.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, the columns of the fit. A category that was not in the fit is as far from all
            that were, and a value that is missing where none was stands at the mean; a
            :class:`basrelief.ReliefWarning` says so.

        Returns
        -------
        X_mapped : array of shape (n_samples, n_components)
            The coordinates; Euclidean distances between them are the learned metric.
        """
        rows = self._numbers(X)
        return _native.map_rows(self._map(), rows, _threads(self._method_estimator().n_jobs))

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = _is_supervised(self._method_estimator())
        return tags

    def pair_distance(self, pairs):
        """Compute the learned distance of the rows of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            The pairs; of frames, the rows at the same place are a pair.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            The Euclidean distances of the mapped rows.
        """
        check_is_fitted(self)
        first, second = _sides(pairs)
        return np.linalg.norm(self.transform(first) - self.transform(second), axis=1)

    def pair_score(self, pairs):
        """Score pairs by how alike their rows are: the greater, the more.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            As of :meth:`pair_distance`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            The negated distances.
        """
        return -self.pair_distance(pairs)

    def _numbers(self, X):
        """Check rows to be mapped against those of the fit, and make numbers of them."""
        check_is_fitted(self)
        encoding = self.encoding_
        if encoding is None:
            rows = self._plain_numbers(X)
            if not np.isnan(rows).any():
                return rows
            # Values that are missing only now.
            columns = zip(self.encoded_names_, self.mean_, strict=True)
            encoding = "squared", [(str(name), None, 0, [float(mean)]) for name, mean in columns]
            values, kinds = rows, ["numeric"] * len(self.mean_)
        else:
            if isinstance(X, GenotypeMatrix):
                require_variants_of_fit(self, X)
            values = read_features(self, X, None, None, None, reset=False, least_rows=1)[0].values
            stated = [_kind_of(*column) for column in encoding[1]]
            kinds = ["auto"] * len(stated) if isinstance(X, GenotypeMatrix) else stated
        names = [column[0] for column in encoding[1]]
        threads = _threads(self._method_estimator().n_jobs)
        # Nothing but the rows can be changed after the fit.
        with advising({}):
            rows, told = _native.encode_rows(encoding, values, names, kinds, threads)
        warn_caller(told)
        return rows

    def _plain_numbers(self, X):
        if isinstance(X, GenotypeMatrix):
            # scikit-learn does not know its names.
            require_variants_of_fit(self, X)
            return check_array(
                np.asarray(X), dtype=np.float64, order="C", ensure_all_finite="allow-nan"
            )
        with readable("X"):
            return contiguous(
                validate_data(
                    self,
                    plain(X),
                    reset=False,
                    dtype=np.float64,
                    order="C",
                    ensure_all_finite="allow-nan",
                )
            )


def _kind_of(_name, levels, _missing, _fill, order=None):
    """Tell as what a column of an encoding is read."""
    if order is not None:
        return order
    return "numeric" if levels is None else "categorical"


def _takes_pairs(estimator):
    return estimator._entry["takes_pairs"]


def _takes_comparisons(estimator):
    return estimator._entry["takes_comparisons"]


def _takes_chunks(estimator):
    return estimator._entry["takes_chunks"]


# Estimators are compared and shown as scikit-learn does.
@dataclass(kw_only=True, eq=False, repr=False)
class BaseMap(MapMixin, BaseEstimator):
    """Shared half of all transformers that learn a linear map."""

    # The registry's entry; a subclass has one.
    _entry: ClassVar[Description]
    _family: ClassVar[Family] = MAPS

    n_components: int | None = field(default=None, kw_only=False)
    scale: Literal["none", "standard", "range"] = "none"
    categorical_features: ArrayLike | Literal["all"] | None = None
    ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def _keep(self, outcome):
        self.mean_ = outcome.mean
        # That of the fit before, of which either there is one or none.
        for name in ("components_", "_diagonal"):
            vars(self).pop(name, None)
        if outcome.diagonal is not None:
            self._diagonal = outcome.diagonal
            self.n_components_ = len(self._diagonal)
        else:
            self.components_ = outcome.components
            self.n_components_ = len(self.components_)

    def _map(self):
        # A diagonal map is stored without its matrix, which has gigabytes of zeros.
        matrix = vars(self).get("components_", vars(self).get("_diagonal"))
        # Arrays of their own, as users may have put others there.
        return MapParts(
            [str(name) for name in self.encoded_names_],
            contiguous(self.mean_, dtype=np.float64),
            contiguous(matrix, dtype=np.float64),
        )

    def _loadings(self):
        if "_diagonal" in vars(self):
            kept = len(self._diagonal)
            return {"feature": self.encoded_names_[:kept], "factor": self._diagonal}
        entries = zip(self.encoded_names_, self.components_.T, strict=True)
        return {str(name): column for name, column in entries}

    def _shown_loadings(self):
        if "_diagonal" in vars(self):
            return self._loadings()
        leading = np.argsort(-np.abs(self.components_[:MOST_SHOWN]), axis=1, kind="stable")
        entries = [
            ", ".join(
                f"{shortened(str(self.encoded_names_[place]), 20)} {row[place]:+.3g}"
                for place in places[:MOST_ENTRIES]
            )
            for row, places in zip(self.components_, leading, strict=False)
        ]
        return {"largest entries": entries}

    def __getattr__(self, name):
        # A diagonal map's matrix of thousands of columns is gigabytes of zeros: made for who asks.
        if name == "components_" and "_diagonal" in vars(self):
            components = np.zeros((len(self._diagonal), len(self.mean_)))
            np.fill_diagonal(components, self._diagonal)
            return components
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @available_if(_takes_pairs)
    def fit_pairs(self, pairs, y):
        """Learn the map from pairs of rows instead of classes.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            The pairs; of frames, the rows at the same place are a pair.
        y : array-like of shape (n_pairs,)
            1 of pairs whose rows shall be near each other, -1 of those whose rows shall be far.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        first, second = _sides(pairs)
        y = np.asarray(y)
        if y.shape != (len(first),) or not np.isin(y, (-1, 1)).all():
            raise ValueError(f"y: give 1 or -1 for each of the {len(first)} pairs")
        rows, places = _different_rows(first, second)
        with self._advising():
            problem = self._read(rows, None, has_target=False)
        # Equal rows are near whatever the metric.
        drawn = [
            (int(one), int(other), bool(sign == 1))
            for one, other, sign in zip(*places, y, strict=True)
            if one != other
        ]
        with self._advising():
            outcome = _native.fit_map_pairs(problem.study, drawn)
            return self._keep_fit(problem, outcome, False, _PAIRS)

    @available_if(_takes_comparisons)
    def fit_triplets(self, triplets):
        """Learn the map from triplets of rows instead of classes.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features), or tuple of three data frames
            Of each the first row shall be nearer to the second than to the third; of frames, the
            rows at the same place are a triplet.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        rows, (anchor, near, far) = _different_rows(*_sides(triplets, 3))
        return self._fit_comparisons(rows, (anchor, near, anchor, far), _TRIPLETS)

    @available_if(_takes_comparisons)
    def fit_quadruplets(self, quadruplets):
        """Learn the map from quadruplets of rows instead of classes.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features), or tuple of four frames
            Of each the first two rows shall be nearer to each other than the last two are; of
            data frames, the rows at the same place are a quadruplet.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        rows, places = _different_rows(*_sides(quadruplets, 4))
        return self._fit_comparisons(rows, places, _QUADRUPLETS)

    def _fit_comparisons(self, rows, places, call):
        """Learn from four rows each, by their places, of which the first two shall be nearer."""
        for place, (one, other) in enumerate(zip(*places[2:], strict=True)):
            if one == other:
                raise ValueError(
                    f"{call.partition('(')[2][:-1]}: the rows of number {place} that shall be far "
                    "are equal; leave it out"
                )
        quadruples = list(zip(*places, strict=True))
        with self._advising():
            problem = self._read(rows, None, has_target=False)
            outcome = _native.fit_map_comparisons(problem.study, quadruples)
            return self._keep_fit(problem, outcome, False, call)

    @available_if(_takes_chunks)
    def fit_chunks(self, X, chunks):
        """Learn the map from chunks of rows that are known to be alike, instead of classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, as of :meth:`fit`.
        chunks : array-like of shape (n_samples,)
            Whole numbers: that of every row's chunk, or one below 0 for rows of none, which are
            left out.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        with self._advising():
            problem = self._read(*_chunked_rows(X, chunks), are_classes=True)
            outcome = _native.fit_map(problem.study)
            return self._keep_fit(problem, outcome, False, _CHUNKS)

    def inverse_transform(self, X):
        """Go back from the components to the features.

        Where the map leaves dimensions out, these are taken to be at the mean: of all rows with
        such components the one that is nearest to it (least squares).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_encoded)
            Rows; their columns are `encoded_names_`, which are the features where these are all
            complete numbers.
        """
        check_is_fitted(self)
        mapped = check_array(X, dtype=np.float64, ensure_min_features=0)
        if mapped.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {mapped.shape[1]} columns, but the map has {len(self.components_)} "
                "components; give what transform gives"
            )
        return mapped @ np.linalg.pinv(self.components_).T + self.mean_

    def get_mahalanobis_matrix(self):
        """Compute the metric's matrix.

        Returns
        -------
        M : ndarray of shape (n_encoded, n_encoded)
            ``components_.T @ components_``: the squared distance of two rows is
            ``(a - b) @ M @ (a - b)``. Its rows and columns are `encoded_names_`.
        """
        check_is_fitted(self)
        if "components_" not in vars(self):
            squares = np.zeros(len(self.mean_))
            squares[: len(self._diagonal)] = self._diagonal**2
            return np.diag(squares)
        return self.components_.T @ self.components_

    def get_metric(self) -> Callable[..., float]:
        """Give the learned distance as a function, for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            Takes two rows and returns their distance, or with ``squared=True`` its square. The rows
            are numbers, the columns of `encoded_names_`; :meth:`pair_distance` takes categories and
            missing values too.
        """
        check_is_fitted(self)
        # The first features, each times a number, or all times a matrix.
        diagonal = vars(self).get("_diagonal")
        kept = len(self.mean_) if diagonal is None else len(diagonal)
        components = self.components_.copy() if diagonal is None else None

        def distance(a, b, squared=False):
            difference = np.asarray(a)[:kept] - np.asarray(b)[:kept]
            mapped = diagonal * difference if components is None else components @ difference
            square = np.sum(mapped**2)
            return float(square if squared else np.sqrt(square))

        return distance

    def _option_texts(self):
        """Pairs of option and value, written as on the command line, where values are checked."""
        names = [option["name"] for option in self._entry["options"]]
        given = [(name, getattr(self, name)) for name in names if hasattr(self, name)]
        return [
            (name, "all" if name == "n_components" and value is None else option_text(value))
            for name, value in given
        ]


def _sides(tuples, size=2):
    """Give the first rows of all tuples, the second ones, and so on."""
    what = {2: "pairs", 3: "triplets", 4: "quadruplets"}[size]
    if isinstance(tuples, tuple) and all(is_pandas(side) or is_polars(side) for side in tuples):
        if len(tuples) == size and len({len(side) for side in tuples}) == 1:
            return tuples
        count = {2: "two", 3: "three", 4: "four"}[size]
        raise ValueError(f"{what}: give {count} data frames with as many rows")
    tuples = plain(tuples)
    sides = np.asarray(tuples)
    if sides.dtype.kind not in "biufO":
        # Texts beside numbers would have become texts.
        sides = np.asarray(tuples, dtype=object)
    if sides.ndim != 3 or sides.shape[1] != size:
        raise ValueError(
            f"{what}: they have the shape {sides.shape}; it takes (n_{what}, {size}, n_features)"
        )
    return tuple(sides[:, place] for place in range(size))


def _require_rows(method, X):
    """Refuse pairs, triplets and quadruplets where rows are wanted, and say where they go."""
    if not isinstance(X, (list, tuple, np.ndarray)) or np.ndim(X) != 3:
        return
    calls = ["fit_pairs", "fit_triplets or fit_quadruplets"]
    taken = (method._entry["takes_pairs"], method._entry["takes_comparisons"])
    going = [call for call, takes in zip(calls, taken, strict=True) if takes]
    if going:
        name = type(method).__name__
        raise ValueError(
            f"X: it has 3 dimensions, and rows have 2; give tuples of rows to {going[0]}, or take "
            f"{name} from basrelief.metric_learn, whose fit takes them"
        )


def _different_rows(*sides):
    """Give all different rows of some tuples, and where the rows of each side are among them."""
    if is_pandas(sides[0]) or is_polars(sides[0]):
        lists = [list(_row_tuples(side)) for side in sides]
    else:
        lists = [[tuple(row) for row in side] for side in sides]
    place_of = {}
    every = [row for side in lists for row in side]
    # NaN differs from itself.
    keys = [tuple(None if is_missing(value) else value for value in row) for row in every]
    places = [place_of.setdefault(key, len(place_of)) for key in keys]
    chosen = np.unique(places, return_index=True)[1]
    if is_pandas(sides[0]):
        import pandas as pd

        rows = pd.concat(sides, ignore_index=True).iloc[chosen]
    elif is_polars(sides[0]):
        import polars as pl

        rows = pl.concat(sides)[chosen.tolist()]
    else:
        rows = np.concatenate(sides)[chosen]
    count = len(sides[0])
    return rows, [places[start : start + count] for start in range(0, len(places), count)]


def _chunked_rows(X, chunks):
    """Give the rows that have a chunk, and the chunks as classes."""
    chunks = np.asarray(chunks)
    if chunks.ndim != 1 or chunks.dtype.kind not in "iu":
        raise ValueError("chunks: give a whole number per row, below 0 for rows of no chunk")
    X = X if hasattr(X, "shape") else np.asarray(X)
    if X.shape[0] != len(chunks):
        raise ValueError(f"chunks: there are {len(chunks)}, and X has {X.shape[0]} rows")
    kept = np.flatnonzero(chunks >= 0)
    if len(np.unique(chunks[kept])) < 2:
        raise ValueError("chunks: give at least two chunks")
    rows = X.iloc[kept] if is_pandas(X) else X[kept.tolist()] if is_polars(X) else X[kept]
    return rows, chunks[kept]


# What was called, and how the rows and the classes of a page come from its arguments.
_CLASSES, _PAIRS, _TRIPLETS, _QUADRUPLETS, _CHUNKS = (
    "fit(X, y)",
    "fit_pairs(pairs, y)",
    "fit_triplets(triplets)",
    "fit_quadruplets(quadruplets)",
    "fit_chunks(X, chunks)",
)
_ROWS_OF = {
    _CLASSES: lambda X, y: (X, y),
    _PAIRS: lambda pairs, _: (_different_rows(*_sides(pairs))[0], None),
    _TRIPLETS: lambda triplets, _: (_different_rows(*_sides(triplets, 3))[0], None),
    _QUADRUPLETS: lambda quadruplets, _: (_different_rows(*_sides(quadruplets, 4))[0], None),
    _CHUNKS: _chunked_rows,
}


def _row_tuples(frame):
    return frame.itertuples(index=False, name=None) if is_pandas(frame) else frame.iter_rows()


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
