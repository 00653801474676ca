#!/usr/bin/env bash
# Tests a wheel like a new user: in a new environment without Rust in its PATH, with the program's demo
# and the Python example of the README.
#
#   scripts/test-wheel.sh WHEEL
set -euo pipefail
wheel="$(realpath "$1")"
root="$(cd "$(dirname "$0")/.." && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
say() { printf 'test-wheel: %s\n' "$*"; }

most=$((12 * 1000 * 1000))
size="$(wc -c < "$wheel")"
say "$(basename "$wheel"): $size bytes"
if ((size >= most)); then
    say "it is larger than $most bytes" >&2
    exit 1
fi

"$root/.venv/bin/python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel" pandas
cd "$folder"
# The environment contains neither Rust nor the source tree.
export PATH="$folder/venv/bin:/usr/bin:/bin"
unset PYTHONPATH
if command -v cargo > /dev/null; then
    say "there is a cargo on the PATH" >&2
    exit 1
fi

basrelief --version
basrelief demo > demo.txt
grep -q 'Epistasis' demo.txt
test "$(python -m basrelief demo | head -1)" = "$(head -1 demo.txt)"
basrelief synth xor --rows 1600 --features 100 --output snps.csv --quiet
basrelief synth mixed --rows 50 --output mixed.parquet --quiet
basrelief rank mixed.parquet --target outcome --quiet > /dev/null

# The README's example, and the output below it.
python - "$root/README.md" << 'END'
import re
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text(encoding="utf-8")
example, shown = re.search(r"```python\n(import pandas.*?)```\n```text\n(.*?)```", text, re.S).groups()
Path("example.py").write_text(example, encoding="utf-8")
Path("shown.txt").write_text(shown, encoding="utf-8")
END
python example.py > printed.txt
diff shown.txt printed.txt
say "the program and the README's example work without Rust"
