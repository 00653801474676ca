//! How strongly the features of every pair act together.

use rayon::prelude::*;

use super::chosen::chosen;
use super::gain::Gain;
use super::pair_measure::{Measured, PairMeasure};
use super::product_term::ProductTerm;
use super::triangle;
use crate::data::{Table, Target};
use crate::error::{Error, Result};
use crate::inference::Permutations;
use crate::run::Run;

/// Strengths that differ by less are equal: what is added up in another order must not decide.
const TIED: f64 = 1e-9;

/// Permutations at a time, and bytes of their targets at most.
const MOST_PERMUTATIONS: u64 = 128;
const BLOCK_BYTES: u64 = 1 << 26;

/// What an interaction is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Of classes: the interaction gain, in bits.
    InteractionGain,
    /// Of a real target: the partial R^2 of the product term.
    PartialR2,
}

impl Measure {
    /// `interaction gain` or `partial R^2`.
    pub fn name(self) -> &'static str {
        match self {
            Measure::InteractionGain => "interaction gain",
            Measure::PartialR2 => "partial R^2",
        }
    }

    /// The unit of the strengths: `bits`, or none, as partial R^2 is a share.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Measure::InteractionGain => Some("bits"),
            Measure::PartialR2 => None,
        }
    }
}

/// The interaction of one pair of features.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Position of the first feature in [`Interactions::features`].
    pub first: usize,
    /// Position of the second, greater than that of the first.
    pub second: usize,
    /// How strongly they act together, corrected for chance: 0 in expectation where they do not, below 0 where they
    /// tell the same. Exactly 0 where one of them does not vary, or nothing can be said.
    pub strength: f64,
    /// The same without correction.
    pub uncorrected: f64,
    /// Rows in which both are known; others do not count.
    pub rows: usize,
    /// The share of permutations of the target, the observed order among them, in which the pair is as strong; in a
    /// test.
    pub p_value: Option<f64>,
    /// The same with the strongest of all pairs in every permutation (max-T), which keeps the family-wise error
    /// rate; in a test.
    pub adjusted: Option<f64>,
}

/// The interactions of all pairs of some features with a target.
///
/// **Classes**: the interaction gain in bits (McGill 1954; Jakulin & Bratko 2003),
///
/// ```text
/// I(A,B;C) - I(A;C) - I(B;C) = H(AB) + H(AC) + H(BC) - H(ABC) - H(A) - H(B) - H(C)
/// ```
///
/// of features as levels: genotypes, categories (the 7 most frequent of more than
/// 8, all others pooled), and 3 to 5 bins of numbers with about as many rows, where
/// equal numbers stay together. Entropies are those of the counts plus `(m - 1) / (2 N ln 2)` bits, for `m` cells that
/// some of the `N` rows are in (Miller 1955).
///
/// **Real target**: the partial R^2 of the product in the linear model of an intercept, both features and their
/// product: of what the former leave unexplained, the share that the product explains. Genotypes count their copies;
/// of a category there is a column for every level but the first, and the products are those of every column of one
/// with every column of the other. Columns that depend on those before them are left out. Where `m` columns are in the
/// model without products and `q` products add to it, the strength is adjusted for their number as R^2 is (Ezekiel
/// 1930):
///
/// ```text
/// 1 - (1 - R^2) (N - m) / (N - m - q)
/// ```
///
/// Every pair is taken in the rows where both are known.
///
/// The p-values of a test are about the hypothesis that the target has nothing to do with any feature. Where features
/// tell much by themselves, chance makes smaller gains in permutations than beside them, and a small p-value of a pair
/// says less. Where features have many levels, strengths vary more by chance, and by max-T pairs of few levels must be
/// as strong as these.
///
/// Sources: W. J. McGill. Multivariate information transmission. Psychometrika 19(2), 1954. A. Jakulin and I. Bratko.
/// Analyzing attribute dependencies. PKDD 2003. G. A. Miller. Note on the bias of information estimates. Information
/// Theory in Psychology, 1955. M. Ezekiel. Methods of Correlation Analysis. Wiley, 1930. P. H. Westfall and S. S. Young.
/// Resampling-Based Multiple Testing. Wiley, 1993.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactions {
    /// The features, by their places in the table.
    pub features: Vec<usize>,
    /// What the strengths are.
    pub measure: Measure,
    /// All pairs in the order of the upper triangle: 0 with 1, 0 with 2, ..., 1 with 2, ...
    pub pairs: Vec<Interaction>,
}

impl Interactions {
    /// Of the features at some places of a table.
    ///
    /// # Errors
    /// A place that the table lacks, or named twice; a target of another number of rows; [`Error::Cancelled`].
    pub fn measure(
        table: &Table<'_>,
        features: &[usize],
        target: &Target,
        run: &Run,
    ) -> Result<Self> {
        Self::found(table, features, target, None, run)
    }

