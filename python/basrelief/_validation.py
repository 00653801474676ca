"""Checks the input of users, and converts it to the input of the compiled module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations, repeat
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from basrelief import _native
from basrelief._advice import advising, columns_of
from basrelief._genotypes import GenotypeMatrix

__all__ = [
    "Features",
    "RowRoles",
    "check_uses",
    "column_kinds",
    "contiguous",
    "copied",
    "first_rounded",
    "inexact_number",
    "is_missing",
    "option_error",
    "plain",
    "read_beside",
    "read_blocks",
    "read_classes",
    "read_covariates",
    "read_covariates_of_models",
    "read_features",
    "read_known",
    "read_map_target",
    "read_partial_target",
    "read_real",
    "read_strata",
    "read_target",
    "read_test",
    "read_whole",
    "readable",
    "shown",
    "target_among_features",
    "unusable",
]

# Maximum length of a value in a message.
_MOST_SHOWN = 60

# Types that the compiled module reads in place; all others are converted to the first.
_NUMBERS = (np.float64, np.float32, np.uint8, np.int8)


@contextmanager
def readable(what):
    """Raise ValueError with a clear message if Python cannot convert the input of a user.

    It replaces Python's errors for numbers that overflow a 64-bit float, and for lists that contain
    themselves.

    Parameters
    ----------
    what : str
        Name of the input.
    """
    try:
        yield
    except OverflowError:
        raise ValueError(
            f"{what} contains a whole number that is too large for 64 bits; rescale the column, or "
            "use texts if the numbers are names"
        ) from None
    except RecursionError:
        raise ValueError(
            f"{what} contains itself, or lists nested too deeply; use numbers or texts"
        ) from None


def contiguous(values, dtype=None):
    """Return an aligned array in C order for the compiled module; copies only if necessary."""
    return np.require(values, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def _in_one_order(values):
    """Return an aligned array in C or Fortran order; copies only if necessary."""
    is_contiguous = values.flags.c_contiguous or values.flags.f_contiguous
    return values if is_contiguous and values.flags.aligned else contiguous(values)


def read_real(option, value, expected):
    """Read a finite number.

    Parameters
    ----------
    option : str
    value : object
        Value from the user.
    expected : str
        The permitted values, for the message: "use a number above 0".

    Returns
    -------
    number : float
    """
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"option {option}: {shown(value, repr)} is not a number; {expected}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise option_error(option, f"{shown(value)} is not finite", expected)
    return number


def read_whole(option, value, expected, least=1):
    """Read a whole number from `least` to 2**63 - 1, like :func:`read_real`."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"option {option}: {shown(value, repr)} is not a whole number; {expected}")
    if value < least:
        raise option_error(option, f"{shown(value)} is less than {least}", expected)
    if value >= 2**63:
        raise option_error(option, f"{shown(value)} is too large", expected)
    return int(value)


def copied(estimator):
    """Return an unfitted copy of an estimator, as scikit-learn's `clone`."""
    with readable(f"an option of {type(estimator).__name__}"):
        return clone(estimator)


