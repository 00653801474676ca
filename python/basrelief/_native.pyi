"""The compiled half of basrelief. Private: use the estimators."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str
# Of the compiled half: "dist" in wheels, "debug" where the tests run.
__profile__: str

_Numbers = NDArray[np.float64] | NDArray[np.float32]
_Matrix = _Numbers | NDArray[np.uint8] | NDArray[np.int8]
# A list has the levels of an ordinal column, in ascending order.
_Kind = Literal["auto", "numeric", "categorical", "ordinal", "genotype"] | Sequence[str]

class OptionDescription(TypedDict):
    name: str
    values: str
    default: str
    help: str

class Docstring(TypedDict):
    """The parts of a class's docstring that only it has; paragraphs are one line each."""

    summary: str
    description: list[str]
    # What follows "Weights of the features": their range, and what else is known of them.
    weights: str
    # Attributes that say how a fit went: keys of `basrelief._documentation.REPORTS`.
    reports: list[str]
    # What follows "Iterations done": what an iteration is.
    iterations: str
    see_also: list[tuple[str, str]]
    notes: list[str]
    references: list[str]
    examples: list[str]

class Description(TypedDict):
    """What all entries of the registries have."""

    name: str
    # Of what has no class of its own, what makes it: `Kernelized(LFE())`.
    class_name: str
    purpose: str
    source: str
    options: list[OptionDescription]
    # None for what has no class of its own.
    docstring: Docstring | None

class MethodDescription(Description):
    task: Literal["two classes", "classes", "regression", "classes or regression"]
    missing: bool
    # Whether its fit can be computed in parts.
    in_parts: bool

class WrapperDescription(Description):
    # Whether it can be computed in parts, around a method that can.
    in_parts: bool

class MapMethodDescription(Description):
    supervised: bool
    # Whether it learns from pairs of rows, which can be given instead of classes.
    takes_pairs: bool
    takes_comparisons: bool
    takes_chunks: bool
    in_parts: bool

class _Report(TypedDict):
    warnings: list[tuple[str, str]]
    search: Literal["all pairs", "kd-tree"] | None
    iterations: int | None
    converged: bool | None
    last_change: float | None
    objective: float | None
    constraints: int | None
    relative_gap: float | None
    rank: int | None
    ridge: float | None
    seconds: float
    options: dict[str, str]

class TestResult(TypedDict):
    p_values: NDArray[np.float64]
    # None of an adaptive test, as is chance_weight.
    adjusted: NDArray[np.float64] | None
    q_values: NDArray[np.float64]
    selected: NDArray[np.bool_]
    draws: NDArray[np.int64]
    chance_weight: float | None
    seconds: float

# Of the rounds in which features were dropped: the number of features in every round, the columns
# of those that stayed, and the ranks of each of these in every round.
_Elimination = tuple[list[int], list[int], list[list[int]]]

class FitResult(_Report):
    weights: NDArray[np.float64]
    ranks: NDArray[np.int64]
    # The change of the weights in every iteration, and the rounds of a wrapper that drops features.
    changes: list[float]
    elimination: _Elimination | None
    # Where a test was asked for.
    test: NotRequired[TestResult]

_Ranks = tuple[float, int, tuple[int, int], float]

class KnownResamples(TypedDict):
    # What `rank_resamples` was given.
    resamples: int
    fraction: float
    top: int
    # What it gave.
    rows: int
    ranks: Sequence[_Ranks]
    stability: float | None
    stability_interval: tuple[float, float] | None
    # The frequency from which on features are kept, and the share of false ones among them.
    cutoff: float
    false_share: float | None
    warnings: Sequence[str]
    # What repeats the fit.
    command: str
    # The names of the data and of the target.
    data: str
    target: str

class PairsResult(TypedDict):
    # Of every pair, the strongest first: columns of both features, and what was found.
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    statistics: NDArray[np.float64]
    degrees: NDArray[np.int64]
    # Of a real target.
    residual: NDArray[np.int64] | None
    p_values: NDArray[np.float64]
    log10_p: NDArray[np.float64]
    q_values: NDArray[np.float64]
    # With permutations.
    adjusted: NDArray[np.float64] | None
    # Of classes.
    information: NDArray[np.float64] | None
    rows: NDArray[np.int64]
    tested: int
    warnings: list[str]

