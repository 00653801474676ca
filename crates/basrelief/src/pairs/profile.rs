//! Profiles of one feature and the target, for the figures of a report.

use super::chosen::chosen;
use super::levels::{Level, Levels, MISSING, cut};
use super::summaries::{BoxSummary, TargetSummary, mean, quantile, standard_deviation};
use crate::data::{Classes, Column, ColumnKind, Table, Target};
use crate::error::Result;

/// Number of points at which densities are evaluated.
pub(crate) const DENSITY_POINTS: usize = 64;

/// Maximum number of points shown for numbers and a numeric target.
pub(crate) const MOST_POINTS: usize = 500;

/// Maximum number of values for a density; of more values, this many at equal steps of their order are used.
const MOST_KERNELS: usize = 2000;

/// Bins of numbers for a numeric target: their maximum number, and the number of rows of each.
const MOST_MEANS: usize = 10;
const ROWS_OF_A_MEAN: usize = 10;

/// One feature and the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The feature, by its position in the table.
    pub feature: usize,
    /// Its kind.
    pub kind: ColumnKind,
    /// The number of rows of the table.
    pub rows: usize,
    /// The number of rows in which the feature is missing.
    pub missing: usize,
    /// The joint distribution of the target and the feature's known values.
    pub distribution: Distribution,
}

/// The joint distribution of a feature and a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Numbers by class.
    NumbersByClass {
        /// The points at which densities are evaluated: 64 at equal steps from the smallest to the
        /// largest value; empty if no two values differ.
        grid: Vec<f64>,
        /// The classes, in the target's order.
        classes: Vec<ClassNumbers>,
    },
    /// Categories or genotypes by class.
    LevelsByClass {
        /// The levels; rare categories are pooled if there are many.
        levels: Vec<Level>,
        /// The classes, in the target's order.
        classes: Vec<String>,
        /// Per level, the number of rows of every class.
        counts: Vec<Vec<usize>>,
    },
    /// Numbers and a numeric target.
    NumbersAndTarget {
        /// Number and target of at most 500 rows, at equal steps in the order of the numbers.
        points: Vec<(f64, f64)>,
        /// The target's means in bins with about equal numbers of rows.
        means: Vec<BinnedMean>,
    },
    /// Categories or genotypes and a numeric target.
    LevelsAndTarget {
        /// The levels; rare categories are pooled if there are many.
        levels: Vec<Level>,
        /// A summary of the target's values in every level.
        boxes: Vec<BoxSummary>,
    },
}

/// A feature's numbers in one class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassNumbers {
    /// The class.
    pub name: String,
    /// A summary of the numbers; `None` if none is known.
    pub summary: Option<BoxSummary>,
    /// Their density at the points of the grid, per unit of the feature: Gaussian kernels with the bandwidth
    /// `0.9 min(s, IQR / 1.34) n^(-1/5)` (Silverman 1986, equation 3.31; with `s` alone if the interquartile range is
    /// 0). The bandwidth is at least one step of the grid, so that the density can be drawn. Empty if all numbers are
    /// equal.
    ///
    /// Source: B. W. Silverman. Density Estimation for Statistics and Data Analysis. Chapman & Hall, 1986.
    pub density: Vec<f64>,
}

/// The mean of a numeric target in a bin of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinnedMean {
    /// The smallest and the largest of the feature's numbers in the bin.
    pub bounds: (f64, f64),
    /// The mean of the feature's numbers in the bin.
    pub center: f64,
    /// A summary of the target in the bin.
    pub target: TargetSummary,
}

