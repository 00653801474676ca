//! Quality filters, which select the people and variants of a cohort.

use basrelief::data::Locus;
use basrelief::wording::setting;
use basrelief::{Error, Result, Run, Warning};
use rayon::prelude::*;

use super::counts::{CohortQuality, VariantCounts, counts_of_variants, missing_of_people};
use super::prune::{LdPruning, UNKNOWN_FREQUENCY};
use crate::cohort::{Cohort, Exclusion};
use crate::metadata::Sample;

/// The relative difference below which PLINK treats numbers as equal. Values at a threshold are kept.
const NEARLY: f64 = 1.0 / (1_u64 << 44) as f64;

/// The thresholds of the quality filters, with PLINK's definitions and in PLINK's order: people first, then variants by
/// missing genotypes, by Hardy-Weinberg equilibrium, by frequency and by linkage disequilibrium. `None` disables a
/// filter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QualityFilters {
    /// The maximum fraction of missing genotypes of a person.
    pub mind: Option<f64>,
    /// The maximum fraction of missing genotypes of a variant.
    pub geno: Option<f64>,
    /// The minimum p-value of the exact test of Hardy-Weinberg equilibrium. With cases and controls, the test uses only
    /// controls.
    pub hwe: Option<f64>,
    /// The minimum minor allele frequency.
    pub maf: Option<f64>,
    /// The parameters of pruning by linkage disequilibrium.
    pub ld_prune: Option<LdPruning>,
}

impl QualityFilters {
    /// Returns only the filters of people.
    #[must_use]
    pub fn of_people(&self) -> Self {
        Self { mind: self.mind, ..Self::default() }
    }

    /// Applies the filters to a cohort. A warning reports how many people or variants each filter excludes.
    ///
    /// # Errors
    /// A threshold is out of range; there are variants on X, Y or MT, of which not all people have two copies; there
    /// are no founders; no people or no variants remain; the file cannot be read, or has changed;
    /// [`Error::Cancelled`].
    pub fn apply(&self, cohort: Cohort, run: &Run) -> Result<Cohort> {
        self.check(&cohort)?;
        let cohort = self.filter_people(cohort, run)?;
        self.check_founders(&cohort)?;
        let cohort = self.filter_by_counts(cohort, run)?;
        let Some(pruning) = &self.ld_prune else { return Ok(cohort) };
        let kept = pruning.kept(&cohort, run)?;
        removed(
            cohort,
            &kept,
            "ld_prune",
            &pruning.to_string(),
            "are in linkage disequilibrium with other variants",
        )
    }

    /// Checks the thresholds, and that the cohort supports the filters.
    fn check(&self, cohort: &Cohort) -> Result<()> {
        let thresholds = self.thresholds();
        for (name, threshold, greatest) in thresholds {
            if threshold.is_some_and(|threshold| !(0.0..=greatest).contains(&threshold)) {
                let problem = format!("{} is out of range", threshold.unwrap_or_default());
                return Err(Error::option(
                    name,
                    problem,
                    format!("give a number from 0 to {greatest}"),
                ));
            }
        }
        let all = thresholds.map(|(name, threshold, _)| (name, threshold.is_some()));
        let mut given = all.into_iter().chain([("ld_prune", self.ld_prune.is_some())]);
        let Some((name, _)) = given.find(|(_, is_given)| *is_given) else { return Ok(()) };
        let has_frequency = |locus: &&Locus| CohortQuality::has_frequency(cohort, locus);
        if let Some(locus) = cohort.loci().iter().find(|locus| !has_frequency(locus)) {
            let problem = format!(
                "the cohort has variants of chromosome {}, of which not all people have two copies",
                locus.chromosome
            );
            return Err(Error::option(
                name,
                problem,
                "exclude X, Y and MT, or filter them with PLINK",
            ));
        }
        self.check_founders(cohort)
    }

