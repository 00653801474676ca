//! Cohorts of PLINK as the data of verbs: the same results as of tables with the same values, PLINK itself as a
//! witness, and what is refused.

use serde_json::Value;

use crate::{Place, is_there, run_in};

const PEOPLE: usize = 61;
const VARIANTS: usize = 23;

/// Copies of A1 of a person, or 3 where they are missing.
fn copies(variant: usize, person: usize) -> usize {
    let mixed = (variant * 7919 + person * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    if mixed.is_multiple_of(17) { 3 } else { mixed % 3 }
}

/// Whether a person is a case: by two variants together.
fn is_case(person: usize) -> bool {
    [4, 9].iter().filter(|variant| [1, 2].contains(&copies(**variant, person))).count() == 1
}

/// The first variant of X.
const FIRST_OF_X: usize = 16;

/// The chromosome of a variant.
fn chromosome(variant: usize) -> String {
    if variant < FIRST_OF_X { (1 + variant / 6).to_string() } else { "X".to_string() }
}

/// The files of a cohort, written genotype by genotype.
fn cohort(place: &Place) {
    let mut bed = vec![0x6c, 0x1b, 1];
    let (mut bim, mut fam) = (String::new(), String::new());
    for variant in 0..VARIANTS {
        let mut bytes = [0; PEOPLE.div_ceil(4)];
        for person in 0..PEOPLE {
            let code = [0b11, 0b10, 0b00, 0b01][copies(variant, person)];
            bytes[person / 4] |= code << (2 * (person % 4));
        }
        bed.extend(bytes);
        let chromosome = chromosome(variant);
        bim.push_str(&format!("{chromosome} rs{variant} 0 {} A GT\n", 1000 + variant));
    }
    for person in 0..PEOPLE {
        fam.push_str(&format!("f{person} i{person} 0 0 2 {}\n", 1 + usize::from(is_case(person))));
    }
    place.file("cohort.bed", bed);
    place.file("cohort.bim", bim);
    place.file("cohort.fam", fam);
}

/// The same values as a table of text, of some variants and people.
fn table(variants: impl Fn(usize) -> bool, people: impl Fn(usize) -> bool) -> String {
    let variants: Vec<usize> = (0..VARIANTS).filter(|variant| variants(*variant)).collect();
    let names = variants.iter().map(|variant| format!("rs{variant},"));
    let mut text = names.collect::<String>() + "phenotype\n";
    for person in (0..PEOPLE).filter(|person| people(*person)) {
        for &variant in &variants {
            let copies = copies(variant, person);
            text.push_str(&if copies == 3 { ",".to_string() } else { format!("{copies},") });
        }
        text.push_str(if is_case(person) { "case\n" } else { "control\n" });
    }
    text
}

/// Rank, name and weight of every feature.
fn weights(csv: &str) -> Vec<String> {
    let cells = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    csv.lines().map(cells).collect()
}

#[test]
fn weights_are_those_of_the_same_table_in_text() {
    let place = Place::new();
    cohort(&place);
    place.file("all.csv", table(|_| true, |_| true));
    place.file("some.csv", table(|variant| variant < 12, |person| person % 5 != 0));
    let people: String =
        (0..PEOPLE).step_by(5).map(|person| format!("f{person} i{person}\n")).collect();
    place.file("people.txt", people);
    let rank = |data: &str, rest: &str| {
        place.line(&format!("rank {data} {rest} --format csv --quiet")).done()
    };
    for options in [
        "",
        "--method multisurf",
        "--method surf --missing pessimistic",
        "--method relieff --missing ignore --genotype-diff categorical",
        "--method swrf*",
        "--method relief-e",
        "--wrap turf:drop=0.3",
        "--permutations 20 --neighbors 3",
        "--method multisurf --memory 1K",
        "--numeric all",
    ] {
        let genotype = if options.contains("numeric") { "" } else { "--genotype all" };
        for (data, cohort, text) in [
            ("all.csv", "cohort.bed", "--all-chromosomes"),
            ("some.csv", "--bfile cohort", "--chr 1,2 --remove people.txt"),
        ] {
            let wanted = rank(data, &format!("--target phenotype {genotype} {options}"));
            let found = rank(cohort, &format!("{text} {options}"));
            assert_eq!(weights(&found), weights(&wanted), "{cohort} {text} {options}");
        }
    }
}

#[test]
fn other_verbs_take_cohorts_too() {
    let place = Place::new();
    cohort(&place);
    place.file("all.csv", table(|_| true, |_| true));
    let all = "--all-chromosomes --quiet";
    let selected = place.line(&format!("select cohort.bed {all} --top 23")).done();
    assert_eq!(selected, table(|_| true, |_| true));
    let some = place.line(&format!("select --bfile cohort {all} --top 2 --output best.csv"));
    assert_eq!(some.done(), "");
    let names = place.line(&format!("rank cohort.bed {all} --format csv --top 2")).done();
    let best: Vec<usize> = names
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap()[2..].parse().unwrap())
        .collect();
    assert_eq!(place.read("best.csv"), table(|variant| best.contains(&variant), |_| true));

    let evaluated = |data: &str| {
        let line = format!("evaluate {data} --quiet --methods relieff --folds 3 --format csv");
        let out = place.line(&line).done();
        // Without how long it took.
        let kept = |line: &str| line.rsplit_once(',').unwrap().0.to_string();
        out.lines().map(kept).collect::<Vec<_>>()
    };
    assert_eq!(
        evaluated("cohort.bed --all-chromosomes"),
        evaluated("all.csv --target phenotype --genotype all")
    );
    let steady = |data: &str| {
        place.line(&format!("stability {data} --quiet --resamples 5 --format csv")).done()
    };
    assert_eq!(
        steady("cohort.bed --all-chromosomes"),
        steady("all.csv --target phenotype --genotype all")
    );

    place.line(&format!("plan cohort.bed {all} --parts 2 --output job")).done();
    place.line("run job --quiet").done();
    let merged = place.line("merge job --quiet --format csv").done();
    let ranked = place.line(&format!("rank cohort.bed {all} --format csv")).done();
    assert_eq!(merged, ranked);

    let fit = |data: &str, model: &str| {
        place.line(&format!(
            "fit {data} --quiet --method pca --components 2 --missing ignore --model {model}"
        ))
    };
    // Maps need complete tables.
    assert!(fit("cohort.bed --all-chromosomes", "m").code == Some(2));
}

