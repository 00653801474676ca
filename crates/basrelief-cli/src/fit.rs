//! `basrelief fit`: learns a map from a file, shows it and saves it.

use std::ffi::OsString;
use std::path::Path;

use basrelief::data::TargetKind;
use basrelief::maps::Map;
use basrelief::methods::{self, MapMethodInfo, Settings, Task};
use basrelief::{Error, Fitted, Result, Run, Warning};
use basrelief_io::{Model, check_writable, write_model};
use basrelief_report::{FigureFormat, FigureStyle};
use basrelief_study::learned_map::map_figure;
use basrelief_study::pages::write_file;
use basrelief_study::{Data, LearnedMap, Subject};
use clap::ArgMatches;

use crate::args;
use crate::cohort::{self, is_cohort};
use crate::exit::{Outcome, audience, note_warnings, say};
use crate::input::source;
use crate::outputs::Outputs;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let info = methods::map_method(text("method").unwrap_or_default())?;
    let options = info.all_options();
    let settings =
        info.settings(&args::method_options(info.name, &options, &args::FIT_METHODS, matches)?)?;
    let source = source(matches)?;
    // People without a phenotype are left out only if the phenotype is used.
    let is_named = ["pheno", "pheno-name", "target"].iter().any(|name| matches.contains_id(name));
    let has_use = info.supervised || is_named || !is_cohort(matches);
    let target_column = cohort::target(matches)?.filter(|_| has_use);
    if let (Some(task), None) = (info.task(), &target_column) {
        return Err(Error::option(
            "target",
            format!("{} needs {}", info.name, task.needs()),
            "name their column",
        )
        .into());
    }
    let run = args::start_run(matches)?;
    let outlets = Outlets::from_args(matches, arguments)?;
    let kind = info.task().map_or(TargetKind::PreferClasses, Task::target_kind);
    let (table, named, mut warnings) = match target_column {
        Some(column) => {
            let Data { table, target, target_name, warnings, .. } =
                source.problem(column, kind, &run)?;
            (table, Some((target_name, target)), warnings)
        }
        None => {
            let (table, warnings) = source.features(&run)?;
            (table, None, warnings)
        }
    };
    let named = named.as_ref().map(|(name, target)| (name.as_str(), target));
    let fitted = info
        .fit(&table, named.map(|(_, target)| target), &settings, &run)
        .map_err(|error| error.in_file(source.name()))?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;
    warnings.extend(fitted.report.warnings.iter().cloned());
    let subject = Subject::new(source.name().to_string_lossy(), &table, named, audience());
    outlets.take(&Learned { info, settings: &settings, subject, fitted, warnings }, "fitted", &run)
}

/// A map that was learned, and of what.
pub(crate) struct Learned<'a> {
    pub(crate) info: &'static MapMethodInfo,
    pub(crate) settings: &'a Settings,
    pub(crate) subject: Subject<'a>,
    pub(crate) fitted: Fitted<Map>,
    pub(crate) warnings: Vec<Warning>,
}

/// The outputs of a map: its model file, its summary, its figure and its page.
pub(crate) struct Outlets<'m> {
    outputs: Outputs,
    model: &'m Path,
    figure: Option<(&'m Path, FigureStyle)>,
    quiet: bool,
}

impl<'m> Outlets<'m> {
    /// From the arguments; refuses what cannot be written.
    ///
    /// # Errors
    /// As said.
    pub(crate) fn from_args(matches: &'m ArgMatches, arguments: &[OsString]) -> Result<Self> {
        let outputs = Outputs::from_args(matches, arguments, &["json"])?;
        let model = args::path(matches, "model")
            .ok_or_else(|| Error::Internal("the model argument is missing".to_string()))?;
        let figure = args::path(matches, "figure");
        check_writable(model)?;
        let figure = match figure {
            Some(file) => {
                check_writable(file)?;
                let format = FigureFormat::from_path(file)?;
                Some((file, FigureStyle { format, ..args::figure_style(matches)? }))
            }
            None => None,
        };
        Ok(Self { outputs, model, figure, quiet: args::quiet(matches) })
    }

    /// Writes and tells what was learned; `done` is how it came: `fitted` or `merged`.
    ///
    /// # Errors
    /// A file cannot be written; the run was cancelled.
    pub(crate) fn take(&self, learned: &Learned<'_>, done: &str, run: &Run) -> Outcome {
        let Learned { info, settings, subject, fitted, warnings } = learned;
        let Self { outputs, model: model_file, figure, quiet } = self;
        let (subject, map, report) = (subject.clone(), &fitted.model, &fitted.report);
        let learned = LearnedMap { subject, info, settings, run, map, report, warnings };
        let shown = learned.text(outputs.format(), outputs.look())?;
        let model = Model {
            map: fitted.model.clone(),
            method: info.name.to_string(),
            options: settings.to_json(),
            seed: run.seed(),
        };
        let (table, target) = (learned.subject.table(), learned.subject.target());
        let target = target.map(|(_, target)| target);
        let draw = |(_, style): (&Path, FigureStyle)| {
            style.to_file(&map_figure(table, target, &model, run)?)
        };
        let drawn = figure.map(draw).transpose()?;
        let page = outputs.page(|options| learned.page(options))?;
        write_model(model_file, &model)?;
        if let (Some((file, _)), Some(drawn)) = (figure, drawn) {
            write_file(file, &drawn)?;
        }
        outputs.write(page, &shown)?;
        if !quiet {
            note_warnings(warnings);
            let figure = figure.iter().map(|(file, _)| *file);
            outputs.say_files([*model_file].into_iter().chain(figure));
            say(&format!("{done} in {:.3} s", fitted.report.seconds));
        }
        outputs.open()
    }
}
