//! A Manhattan plot: weights along the chromosomes.

use askama::Template;

use crate::charts::{Scale, Tick, px};
use crate::data::{Positions, RankedFeature};
use crate::text::{SHORT, counted, grouped, number, shortened};

/// The left, right, upper and lower edge of the plot.
const PLOT: (f64, f64, f64, f64) = (56.0, 988.0, 18.0, 235.0);

/// The gap between chromosomes, as a share of the length of all.
const GAP: f64 = 0.004;

/// The maximum number of features that are all drawn as points. For more, every pixel column has points for its largest
/// weights and a line for the range of the others, because browsers are slow with half a million points.
const POINTS: usize = 4000;

/// Points of a pixel column if there are more features.
const BEST: usize = 3;

/// The number of labeled points.
const NAMED: usize = 3;

/// The width and height of a point's label, and the width of a character of a chromosome's label.
const NAME: (f64, f64) = (110.0, 12.0);
const CHARACTER: f64 = 7.0;

/// The position of the first row of chromosome labels below the plot, and the height of a row.
const LABELS: (f64, f64) = (16.0, 12.0);

/// Weights along the chromosomes.
#[derive(Debug, Template)]
#[template(path = "charts/manhattan.svg")]
pub(crate) struct Manhattan {
    label: String,
    /// Paths of points and of lines, in the two colors that alternate between chromosomes.
    points: [String; 2],
    lines: [String; 2],
    /// Points of significant features.
    significant: String,
    y_ticks: Vec<Tick>,
    chromosomes: Vec<ChromosomeLabel>,
    /// The height of the figure, which depends on the rows of labels.
    height: usize,
    /// The heights of the null thresholds.
    chance: Vec<String>,
    names: Vec<NameAt>,
}

/// A label below the plot, with a line from the axis if it is not in the first row.
#[derive(Debug)]
struct ChromosomeLabel {
    x: String,
    y: String,
    name: String,
    leader: Option<String>,
}

/// A name to the left or to the right of a point.
#[derive(Debug)]
struct NameAt {
    x: String,
    y: String,
    is_left: bool,
    name: String,
}

impl Manhattan {
    /// The plot of a ranking, best first, with the null thresholds: none, one, or both of a two-sided test.
    pub(crate) fn new(
        features: &[RankedFeature],
        positions: &Positions,
        thresholds: &[f64],
    ) -> Self {
        let (left, right, top, bottom) = PLOT;
        let weights = features.iter().map(|feature| feature.weight);
        let y =
            Scale::of(weights.chain(thresholds.iter().copied()).chain([0.0]), bottom - 4.0, top);
        let extents = extents(positions);
        let total: f64 = extents.iter().map(|(least, most)| (most - least + 1) as f64).sum();
        let gap = GAP * total;
        let all = total + gap * extents.len().saturating_sub(1) as f64;
        let mut starts = Vec::with_capacity(extents.len());
        let mut start = 0.0;
        for (least, most) in &extents {
            starts.push(start);
            start += (most - least + 1) as f64 + gap;
        }
        let unit = (right - left) / all;
        let x = |chromosome: usize, place: u64| {
            left + unit * (starts[chromosome] + (place - extents[chromosome].0) as f64 + 0.5)
        };
        let placed: Vec<Placed> = features
            .iter()
            .zip(&positions.places)
            .map(|(feature, &(chromosome, place))| {
                (chromosome, x(chromosome, place), y.place(feature.weight))
            })
            .collect();
        let is_selected = |feature: &RankedFeature| feature.test.is_some_and(|test| test.selected);
        let (mut rest, mut selected) = (Vec::new(), Vec::new());
        for (feature, place) in features.iter().zip(&placed) {
            if is_selected(feature) { selected.push(*place) } else { rest.push(*place) }
        }
        let (points, lines) = marks(&rest);
        let middle = |((least, most), start): (&(u64, u64), &f64)| {
            left + unit * (start + (most - least + 1) as f64 / 2.0)
        };
        let middles: Vec<f64> = extents.iter().zip(&starts).map(middle).collect();
        let (chromosomes, rows) = chromosome_labels(&positions.chromosomes, &middles);
        Self {
            label: description(features, positions),
            points,
            lines,
            significant: selected
                .iter()
                .map(|&(_, x, y)| format!("M{} {}h0", px(x), px(y)))
                .collect(),
            y_ticks: y.ticks(),
            chromosomes,
            height: (bottom + LABELS.0 + LABELS.1 * rows as f64 + 8.0) as usize,
            chance: thresholds.iter().map(|&threshold| px(y.place(threshold))).collect(),
            names: names(features, &placed),
        }
    }

    /// Whether lines show the range of features that have no point.
    pub(crate) fn has_lines(&self) -> bool {
        self.lines.iter().any(|line| !line.is_empty())
    }

    /// Whether the null threshold of negative weights is drawn.
    pub(crate) fn has_below(&self) -> bool {
        self.chance.len() > 1
    }

