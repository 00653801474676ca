"""Maps that are looked at, and maps that are tested: shuffled labels, and error on eight tables.

Run as ``make honest-maps`` (a quarter of an hour of one core), or::

    python benches/honest_maps.py --data FOLDER [--write FILE] [--part shuffled|tables]

``FOLDER`` holds the tables, CSV files with the class in the last column. Everything is fitted to
training rows only. umap-learn and metric-learn need older packages beside them: this file, called
with ``peer NAME FILE`` in their environment, fits them to the folds in a file.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from measuring import replace_part

PEERS = Path(__file__).resolve().parent.parent / ".venv-peers/bin/python"
FIGURE = "figures/honest-maps.svg"

TABLES = [
    "iris",
    "wine",
    "glass",
    "thyroid",
    "balance",
    "ionosphere",
    "pima_diabetes",
    "breast_cancer_wisconsin",
]
SPLITS, REPEATS, NEIGHBORS = 5, 2, 5

# Of the shuffled labels: rows, half of them held out, features, and shuffles.
ROWS, FEATURES, SHUFFLES = 400, 20, 20


def method_names():
    """Give the classes of all methods that learn a linear map."""
    from basrelief import _maps

    return list(_maps.CLASSES)


def folds_of(X, y):
    """Give the repeated stratified folds of a table, in units of their training rows."""
    from sklearn.model_selection import RepeatedStratifiedKFold

    folds = RepeatedStratifiedKFold(n_splits=SPLITS, n_repeats=REPEATS, random_state=0)
    return [standardized(X, y, train, test) for train, test in folds.split(X, y)]


def standardized(X, y, train, test):
    """Give both parts' rows, over the training rows' deviations, and classes."""
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    rows = (X - mean) / np.where(spread > 0, spread, 1)
    return rows[train], y[train], rows[test], y[test]


def read_table(file):
    """Read complete rows and their classes."""
    with file.open(newline="") as lines:
        rows = [row for row in list(csv.reader(lines))[1:] if "" not in row]
    X = np.array([[float(value) for value in row[:-1]] for row in rows])
    return X, np.unique([row[-1] for row in rows], return_inverse=True)[1]


def accuracy(known, classes, rows, wanted):
    """Give the share of rows whose nearest known ones, after a map, mostly are of their class."""
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(NEIGHBORS).fit(known, classes).score(rows, wanted)


def left_one_out(rows, classes):
    """Give the accuracy of every row's nearest others: what a picture of training rows shows."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=NEIGHBORS).fit(rows).kneighbors(return_distance=False)
    return np.mean((classes[near].mean(axis=1) > 0.5) == classes)


def silhouette(rows, classes):
    """Give how far classes lie apart: 1 is apart, 0 is one on the other."""
    from sklearn.metrics import silhouette_score

    return silhouette_score(rows, classes)


def fit_peer(name, rows, classes):
    """Fit a map of another package, in its environment; give what maps rows."""
    if name == "umap":
        import umap

        model = umap.UMAP(n_neighbors=15, random_state=0, n_jobs=1)
        return model.fit(rows, classes).transform, model.embedding_
    from metric_learn import LMNN

    model = LMNN(random_state=0).fit(rows, classes)
    return model.transform, model.transform(rows)


