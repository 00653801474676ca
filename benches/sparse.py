"""Sparse tables of the sizes that users of skrebate asked for: time and memory.

Run as::

    python benches/sparse.py [--program FILE] [--folder DIR] [--only NAME]

The tables have fixed seeds and are written once, as Matrix Market files. Every fit is a process of
its own; the seconds include reading the file, and the memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.io import mmwrite

ROOT = Path(__file__).resolve().parents[1]


def kmers(rng):
    """Draw counts of k-mers: 3,672 samples, 1,688,789 k-mers, of which 0.1 % occur."""
    rows, columns = 3672, 1_688_789
    wanted = rows * columns // 1000
    drawn = int(wanted * 1.03)
    places = (columns * rng.random(drawn) ** 1.6).astype(np.int64)
    keys = np.unique(rng.integers(0, rows, drawn) * columns + places)
    keys = np.sort(rng.permutation(keys)[:wanted])
    values = rng.geometric(0.6, len(keys))
    return keys // columns, keys % columns, values, (rows, columns), "integer"


def texts(rng):
    """Draw weights of words: 20,000 texts, 50,000 words with Zipf's frequencies, 0.2 % stored."""
    rows, columns = 20_000, 50_000
    wanted = rows * columns // 500
    frequencies = 1 / np.arange(2, columns + 2)
    bounds = np.cumsum(frequencies / frequencies.sum())
    drawn = int(wanted * 1.6)
    places = np.minimum(np.searchsorted(bounds, rng.random(drawn)), columns - 1)
    keys = np.unique(rng.integers(0, rows, drawn) * columns + places)
    keys = np.sort(rng.permutation(keys)[:wanted])
    values = rng.random(len(keys)).round(6) + 1e-6
    return keys // columns, keys % columns, values, (rows, columns), "real"


# Name, generator, seed and arguments of the fit.
RUNS = [
    ("kmers", kmers, 48, ["--method=relieff"]),
    ("kmers", kmers, 48, ["--method=relieff", "--neighbors=100"]),
    ("texts", texts, 18, ["--method=multisurf"]),
    ("texts", texts, 18, ["--method=relieff"]),
]


def write(folder, name, make, seed):
    """Write a table and its target, unless they exist; return the files."""
    table, target = folder / f"{name}.mtx", folder / f"{name}.target"
    if not target.exists():
        rng = np.random.default_rng(seed)
        rows, columns, values, shape, field = make(rng)
        counts = np.bincount(columns, minlength=shape[1])
        # Two features that a third of the rows have.
        pair = np.argsort(np.abs(counts - shape[0] / 3))[:2]
        matrix = sparse.coo_array((values, (rows, columns)), shape=shape)
        has = [np.isin(np.arange(shape[0]), rows[columns == column]) for column in pair]
        classes = np.where((has[0] ^ has[1]) ^ (rng.random(shape[0]) < 0.1), "case", "control")
        mmwrite(table, matrix, field=field)
        target.write_text("\n".join(classes) + "\n")
        stored = len(values) / shape[0] / shape[1]
        print(f"{name}: {shape[0]:,} x {shape[1]:,}, {len(values):,} entries ({stored:.2%})")
        size = matrix.nnz * 12 / 1e6
        print(f"  the target depends on x{pair[0] + 1} and x{pair[1] + 1}; CSR {size:.0f} MB")
    return table, target


def measure(program, table, target, arguments):
    """Run a fit; return seconds, processor seconds and peak memory in GB."""
    command = [
        program,
        "rank",
        table,
        "--target-file",
        target,
        *arguments,
        "--threads=2",
        "--top=3",
    ]
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)))
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"status {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6


def main():
    """Generate the tables, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/basrelief")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--only", choices=["kmers", "texts"])
    options = parser.parse_args()
    for name, make, seed, arguments in RUNS:
        if options.only in (None, name):
            table, target = write(options.folder, name, make, seed)
            seconds, processor, memory = measure(options.program, table, target, arguments)
            print(
                f"{name} {' '.join(arguments)}: {seconds:.1f} s, "
                f"{processor:.1f} s of processor time, {memory:.2f} GB"
            )


if __name__ == "__main__":
    main()
