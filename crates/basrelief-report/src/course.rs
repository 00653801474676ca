//! The course of an iterative fit: a chart of lines and its description.

use askama::Template;

use crate::charts::{Scale, px};
use crate::data::Course;
use crate::text::{SHORT, counted, grouped, plain, shortened};

/// Features whose ranks are drawn.
const LINES: usize = 12;

/// Room between the names at the ends of lines.
const LINE_HEIGHT: f64 = 16.0;

/// Where the lines lie: left, right, top, bottom.
const PLOT: (f64, f64, f64, f64) = (56.0, 470.0, 10.0, 230.0);

/// How a result came about, as it is shown.
#[derive(Debug)]
pub(crate) struct CourseView {
    /// The description of the chart, in sentences.
    pub(crate) text: String,
    pub(crate) chart: CourseChart,
}

/// Lines over rounds, of which the y axis is logarithmic.
#[derive(Debug, Template)]
#[template(path = "charts/course.svg")]
pub(crate) struct CourseChart {
    label: String,
    x_label: String,
    y_label: String,
    x_ticks: Vec<(String, String)>,
    y_ticks: Vec<(String, String)>,
    lines: Vec<Line>,
    cut: Option<(String, String)>,
}

/// A line with a mark for every round, and its name at its end.
#[derive(Debug)]
struct Line {
    leads: bool,
    path: String,
    marks: Option<String>,
    name: Option<(String, String)>,
    /// From the line's end to its name.
    leader: String,
}

impl CourseView {
    /// `name` gives the name of the feature at a place of the ranking.
    pub(crate) fn new<'n>(course: &Course, name: impl Fn(usize) -> &'n str) -> Self {
        match course {
            Course::Changes { changes, tolerance, converged } => {
                let count = counted(changes.len(), "iteration");
                let text = match (converged, tolerance) {
                    (true, Some(tolerance)) => format!(
                        "The weights changed by less than {} after {count}: they converged.",
                        plain(*tolerance)
                    ),
                    (true, None) => format!("The weights converged after {count}."),
                    (false, _) => format!("The weights had not converged after {count}."),
                };
                let text = format!(
                    "{text} The line is the change of the weights in every iteration (Euclidean norm)."
                );
                Self { text, chart: changes_chart(changes, *tolerance) }
            }
            Course::Elimination { wrapper, features, ranks } => {
                let last = features.last().copied().unwrap_or(0);
                let text = format!(
                    "{wrapper} weighed the features {}, and dropped those of least weight in between, from {} \
                     to {}. The lines are the ranks of the best {} among the features of each round. A \
                     feature that comes to the front late stands out only where other features are gone.",
                    match features.len() {
                        1 => "once".to_string(),
                        count => format!("{} times", grouped(count)),
                    },
                    counted(features[0], "feature"),
                    grouped(last),
                    ranks.len().min(LINES),
                );
                let named: Vec<(&str, &[usize])> = ranks
                    .iter()
                    .take(LINES)
                    .map(|(place, ranks)| (name(*place), ranks.as_slice()))
                    .collect();
                Self { text, chart: ranks_chart(features, &named) }
            }
        }
    }
}

