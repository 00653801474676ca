//! `basrelief stability`: how steady is a selection?

use std::ffi::OsString;

use basrelief::data::ColumnKind;
use basrelief::inference::{ResampledFeature, ResampledRankings, Resampling, Stability};
use basrelief::{Error, Run, Warning};
use basrelief_report::data::Piece;
use basrelief_report::{Block, Section, SectionsReport, Table};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::{Destination, Format};
use crate::rank::Weighing;
use crate::recipe::Recipe;
use crate::report::{ReportArgs, account, command_line, tell_run};
use crate::resampling::{USUAL_TOP, resampling, usual_top};
use crate::subject::{Subject, tell_warnings, warnings_json};
use crate::text::{Look, bars, counted, csv_cell, cut, rounded, wrapped};

/// A table shows all features up to this number, and else as many as a resample selects, but not fewer than
/// [`USUAL_TOP`].
const MOST_SHOWN: usize = 30;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    let mut weighing = Weighing::from_args(matches)?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }
    let report = ReportArgs::from_args(matches, Some(&input), destination.file())?;
    let stated_top = matches.get_one::<usize>("top").copied();
    let asked = resampling(matches)?
        .ok_or_else(|| Error::Internal("the resamples argument has no default".to_string()))?;

    let (table, target, _, mut warnings) = weighing.read(&input, &run)?;
    let top = stated_top.unwrap_or_else(|| usual_top(table.width()));
    let resampling = Resampling { top, ..asked };
    let found = weighing.resample(&input, &table, &target, &resampling, &run)?;
    let stability = found.stability()?;
    warnings.extend(found.warnings.iter().cloned());
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((weighing.target(), &target)));
    let seconds = found.seconds;
    let steadiness = Steadiness {
        subject,
        recipe: weighing.recipe(),
        resampling,
        found,
        stability,
        warnings,
        run: &run,
    };
    let page = match &report {
        Some(report) => {
            let page = steadiness.page(arguments, report.with_time());
            Some(report.page(page.to_html()?, || steadiness.value()))
        }
        None => None,
    };
    if let (Some(report), Some(page)) = (&report, page) {
        report.write(&page)?;
    }
    destination.write(&steadiness.text(destination.format(), destination.look()))?;
    if !args::quiet(matches) {
        tell_warnings(&steadiness.warnings);
        let pages = report.iter().flat_map(ReportArgs::files);
        for file in destination.file().into_iter().chain(pages) {
            say(&format!("wrote {}", file.display()));
        }
        if destination.format() != Format::Table || destination.file().is_some() {
            say(&steadiness.answer());
        }
        say(&format!("ranked {} times in {seconds:.3} s", resampling.resamples));
    }
    report.map_or(Ok(()), |report| report.open())
}

