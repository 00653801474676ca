"""What turns a class with annotated parameters into an estimator with a constructor and docstring.

The docstrings share blocks, one per parameter and attribute, written once here.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, fields
from typing import dataclass_transform

__all__ = ["selector", "transformer"]

_PARAMETERS = {
    "estimator": """
    estimator : selector or None, default=None
        The selector that is wrapped, another wrapper included; None is :class:`ReliefF`. It is
        not fitted itself: its parameters say how the features are weighed and which columns are
        categories or genotypes. Of `n_jobs`, `random_state` and `verbose` the outermost that is
        given counts, and what is selected is up to the outermost selector.
""",
    "n_neighbors": """
    n_neighbors : int, default={n_neighbors}
        Nearest neighbours taken from each class (from all rows for a real target), at least 1.
        More are steadier, fewer are more local. A class with fewer rows gives all it has, with a
        warning.
""",
    "n_samples": """
    n_samples : int or "all", default="all"
        Rows whose neighbours are looked at, from 1 to the number of rows, drawn without
        replacement by `random_state`. With ``"all"`` nothing is random.
""",
    "neighbor_weights": """
    neighbor_weights : str, default="{neighbor_weights}"
        Weight of the neighbours: ``"uniform"``, or falling with the rank as
        ``exp(-(rank / sigma) ** 2)``: ``"rank"`` (sigma 20) or ``"rank:SIGMA"``.
""",
    "metric": """
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between rows: sum of the features' differences, or root of the sum of their
        squares.
""",
    "ties": """
    ties : {"share", "first"}, default="share"
        Rows equally far at the last place: all share it, which is the mean over all orders of the
        rows, or the first rows of the table win.
""",
    "missing": """
    missing : {"expected", "ignore", "pessimistic"}, default="expected"
        Difference to a missing value: its expectation given the row's class, the feature left out
        of the pair, or the largest that the known value allows.
""",
    "ramp": """
    ramp : None or tuple (t_equal, t_different), default=None
        Numeric differences up to `t_equal` of the range count 0, from `t_different` on 1, linear
        between; ``0 <= t_equal < t_different <= 1``.
""",
    "genotype_diff": """
    genotype_diff : {"additive", "categorical"}, default="additive"
        Difference of two genotypes: half the number of allele copies that differ, or 0 and 1.
""",
    "compat": """
    compat : None or "skrebate", default=None
        Follow the documented rules of scikit-rebate 0.8.4, to compare with it: SURF's radius counts
        every row's distance 0 to itself, misses of all classes weigh the same, missing values are
        left out, numbers among categories count 1 beyond their standard deviation, and a real
        target counts as hit or miss. Its mistakes are not repeated. It needs ``missing="ignore"``
        where values are missing and ``genotype_diff="categorical"`` where columns are genotypes.
""",
    "exponent": """
    exponent : float, default=2.0
        How late the estimates come to count in the distance, above 0; greater is later.
""",
    "area_share": """
    area_share : float, default=1/3
        Share of plain distances over all visits: 0 is :class:`DReliefF`, 1 is :class:`ReliefF`.
""",
    "sigma": """
    sigma : float, default=1.0
        Width of the kernel over distances, above 0: small looks at the nearest rows only.
""",
    "max_iter": """
    max_iter : int, default={max_iter}
        Iterations at most; reaching it is a warning.
""",
    "tol": """
    tol : float, default=1e-6
        Change of the weights below which the iteration has converged, above 0.
""",
    "mode": """
    mode : {"batch", "online"}, default="batch"
        All rows at once, or one after the other in an order drawn by `random_state`.
""",
    "outliers": """
    outliers : bool, default=True
        Whether rows count by the probability that they are no outliers, or all alike.
""",
    "squared": """
    squared : bool, default=False
        Whether the features' differences are squared.
""",
    "utility": """
    utility : str, default="linear"
        What a margin is worth: itself, or with ``"sigmoid:BETA"`` 1 / (1 + exp(-BETA margin)).
