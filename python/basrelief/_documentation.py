"""The docstrings of the classes that are created from the registry.

The registry entry of a method contains the texts of that method. This module contains the shared
texts, one block per parameter and attribute.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from basrelief._classes import Parameter
    from basrelief._native import Description, Docstring

__all__ = ["MAPS", "REPORTS", "SELECTORS", "Family", "docstring"]

# Parameters of the base classes, in the order of the docstrings.
_SHARED = {
    "estimator": """
    estimator : selector or None, default=None
        The wrapped selector, which can be another wrapper; None is :class:`ReliefF`. It is not
        fitted itself: its parameters specify the method and its options, and which columns are
        categorical, ordinal or genotypes. For `n_jobs`, `random_state` and `verbose` the outermost
        value that is set applies. The outermost selector determines which features are selected.
""",
    "n_components": """
    n_components : int or None, default=None
        Number of components of the map, most important first; None: as many as there are.
""",
    "n_features_to_select": """
    n_features_to_select : int, float, str or None, default=None
        The features that `transform` keeps: a number of features, or a fraction in (0, 1]. None
        keeps all features with a weight above `threshold`, or for :class:`TuRF` the features of its
        last round. A threshold of 0 is only a coarse filter, because weights of features without an
        effect can also be above 0. ``"max-t"``, ``"studentized"``, ``"min-p"``, ``"fdr"`` or
        ``"storey"`` selects by a permutation test (:func:`basrelief.permutation_test`) the features
        whose adjusted p-value or q-value is at most `alpha`.
""",
    "threshold": """
    threshold : float, default=0.0
        Weight above which a feature is kept if `n_features_to_select` is None; no effect on
        :class:`TuRF`.
""",
    "redundancy": """
    redundancy : "none", "correlation:R" or "relief", default="none"
        What the selection does about redundant features, after those with larger weights were
        selected. ``"correlation:0.95"`` excludes features that are correlated with a selected one
        by more than 0.95 (Pearson's r, Cramér's V or the correlation ratio). ``"relief"`` selects
        the feature with the largest weight after a discount for its redundancy: the correlation of
        its differences between near rows with those of the selected features. It requires a
        number in `n_features_to_select`.
""",
    "rank_by": """
    rank_by : {"weight", "absolute"}, default="weight"
        Whether the features are ranked and selected by their weights, or by their absolute values:
        interactions of many features have large weights of either sign. A test is then two-sided.
""",
    "n_permutations": """
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Number of permutations of the target if `n_features_to_select` is a text; adaptive: as many
        as each feature needs, only with ``"fdr"`` and ``"storey"``.
""",
    "alpha": """
    alpha : float, default=0.05
        Error rate that such a selection controls, above 0 and below 1.
""",
    "sided": """
    sided : {"one", "two"}, default="one"
        Whether such a selection selects large weights, or large and small ones, by their absolute
        values.
""",
    "categorical_features": """
    categorical_features : None, "all" or array-like, default=None
        Categorical columns, whose difference is 0 or 1: names, indices or a boolean mask. With
        None, the columns of categorical, string or boolean type. If you list columns, list every
        column of texts: the others must be numbers.
""",
    "ordinal_features": """
    ordinal_features : None, "all", array-like or dict, default=None
        Ordinal columns, whose difference is the number of steps between two levels divided by the
        number of all steps: names, indices or a boolean mask of columns of numbers, ordered
        categories or polars' Enum, or a dict of columns and their levels in ascending order. With
        None, the ordered categories of pandas.
""",
    "genotype_features": """
    genotype_features : None, "all" or array-like, default=None
        Genotype columns, with 0, 1 or 2 copies of an allele. With None, the columns whose
        non-missing values are exactly 0, 1 and 2; their additive difference equals the numeric one.
""",
    "blocks": """
    blocks : dict, str or None, default=None
        Blocks of features, each of which counts as one feature in distances: a dict of names and
        their columns (names or indices), or ``"prefix:_"`` for the columns with the same text
        before the first ``_``. Features in no block count as themselves.
