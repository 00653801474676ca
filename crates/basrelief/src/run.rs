//! The environment of a computation: threads, seed, memory, progress and cancellation. It is passed in and never
//! global.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use basrelief_kernels::{Level, LevelError, Plain, chosen_level};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result, shorten};
use crate::memory::{Memory, MemoryUse, PossiblyMapped};
use crate::parallel;

/// Receives the progress of long computations.
///
/// The calls come from worker threads, so implementations must be fast.
pub trait Progress: Send + Sync {
    /// A stage of `total` units starts.
    fn start(&self, stage: &str, total: u64);
    /// `units` more units of the current stage are done.
    fn advance(&self, units: u64);
    /// The current stage is finished.
    fn finish(&self);
    /// The work that starts needs at most this number of bytes in addition to the data. Does nothing by default.
    fn memory(&self, _bytes: u64) {}
    /// This number of bytes does not fit in memory and is stored in a file in the folder. Does nothing by
    /// default.
    fn file(&self, _bytes: u64, _folder: &Path) {}
}

/// A receiver that ignores progress.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn finish(&self) {}
}

/// A flag with which any thread can stop the work at the next block.
#[derive(Debug, Default, Clone)]
pub struct CancelFlag {
    is_raised: Arc<AtomicBool>,
    polls: Arc<AtomicU64>,
}

impl CancelFlag {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests that the work stop.
    pub fn cancel(&self) {
        self.is_raised.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.is_raised.load(Ordering::Relaxed)
    }

    /// How often [`is_cancelled`](Self::is_cancelled) was called.
    pub fn polls(&self) -> u64 {
        self.polls.load(Ordering::Relaxed)
    }
}

/// The largest number of threads, above the number of cores of any machine, so that a typing error cannot exhaust
/// the system.
const MOST_THREADS: usize = 4096;

/// The environment variable that forces an instruction set: `portable`, `avx2` or `avx512`.
pub(crate) use basrelief_kernels::VARIABLE as SIMD_VARIABLE;

/// The error for a forced instruction set that cannot be used.
fn wrong_level(error: LevelError) -> Error {
    let available = Level::ALL.into_iter().filter(|level| level.is_available());
    let names = available.map(Level::name).collect::<Vec<_>>().join(", ");
    let problem = match error {
        LevelError::Unknown(name) => format!("`{}` is not an instruction set", shorten(&name, 40)),
        LevelError::Unavailable(level) => {
            format!("this machine does not support `{}`", level.name())
        }
    };
    Error::option(SIMD_VARIABLE, problem, format!("unset it, or set it to one of: {names}"))
}

/// The threads of a run. Later runs can reuse them, which saves the time to start new ones.
#[derive(Debug, Clone)]
pub struct Threads(Arc<ThreadPool>);

