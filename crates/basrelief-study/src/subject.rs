//! The data that a result is about: the first lines of a table, the first entries of JSON, and the
//! warnings, with the option names of the reader. All outcomes write these in the same way.

use basrelief::data::{
    ClassPriors, Classes, Column, ColumnKind, Covariates, FeatureBlocks, Groups, MultiTarget,
    Roles, RowWeights, Table, Target,
};
use basrelief::methods::{OptionInfo, Settings};
use basrelief::wording::thousands;
use basrelief::{Audience, Checksum, Plan, Report, Run, Warning};
use serde_json::{Map, Value, json};

use crate::covariates::{covariate_names, covariates_in_words, covariates_json};
use crate::text::{counted, four_digits, printable, wrapped};

/// The data of a result, and the reader.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    file: String,
    table: &'a Table<'a>,
    target: Option<(&'a str, &'a Target)>,
    covariates: Option<&'a Covariates<'a>>,
    /// Whether both models of each test contain the covariates.
    in_models: bool,
    /// The target before it was adjusted for covariates.
    unadjusted: Option<&'a Target>,
    /// The number of unlabeled rows that are not in the table.
    unlabeled: usize,
    /// The column of the weights of rows, and the weights.
    weights: Option<(String, &'a RowWeights)>,
    priors: Option<&'a ClassPriors>,
    blocks: Option<&'a FeatureBlocks>,
    audience: Audience,
}

impl<'a> Subject<'a> {
    /// A table of a file (or of another source with a name) and its target, for a reader.
    pub fn new(
        file: impl Into<String>,
        table: &'a Table<'a>,
        target: Option<(&'a str, &'a Target)>,
        audience: impl Into<Audience>,
    ) -> Self {
        let (file, audience) = (file.into(), audience.into());
        Self {
            file,
            table,
            target,
            covariates: None,
            in_models: false,
            unadjusted: None,
            unlabeled: 0,
            weights: None,
            priors: None,
            blocks: None,
            audience,
        }
    }

    /// Adds the target before it was adjusted for covariates.
    #[must_use]
    pub fn with_unadjusted(self, unadjusted: Option<&'a Target>) -> Self {
        Self { unadjusted, ..self }
    }

    /// Adds the number of unlabeled rows that are not in the table.
    #[must_use]
    pub fn with_unlabeled(self, unlabeled: usize) -> Self {
        Self { unlabeled, ..self }
    }

    /// Adds the weights of rows, with the name of their column, which may be empty.
    #[must_use]
    pub fn with_weights(self, name: Option<&str>, weights: Option<&'a RowWeights>) -> Self {
        let name = name.unwrap_or_default().to_string();
        Self { weights: weights.map(|weights| (name, weights)), ..self }
    }

    /// Adds the prior probabilities of the classes.
    #[must_use]
    pub fn with_priors(self, priors: Option<&'a ClassPriors>) -> Self {
        Self { priors, ..self }
    }

    /// Adds the blocks of features.
    #[must_use]
    pub fn with_blocks(self, blocks: Option<&'a FeatureBlocks>) -> Self {
        Self { blocks, ..self }
    }

    /// Adds covariates; `in_models` if both models of each test contain them.
    #[must_use]
    pub fn with_covariates(self, covariates: Option<&'a Covariates<'a>>, in_models: bool) -> Self {
        Self { covariates, in_models, ..self }
    }

    /// The reader of the result.
    pub fn audience(&self) -> &Audience {
        &self.audience
    }

    /// Warnings in JSON, each with its code and its message.
    pub fn warnings_json(&self, warnings: &[Warning]) -> Vec<Value> {
        warnings_json(warnings, &self.audience)
    }

    /// The name of the data.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The name and the values of the target.
    pub fn target(&self) -> Option<(&'a str, &'a Target)> {
        self.target
    }

    /// The features.
    pub fn table(&self) -> &'a Table<'a> {
        self.table
    }

    /// The covariates, if they are used.
    pub fn covariates(&self) -> Option<&'a Covariates<'a>> {
        self.covariates
    }

