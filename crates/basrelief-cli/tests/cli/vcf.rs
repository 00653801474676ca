//! VCF files as the data of verbs: PLINK's own `.bed` of the same file as a witness, and what is refused.

use std::io::Write;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Place;

const PEOPLE: usize = 53;
const VARIANTS: usize = 40;

/// A number that looks like chance.
fn mixed(variant: usize, person: usize) -> usize {
    (variant * 7919 + person * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// A genotype as text, in all the ways that VCF has for it.
fn genotype(variant: usize, person: usize) -> &'static str {
    const ALL: [&str; 12] =
        ["0/0", "0/1", "1/1", "0|0", "0|1", "1|0", "1|1", "0/0", "1/1", "./.", "./1", "."];
    ALL[mixed(variant, person) % ALL.len()]
}

/// A VCF of two chromosomes and X, with records of several alleles, and a file of phenotypes.
fn cohort(place: &Place) {
    let names: String = (0..PEOPLE).map(|person| format!("\tp{person}")).collect();
    let mut text = format!(
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT{names}\n"
    );
    for variant in 0..VARIANTS {
        let chromosome = ["1", "2", "X"][variant * 3 / VARIANTS];
        let alternative = if variant % 10 == 7 { "C,T" } else { "C" };
        let format = ["GT", "GT:DP", "GT:DP:GQ"][variant % 3];
        let rest = ["", ":12", ":3:40"][variant % 3];
        let id = if variant % 8 == 3 { ".".to_string() } else { format!("rs{variant}") };
        let position = 1000 + variant;
        text.push_str(&format!(
            "{chromosome}\t{position}\t{id}\tA\t{alternative}\t50\tPASS\tNS=3\t{format}"
        ));
        for person in 0..PEOPLE {
            text.push_str(&format!("\t{}{rest}", genotype(variant, person)));
        }
        text.push('\n');
    }
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(text.as_bytes()).unwrap();
    place.file("cohort.vcf.gz", compressed.finish().unwrap());
    place.file("cohort.vcf", text);
    let is_case = |person: usize| {
        [4, 9].iter().filter(|variant| !(mixed(**variant, person) % 12).is_multiple_of(3)).count()
            == 1
    };
    let line =
        |person: usize| format!("p{person} p{person} {}\n", 1 + usize::from(is_case(person)));
    place.file("traits.txt", (0..PEOPLE).map(line).collect::<String>());
    place.file("people.txt", "p3 p3\np10 p10\n");
    place.file("ids.txt", "rs0\nrs5 rs8\nrs20\n");
}

/// Rank, name and weight of every feature.
fn weights(csv: &str) -> Vec<String> {
    let cells = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    csv.lines().map(cells).collect()
}

#[test]
fn weights_are_those_of_the_cohort_that_plink_makes() {
    let place = Place::new();
    cohort(&place);
    let line = "--vcf cohort.vcf --biallelic-only strict --vcf-half-call missing --double-id --allow-no-sex \
                --keep-allele-order --make-bed --out plink";
    let made =
        Command::new("plink1.9").args(line.split_whitespace()).current_dir(place.path("")).output();
    let Ok(made) = made else {
        println!("skipped: plink1.9 is not installed");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    let rank = |data: &str, options: &str| {
        let line =
            format!("rank {data} --pheno traits.txt {options} --top 1000 --format csv --quiet");
        place.line(&line).done()
    };
    for options in [
        "",
        "--method multisurf --remove people.txt",
        "--remove people.txt --exclude ids.txt --neighbors 1 --chr 2",
        "--extract ids.txt",
        "--geno 0.3 --maf 0.05 --hwe 1e-9 --mind 0.5 --ld-prune 20:2:0.1",
        "--memory 1K",
    ] {
        let wanted = rank("plink.bed", options);
        assert_eq!(rank("cohort.vcf", options), wanted, "{options}");
        assert_eq!(rank("cohort.vcf.gz", options), wanted, "{options}");
        assert!(wanted.lines().count() > 1);
    }
    // PLINK calls X 23, which names of features without an ID show.
    let with_x = |data: &str| {
        let found = rank(data, "--all-chromosomes --exclude ids.txt");
        weights(&found.replace(",23:", ",X:"))
    };
    assert_eq!(with_x("cohort.vcf"), with_x("plink.bed"));

    let quality = |data: &str| place.line(&format!("quality {data} --format csv --quiet")).done();
    assert_eq!(quality("cohort.vcf"), quality("plink.bed"));
}

#[test]
fn compressed_files_and_parts_give_the_same() {
    let place = Place::new();
    cohort(&place);
    let rank = |data: &str| {
        let line = format!("rank {data} --pheno traits.txt --format csv --quiet");
        place.line(&line).done()
    };
    let plain = rank("cohort.vcf");
    assert!(plain.starts_with("rank,feature,weight") && plain.contains(",rs4,"), "{plain}");
    assert_eq!(rank("cohort.vcf.gz"), plain);
    let traits = place.path("traits.txt");
    let line =
        format!("plan cohort.vcf.gz --pheno {} --parts 2 --output job --quiet", traits.display());
    place.line(&line).done();
    place.line("run job --quiet").done();
    assert_eq!(place.line("merge job --quiet --format csv").done(), plain);
}

#[test]
fn what_is_left_out_is_told() {
    let place = Place::new();
    cohort(&place);
    let outcome = place.line("rank cohort.vcf --pheno traits.txt");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    for part in ["4 records with several alleles", "with one missing allele"] {
        assert!(outcome.err.contains(part), "{part}: {}", outcome.err);
    }
}

#[test]
fn what_a_vcf_lacks_is_asked_for() {
    let place = Place::new();
    cohort(&place);
    let message = place.line("rank cohort.vcf --output best.csv").refused();
    assert!(
        message.contains("--pheno") && message.contains("a VCF contains no phenotypes"),
        "{message}"
    );
    place.file("bad.vcf", place.read("cohort.vcf").replace("0|1", "0|7"));
    let message = place.line("rank bad.vcf --pheno traits.txt --output best.csv").refused();
    for part in ["bad.vcf, line 3, column", "too large for ALT", "0|7"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = place.line("rank cohort.vcf --pheno traits.txt --delimiter ;").refused();
    assert!(message.contains("the data are a cohort"), "{message}");
    assert!(!place.names().contains(&"best.csv".to_string()));
}
