//! Rounded numbers of packed rows: distances that are correct up to a known error, at lower cost.

use std::ops::Range;

use basrelief_kernels::{
    LANES, Level, TILE, add_greater_whole, level, panels, round_rows_to_whole,
};

use super::block_driver::BlockDistances;
use super::exact_pairs::RoundedDistances;
use super::quantized_rows::{QuantizedRows, slack};
use super::read_rows::each_strip;
use crate::differences::{Space, Units};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;

/// The rounded numbers of all rows, and the maximum error of each row's distances in the sweep's
/// units.
pub(super) enum RoundedNumbers {
    /// Numbers of up to 27 bits.
    Words { words: RoundedWords, sums: Vec<f64>, errors: Vec<f64> },
    /// Numbers of up to 15 bits, without missing values; `errors` is empty if nothing was rounded.
    Shorts { rows: QuantizedRows, errors: Vec<f64> },
}

impl RoundedNumbers {
    /// Takes words whose largest difference is `unit`.
    pub(super) fn words(words: RoundedWords, unit: f64) -> Self {
        let sums = sums_of_rows(&words.values, words.width);
        let most = words.lost.iter().copied().fold(0.0, f64::max);
        let slack = slack(words.width, unit);
        let errors = words.lost.iter().map(|lost| (lost + most) * words.step + slack).collect();
        Self::Words { words, sums, errors }
    }

    pub(super) fn shorts(rows: QuantizedRows) -> Self {
        let most = rows.errors().iter().copied().fold(0.0, f64::max);
        let errors = rows.errors().iter().map(|error| (error + most) * rows.step()).collect();
        Self::Shorts { rows, errors }
    }

    /// Maximum error of the distances of the row at a place, if there is one.
    pub(super) fn error(&self, place: usize) -> Option<f64> {
        let (Self::Words { errors, .. } | Self::Shorts { errors, .. }) = self;
        errors.get(place).copied()
    }

    /// Bytes of a row.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Words { words, .. } => words.width * size_of::<u32>(),
            Self::Shorts { rows, .. } => rows.bytes(1) as usize,
        }
    }

    /// Writes the tiled distances of two runs of panels to `out`, which contains zeros; `whole` is
    /// reused memory.
    pub(super) fn fill(
        &self,
        level: Level,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut [f64],
        whole: &mut Vec<u32>,
    ) {
        match self {
            Self::Words { words, sums, .. } => {
                let per_panel = words.width * LANES;
                let part = |range: &Range<usize>| {
                    &words.values[range.start * per_panel..range.end * per_panel]
                };
                add_greater_whole(level, part(&a), part(&b), words.width, out);
                subtract_sums(sums, words.step, a.start, b, out);
            }
            Self::Shorts { rows, .. } => {
                rows.block(a, b, whole, &mut ());
                let step = rows.step();
                for (out, distance) in out.iter_mut().zip(&*whole) {
                    *out = f64::from(*distance) * step;
                }
            }
        }
    }
}

/// The sums of all rows in panels of `width` numbers per row.
fn sums_of_rows<T: Copy>(panels: &[T], width: usize) -> Vec<f64>
where
    f64: From<T>,
{
    let mut sums = Vec::with_capacity(panels.len() / width.max(1));
    for panel in panels.chunks_exact(width.max(1) * LANES) {
        let mut of_panel = [0.0; LANES];
        for numbers in panel.as_chunks::<LANES>().0 {
            of_panel.iter_mut().zip(numbers).for_each(|(sum, &number)| *sum += f64::from(number));
        }
        sums.extend(of_panel);
    }
    sums
}

/// Converts tiled sums of the larger of two numbers into distances, given the sums of all rows:
/// from panel `a` and those after it to a run of panels. Numbers are in steps of size `step`.
fn subtract_sums(sums: &[f64], step: f64, a: usize, b: Range<usize>, out: &mut [f64]) {
    let sums = sums.as_chunks::<LANES>().0;
    for (tiles, a_sums) in out.chunks_exact_mut(b.len() * TILE).zip(&sums[a..]) {
        for (tile, b_sums) in tiles.chunks_exact_mut(TILE).zip(&sums[b.clone()]) {
            for (line, a_sum) in tile.chunks_exact_mut(LANES).zip(a_sums) {
                for (sum, b_sum) in line.iter_mut().zip(b_sums) {
                    // Rounding must not lead to negative distances.
                    *sum = (2.0 * *sum - (a_sum + b_sum)).max(0.0) * step;
                }
            }
        }
    }
}

/// Numbers rounded to whole numbers of steps, in panels.
pub(super) struct RoundedWords {
    values: PossiblyMapped<u32>,
    width: usize,
    /// A step in the sweep's units, a power of two.
    step: f64,
    /// Per place, the sum of the rounding errors, in steps.
    lost: Vec<f64>,
}

impl RoundedWords {
    /// Rounds some features of all rows, in the given order, to at most `steps` steps of the
    /// largest difference.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new(
        space: &Space<'_>,
        units: &Units,
        features: &[usize],
        order: &[u32],
        steps: u32,
        run: &Run,
    ) -> Result<Self> {
        let width = features.len();
        let mut words = Self {
            values: run.zeros(panels(order.len()) * LANES * width)?,
            width,
            step: power_of_two_from(units.unit / f64::from(steps)),
            lost: Vec::new(),
        };
        let mut lost = vec![0.0; panels(order.len()) * LANES];
        let steps = units.unit / words.step;
        let in_file = words.is_in_file();
        let values = &mut *words.values;
        each_strip(space, units, features, steps, in_file, run, |start, strip| {
            let lost = lost.as_chunks_mut().0;
            run.install(|| {
                let panels = values.chunks_mut(width * LANES).zip(lost).zip(order.chunks(LANES));
                parallel::for_each_with(panels, |copy, ((values, lost), rows)| {
                    strip.panel(rows, copy, |first, lines, roundings| {
                        let out = &mut values[(start + first) * LANES..];
                        round_rows_to_whole(level(), lines, roundings, out, lost);
                    });
                });
            });
        })?;
        lost.truncate(order.len());
        words.lost = lost;
        Ok(words)
    }

    fn is_in_file(&self) -> bool {
        matches!(self.values, PossiblyMapped::InFile(_))
    }
}

/// The smallest power of two that is not below a positive number.
fn power_of_two_from(number: f64) -> f64 {
    let power = f64::from_bits(number.to_bits() & f64::INFINITY.to_bits());
    if power < number { 2.0 * power } else { power }
}

#[cfg(test)]
mod tests {
    use super::power_of_two_from;

    #[test]
    fn powers_of_two_are_no_less() {
        let powers = [(1.0, 1.0), (1.5, 2.0), (0.3, 0.5), (0.25, 0.25), (1e-9, 2_f64.powi(-29))];
        for (number, power) in powers {
            assert_eq!(power_of_two_from(number), power);
        }
    }
}
