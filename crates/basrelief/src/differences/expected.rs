//! Missing values: tables of the differences to a missing value.
//!
//! Policy `expected`: a missing value is a draw from the known values of its row's class (of all
//! rows if the class has none), so its difference to a known value is the mean difference to them
//! (Prat & Belanche 2006, eq. 2.5, for categories; the same principle for numbers). One sort and
//! prefix sums make that a few operations per value and class. Policy `pessimistic`: the largest
//! difference that the known value allows.

use std::sync::Arc;

use basrelief_kernels::{
    FEW_CASES, NumberOrder, Rounding, count_common, level, mark_code, mean_differences,
    running_sums,
};

use super::ramp::Ramp;
use crate::data::{Genotypes, MISSING_GENOTYPE};
use crate::thresholds::{FEW_VALUES, MARKED_CLASSES};

/// Differences to the missing values of one feature.
///
/// A difference depends on the other row's value, not on the row: rows are sorted into cases (one
/// per distinct known value, and one per class for missing values), so that the tables of a column
/// with few values are small. If the number of cases would reach half the number of rows, every row
/// becomes a separate case.
#[derive(Debug)]
pub(crate) struct MissingTable<'a> {
    cases: CaseOfRows<'a>,
    /// The value of every case; NaN for the cases of missing values.
    values: Box<[f64]>,
    /// Per class (a single entry for a policy that ignores classes), its index among the classes
    /// with a missing value.
    lines: Box<[Option<u32>]>,
    /// Per class with a missing value: for every case, the difference to a missing value in a row
    /// of that class.
    differences: Box<[f64]>,
}

/// The case of every row.
#[derive(Debug)]
enum CaseOfRows<'a> {
    /// At most 256 cases: those of the known values come first, ascending, then those of missing
    /// values.
    Bytes(Box<[u8]>),
    /// As `Bytes`, for more than 256 cases.
    Words(Box<[u32]>),
    /// Genotypes: 0, 1 and 2 copies have a case each, whether or not they occur, followed by the
    /// missing values of every class. Contains the copies, and the classes of the rows.
    Copies(&'a Genotypes<'a>, Arc<[u32]>),
    /// Every row is a case, numbered as the rows are.
    Rows,
}

/// The classes on which missing values are conditioned.
#[derive(Debug)]
pub(crate) struct MissingClasses {
    of_rows: Arc<[u32]>,
    count: usize,
    /// Per class, a bit for each of its rows; empty if there are many classes, or masses.
    marks: Vec<u64>,
    /// As how many rows each row counts; `None` if all count as one.
    masses: Option<Arc<[f64]>>,
}

impl MissingClasses {
    /// From the class code of every row; codes are below `count`.
    pub(crate) fn new(of_rows: Arc<[u32]>, count: usize, masses: Option<Arc<[f64]>>) -> Self {
        let words = of_rows.len().div_ceil(64);
        let mut marks = Vec::new();
        if count <= MARKED_CLASSES && masses.is_none() {
            marks.resize(words * count, 0);
            for (row, &class) in of_rows.iter().enumerate() {
                marks[class as usize * words + row / 64] |= 1 << (row % 64);
            }
        }
        Self { of_rows, count, marks, masses }
    }

    /// As how many rows a row counts.
    fn mass(&self, row: usize) -> f64 {
        self.masses.as_ref().map_or(1.0, |masses| masses[row])
    }

    /// Replaces `counts` by the number of rows of every class that have 0, 1 and 2 copies; reuses
    /// `memory`.
    fn count(&self, copies: &[u8], memory: &mut Vec<u64>, counts: &mut Vec<[f64; KNOWN_COPIES]>) {
        counts.clear();
        counts.resize(self.count, [0.0; KNOWN_COPIES]);
        if self.marks.is_empty() {
            for (row, (&copies, &class)) in copies.iter().zip(&*self.of_rows).enumerate() {
                if let Some(count) = counts[class as usize].get_mut(usize::from(copies)) {
                    *count += self.mass(row);
                }
            }
            return;
        }
        memory.resize(copies.len().div_ceil(64), 0);
        for known in 0..KNOWN_COPIES {
            mark_code(level(), copies, known as u8, memory);
            let mut found = [0; MARKED_CLASSES];
            count_common(level(), memory, &self.marks, &mut found[..self.count]);
            counts.iter_mut().zip(found).for_each(|(count, found)| count[known] = f64::from(found));
        }
    }
}

