//! Options as data: declared once, read by the command line, Python, the documentation and the
//! methods themselves, so that names, defaults and ranges cannot drift apart.

use std::fmt;

use serde_json::{Map, Value};

use super::wrappers::WRAPPERS;
use crate::error::{Error, Result, nearest_name};
use crate::wording;

/// One option of a method.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Name in Python, in JSON and in messages: `n_neighbors`.
    pub name: &'static str,
    /// Name on the command line, without dashes: `neighbors`.
    pub flag: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// Default, written as the user would.
    pub default: &'static str,
    /// One line: what it does.
    pub help: &'static str,
}

/// What values an option takes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum OptionKind {
    /// A whole number, at least `least`.
    Count {
        /// Smallest value allowed.
        least: u64,
    },
    /// A whole number of at least 1, or `all`.
    CountOrAll,
    /// A real number from `least` to `most`, both allowed.
    Number {
        /// Smallest value allowed.
        least: f64,
        /// Greatest value allowed.
        most: f64,
    },
    /// A real number above 0.
    Positive,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A text with a grammar of its own.
    Text {
        /// The grammar, as shown to users: `none|T_EQUAL:T_DIFFERENT`.
        grammar: &'static str,
        /// Checks a text; the error is the reason for refusing it.
        check: fn(&str) -> std::result::Result<(), String>,
    },
}

impl OptionKind {
    /// The values it takes, as shown to users: `uniform|rank[:SIGMA]`, `all|M`, `K`.
    pub fn grammar(&self) -> String {
        match self {
            OptionKind::Count { .. } => "N".to_string(),
            OptionKind::CountOrAll => "all|N".to_string(),
            OptionKind::Number { .. } | OptionKind::Positive => "X".to_string(),
            OptionKind::Choice(words) => words.join("|"),
            OptionKind::Text { grammar, .. } => (*grammar).to_string(),
        }
    }
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// A whole number.
    Count(u64),
    /// A real number.
    Number(f64),
    /// Everything there is.
    All,
    /// A word or a text with a grammar of its own.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Count(count) => write!(f, "{count}"),
            OptionValue::Number(number) => write!(f, "{number}"),
            OptionValue::All => f.write_str("all"),
            OptionValue::Text(text) => f.write_str(text),
        }
    }
}

impl OptionInfo {
    /// Reads and checks a value as the user wrote it.
    ///
    /// # Errors
    /// The value is not one that the option takes.
    pub fn parse(&self, text: &str) -> Result<OptionValue> {
        let refuse = |problem: String| {
            Error::option(
                self.name,
                problem,
                format!("it takes {} (default {})", self.describe_values(), self.default),
            )
        };
        let count = |least: u64| match text.parse::<u64>() {
            Ok(value) if value >= least => Ok(OptionValue::Count(value)),
            Ok(value) => Err(refuse(format!("{value} is less than {least}"))),
            Err(_) => Err(refuse(format!("`{text}` is not a whole number"))),
        };
        match self.kind {
            OptionKind::Count { least } => count(least),
            OptionKind::CountOrAll if text == "all" => Ok(OptionValue::All),
            OptionKind::CountOrAll => count(1),
            OptionKind::Number { least, most } => match text.parse::<f64>() {
                Ok(value) if (least..=most).contains(&value) => Ok(OptionValue::Number(value)),
                Ok(value) => Err(refuse(format!("{value} is not between {least} and {most}"))),
                Err(_) => Err(refuse(format!("`{text}` is not a number"))),
            },
            OptionKind::Positive => match text.parse::<f64>() {
                Ok(value) if value > 0.0 && value.is_finite() => Ok(OptionValue::Number(value)),
                Ok(value) => Err(refuse(format!("{value} is not above 0 and finite"))),
                Err(_) => Err(refuse(format!("`{text}` is not a number"))),
            },
            OptionKind::Choice(words) if words.contains(&text) => {
                Ok(OptionValue::Text(text.to_string()))
            }
            OptionKind::Choice(words) => {
                let near = nearest_name(text, words.iter().copied())
                    .map_or_else(String::new, |word| format!(", did you mean `{word}`?"));
                Err(refuse(format!("`{text}` is not one of its values{near}")))
            }
            OptionKind::Text { check, .. } => match check(text) {
                Ok(()) => Ok(OptionValue::Text(text.to_string())),
                Err(reason) => Err(refuse(reason)),
            },
        }
    }

