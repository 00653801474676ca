//! The order in which pairs of blocks of rows are visited.

use std::ops::Range;

use crate::memory::Memory;

/// Minimum number of blocks along the side of a square: squares are processed one after the other,
/// and each should occupy several threads.
const LEAST_SIDE: usize = 4;

/// The number of runs into which the blocks of a square's side are divided, if they are not longer than
/// [`LONGEST_RUN`].
const RUNS: usize = 16;

/// The largest number of blocks in a run.
const LONGEST_RUN: usize = 8;

/// Splits all pairs of blocks `a <= b`, with `a` in `left` and `b` in `right`, into squares of
/// neighboring blocks. The packed rows of a square then fit into memory even if those of all rows,
/// which are in a file, do not. A block has a size of `bytes`.
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
        // Each side gets half of the part of memory that may be used.
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

/// The pairs `a <= b` of a square, as blocks `a` with runs of blocks `b`. Neighboring elements have different `a` and, if
/// possible, different `b`, so that threads rarely wait for each other's blocks.
pub(super) fn runs_of(
    (a, b): (Range<usize>, Range<usize>),
) -> impl Iterator<Item = (usize, Range<usize>)> {
    let length = (b.len() / RUNS).clamp(1, LONGEST_RUN);
    let runs = b.len().div_ceil(length);
    let run = move |own: usize, shift: usize| {
        let start = b.start + (own + shift) % runs * length;
        (own, start.max(own)..(start + length).min(b.end))
    };
    let all = (0..runs).flat_map(move |shift| a.clone().map(move |own| (own, shift)));
    all.map(move |(own, shift)| run(own, shift)).filter(|(_, others)| !others.is_empty())
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
                        .flat_map(runs_of)
                        .flat_map(|(a, others)| others.map(move |b| (a, b)))
                        .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{left:?} {right:?} {bytes}");
            }
        }
        // Two sides of five blocks each take a quarter of the 400 bytes.
        let sides: Vec<_> =
            squares(0..11, 0..11, 10, &Memory::new(400, "")).map(|(a, _)| a).collect();
        assert_eq!((sides[0].clone(), sides.len()), (0..5, 6));
        assert_eq!(squares(0..11, 0..11, 10, &Memory::new(440, "")).count(), 1);
    }
}
