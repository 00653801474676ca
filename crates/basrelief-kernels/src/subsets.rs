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

/// The whole differences of one row to another, feature by feature.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub struct WholeLanes(pub [i16; 32]);

/// The same of any differences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub struct RealLanes(pub [f64; 8]);

/// For one permutation: the slots whose differences are added, and those whose are subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chosen {
    /// Which of the sums.
    pub permutation: u32,
    /// A bit per slot.
    pub plus: u64,
    /// The same.
    pub minus: u64,
}

/// For one permutation: slots whose differences are added so many times.
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
    /// Which of the sums.
    pub permutation: u32,
    /// A bit per slot.
    pub slots: u64,
    /// What each counts.
    pub weight: f64,
}

/// Lanes in which subsets are added up: [`WholeLanes`] or [`RealLanes`].
///
/// All functions panic where this machine does not have the level, or a permutation has no sum, or a slot
/// no table.
pub trait SubsetLanes: Copy + Default + Send + Sync + 'static {
    /// Features.
    const LANES: usize;

    /// Sums of numbers of any kind, lane by lane.
    type Totals: Copy + Default + Send + Sync + AsRef<[f64]>;

    /// Replaces `tables` by the sums of all subsets of the slots' differences, table by table.
    fn fill_tables(level: Level, differences: &[Self], tables: &mut Vec<Self>);

    /// Adds what is chosen to the sums of its permutations. In an order in which the longest words of bits
    /// come last the processor foretells the ends.
    fn add_chosen(level: Level, tables: &[Self], chosen: &[Chosen], sums: &mut [Self]);

    /// Adds to every permutation's sum the slots of its word of bits.
    fn add_words(level: Level, tables: &[Self], words: &[u64], sums: &mut [Self]);

    /// Adds multiples to the sums of their permutations.
    fn add_multiples(level: Level, tables: &[Self], multiples: &[Multiple], sums: &mut [Self]);

    /// Adds weighted subsets to the totals of their permutations.
    fn add_fractions(
        level: Level,
        tables: &[Self],
        fractions: &[Fraction],
        totals: &mut [Self::Totals],
    );

    /// Adds every permutation's sums, times its scale, to its totals.
    fn add_scaled(level: Level, sums: &[Self], scales: &[f64], totals: &mut [Self::Totals]);

    /// Adds one sum, times every permutation's scale, to its totals.
    fn add_to_all(level: Level, sum: &Self, scales: &[f64], totals: &mut [Self::Totals]);

    /// The sum of all slots' differences.
    fn sum_of(differences: &[Self]) -> Self;
}

/// Totals of [`WholeLanes`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct WholeTotals(pub [f64; 32]);

impl Default for WholeTotals {
    fn default() -> Self {
        Self([0.0; 32])
    }
}

impl AsRef<[f64]> for WholeTotals {
    fn as_ref(&self) -> &[f64] {
        &self.0
    }
}

impl AsRef<[f64]> for RealLanes {
    fn as_ref(&self) -> &[f64] {
        &self.0
    }
}

/// The sum of the differences of some slots.
macro_rules! chosen_sum {
    ($tables:ident, $slots:ident, $number:ty, $count:literal, $plus:expr) => {{
        let mut found: [$number; $count] = Default::default();
        // The first table that counts.
        let skipped = $slots.trailing_zeros() as usize / SLOTS;
        let (mut table, mut slots) = (skipped * SUBSETS, $slots >> (skipped * SLOTS) % 64);
        while slots != 0 {
            let added = &$tables[table + slots as usize % SUBSETS].0;
            for lane in 0..$count {
                found[lane] = $plus(found[lane], added[lane]);
            }
            slots >>= SLOTS;
            table += SUBSETS;
        }
        found
    }};
}

