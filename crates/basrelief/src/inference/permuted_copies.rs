//! Features that are noise by construction: copies of a table's features with permuted rows.

use crate::data::{Column, Groups, Table};
use crate::error::Result;
use crate::random::{self, RandomStream};
use crate::run::derived_seed;

/// Returns the table with a copy of every feature appended, in their order. A copy has the kind and the values of its
/// feature (including missing values) in a separate random order, so that it carries no information about a target or
/// another feature. A copy that is selected is therefore selected by chance; Stabl (Hédou et al. 2024) judges
/// features by such copies.
///
/// If rows are in groups, each group receives the values of another group, in the order of their rows, repeated or
/// truncated where the groups differ in size. A copy then varies within and between groups as its feature does.
///
/// The copies contribute to distances between rows, which become noisier than without them.
///
/// # Errors
/// Does not fail for a valid table.
pub fn permuted_copies<'a>(
    table: &Table<'a>,
    groups: Option<&Groups>,
    seed: u64,
) -> Result<Table<'a>> {
    let mut columns = table.columns().to_vec();
    // No name has this ending, so that no copy has the name of another column.
    let mut ending = " (permuted)".to_string();
    while columns.iter().any(|column| column.name().ends_with(&ending)) {
        ending.push('\'');
    }
    let members = groups.filter(|groups| groups.are_repeated()).map(Groups::members);
    let copies: Vec<Column<'a>> = (0..)
        .zip(&columns)
        .map(|(number, column)| {
            let seed = derived_seed(seed, &[number]);
            let generator = &mut random::generator(seed, RandomStream::PermutedCopies);
            let rows: Vec<usize> = match &members {
                None => {
                    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
                    random::shuffle(&mut rows, generator);
                    rows.into_iter().map(|row| row as usize).collect()
                }
                Some(members) => {
                    let mut order: Vec<u32> = (0..members.len() as u32).collect();
                    random::shuffle(&mut order, generator);
                    let mut rows = vec![0; table.rows()];
                    for (own, &other) in members.iter().zip(&order) {
                        let others = members[other as usize].iter().cycle();
                        for (&row, &from) in own.iter().zip(others) {
                            rows[row as usize] = from as usize;
                        }
                    }
                    rows
                }
            };
            column.select_rows(&rows).with_name(format!("{}{ending}", column.name()))
        })
        .collect();
    columns.extend(copies);
    Table::new(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, GroupWeight};

    #[test]
    fn a_copy_holds_the_values_of_its_feature_in_another_order() {
        let numbers: Vec<f64> = (0..50).map(f64::from).collect();
        let colors =
            (0..50).map(|row| (row != 7).then_some(if row % 3 == 0 { "red" } else { "blue" }));
        let table = Table::new(vec![
            Column::from_values("a", numbers.clone()).unwrap(),
            Column::from_values("a (permuted)", numbers.clone()).unwrap(),
            Column::categorical("color", Categories::from_texts(colors)),
        ])
        .unwrap();
        let both = permuted_copies(&table, None, 3).unwrap();
        let names = ["a", "a (permuted)", "color"].map(str::to_string);
        assert_eq!(both.names()[..3], names);
        assert_eq!(both.names()[3..], names.map(|name| name + " (permuted)'"));
        let values = |place: usize| -> Vec<f64> {
            (0..50).map(|row| both.columns()[place].value(row)).collect()
        };
        let sorted = |place: usize| {
            let mut values = values(place);
            values.sort_by(f64::total_cmp);
            values
        };
        assert_eq!(values(0), numbers);
        assert_eq!(sorted(3), numbers);
        assert_ne!(values(3), numbers);
        assert_ne!(values(3), values(4), "every copy has a separate order");
        assert_eq!(both.columns()[5].kind(), table.columns()[2].kind());
        assert_eq!(both.columns()[5].missing(), 1);
        // Pinned: an update of the generator must not change published selections unnoticed.
        let first: Vec<f64> = values(3)[..8].to_vec();
        assert_eq!(first, PINNED);
        let other = permuted_copies(&table, None, 4).unwrap();
        assert_ne!(other.columns()[3].value(0), both.columns()[3].value(0));
    }

    #[test]
    fn copies_keep_groups_whole() {
        // The feature is the group, times 10 plus the place of the row in it.
        let names = ["a", "a", "b", "c", "c", "c", "b"];
        let groups = Groups::from_labels(&names, GroupWeight::Group);
        let values = vec![0.0, 1.0, 10.0, 20.0, 21.0, 22.0, 11.0];
        let table = Table::new(vec![Column::from_values("a", values).unwrap()]).unwrap();
        let mut moved = 0;
        for seed in 0..20 {
            let both = permuted_copies(&table, Some(&groups), seed).unwrap();
            let copy: Vec<f64> = (0..7).map(|row| both.columns()[1].value(row)).collect();
            for rows in groups.members() {
                let from = (copy[rows[0] as usize] / 10.0).floor();
                let size = [2, 2, 3][from as usize];
                for (place, &row) in rows.iter().enumerate() {
                    assert_eq!(copy[row as usize], 10.0 * from + (place % size) as f64, "{copy:?}");
                }
            }
            moved += usize::from(copy[0] >= 10.0);
        }
        assert!((5..20).contains(&moved), "{moved}");
    }

    const PINNED: [f64; 8] = [4.0, 10.0, 29.0, 3.0, 39.0, 30.0, 24.0, 34.0];
}
