//! Rankings on many samples of the rows: how often each feature is selected, and the ranks that it has.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::stability::{Stability, nogueira};
use crate::data::{Roles, Units, list};
use crate::error::{Error, Result};
use crate::maps::RankBy;
use crate::methods::wrappers::{Wrapper, fit_wrapped};
use crate::methods::{MethodInfo, Problem, Settings};
use crate::parallel;
use crate::random::{self, RandomStream};
use crate::run::{Run, derived_seed};
use crate::selection::{RedundancyRule, select};
use crate::warning::Warning;

/// Maximum number of resamples.
const MOST_RESAMPLES: usize = 100_000;

/// Minimum number of rows of every class in a resample, if the class has them, so that a row has another row of the
/// same class.
const LEAST_ROWS: usize = 2;

/// How rows are resampled, and how many features are selected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resampling {
    /// The number of resamples.
    pub resamples: usize,
    /// The fraction of the rows that a resample contains, drawn without replacement and, for a class target, from
    /// every class (rounded to the nearest whole number, at least 2 of each). If rows are in groups, whole groups are
    /// drawn. Stability selection uses half of the
    /// rows (Meinshausen & Bühlmann 2010). With replacement (the bootstrap), some rows would occur twice and be each
    /// other's nearest neighbors, at distance 0, which carries no information about the features.
    pub fraction: f64,
    /// The number of features that a resample selects: those with the largest weights; ties go to the first columns.
    pub top: usize,
    /// The rule of every resample about redundant features.
    pub redundancy: RedundancyRule,
    /// The number by which every resample ranks the features.
    pub rank_by: RankBy,
}

/// The results of all resamples for one feature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResampledFeature {
    /// The fraction of the resamples that select it.
    pub frequency: f64,
    /// The median of its ranks (1 is the largest weight; equal weights share the lowest rank of their group).
    pub median_rank: usize,
    /// The 2.5 % and 97.5 % quantiles of its ranks. Quantiles and median are by nearest rank: the smallest rank that
    /// at least this fraction of the resamples does not exceed.
    pub rank_interval: (usize, usize),
    /// The mean of its weights.
    pub mean_weight: f64,
}

/// Rankings of the same features on many resamples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResampledRankings {
    /// The number of rows of a resample.
    pub rows: usize,
    /// The features, in column order.
    pub features: Vec<ResampledFeature>,
    /// For every resample, its features of largest weight, the best first: as many as it selects, and at least
    /// [`LEADERS`](Self::LEADERS) or all; with a rule about redundant features only those that it selects. Indices at or above the number of [`features`](Self::features) are permuted copies.
    pub leaders: Vec<Vec<u32>>,
    /// The number of features that a resample selects.
    pub top: usize,
    /// The warnings of the fits, one of each code.
    pub warnings: Vec<Warning>,
    /// Wall-clock seconds of all fits.
    pub seconds: f64,
}

impl ResampledRankings {
    /// The number of features that are recorded for every resample at least, so that the stability of other numbers of
    /// features is known.
    pub const LEADERS: usize = 1000;

    /// For every resample the features among its best `count`, the best first; permuted copies use up places, but are
    /// not listed.
    pub fn selections(&self, count: usize) -> impl Iterator<Item = Vec<u32>> {
        let width = self.features.len();
        let is_feature = move |feature: &u32| (*feature as usize) < width;
        self.leaders
            .iter()
            .map(move |best| best.iter().copied().take(count).filter(is_feature).collect())
    }

    /// The stability (Nogueira, Sechidis & Brown 2018) if every resample selects its best `count` features: at most as
    /// many as [`leaders`](Self::leaders) lists.
    ///
    /// # Errors
    /// Fewer than two selections; no feature or every feature is selected every time, where the measure is not defined.
    pub fn stability_with(&self, count: usize) -> Result<Stability> {
        let mut selections: Vec<Vec<u32>> = self.selections(count).collect();
        selections.iter_mut().for_each(|selection| selection.sort_unstable());
        nogueira(self.features.len(), &selections)
    }

