//! The space in which neighbors are searched: for every feature the rule of its difference, its
//! range, and the treatment of missing values.

use std::num::NonZeroU64;
use std::sync::Arc;

use basrelief_kernels::{find_code, find_missing, level};

use super::constant::Constant;
use super::difference::Form;
use super::dosage::Dosage;
use super::expected::{MissingBuffers, MissingClasses, MissingTable, Sorted};
use super::grid;
use super::mismatch::Mismatch;
use super::number::Number;
use super::number_range::NumberRange;
use super::options::{GenotypeDiff, MissingPolicy, SpaceOptions};
use super::ordinal::Ordinal;
use super::rule::Rule;
use crate::data::{
    Column, ColumnBuffers, ColumnKind, Eligible, Extent, Genotypes, Lines, MISSING_GENOTYPE,
    Numbers, SparseColumn, TOGETHER, Table, Values,
};
use crate::error::{DataError, Error, Result};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::STORED_SHARE;
use crate::warning::Warning;
use crate::wording::{setting, ways};

/// A feature's rule and its missing values.
#[derive(Debug)]
pub(crate) struct Feature<'a> {
    pub(crate) rule: Rule,
    /// Boxed, because millions of features may have none.
    missing: Option<Box<MissingValues<'a>>>,
}

/// The missing values of a feature.
#[derive(Debug)]
struct MissingValues<'a> {
    /// Their rows, ascending; not empty, except in a part of the rows.
    rows: Vec<u32>,
    table: Option<MissingTable<'a>>,
}

impl<'a> Feature<'a> {
    /// Creates a feature from its rule, the rows whose value is missing, ascending, and the differences to missing values.
    pub(crate) fn new(rule: Rule, missing_rows: Vec<u32>, table: Option<MissingTable<'a>>) -> Self {
        let has_missing = !missing_rows.is_empty() || table.is_some();
        let missing = MissingValues { rows: missing_rows, table };
        Self { rule, missing: has_missing.then(|| Box::new(missing)) }
    }

    /// The rows whose value is missing, ascending.
    pub(crate) fn missing_rows(&self) -> &[u32] {
        self.missing.as_ref().map_or(&[], |missing| &missing.rows)
    }

    /// The differences to missing values; `None` if no value is missing or missing values are ignored.
    pub(crate) fn table(&self) -> Option<&MissingTable<'a>> {
        self.missing.as_ref()?.table.as_ref()
    }

    /// Returns the rule, the rows whose value is missing, and the differences to missing values.
    pub(crate) fn into_parts(self) -> (Rule, Vec<u32>, Option<MissingTable<'a>>) {
        let (rows, table) =
            self.missing.map_or_else(Default::default, |missing| (missing.rows, missing.table));
        (self.rule, rows, table)
    }
}

/// Largest number of columns that are measured before their features are stored side by side.
const MEASURED_TOGETHER: usize = 1 << 14;

/// How any two rows of a table differ.
#[derive(Debug, Clone)]
pub struct Space<'a> {
    table: &'a Table<'a>,
    options: SpaceOptions,
    classes: Arc<[u32]>,
    features: Arc<Vec<Feature<'a>>>,
    /// Which rows may be neighbors, if not all.
    eligible: Option<Eligible>,
    /// See [`row_weights`](Self::row_weights).
    row_weights: Option<Arc<[f64]>>,
    /// See [`masses`](Self::masses).
    masses: Option<Arc<[f64]>>,
    /// See [`factor`](Self::factor).
    factors: Option<Arc<[f64]>>,
}

impl<'a> Space<'a> {
    /// Measures ranges and tabulates missing values.
    ///
    /// Missing values are conditioned on `classes` (a code below `n_classes` per row); `None` for a
    /// target without classes.
    ///
    /// # Errors
    /// A ramp over differences that are not fractions of a range; a range that is not finite;
    /// [`crate::Error::Cancelled`].
    pub fn new(
        table: &'a Table<'a>,
        classes: Option<(&[u32], usize)>,
        options: SpaceOptions,
        run: &Run,
    ) -> Result<Self> {
        Self::with_masses(table, classes, options, None, run)
    }

