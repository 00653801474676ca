//! Reads numbers row by row from any memory layout: in panels to be rounded, or as tiles of
//! features.

use std::ops::Range;

use basrelief_kernels::{
    LANES, RUN_WIDTH, Rounding, Roundings, RowTile, Scales, level, put_columns, put_lines,
};

use crate::data::{ColumnBuffers, Lines, TOGETHER};
use crate::differences::{NumberRange, ScaledBuffers, Space, Units};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Rows of tiles that are filled at a time, so that they stay in the first-level cache.
const ROWS: usize = 16;

/// Features that are rounded at a time if they lie by rows: memory is read in long pieces.
const WIDE: usize = 1024;

/// Number of tiles of other features that are rounded at a time, one task each: up to 1 KB per row.
/// In a file this is half a page of pairs, or a page of words; the less often a page is written,
/// the better.
const TILES: Range<usize> = 4..8;

/// An empty row of a tile.
const EMPTY: RowTile = RowTile([0.0; RUN_WIDTH]);

/// Columns to be rounded, in reused memory.
#[derive(Default)]
struct Unrounded {
    read: ColumnBuffers,
    scaled: [Vec<f64>; TOGETHER],
}

impl Unrounded {
    /// Fills a tile with features that are to be rounded to `steps` steps of the units' largest
    /// difference. Missing numbers are set to the smallest number of their feature.
    fn fill(
        &mut self,
        space: &Space<'_>,
        units: &Units,
        features: &[usize],
        steps: f64,
        tile: &mut Vec<RowTile>,
    ) {
        let Self { read, scaled } = self;
        tile.resize(space.rows(), EMPTY);
        for (first, features) in (0..).step_by(TOGETHER).zip(features.chunks(TOGETHER)) {
            let values = space.read_together(features, read).into_iter();
            let columns = features.iter().zip(values).zip(&mut *scaled);
            let prepared = columns.map(|((&feature, values), scaled)| {
                let FeatureRounding { of, is_on_grid } = rounding_of(space, units, feature, steps);
                let missing_rows = space.features()[feature].missing_rows();
                if is_on_grid {
                    // Distances are those of the numbers on the grid, from which these may deviate
                    // slightly.
                    space.scale(feature, values, scaled);
                    units.convert(space, feature, scaled);
                } else if missing_rows.is_empty() {
                    return values;
                } else {
                    scaled.clear();
                    scaled.extend_from_slice(values);
                }
                missing_rows.iter().for_each(|&gap| scaled[gap as usize] = of.least);
                &scaled[..]
            });
            put_lanes(&prepared.collect::<Vec<&[f64]>>(), first, tile);
        }
    }
}

/// How a feature is rounded.
struct FeatureRounding {
    of: Rounding,
    /// Whether its numbers are first converted to their grid.
    is_on_grid: bool,
}

fn rounding_of(space: &Space<'_>, units: &Units, feature: usize, steps: f64) -> FeatureRounding {
    match space.features()[feature].rule.number() {
        Some(NumberRange { least, range, steps: None }) => {
            FeatureRounding { of: Rounding { least, factor: steps / range }, is_on_grid: false }
        }
        _ => {
            let of = Rounding { least: 0.0, factor: steps / units.unit };
            FeatureRounding { of, is_on_grid: true }
        }
    }
}

/// The numbers of some features, to be rounded panel by panel.
pub(super) struct Strip<'s> {
    source: Source<'s>,
    least: Vec<f64>,
    factors: Vec<f64>,
}

