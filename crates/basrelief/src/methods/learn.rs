//! From a table to a map: what all map methods share.
//!
//! A method sees coordinates, never the table: rows centered at 0 in a space where no dimension
//! depends on others. Which space that is (the features themselves, or the span of the rows where
//! there are more features than rows or features depend on one another) and the way back to the
//! features are settled here, once.

use super::options::{BASIS, KERNEL, MAX_RANK, N_COMPONENTS, RANK_TOLERANCE};
use super::row_comparison::RowComparison;
use super::row_pair::RowPair;
use super::settings::setters;
use crate::algebra::{Eigen, Singular, gram, nearly_singular, product, singular, symmetric_eigen};
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

/// `scale`: the units of the features.
pub static SCALE: OptionInfo = OptionInfo {
    name: "scale",
    flag: "scale",
    kind: OptionKind::Choice(Scaling::WORDS),
    default: "none",
    help: "Units of the features: as they are, standard deviations, or ranges",
};

/// A method that learns a map.
pub trait Learn: Sync {
    /// Its name in messages and results.
    fn name(&self) -> &'static str;

    /// Whether it needs classes.
    fn needs_classes(&self) -> bool {
        true
    }

    /// In which space it can work.
    fn frame(&self) -> Frame {
        Frame::Either
    }

    /// In which metric rows are near to it, by which a mismatch of categories is 1.
    fn row_metric(&self) -> Metric {
        Metric::Euclidean
    }

    /// Whether of principal coordinates, the longest first, it takes the first as they are, so that
    /// no more are needed than there are components.
    fn takes_principal_coordinates(&self) -> bool {
        false
    }

    /// Whether over the features it takes these as they are: a map that is a diagonal, of which no matrix is made.
    fn takes_features_as_they_are(&self) -> bool {
        false
    }

    /// Learns directions in the space of the coordinates; `components` is the number wanted, at
    /// most the number of coordinates. More may be returned: the caller cuts.
    ///
    /// # Errors
    /// Options out of range, data that the method cannot use; [`Error::Cancelled`].
    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions>;

    /// The same method, which learns from pairs of rows that are given instead of classes; `None` where
    /// it needs more than pairs.
    fn with_pairs(&self, _pairs: Vec<RowPair>) -> Option<Box<dyn Learn>> {
        None
    }

    /// The same method, which learns from comparisons of distances that are given instead of classes; `None`
    /// where it needs more than comparisons.
    fn with_comparisons(&self, _comparisons: Vec<RowComparison>) -> Option<Box<dyn Learn>> {
        None
    }

    /// Whether all that it takes from classes is which rows are alike, so that chunks of rows do as well.
    fn takes_chunks(&self) -> bool {
        false
    }

    /// The method as two steps, where it is no more than these: a search for neighbors, and the scatter of
    /// their pairs. Such a method can be computed in parts ([`crate::distribute`]).
    fn by_scatter(&self) -> Option<&dyn FromScatter> {
        None
    }
}

/// A method whose map comes from a search for neighbors among the scaled rows, once, and the scatter of their
/// pairs.
pub trait FromScatter: Sync {
    /// Refuses what cannot be computed in parts: a space other than that of the features.
    ///
    /// # Errors
    /// The option that asks for another space.
    fn check_parts(&self) -> Result<()>;

    /// In which metric rows are near.
    fn metric(&self) -> Metric;

    /// Which rows are near: of a row's own class, and of all others.
    ///
    /// # Errors
    /// Options out of range.
    fn neighbors(&self) -> Result<NearestOptions>;

    /// What hits and misses are multiplied by.
    fn signs(&self) -> [f64; 2];

    /// The directions of a scatter over the coordinates.
    ///
    /// # Errors
    /// No convergence; [`Error::Cancelled`].
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
    /// A rotation of the rows rotates the result: the span of the rows is as good as the features.
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
    classes: Option<&'a Classes>,
    /// Whether they are the features themselves, which may be in different units.
    features: bool,
    /// What [`Coordinates::variance_ratio`] gives, where the rows here do not tell.
    variance_ratio: Option<f64>,
    order: Option<Order<'a>>,
    /// The rows as they were before they were centered and scaled, where they are features.
    table: Option<&'a Table<'a>>,
    /// The products of the columns, where they are known.
    gram: Option<DenseMatrix>,
}

/// Rows whose distances in a metric have the order of the Euclidean distances of coordinates in a kernel's space. Where
/// the kernel is narrow these are the same number for nearly all rows, `2 - 2 k` with a `k` that rounding swallows, and
/// the rows themselves still tell who is nearer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) rows: &'a DenseMatrix,
    pub(super) metric: Metric,
}

