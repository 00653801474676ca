//! The table of a pair of features: the target in every combination of their levels.

use super::chosen::chosen;
use super::levels::{Level, Levels, MISSING};
use super::summaries::TargetSummary;
use crate::data::{Table, Target};
use crate::error::Result;

/// The rows of a pair of features by the levels of both, which are those of [`Interactions`](super::Interactions):
/// bins of numbers, and the most frequent of many categories.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The two features, by their positions in the table.
    pub features: (usize, usize),
    /// The first feature's levels.
    pub first: Vec<Level>,
    /// The second feature's levels.
    pub second: Vec<Level>,
    /// The number of rows in which both features are known; these are in the cells.
    pub rows: usize,
    /// The number of rows in which a feature is missing.
    pub missing: usize,
    /// The cells, one per level of the first and level of the second feature, row by row.
    pub cells: Cells,
}

/// The cells of a table of two features.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// For a class target.
    Classes {
        /// The classes.
        names: Vec<String>,
        /// Per cell, the number of rows of every class.
        counts: Vec<Vec<usize>>,
    },
    /// For a numeric target: a summary of its values in every cell.
    Real(Vec<TargetSummary>),
}

impl PairTable {
    /// Builds the table of the features at two positions of a table.
    ///
    /// # Errors
    /// A position that the table does not have, or two equal positions; a target with another number of rows.
    pub fn new(table: &Table<'_>, first: usize, second: usize, target: &Target) -> Result<Self> {
        let columns = chosen(table, &[first, second], target)?;
        let (one, other) = (Levels::new(columns[0]), Levels::new(columns[1]));
        let width = other.levels.len();
        let mut members = vec![Vec::new(); one.levels.len() * width];
        for (row, (&a, &b)) in one.codes.iter().zip(&other.codes).enumerate() {
            if a != MISSING && b != MISSING {
                members[usize::from(a) * width + usize::from(b)].push(row);
            }
        }
        let rows = members.iter().map(Vec::len).sum();
        let cells = match target.as_classes() {
            Some(classes) => {
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
            None => {
                let values = target.values("the table of a pair")?;
                let summary = |rows: &Vec<usize>| {
                    TargetSummary::new(&rows.iter().map(|&row| values[row]).collect::<Vec<_>>())
                };
                Cells::Real(members.iter().map(summary).collect())
            }
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

    /// The position in `cells` of a level of the first and a level of the second feature.
    pub fn place(&self, first: usize, second: usize) -> usize {
        first * self.second.len() + second
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Classes, Column};

    fn table() -> Table<'static> {
        let colors = ["red", "blue", "red", "blue", "red"].map(Some);
        Table::new(vec![
            Column::from_values("size", vec![1.0, 1.0, 2.5, f64::NAN, 1.0]).unwrap(),
            Column::categorical("color", Categories::from_texts(colors)),
        ])
        .unwrap()
    }

    #[test]
    fn classes_by_hand() {
        let target = Target::Classes(Classes::from_labels(&["x", "y", "y", "x", "y"]));
        let found = PairTable::new(&table(), 0, 1, &target).unwrap();
        assert_eq!((found.rows, found.missing), (4, 1));
        assert_eq!(found.first[1].bounds, Some((2.5, 2.5)));
        assert_eq!((found.second[0].name.as_str(), found.second[1].name.as_str()), ("red", "blue"));
        let Cells::Classes { names, counts } = &found.cells else { panic!("classes") };
        assert_eq!(names, &["x", "y"]);
        assert_eq!(counts, &[[1, 1], [0, 1], [0, 1], [0, 0]]);
        assert_eq!(counts[found.place(1, 0)], [0, 1]);
        // With the features exchanged, the cells are in another order.
        let turned = PairTable::new(&table(), 1, 0, &target).unwrap();
        let Cells::Classes { counts: turned, .. } = &turned.cells else { panic!("classes") };
        assert_eq!(turned, &[[1, 1], [0, 1], [0, 1], [0, 0]]);
        assert!(PairTable::new(&table(), 1, 1, &target).is_err());
    }

    #[test]
    fn targets_by_hand() {
        let target = Target::Real(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        let found = PairTable::new(&table(), 0, 1, &target).unwrap();
        let Cells::Real(cells) = &found.cells else { panic!("a real target") };
        let all = [(2, Some(3.0)), (1, Some(2.0)), (1, Some(3.0)), (0, None)];
        assert_eq!(cells.iter().map(|cell| (cell.rows, cell.mean)).collect::<Vec<_>>(), all);
        assert_eq!(cells[0].standard_deviation, Some(8f64.sqrt()));
        assert_eq!(cells[1].standard_deviation, None);
    }
}
