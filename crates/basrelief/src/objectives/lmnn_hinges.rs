//! Pull and hinges of large-margin nearest neighbors, added up over all triples exactly.
//!
//! A triple is a row, one of its target neighbors and a row of another class. Nearly all are far
//! from violated, so that pairs of rows of different classes are first sought by products of
//! blocks in single precision, with a bound on their rounding; those within somewhat more than the
//! rows' reaches are kept, and stay all that can matter until the rows have moved too far for that:
//! a pair's distance cannot have changed by more than both rows moved. Where many pairs matter,
//! they are not kept: a tile of all distances of some rows with others gives their hinges, many at
//! once. Every sum is that over all triples, whichever way it was made.

use std::ops::Range;

use basrelief_kernels::{
    ColumnLimits, Level, NO_LIMIT, NO_PAIR, add_line, add_row_weighted, add_weighted_rows,
    find_below_either, hinge_slopes, level,
};
use rayon::prelude::*;

use super::single_rows::SingleRows;
use super::soft_neighbors::{SPARED, distances_to_panel};
use crate::algebra::{
    add_block_column_products, add_slice_product, block_row_products, column_products, row_products,
};
use crate::csr::CsrGroups;
use crate::data::{DenseMatrix, squared_distance};
use crate::error::Result;
use crate::run::Run;

/// Rows whose pairs one task adds up.
const BLOCK: usize = 64;

/// Rows whose products with a block are held at a time.
const PANEL: usize = 512;

/// Pairs of a batch of blocks, at most: they are held until they are added to their second rows.
const BATCH: usize = 1 << 22;

/// Pairs that are kept, at most: half a gigabyte of them.
const MOST_KEPT: usize = 1 << 26;

/// Parts in which the second rows of pairs are gone through, and in which tiles have sums of their own.
const PARTS: usize = 16;

/// Rows of a tile; its columns are those of a panel.
const TILE_ROWS: usize = 32;

/// Share of a tile's pairs with a slope above which the sums over them are products of matrices.
const DENSE: f64 = 0.04;

/// Numbers in the sums of all parts of the tiles, at most.
const PART_NUMBERS: usize = 1 << 25;

/// Evaluations that kept pairs should outlast.
const LAST: f64 = 4.0;

/// Least and greatest share by which the reach of kept pairs exceeds that of a row.
const SLACK: (f64, f64) = (0.005, 0.3);

/// Share of all pairs above which keeping them is dearer than tiles of all pairs each time.
const MANY: f64 = 0.1;

/// Rows ordered by class, their target neighbors, and the pairs kept.
#[derive(Debug)]
pub(crate) struct Triples {
    values: DenseMatrix,
    /// First row of a later class, for every row.
    later: Vec<usize>,
    /// The target neighbors of every row; a place is one among those of all rows.
    targets: CsrGroups<u32>,
    /// By target neighbor, the places that hold it, and their rows.
    incoming: CsrGroups<(u32, u32)>,
    mu: f64,
    kept: Option<Kept>,
    /// Share by which the reach of kept pairs exceeds that of a row.
    slack: f64,
    /// Most of it at which pairs are not too many.
    limit: f64,
    /// Share of its reach that a row moved in an evaluation.
    step: f64,
    /// Pairs that mattered when tiles were last gone through.
    mattered: usize,
}

/// Pairs of rows of different classes, of which no other can be violated while the rows are near
/// where they were.
#[derive(Debug)]
struct Kept {
    /// Where the rows were.
    mapped: DenseMatrix,
    /// Distance below which the pairs of a row are kept.
    reach: Vec<f64>,
    /// The later partners of every row.
    partners: CsrGroups<Partner>,
    /// Evaluations since.
    age: usize,
    /// The rows are now this factor times where they were, but for how far each has moved.
    scale: f64,
    moved: Vec<f64>,
}

/// A later row of another class, and a lower bound of its distance when it was found.
#[derive(Debug, Clone, Copy)]
struct Partner {
    row: u32,
    distance: f32,
}

/// The objective at a map, summed over all triples.
#[derive(Debug)]
pub(crate) struct ObjectiveSum {
    /// The objective.
    pub(crate) value: f64,
    /// The same with hinges rounded off at their kinks; not below `value`.
    pub(crate) smooth: f64,
    /// Sum of the multipliers of the hinges, each between 0 and mu.
    pub(crate) multipliers: f64,
    /// `sum w_ij (v_i - v_j)` over the partners j of every row i, with the slopes of the smooth
    /// objective by the pairs' squared distances as weights, and v the rows asked for.
    pub(crate) moved: DenseMatrix,
}

/// What the pairs of a block of rows with later rows add up to.
struct Part {
    rows: Range<usize>,
    value: f64,
    smooth: f64,
    slope: f64,
    moved: Vec<f64>,
    /// Sums of the slopes by target neighbor.
    pushed: Vec<f64>,
    /// The pairs of every row.
    pairs: CsrGroups<Pair>,
}

/// A pair with a violated triple.
struct Pair {
    other: u32,
    square: f64,
    slope: f64,
}

