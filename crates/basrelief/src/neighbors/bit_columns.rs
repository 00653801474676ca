//! Genotypes, and categories of few values, as bits: 64 columns of a row are a word per plane.

use crate::data::{MISSING_CODE, Values};
use crate::differences::{BitCode, MOST_PLANES, Space};

/// Columns of codes below 16 and of missing values, in memory that is used again.
#[derive(Default)]
pub(crate) struct BitColumns {
    codes: Vec<Vec<u8>>,
}

impl BitColumns {
    /// The codes of some features that are coded in bits as `code` says.
    pub(crate) fn read<'b>(
        &'b mut self,
        space: &'b Space<'_>,
        code: BitCode,
        features: &[usize],
    ) -> Vec<&'b [u8]> {
        self.codes.resize_with(features.len().max(self.codes.len()), Vec::new);
        let columns = space.table().columns();
        let read = features.iter().zip(&mut self.codes).map(|(&feature, codes)| {
            match columns[feature].values() {
                Values::Genotype(genotypes) => genotypes.bytes(codes),
                Values::Categorical(categories) => {
                    codes.clear();
                    let missing = code.missing();
                    codes.extend(categories.codes().iter().map(|&code| match code {
                        MISSING_CODE => missing,
                        code => code as u8,
                    }));
                    &codes[..]
                }
                Values::Numeric(_) => &[][..],
            }
        });
        read.collect()
    }
}

/// The planes of up to 64 columns of codes, plane by plane a word per row, the table's rows in the order
/// given and up to `rows` of zeros behind them.
pub(super) fn pack_word(
    code: BitCode,
    columns: &[&[u8]],
    order: &[u32],
    rows: usize,
    planes: usize,
) -> Vec<u64> {
    let all_rows = columns.first().map_or(0, |column| column.len());
    let mut of_table = vec![0; planes * all_rows];
    let mut copies = vec![[0_u8; 64]; columns.len()];
    let found = &mut [[0; 64]; MOST_PLANES][..planes];
    for first in (0..all_rows).step_by(64) {
        let part = first..all_rows.min(first + 64);
        copy_square(columns, first, &mut copies);
        code.planes(&copies, found);
        for (plane, found) in of_table.chunks_exact_mut(all_rows).zip(&*found) {
            plane[part.clone()].copy_from_slice(&found[..part.len()]);
        }
    }
    // Words are put in order, rather than their 64 codes one by one.
    let mut packed = vec![0; planes * rows];
    for (packed, plane) in
        packed.chunks_exact_mut(rows.max(1)).zip(of_table.chunks_exact(all_rows.max(1)))
    {
        packed.iter_mut().zip(order).for_each(|(word, &row)| *word = plane[row as usize]);
    }
    packed
}

/// Copies 64 rows of some columns from the first given on, or as many as there are.
pub(crate) fn copy_square(columns: &[&[u8]], first: usize, out: &mut [[u8; 64]]) {
    for (out, column) in out.iter_mut().zip(columns) {
        let rows = &column[first..];
        match rows.first_chunk() {
            // Of a length that the compiler knows, for which no function is called.
            Some(rows) => *out = *rows,
            None => out[..rows.len()].copy_from_slice(rows),
        }
    }
}
