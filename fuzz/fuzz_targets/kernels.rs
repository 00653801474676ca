//! Any input to any kernel: every level this machine has must give the same bits, and none may read
//! or write outside its slices, which the address sanitizer watches.
#![no_main]

use std::ops::Deref;

use arbitrary::{Arbitrary, Result, Unstructured};
use basrelief_kernels::{
    BitRule, CASE_ROWS, COUNTED, COUNTED_WORDS, CaseBlock, ChangeLists, ChangeSums, FEW_CASES,
    FactorsOf, GENOTYPES, HINGE_LANES, HingePairs, HingeSide, HingeSums, KTH_WIDTH, LANES, Level,
    LineRule, ListDifferences, ListFactors, MARKS, MOST_COUNTED, Moments, NEAR_LANES, NEAR_PANEL,
    NEAR_ROWS, NumberOrder, NumberRule, RUN_WIDTH, RampRule, Reaches, Reaching, RepeatedPair,
    RoundedCases, Rounding, Roundings, RowTile, Scales, Side, SoughtPanel, SoughtRows, TILE,
    Weighed, add_bit_differences, add_cases, add_common_bits, add_counts, add_deviations,
    add_difference_products, add_greater_whole, add_line, add_list_changes, add_marked,
    add_mismatches, add_numbers, add_pair_differences, add_pairs_at, add_rounded_cases,
    add_to_rows, add_weighted_differences, add_weighted_rows, add_weighted_runs, bound_of_least,
    code_planes, count_common, count_packed_genotypes, exponentials, find_below, find_beside,
    find_missing, find_near_pairs, finite_moments, genotype_deviations, genotype_planes,
    hinge_slopes, kth_least, least, mark_code, mark_missing_genotypes, mean_differences,
    pair_products, pair_sums, put_columns, put_lines, round_rows, round_rows_to_whole,
    round_to_whole, rounded_distances, running_sums, scale_and_drop, scale_numbers,
    squared_distances, squared_distances_at, squares_of_repeated, sum_differences, take_columns,
    weigh_cases, weigh_lines,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Bytes are 0 where they have ended, so that every input is one.
    compare(&mut Unstructured::new(bytes)).expect("all sizes have a range");
});

/// Values that end where their allocation ends and start anywhere in it.
struct Placed<T> {
    all: Box<[T]>,
    start: usize,
}

impl<T> Deref for Placed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all[self.start..]
    }
}

/// Values from a few: an input of some bytes is large enough for every size.
fn place<T: Copy>(few: &[T], count: usize, start: usize) -> Placed<T> {
    let value = |place: usize| few[(place + place / few.len() * 7) % few.len()];
    Placed { all: (0..start + count).map(value).collect(), start }
}