/// The other files of a cohort stand beside the link.
#[cfg(unix)]
#[test]
fn a_link_is_not_followed_to_another_cohort() {
    let place = Place::new();
    cohort(&place);
    place.file("store.bed", std::fs::read(place.path("cohort.bed")).unwrap());
    std::fs::remove_file(place.path("cohort.bed")).unwrap();
    std::os::unix::fs::symlink(place.path("store.bed"), place.path("cohort.bed")).unwrap();
    place.line("plan cohort.bed --parts 2 --output job").done();
    place.line("run job --quiet").done();
    let whole = place.line("rank cohort.bed --format csv").done();
    assert_eq!(place.line("merge job --format csv").done(), whole);
}

#[test]
fn places_and_alleles_come_along() {
    let place = Place::new();
    cohort(&place);
    let csv = place.line("rank cohort.bed --format csv --quiet --all-chromosomes").done();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("rank,feature,weight,kind,CHROM,POS,ID,A1"));
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let variant: usize = cells[1][2..].parse().unwrap();
        let chromosome = chromosome(variant);
        assert_eq!(
            cells[3..],
            ["genotype", &chromosome, &(1000 + variant).to_string(), cells[1], "A"]
        );
    }
    let json = place.line("rank cohort.bed --format json --quiet --chr X").done();
    let json: Value = serde_json::from_str(&json).unwrap();
    let features = json["features"].as_array().unwrap();
    assert_eq!(features.len(), VARIANTS - FIRST_OF_X);
    for feature in features {
        assert_eq!(
            (&feature["chrom"], &feature["a1"], &feature["a2"]),
            (&"X".into(), &"A".into(), &"GT".into())
        );
        assert_eq!(feature["id"], feature["name"]);
        assert!(feature["pos"].as_u64().unwrap() > 1000);
    }
    let outcome = place.line("rank cohort.bed --permutations 100");
    let shown = outcome.out.lines().find(|line| line.starts_with("rank")).unwrap();
    let heads: Vec<&str> = shown.split_whitespace().collect();
    assert_eq!(heads[..7], ["rank", "feature", "kind", "weight", "CHROM", "POS", "A1"], "{shown}");
    assert!(outcome.out.lines().all(|line| line.chars().count() <= 80), "{}", outcome.out);
    let warning = "7 variants of X, Y, XY and MT were excluded, because not all people have two copies of these \
                   chromosomes; --all-chromosomes keeps them";
    assert!(outcome.err.contains(warning), "{}", outcome.err);
    // A table has no such columns.
    place.file("all.csv", table(|_| true, |_| true));
    let csv = place.line("rank all.csv --target phenotype --format csv --quiet").done();
    assert!(csv.starts_with("rank,feature,weight,kind\n"), "{csv}");

    place.line("rank cohort.bed --report page.html --quiet --all-chromosomes").done();
    let page = place.read("page.html");
    assert!(page.contains("Weights of 23 features on 4 chromosomes"), "no Manhattan plot");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = Place::new();
    cohort(&place);
    place.file("data.csv", table(|_| true, |_| true));
    place.file("people.csv", "f1 i1");
    let files = place.names();
    for (line, words) in [
        ("rank data.csv", "option --target: it is not given"),
        (
            "rank cohort.bed --target rs1",
            "option --target: the target of a cohort is its phenotype, here `phenotype`",
        ),
        ("rank cohort.bed --delimiter tab", "option --delimiter: it applies only to tables"),
        (
            "rank cohort.bed --1 --target-type real",
            "option --1: it declares cases and controls, but the target is declared real",
        ),
        ("rank cohort.bed --chr-set -38", "declares a haploid genome"),
        ("rank cohort.bed --autosome-num 0", "0 is not a number of autosomes from 1 to 95"),
        ("rank data.csv --target phenotype --1", "option --1: it applies only to cohorts"),
        (
            "rank data.csv --target phenotype --chr-set 38",
            "option --chr-set: it applies only to cohorts",
        ),
        ("rank data.csv --target phenotype --chr 1", "option --chr: it applies only to cohorts"),
        ("rank data.csv --target phenotype --keep x", "option --keep: it applies only to cohorts"),
        (
            "rank cohort.bed --chr 30",
            "cohort.bim: none of its 23 variants remain; choose among its chromosomes: 1, 2, 3, X",
        ),
        ("rank cohort.bed --chr 4-1", "the range 4-1 is empty"),
        ("rank --bfile none", "none.bed: cannot open it for reading: there is no such file"),
        ("rank cohort.bed --bfile cohort", "cannot be used with"),
        ("rank cohort.bed --pheno-name a", "--pheno"),
        (
            "rank cohort.bed --keep none.txt --output out.csv",
            "none.txt: cannot open it for reading",
        ),
        ("rank cohort.bed --format json --output cohort.bed", "is the data file itself"),
        ("rank cohort.bed --format json --output cohort.fam", "is the data file itself"),
        (
            "select --bfile cohort --keep people.csv --top 1 --output people.csv",
            "people.csv is also read by --keep",
        ),
        ("rank cohort.bed --method rrelieff", "rrelieff needs a numeric target"),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: no `{words}` in: {message}");
        assert_eq!(place.names(), files, "{line}");
    }
    place.file("page.txt", "#IID height\ni0 1.5\nnobody 2\ni1 -9\ni7 0.5\ni3 2.5\n");
    let outcome = place
        .line("rank cohort.bed --pheno page.txt --pheno-name height --format csv --neighbors 1");
    assert!(
        outcome.err.contains(
            "1 of the people in page.txt are not in cohort.fam; the first is IID `nobody`"
        )
    );
    assert!(outcome.err.contains(
        "57 of the people in cohort.fam are not in page.txt; the first is FID `f2` IID `i2`"
    ));
    assert!(
        outcome.err.contains("58 of 61 people have no phenotype and were excluded"),
        "{}",
        outcome.err
    );
    assert!(outcome.err.contains("numeric target: using rrelieff"), "{}", outcome.err);
}

