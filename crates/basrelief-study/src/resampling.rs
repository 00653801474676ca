//! Rankings of random subsets of the rows.

use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::text::{ALWAYS, TableColumn};

/// Default number of features that a resample selects; at most half of the features.
pub const USUAL_TOP: usize = 20;

/// The number of features that a resample selects if the user does not specify it.
pub fn usual_top(features: usize) -> usize {
    USUAL_TOP.min(features / 2).max(1)
}

/// Rankings of resamples, which accompany the ranking of all rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resampled {
    resampling: Resampling,
    found: ResampledRankings,
}

impl Resampled {
    /// Combines a resampling with its rankings.
    pub fn new(resampling: Resampling, found: ResampledRankings) -> Self {
        Self { resampling, found }
    }

    /// The ranks of one feature.
    pub fn feature(&self, feature: usize) -> ResampledFeature {
        self.found.features[feature]
    }

    /// The rankings.
    pub fn found(&self) -> &ResampledRankings {
        &self.found
    }

    /// The number of resamples and their rows, in words.
    pub fn summary(&self) -> String {
        format!("{} resamples of {} rows", self.resampling.resamples, self.found.rows)
    }

    /// The ranks of some features, as a column of a table.
    pub fn column(&self, features: &[usize]) -> TableColumn {
        let cell = |&feature: &usize| {
            let (low, high) = self.feature(feature).rank_interval;
            format!("{low} to {high}")
        };
        TableColumn {
            heads: ["95 % of ranks", "ranks"],
            cells: features.iter().map(cell).collect(),
            importance: ALWAYS,
        }
    }

    /// The ranks of one feature, in JSON.
    pub fn feature_json(&self, feature: usize) -> [(&'static str, Value); 2] {
        let ResampledFeature { median_rank, rank_interval: (low, high), .. } =
            self.feature(feature);
        [("median_rank", json!(median_rank)), ("rank_interval", json!([low, high]))]
    }

    /// The specification of the resamples, in JSON.
    pub fn json(&self) -> Value {
        json!({
            "resamples": self.resampling.resamples,
            "fraction": self.resampling.fraction,
            "rows": self.found.rows,
            "seconds": self.found.seconds,
        })
    }

    /// The head of the columns of CSV.
    pub const CSV_HEAD: &str = ",median_rank,least_rank,greatest_rank";

    /// The columns of CSV for one feature.
    pub fn csv(&self, feature: usize) -> String {
        let ResampledFeature { median_rank, rank_interval: (low, high), .. } =
            self.feature(feature);
        format!(",{median_rank},{low},{high}")
    }
}
