//! The model that a candidate has learned: coordinates for k-NN, the most important first.

use super::parameter_grid::{GridPoint, MethodKind};
use crate::algebra::singular;
use crate::data::{Column, DenseMatrix, Roles, RowWeights, Table, Target, Values, list};
use crate::differences::Metric;
use crate::error::{DataError, Error, Result};
use crate::maps::Map;
use crate::methods::{Problem, Scaling};
use crate::run::Run;
use crate::selection::{RedundancyRule, select};
use crate::warning::Warning;

/// How feature weights are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightUse {
    /// Weights scale the features in the distance: a difference contributes `w |x - y|` (Manhattan, Chebyshev),
    /// `w (x - y)^2` (Euclidean) or `w |x - y| / (|x| + |y|)` (Canberra). Features without a positive weight are
    /// excluded.
    #[default]
    Distance,
    /// Weights order the features, which all have the same weight in the distance.
    Ranking,
}

impl WeightUse {
    /// The name: `distance` or `ranking`.
    pub fn name(self) -> &'static str {
        match self {
            WeightUse::Distance => "distance",
            WeightUse::Ranking => "ranking",
        }
    }
}

/// How k-NN measures distances.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KnnSettings {
    /// The distance.
    pub metric: Metric,
    /// The units of the features, from the training rows. The Canberra distance uses raw numbers.
    pub scaling: Scaling,
    /// How feature weights are used.
    pub weight_use: WeightUse,
    /// Whether weighting methods also measure differences in these units, as in papers that scale the
    /// data first. Otherwise they divide every feature by its range, as a ranking does. For numbers only.
    pub one_unit: bool,
    /// How redundant features are excluded from those of weighting methods. With a rule, at most the first 1000 features
    /// are used, in the order of their selection.
    pub redundancy: RedundancyRule,
}

/// Features that are selected with a rule about redundant ones at most.
const MOST_SELECTED: usize = 1000;

/// Coordinates of rows, learned from some of them.
#[derive(Debug)]
pub(crate) enum Model {
    /// Features, in this order.
    Features(Vec<Feature>),
    /// The components of a map.
    Map(Box<Map>),
}

/// A feature as one or more coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Feature {
    name: String,
    code: Code,
    /// The factor of the coordinates.
    factor: f64,
    /// The weight of the coordinates in the distance, in addition to the factor.
    weight: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Code {
    /// One coordinate, relative to this number.
    Number(f64),
    /// One coordinate for every step between ordered levels: 1 if a level is above the step, otherwise 0.
    Steps(usize),
    /// One coordinate per category, and one for all unknown categories.
    Categories(Vec<String>),
}

