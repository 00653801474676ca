"""Data sets in which nothing is to be found, and some in which it is known what is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

ROWS = 100
FEATURES = 30
# Features of a block have this correlation; the second half of the features has none.
BLOCK = 5
CORRELATION = 0.7


@dataclass
class DataSet:
    """Features, a target, and what is known of them."""

    X: np.ndarray
    y: np.ndarray
    kinds: list[str]
    batches: np.ndarray | None = None
    relevant: list[int] = field(default_factory=list)

    @property
    def is_classes(self):
        """Whether the target is of classes."""
        return self.y.dtype.kind == "i"


def correlated(rng, rows, features):
    """Draw standard normal features, the first half of them in correlated blocks."""
    X = rng.normal(size=(rows, features))
    shared = rng.normal(size=(rows, features // BLOCK))
    for block in range(features // (2 * BLOCK)):
        columns = slice(block * BLOCK, (block + 1) * BLOCK)
        X[:, columns] *= np.sqrt(1 - CORRELATION)
        X[:, columns] += np.sqrt(CORRELATION) * shared[:, [block]]
    return X


def copies(rng, X):
    """Genotypes: copies of an allele of a share from 0.1 to 0.5, correlated as the features are."""
    share = rng.uniform(0.1, 0.5, size=X.shape[1])
    ranks = np.argsort(np.argsort(X, axis=0), axis=0) / len(X)
    two, none = share**2, (1 - share) ** 2
    return (ranks >= none).astype(float) + (ranks >= 1 - two)


def classes(rng, shares, rows=ROWS):
    """Draw classes of these shares, in random order."""
    counts = np.rint(np.cumsum(shares) * rows).astype(int)
    return rng.permutation(np.searchsorted(counts, np.arange(rows), side="right"))


def numbers(rng):
    X = correlated(rng, ROWS, FEATURES)
    return DataSet(X, classes(rng, [0.5, 0.5]), ["numeric"] * FEATURES)


def genotypes(rng):
    X = copies(rng, correlated(rng, ROWS, FEATURES))
    return DataSet(X, classes(rng, [0.7, 0.3]), ["genotype"] * FEATURES)


def mixed(rng):
    """Numbers and categories in turn, some values missing; three classes."""
    X = correlated(rng, ROWS, FEATURES)
    kinds = ["numeric" if column % 2 == 0 else "categorical" for column in range(FEATURES)]
    for column in range(1, FEATURES, 2):
        X[:, column] = np.digitize(X[:, column], [-0.8, 0, 0.8][: 1 + column % 3])
    X[rng.random(X.shape) < 0.05] = np.nan
    return DataSet(X, classes(rng, [0.4, 0.4, 0.2]), kinds)


def real_target(rng):
    """Draw a skewed number as the target."""
    X = correlated(rng, ROWS, FEATURES)
    return DataSet(X, rng.exponential(size=ROWS), ["numeric"] * FEATURES)


def confounded(rng):
    """Four batches that shift the features and have other shares of the classes."""
    X = correlated(rng, ROWS, FEATURES)
    batches = np.repeat(np.arange(4), ROWS // 4)
    X += rng.normal(scale=0.7, size=(4, FEATURES))[batches]
    y = np.concatenate(
        [classes(rng, [1 - share, share], ROWS // 4) for share in (0.2, 0.4, 0.6, 0.8)]
    )
    return DataSet(X, y, ["numeric"] * FEATURES, batches)


def with_truth(rng, kind):
    """Of 40 features two that shift with the class, two that matter only together, and noise."""
    rows, features = 200, 40
    X = correlated(rng, rows, features)
    if kind == "genotypes":
        X = copies(rng, X)
    y = classes(rng, [0.5, 0.5], rows)
    relevant = [features - 4, features - 3, features - 2, features - 1]
    first, second, third, fourth = relevant
    if kind == "genotypes":
        for column in (first, second):
            X[:, column] = rng.binomial(2, np.where(y == 1, 0.55, 0.35))
        # One class carries the allele of either gene, the other of both or none, but for some rows.
        X[:, third] = rng.integers(0, 2, size=rows) * rng.integers(1, 3, size=rows)
        either = np.where(rng.random(rows) < 0.1, 1 - y, y)
        carries = (X[:, third] > 0) != (either == 1)
        X[:, fourth] = carries * rng.integers(1, 3, size=rows)
    else:
        for column in (first, second):
            X[:, column] += 0.6 * y
        sign = np.where(rng.random(rows) < 0.1, -1, 1) * (2 * y - 1)
        X[:, fourth] = np.abs(X[:, fourth]) * np.sign(X[:, third]) * sign
    return DataSet(X, y, [kind] * features, relevant=relevant)


NULLS = {
    "numbers": numbers,
    "genotypes": genotypes,
    "mixed": mixed,
    "real target": real_target,
    "confounded": confounded,
}


def make(name, number):
    """Make the data set of a name and a number, always the same."""
    if name.startswith("true "):
        kind = name.removeprefix("true ")
        return with_truth(np.random.default_rng([number, len(NULLS), len(kind)]), kind)
    seed = [number, list(NULLS).index(name)]
    return NULLS[name](np.random.default_rng(seed))