class ResamplesResult(TypedDict):
    # Of the features, and where copies were asked for of these, in the same order.
    frequencies: NDArray[np.float64]
    # Of the features alone, as are the next two; None where they are not defined.
    ranking: NDArray[np.int64]
    # Rows of a resample; of every feature its frequency, the median and the 95 % interval of its
    # ranks, and its mean weight.
    rows: int
    ranks: list[_Ranks]
    stability: float | None
    stability_interval: tuple[float, float] | None
    warnings: list[str]
    seconds: float

# How differences add up, and of every column its name, its categories if it holds any, how many
# values were missing in the fit, and what a missing value becomes.
_EncodedColumn = (
    tuple[str, Sequence[str] | None, int, Sequence[float]]
    | tuple[str, None, int, Sequence[float], Sequence[str]]
)
_Encoding = tuple[str, Sequence[_EncodedColumn]]

class MapResult(_Report):
    # None where all columns are complete numbers.
    encoding: _Encoding | None
    mean: NDArray[np.float64]
    # One of both: a diagonal has an entry per component.
    components: NotRequired[NDArray[np.float64]]
    diagonal: NotRequired[NDArray[np.float64]]
    eigenvalues: NDArray[np.float64]
    discriminant_power: float | None
    # Of kernel maps only:
    kernel: NotRequired[str]
    units: NotRequired[NDArray[np.float64]]
    basis: NotRequired[NDArray[np.float64]]
    offset: NotRequired[NDArray[np.float64]]

def methods() -> list[MethodDescription]:
    """List the methods and their options, as the library's registry has them."""

def wrappers() -> list[WrapperDescription]:
    """List the wrappers and their options, as the library's registry has them."""

def target_is_classes(
    method: str, values: NDArray[np.float64], target_type: str
) -> tuple[bool, str | None]:
    """Whether a method reads a target of these numbers as classes, and a warning if in doubt."""

def target_of_texts(
    method: str, codes: NDArray[np.int32], levels: Sequence[str], target_type: str
) -> tuple[tuple[NDArray[np.uint32], list[str]] | None, NDArray[np.float64] | None, str | None]:
    """Read a target of texts: codes and names of classes, or numbers; and a warning if in doubt."""

def kind_of_texts(
    name: str, levels: Sequence[str], counts: Sequence[int], rows: Sequence[int]
) -> _Kind:
    """Infer the kind of a column of texts; `rows` are the first rows of the levels, from 0."""

def kind_of_numbers(seen: Sequence[bool], has_others: bool) -> _Kind:
    """Infer the kind of a column of numbers, by which of 0, 1 and 2 occur and whether others do."""

def column_names(names: Sequence[str]) -> list[str]:
    """Call nameless columns as in files: ``column_3`` is the third."""

def is_missing_text(text: str) -> bool:
    """Whether a text stands for a missing value in every reader, as `NA` and the empty text do."""

def inexact_number(cells: str, column: str) -> str:
    """Word the error for whole numbers beyond 2^53; `cells` names them and their rows."""

def encode_rows(
    encoding: _Encoding,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    threads: int | None,
) -> tuple[NDArray[np.float64], list[str]]:
    """Make numbers of rows, as of those of a fit; with warnings."""

def encoded_names(encoding: _Encoding) -> list[str]:
    """List the names of the columns of numbers."""

def linear_transform(
    mean: NDArray[np.float64],
    components: NDArray[np.float64],
    names: list[str],
    rows: NDArray[np.float64],
    threads: int | None,
) -> NDArray[np.float64]:
    """Map rows by a linear map: a matrix, or the entries of a diagonal one.

    All arrays are contiguous in C order; errors use the names of the columns.
    """

class Cohort:
    """A cohort of PLINK; its genotypes are read when they are needed."""

    def samples(self) -> dict[str, list[str]]:
        """Give the people, column by column."""

    def variants(self) -> dict[str, list[str] | NDArray[np.uint64]]:
        """Give the variants, column by column."""

    def covariates(self) -> dict[str, list[str | None] | NDArray[np.float64]] | None:
        """Give the covariates, column by column; None where no file of them was read."""

    def target(self) -> str:
        """Give what the phenotype is called."""

    def cases(self) -> list[bool | None] | None:
        """Tell who is a case; None where the phenotype is a quantity."""

    def classes(self) -> list[str | None] | None:
        """Give everybody's class; None where the phenotype does not have classes named by words."""

    def quantity(self) -> NDArray[np.float64] | None:
        """Give the phenotype where it is a quantity; NaN is missing."""

    def warnings(self) -> list[str]:
        """Tell what was left out."""

    def genotypes(
        self, people: NDArray[np.uint32], variants: NDArray[np.uint32], missing: int
    ) -> NDArray[np.int8]:
        """Read copies of A1 of some people and variants, a row per variant."""

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
    """Open a ``.bed`` file with ``.bim`` and ``.fam`` beside it, and choose people and variants."""