impl Model {
    /// Learns from a table and its target. Roles of rows affect methods that consult them, and weights the scales of
    /// features.
    pub(crate) fn fit(
        kind: MethodKind,
        point: &GridPoint,
        table: &Table<'_>,
        (target, roles): (&Target, Roles<'_>),
        knn: KnnSettings,
        run: &Run,
    ) -> Result<(Self, Vec<Warning>)> {
        let weights = roles.weights();
        match kind {
            MethodKind::Features | MethodKind::Adaptive => {
                let features = features(table, weights, knn);
                Ok((Self::Features(features), Vec::new()))
            }
            MethodKind::Weighting(info) => {
                let features = features(table, weights, knn);
                let scaled;
                let mut table = table;
                if knn.one_unit {
                    scaled = in_units(&features, table)?;
                    table = &scaled;
                }
                let roles = if info.in_one_search() { roles } else { Roles::default() };
                let problem = Problem::new(table, target)?.with_roles(roles)?;
                let fitted = info.fit(&problem, &point.settings, run)?;
                let (weights, order) = (fitted.model.weights(), fitted.model.order());
                let mut order = match knn.weight_use {
                    WeightUse::Ranking => order,
                    WeightUse::Distance => {
                        order.into_iter().filter(|&feature| weights[feature] > 0.0).collect()
                    }
                };
                if knn.redundancy != RedundancyRule::None {
                    let (candidates, most) = ((weights, &order[..]), Some(MOST_SELECTED));
                    order = select(table, candidates, most, knn.redundancy, roles, run)?.features;
                }
                let weighed = |feature: usize| {
                    let mut found = features[feature].clone();
                    if knn.weight_use == WeightUse::Distance {
                        found.weigh(weights[feature], knn.metric);
                    }
                    found
                };
                let features = order.into_iter().map(weighed).collect();
                Ok((Self::Features(features), fitted.report.warnings))
            }
            MethodKind::MapMethod(info) => {
                // A method without a target may use classes to choose its kernel.
                let is_used = info.supervised || target.as_classes().is_some();
                let target = is_used.then_some(target);
                let fitted = info.fit(table, target, &point.settings, run)?;
                Ok((Self::Map(Box::new(fitted.model)), fitted.report.warnings))
            }
        }
    }

    /// The number of features or components.
    pub(crate) fn dimensions(&self) -> usize {
        match self {
            Model::Features(features) => features.len(),
            Model::Map(map) => map.components(),
        }
    }

    /// The rank of the metric: the number of features, or of singular values of a linear map whose
    /// squares exceed the rounding error of the largest, or of components of a kernel map.
    pub(crate) fn rank(&self, run: &Run) -> Result<usize> {
        let Model::Map(map) = self else { return Ok(self.dimensions()) };
        let Map::Linear(map) = &**map else { return Ok(self.dimensions()) };
        let values = match map.diagonal() {
            Some(diagonal) => diagonal.iter().map(|entry| entry.abs()).collect(),
            None => singular(map.matrix(), run)?.values,
        };
        let size = map.components().max(map.names().len()) as f64;
        let greatest = values.iter().copied().fold(0.0, f64::max);
        let least = (size * f64::EPSILON).sqrt() * greatest;
        Ok(values.iter().filter(|&&value| value > least).count())
    }

    /// The names of the first features; `None` for a map.
    pub(crate) fn names(&self, count: usize) -> Option<Vec<String>> {
        let Model::Features(features) = self else { return None };
        Some(features.iter().take(count).map(|feature| feature.name.clone()).collect())
    }

    /// The number of leading coordinates that belong to the first `dimensions` dimensions.
    pub(crate) fn columns(&self, dimensions: usize) -> usize {
        match self {
            Model::Features(features) => features[..dimensions].iter().map(Feature::width).sum(),
            Model::Map(_) => dimensions,
        }
    }

    /// The weight of every coordinate in a distance; empty if all have the same weight.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let Model::Features(features) = self else { return Vec::new() };
        if features.iter().all(|feature| feature.weight == 1.0) {
            return Vec::new();
        }
        let of_feature = |one: &Feature| std::iter::repeat_n(one.weight, one.width());
        features.iter().flat_map(of_feature).collect()
    }

    /// The coordinates of a table's rows; missing values have NaN coordinates.
    pub(crate) fn place(&self, table: &Table<'_>, run: &Run) -> Result<DenseMatrix> {
        let features = match self {
            Model::Map(map) => return map.transform_table(table, run),
            Model::Features(features) => features,
        };
        let width = self.columns(features.len());
        let mut coordinates = DenseMatrix::zeros(table.rows(), width);
        let mut values = Vec::new();
        let mut start = 0;
        for feature in features {
            let column = &table.columns()[table.find(&feature.name)?];
            feature.place(column, start, &mut coordinates, &mut values);
            start += feature.width();
        }
        let gaps: usize = features
            .iter()
            .map(|feature| {
                let column = &table.columns()[table.find(&feature.name)?];
                Ok(feature.width() * column.missing())
            })
            .sum::<Result<usize>>()?;
        let no_number = |value: &f64| value.is_infinite() || (gaps == 0 && value.is_nan());
        let found = coordinates.values().iter().filter(|value| value.is_nan()).count();
        let place = coordinates.values().iter().position(no_number);
        if let Some(place) = place.or((found != gaps).then_some(0)) {
            return Err(Error::data(
                format!("row {} has coordinates that are not finite", place / width.max(1) + 1),
                "rescale the columns",
            ));
        }
        Ok(coordinates)
    }
}

