"""The compiled module of basrelief. Private: use the estimators."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from basrelief._base import Study
from basrelief._maps import MapParts
from basrelief._pages import PageRequest

__version__: str
# The build profile: "dist" in wheels, "debug" in tests.
__profile__: str

_Numbers = NDArray[np.float64] | NDArray[np.float32]
_Matrix = _Numbers | NDArray[np.uint8] | NDArray[np.int8]
# A list contains the levels of an ordinal column in ascending order.
_Kind = Literal["auto", "numeric", "categorical", "ordinal", "genotype"] | Sequence[str]

class OptionDescription(TypedDict):
    name: str
    values: str
    default: str
    help: str

class Docstring(TypedDict):
    """The parts of a docstring that are specific to a class; each paragraph is a single line."""

    summary: str
    description: list[str]
    # The text after "Weights of the features": their range and other properties.
    weights: str
    # Attributes from the report of a fit: keys of `basrelief._documentation.REPORTS`.
    reports: list[str]
    # The text after "Number of iterations": the meaning of an iteration.
    iterations: str
    see_also: list[tuple[str, str]]
    notes: list[str]
    references: list[str]
    examples: list[str]

class Description(TypedDict):
    """The common fields of the registry entries."""

    name: str
    # For methods without a class, the expression that creates them: `Kernelized(LFE())`.
    class_name: str
    purpose: str
    source: str
    options: list[OptionDescription]
    # None for methods without a class.
    docstring: Docstring | None

class MethodDescription(Description):
    task: Literal["two classes", "classes", "regression", "classes or regression"]
    missing: bool
    # Whether a fit can be computed in parts.
    in_parts: bool
    # Whether sparse matrices are accepted.
    sparse: bool

class WrapperDescription(Description):
    # Whether a fit can be computed in parts if that of the method can.
    in_parts: bool

class MapMethodDescription(Description):
    supervised: bool
    # The kind of target; None if it needs none.
    task: str | None
    # Whether it can learn from pairs of rows instead of classes.
    takes_pairs: bool
    takes_comparisons: bool
    takes_chunks: bool
    in_parts: bool

class TestResult(TypedDict):
    p_values: NDArray[np.float64]
    # None for an adaptive test, like chance_weight.
    adjusted: NDArray[np.float64] | None
    q_values: NDArray[np.float64]
    selected: NDArray[np.bool_]
    draws: NDArray[np.int64]
    chance_weight: float | None
    seconds: float

class PartedTestResult(TestResult):
    warnings: list[str]

class PairsResult(TypedDict):
    # For every pair, the strongest first: columns of both features, and the results.
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    statistics: NDArray[np.float64]
    degrees: NDArray[np.int64]
    # Only for a numeric target.
    residual: NDArray[np.int64] | None
    # Only without groups.
    p_values: NDArray[np.float64] | None
    log10_p: NDArray[np.float64] | None
    q_values: NDArray[np.float64] | None
    # Only with permutations.
    adjusted: NDArray[np.float64] | None
    # Only for classes.
    information: NDArray[np.float64] | None
    rows: NDArray[np.int64]
    tested: int
    warnings: list[str]

# How differences add up, and for every column its name, its categories if it is categorical, the
# number of missing values in the fit, and the code of a missing value.
_EncodedColumn = (
    tuple[str, Sequence[str] | None, int, Sequence[float]]
    | tuple[str, None, int, Sequence[float], Sequence[str]]
)
_Encoding = tuple[str, Sequence[_EncodedColumn]]

class FitReport:
    """The report of a fit. Like all outcomes, it is pickled in the format of the library."""

    warnings: list[str]
    # Names and values of all options, as on the command line.
    options: dict[str, str]
    search: Literal["all pairs", "kd-tree"] | None
    plan: dict[str, Any]
    iterations: int | None
    converged: bool | None
    last_change: float | None
    objective: float | None
    constraints: int | None
    relative_gap: float | None
    rank: int | None
    ridge: float | None
    discriminant_power: float | None
    # The columns of the last round, if a wrapper dropped features.
    kept: list[int] | None
    seconds: float

class Weights:
    """Weights, the report of their fit, and their test."""

    weights: NDArray[np.float64]
    ranks: NDArray[np.int64]
    report: FitReport
    # The limits of the 95 % intervals, one row per feature; only if they were requested.
    intervals: NDArray[np.float64] | None
    # For each of several numbers of neighbors, the weights of the features.
    profile: list[tuple[int, NDArray[np.float64]]] | None
    # The selected features, each with those that it represents and their redundancy.
    selection: list[tuple[int, list[tuple[int, float]]]] | None
    # The names and weights of the blocks of features, and their p-values and adjusted p-values if a
    # test was requested.
    blocks: (
        tuple[
            list[str],
            NDArray[np.float64],
            tuple[NDArray[np.float64], NDArray[np.float64]] | None,
        ]
        | None
    )
    # Only if a test was requested.
    test: TestResult | None

    def page(self, study: Study, request: PageRequest) -> str:
        """Create the page of the weights of a study, and write it if the request has a file."""

class Resamples:
    """Selection frequencies of features on resamples of the rows."""

    frequencies: NDArray[np.float64]
    # The frequencies of the permuted copies, if there are any.
    copies: NDArray[np.float64] | None
    ranking: NDArray[np.int64]
    # The stability and its 95 % confidence interval; None if it is undefined.
    stability: tuple[float, tuple[float, float]] | None
    warnings: list[str]
    seconds: float

    def page(
        self, study: Study, request: PageRequest, cutoff: float, false_share: float | None
    ) -> str:
        """Create the page of a selection, which keeps features with a minimum frequency."""

class MapFit:
    """A learned map, and the report of its fit."""

    report: FitReport
    # None if all columns are numeric and complete.
    encoding: _Encoding | None
    mean: NDArray[np.float64]
    # Exactly one of the two; a diagonal has one entry per component.
    components: NDArray[np.float64] | None
    diagonal: NDArray[np.float64] | None
    eigenvalues: NDArray[np.float64]
    discriminant_power: float | None
    # Only for kernel maps:
    kernel: str | None
    units: NDArray[np.float64] | None
    basis: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None

def methods() -> list[MethodDescription]:
    """List the methods and their options from the registry."""

def wrappers() -> list[WrapperDescription]:
    """List the wrappers and their options from the registry."""

def target_is_classes(
    method: str, values: NDArray[np.float64], target_type: str
) -> tuple[bool, str | None]:
    """Whether a method reads these numbers as classes, and a warning if the type is ambiguous."""

def target_of_texts(
    method: str, codes: NDArray[np.int32], levels: Sequence[str], target_type: str
) -> tuple[tuple[NDArray[np.uint32], list[str]] | None, NDArray[np.float64] | None, str | None]:
    """Read a target of texts as classes or numbers; also return a warning if it is ambiguous."""

def kind_of_texts(
    name: str, levels: Sequence[str], counts: Sequence[int], rows: Sequence[int]
) -> _Kind:
    """Infer the kind of a column of texts; `rows` are the first rows of the levels, from 0."""

def kind_of_numbers(seen: Sequence[bool], has_others: bool) -> _Kind:
    """Infer the kind of a column of numbers from which of 0, 1, 2 and other numbers occur."""

def column_names(names: Sequence[str]) -> list[str]:
    """Name columns without a name as in files: ``column_3`` is the third."""

def is_missing_text(text: str) -> bool:
    """Whether all readers treat a text as missing, such as `NA` and the empty text."""

def inexact_number(cells: str, column: str) -> str:
    """Word the error for whole numbers beyond 2^53; `cells` contains them and their rows."""

def encode_rows(
    encoding: _Encoding,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    threads: int | None,
) -> tuple[NDArray[np.float64], list[str]]:
    """Encode rows as numbers, like the rows of a fit; also return warnings."""

def encoded_names(encoding: _Encoding) -> list[str]:
    """List the names of the encoded columns."""

def map_rows(
    parts: MapParts, rows: NDArray[np.float64], threads: int | None
) -> NDArray[np.float64]:
    """Map rows, given as an array that is contiguous in C order."""

class Cohort:
    """A PLINK or VCF cohort; its genotypes are read when they are needed."""

    def samples(self) -> dict[str, list[str]]:
        """Return the people, column by column."""

    def variants(self) -> dict[str, list[str] | NDArray[np.uint64]]:
        """Return the variants, column by column."""

    def covariates(self) -> dict[str, list[str | None] | NDArray[np.float64]] | None:
        """Return the covariates, column by column; None if there is no covariate file."""

    def target(self) -> str:
        """Return the name of the phenotype."""

    def phenotypes(self) -> list[str]:
        """Return the names of the phenotypes."""

    def cases(self, at: int) -> list[bool | None] | None:
        """Return whether each person is a case; None if this phenotype is not case/control."""

    def classes(self, at: int) -> list[str | None] | None:
        """Return the class of each person; None if this phenotype does not have named classes."""

    def quantity(self, at: int) -> NDArray[np.float64] | None:
        """Return a quantitative phenotype, with NaN for missing values; otherwise None."""

    def warnings(self) -> list[str]:
        """Return warnings about excluded people and variants."""

    def genotypes(
        self, people: NDArray[np.uint32], variants: NDArray[np.uint32], missing: int
    ) -> NDArray[np.int8]:
        """Read the copies of A1 of some people and variants, one row per variant."""

def open_cohort(
    path: str,
    *,
    pheno: str | PathLike[str] | None = None,
    pheno_name: str | None = None,
    target_type: str = "auto",
    one_is_case: bool = False,
    na_values: Sequence[str] = (),
    covar: str | PathLike[str] | None = None,
    covar_name: str | None = None,
    keep: str | PathLike[str] | None = None,
    remove: str | PathLike[str] | None = None,
    extract: str | PathLike[str] | None = None,
    exclude: str | PathLike[str] | None = None,
    chromosomes: str | None = None,
    all_chromosomes: bool = False,
    chr_set: int | None = None,
    mind: float | None = None,
    geno: float | None = None,
    hwe: float | None = None,
    maf: float | None = None,
    ld_prune: str | None = None,
    keep_missing: bool = False,
) -> Cohort:
    """Open a PLINK fileset or a VCF file, and select people and variants."""

class _Samples(TypedDict):
    features: dict[str, NDArray[np.float64] | list[str | None]]
    annotations: dict[str, NDArray[np.float64] | list[str | None]]
    names: NDArray[np.float64] | list[str | None] | None
    warnings: list[str]
    notes: list[str]

def read_samples(
    path: str | PathLike[str],
    *,
    transpose: bool = False,
    pheno: str | PathLike[str] | None = None,
    sheet: str | None = None,
    na_values: Sequence[str] = (),
    delimiter: str | None = None,
) -> _Samples:
    """Read a table of samples, and the properties of the samples."""

_Genotypes = tuple[Cohort, NDArray[np.uint32], NDArray[np.uint32]]
# Codes and levels, and whether the type of the column declares the levels.
_Texts = tuple[NDArray[np.int32], Sequence[str], bool]
# Compressed rows (or columns, if False) of a sparse matrix: the shape, the starts of the lines, and
# the places and values of the entries.
_Sparse = tuple[
    bool,
    tuple[int, int],
    NDArray[np.int32] | NDArray[np.int64],
    NDArray[np.int32] | NDArray[np.int64],
    NDArray[Any],
]
_Features = _Matrix | _Genotypes | _Sparse | Sequence[_Numbers | _Texts]

# A label per row: numbers, or codes and their names.
_Labels = NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]]

# Weights of rows, and priors of classes: `data`, `uniform`, or a prior per class.
_Weights = tuple[NDArray[np.float64] | None, str | Sequence[tuple[str, float]] | None]
_Covariates = tuple[_Features, Sequence[str], Sequence[_Kind], float | None, bool, bool]

# The number of permutations as on the command line, the correction, alpha, strata, and whether the
# test is one- or two-sided.
_Test = tuple[str, str, float, _Labels | None, str]

def fit(
    study: Study,
    *,
    test: _Test | None = None,
    covariates: _Covariates | None = None,
    groups: tuple[_Labels, str] | None = None,
    weights: _Weights | None = None,
    intervals: bool = False,
) -> Weights:
    """Compute the weights of a method, inside wrappers if there are any.

    ``study.features`` is a two-dimensional array, contiguous in C or Fortran order and never
    copied; or people and variants of a cohort, as indices; or a sparse matrix; or one entry per
    column: contiguous numbers, or codes (negative is missing) and level names.
    ``study.kinds`` specifies the kind of each column; ``auto`` infers it from the values.
    ``study.target`` consists of class codes and class names, or of numbers. ``study.threads=None``
    uses all cores. ``study.progress(stage, done, total)`` is called regularly; an exception in it
    stops the fit. ``test`` is a permutation test of the weights: the number of permutations as on
    the command line, the correction, alpha, the strata of the rows in the format of ``target`` or
    None, and ``one`` or ``two`` for the sides of the test. ``covariates`` consists of columns in
    the format of ``features``, their names and kinds, a caliper or None, whether they contribute to
    distances, and whether the target is adjusted for them. ``groups`` consists of the groups of the
    rows in the format of ``target``, and how much their rows count.
    ``weights`` consists of the weights of the rows, which are above 0, and the priors of the
    classes.
    """

def positive_rows(weights: NDArray[np.float64]) -> NDArray[np.uintp]:
    """Return the rows whose weight is above 0; refuse weights that are missing or negative."""

def without_rounding(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights, with those below 1e-14 times the largest absolute weight set to 0."""

