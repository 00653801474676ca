//! A search that is done in parts, on several machines: every part finds the neighbors of some rows, among
//! all rows. Put together, the parts show the same pairs in the same order as the search of one machine.
//!
//! Rows have the order of that search. The k nearest of a row depend on no other row's, so that a part is a
//! search like any other. Rows within a radius are told from distances as they are, not rounded ones; where
//! the radius is the mean distance of all pairs, that is measured before, block of rows by block of rows.

use std::ops::Range;

use basrelief_kernels::{Moments, Side, find_beside, level};
use rayon::prelude::*;

use super::block_driver::Blocks;
use super::k_nearest::Neighborhoods;
use super::options::RadiusRule;
use super::pairs::{
    Grouping, NearestOptions, Neighbor, PairBatch, PairSource, UndirectedPairs, sampled_first,
};
use super::plan::{Facts, RadiusRoute, plan_nearest, plan_radius, sampling};
use super::quantized_rows::{Quantization, mean_of_pairs};
use super::radius::{BLOCK, RadiusNeighbors};
use super::space::Space;
use crate::csr::CsrGroups;
use crate::error::{Error, Result};
use crate::run::Run;

/// Rows whose neighbors one task marks, and pairs of blocks that one task measures.
const ROWS_PER_TASK: usize = 64;
const BLOCKS_PER_TASK: usize = 16;

/// Bits of a word of marks.
const WORD: usize = u64::BITS as usize;

/// Which rows are a row's neighbors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NeighborRule {
    /// The k nearest in every group.
    Nearest(NearestOptions),
    /// All within a radius, and on request all beyond.
    Radius {
        /// How the radius is chosen.
        rule: RadiusRule,
        /// Whether rows beyond it are wanted too.
        with_far: bool,
    },
}

/// What is known of the mean distance of all pairs before a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PairMean {
    /// No radius needs it.
    NotNeeded,
    /// It follows from the columns.
    Known(Moments),
    /// Distances have to be measured.
    ToMeasure,
}

/// Whose neighbors are sought, and how.
pub(crate) struct PartedSearch<'c> {
    /// All rows, the sampled ones first, in the order of the search.
    order: Vec<u32>,
    sampled: usize,
    grouping: Grouping<'c>,
    rule: NeighborRule,
}

/// The neighbors of some rows.
pub(crate) enum FoundPart {
    /// Per row and group, the neighbors with their weights.
    Lists(CsrGroups<Neighbor>),
    /// Per row near rows, and far ones on request.
    Marks(Marks),
}

/// Which rows are near to some rows, and which are far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Marks {
    /// Of near rows, and of far ones: row by row, a bit per place, in whole words.
    pub(crate) sides: Vec<Vec<u64>>,
    /// Row by row, what every place counts if it is marked; empty where all count the same.
    pub(crate) strengths: Vec<f64>,
}

impl Marks {
    fn empty(sides: usize) -> Self {
        Self { sides: vec![Vec::new(); sides], strengths: Vec::new() }
    }

    /// Adds those of the rows that follow.
    fn append(&mut self, other: Self) {
        self.sides.iter_mut().zip(other.sides).for_each(|(all, part)| all.extend(part));
        self.strengths.extend(other.strengths);
    }
}

impl<'c> PartedSearch<'c> {
    /// For the neighbors of the rows in `sampled` among so many.
    pub(crate) fn new(
        rows: usize,
        sampled: &[u32],
        grouping: Grouping<'c>,
        rule: NeighborRule,
    ) -> Self {
        let order = sampled_first(rows, sampled, grouping);
        Self { order, sampled: sampled.len(), grouping, rule }
    }

    /// Rows whose neighbors are sought.
    pub(crate) fn places(&self) -> usize {
        self.sampled
    }

    /// Pairs of blocks of rows whose distances are measured for the mean of all pairs.
    pub(crate) fn block_pairs(&self) -> usize {
        let blocks = self.blocks().count();
        blocks * (blocks + 1) / 2
    }

