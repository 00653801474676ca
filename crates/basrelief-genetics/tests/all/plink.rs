//! Cohorts of PLINK, against files that are written here genotype by genotype; and no input makes the reader panic.

use std::path::{Path, PathBuf};

use basrelief::data::{ColumnKind, Genotypes, KindOverrides, Target, TargetKind};
use basrelief_genetics::{
    ChromosomeSet, Cohort, CohortOptions, CohortProblem, CovariateFile, Phenotype, PhenotypeFile,
};
use proptest::prelude::*;
use tempfile::TempDir;

use super::run;

/// Copies of A1, or 3 where they are missing, variant by variant.
pub(crate) type Copies = Vec<Vec<u8>>;

/// The bytes of a `.bed` file.
pub(crate) fn bed(copies: &Copies) -> Vec<u8> {
    let mut bytes = vec![0x6c, 0x1b, 1];
    for variant in copies {
        for four in variant.chunks(4) {
            let mut byte = 0;
            for (place, copies) in four.iter().enumerate() {
                let code = match copies {
                    2 => 0b00,
                    1 => 0b10,
                    0 => 0b11,
                    _ => 0b01,
                };
                byte += code << (2 * place);
            }
            bytes.push(byte);
        }
    }
    bytes
}

/// A line per variant: all on chromosome 1.
fn bim(variants: usize) -> String {
    (0..variants).map(|v| format!("1\trs{v}\t0.5\t{}\tA\tG\n", 100 * (v + 1))).collect()
}

/// A line per person: cases and controls in turn.
fn fam(people: usize) -> String {
    (0..people).map(|p| format!("f{p} i{p} 0 0 1 {}\n", 1 + p % 2)).collect()
}

/// Three files that belong together, and others beside them.
pub(crate) struct Files(pub(crate) TempDir);

impl Files {
    pub(crate) fn new(bed: impl AsRef<[u8]>, bim: impl AsRef<[u8]>, fam: impl AsRef<[u8]>) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("cohort.bed", bed);
        files.write("cohort.bim", bim);
        files.write("cohort.fam", fam);
        files
    }

    pub(crate) fn of(copies: &Copies) -> Self {
        Self::new(bed(copies), bim(copies.len()), fam(copies.first().map_or(0, Vec::len)))
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn open(&self, options: &CohortOptions) -> basrelief::Result<Cohort> {
        Cohort::open(&self.0.path().join("cohort.bed"), options, &run())
    }

    /// The message of the error that opening, or making a problem of it, must end in.
    pub(crate) fn message(&self, options: &CohortOptions) -> String {
        let problem = self.open(options).and_then(|cohort| {
            cohort.problem(TargetKind::Auto, &KindOverrides::default(), &[], &run())
        });
        problem.unwrap_err().to_string()
    }
}

/// Any cohort of a few people and variants.
fn copies() -> impl Strategy<Value = Copies> {
    (1..14_usize, 1..9_usize).prop_flat_map(|(people, variants)| {
        prop::collection::vec(prop::collection::vec(0..4_u8, people), variants)
    })
}

