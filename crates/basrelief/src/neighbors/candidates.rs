//! The candidates of a block's rows: of all distances that stream by, those that may be among a row's k
//! least in a group.

use basrelief_kernels::{KTH_WIDTH, LANES, bound_of_least, kth_least, level};

/// What a list may keep beside twice the k that are sought.
const IN_DOUBT: usize = 16;

/// How many more candidates than may be kept come before a list is sifted again, at least.
const SPARE: usize = 12;

/// A distance, and the place of the other row.
pub(super) type Candidate = [u32; 2];

/// More candidates than a list may keep cannot be told from its k least.
pub(super) struct TooMany;

/// The lists of one group, of all rows one behind the other.
struct Group {
    start: usize,
    /// Candidates for which a list has room, in whole vectors; more than it may keep.
    room: usize,
    /// The most that a list may keep when it is sifted; all candidates, where there is room for them.
    most: usize,
}

/// The lists of some rows, one per row and group.
pub(super) struct CandidateLists {
    k: usize,
    /// In whole panels.
    rows: usize,
    groups: Vec<Group>,
    candidates: Vec<Candidate>,
    /// Per group and row, as all that follow.
    lengths: Vec<u32>,
    /// Candidates are below this; 0 for rows without lists.
    bounds: Vec<u32>,
    /// The k-th least distance when the list was sifted; the greatest number where there are fewer.
    kths: Vec<u32>,
}

impl CandidateLists {
    /// Empty lists of some rows, to which nothing is offered before they are [begun](Self::begin);
    /// `members` are the most candidates that there can be of a row in every group.
    pub(super) fn new(rows: usize, k: usize, members: &[usize]) -> Self {
        let rows = rows.next_multiple_of(LANES);
        let most = k.saturating_mul(2).saturating_add(IN_DOUBT);
        let mut start = 0;
        let group = |&members: &usize| {
            // With room for all there is always room for another.
            let room = most.saturating_add(SPARE).min(members + 1).next_multiple_of(KTH_WIDTH);
            let most = if room > members { members } else { most };
            let group = Group { start, room, most };
            start += rows * room;
            group
        };
        let groups: Vec<Group> = members.iter().map(group).collect();
        let lists = rows * groups.len();
        Self {
            k,
            rows,
            groups,
            candidates: vec![[0; 2]; start],
            lengths: vec![0; lists],
            bounds: vec![0; lists],
            kths: vec![u32::MAX; lists],
        }
    }

    /// What the distances of eight rows' candidates in a group must be below to be of interest; `first` is
    /// a multiple of eight, and of rows that have no lists nothing is.
    pub(super) fn bounds(&self, first: usize, group: usize) -> [u32; LANES] {
        if first >= self.rows {
            return [0; LANES];
        }
        let (panels, _) = self.bounds.as_chunks::<LANES>();
        panels[(group * self.rows + first) / LANES]
    }

    /// Begins a row's list of a group with the distances of some rows and their places; distances from
    /// `beyond` on are of no interest. What exceeds the k-th least by no more than `band` is kept.
    ///
    /// # Errors
    /// That is more than a list may keep.
    pub(super) fn begin(
        &mut self,
        [row, group]: [usize; 2],
        (distances, places): (&[u32], &[u32]),
        beyond: u32,
        band: u32,
    ) -> Result<(), TooMany> {
        let list = group * self.rows + row;
        let below = |least: u32| least.saturating_add(band).saturating_add(1).min(beyond);
        if distances.len() < self.k {
            self.bounds[list] = beyond;
            return self.keep([row, group], distances, places);
        }
        self.bounds[list] = below(bound_of_least(level(), distances, self.k));
        if self.keep([row, group], distances, places).is_err() {
            // What lanes tell may let through too many.
            self.bounds[list] = below(*distances.to_vec().select_nth_unstable(self.k - 1).1);
            self.keep([row, group], distances, places)?;
        }
        self.sift([row, group], band)
    }

    /// Replaces a list by the candidates below its bound, where there is room for them and another.
    fn keep(
        &mut self,
        [row, group]: [usize; 2],
        distances: &[u32],
        places: &[u32],
    ) -> Result<(), TooMany> {
        let list = group * self.rows + row;
        let Group { start, room, .. } = self.groups[group];
        let candidates = &mut self.candidates[start + row * room..][..room];
        let bound = self.bounds[list];
        let mut kept = 0;
        for (&distance, &place) in distances.iter().zip(places) {
            // Written whether it is kept or not: nothing branches.
            candidates[kept.min(room - 1)] = [distance, place];
            kept += usize::from(distance < bound);
        }
        self.lengths[list] = kept.min(room - 1) as u32;
        if kept < room { Ok(()) } else { Err(TooMany) }
    }

