//! Lists that choose people (FID and IID) and variants (IDs).

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{Result, Run, Warning};

use super::lines::{each_line, is_comment};
use super::people::{Finder, PeopleLine, Sample, Strangers};
use super::variants::Variant;

/// Whether a list names each of the people of a `.fam` file: a line each, FID and IID, or IID alone below a first
/// line that says `#IID`. What follows them in a line does not count.
///
/// # Errors
/// The file cannot be read, or names nobody of the cohort.
pub(crate) fn listed_people(
    path: &Path,
    (fam, people): (&Path, &[Sample]),
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<bool>> {
    let mut listed = vec![false; people.len()];
    let mut strangers = Strangers::default();
    Finder::new(people).each_line(path, run, |_, line| {
        match line {
            PeopleLine::Person(Some(person), ..) => listed[person] = true,
            PeopleLine::Person(None, name, _) => strangers.add(name),
            PeopleLine::Header(_) => {}
        }
        Ok(0)
    })?;
    strangers.tell(path, (fam, "people"), listed.contains(&true), warnings)?;
    Ok(listed)
}

/// Whether a list of IDs names each of the variants of a `.bim` file: by the ID that stands there, or by the name
/// that the variant gets here. Lines that begin with `#` are comments, unless they begin with such an ID.
///
/// # Errors
/// The file cannot be read, or names no variant of the cohort.
pub(crate) fn listed_variants(
    path: &Path,
    (bim, variants, names): (&Path, &[Variant], &[String]),
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<bool>> {
    // An ID may be that of several variants.
    let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(variants.len());
    for (index, (Variant { locus, .. }, name)) in variants.iter().zip(names).enumerate() {
        places.entry(&locus.id).or_default().push(index);
        if *name != locus.id {
            places.entry(name).or_default().push(index);
        }
    }
    let mut listed = vec![false; variants.len()];
    let mut strangers = Strangers::default();
    each_line(path, run, |_, ids| {
        if is_comment(ids) && !places.contains_key(ids[0]) {
            return Ok(0);
        }
        for id in ids {
            match places.get(id) {
                Some(places) => places.iter().for_each(|&place| listed[place] = true),
                None => strangers.add(|| quoted(id)),
            }
        }
        Ok(0)
    })?;
    strangers.tell(path, (bim, "variants"), listed.contains(&true), warnings)?;
    Ok(listed)
}
