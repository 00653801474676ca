//! Mean margins of few features of whole differences under many permutations of two classes: for tests that
//! go on until p-values are small.
//!
//! 512 permutations walk a row's nearest rows together, and what a neighbor adds to a feature is a mask of
//! the permutations in which it counts: margins are counts of bits, which do not depend on any order.

use basrelief_kernels::{MASK_WORDS, PermutationCounts, PermutationMask, level};
use rayon::prelude::*;

use super::permuted_pairs::{Labels, PARTS, Side, bits};
use crate::error::Result;
use crate::neighbors::{Entry, NearestOrders, Ties};
use crate::run::Run;

/// Permutations that are counted together.
pub(super) const TOGETHER: usize = 64 * MASK_WORDS;

/// Rows of one task, whose counts are added up at its end.
const ROWS_PER_TASK: usize = 128;

/// Rows tied at the k-th distance, of one side, whose shares are counted as bits; more are added one by one.
const MOST_TIED: usize = 4;

/// What a neighbor may count, in units of 1 / [`PARTS`]: fully, or its share of the places left to up to
/// [`MOST_TIED`] rows.
const WEIGHTS: [usize; 6] = [12, 6, 4, 8, 3, 9];

/// The values of a feature, row by row, and whether they differ by 1 where they are not equal, or by as much
/// as they say.
pub(super) struct WholeFeature {
    pub(super) values: Vec<u8>,
    pub(super) is_mismatch: bool,
}

impl WholeFeature {
    fn difference(&self, a: u32, b: u32) -> usize {
        let (a, b) = (self.values[a as usize], self.values[b as usize]);
        if self.is_mismatch { usize::from(a != b) } else { usize::from(a.abs_diff(b)) }
    }
}

/// Per permutation and feature the sum of differences to the k nearest misses less that to hits, or the
/// places of rows whose orders are too short. At most [`TOGETHER`] permutations; a class must have more than
/// k rows.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn counted_sums(
    features: &[WholeFeature],
    orders: &NearestOrders,
    labels: &Labels,
    run: &Run,
) -> Result<std::result::Result<Vec<Vec<f64>>, Vec<usize>>> {
    let options = orders.options();
    let rows: Vec<(u32, &[Entry], bool)> = orders.iter().collect();
    let starts: Vec<usize> = (0..rows.len()).step_by(ROWS_PER_TASK).collect();
    let parts = run.install(|| {
        starts
            .par_iter()
            .map(|&start| {
                run.check()?;
                let mut task = Task::new(features, labels, options.k, options.ties);
                let end = (start + ROWS_PER_TASK).min(rows.len());
                let short = (start..end).filter(|&place| {
                    let (row, order, _) = rows[place];
                    !task.add(row, order)
                });
                let short: Vec<usize> = short.collect();
                Ok(if short.is_empty() { Ok(task.sums()) } else { Err(short) })
            })
            .collect::<Result<Vec<std::result::Result<Vec<Vec<f64>>, Vec<usize>>>>>()
    })?;
    let mut sums = vec![vec![0.0; features.len()]; labels.permutations()];
    let mut short = Vec::new();
    for part in parts {
        match part {
            Ok(part) => {
                for (all, one) in sums.iter_mut().flatten().zip(part.iter().flatten()) {
                    *all += one;
                }
            }
            Err(places) => short.extend(places),
        }
    }
    Ok(if short.is_empty() { Ok(sums) } else { Err(short) })
}

/// Some rows: what is counted, and the memory for it.
struct Task<'t> {
    features: &'t [WholeFeature],
    labels: &'t Labels,
    k: usize,
    ties: Ties,
    valid: PermutationMask,
    /// Per feature, side (hits, misses) and weight.
    counts: Vec<[[PermutationCounts; WEIGHTS.len()]; 2]>,
    /// Per permutation and feature, what is no multiple of a part.
    odd: Vec<Vec<f64>>,
    /// Per side and weight, the masks of a row and whose they are.
    masks: [[(Vec<PermutationMask>, Vec<u32>); WEIGHTS.len()]; 2],
    chosen: Vec<u16>,
    /// A side before rows were added.
    before: Side<MASK_WORDS>,
}

impl<'t> Task<'t> {
    fn new(features: &'t [WholeFeature], labels: &'t Labels, k: usize, ties: Ties) -> Self {
        let word = |word: usize| if word < labels.words() { labels.valid(word) } else { 0 };
        Self {
            features,
            labels,
            k,
            ties,
            valid: std::array::from_fn(word),
            counts: features.iter().map(|_| Default::default()).collect(),
            odd: vec![vec![0.0; features.len()]; labels.permutations()],
            masks: Default::default(),
            chosen: Vec::new(),
            before: Side::new([0; MASK_WORDS], k),
        }
    }

    fn labels_of(&self, row: u32) -> PermutationMask {
        let words = self.labels.words();
        std::array::from_fn(|word| if word < words { self.labels.of(row, word) } else { 0 })
    }

