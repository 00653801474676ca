"""Tests that take pairs of neighbors for independent observations: the formulas of STIR and npdr.

They are written from their publications, to show beside permutations what they do where there is
nothing to find:

- STIR (Le, Urbanowicz, Moore & McKinney 2019, Bioinformatics 35(8), 1358-1365): a pooled t of the
  differences of misses and of hits, k of each about every row.
- npdr (Le, Dawkins & McKinney 2020, Bioinformatics 36(9), 2770-2777): neighbors without regard to
  the class; by feature, the logistic regression of whether a pair is a miss on its difference, or
  the linear regression of the difference of the targets on it.
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def differences(X, kinds):
    """Differences of all pairs of rows, by feature.

    Absolute over the range, or 1 where categories differ; NaN where a value is missing.
    """
    apart = np.abs(X[:, None, :] - X[None, :, :])
    is_category = np.array([kind == "categorical" for kind in kinds])
    spread = np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    spread[spread == 0] = 1
    is_missing = np.isnan(apart)
    apart = np.where(is_category, apart != 0, apart / spread)
    apart[is_missing] = np.nan
    return apart


def distances(apart):
    """Mean difference of two rows over the features both have; infinite from a row to itself."""
    found = np.nanmean(apart, axis=2)
    np.fill_diagonal(found, np.inf)
    return found


def nearest(distance, allowed, k):
    """Pairs of every row and its k nearest among the rows allowed."""
    order = np.argsort(np.where(allowed, distance, np.inf), axis=1, kind="stable")
    rows, places = [], []
    for row, sorted_rows in enumerate(order):
        near = sorted_rows[: min(k, int(allowed[row].sum()))]
        rows += [row] * len(near)
        places += near.tolist()
    return np.array(rows), np.array(places)


def stir(X, kinds, y, k=10):
    """P-values of STIR's t, by feature; the target is of classes."""
    apart = differences(X, kinds)
    distance = distances(apart)
    same = y[:, None] == y[None, :]
    hits = apart[nearest(distance, same & ~np.eye(len(y), dtype=bool), k)]
    misses = apart[nearest(distance, ~same, k)]
    n_hits, n_misses = (~np.isnan(hits)).sum(axis=0), (~np.isnan(misses)).sum(axis=0)
    freedom = n_hits + n_misses - 2
    pooled = (n_hits - 1) * np.nanvar(hits, axis=0, ddof=1)
    pooled += (n_misses - 1) * np.nanvar(misses, axis=0, ddof=1)
    error = np.sqrt(pooled / freedom * (1 / n_hits + 1 / n_misses))
    difference = np.nanmean(misses, axis=0) - np.nanmean(hits, axis=0)
    return stats.t.sf(difference / error, freedom)


def npdr(X, kinds, y, is_classes, k=10):
    """One-sided p-values of npdr's regressions, by feature."""
    apart = differences(X, kinds)
    rows, others = nearest(distances(apart), ~np.eye(len(y), dtype=bool), k)
    apart = apart[rows, others]
    known = ~np.isnan(apart)
    apart = np.where(known, apart, 0)
    if is_classes:
        return _logistic(apart, known, (y[rows] != y[others]).astype(float))
    return _linear(apart, known, np.abs(y[rows] - y[others]))


def _linear(apart, known, answer):
    n = known.sum(axis=0)
    answer = np.where(known, answer[:, None], 0)
    x = np.where(known, apart - apart.sum(axis=0) / n, 0)
    z = np.where(known, answer - answer.sum(axis=0) / n, 0)
    slope = (x * z).sum(axis=0) / (x * x).sum(axis=0)
    left = ((z - slope * x) ** 2).sum(axis=0) / (n - 2)
    return stats.t.sf(slope / np.sqrt(left / (x * x).sum(axis=0)), n - 2)


def _logistic(apart, known, answer):
    """Newton's steps for all features together."""
    constant = np.zeros(apart.shape[1])
    slope = np.zeros(apart.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(constant + slope * apart)))
        left = np.where(known, answer[:, None] - chance, 0)
        weight = np.where(known, chance * (1 - chance), 0)
        first, second = left.sum(axis=0), (apart * left).sum(axis=0)
        a, b = weight.sum(axis=0), (weight * apart).sum(axis=0)
        c = (weight * apart * apart).sum(axis=0)
        determinant = a * c - b * b
        step = (a * second - b * first) / determinant
        constant += (c * first - b * second) / determinant
        slope += step
        if np.abs(step).max() < 1e-8:
            return stats.norm.sf(slope / np.sqrt(a / determinant))
    raise SystemExit("npdr's regression did not converge")
