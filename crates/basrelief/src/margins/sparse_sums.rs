//! Sums over neighbors in sparse features, from their entries alone.
//!
//! With values measured from that of a row without an entry, |a - b| is |a| + |b| - c, where c is the
//! [common](crate::neighbors::common) part of two entries. The sum over weighted pairs is therefore the sum over entries
//! of |a| times the weight of all pairs of their rows, minus the weighted sum of c over the pairs in which both rows have
//! an entry. The weights of the pairs of some rows are spread over all rows, and looked up for every two entries of a
//! column.

use rayon::prelude::*;

use super::tiles::PLAIN_RANGES;
use crate::data::SparseColumn;
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::{PairList, common};
use crate::run::Run;
use crate::thresholds::PAIR_LINE_BYTES;

/// The slot of a row whose pairs are not spread.
const NO_SLOT: u32 = u32::MAX;

/// The sums of some sparse features, batch by batch of pairs.
pub(super) struct SparseSums<'s, const SUMS: usize> {
    space: &'s Space<'s>,
    features: &'s [usize],
    /// Per row, the weight of all pairs of which it is one.
    weights: Vec<[f64; SUMS]>,
    /// Per feature, the weighted sum of the common parts.
    common: Vec<[f64; SUMS]>,
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
        let one = &space.features()[feature];
        let range = one.rule.number().map_or(0.0, |number| number.range);
        values.clear();
        values.extend(own.values());
        if one.missing_rows.is_empty() && PLAIN_RANGES.contains(&range) {
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

impl<'s, const SUMS: usize> SparseSums<'s, SUMS> {
    /// Sums over no pairs yet.
    pub(super) fn new(space: &'s Space<'s>, features: &'s [usize]) -> Self {
        let rows = if features.is_empty() { 0 } else { space.rows() };
        Self {
            space,
            features,
            weights: vec![[0.0; SUMS]; rows],
            common: vec![[0.0; SUMS]; features.len()],
            lines: Vec::new(),
            slots: vec![NO_SLOT; rows],
            used: Vec::new(),
        }
    }

    /// Number of rows whose pairs are spread at a time.
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
        self.lines.resize(rows * at_once, [0.0; SUMS]);
        for (sum, list) in lists.iter().flat_map(|lists| lists.iter().enumerate()) {
            for (row, neighbors, weights) in list.rows() {
                if self.slots[row as usize] == NO_SLOT {
                    if self.used.len() == at_once {
                        self.flush(run)?;
                    }
                    self.slots[row as usize] = self.used.len() as u32;
                    self.used.push(row);
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
        self.flush(run)
    }

    /// Adds the common parts of the pairs that were spread, and removes them.
    fn flush(&mut self, run: &Run) -> Result<()> {
        let Self { space, features, common: sums, lines, slots, used, .. } = self;
        let rows = space.rows();
        let share = run.share_of(features.len(), 64);
        run.install(|| {
            let chunks = features.par_chunks(share).zip(sums.par_chunks_mut(share));
            chunks.try_for_each_init(EntryBuffer::default, |buffer, (features, sums)| {
                run.check()?;
                for (&feature, sums) in features.iter().zip(sums) {
                    let Some(own) = space.sparse(feature) else { continue };
                    let of_rows = own.rows();
                    if of_rows.len() < 2
                        || of_rows.iter().all(|&row| slots[row as usize] == NO_SLOT)
                    {
                        continue;
                    }
                    buffer.fill(space, feature, own);
                    for (&row, &value) in of_rows.iter().zip(&buffer.values) {
                        let slot = slots[row as usize];
                        if slot == NO_SLOT {
                            continue;
                        }
                        let line = &lines[slot as usize * rows..][..rows];
                        let mut found = [0.0; SUMS];
                        for (&other, &of_other) in of_rows.iter().zip(&buffer.values) {
                            let part = common(value, of_other);
                            for (found, weight) in found.iter_mut().zip(line[other as usize]) {
                                *found += weight * part;
                            }
                        }
                        sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
                    }
                }
                Ok::<_, crate::Error>(())
            })
        })?;
        lines[..used.len() * rows].fill([0.0; SUMS]);
        used.drain(..).for_each(|row| slots[row as usize] = NO_SLOT);
        Ok(())
    }

    /// The sums of the differences of every feature.
    pub(super) fn finish(self, run: &Run) -> Vec<[f64; SUMS]> {
        let Self { space, features, weights, common, .. } = self;
        let of_feature = |buffer: &mut EntryBuffer, (&feature, common): (&usize, &[f64; SUMS])| {
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
        run.install(|| {
            let pairs = features.par_iter().zip(common.par_iter()).with_min_len(64);
            pairs.map_init(EntryBuffer::default, of_feature).collect()
        })
    }
}
