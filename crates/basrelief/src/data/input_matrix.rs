//! A matrix of numbers in memory, read in one pass in row-major or column-major order.

use std::ops::Range;

use basrelief_kernels::Reaching;

use super::column::extent_of_genotypes;
use super::compact::{
    CompactNumbers, are_genotypes, exact_code, genotype_code, have_all_genotypes,
};
use super::extent::Extents;
use super::genotype_blocks::{GROUP, GenotypeBlock, ROWS_OF_BLOCK};
use super::{
    Column, ColumnKind, Contiguous, DiskColumn, Extent, Names, Numbers, Piece, RawColumn,
    RawValues, Strided, write_columns,
};
use crate::error::{Error, Result};
use crate::memory::{MemoryUse, PossiblyMapped};
use crate::parallel;
use crate::run::Run;
use sealed::Kept;

/// The element type of a matrix: numbers in single or double precision, or whole numbers of one byte.
pub trait MatrixElement: Reaching + Send + Sync + sealed::MatrixElement {}

impl MatrixElement for f64 {}
impl MatrixElement for f32 {}
impl MatrixElement for u8 {}
impl MatrixElement for i8 {}

mod sealed {
    use basrelief_kernels::{Plain, genotype_codes, level};

    use super::super::genotype_blocks::encode;
    use super::{Contiguous, GROUP, Numbers, Strided};

    pub trait MatrixElement: Sized {
        /// The type of the elements of an owned column.
        type Kept: Kept + From<Self>;

        /// Creates a column that is a view.
        fn view(values: Strided<'_, Self>) -> Numbers<'_>;

        /// Converts a line of numbers to genotype codes. If a number is not a genotype, its entry in
        /// `others` becomes nonzero and its code has no meaning.
        fn encode(line: &[Self], codes: &mut [u8; GROUP], others: &mut [u64; GROUP]);
    }

    pub trait Kept: Plain + Default + Into<f64> {
        /// Creates an owned column.
        fn numbers(values: Contiguous<'static, Self>) -> Numbers<'static>;
    }

    impl Kept for f64 {
        fn numbers(values: Contiguous<'static, Self>) -> Numbers<'static> {
            Numbers::Contiguous(values)
        }
    }

    impl Kept for f32 {
        fn numbers(values: Contiguous<'static, Self>) -> Numbers<'static> {
            Numbers::Single(values)
        }
    }

    impl MatrixElement for f64 {
        type Kept = f64;

        fn view(values: Strided<'_, Self>) -> Numbers<'_> {
            Numbers::Strided(values)
        }

        fn encode(line: &[Self], codes: &mut [u8; GROUP], others: &mut [u64; GROUP]) {
            genotype_codes(level(), line, codes, others);
        }
    }

    macro_rules! entry {
        ($number:ty, $kept:ty, $view:path, $code_of:expr) => {
            impl MatrixElement for $number {
                type Kept = $kept;

                fn view(values: Strided<'_, Self>) -> Numbers<'_> {
                    $view(values)
                }

                fn encode(line: &[Self], codes: &mut [u8; GROUP], others: &mut [u64; GROUP]) {
                    encode(line, codes, others, $code_of);
                }
            }
        };
    }
    entry!(f32, f32, Numbers::StridedSingle, code_of_single);
    entry!(u8, f64, Numbers::StridedBytes, |value| (value, value > 2));
    entry!(i8, f64, Numbers::StridedSignedBytes, |value| {
        (value as u8, !(0..=2).contains(&value))
    });

    /// The code of a number, and whether it is not a genotype. There is no branch, so that the compiler
    /// can vectorize it.
    #[inline(always)]
    fn code_of_single(value: f32) -> (u8, bool) {
        let known = (value == 0.0) | (value == 1.0) | (value == 2.0);
        // Bits 29 and 30 are 0, 1 and 2 for the numbers 0, 1 and 2, and 3 for NaN.
        ((value.to_bits() >> 29) as u8 & 3, !(known | value.is_nan()))
    }
}

/// A contiguous matrix of numbers in row-major or column-major order; NaN is missing.
#[derive(Debug, Clone, Copy)]
pub struct InputMatrix<'a, T> {
    values: &'a [T],
    rows: usize,
    width: usize,
    by_rows: bool,
}

impl<'a, T: MatrixElement> InputMatrix<'a, T> {
    /// Creates a matrix in row-major order if `by_rows` is set, otherwise in column-major order.
    ///
    /// # Errors
    /// `values` does not contain `rows * width` numbers.
    pub fn new(values: &'a [T], rows: usize, width: usize, by_rows: bool) -> Result<Self> {
        if rows.checked_mul(width) != Some(values.len()) {
            return Err(Error::data(
                format!("{} numbers do not make {rows} rows of {width}", values.len()),
                "give rows x columns numbers",
            ));
        }
        Ok(Self { values, rows, width, by_rows })
    }

