//! The likelihood ratio of two features and two classes with covariates: logistic regression with a constant for every
//! combination of levels, against the sum of a constant for every level of each feature.

use super::class_planes::{LevelColumns, PairCounts};
use super::covariate_columns::CovariateColumns;
use super::levels::MISSING;
use super::likelihood_ratio::{LikelihoodRatio, TableFacts};
use crate::data::Classes;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::solve::logistic::{CellLogistic, CellModel, Coefficients, logistic};

/// Two classes and covariates, and the model of the covariates alone, from which the models of pairs start.
pub(super) struct ClassesAndCovariates<'a> {
    features: &'a LevelColumns<'a>,
    covariates: &'a CovariateColumns,
    classes: &'a Classes,
    start: Coefficients,
}

impl<'a> ClassesAndCovariates<'a> {
    /// Fits the model of the covariates.
    ///
    /// # Errors
    /// The covariates separate the classes completely; [`Error::Cancelled`].
    pub(super) fn new(
        features: &'a LevelColumns<'a>,
        covariates: &'a CovariateColumns,
        classes: &'a Classes,
        run: &Run,
    ) -> Result<Self> {
        let ones: Vec<f64> =
            classes.codes().iter().map(|&code| f64::from(u8::from(code == 1))).collect();
        let start = match classes.len() {
            2 => logistic(&covariates.columns, &ones, None, run)?.ok_or_else(nothing_to_test)?,
            // Pairs have no degrees of freedom.
            _ => Coefficients { cells: vec![0.0], covariates: vec![0.0; covariates.columns.len()] },
        };
        Ok(Self { features, covariates, classes, start })
    }

    /// The number of features.
    pub(super) fn len(&self) -> usize {
        self.features.len()
    }
}

/// The error if covariates determine the target.
pub(super) fn nothing_to_test() -> Error {
    Error::data(
        "the covariates determine the target completely, so that there is nothing to test",
        "exclude the covariate that is the target in another form",
    )
}

/// No cell, because a value is missing.
const NO_CELL: u32 = u32::MAX;

/// Tests pairs, for one worker.
pub(super) struct AdjustedRatio<'a> {
    model: &'a ClassesAndCovariates<'a>,
    /// The levels of the first feature.
    first: Vec<u8>,
    /// The cell of every row, or [`NO_CELL`].
    cells: Vec<u32>,
    table: PairCounts,
    unadjusted: LikelihoodRatio<'a>,
    /// Per cell and pattern, the numbers of rows of both classes.
    tally: Vec<[u32; 2]>,
    /// Rows by cell.
    order: Vec<u32>,
    fit: CellLogistic,
}

impl<'a> AdjustedRatio<'a> {
    /// `terms` are [`logarithms`](super::likelihood_ratio::logarithms).
    pub(super) fn new(model: &'a ClassesAndCovariates<'a>, terms: &'a [f64]) -> Self {
        Self {
            model,
            first: Vec::new(),
            cells: Vec::new(),
            table: PairCounts::default(),
            unadjusted: LikelihoodRatio::new(terms),
            tally: Vec::new(),
            order: Vec::new(),
            fit: CellLogistic::default(),
        }
    }

    /// Reads the first feature of the next pairs.
    pub(super) fn read_first(&mut self, feature: usize) {
        self.first = self.model.features.codes(feature).into_owned();
    }

    /// Counts the table of the first feature and another; its properties are those without covariates. `None` if it has no
    /// degrees of freedom.
    pub(super) fn facts(&mut self, first: usize, second: usize) -> Option<TableFacts> {
        let (features, classes) = (self.model.features, self.model.classes);
        let (firsts, seconds) = (features.levels(first), features.levels(second));
        let codes = features.codes(second);
        let count = classes.len();
        self.table.levels = (firsts, seconds);
        self.table.classes = count;
        self.table.cells.clear();
        self.table.cells.resize(firsts * seconds * count, 0);
        self.cells.clear();
        for ((&one, &other), &class) in self.first.iter().zip(&*codes).zip(classes.codes()) {
            if one == MISSING || other == MISSING {
                self.cells.push(NO_CELL);
                continue;
            }
            let cell = usize::from(one) * seconds + usize::from(other);
            self.table.cells[cell * count + class as usize] += 1;
            self.cells.push(cell as u32);
        }
        self.unadjusted.facts(&self.table)
    }

