//! Chooses the route of a neighbor search from facts that are known before any distance.
//!
//! The thresholds are in `crate::thresholds`. The rows found do not depend on the route.

use std::borrow::Cow;
use std::fmt;

use basrelief_kernels::LANES;
use serde::{Deserialize, Serialize};

use super::generic_rows::Packing;
use super::marks::{Marks, sides};
use super::options::{NeighborWeights, RadiusRule};
use super::pairs::{Grouping, NearestOptions};
use super::quantized_rows::{Quantization, is_roundable};
use crate::differences::{Metric, MissingPolicy, Space, SumOf};
use crate::memory::Memory;
use crate::wording::{Mention, setting, thousands, ways};

/// The search that finds the nearest rows. Neither the rows nor any results depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NeighborSearch {
    /// The distances of all pairs of rows.
    AllPairs,
    /// A k-d tree per class: for many rows with few columns, all numeric and without missing
    /// values or a ramp.
    KdTree,
}

impl NeighborSearch {
    /// `all pairs` or `kd-tree`.
    pub fn name(self) -> &'static str {
        match self {
            NeighborSearch::AllPairs => "all pairs",
            NeighborSearch::KdTree => "kd-tree",
        }
    }
}

impl fmt::Display for NeighborSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A route to the k nearest rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NearestRoute {
    /// K-d trees, one per class.
    KdTree,
    /// Distances of numbers rounded to 15 bits for all pairs, and exact distances of ambiguous
    /// pairs.
    Quantized,
    /// Distances of genotypes and categories for all pairs, with corrections for missing values
    /// rounded to 16 bits, and exact distances of ambiguous pairs.
    RoundedCorrections,
    /// Exact distances of all pairs.
    Exact,
}

impl NearestRoute {
    /// All routes, the fastest first.
    pub const ALL: [Self; 4] =
        [Self::KdTree, Self::Quantized, Self::RoundedCorrections, Self::Exact];

    /// The name by which [`Run::with_routes`](crate::Run::with_routes) requests this route.
    pub fn name(self) -> &'static str {
        match self {
            Self::KdTree => "k-d tree",
            Self::Quantized => "15-bit distances",
            Self::RoundedCorrections => "16-bit corrections",
            Self::Exact => "exact distances",
        }
    }
}

/// A route to all rows within a radius: the kind of numbers from which distances are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RadiusRoute {
    /// Numbers rounded to 15 bits; the radius is known without any distance, or nothing is rounded.
    Quantized,
    /// Numbers rounded to 27 bits, from which every row's radius follows.
    Words,
    /// Unrounded numbers.
    Exact,
}

impl RadiusRoute {
    /// All routes, the fastest first.
    pub const ALL: [Self; 3] = [Self::Quantized, Self::Words, Self::Exact];

    /// The name by which [`Run::with_routes`](crate::Run::with_routes) requests this route.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quantized => "15-bit distances",
            Self::Words => "27-bit distances",
            Self::Exact => "exact distances",
        }
    }
}

/// Requests that distances are computed again instead of kept, see
/// [`Run::with_routes`](crate::Run::with_routes).
pub(crate) const RECOMPUTED: &str = "recomputed";

/// Why a route is not taken.
enum Obstacle {
    /// It cannot search this space.
    Cannot(String),
    /// It would be slower, or take too much memory.
    Slower(String),
}

use crate::thresholds::{
    ALWAYS_KEPT, ALWAYS_KEPT_OF_SPARSE, BATCH, KEPT_BESIDE_ROWS, KEPT_PART_OF_SPARSE, LARGE_BATCH,
    LEAST_SAMPLED, MOST_COLUMNS, MOST_LISTS, rows_per_neighbor,
};
use Obstacle::{Cannot, Slower};

/// The reason why rounded distances and trees cannot be used with calipers.
const ELIGIBLE: &str = "only eligible rows are neighbors";

/// The reason why rounded distances and trees cannot be used with blocks of features.
const FACTORS: &str = "blocks of features have factors";

/// The reason why rounded distances and trees cannot be used with sparse columns.
const ENTRIES: &str = "columns are sparse";

