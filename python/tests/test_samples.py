"""Tables with features in rows and properties of the samples in other files."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from basrelief import ReliefF, ReliefWarning, SampleTable, read_table


@pytest.fixture
def iris(tmp_path):
    X, y = load_iris(return_X_y=True)
    names = [f"s{row}" for row in range(len(y))]
    table = pd.DataFrame(X, columns=list("abcd"), index=names)
    table.T.to_csv(tmp_path / "turned.tsv", sep="\t")
    order = np.random.default_rng(0).permutation(len(y))
    classes = pd.DataFrame({"class": np.array(list("xyz"))[y], "batch": y}, index=names)
    classes.iloc[order].to_csv(tmp_path / "classes.csv")
    return table, classes, tmp_path


def test_tables_are_those_of_pandas(iris):
    table, classes, folder = iris
    found = read_table(folder / "turned.tsv", transpose=True, pheno=folder / "classes.csv")
    assert isinstance(found, SampleTable)
    assert repr(found) == "<SampleTable of 150 samples, 4 features and 2 properties>"
    pd.testing.assert_frame_equal(found.X, table, check_names=False)
    assert list(found.samples["class"]) == list(classes["class"])
    assert found.notes[0].endswith("contains all 150 samples of the table")
    fitted = ReliefF().fit(found.X, found.samples["class"])
    expected = ReliefF().fit(table, classes["class"])
    assert np.array_equal(fitted.weights_, expected.weights_)
    table.to_csv(folder / "plain.csv")
    plain = read_table(folder / "plain.csv", pheno=folder / "classes.csv")
    pd.testing.assert_frame_equal(plain.X, found.X)
    plain = read_table(folder / "plain.csv")
    assert list(plain.X)[1:] == list("abcd")
    assert plain.samples.shape == (150, 0)


def test_the_command_line_gives_the_same_weights(iris):
    table, classes, folder = iris
    line = ["rank", "turned.tsv", "--transpose", "--pheno", "classes.csv", "--target", "class"]
    program = [sys.executable, "-m", "basrelief", *line, "--method", "relieff", "--format", "csv"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    weights = {row[1]: float(row[2]) for row in rows}
    fitted = ReliefF().fit(table, classes["class"])
    assert weights == dict(zip(table, fitted.weights_.tolist(), strict=True))


def test_gct_files_contain_properties(tmp_path):
    text = "#1.3\n2\t3\t0\t1\nid\ts1\ts2\ts3\ntissue\tx\ty\tNA\ng\t1\t2\t\ng\t4\t5\t6\n"
    (tmp_path / "a.gct").write_text(text)
    with pytest.warns(ReliefWarning, match="the second `g` is called `g.2`"):
        found = read_table(tmp_path / "a.gct")
    assert list(found.X) == ["g", "g.2"]
    assert np.isnan(found.X["g"].iloc[2])
    assert list(found.samples["tissue"][:2]) == ["x", "y"]
    assert found.samples["tissue"].isna().tolist() == [False, False, True]


def test_bad_files_are_refused(iris):
    _, _, folder = iris
    with pytest.raises(ValueError, match="transpose=True"):
        read_table(folder / "turned.tsv", pheno=folder / "classes.csv")
    with pytest.raises(ValueError, match="not a workbook"):
        read_table(folder / "turned.tsv", sheet="a")
    (folder / "a.xlsx").write_text("no workbook")
    with pytest.raises((ValueError, OSError), match="as a workbook"):
        read_table(folder / "a.xlsx")
    with pytest.raises((ValueError, OSError), match="no such file"):
        read_table(folder / "missing.csv")
