"""basrelief beside skrebate and fast-select, each measurement in a process of its own.

Run as ``make bench``, or::

    python benches/peers.py [--write FILE] [--repeat N] [--cases relieff:continuous:1000x1000,...]

All get the same two-class data, all rows, one thread and, for ReliefF, k = 10. Importing, making
the data and compiling (fast-select compiles at its first fit) are not timed; the memory is what
the process needed at its peak above what it held before the fit.
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

NEIGHBORS = 10
# Method, kind of data, rows, columns, and the peers: skrebate only where it ends within a minute.
CASES = [
    ("relieff", "continuous", 500, 100, ("skrebate", "fast-select")),
    ("relieff", "continuous", 1000, 1000, ("skrebate", "fast-select")),
    ("relieff", "continuous", 2000, 200, ("skrebate", "fast-select")),
    ("relieff", "continuous", 5000, 100, ("fast-select",)),
    ("relieff", "continuous", 1000, 10000, ("fast-select",)),
    ("multisurf", "continuous", 1000, 1000, ("fast-select",)),
    ("multisurf", "continuous", 2000, 1000, ("fast-select",)),
    ("surf", "continuous", 2000, 1000, ("fast-select",)),
    ("relieff", "genotypes", 1600, 1000, ("fast-select",)),
    ("relieff", "genotypes", 1600, 10000, ("fast-select",)),
    ("multisurf", "genotypes", 1600, 10000, ("fast-select",)),
]
# Peers that need longer than this are measured once.
LONG_S = 10
# One thread everywhere: also in the libraries below numpy and scikit-learn.
ONE_THREAD = {
    name: "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
}
CLASSES = {"relieff": "ReliefF", "surf": "SURF", "multisurf": "MultiSURF"}


def make_data(kind, rows, columns):
    """Two interacting features among noise, all of one kind."""
    import numpy as np

    rng = np.random.default_rng(rows * 10_000 + columns)
    if kind == "genotypes":
        X = rng.integers(0, 3, size=(rows, columns)).astype(float)
        return X, ((X[:, 0] + X[:, 1]) % 3 > 0).astype(int)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def basrelief_weights(method, kind, X, y):
    import basrelief

    # Both peers take columns of few values for categories.
    options = {"genotype_diff": "categorical"} if kind == "genotypes" else {}
    if method == "relieff":
        options["n_neighbors"] = NEIGHBORS
    return getattr(basrelief, CLASSES[method])(n_jobs=1, **options).fit(X, y).weights_


def peer_weights(package):
    def weigh(method, kind, X, y):
        module = __import__(package)
        options = {"n_neighbors": NEIGHBORS} if method == "relieff" else {}
        selector = getattr(module, CLASSES[method])(n_jobs=1, **options)
        return selector.fit(X, y).feature_importances_

    return weigh


PACKAGES = {
    "basrelief": basrelief_weights,
    "skrebate": peer_weights("skrebate"),
    "fast-select": peer_weights("fast_select"),
}


def memory(field):
    """Read a field of the process's status, in MB (10^6 bytes)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return float("nan")


def measure_here(package, method, kind, rows, columns):
    """Fit once in this process and print what it took as JSON."""
    weigh = PACKAGES[package]
    X, y = make_data(kind, rows, columns)
    # A tiny fit first: imports, compiling and one-time set-up are not what is compared.
    weigh(method, kind, X[:60, :20].copy(), y[:60])
    # Forget the peak of the imports, where the system can.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    weights = weigh(method, kind, X, y)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = memory("VmHWM")
    result = {"wall": wall, "cpu": cpu, "peak": peak - before}
    result["weights"] = [float(weight) for weight in weights]
    print(json.dumps(result))


def measure(package, method, kind, rows, columns):
    case = f"{method}:{kind}:{rows}x{columns}"
    command = [sys.executable, __file__, "--measure", package, case]
    environment = {**os.environ, **ONE_THREAD}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{package} at {case} failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def show(values, digits=3):
    middle = statistics.median(values)
    return f"{middle:.{digits}g} ({min(values):.{digits}g} to {max(values):.{digits}g})"


