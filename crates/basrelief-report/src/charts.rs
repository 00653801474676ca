//! Small figures of a page: lengths and places from numbers, drawn by the templates in
//! `templates/charts`. The page's style gives the colors, for light and for dark.

use askama::Template;

use crate::data::{BoxGroup, PairCell, RowMap};
use crate::text::{SHORT, grouped, percent, plain, shortened, with_unit};

/// Colors that the style has for classes; further classes are gray.
pub(crate) const CLASS_COLORS: usize = 7;

/// Shades of a heat map.
const SHADES: usize = 9;

/// The number of a class's color.
pub(crate) fn class_color(class: usize) -> usize {
    class.min(CLASS_COLORS)
}

/// The shape of a class's points, as colors alone would not do in print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Dot,
    Triangle,
    Square,
}

impl Mark {
    /// Of a color: the shapes in turn.
    pub(crate) fn of(color: usize) -> Self {
        [Self::Dot, Self::Triangle, Self::Square][color % 3]
    }

    /// What draws one at the place where a path is. A dot is a line without length, whose ends are round.
    fn path(self) -> &'static str {
        match self {
            Self::Dot => "h0",
            Self::Triangle => "m-2 2h4l-2-4z",
            Self::Square => "m-2-2h4v4h-4z",
        }
    }
}

/// A length in an SVG, of one decimal, or whole.
pub(crate) fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_string(),
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// A line of numbers on a line of pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    least: f64,
    greatest: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// From the least to the greatest of some numbers; a single number is in the middle.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (least, greatest) = (least.min(value), greatest.max(value));
        }
        if least > greatest {
            (least, greatest) = (0.0, 1.0);
        } else if least == greatest {
            let around = if least == 0.0 { 1.0 } else { least.abs() / 2.0 };
            (least, greatest) = (least - around, greatest + around);
        }
        Self { least, greatest, start, end }
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = (value - self.least) / (self.greatest - self.least);
        self.start + share * (self.end - self.start)
    }

    /// Two to six round numbers inside, with their places.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        self.ticks_of(4.0)
    }

    /// Round numbers inside that part it into about so many parts, with their places.
    fn ticks_of(&self, parts: f64) -> Vec<Tick> {
        let spread = self.greatest - self.least;
        let power = 10_f64.powf((spread / parts).log10().floor());
        let times = spread / parts / power;
        let step = power
            * if times < 1.5 {
                1.0
            } else if times < 3.5 {
                2.0
            } else {
                5.0
            };
        let first = (self.least / step).ceil() as i64;
        let last = (self.greatest / step).floor() as i64;
        // Beyond this, neighboring numbers are too close to count steps.
        if !(first..=last).contains(&first) || last.saturating_sub(first) > 20 {
            return Vec::new();
        }
        (first..=last)
            .map(|count| {
                let value = count as f64 * step;
                (px(self.place(value)), plain(value))
            })
            .collect()
    }
}

/// Bars of one chart: where weight, band and cut-off lie in a row, as percent of its width.
#[derive(Debug, Clone)]
pub(crate) struct BarScale {
    scale: Scale,
    /// Where 0 is.
    pub(crate) zero: String,
    /// Where the band of chance ends, which begins at the left.
    pub(crate) chance: Option<String>,
    /// Whether that is so far to the right that words beside it go to the left.
    pub(crate) is_chance_right: bool,
}

impl BarScale {
    /// For weights, and the weight that chance reaches.
    pub(crate) fn new(weights: &[f64], chance: Option<f64>) -> Self {
        let all = weights.iter().copied().chain(chance).chain([0.0]);
        // A little room, so that the cut-off is not the edge.
        let scale = Scale::of(all, 0.0, 98.0);
        let place = |value: f64| px(scale.place(value));
        let is_chance_right = chance.is_some_and(|chance| scale.place(chance) > 60.0);
        Self { scale, zero: place(0.0), chance: chance.map(place), is_chance_right }
    }

    /// Start and length of a weight's bar.
    pub(crate) fn bar(&self, weight: f64) -> (String, String) {
        let (zero, end) = (self.scale.place(0.0), self.scale.place(weight));
        (px(zero.min(end)), px((end - zero).abs().max(if weight == 0.0 { 0.0 } else { 0.2 })))
    }
}

/// Numbers with intervals of one table: places as percent of a cell's width.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalScale(Scale);

/// Where a number and its interval lie.
#[derive(Debug)]
pub(crate) struct Interval {
    pub(crate) least: String,
    pub(crate) middle: String,
    pub(crate) greatest: String,
}

