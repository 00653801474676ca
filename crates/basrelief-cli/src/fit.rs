//! `basrelief fit`: from a file to a map, which is told and saved.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use basrelief::data::{Encoding, Table, Target, TargetKind};
use basrelief::maps::Map;
use basrelief::methods::{self, MapMethodInfo, SCALE, Settings};
use basrelief::wording::without_noise;
use basrelief::{Error, Fitted, FrontEnd, Report, Result, Run, Warning};
use basrelief_io::{Model, check_writable, write_model};
use basrelief_report::data::{Piece, RowMap};
use basrelief_report::figures::{self, Curve, Panel};
use basrelief_report::{self as page, Block, Section, SectionsReport};
use clap::ArgMatches;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args;
use crate::cohort::{self, is_cohort};
use crate::encoding;
use crate::exit::{Outcome, say};
use crate::input::{Given, Input};
use crate::output::{Destination, Format, write_file};
use crate::report::{
    ReportArgs, account as page_account, command_line, drawn_rows, grouped, option_texts,
    row_groups, tell_run,
};
use crate::subject::{Subject, add_report, stated_options, tell_warnings, warnings_json};
use crate::text::{Look, counted, cut, percent, rounded, significant, wrapped};

/// A table shows the components up to this number.
const MOST_SHOWN: usize = 20;

/// Entries of a component that are shown, as far as a line holds them.
const ENTRIES: usize = 5;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches, arguments: &[OsString]) -> Outcome {
    // Everything that can be refused is refused before the data are read.
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let info = methods::map_method(text("method").unwrap_or_default())?;
    let options = info.all_options();
    let settings =
        info.settings(&args::method_options(info.name, &options, &args::FIT_METHODS, matches)?)?;
    let input = Input::from_args(matches)?;
    // Who has no phenotype is left out only where there is need of it.
    let is_named = ["pheno", "pheno-name", "target"].iter().any(|name| matches.contains_id(name));
    let has_use = info.supervised || is_named || !is_cohort(matches);
    let target_column = cohort::target(matches)?.filter(|_| has_use);
    if info.supervised && target_column.is_none() {
        return Err(Error::option(
            "target",
            format!("{} needs classes", info.name),
            "name their column",
        )
        .into());
    }
    let run = args::start_run(matches)?;
    let outlets = Outlets::from_args(matches)?;
    let (table, named, mut warnings) = match target_column {
        Some(column) => {
            let Given { table, target, target_name, warnings, .. } =
                input.problem(column, TargetKind::PreferClasses, &run)?;
            (table, Some((target_name, target)), warnings)
        }
        None => {
            let (table, warnings) = input.features(&run)?;
            (table, None, warnings)
        }
    };
    let named = named.as_ref().map(|(name, target)| (name.as_str(), target));
    let fitted = info
        .fit(&table, named.map(|(_, target)| target), &settings, &run)
        .map_err(|error| error.in_file(input.path()))?;
    // Ctrl-C during the last step still means that nothing is written.
    run.check()?;
    warnings.extend(fitted.report.warnings.iter().cloned());
    let subject = Subject::new(input.path().to_string_lossy(), &table, named);
    outlets.take(
        &Learned { info, settings: &settings, subject, fitted, warnings },
        "fitted",
        arguments,
        &run,
    )
}

/// A map that was learned, and of what.
pub(crate) struct Learned<'a> {
    pub(crate) info: &'static MapMethodInfo,
    pub(crate) settings: &'a Settings,
    pub(crate) subject: Subject<'a>,
    pub(crate) fitted: Fitted<Map>,
    pub(crate) warnings: Vec<Warning>,
}

/// Where a map goes: its model, and what is told and drawn of it.
pub(crate) struct Outlets<'m> {
    destination: Destination,
    model: &'m Path,
    figure: Option<&'m Path>,
    report: Option<ReportArgs<'m>>,
    quiet: bool,
}