/// Rows under the map, with what a search needs.
struct Mapped {
    values: DenseMatrix,
    /// Squared distances to the target neighbors.
    squares: Vec<f64>,
    /// Squared distance below which a row of another class matters; 0 without target neighbors.
    reach: Vec<f64>,
    /// Squared lengths.
    norms: Vec<f64>,
    width: f64,
}

/// What pairs add up to, but for how they move the rows.
struct Added {
    value: f64,
    smooth: f64,
    slope: f64,
    /// Sums of the slopes by target neighbor.
    pushed: Vec<f64>,
    /// Pairs with a violated triple, where these are counted.
    pairs: usize,
}

impl Added {
    fn new(places: usize) -> Self {
        Self { value: 0.0, smooth: 0.0, slope: 0.0, pushed: vec![0.0; places], pairs: 0 }
    }
}

/// The limits of the rows' hinges: a line with the first target neighbor of every row, and so on.
struct Limits {
    lines: Vec<f64>,
}

/// What the tiles of a part add up to.
struct TileSums {
    value: f64,
    smooth: f64,
    slope: f64,
    pairs: usize,
    /// Sums of the slopes, laid out as the limits.
    pushed: Vec<f64>,
    /// Sums of the slopes of every row.
    degrees: Vec<f64>,
    /// Sums of the other rows, with these as weights.
    weighted: Vec<f64>,
}

impl TileSums {
    fn new(rows: usize, columns: usize, limits: usize) -> Self {
        Self {
            value: 0.0,
            smooth: 0.0,
            slope: 0.0,
            pairs: 0,
            pushed: vec![0.0; limits],
            degrees: vec![0.0; rows],
            weighted: vec![0.0; rows * columns],
        }
    }

    /// Adds the rows of either side of a tile to what those of the other add up to.
    fn add_weighted(&mut self, tile: &Tile, dense: bool, moving: &DenseMatrix, level: Level) {
        let columns = moving.columns();
        let size = tile.panel.len();
        let entries = |rows: &Range<usize>| rows.start * columns..rows.end * columns;
        let (own, others) = (entries(&tile.block), entries(&tile.panel));
        let rows = &moving.values()[own.clone()];
        let other_rows = &moving.values()[others.clone()];
        if dense {
            add_slice_product(&tile.slopes, other_rows, columns, &mut self.weighted[own]);
            add_block_column_products(&tile.slopes, rows, columns, &mut self.weighted[others]);
        } else if columns > 0 {
            for (place, line) in tile.slopes.chunks_exact(size).enumerate() {
                let at = own.start + place * columns;
                let sum = &mut self.weighted[at..at + columns];
                add_weighted_rows(level, line, other_rows, sum);
                let row = &rows[place * columns..(place + 1) * columns];
                add_row_weighted(level, line, row, &mut self.weighted[others.clone()]);
            }
        }
        for line in tile.slopes.chunks_exact(size) {
            add_line(level, line, &mut self.degrees[tile.panel.clone()]);
        }
    }
}

/// The squared distances of a block of rows and a panel of others, and the slopes of their hinges.
#[derive(Default)]
struct Tile {
    block: Range<usize>,
    panel: Range<usize>,
    squares: Vec<f64>,
    slopes: Vec<f64>,
}

impl Tile {
    /// The squared distances; of rows of one class they are beyond all limits.
    fn fill(
        &mut self,
        triples: &Triples,
        block: Range<usize>,
        panel: Range<usize>,
        mapped: &Mapped,
        level: Level,
    ) {
        let Mapped { values, norms, .. } = mapped;
        let columns = values.columns();
        let slice =
            |rows: &Range<usize>| &values.values()[rows.start * columns..rows.end * columns];
        self.squares.resize(block.len() * panel.len(), 0.0);
        self.slopes.resize(block.len() * panel.len(), 0.0);
        block_row_products(-2.0, slice(&block), slice(&panel), columns, &mut self.squares);
        for (row, line) in block.clone().zip(self.squares.chunks_exact_mut(panel.len())) {
            distances_to_panel(level, row, values, norms, panel.clone(), SPARED, line);
            let same = triples.later[row].saturating_sub(panel.start).min(panel.len());
            line[..same].fill(NO_PAIR);
        }
        (self.block, self.panel) = (block, panel);
    }
}

/// What pairs are sought by.
struct Sought<'r> {
    single: SingleRows,
    /// Half the reach of every row, as that is told in single precision.
    halves: Vec<f32>,
    /// The reach (squared) of every row.
    reach: &'r [f64],
}

impl Triples {
    /// From rows ordered by class, the class codes in that order, and every row's target neighbors
    /// by their places in it.
    pub(crate) fn new(values: DenseMatrix, codes: &[u32], near: &[Vec<u32>], mu: f64) -> Self {
        let rows = values.rows();
        let mut later = vec![rows; rows];
        for row in (0..rows.saturating_sub(1)).rev() {
            later[row] = if codes[row] == codes[row + 1] { later[row + 1] } else { row + 1 };
        }
        let mut targets = CsrGroups::default();
        near.iter().for_each(|near| targets.push_group(near.iter().copied()));
        let owners = near.iter().enumerate().flat_map(|(row, near)| near.iter().map(move |_| row));
        let places = targets.items().iter().zip(owners).enumerate();
        let incoming = CsrGroups::new(
            rows,
            places.map(|(place, (&target, row))| (target as usize, (place as u32, row as u32))),
        );
        Self {
            values,
            later,
            targets,
            incoming,
            mu,
            kept: None,
            slack: 0.0,
            limit: SLACK.1,
            step: 1.0,
            mattered: 0,
        }
    }

