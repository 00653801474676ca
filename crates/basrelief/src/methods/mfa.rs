//! # `mfa`: separates the classes at their borders
//!
//! Marginal Fisher analysis keeps nearby rows of a class together and pushes apart the closest pairs of rows at the
//! borders of the classes.
//!
//! ## Formula
//!
//! Two rows of a class are linked if either is among the `--neighbors` nearest rows of the class to the other. For
//! every class, the `--pairs` closest pairs of a row inside and a row outside the class are pushed apart. The
//! components are the generalized eigenvectors of the scatter of the pushed pairs relative to that of the linked
//! pairs, in order of decreasing eigenvalue. Pairs tied at the largest distance get tie weights, so that the order of
//! the rows does not matter.
//!
//! ## Cost
//!
//! $n^2 p$ operations for the distances and $n k p^2$ for the scatters. If features are linearly dependent or
//! outnumber the rows, the method works in the span of the rows, without loss.
//!
//! ## When not to use it
//!
//! - Outliers: a few pairs at the borders determine the result; use more `--pairs`.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method mfa --components 2 --model mfa.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MFA(2).fit_transform(X, y)`
//!
//! ## Source
//!
//! S. Yan, D. Xu, B. Zhang, H.-J. Zhang, Q. Yang and S. Lin. Graph embedding and extensions: a general
//! framework for dimensionality reduction. IEEE PAMI 29(1), 40-51, 2007.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::N_NEIGHBORS;
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::settings::settings;
use super::shared::{at_least_one, warn_of_lone_rows};
use crate::data::{Classes, DenseMatrix};
use crate::differences::Metric;
use crate::error::Result;
use crate::margins::scatter::PairWeights;
use crate::neighbors::{Grouping, NearestOptions, NeighborWeights, PairSource, Ties};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::solve::scaled_points::squared_distance;

settings! {
    /// Marginal Fisher analysis (Yan et al. 2007): directions along which the rows at the border of a
    /// class are far from those of other classes, relative to the spread of nearby rows of a class.
    ///
    /// Two rows of a class are linked if either is among the `n_neighbors` nearest rows of the class to
    /// the other. For every class, the `n_pairs` closest pairs of a row inside and a row outside the
    /// class are pushed apart. Row i of the map is the generalized eigenvector of the i-th largest
    /// eigenvalue of the scatter of the pushed pairs relative to that of the linked pairs, with unit
    /// length in the latter. Pairs tied at the largest distance get tie weights.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Mfa {
        /// Number of nearest rows of the same class that a row is linked to, at least 1.
        pub n_neighbors: usize = MFA_NEIGHBORS,
        /// Number of closest pairs at the border of each class, at least 1.
        pub n_pairs: usize = MARGIN_PAIRS,
        /// The ridge added to the scatter of the linked pairs.
        pub ridge: Ridge = RIDGE by str::parse,
    }
}

/// Two rows, the smaller index first, and a weight or distance.
type Pair = (u32, u32, f64);

impl Learn for Mfa {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&MFA_NEIGHBORS, self.n_neighbors)?;
        at_least_one(&MARGIN_PAIRS, self.n_pairs)?;
        let (values, classes) = (coordinates.values(), coordinates.classes()?);
        warn_of_lone_rows(classes, "is linked to no other row", report);
        let near = |k: usize, group: usize, report: &mut Report| {
            let options =
                NearestOptions { k, ties: Ties::Share, weights: NeighborWeights::Uniform };
            let grouping = Grouping::HitMiss(classes.codes());
            coordinates.nearest(grouping, Metric::Euclidean, options, report, run, |found| {
                in_order(found, group, k, classes)
            })
        };
        let ties = greatest_of_each(near(self.n_neighbors, 0, report)?);
        run.check()?;
        let border =
            closest_of_classes(near(self.n_pairs, 1, report)?, values, classes, self.n_pairs);
        let penalty = PairWeights::new(values.rows(), &border).scatter(values);
        let intrinsic = PairWeights::new(values.rows(), &ties).scatter(values);
        let name = "the scatter of nearby rows of a class";
        let found = self.ridge.eigen(&penalty, &intrinsic, name, report, run)?;
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values.iter().map(|value| value.max(0.0)).collect(),
            discriminant_power: None,
        })
    }
}

