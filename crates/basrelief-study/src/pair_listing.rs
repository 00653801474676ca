//! Tested pairs as table, JSON or CSV.

use basrelief::data::{Column, Covariates, Table, Target};
use basrelief::inference::Scheme;
use basrelief::pairs::{
    Cells, Level, PairStatistic, PairTable, PairTests, Parametric, TargetSummary, TestedPair,
};
use basrelief::wording::thousands;
use basrelief::{Result, Run, Warning};
use basrelief_report::data::Piece;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::loci;
use crate::permutation_test::{RoleColumns, probability};
use crate::recipe::Recipe;
use crate::subject::Subject;
use crate::text::{
    ALWAYS, Format, Layout, Look, TableColumn, csv_cell, cut, printable, rounded, unsigned, wrapped,
};

/// The largest width of a name in a table.
const NAME: usize = 24;

/// The level at which a pair is significant.
pub const ALPHA: f64 = 0.05;

/// The p-value below which a sentence shows only that bound.
const TINY: f64 = 1e-16;

/// Pairs that a sentence names.
const NAMED: usize = 3;

/// How the features and the rows were chosen.
#[derive(Debug)]
pub struct Choice {
    /// The file of the ranking; `None` if the ranking was computed.
    pub from: Option<String>,
    /// The split of the rows into those of the ranking and those of the test, if any.
    pub split: Option<Split>,
    /// The number of permutations of the target, if any.
    pub permutations: Option<u64>,
    /// Whether the ranking is repeated for each permutation.
    pub permute_all: bool,
    /// The number of all features.
    pub all: usize,
}

/// A split of the rows into those of the ranking and those of the test.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// The share of the rows of the ranking.
    pub share: f64,
    /// The number of rows of the ranking, and of the test.
    pub rows: (usize, usize),
}

/// Tested pairs, and everything that is needed to repeat the tests.
pub struct PairListing<'a> {
    /// The data.
    pub subject: Subject<'a>,
    /// The features and the target in the rows of the test.
    pub tested: (&'a Table<'static>, &'a Target),
    /// The covariates in both models of each test, in the rows of the test.
    pub covariates: Option<&'a Covariates<'a>>,
    /// The choice of the features and of the rows.
    pub choice: Choice,
    /// The method that ranked the features; `None` if a file gave the ranking.
    pub recipe: Option<Recipe<'a>>,
    /// The tests of the pairs.
    pub tests: PairTests,
    /// The columns of strata and groups.
    pub columns: RoleColumns<'a>,
    /// How permutations treat groups of rows; `None` if all rows are independent.
    pub scheme: Option<Scheme>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// The seed and the threads.
    pub run: &'a Run,
    /// The seconds of the ranking and the tests.
    pub seconds: f64,
}

