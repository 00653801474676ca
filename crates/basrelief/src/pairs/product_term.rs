//! The partial R^2 of the product term: the fraction of a numeric target's variation unexplained by two features that
//! their product explains.

use std::borrow::Cow;
use std::ops::Range;

use super::basis::{Basis, DEPENDENT, Scale, standardize};
use super::covariate_columns::CovariateColumns;
use super::levels::{Levels, MISSING};
use super::pair_measure::{Measured, PairMeasure};
use crate::algebra::{block_row_products, dot};
use crate::data::{Column, ColumnKind, Target};
use crate::inference::Permutations;
use crate::parallel;

/// Computes the partial R^2 of products of columns.
pub(super) struct ProductTerm<'c> {
    columns: Vec<Design>,
    /// Covariates in the models of all pairs.
    covariates: Option<&'c CovariateColumns>,
    /// The target, with mean 0 and variance 1 (all 0 if it does not vary). With covariates, the residuals of their linear
    /// model: F is the same, and permutations of these residuals retain the effects of the covariates.
    target: Vec<f64>,
    /// The scale of the target before it is replaced by residuals.
    scale: Scale,
}

/// Permuted targets, one after the other, and the sum of the squares of each. The sums differ if whole groups of unequal
/// sizes are exchanged.
pub(super) struct PermutedTargets {
    values: Vec<f64>,
    squares: Vec<f64>,
}

/// A feature as columns of a linear model.
enum Design {
    /// One column, standardized; NaN is missing.
    Numbers(Vec<f64>),
    /// One row of the columns' values per level: the standardized copies of a genotype, or the indicators of all
    /// categories except the first.
    Levels { codes: Vec<u8>, rows: Vec<Vec<f64>> },
}

impl Design {
    fn new(column: &Column<'_>) -> Self {
        let mut values = Vec::with_capacity(column.len());
        let (is_genotype, is_category) =
            (column.kind() == ColumnKind::Genotype, column.categories().is_some());
        if !is_category {
            column.copy_values(&mut values);
            standardize(&mut values);
        }
        if !is_category && !is_genotype {
            return Design::Numbers(values);
        }
        let Levels { levels, codes } = Levels::new(column);
        let count = levels.len();
        let mut rows: Vec<Vec<f64>> = (0..count)
            .map(|level| (1..count).map(|other| f64::from(u8::from(level == other))).collect())
            .collect();
        if is_genotype {
            for (&code, &value) in codes.iter().zip(&values).filter(|(code, _)| **code != MISSING) {
                rows[usize::from(code)] = vec![value];
            }
        }
        Design::Levels { codes, rows }
    }

    /// Number of columns.
    fn width(&self) -> usize {
        match self {
            Design::Numbers(_) => 1,
            Design::Levels { rows, .. } => rows.first().map_or(0, Vec::len),
        }
    }

    /// The columns' values in a row; `None` if the value is missing.
    fn row(&self, row: usize) -> Option<&[f64]> {
        match self {
            Design::Numbers(values) => {
                (!values[row].is_nan()).then(|| std::slice::from_ref(&values[row]))
            }
            Design::Levels { codes, rows } => {
                (codes[row] != MISSING).then(|| rows[usize::from(codes[row])].as_slice())
            }
        }
    }
}

