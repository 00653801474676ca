"""Many rows: time and memory of the command line, and their growth from half as many rows.

Run as::

    python benches/many_rows.py [--program FILE] [--folder DIR] [--write docs/large-data.md]

``make bench-rows`` calls it. The tables have fixed seeds and are written once: numbers as ``.npy``
files, genotypes as PLINK filesets. Every fit is a process of its own on two threads; the seconds
include reading the file, and the memory is the peak of the process. It takes a quarter of an hour.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from measuring import ROOT, measure_command, processor, replace_part

# Kind, rows, columns, and arguments of `rank`.
CASES = [
    ("numbers", 1_000_000, 20, ["--method=relieff"]),
    ("numbers", 200_000, 200, ["--method=relieff"]),
    ("numbers", 200_000, 200, ["--method=multisurf", "--samples=2000"]),
    ("genotypes", 1_000_000, 1000, ["--method=relieff", "--samples=2000"]),
]

TOGETHER = 50_000


def write_numbers(file, rows, columns):
    """Write normal numbers and a column of classes that depend on three of them."""
    rng = np.random.default_rng(columns)
    shape = (rows, columns + 1)
    # A stopped run leaves no file of the final name.
    unfinished = file.with_suffix(".part")
    table = np.lib.format.open_memmap(unfinished, mode="w+", dtype=np.float64, shape=shape)
    for start in range(0, rows, TOGETHER):
        values = rng.normal(size=(min(TOGETHER, rows - start), columns + 1))
        effect = values[:, 0] * values[:, 1] + 0.3 * values[:, 2] + 0.5 * values[:, -1]
        values[:, -1] = effect > 0
        table[start : start + len(values)] = values
    table.flush()
    unfinished.rename(file)


def write_genotypes(file, rows, columns):
    """Write a fileset whose phenotype depends on the first two variants."""
    rng = np.random.default_rng(columns)
    # The two bits of 0, 1 and 2 copies of the first allele.
    bits = np.array([3, 2, 0], np.uint8)
    first = []
    with file.open("wb") as bed:
        bed.write(bytes([0x6C, 0x1B, 1]))
        for variant in range(columns):
            frequency = rng.uniform(0.05, 0.5)
            drawn = rng.random(rows, dtype=np.float32)
            both, any_copy = frequency**2, 1 - (1 - frequency) ** 2
            copies = (drawn < both).astype(np.uint8) + (drawn < any_copy)
            if variant < 2:
                first.append(copies)
            packed = bits[copies].reshape(-1, 4) << np.array([0, 2, 4, 6], np.uint8)
            bed.write(np.bitwise_or.reduce(packed, axis=1).tobytes())
    variants = (f"1\trs{place}\t0\t{place * 1000 + 1}\tA\tG\n" for place in range(columns))
    file.with_suffix(".bim").write_text("".join(variants))
    chance = np.where((first[0] > 0) ^ (first[1] > 0), 0.7, 0.3)
    cases = (rng.random(rows) < chance) + 1
    people = (f"{row}\t{row}\t0\t0\t1\t{case}\n" for row, case in enumerate(cases, start=1))
    # The last file: a fileset without it is written again.
    file.with_suffix(".fam").write_text("".join(people))


def data(folder, kind, rows, columns):
    """Write a table unless it exists; return the arguments that name it."""
    if kind == "numbers":
        file = folder / f"numbers-{rows}x{columns}.npy"
        if not file.exists():
            write_numbers(file, rows, columns)
        return [file, f"--target=x{columns + 1}"]
    file = folder / f"genotypes-{rows}x{columns}.bed"
    if not file.with_suffix(".fam").exists():
        write_genotypes(file, rows, columns)
    return [file]


def report(program, folder):
    """Measure all cases and return the lines of the table."""
    lines = [
        *processor(),
        f"- Profile of basrelief: `{program.resolve().parent.name}`; two threads, one run per row",
        "",
        "| command | data | seconds | processor seconds | growth | MB |",
        "|---|---|---|---|---|---|",
    ]
    for kind, rows, columns, arguments in CASES:
        before = None
        for size in (rows // 2, rows):
            table = data(folder, kind, size, columns)
            command = [program, "rank", *table, *arguments, "--threads=2", "--top=3", "--quiet"]
            used = measure_command(command)
            growth = "" if before is None else f"{used.cpu / before:.2g}"
            before = used.cpu
            words = " ".join(argument.replace("=", " ") for argument in arguments)
            lines.append(
                f"| `rank {words}` | {size:,} x {columns:,} {kind} | {used.seconds:.3g} "
                f"| {used.cpu:.3g} | {growth} | {used.megabytes:,.0f} |"
            )
            print(lines[-1], flush=True)
    return lines


def main():
    """Write the tables, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/basrelief")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--write", type=Path, help="page whose table is replaced")
    options = parser.parse_args()
    lines = report(options.program, options.folder)
    if options.write:
        replace_part(options.write, "rows", lines)


if __name__ == "__main__":
    main()
