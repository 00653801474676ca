"""How often the true features are found, against the rows: permutation tests and others.

The data are those of ``basrelief synth``; what is true is in the file that it writes beside them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from itertools import repeat
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

FIGURE = "figures/power.svg"
LEVEL = 0.05
PERMUTATIONS = 999
# Kind of data and rows.
CURVES = {
    "xor": [100, 200, 400, 800],
    "mixed": [25, 50, 100, 200],
    "non-monotonic": [20, 40, 80, 160],
}
METHODS = ["relieff", "multisurf", "univariate", "Boruta"]
# Boruta takes seconds.
BORUTA_RUNS = 10
COLORS = {
    "relieff": "#1b6ca8",
    "multisurf": "#2a9d5c",
    "univariate": "#8a8a8a",
    "Boruta": "#c8553d",
}


def synthetic(program, kind, rows, seed):
    """Features as a data frame, the target, and the features of which all are to be found."""
    with tempfile.TemporaryDirectory() as folder:
        data, truth = Path(folder) / "data.csv", Path(folder) / "truth.json"
        command = [program, "synth", kind, "--quiet", f"--rows={rows}"]
        command += [f"--seed={seed}", f"--output={data}", f"--truth={truth}"]
        subprocess.run(command, check=True)
        known, table = json.loads(truth.read_text()), pd.read_csv(data)
    wanted = known["interacting"][0] if known["interacting"] else known["relevant"]
    return table.drop(columns=known["target"]), table[known["target"]], wanted


def is_category(kind, column):
    """Genotypes and texts are categories to a test of one feature."""
    return kind == "xor" or not pd.api.types.is_numeric_dtype(column)


def univariate(kind, X, y):
    """Q-values of tests of every feature by itself.

    Chi-squared of categories; of numbers an analysis of variance, which is the t-test where there
    are two classes.
    """
    p_values = np.ones(X.shape[1])
    for place, (_, column) in enumerate(X.items()):
        known = column.notna()
        values, labels = column[known], y[known]
        if values.nunique() < 2:
            continue
        if is_category(kind, column):
            p_values[place] = stats.chi2_contingency(pd.crosstab(values, labels)).pvalue
        else:
            groups = [group.to_numpy() for _, group in values.groupby(labels) if len(group) > 1]
            p_values[place] = stats.f_oneway(*groups).pvalue
    return stats.false_discovery_control(p_values)


def boruta(X, y, seed):
    """Select what Boruta confirms; medians and modes where values are missing."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    filled = pd.DataFrame(index=X.index)
    for name, column in X.items():
        if pd.api.types.is_numeric_dtype(column):
            filled[name] = column.fillna(column.median())
        else:
            filled[name] = pd.factorize(column.fillna(column.mode()[0]), sort=True)[0]
    forest = RandomForestClassifier(n_jobs=1, max_depth=5)
    fitted = BorutaPy(forest, n_estimators="auto", random_state=seed)
    return fitted.fit(filled.to_numpy(dtype=float), pd.factorize(y)[0]).support_


def selected(method, kind, X, y, seed):
    """Whether each feature is found at a false discovery rate of the level."""
    from basrelief import MultiSURF, ReliefF, permutation_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "univariate":
            return univariate(kind, X, y) <= LEVEL
        if method == "Boruta":
            return boruta(X, y, seed)
        chosen = (ReliefF if method == "relieff" else MultiSURF)(n_jobs=1)
        test = permutation_test(
            chosen,
            X,
            y,
            n_permutations=PERMUTATIONS,
            alpha=LEVEL,
            correction="fdr",
            random_state=seed,
        )
        return test.qvalues_ <= LEVEL


def run(case, seed):
    """Share that every method finds: of a pair both or none, of more features a share."""
    program, kind, rows = case
    X, y, wanted = synthetic(program, kind, rows, seed)
    places = [X.columns.get_loc(name) for name in wanted]
    shares = {}
    for method in METHODS:
        if method != "Boruta" or seed <= BORUTA_RUNS:
            found = selected(method, kind, X, y, seed)[places]
            shares[method] = float(found.mean() if len(wanted) > 2 else found.all())
    return shares


def table(pool, program, runs):
    """Make a table of shares by rows, and a figure of it."""
    lines = [
        f"| data | rows | {' | '.join(METHODS)} |",
        f"| --- | --- |{' --- |' * len(METHODS)}",
    ]
    curves = {kind: {method: [] for method in METHODS} for kind in CURVES}
    for kind, sizes in CURVES.items():
        for rows in sizes:
            found = list(pool.map(run, repeat((program, kind, rows)), range(1, 1 + runs)))
            for method in METHODS:
                shares = [share[method] for share in found if method in share]
                curves[kind][method].append(sum(shares) / len(shares))
            cells = " | ".join(f"{curves[kind][method][-1]:.2f}" for method in METHODS)
            lines.append(f"| {kind} | {rows} | {cells} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines, figure(curves)


def figure(curves):
    """Panels of the kinds of data beside each other, as SVG."""
    width, height, left, top, gap = 240, 180, 48, 34, 36
    total = left + len(curves) * (width + gap)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{top + height + 84}" '
        'font-family="DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for panel, (kind, methods) in enumerate(curves.items()):
        sizes = CURVES[kind]
        start = left + panel * (width + gap)
        places = [start + width * step / (len(sizes) - 1) for step in range(len(sizes))]
        parts.append(
            f'<text x="{start + width / 2}" y="20" text-anchor="middle" '
            f'font-size="14">{kind}</text>'
        )
        for step in range(5):
            y = top + height * (1 - step / 4)
            parts.append(
                f'<line x1="{start}" x2="{start + width}" y1="{y}" y2="{y}" stroke="#dddddd"/>'
            )
            if panel == 0:
                parts.append(
                    f'<text x="{start - 8}" y="{y + 4}" text-anchor="end">{step / 4:g}</text>'
                )
        for x, rows in zip(places, sizes, strict=True):
            parts.append(
                f'<text x="{x}" y="{top + height + 18}" text-anchor="middle">{rows}</text>'
            )
        for method, shares in methods.items():
            points = [
                f"{x:.1f},{top + height * (1 - share):.1f}"
                for x, share in zip(places, shares, strict=True)
            ]
            parts.append(
                f'<polyline points="{" ".join(points)}" fill="none" stroke="{COLORS[method]}" '
                'stroke-width="2"/>'
            )
            for point in points:
                x, y = point.split(",")
                parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{COLORS[method]}"/>')
    middle = left + (total - left - gap) / 2
    parts.append(
        f'<text x="{middle}" y="{top + height + 40}" text-anchor="middle">'
        "rows; above, the share of the true features found</text>"
    )
    for place, (method, color) in enumerate(COLORS.items()):
        x, y = left + place * 130, top + height + 66
        parts.append(
            f'<line x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" '
            'stroke-width="2"/>'
        )
        parts.append(f'<text x="{x + 30}" y="{y}">{method}</text>')
    return "\n".join([*parts, "</svg>", ""])
