"""Text filesets of PLINK, against genotypes that are written here one by one."""

import gzip

import numpy as np
import pytest

from basrelief import ReliefF, ReliefWarning, read_plink

PEOPLE, VARIANTS = 43, 19
TEXTS = {0: "A A", 1: "A G", 2: "G G", -1: "0 0"}


@pytest.fixture
def copies():
    """Make copies of the minor allele G; -1 is a missing genotype."""
    return np.random.default_rng(5).choice(
        [-1, 0, 1, 2], p=[0.1, 0.5, 0.3, 0.1], size=(PEOPLE, VARIANTS)
    )


@pytest.fixture
def folder(tmp_path, copies):
    people = [f"f{p} i{p} 0 0 {1 + p % 2} {1 + p % 2}" for p in range(PEOPLE)]
    places = [f"1 rs{v} 0 {5 + v}" for v in range(VARIANTS)]
    (tmp_path / "row.map").write_text("\n".join(places))
    lines = [" ".join([line, *map(TEXTS.get, copies[p])]) for p, line in enumerate(people)]
    (tmp_path / "row.ped").write_text("\n".join(lines))
    (tmp_path / "column.tfam").write_text("\n".join(people))
    lines = [" ".join([line, *map(TEXTS.get, copies[:, v])]) for v, line in enumerate(places)]
    (tmp_path / "column.tped").write_text("\n".join(lines))
    (tmp_path / "packed.tped.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "packed.tfam").write_text("\n".join(people))
    return tmp_path


@pytest.mark.parametrize(
    "name", ["row.ped", "column.tped", "packed.tped.gz", "row", "column", "packed"]
)
def test_genotypes_are_those_that_were_written(folder, copies, name):
    cohort = read_plink(folder / name)
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies)
    np.testing.assert_array_equal(cohort.X[5:9, [3, 1]].to_numpy(), copies[5:9][:, [3, 1]])
    assert list(cohort.y[:3]) == ["control", "case", "control"]
    assert list(cohort.variants["A1"]) == ["G"] * VARIANTS
    assert list(cohort.samples["FID"][:2]) == ["f0", "f1"]
    known = np.where(copies < 0, np.nan, copies)
    wanted = ReliefF(n_features_to_select=3, genotype_features="all").fit(known, cohort.y)
    found = ReliefF(n_features_to_select=3).fit(cohort.X, cohort.y)
    np.testing.assert_array_equal(found.feature_importances_, wanted.feature_importances_)


def test_what_is_wrong_is_refused(folder):
    (folder / "row.map").write_text("1 rs0 0 5\n")
    with pytest.raises(ValueError, match=r"row\.ped, line 1: 44 fields, but 8 are expected"):
        read_plink(folder / "row.ped")
    (folder / "row.map").unlink()
    with pytest.raises(ValueError, match=r"a \.ped file needs a \.map file next to it"):
        read_plink(folder / "row.ped")


def test_further_alleles_are_warned_of(folder):
    text = (folder / "column.tped").read_text().replace("A A", "A T", 1)
    (folder / "column.tped").write_text(text)
    with pytest.warns(ReliefWarning, match="1 variant has more than two alleles: 1 genotype was"):
        read_plink(folder / "column.tped")
