//! Loops whose items are independent, on the threads of the current pool ([`Run::install`](crate::Run::install)).
//!
//! All parallel loops of the library are calls of these functions. The loop itself is compiled once, and it calls the
//! work through a pointer: a loop that is compiled for one kind of work adds thousands of lines to the code that is
//! compiled.
//!
//! Threads take the next items from a queue, a few at a time, so that the loop is balanced however much work an item
//! is. Results are in the order of the items. An item should be much more work than a call (a microsecond or more).
//! Iterators are advanced by one thread at a time, and must not contain parallel loops.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::Result;

pub(crate) use rayon::join;

/// The number of times that a thread takes items from the queue, if all threads take equally often.
const TURNS: usize = 32;

/// Does `one` for every item, with the reused memory of its thread, and returns the results in order.
///
/// # Errors
/// The error of an item. Items that no thread has taken by then are left out.
pub(crate) fn try_map_with<S: Default, I: Send, T: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(&mut S, I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    in_order(&mut items.into_iter(), &one)
}

/// As [`try_map_with`], without reused memory.
pub(crate) fn try_map<I: Send, T: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    try_map_with(items, |(): &mut (), item| one(item))
}

/// As [`try_map_with`], for work that cannot fail.
pub(crate) fn map_with<S: Default, I: Send, T: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(&mut S, I) -> T + Sync,
) -> Vec<T> {
    let never = |state: &mut S, item| Ok::<T, Infallible>(one(state, item));
    let Ok(found) = in_order(&mut items.into_iter(), &never);
    found
}

/// As [`map_with`], without reused memory.
pub(crate) fn map<I: Send, T: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    map_with(items, |(): &mut (), item| one(item))
}

/// As [`try_map_with`], for work without results.
pub(crate) fn try_for_each_with<S: Default, I: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(&mut S, I) -> Result<()> + Sync,
) -> Result<()> {
    try_map_with(items, one).map(drop)
}

/// As [`try_for_each_with`], without reused memory.
pub(crate) fn try_for_each<I: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(I) -> Result<()> + Sync,
) -> Result<()> {
    try_map(items, one).map(drop)
}

/// As [`map_with`], for work without results.
pub(crate) fn for_each_with<S: Default, I: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(&mut S, I) + Sync,
) {
    map_with(items, one);
}

/// As [`map`], for work without results.
pub(crate) fn for_each<I: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    one: impl Fn(I) + Sync,
) {
    map(items, one);
}

/// Adds every item to one of some sums, which `start` creates, at most one per thread, and merges the sums. For loops in
/// which a result per item takes too much memory, and the order of additions and merges does not matter.
///
/// # Errors
/// The errors of `add`.
pub(crate) fn try_fold<I: Send, S: Send>(
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    start: impl Fn() -> S + Sync,
    add: impl Fn(&mut S, I) -> Result<()> + Sync,
    merge: impl Fn(S, S) -> S,
) -> Result<S> {
    let unused = Mutex::new(Vec::new());
    try_for_each(items, |item| {
        let known = lock(&unused).pop();
        let mut sum = known.unwrap_or_else(&start);
        add(&mut sum, item)?;
        lock(&unused).push(sum);
        Ok(())
    })?;
    Ok(into_inner(unused).into_iter().reduce(merge).unwrap_or_else(start))
}

/// Sorts keys; equal ones are interchangeable.
pub(crate) fn sort<K: Ord + Send>(keys: &mut [K]) {
    keys.par_sort_unstable();
}

/// The loop of all functions of this module, for errors of any type.
///
/// # Errors
/// As in [`try_map_with`].
pub(crate) fn in_order<S: Default, I: Send, T: Send, E: Send>(
    items: &mut (dyn Iterator<Item = I> + Send),
    one: &(dyn Fn(&mut S, I) -> std::result::Result<T, E> + Sync),
) -> std::result::Result<Vec<T>, E> {
    let queue = Queue::new(items);
    let (results, failure) = (Results::default(), Mutex::new(None));
    on_threads(queue.turns, &|| {
        let (mut state, mut taken) = (None, Vec::new());
        while let Some(first) = queue.take(&mut taken) {
            let state = state.get_or_insert_with(S::default);
            let mut found = Vec::with_capacity(taken.len());
            for item in taken.drain(..) {
                match one(state, item) {
                    Ok(result) => found.push(result),
                    Err(error) => {
                        queue.close();
                        lock(&failure).get_or_insert(error);
                        return;
                    }
                }
            }
            results.add(first, found);
        }
    });
    into_inner(failure).map_or_else(|| Ok(results.into_vec()), Err)
}

/// Calls `work` on at most `most` threads.
fn on_threads(most: usize, work: &(dyn Fn() + Sync)) {
    match most.min(rayon::current_num_threads()) {
        0 | 1 => work(),
        workers => (0..workers).into_par_iter().with_max_len(1).for_each(|_| work()),
    }
}

