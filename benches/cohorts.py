"""Cohorts of genotypes at the sizes that geneticists have: time and memory, beside PLINK.

Run as ``make bench-cohorts`` (half an hour on two cores), or::

    python benches/cohorts.py [--write FILE] [--only ROW] [--scale X] [--program FILE]

``--scale 0.1`` takes a tenth of the variants, to try the script; ``--only`` takes the rows whose
name contains a text. Cohorts are those of ``basrelief synth cohort``, written to a folder that is
removed at the end (8 GB). ``plink1.9``, ``plink2`` and ``bgzip`` are measured where they are there.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from many_features import program
from measuring import measure_command, processor, replace_part

PEOPLE = 10_000
# Copies of A1 of PLINK's codes; -1 is missing.
COPIES = np.array([2, -1, 1, 0], np.int8)


class Cohorts:
    """Made-up cohorts, each written when it is first asked for."""

    def __init__(self, folder, basrelief, scale):
        self.folder, self.basrelief, self.scale = Path(folder), basrelief, scale

    def bed(self, variants, missing=0.0):
        """Write a cohort of so many variants and give its ``.bed`` file."""
        variants = max(int(variants * self.scale), 200)
        file = self.folder / f"{variants}-{missing}.bed"
        if not file.exists():
            command = [self.basrelief, "synth", "cohort", f"--rows={PEOPLE}", "--seed=1"]
            command += [f"--variants={variants}", f"--missing={missing}", f"--output={file}"]
            measure_command([*command, "--quiet"])
        return file

    def npy(self, bed):
        """Write the same genotypes as a byte each, and give the file."""
        file = bed.with_suffix(".npy")
        if not file.exists():
            # In another process: the peak memory of a command includes that of the process that
            # starts it.
            writer = get_context("spawn").Process(target=write_npy, args=(bed, file))
            writer.start()
            writer.join()
        return file

    def vcf(self, bed):
        """Write the same as a VCF that bgzip compressed, by PLINK 2."""
        out = bed.with_suffix("")
        measure_command(["plink2", "--bfile", out, "--export", "vcf", "bgz", "--out", out])
        return Path(f"{out}.vcf.gz")


def write_npy(bed, file):
    """Write the genotypes of a ``.bed`` file as a byte each, the phenotype as the last column."""
    phenotype = np.loadtxt(bed.with_suffix(".fam"), usecols=5, dtype=np.int8)
    packed = np.memmap(bed, np.uint8, "r", offset=3).reshape(-1, -(-PEOPLE // 4))
    shape = (PEOPLE, len(packed) + 1)
    table = np.lib.format.open_memmap(file, "w+", np.int8, shape, fortran_order=True)
    for variant, four in enumerate(packed):
        codes = np.stack([four >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
        table[:, variant] = COPIES[codes.reshape(-1)[:PEOPLE]]
    table[:, -1] = phenotype
    table.flush()


def number(value):
    """Write a number to three digits or so."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def line(what, measured):
    cells = [number(measured.seconds), number(measured.cpu), number(measured.megabytes)]
    return f"| {what} | {' | '.join(cells)} |"


def rank(cohorts, method, data, *options):
    command = [cohorts.basrelief, "rank", data, f"--method={method}", "--top=1", "--quiet"]
    return measure_command([*command, *options])


def one_thread(cohorts):
    bed = cohorts.bed(100_000)
    size = f"10,000 people x {int(100_000 * cohorts.scale):,}"
    yield line(
        f"`relieff`, {size}, `.bed`, one thread", rank(cohorts, "relieff", bed, "--threads=1")
    )
    npy = cohorts.npy(bed)
    target = f"--target=x{int(100_000 * cohorts.scale) + 1}"
    found = rank(cohorts, "relieff", npy, "--threads=1", target)
    yield line("the same from `.npy`, a byte per genotype", found)
    npy.unlink()
    found = rank(cohorts, "relieff", cohorts.bed(100_000, 0.002), "--threads=1")
    yield line("the same from `.bed`, 0.2 % of the genotypes missing", found)
    found = rank(cohorts, "multisurf", bed, "--threads=1")
    yield line(f"`multisurf`, {size}, `.bed`, one thread", found)


