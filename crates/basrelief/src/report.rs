//! The report of a fit: iterations, convergence, warnings and times.

use serde::{Deserialize, Serialize};

use crate::margins::SumPlan;
use crate::neighbors::{NeighborSearch, SearchPlan};
use crate::solve::Kernel;
use crate::solve::hinges::{Minimum, PROVEN};
use crate::warning::Warning;
use crate::wording::amount;

/// The report of a fit, in addition to its ranking or map.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Number of iterations, for iterative methods.
    pub iterations: Option<usize>,
    /// Whether the iteration converged, for iterative methods.
    pub converged: Option<bool>,
    /// Change of the weights in the last iteration, for iterative methods.
    pub last_change: Option<f64>,
    /// The change in every iteration; empty for most methods. For `irelief`, it is the Euclidean norm of the
    /// change of the weights. For `gi-relief`, it is the Frobenius norm of the change of the map's matrix, where
    /// every component has the sign that is nearer to the previous one.
    pub changes: Vec<f64>,
    /// The features that were dropped in every round, for `turf`.
    pub elimination: Option<Elimination>,
    /// The weights for each of several numbers of neighbors, if there are several.
    pub profile: Option<NeighborProfile>,
    /// Final value of the objective, for methods with an objective.
    pub objective: Option<f64>,
    /// Number of constraints in the final program, for linear programs solved by constraint generation.
    pub constraints: Option<usize>,
    /// `(objective - proven lower bound) / objective`, for methods that bound their optimum.
    pub relative_gap: Option<f64>,
    /// Number of dimensions in which the rows differ, for maps: the number of features minus those that
    /// are linear combinations of others.
    pub rank: Option<usize>,
    /// The ridge that was added to the diagonal of the inverted matrix, in its units, for maps that
    /// invert one; 0 if none was needed.
    pub ridge: Option<f64>,
    /// The kernel with all its parameters, for kernel maps.
    pub kernel: Option<Kernel>,
    /// The search that found the nearest rows, for methods that search once.
    pub search: Option<NeighborSearch>,
    /// The factor of each block of features in distances: 1 divided by the scale of the block. `None` without blocks.
    pub block_factors: Option<Vec<f64>>,
    /// How the search for neighbors and the sums of differences were computed.
    pub plan: Plan,
    /// Wall-clock seconds of the fit.
    pub seconds: f64,
}

/// The features that were dropped in every round, and the ranks of the retained features.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elimination {
    /// The number of features that were scored in every round; the first round scores all of them.
    pub features: Vec<usize>,
    /// The columns of the features of the last round, in the order of the table.
    pub kept: Vec<usize>,
    /// The rank of every retained feature in every round, 1 for the largest weight; equal weights share the
    /// smallest of their ranks.
    pub ranks: Vec<Vec<usize>>,
}

/// The weights of all features for several numbers of neighbors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NeighborProfile {
    /// The numbers of neighbors, ascending.
    pub neighbors: Vec<usize>,
    /// For each number of neighbors, the weight of every feature.
    pub weights: Vec<Vec<f64>>,
}

impl NeighborProfile {
    /// The number of neighbors with the largest weight of a feature, the smallest one if several are equal.
    pub fn best(&self, feature: usize) -> usize {
        let mut found = (self.neighbors.first().copied().unwrap_or_default(), f64::NEG_INFINITY);
        for (&neighbors, weights) in self.neighbors.iter().zip(&self.weights) {
            if weights[feature] > found.1 {
                found = (neighbors, weights[feature]);
            }
        }
        found.0
    }

    /// The weights of a feature, for every number of neighbors.
    pub fn of(&self, feature: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.neighbors.iter().zip(&self.weights).map(move |(&k, weights)| (k, weights[feature]))
    }
}

/// The plan of a fit and its outcome. For methods that repeat the search or the sums, it describes the last
/// ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The search for neighbors, for methods with a planned search.
    pub search: Option<SearchPlan>,
    /// The sums of differences, for methods that compute such sums.
    pub sums: Option<SumPlan>,
}

impl Plan {
    /// The plan in words: for each line, its topic and its text. Empty for methods without a plan.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(search) = &self.search {
            lines.push(("search", search.text()));
            lines.extend(search.missing.iter().map(|text| ("missing", text.clone())));
        }
        lines.extend(self.sums.iter().map(|sums| ("sums", sums.text())));
        if let Some(search) = &self.search {
            let in_file = match search.bytes_in_file {
                0 => "no file".to_string(),
                bytes => format!("{} in a file", amount(bytes)),
            };
            lines.push(("memory", format!("at most {}, {in_file}", amount(search.bytes))));
            lines.extend(search.not_used.iter().map(|text| ("not used", text.clone())));
            lines.extend(search.fallback.iter().map(|text| ("fallback", text.clone())));
        }
        let of_sums = self.sums.iter().filter_map(|sums| sums.fallback.clone());
        lines.extend(of_sums.map(|text| ("fallback", text)));
        lines
    }
}

impl Report {
    /// Adds the results of a minimization, and a warning if the minimum is not proven to be the optimum.
    pub(crate) fn add_minimum(&mut self, found: &Minimum) {
        let gap = found.relative_gap();
        self.iterations = Some(found.sweeps);
        self.objective = Some(found.value);
        self.relative_gap = Some(gap);
        self.converged = Some(gap <= PROVEN);
        if gap > PROVEN {
            self.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {} passes the weights are proven to be within {gap:.1e} of the optimum",
                    found.sweeps
                ),
            ));
        }
    }
}

/// The outcome of a fit: a ranking of features or a map, and a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted<T> {
    /// The ranking or the map.
    pub model: T,
    /// The report of the fit.
    pub report: Report,
}