impl MissingTable<'_> {
    /// Difference between a missing value of class `class` and row `j`, whose value may be
    /// missing too.
    pub(crate) fn difference(&self, class: usize, j: usize) -> f64 {
        self.by_case(class)[self.case(j)]
    }

    /// Case of a row.
    #[inline]
    pub(crate) fn case(&self, row: usize) -> usize {
        match &self.cases {
            CaseOfRows::Bytes(cases) => usize::from(cases[row]),
            CaseOfRows::Words(cases) => cases[row] as usize,
            CaseOfRows::Copies(copies, classes) => match copies.get(row) {
                MISSING_GENOTYPE => KNOWN_COPIES + classes[row] as usize,
                known => usize::from(known),
            },
            CaseOfRows::Rows => row,
        }
    }

    /// The cases of some rows; reuses `memory`.
    pub(crate) fn cases<'t>(&self, rows: &'t [u32], memory: &'t mut Vec<u32>) -> &'t [u32] {
        memory.clear();
        match &self.cases {
            CaseOfRows::Rows => return rows,
            _ => memory.extend(rows.iter().map(|row| self.case(*row as usize) as u32)),
        }
        memory
    }

    /// Expands values per case to values per row; reuses `memory`.
    pub(crate) fn by_row<'t, T: Copy>(&self, by_case: &'t [T], memory: &'t mut Vec<T>) -> &'t [T] {
        memory.clear();
        match &self.cases {
            CaseOfRows::Bytes(cases) => {
                memory.extend(cases.iter().map(|&case| by_case[usize::from(case)]));
            }
            CaseOfRows::Words(cases) => {
                memory.extend(cases.iter().map(|&case| by_case[case as usize]));
            }
            CaseOfRows::Copies(copies, _) => {
                memory.extend((0..copies.len()).map(|row| by_case[self.case(row)]));
            }
            CaseOfRows::Rows => return by_case,
        }
        memory
    }

    /// The cases of missing values, given the rows whose value is missing.
    pub(crate) fn missing_cases(&self, missing_rows: &[u32]) -> impl Iterator<Item = usize> {
        let (of_rows, classes) = match &self.cases {
            CaseOfRows::Rows => (missing_rows, 0),
            _ => (&[][..], self.classes()),
        };
        let count = self.values.len();
        of_rows.iter().map(|&row| row as usize).chain(count - classes..count)
    }

    /// Number of classes, or 1 if they are ignored.
    pub(crate) fn classes(&self) -> usize {
        self.lines.len()
    }

    /// Classes with a missing value, or class 0 if classes are ignored.
    pub(crate) fn missing_classes(&self) -> impl Iterator<Item = usize> {
        (0..self.classes()).filter(|&class| self.lines[class].is_some())
    }

    /// Differences to a missing value of class `class`, case by case; empty if the class has no
    /// missing value.
    pub(crate) fn by_case(&self, class: usize) -> &[f64] {
        let class = if self.lines.len() == 1 { 0 } else { class };
        let cases = self.values.len();
        self.lines[class].map_or(&[], |line| &self.differences[line as usize * cases..][..cases])
    }

    /// The table restricted to some of the rows, in the order given; it contains no data of other
    /// rows.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> MissingTable<'static> {
        let case = |row: &u32| self.case(*row as usize);
        let are_few = self.values.len() <= BYTE_CASES && !matches!(self.cases, CaseOfRows::Rows);
        if are_few {
            return MissingTable {
                cases: CaseOfRows::Bytes(rows.iter().map(|row| case(row) as u8).collect()),
                values: self.values.clone(),
                lines: self.lines.clone(),
                differences: self.differences.clone(),
            };
        }
        let of_rows =
            |by_case: &[f64]| -> Vec<f64> { rows.iter().map(|row| by_case[case(row)]).collect() };
        MissingTable {
            cases: CaseOfRows::Rows,
            values: of_rows(&self.values).into(),
            lines: self.lines.clone(),
            differences: self
                .differences
                .chunks_exact(self.values.len())
                .flat_map(of_rows)
                .collect(),
        }
    }

    /// The parts of a table [of rows](Self::of_rows): every row's case, if there are few cases; the
    /// value per case, or otherwise per row; per class the index of its line; and these lines,
    /// which contain the differences to a missing value of that class.
    pub(crate) fn parts(&self) -> TableParts<'_> {
        let cases = match &self.cases {
            CaseOfRows::Bytes(cases) => Some(&**cases),
            CaseOfRows::Words(_) | CaseOfRows::Copies(..) | CaseOfRows::Rows => None,
        };
        ((cases, &self.values), (&self.lines, &self.differences))
    }

    /// Whether the cases are few enough for kernels to look up their numbers.
    pub(crate) fn is_small(&self) -> bool {
        self.values.len() <= FEW_CASES && !matches!(self.cases, CaseOfRows::Rows)
    }

    /// Case of every row of a [small](Self::is_small) table, given the rows whose value is missing;
    /// reuses `memory`.
    pub(crate) fn small_cases<'t>(
        &'t self,
        missing_rows: &[u32],
        memory: &'t mut Vec<u8>,
    ) -> &'t [u8] {
        debug_assert!(self.is_small());
        match &self.cases {
            CaseOfRows::Bytes(cases) => cases,
            CaseOfRows::Copies(copies, classes) => {
                copies.copy_to(memory);
                for &row in missing_rows {
                    memory[row as usize] = KNOWN_COPIES as u8 + classes[row as usize] as u8;
                }
                memory
            }
            CaseOfRows::Words(_) | CaseOfRows::Rows => &[],
        }
    }

    /// The value of every case, in the units of the feature's rule; NaN where it is missing.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }
}

