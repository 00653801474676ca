//! The candidates of a block's rows: of all distances that stream by, those that may be among a row's k
//! least in a group.

use std::ops::Range;

use basrelief_kernels::{KTH_WIDTH, bound_of_least, kth_least, level};

/// How many more candidates than may be kept come before a list is sifted again, at least.
const SPARE: usize = 12;

/// A distance, and the place of the other row.
pub(super) type Candidate = [u32; 2];

/// The lists of some rows, one per row and group, which lie side by side.
pub(super) struct CandidateLists {
    k: usize,
    /// Candidates for which a list has room, in whole vectors; more than it may keep.
    room: usize,
    /// The most that a list may keep when it is sifted; all candidates, where there is room for them.
    most: usize,
    candidates: Vec<Candidate>,
    lengths: Vec<u32>,
    /// Candidates are below this; 0 for rows without lists.
    bounds: Vec<u32>,
    /// The k-th least distance when the list was sifted; the greatest number where there are fewer.
    kths: Vec<u32>,
}

impl CandidateLists {
    /// So many empty lists, to which nothing is offered before they are [begun](Self::begin). `members` is
    /// the most candidates that there can be of any.
    pub(super) fn new(lists: usize, k: usize, members: usize) -> Self {
        let wanted = k.saturating_mul(2).saturating_add(2 * SPARE);
        // With room for all there is always room for another.
        let room = wanted.min(members + 1).next_multiple_of(KTH_WIDTH);
        Self {
            k,
            room,
            most: if room > members { members } else { room - SPARE },
            candidates: vec![[0; 2]; lists * room],
            lengths: vec![0; lists],
            bounds: vec![0; lists],
            kths: vec![u32::MAX; lists],
        }
    }

    /// What the distances of some lists' candidates must be below to be of interest.
    pub(super) fn bounds(&self, lists: Range<usize>) -> &[u32] {
        &self.bounds[lists]
    }

    /// Begins a list with the distances of some rows and their places; distances from `beyond` on are of
    /// no interest. What exceeds the k-th least by no more than `band` is kept; `false` when that is too
    /// many.
    pub(super) fn begin(
        &mut self,
        list: usize,
        (distances, places): (&[u32], &[u32]),
        beyond: u32,
        band: u32,
    ) -> bool {
        if distances.len() < self.k {
            self.bounds[list] = beyond;
            return self.keep(list, distances, places);
        }
        let below = |least: u32| least.saturating_add(band).saturating_add(1).min(beyond);
        self.bounds[list] = below(bound_of_least(level(), distances, self.k));
        if !self.keep(list, distances, places) {
            // What lanes tell may let through too many.
            let kth = *distances.to_vec().select_nth_unstable(self.k - 1).1;
            self.bounds[list] = below(kth);
            if !self.keep(list, distances, places) {
                return false;
            }
        }
        self.sift(list, band)
    }

    /// Replaces a list by the candidates below its bound; `false` where there is no room for another.
    fn keep(&mut self, list: usize, distances: &[u32], places: &[u32]) -> bool {
        let bound = self.bounds[list];
        let candidates = &mut self.candidates[list * self.room..][..self.room];
        let mut kept = 0;
        for (&distance, &place) in distances.iter().zip(places) {
            // Written whether it is kept or not: nothing branches.
            let at = kept.min(self.room - 1);
            candidates[at] = [distance, place];
            kept += usize::from(distance < bound);
        }
        self.lengths[list] = kept.min(self.room - 1) as u32;
        kept < self.room
    }

    /// Keeps a candidate if it is below the list's bound; `true` when the list must be sifted before the
    /// next one.
    #[inline(always)]
    pub(super) fn offer(&mut self, list: usize, distance: u32, place: u32) -> bool {
        let length = &mut self.lengths[list];
        self.candidates[list * self.room + *length as usize] = [distance, place];
        *length += u32::from(distance < self.bounds[list]);
        *length as usize == self.room
    }