impl IntervalScale {
    /// For some intervals: least, number, greatest.
    pub(crate) fn new<'i>(intervals: impl IntoIterator<Item = &'i [f64; 3]>) -> Self {
        Self(Scale::of(intervals.into_iter().flatten().copied(), 3.0, 97.0))
    }

    /// Of one of them.
    pub(crate) fn interval(self, interval: [f64; 3]) -> Interval {
        let [least, middle, greatest] = interval.map(|value| px(self.0.place(value)));
        Interval { least, middle, greatest }
    }

    /// The ticks of their axis, few enough for a narrow cell.
    pub(crate) fn ticks(self) -> Vec<Tick> {
        self.0.ticks_of(2.0)
    }
}

/// A tick of an axis: its place and its text.
pub(crate) type Tick = (String, String);

/// Numbers by group: a box, and the density above it.
#[derive(Debug, Template)]
#[template(path = "charts/boxes.svg")]
pub(crate) struct Boxes {
    label: String,
    axis: String,
    height: usize,
    base: usize,
    ticks: Vec<Tick>,
    groups: Vec<BoxView>,
}

#[derive(Debug)]
struct BoxView {
    name: String,
    color: usize,
    text_y: usize,
    count: String,
    density: Option<String>,
    lines: Option<BoxLines>,
}

#[derive(Debug)]
struct BoxLines {
    whiskers: [String; 2],
    left: String,
    width: String,
    median: String,
    middle: usize,
    top: usize,
}

/// Height of a group, and where the plot begins and ends.
const ROW: usize = 46;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 312.0;

impl Boxes {
    /// For a feature of that name.
    pub(crate) fn new(name: &str, axis: &str, groups: &[BoxGroup]) -> Self {
        let ends = groups.iter().flat_map(|group| {
            let five = group.five.into_iter().flatten();
            let density =
                (!group.density.2.is_empty()).then_some([group.density.0, group.density.1]);
            five.chain(density.into_iter().flatten())
        });
        let scale = Scale::of(ends, LEFT, RIGHT);
        let peak =
            groups.iter().flat_map(|group| &group.density.2).fold(0.0, |a: f64, &b| a.max(b));
        let views = groups.iter().enumerate().map(|(row, group)| {
            let bottom = (row + 1) * ROW;
            BoxView {
                name: shortened(&group.name, 11),
                color: class_color(group.class),
                text_y: bottom - 12,
                count: grouped(group.count),
                density: outline(group, scale, peak, bottom as f64 - 14.0),
                lines: group.five.map(|five| {
                    let [low, first, median, third, high] = five.map(|value| scale.place(value));
                    BoxLines {
                        whiskers: [px(low), px(high)],
                        left: px(first),
                        width: px((third - first).max(1.0)),
                        median: px(median),
                        middle: bottom - 6,
                        top: bottom - 11,
                    }
                }),
            }
        });
        let told = groups.iter().map(|group| match group.five {
            Some([_, first, median, third, _]) => format!(
                "{}: median {}, quartiles {} and {}, {} rows",
                shortened(&group.name, SHORT),
                plain(median),
                plain(first),
                plain(third),
                group.count
            ),
            None => format!("{}: no known value", shortened(&group.name, SHORT)),
        });
        let base = groups.len() * ROW + 4;
        Self {
            label: format!(
                "Distribution of {}. {}",
                shortened(name, SHORT),
                told.collect::<Vec<_>>().join("; ")
            ),
            axis: shortened(axis, 40),
            height: base + 32,
            base,
            ticks: scale.ticks(),
            groups: views.collect(),
        }
    }
}

/// The path of a density that stands on `base`.
fn outline(group: &BoxGroup, scale: Scale, peak: f64, base: f64) -> Option<String> {
    let (start, end, heights) = &group.density;
    if heights.len() < 2 || peak <= 0.0 {
        return None;
    }
    let step = (end - start) / (heights.len() - 1) as f64;
    let mut path = format!("M{} {}", px(scale.place(*start)), px(base));
    for (place, height) in heights.iter().enumerate() {
        let x = scale.place(start + step * place as f64);
        path.push_str(&format!("L{} {}", px(x), px(base - 28.0 * height / peak)));
    }
    path.push_str(&format!("L{} {}Z", px(scale.place(*end)), px(base)));
    Some(path)
}

/// A part of a bar: its color, start and width in percent, and name and share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharePart {
    pub(crate) color: usize,
    pub(crate) start: String,
    pub(crate) width: String,
    pub(crate) label: String,
}

