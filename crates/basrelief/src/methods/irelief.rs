//! # `irelief`: neighbors by probability
//!
//! Iterative Relief: every row is a neighbor with the probability that it is the nearest one under the
//! current weights; the margins that follow give the next weights, until they stay. For many noise
//! features, and for rows that may be outliers, which count little.
//!
//! Think about the width `--sigma`: it is in units of the weighted distance. A small one looks at the
//! nearest rows only, a large one at all alike.
//!
//! ## Formula
//!
//! With $d_{ij} = \sum_A w_A \mathrm{diff}_A(i, j)$ and $f(d) = e^{-d/\sigma}$, the misses $j$ of row
//! $i$ (all rows of other classes) have probabilities $\alpha_{ij} \propto f(d_{ij})$, the hits
//! $\beta_{ij} \propto f(d_{ij})$, each summing to 1, and
//!
//! ```math
//! \gamma_i = \frac{\sum_{\text{hits}} f(d_{ij})}{\sum_{j \ne i} f(d_{ij})}, \qquad z_A = \frac1n \sum_i \gamma_i \Big( \sum_j \alpha_{ij}\,\mathrm{diff}_A(i, j) - \sum_j \beta_{ij}\,\mathrm{diff}_A(i, j) \Big), \qquad w = \frac{z^+}{\lVert z^+ \rVert_2},
//! ```
//!
//! from $w = 1/\sqrt p$ until $\lVert w - w_{\text{before}} \rVert_2$ is below `--tol`. `--outliers no`
//! sets $\gamma_i = 1$; `--squared yes` squares the differences in both places; `--mode online` takes
//! the rows one by one with a running mean of $z$. Weights are in $[0, 1]$, of unit length. Symbols are
//! those of [the overview](super#notation).
//!
//! For a `--sigma` that is large enough the iteration converges (Sun 2007). Under a small one the weights
//! can end in two vectors by turns: each leads to the other, for ever. Where $w$ has come back to what it
//! was two iterations before, the iteration ends with a warning (`alternates`), and the result is
//! that one of the two with the greater $w^\top z$. A larger `--sigma` helps, more iterations do not.
//!
//! ## Cost
//!
//! Time two looks at all pairs, $2 n^2 p$, per iteration; memory 8 bytes a value.
//!
//! ## When not to use it
//!
//! - A pure interaction of two features with few values, under a small `--sigma`: the iteration can
//!   lock on one of the two, which without the other is worth nothing, and the other goes to 0. Try a
//!   larger width, or [`pdrelieff`](super::pdrelieff).
//! - Very many rows: each iteration looks at all pairs. [`relieff`](super::relieff) can sample rows.
//! - For p-values: in every fit, under permuted targets too, the length of the weights is 1, so that tests find
//!   nothing and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
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
//! `basrelief.IRelief(sigma=1.0).fit(X, y).weights_`; `n_iter_` and `converged_` tell how it ended.
//!
//! ## Source
//!
//! Y. Sun. Iterative RELIEF for feature weighting: algorithms, theories, and applications. IEEE TPAMI
//! 29(6), 1035-1051, 2007. The form without outliers and with squares: Chang 2010, section 2.2.

use std::ops::Range;