impl<'m> Outlets<'m> {
    /// From the arguments; refuses what cannot be written.
    ///
    /// # Errors
    /// As said.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        let destination = Destination::from_args(matches, &["json"])?;
        let model = args::path(matches, "model")
            .ok_or_else(|| Error::Internal("the model argument is missing".to_string()))?;
        let figure = args::path(matches, "figure");
        check_writable(model)?;
        if let Some(file) = figure {
            check_writable(file)?;
            if !file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
                return Err(Error::File {
                    path: file.to_path_buf(),
                    action: "draw to it".to_string(),
                    cause: "the ending of its name is not .svg".into(),
                    help: "figures are SVG: give a name that ends so".into(),
                });
            }
        }
        let report = ReportArgs::from_args(matches)?;
        Ok(Self { destination, model, figure, report, quiet: args::quiet(matches) })
    }

    /// Writes and tells what was learned; `done` is how it came: `fitted` or `merged`.
    ///
    /// # Errors
    /// A file cannot be written; the run was cancelled.
    pub(crate) fn take(
        &self,
        learned: &Learned<'_>,
        done: &str,
        arguments: &[OsString],
        run: &Run,
    ) -> Outcome {
        let Learned { info, settings, subject, fitted, warnings } = learned;
        let Self { destination, model: model_file, figure, report, quiet } = self;
        let (table, target) = (subject.table(), subject.target().map(|(_, target)| target));
        let account = Account {
            subject: subject.clone(),
            info,
            settings,
            run,
            map: &fitted.map,
            report: &fitted.report,
            warnings,
        };
        let told = match destination.format() {
            Format::Json => account.json(),
            Format::Table | Format::Csv => {
                let spreads = spreads(table, fitted.map.encoding())?;
                account.table(destination.look(), &spreads)
            }
        };
        let model = Model {
            map: fitted.map.clone(),
            method: info.name.to_string(),
            options: settings.to_json(),
            seed: run.seed(),
        };
        let drawn = match figure {
            Some(_) => Some(draw(table, target, &model, run)?),
            None => None,
        };
        let page = match report {
            Some(report) => {
                let mut page_account =
                    page_account(&account.subject, Some(command_line(arguments)));
                account.tell(&mut page_account, report.with_time());
                let page = account.page(page_account, table, target, FrontEnd::CommandLine)?;
                Some(report.page(page.to_html()?, || account.value()))
            }
            None => None,
        };
        write_model(model_file, &model)?;
        if let (Some(file), Some(drawn)) = (figure, drawn) {
            write_file(file, &drawn)?;
        }
        if let (Some(report), Some(page)) = (report, page) {
            report.write(&page)?;
        }
        destination.write(&told)?;
        if !quiet {
            tell_warnings(warnings);
            let pages = report.iter().flat_map(ReportArgs::files);
            let figure = figure.iter().copied();
            for file in
                destination.file().into_iter().chain([*model_file]).chain(figure).chain(pages)
            {
                say(&format!("wrote {}", file.display()));
            }
            say(&format!("{done} in {:.3} s", fitted.report.seconds));
        }
        report.as_ref().map_or(Ok(()), |report| report.open())
    }
}

/// The rows in the first two coordinates, a group of points per class; in one, by their number.
fn draw(table: &Table<'_>, target: Option<&Target>, model: &Model, run: &Run) -> Result<String> {
    let mapped = model.map.transform_table(table, run)?;
    if mapped.columns() == 0 {
        return Err(Error::data("the map has no component to draw", "leave --figure out"));
    }
    let label = |component: usize| format!("{} {}", model.method, component + 1);
    let place = |row: usize| match mapped.row(row) {
        [x, y, ..] => (*x, *y),
        row_of_one => (row_of_one[0], row as f64 + 1.0),
    };
    let points = |takes: &dyn Fn(usize) -> bool| {
        (0..mapped.rows()).filter(|&row| takes(row)).map(place).collect::<Vec<_>>()
    };
    let groups = match target {
        Some(Target::Classes(classes)) => (0..classes.len())
            .map(|code| Curve {
                name: classes.names()[code].clone(),
                points: points(&|row| classes.codes()[row] as usize == code),
            })
            .collect(),
        _ => vec![Curve { name: "rows".to_string(), points: points(&|_| true) }],
    };
    let panel = Panel {
        title: model.method.clone(),
        x_label: label(0),
        y_label: if mapped.columns() > 1 { label(1) } else { "row".to_string() },
        curves: groups,
    };
    figures::points("", 1, &[panel])
}

