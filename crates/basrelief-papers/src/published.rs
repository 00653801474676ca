//! Comparison of our numbers with those of a paper.

use std::fmt::Write;

use basrelief::Result;
use basrelief_report::Table;
use basrelief_report::figures::{Panel, agreement};

use crate::curves::grouped;
use crate::statistics::{deviation, mean};

/// A number of a paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Published {
    pub(crate) set: &'static str,
    pub(crate) method: &'static str,
    pub(crate) mean: f64,
    /// The standard deviation over the runs of the paper.
    pub(crate) deviation: f64,
}

/// A number of a paper with our values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compared {
    pub(crate) published: Published,
    /// The values of our runs, in the order of the runs; empty if there are none.
    pub(crate) runs: Vec<f64>,
}

impl Compared {
    pub(crate) fn mean(&self) -> f64 {
        mean(&self.runs)
    }

    /// The sample standard deviation of our runs; 0 for fewer than two.
    pub(crate) fn deviation(&self) -> f64 {
        deviation(&self.runs)
    }

    /// Our mean minus the paper's, in standard deviations of the paper.
    pub(crate) fn distance(&self) -> f64 {
        (self.mean() - self.published.mean) / self.published.deviation
    }

    /// Whether our mean is within two of the paper's standard deviations.
    pub(crate) fn agrees(&self) -> bool {
        self.distance().abs() <= 2.0
    }

    /// `agrees`, `better` or `worse`, where lower is better.
    pub(crate) fn agreement(&self) -> &'static str {
        match self.distance() {
            distance if distance.abs() <= 2.0 => "agrees",
            distance if distance < 0.0 => "better",
            _ => "worse",
        }
    }
}

/// The header of [`csv`].
const CSV_HEADER: &str = "set,method,ours_mean,ours_deviation,runs,paper_mean,paper_deviation,distance_in_deviations,verdict\n";

/// All comparisons as CSV.
pub(crate) fn csv(all: &[Compared]) -> String {
    let mut text = String::from(CSV_HEADER);
    for one in all.iter().filter(|one| !one.runs.is_empty()) {
        let Published { set, method, mean, deviation } = one.published;
        let _ = writeln!(
            text,
            "{set},{method},{},{},{},{mean},{deviation},{},{}",
            one.mean(),
            one.deviation(),
            one.runs.len(),
            one.distance(),
            one.agreement()
        );
    }
    text
}

/// A figure of our means over the paper's, a group of points per method, with a line where both are equal; `measure` is the
/// name of the means.
///
/// # Errors
/// No comparison has any run.
pub(crate) fn picture(title: &str, measure: &str, all: &[Compared]) -> Result<String> {
    let here = all.iter().filter(|one| !one.runs.is_empty());
    let point = |one: &Compared| (one.published.method, (one.published.mean, one.mean()));
    let panel = Panel {
        title: String::new(),
        x_label: format!("paper: {measure}"),
        y_label: format!("here: {measure}"),
        curves: grouped(here.map(point)),
    };
    agreement(title, panel)
}

/// Returns a table with a row per comparison, and the number of agreeing ones in the caption.
pub(crate) fn table(title: &str, all: &[Compared]) -> Table {
    let here = || all.iter().filter(|one| !one.runs.is_empty());
    let pair = |mean: f64, deviation: f64| format!("{mean:.2} ({deviation:.2})");
    let row = |one: &Compared| {
        let Published { set, method, mean, deviation } = one.published;
        vec![
            set.to_string(),
            method.to_string(),
            pair(mean, deviation),
            pair(one.mean(), one.deviation()),
            // A difference that rounds to 0 has no minus sign.
            format!("{:+.1} sd", (10.0 * one.distance()).round() / 10.0 + 0.0),
            one.agreement().to_string(),
        ]
    };
    let agreeing = here().filter(|one| one.agrees()).count();
    let heads = ["set", "method", "paper (sd)", "here (sd)", "difference", "verdict"];
    let is_number = [false, false, true, true, true, false];
    Table {
        caption: format!(
            "{title}; {agreeing} of {} means are within two of the paper's standard deviations",
            here().count()
        ),
        head: heads.map(String::from).into_iter().zip(is_number).collect(),
        rows: here().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_equal_means_is_no_group_of_points() {
        let published = Published { set: "wine", method: "LFE", mean: 4.0, deviation: 0.5 };
        let svg = picture("Table 1", "mean error in %", &[Compared { published, runs: vec![5.0] }])
            .unwrap();
        assert_eq!(svg.matches("<circle").count(), 2, "one point, and one in the legend: {svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "{svg}");
        assert!(svg.contains("paper: mean error in %") && !svg.contains(">equal<"), "{svg}");
    }

    #[test]
    fn ours_beside_a_papers_by_hand() {
        let published = Published { set: "wine", method: "LFE", mean: 4.0, deviation: 0.5 };
        let one = |runs: &[f64]| Compared { published, runs: runs.to_vec() };
        let near = one(&[4.0, 5.0, 6.0]);
        assert_eq!((near.mean(), near.deviation(), near.distance()), (5.0, 1.0, 2.0));
        assert!(near.agrees());
        assert_eq!(one(&[5.1, 5.1]).agreement(), "worse");
        assert_eq!(one(&[2.9, 2.9]).agreement(), "better");
        let all = [near, one(&[9.0]), one(&[])];
        let shown = table("Table 1", &all);
        let caption = "Table 1; 1 of 2 means are within two of the paper's standard deviations";
        assert_eq!((shown.caption.as_str(), shown.rows.len()), (caption, 2));
        assert_eq!(shown.rows[0][2..], ["4.00 (0.50)", "5.00 (1.00)", "+2.0 sd", "agrees"]);
        assert_eq!(csv(&all).lines().count(), 3);
    }
}
