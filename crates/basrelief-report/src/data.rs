//! The contents of a page as plain data, independent of methods and files. The caller fills it in.

/// The analysis and its data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// The name of the data, for the title.
    pub data: String,
    /// Facts about the run, in this order: a label and a text.
    pub facts: Vec<(String, String)>,
    /// The options of the method: name and value.
    pub options: Vec<(String, String)>,
    /// The values of the target; `None` without a target.
    pub target: Option<TargetSummary>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The command that repeats the analysis, quoted for a shell; `None` if it was not run by a command.
    pub command: Option<String>,
    /// References to cite: the program, then the papers of the method.
    pub references: Vec<String>,
    /// Terms of the page and their meanings.
    pub glossary: Vec<(String, String)>,
    /// The version of basrelief.
    pub version: String,
}

impl Account {
    /// Adds a fact.
    pub fn tell(&mut self, label: &str, text: impl Into<String>) {
        self.facts.push((label.to_string(), text.into()));
    }
}

/// The values of a target.
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
        /// The smallest value.
        least: f64,
        /// The largest value.
        greatest: f64,
        /// Rows in bins of equal width from the smallest to the largest value.
        counts: Vec<usize>,
        /// The target before it was adjusted for covariates, if it was adjusted.
        before: Option<Box<TargetSummary>>,
    },
    /// Survival times.
    Survival {
        /// The name of the times.
        name: String,
        /// The Kaplan-Meier estimate of all rows.
        curve: StepCurve,
    },
    /// Several targets.
    Several {
        /// Their names.
        name: String,
        /// Each of them.
        targets: Vec<TargetSummary>,
    },
}

/// A Kaplan-Meier estimate of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct StepCurve {
    /// The name of the rows; empty for all rows.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows with an event.
    pub events: usize,
    /// The largest time.
    pub last: f64,
    /// The times of events, and the probability to have no event up to and including each.
    pub steps: Vec<(f64, f64)>,
}

impl TargetSummary {
    /// The target's name.
    pub fn name(&self) -> &str {
        match self {
            TargetSummary::Classes { name, .. }
            | TargetSummary::Real { name, .. }
            | TargetSummary::Survival { name, .. }
            | TargetSummary::Several { name, .. } => name,
        }
    }

    /// Each of several targets; none otherwise.
    pub fn several(&self) -> &[TargetSummary] {
        match self {
            TargetSummary::Several { targets, .. } => targets,
            _ => &[],
        }
    }

    /// The names of its classes; none for a number.
    pub fn class_names(&self) -> Vec<String> {
        match self {
            TargetSummary::Classes { classes, .. } => {
                classes.iter().map(|(name, _)| name.clone()).collect()
            }
            TargetSummary::Real { .. }
            | TargetSummary::Survival { .. }
            | TargetSummary::Several { .. } => Vec::new(),
        }
    }
}

/// A feature of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedFeature {
    /// Its name.
    pub name: String,
    /// Its kind, for example `numeric`.
    pub kind: &'static str,
    /// Its weight, finite.
    pub weight: f64,
    /// Its rank; equal weights have equal ranks.
    pub rank: usize,
    /// The share of rows in which it is missing, 0 to 1.
    pub missing: f64,
    /// The limits of the 95 % interval of its weight, if intervals were computed.
    pub weight_interval: Option<(f64, f64)>,
    /// The 2.5 % and 97.5 % quantiles of its ranks in resamples of the rows, if rows were resampled.
    pub rank_interval: Option<(usize, usize)>,
    /// The test of its weight.
    pub test: Option<FeatureTest>,
    /// The position and the counted allele of a variant, if they are known.
    pub locus: Option<Locus>,
}

/// The position of a variant and the allele that genotypes count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locus {
    /// The chromosome.
    pub chromosome: String,
    /// The position in base pairs.
    pub position: u64,
    /// The allele A1, whose copies are counted.
    pub allele: String,
}

/// The test of a feature's weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureTest {
    /// Its p-value.
    pub p: f64,
    /// Its p-value that controls the family-wise error rate, if it was computed.
    pub adjusted: Option<f64>,
    /// Its false discovery rate.
    pub q: f64,
    /// Whether it is significant.
    pub selected: bool,
}

