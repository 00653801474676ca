//! In which order pairs of blocks of rows are visited.

use std::ops::Range;

use rayon::prelude::*;

use crate::memory::Memory;

/// Blocks of a square's side, at least: squares come one after the other, and each should be work for
/// several threads.
const LEAST_SIDE: usize = 4;

/// Splits all pairs of blocks `a <= b`, `a` being one of the first `firsts`, into squares of
/// neighboring blocks, so that the packed rows that a square needs fit into memory where all rows
/// together, in a file, do not. A block takes so many bytes.
pub(super) fn squares(
    firsts: usize,
    blocks: usize,
    bytes: u64,
    memory: &Memory,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let all = (blocks as u64).saturating_mul(bytes);
    let side = if memory.holds(all) {
        blocks
    } else {
        // Half of what may be held for each side.
        let fit = memory.part() / 2 / bytes.max(1);
        (fit.min(blocks as u64) as usize).max(LEAST_SIDE)
    };
    let side = side.max(1);
    (0..firsts).step_by(side).flat_map(move |a| {
        let rows = a..(a + side).min(firsts);
        (a..blocks).step_by(side).map(move |b| (rows.clone(), b..(b + side).min(blocks)))
    })
}

/// The pairs `a <= b` of a square.
pub(super) fn pairs_of(
    (a, b): (Range<usize>, Range<usize>),
) -> impl ParallelIterator<Item = (usize, usize)> {
    a.into_par_iter()
        .flat_map(move |a| (b.start.max(a)..b.end).into_par_iter().map(move |b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_comes_once_whatever_the_memory() {
        for (firsts, blocks) in [(0, 0), (1, 1), (3, 7), (7, 7), (1, 9), (14, 14), (6, 13)] {
            let mut expected: Vec<(usize, usize)> =
                (0..firsts).flat_map(|a| (a..blocks).map(move |b| (a, b))).collect();
            for bytes in [0, 1, 320, 400, 1 << 20] {
                let memory = Memory::new(bytes, "");
                let mut found: Vec<(usize, usize)> = squares(firsts, blocks, 10, &memory)
                    .flat_map(|square| pairs_of(square).collect::<Vec<_>>())
                    .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{firsts} {blocks} {bytes}");
            }
        }
        // 400 bytes: two sides of five blocks each are a quarter.
        let sides: Vec<_> = squares(11, 11, 10, &Memory::new(400, "")).map(|(a, _)| a).collect();
        assert_eq!((sides[0].clone(), sides.len()), (0..5, 6));
        assert_eq!(squares(11, 11, 10, &Memory::new(440, "")).count(), 1);
    }
}
