"""Cohorts of PLINK, against files that are written here genotype by genotype."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import basrelief
from basrelief import LFE, ReliefF, ReliefWarning, RReliefF, Stable, TuRF, read_plink

PEOPLE, VARIANTS = 83, 31


def copies_of_a1(missing=True):
    rng = np.random.default_rng(7)
    copies = rng.integers(0, 3, size=(PEOPLE, VARIANTS))
    return np.where(rng.random(copies.shape) < 0.05, -1, copies) if missing else copies


def write(folder, copies, phenotypes, chromosome="1"):
    """Write the three files, without a look at how the package reads them."""
    with open(folder / "cohort.bed", "wb") as file:
        file.write(b"\x6c\x1b\x01")
        for variant in copies.T:
            for first in range(0, len(variant), 4):
                byte = 0
                for place, count in enumerate(variant[first : first + 4]):
                    byte |= {2: 0b00, -1: 0b01, 1: 0b10, 0: 0b11}[int(count)] << (2 * place)
                file.write(bytes([byte]))
    bim = [f"{chromosome}\trs{v}\t0\t{100 + v}\tA\tC\n" for v in range(copies.shape[1])]
    (folder / "cohort.bim").write_text("".join(bim))
    fam = [f"f{p} i{p} 0 0 2 {phenotype}\n" for p, phenotype in enumerate(phenotypes)]
    (folder / "cohort.fam").write_text("".join(fam))
    return folder / "cohort.bed"


@pytest.fixture
def copies():
    return copies_of_a1()


@pytest.fixture
def cases(copies):
    return (copies[:, 3] > 0) != (copies[:, 8] > 0)


@pytest.fixture
def cohort(tmp_path, copies, cases):
    return read_plink(write(tmp_path, copies, 1 + cases))


def test_genotypes_are_those_that_were_written(cohort, copies):
    X = cohort.X
    assert X.shape == (PEOPLE, VARIANTS)
    assert len(X) == PEOPLE
    found = X.to_numpy()
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, copies)
    assert X.to_numpy(missing=9).max() == 9
    numbers = np.asarray(X)
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.where(copies < 0, np.nan, copies))
    with pytest.raises(ValueError, match="missing genotypes cannot be represented as int64"):
        np.asarray(X, dtype=np.int64)
    with pytest.raises(ValueError, match="always makes a copy"):
        np.array(X, copy=False)
    assert "83 people and 31 variants" in repr(X)
    assert "83 people" in repr(cohort)


def test_rows_and_columns_are_chosen_as_of_arrays(cohort, copies):
    rng = np.random.default_rng(0)
    some = rng.permutation(PEOPLE)[:40]
    mask = rng.random(VARIANTS) < 0.5
    for key in [
        slice(10, 50, 3),
        some,
        [5, 5, 1],
        (slice(None), mask),
        (some, slice(None, None, -1)),
        (Ellipsis, [3, 1]),
        (some, ...),
    ]:
        np.testing.assert_array_equal(cohort.X[key].to_numpy(), copies[key])
    np.testing.assert_array_equal(
        cohort.X[some][:, mask][::2].to_numpy(), copies[some][:, mask][::2]
    )
    np.testing.assert_array_equal(cohort.X[7].to_numpy(), copies[[7]])
    assert list(cohort.X[:, [4, 2]].names) == ["rs4", "rs2"]
    for wrong in [PEOPLE, (0, 0, 0), [[1, 2]], (0, VARIANTS)]:
        with pytest.raises(IndexError):
            cohort.X[wrong]


@pytest.mark.parametrize("seed", range(4))
def test_any_index_chooses_what_it_chooses_of_an_array(cohort, copies, seed):
    rng = np.random.default_rng(seed)

    def indices(count):
        yield from [slice(None), slice(None, None, -2), slice(5, 2), slice(-3, None), ...]
        yield from [[], (), range(0), np.array([], dtype=int), [True, False] * (count // 2)]
        yield rng.random(count) < 0.5
        yield np.zeros(count, dtype=bool)
        yield rng.integers(-count, count, 5)
        yield tuple(rng.integers(0, count, 3).tolist())
        yield range(2, 7)
        yield [0.5, 1.0]
        yield np.array([])
        yield "a"
        yield [count]
        yield [True] * (count + 1)

    def same(key, wanted_key):
        try:
            wanted = copies[wanted_key]
        except IndexError:
            with pytest.raises(IndexError):
                cohort.X[key]
            return
        found = cohort.X[key]
        assert found.shape == wanted.shape, key
        np.testing.assert_array_equal(found.to_numpy(), wanted)

    for rows in indices(PEOPLE):
        # A tuple by itself is an index of both dimensions.
        if not isinstance(rows, tuple):
            same(rows, rows)
        same((rows,), (rows,))
        if rows is not ...:
            same((rows, ...), (rows, ...))
    for columns in indices(VARIANTS):
        same((slice(None), columns), (slice(None), columns))
        if columns is not ...:
            same((..., columns), (..., columns))
    same((), ())
    same(..., ...)
    same((slice(3), ..., slice(2)), (slice(3), ..., slice(2)))
    for wrong in [
        (..., ...),
        (..., slice(None), ...),
        None,
        (None, 0),
        (slice(None), None),
        True,
        (slice(None), slice(None), slice(None)),
        np.zeros((PEOPLE, VARIANTS), dtype=bool),
        (slice(None), 1.0),
    ]:
        with pytest.raises(IndexError):
            cohort.X[wrong]


def test_phenotypes_of_other_codes_are_declared(tmp_path, copies, cases):
    bed = write(tmp_path, copies, cases.astype(int))
    wanted = ["case" if case else "control" for case in cases]
    with pytest.raises(ValueError, match=r"there are no cases.*one_is_case=True"):
        read_plink(bed)
    assert list(read_plink(bed, one_is_case=True).y) == wanted
    np.testing.assert_array_equal(read_plink(bed, target_type="real").y, cases)
    words = np.where(cases, "sick", "well")
    bed = write(tmp_path, copies, words)
    with pytest.raises(ValueError, match=r'cohort\.fam, line 1.*target_type="classes".*na_values'):
        read_plink(bed)
    assert list(read_plink(bed, target_type="classes").y) == list(words)
    with pytest.warns(ReliefWarning, match=r"the phenotypes of cohort\.fam were not read"):
        everybody = read_plink(bed, keep_missing=True)
    assert set(everybody.y) == {None}
    np.testing.assert_array_equal(everybody.X.to_numpy(), copies)
    with pytest.warns(ReliefWarning, match="have no phenotype"):
        some = read_plink(bed, target_type="classes", na_values="sick")
    assert set(some.y) == {"well"}
    with pytest.raises(ValueError, match="one_is_case"):
        read_plink(bed, one_is_case=True, target_type="real")


def test_species_have_other_chromosomes(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases, chromosome="23")
    with pytest.raises(ValueError, match="none of its 31 variants remain"):
        read_plink(bed)
    assert read_plink(bed, chr_set=38).X.shape == copies.shape
    for wrong in (-38, 0, 96):
        with pytest.raises(ValueError, match="chr_set"):
            read_plink(bed, chr_set=wrong)


def test_header_lines_and_unknown_families(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases)
    fam = tmp_path / "cohort.fam"
    text = fam.read_text()
    fam.write_text("\ufeff#FID IID PAT MAT SEX PHENO\n" + text, encoding="utf-8")
    np.testing.assert_array_equal(read_plink(bed).X.to_numpy(), copies)
    fam.write_text("FID IID PAT MAT SEX PHENO\n" + text)
    with pytest.raises(ValueError, match="this is a header line, not a person"):
        read_plink(bed)
    lines = text.splitlines()
    fam.write_text("".join(f"0 {line.split(' ', 1)[1]}\n" for line in lines))
    keep = tmp_path / "keep.txt"
    keep.write_text("i3 i3\n0 i5\n")
    assert list(read_plink(bed, keep=keep, keep_missing=True).samples["IID"]) == ["i3", "i5"]


def test_tables_say_who_and_what(cohort, cases):
    pd = pytest.importorskip("pandas")
    assert isinstance(cohort.samples, pd.DataFrame)
    assert list(cohort.samples.columns) == ["FID", "IID", "father", "mother", "sex"]
    assert cohort.samples.loc[3].to_list() == ["f3", "i3", "0", "0", "2"]
    assert list(cohort.variants.columns) == ["name", "CHROM", "POS", "ID", "A1", "A2"]
    assert cohort.variants.loc[2].to_list() == ["rs2", "1", 102, "rs2", "A", "C"]
    assert list(cohort.y) == ["case" if case else "control" for case in cases]
    assert cohort.target_name == "phenotype"


def test_tables_are_arrays_without_pandas(monkeypatch, tmp_path, copies):
    monkeypatch.setattr("basrelief._plink.find_spec", lambda name: None)
    cohort = read_plink(write(tmp_path, copies, [1, 2] * 41 + [1]))
    assert list(cohort.samples) == ["FID", "IID", "father", "mother", "sex"]
    assert cohort.variants["POS"][4] == 104
    assert cohort.samples["IID"][1] == "i1"


# Whatever a fit warns of, both warn of it.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        ReliefF(n_neighbors=5),
        basrelief.MultiSURF(n_features_to_select=4),
        ReliefF(n_features_to_select="fdr", n_permutations=99, random_state=0),
        TuRF(ReliefF(), keep=10),
        Stable(ReliefF(), n_resamples=10, random_state=0),
    ],
)
def test_weights_are_those_of_the_same_array(cohort, copies, estimator):
    found = clone(estimator).fit(cohort.X, cohort.y)
    (genotypes,) = [name for name in estimator.get_params() if name.endswith("genotype_features")]
    estimator = clone(estimator).set_params(**{genotypes: "all"})
    wanted = estimator.fit(np.where(copies < 0, np.nan, copies), cohort.y)
    np.testing.assert_array_equal(found.ranking_, wanted.ranking_)
    if hasattr(wanted, "weights_"):
        np.testing.assert_array_equal(found.weights_, wanted.weights_)
    np.testing.assert_array_equal(found.get_support(), wanted.get_support())
    assert list(found.feature_names_in_) == [f"rs{v}" for v in range(VARIANTS)]
    assert list(found.get_feature_names_out()) == list(cohort.X.names[found.get_support()])
    chosen = found.transform(cohort.X)
    np.testing.assert_array_equal(chosen.to_numpy(), copies[:, found.get_support()])


def test_variants_of_another_cohort_are_refused(cohort):
    selector = ReliefF(n_features_to_select=3).fit(cohort.X, cohort.y)
    with pytest.raises(ValueError, match="X has 30 features, but ReliefF is expecting 31"):
        selector.transform(cohort.X[:, 1:])
    with pytest.raises(ValueError, match="from those that ReliefF was fitted to"):
        selector.transform(cohort.X[:, ::-1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector.fit(cohort.X, cohort.y[1:])


def test_cross_validation_and_maps_take_them(tmp_path):
    complete = copies_of_a1(missing=False)
    cases = (complete[:, 3] > 0) != (complete[:, 8] > 0)
    cohort = read_plink(write(tmp_path, complete, 1 + cases))
    steps = make_pipeline(ReliefF(n_features_to_select=2), KNeighborsClassifier(3))
    found = cross_val_score(steps, cohort.X, cohort.y, cv=4)
    np.testing.assert_array_equal(
        found, cross_val_score(steps, complete.astype(float), cohort.y, cv=4)
    )
    learned = LFE(2).fit(cohort.X, cohort.y)
    plain = LFE(2).fit(complete.astype(float), cohort.y)
    np.testing.assert_array_equal(learned.components_, plain.components_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mapped = learned.transform(cohort.X[3:9])
    np.testing.assert_array_equal(mapped, plain.transform(complete[3:9].astype(float)))
    with pytest.raises(ValueError, match="from those that LFE was fitted to"):
        learned.transform(cohort.X[:, ::-1])
    page = ReliefF().fit(cohort.X, cohort.y).to_html(cohort.X, cohort.y)
    assert "Weights of 31 features on 1 chromosome" in page


def test_phenotypes_may_be_quantities_of_another_file(tmp_path, copies):
    bed = write(tmp_path, copies, [-9] * PEOPLE)
    with pytest.raises(
        ValueError, match=r"cohort\.fam: the phenotype of all 83 people is missing .* pheno"
    ):
        read_plink(bed)
    everybody = read_plink(bed, keep_missing=True)
    assert set(everybody.y) == {None}
    heights = np.arange(PEOPLE) / 4
    lines = [f"f{p} i{p} {height} 1" for p, height in enumerate(heights) if p != 5]
    (tmp_path / "traits.txt").write_text("\n".join(["FID IID height b", *lines]))
    options = {"pheno": tmp_path / "traits.txt", "pheno_name": "height"}
    with pytest.warns(ReliefWarning) as told:
        cohort = read_plink(str(bed)[: -len(".bed")], **options)
    assert [str(one.message) for one in told] == [
        "1 of the people in cohort.fam are not in traits.txt; the first is FID `f5` IID `i5`",
        "1 of 83 people have no phenotype and were excluded",
    ]
    known = np.arange(PEOPLE) != 5
    np.testing.assert_array_equal(cohort.y, heights[known])
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies[known])
    assert cohort.target_name == "height"
    wanted = RReliefF(genotype_features="all").fit(
        np.where(copies < 0, np.nan, copies)[known], heights[known]
    )
    np.testing.assert_array_equal(RReliefF().fit(cohort.X, cohort.y).weights_, wanted.weights_)
    with pytest.warns(ReliefWarning, match="not in traits"):
        all_of_them = read_plink(bed, keep_missing=True, **options)
    assert np.isnan(all_of_them.y[5])
    assert len(all_of_them.y) == PEOPLE


def test_people_and_variants_are_chosen(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases, chromosome="X")
    with pytest.raises(ValueError, match="none of its 31 variants remain"):
        read_plink(bed)
    (tmp_path / "people.txt").write_text("f1 i1\nf4 i4\nf2 i2\n")
    (tmp_path / "ids.txt").write_text("rs3 rs5\n")
    cohort = read_plink(
        bed,
        keep=tmp_path / "people.txt",
        exclude=str(tmp_path / "ids.txt"),
        chromosomes="23",
        keep_missing=True,
    )
    kept = [v for v in range(VARIANTS) if v not in (3, 5)]
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies[[1, 2, 4]][:, kept])
    assert read_plink(bed, all_chromosomes=True).X.shape == copies.shape
    with pytest.raises(ValueError, match="option chromosomes: the range 4-1 is empty"):
        read_plink(bed, chromosomes="4-1")
    with pytest.raises(
        ValueError, match=r"none\.bed: cannot open it for reading: there is no such file"
    ):
        read_plink(tmp_path / "none")


def test_filters_keep_what_numpy_keeps(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases)
    missing = copies < 0
    people = missing.mean(axis=1) <= 0.1
    with pytest.warns(
        ReliefWarning, match=r"people were excluded by mind=0\.1: they have more missing"
    ):
        cohort = read_plink(bed, mind=0.1)
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies[people])
    assert len(cohort.y) == len(cohort.samples) == people.sum() < PEOPLE
    variants = missing[people].mean(axis=0) <= 0.05
    shares = np.ma.masked_less(copies[people], 0).mean(axis=0) / 2
    variants &= np.minimum(shares, 1 - shares).data >= 0.45
    with pytest.warns(ReliefWarning) as told:
        cohort = read_plink(bed, mind=0.1, geno=0.05, maf=0.45)
    np.testing.assert_array_equal(cohort.X.to_numpy(), copies[people][:, variants])
    assert list(cohort.variants["name"]) == [f"rs{v}" for v in np.flatnonzero(variants)]
    assert 0 < variants.sum() < VARIANTS
    assert [str(one.message).split(" by ")[1].split("=")[0] for one in told] == [
        "mind",
        "geno",
        "maf",
    ]
    for wrong, message in [
        ({"maf": 0.6}, "option maf: 0.6 is out of range"),
        ({"ld_prune": "50:5"}, "option ld_prune: 2 parts, but three are expected"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_plink(bed, **wrong)


@pytest.mark.filterwarnings("ignore")
def test_the_program_keeps_the_same_variants(tmp_path, copies, cases):
    bed = write(tmp_path, np.repeat(copies, 2, axis=1), 1 + cases)
    filters = {"geno": 0.08, "hwe": 0.01, "ld_prune": "20:3:0.02"}
    cohort = read_plink(bed, **filters)
    options = [word for name, value in filters.items() for word in (f"--{name}", str(value))]
    options = [option.replace("_", "-") for option in options]
    kept = tmp_path / "kept.txt"
    line = [sys.executable, "-m", "basrelief", "quality", str(bed), "--write-snplist", str(kept)]
    subprocess.run([*line, *options], capture_output=True, check=True)
    assert kept.read_text().split() == list(cohort.X.names)
    # Of two that are the same one goes.
    assert len(cohort.X.names) < VARIANTS


def test_the_program_gives_the_same_weights(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases)
    line = [sys.executable, "-m", "basrelief", "rank", str(bed), "--format", "csv", "--quiet"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    cohort = read_plink(bed)
    weights = dict(zip(cohort.X.names, ReliefF().fit(cohort.X, cohort.y).weights_, strict=True))
    assert {row[1]: float(row[2]) for row in rows} == weights


def test_covariates_are_matched_by_person(tmp_path, copies, cases):
    bed = write(tmp_path, copies, 1 + cases)
    age = np.arange(PEOPLE) * 0.5
    batch = np.where(np.arange(PEOPLE) % 2, "odd", "even")
    people = reversed(range(1, PEOPLE))
    lines = [f"f{p} i{p} {age[p]} {batch[p]} {p}\n" for p in people]
    covar = tmp_path / "cohort.cov"
    covar.write_text("FID IID age batch place\n" + "".join(lines))
    with pytest.warns(ReliefWarning, match="1 of the people"):
        cohort = read_plink(bed, covar=covar, covar_name="age-batch")
    found = cohort.covariates
    assert list(found) == ["age", "batch"]
    assert np.isnan(found["age"][0])
    np.testing.assert_array_equal(found["age"][1:], age[1:])
    assert found["batch"][0] is None or found["batch"][0] != found["batch"][0]
    assert list(found["batch"][1:]) == list(batch[1:])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReliefWarning)
        kept = tmp_path / "kept.txt"
        kept.write_text("".join(f"f{p} i{p}\n" for p in range(1, PEOPLE)))
        cohort = read_plink(bed, covar=covar, covar_name="age,batch", keep=kept)
    fitted = ReliefF(n_neighbors=3).fit(
        cohort.X, cohort.y, covariates=cohort.covariates, caliper=1.0
    )
    plain = ReliefF(n_neighbors=3).fit(cohort.X, cohort.y)
    assert not np.array_equal(fitted.weights_, plain.weights_)
    assert read_plink(bed).covariates is None
    with pytest.raises(ValueError, match="no covariate file"):
        read_plink(bed, covar_name="age")