enum Source<'s> {
    /// The values lie by rows.
    Lines(Lines<'s>),
    Tiles(&'s [Vec<RowTile>]),
}

/// Calls `take` with strips of the given features of a space, which are all numeric, and with the
/// place of a strip's first feature, which is even. The numbers are to be rounded to `steps` steps
/// of the units' largest difference; `in_file` states whether the rounded numbers lie in a file.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn each_strip(
    space: &Space<'_>,
    units: &Units,
    features: &[usize],
    steps: f64,
    in_file: bool,
    run: &Run,
    mut take: impl FnMut(usize, &Strip<'_>),
) -> Result<()> {
    let count = if in_file { TILES.end } else { run.threads().clamp(TILES.start, TILES.end) };
    let mut tiles: Vec<Vec<RowTile>> = vec![Vec::new(); count];
    for (start, features) in (0..).step_by(WIDE).zip(features.chunks(WIDE)) {
        let roundings: Vec<FeatureRounding> =
            features.iter().map(|&feature| rounding_of(space, units, feature, steps)).collect();
        let lines_of = |part: Range<usize>| {
            let complete = |&feature: &usize| space.features()[feature].missing_rows().is_empty();
            let is_plain = features[part.clone()].iter().all(complete)
                && !roundings[part.clone()].iter().any(|rounding| rounding.is_on_grid);
            is_plain.then(|| space.lines(&features[part])).flatten()
        };
        if let Some(lines) = lines_of(0..features.len()) {
            run.check()?;
            take(start, &Strip::new(Source::Lines(lines), &roundings));
            continue;
        }
        // A feature with missing values or on a grid keeps only a few others from being read by
        // rows.
        for first in (0..features.len()).step_by(count * RUN_WIDTH) {
            run.check()?;
            let part = first..features.len().min(first + count * RUN_WIDTH);
            let source = match lines_of(part.clone()) {
                Some(lines) => Source::Lines(lines),
                None => {
                    run.install(|| {
                        let of_tiles = features[part.clone()].chunks(RUN_WIDTH).zip(&mut tiles);
                        let fill = |buffer: &mut Unrounded, (features, tile)| {
                            buffer.fill(space, units, features, steps, tile);
                        };
                        parallel::for_each_with(of_tiles, fill);
                    });
                    Source::Tiles(&tiles)
                }
            };
            take(start + first, &Strip::new(source, &roundings[part]));
        }
    }
    Ok(())
}

impl<'s> Strip<'s> {
    fn new(source: Source<'s>, roundings: &[FeatureRounding]) -> Self {
        Self {
            source,
            least: roundings.iter().map(|rounding| rounding.of.least).collect(),
            factors: roundings.iter().map(|rounding| rounding.of.factor).collect(),
        }
    }

    /// Calls `round` with all numbers of up to eight rows, a run of features at a time: the first
    /// feature, the values of the rows (lanes without a row are rounded to 0), and how to round
    /// them. `copy` is reused memory.
    pub(super) fn panel(
        &self,
        rows: &[u32],
        copy: &mut Vec<f64>,
        mut round: impl FnMut(usize, [&[f64]; LANES], Roundings<'_>),
    ) {
        let Self { source, least, factors } = self;
        match source {
            Source::Lines(source) => {
                let mut lines: [&[f64]; LANES] = [least; LANES];
                copy.resize(LANES * least.len(), 0.0);
                let copies = copy.chunks_exact_mut(least.len());
                for ((line, &row), copy) in lines.iter_mut().zip(rows).zip(copies) {
                    *line = source.line(row as usize, least.len(), copy);
                }
                round(0, lines, Roundings { least, factors });
            }
            Source::Tiles(tiles) => {
                let parts = least.chunks(RUN_WIDTH).zip(factors.chunks(RUN_WIDTH));
                for (first, ((least, factors), tile)) in
                    (0..).step_by(RUN_WIDTH).zip(parts.zip(*tiles))
                {
                    let mut lines: [&[f64]; LANES] = [least; LANES];
                    for (line, &row) in lines.iter_mut().zip(rows) {
                        *line = &tile[row as usize].0;
                    }
                    round(first, lines, Roundings { least, factors });
                }
            }
        }
    }
}

/// Features of a tile, limited by its number of lanes.
pub(crate) struct TileColumns<'f> {
    pub(crate) features: &'f [usize],
    /// Whether their values are scaled to the units of their rules.
    pub(crate) scaled: bool,
}

/// Columns to be put into tiles, in reused memory.
#[derive(Default)]
pub(crate) struct TileBuffers {
    scaled: ScaledBuffers,
    plain: ColumnBuffers,
}

/// Replaces `out`, tile by tile, by the values of all rows of the table. Lanes beyond a tile's
/// features are 0.
pub(crate) fn fill_tiles(
    space: &Space<'_>,
    tiles: &[TileColumns<'_>],
    out: &mut [&mut Vec<RowTile>],
    buffers: &mut TileBuffers,
) {
    let features: Vec<usize> = tiles.iter().flat_map(|tile| tile.features).copied().collect();
    out.iter_mut().for_each(|out| out.resize(space.rows(), EMPTY));
    let Some(lines) = space.lines(&features) else {
        match (tiles, out) {
            ([tile], [out]) => fill_tile(space, tile, out, buffers),
            // A single tile may still lie by rows.
            (tiles, out) => {
                let each = tiles.chunks(1).zip(out.chunks_mut(1));
                each.for_each(|(tile, out)| fill_tiles(space, tile, out, buffers));
            }
        }
        return;
    };
    let scales = |tile: &TileColumns<'_>| tile.scaled.then(|| tile.scales(space));
    let scales: Vec<Option<Scales>> = tiles.iter().map(scales).collect();
    // Fills all tiles for some rows at a time, because their values lie side by side.
    let mut copy = Vec::new();
    for start in (0..space.rows()).step_by(ROWS) {
        let rows = start..space.rows().min(start + ROWS);
        let (numbers, stride) = lines.of_rows(rows.clone(), features.len(), &mut copy);
        let mut first = 0;
        for ((tile, scales), out) in tiles.iter().zip(&scales).zip(&mut *out) {
            let (width, out) = (tile.features.len(), &mut out[rows.clone()]);
            put_lines(level(), &numbers[first..], stride, width, scales.as_ref(), out);
            first += width;
        }
    }
}

impl TileColumns<'_> {
    fn scales(&self, space: &Space<'_>) -> Scales {
        let mut scales = Scales { least: [0.0; RUN_WIDTH], ranges: [1.0; RUN_WIDTH] };
        for (lane, &feature) in self.features.iter().enumerate() {
            if let Some(number) = space.features()[feature].rule.number() {
                (scales.least[lane], scales.ranges[lane]) = (number.least, number.range);
            }
        }
        scales
    }
}

/// Fills one tile, column by column.
fn fill_tile(
    space: &Space<'_>,
    tile: &TileColumns<'_>,
    out: &mut [RowTile],
    buffers: &mut TileBuffers,
) {
    if tile.features.len() < RUN_WIDTH {
        out.fill(EMPTY);
    }
    for (first, features) in (0..).step_by(TOGETHER).zip(tile.features.chunks(TOGETHER)) {
        if tile.scaled {
            let columns = space.copy_scaled_together(features, &mut buffers.scaled);
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            put_lanes(&columns, first, out);
        } else {
            let columns = space.read_together(features, &mut buffers.plain);
            put_lanes(&columns, first, out);
        }
    }
}

/// Puts columns into the lanes from `first` on.
fn put_lanes(columns: &[&[f64]], first: usize, values: &mut [RowTile]) {
    if let Ok(columns) = columns.try_into() {
        return put_columns(level(), columns, first, values);
    }
    // Few rows at a time stay in the first-level cache from lane to lane.
    for (part, rows) in values.chunks_mut(ROWS).enumerate() {
        for (lane, column) in (first..).zip(columns) {
            let part = rows.iter_mut().zip(&column[part * ROWS..]);
            part.for_each(|(values, value)| values.0[lane] = *value);
        }
    }
}