    /// The objective at a map `L`, with hinges rounded off over `width` around their kinks.
    pub(crate) fn evaluate(
        &mut self,
        map: &DenseMatrix,
        width: f64,
        run: &Run,
    ) -> Result<ObjectiveSum> {
        self.sum(map, width, false, run)
    }

    /// The gradient by `L` of the smooth objective.
    pub(crate) fn gradient(&self, sum: &ObjectiveSum) -> Vec<f64> {
        let mut gradient = column_products(&sum.moved, &self.values).into_values();
        gradient.iter_mut().for_each(|slope| *slope *= 2.0);
        gradient
    }

    /// The objective and its gradient by `M = L'L`: a symmetric matrix to rounding.
    pub(crate) fn metric_gradient(
        &mut self,
        map: &DenseMatrix,
        width: f64,
        run: &Run,
    ) -> Result<(ObjectiveSum, DenseMatrix)> {
        let sum = self.sum(map, width, true, run)?;
        let gradient = column_products(&sum.moved, &self.values);
        Ok((sum, gradient))
    }

    fn map(&self, map: &DenseMatrix, width: f64) -> Mapped {
        let values = row_products(&self.values, map);
        let mut squares = vec![0.0; self.targets.items().len()];
        let mut reach = vec![0.0; values.rows()];
        for (row, reach) in reach.iter_mut().enumerate() {
            let targets = self.targets.of(row);
            if targets.is_empty() {
                continue;
            }
            let mut farthest = 0.0_f64;
            for (square, &target) in squares[self.targets.range(row)].iter_mut().zip(targets) {
                *square = squared_distance(values.row(row), values.row(target as usize));
                farthest = farthest.max(*square);
            }
            *reach = 1.0 + width / 2.0 + farthest;
        }
        let norms = values.iter().map(|row| dot(row, row)).collect();
        Mapped { values, squares, reach, norms, width }
    }

    /// `along`: whether the pairs' weights move the rows themselves, not the mapped ones.
    fn sum(
        &mut self,
        map: &DenseMatrix,
        width: f64,
        along: bool,
        run: &Run,
    ) -> Result<ObjectiveSum> {
        let mapped = self.map(map, width);
        self.renew(&mapped, run)?;
        let this = &*self;
        let moving = if along { &this.values } else { &mapped.values };
        let mut moved = DenseMatrix::zeros(moving.rows(), moving.columns());
        let added = match &this.kept {
            Some(kept) => this.add_kept(kept, &mapped, moving, &mut moved, run)?,
            None => this.add_tiles(&mapped, moving, &mut moved, run)?,
        };
        this.pull(moving, &added.pushed, &mut moved);
        let pull = (1.0 - this.mu) * mapped.squares.iter().sum::<f64>();
        let sum = ObjectiveSum {
            value: pull + this.mu * added.value,
            smooth: pull + this.mu * added.smooth,
            multipliers: this.mu * added.slope,
            moved,
        };
        if self.kept.is_none() {
            self.mattered = added.pairs;
        }
        Ok(sum)
    }

    /// Adds up the pairs kept.
    fn add_kept(
        &self,
        kept: &Kept,
        mapped: &Mapped,
        moving: &DenseMatrix,
        moved: &mut DenseMatrix,
        run: &Run,
    ) -> Result<Added> {
        let (rows, columns) = (moving.rows(), moving.columns());
        let mut added = Added::new(self.targets.items().len());
        let mut first = 0;
        while first < rows {
            run.check()?;
            let last = batch_end(kept, first);
            let blocks: Vec<Range<usize>> =
                (first..last).step_by(BLOCK).map(|row| row..(row + BLOCK).min(last)).collect();
            let parts: Vec<Part> =
                blocks.into_par_iter().map(|rows| self.part(rows, kept, mapped, moving)).collect();
            for part in &parts {
                added.value += part.value;
                added.smooth += part.smooth;
                added.slope += part.slope;
                let places = self.targets.range_of(part.rows.clone());
                add(&mut added.pushed[places], &part.pushed);
                let entries = part.rows.start * columns..part.rows.end * columns;
                add(&mut moved.values_mut()[entries], &part.moved);
            }
            self.add_to_second_rows(&parts, mapped, moving, moved, &mut added.pushed);
            first = last;
        }
        Ok(added)
    }

