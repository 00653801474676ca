"""An adapter for STREAMLINE, the machine-learning pipeline, as one of its feature importances.

STREAMLINE (1.0) finds classes in the modules of its folder
``streamline/p4_feature_importance/registry``. A file ``basrelief.py`` there makes the methods of
this package one of them, under the name ``basrelief``::

    from basrelief.contrib.streamline import FeatureImportance


    class Basrelief(FeatureImportance):
        pass

All rows are used: STREAMLINE's limit on rows (``instance_subset``) does not touch it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import basrelief
from basrelief._base import BaseReliefSelector
from basrelief._validation import option_error

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FeatureImportance"]


class FeatureImportance:
    """A selector behind the interface of STREAMLINE's feature importances.

    Parameters
    ----------
    method : str, default="MultiSURF"
        The class of the selector, such as ``"ReliefF"``, or of a wrapper, such as ``"TuRF"``.
    random_state : int or None, default=0
        Seed of what the selector draws.
    n_jobs : int or None, default=1
        Threads; the scores do not depend on them.
    **options
        Other parameters of the selector, such as ``n_neighbors`` or ``categorical_features``.

    Raises
    ------
    ValueError
        There is no selector of that name.
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
                "method", f"`{method}` is no selector", "give the name of a class, as `ReliefF`"
            )
        self.method = method
        self.options = {"random_state": random_state, "n_jobs": n_jobs, **options}
        self.selector = kind(**self.options)
        self.scores: dict[str, float] = {}

    def fit(self, X: pd.DataFrame, y: pd.Series) -> FeatureImportance:
        """Weigh the columns of `X`, as the selector's `fit` does; gives itself."""
        self.selector.fit(X, y)
        self.scores = dict(zip(X.columns, map(float, self.selector.weights_), strict=True))
        return self

    def get_scores(self) -> dict[str, float]:
        """Give the weight of every column."""
        return dict(self.scores)

    def get_params(self) -> dict[str, Any]:
        """Give the parameters that make it anew."""
        return {"method": self.method, **self.options}

    def get_support_mask(
        self, *, top_k: int | None = None, threshold: float | None = None
    ) -> list[bool]:
        """Say of every column whether it is kept.

        The `top_k` columns of greatest weight are, of equal weights the first; without it those of
        at least `threshold`; without either, all.
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
        """List the columns that are kept, in the order of the fit, as `get_support_mask` says.

        `columns` are those of the fit, which are known: STREAMLINE hands them over.
        """
        mask = self.get_support_mask(top_k=top_k, threshold=threshold)
        return [name for name, kept in zip(self.scores, mask, strict=True) if kept]

    def transform(
        self, X: pd.DataFrame, *, top_k: int | None = None, threshold: float | None = None
    ) -> pd.DataFrame:
        """Give the columns of `X` that are kept, as `get_support_mask` says."""
        return X.loc[:, self.get_support_names(top_k=top_k, threshold=threshold)]
