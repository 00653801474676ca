"""Tables of samples from files, with the properties of the samples."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from basrelief import _native
from basrelief._base import warn_caller

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SampleTable", "read_table"]


@dataclass(frozen=True, eq=False)
class SampleTable:
    """Features and properties of samples, as returned by :func:`read_table`.

    Attributes
    ----------
    X : pandas.DataFrame or dict of arrays
        A column per feature, a row per sample. The index contains the names of the samples, if the
        file has them. A dict if pandas is not installed.
    samples : pandas.DataFrame or dict of arrays
        A column per property of the samples, with the rows of `X`: of the phenotype file, of a GCT
        file, or the characteristics of a GEO series. Without such properties, it has no columns.
    notes : list of str
        How many samples have properties, and which ones do not.
    """

    X: Any
    samples: Any
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        width, properties = len(dict(self.X)), len(dict(self.samples))
        rows = len(next(iter(dict(self.X).values())))
        return f"<SampleTable of {rows} samples, {width} features and {properties} properties>"


def read_table(
    path: str | os.PathLike[str],
    *,
    transpose: bool = False,
    pheno: str | os.PathLike[str] | None = None,
    sheet: str | None = None,
    na_values: str | Sequence[str] = (),
    delimiter: str | None = None,
) -> SampleTable:
    r"""Read a table of samples, with the properties of the samples, as the command line does.

    Parameters
    ----------
    path : path
        CSV, TSV or other delimited text, GCT 1.2 or 1.3, or a series matrix of the Gene Expression
        Omnibus (``_series_matrix.txt``), each also with ``.gz``; ``.xlsx``, ARFF, Parquet, ``.npy``
        or ``.npz``. GCT files and series matrices have features in rows.
    transpose : bool, default=False
        Whether the rows of a text file or worksheet are features and its columns samples, as in
        most tables of gene expression. The first column contains the names of the features.
    pheno : path or None, default=None
        A table of properties of the samples. Its first column contains the names of the samples,
        which are also in the first column of `path`, or in its first row if features are rows.
        Samples that it does not contain have missing values.
    sheet : str or None, default=None
        The worksheet of a workbook; None reads the only one.
    na_values : str or sequence of str, default=()
        Further texts that mean a missing value.
    delimiter : str or None, default=None
        The separator of cells, one ASCII character; None detects it.

    Returns
    -------
    table : SampleTable
        Features and properties.

    Raises
    ------
    ValueError
        The file is damaged or has no known format; no sample of `pheno` is in the table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from basrelief import MultiSURF, read_table
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> genes = "gene,s1,s2,s3,s4\nA,1,2,5,6\nB,0,3,3,1\n"
    >>> _ = (folder / "genes.csv").write_text(genes)
    >>> _ = (folder / "samples.csv").write_text("sample,class\ns1,x\ns2,x\ns3,y\ns4,y\n")
    >>> table = read_table(folder / "genes.csv", transpose=True, pheno=folder / "samples.csv")
    >>> table
    <SampleTable of 4 samples, 2 features and 1 properties>
    >>> MultiSURF().fit(table.X, table.samples["class"]).weights_.shape
    (2,)
    """
    found = _native.read_samples(
        os.fspath(path),
        transpose=transpose,
        pheno=None if pheno is None else os.fspath(pheno),
        sheet=sheet,
        na_values=[na_values] if isinstance(na_values, str) else list(na_values),
        delimiter=delimiter,
    )
    warn_caller(found["warnings"])
    features, names = found["features"], found["names"]
    if names is None:
        names = range(len(next(iter(features.values()))))
    return SampleTable(_frame(features, names), _frame(found["annotations"], names), found["notes"])


def _frame(columns, names):
    """Create a data frame, or a dict of arrays if pandas is not installed."""
    arrays = {
        name: values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
        for name, values in columns.items()
    }
    if find_spec("pandas") is None:
        return arrays
    import pandas as pd

    return pd.DataFrame(arrays, index=names)
