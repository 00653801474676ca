//! # `scml`: a metric of few directions, from comparisons
//!
//! Sparse compositional metric learning: the metric is a sum of directions with nonnegative weights, most of which are 0.
//! The weights satisfy as many comparisons of distances as possible: rows $a$ and $b$ should be nearer to each other
//! than rows $c$ and $d$. The method needs only comparisons: in Python, triplets or quadruplets of rows can replace the
//! classes.
//!
//! ## Formula
//!
//! With directions $b_k$ of length 1, the metric is $M = \sum_k w_k b_k b_k^\top$, and the weights solve
//!
//! ```math
//! \min_{w \ge 0} \overline{[1 + d_M^2(a, b) - d_M^2(c, d)]_+} + \beta \sum_k w_k ,
//! ```
//!
//! where the overline denotes the mean over the comparisons, and $\beta$ is `--regularization`. This is a linear program. The
//! hinges are smoothed over a width around their kinks and the smooth objective is minimized by Newton's method; the
//! width shrinks until the duality gap proves the solution (`relative_gap`). The paper and metric-learn approximate it by
//! stochastic steps, which need a learning rate.
//!
//! The directions come from the comparisons: the eigenvectors with positive eigenvalues of
//! $\sum (x_c - x_d)(x_c - x_d)^\top - \sum (x_a - x_b)(x_a - x_b)^\top$ over as many comparisons as there are
//! coordinates, drawn by the seed again and again until there are `--directions` of them. From classes, the method makes
//! the comparisons of [`frobmetric`](super::frobmetric): each of the `--neighbors` nearest rows of the same class with
//! each of the `--neighbors` nearest rows of other classes. The components are the eigenvectors of $M$, the largest
//! eigenvalue first.
//!
//! ## Cost
//!
//! A pass takes $c k$ operations for $c$ comparisons and $k$ directions, and $k^2$ operations more for every comparison at its
//! kink. A fit takes dozens of passes. With hundreds of directions it takes seconds. The coordinates of all rows in the directions, $n k$ numbers, are stored.
//!
//! ## When not to use it
//!
//! - Features in different units: use `--scale standard`.
//! - Many rows with classes: [`lmnn`](super::lmnn) considers all impostors.
//! - A metric of all directions: [`frobmetric`](super::frobmetric) has the same loss.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method scml --scale standard --model scml.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SCML(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! Y. Shi, A. Bellet and F. Sha. Sparse compositional metric learning. AAAI Conference on Artificial Intelligence 2014,
//! 2078-2084.

use std::ops::Range;

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, TARGET_NEIGHBORS};
use super::page::page;
use super::row_comparison::RowComparison;
use super::row_comparisons::{LearnFromComparisons, OfComparisons, compared};
use super::settings::settings;
use super::shared::at_least_one;
use crate::algebra::{Eigen, principal_axes, row_products, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::margins::scatter::PairWeights;
use crate::options::{OptionInfo, OptionKind};
use crate::random::{RandomStream, generator, sample};
use crate::report::Report;
use crate::run::Run;
use crate::solve::hinges::{HingeSums, Hinges, Side, minimize};
use crate::warning::Warning;
use crate::wording::setting;

/// Directions per coordinate, unless their number is given.
const PER_COORDINATE: usize = 20;

/// Maximum number of directions, unless their number is given; each is an unknown of Newton's method.
const MOST_DIRECTIONS: usize = 100;

/// Draws without a new direction after which the comparisons are taken to have none.
const VAIN_DRAWS: usize = 100;

/// Comparisons that are added up together.
const COMPARISONS: usize = 64;

settings! {
    /// Sparse compositional metric learning (Shi, Bellet & Sha 2014): a metric that is a sum of few directions with
    /// nonnegative weights, which minimize the mean hinge loss of comparisons of distances plus a penalty on the sum of
    /// the weights.
    ///
    /// In the report, `objective` is the minimum, `iterations` the number of passes over the comparisons, and
    /// `relative_gap` the proven distance to the optimum, for the directions that were drawn or given. The components
    /// are the eigenvectors of the metric, the largest eigenvalue first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Scml {
        /// Number of nearest rows of the same class, and of other classes, that the comparisons of a row consist of.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Number of directions; `None` for 20 per coordinate, at most 100.
        pub n_directions: Option<usize> = N_DIRECTIONS by directions,
        /// Penalty on the sum of the weights, at least 0.
        pub regularization: f64 = REGULARIZATION,
        /// Maximum number of passes over the comparisons.
        pub max_iter: usize = MAX_ITER_SCML,
    }
}

/// Parses `auto`, which is `None`, or a number of at least 1.
fn directions(text: &str) -> std::result::Result<Option<usize>, String> {
    match (text, text.parse::<usize>()) {
        ("auto", _) => Ok(None),
        (_, Ok(count)) if count > 0 => Ok(Some(count)),
        _ => Err(format!("`{text}` is neither `auto` nor a whole number of at least 1")),
    }
}

