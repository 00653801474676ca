//! The k smallest distances of every row of a block, group by group, from a stream of distances.

use std::cmp::Ordering;

use basrelief_kernels::{
    KTH_WIDTH, LANES, Side, TILE, bound_of_least, find_below, find_beside, kth_least, level,
};

/// Candidates that a list may keep in addition to 2 k.
const SPARE: usize = 16;

/// Minimum number of further candidates that a list accepts before it is sifted again.
const BETWEEN_SIFTS: usize = 12;

/// More candidates than a list may keep cannot be distinguished from its k smallest.
#[derive(Debug)]
pub(crate) struct Overflow;

/// A type of distance that lists can hold.
pub(crate) trait Distance: Copy + Default + PartialOrd + Send + Sync + 'static {
    /// A distance and the place of the other row.
    type Candidate: Copy + Default + Send;

    /// Larger than the distance of any two rows.
    const BEYOND: Self;

    /// Smaller than any distance.
    const NONE: Self;

    /// Whether rows tied at the k-th distance are counted if there are too many to keep. Otherwise
    /// this is an [`Overflow`].
    const COUNTS_TIES: bool;

    /// Makes a candidate of a distance and a place.
    fn candidate(self, place: u32) -> Self::Candidate;
    /// Returns the distance and the place of a candidate.
    fn unpack(candidate: Self::Candidate) -> (Self, u32);

    /// The smallest distance that exceeds this one by more than `band`.
    fn above(self, band: Self) -> Self;

    /// The k-th smallest distance of the first `length` candidates, which may be reordered.
    fn kth_least(candidates: &mut [Self::Candidate], length: usize, k: usize) -> Self;

    /// A bound that at least k of the distances do not exceed, and few more than k.
    fn bound_of_least(distances: &[Self], k: usize) -> Self;

    /// Replaces `masks`, with two masks per tile, by the pairs whose distance is below the bound of
    /// the row in the first panel, and below that of the row in the other panel. More bits may be
    /// set.
    fn find(
        tiles: &[[Self; TILE]],
        own: &[[Self; LANES]],
        other: &[[Self; LANES]],
        masks: &mut Vec<[u64; 2]>,
    ) {
        masks.clear();
        masks.extend(tiles.iter().zip(own.iter().zip(other)).map(|(tile, (own, other))| {
            let mut mask = [0; 2];
            for (at, distance) in tile.iter().enumerate() {
                mask[0] |= u64::from(*distance < own[at / LANES]) << at;
                mask[1] |= u64::from(*distance < other[at % LANES]) << at;
            }
            mask
        }));
    }
}

/// Distances in whole steps with errors: two that differ by at most a band cannot be distinguished.
impl Distance for u32 {
    type Candidate = [u32; 2];

    const BEYOND: Self = 1 << 31;
    const NONE: Self = 0;
    const COUNTS_TIES: bool = false;

    fn candidate(self, place: u32) -> Self::Candidate {
        [self, place]
    }

    fn unpack([distance, place]: Self::Candidate) -> (Self, u32) {
        (distance, place)
    }

    fn above(self, band: Self) -> Self {
        self.saturating_add(band).saturating_add(1)
    }

    fn kth_least(candidates: &mut [Self::Candidate], length: usize, k: usize) -> Self {
        kth_least(level(), candidates.as_chunks().0, length, k)
    }

    fn bound_of_least(distances: &[Self], k: usize) -> Self {
        bound_of_least(level(), distances, k)
    }

    fn find(
        tiles: &[[Self; TILE]],
        own: &[[Self; LANES]],
        other: &[[Self; LANES]],
        masks: &mut Vec<[u64; 2]>,
    ) {
        masks.resize(tiles.len(), [0; 2]);
        find_below(level(), tiles, own, other, masks);
    }
}

/// Exact distances.
impl Distance for f64 {
    type Candidate = (f64, u32);

    const BEYOND: Self = f64::INFINITY;
    const NONE: Self = f64::NEG_INFINITY;
    const COUNTS_TIES: bool = true;

    fn candidate(self, place: u32) -> Self::Candidate {
        (self, place)
    }

    fn unpack(candidate: Self::Candidate) -> (Self, u32) {
        candidate
    }

    fn above(self, _: Self) -> Self {
        self.next_up()
    }

    fn kth_least(candidates: &mut [Self::Candidate], length: usize, k: usize) -> Self {
        // No distance is NaN.
        let order =
            |a: &(f64, u32), b: &(f64, u32)| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
        candidates[..length].select_nth_unstable_by(k - 1, order).1.0
    }