impl Feature {
    /// Multiplies differences in this feature by `weight`.
    fn weigh(&mut self, weight: f64, metric: Metric) {
        match metric {
            _ if metric.takes_numbers_as_they_are() => self.weight *= weight,
            _ if metric.is_euclidean() => self.factor *= weight.sqrt(),
            _ => self.factor *= weight,
        }
    }

    fn width(&self) -> usize {
        match &self.code {
            Code::Number(_) => 1,
            Code::Steps(steps) => *steps,
            Code::Categories(levels) => levels.len() + 1,
        }
    }

    fn place(
        &self,
        column: &Column<'_>,
        start: usize,
        out: &mut DenseMatrix,
        values: &mut Vec<f64>,
    ) {
        match (&self.code, column.values()) {
            (Code::Categories(known), Values::Categorical(categories)) => {
                let place = |level: &String| {
                    known.iter().position(|known| known == level).unwrap_or(known.len())
                };
                let places: Vec<usize> = categories.levels().iter().map(place).collect();
                for (row, &code) in categories.codes().iter().enumerate() {
                    let own = &mut out.row_mut(row)[start..start + self.width()];
                    match places.get(code as usize) {
                        Some(&place) => own[place] = self.factor,
                        None => own.fill(f64::NAN),
                    }
                }
            }
            (Code::Steps(steps), _) => {
                column.copy_values(values);
                for (row, &value) in values.iter().enumerate() {
                    for step in 0..*steps {
                        let is_above = f64::from(u8::from(value > step as f64));
                        let own = if value.is_nan() { f64::NAN } else { is_above };
                        out.row_mut(row)[start + step] = own * self.factor;
                    }
                }
            }
            (code, _) => {
                let center = if let Code::Number(center) = code { *center } else { 0.0 };
                column.copy_values(values);
                for (row, value) in values.iter().enumerate() {
                    out.row_mut(row)[start] = (value - center) * self.factor;
                }
            }
        }
    }
}

/// The features of a table in their units. Two different categories differ by one unit, and so do the first and the
/// last of ordered levels.
fn features(table: &Table<'_>, weights: Option<&RowWeights>, knn: KnnSettings) -> Vec<Feature> {
    let mut values = Vec::new();
    let mut feature = |column: &Column<'_>| {
        let (code, factor) = match column.values() {
            Values::Categorical(categories) if categories.is_ordered() => {
                of_order(categories.steps().max(1), knn.metric)
            }
            Values::Categorical(categories) => {
                (Code::Categories(categories.levels().to_vec()), 1.0)
            }
            // Raw numbers.
            _ if knn.metric.takes_numbers_as_they_are() => (Code::Number(0.0), 1.0),
            _ => {
                column.copy_values(&mut values);
                number(&values, weights, knn.scaling)
            }
        };
        let is_sum = knn.metric.fold().sum().is_some();
        let halves = matches!(code, Code::Categories(_)) && is_sum;
        let mut feature = Feature { name: column.name().to_string(), code, factor, weight: 1.0 };
        if halves {
            // Two rows of different categories differ in two coordinates.
            feature.weigh(0.5, knn.metric);
        }
        if let Code::Steps(steps) = feature.code {
            feature.weigh(1.0 / steps as f64, knn.metric);
        }
        feature
    };
    table.columns().iter().map(&mut feature).collect()
}

/// Chooses how ordered levels become coordinates, and their factor.
fn of_order(steps: u32, metric: Metric) -> (Code, f64) {
    if metric.takes_numbers_as_they_are() {
        // Fractions of the steps would be ordinary numbers, whose differences depend on their sizes.
        (Code::Steps(steps as usize), 1.0)
    } else {
        (Code::Number(0.0), 1.0 / f64::from(steps))
    }
}

