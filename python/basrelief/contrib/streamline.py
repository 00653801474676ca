"""An adapter for the machine-learning pipeline STREAMLINE: a feature importance method.

STREAMLINE (1.0) finds classes in the modules of its folder
``streamline/p4_feature_importance/registry``. The following file ``basrelief.py`` in that folder
registers the methods of this package under the name ``basrelief``::

    from basrelief.contrib.streamline import FeatureImportance


    class Basrelief(FeatureImportance):
        pass

It always uses all rows and ignores STREAMLINE's limit on rows (``instance_subset``).

The same class with `SkrebateImportance` in place of `FeatureImportance` registers MultiSWRFDB with
the scores of scikit-rebate, under the name ``multi_swrfdb``: replace ``multiswrfdb`` by it in the
line ``models`` of the configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import basrelief
from basrelief import skrebate
from basrelief._base import BaseReliefSelector
from basrelief._validation import option_error

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FeatureImportance", "SkrebateImportance"]


class FeatureImportance:
    """A selector with the interface of STREAMLINE's feature importances.

    Parameters
    ----------
    method : str, default="MultiSURF"
        The class of the selector, such as ``"ReliefF"``, or of a wrapper, such as ``"TuRF"``.
    random_state : int or None, default=0
        Seed of the random numbers of the selector.
    n_jobs : int or None, default=1
        Number of threads; the scores do not depend on it.
    **options
        Other parameters of the selector, such as ``n_neighbors`` or ``categorical_features``.

    Raises
    ------
    ValueError
        No selector has the name `method`.
    TypeError
        The selector has no such parameter.

    Examples
    --------
    >>> import pandas as pd
    >>> from basrelief.contrib.streamline import FeatureImportance
    >>> X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> importance = FeatureImportance("ReliefF", n_neighbors=1).fit(X, pd.Series([0, 0, 1, 1]))
    >>> importance.get_support_names(X.columns, top_k=1)
    ['a']
    """

    id = "basrelief"
    model_name = "basrelief"
    small_name = "BR"
    path_name = "basrelief"
    uses_instance_subset = False

    def __init__(
        self,
        method: str = "MultiSURF",
        *,
        random_state: int | None = 0,
        n_jobs: int | None = 1,
        **options: Any,
    ):
        kind = getattr(basrelief, method, None) if isinstance(method, str) else None
        if not (isinstance(kind, type) and issubclass(kind, BaseReliefSelector)):
            raise option_error(
                "method", f"`{method}` is not a selector", "use a class name such as `ReliefF`"
            )
        self.method = method
        self.options = {"random_state": random_state, "n_jobs": n_jobs, **options}
        self.selector = kind(**self.options)
        self.scores: dict[str, float] = {}

    def fit(self, X: pd.DataFrame, y: pd.Series) -> FeatureImportance:
        """Compute the weights of the columns of `X` with the selector, and return `self`."""
        self.selector.fit(X, y)
        self.scores = dict(zip(X.columns, map(float, self.selector.weights_), strict=True))
        return self

    def get_scores(self) -> dict[str, float]:
        """Return the weight of every column."""
        return dict(self.scores)

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor."""
        return {"method": self.method, **self.options}

    def get_support_mask(
        self, *, top_k: int | None = None, threshold: float | None = None
    ) -> list[bool]:
        """Return for every column whether it is selected.

        With `top_k`, the columns of largest weight are selected, the first of several equal ones.
        Otherwise all columns with a weight of at least `threshold` are selected, or all columns
        without a threshold.
        """
        if top_k is not None:
            # Sorting is stable.
            best = sorted(self.scores, key=self.scores.__getitem__, reverse=True)
            kept = set(best[: int(top_k)])
            return [name in kept for name in self.scores]
        least = float("-inf") if threshold is None else float(threshold)
        return [score >= least for score in self.scores.values()]

    def get_support_names(
        self,
        columns: list[str] | None = None,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
    ) -> list[str]:
        """List the columns that `get_support_mask` selects, in the order of the fit.

        `columns` is not used; STREAMLINE passes the columns of the fit.
        """
        mask = self.get_support_mask(top_k=top_k, threshold=threshold)
        return [name for name, kept in zip(self.scores, mask, strict=True) if kept]

    def transform(
        self, X: pd.DataFrame, *, top_k: int | None = None, threshold: float | None = None
    ) -> pd.DataFrame:
        """Return the columns of `X` that `get_support_mask` selects."""
        return X.loc[:, self.get_support_names(top_k=top_k, threshold=threshold)]


class SkrebateImportance(FeatureImportance):
    """As `FeatureImportance`, for the methods of `basrelief.skrebate` and their scores.

    STREAMLINE passes the indices of the categorical features and the kind of the outcome to a
    method with this name, because it ignores underscores. The scores are written to the folder of
    STREAMLINE's MultiSWRFDB, where the next phase reads them.

    Parameters
    ----------
    method : str, default="MultiSWRFDB"
        The name of a class of `basrelief.skrebate`.
    **options
        Parameters of the class, such as ``categorical_features``, ``label_type`` or ``n_jobs``.

    Raises
    ------
    ValueError
        `basrelief.skrebate` does not have the class.
    TypeError
        The class has no such parameter.

    Examples
    --------
    >>> import pandas as pd
    >>> from basrelief.contrib.streamline import SkrebateImportance
    >>> X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> importance = SkrebateImportance("MultiSURF").fit(X, pd.Series([0, 0, 1, 1]))
    >>> importance.get_support_names(X.columns, top_k=1)
    ['a']
    """

    id = "multi_swrfdb"
    model_name = "MultiSWRFDB (basrelief)"
    small_name = "BRMSWRFDB"
    path_name = "multiswrfdb"

    def __init__(self, method: str = "MultiSWRFDB", **options: Any):
        if method not in _SKREBATE_METHODS:
            raise option_error(
                "method",
                f"`{method}` is not a method of basrelief.skrebate",
                "use a class name such as `MultiSWRFDB`",
            )
        self.method = method
        self.options = options
        self.selector = getattr(skrebate, method)(**options)
        self.scores: dict[str, float] = {}

    def fit(self, X: pd.DataFrame, y: pd.Series) -> SkrebateImportance:
        """Compute the scores of the columns of `X`, which must be numbers, and return `self`."""
        self.selector.fit(X.to_numpy(dtype=np.float64), y.to_numpy())
        scores = self.selector.feature_importances_
        self.scores = dict(zip(X.columns, map(float, scores), strict=True))
        return self


# Wrappers need a method as their first argument.
_SKREBATE_METHODS = set(skrebate.__all__) - {"Iter", "TURF", "VLS"}
