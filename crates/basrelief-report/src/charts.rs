//! Small figures of a page: coordinates from numbers, drawn by the templates in `templates/charts`. The style of the page
//! defines the colors, for light and dark.

use askama::Template;

use crate::data::{Bins, BoxGroup, PairCell, RowMap, StepCurve};
use crate::text::{SHORT, grouped, percent, plain, plain_all, shortened, with_unit};

/// The number of class colors in the style; further classes are gray.
pub(crate) const CLASS_COLORS: usize = 7;

/// Shades of a heat map.
const SHADES: usize = 9;

/// The index of a class's color.
pub(crate) fn class_color(class: usize) -> usize {
    class.min(CLASS_COLORS)
}

/// The shape of a class's points, for readers who cannot distinguish the colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Dot,
    Triangle,
    Square,
}

impl Mark {
    /// The shape for a color; shapes alternate.
    pub(crate) fn of(color: usize) -> Self {
        [Self::Dot, Self::Triangle, Self::Square][color % 3]
    }

    /// The commands that draw the shape at the current point of a path. A dot is a line of length 0 with round ends.
    fn path(self) -> &'static str {
        match self {
            Self::Dot => "h0",
            Self::Triangle => "m-2 2h4l-2-4z",
            Self::Square => "m-2-2h4v4h-4z",
        }
    }
}

/// A length in an SVG, rounded to one decimal.
pub(crate) fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_string(),
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// A linear or logarithmic mapping of numbers to pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    least: f64,
    greatest: f64,
    start: f64,
    end: f64,
    is_log: bool,
}

impl Scale {
    /// A scale from the smallest to the largest of some numbers; a single number is in the middle.
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
        Self { least, greatest, start, end, is_log: false }
    }

    /// The same scale with a logarithmic axis, if all its numbers are positive.
    fn logarithmic(self) -> Self {
        Self { is_log: self.least > 0.0, ..self }
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.is_log {
            true => (value / self.least).ln() / (self.greatest / self.least).ln(),
            false => (value - self.least) / (self.greatest - self.least),
        };
        self.start + share * (self.end - self.start)
    }

    /// Two to six round numbers of the scale, with their coordinates.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        self.ticks_of(4.0)
    }

    /// Round numbers that divide the scale into about `parts` parts, with their coordinates.
    fn ticks_of(&self, parts: f64) -> Vec<Tick> {
        let values = if self.is_log { self.powers() } else { self.multiples(parts) };
        let texts = plain_all(&values);
        values.iter().map(|&value| px(self.place(value))).zip(texts).collect()
    }

    /// The powers of ten of the scale.
    fn powers(&self) -> Vec<f64> {
        let powers = self.least.log10().ceil() as i32..=self.greatest.log10().floor() as i32;
        powers.map(|power| 10_f64.powi(power)).collect()
    }

    /// The multiples of a round step.
    fn multiples(&self, parts: f64) -> Vec<f64> {
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
        // Neighboring numbers are too close to count steps.
        if !(first..=last).contains(&first) || last.saturating_sub(first) > 20 {
            return Vec::new();
        }
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

/// The bars of one chart: the coordinates of weights and of the null threshold, in percent of the width.
#[derive(Debug, Clone)]
pub(crate) struct BarScale {
    scale: Scale,
    /// The coordinate of 0.
    pub(crate) zero: String,
    /// The coordinate of the null threshold, where the shaded band ends.
    pub(crate) chance: Option<String>,
    /// The coordinate of the negative of the null threshold, where the band begins in a two-sided test; otherwise it begins
    /// at the left.
    pub(crate) below: Option<String>,
    /// The width of the band.
    pub(crate) band: String,
    /// Whether the label of the null threshold is to its left, because there is little space to its right.
    pub(crate) is_chance_right: bool,
}

impl BarScale {
    /// A scale for weights, the limits of their intervals, and the null thresholds: one, or both of a two-sided test.
    pub(crate) fn new(
        weights: &[f64],
        limits: &[(f64, f64)],
        chance: Option<f64>,
        below: Option<f64>,
    ) -> Self {
        let limits = limits.iter().flat_map(|&(lower, upper)| [lower, upper]);
        let all = weights.iter().copied().chain(limits).chain(chance).chain(below).chain([0.0]);
        // A margin separates the threshold from the edge.
        let scale = Scale::of(all, 0.0, 98.0);
        let place = |value: f64| px(scale.place(value));
        let is_chance_right = chance.is_some_and(|chance| scale.place(chance) > 60.0);
        let start = below.map_or(0.0, |below| scale.place(below));
        Self {
            scale,
            zero: place(0.0),
            chance: chance.map(place),
            below: below.map(place),
            band: px(chance.map_or(0.0, |chance| scale.place(chance) - start)),
            is_chance_right,
        }
    }

    /// The ends of the whisker of an interval.
    pub(crate) fn whisker(&self, (lower, upper): (f64, f64)) -> (String, String) {
        (px(self.scale.place(lower)), px(self.scale.place(upper)))
    }

    /// Start and length of a weight's bar.
    pub(crate) fn bar(&self, weight: f64) -> (String, String) {
        let (zero, end) = (self.scale.place(0.0), self.scale.place(weight));
        (px(zero.min(end)), px((end - zero).abs().max(if weight == 0.0 { 0.0 } else { 0.2 })))
    }
}

/// The scale of the intervals of one table, in percent of a cell's width.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalScale(Scale);

/// The coordinates of a number and its interval.
#[derive(Debug)]
pub(crate) struct Interval {
    pub(crate) least: String,
    pub(crate) middle: String,
    pub(crate) greatest: String,
}

impl IntervalScale {
    /// A scale for intervals, each with its lower end, its number and its upper end.
    pub(crate) fn new<'i>(
        intervals: impl IntoIterator<Item = &'i [f64; 3]>,
        is_logarithmic: bool,
    ) -> Self {
        let scale = Scale::of(intervals.into_iter().flatten().copied(), 3.0, 97.0);
        Self(if is_logarithmic { scale.logarithmic() } else { scale })
    }

    /// The coordinates of one of them.
    pub(crate) fn interval(self, interval: [f64; 3]) -> Interval {
        let [least, middle, greatest] = interval.map(|value| px(self.0.place(value)));
        Interval { least, middle, greatest }
    }

    /// A few ticks, for a narrow cell.
    pub(crate) fn ticks(self) -> Vec<Tick> {
        self.0.ticks_of(2.0)
    }
}

