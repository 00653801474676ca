"""ReliefF of basrelief beside that of skrebate, each measurement in a process of its own.

Run as ``make bench``, or::

    python benches/peers.py [--write FILE] [--repeat N] [--sizes 500x100,1000x1000]

Both get the same two-class continuous data (so that both follow the same rule), k = 10, all rows
and one thread. Importing and making the data are not timed; the memory is what the process needed
at its peak above what it held before the fit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

SIZES = [(500, 100), (1000, 1000), (2000, 200)]
NEIGHBORS = 10
# One thread everywhere: also in the libraries below numpy and scikit-learn.
ONE_THREAD = {
    name: "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
}


def make_data(rows, columns):
    """Two interacting features among noise, all continuous."""
    import numpy as np

    rng = np.random.default_rng(rows * 10_000 + columns)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def basrelief_weights(X, y):
    from basrelief import ReliefF

    return ReliefF(n_neighbors=NEIGHBORS, n_jobs=1).fit(X, y).weights_


def skrebate_weights(X, y):
    from skrebate import ReliefF

    return ReliefF(n_neighbors=NEIGHBORS, n_jobs=1).fit(X, y).feature_importances_


PACKAGES = {"basrelief": basrelief_weights, "skrebate": skrebate_weights}


def memory(field):
    """Read a field of the process's status, in MB (10^6 bytes)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return float("nan")


def measure_here(package, rows, columns):
    """Fit once in this process and print what it took as JSON."""
    weigh = PACKAGES[package]
    X, y = make_data(rows, columns)
    # A tiny fit first: imports and one-time set-up are not what is compared.
    weigh(X[:40, :5].copy(), y[:40])
    # Forget the peak of the imports, where the system can.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    weights = weigh(X, y)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = memory("VmHWM")
    result = {"wall": wall, "cpu": cpu, "peak": peak - before}
    result["weights"] = [float(weight) for weight in weights]
    print(json.dumps(result))


def measure(package, rows, columns):
    command = [sys.executable, __file__, "--measure", package, f"{rows}x{columns}"]
    environment = {**os.environ, **ONE_THREAD}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{package} at {rows} x {columns} failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def show(values, digits=3):
    middle = statistics.median(values)
    return f"{middle:.{digits}g} ({min(values):.{digits}g} to {max(values):.{digits}g})"


def compare(sizes, repeat):
    """Table lines and ratio lines, in Markdown."""
    table = [
        "| rows x features | package | CPU s | wall s | peak memory of the fit, MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    ratios = [
        "| rows x features | input, MB | CPU time ratio | wall time ratio | memory ratio "
        "| largest difference of a weight |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for rows, columns in sizes:
        runs = {package: [] for package in PACKAGES}
        # Taking turns spreads what else the machine does over both.
        for _ in range(repeat):
            for package, results in runs.items():
                results.append(measure(package, rows, columns))
        size = f"{rows} x {columns}"
        median = {}
        for package, results in runs.items():
            column = {
                name: [result[name] for result in results] for name in ("cpu", "wall", "peak")
            }
            median[package] = {name: statistics.median(values) for name, values in column.items()}
            cells = " | ".join(show(column[name]) for name in ("cpu", "wall", "peak"))
            table.append(f"| {size} | {package} | {cells} |")
        ours, theirs = median["basrelief"], median["skrebate"]
        difference = max(
            abs(a - b)
            for a, b in zip(
                runs["basrelief"][0]["weights"], runs["skrebate"][0]["weights"], strict=True
            )
        )
        factors = " | ".join(
            f"{theirs[name] / max(ours[name], 1e-9):.3g}" for name in ("cpu", "wall", "peak")
        )
        ratios.append(f"| {size} | {rows * columns * 8 / 1e6:.3g} | {factors} | {difference:.1e} |")
    return table, ratios


def machine():
    """Describe the machine in Markdown."""
    model, flags = platform.processor() or platform.machine(), set()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                model = value.strip()
            elif key.strip() in ("flags", "Features"):
                flags = set(value.split())
    simd = ["sse4_2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512_vpopcntdq", "asimd"]
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False)
    versions = [f"{name} {version(name)}" for name in ("basrelief", "skrebate", "numpy", "scipy")]
    return [
        f"- Date: {date.today().isoformat()}",
        f"- Processor: {model}, {os.cpu_count()} cores visible, one used",
        f"- SIMD: {', '.join(name for name in simd if name in flags) or 'unknown'}",
        f"- System: {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"{compiler.stdout.strip() or 'rustc unknown'}",
        f"- Packages: {', '.join(versions)}",
    ]


def report(sizes, repeat):
    table, ratios = compare(sizes, repeat)
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Made by `make bench`; run it to see the numbers of your machine.",
            "",
            "## ReliefF beside skrebate",
            "",
            f"ReliefF with k = {NEIGHBORS}, all rows, one thread, on two-class continuous data "
            "without missing values, where both packages follow the same rule. Every measurement "
            f"has a process of its own; {repeat} repetitions, the packages taking turns; median "
            "(least to greatest). Imports are not timed. Peak memory is that of the process above "
            "what it held before the fit, the input included in the latter. Where the machine does "
            "other work meanwhile, CPU time is the figure to read.",
            "",
            *table,
            "",
            "skrebate's median divided by basrelief's, and how far the weights are apart:",
            "",
            *ratios,
            "",
            "## The machine",
            "",
            *machine(),
            "",
        ]
    )


def read_size(text):
    rows, columns = text.split("x")
    return int(rows), int(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also write the report to this file")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--sizes", help="ROWSxCOLUMNS, separated by commas")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        package, size = arguments.measure
        measure_here(package, *read_size(size))
        return
    sizes = [read_size(size) for size in arguments.sizes.split(",")] if arguments.sizes else SIZES
    text = report(sizes, arguments.repeat)
    print(text)
    if arguments.write:
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        arguments.write.write_text(text)


if __name__ == "__main__":
    main()
