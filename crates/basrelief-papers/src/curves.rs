//! Error or success rates by the number of features: a curve for each method on a data set.
//!
//! An experiment tests every method on every repetition of a data set with
//! [`compare`](basrelief::evaluate::compare). [`SetCurves`] contains the results, from which the summaries, figures and
//! claims of the experiment are made.

use basrelief::evaluate::{Cell, Outcome};
use basrelief_report::figures::{Curve, Panel};

use crate::claims::Subject;
use crate::statistics::{deviation, mean};

/// Percentages that differ by less than this are equal up to rounding.
pub(crate) const EQUAL: f64 = 1e-9;

/// The quantity that a curve shows, in percent of the tested rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Misclassified rows; lower is better.
    Error,
    /// Correctly classified rows; higher is better.
    SuccessRate,
}

impl Measure {
    fn percent(self, loss: f64) -> f64 {
        match self {
            Self::Error => 100.0 * loss,
            Self::SuccessRate => 100.0 * (1.0 - loss),
        }
    }

    /// Whether one mean is better than another, beyond rounding errors.
    fn is_better(self, one: f64, other: f64) -> bool {
        match self {
            Self::Error => one < other - EQUAL,
            Self::SuccessRate => one > other + EQUAL,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Error => "error, %",
            Self::SuccessRate => "rate %",
        }
    }
}

/// All repetitions with one number of features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub(crate) features: usize,
    /// The values in percent, one per repetition.
    pub(crate) values: Vec<f64>,
}

impl Point {
    pub(crate) fn mean(&self) -> f64 {
        mean(&self.values)
    }

    /// The sample standard deviation; 0 for a single repetition.
    pub(crate) fn deviation(&self) -> f64 {
        deviation(&self.values)
    }
}

/// The curve of one method: a point for each number of features, in ascending order.
#[derive(Debug, Clone)]
pub(crate) struct MethodCurve {
    measure: Measure,
    pub(crate) points: Vec<Point>,
}

impl MethodCurve {
    /// Builds the curve at the given numbers of features, or at all tested ones: from the smallest number in any
    /// repetition to the largest. A repetition with fewer features is included with all its features.
    ///
    /// # Errors
    /// A repetition failed; the error is the reason of the first failure.
    fn new(measure: Measure, cells: &[&Cell], numbers: Option<&[usize]>) -> Result<Self, String> {
        let outcomes = cells
            .iter()
            .map(|cell| match cell {
                Cell::Done(outcome) => Ok(outcome),
                Cell::Failed(reason) => Err(reason.clone()),
            })
            .collect::<Result<Vec<&Outcome>, String>>()?;
        let tested = match numbers {
            Some(numbers) => numbers.to_vec(),
            None => {
                let all = || outcomes.iter().flat_map(|one| &one.curve).map(|one| one.dimensions);
                (all().min().unwrap_or(1).max(1)..=all().max().unwrap_or(1).max(1)).collect()
            }
        };
        let percent = |features: usize| {
            outcomes.iter().map(move |one| measure.percent(one.loss_with(features)))
        };
        let point = |features: usize| Point { features, values: percent(features).collect() };
        Ok(Self { measure, points: tested.into_iter().map(point).collect() })
    }

    /// The point with this number of features, if it was tested.
    pub(crate) fn at(&self, features: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.features == features)
    }

    /// The point with the best mean; among equal ones, the one with the fewest features. `None` for a curve without
    /// points.
    pub(crate) fn best(&self) -> Option<&Point> {
        self.points.iter().reduce(|best, point| {
            if self.measure.is_better(point.mean(), best.mean()) { point } else { best }
        })
    }

    /// The mean over these numbers of features for each repetition; `None` if one of the numbers was not tested.
    pub(crate) fn means_over(&self, numbers: &[usize]) -> Option<Vec<f64>> {
        let points = numbers.iter().map(|&count| self.at(count)).collect::<Option<Vec<_>>>()?;
        let repetitions = points.first().map_or(0, |point| point.values.len());
        let of_one = |repetition: usize| {
            mean(&points.iter().map(|point| point.values[repetition]).collect::<Vec<_>>())
        };
        Some((0..repetitions).map(of_one).collect())
    }
}

/// The curves of all methods on one data set.
#[derive(Debug, Clone)]
pub(crate) struct SetCurves {
    pub(crate) name: &'static str,
    pub(crate) repetitions: usize,
    measure: Measure,
    /// Each method with its curve, or with the reason of its first failure.
    methods: Vec<(&'static str, Result<MethodCurve, String>)>,
}

impl SetCurves {
    /// Builds the curves from cells. They are ordered by repetition, and within a repetition in the order of `methods`.
    /// `numbers` contains the numbers of features; `None` means all tested ones.
    pub(crate) fn new(
        name: &'static str,
        measure: Measure,
        methods: &[&'static str],
        cells: &[Cell],
        numbers: Option<&[usize]>,
    ) -> Self {
        let curve = |(place, &method): (usize, &&'static str)| {
            let own: Vec<&Cell> = cells.iter().skip(place).step_by(methods.len()).collect();
            (method, MethodCurve::new(measure, &own, numbers))
        };
        let repetitions = cells.len() / methods.len();
        let methods = methods.iter().enumerate().map(curve).collect();
        Self { name, repetitions, measure, methods }
    }

    /// The names of all methods, including those that failed.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|(method, _)| *method)
    }

