//! The driver of all loops over pairs of blocks of rows. It has two forms.
//!
//! [`sweep`] visits every pair of blocks once, in any order and many at a time, with one shared
//! sink. The result of the sink must not depend on the order; the k smallest distances, for
//! example, do not. A new way to compute distances implements [`BlockDistances`], and a new use of
//! them implements [`BlockSink`].
//!
//! [`sweep_parts`] divides the blocks among parts. Each part owns a sink and visits its blocks in
//! order, each with the blocks that it meets in their order. Sums thus have one order, whatever the
//! threads, and a sink needs no lock. With one block of rows per part, it answers queries. A use
//! implements [`PartSink`].

use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use basrelief_kernels::{LANES, TILE, panels};

use super::block_order::{runs_of, squares};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Rows in the order of a search, cut into blocks of the same size. All blocks except the last are complete panels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    pub(super) rows: usize,
    /// Rows of a block, a multiple of [`LANES`].
    pub(super) size: usize,
}

impl Blocks {
    /// Number of blocks.
    pub(super) fn count(self) -> usize {
        self.rows.div_ceil(self.size)
    }

    /// The places of a block.
    pub(super) fn places(self, block: usize) -> Range<usize> {
        block * self.size..((block + 1) * self.size).min(self.rows)
    }

    /// The panels of a block.
    pub(super) fn panels(self, block: usize) -> Range<usize> {
        let places = self.places(block);
        places.start / LANES..panels(places.end)
    }

    /// All pairs of blocks, the lower one first.
    pub(super) fn pairs(self) -> Vec<(usize, usize)> {
        let blocks = self.count();
        (0..blocks).flat_map(|a| (a..blocks).map(move |b| (a, b))).collect()
    }

    /// The index of a pair of blocks among [all pairs](Self::pairs).
    pub(super) fn pair(self, a: usize, b: usize) -> usize {
        // Before those of block a there are a * blocks, less the 1 + ... + a that came earlier.
        a * self.count() - a * (a + 1) / 2 + b
    }
}

/// Packed rows, and the distances of any of their panels.
pub(super) trait BlockDistances: Sync {
    /// A distance: a number, or a whole number of steps.
    type Distance: Copy + Default + Send;

    /// Reused memory of one worker.
    type Scratch: Default + Send;

    /// Bytes of `rows` packed rows.
    fn bytes(&self, rows: usize) -> u64;

    /// Replaces `out` by the tiled distances of two runs of panels. Distances of lanes beyond the
    /// last row have no meaning.
    fn block(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut Vec<Self::Distance>,
        scratch: &mut Self::Scratch,
    );

    /// As [`block`](Self::block) for a run of panels and itself; half of the distances suffice.
    fn square(
        &self,
        run: Range<usize>,
        out: &mut Vec<Self::Distance>,
        scratch: &mut Self::Scratch,
    ) {
        self.block(run.clone(), run, out, scratch);
    }
}

/// Consumes the distances of a pair of blocks; called concurrently for different pairs.
pub(super) trait BlockSink<D>: Sync {
    /// Reused memory of one worker.
    type Buffers: Default + Send;

    /// Takes the tiled distances of two blocks, the lower first, or of a block with itself.
    ///
    /// # Errors
    /// [`ControlFlow::Break`] ends the sweep: its distances are of no use.
    fn take(
        &self,
        blocks: (usize, usize),
        tiles: &[[D; TILE]],
        buffers: &mut Self::Buffers,
    ) -> Result<ControlFlow<()>>;
}

/// The pairs of blocks to be compared: every block of `left` with every block of `right` that is
/// not below it. The two ranges have a common start, or are disjoint.
#[derive(Debug, Clone)]
pub(super) struct BlockPairs {
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
}

impl BlockPairs {
    /// The first `queries` blocks with all blocks.
    pub(super) fn upper(queries: usize, blocks: Blocks) -> Self {
        Self { left: 0..queries, right: 0..blocks.count() }
    }

    /// The first `left` blocks with all others.
    pub(super) fn between(left: usize, blocks: Blocks) -> Self {
        Self { left: 0..left, right: left..blocks.count() }
    }

    /// Whether blocks are compared with themselves.
    pub(super) fn have_squares(&self) -> bool {
        self.left.start == self.right.start
    }

    /// Creates a value for every block of `left` and every block of `right`, not yet set;
    /// [`cell`](Self::cell) is its index.
    pub(super) fn cells<T>(&self) -> Vec<OnceLock<T>> {
        (0..self.left.len() * self.right.len()).map(|_| OnceLock::new()).collect()
    }

