//! Weights and tests of feature sets, such as the variants of a gene. Each set is a separate space: only its features
//! determine the neighbors.

use super::multiple_testing::{benjamini_hochberg, step_down_min_p};
use super::permutation_test::TIED;
use super::permutations::Permutations;
use crate::data::{FeatureSet, Target};
use crate::error::{Error, Result};
use crate::methods::wrappers::{Wrapper, fit_wrapped, for_targets};
use crate::methods::{MethodInfo, Problem};
use crate::options::Settings;
use crate::run::Run;

/// Number of permutations whose weights are computed together.
const TOGETHER: u64 = 64;

/// The result for one set.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedSet {
    /// The weights of its features, in their order.
    pub weights: Vec<f64>,
    /// The test, if one was requested.
    pub test: Option<SetTest>,
}

impl WeighedSet {
    /// The largest of the weights.
    pub fn best(&self) -> f64 {
        greatest(&self.weights)
    }
}

/// The permutation test of a set's largest weight. Sets of many features have larger ones by chance alone, so that
/// p-values are comparable between sets, but weights are not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetTest {
    /// `(1 + b) / (1 + B)`, where `b` of `B` permutations give a largest weight that is as large or larger.
    pub p_value: f64,
    /// The false discovery rate among all sets (Benjamini & Hochberg 1995).
    pub q_value: f64,
    /// The p-value corrected for the number of sets by step-down min-P (Westfall & Young 1993).
    pub adjusted: f64,
}

