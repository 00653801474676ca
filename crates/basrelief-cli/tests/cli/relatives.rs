//! Relatives in cohorts: kinship as of PLINK 2, groups of relatives, and people that are excluded.

use std::collections::HashSet;

use serde_json::Value;

use crate::{Place, is_there, run_in};

/// Families of a cohort with missing genotypes, and people without relatives.
fn families(place: &Place, rest: &str) {
    let line = "synth cohort --rows 90 --variants 1500 --block 1 --families 20 --missing 0.02 --main 2 --seed 3 --output c.bed";
    place.line(&format!("{line} {rest}")).done();
}

/// Random genotypes, of which many are missing or heterozygous nowhere, on all kinds of chromosomes.
fn odd(place: &Place) {
    const PEOPLE: usize = 23;
    let names = ["0", "1", "2", "22", "X", "Y", "XY", "MT", "HLA"];
    let mut bed = vec![0x6c, 0x1b, 1];
    let (mut bim, mut fam) = (String::new(), String::new());
    let mut state = 5_u64;
    for variant in 0..names.len() * 71 {
        let mut bytes = [0; PEOPLE.div_ceil(4)];
        for person in 0..PEOPLE {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
            let number = (state >> 33) as usize;
            let code = match person {
                4 => 0b01,
                5 | 6 => 0b11,
                7 => [0b11, 0b00][number % 2],
                _ if number % 100 < 3 * person => 0b01,
                _ => [0b11, 0b10, 0b00, 0b10][(number / 100) % (2 + person % 3)],
            };
            bytes[person / 4] |= code << (2 * (person % 4));
        }
        bed.extend(bytes);
        bim.push_str(&format!("{} rs{variant} 0 {} A G\n", names[variant / 71], 1 + variant));
    }
    for person in 0..PEOPLE {
        let family = if person % 3 == 0 { "0".to_string() } else { format!("f{}", person / 2) };
        fam.push_str(&format!("{family} i{person} 0 0 {} {}\n", person % 3, 1 + person % 2));
    }
    place.file("odd.bed", bed);
    place.file("odd.bim", bim);
    place.file("odd.fam", fam);
}

/// All pairs, in every digit that PLINK 2 prints: with missing genotypes and chromosomes of all kinds, and without.
#[test]
fn kinship_is_that_of_plink_2() {
    let place = Place::new();
    if !is_there("plink2") {
        return;
    }
    odd(&place);
    families(&place, "");
    for (cohort, own, theirs) in [
        ("odd", "--all-chromosomes", "--allow-extra-chr"),
        ("odd", "--chr 1,2,22", "--chr 1,2,22 --allow-extra-chr"),
        ("c", "", ""),
        ("c", "--maf 0.2 --mind 0.03", "--maf 0.2 --mind 0.03"),
    ] {
        run_in(
            &place,
            "plink2",
            &format!("--bfile {cohort} {theirs} --make-king-table --out theirs"),
        );
        let line = format!("quality {cohort}.bed {own} --king-table own.kin0");
        let told = place.line(&line);
        assert!(told.err.contains("wrote the kinship coefficients of"), "{}", told.err);
        told.done();
        assert_eq!(place.read("own.kin0"), place.read("theirs.kin0"), "{cohort} {own}");
        for threads in ["1", "3"] {
            place.line(&format!("{line} --threads {threads} --memory 10K")).done();
            assert_eq!(place.read("own.kin0"), place.read("theirs.kin0"), "{cohort} {own}");
        }
    }
    // Without family IDs: in a .fam file they are 0, a .psam file and a VCF have no column of them.
    let fam = place.read("odd.fam");
    let without = fam.lines().map(|line| format!("0 {}\n", line.split_once(' ').unwrap().1));
    place.file("odd.fam", without.collect::<String>());
    run_in(&place, "plink2", "--bfile odd --allow-extra-chr --chr 1,2,22 --make-pgen --out odd");
    run_in(
        &place,
        "plink2",
        "--bfile odd --allow-extra-chr --chr 1,2,22 --export vcf id-paste=iid --out odd",
    );
    for (cohort, file) in [("--bfile", "odd.bed"), ("--pfile", "odd.pgen"), ("--vcf", "odd.vcf")] {
        let name = if cohort == "--vcf" { file } else { "odd" };
        let theirs = format!(
            "{cohort} {name} --allow-extra-chr --chr 1,2,22 --make-king-table --out theirs"
        );
        run_in(&place, "plink2", &theirs);
        place.line(&format!("quality {file} --chr 1,2,22 --king-table own.kin0")).done();
        assert_eq!(place.read("own.kin0"), place.read("theirs.kin0"), "{cohort}");
    }
}