    /// The stability of the selections (Nogueira, Sechidis & Brown 2018).
    ///
    /// # Errors
    /// Fewer than two selections; no feature or every feature is always selected, so that the measure is undefined.
    pub fn stability(&self) -> Result<Stability> {
        self.stability_with(self.top)
    }

    /// Feature indices by decreasing selection frequency. For equal frequencies, the lower median rank comes first,
    /// then the larger mean weight, then the first column.
    pub fn order(&self) -> Vec<usize> {
        Self::order_of(&self.features)
    }

    /// The [`order`](Self::order) of the given features.
    pub fn order_of(features: &[ResampledFeature]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by(|&a, &b| {
            let (one, other) = (&features[a], &features[b]);
            (other.frequency.total_cmp(&one.frequency))
                .then(one.median_rank.cmp(&other.median_rank))
                .then(other.mean_weight.total_cmp(&one.mean_weight))
                .then(a.cmp(&b))
        });
        order
    }
}

impl Resampling {
    /// Checks the values that do not depend on a table.
    ///
    /// # Errors
    /// Fewer than 2 resamples or more than 100,000; a fraction outside of (0, 1).
    pub fn check(&self) -> Result<()> {
        if self.resamples < 2 {
            return Err(Error::option(
                "resamples",
                format!("{} is too few to compare", self.resamples),
                "give at least 2; 100 are usual",
            ));
        }
        if self.resamples > MOST_RESAMPLES {
            return Err(Error::option(
                "resamples",
                format!("{} exceeds the limit of {MOST_RESAMPLES}", self.resamples),
                format!("give at most {MOST_RESAMPLES}"),
            ));
        }
        if !(self.fraction > 0.0 && self.fraction < 1.0) {
            return Err(Error::option(
                "fraction",
                format!("{} is not a fraction of the rows", self.fraction),
                "give a number above 0 and below 1; 0.5 is usual",
            ));
        }
        Ok(())
    }

    /// The number of units of every class in a resample, or of all units.
    ///
    /// # Errors
    /// The problem cannot be resampled.
    fn counts(&self, problem: &Problem<'_>, units: &[Units]) -> Result<Vec<usize>> {
        self.check()?;
        let width = problem.table().width();
        if width < 2 {
            return Err(Error::data(
                "the table has one feature, so that there is nothing to select",
                "give at least two features",
            ));
        }
        if self.top == 0 || self.top >= width {
            return Err(Error::option(
                "top",
                format!("selecting {} of {width} features is not a selection", self.top),
                format!("give at least 1 and at most {}", width - 1),
            ));
        }
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        if !problem.target().varies_among(&rows) {
            return Err(problem.locate(Error::data(
                "the target is the same in every row",
                match problem.target().as_classes() {
                    Some(_) => "give rows of at least two classes",
                    None => "give rows with different values of the target",
                },
            )));
        }
        let taken = |units: &Units| {
            ((units.len() as f64 * self.fraction).round() as usize)
                .clamp(LEAST_ROWS.min(units.len()), units.len())
        };
        let counts: Vec<usize> = units.iter().map(taken).collect();
        if counts.iter().sum::<usize>() == units.iter().map(Units::len).sum::<usize>() {
            return Err(Error::option(
                "fraction",
                format!("every resample would contain all {} rows", problem.rows()),
                "give a smaller fraction, or more rows",
            ));
        }
        Ok(counts)
    }
}

/// The rows of a resample, ascending.
fn resample(units: &[Units], counts: &[usize], seed: u64) -> Vec<usize> {
    let mut generator = random::generator(seed, RandomStream::Resamples);
    let mut rows = Vec::with_capacity(counts.iter().sum());
    for (units, &count) in units.iter().zip(counts) {
        for unit in random::sample(units.len() as u32, count as u32, &mut generator) {
            rows.extend(units.rows(unit).iter().map(|&row| row as usize));
        }
    }
    rows.sort_unstable();
    rows
}

