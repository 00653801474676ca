//! Arrays of numbers that serde writes as one block of bytes.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers that are serialized as bytes, or as hexadecimal digits in JSON. The bytes are big-endian, so that the
/// digits have the usual order. Floating-point numbers keep all bits.
///
/// For a field of type `Vec<T>`, use `#[serde(with = "crate::packed")]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Packed<T>(pub(crate) Vec<T>);

/// A number that can be [`Packed`].
pub(crate) trait Number: Sized {
    /// Converts all numbers to bytes.
    fn pack(numbers: &[Self]) -> Vec<u8>;

    /// Converts bytes to numbers; `None` if the last number is incomplete.
    fn unpack(bytes: &[u8]) -> Option<Vec<Self>>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            fn pack(numbers: &[Self]) -> Vec<u8> {
                let mut bytes = vec![0; size_of_val(numbers)];
                let to = bytes.as_chunks_mut().0.iter_mut();
                to.zip(numbers).for_each(|(to, number)| *to = number.to_be_bytes());
                bytes
            }

            fn unpack(bytes: &[u8]) -> Option<Vec<Self>> {
                let (bytes, rest) = bytes.as_chunks();
                let number = |bytes: &[u8; size_of::<Self>()]| Self::from_be_bytes(*bytes);
                rest.is_empty().then(|| bytes.iter().map(number).collect())
            }
        }
    )*};
}
numbers!(u8 u32 u64 f32 f64);

/// A distance and a row: 12 bytes.
impl Number for (f64, u32) {
    fn pack(entries: &[Self]) -> Vec<u8> {
        let mut bytes = vec![0; 12 * entries.len()];
        for (to, (distance, row)) in bytes.as_chunks_mut::<12>().0.iter_mut().zip(entries) {
            to[..8].copy_from_slice(&distance.to_be_bytes());
            to[8..].copy_from_slice(&row.to_be_bytes());
        }
        bytes
    }

    fn unpack(bytes: &[u8]) -> Option<Vec<Self>> {
        let (entries, rest) = bytes.as_chunks();
        let entry = |&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; 12]| {
            (f64::from_be_bytes([a, b, c, d, e, f, g, h]), u32::from_be_bytes([i, j, k, l]))
        };
        rest.is_empty().then(|| entries.iter().map(entry).collect())
    }
}

/// Serializes numbers in the form of [`Packed`].
pub(crate) fn serialize<T: Number, S: Serializer>(
    numbers: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bytes = T::pack(numbers);
    if !serializer.is_human_readable() {
        return serializer.serialize_bytes(&bytes);
    }
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    serializer.serialize_str(&digits.collect::<String>())
}

/// Reads numbers in the form of [`Packed`].
pub(crate) fn deserialize<'de, T: Number, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let incomplete = || D::Error::custom("incomplete numbers");
    if !deserializer.is_human_readable() {
        return T::unpack(<&[u8]>::deserialize(deserializer)?).ok_or_else(incomplete);
    }
    let text = String::deserialize(deserializer)?;
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
    let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>();
    let bytes = bytes.filter(|_| rest.is_empty()).ok_or_else(incomplete)?;
    T::unpack(&bytes).ok_or_else(incomplete)
}

impl<T: Number> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de, T: Number> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits_in_both_forms() {
        let numbers = Packed(vec![0.1, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE]);
        let bits =
            |numbers: &Packed<f64>| numbers.0.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let text = serde_json::to_string(&numbers).unwrap();
        assert!(text.starts_with("\"3fb999999999999a8000"), "{text}");
        let read: Packed<f64> = serde_json::from_str(&text).unwrap();
        assert_eq!(bits(&read), bits(&numbers));
        let bytes = postcard::to_allocvec(&numbers).unwrap();
        assert_eq!(bytes.len(), 1 + 8 * numbers.0.len());
        let read: Packed<f64> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(bits(&read), bits(&numbers));
    }

    #[test]
    fn distances_and_rows_are_12_bytes() {
        let entries = Packed(vec![(0.25, 7), (f64::MAX, u32::MAX)]);
        let bytes = postcard::to_allocvec(&entries).unwrap();
        assert_eq!(bytes.len(), 1 + 24);
        assert_eq!(postcard::from_bytes::<Packed<(f64, u32)>>(&bytes).unwrap(), entries);
        assert!(postcard::from_bytes::<Packed<(f64, u32)>>(&[1, 0]).is_err());
    }

    #[test]
    fn incomplete_numbers_are_refused() {
        for text in ["\"0\"", "\"00\"", "\"0000000g\"", "\"é000000\"", "[1]"] {
            assert!(serde_json::from_str::<Packed<u32>>(text).is_err(), "{text}");
        }
        assert!(postcard::from_bytes::<Packed<u32>>(&[3, 0, 0, 0]).is_err());
        // A length of many gigabytes without the bytes.
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
        assert!(postcard::from_bytes::<Packed<u8>>(&huge).is_err());
        assert!(postcard::from_bytes::<Vec<u64>>(&huge).is_err());
        assert!(postcard::from_bytes::<Vec<String>>(&huge).is_err());
    }
}