/// A tick of an axis: its coordinate and its label.
pub(crate) type Tick = (String, String);

/// Box plots by group, each with a density above it.
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

/// The height of a group, and the left and right end of the axis; the label of a tick at its end needs the margin.
const ROW: usize = 46;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 298.0;

impl Boxes {
    /// Box plots of the feature `name`.
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
            axis: shortened(axis, 50),
            height: base + 32,
            base,
            ticks: scale.ticks(),
            groups: views.collect(),
        }
    }
}

/// The path of a density with the baseline `base`.
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

/// A bar of several parts: the rows of a level by class.
#[derive(Debug, Clone)]
pub(crate) struct ShareBar {
    /// The classes that have rows.
    pub(crate) parts: Vec<SharePart>,
    /// The number of rows.
    pub(crate) count: String,
    /// The shares in words.
    pub(crate) label: String,
}

impl ShareBar {
    /// A bar from the rows of every class.
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
    /// The lower edge of the plot.
    bottom: usize,
}

/// The left, right and upper edge of the plot of points; the label of a tick at the right edge needs the margin.
const PLOT: (f64, f64, f64) = (48.0, 340.0, 8.0);

/// The lower edge, unless both axes have the same scale.
const BOTTOM: usize = 252;

/// The smallest and largest height of a plot whose axes have the same scale, and the margin around its points.
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

    /// A numeric target against a feature, with means.
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
                "{} against {}: the mean changes from {} to {} from the smallest to the largest values",
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

    /// Two scales that cover the points, and the lower edge of the plot.
    fn scales<'p>(points: impl Iterator<Item = &'p (f64, f64)> + Clone) -> (Scale, Scale, usize) {
        let (left, right, top) = PLOT;
        let x = Scale::of(points.clone().map(|point| point.0), left + AROUND, right - AROUND);
        let y = Scale::of(points.map(|point| point.1), BOTTOM as f64 - AROUND, top + AROUND);
        (x, y, BOTTOM)
    }

    /// Two scales with units of the same length, and the lower edge of the plot. The ranges of the points determine its
    /// height; if that is too large or too small, an axis extends beyond its points.
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
            Scale { least: middle - reach, greatest: middle + reach, start, end, is_log: false }
        };
        let end = top + AROUND + height;
        (
            around(x, width, left + AROUND, right - AROUND),
            around(y, height, end, top + AROUND),
            (end + AROUND) as usize,
        )
    }
}

