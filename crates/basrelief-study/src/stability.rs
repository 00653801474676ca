//! The stability of a selection, as table, JSON, CSV or page.

use basrelief::data::{ColumnKind, Table, Target};
use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling, Stability};
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{MethodInfo, Settings};
use basrelief::{Error, FrontEnd, Result, Run, Warning};
use basrelief_report::data::{Account, Piece};
use basrelief_report::{self as page, Block, Section, SectionsReport};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::pages::{Page, PageOptions, account, tell_recipe, tell_run};
use crate::recipe::Recipe;
use crate::resampling::USUAL_TOP;
use crate::subject::Subject;
use crate::text::{Format, Look, bars, counted, csv_cell, cut, percent, rounded, wrapped};

/// A table shows all features up to this number, and else as many as a resample selects, but not fewer than
/// [`USUAL_TOP`].
const MOST_SHOWN: usize = 30;

/// Names that a page's first sentence lists.
const KEPT: usize = 10;

/// The stability of a selection, and everything that is needed to repeat it.
#[derive(Debug)]
pub struct Steadiness<'a> {
    /// The data.
    pub subject: Subject<'a>,
    /// The method.
    pub recipe: Recipe<'a>,
    /// How rows were resampled.
    pub resampling: Resampling,
    /// The rankings of the resamples.
    pub found: ResampledRankings,
    /// How alike the selections are.
    pub stability: Stability,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Seed and threads.
    pub run: &'a Run,
}

/// A feature as it is shown.
struct Row<'s> {
    rank: usize,
    name: &'s str,
    kind: ColumnKind,
    found: ResampledFeature,
}

/// What a stability means. The measure is a form of Fleiss' kappa, and the bounds are those that are usual
/// for it.
fn reading(stability: &Stability) -> &'static str {
    match stability.value {
        _ if stability.interval.0 <= 0.0 => "no steadier than by chance",
        0.75.. => "steady, mostly the same features",
        0.4.. => "fairly steady, partly the same",
        _ => "unsteady, often other features",
    }
}

