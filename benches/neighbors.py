"""k-NN beside scikit-learn's: time and memory of a prediction, and whether they agree.

``python benches/neighbors.py --write docs/benchmarks-neighbors.md`` runs all;
``make bench-neighbors`` calls it. ``python benches/neighbors.py SEARCH DATA`` predicts once in this
process and prints JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
from measuring import THREAD_VARIABLES, machine, memory

K = 5
DATA = {
    "long": "a mixture of 12 Gaussians in 9 dimensions, 58,000 reference rows, 10,000 query rows",
    "wide": "a mixture of 30 Gaussians in 40 dimensions, embedded in 256 with noise, 7291 "
    "reference rows, 2007 query rows",
    "mapped": "a mixture of 12 Gaussians in 50 dimensions, mapped to 20 by LFDA, 100,000 reference "
    "rows, 10,000 query rows",
}
SIZES = {"long": (58_000, 10_000, 9), "wide": (7291, 2007, 256), "mapped": (100_000, 10_000, 50)}
INNER = {"long": (12, 9), "wide": (30, 40), "mapped": (12, 50)}
SEARCHES = ["basrelief", *(f"scikit-learn {kind}" for kind in ["brute", "kd_tree", "ball_tree"])]


def make_data(name):
    """Known rows, their classes, and rows sought."""
    rng = np.random.default_rng(0)
    known, sought, width = SIZES[name]
    rows = known + sought
    groups, inner = INNER[name]
    group = rng.integers(0, groups, rows)
    X = 2 * rng.normal(size=(groups, inner))[group] + rng.normal(size=(rows, inner))
    if inner < width:
        X = X @ rng.normal(size=(inner, width)) / np.sqrt(inner)
        X += 0.1 * rng.normal(size=(rows, width))
    y = group % 7
    if name == "mapped":
        from basrelief import LFDA

        X = LFDA(20).fit(X[:2000], y[:2000]).transform(X)
    return X[:known].copy(), y[:known], X[known:].copy()


def classifier(search):
    """Make a classifier of one thread."""
    if search == "basrelief":
        from basrelief import KNeighborsClassifier

        return KNeighborsClassifier(K)
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(K, algorithm=search.split()[1], n_jobs=1)


def predict_here(search, data):
    """Fit and predict once in this process and print what it took as JSON."""
    X, y, sought = make_data(data)
    # A tiny one first: imports and one-time set-up are not what is compared.
    classifier(search).fit(X[:300], y[:300]).predict(sought[:50])
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before, start = memory("VmRSS"), time.process_time()
    fitted = classifier(search).fit(X, y)
    shares = fitted.predict_proba(sought)
    cpu = time.process_time() - start
    result = {"cpu": cpu, "peak": memory("VmHWM") - before}
    # Shares but for the mark of the winner of a tie.
    result["print"] = zlib.crc32(np.round(shares, 9).tobytes())
    print(json.dumps(result))


def predict(search, data, repeat):
    """Predict in processes of their own; the median CPU time, the rest of the last."""
    results = []
    for _ in range(repeat):
        environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
        command = [sys.executable, __file__, search, data]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{search} at {data} failed:\n{run.stderr}")
        results.append(json.loads(run.stdout.splitlines()[-1]))
    results.sort(key=lambda result: result["cpu"])
    return {**results[-1], "cpu": results[len(results) // 2]["cpu"]}


def report(repeat):
    """Write the page."""
    lines = [
        "# Benchmarks of nearest neighbors",
        "",
        "Written by `make bench-neighbors`. The classifier is `KNeighborsClassifier(5)`. The "
        "columns are the CPU seconds of a warm fit and `predict_proba` on one thread, the largest "
        "memory beyond that of the process before the fit, in MB, and whether all probabilities "
        "agree with those of scikit-learn's brute force. All searches are exact.",
        "",
        *machine(),
        "",
        *[f"- {name}: {text}" for name, text in DATA.items()],
        "",
        "| data | search | CPU s | ratio to basrelief | MB | probabilities agree |",
        "|---|---|---|---|---|---|",
    ]
    for data in DATA:
        results = {search: predict(search, data, repeat) for search in SEARCHES}
        for search, result in results.items():
            agrees = result["print"] == results["scikit-learn brute"]["print"]
            lines.append(
                f"| {data} | {search} | {result['cpu']:.3g} "
                f"| {result['cpu'] / results['basrelief']['cpu']:.3g} | {result['peak']:.0f} "
                f"| {'yes' if agrees else 'no'} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) == 3 and not sys.argv[1].startswith("-"):
        predict_here(*sys.argv[1:])
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--write", type=Path, help="the page to write")
        parser.add_argument("--repeat", type=int, default=3, help="predictions per figure")
        arguments = parser.parse_args()
        text = report(arguments.repeat)
        if arguments.write:
            arguments.write.write_text(text)
