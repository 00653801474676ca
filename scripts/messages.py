#!/usr/bin/env python3
"""Write docs/messages.md: every error about data and options, with its advice, from the source.

The source contains the list: every call that creates such an error has the problem and the advice
as texts, or as variables that are set before. Parts that the program fills in are shown as "…".

Usage: scripts/messages.py [--check]; with --check, nothing is written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/messages.md"

CALL = re.compile(r"(?:Error::(?P<kind>data|option)|DataError::new)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)

# Parts of source paths, and the section of their messages; the first match is used.
SECTIONS = [
    ("basrelief-io/", "Reading and writing tables"),
    ("basrelief-genetics/src/quality", "Quality control of genotypes, kinship and pruning"),
    ("basrelief-genetics/", "PLINK filesets, VCF and other files of geneticists"),
    ("basrelief/src/data/roles", "Groups, strata, weights, covariates and blocks"),
    ("basrelief/src/data", "Columns, targets and values"),
    ("basrelief/src/inference", "Permutation tests and intervals"),
    ("basrelief/src/pairs", "Tests of pairs"),
    ("basrelief/src/distribute", "Jobs in parts"),
    ("basrelief/src/maps", "Maps"),
    ("basrelief/src/", "Methods and their options"),
    ("basrelief-report/", "Reports and figures"),
    ("basrelief-papers/", "Data sets of the papers"),
    ("basrelief-study/", "Options of an analysis"),
    ("basrelief-cli/", "The command line"),
    ("basrelief-py/", "The Python package"),
    ("basrelief-r", "The R package"),
]

HEAD = """# Messages

Every error about data or options names the place, the problem and what to do. This page lists all
of them, so that a search for a part of a message finds its advice. "…" stands for a part that the
program fills in: a name, a number, a value or an option. Messages about files that cannot be opened
or written contain the reason of the operating system.

`scripts/messages.py` writes this page from the source.
"""


def arguments(text: str, start: int) -> list[str]:
    """Return the arguments of a call whose opening parenthesis ends at `start`."""
    found, depth, begin, at = [], 0, start, start
    while True:
        character = text[at]
        if character == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                return [item for item in [*found, text[begin:at].strip()] if item]
            depth -= 1
        elif character == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
        at += 1


def literal(code: str, before: str) -> str | None:
    """Return the literal of an expression, or the last literal assigned to a variable."""
    if re.fullmatch(r"&?\w+", code):
        setting = list(re.finditer(rf"\blet {code.strip('&')}(?:: \w+)? =", before))
        if not setting:
            return None
        code = before[setting[-1].end() :]
        code = code[: re.search(r";\n|\Z", code).start()]
    found = LITERAL.search(code)
    if found is None:
        return None
    text = re.sub(r"\\\n\s*", "", found[1])
    text = re.sub(r"\{[^{}]*\}", "…", text.replace("{{", "(").replace("}}", ")"))
    return " ".join(text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\").split())


def messages() -> dict[str, dict[str, set[str]]]:
    """Return the messages by section: every problem with its advice."""
    sections: dict[str, dict[str, set[str]]] = {title: {} for _, title in SECTIONS}
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = path.relative_to(ROOT / "crates").as_posix()
        title = next((title for part, title in SECTIONS if name.startswith(part)), None)
        if title is None:
            continue
        text = path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod")[0]
        for call in CALL.finditer(text):
            codes = arguments(text, call.end())
            if call["kind"] == "option":
                codes = codes[1:]
            texts = [literal(code, text[: call.start()]) for code in codes]
            problem, advice = [*texts, None, None][:2]
            if problem and len(re.findall(r"\w+", problem)) > 2:
                sections[title].setdefault(problem, set()).add(advice or "")
    return sections


def page() -> str:
    """Return the text of the page."""
    lines = [HEAD]
    for title, found in messages().items():
        if not found:
            continue
        lines += [f"## {title}", "", "| message | what to do |", "|---|---|"]
        for problem, advices in sorted(
            found.items(), key=lambda item: item[0].strip("…` ").lower()
        ):
            advice = "<br>".join(sorted(advices - {""}))
            lines.append(f"| {problem} | {advice} |".replace("\\", "\\\\").replace("$", "\\$"))
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Write or check the page; return the exit status."""
    written = page()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == written:
            return 0
        print("docs/messages.md is not up to date; scripts/messages.py writes it")
        return 1
    PAGE.write_text(written, encoding="utf-8")
    print(f"docs/messages.md: {sum(len(found) for found in messages().values())} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
