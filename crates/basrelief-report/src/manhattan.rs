//! A Manhattan plot: weights along the chromosomes.

use askama::Template;

use crate::charts::{Scale, Tick, px};
use crate::data::{Positions, RankedFeature};
use crate::text::{SHORT, counted, grouped, number, shortened};

/// Where the plot lies: left, right, top, bottom.
const PLOT: (f64, f64, f64, f64) = (56.0, 712.0, 18.0, 225.0);

/// Room between chromosomes, in base pairs as a share of all.
const GAP: f64 = 0.004;

/// Features up to which each has a point. Of more, each pixel of the width has points of its greatest weights, and a
/// line for the rest: half a million points would make a page that no browser likes.
const POINTS: usize = 4000;

/// Points of a pixel where there are more features.
const BEST: usize = 3;

/// Names that are written beside their points.
const NAMED: usize = 3;

/// Room that a name needs, and that a chromosome's does.
const NAME: (f64, f64) = (110.0, 12.0);
const CHROMOSOME: f64 = 12.0;

/// Weights along the chromosomes.
#[derive(Debug, Template)]
#[template(path = "charts/manhattan.svg")]
pub(crate) struct Manhattan {
    label: String,
    /// Paths of points, and of lines, in the two colors that chromosomes take in turn.
    points: [String; 2],
    lines: [String; 2],
    y_ticks: Vec<Tick>,
    chromosomes: Vec<Tick>,
    chance: Option<String>,
    names: Vec<NameAt>,
}

/// A name at a point, to its left or to its right.
#[derive(Debug)]
struct NameAt {
    x: String,
    y: String,
    is_left: bool,
    name: String,
}

impl Manhattan {
    /// Of a ranking, best first, and the weight that chance reaches.
    pub(crate) fn new(
        features: &[RankedFeature],
        positions: &Positions,
        chance: Option<f64>,
    ) -> Self {
        let (left, right, top, bottom) = PLOT;
        let weights = features.iter().map(|feature| feature.weight);
        let y = Scale::of(weights.chain(chance).chain([0.0]), bottom - 4.0, top);
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
        let placed: Vec<(usize, f64, f64)> = features
            .iter()
            .zip(&positions.places)
            .map(|(feature, &(chromosome, place))| {
                (chromosome, x(chromosome, place), y.place(feature.weight))
            })
            .collect();
        let (points, lines) = marks(&placed);
        let chromosomes = positions.chromosomes.iter().zip(&extents).zip(&starts);
        let chromosomes = chromosomes.filter_map(|((name, (least, most)), start)| {
            let width = unit * (most - least + 1) as f64;
            let middle = left + unit * start + width / 2.0;
            (width >= CHROMOSOME).then(|| (px(middle), shortened(name, 6)))
        });
        Self {
            label: told(features, positions),
            points,
            lines,
            y_ticks: y.ticks(),
            chromosomes: chromosomes.collect(),
            chance: chance.map(|chance| px(y.place(chance))),
            names: names(features, &placed),
        }
    }
}

/// From where to where every chromosome is drawn: from its start to its last feature, so that few features are as
/// far apart as they are. Of one chromosome alone the part that has features is drawn.
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

/// What lies in a pixel of the width.
#[derive(Debug, Clone, Default)]
struct Pixel {
    features: usize,
    chromosome: usize,
    /// From where to where the features reach that have no point.
    rest: Option<(f64, f64)>,
}

/// Paths of points and of lines, by the color of the chromosome. What comes is best first.
fn marks(placed: &[(usize, f64, f64)]) -> ([String; 2], [String; 2]) {
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

/// The names of the best, as far as there is room.
fn names(features: &[RankedFeature], placed: &[(usize, f64, f64)]) -> Vec<NameAt> {
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

/// The plot in words.
fn told(features: &[RankedFeature], positions: &Positions) -> String {
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
        "Weights of {} on {}. The greatest: {}",
        counted(features.len(), "feature"),
        counted(positions.chromosomes.len(), "chromosome"),
        best.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features at these places of chromosomes, of these weights.
    fn ranking(places: &[(usize, u64, f64)]) -> (Vec<RankedFeature>, Positions) {
        let features = places.iter().enumerate().map(|(place, &(_, _, weight))| RankedFeature {
            name: format!("rs{place}"),
            kind: "genotype",
            weight,
            rank: place + 1,
            missing: 0.0,
            rank_interval: None,
            test: None,
        });
        let chromosomes = ["1", "2", "X"].map(String::from).to_vec();
        let places: Vec<(usize, u64)> = places.iter().map(|&(c, place, _)| (c, place)).collect();
        (features.collect(), Positions { chromosomes, places })
    }

    #[test]
    fn chromosomes_stand_side_by_side_and_weights_above_each_other() {
        let (features, positions) =
            ranking(&[(0, 1000, 1.0), (1, 500, 0.5), (0, 1, 0.0), (2, 7, -1.0)]);
        let plot = Manhattan::new(&features, &positions, Some(0.8));
        // From their starts 1001, 501 and 8 base pairs, and two gaps of 6.04; the greatest is at the top.
        assert_eq!(plot.points[0], "M487.2 18h0M56.6 119.5h0M711.8 221h0");
        assert_eq!(plot.points[1], "M705.7 68.8h0");
        assert_eq!(plot.chance.as_deref(), Some("38.3"));
        // There is no room for the third name.
        let named: Vec<&str> = plot.chromosomes.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(named, ["1", "2"]);
        let names: Vec<(&str, bool)> =
            plot.names.iter().map(|name| (name.name.as_str(), name.is_left)).collect();
        assert_eq!(names, [("rs0", false), ("rs1", true), ("rs2", false)]);
        assert_eq!(
            plot.label,
            "Weights of 4 features on 3 chromosomes. The greatest: rs0 at 1:1,000 with 1.000; rs1 at \
             2:500 with 0.5000; rs2 at 1:1 with 0"
        );
    }

    #[test]
    fn of_very_many_features_each_pixel_has_its_best_and_a_line() {
        let count = 20_000_u64;
        let mut places: Vec<(usize, u64, f64)> =
            (0..count).map(|at| ((at % 3) as usize, at, ((at * 7919) % count) as f64)).collect();
        places.sort_by(|a, b| b.2.total_cmp(&a.2));
        let (features, positions) = ranking(&places);
        let plot = Manhattan::new(&features, &positions, None);
        let marks: usize = plot.points.iter().map(|path| path.matches('M').count()).sum();
        assert!((1500..=3 * 658).contains(&marks), "{marks}");
        let lines: usize = plot.lines.iter().map(|path| path.matches('M').count()).sum();
        assert!((500..=658).contains(&lines), "{lines}");
        // The very greatest is a point.
        assert!(plot.points[positions.places[0].0 % 2].contains(" 18h0"));
        let svg = plot.render().unwrap();
        assert!(svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn one_place_and_equal_weights_are_drawn_too() {
        let (features, mut positions) = ranking(&[(0, 5, 0.0), (0, 5, 0.0)]);
        positions.chromosomes.truncate(1);
        let svg = Manhattan::new(&features, &positions, None).render().unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