    /// The methods that succeeded in all repetitions, with their curves.
    pub(crate) fn curves(&self) -> impl Iterator<Item = (&'static str, &MethodCurve)> {
        self.methods.iter().filter_map(|(method, curve)| Some((*method, curve.as_ref().ok()?)))
    }

    /// The curve of a method; `None` if it failed or was not tested.
    pub(crate) fn of(&self, method: &str) -> Option<&MethodCurve> {
        self.curves().find(|(name, _)| *name == method).map(|(_, curve)| curve)
    }

    /// The reasons why methods failed, one sentence each.
    pub(crate) fn failures(&self) -> impl Iterator<Item = String> {
        self.methods.iter().filter_map(|(method, curve)| {
            Some(format!("{}, {method}: {}", self.name, curve.as_ref().err()?))
        })
    }

    /// The means as a panel of a figure.
    pub(crate) fn panel(&self, x_label: &str) -> Panel {
        let curve = |(method, curve): (&str, &MethodCurve)| {
            let means = curve.points.iter().map(|point| (point.features as f64, point.mean()));
            Curve { name: method.to_string(), points: means.collect() }
        };
        Panel {
            title: self.name.to_string(),
            x_label: x_label.to_string(),
            y_label: self.measure.label().to_string(),
            curves: self.curves().map(curve).collect(),
        }
    }
}

/// Groups the points of a figure by name, in the order of their first points.
pub(crate) fn grouped<'a>(points: impl IntoIterator<Item = (&'a str, (f64, f64))>) -> Vec<Curve> {
    let mut groups: Vec<Curve> = Vec::new();
    for (name, point) in points {
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.points.push(point),
            None => groups.push(Curve { name: name.to_string(), points: vec![point] }),
        }
    }
    groups
}

impl Subject for SetCurves {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Cells for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use basrelief::evaluate::{Cell, Outcome, Rate};

    /// A repetition with these pairs of number of features and loss.
    pub(crate) fn cell(losses: &[(usize, f64)]) -> Cell {
        let curve = losses.iter().map(|&(dimensions, loss)| Rate { dimensions, loss }).collect();
        Cell::Done(Outcome {
            loss: 0.0,
            rank: 1,
            dimensions: 1,
            neighbors: 1,
            options: Vec::new(),
            curve,
            uno: None,
            features: None,
            seconds: 1.0,
            warnings: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::cell;
    use super::*;

    fn curve(measure: Measure, cells: &[Cell], numbers: Option<&[usize]>) -> MethodCurve {
        MethodCurve::new(measure, &cells.iter().collect::<Vec<_>>(), numbers).unwrap()
    }

    #[test]
    fn a_repetition_with_fewer_features_counts_with_all_it_has() {
        let cells = [cell(&[(1, 0.5), (2, 0.25), (3, 0.25)]), cell(&[(1, 0.5), (2, 0.0)])];
        let rates = curve(Measure::SuccessRate, &cells, None);
        assert_eq!(rates.points.len(), 3);
        assert_eq!(rates.at(3).unwrap().values, [75.0, 100.0]);
        // 2 and 3 features have 87.5 %: the smaller number is reported.
        let best = rates.best().unwrap();
        assert_eq!((best.mean(), best.features), (87.5, 2));
        let errors = curve(Measure::Error, &cells, Some(&[1, 2, 150]));
        assert_eq!(errors.at(150).unwrap().values, [25.0, 0.0]);
        assert_eq!(errors.best().unwrap().features, 2);
        assert_eq!(errors.at(3), None);
        let means = errors.means_over(&[1, 2, 150]).unwrap();
        assert!((means[0] - 100.0 / 3.0).abs() < 1e-9 && (means[1] - 50.0 / 3.0).abs() < 1e-9);
        assert_eq!(errors.means_over(&[1, 3]), None);
    }

    #[test]
    fn points_of_one_name_are_one_group() {
        let points = [("b", (1.0, 2.0)), ("a", (1.0, 3.0)), ("b", (2.0, 4.0))];
        let groups = grouped(points);
        assert_eq!(groups.iter().map(|group| &group.name).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(groups[0].points, [(1.0, 2.0), (2.0, 4.0)]);
    }

    #[test]
    fn methods_are_told_apart_and_failures_named() {
        let failed = || Cell::Failed("no".to_string());
        let flat = |loss| cell(&[(4, loss)]);
        let both = |loss| cell(&[(1, 0.5), (2, loss)]);
        let cells = [flat(0.5), both(0.25), both(0.0), flat(0.25), both(0.75), failed()];
        let names = ["flat", "good", "bad"];
        let found = SetCurves::new("wine", Measure::Error, &names, &cells, None);
        assert_eq!(found.repetitions, 2);
        assert!(found.methods().eq(names) && found.of("bad").is_none());
        assert_eq!(found.failures().collect::<Vec<_>>(), ["wine, bad: no"]);
        assert_eq!(found.of("good").unwrap().at(2).unwrap().values, [25.0, 75.0]);
        let panel = found.panel("features");
        assert_eq!(panel.curves.len(), 2);
        assert_eq!(panel.curves[0].points, [(4.0, 37.5)]);
        assert_eq!(panel.curves[1].points, [(1.0, 50.0), (2.0, 50.0)]);
    }
}
