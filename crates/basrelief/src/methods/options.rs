//! The options that several methods share. Options of a single method are defined in its file.

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

/// `n_neighbors`: the number of nearest hits, and of nearest misses of each other class.
pub static N_NEIGHBORS: OptionInfo = OptionInfo {
    name: "n_neighbors",
    flag: "neighbors",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Number of nearest neighbors per class: larger is more stable, smaller is more local",
};

/// `n_neighbors` of methods that also compute weights for a list of numbers.
pub static NEIGHBOR_COUNTS: OptionInfo =
    OptionInfo { kind: OptionKind::Counts { least: 1 }, ..N_NEIGHBORS };

/// `n_neighbors` with the default 1, for the margin form.
pub(crate) static ONE_NEIGHBOR: OptionInfo = OptionInfo { default: "1", ..N_NEIGHBORS };

/// `n_components`: the number of components of a map.
pub(crate) static N_COMPONENTS: OptionInfo = OptionInfo {
    name: "n_components",
    flag: "components",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Number of components of the map, most important first; all: as many as there are",
};

/// `metric` with the default `euclidean`.
pub(crate) static METRIC_EUCLIDEAN: OptionInfo = OptionInfo { default: "euclidean", ..METRIC };

/// `n_neighbors` of `dann`: the number of rows in a neighborhood.
pub(crate) static DANN_NEIGHBORS: OptionInfo = OptionInfo {
    kind: OptionKind::Text { grammar: "auto|N", check: |text| auto_or_count(text).map(drop) },
    default: "auto",
    help: "Rows in a neighborhood, including the row itself; auto: a fifth of the rows, at least 50",
    ..N_NEIGHBORS
};

/// `kernel`: the kernel that defines the space in which a map is learned.
pub(crate) static KERNEL: OptionInfo = OptionInfo {
    name: "kernel",
    flag: "kernel",
    kind: OptionKind::Text {
        grammar: "none|NAME[:PARAMETER=VALUE,...]",
        check: |text| crate::solve::KernelChoice::parse(text).map(drop),
    },
    default: "none",
    help: "Learn in a kernel space: rbf[:rho=median|cv|X], laplacian[:rho=median|cv|X], \
           polynomial[:degree=3,scale=1,constant=1], sigmoid[:scale=1,constant=0] or linear",
};

/// `kernel` of methods that require one.
pub(crate) static KERNEL_RBF: OptionInfo = OptionInfo {
    kind: OptionKind::Text {
        grammar: "NAME[:PARAMETER=VALUE,...]",
        check: |text| text.parse::<crate::solve::KernelChoice>().map(drop),
    },
    default: "rbf",
    ..KERNEL
};

/// `basis`: the basis of the kernel space.
pub(crate) static BASIS: OptionInfo = OptionInfo {
    name: "basis",
    flag: "basis",
    kind: OptionKind::Choice(Basis::WORDS),
    default: "kpca",
    help: "Basis of the kernel space: kernel principal components of all rows, or rows orthonormalized \
           one by one (gram-schmidt), which is faster and does not need all pairs of rows",
};

/// `max_rank`: the maximum size of a basis of the kernel space.
pub(crate) static MAX_RANK: OptionInfo = OptionInfo {
    name: "max_rank",
    flag: "max-rank",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Maximum number of dimensions of the kernel space",
};

/// `rank_tolerance`: the relative tolerance that determines the size of a basis of the kernel space.
pub(crate) static RANK_TOLERANCE: OptionInfo = OptionInfo {
    name: "rank_tolerance",
    flag: "rank-tolerance",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "1e-10",
    help: "Exclude dimensions of the kernel space whose eigenvalue (kpca) or squared length \
           (gram-schmidt) does not exceed this fraction of the largest",
};

/// `n_samples`: the number of sampled rows.
pub(crate) static N_SAMPLES: OptionInfo = OptionInfo {
    name: "n_samples",
    flag: "samples",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Number of rows whose neighbors are used, drawn without replacement by the seed",
};

/// `neighbor_weights`: the weight of a neighbor by its rank.
pub(crate) static NEIGHBOR_WEIGHTS: OptionInfo = OptionInfo {
    name: "neighbor_weights",
    flag: "neighbor-weights",
    kind: OptionKind::Text {
        grammar: "uniform|rank[:SIGMA]",
        check: |text| text.parse::<crate::neighbors::NeighborWeights>().map(drop),
    },
    default: "uniform",
    help: "Weights of the neighbors: equal, or decreasing with the rank as exp(-(rank/SIGMA)^2), \
           by default with SIGMA = 20",
};

/// `ties`: the treatment of rows at equal distance.
pub(crate) static TIES: OptionInfo = OptionInfo {
    name: "ties",
    flag: "ties",
    kind: OptionKind::Choice(Ties::WORDS),
    default: "share",
    help: "Rows tied at the largest distance: all get tie weights, or the first rows of the table are used",
};

/// `metric`: the combination of the differences into a distance.
pub(crate) static METRIC: OptionInfo = OptionInfo {
    name: "metric",
    flag: "metric",
    kind: OptionKind::Choice(&Metric::NAMES),
    default: "manhattan",
    help: "Distance between rows: the sum of the differences of the features, the square root of the sum of \
           their squares, the sum of |a - b| / (|a| + |b|) of the raw numbers, or the largest difference",
};

