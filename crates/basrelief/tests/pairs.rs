//! Pairs of features: what is measured is what plain loops over the definitions give, for every kind of feature and
//! target with missing values; and p-values are those of measuring every permuted target.

#[path = "common/numbers.rs"]
mod numbers;

use std::collections::BTreeMap;

use basrelief::data::{
    Categories, Classes, Column, ColumnKind, GroupWeight, Groups, Roles, Table, Target,
};
use basrelief::inference::Permutations;
use basrelief::pairs::{Cells, Interaction, Interactions, Measure, PairTable};
use basrelief::{CancelFlag, Error, Run};
use numbers::Numbers;

const KINDS: [&str; 6] = ["numbers", "steps", "few", "many", "genotypes", "constant"];

/// A column of every kind twice; a share of the values is missing.
fn table(rows: usize, missing: f64, seed: u64) -> Table<'static> {
    let mut numbers = Numbers(seed);
    let columns = (0..2 * KINDS.len()).map(|index| {
        let kind = KINDS[index % KINDS.len()];
        let name = format!("{kind}{index}");
        let mut known = |value: &mut dyn FnMut(&mut Numbers) -> f64| -> Vec<f64> {
            let mut one = || match numbers.next() < missing {
                true => f64::NAN,
                false => value(&mut numbers),
            };
            (0..rows).map(|_| one()).collect()
        };
        let texts = |values: Vec<f64>| {
            let texts: Vec<Option<String>> =
                values.iter().map(|value| (!value.is_nan()).then(|| value.to_string())).collect();
            Categories::from_texts(texts.iter().map(Option::as_deref))
        };
        match kind {
            "numbers" => Column::from_values(&name, known(&mut Numbers::next)).unwrap(),
            "steps" => {
                let values = known(&mut |numbers| (numbers.next().powi(3) * 8.0).floor());
                Column::from_values(&name, values).unwrap()
            }
            "few" => Column::categorical(&name, texts(known(&mut |n| n.below(3) as f64))),
            // Rare ones among them.
            "many" => {
                let values = known(&mut |numbers| (numbers.next().powi(2) * 14.0).floor());
                Column::categorical(&name, texts(values))
            }
            "genotypes" => {
                let values = known(&mut |numbers| numbers.below(3) as f64);
                let code = |value: &f64| if value.is_nan() { 3 } else { *value as u8 };
                let codes: Vec<u8> = values.iter().map(code).collect();
                Column::genotype(&name, codes.into()).unwrap()
            }
            _ => Column::from_values(&name, known(&mut |_| 2.5)).unwrap(),
        }
    });
    Table::new(columns.collect()).unwrap()
}

/// Depends on products of features, so that there is something to find.
fn real(table: &Table<'_>, seed: u64) -> Target {
    let mut noise = Numbers(seed);
    let value = |column: usize, row: usize| match table.columns()[column].value(row) {
        value if value.is_nan() => 0.0,
        value => value,
    };
    let of = |row| value(0, row) * value(6, row) * 4.0 + value(4, row) * value(10, row);
    Target::Real((0..table.rows()).map(|row| of(row) + noise.next()).collect())
}

fn classes(table: &Table<'_>, count: usize, seed: u64) -> Target {
    let Target::Real(values) = real(table, seed) else { panic!("a real target") };
    let labels: Vec<String> =
        values.iter().map(|value| (value.abs() as usize % count).to_string()).collect();
    Target::Classes(Classes::from_labels(&labels))
}

