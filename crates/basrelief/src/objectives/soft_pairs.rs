//! Soft neighbors, pair by pair: in a mapped space of few components, each pair is visited once for both of its rows.
//!
//! The kernel `exp(-d_ij)` is symmetric: rows i and j share one value, each with a separate factor. There are two
//! passes over the pairs i < j: one for the sums of the exponentials, which determine the factors, and one for the
//! displacements of the rows by the weights. Rows are in panels of one class, and two panels are processed while both
//! are in the cache. Memory does not grow with the square of the number of rows.
//!
//! Nothing is subtracted from the exponents. Rows that are too far from all others for that have sums below [`TINY`];
//! the caller handles them.

use basrelief_kernels::{
    FARTHEST, GREATEST_LIMIT, Level, OfChunk, OfPairs, OfRows, PAIR_CHUNKS, PAIR_LANES, PAIR_ROWS,
    PairMoves, PairPanel, PairRows, add_pairs, level, move_pairs, nearest_apart, pair_exponentials,
};
use std::ops::Range;

use crate::data::DenseMatrix;
use crate::error::Result;
use crate::neighbors::{BlockParts, add_parts as add_by_parts};
use crate::run::Run;
use crate::thresholds::{PARTS, SAMPLED};

/// A sum of exponentials below this is missing terms that are not negligible.
pub(crate) const TINY: f64 = 1e-280;

/// The coordinates of a padding row: infinitely far from all others.
const NOWHERE: f64 = 1e300;

/// One value for a row's hits, one for its misses.
pub(crate) type HitsAndMisses<T> = [T; 2];

/// Rows in panels, class by class.
pub(crate) struct PairPanels<'a> {
    values: &'a DenseMatrix,
    panels: Vec<PanelRows>,
    /// Coordinates of the panels, one after the other.
    points: Vec<OfChunk>,
    /// Number of chunks of all panels.
    chunks: usize,
    /// The coordinates of a padding row.
    nowhere: Vec<f64>,
    level: Level,
}

/// The rows of a panel.
#[derive(Debug, Clone)]
struct PanelRows {
    rows: Range<usize>,
    class: usize,
    /// Its chunks among those of all panels.
    chunks: Range<usize>,
}

impl PanelRows {
    /// The first rows of the groups of [`PAIR_ROWS`] rows.
    fn groups(&self) -> impl Iterator<Item = usize> {
        self.rows.clone().step_by(PAIR_ROWS)
    }
}

/// A group of rows that is paired with a panel.
struct Meeting<'a> {
    /// The rows' own panel.
    own: &'a PanelRows,
    /// The first row of the group.
    first: usize,
    rows: PairRows<'a>,
    panel: &'a PanelRows,
    points: PairPanel<'a>,
    /// Whether the panel's rows are misses: the second of [`HitsAndMisses`].
    kind: usize,
}

impl Meeting<'_> {
    /// The values of the group's rows, from the values of all rows in chunks.
    fn of_rows(&self, all: &[OfChunk]) -> OfRows {
        std::array::from_fn(|row| {
            let place = self.first - self.own.rows.start + row;
            all[self.own.chunks.start + place / PAIR_LANES][place % PAIR_LANES]
        })
    }

    /// Adds the values of the group's rows to coordinate `k` of `width` of all rows in chunks.
    fn add(&self, found: &OfRows, all: &mut [OfChunk], k: usize, width: usize) {
        let first = width * self.own.chunks.start + k * self.own.chunks.len();
        for (row, value) in found.iter().enumerate() {
            let place = self.first - self.own.rows.start + row;
            all[first + place / PAIR_LANES][place % PAIR_LANES] += value;
        }
    }

    /// If the group belongs to the panel, retains every pair only for its first row, and excludes pairs of a row with
    /// itself.
    fn drop_pairs_seen(&self, values: &mut [OfPairs]) {
        if self.own.rows == self.panel.rows {
            for row in 0..PAIR_ROWS {
                let last = self.first - self.own.rows.start + row;
                for place in 0..=last {
                    values[place / PAIR_LANES][row][place % PAIR_LANES] = 0.0;
                }
            }
        }
    }
}

impl<'a> PairPanels<'a> {
    /// Creates panels of rows that are ordered by class, given the range of each class.
    pub(crate) fn new(values: &'a DenseMatrix, classes: &[Range<usize>]) -> Self {
        let (mut panels, mut chunks) = (Vec::new(), 0);
        for (class, rows) in classes.iter().enumerate() {
            for start in rows.clone().step_by(PAIR_CHUNKS * PAIR_LANES) {
                let rows = start..(start + PAIR_CHUNKS * PAIR_LANES).min(rows.end);
                let first = chunks;
                chunks += rows.len().div_ceil(PAIR_LANES);
                panels.push(PanelRows { rows, class, chunks: first..chunks });
            }
        }
        let width = values.columns();
        let mut points = vec![[NOWHERE; PAIR_LANES]; width * chunks];
        for panel in &panels {
            let points = &mut points[width * panel.chunks.start..width * panel.chunks.end];
            for (place, row) in panel.rows.clone().enumerate() {
                for (k, value) in values.row(row).iter().enumerate() {
                    points[k * panel.chunks.len() + place / PAIR_LANES][place % PAIR_LANES] =
                        *value;
                }
            }
        }
        Self { values, panels, points, chunks, nowhere: vec![NOWHERE; width], level: level() }
    }

