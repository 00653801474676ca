//! `basrelief methods`: lists the methods of the registry, or describes one of them.

use basrelief::methods::WRAPPERS;
use basrelief::methods::{
    MAP_METHODS, METHODS, MapMethodInfo, MethodInfo, OptionInfo, Task, WrapperInfo, method,
};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::exit::Outcome;
use crate::output::Destination;
use basrelief_study::text::{Format, Look};

/// The meaning of the letters in costs.
const COSTS: &str = "cost: n rows, p features; sampling m rows reduces n² to m n. A round is an \
                     iteration, a restart or a step of constraint generation.";

/// The largest width of lines; longer lines are hard to read.
const WIDEST: usize = 100;

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let destination = Destination::from_args(matches, &["json", "md"])?;
    let subject = Subject::from_args(matches)?;
    let named = matches.get_one::<String>("format");
    let page =
        destination.file().and_then(std::path::Path::extension).is_some_and(|end| end == "md");
    let markdown = named.map_or(page, |named| named == "markdown");
    let text = match destination.format() {
        _ if markdown => subject.markdown(),
        Format::Json => format!("{:#}\n", subject.json()),
        _ => subject.text(destination.look()),
    };
    destination.write(&match destination.format() {
        Format::Table if !markdown => destination.look().spell(&text),
        _ => text,
    })
}

/// The subject of the output.
enum Subject {
    Everything,
    Method(&'static MethodInfo),
    MapMethod(&'static MapMethodInfo),
    Wrapper(&'static WrapperInfo),
}

impl Subject {
    fn from_args(matches: &ArgMatches) -> basrelief::Result<Self> {
        let Some(name) = matches.get_one::<String>("name") else {
            return Ok(Subject::Everything);
        };
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            return Ok(Subject::Wrapper(wrapper));
        }
        match MAP_METHODS.iter().find(|map_method| map_method.name == name) {
            Some(map_method) => Ok(Subject::MapMethod(map_method)),
            None => method(name).map(Subject::Method),
        }
    }

    fn json(&self) -> Value {
        match self {
            Subject::Everything => {
                let methods: Vec<Value> = METHODS.iter().map(|info| as_json(info)).collect();
                let wrappers: Vec<Value> =
                    WRAPPERS.iter().map(|info| wrapper_as_json(info)).collect();
                let maps: Vec<Value> =
                    MAP_METHODS.iter().map(|info| map_method_as_json(info)).collect();
                json!({
                    "basrelief": env!("CARGO_PKG_VERSION"),
                    "methods": methods,
                    "maps": maps,
                    "wrappers": wrappers,
                })
            }
            Subject::Method(info) => as_json(info),
            Subject::MapMethod(info) => map_method_as_json(info),
            Subject::Wrapper(info) => wrapper_as_json(info),
        }
    }

    fn text(&self, look: Look) -> String {
        match self {
            Subject::Everything => chooser(look),
            Subject::Method(info) => {
                let facts = [
                    ("target", info.task.name()),
                    ("interactions", yes(info.interactions)),
                    ("missing", yes(info.missing)),
                    ("cost", info.cost),
                    ("source", info.source),
                ];
                let option =
                    |option: &OptionInfo| format!("--{} {}", option.flag, option.kind.grammar());
                one(look, info.name, info.purpose, &facts, info.options, option)
            }
            Subject::MapMethod(info) => {
                let facts = [("target", needs(info)), ("cost", info.cost), ("source", info.source)];
                let option =
                    |option: &OptionInfo| format!("--{} {}", option.flag, option.kind.grammar());
                one(look, info.name, info.purpose, &facts, &info.all_options(), option)
            }
            Subject::Wrapper(info) => {
                let facts = [("around", "any method or wrapper"), ("source", info.source)];
                let option =
                    |option: &OptionInfo| format!("{}={}", option.flag, option.kind.grammar());
                one(look, info.name, info.purpose, &facts, info.options, option)
            }
        }
    }

    fn markdown(&self) -> String {
        match self {
            Subject::Everything => chooser_as_markdown(),
            Subject::Method(info) => {
                let facts = [
                    info.task.name(),
                    yes(info.interactions),
                    yes(info.missing),
                    info.cost,
                    info.source,
                ];
                let heads = ["target", "interactions", "missing values", "cost", "source"];
                let options = options_as_markdown(info.options);
                markdown_table(&heads, [facts.map(str::to_string)]) + "\n" + &options
            }
            Subject::MapMethod(info) => {
                let facts = [needs(info), info.cost, info.source];
                let options = options_as_markdown(&info.all_options());
                markdown_table(&["target", "cost", "source"], [facts.map(str::to_string)])
                    + "\n"
                    + &options
            }
            Subject::Wrapper(info) => {
                let options = info.options.iter().map(|option| {
                    let name = format!("`{}`", option.flag);
                    [name, values(option), format!("`{}`", option.default), escaped(option.help)]
                });
                markdown_table(
                    &["around", "source"],
                    [["any method or wrapper".to_string(), info.source.to_string()]],
                ) + "\n"
                    + &markdown_table(&["option", "values", "default", "meaning"], options)
            }
        }
    }
}

fn yes(it_is: bool) -> &'static str {
    if it_is { "yes" } else { "no" }
}

/// The target that a map method needs, in words.
fn needs(info: &MapMethodInfo) -> &'static str {
    info.task().map_or("not used", Task::name)
}

