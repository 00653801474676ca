//! Sums of a row's differences to many subsets of its neighbors: one subset per permutation of a target.
//!
//! Neighbors stand in slots, five to a table of the sums of all their subsets, so that a subset of up to
//! [`SLOTS_TOGETHER`] neighbors costs at most twelve additions instead of sixty. A lane is a feature. A
//! subset's sum is made table by table in one order, so that instruction sets do not change a bit; nothing
//! is fused.

use crate::Level;
use crate::dispatch::multiversion;

/// Slots whose subsets one table has.
const SLOTS: usize = 5;

/// Subsets of a table.
const SUBSETS: usize = 1 << SLOTS;

/// Slots that are chosen together, by the bits of a word.
pub const SLOTS_TOGETHER: usize = 60;

/// Entries of a table: the sum of every subset, and that less the sum of all others.
const ENTRIES: usize = 2 * SUBSETS;

/// Tables whose subsets' sums the first cache holds while they are looked up.
const CACHED: usize = 6;

/// The sums of the differences of all subsets of five slots; and each less that of the other slots.
pub type SubsetTable<L> = [L; ENTRIES];

/// The whole differences of one row to another, 0 to 2, feature by feature; or small sums of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct SmallLanes(pub [i8; 128]);

/// Larger sums of integer differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct WholeLanes(pub [i16; 128]);

/// Totals of whole differences.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct TotalLanes(pub [f64; 128]);

/// The differences of one row to another of any kind, or sums of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct RealLanes(pub [f64; 32]);

/// For one permutation: how many sums of subsets are looked up, those that are added first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookups {
    /// Which of the sums.
    pub permutation: u32,
    /// How many are added.
    pub added: u16,
    /// How many are subtracted.
    pub subtracted: u16,
}

/// Looks up the slots of a word that are added, and those of another, of which no slot is in both, that are
/// subtracted: first what is added, then what is subtracted. A table whose slots are all in one of the words
/// is looked at once.
pub fn look_up(plus: u64, minus: u64, entries: &mut Vec<u16>) -> [u16; 2] {
    let of_table = |word: u64, number: usize| (word >> (SLOTS * number)) as usize % SUBSETS;
    let all = SUBSETS - 1;
    let tables = (64 - (plus | minus).leading_zeros() as usize).div_ceil(SLOTS);
    let before = entries.len();
    let place = |number: usize, subset: usize| (number * ENTRIES + subset) as u16;
    for number in 0..tables {
        let (plus, minus) = (of_table(plus, number), of_table(minus, number));
        if plus | minus == all {
            entries.push(place(number, SUBSETS + plus));
        } else if plus != 0 {
            entries.push(place(number, plus));
        }
    }
    let added = entries.len() - before;
    for number in 0..tables {
        let (plus, minus) = (of_table(plus, number), of_table(minus, number));
        if plus | minus != all && minus != 0 {
            entries.push(place(number, minus));
        }
    }
    [added as u16, (entries.len() - before - added) as u16]
}

/// For one permutation: slots whose differences are added with a multiplicity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Multiple {
    /// Which of the sums.
    pub permutation: u16,
    /// How many times.
    pub times: i16,
    /// A bit per slot.
    pub slots: u64,
}

/// For one permutation: slots whose differences are added with a weight.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fraction {
    /// Which of the totals.
    pub permutation: u32,
    /// A bit per slot.
    pub slots: u64,
    /// The weight of each.
    pub weight: f64,
}

