"""basrelief's time by rows, features and threads, and beside what the machine allows."""

from __future__ import annotations

import json
import math
import os
import subprocess

from measuring import ROOT, measure, median_of

# Method, kind of data, and the sizes along which one of rows and features grows.
CURVES = [
    ("relieff", "continuous", [(500, 200), (1000, 200), (2000, 200), (4000, 200), (8000, 200)]),
    ("multisurf", "continuous", [(500, 200), (1000, 200), (2000, 200), (4000, 200), (8000, 200)]),
    ("relieff", "genotypes", [(500, 2000), (1000, 2000), (2000, 2000), (4000, 2000)]),
    (
        "relieff",
        "continuous",
        [(1000, 100), (1000, 300), (1000, 1000), (1000, 3000), (1000, 10000)],
    ),
    ("multisurf", "continuous", [(1000, 100), (1000, 300), (1000, 1000), (1000, 3000)]),
    ("relieff", "genotypes", [(1000, 1000), (1000, 3000), (1000, 10000), (1000, 30000)]),
]
# Cases measured on one and on all threads.
THREADED = [
    ("relieff", "continuous", 2000, 1000),
    ("relieff", "continuous", 5000, 100),
    ("multisurf", "continuous", 2000, 1000),
    ("multisurf", "genotypes", 1600, 10000),
]
# Cases, and the kernel that computes the distances of their pairs.
BOUNDED = [
    ("relieff", "continuous", 1000, 1000, "numbers of 15 bits"),
    ("relieff", "continuous", 2000, 1000, "numbers of 15 bits"),
    ("relieff", "continuous", 5000, 100, "numbers of 15 bits"),
    ("multisurf", "continuous", 2000, 1000, "numbers of 27 bits"),
    ("relieff", "genotypes", 1600, 10000, "genotypes, mismatch"),
]
# Cases measured complete and with missing values.
GAPPY = [
    ("relieff", "continuous", 1000, 1000),
    ("relieff", "continuous", 2000, 1000),
    ("relieff", "continuous", 5000, 100),
    ("multisurf", "continuous", 1000, 1000),
    ("surf", "continuous", 2000, 1000),
    ("relieff", "genotypes", 1600, 10000),
    ("multisurf", "genotypes", 1600, 10000),
]


def exponent(sizes, times):
    """Slope of the least-squares line through the logarithms."""
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in times]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return across / sum((a - x_mean) ** 2 for a in x)


def repeated(repeat, *case):
    return [measure("basrelief", *case) for _ in range(repeat)]


def growth(repeat):
    """CPU time along rows and along features."""
    lines = [
        "## Growth",
        "",
        "CPU seconds of a fit on one thread, and the exponent, which is the slope of the line "
        "through their logarithms: doubling the rows or the features multiplies the time by two "
        "to that power. The number of pairs grows with the square of the number of rows.",
        "",
        "| method | data | grows | CPU s | exponent |",
        "| --- | --- | --- | --- | --- |",
    ]
    for method, kind, sizes in CURVES:
        times = [median_of(repeated(repeat, method, kind, *size), "cpu") for size in sizes]
        by_rows = sizes[0][0] != sizes[1][0]
        grown = [rows if by_rows else columns for rows, columns in sizes]
        fixed = f"{sizes[0][1]} features" if by_rows else f"{sizes[0][0]} rows"
        along = f"{'rows' if by_rows else 'features'}, {fixed}"
        shown = ", ".join(f"{size}: {time:.3g}" for size, time in zip(grown, times, strict=True))
        lines.append(f"| {method} | {kind} | {along} | {shown} | {exponent(grown, times):.2f} |")
    return lines


def missing(repeat):
    """CPU time of data with missing values beside the same data complete."""
    lines = [
        "## Missing values",
        "",
        "CPU seconds of a fit on one thread, for complete data and with 5 % of the values missing "
        "(policy `expected`), measured in alternation.",
        "",
        "| method | data | rows x features | complete | 5 % missing | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind, rows, columns in GAPPY:
        kinds = (kind, f"{kind}-gaps")
        results = [
            [measure("basrelief", method, kind, rows, columns) for kind in kinds]
            for _ in range(repeat)
        ]
        complete, gappy = (median_of(fits, "cpu") for fits in zip(*results, strict=True))
        lines.append(
            f"| {method} | {kind} | {rows} x {columns} | {complete:.3g} | {gappy:.3g} "
            f"| {gappy / complete:.2f} |"
        )
    return lines


def threads(repeat):
    """Wall time on one and on all threads."""
    count = os.cpu_count() or 1
    lines = [
        "## Threads",
        "",
        f"Wall seconds on one thread and on all {count}; the weights are identical to the bit. "
        "Two threads that share a core, as is common in virtual machines, are not twice as fast "
        "as one.",
        "",
        f"| method | data | rows x features | 1 thread | {count} threads | speed-up |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for case in THREADED:
        alone, together = repeated(repeat, *case, 1), repeated(repeat, *case, count)
        if alone[0]["weights"] != together[0]["weights"]:
            raise SystemExit(f"{case}: the weights depend on the number of threads")
        method, kind, rows, columns = case
        one, all_of_them = median_of(alone, "wall"), median_of(together, "wall")
        lines.append(
            f"| {method} | {kind} | {rows} x {columns} | {one:.3g} | {all_of_them:.3g} "
            f"| {one / all_of_them:.2f} |"
        )
    return lines


def ceiling(repeat):
    """Compare fits with kernels that run from the first cache."""
    command = ["cargo", "run", "--profile=dist", "--locked", "--quiet", "-p", "basrelief-kernels"]
    command += ["--example", "ceiling"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    probe = json.loads(run.stdout)
    lines = [
        "## Beside the ceiling",
        "",
        f"Rates of the kernels on small blocks in the first-level cache (instruction set "
        f"{probe['level']}, clock about {probe['clock_ghz']:.2f} GHz), in pairs of values:",
        "",
        "| kernel | per ns | per cycle |",
        "| --- | --- | --- |",
    ]
    for name, rate in probe["elements_per_ns"].items():
        lines.append(f"| {name} | {rate:.1f} | {rate / probe['clock_ghz']:.1f} |")
    lines += [
        "",
        "The time for the distances of all pairs at that rate, as a share of the CPU time of the "
        "complete fit, which also reads and packs the data, selects neighbors and sums "
        "differences:",
        "",
        "| method | data | rows x features | at the ceiling, s | fit, CPU s | share |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind, rows, columns, kernel in BOUNDED:
        least = rows * (rows - 1) / 2 * columns / probe["elements_per_ns"][kernel] / 1e9
        cpu = median_of(repeated(repeat, method, kind, rows, columns), "cpu")
        lines.append(
            f"| {method} | {kind} | {rows} x {columns} | {least:.3g} | {cpu:.3g} "
            f"| {least / cpu:.0%} |"
        )
    return lines