/// Checks that a table contains no missing values, which covariances do not allow.
///
/// # Errors
/// There are missing values; the error names the columns.
pub(super) fn complete(table: &Table<'_>) -> Result<()> {
    let mut values = Vec::new();
    let mut with_gaps = Vec::new();
    for column in table.columns() {
        column.copy_values(&mut values);
        if values.iter().any(|value| value.is_nan()) {
            with_gaps.push(column.name());
        }
    }
    if with_gaps.is_empty() {
        return Ok(());
    }
    Err(Error::data(
        format!("the method needs complete data, but values are missing in: {}", list(&with_gaps)),
        "fill them in (for example with the column's median), or exclude those rows or columns",
    ))
}

/// Converts a table to the units of its features.
fn in_units(features: &[Feature], table: &Table<'_>) -> Result<Table<'static>> {
    let mut columns = Vec::with_capacity(features.len());
    for (feature, column) in features.iter().zip(table.columns()) {
        let Code::Number(center) = feature.code else {
            return Err(DataError::new("categories have no unit", "encode them as numbers")
                .in_column(column.name())
                .into());
        };
        let mut values = Vec::new();
        column.copy_values(&mut values);
        values.iter_mut().for_each(|value| *value = (*value - center) * feature.factor);
        columns.push(Column::from_values(column.name(), values)?);
    }
    Ok(Table::new(columns)?.in_one_unit())
}

/// The center of a numeric feature, and the inverse of its unit. Missing values are NaN.
fn number(values: &[f64], weights: Option<&RowWeights>, scaling: Scaling) -> (Code, f64) {
    let extremes =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &value| {
            (least.min(value), most.max(value))
        });
    let weight = |row: usize| weights.map_or(1.0, |weights| weights.values()[row]);
    // Halved first, because the sum of two large numbers may overflow.
    let center = extremes.0 / 2.0 + extremes.1 / 2.0;
    let reach = extremes.1 / 2.0 - extremes.0 / 2.0;
    let unit = match scaling {
        _ if reach.is_nan() || reach <= 0.0 => 1.0,
        Scaling::None => 1.0,
        Scaling::Range => 2.0 * reach,
        Scaling::Standard => {
            let known = || values.iter().enumerate().filter(|(_, value)| !value.is_nan());
            let count: f64 = known().map(|(row, _)| weight(row)).sum();
            let relative = || known().map(|(row, value)| (weight(row), (value - center) / reach));
            let mean = relative().map(|(weight, value)| weight * value).sum::<f64>() / count;
            let square = |(weight, value): (f64, f64)| weight * (value - mean).powi(2);
            let squares: f64 = relative().map(square).sum();
            reach * (squares / count).sqrt()
        }
    };
    let center = if center.is_finite() { center } else { 0.0 };
    (Code::Number(center), 1.0 / unit)
}

#[cfg(test)]
mod tests {
    use super::super::parameter_grid::ParameterGrid;
    use super::*;
    use crate::data::{Categories, Classes};
    use crate::maps::LinearMap;
    use crate::methods::SCALE;

    fn fit(text: &str, table: &Table<'_>, knn: KnnSettings) -> Model {
        let labels = ["a", "a", "b", "b"];
        let target = Target::Classes(Classes::from_labels(&labels));
        let candidate = ParameterGrid::parse(text, knn.scaling).unwrap();
        let run = Run::new(Some(1)).unwrap();
        Model::fit(
            candidate.kind(),
            &candidate.points()[0],
            table,
            (&target, Roles::default()),
            knn,
            &run,
        )
        .unwrap()
        .0
    }

