//! `--resamples`: rankings of random parts of the rows, for `rank` and `stability`.

use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling};
use basrelief::{Error, Result};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::text::TableColumn;

/// Features that a resample selects unless the user says how many, and half of the features at most.
pub(crate) const USUAL_TOP: usize = 20;

/// The resampling that the arguments ask for, where they do; what a resample selects is to be set once the
/// features are known.
///
/// # Errors
/// As of [`Resampling::check`].
pub(crate) fn resampling(matches: &ArgMatches) -> Result<Option<Resampling>> {
    let Some(&resamples) = matches.get_one::<usize>("resamples") else { return Ok(None) };
    let fraction = matches
        .get_one("fraction")
        .copied()
        .ok_or_else(|| Error::Internal("the fraction argument has no default".to_string()))?;
    let resampling = Resampling { resamples, fraction, top: USUAL_TOP };
    resampling.check()?;
    Ok(Some(resampling))
}

/// How many features a resample selects where the user does not say.
pub(crate) fn usual_top(features: usize) -> usize {
    USUAL_TOP.min(features / 2).max(1)
}

/// Rankings of resamples, beside the ranking of all rows.
#[derive(Debug)]
pub(crate) struct Resampled {
    resampling: Resampling,
    found: ResampledRankings,
}

impl Resampled {
    pub(crate) fn new(resampling: Resampling, found: ResampledRankings) -> Self {
        Self { resampling, found }
    }

    /// What was found of a feature.
    pub(crate) fn feature(&self, feature: usize) -> ResampledFeature {
        self.found.features[feature]
    }

    /// What was found of all.
    pub(crate) fn found(&self) -> &ResampledRankings {
        &self.found
    }

    /// What was done, in words.
    pub(crate) fn summary(&self) -> String {
        format!("{} resamples of {} rows", self.resampling.resamples, self.found.rows)
    }

    /// The ranks of some features, as a column of a table.
    pub(crate) fn column(&self, features: &[usize]) -> TableColumn {
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
    pub(crate) fn feature_json(&self, feature: usize) -> [(&'static str, Value); 2] {
        let ResampledFeature { median_rank, rank_interval: (least, greatest), .. } =
            self.feature(feature);
        [("median_rank", json!(median_rank)), ("rank_interval", json!([least, greatest]))]
    }

    /// What was done, in JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "resamples": self.resampling.resamples,
            "fraction": self.resampling.fraction,
            "rows": self.found.rows,
            "seconds": self.found.seconds,
        })
    }

    /// What CSV has of every feature.
    pub(crate) const CSV_HEAD: &str = ",median_rank,least_rank,greatest_rank";

    /// The same of one feature.
    pub(crate) fn csv(&self, feature: usize) -> String {
        let ResampledFeature { median_rank, rank_interval: (least, greatest), .. } =
            self.feature(feature);
        format!(",{median_rank},{least},{greatest}")
    }
}