    /// Whether points of significant features are drawn.
    pub(crate) fn has_significant(&self) -> bool {
        !self.significant.is_empty()
    }
}

/// A feature in the plot: the index of its chromosome, and its coordinates.
type Placed = (usize, f64, f64);

/// A label for every chromosome, each in the first row where it does not overlap another, and the number of rows.
fn chromosome_labels(chromosomes: &[String], middles: &[f64]) -> (Vec<ChromosomeLabel>, usize) {
    let bottom = PLOT.3;
    let mut ends: Vec<f64> = Vec::new();
    let labels = chromosomes.iter().zip(middles).map(|(name, &middle)| {
        let name = shortened(name, 6);
        let half = CHARACTER * name.chars().count() as f64 / 2.0;
        let row = ends.iter().position(|&end| end <= middle - half).unwrap_or(ends.len());
        match ends.get_mut(row) {
            Some(end) => *end = middle + half,
            None => ends.push(middle + half),
        }
        let y = bottom + LABELS.0 + LABELS.1 * row as f64;
        let leader =
            (row > 0).then(|| format!("M{} {}V{}", px(middle), px(bottom + 4.0), px(y - 9.0)));
        ChromosomeLabel { x: px(middle), y: px(y), name, leader }
    });
    let labels = labels.collect();
    (labels, ends.len())
}

/// The range of every chromosome that is drawn: from its start to its last feature, so that distances are to scale. A
/// single chromosome starts at its first feature.
fn extents(positions: &Positions) -> Vec<(u64, u64)> {
    let mut last = vec![0; positions.chromosomes.len()];
    for &(chromosome, place) in &positions.places {
        last[chromosome] = place.max(last[chromosome]);
    }
    if let [most] = last[..] {
        let first = positions.places.iter().map(|(_, place)| *place).min();
        return vec![(first.unwrap_or(most), most)];
    }
    last.into_iter().map(|most| (0, most)).collect()
}

/// The features of a pixel column.
#[derive(Debug, Clone, Default)]
struct Pixel {
    features: usize,
    chromosome: usize,
    /// The range of the features without a point.
    rest: Option<(f64, f64)>,
}

/// Paths of points and of lines, by the color of the chromosome, from features with the best first.
fn marks(placed: &[Placed]) -> ([String; 2], [String; 2]) {
    let (mut points, mut lines) =
        ([(); 2].map(|()| String::new()), [(); 2].map(|()| String::new()));
    let mut point = |chromosome: usize, x: f64, y: f64| {
        points[chromosome % 2].push_str(&format!("M{} {}h0", px(x), px(y)));
    };
    if placed.len() <= POINTS {
        placed.iter().for_each(|&(chromosome, x, y)| point(chromosome, x, y));
        return (points, lines);
    }
    let width = (PLOT.1.ceil() as usize) + 1;
    let mut pixels: Vec<Pixel> = vec![Pixel::default(); width];
    for &(chromosome, x, y) in placed {
        let pixel = &mut pixels[(x as usize).min(width - 1)];
        pixel.chromosome = chromosome;
        if pixel.features < BEST {
            point(chromosome, x, y);
        } else {
            let (upper, lower) = pixel.rest.unwrap_or((y, y));
            pixel.rest = Some((upper.min(y), lower.max(y)));
        }
        pixel.features += 1;
    }
    for (place, pixel) in pixels.into_iter().enumerate() {
        if let Some((upper, lower)) = pixel.rest {
            let end = if lower > upper { px(lower) } else { px(upper + 1.0) };
            let line = format!("M{} {}V{end}", px(place as f64 + 0.5), px(upper));
            lines[pixel.chromosome % 2].push_str(&line);
        }
    }
    (points, lines)
}

/// The names of the best features, if they do not overlap.
fn names(features: &[RankedFeature], placed: &[Placed]) -> Vec<NameAt> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut names = Vec::new();
    for (feature, &(_, x, y)) in features.iter().zip(placed).take(NAMED) {
        let is_free =
            |other: &(f64, f64)| (other.0 - x).abs() > NAME.0 || (other.1 - y).abs() > NAME.1;
        if !taken.iter().all(is_free) {
            continue;
        }
        taken.push((x, y));
        let is_left = x > PLOT.1 - NAME.0;
        let x = if is_left { x - 6.0 } else { x + 6.0 };
        let name = shortened(&feature.name, 20);
        names.push(NameAt { x: px(x), y: px(y + 4.0), is_left, name });
    }
    names
}

