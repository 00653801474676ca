//! Numbers rounded to 15 bits, and their distances.
//!
//! The distances are wrong by at most the rounding errors of both rows, at a quarter of the cost of
//! exact distances. Nothing is rounded if all columns lie on a common grid of at most 32,767 steps.
//!
//! A missing number is coded as 0. The correction that replaces its difference to the other row by
//! the expected one ([`super::corrections`]) is rounded separately ([`super::rounded_lines`]),
//! which adds an error of at most half a unit per missing value.

use std::ops::Range;

use basrelief_kernels::{
    LANES, Level, MOST_ROUNDED, NumberOrder, Rounding, TILE, level, panels, round_rows,
    rounded_distances,
};

use super::block_driver::BlockDistances;
use super::exact_pairs::RoundedDistances;
use super::generic_rows::Packing;
use super::k_least::Distance;
use super::read_rows::each_strip;
use super::rounded_lines::{Packed, RoundedCorrections};
use super::tiles::turned;
use crate::data::TOGETHER;
use crate::differences::{Form, Rule, ScaledBuffers, Space, SumOf, Units};
use crate::error::{Error, Result};
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;
use crate::thresholds::ROUNDED_CLASSES;

/// Distances of rounded numbers stay below this; those of lanes without a row are beyond it.
pub(super) const MOST: u32 = u32::BEYOND;

/// Ranges above this can be divided into any number of steps.
const LEAST_RANGE: f64 = 1e-290;

/// How the numbers of a space are rounded to 15 bits.
#[derive(Debug, Clone)]
pub(super) struct Quantization {
    features: Vec<usize>,
    units: Units,
    /// Steps in the unit of a scaled number.
    scale: f64,
    has_missing: bool,
    /// Whether the numbers are already whole.
    whole: bool,
}

impl Quantization {
    /// Returns `None` if distances are not sums of absolute differences of numbers, if differences have factors, or if
    /// missing numbers are ignored.
    pub(super) fn new(space: &Space<'_>) -> Option<Self> {
        if space.has_factors() {
            return None;
        }
        let mut features = Vec::new();
        let mut has_missing = false;
        for (index, feature) in space.features().iter().enumerate() {
            match (Packing::of_feature(space, index), feature.table()) {
                (None, _) => {}
                // The space determines whether a ramp applies, and the units of rounded numbers
                // depend on it.
                (Some(packing), _)
                    if packing != Packing::Numbers || !is_roundable(feature.rule) =>
                {
                    return None;
                }
                (_, None) if feature.missing_rows().is_empty() => features.push(index),
                (_, Some(table)) if table.missing_classes().count() <= ROUNDED_CLASSES => {
                    features.push(index);
                    has_missing = true;
                }
                _ => return None,
            }
        }
        let width = features.len();
        if width == 0 || space.options().metric.fold().sum() != Some(SumOf::Differences) {
            return None;
        }
        let most = (f64::from(MOST - 1) / width as f64).min(f64::from(MOST_ROUNDED)).floor();
        // A difference to a missing value may be rounded up by half a unit from both sides.
        let most = if has_missing { most - 1.0 } else { most };
        if most < 1.0 {
            return None;
        }
        let units = Units::new(space, &features, width);
        // A column is a multiple of the unit only if it lies on a grid; others are rounded.
        let whole = units.all_on_grid && units.unit <= most;
        let scale = match (whole, has_missing) {
            (true, false) => units.unit,
            // Numbers stay whole, and corrections are as fine as possible.
            (true, true) => (most / units.unit).floor() * units.unit,
            _ => most,
        };
        Some(Self { features, units, scale, has_missing, whole })
    }

    /// Whether nothing is rounded.
    pub(super) fn is_whole(&self) -> bool {
        self.whole && !self.has_missing
    }
}

/// The error of a route of rounded numbers in a space whose numbers cannot be rounded.
pub(super) fn not_roundable() -> Error {
    Error::Internal("numbers cannot be rounded".to_string())
}

/// Whether the differences of a feature are those of numbers that can be rounded.
pub(super) fn is_roundable(rule: Rule) -> bool {
    rule.form() == Form::Absolute && rule.number().is_some_and(|one| one.range > LEAST_RANGE)
}

/// Bound on the floating-point error of a distance over `width` features in which numbers differ by
/// up to `unit`. It includes sums of up to four times the terms if values are missing, and the
/// rounding of distances.
pub(super) fn slack(width: usize, unit: f64) -> f64 {
    let width = width as f64;
    width * unit * (2e-11 + 4.0 * width * f64::EPSILON)
}

