#!/usr/bin/env bash
# Creates a development environment in .venv: pinned Python tools, and the package with the program
# `basrelief` from this tree. It also installs Java, WEKA, PLINK, R, a browser and pyspark, if possible, for the tests of
# agreement, of pages, of R and on Spark. It can be run again: existing parts are kept.
#
#   scripts/setup.sh            everything that the tests need, compiled with their profile (`dev`)
#   scripts/setup.sh --bench    the packages for comparison in the benchmarks, and the package compiled
#                               with the profile of releases (`dist`)
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }

requirements=requirements-dev.txt
build=(cargo build --locked --workspace --all-targets --features parquet,figures,ndarray)
folder="${CARGO_TARGET_DIR:-target}/debug"
if [[ "${1:-}" == "--bench" ]]; then
    requirements=requirements-bench.txt
    build=(cargo build --locked --profile dist -p basrelief-py -p basrelief-cli --features parquet,figures)
    folder="${CARGO_TARGET_DIR:-target}/dist"
fi

if [[ ! -x .venv/bin/python ]]; then
    python="$(command -v python3.11 || command -v python3)" || {
        say "no python3 was found; install Python 3.11 or later" >&2
        exit 1
    }
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        say "$python is older than 3.11; install Python 3.11 or later" >&2
        exit 1
    }
    say "making .venv with $("$python" --version)"
    "$python" -m venv .venv
fi

# The stamp contains the installed list, so an unchanged list takes no time.
install_requirements() { # FILE [OPTION OF PIP...]
    local stamp=".venv/.installed-$1" wanted
    wanted="$(cat requirements-*.txt)"
    if [[ ! -f "$stamp" || "$(cat "$stamp")" != "$wanted" ]]; then
        say "installing $1"
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$@" || return 1
        printf '%s\n' "$wanted" > "$stamp"
    fi
}

weka_found() {
    [[ -f "${BASRELIEF_WEKA_JAR:-}" || -f .peers/weka.jar || -f /usr/share/java/weka.jar ]]
}

install_packages() { # WHAT_IS_SKIPPED_WITHOUT PACKAGE...
    local skipped="$1"
    shift
    if [[ "$(id -u)" == 0 ]] && command -v apt-get > /dev/null; then
        say "installing $*"
        # If the first attempt succeeds, the package lists need not be downloaded.
        local install=(apt-get install -y -qq --no-install-recommends "$@")
        export DEBIAN_FRONTEND=noninteractive
        "${install[@]}" > /dev/null 2>&1 ||
            { apt-get update -qq > /dev/null 2>&1 && "${install[@]}" > /dev/null 2>&1; } ||
            say "could not install $*: $skipped will be skipped"
    else
        say "not installed: $*: $skipped will be skipped"
    fi
}

# Prints the major version of Java, or 0 without Java; "1.8" is 8.
java_version() {
    local java=java
    [[ -z "${JAVA_HOME:-}" ]] || java="$JAVA_HOME/bin/java"
    "$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | grep . || echo 0
}

# All that is not compiled.
install_all() {
    install_requirements "$requirements"

    # `java FILE.java` needs the compiler, so a runtime alone is not enough.
    local missing=()
    command -v javac > /dev/null || missing+=(default-jdk-headless)
    weka_found || missing+=(weka)
    if ((${#missing[@]})); then
        install_packages "the tests against WEKA" "${missing[@]}"
    fi

    if (($(java_version) >= 17)); then
        install_requirements requirements-spark.txt ||
            say "could not install requirements-spark.txt: the tests on Spark will be skipped"
    else
        say "no Java 17 or newer: the tests on Spark will be skipped"
    fi

    install_requirements requirements-lifelines.txt --no-deps ||
        say "could not install requirements-lifelines.txt: the tests on tables of lifelines will be skipped"

    install_requirements requirements-workflows.txt ||
        say "could not install requirements-workflows.txt: the tests of packaging/ will be skipped"

    command -v plink1.9 > /dev/null || install_packages "the tests against PLINK" plink1.9
    command -v plink2 > /dev/null || install_packages "the tests against PLINK 2" plink2
    local r_packages='library(testthat); library(recipes); library(survival); library(jsonlite); library(rmarkdown)'
    if ! command -v Rscript > /dev/null || ! Rscript -e "$r_packages" > /dev/null 2>&1; then
        install_packages "the tests of the R package" r-base-core r-cran-recipes r-cran-survival r-cran-testthat \
            r-cran-knitr r-cran-rmarkdown r-cran-jsonlite pandoc
    fi
    command -v chromium-headless-shell chromium > /dev/null ||
        install_packages "the tests of pages in a browser" chromium-headless-shell fonts-dejavu-core
}

install_all &
installing=$!
say "building (${build[*]})"
"${build[@]}" --quiet || { wait; exit 1; }
case "$(uname -s)" in
    Darwin) library=lib_native.dylib ;;
    *) library=lib_native.so ;;
esac
# The file is moved, because a running Python may still use the old one.
module=python/basrelief/_native
cmp --quiet "$folder/$library" $module.abi3.so || { cp "$folder/$library" $module.new && mv $module.new $module.abi3.so; }
site="$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
printf '%s\n' "$PWD/python" > "$site/basrelief.pth"
printf '#!/bin/sh\nexec "%s" -m basrelief "$@"\n' "$PWD/.venv/bin/python" > .venv/bin/basrelief
chmod +x .venv/bin/basrelief

wait "$installing"
say "ready"
