//! Tables of every kind of column.

use basrelief::data::{Categories, Column, MISSING_CODE, MISSING_GENOTYPE, Table};

/// Numbers in [0, 1) that are the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Kinds of columns: numbers, numbers on a grid, categories of few and of many values, genotypes, levels in an
/// order, and all.
pub const KINDS: [&str; 7] = ["numbers", "tenths", "few", "many", "genotypes", "ordinal", "mixed"];

/// A table of a kind, with about that share of its values missing.
pub fn table(kind: &str, rows: usize, columns: usize, missing: f64) -> Table<'static> {
    let mut random = Random(rows as u64 * 1009 + columns as u64 * 17 + kind.len() as u64);
    let columns = (0..columns).map(|index| {
        let kind = if kind == "mixed" { KINDS[index % 6] } else { kind };
        let cells: Vec<Option<f64>> = (0..rows)
            .map(|_| {
                let (value, lost) = (random.next(), random.next() < missing);
                (!lost).then_some(value)
            })
            .collect();
        let name = format!("f{index}");
        let numbers = |number: fn(f64) -> f64| {
            let values = cells.iter().map(|cell| cell.map_or(f64::NAN, number)).collect();
            Column::from_values(&name, values).unwrap()
        };
        let texts = |levels: f64| {
            let text = |cell: &Option<f64>| cell.map(|u| format!("t{}", (u * levels) as u32));
            let texts: Vec<Option<String>> = cells.iter().map(text).collect();
            let texts = texts.iter().map(Option::as_deref);
            Column::categorical(name.clone(), Categories::from_texts(texts))
        };
        match kind {
            "numbers" => numbers(|u| u * 3.7 - 1.0),
            "tenths" => numbers(|u| (u * 40.0).floor() / 10.0),
            "few" => texts(3.0),
            "many" => texts(23.0),
            "ordinal" => {
                // The last level does not occur.
                let codes =
                    cells.iter().map(|cell| cell.map_or(MISSING_CODE, |u| (u * 5.0) as u32));
                let levels = ["e", "d", "c", "b", "a", "f"].map(String::from).to_vec();
                Column::categorical(&name, Categories::ordered(codes.collect(), levels).unwrap())
            }
            _ => {
                let copies =
                    cells.iter().map(|cell| cell.map_or(MISSING_GENOTYPE, |u| (u * 3.0) as u8));
                Column::genotype(name.clone(), copies.collect::<Vec<u8>>().into()).unwrap()
            }
        }
    });
    Table::new(columns.collect()).unwrap()
}