    /// The index of the value of a pair.
    pub(super) fn cell(&self, a: usize, b: usize) -> usize {
        (a - self.left.start) * self.right.len() + b - self.right.start
    }

    /// The index of the value of a pair with its blocks exchanged: among all cells, or, if the
    /// ranges are disjoint, among the cells of the second blocks. `None` if the second block is not
    /// in `left`.
    pub(super) fn cell_of_second(&self, a: usize, b: usize) -> Option<usize> {
        match self.have_squares() {
            true => (b < self.left.end).then(|| self.cell(b, a)),
            false => Some((b - self.right.start) * self.left.len() + a - self.left.start),
        }
    }

    fn count(&self) -> usize {
        let (left, right) = (self.left.len(), self.right.len());
        if self.have_squares() {
            left * right - left * left.saturating_sub(1) / 2
        } else {
            left * right
        }
    }
}

/// Passes the distances of pairs of blocks to a sink, the lower block first. `stage` is the name of
/// the sweep in progress reports.
///
/// # Errors
/// [`crate::Error::Cancelled`]; errors of the sink.
pub(super) fn sweep<R: BlockDistances, S: BlockSink<R::Distance>>(
    rows: &R,
    blocks: Blocks,
    pairs: &BlockPairs,
    stage: &str,
    sink: &S,
    run: &Run,
) -> Result<ControlFlow<()>> {
    run.progress().start(stage, pairs.count() as u64);
    // An error without a cause ends the sweep.
    let visit = |state: &mut (Vec<R::Distance>, R::Scratch, S::Buffers), (a, b)| {
        run.check().map_err(Some)?;
        let (out, scratch, buffers) = state;
        if a == b {
            rows.square(blocks.panels(a), out, scratch);
        } else {
            rows.block(blocks.panels(a), blocks.panels(b), out, scratch);
        }
        let flow = sink.take((a, b), out.as_chunks::<TILE>().0, buffers).map_err(Some)?;
        run.progress().advance(1);
        if flow.is_break() { Err(None) } else { Ok(()) }
    };
    let result = run.install(|| {
        // Visits one pair for every block first; no two of these pairs share a block.
        let BlockPairs { left, right } = pairs;
        let first = |a: usize| right.start + (a - left.start);
        let mut firsts = left.start..left.end.min(left.start + right.len());
        parallel::in_order(&mut firsts, &|state, a| visit(state, (a, first(a))))?;
        let bytes = rows.bytes(blocks.size);
        for square in squares(left.clone(), right.clone(), bytes, run.memory()) {
            let of_run = |state: &mut _, (a, others): (usize, Range<usize>)| {
                let mut others = others.filter(|&b| b != first(a));
                others.try_for_each(|b| visit(state, (a, b)))
            };
            parallel::in_order(&mut runs_of(square), &of_run)?;
        }
        Ok(())
    });
    run.progress().finish();
    match result {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(None) => Ok(ControlFlow::Break(())),
        Err(Some(error)) => Err(error),
    }
}

/// The sink of one part: it receives one pair of blocks after the other.
pub(crate) trait PartSink {
    /// Reused memory of one worker.
    type Buffers: Default + Send;

    /// Its result.
    type Found: Send;

    /// Whether a pair of blocks can still matter, after the pairs before it.
    fn wants(&self, _pair: (usize, usize)) -> bool {
        true
    }

    /// Compares two blocks: one of the part, and one that it meets.
    fn take(&mut self, pair: (usize, usize), buffers: &mut Self::Buffers);

    /// The result, after the last pair.
    fn finish(self) -> Self::Found;
}

/// Blocks of rows by parts.
#[derive(Debug)]
pub(crate) struct BlockParts {
    parts: Vec<Vec<usize>>,
    /// Rows of every block, the unit of progress; empty if progress is not reported.
    rows: Vec<u64>,
}

impl BlockParts {
    /// One part per block, such as a block of query rows.
    pub(crate) fn each(blocks: usize) -> Self {
        Self::consecutive(blocks, blocks)
    }

    /// At most `most` parts of consecutive blocks.
    pub(crate) fn consecutive(blocks: usize, most: usize) -> Self {
        let per_part = blocks.div_ceil(most.max(1)).max(1);
        let parts = (0..blocks).step_by(per_part);
        let parts = parts.map(|first| (first..blocks.min(first + per_part)).collect()).collect();
        Self { parts, rows: Vec::new() }
    }

