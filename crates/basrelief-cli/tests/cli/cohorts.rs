//! Cohorts whose texts are written in other ways: what each option and piece of advice in a message does.

use std::process::Command;

use serde_json::Value;

use crate::{Place, is_there, run_in};

const PEOPLE: usize = 40;
const VARIANTS: usize = 12;

/// Copies of A1.
fn copies(variant: usize, person: usize) -> usize {
    let mixed = (variant * 7919 + person * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    mixed % 3
}

fn is_case(person: usize) -> bool {
    copies(4, person) > 0
}

/// The bytes of the genotypes.
fn bed() -> Vec<u8> {
    let mut bytes = vec![0x6c, 0x1b, 1];
    for variant in 0..VARIANTS {
        let mut packed = [0; PEOPLE.div_ceil(4)];
        for person in 0..PEOPLE {
            let code = [0b11, 0b10, 0b00][copies(variant, person)];
            packed[person / 4] |= code << (2 * (person % 4));
        }
        bytes.extend(packed);
    }
    bytes
}

/// A line per person, whose phenotype is written by `phenotype`.
fn fam(phenotype: impl Fn(usize) -> String) -> String {
    (0..PEOPLE).map(|p| format!("f{p} i{p} 0 0 {} {}\n", 1 + p % 2, phenotype(p))).collect()
}

/// A cohort with cases (2) and controls (1).
fn cohort(place: &Place) {
    place.file("cohort.bed", bed());
    let bim = |v: usize| format!("{} snp{v} 0 {} A G\n", 1 + v / 4, 100 + v);
    place.file("cohort.bim", (0..VARIANTS).map(bim).collect::<String>());
    place.file("cohort.fam", fam(|p| (1 + usize::from(is_case(p))).to_string()));
}

fn rank(place: &Place, rest: &str) -> String {
    place.line(&format!("rank {rest} --format csv --quiet")).done()
}

#[test]
fn phenotypes_of_other_codes_give_the_same_ranking() {
    let place = Place::new();
    cohort(&place);
    let wanted = rank(&place, "cohort.bed");
    let numbers = |p: usize| u8::from(is_case(p)).to_string();
    place.file("cohort.fam", fam(numbers));
    // The advice of the message is what works.
    let message = place.line("rank cohort.bed").refused();
    assert!(message.contains("there are no cases") && message.contains("--1 reads"), "{message}");
    assert_eq!(rank(&place, "cohort.bed --1"), wanted);
    let warned = place.line("quality cohort.bed").err;
    assert!(warned.contains("all phenotypes of cohort.fam are 0 or 1"), "{warned}");
    assert!(!place.line("quality cohort.bed --1").err.contains("0 or 1"));

    let word = |p: usize| if is_case(p) { "sick" } else { "well" }.to_string();
    place.file("cohort.fam", fam(word));
    let message = place.line("rank cohort.bed").refused();
    for part in ["cohort.fam, line 1", "--pheno ", "--target-type classes", "--na"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let outcome = place.line("rank cohort.bed --target-type classes");
    assert!(outcome.out.contains("target phenotype: 2 classes (sick: "), "{}", outcome.out);
    assert_eq!(rank(&place, "cohort.bed --target-type classes"), wanted);
    let pheno = |p: usize| format!("0 i{p} {}\n", 1 + usize::from(is_case(p)));
    place.file("y.txt", (0..PEOPLE).map(pheno).collect::<String>());
    assert_eq!(rank(&place, "cohort.bed --pheno y.txt"), wanted);
    let unknown = |p: usize| if p == 3 { "unknown".to_string() } else { numbers(p) };
    place.file("cohort.fam", fam(unknown));
    let message = place.line("rank cohort.bed --1").refused();
    assert!(message.contains("line 4") && message.contains("--na"), "{message}");
    let outcome = place.line("rank cohort.bed --1 --na unknown");
    assert!(outcome.err.contains("1 of 40 people have no phenotype"), "{}", outcome.err);
    let real = place.line("rank cohort.bed --target-type real --na unknown").done();
    assert!(real.contains("target phenotype: a number from 0 to 1"), "{real}");
}

/// Counting genotypes, and maps that need no target, need no phenotype.
#[test]
fn verbs_without_a_target_read_any_phenotype() {
    let place = Place::new();
    cohort(&place);
    let wanted = place.line("quality cohort.bed --format csv --quiet").done();
    let counts = |csv: &str| -> Vec<String> {
        // Without the p-value, which is that of controls where they are known.
        csv.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string()).collect()
    };
    place.file("cohort.fam", fam(|p| ["red", "blue"][p % 2].to_string()));
    let outcome = place.line("quality cohort.bed --format csv");
    assert!(outcome.err.contains("the phenotypes of cohort.fam were not read"), "{}", outcome.err);
    assert_eq!(counts(&outcome.done()), counts(&wanted));
    place.line("fit cohort.bed --method pca --components 2 --model m --quiet").done();
}

#[test]
fn missing_texts_are_declared_for_covariates_too() {
    let place = Place::new();
    cohort(&place);
    let age = |p: usize| if p == 7 { "unknown".to_string() } else { (30 + p % 9).to_string() };
    let lines = (0..PEOPLE).map(|p| format!("f{p} i{p} {}\n", age(p)));
    place.file("c.cov", format!("FID IID age\n{}", lines.collect::<String>()));
    let line = "rank cohort.bed --covar c.cov --residuals --drop-missing-covar --na unknown";
    let outcome = place.line(line);
    assert!(outcome.err.contains("1 of 40 rows have missing covariates"), "{}", outcome.err);
    assert_eq!(outcome.code, Some(0));
}

/// A variant that is missing in everybody has neither a frequency nor a p-value.
#[test]
fn unknown_frequencies_are_empty() {
    let place = Place::new();
    cohort(&place);
    let mut bytes = bed();
    bytes[3..13].fill(0b01_01_01_01);
    place.file("cohort.bed", bytes);
    let csv = place.line("quality cohort.bed --format csv --quiet").done();
    assert!(csv.lines().nth(1).unwrap().ends_with(",0,0,0,40,1.0,,"), "{csv}");
    let json = place.line("quality cohort.bed --format json --quiet").done();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["variants"][0]["maf"].is_null() && json["variants"][0]["hwe_p"].is_null());
    assert!(json["variants"][1]["maf"].is_number());
    let table = place.line("quality cohort.bed").done();
    let line = table.lines().find(|line| line.contains("snp0 ")).unwrap();
    assert!(line.trim_end().ends_with(" 1") && !line.contains("0.5"), "{line}");
    // Filters keep it, as PLINK does.
    let kept = place.line("quality cohort.bed --maf 0.01 --hwe 0.001 --format csv --quiet").done();
    assert!(kept.contains(",snp0,"), "{kept}");
}