/// The change in every iteration, from 1.
fn changes_chart(changes: &[f64], tolerance: Option<f64>) -> CourseChart {
    let positive = || changes.iter().copied().chain(tolerance).filter(|change| *change > 0.0);
    let least = positive().fold(f64::INFINITY, f64::min);
    let greatest = positive().fold(0.0, f64::max);
    // A change of exactly 0 has no logarithm, and is drawn at the lower edge.
    let floor = if least.is_finite() { least / 2.0 } else { 1e-3 };
    let greatest = if greatest > floor { greatest * 1.2 } else { 1.0 };
    let y = Decades { least: floor, greatest, upward: true };
    let (x, x_ticks) = rounds(changes.len(), |round| grouped(round + 1));
    let points: Vec<(f64, f64)> = changes
        .iter()
        .enumerate()
        .map(|(round, &change)| (x.place(round as f64), y.place(change.max(floor))))
        .collect();
    let line = Line {
        leads: true,
        path: path(&points),
        marks: Some(points.iter().map(|(x, y)| format!("M{} {}h0", px(*x), px(*y))).collect()),
        name: None,
        leader: String::new(),
    };
    let label = match (changes.first(), changes.last()) {
        (Some(first), Some(last)) => format!(
            "Change of the weights in {}: {} in the first, {} in the last",
            counted(changes.len(), "iteration"),
            plain(*first),
            plain(*last)
        ),
        _ => "No iteration".to_string(),
    };
    CourseChart {
        label,
        x_label: "iteration".to_string(),
        y_label: "change".to_string(),
        x_ticks,
        y_ticks: y.ticks(),
        lines: vec![line],
        cut: tolerance
            .filter(|tolerance| *tolerance > 0.0)
            .map(|tolerance| (px(y.place(tolerance)), format!("tol {}", plain(tolerance)))),
    }
}

