//! Protocols: an experiment of a paper, with its input and results.

use basrelief::evaluate::Checkpoints;
use basrelief::methods::{OptionInfo, Settings};
use basrelief::{Result, Run};
use basrelief_report::Table;
use rayon::prelude::*;

use crate::claims::{Claim, Verdict};
use crate::data::{AddedSet, DataFolder, DataSet};

/// The results of a protocol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The description of the experiment, in lines and paragraphs.
    pub opening: String,
    /// The numbers, next to the paper's numbers if it has any.
    pub tables: Vec<Table>,
    /// The tests of the claims and the data, in a few words; may be empty.
    pub basis: String,
    /// The meaning of the numbers in the findings, if it is not obvious.
    pub note: &'static str,
    /// The paper's claims, and whether they hold here.
    pub claims: Vec<Claim>,
    /// Other remarks, such as methods that failed, one paragraph each.
    pub remarks: Vec<String>,
    /// Names and contents of the files: numbers and figures.
    pub files: Vec<(&'static str, String)>,
}

impl Results {
    /// The numbers of findings that hold, do not hold, and are undecided.
    pub fn verdicts(&self) -> [usize; 3] {
        let findings = || self.claims.iter().flat_map(|claim| &claim.findings);
        [Verdict::Holds, Verdict::Fails, Verdict::Open]
            .map(|verdict| findings().filter(|(_, finding)| finding.verdict == verdict).count())
    }

    /// Everything except the files, as text.
    pub fn summary(&self) -> String {
        let mut text = self.opening.clone();
        for table in &self.tables {
            text.push_str(&format!("\n{}:\n\n{}", table.caption, lines(table)));
        }
        if !self.claims.is_empty() {
            let note = match self.note {
                "" => String::new(),
                note => format!(" ({note})"),
            };
            text.push_str(&format!("\nClaims of the paper, and whether they hold here{note}:\n\n"));
        }
        for (place, claim) in self.claims.iter().enumerate() {
            text.push_str(&format!("{}. {}\n", place + 1, claim.text));
            for (about, finding) in &claim.findings {
                let (verdict, evidence) = (finding.verdict.words(), &finding.evidence);
                text.push_str(&format!("   {verdict:<13}  {about}: {evidence}\n"));
            }
        }
        for remark in &self.remarks {
            text.push_str(&format!("\n{remark}\n"));
        }
        text
    }
}

/// Formats a table as lines, with texts left-aligned and numbers right-aligned.
fn lines(table: &Table) -> String {
    let heads: Vec<String> = table.head.iter().map(|(head, _)| head.clone()).collect();
    let all = || [&heads].into_iter().chain(&table.rows);
    let length = |cell: &str| cell.chars().count();
    let width = |column: usize| all().map(|row| length(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells =
            row.iter().zip(&table.head).zip(&widths).map(|((cell, (_, is_number)), width)| {
                let gap = " ".repeat(width - length(cell));
                if *is_number { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
            });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    all().map(line).collect()
}

/// Creates a table with a first column of texts, the names of the rows, and columns of numbers.
pub(crate) fn numbers_table(caption: String, heads: &[&str], rows: Vec<Vec<String>>) -> Table {
    let heads = heads.iter().enumerate();
    let head = heads.map(|(place, head)| (head.to_string(), place > 0)).collect();
    Table { caption, head, rows, ..Table::default() }
}

/// The input of an experiment.
pub(crate) struct Work<'a> {
    /// The options.
    pub(crate) settings: &'a Settings,
    /// Whether to run the quick form.
    pub(crate) quick: bool,
    /// The folder with the data sets.
    pub(crate) data: &'a DataFolder,
    /// Data sets of the user, for a protocol that takes any.
    pub(crate) added: &'a [AddedSet],
    /// Stores finished cells, so that an interrupted run need not repeat them.
    pub(crate) checkpoints: &'a dyn Checkpoints,
    /// Threads, seed, progress and cancellation.
    pub(crate) run: &'a Run,
}

impl Work<'_> {
    /// Calls `one` for every unit on the threads of the run. The results are in the order of the units, for any number
    /// of threads.
    ///
    /// # Errors
    /// The first error of `one`; [`Error::Cancelled`](basrelief::Error::Cancelled).
    pub(crate) fn in_parallel<U: Sync, T: Send>(
        &self,
        units: &[U],
        one: impl Fn(&U) -> Result<T> + Send + Sync,
    ) -> Result<Vec<T>> {
        let checked = |unit: &U| {
            self.run.check()?;
            one(unit)
        };
        self.run.install(|| units.par_iter().with_max_len(1).map(checked).collect())
    }
}

/// The description of a protocol, for the command line and the documentation.
pub struct ProtocolInfo {
    /// The name on the command line and of the folder for the results.
    pub name: &'static str,
    /// Other names: the figures and tables of the paper that it reproduces.
    pub aliases: &'static [&'static str],
    /// The purpose of the experiment, in one line.
    pub purpose: &'static str,
    /// The paper and its sections.
    pub source: &'static str,
    /// The scope of the quick form.
    pub quick: &'static str,
    /// The options, in the order in which they are shown.
    pub options: &'static [&'static OptionInfo],
    /// Whether it generates some or all of its data.
    pub generates: bool,
    /// Whether it takes data sets of the user ([`AddedSet`]).
    pub adds: bool,
    /// The data sets that it reads; missing ones are skipped.
    pub data: &'static [&'static DataSet],
    /// Runs the experiment.
    pub(crate) run: fn(&Work<'_>) -> Result<Results>,
}

impl std::fmt::Debug for ProtocolInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProtocolInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ProtocolInfo {
    /// Resolves and checks options that are given as texts, by option name or flag.
    ///
    /// # Errors
    /// The errors of [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, self.options, given)
    }

    /// Whether it generates data, or any of its data sets is available.
    pub fn has_data(&self, data: &DataFolder) -> bool {
        self.generates || self.data.iter().any(|set| data.has(set))
    }

    /// The advice for the missing data sets, one line each.
    pub fn advice(&self, data: &DataFolder) -> Vec<String> {
        let missing = self.data.iter().filter(|set| !data.has(set));
        missing.map(|set| data.advice(set)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_tables_verdicts_and_remarks() {
        let subjects = [("iris", 1.0), ("wine", -1.0)];
        let claim = Claim::about("It is above 0.", &subjects, |one| {
            Verdict::of_fact(one.1 > 0.0).with(format!("{:.1}", one.1))
        });
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        let rows = vec![row(["iris", "1.0"]), row(["wine", "-1.0"])];
        let results = Results {
            basis: String::new(),
            opening: "What was done.\n".to_string(),
            tables: vec![numbers_table("Means".to_string(), &["set", "mean"], rows)],
            note: "in cm",
            claims: vec![claim],
            remarks: vec!["glass is omitted".to_string()],
            files: Vec::new(),
        };
        assert_eq!(results.verdicts(), [1, 1, 0]);
        let lines = [
            "What was done.",
            "",
            "Means:",
            "",
            "set   mean",
            "iris   1.0",
            "wine  -1.0",
            "",
            "Claims of the paper, and whether they hold here (in cm):",
            "",
            "1. It is above 0.",
            "   holds          iris: 1.0",
            "   does not hold  wine: -1.0",
            "",
            "glass is omitted",
            "",
        ];
        assert_eq!(results.summary(), lines.join("\n"));
        assert_eq!(Results::default().summary(), "");
    }
}
