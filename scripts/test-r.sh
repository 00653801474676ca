#!/usr/bin/env bash
# Tests the R package, compiled with the profile of the other tests, and compares it with Python. `scripts/setup.sh` installs
# R if possible; without R, the tests are reported as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v Rscript > /dev/null || ! Rscript -e 'library(testthat); library(jsonlite)' > /dev/null 2>&1; then
    echo "test-r: R with testthat is not installed: the tests of the R package are skipped"
    exit 0
fi

target="${CARGO_TARGET_DIR:-$PWD/target}"
library="$target/r-library"
rm -rf "$library"
mkdir -p "$library"
# These are the crates, targets and features of scripts/setup.sh, so that nothing is compiled twice: with other targets,
# dependencies have other features.
R_INCLUDE_DIR="$(Rscript -e 'cat(R.home("include"))')" cargo build --locked --quiet --workspace --all-targets --features parquet,figures,ndarray
export BASRELIEF_R_LIBRARY="$target/debug/libbasrelief_r_bindings.a"
rm -f r/src/*.o r/src/*.so
R CMD INSTALL --library="$library" r > "$target/r-install.log" 2>&1 || { cat "$target/r-install.log"; exit 1; }
./r/cleanup

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
.venv/bin/python scripts/r_agreement.py "$folder/python"
cp -r r/tests/testthat "$folder/testthat"
export R_LIBS="$library" BASRELIEF_R_AGREEMENT="$folder/python" TZ=UTC
Rscript -e "testthat::test_dir('$folder/testthat', reporter = 'summary', package = 'basrelief', load_package = 'installed')"
if command -v pandoc > /dev/null; then
    cp r/vignettes/basrelief.Rmd "$folder/"
    Rscript -e "invisible(rmarkdown::render('$folder/basrelief.Rmd', quiet = TRUE))"
    echo "test-r: the vignette runs"
fi
# The pages with code in R, whose blocks the tests of Python skip without the package.
pages="$(grep -l '^```r$' docs/start.md docs/how-to/*.md | xargs -n 1 basename -s .md | paste -sd ' ' | sed 's/ / or /g')"
.venv/bin/python -m pytest --quiet python/tests/test_pages.py -k "$pages"
