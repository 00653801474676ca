//! Weights of sets of features: how they are computed, and their listing as table, JSON, CSV or page.

use std::path::PathBuf;
use std::time::Instant;

use basrelief::data::{FeatureSet, Table};
use basrelief::inference::{Permutations, Scheme, WeighedSet, weigh_sets};
use basrelief::maps::{largest_weight, without_rounding};
use basrelief::wording::thousands;
use basrelief::{Error, Result, Run, Warning};
use basrelief_genetics::{chromosome_sets, read_sets};
use basrelief_report::data::Piece;
use basrelief_report::{self as page, Block, Section, SectionsReport};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::glossary;
use crate::loci;
use crate::outcome::MethodChoice;
use crate::pages::{Page, PageOptions, account, grouped, tell_recipe, tell_run};
use crate::permutation_test::{RoleColumns, probability};
use crate::recipe::Recipe;
use crate::source::Data;
use crate::study::Study;
use crate::subject::Subject;
use crate::text::{
    Format, Look, aligned, counted, csv_cell, cut, page_head, rounded, unsigned, wrapped,
};

/// The default number of sets of a table.
const SHOWN: usize = 20;

/// The maximum number of sets of a page, and of those whose best features it lists, and the number of these features.
const ON_PAGE: usize = 100;
const DETAILED: usize = 20;
const FEATURES: usize = 5;

/// The level at which a set is significant.
const ALPHA: f64 = 0.05;

/// Sets that a sentence names.
const LEADERS: usize = 3;

/// Features of a set that a table names, and how wide names are.
const NAMED: usize = 3;
const NAME: usize = 24;

/// The sets of features to score.
#[derive(Debug, Clone)]
pub enum SetChoice {
    /// The sets of a file, in the format of [`read_sets`].
    File(PathBuf),
    /// The features of each chromosome.
    Chromosomes,
}

/// The outcome of [`Study::weigh_sets`].
#[derive(Debug, Clone)]
pub struct WeighedSets {
    /// The sets.
    pub sets: Vec<FeatureSet>,
    /// The weights and the tests of the sets.
    pub found: Vec<WeighedSet>,
    /// The number of permutations, if sets are tested.
    pub permutations: Option<u64>,
    /// How permutations treat groups of rows; `None` if all rows are independent.
    pub scheme: Option<Scheme>,
    /// Warnings, those about the data first.
    pub warnings: Vec<Warning>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Study {
    /// Computes weights within each set separately. With permutations, tests the largest weight of each set.
    ///
    /// # Errors
    /// A file of sets that cannot be read; features without a chromosome; the errors of [`weigh_sets`].
    pub fn weigh_sets(
        &self,
        method: &MethodChoice,
        data: &Data<'_>,
        (choice, permutations): (&SetChoice, Option<u64>),
        run: &Run,
    ) -> Result<WeighedSets> {
        let start = Instant::now();
        let located = |error: Error| error.in_file(self.source.name());
        let genome = self.source.genome();
        let mut warnings = data.warnings.clone();
        let sets = match choice {
            SetChoice::File(file) => read_sets(file, &data.table, genome, &mut warnings, run)?,
            SetChoice::Chromosomes => chromosome_sets(&data.table, genome).map_err(located)?,
        };
        let problem = data.problem().map_err(located)?;
        let drawn = permutations.map(|_| data.permutations(run)).transpose();
        let drawn = drawn.map_err(located)?;
        warnings.extend(drawn.iter().flat_map(|drawn| drawn.warnings()).cloned());
        let Recipe { info, settings, wrappers } = self.recipe(method);
        let test = drawn.as_ref().zip(permutations);
        let found = weigh_sets((info, settings, wrappers), &problem, &sets, test, run);
        let found = found.map_err(located)?;
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        let seconds = start.elapsed().as_secs_f64();
        let scheme = drawn.as_ref().and_then(Permutations::scheme);
        Ok(WeighedSets { sets, found, permutations, scheme, warnings, seconds })
    }

    /// The listing of scored sets.
    pub fn set_listing<'l>(
        &'l self,
        method: &'l MethodChoice,
        data: &'l Data<'l>,
        found: &'l WeighedSets,
        run: &'l Run,
    ) -> SetListing<'l> {
        SetListing {
            subject: self.subject(data),
            table: &data.table,
            recipe: self.recipe(method),
            order: order(&found.found),
            largest: largest_weight(found.found.iter().flat_map(|set| set.weights.iter().copied())),
            found,
            columns: self.columns(),
            run,
        }
    }
}