    /// Bytes of what is found of so many rows, about: ties are more.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let (rows, all) = (rows as u64, self.order.len() as u64);
        match self.rule {
            NeighborRule::Nearest(options) => {
                let k = (options.k as u64).min(all);
                rows.saturating_mul(self.grouping.count() as u64).saturating_mul(4 * k + 16)
            }
            NeighborRule::Radius { rule, with_far } => {
                let sides = if with_far { 2 } else { 1 };
                let strengths = if rule == RadiusRule::Sigmoid { all } else { 0 };
                rows.saturating_mul(8 * (sides * all.div_ceil(WORD as u64) + strengths))
            }
        }
    }

    fn blocks(&self) -> Blocks {
        Blocks { rows: self.order.len(), size: BLOCK }
    }

    /// Bits of a row.
    fn words(&self) -> usize {
        self.order.len().div_ceil(WORD)
    }

    /// How the search of one machine knows the mean distance of all pairs; it is refused here if that
    /// needs too much memory.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn pair_mean(&self, space: &Space<'_>, run: &Run) -> Result<PairMean> {
        let NeighborRule::Radius { rule, with_far } = self.rule else {
            return Ok(PairMean::NotNeeded);
        };
        if rule == RadiusRule::OwnMean {
            return Ok(PairMean::NotNeeded);
        }
        let facts = Facts::of(space, self.sampled, self.grouping);
        let (choice, _) = plan_radius(&facts, rule, with_far, run.routes(), run.memory());
        match Quantization::of(space) {
            Some(quantization)
                if choice.route == RadiusRoute::Quantized && !quantization.is_whole() =>
            {
                let mean = mean_of_pairs(space, &quantization, run)?;
                let rows = space.rows() as f64;
                let count = rows * (rows - 1.0) / 2.0;
                Ok(PairMean::Known(Moments { count, mean, squares: 0.0 }))
            }
            _ => Ok(PairMean::ToMeasure),
        }
    }

    /// Whether the search of one machine shows pairs once for both directions.
    pub(crate) fn is_undirected(&self, space: &Space<'_>, run: &Run) -> bool {
        let NeighborRule::Radius { rule, with_far } = self.rule else { return false };
        let facts = Facts::of(space, self.sampled, self.grouping);
        plan_radius(&facts, rule, with_far, run.routes(), run.memory()).0.undirected
    }

    /// Bytes that a part of so many rows needs beside the data, at most.
    pub(crate) fn memory(&self, space: &Space<'_>, rows: usize, run: &Run) -> u64 {
        let facts = Facts::of(space, rows, self.grouping);
        let plan = match self.rule {
            NeighborRule::Nearest(options) => {
                plan_nearest(&facts, options, run.routes(), run.memory()).1
            }
            NeighborRule::Radius { rule, with_far } => {
                plan_radius(&facts, rule, with_far, run.routes(), run.memory()).1
            }
        };
        plan.bytes.saturating_add(self.bytes(rows))
    }

    /// The distances of some of the [pairs of blocks](Self::block_pairs): their number, mean and spread, each.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn measure(
        &self,
        space: &Space<'_>,
        pairs: Range<usize>,
        run: &Run,
    ) -> Result<Vec<Moments>> {
        let source = self.radius(space, Moments::default(), run)?;
        let pairs = &self.blocks().pairs()[pairs];
        run.progress().start("measuring distances", pairs.len() as u64);
        let measured = run.install(|| {
            let tasks = pairs.par_chunks(BLOCKS_PER_TASK);
            let of_task = |memory: &mut _, pairs: &[(usize, usize)]| {
                run.check()?;
                let measured: Vec<Moments> = pairs
                    .iter()
                    .map(|&blocks| source.moments_of(blocks, source.tiles(blocks, memory)))
                    .collect();
                run.progress().advance(pairs.len() as u64);
                Ok(measured)
            };
            tasks.map_init(Default::default, of_task).collect::<Result<Vec<_>>>()
        });
        run.progress().finish();
        Ok(measured?.concat())
    }

    /// The neighbors of the rows at some places; `mean` is of all pairs, where the radius is.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; too little memory.
    pub(crate) fn find(
        &self,
        space: &Space<'_>,
        places: Range<usize>,
        mean: Moments,
        run: &Run,
    ) -> Result<FoundPart> {
        match self.rule {
            NeighborRule::Nearest(options) => self.nearest(space, places, options, run),
            NeighborRule::Radius { rule, with_far } => {
                let bytes = self.bytes(places.len());
                run.memory().claim(
                    bytes,
                    "the near rows of this part",
                    "cut it into more parts",
                )?;
                let source = self.radius(space, mean, run)?;
                self.marks(&source, places, 1 + usize::from(with_far), rule, run)
            }
        }
    }

    fn nearest(
        &self,
        space: &Space<'_>,
        places: Range<usize>,
        options: NearestOptions,
        run: &Run,
    ) -> Result<FoundPart> {
        let rows = &self.order[places];
        let found = Neighborhoods::find(space, rows, self.grouping, options, run)?;
        let starts: Vec<usize> = (0..rows.len()).step_by(ROWS_PER_TASK).collect();
        let lists = run.install(|| {
            starts
                .par_iter()
                .map(|&start| {
                    run.check()?;
                    let mut lists = CsrGroups::default();
                    let mut seen = Vec::new();
                    let places = start..(start + ROWS_PER_TASK).min(rows.len());
                    found.visit(places.clone(), &mut |row, group, neighbors| {
                        lists.push_group(neighbors.iter().copied());
                        if group == 0 {
                            seen.push(row);
                        }
                    });
                    if seen != rows[places] {
                        let fault = "a part of a search has rows in another order";
                        return Err(Error::Internal(fault.to_string()));
                    }
                    Ok(lists)
                })
                .collect::<Result<Vec<CsrGroups<Neighbor>>>>()
        })?;
        let mut all = CsrGroups::default();
        lists.into_iter().for_each(|lists| all.append(lists));
        Ok(FoundPart::Lists(all))
    }

    fn marks(
        &self,
        source: &RadiusNeighbors<'_, '_>,
        places: Range<usize>,
        sides: usize,
        rule: RadiusRule,
        run: &Run,
    ) -> Result<FoundPart> {
        let words = self.words();
        let starts: Vec<usize> = places.clone().step_by(ROWS_PER_TASK).collect();
        run.progress().start("searching neighbors", places.len() as u64);
        let parts = run.install(|| {
            starts
                .par_iter()
                .map(|&start| {
                    run.check()?;
                    let places = start..(start + ROWS_PER_TASK).min(places.end);
                    let mut near = source.near(&places);
                    let (mut line, mut chosen) = (Vec::new(), Vec::new());
                    let mut found = Marks::empty(sides);
                    for place in places.clone() {
                        source.line(place, &mut near, &mut line);
                        let (least, most) = source.bounds(&line);
                        let bounds = [(Side::Near, least), (Side::Far, most)];
                        for (bits, (side, bound)) in found.sides.iter_mut().zip(bounds) {
                            find_beside(level(), side, &line, bound, &mut chosen);
                            let first = bits.len();
                            bits.resize(first + words, 0);
                            for &other in &chosen {
                                bits[first + other as usize / WORD] |= 1 << (other as usize % WORD);
                            }
                        }
                        if rule == RadiusRule::Sigmoid {
                            let strength = |&distance: &f64| source.strength(distance);
                            found.strengths.extend(line.iter().map(strength));
                        }
                    }
                    run.progress().advance(places.len() as u64);
                    Ok(found)
                })
                .collect::<Result<Vec<Marks>>>()
        });
        run.progress().finish();
        let mut all = Marks::empty(sides);
        parts?.into_iter().for_each(|part| all.append(part));
        Ok(FoundPart::Marks(all))
    }

    fn radius<'s>(
        &self,
        space: &'s Space<'s>,
        mean: Moments,
        run: &Run,
    ) -> Result<RadiusNeighbors<'s, 'c>> {
        let NeighborRule::Radius { rule, with_far } = self.rule else {
            return Err(Error::Internal("the k nearest have no radius".to_string()));
        };
        let facts = Facts::of(space, 1, self.grouping);
        let exact = [RadiusRoute::Exact.name().to_string()];
        let plan = plan_radius(&facts, rule, with_far, &exact, run.memory()).1;
        run.progress().memory(plan.bytes);
        run.memory().claim(plan.bytes, "the search of neighbors", &sampling())?;
        let of = (self.grouping, rule, with_far);
        RadiusNeighbors::unmeasured(space, self.order.clone(), self.sampled, of, mean, run)
    }

    /// Bytes of all neighbors in memory, about.
    fn memory_of_source(&self) -> u64 {
        let row_of_list = size_of::<Neighbor>() / size_of::<u32>();
        self.bytes(self.sampled).saturating_mul(match self.rule {
            NeighborRule::Nearest(_) => row_of_list as u64,
            NeighborRule::Radius { .. } => 1,
        })
    }

    /// Bytes that sums over all pairs need beside the data, about.
    pub(crate) fn memory_of_sums(&self, space: &Space<'_>, run: &Run) -> u64 {
        let facts = Facts::of(space, self.sampled, self.grouping);
        let rows = self.order.len() as u64;
        let of_row = match self.rule {
            NeighborRule::Nearest(options) => {
                (options.k as u64).min(rows).saturating_mul(self.grouping.count() as u64)
            }
            NeighborRule::Radius { .. } => rows,
        };
        let pairs = facts.bytes_of_pairs(of_row, self.is_undirected(space, run));
        self.memory_of_source().saturating_add(pairs)
    }

    /// The pairs of all parts, in the order of the rows; `undirected` is as told by
    /// [`is_undirected`](Self::is_undirected).
    ///
    /// # Errors
    /// The parts are not of all rows, or of another search; too little memory.
    pub(crate) fn source(
        &self,
        parts: impl IntoIterator<Item = Result<FoundPart>>,
        undirected: bool,
        run: &Run,
    ) -> Result<Box<dyn PairSource + '_>> {
        let instead = "look at fewer rows, or run it where there is more memory";
        run.memory().claim(self.memory_of_source(), "the neighbors of all rows", instead)?;
        let wrong = || Error::Internal("the parts are not those of the search".to_string());
        match self.rule {
            NeighborRule::Nearest(_) => {
                let mut lists = CsrGroups::default();
                for part in parts {
                    let FoundPart::Lists(part) = part? else { return Err(wrong()) };
                    lists.append(part);
                }
                let groups = self.grouping.count();
                if lists.iter().count() != self.sampled * groups {
                    return Err(wrong());
                }
                Ok(Box::new(ListedNeighbors { rows: &self.order[..self.sampled], groups, lists }))
            }
            NeighborRule::Radius { rule, with_far } => {
                let count = 1 + usize::from(with_far);
                let mut marks = Marks::empty(count);
                for part in parts {
                    let FoundPart::Marks(part) = part? else { return Err(wrong()) };
                    if part.sides.len() != count {
                        return Err(wrong());
                    }
                    marks.append(part);
                }
                let by_strength = rule == RadiusRule::Sigmoid;
                let strengths = if by_strength { self.sampled * self.order.len() } else { 0 };
                let bits = self.sampled * self.words();
                if marks.strengths.len() != strengths
                    || marks.sides.iter().any(|side| side.len() != bits)
                {
                    return Err(wrong());
                }
                Ok(Box::new(MarkedNeighbors::new(self, marks, undirected)))
            }
        }
    }
}

