//! Exact distances of some pairs of rows: those that rounded distances leave ambiguous.

use basrelief_kernels::{
    LineRule, RUN_WIDTH, RowTile, add_pair_differences, add_weighted_differences, level,
};

use super::block_driver::BlockDistances;
use super::read_rows::{TileBuffers, TileColumns, fill_tiles};
use crate::csr::CsrGroups;
use crate::data::TOGETHER;
use crate::differences::{
    CodedValue, CorrectionRule, MissingTable, ScaledBuffers, Space, Units, code_missing, round,
    with_corrections,
};
use crate::error::Result;
use crate::parallel;
use crate::run::Run;

/// Pairs whose distances one task computes.
const PAIRS: usize = 1024;

/// Rows whose distances to all rows one task computes.
const LINES: usize = 8;

/// Tiles of features that are read together.
const TILES: usize = 4;

/// Features whose differences are added to a distance at once: as many columns of a thousand rows
/// as fit into the first-level cache.
const SIDE_BY_SIDE: usize = 4;

/// Rows whose distances are correct up to known errors, and the exact distances of some of their
/// pairs.
pub(super) trait RoundedDistances: BlockDistances<Distance = u32> {
    /// The error that the rounding of each row can add to a distance, in steps; empty if nothing is
    /// rounded.
    fn errors(&self) -> &[f64];

    /// The exact distances of pairs of rows of the table. Returns `None` if there are too many
    /// pairs, so that it is better to compute the exact distances of all pairs.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn exact(
        &self,
        space: &Space<'_>,
        pairs: &[(u32, u32)],
        run: &Run,
    ) -> Result<Option<Vec<f64>>> {
        exact_distances(space, pairs, run).map(Some)
    }
}

/// The exact distances of pairs of rows: sums over the features in order, rounded in the same way
/// as the distances of blocks.
pub(super) fn exact_distances(
    space: &Space<'_>,
    pairs: &[(u32, u32)],
    run: &Run,
) -> Result<Vec<f64>> {
    type Group = ([Vec<RowTile>; TILES], TileBuffers);
    // Fills a few tiles per thread, and then adds the differences in these tiles for all pairs.
    let mut groups: Vec<Group> = (0..run.threads()).map(|_| Group::default()).collect();
    let together = groups.len() * TILES * RUN_WIDTH;
    let add = |units: &Units, features: &[usize], sums: &mut [f64]| {
        run.install(|| {
            let of_groups = groups.iter_mut().zip(features.chunks(TILES * RUN_WIDTH));
            parallel::for_each(of_groups, |((tiles, buffers), features)| {
                let columns: Vec<TileColumns<'_>> = features
                    .chunks(RUN_WIDTH)
                    .map(|features| TileColumns { features, scaled: true })
                    .collect();
                let mut of_columns: Vec<_> = tiles.iter_mut().take(columns.len()).collect();
                fill_tiles(space, &columns, &mut of_columns, buffers);
                for (tile, columns) in tiles.iter_mut().zip(&columns) {
                    units.convert_tile(space, columns.features, tile);
                    if columns.features.iter().any(|&feature| has_missing(space, feature)) {
                        tile.iter_mut().for_each(|row| code_missing(&mut row.0));
                    }
                }
            });
            let tiles = groups.iter().flat_map(|(tiles, _)| tiles);
            let tiles: Vec<&[RowTile]> =
                tiles.take(features.len().div_ceil(RUN_WIDTH)).map(Vec::as_slice).collect();
            let parts = sums.chunks_mut(PAIRS).zip(pairs.chunks(PAIRS));
            parallel::for_each(parts, |(sums, pairs)| {
                for tile in &tiles {
                    add_pair_differences(level(), tile, pairs, sums);
                }
            });
        });
    };
    exact_sums(space, pairs, together, add, run)
}

/// The exact distances of some rows to all rows, row by row.
pub(super) fn exact_lines(space: &Space<'_>, rows: &[u32], run: &Run) -> Result<Vec<f64>> {
    let count = space.rows();
    run.install(|| {
        let parts = parallel::try_map(rows.chunks(LINES), |rows| {
            let mut buffers = ScaledBuffers::default();
            let add = |units: &Units, features: &[usize], sums: &mut [f64]| {
                for features in features.chunks(TOGETHER) {
                    let columns = space.copy_scaled_together(features, &mut buffers);
                    for (&feature, column) in features.iter().zip(&mut *columns) {
                        units.convert(space, feature, column);
                        if has_missing(space, feature) {
                            code_missing(column);
                        }
                    }
                    for columns in columns.chunks(SIDE_BY_SIDE) {
                        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                        let ones = &[1.0; SIDE_BY_SIDE][..columns.len()];
                        for (&row, line) in rows.iter().zip(sums.chunks_exact_mut(count)) {
                            let (rule, own) = (LineRule::Absolute, row as usize);
                            add_weighted_differences(level(), rule, &columns, ones, own, 0, line);
                        }
                    }
                }
            };
            let to_all = |&row: &u32| (0..count as u32).map(move |other| (row, other));
            let pairs: Vec<(u32, u32)> = rows.iter().flat_map(to_all).collect();
            exact_sums(space, &pairs, TILES * RUN_WIDTH, add, run)
        });
        Ok(parts?.concat())
    })
}

