//! The steps from a table to a map that all map methods share.
//!
//! A method receives coordinates, never the table: centered rows in a space whose dimensions are linearly
//! independent. This module chooses that space and maps the result back to the features. The space is the features
//! themselves, or the span of the rows if the features outnumber the rows or are linearly dependent.

use super::options::{BASIS, KERNEL, MAX_RANK, N_COMPONENTS, RANK_TOLERANCE};
use super::row_comparison::RowComparison;
use super::row_pair::RowPair;
use super::settings::setters;
use super::task::Task;
use crate::algebra::{
    Eigen, Singular, gram, nearly_singular, product, row_products, singular, symmetric_eigen,
};
use crate::data::{Classes, DenseMatrix, Table};
use crate::differences::{Metric, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::knn::nearest_of_class;
use crate::neighbors::{Grouping, NearestOptions, Neighborhoods};
use crate::options::{FromSettings, OptionInfo, OptionKind, Settings, choices};
use crate::report::Report;
use crate::run::Run;
use crate::solve::KernelChoice;
use crate::solve::basis::Basis;
use crate::warning::Warning;
use crate::wording::setting;

choices! {
    Scaling {
        None = "none",
        Standard = "standard",
        Range = "range",
    }
}

/// `scale`: the scaling of the features.
pub static SCALE: OptionInfo = OptionInfo {
    name: "scale",
    flag: "scale",
    kind: OptionKind::Choice(Scaling::WORDS),
    default: "none",
    help: "Scaling of the features: none, by the standard deviation, or by the range",
};

/// A method that learns a map.
pub trait Learn: Sync {
    /// The name of the method in messages and results.
    fn name(&self) -> &'static str;

    /// The kind of target that the method requires; `None` if it uses none.
    fn task(&self) -> Option<Task> {
        Some(Task::Classes)
    }

    /// The space in which the method works.
    fn frame(&self) -> Frame {
        Frame::Either
    }

    /// The metric of the distances that the method starts from; categories are encoded so that a mismatch is 1 in it.
    fn row_metric(&self) -> Metric {
        Metric::Euclidean
    }

    /// Whether the method returns the first principal coordinates unchanged, in order of decreasing variance, so that
    /// only as many are needed as there are components.
    fn takes_principal_coordinates(&self) -> bool {
        false
    }

    /// Whether the method returns the features unchanged: its map is diagonal, and no matrix is built.
    fn takes_features_as_they_are(&self) -> bool {
        false
    }

    /// Learns directions in the space of the coordinates. `components` is the requested number, at most the number of
    /// coordinates. The method may return more; the caller truncates them.
    ///
    /// # Errors
    /// Options out of range; data that the method cannot use; [`Error::Cancelled`].
    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions>;

    /// Returns this method with the given pairs of rows instead of classes; `None` if it requires more than pairs.
    fn with_pairs(&self, _pairs: Vec<RowPair>) -> Option<Box<dyn Learn>> {
        None
    }

    /// Returns this method with the given comparisons of distances instead of classes; `None` if it requires more
    /// than comparisons.
    fn with_comparisons(&self, _comparisons: Vec<RowComparison>) -> Option<Box<dyn Learn>> {
        None
    }

    /// As [`with_comparisons`](Self::with_comparisons), with a weight above 0 for each; `None` if the method has no use
    /// for weights.
    fn with_weighted_comparisons(
        &self,
        _comparisons: Vec<RowComparison>,
        _weights: Vec<f64>,
    ) -> Option<Box<dyn Learn>> {
        None
    }

    /// Whether a matrix can be given from which the method starts, or to whose metric it stays close
    /// ([`MapSettings::start`]).
    fn takes_start(&self) -> bool {
        false
    }

    /// Whether the method uses classes only to know which rows are similar, so that chunks of rows suffice.
    fn takes_chunks(&self) -> bool {
        false
    }

    /// The method as two steps, a neighbor search and the scatter of the pairs found; `None` if it has other steps.
    /// A method of these two steps can be computed in parts ([`crate::distribute`]).
    fn by_scatter(&self) -> Option<&dyn FromScatter> {
        None
    }
}

/// A method whose map is computed from one neighbor search among the scaled rows and the scatter of the pairs found.
pub trait FromScatter: Sync {
    /// Checks that the method can be computed in parts, which requires the space of the features.
    ///
    /// # Errors
    /// An option selects another space; the error names it.
    fn check_parts(&self) -> Result<()>;

    /// The metric of the neighbor search.
    fn metric(&self) -> Metric;

    /// The options of the search for the nearest rows of the same class and of all other classes.
    ///
    /// # Errors
    /// Options out of range.
    fn neighbors(&self) -> Result<NearestOptions>;

    /// The factors of hits and misses in the scatter.
    fn signs(&self) -> [f64; 2];

    /// Computes the directions from the scatter of the coordinates.
    ///
    /// # Errors
    /// The decomposition does not converge; [`Error::Cancelled`].
    fn directions(
        &self,
        scatter: &DenseMatrix,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions>;
}

/// The space that a method works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// The features or the span of the rows: a rotation of the rows only rotates the result.
    Either,
    /// The features themselves.
    Features,
    /// The span of the rows.
    Span,
}

/// Rows in the space that a method works in.
#[derive(Debug)]
pub struct Coordinates<'a> {
    values: DenseMatrix,
    supervision: Supervision<'a>,
    /// [`MapSettings::start`], in this space.
    start: Option<DenseMatrix>,
    /// Whether the coordinates are the features themselves, which may have different units.
    features: bool,
    /// The value of [`Coordinates::variance_ratio`] if it cannot be computed from the rows here.
    variance_ratio: Option<f64>,
    order: Option<Order<'a>>,
    /// The original rows, before centering and scaling; present if the coordinates are features.
    table: Option<&'a Table<'a>>,
    /// All rows, whose ranges are those of the features; `None` if they are those of the coordinates.
    scale: Option<Scale<'a>>,
    /// The Gram matrix of the columns, if it has been computed.
    gram: Option<DenseMatrix>,
}