impl Threads {
    /// The default number of threads: one per available core.
    pub fn available() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Starts `count` threads (`None`: one per available core).
    ///
    /// # Errors
    /// The count is 0 or more than 4096, or the operating system refuses the threads.
    pub fn start(count: Option<usize>) -> Result<Self> {
        let threads = match count {
            Some(0) => {
                return Err(Error::option(
                    "threads",
                    "0 threads cannot do any work",
                    "give 1 or more, or omit the option to use every core",
                ));
            }
            Some(count) if count > MOST_THREADS => {
                return Err(Error::option(
                    "threads",
                    format!("{count} threads are more than any machine can use"),
                    format!("give at most {MOST_THREADS}, or omit the option to use every core"),
                ));
            }
            Some(count) => count,
            None => Self::available(),
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("basrelief-{index}"))
            .build()
            .map_err(|cause| {
                Error::option(
                    "threads",
                    format!("{threads} threads could not be started ({cause})"),
                    "give a smaller number",
                )
            })?;
        Ok(Self(Arc::new(pool)))
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Whether no run and no other copy uses these threads.
    pub fn are_idle(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// The environment of one fit.
///
/// The results of a fit depend on `seed`, but never on the number of threads or the memory limit.
pub struct Run {
    threads: Threads,
    seed: u64,
    progress: Arc<dyn Progress>,
    cancel: CancelFlag,
    memory: Memory,
    routes: Vec<String>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("threads", &self.threads())
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Creates a run on `threads` threads (`None`: one per available core) with seed 0, without progress,
    /// and with the available memory as its limit (see [`Memory::available`]).
    ///
    /// # Errors
    /// `threads` is 0 or more than 4096, or the operating system refuses the threads; the
    /// environment variable `BASRELIEF_SIMD` does not name an instruction set of this machine, or
    /// `BASRELIEF_MEMORY` does not contain a number of bytes.
    pub fn new(threads: Option<usize>) -> Result<Self> {
        Self::on(Threads::start(threads)?)
    }

    /// Creates a run on existing threads.
    ///
    /// # Errors
    /// An invalid environment variable, as in [`Run::new`].
    pub fn on(threads: Threads) -> Result<Self> {
        chosen_level().map_err(wrong_level)?;
        Ok(Self {
            threads,
            seed: 0,
            progress: Arc::new(Silent),
            cancel: CancelFlag::new(),
            memory: Memory::available()?,
            routes: Vec::new(),
        })
    }

    /// Sets the seed of all random choices.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the receiver of progress.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the cancellation flag.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancelFlag) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets the memory limit.
    #[must_use]
    pub fn with_memory(mut self, memory: Memory) -> Self {
        self.memory = memory;
        self
    }

    /// Requests routes by name, for tests and comparisons. Plans use them where possible. Results are the same, up to
    /// rounding.
    ///
    /// For searches, the names are those of [`crate::neighbors::NearestRoute`] and
    /// [`crate::neighbors::RadiusRoute`], and `recomputed` (distances within a radius are not stored). For sums, they
    /// are `weighed bits` (no differences are counted as bits), `pairs by row` (every pair is visited separately for
    /// its two directions), `corrections looked up` (pair by pair) and `targets one by one`.
    #[must_use]
    pub fn with_routes<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.routes = names.into_iter().map(Into::into).collect();
        self
    }

    /// The same run, with additional requested routes.
    pub(crate) fn asking_for(&self, routes: &[&str]) -> Self {
        let more = routes.iter().map(|route| (*route).to_string());
        let routes = self.routes.iter().cloned().chain(more).collect();
        let (threads, progress) = (self.threads.clone(), Arc::clone(&self.progress));
        let (cancel, memory) = (self.cancel.clone(), self.memory.clone());
        Self { threads, seed: self.seed, progress, cancel, memory, routes }
    }

    /// The requested routes.
    pub(crate) fn routes(&self) -> &[String] {
        &self.routes
    }

    /// A run for a part of this run's work. It has the same threads, memory limit and cancellation
    /// flag, but a separate seed, and it reports no progress, because this run reports that of all parts.
    #[must_use]
    pub fn part(&self, seed: u64) -> Self {
        let (threads, cancel) = (self.threads.clone(), self.cancel.clone());
        let (memory, routes) = (self.memory.clone(), self.routes.clone());
        Self { threads, seed, progress: Arc::new(Silent), cancel, memory, routes }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The number of items, out of `count`, for one task: at most `most`, and fewer if threads would
    /// otherwise be idle.
    pub(crate) fn share_of(&self, count: usize, most: usize) -> usize {
        count.div_ceil(self.threads()).clamp(1, most)
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The memory limit.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Creates `len` zeros in memory or, if they do not fit, in a file, which is reported to the
    /// receiver of progress.
    ///
    /// # Errors
    /// There is not enough space for the file.
    pub(crate) fn zeros<T: Plain + Default>(&self, len: usize) -> Result<PossiblyMapped<T>> {
        if self.memory.holds((len as u64).saturating_mul(size_of::<T>() as u64)) {
            Ok(PossiblyMapped::in_memory(len, MemoryUse::Whole))
        } else {
            let scratch = self.memory.scratch(len)?;
            self.progress.file((len * size_of::<T>()) as u64, self.memory.folder());
            Ok(PossiblyMapped::InFile(scratch))
        }
    }

    /// The receiver of progress.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Runs `work` on this run's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.switch_to(&mut || result = work.take().map(|work| work()));
        // `switch_to` returns when the work is done, and passes its panics on.
        result.expect("the work is done")
    }

    /// [`install`](Self::install), compiled once for all kinds of work.
    fn switch_to(&self, work: &mut (dyn FnMut() + Send)) {
        self.threads.0.install(work);
    }

    /// Runs `work` on this run's threads, and `watch` on the calling thread at the same time. `watch` can
    /// wait for the result of the work, or for the reason if the work panics.
    pub fn beside<R: Send, T>(
        &self,
        work: impl FnOnce() -> R + Send,
        watch: impl FnOnce(&Receiver<std::thread::Result<R>>) -> T,
    ) -> T {
        let (send, receive) = channel();
        self.threads.0.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // Sending fails if `watch` has already returned.
                let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
            });
            watch(&receive)
        })
    }

    /// Does `work` on this run's threads, while the calling thread calls `seen` every `interval` with the stage of the
    /// work, if it has begun one. If `seen` returns an error, the work is cancelled, and the error is returned when the
    /// work has stopped. The progress and the cancellation flag of this run are replaced.
    ///
    /// # Errors
    /// The outer error is that of `seen`, the inner one that of the work; a panic is [`Error::Internal`].
    pub fn watched<T: Send, E>(
        self,
        interval: Duration,
        mut seen: impl FnMut(Option<&Stage>) -> std::result::Result<(), E>,
        work: impl FnOnce(&Run) -> Result<T> + Send,
    ) -> std::result::Result<Result<T>, E> {
        let (cancel, shared) = (CancelFlag::new(), Arc::new(SharedStage::default()));
        let run = self.with_cancel(cancel.clone()).with_progress(shared.clone());
        // The complete work runs on the threads of the run: switching to them and back for every part
        // takes longer than a small fit.
        run.beside(
            || work(&run),
            |receive| {
                let mut raised = None;
                let result = loop {
                    match receive.recv_timeout(interval) {
                        Ok(Ok(result)) => break result,
                        Ok(Err(panic)) => break Err(Error::Internal(panic_message(panic))),
                        Err(RecvTimeoutError::Disconnected) => {
                            let lost = "the work ended without a result".to_string();
                            break Err(Error::Internal(lost));
                        }
                        Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                        Err(RecvTimeoutError::Timeout) => {
                            if let Err(error) = seen(shared.stage().as_ref()) {
                                cancel.cancel();
                                raised = Some(error);
                            }
                        }
                    }
                };
                raised.map_or(Ok(result), Err)
            },
        )
    }

    /// Stops the work if it was cancelled.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// A stage of work in progress.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// What is done, in words.
    pub name: String,
    /// The units of work that are done.
    pub done: u64,
    /// The units of work in total.
    pub total: u64,
}

