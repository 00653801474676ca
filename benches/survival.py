"""How well methods rank two variants that change the hazard only together.

Run as ``make bench-survival`` (an hour on two cores), or::

    python benches/survival.py [--write FILE] [--sets N] [--forests N] [--program BASRELIEF]

The data are those of ``basrelief synth survival`` with the seeds from 0. The table is written
between the marks of the page. Random survival forests are slow: they rank the first data sets only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import repeat
from pathlib import Path

import numpy as np
import pandas as pd
from many_features import program
from measuring import replace_part

COMMAND = "synth survival --rows 1000 --features 1000"
RELEVANT = ["P1", "P2"]
NEIGHBORS = 100


def make(basrelief, seed):
    """Generate a table; return the genotypes, and the target as a structured array."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.csv"
        words = [basrelief, *COMMAND.split(), "--quiet", f"--seed={seed}", f"--output={data}"]
        subprocess.run(words, check=True)
        table = pd.read_csv(data)
    y = np.empty(len(table), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = table.pop("event") == 1, table.pop("time")
    return table.astype(np.int8), y


def selector(name, **options):
    """Rank by a selector of one thread."""

    def rank(X, y):
        import basrelief

        method = getattr(basrelief, name)(genotype_features="all", n_jobs=1, **options)
        return method.fit(X, y).weights_

    return rank


def cox(X, y):
    """Rank by the likelihood-ratio test of a Cox model of one variant, all variants at once.

    scikit-survival's fits of the first variants must give the same coefficients.
    """
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    # Rows at risk come first; there are no ties.
    order = np.argsort(-y["time"], kind="stable")
    values, events = X.to_numpy(float)[order], y["event"][order]
    slopes = np.zeros(values.shape[1])
    for _ in range(20):
        risks = np.exp(values * slopes)
        sums = [np.cumsum(risks * values**power, axis=0)[events] for power in (0, 1, 2)]
        means = sums[1] / sums[0]
        step = (values[events] - means).sum(axis=0) / (sums[2] / sums[0] - means**2).sum(axis=0)
        slopes += step
    for feature in range(3):
        model = CoxPHSurvivalAnalysis(tol=1e-12).fit(X.to_numpy(float)[:, [feature]], y)
        np.testing.assert_allclose(model.coef_[0], slopes[feature], rtol=1e-6, atol=1e-9)

    def log_likelihood(slopes):
        at_risk = np.log(np.cumsum(np.exp(values * slopes), axis=0)[events])
        return (values[events] * slopes - at_risk).sum(axis=0)

    return log_likelihood(slopes) - log_likelihood(np.zeros_like(slopes))


def forest(X, y):
    """Rank by the permutation importance of a random survival forest."""
    from sklearn.inspection import permutation_importance
    from sksurv.ensemble import RandomSurvivalForest

    model = RandomSurvivalForest(min_samples_leaf=15, n_jobs=1, random_state=0, low_memory=True)
    model.fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=1, random_state=0)
    return found.importances_mean


def survival_function(times, events):
    """Return the Kaplan-Meier estimate as a function."""
    from sksurv.nonparametric import kaplan_meier_estimator

    at, probability = kaplan_meier_estimator(events, times)
    return lambda time: np.r_[1.0, probability][np.searchsorted(at, time, side="right")]


def expected_times(y):
    """Replace censored times by their Kaplan-Meier expectation, up to the last time."""
    times, events = y["time"], y["event"]
    curve = survival_function(times, events)
    found, steps = times.copy(), np.unique(times)
    for row in np.flatnonzero(~events & (curve(times) > 0)):
        edges = np.r_[times[row], steps[steps > times[row]]]
        area = (np.diff(edges) * curve(edges[:-1])).sum()
        found[row] += area / curve(times[row])
    return found


def ratios(X, weights, differences):
    """Compute RReliefF's weights of pairs of rows with these weights and target differences."""
    together = weights * differences
    carried = [(least < X).astype(np.float32) for least in (0, 1)]

    def total(pairs):
        sums = (pairs.sum(axis=0) + pairs.sum(axis=1)).astype(np.float32)
        pairs = pairs.astype(np.float32)
        return sum(sums @ own - 2 * (own * (pairs @ own)).sum(axis=0) for own in carried) / 2

    different, both, all_pairs = total(weights), total(together), weights.sum()
    change = together.sum()
    return both / change - (different - both) / (all_pairs - change)


