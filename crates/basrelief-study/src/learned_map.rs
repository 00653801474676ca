//! A learned map as table, JSON, figure or page.

use std::borrow::Cow;

use basrelief::data::{Encoding, Table, Target};
use basrelief::maps::Map;
use basrelief::methods::{self, MapMethodInfo, SCALE, Settings, Task};
use basrelief::wording::without_noise;
use basrelief::{Error, FrontEnd, Report, Result, Run, Warning};
use basrelief_io::Model;
use basrelief_report::data::{Piece, RowMap};
use basrelief_report::figures::{self, Curve, Panel};
use basrelief_report::{self as page, Block, Section, SectionsReport};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::encoding;
use crate::glossary;
use crate::pages::{
    Page, PageOptions, account as page_account, drawn_rows, grouped, named_groups, option_texts,
    row_groups, tell_run,
};
use crate::subject::{Subject, add_report, stated_options};
use crate::text::{Format, Look, counted, cut, percent, rounded, significant, wrapped};

/// A table shows the components up to this number.
const MOST_SHOWN: usize = 20;

/// Entries of a component that are shown, as far as a line holds them.
const ENTRIES: usize = 5;

/// A figure (SVG) of the rows in the first two coordinates, a group of points per class; with one coordinate, by their
/// number. Of very many rows some are drawn, evenly spaced.
///
/// # Errors
/// The map has no component; it does not fit the table.
pub fn map_figure(
    table: &Table<'_>,
    target: Option<&Target>,
    model: &Model,
    run: &Run,
) -> Result<String> {
    let mapped = model.map.transform_table(table, run)?;
    if mapped.columns() == 0 {
        return Err(Error::data("the map has no component to draw", "leave --figure out"));
    }
    let label = |component: usize| format!("{} {}", model.method, component + 1);
    let place = |row: usize| match mapped.row(row) {
        [x, y, ..] => (*x, *y),
        row_of_one => (row_of_one[0], row as f64 + 1.0),
    };
    let all: Vec<usize> = (0..mapped.rows()).collect();
    // More points would hide each other, and make a large file.
    let drawn = drawn_rows(&all, target);
    let title = match drawn.len() < all.len() {
        true => format!("{} ({} of {} rows)", model.method, drawn.len(), all.len()),
        false => model.method.clone(),
    };
    let drawn_target = target.map(|target| target.select_rows(&drawn)).transpose()?;
    let group = |(name, rows): (String, Vec<usize>)| Curve {
        name,
        points: rows.into_iter().map(|row| place(drawn[row])).collect(),
    };
    let groups = named_groups(drawn.len(), drawn_target.as_ref()).into_iter().map(group).collect();
    let panel = Panel {
        title,
        x_label: label(0),
        y_label: if mapped.columns() > 1 { label(1) } else { "row".to_string() },
        curves: groups,
    };
    figures::points("", 1, &[panel])
}

/// A learned map and what it was learned from.
#[derive(Debug)]
pub struct LearnedMap<'a> {
    /// The data.
    pub subject: Subject<'a>,
    /// The method.
    pub info: &'static MapMethodInfo,
    /// Its options.
    pub settings: &'a Settings,
    /// Seed and threads of the fit.
    pub run: &'a Run,
    /// The map.
    pub map: &'a Map,
    /// How it was found.
    pub report: &'a Report,
    /// Warnings.
    pub warnings: &'a [Warning],
}