/// The places of some bits.
fn some(count: usize, bits: u64) -> Vec<u32> {
    (0..count as u32).filter(|place| bits >> (place % 64) & 1 == 1).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn genotypes_are_those_that_were_written(copies in copies(), people in any::<u64>(), variants in any::<u64>()) {
        let files = Files::of(&copies);
        let cohort = files.open(&CohortOptions::default()).unwrap();
        let everybody: Vec<u32> = (0..copies[0].len() as u32).collect();
        let turned = everybody.iter().rev().chain(&everybody).copied().collect();
        let last_twice = [&everybody[1..], &everybody[everybody.len() - 1..]].concat();
        for people in [everybody, turned, last_twice, some(copies[0].len(), people)] {
            let all = some(copies.len(), u64::MAX);
            let turned = all.iter().rev().copied().collect();
            for variants in [all, turned, some(copies.len(), variants)] {
                let found = cohort.genotypes(&people, &variants, &run()).unwrap();
                prop_assert_eq!(found.len(), variants.len());
                for (&variant, found) in variants.iter().zip(found) {
                    let wanted = people.iter().map(|&person| copies[variant as usize][person as usize]);
                    prop_assert!(Genotypes::from(found).iter().eq(wanted));
                }
            }
        }
    }

    /// All that is asked for is an answer.
    #[test]
    fn damaged_files_are_read_or_refused(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let copies = vec![vec![0, 1, 2, 3, 1], vec![1, 1, 0, 2, 2]];
        let mut all = [bed(&copies), bim(2).into_bytes(), fam(5).into_bytes()];
        let bytes = &mut all[which];
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let [bed, bim, fam] = all;
        let files = Files::new(bed, bim, fam);
        let found = files.open(&CohortOptions::default()).and_then(|cohort| {
            cohort.problem(TargetKind::Auto, &KindOverrides::default(), &[], &run())
        });
        if let Ok(CohortProblem { table, target, .. }) = found {
            prop_assert!(table.rows() == target.rows() && table.rows() > 0 && table.width() > 0);
        }
    }

    #[test]
    fn any_lists_are_read_or_refused(text in "[fi#FIDrs0-9 .\t\n-]{0,60}", which in 0..6_usize) {
        let files = Files::of(&vec![vec![0, 1, 2, 3, 1], vec![1, 1, 0, 2, 2]]);
        let list = Some(files.write("list.txt", text));
        let options = match which {
            0 => CohortOptions { keep: list, ..CohortOptions::default() },
            1 => CohortOptions { remove: list, ..CohortOptions::default() },
            2 => CohortOptions { extract: list, ..CohortOptions::default() },
            3 => CohortOptions { exclude: list, ..CohortOptions::default() },
            4 => CohortOptions {
                covariates: list.map(|path| CovariateFile { path, names: Vec::new() }),
                ..CohortOptions::default()
            },
            _ => CohortOptions {
                phenotype: list.map(|path| PhenotypeFile { path, name: None }),
                ..CohortOptions::default()
            },
        };
        if let Ok(cohort) = files.open(&options) {
            prop_assert!(!cohort.samples().is_empty() && !cohort.loci().is_empty());
        }
    }
}

#[test]
fn a_cohort_makes_a_table_and_a_target() {
    let files = Files::of(&vec![vec![0, 1, 2, 3], vec![1, 1, 0, 2]]);
    let cohort = files.open(&CohortOptions::default()).unwrap();
    assert_eq!(cohort.names(), ["rs0", "rs1"]);
    let CohortProblem { table, target, warnings, .. } =
        cohort.problem(TargetKind::Auto, &KindOverrides::default(), &[], &run()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(table.count(ColumnKind::Genotype), 2);
    let locus = table.columns()[1].locus().unwrap();
    assert_eq!((&*locus.chromosome, locus.position, &*locus.id), ("1", 200, "rs1"));
    assert_eq!((&*locus.counted, &*locus.other), ("A", "G"));
    let Target::Classes(classes) = target else { panic!("classes expected") };
    assert_eq!(
        (classes.names(), classes.codes()),
        (&["case", "control"].map(String::from)[..], &[1, 0, 1, 0][..])
    );
}

#[test]
fn people_without_a_phenotype_are_left_out_and_counted() {
    let copies = vec![vec![0, 1, 2, 3, 2]];
    let lines = "a 1 0 0 1 -9\nb 1 0 0 2 2\nc 1 0 0 0 0\nd 1 0 0 1 1\ne 1 0 0 1 NA\n";
    let files = Files::new(bed(&copies), bim(1), lines);
    let problem = |options: &CohortOptions, kind| {
        files
            .open(options)
            .and_then(|cohort| cohort.problem(kind, &KindOverrides::default(), &[], &run()))
    };
    let CohortProblem { table, target, warnings, .. } =
        problem(&CohortOptions::default(), TargetKind::Auto).unwrap();
    assert_eq!(table.rows(), 2);
    assert_eq!(target.classes("").unwrap().codes(), [0, 1]);
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].to_string(), "3 of 5 people have no phenotype and were excluded");

    // A quantity stays one, however few its values are; 0 is one of them.
    let path =
        files.write("traits.txt", "FID IID height bmi\nd 1 3 NA\nb 1 0 5\na 1 1 -9\nx 9 1 1\n");
    let of = |name: &str| CohortOptions {
        phenotype: Some(PhenotypeFile { path: path.clone(), name: Some(name.to_string()) }),
        ..CohortOptions::default()
    };
    let CohortProblem { table, target, warnings, .. } =
        problem(&of("height"), TargetKind::Auto).unwrap();
    assert_eq!(target, Target::Real(vec![1.0, 0.0, 3.0]));
    assert_eq!(table.columns()[0].value(1), 1.0);
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "1 of the people in traits.txt are not in cohort.fam; the first is FID `x` IID `9`",
            "2 of the people in cohort.fam are not in traits.txt; the first is FID `c` IID `1`",
            "2 of 5 people have no phenotype and were excluded",
        ]
    );
    let CohortProblem { target, .. } = problem(&of("height"), TargetKind::Classes).unwrap();
    assert_eq!(target.classes("").unwrap().names(), ["0", "1", "3"]);
    // Several phenotypes are several targets; a person needs one of them.
    let both = problem(&of("bmi, height"), TargetKind::Auto).unwrap();
    assert_eq!((both.target_name.as_str(), both.table.rows()), ("bmi,height", 3));
    assert_eq!(both.target_columns, ["bmi", "height"]);
    let several = both.target.as_multi().unwrap();
    assert_eq!(several.names(), ["bmi", "height"]);
    assert_eq!(several.part(0).unwrap(), (Target::Real(vec![5.0]), vec![1]));
    assert_eq!(several.part(1).unwrap(), (Target::Real(vec![1.0, 0.0, 3.0]), vec![0, 1, 2]));
    let message = |name: &str| problem(&of(name), TargetKind::Auto).unwrap_err().to_string();
    assert!(message("bmi,hight").contains("did you mean `height`?"));
    assert!(message("bmi,bmi").contains("`bmi` is listed twice"));
    let CohortProblem { target, .. } = problem(&of("bmi"), TargetKind::Auto).unwrap();
    assert_eq!(target, Target::Real(vec![5.0]));
    assert_eq!(files.open(&of("bmi")).unwrap().target(), "bmi");
}

