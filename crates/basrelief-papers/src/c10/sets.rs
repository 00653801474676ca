//! The data sets of Chang 2010, Table 3, and their splits.

use basrelief::data::synth::generator;
use basrelief::data::{Classes, Column, Split, Table, holdout, leave_one_out, partition};
use basrelief::methods::map_method;
use basrelief::{Result, Run, derived_seed};

use crate::data::{BALANCE, Data, DataSet, IONOSPHERE, IRIS, PROSTATE, SPAMBASE, USPS, WINE, YALE};
use crate::protocol::Work;

/// The number of rows of the rings: about 500 training rows and 165 test rows.
const RING_ROWS: &str = "665";

/// The source of the rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    File(&'static DataSet),
    Rings,
}

impl Source {
    pub(super) fn name(self) -> &'static str {
        match self {
            Source::File(set) => set.file,
            Source::Rings => "rings",
        }
    }

    /// Loads the rows, or generates the rings with the seed. Returns `None` if the file is missing.
    pub(super) fn load(self, work: &Work<'_>, seed: u64) -> Result<Option<Data>> {
        match self {
            Source::File(set) => work.data.load(set, work.run),
            Source::Rings => {
                let info = generator("concentric-rings")?;
                let settings = info.settings(&[("rows", RING_ROWS)])?;
                let found = info.generate(&settings, &work.run.part(seed))?;
                Ok(Some(Data { table: found.table, target: found.target }))
            }
        }
    }
}

/// The splitting of the rows of a set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Splitting {
    /// A number of runs, each with this fraction of every class, rounded up, as training rows.
    Holdout {
        runs: usize,
        share: f64,
    },
    LeaveOneOut,
}

/// A data set of Table 3.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    pub(super) source: Source,
    pub(super) splitting: Splitting,
    /// Whether it is one of the paper's five small sets.
    pub(super) small: bool,
}

const fn small(source: Source) -> Set {
    Set { source, splitting: Splitting::Holdout { runs: 50, share: 0.75 }, small: true }
}

const fn large(source: Source, runs: usize) -> Set {
    Set { source, splitting: Splitting::Holdout { runs, share: 0.25 }, small: false }
}

pub(super) static SETS: [Set; 9] = [
    small(Source::File(&IRIS)),
    small(Source::File(&WINE)),
    small(Source::File(&BALANCE)),
    small(Source::Rings),
    small(Source::File(&IONOSPHERE)),
    large(Source::File(&USPS), 1),
    large(Source::File(&SPAMBASE), 1),
    Set { source: Source::File(&PROSTATE), splitting: Splitting::LeaveOneOut, small: false },
    large(Source::File(&YALE), 10),
];

impl Set {
    /// Returns the splits, at most `most`.
    pub(super) fn splits(&self, data: &Data, seed: u64, most: usize) -> Result<Vec<Split>> {
        let Splitting::Holdout { runs, share } = self.splitting else {
            let rows = data.table.rows();
            let drawn = partition(rows, most.clamp(2, rows), seed).train;
            let mut splits = leave_one_out(rows, None);
            splits.retain(|split| split.test.iter().all(|row| drawn.contains(row)));
            return Ok(splits);
        };
        let one = |run: usize| {
            let count = |rows: usize| (share * rows as f64).ceil() as usize;
            holdout(&data.target, None, derived_seed(seed, &[run as u64]), count)
        };
        Ok((0..runs.min(most)).map(one).collect())
    }
}

/// Returns the rows in coordinates of their span, which preserves distances.
pub(super) fn in_their_span(data: &Data, run: &Run) -> Result<Data> {
    let pca = map_method("pca")?;
    let settings = pca.settings::<&str, &str>(&[])?;
    let rows =
        pca.fit(&data.table, None, &settings, run)?.model.transform_table(&data.table, run)?;
    let columns = (0..rows.columns())
        .map(|place| {
            let values = rows.iter().map(|row| row[place]).collect();
            Column::from_values(format!("component{}", place + 1), values)
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Data { table: Table::new(columns)?, target: data.target.clone() })
}

/// The classes of a data set.
pub(super) fn classes(data: &Data) -> Result<&Classes> {
    data.target.classes("a classifier")
}

#[cfg(test)]
mod tests {
    use super::*;
    use basrelief::data::Target;

    #[test]
    fn the_training_parts_are_those_of_table_3() {
        // 59, 71 and 48 rows of wine: 45 + 54 + 36 = 135.
        let labels = ["a"; 59].into_iter().chain(["b"; 71]).chain(["c"; 48]).collect::<Vec<_>>();
        let target = Target::Classes(Classes::from_labels(&labels));
        let column = Column::from_values("x", vec![0.0; 178]).unwrap();
        let data = Data { table: Table::new(vec![column]).unwrap(), target };
        let splits = SETS[1].splits(&data, 1, 50).unwrap();
        assert_eq!(splits.len(), 50);
        assert!(splits.iter().all(|split| split.train.len() == 135 && split.test.len() == 43));
    }
}
