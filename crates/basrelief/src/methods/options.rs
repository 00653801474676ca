//! The options that several methods share. An option of one method stands in its file.

pub use crate::options::{OptionInfo, OptionKind, OptionValue, Settings};

use crate::differences::{GenotypeDiff, Metric, MissingPolicy};
use crate::neighbors::Ties;
use crate::options::{FromOption, choices};
use crate::solve::basis::Basis;

impl FromOption for Metric {
    fn from_option(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Text(text) => text.parse().ok(),
            _ => None,
        }
    }
}

choices! {
    Ties {
        Share = "share",
        First = "first",
    }
}

choices! {
    MissingPolicy {
        Expected = "expected",
        Ignore = "ignore",
        Pessimistic = "pessimistic",
    }
}

choices! {
    GenotypeDiff {
        Additive = "additive",
        Categorical = "categorical",
    }
}

choices! {
    Basis {
        Kpca = "kpca",
        GramSchmidt = "gram-schmidt",
    }
}

/// `n_neighbors`: how many nearest hits, and nearest misses of each other class.
pub static N_NEIGHBORS: OptionInfo = OptionInfo {
    name: "n_neighbors",
    flag: "neighbors",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Nearest neighbors taken from each class; more are steadier, fewer are more local",
};

/// `n_neighbors` with default 1, for the margin form.
pub(crate) static ONE_NEIGHBOR: OptionInfo = OptionInfo { default: "1", ..N_NEIGHBORS };

/// `n_components`: components of a map.
pub(crate) static N_COMPONENTS: OptionInfo = OptionInfo {
    name: "n_components",
    flag: "components",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Components of the map, the most important ones; all: as many as there are",
};

/// `metric` of methods whose neighbors are near in a straight line unless told otherwise.
pub(crate) static METRIC_EUCLIDEAN: OptionInfo = OptionInfo { default: "euclidean", ..METRIC };

/// `n_neighbors` of `dann`: rows of a neighborhood.
pub(crate) static DANN_NEIGHBORS: OptionInfo = OptionInfo {
    kind: OptionKind::Text { grammar: "auto|N", check: |text| auto_or_count(text).map(drop) },
    default: "auto",
    help: "Rows of a neighborhood, the row itself counted; auto: a fifth of the rows, at least 50",
    ..N_NEIGHBORS
};

/// `kernel`: the kernel in whose space a map is learned.
pub(crate) static KERNEL: OptionInfo = OptionInfo {
    name: "kernel",
    flag: "kernel",
    kind: OptionKind::Text {
        grammar: "none|NAME[:PARAMETER=VALUE,...]",
        check: |text| crate::solve::KernelChoice::parse(text).map(drop),
    },
    default: "none",
    help: "Learn in the space of a kernel: rbf[:rho=median|cv|X], laplacian[:rho=median|cv|X], \
           polynomial[:degree=3,scale=1,constant=1], sigmoid[:scale=1,constant=0] or linear",
};

/// `kernel` of methods that are nothing without one.
pub(crate) static KERNEL_RBF: OptionInfo = OptionInfo {
    kind: OptionKind::Text {
        grammar: "NAME[:PARAMETER=VALUE,...]",
        check: |text| text.parse::<crate::solve::KernelChoice>().map(drop),
    },
    default: "rbf",
    ..KERNEL
};

/// `basis`: of the kernel's space.
pub(crate) static BASIS: OptionInfo = OptionInfo {
    name: "basis",
    flag: "basis",
    kind: OptionKind::Choice(Basis::WORDS),
    default: "kpca",
    help: "Basis of the kernel's space: principal components of all rows, or rows made orthonormal \
           one by one, which is faster and never needs all pairs of rows",
};

/// `max_rank`: where a basis of the kernel's space ends.
pub(crate) static MAX_RANK: OptionInfo = OptionInfo {
    name: "max_rank",
    flag: "max-rank",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Dimensions of the kernel's space to use at most",
};

/// `rank_tolerance`: where a basis of the kernel's space ends.
pub(crate) static RANK_TOLERANCE: OptionInfo = OptionInfo {
    name: "rank_tolerance",
    flag: "rank-tolerance",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "1e-10",
    help: "Leave out dimensions of the kernel's space whose eigenvalue (kpca) or squared length \
           (gram-schmidt) is not above this share of the greatest",
};

/// `n_samples`: how many rows are sampled.
pub(crate) static N_SAMPLES: OptionInfo = OptionInfo {
    name: "n_samples",
    flag: "samples",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Rows whose neighbors are looked at, drawn without replacement by the seed",
};

/// `neighbor_weights`: weight of a neighbor by its rank.
pub(crate) static NEIGHBOR_WEIGHTS: OptionInfo = OptionInfo {
    name: "neighbor_weights",
    flag: "neighbor-weights",
    kind: OptionKind::Text {
        grammar: "uniform|rank[:SIGMA]",
        check: |text| text.parse::<crate::neighbors::NeighborWeights>().map(drop),
    },
    default: "uniform",
    help: "Weight of the neighbors: all alike, or falling with rank as exp(-(rank/SIGMA)^2), \
           SIGMA 20 unless given",
};

/// `ties`: who counts when rows are equally far.
pub(crate) static TIES: OptionInfo = OptionInfo {
    name: "ties",
    flag: "ties",
    kind: OptionKind::Choice(Ties::WORDS),
    default: "share",
    help: "Rows equally far at the last place: all share it, or the first rows of the table win",
};

