"""The docstrings of the classes that are made from the registry.

What only one method says stands in its entry of the registry; here stands what several share, one
block per parameter and attribute.
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

# Parameters of the base classes, in the order shown.
_SHARED = {
    "estimator": """
    estimator : selector or None, default=None
        The selector that is wrapped, another wrapper included; None is :class:`ReliefF`. It is
        not fitted itself: its parameters say how the features are weighed and which columns are
        categories or genotypes. Of `n_jobs`, `random_state` and `verbose` the outermost that is
        given counts, and what is selected is up to the outermost selector.
""",
    "n_components": """
    n_components : int or None, default=None
        Components of the map, the most important ones; None: as many as there are.
""",
    "n_features_to_select": """
    n_features_to_select : int, float, {"max-t", "min-p", "fdr", "storey"} or None, default=None
        How many features `transform` keeps: a number, a share in (0, 1], or with None all whose
        weight is above `threshold`; of :class:`TuRF` the features of its last round. With a text
        a permutation test decides: those whose p-value,
        adjusted by max-T or min-P, or whose q-value is at most `alpha`
        (:func:`basrelief.permutation_test`).
""",
    "threshold": """
    threshold : float, default=0.0
        Weight above which a feature is kept while `n_features_to_select` is None; without effect
        on :class:`TuRF`.
""",
    "n_permutations": """
    n_permutations : int, "adaptive" or "adaptive:MOST", default=1000
        Permutations of the target while `n_features_to_select` is a text; adaptive: as many as each
        feature needs, which goes with ``"fdr"`` and ``"storey"``.
""",
    "alpha": """
    alpha : float, default=0.05
        Error rate that such a selection keeps, above 0 and below 1.
""",
    "categorical_features": """
    categorical_features : None, "all" or array-like, default=None
        Which columns are categories, whose difference is 0 or 1: names, indices or a boolean mask.
        With None it is those of categorical, string or boolean type.
""",
    "ordinal_features": """
    ordinal_features : None, "all", array-like or dict, default=None
        Which columns are levels in an order, whose difference is the distance of their places as a
        share of all steps: names, indices or a boolean mask of columns of numbers, of ordered
        categories or of polars' Enum, or a dict of columns and their levels in ascending order.
        With None it is ordered categories of pandas.
""",
    "genotype_features": """
    genotype_features : None, "all" or array-like, default=None
        Which columns are genotypes of 0, 1 or 2 copies of an allele. With None it is those whose
        known values are exactly 0, 1 and 2; their additive difference equals the numeric one.
""",
    "target_type": """
    target_type : {"auto", "classes", "real"}, default="auto"
        How a target of numbers is read. With ``"auto"`` a regression method takes any numbers, and
        for others whole numbers of at most 20 different values are classes, all else is a real
        target. Texts and booleans are classes.
""",
    "scale": """
    scale : {"none", "standard", "range"}, default="none"
        Units of the features: as they are, standard deviations, or ranges.
""",
    "n_jobs": """
    n_jobs : int or None, default=None
        Threads; None means 1 (unless in a joblib context) and -1 all cores. The weights do not
        depend on it.
""",
    "random_state": """
    random_state : int, RandomState instance or None, default=None
        Seed of what is drawn at random; a number draws what the command line's ``--seed`` draws.
""",
    "verbose": """
    verbose : int, default=0
        Whether to write progress to standard error.