impl Steadiness<'_> {
    /// The answer in one line.
    pub fn answer(&self) -> String {
        let Stability { value, interval: (low, high), .. } = self.stability;
        format!(
            "stability {value:.3} (95 % interval {low:.3} to {high:.3}): {}",
            reading(&self.stability)
        )
    }

    /// In a format.
    pub fn text(&self, format: Format, look: Look) -> String {
        match format {
            Format::Table => self.table(look),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
        }
    }

    /// All features, the most often selected first.
    fn rows(&self) -> Vec<Row<'_>> {
        rows(self.subject.table(), &self.found)
    }

    fn table(&self, look: Look) -> String {
        let rows = self.rows();
        let all = rows.len();
        let shown =
            if all <= MOST_SHOWN { all } else { self.resampling.top.max(USUAL_TOP).min(all) };
        let rows = &rows[..shown];
        let names: Vec<String> = rows.iter().map(|row| cut(row.name, 32)).collect();
        let ranks: Vec<String> = rows
            .iter()
            .map(|row| format!("{} to {}", row.found.rank_interval.0, row.found.rank_interval.1))
            .collect();
        let widest = |texts: &[String], least: usize| {
            texts.iter().map(|text| text.width()).max().unwrap_or(0).max(least)
        };
        let rank_width = shown.to_string().len().max("rank".len());
        let name_width = widest(&names, "feature".len());
        let kind_width = rows.iter().map(|row| row.kind.name().len()).max().unwrap_or(4).max(4);
        let ranks_width = widest(&ranks, "95 % of".len());
        const MEDIAN: usize = "median".len();
        const SELECTED: usize = "selected".len();
        let taken = rank_width + name_width + kind_width + MEDIAN + ranks_width + SELECTED + 12;
        let frequencies: Vec<f64> = rows.iter().map(|row| row.found.frequency).collect();
        // A full bar is a feature that every resample selects.
        let scale = [frequencies.as_slice(), &[1.0]].concat();
        let bars = bars(&scale, look.width.saturating_sub(taken + 1).clamp(8, 40));

        let Resampling { resamples, top, .. } = self.resampling;
        let lines = [
            wrapped(&self.recipe.line(self.run), look.width),
            wrapped(
                &format!(
                    "{resamples} resamples of {} rows, each selects {top} of {}",
                    self.found.rows,
                    counted(all, "feature")
                ),
                look.width,
            ),
        ];
        let mut text = format!(
            "{}\n\n{}{}\n\n",
            look.bold(&wrapped(&self.answer(), look.width)),
            self.subject.lines(look.width),
            lines.join("\n")
        );
        let blank = "";
        let heads = [
            format!(
                "{blank:>rank_width$}  {blank:<name_width$}  {blank:<kind_width$}  median  95 % of"
            ),
            format!(
                "{:>rank_width$}  {:<name_width$}  {:<kind_width$}    rank  {:<ranks_width$}  selected",
                "rank", "feature", "kind", "ranks"
            ),
        ];
        for head in heads {
            text.push_str(&look.bold(head.trim_end()));
            text.push('\n');
        }
        for (((row, name), ranks), bar) in rows.iter().zip(&names).zip(&ranks).zip(&bars) {
            // `format!` pads to characters, of which some take two places and some none.
            let name = format!("{name}{}", " ".repeat(name_width - name.width()));
            let line = format!(
                "{:>rank_width$}  {name}  {:<kind_width$}  {:>MEDIAN$}  {ranks:<ranks_width$}  {:>6.1} %  {}",
                row.rank,
                row.kind.name(),
                row.found.median_rank,
                100.0 * row.found.frequency,
                look.style("36", bar),
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if shown < all {
            text.push_str(&format!(
                "… {} not shown (--format csv has all)\n",
                counted(all - shown, "more feature")
            ));
        }
        look.spell(&text)
    }

    /// The page: the stability of the selection, and how often each feature is selected.
    ///
    /// # Errors
    /// [`Error::Internal`] only.
    pub fn page(&self, options: &PageOptions) -> Result<Page> {
        let mut account = account(&self.subject, options.command.clone());
        tell_resampling(&mut account, self.recipe, &self.resampling, self.found.rows, self.run);
        let time =
            options.with_time.then(|| (format!("{:.3} s", self.found.seconds), self.run.threads()));
        tell_run(&mut account, self.run.seed(), time, (&self.warnings, self.subject.audience()));
        let answer = vec![Piece::Words(format!("The selection has {}.", self.answer()))];
        let page = stability_page(account, answer, self.subject.table(), &self.found, None);
        Ok(options.page(page.to_html()?, || self.value()))
    }

    fn json(&self) -> String {
        format!("{:#}\n", self.value())
    }

    /// All that was found, in JSON.
    fn value(&self) -> Value {
        let features: Vec<Value> = self
            .rows()
            .iter()
            .map(|row| {
                let (low, high) = row.found.rank_interval;
                json!({
                    "name": row.name,
                    "kind": row.kind.name(),
                    "rank": row.rank,
                    "frequency": row.found.frequency,
                    "median_rank": row.found.median_rank,
                    "rank_interval": [low, high],
                    "mean_weight": row.found.mean_weight,
                })
            })
            .collect();
        let Stability { value, standard_error, interval: (low, high) } = self.stability;
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.recipe.info.name,
            "options": self.recipe.settings.to_json(),
            "wrappers": self.recipe.wrappers_json(),
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "data": self.subject.json(),
            "resampling": {
                "resamples": self.resampling.resamples,
                "fraction": self.resampling.fraction,
                "rows": self.found.rows,
                "top": self.resampling.top,
            },
            "stability": {
                "value": value,
                "standard_error": standard_error,
                "interval": [low, high],
            },
            "features": features,
            "warnings": self.subject.warnings_json(&self.warnings),
            "seconds": self.found.seconds,
        })
    }

    fn csv(&self) -> String {
        let mut text =
            "rank,feature,frequency,median_rank,least_rank,greatest_rank,mean_weight,kind\n"
                .to_string();
        for row in self.rows() {
            let (low, high) = row.found.rank_interval;
            // `{:?}` is the shortest text that reads back as the same number.
            text.push_str(&format!(
                "{},{},{:?},{},{low},{high},{:?},{}\n",
                row.rank,
                csv_cell(row.name),
                row.found.frequency,
                row.found.median_rank,
                row.found.mean_weight,
                row.kind.name()
            ));
        }
        text
    }
}