impl<'c> ProductTerm<'c> {
    pub(super) fn new(
        columns: &[&Column<'_>],
        target: &[f64],
        covariates: Option<&'c CovariateColumns>,
    ) -> Self {
        let mut target = target.to_vec();
        let scale = Scale::new(&target);
        scale.apply(&mut target);
        if let Some(covariates) = covariates {
            target = covariates.residuals(&target);
            standardize(&mut target);
        }
        let columns = columns.iter().map(|column| Design::new(column)).collect();
        Self { columns, covariates, target, scale }
    }

    /// Whether the target varies, within rows with equal covariates if there are covariates.
    pub(super) fn varies(&self) -> bool {
        self.target.iter().any(|value| *value != 0.0)
    }
}

/// The rows of a pair in groups with equal values of both features and of all covariates.
struct Groups {
    /// Per row, its group, or [`NO_GROUP`] if a value is missing; `None` if every row is a separate group.
    of_rows: Option<Vec<u32>>,
    /// Per group, one of its rows.
    examples: Vec<usize>,
    /// Per group, the square root of its size.
    roots: Vec<f64>,
    /// Rows with a missing value.
    missing: Vec<u32>,
}

const NO_GROUP: u32 = u32::MAX;

impl Groups {
    fn new(
        first: &Design,
        second: &Design,
        covariates: Option<&CovariateColumns>,
        rows: usize,
    ) -> Self {
        let known = |row: &usize| first.row(*row).is_some() && second.row(*row).is_some();
        let missing = (0..rows).filter(|row| !known(row)).map(|row| row as u32).collect();
        let patterns = covariates.map(|covariates| covariates.patterns.as_ref());
        let (
            Design::Levels { codes: one, rows: ones },
            Design::Levels { codes: other, rows: others },
            None | Some(Some(_)),
        ) = (first, second, patterns)
        else {
            return Self {
                of_rows: None,
                examples: (0..rows).collect(),
                roots: vec![1.0; rows],
                missing,
            };
        };
        let patterns = patterns.flatten();
        let count = patterns.map_or(1, |patterns| patterns.examples.len());
        let pattern = |row: usize| patterns.map_or(0, |patterns| patterns.of_rows[row] as usize);
        let mut group_of = vec![NO_GROUP; ones.len() * others.len() * count];
        let (mut sizes, mut examples) = (Vec::<u32>::new(), Vec::new());
        let mut of_rows = vec![NO_GROUP; rows];
        for row in (0..rows).filter(known) {
            let cell = usize::from(one[row]) * others.len() + usize::from(other[row]);
            let group = &mut group_of[cell * count + pattern(row)];
            if *group == NO_GROUP {
                *group = sizes.len() as u32;
                sizes.push(0);
                examples.push(row);
            }
            of_rows[row] = *group;
            sizes[*group as usize] += 1;
        }
        let roots = sizes.into_iter().map(|size| f64::from(size).sqrt()).collect();
        Self { of_rows: Some(of_rows), examples, roots, missing }
    }

    fn len(&self) -> usize {
        self.examples.len()
    }

    /// Sums a target over the groups.
    fn sums(&self, target: &[f64], sums: &mut [f64]) {
        let Some(of_rows) = &self.of_rows else { return sums.copy_from_slice(target) };
        sums.fill(0.0);
        for (&group, value) in of_rows.iter().zip(target) {
            // `NO_GROUP` is not the index of a sum.
            if let Some(sum) = sums.get_mut(group as usize) {
                *sum += value;
            }
        }
    }
}

/// The linear model of a pair: columns that are orthonormal over the rows.
pub(super) struct PairModel {
    groups: Groups,
    /// Column after column, one value per group: the intercept, the covariates and the features, then the products.
    /// Missing values are 0.
    columns: Vec<f64>,
    /// Number of columns of the intercept, the covariates and the features.
    main: usize,
    /// Number of columns of the products.
    products: usize,
    /// Number of rows in which both features are known.
    rows: usize,
}

impl PairModel {
    /// The number of terms that the products add, and the residual degrees of freedom of the complete model; `None`
    /// if either is 0.
    pub(super) fn degrees(&self) -> Option<(usize, usize)> {
        let residual = self.rows.checked_sub(self.main + self.products)?;
        (self.products > 0 && residual > 0).then_some((self.products, residual))
    }

    /// The partial R^2 of a target, from its products with the columns and the sum of its squares in all rows.
    fn explained(&self, target: &[f64], squares: f64, products: &[f64]) -> Measured {
        let none = Measured { strength: 0.0, uncorrected: 0.0, rows: self.rows };
        if self.products == 0 {
            return none;
        }
        let missing: f64 =
            self.groups.missing.iter().map(|&row| target[row as usize].powi(2)).sum();
        let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let (main, added) = products.split_at(self.main);
        let total = squares - missing - square(&main[..1]);
        let left = total - square(&main[1..]);
        // No variation is left to explain.
        if left <= DEPENDENT * squares {
            return none;
        }
        let uncorrected = (square(added) / left).min(1.0);
        let free = self.rows as f64 - self.main as f64;
        let free_after = free - self.products as f64;
        if free_after <= 0.0 {
            return Measured { uncorrected, ..none };
        }
        let strength = 1.0 - (1.0 - uncorrected) * free / free_after;
        Measured { strength, uncorrected, rows: self.rows }
    }
}

impl PairMeasure for ProductTerm<'_> {
    type Pair = PairModel;
    type Targets = PermutedTargets;

