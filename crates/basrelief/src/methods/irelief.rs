//! # `irelief`: probabilistic neighbors
//!
//! Iterative Relief: every row is a neighbor with the probability that it is the nearest one under the current
//! weights. The resulting margins determine the next weights, until the weights no longer change. The method is
//! intended for many noise features and for data with outliers, which get little weight.
//!
//! Choose the kernel width `--sigma` with care; it is in units of the weighted distance. With a small width, only the
//! nearest rows have influence. With a large width, all rows have equal influence.
//!
//! ## Formula
//!
//! With $d_{ij} = \sum_A w_A \mathrm{diff}_A(i, j)$ and $f(d) = e^{-d/\sigma}$, the misses $j$ of row
//! $i$ (all rows of other classes) have the probabilities $\alpha_{ij} \propto f(d_{ij})$, and the hits have the
//! probabilities $\beta_{ij} \propto f(d_{ij})$; both sum to 1. Then
//!
//! ```math
//! \gamma_i = \frac{\sum_{\text{hits}} f(d_{ij})}{\sum_{j \ne i} f(d_{ij})}, \qquad z_A = \frac1n \sum_i \gamma_i \Big( \sum_j \alpha_{ij}\,\mathrm{diff}_A(i, j) - \sum_j \beta_{ij}\,\mathrm{diff}_A(i, j) \Big), \qquad w = \frac{z^+}{\lVert z^+ \rVert_2},
//! ```
//!
//! The iteration starts at $w = 1/\sqrt p$ and ends when $\lVert w - w_{\text{before}} \rVert_2$ is below `--tol`.
//! `--outliers no` sets $\gamma_i = 1$. `--squared yes` squares the differences in both places. `--mode online` visits
//! the rows one by one, with a running mean of $z$. The weights are in $[0, 1]$ and have unit length. The symbols are
//! defined in [the overview](super#notation).
//!
//! If `--sigma` is large enough, the iteration converges (Sun 2007). If it is small, the weights can alternate forever
//! between two vectors. When $w$ returns to its value of two iterations before, the iteration ends with a warning
//! (`alternates`), and the result is the vector with the larger $w^\top z$. A larger `--sigma` helps; more iterations
//! do not.
//!
//! ## Cost
//!
//! Each iteration visits all pairs of rows twice, in time $2 n^2 p$. Memory is 8 bytes per value.
//!
//! ## When not to use it
//!
//! - A pure interaction of two features with few distinct values, with a small `--sigma`: the iteration can lock onto
//!   one of the two features, which is useless alone, while the weight of the other goes to 0. Try a larger width, or
//!   [`pdrelieff`](super::pdrelieff).
//! - Very many rows: each iteration visits all pairs of rows. [`relieff`](super::relieff) can sample rows.
//! - For p-values: the weights have length 1 in every fit, for permuted targets too. Permutation tests would find
//!   nothing and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff) instead.
//!
//! ## Example
//!
//! The class is the sum of two features modulo 5.
//!
//! ```sh
//! basrelief synth modulo-p --rows 400 --modulus 5 --output sums.csv
//! basrelief rank sums.csv --target class --method irelief --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.IRelief(sigma=1.0).fit(X, y).weights_`; `n_iter_` and `converged_` report how it ended.
//!
//! ## Source
//!
//! Y. Sun. Iterative RELIEF for feature weighting: algorithms, theories, and applications. IEEE TPAMI
//! 29(6), 1035-1051, 2007. The form without the outlier term and with squares: Chang 2010, section 2.2.

