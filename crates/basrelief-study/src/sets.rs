//! Weights of sets of features: how they are found, and their listing as table, JSON or CSV.

use std::path::PathBuf;
use std::time::Instant;

use basrelief::data::{FeatureSet, Table};
use basrelief::inference::{WeighedSet, weigh_sets};
use basrelief::maps::{largest_weight, without_rounding};
use basrelief::wording::thousands;
use basrelief::{Error, Result, Run, Warning};
use basrelief_genetics::{chromosome_sets, read_sets};
use serde_json::{Value, json};

use crate::loci;
use crate::outcome::MethodChoice;
use crate::permutation_test::probability;
use crate::recipe::Recipe;
use crate::source::Data;
use crate::study::Study;
use crate::subject::Subject;
use crate::text::{Format, Look, aligned, counted, csv_cell, cut, printable, rounded, wrapped};

/// The default number of sets of a table.
const SHOWN: usize = 20;

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
        let drawn = permutations.map(|_| data.permutations(run.seed())).transpose();
        let drawn = drawn.map_err(located)?;
        warnings.extend(drawn.iter().flat_map(|drawn| drawn.warnings()).cloned());
        let Recipe { info, settings, wrappers } = self.recipe(method);
        let test = drawn.as_ref().zip(permutations);
        let found = weigh_sets((info, settings, wrappers), &problem, &sets, test, run);
        let found = found.map_err(located)?;
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(WeighedSets { sets, found, permutations, warnings, seconds })
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
            within: self.within.as_deref(),
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
    within: Option<&'a str>,
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
            Some(count) => {
                let within = self
                    .within
                    .map_or(String::new(), |name| format!(" within {}", printable(name)));
                format!("{} permutations of the target{within}", thousands(count))
            }
        };
        text.push_str(&format!(
            "{}\n\n",
            wrapped(&format!("sets: {counts}; {tested}"), look.width)
        ));
        let mut rows = vec![self.heads()];
        rows.extend(self.shown(Some(top)).map(|(rank, set)| self.cells(rank, set)));
        // Names stand to the left, numbers to the right.
        let last = rows[0].len() - 1;
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
            "within": self.within,
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
