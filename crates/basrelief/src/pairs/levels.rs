//! Columns as a few levels: genotypes and categories unchanged, rare categories pooled, numbers in bins.

use crate::data::{Categories, Column, MISSING_CODE, MISSING_GENOTYPE, Values};

/// Maximum number of levels of a categorical column; rare categories beyond are pooled into one level.
pub(crate) const MOST_LEVELS: usize = 8;

/// The code of a missing value.
pub(super) const MISSING: u8 = u8::MAX;

/// Minimum and maximum number of bins of a numeric column. Between them, the number gives a pair of columns an
/// average of [`ROWS_OF_A_CELL`] rows per cell of its table.
const FEWEST_BINS: usize = 3;
const MOST_BINS: usize = 5;
const ROWS_OF_A_CELL: usize = 20;

/// One level of a column: a genotype, a category, several rare categories, or a bin of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Its name: the number of copies of the allele, the category, the number of pooled categories (`3 others`), or
    /// the range of a bin (`0.5 to 2`), with as many digits as distinguish the bins.
    pub name: String,
    /// The number of rows with this level.
    pub rows: usize,
    /// The number of categories pooled in it, at least 2; 0 for a single level.
    pub pooled: usize,
    /// The smallest and the largest number in a bin, in the unit of the column; `None` for other levels.
    pub bounds: Option<(f64, f64)>,
}

/// A column as levels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    /// The levels that occur in some row.
    pub(super) levels: Vec<Level>,
    /// The level of every row, or [`MISSING`].
    pub(super) codes: Vec<u8>,
}

impl Levels {
    /// The levels of a column for tables of pairs: at most 8, in the order of the column, the pooled level last.
    ///
    /// Numbers are divided by [`cut`] into `sqrt(rows / 20)` bins of about equal size, at least 3 and at most 5.
    pub(super) fn new(column: &Column<'_>) -> Self {
        Self::with_bins(column, |known| {
            (known / ROWS_OF_A_CELL).isqrt().clamp(FEWEST_BINS, MOST_BINS)
        })
    }

    /// The levels of a column, with `bins` giving the number of bins from the number of rows with a known value.
    pub(super) fn with_bins(column: &Column<'_>, bins: impl Fn(usize) -> usize) -> Self {
        match column.values() {
            Values::Genotype(genotypes) => of_genotypes(&genotypes.to_bytes()),
            Values::Categorical(categories) => of_categories(categories),
            Values::Numeric(_) => {
                let mut values = Vec::with_capacity(column.len());
                column.copy_values(&mut values);
                of_numbers(&values, bins)
            }
        }
    }
}

fn of_genotypes(copies: &[u8]) -> Levels {
    let mut rows = [0; MISSING_GENOTYPE as usize];
    for &copies in copies.iter().filter(|copies| **copies != MISSING_GENOTYPE) {
        rows[copies as usize] += 1;
    }
    let mut code_of = [MISSING; MISSING_GENOTYPE as usize + 1];
    let mut levels = Vec::new();
    for (copies, &rows) in rows.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        code_of[copies] = levels.len() as u8;
        levels.push(Level { name: copies.to_string(), rows, pooled: 0, bounds: None });
    }
    Levels { levels, codes: copies.iter().map(|&copies| code_of[copies as usize]).collect() }
}

fn of_categories(categories: &Categories) -> Levels {
    let rows = categories.counts();
    let mut kept: Vec<usize> = (0..rows.len()).filter(|&level| rows[level] > 0).collect();
    let used = kept.len();
    if used > MOST_LEVELS {
        // Keeps the most frequent categories; ties go to those that come first.
        kept.sort_by_key(|&level| (usize::MAX - rows[level], level));
        kept.truncate(MOST_LEVELS - 1);
        kept.sort_unstable();
    }
    let pooled = used - kept.len();
    // The pooled level comes last.
    let mut code_of = vec![kept.len() as u8; rows.len()];
    let mut levels = Vec::new();
    for &level in &kept {
        code_of[level] = levels.len() as u8;
        let name = categories.levels()[level].clone();
        levels.push(Level { name, rows: rows[level], pooled: 0, bounds: None });
    }
    if pooled > 0 {
        let known: usize = rows.iter().sum();
        let rows = known - levels.iter().map(|level| level.rows).sum::<usize>();
        levels.push(Level { name: format!("{pooled} others"), rows, pooled, bounds: None });
    }
    let code = |&code: &u32| if code == MISSING_CODE { MISSING } else { code_of[code as usize] };
    Levels { levels, codes: categories.codes().iter().map(code).collect() }
}

