//! What a page tells, as plain data: it knows no method and no file. Whoever has results fills it in.

/// What was run and on what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// The name of the data, for the title.
    pub data: String,
    /// What is told of the run, in this order: a label and a text.
    pub facts: Vec<(String, String)>,
    /// The options of the method: name and value.
    pub options: Vec<(String, String)>,
    /// What the target holds; none where there is no target.
    pub target: Option<TargetSummary>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The command that repeats it, quoted for a shell; none where no command did it.
    pub command: Option<String>,
    /// The version of basrelief.
    pub version: String,
}

impl Account {
    /// Adds a fact.
    pub fn tell(&mut self, label: &str, text: impl Into<String>) {
        self.facts.push((label.to_string(), text.into()));
    }
}

/// What a target holds.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetSummary {
    /// Classes with the rows of each.
    Classes {
        /// The target's name.
        name: String,
        /// Name and rows of every class.
        classes: Vec<(String, usize)>,
    },
    /// A number, as a histogram.
    Real {
        /// The target's name.
        name: String,
        /// The least value.
        least: f64,
        /// The greatest value.
        greatest: f64,
        /// Rows in bins of equal width from the least to the greatest value.
        counts: Vec<usize>,
    },
}

impl TargetSummary {
    /// The target's name.
    pub fn name(&self) -> &str {
        match self {
            TargetSummary::Classes { name, .. } | TargetSummary::Real { name, .. } => name,
        }
    }
}

/// A feature of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedFeature {
    /// Its name.
    pub name: String,
    /// Its kind, as `numeric`.
    pub kind: &'static str,
    /// Its weight, finite.
    pub weight: f64,
    /// Its rank; equal weights share one.
    pub rank: usize,
    /// The share of rows in which it is missing, 0 to 1.
    pub missing: f64,
    /// The 2.5 % and 97.5 % quantiles of its ranks in resamples of the rows, where there were some.
    pub rank_interval: Option<(usize, usize)>,
    /// What a test found of it.
    pub test: Option<FeatureTest>,
}

/// What a test found of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureTest {
    /// Its p-value.
    pub p: f64,
    /// Its p-value that keeps the family-wise error rate, where there is one.
    pub adjusted: Option<f64>,
    /// Its false discovery rate.
    pub q: f64,
    /// Whether it is significant.
    pub selected: bool,
}

/// A test of all weights.
#[derive(Debug, Clone, PartialEq)]
pub struct TestSummary {
    /// What is significant, as `adjusted p (max-T) <= 0.05`.
    pub criterion: String,
    /// The heading of the adjusted p-values.
    pub adjusted_name: String,
    /// The heading of the false discovery rates.
    pub q_name: String,
    /// The weight that the largest exceeds by chance as rarely as the level says.
    pub chance_weight: Option<f64>,
    /// The level, as a share of the permutations.
    pub alpha: f64,
    /// Whether the chance weight is what decides.
    pub chance_decides: bool,
    /// What is compared with the level.
    pub decided_by: DecidedBy,
    /// Permutations, at most; no p-value is below `1 / (permutations + 1)`.
    pub permutations: u64,
}

/// What of a feature's test is compared with the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The p-value.
    P,
    /// The p-value that keeps the family-wise error rate.
    Adjusted,
    /// The false discovery rate.
    Q,
}

/// One feature against the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The feature's place in the ranking, from 0.
    pub feature: usize,
    /// How its values are spread.
    pub spread: Spread,
}

/// How the values of a feature are spread over the target.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// Numbers in groups of rows: those of a class, or the target in the rows of a level.
    Boxes {
        /// What the numbers are: the feature's or the target's name.
        axis: String,
        /// The groups.
        groups: Vec<BoxGroup>,
    },
    /// Rows of every level and class.
    Shares {
        /// Name of every level, and its rows of every class, in the order of the target's classes.
        levels: Vec<(String, Vec<usize>)>,
    },
    /// Numbers against a target of numbers.
    Points {
        /// Name of the target.
        target: String,
        /// Feature and target of rows.
        points: Vec<(f64, f64)>,
        /// Means of both in parts of the rows, in the order of the feature.
        means: Vec<(f64, f64)>,
    },
}

/// Numbers of a group of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxGroup {
    /// Name of the group.
    pub name: String,
    /// Its place among the target's classes, for its color; 0 where there are none.
    pub class: usize,
    /// Its rows with a known value.
    pub count: usize,
    /// Lower whisker, quartiles, upper whisker; none where no value is known.
    pub five: Option<[f64; 5]>,
    /// From where to where `density` reaches, and the density at evenly spaced places; may be empty.
    pub density: (f64, f64, Vec<f64>),
}