    /// The target before it was adjusted for covariates, if it was adjusted.
    pub fn unadjusted(&self) -> Option<&'a Target> {
        self.unadjusted
    }

    /// The name of the target, with the covariates that it was adjusted for: `status, adjusted for PC1, PC2 (residuals)`.
    pub fn target_label(&self) -> Option<String> {
        let (name, _) = self.target?;
        Some(match self.covariates.filter(|_| self.unadjusted.is_some()) {
            Some(covariates) => {
                format!("{name}, adjusted for {} (residuals)", covariate_names(covariates))
            }
            _ => name.to_string(),
        })
    }

    /// The names of the target classes; empty for a numeric target.
    pub fn classes(&self) -> &'a [String] {
        self.target.and_then(|(_, target)| target.as_classes()).map_or(&[], Classes::names)
    }

    /// Lines about the data, the target and the covariates, wrapped at `width` characters.
    pub fn lines(&self, width: usize) -> String {
        let data = wrapped(&self.data_line(), width);
        let covariates = self.covariates_in_words().map(|words| format!("covariates {words}"));
        let weights = self.weights_in_words().map(|words| format!("row weights {words}"));
        let priors = self.priors_in_words().map(|words| format!("priors {words}"));
        let blocks = self.blocks_in_words().map(|words| format!("blocks {words}"));
        let lines = self.target_line().into_iter().chain(covariates).chain(weights).chain(priors);
        let lines = lines.chain(blocks);
        let lines = lines.map(|line| format!("{}\n", wrapped(&line, width)));
        format!("{data}\n{}", lines.collect::<String>())
    }

    fn data_line(&self) -> String {
        let missing = match self.missing() {
            0 => String::new(),
            1 => ", 1 value missing".to_string(),
            missing => format!(", {missing} values missing"),
        };
        format!(
            "{}: {}, {} ({}){missing}",
            printable(&self.file),
            counted(self.table.rows() + self.unlabeled, "row"),
            counted(self.table.width(), "feature"),
            self.kinds(|count| count.to_string())
        )
    }

    /// The number of features of each kind, in words.
    pub fn kinds(&self, spelled: impl Fn(usize) -> String) -> String {
        let kinds: Vec<String> = ColumnKind::ALL
            .into_iter()
            .filter(|&kind| self.table.count(kind) > 0)
            .map(|kind| format!("{} {}", spelled(self.table.count(kind)), kind.name()))
            .collect();
        kinds.join(", ")
    }

    /// The number of missing values.
    pub fn missing(&self) -> usize {
        self.table.columns().iter().map(Column::missing).sum()
    }

    fn target_line(&self) -> Option<String> {
        let (name, target) = self.target?;
        // A column called `target` is named once.
        let target_of = match name {
            "target" => name.to_string(),
            name => format!("target {}", printable(name)),
        };
        let unlabeled = match self.unlabeled_rows() {
            0 => String::new(),
            count => format!(", {}", counted(count, "unlabeled row")),
        };
        Some(match target {
            Target::Multi(several) => {
                const MOST: usize = 8;
                let mut list: Vec<String> =
                    (0..several.count().min(MOST)).map(|at| target_in_words(several, at)).collect();
                if several.count() > MOST {
                    list.push(format!("{} more", several.count() - MOST));
                }
                let list = list.join(", ");
                match (several.is_tree(), several.count()) {
                    (true, count) => {
                        format!(
                            "{target_of}: {} in a hierarchy ({list}){unlabeled}",
                            counted(count, "label")
                        )
                    }
                    (false, 1) => format!("target {list}{unlabeled}"),
                    (false, count) => format!("{count} targets: {list}{unlabeled}"),
                }
            }
            Target::Classes(classes) => {
                const MOST: usize = 8;
                let mut list: Vec<String> = classes
                    .names()
                    .iter()
                    .zip(classes.counts())
                    .take(MOST)
                    .map(|(class, count)| format!("{}: {count}", printable(class)))
                    .collect();
                if classes.len() > MOST {
                    list.push(format!("{} more", classes.len() - MOST));
                }
                format!("{target_of}: {} classes ({}){unlabeled}", classes.len(), list.join(", "))
            }
            Target::Real(values) => {
                let (low, high) = range(values);
                let (low, high) = (four_digits(low), four_digits(high));
                format!("{target_of}: a number from {low} to {high}")
            }
            Target::Survival(survival) => {
                let (low, high) = range(survival.times());
                let events = survival.event_count();
                let (low, high) = (four_digits(low), four_digits(high));
                format!(
                    "{target_of}: survival times from {low} to {high}, {} and {events} {}",
                    counted(survival.times().len() - events, "censored row"),
                    if events == 1 { "event" } else { "events" }
                )
            }
        })
    }

    /// The number of rows without a target.
    fn unlabeled_rows(&self) -> usize {
        let several = self.target.and_then(|(_, target)| target.as_multi());
        self.unlabeled + several.map_or(0, |own| own.unlabeled_rows())
    }

    /// The covariates in words.
    pub fn covariates_in_words(&self) -> Option<String> {
        let words = |covariates| covariates_in_words(covariates, self.unadjusted, self.in_models);
        self.covariates.map(words)
    }

    /// The weights of rows in words: `w: from 0.5 to 4, as precise as 180 rows of equal weight`.
    pub fn weights_in_words(&self) -> Option<String> {
        let (name, weights) = self.weights.as_ref()?;
        let (low, high) = range(weights.values());
        let name = if name.is_empty() { String::new() } else { format!("{}: ", printable(name)) };
        Some(format!(
            "{name}from {} to {}, as precise as {} of equal weight",
            four_digits(low),
            four_digits(high),
            counted(effective_rows(weights).round() as usize, "row")
        ))
    }

    /// The prior probabilities of the classes, if they are stated, as the option specifies them.
    pub fn priors_in_words(&self) -> Option<String> {
        self.priors.map(|priors| printable(&priors.words()).to_string())
    }

    /// The blocks of features in words: `3 (20 of 50 features), each divided by its number of features`.
    pub fn blocks_in_words(&self) -> Option<String> {
        let blocks = self.blocks?;
        Some(format!(
            "{} ({} of {}), each divided by its {}",
            thousands(blocks.sets().len() as u64),
            thousands(blocks.features() as u64),
            counted(self.table.width(), "feature"),
            blocks.scale().words()
        ))
    }

    /// The data in JSON.
    pub fn json(&self) -> Value {
        let mut data = Map::new();
        data.insert("file".to_string(), json!(self.file));
        data.insert("rows".to_string(), json!(self.table.rows() + self.unlabeled));
        data.insert("features".to_string(), json!(self.table.width()));
        if let Some(covariates) = self.covariates {
            data.insert(
                "covariates".to_string(),
                covariates_json(covariates, self.unadjusted, self.in_models),
            );
        }
        if let Some((name, weights)) = &self.weights {
            let (low, high) = range(weights.values());
            let column = (!name.is_empty()).then_some(name);
            let effective = effective_rows(weights);
            data.insert(
                "row_weights".to_string(),
                json!({"column": column, "least": low, "greatest": high, "effective_rows": effective}),
            );
        }
        if let Some(priors) = self.priors {
            data.insert("priors".to_string(), json!(priors.words()));
        }
        if let Some(blocks) = self.blocks {
            let described = json!({
                "count": blocks.sets().len(),
                "features": blocks.features(),
                "scale": blocks.scale().name(),
            });
            data.insert("blocks".to_string(), described);
        }
        let Some((name, target)) = self.target else { return Value::Object(data) };
        data.insert("target_column".to_string(), json!(name));
        if self.unlabeled > 0 || target.as_multi().is_some() {
            data.insert("unlabeled_rows".to_string(), self.unlabeled_rows().into());
        }
        match target {
            Target::Classes(classes) => {
                let counts: Map<String, Value> = classes
                    .names()
                    .iter()
                    .zip(classes.counts())
                    .map(|(name, &count)| (name.clone(), json!(count)))
                    .collect();
                data.insert("classes".to_string(), Value::Object(counts));
            }
            Target::Real(values) => {
                let (low, high) = range(values);
                data.insert("target".to_string(), json!({"least": low, "greatest": high}));
            }
            Target::Multi(several) => {
                let targets = (0..several.count()).map(|at| target_json(several, at));
                data.insert("targets".to_string(), targets.collect());
            }
            Target::Survival(survival) => {
                let (low, high) = range(survival.times());
                let events = survival.event_count();
                let target = json!({"least": low, "greatest": high, "events": events});
                data.insert("target".to_string(), target);
            }
        }
        Value::Object(data)
    }
}

