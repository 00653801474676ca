//! Sums over lists of rows, and the changes of such a sum by rows that replace the others of a list: a tile
//! of features at a time.
//!
//! A lane is a feature, and every sum runs over its terms in their order: instruction sets do not change a
//! bit. Products are not rounded before they are added (`f64::mul_add`), which instruction sets without fused
//! multiplication imitate slowly.

use crate::dispatch::multiversion;
use crate::runs::RUN_WIDTH;
use crate::{Level, RowTile, Weighed};

/// Weighted sums of differences whose weights belong to pairs, apart from those of lists.
pub const PAIR_SUMS: usize = 4;

type Lanes = [f64; RUN_WIDTH];

/// The differences of a row to the others of its list, feature by feature.
#[derive(Debug, Clone, Copy)]
pub enum ListDifferences<'d> {
    /// Computed from the rows of a tile.
    OfRows(Weighed, &'d [RowTile]),
    /// Listed, one per pair.
    OfPairs(&'d [Lanes]),
}

/// How a difference counts in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ListFactors {
    /// The factor in the sum over the list.
    pub weight: f64,
    /// The factor in the change of the sum by the other row.
    pub own: f64,
    /// The factor of the sum over the list in this change, which is subtracted.
    pub of_list: f64,
}

/// How the differences of all lists count.
#[derive(Debug, Clone, Copy)]
pub enum FactorsOf<'l> {
    /// Per list.
    Lists(&'l [ListFactors]),
    /// Per other row.
    Others(&'l [ListFactors]),
}

/// Rows with lists of others.
#[derive(Debug, Clone, Copy)]
pub struct ChangeLists<'l> {
    /// Per list, its row.
    pub rows: &'l [u32],
    /// Per list, the end of its others; the first list begins at 0.
    pub ends: &'l [usize],
    /// Per list, the number of its others, from the first, that change its sum.
    pub changing: &'l [u32],
    /// The other rows, list by list.
    pub others: &'l [u32],
    /// How differences count.
    pub factors: FactorsOf<'l>,
    /// Per list, the unit that its sum is added to, or [`NO_UNIT`].
    pub own_units: &'l [u32],
    /// Per other row, the unit that its change is added to; or empty: the row itself.
    pub units: &'l [u32],
    /// Per other row, its weights in the sums of pairs; or empty.
    pub of_pairs: &'l [[f64; PAIR_SUMS]],
}

/// No unit: see [`ChangeLists::own_units`].
pub const NO_UNIT: u32 = u32::MAX;

/// Sums over all lists.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChangeSums {
    /// The sum of the sums of lists.
    pub total: Lanes,
    /// The sum of the squared changes.
    pub squares: Lanes,
    /// The sums of the differences times the weights of pairs.
    pub of_pairs: [Lanes; PAIR_SUMS],
}

/// Replaces `list_sums` by the sum of weighted differences over every list, adds these sums to the units of
/// the lists and every change of a sum by another row to the unit of this row, and adds to `sums`.
///
/// # Panics
/// Slices that do not fit together, rows or units that are not there, or a `level` that this machine does
/// not have.
pub fn add_list_changes(
    level: Level,
    differences: ListDifferences<'_>,
    lists: ChangeLists<'_>,
    list_sums: &mut [Lanes],
    units: &mut [Lanes],
    sums: &mut ChangeSums,
) {
    let ChangeLists { rows, ends, changing, others, factors, own_units, units: of_rows, of_pairs } =
        lists;
    let count = rows.len();
    assert!(
        [ends.len(), changing.len(), own_units.len(), list_sums.len()] == [count; 4],
        "one row, end, number of changes, unit and sum per list"
    );
    assert!(ends.last().is_none_or(|end| *end == others.len()), "lists of all others");
    assert!(of_rows.is_empty() || of_rows.len() == others.len(), "units of all others");
    assert!(of_pairs.is_empty() || of_pairs.len() == others.len(), "weights of all others");
    match factors {
        FactorsOf::Lists(factors) => assert!(factors.len() == count, "factors of all lists"),
        FactorsOf::Others(factors) => {
            assert!(factors.len() == others.len(), "factors of all others")
        }
    }
    if let ListDifferences::OfPairs(listed) = differences {
        assert!(listed.len() == others.len(), "differences of all others");
    }
    multiversion!(level, |differences: ListDifferences<'_>,
                          lists: ChangeLists<'_>,
                          list_sums: &mut [Lanes],
                          units: &mut [Lanes],
                          sums: &mut ChangeSums| {
        match differences {
            ListDifferences::OfRows(Weighed::Difference, tile) => {
                lists.add(list_sums, units, sums, Absolute(tile));
            }
            ListDifferences::OfRows(Weighed::Mismatch, tile) => {
                lists.add(list_sums, units, sums, Mismatches(tile));
            }
            ListDifferences::OfPairs(listed) => lists.add(list_sums, units, sums, Listed(listed)),
        }
    });
}