/// The number of autosomes says what is a sex chromosome, in every verb and in the parts of a job.
#[test]
fn animals_have_their_own_chromosomes() {
    let place = Place::new();
    cohort(&place);
    let bim = |v: usize| format!("{} snp{v} 0 {} A G\n", [23, 26, 39][v / 4], 100 + v);
    place.file("cohort.bim", (0..VARIANTS).map(bim).collect::<String>());
    let count = |rest: &str| rank(&place, rest).lines().count() - 1;
    assert_eq!(count("cohort.bed"), 4);
    assert_eq!(count("cohort.bed --chr-set 38"), 8);
    assert_eq!(count("cohort.bed --autosome-num 38 --chr X"), 4);
    assert_eq!(count("cohort.bed --chr-set 38 --chr 23-26"), 8);
    let quality =
        |rest: &str| place.line(&format!("quality cohort.bed --format csv -q {rest}")).done();
    let of_23 = quality("--chr-set 38 --chr 23");
    assert!(of_23.lines().skip(1).all(|line| !line.ends_with(",,")), "{of_23}");
    let of_x = quality("--chr-set 38 --chr X");
    assert!(of_x.lines().skip(1).all(|line| line.ends_with(",,")), "{of_x}");
    place.line("quality cohort.bed --chr-set 38 --ld-prune 50:5:0.9 --maf 0.01").done();
    place.line("plan cohort.bed --chr-set 38 --parts 2 --output job").done();
    place.line("run job --quiet").done();
    let merged = place.line("merge job --quiet --format csv").done();
    assert_eq!(merged, rank(&place, "cohort.bed --chr-set 38"));
    let sets =
        "sets cohort.bed --by-chromosome --all-chromosomes --chr-set 38 --format csv --quiet";
    let sets = place.line(sets).done();
    assert!(sets.contains(",X,") && sets.contains(",23,"), "{sets}");
}

/// PLINK itself keeps the same variants of dogs, by linkage disequilibrium too.
#[test]
fn plink_keeps_the_same_of_other_species() {
    let place = Place::new();
    cohort(&place);
    if !is_there("plink1.9") {
        return;
    }
    let bim = |v: usize| format!("{} snp{v} 0 {} A G\n", [5, 24, 38][v / 4], 100 + v);
    place.file("cohort.bim", (0..VARIANTS).map(bim).collect::<String>());
    let line =
        "--bfile cohort --chr-set 38 --allow-no-sex --maf 0.01 --indep-pairwise 50 5 0.05 --out p";
    run_in(&place, "plink1.9", line);
    let own = "quality cohort.bed --chr-set 38 --maf 0.01 --ld-prune 50:5:0.05 --write-snplist kept.txt -q";
    place.line(own).done();
    assert_eq!(place.read("kept.txt"), place.read("p.prune.in"));
}