/// All features, the most often selected first.
fn rows<'t>(table: &'t Table<'_>, found: &ResampledRankings) -> Vec<Row<'t>> {
    let columns = table.columns();
    (1..)
        .zip(found.order().into_iter().filter(|&feature| feature < columns.len()))
        .map(|(rank, feature)| Row {
            rank,
            name: columns[feature].name(),
            kind: columns[feature].kind(),
            found: found.features[feature],
        })
        .collect()
}

/// How often features were selected when rows were left out, found before, for a page of it.
#[derive(Debug)]
pub struct KnownStability<'a> {
    /// The name of the data.
    pub data: &'a str,
    /// The features, as when they were ranked.
    pub table: &'a Table<'a>,
    /// Name and values of the target.
    pub target: (&'a str, &'a Target),
    /// The method.
    pub method: &'static MethodInfo,
    /// The method's options.
    pub settings: &'a Settings,
    /// The wrappers around it, the first next to the method.
    pub wrappers: &'a [Wrapper],
    /// How rows were resampled.
    pub resampling: Resampling,
    /// The results of the features, in the order of the columns.
    pub found: ResampledRankings,
    /// How alike the selections are: the measure and its 95 % interval, where it is defined.
    pub stability: Option<(f64, (f64, f64))>,
    /// The frequency from which on a feature is kept, infinite where none is.
    pub cutoff: f64,
    /// The estimated share of false features among those kept, where it was estimated.
    pub false_share: Option<f64>,
    /// Warnings, in the words of the front end.
    pub warnings: Vec<String>,
    /// The command or line of code that repeats the result.
    pub command: String,
}

impl KnownStability<'_> {
    /// The page, as of `basrelief stability --report`, with the features that are kept, and without a
    /// time. The seed is the run's.
    ///
    /// # Errors
    /// The number of features is not that of the columns.
    pub fn page(self, run: &Run) -> Result<String> {
        let width = self.table.width();
        if self.found.features.len() != width {
            let found = counted(self.found.features.len(), "feature");
            return Err(Error::Internal(format!("what was found of {found} of {width} columns")));
        }
        let recipe = Recipe { info: self.method, settings: self.settings, wrappers: self.wrappers };
        let subject = Subject::new(self.data, self.table, Some(self.target), FrontEnd::Python);
        let mut account = account(&subject, Some(self.command));
        tell_resampling(&mut account, recipe, &self.resampling, self.found.rows, run);
        if self.false_share.is_some() {
            account.tell("Copies", "a permuted copy of every feature is ranked beside it");
        }
        tell_run(&mut account, run.seed(), None, (&[], subject.audience()));
        account.warnings.extend(self.warnings);
        let kept: Vec<&str> = rows(self.table, &self.found)
            .iter()
            .filter(|row| row.found.frequency >= self.cutoff)
            .map(|row| row.name)
            .collect();
        let mut words = match kept.len() {
            0 => format!(
                "None of {} is selected often enough to be kept.",
                counted(width, "feature")
            ),
            count => format!(
                "{count} of {} {} selected in at least {} of the resamples",
                counted(width, "feature"),
                if count == 1 { "is" } else { "are" },
                percent(self.cutoff)
            ),
        };
        let mut answer = Vec::new();
        if let [first, rest @ ..] = kept.as_slice() {
            words.push_str(": ");
            answer.push(Piece::Words(std::mem::take(&mut words)));
            answer.push(Piece::Name((*first).to_string()));
            for name in rest.iter().take(KEPT - 1) {
                answer.push(Piece::Words(", ".to_string()));
                answer.push(Piece::Name((*name).to_string()));
            }
            words.push_str(if kept.len() > KEPT { ", …" } else { "." });
        }
        if let Some(share) = self.false_share.filter(|_| !kept.is_empty()) {
            words.push_str(&format!(" An estimated {} of those kept are false.", percent(share)));
        }
        if let Some((value, (low, high))) = self.stability {
            words.push_str(&format!(
                " The stability of the selections is {value:.3} (95 % interval {low:.3} to {high:.3})."
            ));
        }
        answer.push(Piece::Words(words));
        stability_page(account, answer, self.table, &self.found, Some(self.cutoff)).to_html()
    }
}