    /// As [`new`](Self::new), for rows of which each counts as this number of rows, among neighbors and among known
    /// values. `None` is 1 for every row.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_masses(
        table: &'a Table<'a>,
        classes: Option<(&[u32], usize)>,
        options: SpaceOptions,
        masses: Option<Arc<[f64]>>,
        run: &Run,
    ) -> Result<Self> {
        if options.ramp.is_some() && options.metric.takes_numbers_as_they_are() {
            return Err(Error::option(
                "ramp",
                format!(
                    "differences of the {} metric are not shares of a range",
                    options.metric.title()
                ),
                format!("leave {} out, or choose another metric", setting("ramp", None)),
            ));
        }
        check_sparse(table, options)?;
        if table.is_in_one_unit() && options.metric.takes_numbers_as_they_are() {
            return Err(Error::option(
                "metric",
                format!(
                    "maps work with centered and scaled columns, whose sizes mean nothing to the {} metric",
                    options.metric.title()
                ),
                format!(
                    "use {} in a map; weightings such as relieff take it",
                    setting("metric", Some("euclidean"))
                ),
            ));
        }
        let of_one_class = || (Arc::from(vec![0; table.rows()]), 1);
        let (classes, n_classes) =
            classes.map_or_else(of_one_class, |(codes, count)| (Arc::from(codes), count));
        let of_gaps = match options.missing {
            MissingPolicy::Pessimistic => of_one_class(),
            _ => (Arc::clone(&classes), n_classes),
        };
        let of_gaps = MissingClasses::new(of_gaps.0, of_gaps.1, masses.clone());
        let measure_all = |columns: &'a [Column<'a>]| -> Result<Vec<Vec<Feature<'_>>>> {
            let groups = columns.chunks(run.share_of(columns.len(), TOGETHER));
            parallel::try_map_with(groups, |buffers: &mut MeasureBuffers, columns| {
                run.check()?;
                let MeasureBuffers { read, memory } = buffers;
                let is_known = |at: usize| {
                    columns[at].kind() == ColumnKind::Genotype
                        || is_complete_and_sparse(&columns[at]).is_some()
                        || is_told_by_range(&columns[at])
                };
                let values = read.read_wanted(columns, |at| !is_known(at));
                let measured = columns.iter().zip(values);
                let measured = measured.map(|(column, values)| match (column.values(), values) {
                    (Values::Genotype(genotypes), _) => {
                        Ok(measure_genotypes(genotypes, &of_gaps, options, memory))
                    }
                    (_, values) => measure(column, &of_gaps, options, values, memory),
                });
                measured.collect::<Result<_>>()
            })
        };
        let mut features = Vec::with_capacity(table.width());
        // Some columns at a time, because the features of a part lie in other memory first.
        for columns in table.columns().chunks(MEASURED_TOGETHER) {
            features.extend(run.install(|| measure_all(columns))?.into_iter().flatten());
        }
        if table.is_in_one_unit() {
            // Tables of missing values are in units of a column's own range.
            debug_assert!(features.iter().all(|feature| feature.table().is_none()));
            share_range(&mut features);
        }
        let (eligible, row_weights, features) = (None, None, Arc::new(features));
        let factors = None;
        Ok(Self { table, options, classes, features, eligible, row_weights, masses, factors })
    }

    /// A space of some rows of another: their table, and the result of
    /// [`features_of`](Self::features_of) for them. Their differences are those of the original
    /// space.
    pub(crate) fn of_features(
        table: &'a Table<'a>,
        classes: Option<&[u32]>,
        options: SpaceOptions,
        features: Vec<Feature<'a>>,
    ) -> Self {
        let classes = classes.map_or_else(|| Arc::from(vec![0; table.rows()]), Arc::from);
        let (eligible, row_weights, masses, features) = (None, None, None, Arc::new(features));
        let factors = None;
        Self { table, options, classes, features, eligible, row_weights, masses, factors }
    }

    /// Returns the space with factors that multiply the differences of the first features in distances, but not in sums
    /// of differences. The factor of other features is 1.
    #[must_use]
    pub(crate) fn with_factors(self, factors: Option<Arc<[f64]>>) -> Self {
        Self { factors, ..self }
    }

    /// The factor by which the difference of a feature is multiplied in distances.
    pub(crate) fn factor(&self, feature: usize) -> f64 {
        let factors = self.factors.as_ref().and_then(|factors| factors.get(feature));
        factors.copied().unwrap_or(1.0)
    }

    /// Whether any difference is multiplied by a factor in distances.
    pub(crate) fn has_factors(&self) -> bool {
        self.factors.is_some()
    }

    /// Returns the space with a restriction of the neighbors: other rows are infinitely far from each
    /// other.
    #[must_use]
    pub(crate) fn with_eligible(self, eligible: Option<Eligible>) -> Self {
        Self { eligible, ..self }
    }

    /// Which rows may be neighbors, if not all.
    pub(crate) fn eligible(&self) -> Option<&Eligible> {
        self.eligible.as_ref()
    }

    /// Returns the space with rows of which each counts as this number of rows among the neighbors of others. Known
    /// values count as when the features were measured.
    #[must_use]
    pub(crate) fn with_counts_of_rows(self, masses: Option<Arc<[f64]>>) -> Self {
        Self { masses, ..self }
    }

    /// Returns the space with weights of rows, which multiply a row's pairs with its neighbors in sums.
    #[must_use]
    pub(crate) fn with_row_weights(self, weights: Option<Vec<f64>>) -> Self {
        Self { row_weights: weights.map(Arc::from), ..self }
    }

    /// The weights of the rows, with mean 1 over the sampled rows; `None` if all rows count equally.
    pub(crate) fn row_weights(&self) -> Option<&[f64]> {
        self.row_weights.as_deref()
    }

    /// As how many rows each row counts among the neighbors of others; `None` if all count as one.
    pub(crate) fn masses(&self) -> Option<&Arc<[f64]>> {
        self.masses.as_ref()
    }

    /// Selects some rows, in the order given: returns their table, and [their
    /// features](Self::features_of).
    pub(crate) fn select_rows(&self, rows: &[u32]) -> (Table<'static>, Vec<Feature<'static>>) {
        let selected: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        (self.table.select_rows(&selected), self.features_of(rows))
    }

    /// The features restricted to some rows, with everything that differences between them require;
    /// the rows are numbered in the order given.
    pub(crate) fn features_of(&self, rows: &[u32]) -> Vec<Feature<'static>> {
        let mut is_missing = vec![false; self.rows()];
        let of_feature = |feature: &Feature<'_>| {
            feature.missing_rows().iter().for_each(|&row| is_missing[row as usize] = true);
            let places = (0..).zip(rows).filter(|(_, row)| is_missing[**row as usize]);
            let missing_rows = if feature.missing_rows().is_empty() {
                Vec::new()
            } else {
                places.map(|(place, _)| place).collect()
            };
            feature.missing_rows().iter().for_each(|&row| is_missing[row as usize] = false);
            let table = feature.table().map(|table| table.of_rows(rows));
            Feature::new(feature.rule, missing_rows, table)
        };
        self.features.iter().map(of_feature).collect()
    }

    /// The table.
    pub fn table(&self) -> &'a Table<'a> {
        self.table
    }

    /// The choices that define the space.
    pub fn options(&self) -> &SpaceOptions {
        &self.options
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// Features whose differences are all 0: constant, or without a known value.
    pub fn constant_features(&self) -> impl Iterator<Item = usize> {
        self.features
            .iter()
            .enumerate()
            .filter(|(_, feature)| feature.rule.is_constant())
            .map(|(index, _)| index)
    }

    /// Class code of a row (0 everywhere without classes).
    pub(crate) fn class(&self, row: usize) -> usize {
        self.classes[row] as usize
    }

    /// Rows whose missing value of a feature belongs to a class in its table.
    pub(crate) fn missing_rows_of(
        &self,
        feature: usize,
        class: usize,
    ) -> impl Iterator<Item = u32> {
        let feature = &self.features[feature];
        let (missing_rows, table) = (feature.missing_rows(), feature.table());
        let any = table.is_none_or(|table| table.classes() == 1);
        missing_rows.iter().copied().filter(move |&row| any || self.class(row as usize) == class)
    }

    /// The entries of a feature whose differences are computed from them: a sparse column of which at most a quarter is
    /// stored, with absolute differences, whose missing values have an expected difference.
    pub(crate) fn sparse(&self, feature: usize) -> Option<&SparseColumn> {
        let own = &self.features[feature];
        let is_coded = own.missing_rows().is_empty() || own.table().is_some();
        let column = self.table.columns().get(feature)?.sparse()?;
        let is_thin = column.stored() <= column.len() / STORED_SHARE;
        (is_thin && is_coded && own.rule.form() == Form::Absolute).then_some(column)
    }

    pub(crate) fn features(&self) -> &[Feature<'a>] {
        &self.features
    }

    /// Replaces `out` by a feature's values in the units of its rule: numbers and ordered levels
    /// scaled to [0, 1], genotypes to 0, 1/2, 1 or their copies, categories as codes; NaN is
    /// missing.
    pub(crate) fn copy_scaled(&self, feature: usize, out: &mut Vec<f64>) {
        let mut buffers = ColumnBuffers::default();
        let columns = [&self.table.columns()[feature]];
        for values in buffers.read(&columns) {
            self.features[feature].rule.scale(values, out);
        }
    }

    /// The raw values of up to [`TOGETHER`] features.
    pub(crate) fn read_together<'b>(
        &'b self,
        features: &[usize],
        buffers: &'b mut ColumnBuffers,
    ) -> Vec<&'b [f64]> {
        let columns: Vec<&Column<'_>> =
            features.iter().map(|&feature| &self.table.columns()[feature]).collect();
        buffers.read(&columns)
    }

    /// The location of some features' values, if they lie side by side in every row of a matrix, in
    /// their order.
    pub(crate) fn lines(&self, features: &[usize]) -> Option<Lines<'_>> {
        let columns: Vec<&Column<'_>> =
            features.iter().map(|&feature| &self.table.columns()[feature]).collect();
        Lines::new(&columns)
    }

    /// Replaces `out` by a feature's raw values converted to the units of its rule.
    pub(crate) fn scale(&self, feature: usize, values: &[f64], out: &mut Vec<f64>) {
        self.features[feature].rule.scale(values, out);
    }

    /// As [`copy_scaled`](Self::copy_scaled), for up to [`TOGETHER`] features at once.
    pub(crate) fn copy_scaled_together<'b>(
        &self,
        features: &[usize],
        buffers: &'b mut ScaledBuffers,
    ) -> &'b mut [Vec<f64>] {
        let ScaledBuffers { read, scaled } = buffers;
        let columns: Vec<&Column<'_>> =
            features.iter().map(|&feature| &self.table.columns()[feature]).collect();
        for ((&feature, values), out) in features.iter().zip(read.read(&columns)).zip(&mut *scaled)
        {
            self.features[feature].rule.scale(values, out);
        }
        &mut scaled[..features.len()]
    }

    /// A warning about the metric on these columns: where numbers differ relative to their sizes,
    /// numbers of different signs differ by 1, however near to 0 they are.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let is_negative = |feature: &&Feature<'_>| feature.rule.spans_signs();
        let count = self.features.iter().filter(is_negative).count();
        let columns = if count == 1 { "1 column has" } else { &format!("{count} columns have") };
        let text = format!(
            "{columns} negative and positive numbers: the {} metric takes any two of different signs for as different as \
             can be",
            self.options.metric.title()
        );
        (count > 0).then(|| Warning::new("different-signs", text))
    }

    /// The difference of two rows in one feature (`diff` in the RELIEF papers), or `None` if a
    /// value is missing and the policy is to ignore it.
    pub fn difference(&self, feature: usize, i: usize, j: usize) -> Option<f64> {
        let column = &self.table.columns()[feature];
        let info = &self.features[feature];
        if info.rule.is_constant() {
            return Some(0.0);
        }
        let (a, b) = (column.value(i), column.value(j));
        if a.is_nan() || b.is_nan() {
            return info.table().map(|table| self.missing_difference(table, i, a, j));
        }
        Some(info.rule.pair(a, b))
    }

    /// Difference of two rows of which at least one value is missing; `a` is row `i`'s value.
    pub(crate) fn missing_difference(
        &self,
        table: &MissingTable<'_>,
        i: usize,
        a: f64,
        j: usize,
    ) -> f64 {
        if a.is_nan() {
            table.difference(self.class(i), j)
        } else {
            table.difference(self.class(j), i)
        }
    }
}