fn options_as_markdown(options: &[&OptionInfo]) -> String {
    let rows = options.iter().map(|option| {
        let flag = format!("`--{}`", option.flag);
        let name = format!("`{}`", option.name);
        [flag, name, values(option), format!("`{}`", option.default), escaped(option.help)]
    });
    markdown_table(&["option", "in Python", "values", "default", "meaning"], rows)
}

fn option_as_json(option: &OptionInfo) -> Value {
    json!({
        "name": option.name,
        "flag": format!("--{}", option.flag),
        "values": option.kind.grammar(),
        "default": option.default,
        "help": option.help,
    })
}

fn wrapper_as_json(info: &WrapperInfo) -> Value {
    let options: Vec<Value> = info
        .options
        .iter()
        .map(|option| {
            let mut described = option_as_json(option);
            // The options of a wrapper are written after its name.
            described["flag"] = format!("--wrap {}:{}=", info.name, option.flag).into();
            described
        })
        .collect();
    json!({
        "name": info.name,
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
    })
}

fn as_json(info: &MethodInfo) -> Value {
    let options: Vec<Value> = info.options.iter().map(|option| option_as_json(option)).collect();
    let choose: Vec<&str> = info.choose.iter().map(|option| option.name).collect();
    json!({
        "name": info.name,
        "task": info.task.name(),
        "interactions": info.interactions,
        "missing": info.missing,
        "cost": info.cost,
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
        "choose": choose,
    })
}

fn map_method_as_json(info: &MapMethodInfo) -> Value {
    let options: Vec<Value> = info.all_options().into_iter().map(option_as_json).collect();
    let choose: Vec<&str> = info.choose.iter().map(|option| option.name).collect();
    json!({
        "name": info.name,
        "supervised": info.supervised,
        "target": info.task().map(Task::name),
        "cost": info.cost,
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
        "choose": choose,
    })
}

/// The options to choose, or `nothing`.
fn to_choose(options: &[&OptionInfo], written: impl Fn(&OptionInfo) -> String) -> String {
    let names: Vec<String> = options.iter().map(|option| written(option)).collect();
    if names.is_empty() { "nothing".to_string() } else { names.join(", ") }
}

/// Headings and rows in aligned columns; a line below each row describes its purpose.
fn aligned<const COLUMNS: usize>(
    heads: [&str; COLUMNS],
    rows: &[([String; COLUMNS], &str)],
    look: Look,
) -> String {
    let line = |cells: [&str; COLUMNS]| {
        let mut line = String::new();
        for (place, cell) in cells.into_iter().enumerate() {
            let widest = rows.iter().map(|(row, _)| row[place].chars().count()).max().unwrap_or(0);
            let width = widest.max(heads[place].len());
            line.push_str(&format!("{cell:<width$}  "));
        }
        line.trim_end().to_string()
    };
    let mut text = format!("{}\n", look.bold(&line(heads)));
    for (row, purpose) in rows {
        text.push_str(&line(row.each_ref().map(String::as_str)));
        text.push('\n');
        text.push_str(&wrapped(purpose, 4, look));
    }
    text
}

