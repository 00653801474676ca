//! The methods that Chang 2010 compares, and their evaluation with k-NN.

use basrelief::data::{DenseMatrix, Table, Target};
use basrelief::evaluate::{Dimensions, KnnSettings, NestedCv, ParameterGrid};
use basrelief::knn::KNearestNeighbors;
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{Error, Result, Run};

use crate::data::Data;

/// A method that learns a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method {
    /// The name in the paper.
    pub(super) name: &'static str,
    /// The name in the registries.
    pub(super) candidate: &'static str,
    /// Whether it is used only for small sets.
    pub(super) slow: bool,
}

const fn method(name: &'static str, candidate: &'static str) -> Method {
    Method { name, candidate, slow: false }
}

pub(super) const EUCLIDEAN: Method = method("Euclidean", "euclidean");
pub(super) const PCA: Method = method("PCA", "pca");
pub(super) const RCA: Method = method("RCA", "rca");
pub(super) const FDA: Method = method("FDA", "lda");
pub(super) const LFDA: Method = method("LFDA", "lfda");
pub(super) const MFDA: Method = method("MFDA", "mfa");
pub(super) const DANN: Method = method("DANN", "dann");
pub(super) const LMNN: Method = method("LMNN", "lmnn");
pub(super) const NCA: Method = Method { slow: true, ..method("NCA", "nca") };
pub(super) const LDM: Method = Method { slow: true, ..method("LDM", "ldm") };
pub(super) const I_RELIEF: Method = method("I-RELIEF", "irelief");
pub(super) const GI_RELIEF: Method = method("GI-RELIEF", "gi-relief");

/// All methods, in the order of the tables.
pub(super) const METHODS: [Method; 12] =
    [EUCLIDEAN, PCA, RCA, FDA, LFDA, MFDA, DANN, LMNN, NCA, LDM, I_RELIEF, GI_RELIEF];

/// The neighbor whose distance sets the width of I-RELIEF's kernel.
const WIDTH_NEIGHBOR: usize = 7;

/// The maximum number of iterations of I-RELIEF. Most fits converge, or alternate between two vectors, within a hundred
/// iterations; a few cycle through more vectors without end.
const MOST_ITERATIONS: usize = 1000;

/// The evaluation with the nearest neighbor: raw features, weights of squared differences, and no parameters to choose.
pub(super) fn trial(data: &Data, dimensions: Dimensions) -> NestedCv<'_> {
    NestedCv {
        table: &data.table,
        target: &data.target,
        groups: None,
        weights: None,
        knn: KnnSettings {
            metric: Metric::Euclidean,
            scaling: Scaling::None,
            one_unit: true,
            ..KnnSettings::default()
        },
        dimensions,
        counts: vec![1],
        folds: 0,
    }
}

/// Returns a method with its options for these rows.
pub(super) fn candidate(method: Method, data: &Data, run: &Run) -> Result<ParameterGrid> {
    let options: Vec<String> =
        options(method, data, run)?.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let text = match options.as_slice() {
        [] => method.candidate.to_string(),
        options => format!("{}:{}", method.candidate, options.join(",")),
    };
    ParameterGrid::parse(&text, Scaling::None)
}

/// The options of a method that differ from our defaults.
pub(super) fn options(
    method: Method,
    data: &Data,
    run: &Run,
) -> Result<Vec<(&'static str, String)>> {
    if method != I_RELIEF {
        return Ok(Vec::new());
    }
    let width = width(&data.table, &data.target, run)?;
    Ok(vec![
        ("squared", "yes".to_string()),
        ("outliers", "no".to_string()),
        ("max_iter", MOST_ITERATIONS.to_string()),
        ("sigma", width.to_string()),
    ])
}

/// The mean squared distance to the seventh neighbor under the initial weights of I-RELIEF, `1/sqrt(p)`, in the unit of
/// I-RELIEF, which is the largest range of a feature.
fn width(table: &Table<'_>, target: &Target, run: &Run) -> Result<f64> {
    let rows = DenseMatrix::from_table(table, I_RELIEF.name)?;
    let (least, greatest) = rows.extremes();
    let unit = least.iter().zip(&greatest).map(|(a, b)| b - a).fold(0.0, f64::max);
    let neighbors = KNearestNeighbors::new(&rows, target, Metric::Euclidean)?;
    let count = (WIDTH_NEIGHBOR + 1).min(rows.rows());
    let found = neighbors.neighbors(&rows, count, &run.part(run.seed()))?;
    let farthest = |row: usize| found.neighbors(row).1.last().copied().unwrap_or(0.0);
    let sum: f64 = (0..rows.rows()).map(|row| (farthest(row) / unit).powi(2)).sum();
    let width = sum / rows.rows() as f64 / (table.width() as f64).sqrt();
    if width > 0.0 {
        return Ok(width);
    }
    Err(Error::data("every row occurs eight times, so the kernel width is 0", "use other rows"))
}