/// How much pairs of features say together, beyond what each says alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactions {
    /// What the strength is, as `interaction gain`.
    pub measure: String,
    /// Its unit, as `bits`; none where it is a share.
    pub unit: Option<String>,
    /// How the measure is to be read, a clause.
    pub meaning: String,
    /// The features, as places in the ranking from 0.
    pub features: Vec<usize>,
    /// The strength of every pair, the row of the first feature first: (0, 1), (0, 2), …, (1, 2), ….
    pub strengths: Vec<f64>,
    /// P-values of the same pairs, and those adjusted for the number of pairs, where they were tested.
    pub p_values: Option<Vec<(f64, f64)>>,
    /// Permutations that the p-values come from.
    pub permutations: Option<u64>,
    /// The tables of the strongest pairs, the strongest first.
    pub tables: Vec<PairTable>,
}

/// The rows of every pair of levels of two features.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// The features, as places in the ranking from 0.
    pub features: (usize, usize),
    /// The levels of the first and of the second feature.
    pub levels: (Vec<String>, Vec<String>),
    /// The cells, a row for each level of the first feature.
    pub cells: Vec<Vec<PairCell>>,
}

/// The rows of two levels.
#[derive(Debug, Clone, PartialEq)]
pub enum PairCell {
    /// Rows of every class.
    Counts(Vec<usize>),
    /// Rows and the target's mean in them.
    Mean(usize, f64),
}

/// A number for every two of some features.
#[derive(Debug, Clone, PartialEq)]
pub struct PairMap {
    /// What it shows, for those who do not see it.
    pub alt: String,
    /// What stands below it.
    pub caption: String,
    /// The features' names.
    pub names: Vec<String>,
    /// The numbers, in the order of [`Interactions::strengths`].
    pub values: Vec<f64>,
    /// Their unit, where they have one.
    pub unit: Option<String>,
}

/// The rows of every pair of levels of two features, with what is told of them.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPairTable {
    /// The features' names.
    pub names: (String, String),
    /// What was found of the pair.
    pub facts: String,
    /// The levels of the first and of the second feature.
    pub levels: (Vec<String>, Vec<String>),
    /// The cells, a row for each level of the first feature.
    pub cells: Vec<Vec<PairCell>>,
}

/// Features that say the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Redundancy {
    /// The features, as places in the ranking from 0, such that like stands beside like.
    pub features: Vec<usize>,
    /// How alike every pair of them is, 0 to 1, in the order of [`Interactions::strengths`].
    pub similarities: Vec<f64>,
    /// Groups of features that are at least so alike, as places in the ranking.
    pub groups: Vec<Vec<usize>>,
    /// The similarity from which features are a group.
    pub cut_off: f64,
}

/// Rows as points of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct RowMap {
    /// How the plane was found, a sentence.
    pub how: String,
    /// Names of the two axes.
    pub axes: (String, String),
    /// Whether both axes have one unit, so that distances in the plane mean something: they are then drawn to the
    /// same scale.
    pub one_unit: bool,
    /// Groups of rows.
    pub groups: Vec<RowGroup>,
}

/// Rows of one class as points.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroup {
    /// Name of the class.
    pub name: String,
    /// Its place among the target's classes, for its color; 0 where there are none.
    pub class: usize,
    /// The rows.
    pub points: Vec<(f64, f64)>,
}

/// Where features lie on chromosomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    /// The names of the chromosomes, in their order.
    pub chromosomes: Vec<String>,
    /// Of every feature, in the order of the ranking, the place of its chromosome among these and its position in
    /// base pairs.
    pub places: Vec<(usize, u64)>,
}

/// How a result came about, round by round.
#[derive(Debug, Clone, PartialEq)]
pub enum Course {
    /// How much the weights changed in every iteration.
    Changes {
        /// The change of the weights in every iteration, at least 0.
        changes: Vec<f64>,
        /// The change at which the iteration ends, where it is known.
        tolerance: Option<f64>,
        /// Whether it ended there.
        converged: bool,
    },
    /// Features were dropped.
    Elimination {
        /// What dropped them, as `turf`.
        wrapper: String,
        /// The number of features weighed in every round, the first with all of them; at least one.
        features: Vec<usize>,
        /// Of features that stayed to the end, the best first: the place in the ranking, and the rank in
        /// every round.
        ranks: Vec<(usize, Vec<usize>)>,
    },
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words of ours.
    Words(String),
    /// A name from the data.
    Name(String),
    /// What is typed as it is written.
    Code(String),
}

impl Piece {
    /// As plain text.
    pub fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Name(text) | Self::Code(text) => text,
        }
    }
}

/// Something that a page shows, or why it does not.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown<T> {
    /// What is shown.
    Yes(T),
    /// Why it is left out, a sentence.
    No(String),
}
