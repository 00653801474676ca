"""Cohorts of PLINK 2, against a file of one width that is written here genotype by genotype."""

import shutil

import numpy as np
import pytest

from basrelief import ReliefF, ReliefWarning, RReliefF, read_plink

PEOPLE, VARIANTS = 43, 19


@pytest.fixture
def copies():
    return np.random.default_rng(5).integers(-1, 3, size=(PEOPLE, VARIANTS))


@pytest.fixture
def path(tmp_path, copies):
    data = bytearray(b"\x6c\x1b\x02")
    data += VARIANTS.to_bytes(4, "little") + PEOPLE.to_bytes(4, "little") + b"\x40"
    for variant in copies.T:
        codes = np.zeros(-(-PEOPLE // 4) * 4, dtype=np.uint8)
        codes[:PEOPLE] = np.where(variant < 0, 3, variant)
        four = codes.reshape(-1, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
        data += four.sum(axis=1).astype(np.uint8).tobytes()
    (tmp_path / "cohort.pgen").write_bytes(data)
    pvar = "".join(f"1\t{v + 5}\trs{v}\tA\tG\n" for v in range(VARIANTS))
    (tmp_path / "cohort.pvar").write_text("##x\n#CHROM\tPOS\tID\tREF\tALT\n" + pvar)
    people = "".join(f"p{p}\tM\t{1 + p % 2}\t{p / 4}\n" for p in range(PEOPLE))
    (tmp_path / "cohort.psam").write_text("#IID\tSEX\tstatus\theight\n" + people)
    return tmp_path / "cohort.pgen"


def test_genotypes_are_those_that_were_written(path, copies):
    with pytest.raises(ValueError, match=r"there are 2 phenotypes.*pheno_name: status, height"):
        read_plink(path)
    cohort = read_plink(path, pheno_name="status")
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies)
    np.testing.assert_array_equal(cohort.X[3:9, [4, 1]].to_numpy(), copies[3:9][:, [4, 1]])
    assert list(cohort.y[:3]) == ["control", "case", "control"]
    assert cohort.target_name == "status"
    assert list(cohort.variants["A1"]) == ["G"] * VARIANTS
    assert list(cohort.samples["FID"][:2]) == ["0", "0"]
    assert list(cohort.samples["sex"][:2]) == ["1", "1"]
    known = np.where(copies < 0, np.nan, copies)
    wanted = ReliefF(n_features_to_select=3, genotype_features="all").fit(known, cohort.y)
    found = ReliefF(n_features_to_select=3).fit(cohort.X, cohort.y)
    np.testing.assert_array_equal(found.feature_importances_, wanted.feature_importances_)


def test_a_phenotype_is_chosen_by_its_name(path):
    cohort = read_plink(path, pheno_name="height")
    np.testing.assert_array_equal(cohort.y, np.arange(PEOPLE) / 4)
    assert cohort.target_name == "height"
    with pytest.raises(ValueError, match=r"line 1: no phenotype is called `weight`"):
        read_plink(path, pheno_name="weight")
    both = read_plink(path, pheno_name="height,status")
    assert list(both.y) == ["height", "status"]
    np.testing.assert_array_equal(both.y["height"], np.arange(PEOPLE) / 4)
    assert list(both.y["status"][:3]) == ["control", "case", "control"]
    assert RReliefF().fit(both.X, both.y).weights_.shape == (VARIANTS,)


def test_a_prefix_is_the_first_plink_where_both_are(path, copies):
    prefix = path.with_suffix("")
    assert read_plink(prefix, pheno_name="status").X.shape == copies.shape
    shutil.copy(path, prefix.with_suffix(".bed"))
    with pytest.raises(ValueError, match=r"cohort\.fam"):
        read_plink(prefix)
    with pytest.raises(ValueError, match="pheno_name"):
        read_plink(prefix.with_suffix(".bed"), pheno_name="height")


def test_variants_of_several_alleles_are_left_out(path, copies):
    pvar = path.with_suffix(".pvar")
    pvar.write_text(pvar.read_text().replace("rs3\tA\tG", "rs3\tA\tG,T"))
    with pytest.warns(ReliefWarning, match="1 variant with several alleles"):
        cohort = read_plink(path, pheno_name="status")
    np.testing.assert_array_equal(cohort.X.to_numpy(), np.delete(copies, 3, axis=1))


def test_another_file_is_refused(path):
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(ValueError, match=r"cohort\.pgen: it has 220 bytes, but 43 people"):
        read_plink(path)
