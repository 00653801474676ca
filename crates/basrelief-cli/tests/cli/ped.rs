//! Text filesets of PLINK as the data of verbs: the `.bed` file of the same genotypes as a witness, and what is refused.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Place, is_there, run_in};

/// A made-up cohort in three forms: `cohort.bed`, and its genotypes in `text.ped` with `text.map` and `text.tped` with
/// `text.tfam`.
fn cohort(place: &Place, missing: f64) {
    let line = "synth cohort --rows 61 --variants 40 --block 4 --families 9 --seed 5 --output cohort.bed --quiet";
    place.line(&format!("{line} --missing {missing}")).done();
    let bytes = std::fs::read(place.path("cohort.bed")).unwrap();
    let (bim, fam) = (place.read("cohort.bim"), place.read("cohort.fam"));
    let people = fam.lines().count();
    let pair = |variant: usize, person: usize, alleles: [&str; 2]| {
        let byte = bytes[3 + variant * people.div_ceil(4) + person / 4];
        let [a1, a2] = alleles;
        match byte >> (2 * (person % 4)) & 0b11 {
            0b00 => format!(" {a1} {a1}"),
            0b01 => " 0 0".to_string(),
            0b10 => format!(" {a1} {a2}"),
            _ => format!(" {a2} {a2}"),
        }
    };
    let (mut map, mut tped) = (String::new(), String::new());
    let mut ped: Vec<String> = fam.lines().map(String::from).collect();
    for (variant, line) in bim.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        map.push_str(&format!("{}\n", fields[..4].join("\t")));
        tped.push_str(&fields[..4].join(" "));
        for (person, line) in ped.iter_mut().enumerate() {
            let genotype = pair(variant, person, [fields[4], fields[5]]);
            tped.push_str(&genotype);
            line.push_str(&genotype);
        }
        tped.push('\n');
    }
    place.file("text.map", map);
    place.file("text.ped", ped.join("\n"));
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(tped.as_bytes()).unwrap();
    place.file("packed.tped.gz", compressed.finish().unwrap());
    place.file("text.tped", tped);
    place.file("text.tfam", &fam);
    place.file("packed.tfam", fam);
    place.file("people.txt", "0 person40\n0 person41\n");
}

/// Options that choose people, variants and methods.
const OPTIONS: [&str; 6] = [
    "",
    "--method multisurf --remove people.txt",
    "--geno 0.1 --maf 0.05 --hwe 1e-9 --mind 0.5 --ld-prune 20:2:0.2",
    "--permutations 20 --neighbors 3",
    "--memory 1K",
    "--chr 1-9 --threads 2",
];

/// Rank, name and weight of every feature. A1 need not be the minor allele in the `.bed` file.
fn weights(csv: &str) -> Vec<String> {
    let cells = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    csv.lines().map(cells).collect()
}

#[test]
fn weights_are_those_of_the_bed_file() {
    let place = Place::new();
    // With missing genotypes, the last bit of a weight may depend on A1.
    cohort(&place, 0.0);
    let rank = |data: &str, options: &str| {
        place.line(&format!("rank {data} {options} --format csv --quiet")).done()
    };
    for options in OPTIONS {
        let wanted = weights(&rank("cohort.bed", options));
        let text = rank("text.ped", options);
        assert_eq!(weights(&text), wanted, "{options}");
        assert!(wanted.len() > 1);
        for data in ["text.tped", "packed.tped.gz", "--file text", "--tfile text"] {
            assert_eq!(rank(data, options), text, "{data} {options}");
        }
    }
}

#[test]
fn results_are_those_of_the_cohort_that_plink_makes() {
    let place = Place::new();
    cohort(&place, 0.03);
    if !is_there("plink1.9") {
        return;
    }
    run_in(&place, "plink1.9", "--file text --make-bed --allow-no-sex --out plink");
    let run = |line: &str, data: &str| {
        place.line(&format!("{} --format csv --quiet", line.replace("DATA", data))).done()
    };
    let lines = OPTIONS.map(|options| format!("rank DATA {options}"));
    for line in lines.iter().map(String::as_str).chain(["quality DATA", "pairs DATA --top 9"]) {
        let wanted = run(line, "plink.bed");
        for data in ["text.ped", "text.tped"] {
            assert_eq!(run(line, data), wanted, "{line} of {data}");
        }
    }
}

#[test]
fn all_verbs_take_text_filesets() {
    let place = Place::new();
    cohort(&place, 0.03);
    for line in [
        "select DATA --top 5",
        "quality DATA --format csv",
        "quality DATA --people --format csv",
        "quality DATA --king-cutoff 0.1 --format csv",
        "pairs DATA --top 6 --pairs 5 --format csv",
        "sets DATA --by-chromosome --format csv",
        "stability DATA --resamples 3 --top 3 --format csv",
    ] {
        let run =
            |data: &str| place.line(&format!("{} --quiet", line.replace("DATA", data))).done();
        let text = run("text.ped");
        assert!(text.lines().count() > 3, "{line}: {text}");
        assert_eq!(run("text.tped"), text, "{line}");
    }
    let ranked = place.line("rank text.ped --format csv --quiet").done();
    place.line("plan text.ped --parts 2 --output job --quiet").done();
    place.line("run job --quiet").done();
    assert_eq!(place.line("merge job --quiet --format csv").done(), ranked);
}

#[test]
fn what_is_wrong_is_refused() {
    let place = Place::new();
    cohort(&place, 0.0);
    place.file("bad.map", "1 a 0 1\n");
    place.file("bad.ped", "f i 0 0 1 1 A C\nf j 0 0 1 2 A 0\n");
    place.file("alone.tped", "1 a 0 1 A C\n");
    place.file("three.map", "1 a 0 1\n");
    let people = ["A A", "A C", "A A", "C A", "G A", "A A"];
    let ped = people
        .iter()
        .enumerate()
        .map(|(person, pair)| format!("f{person} i{person} 0 0 1 {} {pair}\n", 1 + person % 2));
    place.file("three.ped", ped.collect::<String>());
    let before = place.names();
    for (line, parts) in [
        (
            "rank bad.ped --output best.csv",
            &["bad.ped, line 2", "only one of the two alleles of variant `a`", "A 0"][..],
        ),
        ("rank alone.tped", &["alone.tfam", "no such file", "needs a .tfam file next to it"]),
        ("rank --file none", &["none.ped", "there is no such file"]),
        ("rank text.ped --file text", &["cannot be used with"]),
        ("rank --tfile text --file text", &["cannot be used with"]),
        ("rank text.ped --delimiter tab", &["--delimiter", "applies only to tables"]),
        ("rank text.ped --format csv --output text.map", &["is the data file itself"]),
        ("rank text.tped --format csv --output text.tfam", &["is the data file itself"]),
    ] {
        let message = place.line(line).refused();
        for part in parts {
            assert!(message.contains(part), "{line}: {part}: {message}");
        }
        assert_eq!(place.names(), before, "{line}");
    }
    let outcome = place.line("rank three.ped --neighbors 1");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    for part in
        ["1 variant has more than two alleles", "`a` on line 1, with the alleles A, C and G"]
    {
        assert!(outcome.err.contains(part), "{part}: {}", outcome.err);
    }
}
