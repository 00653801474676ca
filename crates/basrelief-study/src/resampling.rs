//! Rankings of random subsets of the rows.

use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling, Stability};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::text::{ALWAYS, TableColumn};

/// Default number of features that a resample selects; at most half of the features.
pub const USUAL_TOP: usize = 20;

/// The number of features that a resample selects if the user does not specify it.
pub fn usual_top(features: usize) -> usize {
    USUAL_TOP.min(features / 2).max(1)
}

/// The numbers of features above 10 whose stability is computed; then their tenfold, and so on.
const ABOVE_TEN: [usize; 10] = [12, 15, 20, 25, 30, 40, 50, 60, 80, 100];

/// The stability of selections of a number of features.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StabilityAt {
    /// The number of features that every resample selects.
    pub features: usize,
    /// The stability, where it is defined.
    pub stability: Option<Stability>,
}

/// The stability by number of features: round numbers, up to [`ResampledRankings::LEADERS`] or one less than there are,
/// and the number that the resamples select.
pub fn stability_curve(found: &ResampledRankings) -> Vec<StabilityAt> {
    let recorded = found.leaders.iter().map(Vec::len).max().unwrap_or(0);
    let most = ResampledRankings::LEADERS.min(recorded).min(found.features.len().saturating_sub(1));
    let scales = std::iter::successors(Some(1), |scale| Some(10 * scale));
    let larger = scales.flat_map(|scale| ABOVE_TEN.map(|number| number * scale));
    let mut numbers: Vec<usize> = (1..=10)
        .chain(larger)
        .take_while(|&number| number < most)
        .chain([most, found.top])
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let at =
        |features: usize| StabilityAt { features, stability: found.stability_with(features).ok() };
    numbers.into_iter().filter(|&features| features > 0).map(at).collect()
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