/// The scaled values of up to [`TOGETHER`] features, in reused memory.
#[derive(Debug, Default)]
pub(crate) struct ScaledBuffers {
    read: ColumnBuffers,
    scaled: [Vec<f64>; TOGETHER],
}

/// Reused memory of one worker that measures columns.
#[derive(Default)]
struct MeasureBuffers {
    read: ColumnBuffers,
    memory: TableBuffers,
}

/// Reused memory for tables of missing values.
#[derive(Default)]
struct TableBuffers {
    places: Vec<u32>,
    scaled: Vec<f64>,
    copies: Vec<u8>,
    missing_rows: MissingBuffers,
}

/// Refuses differences that the entries of sparse columns do not determine.
fn check_sparse(table: &Table<'_>, options: SpaceOptions) -> Result<()> {
    let (option, problem, instead) = match options.ramp {
        _ if !table.has_sparse() => return Ok(()),
        None if options.metric.has_kernels() => return Ok(()),
        Some(_) => (
            "ramp",
            "a ramp has no form for sparse tables".to_string(),
            format!("leave {} out", setting("ramp", None)),
        ),
        None => (
            "metric",
            format!("the {} metric has no form for sparse tables", options.metric.title()),
            format!("use {}", setting("metric", Some("manhattan"))),
        ),
    };
    let ways = ways(&[instead, "make the table dense if it is small".to_string()]);
    Err(Error::option(option, problem, ways))
}