""",
    "steps": """
    steps : int or "all", default="all"
        Steps of the ascent, a row each; ``"all"`` is as many as there are rows.
""",
    "restarts": """
    restarts : int, default=5
        Orders of the rows that are tried; the greatest margin wins.
""",
    "C": """
    C : float, default=1.0
        Weight of the margins against the pull of the nearest hits, from 1e-9 to 1e9.
""",
    "n_bins": """
    n_bins : int, default=10
        Equal-frequency bins that a numeric column is cut into, at least 2.
""",
    "mu": """
    mu : float, default=0.5
        Weight of the violated margins, from 0 to 1; target neighbours are pulled with ``1 - mu``.
""",
    "slack": """
    slack : float or None, default=1000.0
        Price of rows of different classes that are nearer than 1, above 0, for each what it lacks.
        None forbids them, as the paper does: identical rows of different classes are then an
        error. The default gives the same weights unless the objective is above it, and takes such
        rows with a warning.
""",
    "drop": """
    drop : float, default=0.1
        Share of the features left that each round drops, from 0 to 0.99; at least one feature.
""",
    "keep": """
    keep : int, default=50
        Features at which to stop, at least 1.
""",
    "size": """
    size : int, default=500
        Features in a random subset, at least 2.
""",
    "rounds": """
    rounds : int, default=20
        How often the features are dealt into subsets; two of `p` features meet in about
        ``rounds * size / p`` of them.
""",
    "take": """
    take : {"best", "mean"}, default="best"
        A feature's weight over the rounds: the greatest, or the mean.
""",
    "n_features_to_select": """
    n_features_to_select : int, float or None, default=None
        How many features `transform` keeps: a number, a share in (0, 1], or with None all whose
        weight is above `threshold`.
""",
    "threshold": """
    threshold : float, default=0.0
        Weight above which a feature is kept while `n_features_to_select` is None.
""",
    "categorical_features": """
    categorical_features : None, "all" or array-like, default=None
        Which columns are categories, whose difference is 0 or 1: names, indices or a boolean mask.
        With None it is those of categorical, string or boolean type.
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

_ATTRIBUTES = """
    weights_ : ndarray of shape (n_features,)
        Weights of the features{range}.
    feature_importances_ : ndarray of shape (n_features,)
        The same, under the name that scikit-learn's tools look for.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature; 1 is the greatest weight, equal weights share a rank.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        What to know about the result; also raised as :class:`basrelief.ReliefWarning`.
"""

_REPORTED = {
    "neighbor_search_": """
    neighbor_search_ : str
        How the neighbours were found: "all pairs" or "kd-tree", whichever is faster. They are
        the same.
""",
    "n_iter_": """
    n_iter_ : int
        Iterations done{iterations}.
""",
    "converged_": """
    converged_ : bool or None
        Whether the iteration converged; None where the method has no such test.
""",
    "objective_": """
    objective_ : float or None
        Final value of the objective.
""",
    "n_constraints_": """
    n_constraints_ : int
        Pairs of rows that the program was solved with, of all that it holds for.
""",
    "relative_gap_": """
    relative_gap_ : float
        How far the objective can be from the optimum at most, as a share of it: proven.
""",
}

