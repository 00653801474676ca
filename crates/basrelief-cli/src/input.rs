//! The arguments about the data.

use std::path::PathBuf;

use basrelief::data::{ColumnKind, KindOverrides, OrdinalColumn, TargetKind};
use basrelief::wording::{quoted, setting};
use basrelief::{Error, Result};
use basrelief_study::Source;
use clap::ArgMatches;

use crate::args;
use crate::cohort;
use crate::names::list;

/// The data that the arguments name; nothing is read yet.
///
/// # Errors
/// A column with two kinds; an option that applies only to tables, or only to cohorts.
pub(crate) fn source(matches: &ArgMatches) -> Result<Source> {
    let path = cohort::data_path(matches)
        .ok_or_else(|| Error::Internal("the data argument is missing".to_string()))?;
    let format = matches.get_one::<String>("input-format").map(String::as_str);
    let format = args::INPUT_FORMATS.into_iter().find(|(name, _)| Some(*name) == format);
    // Not every verb reads a target.
    let kind = matches.try_get_one::<String>("target-type").ok().flatten();
    let kind = kind.filter(|kind| *kind != "auto");
    Ok(Source {
        path: path.to_path_buf(),
        table: None,
        format: format.map(|(_, format)| format),
        delimiter: matches.get_one::<u8>("delimiter").copied(),
        no_header: matches.get_flag("no-header"),
        transpose: matches.get_flag("transpose"),
        phenotypes: cohort::phenotypes_of_table(matches),
        sheet: matches.get_one::<String>("sheet").cloned(),
        names: matches.get_one::<PathBuf>("names").cloned(),
        target_file: matches.get_one::<PathBuf>("target-file").cloned(),
        kinds: kinds(matches)?,
        dropped: list(matches, "drop")?,
        missing: list(matches, "na")?,
        target_kind: kind.map(|kind| TargetKind::from_text(kind, TargetKind::Auto)).transpose()?,
        event: matches.try_get_one::<String>("event").ok().flatten().cloned(),
        target_tree: matches.try_get_one::<PathBuf>("target-tree").ok().flatten().cloned(),
        cohort: cohort::choice(matches)?,
    })
}

/// The kinds of columns that the arguments specify.
fn kinds(matches: &ArgMatches) -> Result<KindOverrides> {
    let ordinal = list(matches, "ordinal")?;
    let unlabeled = matches.try_get_one::<String>("unlabeled").ok().flatten();
    let mut stated = KindOverrides {
        categorical: list(matches, "categorical")?,
        ordinal: ordinal
            .iter()
            .map(|text| OrdinalColumn::from_text(text))
            .collect::<Result<_>>()?,
        genotype: list(matches, "genotype")?,
        numeric: list(matches, "numeric")?,
        unlabeled: unlabeled.map(|text| text.as_str().into()),
        coerce: matches.try_get_one::<bool>("coerce").ok().flatten().copied().unwrap_or(false),
        ..KindOverrides::default()
    };
    let mut twice = None;
    if ordinal.iter().any(|text| text == "all") {
        stated.ordinal.retain(|column| column.name != "all");
        stated.all = Some(ColumnKind::Ordinal);
    }
    for (kind, names) in [
        (ColumnKind::Categorical, &mut stated.categorical),
        (ColumnKind::Genotype, &mut stated.genotype),
        (ColumnKind::Numeric, &mut stated.numeric),
    ] {
        let before = names.len();
        names.retain(|name| name != "all");
        if names.len() < before && stated.all.replace(kind).is_some() {
            twice = Some("all".to_string());
        }
    }
    let mut names: Vec<&str> = stated.names().collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if pair[0] == pair[1] {
            twice = Some(pair[0].to_string());
        }
    }
    match twice {
        None => Ok(stated),
        Some(name) => Err(Error::option(
            ["categorical", "ordinal", "genotype", "numeric"]
                .map(|name| setting(name, None))
                .join(", "),
            format!("{} is given twice", quoted(&name)),
            "give every column one kind",
        )),
    }
}