    /// Converts the columns to features, each of the specified kind or, without one, of the inferred kind,
    /// like [`RawColumn::into_feature`]. Numeric columns are views of the matrix. Genotypes need one byte
    /// each, and categories four. If the matrix is larger than the memory limit of the run, and is
    /// row-major or contains bytes, the columns are stored in a file.
    ///
    /// # Errors
    /// The number of names or kinds differs from the number of columns; a value is infinite or does not
    /// match the specified kind (the message names column, row and value); [`Error::Cancelled`].
    pub fn columns(
        &self,
        names: &Names,
        kinds: &[Option<ColumnKind>],
        run: &Run,
    ) -> Result<Vec<Column<'a>>> {
        if names.len() != self.width || kinds.len() != self.width {
            return Err(Error::Internal(format!(
                "{} names and {} kinds for {} columns",
                names.len(),
                kinds.len(),
                self.width
            )));
        }
        // A row-major matrix that fits in memory is read in place, even if it is mapped from a file.
        let bytes = size_of_val(self.values) as u64;
        if (self.by_rows || size_of::<T>() == 1) && !run.memory().allows(bytes) {
            return self.spilled(names, kinds, run);
        }
        // Memory for the codes of columns that turn out to have another kind is never touched.
        let encodes = kinds.iter().any(|&kind| kind != Some(ColumnKind::Numeric));
        let numeric = (0..self.width).filter(|&column| self.looks_numeric(column, kinds[column]));
        let used =
            if 2 * numeric.count() < self.width { MemoryUse::Whole } else { MemoryUse::Parts };
        let mut coded =
            PossiblyMapped::in_memory(if encodes { self.values.len() } else { 0 }, used);
        let mut codes = coded.chunks_exact_mut(self.rows.max(1));
        let mut scans: Vec<Scan<'_>> =
            kinds.iter().map(|&kind| Scan::new(kind, codes.next())).collect();
        run.install(|| {
            parallel::try_for_each(scans.chunks_mut(GROUP).enumerate(), |(group, scans)| {
                run.check()?;
                if self.by_rows {
                    self.scan_rows(group * GROUP, scans);
                } else {
                    self.scan_columns(group * GROUP, scans);
                }
                Ok(())
            })
        })?;
        let seen: Vec<Seen> = scans.into_iter().map(|scan| scan.seen).collect();
        let mut codes = Contiguous::parts_of(coded, self.rows).into_iter();
        let scanned = seen.into_iter().map(|seen| (seen, codes.next()));
        let columns = run.install(|| {
            parallel::map(scanned.enumerate(), |(index, (seen, codes))| {
                let own = (names.get(index), kinds[index]);
                Ok(self.feature(index, seen, codes, own)?.with_name_of(names, index))
            })
        });
        // The error is that of the first invalid column.
        columns.into_iter().collect()
    }

    /// The columns of a matrix that does not fit in memory, stored contiguously in a file.
    fn spilled(
        &self,
        names: &Names,
        kinds: &[Option<ColumnKind>],
        run: &Run,
    ) -> Result<Vec<Column<'a>>> {
        let mut copy = Vec::new();
        let pieces = |columns: Range<usize>, take: &mut dyn FnMut(Piece<'_, T>) -> Result<()>| {
            if !self.by_rows {
                return columns.into_iter().try_for_each(|column| {
                    let values = &self.values[column * self.rows..][..self.rows];
                    take(Piece { row: 0, column, width: 1, values })
                });
            }
            let (column, width) = (columns.start, columns.len());
            for row in (0..self.rows).step_by(ROWS_OF_BLOCK) {
                let rows = row..self.rows.min(row + ROWS_OF_BLOCK);
                copy.clear();
                for row in rows {
                    copy.extend_from_slice(&self.values[row * self.width..][columns.clone()]);
                }
                take(Piece { row, column, width, values: &copy })?;
            }
            Ok(())
        };
        let code = |value: T| exact_code(value.into());
        let columns = write_columns((self.rows, self.width), pieces, code, T::Kept::from, run)?;
        let all = columns.into_iter().zip(kinds).enumerate();
        all.map(|(index, (column, kind))| {
            let column = spilled_feature(column, names.get(index), *kind)?;
            Ok(column.with_name_of(names, index))
        })
        .collect()
    }

