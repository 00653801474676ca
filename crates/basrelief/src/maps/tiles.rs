//! Mapping rows tile by tile.

use crate::data::DenseMatrix;
use crate::error::{DataError, Error, Result};
use crate::parallel;
use crate::run::Run;

/// Rows per tile. The last tile is padded with zeros to this number of rows, because the bits of a
/// product may depend on its shape, and a row must have the same coordinates alone and in any
/// table.
const ROWS_PER_TILE: usize = 32;

/// Computes the coordinates of rows tile by tile on all threads. `map` writes the coordinates of a
/// tile and may change the values of the tile. Every tile polls the cancel flag. `center` contains
/// the names of the columns and the values subtracted from them.
///
/// # Errors
/// Coordinates that overflow, with the row and the column; [`Error::Cancelled`].
pub(super) fn map_in_tiles(
    rows: &DenseMatrix,
    components: usize,
    center: (&[String], &[f64]),
    run: &Run,
    map: impl Fn(&mut DenseMatrix, &mut [f64]) + Sync,
) -> Result<DenseMatrix> {
    let mut mapped = DenseMatrix::zeros(rows.rows(), components);
    if components == 0 {
        return Ok(mapped);
    }
    let width = rows.columns();
    run.install(|| {
        let tiles = mapped.values_mut().chunks_mut(ROWS_PER_TILE * components).enumerate();
        parallel::try_for_each(tiles, |(tile, out)| {
            run.check()?;
            let start = tile * ROWS_PER_TILE;
            let end = start + out.len() / components;
            let mut own = DenseMatrix::zeros(ROWS_PER_TILE, width);
            let known = &rows.values()[start * width..end * width];
            own.values_mut()[..known.len()].copy_from_slice(known);
            let mut found = vec![0.0; ROWS_PER_TILE * components];
            map(&mut own, &mut found);
            out.copy_from_slice(&found[..out.len()]);
            Ok(())
        })
    })?;
    match mapped.values().iter().position(|value| !value.is_finite()) {
        None => Ok(mapped),
        Some(place) => {
            let row = place / components;
            Err(overflow(row, rows.row(row), center))
        }
    }
}

/// The error for a row whose coordinates overflow; it names the value that is farthest from the
/// center.
fn overflow(row: usize, values: &[f64], (names, shift): (&[String], &[f64])) -> Error {
    let error = DataError::new(
        "the coordinates of the row overflow",
        "correct the value, or leave the row out",
    )
    .at_row(row as u64 + 1);
    let sizes = values.iter().zip(shift).map(|(value, shift)| (value - shift).abs()).enumerate();
    match sizes.max_by(|(_, one), (_, other)| one.total_cmp(other)) {
        None => error.into(),
        Some((column, _)) => {
            error.in_column(&names[column]).with_value(&format!("{:e}", values[column])).into()
        }
    }
}
