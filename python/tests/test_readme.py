"""README: commands print the output below them, and figures are those of their pages."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from shell import run, without_times

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()

# Commands, each with the block of output below it, or an empty text.
BLOCK = re.compile(
    r"^```bash\n(?P<commands>(?:basrelief|python) .*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?",
    re.M | re.S,
)
SHOWN = [
    (match["commands"], match["output"] or "")
    for match in BLOCK.finditer(README)
    if "--report" not in match["commands"]
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder where the commands run one after the other, as a reader types them."""
    return tmp_path_factory.mktemp("readme")


def printed(commands, folder):
    """Return all that lines of a shell print."""
    done = run(commands, folder)
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a Unix shell")
def test_commands_print_what_stands_below_them(folder):
    assert [commands.split()[1] for commands, _ in SHOWN] == ["synth"]
    for commands, output in SHOWN:
        found = printed(commands, folder)
        # In their order; messages on standard error may stand between them and the end.
        lines = iter(without_times(found).splitlines())
        for line in without_times(output).splitlines():
            assert line in lines, f"{commands}no `{line}` in:\n{found}"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a Unix shell")
def test_the_example_in_python_prints_what_stands_below_it(folder):
    code, output = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", README, re.S).groups()
    if not (folder / "snps.csv").exists():
        printed(SHOWN[0][0], folder)
    (folder / "example.py").write_text(code)
    assert printed("python example.py", folder) == output


def peer_ratios():
    """List how much longer peers take than this package, as the benchmarks' page has it."""
    page = (ROOT / "docs/benchmarks.md").read_text()
    table = page.partition("| CPU time ratio |")[2].partition("\n\n")[0]
    ratios = [
        float(line.split("|")[5])
        for line in table.splitlines()
        if line.startswith(("| r", "| s", "| m"))
    ]
    assert len(ratios) > 5
    return ratios


def test_the_speed_is_that_of_the_benchmarks():
    stated = re.search(r"(\d+) to (\d+) times as fast as other packages", README).groups()
    ratios = peer_ratios()
    # One digit is enough for a page that tells of an order of magnitude.
    assert stated == tuple(f"{float(f'{ratio:.1g}'):.0f}" for ratio in (min(ratios), max(ratios)))


def benchmark(method, shape, package):
    """Give the CPU seconds of one line of the benchmarks' first table."""
    page = (ROOT / "docs/benchmarks.md").read_text()
    line = re.search(rf"^\| {method} \| \w+ \| {shape} \| {package} \| ([0-9.]+)", page, re.M)
    return float(line[1])


@pytest.mark.parametrize(
    ("pattern", "method", "shape", "packages"),
    [
        (r"2000 x 1000 numbers takes S CPU s \(fast-select S\)", "relieff", "2000 x 1000", 1),
        (r"1000 x 1000 S \(scikit-rebate S, WEKA S, fast-select S\)", "relieff", "1000 x 1000", 3),
        (r"1600 x 10,000 SNPs S \(fast-select S\)", "relieff", "1600 x 10000", 1),
        (r"`multisurf` of these S \(fast-select S\)", "multisurf", "1600 x 10000", 1),
        (r"`surf` of 2000 x 1000 numbers S \(fast-select S\)", "surf", "2000 x 1000", 1),
    ],
)
def test_seconds_are_those_of_the_benchmarks(pattern, method, shape, packages):
    text = " ".join((ROOT / "docs/differences.md").read_text().split())
    stated = re.search(re.sub(r"\bS\b", r"([0-9.]+)", pattern), text)
    peers = ["skrebate", "weka", "fast-select"][-packages:]
    assert stated, pattern
    for found, package in zip(stated.groups(), ["basrelief", *peers], strict=True):
        seconds = benchmark(method, shape, package)
        assert float(found) == float(f"{seconds:.2g}") or float(found) == float(f"{seconds:.3g}")


def test_versions_are_those_that_are_declared():
    rust, python = re.search(
        r"needs Rust ([0-9.]+) or newer, and Python ([0-9.]+)", README
    ).groups()
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert cargo["workspace"]["package"]["rust-version"] == rust
    assert project["project"]["requires-python"] == f">={python}"


def test_counts_are_those_of_the_pages(folder):
    variants = re.search(r"finds a pair among ([0-9,]+) variants", README)[1]
    assert variants in (ROOT / "docs/planted-pair.md").read_text()
    share = re.search(r"together they explain (\d+) % of it", README)[1]
    about = " ".join(printed("basrelief synth xor --help", folder).split())
    about = about.partition("--heritability")[2]
    assert f"[default: {int(share) / 100}]" in about.partition("--prevalence")[0]


def test_links_lead_to_pages_and_headings():
    for page, heading in re.findall(r"\]\((?!http)([^)#]+)(?:#([^)]+))?\)", README):
        text = (ROOT / page).read_text() if page.endswith(".md") else ""
        assert (ROOT / page).exists(), page
        headings = [
            re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for line in text.splitlines()
            if line.startswith("#")
        ]
        assert not heading or heading in headings, f"{page}#{heading}"
