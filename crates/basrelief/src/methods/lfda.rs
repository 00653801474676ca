//! # `lfda`: discriminant analysis for classes of several clusters
//!
//! Local Fisher discriminant analysis: like [`lda`](super::lda), but distant rows of a class need not be mapped close
//! to each other, and the map may have more components than there are classes.
//!
//! ## Formula
//!
//! The affinity of two rows of a class is $A_{ij} = \exp(-d_{ij}^2 / (s_i s_j))$, where $s_i$ is the distance to the
//! `--neighbors`-th nearest row of the class. Both scatters have the form
//! $S = \frac{1}{2} \sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)'$. The weights of $S_w$ are $A_{ij}/n_c$ within a class
//! and 0 between classes; those of $S_b$ are $A_{ij} (1/n - 1/n_c)$ within a class and $1/n$ between classes. The
//! components are the generalized eigenvectors of $S_b v = \lambda S_w v$, multiplied by $\sqrt\lambda$ unless
//! `--embedding` specifies another scaling.
//!
//! ## Cost
//!
//! $n_c^2 p$ per class, streamed without an $n \times n$ matrix. If features are linearly dependent or outnumber the
//! rows, the method works in the span of the rows, without loss.
//!
//! ## When not to use it
//!
//! - Classes of one cluster each: [`lda`](super::lda) needs no affinities.
//! - Hundreds of thousands of rows in a class: the method visits all pairs of rows of a class.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method lfda --components 2 --model lfda.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LFDA(2).fit_transform(X, y)`
//!
//! ## Source
//!
//! M. Sugiyama. Dimensionality reduction of multimodal labeled data by local Fisher discriminant
//! analysis. JMLR 8, 1027-1061, 2007.

use std::ops::Range;

use basrelief_kernels::{exponentials, level};

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::N_NEIGHBORS;
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::settings::settings;
use super::shared::{at_least_one, warn_of_lone_rows};
use crate::algebra::{add_block_product, column_products, gram, singular};
use crate::data::{Classes, DenseMatrix};
use crate::error::Result;
use crate::knn::ExactKnn;
use crate::margins::scatter::{class_deviations, symmetric};
use crate::neighbors::{BlockParts, Metric, add_parts};
use crate::objectives::row_lines::RowLines;
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;

/// Number of rows per block of affinities.
const BLOCK_ROWS: usize = 64;

settings! {
    /// Local Fisher discriminant analysis (Sugiyama 2007): like linear discriminant analysis, but
    /// distant rows of a class need not be mapped close to each other.
    ///
    /// Within a class the affinity of two rows is `exp(-d^2 / (s_i s_j))`, where `s_i` is the Euclidean
    /// distance to the `n_neighbors`-th nearest other row of the class (the farthest, if there are
    /// fewer); affinities below 2^-60 count as 0. The within-class and between-class scatters are
    /// equations 9 to 12 of the paper. With their generalized eigenpairs `(l_i, v_i)`, `v' S_w v = 1`,
    /// row i of the map is `sqrt(l_i) v_i` (`weighted`), `v_i` (`plain`), or the i-th vector of an
    /// orthonormal basis of their span (`orthonormal`).
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lfda {
        /// Rank of the neighbor of the same class that determines a row's scale, at least 1.
        pub n_neighbors: usize = LOCAL_NEIGHBORS,
        /// The scaling of the components.
        pub embedding: Embedding = EMBEDDING,
        /// The ridge added to the within-class scatter.
        pub ridge: Ridge = RIDGE by str::parse,
    }
}

/// The scaling of LFDA's components.
///
/// ```
/// use basrelief::methods::{Lfda, Embedding};
///
/// let method = Lfda::new().embedding(Embedding::Orthonormal);
/// assert_eq!(method.embedding, Embedding::Orthonormal);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Embedding {
    /// Scaled by the square roots of the eigenvalues.
    #[default]
    Weighted,
    /// Scaled so that the within-class scatter is the identity.
    Plain,
    /// Orthonormal components.
    Orthonormal,
}