impl LearnedMap<'_> {
    /// In a format; a map has no CSV, which is a table here.
    ///
    /// # Errors
    /// The map is of other columns than the table.
    pub fn text(&self, format: Format, look: Look) -> Result<String> {
        match format {
            Format::Json => Ok(format!("{:#}\n", self.value())),
            Format::Table | Format::Csv => {
                Ok(self.table(look, &spreads(self.subject.table(), self.map.encoding())?))
            }
        }
    }

    /// The page, and its contents as JSON.
    ///
    /// # Errors
    /// The map is of other columns than the table; [`Error::Cancelled`].
    pub fn page(&self, options: &PageOptions) -> Result<Page> {
        let mut account = page_account(&self.subject, options, &glossary::OF_MAP);
        account.references.push(self.info.papers());
        self.tell(&mut account, options);
        let html = self.sections(account)?.to_html()?;
        Ok(options.page(html, || self.value()))
    }

    /// `spreads` are the features' standard deviations, by which entries are made comparable.
    fn table(&self, look: Look, spreads: &[f64]) -> String {
        let stated = stated_options(&self.info.all_options(), self.settings, self.run);
        let width = look.width;
        let method = wrapped(&format!("method {} {stated}", self.info.name), width);
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
            "largest entries, per standard deviation"
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

    /// Facts about the whole map, from the report of the fit.
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

    /// The page: the rows before and after, the components, and what they are made of.
    fn sections(&self, account: page::data::Account) -> Result<SectionsReport> {
        let (table, target) =
            (self.subject.table(), self.subject.target().map(|(_, target)| target));
        let front_end = self.subject.audience().front_end();
        let mut sections = vec![
            Section::new("Rows before and after", self.map_blocks(table, target, front_end)?),
            Section::new("Components", vec![Block::Table(self.components())]),
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
            sections.push(Section::new("Loadings", vec![Block::Table(loadings.table())]));
        }
        Ok(SectionsReport { title: format!("Map of {}", account.data), answer, account, sections })
    }

    /// Tells the method, what was found and how the run went.
    fn tell(&self, account: &mut page::data::Account, options: &PageOptions) {
        let stated = stated_options(&self.info.all_options(), self.settings, self.run);
        account.tell("Method", format!("{} {stated}", self.info.name));
        account.tell("Found", self.facts().join(", "));
        for (of, how) in encoding::lines(self.map.encoding()) {
            account.tell(of, how);
        }
        let time = options
            .with_time
            .then(|| (format!("{:.3} s", self.report.seconds), self.run.threads()));
        let warnings = (self.warnings, self.subject.audience(), &options.files);
        tell_run(account, self.run.seed(), time, warnings);
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
            &before.model,
            "Before: the first two principal components of the features in standard deviations"
                .to_string(),
        )?;
        let after = picture(
            self.map,
            format!("After: the first components of {}{}", self.info.name, self.units()),
        )?;
        let maps: Vec<RowMap> = before.into_iter().chain(after).collect();
        let mut blocks = vec![Block::Maps(maps)];
        if let (Some(_), Some(task)) = (&target, self.info.task()) {
            let judge = match front_end {
                FrontEnd::Python => "cross-validation",
                _ => "basrelief evaluate",
            };
            blocks.push(Block::Text(format!(
                "The map was learned from these rows and {} them better than new rows: {judge} measures its error on \
                 rows that were not used to learn.",
                if task == Task::Regression { "fits" } else { "separates" }
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

    /// The units of the features, if the components are weighted sums of features.
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
        let mut head = vec![("Component".to_string(), false)];
        if !eigenvalues.is_empty() {
            head.push(("Eigenvalue".to_string(), true));
        }
        if has_losses {
            head.push(("Discriminant power kept".to_string(), true));
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
            true => ". Discriminant power kept: the share of this component and the previous ones",
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
            "warnings": self.subject.warnings_json(self.warnings),
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
    /// Takes the first components of a map with these rows.
    fn new<'m>(
        names: &'n [String],
        row: impl Fn(usize) -> Cow<'m, [f64]>,
        rows: usize,
        spreads: &[f64],
    ) -> Self {
        let scaled = |component| row(component).iter().zip(spreads).map(|(a, b)| a * b).collect();
        Self { names, entries: (0..rows.min(ENTRIES)).map(scaled).collect() }
    }

    /// The features of the first component, in descending order of their absolute entries.
    fn leaders(&self) -> Vec<usize> {
        let Some(first) = self.entries.first() else { return Vec::new() };
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by(|&a, &b| first[b].abs().total_cmp(&first[a].abs()).then(a.cmp(&b)));
        order
    }

    /// A row for every feature that leads.
    fn table(&self) -> page::Table {
        let shown: Vec<usize> = self.leaders().into_iter().take(MOST_SHOWN).collect();
        let mut head = vec![("Feature".to_string(), false)];
        head.extend((1..=self.entries.len()).map(|number| (format!("Component {number}"), true)));
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
                "The change of a component with one standard deviation of a feature; the largest for component 1 \
                 first{of}"
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

/// The features with the largest absolute entries of a component, as many as fit into a line of which `taken` characters are
/// occupied.
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