    fn describe_values(&self) -> String {
        match self.kind {
            OptionKind::Count { least } => format!("a whole number of at least {least}"),
            OptionKind::CountOrAll => "`all` or a whole number of at least 1".to_string(),
            OptionKind::Number { least, most } => format!("a number from {least} to {most}"),
            OptionKind::Positive => "a number above 0".to_string(),
            OptionKind::Choice(_) | OptionKind::Text { .. } => self.kind.grammar(),
        }
    }
}

/// A method's options, fully resolved: every option has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(Vec<(&'static str, OptionValue)>);

impl Settings {
    /// Resolves what the user gave (pairs of option name or flag, and text) against a method's
    /// options; what is not given takes its default.
    ///
    /// # Errors
    /// An option that the method does not take, an option given twice, or a value out of range.
    pub fn resolve<N: AsRef<str>, V: AsRef<str>>(
        method: &str,
        options: &[&'static OptionInfo],
        given: &[(N, V)],
    ) -> Result<Self> {
        let mut values: Vec<(&'static str, Option<OptionValue>)> =
            options.iter().map(|option| (option.name, None)).collect();
        for (name, text) in given {
            let name = name.as_ref();
            let place = options
                .iter()
                .position(|option| option.name == name || option.flag == name)
                .ok_or_else(|| {
                    let takes: Vec<String> =
                        options.iter().map(|option| setting_of(method, option)).collect();
                    let method = wording::method(method);
                    Error::option(
                        name,
                        format!("{method} does not take it"),
                        format!("{method} takes {}", takes.join(", ")),
                    )
                })?;
            if values[place].1.is_some() {
                let name = options[place].name;
                return Err(Error::option(name, "it is given twice", "give it once"));
            }
            values[place].1 = Some(options[place].parse(text.as_ref())?);
        }
        let resolved = options
            .iter()
            .zip(values)
            .map(|(option, (name, value))| match value {
                Some(value) => Ok((name, value)),
                None => option.parse(option.default).map(|value| (name, value)),
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self(resolved))
    }

    /// All options in the method's order, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OptionValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The options as a JSON object; counts and numbers are numbers, everything else is text.
    pub fn to_json(&self) -> Map<String, Value> {
        self.iter()
            .map(|(name, value)| {
                let value = match value {
                    OptionValue::Count(count) => Value::from(*count),
                    OptionValue::Number(number) => Value::from(*number),
                    other => Value::from(other.to_string()),
                };
                (name.to_string(), value)
            })
            .collect()
    }

    /// The value of an option.
    ///
    /// # Errors
    /// [`Error::Internal`] when the method did not declare the option.
    pub fn get(&self, option: &OptionInfo) -> Result<&OptionValue> {
        self.0
            .iter()
            .find(|(name, _)| *name == option.name)
            .map(|(_, value)| value)
            .ok_or_else(|| Error::Internal(format!("option {} was not declared", option.name)))
    }

    /// A whole number.
    ///
    /// # Errors
    /// [`Error::Internal`] when the option is not a declared [`OptionKind::Count`].
    pub fn count(&self, option: &OptionInfo) -> Result<usize> {
        match self.get(option)? {
            OptionValue::Count(count) => Ok(usize::try_from(*count).unwrap_or(usize::MAX)),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }

    /// A real number.
    ///
    /// # Errors
    /// [`Error::Internal`] when the option is not a declared [`OptionKind::Number`] or
    /// [`OptionKind::Positive`].
    pub fn number(&self, option: &OptionInfo) -> Result<f64> {
        match self.get(option)? {
            OptionValue::Number(number) => Ok(*number),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }

    /// A word or text.
    ///
    /// # Errors
    /// [`Error::Internal`] when the option is not a declared choice or text.
    pub fn text(&self, option: &OptionInfo) -> Result<&str> {
        match self.get(option)? {
            OptionValue::Text(text) => Ok(text),
            other => Err(Error::Internal(format!("option {} is {other}", option.name))),
        }
    }
}

/// Mentions an option of a method or wrapper.
fn setting_of(taker: &str, option: &OptionInfo) -> String {
    if WRAPPERS.iter().any(|info| info.name == taker) {
        wording::setting(&format!("{taker}:{}", option.name), None)
    } else {
        wording::setting(option.name, None)
    }
}

/// `n_neighbors`: how many nearest hits, and nearest misses of each other class.
pub static N_NEIGHBORS: OptionInfo = OptionInfo {
    name: "n_neighbors",
    flag: "neighbors",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Nearest neighbours taken from each class; more are steadier, fewer are more local",
};

/// `n_neighbors` with default 1, for the margin form.
pub static ONE_NEIGHBOR: OptionInfo = OptionInfo { default: "1", ..N_NEIGHBORS };

/// `n_components`: components of a map.
pub static N_COMPONENTS: OptionInfo = OptionInfo {
    name: "n_components",
    flag: "components",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Components of the map, the most important ones; all: as many as there are",
};

/// `metric` of methods whose neighbours are near in a straight line unless told otherwise.
pub static METRIC_EUCLIDEAN: OptionInfo = OptionInfo { default: "euclidean", ..METRIC };

/// `ridge`: what is added to the diagonal of a matrix that is inverted.
pub static RIDGE: OptionInfo = OptionInfo {
    name: "ridge",
    flag: "ridge",
    kind: OptionKind::Text {
        grammar: "auto|X",
        check: |text| text.parse::<super::Ridge>().map(drop),
    },
    default: "auto",
    help: "Share of its mean that is added to the diagonal of a matrix to be inverted; auto: 1e-6 \
           where it is singular, else nothing",
};

/// `n_neighbors` of `dann`: rows of a neighbourhood.
pub static DANN_NEIGHBORS: OptionInfo = OptionInfo {
    kind: OptionKind::Text {
        grammar: "auto|N",
        check: |text| match text.parse::<usize>() {
            Ok(count) if count >= 2 => Ok(()),
            Ok(count) => Err(format!("{count} is less than 2")),
            Err(_) if text == "auto" => Ok(()),
            Err(_) => Err(format!("`{text}` is neither `auto` nor a whole number")),
        },
    },
    default: "auto",
    help: "Rows of a neighbourhood, the row itself counted; auto: a fifth of the rows, at least 50",
    ..N_NEIGHBORS
};

/// `sphering` of `dann`: where its scatters are taken.
pub static SPHERING: OptionInfo = OptionInfo {
    name: "sphering",
    flag: "sphering",
    kind: OptionKind::Choice(&["within", "none"]),
    default: "within",
    help: "Sphere the rows by the covariance within the classes first, or leave them as they are",
};

/// `n_neighbors` of `lfda`: the neighbour that sets a row's scale.
pub static LOCAL_NEIGHBORS: OptionInfo = OptionInfo {
    default: "7",
    help: "Which of a row's nearest rows of the same class sets how far its affinities reach",
    ..N_NEIGHBORS
};

/// `embedding`: how LFDA's components are scaled.
pub static EMBEDDING: OptionInfo = OptionInfo {
    name: "embedding",
    flag: "embedding",
    kind: OptionKind::Choice(&["weighted", "plain", "orthonormal"]),
    default: "weighted",
    help: "Lengths of the components: by the roots of their eigenvalues, such that the local \
           spread within classes is 1, or 1",
};

/// `n_neighbors` of `mfa`: nearest rows of the same class.
pub static MFA_NEIGHBORS: OptionInfo = OptionInfo {
    default: "5",
    help: "Nearest rows of the same class that a row stays near to",
    ..N_NEIGHBORS
};

/// `n_pairs`: closest pairs at the border of a class.
pub static MARGIN_PAIRS: OptionInfo = OptionInfo {
    name: "n_pairs",
    flag: "pairs",
    kind: OptionKind::Count { least: 1 },
    default: "20",
    help: "Closest pairs of a row inside and a row outside of each class, which are pushed apart",
};

/// `scale`: the units of the features.
pub static SCALE: OptionInfo = OptionInfo {
    name: "scale",
    flag: "scale",
    kind: OptionKind::Choice(&["none", "standard", "range"]),
    default: "none",
    help: "Units of the features: as they are, standard deviations, or ranges",
};

/// `kernel`: the kernel in whose space a map is learned.
pub static KERNEL: OptionInfo = OptionInfo {
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
pub static KERNEL_RBF: OptionInfo = OptionInfo {
    kind: OptionKind::Text {
        grammar: "NAME[:PARAMETER=VALUE,...]",
        check: |text| text.parse::<crate::solve::KernelChoice>().map(drop),
    },
    default: "rbf",
    ..KERNEL
};

/// `basis` of `fskgp`.
pub static BASIS_GRAM_SCHMIDT: OptionInfo = OptionInfo { default: "gram-schmidt", ..BASIS };

/// `ridge` of `gda`, which would otherwise take every row for its class's centre.
pub static RIDGE_GDA: OptionInfo = OptionInfo { default: "1e-3", ..RIDGE };

/// `basis`: of the kernel's space.
pub static BASIS: OptionInfo = OptionInfo {
    name: "basis",
    flag: "basis",
    kind: OptionKind::Choice(&["kpca", "gram-schmidt"]),
    default: "kpca",
    help: "Basis of the kernel's space: principal components of all rows, or rows made orthonormal \
           one by one, which is faster and never needs all pairs of rows",
};

/// `max_rank`: where a basis of the kernel's space ends.
pub static MAX_RANK: OptionInfo = OptionInfo {
    name: "max_rank",
    flag: "max-rank",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Dimensions of the kernel's space to use at most",
};

/// `rank_tolerance`: where a basis of the kernel's space ends.
pub static RANK_TOLERANCE: OptionInfo = OptionInfo {
    name: "rank_tolerance",
    flag: "rank-tolerance",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "1e-10",
    help: "Leave out dimensions of the kernel's space whose eigenvalue (kpca) or squared length \
           (gram-schmidt) is not above this share of the greatest",
};

/// `form`: where the scatter matrix is computed.
pub static FORM: OptionInfo = OptionInfo {
    name: "form",
    flag: "form",
    kind: OptionKind::Choice(&["auto", "direct", "fast"]),
    default: "auto",
    help: "Compute over the features, or in the span of the rows; the map is the same",
};

/// `n_samples`: how many rows are sampled.
pub static N_SAMPLES: OptionInfo = OptionInfo {
    name: "n_samples",
    flag: "samples",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Rows whose neighbours are looked at, drawn without replacement by the seed",
};

/// `neighbor_weights`: weight of a neighbour by its rank.
pub static NEIGHBOR_WEIGHTS: OptionInfo = OptionInfo {
    name: "neighbor_weights",
    flag: "neighbor-weights",
    kind: OptionKind::Text {
        grammar: "uniform|rank[:SIGMA]",
        check: |text| text.parse::<crate::neighbors::NeighborWeights>().map(drop),
    },
    default: "uniform",
    help: "Weight of the neighbours: all alike, or falling with rank as exp(-(rank/SIGMA)^2), \
           SIGMA 20 unless given",
};

/// `neighbor_weights` with default `rank`, for RReliefF.
pub static NEIGHBOR_WEIGHTS_BY_RANK: OptionInfo =
    OptionInfo { default: "rank", ..NEIGHBOR_WEIGHTS };

/// `ties`: who counts when rows are equally far.
pub static TIES: OptionInfo = OptionInfo {
    name: "ties",
    flag: "ties",
    kind: OptionKind::Choice(&["share", "first"]),
    default: "share",
    help: "Rows equally far at the last place: all share it, or the first rows of the table win",
};

/// `metric`: how differences add up to a distance.
pub static METRIC: OptionInfo = OptionInfo {
    name: "metric",
    flag: "metric",
    kind: OptionKind::Choice(&["manhattan", "euclidean"]),
    default: "manhattan",
    help: "Distance between rows: sum of the features' differences, or root of their squares' sum",
};

/// `missing`: what a missing value is worth.
pub static MISSING: OptionInfo = OptionInfo {
    name: "missing",
    flag: "missing",
    kind: OptionKind::Choice(&["expected", "ignore", "pessimistic"]),
    default: "expected",
    help: "Difference to a missing value: expected given the class, left out, or the worst case",
};

/// `ramp`: differences below a threshold count nothing, above another count fully.
pub static RAMP: OptionInfo = OptionInfo {
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
pub static GENOTYPE_DIFF: OptionInfo = OptionInfo {
    name: "genotype_diff",
    flag: "genotype-diff",
    kind: OptionKind::Choice(&["additive", "categorical"]),
    default: "additive",
    help: "Difference of two genotypes: half the allele copies that differ, or 0/1",
};

/// `compat`: whose rules a radius method follows.
pub static COMPAT: OptionInfo = OptionInfo {
    name: "compat",
    flag: "compat",
    kind: OptionKind::Choice(&["none", "skrebate"]),
    default: "none",
    help: "Follow the documented rules of scikit-rebate in radius, misses, missing values and mixed \
           data, to compare with it",
};

/// `n_bins`: bins per numeric column where a method needs categories.
pub static N_BINS: OptionInfo = OptionInfo {
    name: "n_bins",
    flag: "bins",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Equal-frequency bins that a numeric column is cut into",
};

/// `drop`: share of the features that a round of TuRF drops.
pub static DROP: OptionInfo = OptionInfo {
    name: "drop",
    flag: "drop",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "0.1",
    help: "Share of the features left that each round drops, at least one feature",
};

/// `keep`: features at which TuRF stops.
pub static KEEP: OptionInfo = OptionInfo {
    name: "keep",
    flag: "keep",
    kind: OptionKind::Count { least: 1 },
    default: "50",
    help: "Features at which to stop",
};

/// `size`: features in a subset of VLS.
pub static SUBSET_SIZE: OptionInfo = OptionInfo {
    name: "size",
    flag: "size",
    kind: OptionKind::Count { least: 2 },
    default: "500",
    help: "Features in a random subset",
};

/// `rounds`: how often VLS deals the features into subsets.
pub static ROUNDS: OptionInfo = OptionInfo {
    name: "rounds",
    flag: "rounds",
    kind: OptionKind::Count { least: 1 },
    default: "20",
    help: "How often the features are dealt into subsets",
};

/// `take`: which of a feature's weights VLS keeps.
pub static TAKE: OptionInfo = OptionInfo {
    name: "take",
    flag: "take",
    kind: OptionKind::Choice(&["best", "mean"]),
    default: "best",
    help: "A feature's weight over the rounds: the greatest, or the mean",
};

/// `exponent`: how late pdrelieff's estimates come to count.
pub static EXPONENT: OptionInfo = OptionInfo {
    name: "exponent",
    flag: "exponent",
    kind: OptionKind::Positive,
    default: "2",
    help: "How late the estimates come to count in the distance: greater is later",
};

/// `area_share`: how much pdrelieff resembles relieff.
pub static AREA_SHARE: OptionInfo = OptionInfo {
    name: "area_share",
    flag: "area-share",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.3333333333333333",
    help: "Share of plain distances over all visits: 0 is drelieff, 1 is relieff",
};

/// `sigma`: width of the kernel of irelief.
pub static SIGMA: OptionInfo = OptionInfo {
    name: "sigma",
    flag: "sigma",
    kind: OptionKind::Positive,
    default: "1",
    help: "Width of the kernel over distances: small looks at the nearest rows only",
};

/// `max_iter`: when an iteration gives up.
pub static MAX_ITER: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "100",
    help: "Iterations at most; reaching it is a warning",
};

/// `tol`: when an iteration has converged.
pub static TOL: OptionInfo = OptionInfo {
    name: "tol",
    flag: "tol",
    kind: OptionKind::Positive,
    default: "1e-6",
    help: "Change of the weights below which the iteration has converged",
};

/// `objective`: what `nca` maximises.
pub static OBJECTIVE: OptionInfo = OptionInfo {
    name: "objective",
    flag: "objective",
    kind: OptionKind::Choice(&["sum", "log"]),
    default: "sum",
    help: "Maximise the sum of the rows' probabilities of a neighbour of their class, or of their \
           logarithms",
};

/// `max_iter` of `nca`.
pub static MAX_ITER_NCA: OptionInfo = OptionInfo { default: "50", ..MAX_ITER };

/// `tol` of `nca` and `ldm`: when the objective no longer changes.
pub static TOL_OBJECTIVE: OptionInfo = OptionInfo {
    help: "Share of the objective by which an iteration must change it to go on",
    ..TOL
};

/// `form` of `gi-relief`.
pub static FORM_GI_RELIEF: OptionInfo = OptionInfo {
    kind: OptionKind::Choice(&["auto", "direct", "accelerated", "linearised"]),
    help: "Neighbours in the space of all components, or of those wanted (accelerated); \
           linearised: in the span of the rows; auto: direct, in the span for many features",
    ..FORM
};

/// `sigma_neighbors` of `gi-relief`: the neighbour that sets the width.
pub static SIGMA_NEIGHBORS: OptionInfo = OptionInfo {
    name: "sigma_neighbors",
    flag: "sigma-neighbors",
    kind: OptionKind::Count { least: 1 },
    default: "7",
    help: "The width of the kernel is the mean squared distance to this neighbour",
};

/// `sigma_offset` of `gi-relief`: what is added to the width.
pub static SIGMA_OFFSET: OptionInfo = OptionInfo {
    name: "sigma_offset",
    flag: "sigma-offset",
    kind: OptionKind::Number { least: 0.0, most: 1e300 },
    default: "0",
    help: "Added to the width of the kernel: more neighbours count",
};

/// `init` of `gi-relief`: where the iteration begins.
pub static INIT_GI_RELIEF: OptionInfo = OptionInfo {
    name: "init",
    flag: "init",
    kind: OptionKind::Choice(&["auto", "identity", "whiten"]),
    default: "auto",
    help: "First map: the identity, or covariance 1 within classes; auto: the latter if the \
           features' variances differ more than tenfold",
};

/// `max_iter` of `gi-relief`.
pub static MAX_ITER_GI_RELIEF: OptionInfo = OptionInfo { default: "30", ..MAX_ITER };

/// `tol` of `gi-relief`.
pub static TOL_GI_RELIEF: OptionInfo = OptionInfo {
    default: "1e-4",
    help: "Change of the metric, as a share of it, below which the iteration has converged",
    ..TOL
};

/// `ridge` of `gi-relief`: what makes a singular matrix invertible.
pub static RIDGE_GI_RELIEF: OptionInfo = OptionInfo {
    name: "ridge",
    flag: "ridge",
    kind: OptionKind::Positive,
    default: "1e-6",
    help: "Added to the diagonal of a singular matrix, as a share of its mean diagonal entry",
};

/// `keep_best` of `gi-relief`.
pub static KEEP_BEST: OptionInfo = OptionInfo {
    name: "keep_best",
    flag: "keep-best",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Return the map, of all iterations, with the best leave-one-out nearest-neighbour rate",
};

/// `mode`: all rows together, or one after the other.
pub static MODE: OptionInfo = OptionInfo {
    name: "mode",
    flag: "mode",
    kind: OptionKind::Choice(&["batch", "online"]),
    default: "batch",
    help: "All rows at once, or one after the other in an order drawn by the seed",
};

/// `outliers`: whether probable outliers count less.
pub static OUTLIERS: OptionInfo = OptionInfo {
    name: "outliers",
    flag: "outliers",
    kind: OptionKind::Choice(&["yes", "no"]),
    default: "yes",
    help: "Rows count by the probability that they are no outliers, or all alike",
};

/// `squared`: whether differences are squared.
pub static SQUARED: OptionInfo = OptionInfo {
    name: "squared",
    flag: "squared",
    kind: OptionKind::Choice(&["no", "yes"]),
    default: "no",
    help: "Use the squares of the features' differences",
};

/// `utility`: what a margin is worth to simba.
pub static UTILITY: OptionInfo = OptionInfo {
    name: "utility",
    flag: "utility",
    kind: OptionKind::Text {
        grammar: "linear|sigmoid:BETA",
        check: |text| text.parse::<super::Utility>().map(drop),
    },
    default: "linear",
    help: "What a margin is worth: itself, or 1/(1 + exp(-BETA margin))",
};

/// `steps`: steps of a gradient ascent that takes a row at a time.
pub static STEPS: OptionInfo = OptionInfo {
    name: "steps",
    flag: "steps",
    kind: OptionKind::CountOrAll,
    default: "all",
    help: "Steps of the ascent, a row each; all: as many as there are rows",
};

/// `restarts`: orders of the rows that are tried.
pub static RESTARTS: OptionInfo = OptionInfo {
    name: "restarts",
    flag: "restarts",
    kind: OptionKind::Count { least: 1 },
    default: "5",
    help: "Orders of the rows that are tried; the greatest margin wins",
};

/// `C`: weight of lmba's margins.
pub static C: OptionInfo = OptionInfo {
    name: "C",
    flag: "margin-weight",
    kind: OptionKind::Number { least: 1e-9, most: 1e9 },
    default: "1",
    help: "Weight of the margins against the pull of the nearest hits",
};

/// `slack`: price of a violated constraint of `mdm`; the default is so high that it changes
/// nothing unless the optimum is above it (see [`super::Mdm`]).
pub static SLACK: OptionInfo = OptionInfo {
    name: "slack",
    flag: "slack",
    kind: OptionKind::Text { grammar: "none|C", check: |text| parse_slack(text).map(drop) },
    default: "1000",
    help: "Price of rows of different classes being nearer than 1: none forbids it, a number C \
           adds C times how much they are",
};

/// `n_neighbors` of `d-lmnn`: target neighbours of a row.
pub static TARGET_NEIGHBORS: OptionInfo = OptionInfo { default: "3", ..N_NEIGHBORS };

/// `mu`: weight of the violations of `d-lmnn`.
pub static MU: OptionInfo = OptionInfo {
    name: "mu",
    flag: "mu",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.5",
    help: "Weight of the violated margins; target neighbours are pulled with 1 - mu",
};

/// `max_iter` of `d-lmnn`: passes over all triples.
pub static MAX_SWEEPS: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "10000",
    help: "Most passes; if they do not suffice, a warning says how near the optimum is",
};

/// `solver` of `lmnn`.
pub static SOLVER: OptionInfo = OptionInfo {
    name: "solver",
    flag: "solver",
    kind: OptionKind::Choice(&["low-rank", "convex"]),
    default: "low-rank",
    help: "Learn a matrix of the components wanted, or the best metric of all with a proof",
};

/// `init` of `nca` and `lmnn`: where the search starts.
pub static INIT: OptionInfo = OptionInfo {
    name: "init",
    flag: "init",
    kind: OptionKind::Choice(&["auto", "identity", "pca", "lda"]),
    default: "auto",
    help: "Start of the search; auto: lda for fewer components than classes, pca for fewer than \
           dimensions, else identity",
};

/// `max_iter` of `lmnn`.
pub static MAX_ITER_LMNN: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

/// `tol` of `lmnn`.
pub static TOL_LMNN: OptionInfo = OptionInfo {
    default: "1e-5",
    help: "Share of the objective that rounding, or with the convex solver the proof, may leave open",
    ..TOL
};

/// Reads `none` or a price above 0.
pub(crate) fn parse_slack(text: &str) -> std::result::Result<Option<f64>, String> {
    if text == "none" {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(price) if price > 0.0 && price.is_finite() => Ok(Some(price)),
        Ok(price) => Err(format!("{price} is no finite number above 0")),
        Err(_) => Err(format!("`{text}` is neither `none` nor a number")),
    }
}