/// How steady a selection is, and all that is needed to repeat it.
struct Steadiness<'a> {
    subject: Subject<'a>,
    recipe: Recipe<'a>,
    resampling: Resampling,
    found: ResampledRankings,
    stability: Stability,
    warnings: Vec<Warning>,
    run: &'a Run,
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
    fn answer(&self) -> String {
        let Stability { value, interval: (least, greatest), .. } = self.stability;
        format!(
            "stability {value:.3} (95 % interval {least:.3} to {greatest:.3}): {}",
            reading(&self.stability)
        )
    }

    fn text(&self, format: Format, look: Look) -> String {
        match format {
            Format::Table => self.table(look),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
        }
    }

    /// All features, the most often selected first.
    fn rows(&self) -> Vec<Row<'_>> {
        let columns = self.subject.table().columns();
        (1..)
            .zip(self.found.order())
            .map(|(rank, feature)| Row {
                rank,
                name: columns[feature].name(),
                kind: columns[feature].kind(),
                found: self.found.features[feature],
            })
            .collect()
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
        // A full bar is a feature that every resample selects: the greatest frequency that there can be.
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

    /// The page: how steady the selection is, and how often each feature is selected.
    fn page(&self, arguments: &[OsString], with_time: bool) -> SectionsReport {
        let mut account = account(&self.subject, Some(command_line(arguments)));
        let method = self.recipe.line(self.run);
        account.tell("Method", method.strip_prefix("method ").unwrap_or(&method));
        let Resampling { resamples, top, .. } = self.resampling;
        let selects = format!("each selects {}", counted(top, "feature"));
        account.tell("Resamples", format!("{resamples} of {} rows, {selects}", self.found.rows));
        let time = with_time.then(|| (format!("{:.3} s", self.found.seconds), self.run.threads()));
        tell_run(&mut account, self.run.seed(), time, &self.warnings);
        let options = self.recipe.settings.iter();
        account.options = options.map(|(name, v)| (name.to_string(), v.to_string())).collect();

        let rows = self.rows();
        let shown = &rows[..rows.len().min(MOST_SHOWN)];
        let head = [
            ("feature", false),
            ("selected", true),
            ("median rank", true),
            ("95 % of ranks", true),
            ("mean weight", true),
            ("kind", false),
        ];
        let cells = shown.iter().map(|row| {
            let ResampledFeature { frequency, median_rank, rank_interval, mean_weight } = row.found;
            vec![
                row.name.to_string(),
                format!("{:.1} %", 100.0 * frequency),
                median_rank.to_string(),
                format!("{} to {}", rank_interval.0, rank_interval.1),
                rounded(mean_weight, 4).trim_start_matches([' ', '+']).to_string(),
                row.kind.name().to_string(),
            ]
        });
        let ranks = shown.iter().map(|row| {
            let ResampledFeature { median_rank, rank_interval: (least, greatest), .. } = row.found;
            Some([least, median_rank, greatest].map(|rank| rank as f64))
        });
        let table = Table {
            caption: match shown.len() < rows.len() {
                true => format!(
                    "The {} that are selected most often, of {}",
                    shown.len(),
                    counted(rows.len(), "feature")
                ),
                false => format!("All {}", counted(rows.len(), "feature")),
            },
            head: head.map(|(name, is_number)| (name.to_string(), is_number)).to_vec(),
            rows: cells.collect(),
            intervals: Some(ranks.collect()),
        };
        let reading = "The point is the median of a feature's ranks, and the line reaches from the 2.5 % to the \
                       97.5 % quantile: the further left, the better. A feature that is selected in some \
                       resamples and not in others is one of several that change places.";
        let meaning = "Stability (Nogueira, Sechidis and Brown 2018) is 1 where all resamples select the same \
                       features, and 0 in expectation where they select at random. Steady is not relevant: what \
                       the method favors is selected every time, whether it is real or not.";
        let text = |text: &str| Block::Text(text.to_string());
        let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
        SectionsReport {
            title: format!("Stability of a selection from {}", account.data),
            answer: vec![Piece::Words(format!("The selection has {}.", self.answer()))],
            account,
            sections: vec![
                section(
                    "How often each feature is selected",
                    vec![text(reading), Block::Table(table)],
                ),
                section("How to read it", vec![text(meaning)]),
            ],
        }
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
                let (least, greatest) = row.found.rank_interval;
                json!({
                    "name": row.name,
                    "kind": row.kind.name(),
                    "rank": row.rank,
                    "frequency": row.found.frequency,
                    "median_rank": row.found.median_rank,
                    "rank_interval": [least, greatest],
                    "mean_weight": row.found.mean_weight,
                })
            })
            .collect();
        let Stability { value, standard_error, interval: (least, greatest) } = self.stability;
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
                "interval": [least, greatest],
            },
            "features": features,
            "warnings": warnings_json(&self.warnings),
            "seconds": self.found.seconds,
        })
    }

    fn csv(&self) -> String {
        let mut text =
            "rank,feature,frequency,median_rank,least_rank,greatest_rank,mean_weight,kind\n"
                .to_string();
        for row in self.rows() {
            let (least, greatest) = row.found.rank_interval;
            // `{:?}` is the shortest text that reads back as the same number.
            text.push_str(&format!(
                "{},{},{:?},{},{least},{greatest},{:?},{}\n",
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