/// The k nearest, as lists.
struct ListedNeighbors<'o> {
    rows: &'o [u32],
    groups: usize,
    /// Per row and group.
    lists: CsrGroups<Neighbor>,
}

impl PairSource for ListedNeighbors<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn expected_pairs(&self, place: usize) -> usize {
        self.lists.range_of(place * self.groups..(place + 1) * self.groups).len()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        for place in places {
            for group in 0..self.groups {
                visit(self.rows[place], group, self.lists.of(place * self.groups + group));
            }
        }
    }
}

/// Near rows, and far ones on request, as marks.
struct MarkedNeighbors<'o, 'c> {
    search: &'o PartedSearch<'c>,
    /// What the row at every place is told apart by, and runs of places that are alike.
    codes: Vec<u32>,
    runs: Vec<(Range<usize>, u32)>,
    marks: Marks,
    undirected: bool,
    /// Per place and list, those of near rows first: how many there are.
    sizes: Vec<u32>,
}

impl<'o, 'c> MarkedNeighbors<'o, 'c> {
    fn new(search: &'o PartedSearch<'c>, marks: Marks, undirected: bool) -> Self {
        let code = |&row: &u32| search.grouping.code(row as usize);
        let codes: Vec<u32> = search.order.iter().map(code).collect();
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for run in codes.chunk_by(|a, b| a == b) {
            let start = runs.last().map_or(0, |(places, _)| places.end);
            runs.push((start..start + run.len(), run[0]));
        }
        let sizes = Vec::new();
        let mut source = Self { search, codes, runs, marks, undirected, sizes };
        if undirected {
            source.sizes = (0..source.len()).flat_map(|place| source.sizes_of(place)).collect();
        }
        source
    }