/// All methods, with the facts to choose by.
fn chooser(look: Look) -> String {
    let heads = ["method", "target", "interactions", "missing", "cost", "choose"];
    let rows: Vec<([String; 6], &str)> = METHODS
        .iter()
        .map(|info| {
            // The full name would leave no room for the rest in 80 columns.
            let target = if info.task == Task::Any { "either" } else { info.task.name() };
            let row = [
                info.name.to_string(),
                target.to_string(),
                yes(info.interactions).to_string(),
                yes(info.missing).to_string(),
                info.cost.to_string(),
                to_choose(info.choose, |option| option.flag.to_string()),
            ];
            (row, info.purpose)
        })
        .collect();
    let mut text = aligned(heads, &rows, look);
    text.push('\n');
    text.push_str(&wrapped(COSTS, 0, look));
    text.push_str(&wrapped(
        "target: either means classes or regression. interactions: detects features that interact. \
         missing: accepts missing values. choose: the options to consider; the defaults of the others \
         are usually good.",
        0,
        look,
    ));
    text.push_str(&format!("\n{}\n", look.bold("Wrappers around any of them (--wrap):")));
    for info in WRAPPERS {
        text.push_str(&format!("{}\n", with_defaults(info)));
        text.push_str(&wrapped(info.purpose, 4, look));
    }
    text.push_str(&format!("\n{}\n", look.bold("Maps, new coordinates for rows (basrelief fit):")));
    let rows: Vec<([String; 4], &str)> = MAP_METHODS
        .iter()
        .map(|info| {
            let row = [
                info.name.to_string(),
                needs(info).to_string(),
                info.cost.to_string(),
                to_choose(info.choose, |option| option.flag.to_string()),
            ];
            (row, info.purpose)
        })
        .collect();
    text.push_str(&aligned(["method", "target", "cost", "choose"], &rows, look));
    text.push_str("\nDetails of one method: basrelief methods NAME\n");
    text
}

/// `turf:drop=0.1,keep=50`.
fn with_defaults(info: &WrapperInfo) -> String {
    let options: Vec<String> =
        info.options.iter().map(|option| format!("{}={}", option.flag, option.default)).collect();
    format!("{}:{}", info.name, options.join(","))
}

/// The same rows as [`chooser`], for `docs/methods/README.md`.
fn chooser_as_markdown() -> String {
    let heads = [
        "purpose",
        "method",
        "target",
        "interactions",
        "missing values",
        "cost",
        "options to choose",
    ];
    let rows = METHODS.iter().map(|info| {
        [
            escaped(info.purpose),
            link(info.name),
            info.task.name().to_string(),
            yes(info.interactions).to_string(),
            yes(info.missing).to_string(),
            info.cost.to_string(),
            to_choose(info.choose, |option| format!("`--{}`", option.flag)),
        ]
    });
    let maps = MAP_METHODS.iter().map(|info| {
        [
            escaped(info.purpose),
            link(info.name),
            needs(info).to_string(),
            info.cost.to_string(),
            to_choose(info.choose, |option| format!("`--{}`", option.flag)),
        ]
    });
    let wrappers = WRAPPERS.iter().map(|info| {
        [escaped(info.purpose), link(info.name), format!("`--wrap {}`", with_defaults(info))]
    });
    format!(
        "{}\n{COSTS}\n\n{}\n{}",
        markdown_table(&heads, rows),
        markdown_table(&["purpose", "wrapper", "syntax, with the defaults"], wrappers),
        markdown_table(&["purpose", "map", "target", "cost", "options to choose"], maps)
    )
}

/// A link to the page of a method or wrapper.
fn link(name: &str) -> String {
    format!("[`{name}`]({}.md)", name.replace('*', "-star"))
}

/// A method or wrapper with its facts and options.
fn one(
    look: Look,
    name: &str,
    purpose: &str,
    facts: &[(&str, &str)],
    options: &[&OptionInfo],
    written: impl Fn(&OptionInfo) -> String,
) -> String {
    let mut text = format!("{}\n{}\n", look.bold(name), wrapped(purpose, 4, look));
    for (fact, value) in facts {
        text.push_str(&format!("{fact:<13} {value}\n"));
    }
    for option in options {
        text.push_str(&format!("\n{}  [default: {}]\n", written(option), option.default));
        text.push_str(&wrapped(option.help, 4, look));
    }
    text
}

/// Breaks a text into indented lines that fit the terminal.
fn wrapped(text: &str, indent: usize, look: Look) -> String {
    let width = look.width.min(WIDEST).saturating_sub(indent);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
}

fn markdown_table<const COLUMNS: usize>(
    heads: &[&str; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(COLUMNS));
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

/// The values of an option in a cell of a table. Bars are escaped, because they would end the cell.
fn values(option: &OptionInfo) -> String {
    format!("`{}`", option.kind.grammar().replace('|', "\\|"))
}

/// Text in a cell of a table. `*` and bars are escaped, because they would start emphasis or end the cell.
fn escaped(text: &str) -> String {
    text.replace('*', "\\*").replace('|', "\\|")
}
