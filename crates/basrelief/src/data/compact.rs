//! Compact storage of numbers: one byte each as long as all are 0, 1, 2 or missing, like genotypes.

use super::disk_columns::{DiskColumn, Piece};
use super::genotype_blocks::GROUP;
use super::genotypes::genotype_value;
use super::{Contiguous, Genotypes, MISSING_GENOTYPE, Numbers, PackedGenotypes, SparseColumn};

/// Numbers in row order; NaN is missing. They are stored in one byte each until a number is neither 0,
/// 1, 2 nor missing, and in eight bytes from then on.
///
/// The numbers are preserved to the bit: -0.0 is not stored as 0.
#[derive(Debug, Clone)]
pub struct CompactNumbers {
    held: Held,
}

#[derive(Debug, Clone)]
enum Held {
    /// 0, 1, 2 or [`MISSING_GENOTYPE`].
    Codes(Contiguous<'static, u8>),
    /// Genotype codes of two bits each, as in some files.
    Packed(PackedGenotypes),
    Doubles(Contiguous<'static, f64>),
    /// A column of a sparse matrix.
    Sparse(SparseColumn),
}

impl CompactNumbers {
    /// Creates an empty list with room for `count` numbers. `count` is 0 if their number is unknown.
    pub fn with_capacity(count: usize) -> Self {
        Self { held: Held::Codes(Vec::with_capacity(count).into()) }
    }

    /// Creates `count` missing values.
    pub fn missing(count: usize) -> Self {
        Self { held: Held::Codes(vec![MISSING_GENOTYPE; count].into()) }
    }

    /// Creates the list from codes 0, 1, 2 and [`MISSING_GENOTYPE`]. The caller guarantees that all codes are valid.
    pub(super) fn from_codes(codes: impl Into<Contiguous<'static, u8>>) -> Self {
        Self { held: Held::Codes(codes.into()) }
    }

    /// Appends the numbers of a piece to its columns, which must end before the first row of the piece.
    /// `convert` converts a value to a number, and `code` returns its code, see [`exact_code`]. `columns`
    /// contains all columns of the matrix.
    ///
    /// # Panics
    /// The piece has columns that do not exist.
    pub fn extend_all<T: Copy>(
        columns: &mut [Self],
        piece: &Piece<'_, T>,
        code: impl Fn(T) -> Option<u8>,
        convert: impl Fn(T) -> f64,
    ) {
        let are_codes = |column: &Self| matches!(column.held, Held::Codes(_));
        let columns = &mut columns[piece.column..][..piece.width];
        for (first, columns) in (0..).step_by(GROUP).zip(columns.chunks_mut(GROUP)) {
            let numbers = |column: usize, rows| piece.column(first + column, rows).map(&convert);
            if !piece.is_wide() || !columns.iter().any(are_codes) {
                for (index, column) in columns.iter_mut().enumerate() {
                    column.extend(numbers(index, 0..piece.rows()));
                }
                continue;
            }
            piece.each_block(first..first + columns.len(), &code, |rows, block| {
                for (index, column) in columns.iter_mut().enumerate() {
                    match (&mut column.held, block.column(index)) {
                        (Held::Codes(held), (codes, true)) => {
                            held.to_mut().extend_from_slice(&codes[..rows.len()]);
                        }
                        _ => column.extend(numbers(index, rows.clone())),
                    }
                }
            });
        }
    }

    /// Appends a number.
    #[inline]
    pub fn push(&mut self, value: f64) {
        match &mut self.held {
            Held::Doubles(values) => values.to_mut().push(value),
            Held::Codes(codes) => match exact_code(value) {
                Some(code) => codes.to_mut().push(code),
                None => self.widen(value),
            },
            Held::Packed(_) | Held::Sparse(_) => self.extend([value]),
        }
    }

    /// Converts the storage from two bits to one byte each, or from sparse to eight bytes each.
    fn unpack(&mut self) {
        match &self.held {
            Held::Packed(packed) => self.held = Held::Codes(packed.to_vec().into()),
            Held::Sparse(values) => self.held = Held::Doubles(values.to_vec().into()),
            Held::Codes(_) | Held::Doubles(_) => {}
        }
    }

    /// Converts the storage to eight bytes each, and appends the first number that needs them.
    #[cold]
    fn widen(&mut self, value: f64) {
        if let Held::Codes(codes) = &mut self.held {
            let mut values = Vec::with_capacity(codes.to_mut().capacity().max(codes.len() + 1));
            values.extend(codes.iter().map(|&code| genotype_value(code)));
            values.push(value);
            self.held = Held::Doubles(values.into());
        }
    }

    /// The number of bytes that the values occupy.
    pub fn bytes(&self) -> usize {
        match &self.held {
            Held::Codes(codes) => codes.len(),
            Held::Packed(packed) => PackedGenotypes::bytes_of(packed.len()),
            Held::Doubles(values) => 8 * values.len(),
            Held::Sparse(values) => 12 * values.stored(),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.held {
            Held::Codes(codes) => codes.len(),
            Held::Packed(packed) => packed.len(),
            Held::Doubles(values) => values.len(),
            Held::Sparse(values) => values.len(),
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `row`; NaN is missing.
    ///
    /// # Panics
    /// `row >= len()`.
    pub fn get(&self, row: usize) -> f64 {
        match &self.held {
            Held::Codes(codes) => genotype_value(codes[row]),
            Held::Packed(packed) => genotype_value(packed.get(row)),
            Held::Doubles(values) => values[row],
            Held::Sparse(values) => values.get(row),
        }
    }

    /// The values in row order.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The codes 0, 1, 2 and [`MISSING_GENOTYPE`] of the values, if they are stored in one byte each.
    pub(super) fn codes(&self) -> Option<&[u8]> {
        match &self.held {
            Held::Codes(codes) => Some(codes),
            Held::Packed(_) | Held::Doubles(_) | Held::Sparse(_) => None,
        }
    }

    /// The row of the first infinite value.
    pub fn first_infinite(&self) -> Option<usize> {
        match &self.held {
            Held::Codes(_) | Held::Packed(_) => None,
            Held::Doubles(values) => values.iter().position(|value| value.is_infinite()),
            Held::Sparse(_) => self.iter().position(f64::is_infinite),
        }
    }

    /// Converts the values to those of a numeric column.
    pub fn into_numbers(self) -> Numbers<'static> {
        match self.held {
            Held::Codes(codes) => Numbers::Codes(codes),
            Held::Packed(packed) => Numbers::Codes(packed.to_vec().into()),
            Held::Doubles(values) => Numbers::Contiguous(values),
            Held::Sparse(values) => Numbers::Sparse(values),
        }
    }

    /// Whether the set of known values is exactly 0, 1 and 2.
    pub(super) fn are_genotypes(&self) -> bool {
        match &self.held {
            Held::Codes(codes) => have_all_genotypes(codes),
            Held::Packed(packed) => {
                packed.counts()[..MISSING_GENOTYPE.into()].iter().all(|&count| count > 0)
            }
            Held::Doubles(values) => are_genotypes(values.iter().copied()),
            // Sparse columns are numeric unless another kind is stated.
            Held::Sparse(_) => false,
        }
    }

    /// Converts the values to genotypes.
    ///
    /// # Errors
    /// The first row whose value is not a genotype, and that value.
    pub(super) fn into_genotypes(self) -> Result<Genotypes<'static>, (usize, f64)> {
        match self.held {
            Held::Codes(codes) => Ok(codes.into()),
            Held::Packed(packed) => Ok(packed.into()),
            Held::Doubles(values) => genotypes_of(&values),
            Held::Sparse(values) => genotypes_of(&values.to_vec()),
        }
    }
}

impl Extend<f64> for CompactNumbers {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        let mut values = values.into_iter();
        self.unpack();
        if let Held::Codes(codes) = &mut self.held {
            let codes = codes.to_mut();
            let other = values.by_ref().find(|&value| match exact_code(value) {
                Some(code) => {
                    codes.push(code);
                    false
                }
                None => true,
            });
            if let Some(other) = other {
                self.widen(other);
            }
        }
        if let Held::Doubles(held) = &mut self.held {
            held.to_mut().extend(values);
        }
    }
}

impl From<DiskColumn<f64>> for CompactNumbers {
    fn from(column: DiskColumn<f64>) -> Self {
        match column {
            DiskColumn::Codes(codes) => Self::from_codes(codes),
            DiskColumn::Numbers(numbers) => numbers.into(),
        }
    }
}

impl Default for CompactNumbers {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl From<PackedGenotypes> for CompactNumbers {
    fn from(packed: PackedGenotypes) -> Self {
        Self { held: Held::Packed(packed) }
    }
}

impl From<SparseColumn> for CompactNumbers {
    fn from(values: SparseColumn) -> Self {
        Self { held: Held::Sparse(values) }
    }
}

impl From<Vec<f64>> for CompactNumbers {
    fn from(values: Vec<f64>) -> Self {
        Contiguous::from(values).into()
    }
}

impl From<Contiguous<'static, f64>> for CompactNumbers {
    fn from(values: Contiguous<'static, f64>) -> Self {
        Self { held: Held::Doubles(values) }
    }
}

impl FromIterator<f64> for CompactNumbers {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let values = values.into_iter();
        let mut all = Self::with_capacity(values.size_hint().0);
        all.extend(values);
        all
    }
}

/// Converts numbers to genotypes; the error is the first row without one, and its value.
fn genotypes_of(values: &[f64]) -> Result<Genotypes<'static>, (usize, f64)> {
    let code = |(row, &value): (usize, &f64)| genotype_code(value).ok_or((row, value));
    values.iter().enumerate().map(code).collect::<Result<Vec<u8>, _>>().map(Genotypes::from)
}

