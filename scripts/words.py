#!/usr/bin/env python3
"""Check the words of prose: comments, docstrings, messages and pages.

It counts words that docs/glossary.md lists in its last column, and constructions that make a
sentence hard to read. The check fails if a folder has more than the limit per 1000 words.

Usage: scripts/words.py [--list] [PATH ...]; without a path, the folders of the table below.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The limits, in counted constructions per 1000 words.
LIMITS = {
    "crates": 1.5,
    "python/basrelief": 1.5,
    "README.md": 1.5,
    "docs": 1.5,
    "site": 1.5,
    "gallery": 1.5,
}

# Constructions that are counted in addition to the words of the glossary.
CONSTRUCTIONS = {
    "a sentence without a subject": r"^(What|Who|Whoever|By what|Those|That) (?!.*\?$)[a-z].*\.$",
    "told, tells of": (
        r"\b(?:is|are|was|were|be) told\b|\btells? (?:of|about)\b|\btold (?:of|before|with)\b"
    ),
    "says (reports, specifies)": r"\bsays? (?:what|that|which|how|so|of|it|who)\b|\bis said\b",
    "of its own": r"\bof (?:its|their|our) own\b",
    "so many, so great": r"\bso (?:many|great|few|little)\b",
    "great, greatest, least (large, smallest)": r"\b(?:great|greater|greatest)\b|\bthe least\b",
    "is no (is not a)": r"\b(?:is|are|was|were) no (?!longer\b|more\b)",
    "but for (except)": r"\bbut for\b",
    "beside (besides, next to)": r"\bbeside\b",
    "taken for (treated as)": r"\b(?:taken?|takes|took) for (?!each\b|every\b)",
    "as they are (unchanged)": r"\bas they are\b|\bwhat (?:is|was) (?:left|lost|meant|there)\b",
}


def glossary() -> dict[str, str]:
    """Read the words to avoid from the glossary: a pattern for each term to use."""
    avoided = {}
    for line in (ROOT / "docs/glossary.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[2] not in ("", "older word") and not cells[2].startswith("-"):
            words = "|".join(re.escape(word.strip()) for word in cells[2].split(";"))
            avoided[f"{cells[2]} ({cells[0]})"] = rf"\b(?:{words})\b"
    return avoided


def prose(path: Path):
    """Return the lines of prose of a file, with their numbers."""
    lines = path.read_text(errors="replace").splitlines()
    in_code = False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if path.suffix == ".md":
            if text.startswith("```"):
                in_code = not in_code
            elif not in_code:
                yield number, text
        elif path.suffix == ".rs":
            if text.startswith("//"):
                yield number, text.lstrip("/! ")
            else:
                for literal in re.findall(r'"((?:[^"\\]|\\.){15,})"', line):
                    yield number, literal
        elif path.suffix == ".py":
            is_sentence = re.match(r"^[A-Za-z`].*[a-z.]$", text) and "=" not in text
            if text.startswith("#") or '"' in text or is_sentence:
                yield number, text


def files(path: Path):
    """List the files of prose under a path, without tests and the glossary itself."""
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    skipped = {"target", "tests", "benches", ".venv"}
    for file in found:
        is_skipped = skipped & set(file.parts) or file.name in ("glossary.md", "words.py")
        if file.suffix in (".md", ".rs", ".py") and not is_skipped:
            yield file


def main(arguments: list[str]) -> int:
    """Check the paths; return the exit code."""
    is_listed = "--list" in arguments
    paths = [argument for argument in arguments if argument != "--list"]
    patterns = {
        name: re.compile(pattern, re.IGNORECASE if name not in CONSTRUCTIONS else 0)
        for name, pattern in {**CONSTRUCTIONS, **glossary()}.items()
    }
    failed = 0
    for name in paths or LIMITS:
        counts: Counter[str] = Counter()
        words = 0
        for file in files(ROOT / name if not paths else Path(name)):
            for number, line in prose(file):
                words += len(line.split())
                for what, pattern in patterns.items():
                    if pattern.search(line):
                        counts[what] += 1
                        if is_listed:
                            print(f"{file}:{number}: {what}: {line[:120]}")
        rate = 1000 * counts.total() / max(words, 1)
        limit = LIMITS.get(name, 1.5)
        print(f"{name}: {counts.total()} in {words} words, {rate:.1f} per 1000 (at most {limit})")
        if rate > limit:
            failed = 1
            for what, count in counts.most_common(8):
                print(f"    {count:5} {what}")
    if failed:
        print(
            "scripts/words.py --list PATH shows the places; docs/glossary.md has the terms to use"
        )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
