"""The command line gives the same numbers as the estimators, to the bit."""

import base64
import json
import re
import subprocess
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest

from basrelief import LFE, MDM, VLS, MultiSURF, ReliefF, TuRF

CASES = [
    (ReliefF(7, genotype_diff="categorical"), ["--neighbors=7", "--genotype-diff=categorical"]),
    (TuRF(drop=0.4, keep=3), ["--wrap=turf:drop=0.4,keep=3"]),
    (
        VLS(MultiSURF(), size=4, rounds=3, take="mean", random_state=11),
        ["--method=multisurf", "--wrap=vls:size=4,rounds=3,take=mean", "--seed=11"],
    ),
    (
        TuRF(VLS(ReliefF(3, n_samples=40), size=4, rounds=5), keep=5, random_state=7),
        [
            "--neighbors=3",
            "--samples=40",
            "--wrap=vls:size=4,rounds=5",
            "--wrap=turf:keep=5",
            "--seed=7",
        ],
    ),
    (MDM(), ["--method=mdm"]),
]


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize(("estimator", "options"), CASES, ids=repr)
def test_weights(program, tmp_path, estimator, options):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(80, 6))).add_prefix("number")
    table["snp"] = rng.integers(0, 3, size=80)
    table["text"] = rng.choice(["a", "b", "c"], size=80)
    y = np.where(table["number2"] + table["snp"] > 1, "high", "low")
    file = tmp_path / "table.csv"
    table.assign(target=y).to_csv(file, index=False)
    command = [program, "rank", file, "--target=target", "--format=json", *options]
    result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = {feature["name"]: feature["weight"] for feature in result["features"]}
    estimator.fit(table, y)
    assert [found[name] for name in table.columns] == estimator.weights_.tolist()


def test_maps(program, tmp_path):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 7))
    y = np.arange(90) % 3
    frame = pd.DataFrame(X, columns=[f"x{index}" for index in range(7)])
    frame.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    fit = ["fit", "d.csv", "--target", "y", "--method", "lfe", "--components", "1"]
    for arguments in [
        [*fit, "--model", "m.basrelief", "--output", "report.txt"],
        ["transform", "m.basrelief", "d.csv", "--output", "mapped.npy"],
    ]:
        subprocess.run([program, *arguments], cwd=tmp_path, check=True)
    expected = np.load(tmp_path / "mapped.npy")
    fitted = LFE(1).fit(X, y)
    for layout in [np.ascontiguousarray(X), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]]:
        np.testing.assert_array_equal(fitted.transform(layout), expected)


@pytest.mark.parametrize("codec", ["gzip", "brotli", "lz4", "zstd", "snappy", "uncompressed"])
def test_parquet_of_every_codec_is_read(program, tmp_path, codec):
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({f"x{index}": rng.normal(size=60) for index in range(4)})
    frame = frame.with_columns(y=pl.Series(["a", "b"] * 30))
    frame.write_parquet(tmp_path / "d.parquet", compression=codec)
    frame.write_csv(tmp_path / "d.csv")
    ranked = [
        subprocess.run(
            [program, "rank", name, "--target=y", "--format=csv"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        ).stdout
        for name in ["d.parquet", "d.csv"]
    ]
    assert ranked[0] == ranked[1]


# An escape sequence, characters that XML forbids, a mark of direction, and markup.
HOSTILE = "\x1b[31m\x01\ufffe\u202e&<b>\"'"


def harmful(text):
    """List the characters of a text that no page, figure or terminal may get."""
    return [mark for mark in text if (mark < " " and mark != "\n") or mark in "\x7f\ufffe\u202e"]


def test_control_characters_of_names_are_replaced(program, tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, f"yes{HOSTILE}", "no")
    columns = {
        f"x1{HOSTILE}": rng.normal(size=60) + np.arange(60) % 2,
        f"x2{HOSTILE}": rng.choice([f"g{HOSTILE}", "red", "blue"], size=60),
        f"x3{HOSTILE}": rng.normal(size=60),
    }
    target = f"class{HOSTILE}"
    frame = pd.DataFrame({**columns, target: y})
    frame.to_csv(tmp_path / "d.csv", index=False)
    verbs = [
        ["rank", "--permutations", "30", "--resamples", "10", "--report", "rank.html"],
        ["pairs", "--report", "pairs.html"],
        ["stability", "--top", "1", "--resamples", "10", "--report", "stability.html"],
        ["evaluate", "--folds", "2", "--k", "1", "--output", "results", "--report", "e.html"],
        ["fit", "--method", "lda", "--model", "m", "--figure", "f.svg", "--report", "fit.html"],
        ["rank", "--drop", f"unknown{HOSTILE}"],
    ]
    for verb, *options in verbs:
        command = [program, verb, "d.csv", "--target", target, *options]
        done = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path)
        assert done.returncode in (0, 2)
        assert harmful(done.stdout.decode() + done.stderr.decode()) == [], verb
    pages = sorted(tmp_path.glob("*.html"))
    assert len(pages) == 5
    svgs = [path.read_text() for path in [tmp_path / "f.svg", tmp_path / "results/curves.svg"]]
    for page in pages:
        html = page.read_text()
        assert harmful(html) == [], page
        assert "\ufffd[31m" in html, page
        svgs += re.findall(r"(?s)<svg.*?</svg>", html)
        coded = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", html)
        svgs += [base64.b64decode(text).decode() for text in coded]
    assert len(svgs) > 5
    for svg in svgs:
        assert harmful(svg) == []
        ElementTree.fromstring(svg)
    # Files for programs keep the names.
    table = subprocess.run(
        [program, "rank", "d.csv", "--target", target, "--format", "csv"],
        check=True,
        capture_output=True,
        cwd=tmp_path,
    )
    assert f"x3{HOSTILE}".replace('"', '""') in table.stdout.decode()
