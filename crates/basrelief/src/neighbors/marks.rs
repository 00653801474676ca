//! Marks the near and the far rows of every row: a bit per pair of rows.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use basrelief_kernels::{LANES, Side, TILE, find_beside, level, turn_bits};

use super::options::RadiusRule;

/// Bits of a word of marks.
pub(crate) const WORD: usize = u64::BITS as usize;

/// Rows of a block of a search within a radius: a block of distances takes 128 KB and stays in the
/// second-level cache.
pub(super) const MARKED_ROWS: usize = 128;

/// Words of a row over a block.
const WORDS_OF_BLOCK: usize = MARKED_ROWS / WORD;

/// The marks of the rows of one block over those of another, row by row.
pub(super) type BlockWords = [[u64; WORDS_OF_BLOCK]; MARKED_ROWS];

/// Marks which of some other rows are near to some rows, and which are far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Marks {
    /// Number of other rows.
    pub(crate) others: usize,
    /// Bits of near rows, and of far rows if requested: row by row, a bit per other row, in complete words.
    pub(crate) sides: Vec<Vec<u64>>,
    /// Row by row, the strength of every other row if it is marked; empty if all strengths are 1.
    pub(crate) strengths: Vec<f64>,
}

impl Marks {
    /// Returns empty marks over this number of other rows, with far rows on request.
    pub(crate) fn empty(others: usize, with_far: bool) -> Self {
        Self { others, sides: vec![Vec::new(); sides(with_far)], strengths: Vec::new() }
    }

    /// Returns the bytes of the marks of this number of rows over this number of others.
    pub(crate) fn bytes(rows: u64, others: u64, rule: RadiusRule, with_far: bool) -> u64 {
        let strengths = if rule.sigmoid { others } else { 0 };
        let words = sides(with_far) as u64 * others.div_ceil(WORD as u64);
        rows.saturating_mul(8 * (words + strengths))
    }

    /// Whether these are marks of this number of rows, with or without far rows and strengths.
    pub(crate) fn are_of(&self, rows: usize, with_far: bool, with_strengths: bool) -> bool {
        let bits = rows * self.others.div_ceil(WORD);
        self.sides.len() == sides(with_far)
            && self.sides.iter().all(|side| side.len() == bits)
            && self.strengths.len() == if with_strengths { rows * self.others } else { 0 }
    }

    /// The marks of a row on a side.
    pub(crate) fn row(&self, side: usize, row: usize) -> &[u64] {
        let words = self.others.div_ceil(WORD);
        &self.sides[side][row * words..][..words]
    }

    /// The neighbors of a row on a side, ascending.
    pub(crate) fn places(&self, side: usize, row: usize) -> impl Iterator<Item = usize> {
        let words = self.row(side, row).iter().enumerate();
        words.flat_map(|(at, word)| set_bits(*word).map(move |bit| at * WORD + bit))
    }

    /// Replaces the marks of a row on a side.
    pub(super) fn set_row(&mut self, side: usize, row: usize, is_marked: impl Fn(usize) -> bool) {
        let words = self.others.div_ceil(WORD);
        let bits = &mut self.sides[side][row * words..][..words];
        bits.fill(0);
        (0..self.others).filter(|&other| is_marked(other)).for_each(|other| {
            bits[other / WORD] |= 1 << (other % WORD);
        });
    }

    /// Sets or clears the mark of another row for a row on a side.
    pub(super) fn set(&mut self, side: usize, row: usize, other: usize, is_marked: bool) {
        let words = self.others.div_ceil(WORD);
        let word = &mut self.sides[side][row * words + other / WORD];
        *word = *word & !(1 << (other % WORD)) | u64::from(is_marked) << (other % WORD);
    }

    /// Returns the strength of another row, if it is marked.
    pub(crate) fn strength(&self, row: usize, other: usize) -> f64 {
        self.strengths.get(row * self.others + other).copied().unwrap_or(1.0)
    }

    /// Whether all marked rows have equal strengths.
    pub(crate) fn are_even(&self) -> bool {
        self.strengths.is_empty()
    }

    /// Appends the marks of the rows that follow.
    pub(crate) fn append(&mut self, other: Self) {
        self.sides.iter_mut().zip(other.sides).for_each(|(all, part)| all.extend(part));
        self.strengths.extend(other.strengths);
    }