impl Learn for Scml {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let comparisons = compared(coordinates, self.n_neighbors, report, run)?;
        self.learn_from(coordinates, &comparisons, report, run)
    }

    fn with_comparisons(&self, comparisons: Vec<RowComparison>) -> Option<Box<dyn Learn>> {
        Some(Box::new(OfComparisons { method: *self, comparisons }))
    }
}

impl LearnFromComparisons for Scml {
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        comparisons: &[RowComparison],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&MAX_ITER_SCML, self.max_iter)?;
        if !(self.regularization >= 0.0 && self.regularization.is_finite()) {
            let problem = format!("found {}", self.regularization);
            return Err(Error::option(REGULARIZATION.name, problem, "use a number of at least 0"));
        }
        let rows = coordinates.values();
        let mut directions = match coordinates.start() {
            Some(given) => given.clone(),
            None => self.draw(rows, comparisons, run)?,
        };
        let count = directions.rows();
        run.memory().claim(
            8 * (rows.rows() as u64).saturating_mul(count as u64),
            &format!("the coordinates of {} rows in {count} directions", rows.rows()),
            "use fewer directions",
        )?;
        let places = row_products(rows, &directions, run)?;
        let hinges = Compared { places, comparisons, costs: vec![self.regularization; count] };
        let found = minimize(&hinges, vec![0.0; count], self.max_iter, run)?;
        report.add_minimum(&found);
        for (row, weight) in found.u.iter().enumerate() {
            let root = weight.max(0.0).sqrt();
            directions.row_mut(row).iter_mut().for_each(|entry| *entry *= root);
        }
        let mut matrix = principal_axes(&directions, run)?;
        let lengths: Vec<f64> =
            matrix.iter().map(|row| row.iter().map(|entry| entry * entry).sum()).collect();
        let longest = lengths.first().copied().unwrap_or(0.0);
        let least = longest * f64::EPSILON * count as f64;
        let rank = lengths.iter().take_while(|&&length| length > least).count();
        if rank == 0 {
            report.warnings.push(Warning::new(
                "no-weight",
                format!(
                    "all weights are 0 at the optimum, and the map has no components: reduce {}",
                    setting("regularization", None)
                ),
            ));
        }
        matrix.truncate(rank);
        Ok(Directions { matrix, eigenvalues: lengths[..rank].to_vec(), discriminant_power: None })
    }
}

impl Scml {
    /// Draws the directions from the comparisons.
    ///
    /// # Errors
    /// In no direction are the far rows farther apart than the near rows; [`Error::Cancelled`].
    fn draw(
        &self,
        rows: &DenseMatrix,
        comparisons: &[RowComparison],
        run: &Run,
    ) -> Result<DenseMatrix> {
        let width = rows.columns();
        let wanted = self.n_directions.unwrap_or(MOST_DIRECTIONS.min(PER_COORDINATE * width));
        let each = width.min(comparisons.len());
        let mut generator = generator(run.seed(), RandomStream::RowComparisons);
        let mut found = Vec::with_capacity(wanted * width);
        let mut vain = 0;
        while found.len() < wanted * width {
            run.check()?;
            if vain == VAIN_DRAWS {
                return Err(Error::data(
                    "in no direction are the far rows farther apart than the near rows",
                    "check the order of the rows in the comparisons",
                ));
            }
            let drawn = sample(comparisons.len() as u32, each as u32, &mut generator);
            let of_comparison = |place: u32| {
                let RowComparison { near, far } = comparisons[place as usize];
                [(near.0, near.1, -1.0), (far.0, far.1, 1.0)]
            };
            let pairs: Vec<(u32, u32, f64)> = drawn
                .into_iter()
                .flat_map(of_comparison)
                .filter(|(first, second, _)| first != second)
                .collect();
            let scatter = PairWeights::new(rows.rows(), &pairs).scatter(rows);
            let Eigen { values, vectors } = symmetric_eigen(&scatter, run)?;
            let least = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()))
                * f64::EPSILON
                * width as f64;
            let positive = values.iter().take_while(|&&value| value > least).count();
            vain = if positive == 0 { vain + 1 } else { 0 };
            let left = wanted - found.len() / width;
            vectors.iter().take(positive.min(left)).for_each(|row| found.extend_from_slice(row));
        }
        Ok(DenseMatrix::new(found, wanted, width))
    }
}

/// The hinges of the comparisons, as functions of the weights of the directions.
struct Compared<'c> {
    /// The coordinates of the rows in the directions.
    places: DenseMatrix,
    comparisons: &'c [RowComparison],
    costs: Vec<f64>,
}