fn values<T>(bytes: &mut Unstructured<'_>, count: usize) -> Result<Placed<T>>
where
    T: Copy + for<'b> Arbitrary<'b>,
{
    let few: [T; 19] = bytes.arbitrary()?;
    Ok(place(&few, count, bytes.int_in_range(0..=7)?))
}

/// Numbers of any kind: all bits, or a few different ones, or from 0 to 1.
fn numbers(bytes: &mut Unstructured<'_>, count: usize) -> Result<Placed<f64>> {
    let few: [f64; 19] = match bytes.int_in_range(0..=2)? {
        0 => bytes.arbitrary()?,
        1 => bytes.arbitrary::<[i8; 19]>()?.map(|value| f64::from(value) / 8.0),
        _ => bytes.arbitrary::<[u32; 19]>()?.map(|value| f64::from(value) / f64::from(u32::MAX)),
    };
    Ok(place(&few, count, bytes.int_in_range(0..=7)?))
}

/// The bits of numbers; all NaN are one, which bits it has no machine promises.
fn bits(numbers: &[f64]) -> Vec<u64> {
    let of = |number: &f64| if number.is_nan() { f64::NAN } else { *number }.to_bits();
    numbers.iter().map(of).collect()
}

/// Runs a kernel at all levels, which must give the same.
fn same<T: PartialEq + std::fmt::Debug>(kernel: impl Fn(Level) -> T) {
    let portable = kernel(Level::Portable);
    for level in Level::ALL.into_iter().skip(1).filter(|level| level.is_available()) {
        assert_eq!(kernel(level), portable, "{}", level.name());
    }
}

/// Indices below `bound`.
fn indices(bytes: &mut Unstructured<'_>, count: usize, bound: usize) -> Result<Box<[u32]>> {
    let any = values::<u32>(bytes, count)?;
    Ok(any.iter().map(|index| index % bound as u32).collect())
}

fn compare(bytes: &mut Unstructured<'_>) -> Result<()> {
    let kernel = bytes.int_in_range(0..=18)?;
    // Panels of the left and the right side, and elements of a row.
    let (a, b) = (bytes.int_in_range(0..=3)?, bytes.int_in_range(0..=3)?);
    let width: usize = match bytes.int_in_range(0..=3)? {
        0 => bytes.int_in_range(0..=600)?,
        _ => bytes.int_in_range(0..=40)?,
    };
    let (left, right) = (a * width * LANES, b * width * LANES);
    let mut out = bytes.arbitrary::<[i16; TILE]>()?.map(f64::from).to_vec();
    out = out.into_iter().cycle().take(if width == 0 { 0 } else { a * b * TILE }).collect();
    let tiles = |add: &dyn Fn(&mut [f64])| {
        let mut out = out.clone();
        add(&mut out);
        bits(&out)
    };
    let ramp = RampRule { equal: bytes.arbitrary()?, different: bytes.arbitrary()? };
    let weight: f64 = bytes.arbitrary()?;
    let bit_rule = *bytes.choose(&[
        BitRule::Copies,
        BitRule::Mismatch,
        BitRule::SquaredCopies,
        BitRule::MismatchOfFour,
    ])?;
    match kernel {
        0 => {
            let (x, y) = (numbers(bytes, left)?, numbers(bytes, right)?);
            let scales = numbers(bytes, width)?;
            let ramp = bytes.arbitrary::<bool>()?.then_some(ramp);
            let rule = NumberRule { square: bytes.arbitrary()?, gaps: bytes.arbitrary()?, ramp };
            same(|level| tiles(&|out| add_numbers(level, rule, &x, &y, width, &scales, out)));
        }
        2 => {
            let (x, y) = (values(bytes, left)?, values(bytes, right)?);
            same(|level| tiles(&|out| add_mismatches(level, &x, &y, width, weight, out)));
        }
        3 => {
            let (x, y) = (values(bytes, left)?, values(bytes, right)?);
            same(|level| tiles(&|out| add_common_bits(level, &x, &y, width, out)));
        }
        4 => {
            let gaps: bool = bytes.arbitrary()?;
            let planes = bit_rule.planes() + usize::from(gaps);
            let (x, y) = (values(bytes, left * planes)?, values(bytes, right * planes)?);
            same(|level| {
                tiles(&|out| {
                    add_bit_differences(level, bit_rule, gaps, &x, &y, width, weight, out);
                })
            });
        }
        5 => {
            let (x, y) = (values::<[i16; 2]>(bytes, left)?, values::<[i16; 2]>(bytes, right)?);
            let x_sums = values(bytes, a * LANES)?;
            let y_sums = values(bytes, b * LANES)?;
            same(|level| {
                let mut out = vec![9; a * b * TILE];
                rounded_distances(level, &x, &y, width, &x_sums, &y_sums, &mut out);
                out
            });
        }
        6 => {
            let distances = values::<u32>(bytes, width * TILE)?;
            let tiles: Box<[[u32; TILE]]> = distances.as_chunks().0.into();
            let (rows, columns) = (values(bytes, width)?, values(bytes, width)?);
            same(|level| {
                let mut masks = vec![[9; 2]; width];
                find_below(level, &tiles, &rows, &columns, &mut masks);
                masks
            });
        }
        7 => {
            let any = numbers(bytes, width)?;
            let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
            let values: Box<[f64]> = any.iter().map(|value| finite(*value)).collect();
            same(|level| {
                let (least, factor) = (finite(ramp.equal), finite(weight));
                let (mut whole, mut lost) = (vec![0; width], vec![0.25; width]);
                let rounding = Rounding { least, factor };
                round_to_whole(level, &values, rounding, &mut whole, &mut lost);
                let (of_least, factors) = (vec![least; width], vec![factor; width]);
                let roundings = Roundings { least: &of_least, factors: &factors };
                let mut panel = vec![[0; 2]; width.div_ceil(2) * LANES];
                let (mut sums, mut errors) = ([5; LANES], [0.25; LANES]);
                let lines = [&values[..]; LANES];
                round_rows(level, lines, roundings, &mut panel, &mut sums, &mut errors);
                let mut words = vec![0; width * LANES];
                round_rows_to_whole(level, lines, roundings, &mut words, &mut errors);
                (panel, sums, bits(&errors), words, whole, bits(&lost))
            });
        }
        1 => {
            let (x, y) = (values::<u32>(bytes, left)?, values::<u32>(bytes, right)?);
            same(|level| tiles(&|out| add_greater_whole(level, &x, &y, width, out)));
        }
        15 => {
            let values = numbers(bytes, width)?;
            let tiles = numbers(bytes, a * b * TILE)?;
            let (rows, columns) = (numbers(bytes, a * b * LANES)?, numbers(bytes, a * b * LANES)?);
            same(|level| {
                let Moments { count, mean, squares } = finite_moments(level, &values);
                let (rows, columns) = (rows.as_chunks().0, columns.as_chunks().0);
                let masks = [Side::Near, Side::Far].map(|side| {
                    let mut masks = vec![[9; 2]; a * b];
                    find_beside(level, side, tiles.as_chunks().0, rows, columns, &mut masks);
                    masks
                });
                (bits(&[count, mean, squares]), masks)
            });
        }
        8 => {
            let columns: Vec<[u8; 64]> = values(bytes, width.min(64))?.to_vec();
            let places = || (0..64).flat_map(|row| (0..columns.len()).map(move |c| (row, c)));
            for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
                let mut planes = [[9; 64]; 3];
                genotype_planes(level, &columns, &mut planes);
                for (row, column) in places() {
                    let copies = columns[column][row] & 3;
                    let set = planes.map(|plane| plane[row] >> column & 1 == 1);
                    assert_eq!(set, [copies == 1 || copies == 2, copies == 2, copies != 3]);
                }
                for digits in [2, 4] {
                    let mut planes = [[9; 64]; 5];
                    code_planes(level, &columns, &mut planes[..=digits]);
                    for (row, column) in places() {
                        let bit = |bit: usize| columns[column][row] >> bit & 1 == 1;
                        for (plane, words) in planes[..=digits].iter().enumerate() {
                            let wanted = if plane == digits { !bit(4) } else { bit(plane) };
                            assert_eq!(words[row] >> column & 1 == 1, wanted);
                        }
                    }
                }
            }
        }
        9 => {
            let rows = bytes.int_in_range(1..=40)?;
            let rule = match bit_rule {
                BitRule::SquaredCopies => BitRule::Copies,
                rule => rule,
            };
            let planes = values(bytes, rows * COUNTED_WORDS / 2 * rule.planes())?;
            let others = bytes.int_in_range(0..=MOST_COUNTED)?;
            let others = indices(bytes, others, rows)?;
            // Two runs, of which either may have no others.
            let first = bytes.int_in_range(0..=others.len())?;
            let (own, ends) = (indices(bytes, 2, rows)?, [first, others.len()]);
            same(|level| {
                let mut out = [9; COUNTED];
                sum_differences(level, rule, &planes, &own, &ends, &others, &mut out);
                let mut sums = [0.5; COUNTED];
                add_counts(level, weight, &out, &mut sums);
                (out, bits(&sums))
            });
        }
        10 => {
            let rows = bytes.int_in_range(1..=40)?;
            let numbers = numbers(bytes, rows * RUN_WIDTH)?;
            let rows_of = numbers.as_chunks::<RUN_WIDTH>().0;
            let tile: Box<[RowTile]> = rows_of.iter().map(|row| RowTile(*row)).collect();
            let runs = indices(bytes, width, rows)?;
            let counts = indices(bytes, width, 20)?;
            let ends = counts.iter().scan(0, |end, count| {
                *end += *count as usize;
                Some(*end)
            });
            let ends: Box<[usize]> = ends.collect();
            let others = indices(bytes, ends.last().copied().unwrap_or(0), rows)?;
            let numbers_of_16_bits: [u16; FEW_CASES] = bytes.arbitrary()?;
            let weighed = *bytes.choose(&[Weighed::Difference, Weighed::Mismatch])?;
            same(|level| {
                let weights = numbers.iter().copied().cycle().take(others.len());
                let weights: Box<[f64]> = weights.collect();
                let mut sums = [[7.0; RUN_WIDTH]; 3];
                add_weighted_runs(
                    level,
                    weighed,
                    &[&tile[..]; 3],
                    &runs,
                    &ends,
                    &others,
                    &weights,
                    &mut sums,
                );
                let factor = |at: usize| ListFactors {
                    weight: numbers[at % numbers.len()],
                    own: numbers[(at + 1) % numbers.len()],
                    of_list: numbers[(at + 2) % numbers.len()],
                };
                let factors: Box<[ListFactors]> = (0..others.len()).map(factor).collect();
                let lengths = ends.iter().scan(0, |start, end| {
                    let length = end - *start;
                    *start = *end;
                    Some(length as u32)
                });
                let changing: Box<[u32]> = lengths.map(|length| length.div_ceil(2)).collect();
                let lists = ChangeLists {
                    rows: &runs,
                    ends: &ends,
                    changing: &changing,
                    others: &others,
                    factors: FactorsOf::Others(&factors),
                    own_units: &runs,
                    units: &[],
                    of_pairs: &[],
                };
                let (mut of_lists, mut changes) =
                    (vec![[0.5; RUN_WIDTH]; runs.len()], ChangeSums::default());
                let mut units = vec![[0.5; RUN_WIDTH]; rows];
                let apart = ListDifferences::OfRows(weighed, &tile);
                add_list_changes(level, apart, lists, &mut of_lists, &mut units, &mut changes);
                let pair = |(place, &other): (usize, &u32)| RepeatedPair {
                    list: 0,
                    rows: [other, other / 2],
                    factors: factor(place),
                };
                let pairs: Box<[RepeatedPair]> = match runs.len() {
                    0 => Box::default(),
                    _ => others.iter().enumerate().map(pair).collect(),
                };
                let lengths = [pairs.len() as u32];
                let repeated = squares_of_repeated(level, apart, &pairs, &lengths, &of_lists);
                let changes = [changes.total, changes.squares, repeated];
                let changes = [&of_lists[..], &units, &changes].concat();
                let mut lines = vec![0.5; rows * weights.len()];
                add_to_rows(level, &weights, &runs, weights.len(), &mut lines);
                // Of as many blocks as rows.
                let block = |row: usize| {
                    CaseBlock::from_fn(|place| {
                        others.get(place).map_or(0, |other| *other as u8) ^ row as u8
                    })
                };
                let blocks: Box<[CaseBlock]> = (0..rows).map(block).collect();
                let by_case: [f64; FEW_CASES] = std::array::from_fn(|case| numbers[case]);
                let mut by_row = [0.5; CASE_ROWS];
                add_cases(level, &blocks, &vec![by_case; rows], &runs, &mut by_row);
                let of_16_bits = vec![RoundedCases::new(numbers_of_16_bits); rows];
                let mut rounded = [7; CASE_ROWS];
                add_rounded_cases(level, &blocks, &of_16_bits, &runs, &mut rounded);
                let weights = numbers.iter().copied().cycle().take(rows * CASE_ROWS);
                let weights: Box<[f64]> = weights.collect();
                let of_cases = weigh_cases(level, &blocks, &by_case, [&weights]);
                let by_cases = (bits(&by_row), rounded, bits(&of_cases));
                (bits(sums.as_flattened()), bits(&lines), bits(changes.as_flattened()), by_cases)
            });
        }
        11 => {
            let (products, lengths) = (numbers(bytes, width)?, numbers(bytes, width)?);
            let rows = numbers(bytes, width * a)?;
            let (share, factor): (f64, f64) = (bytes.arbitrary()?, bytes.arbitrary()?);
            same(|level| {
                let mut values = products.to_vec();
                let doubtful = squared_distances(level, weight, &lengths, share, 0.5, &mut values);
                let distances = bits(&values);
                let nearest = least(level, &values);
                let (sum, kept) = exponentials(level, nearest, &mut values);
                let left = scale_and_drop(level, factor, 1e-9, &mut values);
                let mut sums = lengths.to_vec();
                add_line(level, &values, &mut sums);
                let mut gathered = vec![0.0; a];
                add_weighted_rows(level, &values, &rows, &mut gathered);
                let all = [distances, bits(&[nearest, sum]), bits(&sums), bits(&gathered)];
                (doubtful, kept, left, all)
            });
        }
        16 => {
            let (lines, words) = (a + 4 * b, width % 4 * MARKS);
            let (table, planes) = (values(bytes, lines * words)?, values(bytes, b * words)?);
            let count = if lines == 0 { 0 } else { bytes.int_in_range(0..=100)? };
            let listed = indices(bytes, count, lines)?;
            let (marks, weights) = (values(bytes, words)?, numbers(bytes, 64 * words)?);
            let of_case = numbers(bytes, FEW_CASES)?;
            let by_case: [f64; FEW_CASES] = std::array::from_fn(|case| of_case[case]);
            let codes: Placed<u8> = values(bytes, width)?;
            same(|level| {
                let mut parts = [0.5; MARKS];
                add_marked(level, &marks, &planes, &by_case, weight, &mut parts);
                let mut products = vec![0.5; 64 * words];
                weigh_lines(level, &table, words, &listed, &weights, &mut products);
                let mut marked = vec![9; width.div_ceil(64) + a];
                mark_code(level, &codes, a as u8, &mut marked);
                let mut common = vec![9; b];
                count_common(level, &marks, &planes, &mut common);
                (bits(&parts), bits(&products), marked, common)
            });
        }
        17 => {
            let candidates: Placed<[u32; 2]> =
                values(bytes, width.next_multiple_of(KTH_WIDTH).max(KTH_WIDTH))?;
            let count = width.max(1);
            let k = bytes.int_in_range(1..=count)?;
            let least_of: Box<[u32]> = candidates.iter().map(|candidate| candidate[0]).collect();
            let near = numbers(bytes, width)?;
            let rounding = Rounding { least: ramp.equal, factor: ramp.different };
            let places = *bytes.choose(&[0, usize::BITS - width.leading_zeros()])?;
            same(|level| {
                let kth = kth_least(level, candidates.as_chunks().0, count, k);
                let mut order = NumberOrder::default();
                let sorted = order.sort(level, &near, rounding, places).to_vec();
                let mut missing = Vec::new();
                find_missing(level, &near, &mut missing);
                let (mut before, mut sums) = (vec![0.5; width + 1], vec![0.5; width + 1]);
                running_sums(level, &near, &near, &mut before, &mut sums);
                let mut means = vec![0.5; width];
                mean_differences(level, &near, &before, &sums, &mut means);
                let found = [before, sums, means].map(|numbers| bits(&numbers));
                (kth, bound_of_least(level, &least_of[..count], k), sorted, missing, found)
            });
        }
        18 => {
            let words = (4 * width).div_ceil(GENOTYPES);
            let (one, other): (Placed<u8>, Placed<u8>) =
                (values(bytes, width)?, values(bytes, width)?);
            let mask: Placed<u64> = values(bytes, words)?;
            same(|level| {
                let mut marks = vec![9; words];
                mark_missing_genotypes(level, &one, &mut marks);
                let planes = [&one, &other].map(|packed| {
                    let mut planes = vec![9; 3 * words];
                    genotype_deviations(level, packed, &mask, &mut planes);
                    planes
                });
                let counts = count_packed_genotypes(level, &one, &mask);
                let products = pair_products(level, &planes[0], &planes[1]);
                let sums = pair_sums(level, &planes[0], &planes[1]);
                (counts, marks, products, sums, planes)
            });
        }
        14 => {
            let chunks = bytes.int_in_range(0..=3)?;
            let width = width % 41;
            // Of whole numbers, which single precision holds: fused or not, no sum is rounded.
            let mut whole = |count: usize| -> Result<Box<[f32]>> {
                Ok(values::<i8>(bytes, count)?.iter().copied().map(f32::from).collect())
            };
            let (own, points) = (whole(NEAR_ROWS * width)?, whole(chunks * width * NEAR_LANES)?);
            let (halves, reaches) = (whole(chunks * NEAR_LANES)?, whole(chunks * NEAR_LANES)?);
            let of_row = |row: usize| &own[row * width..][..width];
            let sought = SoughtRows {
                rows: std::array::from_fn(of_row),
                halves: bytes.arbitrary::<[i16; NEAR_ROWS]>()?.map(f32::from),
                reaches: bytes.arbitrary()?,
            };
            let panel = SoughtPanel {
                points: points.as_chunks().0,
                halves: halves.as_chunks().0,
                reaches: reaches.as_chunks().0,
            };
            same(|level| {
                let mut found = [[9; NEAR_PANEL]; NEAR_ROWS];
                let counts = find_near_pairs(level, sought, panel, &mut found);
                let places =
                    found.iter().zip(counts).map(|(places, count)| places[..count].to_vec());
                places.collect::<Vec<Vec<u16>>>()
            });

            let (rows, fours) = (chunks * NEAR_LANES, b);
            let count = if rows == 0 { 0 } else { bytes.int_in_range(0..=100)? };
            let listed = indices(bytes, count, rows.max(1))?;
            let places: Box<[u16]> = listed.iter().map(|&place| place as u16).collect();
            let (row, others) = (numbers(bytes, width)?, numbers(bytes, rows * width)?);
            let (distances, weights) = (numbers(bytes, count)?, numbers(bytes, count)?);
            let limits = numbers(bytes, (1 + rows) * fours * HINGE_LANES)?;
            let (limits, limits_of_panel) = limits.as_chunks().0.split_at(fours);
            same(|level| {
                let mut squares = vec![9.0; count];
                squared_distances_at(level, &row, &others, &places, &mut squares);
                let (mut sum, mut sums) = (vec![0.5; width], vec![0.5; rows * width]);
                add_pairs_at(level, &weights, &places, &row, &others, &mut sum, &mut sums);
                let (mut pushed, mut of_panel) =
                    (vec![[0.5; HINGE_LANES]; fours], vec![[0.5; HINGE_LANES]; rows * fours]);
                let mut slopes = vec![9.0; count];
                let HingeSums { value, smooth, slope } = hinge_slopes(
                    level,
                    HingePairs {
                        width: weight,
                        squares: &distances,
                        places: &places,
                        row: HingeSide { limits, pushed: &mut pushed },
                        panel: HingeSide { limits: limits_of_panel, pushed: &mut of_panel },
                        slopes: &mut slopes,
                    },
                );
                let pushed = [pushed, of_panel].map(|pushed| bits(pushed.as_flattened()));
                let pairs = [squares, sum, sums].map(|numbers| bits(&numbers));
                (pairs, pushed, bits(&slopes), bits(&[value, smooth, slope]))
            });
        }
        13 => {
            let lines = numbers(bytes, a * width)?;
            let eight = numbers(bytes, width + b)?;
            let (least, range) = (ramp.equal, ramp.different);
            same(|level| {
                let (mut low, mut high) = (vec![1.0; width], vec![2.0; width]);
                let mut missing = vec![0; width];
                let (least_of, greatest) = (&mut low[..], &mut high[..]);
                let missing_of = &mut missing[..];
                let reaches = &mut Reaches { least: least_of, greatest, missing: missing_of };
                f64::add_reaches(level, &lines, width, a, reaches);
                let mut deviations = vec![0.5; width];
                add_deviations(level, &lines, &eight[..width], &mut deviations);
                let missing: Vec<bool> = missing.into_iter().map(|missing| missing != 0).collect();
                let mut scaled = vec![0.0; width];
                scale_numbers(level, &eight[..width], least, range, &mut scaled);
                let mut tiles = vec![RowTile([0.5; RUN_WIDTH]); width];
                put_columns(level, [&eight; LANES], b, &mut tiles);
                let scales = Scales { least: [least; RUN_WIDTH], ranges: [range; RUN_WIDTH] };
                let mut put = vec![RowTile([0.5; RUN_WIDTH]); a];
                let few = width.min(RUN_WIDTH);
                put_lines(level, &lines, width, few, Some(&scales), &mut put);
                let mut sums = vec![0.5; a];
                let pairs: Vec<(u32, u32)> = (0..a as u32).map(|row| (row / 2, row)).collect();
                add_pair_differences(level, &put, &pairs, &mut sums);
                tiles.extend(put);
                let tiles: Vec<u64> = tiles.iter().flat_map(|tile| bits(&tile.0)).collect();
                let mut columns = vec![vec![0.5; if width < LANES { 0 } else { a }]; LANES];
                let mut each = columns.iter_mut();
                let each = std::array::from_fn(|_| &mut each.next().expect("eight columns")[..]);
                take_columns(level, &lines, width, each);
                let columns: Vec<u64> = columns.iter().flat_map(|column| bits(column)).collect();
                let of_columns = [low, high, deviations].map(|numbers| bits(&numbers));
                (of_columns, missing, bits(&scaled), tiles, bits(&sums), columns)
            });
        }
        _ => {
            let features = bytes.int_in_range(0..=11)?;
            let rows = width + 1;
            let columns: Vec<Placed<f64>> =
                (0..features).map(|_| numbers(bytes, rows)).collect::<Result<_>>()?;
            let columns: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
            let rule = *bytes.choose(&[
                LineRule::Absolute,
                LineRule::Square,
                LineRule::Mismatch,
                LineRule::Ramp(ramp),
                LineRule::RampSquare(ramp),
            ])?;
            let (own, first) = (bytes.choose_index(rows)?, bytes.choose_index(rows)?);
            let weights = numbers(bytes, features)?;
            let count = bytes.int_in_range(0..=rows - first)?;
            let coefficients = numbers(bytes, count)?;
            same(|level| {
                let mut out = vec![1.0; coefficients.len()];
                add_weighted_differences(level, rule, &columns, &weights, own, first, &mut out);
                let mut sums = vec![2.0; features];
                add_difference_products(
                    level,
                    rule,
                    &columns,
                    &coefficients,
                    own,
                    first,
                    &mut sums,
                );
                (bits(&out), bits(&sums))
            });
        }
    }
    Ok(())
}