impl Profile {
    /// Builds the profile of the feature at a position of a table.
    ///
    /// # Errors
    /// A position that the table does not have; a target with another number of rows.
    pub fn new(table: &Table<'_>, feature: usize, target: &Target) -> Result<Self> {
        let column = chosen(table, &[feature], target)?[0];
        let kind = column.kind();
        let is_number = kind == ColumnKind::Numeric;
        let distribution = match target.as_classes() {
            Some(classes) if is_number => numbers_by_class(column, classes),
            Some(classes) => levels_by_class(column, classes),
            None => {
                let values = target.values("the profile of a feature")?;
                if is_number {
                    numbers_and_target(column, values)
                } else {
                    levels_and_target(column, values)
                }
            }
        };
        Ok(Self { feature, kind, rows: table.rows(), missing: column.missing(), distribution })
    }
}

fn numbers_by_class(column: &Column<'_>, classes: &Classes) -> Distribution {
    let mut by_class = vec![Vec::new(); classes.len()];
    for (row, &class) in classes.codes().iter().enumerate() {
        let value = column.value(row);
        if !value.is_nan() {
            by_class[class as usize].push(value);
        }
    }
    by_class.iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
    let least = by_class.iter().filter_map(|values| values.first()).copied();
    let greatest = by_class.iter().filter_map(|values| values.last()).copied();
    let (least, greatest) = (least.reduce(f64::min), greatest.reduce(f64::max));
    let grid = match (least, greatest) {
        (Some(least), Some(greatest)) if least < greatest => grid(least, greatest),
        _ => Vec::new(),
    };
    let of_class = |(name, values): (&String, &Vec<f64>)| ClassNumbers {
        name: name.clone(),
        summary: BoxSummary::of_sorted(values),
        density: density(values, &grid),
    };
    let classes = classes.names().iter().zip(&by_class).map(of_class).collect();
    Distribution::NumbersByClass { grid, classes }
}

fn levels_by_class(column: &Column<'_>, classes: &Classes) -> Distribution {
    let Levels { levels, codes } = Levels::new(column);
    let mut counts = vec![vec![0; classes.len()]; levels.len()];
    for (&level, &class) in codes.iter().zip(classes.codes()) {
        if level != MISSING {
            counts[usize::from(level)][class as usize] += 1;
        }
    }
    Distribution::LevelsByClass { levels, classes: classes.names().to_vec(), counts }
}

fn numbers_and_target(column: &Column<'_>, target: &[f64]) -> Distribution {
    let both = target.iter().enumerate().map(|(row, &target)| (column.value(row), target));
    let mut both: Vec<(f64, f64)> = both.filter(|(value, _)| !value.is_nan()).collect();
    // Rows with equal numbers stay in their order. Adding 0 turns minus zero into zero.
    both.iter_mut().for_each(|pair| pair.0 += 0.0);
    both.sort_by(|a, b| a.0.total_cmp(&b.0));
    let points = at_equal_steps(&both, MOST_POINTS);
    let values: Vec<f64> = both.iter().map(|pair| pair.0).collect();
    let bins = (values.len() / ROWS_OF_A_MEAN).clamp(2, MOST_MEANS);
    let mut start = 0;
    let of_bin = |end: usize| {
        let targets: Vec<f64> = both[start..end].iter().map(|pair| pair.1).collect();
        let numbers = &values[start..end];
        start = end;
        BinnedMean {
            bounds: (numbers[0], numbers[numbers.len() - 1]),
            center: mean(numbers),
            target: TargetSummary::new(&targets),
        }
    };
    let means = cut(&values, bins).into_iter().map(of_bin).collect();
    Distribution::NumbersAndTarget { points, means }
}

fn levels_and_target(column: &Column<'_>, target: &[f64]) -> Distribution {
    let Levels { levels, codes } = Levels::new(column);
    let mut by_level = vec![Vec::new(); levels.len()];
    for (&level, &target) in codes.iter().zip(target).filter(|(level, _)| **level != MISSING) {
        by_level[usize::from(level)].push(target);
    }
    by_level.iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
    // Every level has at least one row.
    let boxes = by_level.iter().filter_map(|values| BoxSummary::of_sorted(values)).collect();
    Distribution::LevelsAndTarget { levels, boxes }
}

