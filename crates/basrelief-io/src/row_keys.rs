//! Keys that tell which rows of a column are equal. Only these are read from a column that is excluded from the
//! features.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use basrelief::data::{CompactNumbers, RawValues, is_missing_text};

/// A number per distinct cell, in the order of first occurrence. Cells are compared by a 64-bit hash of their bytes.
#[derive(Debug, Default)]
pub(crate) struct RowKeys {
    index: HashMap<u64, u32>,
    keys: CompactNumbers,
}

impl RowKeys {
    /// Adds a cell, which may contain any bytes.
    pub(crate) fn push(&mut self, cell: &[u8]) {
        if std::str::from_utf8(cell).is_ok_and(is_missing_text) {
            return self.push_missing();
        }
        let mut hasher = DefaultHasher::new();
        cell.hash(&mut hasher);
        let next = self.index.len() as u32;
        self.keys.push(f64::from(*self.index.entry(hasher.finish()).or_insert(next)));
    }

    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) {
        self.keys.push(f64::NAN);
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.bytes() + 16 * self.index.capacity()
    }

    /// Returns the numbers as values of a column.
    pub(crate) fn finish(self) -> RawValues {
        RawValues::Numbers(self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_have_equal_keys() {
        let mut keys = RowKeys::default();
        for cell in [&b"P7"[..], b"P8", b"", b"P7", b"\xff\xfe", b"NA", b"\xff\xfe"] {
            keys.push(cell);
        }
        let RawValues::Numbers(found) = keys.finish() else { panic!("numbers") };
        let found: Vec<f64> = found.iter().collect();
        assert!(found[2].is_nan() && found[5].is_nan());
        assert_eq!([found[0], found[1], found[3], found[4], found[6]], [0.0, 1.0, 0.0, 2.0, 2.0]);
    }
}