/// Computes the weights of the features of every set separately: neighbors are found in the space of the set. With
/// permutations of the target and their number, tests the largest weight of every set; all sets use the same
/// permutations.
///
/// Memory grows with the number of sets times the number of permutations, at 12 bytes each.
///
/// # Errors
/// No set; a set without features; the errors of the method; permutations for a method whose weights cannot be
/// [tested](MethodInfo::check_test); [`Error::Cancelled`].
pub fn weigh_sets(
    (method, settings, wrappers): (&MethodInfo, &Settings, &[Wrapper]),
    problem: &Problem<'_>,
    sets: &[FeatureSet],
    permutations: Option<(&Permutations<'_>, u64)>,
    run: &Run,
) -> Result<Vec<WeighedSet>> {
    if let Some(set) = sets.iter().find(|set| set.features.is_empty()) {
        return Err(Error::data(format!("the set {} contains no features", set.name), "remove it"));
    }
    if sets.is_empty() {
        return Err(Error::data("no sets were given", "give at least one"));
    }
    if permutations.is_some() {
        method.check_test()?;
    }
    let silent = run.part(run.seed());
    run.progress().start("scoring sets", sets.len() as u64);
    let mut found = Vec::with_capacity(sets.len());
    // Per set, the largest weight of every permutation, and that of the unpermuted target at the end.
    let mut best: Vec<Vec<f64>> = Vec::new();
    for set in sets {
        run.check()?;
        let table = problem.table().select_columns(&set.features);
        let own = problem.of_columns(&table)?;
        let weights =
            fit_wrapped(method, settings, wrappers, &own, &silent)?.model.weights().to_vec();
        if let Some((permutations, count)) = permutations {
            let mut of_set = Vec::with_capacity(count as usize + 1);
            let mut targets = for_targets(method, settings, wrappers, &own, &silent)?;
            let all: Vec<usize> = (0..table.width()).collect();
            for start in (0..count).step_by(TOGETHER as usize) {
                let numbers = start..count.min(start + TOGETHER);
                let permuted: Vec<Target> =
                    numbers.map(|number| permutations.permuted(number)).collect();
                let weighed = targets.weigh(&all, &permuted, &silent)?;
                of_set.extend(weighed.iter().map(|weights| greatest(weights)));
            }
            of_set.push(greatest(&weights));
            best.push(of_set);
        }
        found.push(WeighedSet { weights, test: None });
        run.progress().advance(1);
    }
    run.progress().finish();
    if permutations.is_some() {
        let tests = tests(&best);
        found.iter_mut().zip(tests).for_each(|(found, test)| found.test = Some(test));
    }
    Ok(found)
}

fn greatest(weights: &[f64]) -> f64 {
    weights.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The tests of all sets, from the largest weights under every order of the target. The last order is the observed
/// one.
fn tests(best: &[Vec<f64>]) -> Vec<SetTest> {
    let orders = best.first().map_or(0, Vec::len);
    let mut ranks = vec![vec![0_u32; best.len()]; orders];
    for (set, of_set) in best.iter().enumerate() {
        for (order, rank) in ranks_of(of_set).into_iter().enumerate() {
            ranks[order][set] = rank;
        }
    }
    let observed = ranks.last().map_or(&[][..], Vec::as_slice);
    let p_values: Vec<f64> = observed.iter().map(|&rank| f64::from(rank) / orders as f64).collect();
    let q_values = benjamini_hochberg(&p_values);
    let adjusted = step_down_min_p(&ranks);
    p_values
        .into_iter()
        .zip(q_values.into_iter().zip(adjusted))
        .map(|(p_value, (q_value, adjusted))| SetTest { p_value, q_value, adjusted })
        .collect()
}

/// Per number, how many of all numbers are as large or larger. Numbers that differ only by rounding count as equal.
fn ranks_of(numbers: &[f64]) -> Vec<u32> {
    let width = TIED * numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let no_smaller = |number: f64| sorted.partition_point(|other| *other >= number - width) as u32;
    numbers.iter().map(|&number| no_smaller(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, Column, Roles, Table};
    use crate::methods::method;

    fn seeded(seed: u64) -> Run {
        Run::new(Some(1)).unwrap().with_seed(seed)
    }

    #[test]
    fn ranks_count_what_is_no_smaller() {
        assert_eq!(ranks_of(&[0.5, 2.0, 2.0, -1.0]), [3, 2, 2, 4]);
        assert_eq!(ranks_of(&[1.0, 1.0 + 1e-12]), [2, 2]);
    }

    /// The set that determines the class ranks first, with the weights of a fit to its columns alone. P-values equal
    /// those of permuting and refitting.
    #[test]
    fn sets_are_fits_of_their_own() {
        let rows = 60;
        let value = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 997) as f64;
        let class = |row: usize| usize::from((value(row, 1) < 498.0) != (value(row, 2) < 498.0));
        let columns = (0..6).map(|column| {
            let values = (0..rows).map(|row| value(row, column)).collect();
            Column::from_values(format!("f{column}"), values).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let labels: Vec<String> = (0..rows).map(|row| class(row).to_string()).collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        let problem = Problem::new(&table, &target).unwrap();
        let set = |name: &str, features: &[usize]| FeatureSet {
            name: name.to_string(),
            features: features.to_vec(),
        };
        let sets = [set("others", &[0, 3]), set("pair", &[1, 2]), set("half", &[1, 4, 5])];
        let info = method("relieff").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let run = Run::new(Some(2)).unwrap().with_seed(3);
        let permutations = Permutations::new(&target, Roles::default(), &seeded(3)).unwrap();
        let found =
            weigh_sets((info, &settings, &[]), &problem, &sets, Some((&permutations, 99)), &run)
                .unwrap();
        for (set, found) in sets.iter().zip(&found) {
            let own = table.select_columns(&set.features);
            let fit = |target: &Target| {
                let problem = Problem::new(&own, target).unwrap();
                info.fit(&problem, &settings, &run).unwrap().model.weights().to_vec()
            };
            assert_eq!(found.weights, fit(&target), "{}", set.name);
            let as_great = (0..99)
                .filter(|&number| {
                    greatest(&fit(&permutations.permuted(number))) >= found.best() - 1e-9
                })
                .count();
            let test = found.test.unwrap();
            assert!((test.p_value - (1.0 + as_great as f64) / 100.0).abs() < 1e-12, "{}", set.name);
            assert!(test.q_value >= test.p_value && test.adjusted >= test.p_value);
        }
        assert_eq!(found[1].test.unwrap().p_value, 0.01);
    }

    #[test]
    fn nothing_to_weigh_is_refused() {
        let table =
            Table::new(vec![Column::from_values("a", vec![0.0, 1.0, 2.0]).unwrap()]).unwrap();
        let target = Target::Classes(Classes::from_labels(&["x", "y", "x"]));
        let problem = Problem::new(&table, &target).unwrap();
        let info = method("relieff").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let weigh = |sets: &[FeatureSet]| {
            weigh_sets((info, &settings, &[]), &problem, sets, None, &run).unwrap_err().to_string()
        };
        assert!(weigh(&[]).contains("no sets"));
        let empty = FeatureSet { name: "empty".to_string(), features: Vec::new() };
        assert!(weigh(&[empty]).contains("empty"));
    }
}