/// Rows whose distances in a metric have the same order as the Euclidean distances of their coordinates in a kernel
/// space. With a narrow kernel the latter, `2 - 2 k`, are equal for nearly all rows because `k` is lost by rounding,
/// while the distances of the original rows still determine which neighbor is nearer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) rows: &'a DenseMatrix,
    pub(super) metric: Metric,
}

/// The target that a method learns from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Supervision<'a> {
    /// No target, or pairs or comparisons of rows that the method itself has.
    Unsupervised,
    /// Classes.
    Classes(&'a Classes),
    /// A numeric target.
    Numbers(&'a [f64]),
}

impl<'a> Supervision<'a> {
    /// The classes, if the target consists of classes.
    pub(super) fn classes(self) -> Option<&'a Classes> {
        match self {
            Supervision::Classes(classes) => Some(classes),
            _ => None,
        }
    }
}

/// The features of all rows, and which of them the coordinates are, if some rows are unlabeled.
pub(super) type Scale<'a> = (&'a DenseMatrix, &'a [usize]);

/// The origin of the rows to learn from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Learned<'a> {
    /// The features themselves, and the table that they come from.
    Features { table: &'a Table<'a>, scale: Option<Scale<'a>> },
    /// Coordinates in a kernel space; `independent` if their construction guarantees linear independence.
    Kernel { order: Option<Order<'a>>, independent: bool },
}

impl<'a> Coordinates<'a> {
    /// Coordinates of rows whose columns have mean 0, with the classes of the rows.
    ///
    /// # Panics
    /// If there is not exactly one class code per row.
    pub fn new(values: DenseMatrix, classes: Option<&'a Classes>) -> Self {
        let rows = classes.map_or(values.rows(), |classes| classes.codes().len());
        assert_eq!(rows, values.rows(), "one class per row");
        Self {
            values,
            supervision: classes.map_or(Supervision::Unsupervised, Supervision::Classes),
            start: None,
            features: false,
            variance_ratio: None,
            order: None,
            table: None,
            scale: None,
            gram: None,
        }
    }

    /// The ratio of the largest to the smallest nonzero variance of the features, before the rows were transformed
    /// into this space; 1 if all variances are 0. In a kernel space the ratio is defined as 1, because all
    /// coordinates have the same unit.
    pub fn variance_ratio(&self) -> f64 {
        self.variance_ratio.unwrap_or_else(|| variance_ratio(&self.values))
    }

    /// The rows, one per matrix row.
    pub fn values(&self) -> &DenseMatrix {
        &self.values
    }

    /// The classes.
    ///
    /// # Errors
    /// [`Error::Internal`] if the method did not declare that it requires classes.
    pub fn classes(&self) -> Result<&'a Classes> {
        self.supervision
            .classes()
            .ok_or_else(|| Error::Internal("a method without classes used them".into()))
    }

    /// The numbers of a numeric target.
    ///
    /// # Errors
    /// [`Error::Internal`] if the method did not declare that it requires a numeric target.
    pub(super) fn numbers(&self) -> Result<&'a [f64]> {
        match self.supervision {
            Supervision::Numbers(numbers) => Ok(numbers),
            _ => Err(Error::Internal("a method without a numeric target used it".into())),
        }
    }

    /// The matrix given by the caller, with one column per coordinate: the start of the search, or a map to a prior
    /// metric.
    pub(super) fn start(&self) -> Option<&DenseMatrix> {
        self.start.as_ref()
    }

    /// Whether the coordinates are the features themselves, which may have different units.
    pub(crate) fn are_features(&self) -> bool {
        self.features
    }

    /// The principal axes, one orthonormal vector per row, with the sums of squares along them in decreasing order.
    ///
    /// # Errors
    /// The errors of [`symmetric_eigen`].
    pub(super) fn principal(&self, run: &Run) -> Result<Eigen> {
        match &self.gram {
            Some(known) => symmetric_eigen(known, run),
            None => symmetric_eigen(&gram(&self.values, run)?, run),
        }
    }

    /// The coordinates as a table whose columns share one unit, for the neighbor search.
    pub(crate) fn table(&self) -> Result<Table<'_>> {
        in_one_unit(&self.values)
    }

    /// The coordinates as a table whose columns have separate units.
    pub(crate) fn table_in_own_units(&self) -> Result<Table<'_>> {
        match self.scale {
            None => in_own_units(&self.values),
            Some((all, rows)) => Ok(in_own_units(all)?.select_rows_on_scale(rows)),
        }
    }

    /// The range of every coordinate, from the smallest to the largest value, in all rows; 1 for constant ones.
    pub(super) fn ranges(&self) -> Vec<f64> {
        let (least, greatest) = self.scale.map_or(&self.values, |(all, _)| all).extremes();
        let range = |(least, greatest)| if greatest > least { greatest - least } else { 1.0 };
        least.into_iter().zip(greatest).map(range).collect()
    }

    /// The rows and the metric whose distances have the same order as the distances here in `metric`.
    fn ordered(&self, metric: Metric) -> (&DenseMatrix, Metric) {
        match self.order {
            Some(Order { rows, metric: own }) if metric == Metric::Euclidean => (rows, own),
            _ => (&self.values, metric),
        }
    }

    /// Finds the neighbors of every row and passes them to `take`.
    pub(crate) fn nearest<T>(
        &self,
        grouping: Grouping<'_>,
        metric: Metric,
        options: NearestOptions,
        report: &mut Report,
        run: &Run,
        take: impl FnOnce(&Neighborhoods<'_, '_>) -> T,
    ) -> Result<T> {
        let (rows, metric) = self.ordered(metric);
        let scaled = in_one_unit(rows)?;
        let table = match self.table {
            // This metric depends on the raw values, which centering changes.
            Some(table) if metric.takes_numbers_as_they_are() => table,
            _ => &scaled,
        };
        let space =
            Space::new(table, None, SpaceOptions { metric, ..SpaceOptions::default() }, run)?;
        let rows: Vec<u32> = (0..self.values.rows() as u32).collect();
        let found = Neighborhoods::find(&space, &rows, grouping, options, run)?;
        report.search = Some(found.search());
        report.plan.search = Some(found.plan().clone());
        Ok(take(&found))
    }

    /// For every row, up to `count` nearest other rows of its class, in increasing order of distance; of equally
    /// distant rows the first are used.
    ///
    /// # Errors
    /// Numbers that are not finite; [`Error::Cancelled`].
    pub(super) fn nearest_of_class(&self, count: usize, run: &Run) -> Result<Vec<Vec<u32>>> {
        let (rows, metric) = self.ordered(Metric::Euclidean);
        nearest_of_class(rows, metric, self.classes()?.codes(), count, run)
    }
}