    /// Adds up all pairs, tile by tile.
    fn add_tiles(
        &self,
        mapped: &Mapped,
        moving: &DenseMatrix,
        moved: &mut DenseMatrix,
        run: &Run,
    ) -> Result<Added> {
        let (rows, columns) = (moving.rows(), moving.columns());
        let limits = self.limits(mapped);
        let numbers = rows * (columns + 1) + limits.lines.len();
        let parts = (PART_NUMBERS / numbers.max(1)).clamp(1, PARTS);
        let sums: Vec<TileSums> = (0..parts)
            .into_par_iter()
            .map(|part| {
                // Blocks of the first rows meet more others than those of the last.
                let blocks = (0..rows).step_by(TILE_ROWS).skip(part).step_by(parts);
                self.tiles(blocks, &limits, mapped, moving, run)
            })
            .collect::<Result<_>>()?;
        let mut added = Added::new(self.targets.items().len());
        for part in &sums {
            added.value += part.value;
            added.smooth += part.smooth;
            added.slope += part.slope;
            added.pairs += part.pairs;
            for row in 0..rows {
                let pushed = part.pushed.iter().skip(row).step_by(rows);
                let places = added.pushed[self.targets.range(row)].iter_mut();
                places.zip(pushed).for_each(|(sum, more)| *sum += more);
            }
            let weighted = part.weighted.chunks_exact(columns.max(1)).zip(&part.degrees);
            for (row, (weighted, degree)) in weighted.enumerate() {
                let pairs = moved.row_mut(row).iter_mut().zip(weighted).zip(moving.row(row));
                pairs.for_each(|((sum, other), own)| *sum -= self.mu * (degree * own - other));
            }
        }
        Ok(added)
    }

    /// The limits of the rows' hinges: the squared distances below which they have a slope.
    fn limits(&self, mapped: &Mapped) -> Limits {
        let rows = self.later.len();
        let most = (0..rows).map(|row| self.targets.of(row).len()).max().unwrap_or(0);
        let mut lines = vec![NO_LIMIT; most * rows];
        for row in 0..rows {
            let squares = mapped.squares[self.targets.range(row)].iter().enumerate();
            squares.for_each(|(k, square)| lines[k * rows + row] = limit(*square, mapped.width));
        }
        Limits { lines }
    }

    /// Adds up the tiles of some blocks of rows with all later rows of other classes.
    fn tiles(
        &self,
        blocks: impl Iterator<Item = usize>,
        limits: &Limits,
        mapped: &Mapped,
        moving: &DenseMatrix,
        run: &Run,
    ) -> Result<TileSums> {
        let (rows, columns) = (moving.rows(), moving.columns());
        let level = level();
        let mut sums = TileSums::new(rows, columns, limits.lines.len());
        let mut tile = Tile::default();
        for first in blocks {
            run.check()?;
            let block = first..(first + TILE_ROWS).min(rows);
            for start in (self.later[first]..rows).step_by(PANEL) {
                let panel = start..(start + PANEL).min(rows);
                tile.fill(self, block.clone(), panel.clone(), mapped, level);
                let found = self.hinges(&mut tile, limits, mapped, level, &mut sums);
                sums.pairs += found;
                if found > 0 {
                    let dense = found as f64 > DENSE * tile.slopes.len() as f64;
                    sums.add_weighted(&tile, dense, moving, level);
                }
            }
        }
        Ok(sums)
    }

    /// The slopes of a tile's hinges; how many pairs have one.
    fn hinges(
        &self,
        tile: &mut Tile,
        limits: &Limits,
        mapped: &Mapped,
        level: Level,
        sums: &mut TileSums,
    ) -> usize {
        let rows = self.later.len();
        let panel = tile.panel.clone();
        let columns = ColumnLimits {
            limits: limits.lines.get(panel.start..).unwrap_or_default(),
            greatest: &mapped.reach[panel.clone()],
            stride: rows,
        };
        let (squares, slopes) =
            (tile.squares.chunks_exact(panel.len()), tile.slopes.chunks_exact_mut(panel.len()));
        let mut found = 0;
        let mut pushed = vec![0.0; limits.lines.len() / rows.max(1)];
        for (row, (squares, slopes)) in tile.block.clone().zip(squares.zip(slopes)) {
            let own: Vec<f64> = mapped.squares[self.targets.range(row)]
                .iter()
                .map(|square| limit(*square, mapped.width))
                .collect();
            let pushed = &mut pushed[..own.len()];
            pushed.fill(0.0);
            let of_columns = sums.pushed.get_mut(panel.start..).unwrap_or_default();
            let width = mapped.width;
            let line =
                hinge_slopes(level, width, squares, &own, columns, slopes, pushed, of_columns);
            sums.value += line.value;
            sums.smooth += line.smooth;
            sums.slope += line.slope;
            sums.degrees[row] += line.slope;
            pushed.iter().enumerate().for_each(|(k, more)| sums.pushed[k * rows + row] += more);
            found += line.columns;
        }
        found
    }

