"""Pages name only verbs, options, names of the Python package and files that exist."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The changelog also names what older versions had.
PAGES = [
    path
    for folder in ("", "docs", "site", "packaging")
    for path in sorted((ROOT / folder).rglob("*.md") if folder else ROOT.glob("*.md"))
    if path.name != "CHANGELOG.md"
]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

FENCE = re.compile(r"^( *)```(.*?)\n(.*?)^\1```$", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
CRATES = sorted((ROOT / "crates").iterdir())
FOLDERS = "benches|contrib|crates|docs|fuzz|gallery|packaging|python|r|scripts|site|tests"


def blocks(text):
    """Return the code blocks of a page: the line, the language and the code."""
    return [(text.count("\n", 0, m.start()) + 1, m[2].strip(), m[3]) for m in FENCE.finditer(text)]


def commands(text):
    """Return (line, words) of every command of basrelief in blocks and spans of code."""
    lines = []
    for start, language, code in blocks(text):
        if language.split(" ")[0] in ("sh", "bash"):
            joined = re.sub(r"\\\n\s*", " ", code)
            lines += [(start + 1, line) for line in joined.splitlines()]
    prose = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(prose.splitlines(), 1):
        lines += [(number, span) for span in SPAN.findall(line)]
    for number, line in lines:
        for part in re.split(r"[|;&]|\$\(", line.partition(" #")[0]):
            words = part.split()
            if words[:1] == ["basrelief"] and len(words) > 1:
                yield number, words[1:]


@pytest.fixture(scope="module")
def options(program):
    """Return the options of every verb of the program, from its help."""

    def help_of(*words):
        command = [program, *words, "--help"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def names(text):
        return re.findall(r"^  ([a-z][a-z0-9-]*) {2,}", text.partition("\nOptions:")[0], re.M)

    flags = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
    found = {verb: set(flags.findall(help_of(verb))) for verb in names(help_of())}
    for verb in ("synth", "reproduce"):
        for subject in set(names(help_of(verb))) - {"help"}:
            found[verb] |= set(flags.findall(help_of(verb, subject)))
    return found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_blocks_of_code_have_a_language(page):
    without = [line for line, language, _ in blocks(page.read_text()) if not language]
    assert not without, f"{page}: no language in lines {without}"


@pytest.mark.slow
def test_verbs_and_options_exist(options):
    wrong = []
    for page, name in zip(PAGES, NAMES, strict=True):
        for line, (verb, *words) in commands(page.read_text()):
            if not re.fullmatch(r"[a-z][a-z-]*", verb):
                continue
            if verb not in options:
                wrong.append(f"{name}:{line}: no verb `{verb}`")
                continue
            for word in words:
                option = re.match(r"--[a-z][a-z-]*", word)
                if option and option[0] not in options[verb] | {"--help", "--version"}:
                    wrong.append(f"{name}:{line}: `{verb}` has no option `{option[0]}`")
    assert {"--target", "--method"} < options["rank"]
    assert not wrong, "\n".join(wrong)


def test_names_of_the_python_package_exist():
    wrong = []
    for page, name in zip(PAGES, NAMES, strict=True):
        text = page.read_text()
        code = [code for _, language, code in blocks(text) if language == "python"]
        spans = SPAN.findall(text)
        used = re.findall(r"\bbasrelief(?:\.\w+)+", "\n".join(spans))
        for module, names in re.findall(
            r"^\s*from (basrelief[\w.]*) import ([^#\n]+)", "\n".join(code), re.M
        ):
            used += [f"{module}.{item.split(' as ')[0].strip('() ,')}" for item in names.split(",")]
        wrong += [f"{name}: no {path}" for path in used if not resolves(path)]
    assert not wrong, "\n".join(wrong)


def resolves(path):
    """Return whether a dotted path is a module, or an attribute of one."""
    parts = path.strip(".").split(".")
    if any(part in ("spark", "py", "json", "whl", "svg") for part in parts):
        # It needs pyspark, and has tests that run the page; or it is a name of a file.
        return True
    for end in range(len(parts), 0, -1):
        try:
            item = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            if not hasattr(item, part):
                return False
            item = getattr(item, part)
        return True
    return False


def test_the_list_of_messages_is_that_of_the_source():
    script = [sys.executable, ROOT / "scripts/messages.py", "--check"]
    assert subprocess.run(script, capture_output=True, text=True).stdout == ""


def test_files_exist():
    wrong = []
    for page, name in zip(PAGES, NAMES, strict=True):
        text = FENCE.sub("", page.read_text())
        for span in SPAN.findall(text):
            is_path = re.fullmatch(rf"(?:{FOLDERS})/[\w./-]+", span)
            # Pages for developers name the tests of a crate.
            if is_path and not any((base / span).exists() for base in (ROOT, *CRATES)):
                wrong.append(f"{name}: no file `{span}`")
    assert not wrong, "\n".join(wrong)
