//! Sums over neighbors in sparse features, from their entries alone.
//!
//! With values measured from that of a row without an entry, |a - b| is |a| + |b| - c, where c is the
//! [common](crate::neighbors::common) part of two entries. The sum over weighted pairs is therefore the sum over entries
//! of |a| times the weight of all pairs of their rows, minus the weighted sum of c over the pairs in which both rows have
//! an entry. The weights of the pairs of some rows are spread over all rows, and looked up for every two entries of a
//! column.

use super::tiles::PLAIN_RANGES;
use crate::csr::CsrGroups;
use crate::data::{SparseColumn, StoredValues};
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::{PairList, common};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{LEAST_PASSES, PAIR_LINE_BYTES};

/// The slot of a row whose pairs are not spread.
const NO_SLOT: u32 = u32::MAX;

/// The sums of some sparse features, batch by batch of pairs.
pub(super) struct SparseSums<'s, const SUMS: usize> {
    space: &'s Space<'s>,
    features: &'s [usize],
    /// Per row, the weight of all pairs of which it is one.
    weights: Vec<[f64; SUMS]>,
    /// The weighted sums of the common parts: in each part those of every `parts`-th feature.
    common: Vec<Vec<[f64; SUMS]>>,
    /// The weights of the pairs of some rows with all rows, and the place of each row among them.
    lines: Vec<[f64; SUMS]>,
    slots: Vec<u32>,
    used: Vec<u32>,
}

/// The values of a sparse feature, measured from that of a row without an entry, in reused memory.
#[derive(Default)]
struct EntryBuffer {
    values: Vec<f64>,
    scaled: Vec<f64>,
}

impl EntryBuffer {
    /// Reads the entries of a feature; returns the number by which sums of their differences are divided.
    fn fill(&mut self, space: &Space<'_>, feature: usize, own: &SparseColumn) -> f64 {
        let Self { values, scaled } = self;
        let range = space.features()[feature].rule.number().map_or(0.0, |number| number.range);
        values.clear();
        values.extend(own.values());
        if is_plain(space, feature) {
            return range;
        }
        values.push(0.0);
        space.scale(feature, values, scaled);
        let zero = scaled[own.stored()];
        values.clear();
        // Missing values are coded as the smallest number, and corrected afterwards.
        let coded = |&value: &f64| (if value.is_nan() { 0.0 } else { value }) - zero;
        values.extend(scaled[..own.stored()].iter().map(coded));
        1.0
    }
}

/// Whether the stored values of a feature are summed unscaled, and the sums then divided by the range.
fn is_plain(space: &Space<'_>, feature: usize) -> bool {
    let one = &space.features()[feature];
    let range = one.rule.number().map_or(0.0, |number| number.range);
    one.missing_rows().is_empty() && PLAIN_RANGES.contains(&range)
}

/// Adds the weighted common parts of one entry of a column with all its entries to the sums.
fn add_common<T: Copy + Into<f64>, const SUMS: usize>(
    rows: &[u32],
    values: &[T],
    entry: usize,
    line: &[[f64; SUMS]],
    sums: &mut [f64; SUMS],
) {
    let value = values[entry].into();
    let mut found = [0.0; SUMS];
    for (&row, &other) in rows.iter().zip(values) {
        let part = common(value, other.into());
        let weights = &line[row as usize];
        for sum in 0..SUMS {
            found[sum] += weights[sum] * part;
        }
    }
    for sum in 0..SUMS {
        sums[sum] += found[sum];
    }
}

impl<'s, const SUMS: usize> SparseSums<'s, SUMS> {
    /// Sums over no pairs yet.
    pub(super) fn new(space: &'s Space<'s>, features: &'s [usize], run: &Run) -> Self {
        let rows = if features.is_empty() { 0 } else { space.rows() };
        let parts = run.threads().clamp(1, features.len().max(1));
        let of_part =
            |part: usize| vec![[0.0; SUMS]; features.len().saturating_sub(part).div_ceil(parts)];
        Self {
            space,
            features,
            weights: vec![[0.0; SUMS]; rows],
            common: (0..parts).map(of_part).collect(),
            lines: Vec::new(),
            slots: vec![NO_SLOT; rows],
            used: Vec::new(),
        }
    }

    /// Largest number of rows whose pairs are spread at a time.
    fn at_once(&self) -> usize {
        let line = self.space.rows() * size_of::<[f64; SUMS]>();
        (PAIR_LINE_BYTES / line.max(1)).clamp(1, self.space.rows().max(1))
    }

