//! `basrelief sets`: which genes, pathways or chromosomes tell of the target, and which features within them?

use std::time::Instant;

use basrelief::data::{FeatureSet, Table};
use basrelief::inference::{Permutations, WeighedSet, weigh_sets};
use basrelief::maps::{largest_weight, without_rounding};
use basrelief::wording::{setting, thousands};
use basrelief::{Error, Result, Run, Warning};
use basrelief_genetics::{chromosome_sets, read_sets};
use basrelief_study::permutation_test::probability;
use basrelief_study::text::{
    Format, Look, aligned, counted, csv_cell, cut, printable, rounded, wrapped,
};
use basrelief_study::{Recipe, Subject, loci};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args;
use crate::exit::{Outcome, note, note_warnings, say};
use crate::output::Destination;
use crate::study::study_without_test;

/// Sets that a table shows unless more are asked for.
const SHOWN: usize = 20;

/// Features of a set that a table names, and how wide names are.
const NAMED: usize = 3;
const NAME: usize = 24;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let study = study_without_test(matches)?;
    let source = &study.source;
    let run = args::start_run(matches)?;
    let destination = Destination::from_args(matches, &["json", "csv"])?;
    let file = args::path(matches, "sets");
    if file.is_none() && !matches.get_flag("by-chromosome") {
        let error = Error::option(
            "sets",
            "it is not given",
            format!("name a file of sets, or say {}", setting("by_chromosome", None)),
        );
        return Err(error.into());
    }
    let draws = matches.get_one::<usize>("permutations").map(|count| *count as u64);
    if draws.is_some() {
        study.check_test()?;
    }

    let (method, data) = study.read(&note(args::quiet(matches)), &run)?;
    let start = Instant::now();
    let mut warnings = data.warnings.clone();
    let mut weigh = || -> Result<(Vec<FeatureSet>, Vec<WeighedSet>)> {
        let sets = match file {
            Some(file) => read_sets(file, &data.table, source.genome(), &mut warnings, &run)?,
            None => chromosome_sets(&data.table, source.genome())
                .map_err(|error| error.in_file(source.name()))?,
        };
        let located = |error: Error| error.in_file(source.name());
        let problem = data.problem().map_err(located)?;
        let permutations =
            draws.map(|_| data.permutations(run.seed())).transpose().map_err(located)?;
        warnings.extend(permutations.iter().flat_map(Permutations::warnings).cloned());
        let Recipe { info, settings, wrappers } = study.recipe(&method);
        let test = permutations.as_ref().zip(draws);
        let found = weigh_sets((info, settings, wrappers), &problem, &sets, test, &run);
        Ok((sets, found.map_err(located)?))
    };
    let (sets, found) = weigh()?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;
    let listing = Listing {
        subject: study.subject(&data),
        table: &data.table,
        recipe: study.recipe(&method),
        order: order(&found),
        largest: largest_weight(found.iter().flat_map(|set| set.weights.iter().copied())),
        sets,
        found,
        permutations: draws,
        within: study.within.as_deref(),
        warnings,
        run: &run,
        seconds: start.elapsed().as_secs_f64(),
    };
    let top = matches.get_one::<usize>("top").copied();
    destination.write(&match destination.format() {
        Format::Table => listing.text(top.unwrap_or(SHOWN), destination.look()),
        Format::Json => format!("{:#}\n", listing.json(top)),
        Format::Csv => listing.csv(top),
    })?;
    if !args::quiet(matches) {
        note_warnings(&listing.warnings);
        if let Some(file) = destination.file() {
            say(&format!("wrote {}", file.display()));
        }
        say(&format!("weighed {} in {:.3} s", counted(listing.sets.len(), "set"), listing.seconds));
    }
    Ok(())
}

/// The sets by their p-values where there are some, then by their best weights.
fn order(found: &[WeighedSet]) -> Vec<usize> {
    let p_value = |set: &usize| found[*set].test.map_or(0.0, |test| test.p_value);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| {
        let by_weight = || found[*b].best().total_cmp(&found[*a].best());
        p_value(a).total_cmp(&p_value(b)).then_with(by_weight).then(a.cmp(b))
    });
    order
}

/// What was found, and all that is needed to repeat it.
struct Listing<'a> {
    subject: Subject<'a>,
    table: &'a Table<'a>,
    recipe: Recipe<'a>,
    sets: Vec<FeatureSet>,
    found: Vec<WeighedSet>,
    /// The sets, best first.
    order: Vec<usize>,
    /// The largest absolute weight of all sets.
    largest: f64,
    permutations: Option<u64>,
    within: Option<&'a str>,
    warnings: Vec<Warning>,
    run: &'a Run,
    seconds: f64,
}

impl Listing<'_> {
    /// The features of a set with their weights, best first.
    fn features(&self, set: usize) -> Vec<(usize, f64)> {
        let weights = self.sets[set].features.iter().copied().zip(self.found[set].weights.iter());
        let mut features: Vec<(usize, f64)> =
            weights.map(|(feature, &weight)| (feature, weight)).collect();
        features.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        features
    }

    fn shown(&self, top: Option<usize>) -> impl Iterator<Item = (usize, usize)> {
        let ranked = self.order.iter().copied().enumerate();
        ranked.map(|(place, set)| (place + 1, set)).take(top.unwrap_or(usize::MAX))
    }

    fn text(&self, top: usize, look: Look) -> String {
        let mut text = self.subject.lines(look.width);
        text.push_str(&format!("{}\n", wrapped(&self.recipe.line(self.run), look.width)));
        let counts = thousands(self.sets.len() as u64);
        let tested = match self.permutations {
            None => "best weights of sets of many features are greater by chance: --permutations compares them"
                .to_string(),
            Some(count) => {
                let within =
                    self.within.map_or(String::new(), |name| format!(" within {}", printable(name)));
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
        let (shown, all) = (rows.len() - 1, self.sets.len());
        if shown < all {
            let more = counted(all - shown, "more set");
            text.push_str(&format!("… {more} not shown (--top {all} shows all)\n"));
        }
        look.spell(&text)
    }

    fn heads(&self) -> Vec<String> {
        let tested: &[&str] =
            if self.permutations.is_some() { &["p", "q (FDR)", "adjusted (min-P)"] } else { &[] };
        let heads = ["rank", "set", "features", "best weight"].into_iter();
        heads.chain(tested.iter().copied()).chain(["best features"]).map(str::to_string).collect()
    }

    fn cells(&self, rank: usize, set: usize) -> Vec<String> {
        let found = &self.found[set];
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
            cut(&self.sets[set].name, NAME),
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
            let (own, found) = (&self.sets[set], &self.found[set]);
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
            "permutations": self.permutations,
            "within": self.within,
            "sets": self.shown(top).map(set).collect::<Vec<Value>>(),
            "warnings": self.subject.warnings_json(&self.warnings),
            "seconds": self.seconds,
        })
    }

    /// A line per set and feature.
    fn csv(&self, top: Option<usize>) -> String {
        let of_test = if self.permutations.is_some() { ",p,q,adjusted" } else { "" };
        let known = loci::are_known(self.table);
        let of_loci = if known { loci::CSV_HEAD } else { "" };
        let mut text = format!("rank,set,best_weight{of_test},feature,weight{of_loci}\n");
        for (rank, set) in self.shown(top) {
            let found = &self.found[set];
            let tested = found.test.map_or_else(String::new, |test| {
                format!(",{:?},{:?},{:?}", test.p_value, test.q_value, test.adjusted)
            });
            let name = csv_cell(&self.sets[set].name);
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
