//! Hits and misses of two classes under many permutations at once: each permutation is a bit, and
//! 64 of them walk a row's neighbors together.

use basrelief_kernels::{
    Fraction, Lookups, MASK_WORDS, Multiple, OpenCounts, PermutationMask, SLOTS_TOGETHER, look_up,
    turn_bits,
};

use crate::error::Result;
use crate::neighbors::{Entry, NearestOrders, RadiusMarks, Ties, end_of_tied, set_bits};
use crate::parallel;
use crate::run::Run;

/// The weights of tied neighbors are counted in units of 1 / `PARTS` where they are multiples of
/// it.
pub(super) const PARTS: usize = 12;

/// Rows per task.
const ROWS_PER_TASK: usize = 16;

/// Which rows are of the second class, permutation by permutation.
pub(super) struct Labels {
    /// Words per row, each of 64 permutations.
    words: usize,
    permutations: usize,
    /// Row by row.
    bits: Vec<u64>,
}

impl Labels {
    /// From the codes (0 and 1) of every permutation.
    pub(super) fn new(rows: usize, codes: &[&[u32]]) -> Self {
        let words = codes.len().div_ceil(64);
        let mut bits = vec![0; rows * words];
        for (permutation, codes) in codes.iter().enumerate() {
            for (row, &code) in codes.iter().enumerate() {
                bits[row * words + permutation / 64] |= u64::from(code) << (permutation % 64);
            }
        }
        Self { words, permutations: codes.len(), bits }
    }

    /// Number of permutations.
    pub(super) fn permutations(&self) -> usize {
        self.permutations
    }

    pub(super) fn bits(&self, row: u32, word: usize) -> u64 {
        self.bits[row as usize * self.words + word]
    }

    /// The mask of every row; the number of permutations must not exceed the bits of a mask.
    pub(super) fn masks(&self) -> Vec<PermutationMask> {
        let of_row = |words: &[u64]| {
            let mut mask = [0; MASK_WORDS];
            mask[..words.len()].copy_from_slice(words);
            mask
        };
        self.bits.chunks_exact(self.words).map(of_row).collect()
    }

    /// Words per row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The bits of a word that stand for permutations.
    pub(super) fn valid(&self, word: usize) -> u64 {
        match self.permutations - word * 64 {
            64.. => u64::MAX,
            few => (1 << few) - 1,
        }
    }
}

/// A row's neighbors under all permutations.
pub(super) struct RowSubsets {
    pub(super) row: u32,
    /// The other rows.
    pub(super) others: Vec<u32>,
    pub(super) weights: SubsetWeights,
}

/// The weights of the other rows.
pub(super) enum SubsetWeights {
    /// Weight 1 for misses and -1 for hits, k of each: per [`SLOTS_TOGETHER`] other rows.
    Even { subsets: Vec<Subsets>, k: usize },
    /// Per [`SLOTS_TOGETHER`] other rows and permutation the hits, as bits; per permutation the
    /// weight of each hit, and the weight that is added for every row.
    Scaled { words: Vec<Vec<u64>>, hits: Vec<f64>, all: Vec<f64> },
}

/// The subsets among some other rows.
#[derive(Default)]
pub(super) struct Subsets {
    /// The rows with full weight.
    pub(super) lookups: Vec<Lookups>,
    pub(super) entries: Vec<u16>,
    /// In units of 1 / [`PARTS`].
    pub(super) multiples: Vec<Multiple>,
    pub(super) fractions: Vec<Fraction>,
}

/// Adds the k nearest hits and misses of the rows that have none yet, place by place. Returns the places
/// of rows whose orders are too short. Each neighbor has weight 1, and those tied at the k-th distance
/// share the remaining places. A class must have more than k rows.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn add_nearest_subsets(
    subsets: &mut Vec<Option<RowSubsets>>,
    orders: &NearestOrders,
    labels: &Labels,
    run: &Run,
) -> Result<Vec<usize>> {
    let options = orders.options();
    subsets.resize_with(orders.iter().len(), || None);
    let lacking = subsets.iter().zip(orders.iter()).filter(|(found, _)| found.is_none());
    let rows: Vec<(u32, &[Entry])> = lacking.map(|(_, row)| row).collect();
    let found = run.install(|| {
        parallel::try_map(rows.chunks(ROWS_PER_TASK), |rows| {
            run.check()?;
            let mut walk = Walk::new(options.k, options.ties);
            let subsets = rows.iter().map(|&(row, order)| walk.row(row, order, labels));
            Ok(subsets.collect::<Vec<_>>())
        })
    })?;
    let lacking = subsets.iter_mut().filter(|subsets| subsets.is_none());
    lacking.zip(found.into_iter().flatten()).for_each(|(subsets, found)| *subsets = found);
    let short = (0..).zip(&*subsets).filter(|(_, subsets)| subsets.is_none());
    Ok(short.map(|(place, _)| place).collect())
}

