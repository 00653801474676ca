"""The compiled half of basrelief. Private: use the estimators."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from basrelief._base import Study
from basrelief._maps import MapParts
from basrelief._pages import PageRequest

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

class TestResult(TypedDict):
    p_values: NDArray[np.float64]
    # None of an adaptive test, as is chance_weight.
    adjusted: NDArray[np.float64] | None
    q_values: NDArray[np.float64]
    selected: NDArray[np.bool_]
    draws: NDArray[np.int64]
    chance_weight: float | None
    seconds: float

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

# How differences add up, and of every column its name, its categories if it holds any, how many
# values were missing in the fit, and what a missing value becomes.
_EncodedColumn = (
    tuple[str, Sequence[str] | None, int, Sequence[float]]
    | tuple[str, None, int, Sequence[float], Sequence[str]]
)
_Encoding = tuple[str, Sequence[_EncodedColumn]]

class FitReport:
    """How a fit went. It pickles in the library's format, as all outcomes do."""

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
    # The columns of the last round, where a wrapper dropped features.
    kept: list[int] | None
    seconds: float

class Weights:
    """Weights, how they were found, and their test."""

    weights: NDArray[np.float64]
    ranks: NDArray[np.int64]
    report: FitReport
    # Where a test was asked for.
    test: TestResult | None

    def page(self, study: Study, request: PageRequest) -> str:
        """Make the page of the weights of a study, and write it where there is a file."""

class Resamples:
    """How often features are selected on resamples of the rows."""

    frequencies: NDArray[np.float64]
    # Of the permuted copies, where there were some.
    copies: NDArray[np.float64] | None
    ranking: NDArray[np.int64]
    # The measure and its 95 % interval; None where it is not defined.
    stability: tuple[float, tuple[float, float]] | None
    warnings: list[str]
    seconds: float

    def page(
        self, study: Study, request: PageRequest, cutoff: float, false_share: float | None
    ) -> str:
        """Make the page of a selection, which keeps features from a frequency on."""

class MapFit:
    """A map that was learned, and how."""

    report: FitReport
    # None where all columns are complete numbers.
    encoding: _Encoding | None
    mean: NDArray[np.float64]
    # One of both: a diagonal has an entry per component.
    components: NDArray[np.float64] | None
    diagonal: NDArray[np.float64] | None
    eigenvalues: NDArray[np.float64]
    discriminant_power: float | None
    # Of kernel maps only:
    kernel: str | None
    units: NDArray[np.float64] | None
    basis: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None

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

def map_rows(
    parts: MapParts, rows: NDArray[np.float64], threads: int | None
) -> NDArray[np.float64]:
    """Map rows, an array that is contiguous in C order."""

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

# The number of permutations as on the command line, the correction, the level, and groups of rows.
_Test = tuple[
    str, str, float, NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None
]

def fit(
    study: Study,
    *,
    test: _Test | None = None,
    covariates: tuple[_Features, Sequence[str], Sequence[_Kind], float | None, bool] | None = None,
) -> Weights:
    """Fit a weighting method, inside wrappers if there are any.

    ``study.features`` is one two-dimensional array, contiguous in C or Fortran order and never
    copied; or people and variants of a cohort, by their places; or one entry per column: contiguous
    numbers, or codes (negative is missing) and level names.
    ``study.kinds`` states each column's kind; ``auto`` infers it from the values. ``study.target``
    is class codes and class names, or real numbers. ``study.threads=None`` uses every core.
    ``study.progress(stage, done, total)`` is called now and then; what it raises stops the fit.
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

def find_pairs(
    study: Study,
    *,
    chosen: Sequence[int],
    pairs: int,
    permutations: int | None = None,
    groups: NDArray[np.float64] | tuple[NDArray[np.uint32], Sequence[str]] | None = None,
) -> PairsResult:
    """Test every two of the ``chosen`` features, and give the strongest ``pairs`` of them."""

def select_on_resamples(
    study: Study, resamples: int, fraction: float, top: int, copies: bool
) -> Resamples:
    """Fit a weighting method to resamples of the rows.

    Each of the ``resamples`` takes a ``fraction`` of the rows and selects the ``top`` features of
    greatest weight. With ``copies``, permuted copies of all features stand beside them.
    """

def map_methods() -> list[MapMethodDescription]:
    """List the methods that learn a map and their options, as the library's registry has them."""

def fit_map(study: Study) -> MapFit:
    """Fit a method that learns a map."""

def fit_map_pairs(study: Study, pairs: Sequence[tuple[int, int, bool]]) -> MapFit:
    """Fit a method that learns a map to pairs of rows, which are near or not."""

def fit_map_comparisons(study: Study, comparisons: Sequence[tuple[int, int, int, int]]) -> MapFit:
    """Fit a method that learns a map to rows of which two shall be nearer than the other two."""

def map_page(study: Study, report: FitReport, parts: MapParts, request: PageRequest) -> str:
    """Make the page of a map, and write it where there is a file."""

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

def job(study: Study, *, block_rows: int | None = None, block_columns: int | None = None) -> bytes:
    """Draft a fit in parts, before its columns are known; it holds the target."""

def row_checksums(values: NDArray[np.float64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Fold every row into a number, by a key per column: bits as they are, all NaN alike."""

def check_test_in_parts(study: Study, test: _Test) -> None:
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
    test: _Test,
) -> TestResult:
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

def job_rounds(study: Study) -> bytes:
    """Begin the rounds of a fit inside wrappers; a fit without one has one round."""

def job_round(rounds: bytes) -> tuple[int, int, list[int]]:
    """Tell a round's number, from 1 on, how many there are at most, and which columns it weighs."""

def job_again(rounds: bytes, plan: bytes) -> bytes | None:
    """Give a round's plan from another's, if it has the same cells; else None."""

def job_after(
    rounds: bytes, plan: bytes, results: Sequence[bytes]
) -> tuple[bytes | None, NDArray[np.float64] | None, list[str]]:
    """Give the next round; after the last one None, the weights of all columns, and warnings."""
