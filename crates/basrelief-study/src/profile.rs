//! Weights for several numbers of neighbors in tables, JSON, CSV and pages.

use basrelief::{NeighborProfile, Result};
use basrelief_report::figures::{Curve, Panel, curves};
use serde_json::{Value, json};

use crate::text::{ALWAYS, TableColumn, cut};

/// The panels in a row of the figure, and of the figure.
const COLUMNS: usize = 3;
const PANELS: usize = 9;

/// The number of neighbors with the largest weight of some features, as a column of a table.
pub(crate) fn column(profile: &NeighborProfile, features: &[usize]) -> TableColumn {
    TableColumn {
        heads: ["neighbors (k)", "k"],
        cells: features.iter().map(|&feature| profile.best(feature).to_string()).collect(),
        importance: ALWAYS,
    }
}

/// How the weights are computed, in words.
pub(crate) fn summary(profile: &NeighborProfile) -> String {
    let numbers: Vec<String> = profile.neighbors.iter().map(usize::to_string).collect();
    format!(
        "weight: the largest for {} neighbors; k: the number of neighbors with this weight",
        numbers.join(", ")
    )
}

/// The number of neighbors with the largest weight of a feature, and its weight for every number, in JSON.
pub(crate) fn feature_json(
    profile: &NeighborProfile,
    feature: usize,
) -> [(&'static str, Value); 2] {
    let weights: Vec<Value> = profile
        .of(feature)
        .map(|(neighbors, weight)| json!({"neighbors": neighbors, "weight": weight}))
        .collect();
    [("neighbors", json!(profile.best(feature))), ("weights_by_neighbors", weights.into())]
}

/// The heads of the columns of CSV.
pub(crate) fn csv_head(profile: &NeighborProfile) -> String {
    let heads = profile.neighbors.iter().map(|neighbors| format!(",weight_{neighbors}"));
    format!(",neighbors{}", heads.collect::<String>())
}

/// The columns of CSV for one feature.
pub(crate) fn csv(profile: &NeighborProfile, feature: usize) -> String {
    let weights = profile.of(feature).map(|(_, weight)| format!(",{weight:?}"));
    format!(",{}{}", profile.best(feature), weights.collect::<String>())
}

/// The weights of some features, given by name and column, by the number of neighbors: an SVG with a panel for each.
pub(crate) fn figure(profile: &NeighborProfile, features: &[(&str, usize)]) -> Result<String> {
    let panel = |&(name, feature): &(&str, usize)| Panel {
        title: cut(name, 24),
        x_label: "neighbors".to_string(),
        y_label: "weight".to_string(),
        curves: vec![Curve {
            name: String::new(),
            points: profile.of(feature).map(|(k, weight)| (k as f64, weight)).collect(),
        }],
    };
    let panels: Vec<Panel> = features.iter().take(PANELS).map(panel).collect();
    curves("weights by the number of neighbors", COLUMNS.min(panels.len()), &panels)
}
