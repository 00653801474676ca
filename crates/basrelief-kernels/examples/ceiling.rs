//! How fast this machine's kernels are when nothing but they runs: small blocks that stay in the
//! first cache, the best of many repeats. Benchmarks compare whole fits with it.
//!
//! `cargo run --release -p basrelief-kernels --example ceiling` prints one JSON object: the level in
//! use, the clock, and per kernel billions of elements per second, an element being one feature of
//! one pair of rows.

use std::hint::black_box;
use std::time::Instant;

use basrelief_kernels::{
    BitRule, CASE_ROWS, CaseBlock, FEW_CASES, LANES, Level, NumberRule, RUN_WIDTH, RowTile, TILE,
    Weighed, add_bit_differences, add_cases, add_greater_whole, add_numbers, add_weighted_runs,
    chosen_level, rounded_distances, weigh_cases,
};

/// Repeats of which the best counts, and calls in each.
const REPEATS: usize = 200;
const CALLS: usize = 20;

fn main() -> Result<(), String> {
    let level = chosen_level().map_err(|error| format!("{error:?}"))?;
    let rates: Vec<String> = [
        ("numbers of 15 bits", rounded(level)),
        ("numbers", numbers(level)),
        ("numbers of 27 bits", whole(level)),
        ("genotypes, copies", genotypes(level, BitRule::Copies)),
        ("genotypes, mismatch", genotypes(level, BitRule::Mismatch)),
        ("weighted neighbors", runs(level)),
        ("missing values", cases(level)),
        ("missing values of weighted neighbors, two sums", weighted_cases(level)),
    ]
    .into_iter()
    .map(|(name, rate)| format!("\"{name}\": {rate:.2}"))
    .collect();
    println!(
        "{{\"level\": \"{}\", \"clock_ghz\": {:.2}, \"elements_per_ns\": {{{}}}}}",
        level.name(),
        clock(),
        rates.join(", ")
    );
    Ok(())
}

/// Elements per nanosecond of a call that handles `elements`.
fn rate(elements: usize, mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        best = best.min(start.elapsed().as_secs_f64());
    }
    (elements * CALLS) as f64 / best / 1e9
}

/// Cycles per nanosecond, from links that wait for each other: a multiplication of three cycles and
/// two bit operations of one on every x86-64 machine of this century, and on most others.
fn clock() -> f64 {
    const LINKS: usize = 1000;
    let factor = black_box(3_u64);
    let chain = || {
        let mut value = black_box(1_u64);
        for _ in 0..LINKS {
            value = link(value, factor);
        }
        black_box(value);
    };
    5.0 * rate(LINKS, chain)
}

/// One link: the compiler cannot merge links without knowing the factor's powers, which the added
/// bit prevents.
#[inline(always)]
fn link(value: u64, factor: u64) -> u64 {
    value.wrapping_mul(factor | value & 1)
}

fn rounded(level: Level) -> f64 {
    const PAIRS: usize = 256;
    let rows: Vec<[i16; 2]> = (0..2 * LANES * PAIRS)
        .map(|i| [(i * 7919 % 32768) as i16, (i * 31 % 32768) as i16])
        .collect();
    let sums = [0; 2 * LANES];
    let mut out = [0; 4 * TILE];
    rate(4 * TILE * 2 * PAIRS, || {
        rounded_distances(level, &rows, &rows, PAIRS, &sums, &sums, black_box(&mut out));
    })
}

fn numbers(level: Level) -> f64 {
    const FEATURES: usize = 96;
    let rows: Vec<f64> = (0..2 * LANES * FEATURES).map(|i| (i * 7919 % 1009) as f64).collect();
    let mut out = [0.0; 4 * TILE];
    rate(4 * TILE * FEATURES, || {
        let out = black_box(&mut out);
        add_numbers(level, NumberRule::default(), &rows, &rows, FEATURES, &[], out);
    })
}

fn whole(level: Level) -> f64 {
    const FEATURES: usize = 248;
    let rows: Vec<u32> = (0..2 * LANES * FEATURES).map(|i| (i * 7919 % 100_003) as u32).collect();
    let mut out = [0.0; 4 * TILE];
    rate(4 * TILE * FEATURES, || {
        add_greater_whole(level, &rows, &rows, FEATURES, black_box(&mut out));
    })
}

fn genotypes(level: Level, rule: BitRule) -> f64 {
    const WORDS: usize = 31;
    let rows: Vec<u64> = (0..2 * LANES * 2 * WORDS)
        .map(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let mut out = [0.0; 4 * TILE];
    rate(4 * TILE * 64 * WORDS, || {
        add_bit_differences(level, rule, false, &rows, &rows, WORDS, 1.0, black_box(&mut out));
    })
}

fn runs(level: Level) -> f64 {
    const ROWS: usize = 128;
    let values: Vec<RowTile> = (0..2 * ROWS)
        .map(|i| RowTile(std::array::from_fn(|lane| ((i * 31 + lane) % 97) as f64)))
        .collect();
    let (values, second) = values.split_at(ROWS);
    let rows: Vec<u32> = (0..16).collect();
    let others: Vec<u32> = (0..16 * 40).map(|i| i * 7 % ROWS as u32).collect();
    let weights: Vec<f64> = others.iter().map(|other| f64::from(*other) / 128.0).collect();
    let ends: Vec<usize> = (1..=16).map(|run| run * 40).collect();
    let mut out = [[0.0; RUN_WIDTH]; 2];
    rate(others.len() * 2 * RUN_WIDTH, || {
        let (tiles, sums) = ([values, second], black_box(&mut out));
        add_weighted_runs(
            level,
            Weighed::Difference,
            &tiles,
            &rows,
            &ends,
            &others,
            &weights,
            sums,
        );
    })
}

/// Blocks of cases, and the numbers of each.
fn of_cases(count: usize) -> (Vec<CaseBlock>, Vec<[f64; FEW_CASES]>) {
    let block = |index: usize| CaseBlock::from_fn(|row| (row * 31 + index) as u8);
    let numbers = |index: usize| std::array::from_fn(|case| (case + index) as f64);
    ((0..count).map(block).collect(), (0..count).map(numbers).collect())
}

fn cases(level: Level) -> f64 {
    const FEATURES: usize = 128;
    let (blocks, numbers) = of_cases(FEATURES);
    let listed: Vec<u32> = (0..4 * FEATURES).map(|i| (i * 37 % FEATURES) as u32).collect();
    let mut sums = [0.0; CASE_ROWS];
    rate(listed.len() * CASE_ROWS, || {
        add_cases(level, &blocks, &numbers, &listed, black_box(&mut sums));
    })
}

fn weighted_cases(level: Level) -> f64 {
    const BLOCKS: usize = 16;
    let (blocks, numbers) = of_cases(BLOCKS);
    let weights: Vec<f64> = (0..BLOCKS * CASE_ROWS).map(|i| i as f64).collect();
    rate(BLOCKS * CASE_ROWS, || {
        black_box(weigh_cases(level, &blocks, &numbers[0], [&weights, black_box(&weights)]));
    })
}