_CLASSES = """
    classes_ : ndarray of shape (n_classes,)
        The class labels{only}.
"""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def selector(**words):
    """Make the constructor from the annotated parameters and fill in the docstring.

    `{parameters}` and `{attributes}` in a class's docstring are replaced by the shared blocks,
    and `{name}` in those by the parameter's default or by one of `words`.
    """

    def decorate(cls):
        # Selectors are compared and shown as scikit-learn does.
        cls = dataclass(kw_only=True, eq=False, repr=False)(cls)
        # Python run with -OO has no docstrings.
        if cls.__doc__ is None or "{parameters}" not in cls.__doc__:
            return cls
        values = {"range": ", in [-1, 1]", "only": "", "iterations": ""}
        values.update({parameter.name: str(parameter.default) for parameter in fields(cls)})
        values.update(words)
        description = cls._entry()
        # First the options in the registry's order, then what all selectors have.
        first = ["estimator", *(option["name"] for option in description["options"])]
        names = {parameter.name for parameter in fields(cls)}
        ordered = [name for name in first if name in names]
        ordered += [name for name in _PARAMETERS if name in names and name not in first]
        attributes = [_ATTRIBUTES]
        if description.get("task") != "regression":
            attributes.append(_CLASSES)
        attributes += [_REPORTED[name] for name in cls._reports]
        parameters = _fill((_PARAMETERS[name] for name in ordered), values)
        cls.__doc__ = cls.__doc__.replace("    {parameters}", parameters).replace(
            "    {attributes}", _fill(attributes, values)
        )
        return cls

    return decorate


_MAP_ATTRIBUTES = """
    components_ : ndarray of shape (n_components, n_features)
        The map's matrix, the most important component first; the entry of greatest size of each
        is positive.
    mean_ : ndarray of shape (n_features,)
        The features' means, which the map takes to the origin.
    eigenvalues_ : ndarray of shape (n_components,) or None
        What the components are ordered by; None where the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Dimensions in which the rows differ; None where the features are taken as they are.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        What to know about the result; also raised as :class:`basrelief.ReliefWarning`.
"""

_MAP_REPORTED = {
    **_REPORTED,
    "ridge_": """
    ridge_ : float
        What was added to the diagonal of the matrix that is inverted; 0.0 is nothing.
""",
    "discriminant_power_": """
    discriminant_power_ : float
        Root of the sum of squares of all positive eigenvalues, of the components left out too.
""",
}


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def transformer(**words):
    """Make the constructor from the annotated parameters and fill in the docstring.

    `{parameters}` in a class's docstring is written from the registry's options, `{attributes}`
    from the shared blocks.
    """

    def decorate(cls):
        cls = dataclass(kw_only=True, eq=False, repr=False)(cls)
        if cls.__doc__ is None or "{parameters}" not in cls.__doc__:
            return cls
        entry = cls._entry()
        options = {option["name"]: option for option in entry["options"]}
        parameters = {parameter.name: parameter for parameter in fields(cls)}
        blocks = []
        for name in ["n_components", *(name for name in options if name != "n_components")]:
            if name in parameters:
                blocks.append(_option_block(parameters[name], options[name]))
        blocks += [_PARAMETERS[name] for name in ("n_jobs", "random_state", "verbose")]
        attributes = [_MAP_ATTRIBUTES]
        if entry["supervised"]:
            attributes.append(_CLASSES)
        attributes += [_MAP_REPORTED[name] for name in cls._reports]
        values = {"only": "", "iterations": "", **words}
        cls.__doc__ = cls.__doc__.replace("    {parameters}", _fill(blocks, values)).replace(
            "    {attributes}", _fill(attributes, values)
        )
        return cls

    return decorate


def _option_block(parameter, option):
    """Describe a parameter in the registry's words."""
    # The registry's `all` is None here, and a number's default tells its type.
    default = parameter.default
    if default is None:
        kind = "int or None"
    elif isinstance(default, str):
        words = [word for word in option["values"].split("|") if not word[0].isupper()]
        numbers = len(words) < len(option["values"].split("|"))
        kind = "{" + ", ".join(f'"{word}"' for word in words) + "}"
        kind = f"{'float' if option['name'] == 'ridge' else 'int'} or {kind}" if numbers else kind
        default = f'"{default}"'
    else:
        kind = type(default).__name__
    text = option["help"].replace("; all: as many", "; None: as many")
    lines = textwrap.wrap(text + ".", 92)
    return "\n".join(
        [
            f"    {parameter.name} : {kind}, default={default}",
            *(f"        {line}" for line in lines),
        ]
    )


def _fill(blocks, values):
    """Join blocks and put values in the places of their names."""
    text = "\n".join(block.strip("\n") for block in blocks)
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