/// Walks the neighbor orders of rows.
struct Walk {
    k: usize,
    ties: Ties,
    /// Per side (hits, misses) and other row, the permutations in which it counts.
    masks: [Vec<u64>; 2],
    /// Per [`SLOTS_TOGETHER`] other rows and permutation, misses and hits as bits.
    words: Vec<[u64; 2]>,
    /// Memory for the lookups.
    drafts: (Vec<(Lookups, usize)>, Vec<u16>),
}

impl Walk {
    fn new(k: usize, ties: Ties) -> Self {
        let (masks, words) = ([Vec::new(), Vec::new()], Vec::new());
        Self { k, ties, masks, words, drafts: Default::default() }
    }

    /// The subsets of one row; `None` if its order is too short.
    fn row(&mut self, row: u32, order: &[Entry], labels: &Labels) -> Option<RowSubsets> {
        let chunks = order.len().div_ceil(SLOTS_TOGETHER);
        let mut found: Vec<Subsets> = (0..chunks).map(|_| Subsets::default()).collect();
        let mut used = 0;
        self.words.clear();
        self.words.resize(chunks * labels.permutations, [0; 2]);
        for word in 0..labels.words {
            let of_word = self.word(row, order, labels, word, &mut found)?;
            used = used.max(of_word);
            self.choose(of_word, labels, word);
        }
        found.truncate(used.div_ceil(SLOTS_TOGETHER));
        for (subsets, words) in found.iter_mut().zip(self.words.chunks_exact(labels.permutations)) {
            subsets.look_up(words, &mut self.drafts);
        }
        let others = order[..used].iter().map(|entry| entry.1).collect();
        Some(RowSubsets { row, others, weights: SubsetWeights::Even { subsets: found, k: self.k } })
    }

    /// Walks the order for 64 permutations; the masks then mark the rows with full weight. Returns
    /// the number of rows visited, or `None` if the order is too short.
    fn word(
        &mut self,
        row: u32,
        order: &[Entry],
        labels: &Labels,
        word: usize,
        found: &mut [Subsets],
    ) -> Option<usize> {
        let own = labels.bits(row, word);
        let valid = labels.valid(word);
        let mut sides = [OpenCounts::new([valid], self.k), OpenCounts::new([valid], self.k)];
        let mut before = sides[0].clone();
        let Self { k, ties, masks, .. } = self;
        masks.iter_mut().for_each(|masks| masks.clear());
        let mut end = 0;
        while end < order.len() && sides.iter().any(OpenCounts::is_open) {
            let start = end;
            end = end_of_tied(order, start, *ties);
            for (at, (side, masks)) in sides.iter_mut().zip(&mut *masks).enumerate() {
                let [open] = side.open();
                before.copy(side);
                for &(_, other) in &order[start..end] {
                    let differs = own ^ labels.bits(other, word);
                    let mask = open & if at == 0 { !differs } else { differs };
                    side.add([mask]);
                    masks.push(mask);
                }
                let [over] = side.close(*k);
                for permutation in set_bits(over) {
                    // Tied rows share the remaining places.
                    let slots: Vec<usize> =
                        (start..end).filter(|&slot| masks[slot] >> permutation & 1 == 1).collect();
                    let places = k.saturating_sub(before.value(0, permutation));
                    slots.iter().for_each(|&slot| masks[slot] &= !(1 << permutation));
                    let sign = if at == 0 { -1 } else { 1 };
                    let of_all = word * 64 + permutation;
                    share(found, &slots, places, sign, of_all);
                }
            }
        }
        (!sides.iter().any(OpenCounts::is_open)).then_some(end)
    }

    /// Turns the masks of rows with full weight into words per permutation.
    fn choose(&mut self, used: usize, labels: &Labels, word: usize) {
        let Self { masks, words, .. } = self;
        for (chunk, words) in words.chunks_exact_mut(labels.permutations).enumerate() {
            let slots = chunk * SLOTS_TOGETHER..((chunk + 1) * SLOTS_TOGETHER).min(used);
            if slots.is_empty() {
                break;
            }
            let words = words[word * 64..].iter_mut();
            let [hits, misses] = masks.each_ref().map(|masks| {
                let mut square = [0; 64];
                square[..slots.len()].copy_from_slice(&masks[slots.clone()]);
                turn_bits(&mut square);
                square
            });
            words
                .zip(misses.into_iter().zip(hits))
                .for_each(|(out, (plus, minus))| *out = [plus, minus]);
        }
    }
}