/// The level of every row, by the definition.
fn levels(column: &Column<'_>) -> Vec<Option<usize>> {
    let rows = 0..column.len();
    let known: Vec<f64> =
        rows.clone().map(|row| column.value(row)).filter(|value| !value.is_nan()).collect();
    let count_of = |value: f64| known.iter().filter(|other| **other == value).count();
    let mut different = known.clone();
    different.sort_by(f64::total_cmp);
    different.dedup();
    let level: Box<dyn Fn(f64) -> usize> = match column.kind() {
        ColumnKind::Genotype => Box::new(|value| value as usize),
        ColumnKind::Categorical | ColumnKind::Ordinal => {
            if different.len() > 8 {
                different.sort_by(|a, b| count_of(*b).cmp(&count_of(*a)).then(a.total_cmp(b)));
                different.truncate(7);
            }
            Box::new(move |value| different.iter().position(|&kept| kept == value).unwrap_or(7))
        }
        ColumnKind::Numeric => {
            let bins = ((known.len() as f64 / 20.0).sqrt().floor() as usize).clamp(3, 5);
            // A bin ends at one of these numbers, with so many numbers up to it.
            let ends: Vec<(f64, usize)> = different
                .iter()
                .map(|&end| (end, known.iter().filter(|value| **value <= end).count()))
                .collect();
            let inner = &ends[..ends.len().saturating_sub(1)];
            let mut cuts: Vec<f64> = different.clone();
            if different.len() > bins {
                cuts = (1..bins)
                    .map(|bin| {
                        let wanted = bin as f64 * known.len() as f64 / bins as f64;
                        let far = |end: &(f64, usize)| (end.1 as f64 - wanted).abs();
                        let least = inner.iter().map(far).fold(f64::INFINITY, f64::min);
                        inner.iter().find(|end| far(end) <= least + 1e-9).unwrap().0
                    })
                    .collect();
                cuts.dedup();
            }
            Box::new(move |value| cuts.iter().filter(|cut| value > **cut).count())
        }
    };
    rows.map(|row| column.value(row)).map(|value| (!value.is_nan()).then(|| level(value))).collect()
}

/// The mutual information of two lists in bits, and what the correction of Miller and Madow adds to it.
fn information<A: Ord + Copy, B: Ord + Copy>(one: &[A], other: &[B]) -> (f64, f64) {
    let rows = one.len() as f64;
    let (mut ones, mut others, mut both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (&a, &b) in one.iter().zip(other) {
        *ones.entry(a).or_insert(0.0) += 1.0 / rows;
        *others.entry(b).or_insert(0.0) += 1.0 / rows;
        *both.entry((a, b)).or_insert(0.0) += 1.0 / rows;
    }
    let bits = both
        .iter()
        .map(|(&(a, b), &share): (_, &f64)| share * (share / (ones[&a] * others[&b])).log2());
    let occupied = ones.len() as f64 + others.len() as f64 - both.len() as f64 - 1.0;
    (bits.sum(), occupied / (2.0 * rows * 2f64.ln()))
}

/// Strength, the same without correction, and rows.
fn naive_gain(one: &Column<'_>, other: &Column<'_>, target: &Classes) -> (f64, f64, usize) {
    let both = levels(one).into_iter().zip(levels(other)).zip(target.codes());
    let rows: Vec<(usize, usize, u32)> =
        both.filter_map(|((a, b), &class)| Some((a?, b?, class))).collect();
    let first: Vec<usize> = rows.iter().map(|row| row.0).collect();
    let second: Vec<usize> = rows.iter().map(|row| row.1).collect();
    let pair: Vec<(usize, usize)> = rows.iter().map(|row| (row.0, row.1)).collect();
    let class: Vec<u32> = rows.iter().map(|row| row.2).collect();
    if rows.is_empty() {
        return (0.0, 0.0, 0);
    }
    let (both, of_both) = information(&pair, &class);
    let (one, of_one) = information(&first, &class);
    let (other, of_other) = information(&second, &class);
    let gain = both - one - other;
    (gain + of_both - of_one - of_other, gain, rows.len())
}

/// The sum of squares that least squares leave, and the number of independent columns, by elimination.
fn least_squares(columns: &[Vec<f64>], target: &[f64]) -> (f64, usize) {
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut left = target.to_vec();
    let mut used: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let length = product(column, column).sqrt();
        let mut column = column.clone();
        for _ in 0..3 {
            for other in &used {
                let share = product(&column, other) / product(other, other);
                column.iter_mut().zip(other).for_each(|(value, other)| *value -= share * other);
            }
        }
        if product(&column, &column).sqrt() > 1e-6 * length {
            let share = product(&left, &column) / product(&column, &column);
            left.iter_mut().zip(&column).for_each(|(value, other)| *value -= share * other);
            used.push(column);
        }
    }
    (product(&left, &left), used.len())
}