    fn bound_of_least(distances: &[Self], k: usize) -> Self {
        *distances.to_vec().select_nth_unstable_by(k - 1, f64::total_cmp).1
    }

    fn find(
        tiles: &[[Self; TILE]],
        own: &[[Self; LANES]],
        other: &[[Self; LANES]],
        masks: &mut Vec<[u64; 2]>,
    ) {
        masks.resize(tiles.len(), [0; 2]);
        find_beside(level(), Side::Near, tiles, own, other, masks);
    }
}

/// An exact distance with its row. Of rows at equal distance, that of smaller index is the nearer
/// one, so that none are tied.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(crate) struct RankedDistance {
    pub(crate) distance: f64,
    pub(crate) row: u32,
}

impl Distance for RankedDistance {
    type Candidate = Self;

    const BEYOND: Self = Self { distance: f64::INFINITY, row: u32::MAX };
    const NONE: Self = Self { distance: f64::NEG_INFINITY, row: 0 };
    const COUNTS_TIES: bool = false;

    fn candidate(self, _: u32) -> Self {
        self
    }

    fn unpack(candidate: Self) -> (Self, u32) {
        (candidate, candidate.row)
    }

    fn above(self, _: Self) -> Self {
        Self { row: self.row.saturating_add(1), ..self }
    }

    fn kth_least(candidates: &mut [Self], length: usize, k: usize) -> Self {
        *candidates[..length].select_nth_unstable_by(k - 1, Self::compare).1
    }

    fn bound_of_least(distances: &[Self], k: usize) -> Self {
        *distances.to_vec().select_nth_unstable_by(k - 1, Self::compare).1
    }
}

impl RankedDistance {
    /// Orders by distance, then by row.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.row.cmp(&other.row))
    }
}

/// The lists of one group, row after row.
struct Group {
    start: usize,
    /// Number of candidates for which a list has room, in complete vectors; more than it may keep.
    room: usize,
    /// Maximum number of candidates that a list may keep when it is sifted; all candidates, if
    /// there is room for them.
    most: usize,
}

/// The lists of some rows, one per row and group.
pub(crate) struct KLeast<D: Distance> {
    k: usize,
    /// Number of rows, in complete panels.
    rows: usize,
    groups: Vec<Group>,
    candidates: Vec<D::Candidate>,
    /// Per group and row, as in all fields below.
    lengths: Vec<u32>,
    /// Exclusive upper bound of candidates; smaller than any distance for rows without lists.
    bounds: Vec<D>,
    /// The k-th smallest distance when the list was sifted; larger than any distance if there are
    /// fewer.
    kths: Vec<D>,
    /// Number of rows at the k-th distance that are counted and not kept; 0 if all are kept.
    ties: Vec<u32>,
}

impl<D: Distance> KLeast<D> {
    /// Creates empty lists of some rows, which accept no candidate before they are
    /// [begun](Self::begin). `members` are the maximum numbers of candidates of a row in every
    /// group.
    pub(crate) fn new(rows: usize, k: usize, members: &[usize]) -> Self {
        let rows = rows.next_multiple_of(LANES);
        let most = k.saturating_mul(2).saturating_add(SPARE);
        let mut start = 0;
        let group = |&members: &usize| {
            // With room for all candidates, there is always room for one more.
            let room =
                most.saturating_add(BETWEEN_SIFTS).min(members + 1).next_multiple_of(KTH_WIDTH);
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
            candidates: vec![D::Candidate::default(); start],
            lengths: vec![0; lists],
            bounds: vec![D::NONE; lists],
            kths: vec![D::BEYOND; lists],
            ties: vec![0; lists],
        }
    }

    /// The exclusive upper bounds of the candidates of eight rows in a group; `first` is a multiple
    /// of eight. Rows without lists accept no candidate.
    pub(crate) fn bounds(&self, first: usize, group: usize) -> [D; LANES] {
        if first >= self.rows {
            return [D::NONE; LANES];
        }
        let (panels, _) = self.bounds.as_chunks::<LANES>();
        panels[(group * self.rows + first) / LANES]
    }