impl MissingTable<'static> {
    /// The table of some rows from its [parts](Self::parts); `None` if they are inconsistent.
    pub(crate) fn from_parts(
        rows: usize,
        (cases, values): (Option<Vec<u8>>, Vec<f64>),
        (lines, differences): (Vec<Option<u32>>, Vec<f64>),
    ) -> Option<Self> {
        let fits = match &cases {
            Some(cases) => {
                cases.len() == rows
                    && values.len() >= lines.len()
                    && cases.iter().all(|case| usize::from(*case) < values.len())
            }
            None => values.len() == rows,
        };
        let count = missing_lines(&lines);
        let in_order = lines.iter().flatten().all(|line| (*line as usize) < count);
        let fits = fits && in_order && !lines.is_empty();
        let fits = fits && differences.len() == count.checked_mul(values.len())?;
        fits.then(|| Self {
            cases: cases.map_or(CaseOfRows::Rows, |cases| CaseOfRows::Bytes(cases.into())),
            values: values.into(),
            lines: lines.into(),
            differences: differences.into(),
        })
    }

    /// The table of these rows followed by those of `other`, which must be restricted from the same
    /// table by [`of_rows`](Self::of_rows); `None` if it is not.
    pub(crate) fn joined(self, other: &Self) -> Option<Self> {
        if self.lines != other.lines {
            return None;
        }
        let same = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        match (&self.cases, &other.cases) {
            (CaseOfRows::Bytes(own), CaseOfRows::Bytes(others)) => {
                let fits = same(&self.values, &other.values)
                    && same(&self.differences, &other.differences);
                let cases = CaseOfRows::Bytes([&**own, &**others].concat().into());
                fits.then_some(Self { cases, ..self })
            }
            (CaseOfRows::Rows, CaseOfRows::Rows) => {
                let lines = |table: &Self, line: usize| {
                    let rows = table.values.len();
                    table.differences[line * rows..][..rows].to_vec()
                };
                let count = missing_lines(&self.lines);
                let joined = (0..count).flat_map(|line| [lines(&self, line), lines(other, line)]);
                let differences = joined.flatten().collect();
                let values = [&*self.values, &*other.values].concat().into();
                Some(Self { cases: CaseOfRows::Rows, values, differences, lines: self.lines })
            }
            _ => None,
        }
    }
}

/// See [`MissingTable::parts`].
pub(crate) type TableParts<'t> = ((Option<&'t [u8]>, &'t [f64]), (&'t [Option<u32>], &'t [f64]));

/// Largest number of cases that a byte can represent.
const BYTE_CASES: usize = 256;

/// Number of genotypes that are not missing.
const KNOWN_COPIES: usize = MISSING_GENOTYPE as usize;

/// Reused memory of one worker that computes tables.
#[derive(Debug, Default)]
pub(crate) struct MissingBuffers {
    order: NumberOrder,
    cases: Vec<u32>,
    marks: Vec<u64>,
    copies: Vec<[f64; KNOWN_COPIES]>,
    samples: SampleBuffers,
}

/// The distinct values of a feature, their counts, and derived quantities.
#[derive(Debug, Default)]
struct SampleBuffers {
    /// The distinct known values, ascending.
    known: Vec<f64>,
    /// Number of rows per known value, for every class with a missing value, and then for all other
    /// classes.
    counts: Vec<f64>,
    /// Per class, the index of its line in `counts`.
    line_of: Vec<u32>,
    /// Running sums of the counts and of the values of one class, along the known values.
    before: Vec<f64>,
    sums: Vec<f64>,
    /// Per class with a missing value and case, the difference.
    differences: Vec<f64>,
}

/// The values of a feature, sorted into cases; the cases of missing values, one per class, follow
/// those of the known ones.
pub(crate) struct Sorted<'a, 'b> {
    cases: SortedCases<'a, 'b>,
    /// Per class, its index among the classes with a missing value.
    lines: Box<[Option<u32>]>,
    samples: &'b mut SampleBuffers,
}

/// The case of every row.
enum SortedCases<'a, 'b> {
    Kept(CaseOfRows<'a>),
    /// Distinct for most rows: every row of the table becomes a case. Contains the cases and values
    /// of the rows.
    OfRows(&'b [u32], &'b [f64]),
}

impl<'a, 'b> Sorted<'a, 'b> {
    /// `values` are range-normalized numbers, or codes from 0 to a given maximum, with NaN in the
    /// rows `missing_rows`.
    pub(crate) fn of_values(
        values: &'b [f64],
        greatest: f64,
        missing_rows: &[u32],
        classes: &MissingClasses,
        buffers: &'b mut MissingBuffers,
    ) -> Self {
        let MissingClasses { of_rows: classes, count: n_classes, masses, .. } = classes;
        let n_classes = *n_classes;
        let MissingBuffers { order, cases, samples, .. } = buffers;
        let SampleBuffers { known, counts, line_of, .. } = samples;
        cases.clear();
        cases.resize(values.len(), 0);
        known.clear();
        for &value in values {
            if !value.is_nan() && !known.contains(&value) {
                known.push(value);
                if known.len() > FEW_VALUES {
                    break;
                }
            }
        }
        if known.len() <= FEW_VALUES {
            known.sort_unstable_by(f64::total_cmp);
            for (case, value) in cases.iter_mut().zip(values) {
                *case = known.iter().map(|other| u32::from(other < value)).sum();
            }
        } else {
            sort_into_cases(values, greatest, order, known, cases);
        }
        let missing_class = |row: &u32| classes[*row as usize];
        let lines = numbered(n_classes, missing_rows.iter().map(missing_class), line_of);
        counts.clear();
        counts.resize((missing_lines(&lines) + 1) * known.len().max(1), 0.0);
        let place =
            |case: u32, class: u32| line_of[class as usize] as usize * known.len() + case as usize;
        if let Some(masses) = masses {
            for ((&case, &class), (value, mass)) in
                cases.iter().zip(&**classes).zip(values.iter().zip(&**masses))
            {
                counts[place(case, class)] += if value.is_nan() { 0.0 } else { *mass };
            }
        } else {
            // Missing values are counted as well, in the first case, and then subtracted: this
            // avoids branches.
            for (&case, &class) in cases.iter().zip(&**classes) {
                counts[place(case, class)] += 1.0;
            }
            for &row in missing_rows {
                counts[place(0, classes[row as usize])] -= 1.0;
            }
        }
        for &row in missing_rows {
            cases[row as usize] = (known.len() + classes[row as usize] as usize) as u32;
        }
        let count = known.len() + n_classes;
        let cases = if count <= BYTE_CASES {
            SortedCases::Kept(CaseOfRows::Bytes(cases.iter().map(|case| *case as u8).collect()))
        } else if 2 * count < values.len() {
            SortedCases::Kept(CaseOfRows::Words(cases[..].into()))
        } else {
            SortedCases::OfRows(cases, values)
        };
        Self { cases, lines, samples }
    }

