//! # `logo`: local learning with a sparse weight vector
//!
//! As in [`irelief`](super::irelief), every row is a neighbor with the probability that it is the nearest one under the
//! current weights. The weights then minimize a logistic loss of all margins with an l1 penalty, which sets the weights of most
//! irrelevant features to 0. The number of rows that it needs grows with the logarithm of the number of features.
//!
//! ## Formula
//!
//! With $d_{ij} = \sum_A w_A \mathrm{diff}_A(i, j)$, the misses $j$ of row $i$ (all rows of other classes) have the
//! probabilities $\alpha_{ij} \propto e^{-d_{ij}/\sigma}$, and the hits $\beta_{ij} \propto e^{-d_{ij}/\sigma}$; both sum to 1. The
//! margins of a row are
//!
//! ```math
//! z_{iA} = \sum_j \alpha_{ij}\,\mathrm{diff}_A(i, j) - \sum_j \beta_{ij}\,\mathrm{diff}_A(i, j) ,
//! ```
//!
//! and the weights $w = v^2$ minimize
//!
//! ```math
//! \sum_i \log\big(1 + e^{-w^\top z_i}\big) + \lambda \lVert v \rVert_2^2 , \qquad \lVert v \rVert_2^2 = \lVert w \rVert_1 .
//! ```
//!
//! The minimum determines the next probabilities. The iteration starts at $w = 1$; entries of $v$ below $10^{-5}$ become 0 and stay 0.
//! It ends when $\lVert v - v_{\text{before}} \rVert_2$ is at most `--tol` or after `--max-iter` iterations. The weights are
//! not negative. The symbols are defined in [the overview](super#notation).
//!
//! `--sigma cv` and `--lambda cv` (in Python `penalty="cv"`) choose the width and the penalty by 5-fold cross-validation. A held-out row is assigned to the
//! class with the largest sum of $e^{-d_{ij}/\sigma}$ over the training rows. Of equal numbers of errors, the
//! combination with the larger likelihood of the held-out classes is chosen. A note reports the choice.
//!
//! ## Cost
//!
//! Each iteration visits all pairs of rows twice, in time $2 n^2 p$ for the features that remain, and about a hundred times the $n p$ margins. Memory
//! is 24 bytes per value. Cross-validation fits 75 times.
//!
//! ## When not to use it
//!
//! - To rank all features: the weights of most are exactly 0. [`multisurf`](super::multisurf) orders all of them.
//! - Very many rows: each iteration visits all pairs.
//! - Redundant features: of several copies, one or a few have a weight.
//! - A pure interaction of features with few values, or with much noise in the classes, as in case-control data: the iteration can lock onto
//!   one of the features, which is useless alone, while the weight of the other goes to 0. It does find interactions of
//!   continuous features. [`multisurf`](super::multisurf) finds both.
//!
//! Two spirals of 230 rows each are found among 10,000 columns of noise with the defaults, and among 100,000 with `--lambda 0.1`.
//!
//! ## Example
//!
//! Three classes of waves, whose relevant features are x1 to x21, with 100 columns of noise.
//!
//! ```sh
//! basrelief synth waveform --rows 300 --noise 100 --output waves.csv
//! basrelief rank waves.csv --target class --method logo --top 6
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Logo(sigma="cv", penalty="cv").fit(X, y).weights_`; `n_iter_` and `converged_` report how it ended.
//!
//! ## Source
//!
//! Y. Sun, S. Todorovic and S. Goodison. Local-learning-based feature selection for high-dimensional data analysis. IEEE TPAMI
//! 32(9), 1610-1626, 2010.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::irelief::{class_lines, exponentials, least, nearest_exponentials};
use super::options::{GENOTYPE_DIFF, MAX_ITER, MISSING, RAMP, TOL};
use super::page::page;
use super::reweighting::mean_margins;
use super::settings::settings;
use super::shared::{above_zero, at_least_one, classes, warn_of_lone_rows, warn_of_no_convergence};
use crate::algebra::dot;
use crate::data::{Classes, Table, deal};
use crate::differences::{Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::MarginSums;
use crate::neighbors::{CHUNK, DifferenceSums, LineScratch, ReweightedRows};
use crate::options::{OptionInfo, OptionKind};
use crate::parallel;
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::solve::logistic::loss as logistic_loss;
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// LOGO (Sun, Todorovic & Goodison 2010): the margins of I-RELIEF, and weights that minimize their logistic loss with an
    /// l1 penalty. Weights are not negative, and those of most irrelevant features are 0.
    ///
    /// # Errors
    /// A numeric target, a single class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Logo {
        /// Kernel width, above 0, in units of the weighted distance; `None` chooses it by cross-validation.
        pub sigma: Option<f64> = SIGMA by cv_or_positive,
        /// The penalty, above 0; `None` chooses it by cross-validation.
        pub penalty: Option<f64> = LAMBDA by cv_or_positive,
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = FEW_ITER,
        /// Change of the roots of the weights below which the iteration ends, above 0.
        pub tol: f64 = COARSE_TOL,
        /// How the difference between two rows is computed; the metric is not used.
        pub space: SpaceOptions [
            missing, ramp, genotype_diff
        ],
    }
}

/// The alternatives of the cross-validation.
const SIGMAS: [f64; 3] = [0.5, 2.0, 8.0];
const LAMBDAS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// Parts of the cross-validation.
const FOLDS: usize = 5;

/// Entries of `v` below this become 0.
const PRUNED: f64 = 1e-5;

/// When the search for the weights of given margins ends.
const SEARCH: (usize, f64) = (200, 1e-7);

/// Rows whose distances are computed together.
const ROWS: usize = 4;

/// Products of numbers that one task adds up, about.
const PRODUCTS: usize = 1 << 14;

/// Features of which one task computes the gradient.
const FEATURES: usize = 4096;

impl WeighFeatures for Logo {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let classes = classes(problem, INFO.name)?;
        self.check()?;
        warn_of_lone_rows(classes, "has no hit, and does not contribute", report);
        let rows = Rows { all: (0..problem.rows()).collect(), known: problem.rows() };
        let fit = Fit::new(self, problem.table(), classes, run)?;
        let (sigma, lambda) = match (self.sigma, self.penalty) {
            (Some(sigma), Some(lambda)) => (sigma, lambda),
            _ => {
                let chosen = fit.choose(problem, run)?;
                let text =
                    format!("cross-validation chose sigma {} and lambda {}", chosen.0, chosen.1);
                report.warnings.push(Warning::requested("chosen-by-cv", text));
                chosen
            }
        };
        let found = fit.weights(&rows, (sigma, lambda), true, run)?;
        report.changes.clone_from(&found.changes);
        report.iterations = Some(found.changes.len());
        report.converged = Some(found.converged);
        report.objective = Some(found.objective);
        if !found.converged {
            let last = found.changes.last().copied().unwrap_or(0.0);
            let advice = format!("increase {}", setting(MAX_ITER.name, None));
            warn_of_no_convergence(found.changes.len(), last, self.tol, &advice, report);
        }
        if found.weights.iter().all(|weight| *weight == 0.0) {
            let text = format!(
                "no feature has a weight: decrease {} (now {lambda})",
                setting(LAMBDA.name, None)
            );
            report.warnings.push(Warning::new("no-weights", text));
        }
        Ok(found.weights)
    }
}

impl Logo {
    fn check(&self) -> Result<()> {
        for (option, value) in [(&SIGMA, self.sigma), (&LAMBDA, self.penalty)] {
            value.map_or(Ok(()), |value| above_zero(option, value))?;
        }
        above_zero(&COARSE_TOL, self.tol)?;
        at_least_one(&FEW_ITER, self.max_iter)?;
        Ok(())
    }
}

/// Rows of the table: first those from which weights are learned, then held-out ones.
struct Rows {
    all: Vec<usize>,
    known: usize,
}

/// Weights, and how they were found.
struct Found {
    weights: Vec<f64>,
    changes: Vec<f64>,
    converged: bool,
    objective: f64,
}

/// The data of a fit.
struct Fit<'f> {
    method: &'f Logo,
    table: &'f Table<'f>,
    classes: &'f Classes,
    /// The features that are not constant.
    varying: Vec<usize>,
}

impl<'f> Fit<'f> {
    fn new(
        method: &'f Logo,
        table: &'f Table<'f>,
        classes: &'f Classes,
        run: &Run,
    ) -> Result<Self> {
        let mut fit = Self { method, table, classes, varying: Vec::new() };
        let space = fit.space(table, run)?;
        let constant: Vec<usize> = space.constant_features().collect();
        fit.varying =
            (0..table.width()).filter(|feature| constant.binary_search(feature).is_err()).collect();
        Ok(fit)
    }

    /// The width and the penalty with the fewest errors in a cross-validation.
    fn choose(&self, problem: &Problem<'_>, run: &Run) -> Result<(f64, f64)> {
        let sigmas = self.method.sigma.map_or(SIGMAS.to_vec(), |sigma| vec![sigma]);
        let lambdas = self.method.penalty.map_or(LAMBDAS.to_vec(), |lambda| vec![lambda]);
        let parts = deal(problem.target(), None, FOLDS.min(problem.rows()), run.seed());
        let splits: Vec<Rows> = (0..FOLDS.min(problem.rows()))
            .map(|part| {
                let (mut all, held): (Vec<usize>, Vec<usize>) =
                    (0..problem.rows()).partition(|&row| parts[row] != part);
                let known = all.len();
                all.extend(held);
                Rows { all, known }
            })
            .collect();
        let pairs: Vec<(f64, f64)> = sigmas
            .iter()
            .flat_map(|&sigma| lambdas.iter().map(move |&lambda| (sigma, lambda)))
            .collect();
        let jobs: Vec<((f64, f64), &Rows)> =
            pairs.iter().flat_map(|&pair| splits.iter().map(move |rows| (pair, rows))).collect();
        run.progress().start("cross-validation", jobs.len() as u64);
        let quiet = run.part(run.seed());
        let one = |(pair, rows): &((f64, f64), &Rows)| {
            let found = self.weights(rows, *pair, false, &quiet)?;
            let losses = self.losses(rows, &found.weights, pair.0, &quiet);
            run.progress().advance(1);
            losses
        };
        let losses = run.install(|| parallel::try_map(&jobs, one))?;
        run.progress().finish();
        let total = |all: &[(usize, f64)]| {
            all.iter().fold((0, 0.0), |sum, loss| (sum.0 + loss.0, sum.1 + loss.1))
        };
        let totals = losses.chunks(splits.len()).map(total);
        let best = pairs
            .iter()
            .zip(totals)
            .min_by(|(_, one), (_, other)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        best.map(|(pair, _)| *pair).ok_or_else(|| Error::Internal("no alternatives".to_string()))
    }

    /// The number of held-out rows whose class has not the largest probability, and the sum of the negative logarithms of
    /// the probabilities of their classes.
    fn losses(&self, rows: &Rows, weights: &[f64], sigma: f64, run: &Run) -> Result<(usize, f64)> {
        let active: Vec<usize> =
            (0..weights.len()).filter(|&feature| weights[feature] > 0.0).collect();
        let (mut errors, mut loss) = (0, 0.0);
        let held = &rows.all[rows.known..];
        let mut shares = vec![0.0; self.classes.len()];
        if active.is_empty() {
            // The prediction without features: their shares are those of the training rows.
            for &row in &rows.all[..rows.known] {
                shares[self.classes.codes()[row] as usize] += 1.0;
            }
            let most = shares.iter().copied().fold(0.0, f64::max);
            for &row in held {
                let own = shares[self.classes.codes()[row] as usize];
                errors += usize::from(own < most);
                loss -= (own / rows.known as f64).ln();
            }
            return Ok((errors, loss));
        }
        let own: Vec<f64> = active.iter().map(|&feature| weights[feature]).collect();
        let table = self.table.select_columns(&active);
        let space = self.space(&table, run)?;
        let margins = Margins::new(&space, rows, self.classes, run)?;
        let weighting = margins.rows.weighting(&own);
        let (mut scratch, mut line) = (LineScratch::default(), Vec::new());
        for (place, &row) in (rows.known..).zip(held) {
            let known = rows.known;
            margins.rows.distances_of_rows(&weighting, (place, 1), known, &mut scratch, &mut line);
            let nearest = least(&line);
            let total = exponentials(&mut line, nearest, sigma);
            shares.fill(0.0);
            for (value, &place) in line.iter().zip(margins.rows.order()) {
                shares[self.classes.codes()[place as usize] as usize] += value;
            }
            let own = shares[self.classes.codes()[row] as usize];
            errors += usize::from(shares.iter().any(|share| *share > own));
            loss -= (own / total).max(f64::MIN_POSITIVE).ln();
        }
        Ok((errors, loss))
    }

    fn space<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        let conditional = Some((self.classes.codes(), self.classes.len()));
        Space::new(table, conditional, self.method.space, run)
    }

    /// The weights of all features, learned from the known rows.
    fn weights(
        &self,
        rows: &Rows,
        (sigma, lambda): (f64, f64),
        with_progress: bool,
        run: &Run,
    ) -> Result<Found> {
        let mut active = self.varying.clone();
        let mut roots = vec![1.0; active.len()];
        let (mut changes, mut converged, mut objective) = (Vec::new(), active.is_empty(), 0.0);
        while changes.len() < self.method.max_iter && !converged {
            run.check()?;
            let table = self.table.select_columns(&active);
            let space = self.space(&table, run)?;
            let weights: Vec<f64> = roots.iter().map(|root| root * root).collect();
            let margins = Margins::new(&space, rows, self.classes, run)?;
            let z = run.install(|| margins.of_rows(&weights, sigma, with_progress, run))?;
            let loss = Loss { z: &z, lambda, run };
            let stop = Stop::on_level_ground(SEARCH.0, SEARCH.1);
            let found = run.install(|| minimize(&loss, roots.clone(), stop, run))?;
            objective = found.value;
            let next: Vec<f64> = found
                .point
                .iter()
                .map(|root| if root.abs() < PRUNED { 0.0 } else { root.abs() })
                .collect();
            let change = roots.iter().zip(&next).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            changes.push(change);
            converged = change <= self.method.tol;
            let kept = |place: &usize| next[*place] > 0.0;
            let places: Vec<usize> = (0..active.len()).filter(kept).collect();
            active = places.iter().map(|&place| active[place]).collect();
            roots = places.iter().map(|&place| next[place]).collect();
            converged |= active.is_empty();
        }
        let mut weights = vec![0.0; self.table.width()];
        for (&feature, root) in active.iter().zip(&roots) {
            weights[feature] = root * root;
        }
        Ok(Found { weights, changes, converged, objective })
    }
}

/// Computes the margins of rows under given weights.
struct Margins<'m> {
    /// The known rows, sorted by class, then the held-out ones.
    rows: ReweightedRows<'m>,
    /// The number of known rows.
    known: usize,
    /// For every place of a known row, the first place of the class of its row, and the place after the last one.
    own_class: Vec<(usize, usize)>,
}

impl<'m> Margins<'m> {
    fn new(space: &'m Space<'m>, rows: &Rows, classes: &Classes, run: &Run) -> Result<Self> {
        let known = rows.known;
        let mut order: Vec<u32> = rows.all.iter().map(|&row| row as u32).collect();
        order[..known].sort_by_key(|&row| (classes.codes()[row as usize], row));
        let mut own_class = Vec::with_capacity(known);
        let same = |a: &u32, b: &u32| classes.codes()[*a as usize] == classes.codes()[*b as usize];
        for of_class in order[..known].chunk_by(same) {
            let first = own_class.len();
            own_class.resize(first + of_class.len(), (first, first + of_class.len()));
        }
        Ok(Self { rows: ReweightedRows::new(space, order, false, run)?, known, own_class })
    }

    /// The margins of all known rows, feature by feature: the expected difference to the nearest miss minus that to the
    /// nearest hit.
    fn of_rows(
        &self,
        weights: &[f64],
        sigma: f64,
        with_progress: bool,
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let weighting = self.rows.weighting(weights);
        let groups = (0..self.known).step_by(ROWS);
        if with_progress {
            run.progress().start("visiting all pairs of rows", groups.len() as u64);
        }
        let of_group = |(scratch, lines): &mut (LineScratch, Vec<f64>), first: usize| {
            run.check()?;
            let count = ROWS.min(self.known - first);
            self.rows.distances_of_rows(&weighting, (first, count), self.known, scratch, lines);
            let mut totals = Vec::with_capacity(count);
            for (own, line) in (first..).zip(lines.chunks_mut(self.known)) {
                totals.push(self.probabilities(own, line, sigma));
            }
            let mut sums: Vec<DifferenceSums> =
                (0..2 * count).map(|_| DifferenceSums::new(self.rows.width())).collect();
            for chunk in (0..self.known).step_by(CHUNK) {
                let of_row = |(number, line)| {
                    let own = first + number;
                    class_lines(own, self.own_class[own], chunk, line, 2 * number)
                };
                let parts: Vec<_> = lines.chunks(self.known).enumerate().flat_map(of_row).collect();
                self.rows.add_differences(&parts, scratch, &mut sums);
            }
            if with_progress {
                run.progress().advance(1);
            }
            let margins = sums.chunks(2).zip(totals).map(|(pair, totals)| {
                let mut own = MarginSums::<2>::new(self.rows.width());
                own.totals = totals;
                for (side, part) in pair.iter().enumerate() {
                    own.sums[side].clone_from(&part.sums);
                    own.skipped[side].clone_from(&part.skipped);
                }
                mean_margins(&own, 1.0)
            });
            Ok(margins.collect::<Vec<Vec<f64>>>())
        };
        let found = parallel::try_map_with(groups, of_group)?;
        if with_progress {
            run.progress().finish();
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Replaces the distances of a row by its probabilities of being the nearest hit and the nearest miss. Returns the sums of
    /// both, which are 1. A row without a hit or a miss at a known distance has the sums 0, and does not contribute.
    fn probabilities(&self, own: usize, line: &mut [f64], sigma: f64) -> [f64; 2] {
        let (from, to) = self.own_class[own];
        let [hits, misses] = nearest_exponentials(own, (from, to), line, sigma).sums;
        if hits == 0.0 || misses == 0.0 {
            line.fill(0.0);
            return [0.0; 2];
        }
        line[from..to].iter_mut().for_each(|value| *value /= hits);
        line[..from].iter_mut().for_each(|value| *value /= misses);
        line[to..].iter_mut().for_each(|value| *value /= misses);
        [1.0; 2]
    }
}

/// The logistic loss of margins with the penalty, as a function of the roots of the weights.
struct Loss<'l> {
    /// The margins of every row.
    z: &'l [Vec<f64>],
    lambda: f64,
    run: &'l Run,
}

impl Objective for Loss<'_> {
    fn evaluate(&self, roots: &[f64]) -> Result<(f64, Vec<f64>)> {
        self.run.check()?;
        let weights: Vec<f64> = roots.iter().map(|root| root * root).collect();
        let rows = self.z.chunks((PRODUCTS / roots.len().max(1)).max(1));
        let margins_of =
            |rows: &[Vec<f64>]| rows.iter().map(|z| dot(z, &weights)).collect::<Vec<f64>>();
        let margins = parallel::map(rows, margins_of).concat();
        let loss = |&margin: &f64| logistic_loss(margin, 1.0);
        let value = margins.iter().map(loss).sum::<f64>() + self.lambda * dot(roots, roots);
        let slopes: Vec<f64> = margins.iter().map(|margin| 1.0 / (1.0 + margin.exp())).collect();
        let mut gradient = vec![0.0; roots.len()];
        parallel::for_each(gradient.chunks_mut(FEATURES).enumerate(), |(chunk, part)| {
            let first = chunk * FEATURES;
            for (z, slope) in self.z.iter().zip(&slopes) {
                let own = &z[first..first + part.len()];
                part.iter_mut().zip(own).for_each(|(sum, margin)| *sum -= slope * margin);
            }
            for (sum, root) in part.iter_mut().zip(&roots[first..]) {
                *sum = 2.0 * root * (*sum + self.lambda);
            }
        });
        Ok((value, gradient))
    }
}

/// Reads `cv` or a number above 0.
fn cv_or_positive(text: &str) -> std::result::Result<Option<f64>, String> {
    match text {
        "cv" => Ok(None),
        text => match text.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
            _ => Err(format!("`{text}` is neither `cv` nor a number above 0")),
        },
    }
}

/// `sigma` of `logo`: the kernel width.
static SIGMA: OptionInfo = OptionInfo {
    kind: OptionKind::Text { grammar: "cv|X", check: |text| cv_or_positive(text).map(drop) },
    default: "2",
    ..super::irelief::SIGMA
};

/// `lambda` of `logo`: the penalty.
static LAMBDA: OptionInfo = OptionInfo {
    name: "penalty",
    flag: "lambda",
    kind: OptionKind::Text { grammar: "cv|X", check: |text| cv_or_positive(text).map(drop) },
    default: "0.3",
    help: "The penalty of the sum of the weights: the larger it is, the fewer features have a weight; cv: by cross-validation",
};

/// `max_iter` with the limit of the paper.
static FEW_ITER: OptionInfo = OptionInfo { default: "10", ..MAX_ITER };

/// `tol` with the limit of the paper.
static COARSE_TOL: OptionInfo = OptionInfo { default: "0.01", ..TOL };

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "logo",
    class: "Logo",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    // Not of features with few values: the iteration locks onto one of two bits whose parity is the class.
    interactions: false,
    missing: true,
    cost: "n² p per iteration",
    range: (0.0, f64::INFINITY),
    purpose: "probabilistic neighbors and an l1 penalty: the few relevant ones among very many features",
    source: "Sun, Todorovic & Goodison 2010",
    options: &[&SIGMA, &LAMBDA, &FEW_ITER, &COARSE_TOL, &MISSING, &RAMP, &GENOTYPE_DIFF],
    choose: &[&SIGMA, &LAMBDA],
    documentation: page!("logo.rs"),
    python: Some(&PYTHON),
    build: weighing::<Logo>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "LOGO: local learning with an l1 penalty, for few relevant among very many features.",
    description: &[
        "The weights determine the probability of each row to be the nearest hit or miss, and the next weights minimize the \
         logistic loss of the expected margins with an l1 penalty. Most weights are 0.",
    ],
    weights: ", not negative",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("IRelief", "The same margins, without a penalty.")],
    references: &[
        "Y. Sun, S. Todorovic and S. Goodison. Local-learning-based feature selection for \
         high-dimensional data analysis. IEEE Transactions on Pattern Analysis and Machine \
         Intelligence 32(9), 1610-1626, 2010.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import Logo",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.uniform(size=(200, 50))",
        ">>> y = (X[:, 3] > 0.5) ^ (X[:, 7] > 0.5)",
        ">>> selector = Logo(sigma=0.5).fit(X, y)",
        ">>> np.flatnonzero(selector.weights_ > 0.2 * selector.weights_.max())",
        "array([3, 7])",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Target;
    use crate::methods::testing::{classes as of_codes, has_warning, numeric, run};
    use crate::run::derived_seed;

    /// The exclusive or of two of six features.
    fn problem_table(rows: u32) -> (Table<'static>, Target) {
        let value = |row: u32, feature: u32| {
            let bits = derived_seed(u64::from(row), &[u64::from(feature)]) >> 32;
            f64::from(bits as u32) / f64::from(u32::MAX)
        };
        let names = ["a", "b", "c", "d", "e", "f"];
        let columns = names.iter().zip(0..).map(|(name, feature)| {
            numeric(name, &(0..rows).map(|row| value(row, feature)).collect::<Vec<f64>>())
        });
        let table = Table::new(columns.collect()).unwrap();
        let codes: Vec<u32> = (0..rows)
            .map(|row| u32::from((value(row, 0) > 0.5) != (value(row, 1) > 0.5)))
            .collect();
        (table, of_codes(&codes))
    }

    /// Two rows of each class on a line, under large sigma: all hits and misses have equal probabilities. The margin
    /// of the feature is 1 in every row, so that `v^2 = log(n / lambda - 1)` with n = 4.
    #[test]
    fn one_feature_by_hand() {
        let table = Table::new(vec![numeric("x", &[0.0, 0.0, 1.0, 1.0])]).unwrap();
        let target = of_codes(&[0, 0, 1, 1]);
        let method = Logo { sigma: Some(1e300), penalty: Some(0.5), ..Logo::default() };
        let fitted = method.fit(&table, &target).unwrap();
        // The derivative of 4 log(1 + exp(-w)) + w / 2 is 0 for exp(w) = 7.
        assert!((fitted.model.weights()[0] - 7.0_f64.ln()).abs() < 1e-4);
        assert_eq!(fitted.report.converged, Some(true));
        // A penalty above the slope at 0 leaves nothing.
        let method = Logo { penalty: Some(3.0), ..method };
        let fitted = method.fit(&table, &target).unwrap();
        assert_eq!(fitted.model.weights(), [0.0]);
        assert!(has_warning(&fitted.report.warnings, "no-weights"));
    }

    #[test]
    fn margins_follow_their_definition() {
        let (table, target) = problem_table(30);
        let classes = target.classes("test").unwrap();
        let method = Logo::default();
        let fit = Fit::new(&method, &table, classes, &run(1)).unwrap();
        let space = fit.space(&table, &run(1)).unwrap();
        let rows = Rows { all: (0..30).collect(), known: 30 };
        let margins = Margins::new(&space, &rows, classes, &run(1)).unwrap();
        let weights = [2.0, 0.5, 1.0, 0.0, 3.0, 0.1];
        let found = margins.of_rows(&weights, 0.7, false, &run(1)).unwrap();
        let difference = |i: usize, j: usize, k: usize| space.difference(k, i, j).unwrap();
        for (place, z) in found.iter().enumerate() {
            let i = margins.rows.order()[place] as usize;
            let probability = |j: usize| -> f64 {
                let distance: f64 = (0..6).map(|k| weights[k] * difference(i, j, k)).sum();
                if i == j { 0.0 } else { (-distance / 0.7).exp() }
            };
            let is_hit = |j: usize| classes.codes()[i] == classes.codes()[j];
            let total =
                |hit: bool| -> f64 { (0..30).filter(|&j| is_hit(j) == hit).map(probability).sum() };
            for k in 0..6 {
                let expected: f64 = (0..30)
                    .map(|j| {
                        let sign = if is_hit(j) { -1.0 } else { 1.0 };
                        sign * probability(j) / total(is_hit(j)) * difference(i, j, k)
                    })
                    .sum();
                assert!((z[k] - expected).abs() < 1e-12, "{i} {k}");
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let z = vec![vec![0.3, -0.2, 0.5], vec![-0.1, 0.4, 0.2]];
        let run = run(1);
        let loss = Loss { z: &z, lambda: 0.3, run: &run };
        let at = [0.9, -0.4, 1.3];
        let (_, gradient) = loss.evaluate(&at).unwrap();
        for k in 0..3 {
            let moved = |step: f64| {
                let mut point = at;
                point[k] += step;
                loss.evaluate(&point).unwrap().0
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient[k] - slope).abs() < 1e-8, "{k}");
        }
    }

    #[test]
    fn an_interaction_is_found_and_cross_validation_chooses() {
        let (table, target) = problem_table(120);
        for (sigma, lambda) in [(Some(0.5), Some(0.3)), (None, None), (Some(0.5), None)] {
            let method = Logo { sigma, penalty: lambda, ..Logo::default() };
            let fitted = method.fit(&table, &target).unwrap();
            let mut best = fitted.model.order()[..2].to_vec();
            best.sort_unstable();
            assert_eq!(best, [0, 1], "{sigma:?} {lambda:?} {:?}", fitted.model.weights());
            assert_eq!(
                has_warning(&fitted.report.warnings, "chosen-by-cv"),
                sigma.is_none() || lambda.is_none()
            );
        }
    }

    #[test]
    fn a_row_without_hits_does_not_contribute() {
        let (table, target) = problem_table(60);
        let mut codes = target.classes("test").unwrap().codes().to_vec();
        codes[7] = 2;
        let target = of_codes(&codes);
        let method = Logo { sigma: Some(0.5), ..Logo::default() };
        let fitted = method.fit(&table, &target).unwrap();
        assert!(has_warning(&fitted.report.warnings, "lone-rows"));
        let classes = target.classes("test").unwrap();
        let fit = Fit::new(&method, &table, classes, &run(1)).unwrap();
        let space = fit.space(&table, &run(1)).unwrap();
        let rows = Rows { all: (0..60).collect(), known: 60 };
        let margins = Margins::new(&space, &rows, classes, &run(1)).unwrap();
        let z = margins.of_rows(&[1.0; 6], 0.5, false, &run(1)).unwrap();
        // The class of the row is the last one.
        assert_eq!(margins.rows.order()[59], 7);
        assert_eq!(z[59], [0.0; 6]);
        assert!(z[58].iter().any(|margin| *margin != 0.0));
        let lone = method.fit(&table, &of_codes(&(0..60).collect::<Vec<u32>>()));
        assert!(lone.unwrap_err().to_string().contains("no class of the target has two rows"));
        // Cross-validation works with a class of one row.
        let chosen = Logo { penalty: None, ..method }.fit(&table, &target).unwrap();
        assert!(has_warning(&chosen.report.warnings, "chosen-by-cv"));
    }
}