use std::ops::Range;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{GENOTYPE_DIFF, MAX_ITER, MISSING, RAMP, TOL};
use super::page::page;
use super::positive_part::positive_part_of_unit_norm;
use super::reweighting::{Iteration, Reweigh, Reweighting, added, mean_margins};
use super::settings::settings;
use super::shared::{classes, warn_of_lone_rows};
use crate::data::Classes;
use crate::differences::{Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::MarginSums;
use crate::neighbors::{
    CHUNK, DifferenceSums, LineScratch, ReweightedRows, WeightedLine, Weighting,
};
use crate::options::{OptionInfo, OptionKind};
use crate::parallel;
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// I-RELIEF (Sun 2007; Chang 2010, sec. 2.2): the margins of Relief, where every row is a neighbor with a
    /// probability under the current weights, and the margins determine the next weights.
    ///
    /// With `d_ij = sum_A w_A diff(A, i, j)` and `f = exp(-d/sigma)`, `alpha_ij` over the misses and
    /// `beta_ij` over the hits of row i are proportional to `f` and sum to 1 each. `gamma_i` is the sum of `f` over the
    /// hits, divided by the sum over all other rows; it is the probability that row i is not an outlier. Then
    /// `z = mean_i gamma_i (sum_j alpha_ij diff - sum_j beta_ij diff)` and `w = z+ / ||z+||`. This is repeated from
    /// `w = 1/sqrt(p)` (`p`: number of features that are not constant) until `||w - w_before|| < tol`. With `squared`,
    /// `diff` is squared in both places, as in Chang, who also omits `gamma`. Misses are the rows of all other classes.
    ///
    /// *Online*, the rows are visited one by one in an order drawn by the seed, `z` is the running mean, and `w` is
    /// updated at every row. Complete passes are made until a pass changes `w` by less than `tol`. While `z` has no
    /// positive entry, `w` does not change.
    ///
    /// The iteration is a contraction if `sigma` is large enough. With a smaller `sigma`, the batch iteration may
    /// alternate between two weight vectors. If the change over two iterations is less than `tol` times the last
    /// change, the fit ends unconverged, with a warning, and returns the vector with the larger objective. A `sigma`
    /// near 0 makes the nearest row the only neighbor; a very large one gives all rows equal probabilities. A row that
    /// is alone in its class has no hit term, and with the outlier term it has no influence. With the missing-value
    /// policy `ignore`, distances and sums are rescaled to the weight of all pairs.
    ///
    /// Weights are in [0, 1] with unit Euclidean norm, or all 0 with a warning. In the report, `objective` is `w z` of
    /// the iteration that gave the weights, the mean expected margin. Each iteration visits all pairs of rows twice;
    /// memory is 8 bytes per value.
    ///
    /// # Errors
    /// A numeric target, a single class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct IRelief {
        /// Kernel width, above 0, in units of the weighted distance.
        pub sigma: f64 = SIGMA,
        /// Maximum number of iterations (of passes if online), at least 1.
        pub max_iter: usize = MAX_ITER,
        /// Change of the weights below which the iteration ends, above 0.
        pub tol: f64 = TOL,
        /// Whether to visit one row at a time instead of all rows together.
        pub online: bool = MODE is "online",
        /// Whether probable outliers get less weight.
        pub outliers: bool = OUTLIERS is "yes",
        /// Whether differences are squared.
        pub squared: bool = SQUARED is "yes",
        /// How the difference between two rows is computed; the metric is not used.
        pub space: SpaceOptions [
            missing, ramp, genotype_diff
        ],
    }
}

impl WeighFeatures for IRelief {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.check()?;
        let classes = classes(problem, INFO.name)?;
        let codes = classes.codes();
        let space = Space::new(problem.table(), Some((codes, classes.len())), self.space, run)?;
        let margins = Margins::new(self, &space, by_class(codes), classes.counts(), run)?;
        let iteration = run.install(|| {
            if self.online {
                self.iterate_online(&margins, &space, run)
            } else {
                self.iterate(&margins, &space, run)
            }
        })?;
        iteration.tell(self.tol, report);
        self.warn(classes, report);
        Ok(iteration.weights().to_vec())
    }

    fn reweigh(&self) -> Option<&dyn Reweigh> {
        Some(self)
    }
}

impl Reweigh for IRelief {
    fn most_iterations(&self) -> usize {
        self.max_iter
    }

