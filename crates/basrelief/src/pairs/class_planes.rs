//! Features as bit planes, class by class. Counting the common bits of planes gives the tables of all pairs.

use std::borrow::Cow;
use std::ops::Range;

use basrelief_kernels::{count_common, level};

use super::levels::{Levels, MISSING};
use crate::data::{Classes, Column, Genotypes, MISSING_GENOTYPE, Values};
use crate::error::Result;
use crate::memory::PossiblyMapped;
use crate::parallel;
use crate::run::Run;

/// Number of bits of a word.
const WORD: usize = u64::BITS as usize;

/// Number of planes whose bits are counted by one task.
const PLANES_OF_TASK: usize = 256;

/// Columns whose levels are read repeatedly, because every target gives other planes.
pub(super) struct LevelColumns<'a>(Vec<LevelColumn<'a>>);

/// Levels of a column.
enum LevelColumn<'a> {
    /// Genotypes, read in place, because two bits each are a quarter of a code.
    Genotypes { copies: &'a Genotypes<'a>, code_of: [u8; 4], shape: Shape },
    /// Levels that are costly to compute.
    Codes { codes: Vec<u8>, shape: Shape },
}

/// The number of levels of a column, and whether a value is missing.
#[derive(Debug, Clone, Copy)]
struct Shape {
    levels: usize,
    has_gaps: bool,
}

impl Shape {
    /// The number of planes of a column: one for every level except the last and, if values are missing, one for the
    /// known values.
    fn planes(self) -> usize {
        self.levels.saturating_sub(1) + usize::from(self.has_gaps)
    }
}

impl<'a> LevelColumns<'a> {
    pub(super) fn new(columns: &[&'a Column<'a>], run: &Run) -> Self {
        Self(run.install(|| parallel::map(columns, |column| LevelColumn::new(column))))
    }

    /// The number of columns.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of levels of a column.
    pub(super) fn levels(&self, column: usize) -> usize {
        self.0[column].shape().levels
    }

    /// The level of a column in every row, or [`MISSING`].
    pub(super) fn codes(&self, column: usize) -> Cow<'_, [u8]> {
        self.0[column].codes()
    }
}

impl<'a> LevelColumn<'a> {
    fn new(column: &'a Column<'a>) -> Self {
        if let Values::Genotype(copies) = column.values() {
            let counts = copies.counts();
            let mut code_of = [MISSING; 4];
            let mut levels = 0;
            for copies in (0..usize::from(MISSING_GENOTYPE)).filter(|&copies| counts[copies] > 0) {
                code_of[copies] = levels as u8;
                levels += 1;
            }
            let has_gaps = counts[usize::from(MISSING_GENOTYPE)] > 0;
            return LevelColumn::Genotypes { copies, code_of, shape: Shape { levels, has_gaps } };
        }
        let Levels { levels, codes } = Levels::new(column);
        let shape = Shape { levels: levels.len(), has_gaps: codes.contains(&MISSING) };
        LevelColumn::Codes { codes, shape }
    }

    fn shape(&self) -> Shape {
        match self {
            LevelColumn::Genotypes { shape, .. } | LevelColumn::Codes { shape, .. } => *shape,
        }
    }

    /// Per row, its level or [`MISSING`].
    fn codes(&self) -> Cow<'_, [u8]> {
        match self {
            LevelColumn::Codes { codes, .. } => Cow::Borrowed(codes),
            LevelColumn::Genotypes { copies, code_of, .. } => {
                let mut codes = Vec::new();
                copies.copy_to(&mut codes);
                codes.iter_mut().for_each(|copies| *copies = code_of[usize::from(*copies)]);
                Cow::Owned(codes)
            }
        }
    }
}

/// Columns as bit planes, class by class.
///
/// A feature has a plane for every level except the last, and one for its known values if some are missing. Three-way
/// tables follow from the counts of the common bits of the planes of two features and from the counts of the single
/// planes: for two genotypes without missing values, from four common counts per class.
pub(super) struct ClassPlanes {
    shapes: Vec<Shape>,
    /// The first plane of every feature, and the end of the planes of the last feature.
    starts: Vec<usize>,
    classes: Vec<OneClass>,
}

/// The planes in the rows of one class.
struct OneClass {
    rows: u32,
    /// Number of words of a plane.
    words: usize,
    bits: PossiblyMapped<u64>,
    /// Number of set bits of every plane.
    counts: Vec<u32>,
}

impl OneClass {
    /// Counts the set bits of all planes.
    fn count(&mut self, planes: usize) {
        let words = self.words.max(1);
        let of_line = |line: &[u64]| line.iter().map(|bits| bits.count_ones()).sum();
        let of_part = |part: &[u64]| part.chunks(words).map(of_line).collect::<Vec<u32>>();
        self.counts = parallel::map(self.bits.chunks(PLANES_OF_TASK * words), of_part).concat();
        // Without rows there are no words.
        self.counts.resize(planes, 0);
    }