/// Rows of rounded numbers, packed for the kernels.
pub(super) struct QuantizedRows {
    level: Level,
    /// Pairs of features per row.
    pairs: usize,
    values: PossiblyMapped<[i16; 2]>,
    /// Sum of every row's numbers.
    sums: Vec<u32>,
    /// The error that the rounding of a row can add to a distance, in rounded units.
    errors: Vec<f64>,
    /// The corrections for missing values, if there are any.
    corrections: Option<RoundedCorrections>,
    /// Whether nothing was rounded.
    exact: bool,
    /// A step in the units of exact distances.
    step: f64,
}

impl QuantizedRows {
    /// Rounds the features of a space, with rows in the order given.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::File`] if the rows have to lie in a file.
    pub(super) fn new(
        space: &Space<'_>,
        quantization: &Quantization,
        order: &[u32],
        run: &Run,
    ) -> Result<Self> {
        let &Quantization { ref features, ref units, scale, has_missing, .. } = quantization;
        let width = features.len();
        let padded = panels(order.len()) * LANES;
        let mut rows = Self {
            level: level(),
            pairs: width.div_ceil(2),
            values: run.zeros(padded * width.div_ceil(2))?,
            sums: Vec::new(),
            errors: Vec::new(),
            corrections: None,
            exact: quantization.is_whole(),
            step: units.unit / scale,
        };
        let (mut sums, mut errors) = (vec![0; padded], vec![0.0; padded]);
        let per_panel = rows.pairs * LANES;
        let in_file = rows.is_in_file();
        let values = &mut *rows.values;
        each_strip(space, units, features, scale, in_file, run, |start, strip| {
            let (sums, errors) = (sums.as_chunks_mut().0, errors.as_chunks_mut().0);
            run.install(|| {
                let panels = values.chunks_mut(per_panel).zip(sums).zip(errors);
                let panels = panels.zip(order.chunks(LANES));
                parallel::for_each_with(panels, |copy, (((values, sums), errors), rows)| {
                    strip.panel(rows, copy, |first, lines, roundings| {
                        let out = &mut values[(start + first) / 2 * LANES..];
                        round_rows(level(), lines, roundings, out, sums, errors);
                    });
                });
            });
        })?;
        if has_missing {
            let packed = Packed { values, pairs: width.div_ceil(2) };
            rows.corrections =
                Some(RoundedCorrections::new(space, order, features, packed, scale, run)?);
        }
        rows.sums = sums;
        // Lanes without a row are far from all rows.
        rows.sums[order.len()..].fill(MOST);
        rows.errors = errors;
        rows.errors.truncate(order.len());
        let missing = rows.corrections.iter().flat_map(RoundedCorrections::missing);
        for (missing, error) in missing.zip(&mut rows.errors) {
            *error += 0.5 * missing as f64;
        }
        let slack = slack(width, scale);
        rows.errors.iter_mut().for_each(|error| *error += slack);
        Ok(rows)
    }

    /// A step in the units of exact distances.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Whether rows lie in a file.
    pub(super) fn is_in_file(&self) -> bool {
        matches!(self.values, PossiblyMapped::InFile(_))
    }

    /// Replaces `out` by the distances of the packed numbers, where missing numbers are 0.
    fn fill_packed(&self, a: Range<usize>, b: Range<usize>, out: &mut [u32]) {
        let rows = |range: &Range<usize>| range.start * LANES..range.end * LANES;
        let values = |range: &Range<usize>| {
            &self.values[range.start * LANES * self.pairs..range.end * LANES * self.pairs]
        };
        rounded_distances(
            self.level,
            values(&a),
            values(&b),
            self.pairs,
            &self.sums[rows(&a)],
            &self.sums[rows(&b)],
            out,
        );
    }
}

impl BlockDistances for QuantizedRows {
    type Distance = u32;
    type Scratch = ();

    fn bytes(&self, rows: usize) -> u64 {
        (rows * self.pairs * size_of::<[i16; 2]>()) as u64
    }

    fn block(&self, a: Range<usize>, b: Range<usize>, out: &mut Vec<u32>, _: &mut ()) {
        out.resize(a.len() * b.len() * TILE, 0);
        self.fill_packed(a.clone(), b.clone(), out);
        let rows = |range: Range<usize>| range.start * LANES..range.end * LANES;
        if let Some(corrections) = &self.corrections {
            corrections.add(rows(a), rows(b), out);
        }
    }