    /// At most `most` parts, to which blocks are dealt in turn. Where the first blocks meet the most others, this
    /// balances the parts.
    pub(crate) fn dealt(blocks: usize, most: usize) -> Self {
        let parts = most.min(blocks);
        let parts = (0..parts).map(|part| (part..blocks).step_by(parts).collect()).collect();
        Self { parts, rows: Vec::new() }
    }

    /// Sets the number of rows of every block, to report progress.
    pub(crate) fn with_rows(self, rows: impl Iterator<Item = usize>) -> Self {
        Self { rows: rows.map(|rows| rows as u64).collect(), ..self }
    }
}

/// Visits the blocks of every part, each with the `others` that it meets, and returns the results
/// of the parts in order. Only the sink interprets the indices of the others.
///
/// The caller reports the start and the end of the work.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn sweep_parts<S: PartSink, O: IntoIterator<Item = usize>>(
    blocks: &BlockParts,
    others: impl Fn(usize) -> O + Sync,
    begin: impl Fn(usize) -> S + Sync,
    run: &Run,
) -> Result<Vec<S::Found>> {
    let part = |buffers: &mut S::Buffers, (part, own): (usize, &Vec<usize>)| {
        let mut sink = begin(part);
        for &block in own {
            run.check()?;
            for other in others(block) {
                if sink.wants((block, other)) {
                    sink.take((block, other), buffers);
                }
            }
            blocks.rows.get(block).iter().for_each(|&&rows| run.progress().advance(rows));
        }
        Ok(sink.finish())
    };
    run.install(|| parallel::try_map_with(blocks.parts.iter().enumerate(), part))
}

/// As [`sweep_parts`], for sums over all pairs: `add` adds one pair to the sums of its part, with reused memory.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn add_parts<S: Send, B: Default + Send, O: IntoIterator<Item = usize>>(
    blocks: &BlockParts,
    others: impl Fn(usize) -> O + Sync,
    begin: impl Fn(usize) -> S + Sync,
    add: impl Fn(&mut S, (usize, usize), &mut B) + Sync,
    run: &Run,
) -> Result<Vec<S>> {
    let sink = |part| Adding { sums: begin(part), add: &add, buffers: PhantomData };
    sweep_parts(blocks, others, sink, run)
}

struct Adding<'s, S, B, F> {
    sums: S,
    add: &'s F,
    buffers: PhantomData<B>,
}

impl<S, B, F> PartSink for Adding<'_, S, B, F>
where
    S: Send,
    B: Default + Send,
    F: Fn(&mut S, (usize, usize), &mut B),
{
    type Buffers = B;
    type Found = S;

    fn take(&mut self, pair: (usize, usize), buffers: &mut B) {
        (self.add)(&mut self.sums, pair, buffers);
    }

    fn finish(self) -> S {
        self.sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::CancelFlag;

    /// Every part visits its blocks in order, each with the blocks that it meets in order, with any
    /// number of threads.
    #[test]
    fn parts_come_back_in_their_order() {
        let pairs = |parts: &BlockParts, threads| {
            let run = Run::new(Some(threads)).unwrap();
            let add = |seen: &mut Vec<(usize, usize)>, pair, (): &mut ()| seen.push(pair);
            add_parts(parts, |block| block..5, |_| Vec::new(), add, &run).unwrap()
        };
        let of = |blocks: &[usize]| -> Vec<(usize, usize)> {
            blocks.iter().flat_map(|&a| (a..5).map(move |b| (a, b))).collect()
        };
        for threads in [1, 3] {
            assert_eq!(
                pairs(&BlockParts::each(5), threads),
                [0, 1, 2, 3, 4].map(|block| of(&[block]))
            );
            assert_eq!(
                pairs(&BlockParts::consecutive(5, 2), threads),
                [of(&[0, 1, 2]), of(&[3, 4])]
            );
            assert_eq!(pairs(&BlockParts::dealt(5, 2), threads), [of(&[0, 2, 4]), of(&[1, 3])]);
            assert!(pairs(&BlockParts::dealt(0, 2), threads).is_empty());
        }
    }

    #[test]
    fn a_cancelled_sweep_says_so() {
        let flag = CancelFlag::new();
        let run = Run::new(Some(1)).unwrap().with_cancel(flag.clone());
        flag.cancel();
        let parts = BlockParts::each(3);
        let add = |_: &mut (), _, (): &mut ()| ();
        assert!(add_parts(&parts, |_| [0], |_| (), add, &run).is_err());
    }
}