/// A map that was learned before, for a page of it.
#[derive(Debug)]
pub struct KnownMap<'a> {
    /// The name of the data.
    pub data: &'a str,
    /// The features, as when the map was learned.
    pub table: &'a Table<'a>,
    /// Name and values of the target, where there is one.
    pub target: Option<(&'a str, &'a Target)>,
    /// What learned the map.
    pub method: &'static MapMethodInfo,
    /// The method's options.
    pub settings: &'a Settings,
    /// The map.
    pub map: &'a Map,
    /// How it was found.
    pub report: &'a Report,
    /// What the user should know, in the words of Python.
    pub warnings: &'a [String],
    /// What repeats it.
    pub command: &'a str,
}

impl KnownMap<'_> {
    /// The page, as of `basrelief fit --report`, in the words of Python and without a time. The seed is the
    /// run's.
    ///
    /// # Errors
    /// The map is of other columns than the table; [`Error::Cancelled`].
    pub fn page(&self, run: &Run) -> Result<String> {
        let account = Account {
            subject: Subject::new(self.data, self.table, self.target),
            info: self.method,
            settings: self.settings,
            run,
            map: self.map,
            report: self.report,
            warnings: &[],
        };
        let mut told = page_account(&account.subject, Some(self.command.to_string()));
        account.tell(&mut told, false);
        told.warnings.extend(self.warnings.iter().cloned());
        let target = self.target.map(|(_, target)| target);
        account.page(told, self.table, target, FrontEnd::Python)?.to_html()
    }
}

/// What is told of a fitted map.
struct Account<'a> {
    subject: Subject<'a>,
    info: &'static MapMethodInfo,
    settings: &'a Settings,
    run: &'a Run,
    map: &'a Map,
    report: &'a Report,
    warnings: &'a [Warning],
}