    /// `copies` are genotypes, `bytes` contains each of them in one byte, and `values` are the
    /// values of 0, 1 and 2 copies; the genotypes of `missing_rows` are missing.
    pub(crate) fn of_genotypes(
        (copies, bytes): (&'a Genotypes<'a>, &[u8]),
        values: [f64; KNOWN_COPIES],
        missing_rows: &[u32],
        classes: &MissingClasses,
        buffers: &'b mut MissingBuffers,
    ) -> Self {
        let MissingBuffers { marks, copies: seen, samples, .. } = buffers;
        let SampleBuffers { known, counts, line_of, .. } = samples;
        classes.count(bytes, marks, seen);
        let missing_class = |row: &u32| classes.of_rows[*row as usize];
        let lines = numbered(classes.count, missing_rows.iter().map(missing_class), line_of);
        counts.clear();
        counts.resize((missing_lines(&lines) + 1) * KNOWN_COPIES, 0.0);
        for (seen, line) in seen.iter().zip(&*line_of) {
            let counts = &mut counts[*line as usize * KNOWN_COPIES..][..KNOWN_COPIES];
            counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += seen);
        }
        known.clear();
        known.extend(values);
        let cases = CaseOfRows::Copies(copies, classes.of_rows.clone());
        Self { cases: SortedCases::Kept(cases), lines, samples }
    }
}

/// Numbers the classes of missing values, in which classes may be repeated; stores every class's
/// number in `line_of`, where all classes without missing values have the next number.
fn numbered(
    n_classes: usize,
    of_missing: impl Iterator<Item = u32>,
    line_of: &mut Vec<u32>,
) -> Box<[Option<u32>]> {
    let mut lines = vec![None; n_classes].into_boxed_slice();
    of_missing.for_each(|class| lines[class as usize] = Some(0));
    (0..).zip(lines.iter_mut().flatten()).for_each(|(number, line)| *line = number);
    let rest = missing_lines(&lines) as u32;
    line_of.clear();
    line_of.extend(lines.iter().map(|line| line.unwrap_or(rest)));
    lines
}

/// Number of classes with missing values.
fn missing_lines(lines: &[Option<u32>]) -> usize {
    lines.iter().flatten().count()
}

/// The table of differences, with one line of all cases per class with a missing value.
fn table<'a>(
    known: &[f64],
    cases: SortedCases<'a, '_>,
    lines: Box<[Option<u32>]>,
    differences: &[f64],
) -> MissingTable<'a> {
    match cases {
        SortedCases::Kept(cases) => {
            let missing = std::iter::repeat_n(f64::NAN, lines.len());
            let values = known.iter().copied().chain(missing).collect();
            MissingTable { cases, values, lines, differences: differences.into() }
        }
        SortedCases::OfRows(cases, values) => {
            let mut by_row = Vec::with_capacity(cases.len() * missing_lines(&lines));
            for line in differences.chunks_exact(known.len() + lines.len()) {
                by_row.extend(cases.iter().map(|&case| line[case as usize]));
            }
            let differences = by_row.into_boxed_slice();
            MissingTable { cases: CaseOfRows::Rows, values: values.into(), lines, differences }
        }
    }
}

/// Replaces `known` by the distinct known values, ascending, and the cases of rows with a known
/// value by its index among them.
fn sort_into_cases(
    values: &[f64],
    greatest: f64,
    order: &mut NumberOrder,
    known: &mut Vec<f64>,
    cases: &mut [u32],
) {
    let places = usize::BITS - values.len().leading_zeros();
    let row_of = |key: u64| (key & ((1 << places) - 1)) as usize;
    let rounding = Rounding { least: 0.0, factor: values.len() as f64 / greatest };
    let sorted = order.sort(level(), values, rounding, places);
    let mut last = f64::NEG_INFINITY;
    let mut is_rising = true;
    known.clear();
    known.extend((0..).zip(&*sorted).map(|(case, &key)| {
        let value = values[row_of(key)];
        cases[row_of(key)] = case;
        is_rising &= last < value;
        last = value;
        value
    }));
    if is_rising {
        return;
    }
    // Some values are equal, or too close for the keys to differ.
    known.clear();
    for equal in sorted.chunk_by_mut(|a, b| a >> places == b >> places) {
        equal.sort_by(|&a, &b| values[row_of(a)].total_cmp(&values[row_of(b)]));
        for &key in &*equal {
            let value = values[row_of(key)];
            if known.last() != Some(&value) {
                known.push(value);
            }
            cases[row_of(key)] = known.len() as u32 - 1;
        }
    }
}

