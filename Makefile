# Targets for newcomers: `make demo` shows what basrelief does, `make test` checks everything.

PYTHON := .venv/bin/python
LIBRARIES := $(foreach crate,basrelief-kernels basrelief basrelief-io basrelief-genetics basrelief-report basrelief-study basrelief-papers,-p $(crate))

# One set of features for all that is tested, so that nothing is compiled twice.
TESTED := --locked --workspace --features parquet,figures,ndarray

.PHONY: calibration-quick demo test test-with-python test-on-spark test-spark-quick check setup setup-bench setup-peers wheels test-r site gallery lint check-fuzz test-rust test-levels test-avx512 miri fuzz test-python test-spark test-skrebate papers doc bench bench-maps bench-neighbors bench-snps bench-survival bench-selection bench-blocks bench-targets bench-skrebate bench-cohorts bench-rows bench-spark source-archive calibration corrections planted-pair honest-maps clean

demo:
	cargo run --release --locked -- demo

test: setup lint test-rust
	$(MAKE) --jobs=2 --output-sync=line test-with-python test-on-spark

# The rest of `make test`, in two groups at once, because few of them keep both cores busy.
test-with-python:
	$(MAKE) --jobs=1 test-python test-r papers calibration-quick
test-on-spark:
	$(MAKE) --jobs=1 test-spark-quick test-levels miri doc

