//! Relatives in a cohort: groups of relatives, and the people that remain if relatives are excluded.

use super::kinship::KinshipPair;

/// What to do about people whose kinship coefficient is above a cutoff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relatives {
    /// The kinship coefficient above which people are relatives.
    pub cutoff: f64,
    /// Whether people are excluded until no relatives remain; otherwise relatives form a group.
    pub are_excluded: bool,
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
