//! Relatives in a cohort: groups of relatives as the groups of rows that are not independent, and the table of kinship
//! coefficients.

use std::io::Write;
use std::path::Path;

use basrelief::data::{Categories, Column};
use basrelief::wording::{setting, ways};
use basrelief::{Error, Result, Run, Warning};
use basrelief_genetics::{Cohort, KinshipPair, check_king_cutoff, kinship, related_groups};
use basrelief_io::AtomicFile;
use serde_json::{Value, json};

use crate::source::LARGEST_FAMILY;
use crate::text::counted;

/// The name of the groups of relatives as a column of groups.
pub const RELATIVES: &str = "relatives";

/// Groups of people who are connected by pairs of relatives.
pub(crate) struct RelativeGroups {
    cutoff: f64,
    pairs: usize,
    /// The group of every person.
    codes: Vec<u32>,
    /// The number of people of every group.
    sizes: Vec<usize>,
}

impl RelativeGroups {
    /// Finds the groups of people whose kinship coefficients exceed a cutoff.
    ///
    /// # Errors
    /// A group has more people than a family; all people are in one group; the errors of [`kinship`].
    pub(crate) fn find(cohort: &Cohort, cutoff: f64, run: &Run) -> Result<Self> {
        let pairs = kinship(cohort, Some(cutoff), run)?;
        let codes = related_groups(cohort.samples().len(), &pairs);
        let mut sizes = vec![0; codes.iter().max().map_or(0, |last| *last as usize + 1)];
        codes.iter().for_each(|&code| sizes[code as usize] += 1);
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let problem = if largest > LARGEST_FAMILY {
            format!(
                "pairs with a kinship coefficient above {cutoff} connect {largest} people, more than the \
                 {LARGEST_FAMILY} of the largest group of relatives that is accepted"
            )
        } else if sizes.len() == 1 {
            format!(
                "pairs with a kinship coefficient above {cutoff} connect all people, and relatives are never neighbors"
            )
        } else {
            return Ok(Self { cutoff, pairs: pairs.len(), codes, sizes });
        };
        let ways = ways(&[
            "use a higher cutoff".to_string(),
            format!("exclude relatives with {}", setting("relatives", Some("exclude"))),
        ]);
        Err(Error::option("king_cutoff", problem, ways))
    }

    /// The numbers of pairs, groups and people, in words.
    pub(crate) fn note(&self) -> Warning {
        let above = format!("a kinship coefficient above {}", self.cutoff);
        let sizes = || self.sizes.iter().copied().filter(|size| *size > 1);
        let text = match sizes().max() {
            None => format!("no pair of people has {above}, so that the groups have no effect"),
            Some(largest) => format!(
                "{} of people with {above} form {} of relatives, the largest of {largest} people; {} of {} people are \
                 in such a group",
                counted(self.pairs, "pair"),
                counted(sizes().count(), "group"),
                sizes().sum::<usize>(),
                self.codes.len()
            ),
        };
        Warning::requested("relatives", text)
    }

    /// The groups as a column, with the name of the first person of each.
    ///
    /// # Errors
    /// Another column has this name.
    pub(crate) fn column(
        &self,
        people: &[String],
        others: &[Column<'_>],
    ) -> Result<Column<'static>> {
        if others.iter().any(|column| column.name() == RELATIVES) {
            return Err(Error::option(
                "covar",
                format!(
                    "the file has a column `{RELATIVES}`, which is the name of the groups of relatives"
                ),
                "rename the column",
            ));
        }
        let mut names: Vec<Option<&str>> = vec![None; self.sizes.len()];
        let of_person = self
            .codes
            .iter()
            .zip(people)
            .map(|(&code, person)| Some(*names[code as usize].get_or_insert(person.as_str())));
        let labels: Vec<Option<&str>> = of_person.collect();
        Ok(Column::categorical(RELATIVES, Categories::from_texts(labels.into_iter())))
    }
}

/// The kinship coefficients above which people are relatives of the first, second and third degree: the geometric means
/// of the coefficients expected for neighboring degrees (Manichaikul et al. 2010, table 1).
pub const DEGREES: [(f64, &str); 3] = [(0.177, "first"), (0.0884, "second"), (0.0442, "third")];

/// Pairs of people of a cohort whose kinship coefficients exceed a cutoff, for the report about its quality.
#[derive(Debug, Clone)]
pub struct Related {
    cutoff: Option<f64>,
    above: Vec<KinshipPair>,
    /// For each of [`DEGREES`], the number of pairs of this degree or closer.
    counts: [usize; DEGREES.len()],
}

impl Related {
    /// Finds the pairs above a cutoff, or all pairs without one.
    ///
    /// # Errors
    /// The errors of [`kinship`].
    pub fn find(cohort: &Cohort, cutoff: Option<f64>, run: &Run) -> Result<Self> {
        // Relatives of all degrees are counted.
        let lowest = cutoff.map(|cutoff| cutoff.min(DEGREES[DEGREES.len() - 1].0));
        if let Some(cutoff) = cutoff {
            check_king_cutoff(cutoff)?;
        }
        let mut above = kinship(cohort, lowest, run)?;
        let counts =
            DEGREES.map(|(least, _)| above.iter().filter(|pair| pair.kinship() > least).count());
        if let Some(cutoff) = cutoff {
            above.retain(|pair| pair.kinship() > cutoff);
        }
        Ok(Self { cutoff, above, counts })
    }