    /// Adds the pairs of a batch.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn add(&mut self, lists: &[[PairList; SUMS]], run: &Run) -> Result<()> {
        if self.features.is_empty() {
            return Ok(());
        }
        let (rows, at_once) = (self.space.rows(), self.at_once());
        let enough = rows.div_ceil(LEAST_PASSES);
        // Rows since the last time that the memory was full, even if their sums were added in between.
        let mut since = 0;
        for lists in lists {
            // All pairs of a row are in the lists of one task, so that additions between tasks keep the order of the rows.
            if self.used.len() >= enough {
                self.flush(run)?;
            }
            for (sum, list) in lists.iter().enumerate() {
                for (row, neighbors, weights) in list.rows() {
                    if self.slots[row as usize] == NO_SLOT {
                        if since == at_once {
                            self.flush(run)?;
                            since = 0;
                        }
                        self.slots[row as usize] = self.used.len() as u32;
                        self.used.push(row);
                        since += 1;
                        let length = self.lines.len().max(self.used.len() * rows);
                        self.lines.resize(length, [0.0; SUMS]);
                    }
                    let slot = self.slots[row as usize] as usize;
                    let line = &mut self.lines[slot * rows..][..rows];
                    for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                        line[neighbor as usize][sum] += weight;
                        self.weights[row as usize][sum] += weight;
                        self.weights[neighbor as usize][sum] += weight;
                    }
                }
            }
        }
        self.flush(run)
    }

    /// Adds the common parts of the pairs that were spread, and removes them.
    fn flush(&mut self, run: &Run) -> Result<()> {
        let Self { space, features, common: parts, lines, slots, used, .. } = self;
        let (rows, count) = (space.rows(), parts.len());
        run.install(|| {
            parallel::try_for_each(parts.iter_mut().enumerate(), |(part, sums)| {
                run.check()?;
                let own = || features.iter().skip(part).step_by(count).zip(0_u32..);
                // Row by row, because the weights of a row's pairs then stay in the cache.
                let entries = own().flat_map(|(&feature, place)| {
                    let of_rows = space.sparse(feature).map_or(&[][..], SparseColumn::rows);
                    let of_rows = if of_rows.len() < 2 { &[][..] } else { of_rows };
                    let slots = of_rows.iter().map(|&row| slots[row as usize]).zip(0_u32..);
                    let spread = slots.filter(|(slot, _)| *slot != NO_SLOT);
                    spread.map(move |(slot, entry)| (slot as usize, (place, entry)))
                });
                let by_slot: CsrGroups<(u32, u32)> = CsrGroups::new(used.len(), entries);
                let mut buffer = EntryBuffer::default();
                for (line, of_row) in lines.chunks_exact(rows).zip(by_slot.iter()) {
                    for &(place, entry) in of_row {
                        let feature = features[part + place as usize * count];
                        let Some(own) = space.sparse(feature) else { continue };
                        let sums = &mut sums[place as usize];
                        let entry = entry as usize;
                        match own.stored_values() {
                            _ if !is_plain(space, feature) => {
                                buffer.fill(space, feature, own);
                                add_common(own.rows(), &buffer.values, entry, line, sums);
                            }
                            StoredValues::Double(values) => {
                                add_common(own.rows(), values, entry, line, sums);
                            }
                            StoredValues::Single(values) => {
                                add_common(own.rows(), values, entry, line, sums);
                            }
                        }
                    }
                }
                Ok(())
            })
        })?;
        lines[..used.len() * rows].fill([0.0; SUMS]);
        used.drain(..).for_each(|row| slots[row as usize] = NO_SLOT);
        Ok(())
    }

    /// The sums of the differences of every feature.
    pub(super) fn finish(self, run: &Run) -> Vec<[f64; SUMS]> {
        let Self { space, features, weights, common, .. } = self;
        let parts = common.len();
        let of_feature = |buffer: &mut EntryBuffer, (place, &feature): (usize, &usize)| {
            let common = common[place % parts][place / parts];
            let Some(own) = space.sparse(feature) else { return [0.0; SUMS] };
            let range = buffer.fill(space, feature, own);
            let mut sums = [0.0; SUMS];
            for (&row, &value) in own.rows().iter().zip(&buffer.values) {
                for (sum, weight) in sums.iter_mut().zip(weights[row as usize]) {
                    *sum += weight * value.abs();
                }
            }
            std::array::from_fn(|sum| (sums[sum] - common[sum]) / range)
        };
        run.install(|| parallel::map_with(features.iter().enumerate(), of_feature))
    }
}
