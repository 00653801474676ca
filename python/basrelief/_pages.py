"""HTML pages of fitted estimators: the record of a fit, and the mixin that writes its page."""

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
    """The record of a fit, from which its page is made later."""

    estimator: BaseEstimator
    """An unfitted copy with the parameters of the fit."""
    seed: int
    n_samples: int
    outcome: Any
    """The outcome of the compiled module; for a map, the report of its fit."""
    has_roles: bool = False
    call: str = "fit(X, y)"
    """The call that fitted the estimator, with the names of its arguments."""


@dataclass(frozen=True)
class PageRequest:
    """The contents of a page besides the outcome, and its file; read by the compiled module."""

    data: str
    """The name of the data."""
    target: str
    """The name of the target."""
    warnings: list[str]
    command: str
    """The line of code that repeats the fit."""
    file: str | None
    force: bool
    """Whether an existing file may be replaced."""


class PageMixin:
    """Mixin for estimators with a page; they define ``_page(X, y, data_name, file, force)``."""

    def report(self, X, y, path, *, force=False, data_name="X"):
        """Write a self-contained HTML page of the fit.

        The page shows the results of this fit together with its data; nothing is fitted again. It
        contains no time, so that the same fit and data give the same page. The file is written
        completely or not at all.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, pairs, triplets or quadruplets of the fit.
        y : array-like of shape (n_samples,)
            The target or the chunks of the fit; None if it had neither.
        path : str or path-like
            The file, with the extension ``.html`` or ``.htm``.
        force : bool, default=False
            Whether an existing file may be replaced.
        data_name : str, default="X"
            Name of the data on the page.

        Raises
        ------
        ValueError
            The file exists and `force` is false, has another extension, or its folder does not
            exist; or `X` or `y` differ in shape or names from those of the fit.
        """
        self._page(X, y, data_name, os.fspath(path), force)

    def to_html(self, X, y, *, data_name="X"):
        """Return the page that :meth:`report` writes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, pairs, triplets or quadruplets of the fit.
        y : array-like of shape (n_samples,)
            The target or the chunks of the fit; None if it had neither.
        data_name : str, default="X"
            Name of the data on the page.

        Returns
        -------
        html : str
            A self-contained HTML document.

        Raises
        ------
        ValueError
            `X` or `y` differ in shape or names from those of the fit.
        """
        return self._page(X, y, data_name, None, False)


def require_same_data(fitted, again, n_samples, n_features):
    """Refuse data other than those of the fit; `again` is an estimator that has read the data."""
    if not hasattr(fitted._past_fit, "outcome"):
        raise ValueError(
            "this estimator was pickled by an earlier version of basrelief, which did not store "
            "the outcome that a page needs; fit it again"
        )
    for what, now, before in [
        ("columns", n_features, fitted.n_features_in_),
        ("rows", n_samples, fitted._past_fit.n_samples),
    ]:
        if now != before:
            raise ValueError(
                f"X, y: there are {now} {what}, but the estimator was fitted to {before}; provide "
                "the data of the fit"
            )
    named, now = (getattr(one, "feature_names_in_", None) for one in (fitted, again))
    if named is not None and now is not None and list(named) != list(now):
        raise ValueError(
            "X: its columns differ in name or order from those of the fit; provide the data of the "
            "fit"
        )


def page_request(fitted, again, y, data_name, file, force):
    """Collect the contents of a page; `again` is an unfitted copy with the seed of the fit."""
    past, target = fitted._past_fit, getattr(y, "name", None)
    return PageRequest(
        data=str(data_name),
        target=target if isinstance(target, str) and target else "y",
        warnings=fitted.warnings_,
        command=f"{again.__repr__(N_CHAR_MAX=sys.maxsize)}.{past.call}",
        file=file,
        force=force,
    )