    fn reweighting<'p>(&self, problem: &Problem<'p>) -> Result<Reweighting<'p>> {
        self.check()?;
        if self.online {
            return Err(Error::option(
                MODE.name,
                "online visits one row after the other, which cannot be computed in parts",
                "use batch, or rank on one machine",
            ));
        }
        let classes = classes(problem, INFO.name)?;
        let codes = classes.codes();
        let mut told = Report::default();
        self.warn(classes, &mut told);
        let method = self.clone();
        Ok(Reweighting {
            table: problem.table(),
            conditional: (codes, classes.len()),
            space: self.space,
            order: by_class(codes),
            block_rows: rows_of_block(problem.rows()),
            most_iterations: self.max_iter,
            tol: self.tol,
            warnings: told.warnings,
            sums: Box::new(move |space, order, weights, blocks, run| {
                let margins = Margins::new(&method, space, order, classes.counts(), run)?;
                run.install(|| margins.blocks(weights, blocks, run))
            }),
        })
    }
}

impl IRelief {
    /// Checks that the options are in range.
    fn check(&self) -> Result<()> {
        for (option, value) in [(&SIGMA, self.sigma), (&TOL, self.tol)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::option(
                    option.name,
                    format!("{value} is not above 0 and finite"),
                    format!("use a finite number above 0 (default {})", option.default),
                ));
            }
        }
        if self.max_iter == 0 {
            return Err(Error::option(MAX_ITER.name, "0 is less than 1", "use at least 1"));
        }
        Ok(())
    }

    fn warn(&self, classes: &Classes, report: &mut Report) {
        let consequence = if self.outliers {
            "has no hits, is treated as an outlier and has no influence"
        } else {
            "has no hits, and only its misses contribute"
        };
        warn_of_lone_rows(classes, consequence, report);
    }

    fn iterate(&self, margins: &Margins<'_>, space: &Space<'_>, run: &Run) -> Result<Iteration> {
        let mut iteration = Iteration::start(space);
        while iteration.goes_on(self.max_iter, self.tol) {
            let z = margins.all(iteration.weights(), run)?;
            iteration = iteration.step(&z);
        }
        Ok(iteration.ended(self.tol))
    }

    fn iterate_online(
        &self,
        margins: &Margins<'_>,
        space: &Space<'_>,
        run: &Run,
    ) -> Result<Iteration> {
        let mut visits: Vec<u32> = (0..space.rows() as u32).collect();
        random::shuffle(
            &mut visits,
            &mut random::generator(run.seed(), RandomStream::VisitingOrder),
        );
        let mut place_of = vec![0; visits.len()];
        for (place, &row) in margins.rows.order().iter().enumerate() {
            place_of[row as usize] = place;
        }
        let mut iteration = Iteration::start(space);
        let mut weights = iteration.weights().to_vec();
        let mut sums = MarginSums::<2>::new(space.width());
        let (mut seen, mut scratch) = (0.0, RowScratch::default());
        let mut z = Vec::new();
        run.progress().start("passing over the rows", self.max_iter as u64);
        while iteration.goes_on(self.max_iter, self.tol) {
            for &row in &visits {
                run.check()?;
                let place = place_of[row as usize];
                margins.distances_of(place, &weights, &mut scratch);
                margins.add_row(place, &mut scratch, &mut sums);
                seen += 1.0;
                z = mean_margins(&sums, seen);
                if z.iter().any(|margin| *margin > 0.0) {
                    weights = positive_part_of_unit_norm(z.clone(), &mut Report::default());
                }
            }
            iteration = iteration.to(weights.clone(), &z);
            run.progress().advance(1);
        }
        run.progress().finish();
        // So far the weights did not change; only after the last pass is it certain that no margin is positive.
        let is_nothing = z.iter().all(|margin| *margin <= 0.0);
        Ok(if is_nothing { iteration.without_weights() } else { iteration })
    }
}

/// Returns all rows sorted by class, so that the hits of a row are one contiguous range of places.
fn by_class(codes: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..codes.len() as u32).collect();
    order.sort_by_key(|&row| codes[row as usize]);
    order
}

/// Minimum and maximum number of rows in a block.
const BLOCK_ROWS: (usize, usize) = (256, 4096);

