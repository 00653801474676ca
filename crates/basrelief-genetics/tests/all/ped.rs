//! Text filesets of PLINK (`.ped`, `.tped`), against answers made by hand, the `.bed` file of the same genotypes, and the
//! `.bed` file that `plink1.9 --make-bed` makes of them; and no input makes the readers panic.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use basrelief::data::{
    Column, Genotypes, KindOverrides, Locus, PackedGenotypes, Table, Target, TargetKind,
};
use basrelief::{CancelFlag, Memory, Progress, Run};
use basrelief_genetics::{
    Cohort, CohortContent, CohortOptions, CohortProblem, Genome, Phenotype, is_ped, is_tped,
    write_cohort,
};
use flate2::{Compression, GzBuilder};
use proptest::prelude::*;
use tempfile::TempDir;

use super::run;

/// The variant of each line of a `.tped` file, in both formats: the fields before the alleles, and two alleles per
/// person.
type Variants = Vec<(String, Vec<[String; 2]>)>;

/// A folder with text filesets.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with `a.ped` and `a.map`.
    fn with_ped(ped: &str, map: &str) -> Self {
        let folder = Self::new();
        folder.write("a.ped", ped);
        folder.write("a.map", map);
        folder
    }

    /// A folder with `a.tped` and `a.tfam`.
    fn with_tped(tped: &str, tfam: &str) -> Self {
        let folder = Self::new();
        folder.write("a.tped", tped);
        folder.write("a.tfam", tfam);
        folder
    }

    /// A folder with both filesets of the same genotypes.
    fn with_both(people: &[String], variants: &Variants) -> Self {
        let folder = Self::new();
        let joined = |pairs: &[[String; 2]]| -> String {
            pairs.iter().map(|[one, other]| format!(" {one} {other}")).collect()
        };
        let tped = variants.iter().map(|(place, pairs)| format!("{place}{}\n", joined(pairs)));
        folder.write("a.tped", tped.collect::<String>());
        folder.write("a.tfam", people.iter().map(|line| format!("{line}\n")).collect::<String>());
        folder.write(
            "a.map",
            variants.iter().map(|(place, _)| format!("{place}\n")).collect::<String>(),
        );
        let ped = people.iter().enumerate().map(|(person, line)| {
            let own: Vec<_> = variants.iter().map(|(_, pairs)| pairs[person].clone()).collect();
            format!("{line}{}\n", joined(&own))
        });
        folder.write("a.ped", ped.collect::<String>());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn open_with(&self, name: &str, run: &Run) -> basrelief::Result<Cohort> {
        let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
        Cohort::open(&self.path(name), &options, run)
    }

    fn open(&self, name: &str) -> basrelief::Result<Cohort> {
        self.open_with(name, &run())
    }

    fn message(&self, name: &str) -> String {
        self.open(name).unwrap_err().to_string()
    }
}

/// The copies of A1 of all people, variant by variant, and the alleles A1 and A2.
fn read(cohort: &Cohort) -> Vec<([String; 2], Vec<u8>)> {
    let people: Vec<u32> = (0..cohort.samples().len() as u32).collect();
    let variants: Vec<u32> = (0..cohort.loci().len() as u32).collect();
    let all = cohort.genotypes(&people, &variants, &run()).unwrap();
    let copies = all.into_iter().map(|column| Genotypes::from(column).iter().collect());
    let alleles = cohort.loci().iter().map(|locus| [locus.counted.clone(), locus.other.clone()]);
    alleles.zip(copies).collect()
}

/// The result of [`read`], for a comparison.
fn variant(a1: &str, a2: &str, copies: &[u8]) -> ([String; 2], Vec<u8>) {
    ([a1.to_string(), a2.to_string()], copies.to_vec())
}

