"""The cases of `tests/kinds.json`: what columns, targets and phenotypes hold, and what is read."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

ROOT = Path(__file__).resolve().parents[2]
CASES = json.loads((ROOT / "tests" / "kinds.json").read_text(encoding="utf-8"))
ROWS = CASES["rows"]

# Texts of missing values in typed columns.
_MISSING = ("NA", "")


def name_of(case):
    return case["name"]


def cells_of(case):
    """Give the texts of all rows."""
    cycle, at = case["cells"], case.get("at", {})
    return [at.get(str(row + 1), cycle[row % len(cycle)]) for row in range(ROWS)]


def values_of(case):
    """Give the values of all rows as the type of the case has them; None is missing."""
    read = {"integer": int, "real": float, "boolean": lambda text: text == "True"}[case["type"]]
    return [None if text in _MISSING else read(text) for text in cells_of(case)]


def is_refused(case):
    return "refused" in case["expect"]


def problem(case):
    """Give the pattern of the problem that a refusal names."""
    return re.escape(case["expect"].get("refused", "leave out rows"))


def check_refusal(case, message, column=""):
    """Check that a message names the column, the value and its row."""
    expect = case["expect"]
    assert column in message
    if "row" in expect:
        assert f"`{expect['value']}`" in message
        assert f"row {expect['row']}" in message


def numbers():
    """Give a column of numbers that says nothing."""
    return np.arange(ROWS) * 13 % 17 + 0.5


def orders_of(levels):
    """Give levels in three orders, once with one that does not occur."""
    return [levels, levels[::-1], [*levels[1:], "unused", levels[0]]]


def mixed(rows=90, seed=0):
    """A table whose classes depend on two categories, with missing values, and three targets."""
    rng = np.random.default_rng(seed)
    cities = np.array(["Rome", "Oslo", "Bonn", "Cork", "Lyon", "Graz", "Nice"], dtype=object)
    colors = np.array(["red", "green", "blue"], dtype=object)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=rows).round(2),
            "city": cities[rng.integers(0, 7, size=rows)],
            "color": colors[rng.integers(0, 3, size=rows)],
        }
    )
    score = (frame["color"] == "red") + (frame["city"] < "Lyon") + 0.3 * frame["number"]
    for name in ("city", "color"):
        frame.loc[rng.random(rows) < 0.1, name] = None
    labels = np.array(["low", "mid", "high"])[np.digitize(score, [0.5, 1.2])]
    return frame, labels, score.to_numpy().round(3)


def in_all_orders(frame):
    """Give the frame as texts, and as categories in several orders."""
    yield frame
    yield frame.astype({"city": "str", "color": "str"})
    yield frame.fillna({"city": "NA", "color": ""})
    known = {name: list(frame[name].dropna().unique()) for name in ("city", "color")}

    def texts_of(name):
        return [None if value != value else value for value in frame[name]]

    for place in range(3):
        orders = {name: orders_of(sorted(levels))[place] for name, levels in known.items()}
        yield frame.assign(
            **{
                name: pd.Categorical(frame[name], categories=order)
                for name, order in orders.items()
            }
        )
        enums = {name: pl.Series(texts_of(name), dtype=pl.Enum(orders[name])) for name in known}
        yield pl.DataFrame({"number": frame["number"].to_numpy(), **enums})
    texts = {name: pl.Series(texts_of(name), dtype=pl.String) for name in known}
    table = pl.DataFrame({"number": frame["number"].to_numpy(), **texts})
    yield table
    yield table.with_columns(pl.col("city", "color").cast(pl.Categorical))