def shown(value, text_of=str):
    """Format any value for a message; long values are truncated."""
    try:
        text = text_of(value)
    except (ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


@dataclass(frozen=True)
class NumberedNames(Sequence):
    """The names of columns that have none: ``x0``, ``x1``, and so on. None of them is stored."""

    count: int
    prefix: str = "x"

    def __len__(self):
        return self.count

    def __getitem__(self, place):
        places = range(self.count)[place]
        if isinstance(places, range):
            return [f"{self.prefix}{index}" for index in places]
        return f"{self.prefix}{places}"

    def __iter__(self):
        # Faster than __getitem__, for many columns.
        return map(self.prefix.__add__, map(str, range(self.count)))


@dataclass(frozen=True)
class Features:
    """Features as ``_native.fit`` expects them."""

    values: np.ndarray | list | tuple
    names: Sequence[str]
    kinds: list[str | list[str]]
    n_samples: int
    notes: tuple[str, ...] = ()
    """Warnings about the features, which a fit emits."""


def option_error(option, problem, help_text):
    """Create the error for an invalid option, in the format of the library."""
    return ValueError(f"option {option}: {problem}; {help_text}")


def is_pandas(X):
    """Return whether `X` is a pandas data frame, without importing pandas."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_polars(X):
    """Return whether `X` is a polars data frame, without importing polars."""
    return type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "get_columns")


def plain(X, *, rounds=True):
    """Replace masked values by missing values, and refuse dates.

    NumPy would read the values under the mask, and dates as numbers of days or nanoseconds. Whole
    numbers that float64 would round are refused unless `rounds` is False, if the caller does not
    convert them.
    """
    if np.ma.isMaskedArray(X):
        if X.dtype.kind in "biu":
            X = X.astype(np.float64)
        gap = np.nan if X.dtype.kind in "fc" else None
        values = X.data if gap is not None else X.data.astype(object)
        X = np.where(np.ma.getmaskarray(X), np.asarray(gap, dtype=values.dtype), values)
    dtype = getattr(X, "dtype", None)
    values = X if isinstance(X, np.ndarray) else None
    if isinstance(X, (list, tuple)):
        # scikit-learn refuses ragged lists, with its own message.
        with suppress(ValueError):
            values = np.asarray(X)
            dtype = values.dtype
    if getattr(dtype, "kind", "") in ("m", "M"):
        raise unusable("X", dtype)
    if rounds and values is not None and values.dtype.kind in "iu":
        require_exact(values, lambda place: f"x{place[-1]}" if len(place) > 1 else "x")
    return X


# float64 represents all whole numbers up to this one exactly.
_EXACT = 2**53


def first_rounded(values):
    """Find the first whole number of an array of integers that float64 would round.

    Returns
    -------
    found : pair of a tuple of indices and the number, or None if float64 rounds none
    """
    if values.dtype.itemsize < 8 or values.size == 0:
        return None
    if values.max() <= _EXACT and values.min() >= -_EXACT:
        return None
    for place in map(tuple, np.argwhere((values > _EXACT) | (values < -_EXACT))):
        number = int(values[place])
        if int(float(number)) != number:
            return place, number
    return None


def require_exact(values, name_of):
    """Refuse whole numbers that float64 would round.

    Parameters
    ----------
    values : ndarray of integers
    name_of : callable
        Returns the name of the column for a tuple of indices into the array.
    """
    found = first_rounded(values)
    if found is not None:
        place, number = found
        raise inexact_number(number, name_of(place), place[0])


def inexact_number(number, name, row):
    """Create the error for a whole number that float64 would round; `row` counts from 0."""
    return ValueError(_native.inexact_number(f"`{number}` (row {row + 1})", str(name)))


def _is_rounded(value):
    """Return whether a value is a whole number that float64 would round."""
    if isinstance(value, Integral) or (isinstance(value, Decimal) and value % 1 == 0):
        number = int(value)
        return int(float(number)) != number
    return False


def _as_array(X):
    """Convert lists of texts, booleans or whole numbers to an array; return others unchanged."""
    if not isinstance(X, (list, tuple)):
        return X
    try:
        values = np.asarray(X)
    except ValueError:
        # scikit-learn refuses ragged lists, with its own message.
        return X
    return values if values.dtype.kind in "OUSTbiu" and values.ndim == 2 else X


def _rounded_whole(X):
    """Return `X` if it is an array of whole numbers that float64 would round, otherwise None."""
    is_whole = type(X) is np.ndarray and X.dtype.kind in "iu" and X.ndim == 2
    return X if is_whole and first_rounded(X) is not None else None


@readable("X")
def read_features(
    estimator,
    X,
    y,
    categorical_features,
    genotype_features,
    ordinal_features=None,
    *,
    reset=True,
    least_rows=2,
    has_target=True,
    accept_sparse=None,
):
    """Check `X` and `y` together and read `X`; also set scikit-learn's attributes of a fit.

    C- or Fortran-contiguous arrays of floats and one-byte integers are not copied. Without `reset`,
    `X` is checked against the attributes of the fit instead; without `has_target`, `y` is not
    required. Sparse matrices are accepted if `accept_sparse`, by default if the estimator has the
    tag.

    Returns
    -------
    features : Features
    y : array of the target without missing values, not yet read; None if there is no target
    """
    if y is not None:
        # First, so that the message contains the row for every type of `X`.
        y = read_known(y)
    X = _as_array(X)
    whole = _rounded_whole(X)
    X = plain(X, rounds=False)
    are_genotypes = isinstance(X, GenotypeMatrix)
    if are_genotypes or is_pandas(X) or is_polars(X):
        names = [str(name) for name in (X.names if are_genotypes else X.columns)]
        if "" in names:
            names = _native.column_names(names)
        if len(set(names)) < len(names):
            _native.column_index(names, names[0])  # refuses duplicate names
        X = _validated(estimator, X, y, reset, has_target, skip_check_array=True)
        # Checks the shape with scikit-learn's messages, without reading the values.
        check_array(
            np.broadcast_to(np.float32(0), X.shape),
            ensure_all_finite=False,
            ensure_min_samples=least_rows,
            estimator=estimator,
            input_name="X",
        )
        values = X._features() if are_genotypes else _frame_values(X)
        if are_genotypes and reset:
            estimator.feature_names_in_ = X.names
    elif issparse(X):
        if accept_sparse is None:
            accept_sparse = get_tags(estimator).input_tags.sparse
        X = _validated(
            estimator,
            X,
            y,
            reset,
            has_target,
            dtype=None,
            accept_sparse=["csr", "csc"] if accept_sparse else False,
            ensure_all_finite=False,
            ensure_min_samples=least_rows,
        )
        values = _compressed(X)
        names = NumberedNames(X.shape[1])
    else:
        named = isinstance(X, np.ndarray) and X.dtype.kind in "OUSTb" and X.ndim == 2
        X = _validated(
            estimator,
            X,
            y,
            reset,
            has_target,
            dtype=None if named else _NUMBERS,
            ensure_all_finite=False,
            ensure_min_samples=least_rows,
        )
        names = NumberedNames(X.shape[1])
        if named or whole is not None:
            columns = (X if whole is None else whole).T
            values = [
                _array_column(column, name) for column, name in zip(columns, names, strict=True)
            ]
        else:
            values = _in_one_order(X)
    if y is not None:
        check_consistent_length(X, y)
    if isinstance(values, list):
        texts = (isinstance(column, tuple) for column in values)
    else:
        texts = repeat(False, len(names))
    declared = declarations(X)
    kinds = column_kinds(
        names,
        texts,
        categorical_features,
        genotype_features,
        ordinal_features,
        declared,
        usual="numeric" if issparse(X) else "auto",
    )
    notes = _order_note(names, kinds, declared, ordinal_features)
    return Features(values, names, kinds, n_samples=X.shape[0], notes=notes), y


# Types of the values of sparse matrices that the compiled module reads in place.
_ENTRIES = (np.float64, np.float32, np.int64, np.uint8, np.bool_)


def _compressed(X):
    """Return a CSR or CSC matrix as ``_native.fit`` expects it: layout, shape and arrays."""
    if X.shape[1] >= 2**32:
        raise ValueError(f"X has {X.shape[1]} columns; use at most {2**32 - 1}")
    values = X.data
    if values.dtype.kind in "iu" and (found := first_rounded(values)) is not None:
        (entry,), number = found
        line = int(np.searchsorted(X.indptr, entry, side="right")) - 1
        place = int(X.indices[entry])
        row, column = (line, place) if X.format == "csr" else (place, line)
        raise inexact_number(number, f"x{column}", row)
    if values.dtype not in _ENTRIES:
        values = values.astype(np.float64)
    index = np.int32 if X.indptr.dtype == X.indices.dtype == np.int32 else np.int64
    starts, places = (contiguous(array, dtype=index) for array in (X.indptr, X.indices))
    return X.format == "csr", X.shape, starts, places, contiguous(values)


def read_blocks(blocks, scale, names):
    """Read the blocks of features; the library checks them.

    Parameters
    ----------
    blocks : dict, str or None
        The columns of every block, as names or indices; or a text such as ``"prefix:_"``.
    scale : str
        The scale of the blocks.
    names : sequence of str
        The names of all features.

    Returns
    -------
    blocks : tuple of blocks and scale as ``_native.fit`` expects it; None without blocks
    """
    if not isinstance(scale, str):
        raise option_error(
            "block_scale", f"`{shown(scale)}` is not a text", 'use "size", "variance" or "max"'
        )
    if blocks is None:
        if scale != "size":
            raise option_error(
                "block_scale", "there are no blocks of features", "specify the blocks with blocks="
            )
        return None
    if isinstance(blocks, str):
        if blocks.startswith("prefix:"):
            return blocks, scale
    elif isinstance(blocks, Mapping):
        named = [(str(name), _columns_of_block(own, name, names)) for name, own in blocks.items()]
        return named, scale
    raise option_error(
        "blocks",
        f"`{shown(blocks)}` does not define blocks",
        'use a dict of blocks and their columns, or "prefix:_" for the text before the first _',
    )


def _columns_of_block(columns, block, names):
    """Return the names of the columns of a block, given as names or indices."""
    if isinstance(columns, (str, Integral)):
        columns = [columns]
    found = []
    for column in columns:
        if isinstance(column, Integral) and not isinstance(column, (bool, np.bool_)):
            if not -len(names) <= column < len(names):
                raise option_error(
                    "blocks",
                    f"block `{shown(block)}` has column {column}, but X has {len(names)} columns",
                    f"use indices from 0 to {len(names) - 1}, or names",
                )
            found.append(names[column])
        else:
            found.append(str(column))
    return found


def target_among_features(X, y):
    """Word the warning that a column of `X` has the name of the target; None if there is none."""
    name = getattr(y, "name", None)
    is_frame = is_pandas(X) or is_polars(X)
    if not is_frame or not isinstance(name, str) or name not in list(X.columns):
        return None
    return (
        f"X has a column `{name}`, the name of the target: it is used as a feature; remove it from "
        "X if it contains the target"
    )


def _validated(estimator, X, y, reset, has_target, **options):
    """Check `X`, with `y` if it is given, and set scikit-learn's attributes of a fit."""
    if not reset:
        return validate_data(estimator, X, reset=False, **options)
    is_asked_for = has_target and estimator.__sklearn_tags__().target_tags.required
    if y is None and not is_asked_for:
        return validate_data(estimator, X, **options)
    return validate_data(estimator, X, y, **options)[0]


@readable("y")
def read_classes(y):
    """Read class labels; a numeric target is returned as numbers, which the library refuses.

    Returns
    -------
    target : pair of codes and names, or array of float64
    classes : array of labels, or None
    """
    if not _are_whole(y):
        kind = type_of_target(y, input_name="y")
        if kind == "continuous":
            return contiguous(y, dtype=np.float64), None
        # Only if necessary, because it determines the type again.
        if kind not in ("binary", "multiclass"):
            check_classification_targets(y)
    return _codes(y)


def _codes(y):
    """Codes and names of labels, and the labels; numbers are named as in files."""
    classes, codes = np.unique(y, return_inverse=True)
    if classes.dtype.kind == "f":
        names = [str(int(label)) if label % 1 == 0 else str(label) for label in classes]
    else:
        names = [str(label) for label in classes]
    return (codes.astype(np.uint32), names), classes


@readable("y")
def read_target(y, method, target_type):
    """Read the target of a method; the library decides on its type.

    Returns
    -------
    target : pair of codes and names, array of float64, or pair of times and events
    classes : array of labels; None for another target
    doubt : warning if the type of the target is ambiguous, or None
    """
    if y.dtype.names is not None:
        return _survival(y), None, None
    if y.dtype.kind == "c":
        raise unusable("y", y.dtype)
    if _are_texts(y):
        return _target_of_texts(y, method, target_type)
    numbers = contiguous(y, dtype=np.float64)
    as_classes, doubt = _native.target_is_classes(method, numbers, target_type)
    if not as_classes:
        return numbers, None, doubt
    return *_codes(y), doubt


def read_targets(y, method, target_type, unlabeled=None, tree=None):
    """Read several targets, labels in a hierarchy, or a target with unlabeled rows.

    Parameters
    ----------
    y : array-like or data frame of shape (n_samples,) or (n_samples, n_targets)
    method : name of the method whose rules are used to read a single target
    target_type : type of the targets
    unlabeled : target value of unlabeled rows, "missing" for rows without a target, or None
    tree : dictionary of labels and their parents (None for a label at the top), or None

    Returns
    -------
    found : pair of the target and its class labels, or None for an ordinary target. The target is
        a triple: the targets (name, values of the rows where it is known, these rows), the number
        of rows, and pairs of labels and parents or None. The labels are None unless this is one
        target with classes.
    """
    names, columns = _target_columns(y)
    is_single = len(columns) == 1
    if is_single and unlabeled is None and tree is None:
        return None
    known = [_known_rows(column) for column in columns]
    if unlabeled is not None and not (isinstance(unlabeled, str) and unlabeled == "missing"):
        without = [_differ(column, unlabeled) for column in columns]
        if all(mask.all() for mask in without):
            raise option_error(
                "unlabeled",
                f"no row has the target `{shown(unlabeled)}`",
                'name the value of unlabeled rows, "missing" for rows without a target, or None',
            )
        known = [own & other for own, other in zip(known, without, strict=True)]
    labeled = np.any(known, axis=0)
    if unlabeled is None and not labeled.all():
        row = int(np.flatnonzero(~labeled)[0])
        raise ValueError(
            f"Input y contains NaN (row {row + 1}); leave out rows whose target is unknown, or set "
            'unlabeled="missing"'
        )
    if is_single and labeled.all() and tree is None:
        return None
    if not is_single:
        # Of several targets, numbers are numbers unless the user specifies classes.
        method = "rrelieff"
    elif tree is not None and target_type == "auto":
        target_type = "classes"
    parts = []
    for name, column, mask in zip(names, columns, known, strict=True):
        rows = np.flatnonzero(mask)
        target, classes, _ = read_target(read_known(column[rows]), method, target_type)
        parts.append((name, target, rows.tolist()))
    target = (parts, len(columns[0]), None if tree is None else _tree_pairs(tree))
    return target, classes if is_single and tree is None else None


@readable("y")
def _target_columns(y):
    """List the names and the arrays of the columns of a target."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    if is_pandas(y) and getattr(y, "ndim", 1) == 2:
        columns = [np.asarray(_unmasked(y.iloc[:, at])) for at in range(y.shape[1])]
        return [str(name) for name in y.columns], columns
    if is_polars(y) and hasattr(y, "columns"):
        return list(y.columns), [column.to_numpy() for column in y.get_columns()]
    values = y if isinstance(y, np.ndarray) else _unmasked(y)
    if getattr(values, "ndim", None) is None:
        values = np.asarray(values)
    if getattr(values, "ndim", 1) != 2 or values.shape[1] < 2:
        return ["y"], [values]
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(float), np.nan)
    return [f"y{at}" for at in range(values.shape[1])], list(np.asarray(values).T)


def _known_rows(column):
    """Return the mask of the values that are not missing."""
    column = np.asarray(column)
    if column.dtype.kind in "fc":
        return ~np.isnan(column)
    if column.dtype.kind in "OUST":
        return np.array([not _is_gap(value) for value in column.tolist()], dtype=bool)
    return np.ones(len(column), dtype=bool)


def _differ(column, unlabeled):
    """Return the mask of the values that differ from that of unlabeled rows."""
    text = str(unlabeled)
    values = np.asarray(column).tolist()
    return np.array([value != unlabeled and str(value) != text for value in values], dtype=bool)


def _tree_pairs(tree):
    """Read a hierarchy as pairs of a label and its parent."""
    if not isinstance(tree, Mapping):
        raise TypeError(
            f"option target_tree: {shown(tree)} is not a dictionary of labels and their parents"
        )
    return [
        (str(label), None if is_missing(parent) else str(parent)) for label, parent in tree.items()
    ]


def survival_rows(y):
    """Make a structured array of survival times from two columns; other targets are unchanged.

    Of a data frame, the column of booleans, or the one named `event`, has the events; otherwise the
    first column has the times.
    """
    if getattr(y, "ndim", 1) != 2 or y.shape[1] != 2:
        return y
    names = [str(name) for name in getattr(y, "columns", ["time", "event"])]
    columns = (
        [np.asarray(y[name]) for name in y.columns] if hasattr(y, "columns") else np.asarray(y).T
    )
    event = next((at for at in (0, 1) if columns[at].dtype.kind == "b"), None)
    if event is None:
        event = 0 if names[0].lower() == "event" else 1
    rows = np.empty(len(columns[0]), dtype=[("event", bool), ("time", float)])
    events = columns[event]
    wrong = ~np.isin(events, [0, 1])
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise option_error(
            "y",
            f"row {row}: {events[row]!r} is not an event",
            "write 1 (or True) where the event occurred and 0 where the time is censored",
        )
    rows["event"], rows["time"] = events.astype(bool), columns[1 - event].astype(float)
    return rows


def _survival(y):
    """Read times and events of a structured array with a field of booleans and one of numbers."""
    kinds = {name: y.dtype[name].kind for name in y.dtype.names}
    events = [name for name, kind in kinds.items() if kind == "b"]
    times = [name for name, kind in kinds.items() if kind in "fiu"]
    if len(kinds) != 2 or len(events) != 1 or len(times) != 1:
        raise option_error(
            "y",
            f"a structured array with the fields {', '.join(kinds)} is not survival times",
            "use a field of booleans (whether the event occurred) and one of numbers (the times)",
        )
    return contiguous(y[times[0]], dtype=np.float64), contiguous(y[events[0]], dtype=bool)


def _are_texts(y):
    """Return whether labels are read as texts: all except numbers that float64 represents."""
    if y.dtype.kind == "O":
        return not all(
            isinstance(label, Real) and not isinstance(label, bool) and not _is_rounded(label)
            for label in y.tolist()
        )
    return y.dtype.kind in "USTb" or (y.dtype.kind in "iu" and first_rounded(y) is not None)


def _target_of_texts(y, method, target_type):
    """Read a target of texts, like :func:`read_target`."""
    if y.dtype.kind == "S":
        y = y.astype(str)
    labels = y.tolist()
    known = (str, bytes, bool, np.bool_, Real, Decimal)
    other = next((label for label in labels if not isinstance(label, known)), None)
    if other is not None:
        # With the message of scikit-learn, if it refuses them too.
        check_classification_targets(y)
        raise TypeError(f"Unknown label type: {type(other).__name__}; use texts or numbers")
    codes, levels = _factorize(map(str, labels))
    classes, numbers, doubt = _native.target_of_texts(method, codes, levels, target_type)
    if classes is None:
        return numbers, None, doubt
    if _holds_texts(y):
        return classes, np.sort(np.array(classes[1], dtype=y.dtype)), doubt
    return classes, np.unique(y), doubt


def _holds_texts(y):
    """Return whether an array of labels contains texts."""
    return y.dtype.kind in "UST" or (
        y.dtype.kind == "O" and any(isinstance(label, (str, bytes)) for label in y.tolist())
    )


def read_map_target(y, method):
    """Read the target of a map, like :func:`read_target`.

    Maps have no `target_type`: texts are always classes.
    """
    return read_target(y, method, _type_of_map_target(y))


def read_partial_target(y, method, unlabeled):
    """Read the target of a map with unlabeled rows, like :func:`read_targets`."""
    _, columns = _target_columns(y)
    return read_targets(y, method, _type_of_map_target(np.asarray(columns[0])), unlabeled)


def _type_of_map_target(y):
    """Return the type of the target of a map: texts are always classes."""
    return "classes" if _holds_texts(y) else "auto"


class Rows(BaseEstimator):
    """A placeholder for the attributes that reading sets."""


def read_beside(covariates):
    """Read covariates; columns without names are called ``covariate0`` etc."""
    features, _ = read_features(Rows(), covariates, None, None, None)
    if not (is_pandas(covariates) or is_polars(covariates)):
        names = NumberedNames(len(features.names), "covariate")
        features = Features(features.values, names, features.kinds, n_samples=features.n_samples)
    # Checked here, because the parameters of the caller refer to other columns.
    with advising({}, columns_of(covariates, "covariates")):
        _native.check_columns(features.values, features.names, features.kinds, True)
    return features


def check_uses(option, are_given, uses):
    """Refuse covariates without a use, and a use without covariates.

    Parameters
    ----------
    option : str
        The parameter of the covariates.
    are_given : bool
        Whether it has a value.
    uses : dict of str to bool
        For every parameter that uses covariates, whether it is set.
    """
    *others, last = uses
    others = ", ".join(others)
    is_used = any(uses.values())
    if is_used and not are_given:
        raise option_error(option, "there are none", f"provide them, or omit {others} and {last}")
    if are_given and not is_used:
        raise option_error(option, "their use is not specified", f"set {others} or {last}")


def read_covariates(covariates, caliper, in_distance, residuals, n_samples):
    """Read the covariates of a fit.

    Returns
    -------
    covariates : tuple as ``_native.fit`` expects it, or None
    """
    uses = {
        "caliper": caliper is not None,
        "covariate_distance": in_distance,
        "residuals": residuals,
    }
    check_uses("covariates", covariates is not None, uses)
    if covariates is None:
        return None
    if caliper is not None:
        caliper = read_real("caliper", caliper, "use a number of standard deviations above 0")
    own = _columns_of_covariates(covariates, n_samples)
    return (*own, caliper, bool(in_distance), bool(residuals))


def read_covariates_of_models(covariates, n_samples):
    """Read the covariates in the models of tests, which have no other use.

    Returns
    -------
    covariates : tuple as ``_native.find_pairs`` expects it, or None
    """
    if covariates is None:
        return None
    return (*_columns_of_covariates(covariates, n_samples), None, False, False)


def _columns_of_covariates(covariates, n_samples):
    """Read the values, names and kinds of covariates."""
    features = read_beside(covariates)
    if features.n_samples != n_samples:
        msg = f"{n_samples} rows, but {features.n_samples} rows of covariates"
        raise ValueError(msg)
    return features.values, features.names, features.kinds


def read_test(n_permutations, correction, alpha, strata=None, sided="one"):
    """Read the parameters of a permutation test; the library checks the numbers.

    Returns
    -------
    test : tuple as ``_native.fit`` expects it
    """
    if not isinstance(n_permutations, str):
        expected = 'use a whole number, "adaptive" or "adaptive:MOST"'
        # The library refuses numbers that are too small for the level.
        n_permutations = read_whole("n_permutations", n_permutations, expected, least=-(2**63))
    if not isinstance(correction, str):
        raise TypeError(f"option correction: {correction!r} is not a text")
    if not isinstance(sided, str):
        raise TypeError(f"option sided: {sided!r} is not a text")
    alpha = read_real("alpha", alpha, "use a number above 0 and below 1")
    return str(n_permutations), correction, alpha, strata, sided


@readable("strata")
def read_strata(strata, y):
    """Read the strata within which a target is permuted, as :func:`_read_groups` does."""
    return _read_groups("strata", strata, y)


@readable("groups")
def read_groups(groups, y, weight):
    """Read groups of rows that are not independent, and how much the rows of a group count.

    Returns
    -------
    groups : pair as ``_native.fit`` expects it, or None
    """
    if groups is None:
        if weight != "group":
            raise option_error(
                "group_weight", "it has no effect without groups", "omit it, or give groups"
            )
        return None
    if not isinstance(weight, str):
        raise TypeError(f"option group_weight: {weight!r} is not a text")
    return _read_groups("groups", groups, y), weight


class RowRoles(NamedTuple):
    """Groups and weights of rows, and priors of classes, as a caller of `fit` gives them."""

    groups: Any = None
    group_weight: str = "group"
    sample_weight: Any = None
    priors: Any = "data"

    def read(self, y):
        """Return groups and weights as ``_native.fit`` expects them."""
        groups = read_groups(self.groups, y, self.group_weight)
        weights = _read_weights(self.sample_weight, y)
        priors = _read_priors(self.priors)
        return groups, None if weights is None and priors is None else (weights, priors)

    def without_weight_0(self, X, y, *others):
        """Exclude rows of weight 0 from the roles, from X and y, and from the others, if any."""
        weights = _read_weights(self.sample_weight, y)
        if weights is None:
            return self, X, y, *others
        rows = _native.positive_rows(weights)
        if len(rows) == len(weights):
            return self, X, y, *others

        def remaining(values):
            return None if values is None else _rows_of(values, rows)

        roles = self._replace(groups=remaining(self.groups), sample_weight=weights[rows])
        return roles, *map(remaining, (X, y, *others))


def _rows_of(values, rows):
    """Select rows of features, a target, or a role of rows."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if type(values).__module__.partition(".")[0] == "polars":
        return values[rows.tolist()]
    if issparse(values) and values.format != "csc":
        values = values.tocsr()
    if hasattr(values, "shape"):
        return values[rows]
    return [values[row] for row in rows]


@readable("sample_weight")
def _read_weights(weights, y):
    """Read the weights of rows as floats, which the library checks."""
    if weights is None:
        return None
    if np.ma.isMaskedArray(weights):
        weights = plain(weights)
    if isinstance(weights, Real):
        weights = np.full(len(y), float(weights))
    weights = column_or_1d(weights)
    check_consistent_length(weights, y)
    return contiguous(weights, dtype=np.float64)


def _read_priors(priors):
    """Read priors of classes: a word, or a mapping from classes to numbers."""
    if isinstance(priors, str):
        return None if priors == "data" else priors
    if not isinstance(priors, Mapping):
        raise TypeError(
            f'option priors: {priors!r} is neither "data", "uniform" nor a dictionary of classes'
        )
    number = "use a number above 0 for every class"
    return [(str(name), read_real("priors", prior, number)) for name, prior in priors.items()]


def _read_groups(option, groups, y):
    """Read groups of rows: numbers unchanged, which the library checks; others as labels.

    Returns
    -------
    groups : array of float64, or pair of codes and names
    """
    if np.ma.isMaskedArray(groups):
        groups = plain(groups)
    groups = column_or_1d(groups)
    check_consistent_length(groups, y)
    gap = next((row for row, group in enumerate(groups) if _is_gap(group)), None)
    if gap is not None:
        raise option_error(option, f"row {gap + 1} has no value", "give a value for every row")
    if groups.dtype.kind in "iuf":
        return contiguous(groups, dtype=np.float64)
    return _codes(groups.astype(str))[0]


def _are_whole(y):
    """Whether the type of labels is integer or boolean, so that they need no further check."""
    return y.dtype.kind in "biu"


@readable("y")
def read_known(y):
    """Read a target without missing values; an error reports the row of a missing value."""
    if np.ma.isMaskedArray(y):
        masked = np.flatnonzero(np.ma.getmaskarray(y))
        if len(masked):
            raise ValueError(
                f"Input y is masked (row {masked[0] + 1}); leave out rows whose target is unknown"
            )
        y = y.data
    y = _unmasked(y)
    is_column = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf"
    if not is_column:
        y = column_or_1d(y, warn=True)
    if y.dtype.kind in "mM":
        raise unusable("y", y.dtype)
    if y.dtype.kind == "O":
        missing = [row for row, label in enumerate(y) if is_missing(label)]
    elif y.dtype.kind in "fc":
        missing = np.flatnonzero(~np.isfinite(y))
    else:
        missing = []
    if len(missing):
        row = missing[0]
        kind = "infinity" if y.dtype.kind == "f" and np.isinf(y[row]) else "NaN"
        raise ValueError(
            f"Input y contains {kind} (row {row + 1}); leave out rows whose target is unknown"
        )
    if y.dtype.kind in "OUST":
        _refuse_missing_texts(y)
    return y


def _unmasked(y):
    """Convert a nullable pandas type to its NumPy type, which scikit-learn would lose."""
    numpy_type = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if getattr(numpy_type, "kind", "") not in ("b", "i", "u") or not hasattr(y, "isna"):
        return y
    return y.to_numpy(dtype=object if y.isna().any() else numpy_type)


def _refuse_missing_texts(y):
    """Refuse labels that are missing values in all readers, such as the text `NA`."""
    texts = {label for label in y.tolist() if isinstance(label, str)}
    missing = {text for text in texts if _native.is_missing_text(text.strip())}
    if missing:
        row, text = next((row, text) for row, text in enumerate(y.tolist()) if text in missing)
        raise ValueError(
            f"Input y contains the text {text!r} (row {row + 1}), which is a missing value code; "
            "leave out rows whose target is unknown, or rename the class"
        )


def _is_gap(value):
    """Return whether a value is missing, or a text that all readers treat as missing."""
    if isinstance(value, str):
        return _native.is_missing_text(value.strip())
    return is_missing(value)


def is_missing(value):
    """Return whether a value is missing."""
    # NaN differs from itself; the truth value of pandas' NA is an error.
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True


@dataclass(frozen=True)
class Declared:
    """The kind that the type of a column declares."""

    is_category: bool = False
    levels: list[str] | None = None
    """All levels of an ordered type."""
    is_ordered: bool = False
    """Whether the column is ordinal unless a parameter specifies its kind."""


def declarations(X):
    """List what the types of the columns of a frame declare; empty if none declares anything."""
    if not (is_pandas(X) or is_polars(X)):
        return []
    declaration = _pandas_declaration if is_pandas(X) else _polars_declaration
    types = list(X.dtypes)
    # Columns may be many; types are few.
    found = {dtype: declaration(dtype) for dtype in set(types)}
    declares = any(declared.is_category for declared in found.values())
    return [found[dtype] for dtype in types] if declares else []


def _pandas_declaration(dtype):
    if str(dtype) != "category":
        return Declared()
    if not dtype.ordered:
        return Declared(is_category=True)
    return Declared(True, [str(level) for level in dtype.categories], is_ordered=True)


def _polars_declaration(dtype):
    name = str(dtype)
    levels = list(dtype.categories) if name.startswith("Enum") else None
    return Declared(name.startswith(("Categorical", "Enum")), levels)


def _order_note(names, kinds, declared, ordinal_features):
    """Word the warning about columns that are ordinal only because of their type."""
    if ordinal_features is not None:
        return ()
    ordered = [
        name
        for name, kind, own in zip(names, kinds, declared, strict=False)
        if own.is_ordered and isinstance(kind, list)
    ]
    if not ordered:
        return ()
    shown = ", ".join(ordered[:8]) + (f", and {len(ordered) - 8} more" if ordered[8:] else "")
    listed = ", ".join(f'"{name}"' for name in ordered[:8])
    if ordered[8:]:
        listed += ", ..."
    return (
        "ordered categories are ordinal, and their difference is the distance between levels: "
        f"{shown}; to treat them as unordered categories, use categorical_features=[{listed}]",
    )


def column_kinds(
    names,
    texts,
    categorical_features,
    genotype_features,
    ordinal_features=None,
    declared=(),
    usual="auto",
):
    """Kind of every column; `texts` marks columns of texts, booleans or categories.

    If a column is not in a list, its kind is "categorical" if its type declares categories
    (`declared`), the list of its levels if its type declares an order, and `usual` otherwise.

    Returns
    -------
    kinds : list of {"numeric", "categorical", "ordinal", "genotype", "auto"} or list of str
        A list of texts contains the levels of an ordinal column in ascending order.
    """
    categorical = _mask(names, categorical_features, "categorical_features")
    genotype = _mask(names, genotype_features, "genotype_features")
    ordinal, orders = _orders(names, ordinal_features)
    _one_kind(
        names,
        [
            ("categorical", categorical, isinstance(categorical_features, str)),
            ("ordinal", ordinal, isinstance(ordinal_features, str)),
            ("genotype", genotype, isinstance(genotype_features, str)),
        ],
    )

    if categorical is None and genotype is None and ordinal is None and not declared:
        return [usual] * len(names)

    def kind_of(index, is_text, own):
        if categorical is not None and categorical[index]:
            return "categorical"
        if ordinal is not None and ordinal[index]:
            return orders.get(index) or own.levels or "ordinal"
        if genotype is not None and genotype[index]:
            return "genotype"
        if own.is_ordered and ordinal is None:
            return own.levels
        # If a list is given, it is complete: no other column is of that kind.
        stated = categorical if is_text else genotype
        inferred = "categorical" if own.is_category else usual
        return inferred if stated is None else "numeric"

    columns = zip(texts, declared or repeat(Declared(), len(names)), strict=True)
    return [kind_of(index, *own) for index, own in enumerate(columns)]


def _orders(names, wanted):
    """Mask of the ordinal columns, or None, and the levels of columns with listed levels."""
    if not isinstance(wanted, Mapping):
        return _mask(names, wanted, "ordinal_features"), {}
    mask = np.zeros(len(names), dtype=bool)
    orders = {}
    places = _places(names, wanted, "ordinal_features")
    for place, (column, levels) in zip(places, wanted.items(), strict=True):
        mask[place] = True
        if levels is None:
            continue
        levels = [levels] if isinstance(levels, str) else list(levels)
        if not levels:
            raise option_error(
                "ordinal_features",
                f"the list of levels of `{column}` is empty",
                "list the levels in ascending order, or use None for the order of the numbers",
            )
        orders[place] = [str(level) for level in levels]
    return mask, orders


def _one_kind(names, masks):
    """Refuse columns in two lists. Lists take precedence over "all"."""
    listed = [(kind, mask) for kind, mask, is_all in masks if mask is not None and not is_all]
    for _, mask, is_all in masks:
        if mask is not None and is_all:
            for _, other in listed:
                mask &= ~other
    masks = [(kind, mask) for kind, mask, _ in masks if mask is not None]
    for (one, mask), (other, others) in combinations(masks, 2):
        for index in np.flatnonzero(mask & others):
            raise ValueError(
                f"column `{names[index]}`: it is declared both {one} and {other}; "
                "include it in only one of the two lists"
            )


def _mask(names, wanted, option):
    """Boolean mask of the specified columns, or None if the kinds are inferred."""
    if wanted is None:
        return None
    if isinstance(wanted, str):
        if wanted == "all":
            return np.ones(len(names), dtype=bool)
        raise option_error(
            option,
            f"`{wanted}` is not one of its values",
            "use None, 'all', names, indices or a boolean mask",
        )
    wanted = list(wanted)
    mask = np.zeros(len(names), dtype=bool)
    if wanted and all(isinstance(entry, (bool, np.bool_)) for entry in wanted):
        if len(wanted) != len(names):
            raise option_error(
                option,
                f"its mask has {len(wanted)} entries for {len(names)} columns",
                "provide one entry per column",
            )
        return np.asarray(wanted, dtype=bool)
    mask[list(_places(names, wanted, option))] = True
    return mask


def _places(names, wanted, option):
    """Yield the indices of columns that are listed by names or indices."""
    # One dictionary, because a search for each of thousands of names would take seconds.
    is_named = any(isinstance(entry, str) for entry in wanted)
    places = {name: place for place, name in enumerate(names)} if is_named else {}
    for entry in wanted:
        if isinstance(entry, str):
            # The library raises the error for an unknown name.
            place = places.get(entry)
            yield _native.column_index(names, entry) if place is None else place
        elif isinstance(entry, Integral) and not isinstance(entry, (bool, np.bool_)):
            if not -len(names) <= entry < len(names):
                raise option_error(
                    option,
                    f"there is no column {entry}",
                    f"there are {len(names)} columns, numbered from 0",
                )
            yield range(len(names))[entry]
        else:
            raise TypeError(
                f"option {option}: {entry!r} is neither a name nor an index; use None, 'all', "
                "names, indices or a boolean mask"
            )


# Columns of a frame that are read together. The compiled module compares each column with all
# others of the same array.
_TOGETHER = 128


def _frame_values(X):
    """Read a frame: an array if all columns are numbers of one type, otherwise a list of columns.

    Numbers of one type are read together, because a series per column would take most of the time
    of a fit with thousands of columns.
    """
    read_numbers = _polars_numbers if is_polars(X) else _pandas_numbers
    places = {}
    for place, dtype in enumerate(X.dtypes):
        places.setdefault(dtype, []).append(place)
    if len(places) == 1 and (numbers := read_numbers(X, *places)) is not None:
        return numbers
    columns = [None] * X.shape[1]
    for dtype, of_type in places.items():
        for start in range(0, len(of_type), _TOGETHER):
            some = of_type[start : start + _TOGETHER]
            part = X[:, some] if is_polars(X) else X.iloc[:, some]
            for place, column in zip(some, _columns(part, read_numbers(part, dtype)), strict=True):
                columns[place] = column
    return columns


def _columns(part, numbers):
    """List the columns of a part of a frame; `numbers` is their array if they are numbers."""
    if numbers is not None:
        # Single columns of bytes would be codes.
        dtype = np.float32 if numbers.dtype == np.float32 else np.float64
        return list(np.ascontiguousarray(numbers.T, dtype=dtype))
    if is_polars(part):
        return [_polars_column(series) for series in part.get_columns()]
    return [_pandas_column(part.iloc[:, index]) for index in range(part.shape[1])]


def _pandas_numbers(X, dtype):
    """Read columns of a type as one array; None if they are not numbers, or float64 rounds one."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iuf":
        return None
    values = X.to_numpy()
    if dtype.kind in "iu" and first_rounded(values) is not None:
        return None
    if dtype not in _NUMBERS:
        values = values.astype(np.float64)
    return _in_one_order(values)


def _polars_numbers(X, dtype):
    """Read columns of a type as one array; None if they are not numbers, or float64 rounds one."""
    if not (dtype.is_float() or dtype.is_integer()):
        return None
    import polars as pl

    if dtype.is_integer():
        bounds = (*X.max().row(0), *X.min().row(0))
        if any(bound is not None and abs(bound) > _EXACT for bound in bounds):
            return None
    if dtype != pl.Float32:
        # Before nulls are replaced, because integers have no NaN.
        X = X.cast(pl.Float64)
    return X.fill_null(float("nan")).to_numpy()


def _pandas_column(series):
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if str(dtype) == "category":
        levels = [str(level) for level in series.cat.categories]
        return series.cat.codes.to_numpy(dtype=np.int32), levels, True
    if kind in "iuf":
        if kind in "iu" and _has_rounded(series):
            return _texts(None if is_missing(value) else str(int(value)) for value in series)
        return contiguous(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind in "mMc" or str(dtype).startswith("period"):
        raise unusable(series.name, dtype)
    if dtype == np.bool_:
        return _truths(series.to_numpy())
    import pandas as pd

    if pd.api.types.infer_dtype(series, skipna=True) == "string":
        codes, levels = pd.factorize(series)
        return codes.astype(np.int32), [str(level) for level in levels], False
    return _object_column(series.to_numpy(dtype=object), series.name)


def _polars_column(series):
    import polars as pl

    dtype = series.dtype
    if dtype.is_integer() or dtype.is_decimal():
        if _has_rounded(series):
            return _texts(None if value is None else str(value) for value in series)
        # Cast first, because integers have no NaN for null.
        return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if dtype.is_temporal() or dtype.is_nested():
        raise unusable(series.name, dtype)
    if str(dtype).startswith(("Categorical", "Enum")):
        return *_factorize(series.to_list()), True
    if dtype == pl.Boolean and not series.has_nulls():
        return _truths(series.to_numpy())
    if dtype == pl.String and series.null_count() < len(series):
        levels = series.drop_nulls().unique(maintain_order=True).to_list()
        codes = series.replace_strict(levels, range(len(levels)), default=-1, return_dtype=pl.Int32)
        return codes.to_numpy(), levels, False
    return _object_column(np.array(series.to_list(), dtype=object), series.name)


def _has_rounded(series):
    """Return whether float64 would round a whole number of a column."""
    known = [bound for bound in (series.max(), series.min()) if not is_missing(bound)]
    if all(abs(int(bound)) <= _EXACT for bound in known):
        return False
    return any(_is_rounded(value) for value in series if not is_missing(value))


def unusable(name, dtype):
    """Create the error for a column of an unsupported type, such as dates."""
    return TypeError(
        f"column `{name}`: values of type {dtype} are not supported; convert the column to numbers "
        "(dates for example by `(date - date.min()) / np.timedelta64(1, 'D')`) or to categories, "
        "or exclude it"
    )


def _array_column(values, name):
    if values.dtype.kind == "O":
        return _object_column(values, name)
    if values.dtype.kind in "iu":
        rounded = first_rounded(values) is not None
        return _texts(map(str, values.tolist())) if rounded else contiguous(values, np.float64)
    if values.dtype.kind == "b":
        return _truths(values)
    return _texts(values.astype(str).tolist())


def _truths(values):
    """Codes and levels of an array of truth values, in the format of :func:`_texts`."""
    first = bool(values[0])
    codes = (values != first).astype(np.int32)
    return codes, [str(first), str(not first)][: 1 + codes.max()], False


def _object_column(values, name):
    """Numbers as float64, or texts if a value is a text, a boolean or rounded by float64."""
    known = [value for value in values if not is_missing(value)]
    for value in known:
        if isinstance(value, (date, timedelta, np.datetime64, np.timedelta64)):
            raise unusable(name, type(value).__name__)
    texts = (str, bytes, bool, np.bool_)
    if any(isinstance(value, texts) or _is_rounded(value) for value in known):
        for value in known:
            if not isinstance(value, (*texts, Real, Decimal)):
                raise TypeError(
                    f"column `{name}`: argument must be a string or a real number, not "
                    f"'{type(value).__name__}'"
                )
        return _texts(None if is_missing(value) else str(value) for value in values)
    return np.array(
        [np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64
    )


def _texts(texts):
    """Return texts unchanged; the library determines their kind and which are missing."""
    return *_factorize(texts), False


def _factorize(texts):
    """Codes and levels of texts; None is missing, levels are in order of first occurrence."""
    index = {}
    codes = np.fromiter(
        (-1 if text is None else index.setdefault(text, len(index)) for text in texts),
        dtype=np.int32,
    )
    return codes, list(index)
