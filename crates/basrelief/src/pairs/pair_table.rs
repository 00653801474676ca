//! The table of a pair of features: what the target is in every combination of their levels.

use super::chosen::chosen;
use super::levels::{Level, Levels, MISSING};
use super::summaries::TargetSummary;
use crate::data::{Table, Target};
use crate::error::Result;

/// The rows of a pair of features by the levels of both, as [`Interactions`](super::Interactions) take them: of
/// numbers bins, of many categories the most frequent.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The two features, by their places in the table.
    pub features: (usize, usize),
    /// The first feature's levels.
    pub first: Vec<Level>,
    /// The second feature's levels.
    pub second: Vec<Level>,
    /// Rows in which both are known: those in the cells.
    pub rows: usize,
    /// Rows in which one of them is missing.
    pub missing: usize,
    /// What is in the cells: one per level of the first and level of the second, row by row.
    pub cells: Cells,
}

/// The cells of a table of two features.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// With a target of classes.
    Classes {
        /// The classes.
        names: Vec<String>,
        /// Per cell the rows of every class.
        counts: Vec<Vec<usize>>,
    },
    /// With a real target: its values in every cell.
    Real(Vec<TargetSummary>),
}

impl PairTable {
    /// Of the features at two places of a table.
    ///
    /// # Errors
    /// A place that the table lacks, or twice the same; a target of another number of rows.
    pub fn new(table: &Table<'_>, first: usize, second: usize, target: &Target) -> Result<Self> {
        let columns = chosen(table, &[first, second], target)?;
        let (one, other) = (Levels::of(columns[0]), Levels::of(columns[1]));
        let width = other.levels.len();
        let mut members = vec![Vec::new(); one.levels.len() * width];
        for (row, (&a, &b)) in one.codes.iter().zip(&other.codes).enumerate() {
            if a != MISSING && b != MISSING {
                members[usize::from(a) * width + usize::from(b)].push(row);
            }
        }
        let rows = members.iter().map(Vec::len).sum();
        let cells = match target {
            Target::Classes(classes) => {
                let counts = |rows: &Vec<usize>| {
                    let mut counts = vec![0; classes.len()];
                    for &row in rows {
                        counts[classes.codes()[row] as usize] += 1;
                    }
                    counts
                };
                let counts = members.iter().map(counts).collect();
                Cells::Classes { names: classes.names().to_vec(), counts }
            }
            Target::Real(values) => Cells::Real(
                members
                    .iter()
                    .map(|rows| {
                        TargetSummary::of(&rows.iter().map(|&row| values[row]).collect::<Vec<_>>())
                    })
                    .collect(),
            ),
        };
        let missing = table.rows() - rows;
        let (first_levels, second_levels) = (one.levels, other.levels);
        Ok(Self {
            features: (first, second),
            first: first_levels,
            second: second_levels,
            rows,
            missing,
            cells,
        })
    }

    /// Where in the cells a level of the first and one of the second stand.
    pub fn place(&self, first: usize, second: usize) -> usize {
        first * self.second.len() + second
    }
}
