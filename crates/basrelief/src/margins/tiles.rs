//! Tiles: up to sixteen features whose differences are computed together, with their values row by row.

use std::ops::Range;

use basrelief_kernels::{RUN_WIDTH, RowTile, Weighed};

use crate::differences::{Form, Space};
use crate::neighbors::{TileBuffers, TileColumns, fill_tiles};

/// Features per tile.
pub(super) const WIDTH: usize = RUN_WIDTH;

/// Ranges of numbers whose raw differences can be added up without overflow or loss of precision.
pub(super) const PLAIN_RANGES: Range<f64> = 1e-200..1e200;

/// Options of a sum.
#[derive(Clone, Copy)]
pub(super) struct Terms<'t> {
    /// A row's mean over its pairs instead of the pairs themselves.
    pub(super) means: bool,
    /// Per feature, the fraction of its range above which a numeric difference counts as 1; or
    /// empty.
    pub(super) jumps: &'t [f64],
}

/// How the differences of a tile are computed; all its features are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TileKind {
    Absolute,
    Jumping,
    Mismatch,
    /// By the feature's rule, without a kernel.
    Other,
}

impl TileKind {
    /// Whether the kernels support it.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, TileKind::Absolute | TileKind::Mismatch)
    }
}

/// How the difference of a feature is computed; `None` for constant features.
pub(super) fn kind_of(space: &Space<'_>, terms: Terms<'_>, feature: usize) -> Option<TileKind> {
    let rule = space.features()[feature].rule;
    match rule.form() {
        Form::Nothing => None,
        _ if !terms.jumps.is_empty() && rule.number().is_some() => Some(TileKind::Jumping),
        Form::Absolute => Some(TileKind::Absolute),
        Form::Mismatch => Some(TileKind::Mismatch),
        Form::Ramped(_) | Form::Any => Some(TileKind::Other),
    }
}

/// Up to sixteen features of one kind.
pub(super) struct Tile {
    pub(super) kind: TileKind,
    pub(super) features: Vec<usize>,
}

impl Tile {
    /// What kernels add up for two values; `None` where differences are computed one by one, such
    /// as those of pairs that may be excluded. Missing values are coded for kernels, and corrected
    /// afterwards.
    pub(super) fn weighed(&self, space: &Space<'_>, terms: Terms<'_>) -> Option<Weighed> {
        let is_coded = |feature: &usize| {
            let feature = &space.features()[*feature];
            feature.missing_rows().is_empty() || feature.table().is_some()
        };
        let by_kernels = !terms.means && self.kind.is_plain() && self.features.iter().all(is_coded);
        by_kernels.then_some(match self.kind {
            TileKind::Mismatch => Weighed::Mismatch,
            _ => Weighed::Difference,
        })
    }

    /// The ranges of complete numbers whose raw differences are added up, and the sums then divided
    /// by the ranges; `None` where values have to be scaled first.
    pub(super) fn ranges(&self, space: &Space<'_>) -> Option<Lanes> {
        let mut ranges = [1.0; WIDTH];
        for (out, &feature) in ranges.iter_mut().zip(&self.features) {
            let feature = &space.features()[feature];
            let range = feature.rule.number()?.range;
            let is_plain = self.kind == TileKind::Absolute && feature.missing_rows().is_empty();
            if !is_plain || !PLAIN_RANGES.contains(&range) {
                return None;
            }
            *out = range;
        }
        Some(ranges)
    }
}

/// Groups features into tiles. All features of a tile have the same form, so that the way in which
/// a feature is added up does not depend on the other features.
pub(super) fn tiles(space: &Space<'_>, terms: Terms<'_>, features: &[usize]) -> Vec<Tile> {
    [TileKind::Absolute, TileKind::Other, TileKind::Jumping, TileKind::Mismatch]
        .into_iter()
        .flat_map(|kind| {
            let of_kind = |&feature: &usize| kind_of(space, terms, feature) == Some(kind);
            let features: Vec<usize> = features.iter().copied().filter(of_kind).collect();
            let alone = |&feature: &usize| Tile { kind, features: vec![feature] };
            let form = |tile: &Tile| (tile.weighed(space, terms), tile.ranges(space).is_some());
            let mut by_form: Vec<(_, Vec<usize>)> = Vec::new();
            for (form, feature) in features.iter().map(|feature| (form(&alone(feature)), *feature))
            {
                match by_form.iter_mut().find(|(of, _)| *of == form) {
                    Some((_, features)) => features.push(feature),
                    None => by_form.push((form, vec![feature])),
                }
            }
            let chunks = by_form.iter().flat_map(|(_, features)| features.chunks(WIDTH));
            chunks.map(|features| Tile { kind, features: features.to_vec() }).collect::<Vec<_>>()
        })
        .collect()
}

pub(super) type Lanes = [f64; WIDTH];

/// The values of one tile, row by row.
#[derive(Default)]
pub(super) struct TileBuffer {
    pub(super) values: Vec<RowTile>,
    /// Per row, a bit per lane whose value is missing; empty when none is.
    pub(super) missing: Vec<u16>,
}

impl TileBuffer {
    /// Reads the values of some tiles, scaled unless the sums are later divided by the `ranges`.
    pub(super) fn fill(
        buffers: &mut [Self],
        space: &Space<'_>,
        tiles: &[Tile],
        ranges: &[Option<Lanes>],
        columns: &mut TileBuffers,
    ) {
        let of_tiles: Vec<TileColumns<'_>> = tiles
            .iter()
            .zip(ranges)
            .map(|(tile, ranges)| TileColumns {
                features: &tile.features,
                scaled: ranges.is_none(),
            })
            .collect();
        let mut values: Vec<_> = buffers.iter_mut().map(|buffer| &mut buffer.values).collect();
        fill_tiles(space, &of_tiles, &mut values, columns);
        for (buffer, tile) in buffers.iter_mut().zip(tiles) {
            buffer.missing.clear();
            for (lane, &feature) in tile.features.iter().enumerate() {
                let missing_rows = space.features()[feature].missing_rows();
                if !missing_rows.is_empty() {
                    buffer.missing.resize(space.rows(), 0);
                    for &row in missing_rows {
                        buffer.missing[row as usize] |= 1 << lane;
                    }
                }
            }
        }
    }
}
