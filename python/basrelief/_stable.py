"""Stability selection: features that are selected repeatedly on random subsets of the rows."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import basrelief
from basrelief import _native
from basrelief._advice import advising, parameters_of
from basrelief._base import (
    BaseReliefSelector,
    ColumnSelector,
    page_problem,
    read_problem,
    warn_caller,
)
from basrelief._pages import PastFit
from basrelief._progress import reports_progress
from basrelief._validation import RowRoles, copied, option_error, shown

__all__ = ["Stable"]

# Estimates above this value select nothing, unless the user sets `target_fdp`.
_MOST_FALSE = 0.5


class Stable(ColumnSelector):
    """Stability selection: keep the features that are selected on many resamples.

    The features are ranked on many resamples of the rows, and each resample selects the features of
    largest weight. A feature is kept if its selection frequency reaches a cut-off. Permuted copies
    of the features, which are ranked together with them, calibrate the cut-off as in Stabl: copies
    are selected only by chance.

    Parameters
    ----------
    estimator : selector or None, default=None
        The selector, which can be a wrapper; None is :class:`ReliefF`. It is not fitted itself: its
        parameters specify the method and its options, and which columns are categorical, ordinal or
        genotypes. For `n_jobs`, `random_state` and `verbose` the outermost value that is set
        applies.
    n_resamples : int, default=100
        Number of resamples, at least 2.
    fraction : float, default=0.5
        Fraction of the rows in a resample, above 0 and below 1, drawn without replacement. Classes
        are sampled separately, with at least two rows of each.
    n_features_to_select : int, float or None, default=None
        Number of features that a resample selects: a number, or a fraction in (0, 1]. None uses
        that of `estimator`. If that is None too, it is the square root of ``0.8 * n_features``, for
        which Meinshausen and Bühlmann bound the expected number of falsely kept features at a
        `cutoff` of 0.9 by one. The selected features include the copies. The parameter `redundancy`
        of `estimator` applies to the selection of each resample.
    cutoff : "calibrated" or float, default="calibrated"
        Minimum selection frequency of a kept feature. A number in (0, 1], usually from 0.6 to 0.9,
        needs no copies.
    target_fdp : float or None, default=None
        Target of the calibration: the estimated false discovery proportion of the kept features.
        None uses the cut-off with the smallest estimate, the highest of several; nothing is kept if
        the smallest estimate is above 0.5. A number in (0, 1] uses the lowest cut-off whose
        estimate is at most this number; nothing is kept if there is no such cut-off.
    min_cutoff : float, default=0.5
        Lower bound of the calibrated cut-off, from 0 to 1. A lower bound keeps more relevant
        features, if many of them compete in a resample, but also more false ones. Alternatively,
        increase `n_features_to_select`.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (unless in a joblib context) and -1 all cores. The result
        does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples, the copies and the estimator.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features,)
        Selection frequency of each feature over the resamples.
    copy_frequencies_ : ndarray of shape (n_features,) or None
        Selection frequencies of the permuted copies; None if `cutoff` is a number.
    cutoff_ : float
        Minimum selection frequency of the kept features; infinite if no feature is kept.
    fdp_ : float or None
        Estimated false discovery proportion of the features kept at `cutoff_`. If no feature is
        kept, the smallest estimate of all cut-offs, or 1 if there is no cut-off. None if `cutoff`
        is a number.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: by selection frequency, then by median rank over the resamples.
    stability_ : float
        Nogueira's stability of the selections, without the copies: 1 if all resamples select the
        same features, 0 in expectation for random selections. NaN if it is undefined, because no
        feature or every feature is always selected.
    stability_interval_ : tuple of float
        95 % confidence interval of the stability.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a numeric target.

    See Also
    --------
    ReliefF : The default estimator.

    Notes
    -----
    A cut-off ``t`` keeps the features with a frequency of at least ``t``. The false discovery
    proportion is estimated as ``(1 + copies) / max(1, features)``, the numbers of copies and
    features with a frequency of at least ``t`` (FDP+ in Hédou et al.). The candidates for ``t`` are
    the frequencies of the features that are at least `min_cutoff`. Because of the ``1``, a
    calibrated cut-off never keeps a single feature unless ``target_fdp=1.0``, and a target of 0.1
    requires at least ten features. Each copy is permuted once for all resamples: a copy that
    resembles the target by chance in all rows does so in most resamples. Stabl itself has no lower
    bound of the cut-off, uses the lowest cut-off with the smallest estimate, and keeps features up
    to an estimate of 1; on pure noise it keeps some features.

    The copies contribute to the distances between rows, which makes neighbors noisier: they double
    the number of features. If neighbors are already hard to find, wrap the method:
    ``Stable(TuRF(MultiSURF(), keep=50))``. The cost is `n_resamples` fits to a `fraction` of the
    rows and twice the features.

    References
    ----------
    N. Meinshausen and P. Bühlmann. Stability selection. Journal of the Royal Statistical Society B
    72(4), 417-473, 2010.

    J. Hédou et al. Discovery of sparse, reliable omic biomarkers with Stabl. Nature Biotechnology
    42, 1581-1593, 2024.

    S. Nogueira, K. Sechidis and G. Brown. On the stability of feature selection algorithms. Journal
    of Machine Learning Research 18(174), 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import ReliefF, Stable
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 12))
    >>> y = X[:, 2] * X[:, 5] > 0
    >>> stable = Stable(ReliefF(), random_state=0).fit(X, y)
    >>> stable.get_feature_names_out()
    array(['x2', 'x5'], dtype=object)
    >>> stable.fdp_
    0.5
    """

    def __init__(
        self,
        estimator=None,
        *,
        n_resamples=100,
        fraction=0.5,
        n_features_to_select=None,
        cutoff="calibrated",
        target_fdp=None,
        min_cutoff=0.5,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.fraction = fraction
        self.n_features_to_select = n_features_to_select
        self.cutoff = cutoff
        self.target_fdp = target_fdp
        self.min_cutoff = min_cutoff
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _selector(self):
        inner = basrelief.ReliefF() if self.estimator is None else self.estimator
        if not isinstance(inner, BaseReliefSelector):
            raise TypeError(
                f"option estimator: {inner!r} is not a selector of basrelief; use a selector such "
                "as ReliefF(), a wrapper around one, or None"
            )
        return inner

    def _weighing_layers(self):
        return self._selector()._layers()

    @reports_progress
    def fit(self, X, y, *, groups=None, group_weight="group", sample_weight=None, priors="data"):
        """Rank the features on resamples of the rows, and select features by their frequency.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, as for the `fit` of the estimator.
        y : array-like of shape (n_samples,)
            Class labels, or a numeric target.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that are not independent, such as the rows of a subject. Resamples
            contain whole groups, and rows of one group are never neighbors.
        group_weight : {"group", "rows"}, default="group"
            Whether all groups count equally, however many rows they have, or all rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, as for the `fit` of the estimator. Rows of weight 0 are excluded.
        priors : "data", "uniform" or dict, default="data"
            Prior probabilities of the classes, as for the `fit` of the estimator.

        Returns
        -------
        self : object
            The fitted selector.
        """
        inner = self._selector()
        calibrated = self._check_options()
        with advising(parameters_of([self, *self._weighing_layers()])):
            roles = RowRoles(groups, group_weight, sample_weight, priors)
            roles, X, y = roles.without_weight_0(X, y)
            problem = read_problem(self, self._weighing_layers(), X, y)
            groups, weights = roles.read(y)
            outcome = _native.select_on_resamples(
                replace(problem.study, rank_by=str(inner.rank_by)),
                int(self.n_resamples),
                float(self.fraction),
                (
                    self._selected_per_resample(inner, problem.n_features),
                    calibrated,
                    str(inner.redundancy),
                ),
                groups,
                weights,
            )
            messages = outcome.warnings
        self.frequencies_, self.copy_frequencies_ = outcome.frequencies, outcome.copies
        self.ranking_ = outcome.ranking
        undefined = np.nan, (np.nan, np.nan)
        self.stability_, self.stability_interval_ = outcome.stability or undefined
        if calibrated:
            self.cutoff_, self.fdp_ = _calibrate(
                self.frequencies_, self.copy_frequencies_, self.target_fdp, self.min_cutoff
            )
            if self.cutoff_ == np.inf:
                messages.append(self._why_none())
        else:
            self.cutoff_, self.fdp_ = float(self.cutoff), None
        problem.tell(self, messages, outcome.seconds)
        self._past_fit = PastFit(
            copied(self),
            seed=problem.study.seed,
            n_samples=problem.n_samples,
            outcome=outcome,
            has_roles=groups is not None or weights is not None,
        )
        warn_caller(self.warnings_)
        return self

    def _page(self, X, y, data_name, file, force):
        """Create the page of ``basrelief stability --report``, and write it if `file` is given."""
        with advising(parameters_of([self, *self._weighing_layers()])):
            problem, request = page_problem(self, X, y, data_name, file, force)
            outcome, cutoff = self._past_fit.outcome, float(self.cutoff_)
            return outcome.page(problem.study, request, cutoff, self.fdp_)

    def _why_none(self):
        """Word the warning that no feature is kept."""
        if self.frequencies_.max() < self.min_cutoff:
            return (
                f"no feature is kept: the largest frequency is {self.frequencies_.max():.3g}, "
                f"below min_cutoff={self.min_cutoff:g}"
            )
        most = _MOST_FALSE if self.target_fdp is None else self.target_fdp
        return (
            "no feature is kept: the smallest estimated false discovery proportion is "
            f"{self.fdp_:.3g}, above {most:g}"
        )

    def _check_options(self):
        """Check the options, and return whether the cut-off is calibrated."""
        if not _is_number(self.n_resamples, Integral) or not 2 <= self.n_resamples < 2**63:
            raise option_error(
                "n_resamples",
                f"`{shown(self.n_resamples)}` is not a valid number of resamples",
                "use a whole number of at least 2; the default is 100",
            )
        if not _is_number(self.fraction, Real) or not 0 < self.fraction < 1:
            raise option_error(
                "fraction",
                f"`{shown(self.fraction)}` is not a fraction of the rows",
                "use a number above 0 and below 1; the default is 0.5",
            )
        for name, value, other in [
            ("cutoff", self.cutoff, "calibrated"),
            ("target_fdp", self.target_fdp, None),
        ]:
            if value is other or (isinstance(value, str) and value == other):
                continue
            if not _is_number(value, Real) or not 0 < value <= 1:
                raise option_error(
                    name,
                    f"`{shown(value)}` is not a fraction",
                    f"use a number above 0 and up to 1, or {other!r}",
                )
        if not _is_number(self.min_cutoff, Real) or not 0 <= self.min_cutoff <= 1:
            raise option_error(
                "min_cutoff",
                f"`{shown(self.min_cutoff)}` is not a fraction",
                "use a number from 0 to 1; 0 sets no lower bound",
            )
        calibrated = isinstance(self.cutoff, str)
        if self.target_fdp is not None and not calibrated:
            raise option_error(
                "target_fdp",
                f"it has no effect on a fixed cut-off of {self.cutoff}",
                "omit it, or use cutoff='calibrated'",
            )
        return calibrated

    def _selected_per_resample(self, inner, width):
        """Resolve `n_features_to_select` to a number."""
        wanted = self.n_features_to_select
        if wanted is None:
            wanted = inner._check_selection(width)
        if wanted is None:
            return max(1, round((0.8 * width) ** 0.5))
        if _is_number(wanted, Integral) and 1 <= wanted <= width:
            return int(wanted)
        if _is_number(wanted, Real) and not isinstance(wanted, Integral) and 0 < wanted <= 1:
            return max(1, int(width * wanted))
        raise option_error(
            "n_features_to_select",
            f"`{shown(wanted)}` cannot be selected from {width} features",
            f"use a whole number from 1 to {width}, a fraction above 0 and up to 1.0, or None",
        )

    def _shown_columns(self):
        return {"frequency": self.frequencies_}

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.frequencies_ >= self.cutoff_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._selector()._layers()[-1])
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        tags.classifier_tags = inner.classifier_tags
        return tags


def _is_number(value, kind):
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_))


def _calibrate(frequencies, copies, target, least):
    """Calibrate the cut-off, at least `least`, by the frequencies of permuted copies.

    Returns
    -------
    cutoff : float
        Minimum selection frequency of the kept features; infinite if no feature is kept.
    estimate : float
        Estimated false discovery proportion at the cut-off; the smallest of all estimates if no
        feature is kept.
    """
    cutoffs = np.unique(frequencies[(frequencies > 0) & (frequencies >= least)])
    if len(cutoffs) == 0:
        return np.inf, 1.0
    features = np.array([(frequencies >= cutoff).sum() for cutoff in cutoffs])
    false = np.array([(copies >= cutoff).sum() for cutoff in cutoffs])
    estimates = (1 + false) / features
    if target is None:
        best = np.flatnonzero(estimates == estimates.min())[-1]
        kept = estimates[best] <= _MOST_FALSE
    else:
        passing = np.flatnonzero(estimates <= target)
        kept = len(passing) > 0
        best = passing[0] if kept else estimates.argmin()
    return float(cutoffs[best]) if kept else np.inf, float(estimates[best])
