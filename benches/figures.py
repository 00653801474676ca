"""Figures of the pages in docs/explanation.

``python benches/figures.py --output docs/figures`` writes all of them as SVG, with the same bytes
each time. Every neighbor, weight and p-value in a figure is computed by basrelief, and every
function asserts what the pages claim about its figure. ``--only NAME`` writes one figure, and
``--format png`` writes pictures to look at.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

from basrelief import (
    LFE,
    GIRelief,
    Kernelized,
    KNeighborsClassifier,
    MultiSURF,
    MyopicReliefF,
    Relief,
    ReliefF,
    ReliefWarning,
    permutation_test,
)

# The colors of Okabe and Ito, which people with color vision deficiency can distinguish. The
# classes also differ in their markers, and gains and losses in their direction.
CLASS_COLORS = ["#0072B2", "#E69F00", "#CC79A7", "#56B4E9", "#000000"]
CLASS_MARKERS = ["o", "s", "^", "D", "v"]
GAIN, LOSS, NOISE, INK = "#009E73", "#D55E00", "#8C8C8C", "#222222"
STYLE = {
    "svg.hashsalt": "basrelief",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
}
# Limit of the size of a file, in bytes.
LARGEST_FILE = 150_000


def scaled(X):
    """Return the columns divided by their ranges, from 0 to 1."""
    lowest = X.min(axis=0)
    return (X - lowest) / (X.max(axis=0) - lowest)


def nearest(X, y, row, k):
    """Find the k nearest hits and the k nearest misses of a row, by Manhattan distance."""
    found, values = [], scaled(X)
    for rows in (np.flatnonzero(y == y[row]), np.flatnonzero(y != y[row])):
        rows = rows[rows != row]
        search = KNeighborsClassifier(k, metric="manhattan").fit(values[rows], y[rows])
        found.append(rows[search.kneighbors(values[[row]], return_distance=False)[0]])
    return found


def contributions(X, y, k):
    """Compute the mean differences of every row to its k misses and to its k hits."""
    values = scaled(X)
    gains, losses = np.zeros_like(values), np.zeros_like(values)
    for row in range(len(y)):
        hits, misses = nearest(X, y, row, k)
        gains[row] = np.abs(values[misses] - values[row]).mean(axis=0)
        losses[row] = np.abs(values[hits] - values[row]).mean(axis=0)
    return gains, losses


def shifted(rows, noise, seed, shift=1.0):
    """Make two classes whose first feature is shifted, and noise features."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, 1 + noise))
    X[:, 0] += shift * y
    return X, y


def crossed(rows, noise, seed):
    """Make two features that determine the class only together, and noise features."""
    X = np.random.default_rng(seed).uniform(-1, 1, size=(rows, 2 + noise))
    return X, (X[:, 0] * X[:, 1] < 0).astype(int)