/// The known values of a class (of all rows if the class has none), counted by case.
struct Sample<'s> {
    counts: &'s [f64],
    /// Number of values; above 0.
    size: f64,
}

impl Sample<'_> {
    /// The sum over the sample of a number per case.
    fn sum(&self, numbers: &[f64]) -> f64 {
        sum_of_products(numbers, self.counts)
    }
}

/// Number of partial sums computed side by side, so that additions need not wait for each other.
const PARTS: usize = 8;

/// The sum of products of numbers.
fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    let mut parts = [0.0; PARTS];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<PARTS>(), b.as_chunks::<PARTS>());
    for (a, b) in a.iter().zip(b) {
        (0..PARTS).for_each(|part| parts[part] += a[part] * b[part]);
    }
    parts.iter_mut().zip(a_rest.iter().zip(b_rest)).for_each(|(part, (a, b))| *part += a * b);
    parts.into_iter().sum()
}

/// The sum of counts, which is exact.
fn sum_of_counts(counts: &[f64]) -> f64 {
    let mut parts = [0.0; PARTS];
    let (whole, rest) = counts.as_chunks::<PARTS>();
    for counts in whole {
        (0..PARTS).for_each(|part| parts[part] += counts[part]);
    }
    parts.into_iter().chain(rest.iter().copied()).sum()
}

/// The running sums of a sample along the values of the cases.
struct Running<'s> {
    values: &'s [f64],
    /// Per case, and finally for all: the number of sample values in the cases before it, and their
    /// sum.
    before: &'s [f64],
    sums: &'s [f64],
}

impl Running<'_> {
    /// Adds to every `out[k]` the product of `factor` and the sum over the sample of the excess of
    /// `|V - values[k]|` over `threshold`.
    fn add_excess(&self, threshold: f64, factor: f64, out: &mut [f64]) {
        let &Self { values, before, sums } = self;
        let n = values.len();
        let (mut below, mut above) = (0, 0);
        for (out, &value) in out.iter_mut().zip(values) {
            while below < n && values[below] < value - threshold {
                below += 1;
            }
            while above < n && values[above] <= value + threshold {
                above += 1;
            }
            let low = before[below] * (value - threshold) - sums[below];
            let high = (sums[n] - sums[above]) - (before[n] - before[above]) * (value + threshold);
            *out += factor * (low + high);
        }
    }

    /// Stores the mean over the sample of `|V - value|`, ramped, for the value of every case in
    /// `out`, which must be zero. A ramp is the difference of two excesses.
    fn mean_differences(&self, ramp: Option<Ramp>, out: &mut [f64]) {
        let Some(ramp) = ramp else {
            return mean_differences(level(), self.values, self.before, self.sums, out);
        };
        let slope = 1.0 / (ramp.different() - ramp.equal());
        self.add_excess(ramp.equal(), slope, out);
        self.add_excess(ramp.different(), -slope, out);
        let size = self.before[self.values.len()];
        // Rounding of the sums must not lead outside [0, 1].
        out.iter_mut().for_each(|total| *total = (*total / size).clamp(0.0, 1.0));
    }
}

/// Tabulates expected differences. `to_known` computes those of a class's sample to the values of
/// all cases (given the values, and memory for running sums); `to_missing` computes the expected
/// difference to another class's sample from them.
fn expected<'a>(
    sorted: Sorted<'a, '_>,
    mut to_known: impl FnMut(&[f64], &Sample<'_>, [&mut Vec<f64>; 2], &mut [f64]),
    to_missing: impl Fn(&Sample<'_>, &[f64], &Sample<'_>) -> f64,
) -> MissingTable<'a> {
    let Sorted { cases, lines, samples } = sorted;
    let n_classes = lines.len();
    let SampleBuffers { known, counts, before, sums, differences, .. } = samples;
    let width = known.len();
    let has_missing = missing_lines(&lines);
    let of_line = |line: usize| line * width..(line + 1) * width;
    let is_empty = |line: &usize| counts[of_line(*line)].iter().all(|count| *count == 0.0);
    let without: Vec<usize> = (0..has_missing).filter(is_empty).collect();
    if !without.is_empty() {
        let of_all = |case: usize| counts[case..].iter().step_by(width).sum();
        let all: Vec<f64> = (0..width).map(of_all).collect();
        without.into_iter().for_each(|line| counts[of_line(line)].copy_from_slice(&all));
    }
    let per_line = width + n_classes;
    differences.clear();
    differences.resize(has_missing * per_line, 0.0);
    let classes = (0..n_classes).filter(|&class| lines[class].is_some());
    let sample = |(line, class): (usize, usize)| {
        let counts = &counts[of_line(line)];
        (class, Sample { counts, size: sum_of_counts(counts) })
    };
    let found: Vec<(usize, Sample<'_>)> = classes.enumerate().map(sample).collect();
    for ((_, sample), line) in found.iter().zip(differences.chunks_exact_mut(per_line)) {
        to_known(known, sample, [&mut *before, &mut *sums], &mut line[..width]);
    }
    for (c, (first, sample)) in found.iter().enumerate() {
        for (d, (second, other)) in found.iter().enumerate().skip(c) {
            let value = to_missing(sample, &differences[c * per_line..][..width], other);
            differences[c * per_line + width + second] = value;
            differences[d * per_line + width + first] = value;
        }
    }
    table(known, cases, lines, differences)
}