    fn table() -> Table<'static> {
        let color = Categories::from_texts([Some("red"), Some("red"), Some("blue"), Some("green")]);
        Table::new(vec![
            Column::from_values("x", vec![1.0, 2.0, 3.0, 5.0]).unwrap(),
            Column::categorical("color", color),
        ])
        .unwrap()
    }

    #[test]
    fn categories_differ_by_one_unit_and_unknown_ones_from_all() {
        let table = table();
        for metric in [Metric::Manhattan, Metric::Euclidean] {
            let knn = KnnSettings { metric, scaling: Scaling::Range, ..KnnSettings::default() };
            let model = fit("euclidean", &table, knn);
            assert_eq!((model.dimensions(), model.columns(1), model.columns(2)), (2, 1, 5));
            let own = model.place(&table, &Run::new(Some(1)).unwrap()).unwrap();
            let gray = Categories::from_texts([Some("gray"), Some("red")]);
            let other = Table::new(vec![
                Column::categorical("color", gray),
                Column::from_values("x", vec![1.0, 5.0]).unwrap(),
            ]);
            let other = model.place(&other.unwrap(), &Run::new(Some(1)).unwrap()).unwrap();
            let distance = |a: &[f64], b: &[f64]| -> f64 {
                let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                match metric.is_euclidean() {
                    false => differences.sum(),
                    true => differences.map(|d| d * d).sum(),
                }
            };
            let squared =
                |value: f64| if metric == Metric::Euclidean { value * value } else { value };
            for (row, expected) in [(0, 0.0), (1, 0.25), (2, 0.5), (3, 1.0)] {
                let mismatch = f64::from(u8::from(row >= 2));
                let found = distance(own.row(0), own.row(row));
                assert!((found - squared(expected) - mismatch).abs() < 1e-12, "{metric:?} {row}");
            }
            assert!(
                (distance(own.row(0), other.row(0)) - 1.0).abs() < 1e-12,
                "an unknown category"
            );
            assert!((distance(own.row(3), other.row(1)) - 1.0).abs() < 1e-12, "green and red");
        }
    }

    /// Canberra distances use raw numbers, and two coordinates that differ by 1 for different categories; the weights
    /// are separate.
    #[test]
    fn canberra_weighs_beside_coordinates() {
        let run = Run::new(Some(1)).unwrap();
        let knn = KnnSettings { metric: Metric::Canberra, ..KnnSettings::default() };
        let model = fit("euclidean", &table(), knn);
        let model = match model {
            Model::Features(_) => model,
            Model::Map(_) => Model::Features(features(&table(), None, knn)),
        };
        let own = model.place(&table(), &run).unwrap();
        assert_eq!((own.row(2)[0], model.weights()), (3.0, vec![1.0, 0.5, 0.5, 0.5, 0.5]));
        let mut distance = 0.0;
        for (at, weight) in model.weights().into_iter().enumerate() {
            let (a, b) = (own.row(0)[at], [own.row(3)[at]]);
            let total = std::slice::from_mut(&mut distance);
            Metric::Canberra.join_coordinates(a, &b, (1.0, weight), total);
        }
        // |1 - 5| / 6, plus 1 because red is not green.
        assert!((distance - (4.0 / 6.0 + 1.0)).abs() < 1e-15, "{distance}");
    }

    #[test]
    fn levels_in_an_order_differ_by_their_share_of_the_steps() {
        let names = ["low", "mid", "high", "top"].map(String::from).to_vec();
        let grades = Categories::ordered(vec![0, 1, 2, 1], names).unwrap();
        let table = Table::new(vec![Column::categorical("grade", grades)]).unwrap();
        for metric in Metric::ALL {
            for scaling in [Scaling::None, Scaling::Standard, Scaling::Range] {
                let knn = KnnSettings { metric, scaling, ..KnnSettings::default() };
                let model = Model::Features(features(&table, None, knn));
                let own = model.place(&table, &Run::new(Some(1)).unwrap()).unwrap();
                let weights = model.weights();
                for row in 0..4 {
                    let mut total = [0.0];
                    for (at, &value) in own.row(0).iter().enumerate() {
                        let weight = weights.get(at).copied().unwrap_or(1.0);
                        let other = [own.row(row)[at]];
                        metric.join_coordinates(value, &other, (1.0, weight), &mut total);
                    }
                    let wanted = [0.0, 1.0, 2.0, 1.0][row] / 3.0;
                    let found = metric.fold().distance(total[0]);
                    assert!((found - wanted).abs() < 1e-15, "{metric:?} {found} {wanted}");
                }
            }
        }
    }

    #[test]
    fn weights_enter_the_distance_as_its_terms() {
        let values = vec![0.0, 0.3, 0.1, 0.9, 1.0, 0.1, 0.9, 0.8];
        let table = Table::from_row_major(&values, 4, &["a", "b"]).unwrap();
        for (metric, root) in [(Metric::Manhattan, false), (Metric::Euclidean, true)] {
            let knn = KnnSettings { metric, scaling: Scaling::None, ..KnnSettings::default() };
            let Model::Features(weighed) = fit("relief", &table, knn) else { panic!() };
            assert_eq!(weighed.len(), 1, "b is worse than nothing");
            assert_eq!(weighed[0].name, "a");
            let ranking = KnnSettings { weight_use: WeightUse::Ranking, ..knn };
            let Model::Features(ranked) = fit("relief", &table, ranking) else { panic!() };
            assert_eq!(ranked.iter().map(|f| f.factor).collect::<Vec<_>>(), [1.0, 1.0]);
            // Hits differ by 0.1, nearest misses by 1, 0.8, 1, 0.8 over the range of 1.
            let weight: f64 = 0.9 - 0.1;
            let expected = if root { weight.sqrt() } else { weight };
            assert!((weighed[0].factor - expected).abs() < 1e-12, "{}", weighed[0].factor);
        }
    }

    #[test]
    fn weights_in_one_unit_follow_the_scale() {
        // The second column is the first in other units; the third is noise with another range.
        let values = vec![0.0, 0.0, 5.0, 0.1, 1.0, 2.0, 0.9, 9.0, 6.0, 1.0, 10.0, 1.0];
        let table = Table::from_row_major(&values, 4, &["a", "b", "c"]).unwrap();
        let knn = KnnSettings { scaling: Scaling::None, one_unit: true, ..KnnSettings::default() };
        let Model::Features(found) = fit("relief", &table, knn) else { panic!() };
        let factor = |name: &str| found.iter().find(|f| f.name == name).map(|f| f.factor);
        let (a, b) = (factor("a").unwrap(), factor("b").unwrap());
        assert!((b / a - 10.0).abs() < 1e-9, "a difference counts as much as it is long: {a} {b}");
    }

    #[test]
    fn the_rank_counts_what_is_above_rounding() {
        let values = vec![0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 5.0, 2.0, 7.0, 1.0, 9.0, 10.0];
        let table = Table::from_row_major(&values, 4, &["a", "b", "c"]).unwrap();
        // The third column is the sum of the others: PCA drops a dimension, the Euclidean map keeps all three.
        for (text, rank) in [("euclidean", 3), ("pca", 2), ("euclidean:scale=none", 3)] {
            assert_eq!(
                fit(text, &table, KnnSettings::default())
                    .rank(&Run::new(Some(1)).unwrap())
                    .unwrap(),
                rank,
                "{text}"
            );
        }
        let matrix = DenseMatrix::new(vec![2.0, 0.0, 0.0, 1e-7, 0.0, 1e-9], 3, 2);
        let names = vec!["a".to_string(), "b".to_string()];
        let map = LinearMap::new(names, vec![0.0; 2], matrix, Vec::new(), None);
        assert_eq!(
            Model::Map(Box::new(Map::Linear(map))).rank(&Run::new(Some(1)).unwrap()).unwrap(),
            2
        );
    }

    #[test]
    fn units_are_those_of_the_maps() {
        let values = vec![1.0, 2.0, 4.0, 9.0];
        let table = Table::from_row_major(&values, 4, &["a"]).unwrap();
        for scaling in [Scaling::None, Scaling::Range, Scaling::Standard] {
            let knn = KnnSettings { metric: Metric::Euclidean, scaling, ..KnnSettings::default() };
            let features =
                fit("euclidean", &table, knn).place(&table, &Run::new(Some(1)).unwrap()).unwrap();
            let map = fit(&format!("euclidean:{}={}", SCALE.name, scaling.name()), &table, knn);
            let map = map.place(&table, &Run::new(Some(1)).unwrap()).unwrap();
            for row in 1..4 {
                let (a, b) =
                    (features.row(row)[0] - features.row(0)[0], map.row(row)[0] - map.row(0)[0]);
                assert!((a - b).abs() < 1e-12, "{scaling:?}");
            }
        }
    }
}