def two_threads(cohorts):
    size = f"10,000 people x {int(500_000 * cohorts.scale):,}"
    options = ["--threads=2", "--memory=4G"]
    for method in ["relieff", "multisurf"]:
        found = rank(cohorts, method, cohorts.bed(500_000), *options)
        yield line(f"`{method}`, {size}, `.bed`, two threads, `--memory 4G`", found)
    found = rank(cohorts, "relieff", cohorts.bed(500_000, 0.002), *options)
    yield line("`relieff` of the same size, 0.2 % of the genotypes missing", found)


def pruning(cohorts):
    bed = cohorts.bed(500_000)
    kept = cohorts.folder / "kept.txt"
    command = [cohorts.basrelief, "quality", bed, "--ld-prune=50:5:0.2", "--top=1", "--quiet"]
    for threads, words in [(1, "one thread"), (2, "two threads")]:
        options = ["--force", f"--threads={threads}", f"--write-snplist={kept}"]
        found = measure_command([*command, *options])
        yield line(f"pruning of the 500,000, `--ld-prune 50:5:0.2`, {words}", found)
    if not shutil.which("plink2"):
        return
    out = cohorts.folder / "plink2"
    command = ["plink2", "--bfile", bed.with_suffix(""), "--out", out]
    prune = ["--indep-pairwise", "50", "5", "0.2"]
    for threads, words in [(2, "two threads"), (1, "one thread")]:
        found = measure_command([*command, *prune, "--threads", str(threads)])
        same = set(kept.read_text().split()) == set(Path(f"{out}.prune.in").read_text().split())
        list_is = "the same list" if same else "ANOTHER LIST"
        yield line(f"the same by plink2, {words}, {list_is}", found)
    counts = ["--freq", "--missing", "--hardy"]
    found = measure_command([*command, *prune, *counts, "--threads", "1"])
    yield line("plink2 with `--freq --missing --hardy`, which `quality` counts as well", found)


def pairs(cohorts):
    bed = cohorts.bed(10_000)
    ranking = cohorts.folder / "ranking.json"
    command = [cohorts.basrelief, "rank", bed, "--format=json", f"--output={ranking}"]
    measure_command([*command, "--quiet"])
    every = int(10_000 * cohorts.scale)
    command = [cohorts.basrelief, "pairs", bed, f"--from={ranking}", f"--top={every}"]
    found = measure_command([*command, "--threads=1", "--quiet"])
    yield line(f"`pairs --top {every}`, 10,000 people, one thread", found)
    if shutil.which("plink1.9"):
        out = cohorts.folder / "plink"
        command = ["plink1.9", "--bfile", bed.with_suffix(""), "--fast-epistasis", "boost"]
        found = measure_command([*command, "--threads", "1", "--out", out])
        yield line("all pairs of the same by plink1.9 `--fast-epistasis boost`", found)


def reading(cohorts):
    if not shutil.which("plink2"):
        return
    vcf = cohorts.vcf(cohorts.bed(100_000))
    for tool in ["bgzip", "gzip"]:
        if shutil.which(tool):
            found = measure_command([tool, "-dc", vcf])
            yield line(f"`{tool} -dc` of a VCF of 10,000 x {int(1e5 * cohorts.scale):,}", found)
    for threads, words in [(1, "one thread"), (2, "two threads")]:
        command = [cohorts.basrelief, "quality", vcf, "--top=1", f"--threads={threads}", "--quiet"]
        yield line(f"`quality` of the same, reading included, {words}", measure_command(command))


ROWS = {
    "one-thread": one_thread,
    "two-threads": two_threads,
    "pruning": pruning,
    "pairs": pairs,
    "reading": reading,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--program")
    arguments = parser.parse_args()
    basrelief = arguments.program or program()
    lines = [*processor(), "", "| what | seconds | CPU seconds | MB |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        cohorts = Cohorts(folder, basrelief, arguments.scale)
        for name, rows in ROWS.items():
            for found in rows(cohorts) if arguments.only in name else []:
                lines.append(found)
                print(found, file=sys.stderr, flush=True)
    print("\n".join(lines))
    if arguments.write:
        replace_part(Path(arguments.write), "table", lines)


if __name__ == "__main__":
    main()