/// Expected differences of a numeric feature with range-normalized values.
pub(crate) fn expected_numeric<'a>(values: Sorted<'a, '_>, ramp: Option<Ramp>) -> MissingTable<'a> {
    expected(
        values,
        |values, sample, [before, sums], out| {
            before.resize(values.len() + 1, 0.0);
            sums.resize(values.len() + 1, 0.0);
            running_sums(level(), values, sample.counts, before, sums);
            Running { values, before, sums }.mean_differences(ramp, out);
        },
        |_, differences, other| (other.sum(differences) / other.size).min(1.0),
    )
}

/// Expected differences of a categorical feature with codes as values.
pub(crate) fn expected_categorical<'a>(values: Sorted<'a, '_>) -> MissingTable<'a> {
    expected(
        values,
        |_, sample, _, out| {
            let differences = sample.counts.iter().map(|count| 1.0 - count / sample.size);
            out.iter_mut().zip(differences).for_each(|(out, difference)| *out = difference);
        },
        |sample, _, other| {
            // Counts add up exactly, so the order of the levels does not matter.
            let equal: f64 = sample.counts.iter().zip(other.counts).map(|(p, q)| p * q).sum();
            1.0 - equal / (sample.size * other.size)
        },
    )
}

/// Expected differences by definition: the mean difference of every value to the values of a
/// class's sample. The time is quadratic in the number of distinct values.
pub(crate) fn expected_of_pairs<'a>(
    values: Sorted<'a, '_>,
    pair: impl Fn(f64, f64) -> f64,
) -> MissingTable<'a> {
    expected(
        values,
        |values, sample, [differences, _], out| {
            for (out, &value) in out.iter_mut().zip(values) {
                differences.clear();
                differences.extend(values.iter().map(|&other| pair(value, other)));
                *out = (sample.sum(differences) / sample.size).min(1.0);
            }
        },
        |_, differences, other| (other.sum(differences) / other.size).min(1.0),
    )
}