    fn lists(&self) -> usize {
        self.search.grouping.count() * self.marks.sides.len()
    }

    /// The marks of a row on a side.
    fn row(&self, side: usize, place: usize) -> &[u64] {
        let words = self.search.words();
        &self.marks.sides[side][place * words..][..words]
    }

    /// The list of a row of code `own` in which rows of another code are on a side.
    fn list(&self, side: usize, own: u32, other: u32) -> usize {
        side * self.search.grouping.count() + self.search.grouping.group(own, other)
    }

    fn strength(&self, place: usize, other: usize) -> f64 {
        let at = place * self.codes.len() + other;
        self.marks.strengths.get(at).copied().unwrap_or(1.0)
    }

    fn sizes_of(&self, place: usize) -> Vec<u32> {
        let mut sizes = vec![0; self.lists()];
        for (others, code) in &self.runs {
            for side in 0..self.marks.sides.len() {
                let count = marked(self.row(side, place), others.clone()).count();
                sizes[self.list(side, self.codes[place], *code)] += count as u32;
            }
        }
        sizes
    }
}

/// Whether a place is marked.
fn is_marked(bits: &[u64], place: usize) -> bool {
    bits[place / WORD] >> (place % WORD) & 1 == 1
}

/// The places of a range that are marked, ascending.
fn marked(bits: &[u64], places: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let words = places.start / WORD..places.end.div_ceil(WORD).max(places.start / WORD);
    words.flat_map(move |at| {
        let first = at * WORD;
        let mut word = bits[at];
        if places.start > first {
            word &= !0 << (places.start - first);
        }
        if places.end < first + WORD {
            word &= (1 << (places.end - first)) - 1;
        }
        std::iter::from_fn(move || {
            let next = (word != 0).then(|| first + word.trailing_zeros() as usize);
            word &= word.wrapping_sub(1);
            next
        })
    })
}

