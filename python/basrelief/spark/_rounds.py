"""The rounds of a fit on Spark. Most methods have a single round.

Each round of a wrapper packs the remaining columns again; an iteration of a method reuses the
packed rows of the previous one.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from basrelief import _native

if TYPE_CHECKING:
    from basrelief._base import Study
    from basrelief.spark._flow import Fit
    from basrelief.spark._plan import Plan
    from basrelief.spark._source import Rows

__all__ = ["Cut", "Rounds"]

_log = logging.getLogger("basrelief.spark")


@dataclass(frozen=True)
class Cut:
    """The sampling of rows, and the sizes of the blocks of rows and columns."""

    samples: str | int
    """Number of sampled rows, or "all"."""
    block_rows: int | None
    block_columns: int | None


class Rounds:
    """The rounds of a fit, after the first reading of its rows.

    Parameters
    ----------
    fit : Fit
    rows : Rows
    study : Study
        The specification of the fit, with the kinds of all columns.
    cut : Cut
    roles : tuple
        Groups, weights and covariates of the rows, as ``_native.job`` expects them.
    """

    def __init__(self, fit: Fit, rows: Rows, study: Study, cut: Cut, roles: tuple):
        self._fit, self._rows, self._study, self._cut = fit, rows, study, cut
        self._groups, self._weights, self._covariates = roles
        self._round = _native.job_rounds(study)

    def explain(self, draws: int | None, sided: str) -> str:
        """Pack the columns of the first round, and describe the plan of the round and of a test."""
        plan = self._pack()
        return self._told(plan if draws is None else self._fit.plan_with_test(draws, sided))

    def weigh(self) -> tuple[np.ndarray, list[str]]:
        """Run all rounds; return the weights of all columns in order, and warnings."""
        _log.info("%s", self._told(self._pack()))
        while True:
            after, weights, warnings = self._fit.weigh(self._round)
            if after is None:
                return np.asarray(weights), list(warnings)
            self._round = after
            if not self._fit.again(after, self._title()):
                _log.info("%s", self._told(self._pack()))

    def test(self, weights: np.ndarray, draws: int, test: tuple) -> dict:
        """Test the weights of a fit with one round by permutations of the target."""
        return self._fit.test(weights, draws, test)

    def _pack(self) -> Plan:
        """Pack the columns of the current round."""
        _, _, columns = _native.job_round(self._round)
        study, cut = self._study, self._cut
        kept = replace(
            study,
            names=[study.names[place] for place in columns],
            kinds=[study.kinds[place] for place in columns],
        )
        job = _native.job(
            kept,
            groups=self._groups,
            weights=self._weights,
            covariates=self._covariates,
            block_rows=cut.block_rows,
            block_columns=cut.block_columns,
        )
        count = self._rows.count
        sampled = count if cut.samples == "all" else int(cut.samples)
        return self._fit.pack(self._rows, job, sampled, columns, self._title())

    def _title(self) -> str:
        study = self._study
        number, at_most, _ = _native.job_round(self._round)
        if study.wrappers:
            wrapper = study.wrappers[0].partition(":")[0]
            return f"{wrapper} of {study.method}, round {number} of {at_most}"
        if at_most > 1:
            return f"{study.method}, iteration {number} of up to {at_most}"
        return study.method

    def _told(self, plan: Plan) -> str:
        title, text = self._title(), plan.text(self._fit.cores)
        return text if title == self._study.method else f"{title}\n{text}"
