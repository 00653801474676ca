//! Genotypes, and categorical values with few levels, as bits: 64 columns of a row are one word per
//! plane.

use crate::data::{MISSING_CODE, Values};
use crate::differences::{BitCode, MOST_PLANES, Space};

/// Columns of codes that are below 16 or missing, in reused memory.
#[derive(Default)]
pub(crate) struct BitColumns {
    codes: Vec<Vec<u8>>,
}

impl BitColumns {
    /// Returns the codes of some features; missing values have the missing code of `code`.
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

/// Packs up to 64 columns of codes into planes. A plane has one word per row, with the table's rows
/// in the given order, and is padded with zeros to `rows` words.
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
    // Reordering words is cheaper than reordering their 64 codes one by one.
    let mut packed = vec![0; planes * rows];
    for (packed, plane) in
        packed.chunks_exact_mut(rows.max(1)).zip(of_table.chunks_exact(all_rows.max(1)))
    {
        packed.iter_mut().zip(order).for_each(|(word, &row)| *word = plane[row as usize]);
    }
    packed
}

/// Copies up to 64 rows of some columns, starting at row `first`.
pub(crate) fn copy_square(columns: &[&[u8]], first: usize, out: &mut [[u8; 64]]) {
    for (out, column) in out.iter_mut().zip(columns) {
        let rows = &column[first..];
        match rows.first_chunk() {
            // The compiler knows the length of this copy, so it calls no function.
            Some(rows) => *out = *rows,
            None => out[..rows.len()].copy_from_slice(rows),
        }
    }
}