/// A test of all weights.
#[derive(Debug, Clone, PartialEq)]
pub struct TestSummary {
    /// The criterion of significance, for example `adjusted p (max-T) <= 0.05`.
    pub criterion: String,
    /// The heading of the adjusted p-values.
    pub adjusted_name: String,
    /// The heading of the false discovery rates.
    pub q_name: String,
    /// The null threshold: the quantile `1 - alpha` of the largest weight under permutations, or of the largest absolute
    /// weight in a two-sided test.
    pub chance_weight: Option<f64>,
    /// Whether small weights are evidence of an effect, too.
    pub is_two_sided: bool,
    /// The significance level.
    pub alpha: f64,
    /// Whether a weight, or its absolute value in a two-sided test, is significant exactly if it exceeds the null threshold.
    pub chance_decides: bool,
    /// The value that is compared with the level.
    pub decided_by: DecidedBy,
    /// The maximum number of permutations; no p-value is below `1 / (permutations + 1)`.
    pub permutations: u64,
    /// A note on false discovery rates that this number of permutations cannot resolve, if there is one.
    pub note: Option<String>,
}

/// The value of a feature's test that is compared with the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The p-value.
    P,
    /// The p-value that controls the family-wise error rate.
    Adjusted,
    /// The false discovery rate.
    Q,
}

/// One feature against the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The feature's place in the ranking, from 0.
    pub feature: usize,
    /// The place of a second feature, if the rows are grouped by the values of both.
    pub second: Option<usize>,
    /// The place of the target among several.
    pub target: Option<usize>,
    /// The distribution of its values.
    pub spread: Spread,
}

/// The joint distribution of a feature and the target.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// Numbers in groups of rows: the feature by class, or the target by level of the feature.
    Boxes {
        /// The name of the numbers: the feature's or the target's name.
        axis: String,
        /// The groups.
        groups: Vec<BoxGroup>,
    },
    /// Rows of every level and class.
    Shares {
        /// Name of every level, and its rows of every class, in the order of the target's classes.
        levels: Vec<(String, Vec<usize>)>,
    },
    /// A numeric feature and a numeric target.
    Points {
        /// Name of the target.
        target: String,
        /// Feature and target of rows.
        points: Vec<(f64, f64)>,
        /// Means of both in parts of the rows, sorted by the feature.
        means: Vec<(f64, f64)>,
    },
    /// Survival times by the value of the feature.
    Survival {
        /// Name of the times.
        target: String,
        /// The Kaplan-Meier estimate of the rows of each group.
        curves: Vec<StepCurve>,
        /// The number of groups, of which those with most rows are shown.
        groups: usize,
    },
}

/// Numbers of a group of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxGroup {
    /// Name of the group.
    pub name: String,
    /// The index of its class, for its color; 0 without classes.
    pub class: usize,
    /// The number of its rows with a known value.
    pub count: usize,
    /// Lower whisker, quartiles, upper whisker; `None` if all values are missing.
    pub five: Option<[f64; 5]>,
    /// The range of `density`, and the density at evenly spaced values; may be empty.
    pub density: (f64, f64, Vec<f64>),
}

/// Interactions of pairs of features: what both explain in addition to each alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactions {
    /// The measure of strength, for example `interaction gain`.
    pub measure: String,
    /// Its unit, for example `bits`; `None` for a share.
    pub unit: Option<String>,
    /// The definition of the measure, as a clause.
    pub meaning: String,
    /// The features, as places in the ranking from 0.
    pub features: Vec<usize>,
    /// The strength of every pair, the row of the first feature first: (0, 1), (0, 2), …, (1, 2), ….
    pub strengths: Vec<f64>,
    /// P-values and adjusted p-values (max-T) of the same pairs, if they were tested.
    pub p_values: Option<Vec<(f64, f64)>>,
    /// The number of permutations of the test.
    pub permutations: Option<u64>,
    /// Tables of the strongest pairs, the strongest first.
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

/// A number for every pair of some features.
#[derive(Debug, Clone, PartialEq)]
pub struct PairMap {
    /// The text alternative.
    pub alt: String,
    /// The caption.
    pub caption: String,
    /// The features' names.
    pub names: Vec<String>,
    /// The numbers, in the order of [`Interactions::strengths`].
    pub values: Vec<f64>,
    /// Their unit, if they have one.
    pub unit: Option<String>,
}