    fn square(&self, run: Range<usize>, out: &mut Vec<u32>, _: &mut ()) {
        let width = run.len();
        out.resize(width * width * TILE, 0);
        // Tiles below the diagonal are the transposes of those above it.
        for (index, tiles) in out.chunks_exact_mut(width * TILE).enumerate() {
            let panel = run.start + index;
            self.fill_packed(panel..panel + 1, panel..run.end, &mut tiles[index * TILE..]);
        }
        let tiles = out.as_chunks_mut::<TILE>().0;
        for row in 1..width {
            for column in 0..row {
                tiles[row * width + column] = turned(&tiles[column * width + row]);
            }
        }
        if let Some(corrections) = &self.corrections {
            corrections.add_square(run.start * LANES..run.end * LANES, out);
        }
    }
}

impl RoundedDistances for QuantizedRows {
    fn errors(&self) -> &[f64] {
        if self.exact { &[] } else { &self.errors }
    }
}

/// The mean of the exact distances of all pairs of rows, for complete numbers. It follows from the
/// sorted values of every feature: counted from 0, the k-th values from both ends of n values
/// contribute n - 1 - 2k times their difference to the sum over all pairs.
pub(super) fn mean_of_pairs(
    space: &Space<'_>,
    quantization: &Quantization,
    run: &Run,
) -> Result<f64> {
    let rows = space.rows();
    // Divides the range into as many parts as there are numbers.
    let rounding = Rounding { least: 0.0, factor: rows as f64 / quantization.units.unit };
    let of_features = |(buffers, order): &mut (ScaledBuffers, NumberOrder), features: &[usize]| {
        run.check()?;
        let columns = space.copy_scaled_together(features, buffers);
        let sums = features.iter().zip(columns).map(|(&feature, column)| {
            quantization.units.convert(space, feature, column);
            let sorted = order.sort(level(), column, rounding, 0);
            let ends = sorted[..rows / 2].iter().zip(sorted.iter().rev()).enumerate();
            let apart = |(k, (&low, &high)): (usize, (&u64, &u64))| {
                let [low, high] = [low, high].map(NumberOrder::number);
                (high - low) * (rows - 1 - 2 * k) as f64
            };
            ends.map(apart).sum::<f64>()
        });
        Ok(sums.sum::<f64>())
    };
    let groups = quantization.features.chunks(TOGETHER);
    let sums = run.install(|| parallel::try_map_with(groups, of_features))?;
    let rows = rows as f64;
    Ok(sums.into_iter().sum::<f64>() / (rows * (rows - 1.0) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, InputMatrix, Numbers, Table};
    use crate::differences::SpaceOptions;
    use crate::neighbors::exact_pairs::{exact_distances, exact_lines};
    use crate::neighbors::rounded_numbers::{RoundedNumbers, RoundedWords};

    type Corrections = (Vec<i16>, Vec<usize>, Vec<Vec<u32>>);
    /// The rounded values, their sums, and the corrections for missing values.
    type Rounded = (Vec<[i16; 2]>, Vec<u32>, Option<Corrections>);

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    /// The rounded rows, the exact distances of `pairs`, the distances of all rows in words, and the
    /// error of every row.
    fn rows_as_rounded(
        columns: Vec<Column<'_>>,
        order: &[u32],
        pairs: &[(u32, u32)],
        run: &Run,
    ) -> (Rounded, Vec<u64>, Vec<u64>, Vec<f64>) {
        let table = Table::new(columns).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), run).unwrap();
        let quantization = Quantization::new(&space).unwrap();
        let features = &quantization.features;
        let rows = QuantizedRows::new(&space, &quantization, order, run).unwrap();
        let of_pairs = exact_distances(&space, pairs, run).unwrap();
        let lines = exact_lines(&space, order, run).unwrap();
        let n_rows = order.len();
        let for_order = order.iter().flat_map(|&i| (0..n_rows as u32).map(move |j| (i, j)));
        let for_order: Vec<(u32, u32)> = for_order.collect();
        let also = exact_distances(&space, &for_order, run).unwrap();
        assert_eq!(bits(&lines), bits(&also));
        let units = Units::new(&space, features, features.len());
        let words = RoundedWords::new(&space, &units, features, order, 1 << 27, run);
        let words = RoundedNumbers::words(words.unwrap(), units.unit);
        let count = panels(n_rows);
        let (mut out, mut whole) = (vec![0.0; count * count * TILE], Vec::new());
        words.fill(level(), 0..count, 0..count, &mut out, &mut whole);
        let rounded = (
            rows.values.to_vec(),
            rows.sums.clone(),
            rows.corrections.map(|corrections| corrections.kept()),
        );
        (rounded, bits(&of_pairs), bits(&out), rows.errors)
    }

    /// Strips of 1024 features and of a few tiles, odd widths, a feature that differs from the
    /// others, and an incomplete last panel: rounded rows do not depend on the memory layout.
    #[test]
    fn rows_are_rounded_the_same_however_they_lie() {
        const ROWS: usize = 13;
        const WIDTH: usize = 1024 + 64 + 17;
        let run = Run::new(Some(2)).unwrap();
        let in_file = Run::new(Some(2)).unwrap();
        let in_file = in_file.with_memory(crate::Memory::new(0, std::env::temp_dir()));
        // One feature differs from the others: it is constant (1), consists of whole numbers (2),
        // or has a missing value (3). Some are at an end of a strip.
        for (odd_one, at) in [(0, 0), (1, 5), (2, 1023), (3, 1024), (3, 1025), (2, 40), (1, 1100)] {
            let value = |row: usize, feature: usize| match (odd_one, feature == at) {
                (1, true) => 7.0,
                (2, true) => (row % 5) as f32,
                (3, true) if row == 4 => f32::NAN,
                _ => ((row * 131 + feature * 29) as f32).sin(),
            };
            let names: Vec<String> = (0..WIDTH).map(|feature| format!("f{feature}")).collect();
            let kinds = vec![Some(crate::data::ColumnKind::Numeric); WIDTH];
            let by_rows = |at: usize| value(at / WIDTH, at % WIDTH);
            let by_columns = |at: usize| value(at % ROWS, at / ROWS);
            let singles: [Vec<f32>; 2] = [
                (0..ROWS * WIDTH).map(by_rows).collect(),
                (0..ROWS * WIDTH).map(by_columns).collect(),
            ];
            let doubles = singles.each_ref().map(|v| v.iter().map(|&v| f64::from(v)).collect());
            let doubles: [Vec<f64>; 2] = doubles;
            let order: Vec<u32> = (0..ROWS as u32).map(|row| (row * 5) % ROWS as u32).collect();
            let pairs: Vec<(u32, u32)> = (0..12).flat_map(|i| [(i, 12), (i + 1, i / 2)]).collect();
            let seen = |columns, run: &Run| rows_as_rounded(columns, &order, &pairs, run);
            let wanted = {
                let columns = (0..WIDTH).map(|feature| {
                    let numbers: Vec<f64> =
                        (0..ROWS).map(|row| f64::from(value(row, feature))).collect();
                    let numbers = Numbers::Contiguous(numbers.into());
                    Column::numeric(names[feature].clone(), numbers).unwrap()
                });
                seen(columns.collect(), &run)
            };
            // Numbers of single precision may lie on a grid where doubles do not.
            let alone = seen(
                InputMatrix::new(&singles[1], ROWS, WIDTH, false)
                    .unwrap()
                    .columns(&names.iter().collect(), &kinds, &run)
                    .unwrap(),
                &run,
            );
            for (lie_by_rows, run) in [(true, &run), (false, &run), (true, &in_file)] {
                let which = usize::from(!lie_by_rows);
                let doubles = InputMatrix::new(&doubles[which], ROWS, WIDTH, lie_by_rows).unwrap();
                let singles = InputMatrix::new(&singles[which], ROWS, WIDTH, lie_by_rows).unwrap();
                let doubles =
                    seen(doubles.columns(&names.iter().collect(), &kinds, run).unwrap(), run);
                let singles =
                    seen(singles.columns(&names.iter().collect(), &kinds, run).unwrap(), run);
                for (found, wanted) in [(doubles, &wanted), (singles, &alone)] {
                    assert_eq!(found.0, wanted.0, "{odd_one} at {at}, {lie_by_rows}");
                    assert_eq!(found.1, wanted.1, "{odd_one} at {at}, {lie_by_rows}");
                    assert_eq!(found.2, wanted.2, "{odd_one} at {at}, {lie_by_rows}");
                    for (error, wanted) in found.3.iter().zip(&wanted.3) {
                        assert!((error - wanted).abs() <= 1e-9 * wanted, "{odd_one} at {at}");
                    }
                }
            }
        }
    }
}