    /// Whether a column is declared numeric, or its first few values suggest that it is.
    fn looks_numeric(&self, column: usize, stated: Option<ColumnKind>) -> bool {
        const LOOKED_AT: usize = 8;
        let (row, place) = if self.by_rows { (self.width, 1) } else { (1, self.rows) };
        let mut first =
            (0..self.rows.min(LOOKED_AT)).map(|k| self.values[k * row + column * place]);
        match stated {
            Some(kind) => kind == ColumnKind::Numeric,
            None => first.any(|value| genotype_code(value.into()).is_none()),
        }
    }

    /// A view of a column.
    fn view(&self, index: usize) -> Numbers<'a> {
        let (start, stride) =
            if self.by_rows { (index, self.width) } else { (index * self.rows, 1) };
        T::view(Strided { data: self.values, start, stride, len: self.rows })
    }

    /// Scans the columns from `start` on, one block of rows at a time.
    fn scan_rows(&self, start: usize, scans: &mut [Scan<'_>]) {
        let width = scans.len();
        let mut block = GenotypeBlock::new();
        let mut extents = Extents::<GROUP>::default();
        for first in (0..self.rows).step_by(ROWS_OF_BLOCK) {
            let last = self.rows.min(first + ROWS_OF_BLOCK);
            let lines = (first..last).map(|row| &self.values[row * self.width + start..][..width]);
            if scans.iter().any(|scan| scan.seen.all_coded) {
                block.fill(lines, T::encode);
                for (column, scan) in scans.iter_mut().enumerate() {
                    let (codes, all_coded) = block.column(column);
                    scan.add(all_coded, first, &codes[..last - first]);
                }
            }
            if scans.iter().any(|scan| !scan.seen.all_coded) {
                let values = &self.values[first * self.width + start..];
                let values = &values[..(last - first - 1) * self.width + width];
                extents.add(values, self.width, width);
            }
        }
        for (column, scan) in scans.iter_mut().enumerate() {
            scan.seen.extent = scan.seen.extent.merged(extents.get(column));
        }
    }

    /// Scans the columns from `start` on, one after the other.
    fn scan_columns(&self, start: usize, scans: &mut [Scan<'_>]) {
        let mut codes = [0_u8; GROUP];
        for (column, scan) in (start..).zip(scans) {
            let values = &self.values[column * self.rows..][..self.rows];
            for (first, block) in (0..).step_by(GROUP).zip(values.chunks(GROUP)) {
                if scan.seen.all_coded {
                    let mut others = [0; GROUP];
                    T::encode(block, &mut codes, &mut others);
                    let all = others.iter().all(|&other| other == 0);
                    scan.add(all, first, &codes[..block.len()]);
                }
                if !scan.seen.all_coded {
                    scan.seen.extent = scan.seen.extent.merged(Extent::new(block));
                }
            }
        }
    }

    /// Creates the column from the results of its scan.
    fn feature(
        &self,
        index: usize,
        seen: Seen,
        codes: Option<Contiguous<'static, u8>>,
        (name, stated): (&str, Option<ColumnKind>),
    ) -> Result<Column<'a>> {
        if seen.extent.is_infinite() {
            // Numbers that become categories must be finite, too. This call returns the error.
            return Column::numeric(name, self.view(index));
        }
        let codes = codes.filter(|_| seen.all_coded);
        let (kind, values) = match (stated, codes) {
            (Some(kind), Some(codes)) => (kind, CompactNumbers::from_codes(codes)),
            (None, Some(codes)) if have_all_genotypes(&codes) => {
                (ColumnKind::Genotype, CompactNumbers::from_codes(codes))
            }
            (None | Some(ColumnKind::Numeric), codes) => {
                let of_codes =
                    codes.map_or_else(Extent::default, |codes| extent_of_genotypes(&codes));
                let extent = seen.extent.merged(of_codes);
                return Ok(Column::numeric_within(name, self.view(index), extent));
            }
            (Some(kind), None) => {
                let mut values = Vec::with_capacity(self.rows);
                self.view(index).append_to(&mut values);
                (kind, values.into())
            }
        };
        let values = RawValues::Numbers(values);
        RawColumn::new(name, values, None).into_feature(Some(kind))
    }
}

fn spilled_feature<K: Kept>(
    column: DiskColumn<K>,
    name: &str,
    stated: Option<ColumnKind>,
) -> Result<Column<'static>> {
    let values = match column {
        DiskColumn::Codes(codes) => CompactNumbers::from_codes(codes),
        DiskColumn::Numbers(values) => {
            let numbers = || values.iter().map(|&value| value.into());
            let numeric = match stated {
                None => !are_genotypes(numbers()),
                // Column::numeric reports an infinite number for all kinds.
                Some(kind) => kind == ColumnKind::Numeric || numbers().any(f64::is_infinite),
            };
            if numeric {
                return Column::numeric(name, Kept::numbers(values));
            }
            values.iter().map(|&value| value.into()).collect()
        }
    };
    let values = RawValues::Numbers(values);
    RawColumn::new(name, values, None).into_feature(stated)
}

impl<'a> Column<'a> {
    /// Converts contiguous numbers to a feature of the specified kind or, without one, of the inferred
    /// kind. This is [`InputMatrix::columns`] for one column.
    ///
    /// # Errors
    /// The errors of [`InputMatrix::columns`].
    pub fn from_slice<T: MatrixElement>(
        name: &str,
        values: &'a [T],
        stated: Option<ColumnKind>,
    ) -> Result<Self> {
        let matrix = InputMatrix { values, rows: values.len(), width: 1, by_rows: false };
        let encodes = stated != Some(ColumnKind::Numeric);
        let mut codes =
            PossiblyMapped::in_memory(if encodes { values.len() } else { 0 }, MemoryUse::Parts);
        let mut scans = [Scan::new(stated, Some(&mut *codes))];
        matrix.scan_columns(0, &mut scans);
        let [Scan { seen, .. }] = scans;
        let codes = Contiguous::parts_of(codes, values.len()).pop();
        matrix.feature(0, seen, codes, (name, stated))
    }
}

/// The scan of a column.
struct Scan<'p> {
    seen: Seen,
    /// The destination of the codes, which are valid if all values are genotypes.
    codes: &'p mut [u8],
}

impl<'p> Scan<'p> {
    fn new(stated: Option<ColumnKind>, codes: Option<&'p mut [u8]>) -> Self {
        let all_coded = stated != Some(ColumnKind::Numeric);
        let seen = Seen { all_coded, extent: Extent::default() };
        Self { seen, codes: codes.unwrap_or_default() }
    }