/// Lanes in which subsets are added up: [`SmallLanes`] or [`RealLanes`].
///
/// All functions panic where this machine does not have the level, or a permutation has no sum, or a slot
/// no table.
pub trait SubsetLanes: Copy + Send + Sync + 'static {
    /// Features.
    const LANES: usize;

    /// The largest sum of differences that fits into small sums.
    const MOST_SMALL: usize;

    /// The largest sum that fits into sums.
    const MOST: usize;

    /// No difference.
    const NONE: Self;

    /// Sums of differences.
    type Sums: Copy + Send + Sync;

    /// Sums of 0.
    const NO_SUMS: Self::Sums;

    /// Sums of weighted sums.
    type Totals: Copy + Send + Sync + AsRef<[f64]>;

    /// Totals of 0.
    const NO_TOTALS: Self::Totals;

    /// Makes tables of the slots' differences, for lookups or for words.
    fn fill_tables(
        level: Level,
        differences: &[Self],
        for_lookups: bool,
        tables: &mut Vec<SubsetTable<Self>>,
    );

    /// Adds what is looked up, of which `entries` are all behind each other, to the small sums of their
    /// permutations; best in an order in which those with as many entries follow each other.
    fn add_lookups(
        level: Level,
        tables: &[SubsetTable<Self>],
        lookups: &[Lookups],
        entries: &[u16],
        sums: &mut [Self],
    );

    /// Adds every small sum to a sum, and makes it 0.
    fn take_small(level: Level, small: &mut [Self], sums: &mut [Self::Sums]);

    /// Adds to every permutation's small sum the slots of its word of bits.
    fn add_words(level: Level, tables: &[SubsetTable<Self>], words: &[u64], sums: &mut [Self]);

    /// Adds multiples to the sums of their permutations.
    fn add_multiples(
        level: Level,
        tables: &[SubsetTable<Self>],
        multiples: &[Multiple],
        sums: &mut [Self::Sums],
    );

    /// Adds weighted subsets to the totals of their permutations.
    fn add_fractions(
        level: Level,
        tables: &[SubsetTable<Self>],
        fractions: &[Fraction],
        totals: &mut [Self::Totals],
    );

    /// Adds every permutation's sums, times its scale, to its totals, and makes them 0; and `all`, times
    /// its other scale.
    fn take_sums(
        level: Level,
        sums: (&mut [Self::Sums], &[f64]),
        all: (&Self::Totals, &[f64]),
        totals: &mut [Self::Totals],
    );

    /// Adds the differences of all slots to totals. Returns the largest sum of them in any lane if
    /// small sums have a limit, otherwise 0.
    fn add_all(level: Level, differences: &[Self], total: &mut Self::Totals) -> usize;
}

impl AsRef<[f64]> for TotalLanes {
    fn as_ref(&self) -> &[f64] {
        &self.0
    }
}

impl AsRef<[f64]> for RealLanes {
    fn as_ref(&self) -> &[f64] {
        &self.0
    }
}

/// The entry of a table that a word of bits chooses.
#[inline(always)]
fn entry<L>(table: &SubsetTable<L>, word: u64, number: usize) -> &L {
    &table[(word >> (SLOTS * number)) as usize % SUBSETS]
}

/// The sum of the differences of some slots.
macro_rules! chosen_sum {
    ($tables:ident, $slots:ident, $zero:expr, $count:literal, $plus:expr) => {{
        let mut found = [$zero; $count];
        // The tables of which something is chosen.
        let first = ($slots.trailing_zeros() as usize).min(SLOTS_TOGETHER) / SLOTS;
        let end = (64 - $slots.leading_zeros() as usize).div_ceil(SLOTS);
        for number in first..end {
            let added = &entry(&$tables[number], $slots, number).0;
            for lane in 0..$count {
                found[lane] = $plus(found[lane], added[lane]);
            }
        }
        found
    }};
}

