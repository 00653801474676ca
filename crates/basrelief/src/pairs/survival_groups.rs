//! Survival times of rows in groups of the values of one or two features, for the figures of a report.

use super::chosen::columns_at;
use super::levels::{Levels, MISSING};
use crate::data::{Survival, SurvivalCurve, Table};
use crate::error::{Error, Result};

/// The rows with one combination of levels.
#[derive(Debug, Clone, PartialEq)]
pub struct SurvivalGroup {
    /// The levels, separated by a comma.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows with an event.
    pub events: usize,
    /// The largest time.
    pub last: f64,
    /// The Kaplan-Meier estimate of the rows.
    pub curve: SurvivalCurve,
}

impl SurvivalGroup {
    /// The group of some rows.
    fn new(name: String, rows: &[usize], target: &Survival) -> Self {
        let times: Vec<f64> = rows.iter().map(|&row| target.times()[row]).collect();
        let events: Vec<bool> = rows.iter().map(|&row| target.events()[row]).collect();
        Self {
            name,
            rows: rows.len(),
            events: events.iter().filter(|&&event| event).count(),
            last: times.iter().copied().fold(0.0, f64::max),
            curve: SurvivalCurve::new(&times, &events),
        }
    }

    /// All rows of a target, without a name.
    pub fn all(target: &Survival) -> Self {
        let rows: Vec<usize> = (0..target.times().len()).collect();
        Self::new(String::new(), &rows, target)
    }

    /// The number of groups of rows with equal levels of the features at some positions of a table, and at most `most` of them:
    /// those with most rows, in the order of the levels. Genotypes and categories are levels themselves, numbers are divided into bins; rows in which a
    /// feature is missing are in no group.
    ///
    /// # Errors
    /// A position that the table does not have, or that occurs twice; a target with another number of rows.
    pub fn by_levels(
        table: &Table<'_>,
        features: &[usize],
        target: &Survival,
        most: usize,
    ) -> Result<(usize, Vec<Self>)> {
        if target.times().len() != table.rows() {
            return Err(Error::data(
                format!("the target has {} values for {} rows", target.times().len(), table.rows()),
                "give a target for every row",
            ));
        }
        let levels: Vec<Levels> =
            columns_at(table, features)?.into_iter().map(Levels::new).collect();
        let count: usize = levels.iter().map(|own| own.levels.len()).product();
        let mut members = vec![Vec::new(); count];
        for row in 0..table.rows() {
            let codes = || levels.iter().map(|own| own.codes[row]);
            if codes().any(|code| code == MISSING) {
                continue;
            }
            let cell = levels
                .iter()
                .zip(codes())
                .fold(0, |cell, (own, code)| cell * own.levels.len() + usize::from(code));
            members[cell].push(row);
        }
        let mut cells: Vec<usize> = (0..count).filter(|&cell| !members[cell].is_empty()).collect();
        let groups = cells.len();
        cells.sort_by_key(|&cell| std::cmp::Reverse(members[cell].len()));
        cells.truncate(most);
        cells.sort_unstable();
        let name = |mut cell: usize| {
            let mut names = Vec::new();
            for own in levels.iter().rev() {
                names.push(own.levels[cell % own.levels.len()].name.as_str());
                cell /= own.levels.len();
            }
            names.reverse();
            names.join(", ")
        };
        let group = |cell: usize| Self::new(name(cell), &members[cell], target);
        Ok((groups, cells.into_iter().map(group).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[test]
    fn groups_are_the_combinations_of_two_genotypes() {
        let genotypes =
            |name: &str, codes: &[u8]| Column::genotype(name, codes.to_vec().into()).unwrap();
        let table = Table::new(vec![
            genotypes("a", &[0, 0, 1, 1, 0, 2]),
            genotypes("b", &[0, 2, 0, 2, 0, 3]),
        ])
        .unwrap();
        let events = vec![true, true, false, true, false, true];
        let target = Survival::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], events).unwrap();
        let (groups, found) = SurvivalGroup::by_levels(&table, &[0, 1], &target, 9).unwrap();
        assert_eq!(groups, 4);
        let shown: Vec<(&str, usize, usize, f64)> = found
            .iter()
            .map(|group| (group.name.as_str(), group.rows, group.events, group.last))
            .collect();
        let expected =
            [("0, 0", 2, 1, 5.0), ("0, 2", 1, 1, 2.0), ("1, 0", 1, 0, 3.0), ("1, 2", 1, 1, 4.0)];
        assert_eq!(shown, expected);
        assert_eq!(found[0].curve.survival(), [0.5]);
        let (groups, largest) = SurvivalGroup::by_levels(&table, &[0, 1], &target, 1).unwrap();
        assert_eq!((groups, largest.len(), largest[0].name.as_str()), (4, 1, "0, 0"));
        assert_eq!(SurvivalGroup::all(&target).rows, 6);
    }
}