impl Compared<'_> {
    /// Replaces `out` by the squared distance of the far rows minus that of the near rows, for each direction.
    fn margins(&self, RowComparison { near, far }: RowComparison, out: &mut Vec<f64>) {
        let row = |row: u32| self.places.row(row as usize);
        let far = row(far.0).iter().zip(row(far.1));
        let near = row(near.0).iter().zip(row(near.1));
        out.clear();
        out.extend(far.zip(near).map(|((a, b), (c, d))| (a - b) * (a - b) - (c - d) * (c - d)));
    }
}

impl Hinges for Compared<'_> {
    type Prepared = Vec<f64>;

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn rows(&self) -> usize {
        self.comparisons.len().div_ceil(COMPARISONS)
    }

    fn prepare(&self, u: &[f64]) -> Vec<f64> {
        u.to_vec()
    }

    fn add(&self, rows: Range<usize>, u: &Vec<f64>, sums: &mut HingeSums) {
        let price = 1.0 / self.comparisons.len() as f64;
        let last = (rows.end * COMPARISONS).min(self.comparisons.len());
        let mut margins = Vec::with_capacity(u.len());
        for comparison in &self.comparisons[rows.start * COMPARISONS..last] {
            self.margins(*comparison, &mut margins);
            let margin: f64 = margins.iter().zip(u).map(|(margin, weight)| margin * weight).sum();
            match sums.hinge(1.0 - margin, 1.0, price) {
                Side::Slack => {}
                Side::Violated => sums.slope(price, &margins),
                Side::Breakpoint(breakpoint) => sums.breakpoint(breakpoint, &margins),
            }
        }
    }

    fn most(&self, value: f64, u: &[f64]) -> Vec<f64> {
        let greatest = u.iter().copied().fold(0.0, f64::max);
        // The objective is at least the cost of any single weight.
        let most = |&cost: &f64| if cost > 0.0 { value / cost } else { 10.0 * greatest };
        self.costs.iter().map(most).collect()
    }
}

/// `n_directions`: the number of directions that the metric is composed of.
static N_DIRECTIONS: OptionInfo = OptionInfo {
    name: "n_directions",
    flag: "directions",
    kind: OptionKind::Text { grammar: "auto|N", check: |text| directions(text).map(drop) },
    default: "auto",
    help: "Number of directions drawn from the comparisons, of which the metric uses a few; auto: 20 per \
           feature, at most 100",
};

/// `regularization`: the penalty on the sum of the weights.
static REGULARIZATION: OptionInfo = OptionInfo {
    name: "regularization",
    flag: "regularization",
    kind: OptionKind::Number { least: 0.0, most: f64::MAX },
    default: "1e-5",
    help: "Penalty on the sum of the weights of the directions: the larger, the fewer directions are used",
};

static MAX_ITER_SCML: OptionInfo = OptionInfo {
    default: "10000",
    help: "Maximum number of passes; if it is reached, a warning reports the distance to the optimum",
    ..MAX_ITER
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "scml",
    class: "SCML",
    supervised: true,
    cost: "c k per pass, c comparisons, k directions",
    purpose: "a metric composed of few directions that satisfies comparisons of distances",
    source: "Shi, Bellet & Sha 2014",
    options: &[&TARGET_NEIGHBORS, &N_DIRECTIONS, &REGULARIZATION, &MAX_ITER_SCML],
    choose: &[],
    documentation: page!("scml.rs"),
    python: Some(&PYTHON),
    build: build::<Scml>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Sparse compositional metric learning: few directions, from comparisons of distances.",
    description: &[
        "The metric is a sum of directions with nonnegative weights. The weights minimize the mean hinge loss of the \
         comparisons plus a penalty on their sum; `objective_` is the proven optimum for these directions. \
         `fit_triplets` and `fit_quadruplets` learn from comparisons instead of classes.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    iterations: "an iteration is a pass over all comparisons",
    references: &[
        "Y. Shi, A. Bellet and F. Sha. Sparse compositional metric learning. AAAI Conference on Artificial \
         Intelligence, 2078-2084, 2014.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SCML",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SCML(2, scale=\"standard\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;

    #[test]
    fn a_comparison_gets_the_least_weight_that_satisfies_it() {
        // The far rows are 2 apart and the near rows 1: [1 - 3 w]_+ + w / 100 is least at w = 1/3.
        let table = Table::from_row_major(&[0.0, 1.0, 2.0], 3, &["x"]).unwrap();
        let comparison = RowComparison::of_triplet(0, 1, 2);
        let settings = INFO.settings(&[("regularization", "0.01"), ("n_directions", "1")]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let fitted = INFO.fit_comparisons(&table, vec![comparison], &settings, &run).unwrap();
        let distance = fitted.model.distance(&[0.0], &[1.0]);
        assert!((distance * distance - 1.0 / 3.0).abs() < 1e-8, "{distance}");
        assert!((fitted.report.objective.unwrap() - 0.01 / 3.0).abs() < 1e-10);
    }
}
