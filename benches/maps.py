"""Learned maps beside scikit-learn, metric-learn and pylmnn: time, memory and objective.

``python benches/maps.py --write docs/benchmarks-maps.md`` writes the first table of the page;
``make bench-maps`` calls it. With ``--large`` it fits to 10,000 and 20,000 rows, for minutes, and
writes the second.
``python benches/maps.py METHOD PACKAGE DATA`` fits once in this process and prints JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
from measuring import THREAD_VARIABLES, machine, memory, replace_part

DATA = {
    "digits": "half of scikit-learn's digits, 898 x 64, 10 classes",
    "ringnorm": "ringnorm, 3500 x 20, 2 classes",
    "mixture": "a Gaussian mixture, 2500 x 100, 10 classes",
    "wide": "two classes in 5000 features, 500 rows",
}
LARGE = {
    "apart": "ten Gaussian classes in 50 columns; the standard deviations of the rows and of the "
    "class means are 1",
    "overlapping": "like apart, but the standard deviation of the class means is 0.5",
}
CASES = [
    # metric-learn takes minutes on the others.
    ("lmnn", ["basrelief", "pylmnn", "metric-learn"], ["digits"]),
    ("lmnn", ["basrelief", "pylmnn"], ["ringnorm", "mixture"]),
    ("nca", ["basrelief", "scikit-learn"], ["digits", "ringnorm", "mixture"]),
    ("kernel-pca", ["basrelief", "scikit-learn"], ["digits", "ringnorm"]),
    ("lmnn", ["basrelief"], ["wide"]),
    ("nca", ["basrelief"], ["wide"]),
    ("lfe", ["basrelief"], ["digits", "mixture", "wide"]),
    ("pca", ["basrelief", "scikit-learn"], ["digits", "mixture", "wide"]),
]
LARGE_ROWS = [10_000, 20_000]
LARGE_CASES = [
    ("lmnn-10", "apart"),
    ("lmnn-10", "overlapping"),
    ("nca-10", "overlapping"),
    ("lfe", "overlapping"),
    ("klfe-500", "overlapping"),
    ("gi-relief", "overlapping"),
]
TARGETS = 3
# Seconds below which a fit is made again and again, in memory that the process has already.
SHORT = 0.1
# The environment of those that need older packages; `make setup-peers` makes it.
PEERS = Path(__file__).resolve().parent.parent / ".venv-peers/bin/python"


def make_data(name):
    """Rows and classes of a data set."""
    rng = np.random.default_rng(0)
    if "-" in name:
        name, rows = name.split("-")
        y = rng.integers(0, 10, int(rows))
        spread = {"apart": 1.0, "overlapping": 0.5}[name]
        return rng.normal(size=(10, 50))[y] * spread + rng.normal(size=(len(y), 50)), y
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        return X[::2][:898].copy(), y[::2][:898]
    if name == "ringnorm":
        y = rng.integers(0, 2, 3500)
        X = rng.normal(size=(3500, 20))
        return np.where(y[:, None] == 0, 2 * X, X + 2 / np.sqrt(20)), y
    if name == "mixture":
        y = rng.integers(0, 10, 2500)
        return rng.normal(size=(10, 100))[y] * 0.7 + rng.normal(size=(2500, 100)), y
    y = rng.integers(0, 2, 500)
    X = rng.normal(size=(500, 5000))
    X[:, :10] += y[:, None]
    return X, y


def learner(method, package):
    """Make an estimator of a package."""
    if package == "basrelief":
        import basrelief

        return {
            "lmnn": lambda: basrelief.LMNN(n_neighbors=TARGETS),
            "nca": lambda: basrelief.NCA(),
            "kernel-pca": lambda: basrelief.Kernelized(basrelief.PCA(20), "rbf:rho=5"),
            "lfe": lambda: basrelief.LFE(),
            "pca": lambda: basrelief.PCA(),
            "lmnn-10": lambda: basrelief.LMNN(10, n_neighbors=TARGETS, max_iter=50),
            "nca-10": lambda: basrelief.NCA(10, max_iter=20),
            "klfe-500": lambda: basrelief.Kernelized(
                basrelief.LFE(10), "rbf:rho=10", "gram-schmidt", max_rank=500
            ),
            "gi-relief": lambda: basrelief.GIRelief(10),
        }[method]()
    if package == "scikit-learn":
        from sklearn.decomposition import PCA, KernelPCA
        from sklearn.neighbors import NeighborhoodComponentsAnalysis

        return {
            "nca": lambda: NeighborhoodComponentsAnalysis(random_state=0),
            "kernel-pca": lambda: KernelPCA(20, kernel="rbf", gamma=1 / 50),
            "pca": lambda: PCA(),
        }[method]()
    if package == "pylmnn":
        # It imports a package for tuning that is not used here.
        for name in ("GPyOpt", "GPyOpt.methods"):
            sys.modules.setdefault(name, types.ModuleType(name))
        sys.modules["GPyOpt.methods"].BayesianOptimization = None
        from pylmnn import LargeMarginNearestNeighbor

        return LargeMarginNearestNeighbor(n_neighbors=TARGETS, random_state=0, max_iter=500)
    from metric_learn import LMNN

    return LMNN(n_neighbors=TARGETS)


def lmnn_objective(X, y, L):
    """Sum over all pairs and triples, mu = 1/2: less is better."""
    Z = X @ L.T
    total = 0.0
    for i in range(len(y)):
        same = np.flatnonzero((y == y[i]) & (np.arange(len(y)) != i))
        near = same[np.argsort(((X[same] - X[i]) ** 2).sum(1), kind="stable")[:TARGETS]]
        pull = ((Z[near] - Z[i]) ** 2).sum(1)
        push = ((Z[y != y[i]] - Z[i]) ** 2).sum(1)
        total += 0.5 * (pull.sum() + np.maximum(0, 1 + pull[:, None] - push[None]).sum())
    return total


def nca_objective(X, y, L):
    """Mean probability of the right class: more is better."""
    Z = X @ L.T
    squares = (Z**2).sum(1)
    total = 0.0
    for rows in np.array_split(np.arange(len(y)), 10):
        distances = squares[rows][:, None] + squares - 2 * Z[rows] @ Z.T
        distances[np.arange(len(rows)), rows] = np.inf
        odds = np.exp(-(distances - distances.min(1, keepdims=True)))
        total += ((odds * (y[rows][:, None] == y)).sum(1) / odds.sum(1)).sum()
    return total / len(y)


def least_time(work, seconds=1.0):
    """Do work for some seconds, again and again; the least CPU time."""
    times = []
    while sum(times) < seconds:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def fit_here(method, package, data):
    """Fit once in this process and print what it took as JSON."""
    warnings.simplefilter("ignore")
    X, y = make_data(data)
    # A tiny fit first: imports and one-time set-up are not what is compared.
    learner(method, package).fit(X[:300, :25].copy(), y[:300])
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before, start = memory("VmRSS"), time.process_time()
    fitted = learner(method, package).fit(X, y)
    result = {"cpu": time.process_time() - start, "peak": memory("VmHWM") - before}
    if result["cpu"] < SHORT:
        result["again"] = least_time(lambda: learner(method, package).fit(X, y))
    if method in ("lmnn", "nca"):
        objective = lmnn_objective if method == "lmnn" else nca_objective
        result["objective"] = objective(X - X.mean(0), y, fitted.components_)
    print(json.dumps(result))


def fit(method, package, data, repeat):
    """Fit in processes of their own; the median CPU time, the rest of the last."""
    results = []
    for _ in range(repeat):
        environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
        python = PEERS if package in ("pylmnn", "metric-learn") else sys.executable
        command = [str(python), __file__, method, package, data]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{package} {method} at {data} failed:\n{run.stderr}")
        results.append(json.loads(run.stdout.splitlines()[-1]))
    results.sort(key=lambda result: result["cpu"])
    return {**results[-1], "cpu": results[len(results) // 2]["cpu"]}


def report(repeat):
    """Make the table of what peers fit, too."""
    lines = [
        *machine(),
        "",
        *[f"- {name}: {text}" for name, text in DATA.items()],
        "",
        "| method | data | package | CPU s | ratio to basrelief | again, CPU s | ratio | MB "
        "| objective |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for method, packages, sets in CASES:
        for data in sets:
            own = None
            for package in packages:
                result = fit(method, package, data, repeat)
                own = own or result
                cells = [method, data, package]
                for name in ("cpu", "again"):
                    both = name in result and name in own
                    cells.append(f"{result[name]:.3g}" if name in result else "")
                    cells.append(f"{result[name] / own[name]:.3g}" if both else "")
                cells.append(f"{result['peak']:.0f}")
                cells.append(f"{result['objective']:.8g}" if "objective" in result else "")
                lines.append(f"| {' | '.join(cells)} |")
                print(lines[-1], flush=True)
    return lines


def report_large(repeat):
    """Make the table of what takes minutes, with its growth from half as many rows."""
    lines = [
        *machine(),
        "",
        *[f"- {name}: {text}" for name, text in LARGE.items()],
        "",
        "| method | data | rows | CPU s | growth | MB |",
        "|---|---|---|---|---|---|",
    ]
    for method, data in LARGE_CASES:
        before = None
        for rows in LARGE_ROWS:
            result = fit(method, "basrelief", f"{data}-{rows}", repeat)
            growth = "" if before is None else f"{result['cpu'] / before:.2g}"
            before = result["cpu"]
            lines.append(
                f"| {method} | {data} | {rows} | {result['cpu']:.3g} | {growth} "
                f"| {result['peak']:.0f} |"
            )
            print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    if len(sys.argv) == 4 and not sys.argv[1].startswith("-"):
        fit_here(*sys.argv[1:])
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--write", type=Path, help="page whose table is replaced")
        parser.add_argument("--repeat", type=int, default=3, help="fits per figure")
        parser.add_argument("--large", action="store_true", help="what takes minutes")
        arguments = parser.parse_args()
        name, make = ("large", report_large) if arguments.large else ("fits", report)
        lines = make(arguments.repeat)
        if arguments.write:
            replace_part(arguments.write, name, lines)
