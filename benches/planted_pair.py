"""A pair planted among 100,000 variants: what brings it up, what then proves it, and PLINK's scan.

Run as ``make planted-pair`` (minutes on two cores), or::

    python benches/planted_pair.py [--write FILE] [--people N] [--variants N] [--seed S]
        [--program FILE] [--long] [--scan]

The cohort is one of ``basrelief synth cohort``: two populations that confound, main effects,
linkage in blocks. ``--scan`` lets PLINK test all pairs of all variants; else it tests a part of
them, and its time is multiplied. ``--long`` ranks by ``vls``, and without pruning, too.
``--program`` takes a program that is built already.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from many_features import CATEGORICAL, program
from measuring import measure_command, replace_part

BLOCK = 20
# What PLINK tests of all pairs: one of so many parts.
PARTS = 200
TOP = 1000
# PLINK lists the pairs whose p-values are below this.
LISTED = "1e-6"
PRUNED = 0.5

RELIEFF = ["--method=relieff", "--neighbors=200"]
TURF = ["--wrap=turf:drop=0.5,keep=100"]
VLS = ["--wrap=vls:size=2000,rounds=25"]
# The r2 of the pruning, the options, and whether its ranking goes on to the pairs.
RANKINGS = [
    (PRUNED, RELIEFF, False),
    (PRUNED, [*RELIEFF, *CATEGORICAL], False),
    (PRUNED, [*RELIEFF, *CATEGORICAL, *TURF], True),
]
# Minutes of CPU time each.
LONG = [(PRUNED, [*RELIEFF, *CATEGORICAL, *VLS], True), (None, [*RELIEFF, *CATEGORICAL], False)]


def block(name):
    """Give the block of a variant: names count from 1."""
    return (int(name.removeprefix("snp")) - 1) // BLOCK


class Story:
    """A cohort, and what is done with it."""

    def __init__(self, folder, basrelief, arguments):
        self.folder, self.basrelief = Path(folder), basrelief
        self.bed = self.folder / "cohort.bed"
        command = [basrelief, "synth", "cohort", f"--rows={arguments.people}"]
        command += [f"--variants={arguments.variants}", f"--block={BLOCK}"]
        command += ["--recombination=0.02", "--frequencies=0.2:0.5", "--heritability=0.6"]
        command += ["--populations=2", "--fst=0.01", "--confounding=0.05"]
        command += [f"--seed={arguments.seed}", f"--output={self.bed}", "--quiet"]
        self.made = measure_command([*command, f"--truth={self.folder / 'truth.json'}"])
        truth = json.loads((self.folder / "truth.json").read_text())
        self.pair = truth["interacting"][0]
        self.main = [name for name in truth["relevant"] if name not in self.pair]
        self.kept = {}

    def extract(self, r2):
        """Prune once, and give the option that keeps what is left."""
        if r2 is None:
            return []
        file = self.folder / f"kept-{r2}.txt"
        if r2 not in self.kept:
            prune = [self.basrelief, "quality", self.bed, f"--ld-prune=50:5:{r2}", "--quiet"]
            prune += [f"--write-snplist={file}", "--format=csv"]
            times = measure_command(prune)
            self.kept[r2] = (len(file.read_text().split()), times)
        return [f"--extract={file}"]

    def ranking(self, r2, options):
        """Rank; ranks of the best variant in the blocks of the pair and of main ones, and times."""
        file = self.folder / "ranking.json"
        command = [self.basrelief, "rank", self.bed, "--quiet", f"--output={file}"]
        times = measure_command([*command, *self.extract(r2), *options])
        ranks = {}
        for feature in json.loads(file.read_text())["features"]:
            place = block(feature["name"])
            ranks[place] = min(feature["rank"], ranks.get(place, feature["rank"]))
        of = [[ranks.get(block(name)) for name in names] for names in (self.pair, self.main)]
        return of, times

    def pairs(self, r2):
        """Test the pairs among the best of the last ranking."""
        file = self.folder / "pairs.json"
        command = [self.basrelief, "pairs", self.bed, f"--from={self.folder / 'ranking.json'}"]
        command += [f"--top={TOP}", "--pairs=1000", "--quiet", f"--output={file}"]
        times = measure_command([*command, *self.extract(r2)])
        return json.loads(file.read_text()), times

    def is_pair(self, one, other):
        """Whether two variants lie in the blocks of the pair."""
        return {block(one), block(other)} == {block(name) for name in self.pair}

    def scan(self, r2, part=None):
        """Let PLINK test all pairs, or one part of them; what it lists, sorted, and times."""
        out = self.folder / "scan"
        command = ["plink1.9", "--bfile", self.bed.with_suffix(""), "--threads", "1"]
        command += ["--fast-epistasis", "boost", "--epi1", LISTED, "--out", out]
        if r2 is not None:
            command += ["--extract", self.folder / f"kept-{r2}.txt"]
        if part is not None:
            command += ["--parallel", part, PARTS]
        times = measure_command(command)
        name = "scan.epi.cc" if part is None else f"scan.epi.cc.{part}"
        lines = (self.folder / name).read_text().split("\n")
        # Only the first part has the heads of the columns.
        heads = ["CHR1", "SNP1", "CHR2", "SNP2", "STAT", "DF", "P"]
        rows = (dict(zip(heads, line.split(), strict=False)) for line in lines[part in (None, 1) :])
        listed = [row for row in rows if row and row["STAT"] != "nan"]
        return sorted(listed, key=lambda row: -float(row["STAT"])), times


def shown(times):
    """Write the seconds and CPU seconds of what was measured."""
    return " | ".join(f"{part:.3g}" for part in times[:2])


def spelled(ranks):
    """Spell ranks; a dash where no variant of the block is left."""
    return ", ".join("-" if rank is None else f"{rank:,}" for rank in ranks)


def rankings(story, settings, say):
    """Make the table of rankings, and the rows of the pairs behind some of them."""
    lines = [
        "| pruned at r2 | variants | options | pair | main variants | s | CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    behind = []
    for r2, options, goes_on in settings:
        (pair, main), times = story.ranking(r2, options)
        count = f"{story.kept[r2][0]:,}" if r2 else "all"
        ranks = " | ".join(spelled(places) for places in (pair, main))
        lines.append(
            f"| {r2 or '-'} | {count} | `{' '.join(options)}` | {ranks} | {shown(times)} |"
        )
        say(lines[-1])
        if goes_on:
            behind.append(pair_row(story, r2, options[-1], *story.pairs(r2)))
            say(behind[-1])
    return lines, behind


def pair_row(story, r2, wrap, found, times):
    """Spell a row of the second table: the strongest pair of `pairs`, and the next other one."""
    pairs = [
        ([feature["name"] for feature in pair["features"]], pair["statistic"])
        for pair in found["pairs"]
    ]
    names, strongest = pairs[0]
    others = [statistic for both, statistic in pairs if not story.is_pair(*both)]
    ranks = (place for place, (both, _) in enumerate(pairs, 1) if story.is_pair(*both))
    rank = next(ranks, "not found")
    other = f"{others[0]:.1f}" if others else "-"
    what = f"`pairs --top {TOP}` behind `{wrap}`, pruned at {r2}"
    return (
        f"| {what} | {found['tested']:,} | {rank} | {names[0]}, {names[1]}: {strongest:.1f} "
        f"| {other} | {shown(times)} |"
    )


def scan_row(story, r2, whole, say):
    """Spell a row of the second table: PLINK's scan."""
    count = story.kept[r2][0] if r2 else sum(1 for _ in (story.folder / "cohort.bim").open())
    parts = [None] if whole else [1]
    listed, times = story.scan(r2, *parts)
    pairs = count * (count - 1) // 2
    what = f"PLINK 1.9, pruned at {r2}" if r2 else "PLINK 1.9, all variants"
    if whole:
        are_pair = [story.is_pair(row["SNP1"], row["SNP2"]) for row in listed]
        rank = are_pair.index(True) + 1 if True in are_pair else "not found"
        strongest, other = "-", f"none with p < {LISTED}"
        if listed:
            strongest = f"{listed[0]['SNP1']}, {listed[0]['SNP2']}: {float(listed[0]['STAT']):.1f}"
        if False in are_pair:
            other = f"{float(listed[are_pair.index(False)]['STAT']):.1f}"
        cells = f"{rank} | {strongest} | {other} | {shown(times)}"
    else:
        cells = f"not asked | - | - | about {shown([PARTS * part for part in times])}"
        what += f" (time of one part of {PARTS}, times {PARTS})"
    line = f"| {what} | {pairs:,} | {cells} |"
    say(line)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also put the tables into this page")
    parser.add_argument("--people", type=int, default=4000)
    parser.add_argument("--variants", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", help="a program that is built already")
    parser.add_argument("--long", action="store_true", help="also what takes minutes of CPU time")
    parser.add_argument("--scan", action="store_true", help="PLINK tests all pairs of all variants")
    arguments = parser.parse_args()

    def say(line):
        print(line, file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        story = Story(folder, arguments.program or program(), arguments)
        say(f"made in {story.made[0]:.1f} s; pair {story.pair}, main {story.main}")
        table, behind = rankings(story, RANKINGS + (LONG if arguments.long else []), say)
        second = [
            "| what | pairs | rank of the pair | strongest: chi2 | strongest other | s | CPU s |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            *behind,
            scan_row(story, PRUNED, True, say),
            scan_row(story, None, arguments.scan, say),
        ]
        pruning = ", ".join(
            f"at {r2} {count:,} variants remain, in {times[1]:.1f} CPU s"
            for r2, (count, times) in story.kept.items()
        )
        head = (
            f"{arguments.people:,} people, {arguments.variants:,} variants, seed {arguments.seed}, "
            f"made in {story.made[1]:.1f} CPU s; the pair is {' and '.join(story.pair)}. Pruning: "
            f"{pruning}. "
            f"{os.cpu_count()} cores; one-minute load at the end {os.getloadavg()[0]:.1f}; "
            f"{'a given program' if arguments.program else 'the profile dist'}.\n"
        )
    lines = [head, *table, "", *second]
    print("\n".join(lines))
    if arguments.write:
        replace_part(arguments.write, "table", lines)


if __name__ == "__main__":
    main()