/// The kernels for lanes of a type of number.
macro_rules! lanes {
    (
        $lanes:ident, $sums:ident, $totals:ident, $wide_number:ty, $count:literal, [$zero:expr, $no_sum:expr],
        [$most_small:expr, $most:expr], $plus:expr, $minus:expr, $wide:expr, $add:expr, $times:expr
    ) => {
        impl SubsetLanes for $lanes {
            const LANES: usize = $count;
            const MOST_SMALL: usize = $most_small;
            const MOST: usize = $most;
            const NONE: Self = Self([$zero; $count]);
            type Sums = $sums;
            const NO_SUMS: Self::Sums = $sums([$no_sum; $count]);
            type Totals = $totals;
            const NO_TOTALS: Self::Totals = $totals([0.0; $count]);

            fn fill_tables(
                level: Level,
                differences: &[Self],
                for_lookups: bool,
                tables: &mut Vec<SubsetTable<Self>>,
            ) {
                // The empty subset stays 0, and whatever else is not filled is not looked up.
                tables.resize(differences.len().div_ceil(SLOTS), [Self::NONE; ENTRIES]);
                multiversion!(
                    level,
                    |differences: &[$lanes],
                     for_lookups: bool,
                     tables: &mut [SubsetTable<$lanes>]| {
                        for (slots, table) in differences.chunks(SLOTS).zip(tables) {
                            let (subsets, less_others) = table.split_at_mut(SUBSETS);
                            for (slot, own) in slots.iter().enumerate() {
                                let (without, with) = subsets.split_at_mut(1 << slot);
                                for (with, without) in with.iter_mut().zip(without) {
                                    for lane in 0..$count {
                                        with.0[lane] = $plus(without.0[lane], own.0[lane]);
                                    }
                                }
                            }
                            if !for_lookups || slots.len() < SLOTS {
                                continue;
                            }
                            // The others are the subset's complement.
                            let both = subsets.iter().zip(subsets.iter().rev());
                            for (less, (subset, others)) in less_others.iter_mut().zip(both) {
                                for lane in 0..$count {
                                    less.0[lane] = $minus(subset.0[lane], others.0[lane]);
                                }
                            }
                        }
                    }
                );
            }

            fn add_lookups(
                level: Level,
                tables: &[SubsetTable<Self>],
                lookups: &[Lookups],
                entries: &[u16],
                sums: &mut [Self],
            ) {
                multiversion!(level, |tables: &[SubsetTable<$lanes>],
                                      lookups: &[Lookups],
                                      entries: &[u16],
                                      sums: &mut [$lanes]| {
                    let sums_of_subsets = tables.as_flattened();
                    let mut left = entries;
                    for &Lookups { permutation, added, subtracted } in lookups {
                        let (of_this, others) = left.split_at((added + subtracted) as usize);
                        let (added, subtracted) = of_this.split_at(added as usize);
                        left = others;
                        let sum = &mut sums[permutation as usize].0;
                        let mut found = *sum;
                        for &place in added {
                            let added = &sums_of_subsets[place as usize].0;
                            for lane in 0..$count {
                                found[lane] = $plus(found[lane], added[lane]);
                            }
                        }
                        for &place in subtracted {
                            let subtracted = &sums_of_subsets[place as usize].0;
                            for lane in 0..$count {
                                found[lane] = $minus(found[lane], subtracted[lane]);
                            }
                        }
                        *sum = found;
                    }
                });
            }

            fn take_small(level: Level, small: &mut [Self], sums: &mut [Self::Sums]) {
                multiversion!(level, |small: &mut [$lanes], sums: &mut [$sums]| {
                    for (small, sum) in small.iter_mut().zip(sums) {
                        for lane in 0..$count {
                            sum.0[lane] = $add(sum.0[lane], $wide(small.0[lane]));
                        }
                        *small = $lanes::NONE;
                    }
                });
            }

            fn add_words(
                level: Level,
                tables: &[SubsetTable<Self>],
                words: &[u64],
                sums: &mut [Self],
            ) {
                #[inline(always)]
                fn add(
                    tables: &[SubsetTable<$lanes>],
                    before: usize,
                    words: &[u64],
                    sums: &mut [$lanes],
                ) {
                    for (&word, sum) in words.iter().zip(sums) {
                        let mut found = sum.0;
                        for (number, table) in tables.iter().enumerate() {
                            let added = &entry(table, word >> (SLOTS * before), number).0;
                            for lane in 0..$count {
                                found[lane] = $plus(found[lane], added[lane]);
                            }
                        }
                        sum.0 = found;
                    }
                }
                multiversion!(level, |tables: &[SubsetTable<$lanes>],
                                      words: &[u64],
                                      sums: &mut [$lanes]| {
                    for (part, tables) in tables.chunks(CACHED).enumerate() {
                        match tables.first_chunk::<CACHED>() {
                            Some(tables) => add(tables, part * CACHED, words, sums),
                            None => add(tables, part * CACHED, words, sums),
                        }
                    }
                });
            }

            fn add_multiples(
                level: Level,
                tables: &[SubsetTable<Self>],
                multiples: &[Multiple],
                sums: &mut [Self::Sums],
            ) {
                multiversion!(level, |tables: &[SubsetTable<$lanes>],
                                      multiples: &[Multiple],
                                      sums: &mut [$sums]| {
                    for &Multiple { permutation, times, slots } in multiples {
                        let found = chosen_sum!(tables, slots, $zero, $count, $plus);
                        let sum = &mut sums[permutation as usize].0;
                        for lane in 0..$count {
                            sum[lane] = $add(sum[lane], $times($wide(found[lane]), times));
                        }
                    }
                });
            }

            fn add_fractions(
                level: Level,
                tables: &[SubsetTable<Self>],
                fractions: &[Fraction],
                totals: &mut [Self::Totals],
            ) {
                multiversion!(level, |tables: &[SubsetTable<$lanes>],
                                      fractions: &[Fraction],
                                      totals: &mut [$totals]| {
                    for &Fraction { permutation, slots, weight } in fractions {
                        let found = chosen_sum!(tables, slots, $zero, $count, $plus);
                        let total = &mut totals[permutation as usize].0;
                        for lane in 0..$count {
                            total[lane] += weight * f64::from(found[lane]);
                        }
                    }
                });
            }

            fn take_sums(
                level: Level,
                sums: (&mut [Self::Sums], &[f64]),
                all: (&Self::Totals, &[f64]),
                totals: &mut [Self::Totals],
            ) {
                multiversion!(level, |sums: (&mut [$sums], &[f64]),
                                      all: (&$totals, &[f64]),
                                      totals: &mut [$totals]| {
                    let of_all = all.0;
                    let scales = sums.1.iter().zip(all.1);
                    for ((sum, (&scale, &other)), total) in
                        sums.0.iter_mut().zip(scales).zip(totals)
                    {
                        for lane in 0..$count {
                            let found = scale * f64::from(sum.0[lane]);
                            total.0[lane] += found + other * of_all.0[lane];
                        }
                        *sum = $lanes::NO_SUMS;
                    }
                });
            }

            fn add_all(level: Level, differences: &[Self], total: &mut Self::Totals) -> usize {
                multiversion!(level, |differences: &[$lanes], total: &mut $totals| -> usize {
                    let mut found = [$no_sum; $count];
                    for own in differences {
                        for lane in 0..$count {
                            found[lane] = $add(found[lane], $wide(own.0[lane]));
                        }
                    }
                    for lane in 0..$count {
                        total.0[lane] += f64::from(found[lane]);
                    }
                    let limited = $lanes::MOST_SMALL < usize::MAX;
                    let greatest = |most: f64, sum: $wide_number| most.max(f64::from(sum));
                    if limited { found.into_iter().fold(0.0, greatest) as usize } else { 0 }
                })
            }
        }
    };
}

