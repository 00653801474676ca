"""Memory of a fit of a sparse matrix in Python, in units of the matrix.

Run as::

    python benches/sparse_memory.py [--only NAME]

The matrices have 2000 rows and fixed seeds. Every fit is a process of its own; the memory is the
peak of the process during the fit minus its memory before it, and runs on Linux only. A first fit
of a small part of the matrix loads the code.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

ROWS = 2000


def weights(rng):
    """Draw weights of words: 200,000 columns, 1 % stored."""
    return sparse.random_array((ROWS, 200_000), density=0.01, rng=rng, format="csr")


def binary(rng):
    """Draw one-hot columns: 200,000 columns of 0 and 1, 1 % stored."""
    X = weights(rng)
    X.data[:] = 1
    return X


def pairs(rng):
    """Draw rare words: 400,000 columns with two entries each."""
    columns = 400_000
    places = rng.integers(0, ROWS, 2 * columns), np.repeat(np.arange(columns), 2)
    return sparse.csr_array((rng.random(2 * columns), places), shape=(ROWS, columns))


MATRICES = {draw.__name__: draw for draw in (weights, binary, pairs)}
METHODS = ("MultiSURF", "ReliefF")


def resident(field):
    """Return a field of the memory of this process, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+)", status)[1]) * 1024


def measure(name, method):
    """Fit a method to a matrix, and print a row of the table."""
    import basrelief

    warnings.simplefilter("ignore")
    X = MATRICES[name](np.random.default_rng(0))
    y = np.random.default_rng(1).integers(0, 2, ROWS)
    selector = getattr(basrelief, method)(n_features_to_select=10, n_jobs=2)
    selector.fit(X[:50, :100], y[:50])
    # Resets the peak.
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), time.perf_counter()
    selector.fit(X, y)
    seconds = time.perf_counter() - start
    grown = resident("VmHWM") - before
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    print(
        f"| {name} | {X.shape[0]:,} x {X.shape[1]:,} | {X.nnz:,} | {size / 1e6:.0f} MB | {method} "
        f"| {grown / 1e6:.0f} MB | {grown / size:.1f} | {seconds:.1f} |",
        flush=True,
    )


def main():
    """Measure all matrices and methods."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=MATRICES)
    parser.add_argument("--here", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        measure(*options.here)
        return
    print("| matrix | shape | entries | bytes | method | memory | times the matrix | seconds |")
    print("|---|---|---:|---:|---|---:|---:|---:|", flush=True)
    for name in [options.only] if options.only else MATRICES:
        for method in METHODS:
            subprocess.run([sys.executable, __file__, "--here", name, method], check=True)


if __name__ == "__main__":
    main()