def synth(kind, *options):
    """Generate a data set by the command line; the last column is the class."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        command = [sys.executable, "-m", "basrelief", "synth", kind, *options, "--quiet"]
        subprocess.run([*command, "--output", str(path)], check=True)
        with path.open() as file:
            names, *cells = csv.reader(file)
    values = np.array(cells, dtype=float)
    return values[:, :-1], values[:, -1].astype(int), names[:-1]


def weights(X, y, k, **options):
    """Compute the weights of ReliefF."""
    return ReliefF(k, **options).fit(X, y).weights_


def signed(value, digits):
    """Format a number with its sign."""
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def repeated(compute, seeds):
    """Compute several numbers for several data sets; return their means and standard deviations."""
    numbers = np.array([compute(seed) for seed in range(seeds)])
    return numbers.mean(axis=0), numbers.std(axis=0, ddof=1)


def draw_classes(ax, X, y, size=26, faint=False, names=None):
    """Draw the rows in two dimensions, a color and a marker for every class."""
    for label in np.unique(y):
        ax.plot(
            *X[y == label].T,
            linestyle="none",
            color=CLASS_COLORS[label],
            marker=CLASS_MARKERS[label],
            markersize=np.sqrt(size),
            markeredgewidth=0,
            alpha=0.4 if faint else 0.85,
            label=names[label] if names else None,
        )


def draw_range(ax, x, centers, spreads, color, label, marker):
    """Draw means with bars of one standard deviation."""
    ax.errorbar(
        x,
        centers,
        spreads,
        color=color,
        marker=marker,
        label=label,
        capsize=2,
        markersize=5,
        linewidth=1.4,
        elinewidth=0.9,
    )


def relief_one_row():
    """Draw one row, its nearest hit and miss, and what both features gain and lose."""
    X, y = shifted(40, 1, seed=24, shift=2.5)
    gains, losses = contributions(X, y, 1)
    # A row inside the figure that shows both parts clearly.
    inner = np.all((scaled(X) > 0.2) & (scaled(X) < 0.8), axis=1)
    clear = np.minimum(gains[:, 0] - gains[:, 1], losses[:, 1] - losses[:, 0])
    row = int(np.argmax(np.where(inner, clear, -1)))
    (hit,), (miss,) = nearest(X, y, row, 1)
    weight = Relief().fit(X, y).weights_
    assert np.allclose((gains - losses).mean(axis=0), weight, atol=1e-12)
    difference = gains[row] - losses[row]
    assert difference.round(2).tolist() == [0.33, -0.15]
    assert [*gains[row].round(2), *losses[row].round(2)] == [0.37, 0.04, 0.04, 0.18]
    assert weight[0] > 0.08
    assert weight[0] > 5 * abs(weight[1])

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.3), width_ratios=[1.15, 1])
    points = scaled(X)
    draw_classes(left, points, y, faint=True, names=["class A", "class B"])
    start = points[row]
    for other, color, name, place in (
        (hit, LOSS, "nearest hit", (0, 9)),
        (miss, GAIN, "nearest miss", (0, 9)),
    ):
        end = points[other]
        corner = (end[0], start[1])
        left.plot([start[0], corner[0]], [start[1], corner[1]], color=color, linewidth=2)
        left.plot([corner[0], end[0]], [corner[1], end[1]], color=color, linewidth=2, ls=":")
        left.annotate(
            name,
            end,
            place,
            textcoords="offset points",
            ha="center",
            color=color,
            weight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
        left.scatter(*end, s=60, color=CLASS_COLORS[y[other]], marker=CLASS_MARKERS[y[other]])
    left.scatter(*start, s=60, color=CLASS_COLORS[y[row]], marker=CLASS_MARKERS[y[row]])
    left.scatter(*start, s=190, facecolors="none", edgecolors=INK, linewidths=1.6)
    left.annotate(
        "query row", start, (0, -24), textcoords="offset points", ha="center", weight="bold"
    )
    left.plot([], [], color=INK, linewidth=2, label="difference in feature 1")
    left.plot([], [], color=INK, linewidth=2, ls=":", label="in feature 2")
    left.set(
        xlabel="feature 1, as a fraction of its range",
        ylabel="feature 2, as a fraction of its range",
        title="One row and its two neighbors",
        xlim=(-0.04, 1.04),
        ylim=(-0.04, 1.04),
        aspect="equal",
    )
    left.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=2)

    for place, feature in ((1, 0), (0, 1)):
        right.barh(place + 0.18, gains[row, feature], 0.3, color=GAIN)
        right.barh(place - 0.18, -losses[row, feature], 0.3, color=LOSS)
        right.plot(difference[feature], place, marker="D", color=INK, markersize=8)
        right.text(
            gains[row, feature] + 0.012,
            place + 0.18,
            f"{signed(gains[row, feature], 2)} to the miss",
            va="center",
            color=GAIN,
        )
        right.text(
            -losses[row, feature] - 0.012,
            place - 0.18,
            f"{signed(-losses[row, feature], 2)} to the hit",
            va="center",
            ha="right",
            color=LOSS,
        )
        right.text(
            difference[feature] + (0.02 if difference[feature] > 0 else -0.02),
            place - (0.14 if difference[feature] > 0 else -0.14),
            f"sum {signed(difference[feature], 2)}",
            va="center",
            ha="left" if difference[feature] > 0 else "right",
            weight="bold",
        )
    right.axvline(0, color=INK, linewidth=0.8)
    right.set_yticks([1, 0], ["feature 1", "feature 2"])
    edge = 2.3 * max(gains[row].max(), losses[row].max())
    right.set(
        xlim=(-edge, edge),
        ylim=(-0.6, 1.6),
        xlabel="difference, as a fraction of the range",
        title="What this row adds to each weight",
    )
    return figure


def relief_mean():
    """Draw what all rows add to the weights of the features, and the running mean."""
    X, y = shifted(40, 1, seed=24, shift=2.5)
    gains, losses = contributions(X, y, 1)
    parts = gains - losses
    weight = Relief().fit(X, y).weights_
    assert np.allclose(parts.mean(axis=0), weight, atol=1e-12)
    # Single rows contradict each other for both features, the means do not.
    assert (parts[:, 0] < 0).any()
    assert (parts[:, 1] > 0).sum() > 10
    assert weight.round(3).tolist() == [0.089, -0.004]
    assert weight[0] > 5 * abs(weight[1])

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=[1, 1.15])
    rng = np.random.default_rng(0)
    colors, markers = [CLASS_COLORS[2], NOISE], ["o", "s"]
    for feature in (0, 1):
        place = 1.7 * feature
        jitter = place + rng.uniform(-0.22, 0.22, len(y))
        left.scatter(
            jitter,
            parts[:, feature],
            s=18,
            color=colors[feature],
            marker=markers[feature],
            alpha=0.7,
            linewidths=0,
        )
        left.plot([place - 0.32, place + 0.32], [weight[feature]] * 2, color=INK, lw=2.5)
        left.text(
            place + 0.36,
            weight[feature] + 0.006,
            f"mean {signed(weight[feature], 3)}",
            va="bottom",
            weight="bold",
        )
    X, y = shifted(400, 1, seed=24, shift=2.5)
    gains, losses = contributions(X, y, 1)
    order = rng.permutation(400)
    running = np.cumsum((gains - losses)[order], axis=0) / np.arange(1, 401)[:, None]
    assert np.allclose(running[-1], Relief().fit(X, y).weights_, atol=1e-12)
    assert np.abs(running[200:] - running[-1]).max() < 0.015
    for feature in (0, 1):
        right.plot(
            np.arange(1, 401),
            running[:, feature],
            color=colors[feature],
            ls="-" if feature == 0 else "--",
            label=f"feature {feature + 1}",
        )
    for ax in (left, right):
        ax.axhline(0, color=INK, linewidth=0.8)
    left.set_xticks([0, 1.7], ["feature 1", "feature 2"])
    left.set(
        xlim=(-0.5, 3),
        ylabel="miss minus hit",
        title="Every point is one of 40 rows",
    )
    right.set(
        xlabel="rows so far",
        ylabel="mean so far",
        title="The mean over the first of 400 rows",
        xlim=(0, 401),
    )
    right.legend(loc="upper right")
    return figure


def relief_pair():
    """Draw an exclusive or: neighbors of one row, the features alone, and weights."""
    X, y = crossed(240, 3, seed=3)
    pair = X[:, :2]
    relief = weights(X, y, 10)
    alone = MyopicReliefF().fit(X, y).weights_
    assert relief[:2].min() > 0.1 > 0 > relief[2:].max()
    assert alone.max() < 0.03
    # A row in the upper right, close to one border and far from the other.
    target = np.array([0.14, 0.55])
    row = int(np.argmin(np.abs(pair - target).sum(axis=1)))
    hits, misses = nearest(pair, y, row, 4)
    quadrant = np.sign(pair)
    assert (quadrant[hits] == quadrant[row]).all()
    assert (quadrant[misses, 0] != quadrant[row, 0]).all()
    assert (quadrant[misses, 1] == quadrant[row, 1]).all()
    moved = np.abs(pair[misses] - pair[row]).mean(axis=0)
    stayed = np.abs(pair[hits] - pair[row]).mean(axis=0)
    assert moved[0] > 2 * stayed[0]

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), width_ratios=[1.1, 0.9, 1.1])
    left, middle, right = axes
    draw_classes(left, pair, y, size=20, faint=True, names=["class A", "class B"])
    for others, color in ((hits, LOSS), (misses, GAIN)):
        for other in others:
            left.plot(*pair[[row, other]].T, color=color, linewidth=1.4)
        draw_classes(left, pair[others], y[others], size=34)
    left.scatter(*pair[row], s=34, color=CLASS_COLORS[y[row]], marker=CLASS_MARKERS[y[row]])
    left.scatter(*pair[row], s=130, facecolors="none", edgecolors=INK, linewidths=1.5)
    left.plot([], [], color=LOSS, label="to hits")
    left.plot([], [], color=GAIN, label="to misses")
    left.axhline(0, color=INK, linewidth=0.8, ls="--")
    left.axvline(0, color=INK, linewidth=0.8, ls="--")
    left.set(xlabel="feature 1", ylabel="feature 2", title="Near rows: misses lie beyond a border")
    left.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.15),
        ncols=4,
        columnspacing=0.9,
        handlelength=1.1,
        handletextpad=0.4,
    )
    bins = np.linspace(-1, 1, 9)
    for label, shift in ((0, 0.02), (1, -0.02)):
        counts, _ = np.histogram(pair[y == label, 0], bins)
        middle.stairs(
            counts / counts.sum(),
            bins + shift,
            color=CLASS_COLORS[label],
            linewidth=2,
            ls="-" if label == 0 else "--",
            label=["class A", "class B"][label],
        )
    middle.set(
        xlabel="feature 1",
        ylabel="fraction of the class",
        title="Alone: the classes look alike",
        ylim=(0, 0.27),
    )
    middle.legend(loc="upper center", ncols=2)
    names = ["feature 1", "feature 2", "noise 1", "noise 2", "noise 3"]
    places = np.arange(5)
    right.barh(places - 0.19, alone, 0.36, color=NOISE, label="each feature alone (myopic)")
    right.barh(places + 0.19, relief, 0.36, color=CLASS_COLORS[2], label="near rows (ReliefF)")
    right.axvline(0, color=INK, linewidth=0.8)
    right.set_yticks(places, names)
    right.invert_yaxis()
    right.set(xlabel="weight", title="Weights")
    right.legend(loc="upper center", bbox_to_anchor=(0.4, -0.15))
    return figure


def relief_noise():
    """Draw how noise features hide an interacting pair: weights, and how near neighbors are."""
    counts = [2, 8, 32, 128, 512]
    k, rows = 20, 400
    results = []
    for noise in counts:

        def measure(seed, noise=noise):
            X, y = crossed(rows, noise, seed)
            values = weights(X, y, k)
            near = []
            for row in range(0, rows, 20):
                hits, _ = nearest(X, y, row, k)
                near.append(np.mean(np.sign(X[hits, 0]) == np.sign(X[row, 0])))
            return values[:2].mean(), values[2:].max(), np.mean(near)

        results.append(repeated(measure, 8))
    means = np.array([mean for mean, _ in results])
    spreads = np.array([spread for _, spread in results])
    # The pair falls, the largest noise weight rises, and hits become random.
    assert (np.diff(means[1:, 0]) < 0).all()
    assert (np.diff(means[:, 1]) > 0).all()
    assert (np.diff(means[:, 2]) < 0).all()
    assert means[0, 2] > 0.95
    assert means[-1, 2] < 0.6
    assert 0 < means[-1, 0] - means[-1, 1] < 0.01

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    draw_range(left, counts, means[:, 0], spreads[:, 0], CLASS_COLORS[2], "the pair (mean)", "o")
    draw_range(left, counts, means[:, 1], spreads[:, 1], NOISE, "largest noise feature", "s")
    left.axhline(0, color=INK, linewidth=0.8)
    left.set(ylabel="weight", title="The pair sinks, noise rises")
    left.legend(loc="upper right")
    draw_range(
        right, counts, 100 * means[:, 2], 100 * spreads[:, 2], CLASS_COLORS[0], "nearest hits", "o"
    )
    right.axhline(50, color=INK, linewidth=1, ls="--")
    right.text(counts[0], 51.5, "random rows of the class", fontsize=9)
    right.set(
        ylim=(45, 102),
        ylabel="hits in the same quadrant, percent",
        title="Nearest hits are no longer near in the pair",
    )
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_xticks(counts, [str(count) for count in counts])
        ax.set_xlabel("noise features")
    return figure


def relief_neighborhood():
    """Draw the neighborhoods of one row for two numbers of neighbors and a radius, and weights."""
    pair, y = crossed(200, 0, seed=5)
    points = scaled(pair)
    row = int(np.argmin(np.abs(pair - [0.3, 0.45]).sum(axis=1)))
    search = KNeighborsClassifier(1, metric="manhattan").fit(points, y)
    distances, found = search.kneighbors(n_neighbors=len(y) - 1)
    radii = distances.mean(axis=1) - distances.std(axis=1) / 2
    parts = []
    for query in range(len(y)):
        near = found[query][distances[query] < radii[query]]
        apart = np.abs(points[near] - points[query])
        is_hit = y[near] == y[query]
        parts.append(apart[~is_hit].mean(axis=0) - apart[is_hit].mean(axis=0))
    assert np.allclose(np.mean(parts, axis=0), MultiSURF().fit(pair, y).weights_, atol=1e-9)
    radius = radii[row]
    chosen = {
        "ReliefF, k = 3": np.concatenate(nearest(pair, y, row, 3)),
        "ReliefF, k = 40": np.concatenate(nearest(pair, y, row, 40)),
        "MultiSURF, radius": found[row][distances[row] < radius],
    }

    ks = [1, 2, 3, 5, 10, 20, 40, 60, 80]

    def measure(seed):
        X, labels = crossed(200, 10, seed)
        values = [weights(X, labels, k) for k in ks] + [MultiSURF().fit(X, labels).weights_]
        return [[value[:2].mean(), value[2:].max()] for value in values]

    means, spreads = repeated(measure, 20)
    # Noise is largest for one neighbor; the pair fades as the neighborhood becomes the whole class.
    assert means[0, 1] == means[:, 1].max()
    assert (np.diff(means[: len(ks), 0]) < 0).all()
    assert means[len(ks) - 1, 0] < 0.25 * means[0, 0]
    contrast = (means[:, 0] - means[:, 1]) / np.hypot(spreads[:, 0], spreads[:, 1])
    assert 0 < np.argmax(contrast[: len(ks)]) < len(ks) - 1

    figure = plt.figure(figsize=(9, 6.2))
    grid = figure.add_gridspec(2, 3, height_ratios=[1, 1])
    for place, (title, rows) in enumerate(chosen.items()):
        ax = figure.add_subplot(grid[0, place])
        others = np.setdiff1d(np.arange(len(y)), [*rows, row])
        draw_classes(ax, points[others], y[others], size=14, faint=True)
        draw_classes(ax, points[rows], y[rows], size=24)
        draw_classes(ax, points[[row]], y[[row]], size=24)
        ax.scatter(*points[row], s=110, facecolors="none", edgecolors=INK, linewidths=1.6)
        if place == 2:
            corners = points[row] + radius * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
            ax.add_patch(Polygon(corners, fill=False, edgecolor=INK, linewidth=1.2, ls="--"))
        ax.axhline(0.5, color=INK, linewidth=0.6, ls=":")
        ax.axvline(0.5, color=INK, linewidth=0.6, ls=":")
        hits = int(np.sum(y[rows] == y[row]))
        ax.set(
            title=title,
            xlabel=f"{hits} hits, {len(rows) - hits} misses",
            xticks=[],
            yticks=[],
            xlim=(-0.03, 1.03),
            ylim=(-0.03, 1.03),
            aspect="equal",
        )
    ax = figure.add_subplot(grid[1, :])
    last = len(ks)
    draw_range(ax, ks, means[:last, 0], spreads[:last, 0], CLASS_COLORS[2], "the pair (mean)", "o")
    draw_range(
        ax, ks, means[:last, 1], spreads[:last, 1], NOISE, "largest of 10 noise features", "s"
    )
    draw_range(ax, [130], means[last:, 0], spreads[last:, 0], CLASS_COLORS[2], None, "o")
    draw_range(ax, [130], means[last:, 1], spreads[last:, 1], NOISE, None, "s")
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.axvline(102, color=NOISE, linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xticks([*ks, 130], [*(str(k) for k in ks), "MultiSURF"])
    ax.minorticks_off()
    ax.set(
        xlabel="neighbors per class, k",
        ylabel="weight",
        title="200 rows: few neighbors are noisy, many are not near",
        xlim=(0.9, 175),
    )
    ax.legend(loc="upper right", bbox_to_anchor=(0.82, 1.02))
    return figure


def relief_rotation():
    """Draw two classes that no single feature separates, and the direction that LFE finds."""
    rng = np.random.default_rng(2)
    y = np.arange(160) % 2
    along = rng.normal(scale=2.0, size=160)
    across = rng.normal(scale=0.22, size=160) + 0.75 * (2 * y - 1)
    X = np.column_stack([along + across, along - across]) / np.sqrt(2)
    lfe = LFE(1, n_neighbors=5).fit(X, y)
    direction = lfe.components_[0] / np.linalg.norm(lfe.components_[0])
    relief = weights(X, y, 5)
    lines = {
        "feature 1": X[:, 0],
        "feature 2": X[:, 1],
        "component 1 of LFE": lfe.transform(X)[:, 0],
    }
    right_class = {}
    for name, values in lines.items():
        search = KNeighborsClassifier(1).fit(values[:, None], y)
        neighbor = search.kneighbors(n_neighbors=1, return_distance=False)[:, 0]
        right_class[name] = np.mean(y[neighbor] == y)
    # Both features have positive weights, but neither separates the classes. The component does.
    assert [f"{100 * share:.0f}" for share in right_class.values()] == ["56", "57", "100"]
    assert relief.min() > 0.02
    assert max(right_class["feature 1"], right_class["feature 2"]) < 0.75
    assert right_class["component 1 of LFE"] > 0.98
    assert abs(abs(direction @ [1, -1]) / np.sqrt(2) - 1) < 0.01

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), width_ratios=[1, 1.25])
    draw_classes(left, X, y, size=22, names=["class A", "class B"])
    if direction[0] < 0:
        direction = -direction
    left.annotate(
        "",
        2.4 * direction,
        -2.4 * direction,
        arrowprops={"arrowstyle": "<->", "linewidth": 2, "color": INK},
    )
    left.text(*(2.5 * direction), "component 1", ha="left", va="top", weight="bold")
    left.set(
        xlabel=f"feature 1, ReliefF weight {relief[0]:+.3f}",
        ylabel=f"feature 2, ReliefF weight {relief[1]:+.3f}",
        title="Only a direction separates the classes",
        aspect="equal",
    )
    left.legend(loc="upper left")
    for place, (name, values) in enumerate(lines.items()):
        values = (values - values.min()) / (values.max() - values.min())
        for label in (0, 1):
            chosen = values[y == label]
            right.scatter(
                chosen,
                2 - place + (0.12 if label else -0.12) + rng.uniform(-0.07, 0.07, len(chosen)),
                s=14,
                color=CLASS_COLORS[label],
                marker=CLASS_MARKERS[label],
                linewidths=0,
                alpha=0.8,
            )
        right.text(
            0,
            2 - place + 0.3,
            name,
            weight="bold",
        )
        right.text(
            1,
            2 - place + 0.3,
            f"nearest row of the same class: {100 * right_class[name]:.0f} %",
            ha="right",
            fontsize=9,
        )
    right.set(yticks=[], xticks=[], ylim=(-0.4, 2.6), title="The rows on one line")
    right.spines["left"].set_visible(False)
    right.spines["bottom"].set_visible(False)
    return figure


def weight_meaning():
    """Draw the weight of the same effect under six changes of the data or the options."""
    figure, axes = plt.subplots(2, 3, figsize=(10, 6.2))
    (rows_ax, neighbors_ax, noise_ax), (copies_ax, forms_ax, negative_ax) = axes
    main_color, pair_color = CLASS_COLORS[0], CLASS_COLORS[2]

    def two_effects(ax, settings, label, title, seeds=20):
        """Draw the weights of a main effect and of a pair for several (rows, noise, k)."""
        means, spreads = [], []
        for rows, noise, k in settings:

            def measure(seed, rows=rows, noise=noise, k=k):
                X, y = shifted(rows, noise, seed)
                Z, z = crossed(rows, noise, seed)
                return weights(X, y, k)[0], weights(Z, z, k)[:2].mean()

            mean, spread = repeated(measure, seeds)
            means.append(mean)
            spreads.append(spread)
        means, spreads = np.array(means), np.array(spreads)
        varied = int(np.argmax([len(set(column)) for column in zip(*settings, strict=True)]))
        x = [setting[varied] for setting in settings]
        draw_range(ax, x, means[:, 0], spreads[:, 0], main_color, "alone", "o")
        draw_range(ax, x, means[:, 1], spreads[:, 1], pair_color, "in a pair", "s")
        ax.set_xscale("log")
        ax.set_xticks(x, [str(value) for value in x])
        ax.minorticks_off()
        ax.set(xlabel=label, ylabel="weight", title=title, ylim=(-0.01, 0.135))
        return means[-1] - means[0]

    change = two_effects(
        rows_ax, [(n, 9, 10) for n in (50, 100, 200, 400, 800)], "rows", "a  More rows"
    )
    assert change[0] < 0 < change[1]
    change = two_effects(
        neighbors_ax, [(200, 9, k) for k in (1, 3, 10, 30, 90)], "neighbors, k", "b  More neighbors"
    )
    assert change[1] < 0 < change[0]
    change = two_effects(
        noise_ax,
        [(200, m, 10) for m in (1, 3, 10, 30, 100)],
        "other features, all of them noise",
        "c  More other features",
    )
    assert change[1] < 0 < change[0]
    rows_ax.legend(loc="upper left", ncols=2, columnspacing=1)

    copies = [1, 2, 3, 5]
    means, spreads = [], []
    for number in copies:

        def measure(seed, number=number):
            X, y = crossed(400, 8, seed)
            X = np.hstack([X, *[X[:, :1]] * (number - 1)])
            return weights(X, y, 10)[:2]

        mean, spread = repeated(measure, 10)
        means.append(mean)
        spreads.append(spread)
    means, spreads = np.array(means), np.array(spreads)
    assert (np.diff(means[:, 0]) < 0).all()
    assert (np.diff(means[:, 1]) > 0).all()
    draw_range(copies_ax, copies, means[:, 0], spreads[:, 0], pair_color, "each copy", "s")
    draw_range(copies_ax, copies, means[:, 1], spreads[:, 1], LOSS, "its partner", "^")
    copies_ax.set_xticks(copies)
    copies_ax.set(
        xlabel="copies of one feature of a pair", ylabel="weight", title="d  Copies", ylim=(0, 0.34)
    )
    copies_ax.legend(loc="upper left")

    def forms(seed):
        X, y = shifted(200, 9, seed)
        outlier, ranks, halves = X.copy(), X.copy(), X.copy()
        outlier[0, 0] = 15.0
        ranks[:, 0] = X[:, 0].argsort().argsort()
        halves[:, 0] = X[:, 0] > np.median(X[:, 0])
        return (
            weights(X, y, 10)[0],
            weights(ranks, y, 10)[0],
            weights(outlier, y, 10)[0],
            weights(halves, y, 10, categorical_features=[0])[0],
        )

    mean, spread = repeated(forms, 20)
    assert mean[1] > mean[0] > mean[2] > mean[3]
    names = ["numbers", "ranks", "one outlier", "two categories"]
    forms_ax.barh(names, mean, xerr=spread, color=main_color, ecolor=INK, capsize=2, height=0.6)
    forms_ax.invert_yaxis()
    forms_ax.set(xlabel="weight", title="e  The same feature, other values")

    def irrelevant(seed):
        X, y = crossed(400, 8, seed)
        shuffled = np.random.default_rng(1000 + seed).permutation(y)
        return weights(X, y, 10)[2:], weights(X, shuffled, 10)[2:]

    values = np.array([irrelevant(seed) for seed in range(10)])
    strong, null = values[:, 0].ravel(), values[:, 1].ravel()
    assert (strong < 0).mean() > 0.95
    assert abs(null.mean()) < 0.002
    bins = np.linspace(-0.024, 0.024, 25)
    negative_ax.hist(null, bins, color=NOISE, alpha=0.75, label="target permuted")
    negative_ax.hist(
        strong, bins, histtype="step", color=LOSS, linewidth=2, label="next to a strong pair"
    )
    negative_ax.axvline(0, ymax=0.8, color=INK, linewidth=0.8)
    negative_ax.set(
        xlabel="weight", ylabel="features", title="f  Irrelevant features", ylim=(0, 25)
    )
    negative_ax.legend(loc="upper left", borderaxespad=0)
    for ax in (rows_ax, neighbors_ax, noise_ax, copies_ax):
        ax.axhline(0, color=INK, linewidth=0.8)
    return figure


def permutation_null():
    """Draw the null distributions of one weight and of the largest weight."""
    X, y, names = synth("xor", "--rows", "300", "--features", "20")
    observed = weights(X, y, 30)
    rng = np.random.default_rng(1)
    draws = 500
    null = np.array([weights(X, rng.permutation(y), 30) for _ in range(draws)])
    largest = null.max(axis=1)
    first, other = int(np.argmax(observed)), names.index("N12")
    p_value = (1 + (null >= observed).sum(axis=0)) / (1 + draws)
    adjusted = (1 + (largest[:, None] >= observed).sum(axis=0)) / (1 + draws)
    threshold = np.quantile(largest, 0.95)
    assert names[first] == "P1"
    assert p_value[first] <= 0.01
    assert adjusted[first] <= 0.01
    assert observed[other] == np.sort(observed)[-3]
    assert p_value[other] < 0.2
    assert adjusted[other] > 0.5
    assert [f"{100 * p[other]:.1f}" for p in (p_value, adjusted)] == ["12.6", "80.2"]
    test = permutation_test(ReliefF(30), X, y, n_permutations=draws, random_state=0)
    assert abs(test.pvalues_[other] - p_value[other]) < 0.04
    assert abs(test.chance_weight_ - threshold) < 0.0015

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
    bins = observed[other] + 0.0012 * np.arange(-30, 26)
    for ax, values, title, p in (
        (axes[0], null[:, other], "One feature (N12): the p-value", p_value[other]),
        (axes[1], largest, "The largest of 20: max-T", adjusted[other]),
    ):
        counts, _, bars = ax.hist(values, bins, color="#BFBFBF")
        for bar, start in zip(bars, bins, strict=False):
            if start >= observed[other] - 1e-12:
                bar.set_facecolor(LOSS)
        for weight, name, height in ((observed[other], "N12", 1.05), (observed[first], "P1", 1.05)):
            ax.axvline(weight, ymax=0.84, color=INK, linewidth=1.5)
            ax.text(weight, height * counts.max(), name, ha="center", weight="bold")
        ax.set(xlabel="weight", ylabel="permutations", title=title, ylim=(0, 1.25 * counts.max()))
        ax.text(
            0.02,
            0.95,
            f"N12: {100 * p:.1f} % of the\npermutations are\nat least as large",
            transform=ax.transAxes,
            va="top",
            color=LOSS,
            fontsize=9,
        )
    axes[1].axvline(threshold, ymax=0.84, color=CLASS_COLORS[0], linewidth=1.5, ls="--")
    axes[1].text(
        threshold + 0.0008,
        0.8 * axes[1].get_ylim()[1],
        "null\nthreshold",
        color=CLASS_COLORS[0],
        va="top",
        fontsize=9,
    )
    return figure


def outline(ax, top, rows, inner):
    """Draw the outline of rows that are exchanged with each other, or (inner) as one."""
    margin = 0.0 if inner else 0.12
    ax.add_patch(
        FancyBboxPatch(
            (1.53 - margin, top - rows + 0.2),
            2.79 + 2 * margin,
            rows - 0.1,
            boxstyle="round,pad=0,rounding_size=0.12",
            fill=False,
            edgecolor=INK,
            linewidth=1 if inner else 1.6,
            ls="--" if inner else "-",
        )
    )


def exchangeable_rows():
    """Draw five designs, which rows are exchanged, and one permutation of each."""
    rng = np.random.default_rng(5)
    free = np.array([0, 0, 1, 0, 1, 1, 0, 1])
    batch = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    strata = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    subjects = np.repeat([0, 1, 2, 3], 2)
    whole, whole_after = np.array([0, 1, 0, 1]), np.array([1, 0, 0, 1])
    visits = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    ages = np.array([31, 36, 42, 47, 55, 61, 68, 74])
    by_age, by_age_after = np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.array([0, 0, 1, 0, 0, 1, 1, 1])
    free_after, strata_after, visits_after = rng.permutation(free), strata.copy(), visits.copy()
    for label in (0, 1):
        while (strata_after == strata)[batch == label].all():
            strata_after[batch == label] = rng.permutation(strata[batch == label])
    for subject in (0, 2):
        visits_after[subjects == subject] = visits[subjects == subject][::-1]
    # What a permutation must not change in each design.
    assert free_after.sum() == free.sum()
    for label in (0, 1):
        assert strata_after[batch == label].sum() == strata[batch == label].sum()
    for subject in range(4):
        assert visits_after[subjects == subject].sum() == visits[subjects == subject].sum()
        assert len(set(whole_after[subjects][subjects == subject])) == 1
    assert sorted(whole_after) == sorted(whole)
    letters = np.array(["A", "B", "C", "D"])[subjects]
    designs = [
        ("Independent rows", "row", range(1, 9), free, free_after, [8], [], "no option"),
        (
            "Strata",
            "batch",
            np.array(["east", "west"])[batch],
            strata,
            strata_after,
            [4, 4],
            [],
            "--within batch",
        ),
        (
            "Constant in groups",
            "subject",
            letters,
            whole[subjects],
            whole_after[subjects],
            [8],
            [2, 2, 2, 2],
            "--group subject",
        ),
        (
            "Varying in groups",
            "subject",
            letters,
            visits,
            visits_after,
            [2, 2, 2, 2],
            [],
            "--group subject",
        ),
        ("Covariate", "age", ages, by_age, by_age_after, [8], [], "--residuals"),
    ]
    figure, axes = plt.subplots(1, 5, figsize=(11, 3.6), width_ratios=[4.7, 4.7, 4.7, 4.7, 5.6])
    for ax, design in zip(axes, designs, strict=True):
        title, kind, labels, before, after, outer, inner, option = design
        ax.text(-0.1, 1.15, title, weight="bold")
        for x, text, side in (
            (1.3, kind, "right"),
            (2.1, "data", "center"),
            (3.75, "permuted", "center"),
        ):
            ax.text(x, 0.4, text, ha=side, fontsize=8.5, color="#555555")
        ax.text(2.93, -8.55, option, ha="center", family="DejaVu Sans Mono", fontsize=9)
        for row in range(8):
            ax.text(1.3, -row - 0.35, labels[row], ha="right", va="center", fontsize=9)
            for x, value in ((1.6, before[row]), (3.25, after[row])):
                ax.add_patch(
                    Rectangle((x, -row - 0.72), 1, 0.74, color=CLASS_COLORS[value], linewidth=0)
                )
                ink = "white" if value == 0 else INK
                ax.text(
                    x + 0.5,
                    -row - 0.37,
                    str(value),
                    ha="center",
                    va="center",
                    color=ink,
                    fontsize=9,
                )
            if before[row] != after[row]:
                ax.text(2.93, -row - 0.37, "→", ha="center", va="center", color=LOSS, weight="bold")
        for sizes, is_inner in ((outer, False), (inner, True)):
            top = 0.0
            for size in sizes:
                outline(ax, top, size, is_inner)
                top -= size
        ax.set(xlim=(-0.1, 4.6), ylim=(-8.8, 1.7))
        ax.axis("off")
    # Ages are exchanged with the odds of the regression: likely between similar ages.
    for ages_apart, width in ((1, 2.0), (3, 0.9), (6, 0.3)):
        axes[4].add_patch(
            FancyArrowPatch(
                (4.45, -0.35),
                (4.45, -0.35 - ages_apart),
                connectionstyle=f"arc3,rad={-0.45}",
                arrowstyle="<->",
                mutation_scale=7,
                linewidth=width,
                color=INK,
            )
        )
    axes[4].set_xlim(-0.1, 5.5)
    return figure


def study(design, seed):
    """Make a data set in which no feature has an effect, and what its test must know."""
    rng = np.random.default_rng(seed)
    if design == "subjects":
        subject = np.repeat(np.arange(24), 4)
        X = rng.normal(size=(24, 6))[subject] + 0.5 * rng.normal(size=(96, 6))
        return X, (np.arange(24) % 2)[rng.permutation(24)][subject], {"groups": subject}
    if design == "batches":
        batch = np.arange(96) % 2
        y = (rng.random(96) < np.where(batch == 1, 0.75, 0.25)).astype(int)
        X = rng.normal(size=(96, 6)) + 1.0 * batch[:, None]
        return X, y, {"strata": np.array(["east", "west"])[batch]}
    age = rng.normal(size=96)
    y = (rng.random(96) < 1 / (1 + np.exp(-1.5 * age))).astype(int)
    X = rng.normal(size=(96, 6)) + 0.7 * age[:, None]
    return X, y, {"covariates": age[:, None], "residuals": True}


def exchangeability():
    """Draw how often a test finds anything in noise, with and without the design of the study."""
    data_sets = 200
    shares = []
    for design in ("subjects", "batches", "age"):
        found = np.zeros(2)
        for seed in range(data_sets):
            X, y, options = study(design, seed)
            for place, stated in enumerate(({}, options)):
                test = permutation_test(
                    MultiSURF(), X, y, n_permutations=99, random_state=seed, **stated
                )
                found[place] += test.selected_.any()
        shares.append(found / data_sets)
    shares = 100 * np.array(shares)
    # The error rate is far above 5 % where the design is ignored. Where it is stated, it is at
    # most 5 % up to three standard errors of the simulation.
    limit = 5 + 3 * 100 * np.sqrt(0.05 * 0.95 / data_sets)
    assert (shares[:, 0] > 25).all()
    assert (shares[:, 1] <= limit).all()
    assert shares.round(1).tolist() == [[95.0, 4.0], [36.5, 6.5], [47.5, 2.0]]

    figure, ax = plt.subplots(figsize=(8, 3))
    places = np.arange(3)
    ax.barh(places - 0.2, shares[:, 0], 0.36, color=LOSS, label="all rows exchanged")
    ax.barh(places + 0.2, shares[:, 1], 0.36, color=CLASS_COLORS[0], label="the design stated")
    for row in places:
        for column, shift in ((0, -0.2), (1, 0.2)):
            ax.text(
                max(shares[row, column], 5) + 1,
                row + shift,
                f"{shares[row, column]:.1f} %",
                va="center",
            )
    ax.axvline(5, color=INK, linewidth=1.2, ls="--")
    ax.text(5, -0.5, " 5 %", va="bottom")
    ax.set_yticks(places, ["4 rows per subject", "two batches", "age as a covariate"])
    ax.invert_yaxis()
    ax.set(
        xlim=(0, 112),
        xlabel=f"percent of {data_sets} data sets without an effect that report any feature",
    )
    ax.legend(loc="lower right")
    return figure


def corrections():
    """Draw the features that max-T and the false discovery rate find in the same test."""
    rng = np.random.default_rng(11)
    y = np.arange(240) % 2
    relevant = np.arange(200) < 20
    effects = np.zeros(200)
    effects[relevant] = np.linspace(1.0, 0.35, 20)
    X = rng.normal(size=(240, 200)) + effects * y[:, None]
    test = permutation_test(
        ReliefF(60), X, y, n_permutations=5000, correction="fdr", random_state=0
    )
    by_rate = test.qvalues_ <= 0.05
    by_maximum = test.adjusted_pvalues_ <= 0.05
    order = np.argsort(test.pvalues_, kind="stable")
    assert by_rate[by_maximum].all()
    assert (by_rate.sum(), by_maximum.sum()) == (19, 15)
    assert not (by_maximum & ~relevant).any()
    assert (by_rate & ~relevant).sum() == 1

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.9))
    groups = [
        (by_maximum, CLASS_COLORS[0], "o", "by max-T and by FDR"),
        (by_rate & ~by_maximum, CLASS_COLORS[1], "s", "by FDR only"),
        (~by_rate, NOISE, "x", "by neither"),
    ]
    rank = np.empty(200, int)
    rank[order] = np.arange(1, 201)
    by_weight = np.empty(200, int)
    by_weight[np.argsort(-test.weights_, kind="stable")] = np.arange(1, 201)
    for chosen, color, marker, name in groups:
        label = f"{name}: {chosen.sum()}"
        left.scatter(
            by_weight[chosen], test.weights_[chosen], s=22, color=color, marker=marker, label=label
        )
        right.scatter(rank[chosen], test.pvalues_[chosen], s=22, color=color, marker=marker)
    false = by_rate & ~relevant
    ring = {"s": 110, "facecolors": "none", "edgecolors": LOSS}
    left.scatter(
        by_weight[false], test.weights_[false], **ring, label="found, but without an effect"
    )
    right.scatter(rank[false], test.pvalues_[false], **ring)
    left.axhline(test.chance_weight_, color=INK, linewidth=1.2, ls="--")
    left.text(60, test.chance_weight_, "null threshold", va="bottom", ha="right")
    left.set(
        xlim=(0, 61),
        xlabel="rank by weight (of 200 features)",
        ylabel="weight",
        title="Max-T: weights above one threshold",
    )
    left.legend(loc="upper right")
    places = np.arange(1, 61)
    right.plot(places, 0.05 * places / 200, color=INK, linewidth=1.2, ls="--")
    right.text(60, 0.0085, "5 % \N{MULTIPLICATION SIGN} rank / 200", ha="right", va="top")
    right.set(
        xlim=(0, 61),
        yscale="log",
        ylim=(1.4e-4, 0.6),
        xlabel="rank by p-value",
        ylabel="p-value",
        title="FDR: the p-values up to the last below the line",
    )
    return figure


def winners_curse():
    """Draw the weights of the selected features in the data of the selection and in new data."""
    effects = np.concatenate([np.full(20, 0.35), np.zeros(180)])

    def data(seed):
        rng = np.random.default_rng(seed)
        y = np.arange(150) % 2
        return rng.normal(size=(150, 200)) + effects * y[:, None], y

    chosen_weights = weights(*data(0), 30)
    new = np.mean([weights(*data(seed), 30) for seed in range(1, 41)], axis=0)
    top = np.argsort(-chosen_weights)[:12]
    lost = chosen_weights[top] - new[top]
    assert (lost > 0).all()
    assert (effects[top] == 0).sum() == 4
    assert np.abs(new[top][effects[top] == 0]).max() < 0.001
    assert new[top].mean() < 0.6 * chosen_weights[top].mean()

    figure, ax = plt.subplots(figsize=(8, 3.9))
    for place, feature in enumerate(top):
        ax.annotate(
            "",
            (new[feature], place),
            (chosen_weights[feature], place),
            arrowprops={"arrowstyle": "->", "color": NOISE, "linewidth": 1.2, "shrinkA": 5},
        )
    for values, color, marker, order, label in (
        (chosen_weights, CLASS_COLORS[1], "s", 1, "in the rows of the selection"),
        (new, CLASS_COLORS[0], "o", 3, "mean of 40 new tables"),
    ):
        ax.scatter(
            values[top], range(12), color=color, marker=marker, s=38, label=label, zorder=order
        )
    ax.axvline(0, color=INK, linewidth=0.8)
    names = ["has an effect" if effects[feature] else "no effect" for feature in top]
    ax.set_yticks(range(12), [f"{place + 1}.  {name}" for place, name in enumerate(names)])
    ax.invert_yaxis()
    ax.set(xlabel="weight", title="The 12 largest of 200 weights")
    ax.legend(loc="lower right")
    return figure


def five_papers():
    """Draw the methods of the five papers by their maps and their neighbors."""
    figure, ax = plt.subplots(figsize=(9.5, 5.6))
    papers = {
        "earlier": ("#EDEDED", INK),
        "PB06": ("#56B4E9", INK),
        "SW08": ("#E69F00", INK),
        "C10": ("#009E73", "white"),
        "W11": ("#CC79A7", INK),
        "HM13": ("#F0E442", INK),
    }
    boxes = {
        "ReliefF": (1.0, 3.0, "earlier", "RELIEF, ReliefF\n1992, 1994"),
        "double": (1.0, 2.0, "PB06", "double ReliefF\nPB06"),
        "irelief": (1.0, 1.0, "earlier", "I-RELIEF\n2007"),
        "lfe": (3.0, 3.0, "SW08", "margin view, LFE\nSW08"),
        "gi": (3.0, 1.0, "C10", "GI-RELIEF\nC10"),
        "klfe": (5.0, 3.0, "W11", "KLFE\nW11"),
        "mdm": (1.0, 0.0, "HM13", "MDM\nHM13"),
    }
    for x, y, paper, text in boxes.values():
        face, ink = papers[paper]
        ax.add_patch(
            FancyBboxPatch(
                (x - 0.68, y - 0.27),
                1.36,
                0.54,
                boxstyle="round,pad=0.02,rounding_size=0.08",
                facecolor=face,
                edgecolor=INK,
            )
        )
        ax.text(x, y, text, ha="center", va="center", color=ink)
    arrows = [
        ("ReliefF", "double", "its weights in\nthe distance", (0.08, 0)),
        ("ReliefF", "lfe", "rotated\nfeatures", (0, 0.2)),
        ("lfe", "klfe", "curved\nfeatures", (0, 0.2)),
        ("irelief", "gi", "a full\nmatrix", (0, 0.2)),
        ("lfe", "gi", "neighbors in the\nlearned space", (0.08, 0)),
    ]
    for start, end, text, (dx, dy) in arrows:
        (x0, y0), (x1, y1) = boxes[start][:2], boxes[end][:2]
        vertical = x0 == x1
        begin = (x0, y0 - 0.3) if vertical else (x0 + 0.71, y0)
        stop = (x1, y1 + 0.3) if vertical else (x1 - 0.71, y1)
        ax.add_patch(
            FancyArrowPatch(begin, stop, arrowstyle="-|>", mutation_scale=14, color=INK, lw=1.3)
        )
        ax.text(
            (begin[0] + stop[0]) / 2 + dx,
            (begin[1] + stop[1]) / 2 + dy,
            text,
            ha="left" if vertical else "center",
            va="center",
            fontsize=9,
        )
    rows = {
        3: "the features,\nunweighted",
        2: "its estimates\nso far",
        1: "its result,\niterated",
        0: "no neighbors:\nall pairs",
    }
    for y, text in rows.items():
        ax.text(-0.85, y, text, ha="center", va="center", fontsize=9, color="#444444")
    for x, text in {1: "a weight per feature", 3: "a linear map", 5: "a kernel map"}.items():
        ax.text(x, 3.72, text, ha="center", weight="bold")
    ax.text(-0.85, 3.72, "neighbors by", ha="center", weight="bold")
    for y in (0.5, 1.5, 2.5):
        ax.axhline(y, color="#CFCFCF", linewidth=0.8, zorder=0)
    for x in (-0.05, 2.0, 4.0):
        ax.axvline(x, color="#CFCFCF", linewidth=0.8, zorder=0, ymax=0.93)
    ax.set(xlim=(-1.6, 5.95), ylim=(-0.5, 3.95))
    ax.axis("off")
    return figure


def draw_map(ax, points, y, title, rate, size=10):
    """Draw mapped rows, in one or two dimensions, and the rate of new rows with the right class."""
    if points.shape[1] == 1:
        height = np.random.default_rng(7).uniform(-0.3, 0.3, len(y)) - 0.8 * y
        points = np.column_stack([points, height])
        ax.set_ylim(height.min() - 1, height.max() + 1)
    draw_classes(ax, points, y, size=size)
    ax.set(title=title, xticks=[], yticks=[], xlabel=f"new rows classified right: {rate:.0f} %")


def rings_maps():
    """Draw two problems that LFE does not solve, and a map that does."""
    X, labels, _ = synth("concentric-rings", "--rows", "400", "--seed", "0")
    rings = np.unique(labels, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    disc = np.arange(200) % 2
    lengths = np.where(disc == 0, np.sqrt(rng.random(200)), 1.8 + 0.25 * rng.normal(size=200))
    angles = rng.uniform(0, 2 * np.pi, 200)
    around = lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    problems = [
        (
            X,
            rings,
            X[:, [0, 2]],
            "Five rings: features 1 and 3",
            ("LFE", LFE(2)),
            ("GI-RELIEF", GIRelief(2, random_state=0)),
        ),
        (
            around,
            disc,
            around,
            "One class inside another",
            ("LFE", LFE(1)),
            ("KLFE", Kernelized(LFE(1), "rbf")),
        ),
    ]
    figure, axes = plt.subplots(2, 3, figsize=(10, 6.4))
    for line, (data, y, shown, title, *maps) in zip(axes, problems, strict=True):
        train = np.arange(len(y)) // 2 % 2 == 0
        rates = []
        for ax, (name, points, method) in zip(
            line,
            [(title, shown, None), *((name, None, method) for name, method in maps)],
            strict=True,
        ):
            space = data if method is None else method.fit(data[train], y[train]).transform(data)
            knn = KNeighborsClassifier(1).fit(space[train], y[train])
            rates.append(100 * np.mean(knn.predict(space[~train]) == y[~train]))
            if method is not None:
                points, count = space, space.shape[1]
                name += f": {count} component{'s' if count > 1 else ''}"
            draw_map(ax, points[~train], y[~train], name, rates[-1])
        if data is X:
            # In all three features neighbors are random, for LFE too.
            assert [round(rate) for rate in rates] == [58, 37, 96]
        else:
            assert [round(rate) for rate in rates] == [99, 71, 99]
    return figure


def rounded_distances():
    """Draw rounded distances with their errors: certain and ambiguous candidates."""
    X = scaled(np.random.default_rng(3).normal(size=(60, 12)))
    y = np.zeros(60, int)
    k, steps = 10, 60
    search = KNeighborsClassifier(k, metric="manhattan").fit(X, y)
    exact, found = search.kneighbors(n_neighbors=59)
    exact, found = exact[0], found[0]
    grid = np.round(X * steps) / steps
    rounded = np.abs(grid[found] - grid[0]).sum(axis=1)
    error = np.abs(X - grid)
    bound = error[0].sum() + error.sum(axis=1).max()
    cut = np.sort(rounded)[k - 1]
    certain = rounded + bound < cut - bound
    excluded = rounded - bound > cut + bound
    ambiguous = ~certain & ~excluded
    is_neighbor = np.arange(59) < k
    assert np.all(np.abs(rounded - exact) <= bound)
    assert is_neighbor[certain].all()
    assert not is_neighbor[excluded].any()
    assert (certain.sum(), ambiguous.sum()) == (4, 16)

    order = np.argsort(rounded, kind="stable")[:36]
    figure, ax = plt.subplots(figsize=(9, 3.8))
    ax.axhspan(cut - 2 * bound, cut + 2 * bound, color="#EFEFEF", zorder=0)
    for chosen, color, marker, name in (
        (certain, GAIN, "o", "certainly a neighbor"),
        (ambiguous, CLASS_COLORS[1], "s", "ambiguous: computed exactly"),
        (excluded, NOISE, "^", "certainly not a neighbor"),
    ):
        places = np.flatnonzero(chosen[order])
        ax.errorbar(
            places,
            rounded[order][places],
            bound,
            fmt=marker,
            color=color,
            markersize=5,
            elinewidth=1.2,
            label=name,
        )
    ax.axhline(cut, color=INK, linewidth=1, ls="--")
    ax.text(35.5, cut - 0.03, f"rounded distance of rank {k}", ha="right", va="top")
    ax.scatter(
        range(36), exact[order], marker="_", s=70, color=INK, zorder=3, label="exact distance"
    )
    ax.set(
        xlabel="candidates, by rounded distance",
        ylabel="distance to the query row",
        title=f"The {k} nearest of 59 rows, by distances of rounded numbers",
        xticks=[],
    )
    ax.legend(loc="upper left")
    return figure


FIGURES = {
    "relief-one-row": relief_one_row,
    "relief-mean": relief_mean,
    "relief-pair": relief_pair,
    "relief-noise": relief_noise,
    "relief-neighborhood": relief_neighborhood,
    "relief-rotation": relief_rotation,
    "weight-meaning": weight_meaning,
    "permutation-null": permutation_null,
    "exchangeable-rows": exchangeable_rows,
    "exchangeability": exchangeability,
    "corrections": corrections,
    "winners-curse": winners_curse,
    "five-papers": five_papers,
    "rings-maps": rings_maps,
    "rounded-distances": rounded_distances,
}


def shorten(path):
    """Round the coordinates of an SVG file, and state a style shared by markers once."""

    def rounded(attribute):
        return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", attribute[0])

    text = re.sub(r'\b(d|x|y|points)="[^"]*"', rounded, path.read_text(encoding="utf-8"))
    marker = re.compile(r'(<use xlink:href="#m[^>]*?) style="([^"]*)"/>')
    lines, style = [], None
    for line in text.splitlines():
        found = marker.search(line)
        if style is not None and (found is None or found[2] != style):
            lines.append("</g>")
            style = None
        if found is not None:
            if style is None:
                style = found[2]
                lines.append(f'<g style="{style}">')
            line = f"{found[1]}/>"
        lines.append(line.strip())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments=None):
    """Write the figures to a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="folder for the figures")
    parser.add_argument("--only", choices=list(FIGURES), action="append", help="write this figure")
    parser.add_argument("--format", choices=["svg", "png"], default="svg")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    mpl.use("svg" if options.format == "svg" else "agg")
    mpl.rcParams.update(mpl.rcParamsDefault)
    mpl.rcParams.update(STYLE)
    # Copies of features and classes with few rows are intended here.
    warnings.simplefilter("ignore", ReliefWarning)
    for name in options.only or FIGURES:
        figure = FIGURES[name]()
        path = options.output / f"{name}.{options.format}"
        metadata = {"Date": None, "Creator": None} if options.format == "svg" else None
        figure.savefig(path, metadata=metadata, dpi=110)
        plt.close(figure)
        if options.format == "svg":
            shorten(path)
        size = path.stat().st_size
        if options.format == "svg":
            assert size < LARGEST_FILE, f"{path} has {size} bytes"
        print(f"{path}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
