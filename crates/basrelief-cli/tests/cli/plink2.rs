//! Cohorts of PLINK 2 as the data of verbs: the `.bed` file that PLINK 2 makes of each as a witness.

use std::process::Command;

use crate::Place;

const PEOPLE: usize = 301;
const VARIANTS: usize = 240;

/// A number that looks like chance.
fn mixed(variant: usize, person: usize) -> usize {
    (variant * 7919 + person * 104_729 + 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// Copies of A1, or 3: variants of every kind that PLINK 2 has a form for.
fn copies(variant: usize, person: usize) -> usize {
    let chance = mixed(variant, person);
    let rare = |odds: usize, usual: usize| {
        if chance.is_multiple_of(odds) { chance / odds % 4 } else { usual }
    };
    match variant % 8 {
        // Any genotype.
        0 => chance % 7 % 4,
        // Those of the variant before but for some, as they are and turned.
        1 => rare(40, copies(variant - 1, person)),
        2 => rare(40, [2, 1, 0, 3][copies(variant - 2, person)]),
        // Almost all are alike.
        3 => rare(50, 0),
        4 => rare(50, 2),
        5 => rare(30, 3),
        // Two genotypes, and a few others.
        6 => rare(60, [0, 1][chance / 64 % 2]),
        _ => 0,
    }
}

/// The files of PLINK 1, and what chooses of them.
fn files(place: &Place) {
    let mut bed = vec![0x6c, 0x1b, 1];
    for variant in 0..VARIANTS {
        let people: Vec<usize> = (0..PEOPLE).collect();
        bed.extend(people.chunks(4).map(|four| {
            let code = |person: &usize| [3_u8, 2, 0, 1][copies(variant, *person)];
            four.iter().rev().fold(0, |byte, person| byte << 2 | code(person))
        }));
    }
    place.file("first.bed", bed);
    let chromosome = |variant: usize| ["1", "2", "X"][variant * 9 / VARIANTS / 4];
    let id = |variant: usize| if variant % 9 == 4 { ".".into() } else { format!("rs{variant}") };
    let variant =
        |at: usize| format!("{}\t{}\t0\t{}\tA\tG\n", chromosome(at), id(at), 100 + 10 * at);
    place.file("first.bim", (0..VARIANTS).map(variant).collect::<String>());
    let person = |at: usize| {
        let family = if at < 2 { format!("f{at}") } else { format!("f{}", at / 3) };
        let parents = if at % 3 == 2 { "p1 p0" } else { "0 0" };
        let class = if at % 17 == 5 { -9 } else { 1 + (mixed(3, at) % 2) as i64 };
        format!("{family} p{at} {parents} {} {class}\n", at % 3)
    };
    place.file("first.fam", (0..PEOPLE).map(person).collect::<String>());
    place.file(
        "people.txt",
        (0..40).map(|at| format!("f{} p{at}\n", at.max(2) / 3)).collect::<String>(),
    );
    place.file(
        "ids.txt",
        (0..VARIANTS).step_by(3).map(|at| format!("rs{at}\n")).collect::<String>(),
    );
    let trait_of = |at: usize| format!("f{} p{at} {}\n", at / 3, mixed(1, at) % 100);
    place.file("traits.txt", (3..PEOPLE).map(trait_of).collect::<String>());
}

/// Runs PLINK 2; `false` where it is not there.
fn plink2(place: &Place, line: &str) -> bool {
    let made =
        Command::new("plink2").args(line.split_whitespace()).current_dir(place.path("")).output();
    let Ok(made) = made else {
        println!("skipped: plink2 is not installed");
        return false;
    };
    assert!(made.status.success(), "{line}: {}", String::from_utf8_lossy(&made.stderr));
    true
}

/// The types of the records of the only block of a file, whose header has four bits for each.
fn types(place: &Place, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(place.path(name)).unwrap();
    assert_eq!((&bytes[..3], bytes[11] & 0b1100), (&[0x6c, 0x1b, 0x10][..], 0), "{name}");
    (0..VARIANTS).map(|at| bytes[20 + at / 2] >> (4 * (at % 2)) & 0xf).collect()
}

/// What verbs say of a cohort.
fn rank(place: &Place, data: &str, options: &str) -> String {
    place.line(&format!("rank {data} {options} --top 1000 --format csv --quiet")).done()
}

#[test]
fn rankings_and_counts_are_those_of_the_bed_file() {
    let place = Place::new();
    files(&place);
    if !plink2(&place, "--bfile first --make-pgen --out cohort") {
        return;
    }
    plink2(&place, "--pfile cohort --make-pgen vzs --out packed");
    plink2(&place, "--pfile cohort --make-pgen format=2 --out fixed");
    plink2(&place, "--pfile cohort --make-bed --out plain");
    let mut found = types(&place, "cohort.pgen");
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, [0, 1, 2, 3, 4, 6, 7], "PLINK 2 wrote records of other types");
    for options in [
        "",
        "--method multisurf --remove people.txt",
        "--keep people.txt --exclude ids.txt --neighbors 3 --chr 2",
        "--extract ids.txt --all-chromosomes",
        "--pheno traits.txt",
        "--geno 0.3 --maf 0.01 --hwe 1e-9 --mind 0.5 --ld-prune 20:2:0.3",
        "--memory 1K",
        "--threads 3 --chr 1,X",
    ] {
        let wanted = rank(&place, "plain.bed", options);
        assert!(wanted.lines().count() > 1);
        for data in ["cohort.pgen", "fixed.pgen", "--pfile packed"] {
            if data == "--pfile packed" && !cfg!(feature = "zstd") {
                continue;
            }
            assert_eq!(rank(&place, data, options), wanted, "{data} {options}");
        }
    }
    for options in ["", "--all-chromosomes --people", "--remove people.txt --extract ids.txt"] {
        let quality = |data: &str| {
            place.line(&format!("quality {data} {options} --format csv --quiet")).done()
        };
        assert_eq!(quality("cohort.pgen"), quality("plain.bed"), "{options}");
        assert_eq!(quality("--pfile fixed"), quality("plain.bed"), "{options}");
    }
    if cfg!(feature = "zstd") {
        let packed = std::fs::read(place.path("packed.pvar.zst")).unwrap();
        place.file("packed.pvar.zst", &packed[..packed.len() / 2]);
        let message = place.line("rank packed.pgen").refused();
        for part in ["packed.pvar.zst", "decompress it", "truncated or not Zstandard"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let line = "plan cohort.pgen --chr 1 --parts 2 --output job --quiet";
    place.line(line).done();
    place.line("run job --quiet").done();
    let merged = place.line("merge job --quiet --top 1000 --format csv").done();
    assert_eq!(merged, rank(&place, "plain.bed", "--chr 1"));
}

/// Records of one block may differ only from those of the same.
#[test]
fn blocks_follow_each_other() {
    let place = Place::new();
    let (people, variants) = (9, 140_000);
    let mut bed = vec![0x6c, 0x1b, 1];
    for variant in 0..variants {
        let code = |person: usize| [3_u8, 2, 0, 1][mixed(variant / 5, person) % 5 % 4];
        let four = |first: usize| {
            (first..people.min(first + 4)).rev().fold(0, |byte, person| byte << 2 | code(person))
        };
        bed.extend([four(0), four(4), four(8)]);
    }
    place.file("first.bed", bed);
    place.file(
        "first.bim",
        (0..variants).map(|at| format!("1 v{at} 0 {at} A G\n")).collect::<String>(),
    );
    place.file(
        "first.fam",
        (0..people).map(|at| format!("p{at} p{at} 0 0 0 {}\n", 1 + at % 2)).collect::<String>(),
    );
    if !plink2(&place, "--bfile first --make-pgen --out cohort") {
        return;
    }
    let quality = |data: &str| place.line(&format!("quality {data} --format csv --quiet")).done();
    assert!(quality("cohort.pgen") == quality("first.bed"));
    let ids = [0, 1, 2, 65_534, 65_535, 65_536, 65_538, 131_071, 131_072, 139_999];
    place.file("ids.txt", ids.map(|at| format!("v{at}\n")).concat());
    let wanted = rank(&place, "first.bed", "--extract ids.txt --neighbors 2");
    assert_eq!(rank(&place, "cohort.pgen", "--extract ids.txt --neighbors 2"), wanted);
}

/// A VCF of phases, and dosages or variants of several alleles.
fn vcf(people: usize, variants: usize, has_dosages: bool) -> String {
    let names: String = (0..people).map(|person| format!("\ts{person}")).collect();
    let mut text = format!(
        "##fileformat=VCFv4.3\n##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"x\">\n\
         #CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT{names}\n"
    );
    for variant in 0..variants {
        let has_alleles = !has_dosages && variant % 7 == 3;
        let has_dosages = has_dosages && variant % 5 == 1;
        let alternative = if has_alleles { "C,T" } else { "C" };
        let format = if has_dosages { "GT:DS" } else { "GT" };
        text.push_str(&format!(
            "1\t{}\tv{variant}\tA\t{alternative}\t.\tPASS\t.\t{format}",
            50 + variant
        ));
        for person in 0..people {
            let chance = mixed(variant, person);
            let genotype = match (variant % 7, chance % 6) {
                (3, 5) if has_alleles => "1/2",
                (3, 4) if has_alleles => "0|2",
                (2 | 3, 0 | 1) => "0|1",
                (2, 2) => "1|0",
                (_, part) => ["0/0", "0/1", "1/1", "./.", "0/0", "0|0"][part],
            };
            text.push_str(&format!("\t{genotype}"));
            if has_dosages {
                let copies = genotype.matches('1').count() as f64;
                let dosage = (copies + (chance / 8 % 16) as f64 / 50.0).min(2.0);
                text.push_str(&if genotype == "./." {
                    ":.".to_string()
                } else {
                    format!(":{dosage:.2}")
                });
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn hard_calls_are_read_beside_phases_alleles_and_dosages() {
    let place = Place::new();
    // PLINK 2 takes no dosages of several alleles.
    let told: [(&str, bool, &[&str]); 2] = [
        (
            "alleles",
            false,
            &["15 variants with several alleles in ALT were excluded", "15 variants have phases"],
        ),
        ("dosages", true, &["21 variants have dosages, which are ignored", "variants have phases"]),
    ];
    let person = |at: usize| format!("0 s{at} {}\n", 1 + mixed(5, at) % 2);
    place.file("traits.txt", (0..90).map(person).collect::<String>());
    for (name, has_dosages, parts) in told {
        place.file("cohort.vcf", vcf(90, 105, has_dosages));
        let dosages = if has_dosages { "dosage=DS" } else { "" };
        if !plink2(&place, &format!("--vcf cohort.vcf {dosages} --make-pgen --out {name}")) {
            return;
        }
        plink2(&place, &format!("--pfile {name} --max-alleles 2 --make-bed --out plain"));
        let (data, options) = (format!("{name}.pgen"), "--pheno traits.txt");
        assert_eq!(rank(&place, &data, options), rank(&place, "plain.bed", options));
        let outcome = place.line(&format!("quality {data} --format csv"));
        assert_eq!(outcome.out, place.line("quality plain.bed --format csv").done());
        for part in parts {
            assert!(outcome.err.contains(part), "{part}: {}", outcome.err);
        }
        let message = place.line(&format!("rank {data}")).refused();
        for part in [&format!("{name}.psam"), "no phenotype column", "--pheno"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

/// Four people and three variants: the fixed-width form, written by hand.
fn by_hand(place: &Place) {
    let mut pgen = vec![0x6c, 0x1b, 2, 3, 0, 0, 0, 4, 0, 0, 0, 0x40];
    pgen.extend([0b11_10_01_00, 0b00_01_10_10, 0b01_01_00_00]);
    place.file("cohort.pgen", pgen);
    place.file(
        "cohort.pvar",
        "##anything\n#CHROM\tPOS\tID\tREF\tALT\n1\t7\ta\tC\tT\n1\t8\tb\tA\tAG\n3\t9\tc\tG\t.\n",
    );
    place.file(
        "cohort.psam",
        "#IID SEX height status\nk NA 1.5 2\nl M 2.5 2\nm F NA 1\nn 1 0.25 1\n",
    );
}

#[test]
fn a_cohort_is_chosen_by_its_columns() {
    let place = Place::new();
    by_hand(&place);
    let csv = place.line("quality cohort.pgen --format csv --quiet").done();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[1].starts_with("1,7,a,T,C,1,1,1,1,") && lines[2].starts_with("1,8,b,AG,A,2,1,1,0,")
    );
    assert!(lines[3].starts_with("3,9,c,.,G,0,2,2,0,"), "{csv}");
    let of = |options: &str| {
        let line = format!("rank cohort.pgen {options} --neighbors 1 --format json --quiet");
        place.line(&line).done()
    };
    // Of several phenotypes one is chosen; the first is missing once.
    let message = place.line("rank cohort.pgen --neighbors 1").refused();
    for part in ["cohort.psam, line 1", "there are 2 phenotypes", "--pheno-name: height, status"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(of("--pheno-name height").contains("\"rows\": 3"));
    assert!(of("--pheno-name status").contains("\"target_column\": \"status\""));
    // Several are several targets.
    let both = "rank cohort.pgen --pheno-name height,status --neighbors 1";
    let run = place.line(both);
    assert!(run.err.contains("several targets: using rrelieff"), "{}", run.err);
    let shown = run.done();
    assert!(
        shown.contains("2 targets: height (") && shown.contains("status (2 classes"),
        "{shown}"
    );
    let text = of("--pheno-name height,status");
    assert!(text.contains("\"rows\": 4") && text.contains("\"target_column\": \"height,status\""));
    place
        .line("select cohort.pgen --pheno-name height,status --neighbors 1 --top 1 --output s.csv")
        .done();
    assert!(place.read("s.csv").lines().next().unwrap().ends_with(",height,status"));
    let message = place.line(&format!("{both} --method relieff")).refused();
    assert!(message.contains("consists of several targets"), "{message}");
    let message = place.line("rank cohort.pgen --pheno-name height,height").refused();
    assert!(message.contains("`height` is listed twice"), "{message}");
    let message = place.line("rank cohort.pgen --pheno-name statsu").refused();
    assert!(message.contains("did you mean `status`?"), "{message}");
    let message = place.line("rank cohort.bed --pheno-name status").refused();
    assert!(message.contains("cohort.bed"), "{message}");
    place.file("other.bed", [0x6c, 0x1b, 1, 0]);
    let message = place.line("rank other.bed --pheno-name status").refused();
    assert!(message.contains("--pheno-name") && message.contains("--pheno"), "{message}");
}

#[test]
fn what_is_no_cohort_is_refused() {
    let place = Place::new();
    by_hand(&place);
    let pgen = std::fs::read(place.path("cohort.pgen")).unwrap();
    let changed = |at: usize, byte: u8| {
        let mut bytes = pgen.clone();
        bytes[at] = byte;
        bytes
    };
    let cases: [(Vec<u8>, &[&str]); 12] = [
        (b"a,b\n".to_vec(), &["cohort.pgen", "does not begin like a .pgen file"]),
        (changed(2, 1), &["a .bed file of PLINK 1", "rename it to .bed"]),
        (changed(2, 0x11), &["storage mode 0x11", "plink2 --pfile cohort --make-bed"]),
        (changed(2, 0x20), &["header is in a separate file", "--make-bed"]),
        (changed(2, 0x77), &["storage mode 0x77 is unknown"]),
        (changed(2, 3), &["15 bytes, but 4 people and 3 variants need 39"]),
        (changed(3, 9), &["4 people and 9 variants", "cohort.psam has 4", "cohort.pvar has 3"]),
        (changed(7, 5), &["5 people and 3 variants"]),
        (pgen[..14].to_vec(), &["14 bytes, but 4 people and 3 variants need 15"]),
        (pgen[..9].to_vec(), &["truncated in its header"]),
        (changed(2, 0x10), &["truncated in its header"]),
        (changed(11, 0xc0), &["need 16"]),
    ];
    for (bytes, parts) in cases {
        place.file("cohort.pgen", bytes);
        let message = place.line("rank cohort.pgen --output best.csv").refused();
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    place.file("cohort.pgen", pgen);
    let texts: [(&str, &str, &[&str]); 14] = [
        ("cohort.psam", "#IID SEX x\nk 1\n", &["line 2", "2 fields, but the header has 3"]),
        ("cohort.psam", "#IID SEX x\nk 1 2\nk 1 2\n", &["line 3", "is also on line 2"]),
        ("cohort.psam", "#IID PAT x\nk 1 2\n", &["line 1", "one of the parents has a column"]),
        ("cohort.psam", "#IID x x\nk 1 2\n", &["line 1", "columns 2 and 3 are both called `x`"]),
        ("cohort.psam", "#FID x\nk 1\n", &["line 1", "do not begin with #FID and IID"]),
        ("cohort.psam", "k 1 2\n", &["line 1", "3 fields, but a person needs five"]),
        ("cohort.psam", "#IID x\n0 2\n", &["line 2, column `IID`", "0 is not a valid ID"]),
        (
            "cohort.psam",
            "#IID x\nk 1\nl two\nm 1\nn 1\n",
            &["line 3", "the phenotype is not a number", "two"],
        ),
        ("cohort.psam", "#IID x\nk 1\n#l 2\n", &["line 3", "follows the header"]),
        ("cohort.pvar", "#CHROM POS ID REF\n1 7 a C\n", &["line 1", "column ALT is missing"]),
        (
            "cohort.pvar",
            "#CHROM POS ID REF ALT X\n1 7 a C\n",
            &["line 1", "a .pvar file has no such", "X"],
        ),
        (
            "cohort.pvar",
            "#CHROM POS ID REF ALT\n1 7 a C\n",
            &["line 2", "4 fields, but the header has 5"],
        ),
        ("cohort.pvar", "#CHROM POS ID REF ALT\n1 7.5 a C T\n", &["line 2, column `POS`", "7.5"]),
        ("cohort.pvar", "1 7 a C\n", &["line 1", "no header and 4 fields"]),
    ];
    for (name, text, parts) in texts {
        by_hand(&place);
        place.file(name, text);
        let message = place.line("rank cohort.pgen --output best.csv").refused();
        for part in [name].iter().chain(parts) {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    std::fs::remove_file(place.path("cohort.pvar")).unwrap();
    let message = place.line("rank --pfile cohort --output best.csv").refused();
    assert!(message.contains("cohort.pvar") && message.contains("no such file"), "{message}");
    assert!(!place.names().contains(&"best.csv".to_string()));
}