    /// The sums of `exp(-d_ij)` over the hits and over the misses of every row. Terms below 2^-60 of a row's
    /// largest are omitted, and terms below `exp(-700)`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn sums(&self, run: &Run) -> Result<Vec<HitsAndMisses<f64>>> {
        let limits = self.limits(run)?;
        let new = || [(); 2].map(|()| vec![[0.0; PAIR_LANES]; self.chunks]);
        let parts = self.over_pairs(new, run, |sums, meeting, values| {
            let near = self.exponentials(meeting, &limits, values);
            if near != 0 {
                let values = &values[..meeting.points.chunks];
                let (mut row_sums, sums) = ([0.0; PAIR_ROWS], &mut sums[meeting.kind]);
                add_pairs(
                    self.level,
                    near,
                    values,
                    &mut row_sums,
                    &mut sums[meeting.panel.chunks.clone()],
                );
                meeting.add(&row_sums, sums, 0, 1);
            }
        })?;
        let [hits, misses] =
            [0, 1].map(|kind| self.total(parts.iter().map(|part| &part[kind][..]), 1));
        Ok(hits.into_iter().zip(misses).map(|(hits, misses)| [hits, misses]).collect())
    }

    /// The displacements of the rows, `sum_j w_ij (z_i - z_j)`. The weights `w_ij` are `exp(-d_ij)` times the sum of
    /// the two rows' `factors`, those for hits if the rows are of the same class. Terms below 2^-60 for either row
    /// are omitted.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn moves(&self, factors: &[HitsAndMisses<f64>], run: &Run) -> Result<DenseMatrix> {
        let of_kind = |kind: usize| self.in_chunks(0.0, |row| factors[row][kind]);
        let limit = |kind: usize| {
            self.in_chunks(f64::NEG_INFINITY, |row| {
                (factors[row][kind].abs().ln() + FARTHEST).min(GREATEST_LIMIT)
            })
        };
        let (factors, limits) = ([0, 1].map(of_kind), [0, 1].map(limit));
        let width = self.values.columns();
        let new = || {
            let sums = [width, 1].map(|width| vec![[0.0; PAIR_LANES]; width * self.chunks]);
            (sums, vec![[0.0; PAIR_ROWS]; width])
        };
        let parts =
            self.over_pairs(new, run, |([points, degrees], row_moves), meeting, values| {
                let near = self.exponentials(meeting, &limits, values);
                if near == 0 {
                    return;
                }
                let (factors, chunks) = (&factors[meeting.kind], &meeting.panel.chunks);
                row_moves.fill([0.0; PAIR_ROWS]);
                let mut row_degrees = [0.0; PAIR_ROWS];
                move_pairs(
                    self.level,
                    near,
                    &mut values[..chunks.len()],
                    (meeting.rows, &meeting.of_rows(factors)),
                    (meeting.points, &factors[chunks.clone()]),
                    row_moves,
                    &mut row_degrees,
                    PairMoves {
                        points: &mut points[width * chunks.start..width * chunks.end],
                        degrees: &mut degrees[chunks.clone()],
                    },
                );
                meeting.add(&row_degrees, degrees, 0, 1);
                for (k, moves) in row_moves.iter().enumerate() {
                    meeting.add(moves, points, k, width);
                }
            })?;
        let degrees = self.total(parts.iter().map(|([_, degrees], _)| &degrees[..]), 1);
        let sums = self.total(parts.iter().map(|([points, _], _)| &points[..]), width);
        let mut moved = DenseMatrix::new(sums, self.values.rows(), width);
        for (row, degree) in degrees.iter().enumerate() {
            let pairs = moved.row_mut(row).iter_mut().zip(self.values.row(row));
            pairs.for_each(|(sum, value)| *sum = degree * value - *sum);
        }
        Ok(moved)
    }

    /// The largest squared distances, to hits and to misses, whose exponentials are not negligible for a row. The
    /// distance to the nearest of a few sampled rows bounds the distance to the nearest row.
    fn limits(&self, run: &Run) -> Result<HitsAndMisses<Vec<OfChunk>>> {
        let (mut sampled, mut classes) = (Vec::new(), Vec::new());
        for class in self.panels.chunk_by(|a, b| a.class == b.class) {
            let start = sampled.len();
            let rows = class[0].rows.start..class[class.len() - 1].rows.end;
            sampled.extend(rows.step_by(SAMPLED));
            classes.push(start..sampled.len());
        }
        let values = self.values.select_rows(&sampled);
        let few = PairPanels::new(&values, &classes);
        let nearest = add_by_parts(
            &BlockParts::each(self.panels.len()),
            |_| 0..few.panels.len(),
            |own| vec![[f64::INFINITY; 2]; self.panels[own].rows.len()],
            |nearest, (own, panel), (): &mut ()| {
                let (own, panel) = (&self.panels[own], &few.panels[panel]);
                let kind = usize::from(own.class != panel.class);
                for (first, nearest) in own.groups().zip(nearest.chunks_mut(PAIR_ROWS)) {
                    let rows = self.group(own, first);
                    let found = nearest_apart(self.level, rows, few.panel(panel));
                    for (nearest, found) in nearest.iter_mut().zip(found) {
                        nearest[kind] = nearest[kind].min(found);
                    }
                }
            },
            run,
        )?;
        let nearest = nearest.concat();
        Ok([0, 1].map(|kind| {
            let limit = |row: usize| (nearest[row][kind] + FARTHEST).min(GREATEST_LIMIT);
            self.in_chunks(f64::NEG_INFINITY, limit)
        }))
    }

    /// Calls `look` for all pairs of panels, with the rows of the first panel in groups. Returns the sums of the
    /// parts in order.
    fn over_pairs<S: Send>(
        &self,
        new: impl Fn() -> S + Sync,
        run: &Run,
        look: impl Fn(&mut S, &Meeting<'_>, &mut [OfPairs]) + Sync,
    ) -> Result<Vec<S>> {
        let panels = self.panels.len();
        let rows = self.panels.iter().map(|panel| panel.rows.len());
        add_by_parts(
            // The first panels are paired with the most others.
            &BlockParts::dealt(panels, PARTS).with_rows(rows),
            |own| own..panels,
            |_| new(),
            |sums, (own, panel), values: &mut Vec<OfPairs>| {
                values.resize(PAIR_CHUNKS, [[0.0; PAIR_LANES]; PAIR_ROWS]);
                let (own, panel) = (&self.panels[own], &self.panels[panel]);
                let points = self.panel(panel);
                let kind = usize::from(own.class != panel.class);
                for first in own.groups() {
                    let rows = self.group(own, first);
                    look(sums, &Meeting { own, first, rows, panel, points, kind }, values);
                }
            },
            run,
        )
    }

    /// Computes the exponentials of a group with a panel, within the limits of either. Returns the chunks that
    /// contain any, as bits.
    fn exponentials(
        &self,
        meeting: &Meeting<'_>,
        limits: &HitsAndMisses<Vec<OfChunk>>,
        values: &mut [OfPairs],
    ) -> u32 {
        let limits = &limits[meeting.kind];
        let near = pair_exponentials(
            self.level,
            meeting.rows,
            &meeting.of_rows(limits),
            meeting.points,
            &limits[meeting.panel.chunks.clone()],
            &mut values[..meeting.points.chunks],
        );
        meeting.drop_pairs_seen(values);
        near
    }

    fn panel(&self, panel: &PanelRows) -> PairPanel<'_> {
        let width = self.values.columns();
        let points = &self.points[width * panel.chunks.start..width * panel.chunks.end];
        PairPanel { points, chunks: panel.chunks.len() }
    }

    /// A panel's rows from `first` on, padded with rows infinitely far away.
    fn group(&self, panel: &PanelRows, first: usize) -> PairRows<'_> {
        std::array::from_fn(|row| match first + row {
            row if row < panel.rows.end => self.values.row(row),
            _ => &self.nowhere[..],
        })
    }

    /// The value of every row in chunks, with `padding` where a chunk has no row.
    fn in_chunks(&self, padding: f64, number: impl Fn(usize) -> f64) -> Vec<OfChunk> {
        let mut all = vec![[padding; PAIR_LANES]; self.chunks];
        for panel in &self.panels {
            for (place, row) in panel.rows.clone().enumerate() {
                all[panel.chunks.start + place / PAIR_LANES][place % PAIR_LANES] = number(row);
            }
        }
        all
    }

    /// The sums over the parts, row by row, with `width` values per row. The parts have the layout of the points.
    fn total<'p>(&self, parts: impl Iterator<Item = &'p [OfChunk]>, width: usize) -> Vec<f64> {
        let mut sums = vec![[0.0; PAIR_LANES]; width * self.chunks];
        for part in parts {
            for (sum, value) in sums.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                *sum += value;
            }
        }
        let mut of_rows = Vec::with_capacity(width * self.values.rows());
        for panel in &self.panels {
            let sums = &sums[width * panel.chunks.start..width * panel.chunks.end];
            for place in 0..panel.rows.len() {
                let (chunk, lane) = (place / PAIR_LANES, place % PAIR_LANES);
                of_rows.extend((0..width).map(|k| sums[k * panel.chunks.len() + chunk][lane]));
            }
        }
        of_rows
    }
}