/// The differences of a row to another, which is at a place among all others.
trait Apart: Copy {
    fn lanes(self, row: u32, other: u32, place: usize) -> Lanes;
}

#[derive(Clone, Copy)]
struct Absolute<'t>(&'t [RowTile]);

#[derive(Clone, Copy)]
struct Mismatches<'t>(&'t [RowTile]);

#[derive(Clone, Copy)]
struct Listed<'t>(&'t [Lanes]);

impl Apart for Absolute<'_> {
    #[inline(always)]
    fn lanes(self, row: u32, other: u32, _: usize) -> Lanes {
        let (own, other) = (&self.0[row as usize].0, &self.0[other as usize].0);
        let mut apart = [0.0; RUN_WIDTH];
        for lane in 0..RUN_WIDTH {
            apart[lane] = (own[lane] - other[lane]).abs();
        }
        apart
    }
}

impl Apart for Mismatches<'_> {
    #[inline(always)]
    fn lanes(self, row: u32, other: u32, _: usize) -> Lanes {
        let (own, other) = (&self.0[row as usize].0, &self.0[other as usize].0);
        let mut apart = [0.0; RUN_WIDTH];
        for lane in 0..RUN_WIDTH {
            apart[lane] = if own[lane] == other[lane] { 0.0 } else { 1.0 };
        }
        apart
    }
}

impl Apart for Listed<'_> {
    #[inline(always)]
    fn lanes(self, _: u32, _: u32, place: usize) -> Lanes {
        self.0[place]
    }
}

/// How differences count. What is common to a list is multiplied once.
trait Factors: Copy {
    /// Adds the differences of a pair to the sum of its list.
    fn add(self, list: usize, place: usize, sum: &mut Lanes, apart: &Lanes);

    /// The factor of the sum of a list.
    fn times_of_sum(self, list: usize) -> f64;

    /// The numbers that are subtracted from the differences of a list, or from their multiples.
    fn centers(self, list: usize, sum: &Lanes) -> Lanes;

    /// Adds the change by a pair to its unit, and its square to the squares of its list.
    fn change(
        self,
        pair: (usize, usize),
        apart: &Lanes,
        centers: &Lanes,
        unit: &mut Lanes,
        squares: &mut Lanes,
    );

    /// The factor of the squares of a list.
    fn times_of_squares(self, list: usize) -> f64;
}

#[derive(Clone, Copy)]
struct OfLists<'f>(&'f [ListFactors]);

#[derive(Clone, Copy)]
struct OfOthers<'f>(&'f [ListFactors]);

