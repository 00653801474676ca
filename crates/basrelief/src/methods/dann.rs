//! # `dann`: class means in neighborhoods
//!
//! The subspace form of discriminant adaptive nearest neighbors: the directions along which the class
//! means differ within neighborhoods, averaged over all rows.
//!
//! ## Formula
//!
//! Rows are sphered by the pooled covariance within the classes. With shares $\pi_c$ and means of the
//! classes among the `--neighbors` nearest rows of row $i$, itself counted,
//! $B_i = \sum_c \pi_c (m_c - m)(m_c - m)'$; the components are the eigenvectors of
//! $\frac{1}{n} \sum_i B_i$, mapped back. With `--sphering none` all of this happens in the features
//! as they are, so that directions of great variance count for more; Sun & Wu (2008) seem to have used
//! that form.
//!
//! ## Cost
//!
//! $n^2 p$ distances and $n k p$ for the means, $k$ a fifth of the rows unless given.
//!
//! ## When not to use it
//!
//! - Few rows: a fifth of them, at least 50, is no neighborhood any more. Give `--neighbors`.
//! - More features than rows: sphering needs a ridge, and the ridge decides.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method dann --components 2 --model dann.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.DANN(2, n_neighbors=50).fit_transform(X, y)`
//!
//! The local adaptive classifier of the same paper is `dann-local` in `basrelief evaluate` (docs/evaluation.md).
//!
//! ## Source
//!
//! T. Hastie and R. Tibshirani. Discriminant adaptive nearest neighbor classification. IEEE PAMI 18(6),
//! 607-616, 1996.

use rayon::prelude::*;

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{DANN_NEIGHBORS, auto_or_count};
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::settings::settings;
use crate::algebra::{gram, product, row_products, symmetric_eigen};
use crate::data::{Classes, DenseMatrix};
use crate::differences::{Metric, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::scatter::within_classes;
use crate::neighbors::{
    Grouping, NearestOptions, Neighbor, NeighborWeights, Neighborhoods, PairSource, Ties,
};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;

/// Rows whose neighborhoods are held at a time.
const ROWS_AT_ONCE: usize = 512;

settings! {
    /// The subspace form of DANN (Hastie & Tibshirani 1996, section 5; Sun & Wu 2008, section 4): the
    /// directions along which class means differ within neighborhoods.
    ///
    /// The rows are sphered by the pooled covariance within the classes. For every row the scatter of
    /// the class means among its `n_neighbors` nearest rows, itself counted,
    /// `B_i = sum_c pi_c (m_c - m) (m_c - m)'` with the neighborhood's own shares and means, is
    /// computed; the map's components are the eigenvectors of the mean of all `B_i`, mapped back to
    /// the features, and its eigenvalues theirs.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Dann {
        /// Rows of a neighborhood, at least 2; `None` for the greater of 50 and a fifth of the rows.
        /// More than there are rows: all.
        pub n_neighbors: Option<usize> = DANN_NEIGHBORS by auto_or_count,
        /// What is added to the covariance within the classes.
        pub ridge: Ridge = RIDGE by str::parse,
        /// Whether the rows are left as they are instead of sphered: directions of great variance then
        /// count for more.
        pub unsphered: bool = SPHERING is "none",
    }
}

impl Learn for Dann {
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
        let (values, classes) = (coordinates.values(), coordinates.classes()?);
        let rows = values.rows();
        let size = self.n_neighbors.unwrap_or_else(|| (rows / 5).max(50)).min(rows);
        if size < 2 {
            return Err(Error::option(
                DANN_NEIGHBORS.name,
                format!("{size} rows are no neighborhood"),
                "give at least 2",
            ));
        }
        // Any vectors that make the covariance the identity sphere the rows.
        let sphere = if self.unsphered {
            DenseMatrix::identity(values.columns())
        } else {
            let degrees = rows.saturating_sub(classes.len()).max(1) as f64;
            let mut within = within_classes(values, classes, run)?;
            within.values_mut().iter_mut().for_each(|entry| *entry /= degrees);
            let name = "the covariance within the classes";
            self.ridge.eigen(&gram(values, run)?, &within, name, report, run)?.vectors
        };
        let sphered = Coordinates::new(row_products(values, &sphere, run)?, Some(classes));
        let between = mean_between(&sphered, classes, size, run)?;
        let found = symmetric_eigen(&between, run)?;
        Ok(Directions {
            matrix: product(&found.vectors, &sphere, run)?,
            eigenvalues: found.values.iter().map(|value| value.max(0.0)).collect(),
            discriminant_power: None,
        })
    }
}