impl Subsets {
    /// Converts the words of every permutation into lookups.
    fn look_up(
        &mut self,
        words: &[[u64; 2]],
        (drafts, entries): &mut (Vec<(Lookups, usize)>, Vec<u16>),
    ) {
        drafts.clear();
        entries.clear();
        for (permutation, &[plus, minus]) in (0..).zip(words) {
            let start = entries.len();
            let [added, subtracted] = look_up(plus, minus, entries);
            if added + subtracted > 0 {
                drafts.push((Lookups { permutation, added, subtracted }, start));
            }
        }
        // Permutations with equal numbers of entries follow each other, so that the ends of loops
        // are predictable.
        drafts.sort_unstable_by_key(|(one, start)| (one.added, one.subtracted, *start));
        self.entries.reserve_exact(entries.len());
        for &(Lookups { added, subtracted, .. }, start) in &*drafts {
            self.entries.extend_from_slice(&entries[start..][..(added + subtracted) as usize]);
        }
        self.lookups = drafts.iter().map(|draft| draft.0).collect();
    }
}

/// Adds tied rows that share the remaining places.
fn share(found: &mut [Subsets], slots: &[usize], places: usize, sign: i16, permutation: usize) {
    let tied = slots.len();
    for slots in slots.chunk_by(|a, b| a / SLOTS_TOGETHER == b / SLOTS_TOGETHER) {
        let subsets = &mut found[slots[0] / SLOTS_TOGETHER];
        let slots = slots.iter().fold(0, |bits, slot| bits | 1 << (slot % SLOTS_TOGETHER));
        if (PARTS * places).is_multiple_of(tied) {
            let times = sign * (PARTS * places / tied) as i16;
            subsets.multiples.push(Multiple { permutation: permutation as u16, times, slots });
        } else {
            let weight = f64::from(sign) * places as f64 / tied as f64;
            subsets.fractions.push(Fraction { permutation: permutation as u32, slots, weight });
        }
    }
}

/// The near rows of every row, and its far rows where they are listed: the mean over misses minus
/// that over hits, and the opposite sign for far rows. In addition, per permutation, the number of
/// rows that have far misses minus the number that have far hits.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn radius_subsets(
    marks: &RadiusMarks,
    labels: &Labels,
    run: &Run,
) -> Result<(Vec<RowSubsets>, Vec<f64>)> {
    let places: Vec<usize> = (0..marks.rows().len()).collect();
    let found = run.install(|| {
        parallel::try_map(places.chunks(ROWS_PER_TASK), |places| {
            run.check()?;
            let of_place = |&place: &usize| {
                let row = marks.rows()[place];
                let sides = (0..marks.sides()).zip([1.0, -1.0]);
                let of_side =
                    |(side, sign)| radius_row(row, marks.row(side, place).collect(), sign, labels);
                sides.map(of_side).collect::<Vec<_>>()
            };
            Ok(places.iter().flat_map(of_place).collect::<Vec<_>>())
        })
    })?;
    let mut more = vec![0.0; labels.permutations];
    let sides = marks.sides();
    let mut subsets = Vec::with_capacity(places.len() * sides);
    for (at, (row, of_row)) in found.into_iter().flatten().enumerate() {
        if at % sides == 1 {
            more.iter_mut().zip(of_row).for_each(|(all, one)| *all += one);
        }
        subsets.push(row);
    }
    Ok((subsets, more))
}

/// One side of a row; and per permutation, 1 if it has misses minus 1 if it has hits.
fn radius_row(row: u32, others: Vec<u32>, sign: f64, labels: &Labels) -> (RowSubsets, Vec<f64>) {
    let mut counts = vec![0; labels.permutations];
    let words = others.chunks(SLOTS_TOGETHER).map(|others| {
        let mut of_chunk = Vec::with_capacity(labels.permutations);
        for word in 0..labels.words {
            let own = labels.bits(row, word);
            let mut square = [0; 64];
            for (hits, &other) in square.iter_mut().zip(others) {
                *hits = !(own ^ labels.bits(other, word));
            }
            turn_bits(&mut square);
            of_chunk.extend_from_slice(&square[..(labels.permutations - word * 64).min(64)]);
        }
        counts.iter_mut().zip(&of_chunk).for_each(|(count, word)| *count += word.count_ones());
        of_chunk
    });
    let words: Vec<Vec<u64>> = words.collect();
    let share = |count: usize| if count == 0 { 0.0 } else { sign / count as f64 };
    let (mut hits, mut all, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for &count in &counts {
        let (of_hits, of_misses) = (count as usize, others.len() - count as usize);
        // The hits are subtracted from the sum over all rows to obtain the misses.
        all.push(share(of_misses));
        hits.push(-share(of_misses) - share(of_hits));
        let any = |count: usize| f64::from(u8::from(count > 0));
        more.push(any(of_misses) - any(of_hits));
    }
    let weights = SubsetWeights::Scaled { words, hits, all };
    (RowSubsets { row, others, weights }, more)
}
