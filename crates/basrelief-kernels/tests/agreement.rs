//! Every kernel at every level this machine has, against a scalar loop over one pair.

use basrelief_kernels::{
    COUNTED, COUNTED_WORDS, GenotypeRule, LANES, Level, MISSING_CODE, MOST_COUNTED, MOST_ROUNDED,
    NumberRule, RampRule, TILE, add_common_bits, add_genotypes, add_greater, add_mismatches,
    add_numbers, add_rounded_lines, find_below, genotype_planes, panels, round_numbers,
    rounded_distances, sum_differences, sum_runs,
};
use proptest::prelude::*;

/// Packs `rows[row][element]` into panels; the last panel is filled with `fill`.
fn pack<T: Copy>(rows: &[Vec<T>], fill: T) -> Vec<T> {
    let width = rows.first().map_or(0, Vec::len);
    let mut out = vec![fill; panels(rows.len()) * width * LANES];
    for (row, values) in rows.iter().enumerate() {
        for (element, value) in values.iter().enumerate() {
            out[(row / LANES * width + element) * LANES + row % LANES] = *value;
        }
    }
    out
}

fn at(out: &[f64], b_rows: usize, i: usize, j: usize) -> f64 {
    let tile = i / LANES * panels(b_rows) + j / LANES;
    out[tile * TILE + i % LANES * LANES + j % LANES]
}

/// Runs a kernel at all levels; all must agree to the bit with each other and with `expected`.
fn check(
    a_rows: usize,
    b_rows: usize,
    kernel: impl Fn(Level, &mut [f64]),
    expected: impl Fn(usize, usize) -> f64,
) {
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let mut out = vec![1.5; panels(a_rows) * panels(b_rows) * TILE];
        kernel(level, &mut out);
        for i in 0..a_rows {
            for j in 0..b_rows {
                let found = at(&out, b_rows, i, j);
                let wanted = expected(i, j);
                assert!(
                    found.to_bits() == wanted.to_bits(),
                    "{} pair ({i}, {j}): {found} instead of {wanted}",
                    level.name()
                );
            }
        }
    }
}

