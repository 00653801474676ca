"""Pages of fitted estimators: what is kept of a fit for them, and how they are written."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from sklearn.base import BaseEstimator

__all__ = ["PageMixin", "PageRequest", "PastFit", "page_request", "require_same_data"]


@dataclass(frozen=True)
class PastFit:
    """How an estimator was fitted, for those who tell of it later."""

    estimator: BaseEstimator
    """Its parameters; not fitted."""
    seed: int
    n_samples: int
    outcome: Any
    """The outcome of the compiled half; of a map the report of its fit."""
    has_covariates: bool = False
    call: str = "fit(X, y)"
    """What was called, with the names of its arguments."""


@dataclass(frozen=True)
class PageRequest:
    """What a page says beside an outcome, and where it goes; the compiled half reads these."""

    data: str
    """The name of the data."""
    target: str
    """The name of the target."""
    warnings: list[str]
    command: str
    """The line of code that repeats the fit."""
    file: str | None
    force: bool
    """Whether the file may be replaced."""


class PageMixin:
    """An estimator with a page; a subclass has ``_page(X, y, data_name, file, force)``."""

    def report(self, X, y, path, *, force=False, data_name="X"):
        """Write the page of the fit, one HTML file that needs nothing beside it.

        It shows what this fit found, and beside it the data that it was fitted to: nothing is
        fitted again. It is the same for the same fit and data; no time is on it. The file is
        written whole or not at all.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features of the fit; pairs, triplets or quadruplets where it was to these.
        y : array-like of shape (n_samples,)
            The target of the fit, or its chunks; None where it had none.
        path : str or path-like
            The file, which ends in ``.html`` or ``.htm``.
        force : bool, default=False
            Whether the file may be replaced where it exists.
        data_name : str, default="X"
            What the page calls the data.

        Raises
        ------
        ValueError
            The file exists and `force` is false, its ending is another, or its folder is missing;
            `X` or `y` are not of the shape, or the names, of the fit.
        """
        self._page(X, y, data_name, os.fspath(path), force)

    def to_html(self, X, y, *, data_name="X"):
        """Make the page of the fit, as :meth:`report` writes it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features of the fit; pairs, triplets or quadruplets where it was to these.
        y : array-like of shape (n_samples,)
            The target of the fit, or its chunks; None where it had none.
        data_name : str, default="X"
            What the page calls the data.

        Returns
        -------
        html : str
            An HTML document that needs nothing beside it.

        Raises
        ------
        ValueError
            `X` or `y` are not of the shape, or the names, of the fit.
        """
        return self._page(X, y, data_name, None, False)


def require_same_data(fitted, again, n_samples, n_features):
    """Refuse data that are not those of the fit; `again` has read them, as for a fit."""
    if not hasattr(fitted._past_fit, "outcome"):
        raise ValueError(
            "this estimator was pickled by an earlier version of basrelief, which kept no outcome "
            "for a page; fit it again"
        )
    for what, now, before in [
        ("columns", n_features, fitted.n_features_in_),
        ("rows", n_samples, fitted._past_fit.n_samples),
    ]:
        if now != before:
            raise ValueError(
                f"X, y: there are {now} {what}, and the estimator was fitted to {before}; give the "
                "data of the fit"
            )
    named, now = (getattr(one, "feature_names_in_", None) for one in (fitted, again))
    if named is not None and now is not None and list(named) != list(now):
        raise ValueError(
            "X: its columns have other names, or another order, than in the fit; give the data of "
            "the fit"
        )


def page_request(fitted, again, y, data_name, file, force):
    """Gather what a page tells of a fit; `again` is its unfitted copy, with the seed drawn."""
    past, target = fitted._past_fit, getattr(y, "name", None)
    return PageRequest(
        data=str(data_name),
        target=target if isinstance(target, str) and target else "y",
        warnings=fitted.warnings_,
        command=f"{again.__repr__(N_CHAR_MAX=sys.maxsize)}.{past.call}",
        file=file,
        force=force,
    )
