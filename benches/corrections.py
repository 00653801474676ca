"""How often permutation tests find interacting features, by method, correction and sides.

Run as ``make corrections`` (ten minutes on two cores), or::

    python benches/corrections.py [--write FILE] [--sets N] [--program BASRELIEF]

The data are those of ``basrelief synth`` with the seeds from 0. The table is written between the
marks of the page. The result of every data set is stored in ``target/calibration/``, so that a
stopped run resumes.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path

import pandas as pd
from designs import PERMUTATIONS, stored
from many_features import program
from measuring import replace_part

LEVEL = 0.05
SIDES = ("one", "two")
CORRECTIONS = ("max-t", "studentized", "fdr")
PAIR = "synth xor --rows 1600 --features 100"
PARITY = "synth modulo-p --rows 800 --relevant 4 --irrelevant 16"
# Command and methods with their options.
CASES = [
    (f"{PAIR} --minor-allele-frequency 0.15 --heritability 0.10", "ReliefF", 100),
    (f"{PAIR} --minor-allele-frequency 0.15 --heritability 0.10", "MultiSURF", None),
    (f"{PAIR} --minor-allele-frequency 0.15 --heritability 0.10", "MultiSURFStar", None),
    (f"{PAIR} --minor-allele-frequency 0.20 --heritability 0.14", "MultiSURF", None),
    (f"{PAIR} --minor-allele-frequency 0.20 --heritability 0.14", "MultiSURFStar", None),
    (PARITY, "ReliefF", 10),
    (PARITY, "SURF", None),
    (PARITY, "SURFStar", None),
    (PARITY, "MultiSURFStar", None),
]


def make(basrelief, command, seed):
    """Generate a table; return the features, the target, and whether a feature is relevant."""
    with tempfile.TemporaryDirectory() as folder:
        data, truth = Path(folder) / "data.csv", Path(folder) / "truth.json"
        words = [basrelief, *shlex.split(command), "--quiet", f"--seed={seed}"]
        subprocess.run([*words, f"--output={data}", f"--truth={truth}"], check=True)
        known, table = json.loads(truth.read_text()), pd.read_csv(data)
    X = table.drop(columns=known["target"])
    return X, table[known["target"]], X.columns.isin(known["relevant"])


def power_set(case, seed):
    """By sides and correction, whether all relevant features are significant, and any other."""
    import basrelief

    basrelief_program, command, method, neighbors = case
    X, y, relevant = make(basrelief_program, command, seed)
    options = {} if neighbors is None else {"n_neighbors": neighbors}
    selector = getattr(basrelief, method)(n_jobs=1, **options)
    start = time.process_time()
    record = {}
    for sides in SIDES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = basrelief.permutation_test(
                selector,
                X,
                y,
                n_permutations=PERMUTATIONS,
                alpha=LEVEL,
                correction="studentized",
                sided=sides,
                random_state=seed,
            )
        size = test.weights_ if sides == "one" else abs(test.weights_)
        # One test for all corrections: the null threshold is that of max-T.
        significant = {
            "max-t": size > test.chance_weight_,
            "studentized": test.selected_,
            "fdr": test.qvalues_ <= LEVEL * (1 + 1e-12),
        }
        for correction, found in significant.items():
            record[f"{sides} {correction}"] = bool(found[relevant].all())
            record[f"{sides} {correction} false"] = bool(found[~relevant].any())
    # The smallest possible q-value of all relevant features.
    record["smallest q"] = len(relevant) / (relevant.sum() * (1 + PERMUTATIONS))
    best = test.weights_.argsort()[::-1][: relevant.sum()]
    record["ranked first"] = bool(relevant[best].all())
    record["seconds"] = round(time.process_time() - start, 3)
    return record


def table(pool, basrelief, sets):
    """Make the table: data sets in which all relevant features are found / any other is."""
    headings = ["data", "method", "ranked first", "max-T", "studentized", "FDR"]
    headings += ["two-sided max-T", "two-sided studentized", "two-sided FDR"]
    lines = [f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings)]
    commands, seconds = list(dict.fromkeys(command for command, _, _ in CASES)), 0.0
    for command, method, neighbors in CASES:
        # The path of the program is not part of the name of the file.
        records = stored(pool, PowerSet(basrelief), (command, method, neighbors), sets)
        seconds += sum(record["seconds"] for record in records)
        count = {name: sum(record[name] for record in records) for name in records[0]}
        cells = ["ABCDEFG"[commands.index(command)]]
        cells += [method if neighbors is None else f"{method} (k = {neighbors})"]
        cells += [str(count["ranked first"])]
        for sides in SIDES:
            for correction in CORRECTIONS:
                name = f"{sides} {correction}"
                if correction == "fdr" and records[0]["smallest q"] > LEVEL:
                    cells.append("-")
                    continue
                cells.append(f"{count[name]} / {count[f'{name} false']}")
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    described = [f"- {'ABCDEFG'[place]}: `basrelief {own}`" for place, own in enumerate(commands)]
    lines += [
        "",
        *described,
        "",
        f"Seeds 0 to {sets - 1}, {PERMUTATIONS} permutations, {date.today().isoformat()}, "
        f"{os.cpu_count()} cores, {seconds / 60:.0f} minutes of CPU time.",
    ]
    return lines


class PowerSet:
    """`power_set` with the path of the program, which can be sent to another process."""

    __name__ = "power_set"

    def __init__(self, basrelief):
        self.basrelief = basrelief

    def __call__(self, case, seed):
        """Test the data set of a seed."""
        return power_set((self.basrelief, *case), seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the table into this page")
    parser.add_argument("--sets", type=int, default=50, help="data sets per row")
    parser.add_argument("--program", help="the command line; it is built otherwise")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        lines = table(pool, arguments.program or program(), arguments.sets)
    if arguments.write:
        replace_part(arguments.write, "corrections", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