/// Approximate number of blocks, within the limits of [`BLOCK_ROWS`].
const BLOCKS: usize = 64;

/// Returns the number of rows in a block, a multiple of [`ROWS`]. The margins of each block are summed separately, and
/// the sums of the blocks are then added. The block size does not depend on the number of machines.
fn rows_of_block(rows: usize) -> usize {
    let (least, most) = BLOCK_ROWS;
    rows.div_ceil(BLOCKS).next_multiple_of(ROWS).clamp(least, most)
}

/// Number of rows whose distances are computed together, so that each chunk of the columns is read only once
/// for all of them.
const ROWS: usize = 8;

/// Computes the margins of rows under given weights.
struct Margins<'m> {
    method: &'m IRelief,
    rows: ReweightedRows<'m>,
    /// For every place, the first place of the class of its row, and the place after the last one.
    own_class: Vec<(usize, usize)>,
}

/// Reusable buffers of one worker.
#[derive(Default)]
struct RowScratch {
    line: LineScratch,
    /// Distances of one row to all rows, later the coefficients computed from them.
    values: Vec<f64>,
}

/// Sums of the coefficients of the hits and of the misses.
#[derive(Clone, Copy, Default)]
struct Totals {
    hits: f64,
    misses: f64,
}

impl<'m> Margins<'m> {
    /// Prepares rows that `order` sorts by class; `counts` are the class sizes.
    fn new(
        method: &'m IRelief,
        space: &'m Space<'m>,
        order: Vec<u32>,
        counts: &[usize],
        run: &Run,
    ) -> Result<Self> {
        let mut own_class = Vec::with_capacity(order.len());
        for &count in counts {
            let first = own_class.len();
            own_class.resize(first + count, (first, first + count));
        }
        let rows = ReweightedRows::new(space, order, method.squared, run)?;
        Ok(Self { method, rows, own_class })
    }

    /// Returns `z`, the mean margins of all rows.
    fn all(&self, weights: &[f64], run: &Run) -> Result<Vec<f64>> {
        let n = self.rows.len();
        let blocks = self.blocks(weights, 0..n.div_ceil(rows_of_block(n)), run)?;
        Ok(mean_margins(&added(self.rows.width(), blocks), n as f64))
    }

    /// Returns the summed margins of each of the given blocks.
    fn blocks(
        &self,
        weights: &[f64],
        blocks: Range<usize>,
        run: &Run,
    ) -> Result<Vec<MarginSums<2>>> {
        let (n, block_rows) = (self.rows.len(), rows_of_block(self.rows.len()));
        let weighting = self.rows.weighting(weights);
        let places = blocks.start * block_rows..(blocks.end * block_rows).min(n);
        let groups = places.step_by(ROWS);
        run.progress().start("visiting all pairs of rows", groups.len() as u64);
        let of_group = |(scratch, values): &mut (LineScratch, Vec<f64>), first: usize| {
            run.check()?;
            let part = self.group(&weighting, first, scratch, values);
            run.progress().advance(1);
            Ok(part)
        };
        let parts = parallel::try_map_with(groups, of_group)?;
        run.progress().finish();
        // Groups are added in their order, independent of the thread that computed them.
        let of_block = |parts: &[(Totals, [DifferenceSums; 2])]| {
            let mut sums = MarginSums::new(self.rows.width());
            for (totals, [hits, misses]) in parts {
                add_part(&mut sums, *totals, hits, misses);
            }
            sums
        };
        Ok(parts.chunks(block_rows / ROWS).map(of_block).collect())
    }

