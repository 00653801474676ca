//! Genotypes and single bits with AVX2, which has no population count: half a byte of a row
//! contains two genotypes or four bits, and a table contains the count of each of its values with
//! the sixteen values of another row. A shuffle looks this up for 32 rows at once.
//!
//! Rows are first rearranged byte by byte, so that a vector contains one byte of 32 rows. This
//! takes little time compared with the pairs. Missing genotypes take no extra time, since two bits
//! have an unused value.

use std::arch::x86_64::*;

use crate::avx2::{load_bits, store_bits};
use crate::bit_rules::{CHUNK, COMMON, COPIES, Counts, SQUARED_COPIES, add_counts, value_planes};
use crate::{LANES, TILE};

/// Rows of a panel whose counters are in registers at a time.
const ROWS: usize = 4;

/// Panels of which a vector holds a byte of every row.
const PANELS: usize = 32 / LANES;

/// The values of half a byte.
const VALUES: usize = 16;

/// A line of 16 counts for every value, and as many behind them as any byte may ask for.
#[repr(align(64))]
struct Table([u8; TABLE]);

const TABLE: usize = u8::MAX as usize + VALUES;

/// One byte of every row of some panels: the lower halves, vector by vector, and then the upper ones.
type OthersStep<const WIDE: usize> = [[[u64; PANELS]; WIDE]; 2];

/// One byte of every row of a panel: where in the table the lines of the lower halves begin, and those of
/// the upper ones.
type OwnStep = [[u8; LANES]; 2];

/// Whether a rule is supported here, for this number of panels and of others: if there are few,
/// rearranging them takes longer than counting.
pub(crate) const fn is_counted(rule: u8, panels: usize, others: usize) -> bool {
    matches!(rule, COPIES | SQUARED_COPIES | COMMON) && panels > 1 && others > PANELS
}

/// Steps after which the counters of a byte are full.
const fn most_steps(rule: u8) -> usize {
    let most_per_step = if rule == SQUARED_COPIES { 16 } else { 8 };
    255 / most_per_step
}

/// The table of a rule; with `gaps`, a second bit without the first one marks a missing value.
const fn table(rule: u8, gaps: bool) -> Table {
    let mut table = [0; TABLE];
    let mut place = 0;
    while place < VALUES * VALUES {
        let (own, other) = (place / VALUES, place % VALUES);
        table[place] = if rule == COMMON {
            (own & other).count_ones() as u8
        } else {
            difference(rule, gaps, own, other) + difference(rule, gaps, own >> 1, other >> 1)
        };
        place += 1;
    }
    Table(table)
}

/// The count for the genotypes in the bits 0 and 2 of two values.
const fn difference(rule: u8, gaps: bool, own: usize, other: usize) -> u8 {
    const SECOND: usize = 1 << 2;
    const BOTH: usize = SECOND | 1;
    if gaps && (own & BOTH == SECOND || other & BOTH == SECOND) {
        return 0;
    }
    let copies = ((own ^ other) & BOTH).count_ones() as u8;
    if rule == SQUARED_COPIES { copies * copies } else { copies }
}

/// As [`crate::bits::sweep`], for the rules that are [counted here](is_counted).
#[target_feature(enable = "avx2")]
pub(crate) fn sweep<const RULE: u8, const PLANES: usize>(
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
) {
    let per_panel = words * PLANES * LANES;
    let b_panels = b.len() / per_panel;
    for (strip, b) in b.chunks(2 * PANELS * per_panel).enumerate() {
        let lines = out.chunks_exact_mut(b_panels * TILE);
        let tiles = lines.map(|line| &mut line[strip * 2 * PANELS * TILE..]);
        if b.len() > PANELS * per_panel {
            add_strip::<RULE, PLANES, 2>(a, b, words, weight, tiles);
        } else {
            add_strip::<RULE, PLANES, 1>(a, b, words, weight, tiles);
        }
    }
}

/// Adds the counts of the rows of `a` and of those of up to `WIDE` vectors to the tiles of every panel of `a`.
#[target_feature(enable = "avx2")]
fn add_strip<'t, const RULE: u8, const PLANES: usize, const WIDE: usize>(
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    tiles: impl Iterator<Item = &'t mut [f64]>,
) {
    let per_word = PLANES * LANES;
    let per_panel = words * per_word;
    let mut tiles: Vec<&mut [f64]> = tiles.collect();
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for first in (0..words).step_by(CHUNK) {
        let part = first * per_word..(first + CHUNK).min(words) * per_word;
        let steps = part.len() / per_word * value_planes(RULE) * LANES;
        own.resize(steps, OwnStep::default());
        others.resize(steps, [[[0; PANELS]; WIDE]; 2]);
        for (place, b) in b.chunks(PANELS * per_panel).enumerate() {
            let mut panels = [&[][..]; PANELS];
            let parts = b.chunks_exact(per_panel).map(|panel| &panel[part.clone()]);
            panels.iter_mut().zip(parts).for_each(|(panel, part)| *panel = part);
            put_others::<RULE, PLANES, WIDE>(panels, place, &mut others);
        }
        for (a, tiles) in a.chunks_exact(per_panel).zip(&mut tiles) {
            put_own::<RULE, PLANES>(&a[part.clone()], &mut own);
            let counts = count::<RULE, PLANES, WIDE>(&own, &others);
            let tiles = tiles.as_chunks_mut::<TILE>().0.iter_mut();
            for (panel, tile) in tiles.take(b.len() / per_panel).enumerate() {
                let of_panel = |row: usize| counts[row][panel / PANELS][panel % PANELS];
                let counts: Counts = std::array::from_fn(|row| of_panel(row).map(u64::from));
                add_counts(&counts, weight, tile);
            }
        }
    }
}