/// A text as gzip.
fn gzip(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = GzBuilder::new().write(&mut bytes, Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Some of the numbers that a generator of chance would give.
fn mixed(place: [usize; 3]) -> usize {
    let [seed, variant, person] = place;
    let start = seed.wrapping_mul(31_337) + variant * 7919 + person * 104_729 + 13;
    let once = start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (once ^ once >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
}

/// The A1 of each variant is the one of PLINK 1.9.
#[test]
fn a1_is_the_minor_allele() {
    let people = ["f1 i1 0 0 1 1", "f2 i2 0 0 2 2", "f3 i3 0 0 0 2", "f4 i4 0 0 1 -9"];
    let variants = [
        // The rarer allele; of equally frequent ones, the later one; one allele; none.
        ("1 a 0 10", "A A  A G  G A  A A", variant("G", "A", &[0, 1, 1, 0])),
        ("1 b 0 20", "A G  G A  A A  G G", variant("G", "A", &[1, 1, 0, 2])),
        ("1 c 0 30", "C C  C C  C C  0 0", variant("0", "C", &[0, 0, 0, 3])),
        ("1 d 0 40", "0 0  0 0  0 0  0 0", variant("0", "0", &[3, 3, 3, 3])),
        // Words, numbers, and a letter that is not ASCII.
        ("1 e 0 50", "AT A  A A  AT A  . .", variant("AT", "A", &[1, 0, 1, 3])),
        ("2 f 0 60", "1 2  2 2  1 1  2 2", variant("1", "2", &[1, 0, 2, 0])),
        ("2 g 0.5 70", "a A  a a  A a  a a", variant("A", "a", &[1, 0, 1, 0])),
        ("2 h 0 80", "é è  è è  é è  0 0", variant("é", "è", &[1, 0, 1, 3])),
    ];
    let pairs = |text: &str| -> Vec<[String; 2]> {
        let alleles: Vec<String> = text.split_whitespace().map(String::from).collect();
        alleles.chunks(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
    };
    let content = variants.iter().map(|(place, text, _)| (place.to_string(), pairs(text)));
    let folder = Folder::with_both(&people.map(String::from), &content.collect());
    for name in ["a.ped", "a.tped"] {
        let cohort = folder.open(name).unwrap();
        let wanted: Vec<_> = variants.iter().map(|(_, _, wanted)| wanted.clone()).collect();
        assert_eq!(read(&cohort), wanted, "{name}");
        assert_eq!(cohort.names(), ["a", "b", "c", "d", "e", "f", "g", "h"]);
        let places: Vec<(&str, u64)> =
            cohort.loci().iter().map(|locus| (&*locus.chromosome, locus.position)).collect();
        assert_eq!((places[0], places[7]), (("1", 10), ("2", 80)));
        let sexes: Vec<&str> = cohort.samples().iter().map(|person| person.sex.as_str()).collect();
        assert_eq!(sexes, ["1", "2", "0", "1"]);
        let cases = vec![Some(false), Some(true), Some(true), None];
        assert_eq!(cohort.phenotype(), &Phenotype::CaseControl(cases));
        assert!(cohort.warnings().is_empty(), "{:?}", cohort.warnings());
        let CohortProblem { table, target, .. } =
            cohort.problem(TargetKind::Auto, &KindOverrides::default(), &[], &run()).unwrap();
        assert_eq!((table.rows(), table.width(), target.rows()), (3, 8, 3));
    }
}

/// The frequency is that of founders; on X, Y and MT it counts as many copies as people have there.
#[test]
fn a1_is_rarer_among_founders() {
    let people = ["f i1 0 0 1 1", "f i2 0 0 2 2", "f i3 i1 i2 0 2", "f i4 i1 i2 1 2"];
    let variants = [
        ("1 a 0 10", "A A A G G G G G", variant("G", "A", &[0, 1, 2, 2])),
        ("1 b 0 10", "A A G G G G G G", variant("A", "G", &[2, 0, 0, 0])),
        ("1 c 0 10", "0 0 0 0 G A G G", variant("A", "G", &[3, 3, 1, 0])),
        ("X d 0 10", "A A G G G A G A", variant("A", "G", &[2, 0, 1, 1])),
        ("chr23 e 0 10", "A A A G G G G G", variant("G", "A", &[0, 1, 2, 2])),
        ("Y f 0 10", "G G A A A A A A", variant("A", "G", &[0, 2, 2, 2])),
        ("MT g 0 10", "A A A G G G G G", variant("G", "A", &[0, 1, 2, 2])),
        ("MT h 0 10", "A G G G A A A A", variant("A", "G", &[1, 0, 2, 2])),
        ("25 i 0 10", "A A G G G A G A", variant("G", "A", &[0, 2, 1, 1])),
    ];
    let pairs = |text: &str| -> Vec<[String; 2]> {
        let alleles: Vec<String> = text.split_whitespace().map(String::from).collect();
        alleles.chunks(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
    };
    let content = variants.iter().map(|(place, text, _)| (place.to_string(), pairs(text)));
    let folder = Folder::with_both(&people.map(String::from), &content.collect());
    let wanted: Vec<_> = variants.iter().map(|(_, _, wanted)| wanted.clone()).collect();
    for name in ["a.ped", "a.tped"] {
        assert_eq!(read(&folder.open(name).unwrap()), wanted, "{name}");
        // Of dogs, 23 and 25 are autosomes, and of 23 everybody has two copies.
        let genome = Genome::with_autosomes(38).unwrap();
        let options = CohortOptions { genome, all_chromosomes: true, ..Default::default() };
        let dogs = Cohort::open(&folder.path(name), &options, &run()).unwrap();
        assert_eq!(read(&dogs), wanted, "{name}");
    }
}

#[test]
fn genotypes_with_further_alleles_become_missing() {
    let people: Vec<String> = (1..6).map(|person| format!("f{person} i{person} 0 0 1 1")).collect();
    let variants = [
        ("1 a 0 1", "A A  A G  A C  0 0  A A", variant("G", "A", &[0, 1, 3, 3, 0])),
        ("1 b 0 2", "A C  A G  A C  A A  A A", variant("C", "A", &[1, 3, 1, 0, 0])),
        ("1 c 0 3", "A C  T T  T T  T C  C C", variant("C", "T", &[3, 0, 0, 1, 2])),
        ("1 d 0 4", "A A  C C  G G  T T  0 0", variant("C", "A", &[0, 2, 3, 3, 3])),
        ("1 e 0 5", "A C  C G  G T  G T  0 0", variant("C", "G", &[3, 1, 3, 3, 3])),
    ];
    let pairs = |text: &str| -> Vec<[String; 2]> {
        let alleles: Vec<String> = text.split_whitespace().map(String::from).collect();
        alleles.chunks(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
    };
    let content = variants.iter().map(|(place, text, _)| (place.to_string(), pairs(text)));
    let folder = Folder::with_both(&people, &content.collect());
    let wanted: Vec<_> = variants.iter().map(|(_, _, wanted)| wanted.clone()).collect();
    for (name, of) in [("a.ped", "a.map"), ("a.tped", "a.tped")] {
        let cohort = folder.open(name).unwrap();
        assert_eq!(read(&cohort), wanted, "{name}");
        let warnings: Vec<String> = cohort.warnings().iter().map(ToString::to_string).collect();
        let text = format!(
            "5 variants have more than two alleles: 8 genotypes were treated as missing because they have others than \
             the two most frequent alleles, as in PLINK; the first variant of {of} is `a` on line 1, with the alleles \
             A, G and C"
        );
        assert_eq!(warnings, [text], "{name}");
    }
}

#[test]
fn lines_are_written_in_many_ways() {
    let map = "# CHROM ID CM POS\n\n1\ta\t0\t10\n 1  .  0.5  -20 \n2 c 1e-3 30\r\n";
    let ped = "#FID IID PAT MAT SEX PHENO a a b b c c\n\nf1 i1 0 0 1 1\tA  A\tA 0 C C\n\
               # f2 i2 0 0 1 1 A A A A A A\n  f3 i3 0 0 2 2 A G X Y T C \r\nf4 i4 0 0 2 2 G G Z . C C";
    let folder = Folder::with_ped(&format!("\u{feff}{ped}"), map);
    let wanted = vec![variant("G", "A", &[0, 1, 2]), variant("T", "C", &[0, 1, 0])];
    let cohort = folder.open("a.ped").unwrap();
    // The variant with a negative position is excluded, and its alleles are not read.
    assert_eq!(
        (cohort.names(), read(&cohort)),
        (&["a", "c"].map(String::from)[..], wanted.clone())
    );
    let warning = cohort.warnings()[0].to_string();
    assert!(warning.contains("1 variants of a.map have a negative position"), "{warning}");
    let ids: Vec<(&str, u64)> =
        cohort.samples().iter().map(|person| (&*person.id, person.line)).collect();
    assert_eq!(ids, [("i1", 3), ("i3", 5), ("i4", 6)]);

    folder.write("a.map", "1 a 10\n1 . -20\n2 c 30\n");
    assert_eq!(read(&folder.open("a.ped").unwrap()), wanted);
    folder.write("a.map", gzip(map));
    folder.write("b.ped.gz", gzip(ped));
    folder.write("b.map.gz", gzip(map));
    assert_eq!(read(&folder.open("a.ped").unwrap()), wanted);
    assert_eq!(read(&folder.open("b.ped.gz").unwrap()), wanted);

    let tped = "\n1\ta 0 10 A A A G\tG G\n1 . 0 -20 A 0 X Y Z .\r\n  2 c 1e-3 30 C C T C C C";
    let tfam = "# people\nf1 i1 0 0 1 1\n\nf3 i3 0 0 2 2\nf4 i4 0 0 2 2\n";
    let folder = Folder::with_tped(tped, tfam);
    assert_eq!(read(&folder.open("a.tped").unwrap()), wanted);
    folder.write("b.TPED.GZ", gzip(tped));
    folder.write("b.tfam.gz", gzip(tfam));
    assert_eq!(read(&folder.open("b.TPED.GZ").unwrap()), wanted);
}

#[test]
fn files_are_known_by_their_names() {
    for name in ["a.ped", "A.PED", "a.b.ped.gz", "folder/a.Ped.Gz"] {
        assert!(is_ped(name.as_ref()) && !is_tped(name.as_ref()), "{name}");
    }
    for name in ["a.tped", "a.TPED.gz"] {
        assert!(is_tped(name.as_ref()) && !is_ped(name.as_ref()), "{name}");
    }
    for name in ["ped", "a.ped.txt", "a.map", "a.tfam", "a.pedx", "a.gz", "a.ped.zst"] {
        assert!(!is_tped(name.as_ref()) && !is_ped(name.as_ref()), "{name}");
    }
}

#[test]
fn errors_of_ped_files_say_where() {
    const MAP: &str = "1 a 0 10\n1 b 0 20\n";
    const GOOD: &str = "f1 i1 0 0 1 1 A A C C\n";
    let with = |line: &str| format!("{GOOD}# a comment\n{line}\n");
    let cases: Vec<(String, &str, &[&str])> = vec![
        (
            with("f2 i2 0 0 1 1 A A C"),
            MAP,
            &[
                "a.ped, line 3",
                "9 fields, but 10 are expected",
                "6 of the person, and 2 alleles for each of 2 variants of a.map",
            ],
        ),
        (with("f2 i2 0 0 1 1 A A C C T"), MAP, &["a.ped, line 3", "11 fields, but 10 are"]),
        (with("f2 i2 0 0 1 1"), MAP, &["a.ped, line 3", "6 fields, but 10 are"]),
        (with("f2 i2 0"), MAP, &["a.ped, line 3", "3 fields, but a person needs six"]),
        (
            GOOD.to_string(),
            "1 a 0 10\n",
            &["a.ped, line 1", "10 fields, but 8 are", "1 variant of"],
        ),
        (
            with("f2 i2 0 0 1 1 AC CC"),
            MAP,
            &[
                "a.ped, line 3",
                "compound genotypes",
                "AC",
                "plink1.9 --file a --recode --out a-separate",
            ],
        ),
        (
            with("f2 i2 0 0 1 1 A A C 0"),
            MAP,
            &[
                "a.ped, line 3",
                "only one of the two alleles of variant `b` is missing",
                "C 0",
                "write 0 0",
            ],
        ),
        (with("f2 i2 0 0 1 1 . A C C"), MAP, &["a.ped, line 3", "variant `a`", ". A"]),
        (
            with("f2 i2 0 0 1 1 C G C C\nf3 i3 0 0 1 1 T TT C C"),
            MAP,
            &["a.ped, line 4", "the variant `a` has more than 4 alleles: A, C, G, T, TT"],
        ),
        (with("FID IID 0 0 1 1 A A C C"), MAP, &["a.ped, line 3", "a header line, not a person"]),
        (
            with("f1 i1 0 0 1 1 A A C C"),
            MAP,
            &["a.ped, line 3", "FID `f1` IID `i1` is also on line 1"],
        ),
        ("# nobody\n\n".to_string(), MAP, &["a.ped", "the file lists no people"]),
        (String::new(), MAP, &["a.ped", "the file is empty"]),
        (GOOD.to_string(), "", &["a.map", "the file is empty"]),
        (GOOD.to_string(), "# nothing\n", &["a.map", "the file lists no variants"]),
        (GOOD.to_string(), "1 a 0 10\n1 b 20\n", &["a.map, line 2", "3 fields, but line 1 has 4"]),
        (GOOD.to_string(), "1 a\n1 b\n", &["a.map, line 1", "2 fields, but a variant needs four"]),
        (GOOD.to_string(), "1 a 0 10 A C\n", &["a.map, line 1", "6 fields, but a variant needs"]),
        (GOOD.to_string(), "1 a x 10\n", &["a.map, line 1, column `CM`", "centimorgans", "x"]),
        (GOOD.to_string(), "1 a 0 1.5\n", &["a.map, line 1, column `POS`", "base pairs", "1.5"]),
        (GOOD.to_string(), "1 a 0 -10\n1 b 0 -1\n", &["a.map", "none of its 2 variants remain"]),
        (
            GOOD.to_string(),
            "1 a 0 10\n1 a 0 10\n",
            // The alleles are A and C, and none is rarer.
            &[],
        ),
    ];
    for (ped, map, parts) in cases {
        let found = Folder::with_ped(&ped, map).open("a.ped");
        if parts.is_empty() {
            assert_eq!(found.unwrap().names(), ["1:10:0:A", "1:10:0:C"]);
            continue;
        }
        let message = found.unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let folder = Folder::with_ped(GOOD, MAP);
    folder.write("a.ped", [GOOD.as_bytes(), b"f2 i2 0 0 1 1 A \xe9 C C\n"].concat());
    let message = folder.message("a.ped");
    assert!(message.contains("a.ped, line 2") && message.contains("not valid UTF-8"), "{message}");
    folder.write("a.ped", GOOD);
    folder.write("a.map", [MAP.as_bytes(), b"1 \xe9 0 30\n"].concat());
    let message = folder.message("a.ped");
    assert!(message.contains("a.map, line 3") && message.contains("not valid UTF-8"), "{message}");
    std::fs::remove_file(folder.path("a.map")).unwrap();
    let message = folder.message("a.ped");
    for part in ["a.map", "there is no such file", "a .ped file needs a .map file next to it"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = folder.message("b.ped");
    assert!(message.contains("b.ped") && message.contains("there is no such file"), "{message}");
    // The people are looked at before the genotypes.
    let folder = Folder::with_ped("f1 i1 0 0 1 1 A C\nf1 i1 0 0 1 1 A 0\n", "1 a 0 1\n");
    assert!(folder.message("a.ped").contains("is also on line 1"));
    // A file that ends between or within two blocks of gzip.
    let whole = gzip(GOOD);
    folder.write("a.map", MAP);
    for length in 1..whole.len() {
        folder.write("a.ped.gz", &whole[..length]);
        let message = folder.message("a.ped.gz");
        assert!(message.contains("decompress"), "{length}: {message}");
    }
}

#[test]
fn errors_of_tped_files_say_where() {
    const TFAM: &str = "f1 i1 0 0 1 1\nf2 i2 0 0 2 2\n";
    const GOOD: &str = "1 a 0 10 A C A A\n";
    let with = |line: &str| format!("{GOOD}\n{line}\n");
    let cases: Vec<(String, &str, &[&str])> = vec![
        (
            with("1 b 0 20 A C A"),
            TFAM,
            &[
                "a.tped, line 3",
                "7 fields, but 8 are expected",
                "CHROM ID CM POS, and 2 alleles for each of 2 people of a.tfam",
            ],
        ),
        (with("1 b 0 20 A C A A C"), TFAM, &["a.tped, line 3", "9 fields, but 8 are expected"]),
        (with("1 b 20 A C A A"), TFAM, &["a.tped, line 3", "7 fields, but 8 are expected"]),
        (with("1 b"), TFAM, &["a.tped, line 3", "2 fields, but 8 are expected"]),
        (
            with("1 b 0 20 AC AA"),
            TFAM,
            &[
                "a.tped, line 3",
                "compound genotypes",
                "AC",
                "plink1.9 --tfile a --recode transpose --out",
            ],
        ),
        (with("1 b 0 20 A C 0 A"), TFAM, &["a.tped, line 3", "alleles of variant `b`", "0 A"]),
        (
            "1 b 0 20 A C G T TT A\n".to_string(),
            "f1 i1 0 0 1 1\nf2 i2 0 0 2 2\nf3 i3 0 0 2 2\n",
            &["a.tped, line 1", "the variant `b` has more than 4 alleles: A, C, G, T, TT"],
        ),
        (with("1 b 0 x A C A A"), TFAM, &["a.tped, line 3, column `POS`", "base pairs", "x"]),
        (with("1 b x 20 A C A A"), TFAM, &["a.tped, line 3, column `CM`", "centimorgans", "x"]),
        (with("#1 b 0 20 A C A A"), TFAM, &["a.tped, line 3", "a .tped file has no comments"]),
        (
            with("1 a 0 10 A C A A"),
            TFAM,
            &["a.tped, line 3", "the variant on line 1 is also called `1:10:C:A`"],
        ),
        (String::new(), TFAM, &["a.tped", "the file is empty"]),
        ("\n \n".to_string(), TFAM, &["a.tped", "the file lists no variants"]),
        (GOOD.to_string(), "", &["a.tfam", "the file is empty"]),
        (GOOD.to_string(), "# nobody\n", &["a.tfam", "the file lists no people"]),
        (GOOD.to_string(), "f1 i1 0 0 1\n", &["a.tfam, line 1", "5 fields, but a person needs"]),
        (GOOD.to_string(), "f1 i1 0 0 1 1\nf1 i1 0 0 1 1\n", &["a.tfam, line 2", "also on line 1"]),
    ];
    for (tped, tfam, parts) in cases {
        let message = Folder::with_tped(&tped, tfam).message("a.tped");
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let folder = Folder::with_tped(GOOD, TFAM);
    folder.write("a.tped", [GOOD.as_bytes(), b"1 b 0 20 A \xe9 A A\n"].concat());
    let message = folder.message("a.tped");
    assert!(message.contains("a.tped, line 2") && message.contains("not valid UTF-8"), "{message}");
    std::fs::remove_file(folder.path("a.tfam")).unwrap();
    let message = folder.message("a.tped");
    for part in ["a.tfam", "there is no such file", "a .tped file needs a .tfam file next to it"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// Genotypes of founders and others, of all chromosomes, with further alleles and without, as texts.
fn varied(seed: usize) -> (Vec<String>, Variants) {
    let people = 3 + mixed([seed, 1, 2]) % 9;
    let person = |person: usize| {
        let of = |place: usize| mixed([seed, 1000 + place, person]);
        let parents = if of(0) % 3 == 0 { "m p" } else { "0 0" };
        format!("f{person} i{person} {parents} {} {}", of(1) % 3, 1 + of(2) % 2)
    };
    let variant = |variant: usize| {
        let of = |place: usize| mixed([seed, 2000 + place, variant]);
        let chromosome = ["1", "2", "X", "Y", "MT", "XY", "0", "22"][of(0) % 8];
        let alleles: &[&str] = [
            &["A", "C"][..],
            &["A", "C"],
            &["1", "2"],
            &["AT", "A"],
            &["A", "C", "G"],
            &["T", "G", "TT", "C"],
            &["G"],
        ][of(1) % 7];
        // Few further alleles, or as many.
        let spread = if of(2) % 2 == 0 { 1 } else { 4 };
        let missing = [0, 3, 10][of(3) % 3];
        let allele = |person: usize, copy: usize| {
            let number = mixed([seed, 3000 + variant, 2 * person + copy]);
            let of_two = alleles.len() > 2 && number / 64 % 4 >= spread;
            let known = if of_two { 2 } else { alleles.len() };
            alleles[number % known].to_string()
        };
        let pair = |person: usize| {
            if mixed([seed, 4000 + variant, person]) % 10 < missing {
                return ["0".to_string(), "0".to_string()];
            }
            [allele(person, 0), allele(person, 1)]
        };
        let place = format!("{chromosome} v{variant} 0 {}", 1 + of(4) % 1000);
        (place, (0..people).map(pair).collect())
    };
    ((0..people).map(person).collect(), (0..40).map(variant).collect())
}

/// The people, and the alleles and genotypes of each variant by ID.
type ByName = (Vec<String>, BTreeMap<String, ([String; 2], Vec<u8>)>);

fn by_name(cohort: &Cohort) -> ByName {
    let person = |person: &basrelief_genetics::Sample| {
        let basrelief_genetics::Sample { family, id, father, mother, sex, phenotype, .. } = person;
        [family, id, father, mother, sex, phenotype].map(String::as_str).join(" ")
    };
    let people = cohort.samples().iter().map(person).collect();
    let ids = cohort.loci().iter().map(|locus| locus.id.clone());
    (people, ids.zip(read(cohort)).collect())
}

#[test]
fn cohorts_are_those_that_plink_makes() {
    let mut several = 0;
    for seed in 0..40 {
        let (people, variants) = varied(seed);
        let folder = Folder::with_both(&people, &variants);
        for (option, name) in [("--file", "a.ped"), ("--tfile", "a.tped")] {
            let made = Command::new("plink1.9")
                .args([option, "a", "--make-bed", "--allow-no-sex", "--out", "plink"])
                .current_dir(folder.0.path())
                .output();
            let Ok(made) = made else {
                println!("skipped: plink1.9 is not installed");
                return;
            };
            let told = String::from_utf8_lossy(&made.stdout);
            assert!(made.status.success(), "{seed}: {told}");
            let wanted = by_name(&folder.open("plink.bed").unwrap());
            let cohort = folder.open(name).unwrap();
            several += cohort.warnings().len();
            assert_eq!(by_name(&cohort), wanted, "{name} of seed {seed}");
        }
    }
    assert!(several > 40, "{several} warnings about further alleles");
}

/// Copies of A1 (3 if missing) of a few people and variants, and whether each variant has alleles of one letter.
fn cohorts() -> impl Strategy<Value = Vec<(Vec<u8>, bool)>> {
    (1..40_usize, 1..12_usize).prop_flat_map(|(people, variants)| {
        let variant = (prop::collection::vec(0..4_u8, people), any::<bool>());
        prop::collection::vec(variant, variants)
    })
}

/// The copies of an allele; 3 if missing.
fn copies_of(allele: &str, ([a1, a2], copies): &([String; 2], Vec<u8>)) -> Vec<u8> {
    let of = |copies: &u8| match copies {
        3 => 3,
        copies if a1 == allele => *copies,
        copies if a2 == allele => 2 - copies,
        _ => 0,
    };
    copies.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_filesets_and_bed_files_are_read_identically(cohort in cohorts(), order in any::<u64>()) {
        let rows = cohort[0].0.len();
        let letters = |is_letter: bool| if is_letter { ["A", "C"] } else { ["A", "ACT"] };
        let locus = |place: usize| Locus {
            chromosome: ["1", "2"][place % 2].into(),
            position: 10 * (place as u64 + 1),
            id: format!("v{place}"),
            counted: letters(cohort[place].1)[0].to_string(),
            other: letters(cohort[place].1)[1].to_string(),
        };
        let columns = cohort.iter().enumerate().map(|(place, (copies, _))| {
            let packed = PackedGenotypes::from_codes(copies.iter().copied());
            Column::packed(format!("v{place}"), packed).with_locus(locus(place))
        });
        let table = Table::new(columns.collect::<Vec<_>>()).unwrap();
        let target = Target::Real((0..rows).map(|row| row as f64).collect());
        let content = CohortContent {
            table: &table, target: &target, families: None, parents: &[], covariates: &[],
        };
        let people = |row: usize| {
            format!("person{0} person{0} 0 0 {1} {row}", row + 1, 1 + row % 2)
        };
        let pair = |copies: u8, is_letter: bool, row: usize| {
            let [a1, a2] = letters(is_letter);
            let [one, other] = match copies {
                0 => [a2, a2],
                1 if order >> (row % 64) & 1 == 1 => [a1, a2],
                1 => [a2, a1],
                2 => [a1, a1],
                _ => ["0", "0"],
            };
            [one.to_string(), other.to_string()]
        };
        let variants = cohort.iter().enumerate().map(|(place, (copies, is_letter))| {
            let Locus { chromosome, position, id, .. } = locus(place);
            let pairs = copies.iter().enumerate().map(|(row, copies)| pair(*copies, *is_letter, row));
            (format!("{chromosome} {id} 0 {position}"), pairs.collect())
        });
        let folder = Folder::with_both(&(0..rows).map(people).collect::<Vec<_>>(), &variants.collect());
        write_cohort(&folder.path("bed.bed"), &content, &run()).unwrap();
        let wanted = folder.open("bed.bed").unwrap();
        let small = Run::new(Some(2)).unwrap().with_memory(Memory::new(50, folder.0.path()));
        for (name, run) in [("a.ped", &run()), ("a.tped", &run()), ("a.ped", &small), ("a.tped", &small)] {
            let found = folder.open_with(name, run).unwrap();
            prop_assert_eq!(found.names(), wanted.names());
            prop_assert_eq!(found.phenotype(), wanted.phenotype());
            let places = found.loci().iter().zip(wanted.loci());
            for (found, wanted) in places {
                prop_assert_eq!((&found.chromosome, found.position), (&wanted.chromosome, wanted.position));
            }
            for ((found, wanted), (_, is_letter)) in read(&found).iter().zip(&read(&wanted)).zip(&cohort) {
                for allele in letters(*is_letter) {
                    prop_assert_eq!(copies_of(allele, found), copies_of(allele, wanted));
                }
                let known: Vec<u8> = found.1.iter().copied().filter(|copies| *copies != 3).collect();
                prop_assert!(known.iter().map(|copies| u32::from(*copies)).sum::<u32>() as usize <= known.len());
            }
        }
    }

    /// All that is asked for is an answer.
    #[test]
    fn damaged_files_are_read_or_refused(
        which in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let names = ["a.ped", "a.map", "a.tped", "a.tfam"];
        let (people, variants) = varied(3);
        let folder = Folder::with_both(&people, &variants);
        let mut bytes = std::fs::read(folder.path(names[which])).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        folder.write(names[which], bytes);
        if let Ok(cohort) = folder.open(if which < 2 { "a.ped" } else { "a.tped" }) {
            prop_assert!(!cohort.samples().is_empty() && !cohort.loci().is_empty());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[#fi0-2ACX. \t\n-]{0,80}", which in 0..4_usize) {
        let names = ["a.ped", "a.map", "a.tped", "a.tfam"];
        let folder = Folder::with_ped("f i 0 0 1 1 A C\n", "1 a 0 1\n");
        folder.write("a.tped", "1 a 0 1 A C\n");
        folder.write("a.tfam", "f i 0 0 1 1\n");
        folder.write(names[which], text);
        if let Ok(cohort) = folder.open(if which < 2 { "a.ped" } else { "a.tped" }) {
            prop_assert!(!cohort.samples().is_empty() && !cohort.loci().is_empty());
        }
    }
}

/// More people, variants or alleles than memory holds are refused before memory is used up.
#[test]
fn texts_are_bounded_by_the_memory_of_the_run() {
    let folder = Folder::with_ped("f i 0 0 1 1 A C\n", "1 a 0 1\n");
    let memory = Memory::new(1 << 20, folder.0.path());
    let run = Run::new(Some(1)).unwrap().with_memory(memory);
    let lines = |line: &dyn Fn(usize) -> String, lines: usize| -> Vec<u8> {
        gzip(&(0..lines).map(line).collect::<String>())
    };
    folder.write("a.ped", lines(&|person| format!("f i{person} 0 0 1 1 A C\n"), 600_000));
    let message = folder.open_with("a.ped", &run).unwrap_err().to_string();
    assert!(message.contains("reading a.ped needs up to"), "{message}");
    folder.write("a.ped", "f i 0 0 1 1 A C\n");
    folder.write("a.map", lines(&|variant| format!("1 v{variant} 0 1\n"), 1_000_000));
    let message = folder.open_with("a.ped", &run).unwrap_err().to_string();
    assert!(message.contains("reading a.map needs up to"), "{message}");
    folder.write("a.tfam", "f i 0 0 1 1\n");
    folder.write("a.tped", lines(&|variant| format!("1 v{variant} 0 1 A C\n"), 1_000_000));
    let message = folder.open_with("a.tped", &run).unwrap_err().to_string();
    assert!(message.contains("reading a.tped needs up to"), "{message}");
    folder.write("a.tped", lines(&|_| "x".repeat(100), 700_000));
    let message = folder.open_with("a.tped", &run).unwrap_err().to_string();
    assert!(message.contains("a.tped, line 1: the line is longer than"), "{message}");
}

/// Cancels the run when a stage starts.
struct CancelAt(CancelFlag, &'static str);

impl Progress for CancelAt {
    fn start(&self, stage: &str, _total: u64) {
        if stage == self.1 {
            self.0.cancel();
        }
    }

    fn advance(&self, _units: u64) {}

    fn finish(&self) {}
}

#[test]
fn every_stage_of_reading_can_be_cancelled() {
    let (people, variants) = varied(1);
    let folder = Folder::with_both(&people, &variants);
    for (name, stage) in [
        ("a.ped", "reading people of a.ped"),
        ("a.ped", "reading genotypes of a.ped"),
        ("a.ped", "choosing the minor alleles of a.ped"),
        ("a.tped", "reading a.tped"),
    ] {
        let cancel = CancelFlag::default();
        let progress = Arc::new(CancelAt(cancel.clone(), stage));
        let run = Run::new(Some(1)).unwrap().with_cancel(cancel).with_progress(progress);
        let found = folder.open_with(name, &run);
        assert!(matches!(found, Err(basrelief::Error::Cancelled)), "{stage}: {found:?}");
    }
}