/// The columns of a feature in a model.
fn design(column: &Column<'_>) -> Vec<Vec<Option<f64>>> {
    let values: Vec<Option<f64>> = (0..column.len())
        .map(|row| Some(column.value(row)).filter(|value| !value.is_nan()))
        .collect();
    if column.kind() != ColumnKind::Categorical {
        return vec![values];
    }
    let levels = levels(column);
    let count = levels.iter().flatten().max().map_or(0, |most| most + 1);
    let of = |level| levels.iter().map(move |own| own.map(|own| f64::from(u8::from(own == level))));
    (1..count).map(|level| of(level).collect()).collect()
}

fn naive_product(one: &Column<'_>, other: &Column<'_>, target: &[f64]) -> (f64, f64, usize) {
    let (first, second) = (design(one), design(other));
    let rows: Vec<usize> = (0..target.len())
        .filter(|&row| !one.value(row).is_nan() && !other.value(row).is_nan())
        .collect();
    let take = |column: &Vec<Option<f64>>| -> Vec<f64> {
        rows.iter().map(|&row| column[row].unwrap()).collect()
    };
    let target: Vec<f64> = rows.iter().map(|&row| target[row]).collect();
    let first: Vec<Vec<f64>> = first.iter().map(take).collect();
    let second: Vec<Vec<f64>> = second.iter().map(take).collect();
    let mut columns = vec![vec![1.0; rows.len()]];
    columns.extend(first.iter().chain(&second).cloned());
    let (before, main) = least_squares(&columns, &target);
    for a in &first {
        for b in &second {
            columns.push(a.iter().zip(b).map(|(a, b)| a * b).collect());
        }
    }
    let (after, all) = least_squares(&columns, &target);
    if all == main || before < 1e-9 {
        return (0.0, 0.0, rows.len());
    }
    let share = 1.0 - after / before;
    let free = |used: usize| rows.len() as f64 - used as f64;
    let strength = match free(all) > 0.0 {
        true => 1.0 - after / free(all) / (before / free(main)),
        false => 0.0,
    };
    (strength, share, rows.len())
}

fn assert_near(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() < 1e-8, "{what}: {found} and not {wanted}");
}

fn compare(table: &Table<'_>, target: &Target, run: &Run) {
    let features: Vec<usize> = (0..table.width()).rev().collect();
    let found = Interactions::measure(table, &features, target, run).unwrap();
    assert_eq!(found.pairs.len(), features.len() * (features.len() - 1) / 2);
    for first in 0..features.len() {
        for second in first + 1..features.len() {
            let pair = found.pair(second, first).unwrap();
            assert_eq!((pair.first, pair.second), (first, second));
            assert_eq!((pair.p_value, pair.adjusted), (None, None));
            let one = &table.columns()[features[first]];
            let other = &table.columns()[features[second]];
            let (strength, uncorrected, rows) = match target.as_classes() {
                Some(classes) => naive_gain(one, other, classes),
                None => naive_product(one, other, target.as_numbers().unwrap()),
            };
            let what = format!("{} with {}, {} rows", one.name(), other.name(), table.rows());
            assert_eq!(pair.rows, rows, "{what}");
            assert_near(pair.uncorrected, uncorrected, &what);
            assert_near(pair.strength, strength, &what);
        }
    }
}

fn seeded(seed: u64) -> Run {
    Run::new(Some(1)).unwrap().with_seed(seed)
}

