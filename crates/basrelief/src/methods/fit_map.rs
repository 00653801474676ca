//! Fits a map of the features: checks, centering, scaling, and the conversion back to the original units.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::kernelized::KernelSpace;
use super::learn::{
    Directions, Learn, Learned, MapSettings, SCALE, Scaling, Supervision, check_spread, learn,
    wanted_of,
};
use super::options::{MAX_RANK, N_COMPONENTS, RANK_TOLERANCE};
use super::shared::refuse_lone_rows_only;
use super::task::Task;
use crate::data::{
    DenseMatrix, Differences, EncodedColumn, Encoding, Part, Table, Target, column_warnings,
    similar_classes,
};
use crate::error::{DataError, Error, Result};
use crate::maps::{LinearMap, Map, fix_signs};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::solve::{Kernel, Width};
use crate::warning::Warning;
use crate::wording::{self, quoted, setting};

/// Refuses sparse tables: a map centers its columns, which are then dense.
fn refuse_sparse(table: &Table<'_>) -> Result<()> {
    let count = table.columns().iter().filter(|column| column.is_sparse()).count();
    if count == 0 {
        return Ok(());
    }
    Err(Error::data(
        format!(
            "maps do not support sparse tables, and {count} of {} columns are sparse",
            table.width()
        ),
        "select features first, for example with multisurf, or make the table dense if it is small",
    ))
}

/// Fits a map.
///
/// Categories and missing values are first encoded as numbers ([`Encoding`]), such that two different
/// categories have distance 1 in the metric that the method starts from. This is the Manhattan metric if the
/// metric of the method or its kernel sums absolute differences, otherwise the Euclidean metric. The report
/// contains the warnings about the fit and the table, the rank, and the elapsed seconds.
///
/// ```
/// use basrelief::Run;
/// use basrelief::data::{Table, Target};
/// use basrelief::methods::{MapSettings, Pca, Scaling, fit_map};
///
/// let values = [1.0, 50.0, 0.2, 2.0, 60.0, 0.1, 3.0, 40.0, 0.3, 4.0, 70.0, 0.2];
/// let table = Table::from_row_major(&values, 4, &["length", "weight", "noise"])?;
///
/// // Two components of the features in standard deviations. PCA needs no target.
/// let settings = MapSettings::new().n_components(Some(2)).scaling(Scaling::Standard);
/// let run = Run::new(None)?;
/// let fitted = fit_map(&Pca::new(), &table, None, &settings, &run)?;
/// assert_eq!(fitted.model.components(), 2);
/// # Ok::<(), basrelief::Error>(())
/// ```
///
/// Of a target that is unknown in some rows, a method that needs a target uses the labeled rows; the centers, the scaling
/// and the encoding of the features are those of all rows.
///
/// # Errors
/// Fewer than two rows; no classes or a single class if the method needs classes; the errors of the method;
/// [`Error::Cancelled`].
pub fn fit_map(
    method: &dyn Learn,
    table: &Table<'_>,
    target: Option<&Target>,
    settings: &MapSettings,
    run: &Run,
) -> Result<Fitted<Map>> {
    let start = Instant::now();
    let mut report = Report::default();
    run.check()?;
    check_settings(settings)?;
    refuse_sparse(table)?;
    check_rows(method, table, target)?;
    let labeled = method.task().and(target).and_then(Target::labeled);
    let target = labeled.as_ref().map(|(_, known)| known).or(target);
    let supervision = supervision_of(method, target)?;
    let mut encoding = Encoding::of_table(table, differences(method, settings));
    check_metric(method, &encoding)?;
    claim(&encoding, table, run)?;
    let mut values = encoding.encode(table)?.0;
    let origin = center(&mut values, &encoding, settings.scaling)?;
    let settings = &scaled_start(method, settings, &origin)?;
    encoding.settle(&origin.mean);
    let names = encoding.part_names();
    // Unlabeled rows determine the scale of the features, and nothing else.
    let known = labeled.as_ref().map(|(rows, _)| rows.as_slice());
    let table_of_known = known.map(|rows| table.select_rows_on_scale(rows));
    let (values, all_values) = match known {
        None => (values, None),
        Some(rows) => (values.select_rows(rows), Some(values)),
    };
    let largest = largest_value(&values);
    let map = run.install(|| match settings.kernel {
        None if method.takes_features_as_they_are() => {
            check_spread(method.name(), values.values().iter().all(|value| *value == 0.0))?;
            let wanted = wanted_of(settings, values.columns(), &mut report);
            Ok(Map::Linear(first_features(
                wanted.min(values.columns()),
                names,
                origin,
                &mut report,
            )))
        }
        None => {
            let table = table_of_known.as_ref().unwrap_or(table);
            let scale = all_values.as_ref().zip(known);
            let values = if scale.is_some() { centered(values) } else { values };
            let found = learn(
                method,
                values,
                Learned::Features { table, scale },
                supervision,
                settings,
                &mut report,
                run,
            )?;
            Ok::<_, Error>(Map::Linear(linear_map(found, names, origin)))
        }
        Some(choice) => {
            // Cross-validation needs classes even if the method does not.
            let target = match (supervision.classes(), choice.width, target) {
                (None, Width::CrossValidation, Some(target)) => Some(target.classes("rho=cv")?),
                (classes, ..) => classes,
            };
            let Origin { mean, units } = origin;
            let space = KernelSpace { method, rows: &values, needed: supervision, classes: target };
            space.fit(choice, names, (mean, units), settings, &mut report, run).map(Map::Kernel)
        }
    });
    let map = map.map_err(|error| with_magnitude(error, largest, &encoding))?;
    let map = map.with_encoding(encoding);
    report.warnings.extend(column_warnings(table, run)?);
    report.warnings.extend(target.and_then(similar_classes));
    report.seconds = start.elapsed().as_secs_f64();
    Ok(Fitted { model: map, report })
}

