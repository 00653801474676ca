//! `synth cohort`: what its files hold, what PLINK reads of them, and what is refused.

use std::collections::HashMap;
use std::process::Command;

use serde_json::Value;

use crate::Place;

const OPTIONS: &str = "--rows 403 --variants 120 --block 10 --main 2 --missing 0.02 --seed 4";

/// Runs PLINK 1.9 on the cohort; says that it is not there, if so.
fn plink(place: &Place, options: &str) -> bool {
    let line = format!("--bfile made --keep-allele-order --threads 1 --out out {options}");
    let done =
        Command::new("plink1.9").args(line.split_whitespace()).current_dir(place.path("")).output();
    let Ok(done) = done else {
        println!("skipped: plink1.9 is not installed");
        return false;
    };
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{line}: {told}{}", String::from_utf8_lossy(&done.stderr));
    true
}

/// A table of PLINK: its rows by the names of columns.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let row = |line: &str| {
        let cells = line.split_whitespace().map(str::to_string);
        heads.iter().map(|head| head.to_string()).zip(cells).collect()
    };
    lines.map(row).collect()
}

#[test]
fn the_files_hold_the_table() {
    let place = Place::new();
    for (phenotype, target) in [("case-control", ""), ("quantity", "--target-type real")] {
        let options = format!("{OPTIONS} --phenotype {phenotype} --populations 3 --quiet");
        place.line(&format!("synth cohort {options} --output made.bed --truth t.json")).done();
        place.line(&format!("synth cohort {options} --threads 1 --output made.csv")).done();
        let read = place.line(&format!("select made.bed --quiet --top 120 {target}")).done();
        let of = |text: &str| -> Vec<Vec<String>> {
            text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
        };
        let (read, made) = (of(&read), of(&place.read("made.csv")));
        assert_eq!(read.len(), 404);
        // Selected columns stand in the order of the table.
        assert_eq!(read[0], made[0]);
        for (row, (read, made)) in read.iter().zip(&made).enumerate().skip(1) {
            assert_eq!(read[..120], made[..120], "row {row}");
            match phenotype {
                "quantity" => assert_eq!(
                    read[120].parse::<f64>().unwrap().to_bits(),
                    made[120].parse::<f64>().unwrap().to_bits()
                ),
                _ => assert_eq!(read[120], made[120], "row {row}"),
            }
        }

        // Everybody's coordinates are those of the population, which is the family.
        let lines = |name: &str| -> Vec<Vec<String>> {
            let text = place.read(name);
            text.lines().map(|line| line.split_whitespace().map(str::to_string).collect()).collect()
        };
        let (fam, cov) = (lines("made.fam"), lines("made.cov"));
        assert_eq!(cov[0], ["FID", "IID", "PC1", "PC2"]);
        let mut of_family: HashMap<&str, &[String]> = HashMap::new();
        for (person, covariates) in fam.iter().zip(&cov[1..]) {
            assert_eq!(person[..2], covariates[..2]);
            assert_eq!(*of_family.entry(&person[0]).or_insert(&covariates[2..]), &covariates[2..]);
        }
        assert_eq!((fam.len(), cov.len(), of_family.len()), (403, 404, 3));
    }
    let truth: Value = serde_json::from_str(&place.read("t.json")).unwrap();
    assert_eq!(truth["relevant"].as_array().unwrap().len(), 4);
    assert_eq!(truth["linked"].as_array().unwrap().len(), 4 * 9);
}

#[test]
fn plink_reads_the_cohort_and_sees_its_blocks() {
    let place = Place::new();
    let line =
        "synth cohort --rows 2000 --variants 120 --block 10 --main 2 --missing 0.02 --seed 4";
    let told = place.line(&format!("{line} --output made.bed"));
    assert!(told.err.contains("rank it with: basrelief rank made.bed\n"), "{}", told.err);
    assert!(!place.names().contains(&"made.cov".to_string()));
    if !plink(&place, "--freq") {
        return;
    }
    let frequencies = rows(&place.read("out.frq"));
    let quality = place.line("quality made.bed --quiet --format json").done();
    let quality: Value = serde_json::from_str(&quality).unwrap();
    let variants = quality["variants"].as_array().unwrap();
    assert_eq!((frequencies.len(), variants.len()), (120, 120));
    for (wanted, found) in frequencies.iter().zip(variants) {
        assert_eq!(wanted["SNP"], found["id"].as_str().unwrap());
        let chromosomes: f64 = wanted["NCHROBS"].parse().unwrap();
        assert!((chromosomes / 4000.0 - 0.98).abs() < 0.02, "{wanted:?}");
        let frequency: f64 = wanted["MAF"].parse().unwrap();
        assert!((0.03..0.54).contains(&frequency), "{wanted:?}");
    }

    assert!(plink(&place, "--r2 --ld-window 99999 --ld-window-kb 9999999 --ld-window-r2 0"));
    let (mut within, mut between) = (Vec::new(), Vec::new());
    for pair in rows(&place.read("out.ld")) {
        let block = |head: &str| (pair[head][3..].parse::<usize>().unwrap() - 1) / 10;
        let r2: f64 = pair["R2"].parse().unwrap();
        if block("SNP_A") == block("SNP_B") { within.push(r2) } else { between.push(r2) }
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    assert_eq!(within.len(), 12 * 45);
    assert!(mean(&within) > 0.1, "{}", mean(&within));
    assert!(within.iter().any(|r2| *r2 > 0.5));
    assert!(!between.is_empty() && mean(&between) < 0.001, "{}", mean(&between));
    assert!(between.iter().all(|r2| *r2 < 0.015));
}

#[test]
fn nothing_half_is_written() {
    let place = Place::new();
    for (line, words) in [
        ("synth xor --rows 50 --output x.bed", "its chromosome and position are unknown"),
        (
            "synth twonorm --rows 50 --output x.bed",
            "it is a numeric column, but a .bed file contains",
        ),
        ("synth cohort --rows 50 --noise 1 --output x.bed", "column `noise1`"),
        ("synth cohort --output no/x.bed", "no/x.bed"),
        (
            "synth cohort --variants 100 --main 4 --output x.bed",
            "option --variants: 100 in blocks of 20",
        ),
        (
            "synth cohort --confounding 0.1 --output x.bed",
            "use several populations with --populations 2",
        ),
        (
            "synth cohort --frequencies 0.3 --output x.bed",
            "option --frequencies: `0.3` is not two numbers",
        ),
    ] {
        let message = place.line(line).refused();
        assert!(message.contains(words), "{line}: {message}");
        assert!(place.names().is_empty(), "{line}: {:?}", place.names());
    }
    // A folder that is called like one of the files.
    std::fs::create_dir(place.path("x.fam")).unwrap();
    let message = place.line("synth cohort --rows 50 --output x.bed").refused();
    assert!(message.contains("x.fam"), "{message}");
    assert_eq!(place.names(), ["x.fam"]);
}
