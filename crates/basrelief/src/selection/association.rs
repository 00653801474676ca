//! The similarity of two features by their values.

use crate::data::{Column, ColumnKind};

/// The measure of the similarity of two features, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Association {
    /// The absolute value of Pearson's correlation, for numbers and genotypes (by their copies).
    Pearson,
    /// Cramér's V, corrected for bias, for a category with a category or genotype.
    CramersV,
    /// The correlation ratio, corrected for bias, for a category with numbers.
    CorrelationRatio,
}

impl Association {
    /// The measure for two features of the given kinds.
    fn between(one: ColumnKind, other: ColumnKind) -> Self {
        match (one, other) {
            (ColumnKind::Categorical, ColumnKind::Numeric)
            | (ColumnKind::Numeric, ColumnKind::Categorical) => Association::CorrelationRatio,
            (ColumnKind::Categorical, _) | (_, ColumnKind::Categorical) => Association::CramersV,
            _ => Association::Pearson,
        }
    }
}

/// A column's values as numbers, NaN where missing, and its kind.
pub(crate) struct KnownValues {
    kind: ColumnKind,
    values: Vec<f64>,
}

impl KnownValues {
    pub(crate) fn new(column: &Column<'_>) -> Self {
        let mut values = Vec::with_capacity(column.len());
        column.copy_values(&mut values);
        Self { kind: column.kind(), values }
    }

    /// The correlation with another column, from 0 to 1, by the [`Association`] of the two kinds, in the rows in which
    /// both are known; 0 for fewer than 3 rows, or if one of them does not vary there.
    pub(crate) fn correlation(&self, other: &Self) -> f64 {
        let both = self.values.iter().zip(&other.values).map(|(&a, &b)| (a, b));
        let mut both: Vec<(f64, f64)> = both.filter(|(a, b)| !a.is_nan() && !b.is_nan()).collect();
        if both.len() < 3 {
            return 0.0;
        }
        let found = match Association::between(self.kind, other.kind) {
            Association::Pearson => pearson(&both).abs(),
            Association::CramersV => cramers_v(&mut both),
            Association::CorrelationRatio => {
                if self.kind == ColumnKind::Numeric {
                    both.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
                }
                correlation_ratio(&mut both)
            }
        };
        found.clamp(0.0, 1.0)
    }
}

/// Numbers divided by the largest absolute value, so that no square overflows, minus their mean; `None` if all are
/// equal.
fn centered(values: impl Iterator<Item = f64> + Clone) -> Option<Vec<f64>> {
    let mut rest = values.clone();
    let first = rest.next()?;
    if rest.all(|value| value == first) {
        return None;
    }
    let greatest = values.clone().fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut values: Vec<f64> = values.map(|value| value / greatest).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    Some(values)
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

fn pearson(both: &[(f64, f64)]) -> f64 {
    let one = centered(both.iter().map(|pair| pair.0));
    let other = centered(both.iter().map(|pair| pair.1));
    let (Some(one), Some(other)) = (one, other) else { return 0.0 };
    let product: f64 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
    product / (squares(&one).sqrt() * squares(&other).sqrt())
}

/// Every value with its number of rows, in ascending order.
fn value_counts(mut values: Vec<f64>) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let chunks = values.chunk_by(|a, b| a == b);
    chunks.map(|equal| (equal[0], equal.len() as f64)).collect()
}

fn cramers_v(both: &mut [(f64, f64)]) -> f64 {
    let rows = both.len() as f64;
    let firsts = value_counts(both.iter().map(|pair| pair.0).collect());
    let seconds = value_counts(both.iter().map(|pair| pair.1).collect());
    both.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let count = |counts: &[(f64, f64)], value: f64| {
        counts[counts.partition_point(|(other, _)| *other < value)].1
    };
    // chi^2 / n is the sum of n_ij^2 / (n_i n_j), minus 1.
    let cells = both.chunk_by(|a, b| a == b).map(|cell| {
        let (one, other) = cell[0];
        (cell.len() as f64).powi(2) / (count(&firsts, one) * count(&seconds, other))
    });
    let mean_square = cells.sum::<f64>() - 1.0;
    let (k, r) = (firsts.len() as f64 - 1.0, seconds.len() as f64 - 1.0);
    let corrected = (mean_square - k * r / (rows - 1.0)).max(0.0);
    let least = (k - k * k / (rows - 1.0)).min(r - r * r / (rows - 1.0));
    if least > 0.0 { (corrected / least).sqrt() } else { 0.0 }
}

