//! Tables of two features, cell by cell.

use crate::charts::CellView;
use crate::data::{PairCell, TargetSummary};
use crate::page::Name;
use crate::text::shortened;

/// The maximum length of a level's name.
const LEVEL: usize = 20;

/// The maximum length of the target's name in a caption.
const TARGET: usize = 60;

/// A table of two features; `templates/mosaics.html` shows it.
#[derive(Debug)]
pub(crate) struct Mosaic {
    pub(crate) names: (Name, Name),
    pub(crate) facts: String,
    /// The contents of a cell, in words.
    pub(crate) contents: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, Vec<CellView>)>,
}

impl Mosaic {
    /// A table from the levels of the first and of the second feature, and a row of cells for each level of the first.
    pub(crate) fn new(
        names: (&str, &str),
        facts: String,
        levels: &(Vec<String>, Vec<String>),
        cells: &[Vec<PairCell>],
        target: Option<&TargetSummary>,
    ) -> Self {
        let classes: &[String] = &target.map(TargetSummary::class_names).unwrap_or_default();
        let means = cells.iter().flatten().filter_map(|cell| match cell {
            PairCell::Mean(rows, mean) if *rows > 0 => Some(*mean),
            _ => None,
        });
        let range = means.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
        let rows = levels.0.iter().zip(cells).map(|(level, cells)| {
            let cells = cells.iter().map(|cell| CellView::new(cell, classes, range));
            (shortened(level, LEVEL), cells.collect())
        });
        Self {
            names: (Name::new(names.0), Name::new(names.1)),
            facts,
            contents: match range.0 <= range.1 {
                true => {
                    let target = target.map_or("the target", TargetSummary::name);
                    format!(
                        "mean of {} and number of rows in every cell",
                        shortened(target, TARGET)
                    )
                }
                false => "number of rows in every cell".to_string(),
            },
            columns: levels.1.iter().map(|level| shortened(level, LEVEL)).collect(),
            rows: rows.collect(),
        }
    }
}
