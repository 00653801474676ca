"""Record on every benchmark page which commit and sources it measured, and find outdated pages.

    python benches/stamp.py docs/benchmarks.md    record the sources of today: `make bench` does it
    python benches/stamp.py --release             fail if a page was measured before the last change

A page has a line with the hash of the files that it measures, and the commit on which they were
measured. A page with another hash needs the line `STALE`; `python/tests/test_benchmark_pages.py`
checks it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
STALE = "Measured before the last change of the engine."
MARK = "<!-- measured sources: {}, commit {} -->"
HASH = "([0-9a-f]{16})"
COMMIT = "([0-9a-f]{8}(?: and later changes)?)"

LIBRARY = "crates/basrelief/src"
ENGINE = [
    "crates/basrelief-kernels/src/*.rs",
    *(f"{LIBRARY}/{folder}/*.rs" for folder in ["differences", "neighbors", "margins", "knn"]),
    f"{LIBRARY}/thresholds.rs",
]
OBJECTIVES = [f"{LIBRARY}/objectives/*.rs", f"{LIBRARY}/solve/*.rs"]


def methods(*names):
    """Give the files of some methods."""
    return [f"{LIBRARY}/methods/{name}.rs" for name in names]


# The files that the rows of a page run.
PAGES = {
    "docs/survival.md": [
        *ENGINE,
        *methods("survival_relief", "surf", "multisurf", "steps", "radius", "shared"),
        f"{LIBRARY}/data/targets/*.rs",
    ],
    "docs/blocks.md": [
        *ENGINE,
        *methods("relieff", "multisurf", "steps", "radius", "shared"),
        f"{LIBRARY}/data/roles/feature_blocks.rs",
    ],
    "docs/targets.md": [
        *ENGINE,
        *methods("rrelieff", "multisurf", "steps", "radius", "shared"),
        f"{LIBRARY}/data/targets/*.rs",
    ],
    "docs/skrebate.md": [*ENGINE, *methods("skrebate")],
    "docs/selection.md": [
        *ENGINE,
        *methods("relieff", "surf_star", "multisurf", "steps", "radius", "shared"),
        f"{LIBRARY}/selection/*.rs",
    ],
    "docs/benchmarks.md": [
        *ENGINE,
        *methods("relieff", "surf", "multisurf", "steps", "radius", "shared"),
    ],
    "docs/benchmarks-maps.md": [*ENGINE, *OBJECTIVES, f"{LIBRARY}/methods/*.rs"],
    "docs/benchmarks-neighbors.md": ENGINE,
    "docs/large-data.md": [
        *ENGINE,
        *methods("relieff", "multisurf", "steps", "radius", "shared"),
    ],
    "docs/benchmarks-genetics.md": [*ENGINE, "crates/basrelief-genetics/src/**/*.rs"],
    # The corrections. The weights are exact, and a test pins the permutations of rows.
    "docs/significance.md": [
        f"{LIBRARY}/inference/permutation_test.rs",
        f"{LIBRARY}/inference/multiple_testing.rs",
    ],
    "docs/benchmarks-spark.md": [
        *ENGINE,
        f"{LIBRARY}/distribute/*.rs",
        "python/basrelief/spark/*.py",
    ],
}


def source_hash(page):
    """Hash the names and contents of the files that a page measures."""
    files = sorted({file for pattern in PAGES[page] for file in ROOT.glob(pattern)})
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def commit_of_today():
    """Give the current commit, and whether files differ from it."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.check_output([*git, "rev-parse", "--short=8", "HEAD"], text=True).strip()
    status = [*git, "status", "--porcelain", "--untracked-files=no", "--", "crates", "python"]
    return f"{commit} and later changes" if subprocess.check_output(status) else commit


def recorded_hash(text):
    """Give the hash on a page, or None."""
    found = re.search(MARK.format(HASH, COMMIT), text)
    return found and found.group(1)


def without_stamp(text):
    """Remove the hash and the line of a page that is out of date."""
    text = re.sub(MARK.format(HASH, COMMIT) + "\n\n?", "", text)
    return text.replace(f"*{STALE}*\n\n", "")


def stamped(page, text, *, commit, stale=None):
    """Put hash and commit below the title: of today's sources, or an older one with `STALE`."""
    title, rest = without_stamp(text).split("\n", 1)
    line = f"\n*{STALE}*\n" if stale else ""
    return f"{title}\n\n{MARK.format(stale or source_hash(page), commit)}\n{line}{rest}"


def main():
    """Record the sources of pages, or check all of them for a release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", choices=[[], *PAGES])
    parser.add_argument("--release", action="store_true", help="fail if a page is out of date")
    arguments = parser.parse_args()
    for page in arguments.pages:
        file = ROOT / page
        file.write_text(stamped(page, file.read_text(), commit=commit_of_today()))
    if arguments.release:
        old = [page for page in PAGES if STALE in (ROOT / page).read_text()]
        if old:
            sys.exit(
                f"{', '.join(old)}: measured before the last change; run `make bench` and the like"
            )


if __name__ == "__main__":
    main()
