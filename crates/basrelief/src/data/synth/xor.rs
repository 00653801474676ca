//! Epistasis genotypes: single-nucleotide polymorphisms without marginal effects, but with a strong
//! interaction.
//!
//! With `g_a` the frequency of genotype `a` (Hardy-Weinberg, minor allele frequency `q`), the
//! probability of disease is `K + t s_a s_b ...`, with a factor for each of the n interacting SNPs,
//! where `s` is -1 for heterozygotes and `r = g_1 / (1 - g_1)` for both homozygotes. Because
//! `sum_a g_a s_a = 0`, the prevalence given any genotypes of fewer than n of them is `K`, so that
//! no smaller group has an effect. Because `sum_a g_a s_a^2 = r`, the heritability, the variance of
//! these probabilities divided by `K (1 - K)`, is `t^2 r^n / (K (1 - K))`, which determines `t`. With
//! `q = 0.5` and a heritability of 1, the class is the parity of the heterozygotes (n-way XOR).

use super::options::{FREQUENCY, HERITABILITY, PREVALENCE, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::Column;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static FEATURES: OptionInfo = OptionInfo {
    name: "features",
    flag: "features",
    kind: OptionKind::Count { least: 2 },
    default: "20",
    help: "Number of columns, including the interacting ones",
};

static ORDER: OptionInfo = OptionInfo {
    name: "order",
    flag: "order",
    kind: OptionKind::Count { least: 1 },
    default: "2",
    help: "Number of interacting SNPs; with 1, a single SNP has a main effect",
};

/// The largest number of interacting SNPs, because there is a probability for each of the 3^n combinations.
const MOST_INTERACTING: usize = 8;

static BALANCED: OptionInfo = OptionInfo {
    name: "balanced",
    flag: "balanced",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Equal numbers of cases and controls, or cases according to the prevalence",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "xor",
    purpose: "epistasis genotypes: interacting SNPs (P1, P2) without main effects, among noise",
    source: "penetrance tables without marginal effects, as in GAMETES (Urbanowicz et al. 2012)",
    own_options: &[&ROWS, &FEATURES, &ORDER, &FREQUENCY, &HERITABILITY, &PREVALENCE, &BALANCED],
    make,
};

/// Hardy-Weinberg frequencies of 0, 1 and 2 copies of an allele with frequency `q`.
pub(super) fn genotype_shares(q: f64) -> [f64; 3] {
    [(1.0 - q) * (1.0 - q), 2.0 * q * (1.0 - q), q * q]
}

/// The genotype of each of `order` SNPs in a combination; the last one changes fastest.
fn genotypes(combination: usize, order: usize) -> impl Iterator<Item = usize> {
    (0..order).rev().map(move |place| combination / 3usize.pow(place as u32) % 3)
}

/// The probability of disease for every combination of genotypes of the interacting SNPs.
fn penetrance(q: f64, order: usize, heritability: f64, prevalence: f64) -> Result<Vec<f64>> {
    let shares = genotype_shares(q);
    let ratio = shares[1] / (1.0 - shares[1]);
    let scores = [ratio, -1.0, ratio];
    let combinations = 0..3usize.pow(order as u32);
    let products: Vec<f64> = combinations
        .map(|combination| genotypes(combination, order).map(|one| scores[one]).product())
        .collect();
    // Both signs of the effect have the same heritability. The sign is chosen that allows the larger
    // effect with probabilities between 0 and 1.
    let top = products.iter().copied().fold(0.0, f64::max);
    let bottom = -products.iter().copied().fold(0.0, f64::min);
    let up = ((1.0 - prevalence) / top).min(prevalence / bottom);
    let down = (prevalence / top).min((1.0 - prevalence) / bottom);
    let variance = prevalence * (1.0 - prevalence);
    let room = up.max(down);
    let spread = ratio.powf(order as f64 / 2.0);
    let effect = (heritability * variance).sqrt() / spread;
    // The comparison tolerates rounding, so that the largest value in the message is accepted.
    if effect > room * (1.0 + 1e-9) {
        let most = (room * spread).powi(2) / variance;
        return Err(Error::option(
            HERITABILITY.name,
            format!(
                "{heritability} cannot be reached with allele frequency {q} and prevalence \
                 {prevalence}"
            ),
            format!("use at most {:.3}", (most * 1000.0).floor() / 1000.0),
        ));
    }
    let signed = if up >= down { effect } else { -effect };
    let risk = |product: &f64| (prevalence + signed * product).clamp(0.0, 1.0);
    Ok(products.iter().map(risk).collect())
}

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let width = settings.count(&FEATURES)?;
    let order = settings.count(&ORDER)?;
    if order > MOST_INTERACTING.min(width) {
        let problem = format!("{order} SNPs of {width} cannot interact");
        let most = MOST_INTERACTING.min(width);
        return Err(Error::option(ORDER.name, problem, format!("use at most {most}")));
    }
    let rows = checked_rows(settings, width)?;
    let frequency = settings.number(&FREQUENCY)?;
    let prevalence = settings.number(&PREVALENCE)?;
    let table = penetrance(frequency, order, settings.number(&HERITABILITY)?, prevalence)?;
    let shares = genotype_shares(frequency);
    let mut random = Random::new(run.seed());

    let mut cases: Vec<bool> = (0..rows).map(|row| row % 2 == 0).collect();
    if settings.text(&BALANCED)? == "yes" {
        random.shuffle(&mut cases);
    } else {
        cases.fill_with(|| random.chance(prevalence));
    }

    // The genotypes of the interacting SNPs given the class, by Bayes' rule over their combinations.
    let joint = |case: bool| -> Vec<f64> {
        let weight = |(combination, risk): (usize, &f64)| {
            let share: f64 = genotypes(combination, order).map(|one| shares[one]).product();
            share * if case { *risk } else { 1.0 - risk }
        };
        table.iter().enumerate().map(weight).collect()
    };
    let (in_controls, in_cases) = (joint(false), joint(true));
    let combinations: Vec<usize> = cases
        .iter()
        .map(|&case| random.pick(if case { &in_cases } else { &in_controls }))
        .collect();

    let mut columns = Vec::with_capacity(width);
    for index in 1..=width - order {
        run.check()?;
        let shares = genotype_shares(0.05 + 0.45 * random.uniform());
        let codes: Vec<u8> = (0..rows).map(|_| random.pick(&shares) as u8).collect();
        columns.push(Column::genotype(format!("N{index}"), codes.into())?);
    }
    run.check()?;
    let names = numbered("P", order);
    for (place, name) in names.iter().enumerate() {
        let code =
            |&combination: &usize| genotypes(combination, order).nth(place).unwrap_or(0) as u8;
        let codes: Vec<u8> = combinations.iter().map(code).collect();
        columns.push(Column::genotype(name.clone(), codes.into())?);
    }

    let labels: Vec<&str> = cases.iter().map(|&case| if case { "1" } else { "0" }).collect();
    let interacting = if order > 1 { vec![names.clone()] } else { Vec::new() };
    let truth = Truth { relevant: names, interacting, ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::data::Target;

    #[test]
    fn no_smaller_group_has_an_effect_and_the_heritability_is_as_asked() {
        for (q, order, heritability, prevalence) in [
            (0.4, 2, 0.4, 0.5),
            (0.5, 2, 1.0, 0.5),
            (0.2, 2, 0.4, 0.68),
            (0.3, 2, 0.05, 0.1),
            (0.1, 2, 0.02, 0.8),
            (0.2, 1, 0.4, 0.5),
            (0.5, 4, 1.0, 0.5),
            (0.3, 3, 0.1, 0.4),
        ] {
            let shares = genotype_shares(q);
            let table = penetrance(q, order, heritability, prevalence).unwrap();
            assert_eq!(table.len(), 3usize.pow(order as u32));
            let mut explained = 0.0;
            // For each SNP, the prevalence given the genotypes of all others.
            let mut given = vec![BTreeMap::<Vec<usize>, f64>::new(); order];
            for (combination, risk) in table.iter().enumerate() {
                assert!((0.0..=1.0).contains(risk), "{table:?}");
                let of_snps: Vec<usize> = genotypes(combination, order).collect();
                let share: f64 = of_snps.iter().map(|&one| shares[one]).product();
                explained += share * (risk - prevalence).powi(2);
                for (left_out, given) in given.iter_mut().enumerate() {
                    let mut others = of_snps.clone();
                    let own = others.remove(left_out);
                    *given.entry(others).or_default() += shares[own] * risk;
                }
            }
            for found in given.iter().flat_map(BTreeMap::values) {
                assert!((found - prevalence).abs() < 1e-12, "{q} {found}");
            }
            let found = explained / (prevalence * (1.0 - prevalence));
            assert!((found - heritability).abs() < 1e-12, "{q}: {found}");
        }
    }

    #[test]
    fn complete_penetrance_is_parity() {
        let given = ["rows=200", "features=6", "order=4", "minor-allele-frequency=0.5"];
        let mut given: Vec<(&str, &str)> =
            given.iter().map(|text| text.split_once('=').unwrap()).collect();
        given.push(("heritability", "1"));
        let data = generated(&given);
        assert_eq!(data.truth.relevant, ["P1", "P2", "P3", "P4"]);
        assert_eq!(data.truth.interacting, std::slice::from_ref(&data.truth.relevant));
        let Target::Classes(classes) = &data.target else { panic!("classes") };
        let is_mixed = |name: &String, row: usize| {
            data.table.columns()[data.table.find(name).unwrap()].value(row) == 1.0
        };
        for row in 0..200 {
            let mixed = data.truth.relevant.iter().filter(|name| is_mixed(name, row)).count();
            assert_eq!(mixed % 2 == 0, classes.codes()[row] == 1, "{row}");
        }
        let run = Run::new(Some(1)).unwrap();
        for (order, features, words) in [("9", "20", "use at most 8"), ("3", "2", "use at most 2")]
        {
            let settings = INFO.settings(&[("order", order), ("features", features)]).unwrap();
            let error = INFO.generate(&settings, &run).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_heritability_out_of_reach_is_refused_with_the_greatest_one() {
        let error = penetrance(0.2, 2, 0.4, 0.5).unwrap_err().to_string();
        assert!(error.contains("use at most 0.221"), "{error}");
        assert!(penetrance(0.2, 2, 0.221, 0.5).is_ok());
    }

    fn generated(given: &[(&str, &str)]) -> Generated {
        let run = Run::new(Some(1)).unwrap().with_seed(11);
        INFO.generate(&INFO.settings(given).unwrap(), &run).unwrap()
    }

    #[test]
    fn the_data_follow_the_table() {
        let data = generated(&[("rows", "40000"), ("features", "3")]);
        let Target::Classes(classes) = &data.target else { panic!("classes") };
        assert_eq!(classes.counts(), [20_000, 20_000]);
        let table = penetrance(0.4, 2, 0.4, 0.5).unwrap();
        let shares = genotype_shares(0.4);
        let pair: Vec<&Column<'_>> =
            ["P1", "P2"].map(|name| &data.table.columns()[data.table.find(name).unwrap()]).into();
        let mut rows = [[0.0; 3]; 3];
        let mut sick = [[0.0; 3]; 3];
        for row in 0..40_000 {
            let (a, b) = (pair[0].value(row) as usize, pair[1].value(row) as usize);
            rows[a][b] += 1.0;
            sick[a][b] += f64::from(classes.codes()[row]);
        }
        for a in 0..3 {
            let marginal = sick[a].iter().sum::<f64>() / rows[a].iter().sum::<f64>();
            assert!((marginal - 0.5).abs() < 0.025, "genotype {a}: {marginal}");
            for b in 0..3 {
                assert!((sick[a][b] / rows[a][b] - table[3 * a + b]).abs() < 0.03, "{a}{b}");
                assert!((rows[a][b] / 40_000.0 - shares[a] * shares[b]).abs() < 0.01, "{a}{b}");
            }
        }
    }

    #[test]
    fn unbalanced_data_have_the_prevalence() {
        let data = generated(&[
            ("rows", "20000"),
            ("features", "2"),
            ("balanced", "no"),
            ("prevalence", "0.2"),
            ("heritability", "0.1"),
        ]);
        let shares = data.target.classes("x").unwrap().shares();
        assert!((shares[1] - 0.2).abs() < 0.01, "{shares:?}");
    }
}
