"""Genotypes that are read from their file only when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["GenotypeMatrix", "require_variants_of_fit"]

# Code of a missing genotype in integer arrays.
MISSING = -1


class GenotypeMatrix:
    """Genotypes of people (rows) and variants (columns) in a PLINK or VCF file.

    Estimators accept it as ``X`` and read the genotypes they need, with two bits per genotype. It
    is indexed like a NumPy array (two lists as with ``numpy.ix_``). Indexing does not read the
    file, so that cross-validation works. ``numpy.asarray`` returns the counts of A1 as ``float32``,
    with NaN for missing genotypes.

    :func:`read_plink` and :func:`read_vcf` create it.

    Attributes
    ----------
    shape : (int, int)
        Numbers of people and variants.
    names : array of shape (n_variants,)
        Names of the variants, without duplicates.
    """

    ndim = 2
    dtype = np.dtype(np.float32)

    def __init__(self, cohort, names, people, variants):
        self._cohort = cohort
        self._names = names
        self._people = people
        self._variants = variants

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of people and variants."""
        return len(self._people), len(self._variants)

    @property
    def names(self) -> NDArray[np.object_]:
        """Names of the variants, without duplicates."""
        return self._names[self._variants]

    def __len__(self) -> int:
        return len(self._people)

    def __repr__(self) -> str:
        people, variants = self.shape
        return f"<GenotypeMatrix of {people} people and {variants} variants>"

    def __getitem__(self, key: Any) -> GenotypeMatrix:
        rows, columns = _rows_and_columns(key if isinstance(key, tuple) else (key,))
        people, variants = _chosen(self._people, rows), _chosen(self._variants, columns)
        return GenotypeMatrix(self._cohort, self._names, people, variants)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None):
        if copy is False:
            raise ValueError("genotypes are read from their file, which always makes a copy")
        codes = self.to_numpy()
        numbers = codes.astype(np.float32 if dtype is None else dtype)
        if numbers.dtype.kind == "f":
            numbers[codes == MISSING] = np.nan
        elif (codes == MISSING).any():
            raise ValueError(
                f"missing genotypes cannot be represented as {numbers.dtype}: use a floating-point "
                "type, or to_numpy(missing=...)"
            )
        return numbers

    def to_numpy(self, missing: int = MISSING) -> NDArray[np.int8]:
        """Read the genotypes.

        Parameters
        ----------
        missing : int, default=-1
            Code of a missing genotype.

        Returns
        -------
        copies : array of int8 of shape (n_people, n_variants)
            Copies of A1: 0, 1 or 2. The array is in Fortran order.
        """
        return self._cohort.genotypes(self._people, self._variants, missing).T

    def _features(self):
        """Return the features as ``_native.fit`` expects them."""
        return self._cohort, self._people, self._variants


def require_variants_of_fit(estimator, X: GenotypeMatrix):
    """Refuse a matrix with other variants than an estimator was fitted to."""
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and not np.array_equal(names, X.names):
        raise ValueError(
            f"the variants of X differ from those that {type(estimator).__name__} was fitted to; "
            "provide the same variants in the same order"
        )


def _rows_and_columns(key):
    """Return the indices of both dimensions. An ellipsis stands for missing indices."""
    is_ellipsis = [part is Ellipsis for part in key]
    if sum(is_ellipsis) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if any(is_ellipsis):
        at = is_ellipsis.index(True)
        given = len(key) - 1
        key = (*key[:at], *[slice(None)] * max(2 - given, 0), *key[at + 1 :])
    if len(key) > 2:
        raise IndexError(f"{len(key)} indices for people and variants: use one or two")
    return (*key, slice(None), slice(None))[:2]


def _chosen(places, key):
    """Select entries of an array by an index. A single index keeps its dimension."""
    if not isinstance(key, slice):
        if key is None or isinstance(key, (bool, np.bool_, str, bytes)):
            raise IndexError(NO_INDEX)
        if isinstance(key, (list, tuple, range)) and len(key) == 0:
            key = np.empty(0, dtype=np.intp)
        key = np.asarray(key)
        if key.dtype.kind not in "biu":
            raise IndexError(NO_INDEX)
        key = key.reshape(1) if key.ndim == 0 else key
    chosen = places[key]
    if chosen.ndim != 1:
        raise IndexError(NO_INDEX)
    return np.ascontiguousarray(chosen)


NO_INDEX = (
    "index people and variants by whole numbers, slices, or lists of whole numbers or booleans"
)
