//! A ranking as table, JSON or CSV.

use basrelief::data::ColumnKind;
use basrelief::maps::FeatureWeights;
use basrelief::neighbors::NeighborSearch;
use basrelief::{Fitted, Plan, Report, Run, Warning};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::output::Format;
use crate::recipe::Recipe;
use crate::subject::{Subject, add_report, warnings_json};
use crate::text::{Look, bars, counted, csv_cell, cut, significant, wrapped};

/// A table shows this many features when there are more than [`MOST_SHOWN`] and the user does not
/// say how many.
const SHOWN: usize = 20;

/// A table shows all features up to this number.
const MOST_SHOWN: usize = 30;

/// One feature of a ranking.
#[derive(Debug)]
struct Ranked {
    rank: usize,
    name: String,
    kind: ColumnKind,
    weight: f64,
}

/// A finished ranking and all that is needed to repeat it.
#[derive(Debug)]
pub(crate) struct Ranking<'a> {
    subject: Subject<'a>,
    recipe: Recipe<'a>,
    /// The method, with the options that are not the default.
    method_line: String,
    report: Report,
    seed: u64,
    threads: usize,
    features: Vec<Ranked>,
    warnings: Vec<Warning>,
}

impl<'a> Ranking<'a> {
    /// From the result of a method's fit; `warnings` are those from before the fit.
    pub(crate) fn new(
        subject: Subject<'a>,
        recipe: Recipe<'a>,
        run: &Run,
        mut warnings: Vec<Warning>,
        fitted: Fitted<FeatureWeights>,
    ) -> Self {
        let ranks = fitted.map.ranks();
        let features = fitted
            .map
            .order()
            .into_iter()
            .map(|feature| Ranked {
                rank: ranks[feature],
                name: fitted.map.names()[feature].clone(),
                kind: subject.table().columns()[feature].kind(),
                // Minus zero would read as a mistake.
                weight: fitted.map.weights()[feature] + 0.0,
            })
            .collect();
        warnings.extend(fitted.report.warnings.iter().cloned());
        Self {
            subject,
            recipe,
            method_line: recipe.line(run),
            report: fitted.report,
            seed: run.seed(),
            threads: run.threads(),
            features,
            warnings,
        }
    }

    /// Name, rank and weight of every feature, best first.
    pub(crate) fn features(&self) -> impl Iterator<Item = (&str, usize, f64)> {
        self.features.iter().map(|feature| (feature.name.as_str(), feature.rank, feature.weight))
    }

    /// Seconds of the fit.
    pub(crate) fn seconds(&self) -> f64 {
        self.report.seconds
    }

    /// How the fit was planned.
    pub(crate) fn plan(&self) -> &Plan {
        &self.report.plan
    }

    /// Where a tree found the neighbors, that it did; else nothing.
    pub(crate) fn search_note(&self) -> String {
        match self.report.search {
            Some(search @ NeighborSearch::KdTree) => format!(" (search: {search})"),
            Some(NeighborSearch::AllPairs) | None => String::new(),
        }
    }

    /// In the format asked for; `top` is how many features the user wants to see.
    pub(crate) fn text(&self, format: Format, top: Option<usize>, look: Look) -> String {
        match format {
            Format::Table => self.table(top, look),
            Format::Json => self.json(top),
            Format::Csv => self.csv(top),
        }
    }

    /// The warnings, those from before the fit first.
    pub(crate) fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn table(&self, top: Option<usize>, look: Look) -> String {
        let all = self.features.len();
        let shown = match top {
            Some(top) => top.min(all),
            None if all > MOST_SHOWN => SHOWN,
            None => all,
        };
        let features = &self.features[..shown];
        let names: Vec<String> = features.iter().map(|feature| cut(&feature.name, 40)).collect();
        let weights: Vec<String> =
            features.iter().map(|feature| significant(feature.weight)).collect();
        let width_of = |texts: &[String], least: usize| {
            texts.iter().map(|text| text.width()).max().unwrap_or(0).max(least)
        };
        let rank_width = features.last().map_or(4, |last| last.rank.to_string().len()).max(4);
        let name_width = width_of(&names, "feature".len());
        let kind_width =
            features.iter().map(|feature| feature.kind.name().len()).max().unwrap_or(4).max(4);
        let weight_width = width_of(&weights, "weight".len());
        let taken = rank_width + name_width + kind_width + weight_width + 8;
        let bar_width = look.width.saturating_sub(taken + 1).clamp(10, 48);
        let values: Vec<f64> = features.iter().map(|feature| feature.weight).collect();
        let bars = bars(&values, bar_width);

        let method = wrapped(&self.method_line, look.width);
        let mut text = format!("{}{method}\n\n", self.subject.lines(look.width));
        let header = format!(
            "{:>rank_width$}  {:<name_width$}  {:<kind_width$}  {:<weight_width$}",
            "rank", "feature", "kind", "weight"
        );
        text.push_str(&look.bold(header.trim_end()));
        text.push('\n');
        for (((feature, name), weight), bar) in features.iter().zip(&names).zip(&weights).zip(&bars)
        {
            let bar = look.style(if feature.weight < 0.0 { "33" } else { "36" }, bar);
            // `format!` pads to characters, of which some take two places and some none.
            let name = format!("{name}{}", " ".repeat(name_width - name.width()));
            let line = format!(
                "{:>rank_width$}  {name}  {:<kind_width$}  {weight:<weight_width$}  {bar}",
                feature.rank,
                feature.kind.name(),
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if shown < all {
            let hint =
                if top.is_none() { format!(" (--top {all} shows all)") } else { String::new() };
            text.push_str(&format!("… {} not shown{hint}\n", counted(all - shown, "more feature")));
        }
        look.spell(&text)
    }

    fn json(&self, top: Option<usize>) -> String {
        let features: Vec<Value> = self
            .features
            .iter()
            .take(top.unwrap_or(usize::MAX))
            .map(|feature| {
                json!({
                    "name": feature.name,
                    "kind": feature.kind.name(),
                    "weight": feature.weight,
                    "rank": feature.rank,
                })
            })
            .collect();
        let mut all = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.recipe.info.name,
            "options": self.recipe.settings.to_json(),
            "wrappers": self.recipe.wrappers_json(),
            "seed": self.seed,
            "threads": self.threads,
            "data": self.subject.json(),
            "features": features,
            "warnings": warnings_json(&self.warnings),
            "seconds": self.report.seconds,
        });
        add_report(&mut all, &self.report);
        format!("{all:#}\n")
    }

    fn csv(&self, top: Option<usize>) -> String {
        let mut text = "rank,feature,weight,kind\n".to_string();
        for feature in self.features.iter().take(top.unwrap_or(usize::MAX)) {
            // `{:?}` is the shortest text that reads back as the same number.
            text.push_str(&format!(
                "{},{},{:?},{}\n",
                feature.rank,
                csv_cell(&feature.name),
                feature.weight,
                feature.kind.name()
            ));
        }
        text
    }
}