impl Factors for OfLists<'_> {
    #[inline(always)]
    fn add(self, _: usize, _: usize, sum: &mut Lanes, apart: &Lanes) {
        for lane in 0..RUN_WIDTH {
            sum[lane] += apart[lane];
        }
    }

    #[inline(always)]
    fn times_of_sum(self, list: usize) -> f64 {
        self.0[list].weight
    }

    #[inline(always)]
    fn centers(self, list: usize, sum: &Lanes) -> Lanes {
        let ListFactors { weight, own, of_list } = self.0[list];
        let share = if own == 0.0 { 0.0 } else { of_list * weight / own };
        let mut centers = [0.0; RUN_WIDTH];
        for lane in 0..RUN_WIDTH {
            centers[lane] = share * sum[lane];
        }
        centers
    }

    #[inline(always)]
    fn change(
        self,
        (list, _): (usize, usize),
        apart: &Lanes,
        centers: &Lanes,
        unit: &mut Lanes,
        squares: &mut Lanes,
    ) {
        let ListFactors { own, .. } = self.0[list];
        for lane in 0..RUN_WIDTH {
            let change = apart[lane] - centers[lane];
            unit[lane] = own.mul_add(change, unit[lane]);
            squares[lane] = change.mul_add(change, squares[lane]);
        }
    }

    #[inline(always)]
    fn times_of_squares(self, list: usize) -> f64 {
        self.0[list].own * self.0[list].own
    }
}

impl Factors for OfOthers<'_> {
    #[inline(always)]
    fn add(self, _: usize, place: usize, sum: &mut Lanes, apart: &Lanes) {
        let ListFactors { weight, .. } = self.0[place];
        for lane in 0..RUN_WIDTH {
            sum[lane] = weight.mul_add(apart[lane], sum[lane]);
        }
    }

    #[inline(always)]
    fn times_of_sum(self, _: usize) -> f64 {
        1.0
    }

    #[inline(always)]
    fn centers(self, _: usize, sum: &Lanes) -> Lanes {
        *sum
    }

    #[inline(always)]
    fn change(
        self,
        (_, place): (usize, usize),
        apart: &Lanes,
        centers: &Lanes,
        unit: &mut Lanes,
        squares: &mut Lanes,
    ) {
        let ListFactors { own, of_list, .. } = self.0[place];
        for lane in 0..RUN_WIDTH {
            let change = own.mul_add(apart[lane], -(of_list * centers[lane]));
            unit[lane] += change;
            squares[lane] = change.mul_add(change, squares[lane]);
        }
    }

    #[inline(always)]
    fn times_of_squares(self, _: usize) -> f64 {
        1.0
    }
}

/// One of several pairs of the same two units: its list, the place of the other row, and its factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RepeatedPair {
    /// The list.
    pub list: u32,
    /// The row of the list, and the other row.
    pub rows: [u32; 2],
    /// How their difference counts.
    pub factors: ListFactors,
}

/// Returns what the squared sums of changes over blocks of pairs are above the sums of the squared changes, with the
/// sums of all lists; block k has `lengths[k]` pairs. Listed differences are those of `pairs`, in their order.
///
/// # Panics
/// Slices that do not fit together, rows or lists that are not there, or a `level` that this machine does not have.
pub fn squares_of_repeated(
    level: Level,
    differences: ListDifferences<'_>,
    pairs: &[RepeatedPair],
    lengths: &[u32],
    list_sums: &[Lanes],
) -> Lanes {
    let all: usize = lengths.iter().map(|length| *length as usize).sum();
    assert_eq!(all, pairs.len(), "blocks of all pairs");
    if let ListDifferences::OfPairs(listed) = differences {
        assert!(listed.len() == pairs.len(), "differences of all pairs");
    }
    multiversion!(level, |differences: ListDifferences<'_>,
                          pairs: &[RepeatedPair],
                          lengths: &[u32],
                          list_sums: &[Lanes]|
     -> Lanes {
        match differences {
            ListDifferences::OfRows(Weighed::Difference, tile) => {
                squares_by(Absolute(tile), pairs, lengths, list_sums)
            }
            ListDifferences::OfRows(Weighed::Mismatch, tile) => {
                squares_by(Mismatches(tile), pairs, lengths, list_sums)
            }
            ListDifferences::OfPairs(listed) => {
                squares_by(Listed(listed), pairs, lengths, list_sums)
            }
        }
    })
}