/// Kaplan-Meier estimates of groups of rows.
#[derive(Debug, Template)]
#[template(path = "charts/steps.svg")]
pub(crate) struct Steps {
    label: String,
    x_label: String,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    curves: Vec<(usize, String)>,
    bottom: usize,
}

impl Steps {
    /// The estimates of the rows in groups of the values of a feature; one group, and no name, for all rows.
    pub(crate) fn new(name: &str, target: &str, groups: &[StepCurve]) -> Self {
        let (left, right, top) = PLOT;
        let last = groups.iter().map(|group| group.last).fold(0.0, f64::max);
        let x = Scale::of([0.0, last], left, right);
        let y = Scale::of([0.0, 1.0], BOTTOM as f64, top + AROUND);
        let path = |group: &StepCurve| {
            let mut path = format!("M{} {}", px(x.place(0.0)), px(y.place(1.0)));
            for &(time, survival) in &group.steps {
                path += &format!("H{}V{}", px(x.place(time)), px(y.place(survival)));
            }
            path + &format!("H{}", px(x.place(group.last)))
        };
        let curves = groups.iter().enumerate().map(|(at, group)| (class_color(at), path(group)));
        let end = |group: &StepCurve| group.steps.last().map_or(1.0, |step| step.1);
        let ends = groups.iter().map(|group| match group.name.as_str() {
            "" => plain(end(group)),
            own => format!("{} in {}", plain(end(group)), shortened(own, SHORT)),
        });
        let ends = ends.collect::<Vec<_>>().join(", ");
        let of =
            if name.is_empty() { String::new() } else { format!(" by {}", shortened(name, SHORT)) };
        Self {
            label: format!(
                "Kaplan-Meier estimate of {}{of}; without event at the end: {ends}",
                shortened(target, SHORT)
            ),
            x_label: shortened(target, 40),
            x_ticks: x.ticks(),
            y_ticks: y.ticks(),
            curves: curves.collect(),
            bottom: BOTTOM,
        }
    }
}

/// One path for all points of a group.
fn marks(color: usize, points: &[(f64, f64)], x: Scale, y: Scale) -> String {
    let mark = Mark::of(color).path();
    let place = |&(a, b): &(f64, f64)| format!("M{} {}{mark}", px(x.place(a)), px(y.place(b)));
    points.iter().map(place).collect()
}

/// A heat map of a symmetric matrix without its diagonal.
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

/// The side of a cell, the width of a character of a name, and the width of a shade of the key.
const CELL: usize = 14;
const CHARACTER: usize = 7;
const KEY: usize = 18;

impl HeatMap {
    /// A heat map of values of pairs in the order (0, 1), (0, 2), …, (1, 2), …; shades range from `least` to `greatest`, in
    /// `unit`.
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
    /// The target's mean, its shade, and the number of rows.
    Mean { shade: usize, mean: String, count: String },
    /// No rows.
    Empty,
}

