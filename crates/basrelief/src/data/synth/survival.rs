//! Survival times of people with genotypes: the hazard depends on two variants together.

use super::info::without_roles;
use super::options::{FREQUENCY, ROWS, checked_rows_of_genotypes};
use super::random::Random;
use super::xor::genotype_shares;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::{Column, Survival, Table};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static FEATURES: OptionInfo = OptionInfo {
    name: "features",
    flag: "features",
    kind: OptionKind::Count { least: 2 },
    default: "20",
    help: "Number of variants, including the interacting pair",
};

static LOG_HAZARD: OptionInfo = OptionInfo {
    name: "log_hazard",
    flag: "log-hazard",
    kind: OptionKind::Number { least: 0.0, most: 5.0 },
    default: "1.2",
    help: "Logarithm of the hazard ratio of the people with an alternative allele of exactly one variant of the pair",
};

static CENSORED: OptionInfo = OptionInfo {
    name: "censored",
    flag: "censored",
    kind: OptionKind::Number { least: 0.0, most: 0.9 },
    default: "0.3",
    help: "Expected fraction of censored times",
};

/// Registry entry.
pub(super) static INFO: GeneratorInfo = GeneratorInfo {
    name: "survival",
    purpose: "censored survival times: the hazard is higher where exactly one of two variants (P1, P2) has an \
              alternative allele, among noise",
    source: "exponential times, as in Bender, Augustin & Blettner 2005",
    own_options: &[&ROWS, &FEATURES, &FREQUENCY, &LOG_HAZARD, &CENSORED],
    make,
};

/// Times have the hazard `exp(b x)`, where `x` is 1 if exactly one of the two variants has an alternative allele and
/// otherwise 0. They are censored at exponential times whose rate gives the expected fraction of censored rows.
fn make(settings: &Settings, run: &Run) -> Result<Generated> {
    let width = settings.count(&FEATURES)?;
    let rows = checked_rows_of_genotypes(settings, width)?;
    let shares = genotype_shares(settings.number(&FREQUENCY)?);
    let log_hazard = settings.number(&LOG_HAZARD)?;
    let mut random = Random::new(run.seed());
    let mut columns = Vec::with_capacity(width);
    let mut carriers = vec![0; rows];
    for index in 1..=width {
        run.check()?;
        let codes: Vec<u8> = (0..rows).map(|_| random.pick(&shares) as u8).collect();
        let name = if index <= width - 2 {
            format!("N{index}")
        } else {
            carriers
                .iter_mut()
                .zip(&codes)
                .for_each(|(count, code)| *count += i32::from(*code > 0));
            format!("P{}", index + 2 - width)
        };
        columns.push(Column::genotype(name, codes.into())?);
    }
    let hazards: Vec<f64> =
        carriers.iter().map(|&count| if count == 1 { log_hazard.exp() } else { 1.0 }).collect();
    let rate = censoring_rate(&hazards, settings.number(&CENSORED)?);
    let mut exponential = |rate: f64| -(1.0 - random.uniform()).ln() / rate;
    let (mut times, mut events) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for &hazard in &hazards {
        let event = exponential(hazard);
        let censored = if rate > 0.0 { exponential(rate) } else { f64::INFINITY };
        times.push(event.min(censored));
        events.push(event <= censored);
    }
    let relevant = vec!["P1".to_string(), "P2".to_string()];
    let truth = Truth { interacting: vec![relevant.clone()], relevant, ..Truth::default() };
    let target = Survival::new(times, events)?.into();
    Ok(without_roles(Table::new(columns)?, target, "time", truth))
}

/// The rate `c` of exponential censoring for which the mean of `c / (c + hazard)` is a fraction of the rows.
fn censoring_rate(hazards: &[f64], fraction: f64) -> f64 {
    if fraction == 0.0 {
        return 0.0;
    }
    let censored = |rate: f64| {
        hazards.iter().map(|hazard| rate / (rate + hazard)).sum::<f64>() / hazards.len() as f64
    };
    let (mut low, mut high) = (1e-9_f64, 1e9_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if censored(middle) < fraction {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hazard_and_the_censored_fraction_are_those_asked_for() {
        let given =
            [("rows", "20000"), ("features", "2"), ("log_hazard", "1"), ("censored", "0.4")];
        let run = Run::new(Some(1)).unwrap().with_seed(7);
        let data = INFO.generate(&INFO.settings(&given).unwrap(), &run).unwrap();
        let survival = data.target.as_survival().unwrap();
        let columns = data.table.columns();
        // For exponential times, events divided by the total time estimate the hazard.
        let mut found = [[0.0; 2]; 2];
        for row in 0..20_000 {
            let carried = columns.iter().filter(|column| column.value(row) > 0.0).count();
            let [events, time] = &mut found[usize::from(carried == 1)];
            *events += f64::from(u8::from(survival.events()[row]));
            *time += survival.times()[row];
        }
        let [low, high] = found.map(|[events, time]| events / time);
        assert!((low - 1.0).abs() < 0.04, "{low}");
        assert!((high - 1.0_f64.exp()).abs() < 0.1, "{high}");
        let censored = survival.events().iter().filter(|event| !**event).count();
        assert!((censored as f64 / 20_000.0 - 0.4).abs() < 0.015, "{censored}");
    }
}