    /// Keeps a candidate if it is below the list's bound; `true` when the list must be sifted before the
    /// next one.
    #[inline(always)]
    pub(super) fn offer(&mut self, [row, group]: [usize; 2], candidate: Candidate) -> bool {
        let list = group * self.rows + row;
        let Group { start, room, .. } = self.groups[group];
        let length = &mut self.lengths[list];
        self.candidates[start + row * room + *length as usize] = candidate;
        *length += u32::from(candidate[0] < self.bounds[list]);
        *length as usize == room
    }

    /// Drops what exceeds the k-th least by more than `band`.
    ///
    /// # Errors
    /// More is left than a list may keep.
    #[inline(never)]
    pub(super) fn sift(&mut self, [row, group]: [usize; 2], band: u32) -> Result<(), TooMany> {
        let list = group * self.rows + row;
        let Group { start, room, most } = self.groups[group];
        let length = self.lengths[list] as usize;
        if length < self.k {
            return Ok(());
        }
        let candidates = &mut self.candidates[start + row * room..][..room];
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
        if kept <= most { Ok(()) } else { Err(TooMany) }
    }

    /// The k-th least distance of a list that was just sifted; the greatest number if there are fewer.
    pub(super) fn kth(&self, [row, group]: [usize; 2]) -> u32 {
        self.kths[group * self.rows + row]
    }

    /// What a list keeps, in no order.
    pub(super) fn of(&self, [row, group]: [usize; 2]) -> &[Candidate] {
        let Group { start, room, .. } = self.groups[group];
        let length = self.lengths[group * self.rows + row] as usize;
        &self.candidates[start + row * room..][..length]
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
            // The second row's list of the first group.
            let at = [1, 0];
            let mut lists = CandidateLists::new(3, k, &[count as usize, 7]);
            assert!(!lists.offer(at, [0, 7]) && lists.of(at).is_empty(), "not begun");
            let places: Vec<u32> = (0..first).collect();
            let distances: Vec<u32> = places.iter().map(|place| distance(*place)).collect();
            assert!(lists.begin(at, (&distances, &places), 1 << 12, band).is_ok());
            for place in first..count {
                if lists.offer(at, [distance(place), place]) {
                    assert!(lists.sift(at, band).is_ok());
                }
            }
            assert!(lists.sift(at, band).is_ok());
            let mut all: Vec<Candidate> =
                (0..count).map(|place| [distance(place), place]).collect();
            all.sort_unstable();
            assert_eq!(lists.kth(at), all[k - 1][0]);
            let limit = all[k - 1][0] + band;
            all.retain(|candidate| candidate[0] <= limit);
            assert!(lists.bounds(0, 0)[1] <= limit + 1 && lists.bounds(0, 0)[0] == 0);
            assert_eq!(lists.bounds(8, 0), [0; 8]);
            let mut found = lists.of(at).to_vec();
            found.sort_unstable();
            assert_eq!(found, all, "{k} {band} {first}");
            let others = [[0, 0], [2, 0], [1, 1]];
            assert!(others.into_iter().all(|list| lists.of(list).is_empty()));
        }
    }

    #[test]
    fn lists_that_keep_too_many_say_so() {
        let places: Vec<u32> = (0..100).collect();
        let begin = |band: u32, distances: &[u32]| {
            let mut lists = CandidateLists::new(1, 3, &[100]);
            lists.begin([0, 0], (distances, &places), 1000, band).is_ok()
        };
        let apart: Vec<u32> = (0..100).collect();
        assert!(begin(0, &apart) && begin(19, &apart) && !begin(20, &apart));
        assert!(!begin(0, &[7; 100]));
        // Unless there is room for all.
        let mut lists = CandidateLists::new(1, 3, &[30]);
        assert!(lists.begin([0, 0], (&[7; 30], &places[..30]), 1000, 0).is_ok());
        assert!((0..30).map(|place| [7, place]).eq(lists.of([0, 0]).iter().copied()));
        // Or they come one after the other.
        let mut lists = CandidateLists::new(1, 3, &[100]);
        assert!(lists.begin([0, 0], (&[], &[]), 1000, 0).is_ok());
        let full = places.iter().find(|&&place| lists.offer([0, 0], [5, place]));
        assert!(full.is_some_and(|_| lists.sift([0, 0], 0).is_err()));
    }

    /// More neighbours than there are rows.
    #[test]
    fn short_lists_keep_all() {
        let mut lists = CandidateLists::new(2, usize::MAX, &[9, 4]);
        let at = [1, 1];
        assert!(lists.begin(at, (&[3, 9, 900], &[5, 6, 7]), 500, 0).is_ok());
        assert!(!lists.offer(at, [499, 8]) && !lists.offer(at, [500, 9]));
        assert!(lists.sift(at, 0).is_ok());
        assert_eq!(lists.of(at), [[3, 5], [9, 6], [499, 8]]);
    }
}
