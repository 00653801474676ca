//! Columns of a long table, small enough to stand in a page: what `assets/report.js` reads.
//!
//! A column is compressed (zlib) and then written in base64. Numbers are kept as the decimals that the
//! page shows, so that the page and the program show the same digits.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::json;

/// How hard to compress, of 10.
const EFFORT: u8 = 9;

/// Digits that end a name and are kept as a number.
const MOST_DIGITS: usize = 9;

/// The exponent of the least decimal that is not zero.
const LEAST_EXPONENT: i64 = -60;

/// A column as the page holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    /// What it holds, as the script knows it.
    pub(crate) id: &'static str,
    /// Compressed, in base64.
    pub(crate) text: String,
}

impl Packed {
    fn new(id: &'static str, bytes: &[u8]) -> Self {
        Self { id, text: STANDARD.encode(compress_to_vec_zlib(bytes, EFFORT)) }
    }
}

/// Names in three columns: a list of texts, how many digits follow each text, and what number they
/// are. Names that count (`rs1024`, `gene_0007`) differ in the number alone, which takes little room.
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

/// Whole numbers.
pub(crate) fn integers(id: &'static str, values: &[u64]) -> Packed {
    Packed::new(id, &bytes(values))
}

/// Numbers rounded to so many significant digits, each as the difference of its [`key`] to the one
/// before: sorted numbers take little room.
pub(crate) fn decimals(id: &'static str, values: &[f64], digits: usize) -> Packed {
    let mut before = 0;
    let differences: Vec<u64> = values
        .iter()
        .map(|&value| {
            let key = key(value, digits);
            let difference = key - before;
            before = key;
            // The sign goes to the lowest bit.
            ((difference << 1) ^ (difference >> 63)) as u64
        })
        .collect();
    integers(id, &differences)
}

/// The place of a decimal of so many significant digits among all of them: 0 for 0 and whatever is too
/// small, then 1, 2, … from the least on; that of a negative number is negative.
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

/// The lowest bytes of all numbers, then the next, as many as the greatest number has: bytes of one
/// place are alike, which compresses well.
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
    fn integers_are_bytes_place_by_place() {
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