/// Returns the map to the first features, each divided by its unit.
fn first_features(
    components: usize,
    names: Vec<String>,
    Origin { mean, units }: Origin,
    report: &mut Report,
) -> LinearMap {
    if components < mean.len() {
        report.warnings.push(Warning::new(
            "first-features",
            format!(
                "this map does not order features by importance: it keeps the first {components}"
            ),
        ));
    }
    let diagonal = units[..components].iter().map(|unit| 1.0 / unit).collect();
    LinearMap::from_diagonal(names, mean, diagonal)
}

/// Refuses tables with too many categories for their encoded columns to fit into memory.
fn claim(encoding: &Encoding, table: &Table<'_>, run: &Run) -> Result<()> {
    let levels = |column: &EncodedColumn| column.levels().map_or(0, <[String]>::len);
    let Some(most) = encoding.columns().iter().max_by_key(|column| levels(column)) else {
        return Ok(());
    };
    if levels(most) == 0 {
        return Ok(());
    }
    // The encoded columns, and as much again for the method.
    let bytes = 2 * size_of::<f64>() as u64 * table.rows() as u64 * encoding.width() as u64;
    let name = most.name();
    let what = format!("a map of {} with its {} categories", quoted(name), levels(most));
    run.memory().claim(bytes, &what, wording::leave_out(name))
}

/// How differences are combined in the distances that a method starts from.
fn differences(method: &dyn Learn, settings: &MapSettings) -> Differences {
    match (settings.kernel.map(|choice| choice.kernel), method.row_metric()) {
        (Some(Kernel::Laplacian { .. }), _) => Differences::Absolute,
        (None, metric) if !metric.is_euclidean() => Differences::Absolute,
        _ => Differences::Squared,
    }
}

/// Refuses metrics in which two different categories (one coordinate each) do not have distance 1.
fn check_metric(method: &dyn Learn, encoding: &Encoding) -> Result<()> {
    let metric = method.row_metric();
    let mut columns = encoding.columns().iter();
    let Some(category) = columns.find(|column| column.levels().is_some()) else { return Ok(()) };
    // Metrics that use raw numbers are computed from the table itself.
    if metric.fold().sum().is_some() || metric.takes_numbers_as_they_are() {
        return Ok(());
    }
    Err(Error::option(
        "metric",
        format!(
            "{} is categorical, but the {} metric of a map accepts only numeric columns",
            quoted(category.name()),
            metric.title()
        ),
        format!("use {}, or exclude the column", wording::setting("metric", Some("manhattan"))),
    ))
}