lanes!(
    SmallLanes,
    WholeLanes,
    TotalLanes,
    i16,
    128,
    [0_i8, 0_i16],
    [i8::MAX as usize, i16::MAX as usize],
    i8::wrapping_add,
    i8::wrapping_sub,
    i16::from,
    i16::wrapping_add,
    i16::wrapping_mul
);
lanes!(
    RealLanes,
    RealLanes,
    RealLanes,
    f64,
    32,
    [0.0_f64, 0.0_f64],
    [usize::MAX, usize::MAX],
    |a: f64, b: f64| a + b,
    |a: f64, b: f64| a - b,
    |a: f64| a,
    |a: f64, b: f64| a + b,
    |a: f64, times: i16| a * f64::from(times)
);

/// The differences of one row to others in whole numbers: `|a - b|`, or 0 and 1 where they are
/// mismatches of codes, of any size.
///
/// # Panics
/// A row that is not there, or a `level` that this machine does not have.
pub fn whole_differences(
    level: Level,
    is_mismatch: bool,
    values: &[SmallLanes],
    row: u32,
    others: &[u32],
    differences: &mut Vec<SmallLanes>,
) {
    differences.resize(others.len(), SmallLanes::NONE);
    multiversion!(level, |is_mismatch: bool,
                          values: &[SmallLanes],
                          row: u32,
                          others: &[u32],
                          differences: &mut [SmallLanes]| {
        let own = values[row as usize].0;
        for (&other, out) in others.iter().zip(differences) {
            let other = &values[other as usize].0;
            for lane in 0..128 {
                out.0[lane] = if is_mismatch {
                    (own[lane] != other[lane]) as i8
                } else {
                    (own[lane] - other[lane]).wrapping_abs()
                };
            }
        }
    });
}

/// Turns a square of bits: bit `j` of word `i` becomes bit `i` of word `j`.
pub fn turn_bits(square: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (square[row] >> width ^ square[row + width]) & mask;
            square[row] ^= swapped << width;
            square[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