    /// The same with p-values of so many permutations.
    ///
    /// # Errors
    /// The same, and no permutation.
    pub fn test(
        table: &Table<'_>,
        features: &[usize],
        permutations: &Permutations<'_>,
        draws: u64,
        run: &Run,
    ) -> Result<Self> {
        if draws == 0 {
            return Err(Error::option(
                "permutations",
                "0 permutations say nothing of chance",
                "give 1 or more, as 1000",
            ));
        }
        Self::found(table, features, permutations.target(), Some((permutations, draws)), run)
    }

    fn found(
        table: &Table<'_>,
        features: &[usize],
        target: &Target,
        test: Option<(&Permutations<'_>, u64)>,
        run: &Run,
    ) -> Result<Self> {
        let columns = chosen(table, features, target)?;
        let (measure, pairs) = match target {
            Target::Classes(classes) => (
                Measure::InteractionGain,
                all_pairs(&Gain::new(&columns, classes), columns.len(), test, run)?,
            ),
            Target::Real(values) => (
                Measure::PartialR2,
                all_pairs(&ProductTerm::new(&columns, values), columns.len(), test, run)?,
            ),
        };
        Ok(Self { features: features.to_vec(), measure, pairs })
    }

    /// The pair of two different positions in the list of features, in either order; `None` where there is none.
    pub fn pair(&self, one: usize, other: usize) -> Option<&Interaction> {
        self.pairs.get(triangle::place(self.features.len(), one, other)?)
    }

    /// The strongest pairs, at most so many, the strongest first; of equally strong ones those that come first.
    pub fn strongest(&self, count: usize) -> Vec<&Interaction> {
        let mut pairs: Vec<&Interaction> = self.pairs.iter().collect();
        pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength));
        pairs.truncate(count);
        pairs
    }
}

fn all_pairs<M: PairMeasure>(
    measure: &M,
    columns: usize,
    test: Option<(&Permutations<'_>, u64)>,
    run: &Run,
) -> Result<Vec<Interaction>> {
    let places = triangle::pairs(columns);
    run.progress().start("pairs", places.len() as u64);
    let observe = |&(first, second): &(usize, usize)| {
        run.check()?;
        let Measured { strength, uncorrected, rows } =
            measure.observed(&measure.pair(first, second));
        run.progress().advance(1);
        let (p_value, adjusted) = (None, None);
        Ok(Interaction { first, second, strength, uncorrected, rows, p_value, adjusted })
    };
    let mut pairs: Vec<Interaction> =
        run.install(|| places.par_iter().map(observe).collect::<Result<_>>())?;
    run.progress().finish();
    if let Some((permutations, draws)) = test {
        add_p_values(measure, &mut pairs, permutations, draws, run)?;
    }
    Ok(pairs)
}

fn add_p_values<M: PairMeasure>(
    measure: &M,
    pairs: &mut [Interaction],
    permutations: &Permutations<'_>,
    draws: u64,
    run: &Run,
) -> Result<()> {
    let bytes = 8 * permutations.target().rows().max(1) as u64;
    let size = (BLOCK_BYTES / bytes).clamp(1, MOST_PERMUTATIONS);
    let mut exceedances = vec![0_u64; pairs.len()];
    let mut largest = Vec::with_capacity(draws as usize);
    run.progress().start("permuting", draws.saturating_mul(pairs.len() as u64));
    let mut start = 0;
    while start < draws {
        run.check()?;
        let end = draws.min(start + size);
        let of_block = run.install(|| -> Result<Vec<f64>> {
            let orders: Vec<Vec<u32>> =
                (start..end).into_par_iter().map(|number| permutations.order(number)).collect();
            let targets = measure.targets(&orders);
            let none = || vec![f64::NEG_INFINITY; orders.len()];
            let one = |(pair, exceedances): (&Interaction, &mut u64)| {
                run.check()?;
                let found = measure.permuted(&measure.pair(pair.first, pair.second), &targets);
                let as_strong = |strength: &&f64| **strength >= pair.strength - TIED;
                *exceedances += found.iter().filter(as_strong).count() as u64;
                run.progress().advance(end - start);
                Ok(found)
            };
            pairs
                .par_iter()
                .zip(&mut exceedances)
                .map(one)
                .try_reduce(none, |one, other| Ok(greater(one, &other)))
        })?;
        largest.extend(of_block);
        start = end;
    }
    run.progress().finish();
    largest.sort_by(f64::total_cmp);
    let all = 1.0 + draws as f64;
    for (pair, exceedances) in pairs.iter_mut().zip(exceedances) {
        let below = largest.partition_point(|strength| *strength < pair.strength - TIED);
        pair.p_value = Some((1.0 + exceedances as f64) / all);
        pair.adjusted = Some((1.0 + (largest.len() - below) as f64) / all);
    }
    Ok(())
}

/// The greater of two numbers at every place.
fn greater(mut one: Vec<f64>, other: &[f64]) -> Vec<f64> {
    one.iter_mut().zip(other).for_each(|(one, &other)| *one = one.max(other));
    one
}
