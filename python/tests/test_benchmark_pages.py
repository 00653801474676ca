"""Benchmark pages record which sources they measured, or say that they are out of date."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("stamp", ROOT / "benches" / "stamp.py")
stamp = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stamp)


@pytest.mark.parametrize("page", stamp.PAGES)
def test_a_page_is_of_today_or_says_that_it_is_not(page):
    text = (ROOT / page).read_text()
    recorded = stamp.recorded_hash(text)
    assert recorded, f"{page} has no hash: run benches/stamp.py"
    is_old = recorded != stamp.source_hash(page)
    assert is_old == (stamp.STALE in text), (
        f"{page}: the sources that it measures changed: measure them again, or put the line "
        f"`*{stamp.STALE}*` below the hash"
    )


@pytest.mark.parametrize("page", stamp.PAGES)
def test_a_stamp_replaces_the_one_before(page):
    text = "# Title\n\nA table.\n"
    old = stamp.stamped(page, text, commit="0123abcd", stale="0" * 16)
    assert stamp.STALE in old
    assert stamp.recorded_hash(old) == "0" * 16
    new = stamp.stamped(page, old, commit=stamp.commit_of_today())
    assert stamp.STALE not in new
    assert stamp.recorded_hash(new) == stamp.source_hash(page)
    assert stamp.without_stamp(new) == text