    fn planes(&self, planes: Range<usize>) -> &[u64] {
        &self.bits[planes.start * self.words..planes.end * self.words]
    }
}

impl ClassPlanes {
    /// Computes the planes of the columns, by the classes of their rows.
    ///
    /// # Errors
    /// The planes do not fit into memory; [`crate::Error::Cancelled`].
    pub(super) fn new(columns: &LevelColumns<'_>, classes: &Classes, run: &Run) -> Result<Self> {
        let shapes: Vec<Shape> = columns.0.iter().map(LevelColumn::shape).collect();
        let mut starts = vec![0];
        for shape in &shapes {
            starts.push(starts[starts.len() - 1] + shape.planes());
        }
        let planes = starts[shapes.len()];
        let mut rows_of = vec![Vec::new(); classes.len()];
        for (row, &class) in classes.codes().iter().enumerate() {
            rows_of[class as usize].push(row);
        }
        let empty = |rows: &Vec<usize>| {
            let words = rows.len().div_ceil(WORD);
            let bits = run.zeros(planes * words)?;
            Ok(OneClass { rows: rows.len() as u32, words, bits, counts: Vec::new() })
        };
        let mut found: Vec<OneClass> = rows_of.iter().map(empty).collect::<Result<_>>()?;
        // Per feature, its planes in all classes, so that its levels are read once.
        let mut parts: Vec<Vec<&mut [u64]>> = shapes.iter().map(|_| Vec::new()).collect();
        for class in &mut found {
            let mut rest = &mut *class.bits;
            for (shape, parts) in shapes.iter().zip(&mut parts) {
                let (own, others) = rest.split_at_mut(shape.planes() * class.words);
                parts.push(own);
                rest = others;
            }
        }
        run.install(|| {
            parallel::try_for_each(columns.0.iter().zip(parts), |(column, parts)| {
                run.check()?;
                let codes = column.codes();
                for (rows, planes) in rows_of.iter().zip(parts) {
                    fill(&codes, column.shape(), rows, planes);
                }
                Ok(())
            })
        })?;
        run.install(|| found.iter_mut().for_each(|class| class.count(planes)));
        Ok(Self { shapes, starts, classes: found })
    }

    /// Number of features.
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether a feature has at least two levels; otherwise it is excluded from all tests.
    pub(super) fn varies(&self, feature: usize) -> bool {
        self.shapes[feature].levels > 1
    }

    /// The planes of some features.
    fn planes(&self, features: Range<usize>) -> Range<usize> {
        self.starts[features.start]..self.starts[features.end]
    }
}

/// Sets the bits of one column in the rows of a class.
fn fill(codes: &[u8], shape: Shape, rows: &[usize], planes: &mut [u64]) {
    let words = rows.len().div_ceil(WORD);
    let counted = shape.levels.saturating_sub(1);
    for (word, rows) in rows.chunks(WORD).enumerate() {
        for (bit, &row) in rows.iter().enumerate() {
            let code = codes[row];
            if code == MISSING {
                continue;
            }
            let code = usize::from(code);
            if code < counted {
                planes[code * words + word] |= 1 << bit;
            }
            if shape.has_gaps {
                planes[counted * words + word] |= 1 << bit;
            }
        }
    }
}

/// The counts of a three-way table: for every level of the first and every level of the second feature, the number of
/// rows of every class.
#[derive(Debug, Clone, Default)]
pub(super) struct PairCounts {
    pub(super) levels: (usize, usize),
    pub(super) classes: usize,
    pub(super) cells: Vec<u32>,
}

/// The tables of one feature with some others, for one worker.
#[derive(Default)]
pub(super) struct PairTables {
    /// Per class and plane of the first feature, the numbers of common bits with every plane of the others.
    common: Vec<u32>,
    first: usize,
    others: Range<usize>,
    table: PairCounts,
}

impl PairTables {
    /// Counts the common bits for the tables of a feature with some others.
    pub(super) fn count(&mut self, planes: &ClassPlanes, first: usize, others: Range<usize>) {
        let (own, lines) = (planes.planes(first..first + 1), planes.planes(others.clone()));
        self.common.resize(planes.classes.len() * own.len() * lines.len(), 0);
        let mut common = self.common.chunks_exact_mut(lines.len().max(1));
        for class in &planes.classes {
            let lines = class.planes(lines.clone());
            for plane in own.clone() {
                if let Some(counts) = common.next() {
                    count_common(level(), class.planes(plane..plane + 1), lines, counts);
                }
            }
        }
        (self.first, self.others) = (first, others);
    }

