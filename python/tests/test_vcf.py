"""Cohorts in VCF, against genotypes that are written here one by one."""

import gzip

import numpy as np
import pytest

from basrelief import ReliefF, ReliefWarning, read_vcf

PEOPLE, VARIANTS = 41, 17
TEXTS = {0: ["0/0", "0|0"], 1: ["0/1", "1|0"], 2: ["1/1", "1|1"], -1: ["./.", "."]}


@pytest.fixture
def copies():
    return np.random.default_rng(11).integers(-1, 3, size=(PEOPLE, VARIANTS))


@pytest.fixture
def text(copies):
    fixed = ["CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"]
    lines = ["##fileformat=VCFv4.2", "#" + "\t".join([*fixed, *(f"p{p}" for p in range(PEOPLE))])]
    for v, variant in enumerate(copies.T):
        genotypes = [TEXTS[count][(v + p) % 2] + ":9" for p, count in enumerate(variant)]
        lines.append(
            "\t".join(["2", str(50 + v), f"rs{v}", "A", "G", ".", ".", ".", "GT:DP", *genotypes])
        )
    return "\n".join(lines) + "\n"


@pytest.fixture
def traits(tmp_path):
    path = tmp_path / "traits.txt"
    path.write_text("".join(f"p{p} p{p} {1 + p % 2}\n" for p in range(PEOPLE)))
    return path


@pytest.mark.parametrize("ending", [".vcf", ".vcf.gz"])
def test_genotypes_are_those_that_were_written(tmp_path, copies, text, traits, ending):
    path = tmp_path / f"cohort{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    cohort = read_vcf(path, pheno=traits)
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies)
    np.testing.assert_array_equal(cohort.X[5:9, [3, 1]].to_numpy(), copies[5:9][:, [3, 1]])
    assert list(cohort.y[:3]) == ["control", "case", "control"]
    assert list(cohort.variants["A1"]) == ["G"] * VARIANTS
    assert list(cohort.samples["IID"][:2]) == ["p0", "p1"]
    known = np.where(copies < 0, np.nan, copies)
    wanted = ReliefF(n_features_to_select=3, genotype_features="all").fit(known, cohort.y)
    found = ReliefF(n_features_to_select=3).fit(cohort.X, cohort.y)
    np.testing.assert_array_equal(found.feature_importances_, wanted.feature_importances_)


def test_what_a_vcf_lacks_is_asked_for(tmp_path, text):
    path = tmp_path / "cohort.vcf"
    # Before the genotypes are read.
    path.write_text(text.replace("0/0", "0/x"))
    with pytest.raises(ValueError, match="a VCF contains no phenotypes"):
        read_vcf(path)
    path.write_text(text)
    assert read_vcf(path, keep_missing=True).X.shape == (PEOPLE, VARIANTS)
    with pytest.raises(ValueError, match="does not end in"):
        read_vcf(tmp_path / "cohort.txt")


def test_what_is_left_out_is_warned_of(tmp_path, text, traits):
    path = tmp_path / "cohort.vcf"
    path.write_text(text.replace("A\tG\t", "A\tG,T\t", 1))
    with pytest.warns(ReliefWarning, match="1 record with several alleles"):
        cohort = read_vcf(path, pheno=traits)
    assert cohort.X.shape == (PEOPLE, VARIANTS - 1)
