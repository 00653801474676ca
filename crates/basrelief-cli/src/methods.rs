//! `basrelief methods`: what the registry lists.

use basrelief::methods::{METHODS, MethodInfo};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::exit::Outcome;
use crate::output::{Destination, Format};

/// Runs the verb.
pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let destination = Destination::from_args(matches)?;
    let text = match destination.format() {
        Format::Json => {
            let methods: Vec<Value> = METHODS.iter().map(|info| as_json(info)).collect();
            let all = json!({"basrelief": env!("CARGO_PKG_VERSION"), "methods": methods});
            format!("{all:#}\n")
        }
        _ => as_text(),
    };
    destination.write(&text)
}

fn as_json(info: &MethodInfo) -> Value {
    let options: Vec<Value> = info
        .options
        .iter()
        .map(|option| {
            json!({
                "name": option.name,
                "flag": format!("--{}", option.flag),
                "values": option.kind.grammar(),
                "default": option.default,
                "help": option.help,
            })
        })
        .collect();
    json!({
        "name": info.name,
        "task": info.task.name(),
        "purpose": info.purpose,
        "source": info.source,
        "options": options,
    })
}

fn as_text() -> String {
    let mut text = String::new();
    for info in METHODS {
        text.push_str(&format!(
            "{}  ({}; {})\n    {}\n",
            info.name,
            info.task.name(),
            info.source,
            info.purpose
        ));
        let options: Vec<String> = info
            .options
            .iter()
            .map(|option| format!("--{} {}", option.flag, option.default))
            .collect();
        if !options.is_empty() {
            text.push_str(&format!("    options and defaults: {}\n", options.join(" ")));
        }
    }
    text.push_str("\nWhat the options mean: basrelief rank --help\n");
    text
}
