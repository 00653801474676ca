//! A ranking as table, JSON or CSV.

use basrelief::data::{ColumnKind, Locus};
use basrelief::inference::{Sided, WeightIntervals};
use basrelief::maps::{RankBy, largest_weight, without_rounding};
use basrelief::neighbors::NeighborSearch;
use basrelief::{Fitted, NeighborProfile, Plan, Report, Run, Warning};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::blocks::WeighedBlocks;
use crate::loci;
use crate::outcome::Outcome;
use crate::permutation_test::Tested;
use crate::recipe::Recipe;
use crate::resampling::Resampled;
use crate::selection::Selected;
use crate::subject::{Subject, add_report};
use crate::text::{
    Format, Layout, Look, bars, counted, csv_cell, cut, marked_bars, rounded, wrapped,
};
use crate::{intervals, profile};

/// A table shows this many features if there are more than [`MOST_SHOWN`] and the user does not specify a number.
const SHOWN: usize = 20;

/// The largest number of features of which a table shows all.
const MOST_SHOWN: usize = 30;

/// One feature of a ranking.
#[derive(Debug)]
struct Ranked {
    /// The index of its column.
    feature: usize,
    rank: usize,
    name: String,
    kind: ColumnKind,
    weight: f64,
}

/// An outcome as a ranking, and everything that is needed to repeat it.
#[derive(Debug)]
pub struct Ranking<'a> {
    subject: Subject<'a>,
    outcome: &'a Outcome,
    /// The method, with the options that differ from their defaults.
    method_line: String,
    threads: usize,
    features: Vec<Ranked>,
    warnings: Vec<Warning>,
}

impl<'a> Ranking<'a> {
    /// The ranking of an outcome; `warnings` are those from before the fit. Warnings of resamples are added if the
    /// fit to all rows did not give them.
    pub fn new(
        subject: Subject<'a>,
        outcome: &'a Outcome,
        mut warnings: Vec<Warning>,
        run: &Run,
    ) -> Self {
        let Fitted { model: map, report } = &outcome.fitted;
        let ranks = map.ranks();
        let features = map
            .order()
            .into_iter()
            .map(|feature| Ranked {
                feature,
                rank: ranks[feature],
                name: map.names()[feature].clone(),
                kind: subject.table().columns()[feature].kind(),
                // A negative zero would look like a mistake.
                weight: map.weights()[feature] + 0.0,
            })
            .collect();
        warnings.extend(report.warnings.iter().cloned());
        for new in outcome.resampled.iter().flat_map(|resampled| &resampled.found().warnings) {
            if warnings.iter().all(|warning| warning.code() != new.code()) {
                warnings.push(new.clone());
            }
        }
        let mut method_line = outcome.recipe().line(run);
        if map.rank_by() == RankBy::Absolute {
            method_line.push_str(", ranked by absolute weight");
        }
        Self { subject, outcome, method_line, threads: run.threads(), features, warnings }
    }

    /// Name, rank and weight of every feature, best first.
    pub fn features(&self) -> impl Iterator<Item = (&str, usize, f64)> {
        self.features.iter().map(|feature| (feature.name.as_str(), feature.rank, feature.weight))
    }