/// Tells the method, its options, and how rows were resampled.
fn tell_resampling(
    account: &mut Account,
    recipe: Recipe<'_>,
    resampling: &Resampling,
    rows: usize,
    run: &Run,
) {
    tell_recipe(account, recipe, &recipe.line(run));
    let selects = format!("each selects {}", counted(resampling.top, "feature"));
    account.tell("Resamples", format!("{} of {rows} rows, {selects}", resampling.resamples));
}

/// The page: the answer, how often each feature is selected, and what it means. Features are kept from the
/// cut-off on, where there is one.
fn stability_page(
    account: Account,
    answer: Vec<Piece>,
    table: &Table<'_>,
    found: &ResampledRankings,
    cutoff: Option<f64>,
) -> SectionsReport {
    let rows = rows(table, found);
    let shown = &rows[..rows.len().min(MOST_SHOWN)];
    let mut head = vec![
        ("feature", false),
        ("selected", true),
        ("median rank", true),
        ("95 % of ranks", true),
        ("mean weight", true),
        ("kind", false),
    ];
    head.extend(cutoff.map(|_| ("kept", false)));
    let cells = shown.iter().map(|row| {
        let ResampledFeature { frequency, median_rank, rank_interval, mean_weight } = row.found;
        let mut cells = vec![
            row.name.to_string(),
            percent(frequency),
            median_rank.to_string(),
            format!("{} to {}", rank_interval.0, rank_interval.1),
            rounded(mean_weight, 4).trim_start_matches([' ', '+']).to_string(),
            row.kind.name().to_string(),
        ];
        let kept = |cutoff| if frequency >= cutoff { "yes" } else { "no" };
        cells.extend(cutoff.map(|cutoff| kept(cutoff).to_string()));
        cells
    });
    let ranks = shown.iter().map(|row| {
        let ResampledFeature { median_rank, rank_interval: (low, high), .. } = row.found;
        Some([low, median_rank, high].map(|rank| rank as f64))
    });
    let all = counted(rows.len(), "feature");
    let table = page::Table {
        caption: match shown.len() < rows.len() {
            true => format!("The {} that are selected most often, of {all}", shown.len()),
            false => format!("All {all}"),
        },
        head: head.into_iter().map(|(name, is_number)| (name.to_string(), is_number)).collect(),
        rows: cells.collect(),
        intervals: Some(ranks.collect()),
        ..page::Table::default()
    };
    let reading = "The point is the median of a feature's ranks, and the line reaches from the 2.5 % to the 97.5 % \
                   quantile: the further left, the better. A feature that is selected in some resamples and not \
                   in others is one of several that change places.";
    let meaning = "Stability (Nogueira, Sechidis and Brown 2018) is 1 where all resamples select the same \
                   features, and 0 in expectation where they select at random. Steady is not relevant: what the \
                   method favors is selected every time, whether it is real or not.";
    let text = |text: &str| Block::Text(text.to_string());
    let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
    SectionsReport {
        title: format!("Stability of a selection from {}", account.data),
        answer,
        account,
        sections: vec![
            section("How often each feature is selected", vec![text(reading), Block::Table(table)]),
            section("How to read it", vec![text(meaning)]),
        ],
    }
}