    /// Adds the codes of a block that begins at row `first`. `valid` means that all its values have a code.
    fn add(&mut self, valid: bool, first: usize, block: &[u8]) {
        if !valid {
            self.drop_codes(first);
        } else if self.seen.all_coded {
            let place = &mut self.codes[first..][..block.len()];
            // Most blocks have a constant length, for which the copy is inlined.
            match (
                <&mut [u8; ROWS_OF_BLOCK]>::try_from(&mut *place),
                <&[u8; ROWS_OF_BLOCK]>::try_from(block),
            ) {
                (Ok(place), Ok(block)) => *place = *block,
                _ => place.copy_from_slice(block),
            }
        }
    }

    /// Discards the codes of the first `rows` rows, but retains their extent.
    fn drop_codes(&mut self, rows: usize) {
        if self.seen.all_coded {
            self.seen.all_coded = false;
            self.seen.extent = self.seen.extent.merged(extent_of_genotypes(&self.codes[..rows]));
        }
    }
}

/// The results of the scan of a column.
struct Seen {
    /// Whether codes are needed and all values so far are genotypes with codes.
    all_coded: bool,
    /// The extent of the values without codes, and possibly of some with codes.
    extent: Extent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Values;
    use crate::memory::Memory;
    use proptest::prelude::*;

    type Kinds = Vec<Option<ColumnKind>>;

    /// Columns with values of one type each (genotypes, some of their codes, or any numbers), and
    /// their specified kinds.
    fn tables() -> impl Strategy<Value = (usize, Vec<Vec<f64>>, Kinds)> {
        let pools = prop::sample::select(vec![
            &[0.0, 1.0, 2.0, f64::NAN][..],
            &[0.0, -0.0, 1.0, 2.0][..],
            &[0.0, 1.0][..],
            &[0.0, 1.0, 2.0, 3.0][..],
            &[f64::NAN][..],
            &[0.5, -2.25, 1e30, f64::NAN, 7.0][..],
        ]);
        let kinds = prop::sample::select(vec![
            None,
            None,
            Some(ColumnKind::Numeric),
            Some(ColumnKind::Categorical),
            Some(ColumnKind::Genotype),
        ]);
        // More rows than a block has, and more columns than a group.
        let shape = prop_oneof![
            (1..5_usize, 1..5_usize),
            (1..200_usize, 1..9_usize),
            (1..4_usize, 1..300_usize)
        ];
        let kinds = prop_oneof![3 => Just(None).boxed(), 1 => kinds.boxed()];
        shape.prop_flat_map(move |(rows, width)| {
            let column = pools
                .clone()
                .prop_flat_map(move |pool| prop::collection::vec(prop::sample::select(pool), rows));
            let infinite = prop::option::weighted(0.2, (0..width, 0..rows, any::<bool>()));
            let columns = prop::collection::vec(column, width);
            (columns, infinite, prop::collection::vec(kinds.clone(), width)).prop_map(
                move |(mut columns, infinite, kinds)| {
                    if let Some((column, row, negative)) = infinite {
                        columns[column][row] =
                            if negative { f64::NEG_INFINITY } else { f64::INFINITY };
                    }
                    (rows, columns, kinds)
                },
            )
        })
    }

