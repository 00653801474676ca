//! Cohorts in VCF, against a parser that takes a line apart field by field; and no input makes the reader panic.

use std::io::Write;
use std::path::PathBuf;

use basrelief::data::{Genotypes, KindOverrides, TargetKind};
use basrelief::{Memory, Run};
use basrelief_genetics::{
    ChromosomeSet, Cohort, CohortOptions, CohortProblem, CohortQuality, PhenotypeFile,
    QualityFilters, is_vcf,
};
use flate2::{Compression, GzBuilder};
use proptest::prelude::*;
use tempfile::TempDir;

use super::run;

const HEADER: &str =
    "##fileformat=VCFv4.3\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";

/// A VCF of so many samples.
fn vcf(samples: usize, records: &[String]) -> String {
    let names: String = (0..samples).map(|sample| format!("\ts{sample}")).collect();
    format!("{HEADER}{names}\n{}", records.concat())
}

/// A record on chromosome 1.
fn record(place: usize, alleles: &str, format: &str, genotypes: &[&str]) -> String {
    let position = 100 * (place + 1);
    let genotypes = genotypes.join("\t");
    format!("1\t{position}\trs{place}\t{alleles}\t.\tPASS\t.\t{format}\t{genotypes}\n")
}

/// Samples' genotypes in turn, of a small file.
fn small() -> String {
    vcf(
        3,
        &[
            record(0, "A\tG", "GT", &["0/0", "0|1", "1/1"]),
            record(1, "C\tT", "GT:DP", &["1|0:7", "./.:.", "1|1"]),
        ],
    )
}

/// A file in a folder of its own.
struct File(TempDir, PathBuf);

impl File {
    fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(folder, path)
    }

    fn beside(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn open(&self, options: &CohortOptions) -> basrelief::Result<Cohort> {
        Cohort::open(&self.1, options, &run())
    }

    /// The genotypes of all people, variant by variant.
    fn copies(&self, run: &Run) -> Vec<Vec<u8>> {
        copies(&Cohort::open(&self.1, &CohortOptions::default(), run).unwrap())
    }

    fn message(&self) -> String {
        self.open(&CohortOptions::default()).unwrap_err().to_string()
    }
}

fn copies(cohort: &Cohort) -> Vec<Vec<u8>> {
    let people: Vec<u32> = (0..cohort.samples().len() as u32).collect();
    let variants: Vec<u32> = (0..cohort.loci().len() as u32).collect();
    let all = cohort.genotypes(&people, &variants, &run()).unwrap();
    all.into_iter().map(|column| Genotypes::from(column).iter().collect()).collect()
}