""",
}

# What docstrings of selectors say of an option where that is more than the registry's one line.
_OPTIONS = {
    "n_neighbors": (
        "Nearest neighbors taken from each class (from all rows for a real target), at "
        "least 1. More are steadier, fewer are more local. A class with fewer rows gives "
        "all it has, with a warning."
    ),
    "n_samples": (
        "Rows whose neighbors are looked at, from 1 to the number of rows, drawn without "
        'replacement by `random_state`. With ``"all"`` nothing is random.'
    ),
    "neighbor_weights": (
        'Weight of the neighbors: ``"uniform"``, or falling with the rank as ``exp(-(rank '
        '/ sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.'
    ),
    "ties": (
        "Rows equally far at the last place: all share it, which is the mean over all "
        "orders of the rows, or the first rows of the table win."
    ),
    "ramp": (
        "Numeric differences up to `t_equal` of the range count 0, from `t_different` on 1, "
        "linear between; ``0 <= t_equal < t_different <= 1``."
    ),
    "genotype_diff": (
        "Difference of two genotypes: half the number of allele copies that differ, or 0 and 1."
    ),
    "compat": (
        "Follow the documented rules of scikit-rebate 0.8.4, to compare with it: SURF's "
        "radius counts every row's distance 0 to itself, misses of all classes weigh the "
        "same, missing values are left out, numbers among categories count 1 beyond their "
        "standard deviation, and a real target counts as hit or miss. Its mistakes are not "
        'repeated. It needs ``missing="ignore"`` where values are missing and '
        '``genotype_diff="categorical"`` where columns are genotypes.'
    ),
    "exponent": "How late the estimates come to count in the distance, above 0; greater is later.",
    "area_share": (
        "Share of plain distances over all visits: 0 is :class:`DReliefF`, 1 is :class:`ReliefF`."
    ),
    "sigma": "Width of the kernel over distances, above 0: small looks at the nearest rows only.",
    "tol": "Change of the weights below which the iteration has converged, above 0.",
    "mode": "All rows at once, or one after the other in an order drawn by `random_state`.",
    "outliers": "Whether rows count by the probability that they are no outliers, or all alike.",
    "squared": "Whether the features' differences are squared.",
    "utility": (
        'What a margin is worth: itself, or with ``"sigmoid:BETA"`` 1 / (1 + exp(-BETA margin)).'
    ),
    "steps": 'Steps of the ascent, a row each; ``"all"`` is as many as there are rows.',
    "C": "Weight of the margins against the pull of the nearest hits, from 1e-9 to 1e9.",
    "n_bins": "Equal-frequency bins that a numeric column is cut into, at least 2.",
    "mu": (
        "Weight of the violated margins, from 0 to 1; target neighbors are pulled with ``1 - mu``."
    ),
    "slack": (
        "Price of rows of different classes that are nearer than 1, above 0, for each what "
        "it lacks. None forbids them, as the paper does: identical rows of different "
        "classes are then an error. The default gives the same weights unless the objective "
        "is above it, and takes such rows with a warning."
    ),
    "drop": (
        "Share of the features left that each round drops, from 0 to 0.99; at least one feature."
    ),
    "keep": "Features at which to stop, at least 1.",
    "size": "Features in a random subset, at least 2.",
    "rounds": (
        "How often the features are dealt into subsets; two of `p` features meet in about "
        "``rounds * size / p`` of them."
    ),
}

_WEIGHTS = """
    weights_ : ndarray of shape (n_features,)
        Weights of the features{weights}.
    feature_importances_ : ndarray of shape (n_features,)
        The same, under the name that scikit-learn's tools look for.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature; 1 is the greatest weight, equal weights share a rank.
    pvalues_ : ndarray of shape (n_features,)
        P-values of a permutation test; only where `n_features_to_select` is a text.
    adjusted_pvalues_ : ndarray of shape (n_features,) or None
        The same, adjusted for their number; None of an adaptive test.
    qvalues_ : ndarray of shape (n_features,)
        False discovery rates.
"""

_MAP = """
    components_ : ndarray of shape (n_components, n_encoded)
        The map's matrix, the most important component first; the entry of greatest size of each
        is positive. Its columns are `encoded_names_`. That of a diagonal map is made whenever it
        is asked for.
    mean_ : ndarray of shape (n_encoded,)
        The means of these, which the map takes to the origin.
    encoding_ : tuple or None
        How columns become numbers; None where all are complete numbers, which stay as they are:
        how differences add up, and of every column its name, its categories (None of numbers), how
        many values were missing, and what a missing value becomes; of an ordinal column also its
        levels in ascending order.
    encoded_names_ : ndarray of shape (n_encoded,)
        The names of the columns of numbers: those of the features; ``column=category`` of each
        category; ``column (missing)`` where missing values are marked.
    eigenvalues_ : ndarray of shape (n_components,) or None
        What the components are ordered by; None where the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Dimensions in which the rows differ; None where the features are taken as they are.
