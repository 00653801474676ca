#!/usr/bin/env bash
# Builds the source package of R, with the crates and the lock file in src/rust.
#
#   scripts/r-package.sh FOLDER     writes FOLDER/basrelief_VERSION.tar.gz
set -euo pipefail
cd "$(dirname "$0")/.."

folder="$(mkdir -p "${1:?name a folder}" && cd "$1" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -r r "$work/basrelief"
rm -rf "$work/basrelief/src/target" "$work/basrelief/src/Makevars" "$work/basrelief/src/"*.o "$work/basrelief/src/"*.so
rust="$work/basrelief/src/rust"
mkdir -p "$rust"
cp Cargo.toml Cargo.lock "$rust/"
# The sources that the library needs, new ones too, without tests and benchmarks.
git ls-files --cached --others --exclude-standard crates | grep -Ev '^crates/[^/]+/(tests|benches)/' | while read -r file; do
    mkdir -p "$rust/$(dirname "$file")"
    cp "$file" "$rust/$file"
done
(cd "$folder" && R CMD build ${R_BUILD_OPTIONS:-} "$work/basrelief")
