"""The transformers: one class per method of the registry that learns a map."""

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
    _seed,
    _threads,
    option_text,
    warn_caller,
)
from basrelief._classes import make_classes
from basrelief._documentation import MAPS, REPORTS, Family
from basrelief._genotypes import GenotypeMatrix, require_variants_of_fit
from basrelief._pages import PageMixin, PastFit, page_request, require_same_data
from basrelief._progress import CallbackSupportMixin, progress_of, reports_progress
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
    read_partial_target,
    readable,
    target_among_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from numpy.typing import ArrayLike

    from basrelief._native import Description

__all__ = ["CLASSES", "BaseMap", "MapMixin"]


# Number of entries of a component in a notebook.
MOST_ENTRIES = 3


@dataclass(frozen=True)
class MapParts:
    """A map as the compiled module reads it; all arrays are contiguous in C order."""

    names: list[str]
    """Names of the encoded columns."""
    mean: np.ndarray
    components: np.ndarray
    """A matrix, or the entries of a diagonal matrix."""
    kernel: tuple | None = None
    """The kernel, the units, the basis and the offset of a kernel map."""
    encoding: tuple | None = None
    """Encoding of the columns as numbers; None if all are numeric and complete."""
    eigenvalues: np.ndarray | None = None
    discriminant_power: float | None = None


