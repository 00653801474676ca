//! The stability of a selection, as table, JSON, CSV or page.

use basrelief::data::ColumnKind;
use basrelief::inference::{ResampledFeature, Resampling, Stability};
use basrelief::{Error, Result, Run, Warning};
use basrelief_report::data::{Account, Piece};
use basrelief_report::figures::{Curve, Panel, curves};
use basrelief_report::{self as page, Block, Section, SectionsReport};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::outcome::Selections;
use crate::pages::{Page, PageOptions, account, tell_recipe, tell_run};
use crate::resampling::{StabilityAt, USUAL_TOP};
use crate::subject::Subject;
use crate::text::{Format, Look, bars, counted, csv_cell, cut, percent, rounded, wrapped};

/// A table shows all features up to this number. Of more features it shows as many as a resample selects, but not fewer
/// than [`USUAL_TOP`].
const MOST_SHOWN: usize = 30;

/// Numbers of features whose stability a terminal shows, in addition to the number that a resample selects.
const SHOWN_NUMBERS: [usize; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500];

/// Names that a page's first sentence lists.
const KEPT: usize = 10;

/// The stability of a selection, and everything that is needed to repeat it.
#[derive(Debug)]
pub struct Steadiness<'a> {
    /// The data.
    pub subject: Subject<'a>,
    /// How often each feature was selected.
    pub found: &'a Selections,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Which features are kept, if that was decided.
    pub kept: Option<Kept>,
    /// The threads.
    pub run: &'a Run,
}

/// A selection of features that are selected often.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The frequency from which on a feature is kept, infinite where none is.
    pub cutoff: f64,
    /// The estimated share of false features among those kept, where it was estimated.
    pub false_share: Option<f64>,
}

/// A feature as it is shown.
struct Row<'s> {
    rank: usize,
    name: &'s str,
    kind: ColumnKind,
    found: ResampledFeature,
}

/// Describes a stability. The measure is a form of Fleiss' kappa, and the bounds are those that are usual for it.
fn reading(stability: &Stability) -> &'static str {
    match stability.value {
        _ if stability.interval.0 <= 0.0 => "no more stable than random selections",
        0.75.. => "stable, mostly the same features",
        0.4.. => "fairly stable, partly the same",
        _ => "unstable, often different features",
    }
}