    /// Refuses filters that are based on founders if there are none.
    fn check_founders(&self, cohort: &Cohort) -> Result<()> {
        let of_founders = [
            ("hwe", self.hwe.is_some()),
            ("maf", self.maf.is_some()),
            ("ld_prune", self.ld_prune.is_some()),
        ];
        match of_founders.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) if !cohort.samples().iter().any(Sample::is_founder) => {
                Err(Error::option(
                    name,
                    "frequencies are computed from founders, but there are none: all remaining people have a father or a \
                 mother",
                    "write 0 for parents who are not in the cohort, or keep more people",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The thresholds with their names and largest valid values.
    fn thresholds(&self) -> [(&'static str, Option<f64>, f64); 4] {
        [
            ("mind", self.mind, 1.0),
            ("geno", self.geno, 1.0),
            ("hwe", self.hwe, 1.0),
            ("maf", self.maf, 0.5),
        ]
    }

    fn filter_people(&self, cohort: Cohort, run: &Run) -> Result<Cohort> {
        let Some(most) = self.mind else { return Ok(cohort) };
        let missing = missing_of_people(&cohort, run)?;
        let most_missing = (most * cohort.loci().len() as f64 * (1.0 + NEARLY)).floor();
        let kept: Vec<bool> =
            missing.iter().map(|&missing| f64::from(missing) <= most_missing).collect();
        let (all, left) = (kept.len(), kept.iter().filter(|is_kept| **is_kept).count());
        if left == 0 {
            return Err(nothing_left("mind", most, format!("all {all} people")));
        }
        let value = most.to_string();
        let excluded = all - left;
        let cohort = cohort.with_exclusion(Exclusion {
            option: "mind",
            value,
            unit: "people",
            all,
            excluded,
        });
        if excluded == 0 {
            return Ok(cohort);
        }
        let text = format!(
            "{} of {all} people were excluded by {}: they have more missing genotypes",
            all - left,
            setting("mind", Some(&most.to_string()))
        );
        Ok(cohort.with_people(&kept).with_warning(Warning::requested("quality", text)))
    }

    /// Filters variants by their genotype counts.
    fn filter_by_counts(&self, mut cohort: Cohort, run: &Run) -> Result<Cohort> {
        let (geno, hwe, maf) = (self.geno, self.hwe, self.maf);
        if [geno, hwe, maf] == [None; 3] {
            return Ok(cohort);
        }
        let mut counts = counts_of_variants(&cohort, run)?;
        let people = cohort.samples().len() as f64;
        let least_known = geno.map(|most| (1.0 - most) * (1.0 - NEARLY));
        let least = |threshold: Option<f64>| threshold.map(|least| least * (1.0 - NEARLY));
        let (least_p, least_frequency) = (least(hwe), least(maf));
        if hwe.is_some() && counts.iter().all(|own| own.tested.known() == 0) {
            return Err(Error::option(
                "hwe",
                "there are no people to test: no founder is a control with a known genotype",
                "omit it, or keep founders who are controls",
            ));
        }
        type Measure = fn(&VariantCounts, f64) -> f64;
        let known: Measure = |counts, people| f64::from(counts.all.known()) * (1.0 / people);
        // As in PLINK, a variant without known genotypes passes.
        let p_value: Measure = |counts, _| counts.tested.hardy_weinberg().unwrap_or(1.0);
        let frequency: Measure =
            |counts, _| counts.founders.minor_allele_frequency().unwrap_or(UNKNOWN_FREQUENCY);
        for (name, threshold, least, measure, what) in [
            ("geno", geno, least_known, known, "have more missing genotypes"),
            ("hwe", hwe, least_p, p_value, "are not in Hardy-Weinberg equilibrium"),
            ("maf", maf, least_frequency, frequency, "have a lower minor allele frequency"),
        ] {
            let (Some(threshold), Some(least)) = (threshold, least) else { continue };
            let kept: Vec<bool> = run.install(|| {
                counts.par_iter().map(|counts| measure(counts, people) >= least).collect()
            });
            cohort = removed(cohort, &kept, name, &spelled(threshold), what)?;
            let mut are_kept = kept.iter();
            counts.retain(|_| are_kept.next().is_some_and(|is_kept| *is_kept));
        }
        Ok(cohort)
    }
}

/// Removes the variants that a filter excludes from a cohort, with a warning.
///
/// # Errors
/// No variants remain.
fn removed(
    cohort: Cohort,
    kept: &[bool],
    name: &'static str,
    value: &str,
    what: &str,
) -> Result<Cohort> {
    let (all, left) = (kept.len(), kept.iter().filter(|is_kept| **is_kept).count());
    if left == 0 {
        return Err(nothing_left(name, value, format!("all {all} variants")));
    }
    let excluded = all - left;
    let cohort = cohort.with_exclusion(Exclusion {
        option: name,
        value: value.to_string(),
        unit: "variants",
        all,
        excluded,
    });
    if excluded == 0 {
        return Ok(cohort);
    }
    let by = setting(name, Some(value));
    let text = format!("{} of {all} variants were excluded by {by}: they {what}", all - left);
    Ok(cohort.with_variants(kept).with_warning(Warning::requested("quality", text)))
}

/// A threshold as users write it: `0.05`, `1e-6`.
fn spelled(threshold: f64) -> String {
    if threshold > 0.0 && threshold < 1e-4 {
        format!("{threshold:e}")
    } else {
        threshold.to_string()
    }
}

fn nothing_left(name: &str, value: impl std::fmt::Display, what: String) -> Error {
    Error::option(name, format!("{value} excludes {what}"), "give another threshold")
}
