#!/usr/bin/env bash
# Runs the kernels' tests under Miri, which finds undefined behavior: portable, and on x86-64 AVX2
# too (Miri knows no AVX-512). Says so and does nothing where Miri is not installed:
#   rustup toolchain install nightly --component miri,rust-src
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version > /dev/null 2>&1; then
    echo "miri: SKIPPED, the nightly toolchain with Miri is not installed"
    exit 0
fi

flags=""
if [[ "$(uname -m)" == x86_64 ]]; then
    # Miri's machine has what its programs are compiled for.
    flags="-Ctarget-feature=+avx2,+fma,+popcnt"
fi
echo "miri: the kernels' tests, about a minute"
# The test runner asks for the environment; the tests of what is refused would trace every panic.
export RUST_BACKTRACE=0
RUSTFLAGS="$flags" MIRIFLAGS="-Zmiri-disable-isolation" \
    cargo +nightly miri test --quiet --locked -p basrelief-kernels --test agreement
