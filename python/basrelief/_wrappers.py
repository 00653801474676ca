"""The wrappers: selectors around a selector, one class per wrapper of the library's registry."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from sklearn.utils import get_tags

from basrelief import _native
from basrelief._base import BaseReliefSelector
from basrelief._documentation import selector
from basrelief._estimators import ReliefF

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["VLS", "TuRF"]


@selector()
class _Wrapper(BaseReliefSelector):
    """Shared half of the wrappers; a subclass names its wrapper and adds its options."""

    # Name in the library's registry.
    _wrapper: ClassVar[str]
    _reports = ("n_iter_",)

    estimator: BaseReliefSelector | None = field(default=None, kw_only=False)

    @classmethod
    def _entry(cls):
        """Look the wrapper up in the library's registry (see :func:`basrelief.wrappers`)."""
        return next(entry for entry in _native.wrappers() if entry["name"] == cls._wrapper)

    def _layers(self):
        inner = ReliefF() if self.estimator is None else self.estimator
        if not isinstance(inner, BaseReliefSelector):
            raise TypeError(
                f"option estimator: {inner!r} is no selector of basrelief; it takes one, for "
                "example ReliefF(), or a wrapper around one, or None"
            )
        return [self, *inner._layers()]

    def _text(self):
        """Write the wrapper as for the command line's ``--wrap``."""
        options = [f"{name}={text}" for name, text in self._option_texts()]
        return f"{self._wrapper}:{','.join(options)}"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._layers()[-1])
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        tags.classifier_tags = inner.classifier_tags
        return tags


@selector(range="", iterations=": rounds in which features were dropped")
class TuRF(_Wrapper):
    """TuRF: drop the worst features, weigh the rest again, and so on.

    Among thousands of features the neighbours are nearly random; with fewer noise features they
    are nearer in what matters. For hundreds to thousands of features.

    The weights are those of the last round. Dropped features are below them in the order of their
    rounds, by steps of 1 % of the last round's spread: these weights rank, they do not measure, so
    that `n_features_to_select` is the way to select.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    VLS : Random subsets of the features.

    References
    ----------
    J. H. Moore and B. C. White. Tuning ReliefF for genome-wide genetic analysis. EvoBIO, 166-175,
    2007.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import MultiSURF, TuRF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(400, 200)).astype(float)
    >>> y = X[:, 3] == X[:, 50]
    >>> turf = TuRF(MultiSURF(genotype_diff="categorical"), keep=20, n_features_to_select=2)
    >>> turf.fit(X, y).get_feature_names_out()
    array(['x3', 'x50'], dtype=object)
    """

    _wrapper = "turf"

    drop: float = 0.1
    keep: int = 50


@selector(range=" over the rounds", iterations=": rounds of dealing the features into subsets")
class VLS(_Wrapper):
    """VLS: weigh random subsets of the features, many times.

    Each round deals the features at random into subsets of `size`, and every subset is weighed by
    itself. A feature's weight is its greatest or its mean over the rounds. Features that matter
    only together must meet in a subset, which takes many rounds where subsets are small. For
    thousands of features and more.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    TuRF : Drops the worst features round by round.

    References
    ----------
    M. J. Eppstein and P. Haake. Very large scale ReliefF for genome-wide association analysis.
    IEEE Symposium on Computational Intelligence in Bioinformatics and Computational Biology,
    112-119, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from basrelief import VLS, ReliefF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(400, 200)).astype(float)
    >>> y = X[:, 3] == X[:, 50]
    >>> vls = VLS(ReliefF(genotype_diff="categorical"), size=50, rounds=30, random_state=0)
    >>> vls.set_params(n_features_to_select=2).fit(X, y).get_feature_names_out()
    array(['x3', 'x50'], dtype=object)
    """

    _wrapper = "vls"

    size: int = 500
    rounds: int = 20
    take: Literal["best", "mean"] = "best"
