//! Every kernel at every level this machine has, against a scalar loop over one pair: to the bit
//! (where products are fused, to rounding), for sizes with every tail length and for random ones, wherever in memory the slices start.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use basrelief_kernels::{
    BitRule, CASE_ROWS, COUNTED, COUNTED_WORDS, CaseBlock, ChangeLists, ChangeSums, FARTHEST,
    FEW_CASES, FactorsOf, Fraction, GREATEST_LIMIT, HINGE_LANES, HingePairs, HingeSide, HitWalk,
    KTH_WIDTH, LANES, Level, LineRule, ListDifferences, ListFactors, Lookups, MARKS, MASK_WORDS,
    MISSING_BYTE, MISSING_CODE, MOST_COUNTED, MOST_LINES, MOST_ROUNDED, MOST_WHOLE, Moments,
    Multiple, NEAR_LANES, NEAR_PANEL, NEAR_ROWS, NO_LIMIT, NO_UNIT, NearChunk, NumberOrder,
    NumberRule, OfChunk, OfLimits, PAIR_CHUNKS, PAIR_LANES, PAIR_ROWS, PAIR_SUMS, PairMoves,
    PairPanel, PairRows, PairSums, PermutationCounts, PermutationMask, RUN_WIDTH, RampRule,
    Reaches, Reaching, RealLanes, RepeatedPair, RoundedCases, Rounding, Roundings, RowTile, SHARES,
    Scales, Side, SmallLanes, SoughtPanel, SoughtRows, SubsetLanes, TILE, VARIABLE, Weighed,
    add_bit_differences, add_cases, add_common_bits, add_counts, add_deviations,
    add_difference_products, add_greater_whole, add_line, add_list_changes, add_marked,
    add_mismatches, add_numbers, add_pair_differences, add_pairs, add_pairs_at, add_rounded_cases,
    add_rounded_lines, add_to_rows, add_weighted_differences, add_weighted_rows, add_weighted_runs,
    bound_of_least, chosen_level, code_planes, count_common, count_packed_genotypes, exponentials,
    find_below, find_beside, find_code, find_missing, find_near_pairs, finite_moments,
    genotype_bit, genotype_deviations, genotype_planes, hinge_slopes, kth_least, least, look_up,
    mark_code, mark_missing_genotypes, mean_differences, move_pairs, nearest_apart,
    pair_exponentials, pair_products, pair_sums, panels, put_columns, put_lines, round_rows,
    round_rows_to_whole, round_to_whole, rounded_distances, running_sums, scale_and_drop,
    scale_numbers, squared_distances, squared_distances_at, squares_of_repeated, sum_differences,
    take_columns, turn_bits, unpack_cases, weigh_cases, weigh_lines, whole_differences,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// All that this machine has, or the one that the environment variable forces: on an emulator each
/// takes minutes.
fn levels() -> impl Iterator<Item = Level> {
    let forced = std::env::var_os(VARIABLE).is_some_and(|name| !name.is_empty());
    let only = forced.then(|| chosen_level().expect("a level that this machine has"));
    let tested = move |level: &Level| only.map_or(level.is_available(), |only| *level == only);
    Level::ALL.into_iter().filter(tested)
}

/// Contents from a seed (splitmix64): proptest's own vectors of these sizes are slow.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// From -1 to 1; every fourth is a multiple of a quarter, so that some are equal.
    fn number(&mut self) -> f64 {
        let number = self.bits() as f64 / u64::MAX as f64 * 2.0 - 1.0;
        if self.below(4) == 0 { (number * 4.0).round() / 4.0 } else { number }
    }

    fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }

    fn rows<T>(
        &mut self,
        rows: usize,
        width: usize,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Vec<Vec<T>> {
        (0..rows).map(|_| (0..width).map(|_| element(self)).collect()).collect()
    }

    /// Moves values to an odd place of an allocation of their own.
    fn place<T: Clone>(&mut self, values: Vec<T>) -> Placed<T> {
        let Some(first) = values.first() else { return Placed { all: values, start: 0 } };
        let start = 2 * self.below(4) + 1;
        let mut all = vec![first.clone(); start];
        all.extend(values);
        Placed { all, start }
    }

    /// Packs `rows[row][element]` into panels; the last panel is filled with `fill`.
    fn pack<T: Copy>(&mut self, rows: &[Vec<T>], fill: T) -> Placed<T> {
        let width = rows.first().map_or(0, Vec::len);
        let mut out = vec![fill; panels(rows.len()) * width * LANES];
        for (row, values) in rows.iter().enumerate() {
            for (element, value) in values.iter().enumerate() {
                out[(row / LANES * width + element) * LANES + row % LANES] = *value;
            }
        }
        self.place(out)
    }
}

/// A slice that starts at an odd element: its address is no multiple of a vector's size.
struct Placed<T> {
    all: Vec<T>,
    start: usize,
}

impl<T> Deref for Placed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all[self.start..]
    }
}

impl<T> DerefMut for Placed<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[self.start..]
    }
}

/// Rows on the left, rows on the right, and elements of a row.
#[derive(Debug, Clone, Copy)]
struct Size {
    a: usize,
    b: usize,
    width: usize,
}

/// Every number of rows in a last panel with every width up to 33 and around the chunks' borders,
/// and every number of rows up to 300.
fn fixed_sizes() -> Vec<Size> {
    if cfg!(miri) {
        let sizes = [(3, 10, 0), (9, 2, 1), (4, 4, 8)];
        return sizes.map(|(a, b, width)| Size { a, b, width }).to_vec();
    }
    let borders = [64, 128, 256, 512].into_iter().flat_map(|border| border - 2..=border + 2);
    let widths: Vec<usize> = (0..=33).chain(borders).collect();
    let tails = widths
        .into_iter()
        .flat_map(|width| (1..=LANES).map(move |a| Size { a, b: 2 * LANES + 1 - a, width }));
    let rows = (1..=300).map(|rows| Size { a: rows, b: 1 + rows * 7 % 19, width: rows % 4 });
    // Panels of several vectors of bytes, full or not, and counters that fill up.
    let vectors = [33, 64, 65, 97, 128, 130].into_iter().flat_map(|b| {
        [1, 5, 63, 64, 66, 150].map(move |width| Size { a: 9 + b % LANES, b, width })
    });
    tails.chain(rows).chain(vectors).collect()
}

/// Many rows of few elements, many elements of few rows, and between.
fn random_sizes() -> impl Strategy<Value = Size> {
    let few = || 1..=20_usize;
    let size = |(a, b, width)| Size { a, b, width };
    let many = || 1..=300_usize;
    prop_oneof![
        (many(), many(), 0..=6_usize).prop_map(size),
        (few(), few(), 0..=600_usize).prop_map(size),
        (many(), few(), 0..=70_usize).prop_map(size),
        (few(), many(), 0..=70_usize).prop_map(size),
    ]
}