    /// Adds up the pairs of a block of rows with later rows.
    fn part(&self, rows: Range<usize>, kept: &Kept, mapped: &Mapped, moving: &DenseMatrix) -> Part {
        let columns = moving.columns();
        let places = self.targets.range_of(rows.clone());
        let mut part = Part {
            rows: rows.clone(),
            value: 0.0,
            smooth: 0.0,
            slope: 0.0,
            moved: vec![0.0; rows.len() * columns],
            pushed: vec![0.0; places.len()],
            pairs: CsrGroups::default(),
        };
        for (place, row) in rows.clone().enumerate() {
            let own = mapped.values.row(row);
            let own_targets = self.targets.range(row);
            for partner in kept.partners.of(row) {
                let other = partner.row as usize;
                let reach = mapped.reach[row].max(mapped.reach[other]);
                // Neither has moved far enough: most of what is kept ends here.
                let nearest =
                    kept.scale * f64::from(partner.distance) - kept.moved[row] - kept.moved[other];
                if nearest > 0.0 && nearest * nearest >= reach * (1.0 + 1e-12) {
                    continue;
                }
                let square = squared_distance(own, mapped.values.row(other));
                if square >= reach {
                    continue;
                }
                let mut slope = 0.0;
                for target in own_targets.clone() {
                    let hinge = hinge(1.0 + mapped.squares[target] - square, mapped.width);
                    part.pushed[target - places.start] += hinge.slope;
                    slope += hinge.slope;
                    part.value += hinge.value;
                    part.smooth += hinge.smooth;
                }
                for target in self.targets.range(other) {
                    let hinge = hinge(1.0 + mapped.squares[target] - square, mapped.width);
                    slope += hinge.slope;
                    part.value += hinge.value;
                    part.smooth += hinge.smooth;
                }
                if slope > 0.0 {
                    part.slope += slope;
                    let moved = &mut part.moved[place * columns..(place + 1) * columns];
                    add_difference(moved, -self.mu * slope, moving.row(row), moving.row(other));
                    part.pairs.push(Pair { other: other as u32, square, slope });
                }
            }
            part.pairs.end_group();
        }
        part
    }

    /// Adds pairs to what their second rows add up to.
    fn add_to_second_rows(
        &self,
        parts: &[Part],
        mapped: &Mapped,
        moving: &DenseMatrix,
        moved: &mut DenseMatrix,
        pushed: &mut [f64],
    ) {
        let (rows, columns) = (moving.rows(), moving.columns());
        if columns == 0 {
            return;
        }
        let size = rows.div_ceil(PARTS);
        // Slices of what belongs to the rows of every part of them.
        let mut slices = Vec::new();
        let (mut moved, mut pushed) = (moved.values_mut(), pushed);
        for first in (0..rows).step_by(size) {
            let last = (first + size).min(rows);
            let (own_moved, rest) = moved.split_at_mut((last - first) * columns);
            let (own_pushed, others) =
                pushed.split_at_mut(self.targets.range_of(first..last).len());
            slices.push((first..last, own_moved, own_pushed));
            (moved, pushed) = (rest, others);
        }
        slices.into_par_iter().for_each(|(range, moved, pushed)| {
            let first_place = self.targets.range_of(range.clone()).start;
            for part in parts {
                for (place, row) in part.rows.clone().enumerate() {
                    let pairs = part.pairs.of(place);
                    let from = pairs.partition_point(|pair| (pair.other as usize) < range.start);
                    let pairs = pairs[from..].iter();
                    for pair in pairs.take_while(|pair| (pair.other as usize) < range.end) {
                        let other = pair.other as usize;
                        let moved = &mut moved[(other - range.start) * columns..][..columns];
                        add_difference(
                            moved,
                            -self.mu * pair.slope,
                            moving.row(other),
                            moving.row(row),
                        );
                        for target in self.targets.range(other) {
                            let margin = 1.0 + mapped.squares[target] - pair.square;
                            pushed[target - first_place] += hinge(margin, mapped.width).slope;
                        }
                    }
                }
            }
        });
    }

