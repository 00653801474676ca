//! The encoding of table columns as numbers for a map, in words and in JSON.

use basrelief::data::{EncodedColumn, Encoding};
use serde_json::{Value, json};

use crate::text::{counted, printable};

/// The largest number of columns that are named; the others are counted.
const SHOWN: usize = 8;

/// The encoding in words: labels and texts. Numeric columns without missing values are not mentioned.
pub fn lines(encoding: &Encoding) -> Vec<(&'static str, String)> {
    let of = |takes: &dyn Fn(&EncodedColumn) -> bool, text: &dyn Fn(&EncodedColumn) -> String| {
        let all: Vec<&EncodedColumn> =
            encoding.columns().iter().filter(|column| takes(column)).collect();
        let mut named: Vec<String> = all.iter().take(SHOWN).map(|column| text(column)).collect();
        if all.len() > SHOWN {
            named.push(format!("and {} more", all.len() - SHOWN));
        }
        named.join(", ")
    };
    let levels = |column: &EncodedColumn| {
        let count = column.levels().map_or(0, <[String]>::len);
        format!("{} ({count})", printable(column.name()))
    };
    let order = |column: &EncodedColumn| {
        let count = column.order().map_or(0, <[String]>::len);
        format!("{} ({count})", printable(column.name()))
    };
    let gaps = |column: &EncodedColumn| {
        format!("{} ({})", printable(column.name()), counted(column.missing(), "value"))
    };
    let lines = [
        (
            "Categories",
            "one column per category (a mismatch counts as 1)",
            of(&|column| column.levels().is_some(), &levels),
        ),
        (
            "Ordinal",
            "a number from 0 to 1, by the position in the order",
            of(&|column| column.order().is_some(), &order),
        ),
        (
            "Missing values",
            "replaced by the mean, with an indicator column",
            of(&|column| column.missing() > 0 && column.has_mark(), &gaps),
        ),
        (
            "Missing values",
            "replaced by the mean, without an indicator column",
            of(&|column| column.missing() > 0 && !column.has_mark(), &gaps),
        ),
    ];
    let told = lines.into_iter().filter(|(_, _, named)| !named.is_empty());
    told.map(|(label, how, named)| (label, format!("{how}: {named}"))).collect()
}

/// The encoding in JSON: the columns that are not plain numbers; `None` if there are none.
pub fn json(encoding: &Encoding) -> Option<Value> {
    json_of(encoding, |column| {
        column.levels().is_some() || column.order().is_some() || column.missing() > 0
    })
}

/// The encoding in JSON: all columns, in their order; `None` if all are plain numbers.
pub fn whole(encoding: &Encoding) -> Option<Value> {
    json_of(encoding, |_| true)
}

fn json_of(encoding: &Encoding, takes: impl Fn(&EncodedColumn) -> bool) -> Option<Value> {
    if encoding.is_plain() {
        return None;
    }
    let entry = |column: &EncodedColumn| {
        let mut entry = json!({
            "column": column.name(),
            "becomes": column.width(),
            "missing": column.missing(),
            "missing_becomes": column.fill(),
        });
        if let Some(levels) = column.levels() {
            entry["levels"] = json!(levels);
        }
        if let Some(order) = column.order() {
            entry["order"] = json!(order);
        }
        entry
    };
    let columns: Vec<Value> =
        encoding.columns().iter().filter(|column| takes(column)).map(entry).collect();
    Some(json!({
        "differences": encoding.differences().name(),
        "level": encoding.differences().level(),
        "columns": columns,
    }))
}