use rayon::prelude::*;

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
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// I-RELIEF (Sun 2007; Chang 2010, sec. 2.2): the margins of Relief, with every row as a
    /// neighbor by its probability in the space of the weights, which the margins give in turn.
    ///
    /// With `d_ij = sum_A w_A diff(A, i, j)` and `f = exp(-d/sigma)`, `alpha_ij` over the misses and
    /// `beta_ij` over the hits of row i are proportional to `f` and sum to 1 each; `gamma_i` is the
    /// share of the hits in the sum of `f` over all other rows, the probability that row i is no
    /// outlier. Then `z = mean_i gamma_i (sum_j alpha_ij diff - sum_j beta_ij diff)` and
    /// `w = z+ / ||z+||`, again and again from `w = 1/sqrt(p)` (`p`: features that are not constant)
    /// until `||w - w_before|| < tol`. With `squared`, `diff` is squared in both places, as Chang has
    /// it, who has no `gamma` either. Misses are the rows of all other classes.
    ///
    /// *Online*, one row after the other in an order drawn by the seed, `z` is the running mean and
    /// `w` follows at every row, whole passes until a pass changes `w` less than `tol`. While `z` has
    /// no positive entry, `w` stays.
    ///
    /// The iteration contracts for a `sigma` that is large enough. With a smaller one all rows together
    /// may lead from one vector of weights to another and back: where two iterations change the
    /// weights by less than `tol` times the last change, the fit ends, not converged, with the one of the two
    /// that has the greater objective, and a warning. A `sigma` near 0 makes the nearest
    /// row the only neighbor, a huge one makes all rows alike. A row that is alone in its class has
    /// no hit term, and with the outlier term no say at all. Where the policy for missing values is
    /// `ignore`, distances and sums are scaled to the weight of all pairs.
    ///
    /// Weights are in [0, 1] with unit Euclidean norm, or all 0 with a warning. The objective
    /// reported is `w z` of the iteration that gave the weights, the mean expected margin. The time is two looks at
    /// all pairs per iteration, the memory 8 bytes a value.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct IRelief {
        /// Width of the kernel, above 0, in units of the weighted distance.
        pub sigma: f64 = SIGMA,
        /// Iterations (passes when online) at most, at least 1.
        pub max_iter: usize = MAX_ITER,
        /// Change of the weights that ends the iteration, above 0.
        pub tol: f64 = TOL,
        /// One row at a time instead of all rows together.
        pub online: bool = MODE is "online",
        /// Whether rows that are probably outliers count less.
        pub outliers: bool = OUTLIERS is "yes",
        /// Whether differences are squared.
        pub squared: bool = SQUARED is "yes",
        /// How two rows differ; the metric is not used.
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
                "online takes one row after the other, which cannot be computed in parts",
                "take batch, or rank on one machine",
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
    /// Refuses options out of range.
    fn check(&self) -> Result<()> {
        for (option, value) in [(&SIGMA, self.sigma), (&TOL, self.tol)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::option(
                    option.name,
                    format!("{value} is not above 0 and finite"),
                    format!("it takes a number above 0 (default {})", option.default),
                ));
            }
        }
        if self.max_iter == 0 {
            return Err(Error::option(MAX_ITER.name, "0 is less than 1", "give at least 1"));
        }
        Ok(())
    }

    fn warn(&self, classes: &Classes, report: &mut Report) {
        let consequence = if self.outliers {
            "has no hit and counts as an outlier, not at all"
        } else {
            "has no hit and counts by its misses only"
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
        // The weights stayed where they were: only now is it sure that nothing is positive.
        let is_nothing = z.iter().all(|margin| *margin <= 0.0);
        Ok(if is_nothing { iteration.without_weights() } else { iteration })
    }
}

/// All rows class by class, so that a row's hits are one range of places.
fn by_class(codes: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..codes.len() as u32).collect();
    order.sort_by_key(|&row| codes[row as usize]);
    order
}

/// Rows of a block, at least, and at most.
const BLOCK_ROWS: (usize, usize) = (256, 4096);

/// Blocks that the rows are cut into, about, where these are no fewer and no more than that.
const BLOCKS: usize = 64;

/// Rows whose margins are added up by themselves before those of all blocks are, whatever the machines are:
/// whole groups of [`ROWS`].
fn rows_of_block(rows: usize) -> usize {
    let (least, most) = BLOCK_ROWS;
    rows.div_ceil(BLOCKS).next_multiple_of(ROWS).clamp(least, most)
}

/// Rows whose distances are computed together, so that a chunk of the columns is read once for
/// all of them.
const ROWS: usize = 8;

/// Computes the margins of rows under given weights.
struct Margins<'m> {
    method: &'m IRelief,
    rows: ReweightedRows<'m>,
    /// First place, and the place after the last, of the class of the row at every place.
    own_class: Vec<(usize, usize)>,
}

/// Reused memory of one worker.
#[derive(Default)]
struct RowScratch {
    line: LineScratch,
    /// Distances, then coefficients, of one row to all.
    values: Vec<f64>,
}

/// What a row's margins count: the coefficients of its hits and of its misses sum to these.
#[derive(Clone, Copy, Default)]
struct Totals {
    hits: f64,
    misses: f64,
}

impl<'m> Margins<'m> {
    /// Of rows that lie class by class in the order given; so many are of each class.
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

    /// `z`: the mean margins of all rows.
    fn all(&self, weights: &[f64], run: &Run) -> Result<Vec<f64>> {
        let n = self.rows.len();
        let blocks = self.blocks(weights, 0..n.div_ceil(rows_of_block(n)), run)?;
        Ok(mean_margins(&added(self.rows.width(), blocks), n as f64))
    }

