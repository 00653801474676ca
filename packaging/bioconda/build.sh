#!/usr/bin/env bash
set -euo pipefail

# The crates are in the archive.
export CARGO_NET_OFFLINE=true

cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
cargo install --locked --offline --no-track --profile dist --path crates/basrelief-cli --features parquet --root "$PREFIX"