/// The mean over the rows of the scatter of the class means in their neighborhoods.
fn mean_between(
    sphered: &Coordinates<'_>,
    classes: &Classes,
    size: usize,
    run: &Run,
) -> Result<DenseMatrix> {
    let values = sphered.values();
    let table = sphered.table()?;
    let options = SpaceOptions { metric: Metric::Euclidean, ..SpaceOptions::default() };
    let space = Space::new(&table, None, options, run)?;
    let nearest =
        NearestOptions { k: size - 1, ties: Ties::Share, weights: NeighborWeights::Uniform };
    let mut sum = DenseMatrix::zeros(values.columns(), values.columns());
    let rows: Vec<u32> = (0..values.rows() as u32).collect();
    for block in rows.chunks(ROWS_AT_ONCE) {
        run.check()?;
        let found = Neighborhoods::find(&space, block, Grouping::All, nearest, run)?;
        let moved: Vec<Vec<f64>> = (0..found.len())
            .into_par_iter()
            .map(|place| {
                let mut moved = Vec::new();
                found.visit(place..place + 1, &mut |row, _, neighbors| {
                    moved = means_apart(values, classes, row, neighbors, size);
                });
                moved
            })
            .collect();
        let moved = moved.concat();
        let vectors = moved.len() / values.columns();
        let part = gram(&DenseMatrix::new(moved, vectors, values.columns()), run)?;
        sum.values_mut().iter_mut().zip(part.values()).for_each(|(sum, part)| *sum += part);
    }
    sum.values_mut().iter_mut().for_each(|entry| *entry /= values.rows() as f64);
    Ok(sum)
}

/// `sqrt(pi_c) (m_c - m)` of every class in a row's neighborhood.
fn means_apart(
    values: &DenseMatrix,
    classes: &Classes,
    row: u32,
    neighbors: &[Neighbor],
    size: usize,
) -> Vec<f64> {
    let width = values.columns();
    let mut shares = vec![0.0; classes.len()];
    let mut sums = DenseMatrix::zeros(classes.len(), width);
    let others = neighbors.iter().map(|near| (near.row, near.weight * (size - 1) as f64));
    for (member, weight) in others.chain([(row, 1.0)]) {
        let code = classes.codes()[member as usize] as usize;
        let share = weight / size as f64;
        shares[code] += share;
        let member = values.row(member as usize);
        sums.row_mut(code).iter_mut().zip(member).for_each(|(sum, value)| *sum += share * value);
    }
    let mut mean = vec![0.0; width];
    for sum in sums.iter() {
        mean.iter_mut().zip(sum).for_each(|(mean, sum)| *mean += sum);
    }
    let mut apart = Vec::new();
    for (&share, sum) in shares.iter().zip(sums.iter()) {
        if share > 0.0 {
            let root = share.sqrt();
            apart.extend(sum.iter().zip(&mean).map(|(sum, mean)| sum / root - root * mean));
        }
    }
    apart
}

/// `sphering` of `dann`: where its scatters are taken.
static SPHERING: OptionInfo = OptionInfo {
    name: "sphering",
    flag: "sphering",
    kind: OptionKind::Choice(&["within", "none"]),
    default: "within",
    help: "Sphere the rows by the covariance within the classes first, or leave them as they are",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "dann",
    class: "DANN",
    supervised: true,
    cost: "n² p",
    purpose: "directions along which classes differ within neighborhoods",
    source: "Hastie & Tibshirani 1996",
    options: &[&DANN_NEIGHBORS, &SPHERING, &RIDGE],
    choose: &[&DANN_NEIGHBORS],
    documentation: page!("dann.rs"),
    python: Some(&PYTHON),
    build: build::<Dann>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Discriminant adaptive nearest neighbors: where classes differ within \
              neighborhoods.",
    reports: &["ridge_"],
    references: &[
        "T. Hastie and R. Tibshirani. Discriminant adaptive nearest neighbor classification. IEEE \
         Transactions on Pattern Analysis and Machine Intelligence 18(6), 607-616, 1996.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import DANN",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> DANN(2).fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
