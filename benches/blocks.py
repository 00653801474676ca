"""An interaction of two clinical columns next to 20,000 genes, with and without blocks.

Run as ``python benches/blocks.py [--write docs/blocks.md] [--sets N]``; a few minutes. One table:
the ranks of the two interacting columns with the plain distance, and with the genes as a block.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import replace_part

ROWS, GENES, FACTORS, BINARY, NUMBERS = 400, 20_000, 50, 15, 15
# The probability that the class follows from the two columns.
FOLLOWS = 0.9
GENE_NAMES = [f"gene_{place}" for place in range(GENES)]
CLINICAL = [f"yes{place}" for place in range(BINARY)] + [f"x{place}" for place in range(NUMBERS)]
PAIR = ["yes0", "yes1"]
# Options of the selectors, by their names in the table.
DISTANCES = {
    "plain": {},
    "`--blocks`, `size`": {"blocks": "prefix:_"},
    "`--blocks`, `variance`": {"blocks": "prefix:_", "block_scale": "variance"},
    "`--blocks`, `max`": {"blocks": "prefix:_", "block_scale": "max"},
}
METHODS = {"relieff": ("ReliefF", {"n_neighbors": 10}), "multisurf": ("MultiSURF", {})}


def table(seed):
    """Make genes with common factors, clinical columns, and a class that two of them determine.

    Neither of the two has an effect alone.
    """
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(ROWS, FACTORS)) @ rng.normal(size=(FACTORS, GENES))
    genes = factors / np.sqrt(FACTORS) + rng.normal(size=(ROWS, GENES))
    yes = rng.integers(0, 2, size=(ROWS, BINARY))
    numbers = rng.normal(size=(ROWS, NUMBERS))
    follows = rng.uniform(size=ROWS) < FOLLOWS
    y = np.where(follows, yes[:, 0] ^ yes[:, 1], rng.integers(0, 2, size=ROWS))
    columns = GENE_NAMES + CLINICAL
    return pd.DataFrame(np.hstack([genes, yes, numbers]), columns=columns), y


def ranks(method, options, X, y):
    """Rank the two columns; also return the seconds of the fit."""
    import basrelief

    name, own = METHODS[method]
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = getattr(basrelief, name)(n_jobs=-1, **own, **options).fit(X, y)
    seconds = time.perf_counter() - start
    return sorted(int(made.ranking_[X.columns.get_loc(name)]) for name in PAIR), seconds


def main():
    """Measure all data sets, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="write the table to this page")
    parser.add_argument("--sets", type=int, default=10, help="number of data sets")
    arguments = parser.parse_args()
    found = {}
    for seed in range(arguments.sets):
        X, y = table(seed)
        for method in METHODS:
            for distance, options in DISTANCES.items():
                found.setdefault((method, distance), []).append(ranks(method, options, X, y))
    lines = [
        "| method | distance | data sets | both among the first 5 | median ranks | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for (method, distance), results in found.items():
        both = np.mean([pair[1] <= 5 for pair, _ in results])
        median = np.median([pair for pair, _ in results], axis=0)
        seconds = np.median([seconds for _, seconds in results])
        lines.append(
            f"| `{method}` | {distance} | {len(results)} | {both:.0%} | {median[0]:,.0f}, "
            f"{median[1]:,.0f} | {seconds:.1f} |"
        )
    lines += [
        "",
        f"{ROWS} rows, {GENES:,} genes, {BINARY + NUMBERS} clinical columns, seeds 0 to "
        f"{arguments.sets - 1}, {date.today()}, {os.cpu_count()} cores.",
    ]
    print("\n".join(lines))
    if arguments.write:
        replace_part(arguments.write, "clinical", lines)


if __name__ == "__main__":
    main()