impl PairListing<'_> {
    /// The listing in a format.
    ///
    /// # Errors
    /// None, because the pairs are columns of the table.
    pub fn text(&self, format: Format, look: Look) -> Result<String> {
        match format {
            Format::Table => Ok(self.table(look)),
            Format::Json => Ok(format!("{:#}\n", self.value()?)),
            Format::Csv => Ok(self.csv()),
        }
    }

    /// A summary of the tests, and the caution if there is one, for standard error.
    pub fn notes(&self) -> Vec<String> {
        let PairTests { tested, untested, .. } = &self.tests;
        let left_out = match untested {
            0 => String::new(),
            1 => "; 1 pair has no degree of freedom".to_string(),
            count => format!("; {} pairs have no degree of freedom", thousands(*count)),
        };
        let mut notes = vec![format!(
            "tested {} {} in {:.3} s{left_out}",
            thousands(*tested),
            if *tested == 1 { "pair" } else { "pairs" },
            self.seconds
        )];
        notes.extend(self.caution());
        notes
    }

    /// The value that decides about significance, and its level: `adjusted p (max-T) ≤ 0.05` or `q (FDR) ≤ 0.05`.
    pub fn criterion(&self) -> String {
        let what = if self.has_adjusted() { "adjusted p (max-T)" } else { "q (FDR)" };
        format!("{what} ≤ {ALPHA}")
    }

    /// The number of significant pairs.
    pub fn significant(&self) -> usize {
        self.tests.significant(ALPHA)
    }

    /// The verdict: how many pairs are significant, and the strongest of them, or the smallest value if none is.
    pub fn verdict(&self) -> Vec<Piece> {
        let words = |text: String| Piece::Words(text);
        let Some(first) = self.tests.pairs.first() else {
            return vec![words("No pair can be tested.".to_string())];
        };
        let count = self.significant();
        if count == 0 {
            return vec![words(format!("{}.", self.no_finding(first)))];
        }
        let are = if count == 1 { "is" } else { "are" };
        let of = match self.tests.tested {
            1 => "The only pair".to_string(),
            tested => format!("{} of {} pairs", thousands(count as u64), thousands(tested)),
        };
        let mut verdict = vec![words(format!("{of} {are} significant ({}): ", self.criterion()))];
        let named = self.tests.pairs.iter().take(count.min(NAMED));
        for (place, pair) in named.enumerate() {
            let name = |second: bool| Piece::Name(self.column(pair, second).name().to_string());
            if place > 0 {
                verdict.push(words(", ".to_string()));
            }
            verdict.extend([name(false), words(" and ".to_string()), name(true)]);
            verdict.push(words(format!(" ({})", bounded(pair))));
        }
        verdict.push(words(if count > NAMED { ", …" } else { "." }.to_string()));
        verdict
    }

    /// The verdict if no pair is significant, without a full stop.
    fn no_finding(&self, first: &TestedPair) -> String {
        let smallest = match (first.adjusted, first.parametric) {
            (Some(p), _) => format!(" (smallest adjusted p (max-T) {})", probability(p)),
            (None, Some(found)) => format!(" (smallest q {})", probability(found.q_value)),
            (None, None) => String::new(),
        };
        format!("No pair is significant{smallest}")
    }

    /// The summary of sections without a finding; `None` if a pair is significant.
    pub fn fold(&self) -> Option<String> {
        let first = self.tests.pairs.first()?;
        (self.significant() == 0).then(|| self.no_finding(first))
    }

    /// A caution, if the choice of features biases p-values.
    pub fn caution(&self) -> Option<String> {
        let Choice { from, split, permutations, permute_all, all } = &self.choice;
        if split.is_some() || *permute_all || self.tests.features.len() >= *all {
            return None;
        }
        let who = match from {
            Some(_) => "if the ranking was computed on the same rows, p-values are too small",
            None => "the features were chosen on the same rows: p-values are too small",
        };
        let ways = match (from, permutations) {
            (Some(_), _) => "omit --from for ways to correct this",
            _ if self.covariates.is_some() => "--split 0.5 ranks and tests on different rows",
            (None, Some(_)) => "--permute-all repeats the ranking for each permutation",
            (None, None) => {
                "--split 0.5 ranks and tests on different rows, --permutations 1000 --permute-all repeats the ranking \
                 for each permutation"
            }
        };
        Some(format!("{who}; {ways}"))
    }

    /// One of a pair's features.
    pub fn column(&self, pair: &TestedPair, second: bool) -> &Column<'static> {
        let place = if second { pair.second } else { pair.first };
        &self.tested.0.columns()[self.tests.features[place]]
    }

    /// Whether the statistic is F.
    fn is_f(&self) -> bool {
        self.tests.statistic == PairStatistic::ProductTerm
    }

    fn has_adjusted(&self) -> bool {
        self.choice.permutations.is_some()
    }

    /// Whether there are p-values and q-values by the distribution of the statistic, which assume independent rows.
    pub(crate) fn has_parametric(&self) -> bool {
        self.tests.exact_q.is_some()
    }

    /// Whether the ranking uses the covariates of the tests; `None` if there are none, or if a file gave the ranking.
    fn covariates_in_ranking(&self) -> Option<bool> {
        let covariates = self.covariates.filter(|_| self.choice.from.is_none());
        covariates.map(Covariates::choose_neighbors)
    }

    /// The choice of the features, and the tests, as labels and texts.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let count = thousands(self.tests.features.len() as u64);
        let from = self.choice.from.as_ref();
        let from = from.map_or(String::new(), |file| format!(", ranked in {}", printable(file)));
        let without = match self.covariates_in_ranking() {
            Some(false) => ", ranked without the covariates",
            _ => "",
        };
        let mut facts = vec![("Paired", format!("the best {count} features{from}{without}"))];
        if let Some(Split { rows: (ranking, testing), .. }) = self.choice.split {
            let [ranking, testing] = [ranking, testing].map(|rows| thousands(rows as u64));
            facts
                .push(("Split", format!("{ranking} rows for the ranking, {testing} for the test")));
        }
        let tested = thousands(self.tests.tested);
        let models = match (self.covariates, self.is_f()) {
            (None, _) => "",
            (Some(_), true) => " with the covariates in both models",
            (Some(_), false) => " with the covariates in both models (bits: without them)",
        };
        facts.push((
            "Tested",
            format!("{tested} pairs, by {}{models}", self.tests.statistic.name()),
        ));
        if let Some(count) = self.choice.permutations {
            let anew = if self.choice.permute_all { ", each with a new ranking" } else { "" };
            let of_target = self.columns.of_target(self.scheme);
            facts.push(("Permutations", format!("{} {of_target}{anew}", thousands(count))));
        }
        facts
    }

    /// The meaning of the numbers.
    pub fn meaning(&self) -> String {
        let statistic = match (self.tests.statistic, self.covariates) {
            (PairStatistic::LikelihoodRatio, Some(_)) => {
                "The likelihood ratio tests the interaction: it compares the logistic model of all combinations of both \
                 features with that of both main effects. Both models contain the covariates. The bits are those of the \
                 table and are not adjusted for the covariates."
            }
            (PairStatistic::LikelihoodRatio, None) => {
                "The likelihood ratio tests the interaction: it compares the table of both features and the class with the \
                 model of both main effects."
            }
            (PairStatistic::ProductTerm, Some(_)) => {
                "F tests the product term of both features after their main effects and the covariates."
            }
            (PairStatistic::ProductTerm, None) => {
                "F tests the product term of both features after their main effects."
            }
        };
        let mut meaning = statistic.to_string();
        if self.has_parametric() {
            if !self.is_f() {
                meaning += " Its p-value is based on the chi-squared distribution.";
            }
            meaning += &format!(
                " q is the estimated share of false discoveries among the {} tested pairs with a p-value of at most this \
                 size.",
                thousands(self.tests.tested)
            );
        } else {
            meaning += " Rows of one group are not independent, and rows of different strata are not comparable, so that \
                        there are no p-values of the distribution of the statistic.";
        }
        if self.has_adjusted() {
            meaning += " Adjusted p (max-T) is the share of permutations whose strongest pair is at least as strong.";
        }
        meaning
    }

    /// The method and the facts, as lines.
    fn lines(&self, width: usize) -> String {
        let method = self.recipe.map(|recipe| recipe.line(self.run));
        let facts = self
            .facts()
            .into_iter()
            .map(|(label, text)| format!("{}: {text}", label.to_lowercase()));
        let lines = method.into_iter().chain(facts);
        lines.map(|line| format!("{}\n", wrapped(&line, width))).collect()
    }

    /// The results of the pairs, column by column.
    pub fn columns(&self) -> Vec<TableColumn> {
        let column = |head: &'static str, cell: &dyn Fn(&TestedPair) -> String| TableColumn {
            heads: [head, head.split(' ').next().unwrap_or(head)],
            cells: self.tests.pairs.iter().map(cell).collect(),
            importance: match head {
                "df" => 1,
                "bits" => 2,
                _ => ALWAYS,
            },
        };
        let mut columns = vec![
            column(if self.is_f() { "F" } else { "chi2" }, &|pair| unsigned(pair.statistic, 5)),
            column("df", &|pair| match pair.residual {
                Some(residual) => format!("{}, {residual}", pair.degrees),
                None => pair.degrees.to_string(),
            }),
        ];
        if self.has_parametric() {
            columns.push(column("p", &|pair| p_in_words(pair).unwrap_or_default()));
            let q = |pair: &TestedPair| pair.parametric.map(|found| probability(found.q_value));
            columns.push(column("q (FDR)", &|pair| q(pair).unwrap_or_default()));
        }
        if self.has_adjusted() {
            let cell = |pair: &TestedPair| pair.adjusted.map_or(String::new(), probability);
            columns.push(column("adjusted (max-T)", &cell));
        }
        if !self.is_f() {
            let cell = |pair: &TestedPair| {
                pair.interaction_information.map_or(String::new(), |bits| rounded(bits, 4))
            };
            columns.push(column("bits", &cell));
        }
        columns
    }

    fn table(&self, look: Look) -> String {
        let pairs = &self.tests.pairs;
        let head = format!("{}{}", self.subject.lines(look.width), self.lines(look.width));
        if pairs.is_empty() {
            return look.spell(&format!("{head}\nno pair can be tested\n"));
        }
        let mut columns = self.columns();
        let longest =
            pairs.iter().flat_map(|pair| [false, true].map(|second| self.column(pair, second)));
        let longest = longest.map(|column| cut(column.name(), NAME).width()).max().unwrap_or(0);
        let layout = Layout::new(&mut columns, (2, longest), (2, 0), look.width);
        // In ASCII an ellipsis takes three columns.
        let most = if look.ascii { layout.names.saturating_sub(2) } else { layout.names };
        let names = |second: bool| -> Vec<String> {
            pairs
                .iter()
                .map(|pair| look.spell(&cut(self.column(pair, second).name(), most)))
                .collect()
        };
        let (firsts, seconds) = (names(false), names(true));
        let width_of = |texts: &[String]| {
            texts.iter().map(|text| text.width()).max().unwrap_or(0).max("feature".len())
        };
        let (first_width, second_width) = (width_of(&firsts), width_of(&seconds));
        // `format!` counts characters, but some take two columns of the terminal and some none.
        let padded =
            |text: &str, width: usize| format!("{text}{}", " ".repeat(width - text.width()));
        let line = |first: &str, second: &str, cells: &mut dyn Iterator<Item = (usize, &str)>| {
            let mut line =
                format!("{}  {}", padded(first, first_width), padded(second, second_width));
            for (width, cell) in cells {
                line.push_str(&format!("  {cell:<width$}"));
            }
            format!("{}\n", line.trim_end())
        };
        let heads = &mut columns
            .iter()
            .map(|column| (column.width(layout.head), column.heads[layout.head]));
        let verdict: String = self
            .verdict()
            .iter()
            .map(|piece| match piece {
                Piece::Name(name) => cut(name, NAME),
                other => other.text().to_string(),
            })
            .collect();
        let verdict = verdict.replace('≤', "<=");
        let mut text = format!("{head}\n{}", look.bold(&line("feature", "with", heads)));
        for (place, (first, second)) in firsts.iter().zip(&seconds).enumerate() {
            let cells = &mut columns
                .iter()
                .map(|column| (column.width(layout.head), column.cells[place].as_str()));
            text.push_str(&line(first, second, cells));
        }
        if let Some(note) = layout.note() {
            text.push_str(&format!("{}\n", wrapped(&note, look.width)));
        }
        // Comparisons stay on one line.
        let verdict = ["=", "<"].iter().fold(verdict, |text, sign| {
            text.replace(&format!("(p {sign} "), &format!("(p\u{a0}{sign}\u{a0}"))
        });
        let verdict = wrapped(&verdict, look.width).replace('\u{a0}', " ");
        text.push_str(&format!("\n{verdict}\n"));
        look.spell(&text)
    }

    /// All results, in JSON.
    ///
    /// # Errors
    /// None, because the pairs are columns of the table.
    pub fn value(&self) -> Result<Value> {
        let pairs: Vec<Value> =
            self.tests.pairs.iter().map(|pair| self.pair_json(pair)).collect::<Result<_>>()?;
        let names = self.tests.features.iter().map(|&place| self.tested.0.columns()[place].name());
        let mut all = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "data": self.subject.json(),
            "features": names.collect::<Vec<_>>(),
            "from": self.choice.from,
        });
        if let Some(recipe) = &self.recipe {
            all["method"] = recipe.info.name.into();
            all["options"] = Value::Object(recipe.settings.to_json());
            all["wrappers"] = recipe.wrappers_json().into();
        }
        let split = self.choice.split.map(|split| {
            json!({"share": split.share, "rows_that_rank": split.rows.0, "rows_that_test": split.rows.1})
        });
        let more = json!({
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "split": split,
            "permutations": self.choice.permutations,
            "permute_all": self.choice.permute_all,
            "within": self.columns.within,
            "group": self.columns.group,
            "scheme": self.columns.scheme_words(self.scheme),
            "covariates_in_models": self.covariates.is_some(),
            "covariates_in_ranking": self.covariates_in_ranking(),
            "statistic": self.tests.statistic.name(),
            "tested": self.tests.tested,
            "untested": self.tests.untested,
            "q_exact_up_to": self.tests.exact_q,
            "significant": self.significant(),
            "criterion": self.criterion(),
            "verdict": self.verdict().iter().map(Piece::text).collect::<String>(),
            "pairs": pairs,
            "warnings": self.subject.warnings_json(&self.warnings),
            "caution": self.caution(),
            "seconds": self.seconds,
        });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
        Ok(all)
    }

    fn pair_json(&self, pair: &TestedPair) -> Result<Value> {
        let feature = |second: bool| {
            let column = self.column(pair, second);
            let mut entry = json!({"name": column.name(), "kind": column.kind().name()});
            for (name, value) in column.locus().iter().flat_map(|locus| loci::json(locus)) {
                entry[name] = value;
            }
            entry
        };
        Ok(json!({
            "features": [feature(false), feature(true)],
            "statistic": pair.statistic,
            "df": pair.degrees,
            "residual_df": pair.residual,
            "p_value": pair.parametric.map(|found| found.p_value),
            "log10_p": pair.log10_p(),
            "bonferroni": pair.parametric.map(|found| found.bonferroni),
            "q_value": pair.parametric.map(|found| found.q_value),
            "adjusted_p_value": pair.adjusted,
            "interaction_information": pair.interaction_information,
            "rows": pair.rows,
            "table": self.counts_json(pair)?,
        }))
    }

    /// The table of a pair.
    pub fn pair_table(&self, pair: &TestedPair) -> Result<PairTable> {
        let places = [pair.first, pair.second].map(|place| self.tests.features[place]);
        PairTable::new(self.tested.0, places[0], places[1], self.tested.1)
    }

    fn counts_json(&self, pair: &TestedPair) -> Result<Value> {
        let table = self.pair_table(pair)?;
        let names = |levels: &[Level]| -> Vec<String> {
            levels.iter().map(|level| level.name.clone()).collect()
        };
        let width = table.second.len().max(1);
        let mut value = json!({
            "first": names(&table.first),
            "second": names(&table.second),
        });
        match &table.cells {
            Cells::Classes { names, counts } => {
                value["classes"] = json!(names);
                value["counts"] = json!(counts.chunks(width).collect::<Vec<_>>());
            }
            Cells::Real(cells) => {
                let cell = |cell: &TargetSummary| json!({"rows": cell.rows, "mean": cell.mean, "standard_deviation": cell.standard_deviation});
                let rows = cells.chunks(width).map(|row| row.iter().map(cell).collect::<Vec<_>>());
                value["cells"] = json!(rows.collect::<Vec<_>>());
            }
        }
        Ok(value)
    }

    fn csv(&self) -> String {
        let are_known = self.tests.pairs.iter().all(|pair| {
            self.column(pair, false).locus().is_some() && self.column(pair, true).locus().is_some()
        });
        let with_loci = are_known && !self.tests.pairs.is_empty();
        let adjusted = if self.has_adjusted() { ",adjusted_p_value" } else { "" };
        let residual = if self.is_f() { ",residual_df" } else { "" };
        let information = if self.is_f() { "" } else { ",interaction_information" };
        let loci = if with_loci { loci::CSV_HEAD_OF_PAIRS } else { "" };
        let parametric =
            if self.has_parametric() { ",p_value,log10_p,bonferroni,q_value" } else { "" };
        let mut text = format!(
            "feature_1,feature_2,statistic,df{residual}{parametric}{adjusted}{information},rows{loci}\n"
        );
        for pair in &self.tests.pairs {
            let names = [false, true].map(|second| csv_cell(self.column(pair, second).name()));
            text.push_str(&format!("{},{:?},{}", names.join(","), pair.statistic, pair.degrees));
            if self.is_f() {
                text.push_str(&format!(",{}", pair.residual.unwrap_or(0)));
            }
            if let (Some(found), Some(log10_p)) = (pair.parametric, pair.log10_p()) {
                let Parametric { p_value, bonferroni, q_value } = found;
                text.push_str(&format!(",{p_value:?},{log10_p:?},{bonferroni:?},{q_value:?}"));
            }
            if self.has_adjusted() {
                text.push_str(&format!(",{:?}", pair.adjusted.unwrap_or(1.0)));
            }
            if let Some(bits) = pair.interaction_information {
                text.push_str(&format!(",{bits:?}"));
            }
            text.push_str(&format!(",{}", pair.rows));
            for second in [false, true] {
                let locus = self.column(pair, second).locus().filter(|_| with_loci);
                text.push_str(&locus.map_or(String::new(), loci::csv));
            }
            text.push('\n');
        }
        text
    }
}

/// The p-value of a pair in a sentence: `p = 0.00012` or `p < 1e-16`, or the adjusted one if it has no other.
fn bounded(pair: &TestedPair) -> String {
    if pair.log10_p().is_some_and(|log| log < TINY.log10()) {
        return "p < 1e-16".to_string();
    }
    match (p_in_words(pair), pair.adjusted) {
        (Some(p), _) => format!("p = {p}"),
        (None, adjusted) => format!("adjusted p = {}", probability(adjusted.unwrap_or(1.0))),
    }
}

/// The p-value of a pair with three significant digits, computed from its logarithm if it is too small for a
/// floating-point number. `None` with groups of rows.
pub(crate) fn p_in_words(pair: &TestedPair) -> Option<String> {
    let (found, log) = (pair.parametric?, pair.log10_p()?);
    if log > -300.0 || log.is_infinite() {
        return Some(probability(found.p_value));
    }
    let exponent = log.floor();
    // 9.999 is rounded to 10.
    let digits = format!("{:.2}", 10_f64.powf(log - exponent));
    Some(match digits.as_str() {
        "10.00" => format!("1.00e{}", exponent + 1.0),
        _ => format!("{digits}e{exponent}"),
    })
}
