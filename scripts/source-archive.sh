#!/usr/bin/env bash
# Makes the source archive of a release for builds without a network: the committed files of this tree, and all
# crates that they need, in vendor/. The same commit yields the same bytes.
#
#   scripts/source-archive.sh [FOLDER]      FOLDER/basrelief-vendored-VERSION.tar.gz (default: target/source)
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf 'source-archive: %s\n' "$*"; }

version="$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)"
[[ -n "$version" ]] || { say "Cargo.toml has no version in [workspace.package]" >&2; exit 1; }
[[ -z "$(git status --porcelain)" ]] || say "warning: only committed files are packed; see \`git status\`" >&2
tar --version | grep -q 'GNU tar' || { say "GNU tar is required; macOS: brew install gnu-tar, and put it first in PATH" >&2; exit 1; }

mkdir -p "${1:-target/source}"
folder="$(cd "${1:-target/source}" && pwd)"
name="basrelief-vendored-$version"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

git archive --prefix="$name/" HEAD | tar -x -C "$work"
say "vendoring the crates of Cargo.lock"
(
    cd "$work/$name"
    cargo vendor --locked --quiet vendor > /dev/null
    cat >> .cargo/config.toml <<'END'

# The crates are in vendor/: no build step needs a network.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
END
    # Checks that the archive contains all that is needed.
    CARGO_HOME="$work/empty" cargo metadata --offline --locked --format-version 1 > /dev/null
)
tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
    -C "$work" -cf - "$name" | gzip -9 -n > "$work/archive"
mv "$work/archive" "$folder/$name.tar.gz"
say "$folder/$name.tar.gz"
sha256sum "$folder/$name.tar.gz" | sed 's/ .*//; s/^/source-archive: sha256 /'
