//! Lists that select people (FID and IID) and variants (IDs).

use std::collections::HashMap;
use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{Result, Run, Warning};

use super::lines::{each_line, is_comment};
use super::people::{Finder, PeopleLine, Sample, Strangers};
use super::variants::Variant;

/// Returns for each person of a `.fam` file whether a list contains them. The list has one person per line, with FID
/// and IID, or with IID alone if the first line begins with `#IID`. The rest of a line is ignored.
///
/// # Errors
/// The file cannot be read, or contains no person of the cohort.
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

/// Returns for each variant of a `.bim` file whether a list contains it, by the ID in the `.bim` file or by the name of
/// its feature. Lines that begin with `#` are comments, unless they begin with such an ID or name.
///
/// # Errors
/// The file cannot be read, or contains no variant of the cohort.
pub(crate) fn listed_variants(
    path: &Path,
    (bim, variants, names): (&Path, &[Variant], &[String]),
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<bool>> {
    // Several variants may have the same ID.
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