/// One of several targets in words: `size: 1 to 4, in 98 rows`, `color: 3 classes`.
fn target_in_words(several: &MultiTarget, at: usize) -> String {
    let Ok((target, rows)) = several.part(at) else { return String::new() };
    let values = match &target {
        Target::Classes(classes) => counted_classes(classes.len()),
        target => {
            let (low, high) = range(target.as_numbers().unwrap_or_default());
            format!("{} to {}", four_digits(low), four_digits(high))
        }
    };
    let known = match several.labeled_rows() == rows.len() {
        true => String::new(),
        false => format!(", in {}", counted(rows.len(), "row")),
    };
    format!("{} ({values}{known})", printable(&several.names()[at]))
}

fn counted_classes(count: usize) -> String {
    if count == 1 { "1 class".to_string() } else { format!("{count} classes") }
}

/// One of several targets in JSON.
fn target_json(several: &MultiTarget, at: usize) -> Value {
    let mut all = json!({"column": several.names()[at]});
    let Ok((target, rows)) = several.part(at) else { return all };
    all["rows"] = rows.len().into();
    match &target {
        Target::Classes(classes) => {
            let counts = classes.names().iter().zip(classes.counts());
            let counts: Map<String, Value> =
                counts.map(|(name, &count)| (name.clone(), json!(count))).collect();
            all["classes"] = counts.into();
        }
        target => {
            let (low, high) = range(target.as_numbers().unwrap_or_default());
            all["least"] = low.into();
            all["greatest"] = high.into();
        }
    }
    all
}