/// The text alternative of the plot.
fn description(features: &[RankedFeature], positions: &Positions) -> String {
    let best = features.iter().zip(&positions.places).take(NAMED);
    let best: Vec<String> = best
        .map(|(feature, &(chromosome, place))| {
            format!(
                "{} at {}:{} with {}",
                shortened(&feature.name, SHORT),
                shortened(&positions.chromosomes[chromosome], 6),
                grouped(place as usize),
                number(feature.weight, 4)
            )
        })
        .collect();
    format!(
        "Weights of {} on {}. The largest: {}",
        counted(features.len(), "feature"),
        counted(positions.chromosomes.len(), "chromosome"),
        best.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FeatureTest;

    /// Features with these chromosomes, positions and weights.
    fn ranking(places: &[(usize, u64, f64)]) -> (Vec<RankedFeature>, Positions) {
        let features = places.iter().enumerate().map(|(place, &(_, _, weight))| RankedFeature {
            name: format!("rs{place}"),
            kind: "genotype",
            weight,
            rank: place + 1,
            missing: 0.0,
            weight_interval: None,
            rank_interval: None,
            test: None,
            locus: None,
        });
        let chromosomes = ["1", "2", "X"].map(String::from).to_vec();
        let places: Vec<(usize, u64)> = places.iter().map(|&(c, place, _)| (c, place)).collect();
        (features.collect(), Positions { chromosomes, places })
    }

    #[test]
    fn chromosomes_are_side_by_side_and_weights_determine_the_height() {
        let (features, positions) =
            ranking(&[(0, 1000, 1.0), (1, 500, 0.5), (0, 1, 0.0), (2, 7, -1.0)]);
        let plot = Manhattan::new(&features, &positions, &[0.8]);
        // 1001, 501 and 8 base pairs, and two gaps of 6.04; the largest weight is at the top.
        assert_eq!(plot.points[0], "M668.6 18h0M56.9 124.5h0M987.7 231h0");
        assert_eq!(plot.points[1], "M979.1 71.2h0");
        assert_eq!(plot.chance, ["39.3"]);
        assert!(!plot.has_below());
        assert_eq!(Manhattan::new(&features, &positions, &[0.8, -0.8]).chance.len(), 2);
        // Every chromosome has a label.
        let labels: Vec<(&str, &str)> =
            plot.chromosomes.iter().map(|label| (label.name.as_str(), label.y.as_str())).collect();
        assert_eq!(labels, [("1", "251"), ("2", "251"), ("X", "251")]);
        let names: Vec<(&str, bool)> =
            plot.names.iter().map(|name| (name.name.as_str(), name.is_left)).collect();
        assert_eq!(names, [("rs0", false), ("rs1", true), ("rs2", false)]);
        assert_eq!(
            plot.label,
            "Weights of 4 features on 3 chromosomes. The largest: rs0 at 1:1,000 with 1.000; rs1 at \
             2:500 with 0.5000; rs2 at 1:1 with 0"
        );
    }

    #[test]
    fn labels_of_short_chromosomes_are_staggered() {
        let names: Vec<String> = (19..=22).map(|number: usize| number.to_string()).collect();
        let (labels, rows) = chromosome_labels(&names, &[100.0, 110.0, 118.0, 124.0]);
        let ys: Vec<&str> = labels.iter().map(|label| label.y.as_str()).collect();
        assert_eq!((ys, rows), (vec!["251", "263", "251", "263"], 2));
        assert_eq!(labels[1].leader.as_deref(), Some("M110 239V254"));
    }

    #[test]
    fn significant_features_have_their_own_color() {
        let (mut features, positions) = ranking(&[(0, 1000, 1.0), (1, 500, 0.5)]);
        let test = FeatureTest { p: 0.01, adjusted: None, q: 0.01, selected: true };
        features[0].test = Some(test);
        let plot = Manhattan::new(&features, &positions, &[]);
        assert!(plot.points[0].is_empty() && plot.has_significant());
        assert!(plot.significant.ends_with(" 18h0"), "{}", plot.significant);
        assert!(!plot.has_lines());
        assert!(plot.render().unwrap().contains("class=\"locus-hit\""));
    }

    #[test]
    fn with_many_features_each_pixel_column_has_its_best_and_a_line() {
        let count = 20_000_u64;
        let mut places: Vec<(usize, u64, f64)> =
            (0..count).map(|at| ((at % 3) as usize, at, ((at * 7919) % count) as f64)).collect();
        places.sort_by(|a, b| b.2.total_cmp(&a.2));
        let (features, positions) = ranking(&places);
        let plot = Manhattan::new(&features, &positions, &[]);
        let marks: usize = plot.points.iter().map(|path| path.matches('M').count()).sum();
        assert!((1500..=3 * 934).contains(&marks), "{marks}");
        let lines: usize = plot.lines.iter().map(|path| path.matches('M').count()).sum();
        assert!((500..=934).contains(&lines), "{lines}");
        // The largest weight is a point.
        assert!(plot.points[positions.places[0].0 % 2].contains(" 18h0"));
        let svg = plot.render().unwrap();
        assert!(svg.len() < 80_000, "{}", svg.len());
    }

    #[test]
    fn equal_positions_and_equal_weights_are_drawn() {
        let (features, mut positions) = ranking(&[(0, 5, 0.0), (0, 5, 0.0)]);
        positions.chromosomes.truncate(1);
        let svg = Manhattan::new(&features, &positions, &[]).render().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