/// A VCF with two records of one place and alleles, and phenotypes.
fn doubled(place: &Place) {
    let names: String = (0..PEOPLE).map(|p| format!("\ts{p}")).collect();
    let mut text = format!(
        "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT{names}\n"
    );
    for (variant, place) in
        [(0, "1\t100\t."), (1, "1\t200\t."), (1, "1\t200\t."), (3, "2\t300\trs1")]
    {
        text.push_str(&format!("{place}\tA\tC\t.\t.\t.\tGT"));
        for person in 0..PEOPLE {
            text.push_str(["\t0/0", "\t0/1", "\t1/1"][copies(variant, person)]);
        }
        text.push('\n');
    }
    place.file("doubled.vcf", text);
    let pheno = |p: usize| format!("0 s{p} {}\n", 1 + usize::from(is_case(p)));
    place.file("y.txt", (0..PEOPLE).map(pheno).collect::<String>());
}

/// What the message about two variants of one name advises, is done.
#[test]
fn the_ways_out_of_doubled_variants_work() {
    let place = Place::new();
    doubled(&place);
    let message = place.line("rank doubled.vcf --pheno y.txt").refused();
    for part in ["line 7", "1:200:C:A", "bcftools norm --rm-dup exact", "force-first", "--exclude"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
    place.file("names.txt", "1:200:C:A\n");
    place.file("only.txt", "rs1\n");
    let names = |rest: &str| -> Vec<String> {
        let csv = rank(&place, rest);
        let mut names: Vec<String> =
            csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect();
        names.sort();
        names
    };
    let vcf = "doubled.vcf --pheno y.txt";
    assert_eq!(names(&format!("{vcf} --exclude names.txt")), ["1:100:C:A", "rs1"]);
    assert_eq!(names(&format!("{vcf} --extract only.txt")), ["rs1"]);
    assert_eq!(names(&format!("{vcf} --chr 2")), ["rs1"]);
    let run = |program: &str, line: &str| {
        let done = Command::new(program)
            .args(line.split_whitespace())
            .current_dir(place.path(""))
            .output();
        match done {
            Err(_) => {
                println!("skipped: {program} is not installed");
                false
            }
            Ok(done) => {
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
                true
            }
        }
    };
    if run("bcftools", "norm --rm-dup exact doubled.vcf --output single.vcf") {
        assert_eq!(names("single.vcf --pheno y.txt"), ["1:100:C:A", "1:200:C:A", "rs1"]);
    }
    let advice = "--set-all-var-ids @:#:$r:$a --rm-dup force-first --make-bed --out single";
    if run("plink2", &format!("--vcf doubled.vcf {advice}")) {
        // FID is 0 in what plink2 makes of a VCF.
        assert_eq!(names("single.bed --pheno y.txt"), ["1:100:A:C", "1:200:A:C", "2:300:A:C"]);
    }
}

#[test]
fn a_vcf_of_two_files_and_empty_lines_are_refused() {
    let place = Place::new();
    doubled(&place);
    let text = place.read("doubled.vcf").replacen("1\t200\t.", "1\t201\t.", 1);
    let header: String =
        text.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let columns = header.lines().last().unwrap().to_string() + "\n";
    let lines = header.lines().count();
    for (name, changed, words) in [
        ("whole header", format!("{text}{header}"), "a second header begins"),
        ("columns", format!("{text}{columns}"), "a second header begins"),
        ("both headers first", format!("{header}{text}"), "a second header begins"),
        ("empty at the end", format!("{text}\n"), "an empty line"),
        ("blanks at the end", format!("{text} \t\r\n"), "an empty line"),
        ("empty in the header", text.replacen('\n', "\n\n", 1), "line 2: an empty line"),
        ("marked", format!("\u{feff}{text}"), ""),
    ] {
        place.file("changed.vcf", changed);
        let outcome = place.line("rank changed.vcf --pheno y.txt --format csv --quiet");
        if words.is_empty() {
            outcome.done();
            continue;
        }
        let message = outcome.refused();
        assert!(message.contains(words) && !message.contains("columns, but"), "{name}: {message}");
    }
    assert_eq!(lines, 4);
}

/// A phenotype is called as its column, in every verb.
#[test]
fn the_target_has_the_name_of_its_column() {
    let place = Place::new();
    cohort(&place);
    let line = |p: usize| format!("f{p} i{p} {}\n", 1 + usize::from(is_case(p)));
    let lines: String = (0..PEOPLE).map(line).collect();
    place.file("y.txt", format!("FID IID status\n{lines}"));
    let ranked = place.line("rank cohort.bed --pheno y.txt").done();
    assert!(ranked.contains("target status: 2 classes"), "{ranked}");
    let selected = place.line("select cohort.bed --pheno y.txt --top 1 --quiet").done();
    assert!(selected.lines().next().unwrap().ends_with(",status"), "{selected}");
    let fitted = place.line("fit cohort.bed --pheno y.txt --method lda --model m").done();
    assert!(fitted.contains("target status"), "{fitted}");
    place.line("plan cohort.bed --pheno y.txt --parts 2 --output job").done();
    place.line("run job --quiet").done();
    assert!(place.line("merge job --quiet").done().contains("target status"));
}
