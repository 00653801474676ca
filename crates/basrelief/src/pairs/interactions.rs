//! The strengths of the interactions of all pairs of features.

use super::chosen::chosen;
use super::gain::Gain;
use super::pair_measure::{Measured, PairMeasure};
use super::product_term::ProductTerm;
use super::triangle;
use crate::data::{Table, Target};
use crate::error::{Error, Result};
use crate::inference::Permutations;
use crate::parallel;
use crate::run::Run;

/// Strengths that differ by less count as equal, so that the order of summation does not matter.
const TIED: f64 = 1e-9;

/// Maximum number of permutations per block, and of bytes of their targets.
const MOST_PERMUTATIONS: u64 = 128;
const BLOCK_BYTES: u64 = 1 << 26;

/// The measure of an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// For classes: the interaction gain, in bits.
    InteractionGain,
    /// For a numeric target: the partial R^2 of the product term.
    PartialR2,
}

impl Measure {
    /// The name: `interaction gain` or `partial R^2`.
    pub fn name(self) -> &'static str {
        match self {
            Measure::InteractionGain => "interaction gain",
            Measure::PartialR2 => "partial R^2",
        }
    }

    /// The unit of the strengths: `bits`, or `None` for partial R^2, which is a fraction.
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
    /// Position of the second feature, larger than that of the first.
    pub second: usize,
    /// The strength of the interaction, corrected for chance: 0 in expectation without an interaction, below 0 if the
    /// features are redundant. Exactly 0 if one of them does not vary or the strength cannot be estimated.
    pub strength: f64,
    /// The strength without correction.
    pub uncorrected: f64,
    /// The number of rows in which both features are known; others are excluded.
    pub rows: usize,
    /// In a test, the fraction of permutations of the target, including the observed order, in which the pair is as
    /// strong or stronger.
    pub p_value: Option<f64>,
    /// In a test, the fraction of permutations, including the observed order, in which the strongest of all pairs is
    /// as strong or stronger (max-T). This controls the family-wise error rate.
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
/// of features as levels: genotypes, categories (if there are more than 8, the 7 most frequent, and all others
/// pooled), and 3 to 5 bins of numbers with about equal numbers of rows, where equal numbers stay together. Entropies
/// are those of the counts plus `(m - 1) / (2 N ln 2)` bits, for `m` nonempty cells and `N` rows (Miller 1955).
///
/// **Numeric target**: the partial R^2 of the product in the linear model of an intercept, both features and their
/// product: the fraction that the product explains of the variation that the other terms leave unexplained. Genotypes
/// enter as their number of copies. A category has one column for every level except the first, and the products are
/// those of every column of one feature with every column of the other. Columns that depend linearly on previous ones
/// are excluded. If the model without products has `m` columns and `q` products are added to it, the strength is
/// adjusted for their number as R^2 is (Ezekiel 1930):
///
/// ```text
/// 1 - (1 - R^2) (N - m) / (N - m - q)
/// ```
///
/// Every pair is measured in the rows in which both features are known.
///
/// The p-values of a test refer to the hypothesis that the target is independent of all features. They are valid for
/// [groups](crate::data::Groups) of rows, because the permutations keep them; the correction of the strengths for chance
/// assumes independent rows. If features have
/// strong main effects, chance gains in permutations are smaller than those in the presence of the main effects, so
/// that a small p-value of a pair is weaker evidence. If features have many levels, strengths vary more by chance;
/// under max-T, pairs with few levels must be as strong as these.
///
/// Sources: W. J. McGill. Multivariate information transmission. Psychometrika 19(2), 1954. A. Jakulin and I. Bratko.
/// Analyzing attribute dependencies. PKDD 2003. G. A. Miller. Note on the bias of information estimates. Information
/// Theory in Psychology, 1955. M. Ezekiel. Methods of Correlation Analysis. Wiley, 1930. P. H. Westfall and S. S.
/// Young. Resampling-Based Multiple Testing. Wiley, 1993.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactions {
    /// The features, by their positions in the table.
    pub features: Vec<usize>,
    /// The measure of the strengths.
    pub measure: Measure,
    /// All pairs in the order of the upper triangle: 0 with 1, 0 with 2, ..., 1 with 2, ...
    pub pairs: Vec<Interaction>,
}

impl Interactions {
    /// Measures the features at some positions of a table.
    ///
    /// # Errors
    /// A position that the table does not have, or that occurs twice; a target with another number of rows;
    /// [`Error::Cancelled`].
    pub fn measure(
        table: &Table<'_>,
        features: &[usize],
        target: &Target,
        run: &Run,
    ) -> Result<Self> {
        Self::found(table, features, target, None, run)
    }

    /// Measures the features and computes p-values from `draws` permutations.
    ///
    /// # Errors
    /// See [`measure`](Self::measure); the number of permutations is 0.
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
                "0 permutations do not give p-values",
                "give at least 1, for example 1000",
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
        let (measure, pairs) = match target.as_classes() {
            Some(classes) => (
                Measure::InteractionGain,
                all_pairs(&Gain::new(&columns, classes), columns.len(), test, run)?,
            ),
            None => {
                let values = target.values("the measure of pairs")?;
                let products = ProductTerm::new(&columns, values, None);
                (Measure::PartialR2, all_pairs(&products, columns.len(), test, run)?)
            }
        };
        Ok(Self { features: features.to_vec(), measure, pairs })
    }

    /// The pair of two different positions in the list of features, in either order; `None` if there is none.
    pub fn pair(&self, one: usize, other: usize) -> Option<&Interaction> {
        self.pairs.get(triangle::place(self.features.len(), one, other)?)
    }

    /// At most `count` of the strongest pairs, the strongest first; ties stay in the order of the pairs.
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
    let mut pairs = run.install(|| parallel::try_map(&places, observe))?;
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
            let targets = measure.targets(permutations, start..end);
            let none = || vec![f64::NEG_INFINITY; (end - start) as usize];
            let one = |largest: &mut Vec<f64>, (pair, exceedances): (&Interaction, &mut u64)| {
                run.check()?;
                let found = measure.permuted(&measure.pair(pair.first, pair.second), &targets);
                let as_strong = |strength: &&f64| **strength >= pair.strength - TIED;
                *exceedances += found.iter().filter(as_strong).count() as u64;
                keep_greater(largest, &found);
                run.progress().advance(end - start);
                Ok(())
            };
            let merge = |mut largest: Vec<f64>, part: Vec<f64>| {
                keep_greater(&mut largest, &part);
                largest
            };
            parallel::try_fold(pairs.iter().zip(&mut exceedances), none, one, merge)
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

/// Keeps the larger of two numbers at every position.
fn keep_greater(largest: &mut [f64], found: &[f64]) {
    largest.iter_mut().zip(found).for_each(|(largest, &found)| *largest = largest.max(found));
}