/// A text as blocked gzip: members of a few bytes, and perhaps the empty one at the end.
fn blocked(text: &[u8], has_end: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in text.chunks(100) {
        let builder = GzBuilder::new().extra(vec![b'B', b'C', 2, 0, 0, 0]);
        let mut writer = builder.write(Vec::new(), Compression::fast());
        writer.write_all(part).unwrap();
        let mut block = writer.finish().unwrap();
        let size = block.len() as u16 - 1;
        block[16..18].copy_from_slice(&size.to_le_bytes());
        bytes.extend(block);
    }
    if has_end {
        bytes.extend(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0");
    }
    bytes
}

/// What a text means for somebody who has two copies, by the rules of docs/genetics.md.
fn naive(text: &str, place: usize) -> u8 {
    let Some(genotype) = text.split(':').nth(place) else { return 3 };
    match genotype.replace('|', "/").as_str() {
        "0/0" => 0,
        "0/1" | "1/0" => 1,
        "1/1" => 2,
        _ => 3,
    }
}

/// Records of two alleles, whose GT stands in the place of the second number.
fn records() -> impl Strategy<Value = Vec<(Vec<String>, usize)>> {
    let genotype = prop::sample::select(vec![
        "0/0", "0|0", "0/1", "1|0", "1/1", "1|1", "./.", ".|.", ".", "0/.", ".|1", "0", "1",
    ]);
    let column = (genotype, prop::sample::select(vec!["", ":", ":12", ":.:0,3:xy"]));
    (1..14_usize).prop_flat_map(move |samples| {
        let columns = prop::collection::vec(column.clone(), samples);
        let record = (columns, 0..3_usize).prop_map(|(columns, place)| {
            let text =
                |(genotype, rest): (&str, &str)| format!("{}{genotype}{rest}", "7:".repeat(place));
            (columns.into_iter().map(text).collect(), place)
        });
        prop::collection::vec(record, 1..30)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn genotypes_are_those_of_the_naive_parse(records in records(), carriage in any::<bool>(), ends in any::<bool>()) {
        let samples = records[0].0.len();
        let formats = ["GT:DP:AD:XX", "DP:GT:AD:XX", "DP:GQ:GT:AD"];
        let lines: Vec<String> = records.iter().enumerate().map(|(place, (columns, gt))| {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            record(place, "A\tG", formats[*gt], &columns)
        }).collect();
        let mut text = vcf(samples, &lines);
        if carriage {
            text = text.replace('\n', "\r\n");
        }
        if !ends {
            text.truncate(text.trim_end().len());
        }
        let wanted: Vec<Vec<u8>> = records.iter()
            .map(|(columns, gt)| columns.iter().map(|column| naive(column, *gt)).collect())
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let small = Run::new(Some(2)).unwrap().with_memory(Memory::new(100, folder.path()));
        prop_assert_eq!(&File::new("a.vcf", &text).copies(&run()), &wanted);
        prop_assert_eq!(&File::new("a.vcf", &text).copies(&small), &wanted);
        prop_assert_eq!(&File::new("a.vcf.gz", blocked(text.as_bytes(), true)).copies(&run()), &wanted);
    }

    /// All that is asked for is an answer.
    #[test]
    fn damaged_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_compressed in any::<bool>(),
    ) {
        let text = small().into_bytes();
        let mut bytes = if is_compressed { blocked(&text, true) } else { text };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(cohort) = File::new("a.vcf", bytes).open(&CohortOptions::default()) {
            prop_assert!(!cohort.samples().is_empty() && !cohort.loci().is_empty());
        }
    }
}

#[test]
fn files_are_known_by_their_names() {
    for name in ["a.vcf", "A.VCF", "a.vcf.gz", "a.b.vcf.bgz", "folder/a.Vcf.Gz"] {
        assert!(is_vcf(name.as_ref()), "{name}");
    }
    for name in ["a.bcf", "vcf", "a.vcf.txt", "a.vcf/b.csv", "a.gz"] {
        assert!(!is_vcf(name.as_ref()), "{name}");
    }
}

#[test]
fn variants_and_people_are_told() {
    let lines = [
        record(0, "A\tG", "GT", &["0/0", "0/1", "1/1"]),
        "chr2\t7\t.\tAT\t<DEL>\t3\tq10\tDP=2\tGT\t1/1\t0/0\t0/1\n".to_string(),
        "2\t8\trs8\tC\t.\t.\t.\t.\tGT\t0/0\t0/0\t./.\n".to_string(),
        record(3, "A\tG,T", "GT", &["0/0", "0/2", "1/1"]),
        record(4, "A\tG", "DP", &["1", "2", "3"]),
        record(5, "A\tG", "GT", &["0", "./1", "1/1"]),
        "X\t9\trs9\tC\tT\t.\t.\t.\tGT\t0\t1\t0/1\n".to_string(),
    ];
    let file = File::new("a.vcf", vcf(3, &lines));
    let options = CohortOptions { all_chromosomes: true, ..CohortOptions::default() };
    let cohort = file.open(&options).unwrap();
    assert_eq!(cohort.names(), ["rs0", "chr2:7:<DEL>:AT", "rs8", "rs5", "rs9"]);
    let alleles: Vec<_> =
        cohort.loci().iter().map(|locus| (&*locus.counted, &*locus.other)).collect();
    assert_eq!(alleles, [("G", "A"), ("<DEL>", "AT"), ("0", "C"), ("G", "A"), ("T", "C")]);
    assert_eq!(cohort.loci()[1].position, 7);
    let people: Vec<_> =
        cohort.samples().iter().map(|person| (&*person.family, &*person.id)).collect();
    assert_eq!(people, [("s0", "s0"), ("s1", "s1"), ("s2", "s2")]);
    // A copy on X counts twice, as for PLINK.
    assert_eq!(copies(&cohort), [[0, 1, 2], [2, 0, 1], [0, 0, 3], [3, 3, 2], [0, 2, 1]]);
    let warnings: Vec<String> = cohort.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "1 record with several alleles in ALT was excluded; `bcftools norm --multiallelics -` splits it",
            "1 record without genotypes (GT) was excluded",
            "1 haploid genotype outside X, Y and MT was treated as missing",
            "1 genotype with one missing allele was treated as missing",
            "3 variants are on chromosomes that no ##contig line of the header declares; the first is `chr2`, on line 5",
        ]
    );
    let usual = file.open(&CohortOptions::default()).unwrap();
    assert_eq!(usual.names(), ["rs0", "chr2:7:<DEL>:AT", "rs8", "rs5"]);
    let chromosomes = ChromosomeSet::parse("2").ok();
    let second = file.open(&CohortOptions { chromosomes, ..CohortOptions::default() }).unwrap();
    assert_eq!(second.names(), ["chr2:7:<DEL>:AT", "rs8"]);
    let chromosomes = ChromosomeSet::parse("7").ok();
    let none = file.open(&CohortOptions { chromosomes, ..CohortOptions::default() });
    assert!(none.unwrap_err().to_string().contains("choose among its chromosomes: 1, 2, X, chr2"));
}

