"""The rounds of a fit on Spark: one of most methods, or one after the other.

A wrapper's round has the columns left, which are packed anew; an iteration has the packed rows of
the one before.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from basrelief import _native

if TYPE_CHECKING:
    from basrelief.spark._flow import Fit
    from basrelief.spark._plan import Plan
    from basrelief.spark._source import Rows

__all__ = ["Recipe", "Rounds"]

_log = logging.getLogger("basrelief.spark")


@dataclass(frozen=True)
class Recipe:
    """A method with its options, and what stands around it."""

    method: str
    options: list[tuple[str, str]]
    """Written as on the command line, as `wrappers` are."""
    wrappers: list[str]
    seed: int
    samples: str | int
    """How many rows are sampled, or "all"."""
    block_rows: int | None
    block_columns: int | None


class Rounds:
    """The rounds of a fit, whose rows were looked at.

    Parameters
    ----------
    fit : Fit
    rows : Rows
    target : ndarray or tuple
        As ``_native.job`` takes it.
    kinds : list of str
        Kinds of all columns.
    recipe : Recipe
    """

    def __init__(self, fit: Fit, rows: Rows, target, kinds: list[str], recipe: Recipe):
        self._fit, self._rows, self._target, self._kinds = fit, rows, target, kinds
        self._recipe = recipe
        self._round = _native.job_rounds(
            recipe.method, recipe.options, recipe.wrappers, recipe.seed, len(kinds)
        )

    def explain(self, draws: int | None) -> str:
        """Pack the columns of the first round, and tell what it and a test will take."""
        plan = self._pack()
        return self._told(plan if draws is None else self._fit.plan_with_test(draws))

    def weigh(self) -> tuple[np.ndarray, list[str]]:
        """Do all rounds: the weights of all columns in their order, and warnings."""
        _log.info("%s", self._told(self._pack()))
        while True:
            after, weights, warnings = self._fit.weigh(self._round)
            if after is None:
                return np.asarray(weights), list(warnings)
            self._round = after
            if not self._fit.again(after, self._title()):
                _log.info("%s", self._told(self._pack()))

    def test(self, weights: np.ndarray, draws: int, correction: str, alpha: float) -> dict:
        """Test the weights of a fit of one round by permutations of the target."""
        return self._fit.test(weights, draws, correction, alpha)

    def _pack(self) -> Plan:
        """Pack the columns of the round at hand."""
        _, _, columns = _native.job_round(self._round)
        recipe = self._recipe
        job = _native.job(
            recipe.method,
            recipe.options,
            recipe.seed,
            self._target,
            [self._rows.names[place] for place in columns],
            [self._kinds[place] for place in columns],
            block_rows=recipe.block_rows,
            block_columns=recipe.block_columns,
        )
        count = self._rows.count
        sampled = count if recipe.samples == "all" else int(recipe.samples)
        return self._fit.pack(self._rows, job, sampled, columns, self._title())

    def _title(self) -> str:
        recipe = self._recipe
        number, at_most, _ = _native.job_round(self._round)
        if recipe.wrappers:
            wrapper = recipe.wrappers[0].partition(":")[0]
            return f"{wrapper} of {recipe.method}, round {number} of {at_most}"
        if at_most > 1:
            return f"{recipe.method}, iteration {number} of up to {at_most}"
        return recipe.method

    def _told(self, plan: Plan) -> str:
        title, text = self._title(), plan.text(self._fit.cores)
        return text if title == self._recipe.method else f"{title}\n{text}"
