//! Mean margins of a few features with integer differences under many permutations of two classes,
//! for adaptive tests that continue until small p-values are precise.
//!
//! 512 permutations walk a row's nearest rows together, and the contribution of a neighbor to a
//! feature is a mask of the permutations in which it counts: margins are counts of bits, which do
//! not depend on any order.

use basrelief_kernels::{
    HitWalk, MASK_WORDS, PermutationCounts, PermutationMask, SHARES, Share, level,
};

use super::permuted_pairs::{Labels, PARTS};
use crate::error::Result;
use crate::neighbors::{Entry, NearestOrders, Ties, end_of_tied, set_bits};
use crate::parallel;
use crate::run::Run;

/// Permutations that are counted together.
pub(super) const TOGETHER: usize = 64 * MASK_WORDS;

/// Rows per task; their counts are added up at the end of the task.
const ROWS_PER_TASK: usize = 128;

/// The values of a feature, row by row, and whether two different values differ by 1 or by the
/// absolute difference of the values.
pub(super) struct WholeFeature {
    pub(super) values: Vec<u8>,
    pub(super) is_mismatch: bool,
}

impl WholeFeature {
    fn difference(&self, a: u32, b: u32) -> usize {
        let (a, b) = (self.values[a as usize], self.values[b as usize]);
        if self.is_mismatch { usize::from(a != b) } else { usize::from(a.abs_diff(b)) }
    }

    /// Lists the positions in `rows` of the rows that differ from a row, each repeated as often as
    /// its difference.
    fn choose(&self, row: u32, rows: &[u32], chosen: &mut Vec<u16>) {
        chosen.clear();
        // No difference is above 2.
        chosen.resize(2 * rows.len(), 0);
        let mut count = 0;
        for (place, &other) in (0..).zip(rows) {
            // Written in any case: whether rows differ is as good as random, and a branch would be
            // mispredicted.
            chosen[count..count + 2].fill(place);
            count += self.difference(row, other);
        }
        chosen.truncate(count);
    }
}

/// Per permutation and feature, the sum of differences to the k nearest misses minus that to the k
/// nearest hits; or the places of the rows whose orders are too short. Accepts at most [`TOGETHER`]
/// permutations; a class must have more than k rows.
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
    let rows: Vec<(u32, &[Entry])> = orders.iter().collect();
    let masks = labels.masks();
    let parts = run.install(|| {
        let starts = (0..rows.len()).step_by(ROWS_PER_TASK);
        parallel::try_map(starts, |start| {
            run.check()?;
            let mut task = Task::new(features, (labels, &masks), options.k, options.ties);
            let end = (start + ROWS_PER_TASK).min(rows.len());
            let short = (start..end).filter(|&place| {
                let (row, order) = rows[place];
                !task.add(row, order)
            });
            let short: Vec<usize> = short.collect();
            Ok(if short.is_empty() { Ok(task.sums()) } else { Err(short) })
        })
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

/// Counts and memory for the rows of one task.
struct Task<'t> {
    features: &'t [WholeFeature],
    /// Row by row.
    labels: &'t [PermutationMask],
    k: usize,
    ties: Ties,
    valid: PermutationMask,
    /// Per feature, side (hits, misses) and weight.
    counts: Vec<[[PermutationCounts; SHARES.len()]; 2]>,
    /// Per permutation and feature, the contributions of ties that [`SHARES`] does not cover.
    odd: Vec<Vec<f64>>,
    /// Per side and weight, the masks of a row's neighbors and the neighbors themselves.
    masks: [[(Vec<PermutationMask>, Vec<u32>); SHARES.len()]; 2],
    chosen: Vec<u16>,
}

impl<'t> Task<'t> {
    fn new(
        features: &'t [WholeFeature],
        (labels, masks): (&Labels, &'t [PermutationMask]),
        k: usize,
        ties: Ties,
    ) -> Self {
        let word = |word: usize| if word < labels.words() { labels.valid(word) } else { 0 };
        Self {
            features,
            labels: masks,
            k,
            ties,
            valid: std::array::from_fn(word),
            counts: features.iter().map(|_| Default::default()).collect(),
            odd: vec![vec![0.0; features.len()]; labels.permutations()],
            masks: Default::default(),
            chosen: Vec::new(),
        }
    }

    /// Adds a row with its nearest rows; returns whether there were enough of them.
    fn add(&mut self, row: u32, order: &[Entry]) -> bool {
        let level = level();
        let own = self.labels[row as usize];
        self.masks.iter_mut().flatten().for_each(|(masks, rows)| {
            masks.clear();
            rows.clear();
        });
        let mut walk = HitWalk::new(self.valid, self.k);
        let mut differ: Vec<PermutationMask> = Vec::new();
        let mut shares: Vec<Share> = Vec::new();
        let mut end = 0;
        while end < order.len() && walk.is_open() {
            let start = end;
            end = end_of_tied(order, start, self.ties);
            let tied = &order[start..end];
            differ.clear();
            differ.extend(tied.iter().map(|&(_, other)| {
                let other = self.labels[other as usize];
                std::array::from_fn(|word| own[word] ^ other[word])
            }));
            shares.clear();
            let left = walk.step(level, &differ, &mut shares);
            for &Share { group, share, place, mask } in &shares {
                let (masks, rows) = &mut self.masks[group as usize][share as usize];
                masks.push(mask);
                rows.push(tied[place as usize].1);
            }
            for (group, left) in left.into_iter().enumerate() {
                for permutation in permutations(left) {
                    let places = walk.places(group, permutation);
                    self.add_odd(row, (tied, &differ), group, permutation, places);
                }
            }
        }
        if walk.is_open() {
            return false;
        }
        let Self { features, counts, masks, chosen, .. } = self;
        for (feature, counts) in features.iter().zip(counts) {
            for (counts, masks) in counts.iter_mut().flatten().zip(masks.iter().flatten()) {
                let (masks, rows) = masks;
                feature.choose(row, rows, chosen);
                counts.add(level, masks, chosen);
            }
        }
        true
    }

    /// Adds tied rows that share the remaining places in one permutation.
    fn add_odd(
        &mut self,
        row: u32,
        (tied, differ): (&[Entry], &[PermutationMask]),
        group: usize,
        permutation: usize,
        places: usize,
    ) {
        let is_of_group = |differs: &PermutationMask| {
            (differs[permutation / 64] >> (permutation % 64) & 1) as usize == group
        };
        let others = differ.iter().zip(tied).filter(|(differs, _)| is_of_group(differs));
        let others: Vec<u32> = others.map(|(_, entry)| entry.1).collect();
        let share = places as f64 / others.len() as f64;
        let sign = if group == 0 { -share } else { share };
        for (sum, feature) in self.odd[permutation].iter_mut().zip(self.features) {
            let all: usize = others.iter().map(|&other| feature.difference(row, other)).sum();
            *sum += sign * all as f64;
        }
    }

    /// The sums, by permutation and feature.
    fn sums(self) -> Vec<Vec<f64>> {
        let mut sums = self.odd;
        for (feature, counts) in self.counts.iter().enumerate() {
            let mut parts = vec![0_i64; TOGETHER];
            for (counts, sign) in counts.iter().zip([-1, 1]) {
                for (counts, weight) in counts.iter().zip(SHARES) {
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

/// The permutations of a mask.
fn permutations(mask: PermutationMask) -> impl Iterator<Item = usize> {
    mask.into_iter()
        .enumerate()
        .flat_map(|(word, all)| set_bits(all).map(move |bit| word * 64 + bit))
}