""",
    "block_scale": """
    block_scale : {"size", "variance", "max"}, default="size"
        By which number the sum of the differences of a block is divided: its number of features,
        its variance over pairs of rows, or its largest value.
""",
    "target_type": """
    target_type : {"auto", "classes", "real"}, default="auto"
        Type of the target. With ``"auto"``, regression methods read all numbers as a numeric
        target. Other methods read whole numbers with at most 20 distinct values as classes, and
        other numbers as a numeric target. Texts and booleans are classes.
""",
    "target_tree": """
    target_tree : dict or None, default=None
        Hierarchy of the labels of the target: a dictionary of labels and their parents (None at the
        top). Rows are compared by all of their labels and the ancestors of these.
""",
    "unlabeled": """
    unlabeled : object or None, default=None
        Target value of rows whose label is unknown, such as -1; ``"missing"`` for rows without a
        target. A method for classes and a map use these rows only to scale the features; for other
        methods they can be neighbors, but their pairs do not count. With None, -1 is an ordinary
        value, and rows without a target are refused.
""",
    "scale": """
    scale : {"none", "standard", "range"}, default="none"
        Scaling of the features: none, by the standard deviation, or by the range.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The weights
        do not depend on it.
""",
    "random_state": """
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; the same as ``--seed`` on the command line. None draws the seed
        from the global generator of NumPy, so that random results differ between fits.
""",
    "verbose": """
    verbose : int, default=0
        Whether to write progress to standard error.