#[test]
fn plain_loops_give_the_same_for_all_kinds() {
    let run = Run::new(Some(2)).unwrap();
    let sizes = [(2, 0.0), (3, 0.4), (9, 0.2), (40, 0.0), (60, 0.3), (350, 0.05), (60, 1.0)];
    for (seed, (rows, missing)) in (1..).zip(sizes) {
        let table = table(rows, missing, seed);
        compare(&table, &real(&table, seed + 50), &run);
        for count in [1, 2, 4] {
            compare(&table, &classes(&table, count, seed + 50), &run);
        }
    }
}

#[test]
fn tables_of_pairs_count_what_plain_loops_count() {
    let table = table(200, 0.1, 5);
    let target = classes(&table, 3, 6);
    let Target::Classes(classes) = &target else { panic!("classes") };
    for (first, second) in [(0, 4), (4, 0), (3, 9), (1, 2), (5, 6)] {
        let found = PairTable::new(&table, first, second, &target).unwrap();
        let Cells::Classes { names, counts } = &found.cells else { panic!("classes") };
        assert_eq!(names, classes.names());
        let mut wanted: Vec<Vec<usize>> =
            vec![vec![0; names.len()]; found.first.len() * found.second.len()];
        // Levels by their bounds or names.
        let level = |feature: usize, levels: &[basrelief::pairs::Level], row: usize| {
            let column = &table.columns()[feature];
            let value = column.value(row);
            let name = match column.values() {
                basrelief::data::Values::Categorical(categories) if !value.is_nan() => {
                    categories.levels()[value as usize].clone()
                }
                _ => value.to_string(),
            };
            let holds = |level: &basrelief::pairs::Level| match level.bounds {
                Some((least, greatest)) => (least..=greatest).contains(&value),
                None => level.name == name,
            };
            let pooled = || levels.iter().position(|level| level.pooled > 0);
            (!value.is_nan()).then(|| levels.iter().position(holds).or_else(pooled).unwrap())
        };
        let mut rows = 0;
        for row in 0..table.rows() {
            let one = level(first, &found.first, row);
            let other = level(second, &found.second, row);
            if let (Some(one), Some(other)) = (one, other) {
                wanted[found.place(one, other)][classes.codes()[row] as usize] += 1;
                rows += 1;
            }
        }
        assert_eq!((counts, found.rows, found.missing), (&wanted, rows, table.rows() - rows));
    }
}

#[test]
fn p_values_are_those_of_measuring_every_permuted_target() {
    let table = table(50, 0.1, 11);
    let strata: Vec<&str> = (0..50).map(|row| if row % 3 == 0 { "a" } else { "b" }).collect();
    let strata = Classes::from_labels(&strata);
    let features: Vec<usize> = (0..table.width()).collect();
    let run = |threads| Run::new(Some(threads)).unwrap();
    // More than a block of permutations.
    let draws = 150;
    // Groups of 1 to 4 rows; the target is that of the first row in half of the cases.
    let names: Vec<String> =
        (0..50_usize).map(|row| format!("g{}", row * 2 / 5 + usize::from(row % 5 == 4))).collect();
    let groups = Groups::from_labels(&names, GroupWeight::Group);
    let firsts: Vec<usize> =
        names.iter().map(|name| names.iter().position(|other| other == name).unwrap()).collect();
    for target in [real(&table, 12), classes(&table, 3, 12)] {
        let constant = target.select_rows(&firsts).unwrap();
        let none = Roles::default();
        for (target, roles) in [
            (&target, none),
            (&target, none.with_strata(Some(&strata))),
            (&target, none.with_groups(Some(&groups))),
            (&constant, none.with_groups(Some(&groups))),
        ] {
            let permutations = Permutations::new(target, roles, &seeded(13)).unwrap();
            let found =
                Interactions::test(&table, &features, &permutations, draws, &run(1)).unwrap();
            let again =
                Interactions::test(&table, &features, &permutations, draws, &run(3)).unwrap();
            assert_eq!(found, again, "the same for any number of threads");
            let permuted: Vec<Vec<f64>> = (0..draws)
                .map(|number| {
                    let target = permutations.permuted(number);
                    let found = Interactions::measure(&table, &features, &target, &run(2)).unwrap();
                    found.pairs.iter().map(|pair| pair.strength).collect()
                })
                .collect();
            let measured = Interactions::measure(&table, &features, target, &run(1)).unwrap();
            for (at, pair) in found.pairs.iter().enumerate() {
                let counted = |strengths: &mut dyn Iterator<Item = f64>| {
                    let as_strong = strengths.filter(|other| *other >= pair.strength - 1e-9);
                    (1 + as_strong.count()) as f64 / (1 + draws) as f64
                };
                let own = counted(&mut permuted.iter().map(|strengths| strengths[at]));
                let greatest = |strengths: &Vec<f64>| {
                    strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                };
                let of_all = counted(&mut permuted.iter().map(greatest));
                assert_eq!((pair.p_value, pair.adjusted), (Some(own), Some(of_all)), "{pair:?}");
                let plain = Interaction { p_value: None, adjusted: None, ..pair.clone() };
                assert_eq!(plain, measured.pairs[at]);
            }
        }
    }
}