impl PairSource for MarkedNeighbors<'_, '_> {
    fn len(&self) -> usize {
        self.search.sampled
    }

    fn expected_pairs(&self, _place: usize) -> usize {
        self.codes.len()
    }

    fn visit(&self, places: Range<usize>, visit: &mut dyn FnMut(u32, usize, &[Neighbor])) {
        let order = &self.search.order;
        let mut lists: Vec<Vec<Neighbor>> = vec![Vec::new(); self.lists()];
        for place in places {
            lists.iter_mut().for_each(Vec::clear);
            for (others, code) in &self.runs {
                for side in 0..self.marks.sides.len() {
                    let list = &mut lists[self.list(side, self.codes[place], *code)];
                    let neighbor = |other: usize| Neighbor {
                        row: order[other],
                        weight: self.strength(place, other),
                    };
                    list.extend(marked(self.row(side, place), others.clone()).map(neighbor));
                }
            }
            for (group, list) in lists.iter_mut().enumerate() {
                let size = list.len() as f64;
                list.iter_mut().for_each(|neighbor| neighbor.weight /= size);
                visit(order[place], group, list);
            }
        }
    }

    fn undirected(&self) -> Option<Box<dyn UndirectedPairs + '_>> {
        let pairs = || MarkedPairs { source: self, parts: self.search.blocks().pairs() };
        self.undirected.then(|| Box::new(pairs()) as Box<dyn UndirectedPairs>)
    }
}

/// The pairs of all rows, each once; a part is a pair of blocks of rows.
struct MarkedPairs<'m, 'o, 'c> {
    source: &'m MarkedNeighbors<'o, 'c>,
    /// The blocks of every part, the lower first.
    parts: Vec<(usize, usize)>,
}