""",
}

# Longer texts of options in the docstrings of selectors, instead of the line of the registry.
_OPTIONS = {
    "n_neighbors": (
        "Number of nearest neighbors per class (among all rows for a numeric target), at "
        "least 1: larger is more stable, smaller is more local. In a class with fewer rows, "
        "all rows are used, with a warning."
    ),
    "n_samples": (
        "Number of rows whose neighbors are used, from 1 to the number of rows, drawn "
        'without replacement by `random_state`. With ``"all"`` nothing is random.'
    ),
    "neighbor_weights": (
        'Weights of the neighbors: equal (``"uniform"``), or decreasing with the rank as '
        '``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.'
    ),
    "ties": (
        "Rows tied at the largest distance: all get tie weights, which is the mean over all "
        "orders of the rows, or the first rows of the table are used."
    ),
    "ramp": (
        "Numeric differences up to `t_equal` of the range count as 0, from `t_different` on as 1, "
        "and linearly in between; ``0 <= t_equal < t_different <= 1``."
    ),
    "genotype_diff": (
        "Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not)."
    ),
    "compat": (
        "Follow the documented rules of scikit-rebate 0.8.4, for comparison: the radius of "
        "SURF includes the distance 0 of every row to itself, the misses of all classes have "
        "equal weight, missing values are excluded, numeric columns of mixed data count as 1 "
        "beyond their standard deviation, and rows are hits or misses also for a numeric "
        'target. Its errors are not reproduced. Missing values require ``missing="ignore"``, and '
        'genotype columns ``genotype_diff="categorical"``.'
    ),
    "exponent": "How late the estimates influence the distance, above 0; larger is later.",
    "area_share": (
        "Mean share of the unweighted distance over all visits: 0 is :class:`DReliefF`, 1 is "
        ":class:`ReliefF`."
    ),
    "sigma": (
        "Kernel width over distances, above 0; if it is small, only the nearest rows have "
        "influence."
    ),
    "tol": "The iteration has converged when the weights change by less than this, above 0.",
    "mode": "All rows at once, or one after the other in an order drawn by `random_state`.",
    "outliers": (
        "Whether to weight rows by the probability that they are not outliers, or all equally."
    ),
    "squared": "Whether to use the squares of the features' differences.",
    "utility": (
        "Utility of a margin: the margin itself, or 1 / (1 + exp(-BETA margin)) with "
        '``"sigmoid:BETA"``.'
    ),
    "steps": 'Steps of the ascent, one row per step; ``"all"`` is the number of rows.',
    "C": "Weight of the margins relative to the pull of the nearest hits, from 1e-9 to 1e9.",
    "n_bins": "Equal-frequency bins per numeric column, at least 2.",
    "mu": (
        "Weight of the violated margins, from 0 to 1; the pull of the target neighbors has the "
        "weight ``1 - mu``."
    ),
    "slack": (
        "Price of rows of different classes that are nearer than 1, above 0, times their "
        "shortfall. None forbids them, as in the paper: identical rows of different classes "
        "are then an error. The default gives the same weights unless the objective is above "
        "it, and accepts such rows with a warning."
    ),
    "drop": (
        "Fraction of the remaining features that each round drops, from 0 to 0.99, at least one "
        "feature."
    ),
    "keep": "Number of features at which to stop, at least 1.",
    "size": "Number of features in a random subset, at least 2.",
    "rounds": (
        "How often the features are divided into random subsets; a pair of `p` features shares a "
        "subset in about ``rounds * size / p`` rounds."
    ),
}

_WEIGHTS = """
    weights_ : ndarray of shape (n_features,)
        Weights of the features{weights}.
    feature_importances_ : ndarray of shape (n_features,)
        Copy of `weights_`, under the name that scikit-learn's tools expect.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: 1 for the largest weight; equal weights have the same rank.
    weight_intervals_ : ndarray of shape (n_features, 2)
        Limits of the 95 % intervals of the expected weights; only after a fit with
        ``intervals=True``.
    weights_by_neighbors_ : dict of int to ndarray of shape (n_features,)
        The weights for each of several numbers of neighbors; only after a fit with a list, such as
        ``n_neighbors=(5, 10, 20)``. `weights_` has the largest of each feature.
    represented_ : dict
        Of each selected feature, in the order of selection, the features that it represents, as
        pairs of a feature and its redundancy; only with a rule in `redundancy`.
    block_names_ : list of str
        Names of the blocks of features; only with `blocks`.
    block_weights_ : ndarray of shape (n_blocks,)
        Weights of the blocks: those of the differences of whole blocks.
    block_p_values_ : ndarray of shape (n_blocks,)
        P-values of the weights of the blocks; only with `blocks` and a permutation test.
    block_adjusted_p_values_ : ndarray of shape (n_blocks,)
        These p-values, adjusted by the largest weight of all blocks (max-T).
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only if `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        P-values adjusted for multiple testing; None for an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        Q-values: false discovery rates.
"""

_MAP = """
    components_ : ndarray of shape (n_components, n_encoded)
        Matrix of the map, most important component first; the entry of largest magnitude of each
        component is positive. The columns correspond to `encoded_names_`. For a diagonal map the
        matrix is created at every access.
    mean_ : ndarray of shape (n_encoded,)
        Means of the encoded columns, which the map subtracts.
    encoding_ : tuple or None
        Encoding of the columns as numbers; None if all columns are numeric and complete, and
        therefore used unchanged. It contains how differences add up, and for every column its name,
        its categories (None for numbers), the number of missing values and the code of a missing
        value; for an ordinal column also its levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns: the names of numeric features, ``column=category`` for each
        category, and ``column (missing)`` for indicators of missing values.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions that the rows span; None if the features are used unchanged.
"""

_ATTRIBUTES = """
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
"""

_CLASSES = """
    classes_ : ndarray of shape (n_classes,)
        The class labels{only}.
"""


class Report(NamedTuple):
    """An attribute that only some methods set during `fit`."""

    field: str
    """The field in the report of the library."""
    type: str
    text: str

    def block(self, name: str) -> str:
        """Format the description of the attribute."""
        return _block(f"{name} : {self.type}", self.text)


REPORTS = {
    "neighbor_search_": Report(
        "search",
        "str",
        'How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. The result '
        "is the same.",
    ),
    "plan_": Report(
        "plan",
        "dict",
        "How neighbors were found and differences summed, as shown by `basrelief rank --explain`: "
        "the `route`; descriptions of the `search`, of the treatment of `missing` values and of "
        "the `sums`; the maximum `bytes` of memory and the `bytes_in_file`; routes `not_used` and "
        "the reasons; the `fallback` from an abandoned route.",
    ),
    "n_iter_": Report("iterations", "int", "Number of iterations{iterations}."),
    "converged_": Report(
        "converged",
        "bool or None",
        "Whether the iteration converged; None if the method has no convergence test.",
    ),
    "objective_": Report("objective", "float or None", "Final value of the objective."),
    "n_constraints_": Report(
        "constraints",
        "int",
        "Number of pairs of rows whose constraints were used; the solution satisfies those of all "
        "pairs.",
    ),
    "relative_gap_": Report(
        "relative_gap",
        "float",
        "Relative duality gap: a proven upper bound of the relative distance to the optimum.",
    ),
    "ridge_": Report(
        "ridge",
        "float",
        "Value added to the diagonal of the inverted matrix; 0.0 means none.",
    ),
    "discriminant_power_": Report(
        "discriminant_power",
        "float",
        "Square root of the sum of squares of all positive eigenvalues, including those of "
        "excluded components.",
    ),
}


class Family(NamedTuple):
    """Shared texts of the docstrings of all selectors, or of all transformers."""

    attributes: str
    """The attributes after a fit, as a part of the docstring."""
    options: dict[str, str]
    """Texts that replace those of the registry, by the name of the option."""


SELECTORS = Family(_WEIGHTS, _OPTIONS)
MAPS = Family(_MAP, {})


def docstring(
    entry: Description,
    text: Docstring,
    options: Iterable[Parameter],
    inherited: Iterable[str],
    family: Family,
) -> str:
    """Create the docstring of a class.

    Parameters
    ----------
    entry : dict
        The registry's entry.
    text : dict
        The texts of this class.
    options : iterable of Parameter
        The options of the method.
    inherited : iterable of str
        Parameters of the base class.
    family : Family
        The texts of the base class.

    Returns
    -------
    docstring : str
        The docstring in numpydoc format, indented as in the source of a class.
    """
    shared = [name for name in _SHARED if name in set(inherited)]
    # Positional parameters come before the options.
    first = [name for name in shared if name in ("estimator", "n_components")]
    parameters = [
        *(_SHARED[name] for name in first),
        *(_option(option, family) for option in options),
        *(_SHARED[name] for name in shared if name not in first),
    ]
    blocks = [family.attributes, _ATTRIBUTES]
    if entry.get("supervised", True) and entry.get("task") not in ("regression", "survival"):
        blocks.append(_CLASSES)
    blocks += [REPORTS[name].block(name) for name in text["reports"]]
    both = entry.get("task") == "classes or regression"
    words = {
        "{weights}": text["weights"],
        "{iterations}": text["iterations"],
        "{only}": "; not for a numeric target" if both else "",
    }
    fitted = _join(blocks)
    for place, word in words.items():
        fitted = fitted.replace(place, word)
    sections = {
        "Parameters": _join(parameters),
        "Attributes": fitted,
        "See Also": "\n".join(f"    {name} : {what}" for name, what in text["see_also"]),
        "Notes": _paragraphs(text["notes"]),
        "References": _paragraphs(text["references"]),
        "Examples": "\n".join(f"    {line}" for line in text["examples"]),
    }
    parts = [text["summary"]]
    if text["description"]:
        parts.append(_paragraphs(text["description"]))
    parts += [
        f"    {title}\n    {'-' * len(title)}\n{body}" for title, body in sections.items() if body
    ]
    return "\n\n".join(parts) + "\n    "


def _option(option: Parameter, family: Family) -> str:
    text = family.options.get(option.name, f"{option.help}.")
    return _block(f"{option.name} : {option.kind}, default={option.shown_default}", text)


def _block(head: str, text: str) -> str:
    """Format the description of a parameter or attribute."""
    return "\n".join([f"    {head}", *_wrap(text, "        ")])


def _join(blocks: Iterable[str]) -> str:
    return "\n".join(block.strip("\n") for block in blocks)


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n\n".join("\n".join(_wrap(text, "    ")) for text in texts)


def _wrap(text: str, indent: str) -> list[str]:
    """Break a text into lines of at most 100 characters, without breaking literals."""
    held = re.sub(r"``[^`]*``", lambda literal: literal[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        held,
        100,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace("\0", " ") for line in lines]