_Genotypes = tuple[Cohort, NDArray[np.uint32], NDArray[np.uint32]]
# Codes and levels, and whether the type of the column declares these.
_Texts = tuple[NDArray[np.int32], Sequence[str], bool]
_Features = _Matrix | _Genotypes | Sequence[_Numbers | _Texts]

def fit(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    options: Sequence[tuple[str, str]],
    *,
    wrappers: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    test: tuple[
        str, str, float, NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None
    ]
    | None = None,
    covariates: tuple[_Features, Sequence[str], Sequence[_Kind], float | None, bool] | None = None,
) -> FitResult:
    """Fit a weighting method, inside wrappers if there are any.

    ``features`` is one two-dimensional array, contiguous in C or Fortran order and never copied;
    or people and variants of a cohort, by their places; or one entry per column: contiguous
    numbers, or codes (negative is missing) and level names.
    ``kinds`` states each column's kind; ``auto`` infers it from the values. ``target`` is class
    codes and class names, or real numbers. ``wrappers`` are written as for the command line's
    ``--wrap``, the first next to the method. ``threads=None`` uses every core.
    ``progress(stage, done, total)`` is called now and then; what it raises stops the fit.
    ``test`` is a permutation test of the weights: the number of permutations as on the command
    line, the correction, the level, and the groups of rows as for ``target``, or None.
    ``covariates`` are columns as ``features`` are, a caliper or None, and whether they count in
    distances.
    """

