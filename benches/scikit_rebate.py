"""`basrelief.skrebate` compared with scikit-rebate: times and scores of every method.

Run as ``make bench-skrebate`` (most of an hour, nearly all of it for scikit-rebate), or::

    python benches/scikit_rebate.py [--write FILE]

The results are stored in ``target/skrebate``, one file per fit, so that a stopped run resumes, and
so that a change of this package does not measure scikit-rebate again. Remove the folder to do so.
"""

from __future__ import annotations

import argparse
import json
import statistics
from importlib.metadata import version
from pathlib import Path

import numpy as np
from measuring import ROOT, measure, processor, replace_part

FOLDER = ROOT / "target" / "skrebate"
ROWS, COLUMNS = 1600, 10_000
# scikit-rebate is measured at these numbers of features, and at COLUMNS with these methods only.
FEWER = (100, 800)
COMPLETE = ("ReliefF",)
REPEATS = 3
# docs/benchmarks.md has SURF and MultiSURF.
METHODS = (
    "ReliefF",
    "MuRelief",
    "SWRF",
    "SWRFstar",
    "MultiSWRF",
    "MultiSWRFstar",
    "MultiSWRFDB",
    "MultiSWRFDBstar",
)


def fitted(package, method, columns):
    """Fit once, or read the result of the same fit."""
    file = FOLDER / f"{package}-{version('skrebate')}-{method}-{columns}.json"
    if not file.exists():
        result = measure(package, method, "continuous", ROWS, columns)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(result))
    return json.loads(file.read_text())


def seconds_of_peer(method):
    """Give the CPU seconds of scikit-rebate at all features.

    The first is that of the line through the times at fewer features, and the second is measured,
    or None.
    """
    few, more = FEWER
    times = [fitted("skrebate", method, columns)["cpu"] for columns in FEWER]
    slope = (times[1] - times[0]) / (more - few)
    on_line = times[1] + slope * (COLUMNS - more)
    return on_line, fitted("skrebate", method, COLUMNS)["cpu"] if method in COMPLETE else None


def difference(method, columns):
    """Give the largest difference of the scores of both packages."""
    own = measure("basrelief.skrebate", method, "continuous", ROWS, columns)["weights"]
    return np.abs(np.subtract(own, fitted("skrebate", method, columns)["weights"])).max()


def table():
    """Measure all methods; return the lines of the table."""
    lines = [
        "| method | scikit-rebate, CPU s | `basrelief.skrebate`, CPU s | ratio "
        "| largest difference of a score |",
        "|---|---:|---:|---:|---:|",
    ]
    for method in METHODS:
        on_line, measured = seconds_of_peer(method)
        own = [
            measure("basrelief.skrebate", method, "continuous", ROWS, COLUMNS)["cpu"]
            for _ in range(REPEATS)
        ]
        own = statistics.median(own)
        theirs = f"{on_line:.0f}" + (f" (measured: {measured:.0f})" if measured else "")
        ratio = (measured or on_line) / own
        compared = [FEWER[-1]] if measured is None else [FEWER[-1], COLUMNS]
        most = max(difference(method, columns) for columns in compared)
        lines.append(f"| `{method}` | {theirs} | {own:.2f} | {ratio:.0f} | {most:.1e} |")
        print(lines[-1], flush=True)
    return lines


def main():
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="page whose table is replaced")
    parser.add_argument("--peer-only", action="store_true", help="measure scikit-rebate only")
    arguments = parser.parse_args()
    if arguments.peer_only:
        fits = [(method, columns) for columns in FEWER for method in METHODS]
        for method, columns in [*fits, *((method, COLUMNS) for method in COMPLETE)]:
            print(method, columns, fitted("skrebate", method, columns)["cpu"], flush=True)
        return
    lines = table()
    if arguments.write:
        from basrelief import __version__, _native

        machine = [
            *processor(),
            f"- Packages: basrelief {__version__}, skrebate {version('skrebate')}, "
            f"numpy {version('numpy')}",
            f"- Profile of basrelief: `{_native.__profile__}`",
        ]
        replace_part(arguments.write, "times", [*machine, "", *lines])


if __name__ == "__main__":
    main()
