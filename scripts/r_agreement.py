"""Write tables and their results in Python; tests of the R package compare its results with them.

    .venv/bin/python scripts/r_agreement.py FOLDER

Numbers are stored as bytes, so they are not rounded when they are read.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import basrelief
from basrelief import MDM, SURF, MultiSURF, MultiSWRFDB, Relief, ReliefF, RReliefF, TuRF

ROWS = 60

# Method in R, selector in Python, target, options in R.
CASES = [
    ("multisurf", MultiSURF(), "classes", {}),
    ("multisurf", MultiSURF(), "numbers", {}),
    ("relieff", ReliefF(n_neighbors=10), "classes", {"k": 10}),
    ("relieff", ReliefF(n_neighbors=3), "classes", {"k": 3}),
    ("rrelieff", RReliefF(n_neighbors=7), "numbers", {"k": 7}),
    ("relief", Relief(), "two classes", {}),
    ("surf", SURF(), "classes", {}),
    ("multiswrfdb", MultiSWRFDB(), "classes", {}),
    ("mdm", MDM(), "classes", {}),
    ("multisurf", TuRF(MultiSURF(), keep=3), "classes", {"wrap": "turf:keep=3"}),
]


def table(seed, is_mixed):
    """Draw a numeric table; if `is_mixed`, add missing values and other kinds of columns."""
    random = np.random.default_rng(seed)
    columns = {f"n{place}": random.normal(size=ROWS) for place in range(6)}
    if is_mixed:
        columns["n0"][random.integers(0, ROWS, 5)] = np.nan
        columns["snp"] = random.integers(0, 3, ROWS).astype(float)
        levels = random.integers(0, 4, ROWS)
        columns["color"] = pd.Categorical.from_codes(levels, [f"c{place}" for place in range(4)])
        sizes = random.integers(0, 3, ROWS)
        columns["size"] = pd.Categorical.from_codes(sizes, ["s", "m", "l"], ordered=True)
    frame = pd.DataFrame(columns)
    shift = frame["n1"] * frame["n2"]
    numbers = (shift + random.normal(scale=0.3, size=ROWS)).to_numpy()
    classes = np.where(shift > 0, "high", np.where(frame["n3"] > 0, "mid", "low"))
    two = np.where(shift > 0, "high", "low")
    return frame, {"numbers": numbers, "classes": classes, "two classes": two}


def main(folder):
    """Write the tables and their results to a folder."""
    # The warning about ordered categories, which are intentionally ordinal.
    warnings.simplefilter("ignore", basrelief.ReliefWarning)
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for number in range(20):
        method, selector, kind, options = CASES[number % len(CASES)]
        is_mixed = number >= len(CASES) and method != "mdm"
        frame, targets = table(number, is_mixed)
        columns = []
        for name in frame:
            column = frame[name]
            file = f"{number}-{name}.bin"
            if isinstance(column.dtype, pd.CategoricalDtype):
                values = column.cat.codes.to_numpy(dtype=float) + 1
                levels = list(column.cat.categories)
                kind_of = "ordered" if column.cat.ordered else "factor"
            else:
                values, levels, kind_of = column.to_numpy(dtype=float), [], "numbers"
            values.tofile(folder / file)
            columns.append({"name": name, "file": file, "kind": kind_of, "levels": levels})
        y = targets[kind]
        if kind == "numbers":
            y.tofile(folder / f"{number}-y.bin")
        if method in ("multisurf", "relieff") and "wrap" not in options:
            selector.set_params(
                random_state=number, n_features_to_select="max-t", n_permutations=50
            )
        fitted = selector.fit(frame, y)
        fitted.weights_.astype(float).tofile(folder / f"{number}-weights.bin")
        tested = hasattr(fitted, "pvalues_")
        if tested:
            fitted.pvalues_.tofile(folder / f"{number}-p.bin")
        cases.append(
            {
                "number": number,
                "method": method,
                "options": options,
                "columns": columns,
                "classes": [] if kind == "numbers" else list(y),
                "tested": tested,
            }
        )
    found = {"version": basrelief.__version__, "cases": cases}
    (folder / "cases.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