impl Account<'_> {
    /// `spreads` are the features' standard deviations, by which entries are made comparable.
    fn table(&self, look: Look, spreads: &[f64]) -> String {
        let stated = stated_options(&self.info.all_options(), self.settings, self.run);
        let width = look.width;
        let method = wrapped(&format!("method {}: {stated}", self.info.name), width);
        let mut text = format!("{}{method}\n", self.subject.lines(width));
        text.push_str(&format!("{}\n", wrapped(&self.facts().join(", "), width)));
        for (of, how) in encoding::lines(self.map.encoding()) {
            let line = wrapped(&format!("{}: {how}", of.to_lowercase()), width);
            text.push_str(&format!("{line}\n"));
        }
        text.push('\n');

        let shown = self.map.components().min(MOST_SHOWN);
        let eigenvalues: Vec<String> = self.eigenvalues().take(shown).map(significant).collect();
        let power = self.map.discriminant_power().unwrap_or(0.0);
        let losses: Vec<String> = (1..=shown)
            .filter_map(|kept| self.map.discriminant_loss(kept))
            .map(|loss| significant(without_noise(loss, power)))
            .collect();
        let mut columns = vec![("component", (1..=shown).map(|k| k.to_string()).collect())];
        columns.push(("eigenvalue", eigenvalues));
        columns.push(("power lost", losses));
        columns.retain(|(_, cells): &(&str, Vec<String>)| !cells.is_empty());
        let widths: Vec<usize> = columns
            .iter()
            .map(|(head, cells)| cells.iter().map(|c| c.width()).max().unwrap_or(0).max(head.len()))
            .collect();
        let line = |cell: &dyn Fn(usize) -> String, rest: &str| {
            let mut line = String::new();
            for (place, width) in widths.iter().enumerate() {
                let cell = cell(place);
                line.push_str(&if place == 0 {
                    format!("{cell:>width$}  ")
                } else {
                    format!("{cell:<width$}  ")
                });
            }
            format!("{line}{rest}").trim_end().to_string()
        };
        let taken = widths.iter().sum::<usize>() + 2 * widths.len();
        let entries = match self.map {
            Map::Linear(map) => (0..shown)
                .map(|row| {
                    let row = map.component(row);
                    let entries = row.iter().zip(spreads);
                    let entries: Vec<f64> = entries.map(|(entry, spread)| entry * spread).collect();
                    greatest(map.names(), &entries, look, taken)
                })
                .collect(),
            _ => vec![String::new(); shown],
        };
        let head = if entries.iter().any(|entry| !entry.is_empty()) {
            "greatest, per standard deviation"
        } else {
            ""
        };
        text.push_str(&look.bold(&line(&|place| columns[place].0.to_string(), head)));
        text.push('\n');
        for (row, entries) in entries.iter().enumerate() {
            text.push_str(&line(&|place| columns[place].1[row].clone(), entries));
            text.push('\n');
        }
        let rest = self.map.components() - shown;
        if rest > 0 {
            let plural = if rest == 1 { "" } else { "s" };
            text.push_str(&format!("… {rest} more component{plural} not shown\n"));
        }
        look.spell(&text)
    }

    /// What the report says of the whole map.
    fn facts(&self) -> Vec<String> {
        let report = self.report;
        let mut facts = vec![counted(self.map.components(), "component")];
        facts.extend(report.kernel.map(|kernel| format!("kernel {kernel}")));
        facts.extend(report.rank.map(|rank| format!("rank {rank}")));
        let power = self.map.discriminant_power();
        facts.extend(power.map(|power| format!("discriminant power {}", plain(power))));
        let ridge = report.ridge.filter(|&ridge| ridge > 0.0);
        facts.extend(ridge.map(|ridge| format!("ridge {}", plain(ridge))));
        facts.extend(report.iterations.map(|count| counted(count, "iteration")));
        facts.extend(report.converged.filter(|done| !done).map(|_| "not converged".to_string()));
        facts.extend(report.objective.map(|value| format!("objective {}", plain(value))));
        facts
    }

    fn json(&self) -> String {
        format!("{:#}\n", self.value())
    }

    /// The page: the rows before and after, the components, and what they are made of.
    fn page(
        &self,
        account: page::data::Account,
        table: &Table<'_>,
        target: Option<&Target>,
        front_end: FrontEnd,
    ) -> Result<SectionsReport> {
        let section = |heading: &str, blocks| Section { heading: heading.to_string(), blocks };
        let mut sections = vec![
            section("The rows before and after", self.map_blocks(table, target, front_end)?),
            section("Components", vec![Block::Table(self.components())]),
        ];
        let mut answer = vec![
            Piece::Name(self.info.name.to_string()),
            Piece::Words(format!(
                " maps {} to {}.",
                counted(table.width(), "feature"),
                counted(self.map.components(), "component")
            )),
        ];
        if let Map::Linear(map) = self.map {
            let spreads = spreads(table, map.encoding())?;
            let loadings =
                Loadings::new(map.names(), |row| map.component(row), map.components(), &spreads);
            if let Some(&[first, second]) = loadings.leaders().first_chunk() {
                answer.push(Piece::Words(" The first depends most on ".to_string()));
                answer.push(Piece::Name(map.names()[first].clone()));
                answer.push(Piece::Words(" and ".to_string()));
                answer.push(Piece::Name(map.names()[second].clone()));
                answer.push(Piece::Words(".".to_string()));
            }
            sections.push(section("What they are made of", vec![Block::Table(loadings.table())]));
        }
        Ok(SectionsReport { title: format!("Map of {}", account.data), answer, account, sections })
    }

    /// Tells the method, what was found and how the run went.
    fn tell(&self, account: &mut page::data::Account, with_time: bool) {
        let stated = stated_options(&self.info.all_options(), self.settings, self.run);
        account.tell("Method", format!("{}: {stated}", self.info.name));
        account.tell("Found", self.facts().join(", "));
        for (of, how) in encoding::lines(self.map.encoding()) {
            account.tell(of, how);
        }
        let time = with_time.then(|| (format!("{:.3} s", self.report.seconds), self.run.threads()));
        tell_run(account, self.run.seed(), time, self.warnings);
        account.options = option_texts(self.settings).collect();
    }

    /// The rows in their first two principal components, and in the map.
    fn map_blocks(
        &self,
        table: &Table<'_>,
        target: Option<&Target>,
        front_end: FrontEnd,
    ) -> Result<Vec<Block>> {
        let all: Vec<usize> = (0..table.rows()).collect();
        let rows = drawn_rows(&all, target);
        let drawn = table.select_rows(&rows);
        let drawn_target = target.map(|target| target.select_rows(&rows)).transpose()?;
        let picture = |map: &Map, how: String| -> Result<Option<RowMap>> {
            let mapped = map.transform_table(&drawn, self.run)?;
            if mapped.columns() == 0 {
                return Ok(None);
            }
            let has_two = mapped.columns() > 1;
            let second = if has_two { "component 2" } else { "row of the file" };
            let scale = if has_two { " Both axes have the same scale." } else { "" };
            Ok(Some(RowMap {
                how: format!("{how}.{scale}"),
                axes: ("component 1".to_string(), second.to_string()),
                one_unit: has_two,
                groups: row_groups(mapped.rows(), drawn_target.as_ref(), |row| {
                    match mapped.row(row) {
                        [x, y, ..] => (*x, *y),
                        row_of_one => (row_of_one[0], row as f64 + 1.0),
                    }
                }),
            }))
        };
        let info = methods::map_method("pca")?;
        let settings = info.settings(&[("components", "2"), ("scale", "standard")])?;
        let before = info.fit(table, None, &settings, &self.run.part(self.run.seed()))?;
        let before = picture(
            &before.map,
            "Before: the first two principal components of the features in standard deviations"
                .to_string(),
        )?;
        let after = picture(
            self.map,
            format!("After: the first components of {}{}", self.info.name, self.units()),
        )?;
        let maps: Vec<RowMap> = before.into_iter().chain(after).collect();
        let mut blocks = vec![Block::Maps(maps)];
        if target.is_some() && self.info.supervised {
            let judge = match front_end {
                FrontEnd::Python => "cross-validation says",
                _ => "basrelief evaluate says",
            };
            blocks.push(Block::Text(format!(
                "The map was learned from the rows that are drawn, and separates them better than it would \
                 separate new ones: {judge} what it is worth on others."
            )));
        }
        if rows.len() < table.rows() {
            blocks.push(Block::Text(format!(
                "Of {} rows, {} are drawn.",
                grouped(table.rows()),
                grouped(rows.len())
            )));
        }
        Ok(blocks)
    }

    /// The eigenvalues; those that rounding makes are 0.
    fn eigenvalues(&self) -> impl Iterator<Item = f64> {
        let all = self.map.eigenvalues();
        let largest = all.iter().fold(0.0, |most: f64, value| value.abs().max(most));
        all.iter().map(move |&value| without_noise(value, largest))
    }

    /// What the components are sums of, where they are sums of features.
    fn units(&self) -> &'static str {
        match (self.map, self.settings.text(&SCALE)) {
            (Map::Linear(_), Ok("standard")) => {
                ", weighted sums of the features in standard deviations"
            }
            (Map::Linear(_), Ok("range")) => {
                ", weighted sums of the features in shares of their ranges"
            }
            (Map::Linear(_), _) => ", weighted sums of the features in their own units",
            _ => "",
        }
    }

    /// The share of the discriminant power that the first components have.
    fn power_kept(&self, components: usize) -> Option<f64> {
        let power = self.map.discriminant_power().filter(|&power| power > 0.0)?;
        self.map.discriminant_loss(components).map(|loss| 1.0 - loss / power)
    }

    /// Eigenvalues, and the share of the discriminant power that is kept.
    fn components(&self) -> page::Table {
        let shown = self.map.components().min(MOST_SHOWN);
        let eigenvalues: Vec<f64> = self.eigenvalues().collect();
        let has_losses = self.power_kept(1).is_some();
        let mut head = vec![("component".to_string(), false)];
        if !eigenvalues.is_empty() {
            head.push(("eigenvalue".to_string(), true));
        }
        if has_losses {
            head.push(("discriminant power kept".to_string(), true));
        }
        let rows = (0..shown).map(|place| {
            let mut row = vec![(place + 1).to_string()];
            if !eigenvalues.is_empty() {
                row.push(eigenvalues.get(place).map_or(String::new(), |&value| plain(value)));
            }
            if has_losses {
                row.push(self.power_kept(place + 1).map_or(String::new(), percent));
            }
            row
        });
        let caption = match self.map.components() > shown {
            true => format!("The first {shown} of {} components", self.map.components()),
            false => "All components".to_string(),
        };
        let kept = match has_losses {
            true => {
                ". Discriminant power kept: the share of the whole that this component and those before it have"
            }
            false => "",
        };
        let caption = format!("{caption}{kept}");
        page::Table { caption, head, rows: rows.collect(), ..page::Table::default() }
    }

    /// All that was found, in JSON.
    fn value(&self) -> Value {
        let components: Vec<Value> = (0..self.map.components())
            .map(|component| {
                let mut entry = json!({"component": component + 1});
                if let Some(eigenvalue) = self.map.eigenvalues().get(component) {
                    entry["eigenvalue"] = json!(eigenvalue);
                }
                if let Some(loss) = self.map.discriminant_loss(component + 1) {
                    entry["discriminant_loss"] = json!(loss);
                }
                entry
            })
            .collect();
        let mut all = json!({
            "basrelief": env!("CARGO_PKG_VERSION"),
            "method": self.info.name,
            "options": self.settings.to_json(),
            "seed": self.run.seed(),
            "threads": self.run.threads(),
            "data": self.subject.json(),
            "components": components,
            "warnings": warnings_json(self.warnings),
            "seconds": self.report.seconds,
        });
        if let Some(power) = self.map.discriminant_power() {
            all["discriminant_power"] = json!(power);
        }
        if let Some(encoding) = encoding::json(self.map.encoding()) {
            all["encoding"] = encoding;
        }
        add_report(&mut all, self.report);
        all
    }
}

