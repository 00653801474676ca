//! The texts beside genotypes: headers, byte order marks, IDs, codes of phenotypes and numbers of chromosomes.

use std::io::Write;
use std::path::{Path, PathBuf};

use basrelief::data::{KindOverrides, TargetKind};
use basrelief::{Memory, Run};
use basrelief_genetics::{
    ChromosomeSet, Cohort, CohortOptions, CovariateFile, Genome, Phenotype, PhenotypeCoding,
    PhenotypeFile, chromosome_sets, read_sets,
};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::plink::{Copies, Files, bed};
use super::run;

const MARK: &str = "\u{feff}";

/// Five people and three variants.
fn copies() -> Copies {
    vec![vec![0, 1, 2, 1, 0], vec![1, 1, 0, 2, 2], vec![2, 0, 1, 0, 1]]
}

fn phenotype(path: PathBuf, name: Option<&str>) -> Option<PhenotypeFile> {
    Some(PhenotypeFile { path, name: name.map(String::from) })
}

fn ids(cohort: &Cohort) -> Vec<&str> {
    cohort.samples().iter().map(|sample| sample.id.as_str()).collect()
}

fn fam(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn header_lines_are_not_people_or_variants() {
    let files = Files::of(&copies());
    let (old_fam, old_bim) = (read(&files, "cohort.fam"), read(&files, "cohort.bim"));
    let usual = CohortOptions::default();
    let plain = files.open(&usual).unwrap();
    files.write("cohort.fam", format!("#FID IID PAT MAT SEX PHENO\n{old_fam}# the end\n"));
    files.write("cohort.bim", format!("#CHROM ID CM POS A1 A2\n{old_bim}"));
    let found = files.open(&usual).unwrap();
    assert_eq!((ids(&found), found.names()), (ids(&plain), plain.names()));
    for header in [
        "FID IID PAT MAT SEX PHENO",
        "fid iid father mother sex phenotype",
        "FamilyID IndividualID p m s y",
        "a b c d Sex e",
    ] {
        // The size of the .bed file need not show it: five people take as many bytes as six.
        files.write("cohort.fam", format!("{header}\n{old_fam}"));
        let message = files.message(&usual);
        let words =
            ["cohort.fam, line 1", "this is a header line, not a person", "putting # before"];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    files.write("cohort.fam", &old_fam);
    files.write("cohort.bim", format!("#CHROM POS ID REF ALT\n{old_bim}"));
    assert!(files.message(&usual).contains("header of a .pvar file"));
    files.write("cohort.bim", format!("CHROM ID CM POS A1 A2\n{old_bim}"));
    assert!(files.message(&usual).contains("cohort.bim, line 1"));
}

fn read(files: &Files, name: &str) -> String {
    std::fs::read_to_string(files.0.path().join(name)).unwrap()
}

#[test]
fn headers_and_comments_of_other_files_are_not_read_as_people() {
    let files = Files::of(&copies());
    for header in ["fid iid y", "#FID IID y", "# who\n#FID IID y", "FID IID y\n# in between"] {
        let path = files.write("y.txt", format!("{header}\nf0 i0 1.5\nf1 i1 2.5\n"));
        let options = CohortOptions { phenotype: phenotype(path, None), ..Default::default() };
        let cohort = files.open(&options).unwrap();
        assert_eq!(cohort.target(), "y", "{header}");
        let wanted = vec![Some(1.5), Some(2.5), None, None, None];
        assert_eq!(cohort.phenotype(), &Phenotype::Quantity(wanted), "{header}");
    }
    let keep = Some(files.write("keep.txt", "# people\n#FID IID\nf1 i1\n"));
    let cohort = files.open(&CohortOptions { keep, ..Default::default() }).unwrap();
    assert_eq!((ids(&cohort), cohort.warnings().len()), (vec!["i1"], 0));
    let extract = Some(files.write("extract.txt", "#ID\nrs1\n"));
    let cohort = files.open(&CohortOptions { extract, ..Default::default() }).unwrap();
    assert_eq!((cohort.names(), cohort.warnings().len()), (&["rs1".to_string()][..], 0));
    // Other names of the IDs are not guessed.
    let path = files.write("y.txt", "family id y\nf0 i0 1.5\n");
    let options = CohortOptions { phenotype: phenotype(path.clone(), None), ..Default::default() };
    assert!(files.message(&options).contains("begin it with FID IID"));
    let covariates = Some(CovariateFile { path, names: Vec::new() });
    let options = CohortOptions { covariates, ..Default::default() };
    assert!(files.message(&options).contains("begin it with FID IID"));
}

/// A mark at the start of any text changes nothing, plain or compressed.
#[test]
fn byte_order_marks_are_skipped() {
    let files = Files::of(&copies());
    let texts = ["cohort.fam", "cohort.bim"].map(|name| (name, read(&files, name)));
    let lists = [
        ("y.txt", "FID IID y\nf0 i0 1.5\nf1 i1 2.5\nf2 i2 3.5\n"),
        ("cov.txt", "FID IID age\nf0 i0 1\nf1 i1 2\nf2 i2 3\nf3 i3 4\nf4 i4 5\n"),
        ("keep.txt", "f0 i0\nf1 i1\nf2 i2\n"),
        ("remove.txt", "f0 i0\n"),
        ("extract.txt", "rs0\nrs1\n"),
        ("exclude.txt", "rs0\n"),
    ];
    let path = |name: &str| files.0.path().join(name);
    let options = CohortOptions {
        phenotype: phenotype(path("y.txt"), None),
        covariates: Some(CovariateFile { path: path("cov.txt"), names: vec!["age".to_string()] }),
        keep: Some(path("keep.txt")),
        remove: Some(path("remove.txt")),
        extract: Some(path("extract.txt")),
        exclude: Some(path("exclude.txt")),
        ..Default::default()
    };
    let all = texts.iter().map(|(name, text)| (*name, text.as_str())).chain(lists);
    for is_zipped in [false, true] {
        for (name, text) in all.clone() {
            let text = format!("{MARK}{text}");
            files.write(name, if is_zipped { gzip(text.as_bytes()) } else { text.into_bytes() });
        }
        let cohort = files.open(&options).unwrap();
        assert_eq!((ids(&cohort), cohort.names()), (vec!["i1", "i2"], &["rs1".to_string()][..]));
        assert_eq!(cohort.phenotype(), &Phenotype::Quantity(vec![Some(2.5), Some(3.5)]));
        let told: Vec<String> = cohort.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["2 of the people in cohort.fam are not in y.txt; the first is FID `f3` IID `i3`"]
        );
        assert_eq!(
            cohort.covariate_table(&KindOverrides::default()).unwrap().unwrap().names(),
            ["age"]
        );
        assert_eq!(cohort.target(), "y");
    }
    let (table, _) = files
        .open(&CohortOptions::default())
        .unwrap()
        .features(&KindOverrides::default(), &[], &run())
        .unwrap();
    let sets = files.write("sets.txt", format!("{MARK}a rs0\na rs1\nb rs2\n"));
    let sets = read_sets(&sets, &table, Genome::default(), &mut Vec::new(), &run()).unwrap();
    let names: Vec<(&str, usize)> =
        sets.iter().map(|set| (set.name.as_str(), set.features.len())).collect();
    assert_eq!(names, [("a", 2), ("b", 1)]);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A family ID of 0 is unknown, in the cohort and in the list.
#[test]
fn people_of_unknown_families_are_found_by_their_own_id() {
    let text =
        fam(&["0 s0 0 0 0 1", "0 s1 0 0 0 2", "f s2 0 0 0 1", "g s2 0 0 0 2", "h s3 0 0 0 1"]);
    let files = Files::new(bed(&copies()), read(&Files::of(&copies()), "cohort.bim"), text);
    for (list, wanted) in [
        ("s0 s0\nx s1\n", vec!["s0", "s1"]),
        ("0 s0\n0 s3\n", vec!["s0", "s3"]),
        ("f s2\n0 s1\n", vec!["s1", "s2"]),
        ("h s3\ng s3\n", vec!["s3"]),
        // A comment is not a family.
        ("# s0\n#s1\nh s3\n", vec!["s3"]),
    ] {
        let keep = Some(files.write("keep.txt", list));
        let cohort = files.open(&CohortOptions { keep, ..Default::default() }).unwrap();
        assert_eq!(ids(&cohort), wanted, "{list}");
    }
    let keep = Some(files.write("keep.txt", "0 s2\n"));
    let message = files.message(&CohortOptions { keep, ..Default::default() });
    assert!(message.contains("several people of the cohort have this IID"), "{message}");
    let path = files.write("y.txt", "s0 s0 1.5\ns1 s1 2.5\n0 s3 3.5\n");
    let options = CohortOptions { phenotype: phenotype(path, None), ..Default::default() };
    let wanted = vec![Some(1.5), Some(2.5), None, None, Some(3.5)];
    assert_eq!(files.open(&options).unwrap().phenotype(), &Phenotype::Quantity(wanted));
}

#[test]
fn phenotypes_are_read_as_they_are_declared() {
    let files = Files::of(&copies());
    let coded = |coding: PhenotypeCoding, column: &[&str]| {
        let text = (0..).zip(column).map(|(p, y)| format!("f{p} i{p} 0 0 1 {y}\n"));
        files.write("cohort.fam", text.collect::<String>());
        CohortOptions { coding, ..Default::default() }
    };
    let usual = PhenotypeCoding::default();
    let one = PhenotypeCoding { one_is_case: true, ..usual.clone() };
    let real = PhenotypeCoding { kind: TargetKind::Real, ..usual.clone() };
    let classes = PhenotypeCoding { kind: TargetKind::Classes, ..usual.clone() };
    let target = |options: &CohortOptions| {
        let cohort = files.open(options).unwrap();
        let kind = options.coding.kind;
        cohort.problem(kind, &KindOverrides::default(), &[], &run()).unwrap().target
    };
    let found = target(&coded(one, &["0", "1", "0", "-9", "1"]));
    assert_eq!(found.classes("").unwrap().names(), ["case", "control"]);
    assert_eq!(found.classes("").unwrap().codes(), [1, 0, 1, 0]);
    let found = target(&coded(real, &["0", "1", "2", "-9", "1"]));
    assert_eq!(found, basrelief::data::Target::Real(vec![0.0, 1.0, 2.0, 1.0]));
    let found = target(&coded(classes, &["red", "blue", "NA", "red", "blue"]));
    assert_eq!(found.classes("").unwrap().names(), ["blue", "red"]);
    assert_eq!(found.rows(), 4);

    // Without a declaration words are refused where a target is needed, and only there.
    let options = coded(usual.clone(), &["red", "blue", "NA", "red", "blue"]);
    let message = files.message(&options);
    for part in ["cohort.fam, line 1", "found `red`", "pheno", "target_type=classes"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let cohort = files.open(&options).unwrap();
    assert_eq!(cohort.phenotype(), &Phenotype::CaseControl(vec![None; 5]));
    assert!(
        cohort.warnings()[0].to_string().contains("the phenotypes of cohort.fam were not read")
    );
    // 0 and 1 without a word about it.
    let options = coded(usual, &["0", "1", "0", "1", "1"]);
    let message = files.message(&options);
    assert!(message.contains("there are no cases") && message.contains("one_is_case"), "{message}");
    let missing = PhenotypeCoding { missing: vec!["?x".to_string()], ..PhenotypeCoding::default() };
    let found = target(&coded(missing, &["1", "2", "?x", "1", "2"]));
    assert_eq!(found.rows(), 4);
}

/// Of dogs, 39 is X.
#[test]
fn species_have_other_chromosomes() {
    let bim = "23 a 0 1 A G\n26 b 0 2 A G\n39 c 0 3 A G\n";
    let files = Files::new(bed(&copies()), bim, read(&Files::of(&copies()), "cohort.fam"));
    let human = files.open(&CohortOptions::default()).unwrap();
    assert_eq!(human.names(), ["c"]);
    assert!(human.warnings()[0].to_string().contains("contain chromosome 39"));
    let genome = Genome::with_autosomes(38).unwrap();
    let dog = files.open(&CohortOptions { genome, ..Default::default() }).unwrap();
    assert_eq!(dog.names(), ["a", "b"]);
    let chromosomes = ChromosomeSet::parse("X").ok();
    let x = files.open(&CohortOptions { genome, chromosomes, ..Default::default() }).unwrap();
    assert_eq!(x.names(), ["c"]);
    let options = CohortOptions { genome, all_chromosomes: true, ..Default::default() };
    let (table, _) =
        files.open(&options).unwrap().features(&KindOverrides::default(), &[], &run()).unwrap();
    let names = |genome: Genome| -> Vec<String> {
        chromosome_sets(&table, genome).unwrap().into_iter().map(|set| set.name).collect()
    };
    assert_eq!(names(genome), ["23", "26", "X"]);
    assert_eq!(names(Genome::default()), ["X", "MT", "39"]);
}

/// Two variants of one name matter only if both are chosen.
#[test]
fn names_are_unique_among_what_is_chosen() {
    let bim = "1 . 0 5 A G\n1 . 0 5 A G\n2 rs2 0 3 A G\n";
    let files = Files::new(bed(&copies()), bim, read(&Files::of(&copies()), "cohort.fam"));
    let message = files.message(&CohortOptions::default());
    for part in ["line 2", "`1:5:A:G`", "bcftools norm --rm-dup exact", "--rm-dup force-first"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let chromosomes = ChromosomeSet::parse("2").ok();
    for options in [
        CohortOptions { chromosomes, ..Default::default() },
        CohortOptions { extract: Some(files.write("a.txt", "rs2\n")), ..Default::default() },
        CohortOptions { exclude: Some(files.write("b.txt", "1:5:A:G\n")), ..Default::default() },
    ] {
        assert_eq!(files.open(&options).unwrap().names(), ["rs2"]);
    }
}

/// More lines than memory holds, and lines that do not end, are refused before memory is used up.
#[test]
fn texts_are_bounded_by_the_memory_of_the_run() {
    let files = Files::of(&copies());
    let fam = files.0.path().join("cohort.fam");
    let bomb = |path: &Path, line: &dyn Fn(usize) -> String, lines: usize| {
        let mut encoder = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
        for block in 0..lines / 1000 {
            let text: String = (block * 1000..(block + 1) * 1000).map(line).collect();
            encoder.write_all(text.as_bytes()).unwrap();
        }
        encoder.finish().unwrap();
    };
    bomb(&fam, &|p| format!("f i{p} 0 0 1 1\n"), 600_000);
    let memory = Memory::new(1 << 20, files.0.path());
    let run = Run::new(Some(1)).unwrap().with_memory(memory);
    let open = || Cohort::open(&files.0.path().join("cohort.bed"), &CohortOptions::default(), &run);
    let message = open().unwrap_err().to_string();
    assert!(message.contains("reading cohort.fam needs up to"), "{message}");
    bomb(&fam, &|_| "x".repeat(100), 700_000);
    let message = open().unwrap_err().to_string();
    assert!(message.contains("cohort.fam, line 1: the line is longer than"), "{message}");
    bomb(&fam, &|_| "x ".repeat(50), 100_000);
    let message = open().unwrap_err().to_string();
    assert!(message.contains("cohort.fam, line 1: the line has more than"), "{message}");
}