fn in_own_units(values: &DenseMatrix) -> Result<Table<'_>> {
    let names: Vec<String> = (1..=values.columns()).map(|k| k.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Table::from_row_major(values.values(), values.rows(), &names)
}

/// Coordinates as a table whose columns share one unit.
pub(super) fn in_one_unit(values: &DenseMatrix) -> Result<Table<'_>> {
    Ok(in_own_units(values)?.in_one_unit())
}

/// The directions that a method learns in the space of its coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Directions {
    /// The matrix `L` of the map, one row per component, in decreasing order of importance.
    pub matrix: DenseMatrix,
    /// One eigenvalue per row; empty if the method has none.
    pub eigenvalues: Vec<f64>,
    /// See [`crate::maps::LinearMap::discriminant_power`].
    pub discriminant_power: Option<f64>,
}

/// The scaling of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// No scaling.
    #[default]
    None,
    /// Division by the standard deviation (with divisor n).
    Standard,
    /// Division by the range.
    Range,
}

impl Scaling {
    /// The name of the scaling: `none`, `standard` or `range`.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::None => "none",
            Scaling::Standard => "standard",
            Scaling::Range => "range",
        }
    }
}

/// The settings of all map methods.
///
/// ```
/// use basrelief::methods::{MapSettings, Scaling};
///
/// let settings = MapSettings::new().n_components(Some(2)).scaling(Scaling::Standard);
/// assert_eq!(settings.n_components, Some(2));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MapSettings {
    /// Number of components to return; `None` for all.
    pub n_components: Option<usize>,
    /// The scaling of the features.
    pub scaling: Scaling,
    /// The kernel that defines the space in which the map is learned; `None` for the features themselves.
    pub kernel: Option<KernelChoice>,
    /// The basis of the kernel space.
    pub basis: Basis,
    /// Maximum number of dimensions of the kernel space; `None` for all.
    pub max_rank: Option<usize>,
    /// Relative tolerance of the rank, from 0 to below 1. Dimensions of the kernel space are kept if their eigenvalue
    /// (kpca) or squared length (gram-schmidt) exceeds this fraction of the largest.
    pub rank_tolerance: f64,
    /// The matrix from which the search starts (one row per component, one column per encoded feature), or a map whose
    /// Euclidean distances are those of the prior metric; `None` for the start or the prior that the options of the
    /// method specify. Only some methods accept a matrix.
    pub start: Option<DenseMatrix>,
}