/// The facts that determine the route of a search.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    rows: usize,
    /// Number of query rows.
    sampled: usize,
    groups: usize,
    /// Mean number of rows per class.
    per_class: usize,
    /// Number of columns in which rows differ, by the kind of their difference.
    numbers: usize,
    bits: usize,
    categories: usize,
    /// Number of columns whose differences have no kernel.
    generic: usize,
    /// Number of columns whose differences are computed from entries, and number of these entries.
    sparse: usize,
    entries: u64,
    /// Bits per row of the bit-coded columns: their planes, and one that marks known values.
    bit_planes: usize,
    /// Number of columns with missing values: numeric columns, and others.
    missing_numbers: usize,
    missing_others: usize,
    /// Whether every missing value has an expected difference, and whether all tables of these are
    /// small.
    has_tables: bool,
    has_small_tables: bool,
    /// How numbers are rounded to 15 bits; `None` if they cannot be.
    quantization: Option<Quantization>,
    /// Whether the ranges of the numbers can be divided into any number of steps.
    roundable: bool,
    metric: Metric,
    missing: MissingPolicy,
    ramp: bool,
    /// Whether only matched rows are neighbors.
    restricted: bool,
    /// Whether rows have weights.
    weighted: bool,
    /// Whether distances multiply the differences of some features by factors.
    has_factors: bool,
}

impl Facts {
    /// Collects the facts of a search for the neighbors of `sampled` rows.
    pub(super) fn new(space: &Space<'_>, sampled: usize, grouping: Grouping<'_>) -> Self {
        let options = space.options();
        let (mut numbers, mut bits, mut categories, mut generic) = (0, 0, 0, 0);
        let (mut sparse, mut entries) = (0, 0);
        let mut bit_planes = 0;
        let (mut missing_numbers, mut missing_others) = (0, 0);
        let (mut has_tables, mut has_small_tables, mut roundable) = (true, true, true);
        for (index, feature) in space.features().iter().enumerate() {
            let rule = feature.rule;
            let is_number = match Packing::of_feature(space, index) {
                None => continue,
                Some(Packing::Numbers) => {
                    numbers += 1;
                    roundable &= is_roundable(rule);
                    true
                }
                Some(Packing::Bits(code)) => {
                    bits += 1;
                    bit_planes += code.rule().planes() + 1;
                    false
                }
                Some(Packing::Codes) => {
                    categories += 1;
                    false
                }
                Some(Packing::Generic) => {
                    generic += 1;
                    false
                }
                Some(Packing::Sparse) => {
                    sparse += 1;
                    entries += space.sparse(index).map_or(0, |own| own.stored() as u64);
                    true
                }
            };
            if !feature.missing_rows().is_empty() {
                *if is_number { &mut missing_numbers } else { &mut missing_others } += 1;
                has_tables &= feature.table().is_some();
                has_small_tables &= feature.table().is_some_and(|table| table.is_small());
            }
        }
        Self {
            rows: space.rows(),
            sampled,
            groups: grouping.count(),
            per_class: space.rows() / grouping.codes().max(1),
            numbers,
            bits,
            categories,
            generic,
            sparse,
            entries,
            bit_planes,
            missing_numbers,
            missing_others,
            has_tables,
            has_small_tables,
            quantization: Quantization::new(space),
            roundable,
            metric: options.metric,
            missing: options.missing,
            ramp: options.ramp.is_some(),
            restricted: space.eligible().is_some(),
            weighted: space.masses().is_some(),
            has_factors: space.has_factors(),
        }
    }

    /// How numbers are rounded to 15 bits; `None` if they cannot be.
    pub(super) fn quantization(&self) -> Option<&Quantization> {
        self.quantization.as_ref()
    }

    /// Whether rounding to 15 bits loses nothing; `None` if numbers cannot be rounded.
    fn quantized(&self) -> Option<bool> {
        self.quantization().map(Quantization::is_whole)
    }

    /// The facts with another number of rows.
    pub(super) fn of_rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    fn columns(&self) -> usize {
        self.numbers + self.bits + self.categories + self.generic + self.sparse
    }

    fn has_missing(&self) -> bool {
        self.missing_numbers + self.missing_others > 0
    }

    /// Describes the columns and the metric, for people.
    fn space(&self) -> String {
        let kinds = [
            (self.numbers, "numeric"),
            (self.bits, "bit-coded"),
            (self.categories, "categorical"),
            (self.generic, "by generic kernels"),
            (self.sparse, "sparse"),
        ];
        let counted = kinds.iter().filter(|(count, _)| *count > 0);
        let counted: Vec<String> = counted.map(|(count, kind)| format!("{count} {kind}")).collect();
        let columns = if self.columns() == 1 { "column" } else { "columns" };
        let counted = if counted.is_empty() { "0".to_string() } else { counted.join(", ") };
        let metric = self.metric.title();
        let ramp = if self.ramp { "ramp" } else { "no ramp" };
        let calipers = if self.restricted { ", eligible rows alone" } else { "" };
        let factors = if self.has_factors { ", blocks of features" } else { "" };
        format!("{counted} {columns}, {metric}, {ramp}{factors}{calipers}")
    }