def compare(cases, repeat):
    """Table lines and ratio lines, in Markdown."""
    table = [
        "| method | data | rows x features | package | CPU s | wall s "
        "| peak memory of the fit, MB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    ratios = [
        "| method | data | rows x features | peer | CPU time ratio | memory ratio "
        "| largest difference of a weight |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind, rows, columns, peers in cases:
        runs = {package: [] for package in ("basrelief", *peers)}
        # Taking turns spreads what else the machine does over all.
        for _ in range(repeat):
            for package, results in runs.items():
                if not results or results[0]["wall"] < LONG_S:
                    results.append(measure(package, method, kind, rows, columns))
        case = f"| {method} | {kind} | {rows} x {columns} |"
        median = {}
        for package, results in runs.items():
            column = {
                name: [result[name] for result in results] for name in ("cpu", "wall", "peak")
            }
            median[package] = {name: statistics.median(values) for name, values in column.items()}
            cells = " | ".join(show(column[name]) for name in ("cpu", "wall", "peak"))
            table.append(f"{case} {package} | {cells} |")
        ours = median["basrelief"]
        for peer in peers:
            pairs = zip(runs["basrelief"][0]["weights"], runs[peer][0]["weights"], strict=True)
            difference = max(abs(a - b) for a, b in pairs)
            factors = " | ".join(
                f"{median[peer][name] / max(ours[name], 1e-9):.3g}" for name in ("cpu", "peak")
            )
            ratios.append(f"{case} {peer} | {factors} | {difference:.1e} |")
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
    versions = [
        f"{name} {version(name)}" for name in ("basrelief", "skrebate", "fast-select", "numpy")
    ]
    return [
        f"- Date: {date.today().isoformat()}",
        f"- Processor: {model}, {os.cpu_count()} cores visible, one used",
        f"- SIMD: {', '.join(name for name in simd if name in flags) or 'unknown'}",
        f"- System: {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"{compiler.stdout.strip() or 'rustc unknown'}",
        f"- Packages: {', '.join(versions)}",
    ]


def report(cases, repeat):
    table, ratios = compare(cases, repeat)
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Made by `make bench`; run it to see the numbers of your machine.",
            "",
            "## Beside skrebate and fast-select",
            "",
            f"All rows, one thread, two classes, no missing values, k = {NEIGHBORS} for ReliefF. "
            "Every measurement has a process of its own; median of "
            f"{repeat} (least to greatest), the packages taking turns; what takes more than "
            f"{LONG_S} s is measured once. Imports and compiling are not timed. Peak memory is "
            "that of the process above what it held before the fit, the input included in the "
            "latter. Where the machine does other work meanwhile, CPU time is the figure to read.",
            "",
            *table,
            "",
            "The peer's median divided by basrelief's, and how far the weights are apart. "
            "fast-select computes in single precision; on genotypes the peers take the first of "
            "tied rows, basrelief their mean, so that ReliefF's weights differ there.",
            "",
            *ratios,
            "",
            "## The machine",
            "",
            *machine(),
            "",
        ]
    )


def read_case(text):
    method, kind, size = text.split(":")
    rows, columns = size.split("x")
    return method, kind, int(rows), int(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also write the report to this file")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cases", help="METHOD:KIND:ROWSxCOLUMNS of those above, by commas")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        package, case = arguments.measure
        measure_here(package, *read_case(case))
        return
    cases = CASES
    if arguments.cases:
        wanted = [read_case(case) for case in arguments.cases.split(",")]
        cases = [case for case in CASES if case[:4] in wanted]
    text = report(cases, arguments.repeat)
    print(text)
    if arguments.write:
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        arguments.write.write_text(text)


if __name__ == "__main__":
    main()