/// The FID and IID of all lines but the first.
fn ids(text: &str) -> HashSet<String> {
    text.lines()
        .skip(1)
        .map(|line| line.replace([',', '\t'], " "))
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

/// The people that PLINK 2 excludes, for many cutoffs: few families to chains of many people.
#[test]
fn the_same_people_are_excluded_as_by_plink_2() {
    let place = Place::new();
    if !is_there("plink2") {
        return;
    }
    families(&place, "--populations 3 --fst 0.02");
    for cutoff in ["0.3", "0.2", "0.177", "0.1", "0.05", "0.03", "0.02", "0.01", "0.003"] {
        run_in(&place, "plink2", &format!("--bfile c --king-cutoff {cutoff} --out theirs"));
        let line = format!(
            "quality c.bed --king-cutoff {cutoff} --relatives exclude --people --format csv"
        );
        let found = place.line(&line).done();
        assert_eq!(ids(&found), ids(&place.read("theirs.king.cutoff.in.id")), "{cutoff}");
    }
}

#[test]
fn pairs_above_a_cutoff_are_counted_and_written() {
    let place = Place::new();
    families(&place, "");
    place.line("quality c.bed --king-table all.kin0 --quiet").done();
    let all = place.read("all.kin0");
    let kinship = |line: &str| line.rsplit_once('\t').unwrap().1.parse::<f64>().unwrap();
    let above = |cutoff: f64| -> Vec<&str> {
        all.lines().skip(1).filter(|line| kinship(line) > cutoff).collect()
    };
    assert_eq!(all.lines().count(), 1 + 90 * 89 / 2);
    let quality = "quality c.bed --king-cutoff 0.2 --king-table some.kin0 --report r.html";
    let text = place.line(quality).done().replace("\n  ", " ");
    let count = |least: f64| above(least).len();
    let line = format!(
        "pairs of people with a kinship coefficient above 0.2 (the cutoff): {}, 0.177 (first degree): {}, 0.0884 \
         (second degree): {}, 0.0442 (third degree): {}",
        count(0.2),
        count(0.177),
        count(0.0884),
        count(0.0442)
    );
    assert!(text.contains(&line), "{line}\n{text}");
    let some = place.read("some.kin0");
    assert_eq!(some.lines().skip(1).collect::<Vec<_>>(), above(0.2));
    // Parents with children, and siblings: of families of 3, 4 and 5 people 2, 5 and 9 pairs.
    assert_eq!(count(0.177), 7 * 2 + 7 * 5 + 6 * 9);
    assert!(place.read("r.html").contains("above 0.0884 (second degree)"));
    let json = place.line("quality c.bed --king-cutoff 0.2 --format json --quiet").done();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kinship"]["pairs"], count(0.2));
    assert_eq!(json["kinship"]["degrees"][1]["pairs"], count(0.0884));
    let json = place.line("quality c.bed --format json --quiet").done();
    assert!(serde_json::from_str::<Value>(&json).unwrap().get("kinship").is_none());
}

/// Relatives are the same groups as families, in every verb.
#[test]
fn relatives_are_groups() {
    let place = Place::new();
    families(&place, "");
    let rank = "rank c.bed --permutations 50 --format json";
    let run = place.line(&format!("{rank} --king-cutoff 0.0884"));
    let told = run.err.replace("\n  ", " ");
    let note = "note: 103 pairs of people with a kinship coefficient above 0.0884 form 20 groups of relatives, the \
                largest of 5 people; 79 of 90 people are in such a group";
    assert!(told.contains(note), "{told}");
    let related: Value = serde_json::from_str(&run.done()).unwrap();
    let families: Value =
        serde_json::from_str(&place.line(&format!("{rank} --group fid")).done()).unwrap();
    // The groups have other names, so that other permutations are drawn.
    let weights = |found: &Value| -> Vec<(String, String)> {
        let of = |feature: &Value| (feature["name"].to_string(), feature["weight"].to_string());
        found["features"].as_array().unwrap().iter().map(of).collect()
    };
    assert_eq!(weights(&related), weights(&families));
    assert_eq!(related["permutation_test"]["group"], "relatives");
    let warnings = related["warnings"].to_string();
    assert!(warnings.contains("20 groups of relatives"), "{warnings}");
    let csv = |line: &str| place.line(&format!("{line} --format csv --quiet")).done();
    for verb in ["sets c.bed --by-chromosome", "rank c.bed --group-weight rows"] {
        let [related, families] =
            ["--king-cutoff 0.0884", "--group fid"].map(|groups| csv(&format!("{verb} {groups}")));
        assert_eq!(related, families, "{verb}");
    }
    place.line("select c.bed --top 3 --king-cutoff 0.0884 --output s.csv").done();
    place.line("stability c.bed --resamples 5 --king-cutoff 0.0884").done();
    let evaluated =
        place.line("evaluate c.bed --methods relieff --folds 4 --king-cutoff 0.0884").done();
    assert!(evaluated.contains("relieff"), "{evaluated}");
    // No relatives: a note, and the results without groups.
    let run = place.line("rank c.bed --king-cutoff 0.45 --format csv");
    assert!(
        run.err.contains("no pair of people has a kinship coefficient above 0.45"),
        "{}",
        run.err
    );
    assert_eq!(run.done(), csv("rank c.bed"));
}

#[test]
fn relatives_are_excluded() {
    let place = Place::new();
    families(&place, "");
    let run = place.line("rank c.bed --king-cutoff 0.0884 --relatives exclude --format csv");
    let told = run.err.replace("\n  ", " ");
    // Two founders of a family remain, or its only child.
    let start = "note: 103 pairs of people have a kinship coefficient above 0.0884; 39 of 90 people were excluded by \
                 --relatives exclude, so that no such pair remains: FID `family1` IID `person";
    assert!(told.contains(start) && told.contains(" and 29 more"), "{told}");
    let found = run.done();
    let people = place
        .line(
            "quality c.bed --king-cutoff 0.0884 --relatives exclude --people --format csv --quiet",
        )
        .done();
    let kept: String = ids(&people).into_iter().map(|person| person + "\n").collect();
    place.file("kept.txt", kept);
    assert_eq!(found, place.line("rank c.bed --keep kept.txt --format csv").done());
    let select = "select c.bed --top 4 --quiet";
    let excluded = place.line(&format!("{select} --king-cutoff 0.0884 --relatives exclude")).done();
    assert_eq!(excluded, place.line(&format!("{select} --keep kept.txt")).done());
    // Groups of other rows can be combined with the exclusion of relatives.
    place.line("rank c.bed --king-cutoff 0.0884 --relatives exclude --group fid").done();
    let none = place.line("rank c.bed --king-cutoff 0.45 --relatives exclude");
    assert!(
        none.err.contains("no pair of people has a kinship coefficient above 0.45"),
        "{}",
        none.err
    );
    // A person without a phenotype does not stay in place of a relative who has one.
    let fam = place.read("c.fam");
    let unknown: String = fam
        .lines()
        .map(|line| match line.split('\t').nth(1) {
            Some("person1" | "person2") => format!("{}\t-9\n", line.rsplit_once('\t').unwrap().0),
            _ => format!("{line}\n"),
        })
        .collect();
    place.file("c.fam", unknown);
    let select = "select c.bed --top 4 --king-cutoff 0.0884 --relatives exclude --output s.csv";
    let told = place.line(select).err.replace("\n  ", " ");
    assert!(told.contains("101 pairs of people have") && told.contains("of 88 people"), "{told}");
    assert!(!place.read("s.csv").contains(",\n"));
}

#[test]
fn wrong_uses_are_refused_with_advice_that_works() {
    let place = Place::new();
    families(&place, "");
    let table = place.line("synth xor --rows 20 --features 5").done();
    place.file("d.csv", table);
    for (line, parts) in [
        (
            "rank d.csv --target class --king-cutoff 0.1",
            &["--king-cutoff", "applies only to cohorts"][..],
        ),
        ("rank c.bed --king-cutoff 0", &["--king-cutoff", "0 is not between 0 and 0.5"]),
        ("quality c.bed --king-cutoff 0.5", &["--king-cutoff", "0.5 is not between 0 and 0.5"]),
        ("quality c.bed --king-cutoff -0.1", &["-0.1 is not between 0 and 0.5"]),
        ("rank c.bed --relatives exclude", &["--king-cutoff"]),
        ("rank c.bed --king-cutoff 0.1 --relatives all", &["--relatives", "group", "exclude"]),
        (
            "rank c.bed --king-cutoff 0.1 --group fid",
            &["--king-cutoff", "--group names other groups", "--relatives exclude"],
        ),
        ("rank c.bed --group-weight rows", &["--group-weight", "there are no groups", "--group"]),
        (
            "quality c.bed --king-cutoff 0.1 --relatives exclude --king-table k.txt",
            &["--king-table", "they are excluded"],
        ),
        // So low a cutoff connects nearly all people.
        (
            "rank c.bed --king-cutoff 0.001",
            &["connect 90 people", "use a higher cutoff", "--relatives exclude"],
        ),
    ] {
        let message = place.line(line).refused().replace("\n  ", " ");
        for part in parts {
            assert!(message.contains(part), "{line}: {message}");
        }
    }
    // The advice.
    place.line("rank c.bed --king-cutoff 0.001 --relatives exclude").done();
    place.line("rank c.bed --king-cutoff 0.2").done();
    place.line("rank c.bed --king-cutoff 0.1 --relatives exclude --group fid").done();
    let bim = place.read("c.bim");
    let x: String =
        bim.lines().map(|line| format!("X\t{}\n", line.split_once('\t').unwrap().1)).collect();
    place.file("c.bim", x);
    let message = place.line("rank c.bed --all-chromosomes --king-cutoff 0.1").refused();
    assert!(message.contains("c.bim") && message.contains("are on X, Y or MT"), "{message}");
    // Too many pairs for a table.
    place
        .line("synth cohort --rows 5000 --variants 20 --block 1 --main 0 --output many.bed")
        .done();
    let message = place.line("quality many.bed --king-table k.txt").refused().replace("\n  ", " ");
    assert!(
        message.contains("5000 people have 12497500 pairs")
            && message.contains("--king-cutoff 0.0884"),
        "{message}"
    );
}

#[test]
fn families_are_made() {
    let place = Place::new();
    families(&place, "--populations 2 --fst 0.1");
    let fam = place.read("c.fam");
    let lines: Vec<Vec<&str>> = fam.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[2][..4], ["family1", "person3", "person1", "person2"]);
    assert_eq!(lines[3][..4], ["family2", "person4", "0", "0"]);
    // The father is male.
    assert_eq!(lines[5][..4], ["family2", "person6", "person5", "person4"]);
    assert_eq!((lines[4][4], lines[3][4]), ("1", "2"));
    assert_eq!(lines[89][..4], ["0", "person90", "0", "0"]);
    let cov = place.read("c.cov");
    assert!(cov.starts_with("FID\tIID\tPC1\tpopulation\n"), "{cov}");
    assert!(cov.lines().nth(1).unwrap().contains("\tpop"), "{cov}");
    place.line("rank c.bed --covar c.cov --within population --permutations 20 --king-cutoff 0.0884 --covar-name PC1 --residuals").done();
    let message = place.line("synth cohort --rows 20 --variants 200 --families 6").refused();
    assert!(message.contains("--families") && message.contains("use at most 5"), "{message}");
    // Without families, family IDs are populations, as before.
    place.line("synth cohort --rows 20 --variants 200 --populations 2 --output p.bed").done();
    assert!(place.read("p.fam").starts_with("pop"));
}
