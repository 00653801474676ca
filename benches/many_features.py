"""An interacting pair among 10,000 genotypes: what finds it, and in what time.

Run as ``make bench-snps`` (minutes on two cores), or::

    python benches/many_features.py [--write FILE] [--features N] [--seeds 1,2] [--long]

Data and weights come from the command line, which is built first. The data are those of ``basrelief
synth xor``: two relevant genotypes without any effect alone, the others noise. Reading the data is
in the CPU time and not in the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import replace_part

ROOT = Path(__file__).resolve().parents[1]
ROWS = 1600
RELEVANT = ("P1", "P2")

RELIEFF = ["--method=relieff", "--neighbors=100"]
MULTISURF = ["--method=multisurf"]
CATEGORICAL = ["--genotype-diff=categorical"]
TURF = ["--wrap=turf:drop=0.5,keep=20"]
VLS = ["--wrap=vls:size=500,rounds=60"]
SETTINGS = [
    RELIEFF,
    MULTISURF,
    [*MULTISURF, *TURF],
    [*RELIEFF, *CATEGORICAL],
    [*MULTISURF, *CATEGORICAL],
    [*RELIEFF, *CATEGORICAL, *TURF],
    [*MULTISURF, *CATEGORICAL, *TURF],
    [*RELIEFF, *CATEGORICAL, *VLS],
]
# A quarter of an hour and more on two cores.
LONG = [[*RELIEFF, "--wrap=vls:size=200,rounds=150"]]


def program():
    """Build the command line and return its path."""
    build = ["cargo", "build", "--profile=dist", "--locked", "--quiet", "--package=basrelief-cli"]
    build += ["--message-format=json-render-diagnostics"]
    output = subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = [json.loads(line) for line in output.splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


def generate(basrelief, features, seed, file):
    command = [basrelief, "synth", "xor", f"--rows={ROWS}", f"--features={features}"]
    command += [f"--seed={seed}", f"--output={file}"]
    subprocess.run(command, check=True, capture_output=True)


def measure(basrelief, file, options):
    """Ranks of the relevant features, and the seconds and CPU seconds of the fit."""
    command = [basrelief, "rank", file, "--target=class", "--format=json", "--quiet", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ranks = sorted(feature["rank"] for feature in result["features"] if feature["name"] in RELEVANT)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ranks, result["seconds"], cpu


def report(basrelief, features, seeds, settings):
    shown = ", ".join(str(seed) for seed in seeds)
    lines = [
        f"| options | ranks of the pair, seed {shown} | s | CPU s |",
        "| --- | --- | --- | --- |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{seed}.csv" for seed in seeds]
        for seed, file in zip(seeds, files, strict=True):
            generate(basrelief, features, seed, file)
        for options in settings:
            found = [measure(basrelief, file, options) for file in files]
            ranks = "; ".join(", ".join(map(str, ranks)) for ranks, _, _ in found)
            times = [sum(part) / len(found) for part in list(zip(*found, strict=True))[1:]]
            cells = " | ".join(f"{time:.3g}" for time in times)
            lines.append(f"| `{' '.join(options)}` | {ranks} | {cells} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the table into this page")
    parser.add_argument("--features", type=int, default=10_000)
    parser.add_argument("--seeds", default="1", help="seeds of the data, separated by commas")
    parser.add_argument("--long", action="store_true", help="also what takes a quarter of an hour")
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    settings = SETTINGS + (LONG if arguments.long else [])
    lines = report(program(), arguments.features, seeds, settings)
    table = "\n".join(lines)
    print(f"{ROWS} rows, {arguments.features} features, {os.cpu_count()} cores\n\n{table}")
    if arguments.write:
        replace_part(arguments.write, "table", lines)


if __name__ == "__main__":
    main()