    /// Adds the pairs of rows and target neighbors.
    fn pull(&self, moving: &DenseMatrix, pushed: &[f64], moved: &mut DenseMatrix) {
        let columns = moving.columns();
        let weight = |place: usize| (1.0 - self.mu) + self.mu * pushed[place];
        moved.values_mut().par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, moved)| {
            let own = moving.row(row);
            for (place, &target) in self.targets.range(row).zip(self.targets.of(row)) {
                add_difference(moved, weight(place), own, moving.row(target as usize));
            }
            for &(place, other) in self.incoming.of(row) {
                add_difference(moved, weight(place as usize), own, moving.row(other as usize));
            }
        });
    }

    /// Seeks pairs anew where those kept may lack one.
    fn renew(&mut self, mapped: &Mapped, run: &Run) -> Result<()> {
        if let Some(kept) = &mut self.kept {
            kept.age += 1;
            let needed = kept.needed(mapped);
            self.step = (((1.0 + self.slack) * needed - 1.0) / kept.age as f64).max(0.0);
            // Much more than needed is kept no longer than it takes to seek less.
            let ample = self.slack > SLACK.0 && self.slack > 4.0 * LAST * self.step;
            if needed <= 1.0 && !(ample && kept.age > LAST as usize) {
                return Ok(());
            }
        }
        self.kept = None;
        let rows = self.later.len();
        let pairs: usize = self.later.iter().map(|later| rows - later).sum();
        // What matters is too much to be kept, whatever is added to it.
        if self.mattered as f64 > 0.5 * MANY * pairs as f64 {
            return Ok(());
        }
        let Some(single) = SingleRows::new(&mapped.values, &mapped.norms) else { return Ok(()) };
        let slack = (LAST * self.step).max(SLACK.0).min(self.limit);
        // What would not outlast the next evaluation is of no use.
        let slack = if slack > 1.5 * self.step { slack } else { 0.0 };
        self.slack = slack;
        let reach: Vec<f64> =
            mapped.reach.iter().map(|reach| reach * (1.0 + slack) * (1.0 + slack)).collect();
        let sought = Sought {
            single,
            halves: reach.iter().map(|&reach| SingleRows::half_reach(reach)).collect(),
            reach: &reach,
        };
        let blocks: Vec<usize> = (0..rows).step_by(BLOCK).collect();
        let mut partners = CsrGroups::default();
        for batch in blocks.chunks(PARTS) {
            run.check()?;
            let found: Vec<CsrGroups<Partner>> = batch
                .par_iter()
                .map(|&row| self.search(row..(row + BLOCK).min(rows), mapped, &sought))
                .collect();
            found.into_iter().for_each(|found| partners.append(found));
            let count = partners.items().len();
            if count > MOST_KEPT || count as f64 > MANY * pairs as f64 {
                self.limit = (0.5 * slack).max(SLACK.0);
                return Ok(());
            }
        }
        self.limit = (1.2 * self.limit).min(SLACK.1);
        let reach = reach.into_iter().map(f64::sqrt).collect();
        let mapped = mapped.values.clone();
        let moved = vec![0.0; rows];
        self.kept = Some(Kept { mapped, reach, partners, age: 0, scale: 1.0, moved });
        Ok(())
    }

    /// The partners of every row of a block: later rows of other classes nearer than the reach
    /// (squared) of one of both.
    fn search(
        &self,
        rows: Range<usize>,
        mapped: &Mapped,
        sought: &Sought<'_>,
    ) -> CsrGroups<Partner> {
        let level = level();
        let Sought { single, halves, reach } = sought;
        let mut found: Vec<Vec<Partner>> = vec![Vec::new(); rows.len()];
        let (first, last) = (self.later[rows.start], self.later.len());
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for start in (first..last).step_by(PANEL) {
            let panel = start..(start + PANEL).min(last);
            single.half_distances(&rows, &panel, &mut lines);
            let of_row = rows.clone().zip(lines.chunks_exact(panel.len())).zip(&mut found);
            for ((row, line), found) in of_row {
                places.clear();
                let own = single.halves[row];
                let others = &halves[panel.clone()];
                find_below_either(level, line, halves[row] - own, others, own, &mut places);
                for other in places.iter().map(|&place| start + place as usize) {
                    if other < self.later[row] {
                        continue;
                    }
                    let square = squared_distance(mapped.values.row(row), mapped.values.row(other));
                    if square < reach[row].max(reach[other]) {
                        let distance = (square.sqrt() * (1.0 - 1e-6)) as f32;
                        found.push(Partner { row: other as u32, distance });
                    }
                }
            }
        }
        let mut partners = CsrGroups::default();
        found.into_iter().for_each(|found| partners.push_group(found));
        partners
    }

    /// The rows, ordered by class.
    pub(crate) fn rows(&self) -> &DenseMatrix {
        &self.values
    }

    /// The triples at a map whose hinges are nearest to their kinks: about `most` of them, and none that is farther
    /// than the margin.
    pub(crate) fn kinks(&self, map: &DenseMatrix, most: usize, run: &Run) -> Result<Kinks> {
        let mapped = self.map(map, 0.0);
        let counts = self.by_row(&mapped, run, |_, lack, counts: &mut Vec<usize>| {
            counts.resize(OCTAVES * PER_OCTAVE, 0);
            if let Some(count) = counts.get_mut(bin(lack)) {
                *count += 1;
            }
        })?;
        let mut sums = vec![0; OCTAVES * PER_OCTAVE];
        counts
            .iter()
            .flat_map(|row| row.iter().enumerate())
            .for_each(|(at, more)| sums[at] += more);
        // From the kink outwards, as far as they are not too many.
        let mut total = 0;
        let from = (0..sums.len()).rev().find(|&at| {
            total += sums[at];
            total > most
        });
        let octaves = from.map_or(0, |at| at + 1) as f64 / PER_OCTAVE as f64;
        let width = 2.0 * (-octaves).exp2();
        let found = self.by_row(&mapped, run, |triple, lack, found: &mut Vec<_>| {
            let slope = hinge(lack, width).slope;
            if slope > 0.0 && slope < 1.0 {
                found.push((triple, slope));
            }
        })?;
        let (triples, slopes) = found.into_iter().flatten().unzip();
        Ok(Kinks { width, triples, slopes })
    }

    /// Shows all triples with what they lack, row by row.
    fn by_row<T: Default + Send>(
        &self,
        mapped: &Mapped,
        run: &Run,
        take: impl Fn((u32, u32, u32), f64, &mut T) + Sync,
    ) -> Result<Vec<T>> {
        let rows = self.later.len();
        (0..rows)
            .into_par_iter()
            .map(|row| {
                run.check()?;
                let mut found = T::default();
                let targets = self.targets.range(row).zip(self.targets.of(row));
                let targets: Vec<(f64, u32)> =
                    targets.map(|(place, &target)| (mapped.squares[place], target)).collect();
                let others = (0..rows).filter(|&other| self.later[other] != self.later[row]);
                for other in others.filter(|_| !targets.is_empty()) {
                    let square = squared_distance(mapped.values.row(row), mapped.values.row(other));
                    for &(own, target) in &targets {
                        let triple = (row as u32, target, other as u32);
                        take(triple, 1.0 + own - square, &mut found);
                    }
                }
                Ok(found)
            })
            .collect()
    }

    /// The factor of the squared distances at which the objective is least, for a sample of rows.
    pub(crate) fn best_scale(&self, map: &DenseMatrix) -> f64 {
        let mapped = self.map(map, 0.0);
        let rows = self.later.len();
        let with_targets: Vec<usize> =
            (0..rows).filter(|&row| !self.targets.of(row).is_empty()).collect();
        let sample = (SAMPLE / rows.max(1)).clamp(8, 64);
        let mut slope = 0.0;
        let mut least: Vec<f64> = Vec::new();
        for &row in with_targets.iter().step_by(with_targets.len().div_ceil(sample).max(1)) {
            let targets = &mapped.squares[self.targets.range(row)];
            slope += (1.0 - self.mu) * targets.iter().sum::<f64>();
            let own = |other: &usize| self.later[*other] == self.later[row];
            for other in (0..rows).filter(|other| !own(other)) {
                let square = squared_distance(mapped.values.row(row), mapped.values.row(other));
                for target in targets {
                    let margin = square - target;
                    if margin > 0.0 { least.push(margin) } else { slope -= self.mu * margin }
                }
            }
        }
        least.sort_unstable_by(f64::total_cmp);
        // Shrinking from far out, hinges become violated one after the other.
        for margin in least {
            slope -= self.mu * margin;
            if slope <= 0.0 {
                return 1.0 / margin;
            }
        }
        1.0
    }
}