    /// Begins a row's list in a group with the distances of some rows and their places. Keeps the
    /// distances that exceed the k-th smallest by at most `band`.
    ///
    /// # Errors
    /// These are more than a list may keep.
    pub(crate) fn begin(
        &mut self,
        [row, group]: [usize; 2],
        (distances, places): (&[D], &[u32]),
        band: D,
    ) -> Result<(), Overflow> {
        let list = group * self.rows + row;
        (self.bounds[list], self.lengths[list]) = (D::BEYOND, 0);
        (self.kths[list], self.ties[list]) = (D::BEYOND, 0);
        if D::COUNTS_TIES || distances.len() < self.k {
            for (&distance, &place) in distances.iter().zip(places) {
                if self.offer([row, group], distance, place) {
                    self.sift([row, group], band)?;
                }
            }
            return self.sift([row, group], band);
        }
        let below = |least: D| {
            let bound = least.above(band);
            if bound < D::BEYOND { bound } else { D::BEYOND }
        };
        self.bounds[list] = below(D::bound_of_least(distances, self.k));
        if self.keep([row, group], distances, places).is_err() {
            // The bound by lanes may admit too many candidates.
            let mut sorted = distances.to_vec();
            let kth = sorted.select_nth_unstable_by(self.k - 1, |a, b| {
                a.partial_cmp(b).unwrap_or(Ordering::Equal)
            });
            self.bounds[list] = below(*kth.1);
            self.keep([row, group], distances, places)?;
        }
        self.sift([row, group], band)
    }

    /// Replaces a list by the candidates below its bound, if there is room for them and one more.
    fn keep(
        &mut self,
        [row, group]: [usize; 2],
        distances: &[D],
        places: &[u32],
    ) -> Result<(), Overflow> {
        let list = group * self.rows + row;
        let Group { start, room, .. } = self.groups[group];
        let candidates = &mut self.candidates[start + row * room..][..room];
        let bound = self.bounds[list];
        let mut kept = 0;
        for (&distance, &place) in distances.iter().zip(places) {
            // Writes every candidate, kept or not, because a branch could not be predicted.
            candidates[kept.min(room - 1)] = distance.candidate(place);
            kept += usize::from(distance < bound);
        }
        self.lengths[list] = kept.min(room - 1) as u32;
        if kept < room { Ok(()) } else { Err(Overflow) }
    }

    /// Keeps a candidate if it is below the list's bound. Returns `true` if the list must be sifted
    /// before the next offer.
    #[inline(always)]
    pub(crate) fn offer(&mut self, [row, group]: [usize; 2], distance: D, place: u32) -> bool {
        let list = group * self.rows + row;
        if D::COUNTS_TIES && self.ties[list] > 0 && distance == self.kths[list] {
            self.ties[list] += 1;
            return false;
        }
        let Group { start, room, .. } = self.groups[group];
        let length = &mut self.lengths[list];
        self.candidates[start + row * room + *length as usize] = distance.candidate(place);
        *length += u32::from(distance < self.bounds[list]);
        *length as usize == room
    }

    /// Drops the candidates that exceed the k-th smallest distance by more than `band`.
    ///
    /// # Errors
    /// More candidates remain than a list may keep.
    #[inline(never)]
    pub(crate) fn sift(&mut self, [row, group]: [usize; 2], band: D) -> Result<(), Overflow> {
        let list = group * self.rows + row;
        let Group { start, room, most } = self.groups[group];
        let length = self.lengths[list] as usize;
        if length < self.k {
            return Ok(());
        }
        let candidates = &mut self.candidates[start + row * room..][..room];
        let kth = D::kth_least(candidates, length, self.k);
        let bound = kth.above(band);
        let bound = if bound < self.bounds[list] { bound } else { self.bounds[list] };
        let mut kept = retain::<D>(candidates, length, |distance| distance < bound);
        // Rows counted at a larger k-th distance do not belong to the k nearest any more.
        self.ties[list] = 0;
        if kept > most && D::COUNTS_TIES {
            let before = kept;
            kept = retain::<D>(candidates, kept, |distance| distance < kth);
            self.ties[list] = (before - kept) as u32;
        }
        self.bounds[list] = bound;
        self.lengths[list] = kept as u32;
        self.kths[list] = kth;
        if kept <= most { Ok(()) } else { Err(Overflow) }
    }

    /// The exclusive upper bound of a list's candidates.
    pub(crate) fn bound(&self, [row, group]: [usize; 2]) -> D {
        self.bounds[group * self.rows + row]
    }

    /// The k-th smallest distance of a list that was just sifted; larger than any distance if it
    /// has fewer.
    pub(crate) fn kth(&self, [row, group]: [usize; 2]) -> D {
        self.kths[group * self.rows + row]
    }

    /// Number of rows at the k-th distance that are not kept.
    pub(crate) fn ties(&self, [row, group]: [usize; 2]) -> u32 {
        self.ties[group * self.rows + row]
    }