impl CellView {
    /// The view of a cell; shades of means range between the two numbers.
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

/// A small histogram of the target, labeled with its ends.
#[derive(Debug, Template)]
#[template(path = "charts/histogram.svg")]
pub(crate) struct Histogram {
    label: String,
    bars: Vec<Bar>,
    least: String,
    greatest: String,
}

/// A bar of a histogram.
#[derive(Debug)]
pub(crate) struct Bar {
    x: String,
    y: String,
    width: String,
    height: String,
    title: String,
}

/// The bars of counts in a plot with the given left end, width, lower end and height.
fn bars(counts: &[usize], (left, width, bottom, height): (f64, f64, f64, f64)) -> Vec<Bar> {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = width / counts.len().max(1) as f64;
    let bar = |(place, &count): (usize, &usize)| {
        let length = height * count as f64 / most;
        Bar {
            x: px(left + place as f64 * step),
            y: px(bottom - length),
            width: px((step - 1.0).max(0.5)),
            height: px(length),
            title: grouped(count),
        }
    };
    counts.iter().enumerate().map(bar).collect()
}

impl Histogram {
    /// A histogram from rows in bins of equal width.
    pub(crate) fn new(name: &str, least: f64, greatest: f64, counts: &[usize]) -> Self {
        Self {
            label: format!(
                "Histogram of {} from {} to {}",
                shortened(name, SHORT),
                plain(least),
                plain(greatest)
            ),
            bars: bars(counts, (0.0, 300.0, 62.0, 60.0)),
            least: plain(least),
            greatest: plain(greatest),
        }
    }
}

/// A histogram with two axes.
#[derive(Debug, Template)]
#[template(path = "charts/bins.svg")]
pub(crate) struct BinChart {
    label: String,
    axis: String,
    what: String,
    bars: Vec<Bar>,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

/// The left, right, upper and lower edge of a histogram with axes.
const BIN_PLOT: (f64, f64, f64, f64) = (52.0, 336.0, 8.0, 150.0);

impl BinChart {
    /// The chart of a histogram.
    pub(crate) fn new(bins: &Bins) -> Self {
        let (left, right, top, bottom) = BIN_PLOT;
        let (least, greatest) = bins.range;
        let most = bins.counts.iter().copied().max().unwrap_or(0);
        let x = Scale::of([least, greatest], left, right);
        let y = Scale::of([0.0, most.max(1) as f64], bottom, top);
        let all: usize = bins.counts.iter().sum();
        let modal = bins.counts.iter().position(|&count| count == most).unwrap_or(0) as f64;
        let width = (greatest - least) / bins.counts.len().max(1) as f64;
        Self {
            label: format!(
                "Histogram of {} of {} {}; most, {}, are from {} to {}",
                bins.axis,
                grouped(all),
                bins.what,
                grouped(most),
                plain(least + modal * width),
                plain(least + (modal + 1.0) * width)
            ),
            axis: bins.axis.clone(),
            what: bins.what.clone(),
            bars: bars(&bins.counts, (left, right - left, bottom, bottom - top)),
            x_ticks: x.ticks(),
            y_ticks: y.ticks_of(2.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_of_the_scale() {
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
        // Powers of ten of a logarithmic axis have equal distances.
        let scale = Scale::of([1.0, 1000.0], 0.0, 90.0).logarithmic();
        let wanted = [("0", "1"), ("30", "10"), ("60", "100"), ("90", "1,000")];
        assert_eq!(scale.ticks(), wanted.map(|(x, text)| (x.to_string(), text.to_string())));
        // A number that is not positive has no logarithm.
        assert!(!Scale::of([0.0, 10.0], 0.0, 1.0).logarithmic().is_log);
    }

    #[test]
    fn labels_of_ticks_end_inside_the_figure() {
        let group = |five: [f64; 5]| BoxGroup {
            name: "x".to_string(),
            class: 0,
            count: 3,
            five: Some(five),
            density: (0.0, 0.0, Vec::new()),
        };
        let boxes = Boxes::new("f", "f", &[group([0.0, 5e3, 1e4, 1.5e4, 6e4])]);
        for (x, text) in &boxes.ticks {
            // A character of these labels is less than 6 pixels wide.
            assert!(x.parse::<f64>().unwrap() + 3.0 * text.len() as f64 <= 320.0, "{text} at {x}");
        }
        assert_eq!(boxes.ticks.last().unwrap().1, "60,000");
    }

    #[test]
    fn a_histogram_has_two_axes() {
        let bins = Bins {
            title: "t".to_string(),
            text: String::new(),
            axis: "frequency".to_string(),
            range: (0.0, 0.5),
            counts: vec![1, 3, 0, 2, 0],
            what: "variants".to_string(),
        };
        let chart = BinChart::new(&bins);
        let label = "Histogram of frequency of 6 variants; most, 3, are from 0.1 to 0.2";
        assert_eq!(chart.label, label);
        assert_eq!(chart.bars[1].height, "142");
        assert_eq!(chart.bars[2].height, "0");
        let svg = chart.render().unwrap();
        assert!(svg.contains(">0.5</text>") && svg.contains("<title>3</title>"), "{svg}");
    }

    #[test]
    fn bars_start_at_zero_and_the_band_at_the_left() {
        let scale = BarScale::new(&[0.3, -0.1], &[], Some(0.1), None);
        assert_eq!(scale.zero, "24.5");
        assert_eq!(scale.chance.as_deref(), Some("49"));
        assert_eq!(scale.bar(0.3), ("24.5".to_string(), "73.5".to_string()));
        assert_eq!(scale.bar(-0.1), ("0".to_string(), "24.5".to_string()));
        assert_eq!(scale.bar(0.0).1, "0");
        // A tiny bar remains visible.
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
    fn constant_values_are_drawn() {
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