/// The number of rows of equal weight whose mean is as precise as that of weighted rows: the square of the sum of the
/// weights over the sum of their squares (Kish 1965, Survey Sampling).
fn effective_rows(weights: &RowWeights) -> f64 {
    let sum: f64 = weights.values().iter().sum();
    let squares: f64 = weights.values().iter().map(|weight| weight * weight).sum();
    sum * sum / squares
}

/// The fingerprint of data: names, kinds and values of all columns, the target, strata, groups, weights and priors.
pub fn contents(table: &Table<'_>, target: &Target, roles: Roles<'_>) -> String {
    let columns = table.columns().iter().map(Column::fingerprint);
    let (strata, groups) = (roles.strata(), roles.groups());
    let others = [target.fingerprint()]
        .into_iter()
        .chain(strata.map(Classes::fingerprint))
        .chain(groups.map(Groups::fingerprint))
        .chain(roles.weights().map(RowWeights::fingerprint))
        .chain(roles.priors().map(ClassPriors::fingerprint));
    let mut checksum = Checksum::default();
    checksum.add_words(&columns.chain(others).collect::<Vec<u64>>(), |word| word);
    format!("{:016x}", checksum.number())
}

/// The options that differ from their defaults, and the seed: `(neighbors = 100, other options at their defaults)`.
pub fn stated_options(options: &[&OptionInfo], settings: &Settings, run: &Run) -> String {
    let mut stated: Vec<String> = options
        .iter()
        .filter_map(|option| {
            let value = settings.get(option).ok()?;
            let usual = option.parse(option.default).ok();
            (usual.as_ref() != Some(value)).then(|| format!("{} = {value}", option.flag))
        })
        .collect();
    if run.seed() != 0 {
        stated.push(format!("seed = {}", run.seed()));
    }
    if stated.is_empty() {
        "(default options)".to_string()
    } else {
        format!("({}, other options at their defaults)", stated.join(", "))
    }
}

/// Adds the entries of a report to JSON. Entries that the method does not report are omitted.
pub fn add_report(all: &mut Value, report: &Report) {
    for (name, value) in [
        ("search", report.search.map(|search| Value::from(search.name()))),
        ("kernel", report.kernel.map(|kernel| Value::from(kernel.to_string()))),
        ("rank", report.rank.map(Value::from)),
        ("ridge", report.ridge.map(Value::from)),
        ("iterations", report.iterations.map(Value::from)),
        ("converged", report.converged.map(Value::from)),
        ("last_change", report.last_change.map(Value::from)),
        ("objective", report.objective.map(Value::from)),
        ("relative_gap", report.relative_gap.map(Value::from)),
        ("constraints", report.constraints.map(Value::from)),
    ] {
        if let Some(value) = value {
            all[name] = value;
        }
    }
    if let Some(plan) = plan_json(&report.plan) {
        all["plan"] = plan;
    }
}

/// A plan in JSON; `None` if the method has no plan.
fn plan_json(plan: &Plan) -> Option<Value> {
    let mut all = json!({});
    if let Some(search) = &plan.search {
        all["route"] = search.route.as_ref().into();
        all["search"] = search.text().into();
        all["missing"] = search.missing.as_deref().into();
        all["bytes"] = search.bytes.into();
        all["bytes_in_file"] = search.bytes_in_file.into();
        all["not_used"] = search.not_used.as_slice().into();
        all["fallback"] = search.fallback.as_deref().into();
    }
    if let Some(sums) = &plan.sums {
        all["sums"] = sums.text().into();
    }
    (plan.search.is_some() || plan.sums.is_some()).then_some(all)
}

/// Warnings in JSON, each with its code and its message, with the option names of the reader.
pub fn warnings_json(warnings: &[Warning], audience: &Audience) -> Vec<Value> {
    let json = |warning: &Warning| {
        let mut entry = json!({"code": warning.code(), "message": warning.message(audience)});
        if warning.is_requested() {
            entry["requested"] = true.into();
        }
        if let Some(code) = warning.former_code() {
            entry["former_code"] = code.into();
        }
        entry
    };
    warnings.iter().map(json).collect()
}

/// The smallest and the largest of some numbers.
pub fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
}