/// Writes the steps of some panels, of which the last may be empty, to the places of one vector.
#[target_feature(enable = "avx2")]
fn put_others<const RULE: u8, const PLANES: usize, const WIDE: usize>(
    panels: [&[u64]; PANELS],
    place: usize,
    steps: &mut [OthersStep<WIDE>],
) {
    let lower = _mm256_set1_epi8(LOWER);
    for (word, steps) in steps.chunks_exact_mut(value_planes(RULE) * LANES).enumerate() {
        let of_panel = |panel: usize| match panels[panel].as_chunks::<LANES>().0 {
            [] => [_mm256_setzero_si256(); MOST_BYTES],
            planes => bytes_of_rows::<RULE, PLANES>(&planes[word * PLANES..][..PLANES]),
        };
        let bytes: [_; PANELS] = std::array::from_fn(of_panel);
        for (at, steps) in steps.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let of_steps = turned_words(std::array::from_fn(|panel| bytes[panel][at]));
            for (bytes, step) in of_steps.into_iter().zip(steps) {
                let upper = _mm256_and_si256(_mm256_srli_epi64::<4>(bytes), lower);
                store_bits(_mm256_and_si256(bytes, lower), &mut step[0][place]);
                store_bits(upper, &mut step[1][place]);
            }
        }
    }
}

/// Writes the steps of a panel.
#[target_feature(enable = "avx2")]
fn put_own<const RULE: u8, const PLANES: usize>(panel: &[u64], steps: &mut [OwnStep]) {
    let lower = _mm256_set1_epi8(LOWER);
    let words = panel.as_chunks::<LANES>().0.chunks_exact(PLANES);
    for (planes, steps) in words.zip(steps.chunks_exact_mut(value_planes(RULE) * LANES)) {
        let bytes = bytes_of_rows::<RULE, PLANES>(planes);
        for (bytes, steps) in bytes.into_iter().zip(steps.as_chunks_mut::<4>().0) {
            // Offsets are 16 times a value, so the upper halves of the bytes are offsets already.
            let low = _mm256_slli_epi64::<4>(_mm256_and_si256(bytes, lower));
            let high = _mm256_andnot_si256(lower, bytes);
            let (even, odd) = (_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
            let (steps, _) = steps.as_flattened_mut().as_flattened_mut().as_chunks_mut::<32>();
            store_bits(_mm256_permute2x128_si256::<0x20>(even, odd), &mut steps[0]);
            store_bits(_mm256_permute2x128_si256::<0x31>(even, odd), &mut steps[1]);
        }
    }
}

/// The lower half of a byte.
const LOWER: i8 = 0x0f;

/// Vectors of the bytes of a panel's words, at most.
const MOST_BYTES: usize = 4;

/// The halves of bytes of a panel's rows: vector by vector four steps of all rows. Where there is one plane of values,
/// the first two vectors count.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes_of_rows<const RULE: u8, const PLANES: usize>(
    planes: &[[u64; LANES]],
) -> [__m256i; MOST_BYTES] {
    let of_rows = |half: usize| {
        let plane = |plane: usize| load_bits(&planes[plane].as_chunks::<4>().0[half]);
        in_halves_of_bytes::<RULE, PLANES>(std::array::from_fn(plane))
    };
    let (first, last) = (of_rows(0), of_rows(1));
    let [a, b] = turned_bytes(first[0], last[0]);
    let [c, d] = if value_planes(RULE) > 1 { turned_bytes(first[1], last[1]) } else { [a, b] };
    [a, b, c, d]
}

/// The planes of four rows' words as halves of bytes, which fill as many words as there are planes of
/// values: the first bits of two genotypes below their second ones, or any four bits.
#[inline]
#[target_feature(enable = "avx2")]
fn in_halves_of_bytes<const RULE: u8, const PLANES: usize>(
    planes: [__m256i; PLANES],
) -> [__m256i; 2] {
    if RULE == COMMON {
        return [planes[0]; 2];
    }
    let (mut one, mut two) = (planes[0], planes[1]);
    if PLANES > value_planes(RULE) {
        let known = planes[PLANES - 1];
        one = _mm256_and_si256(one, known);
        two = _mm256_or_si256(two, _mm256_xor_si256(known, _mm256_set1_epi8(-1)));
    }
    let twos = _mm256_set1_epi8(0x33);
    let even = _mm256_slli_epi64::<2>(_mm256_and_si256(two, twos));
    let odd = _mm256_and_si256(_mm256_srli_epi64::<2>(one), twos);
    [
        _mm256_or_si256(_mm256_and_si256(one, twos), even),
        _mm256_or_si256(_mm256_andnot_si256(twos, two), odd),
    ]
}

