"""Agreement with WEKA's ReliefFAttributeEval, run beside basrelief on the same data.

Needs Java and WEKA's archive, found through BASRELIEF_WEKA_JAR, in .peers/ or where Debian's
package `weka` puts it; skipped where there is none.
"""

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from basrelief import ReliefF, RReliefF

# Seconds: what other programs and signals take.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning"),
]

JAVA_SOURCE = Path(__file__).parent / "java" / "WekaRelief.java"


def find_weka():
    candidates = [
        os.environ.get("BASRELIEF_WEKA_JAR"),
        ROOT / ".peers" / "weka.jar",
        "/usr/share/java/weka.jar",
    ]
    return next((str(path) for path in candidates if path and Path(path).is_file()), None)


@pytest.fixture(scope="module")
def weka(tmp_path_factory):
    """Function from data, k and a number of row orders to WEKA's scores, one row per order."""
    java, archive = shutil.which("java"), find_weka()
    if shutil.which("javac") is None:
        java = None
    if java is None:
        pytest.skip("no Java compiler: install a JDK (17 or later) to compare with WEKA")
    if archive is None:
        pytest.skip("no weka.jar: install Debian's package weka or set BASRELIEF_WEKA_JAR")
    folder = tmp_path_factory.mktemp("weka")
    numbers = itertools.count()

    def scores(frame, y, k, orders=0, seed=0):
        file = folder / f"{next(numbers)}.arff"
        file.write_text(arff(frame, y))
        command = [java, "-cp", archive, str(JAVA_SOURCE), str(file), str(k)]
        command += [str(orders), str(seed)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return np.array([line.split() for line in run.stdout.splitlines()], dtype=float)

    return scores


def arff(frame, y):
    """Write an ARFF file: float columns are numeric, all else nominal; repr keeps every bit."""
    frame = frame.assign(target=y)
    lines = ["@relation data"]
    columns = []
    for name, values in frame.items():
        if values.dtype.kind == "f":
            lines.append(f"@attribute {name} numeric")
            columns.append([repr(float(value)) for value in values])
        else:
            texts = [str(value) for value in values]
            lines.append(f"@attribute {name} {{{','.join(sorted(set(texts)))}}}")
            columns.append(texts)
    lines.append("@data")
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def is_free_of_ties(frame, y, k):
    """Whether no row has two rows of one class equally far at its k-th place."""
    n = len(frame)
    total = np.zeros((n, n))
    for _, values in frame.items():
        if values.dtype.kind == "f":
            numbers = values.to_numpy()
            total += np.abs(numbers[:, None] - numbers) / np.ptp(numbers)
        else:
            texts = values.to_numpy(dtype=object)
            total += texts[:, None] != texts
    np.fill_diagonal(total, np.inf)
    for row in range(n):
        for label in np.unique(y):
            near = np.sort(total[row, y == label])
            if len(near) > k and near[k] - near[k - 1] < 1e-9:
                return False
    return True


def numeric(n, classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12))
    cuts = np.quantile(X[:, 0] * X[:, 1], np.linspace(0, 1, classes + 1)[1:-1])
    y = np.array(["a", "b", "c", "d"])[np.searchsorted(cuts, X[:, 0] * X[:, 1])]
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(12)]), y


@pytest.mark.parametrize(("classes", "k"), [(2, 10), (3, 10), (4, 1), (2, 500)])
def test_numeric_data(weka, classes, k):
    frame, y = numeric(240, classes, seed=classes)
    assert is_free_of_ties(frame, y, k)
    ours = ReliefF(k).fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, k)[0], atol=1e-9, rtol=0)


def test_classes_of_unequal_size(weka):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(150, 6))
    y = np.repeat(["rare", "some", "most"], [7, 33, 110])
    X[:, 0] += np.repeat([0, 1, 2], [7, 33, 110])
    frame = pd.DataFrame(X, columns=list("abcdef"))
    ours = ReliefF(10).fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, 10)[0], atol=1e-9, rtol=0)


def test_mixed_data(weka):
    rng = np.random.default_rng(10)
    frame, y = numeric(200, 3, seed=10)
    for j in range(4):
        frame[f"c{j}"] = rng.choice(["u", "v", "w"], size=200)
    assert is_free_of_ties(frame, y, 10)
    ours = ReliefF(10).fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, 10)[0], atol=1e-9, rtol=0)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_categorical_data(weka, k):
    # Rows are the numbers 0 to 63 and bit b stands in 2^b columns, so that the distance of two
    # rows is their exclusive or: no row has two others equally far.
    rng = np.random.default_rng(11)
    bits = np.repeat(np.arange(6), 2 ** np.arange(6))
    codes = (np.arange(64)[:, None] >> bits) & 1
    y = rng.choice(["a", "b", "c"], size=64)
    frame = pd.DataFrame(
        np.char.add("v", codes.astype(str)), columns=[f"c{j}" for j in range(len(bits))]
    )
    assert is_free_of_ties(frame, y, k)
    ours = ReliefF(k).fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, k)[0], atol=1e-9, rtol=0)


@pytest.mark.parametrize("k", [5, 10])
def test_real_target(weka, k):
    rng = np.random.default_rng(12)
    X = rng.uniform(size=(220, 8))
    y = 3 * X[:, 0] + np.sin(6 * X[:, 1]) + 0.1 * rng.normal(size=220)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    ours = RReliefF(k, neighbor_weights="uniform").fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, k)[0], atol=1e-9, rtol=0)


def test_shared_ties_are_the_mean_of_weka_over_row_orders(weka):
    # WEKA keeps the first of equal rows; over random orders its mean is what sharing gives. The
    # mean of `orders` independent answers lies within 5 standard errors in all but one of
    # 1.7 million cases, for each of the 15 features.
    rng = np.random.default_rng(13)
    codes = rng.integers(0, 3, size=(120, 15))
    y = np.where((codes[:, 0] + codes[:, 1]) % 2 == 0, "even", "odd")
    frame = pd.DataFrame(np.char.add("g", codes.astype(str)), columns=[f"s{j}" for j in range(15)])
    assert not is_free_of_ties(frame, y, 10)
    orders = 2000
    theirs = weka(frame, y, 10, orders=orders, seed=1)
    assert theirs.shape == (orders, 15)
    spread = theirs.std(axis=0, ddof=1)
    assert spread.min() > 1e-4
    ours = ReliefF(10).fit(frame, y).weights_
    assert (np.abs(ours - theirs.mean(axis=0)) < 5 * spread / np.sqrt(orders)).all()
    # And one order alone is visibly off.
    assert np.abs(theirs[0] - ours).max() > spread.min()


@pytest.mark.parametrize("name", ["wine.csv", "twonorm.csv.gz"])
def test_real_data_without_ties(weka, data_folder, name):
    table = pd.read_csv(data_folder / name, nrows=400)
    y = np.char.add("class", table.pop("target").astype(str).to_numpy(dtype=str))
    frame = table.astype(float)
    assert is_free_of_ties(frame, y, 10)
    ours = ReliefF(10).fit(frame, y).weights_
    np.testing.assert_allclose(ours, weka(frame, y, 10)[0], atol=1e-9, rtol=0)