def residuals(
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    covariates: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
) -> tuple[NDArray[np.float64], list[str]]:
    """Compute the residuals of a numeric target, and warnings."""

def find_pairs(
    study: Study,
    *,
    chosen: Sequence[int],
    pairs: int,
    permutations: int | None = None,
    strata: _Labels | None = None,
    covariates: _Covariates | None = None,
    groups: tuple[_Labels, str] | None = None,
) -> PairsResult:
    """Test all pairs of the ``chosen`` features, and return the strongest ``pairs`` of them.

    ``covariates``, in the format of :func:`fit`, are in both models of each test. ``groups``
    require ``permutations``.
    """

def select_on_resamples(
    study: Study,
    resamples: int,
    fraction: float,
    selection: tuple[int, bool, str],
    groups: tuple[_Labels, str] | None,
    weights: _Weights | None,
) -> Resamples:
    """Fit a selector to resamples of the rows.

    Each of the ``resamples`` contains a ``fraction`` of the rows. ``selection`` is the number of
    features of largest weight that it selects, whether permuted copies of all features are added to
    the features, and the rule about redundant features. ``groups`` and ``weights`` are as for
    :func:`fit`.
    """

def map_methods() -> list[MapMethodDescription]:
    """List the methods that learn a map and their options from the registry."""

