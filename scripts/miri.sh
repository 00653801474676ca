#!/usr/bin/env bash
# Runs the kernels' tests under Miri, which finds undefined behavior: the portable kernels, and on
# x86-64 also AVX2 (Miri does not support AVX-512). If Miri is not installed, it reports this and stops:
#   rustup toolchain install nightly --component miri,rust-src
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version > /dev/null 2>&1; then
    echo "miri: SKIPPED, the nightly toolchain with Miri is not installed"
    exit 0
fi

flags=""
if [[ "$(uname -m)" == x86_64 ]]; then
    # Miri supports the target features that its programs are compiled for.
    flags="-Ctarget-feature=+avx2,+fma,+popcnt"
fi
echo "miri: the kernels' tests, about a minute"
# The test runner reads the environment. Without this, tests of errors would print a trace of every panic.
export RUST_BACKTRACE=0
RUSTFLAGS="$flags" MIRIFLAGS="-Zmiri-disable-isolation" \
    cargo +nightly miri test --quiet --locked -p basrelief-kernels --test agreement
