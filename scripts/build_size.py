"""Check how much has to be compiled: the crates of a first build, and the code of the library.

    python scripts/build_size.py crates     units of `cargo build --release`, without building
    python scripts/build_size.py code       functions and bytes of the library that tests use

Fails if a number is more than a tenth above the recorded one below. A smaller dependency, a loop
through `parallel.rs` or a pointer instead of a type parameter makes it smaller; if the growth is
worth its time, record the new number.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Recorded on x86-64 Linux, with the toolchain of rust-toolchain.toml.
CRATES = 250
FUNCTIONS = 27_916
BYTES = 8_419_690
MARGIN = 1.1


def crates():
    """Count the units that cargo compiles or runs for the program."""
    command = ["cargo", "build", "--release", "--locked", "--unit-graph", "-Zunstable-options"]
    # A stable toolchain lists units only under this variable.
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    listed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return len(json.loads(listed.stdout)["units"])


def code():
    """Count the functions of the compiled library, and their bytes."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    library = target / "debug/libbasrelief.rlib"
    if not library.exists():
        raise SystemExit("build_size: the library is not compiled; run `make setup` first")
    command = ["nm", "--print-size", "--defined-only", library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    symbols = [line.split() for line in listed.splitlines()]
    sizes = [int(own[1], 16) for own in symbols if len(own) == 4 and own[2] in "tTwW"]
    return len(sizes), sum(sizes)


def main():
    """Check what the arguments name."""
    what = sys.argv[1:]
    if what == ["crates"]:
        found = {"units of a release build": (crates(), CRATES)}
    elif what == ["code"]:
        if platform.machine() != "x86_64" or not shutil.which("nm"):
            print("build_size: the code is not checked; this needs x86-64 and nm (binutils)")
            return
        functions, size = code()
        found = {
            "functions of the library": (functions, FUNCTIONS),
            "bytes of the library": (size, BYTES),
        }
    else:
        raise SystemExit(__doc__)
    for name, (count, recorded) in found.items():
        print(f"build_size: {count:,} {name}, recorded {recorded:,}")
    large = [name for name, (count, recorded) in found.items() if count > MARGIN * recorded]
    if large:
        raise SystemExit(
            f"build_size: {' and '.join(large)} grew by more than a tenth; see {__file__}"
        )


if __name__ == "__main__":
    main()