def fit_map(study: Study, start: NDArray[np.float64] | None = None) -> MapFit:
    """Fit a method that learns a map, from a given start or with a map to the prior metric."""

def fit_map_pairs(
    study: Study,
    pairs: Sequence[tuple[int, int, bool]],
    start: NDArray[np.float64] | None = None,
) -> MapFit:
    """Fit a method that learns a map to near and far pairs of rows."""

def fit_map_comparisons(
    study: Study,
    comparisons: Sequence[tuple[int, int, int, int]],
    start: NDArray[np.float64] | None = None,
    weights: Sequence[float] | None = None,
) -> MapFit:
    """Fit a method that learns a map to quadruplets: a near pair of rows and a far pair."""

def draw_pairs(
    codes: NDArray[np.uint32], names: Sequence[str], count: int | None, seed: int
) -> list[tuple[int, int, bool]]:
    """Draw pairs of rows of the same class (True) and of different classes, `count` of each."""

def map_page(study: Study, report: FitReport, parts: MapParts, request: PageRequest) -> str:
    """Create the page of a map, and write it if the request has a file."""

def nearest_rows(
    known: NDArray[np.float64],
    sought: NDArray[np.float64] | None,
    count: int,
    metric: str,
    threads: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the nearest rows in ``known`` of every query row, or of every row except itself."""

def skrebate_scores(
    name: str,
    features: NDArray[np.float64],
    is_categorical: Sequence[bool],
    labels: tuple[NDArray[np.uint32], int | None] | tuple[NDArray[np.float64], float],
    *,
    neighbors: int,
    factors: NDArray[np.float64] | None = None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Compute the scores of a class of scikit-rebate 0.8.4.

    ``labels`` are class codes with the number of classes (None: two classes, all misses are in one
    group), or numbers with the difference below which rows are hits.
    """

def nearest_answers(
    known: NDArray[np.float64],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    sought: NDArray[np.float64],
    count: int,
    metric: str,
    weights: str,
    threads: int | None,
) -> NDArray[np.float64]:
    """Predict from the nearest rows: the fraction of every class, or one column of means."""

def nearest_classes(
    known: NDArray[np.float64],
    target: tuple[NDArray[np.uint32], Sequence[str]],
    sought: NDArray[np.float64],
    count: int,
    metric: str,
    weights: str,
    threads: int | None,
) -> NDArray[np.uint32]:
    """Predict the class codes of rows from their nearest rows."""

def check_columns(
    columns: _Features, names: Sequence[str], kinds: Sequence[_Kind], are_covariates: bool
) -> list[tuple[str, list[str] | None, int]]:
    """Read columns as for a fit; return kind, levels and number of missing values of each."""

class Audience:
    """The settings of the called object, for the advice in messages."""

    def __init__(self, parameters: dict[str, tuple[str, str]], words: dict[str, str]) -> None:
        """Set the name and the surrounding expression of every parameter, and words for settings.

        An expression contains ``{}`` for the parameter; words contain it for a value.
        """

def speak_to(audience: Audience | None) -> Audience | None:
    """Set the audience of this thread's messages (None: every setting), and return the old one."""

def column_index(names: Sequence[str], name: str) -> int:
    """Find a column by name; the error for an unknown name suggests the most similar one."""

def run_program(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code; the first argument is the program name."""

def job(
    study: Study,
    *,
    groups: tuple[_Labels, str] | None = None,
    weights: _Weights | None = None,
    covariates: _Covariates | None = None,
    block_rows: int | None = None,
    block_columns: int | None = None,
) -> bytes:
    """Draft a fit in parts, before its columns are known.

    The draft contains the target, and groups, weights and covariates, which are those of ``fit``;
    they may not be residuals.
    """

def row_checksums(values: NDArray[np.float64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash every row with one key per column; all NaN have the same bits."""

def check_test_in_parts(study: Study, test: _Test) -> None:
    """Refuse a test that is invalid, not possible in parts, or cannot reach significance."""

def job_permutations(plan: bytes, draws: int, sided: str, parts: int) -> bytes:
    """Add a permutation test of the weights to a plan, with at most ``parts`` parts."""

def job_permute(
    plan: bytes,
    part: int,
    features: Sequence[Any],
    weights: NDArray[np.float64],
    threads: int | None = None,
) -> bytes:
    """Compute the permutations of a part, from the complete data and the weights."""

def job_test(
    plan: bytes,
    weights: NDArray[np.float64],
    permuted: Sequence[bytes],
    test: _Test,
) -> PartedTestResult:
    """Test the weights, from the results of all parts.

    Returns ``p_values``, ``adjusted`` (by max-T), ``q_values`` and ``selected`` of all features,
    the null threshold ``chance_weight``, and the ``warnings`` of the test.
    """

DIFFERENCES_PER_SECOND: float

def job_layout(job: bytes) -> dict[str, Any]:
    """Return how rows and columns are divided into blocks.

    Returns the ``places`` of all rows, the number ``block_rows`` of places per block, the number of
    ``blocks``, the number of leading blocks that are ``queries``, and the ranges of the
    ``column_blocks``. ``tables`` are the number of leading blocks that require cells, their rows in
    ascending order, and the range of rows of every other block, which can be compared without
    cells; None if all blocks require cells.
    """

def job_columns(
    job: bytes,
    column_block: int,
    features: Sequence[Any],
    blocks: int | None = None,
    threads: int | None = None,
) -> tuple[bytes, list[NDArray[np.uint8]], bool]:
    """Return the facts of some columns, with all rows, and their cells.

    There is a cell for each of the leading ``blocks`` of rows, or for all. The last result is
    whether no value is missing.
    """

def job_plan(job: bytes, facts: Sequence[bytes]) -> bytes:
    """Plan a draft from the facts of all columns in order; the plan contains the draft."""

def job_stages(plan: bytes) -> list[dict[str, Any]]:
    """List ``stage``, ``parts``, ``result_bytes`` and ``memory_bytes`` of every stage."""

def job_pairs(plan: bytes, stage: str = "search") -> list[tuple[int, int]]:
    """List the pairs of blocks that a stage compares."""

def job_pair(
    plan: bytes,
    stage: str,
    known: Sequence[bytes],
    a: int,
    b: int,
    rows_a: dict[str, Sequence[Any]],
    rows_b: dict[str, Sequence[Any]],
    threads: int | None = None,
) -> list[tuple[int, bytes]]:
    """Compare two blocks; one result per block.

    The rows of a block are given as ``cells`` or as ``columns``, in the order of the columns. The
    second block is not used if it is the first one.
    """

def job_known(plan: bytes, stage: str, results: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Merge the measurements of a stage, from all pairs in any order."""

def job_lists(
    plan: bytes,
    block: int,
    results: Sequence[tuple[int, int, bytes]],
    threads: int | None = None,
) -> bytes:
    """Find the neighbors of the rows of a block, from all its search results in any order."""

def job_sums(
    plan: bytes,
    column_block: int,
    features: Sequence[Any],
    lists: Sequence[bytes],
    threads: int | None = None,
) -> bytes:
    """Compute the weights of some columns, from all rows and the lists of all blocks in order."""

def job_scatter(
    plan: bytes,
    part: int,
    features: Sequence[Any],
    lists: Sequence[bytes],
    threads: int | None = None,
) -> bytes:
    """Sum a part of the scatter, from the columns of its one or two blocks and all lists."""

def job_map(plan: bytes, tiles: Sequence[bytes], threads: int | None = None) -> dict[str, Any]:
    """Create the map from all parts of the scatter.

    Returns ``components`` (one row each), ``mean``, ``eigenvalues``, ``discriminant_power`` and
    ``warnings``.
    """

def job_margins(
    plan: bytes,
    part: int,
    cells: Sequence[Sequence[NDArray[np.uint8]]],
    threads: int | None = None,
) -> bytes:
    """Sum the margins of the blocks of a part, from the cells of all blocks of rows."""

def job_rounds(study: Study) -> bytes:
    """Start the rounds of a fit inside wrappers; a fit without wrappers has a single round."""

def job_round(rounds: bytes) -> tuple[int, int, list[int]]:
    """Return the number of a round, from 1, the maximum number of rounds, and its columns."""

def job_again(rounds: bytes, plan: bytes) -> bytes | None:
    """Return the plan of a round from that of another round with the same cells, or None."""

def job_after(
    rounds: bytes, plan: bytes, results: Sequence[bytes]
) -> tuple[bytes | None, NDArray[np.float64] | None, list[str]]:
    """Return the next round, or after the last one None, all weights, and warnings."""