    /// Converts the columns one by one, from a copy of their numbers.
    fn plain(
        columns: &[Vec<f64>],
        names: &[String],
        kinds: &Kinds,
    ) -> Result<Vec<Column<'static>>> {
        (0..columns.len())
            .map(|index| {
                let values = columns[index].clone();
                Column::from_values(&names[index], values.clone())?;
                let values = RawValues::Numbers(values.into());
                let raw = RawColumn::new(&names[index], values, None);
                raw.into_feature(kinds[index])
            })
            .collect()
    }

    fn describe(columns: Result<Vec<Column<'_>>>) -> Vec<String> {
        let columns = match columns {
            Ok(columns) => columns,
            Err(error) => return vec![error.to_string()],
        };
        let describe = |column: Column<'_>| match column.values() {
            Values::Numeric(values) => {
                let values: Vec<f64> = (0..values.len()).map(|row| values.get(row)).collect();
                // 0 and -0 are the same extent.
                let extent = column.extent().map(|e| (e.least + 0.0, e.greatest + 0.0, e.complete));
                format!("{} {values:?} {extent:?}", column.name())
            }
            values => format!("{} {values:?}", column.name()),
        };
        columns.into_iter().map(describe).collect()
    }

    fn check<T: MatrixElement>(
        (rows, columns, kinds): &(usize, Vec<Vec<f64>>, Kinds),
        convert: impl Fn(f64) -> T,
    ) {
        let (rows, width) = (*rows, columns.len());
        let names: Vec<String> = (1..=width).map(|number| format!("x{number}")).collect();
        let rounded: Vec<Vec<f64>> = columns
            .iter()
            .map(|values| values.iter().map(|&v| convert(v).into()).collect())
            .collect();
        let expected = describe(plain(&rounded, &names, kinds));
        let run = Run::new(Some(2)).unwrap();
        let by_rows: Vec<T> =
            (0..rows * width).map(|at| convert(columns[at % width][at / width])).collect();
        let by_columns: Vec<T> = columns.iter().flatten().map(|&value| convert(value)).collect();
        for (values, lie_by_rows) in [(&by_rows, true), (&by_columns, false)] {
            let matrix = InputMatrix::new(values, rows, width, lie_by_rows).unwrap();
            assert_eq!(describe(matrix.columns(&Names::from_iter(&names), kinds, &run)), expected);
        }
        // With no memory, with little, and with just enough.
        for bytes in [0, 1 << 12, size_of_val(&by_rows[..]) as u64] {
            let run = Run::new(Some(2)).unwrap();
            let run = run.with_memory(Memory::new(bytes, std::env::temp_dir()));
            for (values, lie_by_rows) in [(&by_rows, true), (&by_columns, false)] {
                let matrix = InputMatrix::new(values, rows, width, lie_by_rows).unwrap();
                assert_eq!(
                    describe(matrix.columns(&Names::from_iter(&names), kinds, &run)),
                    expected
                );
            }
        }
        let slices = (0..width).map(|index| {
            Column::from_slice(&names[index], &by_columns[index * rows..][..rows], kinds[index])
        });
        assert_eq!(describe(slices.collect()), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn columns_are_those_of_the_plain_path(table in tables()) {
            check(&table, |value| value);
            check(&table, |value| value as f32);
            // Bytes that are not genotypes: 3 and above, and negative ones.
            check(&table, |value| if value.is_nan() { 0 } else { value as u8 });
            check(&table, |value| if value == 7.0 { -1 } else { value as i8 });
        }
    }

    #[test]
    fn the_shape_must_fit() {
        let values = [0.0; 6];
        assert!(InputMatrix::new(&values, 2, 3, true).is_ok());
        let message = InputMatrix::new(&values, 2, 4, true).unwrap_err().to_string();
        assert!(message.contains("6 numbers do not make 2 rows of 4"), "{message}");
        assert!(InputMatrix::new(&values, usize::MAX, 2, true).is_err());
    }
}
