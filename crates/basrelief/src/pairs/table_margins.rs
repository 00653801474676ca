//! The margins of a three-way table of counts.

/// The margins of counts by a first feature, a second one and the class.
#[derive(Debug, Clone, Default)]
pub(super) struct TableMargins {
    /// First and second feature, row by row.
    pub(super) cell: Vec<u32>,
    pub(super) first: Vec<u32>,
    pub(super) second: Vec<u32>,
    pub(super) class: Vec<u32>,
    /// First feature and class.
    pub(super) first_class: Vec<u32>,
    /// Second feature and class.
    pub(super) second_class: Vec<u32>,
}

impl TableMargins {
    /// Replaces the margins by those of other counts: one per level of the first feature, level of the second feature
    /// and class.
    pub(super) fn count(&mut self, counts: &[u32], levels: (usize, usize), classes: usize) {
        let (firsts, seconds) = levels;
        for (margin, size) in [
            (&mut self.cell, firsts * seconds),
            (&mut self.first, firsts),
            (&mut self.second, seconds),
            (&mut self.class, classes),
            (&mut self.first_class, firsts * classes),
            (&mut self.second_class, seconds * classes),
        ] {
            margin.clear();
            margin.resize(size, 0);
        }
        let mut cells = counts.chunks_exact(classes.max(1)).zip(&mut self.cell);
        for (first, of_first) in self.first.iter_mut().enumerate() {
            let first_class = &mut self.first_class[first * classes..][..classes];
            let of_seconds =
                self.second.iter_mut().zip(self.second_class.chunks_exact_mut(classes.max(1)));
            for ((of_second, second_class), (of_cell, cell)) in of_seconds.zip(&mut cells) {
                let rows = of_cell.iter().sum();
                *cell = rows;
                *of_first += rows;
                *of_second += rows;
                for (class, &count) in of_cell.iter().enumerate() {
                    self.class[class] += count;
                    first_class[class] += count;
                    second_class[class] += count;
                }
            }
        }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> u32 {
        self.class.iter().sum()
    }
}

/// The number of nonzero counts.
pub(super) fn used(counts: &[u32]) -> usize {
    counts.iter().filter(|count| **count > 0).count()
}