/// Items of which threads take some at a time.
struct Queue<'i, I> {
    /// The number of the next item, and the items from it on.
    rest: Mutex<(usize, &'i mut (dyn Iterator<Item = I> + Send))>,
    /// How many are taken at a time.
    together: usize,
    /// How often items are taken; at most this number of threads has something to do.
    turns: usize,
    is_closed: AtomicBool,
}

impl<'i, I> Queue<'i, I> {
    fn new(items: &'i mut (dyn Iterator<Item = I> + Send)) -> Self {
        let (least, most) = items.size_hint();
        let together = (least / (TURNS * rayon::current_num_threads())).max(1);
        let turns = most.map_or(usize::MAX, |most| most.div_ceil(together));
        Self { rest: Mutex::new((0, items)), together, turns, is_closed: AtomicBool::new(false) }
    }

    /// Takes the next items, and returns the number of the first, or `None` if there are no more.
    fn take(&self, taken: &mut Vec<I>) -> Option<usize> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let mut rest = lock(&self.rest);
        let first = rest.0;
        let items: &mut (dyn Iterator<Item = I> + Send) = &mut *rest.1;
        taken.extend(items.take(self.together));
        rest.0 += taken.len();
        (!taken.is_empty()).then_some(first)
    }

    /// Lets no thread take further items.
    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

/// Results of consecutive items, each with the number of the first, in any order.
struct Results<T>(Mutex<Vec<(usize, Vec<T>)>>);

impl<T> Default for Results<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Results<T> {
    fn add(&self, first: usize, found: Vec<T>) {
        lock(&self.0).push((first, found));
    }

    fn into_vec(self) -> Vec<T> {
        let mut parts = into_inner(self.0);
        if parts.len() == 1 {
            return parts.pop().map(|(_, found)| found).unwrap_or_default();
        }
        let order = ascending(parts.iter().map(|&(first, _)| first).collect());
        let mut all = Vec::with_capacity(parts.iter().map(|(_, found)| found.len()).sum());
        for part in order {
            all.append(&mut parts[part].1);
        }
        all
    }
}

/// The places of the numbers in ascending order.
fn ascending(numbers: Vec<usize>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_unstable_by_key(|&place| numbers[place]);
    places
}

/// Locks a value that threads share. A panic of another thread is passed on by its loop, so that nothing that it left is
/// used.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value that threads shared; see [`lock`].
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::{Error, Run};

    #[test]
    fn results_are_in_order_for_any_number_of_items_and_threads() {
        for threads in [1, 2, 5] {
            let run = Run::new(Some(threads)).unwrap();
            for count in [0, 1, 2, 31, 64, 1000, 12_345] {
                let squares = run.install(|| map(0..count, |item| item * item));
                assert_eq!(squares, (0..count).map(|item| item * item).collect::<Vec<usize>>());
                // An iterator that does not know its length.
                let even = (0..count).filter(|item| item % 2 == 0);
                let found = run.install(|| map(even.clone(), |item| item));
                assert_eq!(found, even.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_thread_has_memory_of_its_own() {
        let run = Run::new(Some(3)).unwrap();
        let turns = run.install(|| {
            map_with(0..1000, |used: &mut usize, _| {
                *used += 1;
                *used
            })
        });
        let firsts = turns.iter().filter(|&&turn| turn == 1).count();
        assert!((1..=3).contains(&firsts), "{firsts}");
    }

    #[test]
    fn parts_of_slices_are_written_and_loops_can_be_nested() {
        let run = Run::new(Some(4)).unwrap();
        let mut values = vec![0; 5000];
        run.install(|| {
            for_each(values.chunks_mut(77).enumerate(), |(part, values)| {
                for_each(values.iter_mut().enumerate(), |(place, value)| {
                    *value = part * 77 + place
                });
            });
        });
        assert!(values.iter().enumerate().all(|(place, &value)| place == value));
    }

    #[test]
    fn an_error_ends_the_loop() {
        let run = Run::new(Some(2)).unwrap();
        let done = AtomicUsize::new(0);
        let result = run.install(|| {
            try_map(0..1_000_000, |item| {
                done.fetch_add(1, Ordering::Relaxed);
                if item == 1000 { Err(Error::Cancelled) } else { Ok(item) }
            })
        });
        assert!(matches!(result, Err(Error::Cancelled)));
        assert!(done.into_inner() < 1_000_000);
    }

    #[test]
    #[should_panic(expected = "item 500")]
    fn a_panic_reaches_the_caller() {
        let run = Run::new(Some(2)).unwrap();
        run.install(|| for_each(0..1000, |item| assert!(item != 500, "item {item}")));
    }
}
