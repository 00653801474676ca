"""One ranking for several targets, compared with the mean of rankings for each of them.

Run as ``make bench-targets`` (minutes on two cores), or::

    python benches/targets.py [--write FILE] [--sets N]

The tables are written between the marks of the page.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from measuring import replace_part
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import hamming_loss, r2_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

ROWS = 600
BEST = 10
NEIGHBORS = 10
DISTANCES = ["mean", "jaccard", "f1", "cosine"]


def labels(seed, length):
    """Twenty features that the labels depend on, and eighty permuted copies; five labels."""
    X, y = make_multilabel_classification(
        n_samples=ROWS, n_features=20, n_classes=5, n_labels=2, length=length, random_state=seed
    )
    rng = np.random.default_rng(seed)
    copies = [rng.permuted(X, axis=0) for _ in range(4)]
    return np.hstack([X, *copies]), y


def numbers(seed, noise):
    """Six targets that share four of a hundred features, and have two of their own each."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(ROWS, 100))
    own = np.arange(4, 16).reshape(6, 2)
    common = X[:, 0] + X[:, 1] + 4 * (X[:, 2] - 0.5) * (X[:, 3] - 0.5)
    y = np.column_stack([common + 0.5 * X[:, pair].sum(axis=1) for pair in own])
    return X, y + noise * y.std(axis=0) * rng.normal(size=y.shape)


def together(distance):
    """Rank for all targets at once."""

    def rank(X, y):
        import basrelief

        return basrelief.RReliefF(target_distance=distance, n_jobs=2).fit(X, y).weights_

    return rank


def apart(name):
    """Average the weights for every target."""

    def rank(X, y):
        import basrelief

        method = getattr(basrelief, name)(n_jobs=2)
        return np.mean([method.fit(X, target).weights_ for target in y.T], axis=0)

    return rank


def all_at_once_multisurf(X, y):
    """Rank for all targets at once, with the neighbors of MultiSURF."""
    import basrelief

    return basrelief.MultiSURF(n_jobs=2).fit(X, y).weights_


def everything(X, y):
    """Select no feature."""
    return None


WAYS = {
    "labels": {
        **{f"`rrelieff`, `{distance}`": together(distance) for distance in DISTANCES},
        "`multisurf`, several labels": all_at_once_multisurf,
        "mean of `rrelieff`": apart("RReliefF"),
        "mean of `relieff`": apart("ReliefF"),
        "mean of `multisurf`": apart("MultiSURF"),
        "all features": everything,
    },
    "numbers": {
        "`rrelieff`, `mean`": together("mean"),
        "`multisurf`, several targets": all_at_once_multisurf,
        "mean of `rrelieff`": apart("RReliefF"),
        "mean of `multisurf`": apart("MultiSURF"),
        "all features": everything,
    },
}
PAIRS = {
    "labels": [
        ("`rrelieff`, `mean`", "mean of `rrelieff`"),
        ("`rrelieff`, `jaccard`", "mean of `relieff`"),
        ("`multisurf`, several labels", "mean of `multisurf`"),
    ],
    "numbers": [
        ("`rrelieff`, `mean`", "mean of `rrelieff`"),
        ("`multisurf`, several targets", "mean of `multisurf`"),
    ],
}
MAKE = {
    "labels": [("strong (length 50)", labels, 50), ("weak (length 15)", labels, 15)],
    "numbers": [("strong", numbers, 0.3), ("weak", numbers, 1.0)],
}


def loss(kind, way, X, y):
    """Give the Hamming loss or R2 on the second half of the rows, and the seconds taken."""
    half = len(X) // 2
    start = time.perf_counter()
    weights = way(X[:half], y[:half])
    seconds = time.perf_counter() - start
    best = np.arange(X.shape[1]) if weights is None else np.argsort(-weights, kind="stable")[:BEST]
    model = KNeighborsClassifier if kind == "labels" else KNeighborsRegressor
    found = model(NEIGHBORS).fit(X[:half][:, best], y[:half]).predict(X[half:][:, best])
    if kind == "labels":
        return hamming_loss(y[half:], found), seconds
    return r2_score(y[half:], found), seconds


def table(kind, sets):
    """Measure all ways; return the lines of the table, and the means by way."""
    settings = MAKE[kind]
    means, times = {}, {}
    for words, way in WAYS[kind].items():
        found = [
            [loss(kind, way, *make(seed, strength)) for seed in range(sets)]
            for _, make, strength in settings
        ]
        means[words] = np.array([[one for one, _ in row] for row in found])
        times[words] = np.mean([[seconds for _, seconds in row] for row in found])
    head = ["ranking", *(name for name, *_ in settings), "seconds"]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for words, values in means.items():
        cells = [f"{row.mean():.3f} ± {row.std(ddof=1) / sets**0.5:.3f}" for row in values]
        lines.append("| " + " | ".join([words, *cells, f"{times[words]:.2f}"]) + " |")
    return lines, means


def summary(kind, means, sign):
    """State how often a ranking for all targets is better than the mean of rankings for each."""
    found = []
    for own, other in PAIRS[kind]:
        better = sign * (means[own] - means[other]).ravel()
        wins, losses = int((better > 0).sum()), int((better < 0).sum())
        found.append(f"{own} against {other}: better in {wins}, worse in {losses} of {better.size}")
    return f"{kind}: " + "; ".join(found)


def main():
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="page whose tables are replaced")
    parser.add_argument("--sets", type=int, default=5)
    arguments = parser.parse_args()
    sentences = []
    for kind, sign in (("labels", -1), ("numbers", 1)):
        lines, means = table(kind, arguments.sets)
        sentences.append(summary(kind, means, sign))
        if arguments.write:
            replace_part(arguments.write, kind, lines)
        else:
            print("\n".join(lines), end="\n\n")
    text = "Data sets of " + ". Of ".join(sentences) + "."
    if arguments.write:
        replace_part(arguments.write, "summary", [text])
    else:
        print(text)


if __name__ == "__main__":
    main()