fn of_numbers(values: &[f64], bins: impl Fn(usize) -> usize) -> Levels {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let ends = cut(&sorted, bins(sorted.len()));
    let mut start = 0;
    let mut bounds = Vec::with_capacity(ends.len());
    let mut rows = Vec::with_capacity(ends.len());
    for &end in &ends {
        // Adding 0 turns minus zero into zero.
        bounds.push((sorted[start] + 0.0, sorted[end - 1] + 0.0));
        rows.push(end - start);
        start = end;
    }
    let names = bin_names(&bounds);
    let levels = names.into_iter().zip(&bounds).zip(&rows);
    let levels = levels
        .map(|((name, &bounds), &rows)| Level { name, rows, pooled: 0, bounds: Some(bounds) })
        .collect();
    let code = |&value: &f64| match value.is_nan() {
        true => MISSING,
        false => bounds.partition_point(|bounds| bounds.1 < value) as u8,
    };
    Levels { levels, codes: values.iter().map(code).collect() }
}

/// Returns the ends of at most `bins` bins of sorted numbers, with about equal numbers of values.
///
/// Equal numbers stay together: a bin ends at the change of value that is nearest to where the bin would end without
/// equal numbers (the first of two equally near changes). Identical ends are merged, so that there can be fewer bins,
/// but there are at least two if two numbers differ. If there are no more distinct numbers than bins, each has a
/// separate bin.
pub(super) fn cut(sorted: &[f64], bins: usize) -> Vec<usize> {
    let count = sorted.len();
    if count == 0 {
        return Vec::new();
    }
    let changes: Vec<usize> = (1..count).filter(|&at| sorted[at - 1] != sorted[at]).collect();
    let mut ends = changes.clone();
    if changes.len() >= bins {
        // In steps of 1/bins, so that all values are integers.
        let distance = |change: usize, bin: usize| (change * bins).abs_diff(bin * count);
        let nearest = |bin: usize| {
            let after = changes.partition_point(|&change| change * bins < bin * count);
            let around = changes[after.saturating_sub(1)..].iter().take(2);
            around.copied().min_by_key(|&change| distance(change, bin))
        };
        ends = (1..bins).filter_map(nearest).collect();
        ends.dedup();
    }
    ends.push(count);
    ends
}

/// Names of bins, with at least four digits and as many as distinguish the bins.
fn bin_names(bounds: &[(f64, f64)]) -> Vec<String> {
    let named = |digits: usize| -> Vec<String> {
        let name = |&(least, greatest): &(f64, f64)| match least == greatest {
            true => rounded(least, digits),
            false => format!("{} to {}", rounded(least, digits), rounded(greatest, digits)),
        };
        bounds.iter().map(name).collect()
    };
    let told_apart = |digits: usize| {
        let texts = bounds.iter().flat_map(|&(least, greatest)| {
            let ends = if least == greatest { vec![least] } else { vec![least, greatest] };
            ends.into_iter().map(|end| rounded(end, digits))
        });
        let texts: Vec<String> = texts.collect();
        texts.windows(2).all(|pair| pair[0] != pair[1])
    };
    // Seventeen digits represent a number exactly.
    named((4..17).find(|&digits| told_apart(digits)).unwrap_or(17))
}