    /// The pairs above the cutoff, or all pairs.
    pub fn above(&self) -> &[KinshipPair] {
        &self.above
    }

    /// The kinship coefficients whose pairs are counted, with words and numbers of pairs: the cutoff first, if there is
    /// one, then the degrees.
    pub(crate) fn counts(&self) -> Vec<(f64, String, usize)> {
        let cutoff = self.cutoff.map(|cutoff| (cutoff, "the cutoff".to_string(), self.above.len()));
        let degrees = DEGREES
            .iter()
            .zip(self.counts)
            .map(|((least, degree), count)| (*least, format!("{degree} degree"), count));
        cutoff.into_iter().chain(degrees).collect()
    }

    /// The counts, in words.
    pub(crate) fn words(&self) -> String {
        let counts = self.counts().into_iter();
        let counts = counts.map(|(least, words, count)| format!("{least} ({words}): {count}"));
        format!(
            "pairs of people with a kinship coefficient above {}",
            counts.collect::<Vec<_>>().join(", ")
        )
    }

    /// The counts in JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "cutoff": self.cutoff,
            "pairs": self.above.len(),
            "degrees": DEGREES.iter().zip(self.counts).map(|((least, degree), count)| {
                json!({"degree": degree, "above": least, "pairs": count})
            }).collect::<Vec<Value>>(),
        })
    }
}

/// The number of bytes that are written at a time.
const PIECE: usize = 1 << 20;

/// Writes pairs of people to a file with the columns of `plink2 --make-king-table`, separated by tabs: `FID1`, `IID1`,
/// `FID2`, `IID2`, `NSNP`, `HETHET`, `IBS0` and `KINSHIP`. As in PLINK 2, the columns of family IDs are omitted if all
/// family IDs are 0, `HETHET` and `IBS0` are shares of `NSNP`, and numbers have six significant digits.
///
/// # Errors
/// The file cannot be written; [`Error::Cancelled`].
pub fn write_king_table(
    path: &Path,
    cohort: &Cohort,
    pairs: &[KinshipPair],
    run: &Run,
) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let mut write = |text: &mut String| -> Result<()> {
        run.check()?;
        file.write_all(text.as_bytes()).map_err(|cause| Error::File {
            path: path.to_path_buf(),
            action: "write it".to_string(),
            cause: cause.into(),
            help: "is the disk full?".into(),
        })?;
        text.clear();
        Ok(())
    };
    let people = cohort.samples();
    let has_families = people.iter().any(|person| person.family != "0");
    let mut text = match has_families {
        true => "#FID1\tIID1\tFID2\tIID2",
        false => "#IID1\tIID2",
    }
    .to_string();
    text.push_str("\tNSNP\tHETHET\tIBS0\tKINSHIP\n");
    for pair in pairs {
        for person in pair.people.map(|person| &people[person as usize]) {
            if has_families {
                text.push_str(&person.family);
                text.push('\t');
            }
            text.push_str(&person.id);
            text.push('\t');
        }
        text.push_str(&pair.variants.to_string());
        let shares = [pair.both_heterozygous, pair.opposite]
            .map(|count| f64::from(count) / f64::from(pair.variants));
        for number in shares.into_iter().chain([pair.kinship()]) {
            text.push('\t');
            push_six_digits(&mut text, number);
        }
        text.push('\n');
        if text.len() > PIECE {
            write(&mut text)?;
        }
    }
    write(&mut text)?;
    file.commit()
}

/// The number of significant digits.
const DIGITS: i32 = 6;

/// Adds a number as PLINK 2 prints it: with six significant digits, without trailing zeros, and in scientific notation
/// below 1e-4 and from 1e6 on. Halves are rounded to the even digit, even if the binary number is not exactly a half.
fn push_six_digits(text: &mut String, number: f64) {
    if number.is_nan() {
        return text.push_str("nan");
    }
    if number < 0.0 {
        text.push('-');
    }
    let number = number.abs();
    if number == 0.0 || number.is_infinite() {
        return text.push_str(if number == 0.0 { "0" } else { "inf" });
    }
    let mut exponent = number.log10().floor() as i32;
    let scaled = number * 10_f64.powi(DIGITS - 1 - exponent);
    let half = (scaled.fract() - 0.5).abs() < 5e-9;
    let mut digits = if half { 2.0 * (scaled / 2.0).round() } else { scaled.round() };
    if digits >= 10_f64.powi(DIGITS) {
        digits /= 10.0;
        exponent += 1;
    }
    let digits = format!("{digits:06.0}");
    let digits = digits.trim_end_matches('0');
    let (before, behind) = match exponent {
        ..-4 | DIGITS.. => (1, 0),
        ..0 => (0, (-exponent - 1) as usize),
        _ => (exponent as usize + 1, 0),
    };
    let known = before.min(digits.len());
    text.push_str(if before == 0 { "0" } else { &digits[..known] });
    text.extend(std::iter::repeat_n('0', before - known));
    if known < digits.len() {
        text.push('.');
        text.extend(std::iter::repeat_n('0', behind));
        text.push_str(&digits[known..]);
    }
    if !(-4..DIGITS).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:02}", exponent.abs()));
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
            (0.0769230769, "0.0769231"),
            (1.0, "1"),
            (-13.0 / 12.0, "-1.08333"),
            (-250.0, "-250"),
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
            let mut text = String::new();
            push_six_digits(&mut text, number);
            assert_eq!(text, wanted, "{number}");
        }
    }
}