/// Entries of the components, per standard deviation of the features.
struct Loadings<'n> {
    names: &'n [String],
    /// By component.
    entries: Vec<Vec<f64>>,
}

impl<'n> Loadings<'n> {
    /// Of the first components of a map with these rows.
    fn new<'m>(
        names: &'n [String],
        row: impl Fn(usize) -> Cow<'m, [f64]>,
        rows: usize,
        spreads: &[f64],
    ) -> Self {
        let scaled = |component| row(component).iter().zip(spreads).map(|(a, b)| a * b).collect();
        Self { names, entries: (0..rows.min(ENTRIES)).map(scaled).collect() }
    }

    /// The features of the first component, the greatest entry first.
    fn leaders(&self) -> Vec<usize> {
        let Some(first) = self.entries.first() else { return Vec::new() };
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by(|&a, &b| first[b].abs().total_cmp(&first[a].abs()).then(a.cmp(&b)));
        order
    }

    /// A row for every feature that leads.
    fn table(&self) -> page::Table {
        let shown: Vec<usize> = self.leaders().into_iter().take(MOST_SHOWN).collect();
        let mut head = vec![("feature".to_string(), false)];
        head.extend((1..=self.entries.len()).map(|number| (format!("component {number}"), true)));
        let largest =
            |entries: &[f64]| entries.iter().fold(0.0, |most: f64, entry| entry.abs().max(most));
        let rows = shown.iter().map(|&feature| {
            let entry = |entries: &Vec<f64>| {
                let shown = without_noise(entries[feature], largest(entries));
                rounded(shown, 3).trim_start().to_string()
            };
            let entries = self.entries.iter().map(entry);
            [self.names[feature].clone()].into_iter().chain(entries).collect()
        });
        let of = match shown.len() < self.names.len() {
            true => format!(" ({} of {} features)", shown.len(), self.names.len()),
            false => String::new(),
        };
        page::Table {
            caption: format!(
                "How much a component changes with one standard deviation of a feature; the greatest of \
                 component 1 first{of}"
            ),
            head,
            rows: rows.collect(),
            ..page::Table::default()
        }
    }
}

