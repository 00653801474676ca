//! One sweep over the distances of all pairs of blocks of rows: what computes them hands tiles to what
//! takes them.
//!
//! A new way to compute distances implements [`BlockDistances`], a new use of them [`BlockSink`].

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use basrelief_kernels::{LANES, TILE, panels};
use rayon::prelude::*;

use super::block_order::{pairs_of, squares};
use crate::error::Result;
use crate::run::Run;

/// Rows in an order of their own, cut into blocks of as many rows each, whole panels, but the last.
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

    /// The place of a pair of blocks among [all](Self::pairs).
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

    /// Bytes that so many packed rows take.
    fn bytes(&self, rows: usize) -> u64;

    /// Replaces `out` by the distances of two runs of panels, tiled; places beyond the last row have
    /// distances of no meaning.
    fn block(
        &self,
        a: Range<usize>,
        b: Range<usize>,
        out: &mut Vec<Self::Distance>,
        scratch: &mut Self::Scratch,
    );

    /// As [`block`](Self::block) of a run of panels with itself, for which half is enough.
    fn square(
        &self,
        run: Range<usize>,
        out: &mut Vec<Self::Distance>,
        scratch: &mut Self::Scratch,
    ) {
        self.block(run.clone(), run, out, scratch);
    }
}

/// What takes the distances of pairs of blocks; many threads do so at once, each another pair.
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

/// Which pairs of blocks are of interest: every block of `left` with every one of `right` that is not below it.
/// The two are the same from their start on, or apart.
#[derive(Debug, Clone)]
pub(super) struct BlockPairs {
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
}

impl BlockPairs {
    /// The first so many of some blocks with all of them.
    pub(super) fn upper(queries: usize, blocks: Blocks) -> Self {
        Self { left: 0..queries, right: 0..blocks.count() }
    }

    /// The first so many of some blocks with all others.
    pub(super) fn between(left: usize, blocks: Blocks) -> Self {
        Self { left: 0..left, right: left..blocks.count() }
    }

    /// Whether blocks meet themselves.
    pub(super) fn have_squares(&self) -> bool {
        self.left.start == self.right.start
    }

    /// A value for every block of `left` and every one of `right`, by [`cell`](Self::cell); not yet set.
    pub(super) fn cells<T>(&self) -> Vec<OnceLock<T>> {
        (0..self.left.len() * self.right.len()).map(|_| OnceLock::new()).collect()
    }

    /// Where the value of a pair is.
    pub(super) fn cell(&self, a: usize, b: usize) -> usize {
        (a - self.left.start) * self.right.len() + b - self.right.start
    }

    /// Where that of the same pair with the second block first is: among the cells of all, or where the blocks
    /// are apart among those of the second blocks; `None` where the second is none of `left`.
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

/// Hands the distances of pairs of blocks to a sink, the lower block first. `stage` is what progress calls
/// it.
///
/// # Errors
/// [`crate::Error::Cancelled`]; what the sink says.
pub(super) fn sweep<R: BlockDistances, S: BlockSink<R::Distance>>(
    rows: &R,
    blocks: Blocks,
    pairs: &BlockPairs,
    stage: &str,
    sink: &S,
    run: &Run,
) -> Result<ControlFlow<()>> {
    run.progress().start(stage, pairs.count() as u64);
    let visit = |state: &mut (Vec<R::Distance>, R::Scratch, S::Buffers), (a, b)| {
        run.check()?;
        let (out, scratch, buffers) = state;
        if a == b {
            rows.square(blocks.panels(a), out, scratch);
        } else {
            rows.block(blocks.panels(a), blocks.panels(b), out, scratch);
        }
        let flow = sink.take((a, b), out.as_chunks::<TILE>().0, buffers)?;
        run.progress().advance(1);
        Ok(flow)
    };
    let go_on = |flow: Result<ControlFlow<()>>| match flow {
        Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
        Ok(ControlFlow::Break(())) => ControlFlow::Break(Ok(())),
        Err(error) => ControlFlow::Break(Err(error)),
    };
    let flow = run.install(|| {
        // The first pair of a block, which no two share.
        let BlockPairs { left, right } = pairs;
        let first = |a: usize| right.start + (a - left.start);
        let firsts = left.start..left.end.min(left.start + right.len());
        firsts
            .into_par_iter()
            .map_init(Default::default, |state, a| visit(state, (a, first(a))))
            .try_for_each(go_on)?;
        let bytes = rows.bytes(blocks.size);
        for square in squares(left.clone(), right.clone(), bytes, run.memory()) {
            pairs_of(square)
                .filter(|&(a, b)| b != first(a))
                .map_init(Default::default, visit)
                .try_for_each(go_on)?;
        }
        ControlFlow::Continue(())
    });
    run.progress().finish();
    match flow {
        ControlFlow::Continue(()) => Ok(ControlFlow::Continue(())),
        ControlFlow::Break(Ok(())) => Ok(ControlFlow::Break(())),
        ControlFlow::Break(Err(error)) => Err(error),
    }
}
