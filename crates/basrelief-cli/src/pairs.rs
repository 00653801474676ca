//! `basrelief pairs`: tests all pairs of the best features for interaction.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Instant;

use basrelief::data::{Covariates, Table, Target, TargetKind, holdout};
use basrelief::inference::{Permutations, Scheme};
use basrelief::maps::FeatureRanking;
use basrelief::methods::wrappers::{fit_wrapped, for_targets};
use basrelief::pairs::{PairTests, least_p_value, least_p_values};
use basrelief::wording::{quoted, setting, ways};
use basrelief::{DataError, Error, Result, Run, Warning};
use basrelief_study::pair_listing::{Choice, PairListing, Split};
use basrelief_study::pairs_page::pairs_page;
use basrelief_study::text::counted;
use basrelief_study::{Data, MethodChoice, Recipe, Study};
use clap::ArgMatches;
use serde_json::Value;

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::outputs::Outputs;
use crate::study::study_without_test;

/// The smallest number of rows of each class in each part of a split.
const LEAST_ROWS: usize = 2;

/// The number of permutations whose weights are computed together.
const TOGETHER: u64 = 16;

/// The settings that the arguments specify.
struct PairArgs<'m> {
    from: Option<&'m Path>,
    top: usize,
    pairs: usize,
    split: Option<f64>,
    permutations: Option<u64>,
    permute_all: bool,
}

impl<'m> PairArgs<'m> {
    /// From the arguments.
    ///
    /// # Errors
    /// The share of the split is not between 0 and 1.
    fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        let count = |name: &str| matches.get_one::<usize>(name).copied();
        let split = matches.get_one::<f64>("split").copied();
        if let Some(share) = split
            && !(share > 0.0 && share < 1.0)
        {
            return Err(Error::option(
                "split",
                format!("{share} is not a share of the rows"),
                "give a number above 0 and below 1; 0.5 is usual",
            ));
        }
        Ok(Self {
            from: args::path(matches, "from"),
            top: count("top").unwrap_or(usize::MAX),
            pairs: count("pairs").unwrap_or(1),
            split,
            permutations: count("permutations").map(|count| count as u64),
            permute_all: matches.get_flag("permute-all"),
        })
    }
}

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let asked = PairArgs::from_args(matches)?;
    let study = study_without_test(matches)?;
    if asked.permute_all && has_models(&study) {
        return Err(Error::option(
            "permute_all",
            "p-values are not valid with covariates: permutations exchange the target between rows with different \
             covariates, so that their rankings differ from that of the target",
            ways(&[
                format!(
                    "replace it by {}, which ranks and tests on different rows",
                    setting("split", Some("0.5"))
                ),
                "omit the option".to_string(),
            ]),
        )
        .into());
    }
    let run = args::start_run(matches)?;
    let outputs = Outputs::from_args(matches, arguments, &["json", "csv"])?;
    let ranked = asked.from.map(|file| ranked_names(file, asked.top)).transpose()?;

    let quiet = args::quiet(matches);
    let (method, given) = match &ranked {
        // Without a method, the column itself decides the kind of the target.
        Some(_) => (None, study.read_as(TargetKind::Auto, &run)?),
        None => {
            let (method, data) = study.read(&note(quiet), &run)?;
            (Some(method), data)
        }
    };
    PairTests::check(given.roles(), asked.permutations)?;
    let ranks = (&study, method.as_ref());
    let start = Instant::now();
    let mut warnings = given.warnings.clone();
    let found = test(&asked, ranks, ranked, &given, &mut warnings, &run)
        .map_err(|error| error.in_file(study.source.name()))?;
    run.check()?;
    let Found { choice, part, tests, scheme } = found;
    let part = part.as_ref().unwrap_or(&given);
    let listing = PairListing {
        subject: study.subject(&given),
        tested: (&part.table, &part.target),
        covariates: covariates_of_tests(&study, part),
        choice,
        recipe: method.as_ref().map(|method| study.recipe(method)),
        tests,
        columns: study.columns(),
        scheme,
        warnings,
        run: &run,
        seconds: start.elapsed().as_secs_f64(),
    };
    // Files are written after everything that can fail.
    let page = outputs.page(|options| {
        let html = pairs_page(&listing, options)?;
        let value = listing.value()?;
        Ok(options.page(html, || value))
    })?;
    let result = listing.text(outputs.format(), outputs.look())?;
    outputs.write(page, &result)?;
    if !quiet {
        note_warnings(&listing.warnings);
        outputs.say_files([]);
        for line in listing.notes() {
            say(&line);
        }
    }
    outputs.open()
}

/// The results of the tests, and the rows that were tested.
struct Found {
    choice: Choice,
    /// The rows that test the pairs, if other rows compute the ranking.
    part: Option<Data<'static>>,
    tests: PairTests,
    /// How the permutations treat groups of rows.
    scheme: Option<Scheme>,
}