/// Whether the set of known values is exactly 0, 1 and 2.
pub(super) fn are_genotypes(mut values: impl Iterator<Item = f64>) -> bool {
    let mut seen = 0_u8;
    values.all(|value| {
        let code = genotype_code(value);
        seen |= code.map_or(0, |code| 1 << code);
        code.is_some()
    }) && seen & 0b111 == 0b111
}

/// Whether the codes 0, 1 and 2 all occur.
pub(super) fn have_all_genotypes(codes: &[u8]) -> bool {
    [0, 1, 2].iter().all(|code| codes.contains(code))
}

/// The code of a genotype: the number of copies of an allele, [`MISSING_GENOTYPE`] for NaN, or `None`
/// for a number that is not a genotype.
#[inline]
pub(super) fn genotype_code(value: f64) -> Option<u8> {
    code_where(value, |known| known == value)
}

/// The code of a genotype in [`CompactNumbers`]: the number of copies of an allele, 3 for NaN, or
/// `None` for a number that is not a genotype, which includes -0.0.
#[inline]
pub fn exact_code(value: f64) -> Option<u8> {
    code_where(value, |known| known.to_bits() == value.to_bits())
}

/// The code whose number matches `value` by the function `same`.
#[inline]
fn code_where(value: f64, same: impl Fn(f64) -> bool) -> Option<u8> {
    // Truncates to 0 to 255, without a branch between 0, 1 and 2.
    let code = value as u8;
    if code <= 2 && same(f64::from(code)) {
        Some(code)
    } else {
        value.is_nan().then_some(MISSING_GENOTYPE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lists in which at most one value does not fit into a byte.
    fn values() -> impl Strategy<Value = Vec<f64>> {
        let small = prop::sample::select(vec![0.0, 1.0, 2.0, f64::NAN]);
        let other =
            prop::sample::select(vec![-0.0, 3.0, 0.5, -1.0, f64::INFINITY, f64::MIN_POSITIVE]);
        (
            prop::collection::vec(small, 0..30),
            prop::option::of((other, any::<prop::sample::Index>())),
        )
            .prop_map(|(mut values, other)| {
                if let Some((value, place)) = other {
                    values.insert(place.index(values.len() + 1), value);
                }
                values
            })
    }

    proptest! {
        #[test]
        fn what_comes_out_is_what_went_in(values in values()) {
            let bits = |values: &[f64]| -> Vec<u64> {
                let one_nan = |value: &f64| if value.is_nan() { f64::NAN } else { *value };
                values.iter().map(|value| one_nan(value).to_bits()).collect()
            };
            let compact: CompactNumbers = values.iter().copied().collect();
            let plain = CompactNumbers::from(values.clone());
            prop_assert!(matches!(plain.held, Held::Doubles(_)));
            prop_assert_eq!(
                matches!(compact.held, Held::Codes(_)),
                values.iter().all(|value| exact_code(*value).is_some())
            );
            prop_assert_eq!(compact.len(), values.len());
            prop_assert_eq!(bits(&compact.iter().collect::<Vec<_>>()), bits(&values));
            prop_assert_eq!(compact.are_genotypes(), plain.are_genotypes());
            prop_assert_eq!(compact.first_infinite(), plain.first_infinite());
            match (compact.clone().into_genotypes(), plain.into_genotypes()) {
                (Ok(a), Ok(b)) => prop_assert_eq!(a.to_bytes(), b.to_bytes()),
                (Err(a), Err(b)) => prop_assert!(a.0 == b.0 && a.1 == b.1),
                (a, b) => prop_assert!(false, "{a:?} and {b:?}"),
            }
            let mut out = Vec::new();
            compact.into_numbers().append_to(&mut out);
            prop_assert_eq!(bits(&out), bits(&values));
        }
    }

    proptest! {
        /// Tests few and many columns, with genotypes, other numbers, and both.
        #[test]
        fn pieces_are_appended_number_by_number(
            width in prop_oneof![1..12_usize, 120..140_usize],
            rows in prop::collection::vec(1..150_usize, 1..3),
            others in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..4),
        ) {
            let all: usize = rows.iter().sum();
            let plain = |at: usize| [0.0, 1.0, 2.0, f64::NAN][(at * 7 + at / 11) % 4];
            let mut values: Vec<f64> = (0..all * width).map(plain).collect();
            for (row, column) in others {
                values[row.index(all) * width + column.index(width)] = -0.0;
            }
            let mut found: Vec<CompactNumbers> = (0..width + 1).map(|_| CompactNumbers::default()).collect();
            let mut row = 0;
            for count in rows {
                let values = &values[row * width..][..count * width];
                let piece = Piece { row, column: 1, width, values };
                CompactNumbers::extend_all(&mut found, &piece, exact_code, |value| value);
                row += count;
            }
            prop_assert!(found[0].is_empty());
            for (column, found) in found[1..].iter().enumerate() {
                let wanted: CompactNumbers = values[column..].iter().step_by(width).copied().collect();
                let is_codes = |held: &CompactNumbers| matches!(held.held, Held::Codes(_));
                prop_assert_eq!(is_codes(found), is_codes(&wanted));
                let bits = |all: &CompactNumbers| all.iter().map(f64::to_bits).collect::<Vec<_>>();
                prop_assert_eq!(bits(found), bits(&wanted));
            }
        }
    }

    proptest! {
        /// Storage in two bits each contains the same numbers as in one byte each, and more can be appended.
        #[test]
        fn packed_numbers_are_those_in_bytes(codes in prop::collection::vec(0..4_u8, 0..40), more in values()) {
            let packed = PackedGenotypes::from_codes(codes.iter().copied());
            let mut packed = CompactNumbers::from(packed);
            let mut bytes = CompactNumbers::from_codes(codes.clone());
            let bits = |all: &CompactNumbers| all.iter().map(f64::to_bits).collect::<Vec<_>>();
            prop_assert!(packed.bytes() <= bytes.bytes());
            prop_assert_eq!(packed.are_genotypes(), bytes.are_genotypes());
            prop_assert_eq!(packed.first_infinite(), None);
            let [held, wanted] = [&packed, &bytes].map(|numbers| numbers.clone().into_genotypes().unwrap());
            prop_assert_eq!(held.to_bytes(), wanted.to_bytes());
            prop_assert_eq!(packed.len(), codes.len());
            prop_assert_eq!(bits(&packed), bits(&bytes));
            for numbers in [&mut packed, &mut bytes] {
                numbers.push(1.0);
                numbers.extend(more.iter().copied());
            }
            prop_assert_eq!(bits(&packed), bits(&bytes));
        }
    }

    #[test]
    fn genotypes_are_all_three_values_and_no_other() {
        let are =
            |values: &[f64]| values.iter().copied().collect::<CompactNumbers>().are_genotypes();
        assert!(are(&[2.0, f64::NAN, 0.0, 1.0]));
        assert!(are(&[2.0, -0.0, 1.0]));
        assert!(!are(&[2.0, 1.0, 1.0]));
        assert!(!are(&[2.0, 1.0, 0.0, 1.5]));
        assert!(!are(&[]));
    }
}