/// The order of the sets: by their p-values if there are any, then by their best weights.
fn order(found: &[WeighedSet]) -> Vec<usize> {
    let p_value = |set: &usize| found[*set].test.map_or(0.0, |test| test.p_value);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| {
        let by_weight = || found[*b].best().total_cmp(&found[*a].best());
        p_value(a).total_cmp(&p_value(b)).then_with(by_weight).then(a.cmp(b))
    });
    order
}

/// Scored sets, and everything that is needed to repeat the computation.
#[derive(Debug)]
pub struct SetListing<'a> {
    subject: Subject<'a>,
    table: &'a Table<'a>,
    recipe: Recipe<'a>,
    found: &'a WeighedSets,
    /// The sets, best first.
    order: Vec<usize>,
    /// The largest absolute weight of all sets.
    largest: f64,
    columns: RoleColumns<'a>,
    run: &'a Run,
}

impl SetListing<'_> {
    /// The listing in a format; `top` is the number of sets that the user wants to see.
    pub fn text(&self, format: Format, top: Option<usize>, look: Look) -> String {
        match format {
            Format::Table => self.table(top.unwrap_or(SHOWN), look),
            Format::Json => format!("{:#}\n", self.json(top)),
            Format::Csv => self.csv(top),
        }
    }

    /// The features of a set with their weights, best first.
    fn features(&self, set: usize) -> Vec<(usize, f64)> {
        let weights =
            self.found.sets[set].features.iter().copied().zip(self.found.found[set].weights.iter());
        let mut features: Vec<(usize, f64)> =
            weights.map(|(feature, &weight)| (feature, weight)).collect();
        features.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        features
    }

    fn shown(&self, top: Option<usize>) -> impl Iterator<Item = (usize, usize)> {
        let ranked = self.order.iter().copied().enumerate();
        ranked.map(|(place, set)| (place + 1, set)).take(top.unwrap_or(usize::MAX))
    }

    fn table(&self, top: usize, look: Look) -> String {
        let mut text = self.subject.lines(look.width);
        text.push_str(&format!("{}\n", wrapped(&self.recipe.line(self.run), look.width)));
        let counts = thousands(self.found.sets.len() as u64);
        let tested = match self.found.permutations {
            None => {
                "best weights of larger sets are larger by chance; --permutations adjusts for that"
                    .to_string()
            }
            Some(count) => self.permutations(count),
        };
        text.push_str(&format!(
            "{}\n\n",
            wrapped(&format!("sets: {counts}; {tested}"), look.width)
        ));
        let mut rows = vec![self.heads()];
        rows.extend(self.shown(Some(top)).map(|(rank, set)| self.cells(rank, set)));
        let last = rows[0].len() - 1;
        // The best features have the width that the other columns leave.
        let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        let room = look.width.saturating_sub((0..last).map(|column| widest(column) + 2).sum());
        let most = room.max("best features".len());
        rows.iter_mut().for_each(|row| row[last] = cut(&row[last], most));
        // Names are aligned to the left, numbers to the right.
        text.push_str(&aligned(&rows, |column| column == 1 || column == last, look));
        let (shown, all) = (rows.len() - 1, self.found.sets.len());
        if shown < all {
            let more = counted(all - shown, "more set");
            text.push_str(&format!("… {more} not shown (--top {all} shows all)\n"));
        }
        look.spell(&text)
    }

    fn heads(&self) -> Vec<String> {
        let tested: &[&str] = if self.found.permutations.is_some() {
            &["p", "q (FDR)", "adjusted (min-P)"]
        } else {
            &[]
        };
        let heads = ["rank", "set", "features", "best weight"].into_iter();
        heads.chain(tested.iter().copied()).chain(["best features"]).map(str::to_string).collect()
    }

    fn cells(&self, rank: usize, set: usize) -> Vec<String> {
        let found = &self.found.found[set];
        let tested = found.test.map_or_else(Vec::new, |test| {
            [test.p_value, test.q_value, test.adjusted].map(probability).to_vec()
        });
        let features = self.features(set);
        let named = features.iter().take(NAMED);
        let name = |feature: usize| cut(self.table.columns()[feature].name(), NAME);
        let mut names: Vec<String> = named.map(|(feature, _)| name(*feature)).collect();
        if features.len() > NAMED {
            names.push("…".to_string());
        }
        let cells = [
            rank.to_string(),
            cut(&self.found.sets[set].name, NAME),
            thousands(features.len() as u64),
            rounded(without_rounding(found.best(), self.largest), 4),
        ];
        cells.into_iter().chain(tested).chain([names.join(", ")]).collect()
    }

    /// The page: the sets with their weights and tests, and the best features of each.
    ///
    /// # Errors
    /// [`Error::Internal`] only.
    pub fn page(&self, options: &PageOptions) -> Result<Page> {
        let mut account = account(&self.subject, options, &glossary::OF_SETS);
        tell_recipe(&mut account, self.recipe, &self.recipe.line(self.run));
        account.tell("Sets", grouped(self.found.sets.len()));
        if let Some(count) = self.found.permutations {
            account.tell("Permutations", self.permutations(count));
        }
        let time =
            options.with_time.then(|| (format!("{:.3} s", self.found.seconds), self.run.threads()));
        let warnings = (&self.found.warnings[..], self.subject.audience(), &options.files);
        tell_run(&mut account, self.run.seed(), time, warnings);
        let meaning = match self.found.permutations {
            Some(_) => {
                "The weight of a set is that of its best feature, computed from the features of the set alone. p is the share \
                 of permutations in which the weight of the set is at least as large."
            }
            None => {
                "The weight of a set is that of its best feature, computed from the features of the set alone. Large sets have \
                 larger weights by chance; the significance was not tested."
            }
        };
        let page = SectionsReport {
            title: format!("Sets of {}", account.data),
            answer: self.answer(),
            account,
            sections: vec![
                Section::new(
                    "Sets",
                    vec![Block::Text(meaning.to_string()), Block::Table(self.set_table())],
                ),
                Section::new("Best features of the sets", vec![Block::Table(self.feature_table())]),
            ],
        };
        Ok(options.page(page.to_html()?, || self.json(None)))
    }

    /// The number and the names of the significant sets, or the sets with the largest weights if none was tested.
    fn answer(&self) -> Vec<Piece> {
        let words = |text: String| Piece::Words(text);
        let all = grouped(self.order.len());
        let test = |set: &&usize| self.found.found[**set].test;
        let significant: Vec<&usize> = match self.found.permutations {
            Some(_) => {
                let is_significant = |set: &&usize| {
                    test(set).is_some_and(|test| test.adjusted <= ALPHA * (1.0 + 1e-12))
                };
                self.order.iter().filter(is_significant).collect()
            }
            None => self.order.iter().take(1).collect(),
        };
        let mut answer = Vec::new();
        let mut end = ".".to_string();
        match (self.found.permutations, significant.len()) {
            (None, _) => {
                answer.push(words(format!("Of {all} sets, the set with the largest weight is ")));
                end = ". The significance was not tested: use --permutations 1000.".to_string();
            }
            (Some(_), 0) => {
                let smallest =
                    self.order.iter().filter_map(|set| test(&set)).map(|test| test.adjusted);
                let smallest = probability(smallest.fold(1.0, f64::min));
                return vec![words(format!(
                    "None of {all} sets is significant (smallest adjusted p (min-P) {smallest})."
                ))];
            }
            (Some(_), count) => {
                let are = if count == 1 { "is" } else { "are" };
                answer.push(words(format!(
                    "{} of {all} sets {are} significant (adjusted p (min-P) ≤ {ALPHA}): ",
                    grouped(count)
                )));
                if count > LEADERS {
                    end = ", …".to_string();
                }
            }
        }
        for (place, set) in significant.into_iter().take(LEADERS).enumerate() {
            if place > 0 {
                answer.push(words(", ".to_string()));
            }
            answer.push(Piece::Name(self.found.sets[*set].name.clone()));
        }
        answer.push(words(end));
        answer
    }

    /// The permutations of the test, in words.
    fn permutations(&self, count: u64) -> String {
        format!("{} {}", thousands(count), self.columns.permutations(self.found.scheme))
    }

    /// The sets, best first.
    fn set_table(&self) -> page::Table {
        let is_number = |column: usize| column > 0 && column + 1 < self.heads().len();
        let mut heads: Vec<String> =
            self.heads().iter().map(|head| page_head(&capitalized(head))).collect();
        // The name of the set is first.
        heads.swap(0, 1);
        let rows = self.shown(Some(ON_PAGE)).map(|(rank, set)| {
            let mut cells = self.cells(rank, set);
            cells[1] = self.found.sets[set].name.clone();
            cells[3] = cells[3].trim_start_matches([' ', '+']).to_string();
            cells.swap(0, 1);
            cells
        });
        let all = self.order.len();
        page::Table {
            caption: match all > ON_PAGE {
                true => format!("The best {ON_PAGE} of {} sets", grouped(all)),
                false => format!("All {}", counted(all, "set")),
            },
            head: heads
                .into_iter()
                .enumerate()
                .map(|(column, head)| (head, is_number(column)))
                .collect(),
            rows: rows.collect(),
            ..page::Table::default()
        }
    }

    /// The best features of the best sets.
    fn feature_table(&self) -> page::Table {
        let known = loci::are_known(self.table);
        let mut head = vec![("Feature".to_string(), false)];
        head.extend(known.then(|| (loci::CELL_HEAD.to_string(), false)));
        head.push(("Weight".to_string(), true));
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for (rank, set) in self.shown(Some(DETAILED)) {
            let features = self.features(set);
            let count = grouped(features.len());
            let of = if features.len() > FEATURES {
                format!("best {FEATURES} of {count}")
            } else {
                count
            };
            groups.push((
                rows.len(),
                format!("{} (rank {rank}; {of} features)", self.found.sets[set].name),
            ));
            for (feature, weight) in features.into_iter().take(FEATURES) {
                let column = &self.table.columns()[feature];
                let mut cells = vec![column.name().to_string()];
                cells.extend(column.locus().filter(|_| known).map(loci::cell));
                cells.push(unsigned(without_rounding(weight, self.largest), 4));
                rows.push(cells);
            }
        }
        page::Table {
            caption: match self.order.len() > DETAILED {
                true => format!("The best features of the best {DETAILED} sets"),
                false => "The best features of every set".to_string(),
            },
            head,
            rows,
            groups,
            ..page::Table::default()
        }
    }

    fn json(&self, top: Option<usize>) -> Value {
        let feature = |(feature, weight): (usize, f64)| {
            let column = &self.table.columns()[feature];
            let mut entry = json!({ "name": column.name(), "weight": weight });
            for (key, value) in column.locus().into_iter().flat_map(loci::json) {
                entry[key] = value;
            }
            entry
        };
        let set = |(rank, set): (usize, usize)| {
            let (own, found) = (&self.found.sets[set], &self.found.found[set]);
            let features: Vec<Value> = self.features(set).into_iter().map(feature).collect();
            let mut entry = json!({
                "rank": rank,
                "set": own.name,
                "best_weight": found.best(),
                "features": features,
            });
            if let Some(test) = found.test {
                entry["p"] = json!(test.p_value);
                entry["q"] = json!(test.q_value);
                entry["adjusted"] = json!(test.adjusted);
            }
            entry
        };
        json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "data": self.subject.json(),
            "method": self.recipe.info.name,
            "options": self.recipe.settings.to_json(),
            "wrappers": self.recipe.wrappers_json(),
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "permutations": self.found.permutations,
            "within": self.columns.within,
            "group": self.columns.group,
            "scheme": self.columns.scheme_words(self.found.scheme),
            "sets": self.shown(top).map(set).collect::<Vec<Value>>(),
            "warnings": self.subject.warnings_json(&self.found.warnings),
            "seconds": self.found.seconds,
        })
    }

    /// A line per set and feature.
    fn csv(&self, top: Option<usize>) -> String {
        let of_test = if self.found.permutations.is_some() { ",p,q,adjusted" } else { "" };
        let known = loci::are_known(self.table);
        let of_loci = if known { loci::CSV_HEAD } else { "" };
        let mut text = format!("rank,set,best_weight{of_test},feature,weight{of_loci}\n");
        for (rank, set) in self.shown(top) {
            let found = &self.found.found[set];
            let tested = found.test.map_or_else(String::new, |test| {
                format!(",{:?},{:?},{:?}", test.p_value, test.q_value, test.adjusted)
            });
            let name = csv_cell(&self.found.sets[set].name);
            for (feature, weight) in self.features(set) {
                let column = &self.table.columns()[feature];
                let place = column.locus().filter(|_| known).map_or_else(String::new, loci::csv);
                text.push_str(&format!(
                    "{rank},{name},{:?}{tested},{},{weight:?}{place}\n",
                    found.best(),
                    csv_cell(column.name())
                ));
            }
        }
        text
    }
}

/// A heading with a capital letter, except for statistics.
fn capitalized(head: &str) -> String {
    match head {
        "rank" => "Rank".to_string(),
        "set" => "Set".to_string(),
        "features" => "Features".to_string(),
        "best weight" => "Best weight".to_string(),
        "best features" => "Best features".to_string(),
        statistic => statistic.to_string(),
    }
}