/// Whether a column can be measured without reading its values: none is missing, and the first few
/// already show that the column does not lie on a grid.
fn is_told_by_range(column: &Column<'_>) -> bool {
    const LOOKED_AT: usize = 8;
    let (Values::Numeric(numbers), Some(extent)) = (column.values(), column.extent()) else {
        return false;
    };
    let first = (0..column.len().min(LOOKED_AT)).map(|row| column.value(row));
    let Extent { least, greatest, complete } = extent;
    complete && least < greatest && grid::are_off_grid(first, least, greatest, numbers.epsilon())
}

/// The entries of a sparse column without missing values.
fn is_complete_and_sparse<'c>(column: &'c Column<'_>) -> Option<&'c SparseColumn> {
    column.sparse().filter(|_| column.extent().is_some_and(|extent| extent.complete))
}

/// Measures a feature from its values, which are scaled if some are missing; `values` is `None` if
/// [`is_told_by_range`].
fn measure<'a>(
    column: &Column<'_>,
    classes: &MissingClasses,
    options: SpaceOptions,
    values: Option<&[f64]>,
    memory: &mut TableBuffers,
) -> Result<Feature<'a>> {
    let steps = |numbers: &Numbers<'_>, least, greatest| {
        values.and_then(|values| grid::steps(values, least, greatest, numbers.epsilon()))
    };
    let TableBuffers { places, scaled, missing_rows, .. } = memory;
    if let (Some(own), Some(extent)) = (is_complete_and_sparse(column), column.extent()) {
        // The grid follows from the stored values and one 0.
        let steps = |numbers: &Numbers<'_>, least, greatest| {
            let mut stored = Vec::new();
            own.copy_with_zero(&mut stored);
            grid::steps(&stored, least, greatest, numbers.epsilon())
        };
        let rule = rule_of(column, options, steps, extent)?;
        return Ok(Feature::new(rule, Vec::new(), None));
    }
    let values = values.unwrap_or_default();
    let extent = column.extent().unwrap_or_else(|| Extent::new(values));
    let rule = rule_of(column, options, steps, extent)?;
    places.clear();
    if !extent.complete {
        find_missing(level(), values, places);
    }
    Ok(with_table(rule, places, options, || {
        rule.scale(values, scaled);
        Sorted::of_values(scaled, rule.greatest(), places, classes, missing_rows)
    }))
}

