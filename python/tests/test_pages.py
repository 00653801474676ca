"""Every block of code of the pages runs as printed, in order, and prints the text below it.

A block whose language has a second word, such as ``sh install``, is not run. ``UPDATE_DOCS=1 pytest
python/tests/test_pages.py`` writes what the blocks print. Blocks in R and Rust are run if `make
test` has built what they need.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("how-to", "explanation")
PAGES = [
    ROOT / "docs/start.md",
    *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
R_LIBRARY = TARGET / "r-library"

# A block of code, and the block of text directly below it.
BLOCK = re.compile(
    r"^```(?P<language>sh|python|r|rust)\n(?P<code>.*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?",
    re.M | re.S,
)
SECONDS = re.compile(r"\b[0-9.]+ s$", re.M)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a Unix shell")


def checked(command, folder, **variables):
    """Run a command in a folder; return its standard output."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stderr}"
    return done.stdout


def run_shell(code, folder):
    """Run lines of a shell with this package's command."""
    own = folder.with_name(folder.name + "-bin")
    own.mkdir(exist_ok=True)
    for name, arguments in [("basrelief", "-m basrelief "), ("python", "")]:
        (own / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        (own / name).chmod(0o755)
    path = os.pathsep.join([str(own), os.environ["PATH"]])
    return checked(["sh", "-e", "-c", code], folder, PATH=path)


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
    return checked(["Rscript", "-e", code], folder, R_LIBS=str(R_LIBRARY))


def run_rust(code, folder, page):
    """Run the example whose code a block shows."""
    source = ROOT / f"crates/basrelief-study/examples/{page.stem}.rs"
    assert code in source.read_text(), f"the block in Rust is a part of {source.relative_to(ROOT)}"
    program = TARGET / "debug/examples" / page.stem
    return checked([str(program)], folder) if program.exists() else None


def with_found_output(page, text, folder):
    """Return the page with what its code prints."""
    names = {"__name__": "__main__"}

    def found(block):
        language, code = block["language"], block["code"]
        line = text.count("\n", 0, block.start("code"))
        if language == "sh":
            output = run_shell(code, folder)
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
        same = SECONDS.sub("N s", shown) == SECONDS.sub("N s", output)
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