    /// The summed margins of every one of some blocks.
    fn blocks(
        &self,
        weights: &[f64],
        blocks: Range<usize>,
        run: &Run,
    ) -> Result<Vec<MarginSums<2>>> {
        let (n, block_rows) = (self.rows.len(), rows_of_block(self.rows.len()));
        let weighting = self.rows.weighting(weights);
        let places = blocks.start * block_rows..(blocks.end * block_rows).min(n);
        let groups: Vec<usize> = places.step_by(ROWS).collect();
        run.progress().start("weighing all pairs", groups.len() as u64);
        let parts = groups
            .par_iter()
            .map_init(
                || (LineScratch::default(), Vec::new()),
                |(scratch, values), &first| {
                    run.check()?;
                    let part = self.group(&weighting, first, scratch, values);
                    run.progress().advance(1);
                    Ok(part)
                },
            )
            .collect::<Result<Vec<_>>>()?;
        run.progress().finish();
        // Groups are added in their order, whoever computed them.
        let of_block = |parts: &[(Totals, [DifferenceSums; 2])]| {
            let mut sums = MarginSums::new(self.rows.width());
            for (totals, [hits, misses]) in parts {
                add_part(&mut sums, *totals, hits, misses);
            }
            sums
        };
        Ok(parts.chunks(block_rows / ROWS).map(of_block).collect())
    }

    /// The summed margins of [`ROWS`] rows.
    fn group(
        &self,
        weighting: &Weighting<'_>,
        first: usize,
        scratch: &mut LineScratch,
        values: &mut Vec<f64>,
    ) -> (Totals, [DifferenceSums; 2]) {
        let n = self.rows.len();
        let count = ROWS.min(n - first);
        values.resize(count * n, 0.0);
        for chunk in (0..n).step_by(CHUNK) {
            let end = (chunk + CHUNK).min(n);
            let mut lines: Vec<&mut [f64]> =
                values.chunks_mut(n).map(|line| &mut line[chunk..end]).collect();
            self.rows.distances(weighting, first, chunk, scratch, &mut lines);
        }
        let mut totals = Totals::default();
        for row in 0..count {
            let part = self.coefficients(first + row, &mut values[row * n..(row + 1) * n]);
            totals.hits += part.hits;
            totals.misses += part.misses;
        }
        let mut sums = [(); 2].map(|()| DifferenceSums::new(self.rows.width()));
        for chunk in (0..n).step_by(CHUNK) {
            let of_row = |(own, values)| self.lines(own, chunk, values);
            let lines: Vec<_> = (first..).zip(values.chunks(n)).flat_map(of_row).collect();
            self.rows.add_differences(&lines, scratch, &mut sums);
        }
        (totals, sums)
    }