"""

_ATTRIBUTES = """
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        What to know about the result; also raised as :class:`basrelief.ReliefWarning`.
"""

_CLASSES = """
    classes_ : ndarray of shape (n_classes,)
        The class labels{only}.
"""


class Report(NamedTuple):
    """An attribute that some methods have after a fit."""

    field: str
    """What the library's report calls it."""
    type: str
    text: str

    def block(self, name: str) -> str:
        """Describe the attribute of that name."""
        return _block(f"{name} : {self.type}", self.text)


REPORTS = {
    "neighbor_search_": Report(
        "search",
        "str",
        'How the neighbors were found: "all pairs" or "kd-tree", whichever is faster. They are '
        "the same.",
    ),
    "plan_": Report(
        "plan",
        "dict",
        "How neighbors were sought and differences added up, as `basrelief rank --explain` says: "
        "the `route`, in words the `search`, how `missing` values were treated and the `sums`; "
        "`bytes` of memory at most and `bytes_in_file`; routes `not_used` and why; the `fallback` "
        "from a route that was given up.",
    ),
    "n_iter_": Report("iterations", "int", "Iterations done{iterations}."),
    "converged_": Report(
        "converged",
        "bool or None",
        "Whether the iteration converged; None where the method has no such test.",
    ),
    "objective_": Report("objective", "float or None", "Final value of the objective."),
    "n_constraints_": Report(
        "constraints",
        "int",
        "Pairs of rows that the program was solved with, of all that it holds for.",
    ),
    "relative_gap_": Report(
        "relative_gap",
        "float",
        "How far the objective can be from the optimum at most, as a share of it: proven.",
    ),
    "ridge_": Report(
        "ridge",
        "float",
        "What was added to the diagonal of the matrix that is inverted; 0.0 is nothing.",
    ),
    "discriminant_power_": Report(
        "discriminant_power",
        "float",
        "Root of the sum of squares of all positive eigenvalues, of the components left out too.",
    ),
}


class Family(NamedTuple):
    """What the docstrings of all selectors, or of all transformers, share."""

    attributes: str
    """What a fit gives, as a part of the docstring."""
    options: dict[str, str]
    """Texts in place of the registry's, by the option's name."""


SELECTORS = Family(_WEIGHTS, _OPTIONS)
MAPS = Family(_MAP, {})


def docstring(
    entry: Description,
    text: Docstring,
    options: Iterable[Parameter],
    inherited: Iterable[str],
    family: Family,
) -> str:
    """Write the docstring of a class.

    Parameters
    ----------
    entry : dict
        The registry's entry.
    text : dict
        What only this class's docstring says.
    options : iterable of Parameter
        The method's own options.
    inherited : iterable of str
        Parameters of the base class.
    family : Family
        What the base class shares.

    Returns
    -------
    docstring : str
        In the order of numpydoc, indented as in the source of a class.
    """
    shared = [name for name in _SHARED if name in set(inherited)]
    # What is given by position stands before the options.
    first = [name for name in shared if name in ("estimator", "n_components")]
    parameters = [
        *(_SHARED[name] for name in first),
        *(_option(option, family) for option in options),
        *(_SHARED[name] for name in shared if name not in first),
    ]
    blocks = [family.attributes, _ATTRIBUTES]
    if entry.get("supervised", True) and entry.get("task") != "regression":
        blocks.append(_CLASSES)
    blocks += [REPORTS[name].block(name) for name in text["reports"]]
    both = entry.get("task") == "classes or regression"
    words = {
        "{weights}": text["weights"],
        "{iterations}": text["iterations"],
        "{only}": "; not for a real target" if both else "",
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
    """Describe a parameter or attribute."""
    return "\n".join([f"    {head}", *_wrap(text, "        ")])


def _join(blocks: Iterable[str]) -> str:
    return "\n".join(block.strip("\n") for block in blocks)


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n\n".join("\n".join(_wrap(text, "    ")) for text in texts)


def _wrap(text: str, indent: str) -> list[str]:
    """Break a text into lines of at most 100 characters, but no literal."""
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