/// Halvings of the distance from a kink that are told apart, and the parts of each.
const OCTAVES: usize = 48;
const PER_OCTAVE: usize = 4;

/// The bin of a distance from a kink below 1, beyond all bins for what is farther.
fn bin(lack: f64) -> usize {
    let octaves = -lack.abs().log2() * PER_OCTAVE as f64;
    if octaves < 0.0 { usize::MAX } else { (octaves as usize).min(OCTAVES * PER_OCTAVE - 1) }
}

/// The hinges near their kinks: triples of a row, its target neighbor and a row of another class, with the slopes of
/// hinges rounded off over the width, which are those that are neither 0 nor 1.
#[derive(Debug)]
pub(crate) struct Kinks {
    pub(crate) width: f64,
    pub(crate) triples: Vec<(u32, u32, u32)>,
    pub(crate) slopes: Vec<f64>,
}

/// Triples that the best scale is found from, over the target neighbors.
const SAMPLE: usize = 1 << 18;

impl Kept {
    /// What share of the reach is needed: above 1, a pair that matters may be missing.
    fn needed(&mut self, mapped: &Mapped) -> f64 {
        // The rows may have been scaled as a whole.
        let (now, then) = (mapped.values.values(), self.mapped.values());
        let square = dot(then, then);
        let scale = if square > 0.0 { (dot(now, then) / square).max(0.0) } else { 0.0 };
        let moved: Vec<f64> = mapped
            .values
            .iter()
            .zip(self.mapped.iter())
            .map(|(now, then)| {
                let squares = now.iter().zip(then).map(|(a, b)| (a - scale * b) * (a - scale * b));
                squares.sum::<f64>().sqrt()
            })
            .collect();
        let most = moved.iter().copied().fold(0.0, f64::max);
        let rows = mapped.reach.iter().zip(&self.reach).zip(&moved);
        let needed = rows
            .filter(|((now, _), _)| **now > 0.0)
            .map(|((now, then), moved)| {
                (now.sqrt() + moved + most) * (1.0 + 1e-12) / (scale * then)
            })
            .fold(0.0, |most, needed| if needed <= most { most } else { needed });
        (self.scale, self.moved) = (scale, moved);
        needed
    }
}

/// Where a batch of blocks ends.
fn batch_end(kept: &Kept, first: usize) -> usize {
    let rows = kept.moved.len();
    let mut last = (first + BLOCK).min(rows);
    let size = |row: usize| kept.partners.range_of(first..row).len();
    while last < rows && size((last + BLOCK).min(rows)) <= BATCH {
        last = (last + BLOCK).min(rows);
    }
    last
}

/// The squared distance below which a hinge has a slope.
fn limit(own: f64, width: f64) -> f64 {
    1.0 + own + width / 2.0
}

/// A hinge with its rounded form and the slope of that.
struct Hinge {
    value: f64,
    smooth: f64,
    slope: f64,
}