/// The correlation ratio of numbers, the second of each pair, by the categories, the first of each pair.
fn correlation_ratio(both: &mut [(f64, f64)]) -> f64 {
    both.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(numbers) = centered(both.iter().map(|pair| pair.1)) else { return 0.0 };
    let mut within = 0.0;
    let mut categories = 0.0;
    let mut start = 0;
    for category in both.chunk_by(|a, b| a.0 == b.0) {
        let part = &numbers[start..start + category.len()];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        within += part.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
        categories += 1.0;
        start += category.len();
    }
    let rows = both.len() as f64;
    if categories < 2.0 || rows <= categories {
        return 0.0;
    }
    let left = within / (rows - categories) / (squares(&numbers) / (rows - 1.0));
    (1.0 - left).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, MISSING_GENOTYPE};

    fn numbers(values: &[f64]) -> Column<'static> {
        Column::from_values("a", values.to_vec()).unwrap()
    }

    fn texts(values: &str) -> Column<'static> {
        let texts = values.split(' ').map(|text| (text != "?").then_some(text));
        Column::categorical("c", Categories::from_texts(texts))
    }

    fn association(one: &Column<'_>, other: &Column<'_>) -> f64 {
        let (one, other) = (KnownValues::new(one), KnownValues::new(other));
        let found = one.correlation(&other);
        assert!((found - other.correlation(&one)).abs() < 1e-12, "the same in either order");
        found
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found} and not {wanted}");
    }

    #[test]
    fn correlations_by_hand() {
        // Deviations -1, 0, 1 and 1, -1, 0 give -1/2 at any scale.
        let a = numbers(&[1.0, 2.0, 3.0, f64::NAN]);
        near(association(&a, &numbers(&[4.0, 0.0, 2.0, 1.0])), 0.5);
        near(association(&a, &numbers(&[4e300, 0.0, 2e300, 1.0])), 0.5);
        let copies = vec![0, 1, 2, MISSING_GENOTYPE];
        near(association(&a, &Column::genotype("g", copies.into()).unwrap()), 1.0);
        assert_eq!(association(&a, &numbers(&[0.1; 4])), 0.0);
        // Fewer than three rows.
        assert_eq!(association(&a, &numbers(&[f64::NAN, 1.0, 2.0, 3.0])), 0.0);
    }

    #[test]
    fn categories_by_hand() {
        // Counts 3, 1 and 1, 3: chi^2 / n = 1/4; f = 1/4 - 1/7; k' - 1 = 1 - 1/7.
        let one = texts("a a a a b b b b ?");
        let other = texts("u u u v u v v v u");
        near(association(&one, &other), ((1.0 / 4.0 - 1.0 / 7.0) / (6.0 / 7.0_f64)).sqrt());
        near(association(&one, &one), 1.0);
        // Genotypes enter by their levels.
        let copies = vec![0, 0, 0, 0, 2, 2, 2, 2, 1];
        near(association(&one, &Column::genotype("g", copies.into()).unwrap()), 1.0);
        // Independent: counts 2, 2 and 2, 2.
        assert_eq!(association(&one, &texts("u u v v u u v v u")), 0.0);
        assert_eq!(association(&one, &texts("u u u u u u u u v")), 0.0);
        // A separate level for every row carries no information.
        assert_eq!(association(&one, &texts("1 2 3 4 5 6 7 8 9")), 0.0);
    }

    #[test]
    fn correlation_ratios_by_hand() {
        // Means 1 and 5: 1 + 1 + 1 + 1 within groups, 9 + 1 + 1 + 9 in total around 3.
        let category = texts("a a b b ?");
        let number = numbers(&[0.0, 2.0, 4.0, 6.0, 100.0]);
        let (within, total) = (4.0 / 2.0, 20.0 / 3.0);
        near(association(&category, &number), (1.0_f64 - within / total).sqrt());
        near(association(&category, &numbers(&[1.0, 1.0, 3.0, 3.0, 0.0])), 1.0);
        // The estimate is below 0 before it is bounded.
        assert_eq!(association(&category, &numbers(&[0.0, 6.0, 2.0, 4.0, 9.0])), 0.0);
        assert_eq!(association(&category, &numbers(&[0.1; 5])), 0.0);
        // A separate category for every row, and one for all.
        assert_eq!(association(&texts("a b c d ?"), &number), 0.0);
        assert_eq!(association(&texts("a a a a ?"), &number), 0.0);
    }
}