/// The pairs of each row and its neighbors of a group, the smaller index first, with the tie weight of the neighbor:
/// 1 unless it is tied.
fn in_order(found: &dyn PairSource, group: usize, k: usize, classes: &Classes) -> Vec<Pair> {
    let mut pairs = Vec::new();
    found.visit(0..found.len(), &mut |row, own, neighbors| {
        if own == group {
            // If there are fewer than k rows, all have weight 1.
            let count = classes.counts()[classes.codes()[row as usize] as usize];
            let there = if group == 0 { count - 1 } else { classes.codes().len() - count };
            let places = k.min(there) as f64;
            let pair = |other: u32, share: f64| (row.min(other), row.max(other), share);
            pairs.extend(
                neighbors.iter().map(|near| pair(near.row, (near.weight * places).min(1.0))),
            );
        }
    });
    pairs
}

/// Every pair once, with its largest tie weight.
fn greatest_of_each(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
    pairs.dedup_by_key(|pair| (pair.0, pair.1));
    pairs
}

/// For every class, the closest `count` pairs that cross its border. Each pair occurs once, with its largest tie
/// weight.
fn closest_of_classes(
    pairs: Vec<Pair>,
    values: &DenseMatrix,
    classes: &Classes,
    count: usize,
) -> Vec<Pair> {
    let mut pairs = greatest_of_each(pairs);
    for (i, j, distance) in &mut pairs {
        *distance = squared_distance(values.row(*i as usize), values.row(*j as usize));
    }
    pairs.sort_by(|a, b| a.2.total_cmp(&b.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut kept = Vec::new();
    for class in 0..classes.len() as u32 {
        let code = |row: u32| classes.codes()[row as usize];
        let crossing: Vec<&Pair> =
            pairs.iter().filter(|(i, j, _)| code(*i) == class || code(*j) == class).collect();
        let Some(last) = crossing.get(count.min(crossing.len()).saturating_sub(1)) else {
            continue;
        };
        // The distances of tied pairs may differ by rounding.
        let (low, high) = (last.2 * (1.0 - 1e-12), last.2 * (1.0 + 1e-12));
        let nearer = crossing.iter().filter(|pair| pair.2 < low).count();
        let equal = crossing.iter().filter(|pair| (low..=high).contains(&pair.2)).count();
        let places = count.min(crossing.len()) - nearer;
        let shared = places as f64 / equal as f64;
        kept.extend(
            crossing
                .iter()
                .take_while(|pair| pair.2 <= high)
                .map(|pair| (pair.0, pair.1, if pair.2 < low { 1.0 } else { shared })),
        );
    }
    greatest_of_each(kept)
}

/// `n_neighbors` of `mfa`: nearest rows of the same class.
static MFA_NEIGHBORS: OptionInfo = OptionInfo {
    default: "5",
    help: "Nearest rows of the same class that a row is kept close to",
    ..N_NEIGHBORS
};

/// `n_pairs`: closest pairs at the border of a class.
static MARGIN_PAIRS: OptionInfo = OptionInfo {
    name: "n_pairs",
    flag: "pairs",
    kind: OptionKind::Count { least: 1 },
    default: "20",
    help: "Closest pairs of a row inside and a row outside each class, which are pushed apart",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "mfa",
    class: "MFA",
    supervised: true,
    cost: "n² p + p³",
    purpose: "directions that separate the rows at the borders of the classes",
    source: "Yan et al. 2007",
    options: &[&MFA_NEIGHBORS, &MARGIN_PAIRS, &RIDGE],
    choose: &[&MFA_NEIGHBORS, &MARGIN_PAIRS],
    documentation: page!("mfa.rs"),
    python: Some(&PYTHON),
    build: build::<Mfa>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Marginal Fisher analysis: separates the rows at the borders of the classes.",
    reports: &["ridge_"],
    references: &[
        "S. Yan, D. Xu, B. Zhang, H.-J. Zhang, Q. Yang and S. Lin. Graph embedding and extensions: \
         a general framework for dimensionality reduction. IEEE Transactions on Pattern Analysis \
         and Machine Intelligence 29(1), 40-51, 2007.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MFA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MFA(2).fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
