"""Cohorts of PLINK and VCF."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from basrelief import _native
from basrelief._base import (
    warn_caller,
)
from basrelief._genotypes import GenotypeMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PlinkCohort", "read_plink", "read_vcf"]


@dataclass(frozen=True, eq=False)
class PlinkCohort:
    """What :func:`read_plink` and :func:`read_vcf` give.

    Attributes
    ----------
    X : GenotypeMatrix of shape (n_people, n_variants)
        Genotypes: the copies of A1.
    y : array of shape (n_people,)
        The phenotype: ``"case"`` or ``"control"``, another class, or a number. It is None or NaN
        where it is missing.
    samples : pandas.DataFrame or dict of arrays
        The people, a row each: FID, IID, father, mother, sex. A dict where pandas is not installed.
    variants : pandas.DataFrame or dict of arrays
        The variants, a row each: name, CHROM, POS, ID, A1, A2.
    covariates : pandas.DataFrame, dict of arrays or None
        The covariates, a row per person: numbers, or texts that are categories. NaN, or None, is
        missing. None where no file of them was read.
    target_name : str
        What the phenotype is called.
    """

    X: GenotypeMatrix
    y: NDArray[Any]
    samples: Any
    variants: Any
    covariates: Any
    target_name: str

    def __repr__(self) -> str:
        people, variants = self.X.shape
        return f"<PlinkCohort of {people} people and {variants} variants>"


def read_plink(
    path: str | os.PathLike[str],
    *,
    pheno: str | os.PathLike[str] | None = None,
    pheno_name: str | None = None,
    target_type: str = "auto",
    one_is_case: bool = False,
    na_values: str | Sequence[str] = (),
    covar: str | os.PathLike[str] | None = None,
    covar_name: str | None = None,
    keep: str | os.PathLike[str] | None = None,
    remove: str | os.PathLike[str] | None = None,
    extract: str | os.PathLike[str] | None = None,
    exclude: str | os.PathLike[str] | None = None,
    chromosomes: str | None = None,
    all_chromosomes: bool = False,
    chr_set: int | None = None,
    mind: float | None = None,
    geno: float | None = None,
    hwe: float | None = None,
    maf: float | None = None,
    ld_prune: str | None = None,
    keep_missing: bool = False,
) -> PlinkCohort:
    """Read a cohort of PLINK: people, variants and phenotype now, genotypes when they are needed.

    Parameters
    ----------
    path : path
        The ``.bed`` file, with ``.bim`` and ``.fam`` beside it; the ``.pgen`` file of PLINK 2, with
        ``.pvar`` (or ``.pvar.zst``) and ``.psam`` beside it; or all three without their endings, of
        PLINK 1 where there is a ``.bed`` file, else of PLINK 2 where there is a ``.pgen`` file.
    pheno : path or None, default=None
        A file of phenotypes: lines of FID, IID and values; a first line may name them. None takes
        the last column of the ``.fam`` file, or the phenotype of the ``.psam`` file. A FID of 0 is
        unknown: the IID alone finds the person.
    pheno_name : str or None, default=None
        The phenotype among several that the first line of `pheno` or the ``.psam`` file names.
    target_type : {"auto", "classes", "real"}, default="auto"
        How phenotypes are read. ``"auto"`` reads 1, 2 and 0 as control, case and missing, and other
        numbers as a quantity; ``"real"`` reads all numbers as a quantity; ``"classes"`` also reads
        words, each of which is a class.
    one_is_case : bool, default=False
        Whether phenotypes are 0 for controls and 1 for cases, as for ``--1`` of PLINK.
    na_values : str or sequence of str, default=()
        Texts that stand for missing phenotypes and covariates, besides -9, NA and the like.
    covar : path or None, default=None
        A file of covariates: lines of FID, IID and values, below a line that names them.
    covar_name : str or None, default=None
        Which of them are read, as in ``"PC1-PC10,age"``. None is all.
    keep, remove : path or None, default=None
        Files of people to keep or to leave out: lines of FID and IID.
    extract, exclude : path or None, default=None
        Files of variants to keep or to leave out: their IDs.
    chromosomes : str or None, default=None
        Chromosomes to keep, as in ``"1-4,22,X"``. None is all but X, Y, XY and MT.
    all_chromosomes : bool, default=False
        Whether X, Y, XY and MT are kept where `chromosomes` is None.
    chr_set : int or None, default=None
        The number of autosomes of the species, as 38 of dogs; the next four numbers are X, Y, XY
        and MT. None is 22.
    mind : float or None, default=None
        First people go of whom more than this share of the genotypes is missing.
    geno : float or None, default=None
        Then variants that are missing for more than this share of the people.
    hwe : float or None, default=None
        Then variants whose exact test of Hardy-Weinberg equilibrium has a smaller p-value; where
        there are cases and controls, among controls.
    maf : float or None, default=None
        Then variants whose minor allele is rarer among founders.
    ld_prune : str or None, default=None
        Then variants are pruned by linkage disequilibrium: ``"WINDOW:STEP:R2"`` as in
        ``"50:5:0.2"``, or ``"250kb:1:0.2"``. Filters mean what they mean to PLINK, and what each
        leaves out is warned of.
    keep_missing : bool, default=False
        Whether people without a phenotype are kept, instead of left out with a warning. The files
        then need no phenotype that can be read.

    Returns
    -------
    cohort : PlinkCohort
        Genotypes `X`, phenotype `y`, and the tables `samples`, `variants` and `covariates`.

    Examples
    --------
    >>> from basrelief import ReliefF, read_plink
    >>> cohort = read_plink("cohort.bed", chromosomes="1-22")  # doctest: +SKIP
    >>> selector = ReliefF(n_features_to_select=10).fit(cohort.X, cohort.y)  # doctest: +SKIP
    >>> cohort.variants[selector.get_support()]  # doctest: +SKIP
    >>> cohort = read_plink("cohort", covar="cohort.cov", covar_name="PC1-PC4")  # doctest: +SKIP
    >>> ReliefF().fit(
    ...     cohort.X, cohort.y, covariates=cohort.covariates, caliper=0.5
    ... )  # doctest: +SKIP
    """
    return _cohort(
        _native.open_cohort(
            _with_ending(os.fspath(path)),
            pheno=pheno,
            pheno_name=pheno_name,
            target_type=target_type,
            one_is_case=one_is_case,
            na_values=[na_values] if isinstance(na_values, str) else list(na_values),
            covar=covar,
            covar_name=covar_name,
            keep=keep,
            remove=remove,
            extract=extract,
            exclude=exclude,
            chromosomes=chromosomes,
            all_chromosomes=all_chromosomes,
            chr_set=chr_set,
            mind=mind,
            geno=geno,
            hwe=hwe,
            maf=maf,
            ld_prune=ld_prune,
            keep_missing=keep_missing,
        )
    )


def read_vcf(
    path: str | os.PathLike[str],
    *,
    pheno: str | os.PathLike[str] | None = None,
    pheno_name: str | None = None,
    target_type: str = "auto",
    one_is_case: bool = False,
    na_values: str | Sequence[str] = (),
    covar: str | os.PathLike[str] | None = None,
    covar_name: str | None = None,
    keep: str | os.PathLike[str] | None = None,
    remove: str | os.PathLike[str] | None = None,
    extract: str | os.PathLike[str] | None = None,
    exclude: str | os.PathLike[str] | None = None,
    chromosomes: str | None = None,
    all_chromosomes: bool = False,
    chr_set: int | None = None,
    mind: float | None = None,
    geno: float | None = None,
    hwe: float | None = None,
    maf: float | None = None,
    ld_prune: str | None = None,
    keep_missing: bool = False,
) -> PlinkCohort:
    """Read a VCF as a cohort: the genotypes (GT) at variants of two alleles, packed.

    Parameters
    ----------
    path : path
        The file: ``.vcf``, or ``.vcf.gz`` or ``.vcf.bgz`` of gzip or bgzip.
    pheno : path or None, default=None
        A file of phenotypes: lines of FID, IID and values, where FID and IID are both the sample's
        name, or FID is 0. A VCF holds none, so that None needs `keep_missing`.
    pheno_name : str or None, default=None
        As of :func:`read_plink`, like all that follow.
    target_type : {"auto", "classes", "real"}, default="auto"
        How phenotypes are read.
    one_is_case : bool, default=False
        Whether phenotypes are 0 for controls and 1 for cases.
    na_values : str or sequence of str, default=()
        Texts that stand for missing phenotypes and covariates.
    covar : path or None, default=None
        A file of covariates.
    covar_name : str or None, default=None
        Which of them are read.
    keep, remove : path or None, default=None
        Files of people to keep or to leave out: lines of FID and IID.
    extract, exclude : path or None, default=None
        Files of variants to keep or to leave out: their IDs.
    chromosomes : str or None, default=None
        Chromosomes to keep, as in ``"1-4,22,X"``. None is all but X, Y, XY and MT.
    all_chromosomes : bool, default=False
        Whether X, Y, XY and MT are kept where `chromosomes` is None.
    chr_set : int or None, default=None
        The number of autosomes of the species, as 38 of dogs; the next four numbers are X, Y, XY
        and MT. None is 22.
    mind, geno, hwe, maf : float or None, default=None
        Filters by quality.
    ld_prune : str or None, default=None
        Pruning by linkage disequilibrium.
    keep_missing : bool, default=False
        Whether people without a phenotype are kept, instead of left out with a warning.

    Returns
    -------
    cohort : PlinkCohort
        What :func:`read_plink` gives; A1 is ALT.

    Examples
    --------
    >>> from basrelief import ReliefF, read_vcf
    >>> cohort = read_vcf("cohort.vcf.gz", pheno="traits.txt")  # doctest: +SKIP
    >>> selector = ReliefF(n_features_to_select=10).fit(cohort.X, cohort.y)  # doctest: +SKIP
    """
    path = os.fspath(path)
    if not path.lower().endswith((".vcf", ".vcf.gz", ".vcf.bgz")):
        msg = f"{path!r} does not end with .vcf, .vcf.gz or .vcf.bgz; give the name of a VCF"
        raise ValueError(msg)
    return _cohort(
        _native.open_cohort(
            path,
            pheno=pheno,
            pheno_name=pheno_name,
            target_type=target_type,
            one_is_case=one_is_case,
            na_values=[na_values] if isinstance(na_values, str) else list(na_values),
            covar=covar,
            covar_name=covar_name,
            keep=keep,
            remove=remove,
            extract=extract,
            exclude=exclude,
            chromosomes=chromosomes,
            all_chromosomes=all_chromosomes,
            chr_set=chr_set,
            mind=mind,
            geno=geno,
            hwe=hwe,
            maf=maf,
            ld_prune=ld_prune,
            keep_missing=keep_missing,
        )
    )


def _with_ending(path):
    """Name the file of a prefix: ``.bed``, or ``.pgen`` if only that is there."""
    if path.lower().endswith((".bed", ".pgen")):
        return path
    is_second = not os.path.exists(path + ".bed") and os.path.exists(path + ".pgen")
    return path + (".pgen" if is_second else ".bed")


def _cohort(cohort):
    """Warn of what the cohort tells, and make its tables."""
    warn_caller(cohort.warnings())
    variants = cohort.variants()
    names = np.array(variants["name"], dtype=object)
    samples = cohort.samples()
    n_people, n_variants = len(samples["IID"]), len(names)
    people = np.arange(n_people, dtype=np.uint32)
    X = GenotypeMatrix(cohort, names, people, np.arange(n_variants, dtype=np.uint32))
    covariates = cohort.covariates()
    return PlinkCohort(
        X,
        _phenotype(cohort),
        _table(samples),
        _table(variants),
        None if covariates is None else _table(covariates),
        cohort.target(),
    )


def _phenotype(cohort):
    classes = cohort.classes()
    if classes is not None:
        return np.array(classes, dtype=object if None in classes else str)
    cases = cohort.cases()
    if cases is None:
        return cohort.quantity()
    words = {True: "case", False: "control", None: None}
    has_gaps = None in cases
    return np.array([words[case] for case in cases], dtype=object if has_gaps else str)


def _table(columns):
    """Make a data frame where pandas is installed, else arrays by their names."""
    if find_spec("pandas") is None:
        return {name: np.asarray(values) for name, values in columns.items()}
    import pandas as pd

    return pd.DataFrame(columns)