/// A column whose name is the list is the only phenotype.
#[test]
fn a_phenotype_with_a_comma_in_its_name_wins_over_a_list() {
    let files = Files::of(&vec![vec![0, 1, 2]]);
    let path = files.write("t.txt", "FID IID a b a,b\nf0 i0 1 5 9\nf1 i1 2 4 8\nf2 i2 3 3 6\n");
    let phenotype = Some(PhenotypeFile { path, name: Some("a,b".to_string()) });
    let cohort = files.open(&CohortOptions { phenotype, ..CohortOptions::default() }).unwrap();
    let wanted = Phenotype::Quantity(vec![Some(9.0), Some(8.0), Some(6.0)]);
    assert_eq!((cohort.phenotype(), cohort.target()), (&wanted, "a,b"));
}

#[test]
fn phenotypes_may_be_by_iid_alone_and_without_a_first_line() {
    let files = Files::of(&vec![vec![0, 1, 2]]);
    for (text, name) in [
        ("#IID trait\ni2 1.5\ni0 2.5\ni1 0\n", "trait"),
        ("f2 i2 1.5\nf0 i0 2.5\nf1 i1 0\n", "phenotype"),
    ] {
        let path = files.write("trait.txt", text);
        let phenotype = Some(PhenotypeFile { path, name: None });
        let cohort = files.open(&CohortOptions { phenotype, ..CohortOptions::default() }).unwrap();
        let wanted = Phenotype::Quantity(vec![Some(2.5), Some(0.0), Some(1.5)]);
        assert_eq!(cohort.phenotype(), &wanted, "{text}");
        assert_eq!(cohort.target(), name);
    }
}

