//! Maps: learned from a data frame, stored as the bytes of a model file, and applied to other rows.

use basrelief::data::{RawTable, TargetKind};
use basrelief::maps::Map;
use basrelief::methods::{self, Task};
use basrelief::{Error, FrontEnd, Result, Run};
use basrelief_io::Model;
use basrelief_study::text::{Format, Look};
use basrelief_study::{Data, LearnedMap, PageFile, PageOptions, Subject};

use crate::answer::{Answer, Value};
use crate::arguments::Arguments;
use crate::study::source;

/// Learns a map from a data frame: `map_features()`, `lfe()` and the other functions of one method.
///
/// Returns the bytes of the `model`, and the entries of [`summary`].
///
/// # Errors
/// An unknown method, or an option that it does not accept; a method that needs a target, without one; the errors of the
/// fit.
pub fn learn(table: RawTable, arguments: &Arguments, run: &Run) -> Result<Answer> {
    let info = methods::map_method(arguments.text("method").unwrap_or_default())?;
    let settings = info.settings(&arguments.named("options"))?;
    let page = arguments.path("report");
    let page = page.map(|file| PageFile::new(file, arguments.switch("force"))).transpose()?;
    let source = source(arguments, Some(table))?;
    let target = arguments.text("target").filter(|_| info.supervised || arguments.has("target"));
    if let (Some(task), None) = (info.task(), target) {
        let problem = format!("{} needs {}", info.name, task.needs());
        return Err(Error::option("target", problem, "write it on the left side of the formula"));
    }
    let kind = info.task().map_or(TargetKind::PreferClasses, Task::target_kind);
    let (table, named, mut warnings) = match target {
        Some(column) => {
            let Data { table, target, target_name, warnings, .. } =
                source.problem(column, kind, run)?;
            (table, Some((target_name, target)), warnings)
        }
        None => {
            let (table, warnings) = source.features(run)?;
            (table, None, warnings)
        }
    };
    let named = named.as_ref().map(|(name, target)| (name.as_str(), target));
    let fitted = info
        .fit(&table, named.map(|(_, target)| target), &settings, run)
        .map_err(|error| error.in_file(source.name()))?;
    run.check()?;
    warnings.extend(fitted.report.warnings.iter().cloned());
    let subject = Subject::new(source.name().to_string_lossy(), &table, named, FrontEnd::R);
    let learned = LearnedMap {
        subject,
        info,
        settings: &settings,
        run,
        map: &fitted.model,
        report: &fitted.report,
        warnings: &warnings,
    };
    let shown = learned.text(Format::Table, Look::of_file())?;
    if let Some(page) = page {
        let command = arguments.text("call").map(str::to_string);
        let options = PageOptions { command, ..PageOptions::default() };
        let html = learned.page(&options)?.html;
        run.check()?;
        page.write(&html)?;
    }
    let model = Model {
        map: fitted.model.clone(),
        method: info.name.to_string(),
        options: settings.to_json(),
        seed: run.seed(),
    };
    Ok(of_model(&model)?.with("about", Value::texts(shown.lines())).with_warnings(&warnings))
}

/// What the bytes of a model contain: its `method`, the names of its `features`, the number of its `components`, its
/// `eigenvalues`, and the `matrix` of a linear map, row by row, with the names of its `columns`.
///
/// # Errors
/// The bytes are not a model.
pub fn summary(bytes: &[u8]) -> Result<Answer> {
    of_model(&Model::from_bytes(bytes)?)
}

fn of_model(model: &Model) -> Result<Answer> {
    let map = &model.map;
    let (matrix, columns) = match map {
        Map::Linear(linear) => {
            let rows = (0..linear.components()).flat_map(|row| linear.component(row).into_owned());
            let names = map.encoding().part_names();
            (Value::Numbers(rows.collect()), Value::texts(names))
        }
        _ => (Value::Absent, Value::Absent),
    };
    Ok(Answer::default()
        .with("model", Value::Bytes(model.to_bytes()?))
        .with("method", Value::text(&model.method))
        .with("features", Value::texts(map.encoding().columns().iter().map(|column| column.name())))
        .with("components", Value::counts([map.components()]))
        .with("eigenvalues", Value::Numbers(map.eigenvalues().to_vec()))
        .with("matrix", matrix)
        .with("columns", columns))
}

/// Maps the rows of a data frame with the bytes of a model: `predict()`. Returns the `values`, component by component,
/// and the number of `rows`.
///
/// # Errors
/// The bytes are not a model; a feature is not a column, or has values that the map does not know.
pub fn transform(
    bytes: &[u8],
    table: RawTable,
    arguments: &Arguments,
    run: &Run,
) -> Result<Answer> {
    let model = Model::from_bytes(bytes)?;
    let mut source = source(arguments, Some(table))?;
    // The columns keep the kinds that they had in the fit of the map, whatever the values look like here.
    source.take_as_encoded(model.map.encoding());
    let (table, _) = source.features(run)?;
    let mapped = model.map.transform_with_warnings(&table, run);
    let (mapped, warnings) = mapped.map_err(|error| error.in_file(source.name()))?;
    let component = |component: usize| mapped.iter().map(move |row| row[component]);
    let values = (0..mapped.columns()).flat_map(component).collect();
    Ok(Answer::default()
        .with("values", Value::Numbers(values))
        .with("rows", Value::counts([mapped.rows()]))
        .with("method", Value::text(&model.method))
        .with_warnings(&warnings))
}
