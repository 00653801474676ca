"""Cohorts from PLINK filesets and VCF files."""

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

# The extensions of genotype files of PLINK. If files with several of them exist, the first is read.
GENOTYPE_ENDINGS = (".bed", ".pgen", ".ped", ".tped", ".ped.gz", ".tped.gz")


@dataclass(frozen=True, eq=False)
class PlinkCohort:
    """A cohort, as returned by :func:`read_plink` and :func:`read_vcf`.

    Attributes
    ----------
    X : GenotypeMatrix of shape (n_people, n_variants)
        Genotypes, as counts of the allele A1.
    y : array of shape (n_people,)
        The phenotype: ``"case"`` or ``"control"``, another class, or a number. Missing values are
        None or NaN.
    samples : pandas.DataFrame or dict of arrays
        FID, IID, father, mother and sex, one row per person; a dict if pandas is not installed.
    variants : pandas.DataFrame or dict of arrays
        Name, CHROM, POS, ID, A1 and A2, one row per variant.
    covariates : pandas.DataFrame, dict of arrays or None
        The covariates, one row per person: numbers, or categories as texts. Missing values are NaN
        or None. None if there is no covariate file.
    target_name : str
        Name of the phenotype.
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
    """Read a PLINK fileset: people, variants and phenotype now, genotypes when they are needed.

    The genotypes of text filesets (``.ped``, ``.tped``) are read now, and stored packed.

    Parameters
    ----------
    path : path
        The ``.bed`` file of PLINK 1, with ``.bim`` and ``.fam`` in the same folder; the ``.pgen``
        file of PLINK 2, with ``.pvar`` (or ``.pvar.zst``) and ``.psam``; a ``.ped`` file with
        ``.map``, or a ``.tped`` file with ``.tfam`` (all four also with ``.gz``); or their common
        prefix. With a prefix, the first of these that exists is read.
    pheno : path or None, default=None
        A phenotype file: lines of FID, IID and values, with an optional header. None uses the last
        column of the ``.fam`` file, the sixth of the ``.ped`` file, or the phenotype of the
        ``.psam`` file. An FID of 0 is unknown:
        the person is then found by the IID alone.
    pheno_name : str or None, default=None
        Name of the phenotype, if `pheno` or the ``.psam`` file has several, or a list such as
        ``"height,weight"``, for which `y` has a column per phenotype.
    target_type : {"auto", "classes", "real"}, default="auto"
        How phenotypes are read. ``"auto"`` reads 1, 2 and 0 as control, case and missing, and other
        numbers as a quantitative phenotype. ``"real"`` reads all numbers as a quantitative
        phenotype. ``"classes"`` also accepts words, each of which is a class.
    one_is_case : bool, default=False
        Whether 0 is a control and 1 a case, as in PLINK's ``--1``.
    na_values : str or sequence of str, default=()
        Further missing value codes for phenotypes and covariates, in addition to -9, NA etc.
    covar : path or None, default=None
        A covariate file: a header, then lines of FID, IID and values.
    covar_name : str or None, default=None
        Names of the covariates to read, such as ``"PC1-PC10,age"``; None reads all.
    keep, remove : path or None, default=None
        Files of people to keep or to exclude: lines of FID and IID.
    extract, exclude : path or None, default=None
        Files of IDs of variants to keep or to exclude.
    chromosomes : str or None, default=None
        Chromosomes to keep, such as ``"1-4,22,X"``; None keeps all except X, Y, XY and MT.
    all_chromosomes : bool, default=False
        Whether to keep X, Y, XY and MT as well if `chromosomes` is None.
    chr_set : int or None, default=None
        Number of autosomes of the species, such as 38 for dogs; None is 22. The next four numbers
        are X, Y, XY and MT.
    mind : float or None, default=None
        Maximum fraction of missing genotypes per person. Filters run in the order given here.
    geno : float or None, default=None
        Maximum fraction of missing genotypes per variant.
    hwe : float or None, default=None
        Minimum p-value of the exact test of Hardy-Weinberg equilibrium per variant. With cases and
        controls, the test uses only controls.
    maf : float or None, default=None
        Minimum minor allele frequency among founders.
    ld_prune : str or None, default=None
        Pruning by linkage disequilibrium: ``"WINDOW:STEP:R2"``, such as ``"50:5:0.2"`` or
        ``"250kb:1:0.2"``. All filters have PLINK's definitions. A warning reports how many people
        or variants each filter excludes.
    keep_missing : bool, default=False
        Whether to keep people without a phenotype. Otherwise they are excluded with a warning. With
        `keep_missing`, the files need not contain a phenotype.

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
    """Read a VCF file as a cohort: the genotypes (GT) of its biallelic variants, packed.

    Parameters
    ----------
    path : path
        The file: ``.vcf``, or compressed with gzip or bgzip ``.vcf.gz`` or ``.vcf.bgz``.
    pheno : path or None, default=None
        A phenotype file: lines of FID, IID and values, where FID and IID are both the name of the
        sample, or FID is 0. A VCF contains no phenotypes, so that None requires `keep_missing`.
    pheno_name : str or None, default=None
        Like all following parameters, as in :func:`read_plink`.
    target_type : {"auto", "classes", "real"}, default="auto"
        How phenotypes are read.
    one_is_case : bool, default=False
        Whether 0 is a control and 1 a case.
    na_values : str or sequence of str, default=()
        Further missing value codes for phenotypes and covariates.
    covar : path or None, default=None
        A covariate file.
    covar_name : str or None, default=None
        Names of the covariates to read.
    keep, remove : path or None, default=None
        Files of people to keep or to exclude: lines of FID and IID.
    extract, exclude : path or None, default=None
        Files of IDs of variants to keep or to exclude.
    chromosomes : str or None, default=None
        Chromosomes to keep, such as ``"1-4,22,X"``; None keeps all except X, Y, XY and MT.
    all_chromosomes : bool, default=False
        Whether to keep X, Y, XY and MT as well if `chromosomes` is None.
    chr_set : int or None, default=None
        Number of autosomes of the species, such as 38 for dogs; None is 22. The next four numbers
        are X, Y, XY and MT.
    mind, geno, hwe, maf : float or None, default=None
        Thresholds of the quality filters.
    ld_prune : str or None, default=None
        Parameters of pruning by linkage disequilibrium.
    keep_missing : bool, default=False
        Whether to keep people without a phenotype. Otherwise they are excluded with a warning.

    Returns
    -------
    cohort : PlinkCohort
        The cohort; A1 is ALT.

    Examples
    --------
    >>> from basrelief import ReliefF, read_vcf
    >>> cohort = read_vcf("cohort.vcf.gz", pheno="traits.txt")  # doctest: +SKIP
    >>> selector = ReliefF(n_features_to_select=10).fit(cohort.X, cohort.y)  # doctest: +SKIP
    """
    path = os.fspath(path)
    if not path.lower().endswith((".vcf", ".vcf.gz", ".vcf.bgz")):
        msg = f"{path!r} does not end in .vcf, .vcf.gz or .vcf.bgz; specify a VCF file"
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
    """Return the genotype file with a prefix, by the first extension of a file that exists."""
    if path.lower().endswith(GENOTYPE_ENDINGS):
        return path
    files = [path + ending for ending in GENOTYPE_ENDINGS]
    return next((file for file in files if os.path.exists(file)), files[0])


def _cohort(cohort):
    """Emit the warnings of a cohort, and create its tables."""
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
        _phenotypes(cohort),
        _table(samples),
        _table(variants),
        None if covariates is None else _table(covariates),
        cohort.target(),
    )


def _phenotypes(cohort):
    """Return the phenotype, or a table of several."""
    names = cohort.phenotypes()
    values = [_phenotype(cohort, at) for at in range(len(names))]
    return values[0] if len(names) == 1 else _table(dict(zip(names, values, strict=True)))


def _phenotype(cohort, at):
    classes = cohort.classes(at)
    if classes is not None:
        return np.array(classes, dtype=object if None in classes else str)
    cases = cohort.cases(at)
    if cases is None:
        return cohort.quantity(at)
    words = {True: "case", False: "control", None: None}
    has_gaps = None in cases
    return np.array([words[case] for case in cases], dtype=object if has_gaps else str)


def _table(columns):
    """Create a data frame, or a dict of arrays if pandas is not installed."""
    if find_spec("pandas") is None:
        return {name: np.asarray(values) for name, values in columns.items()}
    import pandas as pd

    return pd.DataFrame(columns)