#[test]
fn lists_and_chromosomes_choose() {
    let copies: Copies =
        (0..7).map(|variant| (0..5).map(|person| (variant + person) % 4).collect()).collect();
    let variants = "1 a 0 1 A G\n2 b 0 1 A G\nchr3 c 0 1 A G\nX d 0 1 A G\n26 e 0 1 A G\n1 . 0 7 A G\n1 f 0 -9 A G\n";
    let files = Files::new(bed(&copies), variants, fam(5));
    let names = |options: &CohortOptions| {
        let cohort = files.open(options).unwrap();
        let told: Vec<String> = cohort.warnings().iter().map(ToString::to_string).collect();
        (cohort.names().join(" "), told.join("; "))
    };
    let usual = CohortOptions::default();
    let negative = "1 variants of cohort.bim have a negative position and were excluded";
    let (found, told) = names(&usual);
    assert_eq!(found, "a b c 1:7:A:G");
    assert!(told.starts_with(negative), "{told}");
    assert!(told.contains("2 variants of X, Y, XY and MT were excluded"), "{told}");
    let all = CohortOptions { all_chromosomes: true, ..usual.clone() };
    assert_eq!(names(&all), ("a b c d e 1:7:A:G".to_string(), negative.to_string()));
    for (chosen, wanted) in [("1", "a 1:7:A:G"), ("2-3", "b c"), ("MT,3", "c e"), ("23", "d")] {
        let chromosomes = Some(ChromosomeSet::parse(chosen).unwrap());
        assert_eq!(
            names(&CohortOptions { chromosomes, ..usual.clone() }).0,
            wanted,
            "--chr {chosen}"
        );
    }
    let list = files.write("ids.txt", "b  1:7:A:G\n\nnone c");
    let extracted = CohortOptions { extract: Some(list.clone()), ..all.clone() };
    let (found, told) = names(&extracted);
    assert_eq!(found, "b c 1:7:A:G");
    assert!(
        told.contains("1 of the variants in ids.txt are not in cohort.bim; the first is `none`"),
        "{told}"
    );
    assert_eq!(names(&CohortOptions { exclude: Some(list), ..all.clone() }).0, "a d e");
    let dots = files.write("dots.txt", ".");
    assert_eq!(names(&CohortOptions { extract: Some(dots), ..all }).0, "1:7:A:G");

    let people = files.write("people.txt", "f3 i3 and more\nf1 i1\nf9 i9\n");
    let ids = files.write("iids.txt", "#IID\ni1\ni3\n");
    for list in [&people, &ids] {
        for (options, wanted) in [
            (CohortOptions { keep: Some(list.clone()), ..usual.clone() }, [1, 3].as_slice()),
            (CohortOptions { remove: Some(list.clone()), ..usual.clone() }, &[0, 2, 4]),
        ] {
            let cohort = files.open(&options).unwrap();
            let found: Vec<String> =
                cohort.samples().iter().map(|sample| sample.id.clone()).collect();
            assert_eq!(found, wanted.iter().map(|person| format!("i{person}")).collect::<Vec<_>>());
            // Places are those of who and what is chosen.
            let genotypes = cohort.genotypes(&[0, 1], &[2], &run()).unwrap();
            let wanted = wanted[..2].iter().map(|&person| copies[2][person as usize]);
            assert!(Genotypes::from(genotypes[0].clone()).iter().eq(wanted));
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let good = vec![vec![0, 1, 2, 3, 1], vec![1, 1, 0, 2, 2]];
    let (bed_bytes, bim_text, fam_text) = (bed(&good), bim(2), fam(5));
    let refused = |files: &Files, options: &CohortOptions, words: &[&str]| {
        let message = files.message(options);
        for word in words {
            assert!(message.contains(word), "no `{word}` in: {message}");
        }
    };
    let usual = CohortOptions::default();
    let changed = |place: usize, byte: u8| {
        let mut bytes = bed_bytes.clone();
        bytes[place] = byte;
        bytes
    };
    for (bytes, words) in [
        (changed(0, b'c'), &["cohort.bed", "does not begin", "not 63 1b 01"][..]),
        (vec![0x6c, 0x1b], &["does not begin", "not 6c 1b"]),
        (changed(2, 0), &["cohort.bed", "--make-bed", "--bfile cohort"]),
        (
            bed_bytes[..6].to_vec(),
            &[
                "6 bytes, but 5 people in cohort.fam and 2 variants in cohort.bim need 7",
                "truncated in variant 2",
            ],
        ),
        (bed_bytes[..5].to_vec(), &["it contains 1 variants for this number of people"]),
        ([&bed_bytes[..], &[0]].concat(), &["8 bytes", "not contain a whole number of variants"]),
        ([&bed_bytes[..], &[0, 0]].concat(), &["it contains 3 variants"]),
        (Vec::new(), &["cohort.bed", "empty"]),
    ] {
        refused(&Files::new(bytes, &bim_text, &fam_text), &usual, words);
    }
    for (text, words) in [
        ("1 rs0 0 1 A G\n1 rs1 0 2 A\n", &["cohort.bim", "line 2", "5 fields", "1 rs1 0 2 A"][..]),
        ("1 rs0 0 1 A G\n\n1 rs1 0 x A G\n", &["line 3", "column `POS`", "found `x`"]),
        ("1 rs0 A 1 0 G\n1 rs1 0 1 A G\n", &["line 1", "column `CM`", "found `A`"]),
        (
            "1 rs0 0 1 A G\n1 rs0 0 1 A G\n",
            &[
                "line 2",
                "line 1",
                "`1:1:A:G`",
                "bcftools norm --rm-dup exact",
                "--rm-dup force-first",
            ],
        ),
        ("X a 0 1 A G\nMT b 0 1 A G\n", &["none of its 2 variants remain", "chromosomes: MT, X"]),
        ("", &["cohort.bim", "empty"]),
    ] {
        refused(&Files::new(&bed_bytes, text, &fam_text), &usual, words);
    }
    for (text, words) in [
        ("a b 0 0 1\n", &["cohort.fam", "line 1", "5 fields", "a b 0 0 1"][..]),
        ("a b c 0 0 1 2\n", &["7 fields", "IDs must not contain spaces"]),
        ("a b 0 0 1 1\nc d 0 0 1 1\na b 0 0 1 2\n", &["line 3", "FID `a` IID `b`", "line 1"]),
    ] {
        refused(&Files::new(&bed_bytes, &bim_text, text), &usual, words);
    }
    let with = |phenotype: &str| {
        fam_text.replace(" 1\n", &format!(" {phenotype}\n")).replace(" 2\n", " -9\n")
    };
    refused(
        &Files::new(&bed_bytes, &bim_text, with("-9")),
        &usual,
        &["cohort.fam", "all 5 people", "pheno"],
    );
    refused(
        &Files::new(&bed_bytes, &bim_text, with("1")),
        &usual,
        &["cohort.fam", "there are no cases"],
    );
    refused(
        &Files::new(&bed_bytes, &bim_text, with("tall")),
        &usual,
        &["line 1", "not a number", "`tall`", "pheno"],
    );

    let files = Files::of(&good);
    for (text, name, words) in [
        ("f0 i0 1\nf0 i0 2\n", None, &["pheno.txt", "line 2", "FID `f0` IID `i0`"][..]),
        ("f0 i0 1\nf1 i1\n", None, &["line 2", "0 fields", "but 1 expected"]),
        ("f0 i0 1 2\n", None, &["line 1", "there are 2 phenotypes", "FID IID NAME"]),
        ("FID IID a b\nf0 i0 1 2\n", None, &["line 1", "choose one or a list with", "a, b"]),
        ("FID IID height b\nf0 i0 1 2\n", Some("hight"), &["line 1", "did you mean `height`?"]),
        ("f0 i0 1\n", Some("a"), &["line 1", "without a header line"]),
        ("f0\n", None, &["line 1", "1 field", "#IID"]),
        ("f0 i0 tall\n", None, &["line 1", "not a number", "`tall`"]),
        ("FID IID\n", None, &["no phenotype after the IDs"]),
        ("FID IID a\n", None, &["lists no people"]),
        ("x y 1\n", None, &["none of its people are in cohort.fam", "FID `x` IID `y`"]),
    ] {
        let path = files.write("pheno.txt", text);
        let phenotype = Some(PhenotypeFile { path, name: name.map(String::from) });
        refused(&files, &CohortOptions { phenotype, ..usual.clone() }, words);
    }
    let list = files.write("list.txt", "x y\n");
    refused(
        &files,
        &CohortOptions { keep: Some(list.clone()), ..usual.clone() },
        &["list.txt", "FID `x` IID `y`"],
    );
    refused(
        &files,
        &CohortOptions { extract: Some(list), ..usual.clone() },
        &["list.txt", "none of its variants"],
    );
    let everybody = files.write("all.txt", &fam_text);
    refused(
        &files,
        &CohortOptions { remove: Some(everybody), ..usual.clone() },
        &["no people remain"],
    );
    let absent = Some(files.0.path().join("none.txt"));
    refused(
        &files,
        &CohortOptions { keep: absent, ..usual.clone() },
        &["none.txt", "no such file"],
    );
    #[cfg(unix)]
    {
        let message = Cohort::open(Path::new("/dev/null"), &usual, &run()).unwrap_err().to_string();
        assert!(
            message.contains(
                "/dev/null: cannot read it as a cohort: it is a pipe or a device, not a file"
            ),
            "{message}"
        );
    }
    std::fs::remove_file(files.0.path().join("cohort.fam")).unwrap();
    refused(&files, &usual, &["cohort.fam", "no such file"]);
    let shared = Files::new(&bed_bytes, &bim_text, fam_text.replace("f1 i1", "f1 i0"));
    let list = shared.write("list.txt", "IID\ni0\n");
    refused(
        &shared,
        &CohortOptions { keep: Some(list), ..usual },
        &["line 2", "several people", "`i0`"],
    );
}
