//! What a fit tells beside its map: iterations, convergence, warnings, times.

use serde::{Deserialize, Serialize};

use crate::margins::SumPlan;
use crate::neighbors::{NeighborSearch, SearchPlan};
use crate::solve::Kernel;
use crate::solve::hinges::{Minimum, PROVEN};
use crate::warning::Warning;
use crate::wording::amount;

/// What a fit reports beside its map.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Iterations done, for methods that iterate.
    pub iterations: Option<usize>,
    /// Whether the iteration converged, for methods that iterate.
    pub converged: Option<bool>,
    /// Change of the weights in the last iteration, for methods that iterate.
    pub last_change: Option<f64>,
    /// The change in every iteration. For `irelief` it is that of the weights, the Euclidean norm of the
    /// difference; for `gi-relief` that of the map's matrix, the Frobenius norm of the difference, every
    /// component in the sign that is nearer to the one before. Else empty.
    pub changes: Vec<f64>,
    /// How features were dropped round by round, for `turf`.
    pub elimination: Option<Elimination>,
    /// Final value of the objective, for methods that have one.
    pub objective: Option<f64>,
    /// Constraints kept at the end, for linear programs solved by constraint generation.
    pub constraints: Option<usize>,
    /// `(objective - proven lower bound) / objective`, for methods that prove their optimum.
    pub relative_gap: Option<f64>,
    /// Dimensions in which the rows differ, for maps: the number of features less those that depend
    /// on others.
    pub rank: Option<usize>,
    /// What was added to the diagonal of a matrix that had to be inverted, in its units, for maps
    /// that need one inverted; 0 when nothing was.
    pub ridge: Option<f64>,
    /// The kernel with all its parameters, for maps of a kernel's space.
    pub kernel: Option<Kernel>,
    /// How the nearest rows were found, for methods that find them once.
    pub search: Option<NeighborSearch>,
    /// How neighbors were sought and differences added up.
    pub plan: Plan,
    /// Wall-clock seconds of the fit.
    pub seconds: f64,
}

/// How features were dropped round by round, and how those that stayed came to the front.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elimination {
    /// The number of features weighed in every round, the first with all of them.
    pub features: Vec<usize>,
    /// The columns of the features of the last round, in the order of the table.
    pub kept: Vec<usize>,
    /// For every kept feature its rank in every round, 1 for the greatest weight; equal weights share the
    /// first of their ranks.
    pub ranks: Vec<Vec<usize>>,
}

/// How a fit was planned, and what became of it: the last search and the last sums, for methods that repeat
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The search for neighbors, for methods that plan one.
    pub search: Option<SearchPlan>,
    /// The sums of differences, for methods that add some up.
    pub sums: Option<SumPlan>,
}

impl Plan {
    /// The plan in words, line by line: what the line is of, and the text. Empty for methods without a
    /// plan.
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
            lines.push(("memory", format!("{} at most, {in_file}", amount(search.bytes))));
            lines.extend(search.not_used.iter().map(|text| ("not used", text.clone())));
            lines.extend(search.fallback.iter().map(|text| ("fallback", text.clone())));
        }
        let of_sums = self.sums.iter().filter_map(|sums| sums.fallback.clone());
        lines.extend(of_sums.map(|text| ("fallback", text)));
        lines
    }
}

impl Report {
    /// Adds how a minimum was found; a warning where it is not proven.
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

/// The outcome of a fit: a ranking of features or a map, and the report of how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted<T> {
    /// The ranking or the map.
    pub model: T,
    /// How it was found.
    pub report: Report,
}