    /// What one row's differences to a chunk of the others count: lines of misses, hits and misses.
    fn lines<'c>(
        &self,
        own: usize,
        chunk: usize,
        coefficients: &'c [f64],
    ) -> impl Iterator<Item = WeightedLine<'c>> + use<'c> {
        let chunk_end = (chunk + CHUNK).min(coefficients.len());
        let (from, to) = self.own_class[own];
        let parts = [(1, 0, from), (0, from, to), (1, to, coefficients.len())];
        parts.into_iter().filter_map(move |(sums, part_from, part_to)| {
            let (first, end) = (part_from.max(chunk), part_to.min(chunk_end));
            let line =
                || WeightedLine { own, first, coefficients: &coefficients[first..end], sums };
            (first < end).then(line)
        })
    }

    /// Turns a row's distances into `gamma beta` of its hits and `gamma alpha` of its misses.
    fn coefficients(&self, own: usize, values: &mut [f64]) -> Totals {
        let (from, to) = self.own_class[own];
        // The row itself is nobody's neighbor: infinitely far, its exponential is 0.
        values[own] = f64::INFINITY;
        let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
        let nearest_hit = least(&values[from..to]);
        let nearest_miss = least(&values[..from]).min(least(&values[to..]));
        let sigma = self.method.sigma;
        // The least distance is subtracted, so that the largest exponential is 1 for any sigma.
        let exponentials = |part: &mut [f64], least: f64| -> f64 {
            let mut sum = 0.0;
            for value in part {
                let exponent = (*value - least) / sigma;
                // An infinite distance counts 0, also where all are (the difference is NaN then).
                *value = if exponent < 746.0 { (-exponent).exp() } else { 0.0 };
                sum += *value;
            }
            sum
        };
        let hits = exponentials(&mut values[from..to], nearest_hit);
        let mut misses = exponentials(&mut values[..from], nearest_miss);
        misses += exponentials(&mut values[to..], nearest_miss);
        // The hits' share: hits / (hits + misses exp((nearest_hit - nearest_miss) / sigma)).
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

    /// One row's distances, shared among threads where they are many.
    fn distances_of(&self, own: usize, weights: &[f64], scratch: &mut RowScratch) {
        let weighting = self.rows.weighting(weights);
        self.rows.line(&weighting, own, &mut scratch.line, &mut scratch.values);
    }

    /// Adds one row's margins, given its distances.
    fn add_row(&self, own: usize, scratch: &mut RowScratch, sums: &mut MarginSums<2>) {
        let RowScratch { line, values } = scratch;
        let totals = self.coefficients(own, values);
        let values: &[f64] = values;
        let chunks: Vec<usize> = (0..values.len()).step_by(CHUNK).collect();
        let of_chunk = |line: &mut LineScratch, chunk: &usize| {
            let mut part = [(); 2].map(|()| DifferenceSums::new(self.rows.width()));
            let lines: Vec<_> = self.lines(own, *chunk, values).collect();
            self.rows.add_differences(&lines, line, &mut part);
            part
        };
        let parts: Vec<[DifferenceSums; 2]> = if self.rows.is_large() {
            chunks.par_iter().map_init(LineScratch::default, of_chunk).collect()
        } else {
            chunks.iter().map(|chunk| of_chunk(line, chunk)).collect()
        };
        add_part(sums, totals, &DifferenceSums::new(0), &DifferenceSums::new(0));
        for [hits, misses] in parts {
            add_part(sums, Totals::default(), &hits, &misses);
        }
    }
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

/// `sigma`: width of the kernel of irelief.
static SIGMA: OptionInfo = OptionInfo {
    name: "sigma",
    flag: "sigma",
    kind: OptionKind::Positive,
    default: "1",
    help: "Width of the kernel over distances: small looks at the nearest rows only",
};

/// `mode`: all rows together, or one after the other.
static MODE: OptionInfo = OptionInfo {
    name: "mode",
    flag: "mode",
    kind: OptionKind::Choice(&["batch", "online"]),
    default: "batch",
    help: "All rows at once, or one after the other in an order drawn by the seed",
};

/// `outliers`: whether probable outliers count less.
static OUTLIERS: OptionInfo = OptionInfo {
    name: "outliers",
    flag: "outliers",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Rows count by the probability that they are no outliers, or all alike",
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
    cost: "n² p a round",
    range: (0.0, 1.0),
    purpose: "neighbors by probability under the weights: many noise features, outliers",
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

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Iterative Relief: every row is a neighbor by its probability in the weighted space.",
    description: &[
        "Weights give distances, distances give probabilities of being the nearest hit or miss, \
         these give margins, and the positive margins give weights, until they no longer change.",
    ],
    weights: ", of unit Euclidean norm",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("ReliefMargin", "One step of it, with the nearest rows themselves.")],
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
        // As above. A huge sigma makes all rows alike: gamma is 1/3, the first feature differs by 1
        // from both misses and 0 from the hit, the second by 1/2 on average and 1. A tiny one leaves
        // the nearest: in the first iteration hit and nearest miss are equally far and gamma is 1/2,
        // in the second only the first feature counts, the hit is at 0 and gamma is 1.
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
                // From (1, 1) / sqrt(2) to (1, 0), and no more.
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
        for (outliers, consequence) in [(true, "not at all"), (false, "by its misses only")] {
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
        // Under one feature alone the margins of the other are positive, and its own are not. The
        // first iteration is on the way, the second has the one, the third the other, and so on.
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
        // As soon as it is known, however many might follow: the one with the greater objective.
        for max_iter in [4, 5, 100] {
            let report = of(max_iter).report;
            assert_weights(of(max_iter).model.weights(), &ends[1]);
            assert_eq!((report.iterations, report.converged), (Some(4), Some(false)));
            assert!((report.last_change.unwrap() - 2.0_f64.sqrt()).abs() < 1e-9);
            // 0.0707 is that of the other, which comes last.
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
        // Two iterations change the weights by less than tol a dozen iterations before one does.
        let columns = [[4, 0, 2, 3, 1, 3, 0, 1], [3, 3, 2, 2, 0, 4, 3, 1]];
        let method = IRelief { sigma: 0.1, ..IRelief::default() };
        let report = fit_quarters(columns, &method).report;
        assert_eq!((report.iterations, report.converged), (Some(83), Some(true)));
        let changes = report.changes.iter().rev().take(20);
        assert!(changes.clone().zip(changes.skip(1)).all(|(later, earlier)| later < earlier));
    }
}