    /// The candidates of a list, in no particular order.
    pub(crate) fn candidates(&self, [row, group]: [usize; 2]) -> &[D::Candidate] {
        let Group { start, room, .. } = self.groups[group];
        let length = self.lengths[group * self.rows + row] as usize;
        &self.candidates[start + row * room..][..length]
    }
}

impl KLeast<RankedDistance> {
    /// The k smallest finite distances of a line, each with its place as the row, in no particular
    /// order. Uses the first list of the only group.
    pub(crate) fn line(&mut self, line: &[f64]) -> &[RankedDistance] {
        let (list, none) = ([0, 0], RankedDistance::default());
        // Ranked distances are never tied, so a list never overflows.
        let _ = self.begin(list, (&[], &[]), none);
        for (chunk, values) in line.chunks(LANES).enumerate() {
            let bound = self.bound(list).distance;
            if values.iter().all(|&value| value > bound || value == f64::INFINITY) {
                continue;
            }
            for (row, &distance) in ((chunk * LANES) as u32..).zip(values) {
                let is_finite = distance < f64::INFINITY;
                if is_finite && self.offer(list, RankedDistance { distance, row }, row) {
                    let _ = self.sift(list, none);
                }
            }
        }
        let _ = self.sift(list, none);
        self.candidates(list)
    }
}

