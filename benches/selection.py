"""Selections without redundant features, compared with those of other packages.

Run as ``make bench-selection`` (half an hour on two cores), or::

    python benches/selection.py [--write FILE] [--sets N] [--data FOLDER]

Four tables: copies of informative features among many others, pairs of features that matter only
together, interactions of more features by absolute weight, and the balanced accuracy of the nearest
neighbors with 10 features on real data. Each table is written between marks of the page.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import repeat
from pathlib import Path

import numpy as np
import pandas as pd
from fastcan import FastCan
from measuring import replace_part
from mrmr import mrmr_classif
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

INFORMATIVE, COPIES, SHIFT = 20, 5, 0.5
# Tables of more than 20 features with classes, named before the methods were compared on them.
REAL = [
    "ionosphere.csv",
    "usps.csv.gz",
    "spambase.csv",
    "waveform.csv.gz",
    "splice.csv",
    "prostate.csv.gz",
    "nci60.csv.gz",
    "extended_yale_b.csv.gz",
    "soybean.csv",
    "hypothyroid.csv",
]
MOST_ROWS, MOST_FEATURES, SELECTED, NEIGHBORS = 2000, 2000, 10, 5


def selector(name, redundancy, **options):
    """Select by a selector of one thread; the features are numbers."""

    def select(X, y, count, categorical=None):
        import basrelief

        made = getattr(basrelief, name)(
            n_features_to_select=count,
            redundancy=redundancy,
            categorical_features=categorical,
            target_type="classes",
            n_jobs=1,
            random_state=0,
            **options,
        )
        return np.flatnonzero(made.fit(X, y).get_support())

    return select


def mrmr(X, y, count, categorical=None):
    """Select by mRMR with F scores, of mrmr-selection."""
    frame = pd.DataFrame(X, columns=[str(place) for place in range(X.shape[1])])
    chosen = mrmr_classif(frame, pd.Series(y), K=count, show_progress=False, n_jobs=1)
    return np.array([int(name) for name in chosen])


def fastcan(X, y, count, categorical=None):
    """Select by the canonical correlation with the classes, of fastcan."""
    indicators = (y[:, None] == np.unique(y)).astype(float)[:, 1:]
    made = FastCan(min(count, X.shape[1]), verbose=0)
    return np.asarray(made.fit(X, indicators).indices_)


def mutual_mrmr(X, y, count, categorical=None):
    """Select by mRMR with mutual information, as fscmrmr of Matlab: the quotient."""
    relevance = mutual_info_classif(X, y, random_state=0, n_jobs=1)
    correlations = np.zeros((0, X.shape[1]))
    chosen = [int(relevance.argmax())]
    scaled = StandardScaler().fit_transform(X) / np.sqrt(len(X))
    while len(chosen) < min(count, X.shape[1]):
        r = np.clip(np.abs(scaled.T @ scaled[:, chosen[-1]]), 0, 0.999999)
        # The mutual information of two Gaussian variables with this correlation.
        correlations = np.vstack([correlations, -0.5 * np.log1p(-(r**2))])
        score = relevance / (correlations.mean(axis=0) + 1e-3)
        score[chosen] = -np.inf
        chosen.append(int(score.argmax()))
    return np.array(chosen)


METHODS = {
    "`multisurf`": selector("MultiSURF", "none"),
    "`multisurf --redundancy correlation:0.95`": selector("MultiSURF", "correlation:0.95"),
    "`multisurf --redundancy relief`": selector("MultiSURF", "relief"),
    "mrmr-selection (F)": mrmr,
    "fastcan": fastcan,
    "mRMR (mutual information)": mutual_mrmr,
}
RANKED = {"ReliefF": "relieff", "MultiSURF": "multisurf", "SURFStar": "surf*"}
# Data sets of 10,000 features for methods that take minutes for each.
FEW = {"mrmr-selection (F)": 1}


def copies(noise, seed):
    """Make 20 informative features among 10,000, with 5 copies of each."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 500)
    X = rng.normal(size=(1000, 10_000))
    X[:, :INFORMATIVE] += SHIFT * y[:, None]
    for copy in range(1, COPIES + 1):
        place = INFORMATIVE * copy
        added = noise * rng.normal(size=(1000, INFORMATIVE))
        X[:, place : place + INFORMATIVE] = X[:, :INFORMATIVE] + added
    return X, y


def of_copies(name, noise, seed):
    """Count distinct informative features among the first 20, and pairs of exact copies."""
    X, y = copies(noise, seed)
    start = time.perf_counter()
    chosen = quietly(METHODS[name], X, y, INFORMATIVE)
    seconds = time.perf_counter() - start
    informative = chosen[chosen < INFORMATIVE * (COPIES + 1)] % INFORMATIVE
    return len(set(informative)), len(informative) - len(set(informative)), seconds


