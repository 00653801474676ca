"""What permutation p-values do where nothing is to be found, and what intervals cover.

Run as ``make calibration`` (hours on two cores), or::

    python benches/calibration.py [--write FILE] [--sets N] [--runs N] [--part nulls,power]

The tables are written between the marks of the page, and the figure of the power next to it. The
part `designs` stores the result of every data set, so that a stopped run resumes.
``make calibration QUICK=1`` tests 50 data sets of every design, each with one of the two methods in
turn, and of one- and two-sided tests, and fails if a family-wise error rate is outside of limits
for all of them together.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import designs
import intervals
import nulls
import numpy as np
import pair_tests
import power
from many_features import program
from measuring import replace_part
from scipy import stats

LEVEL = 0.05
PERMUTATIONS = 999
# Data sets of every design in a quick run.
QUICK = 50
# Fewer where every permutation is a fit, as expected differences of missing values depend on the
# classes; the error rates do not depend on how many.
FEWER = {"mixed": 199}
# Method, null, and whether the batches are strata of the permutations.
CASES = [
    ("relieff", "numbers", False),
    ("multisurf", "numbers", False),
    ("relieff", "genotypes", False),
    ("multisurf", "genotypes", False),
    ("relieff", "mixed", False),
    ("multisurf", "mixed", False),
    ("rrelieff", "real target", False),
    ("multisurf", "real target", False),
    ("relieff", "confounded", True),
    ("multisurf", "confounded", True),
    ("relieff", "confounded", False),
    ("multisurf", "confounded", False),
]
TRUTH = [(method, kind) for kind in ("numbers", "genotypes") for method in ("relieff", "multisurf")]


def selector(method, data):
    """Make a selector of one thread for the data."""
    import basrelief

    kinds = {"relieff": "ReliefF", "rrelieff": "RReliefF", "multisurf": "MultiSURF"}
    categories = [place for place, kind in enumerate(data.kinds) if kind == "categorical"]
    options = {"categorical_features": categories} if categories else {}
    return getattr(basrelief, kinds[method])(n_jobs=1, **options)


def permuted(method, data, number, within=False, correction="fdr", n_permutations=PERMUTATIONS):
    from basrelief import permutation_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return permutation_test(
            selector(method, data),
            data.X,
            data.y,
            n_permutations=n_permutations,
            strata=data.batches if within else None,
            alpha=LEVEL,
            correction=correction,
            random_state=number,
        )


def null_set(case, number):
    """P-values, the least adjusted p-value and the least q-value of one data set."""
    method, name, within = case
    n_permutations = FEWER.get(name, PERMUTATIONS)
    test = permuted(method, nulls.make(name, number), number, within, n_permutations=n_permutations)
    return test.pvalues_, test.adjusted_pvalues_.min(), test.qvalues_.min()


def pair_set(case, number):
    """P-values of a test of pairs."""
    test, name = case
    data = nulls.make(name, number)
    if test == "stir":
        return pair_tests.stir(data.X, data.kinds, data.y)
    return pair_tests.npdr(data.X, data.kinds, data.y, data.is_classes)


def truth_set(case, number):
    """By correction, the share of false features among the selected, and of the true that are."""
    method, kind = case
    data = nulls.make(f"true {kind}", number)
    true = np.zeros(data.X.shape[1], dtype=bool)
    true[data.relevant] = True
    rows = []
    for correction in ("max-t", "fdr", "storey"):
        test = permuted(method, data, number, correction=correction)
        chosen = test.selected_
        rows.append(
            (
                (chosen & ~true).sum() / max(1, chosen.sum()),
                (chosen & ~true).any(),
                chosen[true].mean(),
                (test.pvalues_[~true] <= LEVEL).mean(),
            )
        )
    return rows


def share(values):
    """Spell a mean over data sets and its standard error."""
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def distance_from_uniform(p_values, steps=None):
    """Give the p-value of Kolmogorov and Smirnov's test of one random feature of every data set.

    The p-values of one data set depend on each other, so that one of them is taken. Where they are
    multiples of 1 / `steps`, a uniform number takes their place inside of the step.
    """
    rng = np.random.default_rng(0)
    taken = np.array([values[rng.integers(len(values))] for values in p_values])
    if steps is not None:
        taken -= rng.random(len(taken)) / steps
    return stats.kstest(taken, "uniform").pvalue


def null_sets(pool, case, sets, known):
    """Test all data sets of a case, once."""
    if case not in known:
        known[case] = list(pool.map(null_set, repeat(case), range(sets), chunksize=10))
    return known[case]


def spelled(method, within):
    return f"{method}, within batches" if within else method


def null_table(pool, sets, known):
    lines = [
        "| null | method | KS p | p ≤ 0.05 | max-T: any found | FDR: any found |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, name, within in CASES:
        found = null_sets(pool, (method, name, within), sets, known)
        p_values, adjusted, q_values = zip(*found, strict=True)
        uniform = distance_from_uniform(p_values, FEWER.get(name, PERMUTATIONS) + 1)
        cells = [
            name,
            spelled(method, within),
            f"{uniform:.2g}",
            share([(values <= LEVEL).mean() for values in p_values]),
            share(np.array(adjusted) <= LEVEL),
            share(np.array(q_values) <= LEVEL),
        ]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def pair_table(pool, sets, known):
    lines = [
        "| null | test | KS p | p ≤ 0.05 | p ≤ 0.001 |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in nulls.NULLS:
        for test in ("permutations", "STIR", "npdr"):
            if test == "STIR" and name == "real target":
                continue
            if test == "permutations":
                method = "rrelieff" if name == "real target" else "relieff"
                case = (method, name, name == "confounded")
                p_values = [values for values, _, _ in null_sets(pool, case, sets, known)]
                steps = FEWER.get(name, PERMUTATIONS) + 1
                uniform = distance_from_uniform(p_values, steps)
            else:
                case = (test.lower(), name)
                p_values = list(pool.map(pair_set, repeat(case), range(sets), chunksize=10))
                uniform = distance_from_uniform(p_values)
            cells = [
                name,
                test,
                f"{uniform:.2g}",
                share([(values <= LEVEL).mean() for values in p_values]),
                share([(values <= 0.001).mean() for values in p_values]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def truth_table(pool, sets):
    lines = [
        "| data | method | correction | false among the selected | any false | true found "
        "| noise with p ≤ 0.05 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind in TRUTH:
        found = list(pool.map(truth_set, repeat((method, kind)), range(sets), chunksize=5))
        for place, correction in enumerate(("max-t", "fdr", "storey")):
            columns = zip(*(row[place] for row in found), strict=True)
            cells = " | ".join(share(column) for column in columns)
            lines.append(f"| {kind} | {method} | {correction} | {cells} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the tables into this page")
    parser.add_argument("--sets", type=int, default=1000, help="data sets of a null")
    parser.add_argument("--runs", type=int, default=30, help="data sets of a point of the power")
    parts = "nulls,pairs,truth,power,designs,pair-designs,sided,planted,folds,intervals"
    parser.add_argument("--part", default=parts, help="parts, by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets of `designs`")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.part, arguments.sets, arguments.write = "designs,pair-designs,sided", QUICK, None
    known, outside = {}, []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for part in arguments.part.split(","):
            start = time.perf_counter()
            if part == "nulls":
                lines = null_table(pool, arguments.sets, known)
            elif part == "pairs":
                lines = pair_table(pool, arguments.sets, known)
            elif part == "truth":
                lines = truth_table(pool, arguments.sets // 5)
            elif part == "power":
                lines, figure = power.table(pool, program(), arguments.runs)
                if arguments.write:
                    (arguments.write.parent / power.FIGURE).write_text(figure)
            elif part == "designs":
                lines, wrong = designs.table(pool, arguments.sets, arguments.quick)
                outside += wrong
            elif part == "pair-designs":
                lines, wrong = designs.pairs_table(pool, arguments.sets, arguments.quick)
                outside += wrong
            elif part == "sided":
                lines, wrong = designs.sided_table(pool, arguments.sets, arguments.quick)
                outside += wrong
            elif part == "planted":
                lines = designs.planted_table(pool)
            elif part == "folds":
                lines = designs.folds_table(pool)
            elif part == "intervals":
                lines = intervals.table(pool, max(2, arguments.sets // 2))
            else:
                raise SystemExit(f"there is no part `{part}`")
            print("\n".join(lines), f"\n{part}: {time.perf_counter() - start:.0f} s\n")
            if arguments.write:
                replace_part(arguments.write, part, lines)
    if outside:
        raise SystemExit("rates outside of the limits: " + "; ".join(outside))


if __name__ == "__main__":
    main()