/// `metric`: how differences add up to a distance.
pub(crate) static METRIC: OptionInfo = OptionInfo {
    name: "metric",
    flag: "metric",
    kind: OptionKind::Choice(&Metric::NAMES),
    default: "manhattan",
    help: "Distance between rows: sum of the features' differences, root of their squares' sum, sum of \
           |a - b| / (|a| + |b|) of the numbers as they are, or the largest difference",
};

/// The methods that take `canberra`, and those that take `chebyshev`; a test compares them with the registry.
const TAKE_CANBERRA: &str = "relieff, rrelieff, surf, surf*, multisurf, multisurf*, swrf*, relief, relief-e, \
                             relief-margin and lfe";
const TAKE_CHEBYSHEV: &str = "relieff, rrelieff, surf, surf*, multisurf, multisurf*, swrf*, relief, relief-e, \
                              relief-margin, lfe, o-relief, klfe, fskpca and fskgp";

/// `metric` of methods that weigh features in their distances, which have to be sums of differences for that.
pub(crate) static METRIC_OF_WEIGHTS: OptionInfo = OptionInfo {
    kind: OptionKind::ChoiceOfFewer {
        words: &["manhattan", "euclidean"],
        elsewhere: &[("canberra", TAKE_CANBERRA), ("chebyshev", TAKE_CHEBYSHEV)],
    },
    help: "Distance between rows: sum of the features' weighted differences, or root of their squares' sum",
    ..METRIC
};

/// `metric` of methods that seek neighbors among coordinates that are no numbers of the table: rotated ones, and
/// those of a kernel's space.
pub(crate) static METRIC_OF_COORDINATES: OptionInfo = OptionInfo {
    kind: OptionKind::ChoiceOfFewer {
        words: &["manhattan", "euclidean", "chebyshev"],
        elsewhere: &[("canberra", TAKE_CANBERRA)],
    },
    help: "Distance between rows: sum of the coordinates' differences, root of their squares' sum, or the \
           largest difference",
    ..METRIC
};

/// The same, Euclidean unless told otherwise.
pub(crate) static METRIC_OF_COORDINATES_EUCLIDEAN: OptionInfo =
    OptionInfo { default: "euclidean", ..METRIC_OF_COORDINATES };

/// `missing`: what a missing value is worth.
pub(crate) static MISSING: OptionInfo = OptionInfo {
    name: "missing",
    flag: "missing",
    kind: OptionKind::Choice(MissingPolicy::WORDS),
    default: "expected",
    help: "Difference to a missing value: expected given the class, left out, or the worst case",
};

/// `missing` of methods that need every difference and leave no feature out of a pair.
pub(crate) static MISSING_COUNTED: OptionInfo = OptionInfo {
    kind: OptionKind::Choice(&["expected", "pessimistic"]),
    help: "Difference to a missing value: expected given the class, or the worst case",
    ..MISSING
};

/// `ramp`: differences below a threshold count nothing, above another count fully.
pub(crate) static RAMP: OptionInfo = OptionInfo {
    name: "ramp",
    flag: "ramp",
    kind: OptionKind::Text {
        grammar: "none|T_EQUAL:T_DIFFERENT",
        check: |text| crate::neighbors::Ramp::parse(text).map(drop),
    },
    default: "none",
    help: "Numeric differences up to T_EQUAL of the range count 0, from T_DIFFERENT on 1, linear \
           between",
};

/// `genotype_diff`: difference of two genotypes.
pub(crate) static GENOTYPE_DIFF: OptionInfo = OptionInfo {
    name: "genotype_diff",
    flag: "genotype-diff",
    kind: OptionKind::Choice(GenotypeDiff::WORDS),
    default: "additive",
    help: "Difference of two genotypes: half the allele copies that differ, or 0/1",
};

/// `max_iter`: when an iteration gives up.
pub(crate) static MAX_ITER: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "100",
    help: "Iterations at most; reaching it is a warning",
};

/// `tol`: when an iteration has converged.
pub(crate) static TOL: OptionInfo = OptionInfo {
    name: "tol",
    flag: "tol",
    kind: OptionKind::Positive,
    default: "1e-6",
    help: "Change of the weights below which the iteration has converged",
};

/// `tol` of `nca` and `ldm`: when the objective no longer changes.
pub(crate) static TOL_OBJECTIVE: OptionInfo = OptionInfo {
    help: "Share of the objective by which an iteration must change it to go on",
    ..TOL
};

/// `n_neighbors` of `d-lmnn`: target neighbors of a row.
pub static TARGET_NEIGHBORS: OptionInfo = OptionInfo { default: "3", ..N_NEIGHBORS };

/// `mu`: weight of the violations of `d-lmnn`.
pub(crate) static MU: OptionInfo = OptionInfo {
    name: "mu",
    flag: "mu",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.5",
    help: "Weight of the violated margins; target neighbors are pulled with 1 - mu",
};

/// Reads `auto`, which is `None`, or a whole number of at least 2.
pub(super) fn auto_or_count(text: &str) -> Result<Option<usize>, String> {
    match text.parse::<usize>() {
        Ok(count) if count >= 2 => Ok(Some(count)),
        Ok(count) => Err(format!("{count} is less than 2")),
        Err(_) if text == "auto" => Ok(None),
        Err(_) => Err(format!("`{text}` is neither `auto` nor a whole number")),
    }
}