/// What rows to learn from are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Learned<'a> {
    /// The features themselves, and the table that they come from.
    Features(&'a Table<'a>),
    /// Coordinates in a kernel's space, and whether none can depend on others, by how they were made.
    Kernel { order: Option<Order<'a>>, independent: bool },
}

impl<'a> Coordinates<'a> {
    /// Rows whose columns have mean 0, with their classes.
    ///
    /// # Panics
    /// Not one class code per row.
    pub fn new(values: DenseMatrix, classes: Option<&'a Classes>) -> Self {
        let rows = classes.map_or(values.rows(), |classes| classes.codes().len());
        assert_eq!(rows, values.rows(), "one class per row");
        Self {
            values,
            classes,
            features: false,
            variance_ratio: None,
            order: None,
            table: None,
            gram: None,
        }
    }

    /// The greatest variance of a feature over the least that is not 0, before the rows came into
    /// this space; 1 without any. In a kernel's space it is 1: coordinates there are all in one
    /// unit, however uneven.
    pub fn variance_ratio(&self) -> f64 {
        self.variance_ratio.unwrap_or_else(|| variance_ratio(&self.values))
    }

    /// The rows.
    pub fn values(&self) -> &DenseMatrix {
        &self.values
    }

    /// The classes.
    ///
    /// # Errors
    /// [`Error::Internal`]: a method that uses them must say that it needs them.
    pub fn classes(&self) -> Result<&'a Classes> {
        self.classes.ok_or_else(|| Error::Internal("a method without classes used them".into()))
    }

    /// Whether they are the features themselves, which may be in different units.
    pub(crate) fn are_features(&self) -> bool {
        self.features
    }

    /// The principal axes, an orthonormal vector per row, with the sums of squares along them: the greatest first.
    ///
    /// # Errors
    /// As [`symmetric_eigen`].
    pub(super) fn principal(&self, run: &Run) -> Result<Eigen> {
        match &self.gram {
            Some(known) => symmetric_eigen(known, run),
            None => symmetric_eigen(&gram(&self.values, run)?, run),
        }
    }

    /// The coordinates as a table whose columns are in one unit, for the neighbor search.
    pub(crate) fn table(&self) -> Result<Table<'_>> {
        in_one_unit(&self.values)
    }

    /// The coordinates as a table whose columns are each in a unit of its own.
    pub(crate) fn table_in_own_units(&self) -> Result<Table<'_>> {
        in_own_units(&self.values)
    }

    /// Rows, and in which metric they are near to each other in the order of a metric here.
    fn ordered(&self, metric: Metric) -> (&DenseMatrix, Metric) {
        match self.order {
            Some(Order { rows, metric: own }) if metric == Metric::Euclidean => (rows, own),
            _ => (&self.values, metric),
        }
    }

    /// Finds every row's neighbors and hands them to `take`.
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
            // The sizes of centered columns mean nothing.
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

    /// The nearest other rows of every row's class, the nearest first, as many as there are up to `count`; of
    /// equally far ones the first.
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

/// Coordinates as a table whose columns are in one unit.
pub(super) fn in_one_unit(values: &DenseMatrix) -> Result<Table<'_>> {
    Ok(in_own_units(values)?.in_one_unit())
}

/// What a method learns in the space of its coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Directions {
    /// The matrix `L` of the map, a row per component, the most important first.
    pub matrix: DenseMatrix,
    /// One eigenvalue per row, or none.
    pub eigenvalues: Vec<f64>,
    /// See [`crate::maps::LinearMap::discriminant_power`].
    pub discriminant_power: Option<f64>,
}

/// The units of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// As they are.
    #[default]
    None,
    /// In standard deviations (over n rows).
    Standard,
    /// In ranges.
    Range,
}

impl Scaling {
    /// `none`, `standard` or `range`.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::None => "none",
            Scaling::Standard => "standard",
            Scaling::Range => "range",
        }
    }
}

/// What all map methods take.
///
/// ```
/// use basrelief::methods::{MapSettings, Scaling};
///
/// let settings = MapSettings::new().n_components(Some(2)).scaling(Scaling::Standard);
/// assert_eq!(settings.n_components, Some(2));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MapSettings {
    /// Components wanted; `None` for all.
    pub n_components: Option<usize>,
    /// The units of the features.
    pub scaling: Scaling,
    /// The kernel in whose space the map is learned; `None` for the space of the features.
    pub kernel: Option<KernelChoice>,
    /// The basis of the kernel's space.
    pub basis: Basis,
    /// Dimensions of the kernel's space that are used at most; `None` for all.
    pub max_rank: Option<usize>,
    /// The share of the greatest eigenvalue (kpca) or squared length (gram-schmidt) that a
    /// dimension of the kernel's space must exceed, from 0 to below 1.
    pub rank_tolerance: f64,
}