/// Pessimistic differences: to a known value, and between two missing ones. Classes are ignored:
/// the values must be sorted with a single class.
pub(crate) fn pessimistic<'a>(
    values: Sorted<'a, '_>,
    known: impl Fn(f64) -> f64,
    missing: f64,
) -> MissingTable<'a> {
    let Sorted { cases, lines, samples } = values;
    let differences = samples.known.iter().map(|value| known(*value)).chain([missing]);
    let differences: Vec<f64> = differences.collect();
    table(&samples.known, cases, lines, &differences)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The table of some values by a rule, in which NaN is missing.
    fn tabulated(
        values: &[f64],
        classes: &[u32],
        n_classes: usize,
        rule: impl Fn(Sorted<'static, '_>) -> MissingTable<'static>,
    ) -> MissingTable<'static> {
        let missing_rows: Vec<u32> =
            (0..).zip(values).filter(|(_, value)| value.is_nan()).map(|(row, _)| row).collect();
        let buffers = &mut MissingBuffers::default();
        let greatest = values.iter().copied().fold(1.0, f64::max);
        let classes = MissingClasses::new(classes.into(), n_classes, None);
        rule(Sorted::of_values(values, greatest, &missing_rows, &classes, buffers))
    }

    proptest! {
        /// Includes values that are mostly equal, and values with one far from all others.
        #[test]
        fn known_values_are_found_in_their_order(
            mut values in vec(prop_oneof![
                6 => -1.0..1.0,
                2 => prop::sample::select(vec![0.0, -0.0, 0.5, f64::NAN]),
                1 => prop::sample::select(vec![1e300, -1e-300, 3e-310]),
            ], 0..200),
            outlier in any::<bool>(),
        ) {
            if outlier {
                values.push(1e9);
            }
            let mut cases = vec![0; values.len()];
            let (mut found, order) = (Vec::new(), &mut NumberOrder::default());
            sort_into_cases(&values, 1.0, order, &mut found, &mut cases);
            let mut wanted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            wanted.sort_by(f64::total_cmp);
            wanted.dedup();
            prop_assert_eq!(&found, &wanted);
            let known = (0..values.len()).filter(|&row| !values[row].is_nan());
            for row in known {
                prop_assert_eq!(found[cases[row] as usize], values[row]);
            }
        }
    }

    #[test]
    fn prefix_sums_equal_the_direct_mean() {
        // More distinct values than are compared one by one, with duplicates; the class of the last
        // row contains only the known values of the first five rows.
        let known = [0.1, 0.4, 0.4, 0.9, 0.0, 0.2, 0.3, 0.55, 0.6, 0.7, 1.0, 0.95];
        let values = [&known[..], &[f64::NAN]].concat();
        let classes: Vec<u32> = (0..13).map(|row| u32::from((5..12).contains(&row))).collect();
        for ramp in [None, Ramp::new(0.1, 0.5)] {
            let table = tabulated(&values, &classes, 2, |sorted| expected_numeric(sorted, ramp));
            let to = |value: f64| -> f64 {
                let one = |v: &f64| {
                    let d = (v - value).abs();
                    ramp.map_or(d, |ramp: Ramp| ramp.apply(d))
                };
                known[..5].iter().map(one).sum::<f64>() / 5.0
            };
            for (row, &value) in known.iter().enumerate() {
                assert!((table.difference(0, row) - to(value)).abs() < 1e-14);
            }
            let both = known[..5].iter().map(|&value| to(value)).sum::<f64>() / 5.0;
            assert!((table.difference(0, 12) - both).abs() < 1e-14);
            assert!(table.by_case(1).is_empty());
        }
    }

    fn store_of_cases(table: &MissingTable<'_>) -> usize {
        match table.cases {
            CaseOfRows::Bytes(_) => 0,
            CaseOfRows::Words(_) => 1,
            CaseOfRows::Rows => 2,
            CaseOfRows::Copies(..) => 3,
        }
    }

    #[test]
    fn tables_of_cases_and_of_rows_have_the_same_differences() {
        const ROWS: usize = 700;
        let classes: Vec<u32> = (0..ROWS).map(|row| (row / 7 % 3) as u32).collect();
        for (different, store) in [(3, 0), (100, 0), (300, 1), (ROWS, 2)] {
            let value = |row: usize| match row % 20 {
                7 => f64::NAN,
                _ => (row * 131 % different) as f64 / (different - 1) as f64,
            };
            let values: Vec<f64> = (0..ROWS).map(value).collect();
            let ramps = [None, Ramp::new(0.1, 0.5)];
            for (ramp, pessimistic) in ramps.into_iter().flat_map(|r| [(r, false), (r, true)]) {
                let n_classes = if pessimistic { 1 } else { 3 };
                let of_one = vec![0; ROWS];
                let classes = if pessimistic { &of_one } else { &classes };
                let table = tabulated(&values, classes, n_classes, |sorted| match pessimistic {
                    true => super::pessimistic(
                        sorted,
                        |value| {
                            let worst = f64::max(value, 1.0 - value);
                            ramp.map_or(worst, |ramp| ramp.apply(worst))
                        },
                        1.0,
                    ),
                    false => expected_numeric(sorted, ramp),
                });
                assert_eq!(store_of_cases(&table), store);
                let ramped = |d: f64| ramp.map_or(d, |ramp: Ramp| ramp.apply(d));
                let of_class = |class: usize| {
                    let of_class = (0..ROWS).filter(move |&row| classes[row] as usize == class);
                    of_class.map(|row| values[row]).filter(|value| !value.is_nan())
                };
                let to = |class: usize, value: f64| match pessimistic {
                    true => ramped(value.max(1.0 - value)),
                    false => {
                        let sum: f64 = of_class(class).map(|v| ramped((v - value).abs())).sum();
                        sum / of_class(class).count() as f64
                    }
                };
                let mut memory = Vec::new();
                for class in 0..n_classes {
                    let by_row = table.by_row(table.by_case(class), &mut memory);
                    assert_eq!(by_row.len(), ROWS);
                    for row in 0..ROWS {
                        let other = classes[row] as usize;
                        let wanted = match (values[row].is_nan(), pessimistic) {
                            (false, _) => to(class, values[row]),
                            (true, true) => 1.0,
                            (true, false) => {
                                let sum: f64 = of_class(other).map(|value| to(class, value)).sum();
                                sum / of_class(other).count() as f64
                            }
                        };
                        let found = table.difference(class, row);
                        assert!((found - wanted).abs() < 1e-13, "{row} {found} {wanted}");
                        assert_eq!(by_row[row], found);
                        let value = table.values()[table.case(row)];
                        assert_eq!(value.to_bits(), values[row].to_bits());
                    }
                }
                let is_missing = |row: &u32| values[*row as usize].is_nan();
                let missing_rows: Vec<u32> = (0..ROWS as u32).filter(is_missing).collect();
                let missing: Vec<usize> = table.missing_cases(&missing_rows).collect();
                for (row, value) in values.iter().enumerate() {
                    assert_eq!(missing.contains(&table.case(row)), value.is_nan());
                }
            }
        }
    }

    #[test]
    fn values_that_differ_in_their_last_bits_are_told_apart() {
        let half = 0.5_f64;
        let last = [half.next_up().next_up(), half, half.next_up(), half, half.next_down()];
        let values = [&[0.9, 0.1, f64::NAN, 0.8, 0.2, 0.7, 0.3][..], &last].concat();
        let mut known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
        known.sort_by(f64::total_cmp);
        known.dedup();
        let table = tabulated(&values, &[0; 12], 1, |sorted| {
            assert_eq!(sorted.samples.known, known);
            expected_numeric(sorted, None)
        });
        for (row, value) in values.iter().enumerate() {
            assert_eq!(table.values()[table.case(row)].to_bits(), value.to_bits());
        }
    }

    #[test]
    fn categories_follow_relief_d() {
        // Class 0 has values 0, 0, 1 and a missing one; class 1 has 1 and a missing one.
        let values = [0.0, 0.0, 1.0, f64::NAN, 1.0, f64::NAN];
        let classes = [0, 0, 0, 0, 1, 1];
        let table = tabulated(&values, &classes, 2, expected_categorical);
        assert!((table.difference(0, 4) - (1.0 - 1.0 / 3.0)).abs() < 1e-15);
        assert!((table.difference(1, 0) - 1.0).abs() < 1e-15);
        // Both missing: 1 - (2/3 * 0 + 1/3 * 1).
        assert!((table.difference(0, 5) - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(table.difference(0, 5), table.difference(1, 3));
    }

    #[test]
    fn the_order_of_the_levels_changes_no_bit() {
        // Probabilities in thirteenths: their products round differently in another order.
        let sizes = [1, 2, 3, 7];
        let coded = |codes: [f64; 4]| -> Vec<f64> {
            let mut values: Vec<f64> =
                codes.iter().zip(sizes).flat_map(|(&code, size)| vec![code; size]).collect();
            values.push(f64::NAN);
            values
        };
        let both = |codes| {
            let values = coded(codes);
            let table = tabulated(&values, &[0; 14], 1, expected_categorical);
            table.difference(0, 13).to_bits()
        };
        let orders = [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0], [1.0, 3.0, 0.0, 2.0]];
        assert!(orders.iter().all(|&codes| both(codes) == both(orders[0])));
        assert_eq!(f64::from_bits(both(orders[0])), 1.0 - 63.0 / 169.0);
    }

    #[test]
    fn a_class_without_known_values_uses_all() {
        let values = [0.0, 1.0, f64::NAN];
        let table = tabulated(&values, &[0, 0, 1], 2, |sorted| expected_numeric(sorted, None));
        assert!((table.difference(1, 0) - 0.5).abs() < 1e-15);
    }

    /// Genotypes have the same differences, but other cases, if one of the three does not occur.
    #[test]
    fn genotypes_differ_as_their_numbers_do() {
        let copies: Vec<u8> = (0..700).map(|row| ((row * 7 + row / 5) % 4) as u8).collect();
        let two_known: Vec<u8> =
            copies.iter().map(|copies| if *copies == 1 { 0 } else { *copies }).collect();
        let last_class =
            |row: u32, n_classes: u32| if row == 6 { n_classes } else { row * 11 % n_classes };
        for (copies, n_classes) in [
            (&copies, 1),
            (&two_known, 3),
            (&copies, 3),
            (&copies, 7),
            (&two_known, 20),
            (&copies, 300),
        ] {
            // The last class has one row, whose value is missing.
            let classes: Vec<u32> = (0..700).map(|row| last_class(row, n_classes)).collect();
            let missing_rows: Vec<u32> =
                (0..700).filter(|row| copies[*row as usize] == 3).collect();
            assert!(missing_rows.contains(&6));
            let n_classes = n_classes as usize + 1;
            for unit in [0.5, 1.0] {
                let value =
                    |copies: &u8| if *copies == 3 { f64::NAN } else { f64::from(*copies) * unit };
                let values: Vec<f64> = copies.iter().map(value).collect();
                let counted = [0.0, unit, 2.0 * unit];
                let of_classes = MissingClasses::new(classes.as_slice().into(), n_classes, None);
                let buffers = &mut MissingBuffers::default();
                let wanted = tabulated(&values, &classes, n_classes, |sorted| {
                    expected_numeric(sorted, None)
                });
                let genotypes = Genotypes::from(copies.clone());
                let genotypes = (&genotypes, &copies[..]);
                let found = expected_numeric(
                    Sorted::of_genotypes(genotypes, counted, &missing_rows, &of_classes, buffers),
                    None,
                );
                assert!(wanted.missing_classes().eq(found.missing_classes()));
                let mut memory = Vec::new();
                for row in 0..copies.len() {
                    assert_eq!(found.values()[found.case(row)].to_bits(), values[row].to_bits());
                    for class in wanted.missing_classes() {
                        let [wanted, found] =
                            [&wanted, &found].map(|table| table.difference(class, row));
                        assert!((wanted - found).abs() < 1e-15, "{wanted} {found}");
                    }
                }
                for class in wanted.missing_classes() {
                    let by_row = found.by_row(found.by_case(class), &mut memory);
                    assert!(
                        (0..copies.len()).all(|row| by_row[row] == found.difference(class, row))
                    );
                }
                assert!(found.missing_cases(&missing_rows).eq(3..3 + n_classes));
                let rows: Vec<u32> = (0..700).step_by(3).collect();
                let mut memory = Vec::new();
                let cases = found.cases(&rows, &mut memory).iter().map(|case| *case as usize);
                assert!(cases.eq(rows.iter().map(|row| found.case(*row as usize))));
                let mut memory = Vec::new();
                assert_eq!(found.is_small(), n_classes + 3 <= FEW_CASES);
                if found.is_small() {
                    let few = found.small_cases(&missing_rows, &mut memory);
                    assert!((0..copies.len()).all(|row| usize::from(few[row]) == found.case(row)));
                }
            }
        }
    }
}
