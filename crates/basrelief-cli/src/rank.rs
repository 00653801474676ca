//! `basrelief rank`: from a file to a ranking.

use std::path::Path;

use basrelief::data::{ColumnKind, KindOverrides, TargetKind, build_problem_parts};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{self, Problem, Task};
use basrelief::{Error, Result};
use basrelief_io::{ReadOptions, read_table};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Outcome, say};
use crate::output::{Destination, Ranking, Recipe};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let info = methods::method(text("method"))?;
    let settings = info.settings(&args::method_options(info, matches)?)?;
    let wrappers = matches
        .get_many::<String>("wrap")
        .unwrap_or_default()
        .map(|text| Wrapper::parse(text))
        .collect::<Result<Vec<_>>>()?;
    let overrides = overrides(matches)?;
    let target_kind = match (text("target-type"), info.task) {
        ("classes", _) => TargetKind::Classes,
        ("real", _) => TargetKind::Real,
        (_, Task::Regression) => TargetKind::PreferReal,
        _ => TargetKind::Auto,
    };
    let path = args::path(matches, "data")
        .ok_or_else(|| Error::Internal("the data argument is missing".to_string()))?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches)?;
    if let Some(file) = destination.file() {
        refuse_overwriting(path, file)?;
    }

    let target_column = text("target");
    let raw = read_table(path, &read_options(matches, target_kind, &overrides), &run)?;
    let dropped = list(matches, "drop");
    let (table, target, warnings) =
        build_problem_parts(raw, target_column, target_kind, &overrides, &dropped)?;
    let fitted = Problem::new(&table, &target)
        .map(|problem| problem.with_target_name(target_column))
        .and_then(|problem| fit_wrapped(info, &settings, &wrappers, &problem, &run))
        .map_err(|error| error.in_file(path))?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;

    let recipe = Recipe { info, settings: &settings, wrappers: &wrappers };
    let source = (&*path.to_string_lossy(), target_column);
    let ranking = Ranking::new(source, &table, &target, recipe, &run, warnings, fitted);
    let top = matches.get_one::<usize>("top").copied();
    let result = ranking.text(destination.format(), top, destination.look());
    destination.write(&result)?;
    if !args::quiet(matches) {
        ranking.tell_warnings();
        if let Some(file) = destination.file() {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!("ranked in {:.3} s{}", ranking.seconds(), ranking.search_note()));
    }
    Ok(())
}

fn read_options(
    matches: &ArgMatches,
    target_kind: TargetKind,
    overrides: &KindOverrides,
) -> ReadOptions {
    let format = matches.get_one::<String>("input-format");
    // Classes that look like numbers keep their spelling only where the user calls them classes.
    let target = matches.get_one::<String>("target").filter(|_| target_kind == TargetKind::Classes);
    ReadOptions {
        format: args::INPUT_FORMATS
            .into_iter()
            .find(|(name, _)| Some(*name) == format.map(String::as_str))
            .map(|(_, format)| format),
        delimiter: matches.get_one::<u8>("delimiter").copied(),
        kinds: overrides.clone(),
        keep_text: target.into_iter().cloned().collect(),
        skip: list(matches, "drop"),
        has_header: !matches.get_flag("no-header"),
    }
}

/// The entries of a list argument.
fn list(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}

/// The kinds that the user states.
fn overrides(matches: &ArgMatches) -> Result<KindOverrides> {
    let mut stated = KindOverrides {
        categorical: list(matches, "categorical"),
        genotype: list(matches, "genotype"),
        numeric: list(matches, "numeric"),
        all: None,
    };
    let mut twice = None;
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
            "--categorical, --genotype, --numeric",
            format!("`{name}` is given twice"),
            "give every column one kind",
        )),
    }
}

/// Writing the ranking over the data would destroy them.
fn refuse_overwriting(data: &Path, output: &Path) -> Result<()> {
    match (data.canonicalize(), output.canonicalize()) {
        (Ok(data), Ok(other)) if data == other => Err(Error::option(
            "output",
            format!("{} is the data file itself", output.display()),
            "name another file",
        )),
        _ => Ok(()),
    }
}