    fn missing_columns(&self) -> Option<String> {
        let policy = match self.missing {
            MissingPolicy::Expected => "expected difference",
            MissingPolicy::Ignore => "left out of a pair",
            MissingPolicy::Pessimistic => "largest difference",
        };
        let columns = self.missing_numbers + self.missing_others;
        (columns > 0).then(|| {
            let noun = if columns == 1 { "column" } else { "columns" };
            format!("{policy}; {columns} {noun}")
        })
    }
}

/// The plan of a search, and its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPlan {
    /// The name of the route.
    pub route: Cow<'static, str>,
    /// Describes the search, for people.
    pub search: String,
    /// The treatment of missing values, and the number of columns that have some; `None` without
    /// missing values.
    pub missing: Option<String>,
    /// Maximum number of bytes that the search requires in addition to the data.
    pub bytes: u64,
    /// Bytes of packed rows that lie in a file, because memory cannot hold them.
    pub bytes_in_file: u64,
    /// Routes that were not taken, and why.
    pub not_used: Vec<String>,
    /// The route that was abandoned during the search, and why.
    pub fallback: Option<String>,
    /// Number of pairs whose exact distance was computed, if other distances are rounded.
    pub refined: Option<u64>,
    /// Number of pairs that were compared.
    pub pairs: u64,
}

impl SearchPlan {
    /// The search that the plan chooses.
    pub(crate) fn search(&self) -> NeighborSearch {
        match self.route == NearestRoute::KdTree.name() {
            true => NeighborSearch::KdTree,
            false => NeighborSearch::AllPairs,
        }
    }

    /// Bytes of the lists of the k nearest, per sampled row and group.
    pub fn list_bytes(k: u64) -> u64 {
        8 * (4 * k + 64)
    }

    /// Describes the search in words, with the number of refined pairs.
    pub fn text(&self) -> String {
        match self.refined {
            Some(count) => format!(
                "{}; exact for {} of {} pairs",
                self.search,
                thousands(count),
                thousands(self.pairs)
            ),
            None => self.search.clone(),
        }
    }
}

/// Returns the first of some routes without an obstacle, or the first that is requested by name and
/// can be taken, and the reasons why those before it are not taken. The last route has no obstacle.
fn first_route<R: Copy + PartialEq, const COUNT: usize>(
    all: [R; COUNT],
    name: impl Fn(R) -> &'static str,
    obstacle: impl Fn(R) -> Option<Obstacle>,
    forced: &[String],
) -> (R, Vec<String>) {
    let is_forced = |route: R| forced.iter().any(|forced| forced == name(route));
    let can = |route: R| !matches!(obstacle(route), Some(Cannot(_)));
    let wanted = all.into_iter().find(|&route| is_forced(route) && can(route));
    let mut not_used = Vec::new();
    for route in all {
        let why = match obstacle(route) {
            _ if wanted == Some(route) => return (route, not_used),
            None if wanted.is_none() => return (route, not_used),
            None => "another route was asked for".to_string(),
            Some(Cannot(why) | Slower(why)) => why,
        };
        not_used.push(format!("{}: {why}", name(route)));
    }
    (all[COUNT - 1], not_used)
}

// --- The k nearest rows ----------------------------------------------------------------------------

/// The route to the k nearest rows; `forced` contains names of routes that are taken if they can
/// be.
pub(super) fn plan_nearest(
    facts: &Facts,
    options: NearestOptions,
    forced: &[String],
    memory: &Memory,
) -> (NearestRoute, SearchPlan) {
    let obstacle = |route| nearest_obstacle(route, facts, options);
    let (taken, not_used) = first_route(NearestRoute::ALL, NearestRoute::name, obstacle, forced);
    let search = match taken {
        NearestRoute::KdTree => "k-d trees, one per class",
        NearestRoute::Quantized if facts.quantized() == Some(true) => {
            "15-bit distances of all pairs, of which none is rounded"
        }
        NearestRoute::Quantized => "15-bit distances of all pairs",
        NearestRoute::RoundedCorrections => {
            "distances of all pairs, with corrections for missing values of 16 bits"
        }
        NearestRoute::Exact => "exact distances of all pairs",
    };
    let packing: &[u64] = match taken {
        NearestRoute::KdTree => &[16],
        // Exact distances take over if these leave too many pairs ambiguous.
        NearestRoute::Quantized => &[2, 8],
        NearestRoute::RoundedCorrections | NearestRoute::Exact => &[8],
    };
    let (packed, in_file) = facts.packed(packing, memory);
    let k = (options.k as u64).min(facts.rows as u64);
    let of_row = facts.groups as u64 * k;
    let lists = (facts.sampled * facts.groups) as u64;
    let bytes = packed
        .saturating_add(lists.saturating_mul(SearchPlan::list_bytes(k)))
        .saturating_add(facts.bytes_of_pairs(of_row, false));
    let plan = facts.plan(taken.name(), search, bytes, in_file, not_used);
    (taken, plan)
}

/// As [`plan_nearest`], without trees.
pub(super) fn plan_all_pairs(
    facts: &Facts,
    options: NearestOptions,
    forced: &[String],
    memory: &Memory,
) -> (NearestRoute, SearchPlan) {
    let (route, plan) = plan_nearest(facts, options, forced, memory);
    if route != NearestRoute::KdTree {
        return (route, plan);
    }
    let others = [NearestRoute::Quantized, NearestRoute::Exact];
    plan_nearest(facts, options, &others.map(|route| route.name().to_string()), memory)
}

/// The reason why a route to the k nearest rows is not taken, if there is one.
fn nearest_obstacle(
    route: NearestRoute,
    facts: &Facts,
    options: NearestOptions,
) -> Option<Obstacle> {
    if facts.restricted && route != NearestRoute::Exact {
        return Some(Cannot(ELIGIBLE.to_string()));
    }
    if facts.has_factors && route != NearestRoute::Exact {
        return Some(Cannot(FACTORS.to_string()));
    }
    if facts.sparse > 0 && route != NearestRoute::Exact {
        return Some(Cannot(ENTRIES.to_string()));
    }
    match route {
        NearestRoute::KdTree => {
            let others = facts.bits + facts.categories + facts.generic;
            let needed = options.k.saturating_mul(rows_per_neighbor(facts.columns()));
            if others > 0 {
                Some(Cannot(format!("{others} columns are not numeric")))
            } else if facts.missing_numbers > 0 {
                Some(Cannot(format!("{} columns have missing values", facts.missing_numbers)))
            } else if facts.ramp {
                Some(Cannot("there is a ramp".to_string()))
            } else if facts.columns() == 0 {
                Some(Cannot("no column has two different values".to_string()))
            } else if facts.columns() > MOST_COLUMNS {
                Some(Slower(format!("{} columns are more than {MOST_COLUMNS}", facts.columns())))
            } else if facts.sampled < LEAST_SAMPLED {
                Some(Slower(format!("{} rows are fewer than {LEAST_SAMPLED}", facts.sampled)))
            } else if facts.per_class < needed {
                Some(Slower(format!("{} rows per class are fewer than {needed}", facts.per_class)))
            } else {
                None
            }
        }
        NearestRoute::Quantized => match facts.quantized() {
            Some(_) => None,
            None => Some(Cannot(facts.not_quantized())),
        },
        NearestRoute::RoundedCorrections => {
            if facts.generic > 0 {
                Some(Cannot(format!("{} columns have no kernel", facts.generic)))
            } else if facts.numbers > 0 {
                Some(Cannot(format!("{} columns are numbers", facts.numbers)))
            } else if facts.missing_others == 0 {
                Some(Cannot("no value is missing".to_string()))
            } else if facts.missing == MissingPolicy::Ignore {
                Some(Cannot("missing values are left out".to_string()))
            } else if !facts.has_small_tables {
                Some(Cannot("a column has many different values and classes".to_string()))
            } else if matches!(options.weights, NeighborWeights::Rank { .. }) {
                // Ranks need the exact distances of all candidates, which cost more than all pairs.
                Some(Slower("neighbors weigh by their rank".to_string()))
            } else {
                None
            }
        }
        NearestRoute::Exact => None,
    }
}

// --- Rows within a radius --------------------------------------------------------------------------

/// The choices of a search for rows within a radius.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RadiusChoice {
    pub(super) route: RadiusRoute,
    /// Whether the distances of all pairs are kept from one sweep to the next. Otherwise they are
    /// computed twice if they are needed twice.
    pub(super) keep_distances: bool,
    /// Whether the marks of all pairs are kept. Otherwise they are computed on request.
    pub(super) keep_marks: bool,
    /// Whether pairs are shown once for both directions. This requires every row's radius and the
    /// sizes of its groups beforehand.
    pub(super) undirected: bool,
}

/// The route to all rows within a radius, and on request beyond it; `forced` as for
/// [`plan_nearest`].
pub(super) fn plan_radius(
    facts: &Facts,
    rule: RadiusRule,
    with_far: bool,
    forced: &[String],
    memory: &Memory,
) -> (RadiusChoice, SearchPlan) {
    let is_forced = |name: &str| forced.iter().any(|forced| forced == name);
    let all = facts.sampled == facts.rows;
    let pairs = (facts.rows as u64).saturating_mul(facts.rows as u64);
    // Exact numbers take over if rounded ones leave too many pairs ambiguous.
    let packings = [8, 4, 2].map(|bytes| facts.packed(&[bytes], memory));
    let packed = packings.iter().map(|(held, _)| *held).fold(0, u64::max);
    // Half a matrix of numbers.
    let distances = pairs.saturating_mul(4);
    let of_rows = packings.iter().map(|(held, in_file)| held + in_file).fold(0, u64::max);
    let (always, most) = match facts.sparse {
        0 => (ALWAYS_KEPT, of_rows.saturating_mul(KEPT_BESIDE_ROWS)),
        _ => (ALWAYS_KEPT_OF_SPARSE, of_rows / KEPT_PART_OF_SPARSE),
    };
    let fits = distances <= most && memory.holds(distances.saturating_add(packed));
    let keep_distances = all && (distances <= always || fits) && !is_forced(RECOMPUTED);
    let marks = Marks::bytes(facts.sampled as u64, facts.rows as u64, rule, with_far);
    let fit = marks <= ALWAYS_KEPT || memory.holds(marks.saturating_add(packed));
    let keep_marks = fit && !is_forced(RECOMPUTED);
    let lists = facts.groups * sides(with_far);
    // Differences of bits are counted row by row. This computes every distance twice, which is
    // cheap.
    let only_bits = facts.bits == facts.columns() && !facts.has_missing();
    let undirected = all && lists <= MOST_LISTS && (keep_marks || !only_bits) && !facts.weighted;
    let obstacle = |route| radius_obstacle(route, facts, rule, keep_marks);
    let (route, mut not_used) = first_route(RadiusRoute::ALL, RadiusRoute::name, obstacle, forced);
    let megabytes = |bytes: u64| format!("they take {} MB", thousands(bytes.div_ceil(1_000_000)));
    if !keep_marks {
        let why = match is_forced(RECOMPUTED) {
            true => "another route was asked for".to_string(),
            false => megabytes(marks),
        };
        not_used.push(format!("kept marks: {why}"));
    }
    let choice = RadiusChoice { route, keep_distances, keep_marks, undirected };
    let batch = facts.batch(facts.rows as u64, undirected);
    let in_file = match route {
        RadiusRoute::Exact => packings[0].1,
        RadiusRoute::Words => packings[1].1,
        RadiusRoute::Quantized => packings[2].1,
    };
    let bytes = packed
        .saturating_add(if keep_distances { distances } else { 0 })
        .saturating_add(if keep_marks { marks } else { 0 })
        .saturating_add(pairs.min(batch) * facts.pair());
    let of = if all { "all pairs" } else { "sampled rows" };
    let stored = if keep_marks { "kept as marks" } else { "computed when asked for" };
    let search = format!("{} of {of}, {stored}", route.name());
    (choice, facts.plan(route.name(), &search, bytes, in_file, not_used))
}

/// The reason why a route to the rows within a radius is not taken, if there is one.
fn radius_obstacle(
    route: RadiusRoute,
    facts: &Facts,
    rule: RadiusRule,
    keep_marks: bool,
) -> Option<Obstacle> {
    let of_pairs = !rule.is_per_row() && !rule.dead_band && !rule.sigmoid;
    match route {
        RadiusRoute::Exact => None,
        _ if facts.restricted => Some(Cannot(ELIGIBLE.to_string())),
        _ if facts.has_factors => Some(Cannot(FACTORS.to_string())),
        _ if facts.sparse > 0 => Some(Cannot(ENTRIES.to_string())),
        _ if facts.weighted => Some(Cannot("rows have weights".to_string())),
        _ if facts.rows < 2 => Some(Cannot("there are fewer than two rows".to_string())),
        RadiusRoute::Words | RadiusRoute::Quantized
            if !keep_marks && facts.quantized() != Some(true) =>
        {
            Some(Cannot("marks are computed on request".to_string()))
        }
        RadiusRoute::Quantized => match facts.quantized() {
            None => Some(Cannot(facts.not_quantized())),
            Some(_) if facts.missing_numbers > 0 => {
                Some(Cannot(format!("{} columns have missing values", facts.missing_numbers)))
            }
            Some(true) => None,
            Some(false) if of_pairs => None,
            Some(false) => Some(Cannot("a radius follows from distances".to_string())),
        },
        RadiusRoute::Words => {
            if !rule.is_per_row() {
                Some(Cannot("the radius is one of all pairs".to_string()))
            } else if rule.sigmoid {
                Some(Cannot("weights of neighbors follow from distances".to_string()))
            } else if facts.columns() > facts.numbers || facts.numbers == 0 {
                Some(Cannot("a column is not numeric".to_string()))
            } else if facts.metric.fold().sum() != Some(SumOf::Differences) || facts.ramp {
                Some(Cannot("distances are not sums of absolute differences".to_string()))
            } else if !facts.has_tables {
                Some(Cannot("missing values are left out".to_string()))
            } else if !facts.roundable {
                Some(Cannot("a range is too small to be cut into steps".to_string()))
            } else {
                None
            }
        }
    }
}

// --- Bytes -----------------------------------------------------------------------------------------

/// Most bytes of an entry of a sparse column in packed rows: its row, its value, and its column if it has no other entry.
const BYTES_OF_ENTRY: u64 = 11;

/// Bytes per pair and sum of a batch of margins, without and with missing values.
const PAIR: u64 = 40;
const PAIR_WITH_MISSING: u64 = 64;

/// Suggests what else can be done if memory does not suffice.
pub(super) fn sampling() -> Mention {
    ways(&[
        format!("look at the neighbors of fewer rows ({})", setting("n_samples", None)),
        "give fewer rows".to_string(),
    ])
}

impl Facts {
    /// Why numbers cannot be rounded to 15 bits.
    fn not_quantized(&self) -> String {
        let others = self.columns() - self.numbers;
        if self.numbers == 0 {
            "no column is a number".to_string()
        } else if others > 0 {
            format!("{others} columns are not numeric")
        } else if self.metric.fold().sum() != Some(SumOf::Differences) {
            format!("distances are {}", self.metric.title())
        } else if self.ramp {
            "there is a ramp".to_string()
        } else if !self.has_tables {
            "missing values are left out".to_string()
        } else {
            "a column's range, or the classes with missing values, are beyond it".to_string()
        }
    }

    /// Bytes of packed rows in memory, and of those in a file; `number` contains the bytes of a
    /// number in every packing.
    fn packed(&self, number: &[u64], memory: &Memory) -> (u64, u64) {
        let rows = self.rows as u64;
        let packings = number.iter().map(|bytes| rows.saturating_mul(bytes * self.numbers as u64));
        let others = [
            rows.saturating_mul(4 * self.categories as u64),
            rows.saturating_mul(8 * self.generic as u64),
            rows.saturating_mul(self.bit_planes as u64) / 8,
        ];
        // Entries always lie in memory.
        let (mut held, mut in_file) = (self.entries.saturating_mul(BYTES_OF_ENTRY), 0_u64);
        for bytes in packings.chain(others) {
            let sum = if memory.holds(bytes) { &mut held } else { &mut in_file };
            *sum = sum.saturating_add(bytes);
        }
        (held, in_file)
    }

    /// Bytes of the pairs that are summed at a time, with up to `of_row` pairs per sampled row.
    pub(super) fn bytes_of_pairs(&self, of_row: u64, undirected: bool) -> u64 {
        let pairs = (self.sampled as u64).saturating_mul(of_row);
        pairs.min(self.batch(of_row, undirected)) * self.pair()
    }

    /// Number of pairs in a batch of rows with up to `of_row` pairs each.
    fn batch(&self, of_row: u64, undirected: bool) -> u64 {
        let only_bits = self.bits == self.columns();
        let most = if undirected || only_bits { LARGE_BATCH } else { BATCH };
        (most as u64).max(LANES as u64 * of_row)
    }

    /// Bytes per pair of a batch.
    fn pair(&self) -> u64 {
        // With a single group, as for a numeric target, a pair counts in two sums.
        let sums = if self.groups == 1 { 2 } else { 1 };
        let with_tables = self.has_missing() && self.has_tables;
        sums * if with_tables { PAIR_WITH_MISSING } else { PAIR }
    }

    fn plan(
        &self,
        route: &'static str,
        search: &str,
        bytes: u64,
        bytes_in_file: u64,
        not_used: Vec<String>,
    ) -> SearchPlan {
        let (rows, sampled) = (self.rows as u64, self.sampled as u64);
        SearchPlan {
            route: route.into(),
            search: format!("{search} ({})", self.space()),
            missing: self.missing_columns(),
            bytes,
            bytes_in_file,
            not_used,
            fallback: None,
            refined: None,
            // Every pair that includes a sampled row.
            pairs: sampled * (sampled.saturating_sub(1)) / 2 + sampled * (rows - sampled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Table};
    use crate::differences::SpaceOptions;
    use crate::neighbors::Ties;
    use crate::run::Run;

    fn nearest(k: usize) -> NearestOptions {
        NearestOptions { k, ties: Ties::Share, weights: NeighborWeights::Uniform }
    }

    #[test]
    fn the_formulas_of_memory_by_hand() {
        let numbers = |step: f64| (0..80).map(|row| (step * f64::from(row)).fract()).collect();
        let copies: Vec<u8> = (0..80).map(|row| row % 3).collect();
        let columns = vec![
            Column::from_values("a", numbers(0.618)).unwrap(),
            Column::from_values("b", numbers(0.414)).unwrap(),
            Column::genotype("c", copies.into()).unwrap(),
        ];
        let table = Table::new(columns).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let codes: Vec<u32> = (0..80).map(|row| row % 2).collect();
        let facts = |groups: usize| match groups {
            1 => Facts::new(&space, 80, Grouping::All),
            _ => Facts::new(&space, 80, Grouping::HitMiss(&codes)),
        };
        // Two numbers of 8 bytes and 3 bits per row; 80 lists for each of 2 groups of 8 * 72 bytes; 320
        // pairs of 40 bytes.
        let (route, plan) = plan_nearest(&facts(2), nearest(2), &[], run.memory());
        assert_eq!(route, NearestRoute::Exact);
        assert_eq!(plan.bytes, (80 * 131 / 8) + 160 * 8 * 72 + 320 * 40);
        assert_eq!((plan.bytes_in_file, plan.pairs), (0, 80 * 79 / 2));
        let radius = |groups, memory: &Memory| {
            plan_radius(&facts(groups), RadiusRule::MULTISURF, false, &[], memory).1
        };
        // A mark is a bit; a row takes complete words.
        let wanted = (80 * 131 / 8) + 4 * 6400 + 80 * 2 * 8 + 6400 * 40;
        assert_eq!(radius(2, run.memory()).bytes, wanted);
        assert_eq!(radius(1, run.memory()).bytes, wanted + 6400 * 40);
        // With room for 640 bytes in one piece, the exact numbers lie in a file, and rounded ones
        // do not.
        let little = Memory::new(4 * 640, "");
        assert_eq!(radius(2, &little).bytes, wanted - 80 * 8);
        let held = plan_nearest(&facts(2), nearest(2), &[], &little).1;
        assert_eq!((held.bytes, held.bytes_in_file), (plan.bytes - 80 * 16, 80 * 16));
    }

    #[test]
    fn distances_are_kept_where_rows_are_few_or_long() {
        let copies: Vec<u8> = (0..80).map(|row| row % 3).collect();
        let table = Table::new(vec![Column::genotype("a", copies.into()).unwrap()]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let facts = Facts::new(&space, 80, Grouping::All);
        let keeps = |rows: usize, bit_planes: usize, memory: u64| {
            let facts = Facts { rows, sampled: rows, bit_planes, ..facts.clone() };
            let memory = Memory::new(memory, "");
            let (choice, plan) = plan_radius(&facts, RadiusRule::MULTISURF, false, &[], &memory);
            assert!(choice.keep_marks && plan.search.contains("kept as marks"));
            assert!(choice.undirected);
            choice.keep_distances
        };
        assert!(keeps(4096, 3, 0) && !keeps(4097, 3, u64::MAX));
        // 4 * 8000 bytes per row are twice 128,000 bits.
        assert!(keeps(8000, 128_000, u64::MAX) && !keeps(8000, 127_992, u64::MAX));
        // A quarter of the memory holds 256 MB of distances and 256 MB of rows.
        assert!(keeps(8000, 256_000, 4 * 512_000_000) && !keeps(8000, 256_000, 4 * 511_999_999));
        // Longer rows lie in a file, and leave room.
        assert!(keeps(8000, 512_000, 4 * 256_000_000));
    }

    #[test]
    fn marks_are_kept_where_they_fit() {
        let copies: Vec<u8> = (0..80).map(|row| row % 3).collect();
        let table = Table::new(vec![Column::genotype("a", copies.into()).unwrap()]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let facts = Facts::new(&space, 80, Grouping::All);
        let keeps = |rows: usize, rule: RadiusRule, memory: u64| {
            let facts = Facts { rows, sampled: rows, ..facts.clone() };
            let memory = Memory::new(memory, "");
            let (choice, plan) = plan_radius(&facts, rule, true, &[], &memory);
            assert_eq!(choice.keep_marks, plan.search.contains("kept as marks"));
            // Bits are cheaper to compare than to count.
            assert_eq!(choice.undirected, choice.keep_marks);
            choice.keep_marks
        };
        // Two sides of 64,000 bits; 3 more bits per row are packed.
        let (rows, bytes) = (64_000, 2 * 64_000 * 8000 + 64_000 * 3 / 8);
        let rule = RadiusRule::MULTISURF;
        assert!(keeps(rows, rule, 4 * bytes) && !keeps(rows, rule, 4 * bytes - 1));
        assert!(!keeps(rows, RadiusRule::SWRF, 4 * bytes));
        assert!(keeps(16_000, rule, 0) && !keeps(16_400, rule, 0));
    }

    #[test]
    fn categories_take_as_many_bits_as_their_code_has_planes() {
        let column = |levels: usize| {
            let texts: Vec<String> = (0..80).map(|row| format!("L{}", row % levels)).collect();
            let texts = texts.iter().map(|text| Some(text.as_str()));
            Column::categorical(format!("{levels}"), Categories::from_texts(texts))
        };
        let run = Run::new(Some(1)).unwrap();
        // Known values take one more plane.
        for (levels, bytes) in [(3, 3 * 10), (4, 3 * 10), (5, 5 * 10), (16, 5 * 10), (17, 4 * 80)] {
            let table = Table::new(vec![column(levels)]).unwrap();
            let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
            let facts = Facts::new(&space, 80, Grouping::All);
            assert_eq!(facts.packed(&[8], run.memory()), (bytes, 0), "{levels} values");
        }
    }

    #[test]
    fn routes_that_are_not_taken_have_a_reason() {
        let column = |feature: usize| {
            let value = |row: usize| (row as f64 * (0.618 + feature as f64)).fract();
            Column::from_values(format!("f{feature}"), (0..2000).map(value).collect()).unwrap()
        };
        let run = Run::new(Some(1)).unwrap();
        for (columns, expected, first) in [
            (3, NearestRoute::KdTree, None),
            (9, NearestRoute::Quantized, Some("k-d tree: 9 columns are more than 7")),
        ] {
            let table = Table::new((0..columns).map(column).collect()).unwrap();
            let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
            let facts = Facts::new(&space, 2000, Grouping::All);
            let (route, plan) = plan_nearest(&facts, nearest(10), &[], run.memory());
            assert_eq!(route, expected);
            assert_eq!(plan.not_used.first().map(String::as_str), first);
            // A requested route is taken if it can be.
            let forced = ["16-bit corrections".to_string(), "exact distances".to_string()];
            let (route, plan) = plan_nearest(&facts, nearest(10), &forced, run.memory());
            assert_eq!(route, NearestRoute::Exact);
            assert_eq!(plan.not_used.len(), 3);
        }
    }

    #[test]
    fn counts_have_commas() {
        let counts = [(0, "0"), (999, "999"), (1000, "1,000"), (1_999_000, "1,999,000")];
        assert!(counts.iter().all(|(count, text)| thousands(*count) == *text));
    }
}