    /// The columns of the features, best first.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        self.features.iter().map(|feature| feature.feature)
    }

    /// The data.
    pub fn subject(&self) -> &Subject<'a> {
        &self.subject
    }

    /// The method.
    pub fn recipe(&self) -> Recipe<'a> {
        self.outcome.recipe()
    }

    /// The 95 % intervals of the weights, if they were computed.
    pub fn intervals(&self) -> Option<&WeightIntervals> {
        self.outcome.intervals.as_ref()
    }

    /// The weights for several numbers of neighbors, if there are several.
    pub fn profile(&self) -> Option<&NeighborProfile> {
        self.report().profile.as_ref()
    }

    /// The test of the weights, if there was one.
    pub fn tested(&self) -> Option<&Tested> {
        self.outcome.tested.as_ref()
    }

    /// The selected features, if the study selects some.
    pub fn selection(&self) -> Option<&Selected> {
        self.outcome.selection.as_ref()
    }

    /// The rankings of resamples, if there are any.
    pub fn resampled(&self) -> Option<&Resampled> {
        self.outcome.resampled.as_ref()
    }

    /// The blocks of features, if there are any.
    pub fn blocks(&self) -> Option<&WeighedBlocks> {
        self.outcome.blocks.as_ref()
    }

    /// The method, with the options that differ from their defaults.
    pub fn method_line(&self) -> &str {
        &self.method_line
    }

    /// The seed and the threads of the fit.
    pub fn run(&self) -> (u64, usize) {
        (self.outcome.seed, self.threads)
    }

    /// The report of the fit.
    pub fn report(&self) -> &Report {
        &self.outcome.fitted.report
    }

    /// Seconds of the fit.
    pub fn seconds(&self) -> f64 {
        self.report().seconds
    }

    /// The plan of the fit.
    pub fn plan(&self) -> &Plan {
        &self.report().plan
    }

    /// A note if a tree found the neighbors, otherwise an empty text.
    pub fn search_note(&self) -> String {
        match self.report().search {
            Some(search @ NeighborSearch::KdTree) => format!(" (search: {search})"),
            Some(NeighborSearch::AllPairs) | None => String::new(),
        }
    }

    /// The times of the test and of the resamples; an empty text without them.
    pub fn time_notes(&self) -> String {
        let tested = self.tested();
        let tested = tested.map(|tested| format!(", tested in {:.3} s", tested.seconds()));
        let resampled = self.resampled().map(Resampled::found);
        let resampled =
            resampled.map(|found| format!(", resamples ranked in {:.3} s", found.seconds));
        tested.into_iter().chain(resampled).collect()
    }

    /// The ranking in a format; `top` is the number of features that the user wants to see.
    pub fn text(&self, format: Format, top: Option<usize>, look: Look) -> String {
        match format {
            Format::Table => self.table(top, look),
            Format::Json => self.json(top),
            Format::Csv => self.csv(top),
        }
    }

    /// The warnings, those from before the fit first.
    pub fn warnings(&self) -> &[Warning] {
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
        let mut names: Vec<String> =
            features.iter().map(|feature| cut(&feature.name, 40)).collect();
        // With p-values or intervals there is less room.
        let is_narrow =
            self.tested().is_some() || self.intervals().is_some() || self.profile().is_some();
        let digits = if is_narrow { 4 } else { 6 };
        let largest = largest_weight(self.features.iter().map(|feature| feature.weight));
        let values: Vec<f64> =
            features.iter().map(|feature| without_rounding(feature.weight, largest)).collect();
        let weights: Vec<String> = values.iter().map(|&weight| rounded(weight, digits)).collect();
        let width_of = |texts: &[String], least: usize| {
            texts.iter().map(|text| text.width()).max().unwrap_or(0).max(least)
        };
        let rank_width = features.last().map_or(4, |last| last.rank.to_string().len()).max(4);
        let mut kind_width =
            features.iter().map(|feature| feature.kind.name().len()).max().unwrap_or(4).max(4);
        let weight_width = width_of(&weights, "weight".len());
        let places: Vec<usize> = features.iter().map(|feature| feature.feature).collect();
        let table = self.subject.table();
        let mut columns =
            if loci::are_known(table) { loci::columns(table, &places) } else { Vec::new() };
        columns.extend(self.profile().map(|found| profile::column(found, &places)));
        columns.extend(self.intervals().map(|found| intervals::column(found, &places)));
        columns.extend(self.tested().iter().flat_map(|tested| tested.columns(&places)));
        columns.extend(self.resampled().map(|resampled| resampled.column(&places)));
        let mut layout = Layout { names: 0, head: 0, omitted: Vec::new() };
        if !columns.is_empty() {
            let taken = rank_width + kind_width + weight_width + 6;
            let longest = width_of(&names, 0);
            let whole =
                taken + longest + columns.iter().map(|column| column.width(1) + 2).sum::<usize>();
            // If all features have the same kind, the first line reports it.
            let is_one = self.features.windows(2).all(|pair| pair[0].kind == pair[1].kind);
            let taken = match whole > look.width && is_one {
                true => taken - std::mem::take(&mut kind_width) - 2,
                false => taken,
            };
            layout = Layout::new(&mut columns, (1, longest), (taken, 2 + LEAST_BAR), look.width);
            let most = layout.names;
            // In ASCII an ellipsis takes three columns.
            let most = if look.ascii { most.saturating_sub(2) } else { most };
            names = features.iter().map(|feature| look.spell(&cut(&feature.name, most))).collect();
        }
        let widths: Vec<usize> = columns.iter().map(|column| column.width(layout.head)).collect();
        let name_width = width_of(&names, "feature".len());
        let kind = |kind: &str| match kind_width {
            0 => String::new(),
            width => format!("{kind:<width$}  "),
        };
        let taken = rank_width + name_width + kind("").len() + weight_width + 6;
        let taken = taken + widths.iter().map(|width| width + 2).sum::<usize>();
        let chance = self.tested().and_then(Tested::chance_weight);
        let is_two_sided = self.tested().is_some_and(|tested| tested.sided() == Sided::Two);
        let below = chance.filter(|_| is_two_sided && values.iter().any(|&value| value < 0.0));
        let marks: Vec<f64> = chance.into_iter().chain(below.map(|weight| -weight)).collect();
        let room = look.width.saturating_sub(taken);
        let bars = match self.tested() {
            _ if !columns.is_empty() && room < LEAST_BAR => vec![String::new(); shown],
            Some(_) => marked_bars(&values, room.min(48), &marks),
            None => bars(&values, room.saturating_sub(1).clamp(10, 48)),
        };

        let method = wrapped(&self.method_line, look.width);
        let mut text = format!("{}{method}\n\n", self.subject.lines(look.width));
        let mut header = format!(
            "{:>rank_width$}  {:<name_width$}  {}{:<weight_width$}",
            "rank",
            "feature",
            kind("kind"),
            "weight"
        );
        for (column, width) in columns.iter().zip(&widths) {
            header.push_str(&format!("  {:<width$}", column.heads[layout.head]));
        }
        text.push_str(&look.bold(header.trim_end()));
        text.push('\n');
        for (place, (((feature, name), weight), bar)) in
            features.iter().zip(&names).zip(&weights).zip(&bars).enumerate()
        {
            let bar = look.style(if feature.weight < 0.0 { "33" } else { "36" }, bar);
            // `format!` counts characters, but some take two columns of the terminal and some none.
            let name = format!("{name}{}", " ".repeat(name_width - name.width()));
            let mut line = format!(
                "{:>rank_width$}  {name}  {}{weight:<weight_width$}  ",
                feature.rank,
                kind(feature.kind.name()),
            );
            for (column, width) in columns.iter().zip(&widths) {
                line.push_str(&format!("{:<width$}  ", column.cells[place]));
            }
            line.push_str(&bar);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if shown < all {
            let hint =
                if top.is_none() { format!(" (--top {all} shows all)") } else { String::new() };
            text.push_str(&format!("… {} not shown{hint}\n", counted(all - shown, "more feature")));
        }
        if let Some(note) = layout.note() {
            text.push_str(&format!("{}\n", wrapped(&note, look.width)));
        }
        if let Some(found) = self.profile() {
            let line = profile::summary(found);
            text.push_str(&format!("\n{}\n", wrapped(&line, look.width)));
        }
        if let Some(found) = self.intervals() {
            let line = format!("95 % interval: of {}", intervals::summary(found));
            text.push_str(&format!("\n{}\n", wrapped(&line, look.width)));
        }
        if let Some(tested) = self.tested() {
            let all: Vec<(&str, usize)> = self
                .features
                .iter()
                .map(|feature| (feature.name.as_str(), feature.feature))
                .collect();
            let marked = bars.iter().any(|bar| bar.contains('┊'));
            if self.intervals().is_none() {
                text.push('\n');
            }
            for line in tested.lines(&all, marked) {
                text.push_str(&format!("{}\n", wrapped(&line, look.width)));
            }
        }
        if let Some(blocks) = self.blocks() {
            text.push('\n');
            text.push_str(&blocks.table(self.tested(), look));
        }
        if let Some(resampled) = self.resampled() {
            let is_first = self.tested().is_none() && self.intervals().is_none();
            let blank = if is_first { "\n" } else { "" };
            let line = format!("95 % of ranks: in {}", resampled.summary());
            text.push_str(&format!("{blank}{}\n", wrapped(&line, look.width)));
        }
        if let Some(selected) = self.selection() {
            let names = self.outcome.fitted.model.names();
            let features =
                selected.selection.features.iter().map(|&feature| cut(&names[feature], 40));
            let line = format!(
                "selected ({}): {}",
                selected.redundancy,
                features.collect::<Vec<_>>().join(", ")
            );
            let represented = selected.represented_lines(names, usize::MAX, look.width);
            text.push_str(&format!("\n{}\n{represented}", wrapped(&line, look.width)));
        }
        look.spell(&text)
    }

    /// The genomic position of a feature, if it is known.
    fn locus(&self, feature: &Ranked) -> Option<&Locus> {
        self.subject.table().columns()[feature.feature].locus()
    }

    fn json(&self, top: Option<usize>) -> String {
        format!("{:#}\n", self.value(top))
    }

    /// All results, in JSON.
    pub fn value(&self, top: Option<usize>) -> Value {
        let features: Vec<Value> = self
            .features
            .iter()
            .take(top.unwrap_or(usize::MAX))
            .map(|feature| {
                let mut entry = json!({
                    "name": feature.name,
                    "kind": feature.kind.name(),
                    "weight": feature.weight,
                    "rank": feature.rank,
                });
                let locus = self.locus(feature);
                for (name, value) in locus.iter().flat_map(|locus| loci::json(locus)) {
                    entry[name] = value;
                }
                if let Some(found) = self.profile() {
                    for (name, value) in profile::feature_json(found, feature.feature) {
                        entry[name] = value;
                    }
                }
                if let Some(found) = self.intervals() {
                    for (name, value) in intervals::feature_json(found, feature.feature) {
                        entry[name] = value;
                    }
                }
                if let Some(tested) = self.tested() {
                    for (name, value) in tested.feature_json(feature.feature) {
                        entry[name] = value;
                    }
                }
                if let Some(resampled) = self.resampled() {
                    for (name, value) in resampled.feature_json(feature.feature) {
                        entry[name] = value;
                    }
                }
                entry
            })
            .collect();
        let mut all = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.recipe().info.name,
            "options": self.recipe().settings.to_json(),
            "wrappers": self.recipe().wrappers_json(),
            "seed": self.outcome.seed,
            "threads": self.threads,
            "data": self.subject.json(),
            "features": features,
            "warnings": self.subject.warnings_json(&self.warnings),
            "seconds": self.report().seconds,
        });
        if self.outcome.fitted.model.rank_by() == RankBy::Absolute {
            all["rank_by"] = RankBy::Absolute.name().into();
        }
        add_report(&mut all, self.report());
        if let Some(found) = self.intervals() {
            all["intervals"] = intervals::json(found);
        }
        if let Some(blocks) = self.blocks() {
            all["blocks"] = blocks.json(self.outcome.fitted.model.names(), self.tested());
        }
        if let Some(tested) = self.tested() {
            all["permutation_test"] = tested.json();
        }
        if let Some(selected) = self.selection() {
            all["selection"] = selected.json(self.outcome.fitted.model.names());
        }
        if let Some(resampled) = self.resampled() {
            all["resampling"] = resampled.json();
        }
        all
    }

    fn csv(&self, top: Option<usize>) -> String {
        let of_profile = self.profile().map_or_else(String::new, profile::csv_head);
        let of_intervals = if self.intervals().is_some() { intervals::CSV_HEAD } else { "" };
        let of_test = if self.tested().is_some() { Tested::CSV_HEAD } else { "" };
        let of_resamples = if self.resampled().is_some() { Resampled::CSV_HEAD } else { "" };
        let of_loci = if loci::are_known(self.subject.table()) { loci::CSV_HEAD } else { "" };
        let mut text = format!(
            "rank,feature,weight,kind{of_profile}{of_intervals}{of_test}{of_resamples}{of_loci}\n"
        );
        for feature in self.features.iter().take(top.unwrap_or(usize::MAX)) {
            // `{:?}` is the shortest text that reads back as the same number.
            text.push_str(&format!(
                "{},{},{:?},{}{}{}{}{}{}\n",
                feature.rank,
                csv_cell(&feature.name),
                feature.weight,
                feature.kind.name(),
                self.profile().map_or(String::new(), |found| profile::csv(found, feature.feature)),
                self.intervals()
                    .map_or(String::new(), |found| intervals::csv(found, feature.feature)),
                self.tested().map_or(String::new(), |tested| tested.csv(feature.feature)),
                self.resampled().map_or(String::new(), |found| found.csv(feature.feature)),
                self.locus(feature)
                    .filter(|_| !of_loci.is_empty())
                    .map_or(String::new(), loci::csv)
            ));
        }
        text
    }
}

/// The smallest useful width of bars.
const LEAST_BAR: usize = 6;