#[test]
fn phenotypes_and_lists_name_samples() {
    let file = File::new("a.vcf", small());
    let phenotype = |text: &str| {
        let path = file.beside("traits.txt", text);
        Some(PhenotypeFile { path, name: None })
    };
    let options = CohortOptions {
        phenotype: phenotype("#IID trait\ns2 2\ns0 1\ns1 1\n"),
        remove: Some(file.beside("people.txt", "s1 s1\n")),
        exclude: Some(file.beside("variants.txt", "rs0\n")),
        ..CohortOptions::default()
    };
    let cohort = file.open(&options).unwrap();
    assert_eq!((cohort.names(), cohort.samples().len()), (&["rs1".to_string()][..], 2));
    let CohortProblem { table, target, .. } =
        cohort.problem(TargetKind::Auto, &KindOverrides::default(), &[], &run()).unwrap();
    assert_eq!((table.rows(), target.classes("").unwrap().codes()), (2, &[1, 0][..]));

    let both = CohortOptions { phenotype: phenotype("s0 s0 1.5\n"), ..CohortOptions::default() };
    assert!(file.open(&both).is_ok());
    // The file of phenotypes is looked at before the genotypes.
    let damaged = File::new("b.vcf", small().replace("1/1", "1/9"));
    let strangers = CohortOptions { phenotype: phenotype("x s0 1\n"), ..CohortOptions::default() };
    let message = damaged.open(&strangers).unwrap_err().to_string();
    assert!(message.contains("none of its people are in b.vcf"), "{message}");

    let without = file.open(&CohortOptions::default()).unwrap();
    let message = without.with_known_phenotypes().unwrap_err().to_string();
    assert!(message.contains("a VCF contains no phenotypes"), "{message}");
}

#[test]
fn quality_is_counted_and_filtered() {
    let file = File::new("a.vcf", small());
    let cohort = file.open(&CohortOptions::default()).unwrap();
    let quality = CohortQuality::of(&cohort, &run()).unwrap();
    assert_eq!(quality.missing, [0, 1, 0]);
    let counts = quality.variants[1].all;
    assert_eq!(
        (counts.homozygous_a1, counts.heterozygous, counts.homozygous_a2, counts.missing),
        (1, 1, 0, 1)
    );
    let filters = QualityFilters { geno: Some(0.1), ..QualityFilters::default() };
    assert_eq!(filters.apply(cohort, &run()).unwrap().names(), ["rs0"]);
    let pruned = QualityFilters {
        ld_prune: basrelief_genetics::LdPruning::parse("50:5:0.2").ok(),
        ..QualityFilters::default()
    };
    let cohort = file.open(&CohortOptions::default()).unwrap();
    assert_eq!(pruned.apply(cohort, &run()).unwrap().names().len(), 1);
}

