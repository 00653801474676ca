"""Every block of code of the pages runs as printed, in order, and prints the text below it.

A block whose language has a second word, such as ``sh install``, is not run. ``UPDATE_DOCS=1 pytest
python/tests/test_pages.py`` writes what the blocks print. Blocks in R and Rust are run if `make
test` has built what they need.
"""

import contextlib
import io
import os
import re
import sys
import warnings

import pytest
from conftest import ROOT, TARGET
from shell import checked, run, without_times

FOLDERS = ("how-to", "explanation")
PAGES = [
    ROOT / "docs/start.md",
    *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
R_LIBRARY = TARGET / "r-library"

# A block of code, and the block of text directly below it.
BLOCK = re.compile(
    r"^```(?P<language>sh|python|r|rust)\n(?P<code>.*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?",
    re.M | re.S,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a Unix shell")


def run_python(code, names, where):
    """Run code of Python, as a continuation of what ran in these names; warnings are errors."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, where, "exec"), names)
    return printed.getvalue()


def run_r(code, folder):
    """Run code of R, or return nothing where the package is not built."""
    if not (R_LIBRARY / "basrelief").is_dir():
        return None
    return checked(["Rscript", "-e", code], folder, R_LIBS=str(R_LIBRARY)).stdout


def run_rust(code, folder, page):
    """Run the example whose code a block shows."""
    source = ROOT / f"crates/basrelief-study/examples/{page.stem}.rs"
    assert code in source.read_text(), f"the block in Rust is a part of {source.relative_to(ROOT)}"
    program = TARGET / "debug/examples" / page.stem
    return checked([str(program)], folder).stdout if program.exists() else None


def with_found_output(page, text, folder):
    """Return the page with what its code prints."""
    names = {"__name__": "__main__"}

    def found(block):
        language, code = block["language"], block["code"]
        line = text.count("\n", 0, block.start("code"))
        if language == "sh":
            output = run(code, folder).stdout
        elif language == "python":
            # Line numbers of tracebacks are those of the page.
            output = run_python("\n" * line + code, names, str(page))
        elif language == "r":
            output = run_r(code, folder)
        else:
            output = run_rust(code, folder, page)
        shown = block["output"]
        if output is None or shown is None:
            return block[0]
        same = without_times(shown) == without_times(output)
        return f"```{language}\n{code}```\n```text\n{shown if same else output}```\n"

    return BLOCK.sub(found, text)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    written = with_found_output(page, text, tmp_path)
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(written)
        return
    name = page.relative_to(ROOT)
    lines = zip(text.splitlines(), written.splitlines(), strict=False)
    differs = next((line for line, (a, b) in enumerate(lines, 1) if a != b), None)
    update = f"UPDATE_DOCS=1 pytest python/tests/test_pages.py -k {page.stem}"
    assert written == text, f"{name}:{differs}: the output differs; {update} writes it"
