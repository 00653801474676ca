//! How the columns of a table become numbers for a map, in words and in JSON.

use basrelief::data::{EncodedColumn, Encoding};
use serde_json::{Value, json};

use crate::text::{counted, printable};

/// Columns that are named; of the others their number.
const SHOWN: usize = 8;

/// In words, each with what it is of; nothing of complete numbers.
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
            "a column each, in which a mismatch counts 1",
            of(&|column| column.levels().is_some(), &levels),
        ),
        (
            "Ordinal",
            "a number from 0 to 1, by the place in the order",
            of(&|column| column.order().is_some(), &order),
        ),
        (
            "Missing values",
            "at the mean, with a column that marks them",
            of(&|column| column.missing() > 0 && column.has_mark(), &gaps),
        ),
        (
            "Missing values",
            "at the mean, without a mark",
            of(&|column| column.missing() > 0 && !column.has_mark(), &gaps),
        ),
    ];
    let told = lines.into_iter().filter(|(_, _, named)| !named.is_empty());
    told.map(|(label, how, named)| (label, format!("{how}: {named}"))).collect()
}

/// In JSON: the columns that do not just stay numbers; nothing where there are none.
pub fn json(encoding: &Encoding) -> Option<Value> {
    json_of(encoding, |column| {
        column.levels().is_some() || column.order().is_some() || column.missing() > 0
    })
}

/// In JSON: all columns, in their order; nothing where all just stay numbers.
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