def peer(name, file):
    """Map the folds in a file, and write the mapped rows beside it."""
    warnings.simplefilter("ignore")
    folds = np.load(file)
    mapped = {}
    for fold in range(len(folds.files) // 3):
        rows, classes, held = (folds[f"{what}{fold}"] for what in ("rows", "classes", "held"))
        transform, own = fit_peer(name, rows, classes)
        mapped[f"rows{fold}"], mapped[f"held{fold}"] = own, transform(held)
    np.savez(file.with_suffix(f".{name}.npz"), **mapped)


def by_peer(name, folds):
    """Map folds in the peers' environment; give the mapped training and held-out rows of each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "folds.npz"
        arrays = {}
        for place, (rows, classes, held, _) in enumerate(folds):
            arrays |= {f"rows{place}": rows, f"classes{place}": classes, f"held{place}": held}
        np.savez(file, **arrays)
        command = [str(PEERS), __file__, "peer", name, str(file)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{name} failed:\n{run.stderr}")
        mapped = np.load(file.with_suffix(f".{name}.npz"))
        return [(mapped[f"rows{place}"], mapped[f"held{place}"]) for place in range(len(folds))]


def by_method(name, folds, components=None):
    """Map folds by a method of this package, with its own options."""
    import basrelief

    def mapped(fold):
        rows, classes, held, _ = fold
        model = getattr(basrelief, name)(n_components=components, random_state=0, n_jobs=1)
        model.fit(rows, classes)
        return model.transform(rows), model.transform(held)

    return [mapped(fold) for fold in folds]


def by_sklearn(folds):
    """Map folds by scikit-learn's NCA."""
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    def mapped(fold):
        rows, classes, held, _ = fold
        model = NeighborhoodComponentsAnalysis(random_state=0).fit(rows, classes)
        return model.transform(rows), model.transform(held)

    return [mapped(fold) for fold in folds]


def nearest_errors(folds, mapped):
    """Give the held-out error of every fold."""
    return [
        1 - accuracy(known, fold[1], held, fold[3])
        for fold, (known, held) in zip(folds, mapped, strict=True)
    ]


def tree_errors(folds):
    """Give the held-out error of gradient-boosted trees in every fold."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def error(fold):
        rows, classes, held, wanted = fold
        model = HistGradientBoostingClassifier(random_state=0).fit(rows, classes)
        return 1 - model.score(held, wanted)

    return [error(fold) for fold in folds]


def half_width(errors):
    """Give half of the 95 % interval of a mean over folds whose training rows overlap.

    The corrected resampled t (Nadeau and Bengio 2003): the variance of the mean over J folds is
    1/J + n_test/n_train times that of a fold.
    """
    from scipy.stats import t

    count = len(errors)
    variance = (1 / count + 1 / (SPLITS - 1)) * np.var(errors, ddof=1)
    return t.ppf(0.975, count - 1) * np.sqrt(variance)


def table_of_errors(folder):
    """Make the table of errors, a row per map and a column per table of data."""
    makers = {"no map": lambda folds: nearest_errors(folds, [fold[::2] for fold in folds])}
    for name in method_names():
        if name != "Euclidean":
            makers[f"`{name}`"] = lambda folds, name=name: nearest_errors(
                folds, by_method(name, folds)
            )
    makers["scikit-learn's NCA"] = lambda folds: nearest_errors(folds, by_sklearn(folds))
    makers["metric-learn's LMNN"] = lambda folds: nearest_errors(folds, by_peer("lmnn", folds))
    makers["gradient-boosted trees"] = tree_errors
    heads, found = [], {name: [] for name in makers}
    for table in TABLES:
        X, y = read_table(folder / f"{table}.csv")
        heads.append(f"{table.replace('_', ' ')}, {len(X)} x {X.shape[1]}")
        folds = folds_of(X, y)
        for name, errors_of in makers.items():
            start = time.process_time()
            found[name].append(errors_of(folds))
            spent = time.process_time() - start
            print(f"{table} {name}: {np.mean(found[name][-1]):.3f}, {spent:.0f} s", file=sys.stderr)
    lines = [
        f"| k-NN after | {' | '.join(heads)} | mean |",
        f"|---|{'---|' * (len(heads) + 1)}",
    ]
    for name, columns in found.items():
        cells = [f"{100 * np.mean(own):.1f} ± {100 * half_width(own):.1f}" for own in columns]
        mean = f"{100 * np.mean([np.mean(own) for own in columns]):.1f}"
        lines.append(f"| {name} | {' | '.join(cells)} | {mean} |")
    return lines


def shuffles():
    """Give rows without any structure, and balanced classes that have nothing to do with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    half = ROWS // 2
    for _ in range(SHUFFLES):
        y = np.concatenate([rng.permutation(np.arange(half) % 2) for _ in range(2)])
        yield standardized(X, y, np.arange(half), np.arange(half, ROWS))


def table_of_chance():
    """Make the table of shuffled labels, and the figure of one shuffle."""
    folds = list(shuffles())
    makers = {"none": lambda: [fold[::2] for fold in folds]}
    for name in method_names():
        if name != "Euclidean":
            makers[f"`{name}`"] = lambda name=name: by_method(name, folds, 2)
    makers["supervised UMAP"] = lambda: by_peer("umap", folds)
    lines = [
        "| map | silhouette of training rows | k-NN accuracy within them | held-out accuracy | "
        "standard errors from 0.5 |",
        "|---|---|---|---|---|",
    ]
    pictures = {}
    for name, make in makers.items():
        mapped = make()
        apart = np.mean([silhouette(m[0], f[1]) for f, m in zip(folds, mapped, strict=True)])
        shown = np.mean([left_one_out(m[0], f[1]) for f, m in zip(folds, mapped, strict=True)])
        held = [accuracy(m[0], f[1], m[1], f[3]) for f, m in zip(folds, mapped, strict=True)]
        # Of all held-out rows together, as classes are drawn anew for each shuffle.
        error = np.sqrt(0.25 / (SHUFFLES * ROWS / 2))
        away = (np.mean(held) - 0.5) / error
        lines.append(f"| {name} | {apart:.2f} | {shown:.2f} | {np.mean(held):.3f} | {away:+.1f} |")
        print(lines[-1], file=sys.stderr)
        if name in ("`NCA`", "supervised UMAP"):
            pictures[name.strip("`")] = mapped[0]
    return lines, figure(pictures, folds[0])


def figure(pictures, fold):
    """Draw the training and the held-out rows of maps, colored by their shuffled labels."""
    size, gap, top = 250, 24, 46
    width, height = 4 * size + 5 * gap, top + size + gap
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    place = 0
    for name, (known, held) in pictures.items():
        for what, rows, classes in [
            ("training rows", known, fold[1]),
            ("held-out rows", held, fold[3]),
        ]:
            left = gap + place * (size + gap)
            least, greatest = known.min(axis=0), known.max(axis=0)
            spots = np.clip((rows - least) / (greatest - least), 0, 1) * (size - 12) + 6
            parts.append(f'<text x="{left}" y="{top - 14}">{name}: {what}</text>')
            parts.append(
                f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" '
                'stroke="#999"/>'
            )
            for (x, y), label in zip(spots, classes, strict=True):
                color = ("#0072b2", "#d55e00")[label]
                parts.append(
                    f'<circle cx="{left + x:.1f}" cy="{top + size - y:.1f}" r="3" fill="{color}" '
                    'fill-opacity="0.7"/>'
                )
            place += 1
    return "\n".join([*parts, "</svg>", ""])


def main():
    """Run the parts, and write their tables into the page or to standard output."""
    if sys.argv[1:2] == ["peer"]:
        peer(sys.argv[2], Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--write", type=Path, help="page whose tables are replaced")
    parser.add_argument("--part", choices=["shuffled", "tables"], help="one part alone")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.part != "tables":
        lines, picture = table_of_chance()
        if arguments.write:
            replace_part(arguments.write, "shuffled", lines)
            (arguments.write.parent / FIGURE).write_text(picture)
        else:
            print("\n".join(lines))
    if arguments.part != "shuffled":
        lines = table_of_errors(arguments.data)
        if arguments.write:
            replace_part(arguments.write, "tables", lines)
        else:
            print("\n".join(lines))


if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    main()