/// The stage of work that the watching thread reads, so that threads at work never wait for it.
#[derive(Default)]
struct SharedStage {
    name: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Progress for SharedStage {
    fn start(&self, stage: &str, total: u64) {
        *parallel::lock(&self.name) = stage.to_string();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn finish(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl SharedStage {
    fn stage(&self) -> Option<Stage> {
        let name = parallel::lock(&self.name).clone();
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (!name.is_empty()).then_some(Stage { name, done, total })
    }
}

fn panic_message(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Derives the seed of one part from the seed of an experiment and the place of the part in it.
///
/// Every number is mixed in by the finalizer of SplitMix64 (Steele et al. 2014), so that
/// neighboring parts have unrelated seeds and a part's seed does not depend on which other parts
/// are run.
pub fn derived_seed(seed: u64, place: &[u64]) -> u64 {
    place.iter().fold(mixed(seed), |state, &number| mixed(state ^ number))
}

fn mixed(number: u64) -> u64 {
    finalized(number.wrapping_add(0x9E37_79B9_7F4A_7C15))
}

/// The finalizer of SplitMix64: every bit of the number affects all bits of the result.
pub(crate) fn finalized(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_first_number_is_that_of_splitmix64() {
        // The published first output of the generator seeded with 0.
        assert_eq!(mixed(0), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn threads_are_idle_when_their_run_is_over() {
        let threads = Threads::start(Some(2)).unwrap();
        assert!(threads.are_idle());
        let run = Run::on(threads.clone()).unwrap();
        let part = run.part(1);
        assert_eq!((run.threads(), part.threads()), (2, 2));
        drop(run);
        assert!(!threads.are_idle());
        drop(part);
        assert!(threads.are_idle());
    }

    #[test]
    fn places_have_seeds_of_their_own() {
        let mut seen = HashSet::new();
        for seed in 0..3 {
            for a in 0..20 {
                for b in 0..20 {
                    assert!(seen.insert(derived_seed(seed, &[a, b])));
                }
            }
            assert!(seen.insert(derived_seed(seed, &[5])));
        }
    }
}