/// A bar that parts divide: the rows of a level by class.
#[derive(Debug, Clone)]
pub(crate) struct ShareBar {
    /// Of every class that has rows.
    pub(crate) parts: Vec<SharePart>,
    /// All rows.
    pub(crate) count: String,
    /// The shares in words.
    pub(crate) label: String,
}

impl ShareBar {
    /// From the rows of every class.
    pub(crate) fn new(counts: &[usize], classes: &[String]) -> Self {
        let total: usize = counts.iter().sum();
        let share = |rows: usize| rows as f64 / total.max(1) as f64;
        let (mut parts, mut words, mut start) = (Vec::new(), Vec::new(), 0.0);
        for (class, &rows) in counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            let width = 100.0 * share(rows);
            let name = classes.get(class).map_or("", String::as_str);
            let label = format!("{} {}", shortened(name, SHORT), percent(share(rows)));
            words.push(label.clone());
            let color = class_color(class);
            parts.push(SharePart { color, start: px(start), width: px(width), label });
            start += width;
        }
        Self { parts, count: grouped(total), label: words.join(", ") }
    }
}

/// Rows as points.
#[derive(Debug, Template)]
#[template(path = "charts/points.svg")]
pub(crate) struct Points {
    label: String,
    x_label: String,
    y_label: String,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    groups: Vec<(usize, String)>,
    line: Option<String>,
    /// Where the plot ends below.
    bottom: usize,
}

/// Where the plot of points lies: left, right, top.
const PLOT: (f64, f64, f64) = (48.0, 352.0, 8.0);

/// Where it ends below, unless both axes have the same scale.
const BOTTOM: usize = 252;

/// Least and greatest height of a plot whose axes have the same scale, and the room around its points.
const HEIGHTS: (f64, f64) = (90.0, 320.0);
const AROUND: f64 = 6.0;

impl Points {
    /// A map of rows, in groups.
    pub(crate) fn of_map(map: &RowMap) -> Self {
        let all = || map.groups.iter().flat_map(|group| &group.points);
        let names: Vec<String> =
            map.groups.iter().map(|group| shortened(&group.name, SHORT)).collect();
        let label = format!("Rows as points of a plane, by class: {}", names.join(", "));
        let (x, y, bottom) =
            if map.one_unit { Self::one_scale(all()) } else { Self::scales(all()) };
        let groups = map.groups.iter().map(|group| {
            let color = class_color(group.class);
            (color, marks(color, &group.points, x, y))
        });
        let groups = groups.collect();
        Self {
            label,
            x_label: shortened(&map.axes.0, 40),
            y_label: shortened(&map.axes.1, 40),
            x_ticks: x.ticks(),
            y_ticks: y.ticks(),
            groups,
            line: None,
            bottom,
        }
    }

    /// A feature against a target of numbers, with means.
    pub(crate) fn of_feature(
        name: &str,
        target: &str,
        points: &[(f64, f64)],
        means: &[(f64, f64)],
    ) -> Self {
        let (x, y, bottom) = Self::scales(points.iter().chain(means));
        let corner = |&(a, b): &(f64, f64)| format!("{} {}", px(x.place(a)), px(y.place(b)));
        let line = means.iter().map(corner).collect::<Vec<_>>().join("L");
        let label = match (means.first(), means.last()) {
            (Some(first), Some(last)) => format!(
                "{} against {}: the mean goes from {} to {} from the least to the greatest values",
                shortened(target, SHORT),
                shortened(name, SHORT),
                plain(first.1),
                plain(last.1)
            ),
            _ => format!("{} against {}", shortened(target, SHORT), shortened(name, SHORT)),
        };
        Self {
            label,
            x_label: shortened(name, 40),
            y_label: shortened(target, 40),
            x_ticks: x.ticks(),
            y_ticks: y.ticks(),
            groups: vec![(0, marks(0, points, x, y))],
            line: (means.len() > 1).then(|| format!("M{line}")),
            bottom,
        }
    }

