//! `basrelief stability`: how steady is a selection?

use basrelief::data::ColumnKind;
use basrelief::inference::{
    ResampledFeature, ResampledRankings, Resampling, Stability, resampled_rankings,
};
use basrelief::methods::Problem;
use basrelief::{Run, Warning};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args;
use crate::exit::{Outcome, say};
use crate::input::Input;
use crate::output::{Destination, Format};
use crate::rank::Weighing;
use crate::recipe::Recipe;
use crate::subject::{Subject, tell_warnings, warnings_json};
use crate::text::{Look, bars, counted, csv_cell, cut, wrapped};

/// Features that a resample selects unless the user says how many, and half of the features at most.
const USUAL_TOP: usize = 20;

/// A table shows all features up to this number, and else as many as a resample selects, but not fewer than
/// [`USUAL_TOP`].
const MOST_SHOWN: usize = 30;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let mut weighing = Weighing::from_args(matches)?;
    let input = Input::from_args(matches)?;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    if let Some(file) = destination.file() {
        input.refuse_overwriting("output", file)?;
    }
    let stated_top = matches.get_one::<usize>("top").copied();
    let mut resampling = Resampling {
        resamples: matches.get_one("resamples").copied().unwrap_or(100),
        fraction: matches.get_one("fraction").copied().unwrap_or(0.5),
        top: stated_top.unwrap_or(USUAL_TOP),
    };
    resampling.check()?;

    let (table, target, _, mut warnings) = weighing.read(&input, &run)?;
    if stated_top.is_none() {
        resampling.top = USUAL_TOP.min(table.width() / 2).max(1);
    }
    let recipe = weighing.recipe();
    let found = Problem::new(&table, &target)
        .map(|problem| problem.with_target_name(weighing.target()))
        .and_then(|problem| {
            let Recipe { info, settings, wrappers } = recipe;
            resampled_rankings(info, settings, wrappers, &problem, &resampling, &run)
        })
        .map_err(|error| error.in_file(input.path()))?;
    let stability = found.stability()?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;
    warnings.extend(found.warnings.iter().cloned());
    let subject =
        Subject::new(input.path().to_string_lossy(), &table, Some((weighing.target(), &target)));
    let seconds = found.seconds;
    let steadiness =
        Steadiness { subject, recipe, resampling, found, stability, warnings, run: &run };
    destination.write(&steadiness.text(destination.format(), destination.look()))?;
    if !args::quiet(matches) {
        tell_warnings(&steadiness.warnings);
        if let Some(file) = destination.file() {
            say(&format!("wrote {}", file.display()));
        }
        if destination.format() != Format::Table || destination.file().is_some() {
            say(&steadiness.answer());
        }
        say(&format!("ranked {} times in {seconds:.3} s", resampling.resamples));
    }
    Ok(())
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

    fn json(&self) -> String {
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
        let all = json!({
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
        });
        format!("{all:#}\n")
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
