"""Run fuzz targets, with valid inputs as seeds.

    python fuzz/run.py                        all readers, 10 minutes each
    python fuzz/run.py pgen vcf --seconds 60  two readers, a minute each
    python fuzz/run.py kernels --seconds 60   the kernels, a minute

The targets are built with libFuzzer's instrumentation flags, by any version of Rust and a C++
compiler; `cargo fuzz` is not needed. A failing input is stored in fuzz/artifacts/TARGET, and ends
the run with the exit code of the target.
"""

import argparse
import gzip
import os
import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parent
HOST = "x86_64-unknown-linux-gnu"
BETWEEN = b"\xfe\xfe\xfe"
KERNELS = 20

INSTRUMENTED = [
    "--cfg=fuzzing",
    "-Ccodegen-units=16",
    "-Cpasses=sancov-module",
    *(
        f"-Cllvm-args=-sanitizer-coverage-{option}"
        for option in ["level=4", "inline-8bit-counters", "pc-table", "trace-compares"]
    ),
]

BIM = b"1 a 0 5 A C\n1 b 0 6 A C\n2 . 0 7 A C\nX c 0 8 A C\n"
FAM = b"f1 p1 0 0 1 1\nf1 p2 0 0 2 2\nf2 p3 p1 p2 1 2\nf3 p1 0 0 0 -9\nf4 p5 0 0 0 1\n"
PVAR = b"##x\n#CHROM POS ID REF ALT INFO\n1 5 a A C .\n1 6 b A C,G x\n2 7 . A . y\nX 8 c A C .\n"
PSAM = (
    b"#FID IID SEX PAT MAT x\nf p 1 0 0 1\nf q NA 0 0 2\nf r F p q NA\ng s M 0 0 1\ng t 2 0 0 2\n"
)
PED = b"f1 p1 0 0 1 1 A C AT A 1 2\nf1 p2 0 0 2 2 0 0 A A 2 2\nf2 p3 p1 p2 1 2 G A T T . .\n"
MAP = b"1 a 0 5\n1 b 0 -6\nX c 0 8\n"
TPED = b"1 a 0 5 A C 0 0 G A A A C C\nX b 0 -6 A 0 A A T T A AT G G\n2 . 0 7 1 2 2 2 1 1 . . 2 2\n"
VCF = (
    b"##fileformat=VCFv4.3\n##contig=<ID=1,length=9>\n"
    b"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts0\ts1\n"
    b"1\t7\ta\tA\tC\t.\t.\t.\tGT:DP\t0/1:3\t1|1:.\n"
    b"X\t8\t.\tA\tC,G\t.\t.\t.\tGT\t./.\t0/2\n"
    b"2\t9\tb\tA\t.\t.\t.\t.\tDP:GT\t3:0\t.:0/.\n"
)


def counts(mode, control):
    """Return the start of a ``.pgen`` file with four variants and five people."""
    return bytes([0x6C, 0x1B, mode, 4, 0, 0, 0, 5, 0, 0, 0, control])


def of_records(kinds, records):
    """Return a ``.pgen`` file whose records differ in type (a byte each) and length."""
    index = bytes([*kinds, *map(len, records)])
    start = (20 + len(index)).to_bytes(8, "little")
    return counts(0x10, 0x44) + start + index + b"".join(records)


def seeds():
    """Return valid inputs for every target."""
    codes = bytes([0b11100100, 0b01, 0b00011011, 0b11, 0b11110000, 0b10, 0b10100100, 0b00])
    raw = b"\xe4\x01"
    records = [
        of_records([0, 2, 3, 1], [raw, b"\x01\x02\x01", b"\x00", b"\x01\x15\x01\x03\x02"]),
        of_records([4, 8, 6, 7], [b"\x02\x00\x09\x03", raw + b"\xff", b"\x01\x04\x03", b"\x00"]),
        of_records([0x10, 5, 0x60, 2], [raw + b"\x05", b"", bytes(13), b"\x00"]),
    ]
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }"
    widths = [
        counts(0x02, 0x40) + codes,
        counts(0x03, 0x40) + bytes(4 * 12),
        counts(0x04, 0xC0) + bytes(1 + 4 * 22),
    ]
    lists = [
        b"FID IID height\nf1 p1 1.5\nf1 p2 2\nf2 p3 NA\n",
        b"f1 p1\nf2 p3\nf3 p1\n",
        b"#IID\np3\n",
        b"a b 1:5:A:C\n",
        b"c\n",
        b"FID IID age site\nf1 p1 30 x\nf1 p2 NA y\nf2 p3 -9 x\nf3 p1 41 x\n",
    ]
    arff = b"@relation x\n@attribute a numeric\n@attribute b {u,v}\n@data\n1,u\n?,v\n{0 3}\n"
    tables = [
        b"a,b\n1,x\n2,'y'\n",
        b"a\tb\n1\tx\n",
        arff,
        b"\x93NUMPY\x01\x00\x46\x00" + shape.ljust(69) + b"\n" + bytes(8),
        b"PK\x03\x04",
        gzip.compress(b"a,b\n1,x\n", mtime=0),
    ]
    return {
        "bed": [BETWEEN.join([b"\x6c\x1b\x01" + codes, BIM, FAM])],
        "pgen": [BETWEEN.join([data, PVAR, PSAM]) for data in records + widths]
        + [BETWEEN.join([records[0], BIM, FAM])],
        # The first byte chooses the format.
        "ped": [b"\x00" + PED + BETWEEN + MAP, b"\x01" + TPED + BETWEEN + FAM],
        "vcf": [VCF, gzip.compress(VCF, mtime=0)],
        "lists": [bytes([which]) + BETWEEN.join(lists) for which in (0x3F, 0x41, 0x16, 0x28, 0x81)],
        "tables": [bytes([which]) + table for which, table in enumerate(tables)],
        # The first byte chooses the kernel.
        "kernels": [bytes([which]) + bytes(range(1, 200)) for which in range(KERNELS)],
    }


def main():
    """Build the targets and run one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", help="targets [default: all readers]")
    parser.add_argument("--seconds", type=int, default=600, help="time of each [default: 600]")
    arguments = parser.parse_args()
    inputs = seeds()
    targets = arguments.targets or [target for target in inputs if target != "kernels"]
    unknown = [target for target in targets if target not in inputs]
    if unknown:
        parser.error(f"no target is called {unknown[0]}; they are {', '.join(inputs)}")
    # With an explicit target, programs that run during the build are not instrumented.
    build = ["cargo", "build", "--release", "--locked", "--target", HOST, "--target-dir"]
    folder = FUZZ.parent / "target" / "fuzz"
    names = [word for target in targets for word in ("--bin", target)]
    environment = {**os.environ, "RUSTFLAGS": " ".join(INSTRUMENTED)}
    subprocess.run([*build, folder.resolve(), *names], cwd=FUZZ, env=environment, check=True)
    for target in targets:
        corpus, found = FUZZ / "corpus" / target, FUZZ / "artifacts" / target
        for place in (corpus, found):
            place.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(inputs[target]):
            (corpus / f"seed-{number}").write_bytes(seed)
        print(f"{target}: {arguments.seconds} s", flush=True)
        options = [f"-max_total_time={arguments.seconds}", "-max_len=4096", "-timeout=10"]
        options += ["-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={found}/"]
        # The output of the readers is not checked.
        code = subprocess.run([folder / HOST / "release" / target, corpus, *options]).returncode
        if code:
            sys.exit(code)


if __name__ == "__main__":
    main()