    fn pair(&self, first: usize, second: usize) -> PairModel {
        let (first, second) = (&self.columns[first], &self.columns[second]);
        let groups = Groups::new(first, second, self.covariates, self.target.len());
        // Scalar products over all rows equal those over groups with values times the square root of the group size.
        let values = |value: &dyn Fn(&[f64], &[f64]) -> f64| -> Vec<f64> {
            let value = |(&row, root): (&usize, &f64)| match (first.row(row), second.row(row)) {
                (Some(one), Some(other)) => value(one, other) * root,
                _ => 0.0,
            };
            groups.examples.iter().zip(&groups.roots).map(value).collect()
        };
        let mut basis = Basis::default();
        basis.add(values(&|_, _| 1.0));
        for column in self.covariates.iter().flat_map(|covariates| &covariates.columns) {
            if groups.of_rows.is_none() && groups.missing.is_empty() {
                // The covariates are orthonormal over all rows, except for their scale.
                let length = (column.len() as f64).sqrt();
                basis.columns.push(column.iter().map(|value| value / length).collect());
                continue;
            }
            let is_known = |row| first.row(row).is_some() && second.row(row).is_some();
            let value = |(&row, root): (&usize, &f64)| match is_known(row) {
                true => column[row] * root,
                false => 0.0,
            };
            basis.add(groups.examples.iter().zip(&groups.roots).map(value).collect());
        }
        for column in 0..first.width() {
            basis.add(values(&|one, _| one[column]));
        }
        for column in 0..second.width() {
            basis.add(values(&|_, other| other[column]));
        }
        let main = basis.columns.len();
        for column in 0..first.width() {
            for with in 0..second.width() {
                basis.add(values(&|one, other| one[column] * other[with]));
            }
        }
        let products = basis.columns.len() - main;
        let mut columns = basis.columns.concat();
        for column in columns.chunks_mut(groups.roots.len().max(1)) {
            column.iter_mut().zip(&groups.roots).for_each(|(value, root)| *value /= root);
        }
        let rows = self.target.len() - groups.missing.len();
        PairModel { groups, columns, main, products, rows }
    }

    fn observed(&self, pair: &PairModel) -> Measured {
        let mut sums = vec![0.0; pair.groups.len()];
        pair.groups.sums(&self.target, &mut sums);
        let columns = pair.columns.chunks(pair.groups.len().max(1));
        let products: Vec<f64> = columns.map(|column| dot(column, &sums)).collect();
        pair.explained(&self.target, dot(&self.target, &self.target), &products)
    }

    fn targets(&self, permutations: &Permutations<'_>, numbers: Range<u64>) -> PermutedTargets {
        // Residuals are permuted, unless the permutations retain the effects of the covariates on the target itself.
        let are_residuals = self.covariates.is_some()
            && !permutations.scheme().is_some_and(|scheme| scheme.given_covariates);
        let in_order = |number| -> Vec<f64> {
            let order = permutations.order(number).into_iter();
            order.map(|from| self.target[from as usize]).collect()
        };
        let permuted = |number| {
            if are_residuals {
                return in_order(number);
            }
            match permutations.permuted(number) {
                Target::Real(mut values) => {
                    self.scale.apply(&mut values);
                    values
                }
                // Does not occur: the measure is that of a numeric target.
                _ => in_order(number),
            }
        };
        let targets = parallel::map(numbers, permuted);
        let squares = targets.iter().map(|target| dot(target, target)).collect();
        PermutedTargets { values: targets.concat(), squares }
    }

    fn permuted(&self, pair: &PairModel, targets: &PermutedTargets) -> Vec<f64> {
        let PermutedTargets { values: targets, squares } = targets;
        let rows = self.target.len().max(1);
        let count = squares.len();
        let (groups, width) = (pair.groups.len(), pair.main + pair.products);
        let mut sums = Cow::Borrowed(targets);
        if pair.groups.of_rows.is_some() {
            let mut of_groups = vec![0.0; count * groups];
            for (target, sums) in targets.chunks(rows).zip(of_groups.chunks_mut(groups.max(1))) {
                pair.groups.sums(target, sums);
            }
            sums = Cow::Owned(of_groups);
        }
        let mut products = vec![0.0; count * width];
        block_row_products(1.0, &sums, &pair.columns, groups, &mut products);
        let one = |at: usize| {
            let products = &products[at * width..][..width];
            let target = &targets[at * rows..][..rows];
            pair.explained(target, squares[at], products).strength
        };
        (0..count).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categories;

    fn numbers(values: &[f64]) -> Column<'static> {
        Column::from_values("a", values.to_vec()).unwrap()
    }