/// A number without the sign that tables align by.
fn plain(number: f64) -> String {
    significant(number).trim_start_matches(['+', ' ']).to_string()
}

/// The standard deviation of every column of numbers, over n rows.
fn spreads(table: &Table<'_>, encoding: &Encoding) -> Result<Vec<f64>> {
    let rows = encoding.encode(table)?.0;
    let means = rows.means();
    let mut squares = vec![0.0; rows.columns()];
    for row in rows.iter() {
        let entries = squares.iter_mut().zip(row.iter().zip(&means));
        entries.for_each(|(sum, (value, mean))| *sum += (value - mean) * (value - mean));
    }
    Ok(squares.into_iter().map(|sum| (sum / rows.rows() as f64).sqrt()).collect())
}

/// The features with the greatest entries of a component, as many as fit beside what is `taken`.
fn greatest(names: &[String], row: &[f64], look: Look, taken: usize) -> String {
    let mut order: Vec<usize> = (0..row.len()).filter(|&k| row[k] != 0.0).collect();
    order.sort_by(|&a, &b| row[b].abs().total_cmp(&row[a].abs()).then(a.cmp(&b)));
    let mut text = String::new();
    for &feature in order.iter().take(ENTRIES) {
        let gap = if text.is_empty() { "" } else { "  " };
        let entry = format!("{gap}{} {}", rounded(row[feature], 3), cut(&names[feature], 24));
        if !text.is_empty() && taken + text.width() + entry.width() > look.width {
            break;
        }
        text.push_str(&entry);
    }
    text
}
