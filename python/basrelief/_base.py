"""The base classes of all selectors: constructor parameters, `fit`, and the selection."""

from __future__ import annotations

import contextlib
import sys
import warnings
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from basrelief import _native
from basrelief._advice import advising, parameters_of
from basrelief._documentation import REPORTS, SELECTORS, Family
from basrelief._genotypes import GenotypeMatrix, require_variants_of_fit
from basrelief._pages import PageMixin, PastFit, page_request, require_same_data
from basrelief._progress import CallbackSupportMixin, progress_of, reports_progress
from basrelief._tables import EstimatorTableMixin, feature_names
from basrelief._validation import (
    RowRoles,
    contiguous,
    copied,
    is_polars,
    option_error,
    plain,
    read_blocks,
    read_covariates,
    read_features,
    read_target,
    read_targets,
    read_test,
    readable,
    shown,
    survival_rows,
    target_among_features,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from basrelief._native import Description

__all__ = [
    "BaseReliefSelector",
    "ColumnSelector",
    "MethodSelector",
    "ReliefWarning",
    "best_mask",
    "option_text",
]

# The covariates of a fit, and their uses: a caliper, distances, residuals.
NO_COVARIATES = (None, None, False, False)

# Rows of equal weight that are independent of each other.
NO_ROLES = RowRoles()

# The attributes of a fit with blocks of features.
_OF_BLOCKS = ("block_names_", "block_weights_", "block_p_values_", "block_adjusted_p_values_")

# A method for both types of target, whose rules are used to read a target that is adjusted.
ANY_TARGET = "multisurf"

# The tasks of methods that accept several targets.
MULTI_TARGET_TASKS = ("regression", "classes or regression")

# Values of `n_features_to_select` besides numbers: selection by a permutation test.
Correction = Literal["max-t", "studentized", "min-p", "fdr", "storey"]
CORRECTIONS = get_args(Correction)
# Which weights a test counts as evidence: large ones, or large and small ones.
Sided = Literal["one", "two"]


class ReliefWarning(UserWarning):
    """A warning about a result that was computed nevertheless."""


# Packages that call estimators on behalf of a user.
_CALLERS = ("basrelief", "joblib", "pyspark", "sklearn")


def warn_caller(messages):
    """Emit a warning per message, attributed to the calling line of the user's code."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _CALLERS:
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, ReliefWarning, stacklevel=level)


def warn_of_groups(function):
    """Report that `groups` of a function meant strata before."""
    warn_caller(
        [
            f"groups of {function} are rows that are not independent, such as the rows of one "
            "subject; they were strata in earlier versions: for batches or centers, use strata="
        ]
    )


class ColumnSelector(
    EstimatorTableMixin, PageMixin, CallbackSupportMixin, SelectorMixin, BaseEstimator
):
    """Base class of estimators that select columns of arrays and of pandas or polars frames."""

    def _weighing_layers(self):
        """List the selectors that compute the weights: wrappers first, the method last."""
        raise NotImplementedError

    def transform(self, X):
        """Select the columns of the selected features.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or GenotypeMatrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        X_selected : array, frame, sparse matrix or GenotypeMatrix of shape (n_samples, n_selected)
            The selected columns, in their order in `X`. Those of sparse input are sparse (CSR).
        """
        check_is_fitted(self)
        if isinstance(X, GenotypeMatrix):
            require_variants_of_fit(self, X)
            return X[:, self.get_support()]
        if is_polars(X) and self._output_container() == "polars":
            # Selecting from the frame keeps the type of every column.
            X = validate_data(self, X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(self.get_support()).tolist()]
        with readable("X"):
            return super().transform(plain(X, rounds=False))

    def _shown_columns(self):
        """Return the columns of the table of features, by heading."""
        raise NotImplementedError

    def _table(self):
        check_is_fitted(self)
        best = np.argsort(self.ranking_, kind="stable")
        names = np.array(feature_names(self, len(best)), dtype=object)
        columns = {"rank": self.ranking_, "feature": names, **self._shown_columns()}
        # Parameters changed after the fit may require a new fit.
        with contextlib.suppress(ValueError):
            columns["selected"] = self.get_support()
        columns = {heading: np.asarray(values)[best] for heading, values in columns.items()}
        return "The best {shown} of {all} features", columns

    def _output_container(self):
        configured = getattr(self, "_sklearn_output_config", {})
        return configured.get("transform") or get_config()["transform_output"]


# scikit-learn defines the comparison and the representation of estimators.
@dataclass(kw_only=True, eq=False, repr=False)
class BaseReliefSelector(ColumnSelector):
    """Base class of all selectors: of :class:`MethodSelector` and of the wrappers."""

    # The registry entry, set by subclasses.
    _entry: ClassVar[Description]
    # Fields of the report that become attributes: keys of `REPORTS`.
    _reports: ClassVar[tuple[str, ...]] = ()
    _family: ClassVar[Family] = SELECTORS

    # Includes int: type checkers accept int for float.
    n_features_to_select: float | Correction | None = None
    threshold: float = 0.0
    redundancy: str = "none"
    rank_by: Literal["weight", "absolute"] = "weight"
    n_permutations: int | str = 1000
    alpha: float = 0.05
    sided: Sided = "one"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def _layers(self):
        """List the selector, then the selectors it wraps, the method last."""
        return [self]

    def _weighing_layers(self):
        return self._layers()

    @reports_progress
    def fit(
        self,
        X,
        y,
        *,
        covariates=None,
        caliper=None,
        covariate_distance=False,
        residuals=False,
        groups=None,
        group_weight="group",
        sample_weight=None,
        priors="data",
        intervals=False,
    ):
        """Compute the weights of the features.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix or GenotypeMatrix of shape (n_samples, n_features)
            Features. NaN, None, ``pandas.NA`` and polars nulls are missing values. C- or
            Fortran-contiguous arrays of floats or one-byte integers are not copied; genotypes from
            :func:`read_plink` are read from their file as needed. SciPy's CSR and CSC arrays and
            matrices are not made dense; methods that search for neighbors once accept them. Their
            columns are numeric unless other kinds are stated.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Class labels, or a numeric target; `target_type` specifies how numbers are read. For
            :class:`RReliefF` and the SURF family also several targets, such as an indicator matrix
            of labels, in which values may be missing.
        covariates : array-like or data frame of shape (n_samples, n_covariates), default=None
            Covariates, which are not ranked.
        caliper : float or None, default=None
            Maximum difference between neighbors in every numeric covariate, in standard deviations;
            categorical covariates must be equal. Rows without a matched row in every class are
            excluded.
        covariate_distance : bool, default=False
            Whether the covariates contribute to the distances, as features do.
        residuals : bool, default=False
            Whether the target is adjusted for the covariates: the weights are those for its
            residuals after least squares (a numeric target) or logistic regression (two classes:
            the expected differences of randomized quantile residuals, whose distribution does not
            depend on the covariates), for methods with a numeric target, such as
            :class:`RReliefF` and the SURF family. Of survival times, the quantiles are those given
            the covariates by a proportional hazards model.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that are not independent, such as the rows of a subject. Rows of one
            group are never neighbors, and a test permutes whole groups, or within groups where the
            target varies. With metadata routing, ``set_fit_request(groups=True)`` passes the
            groups of ``cross_validate`` to the selector.
        group_weight : {"group", "rows"}, default="group"
            Whether all groups count equally, however many rows they have, or all rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. A row of weight w counts as w rows: it takes w of the places among
            nearest neighbors, and counts w times in means and sums. Rows of weight 0 are excluded.
            With metadata routing, ``set_fit_request(sample_weight=True)`` passes the weights of
            ``cross_validate`` to the selector.
        priors : "data", "uniform" or dict, default="data"
            Prior probabilities of the classes, such as ``{"case": 0.01, "control": 0.99}`` for the
            prevalences in the population; by default, the proportions in the data.
        intervals : bool, default=False
            Whether 95 % intervals of the expected weights are computed (`weight_intervals_`), for
            :class:`ReliefF` and :class:`RReliefF`, and with classes for :class:`SURF` and
            :class:`MultiSURF`. The expected weight is the mean over samples of the same number of
            rows, or of groups.

        Returns
        -------
        self : object
            The fitted selector.
        """
        wanted = self.n_features_to_select
        test = None
        if isinstance(wanted, str):
            self._check_selection(None)
            # Absolute weights are evidence whatever their sign.
            sided = "two" if self.rank_by == "absolute" else self.sided
            test = read_test(self.n_permutations, wanted, self.alpha, sided=sided)
            if wanted in ("max-t", "studentized", "min-p") and test[0].startswith("adaptive"):
                raise option_error(
                    "n_features_to_select",
                    f"`{wanted}` requires all permutations of all features",
                    'use "fdr" or "storey" with n_permutations="adaptive", or a number of '
                    "permutations",
                )
        # A previous fit may have included a test or intervals.
        of_options = ("pvalues_", "adjusted_pvalues_", "qvalues_", "_significant")
        of_fit = ("weight_intervals_", "weights_by_neighbors_", "represented_", "_selected")
        for attribute in (*of_options, *_OF_BLOCKS, *of_fit):
            vars(self).pop(attribute, None)
        beside = (covariates, caliper, covariate_distance, residuals)
        roles = RowRoles(groups, group_weight, sample_weight, priors)
        found = self._weigh(X, y, test, beside, roles, intervals=bool(intervals))
        if found is not None:
            self.pvalues_ = found["p_values"]
            self.adjusted_pvalues_ = found["adjusted"]
            self.qvalues_ = found["q_values"]
            self._significant = (wanted, found["selected"])
        return self

    def _weigh(
        self, X, y, test, beside=NO_COVARIATES, roles=NO_ROLES, advice=None, intervals=False
    ):
        """Compute and store the weights, and return the result of `test`, or None without a test.

        Messages recommend the parameters in `advice`, by default those of the selector.
        """
        layers = self._layers()
        with advising(parameters_of(layers) if advice is None else advice):
            # The residuals of classes are numbers, for any method.
            reader = ANY_TARGET if beside[3] else None
            roles, X, y, covariates = roles.without_weight_0(X, y, beside[0])
            beside = (covariates, *beside[1:])
            problem = read_problem(self, layers, X, y, reader)
            plan = self._selection_plan(problem.n_features)
            study = replace(problem.study, selection=plan, rank_by=str(self.rank_by))
            covariates = read_covariates(*beside, problem.n_samples)
            groups, weights = roles.read(y)
            outcome = _native.fit(
                study,
                test=test,
                covariates=covariates,
                groups=groups,
                weights=weights,
                intervals=intervals,
            )
            report = outcome.report
            problem.tell(self, report.warnings, report.seconds)
        self.weights_ = outcome.weights
        self.feature_importances_ = self.weights_
        if outcome.intervals is not None:
            self.weight_intervals_ = outcome.intervals
        if outcome.profile is not None:
            self.weights_by_neighbors_ = dict(outcome.profile)
        self.ranking_ = outcome.ranks
        self._kept = report.kept
        if outcome.blocks is not None:
            self.block_names_, self.block_weights_, found = outcome.blocks
            if found is not None:
                self.block_p_values_, self.block_adjusted_p_values_ = found
        if outcome.selection is not None:
            self.represented_ = dict(outcome.selection)
            self._selected = plan
        for attribute in self._reports:
            setattr(self, attribute, getattr(report, REPORTS[attribute].field))
        self._past_fit = PastFit(
            copied(self),
            seed=problem.study.seed,
            n_samples=problem.n_samples,
            outcome=outcome,
            has_roles=any(role is not None for role in (covariates, groups, weights)),
        )
        warn_caller(self.warnings_)
        return outcome.test

    def _page(self, X, y, data_name, file, force):
        """Create the page of ``basrelief rank --report``, and write it if `file` is given."""
        with advising(parameters_of(self._layers())):
            problem, request = page_problem(self, X, y, data_name, file, force)
            return self._past_fit.outcome.page(problem.study, request)

    def _shown_weights(self):
        """Return the weights with rounding errors set to 0, as on the command line."""
        return _native.without_rounding(contiguous(self.weights_, dtype=np.float64))

    def _shown_columns(self):
        columns = {"weight": self._shown_weights()}
        intervals = getattr(self, "weight_intervals_", None)
        if intervals is not None:
            columns["lower limit"], columns["upper limit"] = intervals.T
        if getattr(self, "pvalues_", None) is not None:
            columns["p-value"] = self.pvalues_
        if getattr(self, "adjusted_pvalues_", None) is not None:
            columns["adjusted"] = self.adjusted_pvalues_
        return columns

    def _get_support_mask(self):
        check_is_fitted(self)
        wanted = self._check_selection(self.weights_.shape[0])
        if self.redundancy != "none":
            return self._mask_without_redundancy()
        kept = getattr(self, "_kept", None)
        if wanted is None and kept is not None:
            mask = np.zeros(len(self.weights_), dtype=bool)
            mask[kept] = True
            return mask
        if wanted is None:
            return self._scores(self._shown_weights()) > self.threshold
        if isinstance(wanted, str):
            tested, selected = getattr(self, "_significant", (None, None))
            if tested != wanted:
                raise option_error(
                    "n_features_to_select",
                    f"the last fit did not test by `{wanted}`",
                    "fit again after setting it",
                )
            return selected.copy()
        return best_mask(self._scores(self.weights_), wanted)

    def _scores(self, weights):
        """Return the numbers by which the features are ranked."""
        return np.abs(weights) if self.rank_by == "absolute" else weights

    def _mask_without_redundancy(self):
        if getattr(self, "_selected", None) != self._selection_plan(len(self.weights_)):
            raise option_error(
                "redundancy",
                f"the last fit did not select by `{shown(self.redundancy)}` with these parameters",
                "fit again after setting it",
            )
        mask = np.zeros(len(self.weights_), dtype=bool)
        mask[list(self.represented_)] = True
        return mask

    def _selection_plan(self, n_features):
        """Return the selection as the compiled module reads it; None if weights alone decide."""
        wanted = self._check_selection(n_features)
        if self.redundancy == "none":
            return None
        if not isinstance(self.redundancy, str):
            raise option_error(
                "redundancy",
                f"`{shown(self.redundancy)}` is not a text",
                'use "none", "correlation:0.95" or "relief"',
            )
        if isinstance(wanted, int):
            return wanted, None, self.redundancy
        if self.redundancy == "relief" or (wanted is None and self._entry["name"] == "turf"):
            raise option_error(
                "redundancy",
                f"`{self.redundancy}` requires the number of selected features",
                "set n_features_to_select to a number",
            )
        return None, None if wanted else float(self.threshold), self.redundancy

    def _check_selection(self, n_features):
        """Resolve `n_features_to_select` to a number, a text, or None if `threshold` decides."""
        threshold = self.threshold
        if not isinstance(threshold, Real) or not abs(threshold) <= sys.float_info.max:
            raise option_error(
                "threshold",
                f"`{shown(threshold)}` is not a finite number",
                "specify the minimum weight of kept features",
            )
        wanted = self.n_features_to_select
        if wanted is None or (isinstance(wanted, str) and wanted in CORRECTIONS):
            return wanted
        if isinstance(wanted, str):
            raise option_error(
                "n_features_to_select",
                f"`{wanted}` is not one of its values",
                f"the permitted texts are {', '.join(CORRECTIONS)}",
            )
        if isinstance(wanted, Integral) and not isinstance(wanted, (bool, np.bool_)):
            if 1 <= wanted <= n_features:
                return int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < wanted <= 1:
            return max(1, int(n_features * wanted))
        raise option_error(
            "n_features_to_select",
            f"`{shown(wanted)}` cannot be selected from {n_features} features",
            f"use a whole number from 1 to {n_features}, a fraction above 0 and up to 1.0, "
            f"None for all weights above `threshold`, or one of {', '.join(CORRECTIONS)}",
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def _option_texts(self):
        """List pairs of option and value, formatted as on the command line."""
        names = [option["name"] for option in self._entry["options"]]
        return [(name, option_text(getattr(self, name))) for name in names]


@dataclass(kw_only=True, eq=False, repr=False)
class MethodSelector(BaseReliefSelector):
    """Base class of the selectors of one method; a subclass adds its registry entry and options."""

    categorical_features: ArrayLike | Literal["all"] | None = None
    ordinal_features: ArrayLike | dict[Any, Any] | Literal["all"] | None = None
    genotype_features: ArrayLike | Literal["all"] | None = None
    blocks: dict[str, Any] | str | None = None
    block_scale: Literal["size", "variance", "max"] = "size"
    target_type: Literal["auto", "classes", "real"] = "auto"
    target_tree: dict[Any, Any] | None = None
    unlabeled: Any = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._entry["task"] in MULTI_TARGET_TASKS
        tags.input_tags.allow_nan = self._entry["missing"]
        tags.input_tags.sparse = self._entry["sparse"]
        if self._entry["task"] == "two classes":
            # Like a classifier that supports only two classes.
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


@dataclass(frozen=True)
class Study:
    """The specification of a fit; the compiled module reads these attributes."""

    method: str
    options: list[tuple[str, str]]
    """Names and values, formatted as on the command line."""
    features: Any
    """None on Spark, where the tasks have the rows."""
    names: Sequence[str]
    """The names of the features."""
    kinds: list
    target: Any
    """Codes and names of classes, or numbers; None if there is no target."""
    seed: int = 0
    threads: int | None = None
    progress: Any = None
    """Called with a stage, its done units and their number; None if nobody is informed."""
    wrappers: list[str] = field(default_factory=list)
    """Formatted as on the command line, the innermost first."""
    selection: tuple[int | None, float | None, str] | None = None
    """The number of selected features, or the weight that theirs exceed, or neither for the
    significant ones; and the rule about redundant features."""
    rank_by: str = "weight"
    blocks: tuple[str | list[tuple[str, list[str]]], str] | None = None
    """The blocks of features, or the prefixes that define them; and their scale."""


@dataclass(frozen=True)
class Problem:
    """The input of a fit: the study, and facts about its data."""

    study: Study
    n_samples: int
    classes: np.ndarray | None
    """The class labels; None for a numeric target."""
    doubts: list[str]
    """Warnings about the data: an ambiguous target type, or a target among the features."""

    @property
    def n_features(self):
        """The number of features."""
        return len(self.study.names)

    def tell(self, selector, messages, seconds):
        """Set the attributes of every fit besides its result, and report its end."""
        # A previous fit may have had classes.
        vars(selector).pop("classes_", None)
        if self.classes is not None:
            selector.classes_ = self.classes
        selector.warnings_ = [*self.doubts, *messages]
        if self.study.progress is not None:
            self.study.progress.finish(seconds)


def read_problem(selector, layers, X, y, reader=None):
    """Read `X` and `y` for a selector with these layers: wrappers first, the method last.

    The first layer is the selector itself, or the selector is around the layers. `reader` is the
    method whose rules are used to read the target, by default the last layer.
    """
    *wrappers, method = layers
    around = layers if selector is layers[0] else [selector, *layers]
    name = method._entry["name"]
    among = target_among_features(X, y)
    if name == "survival-relief":
        y = survival_rows(y)
    several = _several(method, reader or name, y)
    if several is not None:
        # The columns of the target were read; only their number of rows is checked.
        target, classes = several
        doubt = None
        y = np.zeros(target[1])
    features, y = read_features(
        selector,
        X,
        y,
        method.categorical_features,
        method.genotype_features,
        method.ordinal_features,
    )
    if several is None:
        target, classes, doubt = read_target(y, reader or name, method.target_type)
    return Problem(
        Study(
            name,
            method._option_texts(),
            features.values,
            features.names,
            features.kinds,
            target,
            seed=_seed(_first_given(around, "random_state")),
            threads=_threads(_first_given(around, "n_jobs")),
            progress=progress_of(selector, name, any(layer.verbose for layer in around)),
            wrappers=[wrapper._text() for wrapper in reversed(wrappers)],
            blocks=read_blocks(method.blocks, method.block_scale, features.names),
        ),
        n_samples=len(y),
        classes=classes,
        doubts=[*features.notes, *(told for told in (among, doubt) if told is not None)],
    )


def _several(method, reader, y):
    """Read several targets, labels in a hierarchy or a target with unlabeled rows; else None."""
    is_structured = getattr(getattr(y, "dtype", None), "names", None) is not None
    if y is None or is_structured or method._entry["task"] == "survival":
        return None
    if method._entry["task"] not in MULTI_TARGET_TASKS and getattr(y, "ndim", 1) == 2:
        # Refused with scikit-learn's message.
        return None
    return read_targets(y, reader, method.target_type, method.unlabeled, method.target_tree)


def page_problem(selector, X, y, data_name, file, force):
    """Read the data of a fit again for its page, and collect the contents of the page."""
    check_is_fitted(selector)
    past = selector._past_fit
    if past.has_roles:
        raise option_error(
            "X",
            "pages of fits with covariates, groups or weights are not supported in Python",
            "use the command line: basrelief rank --group COLUMN --report FILE",
        )
    # Reading sets attributes of a fit, so it uses a copy. The seed is that of the fit.
    again = clone(past.estimator).set_params(random_state=past.seed)
    problem = read_problem(again, again._weighing_layers(), X, y)
    require_same_data(selector, again, problem.n_samples, problem.n_features)
    return problem, page_request(selector, again, y, data_name, file, force)


def _first_given(layers, parameter):
    """Return the value of a parameter in the outermost layer that sets it, or None."""
    given = (getattr(layer, parameter) for layer in layers)
    return next((value for value in given if value is not None), None)


def best_mask(weights, count):
    """Return the mask of the largest weights; ties are broken by the order of the columns."""
    mask = np.zeros(len(weights), dtype=bool)
    mask[np.argsort(-weights, kind="stable")[:count]] = True
    return mask


def option_text(value):
    """Format a value as on the command line."""
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ":".join(map(_plain_text, value))
    return _plain_text(value)


def _plain_text(value):
    """Format one value. Invalid characters are replaced, so that the library refuses the value."""
    try:
        text = str(value)
    except (ValueError, RecursionError):
        text = shown(value)
    return text.encode("utf-8", "replace").decode()


def _seed(random_state):
    # A number is the seed itself, as --seed on the command line.
    if isinstance(random_state, Integral):
        if 0 <= random_state < 2**64:
            return int(random_state)
        raise option_error(
            "random_state",
            f"`{shown(random_state)}` is not a seed",
            "use a whole number from 0 to 2**64 - 1, a RandomState instance or None",
        )
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _threads(n_jobs):
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool)):
        raise TypeError(
            f"option n_jobs: `{shown(n_jobs)}` is not a whole number; use None for 1 thread, -1 "
            "for all cores, or a number of threads"
        )
    if n_jobs is not None and abs(n_jobs) >= 2**31:
        raise option_error(
            "n_jobs",
            f"`{shown(n_jobs)}` is more threads than any machine supports",
            "use None for 1 thread, -1 for all cores, or a number of threads",
        )
    # The library refuses 0 with its own message.
    if n_jobs == 0:
        return 0
    return effective_n_jobs(n_jobs)
