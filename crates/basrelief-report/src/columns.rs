//! Compressed columns of a long table, which `assets/report.js` reads.
//!
//! A column is compressed (zlib) and encoded in base64. Numbers are stored as the decimals of the page, so that the page
//! and the program show the same digits.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::json;

/// The compression level, of 10.
const EFFORT: u8 = 9;

/// The maximum number of final digits of a name that are stored as a number.
const MOST_DIGITS: usize = 9;

/// The exponent of the smallest decimal above zero.
const LEAST_EXPONENT: i64 = -60;

/// A column of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Its name in the script.
    pub(crate) id: &'static str,
    /// Its compressed contents in base64.
    pub(crate) text: String,
}

impl Packed {
    fn new(id: &'static str, bytes: &[u8]) -> Self {
        Self { id, text: STANDARD.encode(compress_to_vec_zlib(bytes, EFFORT)) }
    }
}

/// Names in three columns: a list of texts, the number of digits after each text, and the number that these digits form.
/// Numbered names (`rs1024`, `gene_0007`) differ in the number alone, which needs little space.
pub(crate) fn names(names: &[&str]) -> [Packed; 3] {
    let (mut stems, mut widths, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let digits = name.bytes().rev().take(MOST_DIGITS).take_while(u8::is_ascii_digit).count();
        let (stem, number) = name.split_at(name.len() - digits);
        stems.push(stem);
        widths.push(digits as u64);
        numbers.push(number.parse().unwrap_or(0));
    }
    [
        Packed::new("stems", json!(stems).to_string().as_bytes()),
        integers("widths", &widths),
        integers("numbers", &numbers),
    ]
}

/// A list of texts, and for every row the index of its text.
pub(crate) fn texts(ids: [&'static str; 2], values: &[&str]) -> [Packed; 2] {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let index = |value: &&str| distinct.binary_search(value).unwrap_or(0) as u64;
    let indices: Vec<u64> = values.iter().map(index).collect();
    [Packed::new(ids[0], json!(distinct).to_string().as_bytes()), integers(ids[1], &indices)]
}

/// Whole numbers.
pub(crate) fn integers(id: &'static str, values: &[u64]) -> Packed {
    Packed::new(id, &bytes(values))
}

/// Numbers rounded to `digits` significant digits, each as the difference of its [`key`] from the previous one: sorted
/// numbers need little space.
pub(crate) fn decimals(id: &'static str, values: &[f64], digits: usize) -> Packed {
    let mut before = 0;
    let differences: Vec<u64> = values
        .iter()
        .map(|&value| {
            let key = key(value, digits);
            let difference = key - before;
            before = key;
            // The lowest bit is the sign.
            ((difference << 1) ^ (difference >> 63)) as u64
        })
        .collect();
    integers(id, &differences)
}

/// The index of a decimal among all decimals with `digits` significant digits: 0 for 0 and for numbers that are too small,
/// then 1, 2, … in ascending order; negative for negative numbers.
fn key(value: f64, digits: usize) -> i64 {
    let behind = digits - 1;
    let text = format!("{:.behind$e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or(("0", "0"));
    let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let least = 10_i64.pow(behind as u32);
    if mantissa < least || exponent < LEAST_EXPONENT {
        return 0;
    }
    let key = (exponent - LEAST_EXPONENT) * 9 * least + (mantissa - least) + 1;
    if value < 0.0 { -key } else { key }
}

/// The lowest bytes of all numbers, then the next ones, as many as the largest number has: bytes of equal significance are
/// similar, which compresses well.
fn bytes(values: &[u64]) -> Vec<u8> {
    let greatest = values.iter().copied().max().unwrap_or(0);
    let places = (u64::BITS - greatest.leading_zeros()).div_ceil(8).max(1);
    (0..places)
        .flat_map(|place| values.iter().map(move |value| (value >> (8 * place)) as u8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    fn unpacked(packed: &Packed) -> Vec<u8> {
        decompress_to_vec_zlib(&STANDARD.decode(&packed.text).unwrap()).unwrap()
    }

    #[test]
    fn integers_are_bytes_by_significance() {
        assert_eq!(bytes(&[1, 0x0203, 0x0a_0b0c]), [1, 3, 0x0c, 0, 2, 0x0b, 0, 0, 0x0a]);
        assert_eq!(bytes(&[0, 0]), [0, 0]);
        assert_eq!(bytes(&[u64::MAX]), [255; 8]);
    }

    #[test]
    fn names_are_texts_and_the_numbers_that_end_them() {
        let [stems, widths, numbers] = names(&["rs12", "N007", "age", "1234567890123", "a\"\n<"]);
        assert_eq!(unpacked(&stems), br#"["rs","N","age","1234","a\"\n<"]"#);
        assert_eq!(unpacked(&widths), [2, 3, 0, 9, 0]);
        assert_eq!(unpacked(&numbers), bytes(&[12, 7, 0, 567_890_123, 0]));
    }

    #[test]
    fn texts_are_a_list_and_indices() {
        let [list, indices] = texts(["list", "index"], &["2", "X", "2", "10"]);
        assert_eq!((list.id, indices.id), ("list", "index"));
        assert_eq!(unpacked(&list), br#"["10","2","X"]"#);
        assert_eq!(unpacked(&indices), [1, 2, 1, 0]);
    }

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        assert_eq!(key(0.0, 4), 0);
        assert_eq!(key(1e-60, 4), 1);
        assert_eq!(key(1.001, 4), 60 * 9000 + 2);
        assert_eq!(key(-9.9996, 4), -(61 * 9000 + 1));
        assert_eq!(key(1e-70, 4), 0);
        let numbers = [-1e9, -2.5, -1e-8, 0.0, 1e-8, 0.0123, 0.01231, 7.0, 1e9];
        assert!(numbers.windows(2).all(|pair| key(pair[0], 4) < key(pair[1], 4)));
    }

    #[test]
    fn decimals_are_the_differences_of_their_keys() {
        let packed = decimals("weight", &[1.002, 1.001, 1.001, 0.0], 4);
        let key = 60 * 9000 + 3;
        assert_eq!(unpacked(&packed), bytes(&[2 * key, 1, 0, 2 * (key - 1) - 1]));
    }
}
