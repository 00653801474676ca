//! The quality of a cohort: genotype counts, frequencies, missing genotypes and Hardy-Weinberg tests.

use std::path::Path;

use basrelief::data::Locus;
use basrelief::{Audience, Run};
use basrelief_genetics::{Cohort, CohortQuality, Sample, VariantCounts};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::loci;
use crate::subject::warnings_json;
use crate::text::{
    Format, Look, aligned, counted, csv_cell, cut, four_digits, percent, printable, wrapped,
};

/// The default number of lines of a table.
const SHOWN: usize = 20;

/// The quality of a cohort, as table, JSON or CSV.
#[derive(Debug)]
pub struct QualityListing<'a> {
    file: &'a Path,
    cohort: &'a Cohort,
    quality: &'a CohortQuality,
    audience: &'a Audience,
    /// The frequency and the p-value of every variant.
    tested: Vec<Measures>,
}

/// The frequency and the p-value of a variant: `None` if not everybody has two copies, or if all genotypes are
/// missing.
#[derive(Debug, Clone, Copy, Default)]
struct Measures {
    frequency: Option<f64>,
    p_value: Option<f64>,
}

/// A variant: its position, its name, its counts, and its frequency and p-value.
type Row<'a> = (&'a Locus, &'a str, &'a VariantCounts, Measures);

impl<'a> QualityListing<'a> {
    /// The listing of the counts of a cohort, whose genotypes are in `file`.
    pub fn new(
        file: &'a Path,
        cohort: &'a Cohort,
        quality: &'a CohortQuality,
        audience: &'a Audience,
        run: &Run,
    ) -> Self {
        let test = |(counts, locus): (&VariantCounts, &Locus)| {
            let of = || Measures {
                frequency: counts.founders.minor_allele_frequency(),
                p_value: counts.tested.hardy_weinberg(),
            };
            CohortQuality::has_frequency(cohort, locus).then(of).unwrap_or_default()
        };
        let all = || quality.variants.par_iter().zip(cohort.loci());
        let tested = run.install(|| all().with_min_len(64).map(test).collect());
        Self { file, cohort, quality, audience, tested }
    }

    /// The listing in a format, with at most `top` lines: of people if `of_people`, otherwise of variants. JSON
    /// contains both.
    pub fn text(&self, format: Format, top: Option<usize>, of_people: bool, look: Look) -> String {
        match (format, of_people) {
            (Format::Table, _) => self.table(top, of_people, look),
            (Format::Json, _) => format!("{:#}\n", self.json(top)),
            (Format::Csv, false) => self.variants_csv(top),
            (Format::Csv, true) => self.people_csv(top),
        }
    }