fn table<T: Clone + std::fmt::Debug>(
    element: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = (Vec<Vec<T>>, Vec<Vec<T>>)> {
    (1_usize..40, 1_usize..40, 0_usize..300).prop_flat_map(move |(m, n, width)| {
        let row = prop::collection::vec(element.clone(), width..=width);
        (prop::collection::vec(row.clone(), m..=m), prop::collection::vec(row, n..=n))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn numbers_agree(
        (a, b) in table(prop_oneof![8 => -1.0..1.0_f64, 1 => Just(f64::NAN)]),
        square: bool,
        with_ramp: bool,
    ) {
        let features = a[0].len();
        let scales: Vec<f64> = (0..features).map(|feature| 0.5 + feature as f64 / 100.0).collect();
        let ramp = with_ramp.then_some(RampRule { equal: 0.1, different: 0.6 });
        let rule = NumberRule { square, gaps: true, ramp };
        let (packed_a, packed_b) = (pack(&a, 0.0), pack(&b, 0.0));
        check(a.len(), b.len(), |level, out| {
            add_numbers(level, rule, &packed_a, &packed_b, features, &scales, out);
        }, |i, j| {
            let mut sum = 1.5;
            for f in 0..features {
                let mut d = (a[i][f] - b[j][f]).abs();
                if d.is_nan() {
                    continue;
                }
                if with_ramp {
                    d = ((d * scales[f] - 0.1) / (0.6 - 0.1)).clamp(0.0, 1.0);
                }
                sum += if square { d * d } else { d };
            }
            sum
        });
    }

    #[test]
    fn complete_numbers_agree((a, b) in table(-1.0..1.0_f64), square: bool) {
        let features = a[0].len();
        let rule = NumberRule { square, gaps: false, ramp: None };
        let (packed_a, packed_b) = (pack(&a, 0.0), pack(&b, 0.0));
        check(a.len(), b.len(), |level, out| {
            add_numbers(level, rule, &packed_a, &packed_b, features, &[], out);
        }, |i, j| {
            a[i].iter().zip(&b[j]).fold(1.5, |sum, (x, y)| {
                sum + if square { (x - y) * (x - y) } else { (x - y).abs() }
            })
        });
    }

    #[test]
    fn greater_numbers_agree((a, b) in table(-1.0..1.0_f64)) {
        let features = a[0].len();
        let (packed_a, packed_b) = (pack(&a, 0.0), pack(&b, 0.0));
        check(a.len(), b.len(), |level, out| {
            add_greater(level, &packed_a, &packed_b, features, out);
        }, |i, j| {
            a[i].iter().zip(&b[j]).fold(1.5, |sum, (x, y)| sum + x.max(*y))
        });
    }

    #[test]
    fn rounded_distances_agree((a, b) in table(prop::array::uniform2(0..=MOST_ROUNDED))) {
        let pairs = a[0].len();
        let sums = |rows: &[Vec<[i16; 2]>]| -> Vec<u32> {
            let of_row = |row: &Vec<[i16; 2]>| row.as_flattened().iter().map(|&x| x as u32).sum();
            let mut sums: Vec<u32> = rows.iter().map(of_row).collect();
            sums.resize(panels(rows.len()) * LANES, 0);
            sums
        };
        let (packed_a, packed_b) = (pack(&a, [0; 2]), pack(&b, [0; 2]));
        let (a_sums, b_sums) = (sums(&a), sums(&b));
        let bounds: Vec<u32> = (0..panels(a.len().max(b.len())) * LANES)
            .map(|row| (row as u32 * 7919 % 23) * pairs as u32 * 2000)
            .collect();
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let mut out = vec![9; a_sums.len() * b_sums.len()];
            rounded_distances(level, &packed_a, &packed_b, pairs, &a_sums, &b_sums, &mut out);
            let bounds = bounds.as_chunks::<LANES>().0;
            let columns = &bounds[..panels(b.len())];
            for (panel, tiles) in out.as_chunks::<TILE>().0.chunks(panels(b.len())).enumerate() {
                let mut masks = vec![0; tiles.len()];
                let rows = vec![bounds[panel]; tiles.len()];
                find_below(level, tiles, &rows, columns, &mut masks);
                for (i, a) in a.iter().enumerate().skip(panel * LANES).take(LANES) {
                    for (j, b) in b.iter().enumerate() {
                        let values = a.as_flattened().iter().zip(b.as_flattened());
                        let wanted: u32 = values.map(|(x, y)| u32::from(x.abs_diff(*y))).sum();
                        let bit = i % LANES * LANES + j % LANES;
                        prop_assert_eq!(tiles[j / LANES][bit], wanted, "{}", level.name());
                        let bound = bounds[panel][i % LANES].max(columns[j / LANES][j % LANES]);
                        let found = masks[j / LANES] >> bit & 1 == 1;
                        prop_assert_eq!(found, wanted < bound, "{}", level.name());
                    }
                }
            }
        }
    }

    #[test]
    fn rounded_lines_agree(
        lines in prop::collection::vec(prop::collection::vec(any::<i16>(), 37), 0..11),
        count in 0..37_usize,
    ) {
        let lines: Vec<&[i16]> = lines.iter().map(Vec::as_slice).collect();
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let mut out = vec![-3; count];
            add_rounded_lines(level, &lines, &mut out);
            for (j, sum) in out.iter().enumerate() {
                let wanted = lines.iter().fold(-3, |sum, line| sum + i32::from(line[j]));
                prop_assert_eq!(*sum, wanted, "{}", level.name());
            }
        }
    }

    #[test]
    fn rounded_numbers_agree(values in prop::collection::vec(0.0..1.0_f64, 0..300)) {
        let mut first: Option<(Vec<i16>, Vec<u32>, Vec<f64>)> = None;
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let (mut out, mut sums) = (vec![0; values.len() + 3], vec![5; values.len()]);
            let mut errors = vec![0.25; values.len()];
            round_numbers(level, &values, 32_767.0, &mut out, &mut sums, &mut errors);
            for (row, value) in values.iter().enumerate() {
                let scaled = value * 32_767.0;
                prop_assert_eq!(f64::from(out[row]), scaled.round_ties_even());
                prop_assert_eq!(sums[row], 5 + out[row] as u32);
                prop_assert_eq!(errors[row], 0.25 + (scaled - scaled.round_ties_even()).abs());
            }
            let found = (out, sums, errors);
            prop_assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        }
    }

    #[test]
    fn planes_agree(
        columns in prop::collection::vec(prop::array::uniform32(0..4_u8), 0..=64),
        shift in 0..32_usize,
    ) {
        let columns: Vec<[u8; 64]> = columns
            .iter()
            .map(|copies| std::array::from_fn(|row| copies[(row * 5 + shift) % 32]))
            .collect();
        let mut planes = [[9; 64]; 3];
        genotype_planes(&columns, &mut planes);
        for row in 0..64 {
            for plane in 0..3 {
                let wanted = columns.iter().enumerate().fold(0_u64, |bits, (column, copies)| {
                    let set = match plane {
                        0 => (1..3).contains(&copies[row]),
                        1 => copies[row] == 2,
                        _ => copies[row] != 3,
                    };
                    bits | u64::from(set) << column
                });
                prop_assert_eq!(planes[plane][row], wanted);
            }
        }
    }

    #[test]
    fn codes_agree((a, b) in table(prop_oneof![6 => 0..4_u32, 1 => Just(MISSING_CODE)])) {
        let features = a[0].len();
        let (packed_a, packed_b) = (pack(&a, 0), pack(&b, 0));
        check(a.len(), b.len(), |level, out| {
            add_mismatches(level, &packed_a, &packed_b, features, 3.0, out);
        }, |i, j| {
            let known = |code: u32| code != MISSING_CODE;
            let count = a[i].iter().zip(&b[j])
                .filter(|(x, y)| x != y && known(**x) && known(**y)).count();
            1.5 + 3.0 * count as f64
        });
    }

    #[test]
    fn genotypes_agree((a, b) in table(0..4_u8), kind in 0..3_usize, gaps: bool) {
        use GenotypeRule::{Copies, Mismatch, SquaredCopies};
        let rule = [Copies, SquaredCopies, Mismatch][kind];
        let words = a[0].len().div_ceil(64);
        let n_planes = if gaps { 3 } else { 2 };
        let without_gaps = |rows: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            let value = |g: u8| if gaps { g } else { g % 3 };
            rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect()
        };
        let (a, b) = (without_gaps(a), without_gaps(b));
        let planes = |rows: &[Vec<u8>]| -> Vec<Vec<u64>> {
            rows.iter().map(|row| {
                let mut bits = vec![0_u64; words * n_planes];
                for (f, &g) in row.iter().enumerate() {
                    let (word, bit) = (f / 64 * n_planes, 1_u64 << (f % 64));
                    if g < 3 {
                        if gaps { bits[word + 2] |= bit; }
                        if g >= 1 { bits[word] |= bit; }
                        if g >= 2 { bits[word + 1] |= bit; }
                    }
                }
                bits
            }).collect()
        };
        let (packed_a, packed_b) = (pack(&planes(&a), 0), pack(&planes(&b), 0));
        check(a.len(), b.len(), |level, out| {
            add_genotypes(level, rule, gaps, &packed_a, &packed_b, words, 0.5, out);
        }, |i, j| {
            let sum: u32 = a[i].iter().zip(&b[j]).map(|(&x, &y)| match (x, y) {
                (3, _) | (_, 3) => 0,
                _ => match rule {
                    Mismatch => u32::from(x != y),
                    Copies => u32::from(x.abs_diff(y)),
                    SquaredCopies => u32::from(x.abs_diff(y)).pow(2),
                },
            }).sum();
            1.5 + 0.5 * f64::from(sum)
        });
    }

    #[test]
    fn common_bits_agree((a, b) in table(any::<u64>())) {
        let words = a[0].len();
        let (packed_a, packed_b) = (pack(&a, 0), pack(&b, 0));
        check(a.len(), b.len(), |level, out| {
            add_common_bits(level, &packed_a, &packed_b, words, out);
        }, |i, j| {
            1.5 + a[i].iter().zip(&b[j]).map(|(x, y)| f64::from((x & y).count_ones())).sum::<f64>()
        });
    }

    #[test]
    fn counted_differences_agree(
        seed: u64,
        rows in 1_usize..50,
        others in prop_oneof![0..40_usize, 40..=MOST_COUNTED],
        mismatch: bool,
    ) {
        // Splitmix: proptest's own vectors of this size are slow.
        let mut state = seed;
        let mut next = move |below: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (z ^ (z >> 27)) % below
        };
        let genotypes: Vec<Vec<u8>> =
            (0..rows).map(|_| (0..COUNTED).map(|_| next(3) as u8).collect()).collect();
        let mut planes = vec![0_u64; rows * COUNTED_WORDS];
        for (row, values) in genotypes.iter().enumerate() {
            for (f, &g) in values.iter().enumerate() {
                let word = row * COUNTED_WORDS + f / 64;
                planes[word] |= u64::from(g >= 1) << (f % 64);
                planes[word + COUNTED_WORDS / 2] |= u64::from(g >= 2) << (f % 64);
            }
        }
        let own = next(rows as u64) as usize;
        let others: Vec<u32> = (0..others).map(|_| next(rows as u64) as u32).collect();
        let rule = if mismatch { GenotypeRule::Mismatch } else { GenotypeRule::Copies };
        let expected: Vec<u16> = (0..COUNTED)
            .map(|f| {
                let count = |&other: &u32| {
                    let difference = genotypes[own][f].abs_diff(genotypes[other as usize][f]);
                    u16::from(if mismatch { difference.min(1) } else { difference })
                };
                others.iter().map(count).sum()
            })
            .collect();
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let mut out = [9; COUNTED];
            sum_differences(level, rule, &planes, own, &others, &mut out);
            prop_assert_eq!(&out[..], &expected[..], "{}", level.name());
        }
    }

    #[test]
    fn runs_agree(
        values in prop::collection::vec(prop::array::uniform8(0..4_u8), 1..40),
        runs in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u32>(), 0..20)), 0..9),
        mismatch: bool,
    ) {
        let n = values.len() as u32;
        let values: Vec<[f64; LANES]> = values.iter().map(|v| v.map(|x| f64::from(x) / 3.0)).collect();
        let rows: Vec<u32> = runs.iter().map(|(row, _)| row % n).collect();
        let others: Vec<u32> = runs.iter().flat_map(|(_, others)| others.iter().map(|o| o % n)).collect();
        let mut end = 0;
        let ends: Vec<usize> = runs.iter().map(|(_, others)| { end += others.len(); end }).collect();
        let mut first: Option<Vec<[f64; LANES]>> = None;
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            let mut out = vec![[7.0; LANES]; rows.len()];
            sum_runs(level, mismatch, &values, &rows, &ends, &others, &mut out);
            prop_assert_eq!(first.get_or_insert_with(|| out.clone()), &out, "{}", level.name());
            for (run, sums) in out.iter().enumerate() {
                let start = if run == 0 { 0 } else { ends[run - 1] };
                for lane in 0..LANES {
                    let own = values[rows[run] as usize][lane];
                    let expected = others[start..ends[run]].iter().fold(0.0, |sum, &other| {
                        let other = values[other as usize][lane];
                        sum + if mismatch { f64::from(u8::from(own != other)) } else { (own - other).abs() }
                    });
                    prop_assert!((sums[lane] - expected).abs() < 1e-14, "{}", level.name());
                }
            }
        }
    }
}