/// A number with `digits` significant digits, without trailing zeros.
fn rounded(number: f64, digits: usize) -> String {
    let short = format!("{number:.*e}", digits - 1).parse::<f64>().unwrap_or(number);
    // Decimal notation, unless there are many zeros.
    match short.abs() {
        size if size != 0.0 && !(1e-4..1e15).contains(&size) => format!("{short:e}"),
        _ => short.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[f64]) -> Column<'static> {
        Column::from_values("a", values.to_vec()).unwrap()
    }

    fn names(levels: &Levels) -> Vec<&str> {
        levels.levels.iter().map(|level| level.name.as_str()).collect()
    }

    #[test]
    fn ends_of_bins_by_hand() {
        let sorted = |text: &str| -> Vec<f64> {
            text.split(' ').map(|number| number.parse().unwrap()).collect()
        };
        assert_eq!(cut(&sorted("1 2 3 4 5 6"), 3), [2, 4, 6]);
        // For 7 numbers, 7/3 and 14/3 are nearest to 2 and 5.
        assert_eq!(cut(&sorted("1 2 3 4 5 6 7"), 3), [2, 5, 7]);
        // Both ends are nearest to the change after the ones.
        assert_eq!(cut(&sorted("1 1 1 1 1 1 2 3 4"), 3), [6, 9]);
        // With as many distinct values as bins, each has a bin, however rare.
        assert_eq!(cut(&sorted("1 1 1 1 1 1 2 3"), 3), [6, 7, 8]);
        // The changes are after 1 and 3 numbers; 2 is equally near to both.
        assert_eq!(cut(&sorted("1 2 2 3"), 2), [1, 4]);
        assert_eq!(cut(&sorted("5 5 5"), 3), [3]);
        assert_eq!(cut(&[], 3), [0; 0]);
    }

    #[test]
    fn numbers_are_binned_without_splitting_ties() {
        let values: Vec<f64> = (0..9).map(|row| f64::from(row) / 2.0).chain([f64::NAN]).collect();
        let found = Levels::new(&numbers(&values));
        assert_eq!(names(&found), ["0 to 1", "1.5 to 2.5", "3 to 4"]);
        assert_eq!(found.codes, [0, 0, 0, 1, 1, 1, 2, 2, 2, MISSING]);
        assert_eq!(found.levels[1].bounds, Some((1.5, 2.5)));
        assert_eq!(found.levels[1].rows, 3);
        // More rows give more bins.
        let many = |rows: u32| {
            Levels::new(&numbers(&(0..rows).map(f64::from).collect::<Vec<_>>())).levels.len()
        };
        assert_eq!([179, 319, 320, 499, 500, 5000].map(many), [3, 3, 4, 4, 5, 5]);
        // Minus zero equals zero.
        let found = Levels::new(&numbers(&[0.0, -0.0, 1.0]));
        assert_eq!(names(&found), ["0", "1"]);
        assert_eq!(found.codes, [0, 0, 1]);
    }

    #[test]
    fn names_of_bins_tell_them_apart() {
        let close = [(1_000_001.0, 1_000_002.0), (1_000_003.0, 1_000_004.0)];
        assert_eq!(bin_names(&close), ["1000001 to 1000002", "1000003 to 1000004"]);
        assert_eq!(bin_names(&[(1.0 / 3.0, 2.0 / 3.0), (1e-9, 1e-9)])[0], "0.3333 to 0.6667");
        assert_eq!(bin_names(&[(1e-9, 1e20)]), ["1e-9 to 1e20"]);
    }

    #[test]
    fn genotypes_and_categories_as_they_are() {
        let copies = vec![2, 0, MISSING_GENOTYPE, 2];
        let found = Levels::new(&Column::genotype("g", copies.into()).unwrap());
        assert_eq!(names(&found), ["0", "2"]);
        assert_eq!(found.codes, [1, 0, MISSING, 1]);
        let texts = [Some("b"), None, Some("a"), Some("b")];
        let found = Levels::new(&Column::categorical("c", Categories::from_texts(texts)));
        assert_eq!(names(&found), ["b", "a"]);
        assert_eq!(found.codes, [0, MISSING, 1, 0]);
        assert_eq!(found.levels[0].rows, 2);
    }

    #[test]
    fn rare_categories_are_pooled() {
        // Ten levels: `a` once, `b` twice and so on, except `j` once.
        let mut texts = vec![Some("j"), None];
        for (times, name) in ["a", "b", "c", "d", "e", "f", "g", "h", "i"].into_iter().enumerate() {
            texts.extend(vec![Some(name); times + 1]);
        }
        let found = Levels::new(&Column::categorical("c", Categories::from_texts(texts)));
        assert_eq!(names(&found), ["c", "d", "e", "f", "g", "h", "i", "3 others"]);
        let pooled = &found.levels[7];
        assert_eq!((pooled.pooled, pooled.rows), (3, 4));
        assert_eq!(found.codes[..5], [7, MISSING, 7, 7, 7]);
        // Eight levels are not pooled.
        let eight: Vec<String> = (0..8).map(|level| level.to_string()).collect();
        let texts = eight.iter().map(|text| Some(text.as_str()));
        let found = Levels::new(&Column::categorical("c", Categories::from_texts(texts)));
        assert_eq!(names(&found), eight);
    }
}