    /// Appends the marks over the other rows that follow, row by row; those before fill complete
    /// words.
    pub(crate) fn append_others(self, next: Self) -> Self {
        if self.others == 0 {
            return next;
        }
        let beside = |own: &[u64], next: &[u64], widths: [usize; 2]| {
            let rows = own.chunks_exact(widths[0]).zip(next.chunks_exact(widths[1]));
            rows.flat_map(|(own, next)| own.iter().chain(next)).copied().collect::<Vec<u64>>()
        };
        let others = [self.others, next.others];
        let words = others.map(|others| others.div_ceil(WORD));
        let sides = self.sides.iter().zip(&next.sides);
        let sides = sides.map(|(own, next)| beside(own, next, words)).collect();
        let rows = self.strengths.chunks_exact(others[0]);
        let rows = rows.zip(next.strengths.chunks_exact(others[1].max(1)));
        let strengths = rows.flat_map(|(own, next)| own.iter().chain(next)).copied().collect();
        Self { others: others[0] + others[1], sides, strengths }
    }
}

/// Number of sides: near rows, or near and far rows.
pub(super) fn sides(with_far: bool) -> usize {
    1 + usize::from(with_far)
}

/// The sides of a bound, by the index of a side.
pub(super) const SIDES: [Side; 2] = [Side::Near, Side::Far];

/// The bits of a word that are set, ascending.
pub(crate) fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}

/// Marks that many threads set at once, each for different pairs of blocks.
pub(super) struct MarksDraft {
    others: usize,
    sides: Vec<Vec<AtomicU64>>,
    /// Bits of floating-point numbers.
    strengths: Vec<AtomicU64>,
}

impl MarksDraft {
    /// Starts marks of this number of rows over this number of others.
    pub(super) fn new(rows: usize, others: usize, rule: RadiusRule, with_far: bool) -> Self {
        let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let strengths = if rule.sigmoid { rows * others } else { 0 };
        let bits = rows * others.div_ceil(WORD);
        let sides = (0..sides(with_far)).map(|_| zeros(bits)).collect();
        Self { others, sides, strengths: zeros(strengths) }
    }

    /// Stores the marks of some rows on a side over the others from `first` on, where a word
    /// begins.
    pub(super) fn put(&self, side: usize, rows: Range<usize>, first: usize, words: &BlockWords) {
        let width = self.others.div_ceil(WORD);
        for (row, words) in rows.zip(words) {
            let out = &self.sides[side][row * width..][..width];
            out[first / WORD..].iter().zip(words).for_each(|(out, word)| out.store(*word, Relaxed));
        }
    }

    /// Stores the strength of another row for a row.
    pub(super) fn put_strength(&self, row: usize, other: usize, strength: f64) {
        self.strengths[row * self.others + other].store(strength.to_bits(), Relaxed);
    }

    /// Returns the marks.
    pub(super) fn into_marks(self) -> Marks {
        let bits = |words: Vec<AtomicU64>| words.into_iter().map(AtomicU64::into_inner);
        Marks {
            others: self.others,
            sides: self.sides.into_iter().map(|side| bits(side).collect()).collect(),
            strengths: bits(self.strengths).map(f64::from_bits).collect(),
        }
    }
}

/// The marks of the pairs of two blocks, in both directions, by row of the first block.
pub(super) struct PairWords {
    /// The rows of the second block that are neighbors of a row of the first.
    pub(super) to: BlockWords,
    /// The rows of the second block that have a row of the first as a neighbor.
    pub(super) from: BlockWords,
}

impl Default for PairWords {
    fn default() -> Self {
        Self { to: [[0; WORDS_OF_BLOCK]; MARKED_ROWS], from: [[0; WORDS_OF_BLOCK]; MARKED_ROWS] }
    }
}

impl PairWords {
    /// Replaces the marks by those of two blocks, from their tiled distances and one side of the
    /// bounds of their rows, panel by panel. `counts` are the numbers of rows of the blocks;
    /// `masks` is reused memory.
    pub(super) fn fill(
        &mut self,
        side: Side,
        tiles: &[[f64; TILE]],
        [rows, columns]: [&[[f64; LANES]]; 2],
        counts: [usize; 2],
        masks: &mut Vec<[u64; 2]>,
    ) {
        *self = Self::default();
        masks.resize(columns.len(), [0; 2]);
        for ((panel, bounds), tiles) in rows.iter().enumerate().zip(tiles.chunks(columns.len())) {
            let own = vec![*bounds; columns.len()];
            find_beside(level(), side, tiles, &own, columns, masks);
            for (column, mask) in masks.iter().enumerate() {
                let (word, shift) = (column / LANES, column % LANES * LANES);
                for (lane, (to, from)) in
                    mask[0].to_le_bytes().into_iter().zip(mask[1].to_le_bytes()).enumerate()
                {
                    self.to[panel * LANES + lane][word] |= u64::from(to) << shift;
                    self.from[panel * LANES + lane][word] |= u64::from(from) << shift;
                }
            }
        }
        // Distances of lanes without a row have no meaning.
        let there = places_before(counts[1]);
        self.to.iter_mut().for_each(|words| words.iter_mut().zip(there).for_each(|(w, t)| *w &= t));
        self.from[counts[0]..].fill([0; WORDS_OF_BLOCK]);
    }

