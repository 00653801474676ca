"""Permutation tests: their time, in seconds and in fits of the same process.

``python benches/significance.py [--part sizes|methods]`` prints the section, or a part of it.
``python benches/significance.py CASE`` measures one case in this process and prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings

from measuring import CLASSES, NEIGHBORS, THREAD_VARIABLES, make_data

# Method, kind of data, rows, columns, permutations.
CASES = [
    ("relieff", "genotypes", 1600, 10_000, "1000"),
    ("relieff", "continuous", 1000, 1000, "1000"),
    ("multisurf", "genotypes", 1600, 10_000, "1000"),
    ("relieff", "planted", 1600, 10_000, "adaptive:1000000"),
]
# All methods of the registry, on a small table.
SMALL = (200, 50, 100)
FITS = 5


def planted(rows, columns):
    """Genotypes of which the first two differ between the classes in all but 5 % of the rows."""
    import numpy as np

    X, _ = make_data("genotypes", rows, columns)
    rng = np.random.default_rng(rows)
    y = rng.integers(0, 2, size=rows)
    for column in (0, 1):
        X[:, column] = 2 * np.where(rng.random(rows) < 0.05, 1 - y, y)
    return X, y


def cpu_seconds(call):
    """CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def measure_test(selector, X, y, permutations):
    """CPU seconds of a fit, the least of several, and of a permutation test."""
    from basrelief import permutation_test

    # Imports and one-time set-up are not what is compared.
    selector.fit(X[:60], y[:60])
    fits = [cpu_seconds(lambda: selector.fit(X, y))[0] for _ in range(FITS)]
    test, found = cpu_seconds(
        lambda: permutation_test(selector, X, y, n_permutations=permutations, random_state=0)
    )
    return {
        "fit": min(fits),
        "test": test,
        "least": float(found.pvalues_.min()),
        "most": int(found.n_permutations_.max()),
        "drawn": float(found.n_permutations_.mean()),
    }


def measure_here(case):
    """Measure a case in this process and print it as JSON."""
    import numpy as np

    import basrelief

    warnings.simplefilter("ignore")
    kind = case[0]
    if kind == "method":
        entry = next(entry for entry in basrelief.methods() if entry["name"] == case[1])
        rows, columns, permutations = SMALL
        X, y = make_data("continuous", rows, columns)
        if entry["task"] == "regression":
            y = X[:, 0] * X[:, 1]
        elif entry["task"] == "survival":
            y = np.column_stack([np.exp(X[:, 0]), X[:, 1] > 0])
        selector = getattr(basrelief, entry["class_name"])(n_jobs=1)
        try:
            result = measure_test(selector, X, y, permutations)
        except ValueError as refusal:
            # Weights that every fit scales have no p-values.
            if "scaled in every fit" not in str(refusal):
                raise
            result = None
    else:
        method, kind, rows, columns, permutations = case
        rows, columns = int(rows), int(columns)
        X, y = planted(rows, columns) if kind == "planted" else make_data(kind, rows, columns)
        # As in the comparisons with other packages.
        options = {} if kind == "continuous" else {"genotype_diff": "categorical"}
        if method == "relieff":
            options["n_neighbors"] = NEIGHBORS
        selector = getattr(basrelief, CLASSES[method])(n_jobs=1, **options)
        if permutations.isdigit():
            permutations = int(permutations)
        result = measure_test(selector, X, y, permutations)
    print(json.dumps(result))


def measure(*case):
    """Measure a case in a process of its own with one thread."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
    command = [sys.executable, __file__, *map(str, case)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        raise SystemExit(f"a permutation test of {case} failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def by_size():
    """Time of tests of large tables."""
    lines = [
        "| method | data | rows x features | permutations | one fit, CPU s | test, CPU s | in fits "
        "| drawn by feature | least p |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind, rows, columns, permutations in CASES:
        found = measure(method, kind, rows, columns, permutations)
        lines.append(
            f"| {method} | {kind} | {rows} x {columns} | {permutations} | {found['fit']:.3g} "
            f"| {found['test']:.3g} | {found['test'] / found['fit']:.3g} "
            f"| {found['drawn']:.4g} | {found['least']:.2g} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def by_method():
    """Time of a test by every method, on a small table."""
    import basrelief

    rows, columns, permutations = SMALL
    lines = [
        f"Every method, {rows} x {columns} numbers and {permutations} permutations:",
        "",
        "| method | one fit, CPU s | test, CPU s | in fits |",
        "| --- | --- | --- | --- |",
    ]
    refused = []
    for entry in basrelief.methods():
        found = measure("method", entry["name"])
        if found is None:
            refused.append(entry["name"])
            continue
        lines.append(
            f"| {entry['name']} | {found['fit']:.3g} | {found['test']:.3g} "
            f"| {found['test'] / found['fit']:.3g} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    lines += ["", f"Refused, because their weights are scaled in every fit: {', '.join(refused)}."]
    return lines


def section(_repeat):
    """Time of permutation tests beside fits."""
    return [
        "## Permutation tests",
        "",
        f"CPU seconds on one thread: a fit (the fastest of {FITS}) and, in the same process, "
        "a permutation test of all features. Methods whose neighbors do not depend on the target "
        "find them once. An adaptive test ends for a feature after 10 permuted weights that are "
        "at least as large. Two of the planted genotypes predict the class and are tested to the "
        "end.",
        "",
        *by_size(),
        "",
        *by_method(),
    ]


def main():
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        measure_here(sys.argv[1:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["sizes", "methods"], help="only this part")
    arguments = parser.parse_args()
    parts = {"sizes": by_size, "methods": by_method, None: lambda: section(1)}
    print("\n".join(parts[arguments.part]()))


if __name__ == "__main__":
    main()
