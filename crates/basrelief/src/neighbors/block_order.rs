//! In which order pairs of blocks of rows are visited.

use std::ops::Range;

use rayon::prelude::*;

use crate::memory::Memory;

/// Blocks of a square's side, at least: squares come one after the other, and each should be work for
/// several threads.
const LEAST_SIDE: usize = 4;

/// Splits all pairs of blocks `a <= b`, the first of `left` and the second of `right`, into squares of
/// neighboring blocks, so that the packed rows that a square needs fit into memory where all rows
/// together, in a file, do not. A block takes so many bytes.
pub(super) fn squares(
    left: Range<usize>,
    right: Range<usize>,
    bytes: u64,
    memory: &Memory,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let blocks = right.end - left.start.min(right.start);
    let side = if memory.holds((blocks as u64).saturating_mul(bytes)) {
        blocks
    } else {
        // Half of what may be held for each side.
        let fit = memory.part() / 2 / bytes.max(1);
        (fit.min(blocks as u64) as usize).max(LEAST_SIDE)
    };
    let side = side.max(1);
    left.clone().step_by(side).flat_map(move |a| {
        let rows = a..(a + side).min(left.end);
        let columns = right.start.max(a)..right.end;
        columns.step_by(side).map(move |b| (rows.clone(), b..(b + side).min(right.end)))
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
        let upper = [(0, 0), (1, 1), (3, 7), (7, 7), (1, 9), (14, 14), (6, 13)];
        let upper = upper.map(|(firsts, blocks)| (0..firsts, 0..blocks));
        for (left, right) in upper.into_iter().chain([(0..5, 5..9), (3..7, 9..20)]) {
            let beside = |a: usize| right.clone().filter(move |b| *b >= a).map(move |b| (a, b));
            let mut expected: Vec<(usize, usize)> = left.clone().flat_map(beside).collect();
            for bytes in [0, 1, 320, 400, 1 << 20] {
                let memory = Memory::new(bytes, "");
                let mut found: Vec<(usize, usize)> =
                    squares(left.clone(), right.clone(), 10, &memory)
                        .flat_map(|square| pairs_of(square).collect::<Vec<_>>())
                        .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{left:?} {right:?} {bytes}");
            }
        }
        // 400 bytes: two sides of five blocks each are a quarter.
        let sides: Vec<_> =
            squares(0..11, 0..11, 10, &Memory::new(400, "")).map(|(a, _)| a).collect();
        assert_eq!((sides[0].clone(), sides.len()), (0..5, 6));
        assert_eq!(squares(0..11, 0..11, 10, &Memory::new(440, "")).count(), 1);
    }
}