/// Moves those of the first `length` candidates whose distance is wanted to the front; returns
/// their number.
fn retain<D: Distance>(
    candidates: &mut [D::Candidate],
    length: usize,
    wanted: impl Fn(D) -> bool,
) -> usize {
    let mut kept = 0;
    for at in 0..length {
        let candidate = candidates[at];
        candidates[kept] = candidate;
        kept += usize::from(wanted(D::unpack(candidate).0));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The k smallest of numbers offered one by one are kept, and those within the band.
    #[test]
    fn what_is_within_the_band_is_kept() {
        let distance = |place: u32| place.wrapping_mul(2_654_435_769) >> 20;
        for (k, band, first, count) in
            [(1, 0, 0, 9), (3, 5, 3, 200), (10, 20, 128, 900), (10, 0, 200, 201), (50, 3, 400, 999)]
        {
            // The second row's list of the first group.
            let at = [1, 0];
            let mut lists = KLeast::<u32>::new(3, k, &[count as usize, 7]);
            assert!(!lists.offer(at, 0, 7) && lists.candidates(at).is_empty(), "not begun");
            let places: Vec<u32> = (0..first).collect();
            let distances: Vec<u32> = places.iter().map(|place| distance(*place)).collect();
            assert!(lists.begin(at, (&distances, &places), band).is_ok());
            for place in first..count {
                if lists.offer(at, distance(place), place) {
                    assert!(lists.sift(at, band).is_ok());
                }
            }
            assert!(lists.sift(at, band).is_ok());
            let mut all: Vec<[u32; 2]> = (0..count).map(|place| [distance(place), place]).collect();
            all.sort_unstable();
            assert_eq!(lists.kth(at), all[k - 1][0]);
            let limit = all[k - 1][0] + band;
            all.retain(|candidate| candidate[0] <= limit);
            assert!(lists.bounds(0, 0)[1] <= limit + 1 && lists.bounds(0, 0)[0] == 0);
            assert_eq!(lists.bounds(8, 0), [0; 8]);
            let mut found = lists.candidates(at).to_vec();
            found.sort_unstable();
            assert_eq!(found, all, "{k} {band} {first}");
            let others = [[0, 0], [2, 0], [1, 1]];
            assert!(others.into_iter().all(|list| lists.candidates(list).is_empty()));
        }
    }

    #[test]
    fn lists_that_keep_too_many_say_so() {
        let places: Vec<u32> = (0..100).collect();
        let begin = |band: u32, distances: &[u32]| {
            let mut lists = KLeast::<u32>::new(1, 3, &[100]);
            lists.begin([0, 0], (distances, &places), band).is_ok()
        };
        let apart: Vec<u32> = (0..100).collect();
        assert!(begin(0, &apart) && begin(19, &apart) && !begin(20, &apart));
        assert!(!begin(0, &[7; 100]));
        // They do not overflow if there is room for all.
        let mut lists = KLeast::<u32>::new(1, 3, &[30]);
        assert!(lists.begin([0, 0], (&[7; 30], &places[..30]), 0).is_ok());
        assert!((0..30).map(|place| [7, place]).eq(lists.candidates([0, 0]).iter().copied()));
        // They overflow if candidates are offered one by one.
        let mut lists = KLeast::<u32>::new(1, 3, &[100]);
        assert!(lists.begin([0, 0], (&[], &[]), 0).is_ok());
        let full = places.iter().find(|&&place| lists.offer([0, 0], 5, place));
        assert!(full.is_some_and(|_| lists.sift([0, 0], 0).is_err()));
    }

    /// With k larger than the number of rows.
    #[test]
    fn short_lists_keep_all() {
        let mut lists = KLeast::<u32>::new(2, usize::MAX, &[9, 4]);
        let at = [1, 1];
        assert!(lists.begin(at, (&[3, 9, 1 << 31], &[5, 6, 7]), 0).is_ok());
        assert!(!lists.offer(at, (1 << 31) - 1, 8) && !lists.offer(at, 1 << 31, 9));
        assert!(lists.sift(at, 0).is_ok());
        assert_eq!(lists.candidates(at), [[3, 5], [9, 6], [(1 << 31) - 1, 8]]);
    }

    /// The rows of smallest index are kept among those at equal distance, in any order of offers.
    #[test]
    fn ranked_distances_are_never_tied() {
        for step in [1, 77] {
            let mut lists = KLeast::<RankedDistance>::new(1, 5, &[300]);
            let none = RankedDistance::default();
            lists.begin([0, 0], (&[], &[]), none).unwrap();
            for place in 0..300_u32 {
                let row = place * step % 300;
                let distance = RankedDistance { distance: f64::from(row % 3), row };
                if lists.offer([0, 0], distance, row) {
                    lists.sift([0, 0], none).unwrap();
                }
            }
            lists.sift([0, 0], none).unwrap();
            let mut rows: Vec<u32> = lists.candidates([0, 0]).iter().map(|one| one.row).collect();
            rows.sort_unstable();
            assert_eq!(rows, [0, 3, 6, 9, 12]);
            let bound = RankedDistance { distance: 0.0, row: 13 };
            assert_eq!(lists.bound([0, 0]), bound);
            // A tile with one distance below the bound of the first panel only.
            let mut tile = [bound; TILE];
            tile[9] = none;
            let mut masks = Vec::new();
            RankedDistance::find(&[tile], &[[bound; LANES]], &[[none; LANES]], &mut masks);
            assert_eq!(masks, [[1 << 9, 0]]);
        }
    }

    #[test]
    fn the_least_of_a_line_are_the_first_of_equals() {
        let mut least = KLeast::<RankedDistance>::new(1, 4, &[6]);
        for line in [[3.0, 1.0, 2.0, 1.0, 2.0, 0.5], [0.5, f64::INFINITY, 1.0, 1.0, 2.0, 2.0]] {
            let mut found = least.line(&line).to_vec();
            found.sort_unstable_by(RankedDistance::compare);
            let mut expected: Vec<RankedDistance> =
                (0..).zip(line).map(|(row, distance)| RankedDistance { distance, row }).collect();
            expected.sort_by(|a, b| a.distance.total_cmp(&b.distance));
            assert_eq!(found, expected[..4]);
        }
    }

    /// Ties at the k-th exact distance that a list does not keep are counted.
    #[test]
    fn ties_are_counted_where_they_are_too_many() {
        for (nearer, tied, farther) in [(2, 5, 30), (2, 90, 30), (0, 300, 0), (9, 300, 5)] {
            let mut distances = vec![1.0; nearer];
            distances.extend(vec![2.0; tied]);
            distances.extend(vec![3.0; farther]);
            // Also with the farther rows first and the nearer ones last.
            for reversed in [false, true] {
                let mut distances = distances.clone();
                if reversed {
                    distances.reverse();
                }
                let k = 4;
                let mut lists = KLeast::<f64>::new(1, k, &[distances.len()]);
                let places: Vec<u32> = (0..distances.len() as u32).collect();
                let (first, rest) = distances.split_at(distances.len() / 2);
                lists.begin([0, 0], (first, &places[..first.len()]), 0.0).unwrap();
                for (&distance, &place) in rest.iter().zip(&places[first.len()..]) {
                    if lists.offer([0, 0], distance, place) {
                        lists.sift([0, 0], 0.0).unwrap();
                    }
                }
                lists.sift([0, 0], 0.0).unwrap();
                let kth = if nearer >= k { 1.0 } else { 2.0 };
                let within = distances.iter().filter(|distance| **distance <= kth).count();
                assert_eq!(lists.kth([0, 0]), kth);
                let kept = lists.candidates([0, 0]).iter();
                let kept = kept.filter(|(distance, _)| *distance <= kth).count();
                assert_eq!(kept + lists.ties([0, 0]) as usize, within);
                assert!(lists.candidates([0, 0]).len() <= 2 * k + SPARE);
            }
        }
    }
}