#[inline(always)]
fn squares_by(
    apart: impl Apart,
    pairs: &[RepeatedPair],
    lengths: &[u32],
    list_sums: &[Lanes],
) -> Lanes {
    let (mut squares, mut place) = ([0.0; RUN_WIDTH], 0);
    for &length in lengths {
        let mut all = [0.0; RUN_WIDTH];
        for _ in 0..length {
            let RepeatedPair { list, rows: [row, other], factors } = pairs[place];
            let (apart, sum) = (apart.lanes(row, other, place), &list_sums[list as usize]);
            for lane in 0..RUN_WIDTH {
                let change = factors.own.mul_add(apart[lane], -(factors.of_list * sum[lane]));
                all[lane] += change;
                squares[lane] = (-change).mul_add(change, squares[lane]);
            }
            place += 1;
        }
        for lane in 0..RUN_WIDTH {
            squares[lane] = all[lane].mul_add(all[lane], squares[lane]);
        }
    }
    squares
}

impl ChangeLists<'_> {
    #[inline(always)]
    fn add(
        self,
        list_sums: &mut [Lanes],
        units: &mut [Lanes],
        sums: &mut ChangeSums,
        apart: impl Apart,
    ) {
        match (self.factors, self.of_pairs.is_empty()) {
            (FactorsOf::Lists(factors), true) => {
                self.add_by::<false>(OfLists(factors), list_sums, units, sums, apart);
            }
            (FactorsOf::Lists(factors), false) => {
                self.add_by::<true>(OfLists(factors), list_sums, units, sums, apart);
            }
            (FactorsOf::Others(factors), true) => {
                self.add_by::<false>(OfOthers(factors), list_sums, units, sums, apart);
            }
            (FactorsOf::Others(factors), false) => {
                self.add_by::<true>(OfOthers(factors), list_sums, units, sums, apart);
            }
        }
    }

    #[inline(always)]
    fn add_by<const OF_PAIRS: bool>(
        self,
        factors: impl Factors,
        list_sums: &mut [Lanes],
        units: &mut [Lanes],
        sums: &mut ChangeSums,
        apart: impl Apart,
    ) {
        let ChangeSums { mut total, mut squares, mut of_pairs } = *sums;
        let mut start = 0;
        for (list, list_sum) in list_sums.iter_mut().enumerate() {
            let (row, end) = (self.rows[list], self.ends[list]);
            let mut sum = [0.0; RUN_WIDTH];
            for place in start..end {
                let apart = apart.lanes(row, self.others[place], place);
                factors.add(list, place, &mut sum, &apart);
                if OF_PAIRS {
                    let weights = self.of_pairs[place];
                    for (sum, weight) in of_pairs.iter_mut().zip(weights) {
                        for lane in 0..RUN_WIDTH {
                            sum[lane] = weight.mul_add(apart[lane], sum[lane]);
                        }
                    }
                }
            }
            let changing = start..start + self.changing[list] as usize;
            let centers = factors.centers(list, &sum);
            let mut of_list = [0.0; RUN_WIDTH];
            for place in changing {
                let other = self.others[place];
                let apart = apart.lanes(row, other, place);
                let unit = if self.units.is_empty() { other } else { self.units[place] };
                factors.change(
                    (list, place),
                    &apart,
                    &centers,
                    &mut units[unit as usize],
                    &mut of_list,
                );
            }
            let times = factors.times_of_squares(list);
            for lane in 0..RUN_WIDTH {
                squares[lane] = times.mul_add(of_list[lane], squares[lane]);
                sum[lane] *= factors.times_of_sum(list);
            }
            *list_sum = sum;
            let own = self.own_units[list];
            if own != NO_UNIT {
                let own = &mut units[own as usize];
                for lane in 0..RUN_WIDTH {
                    own[lane] += sum[lane];
                    total[lane] += sum[lane];
                }
            }
            start = end;
        }
        *sums = ChangeSums { total, squares, of_pairs };
    }
}