impl Steadiness<'_> {
    /// The answer in one line.
    pub fn answer(&self) -> String {
        match self.found.stability {
            Some(stability) => {
                format!("stability {}: {}", in_words(stability), reading(&stability))
            }
            None => {
                "the stability is not defined: the same features are always selected".to_string()
            }
        }
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
            if all <= MOST_SHOWN { all } else { self.found.resampling.top.max(USUAL_TOP).min(all) };
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

        let Resampling { resamples, top, .. } = self.found.resampling;
        let lines = [
            wrapped(&self.found.recipe().line(self.run), look.width),
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
        text.push_str(&self.curve_table(look));
        look.spell(&text)
    }

    /// The number of features whose selections are most stable; of equal stabilities the largest number.
    fn most_stable(&self) -> Option<(usize, Stability)> {
        let known = |at: &StabilityAt| Some((at.features, at.stability?));
        let curve = self.found.curve.iter().filter_map(known);
        curve.max_by(|(_, one), (_, other)| one.value.total_cmp(&other.value))
    }

    /// The most stable number of features in words.
    fn most_stable_line(&self) -> Option<String> {
        let (count, stability) = self.most_stable()?;
        let features = counted(count, "feature");
        Some(format!("the selection is most stable with {features}: {}", in_words(stability)))
    }

    /// The stability by number of features in two lines, and the number with the largest; empty if there is nothing to
    /// compare.
    fn curve_table(&self, look: Look) -> String {
        let most_stable = self.most_stable().map(|(count, _)| count);
        let is_kept =
            |count: usize| count == self.found.resampling.top || Some(count) == most_stable;
        let is_shown =
            |at: &&StabilityAt| is_kept(at.features) || SHOWN_NUMBERS.contains(&at.features);
        let mut columns: Vec<(usize, String)> = (self.found.curve.iter().filter(is_shown))
            .filter_map(|at| Some((at.features, format!("{:.3}", at.stability?.value))))
            .collect();
        let Some(best) = self.most_stable_line().filter(|_| columns.len() > 1) else {
            return String::new();
        };
        let heads = ["features", "stability"];
        let width = |(count, value): &(usize, String)| count.to_string().len().max(value.len()) + 2;
        // The largest numbers are left out of a narrow terminal.
        while columns.len() > 3
            && heads[1].len() + columns.iter().map(width).sum::<usize>() > look.width
        {
            let last = columns.iter().rposition(|(count, _)| !is_kept(*count));
            columns.remove(last.unwrap_or(0));
        }
        let (mut counts, mut values) = (format!("{:<9}", heads[0]), heads[1].to_string());
        for column in &columns {
            let width = width(column);
            counts.push_str(&format!("{:>width$}", column.0));
            values.push_str(&format!("{:>width$}", column.1));
        }
        format!("\n{}\n{values}\n{}\n", look.bold(&counts), wrapped(&best, look.width))
    }

    /// The page: how often each feature is selected, the stability of the selection, and which features are kept, if that
    /// was decided.
    ///
    /// # Errors
    /// [`Error::Internal`]: the features are not those of the table.
    pub fn page(&self, options: &PageOptions) -> Result<Page> {
        let width = self.subject.table().width();
        if self.found.features.len() != width {
            let found = counted(self.found.features.len(), "feature");
            return Err(Error::Internal(format!("results on {found} for {width} columns")));
        }
        let mut account = account(&self.subject, options.command.clone());
        let recipe = self.found.recipe();
        tell_recipe(&mut account, recipe, &recipe.line(self.run));
        let Resampling { resamples, top, .. } = self.found.resampling;
        let selects = format!("each selects {}", counted(top, "feature"));
        account.tell("Resamples", format!("{resamples} of {} rows, {selects}", self.found.rows));
        if self.kept.is_some_and(|kept| kept.false_share.is_some()) {
            account.tell("Copies", "a permuted copy of every feature is ranked with it");
        }
        let time =
            options.with_time.then(|| (format!("{:.3} s", self.found.seconds), self.run.threads()));
        tell_run(&mut account, self.found.seed, time, (&self.warnings, self.subject.audience()));
        let answer = match self.kept {
            Some(kept) => self.answer_of(kept),
            None => vec![Piece::Words(format!("The selection has {}.", self.answer()))],
        };
        let page = self.sections(account, answer)?;
        Ok(options.page(page.to_html()?, || self.value()))
    }

    /// Which features are kept, as the answer of a page.
    fn answer_of(&self, Kept { cutoff, false_share }: Kept) -> Vec<Piece> {
        let rows = self.rows();
        let all = counted(rows.len(), "feature");
        let kept: Vec<&str> =
            rows.iter().filter(|row| row.found.frequency >= cutoff).map(|row| row.name).collect();
        let mut words = match kept.len() {
            0 => format!("None of {all} is selected often enough to be kept."),
            count => format!(
                "{count} of {all} {} selected in at least {} of the resamples",
                if count == 1 { "is" } else { "are" },
                percent(cutoff)
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
        if let Some(share) = false_share.filter(|_| !kept.is_empty()) {
            words.push_str(&format!(" An estimated {} of those kept are false.", percent(share)));
        }
        if let Some(stability) = self.found.stability {
            words
                .push_str(&format!(" The stability of the selections is {}.", in_words(stability)));
        }
        answer.push(Piece::Words(words));
        answer
    }

    fn json(&self) -> String {
        format!("{:#}\n", self.value())
    }

    /// All results in JSON.
    fn value(&self) -> Value {
        let columns = self.subject.table().columns();
        let selections: Vec<Vec<&str>> = (self.found.selections.iter())
            .map(|one| one.iter().map(|&feature| columns[feature as usize].name()).collect())
            .collect();
        let curve: Vec<Value> = (self.found.curve.iter())
            .map(|at| json!({"features": at.features, "stability": at.stability.map(stability_json)}))
            .collect();
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
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.found.recipe().info.name,
            "options": self.found.recipe().settings.to_json(),
            "wrappers": self.found.recipe().wrappers_json(),
            "seed": self.found.seed,
            "threads": self.run.threads(),
            "data": self.subject.json(),
            "resampling": {
                "resamples": self.found.resampling.resamples,
                "fraction": self.found.resampling.fraction,
                "rows": self.found.rows,
                "top": self.found.resampling.top,
            },
            "stability": self.found.stability.map(stability_json),
            "curve": curve,
            "most_stable_features": self.most_stable().map(|(features, _)| features),
            "features": features,
            "selections": selections,
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

    /// The stability by number of features with its 95 % interval, as a section of the page; `None` if there are fewer
    /// than two numbers.
    fn curve_section(&self) -> Result<Option<Section>> {
        let known: Vec<(f64, Stability)> = (self.found.curve.iter())
            .filter_map(|at| Some((at.features as f64, at.stability?)))
            .collect();
        let Some(best) = self.most_stable_line().filter(|_| known.len() > 1) else {
            return Ok(None);
        };
        let curve = |name: &str, height: fn(&Stability) -> f64| Curve {
            name: name.to_string(),
            points: known.iter().map(|(count, stability)| (*count, height(stability))).collect(),
        };
        let panel = Panel {
            title: String::new(),
            x_label: "features selected".to_string(),
            y_label: "stability".to_string(),
            curves: vec![
                curve("stability", |one| one.value),
                curve("95 % interval, lower end", |one| one.interval.0),
                curve("95 % interval, upper end", |one| one.interval.1),
            ],
        };
        let svg = curves("Stability by number of features", 1, &[panel])?;
        let note = format!(
            "The stability if every resample selected another number of features, computed from the same rankings: \
             {best}. A stable number is not a sufficient one: basrelief evaluate reports the prediction error by \
             number of features."
        );
        let alt = "The stability of the selection and its 95 % interval by number of features"
            .to_string();
        let blocks = vec![Block::Text(note), Block::Figure { svg, alt }];
        Ok(Some(Section { heading: "How many features".to_string(), blocks }))
    }

    /// The sections of the page: how often each feature is selected, how many features are selected stably, and how to
    /// read both.
    fn sections(&self, account: Account, answer: Vec<Piece>) -> Result<SectionsReport> {
        let rows = self.rows();
        let cutoff = self.kept.map(|kept| kept.cutoff);
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
                       features, and 0 in expectation where they select at random. A stable feature need not be \
                       relevant: a feature that the method favors is selected every time, whether its effect is real \
                       or not.";
        let text = |text: &str| Block::Text(text.to_string());
        let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
        let mut sections = vec![section(
            "How often each feature is selected",
            vec![text(reading), Block::Table(table)],
        )];
        sections.extend(self.curve_section()?);
        sections.push(section("How to read it", vec![text(meaning)]));
        Ok(SectionsReport {
            title: format!("Stability of a selection from {}", account.data),
            answer,
            account,
            sections,
        })
    }
}

/// A stability in JSON.
fn stability_json(Stability { value, standard_error, interval: (low, high) }: Stability) -> Value {
    json!({"value": value, "standard_error": standard_error, "interval": [low, high]})
}

/// A stability with its interval.
fn in_words(Stability { value, interval: (low, high), .. }: Stability) -> String {
    format!("{value:.3} (95 % interval {low:.3} to {high:.3})")
}