/// Chooses features and tests their pairs.
fn test(
    asked: &PairArgs<'_>,
    ranks: (&Study, Option<&MethodChoice>),
    ranked: Option<Vec<(String, u64)>>,
    given: &Data<'_>,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Found> {
    let (part, split) = match asked.split {
        Some(share) => {
            let (ranking, testing) = split(given, share, run)?;
            let rows = (ranking.table.rows(), testing.table.rows());
            (Some((ranking, testing)), Some(Split { share, rows }))
        }
        None => (None, None),
    };
    let (ranking, testing) = part.as_ref().map_or((given, given), |(rank, test)| (rank, test));
    let features = match &ranked {
        Some(names) => places_of(names, &given.table, asked.from)?,
        None => best(ranks, ranking, asked.top, warnings, run)?,
    };
    let Data { table, target, .. } = testing;
    let covariates = covariates_of_tests(ranks.0, testing);
    let roles = testing.roles().with_covariates(covariates);
    let mut tests = PairTests::new(table, &features, target, roles, asked.pairs, run)?;
    let mut scheme = None;
    if let Some(draws) = asked.permutations {
        let permutations = PairTests::permutations(target, roles, run)?;
        scheme = permutations.scheme();
        warnings.extend(permutations.warnings().iter().cloned());
        let least = match asked.permute_all {
            true => least_of_rankings(ranks, given, &permutations, (asked.top, draws), run)?,
            false => least_p_values(table, &features, &permutations, covariates, draws, run)?,
        };
        tests.adjust(&least);
    }
    let choice = Choice {
        from: asked.from.map(|file| file.to_string_lossy().into_owned()),
        split,
        permutations: asked.permutations,
        permute_all: asked.permute_all,
        all: given.table.width(),
    };
    Ok(Found { choice, part: part.map(|(_, part)| part), tests, scheme })
}

/// Whether the models of the tests contain covariates.
fn has_models(study: &Study) -> bool {
    study.covariates.as_ref().is_some_and(|covariates| covariates.in_models)
}

/// The covariates in the models of the tests.
fn covariates_of_tests<'d>(study: &Study, data: &'d Data<'d>) -> Option<&'d Covariates<'d>> {
    data.covariates.as_ref().filter(|_| has_models(study))
}

/// The method of the ranking, with its wrappers.
fn recipe<'r>((study, method): (&'r Study, Option<&'r MethodChoice>)) -> Result<Recipe<'r>> {
    let method = method.ok_or_else(|| Error::Internal("the ranking has no method".to_string()))?;
    Ok(study.recipe(method))
}

/// The column indices of the best features according to the method.
fn best(
    ranks: (&Study, Option<&MethodChoice>),
    given: &Data<'_>,
    top: usize,
    warnings: &mut Vec<Warning>,
    run: &Run,
) -> Result<Vec<usize>> {
    let problem = given.problem()?;
    let Recipe { info, settings, wrappers } = recipe(ranks)?;
    let fitted = fit_wrapped(info, settings, wrappers, &problem, run)?;
    warnings.extend(fitted.report.warnings);
    Ok(fitted.model.order().into_iter().take(top).collect())
}

/// For each permutation of the target, the smallest p-value of all pairs of the features that rank best for it.
fn least_of_rankings(
    ranks: (&Study, Option<&MethodChoice>),
    given: &Data<'_>,
    permutations: &Permutations<'_>,
    (top, draws): (usize, u64),
    run: &Run,
) -> Result<Vec<f64>> {
    let problem = given.problem()?;
    let table = &given.table;
    let Recipe { info, settings, wrappers } = recipe(ranks)?;
    let mut method = for_targets(info, settings, wrappers, &problem, run)?;
    let all: Vec<usize> = (0..table.width()).collect();
    let silent = run.part(run.seed());
    let mut least = Vec::new();
    run.progress().start("permuting", draws);
    for start in (0..draws).step_by(TOGETHER as usize) {
        let numbers = start..draws.min(start + TOGETHER);
        let targets: Vec<Target> = numbers.map(|number| permutations.permuted(number)).collect();
        for (weights, target) in method.weigh(&all, &targets, &silent)?.into_iter().zip(&targets) {
            let weights = FeatureRanking::new(vec![String::new(); weights.len()], weights);
            let features: Vec<usize> = weights.order().into_iter().take(top).collect();
            least.push(least_p_value(table, &features, target, &silent)?);
            run.progress().advance(1);
        }
    }
    run.progress().finish();
    Ok(least)
}

