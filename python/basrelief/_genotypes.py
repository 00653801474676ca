"""Genotypes that stay in their file until they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["GenotypeMatrix", "require_variants_of_fit"]

# What stands for a missing genotype in arrays of whole numbers.
MISSING = -1


class GenotypeMatrix:
    """Genotypes of people (rows) and variants (columns) in a file of PLINK, or a VCF.

    Estimators take it as ``X``: they read what they need of the file, two bits a genotype. Rows and
    columns are chosen as of a NumPy array (lists of both as by ``numpy.ix_``), without reading
    anything, so that cross-validation works too. ``numpy.asarray`` gives the copies of A1 as
    ``float32``, NaN where they are missing.

    :func:`read_plink` makes it.

    Attributes
    ----------
    shape : (int, int)
        People and variants.
    names : array of shape (n_variants,)
        The variants' names, which are all different.
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
        """People and variants."""
        return len(self._people), len(self._variants)

    @property
    def names(self) -> NDArray[np.object_]:
        """The variants' names, which are all different."""
        return self._names[self._variants]

    def __len__(self) -> int:
        return len(self._people)

    def __repr__(self) -> str:
        people, variants = self.shape
        return f"<GenotypeMatrix of {people} people and {variants} variants>"

    def __getitem__(self, key: Any) -> GenotypeMatrix:
        if not isinstance(key, tuple):
            key = (key,)
        if len(key) > 2:
            raise IndexError(f"{len(key)} indices for people and variants: give one or two")
        # Of two dimensions, an ellipsis can only stand for one.
        key = tuple(slice(None) if part is Ellipsis else part for part in key)
        rows, columns = (*key, slice(None))[:2]
        people, variants = _chosen(self._people, rows), _chosen(self._variants, columns)
        return GenotypeMatrix(self._cohort, self._names, people, variants)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None):
        if copy is False:
            raise ValueError("genotypes are read from their file: there is no array to share")
        codes = self.to_numpy()
        numbers = codes.astype(np.float32 if dtype is None else dtype)
        if numbers.dtype.kind == "f":
            numbers[codes == MISSING] = np.nan
        elif (codes == MISSING).any():
            raise ValueError(
                f"missing genotypes have no value of type {numbers.dtype}: use a type of floating "
                "point numbers, or to_numpy(missing=...)"
            )
        return numbers

    def to_numpy(self, missing: int = MISSING) -> NDArray[np.int8]:
        """Read the genotypes.

        Parameters
        ----------
        missing : int, default=-1
            What stands for a missing genotype.

        Returns
        -------
        copies : array of int8 of shape (n_people, n_variants)
            Copies of A1: 0, 1 or 2. Variants lie side by side (Fortran order).
        """
        return self._cohort.genotypes(self._people, self._variants, missing).T

    def _features(self):
        """Give what ``_native.fit`` takes."""
        return self._cohort, self._people, self._variants


def require_variants_of_fit(estimator, X: GenotypeMatrix):
    """Refuse a matrix whose variants are not those that an estimator was fitted to."""
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and not np.array_equal(names, X.names):
        raise ValueError(
            f"the variants of X are not those that {type(estimator).__name__} was fitted to"
        )


def _chosen(places, key):
    """Choose some of the places, as of an array; a single one is a row or column all the same."""
    if isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_)):
        key = [key]
    chosen = places[key]
    if chosen.ndim != 1:
        raise IndexError(
            "people and variants are chosen by slices, or lists of numbers or booleans"
        )
    return np.ascontiguousarray(chosen)
