"""basrelief beside skrebate, WEKA and fast-select."""

from __future__ import annotations

import math
import statistics

from measuring import NEIGHBORS, measure, weka_archive

# Method, kind of data, rows, columns, and the peers: skrebate only where it ends within a minute.
CASES = [
    ("relieff", "continuous", 500, 100, ("skrebate", "weka", "fast-select")),
    ("relieff", "continuous", 1000, 1000, ("skrebate", "weka", "fast-select")),
    ("relieff", "continuous", 5000, 100, ("fast-select",)),
    ("relieff", "continuous", 2000, 1000, ("fast-select",)),
    ("relieff", "continuous", 1000, 10000, ("fast-select",)),
    ("multisurf", "continuous", 1000, 1000, ("fast-select",)),
    ("multisurf", "continuous", 2000, 1000, ("fast-select",)),
    ("surf", "continuous", 2000, 1000, ("fast-select",)),
    ("relieff", "genotypes", 1600, 10000, ("fast-select",)),
    ("multisurf", "genotypes", 1600, 10000, ("fast-select",)),
]
# Peers that need longer than this are measured once.
LONG_S = 10


def show(values, digits=3):
    middle = statistics.median(values)
    if math.isnan(middle):
        return "-"
    if len(values) == 1:
        return f"{middle:.{digits}g}"
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
        peers = [peer for peer in peers if peer != "weka" or weka_archive()]
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
                show([median[peer][name] / max(ours[name], 1e-9)]) for name in ("cpu", "peak")
            )
            ratios.append(f"{case} {peer} | {factors} | {difference:.1e} |")
    return table, ratios


def section(cases, repeat):
    """Compare in Markdown."""
    table, ratios = compare(cases, repeat)
    return [
        "## Beside skrebate, WEKA and fast-select",
        "",
        "Every fit uses all rows and one thread, for two classes without missing values; k = "
        f"{NEIGHBORS} for ReliefF. Every measurement runs in a separate process. Numbers are the "
        f"median of {repeat} (smallest to largest), with the packages in alternation; fits that "
        f"take more than {LONG_S} s are measured once. Imports and compilation are not timed (WEKA "
        "is timed at its second fit). Peak memory is the memory of the process beyond what it "
        "used before the fit, which includes the input. If the machine also does other work, "
        "compare the CPU times.",
        "",
        *table,
        "",
        "The peer's median divided by basrelief's, and the largest difference of a weight. "
        "fast-select computes in single precision. On genotypes, the peers use the first of "
        "tied rows and basrelief uses their mean, so the weights of ReliefF differ there.",
        "",
        *ratios,
    ]
