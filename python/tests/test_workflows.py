"""The workflows of the usual host call what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
CI = (ROOT / ".github/workflows/ci.yml").read_text()


def test_every_push_is_built_tested_and_linted():
    triggers = CI.partition("\non:\n")[2].partition("\npermissions:")[0]
    assert 'branches: ["**"]' in triggers
    assert "pull_request:" in triggers
    assert set(re.findall(r"run: make ([a-z-]+)", CI)) >= {
        "lint",
        "test-rust",
        "test-python",
        "test-spark",
    }


def test_linux_runs_all_parts_of_make_test_but_those_that_need_more():
    makefile = (ROOT / "Makefile").read_text()
    lines = re.findall(r"^(?:test:|\t\$\(MAKE\) --jobs=1) (.*)$", makefile, re.M)
    assert len(lines) == 3
    parts = " ".join(lines).split()
    # Miri needs a nightly toolchain, the papers their data sets; CI runs all tests on Spark.
    missing = set(parts) - set(re.findall(r"make ([a-z-]+)", CI))
    assert missing == {"miri", "papers", "test-spark-quick"}


def test_targets_and_features_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for workflow in WORKFLOWS:
        text = workflow.read_text()
        assert "\t" not in text
        for target in re.findall(r"run: make ([a-z-]+)", text):
            assert target in targets, f"{workflow.name}: make {target}"
        for test in re.findall(r"--test ([a-z_]+)", text):
            found = [
                *ROOT.glob(f"crates/*/tests/{test}.rs"),
                *ROOT.glob(f"crates/*/tests/{test}/main.rs"),
            ]
            assert found, f"{workflow.name}: --test {test}"


def test_python_and_rust_are_those_that_the_project_supports():
    project = (ROOT / "pyproject.toml").read_text()
    oldest = re.search(r'requires-python = ">=([0-9.]+)"', project)[1]
    for workflow in WORKFLOWS:
        for version in re.findall(r'python-version: "([0-9.]+)"', workflow.read_text()):
            assert version == oldest, workflow.name
    assert "rust-toolchain.toml" in CI
    assert "sed -n 's/^rust-version" in CI