    /// Adds a row with its nearest rows; whether there were enough of them.
    fn add(&mut self, row: u32, order: &[Entry]) -> bool {
        let own = self.labels_of(row);
        self.masks.iter_mut().flatten().for_each(|(masks, rows)| {
            masks.clear();
            rows.clear();
        });
        let mut sides = [Side::new(self.valid, self.k), Side::new(self.valid, self.k)];
        let mut end = 0;
        let mut differ: Vec<PermutationMask> = Vec::new();
        while end < order.len() && sides.iter().any(Side::is_open) {
            let start = end;
            end += match self.ties {
                Ties::First => 1,
                Ties::Share => {
                    order[start..].iter().take_while(|entry| entry.0 == order[start].0).count()
                }
            };
            differ.clear();
            differ.extend(order[start..end].iter().map(|&(_, other)| {
                let other = self.labels_of(other);
                std::array::from_fn(|word| own[word] ^ other[word])
            }));
            for (at, side) in sides.iter_mut().enumerate() {
                self.add_tied(row, &order[start..end], &differ, at, side);
            }
        }
        if sides.iter().any(Side::is_open) {
            return false;
        }
        let level = level();
        let Self { features, counts, masks, chosen, .. } = self;
        for (feature, counts) in features.iter().zip(counts) {
            for (counts, masks) in counts.iter_mut().flatten().zip(masks.iter().flatten()) {
                let (masks, rows) = masks;
                chosen.clear();
                for (place, &other) in (0..).zip(rows) {
                    chosen.extend((0..feature.difference(row, other)).map(|_| place));
                }
                counts.add(level, masks, chosen);
            }
        }
        true
    }

    /// Adds rows at one distance to a side: hits (0) or misses (1).
    fn add_tied(
        &mut self,
        row: u32,
        tied: &[Entry],
        differ: &[PermutationMask],
        at: usize,
        side: &mut Side<MASK_WORDS>,
    ) {
        let Self { features, k, masks, odd, before, .. } = self;
        let (k, masks) = (*k, &mut masks[at]);
        let open = side.open;
        let inverted = if at == 0 { u64::MAX } else { 0 };
        let member = |differs: &PermutationMask| -> PermutationMask {
            std::array::from_fn(|word| open[word] & (differs[word] ^ inverted))
        };
        if let ([differs], [entry]) = (differ, tied) {
            // Nobody is tied.
            let mask = member(differs);
            side.add(mask);
            side.close(k);
            push(&mut masks[0], mask, entry.1);
            return;
        }
        before.copy(side);
        let members: Vec<PermutationMask> = differ.iter().map(member).collect();
        members.iter().for_each(|&mask| side.add(mask));
        let over = side.close(k);
        let full = |mask: &PermutationMask| std::array::from_fn(|word| mask[word] & !over[word]);
        for (mask, &(_, other)) in members.iter().zip(tied) {
            push(&mut masks[0], full(mask), other);
        }
        if over.iter().all(|&over| over == 0) {
            return;
        }
        // Tied rows share the places that are left: all of which permutations have as many of both are
        // alike.
        let mut left = over;
        for places in 1..MOST_TIED.min(k + 1) {
            let of_places = before.are(k - places);
            for count in places + 1..=MOST_TIED.min(tied.len()) {
                let of_count = side.are(k - places + count);
                let all: PermutationMask =
                    std::array::from_fn(|word| left[word] & of_places[word] & of_count[word]);
                if all.iter().all(|&all| all == 0) {
                    continue;
                }
                left.iter_mut().zip(all).for_each(|(left, all)| *left &= !all);
                let weight = WEIGHTS.iter().position(|&weight| weight * count == PARTS * places);
                let weight = weight.unwrap_or_default();
                for (mask, &(_, other)) in members.iter().zip(tied) {
                    let mask = std::array::from_fn(|word| mask[word] & all[word]);
                    push(&mut masks[weight], mask, other);
                }
            }
        }
        for word in 0..MASK_WORDS {
            for permutation in bits(left[word]) {
                let has = |mask: &PermutationMask| mask[word] >> permutation & 1 == 1;
                let others = members.iter().zip(tied).filter(|(mask, _)| has(mask));
                let others: Vec<u32> = others.map(|(_, entry)| entry.1).collect();
                let places = k - before.value(word, permutation);
                let share = places as f64 / others.len() as f64;
                let sign = if at == 0 { -share } else { share };
                let odd = &mut odd[word * 64 + permutation];
                for (sum, feature) in odd.iter_mut().zip(*features) {
                    let all: usize =
                        others.iter().map(|&other| feature.difference(row, other)).sum();
                    *sum += sign * all as f64;
                }
            }
        }
    }

    /// Permutation by permutation, feature by feature.
    fn sums(self) -> Vec<Vec<f64>> {
        let mut sums = self.odd;
        for (feature, counts) in self.counts.iter().enumerate() {
            let mut parts = vec![0_i64; TOGETHER];
            for (counts, sign) in counts.iter().zip([-1, 1]) {
                for (counts, weight) in counts.iter().zip(WEIGHTS) {
                    let values = counts.values();
                    for (part, value) in parts.iter_mut().zip(values) {
                        *part += sign * weight as i64 * i64::from(value);
                    }
                }
            }
            for (sums, part) in sums.iter_mut().zip(parts) {
                sums[feature] += part as f64 / PARTS as f64;
            }
        }
        sums
    }
}

/// Adds a row's mask, if it has a permutation.
fn push((masks, rows): &mut (Vec<PermutationMask>, Vec<u32>), mask: PermutationMask, other: u32) {
    if mask.iter().any(|&word| word != 0) {
        masks.push(mask);
        rows.push(other);
    }
}