#[test]
fn errors_say_where() {
    let with = |record: &str| small() + record + "\n";
    let genotype = |text: &str| with(&format!("1\t900\trs9\tA\tG\t.\t.\t.\tGT\t0/0\t{text}\t1/1"));
    let cases: Vec<(String, &[&str])> = vec![
        ("a,b\n1,2\n".to_string(), &["line 1", "this is not a VCF", "a,b", "bcftools view"]),
        ("##fileformat=VCFv4.2\n##x\n".to_string(), &["no header line (#CHROM POS ID …)"]),
        ("##fileformat=VCFv4.2\n1\t2\n".to_string(), &["line 2", "no header line"]),
        (HEADER.replace('\t', " ") + " s0\n", &["line 3", "separated by tabs"]),
        (HEADER.replace("INFO", "INF") + "\ts0\n", &["line 3", "the columns are not #CHROM POS"]),
        (format!("{HEADER}\n"), &["line 3", "no samples"]),
        (format!("{HEADER}\ta b\n"), &["line 3", "column 10", "contains spaces", "a b"]),
        (format!("{HEADER}\ts0\ts1\ts0\n"), &["line 3", "columns 10 and 12", "s0"]),
        (format!("{HEADER}\ts0\n"), &["there are no records after its header"]),
        (
            vcf(1, &[record(0, "A\tG", "DP", &["1"])]),
            &["no record has genotypes (GT)", "1 have no GT"],
        ),
        (with(""), &["line 6", "an empty line", "remove it"]),
        (with("1\t9\trs9\tA\tG"), &["line 6", "5 columns, but the header has 12"]),
        (genotype("0/0\t0/0"), &["line 6", "13 columns, but the header has 12"]),
        (
            with("1\t900\trs9\tA\tG\t.\t.\t.\tGT\t0/0\t0/1"),
            &["line 6", "11 columns, but the header has 12", "truncated"],
        ),
        (with("1\t9\trs9\tA\tG,T\t.\t.\t.\tGT\t0/0\t0/1"), &["line 6", "11 columns"]),
        (genotype("0/2"), &["a.vcf, line 6, column `s1`", "too large for ALT", "0/2"]),
        (genotype("0/x:3"), &["line 6, column `s1`", "not a genotype such as 0/1", "0/x"]),
        (genotype("0/1/1"), &["line 6, column `s1`", "3 alleles, but a person has two"]),
        (genotype(""), &["line 6, column `s1`", "not a genotype"]),
        (
            with("1\t900\trs9\tA\t.\t.\t.\t.\tGT\t0/0\t0/1\t0/0"),
            &["line 6, column `s1`", "which has no allele"],
        ),
        (with("1\t-9\trs9\tA\tG\t.\t.\t.\tGT\t0/0\t0/1\t0/0"), &["line 6, column `POS`", "-9"]),
        (with("\t9\trs9\tA\tG\t.\t.\t.\tGT\t0/0\t0/1\t0/0"), &["line 6, column `CHROM`", "empty"]),
        (
            with("1\t100\trs0\tA\tG\t.\t.\t.\tGT\t0/0\t0/1\t0/0"),
            &["line 6", "the variant on line 4 is also called `1:100:G:A`"],
        ),
    ];
    for (text, parts) in cases {
        let message = File::new("a.vcf", &text).message();
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    // Of several errors the first is told, for any number of threads.
    let many: String =
        (0..500).map(|_| genotype("9/9").lines().last().unwrap().to_string() + "\n").collect();
    let file = File::new("a.vcf", small() + &many);
    let run = Run::new(Some(4)).unwrap();
    let message = Cohort::open(&file.1, &CohortOptions::default(), &run).unwrap_err().to_string();
    assert!(message.contains("line 6,"), "{message}");
}

#[test]
fn files_that_are_cut_short_are_refused() {
    let whole = blocked(small().as_bytes(), true);
    assert_eq!(File::new("a.vcf.gz", &whole).copies(&run()), [[0, 1, 2], [1, 3, 2]]);
    // Between two blocks, where all that is there decompresses.
    let message = File::new("a.vcf.gz", blocked(small().as_bytes(), false)).message();
    assert!(message.contains("truncated") && message.contains("BGZF"), "{message}");
    let mut plain = Vec::new();
    let mut writer = GzBuilder::new().write(&mut plain, Compression::fast());
    writer.write_all(small().as_bytes()).unwrap();
    writer.finish().unwrap();
    assert_eq!(File::new("a.vcf.gz", &plain).copies(&run()).len(), 2);
    for length in 1..plain.len() {
        let message = File::new("a.vcf.gz", &plain[..length]).message();
        assert!(message.contains("decompress"), "{length}: {message}");
    }
    let message = File::new("a.vcf.gz", small()).message();
    assert!(message.contains("not gzip"), "{message}");
}
