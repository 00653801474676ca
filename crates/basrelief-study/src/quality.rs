//! The quality of a cohort: genotype counts, frequencies, missing genotypes and Hardy-Weinberg tests.

use std::path::Path;

use basrelief::data::Locus;
use basrelief::wording::setting;
use basrelief::{Audience, Result, Run};
use basrelief_genetics::{Cohort, CohortQuality, Exclusion, Sample, VariantCounts};
use basrelief_report::data::{Bins, Piece};
use basrelief_report::{Block, Section, SectionsReport, Table};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::glossary;
use crate::loci;
use crate::pages::{Page, PageOptions, binned, empty_account, grouped, tell_run};
use crate::relatives::Related;
use crate::subject::warnings_json;
use crate::text::{
    Format, Look, aligned, counted, csv_cell, cut, four_digits, percent, printable, wrapped,
};

/// The default number of lines of a table.
const SHOWN: usize = 20;

/// The number of bins of a histogram.
const BINS: usize = 25;

/// Thresholds of missing genotypes, minor allele frequencies and Hardy-Weinberg p-values whose counts are reported.
const MISSING: [f64; 3] = [0.01, 0.05, 0.1];
const RARE: [f64; 2] = [0.01, 0.05];
const DEVIATING: [f64; 2] = [1e-4, 1e-6];