impl UndirectedPairs for MarkedPairs<'_, '_, '_> {
    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn most(&self) -> usize {
        BLOCK * BLOCK
    }

    fn visit(&self, part: usize, visit: &mut dyn FnMut(u32, PairBatch<'_>)) {
        let source = self.source;
        let (order, blocks, lists) = (&source.search.order, source.search.blocks(), source.lists());
        let (a, b) = self.parts[part];
        let right = blocks.places(b);
        let weight = |list: usize, place: usize, other: usize| {
            source.strength(place, other) * (1.0 / f64::from(source.sizes[place * lists + list]))
        };
        let mut others = Vec::with_capacity(BLOCK);
        let mut weights: [Vec<f64>; 2] = [Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK)];
        for place in blocks.places(a) {
            let wanted = (place + 1).max(right.start)..right.end;
            for (run, other_code) in &source.runs {
                let run = run.start.max(wanted.start)..run.end.min(wanted.end);
                if run.is_empty() {
                    continue;
                }
                for side in 0..source.marks.sides.len() {
                    let code = source.codes[place];
                    let groups = [(code, *other_code), (*other_code, code)]
                        .map(|(own, other)| source.list(side, own, other));
                    let own = source.row(side, place);
                    others.clear();
                    weights.iter_mut().for_each(Vec::clear);
                    for other in run.clone() {
                        let to = is_marked(own, other);
                        let from = is_marked(source.row(side, other), place);
                        if !(to || from) {
                            continue;
                        }
                        others.push(order[other]);
                        weights[0].push(if to { weight(groups[0], place, other) } else { 0.0 });
                        weights[1].push(if from { weight(groups[1], other, place) } else { 0.0 });
                    }
                    if !others.is_empty() {
                        let [to, from] = &weights;
                        let weights = [to.as_slice(), from.as_slice()];
                        visit(order[place], PairBatch { others: &others, groups, weights });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, MISSING_GENOTYPE, Table};
    use crate::neighbors::{NeighborWeights, SpaceOptions, Ties};

    /// A row, its group, and every neighbor with the bits of its weight.
    type Shown = (u32, usize, Vec<(u32, u64)>);

    fn by_row(source: &dyn PairSource) -> Vec<Shown> {
        let mut shown = Vec::new();
        source.visit(0..source.len(), &mut |row, group, neighbors| {
            let bits = neighbors.iter().map(|n| (n.row, n.weight.to_bits())).collect();
            shown.push((row, group, bits));
        });
        shown
    }

    /// Part, row, groups, and every other row with the bits of both weights.
    type ShownPairs = (usize, u32, [usize; 2], Vec<(u32, [u64; 2])>);

    fn by_pair(source: &dyn PairSource) -> Vec<ShownPairs> {
        let Some(pairs) = source.undirected() else { return Vec::new() };
        let mut shown = Vec::new();
        for part in 0..pairs.parts() {
            pairs.visit(part, &mut |row, PairBatch { others, groups, weights: [to, from] }| {
                let bits = to.iter().zip(from).map(|(to, from)| [to.to_bits(), from.to_bits()]);
                shown.push((part, row, groups, others.iter().copied().zip(bits).collect()));
            });
        }
        shown
    }

    /// Numbers on a grid and off it, genotypes, and gaps; more rows than two blocks have.
    fn table(rows: usize, with_gaps: bool, with_genotypes: bool) -> Table<'static> {
        let gap = |row: usize, step: usize| with_gaps && row % step == 2;
        let number = |row: usize, factor: f64| (row as f64 * factor).fract();
        let numbers = |name: &str, value: &dyn Fn(usize) -> f64| {
            let value = |row| if gap(row, 17) { f64::NAN } else { value(row) };
            Column::from_values(name, (0..rows).map(value).collect()).unwrap()
        };
        let mut columns = vec![
            numbers("a", &|row| number(row, 0.618)),
            numbers("b", &|row| (number(row, 0.414) * 20.0).floor() / 10.0),
        ];
        for (name, step) in [("c", 3), ("d", 5)].into_iter().filter(|_| with_genotypes) {
            let copies = |row: usize| match gap(row, 13 + step) {
                true => MISSING_GENOTYPE,
                false => (row * row / step % 3) as u8,
            };
            let copies: Vec<u8> = (0..rows).map(copies).collect();
            columns.push(Column::genotype(name, copies.into()).unwrap());
        }
        Table::new(columns).unwrap()
    }

    fn found_in_parts<'s>(
        search: &'s PartedSearch<'_>,
        space: &Space<'_>,
        cuts: &[usize],
        run: &Run,
    ) -> Box<dyn PairSource + 's> {
        let measured = match search.pair_mean(space, run).unwrap() {
            PairMean::NotNeeded => Vec::new(),
            PairMean::Known(mean) => vec![mean],
            PairMean::ToMeasure => {
                let cut = search.block_pairs() / 3;
                let parts = [0..cut, cut..search.block_pairs()];
                parts.map(|pairs| search.measure(space, pairs, run).unwrap()).concat()
            }
        };
        let mean = measured.into_iter().fold(Moments::default(), Moments::merged);
        let ends = cuts.iter().copied().chain([search.places()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let parts = starts.zip(ends).map(|(start, end)| search.find(space, start..end, mean, run));
        search.source(parts, search.is_undirected(space, run), run).unwrap()
    }

    #[test]
    fn parts_show_the_pairs_of_one_machine() {
        const ROWS: usize = 2 * BLOCK + 45;
        let run = Run::new(Some(2)).unwrap();
        let codes: Vec<u32> = (0..ROWS as u32).map(|row| row * row % 7 % 3).collect();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let some: Vec<u32> = (0..ROWS as u32).filter(|row| row % 5 == 1).collect();
        let nearest = |k, ties, weights| NeighborRule::Nearest(NearestOptions { k, ties, weights });
        let radius = |rule, with_far| NeighborRule::Radius { rule, with_far };
        let rules = [
            nearest(5, Ties::Share, NeighborWeights::Uniform),
            nearest(3, Ties::First, NeighborWeights::Rank { sigma: 2.0 }),
            radius(RadiusRule::MeanOfPairs, false),
            radius(RadiusRule::MeanOfMatrix, true),
            radius(RadiusRule::OwnMean, true),
            radius(RadiusRule::Sigmoid, true),
        ];
        let mut undirected = 0;
        for (gaps, genotypes) in [(false, false), (false, true), (true, false), (true, true)] {
            let table = table(ROWS, gaps, genotypes);
            let space =
                Space::new(&table, Some((&codes, 3)), SpaceOptions::default(), &run).unwrap();
            for grouping in
                [Grouping::All, Grouping::HitMiss(&codes), Grouping::PerClass(&codes, 3)]
            {
                for (rule, sampled) in
                    rules.into_iter().flat_map(|rule| [(rule, &all), (rule, &some)])
                {
                    let search = PartedSearch::new(ROWS, sampled, grouping, rule);
                    let parts = found_in_parts(&search, &space, &[8, 16, 40], &run);
                    let what =
                        format!("{rule:?} {grouping:?} {gaps} {genotypes} {}", sampled.len());
                    let compare = |whole: &dyn PairSource| {
                        assert_eq!(whole.len(), parts.len(), "{what}");
                        for place in 0..whole.len() {
                            assert_eq!(whole.expected_pairs(place), parts.expected_pairs(place));
                        }
                        assert!(by_row(whole) == by_row(&*parts), "{what}");
                        let pairs = by_pair(whole);
                        assert!(pairs == by_pair(&*parts), "{what}");
                        pairs.len()
                    };
                    undirected += match rule {
                        NeighborRule::Nearest(options) => compare(
                            &Neighborhoods::find(&space, sampled, grouping, options, &run).unwrap(),
                        ),
                        NeighborRule::Radius { rule, with_far } => compare(
                            &RadiusNeighbors::new(&space, sampled, grouping, rule, with_far, &run)
                                .unwrap(),
                        ),
                    };
                }
            }
        }
        assert!(undirected > 0);
    }

    #[test]
    fn marks_are_read_within_bounds() {
        let bits = [0b1011 | 1 << 63, 1 | 1 << 40];
        let of = |places| marked(&bits, places).collect::<Vec<usize>>();
        assert_eq!(of(0..128), [0, 1, 3, 63, 64, 104]);
        assert_eq!(of(1..64), [1, 3, 63]);
        assert_eq!(of(4..63), [] as [usize; 0]);
        assert_eq!(of(64..65), [64]);
        assert_eq!(of(128..128), [] as [usize; 0]);
        assert!(is_marked(&bits, 104) && !is_marked(&bits, 103));
    }
}