/// Whether values of a feature are missing.
fn has_missing(space: &Space<'_>, feature: usize) -> bool {
    !space.features()[feature].missing_rows().is_empty()
}

/// The distances of pairs of rows. `add` adds the differences of all pairs in up to `together`
/// features, where missing values count as 0.
fn exact_sums(
    space: &Space<'_>,
    pairs: &[(u32, u32)],
    together: usize,
    mut add: impl FnMut(&Units, &[usize], &mut [f64]),
    run: &Run,
) -> Result<Vec<f64>> {
    let features: Vec<usize> =
        (0..space.width()).filter(|&f| !space.features()[f].rule.is_constant()).collect();
    let units = Units::new(space, &features, features.len());
    let mut sums = vec![0.0; pairs.len()];
    for features in features.chunks(together) {
        run.check()?;
        add(&units, features, &mut sums);
    }
    if features.iter().any(|&feature| has_missing(space, feature)) {
        let corrections = PairCorrections::new(space, &features, &units, pairs, run)?;
        let of_pairs = sums.iter_mut().zip(corrections.by_pair());
        of_pairs.for_each(|(sum, [i, j])| *sum = with_corrections(*sum, i + j));
    }
    sums.iter_mut().for_each(|sum| *sum = round(*sum));
    Ok(sums)
}

/// The corrections for the missing values of both rows of some pairs.
///
/// A pair is listed with each of its rows, so that the corrections of a row's missing values are
/// contiguous.
struct PairCorrections {
    /// Per row, its pairs: the other row, and twice the pair's index, plus 1 for the pair's second
    /// row.
    touching: CsrGroups<(u32, u32)>,
    /// Per listed pair, the corrections of features with small tables, and those of other features.
    few: Vec<f64>,
    others: Vec<f64>,
}

impl PairCorrections {
    fn new(
        space: &Space<'_>,
        features: &[usize],
        units: &Units,
        pairs: &[(u32, u32)],
        run: &Run,
    ) -> Result<Self> {
        let sides = (0..)
            .step_by(2)
            .zip(pairs)
            .flat_map(|(at, &(i, j))| [(i as usize, (j, at)), (j as usize, (i, at + 1))]);
        let touching = CsrGroups::new(space.rows(), sides);
        let none = vec![0.0; 2 * pairs.len()];
        let mut found = Self { touching, few: none.clone(), others: none };
        let rule =
            CorrectionRule { counted: CodedValue::Number(None), square: false, unit: units.unit };
        for features in features.chunks(TILES * RUN_WIDTH) {
            run.check()?;
            let of_features = run.install(|| {
                parallel::map_with(features, |numbers, &feature| {
                    found.of_feature(space, feature, rule, units, numbers)
                })
            });
            // In the order of the features.
            for (&feature, corrections) in features.iter().zip(&of_features) {
                found.add(space, feature, corrections);
            }
        }
        Ok(found)
    }

    /// The corrections for a feature's missing values, row by row and pair by pair; `numbers` is reused memory.
    fn of_feature(
        &self,
        space: &Space<'_>,
        feature: usize,
        rule: CorrectionRule,
        units: &Units,
        numbers: &mut Vec<f64>,
    ) -> Vec<f64> {
        let own = &space.features()[feature];
        let Some(table) = own.table() else { return Vec::new() };
        numbers.clear();
        numbers.extend_from_slice(table.values());
        units.convert(space, feature, numbers);
        let of_row = |&row: &u32| {
            let differences = table.by_case(space.class(row as usize));
            let correction = |&(other, _): &(u32, u32)| {
                let case = table.case(other as usize);
                rule.correction(differences[case], numbers[case])
            };
            self.touching.group(row as usize).iter().map(correction)
        };
        own.missing_rows().iter().flat_map(of_row).collect()
    }

    /// Adds the corrections for a feature's missing values.
    fn add(&mut self, space: &Space<'_>, feature: usize, corrections: &[f64]) {
        let own = &space.features()[feature];
        let is_small = own.table().is_some_and(MissingTable::is_small);
        let sums = if is_small { &mut self.few } else { &mut self.others };
        let places = own.missing_rows().iter().flat_map(|&row| self.touching.range(row as usize));
        places.zip(corrections).for_each(|(place, correction)| sums[place] += correction);
    }

    /// Per pair, the corrections for the first and for the second row's missing values.
    fn by_pair(&self) -> Vec<[f64; 2]> {
        let mut corrections = vec![[0.0; 2]; self.few.len() / 2];
        let listed = self.touching.iter().flatten();
        for ((_, at), (others, few)) in listed.zip(self.others.iter().zip(&self.few)) {
            corrections.as_flattened_mut()[*at as usize] = others + few;
        }
        corrections
    }
}
