//! By what data are known again.

use rayon::prelude::*;

use crate::data::{Classes, Column, Table, Target, Values};
use crate::error::Result;
use crate::run::{Run, finalized};

/// Words that are taken at a time, each by a hash of its own: the processor works on all of them at once.
const LANES: usize = 4;

/// A number of some words, by which contents are known again: a multiplicative hash, a word at a time,
/// finished by the finalizer of SplitMix64. It is no protection against intent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Print(u64);

impl Print {
    pub(super) fn new() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }

    pub(super) fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Some items of a word each, and how many.
    fn words<T: Copy>(&mut self, items: &[T], word: impl Fn(T) -> u64) {
        let (rounds, rest) = items.as_chunks::<LANES>();
        let mut lanes = [(); LANES].map(|()| Self::new());
        for round in rounds {
            lanes.iter_mut().zip(round).for_each(|(lane, item)| lane.word(word(*item)));
        }
        lanes.iter().for_each(|lane| self.word(lane.0));
        rest.iter().for_each(|item| self.word(word(*item)));
        self.word(items.len() as u64);
    }

    /// Some bytes, and how many.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        self.words(words, u64::from_le_bytes);
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    pub(super) fn number(self) -> u64 {
        finalized(self.0)
    }
}

/// That of every column: name, kind and values.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn of_columns(table: &Table<'_>, run: &Run) -> Result<Vec<u64>> {
    let of_column = |memory: &mut Vec<f64>, column: &Column<'_>| {
        run.check()?;
        let mut print = Print::new();
        print.bytes(column.name().as_bytes());
        print.bytes(column.kind().name().as_bytes());
        match column.values() {
            Values::Genotype(genotypes) => print.bytes(&genotypes.to_bytes()),
            values => {
                if let Values::Categorical(categories) = values {
                    categories.levels().iter().for_each(|level| print.bytes(level.as_bytes()));
                }
                column.copy_values(memory);
                print.words(memory, f64::to_bits);
            }
        }
        Ok(print.number())
    };
    run.install(|| table.columns().par_iter().map_init(Vec::new, of_column).collect())
}

/// That of a target.
pub(super) fn of_target(target: &Target) -> u64 {
    let mut print = Print::new();
    match target {
        Target::Classes(classes) => add_classes(classes, &mut print),
        Target::Real(values) => print.words(values, f64::to_bits),
    }
    print.number()
}

/// That of groups of rows.
pub(super) fn of_classes(classes: &Classes) -> u64 {
    let mut print = Print::new();
    add_classes(classes, &mut print);
    print.number()
}

fn add_classes(classes: &Classes, print: &mut Print) {
    classes.names().iter().for_each(|name| print.bytes(name.as_bytes()));
    print.words(classes.codes(), u64::from);
}
