//! What a search needs beside the data, at most: said before it begins.
//!
//! With n rows, m sampled ones in G groups of k neighbours: packed rows are 8 n bytes per number (2 n
//! more where they are rounded, 16 n in trees; for radii 8 n, 4 n or 2 n), 4 n per category, n / 4 per
//! genotype (3 n / 8 where some are missing), but for those of a kind that are too many and go to a file; lists are
//! `8 (4 k + 64)` bytes per sampled row and group; kept distances 4 n^2 bytes; and pairs are added up
//! 2^20 at a time (those of eight rows, if they have more), or 2^22 where all distances are kept, at 40
//! bytes each (64 where values are missing), and twice that where all rows are one group, as for a real
//! target: a pair then counts in two sums.

use basrelief_kernels::LANES;

use super::search::NeighborSearch;
use super::space::{Rule, Space};
use crate::memory::Memory;
use crate::wording::setting;

/// Bytes per pair and sum of a batch of margins, without and with missing values; and the most pairs
/// of a batch, of rows with their neighbours and of both directions at once.
const PAIR: u64 = 40;
const PAIR_WITH_GAPS: u64 = 64;
pub(crate) const BATCH: usize = 1 << 20;
pub(crate) const SYMMETRIC_BATCH: usize = 1 << 22;

/// What else can be done where there is too little memory.
pub(super) fn sampling() -> String {
    format!("look at the neighbours of fewer rows ({}), or give fewer", setting("n_samples", None))
}

/// Bytes that the lists of the k nearest take, per sampled row and group.
pub fn list_bytes(k: u64) -> u64 {
    8 * (4 * k + 64)
}

/// Of the k nearest rows.
pub(super) fn of_nearest(
    space: &Space<'_>,
    search: NeighborSearch,
    sampled: usize,
    groups: usize,
    k: usize,
    memory: &Memory,
) -> u64 {
    let lists = sampled as u64 * groups as u64;
    let (k, members) = (k as u64, space.rows() as u64);
    let packed = match search {
        NeighborSearch::AllPairs => packed(space, &[2, 8], |bytes| memory.holds(bytes)),
        NeighborSearch::KdTree => packed(space, &[16], |_| true),
    };
    let of_row = groups as u64 * k.min(members);
    let pairs = (sampled as u64).saturating_mul(of_row);
    packed
        .saturating_add(lists.saturating_mul(list_bytes(k.min(members))))
        .saturating_add(pairs.min(of_batch(of_row)) * pair(space, groups))
}

/// Pairs of a batch of rows that have up to so many each.
fn of_batch(of_row: u64) -> u64 {
    (BATCH as u64).max(LANES as u64 * of_row)
}

/// Of all rows within a radius; `kept` says that the distances of all pairs are.
pub(super) fn of_radius(space: &Space<'_>, groups: usize, kept: bool, memory: &Memory) -> u64 {
    let rows = space.rows() as u64;
    let pairs = rows.saturating_mul(rows);
    let (distances, batch) =
        if kept { (4 * pairs, SYMMETRIC_BATCH as u64) } else { (0, of_batch(rows)) };
    // In one of three forms, of which each may be held where wider ones go to a file.
    let in_form = |number| packed(space, &[number], |bytes| memory.holds(bytes));
    [8, 4, 2]
        .map(in_form)
        .into_iter()
        .fold(0, u64::max)
        .saturating_add(distances)
        .saturating_add(pairs.min(batch) * pair(space, groups))
}

/// Bytes per pair of a batch.
fn pair(space: &Space<'_>, groups: usize) -> u64 {
    let any_missing = space.features().iter().any(|feature| feature.table.is_some());
    let sums = if groups == 1 { 2 } else { 1 };
    sums * if any_missing { PAIR_WITH_GAPS } else { PAIR }
}

/// The packed rows that are held in memory, where a number takes so many bytes in each packing and
/// `holds` says whether so many bytes of a kind are held.
fn packed(space: &Space<'_>, number: &[u64], holds: impl Fn(u64) -> bool) -> u64 {
    let (mut numbers, mut categories, mut genotypes) = (0, 0, 0);
    for feature in space.features() {
        match feature.rule {
            Rule::Inert => {}
            Rule::Number { .. } => numbers += 1,
            Rule::Copies | Rule::Mismatch { genotype: true, .. } => genotypes += 1,
            Rule::Mismatch { .. } => categories += 1,
        }
    }
    let rows = space.rows() as u64;
    let packings = number.iter().map(|bytes| rows.saturating_mul(bytes * numbers));
    let others = [rows.saturating_mul(4 * categories), rows.saturating_mul(3 * genotypes) / 8];
    packings.chain(others).filter(|&bytes| holds(bytes)).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::neighbors::SpaceOptions;
    use crate::run::Run;

    #[test]
    fn the_formulas_by_hand() {
        let numbers = |step: f64| (0..80).map(|row| (step * f64::from(row)).fract()).collect();
        let copies: Vec<u8> = (0..80).map(|row| row % 3).collect();
        let table = Table::new(vec![
            Column::from_values("a", numbers(0.618)).unwrap(),
            Column::from_values("b", numbers(0.414)).unwrap(),
            Column::genotype("c", copies.into()).unwrap(),
        ])
        .unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        // Two numbers of 10 bytes and 3 bits per row; 80 lists for each of 2 groups of 8 * 72
        // bytes; 320 pairs of 40 bytes.
        let bytes = of_nearest(&space, NeighborSearch::AllPairs, 80, 2, 2, run.memory());
        assert_eq!(bytes, (80 * 163 / 8) + 160 * 8 * 72 + 320 * 40);
        let radius = |groups| of_radius(&space, groups, true, run.memory());
        assert_eq!(radius(2), (80 * 131 / 8) + 4 * 6400 + 6400 * 40);
        assert_eq!(radius(1), radius(2) + 6400 * 40);
        // With room for 640 bytes in one piece, the exact numbers go to a file, but not rounded ones.
        let little = Memory::new(4 * 640, "");
        assert_eq!(of_radius(&space, 2, true, &little), radius(2) - 80 * 8);
        let held = of_nearest(&space, NeighborSearch::AllPairs, 80, 2, 2, &little);
        assert_eq!(held, bytes - 80 * 16);
    }
}