    fn variants(&self) -> impl Iterator<Item = Row<'_>> {
        let named = self.cohort.loci().iter().zip(self.cohort.names());
        let all = named.zip(&self.quality.variants).zip(&self.tested);
        all.map(|(((locus, name), counts), tested)| (locus, name.as_str(), counts, *tested))
    }

    /// All people, each with the number and the share of missing genotypes.
    fn people(&self) -> impl Iterator<Item = (&Sample, u32, f64)> {
        let variants = self.quality.variants.len().max(1) as f64;
        let all = self.cohort.samples().iter().zip(&self.quality.missing);
        all.map(move |(person, &missing)| (person, missing, f64::from(missing) / variants))
    }

    /// The numbers of people, of founders, and of founders who are tested.
    fn sizes(&self) -> [u32; 3] {
        let first = self.quality.variants.first();
        first.map_or([0; 3], |counts| {
            [counts.all, counts.founders, counts.tested].map(|group| group.known() + group.missing)
        })
    }

    fn variants_csv(&self, top: Option<usize>) -> String {
        let mut text =
            "CHROM,POS,ID,A1,A2,HOM_A1,HET,HOM_A2,MISSING,F_MISS,MAF,HWE_P\n".to_string();
        for (locus, _, counts, tested) in self.variants().take(top.unwrap_or(usize::MAX)) {
            let all = counts.all;
            let cell =
                |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
            let (frequency, p) = (cell(tested.frequency), cell(tested.p_value));
            text.push_str(&format!(
                "{},{},{},{},{},{},{:?},{frequency},{p}\n",
                loci::csv(locus).trim_start_matches(','),
                csv_cell(&locus.other),
                all.homozygous_a1,
                all.heterozygous,
                all.homozygous_a2,
                all.missing,
                all.missingness(),
            ));
        }
        text
    }

    fn people_csv(&self, top: Option<usize>) -> String {
        let line = |(person, missing, share): (&Sample, u32, f64)| {
            let (family, id) = (csv_cell(&person.family), csv_cell(&person.id));
            format!("{family},{id},{missing},{share:?}\n")
        };
        let lines = self.people().take(top.unwrap_or(usize::MAX)).map(line);
        std::iter::once("FID,IID,MISSING,F_MISS\n".to_string()).chain(lines).collect()
    }

    fn json(&self, top: Option<usize>) -> Value {
        let top = top.unwrap_or(usize::MAX);
        let variants = self.variants().take(top).map(|(locus, name, counts, tested)| {
            let mut entry = json!({ "name": name });
            for (key, value) in loci::json(locus) {
                entry[key] = value;
            }
            let all = counts.all;
            entry["hom_a1"] = json!(all.homozygous_a1);
            entry["het"] = json!(all.heterozygous);
            entry["hom_a2"] = json!(all.homozygous_a2);
            entry["missing"] = json!(all.missing);
            entry["f_miss"] = json!(all.missingness());
            entry["maf"] = json!(tested.frequency);
            entry["hwe_p"] = json!(tested.p_value);
            entry
        });
        let people = self.people().take(top).map(|(person, missing, share)| {
            json!({ "fid": person.family, "iid": person.id, "missing": missing, "f_miss": share })
        });
        let [all, founders, tested] = self.sizes();
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "data": {
                "file": self.file.to_string_lossy(),
                "people": all,
                "founders": founders,
                "tested": tested,
                "variants": self.quality.variants.len(),
            },
            "variants": variants.collect::<Vec<Value>>(),
            "people": people.collect::<Vec<Value>>(),
            "warnings": warnings_json(self.cohort.warnings(), self.audience),
        })
    }

    /// A summary of the whole cohort, and the first of its variants or people.
    fn table(&self, top: Option<usize>, of_people: bool, look: Look) -> String {
        // Texts are aligned to the left.
        let texts = if of_people { 2 } else { 3 };
        let (rows, all, what) = match of_people {
            true => (self.people_rows(top.unwrap_or(SHOWN)), self.quality.missing.len(), "person"),
            false => (self.variant_rows(top.unwrap_or(SHOWN), look), self.tested.len(), "variant"),
        };
        let shown = rows.len() - 1;
        let mut text = self.summary(look);
        text.push('\n');
        text.push_str(&aligned(&rows, |column| column < texts, look));
        if shown < all {
            let more = match (all - shown, what) {
                (1, _) => format!("1 more {what}"),
                (more, "person") => format!("{more} more people"),
                (more, _) => format!("{more} more {what}s"),
            };
            text.push_str(&format!("… {more} not shown (--top {all} shows all)\n"));
        }
        look.spell(&text)
    }

    /// The numbers of variants and people of poor quality, by the usual thresholds.
    fn summary(&self, look: Look) -> String {
        let [people, founders, tested] = self.sizes();
        let variants = self.quality.variants.len();
        let genotypes = (f64::from(people) * variants as f64).max(1.0);
        let missing: f64 = self.quality.missing.iter().copied().map(f64::from).sum();
        let head = format!(
            "{}: {people} people ({founders} founders, {tested} of them tested), {}; {} of the genotypes are missing",
            printable(&self.file.to_string_lossy()),
            counted(variants, "variant"),
            percent(missing / genotypes),
        );
        let count =
            |is_in: &dyn Fn(Row<'_>) -> bool| self.variants().filter(|row| is_in(*row)).count();
        let of_variants = [0.01, 0.05, 0.1]
            .map(|most| count(&|(_, _, counts, _)| counts.all.missingness() > most));
        let of_people = [0.01, 0.05, 0.1]
            .map(|most| self.people().filter(|(_, _, share)| *share > most).count());
        let below = |value: fn(Measures) -> Option<f64>, least: f64| {
            count(&|(_, _, _, tested)| value(tested).is_some_and(|value| value < least))
        };
        let rare = [0.01, 0.05].map(|least| below(|tested| tested.frequency, least));
        let unequal = [1e-4, 1e-6].map(|least| below(|tested| tested.p_value, least));
        let lines = [
            format!(
                "variants with more than 1 % of genotypes missing: {}, 5 %: {}, 10 %: {}",
                of_variants[0], of_variants[1], of_variants[2]
            ),
            format!(
                "people with more than 1 % of genotypes missing: {}, 5 %: {}, 10 %: {}",
                of_people[0], of_people[1], of_people[2]
            ),
            format!(
                "variants with a minor allele frequency below 0.01: {}, 0.05: {}",
                rare[0], rare[1]
            ),
            format!(
                "variants with a Hardy-Weinberg p-value below 1e-4: {}, 1e-6: {}",
                unequal[0], unequal[1]
            ),
        ];
        let lines = std::iter::once(head).chain(lines);
        lines.map(|line| format!("{}\n", wrapped(&line, look.width))).collect()
    }

    /// Headings, and the cells of the first variants.
    fn variant_rows(&self, count: usize, look: Look) -> Vec<Vec<String>> {
        let name_width = look.width.saturating_sub(REST).max(8);
        let cells = |(locus, name, counts, tested): Row<'_>| {
            let all = counts.all;
            let of_tested = |value: Option<f64>| value.map_or_else(String::new, four_digits);
            vec![
                cut(name, name_width),
                cut(&locus.chromosome, 5),
                cut(&locus.counted, 4),
                all.homozygous_a1.to_string(),
                all.heterozygous.to_string(),
                all.homozygous_a2.to_string(),
                four_digits(all.missingness()),
                of_tested(tested.frequency),
                of_tested(tested.p_value),
            ]
        };
        let heads =
            ["variant", "CHROM", "A1", "hom A1", "het", "hom A2", "missing", "MAF", "HWE p"];
        let rows = self.variants().take(count).map(cells);
        std::iter::once(heads.map(str::to_string).to_vec()).chain(rows).collect()
    }

    /// Headings, and the cells of the first people.
    fn people_rows(&self, count: usize) -> Vec<Vec<String>> {
        let cells = |(person, missing, share): (&Sample, u32, f64)| {
            let ids = [&person.family, &person.id].map(|id| cut(id, 24));
            ids.into_iter().chain([missing.to_string(), four_digits(share)]).collect()
        };
        let heads = ["FID", "IID", "genotypes missing", "share"];
        let rows = self.people().take(count).map(cells);
        std::iter::once(heads.map(str::to_string).to_vec()).chain(rows).collect()
    }
}

/// The width of a table of variants without their names, at most about.
const REST: usize = 66;