/// The ranks of features in every round.
fn ranks_chart(features: &[usize], named: &[(&str, &[usize])]) -> CourseChart {
    let all = || named.iter().flat_map(|(_, ranks)| ranks.iter().copied());
    let worst = all().max().unwrap_or(1).max(2);
    let y = Decades { least: 1.0, greatest: worst as f64, upward: false };
    let (x, x_ticks) = rounds(features.len(), |round| grouped(features[round]));
    let (_, right, top, _) = PLOT;
    let lines = named.iter().enumerate().map(|(place, (name, ranks))| {
        let points: Vec<(f64, f64)> = ranks
            .iter()
            .enumerate()
            .map(|(round, &rank)| (x.place(round as f64), y.place(rank as f64)))
            .collect();
        let end = points.last().map_or(top, |point| point.1);
        // Names stand in the order of the ranking, one below the other.
        let name_y = top + 4.0 + LINE_HEIGHT * place as f64;
        Line {
            leads: place < 2,
            path: path(&points),
            marks: (points.len() == 1)
                .then(|| format!("M{} {}h0", px(points[0].0), px(points[0].1))),
            name: Some((px(name_y + 4.0), shortened(name, 20))),
            leader: format!("M{} {}L{} {}", px(right + 2.0), px(end), px(right + 22.0), px(name_y)),
        }
    });
    let told = named.iter().map(|(name, ranks)| {
        let (first, last) = (ranks.first().copied(), ranks.last().copied());
        format!(
            "{} from {} to {}",
            shortened(name, SHORT),
            grouped(first.unwrap_or(0)),
            grouped(last.unwrap_or(0))
        )
    });
    CourseChart {
        label: format!(
            "Ranks in {}: {}",
            counted(features.len(), "round"),
            told.collect::<Vec<_>>().join("; ")
        ),
        x_label: "features weighed in the round".to_string(),
        y_label: "rank".to_string(),
        x_ticks,
        y_ticks: y.ticks(),
        lines: lines.collect(),
        cut: None,
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let corners: Vec<String> =
        points.iter().map(|(x, y)| format!("{} {}", px(*x), px(*y))).collect();
    format!("M{}", corners.join("L"))
}

/// Places of rounds counted from 0, and some of them with their names.
fn rounds(count: usize, name: impl Fn(usize) -> String) -> (Scale, Vec<(String, String)>) {
    let last = count.saturating_sub(1);
    let x = Scale::of([0.0, last as f64], PLOT.0 + 8.0, PLOT.1 - 8.0);
    let mut shown: Vec<usize> =
        (0..6).map(|part| (part as f64 * last as f64 / 5.0).round() as usize).collect();
    shown.dedup();
    let ticks = shown.into_iter().map(|round| (px(x.place(round as f64)), name(round)));
    (x, ticks.collect())
}

/// Positive numbers by their logarithm, upward or downward.
struct Decades {
    least: f64,
    greatest: f64,
    upward: bool,
}

impl Decades {
    fn place(&self, value: f64) -> f64 {
        let (.., top, bottom) = PLOT;
        let share = (value / self.least).ln() / (self.greatest / self.least).ln();
        if self.upward { bottom - share * (bottom - top) } else { top + share * (bottom - top) }
    }

    /// Powers of ten inside; where there are fewer than two of them, 2 and 5 times those too.
    fn ticks(&self) -> Vec<(String, String)> {
        let (first, last) =
            (self.least.log10().floor() as i32, self.greatest.log10().ceil() as i32);
        let inside = |value: &f64| (self.least..=self.greatest).contains(value);
        let of = |factors: &[f64]| -> Vec<f64> {
            (first..=last)
                .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
                .filter(inside)
                .collect()
        };
        let mut values = of(&[1.0]);
        if values.len() < 2 {
            values = of(&[1.0, 2.0, 5.0]);
        }
        let step = values.len().div_ceil(6).max(1);
        values.iter().step_by(step).map(|&value| (px(self.place(value)), plain(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elimination() -> Course {
        Course::Elimination {
            wrapper: "turf".to_string(),
            features: vec![1000, 100, 10],
            ranks: vec![(0, vec![1000, 100, 1]), (1, vec![10, 10, 2])],
        }
    }

    #[test]
    fn ranks_go_down_by_decades_and_names_stand_at_the_ends() {
        let view = CourseView::new(&elimination(), |place| ["first", "second"][place]);
        assert!(view.text.starts_with("turf weighed the features 3 times, "), "{}", view.text);
        assert!(view.text.contains("from 1,000 features to 10."), "{}", view.text);
        let ticks: Vec<&str> = view.chart.y_ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(ticks, ["1", "10", "100", "1000"]);
        // Three rounds at the left, in the middle and at the right; ranks 1000, 100 and 1 of three decades.
        assert_eq!(view.chart.lines[0].path, "M64 230L263 156.7L462 10");
        assert_eq!(view.chart.lines[1].path, "M64 83.3L263 83.3L462 32.1");
        let names: Vec<&str> =
            view.chart.lines.iter().map(|line| line.name.as_ref().unwrap().1.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        let label = "Ranks in 3 rounds: first from 1,000 to 1; second from 10 to 2";
        assert_eq!(view.chart.label, label);
        let x_ticks: Vec<&str> = view.chart.x_ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(x_ticks, ["1,000", "100", "10"]);
    }

    #[test]
    fn a_change_of_zero_is_drawn_at_the_edge() {
        let course = Course::Changes {
            changes: vec![0.5, 0.05, 0.0],
            tolerance: Some(0.01),
            converged: true,
        };
        let view = CourseView::new(&course, |_| unreachable!("no feature is named"));
        assert_eq!(
            view.text,
            "The weights changed by less than 0.01 after 3 iterations: they converged. The line is the \
             change of the weights in every iteration (Euclidean norm)."
        );
        assert!(view.chart.lines[0].path.ends_with("L462 230"), "{}", view.chart.lines[0].path);
        assert_eq!(view.chart.cut.as_ref().unwrap().1, "tol 0.01");
        let ticks: Vec<&str> = view.chart.y_ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(ticks, ["0.01", "0.1"]);
    }

    #[test]
    fn short_courses_are_drawn_too() {
        let once = Course::Elimination {
            wrapper: "turf".to_string(),
            features: vec![4],
            ranks: vec![(0, vec![1])],
        };
        let zero = Course::Changes { changes: vec![0.0], tolerance: None, converged: true };
        let unfinished =
            Course::Changes { changes: vec![1e-3], tolerance: Some(1e-3), converged: false };
        for course in [once, zero, unfinished] {
            let svg = CourseView::new(&course, |_| "<x>").chart.render().unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<x>"), "{svg}");
        }
    }
}
