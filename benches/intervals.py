"""How often 95 % intervals of weights cover the expected weight at the same number of rows."""

from __future__ import annotations

import sys
import time
import warnings
from itertools import repeat

import numpy as np

# Rows of a data set; subjects have four rows each.
ROWS = 400
FEATURES = 10
ROWS_OF_A_SUBJECT = 4
# Fresh data sets per data set with intervals, whose mean weight is the expected weight.
FRESH = 20
# Seeds of fresh data sets begin here.
FIRST_FRESH = 1_000_000
# Data sets for the costs, and their size.
REPEATS = 5
LARGE = (4000, 500)

CASES = [
    ("numbers", "relieff"),
    ("three classes", "relieff"),
    ("genotypes", "relieff"),
    ("numbers", "multisurf"),
    ("three classes", "multisurf"),
    ("genotypes", "multisurf"),
    ("numbers", "surf"),
    ("genotypes", "surf"),
    ("numeric target", "rrelieff"),
    ("subjects", "relieff"),
]


def make(kind, number, rows=ROWS, features=FEATURES):
    """Make the features, the target, the subjects or None, and which features have an effect."""
    rng = np.random.default_rng(number)
    subjects = None
    if kind == "numbers":
        y = rng.integers(0, 2, rows)
        X = rng.normal(size=(rows, features))
        X[:, 0] += y
        X[:, 1] += 0.5 * y
    elif kind == "three classes":
        y = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
        X = rng.normal(size=(rows, features))
        X[:, 0] += y
        X[:, 1] += y == 1
    elif kind == "genotypes":
        X = rng.binomial(2, 0.5, size=(rows, features)).astype(np.int8)
        y = (X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(rows) < 0.15)
        y = y.astype(int)
    elif kind == "numeric target":
        X = rng.uniform(size=(rows, features))
        y = X[:, 0] + 0.5 * X[:, 1] + 0.25 * rng.normal(size=rows)
    else:
        count = rows // ROWS_OF_A_SUBJECT
        subjects = np.repeat(np.arange(count), ROWS_OF_A_SUBJECT)
        y = rng.integers(0, 2, count)[subjects]
        X = 0.8 * rng.normal(size=(count, features))[subjects]
        X += 0.6 * rng.normal(size=(rows, features))
        X[:, 0] += 0.8 * y
        X[:, 1] += 0.4 * y
    return X, y, subjects, np.arange(features) < 2


def fit(case, number, intervals, size=(ROWS, FEATURES)):
    """Fit a selector to one data set, and return it and the seconds of the fit."""
    import basrelief

    kind, method = case
    X, y, subjects, _ = make(kind, number, *size)
    names = {"relieff": "ReliefF", "rrelieff": "RReliefF", "surf": "SURF", "multisurf": "MultiSURF"}
    options = {"genotype_features": "all"} if kind == "genotypes" else {}
    if kind == "numeric target":
        options["target_type"] = "real"
    selector = getattr(basrelief, names[method])(n_jobs=1, **options)
    roles = {} if subjects is None else {"groups": subjects}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        selector.fit(X, y, intervals=intervals, **roles)
    return selector, time.perf_counter() - start


def fresh_weights(case, number):
    """Weights of a fresh data set."""
    return fit(case, FIRST_FRESH + number, intervals=False)[0].weights_


def limits(case, number):
    """Limits of the intervals of a data set."""
    return fit(case, number, intervals=True)[0].weight_intervals_


def cost(case):
    """Time of a fit with intervals to a larger table, as a multiple of that of a fit without."""
    ratios = []
    for number in range(REPEATS):
        without = fit(case, number, intervals=False, size=LARGE)[1]
        ratios.append(fit(case, number, intervals=True, size=LARGE)[1] / without)
    return np.median(ratios)


def table(pool, sets):
    """Return the lines of the table of coverage and cost."""
    lines = [
        f"Coverage in {sets} data sets of the mean weight over {FRESH * sets} others.",
        "",
        "| data | method | features with an effect | other features | time of a fit |",
        "| --- | --- | --- | --- | --- |",
    ]
    for case in CASES:
        fresh = pool.map(fresh_weights, repeat(case), range(FRESH * sets), chunksize=20)
        expected = np.mean(list(fresh), axis=0)
        found = np.array(list(pool.map(limits, repeat(case), range(sets), chunksize=10)))
        covers = (found[..., 0] <= expected) & (expected <= found[..., 1])
        has_effect = make(case[0], 0)[3]
        # Features of one data set depend on each other: errors are those over data sets.
        shares = [covers[:, has_effect].mean(axis=1), covers[:, ~has_effect].mean(axis=1)]
        cells = [f"{own.mean():.3f} ± {own.std(ddof=1) / np.sqrt(sets):.3f}" for own in shares]
        # Alone on the machine: the pool is idle.
        cells.append(f"{cost(case):.2f}")
        lines.append(f"| {' | '.join([*case, *cells])} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines
