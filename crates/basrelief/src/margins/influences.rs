//! Variances of weights by the infinitesimal jackknife: the influence of every row, or of every group of rows,
//! on a function of [sums over pairs](super::margin_sums).
//!
//! A row influences a weight as a query row, by its own pairs, and as a neighbor of other query rows, where it
//! replaces the mean of their neighbors from other units. The second part is as large as the first: the variance of the query rows
//! alone is up to four times too small.
//!
//! The jackknife counts the variance of single pairs twice, once for each row of a pair (Efron & Stein 1981). It
//! is therefore reduced by the sum of squares over pairs of rows, and by one half at most, which is what remains if
//! all variance is that of pairs.
//!
//! Where rows have many neighbors, the variance is estimated from the influences of a sample of the units. Lists of
//! other rows are then those of their neighbors in the sample, whose mean stands for that of all neighbors.

use std::mem::size_of;
use std::ops::Range;

use basrelief_kernels::{
    ChangeLists, ChangeSums, FactorsOf, ListDifferences, ListFactors, NO_UNIT, PAIR_SUMS,
    RepeatedPair, Weighed, add_list_changes, level, squares_of_repeated,
};

use super::tiles::{Lanes, Terms, Tile, TileBuffer, TileKind, WIDTH, tiles};
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::{Neighbor, PairSource, TileBuffers};
use crate::parallel;
use crate::random::{RandomStream, generator, sample};
use crate::run::Run;
use crate::thresholds::{
    FEW_NEIGHBORS, MOST_REPEATED, MOST_UNITS, MOST_UNITS_OF_FEW, MOST_VARIATION,
};

/// Rows whose pairs one task lists; it does not depend on the number of threads.
const ROWS_PER_TASK: usize = 64;

/// Pairs whose differences are listed together where kernels do not compute them.
const PAIRS_TOGETHER: usize = 4096;

/// The sums over pairs that a weight depends on.
const SUMS: usize = PAIR_SUMS / 2;

/// The rows or groups of rows that were sampled independently.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units<'u> {
    /// The unit of every row of the table.
    pub(crate) of_rows: &'u [u32],
    /// The number of units, at least 2.
    pub(crate) count: usize,
}

/// The derivatives of a weight, a function of sums over pairs and of the total weights of the pairs in each sum.
pub(crate) trait Slopes: Sync {
    /// Whether the weight depends on the total weights.
    const BY_TOTALS: bool;

    /// The derivatives by the sums, which depend on the total weights alone.
    fn by_sums(&self, totals: [f64; SUMS]) -> [f64; SUMS];

    /// The derivatives by the total weights.
    fn by_totals(&self, sums: [f64; SUMS], totals: [f64; SUMS]) -> [f64; SUMS];
}

/// Whose influences are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Influencing {
    /// All units.
    All,
    /// A sample of the units, if there are many; a larger one for features of which few units determine the variance.
    Sample,
}

/// Computes the variance of every feature's weight over samples of as many units.
///
/// `weigh(row, group, neighbor row, neighbor weight)` returns the weight of a pair in each sum, as in
/// [`margin_sums`](super::margin_sums). The weight is a function of the sums over all pairs and of their total weights,
/// with these `slopes`; it does not depend on the total weights if only a sample of the units is `influencing`.
/// Differences must be known for all pairs.
///
/// Source: B. Efron and C. Stein. The jackknife estimate of variance. Annals of Statistics 9, 586-596, 1981.
///
/// # Errors
/// The pairs do not fit into memory; [`crate::Error::Cancelled`].
pub(crate) fn influence_variances<S: Slopes>(
    space: &Space<'_>,
    source: &dyn PairSource,
    (units, influencing): (Units<'_>, Influencing),
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    slopes: &S,
    run: &Run,
) -> Result<Vec<f64>> {
    let mut variances = vec![0.0; space.width()];
    let mut features: Vec<usize> = (0..space.width()).collect();
    let mut most = match influencing {
        Influencing::All => units.count,
        Influencing::Sample => MOST_UNITS.min(units.count),
    };
    while !features.is_empty() {
        let pairs = Pairs::new(space, source, (units, most), &weigh, slopes, run)?;
        let tiles = tiles(space, Terms { means: false, jumps: &[] }, &features);
        run.progress().start("computing intervals", features.len() as u64);
        let found = run.install(|| {
            parallel::try_map_with(&tiles, |buffer: &mut Buffer, tile| {
                run.check()?;
                let found = buffer.variances(space, tile, &pairs, slopes);
                run.progress().advance(tile.features.len() as u64);
                Ok(found)
            })
        })?;
        run.progress().finish();
        features.clear();
        let is_last = most == units.count.min(MOST_UNITS_OF_FEW);
        for (tile, [found, variation]) in tiles.iter().zip(found) {
            for (lane, &feature) in tile.features.iter().enumerate() {
                variances[feature] = found[lane];
                if !is_last && variation[lane] > MOST_VARIATION * MOST_VARIATION {
                    features.push(feature);
                }
            }
        }
        features.sort_unstable();
        if is_last || influencing == Influencing::All {
            break;
        }
        most = units.count.min(MOST_UNITS_OF_FEW);
    }
    Ok(variances)
}

/// How a pair counts in its list, before the derivatives of the weight are known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    /// The weight in each sum.
    counts: [f64; SUMS],
    /// As a neighbor, a row replaces the mean of the neighbors from other units: the factors of the weight of the pair and of
    /// the list.
    replaces: [f64; 2],
}

/// Lists of rows and neighbors.
#[derive(Debug, Default)]
struct Lists {
    rows: Vec<u32>,
    ends: Vec<usize>,
    /// Per list, how many of its neighbors have an influence that is computed; they come first.
    changing: Vec<u32>,
    neighbors: Vec<u32>,
    /// Runs of neighbors that count equally, and the number of their last ones.
    terms: Vec<(Term, usize)>,
    /// Per list or per neighbor.
    factors: Vec<ListFactors>,
    /// Per list, the unit of its row, or [`NO_UNIT`].
    own_units: Vec<u32>,
    /// Per neighbor, its unit; empty if units are rows.
    units: Vec<u32>,
    /// Per neighbor, its weights in the sums that totals depend on, and in those of products of changes; or empty.
    of_pairs: Vec<[f64; PAIR_SUMS]>,
}

impl Lists {
    /// Adds a list, which is not empty.
    fn push(&mut self, row: u32, unit: u32, changing: usize, listed: &[(u32, Term)]) {
        let first = self.neighbors.len();
        for (place, &(neighbor, term)) in listed.iter().enumerate() {
            self.neighbors.push(neighbor);
            match self.terms.last_mut() {
                Some((last, end)) if place > 0 && *last == term => *end += 1,
                _ => self.terms.push((term, first + place + 1)),
            }
        }
        self.rows.push(row);
        self.ends.push(self.neighbors.len());
        self.changing.push(changing as u32);
        self.own_units.push(unit);
    }

    /// Appends lists.
    fn append(&mut self, other: Self) {
        let before = self.neighbors.len();
        self.rows.extend(other.rows);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.changing.extend(other.changing);
        self.neighbors.extend(other.neighbors);
        self.terms.extend(other.terms.iter().map(|(term, end)| (*term, before + end)));
        self.own_units.extend(other.own_units);
    }

    /// The places of the neighbors of a list.
    fn range(&self, list: usize) -> Range<usize> {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        start..self.ends[list]
    }

    /// Whether factors belong to lists.
    fn are_even(&self) -> bool {
        self.factors.len() == self.rows.len()
    }

    /// The factors of a pair.
    fn factors_of(&self, list: usize, place: usize) -> ListFactors {
        self.factors[if self.are_even() { list } else { place }]
    }

    /// Computes the factors from the terms, with the derivatives by the sums.
    fn set_factors(&mut self, by_sums: [f64; SUMS]) {
        let of_term = |term: &Term| {
            let weight = term.counts.iter().zip(by_sums).map(|(count, slope)| count * slope).sum();
            let [own, of_list] = term.replaces;
            ListFactors { weight, own: own * weight, of_list }
        };
        // No list is empty.
        let even = self.terms.len() == self.rows.len();
        let mut first = 0;
        for (term, end) in &self.terms {
            let times = if even { 1 } else { end - first };
            self.factors.extend(std::iter::repeat_n(of_term(term), times));
            first = *end;
        }
    }

    /// The lists as the kernels take them.
    fn of_kernels(&self) -> ChangeLists<'_> {
        ChangeLists {
            rows: &self.rows,
            ends: &self.ends,
            changing: &self.changing,
            others: &self.neighbors,
            factors: match self.are_even() {
                true => FactorsOf::Lists(&self.factors),
                false => FactorsOf::Others(&self.factors),
            },
            own_units: &self.own_units,
            units: &self.units,
            of_pairs: &self.of_pairs,
        }
    }

    /// Some of the lists, whose neighbors are at the places of a range; `ends` receives their ends from there.
    fn part<'l>(
        &'l self,
        lists: Range<usize>,
        places: Range<usize>,
        ends: &'l mut Vec<usize>,
    ) -> ChangeLists<'l> {
        ends.clear();
        ends.extend(self.ends[lists.clone()].iter().map(|end| end - places.start));
        let factors = match self.are_even() {
            true => FactorsOf::Lists(&self.factors[lists.clone()]),
            false => FactorsOf::Others(&self.factors[places.clone()]),
        };
        let units = if self.units.is_empty() { &[][..] } else { &self.units[places.clone()] };
        let of_pairs =
            if self.of_pairs.is_empty() { &[][..] } else { &self.of_pairs[places.clone()] };
        ChangeLists {
            rows: &self.rows[lists.clone()],
            ends,
            changing: &self.changing[lists.clone()],
            others: &self.neighbors[places],
            factors,
            own_units: &self.own_units[lists],
            units,
            of_pairs,
        }
    }
}

/// All pairs, list by list.
struct Pairs<'u> {
    units: Units<'u>,
    /// The units whose influences are computed; `None`: all.
    sampled: Option<Vec<u32>>,
    /// The lists of the rows of these units, and those of other rows.
    lists: [Lists; 2],
    /// The pairs of two units that have several pairs, in either direction, block by block; a sample of the blocks if
    /// there are many.
    repeated: Vec<RepeatedPair>,
    /// Their places in the lists.
    places: Vec<u32>,
    /// The number of pairs of every block.
    blocks: Vec<u32>,
    /// How many blocks each block stands for.
    times: f64,
    /// The total weight of all pairs in each sum.
    totals: [f64; SUMS],
    /// Per unit, its fraction of the query rows, or of their weight.
    fractions: Vec<f64>,
    /// Per unit, its influence on the total weight of each sum; empty if the weight does not depend on them.
    influences: Vec<[f64; SUMS]>,
    /// Per two sums, the sum of products of the changes of their totals by two units.
    changes: [[f64; SUMS]; SUMS],
}

impl<'u> Pairs<'u> {
    /// Lists the pairs of a source, for the influences of at most this number of units.
    ///
    /// # Errors
    /// The pairs do not fit into memory; [`crate::Error::Cancelled`].
    fn new<S: Slopes>(
        space: &Space<'_>,
        source: &dyn PairSource,
        (units, most): (Units<'u>, usize),
        weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
        slopes: &S,
        run: &Run,
    ) -> Result<Self> {
        let sampled = (most < units.count).then(|| {
            let mut random = generator(0, RandomStream::IntervalUnits);
            sample(units.count as u32, most as u32, &mut random)
        });
        let mut is_sampled = vec![sampled.is_none(); units.count];
        sampled.iter().flatten().for_each(|unit| is_sampled[*unit as usize] = true);
        let share = sampled.as_ref().map_or(1.0, |own| own.len() as f64 / units.count as f64);
        let expected: usize = (0..source.len()).map(|place| source.expected_pairs(place)).sum();
        // All neighbors of the rows in the sample, and the neighbors in the sample of all rows. What is known per list is
        // little in addition to them.
        let (pairs, of_pair) = match sampled {
            None => (1.0, size_of::<(Term, ListFactors, [f64; PAIR_SUMS])>()),
            Some(_) => (2.0 * share, 0),
        };
        let of_pair = 2 * size_of::<u32>() + of_pair;
        run.memory().claim(
            (expected as f64 * pairs * of_pair as f64) as u64,
            "computing intervals of the weights",
            "use fewer neighbors or fewer rows",
        )?;
        let row_weights = space.row_weights();
        let row_weight = |row: u32| row_weights.map_or(1.0, |weights| weights[row as usize]);
        let listed: Vec<(Vec<u32>, [Lists; 2])> = run.install(|| {
            let list = |start: usize| {
                run.check()?;
                let places = start..(start + ROWS_PER_TASK).min(source.len());
                Ok(list_pairs(
                    source,
                    places,
                    (units, &is_sampled),
                    |row, group, neighbor, weight| {
                        weigh(row, group, neighbor, weight).map(|count| row_weight(row) * count)
                    },
                ))
            };
            parallel::try_map((0..source.len()).step_by(ROWS_PER_TASK), list)
        })?;
        let mut lists = [Lists::default(), Lists::default()];
        let mut of_rows = vec![0.0; space.rows()];
        for (rows, of_task) in listed {
            rows.iter().for_each(|&row| of_rows[row as usize] = row_weight(row));
            lists.iter_mut().zip(of_task).for_each(|(all, part)| all.append(part));
        }
        let mut totals = [0.0; SUMS];
        for lists in &lists {
            let mut first = 0;
            for (term, end) in &lists.terms {
                let times = (end - first) as f64;
                totals.iter_mut().zip(term.counts).for_each(|(sum, count)| *sum += times * count);
                first = *end;
            }
        }
        let by_sums = slopes.by_sums(totals);
        lists.iter_mut().for_each(|lists| lists.set_factors(by_sums));
        let all: f64 = of_rows.iter().sum();
        let mut fractions = vec![0.0; units.count];
        for (&unit, of_row) in units.of_rows.iter().zip(&of_rows) {
            fractions[unit as usize] += of_row / all;
        }
        let are_rows = units.of_rows.iter().zip(0..).all(|(unit, row)| *unit == row);
        if !are_rows {
            for lists in &mut lists {
                let unit = |row: &u32| units.of_rows[*row as usize];
                lists.units = lists.neighbors.iter().map(unit).collect();
            }
        }
        let (repeated, places, blocks, times) = repeated(&lists[0], units, run);
        let mut found = Self {
            units,
            sampled,
            lists,
            repeated,
            places,
            blocks,
            times,
            totals,
            fractions,
            influences: Vec::new(),
            changes: [[0.0; SUMS]; SUMS],
        };
        if S::BY_TOTALS {
            found.add_totals();
        }
        Ok(found)
    }

    /// Computes the influences of units on the totals, the products of their changes, and the weights of pairs in the
    /// sums that the derivatives by totals and their products with changes depend on.
    fn add_totals(&mut self) {
        self.influences =
            self.fractions.iter().map(|own| self.totals.map(|all| -own * all)).collect();
        // The lists of all units.
        let lists = &mut self.lists[0];
        let mut terms = Vec::with_capacity(lists.neighbors.len());
        for (term, end) in &lists.terms {
            terms.resize(*end, *term);
        }
        let unit = |row: u32| self.units.of_rows[row as usize] as usize;
        let mut by_neighbor: Vec<[f64; SUMS]> = Vec::with_capacity(terms.len());
        for (list, &row) in lists.rows.iter().enumerate() {
            let of_list = &terms[lists.range(list)];
            let mut totals = [0.0; SUMS];
            for term in of_list {
                totals.iter_mut().zip(term.counts).for_each(|(total, count)| *total += count);
            }
            for (term, place) in of_list.iter().zip(lists.range(list)) {
                let [own, of_list] = term.replaces;
                let change: [f64; SUMS] =
                    std::array::from_fn(|sum| own * term.counts[sum] - of_list * totals[sum]);
                for sum in 0..SUMS {
                    self.influences[unit(row)][sum] += term.counts[sum];
                    self.influences[unit(lists.neighbors[place])][sum] += change[sum];
                    for second in 0..SUMS {
                        self.changes[sum][second] += change[sum] * change[second];
                    }
                }
                by_neighbor.push(change);
            }
        }
        // Two units with several pairs change the totals by the sum of these pairs.
        let mut factors = by_neighbor.clone();
        let mut rest = &self.places[..];
        for &length in &self.blocks {
            let (block, after) = rest.split_at(length as usize);
            rest = after;
            let mut all = [0.0; SUMS];
            for &place in block {
                let change = by_neighbor[place as usize];
                all.iter_mut().zip(change).for_each(|(all, own)| *all += own);
            }
            for &place in block {
                let own = by_neighbor[place as usize];
                for sum in 0..SUMS {
                    let others = self.times * (all[sum] - own[sum]);
                    factors[place as usize][sum] += others;
                    for second in 0..SUMS {
                        self.changes[sum][second] += others * own[second];
                    }
                }
            }
        }
        // The sum of changes times their factors, as a sum of differences times weights.
        lists.of_pairs.reserve(terms.len());
        for list in 0..lists.rows.len() {
            let mut of_sum = [0.0; SUMS];
            for place in lists.range(list) {
                let ListFactors { of_list, .. } = lists.factors_of(list, place);
                of_sum.iter_mut().zip(factors[place]).for_each(|(all, own)| *all += own * of_list);
            }
            for place in lists.range(list) {
                let ListFactors { weight, own, .. } = lists.factors_of(list, place);
                let [first, second] =
                    std::array::from_fn(|sum| factors[place][sum] * own - weight * of_sum[sum]);
                let counts = terms[place].counts;
                lists.of_pairs.push([counts[0], counts[1], first, second]);
            }
        }
    }

    /// The number of units whose influences are computed.
    fn influencing(&self) -> usize {
        self.sampled.as_ref().map_or(self.units.count, Vec::len)
    }
}

/// Lists the pairs of the rows at some places: the rows, the lists of rows whose units are sampled, and those of the
/// other rows.
fn list_pairs(
    source: &dyn PairSource,
    places: Range<usize>,
    (units, is_sampled): (Units<'_>, &[bool]),
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
) -> (Vec<u32>, [Lists; 2]) {
    let mut lists = [Lists::default(), Lists::default()];
    let mut rows = Vec::new();
    let mut shares = vec![0.0; units.count];
    let (mut kept, mut listed) = (Vec::<Neighbor>::new(), Vec::new());
    let unit = |row: u32| units.of_rows[row as usize];
    source.visit(places, &mut |row, group, neighbors| {
        if rows.last() != Some(&row) {
            rows.push(row);
        }
        let own = is_sampled[unit(row) as usize];
        let of_sample = |one: &&Neighbor| is_sampled[unit(one.row) as usize];
        let counted = || neighbors.iter().filter(|one| one.weight != 0.0);
        kept.clear();
        kept.extend(counted().filter(of_sample));
        let changing = kept.len();
        if (own || neighbors.len() <= FEW_NEIGHBORS) && changing < neighbors.len() {
            kept.extend(counted().filter(|one| !of_sample(one)));
        }
        if kept.is_empty() || (!own && changing == 0) {
            return;
        }
        let all: f64 = kept.iter().map(|one| one.weight).sum();
        kept.iter().for_each(|one| shares[unit(one.row) as usize] += one.weight / all);
        listed.clear();
        listed.extend(kept.iter().map(|one| {
            let rest = 1.0 - shares[unit(one.row) as usize];
            // The rows of a single unit in a list have no others to replace.
            let replaces =
                if rest < 1e-9 { [0.0; 2] } else { [1.0 / rest, one.weight / all / rest] };
            (one.row, Term { counts: weigh(row, group, one.row, one.weight), replaces })
        }));
        kept.iter().for_each(|one| shares[unit(one.row) as usize] = 0.0);
        let own_unit = if own { unit(row) } else { NO_UNIT };
        lists[usize::from(!own)].push(row, own_unit, changing, &listed);
    });
    (rows, lists)
}

/// The pairs of two units that have several pairs, in either direction, block by block; their places in the lists, the
/// lengths of the blocks, and how many blocks each stands for.
fn repeated(
    lists: &Lists,
    units: Units<'_>,
    run: &Run,
) -> (Vec<RepeatedPair>, Vec<u32>, Vec<u32>, f64) {
    let pairs = || {
        lists.rows.iter().enumerate().flat_map(|(list, &row)| {
            let own = units.of_rows[row as usize];
            let changing = lists.range(list).take(lists.changing[list] as usize);
            changing.map(move |place| {
                let other = units.of_rows[lists.neighbors[place] as usize];
                ([own.min(other), own.max(other)], [place as u32, list as u32])
            })
        })
    };
    // Two units with one pair are excluded by bits of what they are mapped to, most of them.
    let count: usize = lists.changing.iter().map(|count| *count as usize).sum();
    let shift = 64 - (8 * count).max(64).ilog2();
    let [mut once, mut twice] = [0, 1].map(|_| vec![0_u64; 1 << (64 - shift - 6)]);
    let bit_of = |[low, high]: [u32; 2]| {
        let key = (u64::from(low) << 32 | u64::from(high)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((key >> (shift + 6)) as usize, 1 << (key >> shift & 63))
    };
    for (both, _) in pairs() {
        let (word, bit) = bit_of(both);
        twice[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let may_repeat = |both| {
        let (word, bit) = bit_of(both);
        twice[word] & bit != 0
    };
    // The two units, and the place and the list of a pair.
    let mut keys: Vec<([u32; 2], [u32; 2])> =
        pairs().filter(|(both, _)| may_repeat(*both)).collect();
    run.install(|| parallel::sort(&mut keys));
    let several = keys.chunk_by(|a, b| a.0 == b.0).filter(|block| block.len() > 1);
    let mut several: Vec<&[([u32; 2], [u32; 2])]> = several.collect();
    let count = several.len();
    if units.count > MOST_UNITS && count > MOST_REPEATED {
        let mut random = generator(0, RandomStream::IntervalPairs);
        let chosen = sample(count as u32, MOST_REPEATED as u32, &mut random);
        several = chosen.into_iter().map(|block| several[block as usize]).collect();
    }
    let times = if several.is_empty() { 1.0 } else { count as f64 / several.len() as f64 };
    let lengths = several.iter().map(|block| block.len() as u32).collect();
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    for &(_, [place, list]) in several.into_iter().flatten() {
        let rows = [lists.rows[list as usize], lists.neighbors[place as usize]];
        let factors = lists.factors_of(list as usize, place as usize);
        pairs.push(RepeatedPair { list, rows, factors });
        places.push(place);
    }
    (pairs, places, lengths, times)
}

/// Reused memory of one worker.
#[derive(Default)]
struct Buffer {
    tile: TileBuffer,
    columns: TileBuffers,
    /// The sums of the lists of rows whose units are sampled, and of the other lists.
    list_sums: [Vec<Lanes>; 2],
    influences: Vec<Lanes>,
    differences: Vec<Lanes>,
    ends: Vec<usize>,
}

impl Buffer {
    /// The variances of the features of a tile, and the squared coefficients of variation of their estimates from a
    /// sample of the units.
    fn variances<S: Slopes>(
        &mut self,
        space: &Space<'_>,
        tile: &Tile,
        pairs: &Pairs<'_>,
        slopes: &S,
    ) -> [Lanes; 2] {
        let (values, tiles) = (std::slice::from_mut(&mut self.tile), std::slice::from_ref(tile));
        TileBuffer::fill(values, space, tiles, &[None], &mut self.columns);
        self.influences.clear();
        self.influences.resize(pairs.units.count, [0.0; WIDTH]);
        let [sums, _] = [0, 1].map(|set| self.add_lists(set, space, tile, &pairs.lists[set]));
        let repeated = self.squares_of_repeated(space, tile, pairs);
        let (mut by_totals, mut products) = ([[0.0; WIDTH]; SUMS], [[0.0; WIDTH]; SUMS]);
        if S::BY_TOTALS {
            products.copy_from_slice(&sums.of_pairs[SUMS..]);
            for lane in 0..WIDTH {
                let of_lane = std::array::from_fn(|sum| sums.of_pairs[sum][lane]);
                let slopes = slopes.by_totals(of_lane, pairs.totals);
                by_totals.iter_mut().zip(slopes).for_each(|(out, slope)| out[lane] = slope);
            }
        }
        let (count, influencing) = (pairs.units.count, pairs.influencing());
        let (mut jackknife, mut fourth) = ([0.0; WIDTH], [0.0; WIDTH]);
        let mut add = |unit: usize, share: f64| {
            let mut influence = self.influences[unit];
            let fraction = pairs.fractions[unit] / share;
            for lane in 0..WIDTH {
                influence[lane] -= fraction * sums.total[lane];
            }
            if S::BY_TOTALS {
                for (slopes, of_total) in by_totals.iter().zip(pairs.influences[unit]) {
                    for lane in 0..WIDTH {
                        influence[lane] += of_total * slopes[lane];
                    }
                }
            }
            for lane in 0..WIDTH {
                let square = influence[lane] * influence[lane];
                jackknife[lane] += square;
                fourth[lane] += square * square;
            }
        };
        match &pairs.sampled {
            None => (0..count).for_each(|unit| add(unit, 1.0)),
            Some(units) => {
                let share: f64 = units.iter().map(|&unit| pairs.fractions[unit as usize]).sum();
                units.iter().for_each(|&unit| add(unit as usize, share));
            }
        }
        // How many units each stands for, and how many pairs of units each pair does.
        let times = (count - 1) as f64 / (influencing - 1) as f64;
        let times_of_pairs = times * count as f64 / influencing as f64;
        let variances = std::array::from_fn(|lane| {
            let mut of_pairs = sums.squares[lane] + pairs.times * repeated[lane];
            for sum in 0..SUMS {
                of_pairs += 2.0 * by_totals[sum][lane] * products[sum][lane];
                for second in 0..SUMS {
                    let slope = by_totals[sum][lane] * by_totals[second][lane];
                    of_pairs += slope * pairs.changes[sum][second];
                }
            }
            without_doubled(times * jackknife[lane], times_of_pairs * of_pairs, count)
        });
        let of_one = 1.0 / influencing as f64;
        let left_out = 1.0 - influencing as f64 / count as f64;
        let variation = std::array::from_fn(|lane| {
            left_out * (fourth[lane] / (jackknife[lane] * jackknife[lane]) - of_one)
        });
        [variances, variation]
    }

    /// Adds the changes of lists to the influences, and returns their sums.
    fn add_lists(
        &mut self,
        set: usize,
        space: &Space<'_>,
        tile: &Tile,
        lists: &Lists,
    ) -> ChangeSums {
        let Self { tile: values, list_sums, influences, differences, ends, .. } = self;
        let list_sums = &mut list_sums[set];
        list_sums.clear();
        list_sums.resize(lists.rows.len(), [0.0; WIDTH]);
        let mut sums = ChangeSums::default();
        if let Some(weighed) = values.weighed(tile) {
            let apart = ListDifferences::OfRows(weighed, &values.values);
            add_list_changes(level(), apart, lists.of_kernels(), list_sums, influences, &mut sums);
            return sums;
        }
        let (mut list, mut first) = (0, 0);
        while list < lists.rows.len() {
            let together =
                lists.ends[list..].partition_point(|end| end - first <= PAIRS_TOGETHER).max(1);
            let part = list..list + together;
            let places = first..lists.ends[part.end - 1];
            differences.clear();
            for list in part.clone() {
                let row = lists.rows[list] as usize;
                let others = &lists.neighbors[lists.range(list)];
                let apart = |other: &u32| values.between(space, tile, [row, *other as usize]);
                differences.extend(others.iter().map(apart));
            }
            (list, first) = (part.end, places.end);
            let of_part = &mut list_sums[part.clone()];
            let of_kernels = lists.part(part, places, ends);
            let apart = ListDifferences::OfPairs(differences);
            add_list_changes(level(), apart, of_kernels, of_part, influences, &mut sums);
        }
        sums
    }

    /// The excess of the squared changes by two units with several pairs above the sum of squares of these pairs.
    fn squares_of_repeated(&mut self, space: &Space<'_>, tile: &Tile, pairs: &Pairs<'_>) -> Lanes {
        let Self { tile: values, list_sums, differences, .. } = self;
        let apart = match values.weighed(tile) {
            Some(weighed) => ListDifferences::OfRows(weighed, &values.values),
            None => {
                differences.clear();
                let rows = pairs.repeated.iter().map(|pair| pair.rows.map(|row| row as usize));
                differences.extend(rows.map(|rows| values.between(space, tile, rows)));
                ListDifferences::OfPairs(differences)
            }
        };
        squares_of_repeated(level(), apart, &pairs.repeated, &pairs.blocks, &list_sums[0])
    }
}

impl TileBuffer {
    /// The terms that kernels add up for the values in the buffer; `None` where differences are computed one by one.
    fn weighed(&self, tile: &Tile) -> Option<Weighed> {
        match tile.kind {
            _ if !self.missing.is_empty() => None,
            TileKind::Absolute => Some(Weighed::Difference),
            TileKind::Mismatch => Some(Weighed::Mismatch),
            TileKind::Other | TileKind::Jumping => None,
        }
    }

    /// The differences of two rows in the features of a tile whose values are in the buffer.
    fn between(&self, space: &Space<'_>, tile: &Tile, rows: [usize; 2]) -> Lanes {
        let [own, other] = rows.map(|row| &self.values[row].0);
        let mut differences = [0.0; WIDTH];
        match tile.kind {
            TileKind::Absolute => {
                for lane in 0..WIDTH {
                    differences[lane] = (own[lane] - other[lane]).abs();
                }
            }
            TileKind::Mismatch => {
                for lane in 0..WIDTH {
                    differences[lane] = if own[lane] == other[lane] { 0.0 } else { 1.0 };
                }
            }
            TileKind::Other | TileKind::Jumping => {
                for (lane, &feature) in tile.features.iter().enumerate() {
                    let rule = space.features()[feature].rule;
                    differences[lane] = rule.scaled_pair(own[lane], other[lane]);
                }
            }
        }
        if !self.missing.is_empty() {
            let lost = self.missing[rows[0]] | self.missing[rows[1]];
            for (lane, &feature) in tile.features.iter().enumerate() {
                if lost >> lane & 1 == 1 {
                    // The caller refuses tables in which such pairs are ignored.
                    differences[lane] =
                        space.difference(feature, rows[0], rows[1]).unwrap_or(f64::NAN);
                }
            }
        }
        differences
    }
}

/// The variance of a weight from the sum of the squared influences of this number of units, without the variance of pairs that
/// it counts twice.
fn without_doubled(influences: f64, of_pairs: f64, units: usize) -> f64 {
    let count = units as f64;
    let jackknife = influences * count / (count - 1.0);
    (jackknife - of_pairs).max(jackknife / 2.0)
}
