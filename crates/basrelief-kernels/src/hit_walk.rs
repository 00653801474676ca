//! Hits and misses under many permutations of two classes: whether a row is among the k nearest,
//! with one bit per permutation.

use crate::Level;
use crate::bit_counts::{MASK_WORDS, PermutationMask};
use crate::dispatch::multiversion;

/// Number of planes of a count: up to 2^16 rows tied with the k-th.
const PLANES: usize = 17;

/// The neighbors of one group under 64 permutations per word: their number, in planes of bits, and
/// the permutations that are open because they have fewer than k.
#[derive(Debug, Clone)]
pub struct OpenCounts<const WORDS: usize> {
    count: [[u64; WORDS]; PLANES],
    planes: usize,
    open: [u64; WORDS],
}

impl<const WORDS: usize> OpenCounts<WORDS> {
    /// Counts of 0; only the permutations in `open` are open.
    #[inline(always)]
    pub fn new(open: [u64; WORDS], k: usize) -> Self {
        let planes = (usize::BITS - k.leading_zeros()) as usize;
        Self { count: [[0; WORDS]; PLANES], planes, open }
    }

    /// Copies another count.
    #[inline(always)]
    pub fn copy(&mut self, other: &Self) {
        self.count[..other.planes].copy_from_slice(&other.count[..other.planes]);
        (self.planes, self.open) = (other.planes, other.open);
    }

    /// The open permutations.
    #[inline(always)]
    pub fn open(&self) -> [u64; WORDS] {
        self.open
    }

    /// Whether any permutation is open.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.open.iter().any(|&open| open != 0)
    }

    /// Adds one to the counts of the permutations in the mask.
    #[inline(always)]
    pub fn add(&mut self, mask: [u64; WORDS]) {
        let mut carry = mask;
        let mut plane = 0;
        while plane < PLANES && carry.iter().any(|&carry| carry != 0) {
            for (count, carry) in self.count[plane].iter_mut().zip(&mut carry) {
                (*count, *carry) = (*count ^ *carry, *count & *carry);
            }
            plane += 1;
        }
        self.planes = self.planes.max(plane);
    }

    /// Closes the permutations with k or more neighbors; returns those with more than k.
    #[inline(always)]
    pub fn close(&mut self, k: usize) -> [u64; WORDS] {
        let (mut greater, mut equal) = ([0; WORDS], [u64::MAX; WORDS]);
        for (plane, count) in self.count[..self.planes].iter().enumerate().rev() {
            let is_set = k >> plane & 1 == 1;
            for word in 0..WORDS {
                if is_set {
                    equal[word] &= count[word];
                } else {
                    greater[word] |= equal[word] & count[word];
                    equal[word] &= !count[word];
                }
            }
        }
        let mut over = greater;
        for word in 0..WORDS {
            over[word] &= self.open[word];
            self.open[word] &= !(greater[word] | equal[word]);
        }
        over
    }

    /// The permutations with exactly this count.
    #[inline(always)]
    pub fn are(&self, value: usize) -> [u64; WORDS] {
        let mut equal = [if value >> self.planes == 0 { u64::MAX } else { 0 }; WORDS];
        for (plane, count) in self.count[..self.planes].iter().enumerate() {
            let inverted = if value >> plane & 1 == 1 { 0 } else { u64::MAX };
            equal.iter_mut().zip(count).for_each(|(equal, count)| *equal &= count ^ inverted);
        }
        equal
    }

    /// The count of one permutation.
    #[inline(always)]
    pub fn value(&self, word: usize, permutation: usize) -> usize {
        let bit = |plane: usize| (self.count[plane][word] >> permutation & 1) as usize;
        (0..self.planes).fold(0, |value, plane| value | bit(plane) << plane)
    }
}

/// The possible weights of a neighbor, in twelfths: the full weight, or its part of the places that
/// remain for up to four neighbors tied at the k-th distance.
pub const SHARES: [usize; 6] = [12, 6, 4, 8, 3, 9];

/// Largest number of neighbors of one group tied at the k-th distance for which weights are
/// reported; the caller handles more.
const MOST_TIED: usize = 4;

/// The weight in a group of one of some rows at the same distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The group: hits (0) or misses (1).
    pub group: u8,
    /// The index of the weight in [`SHARES`].
    pub share: u8,
    /// The index among the rows.
    pub place: u16,
    /// The permutations in which it counts.
    pub mask: PermutationMask,
}