impl Learn for Lfda {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&LOCAL_NEIGHBORS, self.n_neighbors)?;
        let classes = coordinates.classes()?;
        warn_of_lone_rows(classes, "contributes nothing to the within-class scatter", report);
        let (between, within) = self.scatters(coordinates, run)?;
        let name = "the local within-class scatter";
        let mut found = self.ridge.eigen(&between, &within, name, report, run)?;
        found.values.iter_mut().for_each(|value| *value = value.max(0.0));
        match self.embedding {
            Embedding::Plain => {}
            Embedding::Weighted => {
                for (row, value) in found.values.iter().enumerate() {
                    found.vectors.row_mut(row).iter_mut().for_each(|x| *x *= value.sqrt());
                }
            }
            Embedding::Orthonormal => {
                // The basis spans the retained components only.
                found.vectors.truncate(components);
                found.values.clear();
                found.vectors = singular(&found.vectors, run)?.right;
            }
        }
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values,
            discriminant_power: None,
        })
    }
}

impl Lfda {
    /// The local scatters between and within the classes.
    fn scatters(
        &self,
        coordinates: &Coordinates<'_>,
        run: &Run,
    ) -> Result<(DenseMatrix, DenseMatrix)> {
        let (values, classes) = (coordinates.values(), coordinates.classes()?);
        let rows = values.rows() as f64;
        // Every weight between classes is 1/n: their sum is the total scatter minus that of the pairs
        // within the classes, which is n_c times the scatter around the class mean.
        let mut between = gram(values, run)?;
        let mut within = DenseMatrix::zeros(values.columns(), values.columns());
        let deviations = class_deviations(values, classes);
        let stage = run.progress();
        stage.start("affinities", values.rows() as u64);
        for (code, &count) in classes.counts().iter().enumerate() {
            let own = members(&deviations, classes, code as u32);
            let around = gram(&own, run)?;
            let local = local_scatter(&own, self.n_neighbors, run)?;
            let share = count as f64 / rows;
            let per_row = 1.0 / count as f64;
            let entries = between.values_mut().iter_mut().zip(within.values_mut());
            for ((between, within), (around, local)) in
                entries.zip(around.values().iter().zip(local.values()))
            {
                *between += (1.0 / rows - per_row) * local - share * around;
                *within += per_row * local;
            }
        }
        stage.finish();
        Ok((between, within))
    }
}

/// The rows of a class.
fn members(values: &DenseMatrix, classes: &Classes, code: u32) -> DenseMatrix {
    let places = classes.codes().iter().enumerate().filter(|(_, own)| **own == code);
    values.select_rows(&places.map(|(row, _)| row).collect::<Vec<_>>())
}

/// `1/2 sum_ij A_ij (x_i - x_j) (x_i - x_j)'` over the rows of a class with local affinities A.
fn local_scatter(own: &DenseMatrix, neighbor: usize, run: &Run) -> Result<DenseMatrix> {
    let (rows, width) = (own.rows(), own.columns());
    if rows < 2 || width == 0 {
        return Ok(DenseMatrix::zeros(width, width));
    }
    let nearest = ExactKnn::new(own, Metric::Euclidean);
    // Without progress, which counts the affinities.
    let nearest = nearest.nearest_others(neighbor.min(rows - 1), &run.part(run.seed()))?;
    let scales: Vec<f64> =
        (0..rows).filter_map(|row| nearest.neighbors(row).1.last().copied()).collect();
    let lines = RowLines::new(own, 0.0);
    let places = |block| block * BLOCK_ROWS..rows.min((block + 1) * BLOCK_ROWS);
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let moved = add_parts(
        &BlockParts::each(blocks).with_rows((0..blocks).map(|block| places(block).len())),
        // Each block is paired with all rows at once.
        |_| [0],
        |_| Vec::new(),
        |moved, (block, _), buffer| move_block(&lines, &scales, places(block), buffer, moved),
        run,
    )?;
    Ok(symmetric(column_products(own, &DenseMatrix::new(moved.concat(), rows, width), run)?))
}

