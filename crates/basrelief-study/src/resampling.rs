//! Rankings of random parts of the rows, beside the ranking of all rows.

use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling};
use serde_json::{Value, json};

use crate::text::TableColumn;

/// Features that a resample selects unless the user says how many, and half of the features at most.
pub const USUAL_TOP: usize = 20;

/// How many features a resample selects where the user does not say.
pub fn usual_top(features: usize) -> usize {
    USUAL_TOP.min(features / 2).max(1)
}

/// Rankings of resamples, beside the ranking of all rows.
#[derive(Debug, Clone)]
pub struct Resampled {
    resampling: Resampling,
    found: ResampledRankings,
}

impl Resampled {
    /// From how rows were resampled and what was found.
    pub fn new(resampling: Resampling, found: ResampledRankings) -> Self {
        Self { resampling, found }
    }

    /// What was found of a feature.
    pub fn feature(&self, feature: usize) -> ResampledFeature {
        self.found.features[feature]
    }

    /// What was found of all.
    pub fn found(&self) -> &ResampledRankings {
        &self.found
    }

    /// What was done, in words.
    pub fn summary(&self) -> String {
        format!("{} resamples of {} rows", self.resampling.resamples, self.found.rows)
    }

    /// The ranks of some features, as a column of a table.
    pub fn column(&self, features: &[usize]) -> TableColumn {
        let cell = |&feature: &usize| {
            let (least, greatest) = self.feature(feature).rank_interval;
            format!("{least} to {greatest}")
        };
        TableColumn {
            heads: ["95 % of ranks", "ranks"],
            cells: features.iter().map(cell).collect(),
        }
    }

    /// What was found of a feature, in JSON.
    pub fn feature_json(&self, feature: usize) -> [(&'static str, Value); 2] {
        let ResampledFeature { median_rank, rank_interval: (least, greatest), .. } =
            self.feature(feature);
        [("median_rank", json!(median_rank)), ("rank_interval", json!([least, greatest]))]
    }

    /// What was done, in JSON.
    pub fn json(&self) -> Value {
        json!({
            "resamples": self.resampling.resamples,
            "fraction": self.resampling.fraction,
            "rows": self.found.rows,
            "seconds": self.found.seconds,
        })
    }

    /// What CSV has of every feature.
    pub const CSV_HEAD: &str = ",median_rank,least_rank,greatest_rank";

    /// The same of one feature.
    pub fn csv(&self, feature: usize) -> String {
        let ResampledFeature { median_rank, rank_interval: (least, greatest), .. } =
            self.feature(feature);
        format!(",{median_rank},{least},{greatest}")
    }
}