    /// Returns the summed margins of at most [`ROWS`] rows, starting at `first`.
    fn group(
        &self,
        weighting: &Weighting<'_>,
        first: usize,
        scratch: &mut LineScratch,
        values: &mut Vec<f64>,
    ) -> (Totals, [DifferenceSums; 2]) {
        let n = self.rows.len();
        let count = ROWS.min(n - first);
        self.rows.distances_of_rows(weighting, (first, count), n, scratch, values);
        let mut totals = Totals::default();
        for row in 0..count {
            let part = self.coefficients(first + row, &mut values[row * n..(row + 1) * n]);
            totals.hits += part.hits;
            totals.misses += part.misses;
        }
        let mut sums = [(); 2].map(|()| DifferenceSums::new(self.rows.width()));
        for chunk in (0..n).step_by(CHUNK) {
            let of_row = |(own, values)| class_lines(own, self.own_class[own], chunk, values, 0);
            let lines: Vec<_> = (first..).zip(values.chunks(n)).flat_map(of_row).collect();
            self.rows.add_differences(&lines, scratch, &mut sums);
        }
        (totals, sums)
    }

    /// Replaces the distances of a row by `gamma beta` for its hits and `gamma alpha` for its misses.
    fn coefficients(&self, own: usize, values: &mut [f64]) -> Totals {
        let (from, to) = self.own_class[own];
        let sigma = self.method.sigma;
        let Nearest { distances: [nearest_hit, nearest_miss], sums: [hits, misses] } =
            nearest_exponentials(own, (from, to), values, sigma);
        // The probability of a hit: hits / (hits + misses exp((nearest_hit - nearest_miss) / sigma)).
        let gamma = match (self.method.outliers, hits > 0.0, misses > 0.0) {
            (false, ..) | (true, true, false) => 1.0,
            (true, false, _) => 0.0,
            (true, true, true) => {
                let exponent = (nearest_hit - nearest_miss) / sigma;
                1.0 / (1.0 + misses / hits * exponent.exp())
            }
        };
        let scale = |part: &mut [f64], sum: f64| {
            let factor = if sum > 0.0 { gamma / sum } else { 0.0 };
            part.iter_mut().for_each(|value| *value *= factor);
        };
        scale(&mut values[from..to], hits);
        scale(&mut values[..from], misses);
        scale(&mut values[to..], misses);
        let total = |sum: f64| if sum > 0.0 { gamma } else { 0.0 };
        Totals { hits: total(hits), misses: total(misses) }
    }

    /// Computes the distances of one row, on several threads if there are many.
    fn distances_of(&self, own: usize, weights: &[f64], scratch: &mut RowScratch) {
        let weighting = self.rows.weighting(weights);
        self.rows.line(&weighting, own, &mut scratch.line, &mut scratch.values);
    }

    /// Adds the margins of one row, given its distances.
    fn add_row(&self, own: usize, scratch: &mut RowScratch, sums: &mut MarginSums<2>) {
        let RowScratch { line, values } = scratch;
        let totals = self.coefficients(own, values);
        let values: &[f64] = values;
        let chunks = (0..values.len()).step_by(CHUNK);
        let of_chunk = |line: &mut LineScratch, chunk: usize| {
            let mut part = [(); 2].map(|()| DifferenceSums::new(self.rows.width()));
            let lines: Vec<_> = class_lines(own, self.own_class[own], chunk, values, 0).collect();
            self.rows.add_differences(&lines, line, &mut part);
            part
        };
        let parts: Vec<[DifferenceSums; 2]> = if self.rows.is_large() {
            parallel::map_with(chunks, of_chunk)
        } else {
            chunks.map(|chunk| of_chunk(line, chunk)).collect()
        };
        add_part(sums, totals, &DifferenceSums::new(0), &DifferenceSums::new(0));
        for [hits, misses] in parts {
            add_part(sums, Totals::default(), &hits, &misses);
        }
    }
}

