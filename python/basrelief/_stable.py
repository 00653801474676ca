"""Stability selection: features that are selected again and again when rows are left out."""

from __future__ import annotations

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
from basrelief._validation import copied, option_error, shown

__all__ = ["Stable"]

# Above this estimate nothing is selected unless the user states a target.
_MOST_FALSE = 0.5


class Stable(ColumnSelector):
    """Stability selection: keep the features that are selected again and again.

    The features are weighed on many resamples of the rows, and each resample selects those of
    greatest weight. A feature is kept if it is selected often enough. How often that is, permuted
    copies of the features tell, which are weighed beside them: what is selected of the copies,
    chance has selected. That is how Stabl chooses its cut-off.

    Parameters
    ----------
    estimator : selector or None, default=None
        The selector that weighs, a wrapper included; None is :class:`ReliefF`. It is not fitted
        itself: its parameters say how the features are weighed, and which columns are categories
        or genotypes. Of `n_jobs`, `random_state` and `verbose` the outermost that is given counts.
    n_resamples : int, default=100
        How often rows are drawn and the features weighed, at least 2.
    fraction : float, default=0.5
        Share of the rows that a resample takes without replacement, of every class where there are
        classes (at least two rows of each); above 0 and below 1.
    n_features_to_select : int, float or None, default=None
        How many features a resample selects: a number, or a share in (0, 1]. With None it is
        what `estimator` says, and where that says nothing the root of ``0.8 * n_features``, for
        which Meinshausen and Bühlmann bound the features falsely kept at a `cutoff` of 0.9 by one.
        The copies count among those selected.
    cutoff : "calibrated" or float, default="calibrated"
        The frequency from which on a feature is kept. A number in (0, 1], usually from 0.6 to 0.9,
        needs no copies.
    target_fdp : float or None, default=None
        Which calibrated cut-off is taken, by the estimated share of false features among those
        kept. With None it is the cut-off of the least estimate, of several the highest; nothing is
        kept where the least estimate is above 0.5. A number in (0, 1] takes the lowest cut-off
        whose estimate is at most this number, and nothing is kept where there is none.
    min_cutoff : float, default=0.5
        The least calibrated cut-off, from 0 to 1. Less keeps more of many relevant features, which
        compete for the places of a resample, and more false ones; `n_features_to_select` can be
        raised instead.
    n_jobs : int or None, default=None
        Threads; None means 1 (unless in a joblib context) and -1 all cores. The result does not
        depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples, the copies and what the estimator draws.
    verbose : int, default=0
        Whether to write progress to standard error.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features,)
        Share of the resamples that select each feature.
    copy_frequencies_ : ndarray of shape (n_features,) or None
        The same of the permuted copies; None where `cutoff` is a number.
    cutoff_ : float
        The frequency from which on features are kept; infinite where none is.
    fdp_ : float or None
        The estimated share of false features among those kept, at `cutoff_`; where none is kept,
        the least estimate of all cut-offs, and 1 where there is none. None where `cutoff` is a
        number.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature: by its frequency, then by the median of its ranks over the resamples.
    stability_ : float
        How alike the resamples' selections are (the features alone, without copies): Nogueira's
        measure, 1 where all are the same and 0 in expectation for random ones. NaN where it is not
        defined, as no feature or every feature is always selected.
    stability_interval_ : tuple of float
        Its 95 % interval.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        What to know about the result; also raised as :class:`basrelief.ReliefWarning`.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not for a real target.

    See Also
    --------
    ReliefF : The selector that weighs unless another is given.

    Notes
    -----
    A cut-off ``t`` keeps the features whose frequency is at least ``t``. The share of false
    features among them is estimated as ``(1 + copies) / max(1, features)``, both counted from
    ``t`` on (FDP+ in Hédou et al.); the frequencies that features have, from `min_cutoff` on, are
    tried. As ``1`` is added, a single feature is never kept by a calibrated cut-off, unless
    ``target_fdp=1.0``, and a target of 0.1 needs ten features that stand out. Each copy is
    permuted once, for all resamples: what is like a target by chance in all rows is so in most
    resamples too. Stabl itself has no least cut-off, takes the lowest cut-off of the least
    estimate, and keeps features up to an estimate of 1; of noise it keeps some.

    The copies count in the distances between rows, which makes neighbors noisier: with them the
    number of features is twice as large. Where neighbors are already hard to find, wrap the
    method: ``Stable(TuRF(MultiSURF(), keep=50))``. The cost is `n_resamples` fits to a `fraction`
    of the rows and twice the features.

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
                f"option estimator: {inner!r} is no selector of basrelief; it takes one, for "
                "example ReliefF(), or a wrapper around one, or None"
            )
        return inner

    def _weighing_layers(self):
        return self._selector()._layers()

    def fit(self, X, y):
        """Weigh the features on resamples of the rows, and find the cut-off.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features, as the estimator takes them.
        y : array-like of shape (n_samples,)
            Class labels, or real numbers.

        Returns
        -------
        self : object
            The fitted selector.
        """
        inner = self._selector()
        calibrated = self._check_options()
        with advising(parameters_of([self, *self._weighing_layers()])):
            problem = read_problem(self, self._weighing_layers(), X, y)
            outcome = _native.select_on_resamples(
                problem.study,
                int(self.n_resamples),
                float(self.fraction),
                self._selected_per_resample(inner, problem.n_features),
                calibrated,
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
        )
        warn_caller(self.warnings_)
        return self

    def _page(self, X, y, data_name, file, force):
        """Make the page of ``basrelief stability --report``, and write it where there is a file."""
        with advising(parameters_of([self, *self._weighing_layers()])):
            problem, request = page_problem(self, X, y, data_name, file, force)
            outcome, cutoff = self._past_fit.outcome, float(self.cutoff_)
            return outcome.page(problem.study, request, cutoff, self.fdp_)

    def _why_none(self):
        """Say why no feature is kept."""
        if self.frequencies_.max() < self.min_cutoff:
            return (
                f"no feature is kept: the greatest frequency is {self.frequencies_.max():.3g}, "
                f"below min_cutoff={self.min_cutoff:g}"
            )
        most = _MOST_FALSE if self.target_fdp is None else self.target_fdp
        return (
            "no feature is kept: the least estimate of the share of false features is "
            f"{self.fdp_:.3g}, above {most:g}"
        )

    def _check_options(self):
        """Refuse options of wrong kinds; tell whether the cut-off is to be calibrated."""
        if not _is_number(self.n_resamples, Integral) or not 2 <= self.n_resamples < 2**63:
            raise option_error(
                "n_resamples",
                f"`{shown(self.n_resamples)}` is no number of resamples to compare",
                "give a whole number of at least 2; 100 are usual",
            )
        if not _is_number(self.fraction, Real) or not 0 < self.fraction < 1:
            raise option_error(
                "fraction",
                f"`{shown(self.fraction)}` is no share of the rows",
                "give a number above 0 and below 1; 0.5 is usual",
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
                    f"`{shown(value)}` is no share",
                    f"give a number above 0 and up to 1, or {other!r}",
                )
        if not _is_number(self.min_cutoff, Real) or not 0 <= self.min_cutoff <= 1:
            raise option_error(
                "min_cutoff",
                f"`{shown(self.min_cutoff)}` is no share",
                "give a number from 0 to 1; 0 is none",
            )
        calibrated = isinstance(self.cutoff, str)
        if self.target_fdp is not None and not calibrated:
            raise option_error(
                "target_fdp",
                f"a cut-off of {self.cutoff} is not calibrated to it",
                "leave it out, or give cutoff='calibrated'",
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
            f"it takes a whole number from 1 to {width}, a share above 0 and up to 1.0, or None",
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
    """Find the cut-off, at least `least`, by the frequencies of permuted copies.

    Returns
    -------
    cutoff : float
        The frequency from which on features are kept; infinite where none is.
    estimate : float
        The estimated share of false features at the cut-off; the least of all where none is kept.
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
