//! Epistasis genotypes: two single-nucleotide polymorphisms without marginal effects, but with a strong
//! interaction.
//!
//! With `g_a` the frequency of genotype `a` (Hardy-Weinberg, minor allele frequency `q`), the
//! probability of disease is `f_ab = K + t s_a s_b`, where `s` is -1 for heterozygotes and
//! `r = g_1 / (1 - g_1)` for both homozygotes. Because `sum_a g_a s_a = 0`, the prevalence given any
//! genotype of a single SNP is `K`, so that neither SNP has a marginal effect. Because
//! `sum_a g_a s_a^2 = r`, the heritability `sum_ab g_a g_b (f_ab - K)^2 / (K (1 - K))` is
//! `t^2 r^2 / (K (1 - K))`, which determines `t`.

use super::options::{FREQUENCY, HERITABILITY, PREVALENCE, ROWS, checked_rows};
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
    help: "Number of columns, including the interacting pair",
};

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
    purpose: "epistasis genotypes: an interacting pair of SNPs (P1, P2) without main effects, among noise",
    source: "penetrance tables without marginal effects, as in GAMETES (Urbanowicz et al. 2012)",
    own_options: &[&ROWS, &FEATURES, &FREQUENCY, &HERITABILITY, &PREVALENCE, &BALANCED],
    make,
};

/// Hardy-Weinberg frequencies of 0, 1 and 2 copies of an allele with frequency `q`.
pub(super) fn genotype_shares(q: f64) -> [f64; 3] {
    [(1.0 - q) * (1.0 - q), 2.0 * q * (1.0 - q), q * q]
}

/// The probability of disease for every combination of genotypes of the pair.
fn penetrance(q: f64, heritability: f64, prevalence: f64) -> Result<[[f64; 3]; 3]> {
    let shares = genotype_shares(q);
    let ratio = shares[1] / (1.0 - shares[1]);
    let scores = [ratio, -1.0, ratio];
    // Both signs of the effect have the same heritability. The sign is chosen that allows the larger
    // effect with probabilities between 0 and 1. Products of scores lie between `-ratio` and `top`.
    let top = ratio.powi(2).max(1.0);
    let up = ((1.0 - prevalence) / top).min(prevalence / ratio);
    let down = (prevalence / top).min((1.0 - prevalence) / ratio);
    let variance = prevalence * (1.0 - prevalence);
    let room = up.max(down);
    let effect = (heritability * variance).sqrt() / ratio;
    // The comparison tolerates rounding, so that the largest value in the message is accepted.
    if effect > room * (1.0 + 1e-9) {
        let most = (room * ratio).powi(2) / variance;
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
    let cell = |a: usize, b: usize| (prevalence + signed * scores[a] * scores[b]).clamp(0.0, 1.0);
    Ok([0, 1, 2].map(|a| [0, 1, 2].map(|b| cell(a, b))))
}

fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let width = settings.count(&FEATURES)?;
    let rows = checked_rows(settings, width)?;
    let frequency = settings.number(&FREQUENCY)?;
    let prevalence = settings.number(&PREVALENCE)?;
    let table = penetrance(frequency, settings.number(&HERITABILITY)?, prevalence)?;
    let shares = genotype_shares(frequency);
    let mut random = Random::new(run.seed());

    let mut cases: Vec<bool> = (0..rows).map(|row| row % 2 == 0).collect();
    if settings.text(&BALANCED)? == "yes" {
        random.shuffle(&mut cases);
    } else {
        cases.fill_with(|| random.chance(prevalence));
    }

    // The genotypes of the pair given the class, by Bayes' rule over the nine joint genotypes.
    let joint = |case: bool| -> [f64; 9] {
        std::array::from_fn(|cell| {
            let (a, b) = (cell / 3, cell % 3);
            let risk = if case { table[a][b] } else { 1.0 - table[a][b] };
            shares[a] * shares[b] * risk
        })
    };
    let (in_controls, in_cases) = (joint(false), joint(true));
    let pair: Vec<usize> = cases
        .iter()
        .map(|&case| random.pick(if case { &in_cases } else { &in_controls }))
        .collect();

    let mut columns = Vec::with_capacity(width);
    for index in 1..=width - 2 {
        run.check()?;
        let shares = genotype_shares(0.05 + 0.45 * random.uniform());
        let codes: Vec<u8> = (0..rows).map(|_| random.pick(&shares) as u8).collect();
        columns.push(Column::genotype(format!("N{index}"), codes.into())?);
    }
    run.check()?;
    let first: Vec<u8> = pair.iter().map(|&cell| (cell / 3) as u8).collect();
    let second: Vec<u8> = pair.iter().map(|&cell| (cell % 3) as u8).collect();
    columns.push(Column::genotype("P1", first.into())?);
    columns.push(Column::genotype("P2", second.into())?);

    let labels: Vec<&str> = cases.iter().map(|&case| if case { "1" } else { "0" }).collect();
    let relevant = vec!["P1".to_string(), "P2".to_string()];
    let interacting = vec![relevant.clone()];
    let truth = Truth { relevant, interacting, ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Target;

    #[test]
    fn the_table_has_no_marginal_effect_and_the_heritability_asked_for() {
        for (q, heritability, prevalence) in
            [(0.4, 0.4, 0.5), (0.5, 1.0, 0.5), (0.2, 0.2, 0.5), (0.3, 0.05, 0.1), (0.1, 0.02, 0.8)]
        {
            let shares = genotype_shares(q);
            let table = penetrance(q, heritability, prevalence).unwrap();
            let mut explained = 0.0;
            for a in 0..3 {
                let by_row: f64 = (0..3).map(|b| shares[b] * table[a][b]).sum();
                let by_column: f64 = (0..3).map(|b| shares[b] * table[b][a]).sum();
                assert!((by_row - prevalence).abs() < 1e-12, "{q} {by_row}");
                assert!((by_column - prevalence).abs() < 1e-12, "{q} {by_column}");
                for b in 0..3 {
                    assert!((0.0..=1.0).contains(&table[a][b]), "{table:?}");
                    explained += shares[a] * shares[b] * (table[a][b] - prevalence).powi(2);
                }
            }
            let found = explained / (prevalence * (1.0 - prevalence));
            assert!((found - heritability).abs() < 1e-12, "{q}: {found}");
        }
    }

    #[test]
    fn a_heritability_out_of_reach_is_refused_with_the_greatest_one() {
        let error = penetrance(0.2, 0.4, 0.5).unwrap_err().to_string();
        assert!(error.contains("use at most 0.221"), "{error}");
        assert!(penetrance(0.2, 0.221, 0.5).is_ok());
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
        let table = penetrance(0.4, 0.4, 0.5).unwrap();
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
                assert!((sick[a][b] / rows[a][b] - table[a][b]).abs() < 0.03, "{a}{b}");
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
