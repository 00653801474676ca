//! Contiguous values, owned or borrowed.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use basrelief_kernels::Plain;

use crate::memory::PossiblyMapped;

/// Contiguous values: owned, borrowed, or a part of an array that several columns share.
#[derive(Clone)]
pub struct Contiguous<'a, T: Plain>(Held<'a, T>);

#[derive(Clone)]
enum Held<'a, T> {
    Owned(Vec<T>),
    Borrowed(&'a [T]),
    Part(Arc<PossiblyMapped<T>>, Range<usize>),
}

impl<T: Plain> Contiguous<'_, T> {
    /// Splits an array into consecutive parts of `length` values.
    pub(super) fn parts_of(whole: PossiblyMapped<T>, length: usize) -> Vec<Contiguous<'static, T>> {
        let whole = Arc::new(whole);
        let starts = (0..whole.len()).step_by(length.max(1));
        starts.map(|at| Contiguous(Held::Part(Arc::clone(&whole), at..at + length))).collect()
    }

    /// The values as a vector that can grow. They are copied unless they are owned.
    #[inline]
    pub(super) fn to_mut(&mut self) -> &mut Vec<T> {
        if !matches!(self.0, Held::Owned(_)) {
            self.0 = Held::Owned(self.to_vec());
        }
        match &mut self.0 {
            Held::Owned(values) => values,
            Held::Borrowed(_) | Held::Part(..) => unreachable!("owned since the line above"),
        }
    }
}

impl<T: Plain> Deref for Contiguous<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Held::Owned(values) => values,
            Held::Borrowed(values) => values,
            Held::Part(whole, part) => &whole[part.clone()],
        }
    }
}

impl<T: Plain> From<Vec<T>> for Contiguous<'_, T> {
    fn from(values: Vec<T>) -> Self {
        Self(Held::Owned(values))
    }
}

impl<'a, T: Plain> From<&'a [T]> for Contiguous<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Self(Held::Borrowed(values))
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for Contiguous<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}
