#!/usr/bin/env bash
# Builds the documentation site into target/site, in the environment .venv-site. Only the first run needs a
# network. Failed downloads are reported, and the rest is built. Other arguments are passed to site/build.py.
#
#   scripts/site.sh            installs missing packages, and builds
#   scripts/site.sh --setup    installs missing packages
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'site: %s\n' "$*" >&2; }

# An environment without the stamp is incomplete.
stamp=.venv-site/.installed
if [[ ! -f "$stamp" ]] || ! cmp -s "$stamp" requirements-site.txt; then
    python="$(command -v python3.11 || command -v python3)" || {
        say "no python3 was found; install Python 3.11 or later"
        exit 1
    }
    [[ -x .venv-site/bin/python ]] || "$python" -m venv .venv-site
    say "installing requirements-site.txt"
    .venv-site/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-site.txt || {
        say "requirements-site.txt could not be installed, which needs a network the first time"
        exit 1
    }
    cp requirements-site.txt "$stamp"
fi

mathjax=.venv-site/share/mathjax
.venv-site/bin/python site/mathjax.py "$mathjax" ||
    say "formulas will be shown as their TeX source; run this again with a network"
[[ "${1:-}" != "--setup" ]] || exit 0

# The compiled package for the pages of the Python API, if `make setup` has built it for the same Python.
package=()
for folder in .venv/lib/python*/site-packages; do
    version="$(.venv-site/bin/python -c 'import sys; print("python%d.%d" % sys.version_info[:2])')"
    [[ "$folder" != ".venv/lib/$version/site-packages" ]] || package=(--package "$folder")
done
exec .venv-site/bin/python site/build.py --mathjax "$mathjax" ${package[@]+"${package[@]}"} "$@"