#[test]
fn the_pair_that_acts_together_is_found() {
    let mut numbers = Numbers(3);
    let bits: Vec<Vec<f64>> =
        (0..8).map(|_| (0..200).map(|_| numbers.below(2) as f64).collect()).collect();
    let columns = bits
        .iter()
        .enumerate()
        .map(|(index, values)| Column::from_values(format!("bit{index}"), values.clone()).unwrap());
    let table = Table::new(columns.collect()).unwrap();
    let parity: Vec<f64> = (0..200).map(|row| (bits[2][row] - bits[5][row]).abs()).collect();
    let labels: Vec<String> = parity.iter().map(f64::to_string).collect();
    let run = Run::new(Some(2)).unwrap();
    let features = [7, 5, 3, 2, 0];
    let targets = [
        (Target::Classes(Classes::from_labels(&labels)), Measure::InteractionGain),
        (Target::Real(parity), Measure::PartialR2),
    ];
    for (target, measure) in targets {
        let permutations = Permutations::new(&target, Roles::default(), &seeded(1)).unwrap();
        let found = Interactions::test(&table, &features, &permutations, 99, &run).unwrap();
        assert_eq!((found.measure, &found.features[..]), (measure, &features[..]));
        let strongest = found.strongest(2);
        assert_eq!((strongest[0].first, strongest[0].second), (1, 3));
        assert!(strongest[0].strength > 0.98 && strongest[1].strength < 0.1);
        assert_eq!((strongest[0].p_value, strongest[0].adjusted), (Some(0.01), Some(0.01)));
        assert!(strongest[1].adjusted.unwrap() > 0.05);
    }
}

#[test]
fn few_features_no_draws_and_interrupts() {
    let table = table(30, 0.0, 1);
    let target = real(&table, 2);
    let permutations = Permutations::new(&target, Roles::default(), &seeded(0)).unwrap();
    let run = Run::new(Some(1)).unwrap();
    for features in [&[][..], &[3]] {
        let found = Interactions::test(&table, features, &permutations, 5, &run).unwrap();
        assert!(found.pairs.is_empty() && found.strongest(3).is_empty());
        assert_eq!(found.pair(0, 0), None);
    }
    let error = Interactions::test(&table, &[0, 1], &permutations, 0, &run).unwrap_err();
    assert!(error.to_string().contains("permutations"), "{error}");
    assert!(Interactions::measure(&table, &[0, 99], &target, &run).is_err());
    let flag = CancelFlag::new();
    flag.cancel();
    let run = run.with_cancel(flag);
    let found = Interactions::measure(&table, &[0, 1], &target, &run);
    assert!(matches!(found, Err(Error::Cancelled)));
}