def without_rounding(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give weights with 0 for those below 1e-14 times the largest absolute weight."""

def residuals(
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    covariates: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    kind: str,
    seed: int,
) -> tuple[NDArray[np.float64], list[str]]:
    """Compute what covariates leave of a target, and warnings; ``kind`` is that of classes."""

class KnownFit(TypedDict):
    weights: NDArray[np.float64]
    warnings: Sequence[str]
    # What `fit` was given as ``test``, and what it gave.
    test: (
        tuple[
            tuple[
                str,
                str,
                float,
                NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None,
            ],
            TestResult,
        ]
        | None
    )
    # How the weights came about, as `fit` told it.
    changes: Sequence[float]
    converged: bool | None
    elimination: _Elimination | None
    # What repeats the fit.
    command: str
    # The names of the data and of the target.
    data: str
    target: str

def ranking_page(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    options: Sequence[tuple[str, str]],
    *,
    known: KnownFit,
    wrappers: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    file: str | None = None,
    force: bool = False,
) -> str:
    """Make the page of weights that are known; other arguments as of :func:`fit`.

    Written to ``file``, whole or not at all, where there is one; ``force`` says that it may be
    replaced.
    """

def find_pairs(
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    *,
    chosen: Sequence[int],
    pairs: int,
    permutations: int | None = None,
    groups: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> PairsResult:
    """Test every two of the ``chosen`` features, and give the strongest ``pairs`` of them."""

def rank_resamples(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    options: Sequence[tuple[str, str]],
    *,
    resamples: int,
    fraction: float,
    top: int,
    copies: bool,
    wrappers: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> ResamplesResult:
    """Fit a weighting method to resamples of the rows; other arguments as of :func:`fit`.

    Each of the ``resamples`` takes a ``fraction`` of the rows and selects the ``top`` features of
    greatest weight. With ``copies``, permuted copies of all features stand beside them.
    """

def stability_page(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    options: Sequence[tuple[str, str]],
    *,
    known: KnownResamples,
    wrappers: Sequence[str] = (),
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    file: str | None = None,
    force: bool = False,
) -> str:
    """Make the page of a selection from resamples; other arguments as of :func:`ranking_page`."""

def map_methods() -> list[MapMethodDescription]:
    """List the methods that learn a map and their options, as the library's registry has them."""

def fit_map(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None,
    options: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> MapResult:
    """Fit a method that learns a map; arguments as of :func:`fit`."""

def fit_map_pairs(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    pairs: Sequence[tuple[int, int, bool]],
    options: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> MapResult:
    """Fit a method that learns a map to pairs of rows, which are near or not."""

def fit_map_comparisons(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    comparisons: Sequence[tuple[int, int, int, int]],
    options: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> MapResult:
    """Fit a method that learns a map to rows of which two shall be nearer than the other two."""

class KnownMap(TypedDict):
    # What `fit_map` gave; the last four None of linear maps.
    mean: NDArray[np.float64]
    # One of both is None.
    components: NDArray[np.float64] | None
    diagonal: NDArray[np.float64] | None
    eigenvalues: NDArray[np.float64]
    discriminant_power: float | None
    iterations: int | None
    converged: bool | None
    objective: float | None
    rank: int | None
    ridge: float | None
    encoding: _Encoding | None
    kernel: str | None
    units: NDArray[np.float64] | None
    basis: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None
    warnings: Sequence[str]
    # What repeats the fit.
    command: str
    # The names of the data and of the target.
    data: str
    target: str

def map_page(
    method: str,
    features: _Features,
    names: Sequence[str],
    kinds: Sequence[_Kind],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None,
    options: Sequence[tuple[str, str]],
    *,
    known: KnownMap,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    file: str | None = None,
    force: bool = False,
) -> str:
    """Make the page of a map that is known; other arguments as of :func:`ranking_page`."""

def kernel_transform(
    kernel: str,
    mean: NDArray[np.float64],
    units: NDArray[np.float64],
    basis: NDArray[np.float64],
    components: NDArray[np.float64],
    offset: NDArray[np.float64],
    names: list[str],
    rows: NDArray[np.float64],
    threads: int | None,
) -> NDArray[np.float64]:
    """Map rows by a kernel map: ``components @ kernel(basis, (rows - mean) / units) + offset``."""

def nearest_rows(
    known: NDArray[np.float64],
    sought: NDArray[np.float64] | None,
    count: int,
    metric: str,
    threads: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the nearest known rows of every row sought; of None, the nearest others of every row."""

def nearest_answers(
    known: NDArray[np.float64],
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    sought: NDArray[np.float64],
    count: int,
    metric: str,
    weights: str,
    threads: int | None,
) -> NDArray[np.float64]:
    """Let the nearest rows answer: the share of every class, or one column of means."""

def nearest_classes(
    known: NDArray[np.float64],
    target: tuple[NDArray[np.uint32], Sequence[str]],
    sought: NDArray[np.float64],
    count: int,
    metric: str,
    weights: str,
    threads: int | None,
) -> NDArray[np.uint32]:
    """Let the nearest rows answer: the code of every row's class."""

def check_columns(
    columns: _Features, names: Sequence[str], kinds: Sequence[_Kind], are_covariates: bool
) -> list[tuple[str, list[str] | None, int]]:
    """Read columns as a fit does: the kind, the levels and the missing values of each."""

class Audience:
    """Settings of the object that a caller called, for the advice in messages."""

    def __init__(self, parameters: dict[str, tuple[str, str]], words: dict[str, str]) -> None:
        """Take the name of every parameter and the expression around it, and words for settings.

        The expression has ``{}`` in place of the parameter; words have it in place of a value.
        """

def speak_to(audience: Audience | None) -> Audience | None:
    """Set the reader of this thread's messages; gives the one before. None has every setting."""

def column_index(names: Sequence[str], name: str) -> int:
    """Find a column by name; an unknown name raises ``ValueError`` with the nearest one."""

def run_program(arguments: Sequence[str]) -> int:
    """Run the command line; the first argument is the program's name. Gives the exit code."""

def job(
    method: str,
    options: Sequence[tuple[str, str]],
    seed: int,
    target: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]],
    names: Sequence[str],
    kinds: Sequence[str],
    block_rows: int | None = None,
    block_columns: int | None = None,
) -> bytes:
    """Draft a fit in parts, before its columns are known; it holds the target."""

def row_checksums(values: NDArray[np.float64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Fold every row into a number, by a key per column: bits as they are, all NaN alike."""

def check_test_in_parts(
    method: str, draws: int, correction: str, alpha: float, features: int
) -> None:
    """Refuse a test that is not valid, cannot be done in parts, or could not find anything."""

def job_permutations(plan: bytes, draws: int, parts: int) -> bytes:
    """Add a permutation test of the weights to a plan, in at most so many parts."""

def job_permute(
    plan: bytes,
    part: int,
    features: Sequence[Any],
    weights: NDArray[np.float64],
    threads: int | None = None,
) -> bytes:
    """Weigh under the permutations of a part, from all columns of all rows and their weights."""

def job_test(
    plan: bytes,
    weights: NDArray[np.float64],
    permuted: Sequence[bytes],
    correction: str,
    alpha: float,
) -> dict[str, Any]:
    """Test the weights, from the results of all parts.

    ``p_values``, ``adjusted`` (by max-T), ``q_values`` and ``selected`` of all features, and the
    ``chance_weight`` that the largest exceeds by chance in a share alpha of the permutations.
    """

def job_layout(job: bytes) -> dict[str, Any]:
    """Tell how rows and columns are cut.

    ``places`` of all rows, ``block_rows`` of these places in a block, the number of ``blocks``, how
    many of the first are ``queries``, and ``column_blocks`` with their first and last columns.
    """

def job_columns(
    job: bytes, column_block: int, features: Sequence[Any], threads: int | None = None
) -> tuple[bytes, list[NDArray[np.uint8]]]:
    """Give the facts of some columns, with all rows, and for every block of rows their cell."""

def job_plan(job: bytes, facts: Sequence[bytes]) -> bytes:
    """Plan a draft, from the facts of all columns in their order; the plan holds the draft."""

def job_stages(plan: bytes) -> list[dict[str, Any]]:
    """Tell the stages: ``stage``, ``parts``, ``result_bytes`` and ``memory_bytes`` of each."""

def job_pairs(plan: bytes, stage: str = "search") -> list[tuple[int, int]]:
    """Tell the pairs of blocks that a stage compares."""

def job_pair(
    plan: bytes,
    stage: str,
    known: Sequence[bytes],
    a: int,
    b: int,
    cells_a: Sequence[NDArray[np.uint8]],
    cells_b: Sequence[NDArray[np.uint8]],
    threads: int | None = None,
) -> list[tuple[int, bytes]]:
    """Compare two blocks, from their cells in the order of columns: a result for each of them."""

def job_known(plan: bytes, stage: str, results: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Put together what a stage measured, of all pairs in any order."""

def job_lists(
    plan: bytes,
    block: int,
    results: Sequence[tuple[int, int, bytes]],
    threads: int | None = None,
) -> bytes:
    """Find the neighbors of a block's rows, from all results of the search for it in any order."""

def job_sums(
    plan: bytes,
    column_block: int,
    features: Sequence[Any],
    lists: Sequence[bytes],
    threads: int | None = None,
) -> bytes:
    """Weigh some columns, with all rows, from the lists of all blocks in their order."""

def job_scatter(
    plan: bytes,
    part: int,
    features: Sequence[Any],
    lists: Sequence[bytes],
    threads: int | None = None,
) -> bytes:
    """Add up a part of the scatter, from the columns of its one or two blocks and all lists."""

def job_map(plan: bytes, tiles: Sequence[bytes], threads: int | None = None) -> dict[str, Any]:
    """Make the map of all parts of the scatter.

    ``components`` (a row each), ``mean``, ``eigenvalues``, ``discriminant_power`` and
    ``warnings``.
    """

def job_margins(
    plan: bytes,
    part: int,
    cells: Sequence[Sequence[NDArray[np.uint8]]],
    threads: int | None = None,
) -> bytes:
    """Add up the margins of the blocks of a part, from the cells of all blocks of rows."""

def job_rounds(
    method: str,
    options: Sequence[tuple[str, str]],
    wrappers: Sequence[str],
    seed: int,
    width: int,
) -> bytes:
    """Begin the rounds of a fit inside wrappers; a fit without one has one round."""

def job_round(rounds: bytes) -> tuple[int, int, list[int]]:
    """Tell a round's number, from 1 on, how many there are at most, and which columns it weighs."""

def job_again(rounds: bytes, plan: bytes) -> bytes | None:
    """Give a round's plan from another's, if it has the same cells; else None."""

def job_after(
    rounds: bytes, plan: bytes, results: Sequence[bytes]
) -> tuple[bytes | None, NDArray[np.float64] | None, list[str]]:
    """Give the next round; after the last one None, the weights of all columns, and warnings."""