/// At most `most` elements of a list, at equal steps from the first to the last.
fn at_equal_steps<T: Copy>(list: &[T], most: usize) -> Vec<T> {
    if list.len() <= most {
        return list.to_vec();
    }
    (0..most).map(|step| list[step * (list.len() - 1) / (most - 1)]).collect()
}

fn grid(least: f64, greatest: f64) -> Vec<f64> {
    let point = |step: usize| {
        let share = step as f64 / (DENSITY_POINTS - 1) as f64;
        least * (1.0 - share) + greatest * share
    };
    (0..DENSITY_POINTS).map(point).collect()
}

fn density(sorted: &[f64], grid: &[f64]) -> Vec<f64> {
    let (Some(least), Some(greatest)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    if least == greatest || grid.is_empty() {
        return Vec::new();
    }
    let deviation = standard_deviation(sorted);
    let quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    let spread = if quartiles > 0.0 { deviation.min(quartiles / 1.34) } else { deviation };
    let rule = 0.9 * spread * (sorted.len() as f64).powf(-0.2);
    let bandwidth = rule.max(grid[1] - grid[0]);
    let values = at_equal_steps(sorted, MOST_KERNELS);
    let factor = 1.0 / (values.len() as f64 * bandwidth * (2.0 * std::f64::consts::PI).sqrt());
    let at = |&point: &f64| {
        let kernel = |&value: &f64| (-0.5 * ((point - value) / bandwidth).powi(2)).exp();
        factor * values.iter().map(kernel).sum::<f64>()
    };
    grid.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, MISSING_GENOTYPE};

    fn profile(column: Column<'_>, target: &Target) -> Profile {
        Profile::new(&Table::new(vec![column]).unwrap(), 0, target).unwrap()
    }

    fn classes(labels: &str) -> Target {
        Target::Classes(Classes::from_labels(&labels.split(' ').collect::<Vec<_>>()))
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12 * wanted.abs().max(1.0), "{found} and not {wanted}");
    }

    #[test]
    fn densities_by_hand() {
        let values = vec![0.0, 63.0, 10.0, 20.0, 10.0, f64::NAN, 5.0];
        let found = profile(Column::from_values("a", values).unwrap(), &classes("x x y y z y w"));
        assert_eq!((found.rows, found.missing, found.kind), (7, 1, ColumnKind::Numeric));
        let Distribution::NumbersByClass { grid, classes } = found.distribution else {
            panic!("numbers by class")
        };
        assert_eq!(grid.len(), DENSITY_POINTS);
        for (step, &point) in grid.iter().enumerate() {
            near(point, step as f64);
        }
        assert_eq!(classes.iter().map(|class| class.name.as_str()).collect::<String>(), "wxyz");
        let [one, far, pair, alike] = &classes[..] else { panic!("four classes") };
        assert_eq!(one.summary.unwrap().median, 5.0);
        assert!(one.density.is_empty() && alike.density.is_empty());
        // For 10 and 20, s = 7.07 exceeds IQR / 1.34 = 5 / 1.34.
        let bandwidth = 0.9 * 5.0 / 1.34 / 2f64.powf(0.2);
        let kernel = |point: f64, value: f64, width: f64| {
            (-(point - value).powi(2) / (2.0 * width * width)).exp()
                / (width * (2.0 * std::f64::consts::PI).sqrt())
        };
        for (&point, &density) in grid.iter().zip(&pair.density) {
            let wanted = kernel(point, 10.0, bandwidth) + kernel(point, 20.0, bandwidth);
            near(density, wanted / 2.0);
        }
        // The complete density lies between the ends.
        near((pair.density.iter().sum::<f64>() * 1e3).round(), 1000.0);
        // Half of each kernel lies beyond the ends.
        assert!((far.density.iter().sum::<f64>() - 0.5).abs() < 0.05);
    }

    #[test]
    fn bandwidths_are_wide_enough_to_be_drawn() {
        // All values are equal except one at each end, so that the quartiles are equal.
        let mut sorted = vec![500.0; 1000];
        (sorted[0], sorted[999]) = (0.0, 1000.0);
        let grid = grid(0.0, 1000.0);
        let found = density(&sorted, &grid);
        // The nearest points are half a step away, which is within the bandwidth.
        assert!(found[31] > 0.02 && found[32] > 0.02, "{found:?}");
        // With more values than kernels, the density is that of all values.
        let values: Vec<f64> = (0..10_000).map(|value| f64::from(value) / 10.0).collect();
        for density in &density(&values, &grid)[16..48] {
            assert!((density - 1e-3).abs() < 1e-5, "{density}");
        }
    }

    #[test]
    fn levels_by_hand() {
        let copies: Vec<u8> = vec![0, 0, 2, MISSING_GENOTYPE, 2];
        let genotypes = || Column::genotype("g", copies.clone().into()).unwrap();
        let found = profile(genotypes(), &classes("x y y x y"));
        assert_eq!((found.missing, found.kind), (1, ColumnKind::Genotype));
        let Distribution::LevelsByClass { levels, classes, counts } = found.distribution else {
            panic!("levels by class")
        };
        assert_eq!(levels.iter().map(|level| level.name.as_str()).collect::<String>(), "02");
        assert_eq!(classes, ["x", "y"]);
        assert_eq!(counts, [[1, 1], [0, 2]]);
        let target = Target::Real(vec![1.0, 3.0, 7.0, 100.0, 9.0]);
        let Distribution::LevelsAndTarget { levels, boxes } =
            profile(genotypes(), &target).distribution
        else {
            panic!("levels and target")
        };
        assert_eq!((levels.len(), boxes.len()), (2, 2));
        assert_eq!((boxes[0].median, boxes[1].median), (2.0, 8.0));
        assert_eq!((boxes[1].rows, boxes[1].lower_quartile), (2, 7.5));
        let all_missing = Categories::from_texts([None; 5]);
        let found = profile(Column::categorical("c", all_missing), &target);
        let none = Distribution::LevelsAndTarget { levels: vec![], boxes: vec![] };
        assert_eq!((found.missing, found.distribution), (5, none));
    }

    #[test]
    fn points_and_means_by_hand() {
        let numbers = |values: Vec<f64>| Column::from_values("a", values).unwrap();
        let values = vec![3.0, f64::NAN, 1.0, 2.0, 1.0];
        let target = Target::Real(vec![6.0, 100.0, 1.0, 4.0, 3.0]);
        let Distribution::NumbersAndTarget { points, means } =
            profile(numbers(values), &target).distribution
        else {
            panic!("numbers and target")
        };
        assert_eq!(points, [(1.0, 1.0), (1.0, 3.0), (2.0, 4.0), (3.0, 6.0)]);
        let [low, high] = means[..] else { panic!("two bins") };
        assert_eq!((low.bounds, low.center, low.target.mean), ((1.0, 1.0), 1.0, Some(2.0)));
        assert_eq!((high.bounds, high.center, high.target.mean), ((2.0, 3.0), 2.5, Some(5.0)));
        // Many rows give 500 points from the smallest to the largest number, and ten bins.
        let values: Vec<f64> = (0..5000).map(|row| f64::from(row * 7 % 5000)).collect();
        let target = Target::Real(values.iter().map(|value| 2.0 * value).collect());
        let Distribution::NumbersAndTarget { points, means } =
            profile(numbers(values), &target).distribution
        else {
            panic!("numbers and target")
        };
        assert_eq!(
            (points.len(), points[0], points[499]),
            (MOST_POINTS, (0.0, 0.0), (4999.0, 9998.0))
        );
        assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(means.len(), MOST_MEANS);
        assert!(means.iter().all(|mean| mean.target.rows == 500));
        let none = Distribution::NumbersAndTarget { points: vec![], means: vec![] };
        let found = profile(numbers(vec![f64::NAN; 2]), &Target::Real(vec![1.0, 2.0]));
        assert_eq!(found.distribution, none);
    }
}