/// The quality of a cohort, as table, JSON, CSV or page.
#[derive(Debug)]
pub struct QualityListing<'a> {
    file: &'a Path,
    cohort: &'a Cohort,
    quality: &'a CohortQuality,
    audience: &'a Audience,
    /// The frequency and the p-value of every variant.
    tested: Vec<Measures>,
    related: Option<&'a Related>,
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
        Self { file, cohort, quality, audience, tested, related: None }
    }

    /// Adds pairs of relatives, of which the listing reports the numbers.
    #[must_use]
    pub fn with_related(self, related: Option<&'a Related>) -> Self {
        Self { related, ..self }
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
        let mut found = json!({
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
            "exclusions": self.cohort.exclusions().iter().map(exclusion_json).collect::<Vec<Value>>(),
            "warnings": warnings_json(self.cohort.warnings(), self.audience),
        });
        if let Some(related) = self.related {
            found["kinship"] = related.json();
        }
        found
    }

    /// The page: what each filter excluded, the numbers of variants and people of poor quality, and histograms.
    ///
    /// # Errors
    /// [`Error::Internal`](basrelief::Error::Internal) only.
    pub fn page(&self, options: &PageOptions, seconds: f64, run: &Run) -> Result<Page> {
        let file = options.files.short(&self.file.to_string_lossy());
        let mut account = empty_account(file.clone(), options, &glossary::OF_QUALITY);
        let [people, founders, tested] = self.sizes().map(|count| grouped(count as usize));
        let variants = grouped(self.quality.variants.len());
        account.tell("Data", file);
        account.tell("People", format!("{people} ({founders} founders, {tested} of them tested)"));
        account.tell("Variants", variants.clone());
        account.tell("Missing", format!("{} of the genotypes", percent(self.missing_share())));
        let time = options.with_time.then(|| (format!("{seconds:.3} s"), run.threads()));
        let warnings = (self.cohort.warnings(), self.audience, &options.files);
        tell_run(&mut account, run.seed(), time, warnings);
        // No random number is drawn.
        account.facts.retain(|(label, _)| label != "Seed");
        let people = format!("{people} people");
        let page = SectionsReport {
            title: format!("Quality of {}", account.data),
            answer: vec![Piece::Words(self.answer(&variants, &people))],
            account,
            sections: vec![
                Section::new("Filters", self.filter_blocks()),
                Section::new(
                    "Variants and people of poor quality",
                    vec![Block::Table(self.counts())],
                ),
                Section::new("Distributions", vec![Block::Histograms(self.histograms())]),
            ],
        };
        Ok(options.page(page.to_html()?, || self.json(None)))
    }

    fn answer(&self, variants: &str, people: &str) -> String {
        let exclusions = self.cohort.exclusions();
        let excluded = |unit: &str| -> usize {
            let own = exclusions.iter().filter(|exclusion| exclusion.unit == unit);
            own.map(|exclusion| exclusion.excluded).sum()
        };
        let filters = match exclusions.len() {
            0 => "No filter was applied.".to_string(),
            _ => format!(
                "The filters excluded {} variants and {} people.",
                grouped(excluded("variants")),
                grouped(excluded("people"))
            ),
        };
        let missing = percent(self.missing_share());
        format!(
            "{variants} variants of {people}; {missing} of the genotypes are missing. {filters}"
        )
    }

    /// What each filter excluded, in the order of the filters.
    fn filter_blocks(&self) -> Vec<Block> {
        let exclusions = self.cohort.exclusions();
        if exclusions.is_empty() {
            return vec![Block::Text("No filter was applied.".to_string())];
        }
        let head = [("Filter", false), ("Filtered", true), ("Excluded", true), ("Remaining", true)];
        let rows = exclusions.iter().map(|exclusion| {
            let Exclusion { option, value, unit, all, excluded } = exclusion;
            let name = self.audience.spell(&setting(option, Some(value)).into());
            let count = |count: usize| format!("{} {unit}", grouped(count));
            vec![name, count(*all), grouped(*excluded), grouped(all - excluded)]
        });
        let table = Table {
            caption: "Filters in their order; each applies to what the previous filters retained"
                .to_string(),
            head: head.map(|(head, is_number)| (head.to_string(), is_number)).to_vec(),
            rows: rows.collect(),
            ..Table::default()
        };
        vec![Block::Table(table)]
    }

    /// The numbers of variants and people beyond the usual thresholds.
    fn counts(&self) -> Table {
        let poor = self.poor();
        let mut rows = Vec::new();
        let mut add = |what: &str, thresholds: Vec<String>, counts: &[usize], all: usize| {
            for (threshold, &count) in thresholds.into_iter().zip(counts) {
                let share = percent(count as f64 / all.max(1) as f64);
                rows.push(vec![format!("{what} {threshold}"), grouped(count), share]);
            }
        };
        let above = || MISSING.map(|share| format!("above {} %", 100.0 * share)).to_vec();
        let (variants, people) = (self.quality.variants.len(), self.quality.missing.len());
        add("Variants: missing genotypes", above(), &poor.variants, variants);
        add("People: missing genotypes", above(), &poor.people, people);
        let below = |all: &[f64]| all.iter().map(|least| format!("below {least}")).collect();
        add("Variants: minor allele frequency", below(&RARE), &poor.rare, variants);
        let below = |all: &[f64]| all.iter().map(|least| format!("below {least:e}")).collect();
        add("Variants: Hardy-Weinberg p", below(&DEVIATING), &poor.deviating, variants);
        if let Some(related) = self.related {
            let (least, counts): (Vec<String>, Vec<usize>) = related
                .counts()
                .into_iter()
                .map(|(least, words, count)| (format!("above {least} ({words})"), count))
                .unzip();
            let pairs = people * people.saturating_sub(1) / 2;
            add("Pairs of people: kinship coefficient", least, &counts, pairs);
        }
        let head = [("Criterion", false), ("Count", true), ("Share", true)];
        Table {
            caption: "Variants and people after the filters".to_string(),
            head: head.map(|(head, is_number)| (head.to_string(), is_number)).to_vec(),
            rows,
            ..Table::default()
        }
    }

    fn histograms(&self) -> Vec<Bins> {
        let frequencies: Vec<f64> =
            self.tested.iter().filter_map(|tested| tested.frequency).collect();
        let p_values: Vec<f64> = self.tested.iter().filter_map(|tested| tested.p_value).collect();
        let missing: Vec<f64> =
            self.quality.variants.iter().map(|counts| counts.all.missingness()).collect();
        let people: Vec<f64> = self.people().map(|(_, _, share)| share).collect();
        let bins = |title: &str,
                    text: &str,
                    axis: &str,
                    (range, values): ((f64, f64), &[f64]),
                    what: &str| Bins {
            title: title.to_string(),
            text: text.to_string(),
            axis: axis.to_string(),
            range,
            counts: binned(values, range, BINS),
            what: what.to_string(),
        };
        // Shares range from 0 to the largest, or to 1 % if they are smaller.
        let shares = |values: &[f64]| (0.0, values.iter().copied().fold(0.01, f64::max));
        vec![
            bins(
                "Minor allele frequency",
                "Frequencies of the founders; variants that are haploid in some people have none.",
                "minor allele frequency",
                ((0.0, 0.5), &frequencies),
                "variants",
            ),
            bins(
                "Missing genotypes of variants",
                "The share of people without a genotype.",
                "share of missing genotypes",
                (shares(&missing), &missing),
                "variants",
            ),
            bins(
                "Missing genotypes of people",
                "The share of variants without a genotype.",
                "share of missing genotypes",
                (shares(&people), &people),
                "people",
            ),
            bins(
                "Hardy-Weinberg p-values",
                "A peak at the left indicates more deviations than expected by chance.",
                "p",
                ((0.0, 1.0), &p_values),
                "variants",
            ),
        ]
    }

    /// The share of missing genotypes.
    fn missing_share(&self) -> f64 {
        let genotypes =
            (self.quality.missing.len() as f64 * self.quality.variants.len() as f64).max(1.0);
        let missing: f64 = self.quality.missing.iter().copied().map(f64::from).sum();
        missing / genotypes
    }

    /// The numbers of variants and people beyond the usual thresholds.
    fn poor(&self) -> Poor {
        let count =
            |is_poor: &dyn Fn(Row<'_>) -> bool| self.variants().filter(|row| is_poor(*row)).count();
        let below = |value: fn(Measures) -> Option<f64>, least: f64| {
            count(&|(_, _, _, tested)| value(tested).is_some_and(|value| value < least))
        };
        Poor {
            variants: MISSING
                .map(|most| count(&|(_, _, counts, _)| counts.all.missingness() > most)),
            people: MISSING.map(|most| self.people().filter(|(_, _, share)| *share > most).count()),
            rare: RARE.map(|least| below(|tested| tested.frequency, least)),
            deviating: DEVIATING.map(|least| below(|tested| tested.p_value, least)),
        }
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
        let head = format!(
            "{}: {people} people ({founders} founders, {tested} of them tested), {}; {} of the genotypes are missing",
            printable(&self.file.to_string_lossy()),
            counted(variants, "variant"),
            percent(self.missing_share()),
        );
        let Poor { variants, people, rare, deviating } = self.poor();
        let lines = [
            format!(
                "variants with more than 1 % of genotypes missing: {}, 5 %: {}, 10 %: {}",
                variants[0], variants[1], variants[2]
            ),
            format!(
                "people with more than 1 % of genotypes missing: {}, 5 %: {}, 10 %: {}",
                people[0], people[1], people[2]
            ),
            format!(
                "variants with a minor allele frequency below 0.01: {}, 0.05: {}",
                rare[0], rare[1]
            ),
            format!(
                "variants with a Hardy-Weinberg p-value below 1e-4: {}, 1e-6: {}",
                deviating[0], deviating[1]
            ),
        ];
        let related = self.related.map(Related::words);
        let lines = std::iter::once(head).chain(lines).chain(related);
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

/// The numbers of variants and people beyond the usual thresholds: missing genotypes of variants and of people, minor allele
/// frequencies, and Hardy-Weinberg p-values.
struct Poor {
    variants: [usize; MISSING.len()],
    people: [usize; MISSING.len()],
    rare: [usize; RARE.len()],
    deviating: [usize; DEVIATING.len()],
}

/// What a filter excluded, in JSON.
fn exclusion_json(exclusion: &Exclusion) -> Value {
    let Exclusion { option, value, unit, all, excluded } = exclusion;
    json!({"filter": option, "value": value, "unit": unit, "all": all, "excluded": excluded})
}

/// The width of a table of variants without their names, at most about.
const REST: usize = 66;