    /// Drops what exceeds the k-th least by more than `band`; `false` when too many are left.
    #[inline(never)]
    pub(super) fn sift(&mut self, list: usize, band: u32) -> bool {
        let length = self.lengths[list] as usize;
        if length < self.k {
            return true;
        }
        let candidates = &mut self.candidates[list * self.room..][..self.room];
        let kth = kth_least(level(), candidates.as_chunks().0, length, self.k);
        let bound = kth.saturating_add(band).saturating_add(1).min(self.bounds[list]);
        let mut kept = 0;
        for at in 0..length {
            let candidate = candidates[at];
            candidates[kept] = candidate;
            kept += usize::from(candidate[0] < bound);
        }
        self.bounds[list] = bound;
        self.lengths[list] = kept as u32;
        self.kths[list] = kth;
        kept <= self.most
    }

    /// The k-th least distance of a list that was just sifted; the greatest number if there are fewer.
    pub(super) fn kth(&self, list: usize) -> u32 {
        self.kths[list]
    }

    /// What a list keeps, in no order.
    pub(super) fn of(&self, list: usize) -> &[Candidate] {
        &self.candidates[list * self.room..][..self.lengths[list] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The k least and what is within the band, of numbers offered one after the other.
    #[test]
    fn what_is_within_the_band_is_kept() {
        let distance = |place: u32| place.wrapping_mul(2_654_435_769) >> 20;
        for (k, band, first, count) in
            [(1, 0, 0, 9), (3, 5, 3, 200), (10, 20, 128, 900), (10, 0, 200, 201), (50, 3, 400, 999)]
        {
            let mut lists = CandidateLists::new(3, k, count as usize);
            assert!(!lists.offer(1, 0, 7) && lists.of(1).is_empty(), "not begun");
            let places: Vec<u32> = (0..first).collect();
            let distances: Vec<u32> = places.iter().map(|place| distance(*place)).collect();
            assert!(lists.begin(1, (&distances, &places), 1 << 12, band));
            for place in first..count {
                if lists.offer(1, distance(place), place) {
                    assert!(lists.sift(1, band));
                }
            }
            assert!(lists.sift(1, band));
            let mut all: Vec<Candidate> =
                (0..count).map(|place| [distance(place), place]).collect();
            all.sort_unstable();
            assert_eq!(lists.kth(1), all[k - 1][0]);
            let limit = all[k - 1][0] + band;
            all.retain(|candidate| candidate[0] <= limit);
            let mut found = lists.of(1).to_vec();
            found.sort_unstable();
            assert_eq!(found, all, "{k} {band} {first}");
            assert!(lists.of(0).is_empty() && lists.of(2).is_empty());
        }
    }

    #[test]
    fn lists_that_keep_too_many_say_so() {
        let places: Vec<u32> = (0..100).collect();
        let begin = |band: u32, distances: &[u32]| {
            CandidateLists::new(1, 3, 100).begin(0, (distances, &places), 1000, band)
        };
        let apart: Vec<u32> = (0..100).collect();
        assert!(begin(0, &apart) && begin(10, &apart) && !begin(40, &apart));
        assert!(!begin(0, &[7; 100]));
        // Unless there is room for all.
        let mut lists = CandidateLists::new(1, 3, 17);
        assert!(lists.begin(0, (&[7; 17], &places[..17]), 1000, 0));
        assert!((0..17).map(|place| [7, place]).eq(lists.of(0).iter().copied()));
        // Or they come one after the other.
        let mut lists = CandidateLists::new(1, 3, 100);
        assert!(lists.begin(0, (&[], &[]), 1000, 0));
        let mut few = true;
        for place in 0..100 {
            if lists.offer(0, 5, place) {
                few &= lists.sift(0, 0);
            }
            if !few {
                break;
            }
        }
        assert!(!few);
    }

    /// More neighbours than there are rows.
    #[test]
    fn short_lists_keep_all() {
        let mut lists = CandidateLists::new(2, usize::MAX, 4);
        assert!(lists.begin(1, (&[3, 9, 900], &[5, 6, 7]), 500, 0));
        assert!(!lists.offer(1, 499, 8) && !lists.offer(1, 500, 9));
        assert!(lists.sift(1, 0));
        assert_eq!(lists.of(1), [[3, 5], [9, 6], [499, 8]]);
    }
}