/// The smallest of some distances.
pub(super) fn least(part: &[f64]) -> f64 {
    part.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Replaces distances `d` by `exp(-(d - least) / sigma)`, and returns their sum. The smallest distance is subtracted, so that
/// the largest exponential is 1 for any sigma.
pub(super) fn exponentials(part: &mut [f64], least: f64, sigma: f64) -> f64 {
    let mut sum = 0.0;
    for value in part {
        let exponent = (*value - least) / sigma;
        // Infinite distances become 0, even if all are infinite (the difference is then NaN).
        *value = if exponent < 746.0 { (-exponent).exp() } else { 0.0 };
        sum += *value;
    }
    sum
}

/// The nearest hit and miss of a row.
pub(super) struct Nearest {
    /// The distances of the nearest hit and of the nearest miss.
    pub(super) distances: [f64; 2],
    /// The sums of the exponentials of all hits and of all misses.
    pub(super) sums: [f64; 2],
}

/// Replaces the distances of the row at place `own` by their [exponentials], relative to the nearest hit and the nearest
/// miss. The hits are the places `from..to`.
pub(super) fn nearest_exponentials(
    own: usize,
    (from, to): (usize, usize),
    values: &mut [f64],
    sigma: f64,
) -> Nearest {
    // A row is not its own neighbor: at infinite distance, its exponential is 0.
    values[own] = f64::INFINITY;
    let hit = least(&values[from..to]);
    let miss = least(&values[..from]).min(least(&values[to..]));
    let hits = exponentials(&mut values[from..to], hit, sigma);
    let mut misses = exponentials(&mut values[..from], miss, sigma);
    misses += exponentials(&mut values[to..], miss, sigma);
    Nearest { distances: [hit, miss], sums: [hits, misses] }
}

/// The coefficients of the row at place `own` for a chunk of the other rows, as up to three lines: misses, hits, misses. The
/// hits are the places `from..to`; they are added to the sums at index `sums`, and misses to the next ones.
pub(super) fn class_lines(
    own: usize,
    (from, to): (usize, usize),
    chunk: usize,
    coefficients: &[f64],
    sums: usize,
) -> impl Iterator<Item = WeightedLine<'_>> {
    let chunk_end = (chunk + CHUNK).min(coefficients.len());
    let parts = [(1, 0, from), (0, from, to), (1, to, coefficients.len())];
    parts.into_iter().filter_map(move |(side, part_from, part_to)| {
        let (first, end) = (part_from.max(chunk), part_to.min(chunk_end));
        let line = || WeightedLine {
            own,
            first,
            coefficients: &coefficients[first..end],
            sums: sums + side,
        };
        (first < end).then(line)
    })
}

fn add_part(
    sums: &mut MarginSums<2>,
    totals: Totals,
    hits: &DifferenceSums,
    misses: &DifferenceSums,
) {
    sums.totals[0] += totals.hits;
    sums.totals[1] += totals.misses;
    for (place, part) in [hits, misses].into_iter().enumerate() {
        for (sum, value) in sums.sums[place].iter_mut().zip(&part.sums) {
            *sum += value;
        }
        for (sum, value) in sums.skipped[place].iter_mut().zip(&part.skipped) {
            *sum += value;
        }
    }
}

/// `sigma` of `irelief`: the kernel width.
pub(super) static SIGMA: OptionInfo = OptionInfo {
    name: "sigma",
    flag: "sigma",
    kind: OptionKind::Positive,
    default: "1",
    help: "Kernel width over distances; if it is small, only the nearest rows have influence",
};

/// `mode`: all rows at once, or one after the other.
static MODE: OptionInfo = OptionInfo {
    name: "mode",
    flag: "mode",
    kind: OptionKind::Choice(&["batch", "online"]),
    default: "batch",
    help: "All rows at once, or one after the other in an order drawn by the seed",
};

/// `outliers`: whether probable outliers get less weight.
static OUTLIERS: OptionInfo = OptionInfo {
    name: "outliers",
    flag: "outliers",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Weight rows by the probability that they are not outliers, or weight all equally",
};