    fn texts(values: &[&str]) -> Column<'static> {
        Column::categorical("c", Categories::from_texts(values.iter().map(|text| Some(*text))))
    }

    fn measured(first: &Column<'_>, second: &Column<'_>, target: &[f64]) -> Measured {
        let measure = ProductTerm::new(&[first, second], target, None);
        measure.observed(&measure.pair(0, 1))
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found} and not {wanted}");
    }

    const LEFT: [f64; 8] = [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0];
    const RIGHT: [f64; 8] = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
    /// Orthogonal to both, to their product and to the intercept.
    const REST: [f64; 8] = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];

    #[test]
    fn products_by_hand() {
        let (a, b) = (numbers(&LEFT), numbers(&RIGHT));
        let target = |weights: [f64; 4]| -> Vec<f64> {
            let parts = |row: usize| [LEFT[row], RIGHT[row], LEFT[row] * RIGHT[row], REST[row]];
            let value = |row| parts(row).iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
            (0..8).map(|row| 10.0 + value(row)).collect()
        };
        // Only the product remains.
        let found = measured(&a, &b, &target([2.0, -1.0, 3.0, 0.0]));
        near(found.uncorrected, 1.0);
        near(found.strength, 1.0);
        // The product explains 9 of 9 + 16. The residual degrees of freedom are 5 without it and 4 with it.
        let found = measured(&a, &b, &target([2.0, -1.0, 3.0, 4.0]));
        near(found.uncorrected, 0.36);
        near(found.strength, 1.0 - 0.64 * 5.0 / 4.0);
        assert_eq!(found.rows, 8);
        // No product.
        let found = measured(&a, &b, &target([2.0, -1.0, 0.0, 4.0]));
        near(found.uncorrected, 0.0);
        near(found.strength, -0.25);
        // The features explain everything.
        let found = measured(&a, &b, &target([2.0, -1.0, 0.0, 0.0]));
        assert_eq!((found.strength, found.uncorrected), (0.0, 0.0));
        // Categories in any order give the same result.
        let word = |value: &f64| if *value < 0.0 { "low" } else { "high" };
        let words = |values: &[f64; 8]| texts(&values.iter().map(word).collect::<Vec<_>>());
        let y = target([2.0, -1.0, 3.0, 4.0]);
        for (a, b) in [(&words(&LEFT), &b), (&a, &words(&RIGHT)), (&words(&LEFT), &words(&RIGHT))] {
            near(measured(a, b, &y).uncorrected, 0.36);
        }
        // Genotypes 0 and 2, very large and very small numbers also give the same result.
        let copies = LEFT.map(|value| (value + 1.0) as u8).to_vec();
        near(measured(&Column::genotype("g", copies.into()).unwrap(), &b, &y).uncorrected, 0.36);
        for scale in [1e300, 1e-300] {
            let a = numbers(&LEFT.map(|value| value * scale));
            let y: Vec<f64> = y.iter().map(|value| value * scale).collect();
            near(measured(&a, &b, &y).uncorrected, 0.36);
        }
    }

    #[test]
    fn what_a_product_cannot_add_is_0() {
        let y: Vec<f64> = (0..8).map(|row| f64::from(row * row % 7)).collect();
        let zero = |found: Measured| assert_eq!((found.strength, found.uncorrected), (0.0, 0.0));
        let a = numbers(&LEFT);
        zero(measured(&a, &numbers(&[4.0; 8]), &y));
        zero(measured(&texts(&["x"; 8]), &a, &y));
        // The square of a number with two values is not a new column, nor are products of a category with itself.
        zero(measured(&a, &a, &y));
        let words = texts(&["u", "v", "w", "u", "v", "w", "u", "v"]);
        zero(measured(&words, &words, &y));
        zero(measured(&a, &numbers(&RIGHT), &[0.1; 8]));
        // No row, and two rows.
        zero(measured(&numbers(&[f64::NAN; 8]), &a, &y));
        zero(measured(&numbers(&[0.0, 1.0]), &numbers(&[1.0, 0.0]), &[3.0, 4.0]));
        // Four rows and four columns: no residual degrees of freedom remain.
        let found = measured(&numbers(&LEFT[..4]), &numbers(&RIGHT[..4]), &[1.0, 2.0, 4.0, 9.0]);
        assert_eq!(found.strength, 0.0);
        near(found.uncorrected, 1.0);
    }
}