/// The rows of every pair of levels of two features, with the test of the pair.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPairTable {
    /// The features' names.
    pub names: (String, String),
    /// The statistics of the pair, in words.
    pub facts: String,
    /// The levels of the first and of the second feature.
    pub levels: (Vec<String>, Vec<String>),
    /// The cells, a row for each level of the first feature.
    pub cells: Vec<Vec<PairCell>>,
}

/// Similarities of features.
#[derive(Debug, Clone, PartialEq)]
pub struct Redundancy {
    /// The features, as places in the ranking from 0, sorted so that similar features are neighbors.
    pub features: Vec<usize>,
    /// The similarity of every pair of them, 0 to 1, in the order of [`Interactions::strengths`].
    pub similarities: Vec<f64>,
    /// Groups of features with at least the similarity `cut_off`, as places in the ranking.
    pub groups: Vec<Vec<usize>>,
    /// The smallest similarity of features in a group.
    pub cut_off: f64,
}

/// Features that were selected without redundant ones.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedFeatures {
    /// How they were selected, in words.
    pub rule: String,
    /// The features in the order of their selection, as places in the ranking from 0.
    pub features: Vec<usize>,
    /// Of each of them, the features that it represents, as places in the ranking, and their redundancy, 0 to 1.
    pub represented: Vec<Vec<(usize, f64)>>,
}

/// Blocks of features, each of which counts as one feature in distances.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureBlocks {
    /// The number by which the sum of the differences of a block is divided, in words.
    pub scale: String,
    /// The blocks, best first.
    pub blocks: Vec<FeatureBlock>,
}

/// A block of features.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureBlock {
    /// Its name.
    pub name: String,
    /// The number of its features.
    pub features: usize,
    /// Its weight.
    pub weight: f64,
    /// Its p-value, and its p-value adjusted for the number of blocks (max-T), if it was tested.
    pub p: Option<(f64, f64)>,
}

/// Rows as points of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct RowMap {
    /// The definition of the plane, a sentence.
    pub how: String,
    /// Names of the two axes.
    pub axes: (String, String),
    /// Whether both axes have the same unit, so that distances are meaningful: both are then drawn to the same scale.
    pub one_unit: bool,
    /// Groups of rows.
    pub groups: Vec<RowGroup>,
}

/// Rows of one class as points.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroup {
    /// Name of the class.
    pub name: String,
    /// The index of the class, for its color; 0 without classes.
    pub class: usize,
    /// The rows.
    pub points: Vec<(f64, f64)>,
}

/// Positions of features on chromosomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    /// The names of the chromosomes, in genomic order.
    pub chromosomes: Vec<String>,
    /// For every feature, in the order of the ranking, the index of its chromosome and its position in base pairs.
    pub places: Vec<(usize, u64)>,
}

/// The iterations that led to the weights.
#[derive(Debug, Clone, PartialEq)]
pub enum Course {
    /// The change of the weights in every iteration.
    Changes {
        /// The change of the weights in every iteration, at least 0.
        changes: Vec<f64>,
        /// The change at which the iteration ends, if it is known.
        tolerance: Option<f64>,
        /// Whether the iteration converged.
        converged: bool,
    },
    /// The elimination of features.
    Elimination {
        /// The name of the wrapper, for example `turf`.
        wrapper: String,
        /// The number of features scored in every round, the first with all of them; at least one.
        features: Vec<usize>,
        /// The features of the last round, the best first: the place in the ranking, and the rank in every round.
        ranks: Vec<(usize, Vec<usize>)>,
    },
}

/// A histogram with bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    /// The title.
    pub title: String,
    /// A sentence about it.
    pub text: String,
    /// The name of the values.
    pub axis: String,
    /// The lower end of the first bin and the upper end of the last.
    pub range: (f64, f64),
    /// The number of values in every bin.
    pub counts: Vec<usize>,
    /// The unit of the counts, for example `variants`.
    pub what: String,
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Words(String),
    /// A name from the data.
    Name(String),
    /// Text to type.
    Code(String),
}

impl Piece {
    /// The plain text.
    pub fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Name(text) | Self::Code(text) => text,
        }
    }
}

/// A part of a page, or the reason why it is omitted.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown<T> {
    /// The part.
    Yes(T),
    /// The reason, a sentence.
    No(String),
}