def of_pairs(name, seed):
    """Tell whether both of two features are among 10 of 100 if they matter only together."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(800, 100)).astype(float)
    y = ((X[:, 0] == 1) ^ (X[:, 1] == 1)).astype(int)
    chosen = quietly(METHODS[name], X, y, SELECTED)
    return {0, 1} <= set(chosen.tolist())


def of_orders(name, order, seed):
    """Tell whether all features of an interaction come first, by weight and by absolute weight.

    The class is the parity of some of 20 features, wrong in a tenth of 1600 rows.
    """
    import basrelief

    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(1600, 20)).astype(float)
    y = (X[:, :order].sum(axis=1).astype(int) % 2) ^ (rng.uniform(size=1600) < 0.1)
    made = getattr(basrelief, name)(categorical_features="all", n_jobs=1)
    weights = quietly(made.fit, X, y).weights_
    return [
        set(np.argsort(-score, kind="stable")[:order]) == set(range(order))
        for score in (weights, np.abs(weights))
    ]


def read(file):
    """Read a table: numbers, classes, and which columns are categories."""
    table = pd.read_csv(file)
    y = table.pop("class" if "class" in table else table.columns[-1])
    y = pd.factorize(y, sort=True)[0]
    nominal = pd.read_csv(file.parent / "nominal.csv")
    nominal = set(nominal["column"][nominal["file"] == file.name])
    is_text = [
        column in nominal or not pd.api.types.is_numeric_dtype(table[column]) for column in table
    ]
    X = np.empty(table.shape)
    for place, column in enumerate(table):
        if is_text[place]:
            codes = pd.factorize(table[column], sort=True)[0].astype(float)
            X[:, place] = np.where(codes < 0, codes.max() + 1, codes)
        else:
            values = table[column].to_numpy(float)
            known = values[~np.isnan(values)]
            X[:, place] = np.where(np.isnan(values), np.median(known) if len(known) else 0, values)
    rng = np.random.default_rng(0)
    counts = np.bincount(y)
    rows = np.flatnonzero(counts[y] >= 5)
    rows = np.sort(rng.permutation(rows)[:MOST_ROWS])
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    counts = np.bincount(y)
    rows = np.flatnonzero(counts[y] >= 5)
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    varies = np.ptp(X, axis=0) > 0
    X, is_text = X[:, varies], np.array(is_text)[varies]
    if X.shape[1] > MOST_FEATURES:
        # Microarrays: the features with the largest F, as all methods start from the same ones.
        best = np.sort(np.argsort(-f_classif(X, y)[0])[:MOST_FEATURES])
        X, is_text = X[:, best], is_text[best]
    return X, y, np.flatnonzero(is_text).tolist()


def of_real(folder, file, name):
    """Compute the balanced accuracy in 5 folds."""
    X, y, categorical = read(folder / file)
    predicted = np.empty_like(y)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        chosen = quietly(METHODS[name], X[train], y[train], SELECTED, categorical or None)
        knn = make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBORS))
        predicted[test] = knn.fit(X[train][:, chosen], y[train]).predict(X[test][:, chosen])
    return balanced_accuracy_score(y, predicted)


def quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


def table_of_copies(pool, sets):
    lines = [
        "| method | copies | data sets | distinct informative features among 20 | further copies "
        "of them | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for noise, kind in [(0.01, "with noise of 0.01 SD"), (0.0, "exact")]:
        for name in METHODS:
            count = min(sets, FEW.get(name, sets))
            found = list(pool.map(of_copies, repeat(name), repeat(noise), range(count)))
            distinct, further, seconds = np.array(found).T
            cells = [name, kind, str(count), f"{distinct.min():.0f} to {distinct.max():.0f}"]
            cells += [f"{further.min():.0f} to {further.max():.0f}", f"{np.median(seconds):.2f}"]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    return lines


def table_of_pairs(pool, sets):
    lines = ["| method | data sets | both features selected |", "| --- | --- | --- |"]
    for name in METHODS:
        found = sum(pool.map(of_pairs, repeat(name), range(sets)))
        lines.append(f"| {name} | {sets} | {found} |")
        print(lines[-1], flush=True)
    return lines


def table_of_orders(pool, sets):
    orders = [2, 3, 4, 5]
    lines = [
        f"| method | {' | '.join(f'{order} features' for order in orders)} |",
        f"| --- |{' --- |' * len(orders)}",
    ]
    for name, shown in RANKED.items():
        found = [
            np.sum(list(pool.map(of_orders, repeat(name), repeat(order), range(sets))), axis=0)
            for order in orders
        ]
        for column, option in enumerate(["", " --rank absolute"]):
            cells = " | ".join(str(of_order[column]) for of_order in found)
            lines.append(f"| `{shown}{option}` | {cells} |")
            print(lines[-1], flush=True)
    return lines


def table_of_real(pool, folder):
    lines = [f"| data | {' | '.join(METHODS)} |", f"| --- |{' --- |' * len(METHODS)}"]
    jobs = {
        (file, name): pool.submit(of_real, folder, file, name) for file in REAL for name in METHODS
    }
    for file in REAL:
        found = [jobs[file, name].result() for name in METHODS]
        best = max(found)
        cells = [f"**{one:.3f}**" if one == best else f"{one:.3f}" for one in found]
        lines.append(f"| {file.split('.')[0]} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the tables into this page")
    parser.add_argument("--sets", type=int, default=50, help="data sets of pairs")
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    folder = arguments.data or Path(os.environ.get("BASRELIEF_DATA", "../shared/data"))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        tables = {
            "copies": table_of_copies(pool, min(5, arguments.sets)),
            "pairs": table_of_pairs(pool, arguments.sets),
            "orders": table_of_orders(pool, min(10, arguments.sets)),
            "real data": table_of_real(pool, folder),
        }
    today = f"{date.today().isoformat()}, {os.cpu_count()} cores."
    for name, lines in tables.items():
        if arguments.write:
            replace_part(arguments.write, name, [*lines, "", today])


if __name__ == "__main__":
    main()