class MapMixin(
    EstimatorTableMixin,
    PageMixin,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
):
    """Base class of linear and kernel maps: the fit, its attributes, tables and pages."""

    # Fields of the report that become attributes: keys of `REPORTS`.
    _reports: ClassVar[tuple[str, ...]] = ()

    def _method_estimator(self):
        """Return the estimator whose parameters specify the method."""
        return self

    def _uses_classes(self):
        """Whether a method without classes uses them if they are given."""
        return False

    @reports_progress
    def fit(self, X, y=None):
        """Learn the map.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features: numbers and categories; NaN, None, ``pandas.NA`` and polars nulls are missing
            values. `encoding_` describes how categories and missing values are encoded.
        y : array-like of shape (n_samples,)
            Class labels, or numbers for a method with a numeric target; methods without a target
            ignore them. Whole numbers with more than 20
            distinct values are a numeric target, which methods for classes refuse: convert labels
            to texts (``numpy.asarray(y).astype(str)``).

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit_to(X, y)

    def _fit_to(self, X, y, are_classes=False, start=None):
        """Learn from a target.

        Parameters
        ----------
        are_classes : bool
            Whether any number of distinct numbers are classes.
        start : ndarray of shape (n_components, n_features), or None
            Start of the search, or a map to the prior metric.
        """
        method = self._method_estimator()
        supervised = _is_supervised(method) or (y is not None and self._uses_classes())
        with self._advising():
            problem = self._read(X, y if supervised else None, are_classes=are_classes)
            outcome = _native.fit_map(problem.study, _matrix(start))
            return self._keep_fit(problem, outcome, supervised)

    def _advising(self):
        """Restrict the advice in messages to parameters of the map and of the inner method."""
        method = self._method_estimator()
        layers = [self] if method is self else [self, method]
        return advising(parameters_of(layers), MAP_WORDS)

    def _keep_fit(self, problem, outcome, supervised, call="fit(X, y)"):
        """Set the attributes of a fit; `call` is the called method with its arguments."""
        report = outcome.report
        self._keep(outcome)
        self.encoding_ = outcome.encoding
        encoded = None if self.encoding_ is None else _native.encoded_names(self.encoding_)
        self.encoded_names_ = np.array(encoded or list(problem.study.names), dtype=object)
        self.eigenvalues_ = outcome.eigenvalues if len(outcome.eigenvalues) else None
        self.rank_ = report.rank
        for attribute in self._reports:
            setattr(self, attribute, getattr(report, REPORTS[attribute].field))
        problem.tell(self, report.warnings, report.seconds)
        # Chunks are not classes.
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
        """Read the data as for a fit, and set the attributes that describe them."""
        method = self._method_estimator()
        name = method._entry["name"]
        _require_rows(method, X)
        doubt = None if y is None else target_among_features(X, y)
        partial = None
        if y is not None and not are_classes and method.unlabeled is not None:
            partial = read_partial_target(y, name, method.unlabeled)
        if partial is not None:
            # The target was read; only its number of rows is checked.
            y = np.zeros(partial[0][1])
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
        if partial is not None:
            target, classes = partial
        elif y is not None:
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
                progress=progress_of(self, name, method.verbose),
            ),
            n_samples=features.n_samples,
            classes=classes,
            doubts=[*features.notes, *([] if doubt is None else [doubt])],
        )

    def _seeded(self, seed):
        """Return an unfitted copy with this seed."""
        return copied(self).set_params(random_state=seed)

    def _page(self, X, y, data_name, file, force):
        """Create the page of ``basrelief fit --report``, and write it if `file` is given."""
        check_is_fitted(self)
        past = self._past_fit
        again = past.estimator._seeded(past.seed)
        # Classes color the rows also for methods that do not need classes.
        X, y = _ROWS_OF[past.call](X, y)
        with self._advising():
            problem = again._read(X, y, past.call in (_CLASSES, _CHUNKS), past.call == _CHUNKS)
            require_same_data(self, again, problem.n_samples, problem.n_features)
            request = page_request(self, again, y, data_name, file, force)
            return _native.map_page(problem.study, past.outcome, self._parts(), request)

    def _table(self):
        caption, columns = self._components()
        loadings = self._loadings()
        # A feature can have the name of a column.
        named = {
            f"{name} (feature)" if name in columns else name: loadings[name] for name in loadings
        }
        return caption, {**columns, **named}

    def _shown_table(self):
        caption, columns = self._components()
        return caption, {**columns, **self._shown_loadings()}

    def _components(self):
        """Return the caption and the common columns of the tables of components."""
        check_is_fitted(self)
        columns = {"component": np.arange(1, self.n_components_ + 1)}
        if self.eigenvalues_ is not None:
            columns["eigenvalue"] = self.eigenvalues_
        return "The first {shown} of {all} components", columns

    def _loadings(self):
        """Return the entries of all components by feature; empty for kernel maps."""
        return {}

    def _shown_loadings(self):
        """Return the columns of entries for a notebook."""
        return {}

    def _map(self):
        """Return the components, and the kernel if there is one, as :class:`MapParts`."""
        raise NotImplementedError

    def _parts(self):
        """Return the complete map."""
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
            Features, with the columns of the fit. An unseen category is equally far from all
            categories of the fit. A missing value in a column that was complete in the fit is
            replaced by the mean. A :class:`basrelief.ReliefWarning` reports both.

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
        """Compute the learned distances of pairs of rows.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            The pairs; in two frames, the rows at the same position are a pair.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            The Euclidean distances of the mapped rows.
        """
        check_is_fitted(self)
        first, second = _sides(pairs)
        return np.linalg.norm(self.transform(first) - self.transform(second), axis=1)

    def pair_score(self, pairs):
        """Score pairs by similarity: the larger, the more similar.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            As in :meth:`pair_distance`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            The negated distances.
        """
        return -self.pair_distance(pairs)

    def _numbers(self, X):
        """Check rows against those of the fit, and encode them as numbers."""
        check_is_fitted(self)
        encoding = self.encoding_
        if encoding is None:
            rows = self._plain_numbers(X)
            if not np.isnan(rows).any():
                return rows
            # Missing values in columns that were complete in the fit.
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
        # After the fit, only the rows can be changed.
        with advising({}):
            rows, told = _native.encode_rows(encoding, values, names, kinds, threads)
        warn_caller(told)
        return rows

    def _plain_numbers(self, X):
        if isinstance(X, GenotypeMatrix):
            # scikit-learn does not know the names of a GenotypeMatrix.
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
    """Return the kind with which a column of an encoding is read."""
    if order is not None:
        return order
    return "numeric" if levels is None else "categorical"


def _takes_pairs(estimator):
    return estimator._entry["takes_pairs"]


def _takes_comparisons(estimator):
    return estimator._entry["takes_comparisons"]


def _takes_chunks(estimator):
    return estimator._entry["takes_chunks"]


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(kw_only=True, eq=False, repr=False)
class BaseMap(MapMixin, BaseEstimator):
    """Base class of all transformers that learn a linear map."""

    # The registry entry, set by subclasses.
    _entry: ClassVar[Description]
    _family: ClassVar[Family] = MAPS

    n_components: int | None = field(default=None, kw_only=False)
    scale: Literal["none", "standard", "range"] = "none"
    categorical_features: ArrayLike | Literal["all"] | None = None
    ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None
    unlabeled: Any = None
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def _keep(self, outcome):
        self.mean_ = outcome.mean
        # Removes the map of a previous fit.
        for name in ("components_", "_diagonal"):
            vars(self).pop(name, None)
        if outcome.diagonal is not None:
            self._diagonal = outcome.diagonal
            self.n_components_ = len(self._diagonal)
        else:
            self.components_ = outcome.components
            self.n_components_ = len(self.components_)

    def _map(self):
        # A diagonal map is stored without its matrix, which would need gigabytes for zeros.
        matrix = vars(self).get("components_", vars(self).get("_diagonal"))
        # Converted, because users may have replaced the arrays.
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
        # The matrix of a diagonal map can need gigabytes for zeros: created only on access.
        if name == "components_" and "_diagonal" in vars(self):
            components = np.zeros((len(self._diagonal), len(self.mean_)))
            np.fill_diagonal(components, self._diagonal)
            return components
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @available_if(_takes_pairs)
    @reports_progress
    def fit_pairs(self, pairs, y):
        """Learn the map from pairs of rows instead of classes.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or tuple of two data frames
            The pairs; in two frames, the rows at the same position are a pair.
        y : array-like of shape (n_pairs,)
            1 for near pairs, -1 for far pairs.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit_pairs(pairs, y)

    def _fit_pairs(self, pairs, y, start=None):
        first, second = _sides(pairs)
        y = np.asarray(y)
        if y.shape != (len(first),) or not np.isin(y, (-1, 1)).all():
            raise ValueError(f"y: provide 1 or -1 for each of the {len(first)} pairs")
        rows, places = _different_rows(first, second)
        with self._advising():
            problem = self._read(rows, None, has_target=False)
        # Equal rows are near under every metric.
        drawn = [
            (int(one), int(other), bool(sign == 1))
            for one, other, sign in zip(*places, y, strict=True)
            if one != other
        ]
        with self._advising():
            outcome = _native.fit_map_pairs(problem.study, drawn, _matrix(start))
            return self._keep_fit(problem, outcome, False, _PAIRS)

    @available_if(_takes_comparisons)
    @reports_progress
    def fit_triplets(self, triplets):
        """Learn the map from triplets of rows instead of classes.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features), or tuple of three data frames
            The triplets: the first row should be nearer to the second than to the third. In three
            frames, the rows at the same position are a triplet.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit_triplets(triplets)

    def _fit_triplets(self, triplets, start=None):
        rows, (anchor, near, far) = _different_rows(*_sides(triplets, 3))
        return self._fit_comparisons(rows, (anchor, near, anchor, far), _TRIPLETS, start)

    @available_if(_takes_comparisons)
    @reports_progress
    def fit_quadruplets(self, quadruplets):
        """Learn the map from quadruplets of rows instead of classes.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features), or tuple of four frames
            The quadruplets: the first two rows should be nearer to each other than the last two. In
            four frames, the rows at the same position are a quadruplet.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        return self._fit_quadruplets(quadruplets)

    def _fit_quadruplets(self, quadruplets, start=None, weights=None):
        rows, places = _different_rows(*_sides(quadruplets, 4))
        return self._fit_comparisons(rows, places, _QUADRUPLETS, start, weights)

    def _fit_comparisons(self, rows, places, call, start=None, weights=None):
        """Learn from the row indices of quadruplets, of which the first two should be nearer."""
        for place, (one, other) in enumerate(zip(*places[2:], strict=True)):
            if one == other:
                raise ValueError(
                    f"{call.partition('(')[2][:-1]}: the far rows of number {place} are equal; "
                    "remove it"
                )
        quadruples = list(zip(*places, strict=True))
        with self._advising():
            problem = self._read(rows, None, has_target=False)
            outcome = _native.fit_map_comparisons(
                problem.study, quadruples, _matrix(start), weights
            )
            return self._keep_fit(problem, outcome, False, call)

    @available_if(_takes_chunks)
    @reports_progress
    def fit_chunks(self, X, chunks):
        """Learn the map from chunks of rows known to be similar, instead of classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, as in :meth:`fit`.
        chunks : array-like of shape (n_samples,)
            Whole numbers: the number of the chunk of every row. Rows with a negative number belong
            to no chunk and are excluded.

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
        """Map coordinates back to the features.

        If the map has fewer components than features, the result is the least-squares solution: of
        all rows with these components, the one closest to the mean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_encoded)
            Rows with the columns `encoded_names_`, which are the features if all of these are
            numeric and complete.
        """
        check_is_fitted(self)
        mapped = check_array(X, dtype=np.float64, ensure_min_features=0)
        if mapped.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {mapped.shape[1]} columns, but the map has {len(self.components_)} "
                "components; provide coordinates as returned by transform"
            )
        return mapped @ np.linalg.pinv(self.components_).T + self.mean_

    def get_mahalanobis_matrix(self):
        """Compute the matrix of the Mahalanobis metric.

        Returns
        -------
        M : ndarray of shape (n_encoded, n_encoded)
            ``components_.T @ components_``: the squared distance of two rows is
            ``(a - b) @ M @ (a - b)``. Its rows and columns correspond to `encoded_names_`.
        """
        check_is_fitted(self)
        if "components_" not in vars(self):
            squares = np.zeros(len(self.mean_))
            squares[: len(self._diagonal)] = self._diagonal**2
            return np.diag(squares)
        return self.components_.T @ self.components_

    def get_metric(self) -> Callable[..., float]:
        """Return the learned distance as a function for ``KNeighborsClassifier(metric=...)``.

        Returns
        -------
        distance : callable
            A function that returns the distance of two rows, or with ``squared=True`` its square.
            The rows are numbers with the columns `encoded_names_`; :meth:`pair_distance` also
            accepts categories and missing values.
        """
        check_is_fitted(self)
        # A diagonal map scales the first features; otherwise, a matrix maps all features.
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
        """List pairs of option and value, formatted as on the command line."""
        names = [option["name"] for option in self._entry["options"]]
        given = [(name, getattr(self, name)) for name in names if hasattr(self, name)]
        return [
            (name, "all" if name == "n_components" and value is None else option_text(value))
            for name, value in given
        ]


def _matrix(start):
    """Return a start as the compiled module reads it, in C order."""
    return None if start is None else contiguous(start, dtype=np.float64)


def _sides(tuples, size=2):
    """Return the first rows of all tuples, the second rows, and so on."""
    what = {2: "pairs", 3: "triplets", 4: "quadruplets"}[size]
    if isinstance(tuples, tuple) and all(is_pandas(side) or is_polars(side) for side in tuples):
        if len(tuples) == size and len({len(side) for side in tuples}) == 1:
            return tuples
        count = {2: "two", 3: "three", 4: "four"}[size]
        raise ValueError(f"{what}: provide {count} data frames with equal numbers of rows")
    tuples = plain(tuples)
    sides = np.asarray(tuples)
    if sides.dtype.kind not in "biufO":
        # With a text, NumPy would have converted numbers to texts.
        sides = np.asarray(tuples, dtype=object)
    if sides.ndim != 3 or sides.shape[1] != size:
        raise ValueError(
            f"{what}: the shape is {sides.shape}, but must be (n_{what}, {size}, n_features)"
        )
    return tuple(sides[:, place] for place in range(size))


def _require_rows(method, X):
    """Refuse pairs, triplets and quadruplets instead of rows; the error names their method."""
    if not isinstance(X, (list, tuple, np.ndarray)) or np.ndim(X) != 3:
        return
    calls = ["fit_pairs", "fit_triplets or fit_quadruplets"]
    taken = (method._entry["takes_pairs"], method._entry["takes_comparisons"])
    going = [call for call, takes in zip(calls, taken, strict=True) if takes]
    if going:
        name = type(method).__name__
        raise ValueError(
            f"X: it has 3 dimensions, but must have 2; pass tuples of rows to {going[0]}, or use "
            f"{name} of basrelief.metric_learn, whose fit accepts them"
        )


def _different_rows(*sides):
    """Return the distinct rows of tuples, and the indices of the rows of each side."""
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
    """Return the rows in chunks, and the chunks as classes."""
    chunks = np.asarray(chunks)
    if chunks.ndim != 1 or chunks.dtype.kind not in "iu":
        raise ValueError("chunks: provide a whole number per row, negative for rows of no chunk")
    X = X if hasattr(X, "shape") else np.asarray(X)
    if X.shape[0] != len(chunks):
        raise ValueError(
            f"chunks: there are {len(chunks)} numbers, but X has {X.shape[0]} rows; provide one "
            "per row"
        )
    kept = np.flatnonzero(chunks >= 0)
    if len(np.unique(chunks[kept])) < 2:
        raise ValueError("chunks: provide at least two chunks")
    rows = X.iloc[kept] if is_pandas(X) else X[kept.tolist()] if is_polars(X) else X[kept]
    return rows, chunks[kept]


# The calls that fit a map, and the functions from their arguments to rows and classes of a page.
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
    """Whether a method needs classes, as selectors do."""
    return method._entry.get("supervised", True)


# The options of the kernel space are parameters of `Kernelized`.
CLASSES = make_classes(
    BaseMap,
    _native.map_methods(),
    __name__,
    without=("kernel", "basis", "max_rank", "rank_tolerance"),
)
globals().update(CLASSES)
