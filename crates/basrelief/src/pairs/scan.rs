//! Visits all pairs of many features, block by block, on all threads.

use std::ops::Range;

use super::strongest::{Found, Limit, Strongest, Tally};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Number of features of one block; a task visits the pairs of two blocks. Blocks are small where a pair is costly, so that
/// there is work for all threads and the run can be cancelled soon.
pub(super) const FEATURES_OF_BLOCK: usize = 32;
pub(super) const FEATURES_OF_SMALL_BLOCK: usize = 4;

/// The results of one worker.
pub(super) struct Seen<'l> {
    strongest: Strongest,
    tally: Option<Tally>,
    limit: &'l Limit,
}

impl Seen<'_> {
    /// Counts a pair whose p-value is at least `bound`. Returns whether it may be one of the strongest.
    pub(super) fn may_count(&mut self, bound: f64) -> bool {
        self.tally.iter_mut().for_each(|tally| tally.add(bound));
        bound <= self.limit.get()
    }

    /// Adds a pair that may be one of the strongest.
    pub(super) fn add(&mut self, found: Found) {
        if found.p_value <= self.limit.get() {
            self.strongest.add(found, self.limit);
        }
    }

    fn merge(self, other: Self) -> Self {
        let tally = match (self.tally, &other.tally) {
            (Some(one), Some(other)) => Some(one.merge(other)),
            (one, _) => one,
        };
        let strongest = self.strongest.merge(other.strongest, self.limit);
        Self { strongest, tally, limit: self.limit }
    }
}

/// Returns at most `most` of the strongest pairs in order and, if `tallied`, the tally of all pairs.
///
/// `visit` receives the state that `worker` creates, a feature, and the features with which it is paired. The pairs
/// found do not depend on threads, because their order is strict. `features` is the number of features, and the number of
/// those of a block.
///
/// # Errors
/// The errors of `visit`; [`crate::Error::Cancelled`].
pub(super) fn scan<W: Send>(
    (features, of_block): (usize, usize),
    most: usize,
    tallied: bool,
    run: &Run,
    worker: impl Fn() -> W + Sync,
    visit: impl Fn(&mut W, usize, Range<usize>, &mut Seen<'_>) -> Result<()> + Sync,
) -> Result<(Vec<Found>, Option<Tally>)> {
    let limit = Limit::new();
    let nothing = || Seen {
        strongest: Strongest::new(most),
        tally: tallied.then(Tally::default),
        limit: &limit,
    };
    let pairs = 0..pairs_of_blocks(features, of_block);
    let start = || (nothing(), worker());
    let visit_blocks = |(seen, worker): &mut (Seen<'_>, W), pair: usize| {
        run.check()?;
        let (firsts, seconds) = blocks(pair, features, of_block);
        for first in firsts {
            let others = seconds.start.max(first + 1)..seconds.end;
            if !others.is_empty() {
                run.progress().advance(others.len() as u64);
                visit(worker, first, others, seen)?;
            }
        }
        Ok(())
    };
    let found = run.install(|| {
        parallel::try_fold(pairs, start, visit_blocks, |(seen, worker), (other, _)| {
            (seen.merge(other), worker)
        })
    });
    let (seen, _) = found?;
    Ok((seen.strongest.into_sorted(&limit), seen.tally))
}

/// The number of pairs of blocks of features.
fn pairs_of_blocks(features: usize, of_block: usize) -> usize {
    let blocks = features.div_ceil(of_block);
    blocks * (blocks + 1) / 2
}

/// The features of the two blocks of a pair; the first block precedes the second or is the same.
fn blocks(pair: usize, features: usize, of_block: usize) -> (Range<usize>, Range<usize>) {
    // The pairs of the block `second` follow those of all blocks before it. The root may be rounded.
    let mut second = (((8.0 * pair as f64 + 1.0).sqrt() - 1.0) / 2.0) as usize;
    while second * (second + 1) / 2 > pair {
        second -= 1;
    }
    while (second + 1) * (second + 2) / 2 <= pair {
        second += 1;
    }
    let block = |number: usize| number * of_block..features.min((number + 1) * of_block);
    (block(pair - second * (second + 1) / 2), block(second))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_pair_is_seen_once() {
        let run = Run::new(Some(3)).unwrap();
        for features in [0, 1, 2, FEATURES_OF_BLOCK, 3 * FEATURES_OF_BLOCK + 1] {
            let all = Mutex::new(Vec::new());
            let (found, tally) = scan(
                (features, FEATURES_OF_BLOCK),
                1,
                true,
                &run,
                || (),
                |(), first, others, seen| {
                    for second in others {
                        all.lock().unwrap().push((first, second));
                        seen.may_count(0.5);
                    }
                    Ok(())
                },
            )
            .unwrap();
            let mut all = all.into_inner().unwrap();
            all.sort_unstable();
            let pairs = |first| (first + 1..features).map(move |second| (first, second));
            assert!(all.into_iter().eq((0..features).flat_map(pairs)));
            assert!(found.is_empty());
            assert_eq!(tally.unwrap().tested, (features * features.saturating_sub(1) / 2) as u64);
        }
    }
}