    /// The statistic of the table counted last, which has two classes.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn statistic(&mut self, run: &Run) -> Result<f64> {
        self.sort();
        let Self { model, table, fit, .. } = self;
        let counts: Vec<[u32; 2]> =
            table.cells.chunks_exact(2).map(|of_cell| [of_cell[0], of_cell[1]]).collect();
        let start = &model.start;
        let mut coefficients = Coefficients {
            cells: vec![start.cells[0]; counts.len()],
            covariates: start.covariates.clone(),
        };
        let without = fit.fit(&main_effects(&counts, table.levels), &mut coefficients, run)?;
        // The cells of the second model are among those of the first.
        let with = fit.fit(&saturated(&counts), &mut coefficients, run)?;
        // Rounding may make 0 slightly negative.
        Ok((2.0 * (with - without)).max(0.0))
    }

    /// Sorts the rows by cell, as observations of the fit.
    fn sort(&mut self) {
        let Self { model, cells, table, tally, order, fit, .. } = self;
        let (covariates, classes) = (model.covariates, model.classes.codes());
        let observations = fit.new_observations();
        if let Some(patterns) = &covariates.patterns {
            let count = patterns.examples.len();
            tally.clear();
            tally.resize(table.levels.0 * table.levels.1 * count, [0; 2]);
            for ((&cell, &pattern), &class) in cells.iter().zip(&patterns.of_rows).zip(classes) {
                if cell != NO_CELL {
                    tally[cell as usize * count + pattern as usize][class as usize] += 1;
                }
            }
            for of_cell in tally.chunks(count.max(1)) {
                for (&[zeros, ones], &example) in of_cell.iter().zip(&patterns.examples) {
                    if zeros + ones > 0 {
                        let count = f64::from(zeros + ones);
                        observations.push(example, count, f64::from(ones));
                    }
                }
                observations.end_cell();
            }
        } else {
            let mut ends = Vec::new();
            let mut end = 0;
            for of_cell in table.cells.chunks_exact(2) {
                ends.push(end);
                end += (of_cell[0] + of_cell[1]) as usize;
            }
            order.clear();
            order.resize(end, 0);
            for (row, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != NO_CELL) {
                let end = &mut ends[cell as usize];
                order[*end] = row as u32;
                *end += 1;
            }
            let mut start = 0;
            for end in ends {
                for &row in &order[start..end] {
                    observations.push(row, 1.0, f64::from(classes[row as usize]));
                }
                observations.end_cell();
                start = end;
            }
        }
        observations.read_covariates(&covariates.columns);
    }
}

/// The model with a constant for every level of each feature.
///
/// A level whose rows have one class makes its constant infinite. In this limit its rows have log-likelihood 0 and do not
/// affect other coefficients, so they are left out; this may leave rows of one class in another level.
fn main_effects(counts: &[[u32; 2]], (firsts, seconds): (usize, usize)) -> CellModel {
    let mut active: Vec<bool> = counts.iter().map(|counts| counts[0] + counts[1] > 0).collect();
    loop {
        let mut of_firsts = vec![[0; 2]; firsts];
        let mut of_seconds = vec![[0; 2]; seconds];
        for cell in (0..counts.len()).filter(|&cell| active[cell]) {
            for class in 0..2 {
                of_firsts[cell / seconds][class] += counts[cell][class];
                of_seconds[cell % seconds][class] += counts[cell][class];
            }
        }
        let mut changed = false;
        for cell in 0..counts.len() {
            let levels = [of_firsts[cell / seconds], of_seconds[cell % seconds]];
            if active[cell] && levels.iter().any(|[zeros, ones]| *zeros == 0 || *ones == 0) {
                active[cell] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut parameters = 0;
    let mut next = || {
        parameters += 1;
        parameters - 1
    };
    let mut of_firsts = vec![None; firsts];
    let mut of_seconds = vec![None; seconds];
    // The first level of the second feature is the reference.
    let reference = (0..counts.len()).filter(|&cell| active[cell]).map(|cell| cell % seconds).min();
    for cell in (0..counts.len()).filter(|&cell| active[cell]) {
        of_firsts[cell / seconds].get_or_insert_with(&mut next);
        if Some(cell % seconds) != reference {
            of_seconds[cell % seconds].get_or_insert_with(&mut next);
        }
    }
    let of_cell = |cell: usize| {
        let one = of_firsts[cell / seconds].filter(|_| active[cell])?;
        Some((one, of_seconds[cell % seconds]))
    };
    CellModel { of_cells: (0..counts.len()).map(of_cell).collect(), parameters }
}

/// The model with a constant for every cell. Cells whose rows have one class are left out, as in [`main_effects`].
fn saturated(counts: &[[u32; 2]]) -> CellModel {
    let mut parameters = 0;
    let of_cell = |&[zeros, ones]: &[u32; 2]| {
        (zeros > 0 && ones > 0).then(|| {
            parameters += 1;
            (parameters - 1, None)
        })
    };
    let of_cells = counts.iter().map(of_cell).collect();
    CellModel { of_cells, parameters }
}