/// Splits the rows into those of the ranking and those of the test, stratified by class.
fn split(given: &Data<'_>, share: f64, run: &Run) -> Result<(Data<'static>, Data<'static>)> {
    let Data { table, target, groups, .. } = given;
    let ranks = |rows: usize| {
        let most = rows.saturating_sub(LEAST_ROWS).max(LEAST_ROWS.min(rows));
        ((rows as f64 * share).round() as usize).clamp(LEAST_ROWS.min(rows), most)
    };
    if let Some(classes) = target.as_classes() {
        let mut sizes = classes.names().iter().zip(classes.counts());
        if let Some((name, rows)) = sizes.find(|(_, rows)| **rows < 2 * LEAST_ROWS) {
            return Err(Error::option(
                "split",
                format!(
                    "class {} has {}, but each part needs {LEAST_ROWS} of each class",
                    quoted(name),
                    counted(*rows, "row")
                ),
                "add rows of this class, or omit the option",
            ));
        }
    }
    let split = holdout(target, groups.as_ref(), run.seed(), ranks);
    let part = |rows: &[usize]| -> Result<Data<'static>> {
        Ok(Data { warnings: Vec::new(), ..given.select_rows(rows)? })
    };
    if split.train.is_empty() || split.test.is_empty() {
        return Err(Error::option(
            "split",
            format!("{} cannot be split", counted(table.rows(), "row")),
            "add rows, or omit the option",
        ));
    }
    Ok((part(&split.train)?, part(&split.test)?))
}

/// The names of the best features of a ranking in a file, with their line numbers in CSV, or 0 in JSON.
///
/// # Errors
/// The file cannot be read, or is not a ranking.
fn ranked_names(file: &Path, top: usize) -> Result<Vec<(String, u64)>> {
    let text = fs::read_to_string(file).map_err(|cause| Error::File {
        path: file.to_path_buf(),
        action: "read the ranking".to_string(),
        cause: cause.into(),
        help: format!("name a file that `basrelief rank {} FILE` wrote", setting("output", None))
            .into(),
    })?;
    let is_json = text.trim_start().starts_with('{');
    let names = if is_json { names_of_json(&text) } else { names_of_csv(&text) };
    let mut names = names.map_err(|error| error.in_file(file))?;
    if names.is_empty() {
        return Err(Error::data("it contains no features", RANKING).in_file(file));
    }
    names.truncate(top);
    Ok(names)
}

/// The advice for a file that is not a ranking.
const RANKING: &str = "give a JSON or CSV file that `basrelief rank` wrote";

fn names_of_json(text: &str) -> Result<Vec<(String, u64)>> {
    let no_ranking = |problem: &str| Error::data(problem, RANKING);
    let all: Value = serde_json::from_str(text).map_err(|cause| {
        DataError::new(format!("it is not valid JSON: {cause}"), RANKING)
            .at_line(cause.line() as u64)
    })?;
    let features = all["features"].as_array();
    let features = features.ok_or_else(|| no_ranking("it has no list `features`"))?;
    let name = |feature: &Value| {
        let name = feature["name"].as_str();
        let name = name.ok_or_else(|| no_ranking("a feature has no `name`"))?;
        Ok((name.to_string(), 0))
    };
    features.iter().map(name).collect()
}

fn names_of_csv(text: &str) -> Result<Vec<(String, u64)>> {
    let no_csv = |cause: csv::Error| {
        let line = cause.position().map_or(0, csv::Position::line);
        DataError::new(format!("it is not valid CSV: {cause}"), RANKING).at_line(line)
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().map_err(no_csv)?.iter().position(|name| name == "feature");
    let no_column = || DataError::new("it has no column `feature`", RANKING).at_line(1);
    let place = place.ok_or_else(no_column)?;
    let name = |record: csv::Result<csv::StringRecord>| {
        let record = record.map_err(no_csv)?;
        let line = record.position().map_or(0, csv::Position::line);
        Ok((record.get(place).unwrap_or("").to_string(), line))
    };
    reader.records().map(name).collect()
}

/// The column indices of the features of a ranking.
///
/// # Errors
/// A name is not a column of the table, or occurs twice in the ranking.
fn places_of(
    names: &[(String, u64)],
    table: &Table<'_>,
    file: Option<&Path>,
) -> Result<Vec<usize>> {
    let of_table: HashMap<&str, usize> =
        table.columns().iter().enumerate().map(|(place, column)| (column.name(), place)).collect();
    let mut seen = vec![false; table.width()];
    let place = |(name, line): &(String, u64)| {
        let wrong = |problem: String, help: &str| {
            let error = DataError::new(problem, help);
            let error = if *line > 0 { error.at_line(*line) } else { error };
            Error::from(match file {
                Some(file) => error.in_file(file),
                None => error,
            })
        };
        let place = of_table.get(name.as_str()).copied().ok_or_else(|| {
            wrong(
                format!("the data have no feature {}", quoted(name)),
                "give the data of the ranking, with the same options",
            )
        })?;
        if std::mem::replace(&mut seen[place], true) {
            return Err(wrong(format!("{} occurs twice", quoted(name)), RANKING));
        }
        Ok(place)
    };
    names.iter().map(place).collect()
}