/// Checks random inputs; a failure is shrunk and printed. Not under Miri, where the fixed ones take
/// long enough.
fn on_random<S: Strategy>(inputs: S, check: impl Fn(S::Value, &mut Random)) {
    if cfg!(miri) {
        return;
    }
    let config = ProptestConfig::default();
    // The environment variable `PROPTEST_CASES` can ask for fewer.
    let cases = config.cases.min(24);
    let config = ProptestConfig { cases, failure_persistence: None, ..config };
    let inputs = (inputs, any::<u64>());
    let result = TestRunner::new(config).run(&inputs, |(input, seed)| {
        check(input, &mut Random(seed));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn on_all_sizes(check: impl Fn(Size, &mut Random)) {
    for (index, size) in fixed_sizes().into_iter().enumerate() {
        check(size, &mut Random(index as u64));
    }
    on_random(random_sizes(), check);
}

/// Runs a kernel that adds to tiles at all levels: all must give `expected`, to the bit.
fn agree(
    size: Size,
    random: &mut Random,
    what: impl Debug,
    kernel: impl Fn(Level, &mut [f64]),
    expected: impl Fn(usize, usize) -> f64,
) {
    let b_panels = panels(size.b);
    let expected: Vec<Vec<f64>> =
        (0..size.a).map(|i| (0..size.b).map(|j| expected(i, j)).collect()).collect();
    for level in levels() {
        let mut out = random.place(vec![1.5; panels(size.a) * b_panels * TILE]);
        kernel(level, &mut out);
        for (i, expected) in expected.iter().enumerate() {
            for (j, wanted) in expected.iter().enumerate() {
                let tile = i / LANES * b_panels + j / LANES;
                let found = out[tile * TILE + i % LANES * LANES + j % LANES];
                assert!(
                    found.to_bits() == wanted.to_bits(),
                    "{} {size:?} {what:?} pair ({i}, {j}): {found} instead of {wanted}",
                    level.name()
                );
            }
        }
    }
}

#[test]
fn numbers_agree() {
    let slope = Some(RampRule { equal: 0.1, different: 0.6 });
    let counted = [(false, None), (true, None), (false, slope), (true, slope)];
    on_all_sizes(|size, random| {
        let scales: Vec<f64> = (0..size.width).map(|f| 0.5 + f as f64 / 100.0).collect();
        let scales = random.place(scales);
        for gaps in [false, true] {
            let number = |random: &mut Random| {
                if gaps && random.below(8) == 0 { f64::NAN } else { random.number() }
            };
            let a = random.rows(size.a, size.width, number);
            let b = random.rows(size.b, size.width, number);
            // What is beside the rows must not get into them.
            let (packed_a, packed_b) = (random.pack(&a, f64::NAN), random.pack(&b, f64::NAN));
            for (square, ramp) in counted {
                let rule = NumberRule { square, gaps, ramp };
                let kernel = |level, out: &mut [f64]| {
                    add_numbers(level, rule, &packed_a, &packed_b, size.width, &scales, out);
                };
                agree(size, random, rule, kernel, |i, j| {
                    let mut sum = 1.5;
                    for f in 0..size.width {
                        let mut d = (a[i][f] - b[j][f]).abs();
                        if d.is_nan() {
                            continue;
                        }
                        if let Some(ramp) = ramp {
                            d = (d * scales[f] - ramp.equal) / (ramp.different - ramp.equal);
                            d = d.clamp(0.0, 1.0);
                        }
                        sum += if square { d * d } else { d };
                    }
                    sum
                });
            }
        }
    });
}

#[test]
fn greater_whole_numbers_agree() {
    on_all_sizes(|size, random| {
        let value = |random: &mut Random| match random.below(6) {
            0 => 0,
            1 | 2 => MOST_WHOLE,
            _ => random.below(MOST_WHOLE as usize + 1) as u32,
        };
        let (a, b) =
            (random.rows(size.a, size.width, value), random.rows(size.b, size.width, value));
        let (packed_a, packed_b) = (random.pack(&a, MOST_WHOLE), random.pack(&b, MOST_WHOLE));
        let kernel = |level, out: &mut [f64]| {
            add_greater_whole(level, &packed_a, &packed_b, size.width, out);
        };
        agree(size, random, (), kernel, |i, j| {
            1.5 + a[i].iter().zip(&b[j]).map(|(x, y)| u64::from(*x.max(y))).sum::<u64>() as f64
        });
    });
}

#[test]
fn codes_agree() {
    // Those with the upper bit and the greatest that is no missing one, too.
    let codes = [0, 1, 2, 3, 1 << 31, MISSING_CODE - 1, MISSING_CODE];
    on_all_sizes(|size, random| {
        let code = |random: &mut Random| codes[random.below(codes.len())];
        let a = random.rows(size.a, size.width, code);
        let b = random.rows(size.b, size.width, code);
        let (packed_a, packed_b) = (random.pack(&a, 0), random.pack(&b, 0));
        let kernel = |level, out: &mut [f64]| {
            add_mismatches(level, &packed_a, &packed_b, size.width, 3.0, out);
        };
        agree(size, random, (), kernel, |i, j| {
            let known = |code: u32| code != MISSING_CODE;
            let differ = |x: u32, y: u32| x != y && known(x) && known(y);
            1.5 + 3.0 * a[i].iter().zip(&b[j]).filter(|(x, y)| differ(**x, **y)).count() as f64
        });
    });
}

/// 64 genotypes: for 0, 1 and 2 copies and for unknown the bits of the features that have it.
type Genotypes = [u64; 4];

/// Rows of one genotype throughout, which fill every counter, and rows of all.
fn genotype_rows(
    random: &mut Random,
    rows: usize,
    words: usize,
    gaps: bool,
) -> Vec<Vec<Genotypes>> {
    let row = |_| {
        let same = random.below(6);
        let word = |random: &mut Random| {
            let (high, low) = match same {
                0..3 => (0_u64.wrapping_sub(same as u64 >> 1), 0_u64.wrapping_sub(same as u64 & 1)),
                _ => (random.bits(), random.bits()),
            };
            let unknown = high & low;
            if gaps {
                [!high & !low, !high & low, high & !low, unknown]
            } else {
                [!high & !low | unknown, !high & low, high & !low, 0]
            }
        };
        (0..words).map(|_| word(random)).collect()
    };
    (0..rows).map(row).collect()
}

/// Those of bits.
const BIT_RULES: [BitRule; 4] =
    [BitRule::Copies, BitRule::SquaredCopies, BitRule::Mismatch, BitRule::MismatchOfFour];

#[test]
fn genotypes_agree() {
    let (rules, _) = BIT_RULES.as_chunks::<3>();
    let planes = |rows: &[Vec<Genotypes>], gaps: bool| -> Vec<Vec<u64>> {
        let of_word = |[none, one, two, _]: &Genotypes| {
            let planes = [one | two, *two, none | one | two];
            planes.into_iter().take(if gaps { 3 } else { 2 })
        };
        rows.iter().map(|row| row.iter().flat_map(of_word).collect()).collect()
    };
    on_all_sizes(|size, random| {
        for gaps in [false, true] {
            let a = genotype_rows(random, size.a, size.width, gaps);
            let b = genotype_rows(random, size.b, size.width, gaps);
            let packed_a = random.pack(&planes(&a, gaps), u64::MAX);
            let packed_b = random.pack(&planes(&b, gaps), u64::MAX);
            // How many features have so many copies here and so many there.
            let count = |i: usize, j: usize| {
                let mut counts = [[0_u32; 3]; 3];
                for (x, y) in a[i].iter().zip(&b[j]) {
                    for (left, counts) in counts.iter_mut().enumerate() {
                        for (right, count) in counts.iter_mut().enumerate() {
                            *count += (x[left] & y[right]).count_ones();
                        }
                    }
                }
                counts
            };
            let counts: Vec<Vec<_>> =
                (0..size.a).map(|i| (0..size.b).map(|j| count(i, j)).collect()).collect();
            for &rule in rules.as_flattened() {
                let kernel = |level, out: &mut [f64]| {
                    add_bit_differences(
                        level, rule, gaps, &packed_a, &packed_b, size.width, 0.5, out,
                    );
                };
                agree(size, random, (rule, gaps), kernel, |i, j| {
                    let mut sum = 0;
                    for (left, counts) in counts[i][j].iter().enumerate() {
                        for (right, count) in counts.iter().enumerate() {
                            let copies = left.abs_diff(right) as u32;
                            sum += count
                                * match rule {
                                    BitRule::Copies => copies,
                                    BitRule::SquaredCopies => copies * copies,
                                    _ => copies.min(1),
                                };
                        }
                    }
                    1.5 + 0.5 * f64::from(sum)
                });
            }
        }
    });
}

#[test]
fn codes_in_four_planes_agree() {
    let differ = |x: &[u64], y: &[u64]| (0..4).fold(0, |bits, plane| bits | (x[plane] ^ y[plane]));
    on_all_sizes(|size, random| {
        for planes in [4, 5] {
            // Rows of one code throughout fill every counter.
            let one = |random: &mut Random| match random.below(3) {
                0 => 0,
                1 => u64::MAX,
                _ => random.bits(),
            };
            let a = random.rows(size.a, size.width * planes, one);
            let b = random.rows(size.b, size.width * planes, one);
            let (packed_a, packed_b) = (random.pack(&a, u64::MAX), random.pack(&b, u64::MAX));
            let (rule, gaps) = (BitRule::MismatchOfFour, planes == 5);
            let kernel = |level, out: &mut [f64]| {
                let (a, b) = (&packed_a, &packed_b);
                add_bit_differences(level, rule, gaps, a, b, size.width, 0.5, out);
            };
            agree(size, random, gaps, kernel, |i, j| {
                let words = a[i].chunks(planes).zip(b[j].chunks(planes));
                let counts = words.map(|(x, y)| {
                    let known = if gaps { x[4] & y[4] } else { u64::MAX };
                    (differ(x, y) & known).count_ones()
                });
                1.5 + 0.5 * f64::from(counts.sum::<u32>())
            });
        }
    });
}

#[test]
fn common_bits_agree() {
    on_all_sizes(|size, random| {
        let a = random.rows(size.a, size.width, Random::bits);
        let b = random.rows(size.b, size.width, Random::bits);
        let (packed_a, packed_b) = (random.pack(&a, u64::MAX), random.pack(&b, u64::MAX));
        let kernel = |level, out: &mut [f64]| {
            add_common_bits(level, &packed_a, &packed_b, size.width, out);
        };
        agree(size, random, (), kernel, |i, j| {
            1.5 + a[i].iter().zip(&b[j]).map(|(x, y)| f64::from((x & y).count_ones())).sum::<f64>()
        });
    });
}

/// Distances of rounded numbers, and which are below a bound: none, all, those equal to it not.
#[test]
fn rounded_distances_agree() {
    on_all_sizes(|size, random| {
        let pairs = size.width;
        let odd = random.coin();
        let value = |random: &mut Random| match random.below(6) {
            0 => 0,
            1 => MOST_ROUNDED,
            _ => random.below(MOST_ROUNDED as usize + 1) as i16,
        };
        let mut rows = |count: usize| {
            let mut rows = random.rows(count, pairs, |random| [value(random), value(random)]);
            if odd {
                rows.iter_mut().filter_map(|row| row.last_mut()).for_each(|pair| pair[1] = 0);
            }
            rows
        };
        let (a, b) = (rows(size.a), rows(size.b));
        let mut sums = |rows: &[Vec<[i16; 2]>]| {
            let of_row = |row: &Vec<[i16; 2]>| row.as_flattened().iter().map(|&x| x as u32).sum();
            let mut sums: Vec<u32> = rows.iter().map(of_row).collect();
            sums.resize(panels(rows.len()) * LANES, 0);
            random.place(sums)
        };
        let (a_sums, b_sums) = (sums(&a), sums(&b));
        let packed_a = random.pack(&a, [MOST_ROUNDED; 2]);
        let packed_b = random.pack(&b, [MOST_ROUNDED; 2]);
        let distance = |i: usize, j: usize| -> u32 {
            let values = a[i].as_flattened().iter().zip(b[j].as_flattened());
            values.map(|(x, y)| u32::from(x.abs_diff(*y))).sum()
        };
        let expected: Vec<Vec<u32>> =
            (0..size.a).map(|i| (0..size.b).map(|j| distance(i, j)).collect()).collect();
        let mut bounds = |panels: usize| {
            let mut bound = || match random.below(8) {
                0 => u32::MAX,
                1 => 1 << 31,
                2..5 => expected[random.below(size.a)][random.below(size.b)],
                _ => 0,
            };
            let bounds = (0..panels).map(|_| std::array::from_fn(|_| bound())).collect();
            random.place::<[u32; LANES]>(bounds)
        };
        let (row_bounds, columns) = (bounds(panels(size.a)), bounds(panels(size.b)));
        for level in levels() {
            let mut out = random.place(vec![9; a_sums.len() * b_sums.len()]);
            rounded_distances(level, &packed_a, &packed_b, pairs, &a_sums, &b_sums, &mut out);
            let tiles = out.as_chunks::<TILE>().0;
            for (panel, tiles) in tiles.chunks(columns.len()).enumerate() {
                let mut masks = random.place(vec![[9; 2]; tiles.len()]);
                let rows = vec![row_bounds[panel]; tiles.len()];
                find_below(level, tiles, &rows, &columns, &mut masks);
                let lanes = (panel * LANES..size.a).take(LANES).enumerate();
                for (row, i) in lanes {
                    for (j, wanted) in expected[i].iter().enumerate() {
                        let (tile, bit) = (j / LANES, row * LANES + j % LANES);
                        let level = level.name();
                        assert_eq!(tiles[tile][bit], *wanted, "{level} {size:?} ({i}, {j})");
                        let bounds = [row_bounds[panel][row], columns[tile][j % LANES]];
                        let found = masks[tile].map(|mask| mask >> bit & 1 == 1);
                        let below = bounds.map(|bound| *wanted < bound);
                        assert_eq!(found, below, "{level} {size:?} ({i}, {j})");
                    }
                }
            }
        }
    });
}

#[test]
fn rounded_rows_agree() {
    let most = f64::from(MOST_ROUNDED);
    let check = |width: usize, random: &mut Random| {
        // With the factor 1 half of them lie in the middle between two whole numbers.
        let halves = random.coin();
        let (least, factor) = if halves { (0.0, 1.0) } else { (-0.25, 0.75 * most) };
        let value = |random: &mut Random| {
            let value = random.number().abs();
            if halves { (value * most * 2.0).floor() / 2.0 } else { value }
        };
        let lines = random.rows(LANES, width + 1, value);
        // Every feature has its own; beyond them nothing is read.
        let of_features: Vec<[f64; 2]> =
            (0..width).map(|at| [least, factor * (1.0 - at as f64 / 1024.0)]).collect();
        let (least, factors): (Vec<f64>, Vec<f64>) =
            of_features.iter().map(|[least, factor]| (*least, *factor)).unzip();
        let (least, factors) = (random.place(least), random.place(factors));
        let roundings = Roundings { least: &least, factors: &factors };
        // A power of two more, so that what is lost is of other bits.
        let more = f64::from(MOST_WHOLE >> 15);
        let of_words: Vec<f64> = factors.iter().map(|factor| factor * more).collect();
        let of_words = Roundings { least: &least, factors: &of_words };
        let mut first: Option<[u64; 2 * LANES]> = None;
        for level in levels() {
            let what = format!("{} {width}", level.name());
            let mut panel = random.place(vec![[9; 2]; (width.div_ceil(2) + 1) * LANES]);
            let mut whole = random.place(vec![9; (width + 1) * LANES]);
            let (mut sums, mut errors) = ([u32::MAX; LANES], [0.25; LANES]);
            let mut lost = [0.25; LANES];
            let each_line = std::array::from_fn(|row| &lines[row][..]);
            round_rows(level, each_line, roundings, &mut panel, &mut sums, &mut errors);
            round_rows_to_whole(level, each_line, of_words, &mut whole, &mut lost);
            for (row, line) in lines.iter().enumerate() {
                let (mut sum, mut error, mut of_words) = (u32::MAX, 0.25, 0.25);
                for (at, [least, factor]) in of_features.iter().enumerate() {
                    let scaled = (line[at] - least) * factor;
                    let rounded = scaled.round_ties_even();
                    let found = panel[at / 2 * LANES + row][at % 2];
                    assert_eq!(f64::from(found), rounded, "{what} row {row} feature {at}");
                    let scaled_more = (line[at] - least) * (factor * more);
                    let word = scaled_more.round_ties_even();
                    assert_eq!(f64::from(whole[at * LANES + row]), word, "{what} {row} {at}");
                    of_words += (scaled_more - word).abs();
                    sum = sum.wrapping_add(found as u32);
                    error += (scaled - rounded).abs();
                }
                assert_eq!(sums[row], sum, "{what} row {row}");
                assert!((errors[row] - error).abs() <= 1e-12 * error, "{what} row {row}");
                assert!((lost[row] - of_words).abs() <= 1e-12 * of_words, "{what} row {row}");
                if width % 2 == 1 {
                    assert_eq!(panel[width / 2 * LANES + row][1], 0, "{what} row {row}");
                }
            }
            assert_eq!(panel[width.div_ceil(2) * LANES..], [[9; 2]; LANES], "{what}");
            assert_eq!(whole[width * LANES..], [9; LANES], "{what}");
            let bits: Vec<u64> = errors.iter().chain(&lost).map(|error| error.to_bits()).collect();
            let bits = bits.try_into().unwrap();
            assert_eq!(*first.get_or_insert(bits), bits, "{what}");
        }
    };
    let counts = if cfg!(miri) { 15..=18_usize } else { 0..=130 };
    counts.for_each(|width| check(width, &mut Random(width as u64)));
    on_random(0..=300_usize, check);
}

#[test]
fn numbers_rounded_to_whole_ones_agree() {
    let check = |rows: usize, random: &mut Random| {
        let values: Vec<f64> = (0..rows).map(|_| random.number().abs()).collect();
        let values = random.place(values);
        // With the second factor half of the multiples of a quarter lie between two whole numbers.
        for (level, factor) in levels().flat_map(|l| [(l, 0.75 * f64::from(MOST_WHOLE)), (l, 2.0)])
        {
            let mut out = random.place(vec![9; rows + 3]);
            let mut errors = random.place(vec![0.25; rows]);
            round_to_whole(
                level,
                &values,
                Rounding { least: -0.25, factor },
                &mut out,
                &mut errors,
            );
            for (row, value) in values.iter().enumerate() {
                let scaled = (value + 0.25) * factor;
                let rounded = scaled.round_ties_even();
                assert_eq!(f64::from(out[row]), rounded, "{} row {row}", level.name());
                assert_eq!(errors[row].to_bits(), (0.25 + (scaled - rounded).abs()).to_bits());
            }
            assert_eq!(out[rows..], [9; 3]);
        }
    };
    let counts = if cfg!(miri) { 5..=5_usize } else { 0..=300 };
    counts.for_each(|rows| check(rows, &mut Random(rows as u64)));
    on_random(0..=300_usize, check);
}

#[test]
fn planes_agree() {
    let check = |features: usize, random: &mut Random| {
        let columns: Vec<[u8; 64]> =
            (0..features).map(|_| std::array::from_fn(|_| random.below(4) as u8)).collect();
        for level in levels() {
            let mut planes = [[9; 64]; 3];
            genotype_planes(level, &columns, &mut planes);
            let mut first = [[9; 64]; 2];
            genotype_planes(level, &columns, &mut first);
            assert_eq!(first, planes[..2]);
            for row in 0..64 {
                for plane in 0..3 {
                    let wanted =
                        columns.iter().enumerate().fold(0_u64, |bits, (column, copies)| {
                            let set = match plane {
                                0 => (1..3).contains(&copies[row]),
                                1 => copies[row] == 2,
                                _ => copies[row] != 3,
                            };
                            bits | u64::from(set) << column
                        });
                    assert_eq!(planes[plane][row], wanted, "{features} features, row {row}");
                }
            }
        }
        for digits in [2, 4] {
            let code = |random: &mut Random| match random.below(5) {
                0 => MISSING_BYTE,
                _ => random.below(1 << digits) as u8,
            };
            let columns: Vec<[u8; 64]> =
                (0..features).map(|_| std::array::from_fn(|_| code(random))).collect();
            for level in levels() {
                let mut planes = [[9; 64]; 5];
                code_planes(level, &columns, &mut planes[..=digits]);
                let mut first = [[9; 64]; 4];
                code_planes(level, &columns, &mut first[..digits]);
                assert_eq!(first[..digits], planes[..digits]);
                for (row, column) in (0..64).flat_map(|row| (0..64).map(move |c| (row, c))) {
                    let set = |plane: usize| planes[plane][row] >> column & 1 == 1;
                    let code = columns.get(column).map(|codes| codes[row]);
                    for digit in 0..digits {
                        let wanted = code.is_some_and(|code| code >> digit & 1 == 1);
                        assert_eq!(set(digit), wanted, "{} row {row}, {column}", level.name());
                    }
                    let known = code.is_some_and(|code| code != MISSING_BYTE);
                    assert_eq!(set(digits), known, "{} row {row}, {column}", level.name());
                }
            }
        }
    };
    let counts = if cfg!(miri) { vec![0, 9] } else { (0..=64).collect() };
    counts.into_iter().for_each(|features| check(features, &mut Random(features as u64)));
}

#[test]
fn counted_differences_agree() {
    // A count of pairs per carry, and each bit of a count.
    let counts = if cfg!(miri) {
        vec![0, 9]
    } else {
        let borders = [32, 64, 128, 256, 512, 1024].into_iter().flat_map(|n| n - 1..=n + 8);
        (0..=24).chain(borders).chain(MOST_COUNTED - 8..=MOST_COUNTED).collect()
    };
    let check = |(rows, others): (usize, usize), random: &mut Random| {
        // Runs of any length, also of none.
        let mut ends: Vec<usize> = (0..random.below(9)).map(|_| random.below(others + 1)).collect();
        ends.push(others);
        ends.sort_unstable();
        let own: Vec<u32> = ends.iter().map(|_| random.below(rows) as u32).collect();
        let others: Vec<u32> = (0..others).map(|_| random.below(rows) as u32).collect();
        let others = random.place(others);
        for rule in [BitRule::Copies, BitRule::Mismatch, BitRule::MismatchOfFour] {
            let codes = if rule == BitRule::MismatchOfFour { 16 } else { 3 };
            let values: Vec<[u8; COUNTED]> = (0..rows)
                .map(|_| {
                    let same = random.below(2 * codes);
                    let value = |_| if same < codes { same } else { random.below(codes) };
                    std::array::from_fn(value).map(|value| value as u8)
                })
                .collect();
            let (width, plane) = (rule.planes() * COUNTED_WORDS / 2, COUNTED_WORDS / 2);
            let mut planes = vec![0_u64; rows * width];
            for (row, values) in values.iter().enumerate() {
                for (f, &value) in values.iter().enumerate() {
                    for k in 0..rule.planes() {
                        let set = match rule {
                            BitRule::MismatchOfFour => value >> k & 1 == 1,
                            _ => usize::from(value) > k,
                        };
                        planes[row * width + k * plane + f / 64] |= u64::from(set) << (f % 64);
                    }
                }
            }
            let planes = random.place(planes);
            let mut expected = [0_u16; COUNTED];
            for (place, &other) in others.iter().enumerate() {
                let own = own[ends.iter().filter(|end| **end <= place).count()];
                let pairs = values[own as usize].iter().zip(&values[other as usize]);
                for (sum, (x, y)) in expected.iter_mut().zip(pairs) {
                    let copies = u16::from(x.abs_diff(*y));
                    *sum += if rule == BitRule::Copies { copies } else { copies.min(1) };
                }
            }
            for level in levels() {
                let mut out = [9; COUNTED];
                sum_differences(level, rule, &planes, &own, &ends, &others, &mut out);
                assert_eq!(out, expected, "{} {rule:?} {} others", level.name(), others.len());
                let mut sums = [0.5; COUNTED];
                add_counts(level, 0.1, &out, &mut sums);
                for (sum, count) in sums.iter().zip(out) {
                    // The product is rounded before it is added.
                    let product = 0.1 * f64::from(count);
                    assert_eq!(sum.to_bits(), (0.5 + product).to_bits(), "{}", level.name());
                }
            }
        }
    };
    for (index, others) in counts.into_iter().enumerate() {
        check((1 + others % 50, others), &mut Random(index as u64));
    }
    on_random((1..=300_usize, 0..=MOST_COUNTED), check);
}

#[test]
fn lines_added_to_rows_agree() {
    let check = |(rows, count): (usize, usize), random: &mut Random| {
        let line = random.numbers(count);
        let chosen: Vec<u32> = (0..rows as u32).filter(|_| random.coin()).collect();
        let width = count + random.below(3);
        let before = random.numbers(rows * width);
        let mut wanted = before.clone();
        for &row in &chosen {
            for (sum, value) in wanted[row as usize * width..].iter_mut().zip(&line) {
                *sum += value;
            }
        }
        let line = random.place(line);
        for level in levels() {
            let mut out = random.place(before.clone());
            add_to_rows(level, &line, &chosen, width, &mut out);
            assert_eq!(*out, *wanted, "{}", level.name());
        }
    };
    let counts = if cfg!(miri) { vec![0, 33] } else { (0..=70).collect() };
    counts.into_iter().for_each(|count| check((count % 7, count), &mut Random(count as u64)));
    on_random((0..=40_usize, 0..=300_usize), check);
}

#[test]
fn numbers_by_case_agree() {
    let check = |(rows, features): (usize, usize), random: &mut Random| {
        // All bits of a case but three are there to be passed over.
        let cases = random.rows(features, rows, |random| random.bits() as u8);
        let numbers: Vec<[f64; FEW_CASES]> =
            (0..features).map(|_| std::array::from_fn(|_| random.number())).collect();
        let of_16_bits: Vec<[u16; FEW_CASES]> = (0..features)
            .map(|_| {
                std::array::from_fn(|_| if random.coin() { u16::MAX } else { random.bits() as u16 })
            })
            .collect();
        let number = |feature: usize, row: usize| {
            let case = cases[feature].get(row).map_or(0, |case| usize::from(*case));
            numbers[feature][case % FEW_CASES]
        };
        let block = |feature: usize, first: usize| {
            CaseBlock::from_fn(|row| cases[feature].get(first + row).copied().unwrap_or(0))
        };
        let listed: Vec<u32> = (0..features as u32).filter(|_| random.coin()).collect();
        let sums: [f64; CASE_ROWS] = std::array::from_fn(|_| random.number());
        for first in (0..rows).step_by(CASE_ROWS) {
            let blocks: Vec<CaseBlock> =
                (0..features).map(|feature| block(feature, first)).collect();
            let wanted: [f64; CASE_ROWS] = std::array::from_fn(|row| {
                let of_row = listed.iter().map(|&feature| number(feature as usize, first + row));
                of_row.fold(sums[row], |sum, number| sum + number)
            });
            for level in levels() {
                let mut found = sums;
                add_cases(level, &blocks, &numbers, &listed, &mut found);
                assert_eq!(found, wanted, "{}", level.name());
            }
            // More than are added at once, of numbers among which are the greatest.
            let listed: Vec<u32> = listed.iter().copied().cycle().take(40 * listed.len()).collect();
            let before: [u32; CASE_ROWS] = std::array::from_fn(|_| random.bits() as u32);
            let wanted: [u32; CASE_ROWS] = std::array::from_fn(|row| {
                let number = |feature: &u32| {
                    let feature = *feature as usize;
                    let case = cases[feature].get(first + row).map_or(0, |case| usize::from(*case));
                    u32::from(of_16_bits[feature][case % FEW_CASES])
                };
                listed.iter().map(number).fold(before[row], u32::wrapping_add)
            });
            let rounded: Vec<RoundedCases> =
                of_16_bits.iter().map(|numbers| RoundedCases::new(*numbers)).collect();
            for level in levels() {
                let mut found = before;
                add_rounded_cases(level, &blocks, &rounded, &listed, &mut found);
                assert_eq!(found, wanted, "{}", level.name());
            }
        }
        for feature in 0..features {
            let blocks: Vec<CaseBlock> =
                (0..rows).step_by(CASE_ROWS).map(|first| block(feature, first)).collect();
            assert!(CaseBlock::all(&cases[feature]).eq(blocks.iter().copied()));
            let planes: Vec<_> = blocks.iter().map(CaseBlock::planes).collect();
            let listed: Vec<u32> =
                (0..blocks.len() as u32).filter(|block| block % 3 != 1).collect();
            for level in levels() {
                let mut found = vec![CaseBlock::from_fn(|row| row as u8); blocks.len()];
                let before = found.clone();
                unpack_cases(level, &planes, &listed, &mut found);
                for (place, found) in found.iter().enumerate() {
                    let is_listed = listed.contains(&(place as u32));
                    let wanted = if is_listed { blocks[place] } else { before[place] };
                    assert_eq!(*found, wanted, "{}", level.name());
                }
            }
            let padded = blocks.len() * CASE_ROWS;
            let weights = [(); 2].map(|()| random.numbers(padded));
            let wanted = weights.each_ref().map(|weights| {
                let mut parts = [0.0; 32];
                for (row, weight) in weights.iter().enumerate() {
                    parts[row % 32] = weight.mul_add(number(feature, row), parts[row % 32]);
                }
                for width in [16, 8, 4, 2, 1] {
                    (0..width).for_each(|part| parts[part] += parts[part + width]);
                }
                parts[0]
            });
            let weights = weights.map(|weights| random.place(weights));
            let weights = weights.each_ref().map(|weights| &**weights);
            for level in levels() {
                let found = weigh_cases(level, &blocks, &numbers[feature], weights);
                assert_eq!(found, wanted, "{}", level.name());
            }
        }
    };
    let rows = if cfg!(miri) { vec![0, 65] } else { (0..=130).collect() };
    rows.into_iter().for_each(|rows| check((rows, rows % 5), &mut Random(rows as u64)));
    on_random((0..=300_usize, 0..=40_usize), check);
}

/// Counts, marks and sums of packed genotypes, against a loop over people.
#[test]
fn packed_genotypes_agree() {
    let check = |people: usize, random: &mut Random| {
        let packed = |random: &mut Random| -> Vec<u8> {
            (0..people.div_ceil(4)).map(|_| random.bits() as u8).collect()
        };
        let words = people.div_ceil(64);
        let [a, b] = [0, 1].map(|_| packed(random)).map(|packed| random.place(packed));
        let is_in: Vec<bool> = (0..people).map(|_| random.below(5) > 0).collect();
        let mut mask = vec![0; words];
        for person in (0..people).filter(|person| is_in[*person]) {
            let (word, bit) = genotype_bit(person);
            mask[word] |= bit;
        }
        // 1 for 00, 0 for 10, -1 for 11.
        let deviation = |packed: &[u8], person: usize| {
            [Some(1_i64), None, Some(0), Some(-1)]
                [usize::from(packed[person / 4] >> (2 * (person % 4)) & 3)]
        };
        let people_in = || (0..people).filter(|person| is_in[*person]);
        let count =
            |wanted| people_in().filter(|person| deviation(&a, *person) == wanted).count() as u32;
        let counts = [Some(1), Some(0), Some(-1), None].map(count);
        let both: Vec<(i64, i64)> = people_in()
            .filter_map(|person| deviation(&a, person).zip(deviation(&b, person)))
            .collect();
        let wanted = PairSums {
            people: both.len() as i64,
            sums: [both.iter().map(|(a, _)| a).sum(), both.iter().map(|(_, b)| b).sum()],
            squares: [both.iter().map(|(a, _)| a * a).sum(), both.iter().map(|(_, b)| b * b).sum()],
            products: both.iter().map(|(a, b)| a * b).sum(),
        };
        for level in levels() {
            assert_eq!(count_packed_genotypes(level, &a, &mask), counts, "{}", level.name());
            let mut marks = vec![u64::MAX; words];
            mark_missing_genotypes(level, &a, &mut marks);
            for person in 0..people {
                let (word, bit) = genotype_bit(person);
                assert_eq!(marks[word] & bit != 0, deviation(&a, person).is_none());
            }
            let planes = [&a, &b].map(|packed| {
                let mut planes = vec![u64::MAX; 3 * words];
                genotype_deviations(level, packed, &mask, &mut planes);
                planes
            });
            assert_eq!(pair_sums(level, &planes[0], &planes[1]), wanted, "{}", level.name());
            let products = pair_products(level, &planes[0], &planes[1]);
            assert_eq!(products, wanted.products, "{}", level.name());
        }
    };
    let people = if cfg!(miri) { vec![0, 65] } else { (0..=270).collect() };
    people.into_iter().for_each(|people| check(people, &mut Random(people as u64)));
    on_random(0..=3000_usize, check);
}

#[test]
fn marked_rows_agree() {
    let check = |(words, lines, cases): (usize, usize, usize), random: &mut Random| {
        let words = words * MARKS;
        let marks = |random: &mut Random| -> Vec<u64> {
            (0..words).map(|_| random.bits() & random.bits()).collect()
        };
        // Every row marked, and none, among others.
        let mut table: Vec<Vec<u64>> = (0..lines).map(|_| marks(random)).collect();
        let of_lines = |line: usize| if line.is_multiple_of(7) { u64::MAX } else { 0 };
        table.iter_mut().enumerate().skip(2).for_each(|(line, marks)| {
            marks.iter_mut().step_by(3).for_each(|word| *word = of_lines(line));
        });
        let numbers: [f64; FEW_CASES] = std::array::from_fn(|_| random.number());
        let (own, weight) = (marks(random), random.number());
        let planes: Vec<u64> = (0..cases).flat_map(|_| marks(random)).collect();
        let (own, planes) = (random.place(own), random.place(planes));
        let common = planes.chunks_exact(words.max(1)).map(|plane| {
            plane.iter().zip(&*own).map(|(plane, own)| (plane & own).count_ones()).sum()
        });
        let wanted: Vec<u32> = common.chain(std::iter::repeat(0)).take(cases).collect();
        for level in levels() {
            let mut found = vec![7; cases];
            count_common(level, &own, &planes, &mut found);
            assert_eq!(found, wanted, "{}", level.name());
        }
        let before: [f64; MARKS] = std::array::from_fn(|_| random.number());
        let mut wanted = before;
        for (plane, number) in planes.chunks_exact(words.max(1)).zip(numbers) {
            for (part, wanted) in wanted.iter_mut().enumerate() {
                let of_part = (part..words).step_by(MARKS);
                let count: u32 = of_part.map(|word| (own[word] & plane[word]).count_ones()).sum();
                *wanted = f64::from(count).mul_add(weight * number, *wanted);
            }
        }
        for level in levels() {
            let mut found = before;
            add_marked(level, &own, &planes, &numbers, weight, &mut found);
            assert_eq!(found, wanted, "{}", level.name());
        }
        let listed: Vec<u32> =
            (0..lines as u32).filter(|line| *line < 2 || random.coin()).collect();
        let weights = random.numbers(64 * words);
        let wanted: Vec<f64> = (0..64 * words)
            .map(|row| {
                let marked = |line: &&u32| table[**line as usize][row / 64] >> (row % 64) & 1 == 1;
                weights[row] * listed.iter().filter(marked).count() as f64
            })
            .collect();
        let table = random.place(table.concat());
        let weights = random.place(weights);
        for level in levels() {
            let mut found = random.place(weights.to_vec());
            weigh_lines(level, &table, words, &listed, &weights, &mut found);
            assert_eq!(*found, *wanted, "{}", level.name());
        }
    };
    // As many lines as there may be: rows that all of them mark have all bits of a count.
    let (table, weights) = ([u64::MAX; MARKS], [0.5; 64 * MARKS]);
    let most = vec![0; if cfg!(miri) { 9 } else { MOST_LINES }];
    for level in levels() {
        let mut found = [0.0; 64 * MARKS];
        weigh_lines(level, &table, MARKS, &most, &weights, &mut found);
        assert_eq!(found, [0.5 * most.len() as f64; 64 * MARKS], "{}", level.name());
    }
    let lines = if cfg!(miri) { vec![9] } else { (0..=40).chain([700]).collect() };
    lines.into_iter().for_each(|lines| {
        check((lines % 4, lines, lines % (FEW_CASES + 1)), &mut Random(lines as u64));
    });
    on_random((0..=3_usize, 0..=100_usize, 0..=FEW_CASES), check);
}

#[test]
fn codes_are_marked() {
    let check = |rows: usize, random: &mut Random| {
        let codes: Vec<u8> = (0..rows).map(|_| random.below(4) as u8).collect();
        let codes = random.place(codes);
        for code in [0, 3, 255] {
            let words = rows.div_ceil(64) + random.below(3);
            let mut wanted = vec![0; words];
            let rows = codes.iter().enumerate().filter(|(_, other)| **other == code);
            rows.for_each(|(row, _)| wanted[row / 64] |= 1_u64 << (row % 64));
            for level in levels() {
                let mut found = vec![u64::MAX; words];
                mark_code(level, &codes, code, &mut found);
                assert_eq!(found, wanted, "{}", level.name());
            }
        }
    };
    let rows = if cfg!(miri) { vec![65] } else { (0..=130).collect() };
    rows.into_iter().for_each(|rows| check(rows, &mut Random(rows as u64)));
}

#[test]
fn moments_and_counts_agree() {
    on_random(0_usize..300, |count, random| {
        let mut values = random.numbers(count);
        for value in &mut values {
            match random.below(40) {
                0 => *value = f64::INFINITY,
                1 => *value = f64::NAN,
                _ => {}
            }
        }
        let values = random.place(values);
        let found: Vec<f64> = values.iter().copied().filter(|v| *v < f64::INFINITY).collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        let squares: f64 = found.iter().map(|value| (value - mean).powi(2)).sum();
        let mut bits = Vec::new();
        for level in levels() {
            let name = level.name();
            let moments = finite_moments(level, &values);
            assert_eq!(moments.count, found.len() as f64, "{name}");
            if found.is_empty() {
                assert_eq!(moments, Moments::default());
            } else {
                assert!((moments.mean - mean).abs() < 1e-13, "{name}");
                assert!((moments.squares - squares).abs() < 1e-11, "{name}");
            }
            bits.push((moments.mean.to_bits(), moments.squares.to_bits()));
        }
        assert!(bits.iter().all(|found| *found == bits[0]));
    });
}

#[test]
fn distances_beside_bounds_agree() {
    on_random(1_usize..6, |tiles, random| {
        let mut some = |count: usize| {
            let mut numbers = random.numbers(count);
            for number in &mut numbers {
                match random.below(30) {
                    0 => *number = f64::INFINITY,
                    1 => *number = f64::NEG_INFINITY,
                    2 => *number = f64::NAN,
                    _ => {}
                }
            }
            random.place(numbers)
        };
        let distances = some(tiles * TILE);
        let (rows, columns) = (some(tiles * LANES), some(tiles * LANES));
        for level in levels() {
            for side in [Side::Near, Side::Far] {
                let holds = |distance: f64, bound: f64| match side {
                    Side::Near => distance < bound,
                    Side::Far => distance > bound && distance < f64::INFINITY,
                };
                let mut masks = vec![[9; 2]; tiles];
                find_beside(
                    level,
                    side,
                    distances.as_chunks().0,
                    rows.as_chunks().0,
                    columns.as_chunks().0,
                    &mut masks,
                );
                for (tile, masks) in masks.iter().enumerate() {
                    for at in 0..TILE {
                        let distance = distances[tile * TILE + at];
                        let bounds =
                            [rows[tile * LANES + at / LANES], columns[tile * LANES + at % LANES]];
                        let wanted = bounds.map(|bound| holds(distance, bound));
                        let found = masks.map(|mask| mask >> at & 1 == 1);
                        assert_eq!(found, wanted, "{} {side:?} {tile} {at}", level.name());
                    }
                }
            }
        }
    });
}

#[test]
fn rounded_lines_agree() {
    let check = |(lines, count): (usize, usize), random: &mut Random| {
        let lines: Vec<Vec<i16>> = random.rows(lines, count + 3, |random| random.bits() as i16);
        let lines: Vec<&[i16]> = lines.iter().map(Vec::as_slice).collect();
        let wanted: Vec<i32> = (0..count)
            .map(|j| lines.iter().fold(-3, |sum, line| sum + i32::from(line[j])))
            .collect();
        for level in levels() {
            let mut out = vec![-3; count];
            add_rounded_lines(level, &lines, &mut out);
            assert_eq!(out, wanted, "{}", level.name());
        }
    };
    let mut random = Random(9);
    // Miri takes seconds where the machine takes microseconds.
    let (most_lines, most) = if cfg!(miri) { (5, 18) } else { (50, 300) };
    for lines in [0, 1, 2, 3, 5, 7, 50].into_iter().filter(|lines| *lines <= most_lines) {
        for count in (0..40).chain([64, 100, 300]).filter(|count| *count <= most) {
            check((lines, count), &mut random);
        }
    }
}

#[test]
fn changes_of_lists_agree() {
    type Lanes = [f64; RUN_WIDTH];
    let check = |(rows, lists): (usize, usize), random: &mut Random| {
        let lanes = |random: &mut Random| -> Lanes { std::array::from_fn(|_| random.number()) };
        let values: Vec<RowTile> = (0..rows).map(|_| RowTile(lanes(random))).collect();
        let values = random.place(values);
        let own: Vec<u32> = (0..lists).map(|_| random.below(rows) as u32).collect();
        let lengths: Vec<usize> = (0..lists).map(|_| random.below(9)).collect();
        let changing: Vec<u32> =
            lengths.iter().map(|&length| random.below(length + 1) as u32).collect();
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let ends: Vec<usize> = ends.collect();
        let count = ends.last().copied().unwrap_or(0);
        let others: Vec<u32> = (0..count).map(|_| random.below(rows) as u32).collect();
        let own_units: Vec<u32> =
            own.iter().map(|&row| if random.below(3) == 0 { NO_UNIT } else { row }).collect();
        let units: Vec<u32> = (0..count).map(|_| random.below(rows) as u32).collect();
        let mut factors = |count: usize| -> Vec<ListFactors> {
            let factor = |_| {
                let [weight, own, of_list] = std::array::from_fn(|_| random.number());
                ListFactors { weight, own, of_list }
            };
            (0..count).map(factor).collect()
        };
        let (of_lists, of_others) = (factors(lists), factors(count));
        let weights: Vec<[f64; PAIR_SUMS]> =
            (0..count).map(|_| std::array::from_fn(|_| random.number())).collect();
        let listed: Vec<Lanes> = (0..count).map(|_| lanes(random)).collect();
        let sources = [
            ListDifferences::OfRows(Weighed::Difference, &values),
            ListDifferences::OfRows(Weighed::Mismatch, &values),
            ListDifferences::OfPairs(&listed),
        ];
        let forms = sources.into_iter().flat_map(|source| (0..8).map(move |form| (source, form)));
        for (source, form) in forms {
            let apart = |row: u32, place: usize, lane: usize| {
                let of_rows = [row, others[place]].map(|row| values[row as usize].0[lane]);
                match source {
                    ListDifferences::OfRows(Weighed::Difference, _) => {
                        (of_rows[0] - of_rows[1]).abs()
                    }
                    ListDifferences::OfRows(Weighed::Mismatch, _) => {
                        f64::from(u8::from(of_rows[0] != of_rows[1]))
                    }
                    ListDifferences::OfPairs(_) => listed[place][lane],
                }
            };
            let (by_list, has_units, of_pairs) = (form & 1 > 0, form & 2 > 0, form & 4 > 0);
            let lists = ChangeLists {
                rows: &own,
                ends: &ends,
                changing: &changing,
                others: &others,
                factors: match by_list {
                    true => FactorsOf::Lists(&of_lists),
                    false => FactorsOf::Others(&of_others),
                },
                own_units: &own_units,
                units: if has_units { &units } else { &[] },
                of_pairs: if of_pairs { &weights } else { &[] },
            };
            let factors = |list: usize, place: usize| {
                if by_list { of_lists[list] } else { of_others[place] }
            };
            let mut wanted = ChangeSums::default();
            let mut wanted_units = vec![[0.5; RUN_WIDTH]; rows];
            let mut wanted_lists = vec![[0.0; RUN_WIDTH]; own.len()];
            for lane in 0..RUN_WIDTH {
                let mut first = 0;
                for (list, &row) in own.iter().enumerate() {
                    let mut sum: f64 = 0.0;
                    for place in first..ends[list] {
                        let apart = apart(row, place, lane);
                        let weight = if by_list { 1.0 } else { of_others[place].weight };
                        sum = weight.mul_add(apart, sum);
                        let of_pair = if of_pairs { weights[place] } else { [0.0; PAIR_SUMS] };
                        for (sum, weight) in wanted.of_pairs.iter_mut().zip(of_pair) {
                            sum[lane] = weight.mul_add(apart, sum[lane]);
                        }
                    }
                    let mut squares: f64 = 0.0;
                    for place in first..first + changing[list] as usize {
                        let ListFactors { weight, own, of_list } = factors(list, place);
                        let apart = apart(row, place, lane);
                        let unit = if has_units { units[place] } else { others[place] };
                        let unit = &mut wanted_units[unit as usize][lane];
                        let change = if by_list {
                            let share = if own == 0.0 { 0.0 } else { of_list * weight / own };
                            let change = apart - share * sum;
                            *unit = own.mul_add(change, *unit);
                            change
                        } else {
                            let change = own.mul_add(apart, -(of_list * sum));
                            *unit += change;
                            change
                        };
                        squares = change.mul_add(change, squares);
                    }
                    let ListFactors { weight, own, .. } = of_lists[list];
                    let (of_sum, of_squares) =
                        if by_list { (weight, own * own) } else { (1.0, 1.0) };
                    sum *= of_sum;
                    wanted.squares[lane] = of_squares.mul_add(squares, wanted.squares[lane]);
                    if own_units[list] != NO_UNIT {
                        wanted_units[own_units[list] as usize][lane] += sum;
                        wanted.total[lane] += sum;
                    }
                    wanted_lists[list][lane] = sum;
                    first = ends[list];
                }
            }
            for level in levels() {
                let mut sums = ChangeSums::default();
                let mut found_units = random.place(vec![[0.5; RUN_WIDTH]; rows]);
                let mut found_lists = vec![[0.0; RUN_WIDTH]; own.len()];
                add_list_changes(
                    level,
                    source,
                    lists,
                    &mut found_lists,
                    &mut found_units,
                    &mut sums,
                );
                assert_eq!(sums, wanted, "{} {form}", level.name());
                assert_eq!(*found_units, *wanted_units, "{} {form}", level.name());
                assert_eq!(found_lists, wanted_lists, "{} {form}", level.name());
            }
            // The same pairs, in blocks of as many as the lists have.
            let starts = [0].into_iter().chain(ends.iter().copied());
            let of_lists = starts.zip(&ends).enumerate();
            let repeated: Vec<RepeatedPair> = of_lists
                .flat_map(|(list, (start, end))| (start..*end).map(move |place| (list, place)))
                .map(|(list, place)| RepeatedPair {
                    list: list as u32,
                    rows: [own[list], others[place]],
                    factors: factors(list, place),
                })
                .collect();
            let lengths: Vec<u32> = lengths.iter().map(|length| *length as u32).collect();
            let mut wanted = [0.0; RUN_WIDTH];
            for (lane, squares) in wanted.iter_mut().enumerate() {
                let mut place = 0;
                for &length in &lengths {
                    let mut all: f64 = 0.0;
                    for _ in 0..length {
                        let RepeatedPair { list, rows, factors } = repeated[place];
                        let sum = wanted_lists[list as usize][lane];
                        let apart = apart(rows[0], place, lane);
                        let change = factors.own.mul_add(apart, -(factors.of_list * sum));
                        all += change;
                        *squares = (-change).mul_add(change, *squares);
                        place += 1;
                    }
                    *squares = all.mul_add(all, *squares);
                }
            }
            for level in levels() {
                let found = squares_of_repeated(level, source, &repeated, &lengths, &wanted_lists);
                assert_eq!(found, wanted, "{} {form}", level.name());
            }
        }
    };
    let most = if cfg!(miri) { 4 } else { 40 };
    (0..most).for_each(|lists| check((1 + lists / 2, lists), &mut Random(lists as u64)));
    on_random((1..=60_usize, 0..=60_usize), check);
}

#[test]
fn runs_agree() {
    let check = |(rows, runs): (usize, usize), random: &mut Random| {
        let values: Vec<RowTile> =
            (0..rows).map(|_| RowTile(std::array::from_fn(|_| random.number()))).collect();
        let values = random.place(values);
        let own: Vec<u32> = (0..runs).map(|_| random.below(rows) as u32).collect();
        // The first run has as many others as there are runs: every tail length.
        let counts: Vec<usize> =
            (0..runs).map(|run| if run == 0 { runs } else { random.below(20) }).collect();
        let others: Vec<Vec<u32>> = counts
            .iter()
            .map(|&count| (0..count).map(|_| random.below(rows) as u32).collect())
            .collect();
        let mut end = 0;
        let ends = counts.iter().map(|count| {
            end += count;
            end
        });
        let ends: Vec<usize> = ends.collect();
        let (own, ends) = (random.place(own), random.place(ends));
        let weights: Vec<f64> = others.iter().flatten().map(|_| random.number()).collect();
        let (all_others, weights) = (random.place(others.concat()), random.place(weights));
        let weighed = [Weighed::Difference, Weighed::Mismatch];
        for (weighed, level) in weighed.into_iter().flat_map(|w| levels().map(move |l| (w, l))) {
            let value = |lane: usize, a: u32, b: u32| {
                let (x, y) = (values[a as usize].0[lane], values[b as usize].0[lane]);
                match weighed {
                    Weighed::Difference => (x - y).abs(),
                    Weighed::Mismatch => f64::from(u8::from(x != y)),
                }
            };
            let name = level.name();
            // The first tile, and two more.
            let moved = |k: usize| [&values[k..], &values[..k]].concat();
            let more = [1, values.len() / 2].map(moved);
            let tiles = [&values[..], &more[0], &more[1]];
            for count in 0..=tiles.len() {
                let mut sums = vec![[7.0; RUN_WIDTH]; count];
                add_weighted_runs(
                    level,
                    weighed,
                    &tiles[..count],
                    &own,
                    &ends,
                    &all_others,
                    &weights,
                    &mut sums,
                );
                for (tile, lane) in (0..count).flat_map(|t| (0..RUN_WIDTH).map(move |l| (t, l))) {
                    let value = |own: u32, other: u32| {
                        let from = [0, 1, values.len() / 2][tile];
                        let row = |row: u32| (row as usize + from) % values.len();
                        value(lane, row(own) as u32, row(other) as u32)
                    };
                    let pairs = own.iter().zip(&others).flat_map(|(own, others)| {
                        (0..).zip(others).map(move |(place, other)| (place, *own, *other))
                    });
                    let mut parts = [0.0; 2];
                    for ((place, own, other), weight) in pairs.zip(weights.iter()) {
                        let part: &mut f64 = &mut parts[place % 2];
                        *part = weight.mul_add(value(own, other), *part);
                    }
                    let expected = 7.0 + (parts[0] + parts[1]);
                    assert_eq!(
                        sums[tile][lane].to_bits(),
                        expected.to_bits(),
                        "{name} weighted, {weighed:?}, {runs} runs, tile {tile}, lane {lane}"
                    );
                }
            }
        }
    };
    let counts = if cfg!(miri) { 4..=5_usize } else { 0..=40 };
    counts.for_each(|runs| check((1 + runs * 7, runs), &mut Random(runs as u64)));
    on_random((1..=300_usize, 0..=40_usize), check);
}

#[test]
fn lines_agree() {
    let slope = RampRule { equal: 0.15, different: 0.55 };
    let rules = [
        LineRule::Absolute,
        LineRule::Square,
        LineRule::Mismatch,
        LineRule::Ramp(slope),
        LineRule::RampSquare(slope),
    ];
    let check = |(rows, features): (usize, usize), random: &mut Random| {
        let columns: Vec<Placed<f64>> = (0..features)
            .map(|_| {
                let column = random.numbers(rows);
                random.place(column)
            })
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
        let (own, first) = (random.below(rows), random.below(rows.min(9)));
        let count = rows - first - random.below((rows - first).min(5));
        let weights = random.numbers(features);
        let coefficients = random.numbers(count);
        let (weights, coefficients) = (random.place(weights), random.place(coefficients));
        for rule in rules {
            let difference = |f: usize, j: usize| {
                let d = (columns[f][own] - columns[f][first + j]).abs();
                let ramped = ((d - slope.equal) / (slope.different - slope.equal)).clamp(0.0, 1.0);
                match rule {
                    LineRule::Absolute => d,
                    LineRule::Square => d * d,
                    LineRule::Mismatch => f64::from(u8::from(d != 0.0)),
                    LineRule::Ramp(_) => ramped,
                    LineRule::RampSquare(_) => ramped * ramped,
                }
            };
            for level in levels() {
                let what = format!("{} {rule:?}, {rows} rows, {features} columns", level.name());
                let mut out = random.place(vec![1.0; count]);
                add_weighted_differences(level, rule, &columns, &weights, own, first, &mut out);
                for (j, found) in out.iter().enumerate() {
                    let expected =
                        (0..features).fold(1.0, |sum: f64, f| sum + weights[f] * difference(f, j));
                    assert_eq!(found.to_bits(), expected.to_bits(), "{what}, row {j}");
                }
                let mut sums = random.place(vec![2.0; features]);
                add_difference_products(
                    level,
                    rule,
                    &columns,
                    &coefficients,
                    own,
                    first,
                    &mut sums,
                );
                for (f, found) in sums.iter().enumerate() {
                    // Rows are dealt to sixteen sums, and these are halved until one is left.
                    let mut parts = vec![0.0; 16];
                    for j in 0..count {
                        parts[j % 16] += coefficients[j] * difference(f, j);
                    }
                    while parts.len() > 1 {
                        let upper = parts.split_off(parts.len() / 2);
                        parts.iter_mut().zip(upper).for_each(|(part, upper)| *part += upper);
                    }
                    assert_eq!(found.to_bits(), (2.0 + parts[0]).to_bits(), "{what}, column {f}");
                }
            }
        }
    };
    let rows = if cfg!(miri) { 17..=17_usize } else { 1..=300 };
    rows.for_each(|rows| check((rows, rows % 10), &mut Random(rows as u64)));
    on_random((1..=300_usize, 0..=60_usize), check);
}

/// The slopes of the hinges of pairs, with limits of either row, bit for bit.
#[test]
fn hinges() {
    let check = |(count, fours): (usize, usize), random: &mut Random| {
        let rows = 40;
        let places: Vec<u16> = (0..count).map(|_| random.below(rows) as u16).collect();
        let places = random.place(places);
        let squares = random.numbers(count).iter().map(|value| 4.0 * value.abs()).collect();
        let squares = random.place(squares);
        // Some rows have fewer limits, or none.
        let mut limits = |rows: usize| -> Vec<OfLimits> {
            let mut limit = |_| if random.coin() { random.number().abs() } else { NO_LIMIT };
            (0..rows * fours).map(|_| std::array::from_fn(&mut limit)).collect()
        };
        let (own, others) = (limits(1), limits(rows));
        let width = if count % 2 == 0 { 0.5 } else { 1e-3 };
        let hinge = |limit: f64, square: f64| {
            let slope = ((limit - square) * (1.0 / width)).clamp(0.0, 1.0);
            let above = limit - square;
            ((above - width / 2.0).max(0.0), slope * (above - width / 2.0 * slope), slope)
        };
        let [mut value, mut smooth] = [0.0; 2];
        let mut expected = vec![[0.0; HINGE_LANES]; count];
        let mut expected_own = vec![[1.0; HINGE_LANES]; fours];
        let mut expected_others = vec![[2.0; HINGE_LANES]; rows * fours];
        for (at, &place) in places.iter().enumerate() {
            let mut add = |limits: &[OfLimits], pushed: &mut [OfLimits]| {
                for (limits, pushed) in limits.iter().zip(pushed) {
                    for lane in 0..HINGE_LANES {
                        let (hard, rounded, slope) = hinge(limits[lane], squares[at]);
                        (value, smooth) = (value + hard, smooth + rounded);
                        pushed[lane] += slope;
                        expected[at][lane] += slope;
                    }
                }
            };
            add(&own, &mut expected_own);
            let of_place = usize::from(place) * fours..(usize::from(place) + 1) * fours;
            add(&others[of_place.clone()], &mut expected_others[of_place]);
        }
        let mut first = None;
        for level in levels() {
            let what = format!("{}, {count} pairs, {fours} fours of limits", level.name());
            let mut slopes = vec![7.0; count];
            let mut pushed = vec![[1.0; HINGE_LANES]; fours];
            let mut of_panel = vec![[2.0; HINGE_LANES]; rows * fours];
            let pairs = HingePairs {
                width,
                squares: &squares,
                places: &places,
                row: HingeSide { limits: &own, pushed: &mut pushed },
                panel: HingeSide { limits: &others, pushed: &mut of_panel },
                slopes: &mut slopes,
            };
            let sums = hinge_slopes(level, pairs);
            assert_eq!(pushed, expected_own, "{what}");
            assert_eq!(of_panel, expected_others, "{what}");
            for (found, [a, b, c, d]) in slopes.iter().zip(&expected) {
                assert_eq!(*found, (a + c) + (b + d), "{what}");
            }
            let near = |found: f64, expected: f64| {
                let what = format!("{what}: {found} {expected}");
                assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{what}");
            };
            near(sums.value, value);
            near(sums.smooth, smooth);
            near(sums.slope, slopes.iter().sum());
            // The order of the sums is the same at every level.
            assert_eq!(*first.get_or_insert(sums), sums, "{what}");
        }
    };
    let sizes = if cfg!(miri) { 37..=37_usize } else { 0..=100 };
    sizes.for_each(|size| check((size, size % 3), &mut Random(size as u64)));
    on_random((0..=300_usize, 0..=3_usize), check);
}

/// Pairs of rows within either's reach, their squared distances, and what they add to each other.
#[test]
fn near_pairs() {
    let check = |(chunks, width): (usize, usize), random: &mut Random| {
        let columns = chunks * NEAR_LANES;
        // Whole numbers and halves, so that nothing is rounded.
        let mut whole = |count: usize| -> Vec<f32> {
            (0..count).map(|_| random.below(9) as f32 - 4.0).collect()
        };
        let own: Vec<Vec<f32>> = (0..NEAR_ROWS).map(|_| whole(width)).collect();
        let panel: Vec<Vec<f32>> = (0..columns).map(|_| whole(width)).collect();
        let half = |row: &Vec<f32>| row.iter().map(|value| value * value).sum::<f32>() / 2.0;
        let mut reaches: Vec<f32> =
            whole(columns).iter().map(|reach| (reach * width as f32).max(0.0)).collect();
        let mut halves: Vec<f32> = panel.iter().map(half).collect();
        // One row is near to all, and one is no number.
        if let Some(reach) = reaches.get_mut(random.below(columns.max(1))) {
            *reach = f32::INFINITY;
        }
        if let Some(half) = halves.get_mut(random.below(columns.max(1))) {
            *half = f32::NAN;
        }
        let chunked = |values: &[f32]| -> Vec<NearChunk> { values.as_chunks().0.to_vec() };
        let points: Vec<NearChunk> = (0..chunks)
            .flat_map(|chunk| (0..width).map(move |k| (chunk, k)))
            .map(|(chunk, k)| std::array::from_fn(|lane| panel[chunk * NEAR_LANES + lane][k]))
            .collect();
        let sought = SoughtRows {
            rows: std::array::from_fn(|row| &own[row][..]),
            halves: std::array::from_fn(|row| half(&own[row])),
            reaches: [0.0, 1.0, width as f32, 2.0 * width as f32],
        };
        let (half_chunks, reach_chunks) = (chunked(&halves), chunked(&reaches));
        let sought_in =
            SoughtPanel { points: &points, halves: &half_chunks, reaches: &reach_chunks };
        let flat: Vec<f64> = panel.iter().flatten().map(|&value| f64::from(value)).collect();
        let weights = random.numbers(columns);
        let (own_start, start) = (random.numbers(width), random.numbers(flat.len()));
        for level in levels() {
            let what = format!("{}, {chunks} chunks, {width} coordinates", level.name());
            let mut found = [[u16::MAX; NEAR_PANEL]; NEAR_ROWS];
            let counts = find_near_pairs(level, sought, sought_in, &mut found);
            for row in 0..NEAR_ROWS {
                let square = |column: usize| -> f32 {
                    let pairs = own[row].iter().zip(&panel[column]);
                    pairs.map(|(a, b)| (a - b) * (a - b)).sum()
                };
                let is_near = |&column: &usize| {
                    let reach = reaches[column].max(sought.reaches[row]);
                    halves[column].is_nan() || square(column) / 2.0 <= reach
                };
                let expected: Vec<u16> =
                    (0..columns).filter(is_near).map(|column| column as u16).collect();
                let places = &found[row][..counts[row]];
                assert_eq!(places, expected, "{what}");

                let own: Vec<f64> = own[row].iter().map(|&value| f64::from(value)).collect();
                let mut squares = vec![7.0; places.len()];
                squared_distances_at(level, &own, &flat, places, &mut squares);
                let weights = &weights[..places.len()];
                let (mut sum, mut sums) = (own_start.clone(), start.clone());
                add_pairs_at(level, weights, places, &own, &flat, &mut sum, &mut sums);
                let (mut added, mut expected_sums) = (vec![0.0; width], start.clone());
                for (at, &place) in places.iter().enumerate() {
                    let place = usize::from(place);
                    assert_eq!(squares[at], f64::from(square(place)), "{what}");
                    for k in 0..width {
                        added[k] += weights[at] * flat[place * width + k];
                        expected_sums[place * width + k] += weights[at] * own[k];
                    }
                }
                let expected_sum: Vec<f64> =
                    own_start.iter().zip(&added).map(|(start, added)| start + added).collect();
                assert_eq!(sum, expected_sum, "{what}");
                assert_eq!(sums, expected_sums, "{what}");
            }
        }
    };
    let widths = if cfg!(miri) { 11..=11_usize } else { 0..=24 };
    widths.for_each(|width| check((width % 5, width), &mut Random(width as u64)));
    if !cfg!(miri) {
        check((NEAR_PANEL / NEAR_LANES, 10), &mut Random(7));
    }
    on_random((0..=8_usize, 0..=40_usize), check);
}

/// Exponentials of pairs within limits and what they move, beside their definitions.
#[test]
fn soft_pairs() {
    let close = |found: f64, expected: f64, size: f64, what: &str| {
        assert!((found - expected).abs() <= 1e-13 * size, "{what}: {found} {expected}");
    };
    let check = |(chunks, width): (usize, usize), random: &mut Random| {
        let columns = chunks * PAIR_LANES;
        let mut chunked = |count: usize| -> Vec<OfChunk> {
            (0..count).map(|_| std::array::from_fn(|_| 4.0 * random.number())).collect()
        };
        let (points, mut limits) = (chunked(width * chunks), chunked(chunks));
        let (factors, before) = (chunked(chunks), chunked(width * chunks));
        let own: Vec<Vec<f64>> =
            (0..PAIR_ROWS).map(|_| (0..width).map(|_| 4.0 * random.number()).collect()).collect();
        // One row and one column that nothing limits, one of each that has no near one.
        let mut row_limits = [GREATEST_LIMIT, f64::NEG_INFINITY, 1.0, 4.0];
        row_limits[3] *= random.number();
        for (limits, limit) in limits.iter_mut().zip([f64::NEG_INFINITY, 2.0, GREATEST_LIMIT]) {
            limits[columns % PAIR_LANES] = limit;
        }
        let rows: PairRows<'_> = std::array::from_fn(|row| &own[row][..]);
        let panel = PairPanel { points: &points, chunks };
        let at = |all: &[OfChunk], k: usize, column: usize| {
            all[k * chunks + column / PAIR_LANES][column % PAIR_LANES]
        };
        let square = |row: usize, column: usize| -> f64 {
            (0..width).map(|k| (own[row][k] - at(&points, k, column)).powi(2)).sum()
        };
        for level in levels() {
            let what = format!("{}, {chunks} chunks, {width} coordinates", level.name());
            let nearest = nearest_apart(level, rows, panel);
            for (row, found) in nearest.into_iter().enumerate() {
                let apart = (0..columns).map(|column| square(row, column)).filter(|d| *d > 0.0);
                let expected = apart.fold(f64::INFINITY, f64::min);
                assert!(found == expected || (found - expected).abs() < 1e-13 * expected, "{what}");
            }
            let mut values = vec![[[f64::NAN; PAIR_LANES]; PAIR_ROWS]; chunks];
            let near = pair_exponentials(level, rows, &row_limits, panel, &limits, &mut values);
            let mut weights = vec![vec![0.0; columns]; PAIR_ROWS];
            for row in 0..PAIR_ROWS {
                for column in 0..columns {
                    let distance = square(row, column);
                    let limit = row_limits[row].max(at(&limits, 0, column));
                    let (chunk, lane) = (column / PAIR_LANES, column % PAIR_LANES);
                    let is_near = near >> chunk & 1 == 1;
                    let expected = if distance <= limit { (-distance).exp() } else { 0.0 };
                    assert!(is_near || expected == 0.0, "{what}");
                    if is_near {
                        let found = values[chunk][row][lane];
                        assert!((found - expected).abs() <= 1e-12 * expected, "{what}: {found}");
                    }
                    weights[row][column] = expected;
                }
            }
            let (mut row_sums, mut sums) = ([0.5; PAIR_ROWS], vec![[0.5; PAIR_LANES]; chunks]);
            add_pairs(level, near, &values, &mut row_sums, &mut sums);
            for (row, found) in row_sums.into_iter().enumerate() {
                let expected = 0.5 + weights[row].iter().sum::<f64>();
                close(found, expected, columns as f64, &what);
            }
            for column in 0..columns {
                let expected = 0.5 + weights.iter().map(|weights| weights[column]).sum::<f64>();
                close(at(&sums, 0, column), expected, 1.0, &what);
            }
            let row_factors = [1.0, -1.0, 0.0, 0.5];
            let mut row_moves = vec![[0.25; PAIR_ROWS]; width];
            let mut row_degrees = [0.25; PAIR_ROWS];
            let (mut moves, mut degrees) = (before.clone(), vec![[0.25; PAIR_LANES]; chunks]);
            move_pairs(
                level,
                near,
                &mut values,
                (rows, &row_factors),
                (panel, &factors),
                &mut row_moves,
                &mut row_degrees,
                PairMoves { points: &mut moves, degrees: &mut degrees },
            );
            for (row, weights) in weights.iter_mut().enumerate() {
                for (column, weight) in weights.iter_mut().enumerate() {
                    *weight *= row_factors[row] + at(&factors, 0, column);
                }
                let expected = 0.25 + weights.iter().sum::<f64>();
                close(row_degrees[row], expected, columns as f64, &what);
                for k in 0..width {
                    let pairs = weights.iter().enumerate();
                    let moved = pairs.map(|(column, weight)| weight * at(&points, k, column));
                    let expected = 0.25 + moved.sum::<f64>();
                    close(row_moves[k][row], expected, 10.0 * columns as f64, &what);
                }
            }
            for column in 0..columns {
                let expected = 0.25 + weights.iter().map(|weights| weights[column]).sum::<f64>();
                close(at(&degrees, 0, column), expected, 10.0, &what);
                for k in 0..width {
                    let pairs = weights.iter().zip(&own);
                    let moved = pairs.map(|(weights, own)| weights[column] * own[k]);
                    let expected = at(&before, k, column) + moved.sum::<f64>();
                    close(at(&moves, k, column), expected, 100.0, &what);
                }
            }
        }
    };
    let sizes = if cfg!(miri) { [(1, 1), (2, 3)].to_vec() } else { sizes_of_pairs() };
    sizes.into_iter().for_each(|size| check(size, &mut Random((size.0 * 100 + size.1) as u64)));
}

/// Chunks of a panel and coordinates, from none to the most chunks.
fn sizes_of_pairs() -> Vec<(usize, usize)> {
    let chunks = [0, 1, 2, 3, 17, PAIR_CHUNKS];
    chunks.into_iter().flat_map(|chunks| [0, 1, 2, 7, 20].map(|width| (chunks, width))).collect()
}

/// Distances from products, exponentials, and sums over the rows that these leave, bit for bit; the
/// exponentials beside those of the standard library.
#[test]
fn soft_neighbors() {
    let check = |size: usize, random: &mut Random| {
        let far = |random: &mut Random| 40.0 * random.number().abs() * f64::from(random.coin());
        let products: Vec<f64> = (0..size).map(|_| -far(random)).collect();
        let lengths: Vec<f64> = (0..size).map(|_| far(random)).collect();
        let lengths = random.place(lengths);
        let width = size % 5;
        let rows = random.numbers(size * width);
        let rows = random.place(rows);
        for level in levels() {
            let what = format!("{}, {size} values", level.name());
            let mut values = random.place(products.clone());
            let doubtful = squared_distances(level, 7.0, &lengths, 0.25, 0.5, &mut values);
            let mut expected_doubt = false;
            for ((value, product), length) in values.iter().zip(&products).zip(lengths.iter()) {
                let both = 7.0 + length;
                let expected = (both + product).max(0.0);
                assert_eq!(value.to_bits(), expected.to_bits(), "{what}");
                expected_doubt |= expected + 0.5 < 0.25 * both;
            }
            assert_eq!(doubtful, expected_doubt, "{what}");
            let nearest = least(level, &values);
            assert_eq!(nearest, values.iter().copied().fold(f64::INFINITY, f64::min), "{what}");
            if size > 0 {
                values[0] = f64::INFINITY;
            }
            let distances = values.to_vec();
            let (sum, kept) = exponentials(level, nearest, &mut values);
            let mut parts = [0.0; 8];
            for (place, (value, distance)) in values.iter().zip(&distances).enumerate() {
                let exact =
                    if nearest - distance < -FARTHEST { 0.0 } else { (nearest - distance).exp() };
                // Miri's exponentials are off by some units of the last place, at random.
                let off = if cfg!(miri) { 1e-14 } else { 4e-16 };
                assert!((value - exact).abs() <= off * exact, "{what}: {value} {exact}");
                parts[place % 8] += value;
            }
            let half = |at: usize| (parts[at] + parts[at + 4]) + (parts[at + 2] + parts[at + 6]);
            assert_eq!(sum.to_bits(), (half(0) + half(1)).to_bits(), "{what}");
            assert_eq!(kept, values.iter().filter(|&&value| value != 0.0).count(), "{what}");
            let before = values.to_vec();
            let kept = scale_and_drop(level, -0.5, 1e-3, &mut values);
            for (value, before) in values.iter().zip(&before) {
                let expected = if before * 0.5 < 1e-3 { 0.0 } else { before * -0.5 };
                assert_eq!(value.to_bits(), expected.to_bits(), "{what}");
            }
            assert_eq!(kept, values.iter().filter(|&&value| value != 0.0).count(), "{what}");
            let mut sums = random.place(vec![0.25; size]);
            add_line(level, &values, &mut sums);
            assert!(
                sums.iter().zip(values.iter()).all(|(sum, value)| *sum == 0.25 + value),
                "{what}"
            );
            let mut gathered = vec![1.0; width];
            add_weighted_rows(level, &values, &rows, &mut gathered);
            for column in 0..width {
                let mut expected = 1.0;
                for (place, value) in values.iter().enumerate() {
                    expected += value * rows[place * width + column];
                }
                assert_eq!(gathered[column].to_bits(), f64::to_bits(expected), "{what}");
            }
        }
    };
    let sizes = if cfg!(miri) { 0..=19_usize } else { 0..=300 };
    sizes.for_each(|size| check(size, &mut Random(size as u64)));
}

#[test]
fn the_kth_least_agrees() {
    let check = |count: usize, random: &mut Random| {
        let any = 1 + random.below(1 << 20);
        for different in [1, 3, any] {
            let mut value = |_| match random.below(40) {
                0 => u32::MAX,
                _ => random.below(different) as u32,
            };
            let values: Vec<u32> = (0..count).map(&mut value).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            // What the other candidates are does not matter.
            let candidate = |at: usize| [values.get(at).map_or(0, |value| *value), at as u32];
            let padded = count.next_multiple_of(KTH_WIDTH);
            let candidates = random.place((0..padded).map(candidate).collect::<Vec<[u32; 2]>>());
            let values = random.place(values);
            let ks = [1, 2, 10, 16, 17, 40, count / 2, count];
            for k in ks.into_iter().filter(|k| (1..=count).contains(k)) {
                let bound = bound_of_least(Level::Portable, &values, k);
                assert!(sorted[k - 1] <= bound && values.contains(&bound), "{count} {k}");
                for level in levels() {
                    let what = format!("{} {count} {different} {k}", level.name());
                    let kth = kth_least(level, candidates.as_chunks().0, count, k);
                    assert_eq!(kth, sorted[k - 1], "{what}");
                    assert_eq!(bound_of_least(level, &values, k), bound, "{what}");
                }
            }
        }
    };
    let sizes = if cfg!(miri) { 1..=35_usize } else { 1..=300 };
    sizes.for_each(|size| check(size, &mut Random(size as u64)));
}

/// Of 128 numbers in any order, as many are below the bound of the ten least as its lanes promise.
#[test]
fn the_bound_of_the_least_is_near() {
    let random = &mut Random(7);
    for _ in 0..20 {
        let values: Vec<u32> = (0..128).map(|_| random.below(1 << 24) as u32).collect();
        let bound = bound_of_least(Level::Portable, &values, 10);
        let below = values.iter().filter(|value| **value <= bound).count();
        assert!((10..=40).contains(&below), "{below}");
    }
}

/// Spread evenly, all in one part of their range or far from it, equal, missing.
#[test]
fn numbers_are_brought_in_order() {
    let order = &mut NumberOrder::default();
    let sizes = if cfg!(miri) { 0..=19_usize } else { 0..=200 };
    for count in sizes {
        let random = &mut Random(count as u64);
        for kind in 0..4 {
            let mut value = |_| match (random.below(12), kind) {
                (0, 1..) => f64::NAN,
                (1, 2) => f64::INFINITY,
                (2, 2) => -1e300,
                (3, 2) => -0.0,
                (_, 3) => random.below(3) as f64,
                _ => random.number(),
            };
            let values: Vec<f64> = (0..count).map(&mut value).collect();
            let values = random.place(values);
            let (least, range) = if kind == 1 { (0.0, 1e-3) } else { (-1.0, 2.0) };
            let rounding = Rounding { least, factor: count as f64 / range };
            let mut wanted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            wanted.sort_by(f64::total_cmp);
            let wanted: Vec<u64> = wanted.into_iter().map(f64::to_bits).collect();
            for level in levels() {
                let found = order.sort(level, &values, rounding, 0).iter();
                let found: Vec<u64> =
                    found.map(|&key| NumberOrder::number(key).to_bits()).collect();
                assert_eq!(found, wanted, "{} {count} {kind}", level.name());
                let bits = usize::BITS - count.leading_zeros() + 1;
                let found = order.sort(level, &values, rounding, bits);
                assert!(found.is_sorted(), "{} {count} {kind}", level.name());
                let of_key = |&key: &u64| values[(key & ((1 << bits) - 1)) as usize];
                let mut found: Vec<f64> = found.iter().map(of_key).collect();
                assert!(found.windows(2).all(|two| two[1] - two[0] >= -1e-9 || two[0] == two[1]));
                found.sort_by(f64::total_cmp);
                let found: Vec<u64> = found.into_iter().map(f64::to_bits).collect();
                assert_eq!(found, wanted, "{} {count} {kind}", level.name());
            }
        }
    }
}

#[test]
fn sums_that_run_along_values_agree() {
    let sizes = if cfg!(miri) { 1..=11_usize } else { 1..=130 };
    for count in sizes {
        let random = &mut Random(count as u64);
        let mut values: Vec<f64> = (0..count).map(|_| random.number().abs()).collect();
        values.sort_by(f64::total_cmp);
        let mut counts: Vec<f64> = (0..count).map(|_| random.below(3) as f64).collect();
        counts[count / 2] += 1.0;
        let sample: Vec<f64> = values
            .iter()
            .zip(&counts)
            .flat_map(|(value, count)| vec![*value; *count as usize])
            .collect();
        let (values, counts) = (random.place(values), random.place(counts));
        let mut wanted: Option<[Vec<u64>; 3]> = None;
        for level in levels() {
            let (mut before, mut sums) = (vec![9.0; count + 1], vec![9.0; count + 1]);
            running_sums(level, &values, &counts, &mut before, &mut sums);
            let mut means = random.place(vec![9.0; count]);
            mean_differences(level, &values, &before, &sums, &mut means);
            for at in 0..=count {
                let all: f64 = counts[..at].iter().sum();
                let sum: f64 = (0..at).map(|at| counts[at] * values[at]).sum();
                assert_eq!(before[at], all);
                assert!((sums[at] - sum).abs() < 1e-12, "{} {count} {at}", level.name());
            }
            for (mean, value) in means.iter().zip(&*values) {
                let sum: f64 = sample.iter().map(|other| (other - value).abs()).sum();
                let wanted = sum / sample.len() as f64;
                assert!((mean - wanted).abs() < 1e-13, "{} {count}", level.name());
            }
            let bits = |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
            let found = [bits(&before), bits(&sums), bits(&means)];
            assert_eq!(wanted.get_or_insert_with(|| found.clone()), &found, "{}", level.name());
        }
    }
}

#[test]
fn missing_values_are_found() {
    let sizes = if cfg!(miri) { vec![0, 1, 9, 64, 70] } else { (0..=200).collect() };
    for count in sizes {
        let random = &mut Random(count as u64);
        for missing in [0, 1, 20] {
            let mut value = |_| if random.below(20) < missing { f64::NAN } else { random.number() };
            let values: Vec<f64> = (0..count).map(&mut value).collect();
            let values = random.place(values);
            let places = (0..count as u32).filter(|&at| values[at as usize].is_nan());
            let wanted: Vec<u32> = [7].into_iter().chain(places).collect();
            for level in levels() {
                let mut found = vec![7];
                find_missing(level, &values, &mut found);
                assert_eq!(found, wanted, "{}", level.name());
            }
        }
    }
}

#[test]
fn columns_agree() {
    let check = |rows: usize, random: &mut Random| {
        let columns = 1 + random.below(20);
        let stride = columns + random.below(3);
        let mut number = |_| match random.below(30) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            _ => random.number(),
        };
        // What is left of the last row need not be there.
        let count = (rows * stride).saturating_sub(stride - columns);
        let values: Vec<f64> = (0..count).map(&mut number).collect();
        let values = random.place(values);
        let column = |at: usize| values.iter().skip(at).step_by(stride).copied();
        let lines: Vec<f64> = (0..rows * columns).map(|_| random.number()).collect();
        let (lines, origin) = (random.place(lines), random.numbers(columns));
        let eight: Vec<Vec<f64>> = random.rows(LANES, rows + 1, Random::number);
        let (range, first) = (0.1 + random.number().abs(), random.below(RUN_WIDTH - LANES + 1));
        for level in levels() {
            let (mut least, mut greatest) = (vec![-0.25; columns], vec![0.25; columns]);
            let mut missing = vec![0; columns];
            let [least, greatest] = [&mut least, &mut greatest];
            let reaches = &mut Reaches { least, greatest, missing: &mut missing };
            f64::add_reaches(level, &values, stride, rows, reaches);
            let mut scaled = random.place(vec![9.0; count]);
            scale_numbers(level, &values, -0.9, range, &mut scaled);
            let mut sums = vec![0.5; columns];
            add_deviations(level, &lines, &origin, &mut sums);
            let mut tiles = vec![RowTile([-1.0; RUN_WIDTH]); rows];
            put_columns(level, std::array::from_fn(|at| &eight[at][..]), first, &mut tiles);

            let what = format!("{} {rows} {columns} {stride}", level.name());
            for at in 0..columns {
                assert_eq!(reaches.least[at], column(at).fold(-0.25, f64::min), "{what}");
                assert_eq!(reaches.greatest[at], column(at).fold(0.25, f64::max), "{what}");
                assert_eq!(reaches.missing[at] != 0, column(at).any(f64::is_nan), "{what}");
                let own = lines.iter().skip(at).step_by(columns);
                let sum = own.fold(0.5, |sum, value| sum + (value - origin[at]));
                assert_eq!(sums[at].to_bits(), sum.to_bits(), "{what}");
            }
            for (value, scaled) in values.iter().zip(&*scaled) {
                let wanted = (value + 0.9) / range;
                assert!(scaled.to_bits() == wanted.to_bits() || wanted.is_nan(), "{what}");
                assert_eq!(scaled.is_nan(), value.is_nan(), "{what}");
            }
            for (row, tile) in tiles.iter().enumerate() {
                for (lane, value) in tile.0.iter().enumerate() {
                    let inside = (first..first + LANES).contains(&lane);
                    let wanted = if inside { eight[lane - first][row] } else { -1.0 };
                    assert_eq!(*value, wanted, "{what} {first}");
                }
            }
        }
    };
    let sizes = if cfg!(miri) { 0..=19_usize } else { 0..=300 };
    sizes.for_each(|size| check(size, &mut Random(size as u64)));
}

#[test]
fn lines_put_and_taken_agree() {
    let check = |rows: usize, random: &mut Random| {
        let width = random.below(RUN_WIDTH + 1);
        let stride = width.max(LANES) + random.below(12);
        let number = |random: &mut Random| match random.below(30) {
            0 => f64::NAN,
            _ => random.number(),
        };
        // What is left of the last line need not be there.
        let count = (rows * stride).saturating_sub(stride - width.max(LANES));
        let values: Vec<f64> = (0..count).map(|_| number(random)).collect();
        let values = random.place(values);
        let scales = Scales {
            least: std::array::from_fn(|_| random.number()),
            ranges: std::array::from_fn(|_| 0.1 + random.number().abs()),
        };
        let pairs: Vec<(u32, u32)> = match rows {
            0 => Vec::new(),
            _ => (0..random.below(40))
                .map(|_| (random.below(rows) as u32, random.below(rows) as u32))
                .collect(),
        };
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        for level in levels() {
            let what = format!("{} {rows} {width} {stride}", level.name());
            for scaled in [None, Some(&scales)] {
                let mut tile = vec![RowTile([-1.0; RUN_WIDTH]); rows];
                put_lines(level, &values, stride, width, scaled, &mut tile);
                for (row, tile) in tile.iter().enumerate() {
                    for (lane, found) in tile.0.iter().enumerate() {
                        let value = if lane < width { values[row * stride + lane] } else { 0.0 };
                        let wanted = match scaled {
                            Some(_) if lane < width => {
                                (value - scales.least[lane]) / scales.ranges[lane]
                            }
                            _ => value,
                        };
                        assert!(same(*found, wanted), "{what} row {row} lane {lane}");
                    }
                }
                let mut sums = vec![0.25; pairs.len()];
                add_pair_differences(level, &tile, &pairs, &mut sums);
                for (&(i, j), sum) in pairs.iter().zip(sums) {
                    let of_pair = tile[i as usize].0.iter().zip(tile[j as usize].0);
                    let wanted = of_pair.fold(0.25, |sum, (a, b)| sum + (a - b).abs());
                    assert!(same(sum, wanted), "{what} {i} {j}");
                }
            }
            let mut columns: Vec<Placed<f64>> =
                (0..LANES).map(|_| random.place(vec![9.0; rows])).collect();
            let mut columns = columns.iter_mut().map(|column| &mut **column);
            let mut columns: [&mut [f64]; LANES] =
                std::array::from_fn(|_| columns.next().expect("eight columns"));
            take_columns(level, &values, stride, columns.each_mut().map(|column| &mut **column));
            for (at, column) in columns.iter().enumerate() {
                for (row, value) in column.iter().enumerate() {
                    assert!(same(*value, values[row * stride + at]), "{what} {row} {at}");
                }
            }
        }
    };
    let sizes = if cfg!(miri) { 0..=19_usize } else { 0..=300 };
    sizes.for_each(|size| check(size, &mut Random(size as u64)));
}

/// Numbers of the other kinds.
#[test]
fn reaches_of_all_numbers_agree() {
    fn reach<T: Reaching>(level: Level, values: &[T]) -> ([f64; 2], [f64; 2], bool) {
        let (mut least, mut greatest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut missing = [0; 2];
        let (low, high) = (&mut least[..], &mut greatest[..]);
        let reaches = &mut Reaches { least: low, greatest: high, missing: &mut missing };
        T::add_reaches(level, values, 2, 2, reaches);
        (least, greatest, missing != [0; 2])
    }
    for level in levels() {
        assert_eq!(reach(level, &[3_i8, -2, 1, 5]), ([1.0, -2.0], [3.0, 5.0], false));
        assert_eq!(reach(level, &[3_u8, 200, 1, 5]), ([1.0, 5.0], [3.0, 200.0], false));
        let singles = [3.0_f32, f32::NAN, -0.5, f32::NAN];
        let (of_none, nothing) = (f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(reach(level, &singles), ([-0.5, of_none], [3.0, nothing], true));
    }
}

/// A call that must panic.
fn refused(what: &str, level: Level, call: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "{what} at {}", level.name());
}

/// Calls every kernel with slices that fit together if `slack` is 0, and else have so many elements
/// too few in the last of a call's inputs.
fn call_all(level: Level, slack: usize, mut each: impl FnMut(&str, &mut dyn FnMut())) {
    let numbers = vec![0.5; 2 * LANES - slack];
    let words = vec![1_u64; 3 * LANES - slack];
    let codes = vec![1_u32; 2 * LANES - slack];
    let (full, tile) = (vec![0.5; 2 * LANES], &mut [0.0; TILE]);
    let ramp = Some(RampRule { equal: 0.1, different: 0.2 });
    for ramp in [None, ramp] {
        for (square, gaps) in [(false, false), (true, false), (false, true), (true, true)] {
            let rule = NumberRule { square, gaps, ramp };
            each("add_numbers", &mut || {
                add_numbers(level, rule, &full, &numbers, 2, &[1.0; 2], tile);
            });
        }
    }
    each("add_greater_whole", &mut || {
        add_greater_whole(level, &[1; 2 * LANES], &codes, 2, tile);
    });
    each("add_mismatches", &mut || {
        add_mismatches(level, &[1; 2 * LANES], &codes, 2, 1.0, tile);
    });
    for rule in BIT_RULES {
        for gaps in [false, true] {
            each("add_bit_differences", &mut || {
                let (count, words) = ((rule.planes() + usize::from(gaps)) * LANES, [1; 5 * LANES]);
                let (all, some) = (&words[..count], &words[..count - slack]);
                add_bit_differences(level, rule, gaps, all, some, 1, 1.0, tile);
            });
        }
    }
    each("add_common_bits", &mut || {
        add_common_bits(level, &[1; 3 * LANES], &words, 3, tile);
    });
    each("rounded_distances", &mut || {
        let short = vec![[1; 2]; 2 * LANES - slack];
        let sums = [4; LANES];
        rounded_distances(level, &[[1; 2]; 2 * LANES], &short, 2, &sums, &sums, &mut [0; TILE]);
    });
    each("find_below", &mut || {
        let columns = vec![[1; LANES]; 1 - slack];
        find_below(level, &[[1; TILE]], &[[1; LANES]], &columns, &mut [[0; 2]]);
    });
    each("kth_least", &mut || {
        kth_least(level, &[[[1; 2]; KTH_WIDTH]; 2][..2 - slack], KTH_WIDTH + 1, 3);
    });
    each("add_reaches", &mut || {
        let (least, greatest) = (&mut [0.0; LANES][..], &mut [0.0; LANES][..]);
        let missing = &mut [0; LANES][..];
        f64::add_reaches(level, &numbers, LANES, 2, &mut Reaches { least, greatest, missing });
    });
    each("add_deviations", &mut || {
        add_deviations(level, &numbers, &[0.5; LANES], &mut [0.5; LANES]);
    });
    each("scale_numbers", &mut || {
        scale_numbers(level, &full, 0.0, 1.0, &mut vec![0.0; 2 * LANES - slack]);
    });
    each("put_columns", &mut || {
        put_columns(level, [&numbers; LANES], 1, &mut [RowTile([0.0; RUN_WIDTH]); 2 * LANES]);
    });
    each("put_lines", &mut || {
        put_lines(level, &numbers, LANES, LANES, None, &mut [RowTile([0.0; RUN_WIDTH]); 2]);
    });
    each("take_columns", &mut || {
        let mut columns = [[0.0; 2]; LANES];
        take_columns(level, &numbers, LANES, columns.each_mut().map(|column| &mut column[..]));
    });
    each("take_columns", &mut || {
        let mut columns = [[0.0; 2]; LANES];
        let mut columns = columns.each_mut().map(|column| &mut column[..]);
        columns[1] = &mut std::mem::take(&mut columns[1])[slack..];
        take_columns(level, &full, LANES, columns);
    });
    each("add_pair_differences", &mut || {
        let tile = [RowTile([0.5; RUN_WIDTH]); 3];
        add_pair_differences(level, &tile[slack..], &[(0, 2); 9], &mut [0.0; 9]);
    });
    each("add_pair_differences", &mut || {
        let tile = [RowTile([0.5; RUN_WIDTH]); 3];
        add_pair_differences(level, &tile, &[(0, 2); 9], &mut [0.0; 9][slack..]);
    });
    each("running_sums", &mut || {
        let counts = vec![1.0; 2 * LANES - slack];
        running_sums(level, &full, &counts, &mut [0.0; 17], &mut [0.0; 17]);
    });
    each("running_sums", &mut || {
        running_sums(level, &full, &[1.0; 16], &mut [0.0; 17], &mut [0.0; 17][slack..]);
    });
    each("mean_differences", &mut || {
        mean_differences(level, &full, &[1.0; 17], &[1.0; 17][slack..], &mut [0.0; 16]);
    });
    each("mean_differences", &mut || {
        mean_differences(level, &full, &[1.0; 17], &[1.0; 17], &mut [0.0; 16][slack..]);
    });
    for side in [Side::Near, Side::Far] {
        each("find_beside", &mut || {
            let columns = vec![[1.0; LANES]; 1 - slack];
            find_beside(level, side, &[[1.0; TILE]], &[[1.0; LANES]], &columns, &mut [[0; 2]]);
        });
    }
    if slack == 0 {
        // With nothing that could not fit together.
        each("bound_of_least", &mut || {
            bound_of_least(level, &[1; 8 * KTH_WIDTH], 3);
        });
        each("sort", &mut || {
            let rounding = Rounding { least: 0.0, factor: 1.0 };
            NumberOrder::default().sort(level, &[2.0, 1.0], rounding, 2);
        });
        each("find_missing", &mut || find_missing(level, &[f64::NAN; 9], &mut Vec::new()));
        each("find_code", &mut || find_code(level, &[2; 65], 2, &mut Vec::new()));
        each("genotype_planes", &mut || genotype_planes(level, &[[1; 64]], &mut [[0; 64]; 2]));
        each("code_planes", &mut || code_planes(level, &[[1; 64]], &mut [[0; 64]; 5]));
        each("add_counts", &mut || add_counts(level, 0.5, &[1; COUNTED], &mut [0.5; COUNTED]));
        each("finite_moments", &mut || {
            finite_moments(level, &[0.5; 9]);
        });
    }
    let lines = [&full[..2 * LANES - slack]; LANES];
    let roundings = Roundings { least: &[0.0; 2 * LANES], factors: &[2.0; 2 * LANES] };
    each("round_rows", &mut || {
        let (sums, errors) = (&mut [0; LANES], &mut [0.0; LANES]);
        round_rows(level, lines, roundings, &mut [[0; 2]; TILE], sums, errors);
    });
    each("round_rows", &mut || {
        let factors = &[2.0; 2 * LANES][..2 * LANES - slack];
        let roundings = Roundings { least: &[0.0; 2 * LANES], factors };
        let (sums, errors) = (&mut [0; LANES], &mut [0.0; LANES]);
        round_rows(level, [&full; LANES], roundings, &mut [[0; 2]; TILE], sums, errors);
    });
    each("round_rows", &mut || {
        let (out, sums, errors) = (&mut [[0; 2]; TILE], &mut [0; LANES], &mut [0.0; LANES]);
        round_rows(level, [&full; LANES], roundings, &mut out[slack..], sums, errors);
    });
    each("round_rows_to_whole", &mut || {
        round_rows_to_whole(level, lines, roundings, &mut [0; 2 * TILE], &mut [0.0; LANES]);
    });
    each("round_rows_to_whole", &mut || {
        let (out, errors) = (&mut [0; 2 * TILE], &mut [0.0; LANES]);
        round_rows_to_whole(level, [&full; LANES], roundings, &mut out[slack..], errors);
    });
    each("round_to_whole", &mut || {
        let mut errors = vec![0.0; 2 - slack];
        let rounding = Rounding { least: 0.0, factor: 2.0 };
        round_to_whole(level, &[0.5; 2], rounding, &mut [0; 2], &mut errors);
    });
    for rule in [BitRule::Copies, BitRule::Mismatch, BitRule::MismatchOfFour] {
        each("sum_differences", &mut || {
            let planes = vec![1; rule.planes() * COUNTED_WORDS - slack];
            sum_differences(level, rule, &planes, &[0], &[2], &[0, 1], &mut [0; COUNTED]);
        });
    }
    for weighed in [Weighed::Difference, Weighed::Mismatch] {
        each("add_weighted_runs", &mut || {
            let weights = vec![1.0; 2 - slack];
            let (tiles, sums) = ([&[RowTile([1.0; RUN_WIDTH]); 2][..]], &mut [[0.0; RUN_WIDTH]]);
            add_weighted_runs(level, weighed, &tiles, &[0], &[2], &[0, 1], &weights, sums);
        });
        each("add_weighted_runs", &mut || {
            let tile = &[RowTile([1.0; RUN_WIDTH]); 2];
            let sums = &mut vec![[0.0; RUN_WIDTH]; 2 - slack];
            add_weighted_runs(level, weighed, &[tile, tile], &[0], &[2], &[0, 1], &[1.0; 2], sums);
        });
    }
    let factors = vec![ListFactors { weight: 1.0, own: 1.0, of_list: 0.5 }; 2 - slack];
    let listed = vec![[1.0; RUN_WIDTH]; 2 - slack];
    let tile = [RowTile([1.0; RUN_WIDTH]); 2];
    let lists = ChangeLists {
        rows: &[0],
        ends: &[2],
        changing: &[2],
        others: &[0, 1],
        factors: FactorsOf::Lists(&[ListFactors { weight: 1.0, own: 1.0, of_list: 0.5 }]),
        own_units: &[0],
        units: &[],
        of_pairs: &[],
    };
    let of_rows = ListDifferences::OfRows(Weighed::Difference, &tile);
    let mut add = |name: &str, apart: ListDifferences<'_>, lists: ChangeLists<'_>, units: usize| {
        each(&format!("add_list_changes, {name}"), &mut || {
            let (sums, units) = (&mut [[0.0; RUN_WIDTH]], &mut vec![[0.0; RUN_WIDTH]; units]);
            add_list_changes(level, apart, lists, sums, units, &mut ChangeSums::default());
        });
    };
    add("listed", ListDifferences::OfPairs(&listed), lists, 2);
    add("factors", of_rows, ChangeLists { factors: FactorsOf::Others(&factors), ..lists }, 2);
    add("units", of_rows, ChangeLists { own_units: &[slack as u32 + 1], ..lists }, 2);
    add("others", of_rows, ChangeLists { others: &[0, 1 + slack as u32], ..lists }, 2);
    add("weights", of_rows, ChangeLists { of_pairs: &vec![[1.0; 4]; 2 - slack], ..lists }, 2);
    add("changing", of_rows, ChangeLists { changing: &[2 + slack as u32], ..lists }, 2);
    each("squares_of_repeated", &mut || {
        let list = slack as u32;
        let pair = RepeatedPair { list, rows: [0, 1], factors: ListFactors::default() };
        squares_of_repeated(level, of_rows, &[pair], &[1], &[[1.0; RUN_WIDTH]]);
    });
    each("hinge_slopes", &mut || {
        let (limits, pushed) = ([[0.5; HINGE_LANES]; 2], &mut [[0.5; HINGE_LANES]; 2]);
        let row = HingeSide { limits: &limits[..1], pushed: &mut [[0.5; HINGE_LANES]] };
        let panel = HingeSide { limits: &limits, pushed };
        let (squares, places, slopes) = (&[0.5], &[1 + slack as u16], &mut [0.0]);
        hinge_slopes(level, HingePairs { width: 1.0, squares, places, row, panel, slopes });
    });
    let (chunk, chunks) = ([1.0_f32; NEAR_LANES], [[1.0_f32; NEAR_LANES]; 2]);
    each("find_near_pairs", &mut || {
        let (halves, reaches) = ([0.5; NEAR_ROWS], [0.5; NEAR_ROWS]);
        let sought = SoughtRows { rows: [&chunk[..1]; NEAR_ROWS], halves, reaches };
        let (points, halves) = (&chunks[slack..], &chunks);
        let panel = SoughtPanel { points, halves, reaches: &chunks };
        find_near_pairs(level, sought, panel, &mut [[0; NEAR_PANEL]; NEAR_ROWS]);
    });
    each("squared_distances_at", &mut || {
        squared_distances_at(level, &[1.0; 2], &[0.5; 4], &[1 + slack as u16], &mut [0.0]);
    });
    each("add_pairs_at", &mut || {
        let (sum, sums) = (&mut [0.0; 2], &mut [0.0; 4]);
        add_pairs_at(level, &[1.0], &[1 + slack as u16], &[1.0; 2], &[0.5; 4], sum, sums);
    });
    each("squared_distances", &mut || {
        squared_distances(level, 1.0, &numbers, 0.1, 0.1, &mut [0.5; 2 * LANES]);
    });
    each("add_to_rows", &mut || add_to_rows(level, &[1.0; 2], &[1], 2, &mut vec![0.5; 4 - slack]));
    let blocks = [CaseBlock::ZERO; 2];
    each("add_cases, blocks", &mut || {
        let numbers = [[1.0; FEW_CASES]; 2];
        add_cases(level, &blocks[slack..], &numbers, &[0, 1], &mut [0.5; CASE_ROWS]);
    });
    each("add_cases, numbers", &mut || {
        let numbers = [[1.0; FEW_CASES]; 2];
        add_cases(level, &blocks, &numbers[slack..], &[0, 1], &mut [0.5; CASE_ROWS]);
    });
    each("add_rounded_cases, blocks", &mut || {
        let numbers = [RoundedCases::default(); 2];
        add_rounded_cases(level, &blocks[slack..], &numbers, &[0, 1], &mut [0; CASE_ROWS]);
    });
    each("add_rounded_cases, numbers", &mut || {
        let numbers = [RoundedCases::default(); 2];
        add_rounded_cases(level, &blocks, &numbers[slack..], &[0, 1], &mut [0; CASE_ROWS]);
    });
    each("weigh_cases", &mut || {
        let weights = vec![1.0; 2 * CASE_ROWS - slack];
        weigh_cases(level, &blocks, &[1.0; FEW_CASES], [&weights]);
    });
    let (marks, of_rows) = (vec![1; 2 * MARKS - slack], vec![1.0; 64 * MARKS]);
    each("add_marked, marks", &mut || {
        add_marked(level, &marks, &[1; 2 * MARKS], &[1.0; FEW_CASES], 1.0, &mut [0.0; MARKS]);
    });
    each("add_marked, planes", &mut || {
        add_marked(level, &[1; MARKS], &marks, &[1.0; FEW_CASES], 1.0, &mut [0.0; MARKS]);
    });
    each("weigh_lines, lines", &mut || {
        let (table, lines) = ([1; MARKS], vec![0; MOST_LINES + slack]);
        weigh_lines(level, &table, MARKS, &lines, &of_rows, &mut of_rows.clone());
    });
    each("weigh_lines, words", &mut || {
        let table = [1; 2 * MARKS];
        weigh_lines(level, &table, MARKS - slack, &[1], &of_rows, &mut of_rows.clone());
    });
    each("weigh_lines, weights", &mut || {
        let (table, weights) = ([1; 2 * MARKS], &of_rows[slack..]);
        weigh_lines(level, &table, MARKS, &[1], weights, &mut of_rows.clone());
    });
    each("weigh_lines, table", &mut || {
        weigh_lines(level, &marks, MARKS, &[1], &of_rows, &mut of_rows.clone());
    });
    each("mark_code", &mut || mark_code(level, &[1; 128], 1, &mut vec![0; 2 - slack]));
    each("count_common", &mut || {
        count_common(level, &[1; 2], &vec![1; 4 - slack], &mut [0; 2]);
    });
    let mask = vec![1; 2 - slack];
    each("count_packed_genotypes", &mut || {
        count_packed_genotypes(level, &[1; 17], &mask);
    });
    each("mark_missing_genotypes", &mut || {
        mark_missing_genotypes(level, &[1; 17], &mut mask.clone());
    });
    each("genotype_deviations", &mut || {
        genotype_deviations(level, &[1; 17], &[1; 2], &mut vec![0; 6 - slack]);
    });
    each("pair_sums", &mut || {
        pair_sums(level, &[1; 6], &vec![1; 6 - slack]);
    });
    each("pair_products", &mut || {
        pair_products(level, &[1; 6], &vec![1; 6 - slack]);
    });
    each("add_line", &mut || add_line(level, &numbers, &mut [0.5; 2 * LANES]));
    each("add_weighted_rows", &mut || {
        add_weighted_rows(level, &[1.0; LANES], &numbers, &mut [0.0; 2])
    });
    let columns = [full.as_slice(), numbers.as_slice()];
    each("add_weighted_differences", &mut || {
        let out = &mut [0.0; 2 * LANES];
        add_weighted_differences(level, LineRule::Square, &columns, &[1.0; 2], 0, 0, out);
    });
    each("add_difference_products", &mut || {
        let coefficients = &[1.0; 2 * LANES];
        let sums = &mut [0.0; 2];
        add_difference_products(level, LineRule::Square, &columns, coefficients, 0, 0, sums);
    });
}

#[test]
fn slices_that_do_not_fit_are_refused() {
    for level in levels() {
        call_all(level, 0, |_, call| call());
        call_all(level, 1, |kernel, call| refused(kernel, level, call));
    }
    refused("65 columns", Level::Portable, || {
        genotype_planes(Level::Portable, &[[0; 64]; 65], &mut [[0; 64]; 3]);
    });
    refused("65 columns", Level::Portable, || {
        code_planes(Level::Portable, &[[0; 64]; 65], &mut [[0; 64]; 5]);
    });
    refused("6 planes", Level::Portable, || {
        code_planes(Level::Portable, &[[0; 64]], &mut [[0; 64]; 6]);
    });
}

/// The sum of the differences of the slots of a word, in one feature.
fn chosen(differences: &[f64], word: u64) -> f64 {
    (0..differences.len()).filter(|slot| word >> slot & 1 == 1).map(|slot| differences[slot]).sum()
}

/// Subsets of slots whose differences are whole numbers, so that sums are exact in any order.
fn check_subsets<L: SubsetLanes>(
    put: impl Fn(&mut L, usize, i8),
    of_small: impl Fn(&L, usize) -> f64,
    of_sums: impl Fn(&L::Sums, usize) -> f64,
) {
    let mut random = Random(5);
    for slots in [1, 4, 5, 12, 37, 60] {
        const PERMUTATIONS: usize = 70;
        let mut lanes = vec![L::NONE; slots];
        let plain: Vec<Vec<f64>> = (0..L::LANES)
            .map(|lane| {
                let of_slot = |own: &mut L| {
                    let difference = random.below(3);
                    put(own, lane, difference as i8);
                    difference as f64
                };
                lanes.iter_mut().map(of_slot).collect()
            })
            .collect();
        let words: Vec<[u64; 2]> = (0..PERMUTATIONS)
            .map(|_| {
                let within = |bits: u64| bits & ((1 << slots) - 1);
                let plus = within(random.bits());
                // Every third leaves no slot out.
                let minus = if random.below(3) == 0 { u64::MAX } else { random.bits() };
                [plus, within(minus) & !plus]
            })
            .collect();
        let weights: Vec<f64> = (0..PERMUTATIONS).map(|_| random.below(9) as f64).collect();
        let times: Vec<i16> = (0..PERMUTATIONS).map(|_| random.below(9) as i16 - 4).collect();
        for level in levels() {
            let mut tables = Vec::new();
            // Tables of more slots were there before.
            L::fill_tables(level, &[L::NONE; 60], true, &mut tables);
            L::fill_tables(level, &lanes, true, &mut tables);
            let (mut lookups, mut entries) = (Vec::new(), Vec::new());
            for (permutation, [plus, minus]) in (0..).zip(&words) {
                let [added, subtracted] = look_up(*plus, *minus, &mut entries);
                lookups.push(Lookups { permutation, added, subtracted });
            }
            let mut small = vec![L::NONE; PERMUTATIONS];
            L::add_lookups(level, &tables, &lookups, &entries, &mut small);
            let mut sums = vec![L::NO_SUMS; PERMUTATIONS];
            let plus: Vec<u64> = words.iter().map(|word| word[0]).collect();
            let mut of_words = vec![L::NONE; PERMUTATIONS];
            L::add_words(level, &tables, &plus, &mut of_words);
            L::take_small(level, &mut of_words, &mut sums);
            let mut totals = vec![L::NO_TOTALS; PERMUTATIONS];
            let fractions: Vec<Fraction> = (0..PERMUTATIONS)
                .map(|at| Fraction { permutation: at as u32, slots: plus[at], weight: weights[at] })
                .collect();
            L::add_fractions(level, &tables, &fractions, &mut totals);
            let mut parts = vec![L::NO_SUMS; PERMUTATIONS];
            let multiples: Vec<Multiple> = (0..PERMUTATIONS)
                .map(|at| Multiple { permutation: at as u16, times: times[at], slots: plus[at] })
                .collect();
            L::add_multiples(level, &tables, &multiples, &mut parts);
            let mut all = L::NO_TOTALS;
            let most = L::add_all(level, &lanes, &mut all);
            let of_lanes = plain.iter().map(|plain| plain.iter().sum::<f64>());
            let limited = L::MOST_SMALL < usize::MAX;
            assert_eq!(most as f64, if limited { of_lanes.fold(0.0, f64::max) } else { 0.0 });
            for (permutation, [plus, minus]) in words.iter().enumerate() {
                for (lane, plain) in plain.iter().enumerate() {
                    let what = format!("{} {slots} {permutation} {lane}", level.name());
                    let (plus, minus) = (chosen(plain, *plus), chosen(plain, *minus));
                    assert_eq!(of_small(&small[permutation], lane), plus - minus, "{what}");
                    assert_eq!(of_sums(&sums[permutation], lane), plus, "{what}");
                    let times = f64::from(times[permutation]);
                    assert_eq!(of_sums(&parts[permutation], lane), times * plus, "{what}");
                    let weighted = weights[permutation] * plus;
                    assert_eq!(totals[permutation].as_ref()[lane], weighted, "{what}");
                    assert_eq!(all.as_ref()[lane], plain.iter().sum::<f64>(), "{what}");
                }
            }
            L::take_small(level, &mut small, &mut sums);
            L::take_sums(level, (&mut sums, &weights), (&all, &weights), &mut totals);
            for (permutation, [plus, minus]) in words.iter().enumerate() {
                for (lane, plain) in plain.iter().enumerate() {
                    let (plus, minus) = (chosen(plain, *plus), chosen(plain, *minus));
                    let sum = plus + (plus - minus) + plus + plain.iter().sum::<f64>();
                    let wanted = weights[permutation] * sum;
                    assert_eq!(totals[permutation].as_ref()[lane], wanted, "{}", level.name());
                    assert_eq!(of_small(&small[permutation], lane), 0.0);
                    assert_eq!(of_sums(&sums[permutation], lane), 0.0);
                }
            }
        }
    }
}

#[test]
fn sums_of_subsets_agree() {
    check_subsets::<SmallLanes>(
        |lanes, lane, value| lanes.0[lane] = value,
        |lanes, lane| f64::from(lanes.0[lane]),
        |sums, lane| f64::from(sums.0[lane]),
    );
    check_subsets::<RealLanes>(
        |lanes, lane, value| lanes.0[lane] = f64::from(value),
        |lanes, lane| lanes.0[lane],
        |sums, lane| sums.0[lane],
    );
    let mut random = Random(6);
    let rows: Vec<SmallLanes> = (0..9)
        .map(|_| {
            let mut row = SmallLanes::NONE;
            row.0.iter_mut().for_each(|value| *value = random.below(127) as i8);
            row
        })
        .collect();
    for level in levels() {
        for is_mismatch in [false, true] {
            let mut found = vec![SmallLanes::NONE; 20];
            whole_differences(level, is_mismatch, &rows, 4, &[0, 4, 8], &mut found);
            assert_eq!(found.len(), 3);
            for (other, found) in [0, 4, 8].into_iter().zip(&found) {
                for lane in 0..SmallLanes::LANES {
                    let (a, b) = (rows[4].0[lane], rows[other].0[lane]);
                    let wanted = if is_mismatch { i8::from(a != b) } else { (a - b).abs() };
                    assert_eq!(found.0[lane], wanted);
                }
            }
        }
    }
}

#[test]
fn counts_of_permutations_agree() {
    let mut random = Random(8);
    let masks: Vec<PermutationMask> =
        (0..37).map(|_| std::array::from_fn(|_| random.bits() & random.bits())).collect();
    let calls: Vec<Vec<u16>> = [0, 1, 3, 4, 5, 300, 11]
        .map(|count| (0..count).map(|_| random.below(masks.len()) as u16).collect())
        .to_vec();
    for level in levels() {
        let mut counts = PermutationCounts::default();
        let mut plain = [0; 64 * MASK_WORDS];
        for chosen in &calls {
            counts.add(level, &masks, chosen);
            for &place in chosen {
                for (permutation, count) in plain.iter_mut().enumerate() {
                    *count +=
                        (masks[place as usize][permutation / 64] >> (permutation % 64) & 1) as u32;
                }
            }
            assert_eq!(counts.values(), plain, "{}", level.name());
        }
    }
}

/// A walk by its definition, permutation by permutation: what every row counts, in twelfths, unless more
/// than four rows share the places that are left.
#[test]
fn walks_through_hits_and_misses_agree() {
    let mut random = Random(9);
    for k in [1, 3, 10] {
        // Rows at one distance stand together.
        let steps: Vec<Vec<PermutationMask>> = (0..60)
            .map(|_| {
                let tied = [1, 1, 1, 2, 3, 4, 6][random.below(7)];
                (0..tied).map(|_| std::array::from_fn(|_| random.bits())).collect()
            })
            .collect();
        for level in levels() {
            let mut valid = [u64::MAX; MASK_WORDS];
            valid[MASK_WORDS - 1] = (1 << 17) - 1;
            let mut walk = HitWalk::new(valid, k);
            let permutations = 64 * (MASK_WORDS - 1) + 17;
            let mut counts = vec![[0; 2]; permutations];
            for step in &steps {
                let mut shares = Vec::new();
                let left = walk.step(level, step, &mut shares);
                for (permutation, counts) in counts.iter_mut().enumerate() {
                    let bit = |mask: &PermutationMask| {
                        (mask[permutation / 64] >> (permutation % 64) & 1) as usize
                    };
                    for (group, count) in counts.iter_mut().enumerate() {
                        let members: Vec<usize> =
                            (0..step.len()).filter(|&place| bit(&step[place]) == group).collect();
                        let places = k - (*count).min(k);
                        let odd = members.len() > places && places > 0 && members.len() > 4;
                        assert_eq!(bit(&left[group]) == 1, odd, "{} {k}", level.name());
                        if odd {
                            assert_eq!(walk.places(group, permutation), places);
                        }
                        for place in 0..step.len() {
                            let told = shares.iter().filter(|share| {
                                (share.group as usize, share.place as usize) == (group, place)
                                    && bit(&share.mask) == 1
                            });
                            let told: Vec<usize> =
                                told.map(|share| SHARES[share.share as usize]).collect();
                            let wanted = match members.len() {
                                _ if places == 0 || odd || !members.contains(&place) => vec![],
                                tied if tied <= places => vec![12],
                                tied => vec![12 * places / tied],
                            };
                            assert_eq!(told, wanted, "{} {k} {permutation} {place}", level.name());
                        }
                        *count += members.len();
                    }
                }
            }
            assert!(!walk.is_open());
        }
    }
}

#[test]
fn turned_bits_are_those_of_the_other_side() {
    let mut random = Random(7);
    let square: [u64; 64] = std::array::from_fn(|_| random.bits());
    let mut turned = square;
    turn_bits(&mut turned);
    for i in 0..64 {
        for j in 0..64 {
            assert_eq!(turned[j] >> i & 1, square[i] >> j & 1, "{i} {j}");
        }
    }
}

/// What makes the calls of functions with other instruction sets sound.
#[test]
fn levels_that_are_not_there_are_refused() {
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        call_all(level, 0, |kernel, call| refused(kernel, level, call));
    }
}

#[test]
fn no_rows_are_no_work() {
    for level in levels() {
        let row = vec![0.5; 3 * LANES];
        add_numbers(level, NumberRule::default(), &row, &[], 3, &[], &mut []);
        add_numbers(level, NumberRule::default(), &[], &row, 3, &[], &mut []);
        add_mismatches(level, &[1; LANES], &[], 1, 1.0, &mut []);
        add_common_bits(level, &[1; LANES], &[], 1, &mut []);
        add_bit_differences(level, BitRule::Copies, false, &[], &[1; 2 * LANES], 1, 1.0, &mut []);
        rounded_distances(level, &[], &[[1; 2]; LANES], 1, &[], &[2; LANES], &mut []);
        rounded_distances(level, &[[1; 2]; LANES], &[], 1, &[2; LANES], &[], &mut []);
        find_below(level, &[], &[], &[], &mut []);
        find_beside(level, Side::Near, &[], &[], &[], &mut []);
        add_greater_whole(level, &[], &[1; LANES], 1, &mut []);
        add_greater_whole(level, &[1; LANES], &[], 1, &mut []);
    }
}