# Before every commit: form, warnings, and the tests that take little time.
check: setup check-fuzz
	cargo fmt --all --check
	rustfmt --check --edition 2024 crates/basrelief/src/methods/*.rs
	cargo clippy $(TESTED) --all-targets --quiet -- -D warnings
	$(PYTHON) -m ruff check --quiet .
	$(PYTHON) -m ruff format --check --quiet .
	$(PYTHON) scripts/words.py
	$(PYTHON) scripts/build_size.py crates
	cargo test $(TESTED) --quiet --lib --bins --test all --test cli --test known_answers
	$(PYTHON) -m pytest --quiet -m "not slow"

setup:
	scripts/setup.sh

lint: setup check-fuzz
	cargo fmt --all --check
	rustfmt --check --edition 2024 crates/basrelief/src/methods/*.rs
	cargo clippy $(TESTED) --all-targets -- -D warnings
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

# The fuzz targets are no part of the workspace.
check-fuzz:
	rustfmt --check --edition 2024 fuzz/fuzz_targets/*.rs
	@if command -v c++ > /dev/null; then cargo check --locked --quiet --manifest-path fuzz/Cargo.toml --target-dir target; \
	else echo "check-fuzz: the fuzz targets are not checked, for want of a C++ compiler"; fi

test-rust:
	$(PYTHON) scripts/build_size.py code
	cargo test $(TESTED) --quiet

# With every instruction set that this machine has.
test-levels:
	scripts/test-levels.sh

# With AVX-512, in an emulator where this machine lacks it: minutes.
test-avx512:
	scripts/test-avx512.sh

# Undefined behavior in the kernels; skipped where Miri is not installed.
miri:
	scripts/miri.sh

# Every reader on any bytes, ten minutes each; `make test` does not run it.
fuzz:
	python3 fuzz/run.py

test-python: setup
	$(PYTHON) -m pytest --quiet --numprocesses auto --dist loadfile --durations 10 -m "not spark and not long"

# On Spark, with real worker processes: minutes. Skipped where pyspark or Java 17 is missing.
test-spark-quick: setup
	$(PYTHON) -m pytest --quiet --durations 10 -m "not long" python/tests/spark

# With faults, the memory of the driver and Spark Connect too.
test-spark: setup
	$(PYTHON) -m pytest --quiet --durations 10 python/tests/spark

# Agreement with scikit-rebate on complete files too: half an hour, nearly all of it for scikit-rebate.
test-skrebate: setup
	$(PYTHON) -m pytest --quiet --durations 10 python/tests/test_skrebate.py

# The R package, with the library as it is compiled for the other tests; skipped where R cannot be installed.
test-r: setup
	scripts/test-r.sh

# Every experiment of the papers in its quick form; those whose data sets are not there are left out.
papers: setup
	rm -rf target/reproduction
	BASRELIEF_DATA="$${BASRELIEF_DATA:-$(wildcard ../shared/data)}" \
		$(PYTHON) -m basrelief reproduce all --quick --output target/reproduction

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --features ndarray,arrow $(LIBRARIES)
	cargo test $(TESTED) --quiet --test rustdoc -- --ignored

# The documentation as a site, in target/site; it needs a network the first time.
site:
	scripts/site.sh

# The site, after its gallery was run; minutes.
gallery: setup
	scripts/site.sh --gallery

# The package as it is published, for whatever measures speed.
setup-bench:
	scripts/setup.sh --bench

# The wheel as it is published, tried where there is no Rust.
wheels: setup
	rm -rf target/wheels
	$(PYTHON) -m maturin build --locked --out target/wheels
	scripts/test-wheel.sh target/wheels/*.whl

# The source of a release with all crates, for builds without a network (conda-forge, Bioconda).
source-archive:
	scripts/source-archive.sh

# Metric learners that need older packages, in an environment of their own.
setup-peers:
	test -x .venv-peers/bin/python || python3 -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet -r requirements-peers.txt

# Writes docs/benchmarks.md.
bench: setup-bench
	$(PYTHON) benches/report.py --write docs/benchmarks.md
	$(PYTHON) benches/stamp.py docs/benchmarks.md

# Writes the first table of docs/benchmarks-maps.md; minutes.
bench-maps: setup-bench setup-peers
	$(PYTHON) benches/maps.py --write docs/benchmarks-maps.md
	$(PYTHON) benches/stamp.py docs/benchmarks-maps.md

# Writes docs/benchmarks-neighbors.md; a minute.
bench-neighbors: setup-bench
	$(PYTHON) benches/neighbors.py --write docs/benchmarks-neighbors.md
	$(PYTHON) benches/stamp.py docs/benchmarks-neighbors.md

# Writes the table of docs/many-features.md; minutes.
bench-snps: setup-bench
	$(PYTHON) benches/many_features.py --write docs/many-features.md

# Writes the table of docs/survival.md; an hour, most of it for random survival forests.
bench-survival: setup-bench
	$(PYTHON) benches/survival.py --write docs/survival.md
	$(PYTHON) benches/stamp.py docs/survival.md

# Writes the table of docs/blocks.md; twenty minutes.
bench-blocks: setup-bench
	$(PYTHON) benches/blocks.py --write docs/blocks.md
	$(PYTHON) benches/stamp.py docs/blocks.md

# Writes the tables of docs/targets.md; a few minutes.
bench-targets: setup-bench
	$(PYTHON) benches/targets.py --write docs/targets.md
	$(PYTHON) benches/stamp.py docs/targets.md

# Writes the table of docs/skrebate.md; an hour, nearly all of it for scikit-rebate, and a stopped run resumes.
bench-skrebate: setup-bench
	$(PYTHON) benches/scikit_rebate.py --write docs/skrebate.md
	$(PYTHON) benches/stamp.py docs/skrebate.md

# Writes the tables of docs/selection.md; half an hour.
bench-selection: setup-bench
	$(PYTHON) benches/selection.py --write docs/selection.md
	$(PYTHON) benches/stamp.py docs/selection.md

# Writes the table of docs/benchmarks-genetics.md; half an hour, and 8 GB of the disk.
bench-cohorts: setup-bench
	$(PYTHON) benches/cohorts.py --write docs/benchmarks-genetics.md
	$(PYTHON) benches/stamp.py docs/benchmarks-genetics.md

# Writes the table of docs/large-data.md; a quarter of an hour.
bench-rows: setup-bench
	$(PYTHON) benches/many_rows.py --program target/dist/basrelief --write docs/large-data.md
	$(PYTHON) benches/stamp.py docs/large-data.md

# Writes docs/benchmarks-spark.md; minutes. It needs Java 17.
bench-spark: setup-bench
	$(PYTHON) -m pip install --quiet -r requirements-spark.txt
	$(PYTHON) benches/on_spark.py --write docs/benchmarks-spark.md
	$(PYTHON) benches/stamp.py docs/benchmarks-spark.md

# Writes the tables and the figure of docs/calibration.md; hours, and a stopped run of the designs resumes.
# With QUICK=1, it tests 50 data sets of every design in minutes, and writes nothing.
calibration: setup-bench
	$(PYTHON) benches/calibration.py $(if $(QUICK),--quick,--write docs/calibration.md)

# The error rates of permutation tests in every valid design, with 50 data sets each.
calibration-quick: setup
	$(PYTHON) benches/calibration.py --quick

# Writes the table of docs/significance.md; ten minutes, and a stopped run resumes.
corrections: setup-bench
	$(PYTHON) benches/corrections.py --write docs/significance.md
	$(PYTHON) benches/stamp.py docs/significance.md

# Writes the tables of docs/planted-pair.md; minutes. It needs plink1.9.
planted-pair: setup-bench
	$(PYTHON) benches/planted_pair.py --write docs/planted-pair.md

# Writes the tables and the figure of docs/honest-maps.md; twenty minutes. It needs the data sets.
honest-maps: setup-bench setup-peers
	$(PYTHON) benches/honest_maps.py --write docs/honest-maps.md \
		--data "$${BASRELIEF_DATA:-$(wildcard ../shared/data)}"

clean:
	cargo clean
	rm -rf .venv .venv-peers .venv-site .pytest_cache .ruff_cache
	find python benches -name __pycache__ -type d -prune -exec rm -r {} +