/// The result of one resample.
struct Ranked {
    leaders: Vec<u32>,
    ranks: Vec<u32>,
    weights: Vec<f64>,
    warnings: Vec<Warning>,
}

/// Ranks the features on resamples of the rows: a method inside wrappers is fitted to each resample.
///
/// Resamples and the randomness of their fits depend on the seed and the number of the resample, not on threads or on
/// other resamples. Each thread stores the rows of its current resample.
///
/// # Errors
/// Fewer than 2 resamples; a fraction outside of (0, 1), or one that selects all rows; a number of features to select
/// that is 0 or not below the number of features; a constant target; the errors of the method;
/// [`Error::Cancelled`].
pub fn resampled_rankings(
    method: &MethodInfo,
    settings: &Settings,
    wrappers: &[Wrapper],
    problem: &Problem<'_>,
    resampling: &Resampling,
    run: &Run,
) -> Result<ResampledRankings> {
    let units = Units::of(problem.target(), problem.roles().groups());
    let counts = resampling.counts(problem, &units)?;
    let mut warnings = Vec::new();
    if let Some(classes) = problem.target().as_classes() {
        let sizes = classes.names().iter().zip(classes.counts());
        let alone: Vec<&str> = sizes
            .filter(|(_, count)| **count < LEAST_ROWS)
            .map(|(name, _)| name.as_str())
            .collect();
        if !alone.is_empty() {
            warnings.push(Warning::new(
                "single-rows",
                format!("every resample contains the only row of these classes: {}", list(&alone)),
            ));
        }
    }
    let start = Instant::now();
    let progress = run.progress();
    progress.start("resamples", resampling.resamples as u64);
    let one = |number: usize| {
        run.check()?;
        let part = run.part(derived_seed(run.seed(), &[number as u64]));
        let rows = resample(&units, &counts, part.seed());
        let (table, target) =
            (problem.table().select_rows(&rows), problem.target().select_rows(&rows)?);
        let covariates =
            problem.roles().covariates().map(|covariates| covariates.select_rows(&rows));
        let groups = problem.roles().groups().map(|groups| groups.select_rows(&rows));
        let weights = problem.roles().weights().map(|weights| weights.select_rows(&rows));
        let roles = Roles::default()
            .with_covariates(covariates.as_ref())
            .with_groups(groups.as_ref())
            .with_weights(weights.as_ref())
            .with_priors(problem.roles().priors())
            .with_blocks(problem.roles().blocks());
        let fitted = Problem::new(&table, &target)
            .and_then(|problem| problem.with_roles(roles))
            .and_then(|problem| fit_wrapped(method, settings, wrappers, &problem, &part))
            .map_err(|error| problem.locate(in_whole_table(error, &rows)))?;
        progress.advance(1);
        // Without the names, because one copy of them is enough.
        let map = fitted.model.ranked_by(resampling.rank_by);
        let warnings = fitted.report.warnings;
        let order = map.order();
        let leaders = match resampling.redundancy {
            RedundancyRule::None => {
                let count = resampling.top.max(ResampledRankings::LEADERS);
                order.into_iter().take(count).collect()
            }
            rule => {
                let scores = map.scores();
                let (candidates, count) = ((&scores[..], &order[..]), Some(resampling.top));
                select(&table, candidates, count, rule, roles, &part)?.features
            }
        };
        let leaders = leaders.into_iter().map(|feature| feature as u32).collect();
        let ranks = map.ranks().into_iter().map(|rank| rank as u32).collect();
        Ok(Ranked { leaders, ranks, weights: map.weights().to_vec(), warnings })
    };
    let numbers = 0..resampling.resamples;
    let ranked = run.install(|| parallel::try_map(numbers, one))?;
    progress.finish();

    let count = resampling.resamples;
    let mut times = vec![0_usize; problem.table().width()];
    for one in &ranked {
        one.leaders.iter().take(resampling.top).for_each(|&feature| times[feature as usize] += 1);
    }
    let of_feature = |feature: usize| {
        let mut ranks: Vec<u32> = ranked.iter().map(|one| one.ranks[feature]).collect();
        ranks.sort_unstable();
        // The quantile of this number of thousandths, by nearest rank.
        let quantile =
            |thousandths: usize| ranks[(count * thousandths).div_ceil(1000) - 1] as usize;
        let sum: f64 = ranked.iter().map(|one| one.weights[feature]).sum();
        ResampledFeature {
            frequency: times[feature] as f64 / count as f64,
            median_rank: quantile(500),
            rank_interval: (quantile(25), quantile(975)),
            mean_weight: sum / count as f64,
        }
    };
    let features = (0..problem.table().width()).map(of_feature).collect();
    warnings.extend(warnings_of(&ranked));
    Ok(ResampledRankings {
        rows: counts.iter().sum(),
        features,
        warnings,
        leaders: ranked.into_iter().map(|one| one.leaders).collect(),
        top: resampling.top,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Converts the row of a resample in an error to the row of the complete table.
fn in_whole_table(error: Error, rows: &[usize]) -> Error {
    match error {
        Error::Data(mut data) => {
            let place =
                data.row.and_then(|row| rows.get(usize::try_from(row).ok()?.checked_sub(1)?));
            data.row = place.map(|&row| row as u64 + 1);
            Error::Data(data)
        }
        other => other,
    }
}

/// The warnings of all fits, one of each code, with the number of resamples that gave it.
fn warnings_of(ranked: &[Ranked]) -> Vec<Warning> {
    let mut said: Vec<(&Warning, usize)> = Vec::new();
    for warning in ranked.iter().flat_map(|one| &one.warnings) {
        match said.iter_mut().find(|(first, _)| first.code() == warning.code()) {
            Some((_, count)) => *count += 1,
            None => said.push((warning, 1)),
        }
    }
    said.into_iter()
        .map(|(warning, count)| {
            let text = warning.text().mention();
            let message = if count < ranked.len() {
                format!("in {count} of {} resamples: {text}", ranked.len())
            } else {
                format!("in every resample: {text}")
            };
            Warning::new(warning.code().to_string(), message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, Column, Table, Target};
    use crate::methods::method;

    /// The class is whether the first two features have the same sign; four features are noise.
    fn table(rows: u32) -> (Table<'static>, Target) {
        let mut state = 1_u64;
        let mut column = |name: &str| -> Column<'static> {
            let mut number = || {
                state = derived_seed(state, &[1]);
                (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            };
            Column::from_values(name, (0..rows).map(|_| number()).collect()).unwrap()
        };
        let table = Table::new(["a", "b", "c", "d", "e", "f"].map(&mut column).to_vec()).unwrap();
        let value = |feature: usize, row: u32| table.columns()[feature].value(row as usize);
        let labels: Vec<&str> = (0..rows)
            .map(|row| if value(0, row) * value(1, row) > 0.0 { "same" } else { "other" })
            .collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        (table, target)
    }

    fn rank(
        table: &Table<'_>,
        target: &Target,
        resampling: Resampling,
        threads: usize,
        seed: u64,
    ) -> Result<ResampledRankings> {
        let name = if matches!(target, Target::Real(_)) { "rrelieff" } else { "relieff" };
        let info = method(name)?;
        let settings = info.settings::<&str, &str>(&[])?;
        let run = Run::new(Some(threads))?.with_seed(seed);
        resampled_rankings(info, &settings, &[], &Problem::new(table, target)?, &resampling, &run)
    }

    const USUAL: Resampling = Resampling {
        resamples: 40,
        fraction: 0.5,
        top: 2,
        redundancy: RedundancyRule::None,
        rank_by: RankBy::Weight,
    };

    #[test]
    fn the_pair_is_selected_whatever_the_threads() {
        let (table, target) = table(120);
        let found = rank(&table, &target, USUAL, 1, 5).unwrap();
        let mut again = rank(&table, &target, USUAL, 3, 5).unwrap();
        again.seconds = found.seconds;
        assert_eq!(found, again);
        assert_ne!(found.features, rank(&table, &target, USUAL, 1, 6).unwrap().features);
        assert!(found.rows == 60 || found.rows == 61);
        // All six features of each resample are recorded, of which it selects two.
        assert!(found.leaders.len() == 40 && found.leaders.iter().all(|all| all.len() == 6));
        assert!(found.selections(2).all(|selection| selection.len() == 2));
        let total: f64 = found.features.iter().map(|feature| feature.frequency).sum();
        assert!((total - 2.0).abs() < 1e-12);
        for feature in &found.features[..2] {
            assert!(feature.frequency > 0.9 && feature.median_rank <= 2, "{feature:?}");
        }
        for feature in &found.features {
            let (least, greatest) = feature.rank_interval;
            assert!(1 <= least && least <= feature.median_rank && feature.median_rank <= greatest);
            assert!(greatest <= 6);
        }
        let mut best = found.order()[..2].to_vec();
        best.sort_unstable();
        assert_eq!(best, [0, 1]);
        let stability = found.stability().unwrap();
        assert!(stability.value > 0.8 && stability.interval.0 > 0.6, "{stability:?}");
        assert_eq!(found.stability_with(2).unwrap(), stability);
        // Noise competes for the third place, and all six are always selected.
        assert!(found.stability_with(3).unwrap().value < stability.value);
        assert!(found.stability_with(6).is_err());
        // With the last three as copies, they are not listed but use up places.
        let mut copied = found.clone();
        copied.features.truncate(3);
        let sizes: Vec<usize> = copied.selections(3).map(|selection| selection.len()).collect();
        assert!(sizes.contains(&3) && sizes.contains(&2), "{sizes:?}");
    }

    /// Computes one resample after the other, by hand.
    #[test]
    fn it_is_the_method_on_the_rows_of_every_resample() {
        let (table, target) = table(40);
        let found = rank(&table, &target, Resampling { resamples: 3, ..USUAL }, 1, 0).unwrap();
        let units = Units::of(&target, None);
        let counts: Vec<usize> =
            units.iter().map(|units| (units.len() as f64 / 2.0).round() as usize).collect();
        let info = method("relieff").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let mut ranks = Vec::new();
        for number in 0..3 {
            let rows = resample(&units, &counts, derived_seed(0, &[number]));
            assert!(rows.is_sorted() && rows.windows(2).all(|pair| pair[0] < pair[1]));
            let (table, target) = (table.select_rows(&rows), target.select_rows(&rows).unwrap());
            let problem = Problem::new(&table, &target).unwrap();
            let fitted = info.fit(&problem, &settings, &Run::new(Some(1)).unwrap()).unwrap();
            let order: Vec<u32> =
                fitted.model.order().into_iter().map(|feature| feature as u32).collect();
            assert_eq!(found.leaders[number as usize], order);
            assert_eq!(found.selections(2).nth(number as usize).unwrap(), order[..2]);
            ranks.push(fitted.model.ranks());
        }
        for (feature, found) in found.features.iter().enumerate() {
            let mut ranks: Vec<usize> = ranks.iter().map(|ranks| ranks[feature]).collect();
            ranks.sort_unstable();
            assert_eq!((found.rank_interval, found.median_rank), ((ranks[0], ranks[2]), ranks[1]));
        }
    }

    #[test]
    fn every_class_keeps_its_share() {
        let labels = [vec!["a"; 10], vec!["b"; 3], vec!["c"; 2]].concat();
        let units = Units::of(&Target::Classes(Classes::from_labels(&labels)), None);
        for seed in 0..30 {
            let rows = resample(&units, &[5, 2, 2], seed);
            let of = |from: usize, to: usize| {
                rows.iter().filter(|row| (from..to).contains(*row)).count()
            };
            assert_eq!((of(0, 10), of(10, 13), of(13, 15)), (5, 2, 2));
        }
        // Pinned: an update of the generator must not change published results unnoticed.
        assert_eq!(resample(&units, &[5, 2, 2], 7), PINNED);
    }

    const PINNED: [usize; 9] = [0, 3, 6, 8, 9, 10, 12, 13, 14];

    #[test]
    fn noise_is_selected_at_random() {
        let (table, _) = table(200);
        // No feature explains the target.
        let target = Target::Real((0..200).map(|row| f64::from(row * 7 % 200)).collect());
        let found = rank(&table, &target, Resampling { resamples: 60, ..USUAL }, 2, 1).unwrap();
        let stability = found.stability().unwrap();
        assert!(stability.value < 0.5, "{stability:?}");
    }

    #[test]
    fn what_cannot_be_resampled_is_refused() {
        let (table, target) = table(40);
        for (resampling, words) in [
            (Resampling { resamples: 1, ..USUAL }, "resamples: 1 is too few to compare"),
            (Resampling { resamples: 100_001, ..USUAL }, "exceeds the limit of 100000"),
            (Resampling { fraction: 1.0, ..USUAL }, "fraction: 1 is not a fraction"),
            (Resampling { fraction: f64::NAN, ..USUAL }, "fraction: NaN is not a fraction"),
            (Resampling { fraction: 0.999, ..USUAL }, "every resample would contain all 40 rows"),
            (Resampling { top: 0, ..USUAL }, "top: selecting 0 of 6 features"),
            (Resampling { top: 6, ..USUAL }, "give at least 1 and at most 5"),
        ] {
            let error = rank(&table, &target, resampling, 1, 0).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let of = |labels: &[&str]| Target::Classes(Classes::from_labels(labels));
        let rows: Vec<usize> = (0..5).collect();
        let small = table.select_rows(&rows);
        for (target, words) in [
            (of(&["x", "x", "x", "x", "x"]), "the target is the same in every row"),
            (Target::Real(vec![1.5; 5]), "the target is the same in every row"),
        ] {
            let error = rank(&small, &target, USUAL, 1, 0).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let one = table.select_columns(&[0]);
        let error = rank(&one, &target, USUAL, 1, 0).unwrap_err().to_string();
        assert!(error.contains("the table has one feature"), "{error}");
        let error = rank(&small, &of(&["x", "x", "y", "y", "z"]), USUAL, 1, 0).unwrap_err();
        assert!(error.to_string().contains("every resample would contain all 5 rows"), "{error}");
    }

    #[test]
    fn rare_classes_keep_two_rows_where_they_have_them() {
        let (table, _) = table(30);
        let labels: Vec<&str> = (0..30)
            .map(|row| match row {
                0 => "one",
                1..4 => "three",
                _ => ["many", "more"][row % 2],
            })
            .collect();
        let target = Target::Classes(Classes::from_labels(&labels));
        let resampling = Resampling { fraction: 0.2, ..USUAL };
        let found = rank(&table, &target, resampling, 1, 0).unwrap();
        assert_eq!(found.rows, 1 + 2 + 3 + 3);
        let words = "every resample contains the only row of these classes: one";
        assert_eq!(found.warnings[0].to_string(), words);
    }

    #[test]
    fn rows_in_errors_are_those_of_the_table() {
        let error = crate::DataError::new("wrong", "mend it").at_row(2);
        let error = in_whole_table(error.into(), &[4, 17, 30]);
        assert_eq!(error.to_string(), "row 18: wrong; mend it");
    }
}
