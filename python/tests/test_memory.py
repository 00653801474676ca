"""Little memory changes where data lie, not what comes out."""

import numpy as np
import pytest

from basrelief import LFE, SURF, MultiSURF, ReliefF, RReliefF


def mapped(folder, X):
    """`X` as an array that lies in a file."""
    file = np.lib.format.open_memmap(folder / "X.npy", mode="w+", dtype=X.dtype, shape=X.shape)
    file[:] = X
    file.flush()
    return np.load(folder / "X.npy", mmap_mode="r")


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize("kind", ["numbers", "single", "genotypes", "both"])
@pytest.mark.parametrize("selector", [ReliefF(), SURF(), MultiSURF(), RReliefF(), LFE()])
def test_no_bit_depends_on_the_memory(selector, kind, tmp_path, monkeypatch):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 30))
    if kind == "single":
        X = X.astype(np.float32)
    if kind in ("genotypes", "both"):
        X[:, : 30 if kind == "genotypes" else 11] = rng.integers(0, 3, size=(400, 1)) + 0.0
        X[:, 0] = rng.integers(0, 3, size=400)
        X[:, 3:] += rng.integers(0, 2, size=(400, 27)) if kind == "genotypes" else 0
        X = np.minimum(X, 2)
    y = X[:, 0] + X[:, 1] if isinstance(selector, RReliefF) else (X[:, 0] * X[:, 1] > 0).astype(int)
    learned = "components_" if isinstance(selector, LFE) else "weights_"
    expected = getattr(selector.fit(X, y), learned)
    for memory in ("1", "64K", "1M"):
        monkeypatch.setenv("BASRELIEF_MEMORY", memory)
        found = getattr(selector.fit(mapped(tmp_path, X), y), learned)
        np.testing.assert_array_equal(found, expected)


def test_wrong_amounts_and_folders_are_named(tmp_path, monkeypatch):
    X = np.random.default_rng(1).normal(size=(60, 5))
    y = (X[:, 0] > 0).astype(int)
    monkeypatch.setenv("BASRELIEF_MEMORY", "8X")
    with pytest.raises(ValueError, match=r"BASRELIEF_MEMORY.*`8X`.*500M or 8G"):
        ReliefF().fit(X, y)
    monkeypatch.setenv("BASRELIEF_MEMORY", "10")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match=r"nowhere.*TMPDIR"):
        ReliefF().fit(X, y)