    /// Each axis as far as its points reach, and where the plot ends below.
    fn scales<'p>(points: impl Iterator<Item = &'p (f64, f64)> + Clone) -> (Scale, Scale, usize) {
        let (left, right, top) = PLOT;
        let x = Scale::of(points.clone().map(|point| point.0), left + AROUND, right - AROUND);
        let y = Scale::of(points.map(|point| point.1), BOTTOM as f64 - AROUND, top + AROUND);
        (x, y, BOTTOM)
    }

    /// A unit of one axis is as long as that of the other: the plot is as high as that takes, and where it would
    /// be too high or too low, an axis reaches beyond its points.
    fn one_scale<'p>(
        points: impl Iterator<Item = &'p (f64, f64)> + Clone,
    ) -> (Scale, Scale, usize) {
        let (left, right, top) = PLOT;
        let width = right - left - 2.0 * AROUND;
        let x = Scale::of(points.clone().map(|point| point.0), 0.0, 1.0);
        let y = Scale::of(points.map(|point| point.1), 0.0, 1.0);
        let spreads = [x, y].map(|scale| scale.greatest - scale.least);
        let height = (width * spreads[1] / spreads[0]).clamp(HEIGHTS.0, HEIGHTS.1).round();
        let unit = (spreads[0] / width).max(spreads[1] / height);
        let around = |scale: Scale, length: f64, start: f64, end: f64| {
            let (middle, reach) = ((scale.least + scale.greatest) / 2.0, unit * length / 2.0);
            Scale { least: middle - reach, greatest: middle + reach, start, end }
        };
        let end = top + AROUND + height;
        (
            around(x, width, left + AROUND, right - AROUND),
            around(y, height, end, top + AROUND),
            (end + AROUND) as usize,
        )
    }
}

/// One path for all points of a group.
fn marks(color: usize, points: &[(f64, f64)], x: Scale, y: Scale) -> String {
    let mark = Mark::of(color).path();
    let place = |&(a, b): &(f64, f64)| format!("M{} {}{mark}", px(x.place(a)), px(y.place(b)));
    points.iter().map(place).collect()
}

/// A symmetric matrix without its diagonal, as shades.
#[derive(Debug, Template)]
#[template(path = "charts/heat_map.svg")]
pub(crate) struct HeatMap {
    label: String,
    left: usize,
    height: usize,
    width: usize,
    side: usize,
    names: Vec<(usize, String)>,
    shades: Vec<(usize, String)>,
    key: Vec<(usize, usize)>,
    least: String,
    greatest: String,
}

/// The side of a cell, the room that a character of a name takes, and the width of a shade of the scale.
const CELL: usize = 14;
const CHARACTER: usize = 7;
const KEY: usize = 18;

impl HeatMap {
    /// Values of pairs in the order (0, 1), (0, 2), …, (1, 2), …; shades go from `least` to `greatest`, numbers of
    /// that unit.
    pub(crate) fn new(
        label: String,
        names: &[&str],
        values: &[f64],
        (least, greatest): (f64, f64),
        unit: Option<&str>,
    ) -> Self {
        let mut paths = vec![String::new(); SHADES];
        let spread = if greatest > least { greatest - least } else { 1.0 };
        let mut values = values.iter();
        for row in 0..names.len() {
            for (column, value) in (row + 1..names.len()).zip(&mut values) {
                let share = ((value - least) / spread).clamp(0.0, 1.0);
                let shade = ((share * SHADES as f64) as usize).min(SHADES - 1);
                for (x, y) in [(column, row), (row, column)] {
                    paths[shade].push_str(&format!("M{} {}h13v13h-13z", x * CELL, y * CELL));
                }
            }
        }
        let side = names.len() * CELL;
        let names: Vec<String> = names.iter().map(|name| shortened(name, 15)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = 8 + CHARACTER * longest;
        let names = names.into_iter().enumerate().map(|(place, name)| (place * CELL + 10, name));
        Self {
            label,
            left,
            height: side + left,
            width: left + side.max(SHADES * KEY),
            side,
            names: names.collect(),
            shades: paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty()).collect(),
            key: (0..SHADES).map(|shade| (shade, shade * KEY)).collect(),
            least: plain(least),
            greatest: with_unit(plain(greatest), unit),
        }
    }
}

/// A cell of a table of two features.
#[derive(Debug, Clone)]
pub(crate) enum CellView {
    /// The classes of its rows.
    Shares(ShareBar),
    /// The target's mean, its shade, and rows.
    Mean { shade: usize, mean: String, count: String },
    /// No row.
    Empty,
}

impl CellView {
    /// Of a cell; means are shaded between those given.
    pub(crate) fn new(cell: &PairCell, classes: &[String], (least, greatest): (f64, f64)) -> Self {
        match cell {
            PairCell::Counts(counts) if counts.iter().any(|&rows| rows > 0) => {
                Self::Shares(ShareBar::new(counts, classes))
            }
            PairCell::Mean(rows, mean) if *rows > 0 => {
                let spread = if greatest > least { greatest - least } else { 1.0 };
                let share = ((mean - least) / spread).clamp(0.0, 1.0);
                let shade = ((share * SHADES as f64) as usize).min(SHADES - 1);
                Self::Mean { shade, mean: plain(*mean), count: grouped(*rows) }
            }
            _ => Self::Empty,
        }
    }
}