impl MapSettings {
    /// The settings with the defaults of the options that all maps have.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        n_components: Option<usize>,
        /// Number of components to return; `None` for all.
    }
    setters! {
        scaling: Scaling,
        /// The scaling of the features.
    }
    setters! {
        kernel: Option<KernelChoice>,
        /// The kernel that defines the space in which the map is learned; `None` for the features themselves.
    }
    setters! {
        basis: Basis,
        /// The basis of the kernel space.
    }
    setters! {
        max_rank: Option<usize>,
        /// Maximum number of dimensions of the kernel space; `None` for all.
    }
    setters! {
        rank_tolerance: f64,
        /// Relative tolerance of the rank, from 0 to below 1. Dimensions of the kernel space are kept if their
        /// eigenvalue (kpca) or squared length (gram-schmidt) exceeds this fraction of the largest.
    }
    setters! {
        start: Option<DenseMatrix>,
        /// The matrix from which the search starts, or a map to the prior metric; `None` for that of the options.
    }
}

impl Default for MapSettings {
    /// The settings with the defaults of the options that all maps have.
    fn default() -> Self {
        Self::from_defaults(MAP_OPTIONS)
    }
}

/// The options of all map methods, in the order shown to users.
pub(crate) static MAP_OPTIONS: &[&OptionInfo] =
    &[&N_COMPONENTS, &SCALE, &KERNEL, &BASIS, &MAX_RANK, &RANK_TOLERANCE];