/// `squared`: whether differences are squared.
static SQUARED: OptionInfo = OptionInfo {
    name: "squared",
    flag: "squared",
    kind: OptionKind::Choice(&["no", "yes"]),
    default: "no",
    help: "Use the squares of the features' differences",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "irelief",
    class: "IRelief",
    task: Task::Classes,
    scale: WeightScale::LengthIsOne,
    interactions: true,
    missing: true,
    cost: "n² p per iteration",
    range: (0.0, 1.0),
    purpose: "probabilistic neighbors under the current weights: many noise features, outliers",
    source: "Sun 2007; Chang 2010, section 2.2",
    options: &[
        &SIGMA,
        &MAX_ITER,
        &TOL,
        &MODE,
        &OUTLIERS,
        &SQUARED,
        &MISSING,
        &RAMP,
        &GENOTYPE_DIFF,
    ],
    choose: &[&SIGMA],
    documentation: page!("irelief.rs"),
    python: Some(&PYTHON),
    build: weighing::<IRelief>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Iterative Relief: probabilistic neighbors in the weighted space.",
    description: &[
        "The weights determine distances, the distances determine the probability of each row to be \
         the nearest hit or miss, and the expected margins determine the next weights. The iteration \
         ends when the weights no longer change.",
    ],
    weights: ", of unit Euclidean norm",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("ReliefMargin", "A single step, with the nearest rows instead of probabilities.")],
    references: &[
        "Y. Sun. Iterative RELIEF for feature weighting: algorithms, theories, and applications. \
         IEEE Transactions on Pattern Analysis and Machine Intelligence 29(6), 1035-1051, 2007.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import IRelief",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> IRelief(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::maps::FeatureRanking;
    use crate::methods::testing::{
        assert_weights, classes, has_warning, numeric, run, three_classes,
    };
    use crate::report::Fitted;

    #[test]
    fn irelief_at_the_ends_of_sigma() {
        // With a huge sigma all rows have equal probabilities: gamma is 1/3, the first feature differs
        // by 1 from both misses and by 0 from the hit, the second by 1/2 on average and by 1. With a
        // tiny sigma only the nearest rows remain: in the first iteration the hit and the nearest miss
        // are at equal distance and gamma is 1/2; in the second only the first feature has a positive
        // weight, the hit is at distance 0 and gamma is 1.
        let table = Table::new(vec![
            numeric("x", &[0.0, 0.0, 1.0, 1.0]),
            numeric("y", &[0.0, 1.0, 1.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        for (sigma, objective) in [(1e300, 1.0 / 3.0), (1e-300, 1.0), (f64::MIN_POSITIVE, 1.0)] {
            for squared in [false, true] {
                let method = IRelief { sigma, squared, ..IRelief::default() };
                let fitted = method.fit_with(&problem, &run(1)).unwrap();
                assert_weights(fitted.model.weights(), &[1.0, 0.0]);
                assert_eq!(fitted.report.iterations, Some(2));
                assert_eq!(fitted.report.converged, Some(true));
                assert_eq!(fitted.report.last_change, Some(0.0));
                // From (1, 1) / sqrt(2) to (1, 0), then no further change.
                let first = (2.0 - 2.0_f64.sqrt()).sqrt();
                assert_eq!(fitted.report.changes.len(), 2);
                assert!((fitted.report.changes[0] - first).abs() < 1e-15);
                assert_eq!(fitted.report.changes[1], 0.0);
                assert!((fitted.report.objective.unwrap() - objective).abs() < 1e-15);
                let online = IRelief { online: true, ..method.clone() };
                assert_weights(
                    online.fit_with(&problem, &run(1)).unwrap().model.weights(),
                    &[1.0, 0.0],
                );
            }
        }
    }

    #[test]
    fn irelief_warns_where_it_gives_up_and_of_lone_rows() {
        let (table, target) = three_classes();
        let problem = Problem::new(&table, &target).unwrap();
        for (outliers, consequence) in [(true, "no influence"), (false, "only its misses")] {
            let fitted =
                IRelief { outliers, ..IRelief::default() }.fit_with(&problem, &run(1)).unwrap();
            let warning =
                fitted.report.warnings.iter().find(|warning| warning.code() == "lone-rows");
            assert!(warning.unwrap().to_string().contains(consequence));
        }
        let x: Vec<f64> = (0..40).map(|row| f64::from(row * 7 % 40)).collect();
        let y: Vec<f64> = (0..40).map(|row| f64::from(row * 11 % 40)).collect();
        let table = Table::new(vec![numeric("x", &x), numeric("y", &y)]).unwrap();
        let target = classes(&x.iter().map(|x| u32::from(*x > 18.0)).collect::<Vec<_>>());
        let problem = Problem::new(&table, &target).unwrap();
        for online in [false, true] {
            let method = IRelief { online, max_iter: 1, tol: 1e-12, ..IRelief::default() };
            let fitted = method.fit_with(&problem, &run(1)).unwrap();
            assert_eq!(fitted.report.converged, Some(false));
            assert!(has_warning(&fitted.report.warnings, "not-converged"));
            assert!(fitted.report.last_change.unwrap() > 0.0);
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = IRelief { sigma: bad, ..IRelief::default() }.fit_with(&problem, &run(1));
            assert!(error.unwrap_err().to_string().contains("option sigma"), "{bad}");
        }
    }
    /// Two features of eight rows, four of each class, in quarters.
    fn fit_quarters(columns: [[i32; 8]; 2], method: &IRelief) -> Fitted<FeatureRanking> {
        let quarters = columns.map(|column| column.map(|value| f64::from(value) / 4.0));
        let table =
            Table::new(vec![numeric("x", &quarters[0]), numeric("y", &quarters[1])]).unwrap();
        let target = classes(&[0, 0, 0, 0, 1, 1, 1, 1]);
        method.fit_with(&Problem::new(&table, &target).unwrap(), &run(1)).unwrap()
    }

    #[test]
    fn irelief_ends_where_the_weights_alternate() {
        // With a weight on one feature only, the margin of the other is positive and its own is not.
        // From the second iteration on, the weights alternate between the two features.
        let columns = [[4, 0, 4, 2, 3, 4, 0, 0], [2, 4, 0, 4, 2, 4, 0, 1]];
        let of = |max_iter| {
            fit_quarters(columns, &IRelief { sigma: 0.05, max_iter, ..IRelief::default() })
        };
        let (second, third) = (of(2), of(3));
        let ends = [[1.0, 0.0], [0.0, 1.0]];
        assert_weights(second.model.weights(), &ends[0]);
        assert_weights(third.model.weights(), &ends[1]);
        for fitted in [&second, &third] {
            assert!(has_warning(&fitted.report.warnings, "not-converged"));
        }
        // The fit ends when the alternation is detected and returns the vector with the larger objective.
        for max_iter in [4, 5, 100] {
            let report = of(max_iter).report;
            assert_weights(of(max_iter).model.weights(), &ends[1]);
            assert_eq!((report.iterations, report.converged), (Some(4), Some(false)));
            assert!((report.last_change.unwrap() - 2.0_f64.sqrt()).abs() < 1e-9);
            // The objective of the other vector, which comes last, is 0.0707.
            assert!((report.objective.unwrap() - 0.103_753_907_742_9).abs() < 1e-9);
            assert!(has_warning(&report.warnings, "alternates"));
            assert!(!has_warning(&report.warnings, "not-converged"));
        }
        // A larger sigma converges.
        let columns = [[3, 1, 0, 1, 4, 4, 4, 3], [1, 4, 1, 3, 2, 2, 3, 0]];
        for (sigma, converged) in [(0.05, false), (1.0, true)] {
            let fitted = fit_quarters(columns, &IRelief { sigma, ..IRelief::default() });
            assert_eq!(fitted.report.converged, Some(converged));
            assert_eq!(has_warning(&fitted.report.warnings, "alternates"), !converged);
        }
    }

    #[test]
    fn irelief_goes_on_where_the_weights_swing_and_converge() {
        // The change over two iterations is below tol a dozen iterations before the change of one is.
        let columns = [[4, 0, 2, 3, 1, 3, 0, 1], [3, 3, 2, 2, 0, 4, 3, 1]];
        let method = IRelief { sigma: 0.1, ..IRelief::default() };
        let report = fit_quarters(columns, &method).report;
        assert_eq!((report.iterations, report.converged), (Some(83), Some(true)));
        let changes = report.changes.iter().rev().take(20);
        assert!(changes.clone().zip(changes.skip(1)).all(|(later, earlier)| later < earlier));
    }
}