/// Checks that the settings common to all maps are in range.
pub(super) fn check_settings(settings: &MapSettings) -> Result<()> {
    if !(0.0..1.0).contains(&settings.rank_tolerance) {
        return Err(Error::option(
            RANK_TOLERANCE.name,
            format!("{} is not at least 0 and below 1", settings.rank_tolerance),
            "the default is 1e-10",
        ));
    }
    if settings.max_rank == Some(0) {
        return Err(Error::option(MAX_RANK.name, "found 0", "use at least 1"));
    }
    if settings.n_components == Some(0) {
        return Err(Error::option(N_COMPONENTS.name, "found 0", "use at least 1"));
    }
    Ok(())
}

/// Returns the map of directions in the space of centered and scaled features: fixes the signs of the directions and
/// undoes the scaling.
pub(super) fn linear_map(found: Directions, names: Vec<String>, origin: Origin) -> LinearMap {
    let Directions { mut matrix, eigenvalues, discriminant_power } = found;
    fix_signs(&mut matrix, |_| {});
    for row in 0..matrix.rows() {
        let entries = matrix.row_mut(row).iter_mut().zip(&origin.units);
        entries.for_each(|(entry, unit)| *entry /= unit);
    }
    LinearMap::new(names, origin.mean, matrix, eigenvalues, discriminant_power)
}

/// Returns the settings with the matrix of the start in the units of the scaled features.
///
/// # Errors
/// A start for a method or a kernel space that accepts none, of another width than the encoded features, or with entries
/// that are not finite.
fn scaled_start(
    method: &dyn Learn,
    settings: &MapSettings,
    origin: &Origin,
) -> Result<MapSettings> {
    let mut settings = settings.clone();
    let Some(start) = &mut settings.start else { return Ok(settings) };
    let width = origin.units.len();
    let problem = match settings.kernel {
        _ if !method.takes_start() => format!("{} accepts no matrix", method.name()),
        Some(_) => "a kernel's space accepts no matrix".to_string(),
        None if start.columns() != width => {
            format!("the matrix has {} columns, but there are {width} features", start.columns())
        }
        None if start.rows() == 0 || !start.values().iter().all(|entry| entry.is_finite()) => {
            "the matrix needs at least one row, and finite entries".to_string()
        }
        None => {
            for row in 0..start.rows() {
                let entries = start.row_mut(row).iter_mut().zip(&origin.units);
                entries.for_each(|(entry, unit)| *entry *= unit);
            }
            return Ok(settings);
        }
    };
    Err(Error::option("start", problem, "provide one row per component, one column per feature"))
}

/// Returns the target of the kind that the method needs.
///
/// # Errors
/// For a method that needs a target, no target or one of another kind; for one that needs classes also a single class, or
/// no two rows of the same class.
pub(super) fn supervision_of<'t>(
    method: &dyn Learn,
    target: Option<&'t Target>,
) -> Result<Supervision<'t>> {
    let Some(task) = method.task() else { return Ok(Supervision::Unsupervised) };
    let target = target.ok_or_else(|| {
        let problem = format!("{} needs {}", method.name(), task.needs());
        Error::option("target", problem, "specify the target")
    })?;
    if task == Task::Regression {
        return target.values(method.name()).map(Supervision::Numbers);
    }
    let bins = "divide a numeric target into bins";
    let classes = target.classes(method.name()).map_err(|error| error.or_first(bins))?;
    if classes.len() < 2 {
        return Err(Error::data(
            format!("every row has the same class, `{}`", classes.names().join("")),
            "the method separates classes: provide rows of at least two classes",
        ));
    }
    refuse_lone_rows_only(classes)?;
    Ok(Supervision::Classes(classes))
}

