//! Relatives in a cohort: groups of relatives, and the people that remain if relatives are excluded.

use basrelief::wording::setting;
use basrelief::{Result, Run, Warning};

use super::kinship::{KinshipPair, kinship};
use crate::cohort::{Cohort, Exclusion};

/// The number of people whom a note names.
const NAMED: usize = 10;

/// What to do about people whose kinship coefficient is above a cutoff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relatives {
    /// The kinship coefficient above which people are relatives.
    pub cutoff: f64,
    /// Whether people are excluded until no relatives remain; otherwise relatives form a group.
    pub are_excluded: bool,
}

impl Cohort {
    /// Excludes people until no two people have a kinship coefficient above `cutoff`, as [`unrelated`] chooses them. A
    /// note names them.
    ///
    /// # Errors
    /// The errors of [`kinship`].
    pub fn without_relatives(self, cutoff: f64, run: &Run) -> Result<Self> {
        let all = self.samples().len();
        let pairs = kinship(&self, Some(cutoff), run)?;
        let is_kept = unrelated(all, &pairs);
        let names: Vec<String> = self
            .samples()
            .iter()
            .zip(&is_kept)
            .filter(|(_, is_kept)| !**is_kept)
            .map(|(person, _)| person.named())
            .collect();
        let excluded = names.len();
        let cohort = self.with_exclusion(Exclusion {
            option: "king_cutoff",
            value: cutoff.to_string(),
            unit: "people",
            all,
            excluded,
        });
        let related = match pairs.len() {
            0 => "no pair of people has".to_string(),
            1 => "1 pair of people has".to_string(),
            count => format!("{count} pairs of people have"),
        };
        let related = format!("{related} a kinship coefficient above {cutoff}");
        if excluded == 0 {
            return Ok(cohort.with_warning(Warning::requested("relatives", related)));
        }
        let more = match excluded.saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "{related}; {excluded} of {all} people were excluded by {}, so that no such pair remains: {}{more}",
            setting("relatives", Some("exclude")),
            names[..excluded.min(NAMED)].join(", "),
        );
        Ok(cohort.with_people(&is_kept).with_warning(Warning::requested("relatives", text)))
    }
}

/// Returns the group of each of `people`: people are in the same group if a chain of `pairs` connects them. Groups are
/// numbered from 0, in the order of their first members.
///
/// # Panics
/// A pair of a person who is not there.
pub fn related_groups(people: usize, pairs: &[KinshipPair]) -> Vec<u32> {
    // The first person of a group that is known to contain the person.
    let mut first: Vec<u32> = (0..people as u32).collect();
    let root = |first: &mut [u32], mut person: u32| {
        while first[person as usize] != person {
            first[person as usize] = first[first[person as usize] as usize];
            person = first[person as usize];
        }
        person
    };
    for pair in pairs {
        let [one, other] = pair.people.map(|person| root(&mut first, person));
        first[one.max(other) as usize] = one.min(other);
    }
    let mut groups = vec![0; people];
    let mut count = 0;
    for person in 0..people {
        let own = root(&mut first, person as u32) as usize;
        groups[person] = if own == person { count } else { groups[own] };
        count += u32::from(own == person);
    }
    groups
}

/// Returns for each of `people` whether the person is kept so that none of `pairs` remains, as `plink2 --king-cutoff`
/// chooses: while anybody has exactly one relative, the relative of the first such person is excluded; otherwise, the
/// first of the people with the most relatives.
///
/// # Panics
/// A pair of a person who is not there.
pub fn unrelated(people: usize, pairs: &[KinshipPair]) -> Vec<bool> {
    let mut relatives: Vec<Vec<u32>> = vec![Vec::new(); people];
    for pair in pairs {
        let [one, other] = pair.people;
        relatives[one as usize].push(other);
        relatives[other as usize].push(one);
    }
    let mut counts: Vec<usize> = relatives.iter().map(Vec::len).collect();
    let mut is_kept = vec![true; people];
    loop {
        let single = counts.iter().position(|count| *count == 1);
        let excluded = match single {
            Some(person) => {
                let own = relatives[person].iter().copied();
                own.map(|other| other as usize).find(|&other| is_kept[other])
            }
            None => {
                let most = counts.iter().copied().max().filter(|most| *most > 0);
                most.and_then(|most| counts.iter().position(|count| *count == most))
            }
        };
        let Some(excluded) = excluded else { return is_kept };
        is_kept[excluded] = false;
        counts[excluded] = 0;
        for &other in &relatives[excluded] {
            if is_kept[other as usize] {
                counts[other as usize] -= 1;
            }
        }
    }
}
