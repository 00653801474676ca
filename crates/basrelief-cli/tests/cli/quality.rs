//! Quality of cohorts: PLINK 1.9 and 2 as witnesses, and what the verb shows.

use std::collections::HashMap;

use serde_json::Value;

use crate::{Place, is_there, run_in};

const PEOPLE: usize = 203;
const VARIANTS: usize = 600;

/// Numbers that look random.
fn any(place: [usize; 3], below: usize) -> usize {
    let all = place.iter().fold(7, |all: u64, &number| {
        let z = (all ^ number as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    (all >> 8) as usize % below
}

/// An allele of a block of variants that go together, or by chance another.
fn allele(variant: usize, copy: usize) -> usize {
    let block = variant / 9;
    let is_common = any([1, block, copy], 12) < 1 + any([2, block, 0], 8);
    let is_changed = any([3, variant, copy], 40) < [0, 1, 2, 6][any([4, variant, 0], 4)];
    usize::from(is_common != is_changed)
}

/// Copies of A1, or 3 where they are missing: of common and rare variants, of such that do not vary, and of such that
/// have too few heterozygous people.
fn copies(variant: usize, person: usize) -> usize {
    let missing = [0, 1, 3, 12][any([5, variant, 0], 4)];
    let (one, other) = (allele(variant, 2 * person), allele(variant, 2 * person + 1));
    match any([6, variant, person], 100) {
        gap if gap < missing || person % 40 == 4 && gap < 20 => 3,
        _ if variant % 31 == 9 => 2 * (variant % 2),
        _ if variant % 37 == 5 => usize::from(person % 67 == 1),
        chance if variant % 13 == 2 && chance % 3 > 0 => 2 * one,
        _ => one + other,
    }
}

/// The files of a cohort; a phenotype is that of `.fam` for a person.
fn cohort(place: &Place, phenotype: impl Fn(usize) -> String) {
    let mut bed = vec![0x6c, 0x1b, 1];
    let mut bim = String::new();
    for variant in 0..VARIANTS {
        let mut bytes = [0; PEOPLE.div_ceil(4)];
        for person in 0..PEOPLE {
            let code = [0b11, 0b10, 0b00, 0b01][copies(variant, person)];
            bytes[person / 4] |= code << (2 * (person % 4));
        }
        bed.extend(bytes);
        // The first are of chromosome 0, and one is alone on its chromosome.
        let chromosome = match variant {
            0..5 => 0,
            599 => 22,
            _ => 1 + variant / 150,
        };
        bim.push_str(&format!("{chromosome} rs{variant} 0 {} A G\n", 1 + variant * variant / 3));
    }
    let fam: String = (0..PEOPLE)
        .map(|person| {
            let father = if person % 12 == 7 { "dad" } else { "0" };
            format!("f{person} i{person} {father} 0 {} {}\n", 1 + person % 2, phenotype(person))
        })
        .collect();
    place.file("cohort.bed", bed);
    place.file("cohort.bim", bim);
    place.file("cohort.fam", fam);
}

fn cases(place: &Place) {
    cohort(place, |person| ["1", "2", "2", "1", "-9"][any([7, person, 0], 5)].to_string());
}

/// Runs PLINK on the cohort; its files are called `out`.
fn plink(place: &Place, program: &str, options: &str) {
    let keep = if program == "plink1.9" { " --keep-allele-order --allow-no-sex" } else { "" };
    let line = format!("--bfile cohort --threads 1 --out out {options}{keep}");
    run_in(place, program, &line);
}

/// A table of PLINK: its rows by the names of columns.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut lines = text.lines();
    let heads: Vec<&str> =
        lines.next().unwrap().trim_start_matches('#').split_whitespace().collect();
    let row = |line: &str| {
        let cells = line.split_whitespace().map(str::to_string);
        heads.iter().map(|head| head.to_string()).zip(cells).collect()
    };
    lines.map(row).collect()
}

/// That a number is the one that was printed with so many digits.
fn assert_printed(number: &Value, printed: &str, digits: i32, what: &str) {
    let (number, wanted): (f64, f64) = (number.as_f64().unwrap(), printed.parse().unwrap());
    let unit = 10_f64.powi(wanted.abs().max(1e-300).log10().floor() as i32 + 1 - digits);
    assert!((number - wanted).abs() <= 0.5001 * unit, "{what}: {number}, PLINK {printed}");
}

fn quality(place: &Place, options: &str) -> Value {
    let text = place.line(&format!("quality cohort.bed --quiet --format json {options}")).done();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn counts_frequencies_and_p_values_are_those_of_plink_1() {
    let place = Place::new();
    if !is_there("plink1.9") {
        return;
    }
    let height = |person: usize| format!("{}.5", person % 90);
    type Write = fn(&Place);
    let quantities: Write = |place| cohort(place, |person| format!("{}.5", person % 90));
    let unknown: Write = |place| cohort(place, |_| "-9".to_string());
    assert_eq!(height(91), "1.5");
    for (write, test) in [(cases as Write, "UNAFF"), (quantities, "ALL(QT)"), (unknown, "ALL(NP)")]
    {
        write(&place);
        let found = quality(&place, "");
        let variants = found["variants"].as_array().unwrap();
        assert_eq!(variants.len(), VARIANTS);
        plink(&place, "plink1.9", "--freq");
        for (variant, row) in variants.iter().zip(rows(&place.read("out.frq"))) {
            assert_eq!(variant["id"], row["SNP"]);
            let share: f64 = row["MAF"].parse().unwrap();
            // With the alleles kept in order it is the frequency of A1.
            let rarer =
                if share > 0.5 { format!("{:.4}", 1.0 - share) } else { row["MAF"].clone() };
            let difference = variant["maf"].as_f64().unwrap() - rarer.parse::<f64>().unwrap();
            assert!(difference.abs() < 0.000_051, "{variant} {row:?}");
        }
        plink(&place, "plink1.9", "--missing");
        for (variant, row) in variants.iter().zip(rows(&place.read("out.lmiss"))) {
            assert_eq!(
                (&variant["id"], variant["missing"].to_string()),
                (&row["SNP"].as_str().into(), row["N_MISS"].clone())
            );
            assert_printed(&variant["f_miss"], &row["F_MISS"], 4, &row["SNP"]);
        }
        let people = found["people"].as_array().unwrap();
        assert_eq!(people.len(), PEOPLE);
        for (person, row) in people.iter().zip(rows(&place.read("out.imiss"))) {
            assert_eq!(
                (&person["fid"], &person["iid"]),
                (&row["FID"].as_str().into(), &row["IID"].as_str().into())
            );
            assert_eq!(person["missing"].to_string(), row["N_MISS"]);
            assert_printed(&person["f_miss"], &row["F_MISS"], 4, &row["IID"]);
        }
        plink(&place, "plink1.9", "--hardy");
        let tested = rows(&place.read("out.hwe"));
        let tested: Vec<_> = tested.iter().filter(|row| row["TEST"] == test).collect();
        assert_eq!(tested.len(), VARIANTS);
        for (variant, row) in variants.iter().zip(tested) {
            assert_eq!(variant["id"], row["SNP"]);
            assert_printed(&variant["hwe_p"], &row["P"], 4, &row["SNP"]);
        }
    }
    assert!(
        quality(&place, "")["variants"]
            .as_array()
            .unwrap()
            .iter()
            .any(|variant| variant["hwe_p"].as_f64() < Some(1e-12))
    );
}

#[test]
fn counts_frequencies_and_p_values_are_those_of_plink_2() {
    let place = Place::new();
    if !is_there("plink2") {
        return;
    }
    // PLINK 2 tests all founders, whoever is a case.
    cohort(&place, |_| "-9".to_string());
    let found = quality(&place, "");
    let variants = found["variants"].as_array().unwrap();
    plink(&place, "plink2", "--geno-counts --hardy --missing --nonfounders");
    // A2 is the reference allele there.
    for (variant, row) in variants.iter().zip(rows(&place.read("out.gcount"))) {
        assert_eq!(variant["id"], row["ID"]);
        for (own, theirs) in [
            ("hom_a2", "HOM_REF_CT"),
            ("het", "HET_REF_ALT_CTS"),
            ("hom_a1", "TWO_ALT_GENO_CTS"),
            ("missing", "MISSING_CT"),
        ] {
            assert_eq!(variant[own].to_string(), row[theirs], "{variant}");
        }
    }
    for (variant, row) in variants.iter().zip(rows(&place.read("out.vmiss"))) {
        assert_printed(&variant["f_miss"], &row["F_MISS"], 6, &row["ID"]);
    }
    plink(&place, "plink2", "--hardy");
    for (variant, row) in variants.iter().zip(rows(&place.read("out.hardy"))) {
        assert_eq!(variant["id"], row["ID"]);
        assert_printed(&variant["hwe_p"], &row["P"], 6, &row["ID"]);
    }
}

/// Of each filter, and of all together, the variants and people that PLINK 1.9 leaves, and for pruning PLINK 2 too.
#[test]
fn filters_leave_what_plink_leaves() {
    let place = Place::new();
    if !is_there("plink1.9") {
        return;
    }
    let has_plink2 = is_there("plink2");
    for with_cases in [true, false] {
        if with_cases {
            cases(&place);
        } else {
            cohort(&place, |person| format!("{}.5", person % 90));
        }
        for filters in [
            "--mind 0.05",
            "--geno 0.03",
            "--hwe 0.001",
            "--hwe 1e-10",
            "--maf 0.05",
            "--maf 0.3",
            "--mind 0.06 --geno 0.05 --hwe 0.01 --maf 0.02",
            "--chr 1-3 --geno 0.02 --maf 0.1",
        ] {
            plink(&place, "plink1.9", &format!("{filters} --write-snplist --make-just-fam"));
            let found = place.line(&format!("quality cohort.bed {filters} --quiet --people --format csv --write-snplist kept.txt"));
            let iids = |text: &str, comma: char| -> Vec<String> {
                text.lines().map(|line| line.split(comma).nth(1).unwrap().to_string()).collect()
            };
            let people = iids(&found.done(), ',');
            assert_eq!(
                people[1..],
                iids(&place.read("out.fam").replace('\t', " "), ' '),
                "{filters}"
            );
            assert_eq!(place.read("kept.txt"), place.read("out.snplist"), "{filters}");
        }
        for (window, step, threshold) in [
            ("50", 5, "0.2"),
            ("20", 1, "0.05"),
            ("7", 7, "0.5"),
            ("2", 1, "0.9"),
            ("1000", 3, "0"),
            ("10kb", 1, "0.2"),
            ("2kb", 1, "0.4"),
        ] {
            for filters in ["", "--maf 0.05", "--mind 0.05 --geno 0.04"] {
                let pruning = format!("{filters} --indep-pairwise {window} {step} {threshold}");
                place.line(&format!(
                    "quality cohort.bed --quiet {filters} --ld-prune {window}:{step}:{threshold} --write-snplist kept.txt"
                ))
                .done();
                let kept = place.read("kept.txt");
                plink(&place, "plink1.9", &pruning);
                assert_eq!(kept, place.read("out.prune.in"), "{pruning}");
                if has_plink2 {
                    plink(&place, "plink2", &pruning);
                    assert_eq!(kept, place.read("out.prune.in"), "{pruning}");
                }
            }
        }
    }
}

#[test]
fn filters_of_a_ranking_are_those_of_a_list() {
    let place = Place::new();
    cases(&place);
    let filters = "--maf 0.1 --geno 0.05 --ld-prune 50:5:0.5";
    place.line(&format!("quality cohort.bed {filters} --write-snplist kept.txt")).done();
    let ranked = place.line(&format!("rank cohort.bed {filters} --format csv"));
    assert!(
        ranked.err.contains(
            "variants were excluded by --maf 0.1: they have a lower minor allele frequency"
        ),
        "{}",
        ranked.err
    );
    assert!(
        ranked.err.contains("variants were excluded by --ld-prune 50:5:0.5: they are in linkage"),
        "{}",
        ranked.err
    );
    assert_eq!(ranked.done(), place.line("rank cohort.bed --extract kept.txt --format csv").done());

    // Of people too, in the table that is written.
    let select =
        |options: &str| place.line(&format!("select cohort.bed --quiet --top 3 {options}")).done();
    place.line("quality cohort.bed --mind 0.05 --people --format csv --output people.csv").done();
    let people: String = place
        .read("people.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    place.file("people.txt", &people);
    assert!(people.lines().count() < PEOPLE);
    assert_eq!(select("--mind 0.05"), select("--keep people.txt"));

    place.line(&format!("plan cohort.bed {filters} --parts 2 --output job")).done();
    place.line("run job --quiet").done();
    let whole = place.line(&format!("rank cohort.bed {filters} --format csv")).done();
    assert_eq!(place.line("merge job --quiet --format csv").done(), whole);
}

#[test]
fn the_verb_shows_tables_of_variants_and_people() {
    let place = Place::new();
    cases(&place);
    let shown = place.line("quality cohort.bed").done();
    assert!(shown.starts_with("cohort.bed: 203 people (186 founders, "), "{shown}");
    assert!(shown.contains("… 580 more variants not shown (--top 600 shows all)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let people = place.line("quality cohort.bed --people --top 2").done();
    assert!(people.contains("FID  IID  genotypes missing"), "{people}");
    assert!(people.contains("… 201 more people not shown"), "{people}");
    let csv = place.line("quality cohort.bed --format csv --top 3").done();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "CHROM,POS,ID,A1,A2,HOM_A1,HET,HOM_A2,MISSING,F_MISS,MAF,HWE_P");
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("0,2,rs2,A,G,"), "{csv}");
    let of_three = place.line("quality cohort.bed --format csv --top 3 --threads 3").done();
    assert_eq!(of_three, csv);
    // Of X there are counts, but neither frequencies nor p-values.
    place.file("cohort.bim", place.read("cohort.bim").replace("\n22 rs599", "\n23 rs599"));
    let csv = place.line("quality cohort.bed --chr X --format csv").done();
    assert!(csv.ends_with(",,\n"), "{csv}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    cases(&place);
    place.file("data.csv", "a,b\n1,2\n");
    let files = place.names();
    for (line, words) in [
        (
            "quality cohort.bed --maf 0.7",
            "option --maf: 0.7 is out of range; give a number from 0 to 0.5",
        ),
        ("quality cohort.bed --maf many", "invalid value 'many' for '--maf <FREQUENCY>'"),
        ("quality cohort.bed --ld-prune 50:5", "2 parts, but three are expected"),
        ("quality cohort.bed --ld-prune 50:60:0.2", "larger than the window"),
        (
            "quality cohort.bed --mind 0 --write-snplist kept.txt",
            "option --mind: 0 excludes all 203 people",
        ),
        (
            "quality cohort.bed --write-snplist cohort.bim",
            "option --write-snplist: cohort.bim is the data file itself",
        ),
        (
            "quality cohort.bed --output cohort.bed --format csv",
            "option --output: cohort.bed is the data file itself",
        ),
        (
            "quality cohort.bed --output a.csv --write-snplist a.csv",
            "a.csv is also written by --output",
        ),
        ("quality cohort.bed --write-snplist none/kept.txt", "there is no folder"),
        (
            "quality data.csv",
            "data.csv: cannot read it as a cohort: its name ends with none of .bed, .pgen, .ped, .tped, .vcf and .vcf.gz",
        ),
        ("rank data.csv --target b --maf 0.1", "option --maf: it applies only to cohorts"),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: no `{words}` in: {message}");
        assert_eq!(place.names(), files, "{line}");
    }
}