#[inline]
fn hinge(margin: f64, width: f64) -> Hinge {
    let value = margin.max(0.0);
    let above = margin + width / 2.0;
    if above <= 0.0 {
        Hinge { value, smooth: 0.0, slope: 0.0 }
    } else if above >= width {
        Hinge { value, smooth: value, slope: 1.0 }
    } else {
        Hinge { value, smooth: above * above / (2.0 * width), slope: above / width }
    }
}

/// `sum += weight (a - b)`.
#[inline]
fn add_difference(sum: &mut [f64], weight: f64, a: &[f64], b: &[f64]) {
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        *sum += weight * (a - b);
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern.
    fn number(k: usize) -> f64 {
        ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.4
    }

    /// The smooth objective and the objective, over every triple.
    fn naive(
        rows: &DenseMatrix,
        codes: &[u32],
        near: &[Vec<u32>],
        map: &DenseMatrix,
        width: f64,
    ) -> (f64, f64) {
        let square = |i: usize, j: usize| -> f64 {
            let part = |line: &[f64]| -> f64 {
                line.iter().zip(rows.row(i)).zip(rows.row(j)).map(|((l, a), b)| l * (a - b)).sum()
            };
            map.iter().map(|line| part(line).powi(2)).sum()
        };
        let (mut smooth, mut value) = (0.0, 0.0);
        for (i, near) in near.iter().enumerate() {
            for &j in near {
                let own = square(i, j as usize);
                smooth += 0.7 * own;
                value += 0.7 * own;
                for l in (0..rows.rows()).filter(|&l| codes[l] != codes[i]) {
                    let margin = 1.0 + own - square(i, l);
                    value += 0.3 * margin.max(0.0);
                    smooth += 0.3
                        * if margin.abs() < width / 2.0 {
                            (margin + width / 2.0).powi(2) / (2.0 * width)
                        } else {
                            margin.max(0.0)
                        };
                }
            }
        }
        (smooth, value)
    }

    #[test]
    fn sums_and_slopes_are_those_of_every_triple_wherever_the_map_goes() {
        // Of classes that overlap no pairs are kept; of those apart they outlast many evaluations.
        assert_eq!(evaluations_from_kept_pairs(1.0), 0);
        let outlasted = evaluations_from_kept_pairs(3.5);
        assert!(outlasted > 5, "kept pairs were used {outlasted} times");
    }

    /// How often pairs kept before were used, of classes so far apart.
    fn evaluations_from_kept_pairs(apart: f64) -> usize {
        let (count, width) = (150, 3);
        let codes: Vec<u32> = (0..count).map(|row| (row / 60) as u32).collect();
        let values: Vec<f64> = (0..count * width)
            .map(|k| 3.0 * number(k) + apart * f64::from(codes[k / width]))
            .collect();
        let rows = DenseMatrix::new(values, count, width);
        // The last row has no target neighbors.
        let near: Vec<Vec<u32>> = (0..count)
            .map(|row| {
                let same = (0..count).filter(|&other| other != row && codes[other] == codes[row]);
                same.skip(row % 5)
                    .take(if row + 1 == count { 0 } else { 2 })
                    .map(|j| j as u32)
                    .collect()
            })
            .collect();
        let run = Run::new(Some(1)).unwrap();
        let mut triples = Triples::new(rows.clone(), &codes, &near, 0.3);
        let mut map =
            DenseMatrix::new((0..2 * width).map(|k| 2.0 * number(k + 5)).collect(), 2, width);
        let kink = 0.5;
        let mut outlasted = 0;
        for round in 0..40 {
            // Ever smaller steps, then a leap.
            let step = if round == 30 { 2.0 } else { 0.3 * 0.7_f64.powi(round) };
            for (k, entry) in map.values_mut().iter_mut().enumerate() {
                *entry += step * number(k + 100 * round as usize);
            }
            let sum = triples.evaluate(&map, kink, &run).unwrap();
            outlasted += usize::from(triples.kept.as_ref().is_some_and(|kept| kept.age > 0));
            let (smooth, value) = naive(&rows, &codes, &near, &map, kink);
            assert!((sum.smooth - smooth).abs() < 1e-11 * smooth, "{} {smooth}", sum.smooth);
            assert!((sum.value - value).abs() < 1e-11 * value, "{} {value}", sum.value);
            if round % 10 != 0 {
                continue;
            }
            let gradient = triples.gradient(&sum);
            for (entry, slope) in gradient.iter().enumerate() {
                let at = |step: f64| {
                    let mut map = map.clone();
                    map.values_mut()[entry] += step;
                    naive(&rows, &codes, &near, &map, kink).0
                };
                let found = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - found).abs() < 1e-4 * found.abs().max(1.0), "{slope} {found}");
            }
            let (_, metric) = triples.metric_gradient(&map, kink, &run).unwrap();
            let other = crate::algebra::product(&map, &metric);
            for (slope, other) in gradient.iter().zip(other.values()) {
                assert!((slope - 2.0 * other).abs() < 1e-8 * slope.abs().max(1.0));
            }
        }
        outlasted
    }
}