    /// Returns the table with one of the others.
    pub(super) fn table(&mut self, planes: &ClassPlanes, other: usize) -> &PairCounts {
        let (first, second) = (planes.shapes[self.first], planes.shapes[other]);
        let (firsts, seconds) =
            (planes.planes(self.first..self.first + 1), planes.planes(other..other + 1));
        let lines = planes.planes(self.others.clone());
        let skipped = seconds.start - lines.start;
        let classes = planes.classes.len();
        let Self { common, table, .. } = self;
        table.levels = (first.levels, second.levels);
        table.classes = classes;
        table.cells.resize(first.levels * second.levels * classes, 0);
        let place = |one: usize, other: usize, class: usize| {
            (one * second.levels + other) * classes + class
        };
        let (last_first, last_second) = (first.levels - 1, second.levels - 1);
        for (class, of_class) in planes.classes.iter().enumerate() {
            let both = |one: usize, other: usize| {
                common[(class * firsts.len() + one) * lines.len() + skipped + other]
            };
            let (own, others) =
                (&of_class.counts[firsts.clone()], &of_class.counts[seconds.clone()]);
            // Counts of the rows in which both features are known: all, those of a level of either, and those of
            // both.
            let of_first =
                |one: usize| if second.has_gaps { both(one, last_second) } else { own[one] };
            let of_second =
                |other: usize| if first.has_gaps { both(last_first, other) } else { others[other] };
            let rows = match (first.has_gaps, second.has_gaps) {
                (true, true) => both(last_first, last_second),
                (true, false) => own[last_first],
                (false, true) => others[last_second],
                (false, false) => of_class.rows,
            };
            let mut left = rows;
            for one in 0..last_first {
                let mut of_level = of_first(one);
                left -= of_level;
                for other in 0..last_second {
                    let count = both(one, other);
                    table.cells[place(one, other, class)] = count;
                    of_level -= count;
                }
                table.cells[place(one, last_second, class)] = of_level;
            }
            for other in 0..last_second {
                let above: u32 = (0..last_first).map(|one| both(one, other)).sum();
                let count = of_second(other) - above;
                table.cells[place(last_first, other, class)] = count;
                left -= count;
            }
            table.cells[place(last_first, last_second, class)] = left;
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Categories;

    proptest! {
        #[test]
        fn tables_are_those_of_loops_over_rows(
            rows in 0_usize..200,
            classes in 1_usize..4,
            shapes in proptest::collection::vec((1_usize..5, any::<bool>(), any::<bool>()), 2..6),
            seed in any::<u64>(),
        ) {
            let mut state = seed | 1;
            let mut below = |bound: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % bound
            };
            let columns: Vec<Column<'_>> = shapes.iter().map(|&(levels, has_gaps, is_genotype)| {
                let mut code = || if has_gaps && below(5) == 0 { 3 } else { below(levels.min(3)) };
                let codes: Vec<usize> = (0..rows).map(|_| code()).collect();
                if is_genotype {
                    let codes = codes.iter().map(|&code| code as u8).collect::<Vec<_>>();
                    return Column::genotype("g", codes.into()).unwrap();
                }
                let texts: Vec<Option<String>> =
                    codes.iter().map(|&code| (code < 3).then(|| format!("c{code}"))).collect();
                Column::categorical("c", Categories::from_texts(texts.iter().map(Option::as_deref)))
            }).collect();
            let labels: Vec<String> = (0..rows).map(|_| below(classes).to_string()).collect();
            let target = Classes::from_labels(&labels);
            let run = Run::new(Some(1)).unwrap();
            let all: Vec<&Column<'_>> = columns.iter().collect();
            let planes = ClassPlanes::new(&LevelColumns::new(&all, &run), &target, &run).unwrap();
            let mut tables = PairTables::default();
            for first in 0..columns.len() {
                tables.count(&planes, first, 0..columns.len());
                for second in (0..columns.len()).filter(|second| planes.varies(first) && planes.varies(*second)) {
                    let found = tables.table(&planes, second);
                    let (one, other) = (Levels::new(&columns[first]), Levels::new(&columns[second]));
                    let mut wanted = vec![0; one.levels.len() * other.levels.len() * target.len()];
                    for row in 0..rows {
                        let (a, b) = (one.codes[row], other.codes[row]);
                        if a != MISSING && b != MISSING {
                            let cell = usize::from(a) * other.levels.len() + usize::from(b);
                            wanted[cell * target.len() + target.codes()[row] as usize] += 1;
                        }
                    }
                    prop_assert_eq!(&found.cells, &wanted);
                    prop_assert_eq!(found.levels, (one.levels.len(), other.levels.len()));
                }
            }
        }
    }
}