/// As [`measure`] for genotypes, which need not be converted to numbers first.
fn measure_genotypes<'a>(
    genotypes: &'a Genotypes<'a>,
    classes: &MissingClasses,
    options: SpaceOptions,
    memory: &mut TableBuffers,
) -> Feature<'a> {
    let [none, one, two, missing] = genotypes.seen();
    let several = [none, one, two].into_iter().filter(|seen| *seen).count() > 1;
    let rule = if several { genotype_rule(options) } else { Constant.into() };
    let TableBuffers { places, scaled, copies, missing_rows } = memory;
    places.clear();
    let copies = if missing { genotypes.bytes(copies) } else { &[] };
    find_code(level(), copies, MISSING_GENOTYPE, places);
    with_table(rule, places, options, || {
        rule.scale(&[0.0, 1.0, 2.0], scaled);
        let values = [scaled[0], scaled[1], scaled[2]];
        Sorted::of_genotypes((genotypes, copies), values, places, classes, missing_rows)
    })
}

/// Creates a feature from its rule and the rows whose value is missing; the differences to them are
/// tabulated unless they are ignored. `sorted` returns the values.
fn with_table<'a, 'b>(
    rule: Rule,
    missing_rows: &[u32],
    options: SpaceOptions,
    sorted: impl FnOnce() -> Sorted<'a, 'b>,
) -> Feature<'a> {
    if rule.is_constant() {
        return Feature::new(rule, Vec::new(), None);
    }
    let missing_rows = missing_rows.to_vec();
    if missing_rows.is_empty() || options.missing == MissingPolicy::Ignore {
        return Feature::new(rule, missing_rows, None);
    }
    let table = match options.missing {
        MissingPolicy::Pessimistic => rule.pessimistic(sorted()),
        _ => rule.expected(sorted()),
    };
    Feature::new(rule, missing_rows, Some(table))
}

