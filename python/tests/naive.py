"""The textbook definitions, one pair of rows at a time, in plain numpy.

Slow, and written without a look at the library: it exists to disagree with.
"""

import numpy as np

CLOSE = 1e-9


class Column:
    """A column: kind is `numeric`, `categorical` or `genotype`; NaN is missing."""

    def __init__(self, values, kind):
        self.values = np.asarray(values, dtype=float)
        self.kind = kind
        known = self.values[~np.isnan(self.values)]
        self.range = np.ptp(known) if known.size else 0.0
        self.low = known.min() if known.size else 0.0

    def between(self, a, b):
        """Difference of two known values (arrays allowed)."""
        if self.kind == "categorical":
            return np.where(a == b, 0.0, 1.0)
        if self.kind == "genotype":
            return np.abs(a - b) / 2
        return np.abs(a - b) / self.range

    def known_of(self, group, groups):
        values = self.values if group is None else self.values[groups == group]
        known = values[~np.isnan(values)]
        return known if known.size else self.values[~np.isnan(self.values)]

    def diff(self, i, j, policy, classes):
        """Difference of two rows; NaN where the policy leaves the feature out."""
        a, b = self.values[i], self.values[j]
        if self.kind == "numeric" and self.range == 0:
            missing = np.isnan(a) or np.isnan(b)
            return np.nan if missing and policy == "ignore" else 0.0
        if not np.isnan(a) and not np.isnan(b):
            return float(self.between(a, b))
        if policy == "ignore":
            return np.nan
        if policy == "pessimistic":
            if self.kind == "categorical" or (np.isnan(a) and np.isnan(b)):
                return 1.0
            u = b if np.isnan(a) else a
            u = u / 2 if self.kind == "genotype" else (u - self.low) / self.range
            return max(u, 1 - u)
        group_a = None if classes is None else classes[i]
        group_b = None if classes is None else classes[j]
        left = self.known_of(group_a, classes) if np.isnan(a) else np.array([a])
        right = self.known_of(group_b, classes) if np.isnan(b) else np.array([b])
        return float(np.mean(self.between(left[:, None], right[None, :])))


def differences(columns, i, j, policy, classes):
    return np.array([column.diff(i, j, policy, classes) for column in columns])


def distance(diffs, metric):
    known = diffs[~np.isnan(diffs)]
    if known.size == 0:
        return 0.0
    if metric == "euclidean":
        return float(np.sqrt(np.mean(known**2) * diffs.size))
    return float(np.mean(known) * diffs.size)


def place_weights(count, rule):
    if rule == "uniform":
        return np.full(count, 1 / count)
    sigma = float(rule.partition(":")[2] or 20)
    raw = np.exp(-((np.arange(1, count + 1) / sigma) ** 2))
    return raw / raw.sum()


def nearest(candidates, distances, k, ties, rule):
    """Pairs of row and weight; the weights sum to 1."""
    if not candidates:
        return []
    order = sorted(candidates, key=lambda row: (distances[row], row))
    count = min(k, len(order))
    weights = place_weights(count, rule)
    if ties == "first":
        return list(zip(order[:count], weights, strict=True))
    found = []
    start = 0
    while start < count:
        end = start
        while end < len(order) and distances[order[end]] <= distances[order[start]] + CLOSE:
            end += 1
        share = weights[start : min(end, count)].sum() / (end - start)
        found += [(row, share) for row in order[start:end]]
        start = end
    return found


def hit_miss(
    columns,
    y,
    k,
    *,
    per_class=True,
    rule="uniform",
    metric="manhattan",
    ties="share",
    missing="expected",
):
    """`relieff` with `per_class`, otherwise `relief-e` and the statistic of `relief-margin`."""
    y = np.asarray(y)
    n, p = len(y), len(columns)
    share = {label: np.mean(y == label) for label in np.unique(y)}
    # Sums of weighted differences, of the weights of the pairs they came from, of all weights.
    sums = {side: [np.zeros(p), np.zeros(p), np.zeros(p)] for side in ("hit", "miss")}
    for i in range(n):
        diffs = {j: differences(columns, i, j, missing, y) for j in range(n) if j != i}
        distances = {j: distance(d, metric) for j, d in diffs.items()}
        groups = [("hit", 1.0, [j for j in diffs if y[j] == y[i]])]
        if per_class:
            for label in share:
                if label != y[i]:
                    factor = share[label] / (1 - share[y[i]])
                    groups.append(("miss", factor, [j for j in diffs if y[j] == label]))
        else:
            groups.append(("miss", 1.0, [j for j in diffs if y[j] != y[i]]))
        for side, factor, candidates in groups:
            for j, weight in nearest(candidates, distances, k, ties, rule):
                known = ~np.isnan(diffs[j])
                sums[side][0] += factor * weight * np.where(known, diffs[j], 0)
                sums[side][1] += factor * weight * known
                sums[side][2] += factor * weight
    mean = {
        side: np.divide(total * every, known, out=np.zeros(p), where=known > 0)
        for side, (total, known, every) in sums.items()
    }
    return (mean["miss"] - mean["hit"]) / n


def rrelieff(columns, y, k, *, rule="rank", metric="manhattan", ties="share", missing="expected"):
    y = np.asarray(y, dtype=float)
    n, p = len(y), len(columns)
    n_dc, n_da, n_dcda = 0.0, np.zeros(p), np.zeros(p)
    for i in range(n):
        diffs = {j: differences(columns, i, j, missing, None) for j in range(n) if j != i}
        distances = {j: distance(d, metric) for j, d in diffs.items()}
        for j, weight in nearest(list(diffs), distances, k, ties, rule):
            dy = abs(y[i] - y[j]) / np.ptp(y)
            n_dc += dy * weight
            n_da += diffs[j] * weight
            n_dcda += dy * diffs[j] * weight
    return n_dcda / n_dc - (n_da - n_dcda) / (n - n_dc)