def nearest(X):
    """Return a matrix with ones for the nearest rows."""
    distances = np.zeros((len(X), len(X)), dtype=np.float32)
    for least in (0, 1):
        own = (least < X).astype(np.float32)
        distances += own.sum(axis=1)[:, None] + own.sum(axis=1) - 2 * own @ own.T
    np.fill_diagonal(distances, np.inf)
    near = np.argpartition(distances, NEIGHBORS, axis=1)[:, :NEIGHBORS]
    found = np.zeros_like(distances, dtype=float)
    np.put_along_axis(found, near, 1.0, axis=1)
    return found


def npdr(X, y):
    """Compare expected times; drop neighbors that are censored before the query row's time."""
    X, times = X.to_numpy(), expected_times(y)
    differences = np.abs(times[:, None] - times) / np.ptp(times)
    is_lost = ~y["event"] & (y["time"] <= y["time"][:, None])
    return ratios(X, nearest(X) * ~is_lost, differences)


def ipcw(X, y):
    """Compare times; weight pairs whose order is known by the inverse probability of censoring."""
    X, times = X.to_numpy(), y["time"]
    uncensored = survival_function(times, ~y["event"])
    first = np.where(times[:, None] <= times, np.arange(len(X))[:, None], np.arange(len(X)))
    kept = np.maximum(uncensored(np.nextafter(times[first], 0)), 0.05)
    weights = y["event"][first] / kept**2
    differences = np.abs(times[:, None] - times) / np.ptp(times)
    return ratios(X, nearest(X) * weights, differences)


RANKINGS = {
    "`multisurf`": selector("MultiSURF"),
    "`surf`": selector("SURF"),
    "`survival-relief`": selector("SurvivalRelief"),
    "`survival-relief --target-difference times`": selector(
        "SurvivalRelief", target_difference="times"
    ),
    "pairs by inverse probability of censoring": ipcw,
    "sNPDR's pairs": npdr,
    "Cox model of one variant": cox,
    "random survival forest": forest,
}


def ranked(name, basrelief, seed):
    """Return the ranks of both variants, the average precision and the seconds of a ranking."""
    X, y = make(basrelief, seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = RANKINGS[name](X, y)
    seconds = time.perf_counter() - start
    places = np.empty(len(weights), dtype=int)
    places[np.argsort(-weights, kind="stable")] = np.arange(1, len(weights) + 1)
    ranks = np.sort(places[X.columns.isin(RELEVANT)])
    return [*ranks, np.mean([1 / ranks[0], 2 / ranks[1]]), seconds]


def table(pool, basrelief, sets, forests):
    """Return the lines of the table."""
    lines = [
        "| method | data sets | median rank of a variant of the pair | both ranked first | "
        "area under the precision-recall curve | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in RANKINGS:
        count = forests if RANKINGS[name] is forest else sets
        if count == 0:
            continue
        found = np.array(list(pool.map(ranked, repeat(name), repeat(basrelief), range(count))))
        ranks, area, seconds = found[:, :2], found[:, 2], found[:, 3]
        error = area.std(ddof=1) / np.sqrt(count)
        cells = [name, str(count), f"{np.median(ranks):.0f}"]
        cells += [f"{(ranks[:, 1] == 2).mean():.0%}", f"{area.mean():.2f} ± {error:.2f}"]
        lines.append(f"| {' | '.join([*cells, f'{np.median(seconds):.2f}'])} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        f"`basrelief {COMMAND}`, seeds 0 to {sets - 1}, {date.today().isoformat()}, "
        f"{os.cpu_count()} cores.",
    ]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the table into this page")
    parser.add_argument("--sets", type=int, default=50, help="data sets of every method")
    parser.add_argument("--forests", type=int, default=5, help="data sets of forests")
    parser.add_argument("--program", help="the command line; it is built otherwise")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        lines = table(pool, arguments.program or program(), arguments.sets, arguments.forests)
    if arguments.write:
        replace_part(arguments.write, "ranking", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