impl FromSettings for MapSettings {
    fn from_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            n_components: settings.read(&N_COMPONENTS)?,
            scaling: settings.read(&SCALE)?,
            kernel: settings.parse(&KERNEL, KernelChoice::parse)?,
            basis: settings.read(&BASIS)?,
            max_rank: settings.read(&MAX_RANK)?,
            rank_tolerance: settings.read(&RANK_TOLERANCE)?,
            start: None,
        })
    }
}

/// The ratio of the largest to the smallest variance of the centered columns that are not constant; 1 if all are.
fn variance_ratio(values: &DenseMatrix) -> f64 {
    let squares = column_squares(values);
    let positive = || squares.iter().copied().filter(|&sum| sum > 0.0);
    let least = positive().fold(f64::INFINITY, f64::min);
    let greatest = positive().fold(0.0, f64::max);
    if greatest > 0.0 { greatest / least } else { 1.0 }
}

/// The sum of squares of each column.
fn column_squares(values: &DenseMatrix) -> Vec<f64> {
    let mut squares = vec![0.0; values.columns()];
    for row in values.iter() {
        squares.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    squares
}

/// Learns from centered rows (the features themselves, or the coordinates in a basis), either in their space or in
/// their span. The returned directions are in the space of the rows.
pub(super) fn learn(
    method: &dyn Learn,
    mut values: DenseMatrix,
    origin: Learned<'_>,
    supervision: Supervision<'_>,
    settings: &MapSettings,
    report: &mut Report,
    run: &Run,
) -> Result<Directions> {
    let (table, scale, order, independent) = match origin {
        Learned::Features { table, scale } => (Some(table), scale, None, false),
        Learned::Kernel { order, independent } => (None, None, order, independent),
    };
    let features = table.is_some();
    let kept = method.takes_principal_coordinates().then(|| varying_columns(&values)).flatten();
    let columns = values.columns();
    if let Some(kept) = &kept {
        values.keep_columns(kept);
    }
    let in_question = method.frame() == Frame::Either && !independent;
    let products = if in_question && values.rows() > values.columns() {
        let products = gram(&values, run)?;
        if nearly_singular(&products, run)? { None } else { Some(products) }
    } else {
        None
    };
    let in_span = match method.frame() {
        Frame::Features => false,
        Frame::Either => in_question && products.is_none(),
        Frame::Span => true,
    };
    let variance_ratio = match (features, in_span) {
        (false, _) => Some(1.0),
        (true, true) => Some(variance_ratio(&values)),
        (true, false) => None,
    };
    let features = features && !in_span && kept.is_none();
    let (values, back) = if in_span {
        let (coordinates, back) = span_of_rows(&values, run)?;
        warn_of_lost_columns(&values, &coordinates, &back, report);
        report.rank = Some(back.rows());
        (coordinates, Some(back))
    } else {
        // Unchanged features may be linearly dependent, so their number is not the rank.
        if method.frame() == Frame::Either || !features {
            report.rank = Some(values.columns());
        }
        (values, None)
    };
    let mut start = settings.start.clone();
    if let (Some(given), Some(back)) = (&start, &back) {
        start = Some(row_products(given, back, run)?);
    }
    let dimensions = values.columns();
    check_spread(method.name(), values.values().iter().all(|value| *value == 0.0))?;
    let wanted = wanted_of(settings, dimensions, report);
    let coordinates = Coordinates {
        values,
        supervision,
        start,
        features,
        variance_ratio,
        order,
        table,
        scale: scale.filter(|_| features),
        gram: products,
    };
    let found = method.learn(&coordinates, wanted.min(dimensions), report, run)?;
    run.check()?;
    let mut found = cut(found, (wanted, dimensions), (method.name(), settings), report);
    if let Some(back) = back {
        found.matrix = product(&found.matrix, &back, run)?;
    }
    if let Some(kept) = kept {
        found.matrix = spread(&found.matrix, &kept, columns);
    }
    check_numbers(&found, method.name())?;
    Ok(found)
}

/// Returns an error if all columns are constant.
pub(super) fn check_spread(name: &str, is_constant: bool) -> Result<()> {
    if !is_constant {
        return Ok(());
    }
    let help = format!("{name} requires columns whose values differ");
    Err(Error::data("all columns are constant", help))
}

/// The requested number of components; warns if it exceeds the number of dimensions.
pub(super) fn wanted_of(settings: &MapSettings, dimensions: usize, report: &mut Report) -> usize {
    let wanted = settings.n_components.unwrap_or(dimensions);
    if wanted > dimensions {
        report.warnings.push(Warning::new(
            "rank",
            format!(
                "{wanted} components were requested, but the rows span only {dimensions} dimensions: \
                 the map cannot have more components"
            ),
        ));
    }
    wanted
}

/// Truncates the directions to the requested number; warns if the method found fewer.
pub(super) fn cut(
    mut found: Directions,
    (wanted, dimensions): (usize, usize),
    (name, settings): (&str, &MapSettings),
    report: &mut Report,
) -> Directions {
    let available = found.matrix.rows();
    if available < wanted.min(dimensions) && settings.n_components.is_some() {
        report.warnings.push(Warning::new(
            "few-components",
            format!("{wanted} components were requested, but {name} found only {available}"),
        ));
    }
    found.matrix.truncate(wanted);
    found.eigenvalues.truncate(wanted);
    found
}

/// Returns an error if the directions are not finite numbers.
pub(super) fn check_numbers(found: &Directions, name: &str) -> Result<()> {
    if found.matrix.values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Internal(format!("{name} returned a map with entries that are not finite")))
}