/// PLINK writes the same cohort as text, and what it keeps is what is kept here.
#[test]
fn plink_reads_and_keeps_the_same() {
    let place = Place::new();
    cohort(&place);
    if !is_there("plink1.9") {
        return;
    }
    let people: String =
        (0..PEOPLE).step_by(4).map(|person| format!("f{person} i{person}\n")).collect();
    place.file("people.txt", people);
    place.file("ids.txt", "rs2\nrs5 rs7\nrs20\nrs13\nrs1\n");
    for (number, options) in [
        "--autosome",
        "--chr 1-3 --keep people.txt",
        "--chr 1,3 --remove people.txt",
        "--chr X --extract ids.txt",
        "--chr 1-22 --exclude ids.txt --keep people.txt",
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out{number}");
        let line = format!(
            "--bfile cohort --recode A --allow-no-sex --keep-allele-order --out {out} {options}"
        );
        run_in(&place, "plink1.9", &line);
        // FID IID PAT MAT SEX PHENOTYPE rs0_A …, where `NA` is missing.
        let raw = place.read(&format!("{out}.raw"));
        let mut wanted = String::new();
        for (row, line) in raw.lines().enumerate() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let cell = |field: &&str| match *field {
                name if row == 0 => name.trim_end_matches("_A").to_string(),
                "NA" => String::new(),
                copies => copies.to_string(),
            };
            let mut cells: Vec<String> = fields[6..].iter().map(cell).collect();
            cells.push(match (row, fields[5]) {
                (0, _) => "phenotype".to_string(),
                (_, "2") => "case".to_string(),
                _ => "control".to_string(),
            });
            wanted.push_str(&format!("{}\n", cells.join(",")));
        }
        let own = options.replace("--autosome", "");
        let found =
            place.line(&format!("select cohort.bed --top 1000 --quiet --neighbors 1 {own}")).done();
        assert_eq!(found, wanted, "{options}");
    }
}
