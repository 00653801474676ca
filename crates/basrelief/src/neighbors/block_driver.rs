//! One sweep over the distances of all pairs of blocks of rows: what computes them hands tiles to what
//! takes them.
//!
//! A new way to compute distances implements [`BlockDistances`], a new use of them [`BlockSink`].

use std::ops::{ControlFlow, Range};

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

/// Which pairs of blocks are of interest.
#[derive(Debug, Clone, Copy)]
pub(super) enum BlockPairs {
    /// Those of the first so many blocks with themselves, and then with all that follow.
    Upper(usize),
    /// Those of the first so many blocks with all others; first of one with one, as far as they go.
    Between(usize),
}

/// Hands the distances of pairs of blocks to a sink, the lower block first. `stage` is what progress calls
/// it.
///
/// # Errors
/// [`crate::Error::Cancelled`]; what the sink says.
pub(super) fn sweep<R: BlockDistances, S: BlockSink<R::Distance>>(
    rows: &R,
    blocks: Blocks,
    pairs: BlockPairs,
    stage: &str,
    sink: &S,
    run: &Run,
) -> Result<ControlFlow<()>> {
    let count = match pairs {
        BlockPairs::Upper(queries) => (0..queries).map(|a| blocks.count() - a).sum(),
        BlockPairs::Between(left) => left * (blocks.count() - left),
    };
    run.progress().start(stage, count as u64);
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
        let (queries, first) = match pairs {
            BlockPairs::Upper(queries) => (queries, 0),
            BlockPairs::Between(left) => (left, left),
        };
        (0..queries.min(blocks.count() - first))
            .into_par_iter()
            .map_init(Default::default, |state, a| visit(state, (a, first + a)))
            .try_for_each(go_on)?;
        let bytes = rows.bytes(blocks.size);
        for square in squares(queries, blocks.count(), bytes, run.memory()) {
            pairs_of(square)
                .filter(|&(a, b)| b >= first && b != first + a)
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
