#!/usr/bin/env bash
# Runs the tests that depend on the instruction set, with each level of this machine forced in turn.
# The tests of the kernels and of the command line (`levels`) run all levels themselves.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'levels: %s\n' "$*"; }

# The complete workspace is used, so that nothing is built twice.
tests() { cargo test --quiet --locked --workspace --features parquet,figures,ndarray "$@"; }

say "kernels and fits at all levels"
tests --test agreement
tests --test cli levels

program="${CARGO_TARGET_DIR:-target}/debug/basrelief"
folder="$(mktemp -d)"
trap 'rm -r "$folder"' EXIT
printf 'x,class\n1.5,a\n2.5,b\n1.7,a\n2.1,b\n' > "$folder/table.csv"
for level in portable avx2 avx512; do
    export BASRELIEF_SIMD="$level"
    rank=("$program" rank "$folder/table.csv" --target class --neighbors 1 --quiet)
    if ! message="$("${rank[@]}" 2>&1 > /dev/null)"; then
        [[ "$message" == *"this machine does not support"* ]] || { say "$message" >&2; exit 1; }
        say "$level SKIPPED: this machine does not have it"
        continue
    fi
    say "$level: the library against its textbook version"
    tests --test naive -- --exact \
        the_engine_equals_the_textbook sampled_rows_find_the_textbook_neighbors
    tests --test tree
done