/// Checks the size of a table and of its target.
///
/// # Errors
/// No columns, fewer than two rows, a target of another length.
pub(super) fn check_rows(
    method: &dyn Learn,
    table: &Table<'_>,
    target: Option<&Target>,
) -> Result<()> {
    if table.width() == 0 {
        return Err(Error::data("the table has no features", "provide at least one column"));
    }
    if table.rows() < 2 {
        return Err(Error::data(
            format!("{} needs at least two rows, found {}", method.name(), table.rows()),
            "provide more rows",
        ));
    }
    if let Some(target) = target.filter(|target| target.rows() != table.rows()) {
        return Err(Error::data(
            format!("{} rows of features, but {} target values", table.rows(), target.rows()),
            "provide one target value per row",
        ));
    }
    Ok(())
}

/// Subtracts the mean of every column. Constant columns become exactly 0.
fn centered(mut values: DenseMatrix) -> DenseMatrix {
    let mut mean = values.means();
    keep_constants(&mut mean, &values.extremes());
    subtract(&mut values, &mean);
    values
}

/// Replaces the means of constant columns by their value, which a mean can miss by rounding.
fn keep_constants(mean: &mut [f64], (least, greatest): &(Vec<f64>, Vec<f64>)) {
    let ends = least.iter().zip(greatest);
    let constants = mean.iter_mut().zip(ends).filter(|(_, (least, greatest))| least == greatest);
    constants.for_each(|(mean, (value, _))| *mean = *value);
}

/// Subtracts a row from every row.
fn subtract(values: &mut DenseMatrix, origin: &[f64]) {
    for row in 0..values.rows() {
        values.row_mut(row).iter_mut().zip(origin).for_each(|(value, origin)| *value -= origin);
    }
}

/// Largest allowed absolute value of a centered and scaled feature; sums of squares stay finite.
const LARGEST_VALUE: f64 = 1e150;

/// Smallest allowed size of the largest value of a table; its square is not 0.
const SMALLEST_VALUE: f64 = 1e-150;

/// Size above which higher powers of a value overflow; below its inverse they underflow.
const EXTREME: f64 = 1e37;

/// Smallest allowed unit of a feature; maps store its inverse.
const SMALLEST_UNIT: f64 = 1e-290;

/// Returns the column of the largest absolute value, and this value.
fn largest_value(values: &DenseMatrix) -> Option<(usize, f64)> {
    let (least, greatest) = values.extremes();
    let sizes =
        least.iter().zip(&greatest).map(|(least, greatest)| least.abs().max(greatest.abs()));
    sizes.enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Adds the column of the largest value to an error of a method, if this value is so large or small that higher
/// powers overflow or underflow.
fn with_magnitude(error: Error, largest: Option<(usize, f64)>, encoding: &Encoding) -> Error {
    let is_extreme = |size: f64| size > 0.0 && !(1.0 / EXTREME..EXTREME).contains(&size);
    let Some((column, size)) = largest.filter(|(_, size)| is_extreme(*size)) else { return error };
    let name = encoding.parts().nth(column).map_or("", |(own, _)| own.name());
    let cause = format!("its values differ by {size:e}");
    match error {
        Error::Internal(_) => {
            let problem = format!("{cause}: their powers are not finite numbers");
            DataError::new(problem, "rescale the column").in_column(name).into()
        }
        Error::Data(mut data) if data.column.is_none() => {
            data.help = format!("rescale the column ({cause}), or {}", data.help.mention()).into();
            data.in_column(name).into()
        }
        other => other,
    }
}

/// Refuses centered and scaled features whose squares overflow, or are all 0 although the rows differ.
///
/// # Errors
/// The error names the column of the largest value, or of a unit that is too small.
fn check_magnitudes(values: &DenseMatrix, units: &[f64], encoding: &Encoding) -> Result<()> {
    let largest = largest_value(values);
    let tiny_unit = units.iter().position(|unit| *unit < SMALLEST_UNIT);
    let (column, problem) = match (largest, tiny_unit) {
        (_, Some(column)) => {
            let unit = units[column];
            (column, format!("the values differ by only {unit:e}, which is too small to scale by"))
        }
        (Some((column, size)), _) if size > LARGEST_VALUE || size.is_nan() => {
            (column, format!("the values differ by {size:e}: their squares overflow"))
        }
        (Some((column, size)), _) if size > 0.0 && size < SMALLEST_VALUE => {
            (column, format!("the values differ by at most {size:e}: their squares underflow to 0"))
        }
        _ => return Ok(()),
    };
    let is_scaled = units.iter().any(|unit| *unit != 1.0);
    let help = match is_scaled {
        true => "rescale the column".to_string(),
        false => format!("rescale the column, or use {}", setting(SCALE.name, Some("standard"))),
    };
    let name = encoding.parts().nth(column).map_or("", |(own, _)| own.name());
    Err(DataError::new(problem, help).in_column(name).into())
}

/// The means and units by which the rows were centered and scaled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    #[serde(with = "crate::packed")]
    pub(crate) mean: Vec<f64>,
    /// The divisors of the features.
    #[serde(with = "crate::packed")]
    pub(crate) units: Vec<f64>,
}

