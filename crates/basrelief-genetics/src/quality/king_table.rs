//! The table of kinship coefficients, as PLINK 2 writes it.

use std::io::Write;
use std::path::Path;

use basrelief::{Error, Result, Run};
use basrelief_io::AtomicFile;
use rayon::prelude::*;

use super::kinship::KinshipPair;
use crate::cohort::Cohort;
use crate::metadata::Sample;

/// Pairs that a thread formats at a time, and pairs that are formatted before they are written.
const PAIRS_PER_TASK: usize = 1 << 12;
const PAIRS_PER_PIECE: usize = 1 << 18;

/// Writes pairs of people of a cohort to a file with the columns of `plink2 --make-king-table`, separated by tabs:
/// `FID1`, `IID1`, `FID2`, `IID2`, `NSNP`, `HETHET`, `IBS0` and `KINSHIP`. As in PLINK 2, the columns of family IDs are
/// omitted if the files of the cohort have no family IDs, `HETHET` and `IBS0` are shares of `NSNP`, and numbers have six significant digits.
///
/// # Errors
/// The file cannot be written; [`Error::Cancelled`].
///
/// # Panics
/// A pair of a person who is not in the cohort.
pub fn write_king_table(
    path: &Path,
    cohort: &Cohort,
    pairs: &[KinshipPair],
    run: &Run,
) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let mut write = |text: &[u8]| -> Result<()> {
        file.write_all(text).map_err(|cause| Error::File {
            path: path.to_path_buf(),
            action: "write it".to_string(),
            cause: cause.into(),
            help: "is the disk full?".into(),
        })
    };
    let has_families = cohort.has_families();
    write(if has_families { b"#FID1\tIID1\tFID2\tIID2" } else { b"#IID1\tIID2" })?;
    write(b"\tNSNP\tHETHET\tIBS0\tKINSHIP\n")?;
    let ids = |person: &Sample| match has_families {
        true => format!("{}\t{}\t", person.family, person.id),
        false => format!("{}\t", person.id),
    };
    let ids: Vec<String> = cohort.samples().iter().map(ids).collect();
    let lines = |pairs: &[KinshipPair]| -> Vec<u8> {
        let mut text = Vec::new();
        pairs.iter().for_each(|pair| push_line(&mut text, &ids, pair));
        text
    };
    run.progress().start("writing pairs of people", pairs.len() as u64);
    for pairs in pairs.chunks(PAIRS_PER_PIECE) {
        run.check()?;
        let texts: Vec<Vec<u8>> =
            run.install(|| pairs.par_chunks(PAIRS_PER_TASK).map(lines).collect());
        texts.iter().try_for_each(|text| write(text))?;
        run.progress().advance(pairs.len() as u64);
    }
    run.progress().finish();
    file.commit()
}

/// Adds the line of a pair; `ids` are the IDs of all people, each with a tab behind it.
fn push_line(text: &mut Vec<u8>, ids: &[String], pair: &KinshipPair) {
    for person in pair.people {
        text.extend_from_slice(ids[person as usize].as_bytes());
    }
    push_whole(text, u64::from(pair.variants));
    let shares = [pair.both_heterozygous, pair.opposite]
        .map(|count| f64::from(count) / f64::from(pair.variants));
    for number in shares.into_iter().chain([pair.kinship()]) {
        text.push(b'\t');
        push_six_digits(text, number);
    }
    text.push(b'\n');
}

/// Adds a whole number.
fn push_whole(text: &mut Vec<u8>, mut number: u64) {
    let start = text.len();
    while number > 0 || text.len() == start {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
    }
    text[start..].reverse();
}

/// The number of significant digits.
const DIGITS: i32 = 6;

/// The smallest whole number of more than [`DIGITS`] digits.
const LIMIT: u64 = 10_u64.pow(DIGITS as u32);

/// Adds a number as PLINK 2 prints it: with six significant digits, without trailing zeros, and in scientific notation
/// below 1e-4 and from 1e6 on. Halves are rounded to the even digit, even if the binary number is not exactly a half.
fn push_six_digits(text: &mut Vec<u8>, number: f64) {
    if number.is_nan() {
        return text.extend_from_slice(b"nan");
    }
    if number < 0.0 {
        text.push(b'-');
    }
    let number = number.abs();
    if number == 0.0 || number.is_infinite() {
        return text.extend_from_slice(if number == 0.0 { b"0" } else { b"inf" });
    }
    let mut exponent = number.log10().floor() as i32;
    let scaled = number * 10_f64.powi(DIGITS - 1 - exponent);
    let (whole, rest) = (scaled as u64, scaled.fract());
    let is_half = (rest - 0.5).abs() < 5e-9;
    let mut digits = whole + u64::from(if is_half { whole % 2 == 1 } else { rest > 0.5 });
    if digits >= LIMIT {
        digits /= 10;
        exponent += 1;
    }
    let mut count = DIGITS;
    while digits % 10 == 0 {
        digits /= 10;
        count -= 1;
    }
    // The number of digits before the point, and of zeros between the point and the first digit.
    let is_scientific = !(-4..DIGITS).contains(&exponent);
    let (before, zeros) = match exponent {
        _ if is_scientific => (1, 0),
        ..0 => (0, -exponent - 1),
        _ => (exponent + 1, 0),
    };
    if before >= count {
        push_whole(text, digits * 10_u64.pow((before - count) as u32));
    } else {
        let scale = 10_u64.pow((count - before) as u32);
        push_whole(text, digits / scale);
        text.push(b'.');
        text.extend(std::iter::repeat_n(b'0', zeros as usize));
        // A 1 in front keeps the zeros in front of the other digits.
        let first = text.len();
        push_whole(text, scale + digits % scale);
        text.remove(first);
    }
    if is_scientific {
        let sign = if exponent < 0 { '-' } else { '+' };
        text.extend_from_slice(format!("e{sign}{:02}", exponent.abs()).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_by_plink() {
        for (number, wanted) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (-1.0 / 3.0, "-0.333333"),
            (2.0 / 3.0, "0.666667"),
            (0.076_923_076_9, "0.0769231"),
            (0.1, "0.1"),
            (1.0, "1"),
            (-1.000_01, "-1.00001"),
            (-13.0 / 12.0, "-1.08333"),
            (-250.0, "-250"),
            (-20.5, "-20.5"),
            (-123_456.5, "-123456"),
            (-123_457.5, "-123458"),
            (0.999_999_6, "1"),
            (0.000_1, "0.0001"),
            (5e-5, "5e-05"),
            (1.0 / 30_000.0, "3.33333e-05"),
            (-2_500_000.0, "-2.5e+06"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
            // 67 of 640: a half in decimal, but not in binary.
            (67.0 / 640.0, "0.104688"),
            (69.0 / 640.0, "0.107812"),
        ] {
            let mut text = Vec::new();
            push_six_digits(&mut text, number);
            assert_eq!(String::from_utf8(text).unwrap(), wanted, "{number}");
        }
    }
}