    /// The rows of the first block that are neighbors of a row of the second.
    pub(super) fn of_second(&self) -> BlockWords {
        turned(&self.from)
    }
}

/// Returns the first `count` places of a block as bits.
pub(super) fn places_before(count: usize) -> [u64; WORDS_OF_BLOCK] {
    std::array::from_fn(|word| match count.saturating_sub(word * WORD) {
        WORD.. => u64::MAX,
        few => (1 << few) - 1,
    })
}

/// Transposes the bits.
pub(super) fn turned(words: &BlockWords) -> BlockWords {
    let mut turned = [[0; WORDS_OF_BLOCK]; MARKED_ROWS];
    for (row, column) in (0..WORDS_OF_BLOCK).flat_map(|r| (0..WORDS_OF_BLOCK).map(move |c| (r, c)))
    {
        let mut square: [u64; WORD] = std::array::from_fn(|at| words[row * WORD + at][column]);
        turn_bits(&mut square);
        let out = turned[column * WORD..][..WORD].iter_mut().zip(square);
        out.for_each(|(out, word)| out[row] = word);
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_put_side_by_side() {
        let part = |others: usize, step: usize| {
            let mut marks = Marks::empty(others, true);
            marks.sides = vec![vec![0; 3 * others.div_ceil(WORD)]; 2];
            marks.strengths = (0..3 * others).map(|at| at as f64).collect();
            for row in 0..3 {
                marks.set_row(0, row, |other| (other + row) % step == 0);
                marks.set(1, row, row + step, true);
            }
            marks
        };
        let (first, second) = (part(128, 3), part(70, 5));
        assert!(first.are_of(3, true, true) && !first.are_of(3, false, true));
        let all = first.clone().append_others(second.clone());
        assert!(all.are_of(3, true, true) && !all.are_of(4, true, true));
        for (row, other) in (0..3).flat_map(|row| (0..198).map(move |other| (row, other))) {
            let (part, at) = if other < 128 { (&first, other) } else { (&second, other - 128) };
            let bit = |marks: &Marks, at: usize| marks.row(0, row)[at / WORD] >> (at % WORD) & 1;
            assert_eq!(bit(&all, other), bit(part, at));
            assert_eq!(all.strength(row, other), part.strength(row, at));
        }
        let far: Vec<usize> = set_bits(all.row(1, 2)[0]).collect();
        assert_eq!((far, all.row(1, 2)[2]), (vec![5], 1 << 7));
        let mut again = all.clone();
        again.set(1, 2, 5, false);
        assert_eq!(again.row(1, 2)[0], 0);
    }

    #[test]
    fn words_of_a_pair_of_blocks_by_hand() {
        // A row has a column as a neighbor if their distance is below its bound, and vice versa.
        let distance = |row: usize, column: usize| (row * 7 + column * 3) % 50;
        let panels = MARKED_ROWS / LANES;
        let mut tiles = vec![[0.0; TILE]; panels * panels];
        for (row, column) in (0..MARKED_ROWS).flat_map(|r| (0..MARKED_ROWS).map(move |c| (r, c))) {
            let tile = &mut tiles[row / LANES * panels + column / LANES];
            tile[row % LANES * LANES + column % LANES] = distance(row, column) as f64;
        }
        let bounds = |step: usize| -> Vec<[f64; LANES]> {
            let bound = |at: usize| (at * step % 40) as f64;
            (0..panels).map(|panel| std::array::from_fn(|l| bound(panel * LANES + l))).collect()
        };
        let (rows, columns) = (bounds(3), bounds(11));
        let mut words = PairWords::default();
        let counts = [MARKED_ROWS, 100];
        words.fill(Side::Near, &tiles, [&rows, &columns], counts, &mut Vec::new());
        let second = words.of_second();
        for (row, column) in (0..MARKED_ROWS).flat_map(|r| (0..MARKED_ROWS).map(move |c| (r, c))) {
            let bit = |words: &BlockWords, row: usize, column: usize| {
                words[row][column / WORD] >> (column % WORD) & 1 == 1
            };
            let distance = distance(row, column);
            let wanted = distance < row * 3 % 40 && column < 100;
            assert_eq!(bit(&words.to, row, column), wanted);
            assert_eq!(bit(&words.from, row, column), distance < column * 11 % 40);
            assert_eq!(bit(&second, column, row), distance < column * 11 % 40);
        }
    }
}