/// The walk through a row's neighbors, the nearest first, under 512 permutations.
#[derive(Debug, Clone)]
pub struct HitWalk {
    k: usize,
    groups: [OpenCounts<MASK_WORDS>; 2],
    /// The groups before the last step.
    before: [OpenCounts<MASK_WORDS>; 2],
    members: Vec<PermutationMask>,
}

impl HitWalk {
    /// Starts a walk of the permutations in a mask, to k hits and k misses.
    pub fn new(valid: PermutationMask, k: usize) -> Self {
        let groups = [OpenCounts::new(valid, k), OpenCounts::new(valid, k)];
        Self { k, before: groups.clone(), groups, members: Vec::new() }
    }

    /// Whether some permutation has fewer than k hits or misses.
    pub fn is_open(&self) -> bool {
        self.groups.iter().any(OpenCounts::is_open)
    }

    /// Adds the next rows, all at the same distance, given the permutations in which their class
    /// differs from the row's own; appends their weights to `shares`. Returns, for either group,
    /// the permutations in which more than four rows share the remaining places
    /// ([`places`](Self::places)).
    ///
    /// # Panics
    /// A `level` that this machine does not have.
    pub fn step(
        &mut self,
        level: Level,
        differ: &[PermutationMask],
        shares: &mut Vec<Share>,
    ) -> [PermutationMask; 2] {
        let walk = self;
        multiversion!(level, |walk: &mut HitWalk,
                              differ: &[PermutationMask],
                              shares: &mut Vec<Share>|
         -> [PermutationMask; 2] {
            let mut left = [[0; MASK_WORDS]; 2];
            for (group, left) in left.iter_mut().enumerate() {
                *left = walk.add(group, differ, shares);
            }
            left
        })
    }

    #[inline(always)]
    fn add(
        &mut self,
        group: usize,
        differ: &[PermutationMask],
        shares: &mut Vec<Share>,
    ) -> PermutationMask {
        let Self { k, groups, before, members } = self;
        let (k, counts, before) = (*k, &mut groups[group], &mut before[group]);
        let open = counts.open();
        let inverted = if group == 0 { u64::MAX } else { 0 };
        let member = |differs: &PermutationMask| -> PermutationMask {
            std::array::from_fn(|word| open[word] & (differs[word] ^ inverted))
        };
        let mut push = |share: usize, place: usize, mask: PermutationMask| {
            if mask.iter().fold(0, |any, word| any | word) != 0 {
                let (group, share, place) = (group as u8, share as u8, place as u16);
                shares.push(Share { group, share, place, mask });
            }
        };
        if let [differs] = differ {
            // No ties.
            let mask = member(differs);
            counts.add(mask);
            counts.close(k);
            push(0, 0, mask);
            return [0; MASK_WORDS];
        }
        before.copy(counts);
        members.clear();
        members.extend(differ.iter().map(member));
        members.iter().for_each(|&mask| counts.add(mask));
        let over = counts.close(k);
        for (place, mask) in members.iter().enumerate() {
            push(0, place, std::array::from_fn(|word| mask[word] & !over[word]));
        }
        let mut left = over;
        // Permutations with equal numbers of remaining places and of rows for them have equal
        // weights.
        for places in 1..MOST_TIED.min(k + 1) {
            if left.iter().fold(0, |any, word| any | word) == 0 {
                break;
            }
            let of_places = before.are(k - places);
            for tied in places + 1..=MOST_TIED.min(differ.len()) {
                let of_tied = counts.are(k - places + tied);
                let all: PermutationMask =
                    std::array::from_fn(|word| left[word] & of_places[word] & of_tied[word]);
                if all.iter().fold(0, |any, word| any | word) == 0 {
                    continue;
                }
                left.iter_mut().zip(all).for_each(|(left, all)| *left &= !all);
                let share = SHARES.iter().position(|&share| share * tied == SHARES[0] * places);
                let share = share.unwrap_or(0);
                for (place, mask) in members.iter().enumerate() {
                    push(share, place, std::array::from_fn(|word| mask[word] & all[word]));
                }
            }
        }
        left
    }

    /// The number of places that a permutation had left in a group before the last step.
    pub fn places(&self, group: usize, permutation: usize) -> usize {
        self.k - self.before[group].value(permutation / 64, permutation % 64)
    }
}