/// The kernels for lanes of a type of number.
macro_rules! lanes {
    ($lanes:ident, $totals:ident, $number:ty, $count:literal, $plus:expr, $minus:expr, $times:expr) => {
        impl SubsetLanes for $lanes {
            const LANES: usize = $count;

            type Totals = $totals;

            fn fill_tables(level: Level, differences: &[Self], tables: &mut Vec<Self>) {
                tables.clear();
                tables.resize(differences.len().div_ceil(SLOTS) * SUBSETS, Self::default());
                multiversion!(level, |differences: &[$lanes], tables: &mut [$lanes]| {
                    let tables = tables.chunks_exact_mut(SUBSETS);
                    for (slots, table) in differences.chunks(SLOTS).zip(tables) {
                        for (slot, own) in slots.iter().enumerate() {
                            let (without, with) = table.split_at_mut(1 << slot);
                            for (with, without) in with.iter_mut().zip(without) {
                                for lane in 0..$count {
                                    with.0[lane] = $plus(without.0[lane], own.0[lane]);
                                }
                            }
                        }
                    }
                });
            }

            fn add_chosen(level: Level, tables: &[Self], chosen: &[Chosen], sums: &mut [Self]) {
                multiversion!(level, |tables: &[$lanes],
                                      chosen: &[Chosen],
                                      sums: &mut [$lanes]| {
                    for &Chosen { permutation, mut plus, mut minus } in chosen {
                        let sum = &mut sums[permutation as usize].0;
                        let mut found = *sum;
                        let mut table = 0;
                        while plus | minus != 0 {
                            let added = &tables[table + plus as usize % SUBSETS].0;
                            let subtracted = &tables[table + minus as usize % SUBSETS].0;
                            for lane in 0..$count {
                                found[lane] =
                                    $minus($plus(found[lane], added[lane]), subtracted[lane]);
                            }
                            plus >>= SLOTS;
                            minus >>= SLOTS;
                            table += SUBSETS;
                        }
                        *sum = found;
                    }
                });
            }

            fn add_words(level: Level, tables: &[Self], words: &[u64], sums: &mut [Self]) {
                multiversion!(level, |tables: &[$lanes], words: &[u64], sums: &mut [$lanes]| {
                    for (&word, sum) in words.iter().zip(sums) {
                        let mut found = sum.0;
                        let mut slots = word;
                        for table in tables.chunks_exact(SUBSETS) {
                            let added = &table[slots as usize % SUBSETS].0;
                            for lane in 0..$count {
                                found[lane] = $plus(found[lane], added[lane]);
                            }
                            slots >>= SLOTS;
                        }
                        sum.0 = found;
                    }
                });
            }

            fn add_multiples(
                level: Level,
                tables: &[Self],
                multiples: &[Multiple],
                sums: &mut [Self],
            ) {
                multiversion!(level, |tables: &[$lanes],
                                      multiples: &[Multiple],
                                      sums: &mut [$lanes]| {
                    for &Multiple { permutation, times, slots } in multiples {
                        let found = chosen_sum!(tables, slots, $number, $count, $plus);
                        let sum = &mut sums[permutation as usize].0;
                        for lane in 0..$count {
                            sum[lane] = $plus(sum[lane], $times(found[lane], times));
                        }
                    }
                });
            }

            fn add_fractions(
                level: Level,
                tables: &[Self],
                fractions: &[Fraction],
                totals: &mut [Self::Totals],
            ) {
                multiversion!(level, |tables: &[$lanes],
                                      fractions: &[Fraction],
                                      totals: &mut [$totals]| {
                    for &Fraction { permutation, slots, weight } in fractions {
                        let found = chosen_sum!(tables, slots, $number, $count, $plus);
                        let total = &mut totals[permutation as usize].0;
                        for lane in 0..$count {
                            total[lane] += weight * f64::from(found[lane]);
                        }
                    }
                });
            }

            fn add_scaled(
                level: Level,
                sums: &[Self],
                scales: &[f64],
                totals: &mut [Self::Totals],
            ) {
                multiversion!(level, |sums: &[$lanes], scales: &[f64], totals: &mut [$totals]| {
                    for ((sum, &scale), total) in sums.iter().zip(scales).zip(totals) {
                        for lane in 0..$count {
                            total.0[lane] += scale * f64::from(sum.0[lane]);
                        }
                    }
                });
            }

            fn add_to_all(level: Level, sum: &Self, scales: &[f64], totals: &mut [Self::Totals]) {
                multiversion!(level, |sum: &$lanes, scales: &[f64], totals: &mut [$totals]| {
                    let sum = sum.0.map(f64::from);
                    for (&scale, total) in scales.iter().zip(totals) {
                        for lane in 0..$count {
                            total.0[lane] += scale * sum[lane];
                        }
                    }
                });
            }

            fn sum_of(differences: &[Self]) -> Self {
                let mut sum = Self::default();
                for own in differences {
                    for lane in 0..$count {
                        sum.0[lane] = $plus(sum.0[lane], own.0[lane]);
                    }
                }
                sum
            }
        }
    };
}

lanes!(WholeLanes, WholeTotals, i16, 32, i16::wrapping_add, i16::wrapping_sub, i16::wrapping_mul);
lanes!(
    RealLanes,
    RealLanes,
    f64,
    8,
    |a: f64, b: f64| a + b,
    |a: f64, b: f64| a - b,
    |a: f64, times: i16| a * f64::from(times)
);

/// The differences of one row to others in whole numbers: `|a - b|`, or 0 and 1 where they are
/// mismatches.
///
/// # Panics
/// A row that is not there, or a `level` that this machine does not have.
pub fn whole_differences(
    level: Level,
    is_mismatch: bool,
    values: &[WholeLanes],
    row: u32,
    others: &[u32],
    differences: &mut Vec<WholeLanes>,
) {
    differences.clear();
    differences.resize(others.len(), WholeLanes::default());
    multiversion!(level, |is_mismatch: bool,
                          values: &[WholeLanes],
                          row: u32,
                          others: &[u32],
                          differences: &mut [WholeLanes]| {
        let own = values[row as usize].0;
        for (&other, out) in others.iter().zip(differences) {
            let other = &values[other as usize].0;
            for lane in 0..32 {
                let difference = (own[lane] - other[lane]).abs();
                out.0[lane] = if is_mismatch { difference.min(1) } else { difference };
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