impl MapSettings {
    /// The defaults of the options that all maps have.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        n_components: Option<usize>,
        /// Components wanted; `None` for all.
    }
    setters! {
        scaling: Scaling,
        /// The units of the features.
    }
    setters! {
        kernel: Option<KernelChoice>,
        /// The kernel in whose space the map is learned; `None` for the space of the features.
    }
    setters! {
        basis: Basis,
        /// The basis of the kernel's space.
    }
    setters! {
        max_rank: Option<usize>,
        /// Dimensions of the kernel's space that are used at most; `None` for all.
    }
    setters! {
        rank_tolerance: f64,
        /// The share of the largest eigenvalue (kpca) or squared length (gram-schmidt) that a dimension of the
        /// kernel's space must exceed, from 0 to below 1.
    }
}

impl Default for MapSettings {
    /// The defaults of the options that all maps have.
    fn default() -> Self {
        Self::from_defaults(MAP_OPTIONS)
    }
}

/// The options that all map methods take, in the order shown.
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
        })
    }
}

/// The greatest over the least variance of centered columns that are not constant; 1 without any.
fn variance_ratio(values: &DenseMatrix) -> f64 {
    let squares = column_squares(values);
    let positive = || squares.iter().copied().filter(|&sum| sum > 0.0);
    let least = positive().fold(f64::INFINITY, f64::min);
    let greatest = positive().fold(0.0, f64::max);
    if greatest > 0.0 { greatest / least } else { 1.0 }
}

/// The sum of squares of every column.
fn column_squares(values: &DenseMatrix) -> Vec<f64> {
    let mut squares = vec![0.0; values.columns()];
    for row in values.iter() {
        squares.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    squares
}

/// Learns in the space of centered rows, which are the features themselves or the coordinates of a
/// basis, or in their span; the directions are in their space.
pub(super) fn learn(
    method: &dyn Learn,
    mut values: DenseMatrix,
    origin: Learned<'_>,
    classes: Option<&Classes>,
    settings: &MapSettings,
    report: &mut Report,
    run: &Run,
) -> Result<Directions> {
    let (table, order, independent) = match origin {
        Learned::Features(table) => (Some(table), None, false),
        Learned::Kernel { order, independent } => (None, order, independent),
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
        // Features that are taken as they are may depend on others.
        if method.frame() == Frame::Either || !features {
            report.rank = Some(values.columns());
        }
        (values, None)
    };
    let dimensions = values.columns();
    check_spread(method.name(), values.values().iter().all(|value| *value == 0.0))?;
    let wanted = wanted_of(settings, dimensions, report);
    let coordinates =
        Coordinates { values, classes, features, variance_ratio, order, table, gram: products };
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

/// Refuses columns that are all constant.
pub(super) fn check_spread(name: &str, is_constant: bool) -> Result<()> {
    if !is_constant {
        return Ok(());
    }
    let help = format!("{name} needs columns with different values");
    Err(Error::data("all columns are constant", help))
}

/// How many components are wanted in so many dimensions.
pub(super) fn wanted_of(settings: &MapSettings, dimensions: usize, report: &mut Report) -> usize {
    let wanted = settings.n_components.unwrap_or(dimensions);
    if wanted > dimensions {
        report.warnings.push(Warning::new(
            "rank",
            format!(
                "{wanted} components were wanted, but the rows differ in {dimensions} dimensions \
                 only: there cannot be more"
            ),
        ));
    }
    wanted
}

/// Of the directions that were found the first, as many as are wanted.
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
            format!("{wanted} components were wanted, but {name} finds {available}"),
        ));
    }
    found.matrix.truncate(wanted);
    found.eigenvalues.truncate(wanted);
    found
}

/// Refuses directions that are no numbers.
pub(super) fn check_numbers(found: &Directions, name: &str) -> Result<()> {
    if found.matrix.values().iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Internal(format!("{name} gave a map that is no number")))
}

/// Says how many columns have no part in the span of the rows, being too small beside others.
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
                "the values of {lost} features are too small beside those of others to have a part \
                 in the map: scale the features ({})",
                setting("scale", Some("standard"))
            ),
        ));
    }
}

/// Which columns of centered rows are not constant, where some are and others are not.
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

/// Columns at their places among others, which are 0.
fn spread(values: &DenseMatrix, places: &[usize], columns: usize) -> DenseMatrix {
    let mut spread = DenseMatrix::zeros(values.rows(), columns);
    for (row, values) in values.iter().enumerate() {
        let out = spread.row_mut(row);
        places.iter().zip(values).for_each(|(&place, &value)| out[place] = value);
    }
    spread
}

/// Coordinates of centered rows in an orthonormal basis of their span, and the basis (a vector per
/// row).
///
/// Singular values below `max(rows, columns) * 2^-52` of the greatest count as 0.
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