/// Interleaves the bytes of the words of the first four and the last four rows of a panel, so that
/// byte by byte all rows are adjacent.
#[inline]
#[target_feature(enable = "avx2")]
fn turned_bytes(first: __m256i, last: __m256i) -> [__m256i; 2] {
    // The bytes of two rows by turns, then of four, then of all.
    let by_turns = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    let by_turns = _mm256_broadcastsi128_si256(by_turns);
    let first = _mm256_shuffle_epi8(first, by_turns);
    let last = _mm256_shuffle_epi8(last, by_turns);
    let even = _mm256_permute2x128_si256::<0x20>(first, last);
    let odd = _mm256_permute2x128_si256::<0x31>(first, last);
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    [
        _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(even, odd), order),
        _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(even, odd), order),
    ]
}

/// Four lines of four words turned.
#[inline]
#[target_feature(enable = "avx2")]
fn turned_words([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (even_ab, odd_ab) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (even_cd, odd_cd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(even_ab, even_cd),
        _mm256_permute2x128_si256::<0x20>(odd_ab, odd_cd),
        _mm256_permute2x128_si256::<0x31>(even_ab, even_cd),
        _mm256_permute2x128_si256::<0x31>(odd_ab, odd_cd),
    ]
}

/// The counts of a row with the rows of some panels, four to a vector.
type RowCounts<const WIDE: usize> = [[[u16; LANES]; PANELS]; WIDE];

/// The counts of the rows of a panel.
#[target_feature(enable = "avx2")]
fn count<const RULE: u8, const PLANES: usize, const WIDE: usize>(
    own: &[OwnStep],
    others: &[OthersStep<WIDE>],
) -> [RowCounts<WIDE>; LANES] {
    let at_once = most_steps(RULE);
    // For every vector, the sums of the even panels, and of the odd ones.
    let mut sums = [[[_mm256_setzero_si256(); 2]; WIDE]; LANES];
    for (own, others) in own.chunks(at_once).zip(others.chunks(at_once)) {
        for (group, sums) in sums.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            let bytes = add_steps::<RULE, PLANES, WIDE>(group * ROWS, own, others);
            for (sums, bytes) in sums.as_flattened_mut().iter_mut().zip(bytes.as_flattened()) {
                let zero = _mm256_setzero_si256();
                sums[0] = _mm256_add_epi16(sums[0], _mm256_unpacklo_epi8(*bytes, zero));
                sums[1] = _mm256_add_epi16(sums[1], _mm256_unpackhi_epi8(*bytes, zero));
            }
        }
    }
    let mut counts = [[[[0; LANES]; PANELS]; WIDE]; LANES];
    for (sums, counts) in sums.as_flattened().iter().zip(counts.as_flattened_mut()) {
        for (parity, sums) in sums.iter().enumerate() {
            let mut panels = [[0; LANES]; 2];
            store_bits(*sums, panels.as_flattened_mut().first_chunk_mut::<16>().expect("16"));
            counts[parity] = panels[0];
            counts[parity + 2] = panels[1];
        }
    }
    counts
}

/// Adds the counts of [`ROWS`] rows of a panel, starting at `first`, over some steps, with a byte
/// per row of the others.
#[target_feature(enable = "avx2")]
fn add_steps<const RULE: u8, const PLANES: usize, const WIDE: usize>(
    first: usize,
    own: &[OwnStep],
    others: &[OthersStep<WIDE>],
) -> [[__m256i; WIDE]; ROWS] {
    let table = const { &table(RULE, PLANES > value_planes(RULE)) };
    let mut bytes = [[_mm256_setzero_si256(); WIDE]; ROWS];
    for (own, others) in own.iter().zip(others) {
        for (own, others) in own.iter().zip(others) {
            let mut values = [_mm256_setzero_si256(); WIDE];
            values.iter_mut().zip(others).for_each(|(values, panels)| *values = load_bits(panels));
            for (bytes, place) in bytes.iter_mut().zip(&own[first..first + ROWS]) {
                // SAFETY: 16 bytes of the table follow upon any place that is a byte; this load asks for no
                // alignment.
                let line =
                    unsafe { _mm_loadu_si128(table.0.as_ptr().add(usize::from(*place)).cast()) };
                let line = _mm256_broadcastsi128_si256(line);
                for (bytes, values) in bytes.iter_mut().zip(values) {
                    *bytes = _mm256_add_epi8(*bytes, _mm256_shuffle_epi8(line, values));
                }
            }
        }
    }
    bytes
}
