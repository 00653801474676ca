//! The data sets of Sun & Wu 2008, with noise, and the options of their experiments.

use basrelief::data::synth::with_noise;
use basrelief::data::{Split, Table, Target, partition};
use basrelief::methods::{OptionInfo, OptionKind};
use basrelief::{Result, Run, derived_seed};

use crate::data::{BANANA, Data, DataSet, RINGNORM, SPLICE, THYROID, TWONORM, WAVEFORM};

/// The number of noise columns.
pub(super) const NOISE: usize = 10;

pub(super) static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 2 },
    default: "20",
    help: "Number of random partitions of every data set",
};

pub(super) static METRIC: OptionInfo = OptionInfo {
    name: "metric",
    flag: "metric",
    kind: OptionKind::Choice(&["manhattan", "euclidean"]),
    default: "manhattan",
    help: "The distance of k-NN, RELIEF-F and LFE; the paper does not specify it",
};

pub(super) static ALL: &[&DataSet] = &[&BANANA, &SPLICE, &WAVEFORM, &RINGNORM, &TWONORM, &THYROID];

/// The number of training rows of a set (Table 1); the other rows are test rows.
fn training_rows(set: &DataSet) -> usize {
    match set.file {
        "splice" => 1000,
        "thyroid" => 140,
        _ => 400,
    }
}

/// One run of a set: its rows with noise, and their split.
pub(super) struct NoisyRun {
    /// The run, with its seed.
    pub(super) run: Run,
    pub(super) table: Table<'static>,
    pub(super) split: Split,
}

impl NoisyRun {
    /// Draws the noise and the split of the run with this number, with a seed derived from that of `run`.
    pub(super) fn draw(run: &Run, set: &DataSet, data: &Data, number: usize) -> Result<Self> {
        let place = ALL.iter().position(|other| other.file == set.file).unwrap_or(0);
        let own = run.part(derived_seed(run.seed(), &[place as u64, number as u64]));
        let table = with_noise(data.table.clone(), NOISE, &own)?;
        let split = partition(table.rows(), training_rows(set), own.seed());
        Ok(Self { run: own, table, split })
    }

    /// The training rows with their classes.
    pub(super) fn training(&self, data: &Data) -> Result<(Table<'static>, Target)> {
        let rows = &self.split.train;
        Ok((self.table.select_rows(rows), data.target.select_rows(rows)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_rows_to_test() {
        assert!(ALL.iter().all(|set| training_rows(set) < set.shape.0));
    }
}
