//! # `dann`: class means in neighborhoods
//!
//! The subspace form of discriminant adaptive nearest neighbors (DANN): the directions along which the class
//! means differ within neighborhoods, averaged over all rows.
//!
//! ## Formula
//!
//! Rows are sphered by the pooled within-class covariance. The neighborhood of row $i$ consists of its `--neighbors`
//! nearest rows, including the row itself. With the proportions $\pi_c$ and the means $m_c$ of the classes in this
//! neighborhood and its overall mean $m$, $B_i = \sum_c \pi_c (m_c - m)(m_c - m)'$. The components are the
//! eigenvectors of $\frac{1}{n} \sum_i B_i$, mapped back to the features. With `--sphering none`, the features are
//! used unchanged, so that directions of large variance have more influence. Sun & Wu (2008) seem to have used that
//! form.
//!
//! ## Cost
//!
//! $n^2 p$ operations for the distances and $n k p$ for the means. By default, $k$ is a fifth of the rows.
//!
//! ## When not to use it
//!
//! - Few rows: the default of a fifth of the rows, at least 50, is then too large for a neighborhood. Set
//!   `--neighbors`.
//! - More features than rows: sphering needs a ridge, and the ridge determines the result.
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
use crate::parallel;
use crate::report::Report;
use crate::run::Run;

/// Number of rows whose neighborhoods are in memory at the same time.
const ROWS_AT_ONCE: usize = 512;

settings! {
    /// The subspace form of DANN (Hastie & Tibshirani 1996, section 5; Sun & Wu 2008, section 4): the
    /// directions along which class means differ within neighborhoods.
    ///
    /// The rows are sphered by the pooled within-class covariance. For every row, the method computes the scatter of
    /// the class means among its `n_neighbors` nearest rows, including the row itself:
    /// `B_i = sum_c pi_c (m_c - m) (m_c - m)'`, with the class proportions and means of the neighborhood. The
    /// components of the map are the eigenvectors of the mean of all `B_i`, mapped back to the features, with their
    /// eigenvalues.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Dann {
        /// Number of rows in a neighborhood, at least 2; `None` for the larger of 50 and a fifth of the rows.
        /// A number above the number of rows stands for all rows.
        pub n_neighbors: Option<usize> = DANN_NEIGHBORS by auto_or_count,
        /// The ridge added to the within-class covariance.
        pub ridge: Ridge = RIDGE by str::parse,
        /// Whether to skip sphering; directions of large variance then have more influence.
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
                format!("a neighborhood of {size} rows is too small"),
                "use at least 2",
            ));
        }
        // Any basis in which the within-class covariance is the identity spheres the rows.
        let sphere = if self.unsphered {
            DenseMatrix::identity(values.columns())
        } else {
            let degrees = rows.saturating_sub(classes.len()).max(1) as f64;
            let mut within = within_classes(values, classes, run)?;
            within.values_mut().iter_mut().for_each(|entry| *entry /= degrees);
            let name = "the within-class covariance";
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

/// Returns the scatter of the class means in the neighborhood of a row, averaged over all rows.
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
        let moved: Vec<Vec<f64>> = parallel::map(0..found.len(), |place| {
            let mut moved = Vec::new();
            found.visit(place..place + 1, &mut |row, _, neighbors| {
                moved = means_apart(values, classes, row, neighbors, size);
            });
            moved
        });
        let moved = moved.concat();
        let vectors = moved.len() / values.columns();
        let part = gram(&DenseMatrix::new(moved, vectors, values.columns()), run)?;
        sum.values_mut().iter_mut().zip(part.values()).for_each(|(sum, part)| *sum += part);
    }
    sum.values_mut().iter_mut().for_each(|entry| *entry /= values.rows() as f64);
    Ok(sum)
}

/// Returns `sqrt(pi_c) (m_c - m)` for every class in the neighborhood of a row.
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

/// `sphering` of `dann`: the space in which the scatters are computed.
static SPHERING: OptionInfo = OptionInfo {
    name: "sphering",
    flag: "sphering",
    kind: OptionKind::Choice(&["within", "none"]),
    default: "within",
    help: "Sphere the rows by the within-class covariance first, or use them unchanged",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "dann",
    class: "DANN",
    supervised: true,
    cost: "n² p",
    purpose: "directions along which class means differ within neighborhoods",
    source: "Hastie & Tibshirani 1996",
    options: &[&DANN_NEIGHBORS, &SPHERING, &RIDGE],
    choose: &[&DANN_NEIGHBORS],
    documentation: page!("dann.rs"),
    python: Some(&PYTHON),
    build: build::<Dann>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Discriminant adaptive nearest neighbors: directions in which classes differ locally.",
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
