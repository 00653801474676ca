//! Relatives in a cohort: groups of relatives as the groups of rows that are not independent, and the numbers of pairs of
//! relatives.

use basrelief::data::{Categories, Column};
use basrelief::wording::{setting, ways};
use basrelief::{Error, Result, Run, Warning};
use basrelief_genetics::{Cohort, KinshipPair, check_king_cutoff, kinship, related_groups};
use serde_json::{Value, json};

use crate::text::counted;

/// The largest number of people who are taken for a family, by their family ID or by chains of relatives.
pub(crate) const LARGEST_FAMILY: usize = 20;

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
        Ok(Column::categorical(RELATIVES, Categories::from_texts(labels)))
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
    /// one that is not that of a degree, then the degrees.
    pub(crate) fn counts(&self) -> Vec<(f64, String, usize)> {
        let is_other = |cutoff: &f64| DEGREES.iter().all(|(least, _)| least != cutoff);
        let cutoff = self.cutoff.filter(is_other);
        let cutoff = cutoff.map(|cutoff| (cutoff, "the cutoff".to_string(), self.above.len()));
        let degrees = DEGREES.iter().zip(self.counts);
        let degrees =
            degrees.map(|((least, degree), count)| (*least, format!("{degree} degree"), count));
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