/// Centers and scales the columns. Constant columns become exactly 0.
///
/// Only numeric columns are scaled. Their units are computed from the rows with known values; the indicator of
/// missing values has the unit of its column. Encoded categories are not scaled, so that two different categories keep
/// distance 1.
///
/// # Errors
/// A mean or a unit that is not finite, or values whose squares overflow or underflow. The error names the column.
pub(super) fn center(
    values: &mut DenseMatrix,
    encoding: &Encoding,
    scaling: Scaling,
) -> Result<Origin> {
    let (rows, columns) = (values.rows(), values.columns());
    let mut mean = values.means();
    let extremes = values.extremes();
    // The mean is exactly the fill value, so that missing values become exactly 0.
    let mut start = 0;
    for column in encoding.columns() {
        let filled = column.fill().len() - usize::from(column.has_mark());
        if column.missing() > 0 {
            mean[start..start + filled].copy_from_slice(&column.fill()[..filled]);
        }
        start += column.width();
    }
    keep_constants(&mut mean, &extremes);
    subtract(values, &mean);
    let (least, greatest) = extremes;
    let mut units = vec![1.0; columns];
    match scaling {
        Scaling::None => {}
        Scaling::Range => {
            units
                .iter_mut()
                .zip(least.iter().zip(&greatest))
                .for_each(|(unit, (l, g))| *unit = g - l);
        }
        Scaling::Standard => {
            // Relative to the largest deviation, whose square may overflow.
            let ends = least.iter().zip(&greatest).zip(&mean);
            let sizes: Vec<f64> = ends.map(|((l, g), mean)| (g - mean).max(mean - l)).collect();
            units.fill(0.0);
            for row in values.iter() {
                for ((unit, value), size) in units.iter_mut().zip(row).zip(&sizes) {
                    *unit += if *size > 0.0 { (value / size).powi(2) } else { 0.0 };
                }
            }
            for (unit, size) in units.iter_mut().zip(sizes) {
                *unit = size * (*unit / rows as f64).sqrt();
            }
        }
    }
    let mut of_number = 1.0;
    for (unit, (column, part)) in units.iter_mut().zip(encoding.parts()) {
        match part {
            Part::Number => {
                let known = rows - column.missing().min(rows);
                if scaling == Scaling::Standard && (1..rows).contains(&known) {
                    *unit *= (rows as f64 / known as f64).sqrt();
                }
                of_number = *unit;
            }
            Part::Mark if column.levels().is_none() => *unit = of_number,
            Part::Mark | Part::Level(_) => *unit = 1.0,
        }
    }
    units.iter_mut().filter(|unit| **unit == 0.0).for_each(|unit| *unit = 1.0);
    let finite = |column: &usize| mean[*column].is_finite() && units[*column].is_finite();
    if let Some(column) = (0..columns).find(|column| !finite(column)) {
        return Err(DataError::new(
            "the values are so large that their sums overflow",
            "rescale the column",
        )
        .in_column(encoding.parts().nth(column).map_or("", |(own, _)| own.name()))
        .into());
    }
    if scaling != Scaling::None {
        for row in 0..rows {
            values.row_mut(row).iter_mut().zip(&units).for_each(|(value, unit)| *value /= unit);
        }
    }
    check_magnitudes(values, &units, encoding)?;
    Ok(Origin { mean, units })
}