/// Bars of a histogram of the target: places and heights of 40, and what it reaches.
#[derive(Debug, Template)]
#[template(path = "charts/histogram.svg")]
pub(crate) struct Histogram {
    label: String,
    bars: Vec<(String, String, String, String)>,
    least: String,
    greatest: String,
}

impl Histogram {
    /// From rows in bins of equal width.
    pub(crate) fn new(name: &str, least: f64, greatest: f64, counts: &[usize]) -> Self {
        let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
        let width = 300.0 / counts.len().max(1) as f64;
        let bar = |(place, &rows): (usize, &usize)| {
            let height = 60.0 * rows as f64 / most;
            let (x, y) = (place as f64 * width, 62.0 - height);
            (px(x), px(y), px((width - 1.0).max(0.5)), px(height))
        };
        Self {
            label: format!(
                "Histogram of {} from {} to {}",
                shortened(name, SHORT),
                plain(least),
                plain(greatest)
            ),
            bars: counts.iter().enumerate().map(bar).collect(),
            least: plain(least),
            greatest: plain(greatest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside() {
        let scale = Scale::of([0.0, 1.0], 0.0, 100.0);
        let texts: Vec<String> = scale.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        let places: Vec<String> = scale.ticks().into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, ["0", "20", "40", "60", "80", "100"]);
        for (least, greatest) in [(-3.0, 7.5), (1e-9, 2e-9), (100.0, 101.0), (-1e9, 1e12)] {
            let count = Scale::of([least, greatest], 0.0, 1.0).ticks().len();
            assert!((2..=7).contains(&count), "{count} ticks from {least} to {greatest}");
        }
        assert!(Scale::of([1e17, 1e17 + 16.0], 0.0, 1.0).ticks().len() < 20);
    }

    #[test]
    fn bars_begin_at_zero_and_the_band_at_the_left() {
        let scale = BarScale::new(&[0.3, -0.1], Some(0.1));
        assert_eq!(scale.zero, "24.5");
        assert_eq!(scale.chance.as_deref(), Some("49"));
        assert_eq!(scale.bar(0.3), ("24.5".to_string(), "73.5".to_string()));
        assert_eq!(scale.bar(-0.1), ("0".to_string(), "24.5".to_string()));
        assert_eq!(scale.bar(0.0).1, "0");
        // What is tiny is still seen.
        assert_eq!(scale.bar(1e-9).1, "0.2");
    }

    #[test]
    fn shares_fill_the_bar() {
        let classes = ["yes".to_string(), "no".to_string(), "so".to_string()];
        let bar = ShareBar::new(&[1, 0, 3], &classes);
        let part = |color, start: &str, width: &str, label: &str| SharePart {
            color,
            start: start.to_string(),
            width: width.to_string(),
            label: label.to_string(),
        };
        assert_eq!(bar.parts, [part(0, "0", "25", "yes 25 %"), part(2, "25", "75", "so 75 %")]);
        assert_eq!(bar.label, "yes 25 %, so 75 %");
        assert_eq!(bar.count, "4");
    }

    #[test]
    fn a_heat_map_has_every_pair_twice() {
        let names = ["a", "b", "c"];
        let drawn = HeatMap::new("x".into(), &names, &[0.0, 0.5, 1.0], (0.0, 1.0), Some("bits"));
        assert_eq!((drawn.least.as_str(), drawn.greatest.as_str()), ("0", "1 bits"));
        let cells: Vec<usize> =
            drawn.shades.iter().map(|(_, path)| path.matches('M').count()).collect();
        assert_eq!(cells, [2, 2, 2]);
        let shades: Vec<usize> = drawn.shades.iter().map(|(shade, _)| *shade).collect();
        assert_eq!(shades, [0, 4, 8]);
        assert!(drawn.shades[1].1.starts_with("M28 0h13v13h-13zM0 28"));
    }

    #[test]
    fn what_does_not_vary_is_drawn_too() {
        let group = BoxGroup {
            name: "x".to_string(),
            class: 0,
            count: 3,
            five: Some([2.0; 5]),
            density: (2.0, 2.0, vec![0.0; 3]),
        };
        let none = BoxGroup { five: None, count: 0, ..group.clone() };
        let svg = Boxes::new("f", "f", &[group, none]).render().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
