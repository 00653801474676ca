"""docs/which-method.md recommends methods of the registry for the targets that they have."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/which-method.md").read_text()
TASKS = {
    "classes": {"classes", "classes or regression"},
    "a number": {"regression", "classes or regression"},
    "survival times": {"survival"},
    "several targets or labels": {"regression", "classes or regression"},
}


def rows(heading):
    """Return the cells of the first table below a heading, without its first line."""
    table = PAGE.partition(f"\n## {heading}\n")[2].partition("\n|")[2].partition("\n\n")[0]
    lines = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    return [[cell.strip(" |") for cell in line] for line in lines]


@pytest.fixture(scope="module")
def registry():
    command = [sys.executable, "-m", "basrelief", "methods", "--format", "json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)


def test_recommendations_fit_the_registry(registry):
    methods = {info["name"]: info for info in registry["methods"]}
    wrappers = {info["name"]: info for info in registry["wrappers"]}
    table = rows("Four questions")
    assert {row[0] for row in table} == set(TASKS)
    for target, columns, _, effects, use, command in table:
        name, *wrapper = re.findall(r"\[`([^`]+)`\]", use)
        assert methods[name]["task"] in TASKS[target], name
        assert methods[name]["missing"] or "missing" not in columns, name
        assert methods[name]["interactions"] or "interactions" not in effects, name
        assert f"--method {name}" in command.replace("'", "")
        flags = {option["flag"].split(" ")[0] for option in methods[name]["options"]}
        assert set(re.findall(r"--[a-z-]+", command)) <= flags | {"--method", "--wrap"}, command
        assert all(f"--wrap {wrap}:" in command and wrap in wrappers for wrap in wrapper)


def test_maps_are_in_the_registry(registry):
    known = {info["name"] for kind in ("methods", "maps") for info in registry[kind]}
    for _, use in rows("Maps"):
        assert set(re.findall(r"\[`([^`]+)`\]", use)) <= known