/// Warns of columns that the span of the rows lost, because their values are too small compared with others.
fn warn_of_lost_columns(
    values: &DenseMatrix,
    coordinates: &DenseMatrix,
    back: &DenseMatrix,
    report: &mut Report,
) {
    let (own, lengths) = (column_squares(values), column_squares(coordinates));
    let mut kept = vec![0.0; own.len()];
    for (length, axis) in lengths.iter().zip(back.iter()) {
        kept.iter_mut().zip(axis).for_each(|(sum, entry)| *sum += length * entry * entry);
    }
    let lost = own.iter().zip(&kept).filter(|(own, kept)| **kept < 0.5 * **own).count();
    if lost > 0 {
        report.warnings.push(Warning::new(
            "lost-features",
            format!(
                "the values of {lost} features are too small compared with those of other features to \
                 enter the map: scale the features ({})",
                setting("scale", Some("standard"))
            ),
        ));
    }
}

/// The indices of the columns of centered rows that are not constant; `None` if all are constant or none is.
fn varying_columns(values: &DenseMatrix) -> Option<Vec<usize>> {
    let mut constant: Vec<usize> = (0..values.columns()).collect();
    for row in values.iter() {
        constant.retain(|&column| row[column] == 0.0);
        if constant.is_empty() {
            return None;
        }
    }
    let varies = |column: &usize| constant.binary_search(column).is_err();
    let kept: Vec<usize> = (0..values.columns()).filter(varies).collect();
    (!kept.is_empty()).then_some(kept)
}

/// A matrix with the given columns at the given places and zeros elsewhere.
fn spread(values: &DenseMatrix, places: &[usize], columns: usize) -> DenseMatrix {
    let mut spread = DenseMatrix::zeros(values.rows(), columns);
    for (row, values) in values.iter().enumerate() {
        let out = spread.row_mut(row);
        places.iter().zip(values).for_each(|(&place, &value)| out[place] = value);
    }
    spread
}

/// Coordinates of centered rows in an orthonormal basis of their span, and the basis (one vector per row).
///
/// Singular values below `max(rows, columns) * 2^-52` of the largest count as 0.
pub(super) fn span_of_rows(values: &DenseMatrix, run: &Run) -> Result<(DenseMatrix, DenseMatrix)> {
    let Singular { mut left, values: lengths, mut right } = singular(values, run)?;
    let greatest = lengths.first().copied().unwrap_or(0.0);
    let least = greatest * f64::EPSILON * values.rows().max(values.columns()) as f64;
    let rank = lengths.iter().take_while(|&&length| length > least).count();
    right.truncate(rank);
    let mut coordinates = DenseMatrix::zeros(left.rows(), rank);
    for row in 0..left.rows() {
        let scaled = left.row_mut(row).iter().zip(&lengths).map(|(entry, length)| entry * length);
        coordinates.row_mut(row).iter_mut().zip(scaled).for_each(|(value, scaled)| *value = scaled);
    }
    Ok((coordinates, right))
}