/// Sets the ranges of all numbers to the largest one.
fn share_range(features: &mut [Feature<'_>]) {
    give_range(features, widest_range(features));
}

/// The largest range of the numeric features; 0 without any.
pub(crate) fn widest_range(features: &[Feature<'_>]) -> f64 {
    let ranges = features.iter().filter_map(|feature| feature.rule.number());
    ranges.fold(0.0_f64, |widest, number| widest.max(number.range))
}

/// Sets the ranges of all numbers to `widest`.
pub(crate) fn give_range(features: &mut [Feature<'_>], widest: f64) {
    for feature in features {
        if let Rule::Number(number) = &mut feature.rule {
            (number.on.range, number.on.steps) = (widest, None);
        }
    }
}

fn genotype_rule(options: SpaceOptions) -> Rule {
    match options.genotype_diff {
        GenotypeDiff::Additive => Dosage.into(),
        GenotypeDiff::Categorical => Mismatch { levels: 3 }.into(),
    }
}

fn rule_of(
    column: &Column<'_>,
    options: SpaceOptions,
    steps: impl Fn(&Numbers<'_>, f64, f64) -> Option<u64>,
    Extent { least, greatest, .. }: Extent,
) -> Result<Rule> {
    if least >= greatest {
        return Ok(Constant.into());
    }
    Ok(match column.values() {
        Values::Categorical(categories) if categories.is_ordered() => {
            Ordinal { steps: categories.steps() }.into()
        }
        Values::Categorical(categories) => Mismatch { levels: categories.levels().len() }.into(),
        Values::Genotype(_) => genotype_rule(options),
        Values::Numeric(numbers) => {
            let range = greatest - least;
            if range.is_infinite() {
                return Err(DataError::new(
                    format!(
                        "values from {least:e} to {greatest:e}: their range is not a finite number"
                    ),
                    "rescale the column",
                )
                .in_column(column.name())
                .into());
            }
            let steps = steps(numbers, least, greatest).and_then(NonZeroU64::new);
            let on = NumberRange { least, range, steps };
            options.metric.of_numbers(Number { on, ramp: options.ramp })
        }
    })
}
