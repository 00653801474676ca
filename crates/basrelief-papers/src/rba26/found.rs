//! What the algorithms find on the data sets, and its tables.

use std::fmt::Write;

use basrelief_report::Table;

use super::algorithms::Family;
use super::ranks::{Ranks, first_tenth, median, optimal, pooled, power};
use super::scenarios::{Configuration, SCENARIOS, XOR};
use crate::protocol::numbers_table;
use crate::statistics::mean;

/// The ranks that the algorithms give on the data sets of a configuration.
pub(super) struct Found {
    pub(super) configuration: Configuration,
    /// For each algorithm, its ranks on every data set.
    pub(super) algorithms: Vec<(&'static str, Family, Vec<Ranks>)>,
}

/// A line per kind of data set, algorithm and kind of ranking.
pub(super) fn csv(all: &[Found]) -> String {
    let mut text = String::from(
        "scenario,predictive,features,algorithm,ranking,data_sets,power_optimal,power_first_tenth,mean_rank,\
         median_rank\n",
    );
    for found in all {
        let one = found.configuration;
        for (name, _, ranks) in &found.algorithms {
            for (is_absolute, ranking) in [(false, "weight"), (true, "absolute")] {
                let pooled = pooled(ranks, is_absolute);
                let _ = writeln!(
                    text,
                    "\"{}\",{},{},{name},{ranking},{},{},{},{},{}",
                    one.scenario,
                    one.order,
                    one.features,
                    ranks.len(),
                    power(ranks, is_absolute, optimal),
                    power(ranks, is_absolute, first_tenth),
                    mean(&pooled),
                    median(&pooled)
                );
            }
        }
    }
    text
}

/// A table per group of data sets: the power and the median rank of every algorithm.
pub(super) fn tables(all: &[Found]) -> Vec<Table> {
    let of_scenario = |scenario: &&'static str| {
        let own: Vec<&Found> =
            all.iter().filter(|one| one.configuration.scenario == *scenario).collect();
        let first = own.first()?;
        let rankings: &[bool] = if *scenario == XOR { &[false, true] } else { &[false] };
        let mut heads = vec!["algorithm".to_string()];
        for found in &own {
            let label = found.configuration.label();
            heads.extend(rankings.iter().map(|&is_absolute| match is_absolute {
                true => format!("{label}, ABS"),
                false => label.clone(),
            }));
        }
        let rows = (0..first.algorithms.len()).map(|at| {
            let mut cells = vec![first.algorithms[at].0.to_string()];
            for found in &own {
                let ranks = &found.algorithms[at].2;
                cells.extend(rankings.iter().map(|&is_absolute| {
                    let power = 100.0 * power(ranks, is_absolute, optimal);
                    format!("{power:.0} ({})", median(&pooled(ranks, is_absolute)))
                }));
            }
            cells
        });
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let caption = format!("{scenario}: power in % (median rank), by the number of features");
        Some(numbers_table(caption, &heads, rows.collect()))
    };
    SCENARIOS.iter().filter_map(of_scenario).collect()
}