/// Computes `sum_j A_ij (x_i - x_j)` for a block of rows i.
fn move_block(
    lines: &RowLines<'_>,
    scales: &[f64],
    rows: Range<usize>,
    affinities: &mut Vec<f64>,
    moved: &mut Vec<f64>,
) {
    let (own, level) = (lines.values(), level());
    lines.fill(rows.clone(), 0.0, affinities);
    for (i, line) in rows.clone().zip(affinities.chunks_exact_mut(own.rows())) {
        for (value, scale) in line.iter_mut().zip(scales) {
            let scale = scales[i] * scale;
            // The scale of rows with many copies is 0: only the copies have an affinity to them.
            *value = match *value {
                0.0 => 0.0,
                square if scale > 0.0 => square / scale,
                _ => f64::INFINITY,
            };
        }
        exponentials(level, 0.0, line);
    }
    moved.resize(rows.len() * own.columns(), 0.0);
    add_block_product(affinities, own, 0..own.rows(), moved);
    let lines = affinities.chunks_exact(own.rows()).zip(moved.chunks_exact_mut(own.columns()));
    for ((line, moved), i) in lines.zip(rows) {
        let total: f64 = line.iter().sum();
        let entries = moved.iter_mut().zip(own.row(i));
        entries.for_each(|(moved, value)| *moved = total * value - *moved);
    }
}

/// `n_neighbors` of `lfda`: the neighbor that determines a row's scale.
static LOCAL_NEIGHBORS: OptionInfo = OptionInfo {
    default: "7",
    help: "Rank of the neighbor of the same class whose distance sets the scale of the affinities",
    ..N_NEIGHBORS
};

choices! {
    Embedding {
        Weighted = "weighted",
        Plain = "plain",
        Orthonormal = "orthonormal",
    }
}

/// `embedding`: the scaling of LFDA's components.
static EMBEDDING: OptionInfo = OptionInfo {
    name: "embedding",
    flag: "embedding",
    kind: OptionKind::Choice(Embedding::WORDS),
    default: "weighted",
    help: "Scaling of the components: by the square roots of their eigenvalues, to a local \
           within-class scatter of 1, or to an orthonormal basis",
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lfda",
    class: "LFDA",
    supervised: true,
    cost: "n² p + p³",
    purpose: "lda for classes of several clusters: only nearby rows of a class stay close",
    source: "Sugiyama 2007",
    options: &[&LOCAL_NEIGHBORS, &EMBEDDING, &RIDGE],
    choose: &[&LOCAL_NEIGHBORS],
    documentation: page!("lfda.rs"),
    python: Some(&PYTHON),
    build: build::<Lfda>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Local Fisher discriminant analysis: for classes of several clusters.",
    description: &[
        "Like :class:`LDA`, but distant rows of a class need not be mapped close to each other.",
    ],
    reports: &["ridge_"],
    references: &[
        "M. Sugiyama. Dimensionality reduction of multimodal labeled data by local Fisher \
         discriminant analysis. Journal of Machine Learning Research 8, 1027-1061, 2007.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LFDA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LFDA(2).fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::squared_distance;

    /// Two distant clusters, each so tight that products of rows do not resolve the distances inside it.
    #[test]
    fn near_rows_far_from_the_mean_keep_their_distances() {
        let mut own = DenseMatrix::zeros(24, 2);
        for row in 0..24 {
            let side = if row % 2 == 0 { 4096.0 } else { -4096.0 };
            own.row_mut(row).copy_from_slice(&[side, (row * row % 23) as f64 * 1e-6]);
        }
        let square = |i: usize, j: usize| squared_distance(own.row(i), own.row(j));
        let scale = |i: usize| {
            let mut all: Vec<f64> = (0..24).map(|j| square(i, j)).collect();
            all.sort_by(f64::total_cmp);
            all[3].sqrt()
        };
        let mut expected = 0.0;
        for i in 0..24 {
            for j in 0..24 {
                let affinity = (-square(i, j) / (scale(i) * scale(j))).exp();
                let difference = own.row(i)[1] - own.row(j)[1];
                expected += 0.5 * affinity * difference * difference;
            }
        }
        let found = local_scatter(&own, 3, &Run::new(Some(1)).unwrap()).unwrap().row(1)[1];
        assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
    }
}