/// The methods that support `canberra`, and those that support `chebyshev`; a test compares them with the registry.
const TAKE_CANBERRA: &str = "relieff, rrelieff, survival-relief, surf, surf*, multisurf, multisurf*, swrf, swrf*, multiswrf, \
                             multiswrf*, multiswrfdb, multiswrfdb*, mu-relief, relief, relief-e, relief-margin and lfe";
const TAKE_CHEBYSHEV: &str = "relieff, rrelieff, survival-relief, surf, surf*, multisurf, multisurf*, swrf, swrf*, multiswrf, \
                              multiswrf*, multiswrfdb, multiswrfdb*, mu-relief, relief, relief-e, relief-margin, lfe, o-relief, \
                              klfe, fskpca and fskgp";

/// `metric` of methods that weight the features in their distances, which must be sums of differences.
pub(crate) static METRIC_OF_WEIGHTS: OptionInfo = OptionInfo {
    kind: OptionKind::ChoiceOfFewer {
        words: &["manhattan", "euclidean"],
        elsewhere: &[("canberra", TAKE_CANBERRA), ("chebyshev", TAKE_CHEBYSHEV)],
    },
    help: "Distance between rows: the sum of the weighted differences of the features, or the square root of \
           the weighted sum of their squares",
    ..METRIC
};

/// `metric` of methods whose neighbor search uses coordinates that are not numbers of the table: rotated coordinates,
/// and those of a kernel space.
pub(crate) static METRIC_OF_COORDINATES: OptionInfo = OptionInfo {
    kind: OptionKind::ChoiceOfFewer {
        words: &["manhattan", "euclidean", "chebyshev"],
        elsewhere: &[("canberra", TAKE_CANBERRA)],
    },
    help: "Distance between rows: the sum of the differences of the coordinates, the square root of the sum of \
           their squares, or the largest difference",
    ..METRIC
};

/// [`METRIC_OF_COORDINATES`] with the default `euclidean`.
pub(crate) static METRIC_OF_COORDINATES_EUCLIDEAN: OptionInfo =
    OptionInfo { default: "euclidean", ..METRIC_OF_COORDINATES };

/// `missing`: the difference to a missing value.
pub(crate) static MISSING: OptionInfo = OptionInfo {
    name: "missing",
    flag: "missing",
    kind: OptionKind::Choice(MissingPolicy::WORDS),
    default: "expected",
    help: "Difference to a missing value: expected given the class, excluded, or the worst case",
};

/// `missing` of methods that need every difference and cannot exclude a feature from a pair.
pub(crate) static MISSING_COUNTED: OptionInfo = OptionInfo {
    kind: OptionKind::Choice(&["expected", "pessimistic"]),
    help: "Difference to a missing value: expected given the class, or the worst case",
    ..MISSING
};

/// `ramp`: numeric differences below a threshold are set to 0, and those above another threshold to 1.
pub(crate) static RAMP: OptionInfo = OptionInfo {
    name: "ramp",
    flag: "ramp",
    kind: OptionKind::Text {
        grammar: "none|T_EQUAL:T_DIFFERENT",
        check: |text| crate::neighbors::Ramp::parse(text).map(drop),
    },
    default: "none",
    help: "Numeric differences up to T_EQUAL of the range count as 0, from T_DIFFERENT on as 1, and \
           linearly in between",
};

/// `genotype_diff`: the difference of two genotypes.
pub(crate) static GENOTYPE_DIFF: OptionInfo = OptionInfo {
    name: "genotype_diff",
    flag: "genotype-diff",
    kind: OptionKind::Choice(GenotypeDiff::WORDS),
    default: "additive",
    help: "Difference of two genotypes: half the difference in allele copies, or 0/1 (equal or not)",
};

/// `max_iter`: the maximum number of iterations.
pub(crate) static MAX_ITER: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "100",
    help: "Maximum number of iterations; reaching it gives a warning",
};

/// `tol`: the tolerance for convergence.
pub(crate) static TOL: OptionInfo = OptionInfo {
    name: "tol",
    flag: "tol",
    kind: OptionKind::Positive,
    default: "1e-6",
    help: "The iteration has converged when the weights change by less than this",
};

/// `tol` of `nca` and `ldm`: the tolerance for changes of the objective.
pub(crate) static TOL_OBJECTIVE: OptionInfo = OptionInfo {
    help: "The search ends when the relative change of the objective is smaller than this",
    ..TOL
};

/// `n_neighbors` of `d-lmnn`: the number of target neighbors of a row.
pub static TARGET_NEIGHBORS: OptionInfo = OptionInfo { default: "3", ..N_NEIGHBORS };

/// `mu`: the weight of the violations of `d-lmnn`.
pub(crate) static MU: OptionInfo = OptionInfo {
    name: "mu",
    flag: "mu",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.5",
    help: "Weight of the violated margins; the pull of the target neighbors has the weight 1 - mu",
};

/// Parses `auto`, which is `None`, or a whole number of at least 2.
pub(super) fn auto_or_count(text: &str) -> Result<Option<usize>, String> {
    match text.parse::<usize>() {
        Ok(count) if count >= 2 => Ok(Some(count)),
        Ok(count) => Err(format!("{count} is less than 2")),
        Err(_) if text == "auto" => Ok(None),
        Err(_) => Err(format!("`{text}` is neither `auto` nor a whole number")),
    }
}
